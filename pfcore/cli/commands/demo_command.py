"""`pf demo DIR`: a small paper with a history, and what pf says of each of its commits."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from pfcore.cli.commands.demo_paper import HISTORY, DemoCommit
from pfcore.cli.exit_status import pf_command
from pfcore.domain.errors import GitError, UsageError
from pfcore.papers.parse_cache import MemoryCache
from pfcore.papers.shelf import ParseCache
from pfcore.reporters import terminal
from pfcore.reporters.style import Style
from pfcore.repository.git import find_repository
from pfcore.repository.snapshot import from_revision
from pfcore.review.review import review
from pfcore.review.unseen import exit_status

_IDENTITY = {
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
}
Echo = Callable[[str], None]


def run_demo(folder: Path, *, style: Style, echo: Echo) -> int:
    """Write the paper, review every commit against the one before it; 0 if all went as told."""
    write_demo(folder)
    repository = find_repository(folder)
    if repository is None:
        raise GitError(f"git made no repository in {folder}")
    shelf = ParseCache(MemoryCache())
    count = len(HISTORY)
    for number, commit in enumerate(HISTORY, 1):
        echo(f"\n{style.paint(f'Commit {number} of {count}: {commit.message}', 'bold')}\n")
        head = from_revision(repository, _revision(number, count))
        base = from_revision(repository, _revision(number - 1, count)) if number > 1 else None
        report = review(base, head, shelf)
        echo(f"{commit.story}\n\n")
        echo(terminal.check_text(report, style))
        echo(f"exit status {exit_status(report)}\n")
    echo(_farewell(folder))
    return 0


def _revision(number: int, count: int) -> str:
    return f"HEAD~{count - number}" if number < count else "HEAD"


def _farewell(folder: Path) -> str:
    pf = pf_command()
    return (
        f"\nThe paper is in {folder}. Go there, change a lemma, and try:\n"
        f"  {pf} check                 what the change touches\n"
        f"  {pf} plan --why thm:main   why, and what the theorem rests on\n"
        f"  {pf} graph                 what the paper consists of\n"
    )


def write_demo(folder: Path) -> None:
    """Write the repository; UsageError if there is something in the folder already."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; name a folder that is new or empty")
    folder.mkdir(parents=True, exist_ok=True)
    _git(folder, "init", "--quiet", "--initial-branch=main")
    for number, commit in enumerate(HISTORY, 1):
        _commit(folder, commit, f"2026-01-{number:02}T12:00:00+00:00")


def _commit(folder: Path, commit: DemoCommit, date: str) -> None:
    for name, text in commit.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--no-gpg-sign", "-m", commit.message, date=date)


def _git(folder: Path, *arguments: str, date: str = "") -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
    command = ["git", "-c", "core.hooksPath=/dev/null", "-C", str(folder), *arguments]
    try:
        subprocess.run(
            command, env=kept | _IDENTITY | dates, check=True, capture_output=True, timeout=60
        )
    except FileNotFoundError as error:
        raise UsageError("the demo needs git, and there is no git on this machine") from error
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        raise GitError(f"git {arguments[0]} failed in {folder}") from error
