"""`pf help`: the pages of the documentation as plain text, from the package or from a clone."""

import re
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import groupby
from pathlib import Path
from textwrap import wrap

from pfcore.domain.errors import UsageError

_ORDER = (
    *("writing", "together", "submitting", "models", "configuration", "reference"),
    *("glossary", "quality"),
    *("editors", "security", "threats", "design", "serving", "first-hour", "overleaf"),
)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_COMMENT = re.compile(r"<!--.*?-->")
_WORD = re.compile(r"(?:`[^`]*`|\S)+")
_RULE = re.compile(r"[|:\- ]+")
_BULLET = re.compile(r"(?:[-*]|\d+\.) ")
_GUESSED = re.compile(r"\w{3,}(?:-\w+)*")
"""Words of which it is asked where they occur: anything shorter occurs everywhere."""
_NARROW = 44
"""The most that a column takes, unless it is the last one."""


def topics() -> dict[str, str]:
    """The one sentence of each page, by its name, in the order in which they are listed."""
    return {name: _summary(_page(name)) for name in _ORDER}


def help_text(topic: str, *, commands: tuple[str, ...] = (), width: int = 80) -> str:
    """A page as plain text; UsageError with what may be meant if there is none of that name."""
    name = topic.lower().removesuffix(".md")
    if name in _ORDER:
        return plain_page(_page(name), width=width)
    likely = get_close_matches(name, [*_ORDER, *commands], n=3) or _speaking_of(name)
    meant = f" Did you mean {' or '.join(likely)}?" if likely else ""
    raise UsageError(f"unknown topic '{topic}'.{meant} pf help lists all topics")


def _speaking_of(word: str) -> list[str]:
    """The commands that print the page that has a word most often for its length, if any."""
    if not _GUESSED.fullmatch(word):
        return []
    pattern = re.compile(rf"\b{re.escape(word)}s?\b", re.IGNORECASE)
    pages = {name: _page(name) for name in _ORDER}
    shares = {name: len(pattern.findall(text)) / len(text) for name, text in pages.items()}
    most = max(shares, key=shares.__getitem__)
    return [f"pf help {most}"] if shares[most] else []


def topics_text() -> str:
    """The topics, a line for each."""
    rows = topics()
    widest = max(map(len, rows))
    lines = [f"  {name:{widest}}  {summary}" for name, summary in rows.items()]
    return "\n".join(["Topics for pf help TOPIC:", "", *lines, ""])


def plain_page(text: str, *, width: int = 80) -> str:
    """Markdown as it is read in a terminal: no marks, links with what they lead to."""
    out: list[str] = []
    is_code = False
    for is_fence, group in groupby(_COMMENT.sub("", text).splitlines(), lambda s: s[:3] == "```"):
        lines = list(group)
        if is_fence:
            is_code = not is_code
        elif is_code:
            out += [f"    {line}".rstrip() for line in lines]
        else:
            out += _prose(lines, width)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip("\n") + "\n"


def _prose(lines: list[str], width: int) -> list[str]:
    """Headings, tables, lists and paragraphs."""
    out: list[str] = []
    for kind, group in groupby(_blocks(lines), lambda block: block[:1] == "|"):
        if kind:
            out += _table([_cells(row) for row in group if not _RULE.fullmatch(row)], width)
            continue
        for block in group:
            if block.startswith("#"):
                title = _words(block.lstrip("# "))
                out += [title, ("=" if block.startswith("# ") else "-") * len(title)]
                continue
            bullet = _BULLET.match(block)
            hanging = " " * len(bullet[0]) if bullet else ""
            out += _wrapped(_words(block), width, hanging)
    return out


def _blocks(lines: list[str]) -> list[str]:
    """Paragraphs, bullets, headings and rows of tables, each on one line; "" between paragraphs."""
    found: list[str] = []
    for line in lines:
        bare = line.strip()
        is_new = not bare or bare[0] in "|#" or _BULLET.match(bare)
        if is_new or not found or not found[-1] or found[-1][0] in "|#":
            found.append(bare)
        else:
            found[-1] += f" {bare}"
    return found


def _table(rows: list[tuple[str, ...]], width: int) -> list[str]:
    """Columns side by side; the last one is wrapped into what is left."""
    columns = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    *firsts, _ = (min(column, _NARROW) for column in columns)
    indent = sum(firsts) + 2 * len(firsts)
    out: list[str] = []
    for row in rows:
        start = "".join(f"{cell:{size}}  " for cell, size in zip(row, firsts, strict=False))
        if not start.strip() and not row[-1].strip():
            continue
        out += wrap(
            row[-1], max(width, indent + 30), initial_indent=start, subsequent_indent=" " * indent
        ) or [start.rstrip()]
    return out


def _cells(row: str) -> tuple[str, ...]:
    return tuple(_words(cell.strip()) for cell in row.strip("|").split("|"))


def _words(text: str) -> str:
    return _LINK.sub(_linked, _IMAGE.sub("", text)).replace("**", "")


def _linked(match: re.Match[str]) -> str:
    """A link to a page as the command that prints it, one into the repository as its words."""
    words, target = match[1], match[2]
    page = target.partition("#")[0].removesuffix(".md")
    if page in _ORDER:
        return f"{words} (pf help {page})"
    return f"{words} ({target})" if "://" in target else words


def _wrapped(text: str, width: int, hanging: str) -> list[str]:
    """A paragraph in lines that break between words, never inside of code."""
    lines, line = [], ""
    for word in _WORD.findall(text):
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = hanging + word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line]


def _summary(text: str) -> str:
    """The one line below the title."""
    return text.splitlines()[2]


def _page(name: str) -> str:
    return _folder().joinpath(f"{name}.md").read_text(encoding="utf-8")


def _folder() -> Traversable:
    """Where the pages are: in the package, or in the clone that it was installed from in place."""
    packaged = files("pfcore").joinpath("pages")
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parents[3] / ".github" / "docs"
