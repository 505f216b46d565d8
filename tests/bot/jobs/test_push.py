"""Pushes to branches: what is read ahead, what is checked."""

from dataclasses import replace

import pytest

from bot.domain.forge import PROOFS, STRUCTURE, DefaultBranch, GoneError, RefusedError
from bot.domain.job import Queue, QueuedJob, ReviewBranch, ReviewPull, review
from bot.domain.run_records import RunState
from bot.domain.worker_context import ReaderUsage
from pfcore.domain.errors import IncompleteError
from pfcore.domain.paper_settings import AppDefaults
from tests.bot.fakes import BASE, HEAD, NEXT, PLACE, World

PUSH = ReviewBranch(
    place=PLACE, branch="main", before=BASE, after=HEAD, is_default=True, sender="alice"
)
KEY = "push"


def task(guid="guid-1", **changes):
    job = replace(PUSH, **changes)
    return QueuedJob(id=f"10@abc:{guid}", queue=Queue.REVIEWS, turn="10@abc:", job=job)


BRANCH = task(is_default=False, branch="idea")


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.mark.parametrize("fault", ["proofs", "structure"])
def test_what_a_push_left_unread_is_part_of_the_next_one(world, fault):
    world.reviewer.is_read, world.reviewer.is_cut = fault != "proofs", fault == "structure"
    world.do(task())
    last = "e" * 40
    world.do(task("guid-2", before=HEAD, after=NEXT))
    assert world.reviewer.subject.base == BASE
    world.reviewer.is_read, world.reviewer.is_cut = True, False
    world.do(task("guid-3", before=NEXT, after=last))
    assert world.reviewer.subject.base == BASE
    world.do(task("guid-4", before=last, after="f" * 40))
    assert world.reviewer.subject.base == last


def test_without_a_model_a_push_is_reviewed_without_its_proofs(world):
    world.reviewer.has_model = False
    world.do(task())
    world.do(task("guid-2", before=HEAD, after=NEXT))
    assert world.reviewer.subject.base == HEAD


def test_a_push_to_the_default_branch_is_read_ahead_in_silence(world):
    world.reviewer.is_wanted = False
    assert world.do(task()) == ""
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")]
    assert world.forge.said == []
    (run,) = world.records.runs.kept.values()
    assert (run.state, run.head, run.base, run.reason) == (
        RunState.DONE,
        HEAD,
        BASE,
        "push to main",
    )
    assert (run.branch, run.is_default, run.dollars) == ("main", True, 0.5)


def test_another_branch_is_looked_at_where_that_is_wanted_only(world):
    world.reviewer.is_wanted = False
    assert "not enabled" in world.do(task(is_default=False))
    assert world.reviewer.read == []
    assert world.forge.asked == ["pulls", "default_branch", "origin"]
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


@pytest.mark.parametrize(
    ("said", "tip", "line"),
    [
        (["an issue was opened"], HEAD, "an issue was opened"),
        (["an issue was opened"], NEXT, "the default branch has newer commits"),
        ([GoneError("no issues here")], HEAD, "no issues here"),
        ([RefusedError("no right")] * 9, HEAD, "the issue was not changed: no right"),
        ([IncompleteError("busy"), "an issue was opened"], HEAD, "an issue was opened"),
    ],
)
def test_a_review_is_done_whatever_becomes_of_the_issue(world, said, tip, line):
    world.reviewer.issues.extend(said)
    world.forge.default_branch = lambda: DefaultBranch(name="main", tip=tip)
    world.reviewer.asked_of_app = lambda place, commit, origin: AppDefaults(issue=True)
    assert world.do(task()) == ""
    (run,) = world.records.runs.kept.values()
    assert run.state is RunState.DONE
    assert line in [item.line for item in run.log]


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


def test_a_branch_made_at_a_reviewed_commit_is_the_same_comparison(world):
    """Compared with itself it would pass, whatever was found."""
    world.do(task())
    world.forge.parted[BASE, HEAD] = HEAD
    world.do(task("guid-2", is_default=False, branch="side", before=None))
    assert (world.reviewer.subject.base, world.reviewer.subject.head) == (BASE, HEAD)


def test_a_default_branch_set_back_is_compared_as_before(world):
    world.do(task())
    world.do(task("guid-2", before=HEAD, after=NEXT))
    world.forge.parted[NEXT, HEAD] = HEAD
    world.do(task("guid-3", before=NEXT, after=HEAD))
    assert (world.reviewer.subject.base, world.reviewer.subject.head) == (BASE, HEAD)


