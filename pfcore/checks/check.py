"""What a check sees, and how it makes a finding."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pfcore.domain.errors import SourceError
from pfcore.domain.findings import finding_id, located, quoted
from pfcore.domain.spans import LineIndex
from pfcore.domain.values import Finding, Location, Module, Passage, Severity
from pfcore.graph.document import ProofDocument
from pfcore.graph.paper_state import PaperState
from pfcore.impact.plan import Plan
from pfcore.latex.lexer.normal_form import normal_form
from pfcore.latex.lexer.whitespace import GIVEN, NAME, first_form
from pfcore.latex.lexer.whitespace import bare as without_anchors
from pfcore.latex.parsed_file import Block
from pfcore.papers.paper import Paper

Value = TypeVar("Value")
_LATEX = frozenset("\\${}~^_")
"""Characters of a title that is hard to read unless it is typeset."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckInput:
    """A paper as it is; for checks of a change also as it was, and what the change affects.

    `spared` are files that a change left as they were; a check of every formula skips them.
    `is_base` says that its findings are only compared by id, `is_read` that no proof is left to
    read; `only` is the id of the one check to run, "" for all. `lines` caches the line breaks of
    files that findings point into, `typeset` the results of `printed`.
    """

    state: PaperState
    before: PaperState | None = None
    plan: Plan | None = None
    spared: frozenset[str] = frozenset()
    is_base: bool = False
    is_read: bool = False
    only: str = ""
    lines: dict[str, LineIndex] = field(default_factory=dict)
    typeset: dict[str, str] = field(default_factory=dict)

    @property
    def document(self) -> ProofDocument:
        """The proof document of the paper as it is."""
        return self.state.document

    @property
    def paper(self) -> Paper:
        """The paper as it is."""
        return self.state.paper

    @property
    def is_complete(self) -> bool:
        """Whether all files that the paper reads in could be read."""
        return self.paper.outline.is_complete

    def owners(self) -> dict[tuple[str, int], str]:
        """The module of each block, by file and index."""
        return {
            (passage.location.path, passage.block): module.id
            for module in self.document.modules.values()
            for passage in module.passages
        }

    def around(self, path: str, offset: int) -> str | None:
        """The module with the smallest passage around an offset."""
        found = [
            (passage.location.end - passage.location.start, module.id)
            for module in self.document.modules.values()
            for passage in module.passages
            if passage.location.path == path
            and passage.location.start <= offset < passage.location.end
        ]
        return min(found)[1] if found else None

    def name(self, module: str) -> str:
        """A module's name for people: `Lemma 2.7 (cone face)`, or with its label if unnumbered.

        Counting is slow to load, so that among notes only the rare ones on circles use it.
        """
        found, numbering = self.document.modules[module], self.state.numbering
        number = numbering.of(found) if not self.is_base and numbering.is_quick else None
        if not number:
            called = found.label or found.title
            place = found.statement.location
            return f"{found.kind.capitalize()} {called or f'at {place.path}:{place.line}'}"
        is_plain = found.title and not _LATEX & set(found.title) and found.title != number
        title = f" ({found.title})" if is_plain else ""
        return f"{found.kind.capitalize()} {number}{title}"

    def kept(
        self,
        keys: Mapping[str, str],
        decode: Callable[[str], Value],
        make: Callable[[str], tuple[Value, dict[str, str]]],
    ) -> dict[str, Value]:
        """What a check knows of each file, from the parse cache where it is there."""
        return kept(self.paper, keys, decode, make)

    def at(self, path: str, start: int, end: int) -> tuple[Location, str]:
        """A span of a file as a location and a quote."""
        source = self.paper.source(path)
        if path not in self.lines:
            self.lines[path] = LineIndex(source)
        location = located(path, source, start, end, self.lines[path])
        return location, quoted(source, location)

    def printed(self, path: str) -> str:
        """A file's text with everything that LaTeX never typesets blanked, at the same offsets.

        Blanked are comments, branches and environments that are never read, and arguments that the
        paper's own macros do not use; definitions stay.
        """
        if path not in self.typeset:
            from pfcore.latex.lexer.mask import mask
            from pfcore.latex.project.survey import unread, without
            from pfcore.latex.structure import macro_uses

            how = self.paper.syntax
            text = mask(self.paper.source(path), how.dead).text
            text = without(text, unread(text, how.excluded, how.toggles))
            self.typeset[path] = macro_uses.without(text, how)
        return self.typeset[path]

    def opening(self, passage: Passage) -> tuple[Location, str]:
        """The first line of a passage as a location and a quote."""
        return self.first_line(*passage.location[:3])

    def line(self, passage: Passage, offset: int) -> tuple[Location, str]:
        """The line of a passage in which an offset lies, as a location and a quote."""
        path, start, _ = passage.location[:3]
        begin = self.paper.source(path).rfind("\n", start, offset) + 1
        return self.first_line(path, max(begin, start), passage.location.end)

    def first_line(self, path: str, start: int, end: int) -> tuple[Location, str]:
        """The first line of a span as a location and a quote."""
        line = self.paper.source(path).find("\n", start)
        return self.at(path, start, end if line < 0 else min(end, line))


