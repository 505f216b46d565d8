"""A hundred deaths of the App's processes on a GitHub that is not its own double's.

One process, and a web side with two workers; SQLite and Postgres: twenty-five kills each where
PF_KILLS=all, else six, aimed at running reviews and at calls in flight, with answers that are lost,
secondary limits, revoked tokens, redeliveries and a locked database beside them. Nothing is lost,
posted twice or stuck, and each pull request says exactly what its last push deserves.
"""

import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import create_engine, text

from bot.domain import comment
from bot.domain.comment import CommentState
from bot.domain.forge import PROOFS, STRUCTURE
from bot.jobs import housekeeping
from bot.jobs.queue import ATTEMPTS
from tests.acceptance.documented_github import Json, RequestFault
from tests.acceptance.documented_rest import DocumentedServer, documented
from tests.acceptance.postgres import own_database, running
from tests.acceptance.small_disk import SmallDisk, small_disk
from tests.bot.processes import Model, Standing, speaking, until, wait
from tests.bot.test_kills import GAP, ROLLOUTS, find_a_moment, lemmas, lock, strict
from tests.pfcore.cli.conftest import LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

KILLS, PULLS = 25 if os.environ.get("PF_KILLS") == "all" else 6, 3
"""Of each of four; the pull requests that are pushed to meanwhile."""
SIDES = {"one": ("all",), "two": ("web", "first", "second")}
FAULTS = ("lost", "down", "secondary", "revoked")


