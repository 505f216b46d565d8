"""Small papers for the tests, as files of a temporary folder or as commits of a repository."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pfcore import snapshot
from pfcore.cache import MemoryCache
from pfcore.papers import Shelf
from pfcore.review import PaperReport, Report, review

PREAMBLE = r"""\documentclass{article}
\usepackage{amsthm,amsmath}
\newtheorem{theorem}{Theorem}
\newtheorem{lemma}[theorem]{Lemma}
\theoremstyle{definition}
\newtheorem{definition}[theorem]{Definition}
\begin{document}
"""
END = "\n\\end{document}\n"

Files = Mapping[str, str]


def article_text(body: str, *, preamble: str = "") -> str:
    """A whole article with this body, and more in its preamble."""
    return PREAMBLE.replace("\\begin{document}", preamble + "\n\\begin{document}") + body + END


@pytest.fixture
def document() -> Callable[..., str]:
    """Makes the text of a whole article from its body."""
    return article_text


def write(folder: Path, files: Files) -> Path:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return folder


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder."""
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def commit(folder: Path, files: Files, *, message: str = "a change") -> str:
    """Write files into a repository (made if need be) and commit them; None deletes nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


Reviewed = Callable[..., Report]


@pytest.fixture
def reviewed(tmp_path: Path) -> Reviewed:
    """Review files, against earlier files if these are given."""

    def run(files: Files, before: Files | None = None) -> Report:
        shelf = Shelf(MemoryCache())
        now = snapshot.from_folder(write(tmp_path / "now", files))
        then = snapshot.from_folder(write(tmp_path / "then", before)) if before else None
        return review(then, now, shelf)

    return run


@pytest.fixture
def article(reviewed: Reviewed) -> Callable[..., PaperReport]:
    """Review one article, given by its body."""

    def run(body: str, before: str | None = None) -> PaperReport:
        then = {"main.tex": article_text(before)} if before is not None else None
        return reviewed({"main.tex": article_text(body)}, then).papers[0]

    return run


@pytest.fixture
def repository(tmp_path: Path) -> Callable[..., str]:
    """Commits files in the repository `tmp_path / "paper"` and returns the commit's id."""
    return lambda files, message="a change": commit(tmp_path / "paper", files, message=message)
