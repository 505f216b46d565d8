"""What earlier code has kept is known to the code as it is: see tests/unchanged/kept.py."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

import pytest

from tests.bot.conftest import github  # noqa: F401 - a fixture
from tests.bot.web.world import TOKEN, settings
from tests.unchanged import inside, kept
from tests.unchanged.outside import NOW, Outside, outside

WRITE = os.environ.get("PF_OLD_FILES") == "write"  # read before the tests' own world begins


@pytest.mark.corpus
@pytest.mark.skipif(not WRITE, reason="it writes what is to stay: see tests/unchanged/kept.py")
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_they_are_written(github: Any, tmp_path: Path) -> None:  # noqa: F811
    kept.DATA.mkdir(exist_ok=True)
    kept.write(github, tmp_path)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Outside]:
    with outside(tmp_path) as made:
        yield made


def test_a_parse_cache_of_an_earlier_reading_does_no_harm(world: Outside) -> None:
    place = kept.put(kept.CACHE, world.folder / "cache")
    with closing(sqlite3.connect(place)) as opened, opened:
        opened.execute("CREATE TABLE written (key TEXT)")
        opened.execute(
            "CREATE TRIGGER written AFTER INSERT ON entries "
            "BEGIN INSERT INTO written VALUES (new.key); END"
        )
    with chdir(kept.paper(world)):
        said = world.run("pf", "check", "--all")
    assert "2 results" in said
    with closing(sqlite3.connect(place)) as opened:
        assert opened.execute("SELECT count(*) FROM written").fetchone() > (0,)
        assert opened.execute("SELECT count(*) FROM entries").fetchone() > (2,)


def test_replies_are_found(world: Outside) -> None:
    kept.put(kept.REPLIES, world.folder / "data")
    with chdir(kept.paper(world)):
        said = world.run("pf", "check", *kept.READ)
    assert world.reader.requests == []
    assert "2 proofs of 2 read" in said


def test_lines_of_a_ledger_hold(world: Outside) -> None:
    lines = (kept.DATA / kept.LEDGER).read_text("utf-8")
    with chdir(kept.paper(world, {"pf.lock": lines})):
        status = world.run("pf", "check", "--all", "--locked").partition("\n")[0]
        said = world.run("pf", "check", "--all", "--locked", "--format", "json")
    found = json.loads(said.partition("\n")[2].partition("--- standard error")[0])
    assert found["unreached"] == []
    assert set(found["statuses"]) == {"a", "b"}
    assert status in ("exit status 0", "exit status 1")


def test_the_database_of_the_app_shows_its_run(tmp_path: Path) -> None:
    records = inside.records(kept.put(kept.RECORDS, tmp_path))
    pages = inside.pages(settings(tmp_path), records, lambda: NOW).test_client()
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    listed = pages.get("/", headers=bearer).get_data(as_text=True)
    (link,) = {part.partition('"')[0] for part in listed.split('href="/runs/')[1:]}
    shown = pages.get(f"/runs/{link}", headers=bearer)
    records.close()
    assert shown.status_code == 200
    assert "Lemma 1" in shown.get_data(as_text=True)


def test_deliveries_are_known(tmp_path: Path) -> None:
    deliveries = inside.deliveries(kept.put(kept.DELIVERIES, tmp_path))
    known = deliveries.since(0.0)
    found = [deliveries.get(guid) for guid in known]
    deliveries.close()
    assert len(found) >= 2
    assert {item.event for item in found} >= {"pull_request"}
