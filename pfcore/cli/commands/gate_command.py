r"""`pf gate`: judge the whole paper at one revision, before you submit it.

Makes the upload for arXiv of a paper that has passed: chosen, cleaned, compared, packed.

Runs arxiv-latex-cleaner, on texts whose names it never sees.

It would drop sources that it does not find named, and takes names for regular expressions; so each
source is a file with a number for its name in a folder of ours, where it drops none. It takes every
percent sign for a comment's but `\%`, also one of verbatim text, and after a line break none; so
the former are hidden from it, and the latter's comments are emptied before.
"""

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from pfcore.cli.commands.check_command import CheckSession
from pfcore.cli.commands.report_command import report_html
from pfcore.cli.environment import (
    chosen,
    is_ci,
    is_guarded,
    require_no_source,
    require_ours,
    run_review,
    write_all,
)
from pfcore.cli.environment import replace as put_in_place
from pfcore.cli.exit_status import pf_command
from pfcore.cli.local_data import desk, open_replies
from pfcore.cli.options import ReviewOptions
from pfcore.domain.digest import digest as canonical_digest
from pfcore.domain.errors import IncompleteError, PfError, UsageError
from pfcore.domain.installation import install_command
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.domain.values import Role, Via
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.lexer.mask import mask
from pfcore.latex.project.documents import RIVAL
from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper
from pfcore.papers.tex_process import end_with
from pfcore.reporters import gate_report
from pfcore.reporters.formats import sarif
from pfcore.reporters.gate_report import Facts, Stripped, record, sentences, without_citations
from pfcore.reporters.printing import Style, plural
from pfcore.repository import snapshot, source_files
from pfcore.repository.git import SUBMODULE, SYMLINK, GitRepository, find_repository
from pfcore.repository.scratch_folder import scratch_folder
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_archive import unpacked
from pfcore.repository.source_files import FileEntry, decode
from pfcore.review.bundle_comparison import ComparedUpload, compared, compiled_at_home
from pfcore.review.gate import Cause, GateOutcome, exit_status, outcomes
from pfcore.review.review import PaperReport, Report, before_upload, only_papers
from pfcore.review.unseen import unseen_of
from pfcore.review.upload import (
    CLEANED,
    OwnReadme,
    Upload,
    archive,
    common_compiler,
    compiler_reason,
    is_readme,
    joined,
    own_readme,
    readme,
    rewritten,
    upload,
)
from pfcore.review.verification_setup import VerificationSetup

