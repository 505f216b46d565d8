"""Checks that are asked for again, and data that go."""

from dataclasses import replace

import pytest

from bot.domain.deliveries import Delivery
from bot.domain.forge import GoneError
from bot.domain.job import (
    Erase,
    LookAgain,
    Queue,
    QueuedJob,
    Rerun,
    ReviewBranch,
    ReviewPull,
    review,
)
from pfcore.domain.errors import IncompleteError
from tests.bot.fakes import HEAD, NEXT, PLACE, World


def task(job):
    return QueuedJob(id="other", queue=Queue.REPLIES, turn="other", job=job)


def rerun(pulls=(7,)):
    return task(Rerun(place=PLACE, guid="guid-1", head=HEAD, pulls=pulls, sender="alice"))


@pytest.mark.parametrize("pulls", [(7,), ()])
def test_a_check_is_made_again_also_for_forks_whose_checks_name_no_pull_request(world, pulls):
    assert world.do(rerun(pulls)) == "1 to review"
    (found,) = world.tasks.tasks
    assert found.id == "10#7:guid-1"
    assert (found.job.is_demand, found.job.reason) == (True, "re-run by alice")


PUSHED = replace(rerun(()).job, head=NEXT, branch="idea", before="d" * 40)


def test_where_there_is_no_pull_request_the_branch_is_reviewed_again(world):
    assert world.do(task(PUSHED)) == "1 to review"
    (found,) = world.tasks.tasks
    assert found.id.startswith("10@") and found.id.endswith(":guid-1")
    job = found.job
    assert (job.branch, job.before, job.after) == ("idea", "d" * 40, NEXT)
    assert job.is_demand and not job.is_default


@pytest.mark.parametrize(
    ("before", "put"), [("d" * 40, ["d" * 40]), ("0" * 40, [None]), (None, [])]
)
def test_of_the_default_branch_it_is_known_what_was_there_before(world, before, put):
    world.do(task(replace(PUSHED, branch="main", before=before)))
    found = [item.job for item in world.tasks.tasks]
    assert [job.before for job in found] == put
    assert all(job.is_default for job in found)


def put(world, **changes):
    """What a re-run of this head asks for: numbers of pull requests, names of branches."""
    world.do(task(replace(PUSHED, head=HEAD, **changes)))
    jobs = [item.job for item in world.tasks.tasks]
    return [job.branch if isinstance(job, ReviewBranch) else job.number for job in jobs]


@pytest.mark.parametrize(
    ("key", "is_fork", "wanted"),
    [
        ("push", True, ["idea"]),
        ("push", False, [7]),
        ("pull/7", True, [7]),
        ("pull/7", False, [7]),
        ("pull/8", False, [7]),
        (None, True, [7, "idea"]),
        (None, False, [7]),
        ("strange", False, [7]),
    ],
)
def test_a_check_is_made_again_by_whoever_made_it(world, key, is_fork, wanted):
    world.forge.open(is_fork=is_fork)
    assert put(world, key=key) == wanted


def test_of_two_pull_requests_with_one_head_that_is_reviewed_whose_check_it_is(world):
    world.forge.open(number=8)
    assert put(world, key="pull/8") == [8]
    world.durables.clear()
    world.tasks.tasks.clear()
    world.tasks.ids.clear()
    assert put(world, key=None, pulls=(7, 8)) == [7, 8]


def test_a_draft_does_not_keep_its_branch_from_being_reviewed_again(world):
    world.forge.open(is_draft=True)
    assert put(world, key="push", pulls=(7,)) == ["idea"]


def test_where_the_branch_is_not_known_a_check_of_it_is_made_by_its_pull_requests(world):
    world.forge.open(is_fork=True)
    assert put(world, key="push", branch=None) == [7]


def test_where_nobody_knows_what_was_pushed_nothing_is_reviewed(world):
    assert world.do(task(replace(PUSHED, branch=None))) == "0 to review"


def test_only_accounts_of_the_list_are_served(tmp_path):
    world = World(tmp_path, accounts=frozenset(("them",)))
    assert "not enabled" in world.do(rerun())
    assert world.tasks.tasks == []


