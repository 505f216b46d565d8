r"""`pf gate`: judge the whole paper at one revision, before you submit it.

Writes the record, and the upload for arXiv if the paper passes.
"""

import os
import posixpath
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import chain, count
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from pfcore.cli.commands.check_command import CheckSession
from pfcore.cli.commands.report_command import report_html
from pfcore.cli.environment import (
    chosen,
    is_ci,
    is_guarded,
    is_tracked,
    require_no_source,
    require_ours,
    run_review,
    write_all,
)
from pfcore.cli.environment import replace as put_in_place
from pfcore.cli.environment import require_place as require_name
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.options import ReviewOptions, caller_of, typed_path
from pfcore.cli.upload_bundle import Bundle, bundled, require_packages, size_ahead
from pfcore.domain.errors import IncompleteError, NoPaperError, PfError, UsageError
from pfcore.domain.paper_settings import LEDGER_NAME
from pfcore.latex.project.documents import RIVAL
from pfcore.ledger.ledger import LedgerEntry, LedgerKey
from pfcore.papers.paper import Paper
from pfcore.reporters import gate_report
from pfcore.reporters.answer_record import AnswerAuthors, files_with_answers
from pfcore.reporters.formats import sarif
from pfcore.reporters.gate_report import Facts, record, sentences, without_citations
from pfcore.reporters.gate_steps import PLAIN_HINTS, GateHints, unpassed
from pfcore.reporters.printing import Style, plural
from pfcore.repository import snapshot, source_files
from pfcore.repository.commit_log import blamed_lines
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_archive import unpacked
from pfcore.review.gate import GateOutcome, exit_status, outcomes
from pfcore.review.review import PaperReport, Report, before_upload, only_papers
from pfcore.review.unseen import unseen_of
from pfcore.review.upload import main_files
from pfcore.review.verification_setup import VerificationSetup

FILES = ("findings.sarif", "record.md", "report.html", "result.json")


_OWN, _NONE = "those of the commit itself", "none are in the commit"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRevision:
    """The judged commit; `lock` is the one whose ledger counts, if it is another."""

    repository: GitRepository
    commit: str
    lock: Snapshot | None = None
    lock_words: str = _OWN


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The options of `pf gate`.

    `out` is the named folder for the results, if any; `bundle` the file for the upload (None: write
    none), and `is_forced` whether an existing file may be replaced. `trusted` is the named revision
    whose ledger counts, if any. `source` is an archive to judge instead of a repository; `archive`
    describes it. `is_unpassed`: also write a bundle if the gate fails, under a name that shows
    this. `roots` are the named main files, which belong together. `is_job`: this runs on a build
    server, while the printed commands are for a clone.
    """

    review: ReviewOptions
    out: Path | None
    bundle: Path | None = None
    is_forced: bool = False
    trusted: str | None = None
    allow_unread: bool = False
    source: Path | None = None
    archive: str = ""
    is_unpassed: bool = False
    roots: tuple[str, ...] = ()
    is_job: bool = False


def gate(wanted: GateOptions, echo: Callable[[str], None]) -> int:
    """Judge, write the results into a folder, and print them; 0 only if every paper passes."""
    if wanted.source is None:
        return _gate(wanted, echo)
    revisions = wanted.review.revisions
    if revisions.head or wanted.trusted or revisions.settings:
        raise UsageError(
            "an archive has no revisions: --head, --trust-lock and --config-from cannot be used"
        )
    with unpacked(wanted.source) as (own, found):
        if found.ignored:
            words = f"ignored, because they come from the archive: {', '.join(found.ignored)}"
            _tell([words], wanted.review.output.style)
        _tell(found.notes, wanted.review.output.style)
        place = own.root or revisions.path
        inside = replace(wanted.review, revisions=replace(revisions, path=place, repository=own))
        name = f"{wanted.source.name}, SHA-256 {found.digest}"
        out = wanted.out or _folder_of(wanted.source, found.digest)
        again = replace(wanted, review=inside, out=out, archive=name)
        try:
            return _gate(again, echo)
        except NoPaperError as error:
            why = error.message.removeprefix(f"{place}: ")
            raise IncompleteError(f"{wanted.source.name}: {why}") from error


_PACKED = re.compile(r"\.(?:zip|tar|tgz|tbz2?|txz|gz|bz2|xz|tex)\Z", re.IGNORECASE)


def _folder_of(source: Path, digest: str) -> Path:
    """The folder for an archive's results, never one that holds those of another archive."""
    stem = source.name
    while _PACKED.search(stem) and not _PACKED.fullmatch(stem):
        stem = _PACKED.sub("", stem)
    place = Path(f"pf-gate-{stem}")
    try:
        text = (place / "result.json").read_text("utf-8")
    except (OSError, ValueError):
        return place
    return place if digest in text else Path(f"{place}-{digest[:8]}")


