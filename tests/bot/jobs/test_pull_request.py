"""Reviews of pull requests: what is read, what is told, and to which head."""

import errno
from contextlib import suppress
from dataclasses import replace

import pytest

from bot.domain.deliveries import DeliveryError
from bot.domain.forge import PROOFS, STRUCTURE, BusyError, RefusedError, run_path
from bot.domain.job import ReviewPull, review
from bot.domain.run_records import RunState
from bot.domain.worker_context import ReaderUsage
from bot.jobs.pull_request import NO_PAPER, SAME
from pfcore.domain.errors import ConfigError, IncompleteError
from tests.bot.fakes import BASE, DEV, HEAD, NEXT, PLACE, Crash, World, result

STRUCTURED = result("structure", is_read=False)
WAITS = "proofs: waiting for a maintainer"
OPENED = ReviewPull(place=PLACE, number=7, head=HEAD, reason="pull request opened")
TASK = review(OPENED, "guid-1")
DEMAND = review(replace(OPENED, head=None, is_demand=True, reason="/pf check by alice"), "guid-2")
EDITED = review(replace(OPENED, base_ref="dev", reason="pull request edited"), "guid-6")
BACK = review(replace(OPENED, base_ref="main", reason="pull request edited"), "guid-7")
PUSHED = review(replace(OPENED, head=NEXT, reason="pull request synchronize"), "guid-3")


def run_of(world, task=TASK):
    return world.records.runs.get(task.id)


def test_a_pull_request_is_reviewed_and_told_of_step_by_step(world):
    assert world.do(TASK) == ""
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")]
    assert world.forge.said == [
        (STRUCTURE, "a", "success"),
        (PROOFS, "a", None),
        (STRUCTURE, "a", "success"),
        (PROOFS, "a", "success"),
    ]
    assert len(world.forge.remarks) == 1
    run = run_of(world)
    assert (run.state, run.head, run.base, run.number) == (RunState.DONE, HEAD, BASE, 7)
    assert (run.structure, run.proofs) == (STRUCTURED, result("proofs"))
    assert (run.calls, run.input_tokens, run.output_tokens, run.dollars) == (3, 30, 6, 0.5)


def test_results_are_kept_before_they_are_told(world):
    world.forge.failures.extend([None] * 4 + [IncompleteError("502")] * 3)
    world.do(TASK)
    assert run_of(world).structure == STRUCTURED
    assert world.reviewer.read == [("structure", "a")]


@pytest.mark.parametrize("crash", range(1, 11))
def test_after_a_crash_anywhere_it_goes_on_and_nothing_is_said_twice(world, crash):
    try:
        world.do(TASK, crash)
    except Crash:
        world.do(TASK)
    assert run_of(world).state is RunState.DONE
    assert len(world.forge.remarks) == 1
    assert world.forge.checks[PROOFS, HEAD, "pull/7"].conclusion == "success"
    assert len(world.forge.checks) == 2
    # One step may have been done without being remembered; no other is done again.
    assert len(world.reviewer.read) <= 3


def test_a_bad_moment_of_github_passes(world):
    world.forge.failures.append(IncompleteError("502"))
    assert world.do(TASK) == ""
    assert world.durables[TASK.id].slept == [2.0]


def test_a_limit_says_how_long_to_wait(world):
    world.forge.failures.append(BusyError("too many requests", seconds=60.0))
    world.do(TASK)
    assert world.durables[TASK.id].slept == [60.0]


def test_what_fails_for_good_is_said_beside_the_commit(world):
    world.reviewer.failures.extend([IncompleteError("git failed")] * 3)
    assert world.do(TASK) == "git failed"
    assert run_of(world).state is RunState.FAILED
    for name in (STRUCTURE, PROOFS):
        check = world.forge.checks[name, HEAD, "pull/7"]
        assert check.conclusion == "failure"
        assert "git failed" in check.summary and "/pf check" in check.summary


