"""Whose the checks of a commit are in the Action, where several pull requests have it as head.

GitHub makes the check of a job, and shows all checks of a commit on all that has it as head. So of
several pull requests one has the names that rules require, and the others names of their own; who
comes first is said by `_rank`. When that one leaves the head, its names are handed on.

As these names are shown on all of them, they pass for none of which they do not hold: where one
from a branch of the repository with another base does not pass by its own check, that is what the
names say, too. A fork's run can say nothing there: of that, only its own names tell.
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
"""The jobs of review.yml whose checks GitHub makes, behind the name of the job that calls it."""


def job_name(found: ActionsEvent, event: str, forge: ActionForge) -> tuple[str, str]:
    """What the job of the structure is called, as its check is; and why, if not as rules have it.

    The check of a job has the commit of its event, whatever that is compared with. So of the runs
    of pull requests only one has the name that rules require, and none of the default branch.
    """
    if found.number is None:
        is_push = found.kind is ActionsEventKind.PUSH and not found.is_default
        return (JOB, "") if is_push else (f"{JOB} ({event})", "")
    pulls, own = forge.pulls_at(found.head), f"{JOB}{check_suffix(found.number)}"
    if all(pull.number != found.number for pull in pulls):
        return own, f"#{found.number} is closed, or has a newer commit: its check is `{own}`."
    first = min(pulls, key=_rank)
    where, is_other = f"the head of #{first.number} too", first.base != found.base_ref
    if first.number == found.number:
        is_stranger = not first.is_own and not first.is_known
        if not is_stranger or not any(map(_is_queue, forge.branches_at(found.head))):
            return JOB, ""
        where, is_other = "in the merge queue too", True
    why = f"This commit is {where}, with the check `{JOB}`. The check here is `{own}`."
    if is_other and found.kind is ActionsEventKind.FORK:
        why += " GitHub shows the former here, too, but it is about another comparison."
    return own, why


def _is_queue(branch: str) -> bool:
    return branch.startswith(QUEUE)


def _rank(pull: OpenPull) -> tuple[int, int]:
    """Whose the checks of a commit are that several pull requests have as head: the least's.

    GitHub shows them on all of these. Those from branches of the repository come first, for their
    jobs alone may make checks and hand them on; then those by its people; then the oldest.
    """
    return (0 if pull.is_own else 1 if pull.is_known else 2), pull.number


def first_pull(pulls: Iterable[OpenPull]) -> OpenPull | None:
    """Whose the names that rules require are; None where no pull request is there."""
    return min(pulls, key=_rank, default=None)


def other_owner(head: str, number: int | None, forge: ActionForge) -> int | None:
    """The other pull request that the check of a commit belongs to, if one has it."""
    pulls = forge.pulls_at(head)
    first = min((pull.number for pull in pulls if pull.is_own), default=number)
    return first if first != number else None


def check_suffix(number: int | None) -> str:
    """What the names of a pull request that is not the first end on."""
    return f" (#{number})"


def check_name(check: str, paper: str) -> str:
    """The name of a check, where a repository has several papers that of one; `paper`: a folder."""
    return check if paper in ("", ".") else f"{check} ({paper})"


def renew(head: str, number: int, key: str, forge: ActionForge, *, paper: str) -> str:
    """Let no check of the proofs pass by what was read before, while they are read again.

    Whatever ends the run then, a check of an earlier comparison is none of this one.
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
    return f"{names}: reviewed again" if names else f"{name}: no earlier one passes"


_PASSING = ("success", "neutral", "skipped")
_AGAIN = "Being reviewed again"
_UNDER_WAY = (
    "This pull request is being reviewed again: what was read before may be about another base or "
    "other settings. If the run was cancelled, re-run all jobs of its workflow."
)