def test_a_commit_that_was_read_as_a_whole_stays_so(world):
    world.do(task(before=None))
    world.forge.parted[BASE, HEAD] = HEAD
    world.do(task("guid-2", is_default=False, branch="side", before=None))
    assert world.reviewer.subject.base is None


def test_a_check_that_outlived_its_run_gives_way_to_no_empty_comparison(world):
    world.do(task())
    world.records.runs.kept.clear()
    told = list(world.forge.said)
    world.forge.parted[BASE, HEAD] = HEAD
    note = world.do(task("guid-2", is_default=False, branch="side", before=None))
    assert note == "this commit was reviewed before"
    assert world.forge.said == told


def test_what_a_merge_queue_compared_widens_no_push(world):
    world.do(task(branch="gh-readonly-queue/main/pr-7-x", is_default=False))
    world.forge.parted[BASE, HEAD] = NEXT
    world.do(task("guid-2", is_default=False, branch="side", before=None))
    assert world.reviewer.subject.base == NEXT


def test_the_first_push_of_all_is_read_as_a_whole(world):
    world.do(task(before=None))
    assert (world.reviewer.subject.trusted, world.reviewer.subject.base) == (BASE, None)


def test_a_branch_that_moved_on_is_read_where_it_is_now(world):
    world.reviewer.during = lambda: world.tasks.put(task("guid-2", after="c" * 40))
    assert world.do(task()) == "the branch has newer commits"
    world.reviewer.during = lambda: None
    assert world.work() == [""]
    assert world.states() == ["superseded", "done"]


def test_what_a_newer_push_to_the_default_branch_kept_unread_is_read_with_it(world):
    world.do(task("guid-0", before=None, after=BASE))
    last = "d" * 40
    world.reviewer.during = lambda: world.tasks.put(task("guid-2", before=HEAD, after=last))
    assert world.do(task(before=BASE)) == "the branch has newer commits"
    world.reviewer.during = lambda: None
    assert world.work() == [""]
    assert (world.reviewer.subject.base, world.reviewer.subject.head) == (BASE, last)


@pytest.mark.parametrize("when", ["while it is read", "before it begins"])
@pytest.mark.parametrize(("before", "base"), [(BASE, BASE), (None, None)])
def test_of_a_burst_before_any_review_all_is_read_with_the_last_push(world, when, before, base):
    third, last = "d" * 40, "e" * 40

    def push(guid, before, after):
        return lambda: world.tasks.put(task(guid, before=before, after=after))

    if when == "before it begins":
        push("guid-2", HEAD, third)()
    world.reviewer.during = push("guid-2", HEAD, third)
    assert world.do(task(before=before)) == "the branch has newer commits"
    world.reviewer.during = push("guid-3", third, last)
    world.work()
    world.reviewer.during = lambda: None
    world.work()
    assert (world.reviewer.subject.base, world.reviewer.subject.head) == (base, last)
    assert "done" in world.states()


def test_what_failed_before_any_review_is_read_with_the_next_push(world):
    world.forge.failures.extend([IncompleteError("GitHub is down")] * 99)
    world.do(task())
    world.forge.failures.clear()
    world.do(task("guid-2", before=HEAD, after=NEXT))
    assert world.reviewer.subject.base == BASE


@pytest.mark.parametrize("fault", ["unread", "failed"])
@pytest.mark.parametrize("is_whole", [True, False])
def test_a_re_run_that_a_person_asked_for_has_no_later_push_read_the_whole_paper(
    world, fault, is_whole
):
    world.do(task())
    again = task("guid-2", before=None if is_whole else BASE, is_demand=True)
    if fault == "unread":
        world.reviewer.is_read = False
        world.do(again)
    else:
        world.reviewer.during = lambda: world.forge.failures.extend([IncompleteError("down")] * 99)
        world.do(again)
        world.forge.failures.clear()
    world.reviewer.is_read, world.reviewer.during = True, lambda: None
    assert len(world.records.runs.kept) == 2
    world.do(task("guid-3", before=HEAD, after=NEXT))
    assert world.reviewer.subject.base == HEAD


def test_a_re_run_of_the_whole_paper_counts_where_it_was_read_to_its_end(world):
    world.reviewer.is_read = False
    world.do(task())
    world.reviewer.is_read = True
    world.do(task("guid-2", before=None, is_demand=True))
    world.do(task("guid-3", before=HEAD, after=NEXT))
    assert world.reviewer.subject.base == HEAD


