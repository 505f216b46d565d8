"""The event that started a job of GitHub Actions: which commits, and whom to trust.

Also the places for a job's results: files, the page of the job, outputs of a step.
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
    f"Not reviewed: a label or a line of the description is “{DO_NOT_READ}”. Once it is "
    "removed, the next push or edit starts a review."
)
"""What the Action then prints, both as title and as text."""

WRITERS = frozenset(("OWNER", "MEMBER", "COLLABORATOR"))
"""GitHub's names for authors who are trusted."""

DEPENDABOT = "dependabot[bot]"
"""The actor whose runs get a read-only token and no key, like those of forks."""

_COMMIT = regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_NOTHING = regex(r"0+")


class ActionsEventKind(StrEnum):
    """The kind of event; no job with a key may read results of a fork's pull request.

    A tag, also that of a release, means the whole paper: it is compared with nothing, and reported
    only on the page of its run, because its commit may also be a pull request's.
    """

    PULL_REQUEST = "pull_request"
    FORK = "fork"
    PUSH = "push"
    DISPATCH = "dispatch"
    TAG = "tag"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionsEvent:
    """The commit under review, and the one whose settings, answers and ledger count.

    `before` is the commit to compare with, or from which the head diverged; None: review the whole
    paper. `number` is that of the pull request, and `base_ref` its base branch. `is_default`: this
    is a push to the default branch. `is_withheld`: a person with write access wants no reading.
    `left` is the previous head of the pull request; `at` is when the pull request changed, in
    GitHub's format. `was` is the previous commit of a pushed branch, and `pushed` the time of the
    push, in seconds since 1970.
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
    """Whether a line of a description is exactly the request not to read."""
    return any(line.strip().lower() == DO_NOT_READ for line in (words or "").splitlines())


def event(environ: Mapping[str, str]) -> ActionsEvent:
    """The event of this job; UsageError if it cannot be reviewed."""
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
"""Events that name a commit: by a tag, or (`create`) by a branch."""


def _named(payload: Mapping[str, Any], head: str) -> ActionsEvent:
    """A tag, which means the whole paper, or a branch, which counts like a push to it."""
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
    # By ids, because a repository may be renamed. None: the fork was deleted.
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
    """The head that a pull request had before a push."""
    before = str(payload.get("before"))
    return before if payload.get("action") == "synchronize" and _COMMIT.fullmatch(before) else None


def _is_withheld(pull: Mapping[str, Any]) -> bool:
    """Whether a label, which only people with rights can set, or a trusted author asks for it."""
    labels = [item.get("name") for item in pull.get("labels") or [] if isinstance(item, dict)]
    is_author = pull.get("author_association") in WRITERS
    return DO_NOT_READ in labels or (is_author and says_do_not_read(pull.get("body")))


def _push(payload: Mapping[str, Any]) -> ActionsEvent:
    """A push; one to another branch, or of a tag, is compared with the default branch."""
    branch = _default(payload)
    is_default = payload.get("ref") == f"refs/heads/{branch}"
    after = payload.get("after")
    if str(payload.get("ref")).startswith("refs/tags/"):  # an annotated tag is a separate object
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
    """A run by hand or by schedule, for a commit that a maintainer names, or the whole paper."""
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
    """Where a job writes its results, and whether they are private."""

    out: Path
    environ: Mapping[str, str]
    is_private: bool

    def file(self, name: str, text: str) -> None:
        """Write a file for later steps."""
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            environment.replace(self.out / name, text.encode("utf-8", "replace"))
        except OSError as error:
            raise IncompleteError(f"{self.out} cannot be written: {error.strerror}") from error

    def summary(self, text: str) -> None:
        """Add to the page that GitHub shows for the job."""
        self._append("GITHUB_STEP_SUMMARY", f"{text}\n")

    def outputs(self, **values: str) -> None:
        """Set outputs of the step; no value may have a line break."""
        self._append("GITHUB_OUTPUT", "".join(f"{key}={value}\n" for key, value in values.items()))

    def _append(self, name: str, text: str) -> None:
        if place := self.environ.get(name):
            with Path(place).open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(text)
