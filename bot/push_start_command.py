"""`pf-since`: says what a push to the default branch is compared with; a step that only reads.

It also names the structure's job, after the owner of its check, and, if a model is set, lists
the spending of the last runs, from the names of caches.

The event does not suffice: if a push's review did not finish, because another push replaced it
or the model did not answer, the next push's event does not include it.
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
"""How many commits are looked up, with one request each."""
_MOST_RUNS = 1000
"""How many runs count for the spending; their names go into a variable of 131,072 characters."""


def script() -> NoReturn:
    """The console script."""
    exit_with(main)


def main() -> int:
    """Write the commit as an output of the step, "" to use the event's."""
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
            say(f"spending: only the newest {_MOST_RUNS:,} runs are counted\n")
        spent = " ".join(name for name in names[:_MOST_RUNS] if len(name.split()) == 1)
    tray = Tray(out=Path(), environ=environ, is_private=True)
    tray.outputs(since=start, spent=spent, structure=job)
    if why:
        tray.summary(why)
        say(f"{why}\n")
    return 0


def _workflow_path(ref: str) -> str:
    """The path of a run's workflow file, from `owner/name/path@ref`."""
    return "/".join(ref.partition("@")[0].split("/")[2:])


def _first_start(repository: GitRepository, before: str | None, workflow: str) -> str:
    """The commit to compare a push with if no earlier review has finished.

    That is `before`, the commit before the push, if it has no workflow yet. Otherwise pushes before
    this one were not reviewed either, so it is the last commit without the workflow.
    """
    if before is None or not workflow:
        return before or ""
    return repository.before_file(before, workflow)
