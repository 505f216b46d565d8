"""Reads a file in PF markup into the same records as a LaTeX file: blocks, labels and so on.

Each section is read separately, so that a broken one does not affect the others. The readings are
then combined, with all places counted from the start of the file.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import LineIndex
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.lexer.mask import CONFLICT, TexComment, conflicts, is_conflict, mask
from pfcore.latex.parsed_file import (
    Block,
    Ignore,
    Label,
    ParsedFile,
    Reference,
    SourcePlace,
    SourceProblem,
)
from pfcore.latex.project.recipes import ParseJob, SplicedSource
from pfcore.latex.project.survey import Survey
from pfcore.latex.project.survey import survey_file as survey_of_latex
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.reader import Read, ignored, keys_of, parse_latex_file
from pfcore.latex.structure.tree import TagFrame, frame
from pfcore.markup import tagged_sections
from pfcore.markup.pf_paper import KIND, PREFIX
from pfcore.markup.pf_proof import is_empty, name, one_theorem, outline, section_citations
from pfcore.markup.tagged_sections import TaggedSection

_SHORT = {"theorem": "thm", "proposition": "prop", "lemma": "lem"}
_ID = regex(r"[\w.-]{1,20}")
_CONTROLS = regex("[\x00-\x08\x0b-\x1f\x7f]")
_INNOCENT = frozenset({"aside", "hedged", "notation"})
"""Forms of mentions that need not be uses of what they name."""


def survey_pf_file(text: str, *, note: str = "") -> Survey:
    """The macros that a file defines inside its sections; it declares nothing else.

    Its class is `KIND` if it has any of the tags.
    """
    known = tagged_sections.read_sections(_plain(text))
    found = [
        (section.content, survey_of_latex(section.body))
        for section in known.listed
        if "\\" in section.body
    ]
    macros = tuple(
        item._replace(start=item.start + by, end=item.end + by)
        for by, made in found
        for item in made.macros
    )
    silent = tuple((start + by, end + by) for by, made in found for start, end in made.silent)
    kind = KIND if tagged_sections.is_meant(known) else ""
    return Survey((), (), macros, (), kind, "", -1, silent, (), note)


def read_pf_file(job: ParseJob, syntax: Syntax) -> Read:
    """Read a file."""
    return _PfFile(job.source, syntax).read()


def label(section: TaggedSection) -> str:
    """The label of a section's component: `thm`, `thm:1`, `prop:2`, `lem:2.1`, or ""."""
    short = _SHORT[section.kind]
    if not section.id:
        return short if section.kind == "theorem" else ""
    return f"{short}:{section.id}" if _ID.fullmatch(section.id) else ""


def _plain(text: str) -> str:
    return _CONTROLS.sub(" ", text)


Span = tuple[int, int]


