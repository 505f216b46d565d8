"""The law of local definitions: what is defined in a group affects what uses it in that group."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.lexer.whitespace import bare
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

Affected = Callable[..., dict[str, tuple[str, ...]]]
Paper = Callable[..., PaperState]

PAPER = r"""
\newcommand{\x}{outer}\newcommand{\use}{<\x>}
\newenvironment{shielded}{\renewcommand{\x}{shield}}{}
\begin{lemma}\label{before} One \x. \end{lemma}
\begin{proof} Two \use. \end{proof}
%s
\begin{lemma}\label{after} Five \x. \end{lemma}
\begin{proof} Six \use. \end{proof}
"""

INNER = r"""\begin{lemma}\label{in} Three \x. \end{lemma}
\begin{proof} Four \use. \end{proof}"""

GROUPS = {
    "braces": r"{\renewcommand{\x}{local} %s }",
    "begingroup": r"\begingroup\def\x{local} %s \endgroup",
    "bgroup": r"\bgroup\let\y\x\def\x{local} %s \egroup",
    "an environment": r"\begin{center}\def\x{local} %s \end{center}",
    "nested groups": r"\begin{center}{\def\x{local}\begin{quote} %s \end{quote}}\end{center}",
    "a macro's environment": r"\def\bc{\begin{center}}\def\ec{\end{center}}"
    r"\bc\def\x{local} %s \ec",
    "a macro that defines": r"\def\set#1{\def\x{#1}}{\set{local} %s }",
    "after a command": r"{\bfseries\small {\def\x{local} %s }}",
    "an unfinished paragraph": "\\section{One}\n{\\def\\x{local}\n\n%s\n\n}",
}


@pytest.mark.parametrize("name", GROUPS)
def test_a_local_definition_affects_what_uses_it_in_its_group(
    affected: Affected, name: str
) -> None:
    before = PAPER % (GROUPS[name] % INNER)
    assert set(affected(before, before.replace("local", "changed"))) == {"in"}


@pytest.mark.parametrize("name", GROUPS)
def test_a_local_definition_is_as_good_as_what_it_stands_for(affected: Affected, name: str) -> None:
    spelt = INNER.replace(r"\x", "local").replace(r"\use", "<local>")
    assert affected(PAPER % (GROUPS[name] % INNER), PAPER % spelt) == {}


@pytest.mark.parametrize("name", GROUPS)
def test_an_outer_definition_affects_what_lies_outside_of_the_group(
    affected: Affected, name: str
) -> None:
    before = PAPER % (GROUPS[name] % INNER)
    assert set(affected(before, before.replace("{outer}", "{other}"))) == {"before", "after"}


def test_a_definition_in_a_proof_holds_from_its_place_to_the_end_of_the_proof(
    paper: Callable[..., PaperState],
) -> None:
    body = r"""\begin{lemma} \x \end{lemma}
    \begin{proof} Three \x, \def\x{local} four \x. \begin{claim} Five \x. \end{claim}
    \begin{proof} Six \x. \end{proof} \end{proof}"""
    texts = [bare(text) for text in paper(PAPER % body).paper.texts("main.tex")]
    assert texts[3].startswith("Three outer, four local.")
    assert texts[3].count("Five local.") == 1
    assert [texts[2], *texts[4:]] == [
        "outer",
        "Five local.",
        "Six local.",
        "Five outer.",
        "Six <outer>.",
    ]


def test_a_global_definition_affects_all_that_follows(affected: Affected) -> None:
    before = PAPER % r"\begin{center}\global\def\x{everywhere}\end{center}"
    found = affected(before, before.replace("everywhere", "changed"))
    assert set(found) == {"after"}


def test_an_environment_of_the_paper_may_define(affected: Affected) -> None:
    before = PAPER % (rf"\begin{{shielded}} {INNER} \end{{shielded}}")
    assert set(affected(before, before.replace("shield}}", "changed}}"))) == {"in"}
    assert set(affected(before, before.replace("{outer}", "{other}"))) == {"before", "after"}


def test_a_file_read_in_inside_of_a_group_defines_in_that_group(affected: Affected) -> None:
    body = PAPER % (rf"\begin{{center}}\input{{local}} {INNER} \end{{center}}")
    before = {"main.tex": body, "local.tex": r"\renewcommand{\x}{local}"}
    after = before | {"local.tex": r"\renewcommand{\x}{changed}"}
    assert set(affected(before, after)) == {"in"}


def test_cutting_a_group_into_files_affects_nothing(affected: Affected) -> None:
    remark = r"\begin{remark}\label{r} \x \end{remark}"
    body = PAPER % (rf"{{\def\x{{local}} {INNER} }} {remark}")
    cut = body.index(r"\begin{lemma}\label{in}")
    files = {"main.tex": body[:cut] + r"\input{rest}", "rest.tex": body[cut:]}
    assert affected(body, files) == {}
    inner = {"main.tex": body.replace(INNER, r"\input{inner}"), "inner.tex": INNER}
    assert affected(body, inner) == {}


def test_what_is_defined_in_one_proof_makes_nothing_active_in_another(affected: Affected) -> None:
    one = r"""\begin{lemma}\label{%s} Three. \end{lemma}
    \begin{proof} \def\y{%s} Four \y{} \use. \end{proof}"""
    before = PAPER % (one % ("a", "y") + one % ("b", "z"))
    for body in (r"see \cref{before}", r"a \y", r"\begin{center}c\end{center}", r"\use\x"):
        after = PAPER % (one % ("a", body) + one % ("b", "z"))
        assert set(affected(before, after)) == {"a"}
        assert set(affected(after, before)) == {"a"}


def test_an_environment_defined_anew_in_a_group_stays_outside_of_it_what_it_was(
    paper: Callable[..., PaperState],
) -> None:
    body = r"""\newenvironment{fact}{\begin{lemma}}{\end{lemma}} %s
    \begin{fact} One. \end{fact} \begin{proof} Two. \end{proof}"""
    local = r"\begin{center}\renewenvironment{fact}{\begin{remark}}{\end{remark}}\end{center}"
    plain, shadowed = (paper(body % text).document.modules for text in ("", local))
    assert [module.kind for module in shadowed.values()] == ["lemma"]
    assert [module.kind for module in plain.values()] == ["lemma"]


DOCUMENT = r"\documentclass{article}\newtheorem{lemma}{Lemma}\begin{document}%s\end{document}"
EDITS = (("", ""), ("local", "changed"), ("{outer}", "{other}"), (r"\use.", r"\x."))


@pytest.mark.parametrize("name", GROUPS)
def test_warm_caches_find_what_cold_ones_find(tmp_path: Path, name: str) -> None:
    warm, known = ParseCache(MemoryCache()), None
    for edit in EDITS:
        body = (PAPER % (GROUPS[name] % INNER)).replace(*edit)
        (tmp_path / "main.tex").write_text(DOCUMENT % body, encoding="utf-8")
        found = [
            discover.discover_papers(snapshot.from_folder(tmp_path), parse_cache).papers[0]
            for parse_cache in (warm, ParseCache(MemoryCache()))
        ]
        now, fresh = build_paper_state(found[0], known), build_paper_state(found[1])
        assert found[0].readings == found[1].readings
        assert found[0].texts("main.tex") == found[1].texts("main.tex")
        assert now.document == fresh.document
        known = now
