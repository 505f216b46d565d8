"""Which known errors of a paper a location names: judged by a model, with the PDF or without.

Inclusive counts what lies inside a known result as that result, strict counts the result alone
(ArxivMathGradingBench Judge, in the paper's appendix). The question does not depend on a rollout.
Where labels leave no doubt they count, whatever a model says: two names of one number are one
result for both judges, and two numbers are two results for the strict one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pfcore.bench.runs.matching import is_plain, is_surely_inside, is_surely_other, is_surely_same
from pfcore.verification.fence import Part
from pfcore.verification.locations import printed_place
from pfcore.verification.reply_parsing import Malformed, last_json
from pfcore.verification.verify import ModuleVerifier, Unread
from pfcore.verification.whole_paper import INCLUSIVE

STRICT = "judge-strict"

_WORDS = 2_000
"""Characters of a description at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The places that have known errors, and the one that is to be found among them.

    `words` are what is said of it, `title` is the paper's.
    """

    title: str
    known: tuple[str, ...]
    location: str
    words: str

    @property
    def parts(self) -> tuple[Part, ...]:
        """The question's texts.

        A numbered result says by itself where it is: however often and in what words it is named,
        it is asked about once. Another name, or a result that it is said to lie in, is passed on.
        """
        is_clear = is_plain(self.location)
        known = "\n".join(f"{number}. {text}" for number, text in enumerate(self.known))
        return (
            ("The paper", self.title),
            ("Known errors", known),
            (
                "The place that is named",
                printed_place(self.location).shown if is_clear else self.location,
            ),
            ("What is said of it", "" if is_clear else self.words[:_WORDS]),
        )

    def settled(self, stage: str) -> dict[int, bool]:
        """The known errors about which labels leave a judge no doubt: whether they are named."""
        found = {}
        for number, known in enumerate(self.known):
            is_inside = stage == INCLUSIVE and is_surely_inside(known, self.location)
            if is_inside or is_surely_same(known, self.location):
                found[number] = True
            elif stage == STRICT and is_surely_other(known, self.location):
                found[number] = False
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Matches:
    """The known errors that a location names, by their numbers from 0.

    `overruled` are those of which a model has said the contrary of what labels say for certain.
    """

    found: tuple[int, ...]
    overruled: tuple[int, ...] = ()


async def judged(reading: ModuleVerifier, stage: str, question: Question) -> Matches | Unread:
    """What one judge says; a failure is no mismatch. Nobody is asked where labels settle it all."""
    settled = question.settled(stage)
    sure = frozenset(number for number, is_named in settled.items() if is_named)
    if len(settled) == len(question.known):
        return Matches(found=tuple(sorted(sure)))
    said = await reading.asked(
        stage, question.parts, 1, lambda text: parse_matches(text, len(question.known))
    )
    if isinstance(said, Unread):
        return said
    about = settled.keys() & said.found
    return Matches(
        found=tuple(sorted(sure | (set(said.found) - settled.keys()))),
        overruled=tuple(sorted(about ^ sure)),
    )


def parse_matches(text: str, count: int) -> Matches | Malformed:
    """The matches of a reply about so many known errors."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    return matches(choice.get("matches"), count)


def matches(listed: object, count: int) -> Matches | Malformed:
    """Numbers of known errors as a reply has them; a number that none has is no answer."""
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return Malformed(reason="the JSON block has no list of matches")
    if any(isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < count for n in listed):
        return Malformed(reason=f"a match is none of the numbers 0 to {count - 1}")
    return Matches(found=tuple(sorted(set(listed))))
