"""The App against servers that are not ours: emulate as GitHub, and prism as judge of our fake."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.domain import comment as marks
from bot.domain.chat_commands import Permission
from bot.domain.comment import (
    Annotation,
    CommentKind,
    ObjectionSource,
    ReviewComments,
    WantedComment,
)
from bot.domain.forge import CommitCheck, Forge
from bot.domain.reconcile import Changes, reconcile
from bot.github.github_app import GitHubHub, Manner
from tests.acceptance.emulated import (
    APP,
    INSTALLATION,
    asked,
    emulated,
    free_port,
    listening,
    opened,
    seed,
)
from tests.acceptance.faulty import faulty
from tests.acceptance.npm import fetched
from tests.bot.conftest import github  # noqa: F401 - a fixture
from tests.bot.fake_github.description import FIXTURES
from tests.bot.fake_github.keys import key_pair
from tests.bot.fake_github.server import GitHub

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

PRISM = "5.16.0"
NOTES = tuple(
    Annotation(
        path="main.tex",
        start_line=number,
        end_line=number,
        level="warning",
        title=f"finding {number}",
        message="It does not follow.",
    )
    for number in range(1, 61)
)


def wanted(kind: CommentKind, key: str, line: int | None = None) -> WantedComment:
    path = None if kind is CommentKind.SUMMARY else "main.tex"
    body = marks.marked("It does not follow.", key=key, source=ObjectionSource.CHECK)
    return WantedComment(kind=kind, key=key, body=body, path=path, line=line)


ALL = (
    wanted(CommentKind.INLINE, "aaaaaaaa", 3),
    wanted(CommentKind.FILE, "bbbbbbbb"),
    wanted(CommentKind.SUMMARY, marks.SUMMARY),
)


def told(forge: Forge, head: str, words: ReviewComments) -> Changes:
    """Bring a pull request to what is to be said."""
    changes = reconcile(forge.comments(1), words, head=head)
    forge.change(1, head, changes)
    return changes


def concluded(head: str, conclusion: str | None, notes: tuple[Annotation, ...] = ()) -> CommitCheck:
    return CommitCheck(
        name="pf / proofs",
        head=head,
        key="1",
        title="t",
        summary="s",
        conclusion=conclusion,
        annotations=notes,
    )


def hub_at(api: str, server: str, app: int, private_key: str) -> GitHubHub:
    return GitHubHub(api, server, app, private_key, manner=Manner(between=0.0))


@pytest.fixture
def emulator(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[str]:
    place = tmp_path_factory.getbasetemp().parent
    with emulated(place, tmp_path, seed(key_pair()[0]), "/repos/us/paper") as address:
        yield address


def test_a_pull_request_is_reviewed_on_a_github_that_is_not_ours(emulator: str) -> None:
    head = opened(emulator)
    hub = hub_at(emulator, emulator, APP, key_pair()[0])
    forge = hub.forge(INSTALLATION, "us/paper")
    assert hub.me == "pf-verify[bot]"
    assert (forge.pull(1).head, [item.head for item in forge.pulls()]) == (head, [head])
    base = forge.default_branch().tip
    assert forge.merge_base(base, head) == base
    assert (forge.permission("us"), forge.permission("nobody")) == (Permission.ADMIN, None)
    words = ReviewComments(comments=ALL[1:])  # the emulator refuses reviews with lines
    assert len(told(forge, head, words).create) == 2
    assert told(forge, head, words) == Changes()
    assert (
        len(
            told(forge, head, ReviewComments(comments=(), settled=frozenset(ObjectionSource))).close
        )
        == 1
    )
    for _ in range(2):
        forge.answer(1, 1, "Because.", is_review=False)
    assert [item.is_ours for item in forge.comments(1)] == [True] * 3
    for conclusion in (None, "failure"):
        forge.conclude(concluded(head, conclusion))
    assert forge.origin().token not in repr(forge.origin())


@pytest.mark.parametrize("status", [502, None])
def test_answers_that_are_lost_repeat_nothing_on_a_github_that_is_not_ours(
    emulator: str, status: int | None
) -> None:
    head = opened(emulator)
    with faulty(emulator) as faults:
        hub = GitHubHub(
            faults.url,
            emulator,
            APP,
            key_pair()[0],
            manner=Manner(between=0.0),
            sleep=lambda seconds: None,
        )
        forge = hub.forge(INSTALLATION, "us/paper")
        # The emulator refuses reviews with lines.
        for path, comment in (("/pulls/1/comments$", ALL[1]), ("/issues/1/comments$", ALL[2])):
            faults.plan("POST", path, status, times=2)
            told(forge, head, ReviewComments(comments=(comment,)))
        faults.plan("POST", "/check-runs$", status)
        forge.conclude(concluded(head, "failure"))
        faults.plan("POST", "/issues/1/comments$", status)
        forge.answer(1, 1, "Because.", is_review=False)
        assert faults.met == 4
        kinds = sorted(item.kind for item in forge.comments(1))
    assert kinds == [CommentKind.FILE, CommentKind.SUMMARY, CommentKind.SUMMARY]
    runs = asked(f"{emulator}/repos/us/paper/commits/{head}/check-runs?filter=all", "our-token")
    assert runs["total_count"] == 1


@pytest.fixture
def prism(
    github: GitHub,  # noqa: F811
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> Iterator[str]:
    """A judge between the App and our fake: what breaks GitHub's description gets an error."""
    place = tmp_path_factory.getbasetemp().parent / f"prism-{PRISM}"
    program = fetched(place, "@stoplight/prism-cli", PRISM)
    address = f"http://127.0.0.1:{free_port()}"
    command = ["node", str(program / "dist/index.js"), "proxy", "--errors", "-v", "error", "-p"]
    command += [address.rpartition(":")[2], str(FIXTURES / "rest.json"), github.url]
    log = tmp_path / "prism.log"
    with log.open("w") as file:
        environment = {**os.environ, "NO_COLOR": "1"}
        process = subprocess.Popen(command, stdout=file, stderr=file, env=environment)
        try:
            yield listening(address, "", process, log)
        finally:
            process.terminate()
            process.wait(timeout=10)


