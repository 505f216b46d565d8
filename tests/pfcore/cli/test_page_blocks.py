"""The blocks of the README and of the pages run as they stand, in a fresh repository.

What cannot be run here is in a short list, with a reason that holds for the line itself: where a
line no longer needs its place in the list, a test says so.
"""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pyarrow
import pytest
from pyarrow import parquet

from pfcore.bench.runs import synthetic
from tests.conftest import git
from tests.test_pages import blocks

REPO = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


class Barrier(NamedTuple):
    """Why a line cannot be run here: what it would do, and the words of it that show that."""

    reason: str
    evidence: str


INDEX = Barrier(
    "installs from a package index; tests/acceptance/test_install.py runs those of the README",
    r"\b(?:pip install|uvx|python3 -m venv)\b",
)
SUITE = Barrier("runs this test suite", r"pytest|^\.ci/run$")
SERVER = Barrier(
    "serves until somebody stops it; tests/test_serving.py tries its options", r"\bpf serve\b"
)
MACHINE = Barrier(
    "changes the system of a server: its users, services, containers, clone or folders",
    r"^(?:useradd|cp .* /etc|sed -i .*/etc|install -|systemctl|journalctl|sudo|tar .* /var"
    r"|rm -r /var|git pull|podman|/opt)",
)
BARRIERS = (INDEX, SUITE, SERVER, MACHINE)
MOST_BARRED = 32

NOT_READ = "2 proofs to read: add --model NAME"
ENDS = {
    "pf doctor --model gpt-5.4-mini": (1, "not fit to check proofs"),
    "pf graph --suggest-uses | git apply --allow-empty": (0, "so nothing is suggested"),
    "pf gate": (0, "Gate passed."),
    "pf gate --source archive.zip": (3, NOT_READ),
    "pf gate --source archive.zip --offline": (3, NOT_READ),
    "PF_CACHE_DIR=$(mktemp -d) pf gate --source archive.zip --offline": (3, NOT_READ),
    "pf bench errata --clones ~/clones": (3, "No clone of"),
    "pf bench errata --clones ~/clones --model gpt-5.4-mini": (3, "No clone of"),
    "pf remove --cache": (2, "confirm with --yes"),
    # What stands for a model here does not translate, and takes no PDF.
    "pf bench hard2verify hard2verify.jsonl --model gpt-5.4-mini -k 8 --budget 300": (
        3,
        "the translation is still malformed",
    ),
    "pf bench arxiv arxiv.jsonl pdfs --model gpt-5.4-mini --method direct -k 8 --budget 100": (
        2,
        "which accept no PDF",
    ),
}
"""Lines that do not end with 0, and why not: nothing was read, data or somebody to ask lack."""


def bare(line: str) -> str:
    """A line without its comment."""
    return re.sub(r"\s+# .*$", "", line).strip()


def barrier(line: str) -> Barrier | None:
    """Why a line is not run; None for one that is."""
    return next((one for one in BARRIERS if re.search(one.evidence, line)), None)


LINES = [(page, line) for page, _, body in blocks("sh") for line in body.splitlines()]
PAGES = sorted({page for page, line in LINES if barrier(line) is None})


@pytest.fixture
def shell(
    tmp_path: Path,
    repository: Callable[..., str],
    document: Callable[..., str],
    referee: object,
) -> Callable[[str], tuple[int, str]]:
    """A shell in a fresh repository with what the pages speak of: the status of a line, its words.

    Folders and variables are kept between lines only on disk, as between terminals.
    """
    lemma = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
    text = document(
        lemma % ("a", "Every $x > 0$ is positive", "Clear.")
        + lemma % ("thm:main", "If $x > 0$ and $y > 0$, then $xy > 0$", r"By Lemma~\ref{a}.")
    )
    repository({"main.tex": text})
    home, paper = tmp_path / "home", tmp_path / "paper"
    (home / "clones").mkdir(parents=True)
    git(paper, "tag", "v1.0")
    (paper / "main.tex").write_text(text.replace("Clear.", "Sure."), encoding="utf-8")
    with zipfile.ZipFile(paper / "archive.zip", "w") as archive:
        archive.writestr("main.tex", text)
    synthetic.write_rows(paper, 1)
    for made, named in (
        (synthetic.PROOFS, "hard2verify.jsonl"),
        (synthetic.PAPERS, "arxiv.jsonl"),
        (synthetic.PDFS, "pdfs"),
    ):
        (paper / made).rename(paper / named)
    row = {"id": "a1", "problem": "Show A.", "proof": "A is plain.", "right": True}
    parquet.write_table(pyarrow.Table.from_pylist([row]), paper / "test.parquet")
    pf = tmp_path / "programs" / "pf"
    pf.parent.mkdir()
    code = "from pfcore.cli.main import script; script()"
    pf.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{code}" "$@"\n', encoding="utf-8")
    pf.chmod(0o755)
    own = {
        "HOME": str(home),
        "PATH": f"{pf.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(REPO),
        "PF_DATA_DIR": str(tmp_path / "data"),
    }

    def run(line: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-uc", line.replace("path/to/.venv/bin/pf", "pf")],
            cwd=paper, env=os.environ | own, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.acceptance
@pytest.mark.skipif(os.name != "posix", reason="the blocks are for a shell of POSIX")
@pytest.mark.parametrize("page", PAGES)
def test_the_lines_of_a_page_run_one_after_the_other(shell, page):
    for line in [line for name, line in LINES if name == page and barrier(line) is None]:
        status, words = ENDS.get(bare(line), (0, ""))
        found, said = shell(line)
        assert (found, words in said) == (status, True), f"{line}\n{said}"


def test_what_is_not_run_is_little_and_each_reason_is_that_of_a_line():
    barred = [line for _, line in LINES if barrier(line) is not None]
    assert len(barred) <= MOST_BARRED
    assert len(LINES) - len(barred) >= 20
    for one in BARRIERS:
        assert any(barrier(line) == one for line in barred), one.reason
    assert set(ENDS) <= {bare(line) for _, line in LINES}
    assert not any(line.endswith("\\") for _, line in LINES), "lines are run one by one"
