"""The ids under which modules are printed: unique over all papers of a report."""

from pfcore.graph.context import members
from pfcore.model import Role
from pfcore.report.leaves import leaves
from pfcore.review import PaperReport, Report


class Names:
    """Ids that are unique over all papers: the first paper keeps its own, others get a prefix."""

    def __init__(self, report: Report) -> None:
        taken: set[str] = set()
        self._names: dict[str, dict[str, str]] = {}
        for paper in report.papers:
            mine = {
                name: name if name not in taken else f"{paper.state.paper.name}::{name}"
                for name in visible(paper)
            }
            taken.update(mine.values())
            self._names[paper.state.paper.name] = mine
        self._leaves: dict[tuple[str, str], str] = {}
        for paper in report.papers:
            where = paper.state.paper.name
            for leaf in leaves(paper):
                wanted = f"cite:{leaf.id}"
                self._leaves[where, leaf.id] = f"{where}::{wanted}" if wanted in taken else wanted
                taken.add(wanted)

    def of(self, paper: PaperReport) -> dict[str, str]:
        """The ids of one paper's modules as they are printed."""
        return self._names[paper.state.paper.name]

    def leaf(self, paper: PaperReport, name: str) -> str:
        """The id of a result of another work."""
        return self._leaves[paper.state.paper.name, name]


def visible(paper: PaperReport) -> list[str]:
    """The modules of a paper; of equations and items only those that another module cites."""
    document = paper.state.document
    cited = {edge.target for edge in document.edges}
    for name in document.modules:
        if document.modules[name].role is not Role.FRAGMENT:
            cited.update(members(document, name))
    return [
        name
        for name, module in document.modules.items()
        if module.role is not Role.FRAGMENT or name in cited
    ]
