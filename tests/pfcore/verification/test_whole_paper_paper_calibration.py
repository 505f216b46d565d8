"""The audit of a whole paper: every flag judged once, own defects said, everything placed."""

import json
from typing import Any

import pytest

from pfcore.domain.values import Severity
from pfcore.verification.reply_parsing import Malformed
from pfcore.verification.whole_paper import MOST_DEFECTS, PaperAudit, parse_paper_calibration

GENUINE = {"id": "F1", "status": "genuine", "class": "gap", "severity": "error"}
OWN = {"id": "E1", "class": "computation", "severity": "warning"}


def finding(name: str, location: str = "Lemma 4.3") -> str:
    return (
        f'<finding id="{name}"><location>{location}</location><quote>$\\frac12$</quote>'
        "<objection>It is not.</objection><reason>Take 0.</reason></finding>\n"
    )


def reply(words: str, flags: list[Any], own: Any = None) -> str:
    block = {"flags": flags} | ({} if own is None else {"own": own})
    return f"Let me see.\n{words}\n```json\n{json.dumps(block)}\n```"


def audit(text: str, *flags: str) -> PaperAudit:
    found = parse_paper_calibration(text, flags)
    assert isinstance(found, PaperAudit), found
    return found


def test_flags_and_own_defects_are_defects_with_their_places() -> None:
    words = finding("F1") + finding("E1", "Section 2, first paragraph")
    found = audit(reply(words, [GENUINE, {"id": "F2", "status": "false_alarm"}], [OWN]), "F1", "F2")
    assert [(item.location, item.judged.rule) for item in found.defects] == [
        ("Lemma 4.3", "gap"),
        ("Section 2, first paragraph", "computation"),
    ]
    assert found.defects[0].judged.quote == "$\\frac12$"
    assert found.defects[1].judged.severity is Severity.WARNING
    assert found.false_alarms == 1


def test_a_location_that_is_a_text_is_cut() -> None:
    (found,) = audit(reply(finding("F1", "here " * 100), [GENUINE], []), "F1").defects
    assert len(found.location) == 200


def test_nothing_asked_and_nothing_found_is_a_reply() -> None:
    assert audit(reply("", [], [])) == PaperAudit(defects=())
    assert audit(reply("", [])) == PaperAudit(defects=())


def test_a_flag_may_repeat_an_own_defect() -> None:
    flags = [{"id": "F1", "status": "duplicate", "of": "E1"}]
    (found,) = audit(reply(finding("E1"), flags, [OWN]), "F1").defects
    assert found.judged.flags == ("E1", "F1")


WRONG = {
    "no JSON": "All is well.",
    "a flag that nobody judges": reply("", [], []),
    "no location": reply(finding("F1", ""), [GENUINE], []),
    "no words": reply("", [GENUINE], []),
    "no class": reply(finding("F1"), [{"id": "F1", "status": "genuine"}], []),
    "own that is no list": reply(finding("F1"), [GENUINE], {"E1": 1}),
    "own of nothing": reply(finding("F1"), [GENUINE], ["E1"]),
    "own without words": reply(finding("F1"), [GENUINE], [OWN]),
    "own in words alone": reply(finding("F1") + finding("E1"), [GENUINE], []),
    "own twice": reply(finding("F1") + finding("E1"), [GENUINE], [OWN, OWN]),
    "own with another name": reply(finding("F1") + finding("X"), [GENUINE], [OWN | {"id": "X"}]),
    "own with the name of a flag": reply(finding("F1"), [GENUINE], [OWN | {"id": "F1"}]),
    "too many": reply(finding("F1"), [GENUINE], [OWN | {"id": f"E{n}"} for n in range(1, 22)]),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_says_nothing_that_counts_is_malformed(name: str) -> None:
    assert isinstance(parse_paper_calibration(WRONG[name], ["F1"]), Malformed)


def test_the_prompt_says_how_many_own_defects_there_may_be() -> None:
    from prompts import WHOLE, prompt

    text = " ".join(prompt("calibrate-paper", WHOLE["calibrate-paper"]).split())
    assert f"there are {MOST_DEFECTS} at most" in text
