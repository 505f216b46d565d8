"""Verdicts by context and contract: generations, accepted contracts, unions, other settings."""

from dataclasses import replace

import pytest

from pfcore.domain.values import Finding, Location, Severity
from pfcore.ledger.ledger import (
    Dismissal,
    Ground,
    LedgerEntry,
    LedgerVerdict,
    Recorded,
    ledger,
    merged,
    recorded,
)
from pfcore.verification.contract import Judging, Weights
from pfcore.verification.second_question import SuppliedKey

CONTEXT, OTHER = "a" * 64, "b" * 64
NOW, BEFORE, LONG_AGO = "1" * 64, "2" * 64, "3" * 64


def note(name: str = "f1", **more) -> Recorded:
    values = {"rule": "gap", "severity": Severity.ERROR, "message": "No.", "quote": "so"}
    return Recorded(id=name, **{**values, **more})


def accepted(contract: str = NOW, **more) -> LedgerEntry:
    values = {"context": CONTEXT, "verdict": LedgerVerdict.ACCEPTED, "rollouts": 3}
    return LedgerEntry(contract=contract, **{**values, **more})


def flagged(contract: str = NOW, *, findings: tuple[Recorded, ...] = (), **more) -> LedgerEntry:
    values = {"verdict": LedgerVerdict.FLAGGED, "findings": findings or (note(rollouts=3),)}
    return accepted(contract, **{**values, **more})


TWO = Weights(error=2)
BOTH = flagged(findings=(note(votes=2, rollouts=2, weights=TWO),), rollouts=2, objecting=TWO)
UNTOLD = flagged(findings=(note(votes=2, rollouts=2),), rollouts=2)
MILD = flagged(findings=(note(votes=2, rollouts=2, severity=Severity.NOTE),), rollouts=2)


def test_a_verdict_is_found_by_its_context_and_its_contract() -> None:
    found = ledger(entries=[accepted(NOW), flagged(BEFORE)])
    assert found.entry(CONTEXT, NOW) == accepted(NOW)
    assert found.entry(CONTEXT, BEFORE) == flagged(BEFORE)
    assert found.entry(OTHER, NOW) is None
    assert found.entry(CONTEXT, LONG_AGO) is None


def test_a_contract_that_is_listed_as_acceptable_covers_the_reading_of_a_newer_one() -> None:
    found = ledger(entries=[accepted(BEFORE), flagged(LONG_AGO)])
    assert found.entry(CONTEXT, NOW, accept=[LONG_AGO]) == flagged(LONG_AGO)
    assert found.entry(CONTEXT, NOW, accept=[BEFORE, LONG_AGO]) == accepted(BEFORE)
    assert found.entry(OTHER, NOW, accept=[BEFORE, LONG_AGO]) is None


def test_the_own_contract_comes_before_those_that_are_acceptable() -> None:
    found = ledger(entries=[accepted(BEFORE), flagged(NOW)])
    assert found.entry(CONTEXT, NOW, accept=[BEFORE]) == flagged(NOW)


def test_a_recheck_is_the_verdict_and_the_one_before_stays_on_record() -> None:
    again = accepted(generation=1)
    found = ledger(entries=[again, flagged()])
    assert found.entry(CONTEXT, NOW) == again
    assert found.all_entries() == {again, flagged()}


@pytest.mark.parametrize("entries", [(accepted(), flagged()), (flagged(), accepted())])
def test_for_one_key_flagged_wins(entries: tuple[LedgerEntry, LedgerEntry]) -> None:
    one, other = (ledger(entries=[entry]) for entry in entries)
    assert merged(one, other).entry(CONTEXT, NOW) == flagged()


