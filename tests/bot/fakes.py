"""What the App works with, in memory: GitHub, a reader, queues, the memory of steps."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from bot.app_settings import AppSettings
from bot.domain import comment as marks
from bot.domain import job as jobs
from bot.domain.chat_commands import Permission
from bot.domain.comment import CommentKind, ObjectionSource, WantedComment
from bot.domain.deliveries import Delivery, DeliveryError
from bot.domain.events import RepositoryPlace
from bot.domain.forge import (
    PROOFS,
    STRUCTURE,
    CheckSaid,
    CommitCheck,
    DefaultBranch,
    GitRemote,
    GoneError,
    Missed,
    PullRequest,
)
from bot.domain.reconcile import Changes, Existing
from bot.domain.review_result import Reach
from bot.domain.worker_context import ReaderUsage, StructureResult, WorkerContext
from bot.jobs.dispatch import dispatch
from pfcore.domain.errors import UsageError
from pfcore.domain.paper_settings import AppDefaults
from tests.bot.memory_records import MemoryRecords

BASE, HEAD, NEXT, DEV = "b" * 40, "a" * 40, "c" * 40, "d" * 40
PLACE = RepositoryPlace(installation=1, repository="us/paper", repository_id=10)


class Crash(BaseException):
    """The process ends here."""


@dataclass
class FakeForge:
    """A repository; `failures` are raised by the calls to come, one each."""

    me: str = "pf-verify[bot]"
    heads: dict[Any, Any] = field(default_factory=dict)
    tips: dict[Any, Any] = field(default_factory=dict)
    parted: dict[Any, Any] = field(default_factory=dict)
    people: dict[Any, Any] = field(default_factory=dict)
    remarks: list[Any] = field(default_factory=list)
    checks: dict[Any, Any] = field(default_factory=dict)
    said: list[Any] = field(default_factory=list)
    reactions: list[Any] = field(default_factory=list)
    failures: deque[Any] = field(default_factory=deque)
    asked: list[Any] = field(default_factory=list)
    is_gone: bool = False

    def _call(self, name):
        self.asked.append(name)
        if self.is_gone:
            raise GoneError("the repository is not there")
        if self.failures:
            failure = self.failures.popleft()
            if failure is not None:
                raise failure

    def open(self, number=7, head=HEAD, **changes):
        values = {
            "number": number,
            "head": head,
            "base": BASE,
            "base_ref": "main",
            "author": "bob",
            "is_open": True,
            "is_draft": False,
            "is_fork": False,
        }
        self.heads[number] = PullRequest(**(values | changes))

    def push(self, head, number=7):
        self.heads[number] = replace(self.heads[number], head=head)

    def retarget(self, base_ref, base=DEV, number=7):
        self.heads[number] = replace(self.heads[number], base_ref=base_ref, base=base)

    def pull(self, number):
        self._call("pull")
        return self.heads[number]

    def pulls(self):
        self._call("pulls")
        return [pull for pull in self.heads.values() if pull.is_open]

    def default_branch(self):
        self._call("default_branch")
        return DefaultBranch(name="main", tip=BASE)

    def tip(self, branch):
        self._call("tip")
        return self.tips.get(branch)

    def merge_base(self, base, head):
        self._call("merge_base")
        return self.parted.get((base, head), base)

    def permission(self, login):
        self._call("permission")
        return self.people.get(login, Permission.NONE)

    def comments(self, number):
        self._call("comments")
        return list(self.remarks)

    def change(self, number, head, changes):
        self._call("change")
        for wanted in changes.create:
            ident = 100 + len(self.remarks)
            self.remarks.append(
                Existing(id=ident, kind=wanted.kind, body=wanted.body, is_ours=True)
            )

    def conclude(self, check):
        self._call("conclude")
        there = self.checks.get((check.name, check.head, check.key))
        if check.is_there and (there is None or there.conclusion is not None):
            return
        for name, head, key in list(self.checks):
            is_its = (name, head) == (check.name, check.head) and key not in check.spares
            if check.is_only and there is None and is_its:
                del self.checks[name, head, key]
        self.checks[check.name, check.head, check.key] = check
        self.said.append((check.name, check.head[:1], check.conclusion))

    def keys(self, name, head):
        self._call("keys")
        return [key for named, commit, key in self.checks if (named, commit) == (name, head)]

    def check_said(self, name, head):
        found = [it for (named, at, _), it in self.checks.items() if (named, at) == (name, head)]
        return CheckSaid(found[-1].conclusion or "", found[-1].title) if found else CheckSaid()

    def react(self, comment, content, *, is_review):
        self._call("react")
        self.reactions.append((comment, content))

    def answer(self, number, comment, body, *, is_review, mark=0):
        self._call("answer")
        if (mark or comment) not in [marks.answered_comment(item.body) for item in self.remarks]:
            ident = 100 + len(self.remarks)
            self.remarks.append(
                Existing(id=ident, kind=CommentKind.SUMMARY, body=body, is_ours=True)
            )

    def origin(self):
        self._call("origin")
        return GitRemote(url="https://example.org/us/paper", token="t")


class FakeHub:
    """The App with one repository, and what was delivered to it."""

    def __init__(self, forge):
        self.repository = forge
        self.missed = []
        self.homes = {}

    def forge(self, installation, repository, repository_id=None):
        return self.repository

    def home(self, place):
        found = self.homes.get(place.repository_id)
        if isinstance(found, Exception):
            raise found
        return found

    def deliveries(self, since) -> Iterator[Missed]:
        return iter([item for item, _ in self.missed if item.delivered >= since])

    def delivery(self, missed):
        return next(body for item, body in self.missed if item == missed)


def result(part, head=HEAD, trusted=BASE, *, ended="clean", is_read=True):
    """What a half of a review comes to."""
    said = {"part": part, "head": head, "trusted": trusted, "conclusion": ended, "title": ""}
    said["settings"] = f"settings of {trusted}"
    return json.dumps(said | {"is_read": is_read})


class FakeReviewer:
    """A reader that finds one thing in each head; `during` is called while it reads."""

    has_model = True

    def __init__(self):
        self.read = []
        self.is_readable = self.is_wanted = self.is_read = True
        self.is_cut = self.is_absent = False
        self.during = lambda: None
        self.lost = 0
        self.terms = None
        self.erased = []
        self.forgotten = []
        self.kept: set[int] = set()
        self.issues: deque[Any] = deque()
        self.failures: deque[Any] = deque()

    def asked_of_app(self, place, commit, origin):
        assert commit == BASE, "settings are those of the default branch"
        return AppDefaults(every_branch=self.is_wanted, issue=bool(self.issues))

    def keep_issue(self, told, forge):
        said = self.issues.popleft()
        if isinstance(said, Exception):
            raise said
        return said

    def settings(self, place, commit, origin):
        return f"settings of {commit}"

    def structure(self, subject, origin):
        self._call("structure", subject)
        ended = "incomplete" if self.is_cut else "clean"
        saved = result("structure", subject.head, subject.trusted, ended=ended, is_read=False)
        return StructureResult(saved=saved, is_readable=self.is_readable, is_absent=self.is_absent)

    def proofs(self, subject, origin, terms):
        self.terms = terms
        self._call("proofs", subject)
        self.during()
        terms.note(
            ReaderUsage(calls=3, input_tokens=30, output_tokens=6, dollars=0.5, lost=self.lost)
        )
        ended = "clean" if self.is_read else "incomplete"
        is_read = self.is_read
        return result("proofs", subject.head, subject.trusted, ended=ended, is_read=is_read)

    def known(self, subject, origin):
        self._call("known", subject)
        return f"known {subject.head}"

    def _call(self, name, subject):
        self.read.append((name, subject.head[:1]))
        self.subject = subject
        if self.failures:
            raise self.failures.popleft()

    def checks(self, told):
        head = json.loads(told.structure)["head"]

        def check(name, conclusion):
            return CommitCheck(
                name=name,
                head=head,
                key=told.key,
                title=told.reach,
                summary="",
                conclusion=conclusion,
                details=told.details,
            )

        ended = {Reach.PENDING: None, Reach.FORK: "action_required"}.get(told.reach, "success")
        if told.reach is Reach.DONE and told.proofs is None and self.is_readable:
            ended = "action_required"
        found = [check(STRUCTURE, "success")]
        return (*found, check(PROOFS, ended)) if told.reach is not Reach.NONE else tuple(found)

    def changes(self, told, existing):
        if any("pf-verify:finding" in item.body for item in existing):
            return Changes()
        body = marks.marked("A gap.", key="abcdefgh", source=ObjectionSource.READING)
        return Changes(create=(WantedComment(kind=CommentKind.SUMMARY, key="abcdefgh", body=body),))

    def explained(self, subject, origin, finding):
        self.subject = subject
        if finding != "abcdefgh":
            raise UsageError(f"unknown finding '{finding}'")
        return "All about it."

    def graph(self, subject, origin):
        return "a graph"

    def dismissed(self, subject, origin, asked):
        self.explained(subject, origin, asked.finding)
        return replace(asked, aliases=("zyxwvuts",), lines='{"a": 1}\n'), "a patch"

    def forget(self, place, number):
        self.forgotten.append(number)

    def places(self):
        return self.kept

    def erase(self, repository_id):
        self.erased.append(repository_id)


class MemoryDeliveries:
    """Deliveries in a dict."""

    def __init__(self):
        self.kept: dict[str, Delivery] = {}
        self.queued: set[str] = set()

    def keep(self, delivery):
        self.kept.setdefault(delivery.guid, delivery)
        return delivery.guid not in self.queued

    def mark_queued(self, guid):
        self.queued.add(guid)

    def get(self, guid):
        return self.kept.get(guid)

    def waiting(self, before, most=100):
        found = [item for item in self.kept.values() if item.guid not in self.queued]
        return [item for item in found if item.received <= before][:most]

    def since(self, moment):
        return frozenset(item.guid for item in self.kept.values() if item.received >= moment)

    def repositories(self, installation):
        found = [item for item in self.kept.values() if item.installation == installation]
        return frozenset(item.repository for item in found if item.repository is not None)

    def forget(self, moment):
        return self._drop(lambda item: item.received < moment)

    def move(self, installation, repository):
        for guid, item in self.kept.items():
            if item.repository == repository:
                self.kept[guid] = replace(item, installation=installation)

    def erase(self, installation, repository=None):
        return self._drop(
            lambda item: item.installation == installation and repository in (None, item.repository)
        )

    def _drop(self, is_gone):
        gone = [guid for guid, item in self.kept.items() if is_gone(item)]
        for guid in gone:
            del self.kept[guid]
        return len(gone)

    def close(self):
        """Nothing is held."""


class MemoryTasks:
    """Queues in a list, and a worker that does one task after the other."""

    def __init__(self):
        self.tasks = []
        self.later = []
        self.ids = set()
        self.forgotten = []
        self.is_broken = False

    def put(self, task):
        if self.is_broken:
            raise DeliveryError("the queue does not answer")
        if task.id not in self.ids:
            self.ids.add(task.id)
            (self.later if task.delay else self.tasks).append(task)

    def wake(self):
        """Let the time pass that tasks were to wait."""
        self.tasks += self.later
        self.later = []

    def waiting(self, prefix):
        return [task.job for task in self.tasks if task.id.startswith(prefix)]

    def erase(self, prefix):
        self.forgotten.append(prefix)

    def take_over(self, worker):
        return 1

    def at_work(self, worker):
        return frozenset()

    def forget(self, before):
        return 0


class MemoryDurable:
    """The memory of one piece of work; `crash` is the number of the step after which it ends."""

    def __init__(self, ident, crash=None, asleep=lambda seconds: None):
        self.id = ident
        self._asleep = asleep
        self.steps = []
        self.slept = []
        self._place = 0
        self._crash = crash

    def again(self, crash=None):
        """Take it up again."""
        self._place, self._crash = 0, crash

    def step(self, name, act):
        self._place += 1
        if self._place <= len(self.steps):
            known, outcome = self.steps[self._place - 1]
            assert known == name, "a step has another place than before"
            return outcome
        outcome = act()
        if self._crash == self._place:
            raise Crash
        self.steps.append((name, outcome))
        return outcome

    def sleep(self, seconds):
        self.step(f"sleep {seconds}", lambda: self._sleep(seconds))

    def _sleep(self, seconds):
        self.slept.append(seconds)
        self._asleep(seconds)

    def names(self):
        return [name for name, _ in self.steps]


def anything(value: Any) -> Any:
    """A double, as what it stands for."""
    return value


class Clock:
    """A clock that a second passes on whenever it is looked at."""

    def __init__(self, now=1_000_000.0):
        self.now = now

    def __call__(self):
        self.now += 1.0
        return self.now


class World:
    """All of it, and a worker."""

    def __init__(self, folder, **settings):
        self.clock = Clock()
        self.forge = FakeForge()
        self.hub = FakeHub(self.forge)
        self.records = anything(MemoryRecords(self.clock))
        self.reviewer = anything(FakeReviewer())
        self.tasks = anything(MemoryTasks())
        self.deliveries = MemoryDeliveries()
        values = {
            "app_id": 1,
            "private_key": folder / "key.pem",
            "webhook_secret": b"0123456789abcdef",
            "accounts": frozenset(("us",)),
            "database_url": "sqlite:///unused",
            "data": folder,
        }
        self.settings = AppSettings(**(values | settings))
        self.means = WorkerContext(
            settings=self.settings,
            hub=self.hub,
            records=self.records,
            deliveries=self.deliveries,
            reviewer=self.reviewer,
            tasks=self.tasks,
            clock=self.clock,
            patience=(2.0, 8.0),
        )
        self.durables = {}

    def do(self, task, crash=None):
        """Do a task, from what is remembered of it."""
        durable = self.durables.setdefault(task.id, MemoryDurable(task.id))
        durable.again(crash)
        # What a queue hands out has been JSON.
        return dispatch(jobs.read_job(jobs.job_text(task.job)), durable, self.means)

    def work(self):
        """Do what waits, until nothing does; the sentences."""
        notes = []
        while self.tasks.tasks:
            notes.append(self.do(self.tasks.tasks.pop(0)))
        return notes

    def states(self):
        """The states of all runs, the oldest first."""
        runs = sorted(self.records.runs.kept.values(), key=lambda run: run.created)
        return [run.state.value for run in runs]
