"""A server on this machine that keeps comments, issues, checks and files as GitHub does."""

import base64
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
from jwt.algorithms import RSAAlgorithm

from bot.publishing.action_report import ActionReview
from bot.reviewing.pull_review import ReviewTools
from pfcore.domain.digest import digest
from pfcore.ledger.ledger import ledger
from pfcore.ledger.lock_lines import ledger_text
from pfcore.llm.model_settings import ModelChoice, choose
from pfcore.llm.protocol import LlmClient
from pfcore.llm.store import open_store
from pfcore.papers.parse_cache import MemoryCache
from pfcore.reporters.formats.publication import Conclusion, Publication
from pfcore.repository.git import GitRepository
from tests.bot.fake_github.calls import Call
from tests.bot.fake_github.keys import key_pair
from tests.bot.fake_github.server import GitHub, serving
from tests.bot.fake_github.validation import Judge
from tests.bot.shop import Shop

# Each token is signed with a key that is checked anew at each signature, which takes 0.1 s.
RSAAlgorithm.prepare_key = cache(RSAAlgorithm.prepare_key)  # type: ignore[method-assign]

HEAD = "a" * 40
ACTIONS = {"id": 15368, "slug": "github-actions"}
ME = {"login": "github-actions[bot]", "type": "Bot"}
OTHER = {"login": "mallory", "type": "User"}
_STRANGER = {
    "author_association": "NONE",
    "base": {"ref": "main", "sha": "b" * 40, "repo": {"id": 1, "full_name": "us/paper"}},
}


def made(**changes: Any) -> Publication:
    """What a review of a pull request found: one thing that blocks."""
    values: dict[str, Any] = {
        "schema": 1,
        "head": HEAD,
        "conclusion": Conclusion.BLOCKING,
        "title": "1 finding, 1 blocking",
        "summary": "### pf-verify: 1 finding, 1 blocking\n",
        "is_read": True,
        "is_quiet": False,
        "is_open": True,
        "is_private": False,
    }
    return Publication(**(values | changes))


def told(proofs: Publication, paper: str = ".") -> ActionReview:
    """A review whose proofs were to be read."""
    return ActionReview(
        structure=made(head=proofs.head),
        proofs=proofs,
        is_expected=True,
        is_awaited=True,
        is_advisory=True,
        page="",
        paper=paper,
    )


def line(model: str) -> str:
    """A line of a ledger: a contract with this model."""
    asks = {"model": model}
    return ledger_text(ledger(contracts={digest(asks): asks}))


