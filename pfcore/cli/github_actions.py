"""What GitHub says of the event that started a job: which commits, and whom one may trust.

Where a job of GitHub Actions puts things down: files, the page of the job, outputs of a step.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from pfcore.cli import environment
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.lazy_regex import regex

DO_NOT_READ = "pf: do not read"
"""The label, and the line of a description, that keep a pull request from being read."""
WITHHELD = (
    f"Not reviewed: a label or a line of the description is “{DO_NOT_READ}”. Remove it, and the "
    "next push or edit has this pull request reviewed."
)
"""What the Action says where that is asked for, as title and as words."""

WRITERS = frozenset(("OWNER", "MEMBER", "COLLABORATOR"))
"""What GitHub calls an author who may be taken at their word."""

DEPENDABOT = "dependabot[bot]"
"""Whose runs get a token that reads, and no key, as those of forks do."""

_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOTHING = regex(r"0+")


class ActionsEventKind(StrEnum):
    """What happened; of a fork's pull request nobody with a key may read what its run brought.

    A tag, also that of a release, names a version of the whole paper: nothing is compared with it,
    and nothing is told but on the page of its run, as its commit may be a pull request's.
    """

    PULL_REQUEST = "pull_request"
    FORK = "fork"
    PUSH = "push"
    DISPATCH = "dispatch"
    TAG = "tag"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionsEvent:
    """The commit under review, and the one whose settings, answers and ledger count.

    `before` is the commit that it is compared with, or that it parted from; None: the whole paper
    is meant. `number` is that of the pull request, and `base_ref` the branch that it is for;
    `is_default`: the default branch was pushed to; `is_withheld`: somebody who may write here wants
    no reading. `left` is the commit that was the head of the pull request until now;
    `at` is when the pull request changed, as GitHub writes times. `was` is what the branch of a
    push was at, and `pushed` when it was pushed to, in seconds since 1970.
    """

    kind: ActionsEventKind
    head: str
    trusted: str
    before: str | None
    number: int | None = None
    base_ref: str | None = None
    is_default: bool = False
    is_withheld: bool = False
    left: str | None = None
    at: str | None = None
    was: str | None = None
    pushed: float = 0.0


def says_do_not_read(words: str | None) -> bool:
    """Whether a description has a line of its own that asks for no reading."""
    return any(line.strip().lower() == DO_NOT_READ for line in (words or "").splitlines())


def event(environ: Mapping[str, str]) -> ActionsEvent:
    """The event of this job; UsageError where there is none that can be reviewed."""
    name = environ.get("GITHUB_EVENT_NAME", "")
    payload = _payload(environ.get("GITHUB_EVENT_PATH", ""))
    if name == "pull_request":
        return _pull_request(payload)
    if name == "push":
        return _push(payload)
    if name == "merge_group":
        group = payload.get("merge_group") or {}
        base = _commit(group.get("base_sha"))
        return ActionsEvent(
            kind=ActionsEventKind.PUSH,
            head=_commit(group.get("head_sha")),
            trusted=base,
            before=base,
        )
    if name in _WHOLE:
        return _dispatch(payload, _commit(environ.get("GITHUB_SHA")), environ.get("GITHUB_REF"))
    if name in _NAMING:
        return _named(payload, _commit(environ.get("GITHUB_SHA")))
    raise UsageError(
        f"the event '{name}' is not reviewed: use pull_request, push, merge_group, release, "
        "create, schedule, workflow_dispatch or repository_dispatch"
    )


_WHOLE = ("workflow_dispatch", "repository_dispatch", "schedule")
_NAMING = ("release", "create")
"""Events that give a commit a name: that of a tag, or (`create`) of a branch."""


def _named(payload: Mapping[str, Any], head: str) -> ActionsEvent:
    """A tag, which means the whole paper; or a branch, which counts as its push would."""
    trusted = f"refs/remotes/origin/{_default(payload)}"
    is_branch = payload.get("ref_type") == "branch"
    return ActionsEvent(
        kind=ActionsEventKind.PUSH if is_branch else ActionsEventKind.TAG,
        head=head,
        trusted=trusted,
        before=trusted if is_branch else None,
    )


def _payload(path: str) -> Mapping[str, Any]:
    if not path:
        raise UsageError("GITHUB_EVENT_PATH is not set: pf ci runs in GitHub Actions only")
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        why = f"{path} cannot be read ({error.strerror})"
        raise UsageError(f"GITHUB_EVENT_PATH has no valid event: {why}") from error
    except ValueError as error:
        raise UsageError(f"GITHUB_EVENT_PATH has no valid event: {path}: {error}") from error
    if not isinstance(found, dict):
        raise UsageError("GITHUB_EVENT_PATH has no valid event")
    return found


def _pull_request(payload: Mapping[str, Any]) -> ActionsEvent:
    pull = payload.get("pull_request") or {}
    head, base = pull.get("head") or {}, pull.get("base") or {}
    # By ids, as a repository may be renamed. None: the fork was deleted.
    theirs = (head.get("repo") or {}).get("id")
    ours = (payload.get("repository") or {}).get("id")
    trusted = _commit(base.get("sha"))
    return ActionsEvent(
        kind=ActionsEventKind.PULL_REQUEST if theirs and theirs == ours else ActionsEventKind.FORK,
        head=_commit(head.get("sha")),
        trusted=trusted,
        before=trusted,
        number=int(pull["number"]),
        base_ref=base.get("ref"),
        is_withheld=_is_withheld(pull),
        left=_left(payload),
        at=pull.get("closed_at") or pull.get("updated_at"),
    )


def _left(payload: Mapping[str, Any]) -> str | None:
    """The head that a pull request had until it was pushed to."""
    before = str(payload.get("before"))
    return before if payload.get("action") == "synchronize" and _COMMIT.fullmatch(before) else None


def _is_withheld(pull: Mapping[str, Any]) -> bool:
    """Whether a label says so, which only people with rights put there, or such an author."""
    labels = [item.get("name") for item in pull.get("labels") or [] if isinstance(item, dict)]
    is_author = pull.get("author_association") in WRITERS
    return DO_NOT_READ in labels or (is_author and says_do_not_read(pull.get("body")))


def _push(payload: Mapping[str, Any]) -> ActionsEvent:
    """A push to another branch, or of a tag, counts as much as its pull request would."""
    branch = _default(payload)
    is_default = payload.get("ref") == f"refs/heads/{branch}"
    after = payload.get("after")
    if str(payload.get("ref")).startswith("refs/tags/"):  # one with words is an object of its own
        after = (payload.get("head_commit") or {}).get("id") or after
    head, pushed = _commit(after), (payload.get("repository") or {}).get("pushed_at")
    before = str(payload.get("before") or "")
    found = ActionsEvent(
        kind=ActionsEventKind.PUSH,
        head=head,
        trusted=head,
        before=None if not is_default or _NOTHING.fullmatch(before) else _commit(before),
        is_default=is_default,
        was=before if _COMMIT.fullmatch(before) and not _NOTHING.fullmatch(before) else None,
        pushed=float(pushed) if isinstance(pushed, int) else 0.0,
    )
    trusted = f"refs/remotes/origin/{branch}"
    return found if is_default else replace(found, trusted=trusted, before=trusted)


def _default(payload: Mapping[str, Any]) -> str:
    return str((payload.get("repository") or {}).get("default_branch") or "")


def _dispatch(payload: Mapping[str, Any], here: str, ref: str | None) -> ActionsEvent:
    """A maintainer names the commit that was looked at, or means the whole paper."""
    named = str((payload.get("inputs") or {}).get("head") or "").strip()
    if not named:
        is_default = ref == f"refs/heads/{_default(payload)}"
        return ActionsEvent(
            kind=ActionsEventKind.DISPATCH,
            head=here,
            trusted=here,
            before=None,
            is_default=is_default,
        )
    if not _COMMIT.fullmatch(named):
        raise UsageError("head must be a full commit id (40 characters)")
    return ActionsEvent(kind=ActionsEventKind.DISPATCH, head=named, trusted=here, before=here)


def _commit(value: object) -> str:
    if isinstance(value, str) and _COMMIT.fullmatch(value) and not _NOTHING.fullmatch(value):
        return value
    raise UsageError("the event has no commit")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tray:
    """Where things of a job are put down, and what may be shown."""

    out: Path
    environ: Mapping[str, str]
    is_private: bool

    def file(self, name: str, text: str) -> None:
        """A file for later steps."""
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            environment.replace(self.out / name, text.encode("utf-8", "replace"))
        except OSError as error:
            raise IncompleteError(f"{self.out} cannot be written: {error.strerror}") from error

    def summary(self, text: str) -> None:
        """A part of the page that GitHub shows for the job."""
        self._append("GITHUB_STEP_SUMMARY", f"{text}\n")

    def outputs(self, **values: str) -> None:
        """Outputs of the step; none has a line break."""
        self._append("GITHUB_OUTPUT", "".join(f"{key}={value}\n" for key, value in values.items()))

    def _append(self, name: str, text: str) -> None:
        if place := self.environ.get(name):
            with Path(place).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
