"""Whether a change brought an objection in."""

from dataclasses import replace

import pytest

from pfcore.domain.findings import finding_id
from pfcore.domain.values import Affected, Severity
from pfcore.impact.plan import Plan
from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict, Recorded
from pfcore.review.paper_verdicts import Earlier, IntroducedBy
from pfcore.verification.task import ContextTask

OLD = "Proof. Dividing by $x$ it follows. Then we are done."
NEW = "Proof. Clearly $y=z$. Dividing by $y$ it follows. Then we are done."


def recorded(quote: str, rule: str = "gap") -> Recorded:
    name = finding_id(rule, quote, None)
    return Recorded(id=name, rule=rule, severity=Severity.ERROR, message="No.", quote=quote)


def origin(
    task: ContextTask, *, found: Recorded | None = None, is_affected: bool = True
) -> IntroducedBy:
    affected = (Affected(id="lem:a", marked=("proof changed",), unread=True),)
    plan = Plan(
        paper="p",
        total=1,
        affected=affected if is_affected else (),
        backlog=0,
        edited=("lem:a",),
        restated=("lem:b",),
        removed=(),
        pairs={name: name for name in ("lem:a", "lem:b", "lem:c")},
    )
    entry = LedgerEntry(
        context="c" * 64,
        contract="k" * 64,
        verdict=LedgerVerdict.FLAGGED if found else LedgerVerdict.ACCEPTED,
        rollouts=1,
        findings=(found,) if found else (),
    )
    return IntroducedBy(
        plan=plan, earlier={"lem:a": Earlier(task=replace(task, proof=OLD), found=entry)}
    )


@pytest.fixture
def now(task: ContextTask) -> ContextTask:
    return replace(task, proof=NEW)


def test_what_a_change_does_not_affect_is_older(task: ContextTask, now: ContextTask) -> None:
    item = recorded("Dividing by $y$")
    assert origin(task, is_affected=False).is_introduced(now, item, frozenset()) is False


def test_what_the_base_has_at_the_same_passage_is_older(
    task: ContextTask, now: ContextTask
) -> None:
    item = recorded("Then we are done")
    assert origin(task, found=item).is_introduced(now, item, frozenset()) is False


def test_another_formula_in_the_same_words_is_new(task: ContextTask, now: ContextTask) -> None:
    made = origin(task, found=recorded("Dividing by $x$"))
    assert made.is_introduced(now, recorded("Dividing by $y$"), frozenset()) is True


@pytest.mark.parametrize(
    ("named", "is_new"),
    [(frozenset({"lem:b"}), True), (frozenset({"new"}), True), (frozenset({"lem:c"}), None)],
)
def test_words_that_stood_before_are_new_where_a_statement_they_name_changed(
    task: ContextTask, now: ContextTask, named: frozenset[str], is_new: bool | None
) -> None:
    item = recorded("Then we are done")
    assert origin(task).is_introduced(now, item, named) is is_new


def test_a_new_module_has_new_objections(task: ContextTask, now: ContextTask) -> None:
    made = replace(origin(task), earlier={})
    assert made.is_introduced(now, recorded("Then we are done"), frozenset()) is True


def test_words_that_a_reader_changed_are_those_that_the_text_has(
    task: ContextTask, now: ContextTask
) -> None:
    kept = recorded("Then we are all done now")  # nearly what stands in both
    made = recorded("It follows by dividing by $y$")  # the base divides by x
    assert (
        origin(task).is_introduced(now, replace(kept, quote="Then we are don"), frozenset()) is None
    )
    assert origin(task).is_introduced(now, made, frozenset()) is True
