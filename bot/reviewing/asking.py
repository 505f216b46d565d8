"""Asks a model about what a change affects, as far as several purses allow."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from pfcore.cli.ask_model import Opening, Work, asked, server, unread_jobs
from pfcore.cli.budgets import run_cap
from pfcore.cli.progress import Progress
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.llm.engine.budget import Budget
from pfcore.llm.engine.events import EngineEvent, EngineEventKind
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.opening import require_key
from pfcore.llm.store.reply_store import ReplyStore
from pfcore.reporters.style import Style
from pfcore.review.reading_session import Done, ReadJob
from pfcore.review.review import PaperReport, Report
from pfcore.review.verification_setup import VerificationSetup

_HOUR = 3600.0
_NO_PRICE = (
    "nobody has told the App what {model} costs, so no budget can be kept: its operator gives the "
    "price in the configuration"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingAllowance:
    """What a run may spend beside what the paper's settings say, in dollars.

    `today` is what other runs have spent on this repository since midnight, `left` what they leave
    of the caps of the month; both are asked before each call. `spent`: what this run has spent
    before it was taken up again. `seconds`: how long calls may begin.
    """

    today: Callable[[], float] = lambda: 0.0
    left: Callable[[], float] | None = None
    spent: float = 0.0
    seconds: float = _HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class UsagePulse:
    """How far a reading has come; without a word of the paper.

    `lost`: calls that the model did not answer, and may answer another time.
    """

    modules: int
    done: int
    calls: int
    input_tokens: int
    output_tokens: int
    dollars: float
    lost: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """Who looks on: `note` hears of each call; once `is_over` says so, no other call begins.

    What was replied is kept in any case.
    """

    note: Callable[[UsagePulse], None] = lambda pulse: None
    is_over: Callable[[], bool] = lambda: False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelReader:
    """Who is asked, where replies are kept, what may be spent, and who looks on."""

    choice: ModelChoice
    store: ReplyStore
    purse: SpendingAllowance = field(default_factory=SpendingAllowance)
    watch: Watch = field(default_factory=Watch)
    who: Opening = server

    def read(self, report: Report, desk: VerificationSetup, anew: Collection[str] = ()) -> Report:
        """The review with what is unread of it, or with the modules of some findings read anew.

        Where there are no such findings any more, it is as if none was named. IncompleteError
        where nothing can be asked: a key is missing, or a price that budgets need.
        """
        wanted = [(paper, _jobs_anew(paper, anew)) for paper in report.papers]
        if not any(jobs for _, jobs in wanted):
            is_whole = report.before is None
            wanted = [(paper, unread_jobs(paper, whole=is_whole)) for paper in report.papers]
        budgets: list[Budget] = []
        works = [
            Work(jobs=jobs, budget=self._budget(paper, budgets)) for paper, jobs in wanted if jobs
        ]
        if not works:
            return report
        if self.who is server:
            _require_key(self.choice)
        total = sum(len(work.jobs) for work in works)
        progress = _WatchedProgress(
            total=total, style=Style(), is_shown=False, watch=self.watch, budgets=budgets
        )
        return asked(report, desk, works, self.store, progress, who=self.who)

    def _budget(self, paper: PaperReport, others: list[Budget]) -> Budget:
        """The budget of one paper; those of all papers of the run see each other."""
        settings, purse = paper.state.paper.settings, self.purse
        if self.choice.price is None:
            raise IncompleteError(_NO_PRICE.format(model=self.choice.model))
        cap = run_cap(None, self.choice, settings, paper.state.paper.name)

        def spent() -> float:
            return purse.spent + sum(item.spent - purse.spent for item in others)

        made = Budget(
            price=self.choice.price,
            dollars=cap.dollars,
            seconds=purse.seconds,
            dollars_per_day=settings.reading.budget_per_day,
            day_spent=lambda: purse.today() + spent(),
            spent=purse.spent,
        )
        if purse.left is not None:
            left = purse.left
            made.left = lambda: left() - (spent() - made.spent)
        others.append(made)
        return made


def _require_key(choice: ModelChoice) -> None:
    """IncompleteError where a key is missing: it is for the App's operator to set."""
    try:
        require_key(choice.connection)
    except UsageError as error:
        raise IncompleteError(error.message) from error


def _jobs_anew(paper: PaperReport, anew: Collection[str]) -> list[ReadJob]:
    """The modules of findings, to be read once more; nothing where no such finding is there.

    A reading that was cut short, as by a crash, goes on instead of beginning anew.
    """
    sheet = paper.sheet
    if sheet is None or not anew:
        return []
    meant = {
        item.module
        for item in paper.objections
        if not item.aliases.isdisjoint(anew) or item.id in anew
    }
    unread = sheet.unread()
    return [
        ReadJob(task=task, knowledge=sheet.knowledge, is_recheck=name not in unread)
        for name, task in sheet.tasks.items()
        if name in meant
    ]


@dataclass(kw_only=True)
class _WatchedProgress(Progress):
    """Tells who looks on, and lets no call begin once it is over."""

    watch: Watch
    budgets: list[Budget]
    lost: int = 0

    def call(self, event: EngineEvent) -> None:
        """Take note of what became of an action."""
        super().call(event)
        self.lost += event.kind is EngineEventKind.FAILED and event.may_pass
        self._tell()

    def module(self, item: Done) -> None:
        """Take note of a module that is done."""
        super().module(item)
        self._tell()

    def _tell(self) -> None:
        tally = self.tally
        self.watch.note(
            UsagePulse(
                modules=self.total,
                done=self.done,
                calls=tally.calls,
                input_tokens=tally.usage.input,
                output_tokens=tally.usage.output,
                dollars=tally.cost,
                lost=self.lost,
            )
        )
        if self.watch.is_over():
            for budget in self.budgets:
                budget.seconds = 0.0
