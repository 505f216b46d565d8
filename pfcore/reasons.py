"""Why a change affects a module, in sentences that an author understands."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from pfcore.graph.changes import Change, Comparison
from pfcore.graph.context import closure, followed, members
from pfcore.graph.document import ProofDocument
from pfcore.graph.links import Links
from pfcore.graph.paper import State
from pfcore.latex import folding
from pfcore.model import Edge, Module, Passage, Role, Via
from pfcore.papers import Paper

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
_PLACE = {via: place for place, via in enumerate(_RELATION)}


@dataclass(kw_only=True)
class Reasons:
    """Explains affected modules of one comparison."""

    before: State
    after: State
    comparison: Comparison
    _edges: dict[str, dict[str, Edge]] = field(default_factory=dict)

    def of(self, name: str) -> tuple[str, ...]:
        """The reasons why a module is affected, the most direct first."""
        old = self.comparison.pairs.get(name)
        if old is None:
            return (f"this {self.after.document.modules[name].kind} is new",)
        found = [*self._own(name, old), *self._others(name, old), *self._leads(name, old)]
        return tuple(dict.fromkeys(found)) or ("what its words refer to changed",)

    def _own(self, name: str, old: str) -> Iterator[str]:
        ours, theirs = self.after.document.modules[name], self.before.document.modules[old]
        if ours.kind != theirs.kind:
            yield f"it is now a {ours.kind}, it was a {theirs.kind}"
        yield from self._statement(ours.statement, theirs.statement)
        count = (len(ours.proofs), len(theirs.proofs))
        if count[0] > count[1]:
            yield "proof added" if not count[1] else "another proof added"
        elif count[0] < count[1]:
            yield "proof removed" if not count[0] else "a proof removed"
        else:
            for mine, other in zip(ours.proofs, theirs.proofs, strict=True):
                yield from self._proof(name, mine, other)

    def _statement(self, mine: Passage, other: Passage) -> Iterator[str]:
        now, then = self._texts(mine, other)
        is_given_anew = folding.given(now) != folding.given(then)
        if is_given_anew:
            yield "a hypothesis fixed before it changed"
        if not is_given_anew or folding.own(now) != folding.own(then):
            yield from self._passage("statement", mine, other)

    def _proof(self, name: str, mine: Passage, other: Passage) -> Iterator[str]:
        """The words of a proof, and the claims inside of it by their names."""
        claims = list(self._claims(name))
        now, then = self._texts(mine, other)
        if not claims or folding.around_claims(now) != folding.around_claims(then):
            yield from self._passage("proof", mine, other)
        yield from claims

    def _claims(self, name: str) -> Iterator[str]:
        modules = self.after.document.modules
        for claim in self.after.document.claims_in(name):
            old = self.comparison.pairs.get(claim)
            if old is None:
                continue
            ours, theirs = modules[claim].statement, self.before.document.modules[old].statement
            changed = self.comparison.change(ours, theirs) is Change.WORDS
            if changed and len(set(map(folding.own, self._texts(ours, theirs)))) > 1:
                yield f"{claim}, which its proof contains, {_changed(modules[claim])}"

    def _texts(self, mine: Passage, other: Passage) -> tuple[str, str]:
        """The canonical texts of a passage and its counterpart."""
        now, then = self.after.paper, self.before.paper
        return (
            now.texts(mine.location.path)[mine.block],
            then.texts(other.location.path)[other.block],
        )

    def _passage(self, word: str, mine: Passage, other: Passage) -> Iterator[str]:
        match self.comparison.change(mine, other):
            case Change.WORDS if self._is_rewritten(mine, other):
                yield f"{word} changed"
            case Change.WORDS:
                yield f"a macro that its {word} uses changed its definition"
            case Change.MARKS:
                yield f"a label in its {word} moved"
            case None:
                pass

    def _is_rewritten(self, mine: Passage, other: Passage) -> bool:
        """Whether it is the author's words that changed, here or in a file that is read in here."""
        now, then = self.after.paper, self.before.paper
        if now.recipes[mine.location.path].insets or then.recipes[other.location.path].insets:
            return True
        return _source(now, mine) != _source(then, other)

    def _others(self, name: str, old: str) -> Iterator[str]:
        """What became of the modules of the context, then and now."""
        now, then = members(self.after.document, name), members(self.before.document, old)
        modules, claims = self.after.document.modules, self.after.document.claims_in(name)
        for member in sorted(now, key=lambda item: self._distance(name, item)):
            found = self._member(member, then)
            if found and not (member in claims and found == _changed(modules[member])):
                yield f"{_called(modules[member])}, {self._how(name, member)}, {found}"
        yield from self._followed(name, old)
        kept = {self.comparison.pairs.get(member) for member in now}
        for member in sorted(then - kept):
            yield f"it no longer rests on {_called(self.before.document.modules[member])}"

    def _member(self, member: str, then: frozenset[str]) -> str:
        """What happened to a member, or nothing."""
        old = self.comparison.pairs.get(member)
        if old not in then:
            return "was not among what it rests on"
        ours, theirs = self.after.document.modules[member], self.before.document.modules[old]
        if ours.kind != theirs.kind:
            return f"is now a {ours.kind}"
        match self.comparison.change(ours.statement, theirs.statement):
            case Change.WORDS if self._is_rewritten(ours.statement, theirs.statement):
                return _changed(ours)
            case Change.WORDS if self._is_given_anew(ours.statement, theirs.statement):
                return "stands under a hypothesis that changed"
            case Change.WORDS:
                return "uses a macro that changed its definition"
            case Change.MARKS:
                return "has a label that moved"
            case None:
                pass
        links = (self.after.document.statements[member], self.before.document.statements[old])
        return "" if self.comparison.same_mentions(*links) else "refers to something else"

    def _is_given_anew(self, mine: Passage, other: Passage) -> bool:
        now, then = self._texts(mine, other)
        return folding.given(now) != folding.given(then)

    def _followed(self, name: str, old: str) -> Iterator[str]:
        """What became of the proofs that its own proof follows."""
        pairs = self.comparison.pairs
        then = followed(self.before.document, old)
        now = followed(self.after.document, name)
        for member in now:
            if pairs.get(member) not in then:
                yield f"the proof of {member}, which its proof follows, is new"
            elif member in self.comparison.proofs:
                yield f"the proof of {member}, which its proof follows, changed"
        kept = {pairs.get(member) for member in now}
        for member in then:
            if member not in kept:
                yield f"its proof no longer follows the proof of {member}"

    def _leads(self, name: str, old: str) -> Iterator[str]:
        """The same words, which lead elsewhere."""
        now, then = self.after.document, self.before.document
        if self._lead_elsewhere((now.statements[name],), (then.statements[old],)):
            yield "a reference in its statement leads elsewhere"
        if self._lead_elsewhere(now.proofs[name], then.proofs[old]):
            yield "a reference in its proof leads elsewhere"

    def _lead_elsewhere(self, mine: tuple[Links, ...], other: tuple[Links, ...]) -> bool:
        """Whether texts with equally many references lead to other targets."""
        return len(mine) == len(other) and any(
            len(one.mentions) == len(two.mentions) and not self.comparison.same_mentions(one, two)
            for one, two in zip(mine, other, strict=True)
        )

    def _edge(self, name: str, member: str) -> Edge | None:
        """The most telling edge between two modules."""
        if name not in self._edges:
            edges = self.after.document.edges_of(name)
            listed = sorted(edges, key=lambda edge: _PLACE[edge.via], reverse=True)
            self._edges[name] = {edge.target: edge for edge in listed}
        return self._edges[name].get(member)

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
        return next((item for item in self._edges[name] if member in closure(document, [item])), "")


def _source(paper: Paper, passage: Passage) -> str:
    where = passage.location
    return " ".join(paper.source(where.path)[where.start : where.end].split())


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
    edges = document.edges_of(name)
    return sorted(edges, key=lambda edge: (edge.part, _PLACE[edge.via], edge.order))
