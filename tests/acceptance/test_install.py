"""The README's ways to get pf-verify, with this repository in the place of its address."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pfcore.cli.commands.help_command import topics

REPO = Path(__file__).resolve().parents[2]
ADDRESS = "git+https://github.com/OWNER/pf-verify"
LOCAL = f"git+file://{REPO}"
README = (REPO / "README.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.acceptance


def _tool(name: str) -> str:
    """A tool beside this Python, or on PATH; the test is skipped where there is none."""
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def _run(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = os.environ | {"PATH": path} | environment
    return subprocess.run(
        command, shell=True, cwd=folder, env=own, capture_output=True, text=True, timeout=300,
        check=False,
    )  # fmt: skip


@pytest.fixture
def paper(tmp_path, repository, document):
    """A paper of one lemma under git; the folder around it."""
    lemma = "\\begin{lemma}\\label{a} A.\\end{lemma}\\begin{proof} Clear.\\end{proof}"
    repository({"main.tex": document(lemma)})
    return tmp_path / "paper"


def test_the_line_to_try_it_runs(paper):
    (line,) = re.findall(r"^<!-- try -->\n```sh\n(.*)\n```$", README, re.MULTILINE)
    assert line == f"uvx --from {ADDRESS} pf check"
    done = _run(line.replace("uvx", _tool("uvx"), 1).replace(ADDRESS, LOCAL), paper)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("main.tex  1 file, working tree\n1 result.\n")


def test_the_demo_runs_from_a_clone(tmp_path):
    (line,) = re.findall(r"^<!-- demo -->\n```sh\n(.*)\n```$", README, re.MULTILINE)
    clone = tmp_path / "clone"
    _run(f"git clone -q {REPO.as_uri()} {clone}", tmp_path)
    done = _run(line, clone)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("what the paper consists of")
    own = clone / ".venv" / "bin" / "pf"
    report = _run(f"{own} report", clone / "pf-demo")
    assert (report.returncode, report.stderr) == (0, "")  # with what typesets formulas


def test_the_line_to_keep_it_runs_and_so_does_what_it_says_is_missing(paper, tmp_path):
    assert f"`pipx install {ADDRESS}`" in README
    home = {"PIPX_HOME": str(tmp_path / "home"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    done = _run(f"{_tool('pipx')} install {LOCAL}", tmp_path, **home)
    assert done.returncode == 0, done.stderr
    pf = tmp_path / "bin" / "pf"
    page = _run(f"{pf} help submitting", paper)  # from the wheel: no clone is near
    assert (page.returncode, page.stdout.splitlines()[0]) == (0, "Before a paper goes out")
    assert len(_run(f"{pf} help", paper).stdout.splitlines()) == 2 + len(topics())
    first = _run(f"{pf} report", paper)
    (hint,) = re.findall(r"to typeset them: (.*)$", first.stderr, re.MULTILINE)
    got = _run(hint, tmp_path)
    assert got.returncode == 0, got.stderr
    second = _run(f"{pf} report", paper)
    assert (second.returncode, second.stderr) == (0, "")
