"""`pf numbers`: the number of each statement and, on request, the number that LaTeX prints."""

import sys
from collections.abc import Iterator

from pfcore.cli.environment import is_ci, run_review
from pfcore.cli.exit_status import say, visible
from pfcore.cli.options import ReviewOptions
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.papers.latex_numbers import ask_latex
from pfcore.papers.paper import Paper
from pfcore.reporters.formats.numbers_report import numbers_json, numbers_text
from pfcore.review.review import Report, displayed
from pfcore.review.unseen import is_incomplete

_NOT_HERE = "pf numbers --latex does not run in CI (CI is set); run it on your own machine"


def numbers(wanted: ReviewOptions, *, is_asked: bool) -> int:
    """Print the numbers; `is_asked`: run TeX on the papers first.

    3 if a part of a paper could not be looked at, or a run of TeX failed.
    """
    if is_asked and is_ci():
        raise UsageError(_NOT_HERE)
    output = wanted.output
    with run_review(wanted.revisions, paper=wanted.paper, is_displayed=True) as report:
        failures = list(_asked(report)) if is_asked else []
        found = displayed(report) if is_asked else report  # with the numbers of this run
        if output.format == "json":
            say(numbers_json(found))
        else:
            say(numbers_text(found, output.style))
        for sentence in failures:
            sys.stderr.write(f"pf: {visible(sentence)}\n")
        return 3 if failures or is_incomplete(report) else 0


def _asked(report: Report) -> Iterator[str]:
    """Run LaTeX on each paper; the reasons of failed runs."""
    for item in report.papers:
        paper: Paper = item.state.paper
        if sys.stderr.isatty():
            sys.stderr.write(f"pf: running LaTeX on {visible(paper.root)} ...\n")
        try:
            ask_latex(paper)
        except IncompleteError as error:
            yield error.message
