r"""Checks of a Lean blueprint's marks: what they claim, and what changed under them.

A mark is compared with the Lean declaration that `\lean` names only if a plain scan finds that
exactly once. The contents of each Lean file are cached; texts are compared only when a mark was
added, or words changed under one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from pfcore.checks.check import Check, CheckInput, block, says_the_same
from pfcore.checks.lean.lean_links import lean_names_of, lean_statements
from pfcore.domain.errors import SourceError
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Module, Passage, Role, Severity
from pfcore.graph.missing_uses import Missing, find_missing_uses
from pfcore.graph.paper_state import PaperState
from pfcore.repository.snapshot import Snapshot

if TYPE_CHECKING:
    from pfcore.checks.lean.lean_files import Declaration
    from pfcore.checks.lean.lean_uses import LeanGap

_FORMAL = frozenset({"leanok", "mathlibok"})
_WORD = regex(r"[\w']+")


class _Lean:
    """The Lean declarations of some names, now and before; only names declared exactly once."""

    def __init__(self, scene: CheckInput, before: PaperState, names: Iterable[str]) -> None:
        names = frozenset(names)
        self._moments = scene.paper.snapshot, before.paper.snapshot
        self.now = _declared(self._moments[0], names)
        self._then = _declared(self._moments[1], names) if self.now else {}

    def is_as_it_was(self, name: str) -> bool:
        """Whether a declaration is known to be unchanged."""
        return name in self.now and self._then.get(name) == self.now[name]

    def has_changed(self, name: str) -> bool:
        """Whether a declaration is new or changed."""
        return name in self.now and not self.is_as_it_was(name)

    def is_left_alone(self, name: str) -> bool:
        """Whether a declaration is unchanged and mentions none that changed."""
        if not self.is_as_it_was(name):
            return False
        return self._changed.isdisjoint(_WORD.findall(self.now[name].text))

    @cached_property
    def _changed(self) -> frozenset[str]:
        """The last parts of the names of all declarations that are new or changed."""
        from pfcore.checks.lean.lean_files import declarations

        now, then = self._moments
        moved = [
            path
            for path, entry in now.files.items()
            if path.endswith(".lean") and (path not in then.files or then.files[path] != entry)
        ]
        known = {item for text in _texts(then, moved) for item in declarations(text)}
        fresh = {item for text in _texts(now, moved) for item in declarations(text)} - known
        return frozenset(item.name.rpartition(".")[2] for item in fresh)


def _declared(snapshot: Snapshot, names: frozenset[str]) -> dict[str, Declaration]:
    if not names:
        return {}
    from pfcore.checks.lean.lean_files import declarations

    paths = [path for path in snapshot.files if path.endswith(".lean")]
    last = {name.rpartition(".")[2] for name in names}
    found: dict[str, list[Declaration]] = {}
    for text in _texts(snapshot, paths):
        if any(name in text for name in last):
            for item in declarations(text):
                if item.name in names:
                    found.setdefault(item.name, []).append(item)
    return {name: listed[0] for name, listed in found.items() if len(listed) == 1}


def _texts(snapshot: Snapshot, paths: Iterable[str]) -> list[str]:
    """The texts of those of the files that exist; none if a partial clone lacks one."""
    try:
        sources = snapshot.read_many(path for path in paths if path in snapshot.files)
    except SourceError:  # without all files nothing is certain
        return []
    return [source.text for source in sources.values()]


def stale(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Statements that changed under a mark while Lean did not, and the reverse."""
    if scene.before is None or scene.plan is None:
        return
    yield from _restated_in_lean(scene, scene.before, check)
    kept = [
        scene.document.modules[name]
        for name in scene.plan.restated
        if _keeps_its_mark(scene, scene.before, scene.document.modules[name])
    ]
    lean = _Lean(
        scene, scene.before, (name for item in kept for name in lean_names_of(scene.state, item))
    )
    for module in kept:
        names = lean_names_of(scene.state, module)
        if any(lean.has_changed(name) for name in names):
            continue
        same = [name for name in names if lean.is_as_it_was(name)]
        shown = scene.name(module.id)
        yield check.finding(
            f"the statement of {shown} has changed since its {_mark(scene.state, module)} was set"
            + (f", but {_called(same)} has not" if len(same) == 1 else "")
            + (f", but {_called(same)} have not" if len(same) > 1 else ""),
            subject=module.statement.digest,
            module=module.id,
            place=scene.opening(module.statement),
        )


