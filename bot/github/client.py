"""Asks one GitHub server by one right: paced, read again when an answer is lost, never written so.

A write whose answer was lost may have been done. Who writes says how that can be seen.

What goes wrong between here and GitHub, as errors with sentences; nothing secret is in them.

How fast GitHub is asked: writes one after the other, and nothing while it wants silence.

GitHub asks for a second between writes, and refuses more than 80 in a minute:
https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api
"""

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import SplitResult, parse_qsl, urlsplit

from github import Auth
from github.Requester import (
    HTTPRequestsConnectionClass,
    HTTPSRequestsConnectionClass,
    Requester,
    RequestsResponse,
)
from pydantic import BaseModel, ValidationError
from requests import Session

from bot.domain.forge import BusyError, GoneError, RefusedError, TooManyError
from pfcore.domain.errors import IncompleteError
from pfcore.reporters.printing import safe, shortened

Json = Any
Done = TypeVar("Done")
_ATTEMPTS = 5
_PAGE = 100
_OTHERWISE = 300
_MOST_PAGES = 100
_MOVED, _FOR_GOOD = 301, 308
_LEADS = frozenset((302, 307, _FOR_GOOD))
"""Statuses that lead to another address, where the same is to be done."""
_MOST_LEADS = 4
_TIMEOUT = 30
_NEXT = re.compile(r'<([^<>]+)>; rel="next"')


class Right(Auth.Auth):
    """A token that is asked for whenever it is needed; `renew` is told that it was not taken."""

    def __init__(self, token: Callable[[], str], renew: Callable[[], None]) -> None:
        self._token = token
        self.renew = renew

    @property
    def token_type(self) -> str:
        """How the header calls it."""
        return "Bearer"

    @property
    def token(self) -> str:
        """The token as it is now."""
        return self._token()


Clock = Callable[[], float]
Sleep = Callable[[float], None]


class RequestPace:
    """The pace of all that asks by one right, whatever thread it is in.

    `between` are the seconds between two writes; a wait above `longest` is refused instead.
    """

    def __init__(
        self, clock: Clock, sleep: Sleep, *, between: float = 1.0, longest: float = 90.0
    ) -> None:
        self.clock = clock
        self._sleep = sleep
        self._between = between
        self._longest = longest
        self._lock = Lock()
        self._silent_until = 0.0
        self._next_write = 0.0
        self._last = clock()

    def turn(self, *, is_write: bool) -> None:
        """Wait until it is one's turn; BusyError where that would take too long."""
        with self._lock:
            now = self._now()
            start = max(now, self._silent_until, self._next_write if is_write else 0.0)
            if start - now > self._longest:
                wait = start - now
                raise BusyError(f"GitHub requires a wait of {wait:,.0f} s", seconds=wait)
            if is_write:
                self._next_write = start + self._between
        self.pause(start - now)

    def hold(self, seconds: float) -> None:
        """Keep silent for a while: GitHub has asked for it."""
        with self._lock:
            self._silent_until = max(self._silent_until, self._now() + seconds)

    def _now(self) -> float:
        """The time; where the clock was set back, all that is waited for comes so much earlier."""
        now = self.clock()
        back = max(0.0, self._last - now)
        self._silent_until -= back
        self._next_write -= back
        self._last = now
        return now

    def pause(self, seconds: float) -> None:
        """Wait, if there is anything to wait for."""
        if seconds > 0:
            self._sleep(seconds)