def _gate(wanted: GateOptions, echo: Callable[[str], None]) -> int:
    out, output = wanted.out or Path("pf-gate"), wanted.review.output
    moment, style = _moment(wanted), output.style
    require_ours(out, FILES)
    if wanted.is_unpassed and not wanted.bundle:
        raise UsageError("--unpassed needs --bundle FILE")
    if wanted.bundle:
        places = [wanted.bundle, *([unpassed(wanted.bundle)] if wanted.is_unpassed else [])]
        for place in places:
            require_place(place, "" if wanted.is_forced else _forced(wanted))
    dirty = _dirty(moment) if wanted.review.revisions.head is None else []
    _tell(dirty, style)
    with _read(wanted, moment) as (read, left):
        report = before_upload(read)
        judged = outcomes(report, allow_unread=wanted.allow_unread)
        is_going = wanted.bundle and (exit_status(judged) == 0 or wanted.is_unpassed)
        made, fault = _bundle(report, judged, moment, wanted.roots) if is_going else (None, None)
        refused = _refused(wanted, made, fault, is_passed=exit_status(judged) == 0)
        papers = [paper.state.paper for paper in report.papers]
        large = "" if wanted.bundle else size_ahead(papers, moment.repository, moment.commit)
        loose = list(_uncommitted(papers, moment)) if wanted.bundle else []
        facts = _facts(wanted, report, moment, made, left, (refused or large, *loose))
        files, hints = _files(report, judged, facts, made, refused), _hints(wanted)
        write_all(out, files)
        beside = [
            f"written: {out}{os.sep} ({', '.join(files)})",
            *_unrecorded(wanted, report, hints),
            *_others(report, judged, left, hints, style),
            *_next(wanted, report, judged, hints),
            *([large] if large else []),
            *loose,
        ]
        rows = style.rows(f"pf: {line}" for line in (*dirty, *beside, *_about(made, style)))
        shown = gate_report.gate_text(report, judged, style, hints, beside=rows, facts=facts)
        echo(files["result.json"] if output.format == "json" else shown)
    _tell(beside, style)
    if fault is not None:
        raise fault
    if wanted.bundle:
        _tell(_upload(wanted, made, style, is_passed=exit_status(judged) == 0), style)
    if made is not None and made.stripped.uncited and exit_status(judged) == 0:
        raise IncompleteError(without_citations(made.stripped, is_written=wanted.is_unpassed))
    return exit_status(judged)


def _hints(wanted: GateOptions) -> GateHints:
    """How to type commands here for the same papers; findings in an archive have no answers."""
    if wanted.is_job:
        return PLAIN_HINTS
    caller = caller_of(wanted.review)
    bundle = f" {quote(f'--bundle={wanted.bundle}')}" if wanted.bundle else ""
    bundle += " --unpassed" if wanted.is_unpassed else ""
    bundle += " --force" if wanted.is_forced or wanted.is_unpassed else ""
    unread = " --allow-unread" if wanted.allow_unread else ""
    if wanted.source is not None:
        gate = f"{caller.pf} gate --source {quote(str(wanted.source))}{unread}"
        paper = wanted.review.paper or ""
        return GateHints(gate=gate, dismiss="", paper=paper, bundle=bundle)
    revisions = wanted.review.revisions
    named = (
        ("head", revisions.head),
        ("trust-lock", wanted.trusted),
        ("config-from", revisions.settings),
    )
    parts = "".join(f" {quote(f'--{name}={word}')}" for name, word in named if word is not None)
    place = f" {quote(typed_path(revisions.path))}" if revisions.path != Path() else ""
    return GateHints(
        gate=f"{caller.pf} gate{parts}{place}{unread}",
        dismiss=f"{caller.pf} dismiss",
        place=f"{caller.reader}{place}",
        paper=wanted.review.paper or "",
        bundle=bundle,
    )


def _forced(wanted: GateOptions) -> str:
    """The command that was typed, with the option that overwrites the bundle."""
    roots = "".join(f" {_root_option(root)}" for root in wanted.roots)
    return f"{_hints(replace(wanted, is_forced=True)).again}{roots}"


