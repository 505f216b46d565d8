"""Check runs: one for each name, commit and key, whatever happens on the way."""

import pytest

from bot.domain.comment import Annotation
from bot.domain.forge import CommitCheck
from pfcore.domain.errors import IncompleteError

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def notes(many):
    return tuple(
        Annotation(
            path="main.tex",
            start_line=number,
            end_line=number + 1,
            level="warning",
            title=f"finding {number}",
            message="It does not follow.",
        )
        for number in range(1, many + 1)
    )


@pytest.fixture
def check(pull):
    def make(**changes):
        values = {"name": "pf / proofs", "head": pull.head, "key": "1:proofs", "title": "t"}
        return CommitCheck(**{**values, "summary": "s", "conclusion": "failure", **changes})

    return make


def asked(github):
    return [call.method for call in github.calls if "/check-runs" in call.path]


def test_a_check_is_told_by_one_request(github, forge, paper, check):
    forge.conclude(check(details="https://pf.example/runs/1", annotations=notes(2)))
    (run,) = paper.runs
    assert (run.name, run.status, run.conclusion) == ("pf / proofs", "completed", "failure")
    assert (run.external_id, run.details_url) == ("1:proofs", "https://pf.example/runs/1")
    assert run.output == {"title": "t", "summary": "s"}
    assert [item["title"] for item in run.annotations] == ["finding 1", "finding 2"]
    assert asked(github) == ["GET", "POST"]


def test_a_check_begins_and_ends(forge, paper, check):
    forge.conclude(check(conclusion=None))
    assert [(run.status, run.conclusion) for run in paper.runs] == [("in_progress", None)]
    forge.conclude(check(conclusion="success", title="Fine"))
    assert [(run.status, run.conclusion) for run in paper.runs] == [("completed", "success")]
    assert paper.runs[0].output["title"] == "Fine"


def test_what_is_to_be_closed_is_closed_only_where_it_is_there_and_open(forge, paper, check):
    closing = check(conclusion="cancelled", is_there=True)
    forge.conclude(closing)
    forge.conclude(check(key="another", conclusion=None))
    forge.conclude(closing)
    assert [run.status for run in paper.runs] == ["in_progress"]
    forge.conclude(check(conclusion=None))
    forge.conclude(closing)
    assert [run.conclusion for run in paper.runs] == [None, "cancelled"]
    forge.conclude(check(conclusion="success"))
    forge.conclude(closing)
    assert [run.conclusion for run in paper.runs] == [None, "success"]


def test_who_has_a_check_of_its_own_takes_no_others_place(forge, paper, check):
    forge.conclude(check(key="push"))
    forge.conclude(check(key="pull/8", conclusion="action_required"))
    forge.conclude(check(key="push", conclusion="success", is_only=True))
    found = [(run.external_id, run.conclusion) for run in paper.runs]
    assert found == [("push", "success"), ("pull/8", "action_required")]


def test_another_key_is_another_check(forge, paper, check):
    for key in ("1", "2", "1"):
        forge.conclude(check(key=key))
    assert [run.external_id for run in paper.runs] == ["1", "2"]


def test_the_only_check_of_its_name_takes_the_place_of_others(github, forge, paper, check):
    forge.conclude(check(key="push", annotations=notes(2)))
    forge.conclude(check(key="pull/7", is_only=True, annotations=notes(3), title="later"))
    (run,) = paper.runs
    assert (run.external_id, run.output["title"], len(run.annotations)) == ("pull/7", "later", 3)
    forge.conclude(check(key="pull/8"))
    forge.conclude(check(name="pf / structure", key="push", is_only=True))
    assert [item.external_id for item in paper.runs] == ["pull/7", "pull/8", "push"]


def test_a_check_of_another_app_is_left_alone(github, forge, paper, check):
    forge.conclude(check())
    paper.runs[0].app = 99
    forge.conclude(check(title="ours"))
    assert [run.output["title"] for run in paper.runs] == ["t", "ours"]


def test_many_remarks_come_fifty_at_a_time_and_the_conclusion_last(github, forge, paper, check):
    seen: list[str | None] = []
    github.before = lambda call: seen.extend(run.conclusion for run in paper.runs)
    forge.conclude(check(annotations=notes(120)))
    assert len(paper.runs[0].annotations) == 120
    assert paper.runs[0].conclusion == "failure"
    assert set(seen) == {None}
    assert asked(github) == ["GET", "POST", "PATCH", "PATCH"]


def test_remarks_are_not_added_again(forge, paper, check):
    forge.conclude(check(annotations=notes(60)))
    forge.conclude(check(annotations=notes(70), conclusion="neutral"))
    assert len(paper.runs[0].annotations) == 70
    assert paper.runs[0].conclusion == "neutral"


def test_equal_remarks_are_one(forge, paper, check):
    forge.conclude(check(annotations=notes(1) * 3))
    assert len(paper.runs[0].annotations) == 1


@pytest.mark.parametrize("status", [502, None])
@pytest.mark.parametrize("is_done", [True, False])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_lost_answer_repeats_nothing(github, forge, check, status, is_done, method):
    paper = github.repositories["us/paper"]
    github.fail(method, "/check-runs", status=status, after=is_done)
    forge.conclude(check(annotations=notes(70)))
    (run,) = paper.runs
    assert run.conclusion == "failure"
    assert [item["start_line"] for item in run.annotations] == list(range(1, 71))


def test_a_check_that_cannot_be_told_is_said_by_name(github, forge, check):
    github.fail("POST", "/check-runs$", status=403, times=9)
    with pytest.raises(IncompleteError, match="the check “pf / proofs” cannot be set"):
        forge.conclude(check())
