"""The owner of a commit's checks in the Action, if several pull requests have it as their head.

GitHub makes the check of a job, and shows all checks of a commit on every pull request with that
head. So one of several pull requests has the required names, and the others have names of their
own; `_rank` decides the order. When the first one leaves the head, its names are handed on.

As these names are shown on all of them, they may pass only if all do: if a pull request from a
branch of the repository with another base does not pass by its own check, the required names say
so, too. A fork's run cannot write that; only its own names report it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from bot.domain.forge import (
    PROOFS,
    ActionForge,
    BasedPull,
    CommitCheck,
    JobCheck,
    OpenPull,
)
from bot.domain.webhooks import QUEUE
from pfcore.cli.github_actions import ActionsEvent, ActionsEventKind
from pfcore.reporters.printing import plural

JOB, _BEFORE = "structure", "comparison"
"""The jobs of review.yml whose checks GitHub makes, after the name of the calling job."""


def job_name(found: ActionsEvent, event: str, forge: ActionForge) -> tuple[str, str]:
    """The name of the structure's job, and so of its check; and why, if it is not the required one.

    The check of a job belongs to its event's commit, whatever that is compared with. So only one of
    the runs of pull requests has the required name, and none of the default branch.
    """
    if found.number is None:
        is_push = found.kind is ActionsEventKind.PUSH and not found.is_default
        return (JOB, "") if is_push else (f"{JOB} ({event})", "")
    pulls, own = forge.pulls_at(found.head), f"{JOB}{check_suffix(found.number)}"
    if all(pull.number != found.number for pull in pulls):
        return own, f"#{found.number} is closed, or has a newer commit: its check is `{own}`."
    first = min(pulls, key=_rank)
    where, is_other = f"also the head of #{first.number}", first.base != found.base_ref
    if first.number == found.number:
        is_stranger = not first.is_own and not first.is_known
        if not is_stranger or not any(map(_is_queue, forge.branches_at(found.head))):
            return JOB, ""
        where, is_other = "also in the merge queue", True
    why = f"This commit is {where}, where its check is `{JOB}`. The check here is `{own}`."
    if is_other and found.kind is ActionsEventKind.FORK:
        why += " GitHub shows the former here as well, but it compares with a different base."
    return own, why


def _is_queue(branch: str) -> bool:
    return branch.startswith(QUEUE)


def _rank(pull: OpenPull) -> tuple[int, int]:
    """The order in which pull requests with the same head own its checks; the least is the owner.

    GitHub shows the checks on all of them. Those from branches of the repository come first,
    because only their jobs may make checks and hand them on; then those by its people; then the
    oldest.
    jobs alone may make checks and hand them on; then those by its people; then the oldest.
    """
    return (0 if pull.is_own else 1 if pull.is_known else 2), pull.number


def first_pull(pulls: Iterable[OpenPull]) -> OpenPull | None:
    """The pull request with the required names; None if there is no pull request."""
    return min(pulls, key=_rank, default=None)


def other_owner(head: str, number: int | None, forge: ActionForge) -> int | None:
    """The other pull request that the check of a commit belongs to, if one has it."""
    pulls = forge.pulls_at(head)
    first = min((pull.number for pull in pulls if pull.is_own), default=number)
    return first if first != number else None


def check_suffix(number: int | None) -> str:
    """The suffix of the names of a pull request that is not the first."""
    return f" (#{number})"


def check_name(check: str, paper: str) -> str:
    """The name of a check, with the paper's folder if the repository has several papers."""
    return check if paper in ("", ".") else f"{check} ({paper})"


