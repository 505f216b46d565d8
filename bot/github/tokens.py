"""The credentials for GitHub: the App's key, for minutes, and a repository's token, for an hour."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Annotated

from github import Auth
from jwt import PyJWTError
from pydantic import AwareDatetime, BaseModel, Field

from bot.domain.forge import GoneError, RefusedError
from bot.github.client import Client, Clock, Right, understood
from pfcore.domain.errors import IncompleteError

_SIGNED_FOR, _BACKDATED = 300, 60
_RENEWED_BEFORE = 60.0
_TOKEN_RENEWED_BEFORE = 900.0
"""How many seconds a token is valid at least when it is handed out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What a token gives access to: one repository; `is_reading`: only to read its contents.

    A name may pass to another repository: with `repository_id` the token is for that id, and the
    name is only for people.
    """

    installation: int
    repository: str
    repository_id: int | None = None
    is_reading: bool = False


@dataclass(frozen=True, slots=True)
class _LiveToken:
    """A token and its expiry; it is never printed."""

    token: str
    until: float

    def __repr__(self) -> str:
        return "_Held(...)"


class _NamedRepository(BaseModel):
    """A repository."""

    id: int | None = None
    full_name: str


class _TokenResponse(BaseModel):
    """The answer with a token; `repositories` are those that it opens, if GitHub lists them."""

    token: Annotated[str, Field(repr=False)]
    expires_at: AwareDatetime
    repositories: tuple[_NamedRepository, ...] = ()

    def is_for(self, scope: Scope) -> bool:
        """Whether it opens this repository and no other, as far as it says."""
        if scope.repository_id is not None:
            return all(item.id == scope.repository_id for item in self.repositories)
        name = scope.repository.lower()
        return all(item.full_name.lower() == name for item in self.repositories)


class CachedToken:
    """A token that is made when first needed, and again before it expires; for all threads."""

    def __init__(self, make: Callable[[], _LiveToken], clock: Clock, *, before: float) -> None:
        self._make = make
        self._clock = clock
        self._before = before
        self._lock = Lock()
        self._held: _LiveToken | None = None

    def get(self) -> str:
        """The token; one thread makes it while the others wait."""
        with self._lock:
            if self._held is None or self._held.until - self._clock() < self._before:
                self._held = self._make()
            return self._held.token

    def forget(self) -> None:
        """Make a new token next time."""
        with self._lock:
            self._held = None

    def right(self) -> Right:
        """The token as a `Right` for a client."""
        return Right(self.get, self.forget)


def of_app(app: int, private_key: str, clock: Clock) -> CachedToken:
    """The App's own token, signed by its key for some minutes; its clock may be a minute ahead."""
    sign = Auth.AppAuth.create_jwt_sign(private_key, "RS256")

    def make() -> _LiveToken:
        now = int(clock())
        claims = {"iss": str(app), "iat": now - _BACKDATED, "exp": now + _SIGNED_FOR}
        try:
            return _LiveToken(str(sign(claims)), float(now + _SIGNED_FOR))
        except (PyJWTError, TypeError, ValueError):
            raise IncompleteError("the App's private key cannot be used") from None

    return CachedToken(make, clock, before=_RENEWED_BEFORE)


class Tokens:
    """The tokens of the App's installations, each for one repository and no other."""

    def __init__(self, app: Client, clock: Clock) -> None:
        self._app = app
        self._clock = clock
        self._lock = Lock()
        self._kept: dict[Scope, CachedToken] = {}

    def of(self, scope: Scope) -> CachedToken:
        """The token of a scope."""
        with self._lock:
            if scope not in self._kept:
                before = _TOKEN_RENEWED_BEFORE
                self._kept[scope] = CachedToken(
                    lambda: self._make(scope), self._clock, before=before
                )
            return self._kept[scope]

    def _make(self, scope: Scope) -> _LiveToken:
        body: dict[str, object] = (
            {"repositories": [scope.repository.partition("/")[2]]}
            if scope.repository_id is None
            else {"repository_ids": [scope.repository_id]}
        )
        if scope.is_reading:
            body["permissions"] = {"contents": "read"}
        path = f"/app/installations/{scope.installation}/access_tokens"
        sentence = f"no token for {scope.repository}"
        try:
            # That another thread makes a token at the same time does no harm.
            found = self._app.rewrite("POST", path, sentence, body)
        except RefusedError as error:
            # The repository was renamed, or taken away from the App.
            raise GoneError(error.message) from None
        made = understood(_TokenResponse, found, sentence)
        if not made.is_for(scope):
            raise IncompleteError(f"{sentence}: GitHub sent a token for another repository")
        return _LiveToken(made.token, made.expires_at.timestamp())
