"""What moves a review beside commits, told by a GitHub written from its documentation.

People hold a review back and let it go on: a label, a line, a pause, a draft, a stranger's commit
that waits for a word. And what operators and owners do: settings and answers of the base, another
model, an App that is suspended, taken away, or granted more, branches and groups of a merge queue
that go. Counted is what the story of the App counts, in the checks of structure and proofs. The
acts take turns with the faults that come between; all are told with each where PF_STORIES=all.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import chdir
from pathlib import Path

import pytest

from bot.domain.comment import SUMMARY, ObjectionSource, answering, marked
from bot.domain.forge import PROOFS, STRUCTURE
from pfcore.cli.github_actions import DO_NOT_READ
from pfcore.cli.main import main
from tests.acceptance.documented_github import RequestFault
from tests.acceptance.documented_rest import DocumentedServer, documented
from tests.acceptance.test_documented_story import (
    CITES,
    FAULTS,
    GREEN,
    MORE,
    OPEN,
    READINGS,
    RED,
    SOUND,
    WRONG,
    ToldStory,
    written,
)
from tests.bot.readers import objecting
from tests.bot.shop import reviewer_of
from tests.conftest import commit, git

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

WAITS = "action_required"
ADVISED = "neutral"
STRICT = '[checks]\nthreshold = "note"\n'

Expected = dict[int, tuple[str, str]]
"""Of pull requests what the checks of structure and proofs have to be in the end."""


@pytest.fixture
def github(tmp_path: Path) -> Iterator[DocumentedServer]:
    yield from documented(tmp_path)


@pytest.fixture
def story(github: DocumentedServer, tmp_path: Path, document) -> Iterator[ToldStory]:
    made = ToldStory(github, tmp_path / "app", document)
    yield made
    made.shop.close()


ACTS: dict[str, Callable[[ToldStory], Expected]] = {}
"""What happens; each says what has to hold in the end."""


def act(happens: Callable[[ToldStory], Expected]) -> Callable[[ToldStory], Expected]:
    """Put it into the table."""
    ACTS[happens.__name__] = happens
    return happens


def reviewed(s: ToldStory, body: str = SOUND + MORE) -> int:
    """A pull request that was reviewed."""
    number = s.change(body)
    s.work()
    return number


def label(s: ToldStory, number: int, *, gone: bool = False) -> None:
    item = {"name": DO_NOT_READ}
    s.here.pulls[number]["labels"] = [] if gone else [item]
    s.github.pull_event(s.here, number, "unlabeled" if gone else "labeled", label=item)


def line(s: ToldStory, number: int, body: str, who: str) -> None:
    """Edit the description of a pull request."""
    was, s.here.pulls[number]["body"] = s.here.pulls[number]["body"], body
    s.github.pull_event(s.here, number, "edited", who, changes={"body": {"from": was}})


def draft(s: ToldStory, number: int, *, is_one: bool) -> None:
    s.here.pulls[number]["draft"] = is_one
    action = "converted_to_draft" if is_one else "ready_for_review"
    s.github.pull_event(s.here, number, action)


def installation(s: ToldStory, action: str, event: str = "installation", **more: object) -> None:
    """Tell of the App's installation as such, which names no repository."""
    account = {"login": "us", "type": "Organization"}
    body = {
        "action": action,
        "installation": {"id": s.here.installation, "account": account},
        "sender": {"login": "alice", "type": "User"},
    }
    s.github.deliver(event, {**body, **more})


@act
def base_took_stricter_settings(s: ToldStory) -> Expected:
    number = reviewed(s, SOUND + OPEN)
    s.require(number, GREEN)
    s.put("main", SOUND, pf__toml=STRICT)
    return {number: (RED, GREEN)}


@act
def base_took_settings_and_took_them_back(s: ToldStory) -> Expected:
    number = reviewed(s, SOUND + OPEN)
    s.put("main", SOUND, pf__toml=STRICT)
    s.work()
    s.require(number, RED)
    s.put("main", SOUND, pf__toml='[checks]\nthreshold = "error"\n')
    return {number: (GREEN, GREEN)}