def kept(
    paper: Paper,
    keys: Mapping[str, str],
    decode: Callable[[str], Value],
    make: Callable[[str], tuple[Value, dict[str, str]]],
) -> dict[str, Value]:
    """What a check knows of each file, from the parse cache where it is there."""
    parse_cache = paper.parse_cache
    parse_cache.missing(keys)
    found = parse_cache.get_or_parse(keys, decode, make)
    parse_cache.keep()
    return found


def conditional_spans(paper: Paper, path: str) -> list[tuple[int, int]]:
    """The spans of a file that LaTeX may skip: conditions, or all if it is input in a condition."""
    try:
        text = paper.source(path)
    except SourceError:
        return []
    if not _is_read_in(paper, path):
        return [(0, len(text) + 1)]
    return _conditions(paper, text)


def _is_read_in(paper: Paper, path: str) -> bool:
    """Whether a file is input outside of conditions, or by no file at all.

    Iterative, because a chain of files may be longer than the recursion limit.
    """
    readers: dict[str, list[tuple[str, int]]] = {}
    for parent, listed in paper.outline.inclusions.items():
        for item in listed if parent in paper.readings else ():
            if item.path:
                readers.setdefault(item.path, []).append((parent, item.offset))
    known, pending = {path}, [(path, frozenset({path}))]
    while pending:
        name, below = pending.pop()
        ways = [way for way in readers.get(name, ()) if way[0] not in below]
        if not ways:
            return True
        for parent, offset in ways:
            conditions = _conditions(paper, paper.source(parent))
            is_free = not any(start <= offset < end for start, end in conditions)
            if is_free and parent not in known:
                known.add(parent)
                pending.append((parent, below | {parent}))
    return False


def _conditions(paper: Paper, text: str) -> list[tuple[int, int]]:
    """The spans of a text's conditions, except taken branches of those that always hold."""
    if "\\fi" not in text:
        return []
    from pfcore.latex.lexer.mask import conditions, mask
    from pfcore.latex.project.survey import always_set

    surveys = [paper.surveys[one] for one in paper.outline.order if one in paper.surveys]
    packages = {link.target for one in surveys for link in one.links}
    holding = always_set((one.switches for one in surveys), packages)
    return conditions(mask(text, paper.syntax.dead).text, holding)


_WORDS_OF_CODE = (
    *("\\loop", "ShortVerb", "ShortInline", "\\comment", "\\iffalse", "lrbox", "\\setbox"),
    *("\\verbatim", "\\Verbatim", "erbatimE", "VerbatimOut", "SaveVerbatim", "verbatimtab", "tcb"),
    *("TCB", "verbatimwrite", "boxedverb", "lstnewenv", "\\lstlisting", "newminted", "scontents"),
    *("filecontents", "luacode", "{py", "{sage", "{asy"),
)


def may_hold_code(paper: Paper) -> bool:
    """Whether some text may contain a command that prints its content as code, or drops it."""
    texts = (paper.source(path) for path in paper.readings)
    return any(word in text for text in texts for word in _WORDS_OF_CODE)


def own_styles(paper: Paper) -> dict[str, str]:
    """The sources of a paper's own styles and classes, by path."""
    listed = (path for path in paper.outline.order if path not in paper.readings)
    return {path: paper.source(path) for path in listed if path in paper.surveys}


def written_in(sources: Iterable[str], name: str, *, flags: re.RegexFlag = re.NOFLAG) -> bool:
    """Whether some source contains the text of a file, which LaTeX then writes (filecontents)."""
    begins = r"\\begin\s*\{filecontents\*?\}\s*(?:\[[^\]]*\]\s*)?\{"
    written = re.compile(rf"{begins}{re.escape(name)}\}}", flags)
    return any(written.search(source) for source in sources)


def block(state: PaperState, passage: Passage) -> Block:
    """The block of a passage."""
    return state.paper.readings[passage.location.path].blocks[passage.block]


def says_the_same(now: PaperState, module: Module, then: PaperState, other: Module) -> bool:
    """Whether two statements differ at most in their titles."""
    return module.statement.digest == other.statement.digest or (
        module.title != other.title and _untitled(now, module) == _untitled(then, other)
    )


def _untitled(state: PaperState, module: Module) -> str:
    """The words of a statement without a leading title in parentheses."""
    passage = module.statement
    stored = state.paper.texts(passage.location.path)[passage.block]
    words = normal_form(without_anchors(first_form(stored)))
    given, mark, text = words.rpartition(GIVEN)
    depth = 0
    for position, letter in enumerate(text if module.title and NAME not in stored else ""):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return given + mark + text[position + 1 :].lstrip()
    return words


Run = Callable[[CheckInput, "Check"], Iterable[Finding]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check: its id, the severity of its findings, its summary for people, and its function."""

    id: str
    severity: Severity
    rationale: str
    run: Run

    def finding(
        self,
        message: str,
        *,
        subject: str,
        module: str | None,
        place: tuple[Location, str],
        severity: Severity | None = None,
        related: tuple[str, ...] = (),
    ) -> Finding:
        """A finding of this check; `subject` identifies it independently of the wording."""
        location, quote = place
        return Finding(
            id=finding_id(self.id, subject, module),
            rule=self.id,
            subject=subject,
            severity=severity or self.severity,
            module=module,
            message=message,
            quote=quote,
            location=location,
            related=related,
        )