def hand_on(head: str, left: int, key: str, forge: ActionForge, *, paper: str, at: float) -> str:
    """Give the checks of a commit to the next pull request with this head, as `left` is none now.

    What was told of that one is told under the names that rules require. Where nothing was, the
    check of another comparison is not to pass for it. `at` is when it left.
    """
    said = [hand_proofs_on(head, left, key, forge, check_name(PROOFS, paper))]
    pulls = forge.pulls_at(head)
    first, gone = first_pull(pulls), OpenPull(number=left, is_own=True, is_known=False)
    is_gone = all(pull.number != left for pull in pulls)
    if first is not None and is_gone and _rank(first) > _rank(gone):
        # Of checks that began later, it is the one that is first now that made them.
        said += _tell_job(head, first.number, key, forge, lambda of: of.began > at)
    return "; ".join([*said, *agree(head, key, forge, paper=paper)])


def hand_proofs_on(head: str, left: int, key: str, forge: ActionForge, name: str) -> str:
    """Give the check of the proofs to the next pull request with this head; a sentence about it."""
    own = [pull.number for pull in forge.pulls_at(head) if pull.is_own]
    if not own or left in own:
        return f"{name}: stays that of #{left}"
    owner = min(own)
    told = forge.checks(head, name, f"{name}{check_suffix(owner)}")
    newest = next((check for check in told if check.name == name), None)
    own_words = (check for check in told if not _is_lent(check.key))
    known = next((check for check in own_words if check.key.endswith(f":{owner}")), None)
    is_left = newest is not None and newest.key.endswith(f":{left}")
    if newest is not None and is_left and known is None:
        known = replace(newest, title=_UNTOLD, summary=_untold(owner), conclusion="action_required")
    # Of one that left and was never told of, the name is free all the same.
    if known is None or not (is_left or newest is None):
        return f"{name}: #{left} has no check here"
    words = _ASIDE.sub("", known.summary)
    forge.conclude(replace(known, name=name, key=f"{key}:{owner}", summary=words))
    return f"{name}: that of #{owner} now, {known.conclusion}"


def take_over(head: str, number: int, key: str, forge: ActionForge) -> str:
    """Give a pull request that came first while it was reviewed the check of the structure.

    Its run began under a name of its own, and says more than what it was handed in the meantime.
    """
    first, said = first_pull(forge.pulls_at(head)), list[str]()
    if first is not None and first.number == number:
        said = _tell_job(head, number, key, forge, lambda of: not of.key.endswith(f":{number}"))
    return "; ".join(said) or f"{JOB}: the check of the job"


def _tell_job(
    head: str, number: int, key: str, forge: ActionForge, stays: Callable[[JobCheck], bool]
) -> list[str]:
    """Say under the name that rules require what the check of a pull request's own name says.

    GitHub makes the checks of jobs, in as many workflows as there are, and nobody may change them;
    so another one of the name is made: the newest counts, or all do. `stays` tells of which check
    nothing has to be said, unless the other one is newer.
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
        words = _untold(number) if title == _UNTOLD else f"As `{name}{check_suffix(number)}` says."
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
        said.append(f"{name}: that of #{number} now, {ended}")
    return said


def _newest(checks: Iterable[JobCheck]) -> dict[str, JobCheck]:
    """The newest check of each name, of checks that come the newest first."""
    newest = dict[str, JobCheck]()
    for check in checks:
        newest.setdefault(check.name, check)
    return newest


def _structures(newest: Iterable[str]) -> list[str]:
    """How the job of the structure is called in each workflow that has our jobs."""
    callers = (name.removesuffix(_BEFORE) for name in newest if name.endswith(_BEFORE))
    return [f"{caller}{JOB}" for caller in callers]


def agree(head: str, key: str, forge: ActionForge, *, paper: str) -> list[str]:
    """Let the names that rules require pass only where those do that they stand beside, too.

    These are pull requests from branches of the repository that are for another base than the
    first. What the first one's own check came to is told again when they pass, or are gone.
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
            continue  # whoever ends it looks at the others then
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
"""What stands in the key of a check that says what another pull request's check says."""
_BAD = frozenset(("failure", "action_required", "cancelled", "timed_out"))
_TOLD = frozenset(("success", "neutral", "failure"))
"""What a check comes to where somebody looked."""


