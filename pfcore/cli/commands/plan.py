"""`pf plan` with a model: what is unread, and what reading it would cost; nobody is asked."""

import argparse

from pfcore.cli.ask_model import unread_jobs
from pfcore.cli.environment import is_whole, run_review
from pfcore.cli.exit_status import say
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.pricing import priced
from pfcore.llm.model_settings import ModelChoice
from pfcore.reporters import terminal
from pfcore.reporters.formats import json_report
from pfcore.reporters.style import Style
from pfcore.review.unseen import is_incomplete


def print_plan(arguments: argparse.Namespace, choice: ModelChoice, style: Style) -> int:
    """Say the plan with its price, as text or JSON; 3 where a part could not be looked at."""
    with open_replies() as store, run_review(arguments, desk(arguments, choice, store)) as report:
        jobs = [
            job for paper in report.papers for job in unread_jobs(paper, whole=is_whole(arguments))
        ]
        price = priced(jobs, choice)
        if arguments.format == "json":
            say(json_report.plan_json(report, price.numbers()))
        else:
            say(terminal.plan_text(report, style, [price.sentence()]))
        return 3 if is_incomplete(report) else 0
