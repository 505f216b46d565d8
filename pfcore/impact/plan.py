"""What a change affects, what of that is unread, and why."""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain
from operator import attrgetter

from pfcore.domain.containment import Failure, Fault, attempt
from pfcore.domain.values import Affected, BeyondChange, Module
from pfcore.graph.context import beyond
from pfcore.graph.document import ProofDocument
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import context_digest, deep_digest
from pfcore.impact.comparison import DocumentComparison, content_of, match_modules
from pfcore.impact.reasons import Reasons, called, changed

_Pair = tuple[Module, Module | None]
"""A module and its counterpart in the base; None if it is new."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The affected modules of one paper.

    `total` counts all modules that have or need a proof, including those with a stand-in for it;
    `backlog` counts those with a proof that are unread and not affected. Modules that the authors
    mark as formally proved do not count as unread if these marks are trusted. `edited` are the ids
    of modules whose own words changed, definitions and conventions included; `restated` those whose
    statement changed. `pairs` maps current ids to ids of the base. `beyond` are changes of what
    contexts only name. `reopened` are modules that were read before the change and are unread after
    it, because they are affected or because it edits what their readers had asked for; None if it
    is unknown what was read.
    """

    paper: str
    total: int
    affected: tuple[Affected, ...]
    backlog: int
    edited: tuple[str, ...]
    restated: tuple[str, ...]
    removed: tuple[str, ...]
    pairs: Mapping[str, str]
    beyond: tuple[BeyondChange, ...] = ()
    reopened: tuple[str, ...] | None = None

    @property
    def under_review(self) -> tuple[str, ...]:
        """The distinct modules that the change affects or reopens."""
        return tuple(dict.fromkeys((*(item.id for item in self.affected), *(self.reopened or ()))))

    @property
    def unread(self) -> tuple[str, ...]:
        """Those of them without a verdict, which never count as a pass."""
        affected = (item.id for item in self.affected if item.unread)
        return tuple(dict.fromkeys((*affected, *(self.reopened or ()))))

    @property
    def unread_beyond(self) -> frozenset[str]:
        """The unaffected modules that know only the name of something that changed."""
        return frozenset(chain.from_iterable(map(attrgetter("modules"), self.beyond)))


def make_plan(before: PaperState | None, after: PaperState) -> Plan:
    """Compare two states of a paper; without a base no module counts as affected."""
    modules = after.document.modules.values()
    total = sum(1 for item in modules if item.is_asserted and item.role.stands_alone)
    readable = sum(1 for item in modules if _is_claim(item) and _wants_reading(item, after))
    if before is None:
        return Plan(
            paper=after.paper.name, total=total, affected=(), backlog=readable,
            edited=(), restated=(), removed=(), pairs={},
        )  # fmt: skip
    comparison = compare(before, after)
    alike = _with_same_context(before, after, comparison)
    affected = _affected(before, after, comparison, alike)
    unread = sum(1 for item in affected if item.unread)
    differing = list(_counterparts(before, after, comparison))
    kept = set(comparison.pairs.values())
    return Plan(
        paper=after.paper.name,
        total=total,
        affected=affected,
        backlog=readable - unread,
        edited=_edited(differing, comparison),
        restated=_restated(differing),
        removed=tuple(
            name
            for name, module in before.document.modules.items()
            if name not in kept and module.role.stands_alone
        ),
        pairs=comparison.pairs,
        beyond=tuple(_beyond(before, after, comparison, alike)),
    )


def compare(before: PaperState, after: PaperState) -> DocumentComparison:
    """Align two states of a paper."""
    pairs = match_modules(
        before.document,
        after.document,
        texts_before=before.paper.texts,
        texts_after=after.paper.texts,
    )
    return DocumentComparison(before, after, pairs)


def _is_claim(module: Module) -> bool:
    return module.is_claim and module.role.stands_alone


def is_readable(state: PaperState, name: str) -> bool:
    """Whether a module has a proof that needs a reader."""
    return _wants_reading(state.document.modules[name], state)


def _wants_reading(module: Module, state: PaperState) -> bool:
    return bool(module.proofs) and not state.counts_as_formal(module)


_SameContext = Mapping[str, tuple[tuple[str, ...], bool]]
"""For each claim whose context may differ, the modules of the base with the same context.

The second component says whether one of these agrees even in what is beyond its context.
"""


def _with_same_context(
    before: PaperState, after: PaperState, comparison: DocumentComparison
) -> _SameContext:
    modules = [after.document.modules[name] for name in comparison.candidates()]
    claims = [module for module in modules if _is_claim(module)]
    alike = _alike(claims, before.document)
    known: dict[str, str] = {}

    def same(module: Module) -> Iterator[str]:
        old = comparison.pairs.get(module.id)
        others = dict.fromkeys((*([old] if old else ()), *alike.get(content_of(module), ())))
        for other in others.keys() - known.keys():
            known[other] = _digest(before, other)
        own = _digest(after, module.id) if others else ""
        return (other for other in others if own and known[other] == own)

    found: dict[str, tuple[tuple[str, ...], bool]] = {}
    for module in claims:
        others = tuple(same(module))
        then = {_digest(before, other, is_deep=True) for other in others}
        found[module.id] = others, not then or _digest(after, module.id, is_deep=True) in then
    return found