def test_a_refusal_is_not_tried_again(world):
    world.reviewer.failures.append(ConfigError("what is this", path="pf.toml"))
    assert world.do(TASK) == "pf.toml: what is this"
    assert world.durables[TASK.id].slept == []
    assert run_of(world).state is RunState.FAILED


def test_what_github_refuses_is_tried_a_few_times_only(tmp_path):
    world = World(tmp_path)
    world.forge.open()
    world.means = replace(world.means, patience=(1.0,) * 9)
    world.forge.failures.extend([RefusedError("422")] * 99)
    assert world.do(TASK) == "422"
    assert len(world.durables[TASK.id].slept) <= 3 * 2


def test_what_nobody_foresaw_is_tried_again_and_quotes_nothing(world):
    world.reviewer.failures.extend([KeyError("text of the paper")] * 9)
    note = world.do(TASK)
    assert "KeyError" in note and "text of the paper" not in note
    assert len(world.durables[TASK.id].slept) == 2


def test_room_on_a_full_disk_is_waited_for(world):
    world.means = replace(world.means, patience=(1.0,) * 9)
    world.reviewer.failures.extend([OSError(errno.ENOSPC, "No space left", "secret.tex")] * 5)
    note = world.do(TASK)
    assert run_of(world).state is RunState.DONE and "secret" not in note
    assert len(world.durables[TASK.id].slept) == 5


def test_another_fault_of_the_machine_is_not_waited_for(world):
    world.means = replace(world.means, patience=(1.0,) * 9)
    world.reviewer.failures.extend([OSError(errno.EIO, "Input/output error")] * 5)
    assert "OSError" in world.do(TASK)
    assert len(world.durables[TASK.id].slept) == 2


def test_when_nothing_can_be_told_either_the_run_ends_all_the_same(world):
    world.forge.failures.extend([IncompleteError("502")] * 99)
    assert world.do(TASK) == "502"
    assert run_of(world).state is RunState.FAILED


def test_a_repository_that_is_gone_ends_the_run_without_a_word(world):
    world.forge.is_gone = True
    world.do(TASK)
    assert run_of(world).state is RunState.SKIPPED
    assert world.forge.said == []


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"is_open": False}, "closed"),
        ({"is_draft": True}, "draft"),
    ],
)
def test_drafts_and_what_is_closed_are_not_reviewed(world, changes, note):
    world.forge.open(**changes)
    assert note in world.do(TASK)
    assert world.reviewer.read == [] and world.forge.said == []
    assert run_of(world).state is RunState.SKIPPED


def test_where_there_is_no_paper_nothing_is_said_unless_somebody_asks(world):
    world.reviewer.is_absent, world.reviewer.is_readable = True, False
    assert world.do(TASK) == NO_PAPER
    assert run_of(world).state is RunState.SKIPPED
    assert (world.forge.said, world.forge.remarks) == ([], [])
    world.do(DEMAND)
    assert world.forge.said == [] and run_of(world).state is RunState.SKIPPED
    (said,) = world.forge.remarks
    assert "neither a LaTeX file" in said.body and "gets no checks" in said.body


def test_a_draft_is_reviewed_where_somebody_asks(world):
    world.forge.open(is_draft=True)
    assert world.do(DEMAND) == ""


def test_a_pause_holds_until_somebody_asks(world):
    world.records.pulls.pause(PLACE, 7, is_paused=True)
    assert "paused" in world.do(TASK)
    assert world.reviewer.read == [("structure", "a")]
    assert run_of(world).state is RunState.WAITING
    assert world.do(DEMAND) == ""
    assert world.reviewer.read[-1] == ("proofs", "a")


def test_accounts_beside_the_list_are_not_served(tmp_path):
    world = World(tmp_path, accounts=frozenset(("them",)))
    world.forge.open()
    assert "not enabled" in world.do(TASK)
    assert world.forge.asked == []


def test_a_head_that_was_reviewed_is_reviewed_again_only_where_somebody_asks(world):
    world.do(TASK)
    again = review(replace(OPENED, reason="pull request reopened"), "guid-9")
    assert world.do(again) == SAME
    assert world.do(DEMAND) == ""
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")] * 2


