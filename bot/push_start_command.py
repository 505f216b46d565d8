"""`pf-since`: says what a push to the default branch is compared with; a step that reads.

And what the job of the structure is called, by whose its check is; and, where a model is named,
what the last runs have spent, by the names of caches.

What the event says will not do. A push whose review did not come to its end, as another one took
its place or the model did not answer, is in the next one's event no more.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pfcore.cli.exit_status import exit_with, run_entry_point, say
from pfcore.domain.errors import UsageError

if TYPE_CHECKING:
    from pfcore.repository.git import GitRepository

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
    from bot.publishing.action_checks import job_name
    from bot.publishing.action_report import push_start
    from pfcore.cli.day_spending import PREFIX
    from pfcore.cli.github_actions import ActionsEventKind, Tray, event
    from pfcore.repository.git import find_repository

    found, start = event(environ), ""
    hub = job_hub(environ)
    job, why = job_name(found, environ.get("GITHUB_EVENT_NAME", ""), hub)
    if found.kind is ActionsEventKind.PUSH and found.is_default:
        path = Path(environ.get("PF_PATH") or ".")
        repository = find_repository(path)
        if repository is None:
            raise UsageError(f"not a git repository: {path} (check the paper out first)")
        commits = repository.ancestors(found.head, most=_MOST)
        paper = environ.get("PF_PAPER", "")
        reviewed = push_start(found.before, commits, hub, paper=paper)
        workflow = _workflow_path(environ.get("GITHUB_WORKFLOW_REF", ""))
        start = reviewed or _first_start(repository, found.before, workflow)
        say(f"this push is compared with {start or 'nothing (the whole paper)'}\n")
    spent = ""
    if environ.get("PF_MODEL") and found.kind is not ActionsEventKind.FORK:
        names = hub.caches(PREFIX, _MOST_RUNS + 1)
        if len(names) > _MOST_RUNS:
            say(f"what was spent: only the newest {_MOST_RUNS:,} runs are counted\n")
        spent = " ".join(name for name in names[:_MOST_RUNS] if len(name.split()) == 1)
    tray = Tray(out=Path(), environ=environ, is_private=True)
    tray.outputs(since=start, spent=spent, structure=job)
    if why:
        tray.summary(why)
        say(f"{why}\n")
    return 0


def _workflow_path(ref: str) -> str:
    """The file of the workflow that a run is of, as `owner/name/path@ref` says it."""
    return "/".join(ref.partition("@")[0].split("/")[2:])


def _first_start(repository: GitRepository, before: str | None, workflow: str) -> str:
    """What a push is compared with where no earlier one's review came to its end.

    That is the commit before it, `before`, if it is the first with the workflow. If it is not, what
    the ones before it brought was looked at by nobody: then the last commit without the workflow.
    """
    if before is None or not workflow:
        return before or ""
    return repository.before_file(before, workflow)
