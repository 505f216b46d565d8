"""Turns the stored results of a review into checks, comments and an issue; reviews nothing.

A review that failed is never neutral, skipped or a success, because GitHub lets all of these pass
where a check is required. Only an advisory check of the Action is neutral then.
"""

from collections.abc import Iterable
from dataclasses import replace

from bot.domain import comment
from bot.domain.check_actions import READ, CheckAction, finding_actions
from bot.domain.comment import (
    CommentKind,
    CommentState,
    ObjectionSource,
    ReviewComments,
    WantedComment,
)
from bot.domain.forge import (
    PROOFS,
    STRUCTURE,
    CommitCheck,
    ExistingIssue,
    PublishingForge,
)
from bot.domain.reconcile import Changes, Existing, reconcile
from bot.domain.review_result import PublishedReview, Reach, ReviewFault, ReviewPart, ReviewResult
from pfcore.reporters.formats.publication import Conclusion, fitting
from pfcore.reporters.printing import code, plural, prose

_ADVISORY = (
    "This check is advisory. To have it fail on objections, set `required = true` under "
    "`[app]` in `pf.toml` on the base branch."
)
_LISTED = 20
_FOOT = "\n\n<sub>"
"""The start of a summary's last paragraph."""


def checks(told: PublishedReview[ReviewResult]) -> tuple[CommitCheck, ...]:
    """The check runs of the commit."""
    made = [_check(told.structure, told)]
    proofs = _proofs(told)
    return (*made, proofs) if proofs else tuple(made)


_PAUSED = "Paused. `/pf resume` continues."
_DRAFT = "A draft is read once it is ready for review, or after `/pf check`."


def conclusion_of(
    ended: Conclusion, *, is_whole: bool, is_advisory: bool, incomplete: str = "action_required"
) -> str:
    """A check's conclusion, in GitHub's words; a neutral check passes where it is required.

    `is_whole`: everything that the check is about was looked at; `incomplete` is the conclusion if
    it was not.
    """
    if ended is Conclusion.BLOCKING and not is_advisory:
        return "failure"
    if ended is Conclusion.INCOMPLETE or not is_whole:
        return incomplete
    if ended in (Conclusion.BLOCKING, Conclusion.FINDINGS):
        return "neutral"
    return "success"


def result_conclusion(saved: ReviewResult) -> str:
    """The conclusion of the check of one half, even if there is no review."""
    if saved.failure:
        return "action_required" if saved.fault is ReviewFault.THEIRS else "failure"
    is_proofs = saved.part is ReviewPart.PROOFS
    return conclusion_of(
        saved.conclusion,
        is_whole=saved.is_read or not is_proofs,
        is_advisory=is_proofs and not saved.is_required,
    )


def _check(saved: ReviewResult, told: PublishedReview[ReviewResult]) -> CommitCheck:
    is_proofs = saved.part is ReviewPart.PROOFS
    text = saved.summary
    if is_proofs and not saved.is_required and saved.conclusion is Conclusion.BLOCKING:
        text = f"{text.rstrip()}\n\n{_ADVISORY}\n"
    if is_proofs and not saved.is_read:
        way = _ON.get(told.reach, f"Not everything was read. {told.again}".rstrip())
        text = f"{text.rstrip()}\n\n{way}\n"
    shown = saved.words.annotations
    if is_proofs:  # GitHub shows the annotations of both checks together
        shown = tuple(item for item in shown if item not in told.structure.words.annotations)
    return CommitCheck(
        name=PROOFS if is_proofs else STRUCTURE,
        head=saved.head,
        key=told.key,
        title=saved.title,
        summary=fitting(text),
        conclusion=result_conclusion(saved),
        annotations=shown,
        details=told.details,
        actions=_actions(saved, told),
    )


def _actions(saved: ReviewResult, told: PublishedReview[ReviewResult]) -> tuple[CheckAction, ...]:
    """The buttons beside a check: to have the rest read, and those of its gravest finding."""
    is_unread = saved.part is ReviewPart.PROOFS and not saved.is_read and not saved.failure
    beside = (item.key for item in saved.words.comments)
    first = next(filter(comment.is_key, (*beside, *_elsewhere(saved))), None)
    asked = (READ,) if is_unread and told.reach is not Reach.PENDING else ()
    return (*asked, *(finding_actions(first) if first else ()))


