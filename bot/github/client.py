"""Sends requests to one GitHub server with one token: paced, and only reads are retried blindly.

A write whose answer was lost may have been done. Callers that write say how to find that out.

Failures between here and GitHub become errors with sentences, which contain no secrets.

Writes are sent one after the other, and nothing is sent while GitHub asks us to wait.

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
"""Statuses of redirects after which the same request is repeated elsewhere."""
_MOST_LEADS = 4
_TIMEOUT = 30
_NEXT = re.compile(r'<([^<>]+)>; rel="next"')


class Right(Auth.Auth):
    """A token that is fetched whenever it is needed; `renew` is called after GitHub rejected it."""

    def __init__(self, token: Callable[[], str], renew: Callable[[], None]) -> None:
        self._token = token
        self.renew = renew

    @property
    def token_type(self) -> str:
        """The token's type in the header."""
        return "Bearer"

    @property
    def token(self) -> str:
        """The current token."""
        return self._token()


Clock = Callable[[], float]
Sleep = Callable[[float], None]


class RequestPace:
    """The pace of all requests with one token, over all threads.

    `between` is the number of seconds between two writes; a wait above `longest` raises instead.
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
        """Wait for permission to send a request; BusyError if that would take too long."""
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
        """Send nothing for a while, because GitHub has asked for that."""
        with self._lock:
            self._silent_until = max(self._silent_until, self._now() + seconds)

    def _now(self) -> float:
        """The current time; if the clock was set back, pending waits are moved back with it."""
        now = self.clock()
        back = max(0.0, self._last - now)
        self._silent_until -= back
        self._next_write -= back
        self._last = now
        return now

    def pause(self, seconds: float) -> None:
        """Wait, if the time is positive."""
        if seconds > 0:
            self._sleep(seconds)


class Client:
    """The API of one server, for all threads; every method may raise IncompleteError.

    Each request comes with the sentence for its failure, such as "its comments cannot be read".
    """

    def __init__(self, api: str, right: Right, pace: RequestPace) -> None:
        self.pace = pace
        self._api = api
        self._right = right
        self._here = threading.local()
        # At level DEBUG, PyGithub logs answers and the tokens in them.
        logging.getLogger("github").setLevel(logging.WARNING)

    @property
    def _requester(self) -> Requester:
        """PyGithub's requester, one for each thread, because it holds state during a request.

        Two threads that share one would get each other's answers, some of which contain tokens.
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
        """The content at an address; retried if an answer is lost."""
        return self._read(path, sentence, parameters)[1]

    def dated(self, path: str, sentence: str) -> tuple[float | None, Json]:
        """As `read`, with the server's time in seconds since 1970, if it says it."""
        headers, found = self._read(path, sentence, {})
        return moment(headers), found

    def pages(
        self, path: str, sentence: str, *, key: str = "", **parameters: str | int
    ) -> Iterator[Json]:
        """The items of a list, page by page; `key` is the field that holds them, "" for none.

        TooManyError if there are more pages than the limit.
        """
        asked: dict[str, str | int] = {"per_page": _PAGE, **parameters}
        for _ in range(_MOST_PAGES):
            headers, found = self._read(path, sentence, asked)
            items = found.get(key) if key and isinstance(found, dict) else found
            if not isinstance(items, list):
                raise IncompleteError(f"{sentence}: unexpected answer from GitHub")
            yield from items
            # Only its parameters are used, so that it cannot lead to another server.
            link = _NEXT.search(str(headers.get("link", "")))
            if link is None:
                return
            asked = {**asked, **dict(parse_qsl(urlsplit(link[1]).query))}
        raise TooManyError(f"{sentence}: more than {_MOST_PAGES * _PAGE:,}")

    def write(self, verb: str, path: str, sentence: str, body: Json = None) -> Json:
        """Send a write once; LostError if it is unknown whether it was done."""
        return self._patient(verb, path, sentence, {}, _clean(body))[1]

    def rewrite(self, verb: str, path: str, sentence: str, body: Json = None) -> Json:
        """Send a write that may safely be repeated: change or delete an existing thing."""
        return self._again(verb, path, sentence, {}, _clean(body))[1]

    def once(self, act: Callable[[], Done], find: Callable[[], Done | None]) -> Done:
        """Do something by `write`; if the answer is lost, look for the result before a retry."""
        for attempt in range(_ATTEMPTS - 1):
            try:
                return act()
            except NoAnswerError:
                # A new item appears in lists only after a moment.
                self.pace.pause(2.0**attempt)
            found = find()
            if found is not None:
                return found
        return act()

    def query(self, document: str, sentence: str, **variables: str | int | None) -> Json:
        """The data of a GraphQL document; its mutations must be safe to repeat."""
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
        """One request, repeated after a wait if it was refused, because then it was not done."""
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
        """The address on this server that a redirect leads to, as after a rename; else None."""
        place = urlsplit(str(headers.get("location", "")))
        here = urlsplit(self._api)
        is_here = (place.scheme, place.netloc) == (here.scheme, here.netloc)
        return place if status in _LEADS and is_here else None


