"""The Action's access to GitHub, with its job's token and on the job's server.

Reads are retried; writes only if GitHub refused them temporarily, because a write whose answer was
lost may have been done. Lists are read up to a limit; a longer one is an error that says so.
"""

import base64
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import quote

from github import Auth, Github, GithubException, GithubRetry, UnknownObjectException
from github.CheckRun import CheckRun
from github.PullRequest import PullRequest
from pydantic import AwareDatetime, BaseModel, ConfigDict

from bot.domain.comment import CommentKind
from bot.domain.forge import (
    BasedPull,
    BranchFile,
    CommitCheck,
    ExistingIssue,
    GoneError,
    JobCheck,
    MovedError,
    OpenPull,
    WorkflowRun,
)
from bot.domain.reconcile import Changes, Existing
from bot.domain.webhook_payloads import PullPayload
from bot.github.client import Client, RequestPace, Right, understood
from bot.github.responses import CompareResponse
from bot.github.review_threads import Talk
from pfcore.cli.github_actions import WRITERS
from pfcore.domain.errors import IncompleteError

Listed = TypeVar("Listed")
_ANOTHER = (409, 422)
"""The statuses if a file to commit has changed or has been created meanwhile."""
_ATTEMPTS = 5
_BUSY = (403, 429)
_WRITES = 3
"""How often a write is tried that GitHub refuses temporarily."""
_LONGEST = 90.0
"""The longest wait in seconds after such a refusal."""
_PAGE = 100
_MOST = 10_000
"""How many items of a list are read; a job may send a thousand requests an hour."""


