"""How long a plan takes on a large paper that has been read before, and after edits of one line.

python -m pfcore.bench.speed.warm REPOSITORY

The repository (`pfcore.bench.speed.large` makes one) must be clean, and is restored afterwards.

Also measures processes by the clock: their total time, and the part spent in git.
"""

import gc
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from pfcore.bench.terminal_table import show
from pfcore.domain.errors import UsageError
from pfcore.graph.paper_state import build_paper_state
from pfcore.impact.plan import make_plan
from pfcore.papers import discover
from pfcore.papers.parse_cache import DiskCache, MemoryCache, ParseCache
from pfcore.repository import revisions, snapshot

_TIMES = 7
_PLAN = "from pfcore.cli.main import main; status = main(['plan'])"
_RUN = """
import os, pathlib, sys
%s
own = pathlib.Path("/proc/self/status")
pathlib.Path(sys.argv[1]).write_text(own.read_text() if own.exists() else "")
sys.stdout.flush()
os._exit(status)  # as the command's script does
"""
_PEAK = re.compile(r"VmHWM:\s*(\d+) kB")


class TimedProcess(NamedTuple):
    """Seconds of one process: by the clock, of the processor (with git), of its git processes."""

    seconds: float
    processor: float
    git: float


class Peaked(NamedTuple):
    """A process, and its peak in MB."""

    run: TimedProcess
    peak: float


class LineEdit(NamedTuple):
    """A replacement for a line of a file."""

    path: Path
    old: str
    new: str


def main(argv: Sequence[str] | None = None) -> int:
    """Print two tables: whole processes, and the phases of one."""
    (place,) = argv if argv is not None else sys.argv[1:]
    folder = Path(place).resolve()
    if git(folder, "status", "--porcelain"):
        raise UsageError(f"{folder} has changes that are not committed")
    found = lines_to_edit(folder)
    gc.disable()
    with tempfile.TemporaryDirectory() as kept:
        cache = Path(kept)
        rows: list[tuple[str | float, ...]] = [("first time", *_row([_run(folder, cache)]))]
        rows.append(("nothing to do", *_row(_runs(folder, cache))))
        phases: list[tuple[str | float, ...]] = []
        for name, line in found.items():
            with edited(line):
                rows.append((f"one line of a {name}", *_row(_runs(folder, cache))))
                phases.append((name, *_phases(folder, cache)))
    show(("pf plan", "seconds", "git", "beyond git", "processor", "MB at most"), rows)
    show(("after an edit of a", "snapshots", "readings", "one graph", "other", "plan"), phases)
    return 0


def _row(found: Sequence[Peaked]) -> tuple[float, ...]:
    runs = [item.run for item in found]
    seconds, git_seconds = median(run.seconds for run in runs), median(run.git for run in runs)
    processor = median(run.processor for run in runs)
    most = max(item.peak for item in found)
    return seconds, git_seconds, seconds - git_seconds, processor, most


def _runs(folder: Path, cache: Path) -> list[Peaked]:
    return [_run(folder, cache) for _ in range(_TIMES + 1)][1:]


def _run(folder: Path, cache: Path) -> Peaked:
    """Run `pf plan` in its own process."""
    peak = cache / "peak"
    run = timed([sys.executable, "-c", _RUN % _PLAN, str(peak)], folder, cache)
    # What the system attributes to a process includes its parent before the fork.
    found = _PEAK.search(peak.read_text("utf-8"))
    return Peaked(run, int(found[1]) / 1000 if found else 0.0)


def _phases(folder: Path, cache: Path) -> Iterator[float]:
    """The median seconds of the phases in this process."""
    runs = [list(_phase_seconds(folder, cache)) for _ in range(_TIMES)]
    return (median(column) for column in zip(*runs, strict=True))


def _phase_seconds(folder: Path, cache: Path) -> Iterator[float]:
    clock = perf_counter()

    def lap() -> float:
        nonlocal clock
        before, clock = clock, perf_counter()
        return clock - before

    taken = revisions.compared_revisions(revisions.RevisionOptions(path=folder))
    if taken.before is None:
        raise UsageError(f"nothing differs in {folder}")
    yield lap()
    parse_cache = ParseCache(DiskCache(next((cache / "pf").glob("*.sqlite"))))
    now, then = (
        discover.discover_papers(snap, parse_cache).papers[0]
        for snap in (taken.after, taken.before)
    )
    yield lap()
    base = build_paper_state(then)
    yield lap()
    head = build_paper_state(now, base)
    yield lap()
    make_plan(base, head)
    yield lap()


@contextmanager
def edited(line: LineEdit) -> Iterator[None]:
    """A context in which a line of a file on disk is replaced."""
    text = line.path.read_text("utf-8")
    line.path.write_text(text.replace(line.old, line.new, 1), "utf-8")
    try:
        yield
    finally:
        line.path.write_text(text, "utf-8")


def lines_to_edit(folder: Path) -> Mapping[str, LineEdit]:
    """A line of a proof and one of a cited statement, from the middle of the paper."""
    parse_cache = ParseCache(MemoryCache())
    (moment, *_) = map(
        build_paper_state, discover.discover_papers(snapshot.current(folder), parse_cache).papers
    )
    cited = {edge.target for edge in moment.document.edges}
    modules = [module for name, module in moment.document.modules.items() if name in cited]
    chosen = next(module for module in modules[len(modules) // 2 :] if module.proofs)
    places = {"proof": chosen.proofs[0].location, "statement": chosen.statement.location}
    return {
        name: _line(folder / where.path, moment.paper.source(where.path)[where.start : where.end])
        for name, where in places.items()
    }


def _line(path: Path, passage: str) -> LineEdit:
    """Add a word at the end of a passage's last line but one."""
    before, end = passage.rsplit("\\end{", 1)
    return LineEdit(path, passage, f"{before}Indeed.\n\\end{{{end}")


def git(folder: Path, *arguments: str) -> str:
    """The output of a git command."""
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - no shell
    return done.stdout


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
    """The seconds of all git processes, as measured by git."""
    if not trace.exists():
        return 0.0
    events = map(json.loads, trace.read_text("utf-8").splitlines())
    return sum(float(event["t_abs"]) for event in events if event["event"] == "exit")


if __name__ == "__main__":
    sys.exit(main())
