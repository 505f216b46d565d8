"""One commit that is the head of several pull requests: whose its checks are."""

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from bot.domain.job import lane_of
from pfcore.testing import ScriptedLlm
from tests.bot.shop import checks
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
DANGLING = LEMMA % ("use", "The trace is positive", r"By \ref{nowhere}.")
OTHERS = "GitHub shows the former here as well, but they compare with a different base."
GREEN = {STRUCTURE: "success", PROOFS: "success"}


@pytest.fixture
def llm():
    return ScriptedLlm(lambda request: ACCEPT)


@pytest.fixture
def repo(github, document):
    """A branch `dev` that has an error, and a commit on it; against `main` it is wrong."""
    made = github.repository(
        files={"main.tex": document(POSITIVE)}, people={"alice": "write", "eve": "read"}
    )
    made.commit({"main.tex": document(POSITIVE + DANGLING)}, on="dev")
    made.point("idea", made.tip("dev"))
    made.commit(
        {"main.tex": document(POSITIVE + POSITIVE.replace("positive", "odd") + DANGLING)}, on="idea"
    )
    made.commit({"main.tex": document(POSITIVE + POSITIVE.replace("positive", "odd"))}, on="good")
    return made


def required(repo, head):
    """What a rule on a name sees, whether the newest run of the name counts or the worst."""
    found = checks(repo, head)
    runs = [run for run in repo.runs if run.head == head and run.name in (STRUCTURE, PROOFS)]
    assert len(runs) == len({run.name for run in runs}), "one run of a name"
    return {name: found.get(name) for name in (STRUCTURE, PROOFS)}


def test_a_stranger_s_pull_request_of_the_same_commit_moves_no_check(github, shop, repo):
    alice = github.open(repo, "good", author="alice")
    shop.work()
    assert required(repo, alice.head) == GREEN

    eve = github.open(repo, "theirs", author="eve", head=alice.head, fork="eve")
    shop.work()
    assert required(repo, alice.head) == GREEN
    assert checks(repo, eve.head) == GREEN | {
        f"{STRUCTURE} (#2)": "success",
        f"{PROOFS} (#2)": "action_required",
    }
    (said,) = [item.body for item in repo.comments if item.number == eve.number]
    assert "also the head of #1" in said and "`pf / structure (#2)`" in said
    assert not any(item.number == alice.number for item in repo.comments)


def test_what_a_stranger_brings_about_waits_in_the_stranger_s_lane(github, shop, repo):
    """Also reviews of others' pull requests, and of hers that others bring about by a push."""
    alice = github.open(repo, "good", author="alice")
    eve = github.open(repo, "theirs", author="eve", head=alice.head, fork="eve")
    put = list[tuple[int, str]]()
    keep = shop.tasks.put

    def noted(task):
        lane = lane_of(task.job)
        assert lane is not None
        put.append((getattr(task.job, "number", 0), lane.name.partition("/")[2]))
        keep(task)

    shop.tasks.put = noted
    shop.work()
    assert sorted(put) == [(1, "alice"), (1, "eve"), (2, "alice"), (2, "eve")]
    put.clear()
    github.say(repo, eve, f"/pf check {eve.head}", by="alice")
    shop.work()
    assert put[:2] == [(2, "alice"), (2, "alice")], "what is said, and the review that it wants"
    put.clear()
    github.push(repo, {"pf.toml": "[checks]\n"}, branch="main")
    shop.work()
    assert {(1, "alice"), (2, "eve")} <= set(put)


def test_a_stranger_who_was_first_gives_way(github, shop, repo):
    eve = github.open(repo, "theirs", author="eve", head=repo.tip("good"), fork="eve")
    shop.work()
    assert required(repo, eve.head) == {STRUCTURE: "success", PROOFS: "action_required"}
    assert [item for item in repo.comments if "also the head" in item.body] == []

    alice = github.open(repo, "good", author="alice")
    shop.work()
    assert required(repo, alice.head) == GREEN
    assert checks(repo, eve.head)[f"{PROOFS} (#1)"] == "action_required"
    (said,) = [item.body for item in repo.comments if "also the head" in item.body]
    assert "also the head of #2" in said


