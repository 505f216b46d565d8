"""A repository to commit to, by a person of ours, whatever git is told on this machine."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an empty repository."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "A")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "a@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    folder = tmp_path / "paper"
    folder.mkdir()
    run(folder, "init", "-q", "-b", "main")
    return folder


@pytest.fixture
def git(top: Path) -> Git:
    """Runs git there; what it prints."""
    return lambda *arguments: run(top, *arguments)


def run(folder: Path, *arguments: str) -> str:
    """Run git in a folder; what it prints. A repository beside it may be fetched from."""
    command = ("git", "-c", "protocol.file.allow=always", *arguments)
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()
