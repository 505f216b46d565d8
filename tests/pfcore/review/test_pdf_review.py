"""Readings of a whole paper put together: one place is one finding, with its votes."""

from typing import Any

import pytest

from pfcore.domain.values import Severity, Unreached
from pfcore.review.known_verdicts import NOT_YET
from pfcore.review.pdf_review import Whole, is_open, whole
from pfcore.verification.calibrate import Judged
from pfcore.verification.contract import Judging
from pfcore.verification.verify import Unread
from pfcore.verification.whole_paper import PaperDefect, PaperRead, PaperVerdict

JUDGING = Judging()


def defect(location: str, objection: str = "It may be 0.", **changes: Any) -> PaperDefect:
    values: dict[str, Any] = {
        "flags": ("F1",), "rule": "gap", "severity": Severity.ERROR, "quote": "x\n> 0",
        "objection": objection, "reason": "Take 0.",
    }  # fmt: skip
    return PaperDefect(location=location, judged=Judged(**(values | changes)))


def heard(*defects: PaperDefect, unread: dict[str, str] | None = None) -> PaperRead:
    return PaperRead(defects=defects, pieces=3, unread=unread or {})


def united(*found: PaperVerdict, judging: Judging = JUDGING) -> Whole:
    return whole("a.pdf", dict(enumerate(found, start=1)), judging)


def test_a_proof_and_its_statement_are_one_place_with_the_votes_of_both() -> None:
    found = united(heard(defect("Lemma 4.3")), heard(defect("Proof of Lem. 4.3, Step 2")), heard())
    (finding,) = found.findings
    assert (finding.location, finding.votes, finding.rollouts) == ("Lemma 4.3", 2, 3)
    assert found.blocking == (finding,)
    assert finding.quote == "x > 0"
    assert found.unreached == ()


def test_the_union_is_pessimistic_and_one_vote_does_not_block() -> None:
    found = united(heard(defect("Lemma 1")), heard(defect("Theorem 2")), heard())
    assert [item.location for item in found.findings] == ["Lemma 1", "Theorem 2"]
    assert found.blocking == ()


def test_settings_say_how_many_votes_are_shown_and_block() -> None:
    readings = heard(defect("Lemma 1")), heard(defect("Theorem 2")), heard(defect("Thm. 2"))
    strict = Judging(min_votes=2, blocking_votes=3)
    found = united(*readings, judging=strict)
    assert [item.location for item in found.findings] == ["Theorem 2"]
    assert found.blocking == ()
    lone = Judging(blocking_votes=1)
    assert len(united(*readings, judging=lone).blocking) == 2


def test_what_is_less_grave_than_the_threshold_does_not_block() -> None:
    mild = defect("Lemma 1", severity=Severity.WARNING)
    assert united(heard(mild), heard(mild), heard(mild)).blocking == ()
    judging = Judging(threshold=Severity.WARNING)
    assert united(heard(mild), heard(mild), heard(mild), judging=judging).blocking


def test_two_objections_of_one_reading_to_one_place_are_one_vote_and_none_is_lost() -> None:
    found = united(heard(defect("Lemma 1"), defect("Proof of Lemma 1", "Too short.")), heard())
    (finding,) = found.findings
    assert finding.votes == 1
    assert (finding.message, finding.also) == ("It may be 0.", ("Too short.",))


def test_the_gravest_comes_first() -> None:
    found = united(heard(defect("Lemma 1", severity=Severity.NOTE), defect("Lemma 2")))
    assert [item.location for item in found.findings] == ["Lemma 2", "Lemma 1"]


def test_a_failure_is_no_vote_and_is_named() -> None:
    found = united(heard(defect("Lemma 1")), Unread(reason="down"), heard(unread={"Lemma 2": "x"}))
    (finding,) = found.findings
    assert (finding.votes, finding.rollouts, found.readings) == (1, 2, 2)
    assert found.unreached == (
        Unreached(module="a.pdf", reason="reading 2: down"),
        Unreached(module="Lemma 2", reason="reading 3: x"),
    )


def test_an_id_survives_other_words_and_other_readings() -> None:
    one = united(heard(defect("Lemma 1"))).findings[0].id
    other = united(heard(), heard(defect("Proof of Lemma 1", "Other words."))).findings[0].id
    assert one == other
    assert one != united(heard(defect("Lemma 2"))).findings[0].id


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (Unread(reason=NOT_YET), True),
        (Unread(reason="the reply has no JSON block"), False),
        (heard(unread={"Lemma 1": NOT_YET}), True),
        (heard(unread={"Lemma 1": "the reply has no JSON block"}), False),
        (heard(), False),
    ],
)
def test_a_reading_is_open_where_a_reply_is_missing(found: PaperVerdict, expected: bool) -> None:
    assert is_open(found) is expected
