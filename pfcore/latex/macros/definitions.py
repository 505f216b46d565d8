"""The definitions of macros in a text: what each command that defines says."""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pfcore.latex.lexer.commands import NAME, matches
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import PRIMITIVE, Macro

_DEFINER = re.compile(
    r"\\(?:"
    r"(?P<new>(?:re|provide)?newcommand|renewcommand|providecommand|DeclareRobustCommand"
    r"|newrobustcmd|renewrobustcmd|providerobustcmd)\*?"
    r"|(?P<xparse>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)"
    r"|(?P<definition>[gex]?def)(?=\s*\\)"
    r"|(?P<let>let)(?=\s*\\)"
    r"|(?P<operator>DeclareMathOperator\*?)"
    r"|(?P<paired>DeclarePairedDelimiter)(?=[\s{\\])"
    r"|(?P<sign>(?:math)?chardef)(?=\s*\\)"
    r")(?![A-Za-z])"
)
_NAME = re.compile(rf"\s*\{{?\s*\\({NAME})\s*\}}?")
_NUMBER = re.compile(r"\s*\[(\d)\]")
_PARAMETERS = re.compile(r"((?:[^{}\\]|\\[^{}]){0,200}?)\s{0,20}(?=\{)")
_LET = re.compile(rf"\s*\\({NAME})\s*=?\s*(\\(?:[A-Za-z@]+|.)|.)", re.DOTALL)
_XPARSE = re.compile(r"\s*(?:([mos])|O\s*\{([^{}]*)\}|t\s*(?:\{([^\s{}\\])\}|([^\s{}\\]))|(\S))")
_SIGN = re.compile(r"\s*\\([A-Za-z@]+)\s*=?\s*(?:\"([0-9A-F]{1,4})|([0-9]{1,3}))(?![0-9A-F])")
_SAFE = re.compile(r"[!()*+,\-./0-9:;<=>?@A-Za-z]")
_PREFIX = re.compile(r"(?:\\(?:global|long|outer|protected)\s*)+\Z")
_LONGEST_PREFIX = 60
_COMMENT = re.compile(r"(?<!\\)%[^\n]*\n?[ \t]*")


class Definition(NamedTuple):
    """A macro definition as it stands in a file: from its command to the end of its body.

    `is_global` says that it outlives the group in which it stands.
    """

    start: int
    end: int
    name: str
    macro: Macro
    provides: bool
    is_global: bool = False

    def whole(self, text: str) -> tuple[int, int]:
        """The span of the definition with what stands before its command, as in `\\long\\def`."""
        return _prefixed(text, self.start), self.end


def definitions(text: str, groups: Groups, places: Sequence[int] | None = None) -> list[Definition]:
    """All macro definitions of a masked text, in order; definitions inside bodies are not seen.

    `places` are the sites of the text, where they are known.
    """
    found: list[Definition] = []
    position = 0
    for match in matches(_DEFINER, text, places):
        if match.start() < position:
            continue
        made = _definition(match, groups)
        if made is not None:
            found.append(made._replace(is_global=_is_global(match)))
            position = made.end
    return found


def _is_global(match: re.Match[str]) -> bool:
    """`\\newcommand` and its kin know no `\\global`."""
    if not match["definition"] and not match["let"]:
        return False
    prefix = match.string[_prefixed(match.string, match.start()) : match.start()]
    return match["definition"] in ("gdef", "xdef") or "\\global" in prefix


def _prefixed(text: str, start: int) -> int:
    """Where a definition begins with what stands before its command and belongs to it."""
    prefix = _PREFIX.search(text, max(0, start - _LONGEST_PREFIX), start)
    return prefix.start() if prefix else start


def _definition(match: re.Match[str], groups: Groups) -> Definition | None:
    readers: dict[str, Callable[[re.Match[str], Groups], Definition | None]] = {
        "new": _new_command,
        "xparse": _document_command,
        "definition": _def,
        "let": _let,
        "operator": _operator,
        "paired": _paired,
        "sign": _sign,
    }
    return readers[match.lastgroup or "new"](match, groups)