def renew(head: str, number: int, key: str, forge: ActionForge, *, paper: str) -> str:
    """Let no earlier check of the proofs pass while they are being read again.

    However that run ends, a check of an earlier comparison must not count for this one.
    """
    name = check_name(PROOFS, paper)
    newest = dict[str, CommitCheck]()
    for check in forge.checks(head, name, f"{name}{check_suffix(number)}"):
        newest.setdefault(check.name, check)
    own = [it for it in newest.values() if it.key.endswith(f":{number}") and not _is_lent(it.key)]
    passing = [check for check in own if check.conclusion in _PASSING]
    for check in passing:
        forge.conclude(
            replace(
                check,
                key=f"{key}:{number}",
                title=_AGAIN,
                summary=_UNDER_WAY,
                conclusion="action_required",
            )
        )
    names = ", ".join(check.name for check in passing)
    return f"{names}: reviewed again" if names else f"{name}: no earlier check passes"


_PASSING = ("success", "neutral", "skipped")
_AGAIN = "Being reviewed again"
_UNDER_WAY = (
    "This pull request is being reviewed again: the earlier review may refer to a different base "
    "or different settings. If the run was cancelled, re-run all jobs of its workflow."
)


def hand_on(head: str, left: int, key: str, forge: ActionForge, *, paper: str, at: float) -> str:
    """Hand a commit's checks on to the next pull request with this head, when `left` has left it.

    Its own results are then published under the required names. If it has none, the check of
    another comparison must not pass for it. `at` is when `left` left, in seconds since 1970.
    """
    said = [hand_proofs_on(head, left, key, forge, check_name(PROOFS, paper))]
    pulls = forge.pulls_at(head)
    first, gone = first_pull(pulls), OpenPull(number=left, is_own=True, is_known=False)
    is_gone = all(pull.number != left for pull in pulls)
    if first is not None and is_gone and _rank(first) > _rank(gone):
        # Checks that began later were made by the pull request that is first now.
        said += _tell_job(head, first.number, key, forge, lambda of: of.began > at)
    return "; ".join([*said, *agree(head, key, forge, paper=paper)])


def hand_proofs_on(head: str, left: int, key: str, forge: ActionForge, name: str) -> str:
    """Give the check of the proofs to the next pull request with this head; a sentence about it."""
    own = [pull.number for pull in forge.pulls_at(head) if pull.is_own]
    if not own or left in own:
        return f"{name}: still belongs to #{left}"
    owner = min(own)
    told = forge.checks(head, name, f"{name}{check_suffix(owner)}")
    newest = next((check for check in told if check.name == name), None)
    own_words = (check for check in told if not _is_lent(check.key))
    known = next((check for check in own_words if check.key.endswith(f":{owner}")), None)
    is_left = newest is not None and newest.key.endswith(f":{left}")
    if newest is not None and is_left and known is None:
        known = replace(newest, title=_UNTOLD, summary=_untold(owner), conclusion="action_required")
    # If one left before its report, the name is free all the same.
    if known is None or not (is_left or newest is None):
        return f"{name}: #{left} has no check here"
    words = _ASIDE.sub("", known.summary)
    forge.conclude(replace(known, name=name, key=f"{key}:{owner}", summary=words))
    return f"{name}: now belongs to #{owner}, {known.conclusion}"


def take_over(head: str, number: int, key: str, forge: ActionForge) -> str:
    """Give the structure's check to a pull request that became the first during its review.

    Its run has a name of its own, and says more than what was handed to it meanwhile.
    """
    first, said = first_pull(forge.pulls_at(head)), list[str]()
    if first is not None and first.number == number:
        said = _tell_job(head, number, key, forge, lambda of: not of.key.endswith(f":{number}"))
    return "; ".join(said) or f"{JOB}: the check of the job"


