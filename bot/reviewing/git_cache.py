"""Bare repositories that cache the commits under review; nothing is ever checked out.

Each repository of GitHub has a folder, named by its id. Fetched commits stay under names of their
own, so that the next push fetches little. One process at a time writes to a folder; readers do not
wait.

Runs git on strangers' data, with no configuration but ours and no programs of theirs.

A token reaches git only through the environment, as a header for one origin: it is in no argument,
address or file. Messages of a remote are foreign text and are cut short.
"""

import base64
import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import urlsplit

from bot.domain import comment
from bot.domain.comment import Diff
from bot.domain.forge import GitRemote, GoneError
from pfcore.domain.errors import ConfigError, GitError, IncompleteError
from pfcore.reporters.printing import safe, shortened
from pfcore.repository.git import GitRepository

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,40}(?:/[a-z0-9][a-z0-9-]{0,40}){0,3}")
_GONE = re.compile(r"not our ref|unadvertised object|not found|does not exist", re.IGNORECASE)
_BROKEN = re.compile(
    r"not a git repository|corrupt|bad object|unable to read|missing|packfile|index-pack|shallow",
    re.IGNORECASE,
)
# Attributes of a paper that would hide or transform text are switched off.
_ATTRIBUTES = "* !diff !export-ignore !filter !ident !text !eol !working-tree-encoding !merge\n"
_LEFT_BEHIND = ("*.lock", "objects/pack/tmp_*", "objects/tmp_*", "gc.pid", "*/tmp_obj_*")
_PREFIX = "refs/pf/"
_PACKS = 20
"""How many packs a repository may have before they are repacked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GitCacheLimits:
    """Limits for a repository: seconds for a call and for a lock; bytes of cache and diff.

    `kept` is the age at which unreferenced objects are deleted.
    """

    seconds: float = 300
    wait: float = 600
    bytes: int = 2_000_000_000
    diff_bytes: int = 50_000_000
    kept: str = "1.day.ago"


@dataclass(frozen=True, slots=True, kw_only=True)
class GitBounds:
    """The limits of a call: its time in seconds, and the bytes that it may write.

    `size` returns the bytes on disk so far.
    """

    seconds: float
    most: int
    size: Callable[[], int]


class Repositories:
    """The cached repositories; `is_local`: this machine may be an origin, as in trials."""

    def __init__(
        self, folder: Path, limits: GitCacheLimits | None = None, *, is_local: bool = False
    ) -> None:
        self._folder = folder
        self._limits = limits or GitCacheLimits()
        self._is_local = is_local

    def fetch(self, place: int, origin: GitRemote, refs: Mapping[str, str]) -> GitRepository:
        """A repository with these commits, each stored under its name, such as `7/head`.

        GoneError if a commit or the repository no longer exists; otherwise GitError.
        """
        for name, commit in refs.items():
            _require_plain(name, commit)
        settings = settings_for(origin, is_local=self._is_local)
        with self._locked(place) as held:
            self._had(place, origin.url, refs, settings, held)
            self._tidied(place, held)
        return self._repository(place, refs)

    def diff(self, place: int, base: str, head: str) -> Diff:
        """The lines that a change shows, from the commits alone; empty if that is too long."""
        for commit in (base, head):
            _require_plain("diff", commit)
        options = (
            *("--no-color", "--no-ext-diff", "--no-textconv", "--unified=3", "--find-renames"),
            *("--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules=all"),
        )
        limits = self._limits
        bounds = GitBounds(seconds=limits.seconds, most=limits.diff_bytes, size=lambda: 0)
        try:
            told = run_git(("diff", *options, base, head, "--"), self._path(place), bounds)
        except TooLargeError:
            return Diff({})
        return comment.parse_hunks(told.decode("utf-8", "surrogateescape"))

    def forget(self, place: int, prefix: str) -> None:
        """Drop the commits whose names start so, such as `7`."""
        _require_plain(prefix, "0" * 40)
        with self._locked(place) as held:
            if self._is_there(place):
                names = [name for name in self._refs(place) if name.startswith(f"{prefix}/")]
                for name in names:
                    self._run(place, ("update-ref", "-d", f"{_PREFIX}{name}"), held)

    def erase(self, place: int) -> None:
        """Erase a repository."""
        with self._locked(place):
            self._remove(place)
            self._lock(place).unlink(missing_ok=True)

    def size(self, place: int) -> int:
        """The size of a repository in bytes."""
        return _size(self._path(place))

    def _had(
        self,
        place: int,
        url: str,
        refs: Mapping[str, str],
        settings: Mapping[str, str],
        held: tuple[int, ...],
    ) -> None:
        """Fetch; if the cache is broken or too large, start again with an empty one."""
        is_new = not self._is_there(place)
        try:
            self._fetched(place, url, refs, settings, held)
        except GitError as error:
            is_spoilt = isinstance(error, TooLargeError) or bool(_BROKEN.search(error.message))
            if is_spoilt:
                self._remove(place)
            if _GONE.search(error.message):
                raise GoneError(error.message) from error
            if is_new or not is_spoilt:
                raise
            self._had(place, url, refs, settings, held)

    def _fetched(
        self,
        place: int,
        url: str,
        refs: Mapping[str, str],
        settings: Mapping[str, str],
        held: tuple[int, ...],
    ) -> None:
        """Fetch missing commits; without network access if there are none."""
        self._made(place, next(iter(refs.values())), held)
        known = self._refs(place)
        missing = {commit for commit in refs.values() if commit not in known.values()}
        if missing:
            specs = [f"+{commit}:{_PREFIX}{name}" for name, commit in refs.items()]
            options = ("--no-tags", "--depth=1", "--no-write-fetch-head", "--quiet", "--force")
            fetch = ("fetch", *options, "--no-recurse-submodules", "--end-of-options", url)
            self._run(place, (*fetch, *specs), held, settings)
            return
        for name, commit in refs.items():
            if known.get(name) != commit:
                self._run(place, ("update-ref", f"{_PREFIX}{name}", commit), held)

    def _made(self, place: int, commit: str, held: tuple[int, ...]) -> None:
        """Create the repository if need be, and remove what a killed run has left behind."""
        if self._is_there(place):
            for pattern in _LEFT_BEHIND:
                for path in self._path(place).rglob(pattern):
                    path.unlink(missing_ok=True)
            return
        draft = self._folder / f"{place}.new"
        shutil.rmtree(draft, ignore_errors=True)
        shutil.rmtree(self._path(place), ignore_errors=True)
        draft.mkdir(mode=0o700)
        kind = "sha256" if len(commit) == 64 else "sha1"
        options = ("--bare", "--quiet", "--template=", f"--object-format={kind}")
        run_git(("init", *options, "--initial-branch=none"), draft, self._bounds(place), held=held)
        (draft / "info").mkdir(exist_ok=True)
        (draft / "info" / "attributes").write_text(_ATTRIBUTES, encoding="ascii")
        draft.rename(self._path(place))

    def _refs(self, place: int) -> dict[str, str]:
        """The stored commits by name."""
        form = "--format=%(objectname) %(refname)"
        told = run_git(("for-each-ref", form, _PREFIX), self._path(place), self._bounds(place))
        lines = (line.split(" ", 1) for line in told.decode().splitlines())
        return {name.removeprefix(_PREFIX): commit for commit, name in lines}

    def _tidied(self, place: int, held: tuple[int, ...]) -> None:
        """Repack now and then; a failure does no harm."""
        packs = list((self._path(place) / "objects" / "pack").glob("*.pack"))
        if len(packs) > _PACKS or self.size(place) > self._limits.bytes // 2:
            with suppress(GitError):
                self._run(place, ("gc", "--quiet", f"--prune={self._limits.kept}"), held)

    def _run(
        self,
        place: int,
        arguments: tuple[str, ...],
        held: tuple[int, ...],
        settings: Mapping[str, str] | None = None,
    ) -> bytes:
        bounds = self._bounds(place)
        if settings is None:
            return run_git(arguments, self._path(place), bounds, held=held)
        return run_git(arguments, self._path(place), bounds, settings=settings, held=held)

    def _bounds(self, place: int) -> GitBounds:
        limits = self._limits
        return GitBounds(
            seconds=limits.seconds, most=limits.bytes, size=lambda: _size(self._path(place))
        )

    def _repository(self, place: int, refs: Mapping[str, str]) -> GitRepository:
        path = self._path(place)
        kind = "sha256" if any(len(commit) == 64 for commit in refs.values()) else "sha1"
        return GitRepository(
            root=None,
            git_dir=path,
            common_dir=path,
            object_format=kind,
            seconds=self._limits.seconds,
        )

    def _is_there(self, place: int) -> bool:
        return (self._path(place) / "info" / "attributes").is_file()

    def _remove(self, place: int) -> None:
        """Remove a repository atomically, so that a reader sees all of it or nothing."""
        gone = self._folder / f"{place}.gone"
        shutil.rmtree(gone, ignore_errors=True)
        with suppress(FileNotFoundError):
            self._path(place).rename(gone)
        shutil.rmtree(gone, ignore_errors=True)

    def _path(self, place: int) -> Path:
        if place < 1:
            raise ValueError("a repository's id is a positive integer")
        return self._folder / f"{place}.git"

    def _lock(self, place: int) -> Path:
        return self._folder / f"{place}.lock"

    @contextmanager
    def _locked(self, place: int) -> Iterator[tuple[int, ...]]:
        """Hold the write lock as an open file; IncompleteError if others keep it too long.

        git inherits the file, so that if we are killed, nobody else writes before git has ended.
        """
        self._path(place)
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        end = time.monotonic() + self._limits.wait
        while True:
            file = os.open(self._lock(place), os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _await(file, end)
                if _is_same(file, self._lock(place)):  # otherwise the lock was deleted meanwhile
                    yield (file,)
                    return
            finally:
                os.close(file)


def _await(file: int, end: float) -> None:
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                message = "another process is using this repository; retry later"
                raise IncompleteError(message) from None
            time.sleep(0.05)
        else:
            return


def _is_same(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(f"{parent}/{name}").st_size
    return total


def _require_plain(name: str, commit: str) -> None:
    """Raise GitError for a name or a commit that git could take for something else."""
    if not _NAME.fullmatch(name) or not _COMMIT.fullmatch(commit):
        raise GitError("invalid commit name")


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
    "http.lowSpeedLimit": "1000",  # ends a stalled transfer, even if nobody waits for it any more
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
    # Harmless faults that old tools have left in histories; none leads out of a repository.
    f"{part}.fsck.{name}": "warn"
    for part in ("fetch", "transfer")
    for name in ("badTimezone", "missingSpaceBeforeDate", "zeroPaddedFilemode", "nullSha1")
}
_PAUSE = 0.2
"""The seconds between two looks at how much a process has written."""
_SAID = 2_000


class TooLargeError(GitError):
    """git wrote more than allowed."""


def settings_for(origin: GitRemote, *, is_local: bool) -> dict[str, str]:
    """The settings for fetching from an origin; ConfigError if its address is not allowed.

    `is_local`: this machine may be an origin, over http or as files, as in trials.
    """
    scheme, host = _address(origin.url)
    is_here = scheme == "file" or (scheme == "http" and host in _LOOPBACK)
    if scheme != "https" and not (is_local and is_here):
        raise ConfigError(
            f"begins with {scheme}://, but commits are fetched over https only", path="server_url"
        )
    found = _SETTINGS | {f"protocol.{scheme}.allow": "always"}
    if scheme == "file":
        return found
    if not origin.token.isascii() or not origin.token.isprintable() or " " in origin.token:
        raise GitError("the token for fetching has invalid characters")
    parts = urlsplit(origin.url)
    secret = base64.b64encode(f"x-access-token:{origin.token}".encode()).decode()
    key = f"http.{parts.scheme}://{parts.netloc}/.extraheader"
    return found | {key: f"Authorization: Basic {secret}"}


def _address(url: str) -> tuple[str, str]:
    """The scheme and host of an address that has no credentials, query or fragment."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        _ = parts.port
    except ValueError:
        raise GitError("invalid address to fetch from") from None
    is_plain = url.isascii() and url.isprintable() and not set(url) & set(" \\\"'")
    if not is_plain or "@" in parts.netloc or parts.query or parts.fragment:
        raise GitError("invalid address to fetch from")
    return parts.scheme, host


