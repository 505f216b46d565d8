"""aimock, a server that speaks OpenAI's interfaces: a double that is nobody's own code."""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.browsing import axe, browser  # noqa: F401 - fixtures
from tests.acceptance.npm import fetched
from tests.acceptance.postgres import postgres  # noqa: F401 - a fixture
from tests.acceptance.staging import paste, stage, start  # noqa: F401 - fixtures
from tests.bot.conftest import world  # noqa: F401 - a fixture

VERSION = "1.43.0"
KEY = "test-key-1"
_FIXTURES = Path(__file__).parents[1] / "data/double.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Double:
    """A running double: where it listens, and what can be told to it."""

    place: str

    @property
    def base_url(self) -> str:
        """What a client asks."""
        return f"{self.place}/v1"

    def misbehave(self, **rates: float) -> None:
        """From now on, fail at these rates; without any, behave."""
        self._control("/chaos", "POST", rates)

    def journal(self) -> list[dict[str, Any]]:
        """All requests since the last reset, with what became of them."""
        entries: list[dict[str, Any]] = self._control("/journal", "GET")
        return entries

    def reset(self) -> None:
        """Behave, and forget what was asked."""
        self._control("/chaos", "DELETE")
        self._control("/reset/journal", "POST")

    def _control(self, path: str, method: str, body: object = None) -> Any:
        call = urllib.request.Request(f"{self.place}/__aimock{path}", method=method)
        call.add_header("Authorization", f"Bearer {KEY}")
        call.data = None if body is None else json.dumps(body).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(call, timeout=10) as reply:
            text = reply.read()
        return json.loads(text) if text else None


@pytest.fixture
def double(_running: Double) -> Iterator[Double]:
    """A double that behaves and has been asked nothing."""
    _running.reset()
    yield _running
    _running.reset()


@pytest.fixture(scope="session")
def _running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Double]:
    folder = tmp_path_factory.getbasetemp().parent / f"aimock-{VERSION}"
    program = _installed(folder)
    log = tmp_path_factory.mktemp("aimock") / "log"
    command = ["node", str(program), "-p", "0", "-f", str(_FIXTURES), "--validate-on-load"]
    with log.open("w") as out:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "AIMOCK_API_KEYS": KEY},
        )
        try:
            yield Double(place=_place(log, process))
        finally:
            process.terminate()
            process.wait(timeout=10)


def _installed(folder: Path) -> Path:
    """The double's program; the test is skipped where it cannot be had."""
    if shutil.which("node"):
        version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
        if tuple(map(int, re.findall(r"\d+", version.stdout)[:2])) < (20, 15):
            pytest.skip(f"Node {version.stdout.strip()} is too old: the model's double needs 20.15")
    return fetched(folder, "@copilotkit/aimock", VERSION) / "dist/cli.js"


def _place(log: Path, process: "subprocess.Popen[bytes]") -> str:
    """Where the double says that it listens, once it does."""
    for _ in range(200):
        found = re.search(r"listening on (http://\S+)", log.read_text())
        if found:
            return found[1]
        if process.poll() is not None:
            break
        time.sleep(0.05)
    pytest.fail(f"the model's double did not start: {log.read_text()}")