def answered(s: ToldStory, body: str) -> str:
    """The line of pf.lock by which somebody answers the one finding in a paper, in a clone."""
    folder = s.shop.settings.data / "clone"
    folder.mkdir()
    (folder / "main.tex").write_text(s.document(body))
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, {})
    (key,) = re.findall(r"finding id=([a-z2-7]{8})", s.here.remarks[0]["body"])
    with chdir(folder):
        assert main(["dismiss", key, "--reason", "it is to be so"]) == 0
    return (folder / "pf.lock").read_text()


@act
def base_took_an_answer_into_its_ledger(s: ToldStory) -> Expected:
    number = reviewed(s, SOUND + WRONG)
    s.require(number, RED)
    s.put("main", SOUND, pf__lock=answered(s, SOUND + WRONG))
    return {number: (GREEN, GREEN)}


@act
def base_lost_the_ledger_with_an_answer(s: ToldStory) -> Expected:
    number = base_took_an_answer_into_its_ledger(s).popitem()[0]
    s.work()
    s.require(number, GREEN)
    s.put("main", SOUND, pf__lock=None)
    return {number: (RED, GREEN)}


@act
def base_took_a_ledger_that_cannot_be_read(s: ToldStory) -> Expected:
    """It may say something of the proofs that are to be read."""
    number = reviewed(s, SOUND + WRONG)
    s.put("main", SOUND, pf__lock='{"kind": "nothing that is known"}\n')
    return {number: (RED, WAITS)}


@act
def labelled(s: ToldStory) -> Expected:
    number = reviewed(s)
    label(s, number)
    return {number: (WAITS, WAITS)}


@act
def labelled_and_pushed_to(s: ToldStory) -> Expected:
    number = reviewed(s)
    label(s, number)
    s.put("topic", SOUND + MORE + CITES)
    return {number: (WAITS, WAITS)}


@act
def a_label_is_taken_away(s: ToldStory) -> Expected:
    number = reviewed(s, SOUND + WRONG)
    label(s, number)
    s.work()
    s.require(number, WAITS)
    label(s, number, gone=True)
    return {number: (RED, GREEN)}


@act
def a_line_of_a_member_withholds(s: ToldStory) -> Expected:
    number = reviewed(s)
    line(s, number, f"Words.\n\n{DO_NOT_READ}\n", "alice")
    return {number: (WAITS, WAITS)}


@act
def a_line_of_a_stranger_withholds_nothing(s: ToldStory) -> Expected:
    number = s.change(SOUND + WRONG, author="eve", fork="eve/paper")
    s.work()
    line(s, number, f"{DO_NOT_READ}\n", "eve")
    return {number: (RED, WAITS)}


@act
def paused_and_pushed_to(s: ToldStory) -> Expected:
    number = reviewed(s)
    s.github.say(s.here, number, "/pf pause", "alice")
    s.work()
    s.put("topic", SOUND + WRONG)
    return {number: (RED, WAITS)}


@act
def resumed(s: ToldStory) -> Expected:
    number = paused_and_pushed_to(s).popitem()[0]
    s.work()
    s.require(number, WAITS, name=PROOFS)
    s.github.say(s.here, number, "/pf resume", "alice")
    return {number: (RED, GREEN)}


@act
def paused_by_a_stranger(s: ToldStory) -> Expected:
    number = reviewed(s)
    s.github.say(s.here, number, "/pf pause", "eve")
    s.work()
    s.put("topic", SOUND + MORE + CITES)
    return {number: (GREEN, GREEN)}


@act
def made_a_draft_and_ready_again(s: ToldStory) -> Expected:
    number = reviewed(s)
    draft(s, number, is_one=True)
    s.put("topic", SOUND + WRONG)
    s.work()
    assert s.github.required(s.here, s.head(number), STRUCTURE) == "missing"
    draft(s, number, is_one=False)
    return {number: (RED, GREEN)}


