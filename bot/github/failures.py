"""What goes wrong between here and GitHub, as errors with sentences; nothing secret is in them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from bot.domain.forge import BusyError, GoneError, RefusedError
from pfcore.domain.errors import IncompleteError
from pfcore.reporters.printing import safe, shortened

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
        reason = f"{sentence}: GitHub could not be understood ({type(error).__name__})"
        raise NoAnswerError(reason) from None


def understood(model: type[Model], found: Any, sentence: str) -> Model:
    """An answer as a value."""
    try:
        return model.model_validate(found)
    except ValidationError:
        raise IncompleteError(f"{sentence}: GitHub's answer has another form") from None


def refusal(
    sentence: str, status: int, headers: Mapping[str, str], found: Any, now: float
) -> IncompleteError:
    """The error that an answer is which is none; GitHub's own words are data."""
    data = found if isinstance(found, dict) else {}
    said = shortened(safe(f"{data.get('message') or ''} {_details(data)}"), 300)
    reason = f"{sentence}: GitHub says {status} {said}".strip()
    wait = _wait(status, str(data.get("message") or ""), headers, now)
    if wait is not None:
        return BusyError(f"{sentence}: GitHub asks to wait {wait:,.0f} s", seconds=wait)
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
