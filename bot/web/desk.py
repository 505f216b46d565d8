"""What is known while an App is set up: who is there, what was asked, and what came of it."""

import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from bot.web.manifest import Wish
from bot.web.registration import Exchange, NewApp, RegistrationError, SavedRegistration, keep
from pfcore.domain.errors import ConfigError

_TRIES = 10
_UNSAFE = "A page of GitHub sent this, but not as an answer to what was asked here: start again."


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupTarget:
    """Where an App is set up: the file to write, and the GitHub to register it on.

    `code` is shown on the terminal; `is_polling`: deliveries are fetched; `done` is called when
    the files are there; `random` gives words that nobody can guess.
    """

    path: Path
    server_url: str
    api_url: str
    is_polling: bool
    code: str = field(repr=False)
    exchange: Exchange
    done: Callable[[], None]
    random: Callable[[], str] = secrets.token_urlsafe


def new_code() -> str:
    """A code that is short enough to be typed."""
    return secrets.token_hex(5)


class SetupSession:
    """What is known of the person, of what was asked, and of what came of it."""

    def __init__(self, setup: SetupTarget) -> None:
        self.made: NewApp | None = None
        self.wish = Wish()
        self._setup = setup
        self._session = setup.random()
        self._state = ""
        self._tries = 0
        self._lock = Lock()

    def unlocked(self, code: str) -> str | None:
        """The value of the cookie for who knows the code."""
        with self._lock:
            if self._tries >= _TRIES:
                return None
            self._tries += 1
            if not _is_same(code.strip().lower(), self._setup.code):
                return None
            self._tries = 0
            return self._session

    def refusal(self) -> str:
        """Why a code was not taken."""
        if self._tries >= _TRIES:
            return "Too many codes were wrong: start pf serve again."
        return "This is not the code that the terminal shows."

    def is_known(self, session: str) -> bool:
        """Whether a cookie is ours."""
        return _is_same(session, self._session)

    def ask(self, wish: Wish) -> str:
        """Remember what is asked for; the state that GitHub brings back."""
        with self._lock:
            self.wish, self._state = wish, self._setup.random()
            return self._state

    def take(self, code: str, state: str) -> None:
        """Exchange a code and keep what it gives; a state is good for one."""
        with self._lock:
            asked, self._state = self._state, ""
            if not asked or not _is_same(state, asked):
                raise RegistrationError(_UNSAFE)
            self.made = self._kept(self._setup.exchange(code))
        self._setup.done()

    def _kept(self, made: NewApp) -> NewApp:
        kept = SavedRegistration(
            pages_token=self._setup.random(),
            webhook_secret=self._setup.random(),
            server_url=self._setup.server_url,
            api_url=self._setup.api_url,
            public_url=self.wish.public_url,
            may_resolve=self.wish.may_resolve,
        )
        try:
            keep(made, kept, self._setup.path)
        except ConfigError as error:
            # GitHub gives the key once: without it the new App is of no use.
            advice = f"delete the new App at {made.html_url} and start again"
            raise RegistrationError(f"{error.message}; {advice}") from None
        return made


def _is_same(given: str, ours: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), ours.encode())
