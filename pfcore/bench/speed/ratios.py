"""The cost of a plan and a check after an edit of one line, as multiples of a plain scan.

python -m pfcore.bench.speed.ratios REPOSITORY [TIMES]

The scan searches each file once for what any reader of LaTeX has to see. The repository (the
largest real text available) must be clean, and is restored afterwards.
"""

import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from time import process_time

from pfcore.bench.speed.warm import edited, git, lines_to_edit, timed
from pfcore.bench.terminal_table import show
from pfcore.domain.errors import UsageError
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

_TIMES = 3
_MOST = 10
"""The multiple that DESIGN §12 allows."""

_SEEN = re.compile(r"%.*|\\(?:begin|end)\s*\{[^{}]*\}|\\[A-Za-z@]+|\\[^A-Za-z@]|[{}$]")
"""Comments, environments, commands, groups and formulas."""

_COMMANDS = (
    ("plan",), ("plan", "--format", "json"), ("check",), ("check", "--format", "json"),
)  # fmt: skip
_SCRIPT = "from pfcore.cli.main import script; script()"
_COUNTED = "seconds of the processor, user's and system's, of whole processes with their git"


def main(argv: Sequence[str] | None = None) -> int:
    """Print a row for each command after each edit; 1 if one takes more than is allowed."""
    place, *rest = argv if argv is not None else sys.argv[1:]
    times = int(rest[0]) if rest else _TIMES
    folder = Path(place).resolve()
    if git(folder, "status", "--porcelain"):
        raise UsageError(f"{folder} has changes that are not committed")
    files = _files(folder)
    scan = median(scanned(files) for _ in range(times))
    size = sum(path.stat().st_size for path in files) / 1e6
    print(f"plain scan of {len(files)} files, {size:.1f} MB: {scan:.3f} s; {_COUNTED}")  # noqa: T201
    rows = list(_rows(folder, scan, times))
    show(("one line edited", "seconds", "multiple of the scan"), rows)
    warm = [row for row in rows if row[0].startswith("pf ")]
    return 0 if all(row[2] <= _MOST for row in warm) else 1


def _files(folder: Path) -> list[Path]:
    """The files that the papers of a folder include."""
    found = discover.discover_papers(snapshot.current(folder), ParseCache(MemoryCache())).papers
    return [folder / path for path in dict.fromkeys(p for one in found for p in one.outline.order)]


def scanned(files: Sequence[Path]) -> float:
    """The seconds for reading some files and searching each once."""
    start = process_time()
    for path in files:
        for _ in _SEEN.finditer(path.read_text("utf-8", "replace")):
            pass
    return process_time() - start


def _rows(folder: Path, scan: float, times: int) -> Iterator[tuple[str, float, float]]:
    """For each edit: the first run, which reads the file again, then each command's median."""
    with tempfile.TemporaryDirectory() as kept:
        cache = Path(kept)
        _processor(_COMMANDS[0], folder, cache)  # fills the parse cache
        for name, line in lines_to_edit(folder).items():
            with edited(line):
                first = _processor(_COMMANDS[0], folder, cache)
                yield f"first run after the edit of a {name}", first, first / scan
                for command in _COMMANDS:
                    _processor(command, folder, cache)
                    found = median(_processor(command, folder, cache) for _ in range(times))
                    yield f"pf {' '.join(command)}, {name}", found, found / scan


def _processor(command: Sequence[str], folder: Path, cache: Path) -> float:
    words = [sys.executable, "-P", "-c", _SCRIPT, *command]
    return timed(words, folder, cache).processor


if __name__ == "__main__":
    sys.exit(main())
