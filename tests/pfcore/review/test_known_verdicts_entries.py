"""What the readings of one module come to, with ids that survive votes, labels and places."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain.values import Severity
from pfcore.ledger import lock_lines
from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict, ledger
from pfcore.review.known_verdicts import entry
from pfcore.verification.calibrate import Judged
from pfcore.verification.contract import Judging, Weights
from pfcore.verification.rollouts import is_decided
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Accepted, Flagged, Unread
from tests.pfcore.verification.conftest import is_blocked

TASK = ContextTask(
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


def read(*verdicts: Any, task: ContextTask = TASK, judging: Judging = JUDGING) -> Any:
    return entry(task, dict(enumerate(verdicts, 1)), judging, contract="k" * 64)


def test_a_module_that_every_rollout_accepts_is_accepted() -> None:
    found = read(Accepted(), Accepted(), Accepted())
    assert found == LedgerEntry(
        context=TASK.context, contract="k" * 64, verdict=LedgerVerdict.ACCEPTED, rollouts=3
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
    assert (found.verdict, found.rollouts) == (LedgerVerdict.FLAGGED, 2)
    assert not found.is_enough(JUDGING)


def test_objections_with_too_few_votes_are_kept_and_do_not_flag() -> None:
    judging = replace(JUDGING, min_votes=2)
    found = read(HENCE, Accepted(), Accepted(), judging=judging)
    assert found.verdict is LedgerVerdict.ACCEPTED
    assert [item.votes for item in found.findings] == [1]
    assert found.reported(judging) == ()


def test_progressive_readings_that_decide_early_are_all_that_is_needed() -> None:
    judging = replace(JUDGING, progressive=True)
    assert read(Accepted(), Accepted(), judging=judging).verdict is LedgerVerdict.ACCEPTED
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


QUOTES = ("Hence $x > 0$", "By Result 1", "x \\ge 0$.\nHence", "for all", "nowhere at all")
READINGS = st.one_of(
    st.just(Accepted()),
    st.builds(
        lambda quotes, severity: flagged(*(objection(q, severity=severity) for q in quotes)),
        st.lists(st.sampled_from(QUOTES), min_size=1, max_size=2),
        st.sampled_from(Severity),
    ),
)
PROGRESSIVE = st.builds(
    lambda blocking, threshold: Judging(
        rollouts=6, blocking_votes=blocking, threshold=threshold, progressive=True
    ),
    st.integers(1, 4),
    st.sampled_from(Severity),
)


def written(found: LedgerEntry) -> LedgerEntry:
    """An entry as a ledger gives it back."""
    (kept,) = lock_lines.read_ledger(
        lock_lines.ledger_text(ledger(entries=[found]))
    ).ledger.all_entries()
    return kept


@given(listed=st.lists(READINGS, min_size=6, max_size=6), judging=PROGRESSIVE)
def test_an_entry_is_enough_exactly_when_its_readings_are(
    listed: list[Any], judging: Judging
) -> None:
    verdicts = dict(enumerate(listed, 1))
    outcome = is_blocked(verdicts, TASK.text, judging)
    for count in range(1, len(listed) + 1):
        first = {number: verdicts[number] for number in range(1, count + 1)}
        found = entry(TASK, first, judging, contract="b" * 64)
        is_final = is_decided(first, TASK.text, judging)
        assert isinstance(found, LedgerEntry) or not is_final
        if isinstance(found, LedgerEntry):
            assert written(found).is_enough(judging) is is_final
            assert not is_final or is_blocked(first, TASK.text, judging) is outcome


@given(
    listed=st.lists(READINGS, min_size=6, max_size=6),
    lost=st.sets(st.integers(1, 6), max_size=5),
    judging=PROGRESSIVE,
)
def test_an_entry_is_not_enough_while_a_lost_reading_may_change_what_blocks(
    listed: list[Any], lost: set[int], judging: Judging
) -> None:
    whole = dict(enumerate(listed, 1))
    verdicts = {n: Unread(reason="cut") if n in lost else whole[n] for n in whole}
    found = entry(TASK, verdicts, judging, contract="b" * 64)
    if isinstance(found, LedgerEntry) and found.is_enough(judging):
        blocked = is_blocked(verdicts, TASK.text, judging)
        assert blocked is is_blocked(whole, TASK.text, judging)


@given(
    listed=st.lists(READINGS, min_size=6, max_size=6),
    counts=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    judging=PROGRESSIVE,
)
def test_united_entries_and_those_without_weights_are_enough_no_earlier(
    listed: list[Any], counts: tuple[int, int], judging: Judging
) -> None:
    verdicts = dict(enumerate(listed, 1))
    parts = [{n: verdicts[n] for n in range(1, count + 1)} for count in counts]
    made = [entry(TASK, part, judging, contract="k" * 64) for part in parts]
    found = [item for item in made if isinstance(item, LedgerEntry)]
    more = max(counts)
    for item in ledger(entries=found).all_entries():
        if item.is_enough(judging) and item.rollouts == more:
            assert is_decided(parts[counts.index(more)], TASK.text, judging)
    for one, part in zip(made, parts, strict=True):
        if isinstance(one, LedgerEntry):
            plain = tuple(replace(item, weights=Weights()) for item in one.findings)
            bare = replace(one, findings=plain, objecting=Weights())
            assert not bare.is_enough(judging) or is_decided(part, TASK.text, judging)
