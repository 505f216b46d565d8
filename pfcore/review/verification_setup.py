"""What a reading needs besides the papers: the model, the store, and how replies are judged.

Also makes a contract and judging settings from the settings of the user and of a paper's authors.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import prompts
import prompts as released
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import PaperSettings, ReadingSettings
from pfcore.domain.values import Severity
from pfcore.ledger.ledger import Ledger
from pfcore.llm.engine.run import Store
from pfcore.llm.model_settings import ModelChoice
from pfcore.papers.paper import Paper
from pfcore.repository.snapshot import Snapshot
from pfcore.review.known_verdicts import KnownVerdicts
from pfcore.verification.contract import Contract, Granularity, Judging
from pfcore.verification.prompt import ActionFactory, Prompt


@dataclass(frozen=True, kw_only=True)
class VerificationSetup:
    """The setup of readings; by default without a model, using only the ledger.

    `choice` is the model that the user named; `rollouts` the user's number instead of the authors';
    in CI only the base's lines of a ledger count, and with `lock` only those of that moment;
    `answers` are lines that count in addition to a ledger's; `failures` says by context why an
    attempted reading gave no verdict. `versions` are the user's own prompts; None means those that
    a paper's authors name, or the current ones. `note` is a remark about the model, shown wherever
    its verdicts count.
    """

    choice: ModelChoice | None = None
    store: Store | None = None
    prompt: Prompt = prompts.prompt
    versions: Mapping[str, str] | None = None
    rollouts: int | None = None
    is_ci: bool = False
    lock: Snapshot | None = None
    answers: Ledger = field(default_factory=Ledger)
    failures: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    def knowledge(self, paper: Paper, ledger: Ledger) -> KnownVerdicts:
        """The verdicts on a paper's contexts."""
        settings = paper.settings
        if self.rollouts is not None:
            settings = replace(settings, reading=_with(settings.reading, self.rollouts))
        return KnownVerdicts(
            judging=judging_of(settings),
            ledger=ledger,
            asking=self._asking(paper),
            earlier=tuple(self._earlier(paper)),
            store=self.store,
            accept=settings.reading.accept,
            failures=self.failures,
            note=self.note,
        )

    def _asking(self, paper: Paper) -> ActionFactory | None:
        if self.choice is None:
            return None
        contract = contract_of(self.choice, paper.settings, paper.name, self.versions)
        return ActionFactory(contract=contract, prompt=self.prompt)

    def _earlier(self, paper: Paper) -> Iterator[ActionFactory]:
        """How earlier releases asked, the last one first: their readings still count."""
        if self.choice is None or self.versions is not None:
            return
        contract = contract_of(self.choice, paper.settings, paper.name)
        names = [name for name, listed in prompts.SETS.items() if _are(listed, contract)]
        before = list(prompts.SETS)[: list(prompts.SETS).index(names[0])] if names else []
        for name in reversed(before):
            found = replace(contract, prompts=tuple(sorted(prompts.SETS[name].items())), asks=True)
            yield ActionFactory(contract=found, prompt=self.prompt)


def untested(model: str) -> str:
    """The remark about a model that was not tested."""
    return f"not tested: pf doctor --model {model}"


def _are(versions: Mapping[str, str], contract: Contract) -> bool:
    return tuple(sorted(versions.items())) == contract.prompts


def _with(reading: ReadingSettings, rollouts: int) -> ReadingSettings:
    """The authors' settings with the user's number of rollouts, which limits the votes."""
    votes = reading.blocking_votes
    kept = votes if votes is not None and votes <= rollouts else None
    return replace(
        reading,
        rollouts=rollouts,
        min_votes=min(reading.min_votes, rollouts),
        blocking_votes=kept,
    )


_BLOCKING = 2
_PIECES = 100
"""The most pieces of a whole paper."""


def contract_of(
    choice: ModelChoice,
    settings: PaperSettings,
    paper: str,
    prompts: Mapping[str, str] | None = None,
) -> Contract:
    """The contract for a paper, by its name; its own [[paper]] entry wins over [reading].

    `prompts` are versions by stage; None means those that the settings name, or the current ones.
    """
    reading = settings.reading
    if prompts is None:
        prompts = released.SETS[reading.wording] if reading.wording else released.CURRENT
    own = next((entry.strictness for entry in settings.papers if entry.name == paper), None)
    return Contract(
        endpoint=choice.connection.endpoint,
        model=choice.model,
        effort=choice.effort,
        temperature=choice.temperature,
        limit=choice.limit,
        prompts=tuple(sorted(prompts.items())),
        granularity=Granularity(reading.granularity),
        bound=settings.bounds.length,
        attempts=reading.attempts,
        strictness=own or reading.strictness,
        conventions=reading.conventions,
        form=reading.form,
        asks=reading.asks,
    )


def contract_of_pdf(
    choice: ModelChoice,
    settings: PaperSettings,
    paper: str,
    prompts: Mapping[str, str] = released.WHOLE,
) -> Contract:
    """The contract for a paper that exists only as a PDF, which is always split into pieces."""
    contract = contract_of(choice, settings, paper, prompts)
    return replace(contract, granularity=Granularity.FINE, bound=0, pieces=_PIECES, form="pf-pdf/1")


def judging_of(settings: PaperSettings) -> Judging:
    """How replies are judged; UsageError if more votes are needed than there are rollouts."""
    reading = settings.reading
    wanted = _BLOCKING if reading.blocking_votes is None else reading.blocking_votes
    if reading.min_votes > reading.rollouts:
        message = f"{reading.rollouts} rollouts cannot give {reading.min_votes} votes (min_votes)"
        raise UsageError(message)
    return Judging(
        rollouts=reading.rollouts,
        min_votes=reading.min_votes,
        blocking_votes=max(reading.min_votes, min(wanted, reading.rollouts)),
        threshold=Severity(settings.checks.threshold),
        progressive=reading.progressive,
    )
