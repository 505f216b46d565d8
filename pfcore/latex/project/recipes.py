"""How each file of a paper is to be read, and which files are read as part of another."""

from collections.abc import Callable, Container, Iterable, Mapping
from typing import NamedTuple

from pfcore.domain.digest import digest, text_digest
from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.parsed_file import ParsedFile
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.splice import Inset, SplicedSource
from pfcore.latex.project.survey import Survey


class ParseJob(NamedTuple):
    """A file to read with all that it needs; `key` is its recipe's."""

    key: str
    source: SplicedSource
    is_inner: bool


class Recipe(NamedTuple):
    """How a file is to be read: what changes in it, which files are put in; `key` is its digest.

    `is_inner` says that the file's blocks are read with the file that it is put in.
    """

    path: str
    key: str
    changes: tuple[MacroChange, ...] = ()
    insets: tuple[tuple[int, int, "Recipe"], ...] = ()
    is_inner: bool = False

    def source(self, text: Callable[[str], str], surveys: Mapping[str, Survey]) -> SplicedSource:
        """The text to read; `text` gives that of a file."""
        insets = [
            Inset(start, end, inner.source(text, surveys)) for start, end, inner in self.insets
        ]
        return SplicedSource(text(self.path), surveys[self.path].silent, self.changes, insets)

    def job(self, text: Callable[[str], str], surveys: Mapping[str, Survey]) -> ParseJob:
        """What there is to do."""
        return ParseJob(self.key, self.source(text, surveys), self.is_inner)


def plain_recipes(
    paths: Iterable[str],
    *,
    syntax_key: str,
    changes: Mapping[str, tuple[MacroChange, ...]],
    content: Callable[[str], str],
) -> dict[str, Recipe]:
    """Each file by itself; `content` gives the digest of a file's content."""
    made: dict[str, Recipe] = {}
    for path in paths:
        mine = changes.get(path, ())
        base = text_digest(f"{syntax_key}{mine!r}") if mine else syntax_key
        made[path] = Recipe(path, f"{base}:{content(path)}", mine)
    return made


def spliced(
    alone: Mapping[str, Recipe],
    outline: IncludeGraph,
    readings: Mapping[str, ParsedFile],
    surveys: Mapping[str, Survey],
) -> dict[str, Recipe]:
    """The files that are read in inside of statements and proofs put into those that read them."""
    inside = {
        (path, item.offset)
        for path, reading in readings.items()
        for item in reading.includes
        if item.block >= 0
    }
    inner = _inner(outline, inside) if inside else frozenset()
    ends = {(path, link.offset): link.end for path in alone for link in surveys[path].links}
    made: dict[str, Recipe] = {}
    below: dict[str, list[tuple[int, int, Recipe]]] = {}
    for path in reversed([path for path in outline.order if path in alone]):
        recipe = _with_insets(alone[path], below.get(path, []))
        if path in inner and ends.get(outline.opened[path]):
            place = outline.opened[path]
            below.setdefault(place[0], []).append((place[1], ends[place], recipe))
            recipe = alone[path]._replace(key=f"inner:{alone[path].key}", is_inner=True)
        made[path] = recipe
    return {path: made[path] for path in alone}


def _inner(outline: IncludeGraph, inside: Container[tuple[str, int]]) -> frozenset[str]:
    """The files that are first read in inside of a block, and those that these read in."""
    inner: set[str] = set()
    for path in outline.order:
        place = outline.opened.get(path)
        if place and (place in inside or place[0] in inner):
            inner.add(path)
    return frozenset(inner)


def _with_insets(recipe: Recipe, insets: list[tuple[int, int, Recipe]]) -> Recipe:
    if not insets:
        return recipe
    insets.sort(key=lambda inset: inset[0])
    known = [[start, end, inner.path, inner.key] for start, end, inner in insets]
    return recipe._replace(key=digest([recipe.key, known]), insets=tuple(insets))
