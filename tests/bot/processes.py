"""The App's processes as tests start and kill them, and a model that keeps count."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.pfcore.cli.conftest import Referee

_PATIENCE = 120.0
_JUST_NOW = 0.5
"""Seconds in which who has got a reply may not have kept it yet."""


class Model:
    """Answers after a while, and remembers what was asked how often and what was on its way.

    `in_flight` may count what had just arrived; `met` are the kills before an answer was sent.
    """

    def __init__(self, seconds: float, say: Callable[[str, str], str]) -> None:
        self.asked: Counter[str] = Counter()
        self.in_flight = 0
        self.met = 0
        self._seconds, self._lock = seconds, threading.Lock()
        self._referee = Referee(say=say)
        self._open: dict[int, float | None] = {}

    def reply(self, raw: bytes) -> bytes:
        """What is said to a request."""
        with self._lock:
            number = len(self._open)
            self._open[number] = None
            self.asked[hashlib.sha256(raw).hexdigest()] += 1
        time.sleep(self._seconds)
        with self._lock:
            body = self._referee.sent(json.loads(raw)).body.encode()
            self._open[number] = time.monotonic()
        return body

    def is_asked(self) -> bool:
        """Whether somebody waits for an answer."""
        with self._lock:
            return any(done is None for done in self._open.values())

    def killed(self) -> None:
        """Count what was on its way to a process that is dead now."""
        now = time.monotonic()
        with self._lock:
            on_its_way = [
                number
                for number, done in self._open.items()
                if done is None or now - done < _JUST_NOW
            ]
            self.in_flight += len(on_its_way)
            self.met += any(self._open[number] is None for number in on_its_way)

    def again(self, rollouts: int) -> int:
        """Calls beyond those that each question needs."""
        return sum(max(0, count - rollouts) for count in self.asked.values())


@contextmanager
def speaking(model: Model) -> Iterator[str]:
    """The model, listening; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = model.reply(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # who asked is dead

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Standing:
    """Processes of one App; `counts` are how often each part was killed."""

    def __init__(self, github: Any, folder: Path, model: str, database: str | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        key = folder / "key.pem"
        key.write_text(github.private_key)
        key.chmod(0o600)
        self.port, self.counts = _free_port(), Counter[str]()
        self.database = database or f"sqlite:///{folder / 'app.sqlite'}"
        self._folder, self._github, self._model = folder, github, model
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._log = (folder / "log").open("ab")
        github.hook = f"http://127.0.0.1:{self.port}/webhook"

    def start(self, name: str) -> None:
        """Start `web`, `all`, or a worker by any other name, and wait until it is there."""
        ready = self._folder / f"{name}.ready"
        ready.unlink(missing_ok=True)
        given = {
            "part": name if name in ("web", "all") else "worker",
            "ready": str(ready),
            "port": self.port,
            "github": {"server_url": self._github.server_url},
            "settings": {
                "app_id": str(self._github.app),
                "secret": self._github.secret.decode(),
                "api_url": self._github.url,
                "database_url": self.database,
                "data": str(self._folder),
            },
        }
        path = self._folder / f"{name}.json"
        path.write_text(json.dumps(given))
        script = Path(__file__).with_name("standing.py")
        environment = {
            **os.environ,
            "PF_BASE_URL": self._model,
            "PF_CACHE_DIR": str(self._folder / "cache"),
            "HOME": str(self._folder),
        }
        self._running[name] = subprocess.Popen(
            [sys.executable, str(script), str(path)],
            env=environment,
            stdout=self._log,
            stderr=self._log,
        )
        until(lambda: ready.exists() or self._running[name].poll() is not None)
        assert ready.exists(), (self._folder / "log").read_text()[-4000:]

    def kill(self, name: str) -> None:
        """Kill a process as the system does when it is out of memory."""
        process = self._running.pop(name)
        process.kill()
        process.wait()
        self.counts[name] += 1

    def stop(self) -> None:
        """End all in good order."""
        for process in self._running.values():
            process.terminate()
        for process in self._running.values():
            process.wait(timeout=30)
        self._log.close()


def until(is_so: Callable[[], bool], seconds: float = _PATIENCE) -> None:
    """Look until it is so: it is other processes that make it so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def wait(is_so: Callable[[], bool], seconds: float) -> bool:
    """Look for a while whether it is so."""
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])
