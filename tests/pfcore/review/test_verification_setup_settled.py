"""Settings made into a contract and judging: what enters keys, and what does not."""

from dataclasses import fields, replace
from typing import Any

import pytest

from pfcore.domain import paper_settings
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import (
    CheckSettings,
    ModuleBounds,
    PaperEntry,
    PaperSettings,
    ReadingSettings,
)
from pfcore.domain.values import Severity
from pfcore.graph.document import CURRENT as FORM
from pfcore.llm.connection import Connection
from pfcore.llm.model_settings import AccountLimits, ModelChoice
from pfcore.llm.prices import Price
from pfcore.llm.protocol import Endpoint
from pfcore.review.verification_setup import contract_of, contract_of_pdf, judging_of
from pfcore.verification.contract import STRICTNESS, Contract, Granularity, Judging
from prompts import CURRENT, WHOLE

CHOICE = ModelChoice(
    model="a-model",
    named_by="--model",
    connection=Connection(),
    price=Price(),
    effort="low",
    limit=9000,
)
SETTINGS = PaperSettings(
    reading=ReadingSettings(conventions="Rings are commutative.", granularity="fine", attempts=1),
    bounds=ModuleBounds(length=5000),
    papers=(PaperEntry(name="own", root="own.tex", strictness="pedantic"),),
)
ASKING: dict[str, Any] = {
    "strictness": "lenient",
    "conventions": "Fields are perfect.",
    "granularity": "author",
    "attempts": 2,
    "form": "pf-context/1",
    "wording": "v1",
    "asks": False,
}
JUDGING: dict[str, Any] = {
    "rollouts": 8,
    "min_votes": 2,
    "blocking_votes": 3,
    "progressive": True,
    "accept": ("a" * 64,),
    "budget": 9.0,
    "budget_per_day": 9.0,
    "ask_above": 9.0,
}


def changed(**reading: Any) -> PaperSettings:
    return replace(SETTINGS, reading=replace(SETTINGS.reading, **reading))


def test_a_contract_says_how_a_paper_is_asked() -> None:
    assert contract_of(CHOICE, SETTINGS, "main") == Contract(
        endpoint=Endpoint.RESPONSES,
        model="a-model",
        effort="low",
        limit=9000,
        prompts=tuple(sorted(CURRENT.items())),
        granularity=Granularity.FINE,
        bound=5000,
        attempts=1,
        strictness="standard",
        conventions="Rings are commutative.",
        form=FORM,
    )


def test_a_papers_own_strictness_wins() -> None:
    assert contract_of(CHOICE, SETTINGS, "own").strictness == "pedantic"
    assert contract_of(CHOICE, changed(strictness="lenient"), "own").strictness == "pedantic"


def test_prompts_can_be_others() -> None:
    assert contract_of(CHOICE, SETTINGS, "main", {"verify": "v2"}).prompts == (("verify", "v2"),)


def test_a_pdf_is_asked_about_by_stages_of_its_own_and_always_taken_apart() -> None:
    own = contract_of_pdf(CHOICE, changed(granularity="author"), "own")
    assert own.prompts == tuple(sorted(WHOLE.items()))
    assert own.granularity is Granularity.FINE
    assert own.strictness == "pedantic"
    assert own.conventions == "Rings are commutative."


def test_the_walk_knows_every_field_of_a_reading() -> None:
    assert {field.name for field in fields(ReadingSettings)} == {*ASKING, *JUDGING}


@pytest.mark.parametrize("name", ASKING)
def test_what_is_asked_changes_the_contract(name: str) -> None:
    other = contract_of(CHOICE, changed(**{name: ASKING[name]}), "main")
    assert other.digest() != contract_of(CHOICE, SETTINGS, "main").digest()


@pytest.mark.parametrize("name", JUDGING)
def test_what_is_judged_or_spent_does_not(name: str) -> None:
    other = contract_of(CHOICE, changed(**{name: JUDGING[name]}), "main")
    assert other.digest() == contract_of(CHOICE, SETTINGS, "main").digest()


@pytest.mark.parametrize(
    "other",
    [
        replace(CHOICE, named_by="PF_MODEL"),
        replace(CHOICE, price=None),
        replace(CHOICE, rates=AccountLimits(in_flight=3, requests_per_minute=4)),
        replace(CHOICE, connection=Connection(timeout=3, key="k", key_name="K", tier="flex")),
    ],
)
def test_patience_keys_prices_and_rates_do_not(other: ModelChoice) -> None:
    one = contract_of(CHOICE, SETTINGS, "main").digest()
    assert contract_of(other, SETTINGS, "main").digest() == one


@pytest.mark.parametrize(
    "other",
    [
        replace(CHOICE, model="another"),
        replace(CHOICE, effort=None),
        replace(CHOICE, temperature="0"),
        replace(CHOICE, limit=9001),
        replace(CHOICE, connection=Connection(endpoint=Endpoint.CHAT)),
    ],
)
def test_the_model_and_how_it_is_asked_do(other: ModelChoice) -> None:
    one = contract_of(CHOICE, SETTINGS, "main").digest()
    assert contract_of(other, SETTINGS, "main").digest() != one


def test_checks_and_other_papers_do_not() -> None:
    one = contract_of(CHOICE, SETTINGS, "main").digest()
    other = replace(SETTINGS, checks=CheckSettings(threshold="note"), papers=(), path="x/pf.toml")
    assert contract_of(CHOICE, other, "main").digest() == one


def test_the_words_of_pf_toml_are_those_of_the_stages() -> None:
    assert set(paper_settings.STRICTNESS) == set(STRICTNESS)
    assert set(paper_settings.GRANULARITIES) == set(Granularity)


def test_judging_takes_its_threshold_from_the_checks() -> None:
    settings = replace(
        changed(rollouts=4, min_votes=2, blocking_votes=3, progressive=True),
        checks=CheckSettings(threshold="warning"),
    )
    assert judging_of(settings) == Judging(
        rollouts=4, min_votes=2, blocking_votes=3, threshold=Severity.WARNING, progressive=True
    )
    assert judging_of(PaperSettings.default()) == Judging()


@pytest.mark.parametrize(
    ("rollouts", "min_votes", "blocking", "wanted"),
    [(1, 1, None, 1), (2, 1, None, 2), (8, 1, None, 2), (3, 3, None, 3), (2, 1, 3, 2)],
)
def test_a_finding_can_always_block(
    rollouts: int, min_votes: int, blocking: int | None, wanted: int
) -> None:
    settings = changed(rollouts=rollouts, min_votes=min_votes, blocking_votes=blocking)
    assert judging_of(settings).blocking_votes == wanted


def test_votes_that_no_rollout_can_give_are_refused() -> None:
    with pytest.raises(UsageError, match="2 rollouts cannot give 3 votes"):
        judging_of(changed(rollouts=2, min_votes=3))
