"""`pf init`: writes the files with which a repository uses pf-verify, and removes them again.

Nothing is overwritten, nothing is written through a link, and no model, key or budget is named.
The first line of each file has the digest of the rest, to recognise an unchanged file.
"""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pfcore.cli.environment import replace
from pfcore.cli.github_actions import DO_NOT_READ
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.installation import Origin
from pfcore.domain.lazy_regex import regex
from pfcore.repository.git import GitRepository, find_repository, version

_HEAD = "# Written by pf init; digest of what follows: "
_HOOK = """\
default_install_hook_types: [pre-commit, pre-merge-commit, pre-push]
repos:
  - repo: {url}
    rev: {rev}
    hooks:
      - id: pf-verify
        verbose: true  # also shows warnings of a commit that passes
"""
_WORKFLOW = """\
name: proofs
on:
  pull_request: # edited: the base was changed; labeled: not to be read
    types: [opened, synchronize, reopened, edited, ready_for_review, labeled, unlabeled, closed]
  merge_group:
  push: {{ branches: [{branch}] }}
permissions: {{}}
jobs:
  review:
    if: "${{{{ github.event.action != 'closed' &&
      (github.event.label.name || '{label}') == '{label}' }}}}"
    uses: {project}/.github/workflows/review.yml@{rev}
    permissions:
      {{ actions: read, contents: read, checks: write, issues: write, pull-requests: write }}
  closing: # another pull request may have the same head commit
    if: ${{{{ github.event.action == 'closed' || github.event.action == 'synchronize' }}}}
    uses: {project}/.github/workflows/closing.yml@{rev}
    permissions: {{ checks: write, pull-requests: read }}
  base: # a push may change what open pull requests are compared with
    if: ${{{{ github.event_name == 'push' }}}}
    uses: {project}/.github/workflows/base.yml@{rev}
    permissions: {{ actions: write, checks: write, contents: read, pull-requests: read }}
"""
_CONFIG = """\
# Settings of pf-verify; all are optional.
[checks]
disable = []  # ids from "pf checks"
"""
_MERGE = "pf.lock merge=union\n"
_GITHUB = regex(r"https://github\.com/([A-Za-z0-9-]+/[A-Za-z0-9._-]+?)(?:\.git)?/?")
_ADDRESS = regex(r"(?:https|ssh)://[A-Za-z0-9@:._~/-]+")
_REVISION = regex(r"[A-Za-z0-9][A-Za-z0-9._/-]*")
PLACES = {
    "hook": ".pre-commit-config.yaml",
    "workflow": ".github/workflows/proofs.yml",
    "config": "pf.toml",
    "merge": ".gitattributes",
}
"""What can be written, and where."""
_QUESTIONS = {
    "hook": "Check each commit with pre-commit?",
    "workflow": "Check pull requests with GitHub Actions (structure only, no model)?",
    "config": "Write a pf.toml with the defaults?",
    "merge": "Let git merge pf.lock line by line?",
}

Ask = Callable[[str], bool | None]
Echo = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class InitOptions:
    """The options of `pf init`: the wanted files (none: ask), and whether to skip the question.

    `origin` is the repository and version of pf-verify; None if this installation has no record.
    """

    path: Path
    wanted: tuple[str, ...]
    is_agreed: bool
    is_undone: bool
    origin: Origin | None