def _bundle(
    report: Report, judged: Sequence[GateOutcome], moment: GateRevision, roots: Sequence[str]
) -> tuple[Bundle | None, PfError | None]:
    """The upload of the papers, or the error; the record is written in either case."""
    try:
        require_packages()
        states = [paper.state for paper in report.papers]
        answered = frozenset[str]().union(*(item.undefined for item in judged))
        return bundled(states, moment.repository, moment.commit, roots, answered), None
    except PfError as error:
        return None, error


def _refused(
    wanted: GateOptions, made: Bundle | None, fault: PfError | None, *, is_passed: bool
) -> str:
    """Why a requested bundle is missing or not ready; "" if it is ready, or not requested."""
    if wanted.bundle is None:
        return ""
    if made is None:
        why = str(fault or "the gate failed").removesuffix("; no bundle written")
        return f"{wanted.bundle.name} was not written: {why}"
    if made.stripped.uncited:
        return without_citations(made.stripped, is_written=wanted.is_unpassed)
    return "" if is_passed else f"{unpassed(wanted.bundle).name} is not ready: the gate failed"


_FILES = 3
"""The most files of a list about an upload on a terminal; record.md has all."""


def _about(made: Bundle | None, style: Style) -> list[str]:
    """The sentences about an upload, if one was made."""
    if made is None:
        return []
    return list(sentences(made.stripped, *([] if style.is_whole else [_FILES])))


def _upload(
    wanted: GateOptions, made: Bundle | None, style: Style, *, is_passed: bool
) -> Iterator[str]:
    place = wanted.bundle
    if place is None:
        return
    if made is None:
        yield f"{place} was not written: the gate failed"
        return
    is_ready = is_passed and not made.stripped.uncited
    if is_ready or wanted.is_unpassed:
        place = place if is_ready else unpassed(place)
        put(place, made)
        why = "not ready for an upload" if is_passed else "the gate failed"
        lost = len(made.stripped.undefined)
        number = plural(lost, "citation is", "citations are")
        more = f"; {number} undefined" if is_ready and lost else ""
        faults = len(made.stripped.errors)
        more += f"; LaTeX reports {plural(faults, 'error')}" if faults else ""
        yield f"written: {place}, {'for upload to arXiv' if is_ready else why}{more}"
        if made.stripped.uncompiled:
            folder = quote(str(place.with_name(f"{place.name.partition('.')[0]}-compiled")))
            unpack = f"mkdir {folder} && tar xzf {quote(str(place))} -C {folder} && cd {folder}"
            yield f"to compile it: {unpack} && {made.stripped.runs}"
    yield from _about(made, style)
    if made.stripped.uncited and not is_passed:
        yield without_citations(made.stripped, is_written=True)


def _moment(wanted: GateOptions) -> GateRevision:
    revisions = wanted.review.revisions
    path, head = revisions.path, revisions.head
    repository = revisions.repository or find_repository(path)
    if repository is None:
        raise UsageError(f"not a git repository: {path} (the gate judges a commit)")
    if repository.root is None:
        raise repository.without_files(path, "run the gate in a clone of it")
    if repository.commit is None and head is None:
        raise UsageError(f"no commit yet: {path} (the gate judges a commit)")
    commit = repository.resolve(head or "HEAD")
    if wanted.archive:
        words = "none (an archive's own pf.lock does not count)"
        return GateRevision(repository=repository, commit=commit, lock_words=words)
    named = wanted.trusted or (repository.default_branch() if is_ci() else None)
    if named is not None:
        lock = snapshot.from_revision(repository, named)
        known = (lock.commit or "")[:12]
        words = f"those of {known}" if named == lock.commit else f"those of {named} ({known})"
        return GateRevision(repository=repository, commit=commit, lock=lock, lock_words=words)
    if is_ci():
        words = "none: no default branch is known (choose a revision with --trust-lock)"
        return GateRevision(repository=repository, commit=commit, lock_words=words)
    return GateRevision(repository=repository, commit=commit)