class Client:
    """The interface of one server, for all threads; every method may raise IncompleteError.

    What is asked for is named in a sentence, for people: "its comments cannot be read".
    """

    def __init__(self, api: str, right: Right, pace: RequestPace) -> None:
        self.pace = pace
        self._api = api
        self._right = right
        self._here = threading.local()
        # At level DEBUG it prints answers, and with them tokens.
        logging.getLogger("github").setLevel(logging.WARNING)

    @property
    def _requester(self) -> Requester:
        """What asks, for each thread its own: it keeps a request until it is sent.

        Two threads with one would get each other's answers, and tokens are among these.
        """
        if not hasattr(self._here, "requester"):
            self._here.requester = _Requester(
                auth=self._right,
                base_url=self._api,
                timeout=_TIMEOUT,
                user_agent="pf-verify",
                per_page=_PAGE,
                verify=True,
                retry=0,
                pool_size=None,
            )
        requester: Requester = self._here.requester
        return requester

    def read(self, path: str, sentence: str, **parameters: str | int) -> Json:
        """What stands at an address; asked again when an answer is lost."""
        return self._read(path, sentence, parameters)[1]

    def dated(self, path: str, sentence: str) -> tuple[float | None, Json]:
        """As `read`, with the server's time in seconds, where it says it."""
        headers, found = self._read(path, sentence, {})
        return moment(headers), found

    def pages(
        self, path: str, sentence: str, *, key: str = "", **parameters: str | int
    ) -> Iterator[Json]:
        """The items of a list, page by page; `key` is where an answer has them, if not at once.

        TooManyError where there are more pages than are asked for.
        """
        asked: dict[str, str | int] = {"per_page": _PAGE, **parameters}
        for _ in range(_MOST_PAGES):
            headers, found = self._read(path, sentence, asked)
            items = found.get(key) if key and isinstance(found, dict) else found
            if not isinstance(items, list):
                raise IncompleteError(f"{sentence}: unexpected answer from GitHub")
            yield from items
            # Only its parameters count: nobody is led to another server.
            link = _NEXT.search(str(headers.get("link", "")))
            if link is None:
                return
            asked = {**asked, **dict(parse_qsl(urlsplit(link[1]).query))}
        raise TooManyError(f"{sentence}: more than {_MOST_PAGES * _PAGE:,}")

    def write(self, verb: str, path: str, sentence: str, body: Json = None) -> Json:
        """Do something, once; LostError where it may have been done and may not."""
        return self._patient(verb, path, sentence, {}, _clean(body))[1]

    def rewrite(self, verb: str, path: str, sentence: str, body: Json = None) -> Json:
        """Do something that may be done twice: change or delete a thing that is there."""
        return self._again(verb, path, sentence, {}, _clean(body))[1]

    def once(self, act: Callable[[], Done], find: Callable[[], Done | None]) -> Done:
        """Do something by `write`; when the answer is lost, look for it before doing it again."""
        for attempt in range(_ATTEMPTS - 1):
            try:
                return act()
            except NoAnswerError:
                # What was done is listed a moment later, not at once.
                self.pace.pause(2.0**attempt)
            found = find()
            if found is not None:
                return found
        return act()

    def query(self, document: str, sentence: str, **variables: str | int | None) -> Json:
        """The data that a GraphQL document asks for; mutations may be done twice."""
        body = {"query": document, "variables": variables}
        found = self._again("POST", self._requester.graphql_url, sentence, {}, body)[1]
        data = found.get("data") if isinstance(found, dict) else None
        if data is None or found.get("errors"):
            raise IncompleteError(f"{sentence}: GitHub rejected the query")
        return data

    def _read(self, path: str, sentence: str, asked: dict[str, Any]) -> tuple[Any, Json]:
        return self._again("GET", path, sentence, asked, None)

    def _again(
        self, verb: str, path: str, sentence: str, asked: dict[str, Any], body: Json
    ) -> tuple[Any, Json]:
        for attempt in range(_ATTEMPTS - 1):
            try:
                return self._patient(verb, path, sentence, asked, body)
            except NoAnswerError:
                self.pace.pause(0.5 * 2.0**attempt)
        return self._patient(verb, path, sentence, asked, body)

    def _patient(
        self, verb: str, path: str, sentence: str, asked: dict[str, Any], body: Json
    ) -> tuple[Any, Json]:
        """One request; what was refused was not done, so it is made again in time."""
        for attempt in range(_ATTEMPTS):
            self.pace.turn(is_write=verb != "GET")
            try:
                return self._ask(verb, path, sentence, asked, body)
            except BusyError as error:
                self.pace.hold(error.seconds)
                if attempt + 1 == _ATTEMPTS:
                    raise
            except UnknownError:
                self._right.renew()
                if attempt:
                    raise
        raise AssertionError("the last attempt returns or raises")

    def _ask(
        self, verb: str, path: str, sentence: str, asked: dict[str, Any], body: Json
    ) -> tuple[Any, Json]:
        for _ in range(_MOST_LEADS):
            with reached(sentence):
                status, headers, text = self._requester.requestJson(
                    verb, path, parameters=dict(asked), input=body
                )
                found = json.loads(text) if text else None
            place = self._led(status, headers)
            if place is None:
                break
            path = place.path.removeprefix(urlsplit(self._api).path.rstrip("/"))
            asked = dict(parse_qsl(place.query)) or asked
        if status >= _OTHERWISE:
            raise refusal(sentence, status, headers, found, self.pace.clock())
        return headers, found

    def _led(self, status: int, headers: Mapping[str, str]) -> SplitResult | None:
        """Where on this server the same is to be asked, as a repository was renamed; else None."""
        place = urlsplit(str(headers.get("location", "")))
        here = urlsplit(self._api)
        is_here = (place.scheme, place.netloc) == (here.scheme, here.netloc)
        return place if status in _LEADS and is_here else None


