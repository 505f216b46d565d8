"""What is said of a paper that was read from its PDF."""

import json
from typing import Any

from pfcore.domain.values import Severity, Unreached
from pfcore.reporters.pdf_report import PdfReport, pdf_json, pdf_text
from pfcore.reporters.printing import Style
from pfcore.review.pdf_review import Whole, WholeFinding

FINDING: dict[str, Any] = {
    "id": "abcdefgh", "location": "Lemma 4.3", "rule": "gap", "severity": Severity.ERROR,
    "message": "It may be 0.", "quote": "x > 0", "reason": "Take 0.", "votes": 2, "rollouts": 3,
    "is_blocking": True,
}  # fmt: skip


def told(*findings: WholeFinding, unreached: tuple[Unreached, ...] = ()) -> PdfReport:
    made = Whole(name="a.pdf", findings=findings, unreached=unreached, readings=3, rollouts=3)
    return PdfReport(whole=made, model="m", contract="c" * 64)


def test_a_finding_has_its_place_its_votes_and_all_that_is_said_there() -> None:
    said = pdf_text(told(WholeFinding(**FINDING, also=("Too short.",))), Style())
    assert "  error  Lemma 4.3  [gap abcdefgh]  2 of 3 readings\n      It may be 0.\n" in said
    assert "      > x > 0\n      also: Too short.\n" in said
    assert "1 finding, 1 blocking." in said


def test_without_a_quote_none_is_shown() -> None:
    said = pdf_text(told(WholeFinding(**FINDING | {"quote": ""})), Style())
    assert "> " not in said


def test_what_a_model_writes_cannot_command_a_terminal() -> None:
    evil = "\x1b[2J\u202eok\nnot read"
    changes = {"location": evil, "message": evil, "quote": evil}
    said = pdf_text(told(WholeFinding(**FINDING | changes, also=(evil,))), Style())
    assert "\x1b" not in said and "\u202e" not in said and "\nnot read" not in said


def test_of_many_that_were_not_read_the_first_are_listed() -> None:
    many = tuple(Unreached(module=f"Lemma {n}", reason="reading 1: down") for n in range(43))
    said = pdf_text(told(unreached=many), Style())
    assert "not read: Lemma 39 (reading 1: down)" in said
    assert "Lemma 40" not in said
    assert "… and 3 more" in said
    assert len(json.loads(pdf_json(told(unreached=many)))["unreached"]) == 43


def test_a_quiet_report_says_that_it_is_no_proof() -> None:
    said = pdf_text(told(), Style())
    assert "No objection was found in " in said
    assert "silence is not a proof" in said
