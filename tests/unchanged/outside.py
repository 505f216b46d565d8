"""Runs commands as people do, in a world without a clock, a version, a machine or a place."""

import gc
import importlib.metadata
import io
import json
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.unchanged import inside
from tests.unchanged.reader import FixedReader

REPO = Path(__file__).resolve().parents[2]
NOW = 1_795_284_000.0  # 2026-11-21 18:00
SERVER = "http://127.0.0.1:9/v1"
"""Nobody is there."""

_COMMIT = ("-c", "core.hooksPath=/dev/null")
_SECONDS = re.compile(r'("seconds": ?|calls?, \$[0-9.]+, )[0-9][0-9.e-]*(?: min)?')
_PORT = re.compile(r"(127\.0\.0\.1|localhost):\d+")


@dataclass(frozen=True, kw_only=True)
class Outside:
    """A folder to work in, where all that the commands keep lies, too."""

    folder: Path
    patch: pytest.MonkeyPatch
    reader: FixedReader = field(default_factory=FixedReader)

    def run(self, command: str, *argv: str, **environment: str) -> str:
        """Exit status, output and errors of a console script, run in the current folder."""
        main = inside.command(command)
        out, err = _stream(), _stream()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            for name, value in environment.items():
                patch.setenv(name, value)
            patch.setattr(sys, "argv", [command, *argv])
            try:
                status: object = main(argv)
            except SystemExit as ended:
                status = ended.code
        said = (f"exit status {status}\n", _text(out), "--- standard error\n", _text(err))
        return self.scrubbed("".join(said))

    def scrubbed(self, text: str) -> str:
        """A text without places, ports and seconds."""
        for place, word in (
            (str(self.folder.resolve()), "FOLDER"),
            (str(self.folder), "FOLDER"),
            (str(Path(sys.executable).with_name("pf")), "pf"),
            (str(REPO), "REPO"),
        ):
            text = text.replace(place, word)
        return _PORT.sub(r"\1:9", _SECONDS.sub(r"\g<1>0", text))

    def forget(self) -> None:
        """Start with no reply and no memory of a question."""
        for path in (self.folder / "data").glob("*"):
            path.unlink()
        self.reader.requests.clear()
        self.reader._times.clear()

    def configure(self, text: str) -> None:
        """Write the user's own configuration."""
        path = self.folder / "config" / "pf-verify" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def replies(self) -> str:
        """All rows of the store, without when they were made."""
        with closing(sqlite3.connect(self.folder / "data" / "replies.sqlite")) as opened:
            asked = "SELECT key, stage, text, model, input, cached, output FROM replies ORDER BY 1"
            rows = opened.execute(asked).fetchall()
        return pretty(rows)


@contextmanager
def outside(folder: Path) -> Iterator[Outside]:
    """That world, in an empty folder."""
    reader = FixedReader()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "COLUMNS": "100",
            "PF_BASE_URL": SERVER,
            "PF_CACHE_DIR": str(folder / "cache"),
            "PF_DATA_DIR": str(folder / "data"),
            "PF_JOBS": "1",
            "TZ": "UTC",
            "XDG_CONFIG_HOME": str(folder / "config"),
        }.items():
            patch.setenv(name, value)
        patch.setattr(time, "time", lambda: NOW)
        known = importlib.metadata.distribution
        patch.setattr(importlib.metadata, "distribution", lambda name: _Versionless(known(name)))
        for place, name, double in inside.clients(reader):
            patch.setattr(place, name, double)
        gc.disable()  # as the commands do, each of which is a process of its own elsewhere
        try:
            yield Outside(folder=folder, patch=patch, reader=reader)
        finally:
            gc.enable()


class _Versionless:
    """An installed package whose version is no matter."""

    version = "0.0.0"

    def __init__(self, known: Any) -> None:
        self._known = known

    def __getattr__(self, name: str) -> Any:
        return getattr(self._known, name)


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    command = ["git", *_COMMIT, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def committed(folder: Path, files: Mapping[str, str]) -> str:
    """Commit files, and all that was changed, in a repository that is made if need be."""
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "a change")
    return git(folder, "rev-parse", "HEAD")


def pretty(value: object) -> str:
    """A value as JSON, in one order."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.buffer
    assert isinstance(data, io.BytesIO)
    return data.getvalue().decode()
