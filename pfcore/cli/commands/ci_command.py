"""`pf ci`: a review in a job of GitHub Actions, with results where GitHub shows them.

Everything that decides comes from the base: settings, answers, ledger, and whether findings are
private. Text of a paper goes only into files, through renderers that make it harmless; the job
prints them.

`pf ci --gate`: the gate in a job of GitHub Actions, on the page of the job.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import entry_points, version
from pathlib import Path

from pfcore.cli.commands.check_command import Show, check_with_model
from pfcore.cli.commands.gate_command import GateOptions, gate
from pfcore.cli.day_spending import spending_name, spent_by
from pfcore.cli.environment import chosen, require_place, run_review
from pfcore.cli.exit_status import say
from pfcore.cli.github_actions import (
    DEPENDABOT,
    WITHHELD,
    ActionsEvent,
    ActionsEventKind,
    Tray,
    event,
)
from pfcore.cli.local_data import is_shared, open_replies, store_place
from pfcore.cli.options import CheckOptions, ReviewOptions
from pfcore.cli.write_ledger import said as recorded
from pfcore.domain import paper_settings
from pfcore.domain.errors import (
    ConfigError,
    IncompleteError,
    NoPaperError,
    PfError,
    RevisionError,
    ShallowError,
    UsageError,
)
from pfcore.impact.plan import is_readable
from pfcore.ledger.lock_lines import ledger_text
from pfcore.llm.store.reply_store import StoreError
from pfcore.reporters.formats import sarif
from pfcore.reporters.formats.publication import (
    PRIVATE,
    ROOM,
    UNREVIEWED,
    Conclusion,
    Publication,
    annotations,
    brief_publication,
    handed,
    not_reviewed,
    notice,
    packed,
    publication,
)
from pfcore.reporters.printing import prose, shortened
from pfcore.reporters.review_outcome import APART, is_apart
from pfcore.repository import snapshot
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.revisions import (
    has_paper,
    place_within,
    settings_of,
    touches_no_paper,
)
from pfcore.review.review import Report
from pfcore.review.unseen import exit_status

FORK = (
    "Proofs not read: this pull request comes from a fork, so its runs get no key. A maintainer "
    "who has looked at it can start the reading: Actions, this workflow, Run workflow, with this "
    "commit as head:"
)


REMARKS = "pf_verify.remarks"
"""The group of the one entry point that words the comments of a later job."""

_COMMENTED = (ActionsEventKind.PULL_REQUEST, ActionsEventKind.DISPATCH)
"""Events whose job may comment on a pull request; for a fork's, a person starts the job."""

