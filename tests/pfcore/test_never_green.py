"""Ways to be green without having looked: each is named first, and none of them passes."""

import errno
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hooks import offline
from pfcore.cli.exit_status import pf_command
from pfcore.cli.main import main
from pfcore.graph import rendering
from pfcore.graph.building.resolve import Resolver
from pfcore.latex.blocks.canonical import Canonicaliser
from pfcore.latex.language import terms
from pfcore.latex.language.binding import NeedFinder
from pfcore.latex.project import survey

LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
GOOD = LEMMA % ("a", "A", "Clear.") + LEMMA % ("b", "B", r"By \ref{a}.")
BAD = GOOD.replace(r"By \ref{a}", r"By \ref{no}")
NOTATION = (
    "\\newtheorem{notation}{Notation}",
    "\\begin{notation}The value of a map $\\rho\\colon X\\to Y$ at $t$ is denoted $\\rho(t)$."
    "\\end{notation}\n",
)


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it said."""

    status: int
    out: str
    err: str

    @property
    def first(self) -> str:
        """The first line of its output."""
        return self.out.split("\n", 1)[0]

    @property
    def left(self) -> str:
        """The first line, and what is said of what was not looked at, read or found."""
        heads = ("Not everything", "No theorems", "Not looked at", "Not read")
        verdicts = ("  passes", "  does not pass")
        told = [
            line
            for line in self.out.split("\n")[1:]
            if line.startswith(heads) or any(verdict in line for verdict in verdicts)
        ]
        return "\n".join([self.first, *told])


@dataclass(frozen=True)
class Desk:
    """A repository, and the commands in it."""

    root: Path
    capsys: Any
    article: Callable[..., str]

    def write(self, files: Mapping[str, str | bytes]) -> "Desk":
        for name, text in files.items():
            place = self.root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    def commit(self, files: Mapping[str, str | bytes] | None = None) -> "Desk":
        self.write(files or {})
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a change")
        return self

    def git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True)

    def pf(self, *words: str) -> Said:
        return self._said(main(words))

    def hook(self, *words: str) -> Said:
        self.git("add", "--all")
        return self._said(offline.main(words))

    def _said(self, status: int) -> Said:
        out, err = self.capsys.readouterr()
        return Said(status, out, err)


@pytest.fixture
def desk(tmp_path, monkeypatch, capsys, document):
    root = tmp_path / "paper"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.setenv("PF_JOBS", "1")
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    made = Desk(root, capsys, document)
    made.git("init", "--quiet", "--initial-branch=main")
    return made


@pytest.fixture
def paper(desk):
    """A sound paper of two lemmas, committed."""
    return desk.commit({"main.tex": desk.article(GOOD)})


# ---- what a block, a definition, a file does to the front end costs that alone

DOORS = (("check", "--all"), ("plan",), ("graph",), ("check", "--all", "--format", "json"))


@pytest.mark.parametrize("words", DOORS, ids=" ".join)
@pytest.mark.parametrize("kind", ["notation", "definition"])
def test_a_letter_with_arguments_that_a_definition_takes_as_its_map(desk, words, kind):
    text = NOTATION[1].replace("notation}", f"{kind}}}")
    preamble = NOTATION[0] if kind == "notation" else ""
    desk.commit({"main.tex": desk.article(text + BAD, preamble=preamble)})
    said = desk.pf(*words)
    assert said.status == (1 if words[0] == "check" else 0)
    assert said.err == ""


def test_such_a_definition_does_not_stop_a_commit(paper):
    paper.write({"main.tex": paper.article(NOTATION[1] + GOOD, preamble=NOTATION[0])})
    assert paper.hook().status == 0


class BrokenError(Exception):
    """A fault that nobody foresaw."""


def _breaks(monkeypatch, owner, name, is_met):
    whole = getattr(owner, name)

    def run(*words, **more):
        if is_met(*words, **more):
            raise BrokenError("x")
        return whole(*words, **more)

    monkeypatch.setattr(owner, name, run)


def _says(text: str, word: str = "A lemma") -> bool:
    return word in text


STEPS: dict[str, tuple[Any, str, Callable[..., bool]]] = {
    "rendering": (
        Canonicaliser,
        "block",
        lambda self, parts, **_: any(
            not isinstance(part, str) and "A." in self._view.text[slice(*part)] for part in parts
        ),
    ),
    "words": (terms, "vocabulary", lambda text: "A." in text),
    "terms": (NeedFinder, "of", lambda self, text: "A." in text),
    "references": (
        Resolver,
        "_targets",
        lambda self, mention, module, passage: module.id == "b",
    ),
    "uses": (Resolver, "_terms", lambda self, used, module: module.id in ("a", "b")),
}
TERM = "\\begin{definition} A set is \\emph{tame} if $x$.\\end{definition}\n"


READING = ("rendering", "words")
"""The steps that a check of the structure needs of every block."""


@pytest.mark.parametrize(
    ("words", "step"),
    [
        *((("check", "--all"), step) for step in READING),
        *((words, step) for words in (("graph", "--format", "json"), ("plan",)) for step in STEPS),
    ],
)
def test_a_fault_costs_one_block_which_is_named(desk, contained, monkeypatch, step, words):
    body = TERM + GOOD.replace("A.", "A. tame").replace("B.", "B. tame")
    desk.commit({"main.tex": desk.article(body)})
    _breaks(monkeypatch, *STEPS[step])
    if words == ("plan",):
        desk.write({"main.tex": desk.article(body.replace("Clear.", "Sure.").replace("By", "Of"))})
    said = desk.pf(*words)
    assert said.status == 3
    if words == ("check", "--all"):
        assert "lemma at main.tex:" in said.left or "proof at main.tex:" in said.left
        assert "warning  main.tex:" in said.out and "[unread-block " in said.out
    if "json" in words:
        found = json.loads(said.out)
        assert {item["id"] for item in found["modules"]} >= {"a", "b"}
        lost = [item for item in found["not_looked_at"] if item["is_failure"]]
        assert {item["kind"] for item in lost} == {"block"}
        assert all(item["file"] == "main.tex" and item["line"] for item in lost)


def test_the_other_blocks_are_reported(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article(BAD)})
    _breaks(monkeypatch, *STEPS["rendering"])
    said = desk.pf("check", "--all")
    assert said.status == 1  # what was found counts before what could not be looked at
    assert "dangling-reference" in said.out and "lemma at main.tex:8" in said.left


def test_a_block_that_could_not_be_read_has_no_verdict(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article(GOOD)})
    _breaks(monkeypatch, *STEPS["rendering"])
    found = json.loads(desk.pf("check", "--all", "--format", "json").out)
    reasons = {item["module"]: item["reason"] for item in found["unreached"]}
    assert reasons["a"].startswith("pf-verify could not read it (please report this): ")
    assert found["statuses"]["a"] == "unreached"


def test_a_fault_is_not_remembered_once_it_is_mended(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article(GOOD)})
    with monkeypatch.context() as patch:
        _breaks(patch, *STEPS["rendering"])
        assert desk.pf("check", "--all").status == 3
    assert desk.pf("check", "--all").status == 0


def test_an_edit_of_a_block_that_cannot_be_read_is_seen(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article(GOOD)})
    _breaks(monkeypatch, *STEPS["rendering"])
    desk.write({"main.tex": desk.article(GOOD.replace("A.", "A. Else."))})
    found = json.loads(desk.pf("plan", "--format", "json").out)
    assert {item["id"] for item in found["affected"]} == {"a", "b"}


def test_a_context_that_cannot_be_made_is_affected_and_named(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article(GOOD)})
    desk.write({"main.tex": desk.article(GOOD.replace("Clear.", "Sure."))})
    _breaks(monkeypatch, rendering, "rendered_context", lambda document, name, texts: name == "a")
    said = desk.pf("plan")
    assert (said.status, "lemma at main.tex:8" in said.left) == (3, True)
    assert "1 affected" in said.first


def test_a_file_that_cannot_be_surveyed_is_named(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article("\\input{part}" + GOOD), "part.tex": "Words xyz."})
    _breaks(monkeypatch, survey, "mask", lambda text: "xyz" in text)
    said = desk.pf("check", "--all")
    assert said.status == 1  # the paper reads it in
    assert "part.tex (pf-verify could not read it" in said.left


def test_a_file_that_no_paper_reads_in_and_that_cannot_be_surveyed(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article(GOOD), "part.tex": "Words xyz."})
    _breaks(monkeypatch, survey, "mask", lambda text: "xyz" in text)
    assert desk.pf("check", "--all").status == 3


def test_a_file_that_cannot_be_read_makes_no_false_errors(desk, contained, monkeypatch):
    from pfcore.latex import reader

    text = {"main.tex": desk.article("\\input{part}" + LEMMA % ("c", "C", r"By \ref{p}."))}
    desk.commit(text | {"part.tex": LEMMA % ("p", "P", "xyz")})
    _breaks(monkeypatch, reader, "grow", lambda listed, how, size: size < 200)
    said = desk.pf("check", "--all")
    assert (said.status, "file at part.tex" in said.left) == (3, True)
    assert "dangling" not in said.out


def test_numbers_that_cannot_be_worked_out_are_named(desk, contained, monkeypatch):
    from pfcore.latex.numbering import simulate

    desk.commit({"main.tex": desk.article(GOOD)})
    _breaks(monkeypatch, simulate, "simulate", lambda *_args, **_more: True)
    said = desk.pf("graph", "--format", "json")
    assert said.status == 3
    assert "the numbers of results" in said.out


def test_a_check_that_fails_is_named_and_the_others_run(desk, contained, monkeypatch):
    from pfcore.checks import argument

    desk.commit({"main.tex": desk.article(GOOD)})
    _breaks(monkeypatch, argument, "certain_cycles", lambda *_: True)
    said = desk.pf("check", "--all")
    assert (said.status, "check cycle" in said.left) == (3, True)


def test_a_paper_that_fails_as_a_whole_leaves_the_others(desk, contained, monkeypatch):
    from pfcore.graph.building import assemble

    desk.commit({"one.tex": desk.article(GOOD), "two.tex": desk.article(BAD)})
    _breaks(monkeypatch, assemble, "draft", lambda outline, *_: outline.root == "one.tex")
    said = desk.pf("check", "--all")
    assert "one.tex (pf-verify could not read it: " in said.left
    assert "dangling-reference" in said.out
    desk.commit({"two.tex": desk.article(GOOD)})
    assert desk.pf("check", "--all").status == 3
    assert desk.pf("check", "--all", "--paper", "one.tex").status == 3
    assert desk.pf("check", "--all", "one.tex").status == 3
    assert desk.pf("check", "--all", "two.tex").status == 0


def test_the_gate_passes_no_paper_that_could_not_be_read(desk, contained, monkeypatch):
    from pfcore.graph.building import assemble

    desk.commit({"one.tex": desk.article(GOOD), "two.tex": desk.article(GOOD)})
    _breaks(monkeypatch, assemble, "draft", lambda outline, *_: outline.root == "one.tex")
    assert desk.pf("gate", "--allow-unread").status == 3
    _breaks(monkeypatch, assemble, "draft", lambda outline, *_: True)
    assert desk.pf("gate", "--allow-unread").status == 3


def test_the_gate_passes_no_block_that_could_not_be_read(desk, contained, monkeypatch):
    desk.commit({"main.tex": desk.article(GOOD)})
    assert desk.pf("gate", "--allow-unread").status == 0
    _breaks(monkeypatch, *STEPS["rendering"])
    monkeypatch.setenv("PF_CACHE_DIR", str(desk.root.parent / "other"))
    said = desk.pf("gate", "--allow-unread")
    assert (said.status, "lemma at main.tex:8" in said.left) == (3, True)


def test_the_hook_names_what_it_could_not_look_at(paper, contained, monkeypatch):
    _breaks(monkeypatch, *STEPS["rendering"])
    paper.write({"main.tex": paper.article(GOOD.replace("Clear.", "Sure."))})
    said = paper.hook()
    assert (said.status, "lemma at main.tex:8" in said.left) == (3, True)


# ---- papers, files and folders that nobody reviews

INTRO = {
    "intro.tex": "Words.\n",
    "one.tex": "\\input{intro}" + GOOD,
    "two.tex": "\\input{intro}" + BAD.replace("{a}", "{x}").replace("{b}", "{y}"),
}


def test_an_article_that_shares_an_introduction_is_reviewed(desk):
    desk.commit({name: desk.article(text) if "lemma" in text else text
                 for name, text in INTRO.items()})  # fmt: skip
    said = desk.pf("check", "--all")
    assert (said.status, said.first[:8]) == (1, "2 papers")
    assert "two.tex" in said.out and "dangling-reference" in said.out


def test_a_document_with_the_same_results_is_left_aside_and_named(desk):
    text = {"a.tex": desk.article("\\input{body}"), "b.tex": desk.article("\\input{body}")}
    desk.commit(text | {"body.tex": GOOD})
    said = desk.pf("check", "--all")
    assert said.status == 0
    assert "b.tex (same results as a.tex)" in said.left
    hint = "To review b.tex instead of a.tex, add to pf.toml:"
    assert f'{hint}\n  [[paper]]\n  name = "b"\n  root = "b.tex"\n' in said.out


def test_a_document_that_states_nothing_has_not_the_results_of_another(desk):
    cover = desk.article("\\input{title}")
    whole = "\\PassOptionsToClass{final}{article}\n\\input main\n"
    desk.commit({"main.tex": desk.article("\\input{title}\\input{one}"), "title.tex": "\\maketitle",
                 "front.tex": cover, "final.tex": whole, "one.tex": GOOD})  # fmt: skip
    said = desk.pf("check", "--all")
    assert "final.tex (same results as main.tex), front.tex (no results found)" in said.left
    assert "To review final.tex instead of main.tex, add to pf.toml:" in said.out
    desk.write({"pf.toml": '[[paper]]\nname = "final"\nroot = "final.tex"\n'})
    assert "2 results" in desk.pf("check", "--all").out


def test_two_documents_with_one_file_of_results_are_one_paper(desk):
    authors = "\\icmltitle{Sums}\\begin{icmlauthorlist}\\icmlauthor{A. B}{x}\\end{icmlauthorlist}"
    files = {
        "main.tex": "\\title{Sums}\\maketitle\\input{body}",
        "icml.tex": authors + "\\input{body}",
    }
    desk.commit({name: desk.article(text) for name, text in files.items()} | {"body.tex": GOOD})
    said = desk.pf("check", "--all")
    assert "icml.tex (same results as main.tex)" in said.left
    assert said.first.startswith("Sums  main.tex")
    desk.commit(
        {"icml.tex": desk.article(authors + "\\input{body}" + LEMMA % ("c", "C", "Clear."))}
    )
    assert desk.pf("check", "--all").first == "2 papers"


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"old/main.tex": BAD}, "old/main.tex (old copy)"),
        ({"talk.tex": BAD.replace("A", "C")}, "talk.tex (slides)"),
        ({"letter.tex": BAD}, "letter.tex (document class letter)"),
    ],
)
def test_a_dropped_document_is_named_first(desk, files, named):
    classes = {"talk.tex": "beamer", "letter.tex": "letter"}
    others = {
        name: desk.article(text).replace("{article}", f"{{{classes.get(name, 'article')}}}")
        for name, text in files.items()
    }
    desk.commit({"main.tex": desk.article(GOOD), **others})
    for words in (("check", "--all"), ("plan",), ("graph",)):
        assert named in desk.pf(*words).left
    (name,) = files
    said = desk.pf("check", "--all", name)
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"pf: {name} was not reviewed: {named}")


def test_results_that_no_document_reads_in_are_named(desk):
    desk.commit({"main.tex": desk.article(GOOD), "rest.tex": BAD})
    assert "rest.tex (no document includes it)" in desk.pf("check", "--all").left
    said = desk.pf("check", "--all", "rest.tex")
    assert (said.status, "no document" in said.err) == (2, True)


def test_a_paper_that_settings_leave_out_is_named(desk):
    settings = '[[paper]]\nname = "one"\nroot = "one.tex"\n'
    desk.commit({"one.tex": desk.article(GOOD), "two.tex": desk.article(BAD), "pf.toml": settings})
    assert "two.tex (not named in pf.toml)" in desk.pf("check", "--all").left


@pytest.mark.parametrize("name", ["refs.bib", "lean", "lean/a.lean", "loose.tex", "notes"])
def test_what_belongs_to_no_paper_is_an_error_and_not_another_papers_review(paper, name):
    paper.commit({"refs.bib": "@book{a}", "lean/a.lean": "def a := 1", "notes/x.md": "x",
                  "loose.tex": "Words."})  # fmt: skip
    for command in ("check", "plan", "graph"):
        said = paper.pf(command, name)
        assert (said.status, said.out) == (2, ""), command
        assert said.err.startswith("pf: ") and name in said.err and "main.tex" in said.err


def test_a_folder_that_a_paper_reads_from_means_that_paper(desk):
    desk.commit({"main.tex": desk.article("\\input{parts/one}"), "parts/one.tex": BAD})
    assert desk.pf("check", "--all", "parts").status == 1
    assert desk.pf("check", "--all", "parts/one.tex").status == 1


def test_standing_in_a_folder_without_a_paper_is_not_naming_it(paper, monkeypatch):
    paper.commit({"lean/a.lean": "def a := 1"})
    monkeypatch.chdir(paper.root / "lean")
    assert paper.pf("check").status == 0


def test_other_papers_are_no_concern_of_the_one_that_is_named(desk):
    desk.commit({"a/main.tex": desk.article(GOOD), "b/main.tex": desk.article(BAD),
                 "old/main.tex": desk.article(GOOD), "b/x.tex": b"\0" * 50})  # fmt: skip
    said = desk.pf("check", "--all", "a")
    assert (said.status, "old" in said.out, "x.tex" in said.out) == (0, False, False)
    assert desk.pf("check", "--all").status == 1


EMPTY = {"errata.tex": "\\documentclass{article}\\begin{document}Words.\\end{document}\n"}


@pytest.mark.parametrize(
    "words",
    [("check",), ("check", "--all"), ("plan",), ("graph",), ("report",),
     ("gate", "--allow-unread"), ("check", "errata.tex")],
    ids=" ".join,
)  # fmt: skip
def test_a_folder_without_results_is_no_pass(desk, words):
    desk.commit(EMPTY)
    assert desk.pf(*words).status == 3


def test_a_commit_in_a_paper_without_results_passes_with_a_sentence(desk):
    desk.commit(EMPTY)
    desk.write({"errata.tex": EMPTY["errata.tex"].replace("Words", "More")})
    assert (said := desk.hook()).status == 0
    assert said.first == "errata.tex: no results found"


def test_an_input_from_a_submodule_is_no_pass(desk, tmp_path):
    inner = Desk(tmp_path / "inner", desk.capsys, desk.article)
    inner.root.mkdir()
    inner.git("init", "--quiet")
    inner.commit({"body.tex": BAD})
    desk.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    desk.commit({"main.tex": desk.article("\\input{sub/body}" + GOOD)})
    said = desk.pf("check", "--all")
    assert said.status == 1
    assert "sub/body.tex:1" in said.out
    desk.git("submodule", "deinit", "-q", "--force", "sub")
    said = desk.pf("check", "--all")
    assert said.status in (1, 3)
    assert "sub (submodule not checked out" in said.out


# ---- statements and proofs by other names, and behind macros

CERTAIN = re.compile(r"(?<!possibly )circular argument")
CYCLE = LEMMA % ("a", "A", r"By Lemma \ref{b}.") + LEMMA % ("b", "B", r"By Lemma \ref{a}.")


@pytest.mark.parametrize(
    ("kind", "proof"),
    [("lemma", "IEEEproof"), ("lemma", "Beweis"), ("Satz", "Beweis"), ("Lemma", "Proof"),
     ("Thm", "Prf"), ("korollar", "bew"), ("lemme", "preuve")],
)  # fmt: skip
def test_environments_that_a_class_brings_count_by_their_names(desk, kind, proof):
    text = CYCLE.replace("{lemma}", f"{{{kind}}}").replace("{proof}", f"{{{proof}}}")
    desk.commit({"main.tex": desk.article(text)})
    said = desk.pf("check", "--all")
    assert "\nNot read       2 proofs: no model is set (" in said.left
    assert CERTAIN.search(said.out)


def test_proofs_of_nothing_are_proofs_that_nobody_read(desk):
    desk.commit({"main.tex": desk.article(GOOD + "Some words.\\begin{proof} P. \\end{proof}")})
    left = desk.pf("check", "--all").left
    assert "Not looked at  1 unattached proof\n" in left
    assert "Not read       2 proofs: no model is set (" in left


@pytest.mark.parametrize("links", [4, 8, 14, 19])
def test_a_long_chain_of_macros_hides_nothing(desk, links):
    names = [rf"\m{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(links)]
    chain = "".join(
        f"\\newcommand{{{one}}}{{{other}}}\n" for one, other in itertools.pairwise(names)
    )
    last = f"\\newcommand{{{names[-1]}}}{{{CYCLE}}}\n"
    desk.commit({"main.tex": desk.article(names[0], preamble=chain + last)})
    said = desk.pf("check", "--all")
    assert CERTAIN.search(said.out)


def test_what_stands_under_a_condition_that_always_holds_is_certain(desk):
    desk.commit({"main.tex": desk.article(r"\iftrue " + CYCLE + "\\fi")})
    assert CERTAIN.search(desk.pf("check", "--all").out)
    desk.commit({"main.tex": desk.article(r"\ifdef{\full}{" + CYCLE + "}{}")})
    assert "circular argument" not in desk.pf("check", "--all").out


# ---- files that are read in and not followed


@pytest.mark.parametrize(
    ("text", "named", "how"),
    [
        ("\\input{sec.txt}", "sec.txt", "not followed"),
        ("\\input{chap.1}", "chap.1", "not found"),
        ("\\newcommand{\\sect}[1]{\\input{parts/#1}}\\sect{gone}", "parts/gone", "not found"),
        ("\\input{\\dir/part}", "\\dir/part", "not followed"),
        ("\\iffoo\\input{gone}\\fi", "gone", "not found"),
        ("\\input{gone}", "gone", "not found"),
    ],
)
def test_what_is_read_in_and_not_followed_is_named_first(desk, text, named, how):
    desk.commit({"main.tex": desk.article(text + GOOD), "sec.txt": BAD})
    assert f"{named} (included at main.tex:8, {how})" in desk.pf("check", "--all").left


@pytest.mark.parametrize(
    ("named", "how"),
    [
        ("version", "not in the repository"),
        ("../macros.tex", "not in the repository"),
        ("\\job-settings.tex", "not followed"),
        ("../.lake/build/blueprint/A", "not found: lake build :blueprint generates it"),
    ],
)
def test_what_a_preamble_reads_in_is_named_with_the_reason(desk, named, how):
    start = "\\begin{document}"
    text = desk.article(GOOD).replace(start, f"\\input{{{named}}}\n{start}")
    desk.commit({"main.tex": text})
    left = desk.pf("check", "--all").left
    assert f"{named} (included at main.tex:" in left and f", {how})" in left


def test_a_blueprint_that_was_not_built_is_no_pass_beside_another_paper(desk):
    web = r"\documentclass{article}\input{../../.lake/build/blueprint/library/A}"
    web += r"\begin{document}Nothing yet.\end{document}"
    desk.commit({"main.tex": desk.article(GOOD), "blueprint/src/web.tex": web})
    said = desk.pf("check", "--all")
    assert (said.status, "lake build :blueprint" in said.left) == (3, True), said.out
    assert desk.pf("check", "--all", "main.tex").status == 0


def test_what_lean_has_written_of_a_blueprint_is_read_in_the_working_tree_alone(desk):
    made = desk.root / ".lake/build/blueprint"
    text = desk.article(GOOD + f"\\input{{{made}/library/A}}")
    desk.commit({"main.tex": text, ".gitignore": ".lake"})
    desk.write({".lake/build/blueprint/library/A.tex": f"\\input{{{made}/module/A}}"})
    desk.write({".lake/build/blueprint/module/A.tex": BAD})
    desk.write({".lake/build/blueprint/module/B.tex": BAD})
    assert "blueprint" not in desk.pf("check", "--all").left
    left = desk.pf("check", "--base", "HEAD", "--head", "HEAD").left
    assert "not committed: lake build :blueprint generates it" in left


@pytest.mark.parametrize(
    "settings", ['disable = ["missing-file"]', 'severity = { missing-file = "note" }']
)
def test_settings_do_not_hide_that_a_file_is_missing(desk, settings):
    text = desk.article(r"\input{gone}" + GOOD)
    desk.commit({"main.tex": text, "pf.toml": f"[checks]\n{settings}\n"})
    assert "gone (included at main.tex:8" in desk.pf("check", "--all").left


def test_neither_does_its_age(desk):
    desk.commit({"main.tex": desk.article(r"\input{gone}" + GOOD)})
    desk.write({"main.tex": desk.article(r"\input{gone}" + GOOD.replace("Clear", "Sure"))})
    assert "gone (included at main.tex:8" in desk.pf("check").left


def test_an_extension_in_capitals_is_one(desk):
    desk.commit({"main.tex": desk.article(r"\input{sec.TEX}" + GOOD), "sec.TEX": CYCLE.replace(
        "{a}", "{x}").replace("{b}", "{y}"), "two.TEX": desk.article(BAD)})  # fmt: skip
    said = desk.pf("check", "--all")
    assert (said.status, said.first[:8]) == (1, "2 papers")
    assert "circular" in said.out and "two.TEX" in said.out


@pytest.mark.parametrize("name", ["supp.Rnw", "supp.tex.in", "supp.lhs"])
def test_what_a_program_makes_into_latex_is_named(desk, name):
    desk.commit({"main.tex": desk.article(GOOD), name: desk.article(BAD)})
    assert f"{name} (LaTeX is generated from this file" in desk.pf("check", "--all").left


def test_a_repository_inside_is_named(desk, tmp_path):
    inner = Desk(tmp_path / "inner", desk.capsys, desk.article)
    inner.root.mkdir()
    inner.git("init", "--quiet")
    inner.commit({"body.tex": desk.article(BAD)})
    desk.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner.root), "sub")
    desk.commit({"main.tex": desk.article(GOOD)})
    assert "sub (submodule, reviewed in" in desk.pf("check", "--all").left


def test_a_pointer_of_lfs_is_no_text(desk):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    desk.commit({"main.tex": desk.article(r"\input{sec}" + GOOD), "sec.tex": pointer})
    said = desk.pf("check", "--all")
    assert (said.status, "sec.tex (a Git LFS pointer" in said.left) == (1, True)


@pytest.mark.parametrize("option", ["--assume-unchanged", "--skip-worktree"])
def test_what_git_was_told_not_to_look_at_is_looked_at(paper, option):
    paper.git("update-index", option, "main.tex")
    paper.write({"main.tex": paper.article(BAD)})
    assert paper.pf("check").status == 1
    assert paper.pf("check", "--all").status == 1


# ---- what settings switch off


def test_checks_that_are_switched_off_are_counted_first(desk):
    desk.commit({"main.tex": desk.article(BAD), "pf.toml": "[checks]\ndisable = "
                 '["dangling-reference", "cycle"]\n'})  # fmt: skip
    said = desk.pf("check", "--all")
    assert (said.status, "2 disabled checks" in said.left) == (0, True)


def test_files_that_settings_ignore_are_counted_first(desk):
    settings = '[latex]\nignore = ["old/*"]\n'
    desk.commit({"main.tex": desk.article(GOOD), "old/a.tex": BAD, "pf.toml": settings})
    assert "1 ignored file" in desk.pf("check", "--all").left


def test_the_hook_says_so_where_all_is_ignored(paper):
    paper.write({"pf.toml": '[latex]\nignore = ["*"]\n', "main.tex": paper.article(BAD)})
    assert paper.hook().out == "pf-verify: pf.toml ignores every LaTeX file here\n"
    assert paper.pf("check").status == 2


# ---- the output itself


def test_a_format_without_room_for_it_says_it_beside(desk):
    desk.commit({"main.tex": desk.article(GOOD), "rest.tex": BAD})
    said = desk.pf("check", "--all", "--format", "rdjsonl")
    assert said.out == ""
    assert said.err == "pf: not looked at: rest.tex (no document includes it); not read: 2 proofs\n"


@pytest.mark.parametrize("error", [BrokenPipeError(), OSError(errno.ENOSPC, "No space left")])
def test_what_nobody_could_be_told_is_no_pass(paper, monkeypatch, error):
    def full(text):
        raise error

    monkeypatch.setattr("pfcore.cli.options.say", full)
    monkeypatch.setattr("sys.stdout", sys.stdout)  # what stands in for it ends with the test
    assert main(["check", "--all"]) == 3
    sys.stdout.close()
    assert "Traceback" not in paper.capsys.readouterr().err


def test_the_gate_passes_no_ledger_that_is_a_link(paper):
    (paper.root / "pf.lock").symlink_to("/nowhere/pf.lock")
    paper.commit()
    assert paper.pf("gate", "--allow-unread").status == 3


# ---- files that cannot be read


def test_a_file_that_cannot_be_read_is_named_and_no_pass(paper):
    paper.commit({"rest.tex": b"\0" * 50})
    said = paper.pf("check", "--all")
    assert said.status == 3
    assert "rest.tex (binary file (NUL bytes), perhaps UTF-16: save it as UTF-8)" in " ".join(
        said.left.split()
    )


def test_one_that_could_not_be_read_before_either_is_named(paper):
    paper.commit({"rest.tex": b"\0" * 50})
    paper.write({"main.tex": paper.article(GOOD.replace("Clear.", "Sure."))})
    said = paper.pf("check")
    assert (said.status, "rest.tex (" in said.left) == (0, True)
    assert "rest.tex" not in paper.hook().out


def test_one_that_settings_ignore_is_not_expected(paper):
    paper.commit({"rest.tex": b"\0" * 50, "pf.toml": '[latex]\nignore = ["rest.tex"]\n'})
    said = paper.pf("check", "--all")
    assert (said.status, "rest.tex" in said.out) == (0, False)


def test_a_link_that_no_paper_reads_in_is_not_worth_a_word(paper):
    (paper.root / "other.tex").symlink_to("main.tex")
    paper.commit()
    assert "other.tex" not in paper.pf("check", "--all").out


def test_a_link_that_a_paper_reads_in_is_an_error(paper):
    (paper.root / "part.tex").symlink_to("/nowhere/part.tex")
    paper.commit({"main.tex": paper.article("\\input{part}" + GOOD)})
    assert paper.pf("check", "--all").status == 1


# ---- settings do not choose what is compared

SETTINGS = '[[paper]]\nname = "main"\nroot = "main.tex"\n'


@pytest.mark.parametrize(
    "files",
    [{"pf.toml": SETTINGS}, {"pf.toml": "[checks]\n"}, {"pf.lock": "\n"}],
    ids=["names the root", "checks", "ledger"],
)
def test_an_untracked_or_changed_setting_does_not_make_errors_old(desk, files):
    desk.commit({"main.tex": desk.article(BAD)})
    assert desk.pf("check").status == 1
    desk.write(files)
    assert desk.pf("check").status == 1
    desk.commit()
    desk.write({name: text + "\n# more\n" for name, text in files.items()})
    assert desk.pf("check").status == 1


def test_a_name_that_settings_give_does_not_make_a_paper_new(paper):
    paper.write({"pf.toml": SETTINGS, "main.tex": paper.article(GOOD.replace("Clear", "Sure"))})
    assert "Lemma 1 edited" in paper.pf("check").out


# ---- --locked

UNREADABLE = {
    "a conflict": "<<<<<<< HEAD\n",
    "no json": "verdict\n",
    "binary": b"\0\0\0",
    "another schema": '{"schema":99,"kind":"entry"}\n',
}


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize("edit", ["a comment", "nothing", "a proof"])
def test_locked_fails_with_a_ledger_that_cannot_be_read(paper, name, edit):
    paper.commit({"pf.lock": UNREADABLE[name]})
    new = {"a comment": "Clear. % so", "nothing": "Clear.", "a proof": "Sure."}[edit]
    paper.write({"main.tex": paper.article(GOOD.replace("Clear.", f"{new}\n"))})
    said = paper.pf("check", "--locked")
    assert said.status == 1
    assert "pf.lock" in said.err


@pytest.mark.parametrize("name", UNREADABLE)
@pytest.mark.parametrize("path", ["main.tex", "README"])
def test_the_locked_hook_fails_with_it_whatever_was_edited(paper, name, path):
    paper.commit({"pf.lock": UNREADABLE[name], "README": "Words"})
    more = "% so\n" if path == "main.tex" else "More\n"
    place = paper.root / path
    place.write_text(place.read_text() + more)
    said = paper.hook("--locked")
    assert (said.status, "pf.lock" in said.out) == (1, True)


def test_a_link_in_place_of_a_ledger_fails_too(paper):
    (paper.root / "pf.lock").symlink_to("/nowhere/pf.lock")
    paper.commit()
    assert paper.pf("check", "--locked").status == 1


def test_an_unreadable_ledger_is_named_first_where_it_is_not_asked_for(paper):
    paper.commit({"pf.lock": UNREADABLE["no json"]})
    assert "1 unreadable line of pf.lock" in paper.pf("check", "--all").left


# ---- words


def test_no_zero_stands_where_nothing_was_read(paper):
    said = paper.pf("check", "--all")
    assert said.status == 0
    assert "\nNot read       2 proofs: no model is set (" in said.left
    assert not re.search(r"(?<!\d)0 [a-z]", said.out)
    assert "No structural check found a problem in 2 results; no proof was read." in said.out


def test_unresolved_references_are_counted_first_even_where_they_are_no_finding(desk):
    body = GOOD.replace(r"By \ref{a}", r"By \ref{x-1} and \ref{\what}")
    text = desk.article(body, preamble="\\usepackage{xr}\\externaldocument[x-]{other}")
    desk.commit({"main.tex": text})
    said = desk.pf("check", "--all")
    assert "2 unresolved references (main.tex:11)" in said.left


def test_each_unresolved_reference_is_named_with_its_place(desk):
    own = "\\usepackage{xr}\\externaldocument[x-]{other}\\newcommandx*\\no[1]{\\ref{x-#1}}"
    body = GOOD + "By \\ref{x-1},\n\\ref{x-2} and \\ref{x-1}.\n\\input{more}"
    files = {"main.tex": desk.article(body, preamble=own), "more.tex": "See \\ref{x-3}."}
    hooked = desk.write(files).hook()
    assert "4 unresolved references (first at main.tex:12)" in hooked.out + hooked.err
    desk.commit()
    places = "4 unresolved references (main.tex:12, 13; more.tex:1)"
    assert places in desk.pf("check", "--all", "-v").left
    listed = json.loads(desk.pf("check", "--all", "--format", "json").out)["not_looked_at"]
    found = [item for item in listed if item["kind"] == "reference"]
    assert [(item["file"], item["line"], item["count"]) for item in found] == [
        ("main.tex", 12, 1), ("main.tex", 13, 2), ("more.tex", 1, 1)]  # fmt: skip


def test_the_places_of_many_references_are_cut_and_their_command_is_named(desk):
    own = "\\newcommand{\\myref}[1]{\\if\\x\\getrefbykey{#1}{name}\\y\\nameref{t-#1}\\fi}"
    lines = "".join(f"See \\myref{{n{number}}}.\n\n" for number in range(15))
    desk.commit({"main.tex": desk.article(GOOD + lines, preamble=own)})
    said = desk.pf("check", "--all").left
    assert "15 unresolved references of \\myref (main.tex:12, 14, 16, " in said
    assert ", 34 and 3 more places: -v)" in said
    assert ", 36, 38, 40)" in desk.pf("check", "--all", "-v").left
    listed = json.loads(desk.pf("check", "--all", "--format", "json").out)["not_looked_at"]
    assert len([item for item in listed if item["kind"] == "reference"]) == 15
    assert "pf.toml" not in said
    desk.commit({"main.tex": desk.article(GOOD + lines + "See \\myref{a}.", preamble=own)})
    said = desk.pf("check", "--all").left
    assert 'if \\myref takes labels, add to pf.toml: [latex] references = ["myref"]' in said
    desk.commit({"main.tex": desk.article(GOOD + "\\ref{t-1} \\myref{a}", preamble=own)})
    assert "unresolved references of" not in desk.pf("check", "--all").left


def test_references_that_latex_never_reads_are_not_counted(desk):
    own = "\\newif\\iffull\\fulltrue\\newcommand{\\drop}[1]{}\\newcommand{\\no}{\\ref{a-0}}"
    never = "\\iffull Words.\\else\\ref{a-1}\\fi\n\\drop{\\ref{a-2}} \\ifx\\a\\b\\ref{a-3}\\fi"
    desk.commit({"main.tex": desk.article(GOOD + never, preamble=own)})
    assert "1 unresolved reference (main.tex:13)" in desk.pf("check", "--all").left


def test_a_reference_to_a_label_that_the_class_sets_is_resolved(desk):
    own = (
        "\\LoadClass{article}\n\\newcommand{\\headline}{\\pageref{own@last}}\n"
        "\\AtEndDocument{\\label{own@last}}\n"
    )
    text = desk.article(GOOD + "\\headline").replace("{article}", "{own}")
    desk.commit({"main.tex": text, "own.cls": own})
    assert "unresolved reference" not in desk.pf("check", "--all").left
    desk.commit({"own.cls": own.replace("\\label{own@last}", "")})
    assert "undefined label own@last" in desk.pf("check", "--all").out


def test_a_reference_that_a_finding_names_is_not_told_again(desk):
    desk.commit({"main.tex": desk.article(GOOD + "By \\ref{x}, and \\ref{x} and \\ref{y}.")})
    said = desk.pf("check", "--all")
    assert said.status == 1 and said.out.count("undefined label") == 3
    assert "unresolved reference" not in said.out + said.err
    listed = json.loads(desk.pf("check", "--all", "--format", "json").out)["not_looked_at"]
    assert [item for item in listed if item["kind"] == "reference"] == []
    assert "unresolved reference" not in desk.pf("check", "--all", "--format", "markdown").out


def test_references_that_one_note_stands_for_are_told_as_not_looked_at(desk):
    lines = " ".join(f"\\ref{{def:{number}}}" for number in range(8))
    desk.commit({"main.tex": desk.article(GOOD + lines)})
    assert "8 unresolved references" in desk.pf("check", "--all").left
    assert "8 unresolved references" in desk.pf("check", "--all", "--format", "markdown").out


def test_references_beyond_the_findings_that_are_shown_are_not_told_again(desk):
    lines = "\n\n".join(f"By \\ref{{x{number}:y}}." for number in range(150))
    desk.commit({"main.tex": desk.article(GOOD + lines)})
    assert "unresolved reference" not in desk.pf("check", "--all").out


def test_a_reference_whose_finding_is_switched_off_is_told(desk):
    desk.commit(
        {
            "main.tex": desk.article(GOOD + "By \\ref{x}."),
            "pf.toml": '[checks]\ndisable = ["dangling-reference"]\n',
        }
    )
    assert "1 unresolved reference (main.tex:" in desk.pf("check", "--all").left


def test_the_page_says_in_its_head_what_was_not_looked_at(paper):
    paper.commit({"main.tex": paper.article(GOOD + LEMMA.split("\n", maxsplit=1)[0] % ("c", "C"))})
    assert paper.pf("report", "--all").status == 0
    page = (paper.root / "pf-report.html").read_text()
    head = page.partition("</h1>")[2].partition("<nav")[0]
    assert '<p class="unlooked">Not read: 2 proofs.</p>' in head
    assert "No faults found" not in page and "1 result without a proof" in page


@pytest.mark.parametrize("name", ["markdown", "sarif", "json"])
def test_every_format_says_what_was_not_looked_at(desk, name):
    desk.commit({"main.tex": desk.article(GOOD), "old/main.tex": desk.article(GOOD)})
    out = desk.pf("check", "--all", "--format", name).out
    if name == "json":
        kinds = [item["kind"] for item in json.loads(out)["not_looked_at"]]
        assert kinds == ["root", "proof"]
        return
    first = out.split("\n")[2] if name == "markdown" else out
    assert "ot looked at: old/main.tex (old copy); not read: 2 proofs" in first


def test_an_incomplete_review_is_no_successful_execution(desk):
    desk.commit(EMPTY)
    found = json.loads(desk.pf("check", "--format", "sarif").out)
    assert found["runs"][0]["invocations"][0]["executionSuccessful"] is False


# ---- the hook speaks of this commit


def test_the_sums_are_those_of_the_lines(paper):
    paper.commit({"pf.lock": "x\ny\n"})
    paper.write({"main.tex": paper.article(BAD.replace("A.", "A always."))})
    said = paper.hook()
    head, *lines = said.out.splitlines()
    numbers = [sum(f": {kind} [" in line for line in lines) for kind in ("error", "warning")]
    assert numbers == [1, 2]
    assert head.startswith("main.tex: 1 error, 2 warnings; not looked at: 2 unreadable lines of ")


def test_it_says_nothing_of_papers_that_the_commit_does_not_touch(desk):
    desk.commit({"one.tex": desk.article(GOOD), "two.tex": desk.article(BAD), "pf.lock": "x\n",
                 "old/main.tex": desk.article(BAD)})  # fmt: skip
    desk.write({"one.tex": desk.article(GOOD.replace("Clear.", "Sure."))})
    said = desk.hook()
    assert said.status == 0
    assert "two.tex" not in said.out and "old" not in said.out
    assert said.first.startswith("one.tex: ")


def test_it_names_what_it_did_not_look_at_of_the_commit(desk):
    desk.commit({"main.tex": desk.article(GOOD), "old/main.tex": desk.article(GOOD)})
    desk.write({"old/main.tex": desk.article(BAD)})
    said = desk.hook()
    assert said.first == (
        "the change does not touch the text of a paper; not looked at: old/main.tex (old copy)"
    )
    desk.commit()
    desk.write({"rest.tex": BAD})
    assert "rest.tex (no document includes it)" in desk.hook().first


def test_only_the_proofs_and_references_of_the_commit_are_counted(desk):
    desk.commit({"main.tex": desk.article(BAD)})
    desk.write({"main.tex": desk.article(BAD.replace("Clear.", "Sure."))})
    assert desk.hook().first == (
        f"main.tex: no new errors or warnings; older: 1 error ({pf_command()} check --all)"
    )


# ---- what is skipped, shared or left out, in a change


BIG = "% " + "x" * 16_000_000 + "\n"


def test_an_edit_of_a_file_that_was_too_large_before_is_no_older_matter(desk):
    text = desk.article("\\input{big}" + GOOD)
    desk.commit({"main.tex": text, "big.tex": BIG})
    desk.write({"big.tex": BIG + BAD, "main.tex": text.replace("Clear.", "Sure.")})
    assert desk.pf("check").status == 3
    assert "big.tex (larger than" in desk.pf("check").left
    assert desk.hook().status == 3
    desk.write({"main.tex": text})
    said = desk.hook()
    assert (said.status, said.first[:9]) == (3, "main.tex:")


def test_a_paper_without_results_beside_others_is_named(desk):
    desk.commit(EMPTY | {"main.tex": desk.article(GOOD)})
    said = desk.pf("check", "--all")
    assert "No theorems found in errata.tex." in said.left
    assert desk.pf("check", "--all", "errata.tex").status == 3


def test_a_commit_that_ignores_what_it_breaks_is_told_so(desk):
    desk.commit({"main.tex": desk.article(GOOD), "two.tex": desk.article(GOOD)})
    settings = '[latex]\nignore = ["two.tex"]\n'
    desk.write({"two.tex": desk.article(BAD), "pf.toml": settings})
    assert "1 ignored file" in desk.hook().first


def test_a_ledger_that_is_a_link_is_named_at_every_commit(paper):
    (paper.root / "pf.lock").symlink_to("/nowhere/pf.lock")
    paper.commit()
    paper.write({"main.tex": paper.article(GOOD.replace("Clear.", "Sure."))})
    assert "pf.lock (symbolic link" in paper.hook().first


def test_locked_does_not_pass_where_settings_leave_nothing_to_review(paper):
    paper.commit({"pf.lock": "garbage\n"})
    paper.write({"pf.toml": '[latex]\nignore = ["*"]\n'})
    assert paper.hook("--locked").status == 2


def test_what_several_papers_share_is_counted_once(desk):
    desk.commit({"one.tex": desk.article(GOOD), "two.tex": desk.article(GOOD),
                 "pf.lock": "x\n", "pf.toml": '[checks]\ndisable = ["cycle"]\n'})  # fmt: skip
    said = desk.pf("check", "--all")
    assert said.status == 3
    assert "Not everything could be reviewed: 1 unreadable line of pf.lock.\n" in said.left
    assert "Not looked at  1 disabled check\n" in said.left and "4 proofs" in said.left


def test_the_place_where_one_stands_is_named_by_a_dot(paper, monkeypatch):
    paper.commit({"lean/a.lean": "def a := 1"})
    monkeypatch.chdir(paper.root / "lean")
    assert paper.pf("check", ".").status == 2


def test_a_preamble_without_an_ending_is_read_in(desk):
    files = {
        "main.tex": "\\documentclass{article}\\input{preamble}\n\\begin{document}\n"
        + GOOD
        + "\\end{document}"
    }
    desk.commit({**files, "preamble": "\\newtheorem{lemma}{Lemma}"})
    said = desk.pf("check", "--all")
    assert "main.tex  2 files" in said.out and "preamble" not in said.out
    desk.commit({"preamble": "\\newtheorem{lemma}{Satz}"})
    assert "Satz 1" in desk.pf("numbers").out


def test_what_a_removed_file_defined_is_undefined_though_its_include_is_left(desk):
    """LaTeX goes on without a file that `\\include` names, and prints ?? for its labels."""
    part = "\\begin{lemma}\\label{gone} So it is. \\end{lemma}\\begin{proof} Clear. \\end{proof}\n"
    text = desk.article("\\include{part}\nBy \\ref{gone}.\n" + GOOD)
    desk.commit({"main.tex": text, "part.tex": part})
    desk.git("rm", "--quiet", "part.tex")
    said = desk.pf("check", "--staged")
    assert said.status == 1
    assert "undefined label gone; this change removed part.tex, which defined it" in said.out
