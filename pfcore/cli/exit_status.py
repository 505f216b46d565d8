"""How an entry point ends: the exit status, and the messages for exceptions."""

import codecs
import errno
import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from pfcore.domain.errors import PfError


def run_entry_point(name: str, run: Callable[[], int]) -> int:
    """Run a command under its name; 0 clean, 1 findings, 2 usage, 3 not reviewed, 4 internal.

    If the output cannot be written, the status is 3, not reviewed.
    """
    gc.disable()  # a command ends before a collection would pay off
    if sys.stdin is None:  # closed by the caller
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 - until the exit
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - see above
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - see above
        tell(f"{name}: cannot write output: stdout is closed\n")
        return 3
    try:
        try:
            status = run()
        finally:  # also after a help text, which ends the command
            sys.stdout.flush()
    except PfError as error:
        tell(f"{name}: {visible(error.message)}\n")
        return error.exit_status
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the exit
        return 3
    except KeyboardInterrupt:
        tell(f"{name}: interrupted\n")
        return 130
    except Exception as error:  # noqa: BLE001 - the entry point: exit status 4, traceback kept
        if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - see above
            tell(f"{name}: cannot write output: no space left\n")
            return 3
        if isinstance(error, FileNotFoundError) and _is_folder_gone():
            tell(f"{name}: the current folder no longer exists: change to another\n")
            return 2
        import traceback

        lines = traceback.format_exc().splitlines()
        tell("".join(f"{visible(line)}\n" for line in lines))
        tell(f"{name}: internal error; please report it, with the traceback\n")
        return 4
    return status


def _is_folder_gone() -> bool:
    try:
        Path.cwd()
    except FileNotFoundError:
        return True
    return False


def tell(text: str) -> None:
    """Write to stderr; if that fails, only the exit status tells."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the exit


def visible(text: str) -> str:
    """A text on one line without control characters: `\\x1b` for an escape.

    Errors quote text that others wrote, which could otherwise control the terminal.
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter == "\xa0" else repr(letter)[1:-1]
        for letter in text
    )


def exit_with(main: Callable[[], int]) -> NoReturn:
    """Run a command and exit at once, because freeing a large paper's values takes a while."""
    _begin_in_utf8()
    try:
        status = main()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 2
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def _begin_in_utf8() -> None:
    """Restart in UTF-8 mode if Python would decode file names in another encoding.

    git's names are UTF-8, whatever the locale; the output keeps the locale's encoding.
    """
    is_needed = os.name == "posix" and codecs.lookup(sys.getfilesystemencoding()).name != "utf-8"
    if is_needed and not sys.flags.utf8_mode and sys.executable and sys.stdout is not None:
        os.environ.setdefault("PYTHONIOENCODING", f"{sys.stdout.encoding}:replace")
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - ourselves


def pf() -> NoReturn:
    """The console script `pf`; it handles an interrupt even while its modules are loaded."""
    exit_with(partial(run_entry_point, "pf", lambda: int(import_module("pfcore.cli.main").main())))


def pf_command() -> str:
    """How `pf` must be typed here, so that a hint can be run as printed."""
    import shlex
    import shutil

    beside = Path(sys.executable).with_name("pf")
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    if "PRE_COMMIT" in os.environ:  # then PATH begins with the hook's own folder
        theirs = os.pathsep.join(one for one in folders if Path(one) != beside.parent)
        found = shutil.which("pf", path=theirs)
        is_ours = found is not None and Path(found).with_name("pf-verify").exists()
    else:
        found = shutil.which("pf")
        is_ours = found is not None and Path(found).resolve() == beside.resolve()
    if is_ours:
        return "pf"
    there = shutil.which(str(beside))
    home = f"{os.environ.get('HOME', '')}/"
    if there and home != "/" and there.startswith(home):
        return f"~/{shlex.quote(there.removeprefix(home))}"
    return shlex.quote(there) if there else "pf"


def say(text: str) -> None:
    """Print a text; characters that the console cannot show are replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