def _restated_in_lean(scene: CheckInput, before: PaperState, check: Check) -> Iterator[Finding]:
    """Statements that did not change under a mark while their Lean declarations did."""
    now, then = scene.paper.snapshot, before.paper.snapshot
    if not any(
        path.endswith(".lean") and path in then.files and then.files[path] != entry
        for path, entry in now.files.items()
    ):
        return
    kept = {
        module: names
        for module in scene.document.modules.values()
        if (names := lean_names_of(scene.state, module))
        and _keeps_its_mark(scene, before, module, is_restated=False)
    }
    named = {name for names in kept.values() for name in names}
    is_now, was = lean_statements(scene.paper, named), lean_statements(before.paper, named)
    shared = is_now.keys() & was.keys()
    stated = {name for name in shared if is_now[name].says != was[name].says}
    made = {name for name in shared - stated if is_now[name].makes != was[name].makes}
    for module, names in kept.items():
        if told := [name for name in names if name in stated]:
            what, severity = "type", check.severity
        elif told := [name for name in names if name in made]:
            what, severity = "value", Severity.NOTE
        else:
            continue
        yield check.finding(
            f"the {what} of {_called(told)} has changed, but the text of {scene.name(module.id)}, "
            f"marked {_mark(scene.state, module)}, has not",
            subject=f"{module.statement.digest} in Lean",
            module=module.id,
            place=scene.opening(module.statement),
            severity=severity,
        )


def _keeps_its_mark(
    scene: CheckInput, before: PaperState, module: Module, *, is_restated: bool = True
) -> bool:
    """Whether a module stayed formal under the same names, and changed as `is_restated` says."""
    then = _counterpart(scene, before, module)
    if then is None or says_the_same(scene.state, module, before, then) is is_restated:
        return False
    if set(lean_names_of(scene.state, module)) != set(lean_names_of(before, then)):
        return False
    is_marked, was_marked = (
        _FORMAL.intersection(block(state, item.statement).marks)
        for state, item in ((scene.state, module), (before, then))
    )
    return bool(is_marked and was_marked) or (module.is_formal and then.is_formal)


def _mark(state: PaperState, module: Module) -> str:
    in_mathlib = "mathlibok" in block(state, module.statement).marks
    return "\\mathlibok" if in_mathlib else "\\leanok"


class _Added(NamedTuple):
    """A passage that has `\\leanok`; `is_new` if the whole module is new."""

    module: Module
    passage: Passage
    is_new: bool

    @property
    def what(self) -> str:
        """What was marked, in words."""
        if self.module.role is Role.DEFINITION:
            return self.module.id
        is_proof = self.passage is not self.module.statement
        return f"the {'proof' if is_proof else 'statement'} of {self.module.id}"