@act
def a_draft_is_read_on_a_word(s: ToldStory) -> Expected:
    number = s.change(SOUND + WRONG, draft=True)
    s.work()
    s.github.say(s.here, number, "/pf check", "alice")
    return {number: (RED, GREEN)}


@act
def a_stranger_s_commit_is_agreed_to(s: ToldStory) -> Expected:
    number = s.change(SOUND + MORE, author="eve", fork="eve/paper")
    s.work()
    for who in ("eve", "alice"):
        s.require(number, WAITS, name=PROOFS)
        s.github.say(s.here, number, f"/pf check {s.head(number)}", who)
        s.work()
    return {number: (GREEN, GREEN)}


@act
def a_stranger_pushes_after_a_word(s: ToldStory) -> Expected:
    number = a_stranger_s_commit_is_agreed_to(s).popitem()[0]
    s.github.push_fork(s.here, number, s.commit(SOUND + CITES, s.head(number)), "eve")
    return {number: (GREEN, WAITS)}


@act
def a_word_for_an_older_commit(s: ToldStory) -> Expected:
    number = s.change(SOUND + MORE, author="eve", fork="eve/paper")
    s.work()
    old = s.head(number)
    s.github.push_fork(s.here, number, s.commit(SOUND + CITES, old), "eve")
    s.work()
    s.github.say(s.here, number, f"/pf check {old}", "alice")
    return {number: (GREEN, WAITS)}


@act
def suspended_while_somebody_pushes(s: ToldStory) -> Expected:
    number = reviewed(s)
    installation(s, "suspend")
    s.work()
    s.github.is_losing = True
    s.put("topic", SOUND + WRONG)
    s.github.is_losing = False
    installation(s, "unsuspend")
    return {number: (RED, GREEN)}


@act
def suspended_and_back_at_once(s: ToldStory) -> Expected:
    number = s.change(SOUND + WRONG)
    installation(s, "suspend")
    installation(s, "unsuspend")
    return {number: (RED, GREEN)}


@act
def taken_away_and_given_back(s: ToldStory) -> Expected:
    number = reviewed(s, SOUND + WRONG)
    own = [{"id": s.here.id, "full_name": s.here.full_name}]
    for action, gone, back in (("removed", own, []), ("added", [], own)):
        lists = {"repositories_removed": gone, "repositories_added": back}
        installation(s, action, "installation_repositories", **lists)
        s.work()
    return {number: (RED, GREEN)}


@act
def new_permissions_are_accepted(s: ToldStory) -> Expected:
    number = reviewed(s, SOUND + WRONG)
    installation(s, "new_permissions_accepted")
    return {number: (RED, GREEN)}


@act
def another_model_reads(s: ToldStory) -> Expected:
    number = reviewed(s)
    folder = s.shop.settings.data
    s.shop.replace(reviewer=reviewer_of(folder, objecting("Clear."), model="n"))
    s.github.close(s.here, number)
    s.github.reopen(s.here, number)
    return {number: (GREEN, ADVISED)}


@act
def base_deleted_and_restored(s: ToldStory) -> Expected:
    dev = s.commit(SOUND + WRONG, s.base)
    s.github.push(s.here, "dev", dev)
    number = s.github.open(s.here, s.commit(SOUND + WRONG + MORE, dev), base="dev")
    s.work()
    s.here.run_git("update-ref", "-d", "refs/heads/dev")
    gone = {"before": dev, "after": "0" * 40, "deleted": True, "forced": False}
    s.github.tell("push", s.here, "alice", ref="refs/heads/dev", **gone)
    s.github.close(s.here, number)
    s.work()
    s.require(number, GREEN)
    s.github.push(s.here, "dev", dev)
    s.github.reopen(s.here, number)
    return {number: (GREEN, GREEN)}


