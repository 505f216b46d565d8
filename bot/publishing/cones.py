"""What a change affects as a small graph, with what changed beneath and what rests on it."""

from pfcore.domain.values import Role, Status
from pfcore.reporters import graph_drawings
from pfcore.reporters.objections import users
from pfcore.review.review import PaperReport, Report

_MOST_DRAWN = 30
"""Modules of a graph that people can still read beside a review."""


def cone(report: Report) -> str:
    """Mermaid for the affected modules; "" where nothing leads to anything, or too much does."""
    shown = [(paper, _modules(paper)) for paper in report.papers]
    if sum(len(names) for _, names in shown) > _MOST_DRAWN:
        return ""
    drawn = graph_drawings.cone(shown)
    return drawn if "-->" in drawn else ""


def _modules(paper: PaperReport) -> list[str]:
    """The affected modules in the order of the paper, with the edited ones that they lead to.

    What rests on one that is flagged belongs to it, too.
    """
    affected = {item.id for item in paper.plan.affected}
    if not affected:
        return []
    document = paper.state.document
    edited = {
        edge.target
        for edge in document.edges
        if edge.source in affected and edge.target in paper.plan.edited
    }
    shaken = {
        user
        for name in affected
        if paper.statuses[name] is Status.FLAGGED
        for user in users(paper, name)
    }
    wanted = affected | edited | shaken
    return [
        name
        for name, module in document.modules.items()
        if name in wanted and module.role is not Role.FRAGMENT
    ]
