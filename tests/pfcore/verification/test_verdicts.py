"""Verdicts of the three reading stages: what counts, and what never becomes one."""

import pytest

from pfcore.domain.values import Severity
from pfcore.verification import calibrate, translate, verify
from pfcore.verification.reply_parsing import Malformed

OBJECTION = "<objection><quote>so $x>0$</quote><problem>$x=0$ is allowed</problem></objection>"


def json_block(text: str) -> str:
    return f"\n```json\n{text}\n```"


def test_an_accepted_block_has_no_objections() -> None:
    text = "Fine.\n<objections></objections>" + json_block('{"verdict": "accept"}')
    assert verify.parse_verdict(text) == verify.Checked(objections=())


def test_a_flag_comes_with_its_objections() -> None:
    text = f"Hm.\n<objections>{OBJECTION}</objections>" + json_block('{"verdict": "flag"}')
    assert verify.parse_verdict(text) == verify.Checked(
        objections=(verify.BlockObjection(quote="so $x>0$", problem="$x=0$ is allowed"),)
    )


def test_the_last_list_of_objections_counts() -> None:
    text = f"<objections>{OBJECTION}</objections> On second thought:\n<objections></objections>"
    assert verify.parse_verdict(text + json_block('{"verdict": "accept"}')) == verify.Checked(
        objections=()
    )


DOUBTFUL = {
    "no block": f"<objections>{OBJECTION}</objections>",
    "another verdict": json_block('{"verdict": "probably"}'),
    "a flag without a word": json_block('{"verdict": "flag"}'),
    "a flag with empty words": "<objections><objection><problem> </problem></objection>"
    + "</objections>"
    + json_block('{"verdict": "flag"}'),
    "accepted with objections": f"<objections>{OBJECTION}</objections>"
    + json_block('{"verdict": "accept"}'),
    "accepted with an objection that says nothing": (
        "<objections><objection><quote>so</quote></objection></objections>"
        + json_block('{"verdict": "accept"}')
    ),
    "one objection of two says nothing": (
        f"<objections>{OBJECTION}<objection><quote>so</quote></objection></objections>"
        + json_block('{"verdict": "flag"}')
    ),
    "accepted with a list that is not closed": f"<objections>{OBJECTION}"
    + json_block('{"verdict": "accept"}'),
    "accepted with an objection that is not closed": (
        "<objections><objection><problem>zero</problem></objections>"
        + json_block('{"verdict": "accept"}')
    ),
    "accepted with an objection outside of the list": OBJECTION
    + json_block('{"verdict": "accept"}'),
    "a quote that closes the list": (
        "<objections><objection><quote></objections></quote><problem>zero</problem></objection>"
        + json_block('{"verdict": "accept"}')
    ),
    "two verdicts in one block": json_block('{"verdict": "flag", "verdict": "accept"}'),
    "an example of a verdict in the text": 'Say {"verdict": "accept"} if so. I am unsure.',
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_doubt_is_no_verdict(name: str) -> None:
    assert isinstance(verify.parse_verdict(DOUBTFUL[name]), Malformed)


def finding(flag: str) -> str:
    return (
        f'<finding id="{flag}"><quote>so $x>0$</quote><objection>Zero is\nleft out.</objection>'
        "<reason>Take $x=0$.</reason></finding>"
    )


def entry(flag: str, status: str = "genuine", **more: str) -> str:
    fields = {"id": flag, "status": status, **more}
    if status == "genuine":
        fields = {"class": "missing-case", "severity": "error", **fields}
    return "{" + ", ".join(f'"{key}": "{value}"' for key, value in fields.items()) + "}"


def audit(*entries: str, words: str = "") -> str:
    return words + json_block('{"flags": [' + ", ".join(entries) + "]}")


def test_an_audit_tells_genuine_objections_from_false_alarms() -> None:
    text = audit(
        entry("F1", "false_alarm"),
        entry("F2"),
        entry("F3", "duplicate", of="F2"),
        words=finding("F2"),
    )
    assert calibrate.parse_calibration(text, ["F1", "F2", "F3"]) == calibrate.FlagAudit(
        genuine=(
            calibrate.Judged(
                flags=("F2", "F3"),
                rule="missing-case",
                severity=Severity.ERROR,
                quote="so $x>0$",
                objection="Zero is left out.",
                reason="Take $x=0$.",
            ),
        ),
        false_alarms=("F1",),
    )


def test_a_duplicate_of_a_false_alarm_is_one() -> None:
    text = audit(entry("F1", "false_alarm"), entry("F2", "duplicate", of="F1"))
    found = calibrate.parse_calibration(text, ["F1", "F2"])
    assert found == calibrate.FlagAudit(genuine=(), false_alarms=("F1", "F2"))


NO_AUDIT = {
    "a flag is forgotten": audit(entry("F1", "false_alarm")),
    "a flag is invented": audit(*(entry(f"F{n}", "false_alarm") for n in (1, 2, 3))),
    "a flag is judged twice": audit(*(entry(f"F{n}", "false_alarm") for n in (1, 2, 2))),
    "a genuine flag without words": audit(entry("F1"), entry("F2", "false_alarm")),
    "a class that is none": audit(
        entry("F1", **{"class": "style"}), entry("F2", "false_alarm"), words=finding("F1")
    ),
    "a status that is none": audit(entry("F1", "maybe"), entry("F2", "false_alarm")),
    "a duplicate of nothing": audit(entry("F1", "duplicate", of="F9"), entry("F2", "false_alarm")),
    "duplicates of one another": audit(
        entry("F1", "duplicate", of="F2"), entry("F2", "duplicate", of="F1")
    ),
    "no list": json_block('{"flags": {}}'),
    "a finding on a false alarm": audit(
        entry("F1", "false_alarm"), entry("F2", "false_alarm"), words=finding("F2")
    ),
    "a finding on nothing that was asked": audit(
        entry("F1"), entry("F2", "false_alarm"), words=finding("F1") + finding("F7")
    ),
    "a finding without an id": audit(
        entry("F1"), entry("F2", "false_alarm"), words=finding("F1") + "<finding><quote>so</quote>"
    ),
}


@pytest.mark.parametrize("name", NO_AUDIT)
def test_an_audit_that_is_incomplete_is_none(name: str) -> None:
    assert isinstance(calibrate.parse_calibration(NO_AUDIT[name], ["F1", "F2"]), Malformed)


DIFFERENCE = (
    "<difference><original>for all $x$</original><rewriting>for some $x$</rewriting>"
    "<effect>weaker</effect></difference>"
)


def test_a_piece_is_faithful_or_differs() -> None:
    assert translate.parse_faithfulness(
        json_block('{"verdict": "faithful"}')
    ) == translate.FaithfulnessReply(differences=())
    found = translate.parse_faithfulness(DIFFERENCE + json_block('{"verdict": "unfaithful"}'))
    assert found == translate.FaithfulnessReply(
        differences=(
            translate.FaithfulnessGap(
                original="for all $x$", rewriting="for some $x$", effect="weaker"
            ),
        )
    )


@pytest.mark.parametrize(
    "text",
    [
        DIFFERENCE + json_block('{"verdict": "faithful"}'),
        json_block('{"verdict": "unfaithful"}'),
        "<difference><original>a</original></difference>" + json_block('{"verdict": "faithful"}'),
        DIFFERENCE[:-20] + json_block('{"verdict": "faithful"}'),
        json_block('{"verdict": "accept"}'),
        "faithful",
    ],
)
def test_a_comparison_in_doubt_is_none(text: str) -> None:
    assert isinstance(translate.parse_faithfulness(text), Malformed)
