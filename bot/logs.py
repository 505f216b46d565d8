"""What the server says on its standard error: one line of JSON for each thing that happened.

Of errors it says what they are and where they were raised, never their words: those may quote a
paper, an address or a secret. What other libraries say is cut to its first line.
"""

import json
import logging
import sys
import traceback
from datetime import UTC, datetime
from types import TracebackType
from typing import IO, Any

_OURS = ("bot", "pfcore")
_LOUD = ("dbos", "waitress", "sqlalchemy", "urllib3", "github", "httpx2", "openai")
_EXTRA = ("run", "state", "what", "count", "error")
_LONGEST = 200
_FRAMES = 12


class JsonLines(logging.Formatter):
    """A record as a line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        found: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": _event(record),
        }
        found |= {key: getattr(record, key) for key in _EXTRA if hasattr(record, key)}
        if record.exc_info and record.exc_info[0] is not None:
            found["error"] = record.exc_info[0].__name__
            found["where"] = _frames(record.exc_info[2])
        return json.dumps(found, ensure_ascii=True)


def start(stream: IO[str] = sys.stderr, *, level: int = logging.INFO) -> logging.Handler:
    """Let all that is logged from now on go to a stream as lines of JSON."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in _OURS:
        logging.getLogger(name).setLevel(level)
    for name in _LOUD:
        adopt(name)
    return handler


def adopt(name: str) -> None:
    """Take a library's own handlers away, so that it speaks as all do."""
    logger = logging.getLogger(name)
    logger.handlers[:] = []
    logger.propagate = True
    logger.setLevel(logging.WARNING)


def _event(record: logging.LogRecord) -> str:
    if record.name.partition(".")[0] in _OURS:
        return record.getMessage()
    first = record.getMessage().partition("\n")[0]
    return first.partition("[parameters")[0][:_LONGEST]


def _frames(trace: TracebackType | None) -> list[str]:
    """Where an error came from, the innermost last."""
    frames = traceback.extract_tb(trace)[-_FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
