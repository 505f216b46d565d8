"""What every test stands on: no network, no home folder, no settings of the person who runs it."""

import gc
import importlib
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from pfcore.domain import containment
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import DiskCache, MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.review.review import PaperReport, Report, review
from tests import sampling

TESTS = Path(__file__).resolve().parent
REPO = TESTS.parent
CORPUS = Path(os.environ.get("PF_CORPUS") or REPO.parent / "shared" / "corpus")
EVIDENCE = Path(os.environ.get("PF_EVIDENCE") or CORPUS.parent / "evidence")

# A slow machine is not a failure. Under CI=1, hypothesis draws the same examples in every run.
settings.register_profile("pf", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None)
settings.load_profile(os.environ.get("PF_EXAMPLES") or "pf")

# Papers are many small objects that live on: looking for garbage among them takes a fifth of a run.
gc.set_threshold(100_000, 50, 100)

# Each process, of ours or of a command, would compile anew all that it imports.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

_SUITES = ("acceptance", "corpus")  # each asked for by its mark alone, in .ci/run

# git's variables name another repository when the tests run inside one of its hooks.
_INHERITED = tuple(
    "CI PF_ PRE_COMMIT GIT_ GITHUB_ GH_ OPENAI_ ANTHROPIC_ NO_COLOR FORCE_COLOR".split()
)

_IDENTITY = {
    "GIT_AUTHOR_NAME": "A. Author",
    "GIT_AUTHOR_EMAIL": "author@example.org",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00+00:00",
    "GIT_COMMITTER_NAME": "A. Author",
    "GIT_COMMITTER_EMAIL": "author@example.org",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00+00:00",
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """As many as there are processors: each more has to collect all tests once more."""
    return os.cpu_count() or 1


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Files without a test of the one kind that is asked for need not be imported."""
    if config.option.markexpr not in _SUITES:
        return None
    is_other = collection_path.match("test_*.py") and (
        f"mark.{config.option.markexpr}" not in collection_path.read_text(encoding="utf-8")
    )
    return is_other or None


def pytest_report_header(config: pytest.Config) -> str | None:
    """Tells from what the sample of a slower suite follows."""
    if config.option.markexpr not in _SUITES:
        return None
    drawn = f"drawn by {sampling.commit()[:12] or 'no commit'}; PF_SAMPLED=all runs all"
    return f"sampled tests: {'all' if sampling.is_whole() else drawn}"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves a sample of the tests marked `sampled` in a slower suite."""
    if config.option.markexpr in _SUITES and not sampling.is_whole():
        left_out = sampling.left_out(items, sampling.commit())
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in set(left_out)]


