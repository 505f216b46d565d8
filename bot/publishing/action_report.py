"""What the last job of a workflow tells of a review: a comment, a check, an issue, a start.

How a check concludes and what becomes of a comment is decided as for the App; the words are others.

A push to the base of open pull requests: whose comparison it moves. That is of a head, of the
commit where it parted from its base, and of the settings and ledgers of the base. Where none of
these moves, all checks stay true. Else the run of the pull request is made again, against the base
as it is by now; where GitHub does not do so, its check says that it was not reviewed.

Adds lines to the ledgers on the default branch, as commits of their own.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar
from urllib.parse import quote

from pydantic import TypeAdapter, ValidationError

from bot.domain import comment
from bot.domain.comment import (
    CommentCaps,
    CommentKind,
    ObjectionSource,
    ReviewComments,
    WantedComment,
    parse_hunks,
)
from bot.domain.forge import (
    PROOFS,
    ActionForge,
    BasedPull,
    BranchFile,
    BranchFiles,
    CommitCheck,
    JobCheck,
    MovedError,
    OpenPull,
    RunForge,
    WorkflowRun,
)
from bot.domain.reconcile import Existing
from bot.domain.webhooks import QUEUE
from bot.publishing.pull_comments import beside_lines
from bot.publishing.review_checks import comment_changes, conclusion_of
from pfcore.cli.github_actions import ActionsEvent, ActionsEventKind
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.paper_settings import LEDGER_NAME
from pfcore.ledger.ledger import merged
from pfcore.ledger.lock_lines import ledger_text, read_ledger
from pfcore.reporters.formats.publication import Conclusion, Publication
from pfcore.reporters.printing import plural
from pfcore.review.review import Report

LABEL = "pf-verify"
PUSH = "pf / push"
"""Beside a commit of the default branch: its key is the commit that the next push is compared with.

