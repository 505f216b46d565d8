"""Parts of a source that the reader of the PDF cannot see, though LaTeX reads them."""

import re
from collections.abc import Iterator
from contextlib import suppress

from pfcore.domain.spans import occurrences
from pfcore.latex.lexer.groups import Groups

_HEADS = ("textcolor", "pagecolor", "color{", "color[", "color ", "phantom", "hphantom", "vphantom",
          "rlap", "llap", "clap", "mathrlap", "mathllap", "mathclap", "hypersetup", "pdfinfo",
          "pdftooltip", "scalebox", "fontsize", "opacity", "transparent", "actualtext",
          "raisebox", "hspace", "vspace")  # fmt: skip
_OPENER = re.compile(
    r"\\(?P<paint>(?:text|page)?color)\s*(?:\[\s*(?P<model>[a-z]+)\s*\])?\s*\{(?P<value>[^{}]*)\}"
    r"|\\(?P<box>[hv]?phantom|(?:math)?[rlc]lap|hypersetup|pdfinfo|pdftooltip"
    r"|scalebox\s*\{\s*0?\.0\d*\s*\})(?![a-z])"
    r"|\\(?P<small>fontsize\s*\{\s*(?:0(?:\.\d+)?|\.\d+|1(?:\.[0-4]\d*)?)\s*(?:pt)?\s*\})"
    r"|(?P<clear>opacity\s*=\s*0?\.?0+(?![.\d])|\\transparent\s*\{\s*0(?:\.0\d*)?\s*\}|actualtext)"
    r"|\\(?P<off>(?:raisebox|[hv]space\*?)\s*\{\s*-?\d{3,}(?:\.\d*)?\s*(?:pt|mm|cm|in|em)\s*\})"
)
_NAMED = re.compile(
    r"\\(?:definecolor\s*\{(?P<name>[^{}]*)\}\s*\{(?P<model>[^{}]*)\}"
    r"|colorlet\s*\{(?P<let>[^{}]*)\})\s*\{(?P<value>[^{}]*)\}"
)
_WHITISH = re.compile(r"white(?:!(?:9\d|100)(?:\.\d+)?(?:!\w+)?)?|(?:black|gray)![0-4]?(?:\.\d+)?")
_TURN = re.compile(r"\\.|[{}]", re.DOTALL)
_BACK = re.compile(r"\\(?:normalcolor|color|normalsize|fontsize|end\s*\{document\})(?![a-z])")
_GROUP_REACH = 4_000


def hidden(text: str) -> Iterator[tuple[int, int]]:
    """The spans of a text in lower case that are white, tiny beyond reading, or off the page."""
    heads = occurrences(text, _HEADS)
    if not heads:
        return
    groups, whites = Groups(text), _whites(text)
    done = 0
    for head in heads:
        if head < done:
            continue
        match = _OPENER.match(text, head - (text[head - 1 : head] == "\\"))
        if not match:
            continue
        if match["paint"] and not _is_white(match["model"] or "", match["value"], whites):
            continue
        if match["box"] or match["paint"] == "textcolor":
            span = groups.braces(match.end())
        else:
            span = match.end(), _end(text, match.end())
        if span:
            done = span[1]
            yield span


def _whites(text: str) -> frozenset[str]:
    """The names that the text gives to white."""
    return frozenset(
        match["name"] or match["let"]
        for match in _NAMED.finditer(text)
        if _is_white(match["model"] or "", match["value"], frozenset())
    )


def _is_white(model: str, value: str, whites: frozenset[str]) -> bool:
    value = value.strip()
    if not model:
        return value in whites or _WHITISH.fullmatch(value) is not None
    if model == "html":
        return re.fullmatch("(?:f[0-9a-f]){3}", value) is not None
    numbers: list[float] = []
    with suppress(ValueError):
        numbers = [float(number) for number in value.split(",")]
    if model == "cmyk":
        return bool(numbers) and max(numbers) <= 0.05
    return bool(numbers) and min(numbers) >= (242 if max(numbers) > 1 else 0.95)


def _end(text: str, start: int) -> int:
    """Where the group around a switch ends, or where it is switched back."""
    limit = min(len(text), start + _GROUP_REACH)
    back = _BACK.search(text, start, limit)
    limit = back.start() if back else limit
    depth = 0
    for match in _TURN.finditer(text, start, limit):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth < 0:
            return match.start()
    return limit