def _tell_job(
    head: str, number: int, key: str, forge: ActionForge, stays: Callable[[JobCheck], bool]
) -> list[str]:
    """Publish the result of a pull request's own check under the required name.

    GitHub makes the checks of jobs, in any number of workflows, and nobody may change them; so
    another check of that name is made: GitHub counts the newest, or all. `stays` says which checks
    may stay as they are, unless the other one is newer.
    """
    said = []
    newest = _newest(check for check in forge.job_checks(head) if not _is_lent(check.key))
    for name in _structures(newest):
        if name not in newest:
            continue
        check = newest[name]
        own = newest.get(f"{name}{check_suffix(number)}")
        is_newer = own is not None and own.id > check.id
        ended = own.conclusion if own is not None else None
        title = _ENDS.get(ended or "", _UNTOLD)
        ended = ended if ended in _ENDS else "action_required"
        is_said = check.key.endswith(f":{number}") and check.conclusion == ended
        if is_said or (stays(check) and not is_newer):
            continue
        words = _untold(number) if title == _UNTOLD else f"See `{name}{check_suffix(number)}`."
        forge.conclude(
            CommitCheck(
                name=name,
                head=head,
                key=f"{key}:{number}",
                title=title,
                summary=words,
                conclusion=ended,
            )
        )
        said.append(f"{name}: now belongs to #{number}, {ended}")
    return said


def _newest(checks: Iterable[JobCheck]) -> dict[str, JobCheck]:
    """The newest check of each name; the checks come newest first."""
    newest = dict[str, JobCheck]()
    for check in checks:
        newest.setdefault(check.name, check)
    return newest


def _structures(newest: Iterable[str]) -> list[str]:
    """The name of the structure's job in each workflow that has our jobs."""
    callers = (name.removesuffix(_BEFORE) for name in newest if name.endswith(_BEFORE))
    return [f"{caller}{JOB}" for caller in callers]


def agree(head: str, key: str, forge: ActionForge, *, paper: str) -> list[str]:
    """Let the required names pass only if the other checks that they are shown beside do.

    These belong to pull requests from branches of the repository with another base than the first.
    When they pass, or are gone, the first one's own result is published again.
    """
    pulls, said = forge.pulls_at(head), []
    first = first_pull(pulls)
    if first is None or not first.is_own:
        return []
    others = [pull.number for pull in pulls if pull.is_own and pull.base != first.base]
    checks = forge.job_checks(head)
    newest = _newest(checks)
    for name in (*_structures(newest), check_name(PROOFS, paper)):
        shown = newest.get(name)
        if shown is None or shown.conclusion is None:
            continue  # the run that ends it looks at the others then
        twins = (newest.get(f"{name}{check_suffix(number)}") for number in others)
        bad = next((it for it in twins if it is not None and it.conclusion in _BAD), None)
        if bad is not None:
            lent = _lent(name, head, f"{key}{_LENT}{first.number}", bad)
            is_other = _is_lent(shown.key) and shown.conclusion != lent.conclusion
            if shown.conclusion not in _BAD or is_other:
                forge.conclude(lent)
                said.append(f"{name}: does not pass, because `{bad.name}` does not")
        elif _is_lent(shown.key):
            said += _take_back(name, head, f"{key}:{first.number}", checks, forge)
    return said


_LENT = ":twin:"
"""The mark in the key of a check that repeats another pull request's result."""
_BAD = frozenset(("failure", "action_required", "cancelled", "timed_out"))
_TOLD = frozenset(("success", "neutral", "failure"))
"""The conclusions of a check whose subject was looked at."""


def _is_lent(key: str) -> bool:
    return _LENT in key


def _lent(name: str, head: str, key: str, bad: JobCheck) -> CommitCheck:
    """The first pull request's check with the result of another one that does not pass."""
    words = (
        f"Another pull request with the same head, but a different base, does not pass its check "
        f"`{bad.name}`. GitHub shows the same checks on both, so this one does not pass either."
    )
    return CommitCheck(
        name=name,
        head=head,
        key=key,
        title=f"See the check “{bad.name}”",
        summary=words,
        conclusion="failure" if bad.conclusion == "failure" else "action_required",
    )


def _take_back(
    name: str, head: str, key: str, checks: list[JobCheck], forge: ActionForge
) -> list[str]:
    """Publish a check's own result again: of several checks of a name the newest counts."""
    own = next((it for it in checks if it.name == name and not _is_lent(it.key)), None)
    told = next((it for it in forge.checks(head, name) if not _is_lent(it.key)), None)
    if told is None or own is None or own.conclusion is None:
        return []  # its run is in progress
    ended = told.conclusion if told.conclusion in _TOLD else "action_required"
    title = told.title or _ENDS.get(told.conclusion or "", _UNTOLD)
    words = told.summary or f"See the job `{name}`."
    forge.conclude(replace(told, key=key, title=title, summary=words, conclusion=ended))
    return [f"{name}: its own result again, {ended}"]