_MOST_FILES = 200
"""The most files of a change whose lines may get comments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CiOptions:
    """The options of `pf ci`; the event sets what `review` compares, and whom it trusts.

    `out` is the folder of files for later steps; `with_proofs`: a model also reads proofs;
    `is_gate`: judge the whole paper, with `is_bundle` make an upload, with `allow_unread` accept
    unread proofs; `since` is where a push begins, "" if the event gives that.
    """

    review: ReviewOptions
    out: Path
    with_proofs: bool
    is_gate: bool
    is_private: bool
    since: str
    is_bundle: bool = False
    allow_unread: bool = False


def ci(wanted: CiOptions) -> int:
    """Review the commit of the event; returns the status of `pf check`."""
    require_place(wanted.out, "--out", "folder")
    found, path = event(os.environ), wanted.review.revisions.path
    if (wanted.with_proofs or wanted.is_gate) and found.kind is ActionsEventKind.FORK:
        raise UsageError("--proofs and --gate do not work for a pull request from a fork")
    if (wanted.is_bundle or wanted.allow_unread) and not wanted.is_gate:
        raise UsageError("--bundle and --allow-unread need --gate")
    repository = find_repository(_there(path))
    if repository is None or repository.root is None:
        raise UsageError(f"not a git repository: {path} (check the paper out first)")
    found = _at_tip(found, repository)
    is_private = wanted.is_private or _is_private(repository, found.trusted)
    tray = Tray(out=wanted.out, environ=os.environ, is_private=is_private)
    tray.outputs(private=_word(value=is_private), head=found.head)
    if found.is_withheld:
        return _withheld(tray, found.head)
    review = _aimed(wanted, found, repository)
    if wanted.is_gate:
        return judge(wanted, review, tray)
    lines = _ChangedLines(repository, review.revisions.base or "", found)
    try:
        status, report = _reviewed(review, lines, tray)
    except PfError as error:
        if not wanted.with_proofs and _is_passed(error, lines, tray):
            return 0
        raise
    if wanted.with_proofs and report is not None:
        used = report.spent
        tray.outputs(asked=_word(value=used is not None and used.calls > 0))
        spent = _spending(report, review)
        tray.file("spent", f"{spent}\n")
        tray.outputs(spent=spent)
        _shorten_store()
    return status


_KEPT = 50_000_000
"""Characters of replies that a run passes to later ones; GitHub keeps 10 GB of copies."""


def _shorten_store() -> None:
    """Drop the oldest replies of a store that lives on only as copies in caches."""
    temporary, place = os.environ.get("RUNNER_TEMP"), store_place()
    if not temporary or is_shared() or not Path(place).is_relative_to(temporary):
        return
    with suppress(StoreError), open_replies() as store:
        store.shorten(_KEPT)


def _there(path: Path) -> Path:
    """The path, or its nearest existing parent: git keeps no empty folders."""
    return next((one for one in (path, *path.absolute().parents) if one.exists()), path)


def _reviewed(
    wanted: ReviewOptions, lines: "_ChangedLines", tray: Tray
) -> tuple[int, Report | None]:
    """Review the chosen papers, also if the change moved them, and write the results.

    The report is None if the change removed them all.
    """
    review, said = _placed(wanted, lines)
    if review is None:
        _brief(tray, lines.event.head, said, Conclusion.STRUCTURE)
        return 0, None
    reports: list[Report] = []
    status = _review(review, reports.append)
    status = 0 if is_apart(reports[-1]) else status
    _put_down(reports[-1], lines, status, tray, wanted=review, said=said)
    return status, reports[-1]


def _placed(wanted: ReviewOptions, lines: "_ChangedLines") -> tuple[ReviewOptions | None, str]:
    """The review of the place to which a change moved a folder's paper, and a sentence about it.

    None if the change removed it; "" if it did not move. IncompleteError if several papers may be
    the moved one.
    """
    repository, head, root = lines.repository, lines.event.head, lines.repository.root
    revisions = wanted.revisions
    folder = place_within(revisions.path, root)
    is_here = not folder or has_paper(repository, head, folder=folder)
    if root is None or is_here or not has_paper(repository, lines.base, folder=folder):
        return wanted, ""
    with run_review(replace(revisions, path=root), paper=None) as report:
        at = {paper.state.paper.root: paper.before for paper in report.papers}
    start = f"{folder}/"
    moved = [new for new, old in at.items() if old and old.paper.root.startswith(start)]
    moved = moved or [new for new, old in at.items() if old is None]
    if not moved:
        return None, f"This change removes the paper in {folder}."
    hint = "change path in the workflow."
    if len(moved) > 1:
        raise IncompleteError(f"The papers in {folder} are now {', '.join(moved)}: {hint}")
    said = f"The paper in {folder} is now {moved[0]}: {hint}"
    return replace(wanted, revisions=replace(revisions, path=root / moved[0])), said


def _is_passed(error: PfError, lines: "_ChangedLines", tray: Tray) -> bool:
    """Whether a failed review had nothing to review; writes the result in either case."""
    found, base, repository = lines.event, lines.base, lines.repository
    is_expected = has_paper(repository, base, found.trusted, found.head)
    if isinstance(error, NoPaperError) and not is_expected:
        tray.summary(_NO_PAPER)
        tray.outputs(proofs="false")
        return True
    if not found.is_default and touches_no_paper(repository, base, found.head):
        _brief(tray, found.head, APART, Conclusion.STRUCTURE)
        return True
    is_open = not tray.is_private or isinstance(error, ConfigError | NoPaperError)
    words = error.__cause__.message if isinstance(error.__cause__, NoPaperError) else error.message
    words = not_reviewed(words if is_open else PRIVATE)
    _brief(tray, found.head, UNREVIEWED, Conclusion.INCOMPLETE, words)
    return False


_NO_PAPER = "No LaTeX file here: nothing to review."


def _brief(tray: Tray, head: str, title: str, ended: Conclusion, words: str = "") -> None:
    """Write a result that is one sentence, or a title with some text."""
    summary = words or f"### pf-verify: {prose(title)}\n"
    made = brief_publication(
        head, shortened(title, 200), summary, conclusion=ended, is_private=tray.is_private
    )
    tray.file("publication", handed(made))
    tray.file("annotations", f"{notice(title)}\n")
    tray.summary(summary)
    tray.outputs(conclusion=ended.value, proofs="false")


_Wording = Callable[[Report, Publication, str | None, str], tuple[Publication, frozenset[str]]]
"""Takes a report, a publication, the patches of the change, and the paper's folder."""


