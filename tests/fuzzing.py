"""Reads made papers as `pf check --all` does, and says what went wrong.

    python -m tests.fuzzing --documents N --seed S           # written by a grammar, see below
    python -m tests.fuzzing --documents N --seed S --bytes   # these with faults in their bytes
    python -m tests.fuzzing --seed S --only INDEX [--bytes] [--into FOLDER]
    python -m tests.fuzzing --documents N --seed S --double  # how time grows with the body

What is wrong: an error that nobody raised on purpose, contained or not; a span outside of its
text; another reading when it is read again; a paper that was edited and is not what reading it
from nothing gives; more than two seconds of processor time. Each is one line with its index, by
which it comes again; the last line sums up. The papers are those of `tests/fuzzing_grammar.py`.
"""

import argparse
import hashlib
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import process_time
from types import FrameType, MappingProxyType

from pfcore.domain import containment
from pfcore.domain.errors import PfError
from pfcore.domain.values import Location, Role
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.latex.lexer.whitespace import ANCHOR, MENTION
from pfcore.latex.parsed_file import ParsedFile
from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.papers.rendered_numbers import paper_numbers
from pfcore.reporters import terminal
from pfcore.reporters.formats import json_report
from pfcore.reporters.printing import Style
from pfcore.repository.snapshot import Snapshot
from pfcore.repository.source_files import BlobCache, FileEntry
from pfcore.review.review import PaperReport, Report, review
from pfcore.review.unseen import unseen
from tests.fuzzing_grammar import Folder, edited, made_paper, repeated

SECONDS = 2.0
"""What a made paper may take of a processor."""
PATIENCE = 30.0
"""Where it is given up."""
_CONTEXTS = 4
_EACH = 10  # of so many papers one is edited, and one is read whole
_BASE = 12_000
_OURS = "pf-verify could not read it"


class TooLong(BaseException):
    """A paper takes so long that nobody waits for its end."""


@dataclass(slots=True)
class Outcome:
    """What became of one made paper; `problems` are sentences, each with the place of the fault."""

    papers: int = 0
    modules: int = 0
    is_declined: bool = False
    seconds: float = 0.0
    problems: list[str] = field(default_factory=list)


def moment(folder: Folder) -> Snapshot:
    """A snapshot of files that are on no disk."""
    blobs = BlobCache()
    entries: dict[str, FileEntry] = {}
    for path, data in sorted(folder.items()):
        oid = hashlib.sha1(data, usedforsecurity=False).hexdigest()
        blobs.add(oid, data)
        entries[path] = FileEntry(path=path, oid=oid, size=len(data))
    return Snapshot(
        name="made", files=MappingProxyType(entries), paths=frozenset(entries), cache=blobs
    )


def examined(folder: Folder, then: Folder | None = None, *, is_whole: bool = False) -> Outcome:
    """What becomes of a folder, and of the edit of an earlier one.

    `is_whole`: it is read again out of the cache, and all reports are written.
    """
    found = Outcome()
    start = process_time()
    try:
        _examine(found, folder, then, is_whole=is_whole)
    except PfError as error:
        found.is_declined = True
        found.problems += [str(error)] if _OURS in str(error) else []
    except TooLong:
        found.problems.append(f"takes more than {PATIENCE:g} s of processor time")
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        found.problems.append(containment.describe(error))
    found.seconds = process_time() - start
    share = found.seconds / (1 + 2 * is_whole + 2 * (then is not None))
    if share > SECONDS:
        found.problems.append(f"takes {share:.1f} s of processor time")
    return found


def _examine(found: Outcome, folder: Folder, then: Folder | None, *, is_whole: bool) -> None:
    kept = MemoryCache()
    report = review(None, moment(folder), ParseCache(kept))
    _examine_report(found, report)
    if is_whole:
        found.problems += _read_otherwise(report, folder, kept)
        _write_reports(report)
        found.problems += _contained(report)
    if then is not None:
        _examine_edit(found, folder, then)


def _examine_report(found: Outcome, report: Report) -> None:
    """All that a review says, asked for."""
    for paper in report.papers:
        found.papers += 1
        found.modules += len(paper.state.document.modules)
        found.problems += _wrong_in_paper(paper)
        _ = paper.statuses, paper.unreached, paper.bounds, paper.blocking
    _ = unseen(report)
    found.problems += _contained(report)


def _contained(report: Report) -> Iterator[str]:
    """The faults of ours that a review lived through."""
    for one in report.failed:
        yield f"paper {one.root}: {one.cause}"
    for path, reason in report.library.unread.items():
        if _OURS in reason:
            yield f"file {path}: {reason}"
    for paper in report.papers:
        for fault in paper.faults:
            yield f"{fault.what} in {fault.path}:{fault.line}: {fault.cause}"