def _new_command(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    if not name:
        return None
    position = name.end()
    parameters: tuple[str, ...] = ()
    number = _NUMBER.match(groups.text, position)
    if number:
        position = number.end()
        parameters = ("m",) * int(number[1])
        default = groups.brackets(position)
        if default and parameters:
            parameters = ("O" + groups.text[slice(*default)], *parameters[1:])
            position = default[1] + 1
    provides = match["new"].startswith("provide")
    return _with_body(match, groups, name[1], parameters, position, provides=provides)


def _document_command(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    specification = groups.braces(name.end()) if name else None
    if not name or not specification:
        return None
    parameters: list[str] = []
    for simple, default, *sign, other in _XPARSE.findall(groups.text[slice(*specification)]):
        if other and other not in "+!>":
            return None
        if any(sign):
            parameters.append("t" + "".join(sign))
        elif not other:
            parameters.append(simple or "O" + default)
    provides = match["xparse"].startswith("Provide")
    position = specification[1] + 1
    return _with_body(match, groups, name[1], tuple(parameters), position, provides=provides)


def _def(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    pattern = _PARAMETERS.match(groups.text, name.end()) if name else None
    if not name or name[1] == "csname" or not pattern or len(pattern[1]) > 200:
        return None
    parameters: list[str] = []
    for piece in re.split(r"(#[1-9])", pattern[1]):
        if piece.startswith("#"):
            parameters.append("m")
        elif piece:
            parameters.append("l" + piece)
    return _with_body(match, groups, name[1], tuple(parameters), pattern.end(), provides=False)


def _let(match: re.Match[str], groups: Groups) -> Definition | None:
    parts = _LET.match(groups.text, match.end())
    if not parts or parts[1] == "csname":
        return None
    macro = Macro(PRIMITIVE, parts[2])
    return Definition(match.start(), parts.end(), parts[1], macro, False)


def _operator(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    body = groups.braces(name.end()) if name else None
    if not name or not body:
        return None
    star = "*" if match["operator"].endswith("*") else ""
    text = f"\\operatorname{star}{{{_clean(groups.text[slice(*body)])}}}"
    return Definition(match.start(), body[1] + 1, name[1], Macro((), text), False)


def _paired(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    left = groups.token(name.end()) if name else None
    right = groups.token(groups.after(left)) if left else None
    if not name or not left or not right:
        return None
    opening, closing = groups.text[slice(*left)], groups.text[slice(*right)]
    macro = Macro(("s", "O", "m"), f"{opening} #3 {closing}")
    return Definition(match.start(), groups.after(right), name[1], macro, False)


def _sign(match: re.Match[str], groups: Groups) -> Definition | None:
    """A sign by its number: in a formula its class and its font stand before the last two digits.

    Only the font of text has the signs that the numbers of ASCII say.
    """
    found = _SIGN.match(groups.text, match.end())
    number = int(found[2] or found[3], 16 if found[2] else 10) if found else -1
    if match["sign"] == "mathchardef" and 0 <= number < 0x8000 and not number & 0x0F00:
        number &= 0xFF
    if not found or not 0 < number < 0x80 or not _SAFE.match(chr(number)):
        return None
    return Definition(match.start(), found.end(), found[1], Macro((), chr(number)), False)


def _with_body(
    match: re.Match[str],
    groups: Groups,
    name: str,
    parameters: tuple[str, ...],
    position: int,
    *,
    provides: bool,
) -> Definition | None:
    body = groups.braces(position)
    if body is None:
        return None
    macro = Macro(parameters, _clean(groups.text[slice(*body)]))
    return Definition(match.start(), body[1] + 1, name, macro, provides)


def _clean(body: str) -> str:
    made = _COMMENT.sub("", body).strip("\n")
    return macros.one_style(made) if "\\mathchoice" in made else made
