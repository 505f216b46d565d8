"""Removes the TeX code that expanded macros leave in a text, and keeps what it prints.

A macro's body may set the spacing of its symbols, their form in each style, step counters, define
macros, and test whether an argument is empty. A reader of the paper sees none of this.
"""

import re
from functools import partial

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.groups import Groups, append
from pfcore.latex.lexer.whitespace import MATHS

_DROPPED = {
    "stepcounter": 1, "refstepcounter": 1, "setcounter": 2, "addtocounter": 2, "setlength": 2,
    "addtolength": 2, "settowidth": 2, "pagestyle": 1, "thispagestyle": 1, "markboth": 2,
    "markright": 1, "addcontentsline": 3, "PackageWarning": 2, "PackageInfo": 2, "typeout": 1,
    "hyphenation": 1,
} | dict.fromkeys(
    ["relax", "protect", "expandafter", "noexpand", "xspace", "ignorespaces", "unskip", "global",
     "bgroup", "egroup", "aftergroup", "begingroup", "endgroup"], 0
)  # fmt: skip
"""Commands that print nothing, and how many arguments they take."""

_SPACED = ("mathbin", "mathrel", "mathord", "mathopen", "mathclose", "mathpunct", "mathinner")
_BOXED = {"raisebox": 1, "scalebox": 1, "resizebox": 2, "rotatebox": 1}
"""Boxes around printed text, with the number of arguments that set its appearance."""

_EMPTY_TEST = (
    r"if\\relax\\detokenize ?\{(?P<tested>(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.)*+\})*+)\}"
    r"\\relax(?![A-Za-z])"
    r"|ifx ?\\relax(?![A-Za-z]) ?(?P<bare>[^\\{}]*+)\\relax(?![A-Za-z])"
    r"|ifx? ?(?P<sign>[&!])(?P<between>[^\\{}&!]*+)(?P=sign)"
    r"|if(?P<engine>(?i:xetex|luatex|luahbtex)) ?(?![A-Za-z@])"
)
_DEFINES = (
    r"(?:[gex]?def|let)(?![A-Za-z@]) ?"
    r"(?:\\csname(?P<named>[^\\{}]{0,80})\\endcsname|\\[A-Za-z@]+|\\."
    r"|[^\\{}#\s]{1,12})"
    r" ?(?P<slots>(?:\[?#\d\]?)*+)(?P<is>=? ?)"
)
_TOKEN = regex(
    rf"\\(?:(?P<dropped>{alternatives(_DROPPED)})(?![A-Za-z@])(?:(?<!xspace) )?"
    rf"|(?P<spaced>{'|'.join(_SPACED)})(?![A-Za-z@])"
    r"|(?P<choice>mathchoice)(?![A-Za-z@])"
    r"|(?P<palette>mathpalette) ?\\(?:macro ?\{\w{1,16}\}|[A-Za-z@]+) ?"
    r"|(?P<either>ifthenelse) ?(?=\{ ?\\equal)"
    rf"|(?P<boxed>{'|'.join(_BOXED)})(?![A-Za-z@])"
    rf"|(?P<defines>{_DEFINES})"
    rf"|(?P<empty>{_EMPTY_TEST}))"
)
_BRANCH = regex(r"\\(?:(?P<opens>if[A-Za-z@]*)|(?P<other>else)|(?P<closes>fi))(?![A-Za-z@]) ?")
_FORMULA = regex(r"\s*\$([^$]*)\$\s*")
_ENSURED = regex(r"\\ensuremath(?![A-Za-z@])")
_EQUAL = regex(r" ?\\equal ?\{([^{}]{0,80})\} ?\{([^{}]{0,80})\} ?")
_SCRIPTED = ("_", "^", "'")
_TAKES = regex(r"[\\}\]_^](?:(?<!\\)|(?<=\\)[A-Za-z@]+\*? ?)\Z")
_ENDS_IN_COMMAND = regex(r"\\[A-Za-z@]+\*?\Z")
_NEAR = 60
_DEEPEST = 12
_FURTHEST = 4_000
"""The most characters that the branches of a test may have."""
_TEXT_STYLE = 1


