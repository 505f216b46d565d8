"""From what a user and a paper's authors have set to a contract and judging settings."""

from collections.abc import Mapping
from dataclasses import replace

import prompts as released
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import PaperSettings
from pfcore.domain.values import Severity
from pfcore.graph.rendering import VERSION
from pfcore.llm.model_settings import ModelChoice
from pfcore.verification.contract import Contract, Granularity, Judging

_BLOCKING = 2
_PIECES = 100
"""Pieces of a whole paper at most."""


def contract_of(
    choice: ModelChoice,
    settings: PaperSettings,
    paper: str,
    prompts: Mapping[str, str] = released.CURRENT,
) -> Contract:
    """What a paper, by its name, is asked with; its own [[paper]] entry wins over [reading]."""
    reading = settings.reading
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
        form=VERSION,
    )


def contract_of_pdf(
    choice: ModelChoice,
    settings: PaperSettings,
    paper: str,
    prompts: Mapping[str, str] = released.WHOLE,
) -> Contract:
    """What a paper is asked with that is there as a PDF alone; it is always taken apart."""
    contract = contract_of(choice, settings, paper, prompts)
    return replace(contract, granularity=Granularity.FINE, bound=0, pieces=_PIECES, form="pf-pdf/1")


def judging_of(settings: PaperSettings) -> Judging:
    """How replies are judged; UsageError where more votes are wanted than there are rollouts."""
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
