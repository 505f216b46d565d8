"""The runs of a workflow of the Action, and what of them a job may have run again."""

import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from pydantic import AwareDatetime, BaseModel, ConfigDict

from bot.domain.forge import BasedPull, GoneError, WorkflowRun
from bot.domain.webhooks import PullPayload
from bot.github.client import Client, RequestPace, Right, understood
from bot.github.responses import CompareResponse
from pfcore.domain.errors import IncompleteError

_OVER = "completed"
_TRIES = 24
_PAUSE = 5.0
"""Seconds between two looks at whether a run that is stopped is over."""
_SENTENCE = "the runs of the workflow cannot be read"


class _RunModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Source(_RunModel):
    id: int


class _Run(_RunModel):
    id: int
    head_branch: str | None = None
    head_repository: _Source | None = None
    status: str
    run_started_at: AwareDatetime


class _RunJob(_RunModel):
    name: str
    conclusion: str | None = None


class WorkflowRuns:
    """One repository, as the token of a job opens it; every method may raise IncompleteError."""

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
        """The open pull requests that are for a branch, the newest first."""
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
        """The commit where two lines parted; None where GitHub knows of none."""
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
            path, _SENTENCE, key="workflow_runs", event="pull_request", head_sha=head
        )
        found = [understood(_Run, item, _SENTENCE) for item in items]
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
        items = self._client.pages(f"{self._root}/actions/runs/{run}/jobs", _SENTENCE, key="jobs")
        found = [understood(_RunJob, item, _SENTENCE) for item in items]
        return [job.name for job in found if job.conclusion != "skipped"]

    def again(self, run: WorkflowRun) -> bool:
        """Have a run made again, which is stopped before if need be; False where it is refused."""
        try:
            if not run.is_over:
                self._stop(run.id)
            self._post(run.id, "rerun")
        except IncompleteError:
            return False
        return True

    def _stop(self, run: int) -> None:
        self._post(run, "cancel")
        for _ in range(_TRIES):
            found: Any = self._client.read(f"{self._root}/actions/runs/{run}", _SENTENCE)
            if understood(_Run, found, _SENTENCE).status == _OVER:
                return
            self._sleep(_PAUSE)
        raise IncompleteError("a run of the workflow does not end")

    def _post(self, run: int, act: str) -> None:
        path = f"{self._root}/actions/runs/{run}/{act}"
        self._client.rewrite("POST", path, f"{act} of a run of the workflow was refused")
