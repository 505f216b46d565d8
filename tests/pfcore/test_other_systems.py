"""What can be known on one system of others: no POSIX module, consoles, line ends, names, locks.

The parts of Windows that Python shows are taken away, or put in place of ours, in a process of its
own. Nobody runs Windows here: its locks are what its pages say of them, a file that somebody holds
open and that nobody can replace.
"""

import ast
import json
import os
import sqlite3
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path, PureWindowsPath

import pytest

from pfcore.repository import snapshot
from pfcore.repository.git import find_repository
from tests.conftest import Files, commit, write

pytestmark = pytest.mark.acceptance

REPO = Path(__file__).resolve().parents[2]
ROOMS = ("pfcore", "hooks", "prompts")
NOT_ON_WINDOWS = frozenset(
    "fcntl grp nis posix pty pwd resource spwd syslog termios tty curses readline".split()
)
FUNCTIONS = (
    "fork getuid geteuid getgid killpg setsid chown O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK"
)
SIGNALS = "SIGKILL SIGHUP SIGXCPU SIGXFSZ SIGALRM"
# What chooses by `os.name` as it loads comes first: it is Python's own, and right there.
ELSEWHERE = f"""
import asyncio, ctypes, getpass, multiprocessing, pathlib, shutil, subprocess, tempfile
import os, signal, sys
for name in {sorted(NOT_ON_WINDOWS)!r}:
    sys.modules[name] = None
for name in {FUNCTIONS.split()!r}:
    delattr(os, name)
for name in {SIGNALS.split()!r}:
    delattr(signal, name)
os.name = "elsewhere"
"""
RUN = "\nimport sys\nfrom pfcore.cli.main import main\nsys.exit(main(sys.argv[1:]))\n"
HOOK = "\nimport sys\nfrom hooks.offline import main\nsys.exit(main(sys.argv[1:]))\n"
PAPER = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\newtheorem{lemma}{Lemma}
\title{Über Räume}
\begin{document}\maketitle
\input{parts/first}
\begin{lemma}\label{b}\lean{Foo.a, Foo.S.y} Let $x$ be an Ångström. Then B.\end{lemma}
\begin{proof} By Lemma~\ref{a} and Lemma~\ref{lost}.
\end{proof}
\end{document}
"""
FIRST = """\\begin{lemma}\\label{a} For $ε>0$, A.\\end{lemma}

\\begin{proof} % a comment
P. \\end{proof}
"""
LEAN = "namespace Foo\nstructure S where\n  n : ℕ\ntheorem a (x : ℕ) : x ≤ x := le_rfl\nend Foo\n"
FILES: Files = {"main.tex": PAPER, "parts/first.tex": FIRST, "Foo/A.lean": LEAN}
Said = dict[tuple[str, ...], subprocess.CompletedProcess[bytes]]
COMMANDS = (
    ("check", "--all"),
    ("check", "--all", "--notes", "--format", "json"),
    ("check", "--all", "--format", "sarif"),
    ("check", "--all", "--format", "markdown"),
    ("plan", "--why", "b"),
    ("graph", "--format", "json"),
    ("graph", "--format", "dot"),
    ("checks",),
    ("explain", "unknown-declaration"),
    ("help",),
)


def run(
    folder: Path, arguments: Sequence[str], code: str = RUN, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """A command in a folder, with a cache of its own."""
    kept = {"PF_CACHE_DIR": str(folder.parent / f"cache-{folder.name}"), "PF_JOBS": "1"}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **kept, **environment},
        capture_output=True,
        check=False,
    )


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    commit(tmp_path / "paper", FILES)
    return tmp_path / "paper"


@pytest.fixture(scope="module")
def same(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper for commands that only read."""
    folder = tmp_path_factory.mktemp("systems") / "paper"
    commit(folder, FILES)
    return folder


@pytest.fixture(scope="module")
def usual(same: Path) -> Said:
    """What each command says here, to a console that speaks UTF-8."""
    return {arguments: run(same, arguments) for arguments in COMMANDS}


def sources() -> Iterator[tuple[Path, ast.Module]]:
    for room in ROOMS:
        for path in sorted((REPO / room).rglob("*.py")):
            yield path, ast.parse(path.read_text("utf-8"))


def at_module_level(tree: ast.Module) -> Iterator[str]:
    """The modules that are imported as soon as a file is; what stands in a function is not."""
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def test_no_file_imports_as_it_loads_what_windows_lacks() -> None:
    found = {
        str(path.relative_to(REPO)): name
        for path, tree in sources()
        for name in at_module_level(tree)
        if name.partition(".")[0] in NOT_ON_WINDOWS
    }
    assert found == {}