That is the commit itself, once all of it was reviewed; else what its own push was compared with.
"""
QUEUED = "merge_group"
"""The event of what a merge queue made."""
JOB, _BEFORE = "structure", "comparison"
"""The jobs of review.yml whose checks GitHub makes, behind the name of the job that calls it."""
TITLE = "pf-verify: open findings on the default branch"
_REVIEW, _ISSUE = "review", "branch"
"""What reports are about, by which our own words are found again."""
_UNREAD = (
    "**The proofs could not be read;** see the job `proofs`. The findings here are about "
    "the structure only."
)

_COMMIT = re.compile("[0-9a-f]{40}(?:[0-9a-f]{24})?")
_AGAINST = re.compile("<sub>Commit `[0-9a-f]{12}` against `(?P<base>[0-9a-f]{12})`")
_REMARKS = TypeAdapter(ReviewComments)


def remarks(
    report: Report, made: Publication, patches: str, paper: str
) -> tuple[str, frozenset[str]]:
    """What is said beside lines of a pull request, as text for `ActionReview`; and of what, by ids.

    `patches` is what `git diff` prints of the change; `paper` is the folder of one of several.
    """
    of = comment.paper_word(paper)
    said = beside_lines(report, made, parse_hunks(patches), CommentCaps(), of=of)
    return _REMARKS.dump_json(said).decode(), frozenset(item.key for item in said.comments)


Ours = TypeVar("Ours", bound=Existing)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionReview:
    """A review that is told: of the proofs where they were read, else of the structure.

    `is_expected`: the proofs were to be read; `is_awaited`: rules may wait for their check even
    where there were none; `page` is the address of the run. `paper` is the folder of a paper that
    is one of several.
    """

    structure: Publication
    proofs: Publication | None
    is_expected: bool
    is_awaited: bool
    is_advisory: bool
    page: str
    paper: str = "."

    @property
    def shown(self) -> Publication:
        """What says most."""
        return self.proofs or self.structure

    @property
    def is_unread(self) -> bool:
        """Whether proofs were to be read and nothing is known of them."""
        return self.is_expected and self.proofs is None

    @property
    def is_complete(self) -> bool:
        """Whether all that was to be reviewed was."""
        if self.shown.conclusion is Conclusion.INCOMPLETE:
            return False
        return not self.is_expected or (self.proofs is not None and self.proofs.is_read)

    @property
    def is_quiet(self) -> bool:
        """Whether nobody has to be told."""
        return self.shown.is_quiet and not self.is_unread

    def named(self, check: str) -> str:
        """The name of a check of this paper."""
        return check_name(check, self.paper)

    @property
    def text(self) -> str:
        """The words of the check, the comment and the issue."""
        words = comment.shown_words(self.shown.summary)
        unread = [_UNREAD] if self.is_unread else []
        base = f" against `{self.shown.base[:12]}`" if self.shown.base else ""
        foot = f"<sub>Commit `{self.shown.head[:12]}`{base} · [run]({self.page})</sub>"
        return "\n\n".join([words, *unread, foot])

    @property
    def remarks(self) -> ReviewComments | None:
        """What stands beside lines; None where that is not known."""
        if not self.shown.remarks:
            return None
        try:
            return _REMARKS.validate_json(self.shown.remarks)
        except ValidationError as error:
            raise UsageError(f"invalid publication: {type(error).__name__}") from error

    def report(self, kind: str, *, is_optional: bool, ahead: str = "") -> ReviewComments:
        """A report of a kind, as all that is to be said in its place; `ahead` comes first."""
        key = check_name(kind, quote(self.paper))
        body = comment.report_body("\n\n".join(filter(None, (ahead, self.text.strip()))), key)
        return ReviewComments(
            comments=(
                WantedComment(
                    kind=CommentKind.SUMMARY, key=key, body=body, is_optional=is_optional
                ),
            )
        )


def tell_pull_request(told: ActionReview, number: int | None, forge: ActionForge) -> str:
    """Comment on the pull request of the commit, or change what was said; a sentence about it."""
    pulls = forge.pulls_at(told.shown.head)
    there = [pull for pull in pulls if number in (None, pull.number)]
    if number is not None and not there:
        return f"#{number} is closed, or has a newer commit: no comment"
    if not pulls:
        return "this commit is not the head of an open pull request: no comment"
    return "; ".join(_tell(told, pull.number, forge, _aside(told, pull, pulls)) for pull in there)


def _aside(told: ActionReview, pull: OpenPull, pulls: Sequence[OpenPull]) -> str:
    """Why the checks of a pull request have names of their own; "" where they have not."""
    first = min(pulls, key=_rank)
    if not pull.is_own or pull == first:
        return ""
    suffix, proofs = _suffix(pull.number), told.named(PROOFS)
    return (
        f"This commit is the head of #{first.number} too, with the checks `{JOB}` and "
        f"`{proofs}`. The checks of this pull request are `{JOB}{suffix}` and `{proofs}{suffix}`."
    )


def _tell(told: ActionReview, number: int, forge: ActionForge, aside: str) -> str:
    is_optional, head = told.is_quiet and not aside, told.shown.head
    wanted = told.report(_REVIEW, is_optional=is_optional, ahead=aside)
    there = list(forge.comments(number))
    known = _oldest(there, wanted.comments[0].key)
    said = told.remarks
    if said is not None:
        own = comment.paper_word(told.paper)
        wanted = replace(
            said,
            comments=(*said.comments, *wanted.comments),
            settled=said.settled - _unsettled(told, known),
        )
        known += [item for item in there if item.is_ours and _paper(item.body) == own]
    changes = comment_changes(wanted, known, head=head)
    try:
        forge.change(number, head, changes)
    except MovedError:
        return f"#{number} has a newer commit: no comment"
    if changes.create:
        return f"#{number}: commented"
    return f"#{number}: the comment is up to date" if known else f"#{number}: nothing to report"


def _unsettled(told: ActionReview, known: list[Existing]) -> frozenset[ObjectionSource]:
    """Whose silence says nothing: readers', where they were asked of another change before."""
    before = _AGAINST.search(known[0].body) if known else None
    is_same = before is None or told.shown.base.startswith(before["base"])
    return frozenset() if is_same else frozenset((ObjectionSource.READING,))


