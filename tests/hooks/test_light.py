"""What `pf-verify` loads, and what it never does: a connection."""

import subprocess
import sys

import pytest

# Nobody waits for these at every commit.
ASKING = "openai httpx2 httpx ssl sqlalchemy asyncio flask github prompts concurrent".split()
READING = """
pydantic pylatexenc pfcore.latex.reader pfcore.review.known_verdicts pfcore.verification
multiprocessing
"""
PAPERS = """
sqlite3 tomllib json pfcore.papers pfcore.graph pfcore.review.review pfcore.checks
pfcore.reporters
"""
# Where this installation came from: for whoever is told what to install.
ORIGINS = ["importlib.metadata", "pfcore.domain.installation"]
# Checks that find notes alone do not run, and no Lean is read.
NOTING = """
pfcore.latex.language.distinctive_symbols pfcore.checks.algebra.chains pfcore.checks.lean.lean_files
"""

_RUN = """
import sys
from hooks.offline import main
status = main(sys.argv[1:])
print("loaded:", *sys.modules)
sys.exit(status)
"""


@pytest.fixture
def loaded(paper):
    """Runs the hook in a process of its own; the names of the modules that it loaded."""

    def run(*argv, status=0):
        command = [sys.executable, "-c", _RUN, *argv]
        done = subprocess.run(command, cwd=paper, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stdout + done.stderr
        return set(done.stdout.rpartition("loaded:")[2].split())

    return run


def test_with_nothing_to_do_it_loads_no_paper(loaded):
    assert loaded().isdisjoint([*ASKING, *READING.split(), *PAPERS.split()])


def test_a_change_of_other_files_is_nothing_to_do(loaded, paper):
    (paper / "README").write_text("Words")
    subprocess.run(["git", "-C", str(paper), "add", "."], check=True)
    assert loaded().isdisjoint([*ASKING, *READING.split(), *PAPERS.split()])


def test_an_edit_loads_nothing_that_asks_or_validates(loaded, stage):
    stage("P.", "$1 < 2$.")
    found = loaded("main.tex")
    assert found.isdisjoint([*ASKING, "pydantic", "pylatexenc", "pfcore.review.known_verdicts"])
    assert found.isdisjoint([*NOTING.split(), *ORIGINS])
    assert "pfcore.review.review" in found


def test_an_edit_that_was_looked_at_before_loads_nothing_that_looks(
    loaded, stage, tmp_path, monkeypatch
):
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    stage("P.", "Q.")
    assert "pfcore.checks.injection.search" in loaded("main.tex")
    assert "pfcore.checks.injection.search" not in loaded("main.tex")


def test_an_error_loads_nothing_more(loaded, stage):
    stage(r"\ref{a}", r"\ref{c}")
    assert loaded("main.tex", status=1).isdisjoint([*ASKING, "pydantic", "pylatexenc"])


def test_a_ledger_loads_what_reads_it_and_nobody_who_asks(loaded, stage, read_all):
    read_all()
    stage("P.", "Q.")
    subprocess.run(["git", "add", "pf.lock"], check=True)
    found = loaded("main.tex")
    assert "pydantic" in found
    assert found.isdisjoint({"openai", "httpx2", "sqlalchemy", "flask", "github"})


def test_no_connection_is_opened_whatever_is_configured(
    script, stage, read_all, without_network, paper
):
    stage("P.", "Q.")
    read_all()
    stage(r"\ref{a}", r"\ref{c}")
    subprocess.run(["git", "add", "pf.lock"], check=True)
    asking = {"PF_MODEL": "m", "PF_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "k"}
    command = [sys.executable, str(script("pf-verify")), "--locked", "main.tex"]
    done = subprocess.run(
        command,
        cwd=paper,
        env=without_network | asking,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "newer than pf.lock: b (proof changed)" in done.stdout


def test_an_opened_connection_would_be_seen(without_network):
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=without_network,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (99, "a connection was opened")