_sessions = threading.local()


class _Led:
    """A connection that keeps its session, and tells of 301 as of 308.

    Left alone, PyGithub follows a 301 without the parameters of a list, so that it gets another.
    """

    host: str
    port: int
    session: Session

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        kept: dict[str, Session] = vars(_sessions)
        self.session = kept.setdefault(
            f"{type(self).__name__} {self.host}:{self.port}", self.session
        )

    def getresponse(self) -> RequestsResponse:
        found: RequestsResponse = super().getresponse()  # type: ignore[misc]  # of a class below
        found.status = _FOR_GOOD if found.status == _MOVED else found.status
        return found

    def close(self) -> None:
        """The session is this thread's."""


class _Http(_Led, HTTPRequestsConnectionClass): ...


class _Https(_Led, HTTPSRequestsConnectionClass): ...


class _Requester(Requester):
    """Asks as PyGithub does, and leaves it to us to go where a server sends us."""


_Requester.injectConnectionClasses(_Http, _Https)


def _clean(thing: Json) -> Json:
    """A body without halves of signs, which bytes that are no text leave behind."""
    if isinstance(thing, str):
        return thing.encode("utf-8", "replace").decode()
    if isinstance(thing, list):
        return [_clean(item) for item in thing]
    if isinstance(thing, dict):
        return {key: _clean(value) for key, value in thing.items()}
    return thing


_GONE = (404, 410)
_MINUTE = 60.0

Model = TypeVar("Model", bound=BaseModel)


class NoAnswerError(IncompleteError):
    """No answer came, or none that says what happened: it may have been done."""


class UnknownError(IncompleteError):
    """GitHub does not take the token, or the App's key (401)."""


@contextmanager
def reached(sentence: str) -> Iterator[None]:
    """What the network and PyGithub raise where there is no answer, or a strange one.

    Causes are cut off: a request holds the token that it was made with.
    """
    try:
        yield
    # What requests raises derives from OSError; PyGithub raises the others.
    except (OSError, RuntimeError, ValueError, AssertionError) as error:
        reason = f"{sentence}: unexpected answer from GitHub ({type(error).__name__})"
        raise NoAnswerError(reason) from None


def understood(model: type[Model], found: Any, sentence: str) -> Model:
    """An answer as a value."""
    try:
        return model.model_validate(found)
    except ValidationError:
        raise IncompleteError(f"{sentence}: unexpected answer from GitHub") from None


def refusal(
    sentence: str, status: int, headers: Mapping[str, str], found: Any, now: float
) -> IncompleteError:
    """The error that an answer is which is none; GitHub's own words are data."""
    data = found if isinstance(found, dict) else {}
    said = shortened(safe(f"{data.get('message') or ''} {_details(data)}"), 300)
    reason = f"{sentence}: GitHub answered {status} {said}".strip()
    wait = _wait(status, str(data.get("message") or ""), headers, now)
    if wait is not None:
        return BusyError(f"{sentence}: GitHub requires a wait of {wait:,.0f} s", seconds=wait)
    if status >= 500:
        return NoAnswerError(reason)
    # What was renamed leads elsewhere: events name it by its new name.
    if status in _GONE or status < 400:
        return GoneError(reason)
    if status == 422:
        return RefusedError(reason)
    if status == 401:
        return UnknownError(reason + _skew(headers, now))
    return IncompleteError(reason)


def _details(data: dict[str, object]) -> str:
    errors = data.get("errors")
    return "; ".join(str(item) for item in errors) if isinstance(errors, list) else ""


def moment(headers: Mapping[str, str]) -> float | None:
    """When an answer was given, by the clock of who gave it."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, TypeError, ValueError):
        return None


def _skew(headers: Mapping[str, str], now: float) -> str:
    """What a wrong clock has to do with it: what the App signs is good for minutes only."""
    theirs = moment(headers)
    if theirs is None:
        return ""
    seconds = now - theirs
    if abs(seconds) < _MINUTE:
        return ""
    side = "ahead of" if seconds > 0 else "behind"
    return f"; the clock here is {abs(seconds):,.0f} s {side} GitHub's"


def _wait(status: int, message: str, headers: Mapping[str, str], now: float) -> float | None:
    """How long GitHub asks to wait; None where it asks for nothing of that kind.

    As https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api says.
    """
    if status not in (403, 429):
        return None
    if headers.get("retry-after", "").isdecimal():
        return float(headers["retry-after"])
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, float(reset) - now + 1)
    return _MINUTE if status == 429 or "rate limit" in message.lower() else None