FILES = ("findings.sarif", "record.md", "report.html", "result.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRevision:
    """The commit that is judged; `lock` is the one whose lines of the ledger count, if another."""

    repository: GitRepository
    commit: str
    lock: Snapshot | None = None
    lock_words: str = "those of the commit itself"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The options of `pf gate`.

    `out` is the folder of what is written, `bundle` the archive that a paper which passes is packed
    into (None: it is not), and `is_forced` whether a file in its place may go. `trusted` is the
    revision whose ledger counts, if one is named. `source` is an archive to be judged in place of a
    repository; `archive` what is said of it. `is_unpassed`: a bundle
    is made of a paper that does not pass, too, under a name that says so. `roots` are the main
    files that go together, if they are named.
    """

    review: ReviewOptions
    out: Path
    bundle: Path | None = None
    is_forced: bool = False
    trusted: str | None = None
    allow_unread: bool = False
    source: Path | None = None
    archive: str = ""
    is_unpassed: bool = False
    roots: tuple[str, ...] = ()


def gate(wanted: GateOptions, echo: Callable[[str], None]) -> int:
    """Judge, write what is known into a folder, and say it; 0 only if every paper passes."""
    if wanted.source is None:
        return _gate(wanted, echo)
    revisions = wanted.review.revisions
    if revisions.head or wanted.trusted or revisions.settings:
        raise UsageError(
            "an archive has no revisions: --head, --trust-lock and --config-from cannot be used"
        )
    with unpacked(wanted.source) as (folder, found):
        if found.ignored:
            words = f"ignored, because they come from the archive: {', '.join(found.ignored)}"
            _tell([words], wanted.review.output.style)
        _tell(found.notes, wanted.review.output.style)
        inside = replace(wanted.review, revisions=replace(revisions, path=folder))
        name = f"{wanted.source.name}, SHA-256 {found.digest}"
        return _gate(replace(wanted, review=inside, source=None, archive=name), echo)


def _gate(wanted: GateOptions, echo: Callable[[str], None]) -> int:
    out, output = wanted.out, wanted.review.output
    moment, style = _moment(wanted), output.style
    require_ours(out, FILES)
    if wanted.is_unpassed and not wanted.bundle:
        raise UsageError("--unpassed needs --bundle FILE")
    if wanted.bundle:
        require_place(wanted.bundle, is_forced=wanted.is_forced)
    if wanted.bundle and wanted.is_unpassed:
        require_place(unpassed(wanted.bundle), is_forced=wanted.is_forced)
    if wanted.review.revisions.head is None:
        _tell_dirty(moment, style)
    with _read(wanted, moment) as (read, left):
        report = before_upload(read)
        judged = outcomes(report, allow_unread=wanted.allow_unread)
        is_going = wanted.bundle and (exit_status(judged) == 0 or wanted.is_unpassed)
        made, fault = _bundle(report, moment) if is_going else (None, None)
        refused = _refused(wanted, made, fault, is_passed=exit_status(judged) == 0)
        large = "" if wanted.bundle else _size_ahead(report, moment)
        facts = _facts(wanted, moment, made, left, refused or large)
        files = _files(report, judged, facts, made, refused)
        write_all(out, files)
        is_json = output.format == "json"
        echo(files["result.json"] if is_json else gate_report.gate_text(report, judged, style))
    _tell([f"written: {', '.join(str(out / name) for name in files)}"], style)
    _tell(_way_out(judged, is_asked=report.model is not None), style)
    _tell(_others(report, judged, left), style)
    _tell([large] if large else [], style)
    if fault is not None:
        raise fault
    if wanted.bundle:
        _tell(_upload(wanted, made, is_passed=exit_status(judged) == 0), style)
    if made is not None and made.stripped.uncited and exit_status(judged) == 0:
        raise IncompleteError(without_citations(made.stripped, is_written=wanted.is_unpassed))
    return exit_status(judged)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The archive, and what is to be said of it."""

    data: bytes
    stripped: Stripped


def _bundle(report: Report, moment: GateRevision) -> tuple[Bundle | None, PfError | None]:
    """The upload of the papers, or why there is none; the record is written all the same."""
    try:
        states = [paper.state for paper in report.papers]
        return bundled(states, moment.repository, moment.commit), None
    except PfError as error:
        return None, error


def _refused(
    wanted: GateOptions, made: Bundle | None, fault: PfError | None, *, is_passed: bool
) -> str:
    """Why there is no bundle that is ready, though one was asked for; "" where there is one."""
    if wanted.bundle is None:
        return ""
    if made is None:
        return f"{wanted.bundle.name} was not written: {fault or 'the gate failed'}"
    if made.stripped.uncited:
        return without_citations(made.stripped, is_written=wanted.is_unpassed)
    return "" if is_passed else f"{unpassed(wanted.bundle).name} is not ready: the gate failed"


def _size_ahead(report: Report, moment: GateRevision) -> str:
    """That an upload of a paper would be too large for arXiv; "" elsewhere, or if it is open."""
    papers = [paper.state.paper for paper in report.papers]
    entries = _regular(moment.repository, moment.commit, papers[0])
    sizes = moment.repository.sizes(entries.values())
    if not gate_report.weight_ahead(sum(sizes.get(oid, 0) for oid in entries.values()), ()):
        return ""
    for paper in papers:
        try:
            chosen = upload(paper, entries)
        except PfError:
            continue
        files = {chosen.inside(path): sizes.get(entries[path], 0) for path in chosen.files}
        heavy = [(name, size) for name, size in files.items() if size > _HEAVY]
        if words := gate_report.weight_ahead(sum(files.values()), heavy):
            return f"{paper.root}: {words}" if len(papers) > 1 else words
    return ""


def _regular(repository: GitRepository, commit: str, paper: Paper) -> dict[str, str]:
    """The regular files of a commit that may go along, each with its blob."""
    return {
        entry.path: entry.oid
        for entry in repository.tree(commit)
        if entry.mode not in (SYMLINK, SUBMODULE) and entry.path in paper.snapshot.paths
    }


def _upload(wanted: GateOptions, made: Bundle | None, *, is_passed: bool) -> Iterator[str]:
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
        yield f"written: {place}, {'for upload to arXiv' if is_ready else why}"
    yield from sentences(made.stripped)
    if made.stripped.uncited and not is_passed:
        yield without_citations(made.stripped, is_written=True)


def unpassed(place: Path) -> Path:
    """Where the bundle of a paper goes that does not pass: its name says so."""
    stem, dot, suffixes = place.name.partition(".")
    return place.with_name(f"{stem}-NOT-PASSED{dot}{suffixes}")


def _moment(wanted: GateOptions) -> GateRevision:
    path, head = wanted.review.revisions.path, wanted.review.revisions.head
    repository = find_repository(path)
    if repository is None:
        raise UsageError(f"not a git repository: {path} (the gate judges a commit)")
    if repository.root is None:
        raise UsageError(f"{path} is a bare repository: run the gate in a clone of it")
    if repository.commit is None and head is None:
        raise UsageError(f"no commit yet: {path} (the gate judges a commit)")
    commit = repository.resolve(head or "HEAD")
    if wanted.archive:
        words = "none (an archive's own pf.lock does not count)"
        return GateRevision(repository=repository, commit=commit, lock_words=words)
    named = wanted.trusted or (repository.default_branch() if is_ci() else None)
    if named is not None:
        lock = snapshot.from_revision(repository, named)
        words = f"those of {named} ({(lock.commit or '')[:12]})"
        return GateRevision(repository=repository, commit=commit, lock=lock, lock_words=words)
    if is_ci():
        words = "none: no default branch is known (choose a revision with --trust-lock)"
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
        words = f"{files} from the commit {moment.commit[:12]}, which is judged"
        _tell([f"{words}: commit first to include your changes"], style)


class DocumentsLeftOut(NamedTuple):
    """The documents of a repository that are not judged: `empty` ones state nothing.

    `others` are main files beside those that are judged, each with why it is not.
    """

    empty: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def _others(report: Report, judged: Sequence[GateOutcome], left: DocumentsLeftOut) -> Iterator[str]:
    """What was judged where several papers are there, and what was not."""
    command = f"{pf_command()} gate"
    if left.empty:
        listed = ", ".join(left.empty)
        yield f"not judged, because no theorems were found there: {listed} ({command} --paper NAME)"
    if left.others:
        listed = ", ".join(left.others)
        yield f"other main files, not judged: {listed}. To choose one: {command} --root FILE"
    if len(report.papers) > 1 and exit_status(judged):
        listed = ", ".join(paper.state.paper.name for paper in report.papers)
        number = f"{len(report.papers):,} papers were judged"
        yield f"{number}: {listed}. To judge one: {command} --paper NAME"


@contextmanager
def _read(wanted: GateOptions, moment: GateRevision) -> Iterator[tuple[Report, DocumentsLeftOut]]:
    """The review of the whole commit, after the model that is named has read what is unread.

    With it the names of what is no paper, and is not judged.
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
    """The papers that are meant, without documents that state nothing: letters, replies.

    None of these is left out that somebody names, here or in pf.toml, nor all of them.
    """
    empty = [paper for paper in report.papers if _states_nothing(paper)]
    if wanted.roots or wanted.review.paper or len(empty) == len(report.papers):
        empty = []
    papers = tuple(paper for paper in report.papers if paper not in empty)
    meant = _meant(wanted, replace(report, papers=papers))
    names = tuple(paper.state.paper.name for paper in empty)
    return meant, DocumentsLeftOut(names, tuple(_not_meant(wanted, report, meant)))


def _not_meant(wanted: GateOptions, report: Report, meant: Report) -> Iterator[str]:
    """The main files that are not judged, each with why: they share their text with one that is."""
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
        yield f"{own.root} (shares {path} with {root})" if path else own.root
    for item in report.library.asides:
        if item.reason.startswith(f"{RIVAL} ") and item.path not in judged:
            yield f"{item.path} ({item.reason})"


def _states_nothing(paper: PaperReport) -> bool:
    """Whether a document that pf.toml does not list has no result, and all of it was read."""
    is_listed = bool(paper.state.paper.settings.papers)
    modules = paper.state.document.modules.values()
    is_whole = not any(item.is_failure for item in unseen_of(paper))
    return is_whole and not is_listed and not any(item.is_asserted for item in modules)


def _meant(wanted: GateOptions, report: Report) -> Report:
    """The papers that are meant; nobody is asked anything before that is clear.

    An upload is of one paper, or of those whose main files are named.
    """
    if wanted.roots:
        there = {paper.state.paper.root: paper for paper in report.papers}
        lacking = [root for root in wanted.roots if root not in there]
        if lacking:
            listed = ", ".join(there)
            raise UsageError(
                f"{lacking[0]} is not the main file of a paper; expected one of: {listed}"
            )
        return only_papers(report, [there[root] for root in wanted.roots])
    if wanted.bundle and len(report.papers) > 1:
        named = ", ".join(paper.state.paper.name for paper in report.papers)
        together = " ".join(f"--root {paper.state.paper.root}" for paper in report.papers)
        message = f"a bundle holds one paper: choose it with --paper ({named})"
        raise UsageError(f"{message}, or all files that belong together: {together}")
    return report


def _facts(
    wanted: GateOptions,
    moment: GateRevision,
    made: Bundle | None,
    left: DocumentsLeftOut,
    ahead: str,
) -> Facts:
    """What the record states beside the review; `ahead`: why there is no upload, or would be."""
    return Facts(
        archive=wanted.archive,
        commit=moment.commit,
        date=moment.repository.date(moment.commit),
        version=version("pf-verify"),
        lock=moment.lock_words,
        upload=(*filter(None, (ahead,)), *(sentences(made.stripped) if made else ())),
        beside=(*(f"{name} (no theorems found)" for name in left.empty), *left.others),
    )


def _files(
    report: Report,
    outcomes: Sequence[GateOutcome],
    facts: Facts,
    made: Bundle | None,
    refused: str,
) -> dict[str, str]:
    """The texts to be written, by their names."""
    stripped = made.stripped if made else None
    texts = (
        sarif.check_sarif(report, facts.version),
        record(report, outcomes, facts),
        report_html(report, is_told=False),
        gate_report.gate_json(report, outcomes, facts.commit, stripped, refused),
    )
    return dict(zip(FILES, texts, strict=True))


def _way_out(outcomes: Sequence[GateOutcome], *, is_asked: bool) -> Iterator[str]:
    """What to run where proofs are unread."""
    unread = sum(r.cause is Cause.UNREAD for item in outcomes for r in item.reasons)
    if unread and is_asked:
        yield f"{plural(unread, 'proof was', 'proofs were')} not read: see above"
    elif unread:
        yield (
            f"{plural(unread, 'proof was', 'proofs were')} not read. To read them: {pf_command()} "
            "gate --model NAME. To skip them: --allow-unread"
        )


def _tell(lines: Sequence[str] | Iterator[str], style: Style) -> None:
    """Beside the output proper."""
    for line in lines:
        sys.stderr.write(style.finish([f"pf: {line}"]))


_COMMENTED = (".sty", ".cls", ".def", ".clo")
"""What the cleaner leaves as it is."""


def require_place(place: Path, *, is_forced: bool) -> None:
    """UsageError where something is there that may not be overwritten, or no file can be."""
    require_no_source(place, "--bundle")
    if place.is_symlink() or (place.exists() and not is_forced):
        raise UsageError(f"{place} already exists (--force overwrites it; links are kept)")
    if place.exists() and not place.is_file():
        raise UsageError(f"{place} is not a file; choose another with --bundle")
    if not place.parent.is_dir():
        raise UsageError(f"{place.parent} does not exist; choose another place with --bundle")


def put(place: Path, bundle: Bundle) -> None:
    """Write the archive, whole or not at all."""
    try:
        put_in_place(place, bundle.data)
    except OSError as error:
        raise IncompleteError(f"{place} cannot be written: {error.strerror}") from error


def bundled(states: Sequence[PaperState], repository: GitRepository, commit: str) -> Bundle:
    """The upload of papers at a commit, from git's own blobs: nothing is checked out."""
    require_cleaner()
    papers = [now.paper for now in states]
    first = papers[0]
    entries = _regular(repository, commit, first)
    chosen = joined([upload(paper, entries) for paper in papers])
    own = _own_readme(chosen, repository, entries, first)
    compiler = own.compiler or common_compiler(papers, chosen.files)
    home = _at_home(repository, entries, first)
    home |= _contents(repository, {path: entries[path] for path in chosen.files}, first)
    homes = [compiled_at_home(home, paper.root, compiler) for paper in papers]
    read = [made.read if made is not None and not made.fault else frozenset() for made in homes]
    pairs = zip(papers, read, strict=True)
    chosen = joined([upload(paper, entries, seen) for paper, seen in pairs])
    files = _contents(repository, {path: entries[path] for path in chosen.files}, first)
    cleanable = [path for path in files if path.endswith(CLEANED) and path not in chosen.shown]
    sources = {path: files[path] for path in cleanable}
    clean, whole = _without_comments(states, files, sources)
    packed, changes = _in_place(chosen, clean)
    packed = {name: data for name, data in packed.items() if not is_readme(name)}
    mains = [chosen.inside(paper.root) for paper in papers]
    found: list[ComparedUpload] = []
    for made, main in zip(homes, mains, strict=True):
        found.append(compared(made, packed, main, compiler))
        packed = dict(found[-1].files)
    packed["00README.json"], told = readme(mains, compiler, own, packed)
    said = [f"{main} {item.words}" for main, item in zip(mains, found, strict=True)]
    stripped = replace(
        _stripped(chosen, sources, clean, changes),
        whole=tuple(map(chosen.inside, whole)),
        files=tuple(sorted(packed)),
        roots=tuple(mains),
        size=sum(map(len, packed.values())),
        heavy=tuple((name, len(data)) for name, data in packed.items() if len(data) > _HEAVY),
        bibliography=next((item.bibliography for item in found if item.bibliography), None),
        bibliographies=tuple(item.bibliography for item in found if item.bibliography),
        about=tuple(item.about for item in found if item.about),
        readme=told,
        uncited=sum(item.uncited for item in found),
        compiled="; ".join(said) if len(said) > 1 else found[0].words,
        compiler=compiler,
        reason="set in 00README.json" if own.compiler else compiler_reason(papers, chosen.files),
    )
    return Bundle(data=archive(packed), stripped=stripped)


def _own_readme(
    chosen: Upload, repository: GitRepository, entries: Mapping[str, str], paper: Paper
) -> OwnReadme:
    """What the paper's own 00README says, which is read before a compiler is chosen."""
    paths = [path for path in chosen.files if is_readme(chosen.inside(path))]
    data = _contents(repository, {path: entries[path] for path in paths}, paper)
    files = {chosen.inside(path): text for path, text in data.items()}
    return own_readme(files, map(chosen.inside, chosen.left), chosen.renamed)


_HEAVY = 10_000_000
"""Bytes of a file that is named as a large one."""
_SMALL = 5_000_000
"""Bytes of a file that is taken along for TeX though the upload does not have it."""


def _at_home(
    repository: GitRepository, entries: Mapping[str, str], paper: Paper
) -> dict[str, bytes]:
    """What TeX may look for at home beside the files of the upload; none where it is too much."""
    sizes = repository.sizes(entries.values())
    wanted = {path: oid for path, oid in entries.items() if sizes.get(oid, _SMALL) < _SMALL}
    limit = paper.snapshot.limits.total_bytes
    if sum(sizes[oid] for oid in wanted.values()) > limit:
        return {}
    blobs = dict(repository.read_blobs(wanted.values(), limit=limit))
    return {path: data for path, oid in wanted.items() if (data := blobs[oid]) is not None}


def _in_place(
    chosen: Upload, clean: Mapping[str, bytes]
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files by their names in the upload, sources with these names; and what was rewritten."""
    packed: dict[str, bytes] = {}
    changes: list[str] = []
    for path, data in clean.items():
        if path.endswith((*CLEANED, *_COMMENTED)):
            text, found = rewritten(chosen, path, data.decode("utf-8", "surrogateescape"))
            data = text.encode("utf-8", "surrogateescape")  # noqa: PLW2901
            changes += [f"{chosen.inside(path)}: {old} is now {new}" for old, new in found]
        packed[chosen.inside(path)] = data
    return packed, tuple(changes)


def _contents(
    repository: GitRepository, wanted: Mapping[str, str], paper: Paper
) -> dict[str, bytes]:
    limits = paper.snapshot.limits
    sizes = repository.sizes(wanted.values())
    total = sum(sizes.get(oid, 0) for oid in wanted.values())
    if total > limits.total_bytes:
        message = f"the upload would have {total:,} bytes, more than {limits.total_bytes:,}"
        raise IncompleteError(message)
    found = dict(repository.read_blobs(wanted.values(), limit=limits.total_bytes))
    files = {}
    for path, oid in wanted.items():
        data = found[oid]
        if data is None:
            raise IncompleteError(f"this clone lacks the content of {path}")
        files[path] = data
    return files


def _without_comments(
    states: Sequence[PaperState], files: Mapping[str, bytes], sources: Mapping[str, bytes]
) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """The files, sources without comments but for those that would then say something else.

    These are named. IncompleteError where a paper says something else all the same.
    """
    clean, whole = dict(files) | cleaned(sources), list[str]()
    while changed := [item for now in states for item in _changed(now, clean)]:
        mended = {path for path, _ in changed if path in sources and clean[path] != files[path]}
        if not mended:
            listed = ", ".join(words for _, words in changed[:5])
            raise IncompleteError(f"removing comments would change {listed}; no bundle written")
        clean |= {path: files[path] for path in mended}
        whole += sorted(mended)
    return clean, tuple(whole)


def _changed(now: PaperState, files: Mapping[str, bytes]) -> list[tuple[str, str]]:
    """What says something else in some files, by its path: statements and proofs, else texts.

    Which sentences of the text a reader of a proof would see is our choice, and no part of it.
    """
    then = _again(now.paper, files)
    before, after = _said(now), _said(then)
    gone = Counter(before.values()) - Counter(after.values())
    changed = [now.document.modules[name] for name, digest in before.items() if digest in gone]
    places = [(item.kind, item.statement.location) for item in changed]
    found = [(at.path, f"the {kind} at {at.path}:{at.line}") for kind, at in places]
    return found or [
        (path, f"the text of {path}")
        for path in now.paper.readings
        if Counter(now.paper.prose(path)) - Counter(then.paper.prose(path))
    ]


def _again(paper: Paper, files: Mapping[str, bytes]) -> PaperState:
    """The paper as it is read where its files are those of an upload."""
    before = paper.snapshot
    entries = dict(before.files)
    for path, data in files.items():
        if path in entries:
            oid = f"upload-{hashlib.sha256(data).hexdigest()}"
            before.cache.add(oid, data)
            entries[path] = FileEntry(path=path, oid=oid, size=len(data))
    now = replace(before, name="upload", files=entries)
    found = discover_papers(now, paper.parse_cache, also=[paper.root]).papers
    again = next((item for item in found if item.name == paper.name), None)
    if again is None:
        raise IncompleteError(
            "after removing comments, the paper was not recognised; no bundle written"
        )
    return build_paper_state(again)


def _said(moment: PaperState) -> dict[str, str]:
    """What each result and definition says, how it is proved, and what both cite, as digests."""
    modules = {
        name: item
        for name, item in moment.document.modules.items()
        if item.role.stands_alone and item.role is not Role.CONVENTION
    }
    cited: dict[str, set[str]] = {}
    for edge in moment.document.edges:
        if edge.via is Via.REFERENCE and edge.source in modules and edge.target in modules:
            digest = modules[edge.target].statement.digest
            cited.setdefault(edge.source, set()).add(digest)
    return {
        name: canonical_digest(
            [
                [item.kind, item.title, *(passage.digest for passage in item.passages)],
                sorted(cited.get(name, ())),
            ]
        )
        for name, item in modules.items()
    }


def _stripped(
    chosen: Upload,
    sources: Mapping[str, bytes],
    clean: Mapping[str, bytes],
    changes: tuple[str, ...],
) -> Stripped:
    comments = lines = 0
    for path, data in sources.items():
        comments += _comments(data) - _comments(clean[path])
        lines += max(0, data.count(b"\n") - clean[path].count(b"\n"))
    texts = [data for path, data in clean.items() if path.endswith((*CLEANED, *_COMMENTED))]
    return Stripped(
        comments=comments,
        lines=lines,
        kept=sum(map(_comments, texts)),
        files=tuple(chosen.inside(path) for path in chosen.files),
        left=tuple(chosen.inside(path) for path in chosen.left),
        bibliography=chosen.inside(chosen.bibliography) if chosen.bibliography else None,
        moved=tuple(f"{old} is {new}" for old, new in chosen.renamed.items()),
        rewritten=changes,
    )


def _comments(data: bytes) -> int:
    """The comments that say something; a bare percent sign at a line's end is part of LaTeX."""
    found = mask(decode(data).text).comments
    return sum(1 for item in found if item.text.strip().strip("%").strip())


_NAME = "arxiv_latex_cleaner"
_SECONDS = 300
_PERCENT = regex(r"(?<!\\)%")
_PRIVATE = range(0xE000, 0xF8FF)
"""Characters that no text has but by private agreement."""


def require_cleaner() -> None:
    """UsageError where it is not installed."""
    if find_spec(_NAME) is None:
        raise UsageError(f"--bundle needs arxiv-latex-cleaner: {install_command('arxiv')}")


def cleaned(texts: Mapping[str, bytes], *, seconds: float = _SECONDS) -> dict[str, bytes]:
    """The sources without comments and hidden parts, by the same paths; IncompleteError if not."""
    decoded = {path: _decoded(path, data) for path, data in texts.items()}
    letters = set().union(*(text for text, _ in decoded.values()))
    unused = (chr(code) for code in _PRIVATE if chr(code) not in letters)
    sign, behind = next(unused), next(unused)
    hidden = [_hidden(text, sign, behind) for text, _ in decoded.values()]
    try:
        found = _through(hidden, seconds)
    except _ConditionError:
        found = [_alone(path, text, seconds) for path, text in zip(texts, hidden, strict=True)]
    shown = [text.replace(sign, "%").replace(behind, "") for text in found]
    return {
        path: _as_bytes(text) if is_foreign else text.encode()
        for (path, (_, is_foreign)), text in zip(decoded.items(), shown, strict=True)
    }


_BYTES = 0xF700
"""From here on, private characters stand for the bytes of a source that is not UTF-8."""


def _decoded(path: str, data: bytes) -> tuple[str, bool]:
    """A source as the cleaner can read it, and whether its encoding is another than UTF-8.

    Of that one nothing has to be known: each byte beyond ASCII is a character, and is put back.
    """
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError as error:
        if b"\0" in data:
            message = f"{path} is not a text that LaTeX reads (UTF-16?): save it as UTF-8"
            raise IncompleteError(message) from error
        return "".join(chr(byte if byte < 128 else _BYTES + byte) for byte in data), True


def _as_bytes(text: str) -> bytes:
    return bytes(code - _BYTES if code > _BYTES else code for code in map(ord, text))


class _ConditionError(IncompleteError):
    """The cleaner stopped at conditions that do not match."""


_CONDITION = regex(r"\\(?=(?:if[a-zA-Z@]*|else|fi)(?![A-Za-z@]))")
_KEPT_CONDITION = "\uf8ff"
"""Stands for the backslash of a condition that the cleaner is not to look at."""
_HIDES = regex(r"\\iffalse(?![A-Za-z@])")


def _alone(path: str, text: str, seconds: float) -> str:
    """One source as the cleaner leaves it; with its conditions, where these do not match.

    IncompleteError where one of these hides something, which would then go out.
    """
    try:
        return _through([text], seconds)[0]
    except _ConditionError as error:
        shown = _without_hidden(text)
        if shown is None:
            message = f"{path} has an \\iffalse, and its \\if and \\fi do not match: correct them"
            raise IncompleteError(message) from error
    kept = _CONDITION.sub(_KEPT_CONDITION, shown)
    return _through([kept], seconds)[0].replace(_KEPT_CONDITION, "\\")


def _without_hidden(text: str) -> str | None:
    """A source without what its `\\iffalse` hides; None where it is not clear what that is."""
    masked = mask(text)
    comments = Spans((item.start, item.start + len(item.text)) for item in masked.comments)
    pieces: list[str] = []
    done = 0
    for match in _HIDES.finditer(text):
        start = match.start()
        if start < done or comments.covers(start):
            continue
        if masked.printed[start] == "\\":
            if masked.text[start] == " ":
                continue  # it is printed, as code
            return None
        end = next((n for n in range(start, len(text)) if not masked.printed[n].isspace()), None)
        hidden = text[start:end].rstrip()
        if not hidden.endswith("\\fi"):
            return None
        pieces.append(text[done:start])
        done = start + len(hidden)
    return "".join((*pieces, text[done:]))


def _hidden(text: str, sign: str, behind: str) -> str:
    """A source with a sign in place of each percent sign that begins no comment.

    Where the cleaner would take the end of the line with a comment, as it does behind an address,
    another sign stands between the two.
    """
    masked = mask(text)
    letters = list(text)
    for match in _PERCENT.finditer(masked.printed):
        letters[match.start()] = sign
    for comment in masked.comments:
        line = text.rfind("\n", 0, comment.start) + 1
        if "\\url" in text[line : comment.start]:
            letters[comment.start] = f"{behind}%"
        if text[comment.start - 1 : comment.start] == "\\":
            end = comment.start + len(comment.text)
            letters[comment.start + 1 : end] = [""] * (end - comment.start - 1)
    return "".join(letters)


def _through(sources: Sequence[str], seconds: float) -> list[str]:
    """The sources as the cleaner leaves them."""
    with scratch_folder("cleaned") as top:
        folder = top / "paper"
        folder.mkdir()
        for number, text in enumerate(sources):
            (folder / f"{number}.tex").write_bytes(text.encode())
        _run(folder, seconds)
        made = top / "paper_arXiv"
        try:
            found = [(made / f"{number}.tex").read_bytes() for number in range(len(sources))]
        except OSError as error:
            raise IncompleteError(f"{_NAME} lost a source: {error.strerror}") from error
        return [data.decode() for data in found]


def _run(folder: Path, seconds: float) -> None:
    command = [sys.executable, "-I", "-m", _NAME, str(folder)]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            check=False,
            timeout=seconds,
            env=environment,
            preexec_fn=end_with(os.getpid()),
        )
    except subprocess.TimeoutExpired as error:
        raise IncompleteError(f"{_NAME} did not finish within {seconds:g} seconds") from error
    said = done.stderr.decode("utf-8", "replace")
    if "Not removing any conditional" in said:
        raise _ConditionError(f"{_NAME} found conditions that do not match")
    if done.returncode:
        lines = said.strip().splitlines()
        raise IncompleteError(f"{_NAME} failed: {lines[-1] if lines else done.returncode}")
