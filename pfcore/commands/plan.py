"""`pf plan` with a model: what is unread, and what reading it would cost; nobody is asked."""

import argparse

from pfcore.commands.asking import unread_jobs
from pfcore.commands.desks import desk, replies
from pfcore.commands.ending import say
from pfcore.commands.equipment import is_whole, reviewed
from pfcore.commands.pricing import priced
from pfcore.llm.settings import Choice
from pfcore.report import as_json, terminal
from pfcore.report.style import Style
from pfcore.unseen import is_incomplete


def plan(arguments: argparse.Namespace, choice: Choice, style: Style) -> int:
    """Say the plan with its price, as text or JSON; 3 where a part could not be looked at."""
    with replies() as store, reviewed(arguments, desk(arguments, choice, store)) as report:
        jobs = [
            job for paper in report.papers for job in unread_jobs(paper, whole=is_whole(arguments))
        ]
        price = priced(jobs, choice)
        if arguments.format == "json":
            say(as_json.plan(report, price.numbers()))
        else:
            say(terminal.plan(report, style, [price.sentence()]))
        return 3 if is_incomplete(report) else 0
