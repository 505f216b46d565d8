"""What was kept by the code of a certain day: a parse cache, replies, a ledger, an App's database.

`write` made the files in `tests/data/before_the_move`, from a paper of two lemmas. They are not to
be written anew by later code, for that is what they are for; where a version of what is kept is
meant to be another, do it with

    PF_OLD_FILES=write pytest -m corpus tests/unchanged/test_before_the_move.py
"""

import shutil
import sqlite3
from collections.abc import Mapping
from contextlib import chdir, closing
from pathlib import Path
from typing import Any

from tests.conftest import article_text
from tests.unchanged.outside import Outside, committed, outside
from tests.unchanged.published import numbered, shop

DATA = Path(__file__).resolve().parents[1] / "data" / "before_the_move"
CACHE, REPLIES, LEDGER = "readings.sqlite", "replies.sqlite", "pf.lock"
RECORDS, DELIVERIES = "app.sqlite", "deliveries.sqlite"
ANSWERED = "answered.sqlite"
"""Of the same day's App, in which two findings were dismissed: one of a reader, one of a check."""
PEOPLE = {"alice": "write"}

_LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
_FIRST = _LEMMA % ("a", "Every $A$ is positive", "Every $A$ is a sum of squares, by definition.")
_SECOND = _LEMMA % ("b", "The trace of $A$ is positive", r"By \ref{a} and the linearity of it.")
PAPER = {"main.tex": article_text(_FIRST + _SECOND)}
CHANGED = {"main.tex": article_text(_FIRST.replace("Every $A$ is p", "Most $A$ are p") + _SECOND)}
READ = ("--all", "--model", "m", "--yes")


def write(github: Any, folder: Path) -> None:
    """Write all of them, with the code as it is."""
    with outside(folder) as world:
        with chdir(paper(world)):
            world.run("pf", "check", *READ, "--update-lock")
            shutil.copy("pf.lock", DATA / LEDGER)
        keep(folder / "cache" / CACHE)
        keep(folder / "data" / REPLIES)
        with numbered(), shop(github, world) as made:
            repo = github.repository(files=PAPER, people={"alice": "write"})
            repo.commit(CHANGED, on="change")
            github.open(repo, "change", author="bob")
            made.work()
        keep(folder / "app" / RECORDS)
        keep(folder / "app" / DELIVERIES)


def paper(world: Outside, others: Mapping[str, str] | None = None) -> Path:
    """The paper as it is read, in a repository."""
    folder = world.folder / "paper"
    folder.mkdir()
    committed(folder, PAPER | dict(others or {}))
    return folder


def keep(path: Path) -> None:
    """Keep a database, as small as it can be."""
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        opened.execute("VACUUM")
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copyfile(path, DATA / path.name)


def put(name: str, folder: Path) -> Path:
    """A copy of one of them, to be worked with."""
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(DATA / name, folder / name))