def doubt(pull: BasedPull, key: str, forge: ActionForge, *, paper: str) -> str:
    """Say in a pull request's checks that it was not reviewed against its current base.

    Checks that belong to another pull request with the same head are left alone.
    """
    head, own = pull.head, check_suffix(pull.number)
    pulls, checks = forge.pulls_at(head), forge.job_checks(head)
    first, newest = first_pull(pulls), _newest(checks)
    ends = (own, "") if first is not None and first.number == pull.number else (own,)
    found = (f"{name}{end}" for name in _structures(newest) for end in ends)
    names = [name for name in found if name in newest]
    # The checks of all papers, because their jobs belong to one run.
    proofs = (check for check in checks if check.name.startswith(PROOFS))
    names += [check.name for check in proofs if check.key.endswith(f":{pull.number}")]
    names += _read_by_hand(head, pulls, newest, forge)
    names = list(dict.fromkeys(names))
    _doubt(names, head, f"{key}:{pull.number}", _OLDER, forge)
    said = f"not reviewed again; the reason is in {plural(len(names), 'check')}"
    return "; ".join([said, *agree(head, key, forge, paper=paper)])


def doubt_by_hand(pull: BasedPull, key: str, forge: ActionForge) -> str:
    """Say so in what a manual run published on a fork's pull request, as no run repeats that."""
    pulls, newest = forge.pulls_at(pull.head), _newest(forge.job_checks(pull.head))
    names = _read_by_hand(pull.head, pulls, newest, forge)
    _doubt(names, pull.head, f"{key}:{pull.number}", _OLDER_BY_HAND, forge)
    return f"; no longer passing: {', '.join(names)}" if names else ""


def _read_by_hand(
    head: str, pulls: Iterable[OpenPull], newest: Mapping[str, JobCheck], forge: ActionForge
) -> list[str]:
    """The checks of the proofs, without a number, of a commit that only forks have as head."""
    told = [
        check.name
        for check in newest.values()
        if check.name.startswith(PROOFS) and _BY_HAND.fullmatch(check.key)
    ]
    if not told or any(pull.is_own for pull in pulls):
        return []
    return [] if any(map(_is_queue, forge.branches_at(head))) else told


def _doubt(names: Iterable[str], head: str, key: str, words: str, forge: ActionForge) -> None:
    for name in names:
        forge.conclude(
            CommitCheck(
                name=name,
                head=head,
                key=key,
                title=_UNTOLD,
                summary=words,
                conclusion="action_required",
            )
        )


_BY_HAND = re.compile(r"[0-9a-f]+:[0-9]*")
"""The key of a check that belongs to no pull request: its commit and its run."""


_OLDER = (
    "A push to the base changed the commit to compare with, or the settings, and this pull request "
    "was not reviewed again: push to it, close and reopen it, or re-run all jobs of its workflow."
)
_OLDER_BY_HAND = (
    "Since the proofs of this pull request were read, a push to its base changed the commit to "
    "compare with, or the settings. A maintainer can look at this commit and have it read again."
)
_ENDS = {"success": "No error in the structure", "failure": "Errors in the structure"}
"""The conclusions of a job that looked at everything, with their titles."""
_UNTOLD = "Not reviewed"


def _untold(number: int) -> str:
    return (
        f"This check belonged to another pull request with the same head. #{number} was not "
        "reviewed: push to it, or re-run all jobs of its workflow."
    )


_ASIDE = re.compile(r"\AThis commit is (?:also )?the head of #[0-9]+(?: too)?, [^\n]*\n\n")
"""The paragraph that only a check with a number has; earlier releases worded it differently."""