@dataclass(frozen=True, slots=True)
class _ChangedLines:
    """The lines of a change, which may get comments; `base` is where it diverged."""

    repository: GitRepository
    base: str
    event: ActionsEvent

    def remarked(self, report: Report, made: Publication) -> tuple[Publication, frozenset[str]]:
        """A publication in its final words with its comments, and the ids of their findings.

        Without comments if no later job writes them, or they are too long to pass on.
        """
        if made.is_private:
            return made, frozenset()
        (write,) = entry_points(group=REMARKS)
        remarks: _Wording = write.load()
        paper = os.environ.get("PF_PAPER", "")
        if self._is_told():
            paths = self.repository.differing(self.base, self.event.head)[:_MOST_FILES]
            patches = (self.repository.patch(self.base, self.event.head, path) for path in paths)
            more, ids = remarks(report, made, "".join(patches), paper)
            more = more.model_copy(update={"base": self.base})
            if len(packed(more.text())) <= ROOM:
                return more, ids
        return remarks(report, made, None, paper)

    def _is_told(self) -> bool:
        """Whether a later job comments on lines."""
        is_meant = bool(self.base) and os.environ.get("PF_COMMENTS") == "true"
        is_able = os.environ.get("GITHUB_ACTOR") != DEPENDABOT
        return is_meant and is_able and self.event.kind in _COMMENTED


def _withheld(tray: Tray, head: str) -> int:
    """Report that nothing is reviewed, which is not a pass, whatever was found before."""
    _brief(tray, head, WITHHELD, Conclusion.INCOMPLETE, WITHHELD)
    return 3


_RUN = ("GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT")


def _today() -> str:
    return f"{datetime.now(UTC):%Y-%m-%d}"


def _spending(report: Report, review: ReviewOptions) -> str:
    """The name by which other runs of the day learn what this one spent; "" if nothing."""
    key, spent = os.environ.get("PF_KEY", ""), report.spent
    if not key or spent is None or not spent.cost:
        return ""
    run = " ".join((*(os.environ.get(name, "") for name in _RUN), str(review.revisions.path)))
    return spending_name(day=_today(), dollars=spent.cost, run=run, key=key)


def _elsewhere() -> float:
    """Dollars that other runs of the day have spent, by the names that an earlier step found."""
    names = os.environ.get("PF_SPENT", "").split()
    return spent_by(names, day=_today(), key=os.environ.get("PF_KEY", ""))


