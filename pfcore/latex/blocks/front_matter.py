r"""The front matter of a document: its authors, and the places of its title and abstract."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pfcore.domain.lazy_regex import regex
from pfcore.latex.blocks.document_title import REACH, printed_line
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros.macro import Macro

_MOST_AUTHORS = 200
_LONGEST_AUTHORS = 20_000
_LONGEST_TITLE = 2_000
_LONGEST_ABSTRACT = 20_000
_TITLE = regex(r"\\title(?![A-Za-z@])")
_AUTHOR = regex(r"\\author(?![A-Za-z@])")
_BETWEEN = regex(r"\\(?:and|And|AND|quad\s*\\and)(?![A-Za-z])")
_BELOW = regex(r"\\\\|\\newline(?![A-Za-z])")
_TABLE = regex(r"\\begin\s*\{tabular|(?<!\\)&")
"""A table of names, in which it is unknown which cells are names."""
_BLOCK = regex(r"\\IEEEauthorblockN(?![A-Za-z])")
_NOTE = regex(
    r"\\(?:thanks|footnote|footnotemark|inst|orcid|orcidID|orcidlink|corref|fnref|cormark|fnmark"
    r"|tnoteref|textsuperscript|affil|affiliation|email|address|IEEEauthorblockA"
    r"|IEEEauthorrefmark|IEEEmembership|authornote)(?![A-Za-z])\*?"
)
"""Commands whose arguments are about an author or a title, but not part of it."""
_ABSTRACT = regex(r"\\begin\{abstract\*?\}|\\abstract(?![A-Za-z@])")
_READ_IN = regex(r"\\(?:input|include)\s*\{\s*([^{}\s]{1,200})\s*\}")
_COMMAND = regex(r"\\[A-Za-z@]+\*?(?:\{[^{}]*\})*|[{}%]")
_FEW_WORDS = 20
"""Fewer characters than this beside an included file do not count as an abstract's own words."""
_ABSTRACT_END = regex(r"\\end\{abstract\*?\}")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """The head of a paper: title and abstract as canonical texts, authors as plain text.

    `mentioned` are the keys of each mention in the abstract; "" and () stand for missing parts.
    `file` is the included file, if the abstract consists of nothing else.
    """

    title: str = ""
    authors: tuple[str, ...] = ()
    abstract: str = ""
    mentioned: tuple[tuple[str, ...], ...] = ()
    file: str = ""

    def lines(self) -> tuple[str, ...]:
        """Its content as texts, for storing."""
        keys = [",".join(keys) for keys in self.mentioned]
        return self.title, self.abstract, self.file, str(len(keys)), *keys, *self.authors


def front_matter_from(lines: Sequence[str]) -> FrontMatter:
    """The front matter stored as `lines`; an empty one if there are none."""
    if not lines:
        return FrontMatter()
    title, abstract, file, count, *rest = lines
    keys, names = rest[: int(count)], rest[int(count) :]
    return FrontMatter(
        title=title,
        authors=tuple(names),
        abstract=abstract,
        mentioned=tuple(tuple(filter(None, one.split(","))) for one in keys),
        file=file,
    )


def authors(text: str, macros: Mapping[str, Macro]) -> tuple[str, ...]:
    r"""The names of the authors that a file gives, in order, each as one line.

    `macros` are the document's own. Text below a name, after `\\`, is not part of it.
    """
    if "\\author" not in text:
        return ()
    masked = mask(text[:REACH]).text
    masked = _chosen(masked) if "\\newif" in masked else masked
    groups = Groups(masked)
    found: list[str] = []
    for match in _AUTHOR.finditer(masked):
        span = _argument(groups, match.end())
        if span and span[1] - span[0] <= _LONGEST_AUTHORS and "#" not in masked[slice(*span)]:
            found += _names(masked[slice(*span)], macros)
    return tuple(dict.fromkeys(found))[:_MOST_AUTHORS]


_NEW_CONDITION = regex(r"\\newif\s*\\if(?P<name>[A-Za-z@]{1,40})(?![A-Za-z@])")
_UNBRANCHED = r"(?:(?!\\(?:if[A-Za-z@]|else|fi(?![A-Za-z@]))).){0,4000}"
_MOST_CONDITIONS = 20