def test_two_flags_on_one_key_have_the_findings_of_both_with_their_own_votes() -> None:
    short = flagged(findings=(note("x", votes=2, rollouts=3),))
    long = flagged(findings=(note("y", votes=1, rollouts=8),), rollouts=8)
    found = merged(ledger(entries=[short]), ledger(entries=[long])).entry(CONTEXT, NOW)
    assert found is not None
    votes = [(item.id, item.votes, item.rollouts) for item in found.findings]
    assert (found.rollouts, votes) == (8, [("x", 2, 3), ("y", 1, 8)])


def test_of_two_records_of_one_finding_the_graver_stays_with_the_aliases_of_both() -> None:
    mild = note(severity=Severity.NOTE, votes=3, rollouts=3, aliases=frozenset({"old"}))
    grave = note(votes=1, rollouts=3, aliases=frozenset({"older"}))
    for pair in ((mild, grave), (grave, mild)):
        (found,) = flagged(findings=pair).findings
        assert found == replace(grave, aliases=frozenset({"old", "older"}))


def test_a_record_of_more_rollouts_stands_for_one_of_less() -> None:
    few, many = note(votes=2, rollouts=3), note(severity=Severity.NOTE, votes=2, rollouts=8)
    for pair in ((few, many), (many, few)):
        assert flagged(findings=pair, rollouts=8).findings == (many,)


def test_dismissals_are_united() -> None:
    ground = Ground(module="lem:a", statement="s")
    one, other = (
        Dismissal(finding="f1", rule="gap", quote="so", ground=ground, reason=reason)
        for reason in ("standard", "see Serre")
    )
    found = merged(ledger(dismissals=[one]), ledger(dismissals=[other, one]))
    assert found.dismissals == {one, other}


def test_an_entry_is_judged_anew_by_other_settings() -> None:
    entry = accepted(findings=(note("x", rollouts=3), note("y", votes=2, rollouts=3)))
    assert [item.id for item in entry.reported(Judging(min_votes=1))] == ["x", "y"]
    assert [item.id for item in entry.reported(Judging(min_votes=2))] == ["y"]
    assert entry.reported(Judging(min_votes=3, blocking_votes=3)) == ()


@pytest.mark.parametrize(
    ("entry", "judging", "enough"),
    [
        (accepted(), Judging(rollouts=3), True),
        (accepted(), Judging(rollouts=8), False),
        (accepted(rollouts=2), Judging(rollouts=3), False),
        (accepted(rollouts=2), Judging(rollouts=3, progressive=True), True),
        (accepted(rollouts=1), Judging(rollouts=3, progressive=True), False),
        (BOTH, Judging(rollouts=3, progressive=True), True),
        (BOTH, Judging(rollouts=8, progressive=True), False),  # six notes would outweigh two errors
        (
            replace(BOTH, verdict=LedgerVerdict.ACCEPTED),
            Judging(rollouts=3, progressive=True),
            True,
        ),
        (UNTOLD, Judging(rollouts=3, progressive=True), False),
        (MILD, Judging(rollouts=3, progressive=True), False),
        (MILD, Judging(rollouts=3, progressive=True, threshold=Severity.NOTE), True),
        (
            flagged(findings=(note(votes=1, rollouts=2),), rollouts=2),
            Judging(rollouts=3, progressive=True),
            False,
        ),
    ],
)
def test_more_rollouts_are_asked_for_only_where_they_are_missing(
    entry: LedgerEntry, judging: Judging, enough: bool
) -> None:
    assert entry.is_enough(judging) is enough


@pytest.mark.parametrize(
    "make",
    [
        lambda: flagged(findings=(), verdict=LedgerVerdict.FLAGGED, rollouts=0),
        lambda: accepted(verdict=LedgerVerdict.FLAGGED),
        lambda: accepted(rollouts=0),
        lambda: accepted(generation=-1),
        lambda: accepted(findings=(note(rollouts=4),)),
        lambda: note(votes=2, rollouts=1),
        lambda: note(votes=0),
        lambda: note(weights=Weights(error=2)),
        lambda: note(weights=Weights(note=1)),
        lambda: accepted(objecting=Weights(error=4)),
        lambda: flagged(findings=(note(votes=2, rollouts=3),), objecting=Weights(error=1)),
        lambda: note(""),
        lambda: note(rule=""),
    ],
)
def test_what_contradicts_itself_is_refused(make) -> None:
    with pytest.raises(ValueError, match=r".+"):
        make()