class JobHub:
    """One repository of a server; `me` is the name under which the token writes.

    Every method may raise IncompleteError. `pause` is the number of seconds between writes.
    """

    def __init__(
        self,
        api: str,
        repository: str,
        token: str,
        *,
        me: str = "github-actions[bot]",
        pause: float | None = 1.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._me, self._sleep = me, sleep
        client = Github(
            auth=Auth.Token(token),
            base_url=api,
            per_page=_PAGE,
            retry=GithubRetry(total=_ATTEMPTS, allowed_methods={"GET", "HEAD"}),
            seconds_between_requests=None if pause is None else 0.25,
            seconds_between_writes=pause,
            lazy=True,
        )
        self._repository = client.get_repo(repository)
        pace = RequestPace(time.time, sleep, between=pause or 0.0)
        own = Client(api, Right(lambda: token, lambda: None), pace)
        self._talk = Talk(own, repository, me, is_resolving=False)

    def caches(self, prefix: str, most: int) -> list[str]:
        """The keys of the repository's caches with this prefix, the newest first."""
        sentence, keys = "the caches cannot be listed", list[str]()
        for page in range(1, most // _PAGE + 2):
            asked = {"key": prefix, "per_page": _PAGE, "page": page, "sort": "created_at"}
            with _translated(sentence):
                _, found = self._repository.requester.requestJsonAndCheck(
                    "GET", f"{self._repository.url}/actions/caches", parameters=asked
                )
            listed = found.get("actions_caches") if isinstance(found, dict) else None
            if not isinstance(listed, list):
                raise IncompleteError(f"{sentence}: unexpected answer from GitHub")
            names = (item.get("key") for item in listed if isinstance(item, dict))
            keys += [name for name in names if isinstance(name, str)]
            if len(listed) < _PAGE or len(keys) >= most:
                break
        return keys[:most]

    def pulls_at(self, head: str) -> list[OpenPull]:
        """The open pull requests that have this commit as their head now."""
        sentence = "its pull requests cannot be read"
        with _translated(sentence):
            pulls = _bounded(self._repository.get_pulls(state="open"), sentence)
            return [
                OpenPull(
                    number=pull.number,
                    is_own=_is_own(pull),
                    is_known=pull.author_association in WRITERS,
                    base=pull.base.ref,
                )
                for pull in pulls
                if pull.head.sha == head
            ]

    def branches_at(self, head: str) -> list[str]:
        """The branches of the repository whose tip is a commit."""
        sentence = f"the branches at {head[:12]} cannot be read"
        with _translated(sentence):
            found = self._repository.get_commit(head).get_branches_where_head()
            return [branch.name for branch in _bounded(found, sentence)]

    def comments(self, number: int) -> list[Existing]:
        """All comments of a pull request: those on the whole, oldest first, then those on lines."""
        return self._talk.comments(number)

    def change(self, number: int, head: str, changes: Changes) -> None:
        """Add and change comments, those on lines as one review; a job deletes none.

        Without comments on lines, the summary is a comment on the whole pull request.
        """

        def require_head() -> None:
            if all(pull.number != number for pull in self.pulls_at(head)):
                raise MovedError(f"#{number} has a newer commit than {head[:10]}")

        is_whole = all(item.kind is CommentKind.SUMMARY for item in changes.create)
        for new in changes.create if is_whole else ():
            with _translated(f"#{number} cannot be commented on"):
                issue = self._repository.get_issue(number)
                self._written(partial(issue.create_comment, new.body))
        left = replace(changes, create=() if is_whole else changes.create, delete=())
        self._talk.change(number, head, left, require_head)

    def conclude(self, check: CommitCheck) -> None:
        """Create a check run, or update the one with this key; jobs report only completed ones."""
        conclusion = check.conclusion
        if conclusion is None:
            raise ValueError("a check that a job creates must have a conclusion")
        output: dict[str, str | list[dict[str, str | int]]] = {
            "title": check.title,
            "summary": check.summary,
        }
        sentence = "the check cannot be concluded"
        with _translated(sentence):
            runs = self._repository.get_commit(check.head).get_check_runs(check_name=check.name)
            own = (run for run in _bounded(runs, sentence) if run.external_id == check.key)
            known = next(own, None)
            if known is not None:
                self._written(partial(known.edit, conclusion=conclusion, output=output))
                return
            make = partial(
                self._repository.create_check_run,
                check.name,
                check.head,
                external_id=check.key,
                status="completed",
                conclusion=conclusion,
                output=output,
            )
            self._written(make)

    def keys(self, name: str, head: str) -> list[str]:
        """The keys of the completed check runs of a name on a commit."""
        sentence = f"the checks of {head[:12]} cannot be read"
        with _translated(sentence):
            commit = self._repository.get_commit(head)
            runs = commit.get_check_runs(check_name=name, status="completed", filter="all")
            done = (run for run in _bounded(runs, sentence) if run.status == "completed")
            return [run.external_id or "" for run in done]

    def checks(self, head: str, *names: str) -> list[CommitCheck]:
        """The completed check runs of these names that jobs have made, the newest first."""
        sentence, found = f"the checks of {head[:12]} cannot be read", list[CheckRun]()
        with _translated(sentence):
            commit = self._repository.get_commit(head)
            for name in names:
                runs = commit.get_check_runs(check_name=name, status="completed", filter="all")
                found += _bounded(runs, sentence)
            return [
                CommitCheck(
                    name=run.name,
                    head=head,
                    key=run.external_id or "",
                    title=run.output.title or "",
                    summary=run.output.summary or "",
                    conclusion=run.conclusion,
                )
                for run in self._of_jobs(found)
                if run.status == "completed"
            ]

    def job_checks(self, head: str) -> list[JobCheck]:
        """All check runs of jobs at a commit, the newest first."""
        sentence = f"the checks of {head[:12]} cannot be read"
        with _translated(sentence):
            runs = self._repository.get_commit(head).get_check_runs(filter="all")
            return [
                JobCheck(
                    id=run.id,
                    name=run.name,
                    key=run.external_id or "",
                    conclusion=run.conclusion if run.status == "completed" else None,
                    began=run.started_at.timestamp(),
                )
                for run in self._of_jobs(_bounded(runs, sentence))
            ]

    def _of_jobs(self, runs: Iterable[CheckRun]) -> list[CheckRun]:
        """The check runs that jobs made, the newest first."""
        own = (run for run in runs if run.app.slug == self._me.removesuffix("[bot]"))
        return sorted(own, key=lambda run: run.id, reverse=True)

    def issues(self, label: str) -> Iterator[ExistingIssue]:
        """The issues with a label, closed ones too, the oldest first."""
        return self._talk.issues(label)

    def open_issue(self, title: str, body: str, label: str) -> None:
        """Open an issue."""
        self._talk.open_issue(title, body, label)

    def change_issue(self, number: int, body: str, *, is_open: bool) -> None:
        """Change an issue."""
        self._talk.change_issue(number, body, is_open=is_open)

    def held(self, path: str, branch: str) -> BranchFile:
        """The file as it is now; IncompleteError if it is a folder or a link."""
        with _translated(f"{path} cannot be read"):
            try:
                found = self._repository.get_contents(path, ref=branch)
            except UnknownObjectException:
                return BranchFile("", "")
            if isinstance(found, list) or found.type != "file":
                raise IncompleteError(f"{path} is not a plain file; left unchanged")
            blob = self._repository.get_git_blob(found.sha)
            text = base64.b64decode(blob.content).decode("utf-8", "surrogateescape")
            return BranchFile(text, found.sha)

    def put(self, path: str, branch: str, new: BranchFile, message: str) -> bool:
        """Commit a text in place of the content `new.blob`; False if someone changed it first."""
        data = new.text.encode("utf-8", "surrogateescape")
        with _translated(f"{path} cannot be committed"):
            put = partial(self._repository.create_file, path, message, data, branch=branch)
            if new.blob:
                put = partial(
                    self._repository.update_file, path, message, data, new.blob, branch=branch
                )
            try:
                self._written(put)
            except GithubException as error:
                if error.status in _ANOTHER and self.held(path, branch).blob != new.blob:
                    return False
                raise
        return True

    def scan(self, sarif: str, commit: str, ref: str) -> None:
        """Send findings to code scanning, as SARIF that is compressed and in base64."""
        body = {"commit_sha": commit, "ref": ref, "sarif": sarif, "tool_name": "pf-verify"}
        with _translated("findings cannot be sent to code scanning"):
            requester = self._repository.requester
            place = f"{self._repository.url}/code-scanning/sarifs"
            self._written(partial(requester.requestJsonAndCheck, "POST", place, input=body))

    def _written(self, act: Callable[[], object]) -> None:
        """Do a write; repeat it after a wait if GitHub asked for one: then it was not done."""
        for _ in range(_WRITES - 1):
            try:
                act()
            except GithubException as error:
                wait = (error.headers or {}).get("retry-after", "")
                if error.status not in _BUSY or not wait.isdecimal() or float(wait) > _LONGEST:
                    raise
                self._sleep(float(wait))
            else:
                return
        act()


def _is_own(pull: PullRequest) -> bool:
    """Whether a head is in the repository, by ids; False if the head's repository is gone."""
    head, base = (part.raw_data.get("repo") or {} for part in (pull.head, pull.base))
    return head.get("id") is not None and bool(head["id"] == base.get("id"))


_OVER = "completed"
_LOOKS = 24
_BETWEEN = 5.0
"""The seconds between two looks at whether a cancelled run has ended."""
_RUNS = "the runs of the workflow cannot be read"


class _RunModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _HeadRepository(_RunModel):
    id: int


class _WorkflowRunResponse(_RunModel):
    id: int
    head_branch: str | None = None
    head_repository: _HeadRepository | None = None
    status: str
    run_started_at: AwareDatetime


class _RunJob(_RunModel):
    name: str
    conclusion: str | None = None


class WorkflowRuns:
    """The workflow runs of a repository, by a job's token; methods may raise IncompleteError."""

    def __init__(
        self,
        api: str,
        repository: str,
        token: str,
        *,
        pause: float = 1.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        pace = RequestPace(time.time, sleep, between=pause)
        self._client = Client(api, Right(lambda: token, lambda: None), pace)
        self._root, self._sleep = f"/repos/{quote(repository)}", sleep

    def pulls(self, base: str) -> list[BasedPull]:
        """The open pull requests for a branch, the newest first."""
        sentence = "the open pull requests cannot be listed"
        path = f"{self._root}/pulls"
        found = [
            understood(PullPayload, item, sentence)
            for item in self._client.pages(path, sentence, state="open", base=base)
        ]
        return [
            BasedPull(
                number=pull.number,
                head=pull.head.sha,
                branch=pull.head.ref,
                source=pull.head.repo.id if pull.head.repo else 0,
            )
            for pull in found
            if pull.base.ref == base
        ]

    def merge_base(self, one: str, other: str) -> str | None:
        """The merge base of two commits; None if GitHub knows of none."""
        sentence = f"{one[:10]} cannot be compared with {other[:10]}"
        path = f"{self._root}/compare/{quote(one)}...{quote(other)}"
        try:
            found = self._client.read(path, sentence, per_page=1, page=2)
        except GoneError:
            return None
        return understood(CompareResponse, found, sentence).merge_base_commit.sha

    def runs(self, workflow: str, head: str) -> list[WorkflowRun]:
        """The runs of a workflow for pull requests with a head, the newest first."""
        path = f"{self._root}/actions/workflows/{quote(workflow, safe='')}/runs"
        items = self._client.pages(
            path, _RUNS, key="workflow_runs", event="pull_request", head_sha=head
        )
        found = [understood(_WorkflowRunResponse, item, _RUNS) for item in items]
        return [
            WorkflowRun(
                id=run.id,
                branch=run.head_branch or "",
                source=run.head_repository.id if run.head_repository else 0,
                is_over=run.status == _OVER,
                began=run.run_started_at.timestamp(),
            )
            for run in sorted(found, key=lambda run: run.id, reverse=True)
        ]

    def jobs(self, run: int) -> list[str]:
        """The names of the jobs of a run that were not skipped."""
        items = self._client.pages(f"{self._root}/actions/runs/{run}/jobs", _RUNS, key="jobs")
        found = [understood(_RunJob, item, _RUNS) for item in items]
        return [job.name for job in found if job.conclusion != "skipped"]

    def again(self, run: WorkflowRun) -> bool:
        """Start a run again, cancelling it first if need be; False if GitHub refuses."""
        try:
            if not run.is_over:
                self._stop(run.id)
            self._post(run.id, "rerun")
        except IncompleteError:
            return False
        return True

    def _stop(self, run: int) -> None:
        self._post(run, "cancel")
        for _ in range(_LOOKS):
            found: Any = self._client.read(f"{self._root}/actions/runs/{run}", _RUNS)
            if understood(_WorkflowRunResponse, found, _RUNS).status == _OVER:
                return
            self._sleep(_BETWEEN)
        raise IncompleteError("a run of the workflow did not stop in time")

    def _post(self, run: int, act: str) -> None:
        path = f"{self._root}/actions/runs/{run}/{act}"
        self._client.rewrite("POST", path, f"a run of the workflow: {act} was refused")


def _bounded(items: Iterable[Listed], sentence: str) -> Iterator[Listed]:
    """The items of a list; IncompleteError if there are more than the limit."""
    for place, item in enumerate(items):
        if place == _MOST:
            raise IncompleteError(f"{sentence}: more than {_MOST:,}")
        yield item


@contextmanager
def _translated(sentence: str) -> Iterator[None]:
    """Turn errors of PyGithub and the network into a sentence; the answer's own words are data."""
    try:
        yield
    except GithubException as error:
        said = error.data.get("message") if isinstance(error.data, dict) else None
        raise IncompleteError(f"{sentence}: GitHub answered {error.status} {said or ''}") from error
    except OSError as error:  # the exceptions of requests derive from it
        raise IncompleteError(f"{sentence}: {error}") from error
