"""One commit that heads several pull requests, in the Action: whose the checks of its jobs are."""

import os
import random
from collections import Counter

import pytest

from tests.bot.actions_double import NAME, Actions, Pull, ask  # noqa: F401 - a fixture

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.sampled(2),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]

A, B = "a" * 40, "b" * 40
RED = frozenset({(A, "d"), (B, "c")})
"""The commit A has an error against the base d, and B has one against c."""
PROOFS = "pf / proofs"


@pytest.fixture
def actions(world, ask):  # noqa: F811
    return Actions(world, ask, RED)


def work(actions, *runs):
    """Run what has not run, in its order."""
    for run in runs or tuple(actions.runs):
        while not run.is_over and not run.is_killed:
            actions.step(run)


def opened(actions, number, who, base, head=A):
    pull = Pull(number, who, head, base)
    actions.event(pull, "opened")
    return pull


def close(actions, pull):
    pull.is_open = False
    actions.event(pull, "closed")


def seen(actions, name=NAME, head=A):
    """What a rule sees: the newest check of a name, and the set of all."""
    found = [check["conclusion"] for check in actions.named(head, name)]
    return (found[-1], set(found)) if found else (None, set())


@pytest.mark.parametrize("who", ["known", "stranger"])
@pytest.mark.parametrize(("first", "second"), [("c", "d"), ("d", "c")])
def test_a_later_pull_request_of_the_same_commit_moves_no_check(actions, who, first, second):
    opened(actions, 7, "own", first)
    work(actions)
    told = seen(actions)
    assert told[0] == ("failure" if first == "d" else "success")
    later = opened(actions, 9, who, second)
    work(actions)
    assert seen(actions) == told
    assert seen(actions, f"{NAME} (#9)")[0] == ("failure" if second == "d" else "success")
    for action in ("reopened", "edited"):
        actions.event(later, action)
        work(actions)
    assert seen(actions) == told


def both(actions):
    """What a rule sees of both checks."""
    return seen(actions)[0], seen(actions, PROOFS)[0]


@pytest.mark.parametrize("order", ["cd", "dc"])
def test_two_branches_with_two_bases_are_green_only_where_both_comparisons_are(actions, order):
    pulls = []
    for number, base in zip((7, 9), order, strict=True):
        pulls.append(opened(actions, number, "own", base))
        work(actions)
    assert both(actions) == ("failure", "failure"), "GitHub shows them on both"
    right, wrong = sorted(pulls, key=lambda pull: pull.base)
    actions.again(next(run for run in actions.runs if run.pull is right))
    work(actions)
    assert both(actions) == ("failure", "failure"), "whoever is reviewed last"

    close(actions, wrong)
    work(actions)
    assert both(actions) == ("success", "success"), "the other one is gone"
    wrong.is_open = True
    actions.event(wrong, "reopened")
    work(actions)
    assert both(actions) == ("failure", "failure")

    wrong.base = right.base
    actions.event(wrong, "edited")
    work(actions)
    assert both(actions) == ("success", "success"), "one comparison"


def test_one_that_comes_first_by_its_number_is_green_until_the_other_is_re_run(actions):
    """GitHub's check of a job does not say whose it was, and a job is not told of its runs."""
    opened(actions, 9, "own", "d")
    work(actions)
    opened(actions, 7, "own", "c")
    work(actions)
    assert both(actions)[0] == "success"
    actions.again(actions.runs[0])
    work(actions)
    assert both(actions) == ("failure", "failure")


def test_what_was_told_of_another_base_is_taken_back_with_its_own_words(actions):
    opened(actions, 7, "own", "c")
    work(actions)
    before = actions.named(A, PROOFS)[-1]["output"]
    other = opened(actions, 9, "own", "d")
    work(actions)
    lent = actions.named(A, PROOFS)[-1]["output"]
    assert lent["title"] == "See the check “pf / proofs (#9)”"
    other.head = B
    actions.event(other, "synchronize", before=A)
    work(actions)
    assert actions.named(A, PROOFS)[-1]["output"] == before
    assert actions.named(A, NAME)[-1]["output"]["title"] == "No error in the structure"


def test_a_check_that_hands_on_is_not_one_that_was_lent(actions):
    pull = opened(actions, 7, "own", "c")
    work(actions)
    opened(actions, 8, "own", "c")
    other = opened(actions, 9, "own", "d")
    work(actions)
    close(actions, pull)
    work(actions)
    assert both(actions) == ("failure", "failure"), "of #8 now, and #9 is against it still"
    close(actions, other)
    work(actions)
    assert both(actions) == ("success", "success")


