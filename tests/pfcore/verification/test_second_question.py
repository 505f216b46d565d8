"""A reader that lacks something asks once; without an answer nothing is accepted."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import prompts
from pfcore.domain.digest import text_digest
from pfcore.llm.protocol import CallError
from pfcore.verification.contract import Granularity
from pfcore.verification.reply_parsing import Malformed
from pfcore.verification.second_question import (
    MOST_CHARACTERS,
    TITLE,
    MissedKeys,
    SuppliedKey,
    holds,
    parse_missed,
    parse_used,
    told,
)
from pfcore.verification.task import ContextTask
from pfcore.verification.translate import fine
from pfcore.verification.verify import Accepted, Flagged, Unread
from tests.pfcore.verification.conftest import CONTRACT, UNFAITHFUL
from tests.pfcore.verification.test_verify import ACCEPT, DROPPED, FLAG, upheld

Desk = Callable[..., Any]

PAPER = {"tame": "definition. A map is tame if it has no loop.", "$f_i$": "notation. Let f_i = 0."}
WANTS = "<missing><wanted>tame</wanted></missing>"
OPEN = f'<objections></objections>{WANTS}\n```json\n{{"verdict": "open"}}\n```'
OPEN_AND_FLAG = FLAG.replace("</objections>", f"</objections>{WANTS}")


@pytest.fixture
def asking(task: ContextTask) -> ContextTask:
    return replace(task, answer=lambda key: PAPER.get(key, ""))


def trace(*keys: str, rollout: int = 1) -> tuple[SuppliedKey, ...]:
    digests = {key: text_digest(PAPER[key]) if key in PAPER else "" for key in keys}
    return tuple(SuppliedKey(rollout, key, digests[key]) for key in keys)


def test_what_a_reader_wants_is_told_and_asked_again(desk: Desk, asking: ContextTask) -> None:
    made = desk(verify=[OPEN, ACCEPT])
    assert made.block(asking) == Accepted(trace=trace("tame"))
    first, second = made.client.requests
    assert TITLE not in first.text
    assert f"begin: {TITLE}\ntame — {PAPER['tame']}" in second.text
    assert second.instructions == first.instructions


def test_the_calibrator_sees_what_the_reader_was_told(desk: Desk, asking: ContextTask) -> None:
    made = desk(verify=[OPEN, FLAG], calibrate=[upheld()])
    found = made.block(asking)
    assert isinstance(found, Flagged)
    assert found.trace == trace("tame")
    assert PAPER["tame"] in made.client.requests[-1].text


def test_what_one_rollout_was_told_no_other_one_sees(desk: Desk, asking: ContextTask) -> None:
    made = desk(verify=[OPEN, ACCEPT, ACCEPT])
    assert made.block(asking, 1) == Accepted(trace=trace("tame"))
    assert made.block(asking, 2) == Accepted()
    assert [TITLE in request.text for request in made.client.requests] == [False, True, False]
    assert made.client.requests[2].text == made.client.requests[0].text


@pytest.mark.parametrize(
    ("second", "asked"),
    [(OPEN, 2), (OPEN.replace("tame", "wild"), 2)],
)
def test_a_third_question_is_never_asked(
    desk: Desk, asking: ContextTask, second: str, asked: int
) -> None:
    made = desk(verify=[OPEN, second])
    found = made.block(asking)
    assert isinstance(found, Unread)
    assert found.reason.startswith("lacks ")
    assert len(made.asked) == asked


def test_what_the_paper_does_not_say_is_never_an_accept(desk: Desk, task: ContextTask) -> None:
    made = desk(verify=[OPEN])
    assert made.block(task) == Unread(reason="lacks tame", trace=trace_of_nothing("tame"))
    assert made.asked == ["verify"]


TWO = OPEN.replace("</wanted>", "</wanted><wanted>wild</wanted>")


@pytest.mark.parametrize("second", [ACCEPT, OPEN.replace("tame", "wild")])
def test_where_one_of_two_keys_is_told_the_other_one_still_lacks(
    desk: Desk, asking: ContextTask, second: str
) -> None:
    made = desk(verify=[TWO, second])
    assert made.block(asking) == Unread(reason="lacks wild", trace=trace("tame", "wild"))
    assert "wild — the paper says nothing of it" in made.client.requests[-1].text


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        ("a tame map", True),
        ("tame maps", True),
        ("this tame map", True),
        ("such a Tame map", True),
        ("strongly tame", False),
        ("a strongly tame map", False),
        ("tame loop", False),
        ("tame ring", False),
        ("tame map extension", False),
        ("map of tame", False),
        ("map tame", False),
        ("tame if", False),
        ("tameness", False),
        ("what $f_i$ is", False),
        ("untame", False),
    ],
)
def test_a_key_with_the_noun_that_its_introduction_has_is_told_with_it_and_no_other_one(
    desk: Desk, asking: ContextTask, other: str, is_same: bool
) -> None:
    made = desk(verify=[TWO.replace("wild", other), ACCEPT])
    found = made.block(asking)
    both = trace("tame", other)
    assert found == (
        Accepted(trace=both) if is_same else Unread(reason=f"lacks {other}", trace=both)
    )


@pytest.mark.parametrize(
    ("key", "other", "text", "is_lacking"),
    [
        ("tame hedge", "tame", r"terminology. A hedge is called \emph{tame} if it is low.", False),
        ("tame vertices", "tame", "terminology. A vertex is tame if it has an edge.", False),
        ("tame edge", "tame", "terminology. A vertex is tame if it has an edge.", True),
        ("tame edge", "tame", "notation. An edge is old. A vertex is tame if it is new.", True),
        ("a totally tame map", "tame map", "definition. A tame map has no loop.", True),
        ("the unit $e$", "$e$", "notation. Let $e$ be the unit of $G$.", False),
        ("the unit $e$", "$e$", "notation. Let $E$ be the unit. Now $e$ is here.", True),
        ("the norm $e$", "$e$", "notation. Let $e$ be the unit of $G$.", True),
        ("the order of $e$", "$e$", "notation. Let $e$ be of order two.", True),
        ("$e$ be", "$e$", "notation. Let $e$ be of order two.", True),
        ("$2e$", "$e$", "notation. Let $e$ be of order two.", True),
        ("a ring", "a", "notation. A ring is a.", True),
    ],
)
def test_what_is_told_of_a_longer_key_is_what_its_introduction_names(
    key: str, other: str, text: str, is_lacking: bool
) -> None:
    given = told(MissedKeys(wanted=(key, other)), lambda one: text if one == other else "", 1)
    assert given.lacking == ((key,) if is_lacking else ())


def test_where_only_what_would_help_is_told_what_is_wanted_still_lacks(
    desk: Desk, asking: ContextTask
) -> None:
    first = OPEN.replace("tame", "wild").replace("</missing>", "<helpful>tame</helpful></missing>")
    made = desk(verify=[first, ACCEPT])
    found = made.block(asking)
    assert isinstance(found, Unread)
    assert found.reason == "lacks wild"
    assert made.asked == ["verify"]


def trace_of_nothing(key: str) -> tuple[SuppliedKey, ...]:
    return (SuppliedKey(1, key, ""),)


def test_an_objection_of_somebody_who_lacks_something_stands_or_is_no_verdict(
    desk: Desk, task: ContextTask
) -> None:
    assert isinstance(desk(verify=[OPEN_AND_FLAG], calibrate=[upheld()]).block(task), Flagged)
    found = desk(verify=[OPEN_AND_FLAG], calibrate=[DROPPED]).block(task)
    assert isinstance(found, Unread)
    assert found.reason == "lacks tame"


@pytest.mark.parametrize(
    ("second", "calibrated", "kind"),
    [
        (ACCEPT, upheld(), Flagged),
        (ACCEPT, DROPPED, Accepted),
        (OPEN.replace("tame", "wild"), upheld(), Flagged),
        (OPEN.replace("tame", "wild"), DROPPED, Unread),
    ],
)
def test_no_objection_is_lost_between_two_questions(
    desk: Desk, asking: ContextTask, second: str, calibrated: str, kind: type
) -> None:
    """Who answers the second time may be another: the calibrator decides, who was told as much."""
    made = desk(verify=[OPEN_AND_FLAG, second], calibrate=[calibrated])
    assert isinstance(made.block(asking), kind)
    assert made.asked == ["verify", "verify", "calibrate"]
    assert PAPER["tame"] in made.client.requests[-1].text


def test_what_is_objected_to_the_second_time_is_all_that_counts(
    desk: Desk, asking: ContextTask
) -> None:
    made = desk(
        verify=[OPEN_AND_FLAG, FLAG.replace("<problem>", "<problem>Again: ")], calibrate=[upheld()]
    )
    assert isinstance(made.block(asking), Flagged)
    assert made.client.requests[-1].text.count("reason: ") == 1


def test_what_would_only_help_asks_nothing(desk: Desk, asking: ContextTask) -> None:
    helped = ACCEPT.replace("```json", "<missing><helpful>tame</helpful></missing>\n```json")
    made = desk(verify=[helped])
    assert made.block(asking) == Accepted()
    assert made.asked == ["verify"]


def test_a_contract_may_keep_readers_from_asking(desk: Desk, asking: ContextTask) -> None:
    contract = replace(CONTRACT, asks=False)
    made = desk(verify=[OPEN, ACCEPT], contract=contract)
    assert isinstance(made.block(asking), Unread)
    assert made.asked == ["verify"]
    assert contract.digest() != CONTRACT.digest()
    assert "asks" not in CONTRACT.fields()


def test_a_second_question_that_gets_no_reply_is_no_verdict(
    desk: Desk, asking: ContextTask
) -> None:
    found = desk(verify=[OPEN, CallError("cut off")]).block(asking)
    assert isinstance(found, Unread)
    assert found.trace == trace("tame")


def test_who_was_killed_between_the_questions_asks_the_second_one_alone(
    desk: Desk, asking: ContextTask
) -> None:
    made = desk(verify=[OPEN, CallError("killed"), ACCEPT])
    assert isinstance(made.block(asking), Unread)
    count = len(made.asked)
    assert made.block(asking) == Accepted(trace=trace("tame"))
    assert len(made.asked) == count + 1


def test_a_second_question_whose_reply_does_not_count_is_asked_for_once_more(
    desk: Desk, asking: ContextTask
) -> None:
    made = desk(verify=[OPEN, "I think so.", ACCEPT])
    assert made.block(asking) == Accepted(trace=trace("tame"))
    assert "the reply has no JSON block" in made.client.requests[-1].text
    assert all(PAPER["tame"] in request.text for request in made.client.requests[1:])
    assert isinstance(desk(verify=[OPEN, "I think so."]).block(asking), Unread)


def test_an_objection_after_two_questions_waits_for_its_judge_who_alone_is_asked_again(
    desk: Desk, asking: ContextTask
) -> None:
    made = desk(verify=[OPEN, FLAG], calibrate=[CallError("killed"), upheld()])
    found = made.block(asking)
    assert isinstance(found, Unread)
    assert found.trace == trace("tame")
    asked = len(made.asked)
    assert isinstance(made.block(asking), Flagged)
    assert made.asked[asked:] == ["calibrate"]


def test_a_trace_holds_where_the_paper_answers_so() -> None:
    listed = trace("tame", "wild")
    assert holds(listed, lambda key: PAPER.get(key, ""))
    assert not holds(listed, lambda _: "")
    assert not holds(listed, lambda key: PAPER.get(key, "something"))
    assert holds((), lambda _: "anything")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (WANTS, MissedKeys(wanted=("tame",))),
        (
            "<missing><wanted> $f_i$\n </wanted><helpful>tame</helpful>"
            "<helpful>$f_i$</helpful></missing>",
            MissedKeys(wanted=("$f_i$",), helpful=("tame",)),
        ),
        ("nothing", MissedKeys()),
    ],
)
def test_what_is_missed_is_read(text: str, found: MissedKeys) -> None:
    assert parse_missed(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "<missing><wanted></wanted></missing><wanted>tame</wanted>",
        f"<missing><wanted>old</wanted></missing>{WANTS}",
        r"<missing><wanted>$\tau$</wanted>",
        r"<missing><wanted>$\tau$</missing>",
        r"<wanted>$\tau$</wanted>",
        r"<missing/><wanted>$\tau$</wanted>",
        "<missing>" * 50_000,
        f"<missing>{''.join(f'<wanted>{n}</wanted>' for n in range(9))}</missing>",
    ],
)
def test_a_list_that_cannot_be_read_is_no_reading(text: str) -> None:
    assert isinstance(parse_missed(text), Malformed)


def test_what_is_told_has_its_bounds_and_what_found_no_room_is_lacking() -> None:
    found = parse_missed(f"<missing>{''.join(f'<wanted>{n}</wanted>' for n in range(8))}</missing>")
    assert isinstance(found, MissedKeys)
    made = told(found, lambda _: "y" * 9_000, 1)
    ((_, text),) = made.parts
    assert MOST_CHARACTERS <= len(text) < MOST_CHARACTERS + 1_000
    assert made.lacking == ("4", "5", "6", "7")


def test_entries_that_a_verdict_rests_on_are_listed() -> None:
    text = "<used>Definition 1, Result 2;\n Notation 3, Result 2</used>"
    assert parse_used(text) == ("Definition 1", "Result 2", "Notation 3")
    assert parse_used("none") == ()


def test_the_first_wording_knows_of_no_questions(desk: Desk, asking: ContextTask) -> None:
    contract = replace(CONTRACT, prompts=tuple(prompts.SETS["v1"].items()))
    accept = ACCEPT.replace("```json", f"{WANTS}\n```json")
    made = desk(verify=[accept], contract=contract)
    assert made.block(asking) == Accepted()
    assert made.asked == ["verify"]
    assert isinstance(desk(verify=[OPEN, OPEN], contract=contract).block(asking), Unread)


def test_what_nobody_was_asked_is_in_no_trace(desk: Desk, asking: ContextTask) -> None:
    contract = replace(CONTRACT, asks=False)
    found = desk(verify=[OPEN_AND_FLAG], calibrate=[upheld()], contract=contract).block(asking)
    assert isinstance(found, Flagged)
    assert found.trace == ()


PIECES = """<THEOREM_STATEMENT>
For all $x$ we have $x > 0$.
</THEOREM_STATEMENT>
<PROPOSITION_STATEMENT id="1">
$x \\ge 0$.
</PROPOSITION_STATEMENT>
<PROPOSITION_PROOF id="1">
Tame.
</PROPOSITION_PROOF>
<THEOREM_PROOF>
Hence $x > 0$.
</THEOREM_PROOF>
"""


def test_a_rewriting_keeps_what_its_pieces_asked_for(desk: Desk, asking: ContextTask) -> None:
    contract = replace(CONTRACT, granularity=Granularity.FINE, attempts=0)
    flags = [OPEN.replace("tame", "wild"), FLAG]
    made = desk(translate=[PIECES], verify=flags, calibrate=[upheld()], contract=contract)
    found = asyncio.run(fine(made.reading, asking, 1))
    assert isinstance(found, Flagged)
    assert found.trace == trace_of_nothing("wild")


FINE = replace(CONTRACT, granularity=Granularity.FINE, attempts=0)
ALL_FAULTS: dict[str, tuple[dict[str, list[Any]], type, tuple[str, ...]]] = {
    "told and accepted": ({"verify": [OPEN, ACCEPT, ACCEPT]}, Accepted, ("tame",)),
    "told and objected to": (
        {"verify": [OPEN, ACCEPT, FLAG], "calibrate": [upheld()]}, Flagged, ("tame",),
    ),
    "told, and the objection dropped": (
        {"verify": [OPEN, ACCEPT, FLAG], "calibrate": [DROPPED]}, Accepted, ("tame",),
    ),
    "told, and no calibrator": (
        {"verify": [OPEN, ACCEPT, FLAG], "calibrate": [CallError("down")]}, Unread, ("tame",),
    ),
    "not to be had": (
        {"verify": [OPEN.replace("tame", "wild"), ACCEPT]}, Unread, ("wild",),
    ),
    "wanted again": (
        {"verify": [OPEN, ACCEPT, OPEN.replace("tame", "wild")]}, Unread, ("tame",),
    ),
    "a longer key is not to be had": (
        {"verify": [TWO.replace("wild", "strongly tame"), ACCEPT, ACCEPT]}, Unread,
        ("tame", "strongly tame"),
    ),
    "the second question fails": ({"verify": [OPEN, ACCEPT, CallError("down")]}, Unread, ("tame",)),
    "no verdict the second time": ({"verify": [OPEN, ACCEPT, "Hm.", "Hm."]}, Unread, ("tame",)),
    "a list that cannot be read": (
        {"verify": [OPEN.replace("</missing>", ""), ACCEPT, OPEN.replace("</missing>", "")]},
        Unread, (),
    ),
    "the other piece is not read": (
        {"verify": [OPEN, CallError("down"), ACCEPT]}, Unread, ("tame",),
    ),
    "both pieces want it": ({"verify": [OPEN, OPEN, ACCEPT, ACCEPT]}, Accepted, ("tame",)),
}  # fmt: skip


@pytest.mark.parametrize("name", ALL_FAULTS)
def test_a_piece_that_wants_more_is_no_pass_unless_it_was_told_and_accepted(
    desk: Desk, asking: ContextTask, name: str
) -> None:
    answers, kind, keys = ALL_FAULTS[name]
    made = desk(translate=[PIECES], contract=FINE, **answers)
    found = asyncio.run(fine(made.reading, asking, 1))
    assert isinstance(found, kind)
    assert found.trace == trace(*keys)


@pytest.mark.parametrize("answers", [[OPEN, ACCEPT, ACCEPT], [OPEN, ACCEPT, ACCEPT, OPEN, ACCEPT]])
def test_what_was_told_to_a_piece_of_an_unfaithful_rewriting_is_told_to_the_whole_only_if_it_asks(
    desk: Desk, asking: ContextTask, answers: list[str]
) -> None:
    contract = replace(FINE, attempts=1)
    made = desk(translate=[PIECES], faithfulness=[UNFAITHFUL], verify=answers, contract=contract)
    found = asyncio.run(fine(made.reading, asking, 1))
    assert isinstance(found, Accepted)
    whole = [one.text for one, stage in zip(made.client.requests, made.asked, strict=True)
             if stage == "verify"][3:]  # fmt: skip
    assert [PAPER["tame"] in text for text in whole] == (
        [False] if len(answers) == 3 else [False, True]
    )