class Crowd:
    """A repository with pull requests that people push to and ask about."""

    def __init__(self, github: DocumentedServer, document) -> None:
        self.github, self.document = github, document
        self.here = github.repository("us/paper")
        self.here.permissions["alice"] = "write"
        self.base = github.commit(self.here, lemmas(document, [0] * PULLS))
        # Nobody is told of it: what readers say of the base already is no news in a change of it.
        self.here.run_git("update-ref", "refs/heads/main", self.base)
        self.versions, self.asked, self.pulls = [0] * PULLS, list[int](), list[int]()
        self._questions = {number: list[int]() for number in range(PULLS)}

    def files(self, number: int) -> dict[str, str | None]:
        """What the next push to a pull request makes of the paper."""
        self.versions[number] += 1
        mine = [self.versions[number] if n == number else 0 for n in range(PULLS)]
        return dict(lemmas(self.document, mine))

    def open(self, number: int) -> None:
        head = self.github.commit(self.here, self.files(number), self.base)
        self.pulls.append(self.github.open(self.here, head, branch=f"change-{number}"))

    def push(self, number: int) -> None:
        tip = self.github.tip(self.here, f"change-{number}")
        made = self.github.commit(self.here, self.files(number), str(tip))
        self.github.push(self.here, f"change-{number}", made)

    def ask(self, number: int) -> None:
        said = self.github.say(self.here, self.pulls[number], "/pf help", "alice")
        self.asked.append(said)
        self._questions[number].append(said)

    def questions(self, number: int) -> list[int]:
        """What was asked at a pull request."""
        return self._questions[number]

    @property
    def heads(self) -> set[str]:
        return {str(self.here.pulls[number]["head"]["sha"]) for number in self.pulls}

    def seen(self) -> Counter[str]:
        """What rules see at the heads."""
        names = (STRUCTURE, PROOFS)
        return Counter(
            self.github.required(self.here, head, name, reading=reading)
            for head in self.heads
            for name in names
            for reading in ("newest", "all")
        )

    def is_told(self) -> bool:
        """Whether the checks of each head are over and each question was answered."""
        answered = {comment.answered_comment(item["body"]) for item in self.here.comments}
        waits = self.seen().keys() & {"missing", "pending"}
        return not waits and answered >= set(self.asked)

    def doubled(self) -> int:
        """Checks, answers and open remarks that are there more often than once."""
        runs = Counter((it["name"], it["head_sha"], it["external_id"]) for it in self.here.checks)
        said = [*self.here.comments, *self.here.remarks, *self.here.reviews]
        answers = Counter((it["number"], comment.answered_comment(it["body"])) for it in said)
        marks = [(it["number"], comment.read_mark(it["body"])) for it in said]
        keys = Counter(
            (number, mark.key) for number, mark in marks if mark and mark.state.value == "open"
        )
        counts = [*runs.values(), *keys.values()]
        counts += [count for (_, about), count in answers.items() if about is not None]
        return sum(count - 1 for count in counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deserved:
    """What a push with some words in a proof deserves; `beside`: of what kind the remarks are."""

    words: str
    structure: str
    proofs: str
    beside: tuple[str, ...]


DESERVED = (
    Deserved(words="", structure="success", proofs="success", beside=()),
    Deserved(words=GAP, structure="success", proofs="neutral", beside=("reading",)),
    Deserved(
        words=rf"By \ref{{nowhere}}. {GAP}",
        structure="failure",
        proofs="neutral",
        beside=("check", "reading"),
    ),
)
SEVERITY = ("success", "neutral", "skipped", "action_required", "cancelled", "timed_out", "failure")


class Changeable(Crowd):
    """Pushes that deserve one of three things in turn, so that what is late or early is wrong."""

    def files(self, number: int) -> dict[str, str | None]:
        """A paper of lemmas with a gap each, of which one was pushed to."""
        self.versions[number] += 1
        body = "".join(
            LEMMA % (f"l{n}", f"Form {n} is positive", f"Case {version} of {n}. {words}")
            for n in range(PULLS)
            for version in [self.versions[number] if n == number else 0]
            for words in [self.deserves(number).words if n == number else GAP]
        )
        return {"main.tex": self.document(body)}

    def deserves(self, number: int) -> "Deserved":
        """What is to be said of the last push to a pull request."""
        return DESERVED[(number + self.versions[number]) % len(DESERVED)]

    def faults(self) -> dict[str, list[str]]:
        """What is not as it must be, by what that is called; as rules see it by either reading."""
        found = {name: list[str]() for name in ("lost", "stuck", "falsely green", "wrongly red")}
        found["words"] = [line for number in range(PULLS) for line in self._misplaced(number)]
        for number, pull in enumerate(self.pulls):
            head, deserved = str(self.here.pulls[pull]["head"]["sha"]), self.deserves(number)
            for name, wanted in ((STRUCTURE, deserved.structure), (PROOFS, deserved.proofs)):
                for reading in ("newest", "all"):
                    seen = self.github.required(self.here, head, name, reading=reading)
                    if seen != wanted:
                        found[_fault(seen, wanted)].append(f"#{pull} {name}: {seen}, not {wanted}")
        return found

    def _misplaced(self, number: int) -> Iterator[str]:
        """What is said at a pull request and should not be, or the other way round."""
        pull, deserved = self.pulls[number], self.deserves(number)
        head = self.here.pulls[pull]["head"]["sha"]
        runs = Counter(
            (it["name"], it["external_id"]) for it in self.here.checks if it["head_sha"] == head
        )
        if runs != Counter((name, f"pull/{pull}") for name in (STRUCTURE, PROOFS)):
            yield f"#{pull} has the checks {runs}"
        remarks = [it for it in self.here.remarks if it["number"] == pull]
        marks = [(it, mark) for it in remarks for mark in [comment.read_mark(it["body"])] if mark]
        standing = Counter(
            mark.source.value
            for it, mark in marks
            if mark.state is CommentState.OPEN and it["line"] is not None
        )
        if standing != Counter(deserved.beside):
            yield f"#{pull} has {standing} beside its lines"
        open_ = {mark.key for it, mark in marks if mark.state is CommentState.OPEN}
        states = [(it["id"], (it, mark.state)) for it, mark in marks]
        for it, mark in marks:
            is_outdated = it["line"] is None
            if mark.state is CommentState.OPEN and is_outdated:
                yield f"#{pull} has an open remark that is outdated"
            if mark.state is CommentState.MOVED and not _leads_on(it, dict(states)):
                yield f"#{pull} has a remark that leads nowhere"
            if (
                mark.state is CommentState.RESOLVED
                and mark.source.value in deserved.beside
                and not is_outdated
                and mark.key in open_
            ):
                yield f"#{pull} has a remark that is resolved and open"
        said = [
            it["body"]
            for it in (*self.here.comments, *self.here.reviews)
            if it["number"] == pull and it["body"] and it["user"]["login"] != "alice"
        ]
        answers = Counter(map(comment.answered_comment, said))
        rest = answers.pop(None, 0)
        if answers != Counter(self.questions(number)):
            yield f"#{pull} has the answers {answers}"
        keys = [mark.key for mark in map(comment.read_mark, said) if mark]
        sums = keys.count(comment.SUMMARY)
        if sums > 1 or (remarks and not sums):
            yield f"#{pull} has {sums} summaries"
        if rest != len(keys):
            yield f"#{pull} has {rest - len(keys)} comments about nothing"


def _leads_on(remark: Json, states: dict[int, tuple[Json, CommentState]]) -> bool:
    """Whether a remark that was moved leads to one that is open, if need be by others like it."""
    state = CommentState.MOVED
    while state is CommentState.MOVED:
        found = re.search(r"#discussion_r(\d+)\)", remark["body"])
        if found is None or int(found[1]) not in states:
            return False
        remark, state = states.pop(int(found[1]))  # none is met twice
    return state is CommentState.OPEN


def _fault(seen: str, wanted: str) -> str:
    """What a conclusion is called in whose place there should be another one."""
    if seen in ("missing", "pending"):
        return "lost" if seen == "missing" else "stuck"
    is_better = SEVERITY.index(seen) < SEVERITY.index(wanted)
    return "falsely green" if is_better else "wrongly red"


@pytest.fixture
def github(tmp_path: Path) -> Iterator[DocumentedServer]:
    yield from documented(tmp_path)


def written(method: str, path: str) -> bool:
    return method != "GET" and not path.startswith("/app/installations")


def run_states(database: str) -> Counter[str]:
    return Counter(state for state, _ in _runs(database))


def failures(database: str) -> list[str]:
    """Why runs have failed."""
    return [note for state, note in _runs(database) if state == "failed"]


def _runs(database: str) -> list[tuple[str, str]]:
    url = database.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url)
    with engine.connect() as connection:
        found = [(str(it[0]), str(it[1])) for it in connection.execute(text(_RUNS))]
    engine.dispose()
    return found


