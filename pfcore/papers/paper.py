"""A document of a snapshot: the readings of its files, and which terms its texts use."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from pfcore.domain import paper_settings
from pfcore.domain.containment import Failure, Fault, Faults, attempt
from pfcore.domain.digest import digest
from pfcore.domain.lazy_regex import regex
from pfcore.latex import codec
from pfcore.latex.language import terms
from pfcore.latex.language.notation import SHAPED, head_of
from pfcore.latex.lexer.whitespace import first_form
from pfcore.latex.parsed_file import (
    EMPTY,
    FAULT,
    Block,
    ParsedFile,
    Reference,
    SectionHeading,
    SourceProblem,
)
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.recipes import ParseJob, Recipe
from pfcore.latex.project.survey import Survey
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure.titles import with_name
from pfcore.markup.pf_paper import is_markup
from pfcore.papers.parse_cache import ParseCache
from pfcore.repository.snapshot import Snapshot

if TYPE_CHECKING:
    from pfcore.latex.blocks.front_matter import FrontMatter
    from pfcore.latex.macros.macro import Macro
    from pfcore.latex.reader import Read


_TITLE_VERSION = "title/6"
"""Change this whenever the same file would yield another title."""
_FRONT_VERSION = "front/5"
"""Change this whenever the same file would yield other front matter."""
_FIRST_FILES = 12
"""How many files of a paper are searched for its title, authors and abstract."""
_HEADING = regex(r"#{1,2}[ \t]+([^\n#`\[\]<>*_]{3,200})")
_LONGEST_README, _HEAD_OF_README, _FEWEST_WORDS = 100_000, 1_000, 3
WHOLE = "file"
"""The subject of a fault that concerns a whole file."""

UsesByBlock = dict[tuple[str, int], tuple[str, ...]]
"""The terms or keys that a block uses, by file and index of the block."""
FileUses = tuple[tuple[tuple[str, ...], ...], bool]
"""What each block of a file uses, and whether all blocks could be searched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A document of a snapshot with the readings of its files; `keys` are the cache keys of these.

    `faults` are the parts skipped because of internal errors, as far as they are known so far.
    """

    name: str
    root: str
    settings: paper_settings.PaperSettings
    outline: IncludeGraph
    readings: Mapping[str, ParsedFile]
    keys: Mapping[str, str]
    syntax: Syntax
    recipes: Mapping[str, Recipe]
    parse_cache: ParseCache
    snapshot: Snapshot
    surveys: Mapping[str, Survey]
    faults: Faults = field(default_factory=Faults, compare=False, repr=False)

    @property
    def is_markup(self) -> bool:
        """Whether it is written in PF markup."""
        return is_markup(self.root)

    def texts(self, path: str) -> tuple[str, ...]:
        """The canonical texts of a file's blocks."""
        key = f"texts:{self.keys[path]}"

        def make(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
            made = self._made(name)
            return made.texts, _worth_keeping(made, {key: codec.dump(made.texts)})

        return self.parse_cache.get_or_parse({path: key}, codec.texts, make)[path]

    def references(self, path: str) -> tuple[Reference, ...]:
        """All references in a file, as written."""
        key = f"references:{self.keys[path]}"

        def make(name: str) -> tuple[tuple[Reference, ...], dict[str, str]]:
            made = self._made(name)
            return made.references, _worth_keeping(made, {key: codec.dump(made.references)})

        return self.parse_cache.get_or_parse({path: key}, codec.references, make)[path]

    def prose(self, path: str) -> tuple[str, ...]:
        """The canonical texts of a file's paragraphs outside statements and proofs.

        Empty for a file that could not be read because of an internal error.
        """
        key = f"prose:{self.keys[path]}"

        def make(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
            from pfcore.latex import reader

            job = self.recipes[name].job(self.source, self.surveys)
            made = attempt(partial(reader.prose_of_file, job, self.syntax))
            return ((), {}) if isinstance(made, Failure) else (made, {key: codec.dump(made)})

        if is_markup(path):
            return ()
        return self.parse_cache.get_or_parse({path: key}, codec.texts, make)[path]

    def headings_over(self, path: str, offset: int) -> list[SectionHeading]:
        """The headings above a place, outermost first, also in the files that include it."""
        seen = {path}
        chain = [(path, offset)]
        while path in self.outline.opened:
            path, offset = self.outline.opened[path]
            if path in seen:
                break
            seen.add(path)
            chain.append((path, offset))
        found: list[SectionHeading] = []
        for name, until in reversed(chain):
            reading = self.readings.get(name)
            for heading in reading.sections if reading else ():
                if heading.offset <= until:
                    found = [one for one in found if one.level < heading.level]
                    found.append(heading)
        return found

    def title(self) -> str:
        """The document's title, as printed; "" if there is none."""
        listed = [path for path in self.outline.order if path in self.keys][:_FIRST_FILES]
        found = "" if self.is_markup else next(filter(None, map(self._title, listed)), "")
        self.parse_cache.keep()
        return found or self._title_of_readme()

    def _title_of_readme(self) -> str:
        """The heading of the README next to the root, if it links to the root's PDF; else "".

        Only then is it the paper's title: other READMEs describe a repository.
        """
        stem = posixpath.basename(self.root).rpartition(".")[0]
        wanted = posixpath.join(posixpath.dirname(self.root), "README.md")
        raw = self.snapshot.others((".md",), limit=_LONGEST_README).get(wanted, b"")
        text = raw.decode("utf-8", "replace")[:_HEAD_OF_README]
        heading = _HEADING.match(text.lstrip("\ufeff \n"))
        if heading is None or f"{stem}.pdf" not in text or len(heading[1].split()) < _FEWEST_WORDS:
            return ""
        return " ".join(heading[1].split())

    def _title(self, path: str) -> str:
        key = f"{_TITLE_VERSION}:{self.keys[path]}"

        def make(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
            from pfcore.latex.blocks.document_title import document_title

            made = attempt(partial(document_title, self.source(name), self._macros()))
            if isinstance(made, Failure):
                return ("",), {}
            return (made,), {key: codec.dump((made,))}

        return self.parse_cache.get_or_parse({path: key}, codec.texts, make)[path][0]

    def front_matter(self) -> "FrontMatter":
        """The title, authors and abstract, each from the first file that has it."""
        from pfcore.latex.blocks.front_matter import FrontMatter, front_matter_from

        if self.is_markup:
            return FrontMatter()
        listed = [path for path in self.outline.order if path in self.keys]
        found = [front_matter_from(self._front(path)) for path in listed[:_FIRST_FILES]]
        abstract = next((one for one in found if one.abstract or one.file), FrontMatter())
        if abstract.file:
            ends = f"/{abstract.file}", f"/{abstract.file}.tex"
            path = next((one for one in listed if f"/{one}".endswith(ends)), "")
            abstract = front_matter_from(self._front(path, is_abstract=True) if path else ())
        self.parse_cache.keep()
        return FrontMatter(
            title=next((one.title for one in found if one.title), ""),
            authors=next((one.authors for one in found if one.authors), ()),
            abstract=abstract.abstract,
            mentioned=abstract.mentioned,
        )

    def _front(self, path: str, *, is_abstract: bool = False) -> tuple[str, ...]:
        key = f"{_FRONT_VERSION}:{is_abstract}:{self.keys[path]}"

        def make(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
            from pfcore.latex import reader
            from pfcore.latex.blocks.front_matter import authors

            def look() -> tuple[str, ...]:
                job = self.recipes[name].job(self.source, self.surveys)
                front = reader.front_matter_of_file(job, self.syntax, is_abstract=is_abstract)
                return replace(front, authors=authors(self.source(name), self._macros())).lines()

            made = attempt(look)
            return ((), {}) if isinstance(made, Failure) else (made, {key: codec.dump(made)})

        return self.parse_cache.get_or_parse({path: key}, codec.texts, make)[path]

    def _macros(self) -> dict[str, "Macro"]:
        surveys = (self.surveys.get(item) for item in self.outline.order)
        return {item.name: item.macro for one in surveys if one for item in one.macros}

    def _made(self, path: str) -> "Read":
        return parse_paper_file(
            path, self.recipes[path].job(self.source, self.surveys), self.syntax
        )

    def source(self, path: str) -> str:
        """The text of a file."""
        return self.snapshot.read(path).text

    def used_terms(self, wanted: Iterable[str]) -> UsesByBlock:
        """Which of some terms each block uses, by file and index of the block."""
        heads = terms.by_head(wanted)
        relevant = {path: _relevant(item, heads) for path, item in self.readings.items()}
        return self._found_in_blocks("terms", relevant, self._terms)

    def used_needs(self, wanted: Iterable[str]) -> UsesByBlock:
        """What each block needs of some keys and what it binds, by file and index of the block."""
        keys = frozenset(wanted)
        heads = {key: head_of(key) for key in keys if key[0] == "#"}
        words = [(key, terms.words_of_key(key)) for key in keys if key[0] != "#"]
        relevant = {path: _needed(item, heads, words) for path, item in self.readings.items()}
        return self._found_in_blocks("needs", relevant, self._needs)

    def _found_in_blocks(
        self,
        kind: str,
        relevant: Mapping[str, tuple[str, ...]],
        find: Callable[[str, Iterable[str]], FileUses],
    ) -> UsesByBlock:
        """What `find` returns for the blocks of each file, given its relevant keys; cached."""
        keys = {
            path: f"{kind}:{digest(list(listed))[:32]}:{self.keys[path]}"
            for path, listed in relevant.items()
            if listed
        }

        def make(path: str) -> tuple[tuple[tuple[str, ...], ...], dict[str, str]]:
            made, is_whole = find(path, relevant[path])
            return made, {keys[path]: codec.dump(made)} if is_whole else {}

        found = self.parse_cache.get_or_parse(keys, codec.used, make)
        self.parse_cache.keep()
        return {
            (path, index): used
            for path, listed in found.items()
            for index, used in enumerate(listed)
            if used
        }

    def _needs(self, path: str, wanted: Iterable[str]) -> FileUses:
        """What each block of a file needs, and whether all blocks could be searched."""
        # These imports load the language rules.
        from pfcore.latex.language.binding import need_finder
        from pfcore.latex.language.worded_references import speaks_of_steps

        finder = need_finder(frozenset(wanted))

        def needed(text: str, block: Block) -> tuple[str, ...]:
            whole = with_name(text, block.title, block.kind)
            is_statement = block.shape == "statement"
            return finder.of(
                whole, is_statement=is_statement, has_steps=speaks_of_steps(block.mentions)
            )

        return self._of_blocks(path, needed)

    def _terms(self, path: str, wanted: Iterable[str]) -> FileUses:
        """The terms that each block of a file uses, and whether all blocks could be searched."""
        return self._of_blocks(path, partial(_used, terms.by_head(wanted)))

    def _of_blocks(self, path: str, find: Callable[[str, Block], tuple[str, ...]]) -> FileUses:
        """What `find` returns for each block, and whether no block failed."""
        found: list[tuple[str, ...]] = []
        is_whole = True
        for block, text in zip(self.readings[path].blocks, self.texts(path), strict=True):
            used = attempt(partial(find, text, block))
            if isinstance(used, Failure):
                self.faults.add(Fault(path, block.place.line, block.kind, used.cause))
                used, is_whole = (), False
            found.append(used)
        return tuple(found), is_whole


def _used(heads: Mapping[str, tuple[str, ...]], text: str, block: Block) -> tuple[str, ...]:
    return terms.used(with_name(first_form(text), block.title, block.kind), heads)


def _worth_keeping(made: "Read", entries: dict[str, str]) -> dict[str, str]:
    """The cache entries of a file; none if an internal error hid a part of it."""
    return {} if made.reading.has_faults else entries


def _relevant(reading: ParsedFile, heads: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The terms whose words all occur in a file."""
    vocabulary = frozenset("\n".join(reading.vocabulary).split("\n"))
    return tuple(
        sorted(
            term
            for head in heads.keys() & vocabulary
            for term in heads[head]
            if all(word in vocabulary for word in term.split(" "))
        )
    )


def _needed(
    reading: ParsedFile, heads: Mapping[str, str], words: Iterable[tuple[str, list[str]]]
) -> tuple[str, ...]:
    """The keys that the blocks of a file may use."""
    there = frozenset("\n".join((*reading.vocabulary, reading.notation)).split("\n"))
    found = [key for key, head in heads.items() if head in there or head.startswith(SHAPED)]
    found += [key for key, listed in words if key[0] == "@" or there.issuperset(listed)]
    return tuple(sorted(found))


def parse_paper_file(path: str, job: ParseJob, how: Syntax) -> "Read":
    """Read a file; the reader is loaded only when a file must be read.

    A file that fails with an internal error has no blocks, and a problem that says so.
    """
    from pfcore.latex import reader

    made = attempt(partial(_made_of, path, job, how))
    if not isinstance(made, Failure):
        return made
    problem = SourceProblem(FAULT, made.cause, WHOLE, 0, 0)
    return reader.Read(EMPTY._replace(problems=(problem,)), (), ())


def _made_of(path: str, job: ParseJob, how: Syntax) -> "Read":
    if is_markup(path):
        from pfcore.markup import pf_reader

        return pf_reader.read_pf_file(job, how)
    from pfcore.latex import reader

    return reader.read_latex_file(job, how)


def faults_of(readings: Mapping[str, ParsedFile]) -> Iterator[Fault]:
    """The blocks and files that could not be read, with their lines; line 0 is a whole file."""
    for path, reading in readings.items():
        if not reading.has_faults:
            continue
        lines = {block.place.start: block.place.line for block in reading.blocks}
        for item in reading.problems:
            if item.code == FAULT:
                line = 0 if item.subject == WHOLE else lines.get(item.start, 0)
                yield Fault(path, line, item.subject, item.message)