REOPENED = review(replace(OPENED, reason="pull request reopened"), "guid-9")


def test_another_base_is_another_review_of_the_same_head(world):
    world.do(TASK)
    world.forge.retarget("dev")
    assert world.do(EDITED) == ""
    assert world.reviewer.subject.trusted == DEV
    assert world.do(REOPENED) == SAME
    world.forge.retarget("main", BASE)
    assert world.do(BACK) == ""
    assert world.reviewer.subject.trusted == BASE


def test_another_commit_of_the_base_is_another_review_where_it_is_asked_for(world):
    world.do(TASK)
    world.forge.retarget("main", DEV)
    assert world.do(REOPENED) == ""


def test_one_that_was_edited_and_reopened_was_not_reviewed_before(world):
    world.do(TASK)
    world.forge.retarget("dev")
    assert world.do(REOPENED) == ""
    assert world.do(EDITED) == SAME


def test_what_another_release_has_kept_says_not_which_base_it_was_of(world):
    world.do(TASK)
    world.records.runs.change(TASK.id, structure=None)
    assert world.do(REOPENED) == ""


def test_a_review_of_another_base_that_came_to_nothing_leaves_none_to_rely_on(world):
    world.do(TASK)
    world.forge.retarget("dev")

    def edit():
        world.forge.retarget("main", BASE)
        world.tasks.put(BACK)

    world.reviewer.during = edit
    assert world.do(EDITED) == "superseded: the base changed"
    assert world.forge.checks[PROOFS, HEAD, "pull/7"].conclusion == "cancelled"
    world.reviewer.during = lambda: None
    assert world.work() == [""]
    assert world.forge.checks[PROOFS, HEAD, "pull/7"].conclusion == "success"


def test_a_review_against_a_base_that_is_another_meanwhile_is_told_no_more(world):
    world.reviewer.during = lambda: world.forge.retarget("dev")
    assert world.do(TASK) == "superseded: the base changed"
    assert world.forge.remarks == []
    assert world.do(EDITED) == ""


def test_github_is_given_a_moment_to_know_of_the_base_that_it_told_us_of(world):
    world.do(TASK)
    assert world.do(EDITED) == "superseded: the base changed"
    assert world.durables[EDITED.id].slept == [15.0]
    assert world.states() == ["done", "superseded"]


def test_github_is_given_a_moment_to_know_of_the_head_that_it_told_us_of(world):
    world.do(TASK)
    assert "newer commit" in world.do(PUSHED)
    assert world.durables[PUSHED.id].slept == [15.0]
    assert run_of(world, PUSHED).state is RunState.SUPERSEDED


def test_a_delivery_that_comes_late_is_about_a_head_that_is_gone(world):
    world.forge.push(NEXT)
    assert world.do(PUSHED) == ""
    assert "newer commit" in world.do(TASK)
    assert run_of(world).state is RunState.SUPERSEDED
    assert world.reviewer.read == [("structure", "c"), ("proofs", "c")]


def test_a_newer_push_ends_the_reading(world):
    def push():
        world.forge.push(NEXT)
        world.tasks.put(PUSHED)

    world.reviewer.during = push
    assert "newer commit" in world.do(TASK)
    world.reviewer.during = lambda: None
    assert world.work() == [""]
    assert world.states() == ["superseded", "done"]
    assert world.forge.checks[PROOFS, HEAD, "pull/7"].conclusion == "cancelled"
    assert world.forge.checks[PROOFS, NEXT, "pull/7"].conclusion == "success"
    assert len(world.forge.remarks) == 1


def test_who_reads_hears_that_it_is_over(world):
    heard = []

    def push():
        world.forge.push(NEXT)
        world.tasks.put(PUSHED)
        terms = world.reviewer.terms
        terms.note(ReaderUsage(dollars=0.1))
        terms.note(ReaderUsage(dollars=0.2))
        heard.append(terms.is_over())

    world.reviewer.during = push
    world.do(TASK)
    assert heard == [True]
    assert run_of(world).dollars == 0.5