def _at_tip(found: ActionsEvent, repository: GitRepository) -> ActionsEvent:
    """The event; a pull request is compared with the tip of its base in the checkout.

    GitHub names the base commit of the last push to the head, which may be older.
    """
    if not found.base_ref:
        return found
    try:
        tip = repository.resolve(f"refs/remotes/origin/{found.base_ref}")
    except (RevisionError, ShallowError):
        return found  # the branch was deleted
    return replace(found, trusted=tip, before=tip)


def _is_private(repository: GitRepository, trusted: str) -> bool:
    """Whether any settings of the base ask for privacy; ConfigError if one cannot be read."""
    moment = snapshot.from_revision(repository, trusted)
    return any(item.publish == paper_settings.PRIVATE for item in settings_of(moment))


def _aimed(wanted: CiOptions, found: ActionsEvent, repository: GitRepository) -> ReviewOptions:
    """The review with its revisions and trusted settings; no one can be asked about a price."""
    review, trusted = wanted.review, repository.resolve(found.trusted)
    base = _base(_begun(found, wanted.since), repository)
    return replace(
        review,
        revisions=replace(
            review.revisions,
            base=base,
            head=found.head,
            whole=base is None,
            settings=trusted,
            repository=repository,
        ),
        reader=replace(
            review.reader,
            is_agreed=True,
            is_offline=not wanted.with_proofs,
            elsewhere=_elsewhere(),
        ),
        output=replace(review.output, format="json"),
    )


def _begun(found: ActionsEvent, since: str) -> ActionsEvent:
    """The event, with a push that begins at `since`, because earlier pushes were not reviewed."""
    if not since:
        return found
    if found.kind is not ActionsEventKind.PUSH or not found.is_default:
        raise UsageError("--since works only for a push to the default branch")
    return replace(found, before=since)


def _base(found: ActionsEvent, repository: GitRepository) -> str | None:
    """The commit where the head diverged from what it is compared with; None: whole paper."""
    if found.before is None:
        return None
    try:
        before = repository.resolve(found.before)
    except RevisionError:
        if not found.is_default:
            raise
        return None  # a forced push removed the earlier commit
    base = repository.merge_base(before, found.head)
    # After a push back to an older commit, compare with the newer one.
    return before if found.is_default and base == found.head else base


def _review(wanted: ReviewOptions, show: Show) -> int:
    if not wanted.reader.is_offline:
        choice = chosen(wanted.reader)
        if choice is None:
            raise UsageError("no model is set, so no proof can be read: set PF_MODEL")
        return check_with_model(CheckOptions(review=wanted), choice, show)
    with run_review(wanted.revisions, paper=wanted.paper) as report:
        show(report)
        return exit_status(report)


def _model(wanted: ReviewOptions) -> str:
    return wanted.reader.model or os.environ.get("PF_MODEL", "")


def _put_down(
    report: Report,
    where: _ChangedLines,
    status: int,
    tray: Tray,
    *,
    wanted: ReviewOptions,
    said: str,
) -> None:
    """Write the files, summary and outputs of a review; `said` tells where the paper moved."""
    model = _model(wanted)
    found = where.event
    made, told = where.remarked(report, _made(report, found, status, tray))
    if is_apart(report) and not found.is_default:  # there, the issue lists what is open
        made = made.model_copy(update={"title": APART, "summary": f"### pf-verify: {APART}\n"})
    tray.file("publication", handed(made))
    if not wanted.reader.is_offline and os.environ.get("PF_COMMENTS") == "true":
        told |= _of_checks(report)  # the step for the structure has annotated these
    lines = [] if tray.is_private else list(annotations(report, told))
    if tray.is_private:
        lines = [notice(made.title)]
    else:
        tray.file("sarif", _room(packed(sarif.check_sarif(report, version("pf-verify")))))
    words = [made.summary]
    if said and not tray.is_private:
        lines.append(notice(said))
        words.append(f"{prose(said)}\n")
    if found.kind is ActionsEventKind.FORK and model:
        lines.append(notice(f"{FORK} {found.head}.", title="The proofs were not read"))
        words.append(f"{FORK} `{found.head}`.\n")
    tray.file("annotations", "".join(f"{line}\n" for line in lines))
    tray.summary("\n".join(words))
    tray.outputs(
        conclusion=made.conclusion.value,
        proofs=_word(
            value=bool(model) and found.kind is not ActionsEventKind.FORK and _has_work(report)
        ),
    )


