"""Incremental ≡ cold with all stages, over real histories, for a simulated reader.

The reader is a fixed function from keys to replies: nothing here is measured with a model.
"""

import asyncio
import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from pfcore.domain.values import Finding, Status
from pfcore.llm.connection import Connection
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.protocol import Endpoint
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.repository.git import GitRepository
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_files import BlobCache
from pfcore.review.reading_session import ReadJob, read_modules, unread_jobs
from pfcore.review.review import Report, refreshed, review
from pfcore.review.verification_setup import VerificationSetup
from pfcore.testing import MemoryStore, Oracle
from tests.pfcore.test_laws_on_histories import repository, revisions

__all__ = ["repository"]

CHOICE = ModelChoice(
    model="simulated",
    named_by="the test",
    connection=Connection(base_url="http://localhost/v1", endpoint=Endpoint.CHAT),
    price=None,
)


ASKING = 2
"""Of so many readings one asks for what a formula means before it decides."""


@dataclass(kw_only=True)
class Reader:
    """One who reads a history, and keeps what was said."""

    store: MemoryStore = field(default_factory=MemoryStore)
    blobs: BlobCache = field(default_factory=BlobCache)
    parse_cache: ParseCache = field(default_factory=lambda: ParseCache(MemoryCache()))

    @property
    def desk(self) -> VerificationSetup:
        return VerificationSetup(choice=CHOICE, store=self.store, rollouts=2)

    def report(self, before: Snapshot | None, after: Snapshot) -> Report:
        return review(before, after, self.parse_cache, desk=self.desk)

    def read(self, report: Report, *, whole: bool) -> Oracle:
        """Read what is unread; the oracle knows what was asked."""
        jobs = [job for paper in report.papers for job in unread_jobs(paper, whole=whole)]
        oracle = Oracle(self.store, asking=ASKING)
        asyncio.run(read_modules(jobs, oracle, at_once=4, observe=lambda done: None))
        return oracle


@dataclass(frozen=True)
class Said:
    """What a review says of proofs, `introduced` aside."""

    statuses: dict[str, dict[str, Status]]
    findings: dict[str, list[Finding]]
    unread: dict[str, dict[str, str]]


def said(report: Report) -> Said:
    papers = {paper.state.paper.name: paper for paper in report.papers}
    return Said(
        statuses={name: dict(paper.statuses) for name, paper in papers.items()},
        findings={
            name: [replace(item, introduced=None) for item in _sorted(paper.objections)]
            for name, paper in papers.items()
        },
        unread={
            name: paper.sheet.unread() if paper.sheet else {} for name, paper in papers.items()
        },
    )


def _sorted(findings: Iterable[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda item: (item.module or "", item.id))


def _snapshot(repository: GitRepository, revision: str, reader: Reader) -> Snapshot:
    return snapshot.from_revision(repository, revision, cache=reader.blobs)


@pytest.mark.corpus
@pytest.mark.sampled(2)
def test_after_any_commits_all_is_as_if_read_at_once(repository: GitRepository) -> None:
    """Each commit asks for the contexts that are new and what it reopens, and for nothing else.

    What is known by name only lowers statuses as long as the base has other words: the cold one
    has the same base.
    """
    assert repository.root is not None
    warm = Reader()
    before: Snapshot | None = None
    seen: set[str] = set()
    told = 0
    commits = _chosen(revisions(Path(repository.root)))
    for number, revision in enumerate(commits):
        after = _snapshot(repository, revision, warm)
        report = warm.report(before, after)
        again = {name for paper in report.papers for name in paper.plan.reopened or ()}
        wanted = {
            context: job
            for context, job in _jobs(report).items()
            if context not in seen or job.task.module in again
        }
        known = set(warm.store.replies)
        oracle = warm.read(report, whole=before is None)
        seen |= wanted.keys()
        told += sum(" begin: Supplied on request" in one.request.text for one in oracle.asked)
        assert {action.key() for action in oracle.asked} == _needed(wanted.values()) - known
        if number == len(commits) // 2 or number == len(commits) - 1:
            cold = Reader()
            fresh = cold.report(before, after)
            cold.read(fresh, whole=True)
            now = said(refreshed(fresh, cold.desk))
            assert said(refreshed(report, warm.desk)) == now
            reasons = (reason for listed in now.unread.values() for reason in listed.values())
            assert all("lacks " in reason or " are recorded" in reason for reason in reasons)
        before = after
    assert seen
    assert told, "somebody asked for more, and was told"


def _chosen(commits: list[str]) -> list[str]:
    """Each fourth of some commits, the last one among them; all of them where PF_COMMITS=all."""
    return commits if os.environ.get("PF_COMMITS") == "all" else commits[::-4][::-1]


def _jobs(report: Report) -> dict[str, ReadJob]:
    """All that can be read, by its context."""
    return {
        task.context: ReadJob(task=task, knowledge=paper.sheet.knowledge)
        for paper in report.papers
        if paper.sheet is not None
        for task in paper.sheet.tasks.values()
    }


def _needed(jobs: Iterable[ReadJob]) -> set[str]:
    """The keys that reading takes for one who knows nothing."""
    oracle = Oracle(asking=ASKING)
    alone = [replace(job, knowledge=replace(job.knowledge, store=oracle.store)) for job in jobs]
    asyncio.run(read_modules(alone, oracle, at_once=4, observe=lambda done: None))
    return {action.key() for action in oracle.asked}
