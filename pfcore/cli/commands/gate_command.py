"""`pf gate`: the whole paper at one revision, before it goes out."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from pfcore.cli.commands.bundling import Bundle, bundled, put, require_place
from pfcore.cli.commands.check_command import CheckSession
from pfcore.cli.commands.report_command import report_html
from pfcore.cli.environment import chosen, is_ci, run_review
from pfcore.cli.exit_status import pf_command
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.outputs import require_ours, write_all
from pfcore.domain.errors import PfError, UsageError
from pfcore.reporters import gates
from pfcore.reporters.formats import sarif
from pfcore.reporters.gate_report import Facts, record
from pfcore.reporters.printing import plural
from pfcore.reporters.style import Style
from pfcore.reporters.uploads import sentences
from pfcore.repository import snapshot, source_files
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.snapshot import Snapshot
from pfcore.review.gate import outcomes
from pfcore.review.outcome import Cause, GateOutcome, exit_status
from pfcore.review.review import Report
from pfcore.review.verification_setup import VerificationSetup

FILES = ("findings.sarif", "record.md", "report.html", "result.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRevision:
    """The commit that is judged; `lock` is the one whose lines of the ledger count, if another."""

    repository: GitRepository
    commit: str
    lock: Snapshot | None = None
    lock_words: str = "those of the commit itself"


def gate(arguments: argparse.Namespace, style: Style, echo: Callable[[str], None]) -> int:
    """Judge, write what is known into a folder, and say it; 0 only if every paper passes."""
    moment = _moment(arguments)
    require_ours(arguments.out, FILES)
    if arguments.bundle:
        require_place(arguments.bundle, is_forced=arguments.force)
    if arguments.head is None:
        _tell_dirty(moment, style)
        arguments.head = moment.commit
    with _read(arguments, moment, style) as report:
        judged = outcomes(report, allow_unread=arguments.allow_unread)
        is_going = arguments.bundle and exit_status(judged) == 0
        made, fault = _bundle(report, moment) if is_going else (None, None)
        files = _files(report, judged, moment, made)
        write_all(arguments.out, files)
        is_json = arguments.format == "json"
        echo(files["result.json"] if is_json else gates.gate_text(report, judged, style))
    _tell([f"written: {', '.join(str(arguments.out / name) for name in files)}"], style)
    _tell(_way_out(judged, is_asked=report.model is not None), style)
    if fault is not None:
        raise fault
    if arguments.bundle:
        _tell(_upload(arguments.bundle, made), style)
    return exit_status(judged)


def _bundle(report: Report, moment: GateRevision) -> tuple[Bundle | None, PfError | None]:
    """The upload of the one paper, or why there is none; the record is written all the same."""
    try:
        return bundled(report.papers[0].state, moment.repository, moment.commit), None
    except PfError as error:
        return None, error


def _upload(place: Path, made: Bundle | None) -> Iterator[str]:
    if made is None:
        yield f"{place} is not written: the gate does not pass"
        return
    put(place, made)
    yield f"written: {place}, what arXiv takes"
    yield from sentences(made.stripped)


def _moment(arguments: argparse.Namespace) -> GateRevision:
    path: Path = arguments.path
    repository = find_repository(path)
    if repository is None or repository.root is None:
        raise UsageError(f"{path} is in no git working tree; the gate judges a commit")
    commit = repository.resolve(arguments.head or "HEAD")
    named = arguments.trust_lock or (repository.default_branch() if is_ci() else None)
    if named is not None:
        lock = snapshot.from_revision(repository, named)
        words = f"those of {named} ({(lock.commit or '')[:12]})"
        return GateRevision(repository=repository, commit=commit, lock=lock, lock_words=words)
    if is_ci():
        words = "none: no default branch is known here; --trust-lock names a revision"
        return GateRevision(repository=repository, commit=commit, lock_words=words)
    return GateRevision(repository=repository, commit=commit)


def _tell_dirty(moment: GateRevision, style: Style) -> None:
    """Say that what is not committed is not judged."""
    repository = moment.repository
    here = repository.worktree()
    untracked = {path for path in here.untracked if source_files.is_of_interest(path)}
    changed = here.modified | here.deleted | set(repository.differing(moment.commit)) | untracked
    if changed:
        files = plural(len(changed), "file differs", "files differ")
        words = f"{files} from the commit {moment.commit[:12]}, which is what is judged"
        _tell([f"{words}: commit first, if that is meant"], style)


@contextmanager
def _read(arguments: argparse.Namespace, moment: GateRevision, style: Style) -> Iterator[Report]:
    """The review of the whole commit, after the model that is named has read what is unread."""
    choice = chosen(arguments)
    if choice is None:
        with run_review(arguments, VerificationSetup(is_ci=is_ci(), lock=moment.lock)) as report:
            _require_one(arguments, report)
            yield report
        return
    with open_replies() as store:
        own = replace(desk(arguments, choice, store), lock=moment.lock)
        with run_review(arguments, own) as report:
            _require_one(arguments, report)
            run = CheckSession(
                arguments=arguments, choice=choice, desk=own, store=store, style=style
            )
            yield run.read(report, whole=True)[0]


def _require_one(arguments: argparse.Namespace, report: Report) -> None:
    """An upload is of one paper; nobody is asked anything before that is clear."""
    if arguments.bundle and len(report.papers) > 1:
        named = ", ".join(paper.state.paper.name for paper in report.papers)
        raise UsageError(f"an upload is of one paper: name it with --paper ({named})")


def _files(
    report: Report, outcomes: Sequence[GateOutcome], moment: GateRevision, made: Bundle | None
) -> dict[str, str]:
    """The texts to be written, by their names."""
    facts = Facts(
        commit=moment.commit,
        date=moment.repository.date(moment.commit),
        version=version("pf-verify"),
        lock=moment.lock_words,
        upload=tuple(sentences(made.stripped)) if made else (),
    )
    texts = (
        sarif.check_sarif(report, facts.version),
        record(report, outcomes, facts),
        report_html(report),
        gates.gate_json(report, outcomes, moment.commit, made.stripped if made else None),
    )
    return dict(zip(FILES, texts, strict=True))


def _way_out(outcomes: Sequence[GateOutcome], *, is_asked: bool) -> Iterator[str]:
    """What to run where proofs are unread."""
    unread = sum(r.cause is Cause.UNREAD for item in outcomes for r in item.reasons)
    if unread and is_asked:
        yield f"{plural(unread, 'proof is', 'proofs are')} unread: the reasons stand above"
    elif unread:
        yield (
            f"{plural(unread, 'proof is', 'proofs are')} unread: {pf_command()} gate --model NAME "
            "reads them, --allow-unread looks at the structure only"
        )


def _tell(lines: Sequence[str] | Iterator[str], style: Style) -> None:
    """Beside the output proper."""
    for line in lines:
        sys.stderr.write(style.finish([f"pf: {line}"]))
