"""The calibration of a solution: flags audited one by one, grades that agree with the audit."""

import json
from typing import Any

import pytest

from pfcore.bench.runs.solution_steps import Grades, StepAudit, StepDefect, parse_step_audit
from pfcore.verification.reply_parsing import Malformed

WORDS = '<defect id="F1">The  sign\nis wrong.</defect>'


def flag(number: int, status: str, **more: object) -> dict[str, object]:
    return {"id": f"F{number}", "status": status, **more}


def said(*flags: object, words: str = WORDS, **choice: Any) -> str:
    return f"{words}\n```json\n{json.dumps({'flags': flags, **choice})}\n```"


def wrong(*steps: int, count: int = 4) -> dict[str, Any]:
    words = ["wrong" if step in steps else "right" for step in range(count)]
    return {"steps": words, "first": min(steps, default=None)}


def test_genuine_flags_false_alarms_and_carried_forward_errors_are_told_apart() -> None:
    text = said(
        flag(1, "genuine", step=1),
        flag(2, "false_alarm"),
        flag(3, "duplicate", of="F1"),
        flag(4, "duplicate", of="F2"),
        **wrong(1, 2, 3),
    )
    assert parse_step_audit(text, ["F1", "F2", "F3", "F4"], 4) == StepAudit(
        genuine=(StepDefect(id="F1", step=1, words="The sign is wrong."),),
        own=(),
        false_alarms=2,
        grades=Grades(wrong=(1, 2, 3)),
    )


def test_defects_of_its_own_come_beside_the_flags() -> None:
    words = '<defect id="E1">Nothing was proved.</defect>'
    text = said(flag(1, "false_alarm"), words=words, own=[{"id": "E1", "step": 3}], **wrong(3))
    found = parse_step_audit(text, ["F1"], 4)
    assert isinstance(found, StepAudit)
    assert found.own == (StepDefect(id="E1", step=3, words="Nothing was proved."),)
    assert found.genuine == ()


def test_a_defect_may_be_in_no_single_step() -> None:
    found = parse_step_audit(said(flag(1, "genuine", step=None), **wrong(3)), ["F1"], 4)
    assert isinstance(found, StepAudit) and found.genuine[0].step is None


def test_all_may_be_false_alarms() -> None:
    found = parse_step_audit(said(flag(1, "false_alarm"), words="", **wrong()), ["F1"], 4)
    assert isinstance(found, StepAudit) and found.grades == Grades(wrong=())


OWN: dict[str, Any] = {"own": [{"id": "E1", "step": 1}]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Fine.", "the reply has no JSON block"),
        (said(**wrong()), "the flags that were judged are not those"),
        (said(flag(1, "genuine", step=1), flag(1, "genuine", step=1), **wrong(1)), "are not those"),
        (said(flag(1, "genuine", step=1)), "no list of"),
        (said(flag(1, "genuine", step=2), **wrong(1)), "F1 is a defect of step 2, which is not"),
        (said(flag(1, "genuine", step=True), **wrong(1)), "which is not wrong"),
        (said(flag(1, "genuine", step=9), **wrong(1)), "F1 is a defect of step 9, which is not"),
        (said(flag(1, "genuine", step=None), **wrong()), "there is a defect, and no step is wrong"),
        (said(flag(1, "genuine", step=1), words="", **wrong(1)), "nothing says why"),
        (said(flag(1, "false_alarm"), **wrong(2)), "steps are wrong, and no defect says why"),
        (said(flag(1, "perhaps"), **wrong()), "F1 has no status that counts"),
        (said(flag(1, "duplicate", of="F1"), **wrong()), "F1 has no status that counts"),
        (said(flag(1, "duplicate"), **wrong()), "F1 has no status that counts"),
        (said(flag(1, "false_alarm"), own="none", **wrong()), '"own" in the JSON block is no list'),
        (said(flag(1, "false_alarm"), own=[{"id": "X", "step": 1}], **wrong(1)), "E1, E2"),
        (said(flag(1, "false_alarm"), own=2 * OWN["own"], **wrong(1)), "each once"),
        (said(flag(1, "false_alarm"), **OWN, **wrong(1)), "E1 is a defect, and nothing says why"),
    ],
)
def test_an_audit_that_contradicts_itself_does_not_count(text: str, reason: str) -> None:
    found = parse_step_audit(text, ["F1"], 4)
    assert isinstance(found, Malformed)
    assert reason in found.reason
