"""Which accepted modules a sceptic reads again: chosen by a seed, so that nobody can pick."""

from collections.abc import Iterable

from pfcore.domain.digest import text_digest
from pfcore.ledger.ledger import LedgerEntry
from pfcore.review.paper_verdicts import PaperVerdicts
from pfcore.verification.task import ContextTask


def accepted(sheet: PaperVerdicts) -> list[ContextTask]:
    """The modules of a paper that are on record without a reported objection."""
    judging = sheet.objections.judging
    return [
        task
        for name, task in sheet.tasks.items()
        if isinstance(found := sheet.readings[name], LedgerEntry) and not found.reported(judging)
    ]


def sample(tasks: Iterable[ContextTask], size: int, seed: str) -> list[ContextTask]:
    """So many of some tasks; neither labels nor their order have a part in it."""
    return sorted(tasks, key=lambda task: text_digest(f"{seed}\n{task.context}"))[:size]