def _paper(body: str) -> str:
    """The word of the paper that a remark beside a line is about; "" where it is none."""
    mark = comment.read_mark(body)
    return mark.of if mark else ""


def tell_issue(told: ActionReview, forge: ActionForge) -> str:
    """Keep one issue up to date: open as long as something is to be answered."""
    is_open = told.shown.is_open or not told.is_complete
    wanted = told.report(_ISSUE, is_optional=not is_open)
    (issue,) = wanted.comments
    known = _oldest(forge.issues(LABEL), issue.key)
    changes = comment_changes(wanted, known, head=told.shown.head)
    if changes.create:
        forge.open_issue(TITLE, issue.body, LABEL)
        return "an issue was opened"
    if not known:
        return "no issue needed"
    (old,) = known
    if changes.edit or (old.is_open and not is_open):
        forge.change_issue(old.id, issue.body, is_open=is_open)
    return f"issue #{old.id} is up to date"


def tell_check(
    told: ActionReview, key: str, forge: ActionForge, number: int | None = None, event: str = QUEUED
) -> str:
    """Conclude the check of the proofs: what was not read never passes where it has to.

    A pull request's has its number in the key, of which `key` is the rest. The name is that of the
    oldest of those from branches of the repository, whose jobs alone may make checks; the others
    get a name with their own `number`; what is told of no pull request gets one with its `event`,
    where one has this head, unless a merge queue waits for it.
    """
    if not told.is_expected and not told.is_awaited:
        return f"{PROOFS}: no proof to read"
    title, conclusion = _proofs_outcome(told)
    head, name = told.shown.head, told.named(PROOFS)
    owner = None if number is None and event == QUEUED else _owner(head, number, forge)
    suffix, words = "", told.text.strip()
    if owner is not None:
        what = f"#{number}" if number is not None else event
        suffix = f" ({what})"
        words = (
            f"This commit is the head of #{owner} too, with the check `{name}`. The "
            f"check of {what} is `{name}{suffix}`.\n\n{words}"
        )
    forge.conclude(
        CommitCheck(
            name=f"{name}{suffix}",
            head=head,
            key=key if number is None else f"{key}:{number}",
            title=title,
            summary=words,
            conclusion=conclusion,
        )
    )
    said = f"{PROOFS}{suffix}: {conclusion}"
    if number is None or _owner(head, number, forge) == owner:
        return said
    # It left while this was told, so that whoever handed its check on knew nothing of this.
    return f"{said}; {_hand_proofs_on(head, owner or number, key, forge, name)}"


def hand_on(head: str, left: int, key: str, forge: ActionForge, *, paper: str, at: float) -> str:
    """Give the checks of a commit to the next pull request with this head, as `left` is none now.

    What was told of that one is told under the names that rules require. Where nothing was, the
    check of another comparison is not to pass for it. `at` is when it left.
    """
    said = [_hand_proofs_on(head, left, key, forge, check_name(PROOFS, paper))]
    pulls = forge.pulls_at(head)
    if pulls and all(pull.number != left for pull in pulls):
        first = min(pulls, key=_rank)
        if _rank(first) > _rank(OpenPull(number=left, is_own=True, is_known=False)):
            # Of checks that began later, it is the one that is first now that made them.
            said += _tell_job(head, first.number, key, forge, lambda of: of.began > at)
    return "; ".join(said)


