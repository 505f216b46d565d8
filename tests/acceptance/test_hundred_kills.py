"""A hundred deaths of the App's processes on a GitHub that is not its own double's.

One process, and a web side with two workers; SQLite and Postgres: twenty-five kills each where
PF_KILLS=all, else six, aimed at running reviews and at calls in flight, with answers that are lost,
secondary limits, revoked tokens, redeliveries and a locked database beside them. Nothing is lost,
posted twice or stuck.
"""

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import create_engine, text

from bot.domain import comment
from bot.domain.forge import PROOFS, STRUCTURE
from tests.acceptance.documented_github import RequestFault
from tests.acceptance.documented_rest import DocumentedServer, documented
from tests.acceptance.postgres import own_database, running
from tests.acceptance.small_disk import SmallDisk, small_disk
from tests.bot.processes import Model, Standing, speaking, until, wait
from tests.bot.test_kills import ROLLOUTS, find_a_moment, lemmas, lock, strict

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

    def files(self, number: int) -> dict[str, str | None]:
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


@pytest.fixture
def github(tmp_path: Path) -> Iterator[DocumentedServer]:
    yield from documented(tmp_path)


def written(method: str, path: str) -> bool:
    return method != "GET" and not path.startswith("/app/installations")


def run_states(database: str) -> Counter[str]:
    url = database.replace("postgresql:", "postgresql+psycopg:")
    engine = create_engine(url)
    with engine.connect() as connection:
        found = Counter(row[0] for row in connection.execute(text("SELECT state FROM runs")))
    engine.dispose()
    return found


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
@pytest.mark.parametrize("side", SIDES)
def test_twenty_five_deaths(request, github, document, side, kind) -> None:
    tmp_path, capsys = map(request.getfixturevalue, ("tmp_path", "capsys"))
    database = own_database(request.getfixturevalue("postgres")) if kind == "postgres" else None
    seed = f"{side} {kind}"
    chance, model, names = random.Random(seed), Model(0.3, strict), SIDES[side]
    crowd = Crowd(github, document)
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
            if kind == "sqlite" and turn % 6 == 3:
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
        "faults": KILLS - sum(fault.times for fault in github.faults),
        "calls": sum(model.asked.values()),
        "in flight when killed": model.in_flight,
        "asked again": again,
        "seen": dict(crowd.seen()),
        "posted twice": crowd.doubled(),
        "runs": dict(run_states(app.database)),
    }
    with capsys.disabled():
        sys.stdout.write(f"\n{side}, {kind}: {counts}\n")
    assert crowd.doubled() == 0
    assert set(crowd.seen()) == {"success", "neutral"}, "sound structure, objections to proofs"
    assert crowd.here.remarks, "an objection stands beside its line"
    assert again <= model.in_flight
    assert "failed" not in run_states(app.database)


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
