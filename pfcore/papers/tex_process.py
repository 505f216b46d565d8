"""Runs TeX as an untrusted process: with an empty environment and folder, and limits on the rest.

A paper may contain any program that TeX can run. TeX may only read below its own folder and in its
own trees, write below its folder, start no process, and must end in time. TeX's own guard
(`openin_any`) lets `~user/file` pass. So where Linux has Landlock the kernel blocks other files
too, and on every system the list of files read is checked afterwards.
https://docs.kernel.org/userspace-api/landlock.html
"""

import ctypes
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pfcore.domain.errors import UsageError

_POLL = 0.05
_SLOW = 0.5
_SYSTEM = """/usr /lib /lib32 /lib64 /bin /opt /nix/store /gnu/store /System/Library /Library/TeX
/Library/Fonts /etc/texmf /etc/texmf-dist /etc/texlive /etc/fonts /etc/alternatives
/etc/ld.so.cache /etc/localtime /var/lib/texmf /var/lib/texmf-dist /var/cache/fontconfig
/dev/null /dev/urandom"""
_NO_LIMITS = "this system cannot limit what TeX may use (Windows); run it under Linux or macOS"


@dataclass(frozen=True, slots=True, kw_only=True)
class TexLimits:
    """Limits of one run: seconds, and bytes of memory, of one file and of all files written."""

    cpu_seconds: int = 60
    wall_seconds: float = 90
    memory: int = 1_500_000_000
    file_bytes: int = 50_000_000
    folder_bytes: int = 300_000_000


def tex_trees(engine: str) -> tuple[Path, ...]:
    """The folders and files of the TeX installation and of the system; none contains a user's home.

    An installation in a folder of its own has its programs in bin/PLATFORM.
    """
    own = Path(engine).resolve()
    root = next((place.parent for place in own.parents[:2] if place.name == "bin"), own.parent)
    trees = [Path(name) for name in _SYSTEM.split()]
    home = Path(os.path.expanduser("~")).resolve()  # noqa: PTH111 - raises no error for an unknown user
    return (*trees, own.parent if home.is_relative_to(root) else root)


def find_engine(name: str, path: str) -> str | None:
    """The program of this name on a PATH, ignoring its relative parts.

    Symbolic links are kept, because TeX programs act by the name under which they are called.
    """
    folders = os.pathsep.join(part for part in path.split(os.pathsep) if Path(part).is_absolute())
    return shutil.which(name, path=folders) if folders else None


def engine_version(engine: str, folder: Path) -> str:
    """The first line of an engine's --version; "" if it prints nothing within ten seconds."""
    said = _said_by([engine, "--version"], folder, []) or ""
    return said[:500].partition("\n")[0].strip()


def absent_files(names: Iterable[str], folder: Path) -> list[str]:
    """The files that TeX cannot find in its trees; empty if this is unknown."""
    wanted = list(dict.fromkeys(names))
    program = find_engine("kpsewhich", os.environ.get("PATH", os.defpath))
    if program is None or not wanted:
        return []
    said = _said_by([program, *wanted], folder, [str(folder)])
    found = {Path(line).name for line in (said or "").splitlines()}
    return [] if said is None else [name for name in wanted if name not in found]


def _said_by(command: Sequence[str], folder: Path, trees: list[str]) -> str | None:
    """What a program of TeX prints in a bare environment; None if it cannot run in ten seconds.

    It ends with this process, as an engine does: biber takes seconds to say its version.
    """
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=tex_environment(folder, trees),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=10,
            check=False,
            preexec_fn=end_with(os.getpid()),
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")


def tex_environment(home: Path, inputs: Iterable[str]) -> dict[str, str]:
    """The environment of a TeX process: where programs are, an own home, and paranoid mode.

    `inputs` are folders that are searched after the working folder and before TeX's own trees. The
    last one is searched after those trees; it may end in // to include its subfolders.
    """
    *first, last = ["", *inputs]
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(home),
        "TEXMFHOME": str(home / "texmf"),
        "TEXMFVAR": str(home / "texmf-var"),
        "TEXMFCONFIG": str(home / "texmf-config"),
        "TEXINPUTS": os.pathsep.join([".", *filter(None, first), "", last]),
        "openin_any": "p",
        "openout_any": "p",
        "shell_escape": "f",
        "max_print_line": "20000",
        "MKTEXTFM": "0",
        "MKTEXPK": "0",
        "MKTEXTEX": "0",
        "LC_ALL": "C",
    }


