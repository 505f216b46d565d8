"""Runs that were given up: what is said of them beside their commits."""

from dataclasses import replace

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from bot.domain.job import ReviewBranch, ReviewPull, branch_job, end, review
from bot.domain.run_records import RunState
from pfcore.domain.errors import IncompleteError, PfError
from tests.bot.fakes import BASE, HEAD, PLACE, Crash

OPENED = review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-1")
DEMAND = review(
    ReviewPull(place=PLACE, number=7, head=None, reason="asked", is_demand=True), "guid-2"
)
PUSHED = branch_job(
    ReviewBranch(
        place=PLACE, branch="idea", before=BASE, after=HEAD, is_default=False, sender="alice"
    ),
    "guid-3",
)
SILENT = {STRUCTURE: "failure", PROOFS: "failure"}


def given_up(world, task, crash):
    """A run that ended in a crash after so many steps, and what is said of it."""
    with pytest.raises(Crash):
        world.do(task, crash)
    run = world.records.runs.get(task.id)
    world.records.runs.change(run.id, state=RunState.FAILED)
    return world.do(end(run))


def conclusions(world):
    return {name: check.conclusion for (name, _, _), check in world.forge.checks.items()}


@pytest.mark.parametrize("task", [OPENED, DEMAND])
def test_that_there_is_no_review_is_said_beside_the_commit(world, task):
    assert given_up(world, task, 2) == "told"
    assert conclusions(world) == SILENT
    for check in world.forge.checks.values():
        assert (check.head, check.key) == (HEAD, "pull/7")
        assert "repeated interruptions" in check.summary and "/pf check" in check.summary


def test_what_was_found_is_told_and_what_was_not_is_named(world):
    assert given_up(world, OPENED, 5) == "told"
    assert conclusions(world) == {STRUCTURE: "success", PROOFS: "failure"}


def test_results_that_were_kept_are_told(world):
    assert given_up(world, OPENED, 6) == "told"
    assert conclusions(world) == {STRUCTURE: "success", PROOFS: "success"}


def test_what_affects_no_proof_needs_no_reader(world):
    world.reviewer.is_readable = False
    given_up(world, OPENED, 4)
    assert conclusions(world) == {STRUCTURE: "success", PROOFS: "success"}


def test_without_a_model_there_is_no_check_of_proofs(world):
    world.reviewer.has_model = False
    given_up(world, OPENED, 3)
    assert conclusions(world) == {STRUCTURE: "success"}


def test_what_another_release_has_kept_is_not_told(world):
    def checks(told):
        raise PfError("kept by another release")

    world.reviewer.checks = checks
    assert given_up(world, OPENED, 3) == "told"
    assert conclusions(world) == SILENT


@pytest.mark.parametrize(
    "state", [RunState.RUNNING, RunState.DONE, RunState.WAITING, RunState.FAILED]
)
def test_nothing_is_said_where_another_run_has_spoken_since(world, state):
    with pytest.raises(Crash):
        world.do(OPENED, 5)
    run = world.records.runs.get(OPENED.id)
    later = replace(run, id="10#7:later", state=state, created=run.created + 100)
    world.records.runs.begin(later)
    world.forge.said.clear()
    assert world.do(end(run)) == "reviewed elsewhere"
    assert world.forge.said == []


@pytest.mark.parametrize("state", [RunState.SKIPPED, RunState.SUPERSEDED])
def test_a_later_run_that_said_nothing_does_not_count(world, state):
    with pytest.raises(Crash):
        world.do(OPENED, 5)
    run = world.records.runs.get(OPENED.id)
    world.records.runs.begin(replace(run, id="later", state=state, created=run.created + 100))
    assert world.do(end(run)) == "told"


def test_the_end_of_a_branchs_run_is_told_where_its_checks_are_wanted(world):
    world.forge.heads.clear()
    assert given_up(world, PUSHED, 4) == "told"
    assert conclusions(world) == {STRUCTURE: "success", PROOFS: "failure"}
    assert "Re-run" in world.forge.checks[PROOFS, HEAD, "push"].summary


def test_the_end_of_a_branchs_run_is_told_nobody_who_does_not_wait_for_it(world):
    world.forge.heads.clear()
    with pytest.raises(Crash):
        world.do(PUSHED, 3)
    task = end(world.records.runs.get(PUSHED.id))
    world.forge.open()
    assert world.do(task) == "reviewed elsewhere"
    world.forge.heads.clear()
    world.reviewer.is_wanted = False
    world.durables.clear()
    assert world.do(task) == "reviewed elsewhere"
    assert world.forge.said == []


def test_a_branchs_run_that_was_given_up_leaves_nothing_open_whoever_else_speaks(world):
    world.forge.heads.clear()
    with pytest.raises(Crash):
        world.do(PUSHED, 4)
    assert world.forge.checks[PROOFS, HEAD, "push"].conclusion is None
    world.forge.open()
    assert world.do(end(world.records.runs.get(PUSHED.id))) == "reviewed elsewhere"
    assert conclusions(world) == {STRUCTURE: "success", PROOFS: "cancelled"}


def test_what_was_erased_or_is_gone_is_told_nobody(world):
    assert given_up(world, OPENED, 2) == "told"
    run = world.records.runs.get(OPENED.id)
    world.durables.clear()
    world.forge.said.clear()
    world.records.erase(1)
    assert "deleted" in world.do(end(run))
    world.records.runs.begin(run)
    world.durables.clear()
    world.forge.is_gone = True
    assert "not there" in world.do(end(run))
    assert world.forge.said == []


def test_a_bad_moment_of_github_passes(world):
    with pytest.raises(Crash):
        world.do(OPENED, 2)
    world.forge.failures.append(IncompleteError("502"))
    task = end(world.records.runs.get(OPENED.id))
    assert world.do(task) == "told"
    assert world.durables[task.id].slept == [2.0]