def _dirty(moment: GateRevision) -> list[str]:
    """A sentence if uncommitted changes are not judged."""
    repository = moment.repository
    here = repository.worktree()
    untracked = {path for path in here.untracked if source_files.is_of_interest(path)}
    changed = here.modified | here.deleted | set(repository.differing(moment.commit)) | untracked
    if not changed:
        return []
    files = plural(len(changed), "file differs", "files differ")
    named = [f"{name} ({'deleted' * (name in here.deleted)})" for name in sorted(changed)]
    more = f" and {len(named) - _DIFFERING:,} more" if len(named) > _DIFFERING else ""
    listed = ", ".join(name.removesuffix(" ()") for name in named[:_DIFFERING])
    words = f"{files} from the judged commit {moment.commit[:12]}: {listed}{more}"
    has_answers = any(posixpath.basename(path) == LEDGER_NAME for path in changed)
    answers = f"; the answers in {LEDGER_NAME} do not count until committed" if has_answers else ""
    return [f"{words}. Commit first to include your changes{answers}"]


_DIFFERING = 3
"""The most files that differ from the commit to name."""


class DocumentsLeftOut(NamedTuple):
    """The documents of a repository that are not judged: `empty` ones have no results.

    `others` are other main files, each with the reason.
    """

    empty: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def _others(
    report: Report,
    judged: Sequence[GateOutcome],
    left: DocumentsLeftOut,
    hints: GateHints,
    style: Style,
) -> Iterator[str]:
    """Sentences about papers and documents that were or were not judged."""
    if left.empty:
        command = f"{hints.gate} --paper {quote(left.empty[0])}"
        listed = _first(left.empty, style)
        yield f"not judged, because no theorems were found there: {listed}. To judge one: {command}"
    if left.others:
        command = f"{hints.gate} {_root_option(left.others[0].partition(' (')[0])}"
        listed = _first(left.others, style)
        yield f"other main files, not judged: {listed}. To choose one: {command}"
    if len(report.papers) > 1 and exit_status(judged):
        names = [paper.state.paper.name for paper in report.papers]
        number = f"{len(names):,} papers were judged: {_first(names, style)}"
        both = zip(report.papers, judged, strict=True)
        open_ones = [paper for paper, outcome in both if not outcome.is_passed]
        yield f"{number}. To judge one: {hints.gate} --paper {quote(_longest(open_ones))}"


def _longest(papers: Iterable[PaperReport]) -> str:
    """The paper with the most results."""
    return max(papers, key=lambda paper: paper.plan.total).state.paper.name


def _next(
    wanted: GateOptions, report: Report, judged: Sequence[GateOutcome], hints: GateHints
) -> Iterator[str]:
    """The command that writes the upload if the gate passes and no bundle was requested."""
    is_latex = not all(paper.state.paper.is_markup for paper in report.papers)
    if exit_status(judged) or wanted.bundle or wanted.is_job or not is_latex:
        return
    paper = wanted.review.paper or (_longest(report.papers) if len(report.papers) > 1 else "")
    roots = "".join(f" {_root_option(root)}" for root in wanted.roots)
    command = replace(hints, paper="" if roots else paper).again + roots
    numbered = (f"-{number}" for number in count(2))
    names = (f"arxiv{more}.tar.gz" for more in chain([""], numbered))
    free = next(name for name in names if not os.path.lexists(name))
    yield f"to write the upload for arXiv: {command} --bundle {free}"


def _root_option(root: str) -> str:
    """The option that names a main file, whose name may begin with a dash."""
    return f"--root{'=' if root.startswith('-') else ' '}{quote(root)}"


_NAMED = 2
"""The most names on a terminal; record.md has all."""


def _first(names: Sequence[str], style: Style) -> str:
    """The first names, and how many more follow."""
    more = len(names) - _NAMED
    if style.is_whole or more < 2:
        return ", ".join(names)
    return f"{', '.join(names[:_NAMED])} and {more:,} more"


@contextmanager
def _read(wanted: GateOptions, moment: GateRevision) -> Iterator[tuple[Report, DocumentsLeftOut]]:
    """The review of the whole commit, after the named model, if any, has read unread proofs.

    With the documents that are not judged.
    """
    review = wanted.review
    revisions = review.revisions
    if revisions.head is None:
        revisions = replace(revisions, head=moment.commit)
    choice = chosen(review.reader)
    if choice is None:
        own = VerificationSetup(is_ci=is_ci(), lock=moment.lock)
        with run_review(revisions, own, paper=review.paper, roots=wanted.roots) as report:
            yield _judged(wanted, report)
        return
    with open_replies() as store:
        own = desk(review.reader, choice, store, is_ci=is_guarded(revisions))
        own = replace(own, lock=moment.lock)
        with run_review(revisions, own, paper=review.paper, roots=wanted.roots) as report:
            judged, left = _judged(wanted, report)
            run = CheckSession(
                reader=review.reader, output=review.output, choice=choice, desk=own, store=store
            )
            yield run.read(judged, whole=True)[0], left


