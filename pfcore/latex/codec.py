"""Surveys and readings as JSON and back; unreadable JSON raises ValueError, which is a cache miss.

Records are stored as columns, which halves the time to read the JSON of a large paper.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, TypeVar

from pfcore.domain.values import Mention
from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.group_bounds import GroupBound
from pfcore.latex.macros.macro import Macro
from pfcore.latex.parsed_file import (
    Block,
    Cited,
    Ignore,
    Include,
    Label,
    ParsedFile,
    Reference,
    SectionHeading,
    SourcePlace,
    SourceProblem,
)
from pfcore.latex.project.declarations import Environment, Theorem
from pfcore.latex.project.declaring_macros import MacroDeclarations
from pfcore.latex.project.survey import Excluded, FileLink, Survey, Switches


def dump(value: object) -> str:
    """Compact JSON of nested tuples; the tables of a reading are stored as columns."""
    plain = _tables(value) if isinstance(value, ParsedFile) else value
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))


def texts(text: str) -> tuple[str, ...]:
    """Canonical texts, block by block."""
    return tuple(json.loads(text))


def used(text: str) -> tuple[tuple[str, ...], ...]:
    """The terms that each block of a file uses."""
    return tuple(map(tuple, json.loads(text)))


def decode_survey(text: str) -> Survey:
    """A survey from its JSON."""
    try:
        theorems, environments, macros, links, *rest = json.loads(text)
        cls, options, body, silent, proofs, note, confining, switching, hiding, begun, listed = rest
        return Survey(
            tuple(Theorem(*item) for item in theorems),
            tuple(map(_environment, environments)),
            tuple(_definition(item) for item in macros),
            tuple(FileLink(*item) for item in links),
            cls,
            options,
            body,
            tuple((start, end) for start, end in silent),
            tuple(proofs),
            note,
            tuple(map(GroupBound._make, confining)),
            _switches(*switching),
            _excluded(*hiding),
            tuple(begun),
            tuple((offset, key) for offset, key in listed),
        )
    except (TypeError, KeyError) as error:
        raise ValueError("no survey") from error


def _environment(item: list[Any]) -> Environment:
    made = Environment(*item)
    return made._replace(forms=tuple(made.forms))


def _switches(
    declared: list[str],
    settings: list[str],
    toggles: list[tuple[str, str]],
    holding: list[tuple[str, str]],
    unset: list[str],
    tests: list[str],
) -> Switches:
    return Switches(
        tuple(declared),
        tuple(settings),
        tuple((name, value) for name, value in toggles),
        tuple((name, package) for name, package in holding),
        tuple(unset),
        tuple(tests),
    )


def _excluded(hidden: list[str], shown: list[str], within: list[list[str]]) -> Excluded:
    return Excluded(tuple(hidden), tuple(shown), tuple((one, other) for one, other in within))


def decode_group_bounds(text: str) -> tuple[GroupBound, ...]:
    """The bounds of a file's groups, from their JSON."""
    return tuple(map(GroupBound._make, json.loads(text)))


def decode_macro_declarations(text: str) -> MacroDeclarations:
    """The declarations made by uses of macros in a file, from their JSON."""
    try:
        theorems, environments, macros, confining = json.loads(text)
        return MacroDeclarations(
            tuple(Theorem(*item) for item in theorems),
            tuple(map(_environment, environments)),
            tuple(_definition(item) for item in macros),
            tuple(map(GroupBound._make, confining)),
        )
    except (TypeError, KeyError) as error:
        raise ValueError("nothing made") from error


def decode_parsed_file(text: str) -> ParsedFile:
    """A reading from its JSON."""
    try:
        blocks, labels, sections, includes, cited, problems, ignores, words, notation = json.loads(
            text
        )
        return ParsedFile(
            _blocks(*blocks),
            decode_rows(labels, Label._make),
            tuple(
                SectionHeading(item[0], item[1], item[2], tuple(item[3]), tuple(item[4]))
                for item in sections
            ),
            tuple(map(Include._make, includes)),
            tuple(cited),
            tuple(map(SourceProblem._make, problems)),
            tuple(map(Ignore._make, ignores)),
            tuple(words),
            notation,
        )
    except (TypeError, KeyError, IndexError) as error:
        raise ValueError("no reading") from error


def references(text: str) -> tuple[Reference, ...]:
    """The references of a file, from their JSON."""
    return tuple(Reference(tuple(item[0]), *item[1:]) for item in json.loads(text))


def _definition(item: list[Any]) -> Definition:
    start, end, name, (parameters, body), provides, is_global = item
    return Definition(start, end, name, Macro(tuple(parameters), body), provides, is_global)


_PLACE, _MENTIONS, _CITED = map(Block._fields.index, ("place", "mentions", "results"))
_KEYS = Mention._fields.index("keys")
_NOWHERE = SourcePlace(0, 0, 0, 0, 0, 0)
_LISTS = tuple(
    map(
        Block._fields.index,
        ("labels", "anchors", "terms", "hints", "introduces", "uses", "lean", "marks", "aim"),
    )
)


def _tables(reading: ParsedFile) -> tuple[object, ...]:
    """A reading with its longest lists as tables; places and mentions have their own tables."""
    blocks = reading.blocks
    return (
        (
            table([block._replace(place=_NOWHERE, mentions=()) for block in blocks]),
            table([block.place for block in blocks]),
            nested([block.mentions for block in blocks]),
        ),
        table(reading.labels),
        *reading[2:],
    )


def _blocks(
    table: tuple[int, list[Any]], places: list[Any], mentions: tuple[list[int], list[Any]]
) -> tuple[Block, ...]:
    count, columns = table
    if not count:
        return ()
    columns[_PLACE] = decode_rows(places, SourcePlace._make)
    columns[_MENTIONS] = lists(mentions[0], _mentions(mentions[1]))
    columns[_CITED] = [tuple(map(_cited, listed)) for listed in columns[_CITED]]
    for index in _LISTS:
        columns[index] = list(map(tuple, columns[index]))
    return decode_rows(table, Block._make)


def _mentions(table: list[Any]) -> tuple[Mention, ...]:
    count, columns = table
    if count:
        columns[_KEYS] = list(map(tuple, columns[_KEYS]))
    return decode_rows(table, Mention._make)


def _cited(item: list[Any]) -> Cited:
    key, locator, place = item
    return Cited(key, locator, SourcePlace._make(place))


Row = TypeVar("Row")


def table(rows: Sequence[Sequence[object]]) -> list[Any]:
    """The number of rows, and their columns; a column of equal values has the value once."""
    return [len(rows), [_shortened(column) for column in zip(*rows, strict=True)]]


def decode_rows(table: Sequence[Any], make: Callable[[Iterable[Any]], Row]) -> tuple[Row, ...]:
    """The rows of a table, each made into a record."""
    count, columns = table
    whole = [column * count if len(column) == 1 else column for column in columns]
    return tuple(map(make, zip(*whole, strict=True)))


def nested(lists: Sequence[Sequence[Sequence[object]]]) -> list[Any]:
    """Lists of rows as their lengths, and all rows as one table."""
    return [list(map(len, lists)), table([row for listed in lists for row in listed])]


def lists(counts: Iterable[int], made: Iterable[Row]) -> list[tuple[Row, ...]]:
    """Rows split into lists with the given lengths."""
    pending = iter(made)
    return [tuple(islice(pending, count)) if count else () for count in counts]


def _shortened(column: Sequence[object]) -> list[object]:
    is_same = all(value == column[0] for value in column)
    return [column[0]] if is_same else list(column)