class _PfFile:
    def __init__(self, source: SplicedSource, syntax: Syntax) -> None:
        text = _plain(source.text)
        found = tagged_sections.read_sections(text)
        self._found = found
        self._outline = outline(found)
        self._silent = sorted(source.silent)
        self._syntax = syntax
        self._text = text
        self._joining = Joining(text)
        statements = [section for section in found.listed if not section.is_proof]
        theorems = [section for section in statements if section.kind == "theorem"]
        self._theorem = one_theorem(found)
        self._unit = "document" if len(theorems) > 1 else ""
        self._labels = {
            key: label(component.statement) for key, component in self._outline.components.items()
        }
        self._blocks: dict[str, int] = {}
        self._seconds: dict[str, int] = {}

    def read(self) -> Read:
        """All sections as blocks of one file, with the problems of its form."""
        for section in self._found.listed:
            if not (section.is_proof and is_empty(section)):
                self._add(section)
        for start, gap in self._found.gaps():
            if "%" in gap:
                self._joining.add_comments(mask(gap).comments, start)
        self._joining.add_problems(self._faults(self._joining.read().reading))
        return self._joining.read()

    def _add(self, section: TaggedSection) -> None:
        """Add a section, with its tags replaced by spaces."""
        around = len(section.opening), len(section.closing)
        text = f"{' ' * around[0]}{section.body}{' ' * around[1]}"
        source = SplicedSource(text, self._silent_in(section))
        title = "" if section.is_proof else section.label
        own = Own(self._parent(section), self._aim(section), self._reach(section), title)
        second = self._second(section)
        if second >= 0:
            own = own._replace(parent=second, aim=())
        elif not section.is_proof:
            known = self._seconds if name(section) in self._blocks else self._blocks
            known[name(section)] = self._joining.count
        span = section.start, section.end
        self._joining.add(parse_latex_file(source, self._syntax, self._frame(section)), span, own)

    def _second(self, section: TaggedSection) -> int:
        """For the second proof of a name, the block of its second statement; else -1."""
        component = self._outline.components.get(name(section))
        if component is None or not section.is_proof or component.proof is section:
            return -1
        return self._seconds.pop(name(section), -1)

    def _frame(self, section: TaggedSection) -> TagFrame:
        component = self._outline.components.get(name(section))
        is_first = component is not None and component.statement is section
        start = len(section.opening)
        return frame(
            section.tag,
            self._labels[name(section)] if is_first else "",
            (start, start + len(section.body)),
            self._references(section),
        )

    def _references(self, section: TaggedSection) -> Iterator[CommandEvent]:
        """The places in a section's words that cite components.

        A list with an unknown number is left to the reader of words, as in LaTeX, which keeps all.
        """
        by = len(section.opening)
        for item in section_citations(section, self._labels, self._theorem):
            if not item.is_whole:
                continue
            keys = tuple(self._labels[key] for key in item.names if self._labels[key])
            yield CommandEvent(item.start + by, item.end + by, "reference", "cited", keys, "")

    def _parent(self, section: TaggedSection) -> int:
        """The block whose premises a statement inherits, or -1.

        A lemma's is its proposition; a proposition's is the theorem if there is only one.
        """
        if section.is_proof or section.kind == "theorem":
            return -1
        component = self._outline.components[name(section)]
        return self._blocks.get(component.parent or self._theorem, -1)

    def _aim(self, section: TaggedSection) -> tuple[str, ...]:
        return (self._labels.get(name(section), ""),) if section.is_proof else ()

    def _reach(self, section: TaggedSection) -> str:
        return self._unit if section.kind == "theorem" and not section.is_proof else ""

    def _silent_in(self, section: TaggedSection) -> list[Span]:
        """The macro definitions in a section, relative to its start."""
        first = bisect_left(self._silent, (section.content, 0))
        last = bisect_left(self._silent, (section.end, 0))
        return [
            (start - section.start, end - section.start) for start, end in self._silent[first:last]
        ]

    def _faults(self, reading: ParsedFile) -> Iterator[SourceProblem]:
        """The problems of the form; a citation that only mentions a result is not one."""
        innocent = {
            (mention.start, mention.end)
            for block in reading.blocks
            for mention in block.mentions
            if mention.form in _INNOCENT
        }
        text = mask(self._text).text
        for start, end in conflicts(text):
            yield SourceProblem("merge-conflict", CONFLICT, "", start, end)
        for fault in self._outline.faults:
            if fault.code == "outside" and is_conflict(text[fault.start : fault.end]):
                continue
            if fault.code != "citation" or (fault.start, fault.end) not in innocent:
                code = f"{PREFIX}{fault.code}"
                yield SourceProblem(code, fault.message, fault.tag, fault.start, fault.end)


class Own(NamedTuple):
    """Properties of a section's block that are not in its text; see `records.Block`."""

    parent: int
    aim: tuple[str, ...]
    unit: str
    title: str


