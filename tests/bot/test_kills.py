"""Processes of the App are killed while they work: nothing is lost, nothing said or asked twice."""

import json
import os
import random
import sqlite3
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from bot.domain import comment
from bot.domain.forge import PROOFS, STRUCTURE
from tests.acceptance.postgres import own_database, postgres  # noqa: F401 - a fixture
from tests.bot.processes import Model, Standing, speaking, until, wait
from tests.pfcore.cli.conftest import ACCEPT, LEMMA, flag, genuine

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

ROLLOUTS, PULLS, MOST_KILLS = 3, 3, 66
KILLS = 22 if os.environ.get("PF_KILLS") == "all" else 8
MOST_PUSHES = 6
AIMED = 0.7
"""The share of a worker's deaths that come while it waits for an answer of the model."""
MOVED = "**Moved:**"
GAP = "This is clear to the reader."


def strict(stage, said):
    if GAP not in said:
        return ACCEPT
    return flag(GAP) if stage == "verify" else genuine(GAP, "Nothing is shown.")


def lemmas(document, versions):
    """A paper whose lemmas have these versions; each of them has a gap."""
    body = "".join(
        LEMMA % (f"l{number}", f"Form {number} is positive", f"Case {version} of {number}. {GAP}")
        for number, version in enumerate(versions)
    )
    return {"main.tex": document(body)}


class Scene:
    """A repository with pull requests that people push to and talk about."""

    def __init__(self, github, document):
        self.github, self._document = github, document
        self.repo = github.repository(
            files=lemmas(document, [0] * PULLS), people={"alice": "write"}
        )
        self.versions, self.asked = [0] * PULLS, []
        self.pulls = []

    def open(self, number):
        self.repo.commit(self._files(number), on=f"change-{number}")
        self.pulls.append(self.github.open(self.repo, f"change-{number}"))

    def push(self, number):
        self.github.push(self.repo, self._files(number), branch=f"change-{number}")

    def ask(self, number):
        said = self.github.say(self.repo, self.pulls[number], "/pf help", by="alice")
        self.asked.append(said.id)

    def send_again(self, chance):
        self.github.send_again(chance.choice(list(self.github.sent)))

    def _files(self, number):
        self.versions[number] += 1
        versions = [self.versions[number] if n == number else 0 for n in range(PULLS)]
        return lemmas(self._document, versions)

    def conclusions(self):
        heads = {pull.head for pull in self.pulls}
        return {(run.name, run.head): run.conclusion for run in self.repo.runs if run.head in heads}

    def is_told(self):
        """Whether both checks of each head are concluded, and each question answered."""
        found = self.conclusions()
        wanted = {(name, pull.head) for pull in self.pulls for name in (STRUCTURE, PROOFS)}
        is_concluded = set(found) >= wanted and all(found[item] for item in wanted)
        return is_concluded and set(self.answers()) >= set(self.asked)

    def answers(self):
        found = (comment.answered_comment(item.body) for item in self.repo.comments)
        return Counter(item for item in found if item is not None)

    def findings(self):
        """How often each finding of each pull request, and its summary, is told where it stands.

        What says where it is told by now is told no more: its line was edited since.
        """
        said = [*self.repo.comments, *self.repo.remarks, *self.repo.reviews]
        read = (
            (item.number, comment.read_mark(item.body))
            for item in said
            if not item.body.startswith(MOVED)
        )
        return Counter((number, mark.key) for number, mark in read if mark is not None)

    def push_until_moved(self):
        """Push some more, where a slow machine has told of too few heads between the kills."""
        for number in range(MOST_PUSHES):
            if any(item.body.startswith(MOVED) for item in self.repo.remarks):
                break
            self.push(number % PULLS)
            until(self.is_told)

    def require_moved(self):
        """What is outdated leads to a remark that is there and says the same, or is resolved."""
        outdated = [item.body for item in self.repo.remarks if item.line is None]
        assert all(body.startswith((MOVED, "**Resolved**")) for body in outdated)
        marks = {item.id: comment.read_mark(item.body) for item in self.repo.remarks}
        keys = {number: mark.key for number, mark in marks.items() if mark is not None}
        moved = [item for item in self.repo.remarks if item.body.startswith(MOVED)]
        assert moved
        for item in moved:
            assert item.line is None
            there = int(item.body.partition("#discussion_r")[2].partition(")")[0])
            assert keys[there] == keys[item.id] and there != item.id

    def require_once(self):
        """Nothing is there twice."""
        runs = Counter((run.name, run.head, run.external_id) for run in self.repo.runs)
        assert set(runs.values()) == {1}
        assert set(self.findings().values()) == {1}
        assert set(self.answers().values()) <= {1}


def require_discreet(folder, github):
    """The log is lines of JSON without a word of the paper or a secret; no file has a token."""
    log = (folder / "log").read_text()
    for line in log.splitlines():
        json.loads(line)
    for word in (GAP, "is positive", github.secret.decode(), "PRIVATE KEY", *github.tokens):
        assert word not in log
    assert github.tokens
    for path in filter(Path.is_file, folder.rglob("*")):
        kept = path.read_bytes()
        assert not any(token.encode() in kept for token in github.tokens), path.name


