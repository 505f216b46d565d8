"""Runs `pf gate --bundle` again and again in this folder, and kills it at each moment in turn.

Each run is a fork that an audit hook ends by SIGKILL at its n-th change of a file; what is printed
are the change and what it left, one line of JSON for each that left something else than the one
before, and the run after it counts too.
"""

import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from pfcore.cli import upload_bundle
from pfcore.cli.commands import gate_command
from pfcore.cli.main import main

OUT, TARGET = Path("pf-gate"), Path("up.tar.gz")
ARGUMENTS = ["gate", "--allow-unread", "--force", "--bundle", str(TARGET)]
CHANGES = frozenset(
    "open os.rename os.remove os.mkdir os.rmdir shutil.rmtree tempfile.mkdtemp".split()
)


def run(moment: int | None, told: int | None = None) -> int:
    """Run the command in a process of its own; its status as `waitpid` gives it."""
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    if moment is not None:
        left = [moment]

        def hook(event: str, values: tuple[object, ...]) -> None:
            if event not in CHANGES or isinstance(values[0], int):
                return  # a descriptor is a pipe's
            if event == "open" and not isinstance(values[2], int):
                return
            if event == "open" and not int(str(values[2])) & (os.O_WRONLY | os.O_RDWR):
                return
            left[0] -= 1
            if left[0] < 0:
                os.write(told or 2, f"{event} {values[0]}".encode())
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(hook)
    os._exit(main(ARGUMENTS))


def killed_at(moment: int) -> str | None:
    """Run and kill; what was about to be done, None where it came to its end before."""
    reading, writing = os.pipe()
    status = run(moment, writing)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    return said if os.WIFSIGNALED(status) else None


def state(before: bytes | None) -> dict[str, object]:
    """What lies there: the bundle as before, none or another; whether the record counts."""
    data = TARGET.read_bytes() if TARGET.exists() else None
    has_all = all((OUT / name).is_file() for name in gate_command.FILES)
    return {
        "bundle": "none" if data is None else "whole" if data == before else "broken",
        "record": "none" if not (OUT / "result.json").exists() else "all" if has_all else "part",
    }


def scenario(folder: str) -> None:
    """All moments, each from an empty folder."""
    upload_bundle.cleaned = lambda texts, **_: dict(texts)  # else a process
    tempfile.gettempdir()  # it tries whether a file can be written, once a process
    if run(None):
        raise SystemExit("the paper does not pass")
    whole = TARGET.read_bytes()
    before: list[tuple[str, int]] = []
    for moment in range(1_000):
        TARGET.unlink(missing_ok=True)
        shutil.rmtree(OUT, ignore_errors=True)
        event = killed_at(moment)
        if event is None:
            return
        now = _files(Path(folder), OUT, Path())
        if now == before:
            continue  # it has left what the moment before has left
        before = now
        after = state(whole)
        again = run(None)
        left = [item.name for item in Path(folder).iterdir()]
        hidden = (item.name for item in (*Path().iterdir(), *OUT.iterdir()) if item.name[0] == ".")
        left += [name for name in hidden if name not in (".git", ".gitignore")]
        found = {"event": event, **after, "again": again, **_then(whole), "left": left}
        sys.stdout.write(f"{json.dumps(found)}\n")
    raise SystemExit("it does not come to an end")


def _files(*folders: Path) -> list[tuple[str, int]]:
    """The names of what lies there, without numbers of processes and of chance, and the sizes."""
    return sorted(
        (item.name.rstrip("0123456789") if item.parent != folders[0] else "", item.stat().st_size)
        for folder in folders
        if folder.is_dir()
        for item in folder.iterdir()
    )


def _then(whole: bytes) -> dict[str, object]:
    return {f"then {name}": value for name, value in state(whole).items()}


if __name__ == "__main__":
    scenario(os.environ["TMPDIR"])
