"""What is asked, and how replies are judged: the asking contract enters keys, the rest does not."""

from dataclasses import dataclass, field
from enum import StrEnum

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


class Granularity(StrEnum):
    """What a block is: the module as written, its translation, or that only where it is long."""

    AUTHOR = "author"
    FINE = "fine"
    AUTO = "auto"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """All that enters keys beyond the texts themselves.

    `prompts` are (stage, version) pairs; `limit` is the most output tokens of a reply; `bound` the
    length in characters above which `auto` translates; `attempts` the most rewritings after a
    faithfulness objection (0: no check); `pieces` the most components of a rewriting; `form` is the
    version of the canonical texts.
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

    def fields(self) -> dict[str, object]:
        """What the digest is of, in JSON's terms: a ledger shows it to people."""
        return {
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
        """What tells contracts apart in the ledger."""
        return digest(self.fields())

    def version(self, stage: str) -> str:
        """The version of a stage's prompt; KeyError for a stage without one."""
        return dict(self.prompts)[stage]

    @property
    def rewritings(self) -> int:
        """How often a proof is rewritten at most: a form that is wrong is asked for again."""
        return max(1, self.attempts) + 1

    def strictness_words(self) -> str:
        """What the calibrator is told: a known level in words, or the user's own words."""
        return STRICTNESS.get(self.strictness, self.strictness)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What is applied to replies afterwards; changing it makes nothing unread that has replies.

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
