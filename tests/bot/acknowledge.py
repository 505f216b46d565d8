"""Measures how fast deliveries are acknowledged while a worker works; no test, it prints numbers.

    python -m tests.bot.acknowledge --seconds 60 --rate 100             # a file of SQLite
    python -m tests.bot.acknowledge --seconds 60 --rate 100 --postgres  # Debian's server, its own

Deliveries are sent at their time, whatever became of those before, and a delivery that is late is
measured from when it was due. What listens, what works and what sends are processes of their own.
"""

import argparse
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, Queue

from tests.acceptance import postgres
from tests.bot.fake_github.keys import key_pair
from tests.bot.fake_github.server import GitHub, serving
from tests.bot.fake_github.state import Pull
from tests.bot.processes import Model, Standing, speaking, until
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

_SENDERS = 32
_PULLS = 20
_PAPER = "\\documentclass{amsart}\\newtheorem{lemma}{Lemma}\\begin{document}%s\\end{document}"


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rate", type=float, default=100.0)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--together", action="store_true", help="web and worker in one process")
    parser.add_argument("--send", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.send is not None:
        send(arguments.send)
        return
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        database = None
        if arguments.postgres:
            (folder / "pg").mkdir()
            server = opened.enter_context(postgres.running(folder / "pg", fsync="on"))
            database = postgres.own_database(server)
        measure(folder, arguments, database)


def measure(folder: Path, arguments: argparse.Namespace, database: str | None) -> None:
    """Start all, send, and print what came of it."""
    private, public = key_pair()
    github = GitHub(folder=folder / "github", private_key=private, public_key=public)
    model = Model(0.2, lambda stage, text: ACCEPT)
    with serving(github), speaking(model) as address:
        plan = _plan(github, arguments, folder)
        app = Standing(github, folder / "app", address, database)
        for part in ("all",) if arguments.together else ("web", "worker"):
            app.start(part)
        plan["port"], github.hook = app.port, None
        path = folder / "plan.json"
        path.write_text(json.dumps(plan))
        sender = subprocess.run(
            [sys.executable, "-m", "tests.bot.acknowledge", "--send", str(path)],
            check=True,
            capture_output=True,
        )
        found = json.loads(sender.stdout)
        heads = {run.head for run in github.repositories["us/paper"].runs if run.conclusion}
        until(lambda: all(pull.head in _concluded(github) for pull in _pulls(github)))
        app.stop()
    kind = "Postgres" if database else "SQLite"
    kind += ", one process" if arguments.together else ", web and worker apart"
    late = sorted(found["seconds"])
    sys.stdout.write(
        f"{kind}: {len(late)} deliveries at {arguments.rate:g}/s for {arguments.seconds:g} s: "
        f"p50 {_quantile(late, 0.5):.1f} ms, p99 {_quantile(late, 0.99):.1f} ms, "
        f"most {late[-1] * 1000:.1f} ms; statuses {found['statuses']}; "
        f"{len(heads)} of {_PULLS} pull requests were reviewed by then, all in the end\n"
    )


def _plan(github: GitHub, arguments: argparse.Namespace, folder: Path) -> dict[str, object]:
    """What is to be sent: pull requests that were opened, each again and again."""
    lemma = LEMMA % ("a", "Every A is positive", "Clear.")
    repo = github.repository(files={"main.tex": _PAPER % lemma})
    for number in range(_PULLS):
        changed = lemma.replace("Clear.", f"Clear by case {number}.")
        repo.commit({"main.tex": _PAPER % changed}, on=f"change-{number}")
        github.open(repo, f"change-{number}")
    sent = [item for item in github.sent if item.event == "pull_request"]
    bodies = [{"body": item.body.decode(), "headers": dict(item.headers)} for item in sent]
    return {"bodies": bodies, "rate": arguments.rate, "seconds": arguments.seconds}


def _pulls(github: GitHub) -> list[Pull]:
    return list(github.repositories["us/paper"].pulls.values())


def _concluded(github: GitHub) -> set[str]:
    runs = list(github.repositories["us/paper"].runs)
    return {run.head for run in runs if run.name == "pf / proofs" and run.conclusion}


def send(path: Path) -> None:
    """Send what a plan says, and print how long each acknowledgement took."""
    plan = json.loads(path.read_text())
    count = int(plan["rate"] * plan["seconds"])
    due: Queue[tuple[int, float]] = Queue()
    begin = time.perf_counter() + 0.5
    for number in range(count):
        due.put((number, begin + number / plan["rate"]))
    seconds: list[float] = []
    statuses: dict[int, int] = {}

    def work() -> None:
        connection = http.client.HTTPConnection("127.0.0.1", plan["port"], timeout=60)
        while True:
            try:
                number, moment = due.get_nowait()
            except Empty:
                return
            time.sleep(max(0.0, moment - time.perf_counter()))
            chosen = plan["bodies"][number % len(plan["bodies"])]
            headers = chosen["headers"] | {"X-GitHub-Delivery": str(uuid.uuid4())}
            connection.request("POST", "/webhook", chosen["body"].encode(), headers)
            status = connection.getresponse()
            status.read()
            seconds.append(time.perf_counter() - moment)
            statuses[status.status] = statuses.get(status.status, 0) + 1

    threads = [threading.Thread(target=work) for _ in range(_SENDERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.stdout.write(json.dumps({"seconds": seconds, "statuses": statuses}))


def _quantile(ordered: list[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000


if __name__ == "__main__":
    main()