def _judged(wanted: GateOptions, report: Report) -> tuple[Report, DocumentsLeftOut]:
    """The chosen papers, without documents that have no results, such as letters.

    These stay if the user or pf.toml names them, or if no other document is left.
    """
    empty = [paper for paper in report.papers if _states_nothing(paper)]
    if wanted.roots or wanted.review.paper or len(empty) == len(report.papers):
        empty = []
    papers = tuple(paper for paper in report.papers if paper not in empty)
    meant = _meant(wanted, replace(report, papers=papers))
    names = tuple(paper.state.paper.name for paper in empty)
    return meant, DocumentsLeftOut(names, tuple(_not_meant(wanted, report, meant)))


def _not_meant(wanted: GateOptions, report: Report, meant: Report) -> Iterator[str]:
    """The main files that are not judged because they share text with one that is, with why."""
    judged = {paper.state.paper.root: paper.state.paper for paper in meant.papers}
    for paper in report.papers if wanted.roots else ():
        own = paper.state.paper
        if own.root in judged:
            continue
        shared = [
            (path, root)
            for root, other in judged.items()
            for path in own.outline.order
            if path in other.outline.order and path.endswith((".tex", ".ltx"))
        ]
        path, root = shared[0] if shared else ("", "")
        yield f"{own.root} ({f'shares {path} with {root}' if path else 'not chosen'})"
    for item in report.library.asides:
        if item.reason.startswith(f"{RIVAL} ") and item.path not in judged:
            yield f"{item.path} ({item.reason})"


def _states_nothing(paper: PaperReport) -> bool:
    """Whether a document is not listed in pf.toml, was read completely, and has no result."""
    is_listed = bool(paper.state.paper.settings.papers)
    modules = paper.state.document.modules.values()
    is_whole = not any(item.is_failure for item in unseen_of(paper))
    return is_whole and not is_listed and not any(item.is_asserted for item in modules)


def _meant(wanted: GateOptions, report: Report) -> Report:
    """The chosen papers; UsageError, before any model is asked, if the choice is not clear.

    An upload has one paper, or those whose main files are named.
    """
    if wanted.roots:
        there = {root: paper for paper in report.papers for root in main_files(paper.state.paper)}
        lacking = [root for root in wanted.roots if root not in there]
        if lacking:
            listed = ", ".join(there)
            raise UsageError(
                f"{lacking[0]} is not the main file of a paper; expected one of: {listed}"
            )
        meant = {there[root].state.paper.name: there[root] for root in wanted.roots}
        return only_papers(report, list(meant.values()))
    if wanted.bundle and len(report.papers) > 1:
        named = ", ".join(paper.state.paper.name for paper in report.papers)
        together = " ".join(_root_option(paper.state.paper.root) for paper in report.papers)
        message = f"a bundle holds one paper: choose it with --paper ({named})"
        raise UsageError(f"{message}, or name all main files that belong together: {together}")
    return report


def _uncommitted(papers: Sequence[Paper], moment: GateRevision) -> Iterator[str]:
    """Sentences about .bbl files that are in the folder but not in the commit."""
    root = moment.repository.root
    roots = [main for paper in papers for main in main_files(paper)]
    names = [f"{main.rpartition('.')[0]}.bbl" for main in roots]
    there = [name for name in names if root and (root / name).is_file()]
    known = {entry.path for entry in moment.repository.tree(moment.commit)} if there else set()
    way = os.path.relpath(root) if root else "."
    folder = "" if way == "." else f" -C {quote(way)}"
    for name in there:
        if name not in known:
            yield (
                f"{name} is in the folder but not in the commit, so the bundle lacks it; "
                f"to add it: git{folder} add -f {quote(name)} && git{folder} commit -m "
                f"'Add the bibliography'"
            )


def _authors(papers: Sequence[PaperReport], moment: GateRevision) -> AnswerAuthors:
    """Who committed the answers that count."""
    trusted = (moment.lock.commit if moment.lock else None) or moment.commit
    ledgers = {paper.state.paper.settings.ledger for paper in papers}
    return AnswerAuthors(
        {
            path: tuple(
                blamed_lines(moment.repository, trusted if path in ledgers else moment.commit, path)
            )
            for path in dict.fromkeys(files_with_answers(papers))
        }
    )