def test_the_checks_are_handed_on_when_their_pull_request_is_closed_and_come_back(
    github, shop, repo
):
    alice = github.open(repo, "good", author="alice")
    eve = github.open(repo, "theirs", author="eve", head=alice.head, fork="eve")
    shop.work()
    github.close(repo, alice)
    shop.work()
    assert required(repo, eve.head) == {STRUCTURE: "success", PROOFS: "action_required"}
    said = [item.body for item in repo.comments if item.number == eve.number]
    assert not any(", where its checks are" in body for body in said)

    github.reopen(repo, alice)
    shop.work()
    assert required(repo, alice.head) == GREEN


def test_nobody_turns_a_check_green_by_another_base_nor_by_opening_and_closing(github, shop, repo):
    first = github.open(repo, "idea", author="eve", fork="eve")
    shop.work()
    assert required(repo, first.head)[STRUCTURE] == "failure"
    second = github.open(repo, "idea", author="eve", base_ref="dev", fork="eve")
    shop.work()
    assert required(repo, first.head)[STRUCTURE] == "failure"
    assert checks(repo, first.head)[f"{STRUCTURE} (#2)"] == "success"

    github.close(repo, first)
    shop.work()
    assert required(repo, first.head)[STRUCTURE] == "success", "of the one that is open"
    github.close(repo, second)
    github.reopen(repo, first)
    shop.work()
    assert required(repo, first.head)[STRUCTURE] == "failure"


def test_a_writer_s_fork_comes_before_a_stranger_s(github, shop, repo):
    eve = github.open(repo, "theirs", author="eve", head=repo.tip("good"), fork="eve")
    alice = github.open(repo, "hers", author="alice", head=eve.head, fork="alice")
    shop.work()
    runs = {run.name: run.external_id for run in repo.runs}
    assert runs[STRUCTURE] == f"pull/{alice.number}"
    assert runs[f"{STRUCTURE} (#1)"] == "pull/1"


def test_what_was_pushed_to_a_branch_here_is_not_spoken_of_by_a_stranger(
    github, shop, repo, document
):
    github.push(repo, {"pf.toml": "[app]\nevery_branch = true\n"})
    shop.work()
    head = github.push(repo, {"main.tex": document(POSITIVE + DANGLING)}, branch="new")
    shop.work()
    assert required(repo, head)[STRUCTURE] == "failure"
    github.open(repo, "theirs", author="eve", head=head, base_ref="dev", fork="eve")
    shop.work()
    assert required(repo, head)[STRUCTURE] == "failure"
    assert f"{STRUCTURE} (#1)" in checks(repo, head)


def test_a_push_that_comes_after_a_stranger_takes_the_names_that_people_require(github, shop, repo):
    github.push(repo, {"pf.toml": "[app]\nevery_branch = true\n"})
    eve = github.open(repo, "theirs", author="eve", head=repo.tip("good"), fork="eve")
    shop.work()
    assert required(repo, eve.head) == {STRUCTURE: "success", PROOFS: "action_required"}

    github.push(repo, branch="new", head=eve.head)
    shop.work()
    assert required(repo, eve.head) == GREEN
    assert {run.external_id for run in repo.runs if run.name in GREEN and run.head == eve.head} == {
        "push"
    }
    assert checks(repo, eve.head) == GREEN | {
        f"{STRUCTURE} (#1)": "success",
        f"{PROOFS} (#1)": "action_required",
    }
    (said,) = [item.body for item in repo.comments if item.number == eve.number]
    assert "also on a branch of this repository" in said


def test_that_names_are_others_is_said_once_and_the_rest_is_the_same_review(github, shop, repo):
    alice = github.open(repo, "good", author="alice")
    eve = github.open(repo, "theirs", author="eve", head=alice.head, fork="eve")
    shop.work()
    count, told = len(repo.comments), checks(repo, alice.head)
    github.close(repo, eve)
    github.reopen(repo, eve)
    shop.work()
    assert (len(repo.comments), checks(repo, alice.head)) == (count, told)


MERGED = {STRUCTURE: "failure", PROOFS: "success"}
"""What the checks of a group are that has the error of `dev`, which `main` has not."""


