"""The versions of a corrected result: before the correction, after it, and as it is now.

The result is found by its label, or else by its place or its words. Versions that cannot be
rebuilt are left out with a reason, without stopping the run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from functools import partial

from pfcore.bench.errata.clones import focused, labelling, moment_of, states_with
from pfcore.bench.errata.corrections import CorrectionRow
from pfcore.domain.errors import PfError
from pfcore.domain.values import Module, Passage
from pfcore.graph.paper_state import PaperState
from pfcore.papers.parse_cache import ParseCache
from pfcore.repository.git import GitRepository
from pfcore.repository.snapshot import Snapshot
from pfcore.verification.task import ContextTask, tasks

_ALIKE = 0.6
"""The least similarity at which two statements with different labels count as the same."""

Lines = tuple[int, int]


class PairedMoment(StrEnum):
    """When a result is read; the control is its last version in the history of the clone."""

    BEFORE = "before"
    AFTER = "after"
    CONTROL = "control"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultVersion:
    """A result at one moment: where it is, and what is read of it."""

    state: PaperState
    module: str
    task: ContextTask

    @property
    def own(self) -> Module:
        """The result itself."""
        return self.state.document.modules[self.module]

    @property
    def size(self) -> int:
        """The number of characters of its context."""
        return sum(len(text) for _, text in self.task.parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuiltCorrection:
    """A row with the versions of its result, and why other versions are missing."""

    row: CorrectionRow
    versions: Mapping[PairedMoment, ResultVersion]
    reasons: Mapping[PairedMoment, str]

    @property
    def is_found(self) -> bool:
        """Whether the versions before and after exist; the control may be missing."""
        return {PairedMoment.BEFORE, PairedMoment.AFTER} <= self.versions.keys()

    @property
    def tasks(self) -> dict[PairedMoment, ContextTask]:
        """The tasks of all versions, if both sides exist."""
        if not self.is_found:
            return {}
        return {moment: version.task for moment, version in self.versions.items()}


def rebuilt(row: CorrectionRow, clone: GitRepository, cache: ParseCache) -> RebuiltCorrection:
    """The versions of a result from the objects of a clone."""
    versions: dict[PairedMoment, ResultVersion] = {}
    reasons: dict[PairedMoment, str] = {}
    for moment in PairedMoment:
        try:
            found = _version(row, moment, versions, clone, cache)
        except PfError as error:
            found = error.message
        if isinstance(found, str):
            reasons[moment] = found
        else:
            versions[moment] = found
    return RebuiltCorrection(row=row, versions=versions, reasons=reasons)


def _version(
    row: CorrectionRow,
    moment: PairedMoment,
    known: Mapping[PairedMoment, ResultVersion],
    clone: GitRepository,
    cache: ParseCache,
) -> ResultVersion | str:
    spans: Sequence[Lines] = ()
    match moment:
        case PairedMoment.BEFORE:
            where, spans = row.parent, (row.statement_lines,)
        case PairedMoment.AFTER:
            where, spans = row.commit, row.fixed_lines
        case PairedMoment.CONTROL:
            where = clone.head() or ""
    if not where:
        return "the clone has no commits"
    snap = moment_of(clone, where)
    files = [row.file] if row.file in snap.files else []
    if moment is PairedMoment.CONTROL and row.label:
        files += [path for path in labelling(snap, row.label) if path != row.file]
    if not files:
        return f"{row.file} is missing at {where[:12]}"
    like = known.get(PairedMoment.AFTER) or known.get(PairedMoment.BEFORE)
    for path in files:
        find = partial(_found, row, path, spans, like)
        if found := _read(snap, path, find, cache):
            return _named(found, row, moment)
    place = f"the label '{row.label}'" if row.label else f"these lines of {row.file}"
    return f"no result with a proof has {place} at {where[:12]}"


def _read(
    snap: Snapshot, path: str, find: Callable[[PaperState], Iterator[str]], cache: ParseCache
) -> ResultVersion | None:
    """The result in the papers that include a file, with the documents that it cites."""
    alone = focused(snap, path)
    for state in states_with(alone, path, cache):
        for name in find(state):
            more = focused(snap, path, frozenset(_cited(state.document.modules[name])))
            is_more = more.files.keys() != alone.files.keys()
            for whole in states_with(more, path, cache) if is_more else [state]:
                again = next(find(whole), "")
                for task in tasks(whole, [again] if again else []):
                    return ResultVersion(state=whole, module=again, task=task)
    return None


def _named(found: ResultVersion, row: CorrectionRow, moment: PairedMoment) -> ResultVersion:
    """A task named after its row, so that progress messages say which one is read."""
    name = f"{row.id} {moment}"
    return replace(found, task=replace(found.task, module=name, rests=0))


def _cited(module: Module) -> Iterator[str]:
    for passage in module.passages:
        for mention in passage.mentions:
            yield from mention.keys


def _found(
    row: CorrectionRow,
    path: str,
    spans: Sequence[Lines],
    like: ResultVersion | None,
    state: PaperState,
) -> Iterator[str]:
    """The proved results that may be meant, the most likely first."""
    own = [
        module
        for module in state.document.modules.values()
        if module.proofs and module.statement.location.path == path
    ]
    if row.label:
        yield from (module.id for module in own if module.label == row.label)
        yield from (module.id for module in own if row.label in module.labels)
    if like:
        yield from (
            module.id for module in own if module.statement.digest == like.own.statement.digest
        )
    yield from (module.id for module in at_lines(own, path, spans))
    if like and not spans:
        yield from _alike(own, like, state)


def _alike(own: Iterable[Module], like: ResultVersion, state: PaperState) -> Iterator[str]:
    """The result of the same kind with the most similar statement, if it is similar enough."""
    words = _words(like.state, like.own.statement)
    shares = {
        module.id: SequenceMatcher(None, words, _words(state, module.statement)).ratio()
        for module in own
        if module.kind == like.own.kind
    }
    best = max(shares, key=lambda name: shares[name], default="")
    if best and shares[best] >= _ALIKE:
        yield best


def _words(state: PaperState, passage: Passage) -> list[str]:
    path, start, end = passage.location[:3]
    return state.paper.source(path)[start:end].split()


def at_lines(own: Iterable[Module], path: str, spans: Sequence[Lines]) -> list[Module]:
    """The modules with a part at some lines of a file, the smallest first."""
    found = [module for module in own if any(is_at(part, path, spans) for part in module.passages)]
    return sorted(found, key=lambda module: sum(part.length for part in module.passages))


def is_at(part: Passage, path: str, spans: Iterable[Lines]) -> bool:
    """Whether a passage overlaps some lines of a file."""
    where = part.location
    return where.path == path and any(
        where.line <= last and first <= where.end_line for first, last in spans
    )
