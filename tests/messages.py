"""The sentences that people see, as the sources have them.

A message is any string literal of two words or more, in a folder whose literals reach people: an
error, a finding, what is printed, a help, a summary of a check, a comment, a page. Adjacent
literals are one, and what is filled in is an ellipsis. Docstrings are no messages, nor is what a
machine reads: patterns, SQL, HTML's tags. That is more than people see and never less, so that no
new way of printing can slip by.
"""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

REPO = Path(__file__).resolve().parents[1]
FOLDERS = (
    "hooks",
    "bot",
    "pfcore/checks",
    "pfcore/cli",
    "pfcore/domain",
    "pfcore/impact",
    "pfcore/ledger",
    "pfcore/llm",
    "pfcore/papers",
    "pfcore/reporters",
    "pfcore/repository",
    "pfcore/review",
    "pfcore/sqlite_files.py",
    "pfcore/latex/project/documents.py",
    "pfcore/latex/project/include_graph.py",
)
"""Where messages are made; texts of `graph`, `verification` and `markup` are for models and ids."""
GUIDES = REPO / "pfcore" / "cli" / "commands" / "rules.toml"
PAGES = (REPO / "README.md", *sorted((REPO / ".github" / "docs").glob("*.md")))

DOCUMENTS = (*PAGES, *sorted((REPO / ".github").glob("*.md")))
"""All that is written for people: the pages, and what contributors and others look for."""

_PATTERNS = frozenset({"regex", "compile", "sub", "subn", "search", "match", "fullmatch", "text"})
_SQL = re.compile(r"\s*(SELECT|INSERT|CREATE|DROP|PRAGMA|BEGIN|UPDATE|DELETE)\b")
_WORDS = re.compile(r"[A-Za-z]\S? +\S?[A-Za-z]")
_TAG = re.compile(r"<!--.*?-->|<script.*?</script>|<[^<>]*>|\{%.*?%\}", re.DOTALL)
_FILLED = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


class Message(NamedTuple):
    """A sentence, and where it is."""

    path: str
    line: int
    words: str


@cache
def messages() -> tuple[Message, ...]:
    """All of them, file by file."""
    return tuple(messages_of(REPO))


def messages_of(repo: Path) -> Iterator[Message]:
    """Those of a clone of the repository."""
    for path in sources(repo):
        name = path.relative_to(repo).as_posix()
        for line, words in literals(path.read_text("utf-8")):
            yield Message(name, line, words)
    for path in sorted((repo / "bot" / "web" / "templates").glob("*.html")):
        name = path.relative_to(repo).as_posix()
        for words in html_texts(path.read_text("utf-8")):
            yield Message(name, 0, words)
    guides = repo / GUIDES.relative_to(REPO)
    for rule in tomllib.loads(guides.read_text("utf-8")).values():
        for words in rule.values():
            yield Message(guides.relative_to(repo).as_posix(), 0, words)


def sources(repo: Path = REPO) -> Iterator[Path]:
    """The modules of Python that make messages."""
    for folder in FOLDERS:
        place = repo / folder
        yield from [place] if place.is_file() else sorted(place.rglob("*.py"))


def nouns(source: str) -> Iterator[tuple[int, str]]:
    """What a module counts, and what its usage lines call an argument, each with its line."""
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call):
            counted = call.args[1:] if _name(call.func) == "plural" else []
            named = [one.value for one in call.keywords if one.arg in _NOUNS]
            for value in (*counted, *named):
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.lineno, value.value


_NOUNS = frozenset({"plural", "metavar", "noun"})


def literals(source: str) -> list[tuple[int, str]]:
    """The string literals of a module that may be messages, each with its line."""
    found: list[tuple[int, str]] = []
    _collect(ast.parse(source), found)
    return [(line, text) for line, text in found if _WORDS.search(text) and not _SQL.match(text)]


def _collect(node: ast.AST, found: list[tuple[int, str]]) -> None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return  # a docstring
    if isinstance(node, ast.Call) and _name(node.func) in _PATTERNS:
        return
    if isinstance(node, ast.JoinedStr):
        parts = [p.value if isinstance(p, ast.Constant) else "…" for p in node.values]
        found.append((node.lineno, _TAG.sub(" ", "".join(map(str, parts)))))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                _collect(part.value, found)
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        found.append((node.lineno, _TAG.sub(" ", node.value)))
    for child in ast.iter_child_nodes(node):
        _collect(child, found)


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def html_texts(template: str) -> list[str]:
    """The words of a template, without tags and what is filled in."""
    text = _TAG.sub("\n", _FILLED.sub("…", template.replace("</code>", "").replace("<code>", "")))
    return [" ".join(line.split()) for line in text.split("\n") if _WORDS.search(line)]


def prose(page: str) -> str:
    """A page without what is code in a block."""
    return _FENCE.sub("", page)


def plain(page: str) -> str:
    """The words of a page alone: of what is code between them only the place is left."""
    return re.sub(r"`[^`]*`", "`…`", prose(page))


def sentences(text: str) -> list[str]:
    """The sentences of a text in Markdown, roughly: a row of a table has one for each cell."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n|\n(?=[-|#])", text):
        for cell in block.split("|"):
            flat = " ".join(cell.split())
            found += [
                part for part in re.split(r"(?<=[.!?])\s+(?=[A-Z`*])", flat) if part.count(" ") > 1
            ]
    return found
