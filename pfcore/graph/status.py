"""Transitive status: the least fixpoint over G of DESIGN §3, recomputed without any call."""

from collections.abc import Mapping, Set
from enum import StrEnum
from typing import NamedTuple

from pfcore.domain.values import Module, Role, Status
from pfcore.graph.document import ProofDocument
from pfcore.graph.laws import is_invocation, knots


class ModuleVerdict(StrEnum):
    """The verdict on a module by itself."""

    ACCEPTED = "accepted"
    FLAGGED = "flagged"
    DISMISSED = "dismissed"


_SUPPORTS = frozenset({Status.CHECKED, Status.GIVEN, Status.CITED, Status.FORMAL, Status.DISMISSED})


def statuses(
    document: ProofDocument,
    verdicts: Mapping[str, ModuleVerdict],
    *,
    trust_leanok: bool = True,
    open_in_lean: Set[str] = frozenset(),
    unread_beyond: Set[str] = frozenset(),
) -> dict[str, Status]:
    """The status of every module; a module without verdict is unreached, never a pass.

    A module is formal if the authors marked it so, the mark is trusted, and Lean has no gap. A text
    in place of a proof is never accepted. A proof that was paired by a guess makes its result at
    most conditional, as does one that was not read again after a change of what its context names.
    """
    in_cycle = {name for knot in knots(document) for name in knot}
    modules = document.modules.values()
    marked = {module.id for module in modules if trust_leanok and module.is_formal}
    said = _KnownOfModules(verdicts, in_cycle, marked - open_in_lean)
    found = {module.id: _own(document, module, said) for module in modules}
    accepted = {name for name, status in found.items() if status is Status.CHECKED}
    if not accepted:
        return found
    doubtful = {
        name
        for name in accepted
        if _is_guessed(document, name) or _owner(document, name).id in unread_beyond
    }
    return found | _weakened(accepted, grounds(document), found, doubtful)


def _is_guessed(document: ProofDocument, name: str) -> bool:
    """Whether the proof of a module, or the one around an equation, was paired by a guess."""
    return _owner(document, name).is_guessed


def _owner(document: ProofDocument, name: str) -> Module:
    """The module whose verdict counts: for an equation the one that contains it."""
    module = document.modules[name]
    owner = document.modules.get(module.parent or "") if module.role is Role.FRAGMENT else None
    return owner or module


def grounds(document: ProofDocument) -> dict[str, set[str]]:
    """The modules that each module invokes; for an equation those that its proof invokes before."""
    invoked: dict[str, set[str]] = {}
    for edge in document.edges:
        if is_invocation(edge, document) and edge.source != edge.target:
            invoked.setdefault(edge.source, set()).add(edge.target)
    for name, module in document.modules.items():
        if module.role is Role.FRAGMENT and module.parent:
            targets = invoked.get(module.parent, ())
            invoked[name] = {t for t in targets if not _is_later(document.modules[t], module)}
    return invoked


def _is_later(target: Module, equation: Module) -> bool:
    """Whether a claim comes after an equation in the same proof, or is the equation."""
    return target.parent == equation.parent and target.position >= equation.position


def _weakened(
    accepted: set[str],
    invoked: Mapping[str, set[str]],
    found: Mapping[str, Status],
    doubtful: set[str],
) -> dict[str, Status]:
    """The accepted modules as checked, from the ground up, or conditional if their grounds are not.

    The doubtful ones are always conditional.
    """
    users: dict[str, list[str]] = {}
    waiting: dict[str, int] = {}
    for name in accepted:
        targets = invoked.get(name, set())
        waiting[name] = sum(
            1 for target in targets if found[target] not in _SUPPORTS - {Status.CHECKED}
        ) + (name in doubtful)
        for target in targets:
            users.setdefault(target, []).append(name)
    ready = [name for name, count in waiting.items() if count == 0]
    checked: set[str] = set()
    while ready:
        name = ready.pop()
        checked.add(name)
        for user in users.get(name, ()):
            waiting[user] -= 1
            if waiting[user] == 0:
                ready.append(user)
    return {name: Status.CHECKED if name in checked else Status.CONDITIONAL for name in accepted}


class _KnownOfModules(NamedTuple):
    """What is known about modules: verdicts, those in a cycle, those that count as formal."""

    verdicts: Mapping[str, ModuleVerdict]
    in_cycle: set[str]
    formal: set[str]


def _own(document: ProofDocument, module: Module, said: _KnownOfModules) -> Status:
    """The status of a module regardless of what it rests on; accepted counts as checked here."""
    if module.role is Role.FRAGMENT:
        owner = document.modules.get(module.parent or "")
        return _own(document, owner, said) if owner else Status.GIVEN
    if module.id in said.in_cycle:
        return Status.FLAGGED
    verdict = said.verdicts.get(module.id)
    if verdict in _OBJECTIONS:
        return _OBJECTIONS[verdict]
    is_omitted = module.stand_in is Status.OMITTED
    claims = bool(module.proofs) or module.role in (Role.RESULT, Role.OPEN) or is_omitted
    if claims and module.id in said.formal:
        return Status.FORMAL
    if verdict is ModuleVerdict.ACCEPTED and module.stand_in is None:
        return Status.CHECKED
    if not claims:
        return Status.GIVEN
    if module.stand_in is Status.CITED or (module.is_cited and not module.proofs):
        return Status.CITED
    return Status.OMITTED if is_omitted else Status.UNREACHED


_OBJECTIONS = {ModuleVerdict.FLAGGED: Status.FLAGGED, ModuleVerdict.DISMISSED: Status.DISMISSED}
