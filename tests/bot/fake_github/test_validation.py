"""Requests, answers and deliveries are judged by GitHub's own description."""

import pytest

from tests.bot.fake_github.calls import Answer, Call
from tests.bot.fake_github.description import rest, shaped
from tests.bot.fake_github.validation import Judge, faults, unknown

REVIEWS = "/repos/us/paper/pulls/1/reviews"
COMMENT = {"path": "main.tex", "body": "x", "line": 3, "side": "RIGHT"}


@pytest.fixture
def judge():
    return Judge()


def review(**changes):
    return {"event": "COMMENT", "comments": [COMMENT | changes]}


def test_a_right_request_has_no_faults(judge):
    judge.request(Call("POST", REVIEWS, body=review()))
    judge.request(Call("GET", "/repos/us/paper/branches/a%2Fb"))
    judge.request(Call("GET", "/repos/us/paper/contents/a/pf.lock", {"ref": "main"}))
    judge.request(Call("GET", "/repos/us/paper/pulls", {"state": "open", "per_page": "100"}))
    assert judge.problems == []


@pytest.mark.parametrize(
    ("call", "fault"),
    [
        (Call("POST", REVIEWS, body=review(line="3")), "'3' is not of type 'integer'"),
        (Call("POST", REVIEWS, body=review(lines=3)), "$.comments[].lines, unknown"),
        (Call("POST", REVIEWS, body={"event": "PRAISE"}), "'PRAISE' is not one of"),
        (Call("POST", REVIEWS, body={"comments": [{"path": "x"}]}), "'body' is a required"),
        (Call("GET", REVIEWS, {"pages": "2"}), "?pages, unknown"),
        (Call("GET", "/repos/us/paper/pulls", {"state": "ajar"}), "'ajar' is not one of"),
        (Call("GET", "/repos/us/paper/pull/1"), "there is nothing like this"),
        (Call("DELETE", REVIEWS), "there is nothing like this"),
        (Call("POST", "/repos/us/paper/check-runs", body={"name": "x"}), "'head_sha'"),
    ],
)
def test_a_wrong_request_is_found(judge, call, fault):
    judge.request(call)
    assert fault in "; ".join(judge.problems)


def test_an_answer_is_judged(judge):
    call = Call("GET", "/repos/us/paper/pulls/1")
    judge.response(call, Answer(200, shaped("pull-request")))
    judge.response(call, Answer(404, {"message": "Not Found"}))
    assert judge.problems == []
    judge.response(call, Answer(200, shaped("pull-request", number="1", colour="red")))
    judge.response(call, Answer(201, shaped("pull-request")))
    place = "GET /repos/{owner}/{repo}/pulls/{pull_number}"
    assert judge.problems == [
        f"{place} answers $.number: '1' is not of type 'integer'",
        f"{place} answers $.colour, unknown",
        f"{place} never answers 201",
    ]


def test_a_delivery_is_judged(judge):
    judge.delivery("pull-request-opened", {"action": "opened"})
    judge.delivery("sponsorship-created", {})
    assert "$: 'number' is a required property" in judge.problems[0]
    assert judge.problems[-1].startswith("nobody has looked")


@pytest.mark.parametrize("name", sorted(rest()["components"]["schemas"]))
def test_what_is_filled_in_is_valid(name):
    schema = {"$ref": f"#/components/schemas/{name}"}
    if rest()["components"]["schemas"][name].get("properties"):
        assert faults(schema, shaped(name)) == []
        assert list(unknown(schema, shaped(name))) == []