def test_one_that_nobody_looked_at_is_not_passed_by_the_other_s_check(actions):
    opened(actions, 7, "own", "c")
    work(actions)
    opened(actions, 9, "own", "d")
    run = actions.runs[-1]
    actions.step(run)
    actions.kill(run)
    actions.again(actions.runs[0])
    work(actions, actions.runs[0])
    assert seen(actions)[0] == "action_required"
    actions.again(run)
    work(actions, run)
    assert seen(actions)[0] == "failure"


@pytest.mark.parametrize(("number", "who"), [(5, "stranger"), (5, "known"), (9, "own")])
def test_whose_comes_first_has_the_name_whoever_was_there_before(actions, number, who):
    opened(actions, number, who, "c")
    work(actions)
    assert seen(actions)[0] == "success"
    opened(actions, 7, "own", "d")
    work(actions)
    assert seen(actions)[0] == "failure"


@pytest.mark.parametrize("who", ["own", "known", "stranger"])
@pytest.mark.parametrize("leaves", ["closed", "synchronize"])
@pytest.mark.parametrize(("first", "second"), [("c", "d"), ("d", "c")])
def test_what_leaves_hands_the_name_on(actions, who, leaves, first, second):
    pull = opened(actions, 7, "own", first)
    opened(actions, 9, who, second)
    work(actions)
    if leaves == "closed":
        close(actions, pull)
    else:
        pull.head = B
        actions.event(pull, "synchronize", before=A)
    work(actions)
    assert seen(actions)[0] == ("failure" if second == "d" else "success")
    if leaves == "closed":
        pull.is_open = True
        actions.event(pull, "reopened")
        work(actions)
        is_red = first == "d" or who == "own"  # then the other one counts, too
        assert seen(actions)[0] == ("failure" if is_red else "success")


def test_two_pushes_in_a_row_leave_nobody_with_the_check_of_the_first_head(actions):
    pull = opened(actions, 7, "own", "c")
    opened(actions, 9, "own", "d")
    work(actions)
    for head, before in ((B, A), ("e" * 40, B)):
        pull.head = head
        actions.event(pull, "synchronize", before=before)
    work(actions)
    assert (seen(actions)[0], seen(actions, PROOFS)[0]) == ("failure", "failure")


def test_the_one_that_left_while_it_was_reviewed_has_no_last_word(actions):
    pull = opened(actions, 7, "own", "c")
    opened(actions, 9, "stranger", "d")
    run, other = actions.runs
    actions.step(run)
    work(actions, other)
    close(actions, pull)
    work(actions, actions.runs[-1])
    work(actions, run)
    assert seen(actions)[0] == "failure"


def test_what_is_under_way_for_the_one_that_is_first_now_is_left_alone(actions):
    pull = opened(actions, 7, "own", "c")
    work(actions)
    close(actions, pull)
    opened(actions, 9, "stranger", "c")
    actions.step(actions.runs[-1])
    count = len(actions.named(A, NAME))
    work(actions, actions.runs[-2])
    assert len(actions.named(A, NAME)) == count
    work(actions)
    assert seen(actions)[0] == "success"


@pytest.mark.parametrize("who", ["own", "stranger"])
def test_what_nobody_has_reviewed_does_not_pass_by_what_another_s_says(actions, who):
    pull = opened(actions, 7, "own", "c")
    work(actions)
    opened(actions, 9, who, "d")
    run = actions.runs[-1]
    actions.step(run)
    close(actions, pull)
    work(actions, actions.runs[-1])
    assert seen(actions)[0] == "action_required"
    work(actions, run)
    # The token of a fork's run may tell nobody; one of the repository's own says it at its end.
    assert seen(actions)[0] == ("failure" if who == "own" else "action_required")
    actions.again(run)
    work(actions, run)
    assert seen(actions)[0] == "failure"


def test_a_run_that_is_not_told_whose_the_check_is_makes_none(actions):
    opened(actions, 7, "own", "c")
    actions.step(actions.runs[0], dies_at=1)
    assert seen(actions) == (None, set())
    assert any(check["conclusion"] == "skipped" for check in actions.world.runs)
    assert all(check["name"] != NAME for check in actions.world.runs)


def test_the_head_of_a_merge_queue_is_no_stranger_s(actions):
    actions.world.branches = {"gh-readonly-queue/main/pr-7-abc": A, "idea": B}
    opened(actions, 9, "stranger", "c")
    work(actions)
    assert seen(actions) == (None, set())
    opened(actions, 8, "stranger", "c", head=B)
    work(actions)
    assert seen(actions, head=B)[0] == "failure"