def _examine_edit(found: Outcome, folder: Folder, then: Folder) -> None:
    """The review of an edit: it builds what is built from nothing, and affects what reads anew."""
    change = review(moment(then), moment(folder), ParseCache(MemoryCache()))
    _examine_report(found, change)
    for paper in change.papers:
        warm, cold = paper.state, build_paper_state(paper.state.paper)
        if warm != cold or list(warm.document.modules) != list(cold.document.modules):
            found.problems.append(f"{warm.paper.root} is another paper where it was edited")
        if paper.before is None:
            continue
        known = set(_digests(paper.before).values())
        anew = {name for name, digest in _digests(warm).items() if digest not in known}
        affected = {item.id for item in paper.plan.affected}
        if affected != anew:
            names = ", ".join(sorted(affected ^ anew))
            found.problems.append(f"the plan and the contexts do not agree about {names}")


def _digests(state: PaperState) -> dict[str, str]:
    """The digests of the contexts of what may be affected."""
    return {
        name: context_digest(state.document, name, state.paper.texts)
        for name, module in state.document.modules.items()
        if module.is_claim and module.role is not Role.FRAGMENT
    }


def _read_otherwise(report: Report, folder: Folder, kept: MemoryCache) -> Iterator[str]:
    """The papers that read otherwise out of the cache."""
    again = {item.root: item for item in discover_papers(moment(folder), ParseCache(kept)).papers}
    for paper in report.papers:
        one, other = paper.state.paper, again.get(paper.state.paper.root)
        if other is None or one.readings != other.readings:
            yield f"{one.root} is read otherwise out of the cache"
        elif paper_numbers(one) != paper_numbers(other):
            yield f"{one.root} is numbered otherwise out of the cache"


def _write_reports(report: Report) -> None:
    """All that a terminal or a program would be told, written for nobody."""
    style = Style(notes=True)
    terminal.check_text(report, style)
    terminal.plan_text(report, style)
    terminal.graph_text(report, style)
    json_report.check_json(report)
    json_report.graph_json(report)
    for paper in report.papers:
        for name in _some(list(paper.state.document.modules)):
            terminal.why(paper, name, style)