def without_code(text: str) -> str:
    """A text with code replaced by what it prints; the marks stay."""
    if "\\" not in text:
        return text
    if _TOKEN.search(text):
        groups = Groups(text)
        text = _printed(groups, 0, len(text), 0)
    return _without_ensured(text) if "\\ensuremath" in text else text


def with_formulas(text: str) -> str:
    r"""A text whose formulas are all between dollar signs, those of `\ensuremath` included.

    A macro that may be used in words leaves braces around them: "{ \ensuremath{x} } \xspace".
    """
    if not any(sign in text for sign in _WORTH_READING):
        return text
    text = without_code(text)
    for _ in range(_BRACED_TWICE):
        text, count = _BRACED.subn(r"\1", text)
        if not count:
            break
    return text


_WORTH_READING = (r"\ensuremath", r"\mathchoice", r"\begingroup", r"\bgroup")
_BRACED = regex(r"(?:(?<=[\s(~-])|\A)\{ ?(\$[^$]{1,400}\$) ?\} ?(?=[-\s.,;:)~}]|\w|\Z)")
_BRACED_TWICE = 3


def _printed(groups: Groups, start: int, end: int, depth: int) -> str:
    """What a span of a text prints; code that nests unreasonably deeply is kept."""
    pieces: list[str] = []
    position = start
    for match in _TOKEN.finditer(groups.text, start, end) if depth < _DEEPEST else ():
        if match.start() < position:
            continue
        found = _of_token(match, groups, end, depth)
        if found is None:
            continue
        made, after = found
        append(pieces, groups.text[position : match.start()])
        append(pieces, made)
        position = after
    append(pieces, groups.text[position:end])
    return "".join(pieces)


def _of_token(match: re.Match[str], groups: Groups, end: int, depth: int) -> tuple[str, int] | None:
    """What code prints, and the offset after it; None if this is unknown."""
    inside = partial(_printed, groups, depth=depth + 1)
    if match["empty"]:
        return _of_branch(match, groups, end, depth)
    if match["defines"]:
        return _of_definition(match, groups, end)
    if match["dropped"]:
        after = _behind_arguments(groups, match.end(), _DROPPED[match["dropped"]], end)
        return None if after is None else ("", after)
    if match["palette"] or match["either"]:
        return _of_chosen(match, groups, end, depth)
    if match["choice"]:
        spans = _arguments(groups, match.end(), 4, end)
        return (_of_formula(inside(*spans[_TEXT_STYLE])), spans[-1][1] + 1) if spans else None
    if match["spaced"]:
        span = groups.braces(match.end())
        if span is None or span[1] >= end:
            return "", match.end()
        is_scripted = groups.text.startswith(_SCRIPTED, span[1] + 1)
        made = inside(*span)
        return (f"{{{made}}}" if is_scripted and len(made) > 1 else made), span[1] + 1
    return _of_box(match, groups, end, depth)


def _of_chosen(
    match: re.Match[str], groups: Groups, end: int, depth: int
) -> tuple[str, int] | None:
    r"""What `\mathpalette` sets, or the branch of `\ifthenelse{\equal{a}{b}}` with plain texts."""
    if match["palette"]:
        span = groups.braces(match.end())
        is_whole = span is not None and span[1] < end
        return (_printed(groups, *span, depth + 1), span[1] + 1) if span and is_whole else None
    spans = _arguments(groups, match.end(), 3, end)
    found = _EQUAL.fullmatch(groups.text[slice(*spans[0])]) if spans else None
    if spans is None or found is None:
        return None
    sides = ["" if side.strip() == r"\empty" else side.strip() for side in found.groups()]
    if "#" in "".join(sides) or ("" not in sides and "\\" in "".join(sides)):
        # what a command prints is unknown, except that it is not empty
        is_same = len({_uncoloured(groups.text[slice(*span)]) for span in spans[1:]}) == 1
        return (_printed(groups, *spans[2], depth + 1), spans[2][1] + 1) if is_same else None
    return _printed(groups, *spans[1 if sides[0] == sides[1] else 2], depth + 1), spans[2][1] + 1


def _uncoloured(text: str) -> str:
    """A text without colours and marks, for comparison."""
    return "".join(_LOOK.sub("", text).split()).strip("{}")