def test_another_judge_finds_nothing_in_what_is_asked_and_answered(
    github: GitHub,  # noqa: F811
    prism: str,
) -> None:
    text = "".join(f"line {number}\n" for number in range(30))
    paper = github.repository(files={"other.tex": "x\n"}, people={"alice": "write"})
    assert paper.installation is not None
    head = paper.commit({"main.tex": text}, on="change")
    pull = github.open(paper)
    hub = hub_at(prism, github.server_url, github.app, github.private_key)
    forge = hub.forge(paper.installation, paper.name)
    assert (forge.pull(1).head, [item.head for item in forge.pulls()]) == (head, [head])
    assert forge.merge_base(forge.default_branch().tip, head) == pull.base
    assert forge.permission("alice") is Permission.WRITE
    assert len(told(forge, head, ReviewComments(comments=ALL)).create) == 3
    assert told(forge, head, ReviewComments(comments=ALL)) == Changes()
    beside = paper.remarks[0].id
    forge.answer(1, beside, "Because.", is_review=True)
    forge.react(beside, "eyes", is_review=True)
    for conclusion in (None, "failure"):
        forge.conclude(concluded(head, conclusion, NOTES))
    assert [len(run.annotations) for run in paper.runs] == [60]
    assert (
        len(
            told(forge, head, ReviewComments(comments=(), settled=frozenset(ObjectionSource))).close
        )
        == 2
    )
    missed = next(iter(hub.deliveries(0.0)))
    assert b'"pull_request"' in hub.delivery(missed)


def test_the_other_judge_lets_nothing_wrong_pass(github: GitHub, prism: str) -> None:  # noqa: F811
    paper = github.repository()
    assert paper.installation is not None
    github.open(paper, head="a" * 40, base="b" * 40, shown={"main.tex": [(1, 9)]})
    hub = hub_at(prism, "file:///nowhere", github.app, github.private_key)
    forge = hub.forge(paper.installation, paper.name)
    without_line = WantedComment(kind=CommentKind.INLINE, key="aaaaaaaa", body="x", path="main.tex")
    forge.change(1, "a" * 40, Changes(create=(without_line,)))
    assert paper.remarks == [] and len(paper.comments) == 1
    posted = [call.path for call in github.calls if call.method == "POST"]
    assert not any(path.endswith("/reviews") for path in posted)
