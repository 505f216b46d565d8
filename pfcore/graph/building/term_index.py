"""Which modules define a term, which definition a use of it means, and which blocks use it."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from pfcore.domain.values import Module
from pfcore.graph.building.introduction_index import IntroductionIndex
from pfcore.latex.language.notation import head_of
from pfcore.latex.parsed_file import ParsedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Dictionary:
    """The positions of the modules that introduce each term, in reading order, and their ids.

    `doubtful` are words and symbols whose first occurrence decides what a definition introduces.
    """

    positions: Mapping[str, tuple[int, ...]]
    ids: Mapping[int, str]
    doubtful: frozenset[str]

    def meant(self, term: str, position: int) -> str:
        """The module that a use means: the last one up to it, else the first one after.

        "" if a single word is used before any definition of it: it has no special meaning yet.
        """
        found = self.positions[term]
        before = bisect_right(found, position)
        if not before and " " not in term:
            return ""
        return self.ids[found[max(before - 1, 0)]]


Places = Mapping[tuple[str, int], int]
"""The positions of blocks, by file and number, in reading order."""


def dictionary(
    ids: Mapping[int, str],
    modules: Mapping[str, Module],
    places: Places,
    readings: Mapping[str, ParsedFile],
) -> Dictionary:
    """The terms of all definitions of a paper, its symbols, and the names of its results."""
    hints = {hint: hint.split(" ") for module in modules.values() for hint in module.hints}
    doubtful = frozenset(word for words in hints.values() for word in words)
    first = _first_places(doubtful, places, readings)
    since = {
        hint: max([first[word] for word in words])
        for hint, words in hints.items()
        if first.keys() >= set(words)  # a symbol that a text binds is not in its vocabulary
    }
    positions: dict[str, list[int]] = {}
    for position, name in ids.items():
        module = modules[name]
        if not module.terms and not module.hints:
            continue
        fresh = [hint for hint in module.hints if since.get(hint, -1) >= position]
        for term in dict.fromkeys((*module.terms, *fresh)):
            positions.setdefault(term, []).append(position)
    return Dictionary(
        positions={term: tuple(found) for term, found in positions.items()},
        ids=dict(ids),
        doubtful=doubtful,
    )


def _first_places(
    wanted: frozenset[str], places: Places, readings: Mapping[str, ParsedFile]
) -> dict[str, int]:
    """The position of the first block with each word or symbol; mostly one of the first few."""
    first: dict[str, int] = {}
    left = set(wanted)
    for (path, number), position in places.items():
        if not left:
            break
        found = left.intersection(readings[path].vocabulary[number].split("\n"))
        first.update(dict.fromkeys(found, position))
        left -= found
    return first


Used = Mapping[tuple[str, int], tuple[str, ...]]
"""The terms that each block uses, by file and number; blocks that use none may be absent."""

FindTerms = Callable[[Dictionary, Iterable[str]], Used]
"""Finds the terms of a dictionary that the blocks of some files use."""

_SINGLY = 50


class TermIndex:
    """The terms that each block uses: looked up file by file, or all at once after many files."""

    def __init__(
        self,
        terms: Dictionary,
        find: FindTerms,
        readings: Mapping[str, ParsedFile],
        memo: dict[tuple[str, int], tuple[ParsedFile, Used]] | None = None,
    ) -> None:
        self.terms = terms
        self._find = find
        self._readings = readings
        self._memo = {} if memo is None else memo
        self._asked = 0

    def of(self, path: str, block: int) -> tuple[str, ...]:
        """The terms that a block uses."""
        key = (path, id(self._readings[path]))
        if key not in self._memo:
            self._asked += 1
            self._look_up([path] if self._asked <= _SINGLY else self._readings)
        return self._memo[key][1].get((path, block), ())

    def over(self, find: FindTerms, readings: Mapping[str, ParsedFile]) -> "TermIndex":
        """The same for another version, sharing results on common files."""
        return TermIndex(self.terms, find, readings, self._memo)

    def using(self, wanted: frozenset[str]) -> dict[tuple[str, int], frozenset[str]]:
        """The blocks that use some of these terms, and which of them.

        Only files with the words are looked up.
        """
        paths = [path for path, reading in self._readings.items() if _may_use(reading, wanted)]
        self._look_up(paths)
        known = (self._memo[path, id(self._readings[path])][1] for path in paths)
        used = (
            (place, wanted.intersection(terms)) for item in known for place, terms in item.items()
        )
        return {place: terms for place, terms in used if terms}

    def _look_up(self, wanted: Iterable[str]) -> None:
        """Find the terms of those files that are not known yet."""
        paths = [path for path in wanted if (path, id(self._readings[path])) not in self._memo]
        if not paths:
            return
        found: dict[str, dict[tuple[str, int], tuple[str, ...]]] = {path: {} for path in paths}
        for place, used in self._find(self.terms, paths).items():
            found[place[0]][place] = used
        for name, used_there in found.items():
            reading = self._readings[name]
            self._memo[name, id(reading)] = (reading, used_there)


FindNeeds = Callable[[Iterable[str], Iterable[str]], Used]
"""Finds which of some keys the blocks of some files need, and which they bind: `binding.needs`."""


@dataclass(frozen=True, slots=True)
class _NeedMemo:
    """Results by path and `id()` of the reading, which is stored with them to stay alive."""

    found: dict[tuple[str, int], tuple[ParsedFile, Used]] = field(default_factory=dict)
    heads: dict[tuple[str, int], tuple[ParsedFile, frozenset[str]]] = field(default_factory=dict)
    places: dict[tuple[str, int], dict[str, list[tuple[str, int]]]] = field(default_factory=dict)
    keys: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)


class NeedIndex:
    """The needs of each block for keys that a paper introduces, looked up as terms are."""

    def __init__(
        self,
        terms: IntroductionIndex,
        find: FindNeeds,
        readings: Mapping[str, ParsedFile],
        memo: _NeedMemo | None = None,
    ) -> None:
        self.terms = terms
        self._find = find
        self._readings = readings
        self._memo = _NeedMemo() if memo is None else memo
        self._asked = 0

    def of(self, path: str, block: int) -> tuple[str, ...]:
        """The needs of a block, and after a "!" the keys that it binds."""
        key = (path, id(self._readings[path]))
        if key not in self._memo.found:
            self._asked += 1
            self._look_up([path] if self._asked <= _SINGLY else self._readings)
        return self._memo.found[key][1].get((path, block), ())

    def over(
        self, terms: IntroductionIndex, find: FindNeeds, readings: Mapping[str, ParsedFile]
    ) -> "NeedIndex":
        """The same for another version with the same keys."""
        return NeedIndex(terms, find, readings, self._memo)

    def needing(self, key: str) -> Iterator[tuple[str, int]]:
        """The blocks that may need a symbol; only files with its head are looked up."""
        head = head_of(key)
        paths = [path for path in self._readings if head in self._heads(path)]
        self._look_up(paths)
        for path in paths:
            yield from self._places(path).get(key, ())

    def _heads(self, path: str) -> frozenset[str]:
        """The heads of the symbols in a file."""
        reading = self._readings[path]
        known = path, id(reading)
        if known not in self._memo.heads:
            self._memo.heads[known] = reading, frozenset(reading.notation.split("\n"))
        return self._memo.heads[known][1]

    def _places(self, path: str) -> dict[str, list[tuple[str, int]]]:
        """The blocks of a file that may need a symbol, by its key."""
        known = path, id(self._readings[path])
        if known not in self._memo.places:
            places: dict[str, list[tuple[str, int]]] = {}
            for place, needed in self._memo.found[known][1].items():
                listed = (need for need in needed if need[0] not in "!@")
                for key in dict.fromkeys(key for need in listed for key in need.split("\t")):
                    places.setdefault(key, []).append(place)
            self._memo.places[known] = places
        return self._memo.places[known]

    def using(self, wanted: frozenset[str]) -> dict[tuple[str, int], frozenset[str]]:
        """The blocks that may need some of these keys, and which of them."""
        self._look_up(self._readings)
        found: dict[tuple[str, int], frozenset[str]] = {}
        for path, reading in self._readings.items():
            if wanted.isdisjoint(self._keys(path)):
                continue
            for place, needed in self._memo.found[path, id(reading)][1].items():
                keys = wanted.intersection(key for need in needed for key in need.split("\t"))
                if keys:
                    found[place] = keys
        return found

    def _keys(self, path: str) -> frozenset[str]:
        """All keys that the blocks of a file may need."""
        known = path, id(self._readings[path])
        if known not in self._memo.keys:
            needs = chain.from_iterable(self._memo.found[known][1].values())
            self._memo.keys[known] = frozenset(key for need in needs for key in need.split("\t"))
        return self._memo.keys[known]

    def _look_up(self, wanted: Iterable[str]) -> None:
        """Find the needs of those files that are not known yet."""
        paths = [
            path for path in wanted if (path, id(self._readings[path])) not in self._memo.found
        ]
        if not paths:
            return
        found: dict[str, dict[tuple[str, int], tuple[str, ...]]] = {path: {} for path in paths}
        for place, used in self._find(self.terms.sites, paths).items():
            found[place[0]][place] = used
        for name, used_there in found.items():
            reading = self._readings[name]
            self._memo.found[name, id(reading)] = (reading, used_there)


def _may_use(reading: ParsedFile, wanted: frozenset[str]) -> bool:
    """Whether a file has all the words of at least one of some terms."""
    words = {term: term.split(" ") for term in wanted}
    sought = frozenset(chain.from_iterable(words.values()))
    there = sought.intersection("\n".join(reading.vocabulary).split("\n"))
    return any(there.issuperset(found) for found in words.values())
