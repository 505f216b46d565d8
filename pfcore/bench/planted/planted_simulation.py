"""A simulated reader that knows where errors were planted, for experiments and tests."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from pfcore.bench.planted.planting import Planted, PlantedTrial
from pfcore.testing import KnownReader, MemoryStore
from pfcore.verification.prompt import Part
from pfcore.verification.task import ContextTask

NAME = "simulated"
"""The name used in place of a model's."""


_AROUND = 20
"""How many characters on either side of the wrong words are quoted with them."""
_STOP = re.compile(r"(?<=[.:])\s")


class _Sign(NamedTuple):
    """A criterion for a text to have an error, and the words that are wrong.

    The text contains all of `words`, and none of `gone`, which only the original has.
    """

    words: frozenset[str]
    gone: frozenset[str]
    wrong: str

    def is_in(self, text: str) -> bool:
        """Whether a text without white space has the error."""
        return all(item in text for item in self.words) and not any(
            item in text for item in self.gone
        )


def reader(
    listed: Iterable[PlantedTrial], store: MemoryStore, *, recall: float, alarms: float
) -> KnownReader:
    """A reader that finds each planted error with probability `recall`, and raises false alarms."""
    signs = [_sign(trial.original, item) for trial in listed for item in trial.planted]
    return KnownReader(_quoting(signs), recall=recall, alarms=alarms, store=store)


def _quoting(signs: Iterable[_Sign]) -> Callable[[str], str | None]:
    known = list(signs)

    def quote(text: str) -> str | None:
        plain = _plain(text.replace("&lt;", "<"))
        return next((sign.wrong for sign in known if sign.is_in(plain)), None)

    return quote


def _sign(original: ContextTask, planted: Planted) -> _Sign:
    """What identifies a mutant: new sentences and its proof, and the sentences that are gone."""
    task = planted.task
    before, after = _sentences(original.parts), _sentences(task.parts)
    old, new = _all(original), _all(task)
    fresh = {_plain(item) for item in after - before}
    gone = {_plain(item) for item in before - after}
    return _Sign(
        words=frozenset({item for item in fresh if item not in old} | {_plain(task.proof)}),
        gone=frozenset(item for item in gone if item not in new),
        wrong=_wrong(original, task),
    )


def _wrong(original: ContextTask, task: ContextTask) -> str:
    """Words of the mutant around the first difference from the original."""
    if original.text != task.text:
        place = _first_difference(original.text, task.text)
    else:
        place = next(iter(_places(original, task)), len(task.statement))
    before = task.text[:place].rpartition("\n")[2]
    after = task.text[place:].partition("\n")[0]
    begin = before.rfind(" ", 0, max(0, len(before) - _AROUND)) + 1
    end = after.find(" ", _AROUND)
    return (before[begin:] + after[: end if end >= 0 else None]).strip()


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _places(original: ContextTask, task: ContextTask) -> Iterator[int]:
    """Where a text cites something that the original does not cite under this name."""
    for block in _cited(task) - _cited(original):
        name = re.match(r"Result \d+", block)
        found = re.search(rf"{name[0]}(?!\d)", task.text) if name else None
        if found:
            yield found.start()


def _cited(task: ContextTask) -> set[str]:
    return {block for _, text in task.given for block in text.split("\n\n")}


def _sentences(parts: Iterable[Part]) -> set[str]:
    return {item.strip() for _, text in parts for item in _STOP.split(text) if item.strip()}


def _all(task: ContextTask) -> str:
    return _plain("".join(text for _, text in task.parts))


def _plain(text: str) -> str:
    return "".join(text.split())
