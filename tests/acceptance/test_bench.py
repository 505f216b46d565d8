"""The benchmarks as processes: killed, resumed, two at once; the reader is simulated, and served.

No model is asked. The server answers as the simulated reader does, by Responses, and counts.
"""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pfcore.bench.runs import synthetic
from pfcore.bench.runs.saved_run import Benchmark, Method, SavedRun, read_run
from pfcore.bench.runs.simulated_reader import SimulatedModel, SimulatedRates
from pfcore.bench.scoring.scores import scored
from pfcore.domain.digest import text_digest
from pfcore.llm.protocol import Endpoint, Request
from pfcore.verification.whole_paper import document
from tests.acceptance.postgres import own_database

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

PF = Path(sys.executable).with_name("pf")
MODEL = "simulated-over-http"
ROWS, K, IN_FLIGHT = 5, 3, 4
GRADED = "graded.jsonl"
ALL = list(product(Benchmark, Method))


class Server:
    """A simulated reader behind HTTP: counts requests, and tells when so many have come."""

    def __init__(self) -> None:
        self.model = SimulatedModel(SimulatedRates(), chance=Random(7))
        self.asked: list[str] = []
        self._lock = threading.Lock()
        self._wanted = 0
        self.reached = threading.Event()

    def until(self, count: int) -> None:
        """Clear what tells that so many more requests have come."""
        self.reached.clear()
        self._wanted = len(self.asked) + count

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        """What is sent."""
        request = _request(body)
        with self._lock:
            self.asked.append(text_digest(json.dumps(body)))
            if len(self.asked) == self._wanted:
                self.reached.set()
            made = self.model.reply(request)
        content = [{"type": "output_text", "text": made.text, "annotations": []}]
        usage = {"input_tokens": made.usage.input, "output_tokens": made.usage.output}
        return {
            "id": "x",
            "object": "response",
            "status": "completed",
            "model": MODEL,
            "output": [{"type": "message", "role": "assistant", "content": content}],
            "usage": {**usage, "total_tokens": sum(usage.values())},
        }


