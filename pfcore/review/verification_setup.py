"""What a reading needs beside the papers: who is asked, what is kept, how replies are judged."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import prompts
from pfcore.domain.paper_settings import ReadingSettings
from pfcore.ledger.ledger import Ledger
from pfcore.llm.engine.run import Store
from pfcore.llm.model_settings import ModelChoice
from pfcore.papers.paper import Paper
from pfcore.repository.snapshot import Snapshot
from pfcore.review.known_verdicts import KnownVerdicts
from pfcore.review.settled import contract_of, judging_of
from pfcore.verification.prompt import ActionFactory, Prompt


@dataclass(frozen=True, kw_only=True)
class VerificationSetup:
    """The defaults ask nobody and know only the ledger.

    `choice` is the model that the user named; `rollouts` what the user wants instead of the
    authors' number; in CI only the base's lines of a ledger count, and where `lock` is given, only
    those of that moment; `answers` are lines that count beside a ledger's; `failures` says by
    context why a reading that was tried gave no verdict.
    """

    choice: ModelChoice | None = None
    store: Store | None = None
    prompt: Prompt = prompts.prompt
    versions: Mapping[str, str] = field(default_factory=lambda: prompts.CURRENT)
    rollouts: int | None = None
    is_ci: bool = False
    lock: Snapshot | None = None
    answers: Ledger = field(default_factory=Ledger)
    failures: Mapping[str, str] = field(default_factory=dict)

    def knowledge(self, paper: Paper, ledger: Ledger) -> KnownVerdicts:
        """What is known of a paper's contexts."""
        settings = paper.settings
        if self.rollouts is not None:
            settings = replace(settings, reading=_with(settings.reading, self.rollouts))
        return KnownVerdicts(
            judging=judging_of(settings),
            ledger=ledger,
            asking=self._asking(paper),
            store=self.store,
            accept=settings.reading.accept,
            failures=self.failures,
        )

    def _asking(self, paper: Paper) -> ActionFactory | None:
        if self.choice is None:
            return None
        contract = contract_of(self.choice, paper.settings, paper.name, self.versions)
        return ActionFactory(contract=contract, prompt=self.prompt)


def _with(reading: ReadingSettings, rollouts: int) -> ReadingSettings:
    """The authors' settings with the user's number of rollouts; more votes than that cannot be."""
    votes = reading.blocking_votes
    kept = votes if votes is not None and votes <= rollouts else None
    return replace(
        reading,
        rollouts=rollouts,
        min_votes=min(reading.min_votes, rollouts),
        blocking_votes=kept,
    )