def _hand_proofs_on(head: str, left: int, key: str, forge: ActionForge, name: str) -> str:
    own = [pull.number for pull in forge.pulls_at(head) if pull.is_own]
    if not own or left in own:
        return f"{name}: stays that of #{left}"
    owner = min(own)
    told = forge.checks(head, name, f"{name}{_suffix(owner)}")
    newest = next((check for check in told if check.name == name), None)
    known = next((check for check in told if check.key.endswith(f":{owner}")), None)
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
    pulls, said = forge.pulls_at(head), list[str]()
    if pulls and min(pulls, key=_rank).number == number:
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
    newest, said = dict[str, JobCheck](), []
    for check in forge.job_checks(head):
        newest.setdefault(check.name, check)
    for name, check in newest.items():
        caller, is_job, rest = name.rpartition(JOB)
        if not is_job or rest or f"{caller}{_BEFORE}" not in newest:
            continue
        own = newest.get(f"{name}{_suffix(number)}")
        is_newer = own is not None and own.id > check.id
        ended = own.conclusion if own is not None else None
        title = _ENDS.get(ended or "", _UNTOLD)
        ended = ended if ended in _ENDS else "action_required"
        is_said = check.key.endswith(f":{number}") and check.conclusion == ended
        if is_said or (stays(check) and not is_newer):
            continue
        words = _untold(number) if title == _UNTOLD else f"As `{name}{_suffix(number)}` says."
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


def doubt(pull: BasedPull, key: str, forge: ActionForge, *, paper: str) -> str:
    """Say in the checks of a pull request that it was not reviewed against its base as it is now.

    Those that belong to another one with the same head are not its own, and stay.
    """
    head, own = pull.head, _suffix(pull.number)
    pulls = forge.pulls_at(head)
    is_first = bool(pulls) and min(pulls, key=_rank).number == pull.number
    newest = {check.name: check for check in reversed(forge.job_checks(head))}
    names = []
    for name in newest:
        caller, is_job, rest = name.rpartition(JOB)
        is_its = rest == own or (is_first and not rest)
        if is_job and is_its and f"{caller}{_BEFORE}" in newest:
            names.append(name)
    proofs = check_name(PROOFS, paper)
    told = forge.checks(head, proofs, f"{proofs}{own}")
    names += [check.name for check in told if check.key.endswith(f":{pull.number}")]
    for name in dict.fromkeys(names):
        forge.conclude(
            CommitCheck(
                name=name,
                head=head,
                key=f"{key}:{pull.number}",
                title=_UNTOLD,
                summary=_OLDER,
                conclusion="action_required",
            )
        )
    return f"not reviewed again; the reason is in {plural(len(names), 'check')}"


_OLDER = (
    "The base of this pull request has changed what it is compared with or judged by, and its run "
    "could not be started again: push to it, close and reopen it, or re-run all jobs of its "
    "workflow."
)

