"""Under which ids modules are printed, and what is worked out for that."""

import json
from collections.abc import Callable

from pfcore.domain.values import Role
from pfcore.graph.context import members
from pfcore.reporters.formats import json_report
from pfcore.reporters.module_names import Ids, PrintedIds, visible
from pfcore.review.review import PaperReport, Report

Reviewed = Callable[..., Report]

BODY = r"""
\begin{lemma}\label{a} A%s. \end{lemma}
\begin{proof} First
\begin{equation}\label{cited} 1 = 1 \end{equation}
\begin{equation}\label{own} 2 = 2 \end{equation}
so by \eqref{own} we are done. \end{proof}
\begin{lemma}\label{b} B. \end{lemma}
\begin{proof} By \eqref{cited}%s. \end{proof}
\begin{lemma}\label{c} C. \end{lemma}
\begin{proof} By Lemma~\ref{b}. \end{proof}
"""


def by_rendering(paper: PaperReport) -> list[str]:
    """The visible modules by their definition: from all edges and all contexts."""
    document = paper.state.document
    cited = {edge.target for edge in document.edges}
    for name, module in document.modules.items():
        if module.role is not Role.FRAGMENT:
            cited.update(members(document, name))
    return [
        name
        for name, module in document.modules.items()
        if module.role is not Role.FRAGMENT or name in cited
    ]


def test_of_equations_only_those_are_printed_that_another_module_cites(
    reviewed: Reviewed, document: Callable[..., str]
) -> None:
    (paper,) = reviewed({"main.tex": document(BODY % ("", ""))}).papers
    assert visible(paper) == by_rendering(paper) == ["a", "cited", "b", "c"]
    (paper,) = reviewed({"main.tex": document(BODY % ("", " and \\eqref{own}"))}).papers
    assert visible(paper) == by_rendering(paper) == ["a", "cited", "own", "b", "c"]


def test_of_few_equations_each_is_asked_alone(
    reviewed: Reviewed, document: Callable[..., str]
) -> None:
    more = "".join(rf"\begin{{equation}}\label{{e{n}}} 1 \end{{equation}}" for n in range(30))
    (paper,) = reviewed({"main.tex": document(BODY % ("", more + " and \\eqref{e7}"))}).papers
    names = Ids(paper)
    asked = [name for name in ("cited", "own", "e7") if name in names]
    assert asked == ["cited"]
    assert "_cited" not in vars(names)
    assert list(names) == by_rendering(paper)
    assert "_cited" in vars(names)


def test_a_plan_in_json_makes_no_edge_and_no_context_but_those_it_needs(
    reviewed: Reviewed, document: Callable[..., str]
) -> None:
    then, now = ({"main.tex": document(BODY % ("", end))} for end in ("", " indeed"))
    report = reviewed(now, then)
    (paper,) = report.papers
    listed = json.loads(json_report.plan_json(report))["affected"]
    assert [item["id"] for item in listed] == ["b"]
    made = paper.state.assembly.linking.proofs.memo
    assert {module.id for module, _ in made.values()}.isdisjoint({"a", "c"})
    edges = paper.state.document.known_edges
    assert {module.id for module, _ in edges.values()} <= {"b"}


def test_a_check_in_json_makes_no_edges(reviewed: Reviewed, document: Callable[..., str]) -> None:
    report = reviewed({"main.tex": document(BODY % ("", ""))})
    (paper,) = report.papers
    assert list(json.loads(json_report.check_json(report))["statuses"]) == by_rendering(paper)
    report = reviewed({"main.tex": document(BODY % ("", ""))})
    json_report.check_json(report)
    assert not report.papers[0].state.document.known_edges


def test_ids_are_unique_over_all_papers(reviewed: Reviewed, document: Callable[..., str]) -> None:
    other = BODY.replace("\\eqref{cited}", "(1)") % ("", "")
    report = reviewed(
        {
            name: document(body)
            for name, body in {
                "a.tex": other,
                "b.tex": BODY % ("", ""),
                "c.tex": BODY % ("!", ""),
            }.items()
        }
    )
    names = PrintedIds(report)
    taken: set[str] = set()
    for paper in report.papers:
        expected = {
            name: f"{paper.state.paper.name}::{name}" if name in taken else name
            for name in by_rendering(paper)
        }
        taken.update(expected.values())
        assert dict(names.of(paper)) == expected
        assert "nowhere" not in names.of(paper)
