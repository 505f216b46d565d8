"""The App as GitHub knows it: its repositories, and what was delivered to it."""

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Lock

from bot.domain.forge import Identity, Missed
from bot.github import tokens
from bot.github.client import Client, Clock, RequestPace, Sleep, understood
from bot.github.github_repository import AppIdentity, GitHubForge
from bot.github.responses import Attempt, Delivered, Hook, RegisteredResponse, Slug
from bot.github.tokens import Scope

_MOST_OPEN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How GitHub is asked: seconds between writes, and how long it may let one wait.

    `is_resolving`: threads of matters that ended are resolved, which needs `contents: write`.
    """

    between: float = 1.0
    longest: float = 90.0
    is_resolving: bool = False


class GitHubHub:
    """One App on one server; for all threads.

    `api` and `server` are addresses without a slash at the end, of GitHub Enterprise too.
    """

    def __init__(  # noqa: PLR0913 - the last ones are for tests
        self,
        api: str,
        server: str,
        app: int,
        private_key: str,
        *,
        manner: Manner | None = None,
        clock: Clock = time.time,
        sleep: Sleep = time.sleep,
    ) -> None:
        self._api = api
        self._server = server
        self._app = app
        self._manner = manner or Manner()
        self._clock = clock
        self._sleep = sleep
        self._lock = Lock()
        self._paces: defaultdict[int, RequestPace] = defaultdict(self._pace)
        key = tokens.of_app(app, private_key, clock)
        self._client = Client(api, key.right(), self._pace())
        self._tokens = tokens.Tokens(self._client, clock)
        self._forges: dict[Scope, GitHubForge] = {}
        self._me: str | None = None

    @property
    def me(self) -> str:
        """The login under which the App writes; asked for once."""
        if self._me is None:
            sentence = "the App cannot be found"
            self._me = (
                f"{understood(Slug, self._client.read('/app', sentence), sentence).slug}[bot]"
            )
        return self._me

    def identity(self) -> Identity:
        """The App as it is registered."""
        sentence = "the App cannot be found"
        theirs, answer = self._client.dated("/app", sentence)
        found = understood(RegisteredResponse, answer, sentence)
        ahead = None if theirs is None else self._clock() - theirs
        sentence = "where deliveries go cannot be told"
        hook = understood(Hook, self._client.read("/app/hook/config", sentence), sentence)
        return Identity(
            slug=found.slug,
            owner=found.owner.login or found.owner.slug,
            permissions=found.permissions,
            events=found.events,
            hook=hook.url,
            ahead=ahead,
        )

    def forge(self, installation: int, repository: str) -> GitHubForge:
        """A repository by its name `owner/name`; for all threads, whose connections stay open."""
        scope = Scope(installation=installation, repository=repository)
        app = AppIdentity(
            id=self._app,
            login=self.me,
            server=self._server,
            is_resolving=self._manner.is_resolving,
        )
        with self._lock:
            if len(self._forges) >= _MOST_OPEN:
                self._forges.clear()
            if scope not in self._forges:
                self._forges[scope] = self._opened(scope, app)
            return self._forges[scope]

    def _opened(self, scope: Scope, app: AppIdentity) -> GitHubForge:
        right = self._tokens.of(scope).right()
        client = Client(self._api, right, self._paces[scope.installation])
        reading = self._tokens.of(replace(scope, is_reading=True))
        return GitHubForge(client, scope.repository, reading, app)

    def deliveries(self, since: float) -> Iterator[Missed]:
        """What GitHub has sent, or tried to send, from a moment on; the newest first."""
        sentence = "what was delivered cannot be listed"
        for item in self._client.pages("/app/hook/deliveries", sentence):
            found = understood(Attempt, item, sentence)
            delivered = found.delivered_at.timestamp()
            if delivered < since:
                return
            yield Missed(id=found.id, guid=found.guid, event=found.event, delivered=delivered)

    def delivery(self, missed: Missed) -> bytes:
        """The body of a delivery: the same JSON, though not the very bytes that were signed."""
        sentence = "a delivery cannot be read"
        found = self._client.read(f"/app/hook/deliveries/{missed.id}", sentence)
        return understood(Delivered, found, sentence).body

    def _pace(self) -> RequestPace:
        manner = self._manner
        return RequestPace(self._clock, self._sleep, between=manner.between, longest=manner.longest)
