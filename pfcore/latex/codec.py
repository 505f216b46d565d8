"""Surveys and readings as JSON and back; anything unreadable raises ValueError, a cache's miss."""

import json
from typing import Any

from pfcore.latex.bounds import Bound
from pfcore.latex.declarations import Environment, Theorem
from pfcore.latex.definitions import Definition
from pfcore.latex.links import Link
from pfcore.latex.macros import Macro
from pfcore.latex.records import (
    Block,
    Cited,
    Ignore,
    Include,
    Label,
    Place,
    Problem,
    Reading,
    Reference,
    Section,
)
from pfcore.latex.survey import Survey
from pfcore.latex.switches import Switches
from pfcore.latex.wrappers import Made
from pfcore.model import Mention


def dump(value: object) -> str:
    """Compact JSON of nested tuples."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def texts(text: str) -> tuple[str, ...]:
    """Canonical texts, block by block."""
    return tuple(json.loads(text))


def used(text: str) -> tuple[tuple[str, ...], ...]:
    """The terms that each block of a file uses."""
    return tuple(map(tuple, json.loads(text)))


def survey(text: str) -> Survey:
    """A survey from its JSON."""
    try:
        theorems, environments, macros, links, *rest = json.loads(text)
        cls, options, body, silent, proofs, note, confining, (declared, settings) = rest
        return Survey(
            tuple(Theorem(*item) for item in theorems),
            tuple(Environment(*item) for item in environments),
            tuple(_definition(item) for item in macros),
            tuple(Link(*item) for item in links),
            cls,
            options,
            body,
            tuple((start, end) for start, end in silent),
            tuple(proofs),
            note,
            tuple(map(Bound._make, confining)),
            Switches(tuple(declared), tuple(settings)),
        )
    except (TypeError, KeyError) as error:
        raise ValueError("no survey") from error


def bounds(text: str) -> tuple[Bound, ...]:
    """The bounds of a file's groups, from their JSON."""
    return tuple(map(Bound._make, json.loads(text)))


def made(text: str) -> Made:
    """What the uses of macros in a file make, from its JSON."""
    try:
        theorems, environments, macros, confining = json.loads(text)
        return Made(
            tuple(Theorem(*item) for item in theorems),
            tuple(Environment(*item) for item in environments),
            tuple(_definition(item) for item in macros),
            tuple(map(Bound._make, confining)),
        )
    except (TypeError, KeyError) as error:
        raise ValueError("nothing made") from error


def reading(text: str) -> Reading:
    """A reading from its JSON."""
    try:
        blocks, labels, sections, includes, references, problems, ignores, words = json.loads(text)
        return Reading(
            tuple(map(_block, blocks)),
            tuple(map(Label._make, labels)),
            tuple(Section(item[0], item[1], item[2], tuple(item[3])) for item in sections),
            tuple(map(Include._make, includes)),
            tuple(Reference(tuple(item[0]), *item[1:]) for item in references),
            tuple(map(Problem._make, problems)),
            tuple(map(Ignore._make, ignores)),
            tuple(map(tuple, words)),
        )
    except (TypeError, KeyError) as error:
        raise ValueError("no reading") from error


def _definition(item: list[Any]) -> Definition:
    start, end, name, (parameters, body), provides, is_global = item
    return Definition(start, end, name, Macro(tuple(parameters), body), provides, is_global)


def _block(item: list[Any]) -> Block:
    item[4] = tuple(item[4])
    item[5] = Place._make(item[5])
    item[9] = tuple(Mention(m[0], tuple(m[1]), m[2], m[3], m[4]) for m in item[9])
    item[17] = tuple(Cited(key, where, Place._make(place)) for key, where, place in item[17])
    for index in (10, 11, 12, 13, 14, 15, 18):
        item[index] = tuple(item[index])
    return Block._make(item)
