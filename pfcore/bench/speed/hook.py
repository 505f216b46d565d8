"""How long a commit waits for `pf-verify`, in addition to git itself and the start of Python.

python -m pfcore.bench.speed.hook REPOSITORY [TIMES]

The repository (`pfcore.bench.speed.large` makes one of 15,000 modules) must be clean, and is
restored afterwards. The paper has been read before, and times are medians of several runs; on a
busy machine look at the processor's seconds.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pfcore.bench.speed.warm import LineEdit, TimedProcess, edited, git, lines_to_edit, timed
from pfcore.bench.terminal_table import show
from pfcore.domain.errors import UsageError

_TIMES = 9
_SCRIPT = "from hooks.offline import script; script()"


class HookTarget(NamedTuple):
    """What is staged, and the seconds beyond git and Python that DESIGN §12 allows."""

    name: str
    line: LineEdit | None
    seconds: float


def main(argv: Sequence[str] | None = None) -> int:
    """Print one row for each kind of staged change; 1 if a target is missed."""
    place, *rest = argv if argv is not None else sys.argv[1:]
    times = int(rest[0]) if rest else _TIMES
    folder = Path(place).resolve()
    if git(folder, "status", "--porcelain"):
        raise UsageError(f"{folder} has changes that are not committed")
    found = lines_to_edit(folder)
    targets = [HookTarget("nothing to do", None, 0.15)]
    targets += [HookTarget(f"one line of a {name}", line, 0.8) for name, line in found.items()]
    with tempfile.TemporaryDirectory() as kept:
        rows = [_row(target, folder, Path(kept), times) for target in targets]
    heads = ("staged", "seconds", "git", "Python", "beyond", "target", "ratio", "processor")
    show(heads, rows)
    return 0 if all(float(row[6]) <= 1 for row in rows) else 1


def _row(target: HookTarget, folder: Path, cache: Path, times: int) -> tuple[str | float, ...]:
    with _staged(target.line, folder):
        _hook(folder, cache)  # fills the parse cache
        runs = [_hook(folder, cache) for _ in range(times)]
        starts = [timed([sys.executable, "-c", ""], folder, cache) for _ in range(times)]
    start, start_processor = _median(starts, "seconds"), _median(starts, "processor")
    # Separately for each run: time taken by other processes on a busy machine is in both.
    beyond = median(run.seconds - run.git for run in runs) - start
    return (
        target.name,
        _median(runs, "seconds"),
        _median(runs, "git"),
        start,
        beyond,
        target.seconds,
        beyond / target.seconds,
        _median(runs, "processor") - start_processor,
    )


def _median(runs: Sequence[TimedProcess], name: str) -> float:
    return median(float(getattr(run, name)) for run in runs)


def _hook(folder: Path, cache: Path) -> TimedProcess:
    """Run the console script's code; like it, without the current folder in Python's path."""
    return timed([sys.executable, "-P", "-c", _SCRIPT], folder, cache)


@contextmanager
def _staged(line: LineEdit | None, folder: Path) -> Iterator[None]:
    """A context in which a line of a file is replaced, also in the index."""
    if line is None:
        yield
        return
    with edited(line):
        git(folder, "add", str(line.path))
        try:
            yield
        finally:
            git(folder, "reset", "--quiet")


if __name__ == "__main__":
    sys.exit(main())
