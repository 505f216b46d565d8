"""The command that adds an optional part of pf-verify to the running installation.

Until the package is published, a command that takes it from an index fails. So the command names
the place that this installation came from (PEP 610).
"""

import json
import shlex
import shutil
import sys
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

_NAME = "pf-verify"


class Origin(NamedTuple):
    """The repository and revision that an installation came from."""

    url: str
    revision: str


def recorded_origin() -> Origin | None:
    """Where this installation came from, if that was a git repository; else None."""
    try:
        recorded = distribution(_NAME).read_text("direct_url.json")
        told = json.loads(recorded or "{}")
        url, commit = str(told["url"]), str(told["vcs_info"]["commit_id"])
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return None
    return Origin(url, commit)


def install_command(*extras: str) -> str:
    """The command that adds these extras to the running environment."""
    named = ",".join(extras)
    try:
        recorded = distribution(_NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    installer, wanted = _installer(), _requirement(recorded, named)
    folder = wanted.removeprefix("-e ").strip("'").removesuffix(f"[{named}]")
    is_of_pip = installer.endswith(" -m pip install")
    if not is_of_pip or not Path(folder, _PINNED).is_file():
        return f"{installer} {wanted}"
    option = "-e " * wanted.startswith("-e ")
    return f"cd {shlex.quote(folder)} && {installer} -q -c {_PINNED} {option}'.[{named}]'"


_PINNED = "constraints.txt"
"""The file of pinned versions in a clone."""


def _installer() -> str:
    """The installer that can reach this environment; environments of uv and pipx may lack pip."""
    python = shlex.quote(sys.executable)
    if find_spec("pip") is not None:
        return f"{python} -m pip install"
    is_pipx = shutil.which("uv") is None and shutil.which("pipx") is not None
    return "pipx install --force" if is_pipx else f"uv pip install --python {python}"


def _requirement(recorded: str | None, extras: str) -> str:
    """The argument for an installer: a folder, a repository at a commit, or a package name."""
    try:
        origin = json.loads(recorded or "{}")
        url = str(origin.get("url", ""))
    except (ValueError, AttributeError):
        return shlex.quote(f"{_NAME}[{extras}]")
    if "dir_info" in origin and url.startswith("file:"):
        editable = "-e " if origin["dir_info"].get("editable") else ""
        return editable + shlex.quote(f"{_path(url)}[{extras}]")
    if "vcs_info" in origin:
        info = origin["vcs_info"]
        commit = info.get("commit_id") or info.get("requested_revision") or ""
        at = f"@{commit}" if commit else ""
        return shlex.quote(f"{_NAME}[{extras}] @ {info.get('vcs', 'git')}+{url}{at}")
    if url:
        return shlex.quote(f"{_NAME}[{extras}] @ {url}")
    return shlex.quote(f"{_NAME}[{extras}]")


def _path(url: str) -> str:
    path = unquote(urlsplit(url).path)
    is_drive = sys.platform == "win32" and path[2:3] == ":"
    return path[1:] if is_drive else path
