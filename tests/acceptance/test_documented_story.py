"""What happens to a review, told by a GitHub that was written from its documentation alone.

The story of the App, event by event, each with the faults that come between. What is counted: a
review that is lost or posted twice, a check that is stuck, falsely green or wrongly red, by both
readings of which check run counts where there are several of one name. Each event is told without
a fault and with one, in turn; with each of them where PF_STORIES=all.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.domain.comment import read_mark
from bot.domain.forge import STRUCTURE
from bot.github.github_app import GitHubHub, Manner
from pfcore.testing import ScriptedLlm
from tests.acceptance.documented_github import RequestFault
from tests.acceptance.documented_rest import DocumentedServer, PaperHistory, documented
from tests.bot.fake_github.keys import key_pair
from tests.bot.shop import Shop
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

SOUND = LEMMA % ("sound", "Every form is positive", "It is a sum of squares.")
MORE = LEMMA % ("more", "Sums of forms are forms", "Clear.")
WRONG = LEMMA % ("wrong", "The trace is odd", r"By \ref{nowhere}.")
CITES = LEMMA % ("cites", "The trace is positive", r"By \ref{sound}.")
OPEN = "\\begin{lemma}\\label{open} So it is. \\end{lemma}\n"
"""A note: it has no proof."""
GREEN, RED = "success", "failure"
FAULTS = ("", "lost", "down", "secondary", "revoked")
READINGS = ("newest", "all")


class ToldStory(PaperHistory):
    """A GitHub with a paper, the App beside it, and what became of their reviews."""

    def __init__(self, github: DocumentedServer, folder: Path, document) -> None:
        self.shop = Shop(github, folder, ScriptedLlm(lambda request: ACCEPT))
        self.tally = Counter[str]()
        super().__init__(github, document, "alice", "bob")
        self.base = self.put("main", SOUND)

    def work(self) -> list[str]:
        return list(self.shop.work())

    def require(self, number: int, expected: str, *, name: str = STRUCTURE) -> None:
        """Count what a rule on a name sees at the head of a pull request."""
        for reading in READINGS:
            seen = self.github.required(self.here, self.head(number), name, reading=reading)
            self.tally["looked at"] += 1
            if seen == "missing":
                self.tally["lost"] += 1
            elif seen == "pending":
                self.tally["stuck"] += 1
            elif seen == GREEN != expected:
                self.tally["falsely green"] += 1
            elif seen != expected:
                self.tally["wrongly red"] += 1
        for there in (self.here.comments, self.here.remarks, self.here.reviews):
            said = [read_mark(item["body"]) for item in there if item["number"] == number]
            keys = Counter(mark.key for mark in said if mark and mark.state.value == "open")
            self.tally["posted twice"] += sum(count - 1 for count in keys.values())
        names = Counter(
            (run["name"], run["head_sha"], run["external_id"]) for run in self.here.checks
        )
        self.tally["posted twice"] += sum(count - 1 for count in names.values())

    def end(self) -> None:
        """Nothing of what is counted happened, and something was looked at."""
        looked = self.tally.pop("looked at", 0)
        assert looked and not +self.tally, dict(self.tally)


@pytest.fixture
def github(tmp_path: Path) -> Iterator[DocumentedServer]:
    yield from documented(tmp_path)


@pytest.fixture
def story(github: DocumentedServer, tmp_path: Path, document) -> Iterator[ToldStory]:
    made = ToldStory(github, tmp_path / "app", document)
    yield made
    made.shop.close()


def written(method: str, path: str) -> bool:
    return method in ("POST", "PATCH", "PUT") and not path.startswith("/app")


ACTS: dict[str, Callable[[ToldStory], dict[int, str]]] = {}
"""What happens; each says what the checks of which pull requests have to be in the end."""


def act(happens: Callable[[ToldStory], dict[int, str]]) -> Callable[[ToldStory], dict[int, str]]:
    """Put it into the table."""
    ACTS[happens.__name__] = happens
    return happens


@act
def sound(s: ToldStory) -> dict[int, str]:
    return {s.change(SOUND + MORE): GREEN}


@act
def wrong(s: ToldStory) -> dict[int, str]:
    return {s.change(SOUND + WRONG): RED}


@act
def mended(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.put("topic", SOUND + MORE)
    return {number: GREEN}


@act
def broken(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + MORE)
    s.work()
    s.put("topic", SOUND + WRONG)
    return {number: RED}


@act
def forced(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.github.push(s.here, "topic", s.commit(SOUND + MORE + CITES, s.base))
    return {number: GREEN}


@act
def forced_back(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    first = s.head(number)
    s.work()
    s.put("topic", SOUND + MORE)
    s.work()
    s.github.push(s.here, "topic", first)
    return {number: RED}


@act
def burst(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND)
    for body in (SOUND + WRONG, SOUND + MORE, SOUND + MORE + WRONG, SOUND + MORE + CITES):
        s.put("topic", body)
    return {number: GREEN}


@act
def retargeted(s: ToldStory) -> dict[int, str]:
    dev = s.commit(SOUND + WRONG, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, dev), base="dev")
    s.work()
    s.github.retarget(s.here, number, "main")
    return {number: RED}


@act
def base_took_settings(s: ToldStory) -> dict[int, str]:
    number, other = s.change(SOUND + OPEN), s.change(SOUND + MORE, branch="topic-2")
    s.work()
    s.require(number, GREEN)
    s.put("main", SOUND, pf__toml='[checks]\nthreshold = "note"\n')
    return {number: RED, other: GREEN}


@act
def base_merged_a_part(s: ToldStory) -> dict[int, str]:
    first = s.commit(SOUND + WRONG, s.base)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, first))
    s.work()
    s.github.push(s.here, "main", first)
    return {number: GREEN}


@act
def base_pushed(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + MORE)
    s.work()
    s.put("main", SOUND, notes__txt="words")
    return {number: GREEN}


@act
def reopened(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.github.close(s.here, number)
    s.work()
    s.github.reopen(s.here, number)
    return {number: RED}


@act
def drafted(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG, draft=True)
    s.work()
    s.here.pulls[number]["draft"] = False
    s.github.pull_event(s.here, number, "ready_for_review")
    return {number: RED}


@act
def renamed(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.github.rename(s.here, "us/treatise")
    return {number: RED}


@act
def account_renamed(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.github.rename_account(s.here, "we")
    return {number: RED}


@act
def transferred(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.github.transfer(s.here, "them/paper", 6)
    return {number: RED}


@act
def same_head_from_a_fork(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.github.open(s.here, s.head(number), fork="eve/paper", author="eve")
    return {number: RED}


@act
def same_head_from_a_fork_with_another_base(s: ToldStory) -> dict[int, str]:
    dev = s.commit(SOUND + WRONG, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, dev), base="dev")
    s.work()
    other = s.github.open(s.here, s.head(number), fork="eve/paper", author="eve")
    s.work()
    s.require(other, RED, name=f"{STRUCTURE} (#{other})")
    return {number: GREEN}


@act
def same_head_with_another_base(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.github.push(s.here, "dev", s.commit(SOUND + WRONG, s.base))
    s.github.open(s.here, s.head(number), base="dev", branch="topic")
    return {number: RED}


@act
def first_of_two_heads_leaves(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    other = s.github.open(s.here, s.head(number), branch="topic-2")
    s.work()
    s.github.close(s.here, number)
    return {other: RED}


@act
def delivered_again(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.shop.receive(*s.github.sent)
    return {number: RED}


@act
def archived_for_a_while(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.here.is_archived = True
    s.work()
    s.here.is_archived = False
    s.github.tell("repository", s.here, "alice", action="unarchived")
    return {number: RED}


@act
def default_branch_is_another(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.github.push(s.here, "trunk", s.base)
    s.here.default = "trunk"
    s.github.retarget(s.here, number, "trunk")
    changes = {"default_branch": {"from": "main"}}
    s.github.tell("repository", s.here, "alice", action="edited", changes=changes)
    return {number: RED}


@act
def made_private(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + WRONG)
    s.work()
    s.here.is_private = True
    s.github.tell("repository", s.here, "alice", action="privatized")
    return {number: RED}


@act
def never_delivered(s: ToldStory) -> dict[int, str]:
    number = s.change(SOUND + MORE)
    s.work()
    s.github.is_losing = True
    s.put("topic", SOUND + MORE + WRONG)
    s.github.is_losing = False
    s.shop.intake.fetch(0.0)
    return {number: RED}


def told() -> list[tuple[str, str]]:
    """The events with the faults that come between."""
    if os.environ.get("PF_STORIES") == "all":
        return [(name, fault) for name in ACTS for fault in FAULTS]
    faults = [fault for fault in FAULTS if fault]
    alone = [(name, "") for name in ACTS]
    return [*alone, *((name, faults[turn % len(faults)]) for turn, name in enumerate(ACTS))]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "fault"), told())
def test_a_story(story: ToldStory, name: str, fault: str) -> None:
    expected = ACTS[name](story)
    if fault:
        story.github.faults.append(RequestFault(fault, written, times=2))
    story.work()
    for number, conclusion in expected.items():
        story.require(number, conclusion)
    story.end()


def test_a_renamed_repository_has_its_pages_at_once(story: ToldStory) -> None:
    story.change(SOUND)
    story.work()
    story.github.rename(story.here, "us/treatise")
    story.work()
    runs = story.shop.records.runs.latest(9, repository_id=story.here.id)
    assert {run.repository for run in runs} == {"us/treatise"}


def test_of_a_deleted_repository_nothing_is_kept(story: ToldStory) -> None:
    story.change(SOUND)
    story.work()
    story.github.tell("repository", story.here, "alice", action="deleted")
    del story.github.repositories[story.here.id]
    assert story.work() == ["1 erased"]
    assert story.shop.records.runs.latest(9, repository_id=story.here.id) == []


def test_a_merge_queue_sees_what_merging_makes(story: ToldStory) -> None:
    part = "\\input{part}\n"
    story.base = story.put("main", SOUND + part, part__tex=MORE)
    use = LEMMA % ("use", "The trace is positive", r"By \ref{more}.")
    number = story.change(SOUND + part + use)
    story.work()
    story.require(number, GREEN)
    groups = [story.github.queue(story.here, number)]
    story.put("main", SOUND + part, part__tex=MORE.replace("more", "others"))
    groups.append(story.github.queue(story.here, number))
    story.work()
    seen = [
        {story.github.required(story.here, group, STRUCTURE, reading=it) for it in READINGS}
        for group in groups
    ]
    assert seen == [{GREEN}, {RED}]
    story.require(number, GREEN)
    story.end()


def test_pushes_to_the_default_branch_keep_one_issue_where_the_settings_ask_for_it(
    story: ToldStory,
) -> None:
    def issues() -> list[tuple[str, bool]]:
        """Of each issue whether it is open, and whether it names the undefined label."""
        return [(it["state"], "nowhere" in it["body"]) for it in story.here.issues.values()]

    story.put("main", SOUND + WRONG)
    story.work()
    assert issues() == [], "nobody asked for one"

    story.put("main", SOUND + WRONG, pf__toml="[app]\nissue = true\n")
    story.github.faults.append(RequestFault("lost", lambda method, path: method == "POST", times=1))
    story.work()
    assert issues() == [("open", True)]
    told = len(story.github.notified)

    for body in (SOUND + WRONG + MORE, SOUND + WRONG + CITES):  # a burst: the last one is reviewed
        story.put("main", body, pf__toml="[app]\nissue = true\n")
    story.work()
    assert issues() == [("open", True)]

    story.put("main", SOUND + CITES, pf__toml="[app]\nissue = true\n")
    story.work()
    assert issues() == [("closed", False)]

    story.put("main", SOUND + WRONG, pf__toml="[app]\nissue = true\n")
    story.work()
    assert issues() == [("open", True)]
    assert len(story.github.notified) == told, "edits send nobody a message"


def test_a_repository_without_issues_is_reviewed_all_the_same(story: ToldStory) -> None:
    off = RequestFault("off", lambda method, path: path.endswith("/issues"), times=99)
    story.github.faults.append(off)
    story.put("main", SOUND + WRONG, pf__toml="[app]\nissue = true\n")
    story.work()
    (run,) = story.shop.records.runs.latest(1, repository_id=story.here.id)
    assert run.state.value == "done" and story.here.issues == {}


def test_where_there_is_no_paper_there_is_silence(
    story: ToldStory, github: DocumentedServer
) -> None:
    plain = github.repository("us/tools")
    base = github.commit(plain, {"a.py": "x"})
    github.push(plain, "main", base)
    number = github.open(plain, github.commit(plain, {"a.py": "y"}, base))
    story.work()
    assert (plain.checks, plain.comments, plain.reviews) == ([], [], [])
    assert github.required(plain, plain.pulls[number]["head"]["sha"], STRUCTURE) == "missing"


def test_a_mention_is_a_command_for_whoever_may_give_one(
    github: DocumentedServer, tmp_path: Path, document
) -> None:
    story = ToldStory(github, tmp_path / "app", document)
    story.shop.close()
    story.shop = Shop(
        github, tmp_path / "named", ScriptedLlm(lambda request: ACCEPT), slug="pf-anew"
    )
    number = story.change(SOUND)
    story.work()
    for who, words in (("alice", "@pf-anew help"), ("eve", "@pf-anew check"), ("bob", "@bob help")):
        github.say(story.here, number, words, who)
    story.work()
    ours = [it for it in story.here.comments if it["user"]["type"] == "Bot"]
    assert sum("/pf check" in it["body"] for it in ours) == 1
    assert sorted(it["content"] for it in story.here.reactions) == ["-1", "eyes"]
    story.shop.close()


def test_on_enterprise_server_all_is_below_its_prefix(tmp_path: Path, document) -> None:
    folder = tmp_path / "documented"
    folder.mkdir()
    github = DocumentedServer(folder, key_pair(), prefix="/api/v3")
    with github.serving():
        story = ToldStory(github, tmp_path / "app", document)
        story.shop.replace(
            hub=GitHubHub(
                github.url,
                github.server_url,
                github.app,
                github.private_key,
                manner=Manner(between=0.0, longest=0.0, is_resolving=True),
                clock=github.clock,
            )
        )
        number = story.change(SOUND + WRONG)
        story.work()
        story.require(number, RED)
        story.put("topic", SOUND + MORE)
        story.work()
        story.require(number, GREEN)
        story.shop.close()
    story.end()
    assert github.broken == []
    assert any(path == "/api/graphql" and status == 200 for _, path, status in github.asked)