def _elsewhere(saved: ReviewResult) -> list[str]:
    """The ids of the new findings of one half, blocking ones first; none if they are private."""
    source = (
        ObjectionSource.CHECK if saved.part is ReviewPart.STRUCTURE else ObjectionSource.READING
    )
    new = [
        item
        for item in saved.objections
        if item.source is source and item.introduced is not False and item.dismissed is None
    ]
    found = sorted(new, key=lambda item: not item.is_blocking)
    return [] if saved.is_private else [item.id for item in found]


def _proofs(told: PublishedReview[ReviewResult]) -> CommitCheck | None:
    """The check of the proofs; None if there is none to publish."""
    structure = told.structure
    if told.proofs is not None:
        return _check(told.proofs, told)
    if told.reach is Reach.NONE:
        return None
    ended: str | None
    asked: tuple[CheckAction, ...] = ()
    if structure.failure:
        title, text, ended = structure.title, structure.summary, result_conclusion(structure)
    elif not structure.is_touched and structure.conclusion is Conclusion.INCOMPLETE:
        # The parts that could not be looked at may be just the affected ones.
        title, text, ended = structure.title, structure.summary, result_conclusion(structure)
    elif not structure.is_touched:
        title, text, ended = "No proof is affected", _untouched(structure), "success"
    else:
        title, words, ended = _WAITING[told.reach]
        text = f"{_affected(structure)} {words.format(head=structure.head)}\n"
        asked = (READ,) if told.reach in _HELD else ()
    return CommitCheck(
        name=PROOFS,
        head=structure.head,
        key=told.key,
        title=title,
        summary=text,
        conclusion=ended,
        details=told.details,
        actions=asked,
    )


def _untouched(structure: ReviewResult) -> str:
    number = sum(item.affected for item in structure.papers)
    if not number:
        return "This change affects no proof.\n"
    who = "It has no" if number == 1 else "None of them has a"
    return f"{_affected(structure)} {who} proof to read.\n"


_WAITING: dict[Reach, tuple[str, str, str | None]] = {
    Reach.PENDING: ("The proofs are being read", "The proofs are being read.", None),
    Reach.DONE: ("The proofs were not read", "The proofs have not been read.", "action_required"),
    Reach.PAUSED: ("Paused", _PAUSED, "action_required"),
    Reach.DRAFT: ("A draft", _DRAFT, "action_required"),
    Reach.FORK: (
        "Waiting for a maintainer",
        "This pull request comes from a fork, and reading costs money. A maintainer who has "
        "looked at it can comment `/pf check {head}` (this commit only).",
        "action_required",
    ),
}


_HELD = frozenset((Reach.FORK, Reach.PAUSED, Reach.DRAFT))
"""Cases in which somebody with write access has to ask for the reading."""
_ON = {Reach.PAUSED: _PAUSED, Reach.DRAFT: _DRAFT}
"""How to have the rest read, if `/pf check` alone does not do it."""


def _affected(structure: ReviewResult) -> str:
    number = sum(item.affected for item in structure.papers)
    if structure.base is None:
        return "This covers the whole paper."
    return f"{plural(number, 'result')} {'is' if number == 1 else 'are'} affected."


def wanted_comments(told: PublishedReview[ReviewResult]) -> ReviewComments:
    """All comments of the pull request; its summary also explains checks with other names.

    A change of base settles no objection of readers, because they read another change.
    """
    words = _words(told)
    if told.is_rebased:
        words = replace(words, settled=words.settled - {ObjectionSource.READING})
    if not told.aside:
        return words
    said = _with(words, told.aside)
    return replace(said, comments=tuple(_required(item) for item in said.comments))


def _required(item: WantedComment) -> WantedComment:
    return replace(item, is_optional=item.is_optional and item.kind is not CommentKind.SUMMARY)


def _words(told: PublishedReview[ReviewResult]) -> ReviewComments:
    structure, proofs = told.structure, told.proofs
    if proofs is None:
        is_over = not structure.failure and not structure.is_touched
        # If no proof is affected, no objection of readers to this change is left.
        return (
            replace(structure.words, settled=frozenset(ObjectionSource))
            if is_over
            else structure.words
        )
    if not proofs.failure:
        return proofs.words
    if structure.failure:
        return structure.words
    # The check reports that the proofs could not be read; an existing summary has to say so, too.
    return _with(structure.words, f"**The proofs could not be read.** {_why(proofs)}")