def run_tex(
    command: Sequence[str],
    folder: Path,
    *,
    top: Path,
    trees: Iterable[Path],
    environment: Mapping[str, str],
    limits: TexLimits,
) -> str:
    """Run an engine in a folder below `top`; "" if it ended by itself, else why it was stopped.

    It writes only below `top`, and reads there and in `trees`. The exit status is ignored, because
    TeX's is 1 after any error. Its subprocesses are killed, and on Linux it ends with this process.
    UsageError if the system does not support the limits, or refuses them.
    """
    try:
        import resource
    except ImportError as error:
        raise UsageError(_NO_LIMITS) from error
    bounds = [
        (resource.RLIMIT_CPU, limits.cpu_seconds),
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
    ]

    rules = _rules(top, trees)
    bind = end_with(os.getpid())

    def limit() -> None:
        if bind is not None:
            bind()
        _confine(rules)
        for kind, most in bounds:
            with suppress(ValueError, OSError):  # macOS has no memory limit
                resource.setrlimit(kind, (most, most))

    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=limit,  # noqa: PLW1509 - limits must hold from the start
        )
    except (OSError, subprocess.SubprocessError) as error:
        why = error.strerror if isinstance(error, OSError) else "its limits cannot be set"
        raise UsageError(f"{command[0]} cannot be run: {why}") from error
    finally:
        if rules is not None:
            os.close(rules)
    try:
        return _watched(process, top, limits)
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


_WITH_PARENT = 1


def end_with(parent: int) -> Callable[[], None] | None:
    """For `preexec_fn`: the child is killed when its parent ends; None except on Linux.

    https://man7.org/linux/man-pages/man2/PR_SET_PDEATHSIG.2const.html
    """
    if sys.platform != "linux":
        return None
    control = ctypes.CDLL(None).prctl

    def bind() -> None:
        control(_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # the parent ended before the call above
            os._exit(1)

    return bind


def _watched(process: "subprocess.Popen[bytes]", top: Path, limits: TexLimits) -> str:
    """Wait for a process within its limits on time and output; why it was stopped, or ""."""
    begun = looked = time.monotonic()
    most = _size(top) + limits.folder_bytes
    while process.poll() is None:
        time.sleep(_POLL)
        now = time.monotonic()
        if now - begun > limits.wall_seconds:
            return f"it took longer than {limits.wall_seconds:g} seconds"
        if now - looked > _SLOW:
            looked = now
            if _size(top) > most:
                return f"it wrote more than {limits.folder_bytes / 1e6:,.0f} MB"
    if process.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return f"it needed more than {limits.cpu_seconds} seconds of computing time, or was killed"
    if process.returncode == -signal.SIGXFSZ:
        return f"it wrote a file of more than {limits.file_bytes / 1e6:,.0f} MB"
    if process.returncode < 0:
        return f"it crashed ({signal.Signals(-process.returncode).name})"
    return ""


def _size(top: Path) -> int:
    """The total size in bytes of the files below a folder; files that vanish count 0."""
    total = 0
    pending = [str(top)]
    while pending:
        with suppress(OSError), os.scandir(pending.pop()) as items:
            for item in items:
                if item.is_dir(follow_symlinks=False):
                    pending.append(item.path)
                    continue
                with suppress(OSError):
                    total += item.stat(follow_symlinks=False).st_size
    return total


# Constants of Landlock's interface: system calls, the same on every processor, and access rights.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES = 38
_READ, _OF_FILES = 0b1100, 0b100_0000_0000_0110
_SINCE = ((1, 0b1_1111_1111_1110), (2, 1 << 13), (3, 1 << 14))  # all but execute, by version
_NO_TCP = 0b11


class _PathRule(ctypes.Structure):
    """Landlock's `path_beneath_attr`."""

    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("parent", ctypes.c_int32))


def _rules(top: Path, trees: Iterable[Path]) -> int | None:
    """A descriptor of the rules for reading and writing; None if the kernel lacks Landlock."""
    if sys.platform != "linux":
        return None
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(_CREATE, None, 0, 1)
    if version < 1:
        return None
    rights = sum(bits for since, bits in _SINCE if version >= since)
    wanted = (ctypes.c_uint64 * 2)(rights, _NO_TCP if version >= 4 else 0)
    ruleset: int = call(_CREATE, wanted, 16 if version >= 4 else 8, 0)
    if ruleset < 0:
        return None
    for place in (top, *trees):
        with suppress(OSError):
            parent = os.open(place, os.O_PATH | os.O_CLOEXEC)
            allowed = rights if place in (top, Path(os.devnull)) else _READ
            allowed &= rights if place.is_dir() else _OF_FILES
            call(_ADD, ruleset, 1, ctypes.byref(_PathRule(allowed, parent)), 0)
            os.close(parent)
    return ruleset


def _confine(rules: int | None) -> None:
    """Restrict this process to the rules from now on; OSError if that fails."""
    if rules is None:
        return
    own = ctypes.CDLL(None, use_errno=True)
    if own.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) or own.syscall(_RESTRICT, rules, 0):
        raise OSError(ctypes.get_errno(), "TeX cannot be confined")
