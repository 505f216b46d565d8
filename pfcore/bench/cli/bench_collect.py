"""The collection of papers with known errors."""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli import screen
from pfcore.cli.exit_status import say
from pfcore.cli.options import EPILOG, spending

if TYPE_CHECKING:
    from pfcore.cli.options import Commands


def register_collect(commands: Commands) -> None:
    """Add it to `pf bench`."""
    text = "collect papers of arXiv whose authors have corrected an error"
    collect = commands.add_parser("collect-arxiv", help=text, description=text, epilog=EPILOG)
    collect.add_argument(
        "--from", dest="first", type=_day, required=True, metavar="DAY", help="2025-01-01"
    )
    collect.add_argument(
        "--to", dest="last", type=_day, required=True, metavar="DAY", help="this day included"
    )
    collect.add_argument(
        "--out", type=Path, metavar="DIR", default=Path("pf-papers"), help="where it is kept"
    )
    collect.add_argument("--model", metavar="NAME", help="asks this model what was corrected")
    collect.add_argument("--offline", action="store_true", help="no model, whatever is configured")
    collect.add_argument("--prompts", type=Path, metavar="DIR", help="other prompts")
    collect.add_argument("--plain", action="store_true", help="ASCII without colours")
    spending(collect)
    collect.set_defaults(run=_collect)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"'{text}' is no day: write 2025-01-31") from None


def _collect(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.collect_papers import collect

    return collect(arguments, screen.style(arguments), say)
