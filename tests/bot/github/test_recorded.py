"""Sessions recorded against an emulator (emulate), not against GitHub; no network is needed.

To record them again, where Node is:

    PF_RECORD=emulate pytest --force-enable-socket tests/bot/github/test_recorded.py
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest
import vcr
from vcr.serializers import yamlserializer

from bot.domain import comment
from bot.domain.chat_commands import Permission
from bot.domain.comment import CommentKind, ObjectionSource, ReviewComments, WantedComment
from bot.domain.forge import CommitCheck, Forge, GoneError
from bot.domain.reconcile import Changes, reconcile
from bot.github.github_app import GitHubHub, Manner
from tests.acceptance.emulated import APP, INSTALLATION, emulated, opened, seed
from tests.bot.fake_github.keys import key_pair

RECORD = os.environ.get("PF_RECORD") == "emulate"  # read before the tests' own world begins
CASSETTES = Path(__file__).parents[2] / "data/github/cassettes"
LABEL = "# Recorded against an emulator (emulate 0.11.2), not GitHub: see test_recorded.py.\n"
PLACE = "https://github.test"
KEPT = {"content-type"}
TOKEN = "ghs_scrubbed"
SCRUBBED = {"token": TOKEN, "expires_at": "2099-01-01T00:00:00Z"}


def _labelled(cassette: Any) -> str:
    text: str = yamlserializer.serialize(cassette)
    return LABEL + text


def _sent(request: Any) -> Any:
    parts = urlsplit(request.uri)
    request.uri = PLACE + parts.path + (f"?{parts.query}" if parts.query else "")
    request.headers = _kept(request.headers)
    return request


def _received(response: Any) -> Any:
    """An answer without tokens, good for ever; addresses in it are left out."""
    text = response["body"]["string"].decode()
    found = _without_addresses(json.loads(text)) if text else None
    if isinstance(found, dict) and "expires_at" in found:
        found |= SCRUBBED
    body = json.dumps(found).encode() if text else b""
    return response | {"headers": _kept(response["headers"]), "body": {"string": body}}


def _without_addresses(thing: Any) -> Any:
    if isinstance(thing, list):
        return [_without_addresses(item) for item in thing]
    if not isinstance(thing, dict):
        return thing
    return {
        key: _without_addresses(value)
        for key, value in thing.items()
        if not key.endswith(("url", "_links"))
    }


def _kept(headers: Any) -> dict[str, Any]:
    return {name.lower(): headers[name] for name in headers if name.lower() in KEPT}


@pytest.fixture
def place(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Iterator[str]:
    """Where the sessions go: nowhere, unless they are recorded."""
    if not RECORD:
        yield PLACE
        return
    home = tmp_path_factory.getbasetemp().parent
    with emulated(home, tmp_path, seed(key_pair()[0]), "/repos/us/paper") as address:
        opened(address)
        yield address


@pytest.fixture
def forge(place: str, request: pytest.FixtureRequest) -> Iterator[Forge]:
    """A repository as it answered when the test's session was recorded."""
    player = vcr.VCR(
        cassette_library_dir=str(CASSETTES),
        record_mode="all" if RECORD else "none",
        match_on=["method", "path", "query", "body"],
        before_record_request=_sent,
        before_record_response=_received,
        decode_compressed_response=True,
    )
    player.register_serializer(
        "labelled", SimpleNamespace(serialize=_labelled, deserialize=yamlserializer.deserialize)
    )
    name = request.node.name.removeprefix("test_")
    if RECORD:
        (CASSETTES / f"{name}.yaml").unlink(missing_ok=True)  # what is new would be added
    hub = GitHubHub(place, place, APP, key_pair()[0], manner=Manner(between=0.0))
    with player.use_cassette(f"{name}.yaml", serializer="labelled") as cassette:
        yield hub.forge(INSTALLATION, "us/paper")
    assert RECORD or cassette.all_played, "what was recorded was not all asked for"


def wanted(kind: CommentKind, key: str) -> WantedComment:
    path = None if kind is CommentKind.SUMMARY else "main.tex"
    body = comment.marked("It does not follow.", key=key, source=ObjectionSource.CHECK)
    return WantedComment(kind=kind, key=key, body=body, path=path)


# None beside a line: the emulator makes a review and refuses the lines that come with it.
WORDS = ReviewComments(
    comments=(
        wanted(CommentKind.FILE, "bbbbbbbb"),
        wanted(CommentKind.SUMMARY, comment.SUMMARY),
    )
)


@pytest.fixture
def told(forge: Forge) -> Callable[[ReviewComments], Changes]:
    """Brings the pull request to what is to be said."""

    def tell(words: ReviewComments) -> Changes:
        head = forge.pull(1).head
        changes = reconcile(forge.comments(1), words, head=head)
        forge.change(1, head, changes)
        return changes

    return tell


def test_a_pull_request_is_read(forge: Forge) -> None:
    assert forge.me == "pf-verify[bot]"
    pull = forge.pull(1)
    assert pull.is_open and not pull.is_fork and pull.author == "us"
    assert [(item.number, item.head) for item in forge.pulls()] == [(1, pull.head)]
    assert forge.default_branch().tip == pull.base == forge.merge_base(pull.base, pull.head)
    assert (forge.permission("us"), forge.permission("nobody")) == (Permission.ADMIN, None)
    assert forge.origin().token == TOKEN or RECORD
    with pytest.raises(GoneError, match=r"^#2 cannot be read: GitHub answered 404 Not Found$"):
        forge.pull(2)


def test_comments_are_made_once_and_closed(
    forge: Forge, told: Callable[[ReviewComments], Changes]
) -> None:
    assert len(told(WORDS).create) == 2
    assert told(WORDS) == Changes()
    found = forge.comments(1)
    assert [item.kind for item in found] == [CommentKind.SUMMARY, CommentKind.FILE]
    assert all(item.is_ours for item in found)
    assert len(told(ReviewComments(comments=(), settled=frozenset(ObjectionSource))).close) == 1
    assert sum("**Resolved**" in item.body for item in forge.comments(1)) == 1


def test_a_comment_is_answered_once(forge: Forge) -> None:
    for _ in range(2):
        forge.answer(1, 7, "Because.", is_review=False)
    assert [item.body.partition("\n")[0] for item in forge.comments(1)] == ["Because."]


def test_a_check_begins_and_ends(forge: Forge) -> None:
    """What is asserted is asserted by `forge`: each recorded request was made, with its body."""
    head = forge.pull(1).head
    for conclusion in (None, "success"):
        forge.conclude(
            CommitCheck(
                name="pf / structure",
                head=head,
                key="1",
                title="Nothing was found",
                summary="All is well.",
                conclusion=conclusion,
            )
        )


def test_a_session_holds_no_token_and_says_that_it_was_no_github() -> None:
    cassettes = sorted(CASSETTES.glob("*.yaml"))
    assert len(cassettes) == 4
    for path in cassettes:
        text = path.read_text(encoding="utf-8")
        assert text.startswith(LABEL)
        assert set(re.findall(r"gh[a-z]_\w+", text)) <= {TOKEN}
        assert not re.search(r"authorization|bearer|127\.0\.0\.1|PRIVATE KEY|eyJ", text, re.I)