def test_who_cannot_be_asked_whether_it_is_over_is_asked_later(world):
    def fail():
        world.tasks.put(PUSHED)
        world.forge.failures.append(IncompleteError("502"))
        world.reviewer.terms.note(ReaderUsage(dollars=0.1))
        world.reviewer.terms.note(ReaderUsage(dollars=0.2))
        assert not world.reviewer.terms.is_over()

    world.reviewer.during = fail
    assert world.do(TASK) == ""


def test_an_older_delivery_that_waits_ends_nothing(world):
    world.forge.push(NEXT)
    world.tasks.put(TASK)
    assert world.do(PUSHED) == ""
    world.work()
    assert sorted(world.states()) == ["done", "superseded"]


def test_a_head_that_is_pushed_away_by_force_is_told_nothing(world):
    world.reviewer.during = lambda: world.forge.push(NEXT)
    assert "newer commit" in world.do(TASK)
    assert world.forge.remarks == []
    assert world.forge.checks[PROOFS, HEAD, "pull/7"].conclusion == "cancelled"


@pytest.mark.parametrize("crash", range(1, 11))
def test_a_newer_push_while_a_worker_is_dead_leaves_no_check_in_progress(world, crash):
    with suppress(Crash):
        world.do(TASK, crash)
    world.forge.push(NEXT)
    world.tasks.put(PUSHED)
    world.do(TASK)
    world.work()
    open_ = [key for key, check in world.forge.checks.items() if check.conclusion is None]
    assert open_ == []
    assert world.forge.checks[PROOFS, NEXT, "pull/7"].conclusion == "success"


def test_closing_a_pull_request_ends_its_review(world):
    closed = review(replace(OPENED, is_closing=True, reason="pull request closed"), "guid-4")

    def close():
        world.forge.open(is_open=False)
        world.tasks.put(closed)

    world.reviewer.during = close
    assert "closed" in world.do(TASK)
    assert world.work() == ["closed"]
    assert world.reviewer.forgotten == [7]
    assert world.states() == ["superseded"]


def test_somebody_who_asks_takes_the_place_of_what_goes_on(world):
    world.reviewer.during = lambda: world.tasks.put(DEMAND)
    assert "newer review" in world.do(TASK)
    world.reviewer.during = lambda: None
    assert world.work() == [""]


def test_who_asks_for_an_older_commit_again_ends_no_review_of_what_is_there_now(world):
    world.forge.push(NEXT)
    older = replace(OPENED, is_demand=True, reason="re-run by alice")
    world.reviewer.during = lambda: world.tasks.put(review(older, "guid-5"))
    assert world.do(PUSHED) == ""
    assert world.forge.checks[PROOFS, NEXT, "pull/7"].conclusion == "success"
    assert world.work() == ["superseded by a newer commit"]


def test_what_is_read_once_more_leaves_nothing_else_unread(world):
    wish = replace(OPENED, head=None, is_demand=True, anew=("abcdefgh",))
    world.reviewer.during = lambda: world.tasks.put(review(wish, "guid-5"))
    assert world.do(TASK) == ""
    assert world.work() == [""]


@pytest.mark.parametrize(
    ("later", "reads"),
    [
        (("abcdefgh", "zyxwvuts"), [("zyxwvuts", "abcdefgh")]),
        (("zyxwvuts",), [("abcdefgh",), ("zyxwvuts",)]),
        ((), [("abcdefgh",), ()]),
    ],
)
def test_what_is_to_be_read_anew_is_lost_by_no_later_wish(world, later, reads):
    wish = replace(OPENED, head=None, is_demand=True, anew=("abcdefgh",))
    world.tasks.put(review(wish, "guid-5"))
    world.tasks.put(review(replace(wish, anew=later), "guid-6"))
    seen = []
    world.reviewer.during = lambda: seen.append(world.reviewer.subject.anew)
    world.work()
    assert [set(item) for item in seen] == [set(item) for item in reads]


