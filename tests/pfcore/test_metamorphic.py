"""Edits of real modules that change nothing that is read, or one proof."""

from collections.abc import Callable, Iterator
from random import Random

import pytest

from pfcore.bench import real_papers
from pfcore.bench.real_papers import Edit, Edited
from pfcore.domain.values import Role
from pfcore.graph.context import members
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.impact.plan import make_plan
from pfcore.papers import discover
from tests.conftest import CorpusPapers

Paper = Callable[..., PaperState]

FOLDERS = (
    "brownian-motion carleson equational-theories flt3 hott-intro openlogic pfr poly "
    "sphere-eversion zkdl-lectures"
).split()
SMALLEST, LARGEST = 20, 1_000
"""Papers with fewer modules are left out; those with more are edited once in each way."""
FALLBACK = "the target of a reference changed"


@pytest.fixture(scope="module", params=FOLDERS)
def moments(
    request: pytest.FixtureRequest, corpus_papers: CorpusPapers
) -> list[tuple[PaperState, frozenset[str]]]:
    """The papers of a folder with the digests of all their contexts."""
    found = corpus_papers(request.param)
    listed = [moment for moment in found if len(moment.document.modules) >= SMALLEST]
    assert listed
    return [(moment, frozenset(digests(moment))) for moment in listed]


def digests(moment: PaperState) -> Iterator[str]:
    for name in moment.document.modules:
        yield context_digest(moment.document, name, moment.paper.texts)


def after(moment: PaperState, edited: Edited) -> PaperState:
    """The edited paper; made from the paper as it was, it is the same."""
    snap = real_papers.apply_edit(moment.paper.snapshot, edited)
    found = discover.discover_papers(snap, moment.paper.parse_cache).papers
    paper = next(paper for paper in found if paper.name == moment.paper.name)
    updated, fresh = build_paper_state(paper, moment), build_paper_state(paper)
    assert updated == fresh
    assert list(updated.document.modules) == list(fresh.document.modules)
    assert list(updated.document.labels) == list(fresh.document.labels)
    return updated


BETWEEN_FILES = frozenset({"split", "move"})


def led(moment: PaperState) -> dict[str, set[tuple[str, str]]]:
    """For each claim what the lines right before it in its file are the first to speak of."""
    ids, found = moment.assembly.draft.ids, dict[str, set[tuple[str, str]]]()
    for (key, claim), name in moment.assembly.usage.terms.leads.items():
        if claim in ids:
            said = moment.document.modules[name].statement.digest
            found.setdefault(ids[claim], set()).add((key, said))
    return found


def parted(before: PaperState, now: PaperState) -> set[str]:
    """The claims that lost the lines that led to them to another file, and who cites them."""
    then, since = led(before), led(now)
    left = {name for name in then.keys() | since.keys() if then.get(name) != since.get(name)}
    if not left:
        return left
    documents = (before.document, now.document)
    citing = (
        name
        for document in documents
        for name in document.modules
        if not left.isdisjoint(members(document, name))
    )
    return left.union(citing)


@pytest.mark.corpus
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("edit", real_papers.EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_affects_what_it_should(
    moments: list[tuple[PaperState, frozenset[str]]], edit: Edit, seed: int
) -> None:
    small = [pair for pair in moments if len(pair[0].document.modules) <= LARGEST]
    if seed and not small:
        pytest.skip("papers as large as these are edited once in each way")
    for moment, known in small if seed else moments:
        edited = edit(moment, Random(f"{moment.paper.name} {edit.__name__} {seed}"))
        if edited is None:
            continue
        now = after(moment, edited)
        found = {item.id: item.reasons for item in make_plan(moment, now).affected}
        left = parted(moment, now) if edit.__name__ in BETWEEN_FILES else set()
        assert found.keys() - left == edited.affected - left, edited.subject
        assert not any(FALLBACK in reasons for reasons in found.values())
        modules = now.document.modules.values()
        for module in modules if seed == 0 else ():
            if module.is_claim and module.role is not Role.FRAGMENT and module.id not in left:
                made = context_digest(now.document, module.id, now.paper.texts)
                assert (made not in known) == (module.id in edited.affected), module.id


SMALL = r"""
\newcommand{\norm}[1]{\lVert #1\rVert}
\section{Preliminaries}
\begin{definition}\label{def:tame}
A map $f$ is \emph{tame} if $\norm{f} \le 1$,
that is, if its norm $\norm{f}$ is small.
\end{definition}
\begin{lemma}\label{lem:a}
Every polynomial of degree two
has a root in the complex numbers.
\end{lemma}
\begin{proof}
Complete the square.
Then extract a root.
\end{proof}
\begin{theorem}\label{thm:main}
Every quartic has
four roots.
\end{theorem}
\begin{proof}
As in the proof of \cref{lem:a} there is one root.
Divide by it.
\end{proof}
"""


@pytest.mark.parametrize("edit", real_papers.EDITS, ids=lambda edit: edit.__name__)
def test_an_edit_of_a_small_paper_affects_what_it_should(paper: Paper, edit: Edit) -> None:
    moment = paper(SMALL)
    for seed in range(5):
        edited = edit(moment, Random(seed))
        assert edited is not None
        assert any(
            text != (moment.paper.source(path) if path in moment.paper.snapshot.files else None)
            for path, text in edited.files.items()
        )
        found = {item.id for item in make_plan(moment, after(moment, edited)).affected}
        assert found == edited.affected
        if edit is real_papers.reword_proof:
            assert found in ({"lem:a", "thm:main"}, {"thm:main"})


@pytest.mark.parametrize("edit", real_papers.EDITS, ids=lambda edit: edit.__name__)
def test_a_paper_may_offer_nothing_to_edit(paper: Paper, edit: Edit) -> None:
    assert edit(paper("No mathematics, 100%."), Random(0)) is None