_LOOK = regex(r"\\(?:text)?color(?:\[\w+\])? ?\{[^{}]{1,40}\}|[\x00-\x08]\d*|[\x0e-\x1f]")


def _of_box(match: re.Match[str], groups: Groups, end: int, depth: int) -> tuple[str, int] | None:
    """The content of a box, as a formula if it consists of one."""
    after = _behind_arguments(groups, match.end(), _BOXED[match["boxed"]], end)
    while after is not None and (option := groups.brackets(after)):
        after = option[1] + 1
    span = groups.braces(after) if after is not None else None
    if span is None or span[1] >= end:
        return None
    made = _printed(groups, *span, depth + 1)
    formula = _FORMULA.fullmatch(made)
    return (rf"\ensuremath{{{formula[1]}}}" if formula else made), span[1] + 1


def _of_definition(match: re.Match[str], groups: Groups, end: int) -> tuple[str, int] | None:
    """No text, and the offset after a macro definition; None if it is not complete."""
    if match[0].startswith(r"\let"):
        span = groups.token(match.end())
        return ("", groups.after(span)) if span and span[1] <= end else None
    body = groups.braces(match.end())
    return ("", body[1] + 1) if body and body[1] < end else None


def _of_branch(
    match: re.Match[str], groups: Groups, end: int, depth: int
) -> tuple[str, int] | None:
    """The branch taken by a test for an empty argument, or for an engine other than pdfTeX."""
    tested = match["tested"] or match["bare"] or match["between"] or match["engine"] or ""
    level, middle = 0, -1
    for found in _BRANCH.finditer(groups.text, match.end(), min(end, match.end() + _FURTHEST)):
        if found["opens"]:
            level += 1
        elif found["other"] and not level:
            middle = found.start() if middle < 0 else middle
            behind = found.end()
        elif found["closes"]:
            level -= 1
            if level >= 0:
                continue
            stop = found.start()
            spans = (
                (match.end(), stop if middle < 0 else middle),
                ((stop, stop) if middle < 0 else (behind, stop)),
            )
            span = spans[bool(tested.strip())]
            return _printed(groups, *span, depth + 1), found.end()
    return None


def _arguments(groups: Groups, position: int, count: int, end: int) -> list[tuple[int, int]] | None:
    spans: list[tuple[int, int]] = []
    for _ in range(count):
        span = groups.braces(position)
        if span is None or span[1] >= end:
            return None
        spans.append(span)
        position = span[1] + 1
    return spans


def _behind_arguments(groups: Groups, position: int, count: int, end: int) -> int | None:
    spans = _arguments(groups, position, count, end)
    return None if spans is None else (spans[-1][1] + 1 if spans else position)


def _of_formula(made: str) -> str:
    """A text without its dollar signs, if it is a single formula."""
    formula = _FORMULA.fullmatch(made)
    return formula[1] if formula else made


def _without_ensured(text: str) -> str:
    r"""A text in which the argument of `\ensuremath` is a formula, or part of the one around it."""
    groups = Groups(text)
    formulas = [match.span() for match in MATHS.finditer(text)]
    pieces: list[str] = []
    number = position = 0
    for match in _ENSURED.finditer(text):
        if match.start() < position:
            continue
        span = groups.braces(match.end())
        if span is None:
            continue
        while number < len(formulas) and formulas[number][1] <= match.start():
            number += 1
        is_inside = number < len(formulas) and formulas[number][0] <= match.start()
        append(pieces, text[position : match.start()])
        inner = _ENSURED.sub("", text[slice(*span)])
        position = span[1] + 1
        made = _in_formula(text, match.start(), inner, position) if is_inside else f"${inner}$"
        append(pieces, made)
    append(pieces, text[position:])
    return "".join(pieces)


def _in_formula(text: str, start: int, inner: str, end: int) -> str:
    """A part of a formula, in braces if it is an argument or has a script."""
    is_taken = _TAKES.search(text, max(0, start - _NEAR), start) is not None
    is_scripted = text.startswith(_SCRIPTED, end) and len(inner) > 1
    return f"{{{inner}}}" if is_taken or is_scripted else inner
