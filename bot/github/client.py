"""Asks one GitHub server by one right: paced, read again when an answer is lost, never written so.

A write whose answer was lost may have been done. Who writes says how that can be seen.
"""

import json
import logging
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

from github import Auth, Github
from github.Requester import Requester

from bot.domain.forge import BusyError
from bot.github.failures import NoAnswerError, UnknownError, moment, reached, refusal
from bot.github.pace import RequestPace
from pfcore.domain.errors import IncompleteError

Json = Any
Done = TypeVar("Done")
_ATTEMPTS = 5
_PAGE = 100
_OTHERWISE = 300
_MOST_PAGES = 100
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
            client = Github(
                auth=self._right,
                base_url=self._api,
                timeout=_TIMEOUT,
                user_agent="pf-verify",
                retry=0,
                seconds_between_requests=None,
                seconds_between_writes=None,
            )
            self._here.requester = client.requester
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
        """The items of a list, page by page; `key` is where an answer has them, if not at once."""
        asked: dict[str, str | int] = {"per_page": _PAGE, **parameters}
        for _ in range(_MOST_PAGES):
            headers, found = self._read(path, sentence, asked)
            items = found.get(key) if key and isinstance(found, dict) else found
            if not isinstance(items, list):
                raise IncompleteError(f"{sentence}: GitHub's answer has another form")
            yield from items
            # Only its parameters count: nobody is led to another server.
            link = _NEXT.search(str(headers.get("link", "")))
            if link is None:
                return
            asked = {**asked, **dict(parse_qsl(urlsplit(link[1]).query))}
        raise IncompleteError(f"{sentence}: there are more than {_MOST_PAGES * _PAGE:,}")

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
            raise IncompleteError(f"{sentence}: GitHub refuses the query")
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
        with reached(sentence):
            status, headers, text = self._requester.requestJson(
                verb, path, parameters=dict(asked), input=body
            )
            found = json.loads(text) if text else None
        if status >= _OTHERWISE:
            raise refusal(sentence, status, headers, found, self.pace.clock())
        return headers, found


def _clean(thing: Json) -> Json:
    """A body without halves of signs, which bytes that are no text leave behind."""
    if isinstance(thing, str):
        return thing.encode("utf-8", "replace").decode()
    if isinstance(thing, list):
        return [_clean(item) for item in thing]
    if isinstance(thing, dict):
        return {key: _clean(value) for key, value in thing.items()}
    return thing