def init(options: InitOptions, echo: Echo, ask: Ask) -> int:
    """Show the files, ask for agreement and write them; or remove what was written."""
    repository = find_repository(options.path)
    if repository is None:
        version()  # raises GitError if git is missing, which is another reason
        raise UsageError(f"not a git repository: {options.path}")
    if repository.root is None:
        advice = "it has no working tree; run pf init in a clone of it"
        raise repository.without_files(options.path, advice)
    root = repository.root
    if options.is_undone:
        removed = list(_undone(root)) or ["Nothing to remove."]
        echo("".join(f"{line}\n" for line in removed))
        return 0
    kinds = options.wanted or (
        tuple(PLACES) if options.is_agreed else _chosen(options, root, echo, ask)
    )
    files, lost = _files(kinds, options, _branch(repository), root)
    for name, reason in lost.items():
        echo(f"{_lost(root / name, name, reason)}\n")
    fresh = {name: data for name, data in files.items() if not os.path.lexists(root / name)}
    for name in files.keys() - fresh.keys():
        lines = "".join(f"  {line}\n" for line in files[name].decode().splitlines()[1:])
        echo(f"{name} already exists and was left unchanged. To add by hand:\n{lines}")
    left = [name for name, reason in lost.items() if reason]
    left += [name for name in files if name not in fresh and not _mentions_us(root / name)]
    if not fresh and not lost and not left:
        echo("Nothing to write.\n")
        return 0
    if fresh:
        _write_agreed(fresh, root, options, echo, ask)
    if left:
        raise IncompleteError(f"not written: {', '.join(left)}")
    return 0


def _write_agreed(
    fresh: dict[str, bytes], root: Path, options: InitOptions, echo: Echo, ask: Ask
) -> None:
    """Show new files, ask for agreement, and write all of them or none."""
    for name in fresh:
        _require_folders(root, name)
    for name, data in fresh.items():
        echo(f"{name}:\n" + "".join(f"  {line}\n" for line in data.decode().splitlines()) + "\n")
    _require_agreement(options, len(fresh), ask)
    made: list[Path] = []
    try:
        for name, data in fresh.items():
            _write(root, name, data, made)
    except (UsageError, IncompleteError):
        for place in reversed(made):
            with suppress(OSError):  # another process has put something there
                place.rmdir() if place.is_dir() else place.unlink()
        raise
    echo("".join(f"Wrote {name}.\n" for name in fresh))
    for name in fresh:
        echo(_TO_DO.get(name, ""))
    echo("pf init --undo removes files that you have not changed.\n")


def _files(
    kinds: tuple[str, ...], options: InitOptions, branch: str, root: Path
) -> tuple[dict[str, bytes], dict[str, str]]:
    """The texts by file name, and why other files have none; UsageError if none has a text."""
    files: dict[str, bytes] = {}
    lost: dict[str, str] = {}
    for kind in kinds:
        name = PLACES[kind]
        try:
            files[name] = file_text(kind, options.origin, branch)
        except UsageError as error:
            is_there = os.path.lexists(root / name)
            if not is_there and not files and kind == kinds[-1]:
                raise
            lost[name] = "" if _mentions_us(root / name) else _reason(error)
    return files, lost


def _mentions_us(place: Path) -> bool:
    """Whether an existing file seems to contain what would be written, by its words.

    A `pf.toml` always counts.
    """
    return place.name == PLACES["config"] or (
        place.is_file()
        and any(name in place.read_bytes() for name in (b"pf-verify", b"pf init", b"pf.lock"))
    )


def _lost(place: Path, name: str, reason: str) -> str:
    """The message about a file without a text; `reason` is "" if nothing has to be added."""
    if not os.path.lexists(place):
        return f"Cannot write {name}: {reason}."
    kept = f"{name} already exists and was left unchanged."
    return f"{kept} Cannot show the lines to add by hand: {reason}." if reason else kept


def _reason(error: UsageError) -> str:
    """Why a file cannot be written, without the advice for a user who named it."""
    return error.message.partition(_WITHOUT)[0]


_UNKNOWN = (
    "the repository and version of this installation are unknown. Add --from URL@REVISION; in the "
    "clone that you installed from, git remote get-url origin and git rev-parse HEAD print them"
)


_WITHOUT = ". Or leave out --"