def _why(proofs: ReviewResult) -> str:
    return "See the check." if proofs.is_private else prose(proofs.failure)


def comment_changes(told: ReviewComments, existing: Iterable[Existing], *, head: str) -> Changes:
    """The changes that post these comments; the summary names what this push resolved."""
    there = list(existing)
    found = reconcile(there, told, head=head)
    mended = [item.body for item in found.close]
    mended += [item.body for item in there if item.is_ours and _is_resolved_in(item.body, head)]
    gone = list(dict.fromkeys(filter(None, map(_resolved, mended))))
    if not gone:
        return found
    listed = ", ".join(code(name) for name in gone[:_LISTED])
    return reconcile(there, _with(told, f"Resolved by this push: {listed}."), head=head)


def _resolved(body: str) -> str | None:
    """The key of a comment that is marked as resolved; None otherwise."""
    mark = comment.read_mark(body)
    return mark.key if mark and mark.state is CommentState.RESOLVED else None


def _is_resolved_in(body: str, head: str) -> bool:
    return bool(_resolved(body)) and body.startswith(f"**Resolved** in {head[:10]}.")


def _with(told: ReviewComments, paragraph: str) -> ReviewComments:
    """The comments with one more paragraph in the summary."""
    return replace(
        told,
        comments=tuple(
            _longer(item, paragraph) if item.kind is CommentKind.SUMMARY else item
            for item in told.comments
        ),
    )


def _longer(item: WantedComment, paragraph: str) -> WantedComment:
    said, foot, small = comment.without_mark(item.body).rpartition(_FOOT)
    whole = f"{said}\n\n{paragraph}{foot}{small}" if foot else f"{small}\n\n{paragraph}"
    text = fitting(whole)
    if item.key != comment.SUMMARY:
        return replace(item, body=comment.report_body(text, item.key))
    return replace(
        item, body=comment.marked(text, key=comment.SUMMARY, source=ObjectionSource.CHECK)
    )


ISSUE_LABEL = "pf-verify"
ISSUE_TITLE = "pf-verify: open findings on the default branch"
ISSUE = "branch"
"""The key in its mark, by which it is found again."""


def keep_issue(body: str, forge: PublishingForge, *, is_open: bool) -> str:
    """Open, edit or close the issue as needed; a sentence about it.

    `body` ends with the mark by which the issue is found.
    """
    mark = comment.read_mark(body)
    known = _our_oldest(forge.issues(ISSUE_LABEL), mark.key if mark else "")
    if known is None and is_open:
        forge.open_issue(ISSUE_TITLE, body, ISSUE_LABEL)
        return "an issue was opened"
    if known is None:
        return "no issue needed"
    is_edited = comment.read_mark(known.body) != mark
    if is_edited or (known.is_open and not is_open):
        forge.change_issue(known.id, body, is_open=is_open)
    return f"issue #{known.id} is up to date"


def _our_oldest(issues: Iterable[ExistingIssue], key: str) -> ExistingIssue | None:
    """Our first item with a mark; reading stops there, because duplicates are left alone."""
    for item in issues:
        mark = comment.read_mark(item.body)
        if item.is_ours and mark is not None and mark.key == key:
            return item
    return None


def issue_words(told: PublishedReview[ReviewResult], *, has_reader: bool) -> tuple[str, bool]:
    """The text of the App's issue after a push, and whether anything in it needs an answer.

    A failed review does, and so does an unread proof if a model is set up.
    """
    has_proofs = told.proofs is not None and not told.proofs.failure
    shown = told.proofs if told.proofs and has_proofs else told.structure
    is_unread = has_reader and shown.is_touched and not (has_proofs and shown.is_read)
    is_open = shown.is_open or shown.conclusion is Conclusion.INCOMPLETE or is_unread
    words = [(shown.whole or shown.summary).strip()]
    if told.proofs and not has_proofs:
        words.append(f"**The proofs could not be read.** {_why(told.proofs)}")
    base = f" against `{shown.base[:12]}`" if shown.base else ""
    page = f" · [details]({told.details})" if told.details else ""
    words.append(f"<sub>Commit `{shown.head[:12]}`{base}{page}</sub>")
    return comment.report_body("\n\n".join(words), ISSUE), is_open and not shown.is_absent