@pytest.mark.parametrize(
    "wrong", [{"reason": " \n"}, {"finding": ""}, {"rule": ""}], ids=["reason", "finding", "rule"]
)
def test_a_dismissal_needs_a_reason_and_something_to_answer(wrong: dict[str, str]) -> None:
    values = {"finding": "f1", "rule": "gap", "reason": "standard", **wrong}
    ground = Ground(module="lem:a", statement="s")
    with pytest.raises(ValueError, match="dismissal"):
        Dismissal(
            finding=values["finding"],
            rule=values["rule"],
            quote="",
            ground=ground,
            reason=values["reason"],
        )


def test_a_finding_is_recorded_without_its_place() -> None:
    finding = Finding(
        id="f1",
        rule="gap",
        subject="so",
        severity=Severity.WARNING,
        module="lem:a",
        message="No.",
        quote="so",
        location=Location("a.tex", 0, 2, 1, 1, 1, 3),
        votes=2,
        rollouts=3,
    )
    assert recorded(finding, aliases=["old"]) == note(
        severity=Severity.WARNING, votes=2, rollouts=3, aliases=frozenset({"old"})
    )
    assert recorded(finding, aliases=["old"]).ids == {"f1", "old"}


def test_a_verdict_counts_where_its_answers_are_reproduced() -> None:
    one, other = SuppliedKey(1, "tame", "d" * 64), SuppliedKey(1, "tame", "")
    told, untold = accepted(trace=(one,)), accepted(trace=(other,))
    found = ledger(entries=(told, untold))
    assert found.entry(CONTEXT, NOW, holds=lambda trace: trace == (one,)) == told
    assert found.entry(CONTEXT, NOW, holds=lambda trace: trace == (other,)) == untold
    assert found.entry(CONTEXT, NOW, holds=lambda _: False) is None


def test_what_was_asked_nothing_more_always_counts() -> None:
    plain, told = accepted(), accepted(trace=(SuppliedKey(1, "tame", ""),), rollouts=4)
    found = ledger(entries=(plain, told))
    assert found.entry(CONTEXT, NOW, holds=lambda _: False) == plain
    assert found.entry(CONTEXT, NOW) == told


def test_of_verdicts_that_hold_the_flagged_one_counts_then_the_one_with_most_readings() -> None:
    few, many = (accepted(rollouts=n, trace=(SuppliedKey(n, "tame", ""),)) for n in (1, 3))
    grave = flagged(findings=(note(rollouts=2),), rollouts=2, trace=(SuppliedKey(1, "wild", ""),))
    assert ledger(entries=(few, many)).entry(CONTEXT, NOW) == many
    assert ledger(entries=(few, many, grave)).entry(CONTEXT, NOW) == grave


def test_nothing_that_was_read_before_stands_in_for_what_was_read_again() -> None:
    traced = (SuppliedKey(1, "tame", "d" * 64),)
    again = flagged(generation=1, findings=(note(rollouts=3),), trace=traced)
    found = ledger(entries=(accepted(), accepted(BEFORE), again))
    assert found.entry(CONTEXT, NOW, (BEFORE,), holds=lambda _: True) == again
    assert found.entry(CONTEXT, NOW, (BEFORE,), holds=lambda _: False) is None


def test_a_recheck_under_an_accepted_contract_takes_nothing_from_ours() -> None:
    ours, theirs = accepted(), flagged(BEFORE, generation=2)
    found = ledger(entries=(ours, theirs))
    assert found.entry(CONTEXT, NOW, (BEFORE,)) == ours
