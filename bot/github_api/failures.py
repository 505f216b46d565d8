"""What goes wrong between here and GitHub, as errors with sentences; nothing secret is in them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from github import GithubException
from pydantic import BaseModel, ValidationError

from bot.forge import BusyError, GoneError
from pfcore.errors import IncompleteError
from pfcore.report.plain import safe, shortened

_GONE = (404, 410)
_MINUTE = 60.0

Model = TypeVar("Model", bound=BaseModel)


class LostError(IncompleteError):
    """No answer came, or none that says what happened: it may have been done."""


class RefusedError(IncompleteError):
    """GitHub cannot do what it was asked, as it is (422)."""


class UnknownError(IncompleteError):
    """GitHub does not take the token, or the App's key (401)."""


@contextmanager
def translated(sentence: str, now: float) -> Iterator[None]:
    """What PyGithub, the network and a strange answer raise, as errors of ours.

    Causes are cut off: a request holds the token that it was made with.
    """
    try:
        yield
    except GithubException as error:
        raise _refusal(sentence, error, now) from None
    # What requests raises derives from OSError; PyGithub raises the others for strange answers.
    except (OSError, RuntimeError, ValueError, AssertionError) as error:
        reason = f"{sentence}: GitHub could not be understood ({type(error).__name__})"
        raise LostError(reason) from None


def understood(model: type[Model], found: Any, sentence: str) -> Model:
    """An answer as a value."""
    try:
        return model.model_validate(found)
    except ValidationError:
        raise IncompleteError(f"{sentence}: GitHub's answer has another form") from None


def _refusal(sentence: str, error: GithubException, now: float) -> IncompleteError:
    """The error of an answer that is none; GitHub's own words are data."""
    data = error.data if isinstance(error.data, dict) else {}
    headers = error.headers or {}
    said = shortened(safe(f"{data.get('message') or ''} {_details(data)}"), 300)
    reason = f"{sentence}: GitHub says {error.status} {said}".strip()
    wait = _wait(error.status, str(data.get("message") or ""), headers, now)
    if wait is not None:
        return BusyError(f"{sentence}: GitHub asks to wait {wait:,.0f} s", seconds=wait)
    if error.status >= 500:
        return LostError(reason)
    if error.status in _GONE:
        return GoneError(reason)
    if error.status == 422:
        return RefusedError(reason)
    if error.status == 401:
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


def _skew(headers: dict[str, str], now: float) -> str:
    """What a wrong clock has to do with it: what the App signs is good for minutes only."""
    theirs = moment(headers)
    if theirs is None:
        return ""
    seconds = now - theirs
    if abs(seconds) < _MINUTE:
        return ""
    side = "ahead of" if seconds > 0 else "behind"
    return f"; the clock here is {abs(seconds):,.0f} s {side} GitHub's"


def _wait(status: int, message: str, headers: dict[str, str], now: float) -> float | None:
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
