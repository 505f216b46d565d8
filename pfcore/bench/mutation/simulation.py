"""A simulated reader that knows where errors were planted: for trying things out, and for tests."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from pfcore.bench.mutation.trials import Planted, Trial
from pfcore.stages.fence import Part
from pfcore.stages.task import Task
from pfcore.testing import KnownReader, MemoryStore

NAME = "simulated"
"""What stands for a model's name where no model is asked."""


_CITED = "Result "
"""What a context calls a result that is cited, whichever it is."""
_STOP = re.compile(r"(?<=[.:])\s")


class _Sign(NamedTuple):
    """What tells that a text has an error, and the words that are wrong.

    All of `words` stand in it, and none of `gone`, which the original has instead.
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
    listed: Iterable[Trial], store: MemoryStore, *, recall: float, alarms: float
) -> KnownReader:
    """One who finds each planted error with one chance, and cries wolf with another."""
    signs = [_sign(trial.original, item) for trial in listed for item in trial.planted]
    return KnownReader(_quoting(signs), recall=recall, alarms=alarms, store=store)


def _quoting(signs: Iterable[_Sign]) -> Callable[[str], str | None]:
    known = list(signs)

    def quote(text: str) -> str | None:
        plain = _plain(text)
        return next((sign.wrong for sign in known if sign.is_in(plain)), None)

    return quote


def _sign(original: Task, planted: Planted) -> _Sign:
    """The sentences that the mutant has and the original lacks; and its proof, as it stands."""
    task = planted.task
    before, after = _sentences(original.parts), _sentences(task.parts)
    fresh = [item for item in after if item not in before]
    listed = list(_sentences([("", task.text)]))
    own = [item for item in listed if item in fresh] or [item for item in listed if _CITED in item]
    return _Sign(
        words=frozenset(map(_plain, [*fresh, task.proof])),
        gone=frozenset(_plain(item) for item in before if item not in after),
        wrong=own[0] if own else listed[-1],
    )


def _sentences(parts: Iterable[Part]) -> dict[str, None]:
    """The sentences of some texts, in order."""
    listed = (item.strip() for _, text in parts for item in _STOP.split(text))
    return dict.fromkeys(item for item in listed if item)


def _plain(text: str) -> str:
    return "".join(text.split())
