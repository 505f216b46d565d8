"""`pf upgrade`: what the contract now makes unread, its price, and what would avoid it.

Nothing is changed, and nobody is asked.
"""

import argparse
import shlex
from dataclasses import replace

from pfcore.cli.ask_model import unread_jobs
from pfcore.cli.environment import chosen, run_review
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.pricing import priced
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import FILE_NAME
from pfcore.reporters import contract_report
from pfcore.reporters.contract_report import PaperUpgrade
from pfcore.reporters.style import Style
from pfcore.review.contract_comparison import upgrade as compared
from pfcore.review.review import PaperReport


def upgrade(arguments: argparse.Namespace, style: Style) -> str:
    """The comparison, as text or JSON; UsageError where no model is named."""
    choice = chosen(arguments)
    if choice is None:
        raise UsageError("a contract is with a model: name one with --model")
    arguments.all = True
    with open_replies() as store:
        # Whose word a line is makes no difference here: nothing counts, everything is listed.
        own = replace(desk(arguments, choice, store), is_ci=False)
        with run_review(arguments, own) as report:
            rows = [row for paper in report.papers if (row := _row(paper)) is not None]
            jobs = [job for paper in report.papers for job in unread_jobs(paper, whole=True)]
            price = priced(jobs, choice)
            if arguments.format == "json":
                return contract_report.upgrade_json(rows, choice.model, price.numbers())
            return contract_report.upgrade_text(rows, price.sentence(), _command(arguments), style)


def _row(paper: PaperReport) -> PaperUpgrade | None:
    if paper.sheet is None:
        return None
    settings = paper.state.paper.settings
    beside = f"{settings.folder}/{FILE_NAME}" if settings.folder else FILE_NAME
    return PaperUpgrade(
        paper=paper.state.paper.name,
        lock=settings.ledger,
        settings=settings.path or beside,
        upgrade=compared(paper.sheet),
    )


def _command(arguments: argparse.Namespace) -> str:
    """What reads all anew, with the options of now."""
    words = ["pf", "check", "--all", "--update-lock"]
    if arguments.model:
        words += ["--model", arguments.model]
    if arguments.rollouts:
        words += ["--rollouts", str(arguments.rollouts)]
    if arguments.prompts:
        words += ["--prompts", str(arguments.prompts)]
    return shlex.join(words)
