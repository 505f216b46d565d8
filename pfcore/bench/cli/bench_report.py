"""What is made of runs that are saved."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli import screen
from pfcore.cli.exit_status import say

if TYPE_CHECKING:
    from pfcore.cli.options import Commands


def register_report(commands: Commands) -> None:
    """Add it to `pf bench`."""
    text = "curves, panels and tables from saved runs, as pictures and one page"
    report = commands.add_parser("report", help=text, description=text)
    report.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="a file of a saved run, or their folder"
    )
    report.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("pf-bench"),
        help="where results are written",
    )
    report.add_argument("--plain", action="store_true", help="ASCII without colours")
    report.set_defaults(run=_report)


def _report(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.report_runs import report

    return report(arguments, screen.style(arguments), say)
