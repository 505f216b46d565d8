"""A GitHub on this machine: it keeps what it is told, refuses what GitHub refuses, and can fail.

How tests use it:

    def test_something(github):
        repo = github.repository(files={"main.tex": "..."}, people={"alice": "write"})
        repo.commit({"main.tex": "..."}, on="change")
        pull = github.open(repo)                    # a delivery: github.sent[-1].body, .headers
        github.push(repo, {...}, branch="change")   # "push" and "synchronize"
        github.say(repo, pull, "/pf check", by="alice")
        github.fail("POST", r"/comments$", after=True)   # done, and then answered 502
        github.limit("POST", r"/reviews$", seconds=1)
        assert [item.body for item in repo.remarks] == [...]

Programs reach it at `github.url` with `github.app` and `github.private_key`; the commits are in
bare repositories below `github.server_url`. With `github.hook` set, deliveries are sent there.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit

import jwt

from bot.web.registration import EVENTS
from tests.bot.fake_github import api, app, checks, threads
from tests.bot.fake_github.actions import Actions
from tests.bot.fake_github.calls import Answer, Call, Refusal, Route
from tests.bot.fake_github.state import FULL, Installation, Repository, Sent, Token
from tests.bot.fake_github.validation import Judge

ROUTES = [route for part in (app, api, checks, threads) for route in part.routes.all]
_ENTERPRISE = "/api/v3"
_RANK = ("", "read", "write", "admin")


@dataclass
class Fault:
    """A failure to come; `status` None drops the connection, `after`: when all was done."""

    method: str
    pattern: str
    status: int | None
    after: bool
    times: int
    headers: Mapping[str, str]
    body: Any

    def is_met(self, call: Call) -> bool:
        """Whether it comes now."""
        is_meant = self.method == call.method and re.search(self.pattern, call.path)
        if not is_meant or self.times <= 0:
            return False
        self.times -= 1
        return True


class Dropped(Exception):  # noqa: N818 - it is an answer
    """The connection ends without an answer."""


@dataclass
class GitHub(Actions):
    """The fake; what tests do to it is in Actions, what programs ask of it goes through `answer`.

    `hook` is where deliveries go; without it they are recorded as failed. `server_url` leads to
    the repositories' commits, as files.
    """

    app: int = 2
    slug: str = "pf-verify"
    secret: bytes = b"a-secret-of-webhooks"
    hook: str | None = None
    permissions: dict[str, str] = field(default_factory=lambda: dict(FULL))
    events: list[str] = field(default_factory=lambda: list(EVENTS))
    url: str = ""
    folder: Path | None = None
    private_key: str = field(default="", repr=False)
    public_key: str = ""
    clock: Callable[[], float] = time.time
    people: set[str] = field(default_factory=set)
    installations: dict[int, Installation] = field(default_factory=dict)
    repositories: dict[str, Repository] = field(default_factory=dict)
    former: dict[str, Repository] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    sent: list[Sent] = field(default_factory=list)
    manifests: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    before: Callable[[Call], None] = lambda call: None
    judge: Judge = field(default_factory=Judge)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def login(self) -> str:
        """The login under which the App writes."""
        return f"{self.slug}[bot]"

    @property
    def server_url(self) -> str:
        """What clone addresses begin with."""
        assert self.folder is not None
        return self.folder.as_uri()

    def answer(self, call: Call, authorization: str) -> Answer:
        """The answer to a request; Dropped where there is none."""
        with self.lock:
            self.calls.append(call)
            moved = self._moved(call)
            if moved is not None:
                return moved
            self.judge.request(call)
            self.before(call)
            fault = next((fault for fault in self.faults if fault.is_met(call)), None)
            if fault is None or fault.after:
                answer = self._answer(call, authorization)
                self.judge.response(call, answer)
            if fault is None:
                return answer
            if fault.status is None:
                raise Dropped
            return Answer(fault.status, fault.body, dict(fault.headers))

    def _moved(self, call: Call) -> Answer | None:
        """Where a repository that was renamed leads; what is asked for by id is put by name."""
        by_id = re.match(r"/repositories/(\d+)(.*)", call.path)
        if by_id:
            known = {repo.id: repo.name for repo in self.repositories.values()}
            call.path = f"/repos/{known.get(int(by_id[1]), 'no/such')}{by_id[2]}"
        old = re.match(r"/repos/([^/]+/[^/]+)(.*)", call.path)
        repo = self.former.get(old[1]) if old else None
        if old is None or repo is None:
            return None
        query = f"?{urlencode(call.query)}" if call.query else ""
        place = f"{self.url}/repositories/{repo.id}{old[2]}{query}"
        status = 301 if call.method == "GET" else 307
        return Answer(status, {"message": "Moved Permanently", "url": place}, {"location": place})

    def _answer(self, call: Call, authorization: str) -> Answer:
        for route in ROUTES:
            named = route.named(call.method, call.path)
            if named is not None:
                call.named = {key: unquote(value) for key, value in named.items()}
                try:
                    return self._allowed(route, call, authorization)
                except Refusal as refusal:
                    return refusal.answer
        return Answer(404, {"message": f"the fake knows no {call.method} {call.path}"})

    def _allowed(self, route: Route, call: Call, authorization: str) -> Answer:
        scheme, _, secret = authorization.partition(" ")
        if route.needs == "nobody":
            return route.act(self, call)
        if route.needs == "app":
            self._know(scheme, secret)
            return route.act(self, call)
        token = self.tokens.get(secret)
        if token is None or token.expires <= self.clock() or scheme not in ("token", "Bearer"):
            raise Refusal(401, "Bad credentials")
        if token.installation not in self.installations:
            raise Refusal(401, "Bad credentials")
        call.token = token
        if not route.needs:
            return route.act(self, call)
        repo = self._opened(token, call)
        name, _, level = route.needs.partition(":")
        now = {**FULL, **self.installations[token.installation].permissions}
        granted = min(token.permissions.get(name, ""), now.get(name, ""), key=_RANK.index)
        if _RANK.index(granted) < _RANK.index(level):
            raise Refusal(403, "Resource not accessible by integration")
        return route.act(self, repo, call)

    def _know(self, scheme: str, secret: str) -> None:
        """Whether the App itself asks."""
        try:
            if scheme != "Bearer":
                raise Refusal(401, "A JSON web token could not be decoded")
            options: Any = {"verify_exp": False, "verify_iat": False}
            said = jwt.decode(secret, self.public_key, algorithms=["RS256"], options=options)
        except jwt.PyJWTError:
            raise Refusal(401, "A JSON web token could not be decoded") from None
        now = self.clock()
        if str(said.get("iss")) != str(self.app):
            raise Refusal(401, "'Issuer' claim ('iss') must be an Integer")
        if not said["iat"] <= now + 5 or not now < said["exp"] <= now + 605:
            raise Refusal(401, "'Expiration time' claim ('exp') is too far in the future")

    def _opened(self, token: Token, call: Call) -> Repository:
        name = f"{call.named['owner']}/{call.named['repo']}"
        repo = self.repositories.get(name)
        is_open = repo is not None and repo.installation == token.installation
        if not is_open or (token.repositories is not None and name not in token.repositories):
            raise Refusal(404, "Not Found")
        assert repo is not None
        return repo


@contextmanager
def serving(hub: GitHub) -> Iterator[None]:
    """The fake, listening on this machine; an Enterprise server has a path before everything."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # head and body in one piece: in two, the second one waits 40 ms

        def do(self) -> None:
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            given = self.rfile.read(length)
            if len(given) < length:  # who sent it died on the way
                self.close_connection = True
                return
            call = Call(
                self.command,
                _below(parts.path),
                dict(parse_qsl(parts.query)),
                json.loads(given or b"{}"),
            )
            try:
                answer = hub.answer(call, self.headers.get("Authorization") or "")
            except Dropped:
                self.close_connection = True
                return
            self._send(paged(answer, call, hub.url))

        def _send(self, answer: Answer) -> None:
            data = b"" if answer.status == 204 else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def date_time_string(self, timestamp: float | None = None) -> str:
            return formatdate(hub.clock(), usegmt=True)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    for method in ("GET", "POST", "PATCH", "PUT", "DELETE"):
        setattr(Handler, f"do_{method}", Handler.do)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_port}{_ENTERPRISE}"
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _below(path: str) -> str:
    """An address on an Enterprise server, where GraphQL is beside the rest."""
    return path.removeprefix("/api" if path == "/api/graphql" else _ENTERPRISE)


def paged(answer: Answer, call: Call, url: str) -> Answer:
    """One page of an answer that is a list or holds one, with a link to the next."""
    if call.method != "GET" or answer.headers.pop("X-Whole", ""):
        return answer
    key = next((key for key in ("check_runs", "repositories") if key in (answer.body or ())), None)
    found = answer.body[key] if key else answer.body
    if not isinstance(found, list):
        return answer
    size, page = int(call.query.get("per_page", 30)), int(call.query.get("page", 1))
    part = found[(page - 1) * size : page * size]
    headers = dict(answer.headers)
    if page * size < len(found):
        asked = "&".join(f"{k}={v}" for k, v in {**call.query, "page": page + 1}.items())
        headers["Link"] = f'<{url}{call.path}?{asked}>; rel="next"'
    return Answer(answer.status, answer.body | {key: part} if key else part, headers)
