"""What is not made again in the next version of a document."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from pfcore.domain.containment import Faults
from pfcore.domain.values import Module
from pfcore.graph.building.assemble import Lookup, build_document, rebuild_document
from pfcore.graph.paper_state import ByNumber, PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.impact.plan import make_plan
from pfcore.papers import discover
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

Read = Callable[[str], Paper]

BODY = r"""\section{S}
\begin{lemma}\label{a} A. \end{lemma}
\begin{proof} Clear%s. \end{proof}
\begin{lemma}\label{b} B. \end{lemma}
\begin{proof} By Lemma 1.1. \end{proof}
\begin{lemma}\label{c} C. \end{lemma}
\begin{proof} By the previous lemma and \cref{a}%s. \end{proof}
"""


@pytest.fixture
def read(tmp_path: Path, document: Callable[..., str]) -> Read:
    parse_cache = ParseCache(MemoryCache())

    def run(body: str) -> Paper:
        (tmp_path / "main.tex").write_text(document(body), encoding="utf-8")
        return discover.discover_papers(snapshot.from_folder(tmp_path), parse_cache).papers[0]

    return run


def _asked(module: Module, _: str) -> Iterator[str]:
    raise AssertionError(f"the number of {module.id} was worked out")


def _counted(*_: object) -> NoReturn:
    raise AssertionError("a number was worked out")


def _uncounted(paper: Paper) -> Lookup:
    return Lookup(
        lambda terms, _: paper.used_terms(terms.positions),
        lambda keys, _: paper.used_needs(keys),
        lambda modules: ByNumber(modules, _asked),
        _counted,
        Faults(),
    )


def _changed(read: Read, edits: Sequence[str]) -> tuple[PaperState, PaperState]:
    """Two versions whose numbers are the same and cannot be had."""
    then, now = read(BODY % ("", "")), read(BODY % tuple(edits))
    known = build_document(then.name, then.outline, then.readings, _uncounted(then))
    made = rebuild_document(known, now.outline, now.readings, _uncounted(now), lambda: True)
    assert made is not None
    before = PaperState(paper=then, document=known.document, assembly=known)
    return before, PaperState(paper=now, document=made.document, assembly=made)


@pytest.mark.parametrize(("edits", "affected"), [((" now", ""), "a"), (("", " now"), "c")])
def test_no_number_is_worked_out_where_no_affected_text_refers_to_one(
    read: Read, edits: Sequence[str], affected: str
) -> None:
    before, after = _changed(read, edits)
    assert [item.id for item in make_plan(before, after).affected] == [affected]


def test_of_what_only_moved_in_its_file_no_references_are_followed(read: Read) -> None:
    before, after = _changed(read, (" now", ""))
    assert [item.id for item in make_plan(before, after).affected] == ["a"]
    made = after.assembly.linking.proofs.memo
    assert {module.id for module, _ in made.values()} == {"a"}


@pytest.mark.parametrize("words", ["", " \\begin{equation} 1 = 1 \\end{equation}"])
def test_an_update_is_a_new_document_whatever_is_counted(read: Read, words: str) -> None:
    before = build_paper_state(read(BODY % ("", "")))
    paper = read(BODY % (words, ""))
    after, fresh = build_paper_state(paper, before), build_paper_state(paper)
    assert after == fresh
    assert after.document.edges == fresh.document.edges
    assert make_plan(before, after) == make_plan(before, fresh)


FLIPS = (
    ("Clear.", "Omitted."),
    ("Omitted.", "Clear."),
    ("Omitted.", "See [3]."),
    ("Omitted.", "Exercise."),
    ("We define it.", "Clear."),
    ("\\uses{b} Omitted.", "\\uses{c} Omitted."),
)
FLIPPED = r"""\begin{lemma}\label{b} B. \end{lemma}
\begin{definition}\label{c} A \emph{thing}. \end{definition}
\begin{proof} %s \end{proof}
\begin{lemma}\label{d} D. \end{lemma}
\begin{proof} %s \end{proof}
"""


@pytest.mark.parametrize(("one", "other"), FLIPS)
def test_an_update_is_a_new_document_whatever_a_proof_says_that_it_is(
    read: Read, one: str, other: str
) -> None:
    before = build_paper_state(read(FLIPPED % (one, one)))
    for words in ((other, one), (one, other), (other, other)):
        paper = read(FLIPPED % words)
        after, fresh = build_paper_state(paper, before), build_paper_state(paper)
        assert after == fresh
        assert after.document.edges == fresh.document.edges
        assert make_plan(before, after) == make_plan(before, fresh)


PLACED = r"""\begin{lemma}\label{a} A. \end{lemma}
The proof of Lemma \ref{a} is in Section \ref{s}.
\section{One}%s
\begin{lemma} B. \end{lemma}
\begin{proof} Clear. \end{proof}
\section{Two}%s
Nothing.
"""


def test_an_update_is_a_new_document_where_a_label_goes_to_another_section(read: Read) -> None:
    one, other = (read(PLACED % labels) for labels in ((r"\label{s}", ""), ("", r"\label{s}")))
    for then, now in ((one, other), (other, one)):
        after, fresh = build_paper_state(now, build_paper_state(then)), build_paper_state(now)
        assert after.document.modules == fresh.document.modules
        assert after.document.edges == fresh.document.edges


USES, IDLE = r"See $\mathcal{M}_{3}$.", "Count them."
BOUND = r" Every thing $\mathcal{M}_{3}$ is thin."


def _crowd(count: int, last: str = "") -> str:
    """Thirteen lemmas, of which so many use what a sentence only mentions; proofs apart."""
    told = (
        f"\\begin{{lemma}}\\label{{l{n}}} Round {n} is thin. \\end{{lemma}}\n"
        f"\\begin{{proof}} {USES if n <= count else IDLE}{last if n == 13 else ''} \\end{{proof}}\n"
        for n in range(1, 14)
    )
    return (
        f"\\section{{One}}\nIt is $\\mathcal{{M}}_{{3}}$ that people ask about.\n\n{''.join(told)}"
    )


def _digests(state: PaperState) -> dict[str, str]:
    document, texts = state.document, state.paper.texts
    return {name: context_digest(document, name, texts) for name in document.modules}


@pytest.mark.parametrize(
    ("then", "now"),
    [
        (_crowd(12), _crowd(13)),
        (_crowd(13), _crowd(12)),
        (_crowd(12), _crowd(12, f" {USES}")),
        (_crowd(13), _crowd(12, BOUND)),
        (_crowd(13, BOUND), _crowd(13)),
    ],
)
def test_a_user_too_many_of_a_mention_is_seen_by_the_dozen_others(
    read: Read, then: str, now: str
) -> None:
    before = build_paper_state(read(then))
    known = _digests(before)
    paper = read(now)
    after, cold = build_paper_state(paper, before), build_paper_state(paper)
    assert _digests(after) == _digests(cold)
    affected = {item.id for item in make_plan(before, after).affected}
    assert affected == {f"l{number}" for number in range(1, 14)}
    assert affected == {item.id for item in make_plan(before, cold).affected}
    assert affected == {n for n, d in _digests(cold).items() if d not in known.values()} & affected


def test_a_user_less_than_a_dozen_changes_nothing_for_the_others(read: Read) -> None:
    before = build_paper_state(read(_crowd(11)))
    after = build_paper_state(read(_crowd(12)), before)
    assert after.document.scope is before.document.scope
    assert [item.id for item in make_plan(before, after).affected] == ["l12"]


AGREED = r"""\section{One} Much is known of $\mathcal{E}$ today. \section{Two} \input{two}
\section{Three} \begin{theorem}\label{t} The set $\mathcal{E}$ is large. \end{theorem}
\begin{proof} Look at it. \end{proof}
"""
AGREEING = r"""
\begin{lemma} Assume that $\mathcal{E}$ is closed. Then all is well. \end{lemma}
\begin{lemma} Assume that $\mathcal{E}$ is closed. Then all is better. \end{lemma}
"""


def test_what_agreed_and_does_not_any_more_supplies_nothing(read: Read, tmp_path: Path) -> None:
    other = tmp_path / "two.tex"
    other.write_text(AGREEING, encoding="utf-8")
    before = build_paper_state(read(AGREED))
    assert before.document.statements["t"].terms
    other.write_text(AGREEING.replace("closed. Then all is b", "open. Then b"), encoding="utf-8")
    paper = read(AGREED)
    after, fresh = build_paper_state(paper, before), build_paper_state(paper)
    assert not fresh.document.statements["t"].terms
    assert after == fresh
