"""`pf-publish`, the last job of the workflow, tells GitHub what a review found.

It may write and has no model's key. From the review it accepts one line of data only; where to
write comes from the event of its own job.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, NoReturn

from pfcore.cli.exit_status import exit_with, run_entry_point, say
from pfcore.domain.errors import IncompleteError, UsageError

if TYPE_CHECKING:
    from bot.github.job_token import JobHub, WorkflowRuns
    from bot.publishing.action_report import ActionReview
    from bot.publishing.base_push import BasePush
    from pfcore.cli.github_actions import ActionsEvent
    from pfcore.reporters.formats.publication import Publication

NAME = "pf-publish"
_WAYS = ("review", "issue", "scanning", "lock", "closing", "base", "renewal")
_BRANCH = "refs/heads/"


def script() -> NoReturn:
    """The console script."""
    exit_with(main)


def main() -> int:
    """Publish what the job's environment asks for."""
    return run_entry_point(NAME, lambda: _publish(os.environ))


def _publish(environ: Mapping[str, str]) -> int:
    from pfcore.cli.github_actions import DEPENDABOT, ActionsEventKind, event

    ways = environ.get("PF_TELL", "").split()
    if not ways or not set(ways) <= set(_WAYS):
        raise UsageError(f"PF_TELL must be one of: {', '.join(_WAYS)}")
    found = event(environ)
    if found.kind is ActionsEventKind.FORK:
        say("the run of a fork's pull request writes nothing\n")
        return 0
    if environ.get("GITHUB_ACTOR") == DEPENDABOT:
        say("a run that Dependabot started writes nothing\n")
        return 0
    alone = {"closing": _left, "base": _based, "renewal": _renewed}
    if len(ways) == 1 and ways[0] in alone:  # these need no review
        say(f"{alone[ways[0]](found, environ)}\n")
        return 0
    told, hub = _told(environ, found), job_hub(environ)
    errors = list[IncompleteError]()
    for way in ways:
        for tell in _tell(way, told, found, hub, environ):
            try:
                say(f"{tell()}\n")
            except IncompleteError as error:  # the rest is still published
                errors.append(error)
    if errors:
        raise IncompleteError("; ".join(dict.fromkeys(map(str, errors)))) from errors[0]
    if "review" in ways and found.is_default:
        from bot.publishing.action_report import tell_push

        say(f"{tell_push(told, environ.get('PF_SINCE', ''), hub)}\n")
    return 0


def _left(found: ActionsEvent, environ: Mapping[str, str]) -> str:
    """Hand on the checks of a pull request that was closed or got a new head; a sentence."""
    from bot.publishing.action_checks import hand_on

    if found.number is None:
        raise UsageError("PF_TELL=closing works only for a pull request")
    head = found.left or found.head
    key, paper = f"{head}:{environ.get('GITHUB_RUN_ID', '')}", environ.get("PF_PAPER") or "."
    at = datetime.fromisoformat(found.at).timestamp() if found.at else math.inf
    return hand_on(head, found.number, key, job_hub(environ), paper=paper, at=at)


def _renewed(found: ActionsEvent, environ: Mapping[str, str]) -> str:
    """Withdraw the pass of a pull request that is reviewed again; a sentence about it."""
    from bot.publishing.action_checks import renew

    if found.number is None:
        raise UsageError("PF_TELL=renewal works only for a pull request")
    key, paper = f"{found.head}:{environ.get('GITHUB_RUN_ID', '')}", environ.get("PF_PAPER") or "."
    return renew(found.head, found.number, key, job_hub(environ), paper=paper)


def _based(found: ActionsEvent, environ: Mapping[str, str]) -> str:
    """Start new reviews of open pull requests whose base was pushed to; a sentence about it."""
    from bot.publishing.base_push import tell_base

    ref = environ.get("GITHUB_REF", "")
    if environ.get("GITHUB_EVENT_NAME") != "push" or not ref.startswith(_BRANCH):
        raise UsageError("PF_TELL=base works only for a push to a branch")
    key, paper = f"{found.head}:{environ.get('GITHUB_RUN_ID', '')}", environ.get("PF_PAPER") or "."
    push = _base_push(found, environ)
    return tell_base(push, key, _job_runs(environ), job_hub(environ), paper=paper)


def _base_push(found: ActionsEvent, environ: Mapping[str, str]) -> BasePush:
    from pathlib import Path

    from bot.publishing.base_push import BasePush
    from pfcore.domain.errors import RevisionError, ShallowError
    from pfcore.repository.git import find_repository
    from pfcore.repository.source_files import is_setting

    path = Path(environ.get("PF_PATH") or ".")
    repository = find_repository(path)
    if repository is None:
        raise UsageError(f"not a git repository: {path} (check the paper out first)")
    is_setting_moved = True
    if found.was is not None:
        try:
            changed = repository.differing(repository.resolve(found.was), found.head)
            is_setting_moved = any(map(is_setting, changed))
        except (RevisionError, ShallowError):  # after a force push, the earlier commit may be gone
            is_setting_moved = True
    return BasePush(
        branch=environ.get("GITHUB_REF", "").removeprefix(_BRANCH),
        before=found.was,
        after=found.head,
        is_setting_moved=is_setting_moved,
        workflow=environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0].rpartition("/")[2],
        at=found.pushed,
    )