def added(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Passages marked `\\leanok` that are unfinished in Lean, or newly marked without a change."""
    if not any(path.endswith(".lean") for path in scene.paper.snapshot.files):
        return
    fresh = list(_added(scene, scene.before)) if scene.before is not None else []
    claimed = list(_claimed(scene, fresh))
    from pfcore.checks.lean.lean_gaps import lean_gaps  # not for papers without Lean

    known = lean_gaps(scene.paper) if claimed else {}
    told: set[str] = set()
    for item in claimed:
        names = lean_names_of(scene.state, item.module)
        open_ones = {name for name in names if name in known}
        if still_open := [
            name
            for name in names
            if name in open_ones and open_ones.isdisjoint(known[name].through)
        ]:
            marked, still = ("was", "still ") if item in fresh else ("is", "")
            told.add(item.module.id)
            said = [_lacking(name, known[name], still) for name in still_open]
            yield check.finding(
                f"{item.what} {marked} marked \\leanok, but the Lean declaration "
                f"{', and '.join(said)}",
                subject=f"{item.what} {' '.join(still_open)}",
                module=item.module.id,
                place=scene.opening(item.passage),
            )
    if scene.before is not None:
        left = [item for item in fresh if not item.is_new and item.module.id not in told]
        yield from _unfounded(scene, scene.before, check, left)


def _lacking(name: str, gap: LeanGap, still: str) -> str:
    """What a declaration, or one that its proof depends on, lacks, with the place in Lean."""
    match gap.lack:
        case "axiom":
            said = "is an axiom"
        case "opaque":
            said = "is opaque and has no value"
        case word:
            said = f"{still if gap.is_begun else ''}contains {word}"
    if gap.through:
        verb = "uses" if len(gap.through) == 1 else "depends on"
        said = f"{verb} {gap.through[-1]}, which {said}"
    return f"{name} {said} ({gap.path}:{gap.line})"


def _unfounded(
    scene: CheckInput, before: PaperState, check: Check, fresh: list[_Added]
) -> Iterator[Finding]:
    """The new marks whose Lean declarations did not change with them."""
    lean = _Lean(
        scene,
        before,
        (name for item in fresh for name in lean_names_of(scene.state, item.module)),
    )
    for item in fresh:
        names = lean_names_of(scene.state, item.module)
        if names and all(lean.is_left_alone(name) for name in names):
            yield check.finding(
                f"{item.what} was marked \\leanok, but {_called(names)} did not change in this "
                "pull request",
                subject=f"{item.what} ",
                module=item.module.id,
                place=scene.opening(item.passage),
                severity=Severity.NOTE,
            )


def _claimed(scene: CheckInput, fresh: list[_Added]) -> Iterator[_Added]:
    """The passages that a mark claims to be finished: proofs, and definitions.

    A mark on the statement of a result says only that the statement is written in Lean.
    """
    newly = {item.module.id: item for item in fresh}
    for module in scene.document.modules.values():
        passage = _marked(scene.state, module.passages[1:])
        if passage is None and module.role is Role.DEFINITION:
            passage = _marked(scene.state, (module.statement,))
        if passage is not None:
            item = newly.get(module.id)
            yield item if item and item.passage == passage else _Added(module, passage, False)


def _added(scene: CheckInput, before: PaperState) -> Iterator[_Added]:
    """The newly marked modules, each once: by its proof if marked, else by its statement."""
    for module in scene.document.modules.values():
        passages = module.passages
        if all(passage.location.path in scene.spared for passage in passages):
            continue
        then = _counterpart(scene, before, module)
        proof = _marked(scene.state, module.passages[1:])
        statement = _marked(scene.state, (module.statement,))
        if proof and not (then and _marked(before, then.passages[1:])):
            yield _Added(module, proof, then is None)
        elif statement and not (then and _marked(before, (then.statement,))):
            yield _Added(module, statement, then is None)


def _marked(state: PaperState, passages: Iterable[Passage]) -> Passage | None:
    return next((item for item in passages if "leanok" in block(state, item).marks), None)


def _counterpart(scene: CheckInput, before: PaperState, module: Module) -> Module | None:
    """The earlier version of a module, None if it is new."""
    name = scene.plan.pairs.get(module.id) if scene.plan else None
    return before.document.modules[name] if name is not None else None


def _called(names: list[str]) -> str:
    return f"the Lean declaration{'s' if len(names) > 1 else ''} {', '.join(names)}"


CHECKS = (
    Check(
        id="leanok-stale",
        severity=Severity.WARNING,
        rationale="words or Lean changed, but not both",
        run=stale,
    ),
)


def drift(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Modules with a `\\uses` that cite by name something which it does not lead to."""
    for _, group in groupby(find_missing_uses(scene.state), key=lambda gap: gap.module.id):
        gaps = list(group)
        module = gaps[0].module
        if not _has_uses(scene, module):
            continue
        targets = tuple(target for gap in gaps for target in gap.targets)
        yield check.finding(
            f"{_what(gaps)} cites {', '.join(targets)}, which its \\uses does not list",
            subject=" ".join(sorted(targets)),
            module=module.id,
            place=scene.opening(gaps[0].passage),
            related=targets,
        )


def _has_uses(scene: CheckInput, module: Module) -> bool:
    passages = module.passages
    return any(block(scene.state, passage).uses for passage in passages)


def _what(gaps: list[Missing]) -> str:
    parts = {gap.part for gap in gaps}
    name = gaps[0].module.id
    return f"the {parts.pop()} of {name}" if len(parts) == 1 else name


STRUCTURE_CHECKS = (
    Check(
        id="uses-drift",
        severity=Severity.NOTE,
        rationale="\\uses is missing a citation",
        run=drift,
    ),
    Check(
        id="leanok-added",
        severity=Severity.WARNING,
        rationale="\\leanok without finished Lean code",
        run=added,
    ),
)