_TO_DO = {
    PLACES["hook"]: "To turn the hook on: pip install pre-commit && pre-commit install\n",
    PLACES["workflow"]: "To turn the workflow on, commit and push it; "
    "pf help together says which checks to require.\n",
}
"""What the user has to do before a file takes effect."""
_USUAL_BRANCH = "main"
_BRANCH = regex(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


def _branch(repository: GitRepository) -> str:
    """The default branch, as far as the clone knows it."""
    found = (repository.default_branch() or _USUAL_BRANCH).removeprefix("origin/")
    return found if _BRANCH.fullmatch(found) else _USUAL_BRANCH


def file_text(kind: str, origin: Origin | None, branch: str = _USUAL_BRANCH) -> bytes:
    """A file's content; UsageError if it needs an origin that is unknown or unusable."""
    text = {"config": _CONFIG, "merge": _MERGE}.get(kind)
    if text is None:
        if origin is None or not (
            _ADDRESS.fullmatch(origin.url) and _REVISION.fullmatch(origin.revision)
        ):
            raise UsageError(f"{_UNKNOWN}{_WITHOUT}{kind}. Nothing was written")
        project = _GITHUB.fullmatch(origin.url)
        if kind == "workflow" and project is None:
            raise UsageError(f"--workflow needs a repository on GitHub, not {origin.url}")
        template = _HOOK if kind == "hook" else _WORKFLOW
        name = project[1] if project else ""
        named = {"url": origin.url, "rev": origin.revision, "project": name, "branch": branch}
        named["label"] = DO_NOT_READ
        text = template.format(**named)
    body = text.encode()
    return _head(body) + body


def _head(body: bytes) -> bytes:
    return f"{_HEAD}{sha256(body).hexdigest()}\n".encode()


def _chosen(options: InitOptions, root: Path, echo: Echo, ask: Ask) -> tuple[str, ...]:
    """The kinds that the user chooses; those that cannot be written are reported instead."""
    found = []
    for kind, question in _QUESTIONS.items():
        try:
            file_text(kind, options.origin)
        except UsageError as error:
            echo(f"{_lost(root / PLACES[kind], PLACES[kind], _reason(error))}\n")
            continue
        answer = ask(f"{question} ({PLACES[kind]})")
        if answer is None:
            flags = ", ".join(f"--{name}" for name in PLACES)
            raise UsageError(f"not a terminal: choose what to write ({flags}), and add --yes")
        found += [kind] if answer else []
    return tuple(found)


def _require_agreement(options: InitOptions, count: int, ask: Ask) -> None:
    if options.is_agreed:
        return
    answer = ask(f"Write {'this file' if count == 1 else f'these {count} files'}?")
    if answer is None:
        raise UsageError("not a terminal: confirm with --yes")
    if not answer:
        raise IncompleteError("cancelled: nothing was written")


def _require_folders(root: Path, name: str) -> None:
    """UsageError if a parent of the file is a link, or not a folder."""
    folder = root
    for part in Path(name).parts[:-1]:
        folder /= part
        if folder.is_symlink():
            raise UsageError(f"cannot write {name}: {folder} is a symbolic link; nothing written")
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"cannot write {name}: {folder} is not a folder; nothing written")


def _write(root: Path, name: str, data: bytes, made: list[Path]) -> None:
    """Create a new file, whole or not at all; adds the created paths to `made`."""
    _require_folders(root, name)
    try:
        for folder in reversed([root / above for above in Path(name).parents]):
            if not folder.exists():
                folder.mkdir()
                made.append(folder)
        if os.path.lexists(root / name):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        replace(root / name, data)
        made.append(root / name)
    except OSError as error:
        raise IncompleteError(f"cannot write {root / name}: {error.strerror}") from error


def _undone(root: Path) -> Iterator[str]:
    """Remove each unchanged file; a sentence about each."""
    for name in PLACES.values():
        place = root / name
        parts = Path(name).parts
        inside = [root.joinpath(*parts[:n]) for n in range(1, len(parts) + 1)]
        if any(one.is_symlink() for one in inside) or not os.path.lexists(place):
            continue
        if stat.S_ISREG(place.lstat().st_mode) and _is_as_written(place.read_bytes()):
            place.unlink()
            for folder in inside[-2::-1]:
                with suppress(OSError):  # it still has other files
                    folder.rmdir()
            yield f"Removed {name}."
        else:
            yield f"{name} was changed, or was not written by pf init: left unchanged."


def _is_as_written(data: bytes) -> bool:
    first, _, body = data.partition(b"\n")
    return first + b"\n" == _head(body)
