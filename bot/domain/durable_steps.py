"""Steps of a piece of work: each is done, recorded, and retried if that may help.

A crash between doing and recording a step makes it run twice, so each step must be idempotent.
The result of a step is JSON.
"""

import errno
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from bot.domain.forge import BusyError, GoneError, RefusedError
from bot.domain.run_records import RunState
from pfcore.domain.errors import IncompleteError, PfError

Json = dict[str, Any] | list[Any] | str | int | float | bool | None

PATIENCE = (2.0, 8.0, 30.0, 120.0, 300.0, 600.0, 1800.0)
"""Seconds between tries; GitHub's outages are nearly always over within the hour."""

_FAULTS = 2
"""How often a refusal or an unforeseen error is retried."""
_NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT))
"""The errors of a full disk; work goes on once somebody has made room."""
_LONGEST = 3600.0

_log = logging.getLogger(__name__)


class EndError(PfError):
    """The end of a piece of work before its last step, with the sentence for people.

    `is_down`: a service did not answer for as long as we wait, so further steps would fail, too.
    """

    def __init__(self, message: str, state: RunState, *, is_down: bool = False) -> None:
        super().__init__(message)
        self.state, self.is_down = state, is_down


class Durable(Protocol):
    """The record of the steps of one piece of work."""

    id: str

    def step(self, name: str, act: Callable[[], Json]) -> Json:
        """Run an act unless its result is recorded; the result; the act never raises."""

    def sleep(self, seconds: float) -> None:
        """Wait; after a crash, only for the remaining time."""


class WatchedSteps:
    """A record of steps that also notes whether a step found that something no longer exists."""

    def __init__(self, durable: Durable) -> None:
        self.id, self.is_gone = durable.id, False
        self._durable = durable

    def step(self, name: str, act: Callable[[], Json]) -> Json:
        """The result of an act."""
        outcome = self._durable.step(name, act)
        self.is_gone |= isinstance(outcome, dict) and bool(outcome.get("is_gone"))
        return outcome

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._durable.sleep(seconds)


class Steps:
    """The steps of one piece of work; `guard` raises EndError if further steps are pointless.

    `log` receives a line for each step; it is for people and may fail.
    """

    def __init__(
        self,
        durable: Durable,
        *,
        patience: tuple[float, ...] = PATIENCE,
        guard: Callable[[], None] = lambda: None,
        log: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._durable = durable
        self._patience = patience
        self._guard = guard
        self._log = log

    def do(self, name: str, act: Callable[[], Json]) -> Any:
        """The result of an act, retried if need be; EndError if it ends the work."""

        def guarded() -> Json:
            self._guard()
            return act()

        return self._tried(name, guarded)

    def finish(self, name: str, act: Callable[[], Json]) -> Any:
        """As `do`, but for acts that must run even if further steps are pointless."""
        return self._tried(name, act)

    def sleep(self, seconds: float) -> None:
        """Wait."""
        self._durable.sleep(seconds)

    def _tried(self, name: str, act: Callable[[], Json]) -> Any:
        faults = 0
        for pause in (*self._patience, None):
            outcome: Any = self._durable.step(name, lambda: self._outcome(name, act))
            if "value" in outcome:
                return outcome["value"]
            if "state" in outcome:
                raise EndError(outcome["sentence"], RunState(outcome["state"]))
            faults += outcome["is_fault"]
            if pause is None or faults > _FAULTS:
                break
            self._durable.sleep(min(_LONGEST, max(pause, outcome["after"])))
        raise EndError(outcome["sentence"], RunState.FAILED, is_down=not outcome["is_fault"])

    def _outcome(self, name: str, act: Callable[[], Json]) -> Json:
        outcome = _outcome(name, act)
        with suppress(PfError):
            self._log(f"{name}: {_word(outcome)}")
        return outcome


def _word(outcome: dict[str, Any]) -> str:
    """What happened to a step, in words that quote nothing of a paper."""
    if "value" in outcome:
        return "done"
    return str(outcome.get("state", "will be retried"))


def _outcome(name: str, act: Callable[[], Json]) -> dict[str, Any]:
    try:
        return {"value": act()}
    except EndError as end:
        return {"sentence": end.message, "state": end.state.value}
    except GoneError as error:
        return {"sentence": error.message, "state": RunState.SKIPPED.value, "is_gone": True}
    except IncompleteError as error:
        _log.warning("%s: %s, retried later", name, type(error).__name__)
        after = error.seconds if isinstance(error, BusyError) else 0.0
        is_fault = isinstance(error, RefusedError)  # few tries: GitHub may not know of a push yet
        return {"sentence": error.message, "is_fault": is_fault, "after": after}
    except PfError as error:
        return {"sentence": error.message, "state": RunState.FAILED.value}
    except Exception as error:  # noqa: BLE001  # the entry point of a step: else the run never ends
        if isinstance(error, OSError) and error.errno in _NO_ROOM:
            _log.warning("%s: no space left on the disk, retried later", name)
            return {"sentence": "the server's disk is full", "is_fault": False, "after": 0.0}
        _log.exception("%s: unexpected error", name)
        sentence = f"An error inside pf-verify ({type(error).__name__}); see its log."
        return {"sentence": sentence, "is_fault": True, "after": 0.0}