def _affected(
    before: PaperState, after: PaperState, comparison: DocumentComparison, alike: _SameContext
) -> tuple[Affected, ...]:
    """The candidates whose context has no equal in the base."""
    reasons = Reasons(before=before, after=after, comparison=comparison)
    modules = after.document.modules
    return tuple(
        Affected(
            id=name,
            marked=_reasons(reasons, modules[name], after),
            unread=_wants_reading(modules[name], after),
        )
        for name, (others, _) in alike.items()
        if not others
    )


def _beyond(
    before: PaperState, after: PaperState, comparison: DocumentComparison, alike: _SameContext
) -> Iterator[BeyondChange]:
    """The distinct changes beyond the contexts of claims that are not affected."""
    now, then = after.document, before.document
    found: dict[tuple[str, str], list[str]] = {}
    for name, (others, is_same) in alike.items():
        if is_same or not is_readable(after, name):
            continue
        for told in _told(beyond(now, name), beyond(then, others[0]), comparison):
            found.setdefault(told, []).append(name)
    for (name, what), names in found.items():
        yield BeyondChange(id=name, what=what, modules=tuple(names))


def _told(
    now: Set[str], then: Set[str], comparison: DocumentComparison
) -> Iterator[tuple[str, str]]:
    """The changes beyond a context: the id of what changed, and a sentence about it."""
    ours = comparison.after.document.modules
    theirs = comparison.before.document.modules
    kept = {comparison.pairs.get(name) for name in now}
    known = set(comparison.pairs.values())
    for name in sorted(now, key=lambda item: ours[item].position):
        old = comparison.pairs.get(name)
        if old is None:
            yield name, f"{called(ours[name])} is new"
        elif ours[name].statement.digest != theirs[old].statement.digest:
            yield name, f"{called(ours[name])} {changed(ours[name])}"
        elif ours[name].kind != theirs[old].kind:
            yield name, f"{called(ours[name])} is now a {ours[name].kind}"
        elif old not in then:
            yield name, f"{called(ours[name])} is now used by another definition"
    for old in sorted(then - kept, key=lambda item: theirs[item].position):
        is_there = old in known
        became = "is no longer used by a definition" if is_there else "was removed"
        yield old, f"{called(theirs[old])} {became}"


def _digest(state: PaperState, name: str, *, is_deep: bool = False) -> str:
    """The digest of a context, or a deep digest; "" if an internal error prevents it."""
    contained = partial(context_digest, state.document, name, state.paper.texts)
    found = attempt(partial(deep_digest, state.document, name) if is_deep else contained)
    return _noted(state, name, found.cause) if isinstance(found, Failure) else found


def _reasons(reasons: Reasons, module: Module, state: PaperState) -> tuple[str, ...]:
    found = attempt(partial(reasons.of, module.id))
    if not isinstance(found, Failure):
        return found
    _noted(state, module.id, found.cause)
    return ("the target of a reference changed",)


def _noted(state: PaperState, name: str, cause: str) -> str:
    """Note that a module could not be compared; returns ""."""
    module = state.document.modules[name]
    where = module.statement.location
    state.paper.faults.add(Fault(where.path, where.line, module.kind, cause))
    return ""


def _alike(claims: Iterable[Module], document: ProofDocument) -> dict[tuple[str, ...], list[str]]:
    """The modules of a document whose statement is that of a claim, by content."""
    statements = {module.statement.digest for module in claims}
    found: dict[tuple[str, ...], list[str]] = {}
    for name, module in document.modules.items():
        if module.statement.digest in statements:
            found.setdefault(content_of(module), []).append(name)
    return found


def _edited(changed: Iterable[_Pair], comparison: DocumentComparison) -> tuple[str, ...]:
    """Modules that are new or whose own words changed."""
    return tuple(
        module.id
        for module, other in changed
        if other is None
        or content_of(module) != content_of(other)
        or _points_elsewhere(module, other, comparison)
    )


def _points_elsewhere(module: Module, other: Module, comparison: DocumentComparison) -> bool:
    """Whether an edited reference leads elsewhere; digests do not include its own words."""
    now, then = comparison.after.document, comparison.before.document
    passages = zip(module.argued, other.argued, strict=True)
    rewritten = [number for number, pair in enumerate(passages) if comparison.is_rewritten(*pair)]
    if not rewritten:
        return False
    links = (now.statements[module.id], *now.proofs[module.id])
    earlier = (then.statements[other.id], *then.proofs[other.id])
    return not all(comparison.same_mentions(links[n], earlier[n]) for n in rewritten)


def _restated(changed: Iterable[_Pair]) -> tuple[str, ...]:
    """Modules of both versions whose statement changed."""
    return tuple(
        module.id
        for module, other in changed
        if other is not None and module.statement.digest != other.statement.digest
    )


def _counterparts(
    before: PaperState, after: PaperState, comparison: DocumentComparison
) -> Iterator[_Pair]:
    """The modules that are not identical to their counterparts, each with its counterpart."""
    then = before.document.modules
    for name, module in after.document.modules.items():
        old = comparison.pairs.get(name)
        other = then[old] if old is not None else None
        if other is not module and module.role.stands_alone:
            yield module, other