def test_what_affects_no_proof_is_read_by_nobody(world):
    world.reviewer.is_readable = False
    world.do(TASK)
    assert world.reviewer.read == [("structure", "a")]
    assert set(world.forge.said) == {(STRUCTURE, "a", "success"), (PROOFS, "a", "success")}


def test_without_a_model_there_is_no_check_of_proofs_not_even_when_it_fails(world):
    world.reviewer.has_model = False
    assert "no model" in world.do(TASK)
    assert {name for name, _, _ in world.forge.said} == {STRUCTURE}
    world.reviewer.failures.extend([IncompleteError("git failed")] * 3)
    world.do(DEMAND)
    assert {name for name, _, _ in world.forge.said} == {STRUCTURE}


def test_checks_lead_to_the_page_of_their_run(tmp_path):
    world = World(tmp_path, public_url="https://pf.example.org")
    world.forge.open()
    world.do(TASK)
    details = {check.details for check in world.forge.checks.values()}
    assert details == {f"https://pf.example.org{run_path(TASK.id)}"}


def test_the_proofs_of_a_fork_are_read_when_a_maintainer_agreed_to_that_head(world):
    world.forge.open(is_fork=True)
    assert world.do(TASK) == WAITS
    assert run_of(world).state is RunState.WAITING
    assert world.reviewer.read == [("structure", "a")]
    world.records.pulls.agree(PLACE, 7, HEAD)
    assert world.do(DEMAND) == ""
    assert world.reviewer.read[-1] == ("proofs", "a")
    world.forge.push(NEXT)
    assert world.do(PUSHED) == WAITS


def test_money_of_other_runs_counts_and_that_of_this_one_is_known(world):
    spent: list[float] = []

    def look():
        terms = world.reviewer.terms
        spent.extend((terms.today(), terms.left(), terms.spent))

    world.reviewer.during = look
    world.do(TASK)
    assert spent == [0.0, 25.0, 0.0]
    spent.clear()
    world.do(DEMAND)
    assert spent == [0.5, 24.5, 0.0]


def test_what_a_crash_has_cost_is_not_forgotten(world):
    with pytest.raises(Crash):
        world.do(TASK, 6)
    assert run_of(world).dollars == 0.5
    seen = []
    world.reviewer.during = lambda: seen.append(world.reviewer.terms.spent)
    world.do(TASK)
    assert seen == [0.5]
    assert run_of(world).dollars == 1.0


def test_what_is_erased_while_it_is_reviewed_stays_erased(world):
    world.reviewer.during = lambda: world.records.erase(1)
    assert "deleted" in world.do(TASK)
    assert world.records.runs.kept == {}
    assert world.forge.remarks == []


def test_a_queue_that_does_not_answer_is_asked_again(world):
    waiting, faults = world.tasks.waiting, [DeliveryError("locked")]

    def broken(prefix):
        if faults:
            raise faults.pop()
        return waiting(prefix)

    world.tasks.waiting = broken
    assert world.do(TASK) == ""


def test_the_log_of_a_run_tells_of_steps_and_quotes_nothing(world):
    world.reviewer.failures.append(IncompleteError("text of the paper"))
    world.do(TASK)
    lines = [item.line for item in run_of(world).log]
    assert lines[:4] == [
        "begin: done",
        "look: done",
        "structure: will be retried",
        "structure: done",
    ]
    assert lines[-1] == "end: done"


def test_a_log_that_fails_stands_in_nobodys_way(world):
    def log(run, line):
        raise IncompleteError("locked")

    world.records.runs.log = log
    assert world.do(TASK) == ""


def summary(world):
    return world.forge.checks[PROOFS, HEAD, "pull/7"].summary