class Joining:
    """Collects the readings of a file's sections in the order of their places."""

    def __init__(self, text: str) -> None:
        self._lines = LineIndex(text)
        self._blocks: list[Block] = []
        self._texts: list[str] = []
        self._labels: list[Label] = []
        self._references: list[Reference] = []
        self._problems: list[SourceProblem] = []
        self._ignores: list[Ignore] = []
        self._words: list[str] = []
        self._notation: set[str] = set()
        self._seen: set[str] = set()

    @property
    def count(self) -> int:
        """The number of blocks."""
        return len(self._blocks)

    def add(self, made: Read, span: Span, own: Own) -> None:
        """Add the reading of the section with this span."""
        found, first, start = made.reading, self.count, span[0]
        self._texts += made.texts
        self._blocks += self._moved(found.blocks, span, own)
        self._words += self._fresh(found.vocabulary)
        self._notation.update(filter(None, found.notation.split("\n")))
        self._labels += [
            item._replace(
                offset=item.offset + start,
                block=_after(item.block, first),
                fragment=_after(item.fragment, first),
            )
            for item in found.labels
        ]
        self._references += [
            item._replace(
                start=item.start + start, end=item.end + start, block=_after(item.block, first)
            )
            for item in made.references
        ]
        self.add_problems(found.problems, start)
        self.add_ignores(found.ignores, start)

    def add_problems(self, problems: Iterable[SourceProblem], start: int = 0) -> None:
        """Add problems whose places are relative to `start`."""
        self._problems += [
            item._replace(start=item.start + start, end=item.end + start) for item in problems
        ]

    def add_comments(self, comments: Sequence[TexComment], start: int) -> None:
        """Add the ignore comments among comments whose places are relative to `start`."""
        self.add_ignores(ignored(comments, LineIndex("")), start)

    def add_ignores(self, ignores: Iterable[Ignore], start: int) -> None:
        """Add ignore comments whose places are relative to `start`."""
        for item in ignores:
            offset = item.offset + start
            self._ignores.append(item._replace(offset=offset, line=self._lines.place(offset)[0]))

    def read(self) -> Read:
        """The reading of the file, with the texts of its blocks and its references."""
        reading = ParsedFile(
            tuple(self._blocks),
            tuple(self._labels),
            (),
            (),
            keys_of(self._references),
            tuple(sorted(self._problems, key=lambda item: item.start)),
            tuple(sorted(self._ignores, key=lambda item: item.offset)),
            tuple(self._words),
            "\n".join(sorted(self._notation)),
        )
        return Read(reading, tuple(self._texts), tuple(self._references))

    def _moved(self, blocks: Sequence[Block], span: Span, own: Own) -> list[Block]:
        """The blocks of a section; the first is the section itself, tags and all."""
        first, start = self.count, span[0]
        made = [self._at(block, start) for block in blocks]
        made = [block._replace(parent=_after(block.parent, first)) for block in made]
        if made:
            made[0] = made[0]._replace(place=self._place(*span), **own._asdict())
        return made

    def _at(self, block: Block, by: int) -> Block:
        return block._replace(
            place=self._shifted(block.place, by),
            mentions=tuple(m._replace(start=m.start + by, end=m.end + by) for m in block.mentions),
            results=tuple(
                item._replace(place=self._shifted(item.place, by)) for item in block.results
            ),
        )

    def _shifted(self, place: SourcePlace, by: int) -> SourcePlace:
        return self._place(place.start + by, place.end + by)

    def _place(self, start: int, end: int) -> SourcePlace:
        return SourcePlace(start, end, *self._lines.place(start), *self._lines.place(end))

    def _fresh(self, vocabulary: Sequence[str]) -> list[str]:
        """For each block of a section, the words that occur in no earlier section."""
        listed = [
            [word for word in words.split("\n") if word not in self._seen] for words in vocabulary
        ]
        self._seen.update(word for words in listed for word in words)
        return list(map("\n".join, listed))


def _after(index: int, first: int) -> int:
    """The index of a block after shifting by `first`; -1 (none) stays -1."""
    return index + first if index >= 0 else -1
