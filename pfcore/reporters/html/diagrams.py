"""Commutative diagrams of tikz-cd, as tables of objects and arrows within a formula.

Also derivations of bussproofs, as fractions with the conclusion below its premises.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups

_DIAGRAM = regex(r"\\begin\{tikzcd\}(.*?)\\end\{tikzcd\}", re.DOTALL)
_ARROW = regex(r"\\(?:arrow|ar)(?![A-Za-z])\s*")
_WAY = regex(r"(?:(from|to)\s*=\s*)?([udlr]+)")
_ENDS = regex(r"(from|to)\s*=\s*(\d+)-(\d+)")
_LABEL = regex(r'"(.*)"\s*(\'?).*', re.DOTALL)
_GAP = regex(r"^\[\s*[+-]?[\d.]+\s*[a-z]{2}\s*(?:,[^\[\]]{0,30})?\]\s*")
"""The optional distance between columns or rows, after the sign that separates them."""
_PIECE = regex(r"\\.|[{}]|[&,\"]", re.DOTALL)
_MOST = 12
"""The most rows or columns of a diagram that is redrawn."""

_AXES = {
    (0, 1): r"\longrightarrow", (0, -1): r"\longleftarrow", (1, 0): r"\Big\downarrow",
    (-1, 0): r"\Big\uparrow", (1, 1): r"\searrow", (1, -1): r"\swarrow", (-1, 1): r"\nearrow",
    (-1, -1): r"\nwarrow",
}  # fmt: skip
_LEVEL = {
    "hook": (r"\hookrightarrow", r"\hookleftarrow"),
    "hook'": (r"\hookrightarrow", r"\hookleftarrow"),
    "two heads": (r"\twoheadrightarrow", r"\twoheadleftarrow"),
    "tail": (r"\rightarrowtail", r"\leftarrowtail"),
    "dashed": (r"\dashrightarrow", r"\dashleftarrow"),
    "mapsto": (r"\mapsto", "↤"),
    "Rightarrow": (r"\Rightarrow", r"\Leftarrow"),
}
"""Arrows to the right and to the left, by the name of the option."""
_UPRIGHT = {"Rightarrow": (r"\Big\Downarrow", r"\Big\Uparrow")}
_LINES = frozenset({"no head", "dash", "-"})

Place = tuple[int, int]


class DiagramArrow(NamedTuple):
    """An arrow's source and target, its label with the side, and its options."""

    source: Place
    target: Place
    label: str
    is_swapped: bool
    options: frozenset[str]

    @property
    def step(self) -> Place:
        """The difference in rows (down) and in columns (to the right)."""
        return self.target[0] - self.source[0], self.target[1] - self.source[1]


def redrawn(text: str) -> str | None:
    """The formula with its diagrams as tables; None if it has none, or one beyond a table."""
    if "tikzcd" not in text:
        return None
    try:
        made = _DIAGRAM.sub(lambda match: _table(match[1]), text)
    except ValueError:
        return None
    return None if "tikz" in made else made


def _table(body: str) -> str:
    groups = Groups(body)
    options = groups.brackets(0)
    settings = body[slice(*options)] if options else ""
    body = body[options[1] + 1 :] if options else body
    sign = "\\&" if "ampersand replacement" in settings else "&"
    rows = [[_GAP.sub("", cell) for cell in _split(row, sign)] for row in _split(body, "\\\\")]
    if len(rows) > 1 and rows[-1] in ([""], [" "]):
        rows.pop()
    width = max(map(len, rows))
    if max(len(rows), width) > _MOST or "\\begin" in body:
        raise ValueError(body)
    objects: dict[Place, str] = {}
    arrows: list[DiagramArrow] = []
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            objects[number, column], found = _cell(cell, (number, column))
            arrows += found
    return _drawn(objects, arrows, len(rows), width)


def _split(text: str, sign: str) -> Iterator[str]:
    """The pieces of a text between signs outside of groups and labels."""
    depth, is_quoted, start = 0, False, 0
    for match in _PIECE.finditer(text):
        token = match[0]
        if token == sign and not depth and not is_quoted:
            yield text[start : match.start()].strip()
            start = match.end()
        elif token == '"':
            is_quoted = not is_quoted
        else:
            depth += {"{": 1, "}": -1}.get(token, 0)
    if depth or is_quoted:
        raise ValueError(text)
    yield text[start:].strip()


def _cell(text: str, place: Place) -> tuple[str, list[DiagramArrow]]:
    """The object in a cell, and the arrows that start there."""
    groups, position = Groups(text), 0
    kept: list[str] = []
    arrows: list[DiagramArrow] = []
    while match := _ARROW.search(text, position):
        span = groups.brackets(match.end())
        if span is None:
            raise ValueError(text)
        kept.append(text[position : match.start()])
        arrows.append(_arrow(list(_split(text[slice(*span)], ",")), place))
        position = span[1] + 1
    return "".join([*kept, text[position:]]).strip(), arrows


def _arrow(options: list[str], place: Place) -> DiagramArrow:
    ends: dict[str, Place] = {}
    label, is_swapped = "", "swap" in options
    for option in options:
        if found := _LABEL.fullmatch(option):
            label, is_swapped = found[1], is_swapped != bool(found[2])
        elif found := _ENDS.fullmatch(option):
            ends[found[1]] = int(found[2]) - 1, int(found[3]) - 1
        elif found := _WAY.fullmatch(option):
            ends[found[1] or "to"] = _stepped(place, found[2])
    if not ends:
        raise ValueError(str(options))
    return DiagramArrow(
        ends.get("from", place), ends.get("to", place), label, is_swapped, frozenset(options)
    )