@pytest.mark.parametrize(("who", "base", "is_told"), [
    ("stranger", "d", True), ("known", "d", True), ("stranger", "c", False), ("own", "d", False),
])  # fmt: skip
def test_where_the_required_check_is_of_another_comparison_the_page_of_the_run_says_so(
    actions, who, base, is_told
):
    opened(actions, 7, "own", "c")
    work(actions)
    opened(actions, 9, who, base)
    said = actions.ask("since", actions.runs[-1].payload, {})["said"]
    assert "The check here is `structure (#9)`." in said
    assert ("it compares with a different base" in said) == is_told


def test_a_pull_request_that_is_second_says_so_where_people_talk(actions):
    opened(actions, 7, "own", "c")
    work(actions)
    opened(actions, 9, "own", "c")
    work(actions)
    (comment,) = actions.world.comments
    assert comment["body"].startswith("This commit is also the head of #7, where its checks are")
    assert "`structure (#9)` and `pf / proofs (#9)`" in comment["body"]


def renew(actions, run):
    """The job that a run begins with where the check of the proofs is required."""
    values = {"PF_TELL": "renewal", "GITHUB_RUN_ID": str(run.id)}
    return actions.ask("publish", run.payload, values)["said"]


def test_while_it_is_reviewed_again_nothing_passes_by_an_earlier_review(actions):
    pull = opened(actions, 7, "own", "c")
    assert renew(actions, actions.runs[0]) == "pf / proofs: no earlier check passes\n"
    work(actions)
    assert seen(actions, PROOFS)[0] == "success"
    pull.base = "d"
    actions.event(pull, "edited")
    assert renew(actions, actions.runs[-1]) == "pf / proofs: reviewed again\n"
    assert seen(actions, PROOFS)[0] == "action_required"
    count = len(actions.named(A, PROOFS))
    work(actions)
    assert seen(actions, PROOFS)[0] == "failure"
    assert len(actions.named(A, PROOFS)) == count, "the same check, which its run concludes"
    renew(actions, actions.runs[-1])
    assert seen(actions, PROOFS)[0] == "failure", "what does not pass stays"


def test_what_is_reviewed_again_takes_nobody_else_s_check_back(actions):
    opened(actions, 7, "own", "c")
    work(actions)
    other = opened(actions, 9, "own", "c")
    work(actions)
    actions.event(other, "edited")
    assert renew(actions, actions.runs[-1]) == "pf / proofs (#9): reviewed again\n"
    assert seen(actions, PROOFS)[0] == "success"
    assert seen(actions, f"{PROOFS} (#9)")[0] == "action_required"
    work(actions)
    assert seen(actions, f"{PROOFS} (#9)")[0] == "success"


def test_other_workflows_jobs_are_not_spoken_for(actions):
    pull = opened(actions, 7, "own", "c")
    run = actions.runs[0]
    work(actions)
    opened(actions, 9, "own", "d")
    work(actions)
    for name in ("build / structure", "structure", "build / structure (#9)"):
        actions._job(run, name, "success")
    count = len(actions.world.runs)
    close(actions, pull)
    work(actions)
    names = [check["name"] for check in actions.world.runs[count:]]
    assert sorted(names) == [PROOFS, NAME]


# At random.

STRANGER_S = ("known", "stranger")


