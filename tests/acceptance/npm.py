"""Programs and data that npm has, fetched once at a version that is written down."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

_HOME = os.environ.get("HOME", "")  # npm's own settings stand there; the tests' home is empty


def fetched(folder: Path, package: str, version: str) -> Path:
    """The folder of a package; the test is skipped where it cannot be had."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip(f"Node is absent: {package} comes from npm")
    place = folder / "node_modules" / package
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:  # another process may be at it
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            _install(folder, package, version)
    return place


def _install(folder: Path, package: str, version: str) -> None:
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--no-package-lock"]
    command += ["--ignore-scripts", "--prefix", str(folder), f"{package}@{version}"]
    environment = {**os.environ, "HOME": _HOME}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        pytest.skip(f"npm could not fetch {package}: {done.stderr.strip()[-200:]}")
