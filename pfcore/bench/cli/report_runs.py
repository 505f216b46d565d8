"""`pf bench report`: pictures, tables and one page from saved runs."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pfcore.bench.runs.saved_run import read_run
from pfcore.bench.runs.trials import SUFFIX
from pfcore.bench.scoring.canvas import FORMATS
from pfcore.bench.scoring.page import ReportSection, run_page
from pfcore.bench.scoring.run_report import sections
from pfcore.bench.terminal_table import table_lines
from pfcore.cli.outputs import require_writable
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.reporters.printing import safe
from pfcore.reporters.style import Style

_TITLE = "How well proofs are read"
_PAGE = "report.html"


def report(arguments: argparse.Namespace, style: Style, echo: Callable[[str], None]) -> int:
    """Read, draw, write; nobody is asked."""
    folder: Path = arguments.out
    require_writable(folder)
    found = sections([read_run(path) for path in _different(_files(arguments.runs))])
    try:
        written = list(_written(folder, found))
    except OSError as error:
        raise IncompleteError(f"{folder} cannot be written: {error.strerror}") from error
    echo(style.finish([*_text(found, style), *(f"Written: {path}" for path in written)]))
    return 0


def _files(named: Sequence[Path]) -> list[Path]:
    """The files that are named, and those of saved runs in folders; UsageError for an empty one."""
    found: list[Path] = []
    for path in named:
        listed = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
        if not listed:
            raise UsageError(
                f"{path} has no saved run: `pf bench hard2verify` and `pf bench arxiv` write them, "
                f"as files that end in {SUFFIX}"
            )
        found += listed
    return found


def _different(paths: Sequence[Path]) -> Sequence[Path]:
    """The paths; UsageError for one that is there twice: it would be compared with itself."""
    places = [path.resolve() for path in paths]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise UsageError(f"{paths[number]} is named twice")
    return paths


def _written(folder: Path, found: Sequence[ReportSection]) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for section in found:
        name = section.title.partition(":")[0].lower()
        for picture in section.pictures:
            for kind in FORMATS:
                path = folder / f"{name}-{picture.name}.{kind}"
                path.write_bytes(picture.data[kind])
                yield path
    path = folder / _PAGE
    path.write_text(run_page(_TITLE, found), encoding="utf-8", newline="\n")
    yield path


def _text(found: Sequence[ReportSection], style: Style) -> Iterator[str]:
    for section in found:
        yield style.paint(section.title, "bold")
        yield ""
        yield from section.warnings
        yield from map(safe, section.runs)
        for table in section.tables:
            yield ""
            yield style.paint(table.title, "bold")
            yield from table_lines(table.head, [[safe(cell) for cell in row] for row in table.rows])
            yield from table.notes
        yield ""
