"""TeX as a process that is not trusted: programs in its place do what a paper might."""

import ctypes
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pfcore.domain.errors import UsageError
from pfcore.papers.tex_process import (
    TexLimits,
    engine_version,
    find_engine,
    run_tex,
    tex_environment,
    tex_trees,
)

pytestmark = [pytest.mark.acceptance, pytest.mark.sampled(2)]

LIMITS = TexLimits(
    cpu_seconds=20,
    wall_seconds=20,
    memory=1_500_000_000,
    file_bytes=1_000_000,
    folder_bytes=3_000_000,
)


def has_landlock() -> bool:
    """Whether this kernel knows Landlock."""
    return sys.platform == "linux" and bool(ctypes.CDLL(None).syscall(444, None, 0, 1) > 0)


Program = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Program:
    """Run Python's words in place of an engine; what it is said to have ended by."""

    def program(words: str, limits: TexLimits = LIMITS) -> str:
        return run_tex(
            [sys.executable, "-I", "-c", words],
            tmp_path,
            top=tmp_path,
            trees=[*tex_trees("/usr/bin/tex"), Path(sys.base_prefix), Path(sys.prefix)],
            environment=tex_environment(tmp_path, ["/above", f"{tmp_path}//"]),
            limits=limits,
        )

    return program


