"""Votes of k rollouts: places, clusters, what is reported, when it is decided."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain.values import Severity
from pfcore.verification.calibrate import Judged
from pfcore.verification.contract import Judging
from pfcore.verification.rollouts import ballot, clusters, flip_rate, is_decided
from pfcore.verification.verify import Accepted, Flagged, Unread, Verdict
from tests.pfcore.verification.conftest import is_blocked

TEXT = "Let $x > 0$ be small. Then $1/x$ is large. Hence the sum converges, and we are done."


def objection(quote: str, rule: str = "gap", severity: Severity = Severity.ERROR) -> Judged:
    return Judged(
        flags=("F1",), rule=rule, severity=severity, quote=quote, objection="No.", reason=""
    )


def flagged(*quotes: str, **more: Any) -> Flagged:
    return Flagged(objections=tuple(objection(quote, **more) for quote in quotes))


def test_objections_to_one_place_are_one_with_their_votes() -> None:
    verdicts: dict[int, Verdict] = {
        1: flagged("$1/x$ is large"),
        2: flagged("Then $1/x$", "we are done"),
        3: Accepted(),
    }
    found = clusters(verdicts, TEXT)
    assert [item.count for item in found] == [2, 1]
    assert found[0].representative.objection.quote == "$1/x$ is large"


def test_two_objections_of_one_rollout_are_one_vote() -> None:
    assert [item.count for item in clusters({1: flagged("$1/x$ is", "$1/x$")}, TEXT)] == [1]


def test_the_class_that_most_have_stands_for_the_place() -> None:
    verdicts: dict[int, Verdict] = {
        1: flagged("$1/x$", rule="gap"),
        2: flagged("$1/x$", rule="false-claim"),
        3: flagged("$1/x$", rule="false-claim"),
    }
    (found,) = clusters(verdicts, TEXT)
    assert (found.count, found.representative.rollout) == (3, 2)


def test_objections_without_a_place_are_one_for_each_class() -> None:
    verdicts: dict[int, Verdict] = {
        1: flagged("not there"),
        2: flagged("nowhere"),
        3: flagged("x y z", rule="misuse"),
    }
    assert [item.count for item in clusters(verdicts, TEXT)] == [2, 1]


VOTES: dict[int, Verdict] = {1: flagged("$1/x$"), 2: Accepted(), 3: flagged("$1/x$")}


@pytest.mark.parametrize(("min_votes", "is_flagged"), [(1, True), (2, True), (3, False)])
def test_what_has_enough_votes_is_reported(min_votes: int, is_flagged: bool) -> None:
    judging = Judging(rollouts=3, min_votes=min_votes, blocking_votes=3)
    found = ballot(VOTES, TEXT, judging)
    assert (found.is_flagged, found.is_accepted) == (is_flagged, not is_flagged)


def test_a_rollout_without_a_verdict_is_never_a_pass() -> None:
    verdicts: dict[int, Verdict] = {1: Accepted(), 2: Accepted(), 3: Unread(reason="timed out")}
    found = ballot(verdicts, TEXT, Judging())
    assert (found.is_accepted, found.is_flagged, found.unread) == (False, False, ("timed out",))
    del verdicts[3]
    assert ballot(verdicts, TEXT, Judging()).unread == ("1 of 3 readings are missing",)


def test_an_objection_counts_even_if_another_rollout_failed() -> None:
    verdicts: dict[int, Verdict] = {1: flagged("$1/x$"), 2: Unread(reason="timed out")}
    assert ballot(verdicts, TEXT, Judging(rollouts=2)).is_flagged


@pytest.mark.parametrize(
    ("verdicts", "decided"),
    [
        ({}, False),
        ({1: Accepted()}, False),
        ({1: Accepted(), 2: Accepted()}, True),
        ({1: flagged("$1/x$"), 2: flagged("$1/x$")}, True),
        ({1: flagged("$1/x$"), 2: Accepted()}, False),
        ({1: flagged("$1/x$"), 2: flagged("we are done")}, False),
        ({1: flagged("$1/x$", severity=Severity.NOTE), 2: Accepted()}, False),
        ({1: flagged("$1/x$"), 2: flagged("$1/x$", severity=Severity.NOTE)}, False),
        ({1: Unread(reason="cut"), 2: Accepted()}, False),
    ],
)
def test_early_stops_leave_what_blocks_as_it_is(
    verdicts: dict[int, Verdict], decided: bool
) -> None:
    assert is_decided(verdicts, TEXT, Judging(rollouts=3, blocking_votes=2)) is decided


VERDICTS = st.one_of(
    st.just(Accepted()),
    st.builds(
        lambda places, severity: flagged(*places, severity=severity),
        st.lists(
            st.sampled_from(("Let $x", "be small. Then", "$1/x$", "$x > 0$ be small", "nowhere")),
            min_size=1,
            max_size=2,
        ),
        st.sampled_from(Severity),
    ),
)


@given(
    listed=st.lists(VERDICTS, min_size=1, max_size=8),
    blocking=st.integers(1, 4),
    threshold=st.sampled_from(Severity),
)
def test_what_is_decided_is_what_all_rollouts_would_say(
    listed: list[Verdict], blocking: int, threshold: Severity
) -> None:
    judging = Judging(rollouts=len(listed), blocking_votes=blocking, threshold=threshold)
    verdicts: dict[int, Verdict] = dict(enumerate(listed, start=1))
    outcome = is_blocked(verdicts, TEXT, judging)
    for count in range(len(listed) + 1):
        first = {number: verdicts[number] for number in range(1, count + 1)}
        if is_decided(first, TEXT, judging):
            assert is_blocked(first, TEXT, judging) is outcome


def test_a_severity_is_what_half_of_the_rollouts_say() -> None:
    note, error = Severity.NOTE, Severity.ERROR
    first = Flagged(objections=(objection("$1/x$", severity=note), objection("Then $1/x$")))
    listed: dict[int, Verdict] = {1: first, 2: flagged("$1/x$", severity=note)}
    assert clusters(listed, TEXT)[0].severity is error
    listed[3] = flagged("$1/x$", severity=note)
    assert clusters(listed, TEXT)[0].severity is note


@pytest.mark.parametrize(
    ("verdicts", "rate"),
    [
        ([Accepted()], None),
        ([Accepted(), Accepted()], 0.0),
        ([Accepted(), flagged("$1/x$")], 1.0),
        ([Accepted(), flagged("$1/x$"), flagged("$1/x$"), Unread(reason="")], 2 / 3),
    ],
)
def test_the_flip_rate_is_the_share_of_pairs_that_disagree(
    verdicts: list[Verdict], rate: float | None
) -> None:
    assert flip_rate(verdicts) == rate