def test_a_stranger_s_pull_request_of_what_a_merge_queue_made_moves_no_check(
    github, shop, repo, document
):
    alice = github.open(repo, "good", author="alice")
    shop.work()
    group = github.queue(repo, alice, {"main.tex": document(POSITIVE + DANGLING)})
    shop.work()
    assert required(repo, group) == MERGED

    eve = github.open(repo, "theirs", author="eve", head=group, fork="eve", base_ref="dev")
    shop.work()
    assert required(repo, group) == MERGED
    assert f"{STRUCTURE} (#2)" in checks(repo, group)
    (said,) = [item.body for item in repo.reviews if item.number == eve.number]
    assert "also in the merge queue" in said


def test_a_stranger_who_comes_before_the_queue_s_review_gets_no_green_for_it(
    github, shop, repo, document
):
    alice = github.open(repo, "good", author="alice")
    shop.work()
    group = github.queue(repo, alice, {"main.tex": document(POSITIVE + DANGLING)})
    github.open(repo, "theirs", author="eve", head=group, fork="eve", base_ref="dev")
    shop.receive()
    shop.tasks.tasks.reverse()
    shop.work()
    assert required(repo, group) == MERGED
    assert f"{STRUCTURE} (#2)" in checks(repo, group)


@pytest.mark.parametrize("who", [{"author": "eve", "fork": "eve"}, {"author": "alice"}])
def test_nobody_makes_a_pull_request_green_by_an_earlier_one_with_another_base(
    github, shop, repo, who
):
    first = github.open(repo, "idea", base_ref="dev", **who)
    shop.work()
    assert required(repo, first.head)[STRUCTURE] == "success"
    second = github.open(repo, "idea", head=first.head, **who)
    shop.work()
    assert checks(repo, first.head)[f"{STRUCTURE} (#2)"] == "failure"
    assert required(repo, first.head)[STRUCTURE] == "failure", "shown on both"
    (run,) = [run for run in repo.runs if run.name == STRUCTURE and run.head == first.head]
    assert run.external_id == "pull/1" and "(#2)" in run.output["title"]

    github.close(repo, second)
    shop.work()
    assert required(repo, first.head)[STRUCTURE] == "success", "the other one is gone"
    github.reopen(repo, second)
    shop.work()
    assert required(repo, first.head)[STRUCTURE] == "failure"


def test_a_stranger_with_another_base_reds_nobody_else(github, shop, repo):
    alice = github.open(repo, "idea", base_ref="dev", author="alice")
    shop.work()
    eve = github.open(repo, "theirs", author="eve", head=alice.head, fork="eve")
    shop.work()
    assert checks(repo, eve.head)[f"{STRUCTURE} (#2)"] == "failure"
    assert required(repo, alice.head)[STRUCTURE] == "success"
    (said,) = [item.body for item in (*repo.comments, *repo.reviews) if item.number == eve.number]
    assert "also the head of #1" in said and OTHERS in said


def test_a_later_stranger_with_another_base_reds_no_stranger_s_either_and_is_told(
    github, shop, repo
):
    eve = github.open(repo, "idea", base_ref="dev", author="eve", fork="eve")
    shop.work()
    told = required(repo, eve.head)
    assert told[STRUCTURE] == "success"
    mallory = github.open(repo, "theirs", author="mallory", head=eve.head, fork="mallory")
    shop.work()
    assert required(repo, eve.head) == told
    assert checks(repo, eve.head)[f"{STRUCTURE} (#2)"] == "failure", "GitHub shows both on #2"
    said = [item for item in (*repo.comments, *repo.reviews) if item.number == mallory.number]
    assert [OTHERS in item.body for item in said] == [True]


def test_where_the_comparison_is_the_same_nothing_is_said_of_another(github, shop, repo):
    alice = github.open(repo, "good", author="alice")
    eve = github.open(repo, "theirs", author="eve", head=alice.head, fork="eve")
    shop.work()
    (said,) = [item.body for item in repo.comments if item.number == eve.number]
    assert "also the head of #1" in said and OTHERS not in said