def _facts(
    wanted: GateOptions,
    report: Report,
    moment: GateRevision,
    made: Bundle | None,
    left: DocumentsLeftOut,
    ahead: Sequence[str],
) -> Facts:
    """The record's facts besides the review; `ahead`: reasons against an upload."""
    return Facts(
        archive=wanted.archive,
        commit=moment.commit,
        date=moment.repository.date(moment.commit),
        version=version("pf-verify"),
        lock=moment.lock_words if moment.lock_words != _OWN or _has_answers(report) else _NONE,
        upload=(*filter(None, ahead), *(sentences(made.stripped) if made else ())),
        authors=_authors(report.papers, moment),
        uncompiled=made.stripped.uncompiled if made else "",
        undefined=made.stripped.undefined if made else (),
        beside=(*(f"{name} (no theorems found)" for name in left.empty), *left.others),
    )


def _has_answers(report: Report) -> bool:
    """Whether the sources have an ignore comment, or the commit has a ledger."""
    papers = [paper.state.paper for paper in report.papers]
    in_sources = any(item.ignores for paper in papers for item in paper.readings.values())
    return in_sources or any(paper.settings.ledger in paper.snapshot.files for paper in papers)


def _files(
    report: Report,
    outcomes: Sequence[GateOutcome],
    facts: Facts,
    made: Bundle | None,
    refused: str,
) -> dict[str, str]:
    """The texts to be written, by their names."""
    stripped = made.stripped if made else None
    told = gate_report.verdict(report, outcomes, facts.undefined)
    texts = (
        sarif.check_sarif(report, facts.version),
        record(report, outcomes, facts),
        report_html(report, is_told=False, verdict=told),
        gate_report.gate_json(report, outcomes, facts, stripped, refused),
    )
    return dict(zip(FILES, texts, strict=True))


def _unrecorded(wanted: GateOptions, report: Report, hints: GateHints) -> Iterator[str]:
    """A sentence with the command to record new verdicts; the gate itself changes no file."""
    if report.model is None or wanted.archive or wanted.review.revisions.head is not None:
        return
    number = 0
    for sheet in filter(None, (paper.sheet for paper in report.papers)):
        known = sheet.knowledge.ledger.entries
        found = (item for item in sheet.readings.values() if isinstance(item, LedgerEntry))
        number += sum(
            item not in known.get(LedgerKey(item.context, item.contract), ()) for item in found
        )
    if number:
        words = plural(number, "verdict is", "verdicts are")
        command = f"{caller_of(wanted.review).pf} check --all{hints.place} --update-lock"
        yield f"{words} not in {LEDGER_NAME}. To record them: {command}, then commit {LEDGER_NAME}"


def _tell(lines: Sequence[str] | Iterator[str], style: Style) -> None:
    """Write lines to stderr, unless output is quiet."""
    text = style.finish(f"pf: {line}" for line in lines)
    if not style.is_quiet:
        sys.stderr.write(text)


def require_place(place: Path, forced: str) -> None:
    """UsageError for a place of the bundle that is not allowed, or may not be overwritten.

    `forced` is the command that overwrites it, "" if that was typed.
    """
    require_name(place, "--bundle")
    require_no_source(place, "--bundle")
    if not place.name.lower().endswith((".tar.gz", ".tgz")):
        stem = str(place).removesuffix(place.suffix).removesuffix(".tar")
        raise UsageError(f"the upload is a .tar.gz: --bundle {quote(f'{stem}.tar.gz')}")
    if place.is_symlink():
        raise UsageError(f"{place} is a symbolic link; choose another name with --bundle")
    if place.exists() and forced:
        raise UsageError(f"{place} already exists; to overwrite it: {forced}")
    if place.exists() and not place.is_file():
        raise UsageError(f"{place} is not a regular file; choose another path with --bundle")
    if place.exists() and is_tracked(place):
        raise UsageError(f"{place} is tracked by git; choose another path with --bundle")
    if not place.parent.is_dir():
        raise IncompleteError(f"{place.parent} does not exist; choose another path with --bundle")


def put(place: Path, bundle: Bundle) -> None:
    """Write the archive, whole or not at all."""
    try:
        put_in_place(place, bundle.data)
    except OSError as error:
        raise IncompleteError(f"{place} cannot be written: {error.strerror}") from error
