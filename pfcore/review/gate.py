"""Judges one whole paper: what could not be reviewed is never a pass."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pfcore.domain.errors import IncompleteError
from pfcore.domain.values import Finding, Role
from pfcore.review.leaning import StatusPropagation
from pfcore.review.outcome import Cause, GateOutcome, Reason
from pfcore.review.review import PaperReport, Report
from pfcore.review.standing import CYCLE, NO_PROOF, ModuleStatuses
from pfcore.review.unseen import Gap, beside, unseen_of

_WITHOUT_PROOF = (
    "it has neither a proof nor a citation: prove it, cite its source, or answer it beside by "
    f"% pf: ignore[{NO_PROOF}] reason"
)
_NOTHING = (
    "no result was found here, so nothing was reviewed; pf.toml can name the environments of "
    "theorems"
)


def outcomes(report: Report, *, allow_unread: bool = False) -> list[GateOutcome]:
    """The outcome of each paper; what could not be looked at beside them stands against all.

    IncompleteError where no paper is left to be judged.
    """
    lost = [
        Reason(cause=Cause.UNSEEN, words=item.reason, path=item.path, line=item.line)
        for item in beside(report)
        if item.is_failure and item.kind is not Gap.RESULTS
    ]
    if not report.papers:
        listed = "; ".join(f"{reason.path}: {reason.words}" for reason in lost)
        raise IncompleteError(f"no paper could be judged: {listed or 'there is none'}")
    judged = [judge_paper(paper, allow_unread=allow_unread) for paper in report.papers]
    return [
        replace(item, reasons=(*item.reasons, *lost, *_lost_ledger(paper, report)))
        for paper, item in zip(report.papers, judged, strict=True)
    ]


def _lost_ledger(paper: PaperReport, report: Report) -> Iterator[Reason]:
    """A ledger that is there and cannot be read at all."""
    path = paper.state.paper.settings.ledger
    if path in report.library.unread:
        yield Reason(cause=Cause.LEDGER, words=report.library.unread[path], path=path)


def judge_paper(paper: PaperReport, *, allow_unread: bool = False) -> GateOutcome:
    """The outcome for a paper as it stands; `allow_unread` judges what does not need a reader."""
    standing = ModuleStatuses(paper)
    leaning = StatusPropagation(standing)
    failing = {name for item in standing.objections if (name := item.module) is not None}
    failing |= {*standing.circular, *standing.unproved}
    if not allow_unread:
        failing |= standing.unread.keys()
    tainted = leaning.tainted(failing)
    reasons = [
        *_structure(standing),
        *_own(standing, is_unread_wrong=not allow_unread),
        *_conditional(standing, tainted),
        *_ledger(paper),
        *_unseen(paper),
    ]
    if not any(module.is_claim for module in standing.modules.values()):
        reasons.append(Reason(cause=Cause.NOTHING, words=_NOTHING, path=paper.state.paper.root))
    order = list(Cause)
    return GateOutcome(
        reasons=tuple(sorted(reasons, key=lambda item: order.index(item.cause))),
        unread=tuple(standing.unread),
        circles=leaning.circles(tainted),
    )


def _structure(standing: ModuleStatuses) -> Iterator[Reason]:
    """Findings at or above the threshold that no reading of a proof has made."""
    read = {item.id for item in standing.paper.objections}
    for item in standing.paper.blocking:
        is_own = item.rule == CYCLE or (item.rule == NO_PROOF and item.module in standing.unproved)
        if item.id not in read and not is_own:
            yield _of_finding(Cause.STRUCTURE, item, f"[{item.rule}] {item.message}")


def _own(standing: ModuleStatuses, *, is_unread_wrong: bool) -> Iterator[Reason]:
    """What stands against modules by themselves."""
    for item in standing.objections:
        votes = f"{item.votes} of {item.rollouts} readings"
        yield _of_finding(Cause.FLAGGED, item, f"[{item.rule}] {votes}: {item.message}")
    for name in standing.circular:
        yield _of_module(Cause.CIRCLE, standing, name, "its proof rests on itself, through others")
    for name in standing.unproved:
        yield _of_module(Cause.UNPROVED, standing, name, _WITHOUT_PROOF)
    if is_unread_wrong:
        for name, why in standing.unread.items():
            yield _of_module(Cause.UNREAD, standing, name, why)


def _conditional(standing: ModuleStatuses, tainted: Mapping[str, str]) -> Iterator[Reason]:
    """The modules that are fine by themselves and rest on what is not."""
    for name, target in tainted.items():
        module = standing.modules[name]
        if not module.is_claim or module.role is Role.FRAGMENT:
            continue
        words = f"it rests on {target}, which does not pass"
        if target in standing.conjectured:
            words = f"its proof rests on {target}, which is open, and its statement does not say so"
        yield _of_module(Cause.CONDITIONAL, standing, name, words)


def _ledger(paper: PaperReport) -> Iterator[Reason]:
    """Lines of the ledger that cannot be read, unless all that they name are other texts."""
    sheet = paper.sheet
    if sheet is None:
        return
    contexts = {task.context for task in sheet.tasks.values()}
    for problem in sheet.problems:
        if not problem.digests or problem.digests & contexts:
            yield Reason(
                cause=Cause.LEDGER,
                words=f"nobody knows what this line says: {problem.message}",
                path=paper.state.paper.settings.ledger,
                line=problem.line,
            )


def _unseen(paper: PaperReport) -> Iterator[Reason]:
    """What could not be looked at for a fault of ours."""
    for item in unseen_of(paper):
        if item.is_failure:
            words = f"this {item.what} could not be read by pf-verify: {item.reason}"
            yield Reason(cause=Cause.UNSEEN, words=words, path=item.path, line=item.line)


def _of_module(cause: Cause, standing: ModuleStatuses, name: str, words: str) -> Reason:
    place = standing.modules[name].statement.location
    return Reason(cause=cause, words=words, path=place.path, line=place.line, module=name)


def _of_finding(cause: Cause, item: Finding, words: str) -> Reason:
    return Reason(
        cause=cause,
        words=words,
        path=item.location.path,
        line=item.location.line,
        module=item.module,
        finding=item.id,
    )