def test_every_text_file_is_opened_in_an_encoding_that_is_named() -> None:
    """Windows would take the console's."""
    found = [
        f"{path.relative_to(REPO)}:{node.lineno}"
        for path, tree in sources()
        if "bench" not in path.parts
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("read_text", "write_text")
        and not node.args[node.func.attr == "write_text" :]
        and all(item.arg != "encoding" for item in node.keywords)
    ]
    assert found == []


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_commands_say_the_same_without_the_modules_of_posix(
    same: Path, usual: Said, arguments: tuple[str, ...]
) -> None:
    here = usual[arguments]
    there = run(same, arguments, ELSEWHERE + RUN)
    assert here.stderr == b""
    assert (there.returncode, there.stdout, there.stderr) == (
        here.returncode,
        here.stdout,
        here.stderr,
    )


def test_the_hook_finds_the_same_without_the_modules_of_posix(paper: Path) -> None:
    write(paper, {"parts/first.tex": FIRST.replace("label{a}", "label{c}")})
    subprocess.run(["git", "add", "-A"], cwd=paper, check=True)
    here, there = (run(paper, ("parts/first.tex",), code + HOOK) for code in ("", ELSEWHERE))
    assert b"[dangling-reference" in here.stdout + here.stderr
    assert (there.returncode, there.stdout, there.stderr) == (1, here.stdout, here.stderr)


def test_the_report_is_the_same_without_the_modules_of_posix(paper: Path, tmp_path: Path) -> None:
    pages = []
    for number, code in enumerate((RUN, ELSEWHERE + RUN)):
        place = tmp_path / f"report{number}.html"
        done = run(paper, ("report", "--all", "--out", str(place)), code)
        assert (done.returncode, done.stderr) == (0, b"")
        pages.append(place.read_bytes())
    assert pages[0] == pages[1]


def test_the_gate_says_the_same_without_the_modules_of_posix(paper: Path) -> None:
    judged = ("gate", "--allow-unread", "--offline")
    here, there = (run(paper, judged, code) for code in (RUN, ELSEWHERE + RUN))
    assert b"does not pass" in here.stdout
    assert (there.returncode, there.stdout, there.stderr) == (1, here.stdout, here.stderr)


@pytest.mark.skipif(os.name == "nt", reason="a script stands for TeX")
def test_no_tex_is_run_where_the_system_cannot_limit_it(paper: Path, tmp_path: Path) -> None:
    tools = write(tmp_path / "tools", {"pdflatex": "#!/bin/sh\ntouch ran\n"})
    (tools / "pdflatex").chmod(0o755)
    path = f"{tools}{os.pathsep}{os.environ['PATH']}"
    done = run(paper, ("numbers", "--latex"), ELSEWHERE + RUN, PATH=path)
    assert (done.returncode, done.stderr.decode().splitlines()[-1]) == (
        2,
        "pf: this system cannot limit what TeX may use (Windows); run it under Linux or macOS",
    )
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.parametrize("ends", ["\r\n", "\r"], ids=["CRLF", "CR"])
@pytest.mark.parametrize("is_git", [True, False], ids=["git", "folder"])
def test_line_ends_change_no_finding(tmp_path: Path, ends: str, *, is_git: bool) -> None:
    """Not a byte of the JSON: ids, lines, columns and quotes are those of the same text."""
    found = []
    for name, end in (("one", "\n"), ("two", ends)):
        folder = tmp_path / name / "paper"
        for path, text in FILES.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            assert isinstance(text, str)
            (folder / path).write_bytes(text.replace("\n", end).encode())
        if is_git:
            commit(folder, {})
        done = run(folder, ("check", "--all", "--format", "json"))
        assert done.stderr == b""
        found.append(done.stdout)
    assert found[0] == found[1]
    rules = {item["rule"] for item in json.loads(found[0])["findings"]}
    assert {"dangling-reference", "unknown-declaration"} <= rules


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_console_of_any_encoding_is_no_failure(
    same: Path, usual: Said, encoding: str, arguments: tuple[str, ...]
) -> None:
    expected = usual[arguments]
    found = run(same, arguments, PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    assert (found.returncode, found.stderr) == (expected.returncode, b"")
    text = found.stdout.decode(encoding)  # raises where something else was written
    assert len(text.splitlines()) == len(expected.stdout.decode().splitlines())
    if "json" in arguments or "sarif" in arguments:
        assert json.loads(text) == json.loads(expected.stdout)


@pytest.mark.parametrize(
    "name", ["C:\\paper\\a.tex", "c:a.tex", "parts\\first.tex", "\\\\server\\share\\a.tex"]
)
def test_a_name_that_windows_takes_for_a_way_is_skipped_and_named(
    tmp_path: Path, name: str
) -> None:
    files = {**FILES, name: "\\label{stolen}"}
    commit(tmp_path / "paper", files)
    repository = find_repository(tmp_path / "paper")
    assert repository is not None
    moment = snapshot.from_revision(repository, "HEAD")
    assert name not in moment.files
    (skipped,) = moment.skipped
    assert skipped.reason == "unsafe characters in its name: rename it"
    done = run(tmp_path / "paper", ("check", "--all"))
    assert b"Traceback" not in done.stderr
    assert done.returncode == run(tmp_path / "paper", ("check", "--all")).returncode


@pytest.mark.parametrize("name", ["aux", "con", "nul", "COM1", "prn.old", "lpt¹"])
def test_a_file_under_a_name_that_windows_reserves_is_read_from_git(
    tmp_path: Path, name: str
) -> None:
    """There a clone lacks such a file on disk; revisions and the index are read through git."""
    main = PAPER.replace("parts/first", f"parts/{name}")
    commit(tmp_path / "paper", {"main.tex": main, f"parts/{name}.tex": FIRST})
    (tmp_path / "paper" / "parts" / f"{name}.tex").unlink()
    done = run(tmp_path / "paper", ("graph", "--head", "HEAD", "--format", "json"))
    assert {"a", "b"} <= {item["id"] for item in json.loads(done.stdout)["modules"]}


def test_names_that_differ_in_case_alone_are_two_files_and_one_that_is_missing_is_found(
    tmp_path: Path,
) -> None:
    """Files are found by their listed names, so a disk that knows no case changes nothing."""
    commit(
        tmp_path / "paper",
        {**FILES, "parts/First.tex": FIRST.replace("{a}", "{other}").replace("A.", "C.")},
    )
    repository = find_repository(tmp_path / "paper")
    assert repository is not None
    moment = snapshot.from_revision(repository, "HEAD")
    assert {"parts/first.tex", "parts/First.tex"} <= set(moment.files)
    assert moment.read("parts/first.tex") != moment.read("parts/First.tex")
    commit(tmp_path / "other", {**FILES, "main.tex": PAPER.replace("parts/first", "Parts/First")})
    done = run(tmp_path / "other", ("check", "--all", "--format", "json"))
    assert "missing-file" in {item["rule"] for item in json.loads(done.stdout)["findings"]}


HELD = """
import pathlib
def refused(self, target):
    reason = "The process cannot access the file because it is being used by another process"
    raise PermissionError(13, reason, str(target))
pathlib.Path.replace = refused
"""


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("report", "--all", "--out", "report.html"), "report.html"),
        (("gate", "--allow-unread", "--offline"), "pf-gate/result.json"),
        (("gate", "--allow-unread", "--offline", "--out", "there"), "there/report.html"),
    ],
)
def test_a_file_that_another_program_holds_open_stays_as_it_is(
    paper: Path, arguments: tuple[str, ...], name: str
) -> None:
    """So does Windows treat a report that is open in another program, and a virus scanner."""
    first = run(paper, arguments)
    assert b"Traceback" not in first.stderr
    before = {path: path.read_bytes() for path in paper.rglob("*") if path.is_file()}
    assert paper / name in before
    done = run(paper, arguments, ELSEWHERE + HELD + RUN)
    *_, said = done.stderr.decode().splitlines()
    assert done.returncode == 3
    assert said.startswith("pf: ") and "cannot be written: The process cannot access" in said
    assert b"Traceback" not in done.stderr
    after = {path: path.read_bytes() for path in paper.rglob("*") if path.is_file()}
    assert after == before