MOST_RUNS = 20
"""Runs that one push has made again; the others wait for somebody to push or to re-run."""
_TRIED = 5
"""Runs of a pull request that are looked at: those of the events that closed it review nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BasePush:
    """A push to a branch; `before` None: it is new, or nobody knows what it was at.

    `is_setting_moved`: a `pf.toml` or `pf.lock` is another one. `workflow` is the name of the file
    of the workflow, and `at` when it was pushed, in seconds since 1970.
    """

    branch: str
    before: str | None
    after: str
    is_setting_moved: bool
    workflow: str
    at: float


def tell_base(push: BasePush, key: str, runs: RunForge, forge: ActionForge, *, paper: str) -> str:
    """Have those pull requests reviewed again that are another comparison now; a sentence."""
    pulls = runs.pulls(push.branch)
    moved = [pull for pull in pulls if is_moved(push, pull, runs)]
    said = []
    for place, pull in enumerate(moved):
        if place < MOST_RUNS and _is_run_again(push, pull, pulls, runs):
            said.append(f"#{pull.number}: reviewed again")
        else:
            said.append(f"#{pull.number}: {doubt(pull, key, forge, paper=paper)}")
    said.append(f"{len(pulls) - len(moved)} with the same comparison")
    return "; ".join(said)


def is_moved(push: BasePush, pull: BasedPull, runs: RunForge) -> bool:
    """Whether a push moves what a pull request is compared with, or by what it is judged."""
    if push.is_setting_moved or push.before is None:
        return True
    before = runs.merge_base(push.before, pull.head)
    return before is None or before != runs.merge_base(push.after, pull.head)


def _is_run_again(
    push: BasePush, pull: BasedPull, pulls: Iterable[BasedPull], runs: RunForge
) -> bool:
    """Whether the newest run of a pull request is made again, or began after the push anyway."""
    alike = [it for it in pulls if (it.branch, it.source) == (pull.branch, pull.source)]
    own = [
        run
        for run in runs.runs(push.workflow, pull.head)
        if (run.branch, run.source) == (pull.branch, pull.source)
    ]
    for run in own[:_TRIED]:
        if not run.is_over and run.began > push.at and len(alike) == 1:
            return True
        if _is_its(run, pull, alike, runs):
            return runs.again(run)
    return False


def _is_its(run: WorkflowRun, pull: BasedPull, alike: Iterable[BasedPull], runs: RunForge) -> bool:
    """Whether a run reviews this pull request, as the name of its job of the structure says.

    The name that rules require is of the oldest of those that come from one branch.
    """
    names = [name.rpartition(" / ")[2] for name in runs.jobs(run.id)]
    if f"{JOB} (#{pull.number})" in names:
        return True
    is_first = pull.number == min(it.number for it in alike)
    return is_first and (JOB in names or (not run.is_over and len(list(alike)) == 1))


_ENDS = {"success": "No error in the structure", "failure": "Errors in the structure"}
"""What a job comes to that looked at all of it, and a title for it."""
_UNTOLD = "Not reviewed"


def _untold(number: int) -> str:
    return (
        f"This check was that of another pull request with the same head. #{number} was not "
        "reviewed: push to it, or re-run all jobs of its workflow."
    )


_ASIDE = re.compile(r"\AThis commit is the head of #[0-9]+ too, [^\n]*\n\n")
"""What only a check with a number says."""


def _suffix(number: int | None) -> str:
    return f" (#{number})"


def _owner(head: str, number: int | None, forge: ActionForge) -> int | None:
    """The other pull request that the check of a commit belongs to, if one has it."""
    pulls = forge.pulls_at(head)
    first = min((pull.number for pull in pulls if pull.is_own), default=number)
    return first if first != number else None


def _rank(pull: OpenPull) -> tuple[int, int]:
    """Whose the checks of a commit are that several pull requests have as head: the least's.

    GitHub shows them on all of these. Those from branches of the repository come first, for their
    jobs alone may make checks and hand them on; then those by its people; then the oldest.
    """
    return (0 if pull.is_own else 1 if pull.is_known else 2), pull.number


def job_name(found: ActionsEvent, event: str, forge: ActionForge) -> tuple[str, str]:
    """What the job of the structure is called, as its check is; and why, if not as rules have it.

    The check of a job has the commit of its event, whatever that is compared with. So of the runs
    of pull requests only one has the name that rules require, and none of the default branch.
    """
    if found.number is None:
        is_push = found.kind is ActionsEventKind.PUSH and not found.is_default
        return (JOB, "") if is_push else (f"{JOB} ({event})", "")
    pulls, own = forge.pulls_at(found.head), f"{JOB}{_suffix(found.number)}"
    if all(pull.number != found.number for pull in pulls):
        return own, f"#{found.number} is closed, or has a newer commit: its check is `{own}`."
    first = min(pulls, key=_rank)
    where = f"the head of #{first.number} too"
    if first.number == found.number:
        is_stranger = not first.is_own and not first.is_known
        if not is_stranger or not any(map(_is_queue, forge.branches_at(found.head))):
            return JOB, ""
        where = "in the merge queue too"
    return own, f"This commit is {where}, with the check `{JOB}`. The check here is `{own}`."


def _is_queue(branch: str) -> bool:
    return branch.startswith(QUEUE)


def _proofs_outcome(told: ActionReview) -> tuple[str, str]:
    """The title and the conclusion of the check of the proofs.

    Where none is affected it passes: rules that require it wait for it, and the commit may have
    one by another base, or of another run.
    """
    incomplete = "neutral" if told.is_advisory else "action_required"
    if not told.is_expected:
        # What could not be looked at may be just what is affected.
        is_cut = told.structure.conclusion is Conclusion.INCOMPLETE
        return (told.structure.title, incomplete) if is_cut else ("No proof is affected", "success")
    if told.proofs is None:
        return "The proofs could not be read", incomplete
    ended = told.proofs.conclusion
    conclusion = conclusion_of(
        ended,
        is_whole=told.proofs.is_read and ended is not Conclusion.STRUCTURE,
        is_advisory=told.is_advisory,
        incomplete=incomplete,
    )
    title = _BLOCKING.sub("", told.proofs.title) if told.is_advisory else told.proofs.title
    return title, conclusion


_BLOCKING = re.compile(r", [\d,]+ blocking\Z")
"""What a title says of findings that block; where the check is advisory, none does."""

_BEGIN = {
    True: (
        "Reviewed",
        "This push was reviewed completely; the next one is compared with this commit.",
    ),
    False: (
        "Review incomplete",
        "Part of this push was not reviewed; the next push includes it and is compared with the "
        "same commit.",
    ),
}


def tell_push(told: ActionReview, start: str, forge: ActionForge) -> str:
    """Say what the next push is compared with; `start` is what this one was, "" the whole paper."""
    head = told.shown.head
    key = head if told.is_complete else start
    if not key:
        return f"{PUSH}: review incomplete"
    title, summary = _BEGIN[told.is_complete]
    # Neutral, for it says nothing of what was found.
    forge.conclude(
        CommitCheck(
            name=told.named(PUSH),
            head=head,
            key=key,
            title=title,
            summary=summary,
            conclusion="neutral",
        )
    )
    return f"{PUSH}: the next one is compared with {key}"


def push_start(
    before: str | None, commits: Sequence[str], forge: ActionForge, *, paper: str
) -> str | None:
    """What a push is compared with: whatever came before that was reviewed; None: nothing was.

    `commits` led to its head, and `before` is what the event says. The start of any push to the
    default branch that was told of will do, for all up to there was reviewed: that of the nearest
    is told by the fewest requests.
    """
    for commit in sorted(commits, key=lambda commit: commit != before):
        found = [
            key for key in forge.keys(check_name(PUSH, paper), commit) if _COMMIT.fullmatch(key)
        ]
        if found:
            return commit if commit in found else found[0]
    return None


def check_name(check: str, paper: str) -> str:
    """The name of a check, where a repository has several papers that of one; `paper`: a folder."""
    return check if paper in ("", ".") else f"{check} ({paper})"


def _oldest(existing: Iterable[Ours], key: str) -> list[Ours]:
    """The first that is ours with a mark; no more is read, for what stands twice is left alone."""
    for item in existing:
        mark = comment.read_mark(item.body)
        if item.is_ours and mark is not None and mark.key == key:
            return [item]
    return []


_MESSAGE = "Record what pf-verify has read"
_ATTEMPTS = 4


def record(lines: Mapping[str, str], branch: str, files: BranchFiles) -> str:
    """Unite lines with the ledgers of a branch; a sentence about it."""
    written = [path for path, text in lines.items() if _record(path, text, branch, files)]
    return f"committed {', '.join(written)}" if written else "pf.lock is up to date"


def _record(path: str, text: str, branch: str, files: BranchFiles) -> bool:
    if path.rpartition("/")[2] != LEDGER_NAME or ".." in path.split("/") or path[0] == "/":
        raise UsageError("only pf.lock files are written")
    more = read_ledger(text)
    if more.problems:
        raise UsageError("not lines of pf.lock")
    for _ in range(_ATTEMPTS):
        held = files.held(path, branch)
        new = ledger_text(merged(read_ledger(held.text).ledger, more.ledger))
        if new == held.text:
            return False
        if files.put(path, branch, BranchFile(new, held.blob), _MESSAGE):
            return True
    raise IncompleteError(f"{path} keeps changing; the next run adds what is missing")
