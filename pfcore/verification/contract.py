"""What is asked and how replies are judged: the contract is part of keys, the judging is not.

It also weighs the objections of rollouts, and says when the remaining ones cannot change what
blocks.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from pfcore.domain.digest import digest
from pfcore.domain.values import Severity
from pfcore.llm.protocol import LIMIT, Endpoint

STRICTNESS = {
    "lenient": (
        "Only defects that make the statement unproved count. What a specialist repairs at sight "
        "is a false alarm."
    ),
    "standard": (
        "What a careful referee of a good journal would insist on counts. Routine steps need no "
        "words; a gap that takes a specialist more than a few lines to close is genuine."
    ),
    "pedantic": (
        "Every step that does not follow as written counts, small gaps and unnamed hypotheses "
        "included; taste, wording and typography still do not."
    ),
}


_SHORTEST = 1_200
"""About fifteen lines."""


class Granularity(StrEnum):
    """What a block is: the module as written, its translation, or its translation if it is long."""

    AUTHOR = "author"
    FINE = "fine"
    AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """Everything in keys beyond the texts themselves.

    `prompts` are (stage, version) pairs; `limit` is the most output tokens of a reply; `bound` the
    length in characters above which `auto` translates; `attempts` the most rewritings after a
    faithfulness objection (0: no check); `pieces` the most components of a rewriting; `form` is the
    version of the canonical texts; `asks` lets a reader ask once for what the context lacks.
    """

    endpoint: Endpoint
    model: str
    effort: str | None = None
    temperature: str | None = None
    limit: int = LIMIT
    prompts: tuple[tuple[str, str], ...] = ()
    granularity: Granularity = Granularity.AUTO
    bound: int = 6_000
    attempts: int = 3
    pieces: int = 40
    strictness: str = "standard"
    conventions: str = ""
    form: str = "pf-context/1"
    asks: bool = True

    def fields(self) -> dict[str, object]:
        """The digest's input as JSON values, which a ledger shows to people.

        Newer fields are included only if they are not at their default, so that older digests stay
        the same.
        """
        later: dict[str, object] = {} if self.asks else {"asks": False}
        return later | {
            "endpoint": self.endpoint.value,
            "model": self.model,
            "effort": self.effort,
            "temperature": self.temperature,
            "limit": self.limit,
            "prompts": [list(pair) for pair in sorted(self.prompts)],
            "granularity": self.granularity.value,
            "bound": self.bound,
            "attempts": self.attempts,
            "pieces": self.pieces,
            "strictness": self.strictness,
            "conventions": self.conventions,
            "form": self.form,
        }

    def digest(self) -> str:
        """The digest that identifies the contract in the ledger."""
        return digest(self.fields())

    def version(self, stage: str) -> str:
        """The version of a stage's prompt; KeyError for a stage without one."""
        return dict(self.prompts)[stage]

    @property
    def rewritings(self) -> int:
        """The most attempts at rewriting a proof, repeats because of a wrong form included."""
        return max(1, self.attempts) + 1

    @property
    def knows_asking(self) -> bool:
        """Whether the prompt tells a reader how to ask for missing material."""
        return not self._is_first("verify")

    def compares_whole(self, stage: str) -> bool:
        """Whether this stage compares a rewriting as a whole, and not piece by piece."""
        return not self._is_first(stage)

    @property
    def shortest(self) -> int:
        """The length in characters below which a proof is read as it stands."""
        return 0 if self._is_first("translate") else _SHORTEST

    def _is_first(self, stage: str) -> bool:
        """Whether a stage has the first version of its prompt, or a user's replacement for it."""
        return dict(self.prompts).get(stage, "").partition("+")[0] == "v1"

    @property
    def may_ask(self) -> bool:
        """Whether a reader's requests for material are answered."""
        return self.asks and self.knows_asking

    def strictness_words(self) -> str:
        """The strictness for the calibrator: a known level spelled out, or the user's own words."""
        return STRICTNESS.get(self.strictness, self.strictness)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How replies are judged; changing it never makes stored readings unread.

    `rollouts` is k; a finding is reported at `min_votes` and blocks at `blocking_votes`.
    """

    rollouts: int = 3
    min_votes: int = 1
    blocking_votes: int = 2
    threshold: Severity = field(default=Severity.ERROR)
    progressive: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.min_votes <= self.rollouts:
            raise ValueError(f"min_votes must lie between 1 and {self.rollouts}")
        if self.blocking_votes < self.min_votes:
            raise ValueError("blocking_votes must not be less than min_votes")


class Weights(NamedTuple):
    """How many rollouts object, by the most severe objection of each."""

    error: int = 0
    warning: int = 0
    note: int = 0

    @property
    def total(self) -> int:
        """The number of rollouts that object."""
        return sum(self)

    @property
    def severity(self) -> Severity:
        """The highest severity that at least half of them reach."""
        return next(item for item in Severity if 2 * self.at_least(item) >= self.total)

    def at_least(self, threshold: Severity) -> int:
        """How many object at this severity or above."""
        return sum(getattr(self, item) for item in Severity if item.rank >= threshold.rank)

    def joined(self, other: "Weights") -> "Weights":
        """The least weights that are not below either of them at any threshold."""
        error, warning, note = (max(self.at_least(item), other.at_least(item)) for item in Severity)
        return Weights(error, warning - error, note - warning)


def weighed(gravest: Iterable[Severity]) -> Weights:
    """The weights of some rollouts, given the most severe objection of each."""
    listed = list(gravest)
    return Weights(*(listed.count(item) for item in Severity))


def mildest(votes: int, severity: Severity) -> Weights:
    """The least weights of this many rollouts that yield this severity."""
    half = (votes + 1) // 2
    return Weights(**{severity: half})._replace(
        note=votes if severity is Severity.NOTE else votes - half
    )


def is_final(
    everywhere: Weights, places: Iterable[Weights], *, left: int, judging: Judging
) -> bool:
    """Whether the remaining `left` rollouts cannot change whether something blocks.

    They may object anywhere, connect separate places, and raise or lower the severity of a place.
    `everywhere` are the weights of the rollouts over all places.
    """
    if left <= 0:
        return True
    grave, light = _parted(everywhere, judging)
    if not _may_block(grave + left, light, judging):
        return True
    return any(
        place.total >= judging.blocking_votes
        and _outweighs(
            place.at_least(judging.threshold),
            everywhere.total + left - place.at_least(judging.threshold),
        )
        for place in places
    )


def _parted(weights: Weights, judging: Judging) -> tuple[int, int]:
    """The numbers of objections that are severe enough to block, and that are not."""
    grave = weights.at_least(judging.threshold)
    return grave, weights.total - grave


def _may_block(grave: int, light: int, judging: Judging) -> bool:
    """Whether this many grave and light objections can block if they all meet in one place."""
    wanted = max(0, judging.blocking_votes - grave)
    return wanted <= light and _outweighs(grave, wanted)


def _outweighs(grave: int, light: int) -> bool:
    """Whether a place with this many grave and light objections counts as grave."""
    return light <= (grave + light) // 2