def _stepped(place: Place, way: str) -> Place:
    down, right = way.count("d") - way.count("u"), way.count("r") - way.count("l")
    return place[0] + down, place[1] + right


def _drawn(objects: dict[Place, str], arrows: list[DiagramArrow], height: int, width: int) -> str:
    """The table, with arrows between neighbours in it and the other arrows below."""
    between: dict[Place, list[str]] = {}
    below = []
    for arrow in arrows:
        if arrow.source not in objects or arrow.target not in objects:
            raise ValueError(str(arrow))
        if "phantom" in arrow.options:
            continue
        if arrow.step in _AXES:
            middle = arrow.source[0] + arrow.target[0], arrow.source[1] + arrow.target[1]
            between.setdefault(middle, []).append(_sign(arrow))
        else:
            way = arrow._replace(target=(arrow.source[0], arrow.source[1] + 1), is_swapped=False)
            below.append(f"{objects[arrow.source]}{_sign(way)} {objects[arrow.target]}")
    rows = [
        "&".join(
            objects.get((row // 2, column // 2), "")
            if row % 2 == column % 2 == 0
            else _together(between.get((row, column), []), is_level=row % 2 == 0)
            for column in range(2 * width - 1)
        )
        for row in range(2 * height - 1)
    ]
    return _matrix([_matrix(rows), *below]) if below else _matrix(rows)


def _matrix(rows: list[str]) -> str:
    inner = r"\\".join(rows)
    return rf"\begin{{matrix}}{inner}\end{{matrix}}"


def _together(signs: list[str], *, is_level: bool) -> str:
    if len(signs) < 2:
        return "".join(signs)
    return _matrix(signs) if is_level else r"\;".join(signs)


def _sign(arrow: DiagramArrow) -> str:
    """An arrow with its label; a style that cannot be drawn is named in words."""
    is_equal = not arrow.options.isdisjoint({"equal", "equals"})
    if not arrow.options.isdisjoint(_LINES):
        if "Rightarrow" not in arrow.options:
            raise ValueError(str(arrow))
        is_equal = True
    style = next((name for name in _LEVEL if name in arrow.options), "")
    draw = _upright if arrow.step[0] else _level
    return draw(arrow, style, is_equal=is_equal)


def _upright(arrow: DiagramArrow, style: str, *, is_equal: bool) -> str:
    down, right = arrow.step
    sign, told = _AXES[arrow.step], rf"\text{{ ({style})}}" if style else ""
    if is_equal:
        sign, told = (r"\Big\|", "") if not right else (sign, r"\text{ (equal)}")
    elif style in _UPRIGHT and not right:
        sign, told = _UPRIGHT[style][down < 0], ""
    label = rf"{{\scriptstyle {arrow.label}{told}}}" if arrow.label or told else ""
    return label + sign if arrow.is_swapped != (down < 0) else sign + label


def _level(arrow: DiagramArrow, style: str, *, is_equal: bool) -> str:
    is_back = arrow.step[1] < 0
    if is_equal or style:
        sign = "=" if is_equal else _LEVEL[style][is_back]
        return rf"\overset{{{arrow.label}}}{{{sign}}}" if arrow.label else sign
    if not arrow.label:
        return _AXES[arrow.step]
    side = "left" if is_back else "right"
    if arrow.is_swapped != is_back:
        return rf"\x{side}arrow[{arrow.label}]{{}}"
    return rf"\x{side}arrow{{{arrow.label}}}"


_TREE = regex(r"\s*\\begin\{prooftree\}(.*?)\\end\{prooftree\}\s*", re.DOTALL)
_STEP = regex(
    r"\s*\\(?:(Axiom|Unary|Binary|Trinary|Quaternary)(?:Inf)?C|(Left|Right)Label)\s*(?=\{)"
)
_REST = regex(r"\s*(?:\\DisplayProof)?\s*\Z")
_PREMISES = {"Axiom": 0, "Unary": 1, "Binary": 2, "Trinary": 3, "Quaternary": 4}
_MOST_STEPS = 60
"""The most steps of a derivation that is redrawn."""


def derived(text: str) -> str | None:
    """The tree as a formula; None if it is not a tree, or one that a formula cannot show."""
    match = _TREE.fullmatch(text)
    return _formula(match[1]) if match else None


def _formula(body: str) -> str | None:
    """The formula left on the stack after each step has replaced its premises; None if not one."""
    groups, position, steps = Groups(body), 0, 0
    stack: list[str] = []
    labels = {"Left": "", "Right": ""}
    while step := _STEP.match(body, position):
        span, steps = groups.braces(step.end()), steps + 1
        if span is None or steps > _MOST_STEPS:
            return None
        words, position = rf"\text{{{body[slice(*span)]}}}", span[1] + 1
        if step[2]:
            labels[step[2]] = words
            continue
        count = _PREMISES[step[1]]
        if len(stack) < count:
            return None
        premises = stack[len(stack) - count :]
        stack[len(stack) - count :] = [_inferred(premises, words, labels)]
        labels = {"Left": "", "Right": ""}
    return stack[0] if len(stack) == 1 and _REST.match(body, position) else None


def _inferred(premises: list[str], words: str, labels: dict[str, str]) -> str:
    conclusion = rf"\displaystyle {words}"
    if not premises:
        return conclusion
    above = r"\qquad ".join(premises)
    inner = rf"\displaystyle \frac{{{above}}}{{{conclusion}}}"
    left = rf"{labels['Left']}\," if labels["Left"] else ""
    right = rf"\,{labels['Right']}" if labels["Right"] else ""
    return left + inner + right
