"""What `pf plan --why` says: why a module is affected, what it rests on, who cites a result."""

from collections.abc import Iterator

from pfcore.domain.values import Edge, Module, Via
from pfcore.impact.reasons import chain
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.reporters.leaves import Leaf, leaves
from pfcore.reporters.module_names import module_name
from pfcore.reporters.printing import safe
from pfcore.reporters.standing import standing
from pfcore.reporters.style import Style
from pfcore.review.review import PaperReport

CITATION = "cite:"
"""Begins the id of a result of another work."""


def known_names(paper: PaperReport) -> list[str]:
    """What may be asked about: modules, and the results of other works that they cite."""
    return [*paper.state.document.modules, *(CITATION + leaf.id for leaf in leaves(paper))]


def id_of_name(paper: PaperReport, name: str) -> str:
    """What a name asks about: an id that may be asked about, or any label of a module; else ""."""
    if name in known_names(paper):
        return name
    modules = paper.state.document.modules.values()
    return next((module.id for module in modules if name in module.labels), "")


def why(paper: PaperReport, name: str, style: Style) -> str:
    """Why a module is affected and what it rests on; of a cited result, who cites it."""
    if name in paper.state.document.modules:
        return style.finish(_module(paper, name, style))
    leaf = next(leaf for leaf in leaves(paper) if CITATION + leaf.id == name)
    return style.finish(_leaf(paper, leaf, style))


def _module(paper: PaperReport, name: str, style: Style) -> Iterator[str]:
    document = paper.state.document
    module = document.modules[name]
    yield _line(module, paper, style)
    yield f"status: {standing(paper, name).words}"
    found = next((item for item in paper.plan.affected if item.id == name), None)
    if found:
        yield "affected:"
        yield from (f"  {safe(reason)}" for reason in found.reasons)
    else:
        yield "not affected: its context is what it was"
    yield "rests on:"
    ways: dict[str, dict[str, list[str]]] = {}
    for edge in chain(document, name):
        ways.setdefault(edge.target, {}).setdefault(_half(edge), []).append(edge.via)
    for target, told in ways.items():
        line = _line(document.modules[target], paper, style)
        found_by = (f"by {' and '.join(listed)}{half}" for half, listed in told.items())
        yield f"  {line}  found {', '.join(found_by)}"
    cited = dict.fromkeys((item.key, item.locator) for item in module.cites)
    yield from (f"  {_cited(key, locator)}  cited, not read" for key, locator in cited)
    if not ways and not cited:
        yield "  nothing in this paper"


def _half(edge: Edge) -> str:
    """Where an edge was found; a convention applies to where the statement or a proof stands."""
    return "" if edge.via is Via.SCOPE else f" in its {edge.part}"


def _leaf(paper: PaperReport, leaf: Leaf, style: Style) -> Iterator[str]:
    yield _cited(leaf.key, leaf.locator)
    yield "status: cited, not read"
    yield "cited by:"
    modules = paper.state.document.modules
    yield from (f"  {_line(modules[user], paper, style)}" for user in leaf.users)


def _cited(key: str, locator: str) -> str:
    return f"{safe(plain_text(locator))} of {safe(key)}"


def _line(module: Module, paper: PaperReport, style: Style) -> str:
    where = module.statement.location
    return (
        f"{safe(module.id)}  {module_name(module, paper, style)}  {safe(where.path)}:{where.line}"
    )
