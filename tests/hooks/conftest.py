"""A paper repository to commit to, and the hooks as pre-commit calls them."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from hooks import offline
from pfcore.graph.paper_state import build_paper_state
from pfcore.impact.plan import is_readable
from pfcore.ledger.ledger import LedgerEntry, LedgerVerdict, ledger
from pfcore.ledger.lock_lines import ledger_text
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.verification.task import tasks

REPO = Path(__file__).resolve().parents[2]
LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"

Run = Callable[..., tuple[int, str, str]]


def git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def text(document: Callable[..., str]) -> str:
    """A paper of two lemmas, one of which cites the other."""
    return document(LEMMA % ("a", "A", "P.") + LEMMA % ("b", "B", r"By \ref{a}."))


@pytest.fixture
def paper(tmp_path: Path, repository, text, monkeypatch) -> Path:
    """A repository with that paper; the working folder is inside."""
    repository({"main.tex": text})
    monkeypatch.chdir(tmp_path / "paper")
    return tmp_path / "paper"


@pytest.fixture
def stage(paper: Path) -> Callable[[str, str], None]:
    """Replace words of the paper, and stage that."""

    def change(old: str, new: str) -> None:
        place = paper / "main.tex"
        before = place.read_text()
        assert old in before
        place.write_text(before.replace(old, new))
        git("add", "main.tex")

    return change


@pytest.fixture
def verify(capsys) -> Run:
    """Run `pf-verify`: its exit status, what it prints, and what beside."""

    def run(*argv: str) -> tuple[int, str, str]:
        status = offline.main(argv)
        found = capsys.readouterr()
        return status, found.out, found.err

    return run


@pytest.fixture
def read_all(paper: Path) -> Callable[[], None]:
    """Write a ledger that accepts every proof of the working tree as it is."""

    def record() -> None:
        (found,) = discover.discover_papers(
            snapshot.from_folder(paper), ParseCache(MemoryCache())
        ).papers
        now = build_paper_state(found)
        wanted = [name for name in now.document.modules if is_readable(now, name)]
        entries = [
            LedgerEntry(
                context=task.context, contract="0" * 64, verdict=LedgerVerdict.ACCEPTED, rollouts=3
            )
            for task in tasks(now, wanted)
        ]
        (paper / "pf.lock").write_text(ledger_text(ledger(entries=entries)))

    return record


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a console script as pip does: Python puts the script's folder first, not the cwd."""
    project = tomllib.loads((REPO / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    def make(name: str) -> Path:
        module, function = project["scripts"][name].split(":")
        place = tmp_path / "bin" / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(
            f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\n"
            f"if __name__ == '__main__':\n    sys.exit({function}())\n"
        )
        place.chmod(0o755)
        return place

    return make


@pytest.fixture
def without_network(tmp_path: Path) -> dict[str, str]:
    """An environment in which a Python that opens a connection ends at once."""
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(
        "import os, sys\n"
        "def stop(event, arguments):\n"
        "    if event in ('socket.connect', 'socket.getaddrinfo', 'socket.sendto'):\n"
        "        os.write(2, b'a connection was opened'); os._exit(99)\n"
        "sys.addaudithook(stop)\n"
    )
    return {**os.environ, "PYTHONPATH": str(folder)}
