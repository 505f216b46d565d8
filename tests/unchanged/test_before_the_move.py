"""What earlier code has kept is known to the code as it is: see tests/unchanged/kept.py."""

import json
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

import pytest

from tests.bot.conftest import github  # noqa: F401 - a fixture
from tests.bot.web.world import TOKEN, settings
from tests.unchanged import inside, kept
from tests.unchanged.outside import NOW, Outside, committed, outside
from tests.unchanged.published import numbered, shop

WRITE = os.environ.get("PF_OLD_FILES") == "write"  # read before the tests' own world begins


@pytest.mark.corpus
@pytest.mark.skipif(not WRITE, reason="it writes what is to stay: see tests/unchanged/kept.py")
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_they_are_written(github: Any, tmp_path: Path) -> None:  # noqa: F811
    kept.DATA.mkdir(exist_ok=True)
    kept.write(github, tmp_path)
    assert any(kept.DATA.iterdir())


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Outside]:
    with outside(tmp_path) as made:
        yield made


@pytest.mark.acceptance
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
    assert "2 results, 1 dependency" in said
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


EARLIER = "thhc7dz2"
"""What the objection in the ledger was called by the code that wrote it."""


def test_an_id_in_the_ledger_still_means_its_finding(world: Outside) -> None:
    lines = (kept.DATA / kept.LEDGER).read_text("utf-8")
    with chdir(kept.paper(world, {"pf.lock": lines})):
        (found,) = _findings(world)
        assert (found["id"] != EARLIER, found["aliases"]) == (True, [EARLIER])
        assert f"Earlier id: {EARLIER}." in world.run("pf", "explain", EARLIER)
        text = kept.PAPER["main.tex"]
        ignored = text.replace(
            "linearity of it.", f"linearity of it. % pf: ignore[{EARLIER}] it is"
        )
        committed(Path(), {"main.tex": ignored})
        (answered,) = _findings(world)
        assert _findings(world, "unused-ignore") == []
        committed(Path(), {"main.tex": text})
        assert (answered["id"], "it is" in answered["dismissed"]) == (found["id"], True)
        assert "exit status 0" in world.run("pf", "dismiss", EARLIER, "--reason", "it is so")
        (answered,) = _findings(world)
        assert (answered["id"], "it is so" in answered["dismissed"]) == (found["id"], True)


def _findings(world: Outside, rule: str = "misuse") -> list[dict[str, Any]]:
    said = world.run("pf", "check", "--all", "--format", "json")
    found = json.loads(said.partition("\n")[2].partition("--- standard error")[0])["findings"]
    return [item for item in found if item["rule"] == rule]


def test_a_dismissal_in_the_ledger_counts_while_what_it_rests_on_is_the_same(
    world: Outside, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(kept.put(kept.ANSWERED, tmp_path / "app"))) as opened:
        ((line,),) = opened.execute("SELECT lines FROM run_answers WHERE lines <> ''").fetchall()
    (rests,) = json.loads(line)["rests"]
    lines = (kept.DATA / kept.LEDGER).read_text("utf-8")
    with chdir(kept.paper(world, {"pf.lock": lines + line})):
        (answered,) = _findings(world)
        committed(Path(), {"pf.lock": lines + line.replace(rests, "0" * len(rests))})
        (reopened,) = _findings(world)
    assert "it is so" in answered["dismissed"]
    assert (reopened["dismissed"], "it is so" in reopened["reopened"]) == (None, True)


@pytest.mark.allow_hosts(["127.0.0.1"])
def test_answers_in_the_database_of_the_app_cover_their_findings(
    world: Outside,
    github: Any,  # noqa: F811
) -> None:
    lines = (kept.DATA / kept.LEDGER).read_text("utf-8")
    text = kept.PAPER["main.tex"].replace(r"\end{document}", "See \\ref{nowhere}.\n\\end{document}")
    shutil.move(kept.put(kept.ANSWERED, world.folder / "app"), world.folder / "app" / kept.RECORDS)
    with numbered(), shop(github, world, has_model=False) as app:
        repo = github.repository(files={"main.tex": text, "pf.lock": lines}, people=kept.PEOPLE)
        repo.commit({"main.tex": text.replace("See ", "We see ")}, on="change")
        github.open(repo, "change", author="bob")
        app.work()
        (shown,) = [item.output["summary"] for item in repo.runs]
    assert "2 findings answered by the authors" in shown
    assert "it is so (alice)" in shown
    assert "it is to come (alice)" in shown