def _is_lent(key: str) -> bool:
    return _LENT in key


def _lent(name: str, head: str, key: str, bad: JobCheck) -> CommitCheck:
    """The check of the first pull request, as the one of another that does not pass has it."""
    words = (
        f"This commit is also the head of another pull request, with another base, whose check "
        f"`{bad.name}` does not pass. GitHub shows this check on both."
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
    """Tell once more what a check came to by itself: of several of a name the newest counts."""
    own = next((it for it in checks if it.name == name and not _is_lent(it.key)), None)
    told = next((it for it in forge.checks(head, name) if not _is_lent(it.key)), None)
    if told is None or own is None or own.conclusion is None:
        return []  # its run is under way
    ended = told.conclusion if told.conclusion in _TOLD else "action_required"
    title = told.title or _ENDS.get(told.conclusion or "", _UNTOLD)
    words = told.summary or f"As the job `{name}` says."
    forge.conclude(replace(told, key=key, title=title, summary=words, conclusion=ended))
    return [f"{name}: its own again, {ended}"]


def doubt(pull: BasedPull, key: str, forge: ActionForge, *, paper: str) -> str:
    """Say in the checks of a pull request that it was not reviewed against its base as it is now.

    Those that belong to another one with the same head are not its own, and stay.
    """
    head, own = pull.head, check_suffix(pull.number)
    pulls, checks = forge.pulls_at(head), forge.job_checks(head)
    first, newest = first_pull(pulls), _newest(checks)
    ends = (own, "") if first is not None and first.number == pull.number else (own,)
    found = (f"{name}{end}" for name in _structures(newest) for end in ends)
    names = [name for name in found if name in newest]
    # Those of all papers, whose jobs are of one run.
    proofs = (check for check in checks if check.name.startswith(PROOFS))
    names += [check.name for check in proofs if check.key.endswith(f":{pull.number}")]
    names += _read_by_hand(head, pulls, newest, forge)
    names = list(dict.fromkeys(names))
    _doubt(names, head, f"{key}:{pull.number}", _OLDER, forge)
    said = f"not reviewed again; the reason is in {plural(len(names), 'check')}"
    return "; ".join([said, *agree(head, key, forge, paper=paper)])


def doubt_by_hand(pull: BasedPull, key: str, forge: ActionForge) -> str:
    """Say the same of what a manual run told of a fork's pull request, which no run tells again."""
    pulls, newest = forge.pulls_at(pull.head), _newest(forge.job_checks(pull.head))
    names = _read_by_hand(pull.head, pulls, newest, forge)
    _doubt(names, pull.head, f"{key}:{pull.number}", _OLDER_BY_HAND, forge)
    return f", and {', '.join(names)} passes no more" if names else ""


def _read_by_hand(
    head: str, pulls: Iterable[OpenPull], newest: Mapping[str, JobCheck], forge: ActionForge
) -> list[str]:
    """The checks of the proofs of a commit that only forks have as head, which have no number."""
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
"""The key of a check that was told of no pull request: its commit, and its run."""


_OLDER = (
    "A push to the base changed what this pull request is compared with or judged by, and its run "
    "could not be restarted: push to it, close and reopen it, or re-run all jobs of its workflow."
)
_OLDER_BY_HAND = (
    "The base of this pull request has changed what it is compared with or judged by since its "
    "proofs were read: after a look at it, a maintainer can have this commit read again."
)
_ENDS = {"success": "No error in the structure", "failure": "Errors in the structure"}
"""What a job comes to that looked at all of it, and a title for it."""
_UNTOLD = "Not reviewed"


def _untold(number: int) -> str:
    return (
        f"This check belonged to another pull request with the same head. #{number} was not "
        "reviewed: push to it, or re-run all jobs of its workflow."
    )


_ASIDE = re.compile(r"\AThis commit is the head of #[0-9]+ too, [^\n]*\n\n")
"""What only a check with a number says."""