def _of_checks(report: Report) -> frozenset[str]:
    """The ids of findings of checks, not of readers."""
    read = {item.id for paper in report.papers for item in paper.objections}
    return frozenset(item.id for paper in report.papers for item in paper.findings) - read


def _made(report: Report, found: ActionsEvent, status: int, tray: Tray) -> Publication:
    ledgers = {
        path: ledger_text(lines) for path, lines in recorded(report).items() if found.is_default
    }
    return publication(
        report, head=found.head, status=status, is_private=tray.is_private, ledgers=ledgers
    )


def _has_work(report: Report) -> bool:
    """Whether a proof is affected, or exists at all if the whole paper is reviewed."""
    return any(
        is_readable(paper.state, name)
        for paper in report.papers
        for name in (paper.plan.under_review if report.before else paper.state.document.modules)
    )


def _room(line: str) -> str:
    return line if len(line) <= ROOM else ""


def _word(*, value: bool) -> str:
    return "true" if value else "false"


BUNDLE = "arxiv.tar.gz"
"""The name of the upload, next to the record."""
_PASSED = {True: "The gate passed.", False: "The gate failed."}
_TITLE = "### pf gate\n\n"


def judge(wanted: CiOptions, aimed: ReviewOptions, tray: Tray) -> int:
    """Judge the whole paper at the commit of the event; returns the status of `pf gate`.

    The log shows what `pf gate` prints, except for a private paper.
    """
    output, is_private = aimed.output, tray.is_private
    review = replace(
        aimed,
        revisions=replace(aimed.revisions, base=None, whole=True),
        reader=replace(aimed.reader, is_offline=False),
        output=replace(output, format="text", style=replace(output.style, is_quiet=is_private)),
    )
    out = tray.out / "gate"
    meant = GateOptions(
        review=review,
        out=out,
        trusted=aimed.revisions.settings,
        bundle=out / BUNDLE if wanted.is_bundle else None,
        is_forced=True,
        allow_unread=wanted.allow_unread,
        is_job=True,
    )
    if wanted.is_bundle:
        out.mkdir(parents=True, exist_ok=True)
    told = list[str]()  # filled once the record is written

    def echo(text: str) -> None:
        told.append(text)
        if not is_private:
            say(text)

    try:
        status = gate(meant, echo)
    except PfError as error:
        tray.outputs(conclusion=Conclusion.INCOMPLETE.value)
        if not told:
            why = "." if is_private else f": {prose(error.message)}"
            tray.summary(f"{_TITLE}Not judged{why}\n")
            raise
        if not is_private:
            tray.summary(_record(out))
            raise
        tray.summary(f"{_TITLE}{_PASSED[True]} The upload was not written.\n")
        return error.exit_status
    tray.summary(f"{_TITLE}{_PASSED[status == 0]}\n" if is_private else _record(out))
    tray.outputs(conclusion={0: "clean", 1: "blocking"}.get(status, "incomplete"))
    return status


_MOST_OF_PAGE = 250_000
"""Characters of a record on the page of a job: GitHub's limit is 1 MiB, at four bytes each."""


def _record(folder: Path) -> str:
    """The record for the page of a job; a long one is cut at the end of a line."""
    text = (folder / "record.md").read_text(encoding="utf-8")
    if len(text) <= _MOST_OF_PAGE:
        return text
    return f"{text[:_MOST_OF_PAGE].rpartition(chr(10))[0]}\n\n… the artifact has all of record.md\n"