@pytest.fixture
def scene(github, document):
    return Scene(github, document)


def states(database):
    with sqlite3.connect(database.removeprefix("sqlite:///")) as connection:
        return Counter(row[0] for row in connection.execute("SELECT state FROM runs"))


def at_work(database):
    """How many tasks each worker is at."""
    prefix = "dbos." if database.startswith("postgres") else ""
    url = database.replace("postgresql:", "postgresql+psycopg:").replace(".sqlite", "-work.sqlite")
    engine = create_engine(url)
    asked = f"SELECT executor_id FROM {prefix}workflow_status WHERE status = 'PENDING'"
    with engine.connect() as connection:
        found = Counter(row[0] for row in connection.execute(text(asked)))
    engine.dispose()
    return found


def lock(database, seconds):
    """Hold the records for a while, as a backup may."""

    def hold_postgres():
        engine = create_engine(database)
        with engine.connect() as connection:
            connection.execute(text("LOCK TABLE runs IN ACCESS EXCLUSIVE MODE"))
            time.sleep(seconds)
            connection.rollback()
        engine.dispose()

    def hold():
        connection = sqlite3.connect(database.removeprefix("sqlite:///"), timeout=30)
        connection.execute("BEGIN IMMEDIATE")
        time.sleep(seconds)
        connection.rollback()
        connection.close()

    is_file = database.startswith("sqlite:")
    threading.Thread(target=hold if is_file else hold_postgres, daemon=True).start()


def find_a_moment(chance, model, victim):
    """Wait for the moment of a death, at random or while a worker waits for an answer."""
    if victim == "worker" and chance.random() < AIMED:
        wait(model.is_asked, 10.0)
    else:
        time.sleep(chance.uniform(0.0, 1.5))


def test_worker_and_web_may_be_killed_at_any_time(scene, github, tmp_path, capsys):
    chance, model = random.Random(20), Model(0.3, strict)
    with speaking(model) as address:
        app = Standing(github, tmp_path / "app", address)
        app.start("web")
        app.start("worker")
        for number in range(PULLS):
            scene.open(number)
        for turn in range(MOST_KILLS):
            if turn >= KILLS and model.met:
                break
            act = chance.choice((scene.push, scene.push, scene.ask))
            act(chance.randrange(PULLS))
            scene.send_again(chance)
            if turn % 6 == 3:
                lock(app.database, 1.0)
            victim = chance.choice(("web", "worker"))
            find_a_moment(chance, model, victim)
            app.kill(victim)
            if victim == "worker":
                model.killed()
            app.start(victim)
        until(scene.is_told)
        scene.push_until_moved()
        until(lambda: not states(app.database)["running"])
        app.stop()
    scene.require_once()
    scene.require_moved()
    require_discreet(tmp_path / "app", github)
    again = model.again(ROLLOUTS)
    counts = {
        "killed": dict(app.counts),
        "deliveries": len(github.sent),
        "not taken at once": sum(item.status not in (202, 204) for item in github.sent),
        "runs": dict(states(app.database)),
        "calls": sum(model.asked.values()),
        "in flight when killed": model.in_flight,
        "kills that met a call": model.met,
        "asked again": again,
        "comments": sum(scene.findings().values()),
        "answers": sum(scene.answers().values()),
    }
    with capsys.disabled():
        sys.stdout.write(f"\nkilled at random: {counts}\n")
    assert sum(app.counts.values()) >= KILLS - 2
    assert model.met >= 1, "no kill met anything that was in flight"
    assert again <= model.in_flight
    assert "failed" not in states(app.database)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_what_a_dead_worker_was_at_is_done_by_another(
    request, scene, github, tmp_path, capsys, kind
):
    database = own_database(request.getfixturevalue("postgres")) if kind == "postgres" else None
    model = Model(0.5, strict)
    with speaking(model) as address:
        app = Standing(github, tmp_path / "app", address, database)
        for name in ("web", "first", "second"):
            app.start(name)
        for number in range(PULLS):
            scene.open(number)
        until(lambda: sum(model.asked.values()) >= 2 and at_work(app.database))
        victim, count = at_work(app.database).most_common(1)[0]
        app.kill("first" if victim.endswith("-0") else "second")
        model.killed()
        begun = time.monotonic()
        until(scene.is_told)
        taken = time.monotonic() - begun
        app.stop()
    scene.require_once()
    require_discreet(tmp_path / "app", github)
    with capsys.disabled():
        sys.stdout.write(
            f"\na worker died ({kind}) at {count} reviews: all told after {taken:.1f} s, "
            f"{sum(model.asked.values())} calls, {model.in_flight} in flight when it died, "
            f"{model.again(ROLLOUTS)} asked again\n"
        )
    assert model.again(ROLLOUTS) <= model.in_flight