_sessions = threading.local()


class _Led:
    """A connection that keeps its session, and reports 301 as 308.

    Otherwise PyGithub follows a 301 without the parameters of a list, and so gets another list.
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
        """Do nothing: the session is kept for the thread."""


class _Http(_Led, HTTPRequestsConnectionClass): ...


class _Https(_Led, HTTPSRequestsConnectionClass): ...


class _Requester(Requester):
    """PyGithub's requester, but redirects are left to us."""


_Requester.injectConnectionClasses(_Http, _Https)


def _clean(thing: Json) -> Json:
    """A body without lone surrogates, which come from bytes that are not text."""
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
    """No answer came, or one that does not say what happened; the request may have been done."""


class UnknownError(IncompleteError):
    """GitHub rejects the token or the App's key (401)."""


@contextmanager
def reached(sentence: str) -> Iterator[None]:
    """Turn errors of the network and of PyGithub about missing or odd answers into NoAnswerError.

    Causes are cut off, because a request holds the token that it was made with.
    """
    try:
        yield
    # The exceptions of requests derive from OSError; PyGithub raises the others.
    except (OSError, RuntimeError, ValueError, AssertionError) as error:
        reason = f"{sentence}: unexpected answer from GitHub ({type(error).__name__})"
        raise NoAnswerError(reason) from None


def understood(model: type[Model], found: Any, sentence: str) -> Model:
    """An answer parsed as a model; IncompleteError if it does not fit."""
    try:
        return model.model_validate(found)
    except ValidationError:
        raise IncompleteError(f"{sentence}: unexpected answer from GitHub") from None


def refusal(
    sentence: str, status: int, headers: Mapping[str, str], found: Any, now: float
) -> IncompleteError:
    """The error for an answer with a failing status; GitHub's own words are data."""
    data = found if isinstance(found, dict) else {}
    said = shortened(safe(f"{data.get('message') or ''} {_details(data)}"), 300)
    reason = f"{sentence}: GitHub answered {status} {said}".strip()
    wait = _wait(status, str(data.get("message") or ""), headers, now)
    if wait is not None:
        return BusyError(f"{sentence}: GitHub requires a wait of {wait:,.0f} s", seconds=wait)
    if status >= 500:
        return NoAnswerError(reason)
    # A redirect that was not followed: the name is outdated, and events use the new one.
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
    """The server's time of an answer, in seconds since 1970."""
    try:
        return parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, TypeError, ValueError):
        return None


def _skew(headers: Mapping[str, str], now: float) -> str:
    """A remark if our clock is wrong, because the App's signature is valid for minutes only."""
    theirs = moment(headers)
    if theirs is None:
        return ""
    seconds = now - theirs
    if abs(seconds) < _MINUTE:
        return ""
    side = "ahead of" if seconds > 0 else "behind"
    return f"; the clock here is {abs(seconds):,.0f} s {side} GitHub's"


def _wait(status: int, message: str, headers: Mapping[str, str], now: float) -> float | None:
    """How many seconds GitHub asks us to wait; None if it does not.

    See https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
    """
    if status not in (403, 429):
        return None
    if headers.get("retry-after", "").isdecimal():
        return float(headers["retry-after"])
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(1.0, float(reset) - now + 1)
    return _MINUTE if status == 429 or "rate limit" in message.lower() else None
