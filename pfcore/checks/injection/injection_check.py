"""The check for text in a paper's source that gives orders to a language model."""

import json
from collections.abc import Iterator

from pfcore.checks.check import Check, CheckInput
from pfcore.checks.injection.passages import Aimed, How, legible
from pfcore.domain.values import Finding, Location, Severity
from pfcore.latex.codec import dump
from pfcore.latex.lexer.whitespace import second_form

_VERSION = 4
_QUOTE = 160


def aimed_text(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Text addressed to a language model, each passage once."""
    counts: dict[tuple[str, str], int] = {}
    for path, item in _all(scene):
        module = scene.around(path, item.start)
        if not _is_told(item, module):
            continue
        location = _location(scene, path, item)
        quote = _quote(scene, location)
        counts[path, quote] = counts.get((path, quote), 0) + 1
        where = "" if item.how is How.PLAIN else f" ({item.how.value})"
        yield check.finding(
            f"text addressed to a language model{where}",
            subject=f"{path} {quote} {counts[path, quote]}",
            module=module,
            place=(location, quote),
        )


def _is_told(item: Aimed, module: str | None) -> bool:
    """Whether to report a passage; a paper on models may print a mere mention outside of proofs."""
    if module is not None:
        return True
    return item.is_loud if item.how is How.PLAIN else item.how is not How.CODE


def _location(scene: CheckInput, path: str, item: Aimed) -> Location:
    """The location of a passage; for a block that macros fill, its first line."""
    find = scene.first_line if item.how is How.MADE else scene.at
    return find(path, item.start, item.end)[0]


def _quote(scene: CheckInput, location: Location) -> str:
    """A passage as a model reads it, shortened, without invisible characters."""
    text = legible(scene.paper.source(location.path)[location.start : location.end])
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"


def _all(scene: CheckInput) -> Iterator[tuple[str, Aimed]]:
    """The passages of each file, and the blocks in which macros compose one."""
    written, made = _written(scene), _made(scene)
    for path, found in written.items():
        yield from ((path, item) for item in found)
    for path, blocks in made.items():
        for index in blocks:
            place = scene.paper.readings[path].blocks[index].place
            if not any(place.start <= item.start < place.end for item in written.get(path, ())):
                yield path, Aimed(place.start, place.end, How.MADE, False)


def _written(scene: CheckInput) -> dict[str, tuple[Aimed, ...]]:
    paper = scene.paper
    files = paper.snapshot.files
    keys = {path: f"aimed:{_VERSION}:{files[path].oid}" for path in paper.outline.order}

    def make(path: str) -> tuple[tuple[Aimed, ...], dict[str, str]]:
        from pfcore.checks.injection.search import aimed

        found = aimed(paper.source(path), paper.surveys[path].silent)
        return found, {keys[path]: dump(found)}

    return scene.kept(keys, _decoded, make)


def _made(scene: CheckInput) -> dict[str, tuple[int, ...]]:
    paper = scene.paper
    keys = {path: f"aimed-made:{_VERSION}:{key}" for path, key in paper.keys.items()}

    def make(path: str) -> tuple[tuple[int, ...], dict[str, str]]:
        from pfcore.checks.injection.search import composed

        found = composed(map(second_form, paper.texts(path)))
        return found, {keys[path]: dump(found)}

    return scene.kept(keys, _indices, make)


def _decoded(text: str) -> tuple[Aimed, ...]:
    try:
        return tuple(
            Aimed(start, end, How(how), loud) for start, end, how, loud in json.loads(text)
        )
    except TypeError as error:
        raise ValueError("no passages") from error


def _indices(text: str) -> tuple[int, ...]:
    raw = json.loads(text)
    if not all(isinstance(index, int) for index in raw):
        raise ValueError("no indices")
    return tuple(raw)


CHECKS = (
    Check(
        id="aimed-text",
        severity=Severity.WARNING,
        rationale="text addressed to a language model",
        run=aimed_text,
    ),
)