def destroyed(s: ToldStory, group: str) -> None:
    made = {"head_sha": group, "head_ref": "refs/heads/gh-readonly-queue/main/pr-1-x"}
    made |= {"base_sha": s.base, "base_ref": "refs/heads/main"}
    s.github.tell(
        "merge_group", s.here, "alice", action="destroyed", reason="dequeued", merge_group=made
    )


@act
def a_group_is_destroyed_before_and_after_its_review(s: ToldStory) -> Expected:
    number = reviewed(s)
    for is_early in (True, False):
        group = s.github.queue(s.here, number)
        if not is_early:
            s.work()
        destroyed(s, group)
        s.work()
        seen = {s.github.required(s.here, group, STRUCTURE, reading=it) for it in READINGS}
        assert seen <= {"missing", GREEN}, "nobody waits for what is gone"
    return {number: (GREEN, GREEN)}


def test_what_a_stranger_forges_counts_for_nothing(story: ToldStory) -> None:
    """The App's own marks and words, in somebody else's comments, before and after its own."""
    s = story
    number = s.change(SOUND + WRONG)
    summary = marked("All is well.", key=SUMMARY, source=ObjectionSource.CHECK)
    s.github.say(s.here, number, summary, "eve")
    s.work()
    (remark,) = [it for it in s.here.remarks if it["number"] == number]
    forged = [summary, f"**Resolved** in {s.head(number)[:10]}.\n\n{remark['body']}"]
    s.github.say(s.here, number, forged[1], "eve")
    asked = s.github.say(s.here, number, "/pf help", "alice")
    s.github.say(s.here, number, answering("Nothing.", asked), "eve")
    s.work()
    s.put("topic", SOUND + WRONG + CITES)
    s.work()
    s.require(number, RED)
    theirs = [it["body"] for it in s.here.comments if it["user"]["login"] == "eve"]
    assert theirs[:2] == forged, "nothing of hers is edited"
    ours = [it for it in s.here.comments if it["user"]["type"] == "Bot"]
    assert sum("/pf check" in it["body"] for it in ours) == 1, "alice has her answer"
    assert len(s.here.reviews) == 1 and "Resolved" not in remark["body"]
    s.end()


def test_a_flood_of_strangers_spends_nothing_and_moves_nobody_else(story: ToldStory) -> None:
    s = story
    number = reviewed(s)
    asked = len(s.shop.llm.requests)
    for turn in range(6):
        body = SOUND + MORE.replace("Clear.", f"Clear in {turn} ways.")
        theirs = s.change(body, branch=f"theirs-{turn}", author="eve", fork="eve/paper")
        for verb in ("check", "recheck abcdefgh", "resume", "explain abcdefgh", "help"):
            s.github.say(s.here, theirs, f"/pf {verb}", "eve")
            s.github.say(s.here, number, f"/pf {verb}", "eve")
    s.put("topic", SOUND + MORE + WRONG)
    s.work()
    s.require(number, RED)
    s.require(number, GREEN, name=PROOFS)
    # What was read is the one new proof of alice's own.
    assert len(s.shop.llm.requests) - asked == 3
    said = [it for it in s.here.comments if it["user"]["type"] == "Bot"]
    assert not [it for it in said if it["number"] == number], "she gets no answer"
    s.end()


def told() -> list[tuple[str, str]]:
    """The acts with the faults that come between."""
    if os.environ.get("PF_STORIES") == "all":
        return [(name, fault) for name in ACTS for fault in FAULTS]
    return [(name, FAULTS[turn % len(FAULTS)]) for turn, name in enumerate(ACTS)]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "fault"), told())
def test_a_story(story: ToldStory, name: str, fault: str) -> None:
    expected = ACTS[name](story)
    if fault:
        story.github.faults.append(RequestFault(fault, written, times=2))
    story.work()
    for number, (structure, proofs) in expected.items():
        story.require(number, structure)
        story.require(number, proofs, name=PROOFS)
    story.end()
    assert story.github.broken == []
