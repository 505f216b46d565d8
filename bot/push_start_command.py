"""`pf-since`: says what a push to the default branch is compared with; a step that reads.

And, where a model is named, what the last runs have spent, by the names of caches.

What the event says will not do. A push whose review did not come to its end, as another one took
its place or the model did not answer, is in the next one's event no more.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from pfcore.cli.exit_status import exit_with, run_entry_point, say
from pfcore.domain.errors import UsageError

NAME = "pf-since"
_MOST = 100
"""Commits that are asked about, one request each."""
_MOST_RUNS = 1000
"""Runs whose spending is counted: their names go into one variable, which is 131,072 long."""


def script() -> NoReturn:
    """The console script."""
    exit_with(main)


def main() -> int:
    """Say it as an output of the step, "" where the event is to say it."""
    return run_entry_point(NAME, lambda: _since(os.environ))


def _since(environ: Mapping[str, str]) -> int:
    from bot.publish_command import job_hub
    from bot.publishing.action_report import push_start
    from pfcore.cli.day_spending import PREFIX
    from pfcore.cli.github_actions import ActionsEventKind, Tray, event
    from pfcore.repository.git import find_repository

    found, start = event(environ), ""
    if found.kind is ActionsEventKind.PUSH and found.is_default:
        path = Path(environ.get("PF_PATH") or ".")
        repository = find_repository(path)
        if repository is None:
            raise UsageError(f"not a git repository: {path} (check the paper out first)")
        commits = repository.ancestors(found.head, most=_MOST)
        paper = environ.get("PF_PAPER", "")
        start = push_start(found.before, commits, job_hub(environ), paper=paper)
        say(f"this push is compared with {start or 'nothing (the whole paper)'}\n")
    spent = ""
    if environ.get("PF_MODEL") and found.kind is not ActionsEventKind.FORK:
        names = job_hub(environ).caches(PREFIX, _MOST_RUNS + 1)
        if len(names) > _MOST_RUNS:
            say(f"what was spent: only the newest {_MOST_RUNS:,} runs are counted\n")
        spent = " ".join(name for name in names[:_MOST_RUNS] if len(name.split()) == 1)
    Tray(out=Path(), environ=environ, is_private=True).outputs(since=start, spent=spent)
    return 0
