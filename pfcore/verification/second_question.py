"""What a reader asks for beyond the context, and the answers: at most once in a rollout.

Only what the paper has under exactly this key is given, and never a result. The answers are in the
trace of a verdict as digests, so that it can be checked without the replies whether they still
hold.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.digest import text_digest
from pfcore.domain.lazy_regex import regex
from pfcore.graph.supplied import bare_key
from pfcore.latex.language.definienda import inflected
from pfcore.latex.language.notation import sentences
from pfcore.latex.language.terms import normal_words
from pfcore.verification.prompt import Part
from pfcore.verification.reply_parsing import Malformed, count_opened, tagged

TITLE = "Supplied on request: nothing here is established"
MOST_CHARACTERS = 20_000
"""The most characters of all answers together, without their keys."""
_MOST_KEYS = 8
_LONGEST = 120
_LONGEST_ANSWER = 6_000
_MOST_OPENED = 100
LACKS = "lacks "
"""The start of the reason for a reading that lacks something."""
_NOTHING = "the paper says nothing of it that you may have."

Answer = Callable[[str], str]
"""Returns what a paper says about a key, for one module; "" if it has nothing."""


class SuppliedKey(NamedTuple):
    """A key that a rollout asked for, and the digest of the answer.

    `answer` is "" if the paper has nothing under this key.
    """

    rollout: int
    key: str
    answer: str


Trace = tuple[SuppliedKey, ...]
"""All requests of some rollouts, in order."""


def nothing(_: str) -> str:
    """The answers for a text without a paper: always ""."""
    return ""


def holds(trace: Trace, answer: Answer) -> bool:
    """Whether a paper still gives the answers recorded in a trace."""
    return all(_digest(answer(item.key)) == item.answer for item in trace)


def _digest(text: str) -> str:
    return text_digest(text) if text else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissedKeys:
    """Keys as written by a reader: those that its verdict needs, and those that would help."""

    wanted: tuple[str, ...] = ()
    helpful: tuple[str, ...] = ()

    @property
    def reason(self) -> str:
        """Why nothing could be judged."""
        return f"{LACKS}{', '.join(self.wanted)}"


NOTHING_MISSED = MissedKeys()


def parse_missed(text: str) -> MissedKeys | Malformed:
    """The keys that a reply asks for, which must be in one list; wanted takes precedence."""
    opened = {tag: count_opened(text, tag) for tag in ("missing", "wanted", "helpful")}
    if not any(opened.values()):
        return NOTHING_MISSED
    if max(opened.values()) > _MOST_OPENED:
        return Malformed(reason="the list of what is missing is too long")
    inside = "".join(item.body for item in tagged(text, "missing"))
    wanted, helpful = _keys(inside, "wanted"), _keys(inside, "helpful")
    if opened != {"missing": 1, "wanted": len(wanted), "helpful": len(helpful)}:
        return Malformed(reason="what is missing does not stand in one list, each key in its tags")
    kept = tuple(dict.fromkeys(wanted))
    if len(kept) > _MOST_KEYS:
        return Malformed(
            reason=f"{len(kept)} keys are wanted; name the {_MOST_KEYS} that matter most"
        )
    others = tuple(key for key in dict.fromkeys(helpful) if key not in kept)
    return MissedKeys(wanted=kept, helpful=others[: _MOST_KEYS - len(kept)])


def parse_used(text: str) -> tuple[str, ...]:
    """The entries of the context on which a reply bases its verdict, according to itself."""
    few = count_opened(text, "used") <= _MOST_OPENED
    bodies = [item.body for item in tagged(text, "used")[-1:]] if few else []
    listed = ",".join(bodies).replace(";", ",")
    return tuple(
        dict.fromkeys(filter(None, (" ".join(item.split()) for item in listed.split(","))))
    )


def _keys(text: str, tag: str) -> list[str]:
    found = (" ".join(item.body.split())[:_LONGEST] for item in tagged(text, tag))
    return list(filter(None, found))


class SuppliedAnswers(NamedTuple):
    """The answers to one reply: for the second question and for the trace; keys without answer.

    A key that is another one with its noun is told with that: "tame", "a tame map".
    """

    parts: tuple[Part, ...]
    trace: Trace
    lacking: tuple[str, ...]


def told(missed: MissedKeys, answer: Answer, rollout: int) -> SuppliedAnswers:
    """The answers, a pure function of the paper, the module and the keys."""
    answers = {key: answer(key) for key in (*missed.wanted, *missed.helpful)}
    said: dict[str, str] = {}
    room = MOST_CHARACTERS
    for key, text in answers.items():
        said[key] = text[: min(room, _LONGEST_ANSWER)]
        room -= len(said[key])
    blocks = [f"{key} — {text or _NOTHING}" for key, text in said.items()]
    is_any = any(said.values())
    return SuppliedAnswers(
        parts=((TITLE, "\n\n".join(blocks)),) if is_any else (),
        trace=tuple(SuppliedKey(rollout, key, _digest(text)) for key, text in answers.items()),
        lacking=tuple(
            key
            for key in missed.wanted
            if not any(text and _is_told(key, other, text) for other, text in said.items())
        ),
    )


def _is_told(key: str, other: str, text: str) -> bool:
    """Whether what is told under another key tells a key, too.

    That is so where only articles and the like make the difference, or the noun of the sentence
    that has the other one: a "tame map" of "a map is called tame", "the unit $e$". A "strongly tame
    map" is another thing, and so is "the norm of $e$".
    """
    longer, shorter = (
        one if _MATHS.search(one) else one.casefold() for one in map(bare_key, (key, other))
    )
    if longer == shorter:
        return True
    sentence = next((one for one in sentences(text) if _at(shorter, one)), "")
    found = _at(shorter, sentence)
    if not found:
        return False
    if shorter[0] == "$":
        nouns, noun = sentence, longer.removesuffix(f" {shorter}")
    else:
        nouns, noun = sentence[: found.start()], longer.removeprefix(f"{shorter} ")
    known = {form for word in normal_words(nouns) for form in inflected(word, frozenset())}
    is_one = noun != longer and len(noun.split()) == 1
    return is_one and len(noun) > 1 and not known.isdisjoint(normal_words(noun))


def _at(key: str, text: str) -> re.Match[str] | None:
    """Where a text has a key as it is written, by itself."""
    if len(key) < len("ab"):
        return None
    flags = 0 if _MATHS.search(key) else re.IGNORECASE
    return re.search(rf"(?<!\w){re.escape(key)}(?!\w)", text, flags)


_MATHS = regex(r"[$\\]")