def test_nothing_of_the_users_environment_is_passed_on(
    run: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("TEXINPUTS", "/somewhere")
    assert (
        run("import os; open('seen', 'w').write('\\n'.join(map('='.join, os.environ.items())))")
        == ""
    )
    seen = dict(line.split("=", 1) for line in (tmp_path / "seen").read_text().splitlines())
    assert "OPENAI_API_KEY" not in seen
    assert seen["HOME"] == str(tmp_path)
    assert seen["TEXINPUTS"] == os.pathsep.join([".", "/above", "", f"{tmp_path}//"])
    assert (seen["openin_any"], seen["openout_any"], seen["shell_escape"]) == ("p", "p", "f")


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
def test_the_kernel_keeps_other_files_closed(run: Program, tmp_path: Path) -> None:
    outside = tmp_path.parent / f"{tmp_path.name}-outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    words = f"""
def tried(*how):
    try: open(*how).close()
    except PermissionError: return "refused"
    return "opened"
secret, new = {str(outside / "secret")!r}, {str(outside / "new")!r}
said = [tried("/etc/passwd"), tried(secret), tried(new, "w")]
said += [tried("new", "w"), tried("/dev/null", "w"), tried("/usr/bin/env", "rb")]
open("said", "w").write(" ".join(said))
"""
    assert run(words) == ""
    assert (tmp_path / "said").read_text() == "refused refused refused opened opened opened"
    assert [path.name for path in outside.iterdir()] == ["secret"]


@pytest.mark.skipif(not has_landlock(), reason="this kernel has no Landlock")
def test_a_program_that_cannot_be_confined_is_not_run(
    run: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfcore.papers.tex_process._RESTRICT", 100_000)
    with pytest.raises(UsageError, match="cannot be run"):
        run("open('ran', 'w')")
    assert not (tmp_path / "ran").exists()


def test_without_landlock_the_other_bounds_hold(
    run: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pfcore.papers.tex_process._CREATE", 100_000)
    assert run("open('ran', 'w')") == ""
    assert (tmp_path / "ran").exists()
    monkeypatch.setattr("sys.platform", "darwin")
    assert run("import time; time.sleep(60)", replace(LIMITS, wall_seconds=0.5)) != ""


def test_the_trees_of_a_tex_are_never_a_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, expected in {
        "tl/bin/x86_64-linux/pdftex": "tl",
        "tl/bin/pdftex": "tl",
        "bin/pdftex": "bin",
        "own/pdftex": "own",
    }.items():
        assert tex_trees(str(tmp_path / name))[-1] == tmp_path / expected


def test_an_exit_status_of_one_is_no_reason_to_stop(run: Program) -> None:
    assert run("raise SystemExit(1)") == ""


def test_a_run_without_end_is_stopped_by_the_clock(run: Program) -> None:
    begun = time.monotonic()
    said = run("import time; time.sleep(60)", replace(LIMITS, wall_seconds=0.5))
    assert said == "it took longer than 0.5 seconds"
    assert time.monotonic() - begun < 20


def test_a_loop_is_stopped_by_its_computing_time(run: Program) -> None:
    said = run("while True: pass", replace(LIMITS, cpu_seconds=1))
    assert said.startswith("it needed more than 1 seconds of computing time")


def test_a_file_cannot_grow_beyond_its_bound(run: Program, tmp_path: Path) -> None:
    words = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_DFL)\n"
    said = run(words + "open('big', 'wb').write(bytes(5_000_000))")
    assert said == "it wrote a file of more than 1 MB"
    assert (tmp_path / "big").stat().st_size <= 1_000_000


def test_many_files_together_are_bounded_too(run: Program) -> None:
    words = """
import itertools, time
for n in itertools.count():
    open(f"f{n}", "wb").write(bytes(900_000))
    time.sleep(0.05)
"""
    assert run(words) == "it wrote more than 3 MB"


def test_memory_is_bounded(run: Program, tmp_path: Path) -> None:
    words = """
try:
    bytes(2_000_000_000)
except MemoryError:
    open("refused", "w")
"""
    assert run(words) == ""
    assert (tmp_path / "refused").exists()


def test_what_the_program_started_does_not_live_on(run: Program, tmp_path: Path) -> None:
    if os.geteuid() != 0:  # whom the bound on processes holds cannot start one at all
        assert run("import os\ntry: os.fork()\nexcept OSError: open('no', 'w')") == ""
        assert (tmp_path / "no").exists()
        return
    words = """
import os, time
if os.fork() == 0:
    open("started", "w").close()
    time.sleep(1)
    open("survived", "w").close()
while not os.path.exists("started"): time.sleep(0.01)
"""
    assert run(words) == ""
    assert (tmp_path / "started").exists()
    time.sleep(1.5)
    assert not (tmp_path / "survived").exists()


def test_an_engine_is_found_by_whole_paths_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("here", "there"):
        place = tmp_path / folder / "pdflatex"
        place.parent.mkdir()
        place.write_text("#!/bin/sh\n")
        place.chmod(0o755)
    monkeypatch.chdir(tmp_path / "here")
    path = os.pathsep.join([".", "", str(tmp_path / "there")])
    assert find_engine("pdflatex", path) == str(tmp_path / "there" / "pdflatex")
    assert find_engine("pdflatex", os.pathsep.join([".", ""])) is None


def test_an_engine_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    assert engine_version(sys.executable, tmp_path).startswith("Python 3")
    assert engine_version(str(tmp_path / "none"), tmp_path) == ""


def test_an_engine_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be run: No such file"):
        run_tex(
            [str(tmp_path / "none")],
            tmp_path,
            top=tmp_path,
            trees=(),
            environment={},
            limits=LIMITS,
        )


def test_a_system_without_limits_runs_nothing(
    run: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resource", None)
    with pytest.raises(UsageError, match="cannot limit"):
        run("open('ran', 'w')")
    assert not (tmp_path / "ran").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_program_that_is_asked_for_its_version_ends_with_who_asked(tmp_path: Path) -> None:
    engine, number = tmp_path / "engine", tmp_path / "number"
    engine.write_text(
        f"#!/bin/sh\necho $$ > {number}.new\nmv {number}.new {number}\nexec sleep 40\n"
    )
    engine.chmod(0o755)
    words = (
        "import pathlib; from pfcore.papers.tex_process import engine_version; "
        f"engine_version({str(engine)!r}, pathlib.Path({str(tmp_path)!r}))"
    )
    asking = subprocess.Popen([sys.executable, "-c", words], cwd=Path(__file__).parents[3])
    try:
        end = time.monotonic() + 20
        while not number.exists() and time.monotonic() < end:
            time.sleep(0.05)
    finally:
        asking.kill()
        asking.wait()
    stat = Path("/proc") / number.read_text().strip() / "stat"
    while is_alive(stat) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_alive(stat)


def is_alive(stat: Path) -> bool:
    """Whether a process runs: one that waits to be buried does not."""
    try:
        return stat.read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
