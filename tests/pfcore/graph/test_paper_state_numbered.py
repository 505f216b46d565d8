"""Which numbers are worked out, and when."""

from collections.abc import Callable, Iterator

from pfcore.domain.values import Module
from pfcore.graph.paper_state import ByNumber, Numbering, PaperState
from pfcore.papers.parse_cache import MemoryCache

Paper = Callable[..., PaperState]

BODY = r"""
\section{S}
\begin{lemma}\label{a} A. \end{lemma}
\begin{lemma}\label{b} B: \begin{equation}\label{e} 1 = 1. \end{equation} \end{lemma}
\begin{definition}\label{d} D. \end{definition}
"""


def test_the_numbers_of_a_kind_are_listed_when_one_of_them_is_asked_for(paper: Paper) -> None:
    asked: set[str] = set()

    def listed(module: Module, kind: str) -> Iterator[str]:
        asked.add(kind)
        yield from {"a": "1", "b": "2", "d": "2"}[module.id] if module.kind == kind else ()

    found = ByNumber(paper(BODY).document.modules, listed)
    assert (found.get(("lemma", "2")), found.get(("lemma", "3"))) == ("b", None)
    assert asked == {"lemma"}
    assert dict(found) == {("lemma", "1"): "a", ("lemma", "2"): "b", ("definition", "2"): "d"}
    assert len(found) == 3


def test_what_two_modules_have_leads_to_none(paper: Paper) -> None:
    found = ByNumber(paper(BODY).document.modules, lambda *_: iter("1"))
    assert not found


def test_nothing_is_counted_for_a_kind_that_the_paper_has_not(paper: Paper) -> None:
    moment = paper(f"{BODY} \\begin{{proof}} By assumption (2). \\end{{proof}}")
    found = Numbering(moment.paper).by_number(moment.document.modules)
    assert found.get(("assumption", "2")) is None
    assert not _counted(moment)
    assert found.get(("equation", "1")) == "b"
    assert _counted(moment)


def _counted(moment: PaperState) -> list[str]:
    """The files in which something was counted, as the cache tells."""
    cache = moment.paper.parse_cache.cache
    assert isinstance(cache, MemoryCache)
    return [key for key in cache.entries if key.startswith("steps:")]
