"""A module read once: every way in which it can go well or wrong has the right outcome."""

from collections.abc import Callable
from typing import Any

import pytest

from pfcore.llm.protocol import CallError, Finish, Reply, TokenUsage
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Accepted, Flagged, Unread

Desk = Callable[..., Any]

ACCEPT = '<objections></objections>\n```json\n{"verdict": "accept"}\n```'
FLAG = (
    "<objections><objection><quote>Hence $x > 0$</quote><problem>$x = 0$ is possible</problem>"
    '</objection></objections>\n```json\n{"verdict": "flag"}\n```'
)


def upheld(quote: str = "Hence $x > 0$.") -> str:
    return (
        f'<finding id="F1"><quote>{quote}</quote><objection>Zero is left out.</objection>'
        "<reason>$\\beta = 0$.</reason></finding>\n```json\n"
        '{"flags": [{"id": "F1", "status": "genuine", "class": "gap", "severity": "error"}]}\n```'
    )


DROPPED = '```json\n{"flags": [{"id": "F1", "status": "false_alarm"}]}\n```'


def test_a_block_without_objections_is_accepted_and_not_calibrated(
    desk: Desk, task: ContextTask
) -> None:
    made = desk(verify=[ACCEPT])
    assert made.block(task) == Accepted()
    assert made.asked == ["verify"]


def test_an_objection_that_is_upheld_flags_the_module(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[FLAG], calibrate=[upheld()])
    found = made.block(task)
    assert isinstance(found, Flagged)
    (objection,) = found.objections
    assert (objection.rule, objection.quote, objection.reason) == (
        "gap",
        "Hence $x > 0$.",
        "$\\beta = 0$.",
    )
    assert made.asked == ["verify", "calibrate"]


def test_an_objection_that_is_dropped_is_a_false_alarm(desk: Desk, task: ContextTask) -> None:
    assert desk(verify=[FLAG], calibrate=[DROPPED]).block(task) == Accepted(false_alarms=1)


def cut(text: str) -> Reply:
    return Reply(text=text, usage=TokenUsage(output=5), finish=Finish.LENGTH, model="m")


def refused() -> Reply:
    return Reply(text="No.", usage=TokenUsage(), finish=Finish.REFUSAL, model="m")


FAILURES: dict[str, dict[str, list[Any]]] = {
    "the verifier cannot be reached": {"verify": [CallError("timed out")]},
    "the verifier is cut off": {"verify": [cut(ACCEPT)]},
    "the verifier refuses": {"verify": [refused()]},
    "the verifier is empty": {"verify": [" "]},
    "no verdict, twice": {"verify": ["I think so.", "Still so."]},
    "the calibrator cannot be reached": {"verify": [FLAG], "calibrate": [CallError("down")]},
    "the calibrator is empty": {"verify": [FLAG], "calibrate": [""]},
    "the calibrator is cut off": {"verify": [FLAG], "calibrate": [cut(DROPPED)]},
    "the calibrator says nothing that counts": {"verify": [FLAG], "calibrate": ["Hm.", "Hm."]},
    "the quota is exhausted": {"verify": [CallError("quota", fatal=True)]},
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_failure_is_neither_a_pass_nor_a_finding(
    desk: Desk, task: ContextTask, name: str
) -> None:
    found = desk(**FAILURES[name]).block(task)
    assert isinstance(found, Unread)
    assert found.reason


def test_a_reply_that_does_not_count_is_asked_for_once_more(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=["I think so.", ACCEPT])
    assert made.block(task) == Accepted()
    again = made.client.requests[1].text
    assert "the reply has no JSON block" in again
    assert made.client.requests[0].text != again


def test_a_flood_of_objections_does_not_count(desk: Desk, task: ContextTask) -> None:
    one = "<objection><quote>Hence</quote><problem>no</problem></objection>"
    many = FLAG.replace("<objections>", "<objections>" + 20 * one)
    made = desk(verify=[many, ACCEPT])
    assert made.block(task) == Accepted()
    assert "there are 21 objections; name the 20 gravest" in made.client.requests[1].text


def test_long_objections_are_clipped_for_the_calibrator(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[FLAG.replace("possible", "possible " * 9000)], calibrate=[DROPPED])
    assert made.block(task) == Accepted(false_alarms=1)
    assert 24_000 < len(made.client.requests[1].text) < 26_000


def test_a_quote_that_is_not_there_is_asked_for_once_more(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[FLAG], calibrate=[upheld("So $x$ is positive"), upheld()])
    found = made.block(task)
    assert isinstance(found, Flagged)
    assert found.objections[0].quote == "Hence $x > 0$."
    assert made.asked == ["verify", "calibrate", "calibrate"]


def test_a_quote_that_stays_wrong_loses_no_finding(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[FLAG], calibrate=[upheld("So $x$ is positive")])
    found = made.block(task)
    assert isinstance(found, Flagged)
    assert made.asked == ["verify", "calibrate", "calibrate"]


def test_when_the_second_question_fails_the_first_answer_stands(
    desk: Desk, task: ContextTask
) -> None:
    made = desk(verify=[FLAG], calibrate=[upheld("So it is"), CallError("down")])
    assert isinstance(made.block(task), Flagged)


def test_the_verifier_sees_the_context_fenced(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[ACCEPT])
    made.block(task)
    text = made.client.requests[0].text
    assert text.index("begin: Setting") < text.index("begin: To be checked")
    assert "All rings are commutative." in text
    assert "All rings" not in made.client.requests[0].instructions


def test_the_calibrator_is_told_how_strict_to_be(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[FLAG], calibrate=[DROPPED])
    made.block(task)
    words = made.client.requests[1].instructions
    assert "careful referee of a good journal" in words
    assert "They state none." in words
    assert "{" + "strictness}" not in words


def test_reading_again_asks_nothing(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[FLAG], calibrate=[upheld()])
    first = made.block(task)
    assert made.block(task) == first
    assert [event.kind.value for event in made.log] == ["ran", "ran", "hit", "hit"]


def test_a_text_that_gives_orders_stays_in_its_fence(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[ACCEPT])
    made.block(task)
    boundary = made.client.requests[0].text.split()[1]
    assert len(boundary) == 16
    assert boundary not in task.text
