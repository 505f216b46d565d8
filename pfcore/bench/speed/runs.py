"""Processes by the clock: how long they took, and how much of that was git."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from pfcore.domain.errors import UsageError


class TimedProcess(NamedTuple):
    """One process: seconds by the clock, of the processor (git's with it), of its git processes."""

    seconds: float
    processor: float
    git: float


def timed(command: Sequence[str], folder: Path, cache: Path) -> TimedProcess:
    """Run a command in a folder, with its modules compiled and a parse cache below `cache`."""
    trace = cache / "trace"
    trace.unlink(missing_ok=True)
    environment = {**os.environ, "PF_CACHE_DIR": str(cache / "pf"), "GIT_TRACE2_EVENT": str(trace)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, usage = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        raise UsageError(f"{command[0]} ended with status {process.returncode}")
    return TimedProcess(seconds, usage.ru_utime + usage.ru_stime, traced(trace))


def traced(trace: Path) -> float:
    """The seconds of all git processes, by git's own account."""
    if not trace.exists():
        return 0.0
    events = map(json.loads, trace.read_text("utf-8").splitlines())
    return sum(float(event["t_abs"]) for event in events if event["event"] == "exit")
