"""Runs git where strangers have written: no configuration but ours, no program of theirs.

A token reaches git through its environment alone, as a header for one origin: it is in no argument,
no address and no file. What git says of a remote is somebody else's text and stays short.
"""

import base64
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from bot.domain.forge import GitRemote
from pfcore.domain.errors import GitError
from pfcore.reporters.printing import safe, shortened

_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_PASSED = (
    *("PATH", "TMPDIR", "SYSTEMROOT", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"),
    *("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy"),
)
_SETTINGS = {
    "core.hooksPath": os.devnull,
    "core.attributesFile": os.devnull,
    "core.fsmonitor": "false",
    "core.askPass": "",
    "credential.helper": "",
    "credential.interactive": "never",
    "protocol.allow": "never",
    "http.followRedirects": "false",
    "http.sslVerify": "true",
    "http.lowSpeedLimit": "1000",  # what hangs ends, even when nobody waits for it any more
    "http.lowSpeedTime": "30",
    "transfer.fsckObjects": "true",
    "fetch.fsckObjects": "true",
    "transfer.unpackLimit": "1",
    "fetch.recurseSubmodules": "false",
    "submodule.recurse": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "diff.renames": "true",
    "core.quotePath": "true",
} | {
    # Slips of old tools, which histories carry for ever; none of them leads out of a repository.
    f"{part}.fsck.{name}": "warn"
    for part in ("fetch", "transfer")
    for name in ("badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode", "nullSha1")
}
_PAUSE = 0.2
"""Seconds between two looks at what a process has written."""
_SAID = 2_000


class TooLargeError(GitError):
    """What git wrote is more than is allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitBounds:
    """How long a call may take, in seconds, and how much it may write, in bytes.

    `size` tells how much that is by now.
    """

    seconds: float
    most: int
    size: Callable[[], int]


def settings_for(origin: GitRemote, *, is_local: bool) -> dict[str, str]:
    """The settings with which one origin may be fetched from; GitError where none may.

    `is_local`: this machine may be one, over http or as files, as where all is tried out.
    """
    scheme, host = _address(origin.url)
    is_here = scheme == "file" or (scheme == "http" and host in _LOOPBACK)
    if scheme != "https" and not (is_local and is_here):
        raise GitError("commits are fetched over https only")
    found = _SETTINGS | {f"protocol.{scheme}.allow": "always"}
    if scheme == "file":
        return found
    if not origin.token.isascii() or not origin.token.isprintable() or " " in origin.token:
        raise GitError("the token for fetching has signs that no token has")
    parts = urlsplit(origin.url)
    secret = base64.b64encode(f"x-access-token:{origin.token}".encode()).decode()
    key = f"http.{parts.scheme}://{parts.netloc}/.extraheader"
    return found | {key: f"Authorization: Basic {secret}"}


def _address(url: str) -> tuple[str, str]:
    """Scheme and host of an address that holds nothing else that counts."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise GitError("this is no address to fetch from") from None
    is_plain = url.isascii() and url.isprintable() and not set(url) & set(" \\\"'")
    if not is_plain or "@" in parts.netloc or parts.query or parts.fragment:
        raise GitError("this is no address to fetch from")
    return parts.scheme, host


def run_git(
    arguments: Sequence[str],
    folder: Path,
    bounds: GitBounds,
    *,
    settings: Mapping[str, str] = _SETTINGS,
    held: Sequence[int] = (),
) -> bytes:
    """What git prints; GitError where it fails, takes too long, or writes too much.

    `held` are open files that git keeps open, too: a lock that outlives us as long as git does.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(
                ["git", f"--git-dir={folder}", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=said,
                cwd=folder,
                env=_environment(settings),
                pass_fds=held,
                start_new_session=True,
            )
        except OSError as error:
            raise GitError(f"git could not be started ({error.strerror})") from error
        try:
            status = _awaited(process, bounds, out)
        except BaseException:
            _end(process)
            raise
        if status:
            raise GitError(f"git {arguments[0]} failed: {_reason(said, status)}")
        out.seek(0)
        return out.read()


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """All that git gets to know; each setting as a pair of variables."""
    found = {name: os.environ[name] for name in _PASSED if name in os.environ}
    found |= {
        "LC_ALL": "C",
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_PAGER": "cat",
        "GIT_CONFIG_COUNT": str(len(settings)),
    }
    for number, (key, value) in enumerate(settings.items()):
        found |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    return found


def _awaited(process: "subprocess.Popen[bytes]", bounds: GitBounds, out: IO[bytes]) -> int:
    """The exit status; while it is awaited, time and room are looked at."""
    end = time.monotonic() + bounds.seconds
    while True:
        left = end - time.monotonic()
        try:
            status = process.wait(timeout=max(0.0, min(_PAUSE, left)))
        except subprocess.TimeoutExpired:
            status = None
        if bounds.size() + os.fstat(out.fileno()).st_size > bounds.most:
            raise TooLargeError(f"this is more than {bounds.most:,} bytes")
        if status is not None:
            return status
        if left <= 0:
            raise GitError(f"git did not finish within {bounds.seconds:g} seconds")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End git and whatever it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _reason(said: IO[bytes], status: int) -> str:
    """The line of git's own that says why; of what the remote says nothing is passed on."""
    said.seek(0)
    lines = said.read(_SAID).decode("utf-8", "replace").splitlines()
    own = [line for line in lines if not line.startswith("remote:")]
    grave = [line for line in own if line.startswith(("fatal:", "error:"))]
    words = (grave or own or [f"exit status {status}"])[0]
    return shortened(safe(words.removeprefix("fatal: ").removeprefix("error: ")), 200)