def _chosen(text: str) -> str:
    """A text without branches that its own conditions never take, such as for blind review.

    If a condition is set both ways, both branches stay.
    """
    conditions = list(dict.fromkeys(match["name"] for match in _NEW_CONDITION.finditer(text)))
    for name in conditions[:_MOST_CONDITIONS]:
        values = {
            word for word in ("true", "false") if re.search(rf"\\{name}{word}(?![A-Za-z@])", text)
        }
        if len(values) > 1:
            continue
        branch = rf"(?P<yes>{_UNBRANCHED})(?:\\else(?![A-Za-z@])(?P<no>{_UNBRANCHED}))?"
        whole = rf"(?<!newif)(?<!newif )\\if{name}(?![A-Za-z@]){branch}\\fi(?![A-Za-z@])"
        taken = "yes" if values == {"true"} else "no"
        text = re.sub(whole, rf"\g<{taken}>", text, flags=re.DOTALL)
    return text


def _names(text: str, macros: Mapping[str, Macro]) -> Iterator[str]:
    for number, piece in enumerate(_BETWEEN.split(text, _MOST_AUTHORS)):
        groups = Groups(piece)
        block = _BLOCK.search(piece)
        span = groups.braces(block.end()) if block else None
        own = Groups(piece[slice(*span)]) if span else groups
        shown = "".join(own.text[slice(*part)] for part in _parts(own, 0, len(own.text)))
        name = printed_line(_first_line(shown), macros) if number < _MOST_AUTHORS else ""
        if name and not _TABLE.search(shown):
            yield name


def _first_line(text: str) -> str:
    """The first line that has words."""
    return next((line for line in _BELOW.split(text) if line.strip(" \t\n{}")), "")


def title_parts(text: str) -> list[Span]:
    """The spans of the title of a masked text, without notes; none if it has no title."""
    groups = Groups(text)
    found: list[Span] = []
    for match in _TITLE.finditer(text, 0, REACH):
        span = _argument(groups, match.end())
        if span and span[1] - span[0] <= _LONGEST_TITLE and "#" not in text[slice(*span)]:
            found = list(_parts(groups, *span))
    return found


def abstract_span(text: str) -> Span:
    """The span of the words of a masked text's abstract; (0, 0) if there is none."""
    groups = Groups(text)
    for match in _ABSTRACT.finditer(text, 0, REACH):
        if match[0].endswith("}"):
            start = _behind_option(groups, match.end())
            end = _ABSTRACT_END.search(text, start, start + _LONGEST_ABSTRACT)
            span = (start, end.start()) if end else None
        else:
            span = _argument(groups, match.end())
            is_long = span is not None and span[1] - span[0] > _LONGEST_ABSTRACT
            is_own = text.endswith("command{", 0, match.start())
            span = None if is_long or is_own else span
        if span and "#" not in text[slice(*span)] and text[slice(*span)].strip():
            return span
    return 0, 0


def _behind_option(groups: Groups, position: int) -> int:
    r"""The position after an environment's option: the language in `\begin{abstract}[spanish]`."""
    option = groups.brackets(position) if groups.text.startswith("[", position) else None
    return option[1] + 1 if option else position


def read_in(text: str, span: Span) -> str:
    """The file from which an abstract is included; "" if it has its own words."""
    found = _READ_IN.search(text, *span)
    if found is None:
        return ""
    words = _COMMAND.sub("", text[span[0] : found.start()] + text[found.end() : span[1]])
    return found[1] if len(words.strip()) < _FEW_WORDS else ""


def _argument(groups: Groups, position: int) -> Span | None:
    """The argument of a command, after a short form in brackets."""
    short = groups.brackets(position)
    return groups.braces(short[1] + 1 if short else position)


def _parts(groups: Groups, start: int, end: int) -> Iterator[Span]:
    """The pieces of a span between its notes."""
    position = start
    for match in _NOTE.finditer(groups.text, start, end):
        if match.start() < position:
            continue
        yield position, match.start()
        position = _behind(groups, match.end())
    if position < end:
        yield position, end


def _behind(groups: Groups, position: int) -> int:
    """The position after the arguments of a command."""
    short = groups.brackets(position)
    position = short[1] + 1 if short else position
    span = groups.braces(position)
    return span[1] + 1 if span else position
