"""What happens to a review by the Action, told by a GitHub that was written from its documentation.

The story of the App once more, event by event, for the workflow of the page: what is lost, posted
twice, stuck, falsely green or wrongly red at a head, as the newest check of a name tells. Between,
a job's words to GitHub fail in turn: their answer is lost, or they are refused; whoever sees a red
job re-runs it. Each event is told alone, and every third with a fault; all with each where
PF_STORIES=all.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.domain.comment import read_mark
from pfcore.cli.github_actions import DO_NOT_READ
from tests.acceptance.documented_actions import DocumentedActions
from tests.acceptance.documented_github import RequestFault
from tests.acceptance.documented_rest import DocumentedServer, PaperHistory, documented
from tests.acceptance.test_documented_story import written
from tests.pfcore.cli.conftest import LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

SOUND = LEMMA % ("sound", "Every form is positive", "It is a sum of squares.")
MORE = LEMMA % ("more", "Sums of forms are forms", "Clear.")
WRONG = LEMMA % ("wrong", "The trace is odd", r"By \ref{nowhere}.")
CITES = LEMMA % ("cites", "The trace is positive", r"By \ref{sound}.")
NAME, PROOFS, PUSHED = "review / structure", "pf / proofs", "review / structure (push)"
GREEN, RED, ABSENT = "success", "failure", "missing"
WAITING = "action_required"
FAULTS = ("lost", "down", "secondary", "revoked")


class ActionStory(PaperHistory):
    """A GitHub with a paper and the workflow of the page; `expected` by commit and check."""

    def __init__(self, github: DocumentedServer, folder: Path, document) -> None:
        super().__init__(github, document, "alice", "bob")
        self.tally, self.expected = Counter[str](), dict[tuple[str, str], str]()
        self.actions = DocumentedActions(github, self.here, folder, model="m")
        self.base = self.put("main", SOUND)
        self.actions.settle()

    def require(self, number: int, conclusion: str, *, suffix: str = "") -> None:
        """What a rule is to see in the end at the head of a pull request."""
        self.expected[self.head(number), f"{NAME}{suffix}"] = conclusion
        if (self.here.pulls[number]["head"]["repo"] or {}).get("id") == self.here.id:
            self.expected[self.head(number), f"{PROOFS}{suffix}"] = GREEN

    def judge(self) -> None:
        """Count what is there against what is to be."""
        for (commit, name), wanted in self.expected.items():
            seen = self.github.required(self.here, commit, name)
            self.tally["looked at"] += 1
            if seen == "missing":
                self.tally["lost"] += wanted != ABSENT
            elif seen == "pending":
                self.tally["stuck"] += 1
            elif seen == GREEN != wanted:
                self.tally["falsely green"] += 1
            elif seen != wanted:
                self.tally["wrongly red"] += 1
        for number in self.here.pulls:
            for there in (self.here.comments, self.here.remarks, self.here.reviews):
                said = [read_mark(item["body"]) for item in there if item["number"] == number]
                keys = Counter(mark.key for mark in said if mark and mark.state.value == "open")
                self.tally["posted twice"] += sum(count - 1 for count in keys.values())

    def end(self) -> None:
        """Nothing of what is counted happened, and something was looked at."""
        looked = self.tally.pop("looked at", 0)
        assert looked and not +self.tally, (dict(self.tally), self.checks())

    def checks(self) -> list[tuple[str, str, str]]:
        """What there is, for whoever looks at a failure."""
        return [(it["head_sha"][:7], it["name"], it["conclusion"]) for it in self.here.checks]


@pytest.fixture
def github(tmp_path: Path) -> Iterator[DocumentedServer]:
    yield from documented(tmp_path)


@pytest.fixture
def story(github: DocumentedServer, tmp_path: Path, document) -> ActionStory:
    return ActionStory(github, tmp_path / "runner", document)


ACTS: dict[str, Callable[[ActionStory], int]] = {}
"""What happens; each says how many of the runs that are begun last are cancelled."""


def act(happens: Callable[[ActionStory], int]) -> Callable[[ActionStory], int]:
    """Put it into the table."""
    ACTS[happens.__name__] = happens
    return happens


@act
def opened_sound(s: ActionStory) -> int:
    s.require(s.change(SOUND + MORE), GREEN)
    return 0


@act
def opened_wrong(s: ActionStory) -> int:
    s.require(s.change(SOUND + WRONG), RED)
    return 0


@act
def mended(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    s.actions.settle()
    s.put("topic", SOUND + MORE)
    s.require(number, GREEN)
    return 0


@act
def broken(s: ActionStory) -> int:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.put("topic", SOUND + WRONG)
    s.require(number, RED)
    return 0


@act
def forced(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    s.actions.settle()
    s.github.push(s.here, "topic", s.commit(SOUND + MORE + CITES, s.base))
    s.require(number, GREEN)
    return 0


@act
def forced_back(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    first = s.head(number)
    s.actions.settle()
    s.put("topic", SOUND + MORE)
    s.actions.settle()
    s.github.push(s.here, "topic", first)
    s.require(number, RED)
    return 0


@act
def burst(s: ActionStory) -> int:
    number = s.change(SOUND)
    for body in (SOUND + WRONG, SOUND + MORE, SOUND + MORE + WRONG, SOUND + MORE + CITES):
        s.put("topic", body)
    s.require(number, GREEN)
    return 4


@act
def retargeted(s: ActionStory) -> int:
    dev = s.commit(SOUND + WRONG, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, dev), base="dev")
    s.actions.settle()
    s.github.retarget(s.here, number, "main")
    s.require(number, RED)
    return 0


@act
def base_took_settings(s: ActionStory) -> int:
    number, other = s.change(SOUND + WRONG), s.change(SOUND + MORE, branch="topic-2")
    s.actions.settle()
    s.put("main", SOUND, pf__toml='[checks]\nthreshold = "note"\n')
    s.require(number, RED)
    s.require(other, GREEN)
    return 0


@act
def base_merged_a_part(s: ActionStory) -> int:
    first = s.commit(SOUND + WRONG, s.base)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, first))
    s.actions.settle()
    s.github.push(s.here, "main", first)
    s.require(number, GREEN)
    s.expected[first, PUSHED] = RED
    return 0


@act
def base_forced_back(s: ActionStory) -> int:
    first = s.commit(SOUND + WRONG, s.base)
    s.github.push(s.here, "main", first)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, first))
    s.actions.settle()
    s.github.push(s.here, "main", s.base)
    s.require(number, RED)
    return 0


@act
def base_pushed(s: ActionStory) -> int:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.put("main", SOUND, notes__txt="words")
    s.require(number, GREEN)
    return 0


@act
def two_pushes_of_which_one_is_cancelled(s: ActionStory) -> int:
    s.put("main", SOUND + WRONG)
    s.expected[s.put("main", SOUND + WRONG + MORE), PUSHED] = RED
    return 1


@act
def reopened(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    s.actions.settle()
    s.github.close(s.here, number)
    s.actions.settle()
    s.github.reopen(s.here, number)
    s.require(number, RED)
    return 0


@act
def drafted(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG, draft=True)
    s.actions.settle()
    s.here.pulls[number]["draft"] = False
    s.github.pull_event(s.here, number, "ready_for_review")
    s.require(number, RED)
    return 0


@act
def renamed(s: ActionStory) -> int:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.github.rename(s.here, "us/treatise")
    s.here.pulls[number]["head"]["repo"]["full_name"] = "us/treatise"
    s.put("topic", SOUND + WRONG)
    s.require(number, RED)
    return 0


@act
def renamed_while_a_run_waits(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    s.github.rename(s.here, "us/treatise")
    s.require(number, RED)
    return 0


@act
def transferred(s: ActionStory) -> int:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.github.transfer(s.here, "them/paper", 6)
    s.here.pulls[number]["head"]["repo"]["full_name"] = "them/paper"
    s.put("topic", SOUND + WRONG)
    s.require(number, RED)
    return 0


@act
def same_head_from_a_fork(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    s.actions.settle()
    other = s.github.open(s.here, s.head(number), fork="eve/paper", author="eve")
    s.require(number, RED)
    s.expected[s.head(other), f"{NAME} (#{other})"] = RED
    return 0


@act
def same_head_from_a_fork_with_another_base(s: ActionStory) -> int:
    dev = s.commit(SOUND + WRONG, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, dev), base="dev")
    s.actions.settle()
    other = s.github.open(s.here, s.head(number), fork="eve/paper", author="eve")
    s.require(number, GREEN)
    s.expected[s.head(other), f"{NAME} (#{other})"] = RED
    return 0


@act
def same_head_with_another_base(s: ActionStory) -> int:
    dev = s.commit(SOUND + WRONG, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, dev), base="dev")
    s.actions.settle()
    other = s.github.open(s.here, s.head(number))
    s.require(other, RED, suffix=f" (#{other})")
    s.require(number, RED)
    return 0


@act
def the_other_base_is_gone_again(s: ActionStory) -> int:
    same_head_with_another_base(s)
    s.actions.settle()
    s.github.close(s.here, 2)
    s.require(1, GREEN)
    return 0


@act
def first_of_two_heads_leaves(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    other = s.github.open(s.here, s.head(number), branch="topic-2")
    s.actions.settle()
    s.github.close(s.here, number)
    s.require(other, RED)
    return 0


@act
def queued(s: ActionStory) -> int:
    part = "\\input{part}\n"
    s.base = s.put("main", SOUND + part, part__tex=MORE)
    number = s.change(SOUND + part + LEMMA % ("use", "The trace is positive", r"By \ref{more}."))
    s.expected[s.github.queue(s.here, number), NAME] = GREEN
    s.put("main", SOUND + part, part__tex=MORE.replace("more", "others"))
    s.expected[s.github.queue(s.here, number), NAME] = RED
    s.require(number, GREEN)
    return 0


@act
def labelled(s: ActionStory) -> int:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.here.pulls[number]["labels"] = [{"name": DO_NOT_READ}]
    s.github.pull_event(s.here, number, "labeled", label={"name": DO_NOT_READ})
    s.expected[s.head(number), NAME] = RED
    s.expected[s.head(number), PROOFS] = WAITING
    s.actions.settle()
    s.put("topic", SOUND + MORE + CITES)
    s.expected[s.head(number), NAME] = RED
    s.expected[s.head(number), PROOFS] = WAITING
    return 0


@act
def unlabelled(s: ActionStory) -> int:
    number = s.change(SOUND + MORE)
    for labels, conclusion in (([DO_NOT_READ], RED), ([], GREEN)):
        s.here.pulls[number]["labels"] = [{"name": name} for name in labels]
        action = "labeled" if labels else "unlabeled"
        s.github.pull_event(s.here, number, action, label={"name": DO_NOT_READ})
        s.actions.settle()
        assert s.github.required(s.here, s.head(number), NAME) == conclusion, "at once"
    count = len(s.here.runs)
    s.github.pull_event(s.here, number, "labeled", label={"name": "typo"})
    s.actions.settle()
    assert len(s.here.runs) == count, "no other label starts anything"
    s.require(number, GREEN)
    return 0


@act
def described_by_its_author(s: ActionStory) -> int:
    number = s.change(SOUND + MORE)
    s.actions.settle()
    s.here.pulls[number]["body"] = f"Words.\n{DO_NOT_READ}\n"
    s.github.pull_event(s.here, number, "edited", changes={"body": {"from": "Words."}})
    s.expected[s.head(number), NAME] = RED
    s.expected[s.head(number), PROOFS] = WAITING
    return 0


@act
def described_by_a_stranger(s: ActionStory) -> int:
    for body, conclusion in ((SOUND + WRONG, RED), (SOUND + MORE, GREEN)):
        number = s.change(body, fork="eve/paper", author="eve")
        s.here.pulls[number]["body"] = f"{DO_NOT_READ}\n"
        s.github.pull_event(s.here, number, "edited", changes={"body": {"from": ""}})
        s.require(number, conclusion)
    return 0


@act
def released(s: ActionStory) -> int:
    number = s.change(SOUND + WRONG)
    s.actions.settle()
    s.here.run_git("update-ref", "refs/tags/v1", s.head(number))
    made = {"tag_name": "v1", "target_commitish": "topic"}
    s.github.tell("release", s.here, "alice", action="published", release=made)
    s.github.deliveries[0]["commit"] = s.head(number)
    s.require(number, RED)
    return 0


def told() -> list[tuple[str, str]]:
    """The events with the faults that come between."""
    alone = [(name, "") for name in ACTS]
    if os.environ.get("PF_STORIES") == "all":
        return [*alone, *((name, fault) for name in ACTS for fault in FAULTS)]
    some = list(ACTS)[::3]
    return [*alone, *((name, FAULTS[turn % len(FAULTS)]) for turn, name in enumerate(some))]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "fault"), told())
def test_a_story(story: ActionStory, name: str, fault: str) -> None:
    dropped = ACTS[name](story)
    if fault:
        story.github.faults.append(RequestFault(fault, written, times=2))
    story.actions.settle(dropped=dropped)
    story.github.faults.clear()
    asked = story.actions.mend()
    assert not asked or fault, "nothing has to be re-run where nothing failed"
    story.judge()
    story.end()
