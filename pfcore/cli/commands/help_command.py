"""`pf help`: the pages of the documentation as plain text, from the package or from a clone."""

import re
from difflib import get_close_matches
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import groupby, zip_longest
from pathlib import Path

from pfcore.domain.errors import UsageError

_ORDER = (
    *("writing", "together", "submitting", "models", "configuration", "reference"),
    *("glossary", "quality"),
    *("editors", "security", "threats", "design", "serving", "first-hour", "overleaf"),
)
_SECTIONS = {
    "blueprint": ("writing", "## Lean blueprints"),
    "pf": ("writing", "## Writing `.pf` files"),
}
"""Topics that are sections of a page, each with its page and heading."""
_ALSO = {
    **dict.fromkeys(
        ("lean", "blueprints", "leanblueprint", "leanarchitect", "leanok"), "blueprint"
    ),
    **dict.fromkeys((".pf", "*.pf", "pseudo-formal", "modules", "markup", "pf-markup"), "pf"),
}
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_COMMENT = re.compile(r"<!--.*?-->")
_WORD = re.compile(r"(?:`[^`]*`|\S)+")
_RULE = re.compile(r"[|:\- ]+")
_BULLET = re.compile(r"(?:[-*]|\d+\.) ")
_GUESSED = re.compile(r"\w{3,}(?:-\w+)*")
"""Words to search in the pages; shorter ones occur everywhere."""
_NARROW = 8
"""The least width of a column, unless its text is narrower."""


def topics() -> dict[str, str]:
    """The summary line of each topic by its name, in the order of the list."""
    return {name: _summary(_page(name)) for name in (*_ORDER, *_SECTIONS)}


def help_text(topic: str, *, commands: tuple[str, ...] = (), width: int = 80) -> str:
    """A page as plain text; UsageError with suggestions if no topic has that name."""
    name = topic.lower().removesuffix(".md")
    name = _ALSO.get(name.removeprefix("\\"), name)
    if name in _ORDER or name in _SECTIONS:
        return plain_page(_page(name), width=width)
    likely = get_close_matches(name, [*_ORDER, *commands], n=3) or _speaking_of(name)
    meant = f" Did you mean {' or '.join(likely)}?" if likely else ""
    raise UsageError(f"unknown topic '{topic}'.{meant} pf help lists all topics")


def _speaking_of(word: str) -> list[str]:
    """The command for the page with the highest share of a word, if any page has it."""
    if not _GUESSED.fullmatch(word):
        return []
    pattern = re.compile(rf"\b{re.escape(word)}s?\b", re.IGNORECASE)
    pages = {name: _page(name) for name in _ORDER}
    shares = {name: len(pattern.findall(text)) / len(text) for name, text in pages.items()}
    most = max(shares, key=shares.__getitem__)
    return [f"pf help {most}"] if shares[most] else []


def topics_text(*, width: int | None = None) -> str:
    """The topics with their sentences, wrapped to the width; without one, a line each."""
    rows = topics()
    width = width or max(map(len, rows.values())) * 2
    hanging = " " * (max(map(len, rows)) + 4)
    lines = [
        line
        for name, summary in rows.items()
        for line in _wrapped(summary, width, hanging, first=f"  {name}".ljust(len(hanging)))
    ]
    return "\n".join(["Topics for pf help TOPIC:", "", *lines, ""])


def plain_page(text: str, *, width: int = 80) -> str:
    """Markdown as plain text for a terminal: without marks, links with their targets."""
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
                title = _wrapped(_words(block.lstrip("# ")), width, "")
                out += [*title, ("=" if block.startswith("# ") else "-") * max(map(len, title))]
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
    """A table with wrapped cells; if its columns do not fit, the cells one below the other."""
    head, *body = (row for row in rows if any(row))
    columns = _columns([head, *body], width)
    if not columns:
        return [line for row in body for line in _stacked(head, row, width)]
    out: list[str] = []
    for row in (head, *body):
        cells = [_wrapped(cell, size, "") for cell, size in zip(row, columns, strict=True)]
        for line in zip_longest(*cells, fillvalue=""):
            padded = (f"{part:{size}}" for part, size in zip(line, columns, strict=True))
            out.append("  ".join(padded).rstrip())
    return out


def _columns(rows: list[tuple[str, ...]], width: int) -> list[int]:
    """The widths of columns: at most that of their text, wide ones equal; [] without room."""
    by_column = list(zip(*rows, strict=True))
    widest = [max(map(len, cells)) for cells in by_column]
    words = [
        max((len(word) for cell in cells for word in _WORD.findall(cell)), default=0)
        for cells in by_column
    ]
    least = [min(whole, max(_NARROW, word)) for whole, word in zip(widest, words, strict=True)]
    room = width - 2 * (len(widest) - 1)
    for most in range(max(widest), 0, -1):
        found = [max(low, min(most, whole)) for low, whole in zip(least, widest, strict=True)]
        if sum(found) <= room:
            return found
    return []


def _stacked(head: tuple[str, ...], row: tuple[str, ...], width: int) -> list[str]:
    """The first cell of a row, then each other cell after the name of its column."""
    first, *cells = row
    out = _wrapped(first, width, "")
    for name, cell in zip(head[1:], cells, strict=True):
        if cell:
            out += _wrapped(cell, width, "    ", first=f"  {name}: " if name else "  ")
    return out


def _cells(row: str) -> tuple[str, ...]:
    return tuple(_words(cell.strip()) for cell in row.strip("|").split("|"))


def _words(text: str) -> str:
    return _LINK.sub(_linked, _IMAGE.sub("", text)).replace("**", "")


def _linked(match: re.Match[str]) -> str:
    """A link to a page with the command that prints it; one into the repository as its words."""
    words, target = match[1], match[2]
    page = target.partition("#")[0].removesuffix(".md")
    if page in _ORDER:
        return f"{words} (pf help {page})"
    return f"{words} ({target})" if "://" in target else words


def _wrapped(text: str, width: int, hanging: str, first: str = "") -> list[str]:
    """A paragraph wrapped between words, never inside code, beginning with `first`."""
    lines, line, is_begun = [], first, False
    for word in _WORD.findall(text):
        if is_begun and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = hanging + word
        else:
            line = f"{line} {word}" if is_begun else line + word
        is_begun = True
    return [*lines, line]


def _summary(text: str) -> str:
    """The one line below the title."""
    return text.splitlines()[2]


def _page(name: str) -> str:
    if name in _SECTIONS:
        page, heading = _SECTIONS[name]
        section = _page(page).partition(f"\n{heading}\n")[2].partition("\n## ")[0]
        return f"# {heading.lstrip('# ')}\n{section}\n"
    return _folder().joinpath(f"{name}.md").read_text(encoding="utf-8")


def _folder() -> Traversable:
    """The folder of the pages: in the package, or in the clone of an editable install."""
    packaged = files("pfcore").joinpath("pages")
    if packaged.is_dir():
        return packaged
    return Path(__file__).resolve().parents[3] / ".github" / "docs"