def filled(world):
    for number, repository in enumerate((10, 11, None)):
        world.deliveries.keep(
            Delivery(
                guid=f"guid-{number}",
                event="push",
                installation=1,
                repository=repository,
                received=1.0,
                body=b"",
            )
        )
    world.do(review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-0"))


def test_when_the_app_goes_everything_goes(world):
    filled(world)
    assert world.do(task(Erase(installation=1, removed=()))) == "2 erased"
    assert world.deliveries.kept == {} and world.records.runs.kept == {}
    assert world.reviewer.erased == [10, 11]
    assert "10#" in world.tasks.forgotten and "11@" in world.tasks.forgotten


def test_when_a_repository_goes_its_data_go(world):
    filled(world)
    world.do(task(Erase(installation=1, removed=(11,))))
    assert world.reviewer.erased == [11]
    assert len(world.deliveries.kept) == 2 and len(world.records.runs.kept) == 1


def test_what_cannot_be_erased_now_is_erased_later(world):
    filled(world)
    faults = [IncompleteError("locked")]

    def erase(repository):
        if faults:
            raise faults.pop()

    world.reviewer.erase = erase
    assert world.do(task(Erase(installation=1, removed=()))) == "2 erased"
    world.reviewer.erase = lambda repository: (_ for _ in ()).throw(IncompleteError("locked"))
    world.durables.clear()
    assert world.do(task(Erase(installation=1, removed=(10,)))) == "locked"


HOME = replace(PLACE, installation=2, repository="them/paper")


def test_what_another_installation_has_by_now_is_that_ones(world):
    filled(world)
    world.hub.homes[10] = HOME
    assert world.do(task(Erase(installation=1, removed=()))) == "1 erased"
    assert world.reviewer.erased == [11] and "10#" not in world.tasks.forgotten
    assert {run.installation for run in world.records.runs.kept.values()} == {2}
    assert world.deliveries.repositories(2) == {10}
    assert world.do(QueuedJob(id="2", queue=Queue.REPLIES, turn="2", job=Erase(
        installation=2, removed=()))) == "1 erased"  # fmt: skip
    assert world.records.runs.kept == {} and world.deliveries.kept == {}


def test_where_a_repository_is_follows_from_what_waits_where_nothing_was_done_yet(world):
    world.hub.homes[10] = HOME
    world.tasks.put(review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "1"))
    assert world.do(task(Erase(installation=1, removed=(10,)))) == "0 erased"
    assert world.tasks.forgotten == []


def test_what_github_says_is_still_there_is_erased_all_the_same(world):
    filled(world)
    world.hub.homes[10] = PLACE
    assert world.do(task(Erase(installation=1, removed=(10,)))) == "1 erased"


@pytest.mark.parametrize("error", [IncompleteError("502"), GoneError("it is not there")])
def test_where_github_does_not_say_who_has_it_by_now_it_is_erased_as_was_promised(world, error):
    filled(world)
    world.hub.homes[10] = error
    assert world.do(task(Erase(installation=1, removed=()))) == "2 erased"


def test_a_job_whose_repository_nobody_can_find_ends_there(world):
    world.forge.is_gone = True
    world.hub.homes[10] = IncompleteError("502")
    opened = review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-1")
    assert "not there" in world.do(opened)
    assert world.tasks.tasks == []


def test_a_job_follows_its_repository_once_whatever_crashes(world):
    world.forge.is_gone = True
    world.hub.homes[10] = HOME
    opened = review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-1")
    assert "another account" in world.do(opened)
    world.durables[opened.id].steps.pop()  # it was put, and not remembered
    world.do(opened)
    (found,) = world.tasks.tasks
    assert (found.id, found.turn) == (f"{opened.id}/moved", opened.turn)
    assert isinstance(opened.job, ReviewPull)
    assert found.job == replace(opened.job, place=HOME)


LOOK = task(LookAgain(installation=1, guid="guid-7"))


def seen(world, number, name="us/paper", repository_id=10):
    place = replace(PLACE, repository=name, repository_id=repository_id)
    opened = ReviewPull(place=place, number=number, head=HEAD, reason="pull request opened")
    world.do(review(opened, f"guid-{number}-{repository_id}"))


def test_what_came_while_the_app_could_see_nothing_is_reviewed_and_nothing_older(world):
    for number in (3, 7, 9):
        world.forge.open(number, head=str(number) * 40)
    world.forge.push(HEAD)
    seen(world, 7)
    world.forge.push(NEXT)
    world.forge.open(11, is_draft=True)
    assert world.do(LOOK) == "2 to review"
    assert [item.id for item in world.tasks.tasks] == ["10#7:guid-7", "10#9:guid-7"]


def test_one_repository_that_is_gone_keeps_the_others_from_nothing(world):
    seen(world, 7)
    seen(world, 7, "us/other", 5)
    world.forge.push(NEXT)
    world.forge.failures.append(GoneError("it is not there"))
    assert world.do(LOOK) == "1 to review"


def test_what_is_not_served_is_not_looked_at_again(world):
    seen(world, 7, "them/paper")
    world.forge.push(NEXT)
    assert world.do(LOOK) == "0 to review"
