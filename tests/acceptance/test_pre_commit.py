"""The hooks as authors get them: pre-commit clones this repository and installs it by pip."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = pytest.mark.acceptance

REPO = Path(__file__).resolve().parents[2]
LEMMA = "\\begin{lemma}\\label{%s} %s.\\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
QUIET = "no new errors or warnings"
_HOME = os.environ.get("HOME", "")  # pip's own settings stand there; the tests' home is empty
_UNREACHED = re.compile(r"No matching distribution|Could not find a version|ConnectionError|Errno")

Run = Callable[..., str]


def _call(*command: str, folder: Path, status: int = 0, **more: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env=os.environ | more, capture_output=True, text=True, check=False
    )
    out = done.stdout + done.stderr
    if "pip" in out and _UNREACHED.search(out):
        pytest.skip(f"pip could not fetch what the hooks need: {out.strip()[-200:]}")
    assert done.returncode == status, out
    return out


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """This repository as it stands on disk, released as the version of its pages."""
    folder = tmp_path_factory.mktemp("source")
    listed = _call("git", "ls-files", "-z", "-co", "--exclude-standard", folder=REPO)
    for name in filter(None, listed.split("\0")):
        if (REPO / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((REPO / name).read_bytes())
    _call("git", "init", "--quiet", "-b", "main", folder=folder)
    _call("git", "add", "--all", folder=folder)
    _call("git", "commit", "--quiet", "-m", "a release", folder=folder)
    _call("git", "tag", _release(), folder=folder)
    return folder


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps its environments: made once."""
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def paper(tmp_path: Path, repository: Callable[..., str], document: Callable[..., str]) -> Path:
    """A paper's repository with packages that are called like ours."""
    body = LEMMA % ("a", "A", "P.") + LEMMA % ("b", "B", r"By \ref{a}.")
    strange = {
        f"{name}/__init__.py": "raise SystemExit('the paper was run')\n"
        for name in ("hooks", "prompts", "pfcore")
    }
    repository({"main.tex": document(body), **strange})
    return tmp_path / "paper"


@pytest.fixture
def pre_commit(paper: Path, home: Path) -> Run:
    """Runs pre-commit, or git with its hooks, in the paper's repository."""

    def run(*argv: str, status: int = 0, git: bool = False) -> str:
        program = ("git",) if git else (sys.executable, "-P", "-m", "pre_commit")
        more = {"PRE_COMMIT_HOME": str(home), "HOME": _HOME}
        out = _call(*program, *argv, folder=paper, status=status, **more)
        assert "the paper was run" not in out
        return out

    return run


def _block() -> str:
    """The block of the page on writing for `.pre-commit-config.yaml`."""
    text = (REPO / ".github/docs/writing.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if "repos:" in block)
    return str(block)


def _release() -> str:
    found = re.search(r"rev: (\S+)", _block())
    assert found
    return found[1]


def _edit(paper: Path, old: str, new: str) -> None:
    place = paper / "main.tex"
    text = place.read_text(encoding="utf-8")
    assert old in text
    place.write_text(text.replace(old, new), encoding="utf-8")


def test_a_repository_can_try_the_hook(paper: Path, source: Path, pre_commit: Run) -> None:
    attempt = ("try-repo", str(source), "pf-verify", "--ref", "main", "--verbose")
    assert "main.tex: no errors or warnings" in pre_commit(*attempt, "--all-files")
    _edit(paper, r"\ref{a}", r"\ref{c}")
    pre_commit("add", "main.tex", git=True)
    said = pre_commit(*attempt, status=1)
    assert re.search(r"main\.tex:11:18: error \[dangling-reference \w{8}\] ", said)


def test_the_block_of_the_page_blocks_and_lets_pass(
    paper: Path, source: Path, pre_commit: Run
) -> None:
    config = re.sub(r"repo: \S+", f"repo: {source}", _block())
    (paper / ".pre-commit-config.yaml").write_text(config, encoding="utf-8")
    pre_commit("add", ".", git=True)
    pre_commit("install", "--install-hooks")
    pre_commit("commit", "-m", "hooks", git=True)
    _edit(paper, "P.", "Q.")
    assert QUIET in pre_commit("commit", "-am", "sound", git=True)
    _edit(paper, r"\ref{a}", r"\ref{c}")
    assert ": error [" in pre_commit("commit", "-am", "broken", status=1, git=True)
    pre_commit("commit", "--no-verify", "-am", "broken", git=True)
    online = ("run", "pf-verify-online", "--hook-stage", "manual")
    assert "no model is set, so no proof was read" in pre_commit(*online)
    # What the page says of leaving.
    pre_commit("uninstall", "-t", "pre-commit", "-t", "pre-merge-commit", "-t", "pre-push")
    (paper / ".pre-commit-config.yaml").unlink()
    _edit(paper, r"\ref{c}", r"\ref{d}")
    assert ": error [" not in pre_commit("commit", "-am", "left", git=True)