def test_of_an_account_that_is_not_served_nothing_is_kept(world):
    world.means = replace(world.means, settings=replace(world.means.settings, accounts=("x",)))
    world.tasks.put(task("guid-2", after="c" * 40))
    world.do(task())
    assert world.states() == []


def test_an_older_push_that_comes_late_is_read_from_where_it_began(world):
    world.do(task("guid-0", before=HEAD, after=NEXT))
    world.forge.parted[NEXT, HEAD] = HEAD
    world.do(task())
    assert world.reviewer.subject.base == BASE


def test_where_what_was_read_last_is_gone_a_push_is_read_from_where_it_began(world):
    world.do(task("guid-0", before=None, after=NEXT))
    world.forge.failures.extend([None, None, None, None, GoneError("there is no such commit")])
    assert world.do(task()) == ""
    assert world.reviewer.subject.base == BASE


def test_a_reader_hears_that_a_branch_has_moved_on(world):
    heard = []

    def push():
        world.tasks.put(task("guid-2"))
        for _ in range(3):
            world.reviewer.terms.note(ReaderUsage(dollars=0.1))
        heard.append(world.reviewer.terms.is_over())

    world.reviewer.during = push
    world.do(task())
    assert heard == [True]


def test_what_fails_for_good_is_kept_with_the_run(world):
    world.reviewer.failures.extend([IncompleteError("git failed")] * 3)
    assert world.do(task()) == "git failed"


def test_accounts_beside_the_list_are_not_served(tmp_path):
    world = World(tmp_path, accounts=frozenset(("them",)))
    assert "not enabled" in world.do(task())
    assert world.forge.asked == []


def test_what_is_erased_meanwhile_stays_erased(world):
    world.reviewer.during = lambda: world.records.erase(1)
    world.do(task())
    assert world.records.runs.kept == {}


def conclusions(world):
    """What is said of the commit, by the names of its checks; each may be there once."""
    names = [name for name, _, _ in world.forge.checks]
    assert len(names) == len(set(names))
    return {check.name: (check.conclusion, check.key) for check in world.forge.checks.values()}


@pytest.mark.parametrize("head", [HEAD, NEXT])
def test_a_push_says_nothing_of_the_head_of_a_pull_request(world, head):
    """GitHub may not know yet that the pull request has the head that was pushed."""
    world.forge.open(head=head, branch="idea" if head == NEXT else "same")
    assert world.do(BRANCH) == "this is the head of #7"
    assert world.reviewer.read == [] and world.forge.said == []
    assert world.records.runs.kept == {}


@pytest.mark.parametrize("changes", [{"is_fork": True}, {"is_draft": True}, {"is_open": False}])
def test_it_speaks_where_the_pull_request_is_not_reviewed_or_a_strangers(world, changes):
    world.forge.open(branch="idea", **changes)
    assert world.do(BRANCH) == ""
    assert conclusions(world) == {STRUCTURE: ("success", KEY), PROOFS: ("success", KEY)}


def test_a_push_to_the_default_branch_is_read_whatever_pull_request_has_it(world):
    world.forge.open()
    world.do(task())
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")]
    assert world.forge.said == []


def test_a_push_to_the_default_branch_falls_silent_and_reads_on(world):
    world.reviewer.during = world.forge.open
    assert world.do(task()) == ""
    assert world.forge.said == [
        (STRUCTURE, "a", "success"),
        (PROOFS, "a", None),
        (PROOFS, "a", "cancelled"),
    ]
    assert world.states() == ["done"]


@pytest.mark.parametrize("push", [BRANCH, task()])
def test_a_pull_request_that_is_closed_again_before_it_speaks_leaves_no_check_open(world, push):
    world.reviewer.during = world.forge.open
    world.do(push)
    world.forge.heads[7] = replace(world.forge.heads[7], is_open=False)
    opened = ReviewPull(place=PLACE, number=7, head=HEAD, reason="pull request opened")
    assert world.do(review(opened, "guid-7")) == "the pull request is closed"
    world.do(review(replace(opened, is_closing=True), "guid-8"))
    assert conclusions(world) == {STRUCTURE: ("success", KEY), PROOFS: ("cancelled", KEY)}
    assert "re-run this check" in world.forge.checks[PROOFS, HEAD, KEY].summary