def _some(names: Sequence[str]) -> list[str]:
    """A few of them: the first, the last and some between."""
    return list(dict.fromkeys(names[:: max(1, len(names) // _CONTEXTS)])) + list(names[-1:])


def _wrong_in_paper(report: PaperReport) -> Iterator[str]:
    """The spans of a paper that lie outside of their texts; all of its parts are asked for."""
    state, paper = report.state, report.state.paper
    texts = {path: paper.source(path) for path in paper.readings}
    for path, reading in paper.readings.items():
        yield from _wrong_in_file(path, texts[path], reading, paper)
    places = [
        passage.location
        for module in state.document.modules.values()
        for passage in module.passages
    ]
    places += [item.location for item in report.findings]
    places += [Location(*item[:7]) for item in state.document.loose]
    for place in places:
        text = texts.get(place.path)
        text = paper.source(place.path) if text is None else text
        if not _is_right(place[1:], text):
            yield f"a place is outside of its text: {place}"
    for (path, start), _ in paper_numbers(paper).places.items():
        if not 0 <= start < len(paper.source(path)):
            yield f"a number is outside of its text: {path}:{start}"
    for name in _some(list(state.document.modules)):
        context_digest(state.document, name, paper.texts)
        report.numbering.of(state.document.modules[name])


def _wrong_in_file(path: str, text: str, reading: ParsedFile, paper: Paper) -> Iterator[str]:
    size = len(text)
    shown = paper.texts(path)
    for index, (block, words) in enumerate(zip(reading.blocks, shown, strict=True)):
        if not _is_right(block.place, text) or not -1 <= block.parent < len(reading.blocks):
            yield f"a block is outside of its text: {path}: {block.shape} {block.place}"
        if block.parent == index:
            yield f"a block lies in itself: {path}: {block.place}"
        marks = {int(mark) for mark in MENTION.findall(words)}
        if marks != set(range(len(marks))) or len(marks) > len(block.mentions):
            yield f"the marks of mentions are not those of these: {path}: {block.place}"
        if {int(mark) for mark in ANCHOR.findall(words)} != set(range(len(block.anchors))):
            yield f"the marks of labels are not those of these: {path}: {block.place}"
        for item in block.results:
            if not _is_right(item.place, text):
                yield f"a cited result is outside of its text: {path}: {item.place}"
    spans: list[tuple[int, int]] = [
        *((item.start, item.end) for block in reading.blocks for item in block.mentions),
        *((item.start, item.end) for item in paper.references(path)),
        *((item.start, item.end) for item in reading.problems),
        *((item.offset, item.offset + 1) for item in reading.labels),
        *((item.offset, item.offset + 1) for item in reading.includes),
        *((item.offset, item.offset + 1) for item in reading.sections),
        *((item.offset, item.offset + 1) for item in reading.ignores),
    ]
    for start, end in spans:
        if not 0 <= start <= end <= size:
            yield f"a span is outside of its text: {path}: {start} to {end} of {size}"


def _is_right(place: Sequence[int], text: str) -> bool:
    """Whether a place, with its lines and columns, is one of a text."""
    start, end, line, column, end_line, end_column = place
    return 0 <= start <= end <= len(text) and all(
        row == text.count("\n", 0, offset) + 1 and pillar == offset - text.rfind("\n", 0, offset)
        for offset, row, pillar in ((start, line, column), (end, end_line, end_column))
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """Which made papers are looked at, and whether their bytes have faults."""

    seed: int
    indices: Sequence[int]
    is_broken: bool = False

    def outcomes(self) -> Iterator[tuple[int, Outcome]]:
        """What became of each."""
        for index in self.indices:
            folder = made_paper(self.seed, index, is_broken=self.is_broken)
            then = folder if index % _EACH == 0 else None
            now = edited(folder, self.seed, index) if then else folder
            with bounded():
                found = examined(now, then, is_whole=index % _EACH == 1)
            yield index, found


@contextmanager
def bounded() -> Iterator[None]:
    """Ends what takes too long."""
    signal.signal(signal.SIGVTALRM, _give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _give_up(_signal: int, _frame: FrameType | None) -> None:
    raise TooLong


def run(campaign: Campaign) -> int:
    """Look at all papers; 1 if anything was wrong."""
    total = Outcome()
    declined = failures = 0
    for index, found in campaign.outcomes():
        total.papers += found.papers
        total.modules += found.modules
        total.seconds += found.seconds
        declined += found.is_declined
        failures += bool(found.problems)
        kind = " --bytes" if campaign.is_broken else ""
        for problem in dict.fromkeys(found.problems):
            _say(f"--seed {campaign.seed} --only {index}{kind}: {problem}")
    _say(
        f"{len(campaign.indices):,} documents, {total.papers:,} papers, {declined:,} declined, "
        f"{total.modules:,} modules, {failures:,} failures, {total.seconds:,.0f} processor seconds"
    )
    return 1 if failures else 0


def run_doubled(campaign: Campaign) -> int:
    """Print how processor time grows where bodies of papers are twice and four times as long."""
    ratios: dict[int, list[tuple[float, int]]] = {2: [], 4: []}
    for index in campaign.indices:
        folder = made_paper(campaign.seed, index, is_broken=campaign.is_broken)
        times = 1 + _BASE // max(1, len(repeated(folder, 2)["main.tex"]) // 2)
        seconds = [
            min(examined(repeated(folder, times * factor)).seconds for _ in range(2))
            for factor in (1, 2, 4)
        ]
        for factor, taken in zip((2, 4), seconds[1:], strict=True):
            ratios[factor].append((taken / seconds[0], index))
    for factor, found in ratios.items():
        middle, (largest, index) = median(ratio for ratio, _ in found), max(found)
        _say(f"x{factor}: median {middle:.2f}, largest {largest:.2f} (--only {index})")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _write(campaign: Campaign, folder: Path) -> None:
    """Write the files of papers, for a look at them; where one is edited, both versions."""
    for index in campaign.indices:
        made = made_paper(campaign.seed, index, is_broken=campaign.is_broken)
        versions = {f"{index}": made}
        if index % _EACH == 0:
            versions[f"{index}-edited"] = edited(made, campaign.seed, index)
        for name, files in versions.items():
            (folder / name).mkdir(parents=True, exist_ok=True)
            for path, data in files.items():
                (folder / name / path).write_bytes(data)


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("--documents", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="the index of the first document")
    parser.add_argument("--only", type=int, help="the index of the one document")
    parser.add_argument("--bytes", action="store_true", help="with faults in their bytes")
    parser.add_argument("--double", action="store_true", help="how time grows with the body")
    parser.add_argument("--into", type=Path, help="a folder that gets the files, too")
    wanted = parser.parse_args(argv)
    indices: Sequence[int] = range(wanted.start, wanted.start + wanted.documents)
    indices = indices if wanted.only is None else (wanted.only,)
    campaign = Campaign(seed=wanted.seed, indices=indices, is_broken=wanted.bytes)
    if wanted.into:
        _write(campaign, wanted.into)
    examined(made_paper(0, 0))  # loads what is loaded late
    return run_doubled(campaign) if wanted.double else run(campaign)


if __name__ == "__main__":
    sys.exit(main())
