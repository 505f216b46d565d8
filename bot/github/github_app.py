"""The App as GitHub knows it: its repositories and its deliveries."""

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from threading import Lock
from urllib.parse import quote

from bot.domain.events import RepositoryPlace
from bot.domain.forge import GoneError, Identity, Missed
from bot.github import tokens
from bot.github.client import Client, Clock, RequestPace, Sleep, understood
from bot.github.github_repository import AppIdentity, GitHubForge
from bot.github.responses import (
    Attempt,
    Delivered,
    Hook,
    InstalledOn,
    OpenedRepositories,
    RegisteredResponse,
    Slug,
)
from bot.github.tokens import Scope

_MOST_OPEN = 100
_NAMED_FOR = 10.0
"""For how many seconds the name of a repository is cached."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How to talk to GitHub: seconds between writes, and the longest wait that is accepted.

    `is_resolving`: threads of closed findings are resolved, which needs `contents: write`.
    """

    between: float = 1.0
    longest: float = 90.0
    is_resolving: bool = False


class GitHubHub:
    """An App on one server; for all threads.

    `api` and `server` are addresses without a trailing slash, also for GitHub Enterprise.
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
        self._names: dict[int, tuple[int, str, float]] = {}
        self._me: str | None = None

    @property
    def me(self) -> str:
        """The login under which the App writes; requested only once."""
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
        sentence = "the webhook address cannot be read"
        hook = understood(Hook, self._client.read("/app/hook/config", sentence), sentence)
        return Identity(
            slug=found.slug,
            owner=found.owner.login or found.owner.slug,
            permissions=found.permissions,
            events=found.events,
            hook=hook.url,
            ahead=ahead,
        )

    def forge(
        self, installation: int, repository: str, repository_id: int | None = None
    ) -> GitHubForge:
        """A repository by its id, else by its name; for all threads, whose connections stay open.

        The current name is looked up: a job that waited since before a rename or transfer is about
        the same repository, and the old name may belong to another one by now.
        """
        if repository_id is not None:
            repository = self._named(installation, repository, repository_id)
        scope = Scope(installation=installation, repository=repository, repository_id=repository_id)
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

    def home(self, place: RepositoryPlace) -> RepositoryPlace | None:
        """The current place of a repository; its last known name leads there until reused."""
        number = place.repository_id
        name = self._names.get(number, (0, place.repository, 0.0))[1]
        sentence = f"the installation of {name} cannot be read"
        try:
            answer = self._client.read(f"/repos/{quote(name)}/installation", sentence)
            installation = understood(InstalledOn, answer, sentence).id
            # The token is for this id, so that nothing else with the old name is taken for it.
            name = self._named(installation, name, number)
        except GoneError:
            return None
        return RepositoryPlace(installation=installation, repository=name, repository_id=number)

    def _named(self, installation: int, repository: str, repository_id: int) -> str:
        """The current name of a repository, as its own token reports; cached for a short time."""
        known = self._names.get(repository_id)
        now = self._clock()
        if known is not None and known[0] == installation and 0 <= now - known[2] < _NAMED_FOR:
            return known[1]
        name = repository if known is None else known[1]
        scope = Scope(installation=installation, repository=name, repository_id=repository_id)
        client = Client(self._api, self._tokens.of(scope).right(), self._paces[installation])
        sentence = f"the name of {repository} cannot be read"
        answer = client.read("/installation/repositories", sentence)
        found = understood(OpenedRepositories, answer, sentence)
        names = [item.full_name for item in found.repositories if item.id == repository_id]
        if not names:
            raise GoneError(f"{repository} is not a repository of the App")
        self._names[repository_id] = installation, names[0], now
        return names[0]

    def _opened(self, scope: Scope, app: AppIdentity) -> GitHubForge:
        right = self._tokens.of(scope).right()
        client = Client(self._api, right, self._paces[scope.installation])
        reading = self._tokens.of(replace(scope, is_reading=True))
        return GitHubForge(client, scope.repository, reading, app)

    def deliveries(self, since: float) -> Iterator[Missed]:
        """Deliveries that GitHub has sent, or tried to send, since a moment, the newest first."""
        sentence = "deliveries cannot be listed"
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