def test_a_cache_that_another_process_has_locked_is_done_without(paper: Path) -> None:
    here = run(paper, ("check", "--all"))
    place = paper.parent / f"cache-{paper.name}" / "readings.sqlite"
    with closing(sqlite3.connect(place, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        there = run(paper, ("check", "--all"))
    assert (there.returncode, there.stdout, there.stderr) == (
        here.returncode,
        here.stdout,
        here.stderr,
    )


def test_git_that_another_git_has_locked_is_read(paper: Path) -> None:
    """A lock of the index is left behind where git was killed, on Windows more often."""
    here = run(paper, ("check", "--all"))
    (paper / ".git/index.lock").touch()
    assert run(paper, ("check", "--all")).stdout == here.stdout


def test_a_name_that_macos_spells_in_its_own_way_is_told(tmp_path: Path) -> None:
    there = unicodedata.normalize("NFD", "parts/über.tex")
    commit(
        tmp_path / "paper", {"main.tex": PAPER.replace("parts/first", "parts/über"), there: FIRST}
    )
    done = run(tmp_path / "paper", ("check", "--all", "--format", "json"))
    (said,) = (
        item["message"]
        for item in json.loads(done.stdout)["findings"]
        if item["rule"] == "missing-file"
    )
    assert said == (
        "\\input{parts/über} names a file that is not in the repository "
        f"({there} has accents as separate characters, as macOS writes them: rename it)"
    )


def tracked() -> list[str]:
    done = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPO, check=True, capture_output=True, text=True
    )
    return [name for name in done.stdout.split("\0") if name]


def test_this_repository_can_be_checked_out_on_every_system() -> None:
    names = tracked()
    assert len(names) > 500
    folded = [name.casefold() for name in names]
    assert len(set(folded)) == len(names)
    assert [name for name in names if set(name) & set('<>:"|?*\\') or not name.isprintable()] == []
    parts = {part for name in names for part in name.split("/")}
    assert [part for part in parts if part.endswith((".", " "))] == []
    assert [part for part in parts if PureWindowsPath(part).is_reserved()] == []
    assert max(map(len, names)) < 160  # of 260 in all