def test_what_a_pull_request_has_taken_over_is_left_to_it(world):
    def opened():
        world.forge.open()
        world.reviewer.during = lambda: None
        world.do(review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-7"))

    world.reviewer.during = opened
    assert world.do(BRANCH) == "this is the head of #7 now"
    assert conclusions(world) == {STRUCTURE: ("success", "pull/7"), PROOFS: ("success", "pull/7")}


def test_where_the_check_cannot_be_closed_the_run_ends_all_the_same(world):
    def opened():
        world.forge.open()
        world.forge.failures.extend([None, IncompleteError("502"), IncompleteError("502")])
        world.forge.failures.append(IncompleteError("502"))

    world.reviewer.during = opened
    assert world.do(BRANCH) == "this is the head of #7 now"
    assert world.states() == ["superseded"]


def test_a_paused_pull_request_is_not_read_through_its_push(world):
    world.records.pulls.pause(PLACE, 7, is_paused=True)
    put = world.forge.conclude

    def opened_meanwhile(check):
        put(check)
        world.forge.open()

    world.forge.conclude = opened_meanwhile
    assert world.do(BRANCH) == "this is the head of #7 now"
    assert world.reviewer.read == [("structure", "a")]
    assert world.states() == ["superseded"]
    world.forge.conclude = put
    opened = ReviewPull(place=PLACE, number=7, head=HEAD, reason="pull request opened")
    world.do(review(opened, "guid-7"))
    assert conclusions(world) == {STRUCTURE: ("success", "pull/7"), PROOFS: ("success", "pull/7")}
    assert world.reviewer.read[1:] == [("structure", "a")]


def test_a_pull_request_takes_over_what_a_push_has_said(world):
    world.do(BRANCH)
    world.forge.open()
    world.do(review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-7"))
    assert conclusions(world) == {STRUCTURE: ("success", "pull/7"), PROOFS: ("success", "pull/7")}


def test_a_strangers_pull_request_takes_nothing_over(world):
    world.do(BRANCH)
    world.forge.open(is_fork=True)
    world.do(review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-7"))
    assert conclusions(world)[PROOFS] == ("success", KEY)
    own = world.forge.checks[f"{PROOFS} (#7)", HEAD, "pull/7"]
    assert own.conclusion == "action_required"


def test_a_push_takes_the_names_that_a_stranger_had(world):
    world.forge.open(is_fork=True)
    world.do(review(ReviewPull(place=PLACE, number=7, head=HEAD, reason="opened"), "guid-7"))
    world.do(BRANCH)
    assert world.forge.checks[PROOFS, HEAD, KEY].conclusion == "success"
    assert (PROOFS, HEAD, "pull/7") not in world.forge.checks
    world.work()
    own = world.forge.checks[f"{PROOFS} (#7)", HEAD, "pull/7"]
    assert own.conclusion == "action_required"


def test_what_fails_is_said_beside_the_commit_that_is_to_be_checked(world):
    world.reviewer.failures.extend([IncompleteError("git failed")] * 3)
    assert world.do(BRANCH) == "git failed"
    for name in (STRUCTURE, PROOFS):
        check = world.forge.checks[name, HEAD, KEY]
        assert check.conclusion == "failure"
        assert "git failed" in check.summary and "Re-run" in check.summary


def test_what_moves_on_while_it_is_read_leaves_no_check_open(world):
    world.reviewer.during = lambda: world.tasks.put(replace_head(NEXT))
    world.do(BRANCH)
    assert conclusions(world) == {STRUCTURE: ("success", KEY), PROOFS: ("cancelled", KEY)}


def replace_head(head, guid="guid-2", **changes):
    return task(guid, is_default=False, branch="idea", after=head, **changes)


def test_what_is_asked_for_again_is_reviewed_again(world):
    world.do(BRANCH)
    assert world.do(replace_head(HEAD, is_demand=True)) == ""
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")] * 2
    assert conclusions(world) == {STRUCTURE: ("success", KEY), PROOFS: ("success", KEY)}
    reasons = [run.reason for run in world.records.runs.kept.values()]
    assert reasons == ["push to idea", "re-run of idea by alice"]


@pytest.mark.parametrize(
    ("at_work", "waiting", "is_ended"),
    [
        (replace_head(HEAD), replace_head(NEXT, "guid-3", is_demand=True), False),
        (replace_head(HEAD, is_demand=True), replace_head(NEXT, "guid-3"), False),
        (replace_head(HEAD), replace_head(HEAD, "guid-3", is_demand=True), True),
        (replace_head(HEAD), replace_head(NEXT, "guid-3"), True),
    ],
)
def test_a_re_run_of_one_commit_ends_no_review_of_another(world, at_work, waiting, is_ended):
    world.reviewer.during = lambda: world.tasks.put(waiting)
    assert (world.do(at_work) == "the branch has newer commits") is is_ended