def run_git(
    arguments: Sequence[str],
    folder: Path,
    bounds: GitBounds,
    *,
    settings: Mapping[str, str] = _SETTINGS,
    held: Sequence[int] = (),
) -> bytes:
    """The output of git; GitError if it fails, takes too long, or writes too much.

    `held` are open files that git inherits: a lock that lasts as long as git runs.
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
        except BaseException:  # also on an interrupt: git would outlive us
            _end(process)
            raise
        if status:
            raise GitError(f"git {arguments[0]} failed: {_reason(said, status, folder)}")
        out.seek(0)
        return out.read()


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of git; each setting is a pair of variables."""
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
    """The exit status; time and disk space are checked while waiting."""
    end = time.monotonic() + bounds.seconds
    while True:
        left = end - time.monotonic()
        try:
            status = process.wait(timeout=max(0.0, min(_PAUSE, left)))
        except subprocess.TimeoutExpired:
            status = None
        if bounds.size() + os.fstat(out.fileno()).st_size > bounds.most:
            raise TooLargeError(f"more than {bounds.most:,} bytes")
        if status is not None:
            return status
        if left <= 0:
            raise GitError(f"git did not finish within {bounds.seconds:g} seconds")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Kill git and all processes that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _reason(said: IO[bytes], status: int, folder: Path) -> str:
    """The line in which git itself gives the reason; messages of the remote are left out.

    The clone's path is left out, too: it is private, and too long for the message.
    """
    said.seek(0)
    lines = said.read(_SAID).decode("utf-8", "replace").splitlines()
    own = [line for line in lines if not line.startswith("remote:")]
    grave = [line for line in own if line.startswith(("fatal:", "error:"))]
    words = (grave or own or [f"exit status {status}"])[0].replace(f"{folder}/", "")
    words = words.replace(f"{folder}", folder.name)
    return shortened(safe(words.removeprefix("fatal: ").removeprefix("error: ")), 200)
