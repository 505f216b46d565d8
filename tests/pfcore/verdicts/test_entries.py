"""What the readings of one module come to, with ids that survive votes, labels and places."""

from dataclasses import replace
from typing import Any

import pytest

from pfcore.ledger.values import Entry, Verdict
from pfcore.model import Severity
from pfcore.stages.calibrate import Judged
from pfcore.stages.contract import Judging
from pfcore.stages.reading import Accepted, Flagged, Unread
from pfcore.stages.task import Task
from pfcore.verdicts.entries import entry

TASK = Task(
    module="lem:a",
    context="c" * 64,
    given=(),
    statement="Lemma. For all $x$ we have $x > 0$.",
    proof="Proof. By Result 1, $x \\ge 0$.\nHence $x > 0$.",
)
JUDGING = Judging(rollouts=3, min_votes=1, blocking_votes=2)


def objection(quote: str, rule: str = "gap", **more: Any) -> Judged:
    values = {"flags": ("F1",), "severity": Severity.ERROR, "objection": "No.", "reason": "Why."}
    return Judged(rule=rule, quote=quote, **(values | more))


def flagged(*found: Judged) -> Flagged:
    return Flagged(objections=found)


HENCE = flagged(objection("Hence $x > 0$"))


def read(*verdicts: Any, task: Task = TASK, judging: Judging = JUDGING) -> Any:
    return entry(task, dict(enumerate(verdicts, 1)), judging, contract="k" * 64)


def test_a_module_that_every_rollout_accepts_is_accepted() -> None:
    found = read(Accepted(), Accepted(), Accepted())
    assert found == Entry(
        context=TASK.context, contract="k" * 64, verdict=Verdict.ACCEPTED, rollouts=3
    )


def test_objections_to_one_place_are_one_finding_with_its_votes() -> None:
    (found,) = read(HENCE, Accepted(), HENCE).findings
    assert (found.votes, found.rollouts, found.quote) == (2, 3, "Hence $x > 0$")
    assert (found.message, found.reason) == ("No.", "Why.")


@pytest.mark.parametrize("verdicts", [(Accepted(), Accepted(), Unread(reason="cut off")), ()])
def test_a_reading_that_is_missing_is_no_acceptance(verdicts: Any) -> None:
    assert isinstance(read(*verdicts), Unread)


def test_an_objection_counts_though_another_reading_is_missing() -> None:
    found = read(HENCE, Unread(reason="cut off"), Accepted())
    assert (found.verdict, found.rollouts) == (Verdict.FLAGGED, 2)
    assert not found.is_enough(JUDGING)


def test_objections_with_too_few_votes_are_kept_and_do_not_flag() -> None:
    judging = replace(JUDGING, min_votes=2)
    found = read(HENCE, Accepted(), Accepted(), judging=judging)
    assert found.verdict is Verdict.ACCEPTED
    assert [item.votes for item in found.findings] == [1]
    assert found.reported(judging) == ()


def test_progressive_readings_that_decide_early_are_all_that_is_needed() -> None:
    judging = replace(JUDGING, progressive=True)
    assert read(Accepted(), Accepted(), judging=judging).verdict is Verdict.ACCEPTED
    assert isinstance(read(Accepted(), judging=judging), Unread)


def test_the_quote_is_what_the_text_says() -> None:
    (found,) = read(flagged(objection('"Hence   $x > 0$."'))).findings
    assert found.quote == "Hence $x > 0$"
    (nowhere,) = read(flagged(objection("Thus $x < 0$"))).findings
    assert nowhere.quote == ""


def test_an_id_depends_on_class_quote_and_statement_alone() -> None:
    (first,) = read(HENCE).findings
    moved = replace(TASK, module="lem:z", context="d" * 64, proof=f"Proof. New. {TASK.proof[7:]}")
    assert read(HENCE, task=moved).findings[0].id == first.id
    for other in (
        read(flagged(objection("Hence $x > 0$", "misuse"))),
        read(flagged(objection("By Result 1"))),
        read(HENCE, task=replace(TASK, statement="Lemma. Some $x > 0$.")),
    ):
        assert other.findings[0].id != first.id


def test_an_id_that_a_later_vote_replaces_stays_an_alias() -> None:
    (alone,) = read(HENCE).findings
    other = flagged(objection("Hence $x > 0$", "false-claim"))
    (now,) = read(HENCE, other, flagged(objection("Hence $x", "false-claim"))).findings
    assert now.rule == "false-claim"
    assert now.id != alone.id
    assert alone.id in now.ids