def test_a_model_that_did_not_answer_is_asked_again_and_the_check_says_when(world):
    world.reviewer.lost = 2
    note = world.do(TASK)
    assert "Next attempt: 1970-01-12 1" in note and note in summary(world)
    assert run_of(world).state is RunState.DONE
    (task,) = world.tasks.later
    assert (task.id, task.turn, task.delay) == (f"{TASK.id}/again", TASK.turn, 600.0)
    world.reviewer.lost = 0
    world.tasks.wake()
    assert world.work() == [""]
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")] * 2
    assert "answer" not in summary(world) and world.tasks.later == []
    assert run_of(world, task).reason == "attempt 2: the model did not answer"


def test_a_model_that_never_answers_is_asked_a_few_times_only(world):
    world.reviewer.lost = 1
    world.do(TASK)
    pauses = []
    while world.tasks.later:
        pauses += [task.delay for task in world.tasks.later]
        world.tasks.wake()
        (note,) = world.work()
    assert pauses == [600.0, 3600.0, 21600.0]
    assert "(4 of 4 attempts). No further attempt is made" in note and note in summary(world)


@pytest.mark.parametrize("crash", range(6, 12))
def test_a_crash_puts_no_second_try(world, crash):
    world.reviewer.lost = 1
    try:
        world.do(TASK, crash)
    except Crash:
        world.do(TASK)
    assert [task.delay for task in world.tasks.later] == [600.0]


@pytest.mark.parametrize("is_demand", [True, False])
def test_it_is_not_asked_again_of_another_head(world, is_demand):
    world.reviewer.lost = 1
    world.do(DEMAND if is_demand else TASK)
    world.forge.push(NEXT)
    world.tasks.wake()
    assert "newer commit" in world.work()[0]
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")]


@pytest.mark.parametrize(
    ("changes", "note"), [({"is_open": False}, "closed"), ({"is_draft": True}, "")]
)
def test_what_is_closed_is_not_read_again_and_a_draft_is_that_was_asked_for(world, changes, note):
    world.reviewer.lost = 1
    world.do(DEMAND)
    world.reviewer.lost = 0
    world.forge.open(**changes)
    world.tasks.wake()
    assert note in world.work()[0]
    assert len(world.reviewer.read) == (2 if note else 4)


def test_it_is_not_asked_again_where_somebody_has_asked_since(world):
    world.reviewer.lost = 1
    world.do(TASK)
    world.reviewer.lost = 0
    world.do(DEMAND)
    world.tasks.wake()
    assert world.work() == ["replaced by a newer review"]
    assert world.do(review(replace(OPENED, reason="reopened"), "guid-9"))


def test_what_came_to_nothing_since_is_no_reason_not_to_ask_again(world):
    world.reviewer.lost = 1
    world.do(TASK)
    assert "already reviewed" in world.do(review(replace(OPENED, reason="reopened"), "guid-9"))
    world.reviewer.lost = 0
    world.tasks.wake()
    assert world.work() == [""]


def test_another_try_takes_nobodys_place(world):
    world.reviewer.lost = 1
    world.do(DEMAND)
    world.reviewer.lost = 0
    world.reviewer.during = world.tasks.wake
    assert world.do(review(replace(OPENED, head=None, is_demand=True), "guid-5")) == ""


def test_a_paused_pull_request_waits_for_its_next_try_too(world):
    world.reviewer.lost = 1
    world.do(TASK)
    world.records.pulls.pause(PLACE, 7, is_paused=True)
    world.tasks.wake()
    assert "paused" in world.work()[0]
    assert world.reviewer.read[-1] == ("known", "a")


def test_a_review_knows_whether_the_one_before_was_of_another_comparison(world):
    seen = []
    changes = world.reviewer.changes

    def noted(told, existing):
        seen.append(told.is_rebased)
        return changes(told, existing)

    world.reviewer.changes = noted
    world.do(TASK)
    world.do(DEMAND)
    world.forge.retarget("dev")
    world.do(EDITED)
    world.forge.push(NEXT)
    world.do(PUSHED)
    assert seen == [False, False, True, False]
