"""A file in PF markup as the records that a LaTeX file gives: blocks, labels, references, faults.

Each section is read by itself, so that what is broken in one of them stays in there.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator

from pfcore.latex.lexer.event import CommandEvent
from pfcore.latex.lexer.mask import mask
from pfcore.latex.parsed_file import ParsedFile, SourceProblem
from pfcore.latex.project.recipes import ParseJob
from pfcore.latex.project.splice import SplicedSource
from pfcore.latex.project.survey import Survey
from pfcore.latex.project.survey import survey_file as survey_of_latex
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.reader import Read, parse_latex_file
from pfcore.latex.structure.frames import TagFrame, frame
from pfcore.markup import tagged_sections
from pfcore.markup.joining import Joining, Own, Span
from pfcore.markup.pf_proof import citations, name, outline
from pfcore.markup.tagged_sections import TaggedSection
from pfcore.markup.tags import KIND, PREFIX

_SHORT = {"theorem": "thm", "proposition": "prop", "lemma": "lem"}
_ID = re.compile(r"[\w.-]{1,20}")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_INNOCENT = frozenset({"aside", "hedged", "notation"})
"""Forms of mentions that may not rest on what they name."""


def survey_pf_file(text: str, *, note: str = "") -> Survey:
    """The macros that a file defines inside of its sections; it declares nothing else.

    Its class is `KIND`, if it has any of the tags.
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
    """The name of what a section is about: `thm`, `thm:1`, `prop:2`, `lem:2.1`, or ""."""
    short = _SHORT[section.kind]
    if not section.id:
        return short if section.kind == "theorem" else ""
    return f"{short}:{section.id}" if _ID.fullmatch(section.id) else ""


def _plain(text: str) -> str:
    return _CONTROLS.sub(" ", text)


class _PfFile:
    def __init__(self, source: SplicedSource, syntax: Syntax) -> None:
        text = _plain(source.text)
        found = tagged_sections.read_sections(text)
        self._found = found
        self._outline = outline(found)
        self._silent = sorted(source.silent)
        self._syntax = syntax
        self._joining = Joining(text)
        statements = [section for section in found.listed if not section.is_proof]
        theorems = [section for section in statements if section.kind == "theorem"]
        self._theorem = name(theorems[0]) if len(theorems) == 1 else ""
        self._unit = "document" if len(theorems) > 1 else ""
        self._labels = {
            key: label(component.statement) for key, component in self._outline.components.items()
        }
        self._blocks: dict[str, int] = {}

    def read(self) -> Read:
        """All sections as blocks of one file, with what is wrong with its form."""
        for section in self._found.listed:
            self._add(section)
        for start, gap in self._found.gaps():
            if "%" in gap:
                self._joining.add_comments(mask(gap).comments, start)
        self._joining.add_problems(self._faults(self._joining.read().reading))
        return self._joining.read()

    def _add(self, section: TaggedSection) -> None:
        """Add a section, with spaces in the place of its tags."""
        around = len(section.opening), len(section.closing)
        text = f"{' ' * around[0]}{section.body}{' ' * around[1]}"
        source = SplicedSource(text, self._silent_in(section))
        own = Own(self._parent(section), self._aim(section), self._reach(section))
        if not section.is_proof:
            self._blocks.setdefault(name(section), self._joining.count)
        span = section.start, section.end
        self._joining.add(parse_latex_file(source, self._syntax, self._frame(section)), span, own)

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
        """The places in a section's words that cite a component."""
        by = len(section.opening)
        for item in citations(mask(section.body).text, self._labels):
            keys = tuple(self._labels[key] for key in item.names if self._labels[key])
            yield CommandEvent(item.start + by, item.end + by, "reference", "cited", keys, "")

    def _parent(self, section: TaggedSection) -> int:
        """The block whose premises a statement inherits; with several theorems they bind all."""
        if section.is_proof or section.kind == "theorem":
            return -1
        component = self._outline.components[name(section)]
        return self._blocks.get(component.parent or self._theorem, -1)

    def _aim(self, section: TaggedSection) -> tuple[str, ...]:
        return (self._labels.get(name(section), ""),) if section.is_proof else ()

    def _reach(self, section: TaggedSection) -> str:
        return self._unit if section.kind == "theorem" and not section.is_proof else ""

    def _silent_in(self, section: TaggedSection) -> list[Span]:
        """The definitions of macros in a section, from its start."""
        first = bisect_left(self._silent, (section.content, 0))
        last = bisect_left(self._silent, (section.end, 0))
        return [
            (start - section.start, end - section.start) for start, end in self._silent[first:last]
        ]

    def _faults(self, reading: ParsedFile) -> Iterator[SourceProblem]:
        """What is wrong with the form; words that name a result need not rest on it."""
        innocent = {
            (mention.start, mention.end)
            for block in reading.blocks
            for mention in block.mentions
            if mention.form in _INNOCENT
        }
        for fault in self._outline.faults:
            if fault.code != "citation" or (fault.start, fault.end) not in innocent:
                code = f"{PREFIX}{fault.code}"
                yield SourceProblem(code, fault.message, fault.tag, fault.start, fault.end)
