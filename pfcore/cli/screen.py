"""What the terminal can show, and what whoever sits there says."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from pfcore.cli.exit_status import say

if TYPE_CHECKING:
    from pfcore.reporters.style import Style
    from pfcore.review.review import Report


def style(arguments: argparse.Namespace) -> Style:
    """Colours, letters and width, as the user wants them and the console has them."""
    import shutil

    from pfcore.reporters.style import Style

    plain = getattr(arguments, "plain", False)
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and not plain
    return Style(
        colour=coloured,
        ascii=plain or not _speaks_unicode(),
        width=max(80, min(160, shutil.get_terminal_size((100, 24)).columns)),
        notes=getattr(arguments, "notes", False),
    )


def report_printer(arguments: argparse.Namespace, style: Style) -> Callable[[Report], None]:
    """Prints a report in the format that is asked for."""
    if arguments.format == "text":
        from pfcore.reporters import terminal

        return lambda report: say(terminal.check_text(report, style))
    from pfcore.reporters.formats.catalogue import rendered_report
    from pfcore.reporters.review_outcome import not_looked_at

    def show(report: Report) -> None:
        say(rendered_report(report, arguments.format))
        if arguments.format == "rdjsonl" and (said := not_looked_at(report)):
            sys.stderr.write(f"pf: {said}\n")  # the format has findings and nothing else

    return show


def ask(question: str) -> bool | None:
    """A yes or no from whoever sits at the terminal; None where nobody does."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _speaks_unicode() -> bool:
    try:
        "✓→…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
