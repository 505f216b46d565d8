"""`pf bench report`: pictures, tables and one page from saved runs.

`pf bench cost`: the cost of reading a paper, compared with the reference and with its size.

`pf bench contexts`: the contents of contexts, for several repositories and folders.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from textwrap import wrap

from pfcore.bench.quality import context_contents, entry_keys
from pfcore.bench.quality.context_contents import ContextContents
from pfcore.bench.quality.dependencies import without_marks
from pfcore.bench.runs.benchmark_run import SUFFIX
from pfcore.bench.runs.saved_run import read_run
from pfcore.bench.scoring.figures import FORMATS
from pfcore.bench.scoring.run_report import ReportSection, run_page, sections
from pfcore.bench.speed import contexts, cost
from pfcore.bench.speed.contexts import PrefixTokens, context_growth
from pfcore.bench.terminal_table import table_lines
from pfcore.cli.environment import cache_path, jobs, require_writable, run_review
from pfcore.cli.options import ReviewOptions
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import DiskCache, ParseCache
from pfcore.papers.processes import ProcessPool
from pfcore.reporters.printing import Style, safe
from pfcore.repository import snapshot
from pfcore.repository.git import find_repository
from pfcore.repository.revisions import place_within
from pfcore.repository.snapshot import Snapshot
from pfcore.review.review import Where, papers_meant, what_concerns
from pfcore.review.verification_setup import VerificationSetup
from pfcore.verification.contract import Granularity

_TITLE = "How well proofs are read"
_PAGE = "report.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReportOptions:
    """The options of `pf bench report`: saved runs or their folders, and where the report goes."""

    runs: tuple[Path, ...]
    out: Path
    style: Style


def report(wanted: RunReportOptions, echo: Callable[[str], None]) -> int:
    """Read, draw and write, without calls."""
    folder, style = wanted.out, wanted.style
    require_writable(folder)
    found = sections([read_run(path) for path in _different(_files(wanted.runs))])
    try:
        written = list(_written(folder, found))
    except OSError as error:
        raise IncompleteError(f"{folder} cannot be written: {error.strerror}") from error
    echo(style.finish([*_text(found, style), *(f"Written: {path}" for path in written)]))
    return 0


def _files(named: Sequence[Path]) -> list[Path]:
    """The named files, and the saved runs in named folders; UsageError for a folder without any."""
    found: list[Path] = []
    for path in named:
        listed = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
        if not listed:
            raise UsageError(
                f"{path} has no saved run: `pf bench hard2verify` and `pf bench arxiv` write them, "
                f"as files that end in {SUFFIX}"
            )
        found += listed
    return found


def _different(paths: Sequence[Path]) -> Sequence[Path]:
    """The paths; UsageError for duplicates, which would be compared with themselves."""
    places = [path.resolve() for path in paths]
    for number, place in enumerate(places):
        if place in places[:number]:
            raise UsageError(f"{paths[number]} is given twice")
    return paths


def _written(folder: Path, found: Sequence[ReportSection]) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    for section in found:
        name = section.title.partition(":")[0].lower()
        for picture in section.pictures:
            for kind in FORMATS:
                path = folder / f"{name}-{picture.name}.{kind}"
                path.write_bytes(picture.data[kind])
                yield path
    path = folder / _PAGE
    path.write_text(run_page(_TITLE, found), encoding="utf-8", newline="\n")
    yield path


def _text(found: Sequence[ReportSection], style: Style) -> Iterator[str]:
    for section in found:
        yield style.paint(section.title, "bold")
        yield ""
        yield from section.warnings
        yield from map(safe, section.runs)
        for table in section.tables:
            yield ""
            yield style.paint(table.title, "bold")
            yield from table_lines(table.head, [[safe(cell) for cell in row] for row in table.rows])
            yield from table.notes
        yield ""


_WAYS = (
    "One rollout; k of them cost k times as much. Prompts are real, replies are simulated: input "
    "tokens are characters, 3.5 to each, output tokens the averages of the paper's table of stage "
    "costs, dollars at the price of the model that the documentation names. The simulated reader "
    "rewrites a proof in two pieces, where a model makes more. $ by length is an "
    "estimate: that table's rewritings are of whole solutions, and where a module is shorter its "
    f"rewriting is counted with {cost.PER_TOKEN} tokens for each token of the module, the ratio of "
    "the paper's rewritings to what they rewrite; the reference is left as it is."
)
_CALLS = (
    "Input tokens of each call that verifies a module as it is written, on the paper cut off "
    "behind its first modules, and of one call that judges all of it."
)


def measure(wanted: ReviewOptions, out: Path | None, echo: Callable[[str], None]) -> int:
    """Count, compare, and draw if a folder is given, without calls."""
    style = wanted.output.style
    if out is not None:
        require_writable(out)
    with run_review(wanted.revisions, VerificationSetup(), paper=wanted.paper) as report:
        states = [paper.state for paper in report.papers]
        every = {now.paper.name: contexts.points(now) for now in states}
        points = {name: listed for name, listed in every.items() if listed}
        if not points:
            raise IncompleteError("no proof here can be read, so nothing is counted")
        echo(style.finish(_cost_lines(states, points, style)))
        if out is not None:
            _draw(out, points, echo)
    return 0


def _cost_lines(
    states: list[PaperState], points: dict[str, list[PrefixTokens]], style: Style
) -> Iterator[str]:
    found = {safe(now.paper.name): cost.compared(now) for now in states}
    known = {name: costs for name, costs in found.items() if costs}
    day = datetime.now(UTC).date().isoformat()
    yield f"{cost.FIRST.capitalize()}. {day}, k = 1 rollout of n modules."
    for granularity in Granularity:
        contract = cost.CountingReader(granularity).asking.contract
        digest = contract.digest()[:8]
        yield f"  {granularity.value}: contract {digest}, as {contract.model} would be asked"
    yield ""
    yield style.paint("Beside the reference implementation, by its formula", "bold")
    yield from table_lines(
        cost.TOTALS, [row for item in known.items() for row in cost.totals(*item)]
    )
    yield ""
    yield style.paint("By stage", "bold")
    yield from table_lines(
        cost.STAGES, [row for item in known.items() for row in cost.by_stage(*item)]
    )
    yield from wrap(_WAYS, style.width)
    yield ""
    yield style.paint("One call, against the number of modules", "bold")
    rows = [
        row for name, listed in points.items() for row in contexts.prefix_rows(safe(name), listed)
    ]
    yield from table_lines(contexts.HEAD, rows)
    yield from wrap(_CALLS, style.width)


def _draw(folder: Path, points: dict[str, list[PrefixTokens]], echo: Callable[[str], None]) -> None:
    made = context_growth({safe(name): listed for name, listed in points.items()})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind, data in made.data.items():
            path = folder / f"{made.name}.{kind}"
            path.write_bytes(data)
            echo(f"Written: {path}\n")
    except OSError as error:
        raise IncompleteError(f"{folder} cannot be written: {error.strerror}") from error


_HELD = (
    "Claims are those with a proof, and members and characters are of their contexts: the shares "
    "are of all characters together. A key is a symbol or term that a claim uses and does not "
    "bind: unexplained where nothing introduces it, ambiguous where several passages might; each "
    "column has the mean of a claim. Guessed are proofs whose statement is not certain. A hub is "
    "in ten contexts or more, and in more than three times as many as say its words; the worst."
)
_DECLARED = (
    "What \\uses declare of claims, hidden from the reading: recall is the share whose target is "
    "in the context of its source; traced are the edges whose target leaves a trace in the words "
    "of its source, by a reference, a term, a symbol or a name. Members are the results and "
    "definitions in the same contexts: precision is the share that the source declares, by a path "
    "the share that declared edges lead to. Left out is what the reading without \\uses lacks."
)


_BROUGHT = (
    "By what each entry of a context comes, as shares of all entries: a reference, a convention in "
    "force, or a key, which is a word, a term, a symbol or a shape of one; a lead is what stands "
    "before a claim and speaks of it. Through others come those that no words of the claim itself "
    "bring; unprinted are keys that a plain search does not find in the claim. Then the keys that "
    "bring most entries: how strongly, in how many contexts, and in how many alone."
)
_MOST_KEYS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOptions:
    """The options of `pf bench contexts`.

    `head` is the revision to measure, None for the files as they are; `paper` the only paper.
    """

    paths: tuple[Path, ...]
    head: str | None
    paper: str | None
    is_json: bool
    style: Style


def measure_contexts(wanted: ContextOptions, echo: Callable[[str], None]) -> int:
    """Count and print, without calls. IncompleteError if no claim has a proof."""
    found: dict[tuple[str, str], ContextContents] = {}
    failed: list[str] = []
    cache = DiskCache(cache_path())
    try:
        for path in wanted.paths:
            moment, where = _moment(path, wanted.head)
            known = ParseCache(cache, ProcessPool(jobs()))
            made, unread = _contents(moment, known, wanted.paper, where)
            found |= {(str(path), root): one for root, one in made.items()}
            failed += [f"{path}: {name}" for name in unread]
    finally:
        cache.close()
    if not any(one.members for one in found.values()):
        raise IncompleteError("no proof here can be read, so nothing is counted")
    if wanted.is_json:
        listed = [
            {"path": path, "root": root, **context_contents.as_values(one)}
            for (path, root), one in found.items()
        ]
        echo(json.dumps({"documents": listed, "failed": failed}, indent=2) + "\n")
    else:
        echo(wanted.style.finish(_context_lines(found, failed, wanted.style)))
    return 3 if failed else 0


def _moment(path: Path, head: str | None) -> tuple[Snapshot, Where]:
    """A revision; or the files as they are, or the last commit of a bare repository.

    The second component says which of its papers are meant: all, or those of the named file or
    folder.
    """
    repository = find_repository(path) if path.exists() else None
    if repository is None and head:
        raise UsageError(f"not a git repository, so it has no {head}: {path}")
    if repository is None and path.is_file():
        return snapshot.from_file(path), Where(path.name, is_named=True)
    if repository is None:
        return snapshot.from_folder(path), Where()
    where = Where(place_within(path, repository.root), is_named=True)
    if head or repository.root is None:
        return snapshot.from_revision(repository, head or "HEAD"), where
    if where.folder and path.is_dir():
        return snapshot.from_folder(path), Where()
    return snapshot.working_tree(repository), where


def _contents(
    moment: Snapshot, cache: ParseCache, only: str | None, where: Where
) -> tuple[dict[str, ContextContents], list[str]]:
    """The measures of each paper by its root, and the roots of papers that could not be read."""
    listed = discover_papers(moment, cache)
    papers = papers_meant(listed, moment, only, where)
    bare = without_marks(moment)
    others = discover_papers(bare, cache, only=only).papers if bare is not moment else ()
    hidden = {paper.root: paper for paper in others}
    made: dict[str, ContextContents] = {}
    for paper in papers:
        state = build_paper_state(paper)
        other = hidden.get(paper.root) if any(state.document.uses.values()) else None
        made[paper.root] = context_contents.context_contents(
            state, build_paper_state(other) if other else None
        )
    return made, [item.root for item in what_concerns(listed, papers, only, where).failed]


def _context_lines(
    found: Mapping[tuple[str, str], ContextContents], failed: Sequence[str], style: Style
) -> Iterator[str]:
    is_one = len({path for path, _ in found}) == 1
    named = {
        safe(root if is_one else f"{Path(path).name or path}: {root}"): one
        for (path, root), one in found.items()
    }
    yield style.paint("What contexts hold", "bold")
    yield from table_lines(context_contents.CONTENTS, context_contents.contents_rows(named))
    yield from wrap(_HELD, style.width)
    yield from context_contents.hub_lines(named)
    rows = list(context_contents.declared_rows(named))
    if rows:
        yield ""
        yield style.paint("Beside what the authors declare", "bold")
        yield from table_lines(context_contents.DECLARED, rows)
        yield from wrap(_DECLARED, style.width)
    keys = {name: one.keys for name, one in named.items()}
    yield ""
    yield style.paint("Why entries are there", "bold")
    yield from table_lines(entry_keys.SHARED, entry_keys.share_rows(keys))
    keyed = entry_keys.brought_rows(keys, _MOST_KEYS)
    told = ([safe(cell) if isinstance(cell, str) else cell for cell in row] for row in keyed)
    yield from table_lines(entry_keys.BROUGHT, told)
    yield from wrap(_BROUGHT, style.width)
    yield from (f"Could not be read, and is counted nowhere: {safe(name)}" for name in failed)
    yield "Counts from reading texts: no model was used, and no author."
