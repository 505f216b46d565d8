"""Pushes to branches: what is read ahead, what is checked."""

from dataclasses import replace

import pytest

from bot.forge import PROOFS, STRUCTURE
from bot.runs import State
from bot.work.job import ReviewBranch
from bot.work.means import Usage
from bot.work.task import Queue, Task
from pfcore.errors import IncompleteError
from tests.bot.fakes import BASE, HEAD, PLACE, World

PUSH = ReviewBranch(
    place=PLACE, branch="main", before=BASE, after=HEAD, is_default=True, sender="alice"
)
KEY = "push"


def task(guid="guid-1", **changes):
    job = replace(PUSH, **changes)
    return Task(id=f"10@abc:{guid}", queue=Queue.REVIEWS, turn="10@abc:", job=job)


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


def test_a_push_to_the_default_branch_is_read_ahead_in_silence(world):
    world.reviewer.is_wanted = False
    assert world.do(task()) == ""
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")]
    assert world.forge.said == []
    (run,) = world.records.runs.kept.values()
    assert (run.state, run.head, run.base, run.reason) == (State.DONE, HEAD, BASE, "push to main")
    assert (run.branch, run.is_default, run.dollars) == ("main", True, 0.5)


def test_another_branch_is_looked_at_where_that_is_wanted_only(world):
    world.reviewer.is_wanted = False
    assert "no check" in world.do(task(is_default=False))
    assert world.reviewer.read == [("structure", "a")]
    assert world.records.runs.kept == {} and world.forge.said == []


def test_a_branch_that_is_to_be_checked_is_told_of_beside_its_commit(world):
    world.do(task(is_default=False))
    assert world.forge.said == [
        (STRUCTURE, "a", "success"),
        (PROOFS, "a", None),
        (STRUCTURE, "a", "success"),
        (PROOFS, "a", "success"),
    ]
    assert {key for _, _, key in world.forge.checks} == {KEY}


def test_without_a_model_there_is_no_check_of_proofs(world):
    world.reviewer.has_model = False
    world.do(task())
    assert set(world.forge.said) == {(STRUCTURE, "a", "success")}


@pytest.mark.parametrize("before", [None, "d" * 40])
def test_a_branch_is_compared_with_where_it_parted_from_the_default_one(world, before):
    """As its pull request is: a push that changes nothing more makes nothing pass."""
    world.do(task(is_default=False, before=before))
    assert (world.reviewer.subject.trusted, world.reviewer.subject.base) == (BASE, BASE)
    (run,) = world.records.runs.kept.values()
    assert run.base == BASE


def test_the_first_push_of_all_is_read_as_a_whole(world):
    world.do(task(before=None))
    assert (world.reviewer.subject.trusted, world.reviewer.subject.base) == (BASE, None)


def test_a_branch_that_moved_on_is_read_where_it_is_now(world):
    world.reviewer.during = lambda: world.tasks.put(task("guid-2", after="c" * 40))
    assert world.do(task()) == "the branch has moved on"
    world.reviewer.during = lambda: None
    assert world.work() == [""]
    assert world.states() == ["superseded", "done"]


def test_a_reader_hears_that_a_branch_has_moved_on(world):
    heard = []

    def push():
        world.tasks.put(task("guid-2"))
        for _ in range(3):
            world.reviewer.terms.note(Usage(dollars=0.1))
        heard.append(world.reviewer.terms.is_over())

    world.reviewer.during = push
    world.do(task())
    assert heard == [True]


def test_what_fails_for_good_is_kept_with_the_run(world):
    world.reviewer.failures.extend([IncompleteError("git failed")] * 3)
    assert world.do(task()) == "git failed"


def test_accounts_beside_the_list_are_not_served(tmp_path):
    world = World(tmp_path, accounts=frozenset(("them",)))
    assert "not among" in world.do(task())
    assert world.forge.asked == []


def test_what_is_erased_meanwhile_stays_erased(world):
    world.reviewer.during = lambda: world.records.erase(1)
    world.do(task())
    assert world.records.runs.kept == {}
