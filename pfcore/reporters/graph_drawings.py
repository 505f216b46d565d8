"""The dependency graph as DOT and as Mermaid: arrows lead from a result to what it uses."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pfcore.domain.values import Edge, Module, Role, Status, Via
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.reporters.module_names import Leaf, leaves, module_name, standing, visible
from pfcore.reporters.paper_overview import is_stated_in_lean
from pfcore.reporters.printing import Style, safe, shortened
from pfcore.review.review import PaperReport, Report

_DEFINING = frozenset({Role.DEFINITION, Role.ASSUMPTION, Role.CONVENTION})
_FILL = {
    Status.CHECKED: "#1CAC78",
    Status.CONDITIONAL: "#9CEC8B",
    Status.FLAGGED: "#F4B6B0",
    Status.UNREACHED: "#FFFFFF",
    Status.GIVEN: "#EEEEEE",
    Status.CITED: "#EEEEEE",
    Status.FORMAL: "#0B6E4F",
    Status.DISMISSED: "#DDEBDD",
    Status.OMITTED: "#FFF3D6",
}


def dot(report: Report) -> str:
    """Graphviz: a box for a definition, an ellipse for a result; arrows lead to what is used.

    What is stated in Lean, without a formal proof, has a green border.
    """
    lines = ["digraph paper {", "  rankdir=BT;", '  node [fontname="sans-serif", style=filled];']
    for number, paper in enumerate(report.papers):
        names = {name: f"p{number}n{index}" for index, name in enumerate(visible(paper))}
        lines += _dot_nodes(paper, names)
        lines += _dot_leaves(paper, names, number)
        lines += [
            f"  {names[source]} -> {names[target]};"
            for source, target in _arrows(paper)
            if source in names and target in names
        ]
    return "\n".join([*lines, "}"]) + "\n"


def _dot_nodes(paper: PaperReport, names: dict[str, str]) -> Iterator[str]:
    for name, node in names.items():
        module = paper.state.document.modules[name]
        shape = "box" if module.role in _DEFINING else "ellipse"
        label = _quoted(_label(module).replace("\\", "\\\\"))
        style = ", style=dashed" if paper.statuses[name] is Status.CITED else ""
        if is_stated_in_lean(paper, module):
            style += f', color="{_FILL[Status.FORMAL]}", penwidth=2.5'
        fill, tip = _quoted(_fill(paper, name)), _quoted(standing(paper, name).words)
        yield (f"  {node} [label={label}, shape={shape}, fillcolor={fill}{style}, tooltip={tip}];")


def _dot_leaves(paper: PaperReport, names: dict[str, str], number: int) -> Iterator[str]:
    """Results of other works."""
    for index, leaf in enumerate(leaves(paper)):
        label = _quoted(_cited(leaf).replace("\\", "\\\\"))
        fill = _quoted(_FILL[Status.CITED])
        yield f"  p{number}c{index} [label={label}, shape=note, fillcolor={fill}];"
        yield from (
            f"  {names[user]} -> p{number}c{index};" for user in leaf.users if user in names
        )


def _cited(leaf: Leaf) -> str:
    return shortened(safe(f"{plain_text(leaf.locator)} of {leaf.key}"), 40)


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '\\"') + '"'


def cone(papers: Iterable[tuple[PaperReport, Sequence[str]]]) -> str:
    """Mermaid for some modules of some papers, with the symbol of each one's status."""
    lines = ["graph BT"]
    for number, (paper, shown) in enumerate(papers):
        names = {name: f"p{number}n{index}" for index, name in enumerate(shown)}
        for name, node in names.items():
            module, sign = paper.state.document.modules[name], standing(paper, name).glyph
            lines.append(f"  {node}{_node(module, f'{sign} {_numbered(module, paper)}')}")
            fill = _fill(paper, name)
            lines.append(f"  style {node} fill:{fill},color:{_ink(paper, name)}")
        lines += [
            f"  {names[source]} --> {names[target]}"
            for source, target in _arrows(paper)
            if source in names and target in names
        ]
    return "\n".join(lines) + "\n"


def _fill(paper: PaperReport, name: str) -> str:
    return _FILL[Status.FLAGGED if name in paper.at_fault else paper.statuses[name]]


def _ink(paper: PaperReport, name: str) -> str:
    return "#FFFFFF" if paper.statuses[name] is Status.FORMAL else "#1F2328"


def _node(module: Module, words: str) -> str:
    """A node's shape with its words."""
    label = _entities(words)
    opening, closing = ("[", "]") if module.role in _DEFINING else ("(", ")")
    return f'{opening}"{label}"{closing}'


def mermaid(report: Report) -> str:
    """Mermaid, for Markdown: rectangles for definitions, rounded ones for results."""
    lines = ["graph BT"]
    for number, paper in enumerate(report.papers):
        names = {name: f"p{number}n{index}" for index, name in enumerate(visible(paper))}
        for name, node in names.items():
            module = paper.state.document.modules[name]
            lines.append(f"  {node}{_node(module, _label(module))}")
        for index, leaf in enumerate(leaves(paper)):
            lines.append(f'  p{number}c{index}>"{_entities(_cited(leaf))}"]')
            lines += [f"  {names[u]} --> p{number}c{index}" for u in leaf.users if u in names]
        lines += [
            f"  {names[source]} --> {names[target]}"
            for source, target in _arrows(paper)
            if source in names and target in names
        ]
    return "\n".join(lines) + "\n"


def _entities(text: str) -> str:
    """Text in which only letters, digits and harmless signs are unescaped; Mermaid reads `#nn;`."""
    return "".join(
        letter if letter.isalnum() or letter in " .:_-(),/'" else f"#{ord(letter)};"
        for letter in text
    )


def _numbered(module: Module, paper: PaperReport) -> str:
    """The name of a result; its label if it has no number and no title."""
    name = module_name(module, paper, Style())
    return shortened(name, 60) if name != safe(module.kind).capitalize() else _label(module)


def _label(module: Module) -> str:
    name = plain_text(module.title) or module.label or module.id
    return f"{safe(module.kind).capitalize()}: {shortened(safe(name), 40)}"


def _arrows(paper: PaperReport) -> list[tuple[str, str]]:
    """The edges as pairs without duplicates."""
    document = paper.state.document
    drawn = (edge for edge in document.edges if not _is_setting(edge, document.modules))
    return list(dict.fromkeys((edge.source, edge.target) for edge in drawn))


def _is_setting(edge: Edge, modules: Mapping[str, Module]) -> bool:
    """Whether an edge leads to a result that is only the setting of the source."""
    return edge.via is Via.SCOPE and modules[edge.target].role is Role.RESULT