def _request(body: dict[str, Any]) -> Request:
    content = body["input"][0]["content"]
    files = [item["file_data"] for item in content if item["type"] == "input_file"]
    pdf = document(base64.b64decode(files[0].partition(",")[2])) if files else None
    return Request(
        endpoint=Endpoint.RESPONSES,
        model=body["model"],
        instructions=body["instructions"],
        text=content[-1]["text"],
        document=pdf,
    )


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The server, named in a user's own configuration."""
    made = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            data = json.dumps(made.reply(body)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """A client that was killed is no fault."""

    http = Quiet(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    folder = tmp_path / "config" / "pf-verify"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(
        f'model = "{MODEL}"\nbase_url = "http://127.0.0.1:{http.server_port}/v1"\n'
        f'endpoint = "responses"\n[limits]\nin_flight = {IN_FLIGHT}\n',
        encoding="utf-8",
    )
    synthetic.write_rows(tmp_path / "rows", ROWS)
    (tmp_path / "rows" / GRADED).write_text(_graded(), encoding="utf-8")
    yield made
    http.shutdown()
    http.server_close()
    thread.join()


def _graded() -> str:
    """The made-up solutions as proofs with one grade each."""
    rows = (
        {
            "id": row["unique_id"],
            "problem": row["question"],
            "proof": "\n\n".join(row["model_response_by_step"]),
            "right": all(row["human_labels"]),
        }
        for row in synthetic.proofs(ROWS)
    )
    return "".join(f"{json.dumps(row)}\n" for row in rows)


class World:
    """A user with a store, a file or the database at `url`, and the commands that they run."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder = folder
        self._started: list[subprocess.Popen[str]] = []
        self.environment = {
            **os.environ,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "PF_DATA_DIR": str(folder / "data"),
            **({"PF_STORE": url} if url else {}),
        }

    def start(self, benchmark: Benchmark, method: Method, out: str) -> subprocess.Popen[str]:
        """A run under way."""
        rows = {
            Benchmark.ARXIV: [synthetic.PAPERS, synthetic.PDFS],
            Benchmark.HARD2VERIFY: [synthetic.PROOFS],
            Benchmark.PROOFS: [GRADED, "--model", MODEL],  # without it, nobody is asked
        }[benchmark]
        command = [
            str(PF), "bench", benchmark, *rows, "--method", method, "-k", str(K), "--out", out,
        ]  # fmt: skip
        process = subprocess.Popen(
            command,
            cwd=self.folder / "rows",
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._started.append(process)
        return process

    def end(self, process: subprocess.Popen[str], out: str) -> SavedRun:
        """The run that a process has saved when it is done."""
        _, said = process.communicate(timeout=300)
        assert process.returncode == 0, said
        (path,) = (self.folder / "rows" / out).glob("*.jsonl")
        return read_run(path)

    def run(self, benchmark: Benchmark, method: Method, out: str) -> SavedRun:
        """A run from its start to its end."""
        return self.end(self.start(benchmark, method, out), out)

    def close(self) -> None:
        """Leave nothing running, whatever failed."""
        for process in self._started:
            with process:
                process.kill()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.close()


def found(run: SavedRun) -> list[object]:
    """All that a run found, whoever asked for it."""
    return [(it.row, it.number, it.steps, it.predictions, it.unreached) for it in run.rollouts]


def replies(run: SavedRun) -> int:
    return sum(used.calls for item in run.rollouts for used in item.used)


@pytest.mark.parametrize(("benchmark", "method"), ALL)
def test_a_killed_run_is_resumed_at_the_calls_that_were_in_flight(
    server: Server, world: World, benchmark: Benchmark, method: Method
) -> None:
    server.until(10)
    process = world.start(benchmark, method, "out")
    assert server.reached.wait(60)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    before = len(server.asked)
    run = world.run(benchmark, method, "out")
    after = len(server.asked)
    kept = run.header.spent.known
    lost = before - kept
    assert 0 <= lost <= IN_FLIGHT
    assert kept > 0
    assert after - before == run.header.spent.calls
    assert replies(run) == kept + run.header.spent.calls
    assert len(scored(run).rows) == ROWS
    assert run.header.asked.served == (MODEL,)
    assert run.header.simulated
    again = world.run(benchmark, method, "again")
    assert len(server.asked) == after
    assert found(again) == found(run)


def share_without_asking_twice(
    server: Server, world: World, benchmark: Benchmark, method: Method
) -> None:
    both = [world.start(benchmark, method, out) for out in ("one", "two")]
    one, two = (world.end(item, out) for item, out in zip(both, ("one", "two"), strict=True))
    assert found(one) == found(two)
    assert replies(one) == replies(two)
    assert len(server.asked) == one.header.spent.calls + two.header.spent.calls
    assert len(server.asked) == replies(one)
    asked = len(server.asked)
    world.run(benchmark, method, "three")
    assert len(server.asked) == asked


@pytest.mark.parametrize(("benchmark", "method"), ALL)
def test_two_runs_at_once_share_the_store_and_ask_nothing_twice(
    server: Server, world: World, benchmark: Benchmark, method: Method
) -> None:
    share_without_asking_twice(server, world, benchmark, method)


@pytest.mark.parametrize(("benchmark", "method"), ALL)
def test_two_runs_at_once_share_a_database_and_ask_nothing_twice(
    server: Server, tmp_path: Path, postgres: Path, benchmark: Benchmark, method: Method
) -> None:
    url = own_database(postgres).replace("postgresql:", "postgresql+psycopg:", 1)
    share_without_asking_twice(server, World(tmp_path, url), benchmark, method)


def test_a_run_goes_on_when_another_is_killed_that_it_shares_calls_with(
    server: Server, world: World
) -> None:
    benchmark, method = Benchmark.HARD2VERIFY, Method.PF
    server.until(20)
    killed, other = (world.start(benchmark, method, out) for out in ("one", "two"))
    assert server.reached.wait(60)
    killed.kill()
    killed.communicate()
    run = world.end(other, "two")
    assert 0 <= len(server.asked) - replies(run) <= IN_FLIGHT
    assert len(scored(run).rows) == ROWS


def test_two_methods_at_once_share_the_store_and_disturb_nobody(
    server: Server, world: World
) -> None:
    both = [world.start(Benchmark.HARD2VERIFY, method, method) for method in Method]
    runs = [world.end(item, method) for item, method in zip(both, Method, strict=True)]
    assert sum(map(replies, runs)) == len(server.asked)
    assert Counter(run.header.method for run in runs) == Counter(Method)