class Story:
    """Events, jobs and deaths of runners at random; what came of it is counted."""

    def __init__(self, actions, seed):
        self.actions, self.random = actions, random.Random(seed)
        self.count: Counter[str] = Counter()
        self.unsaid = set()
        """Heads that a fork's pull request left, whose token can hand nothing on."""

    def happen(self):
        choose, actions = self.random, self.actions
        is_open = [pull for pull in actions.pulls.values() if pull.is_open]
        what = choose.choice(["open", "close", "close", "reopen", "base", "push", "push"])
        if what == "open" or not actions.pulls:
            number = 1 + len(actions.pulls)
            who = choose.choice(["own", "own", "known", "stranger"])
            opened(actions, number, who, choose.choice("cd"), choose.choice([A, A, A, B]))
        elif what == "reopen":
            closed = [pull for pull in actions.pulls.values() if not pull.is_open]
            for pull in choose.sample(closed, min(1, len(closed))):
                pull.is_open = True
                actions.event(pull, "reopened")
        elif is_open:
            pull = choose.choice(is_open)
            self.leaves(pull, what)

    def leaves(self, pull, what):
        actions, head = self.actions, pull.head
        if what == "base":
            pull.base = "d" if pull.base == "c" else "c"
            actions.event(pull, "edited")
            return
        if pull.who != "own" and actions.first(head) is pull:
            self.unsaid.add(head)
        if what == "close":
            close(actions, pull)
        else:
            pull.head = B if head == A else A
            actions.event(pull, "synchronize", before=head)

    def step(self):
        ready = [run for run in self.actions.runs if not run.is_over and not run.is_killed]
        if not ready:
            return
        run = self.random.choice(ready)
        dies_at = self.random.choice([0, 0, 0, 0, 1, 2, 3, 5])
        if run.done == 1 and dies_at:
            self.actions.kill(run)
            self.count["kills"] += 1
            return
        # What was decided when a job was given its name counts, and that is when it began.
        first, told = self.actions.first(run.head), self.told(run.head)
        self.actions.step(run, dies_at)
        self.count["kills"] += run.is_killed
        is_stranger_s = run.pull.who in STRANGER_S and first is not None and first.who == "own"
        if is_stranger_s and run.done == 1 and self.told(run.head) != told:
            self.count["moved by a stranger"] += 1

    def told(self, head):
        return [(check["id"], check["conclusion"]) for check in self.actions.named(head, NAME)]

    def end(self):
        """All runs come to their end, those that died by being re-run."""
        actions = self.actions
        for _ in range(20):
            ready = [run for run in actions.runs if not run.is_over and not run.is_superseded]
            if not ready:
                return
            self.random.shuffle(ready)
            for run in ready:
                if run.is_killed:
                    actions.again(run)
                work(actions, run)
        raise AssertionError("runs without an end")

    def judge(self):
        for head in (A, B):
            first = self.actions.first(head)
            if first is None:
                continue
            names = [NAME, PROOFS] if first.who == "own" else [NAME]
            for name in names:
                self.judge_one(head, name, first)

    def judge_one(self, head, name, first):
        self.count["looked at"] += 1
        # Those from branches count for one another, as GitHub shows the check on all of them.
        at = [pull for pull in self.actions.pulls.values() if pull.is_open and pull.head == head]
        others = [pull for pull in at if pull.who == first.who == "own" and pull.base != first.base]
        is_red = any((head, pull.base) in RED for pull in (first, *others))
        wanted, found = "failure" if is_red else "success", seen(self.actions, name, head)[0]
        if found == "action_required":
            self.count["asked to be re-run"] += 1
            found = self.again(first, head, name)
        for pull in others:
            is_told = seen(self.actions, f"{name} (#{pull.number})", head)[0] is not None
            if found != wanted and not is_told:  # under a name that another has by now
                self.count["to be re-run"] += 1
                found = self.again(pull, head, name)
        if found == wanted:
            return
        if first.who != "own" and head in self.unsaid:
            self.count["left by a fork"] += 1
        elif found is None:
            self.count["lost"] += 1
        else:
            self.count["falsely green" if found == "success" else "wrongly red"] += 1

    def again(self, pull, head, name):
        """What a check says once the last review of a pull request was re-run."""
        latest = [run for run in self.actions.runs if run.pull is pull and run.kind == "review"]
        self.actions.again(latest[-1])
        work(self.actions, latest[-1])
        return seen(self.actions, name, head)[0]


def story(actions, seed, events):
    told = Story(actions, seed)
    for _ in range(events):
        told.happen()
        for _ in range(told.random.randrange(6)):
            told.step()
    told.end()
    told.judge()
    return told.count


BAD = ("lost", "falsely green", "wrongly red", "moved by a stranger")


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_a_check_says_what_its_own_comparison_comes_to(actions, seed):
    actions.is_required = seed % 2 == 0
    count = story(actions, seed, 12)
    assert {name: count[name] for name in BAD} == dict.fromkeys(BAD, 0)
    assert count["kills"]


STORIES = 100 if os.environ.get("PF_STORIES") == "all" else 30


@pytest.mark.acceptance
def test_many_stories_leave_no_check_that_is_another_s(world, ask):  # noqa: F811
    count: Counter[str] = Counter()
    for seed in range(1000, 1000 + STORIES):
        world.runs, world.pulls, world.comments, world.reviews = [], [], [], []
        actions = Actions(world, ask, RED, is_required=seed % 2 == 0)
        count += story(actions, seed, 20)
    assert {name: count[name] for name in BAD} == dict.fromkeys(BAD, 0)
    assert count["looked at"] > STORIES and count["kills"] > 5 * STORIES
