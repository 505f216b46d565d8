"""How long a report takes to open and to print in Chromium, which must be installed.

Called as `python -m pfcore.bench.speed.page_times REPORT.html…`. Seconds are by the clock, and of
the processors: on a machine that others use the second are the ones to compare. An empty page tells
what the browser takes by itself.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
_TICKS = os.sysconf("SC_CLK_TCK")
_PAUSE = 0.1


class PageTimes(NamedTuple):
    """Seconds by the clock and of the processors."""

    clock: float
    processors: float


def processor_ticks(stat: str) -> tuple[int, int]:
    """The parent of a process, and what it has used, from its line in /proc."""
    fields = stat[stat.rindex(")") + 2 :].split()
    return int(fields[1]), int(fields[11]) + int(fields[12])


def _used(root: int, known: dict[int, int]) -> None:
    """Note what a process and all below it have used so far: those that end are not seen again."""
    parents: dict[int, tuple[int, int]] = {}
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(place.parent.name)] = processor_ticks(place.read_text("utf-8", "replace"))
        except (OSError, ValueError):  # it has just ended
            continue
    for process, (_, ticks) in parents.items():
        above = process
        while above not in (root, 0) and above in parents:
            above = parents[above][0]
        if above == root:
            known[process] = ticks


def timed(command: Sequence[str]) -> PageTimes:
    """Run a browser to its end."""
    known: dict[int, int] = {}
    start = time.monotonic()
    nothing = subprocess.DEVNULL
    run = subprocess.Popen(command, stdout=nothing, stderr=nothing)  # noqa: S603 - no shell
    while run.poll() is None:
        _used(run.pid, known)
        time.sleep(_PAUSE)
    return PageTimes(time.monotonic() - start, sum(known.values()) / _TICKS)


def counts(text: str) -> str:
    """How large a report is."""
    entries, formulas = text.count("<article "), text.count("<math ")
    nodes = len(re.findall(r"<[a-zA-Z]", text))
    return (
        f"{entries:,} entries, {formulas:,} formulas, {nodes:,} elements, {len(text) / 1e6:.1f} MB"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each report; 2 where there is no Chromium."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        sys.stderr.write("no Chromium found: apt-get install chromium\n")
        return 2
    sys.stdout.write(f"an empty page {_both(program, 'about:blank')}\n")
    for name in sys.argv[1:] if argv is None else argv:
        page = Path(name).resolve()
        size = counts(page.read_text("utf-8"))
        sys.stdout.write(f"{page.name}: {size}; {_both(program, page.as_uri())}\n")
    return 0


def _both(program: str, address: str) -> str:
    """What a page takes to open and to print, each in a browser of its own."""
    with tempfile.TemporaryDirectory() as folder:
        flags = ["--headless", "--disable-gpu", f"--user-data-dir={folder}/profile"]
        flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        shot = timed([program, *flags, f"--screenshot={folder}/a.png", address])
        told = timed([program, *flags, f"--print-to-pdf={folder}/a.pdf", address])
    return (
        f"opens in {shot.clock:.1f} s ({shot.processors:.1f} s of processors), "
        f"prints in {told.clock:.1f} s ({told.processors:.1f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