_RUNS = "SELECT state, note FROM runs"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("side", SIDES)
def test_twenty_five_deaths(request, github, document, side, kind) -> None:
    tmp_path, capsys = map(request.getfixturevalue, ("tmp_path", "capsys"))
    database = own_database(request.getfixturevalue("postgres")) if kind == "postgres" else None
    seed = f"{side} {kind}"
    chance, model, names = random.Random(seed), Model(0.3, strict), SIDES[side]
    crowd = Changeable(github, document)
    with speaking(model) as address:
        app = Standing(github, tmp_path / "app", address, database)
        for name in names:
            app.start(name)
        for number in range(PULLS):
            crowd.open(number)
        for turn in range(KILLS):
            chance.choice((crowd.push, crowd.push, crowd.ask))(chance.randrange(PULLS))
            github.send(chance.choice(github.deliveries))
            github.faults.append(RequestFault(chance.choice(FAULTS), written, times=1))
            if turn % 6 == 3:
                lock(app.database, 1.0)
            victim = chance.choice(names)
            find_a_moment(chance, model, "worker" if victim != "web" else victim)
            app.kill(victim)
            if victim != "web":
                model.killed()
            app.start(victim)
        until(crowd.is_told, 300.0)
        until(lambda: not run_states(app.database)["running"], 120.0)
        killed = dict(app.counts)
        for name in names:  # all was told: a busy machine is not waited for
            app.kill(name)
        app.stop()
    again = model.again(ROLLOUTS)
    counts = {
        "killed": killed,
        "deliveries": len(github.deliveries),
        "lost answers and the like": KILLS - sum(fault.times for fault in github.faults),
        "calls": sum(model.asked.values()),
        "in flight when killed": model.in_flight,
        "asked again": again,
        "seen": dict(crowd.seen()),
        "faults": {name: len(found) for name, found in crowd.faults().items()},
        "posted twice": crowd.doubled(),
        "runs": dict(run_states(app.database)),
        "why failed": failures(app.database),
    }
    with capsys.disabled():
        sys.stdout.write(f"\n{side}, {kind}: {counts}\n")
    assert crowd.doubled() == 0
    assert not [line for found in crowd.faults().values() for line in found]
    assert not [it for it in crowd.here.checks if it["status"] != "completed"], "nothing is stuck"
    assert again <= model.in_flight
    # Whatever was at work in so many deaths may be what kills workers: it is given up, and says so.
    given_up = {housekeeping.NOTE} if max(killed.values()) > ATTEMPTS else set()
    assert set(failures(app.database)) <= given_up