def _told(environ: Mapping[str, str], found: ActionsEvent) -> ActionReview:
    from bot.publishing.action_report import ActionReview

    structure = _read(environ.get("PF_PUBLICATION", ""), found.head)
    if structure is None:
        raise UsageError("PF_PUBLICATION is empty: nothing to publish")
    page = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}"
    return ActionReview(
        structure=structure,
        proofs=_read(environ.get("PF_PROOFS", ""), found.head),
        is_expected=environ.get("PF_EXPECTED") != "false",
        # Nobody waits for a push's commit, which may have a check from another comparison.
        is_awaited=bool(environ.get("PF_MODEL")) and environ.get("GITHUB_EVENT_NAME") != "push",
        is_advisory=environ.get("PF_ADVISORY") == "true",
        page=page.format_map({name: environ.get(name, "") for name in _PAGE}),
        paper=environ.get("PF_PAPER") or ".",
    )


_PAGE = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")


def _read(line: str, head: str) -> Publication | None:
    from pfcore.reporters.formats.publication import Publication, unpacked

    if not line:
        return None
    try:
        made = Publication.model_validate_json(unpacked(line))
    except ValueError as error:
        raise UsageError(f"invalid publication: {type(error).__name__}") from error
    if made.head != head:
        raise UsageError("the publication is not for the commit of this run")
    return made


def job_hub(environ: Mapping[str, str]) -> JobHub:
    """GitHub, by the job's token."""
    from bot.github.job_token import JobHub

    token, repository = environ.get("PF_TOKEN", ""), environ.get("GITHUB_REPOSITORY", "")
    if not token or repository.count("/") != 1:
        raise UsageError("PF_TOKEN and GITHUB_REPOSITORY must be set")
    api = environ.get("GITHUB_API_URL") or "https://api.github.com"
    return JobHub(api, repository, token, pause=float(environ.get("PF_PAUSE", "1")) or None)


def _job_runs(environ: Mapping[str, str]) -> WorkflowRuns:
    from bot.github.job_token import WorkflowRuns

    api = environ.get("GITHUB_API_URL") or "https://api.github.com"
    pause = float(environ.get("PF_PAUSE", "1"))
    token, repository = environ.get("PF_TOKEN", ""), environ.get("GITHUB_REPOSITORY", "")
    return WorkflowRuns(api, repository, token, pause=pause)


def _tell(
    way: str, told: ActionReview, found: ActionsEvent, hub: JobHub, environ: Mapping[str, str]
) -> Iterator[Callable[[], str]]:
    """The publications of one kind, one after another; each returns its sentence."""
    from bot.publishing import action_report

    shown, ref = told.shown, environ.get("GITHUB_REF", "")
    if way == "review":
        yield from _review(told, found, hub, environ)
    elif shown.is_private and way != "issue":
        yield lambda: f"{way}: the findings are private"
    elif way == "issue":
        if found.is_default:
            yield lambda: action_report.tell_issue(told, hub)
    elif way == "lock":
        if found.is_default:
            yield lambda: action_report.record(shown.ledgers, ref.removeprefix("refs/heads/"), hub)
    elif sarif := environ.get("PF_SARIF", ""):
        yield lambda: _scanned(sarif, found, hub, environ)


def _review(
    told: ActionReview, found: ActionsEvent, hub: JobHub, environ: Mapping[str, str]
) -> Iterator[Callable[[], str]]:
    """Publish beside a commit and on its pull request."""
    from bot.publishing import action_report
    from bot.publishing.action_checks import agree, take_over
    from pfcore.cli.github_actions import ActionsEventKind

    if found.kind is ActionsEventKind.TAG:
        yield lambda: "tag: the review is on the page of this run"
        return
    head, number = told.shown.head, found.number
    key, event = f"{head}:{environ.get('GITHUB_RUN_ID', '')}", environ.get("GITHUB_EVENT_NAME", "")
    if not found.is_default:
        yield lambda: action_report.tell_pull_request(told, number, hub)
    yield lambda: action_report.tell_check(told, key, hub, number, event)
    if number is not None:
        yield lambda: take_over(head, number, key, hub)
        yield lambda: "; ".join(agree(head, key, hub, paper=told.paper)) or "no other check changes"


def _scanned(sarif: str, found: ActionsEvent, hub: JobHub, environ: Mapping[str, str]) -> str:
    """Send findings to code scanning; not for a commit chosen by hand, which is on no branch."""
    from pfcore.cli.github_actions import ActionsEventKind

    if found.kind is ActionsEventKind.DISPATCH and found.head != environ.get("GITHUB_SHA"):
        return "code scanning: nothing is sent, because this commit was chosen by hand"
    ref = f"refs/pull/{found.number}/head" if found.number else environ.get("GITHUB_REF", "")
    hub.scan(sarif, found.head, ref)
    return "code scanning has the findings"
