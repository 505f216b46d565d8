"""`pf explain`, `pf dismiss`, `pf recheck`: one finding, one module."""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pfcore.cli.commands.check_command import status
from pfcore.cli.environment import chosen, run_review
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.pricing import budget, run_cap
from pfcore.cli.progress import Progress
from pfcore.cli.write_ledger import dismiss as record
from pfcore.domain.errors import UsageError
from pfcore.reporters.objections import explained
from pfcore.reporters.printing import Style
from pfcore.review.located_objections import dismissal
from pfcore.review.reading_session import ReadJob, Work, asked
from pfcore.review.review import PaperReport, Report, find_by_id

Show = Callable[[Report], None]


def explain(arguments: argparse.Namespace, style: Style) -> str:
    """All that is known of one finding."""
    with _known(arguments) as report:
        paper, finding = find_by_id(report, arguments.finding)
        return style.finish(explained(finding, paper, style))


def dismiss(arguments: argparse.Namespace) -> str:
    """Answer a finding in the ledger; a check's finding is answered in the source."""
    with _known(arguments) as report:
        paper, finding = find_by_id(report, arguments.finding)
        item = paper.sheet.recorded(finding) if paper.sheet else None
        if item is None or paper.sheet is None or finding.module is None:
            where = f"{finding.location.path}:{finding.location.line}"
            message = (
                f"a check found this: answer it at {where} by % pf: ignore[{finding.id}] reason"
            )
            raise UsageError(message)
        answer = dismissal(
            paper.sheet.objections,
            item,
            finding.module,
            reason=arguments.reason,
            who=arguments.who,
        )
        written = record(paper, answer, arguments.path)
    return f"{finding.id} is answered in {', '.join(written) or 'pf.lock, where it was already'}\n"


def recheck(arguments: argparse.Namespace, style: Style, show: Show) -> int:
    """Read one module again, whatever is known of it."""
    choice = chosen(arguments)
    if choice is None:
        raise UsageError("a recheck asks a model: name one with --model")
    with open_replies() as store:
        own = desk(arguments, choice, store)
        with run_review(arguments, own) as report:
            paper = _paper(report, arguments.module)
            sheet = paper.sheet
            if sheet is None or arguments.module not in sheet.tasks:
                raise UsageError(f"{arguments.module} has no proof that anybody reads")
            job = ReadJob(
                task=sheet.tasks[arguments.module], knowledge=sheet.knowledge, is_recheck=True
            )
            settings = paper.state.paper.settings
            cap = run_cap(arguments.budget, choice, settings, paper.state.paper.name)
            work = Work(jobs=[job], budget=budget(cap, choice, settings, store, time.time()))
            progress = Progress(total=1, style=style, is_shown=arguments.format == "text")
            done = asked(report, own, [work], store, progress)
            show(done)
            return status(done, [job]) or (3 if progress.failures else 0)


@contextmanager
def _known(arguments: argparse.Namespace) -> Iterator[Report]:
    """The review with what store and ledger know; nobody is asked."""
    choice = chosen(arguments)
    if choice is None:
        with run_review(arguments) as report:
            yield report
        return
    with open_replies() as store, run_review(arguments, desk(arguments, choice, store)) as report:
        yield report


def _paper(report: Report, module: str) -> PaperReport:
    for paper in report.papers:
        if module in paper.state.document.modules:
            return paper
    raise UsageError(f"there is no module {module}; pf graph lists what there is")