FULL = 12 if os.environ.get("PF_KILLS") == "all" else 2
"""How often a disk is full; each other time somebody is killed meanwhile, and then all is told."""
SMALL, FOR_POSTGRES = 48, 256
"""Megabytes."""


@contextmanager
def disks(tmp_path: Path, kind: str) -> Iterator[tuple[list[SmallDisk], Path, str | None]]:
    """The disks that can be full, the folder of the App, and the address of its database."""
    with ExitStack() as opened:
        folder = tmp_path / "app"
        folder.mkdir()
        app = opened.enter_context(small_disk(folder, SMALL))
        if kind == "sqlite":
            yield [app], folder, None
            return
        # Not below pytest's folder, which is closed to the user that Postgres runs as.
        place = Path(opened.enter_context(TemporaryDirectory(prefix="pf-pg-")))
        place.chmod(0o755)
        theirs = opened.enter_context(small_disk(place, FOR_POSTGRES))
        yield [app, theirs], folder, own_database(opened.enter_context(running(place)))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_disks_that_are_full_for_a_while(github, document, tmp_path, capsys, kind) -> None:
    chance, model = random.Random(f"full {kind}"), Model(0.3, strict)
    crowd = Crowd(github, document)
    with disks(tmp_path, kind) as (full, folder, database), speaking(model) as address:
        app = Standing(github, folder, address, database)
        app.start("all")
        for number in range(PULLS):
            crowd.open(number)
        for turn in range(FULL):
            wait(model.is_asked, 5.0)
            for disk in full:
                disk.fill()
            model.killed()  # what is on its way cannot be kept
            chance.choice((crowd.push, crowd.ask))(chance.randrange(PULLS))
            time.sleep(chance.uniform(0.5, 2.0))
            is_killed = turn % 2 == 1
            if is_killed:
                app.kill("all")
            model.killed()
            for disk in full:
                disk.empty()
            if is_killed:
                app.start("all")
                until(crowd.is_told, 200.0)  # who has waited twice in vain waits longer and longer
                crowd.push(chance.randrange(PULLS))
        until(crowd.is_told, 200.0)
        until(lambda: not run_states(app.database)["running"], 60.0)
        states, doubled = run_states(app.database), crowd.doubled()
        app.kill("all")
        app.stop()
    counts = {
        "full": FULL,
        "killed": app.counts["all"] - 1,
        "not taken at once": sum(it["status_code"] not in (202, 204) for it in github.deliveries),
        "calls": sum(model.asked.values()),
        "on their way when full or killed": model.in_flight,
        "asked again": model.again(ROLLOUTS),
        "seen": dict(crowd.seen()),
        "posted twice": doubled,
        "runs": dict(states),
    }
    with capsys.disabled():
        sys.stdout.write(f"\nfull disks, {kind}: {counts}\n")
    assert doubled == 0
    assert set(crowd.seen()) == {"success", "neutral"}
    assert model.again(ROLLOUTS) <= model.in_flight
    assert "failed" not in states
