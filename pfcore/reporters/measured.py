"""What a contract has found of errors planted in a paper, as reports quote it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share, latest
from pfcore.reporters.printing import plural, safe
from pfcore.review.review import PaperReport, Report

if TYPE_CHECKING:
    from pfcore.review.paper_verdicts import PaperVerdicts


def quoted(report: Report) -> Iterator[str]:
    """A sentence for each paper whose contract was measured at the votes that count now."""
    for paper in report.papers:
        found = measured(paper)
        if found is not None:
            name = f"{safe(paper.state.paper.name)}: " if len(report.papers) > 1 else ""
            yield name + sentence(*found)


def measured(paper: PaperReport) -> tuple[MeasuredContract, MeasuredRate] | None:
    """What is on record of the contract that a paper is read under, and of its settings."""
    sheet = paper.sheet
    if sheet is None or sheet.knowledge.judging.progressive:
        return None
    judging = sheet.knowledge.judging
    found = latest(
        sheet.knowledge.ledger.measured,
        contract=_contract(sheet),
        paper=paper.state.paper.name,
        rollouts=judging.rollouts,
        min_votes=judging.min_votes,
    )
    rate = found.at(judging.rollouts, judging.min_votes) if found else None
    return (found, rate) if found and rate else None


def sentence(found: MeasuredContract, rate: MeasuredRate) -> str:
    """What was measured, on how much, with which model, and when."""
    how = "Simulated, no model was asked" if found.simulated else "Measured"
    said = (
        f"{how}: on {plural(found.errors, 'planted error')} of this paper ({safe(found.model)}, "
        f"{found.day}; {plural(rate.rollouts, 'reading')}, {plural(rate.min_votes, 'vote')}), "
        f"{_share(rate.recall)} of them were found and {_share(rate.flagged)} of "
        f"{plural(found.proofs, 'unchanged proof')} objected to"
    )
    if rate.precision is None:
        return f"{said}."
    return f"{said}; {_share(rate.precision)} of the objections were to planted errors."


def _share(share: Share) -> str:
    value, low, high = (round(number / 10) for number in share)
    return f"{value} % (95 % interval {low}–{high} %)"


def _contract(sheet: PaperVerdicts) -> str:
    """The contract now; without a model the one that all of the record was read under."""
    if sheet.knowledge.asking is not None:
        return sheet.knowledge.contract
    contracts = {asked.contract for asked in sheet.knowledge.ledger.entries}
    return contracts.pop() if len(contracts) == 1 else ""