def pytest_sessionstart(session: pytest.Session) -> None:
    """Lets each worker import other files first: it finds the rest compiled by the others.

    What an import raises here, it raises once more where pytest collects that file.
    """
    config = session.config
    worker = getattr(config, "workerinput", None)
    is_whole = [Path(name).resolve() for name in config.args] == [TESTS]
    if worker is None or not is_whole or config.option.markexpr in _SUITES:
        return
    paths = sorted(TESTS.rglob("test_*.py"))
    number, count = int(worker["workerid"].removeprefix("gw")), worker["workercount"]
    for path in paths[number * len(paths) // count : (number + 1) * len(paths) // count]:
        with suppress(Exception, pytest.skip.Exception), warnings.catch_warnings():
            warnings.simplefilter("error")
            importlib.import_module(".".join(path.relative_to(REPO).with_suffix("").parts))


def pytest_collection_finish() -> None:
    """Tests live to the end: no collection need look at them again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Looks for garbage until there is none: pytest then looks five times through what is left."""
    while gc.collect():
        pass
    gc.freeze()


@pytest.fixture(scope="session")
def _folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Makes a new folder for a test, by its name and a number."""
    base, numbers = tmp_path_factory.mktemp("tests", numbered=False), count()

    def made(name: str) -> Path:
        folder = base / f"{re.sub(r'[^A-Za-z0-9]', '_', name)[:30]}{next(numbers)}"
        folder.mkdir(mode=0o700)
        return folder

    return made


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, _folders: Callable[[str], Path]) -> Path:
    """As pytest's own, which looks through all folders that there are to number the next one.

    For thousands of tests that is a twentieth of the time of a run.
    """
    return _folders(request.node.name)


@pytest.fixture(scope="session", autouse=True)
def _own_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """An empty home and a neutral git, for the tests and for the commands that they start."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(_INHERITED)]:
            patch.delenv(name)
        patch.setenv("HOME", str(home))
        for kind in ("CACHE", "CONFIG", "DATA", "STATE"):
            patch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
        patch.setenv("PF_CACHE_DIR", str(_shared(tmp_path_factory)))
        patch.setenv("GIT_CONFIG_GLOBAL", str(_git_settings(home)))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_TERMINAL_PROMPT", "0")
        patch.setenv("GIT_ALLOW_PROTOCOL", "file")  # git is out of reach of --disable-socket
        for name, value in _IDENTITY.items():
            patch.setenv(name, value)
        patch.setenv("COLUMNS", "100")
        patch.setenv("TZ", "UTC")
        yield


def _shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of this run have in common."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pf-cache"


def _git_settings(home: Path) -> Path:
    """Settings of git that leave out what no test looks at: sample hooks, upkeep after commits."""
    path = home / "gitconfig"
    path.write_text("[init]\n\ttemplateDir =\n[maintenance]\n\tauto = false\n[gc]\n\tauto = 0\n")
    return path


@pytest.fixture(scope="session", autouse=True)
def _faults_are_loud() -> Iterator[None]:
    """No test passes over a fault of ours that was contained, unless it asks for `contained`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(containment, "describe", _raised)
        yield


def _raised(error: Exception) -> str:
    raise AssertionError("a fault was contained that no test asked for") from error


_described = containment.describe


@pytest.fixture
def contained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a fault of ours cost what it meets, as for users."""
    monkeypatch.setattr(containment, "describe", _described)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of real papers; the test is skipped where it is absent."""
    if not CORPUS.is_dir():
        pytest.skip("no corpus: ../shared/corpus is absent and PF_CORPUS names no folder")
    return CORPUS


CorpusPapers = Callable[[str], tuple[PaperState, ...]]


@pytest.fixture(scope="session")
def corpus_papers(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> CorpusPapers:
    """The papers of a folder of the corpus, read once for all tests of a process."""

    @cache
    def papers(name: str) -> tuple[PaperState, ...]:
        parse_cache = ParseCache(DiskCache(_shared(tmp_path_factory) / "corpus.sqlite"))
        listed = discover_papers(snapshot.from_folder(corpus / name), parse_cache).papers
        return tuple(map(build_paper_state, listed))

    return papers


@pytest.fixture(scope="session")
def evidence() -> Path:
    """The folder of published answers of models; the test is skipped where it is absent."""
    if not EVIDENCE.is_dir():
        pytest.skip(
            "no answers: there is no evidence beside the corpus, and PF_EVIDENCE names none"
        )
    return EVIDENCE


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
    return PREAMBLE.replace("\\begin{document}", preamble + "\\begin{document}") + body + END


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
    if not folder.exists():
        return _first_commit(folder, files, message)
    if not (folder / ".git").exists():
        git(folder, "init", "--quiet", "--initial-branch=main")
    write(folder, files)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return _head(folder)


def _head(folder: Path) -> str:
    """The commit that is checked out, from its file where there is one: git is slow to start."""
    kept = folder / ".git" / "HEAD"
    name = kept.read_text("utf-8").removeprefix("ref:").strip() if kept.is_file() else ""
    branch = folder / ".git" / name
    return (
        branch.read_text("utf-8").strip() if branch.is_file() else git(folder, "rev-parse", "HEAD")
    )


_first_commits: dict[str, tuple[str, dict[str, bytes | None]]] = {}
"""What lies below `.git` by what was committed; None is a folder. The index depends on clocks."""


def _first_commit(folder: Path, files: Files, message: str) -> str:
    """Commit files in a new repository: a copy, where the same was committed before."""
    settings = {name: value for name, value in os.environ.items() if name.startswith("GIT_")}
    key = repr((sorted(files.items()), message, sorted(settings.items())))
    folder.mkdir(parents=True)
    if key not in _first_commits:
        head = commit(folder, files, message=message)
        paths = sorted((folder / ".git").rglob("*"))
        _first_commits[key] = (
            head,
            {
                str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
                for path in paths
                if path.name != "index"
            },
        )
        return head
    head, made = _first_commits[key]
    (folder / ".git").mkdir()
    for name, data in made.items():
        if data is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(data)
    git(write(folder, files), "add", "--all")
    return head


Reviewed = Callable[..., Report]


@pytest.fixture
def reviewed(tmp_path: Path) -> Reviewed:
    """Review files, against earlier files if these are given."""

    def run(files: Files, before: Files | None = None) -> Report:
        parse_cache = ParseCache(MemoryCache())
        now = snapshot.from_folder(write(tmp_path / "now", files))
        then = snapshot.from_folder(write(tmp_path / "then", before)) if before else None
        return review(then, now, parse_cache)

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
