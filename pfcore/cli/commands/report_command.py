"""`pf report`: the review as one HTML file, which replaces only an earlier report."""

import sys
from collections.abc import Sequence
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from pfcore.cli.environment import (
    chosen,
    is_guarded,
    is_tracked,
    replace,
    require_no_source,
    require_place,
    run_review,
)
from pfcore.cli.exit_status import say
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.options import ReviewOptions, shared_caller
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.installation import install_command
from pfcore.reporters.html.page import MARK, Assets, report_page
from pfcore.reporters.html.typeset import Maths
from pfcore.reporters.review_outcome import CALLER, Caller
from pfcore.review.review import Report
from pfcore.review.unseen import is_incomplete

_HEAD = 4_096
_RAW = "pf: formulas are shown as LaTeX; to typeset them: {}\n"


def report(wanted: ReviewOptions, place: Path, *, is_forced: bool) -> int:
    """Write the page without asking a model, and print its place.

    3 if a part of the paper could not be looked at.
    """
    _require_free(place, is_forced=is_forced)
    choice, revisions = chosen(wanted.reader, is_asked=False), wanted.revisions
    caller = shared_caller(wanted)
    if choice is None:
        with run_review(revisions, paper=wanted.paper, is_displayed=True) as found:
            text, is_cut = report_html(found, caller=caller), is_incomplete(found)
    else:
        with open_replies() as store:
            own = desk(wanted.reader, choice, store, is_ci=is_guarded(revisions))
            with run_review(revisions, own, paper=wanted.paper, is_displayed=True) as found:
                text, is_cut = report_html(found, caller=caller), is_incomplete(found)
    _write(place, text)
    say(f"{place}: {_size(len(text.encode('utf-8', 'replace')))}\n")
    return 3 if is_cut else 0


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 999_500 else f"{count / 1e3:.0f} kB"


def report_html(
    found: Report,
    *,
    is_told: bool = True,
    verdict: Sequence[str] = (),
    caller: Caller = CALLER,
) -> str:
    """The page of a review; `is_told`: if formulas are not typeset, print what would do it.

    `verdict` and `caller` are as in `report_page`.
    """
    return report_page(found, assets(), _maths(is_told=is_told), verdict, caller)


def assets() -> Assets:
    """The style sheet and the script that come with pf."""
    folder = files("pfcore.reporters.html")
    style, script = (
        (folder / name).read_text(encoding="utf-8") for name in ("report.css", "report.js")
    )
    return Assets(style=style, script=script)


def _maths(*, is_told: bool) -> Maths:
    if find_spec("latex2mathml") is None:
        if is_told:
            sys.stderr.write(_RAW.format(install_command("report")))
        return lambda text, display: None
    from pfcore.reporters.html.mathml import formula_mathml

    return lambda text, display: formula_mathml(text, display=display)


def _require_free(place: Path, *, is_forced: bool) -> None:
    """UsageError if anything but an earlier report would be lost."""
    require_place(place, "--out")
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise UsageError(f"{place} is not a regular file; choose another path with --out")
    if not place.exists():
        return
    require_no_source(place, "--out")
    try:
        with place.open("rb") as file:
            is_ours = MARK.encode() in file.read(_HEAD)
    except OSError as error:
        raise UsageError(f"{place} cannot be read: {error.strerror}") from error
    if not is_ours and is_tracked(place):
        raise UsageError(f"{place} is tracked by git; choose another path with --out")
    if not is_ours and not is_forced:
        raise UsageError(
            f"{place} was not written by pf; --force replaces it, --out chooses another path"
        )


def _write(place: Path, text: str) -> None:
    try:
        replace(place, text.encode("utf-8", "replace"))
    except OSError as error:
        raise IncompleteError(f"{place} cannot be written: {error.strerror}") from error
