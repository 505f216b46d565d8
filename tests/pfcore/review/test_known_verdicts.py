"""What ledger and store know, without a call."""

from dataclasses import replace
from typing import Any

import pytest

from pfcore.domain.values import Severity
from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict, Recorded, ledger
from pfcore.llm.engine.action import Action
from pfcore.llm.protocol import Reply
from pfcore.review.known_verdicts import NO_MODEL, NOT_YET, KnownVerdicts
from pfcore.testing import MemoryStore, reply
from pfcore.verification import verify
from pfcore.verification.contract import Judging
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Unread
from tests.pfcore.review.conftest import ACCEPT

K2 = Judging(rollouts=2)


def action(asking: ActionFactory, task: ContextTask, rollout: int, generation: int = 0) -> Action:
    return asking.action(verify.STAGE, task.parts, rollout=rollout, generation=generation)


def store(
    asking: ActionFactory, task: ContextTask, *, rollouts: int, generation: int = 0
) -> MemoryStore:
    actions = (action(asking, task, r, generation) for r in range(1, rollouts + 1))
    return MemoryStore({item.key(): reply(ACCEPT, item.request) for item in actions})


def known(task: ContextTask, **how: Any) -> LedgerEntry | Unread:
    return KnownVerdicts(**({"judging": K2} | how)).entries([task])[task.module]


def line(task: ContextTask, contract: str, **changes: Any) -> LedgerEntry:
    values: dict[str, Any] = {
        "context": task.context,
        "contract": contract,
        "verdict": LedgerVerdict.ACCEPTED,
        "rollouts": 2,
    }
    return LedgerEntry(**(values | changes))


FINDING = Recorded(
    id="abcdefgh", rule="gap", severity=Severity.ERROR, message="No.", quote="", rollouts=2
)


def test_without_a_model_and_a_ledger_nothing_is_read(task: ContextTask) -> None:
    assert known(task) == Unread(reason=NO_MODEL)
    assert KnownVerdicts(judging=K2).is_empty


def test_without_a_model_the_lines_of_any_contract_count_and_flagged_wins(
    task: ContextTask,
) -> None:
    accepted = line(task, "a" * 64)
    flagged = line(task, "b" * 64, verdict=LedgerVerdict.FLAGGED, findings=(FINDING,))
    assert known(task, ledger=ledger(entries=[accepted])) == accepted
    assert known(task, ledger=ledger(entries=[accepted, flagged])) == flagged


def test_replies_in_the_store_are_enough(task: ContextTask, asking: ActionFactory) -> None:
    found = known(task, asking=asking, store=store(asking, task, rollouts=2))
    assert found == line(task, asking.contract.digest())


def test_a_reading_that_is_missing_is_unread(task: ContextTask, asking: ActionFactory) -> None:
    half = store(asking, task, rollouts=1)
    assert known(task, asking=asking, store=half) == Unread(reason=NOT_YET)
    failures = {task.context: "the model refused"}
    assert known(task, asking=asking, store=half, failures=failures) == Unread(
        reason="the model refused"
    )


def test_a_line_counts_under_its_own_contract_and_where_it_is_accepted(
    task: ContextTask, asking: ActionFactory
) -> None:
    ours = line(task, asking.contract.digest())
    theirs = line(task, "b" * 64)
    how: dict[str, Any] = {"asking": asking, "store": MemoryStore()}
    assert known(task, ledger=ledger(entries=[ours]), **how) == ours
    assert isinstance(known(task, ledger=ledger(entries=[theirs]), **how), Unread)
    assert known(task, ledger=ledger(entries=[theirs]), accept=["b" * 64], **how) == theirs


@pytest.mark.parametrize(("rollouts", "is_enough"), [(2, True), (4, False)])
def test_a_line_with_too_few_readings_is_not_enough(
    task: ContextTask, asking: ActionFactory, rollouts: int, is_enough: bool
) -> None:
    ours = ledger(entries=[line(task, asking.contract.digest())])
    judging = replace(K2, rollouts=rollouts)
    found = known(task, ledger=ours, asking=asking, store=MemoryStore(), judging=judging)
    assert isinstance(found, LedgerEntry) is is_enough


def test_more_readings_use_those_that_are_there(task: ContextTask, asking: ActionFactory) -> None:
    both = store(asking, task, rollouts=4)
    found = known(task, asking=asking, store=both, judging=Judging(rollouts=4))
    assert isinstance(found, LedgerEntry)
    assert found.rollouts == 4


def test_the_last_recheck_counts(task: ContextTask, asking: ActionFactory) -> None:
    first = store(asking, task, rollouts=2)
    again = MemoryStore(first.replies | store(asking, task, rollouts=2, generation=1).replies)
    found = known(task, asking=asking, store=again)
    assert isinstance(found, LedgerEntry)
    assert found.generation == 1


def test_a_recheck_that_has_only_begun_is_unread(task: ContextTask, asking: ActionFactory) -> None:
    first = store(asking, task, rollouts=2)
    again = MemoryStore(first.replies | store(asking, task, rollouts=1, generation=1).replies)
    assert isinstance(known(task, asking=asking, store=again), Unread)


def test_a_recheck_in_the_ledger_counts_without_its_replies(
    task: ContextTask, asking: ActionFactory
) -> None:
    line1 = line(task, asking.contract.digest(), generation=1)
    found = known(
        task, asking=asking, ledger=ledger(entries=[line1]), store=store(asking, task, rollouts=2)
    )
    assert found == line1


def test_replies_that_do_not_count_are_named(task: ContextTask, asking: ActionFactory) -> None:
    complaint = "the reply has no JSON block"
    actions = [
        asking.action(verify.STAGE, task.parts, rollout=number, complaint=words)
        for number in (1, 2)
        for words in ("", complaint)
    ]
    replies: dict[str, Reply] = {
        item.key(): reply("no verdict here", item.request) for item in actions
    }
    found = known(task, asking=asking, store=MemoryStore(replies))
    assert found == Unread(reason=complaint, is_answered=True)


def test_a_recheck_whose_first_reading_failed_has_begun(
    task: ContextTask, asking: ActionFactory
) -> None:
    first = store(asking, task, rollouts=2)
    second = action(asking, task, 2, generation=1)
    replies = first.replies | {second.key(): reply(ACCEPT, second.request)}
    assert isinstance(known(task, asking=asking, store=MemoryStore(replies)), Unread)
