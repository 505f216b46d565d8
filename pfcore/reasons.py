"""Why a change affects a module, in sentences that an author understands."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pfcore.graph.context import closure, followed, members
from pfcore.graph.changes import Comparison
from pfcore.graph.document import ProofDocument
from pfcore.graph.paper import State
from pfcore.model import Edge, Module, Passage, Role, Via

_RELATION = {
    Via.REFERENCE: "which it cites",
    Via.USES: "which it uses",
    Via.NUMBER: "which it cites",
    Via.NAME: "which it names",
    Via.PHRASE: "which it points to",
    Via.TERM: "whose term it uses",
    Via.NOTATION: "whose notation it uses",
    Via.SCOPE: "which binds it",
    Via.PROOF: "whose proof it follows",
}


@dataclass(kw_only=True)
class Reasons:
    """Explains affected modules of one comparison."""

    before: State
    after: State
    comparison: Comparison
    _invoked: Mapping[str, list[Edge]] = field(init=False)

    def __post_init__(self) -> None:
        self._invoked = self.after.document.invoked()

    def of(self, name: str) -> tuple[str, ...]:
        """The reasons why a module is affected, the most direct first."""
        old = self.comparison.pairs.get(name)
        if old is None:
            return (f"this {self.after.document.modules[name].kind} is new",)
        found = [*self._own(name, old), *self._others(name, old)]
        return tuple(dict.fromkeys(found)) or ("what its words refer to changed",)

    def _own(self, name: str, old: str) -> Iterator[str]:
        ours, theirs = self.after.document.modules[name], self.before.document.modules[old]
        if ours.kind != theirs.kind:
            yield f"it is now a {ours.kind}, it was a {theirs.kind}"
        yield from self._passage("statement", ours.statement, theirs.statement)
        count = (len(ours.proofs), len(theirs.proofs))
        if count[0] > count[1]:
            yield "proof added" if not count[1] else "another proof added"
        elif count[0] < count[1]:
            yield "proof removed" if not count[0] else "a proof removed"
        else:
            for mine, other in zip(ours.proofs, theirs.proofs, strict=True):
                yield from self._passage("proof", mine, other)

    def _passage(self, word: str, mine: Passage, other: Passage) -> Iterator[str]:
        if mine.digest == other.digest:
            return
        if self._source(self.after, mine) != self._source(self.before, other):
            yield f"{word} changed"
        else:
            yield f"a macro that its {word} uses changed its definition"

    def _source(self, state: State, passage: Passage) -> str:
        where = passage.location
        return " ".join(state.paper.source(where.path)[where.start : where.end].split())

    def _others(self, name: str, old: str) -> Iterator[str]:
        pairs = self.comparison.pairs
        now, then = members(self.after.document, name), members(self.before.document, old)
        kept = {pairs[member]: member for member in now if member in pairs}
        for member in sorted(now, key=lambda item: self._distance(name, item)):
            module = self.after.document.modules[member]
            if pairs.get(member) not in then:
                yield f"{_called(module)}, {self._how(name, member)}, was not among what it rests on"
            elif self._is_changed(member):
                yield f"{_called(module)}, {self._how(name, member)}, {_changed(module)}"
        for member in followed(self.after.document, name):
            if member in self.comparison.proofs:
                yield f"the proof of {member}, which its proof follows, changed"
        for member in sorted(then):
            if member not in kept:
                yield f"it no longer rests on {_called(self.before.document.modules[member])}"

    def _is_changed(self, member: str) -> bool:
        ours = self.after.document.modules[member]
        theirs = self.before.document.modules[self.comparison.pairs[member]]
        return ours.statement.digest != theirs.statement.digest or ours.kind != theirs.kind

    def _edge(self, name: str, member: str) -> Edge | None:
        found = [edge for edge in self._invoked.get(name, ()) if edge.target == member]
        return min(found, key=lambda edge: list(_RELATION).index(edge.via), default=None)

    def _distance(self, name: str, member: str) -> tuple[int, int]:
        edge = self._edge(name, member)
        return (0 if edge else 1, self.after.document.modules[member].position)

    def _how(self, name: str, member: str) -> str:
        edge = self._edge(name, member)
        if edge:
            return _RELATION[edge.via]
        if member == self.after.document.modules[name].parent:
            return "whose proof contains it"
        through = self._through(name, member)
        return f"which {through} refers to" if through else "which its context contains"

    def _through(self, name: str, member: str) -> str:
        """A module that the context has for its own sake and that leads to this one."""
        document = self.after.document
        direct = [edge.target for edge in self._invoked.get(name, ())]
        return next((item for item in direct if member in closure(document, [item])), "")


def _called(module: Module) -> str:
    if module.role in (Role.CONVENTION, Role.ASSUMPTION):
        where = f"{module.statement.location.path}:{module.statement.location.line}"
        return f"{module.kind} {module.label}" if module.label else f"the {module.kind} at {where}"
    if module.role is Role.DEFINITION:
        return f"{module.kind} {module.id}"
    return module.id


def _changed(module: Module) -> str:
    if module.role in (Role.RESULT, Role.OPEN, Role.ASIDE):
        return "changed its statement"
    return "changed"


def chain(document: ProofDocument, name: str) -> list[Edge]:
    """The edges of a module, by how they were found and in the order of its text."""
    edges = [edge for edge in document.edges if edge.source == name]
    return sorted(edges, key=lambda edge: (edge.part, list(_RELATION).index(edge.via), edge.order))
