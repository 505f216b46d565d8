"""What a change affects as a small graph: affected results, and what changed beneath them."""

from pfcore.model import Role
from pfcore.report import drawings
from pfcore.review import PaperReport, Report

_MOST = 30
"""Modules of a graph that people can still read beside a review."""


def cone(report: Report) -> str:
    """Mermaid for the affected modules; "" where there are none, or too many to be looked at."""
    shown = [(paper, _modules(paper)) for paper in report.papers]
    shown = [(paper, names) for paper, names in shown if names]
    if not shown or sum(len(names) for _, names in shown) > _MOST:
        return ""
    return drawings.cone(shown)


def _modules(paper: PaperReport) -> list[str]:
    """The affected modules, and those edited ones that they lead to, in the order of the paper."""
    affected = {item.id for item in paper.plan.affected}
    if not affected:
        return []
    document = paper.state.document
    edited = {
        edge.target
        for edge in document.edges
        if edge.source in affected and edge.target in paper.plan.edited
    }
    wanted = affected | edited
    return [
        name
        for name, module in document.modules.items()
        if name in wanted and module.role is not Role.FRAGMENT
    ]