@dataclass
class World:
    """What the server keeps, and all that was asked of it."""

    api: str = ""
    pulls: list[dict[str, Any]] = field(default_factory=list)
    comments: list[dict[str, Any]] = field(default_factory=list)
    reviews: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[dict[str, Any]] = field(default_factory=list)
    minimised: list[str] = field(default_factory=list)
    """Comments that were minimised, by GitHub's own ids."""
    issues: list[dict[str, Any]] = field(default_factory=list)
    runs: list[dict[str, Any]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    scans: list[dict[str, Any]] = field(default_factory=list)
    caches: list[str] = field(default_factory=list)
    branches: dict[str, str] = field(default_factory=dict)
    now: int = 0
    """Minutes since this world began."""
    calls: list[tuple[str, str]] = field(default_factory=list)
    before: Callable[[str, str], int | None] = lambda method, path: None
    retry_after: str = ""
    """How long it wants to be left alone, wherever it refuses something; in seconds."""
    rights: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """What tokens may, by the names of GitHub's permissions; empty: everyone everything."""
    _query: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        """What is said on the whole of a pull request, in comments and in reviews."""
        return [item["body"] for item in (*self.comments, *self.reviews)]

    def answer(
        self,
        method: str,
        path: str,
        body: dict[str, Any],
        token: str = "",
        query: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        """The answer to a request below the repository."""
        self.calls.append((method, path))
        if self.rights and not _may(self.rights.get(token, {}), method, path):
            return 403, {"message": f"Resource not accessible by integration: {method} {path}"}
        self._query = query or {}
        status = self.before(method, path)
        if status is not None:
            return status, {"message": "told to fail"}
        for pattern, verb, act in self._routes():
            match = re.fullmatch(pattern, path)
            if match and verb == method:
                found: tuple[int, Any] = act(body, *match.groups())
                return found
        return 404, {"message": "Not Found"}

    def _routes(self) -> list[tuple[str, str, Any]]:
        return [
            (r"/pulls", "GET", lambda _: (200, [_STRANGER | pull for pull in self.pulls])),
            (r"/pulls/\d+/comments", "GET", lambda _: (200, self.remarks)),
            (r"/pulls/comments/(\d+)", "PATCH", lambda b, n: self._edit(self.remarks, n, b)),
            (r"/graphql", "POST", self._graph),
            (r"/pulls/\d+/reviews", "GET", lambda _: (200, self.reviews)),
            (r"/pulls/\d+/reviews", "POST", self._review),
            (r"/pulls/\d+/reviews/(\d+)", "PUT", lambda b, n: self._edit(self.reviews, n, b)),
            (r"/issues/(\d+)", "GET", lambda _, n: (200, self._issue(int(n)))),
            (r"/issues/\d+/comments", "GET", lambda _: (200, self.comments)),
            (r"/issues/\d+/comments", "POST", lambda b: self._add(self.comments, b, 500)),
            (r"/issues/comments/(\d+)", "GET", lambda _, n: (200, self._of(self.comments, n))),
            (r"/issues/comments/(\d+)", "PATCH", lambda b, n: self._edit(self.comments, n, b)),
            (r"/issues", "GET", lambda _: (200, self.issues)),
            (r"/issues", "POST", self._open),
            (r"/issues/(\d+)", "PATCH", lambda b, n: (200, self._issue(int(n)) | self._set(n, b))),
            (
                r"/commits/(\w+)",
                "GET",
                lambda _, s: (200, {"sha": s, "url": self._url("/commits/" + s)}),
            ),
            (r"/commits/(\w+)/check-runs", "GET", lambda _, s: (200, self._listed(s))),
            (r"/commits/(\w+)/branches-where-head", "GET", lambda _, s: (200, self._at(s))),
            (r"/check-runs", "POST", lambda b: self._add(self.runs, self._check(b), 900)),
            (r"/check-runs/(\d+)", "PATCH", lambda b, n: self._edit(self.runs, n, b)),
            (r"/contents/(.+)", "GET", lambda _, p: self._file(p)),
            (r"/contents/(.+)", "PUT", lambda b, p: self._put(p, b)),
            (r"/git/blobs/(\w+)", "GET", lambda _, s: self._blob(s)),
            (r"/code-scanning/sarifs", "POST", self._scan),
            (r"/actions/caches", "GET", lambda _: (200, self._caches())),
        ]

    def _url(self, path: str) -> str:
        return f"{self.api}/repos/us/paper{path}"

    def _issue(self, number: int) -> dict[str, Any]:
        known = next((i for i in self.issues if i["number"] == number), {"number": number})
        return known | {"url": self._url(f"/issues/{number}")}

    def _of(self, things: list[dict[str, Any]], number: str) -> dict[str, Any]:
        return next(item for item in things if item["id"] == int(number))

    def _add(self, things: list[dict[str, Any]], body: Any, first: int) -> tuple[int, Any]:
        kind = "check-runs" if things is self.runs else "issues/comments"
        number = first + len(things)
        item = {"id": number, "user": ME, "url": self._url(f"/{kind}/{number}"), **body}
        things.append(item)
        return 201, item

    def _check(self, body: Any) -> dict[str, Any]:
        return {"app": ACTIONS, "started_at": moment(self.now), **body}

    def _review(self, body: Any) -> tuple[int, Any]:
        """A review with its comments, each beside a line."""
        for number, item in enumerate(body.pop("comments", ()), len(self.remarks)):
            known = {"node_id": f"PRRC_{number}", "html_url": f"{self.api}/r{number}"}
            self._add(self.remarks, {"subject_type": "line", **known, **item}, 3000)
        return self._add(self.reviews, body, 2000)

    def _graph(self, body: Any) -> tuple[int, Any]:
        self.minimised.append(body["variables"]["comment"])
        return 200, {"data": {"minimizeComment": {"clientMutationId": None}}}

    def _edit(self, things: list[dict[str, Any]], number: str, body: Any) -> tuple[int, Any]:
        self._of(things, number).update(body)
        return 200, self._of(things, number)

    def _open(self, body: Any) -> tuple[int, Any]:
        number = 40 + len(self.issues)
        known = {"id": number, "number": number, "user": ME, "state": "open"}
        self.issues.append(known | body)
        self.issues[-1]["labels"] = []
        return 201, self._issue(number)

    def _set(self, number: str, body: Any) -> dict[str, Any]:
        next(i for i in self.issues if i["number"] == int(number)).update(body)
        return dict(body)

    def _listed(self, head: str) -> dict[str, Any]:
        name = self._query.get("check_name")
        found = [
            run for run in self.runs if run["head_sha"] == head and name in (None, run["name"])
        ]
        if self._query.get("filter") != "all":
            found = list({run["name"]: run for run in found}.values())
        return {"total_count": len(found), "check_runs": found}

    def _at(self, head: str) -> list[dict[str, Any]]:
        """The branches at a commit."""
        commit = {"sha": head, "url": self._url(f"/commits/{head}")}
        at = [name for name, tip in self.branches.items() if tip == head]
        return [{"name": name, "commit": commit, "protected": False} for name in at]

    def _caches(self) -> dict[str, Any]:
        asked = self._query.get("key", "")
        found = [{"key": name} for name in self.caches if name.startswith(asked)]
        size, page = (int(self._query.get(key, 1)) for key in ("per_page", "page"))
        return {
            "total_count": len(found),
            "actions_caches": found[size * (page - 1) : size * page],
        }

    def _file(self, path: str) -> tuple[int, Any]:
        if path not in self.files:
            return 404, {"message": "Not Found"}
        return 200, {"type": "file", "path": path, "sha": blob(self.files[path])}

    def _blob(self, name: str) -> tuple[int, Any]:
        data = next(data for data in self.files.values() if blob(data) == name)
        return 200, {"sha": name, "content": base64.b64encode(data).decode(), "encoding": "base64"}

    def _scan(self, body: Any) -> tuple[int, Any]:
        self.scans.append(body)
        return 202, {}

    def _put(self, path: str, body: Any) -> tuple[int, Any]:
        held = blob(self.files[path]) if path in self.files else None
        if held != body.get("sha"):
            return (409 if held and body.get("sha") else 422), {"message": "another came first"}
        self.files[path] = base64.b64decode(body["content"])
        return 200, {"commit": {"sha": HEAD}, "content": {"path": path}}


_RIGHTS = (
    (r"/pulls.*|/graphql", "pull-requests"),
    (r"/issues.*", "issues"),
    (r"/commits/\w+/check-runs|/check-runs.*", "checks"),
    (r"/code-scanning/.*", "security-events"),
    (r"/actions/.*", "actions"),
)
"""Which permission a path needs; the others are about contents."""


def _may(granted: Mapping[str, str], method: str, path: str) -> bool:
    """Whether a token is enough for a request, in a private repository."""
    known = (right for pattern, right in _RIGHTS if re.fullmatch(pattern, path))
    levels = ("read", "write") if method == "GET" else ("write",)
    return granted.get(next(known, "contents"), "none") in levels


def moment(now: int) -> str:
    """A time as GitHub writes it."""
    return (datetime(2026, 1, 31) + timedelta(minutes=now)).isoformat() + "Z"


def blob(data: bytes) -> str:
    """A name for some content."""
    return sha1(data, usedforsecurity=False).hexdigest()


@pytest.fixture
def world() -> Iterator[World]:
    """The server, listening; an Enterprise server has a path before everything."""
    keeping, judge = World(), Judge()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            path, _, query = self.path.removeprefix("/api/v3").removeprefix("/api").partition("?")
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            asked = dict(parse_qsl(query))
            judge.request(Call(self.command, path, asked, body))
            path = path.removeprefix("/repos/us/paper")
            status, said = keeping.answer(self.command, path, body, self._token(), asked)
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            if status >= 400 and keeping.retry_after:
                self.send_header("Retry-After", keeping.retry_after)
            self.end_headers()
            self.wfile.write(data)

        def _token(self) -> str:
            return str(self.headers.get("Authorization", "")).rpartition(" ")[2]

        def do_GET(self) -> None:
            self._do()

        def do_POST(self) -> None:
            self._do()

        def do_PATCH(self) -> None:
            self._do()

        def do_PUT(self) -> None:
            self._do()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    keeping.api = f"http://127.0.0.1:{server.server_port}/api/v3"
    try:
        yield keeping
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert list(dict.fromkeys(judge.problems)) == []


@pytest.fixture
def github(tmp_path: Path) -> Iterator[GitHub]:
    """A GitHub on this machine: see tests/bot/fake_github/server.py."""
    private, public = key_pair()
    hub = GitHub(folder=tmp_path / "github", private_key=private, public_key=public)
    with serving(hub):
        yield hub
    assert list(dict.fromkeys(hub.judge.problems)) == []


@pytest.fixture
def commits(repository: Callable[..., str], document: Callable[..., str]) -> Callable[..., str]:
    """Commits a paper with a body and other files: `pf_toml="…"`."""

    def run(body: str, **files: str) -> str:
        others = {name.replace("_", "."): text for name, text in files.items()}
        return repository({"main.tex": document(body), **others})

    return run


@pytest.fixture
def bare(tmp_path: Path) -> GitRepository:
    """The repository of `commits`, as one without a working tree."""
    folder = tmp_path / "paper" / ".git"
    return GitRepository(root=None, git_dir=folder, common_dir=folder)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[Callable[..., ReviewTools]]:
    """Makes what reviews work with: without a model, or with one that is scripted."""
    stores = []

    def make(llm: LlmClient | None = None, price: float = 0.0, **more: Any) -> ReviewTools:
        if llm is None:
            return ReviewTools(cache=MemoryCache(), **more)
        store = open_store(str(tmp_path / "replies.sqlite"), lambda: 1.0)
        stores.append(store)
        config = f'[prices."m"]\ninput = {price}\noutput = {price}' if price else ""
        choice = choose("m", {"PF_BASE_URL": "http://127.0.0.1:9/v1"}, config)

        @asynccontextmanager
        async def who(_: ModelChoice) -> AsyncIterator[LlmClient]:
            yield llm

        return ReviewTools(cache=MemoryCache(), choice=choice, store=store, who=who, **more)

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def llm() -> LlmClient | None:
    """Who reads for the App: nobody, where a file of tests does not say otherwise."""
    return None


@pytest.fixture
def shop(github: GitHub, tmp_path: Path, llm: LlmClient | None) -> Iterator[Shop]:
    """The App, which does what there is to do when it is told to."""
    opened = Shop(github, tmp_path / "app", llm)
    yield opened
    opened.close()
