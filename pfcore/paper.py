"""A document of a snapshot: the readings of its files, and which terms its texts use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pfcore import config
from pfcore.digest import digest
from pfcore.latex import codec, terms
from pfcore.latex.outline import Outline
from pfcore.latex.recipes import Job, Recipe
from pfcore.latex.records import Reading, Reference
from pfcore.latex.survey import Survey
from pfcore.latex.syntax import Syntax
from pfcore.latex.titles import with_name
from pfcore.markup.tags import is_markup
from pfcore.shelf import Shelf
from pfcore.snapshot import Snapshot

if TYPE_CHECKING:
    from pfcore.latex.read import Read


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A document of a snapshot with the readings of its files; `keys` tell readings apart."""

    name: str
    root: str
    settings: config.Settings
    outline: Outline
    readings: Mapping[str, Reading]
    keys: Mapping[str, str]
    syntax: Syntax
    recipes: Mapping[str, Recipe]
    shelf: Shelf
    snapshot: Snapshot
    surveys: Mapping[str, Survey]

    @property
    def is_markup(self) -> bool:
        """Whether it is written in PF markup."""
        return is_markup(self.root)

    def texts(self, path: str) -> tuple[str, ...]:
        """The canonical texts of a file's blocks."""
        key = f"texts:{self.keys[path]}"

        def make(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
            made = self._made(name)
            return made.texts, {key: codec.dump(made.texts)}

        return self.shelf.fetch({path: key}, codec.texts, make)[path]

    def references(self, path: str) -> tuple[Reference, ...]:
        """The references of a file as written, wherever they stand."""
        key = f"references:{self.keys[path]}"

        def make(name: str) -> tuple[tuple[Reference, ...], dict[str, str]]:
            made = self._made(name)
            return made.references, {key: codec.dump(made.references)}

        return self.shelf.fetch({path: key}, codec.references, make)[path]

    def _made(self, path: str) -> "Read":
        return made_of(path, self.recipes[path].job(self.source, self.surveys), self.syntax)

    def source(self, path: str) -> str:
        """The text of a file."""
        return self.snapshot.read(path).text

    def used_terms(self, wanted: Iterable[str]) -> dict[tuple[str, int], tuple[str, ...]]:
        """Which of some terms each block uses, by file and index of the block."""
        heads = terms.by_head(wanted)
        relevant = {path: _relevant(item, heads) for path, item in self.readings.items()}
        keys = {
            path: f"terms:{digest(list(listed))[:32]}:{self.keys[path]}"
            for path, listed in relevant.items()
            if listed
        }

        def make(path: str) -> tuple[tuple[tuple[str, ...], ...], dict[str, str]]:
            mine = terms.by_head(relevant[path])
            blocks = zip(self.readings[path].blocks, self.texts(path), strict=True)
            texts = (with_name(text, block.title, block.kind) for block, text in blocks)
            made = tuple(terms.used(text, mine) for text in texts)
            return made, {keys[path]: codec.dump(made)}

        found = self.shelf.fetch(keys, codec.used, make)
        self.shelf.keep()
        return {
            (path, index): used
            for path, listed in found.items()
            for index, used in enumerate(listed)
            if used
        }


def _relevant(reading: Reading, heads: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The terms all of whose words a file has."""
    vocabulary = frozenset("\n".join(reading.vocabulary).split("\n"))
    return tuple(
        sorted(
            term
            for head in heads.keys() & vocabulary
            for term in heads[head]
            if all(word in vocabulary for word in term.split(" "))
        )
    )


def made_of(path: str, job: Job, how: Syntax) -> "Read":
    """Read a file; the reader is loaded only where something is to be read."""
    if is_markup(path):
        from pfcore.markup import reading

        return reading.made(job, how)
    from pfcore.latex import entries

    return entries.made(job, how)
