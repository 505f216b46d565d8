"""What work is done with: GitHub, the records, the reader, the queues; all as protocols."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bot.deliveries import Deliveries
from bot.events import Place
from bot.forge import Check, Hub, Origin
from bot.reconcile import Changes, Existing
from bot.runs import Answer, Records
from bot.settings import Settings
from bot.work.job import Job
from bot.work.steps import PATIENCE
from bot.work.task import Task

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What is to be reviewed; `base` is where the head parted, None where nothing came before.

    `trusted` is the commit whose configuration and ledger count. `answers` were given by command;
    `again` is the id of a finding whose proof is to be read once more, or "".
    """

    place: Place
    base: str | None
    head: str
    trusted: str
    answers: tuple[Answer, ...] = ()
    again: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a review without a model came to; `saved` is all that is needed to tell it, as JSON.

    `is_readable`: there are proofs for a reader to look at. `is_wanted`: on branches, whether the
    repository asks for checks of this one.
    """

    saved: str = field(repr=False)
    is_readable: bool
    is_wanted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a reader has used since it began."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    dollars: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What holds while proofs are read, in dollars.

    `today`: what other runs have spent on the repository since midnight; `left`: what all others
    leave of our caps; `spent`: what this run had spent before a crash. `note` hears how much was
    used; once `is_over` no other call begins.
    """

    today: Callable[[], float]
    left: Callable[[], float]
    spent: float
    note: Callable[[Usage], None]
    is_over: Callable[[], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A dismissal as lines of `pf.lock`, "" for a check's finding; `finding` is its id now."""

    finding: str
    aliases: tuple[str, ...]
    text: str = field(repr=False)


class Reading(Protocol):
    """Reviews, and the words for them; nothing that is told needs a second review.

    `structure` and `proofs` are results. `unread` is a sentence that says why no proofs are read,
    or "". Every method may raise IncompleteError.
    """

    @property
    def has_model(self) -> bool:
        """Whether anybody is there to read proofs."""

    def structure(self, subject: Subject, origin: Origin) -> Found:
        """What can be said without a model."""

    def proofs(self, subject: Subject, origin: Origin, terms: Terms) -> str:
        """What a reader says, as JSON; what was read before is there without any money."""

    def structure_check(self, structure: str) -> Check:
        """The check of what can be said without a model."""

    def proofs_check(self, structure: str, proofs: str | None, *, unread: str) -> Check:
        """The check of the proofs."""

    def waiting_check(self, structure: str) -> Check:
        """The check of the proofs while they are being read."""

    def changes(
        self, structure: str, proofs: str | None, existing: list[Existing], *, unread: str
    ) -> Changes:
        """What is to be done about comments."""

    def explained(self, results: tuple[str, ...], finding: str) -> str | None:
        """All that is known of a finding, as Markdown; None where there is no such."""

    def graph(self, results: tuple[str, ...]) -> str | None:
        """What the change affects, as a graph in Markdown; None where there is none to show."""

    def answer(
        self, results: tuple[str, ...], finding: str, *, reason: str, who: str
    ) -> Lines | None:
        """A dismissal; None where there is no such finding."""

    def erase(self, repository_id: int) -> None:
        """Erase all that is kept of a repository."""


class Tasks(Protocol):
    """The queues; a task that is there already is not put again. DeliveryError where they fail."""

    def put(self, task: Task) -> None:
        """Hand a task on for good."""

    def waiting(self, prefix: str) -> list[Job]:
        """The jobs that wait under ids with this beginning, the oldest first."""

    def erase(self, prefix: str) -> None:
        """Forget the tasks with such ids, done or not, save for those that are at work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """All that a worker has; `lag` is how many seconds GitHub may need to know what it told us."""

    settings: Settings
    hub: Hub
    records: Records
    deliveries: Deliveries
    reading: Reading
    tasks: Tasks
    clock: Clock
    patience: tuple[float, ...] = PATIENCE
    lag: float = 15.0
