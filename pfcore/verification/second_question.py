"""What a reader asks for beyond the context, and what it is told: at most once in a rollout.

Only what the paper says under exactly this key is told, and never a result. The answers enter the
trace of a verdict as digests, so that whoever has no replies can tell whether it still holds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.digest import text_digest
from pfcore.verification.prompt import Part
from pfcore.verification.reply_parsing import tagged

TITLE = "Supplied on request"
MOST_CHARACTERS = 20_000
"""Of all that is told together."""
_MOST_KEYS = 8
_LONGEST = 120
_LONGEST_ANSWER = 6_000

Answer = Callable[[str], str]
"""What a paper says under a key, for one module; "" where it has nothing more."""


class SuppliedKey(NamedTuple):
    """What a rollout asked for beyond the context, and the digest of what it was told.

    `answer` is "" where the paper has nothing under this key.
    """

    rollout: int
    key: str
    answer: str


Trace = tuple[SuppliedKey, ...]
"""All that some rollouts asked for, in order."""


def nothing(_: str) -> str:
    """The answer of a text that stands alone."""
    return ""


def holds(trace: Trace, answer: Answer) -> bool:
    """Whether a paper still answers as a trace says."""
    return all(_digest(answer(item.key)) == item.answer for item in trace)


def _digest(text: str) -> str:
    return text_digest(text) if text else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedKeys:
    """Keys as a reader writes them: what a verdict hangs on, and what would help."""

    wanted: tuple[str, ...] = ()
    helpful: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why nothing could be judged."""
        return f"lacks {', '.join(self.wanted)}"


NOTHING_MISSED = MissedKeys()


def parse_missed(text: str) -> MissedKeys:
    """What a reply misses; what stands under both is wanted."""
    inside = "".join(item.body for item in tagged(text, "missing")[-1:])
    wanted = _keys(inside, "wanted")
    helpful = tuple(key for key in _keys(inside, "helpful") if key not in wanted)
    return MissedKeys(wanted=wanted, helpful=helpful[: _MOST_KEYS - len(wanted)])


def parse_used(text: str) -> tuple[str, ...]:
    """The entries of the context on which a reply says that its verdict rests."""
    listed = ",".join(item.body for item in tagged(text, "used")[-1:]).replace(";", ",")
    return tuple(
        dict.fromkeys(filter(None, (" ".join(item.split()) for item in listed.split(","))))
    )


def _keys(text: str, tag: str) -> tuple[str, ...]:
    found = (" ".join(item.body.split())[:_LONGEST] for item in tagged(text, tag))
    return tuple(dict.fromkeys(filter(None, found)))[:_MOST_KEYS]


class SuppliedAnswers(NamedTuple):
    """The answers to one reply: for the second question, for the trace; what nobody can tell."""

    parts: tuple[Part, ...]
    trace: Trace
    lacking: tuple[str, ...]


def told(missed: MissedKeys, answer: Answer, rollout: int) -> SuppliedAnswers:
    """A pure function of the paper, the module and what the reply misses."""
    answers = {key: answer(key) for key in (*missed.wanted, *missed.helpful)}
    blocks: list[str] = []
    room = MOST_CHARACTERS
    for key, text in answers.items():
        said = (
            text[: min(room, _LONGEST_ANSWER)] or "the paper says nothing of it that you may have."
        )
        blocks.append(f"{key} — {said}")
        room = max(0, room - len(text))
    is_any = any(answers.values())
    return SuppliedAnswers(
        parts=((TITLE, "\n\n".join(blocks)),) if is_any else (),
        trace=tuple(SuppliedKey(rollout, key, _digest(text)) for key, text in answers.items()),
        lacking=tuple(key for key in missed.wanted if not answers[key]),
    )
