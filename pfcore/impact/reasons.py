"""Why a change affects a module, in sentences that an author understands."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property

from pfcore.domain.values import Edge, Module, Passage, Role, Via, marked_name
from pfcore.graph.context import (
    BINDING,
    closure,
    context,
    followed,
    levels,
    members,
    names_beyond,
    over,
)
from pfcore.graph.document import (
    UNRESOLVED,
    LinkTarget,
    ProofDocument,
    ResolvedLinks,
    linked_modules,
    mentioned_modules,
)
from pfcore.graph.paper_state import PaperState
from pfcore.impact.comparison import DocumentComparison, PassageChange
from pfcore.latex.language.worded_references import numbered
from pfcore.latex.lexer import whitespace
from pfcore.latex.lexer.normal_form import normal_form
from pfcore.latex.lexer.whitespace import second_form

_RELATION = {
    Via.REFERENCE: "which it cites",
    Via.USES: "which it uses",
    Via.NUMBER: "which it cites",
    Via.NAME: "which it names",
    Via.PHRASE: "which it points to",
    Via.TERM: "whose term it uses",
    Via.NOTATION: "whose notation it uses",
    Via.INTRODUCTION: "which introduces what it uses",
    Via.SCOPE: "which applies to it",
    Via.PROOF: "on whose proof its own is modelled",
    Via.COROLLARY: "of which it is a corollary",
}
_RELATED = {
    Via.REFERENCE: "which it cited",
    Via.USES: "which it used",
    Via.NUMBER: "which it cited",
    Via.NAME: "which it named",
    Via.PHRASE: "which it pointed to",
    Via.TERM: "whose term it used",
    Via.NOTATION: "whose notation it used",
    Via.INTRODUCTION: "which introduced what it used",
    Via.SCOPE: "which applied to it",
    Via.PROOF: "on whose proof its own was modelled",
    Via.COROLLARY: "of which it was a corollary",
}
_Passages = tuple[Passage, Passage]
_Links = tuple[ResolvedLinks, ResolvedLinks]
_NO_LONGER = "it no longer depends on "
_PLACE = {via: place for place, via in enumerate(_RELATION)}


@dataclass(kw_only=True)
class Reasons:
    """Explains affected modules of one comparison."""

    before: PaperState
    after: PaperState
    comparison: DocumentComparison
    _edges: dict[tuple[int, str], dict[str, Edge]] = field(default_factory=dict)

    def of(self, name: str) -> tuple[str, ...]:
        """The reasons why a module is affected, the most direct first; modules are marked."""
        old = self.comparison.pairs.get(name)
        if old is None:
            return (f"this {self.after.document.modules[name].kind} is new",)
        found = [*self._own(name, old), *self._cites(name, old)]
        found += [*self._others(name, old), *self._leads(name, old)]
        found = found or [*self._named_otherwise(name, old), *self._known_by_name(name, old)]
        return tuple(dict.fromkeys(found)) or ("the target of a reference changed",)

    def _own(self, name: str, old: str) -> Iterator[str]:
        ours, theirs = self.after.document.modules[name], self.before.document.modules[old]
        if ours.kind != theirs.kind:
            yield f"it is now a {ours.kind}; it was a {theirs.kind}"
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
        is_given_anew = whitespace.given(now) != whitespace.given(then)
        if is_given_anew:
            yield "a hypothesis that applies to it has changed"
        if not is_given_anew or whitespace.own(now) != whitespace.own(then):
            yield from self._passage("statement", mine, other)

    def _proof(self, name: str, mine: Passage, other: Passage) -> Iterator[str]:
        """Changes of a proof's words, and of the claims inside it, which are named."""
        claims = list(self._claims(name))
        now, then = self._texts(mine, other)
        if not claims or whitespace.around_claims(now) != whitespace.around_claims(then):
            yield from self._passage("proof", mine, other)
        yield from claims

    def _claims(self, name: str) -> Iterator[str]:
        modules = self.after.document.modules
        for claim in self.after.document.claims_in(name):
            old = self.comparison.pairs.get(claim)
            if old is None:
                continue
            ours, theirs = modules[claim].statement, self.before.document.modules[old].statement
            is_changed = self.comparison.change(ours, theirs) is PassageChange.WORDS
            if is_changed and len(set(map(whitespace.own, self._texts(ours, theirs)))) > 1:
                shown = marked_name(claim, claim)
                yield f"{shown}, which its proof contains, {changed(modules[claim])}"

    def _texts(self, mine: Passage, other: Passage) -> tuple[str, str]:
        """The normal forms of a passage and its counterpart."""
        now, then = self.after.paper, self.before.paper
        return (
            normal_form(second_form(now.texts(mine.location.path)[mine.block])),
            normal_form(second_form(then.texts(other.location.path)[other.block])),
        )

    def _passage(self, word: str, mine: Passage, other: Passage) -> Iterator[str]:
        match self.comparison.change(mine, other):
            case PassageChange.WORDS if self.comparison.is_rewritten(mine, other):
                yield f"{word} changed"
            case PassageChange.WORDS:
                yield f"{self._macro} that its {word} uses was {self._redefined}"
            case PassageChange.MARKS:
                yield f"a label in its {word} moved"
            case None:
                pass

    def _others(self, name: str, old: str) -> Iterator[str]:
        """The changes among the modules of the context."""
        now, then = members(self.after.document, name), members(self.before.document, old)
        modules, claims = self.after.document.modules, self.after.document.claims_in(name)
        fresh: dict[str, list[str]] = {}
        for member in sorted(now, key=lambda item: self._distance(name, item)):
            found = self._member(member, then)
            if found and not (member in claims and found == changed(modules[member])):
                yield f"{_marked(modules[member])}, {self._how(name, member)}, {found}"
            elif not found and self.comparison.pairs.get(member) not in then:
                fresh.setdefault(self._how(name, member), []).append(_marked(modules[member]))
        for how, shown in fresh.items():
            yield f"it now depends on {_listed(shown)}, {_of_several(how) if shown[1:] else how}"
        yield from self._bound(name, old, now, then)
        yield from self._followed(name, old)
        kept = {self.comparison.pairs.get(member) for member in now}
        lost = [self._lost(member, old) for member in sorted(then - kept)]
        left = [one.removeprefix(_NO_LONGER) for one in lost if one.startswith(_NO_LONGER)]
        if left:
            yield f"{_NO_LONGER}{_listed(left)}"
        yield from (one for one in lost if not one.startswith(_NO_LONGER))

    def _bound(
        self, name: str, old: str, now: frozenset[str], then: frozenset[str]
    ) -> Iterator[str]:
        """Conventions in both contexts that now apply to other modules."""
        pairs, modules = self.comparison.pairs, self.after.document.modules
        both = [
            one for one in sorted(now) if modules[one].role in BINDING and pairs.get(one) in then
        ]
        holders = [(name, old), *((one, pairs.get(one, "")) for one in sorted(now))]
        for holder, earlier in holders if both else ():
            if not earlier or (holder != name and earlier not in then):
                continue
            ours = over(self.after.document, holder)
            theirs = over(self.before.document, earlier)
            for one in both:
                if (one in ours) != (pairs[one] in theirs):
                    yield self._binds(one, name, holder, is_new=one in ours)

    def _binds(self, one: str, name: str, holder: str, *, is_new: bool) -> str:
        modules = self.after.document.modules
        when = "now" if is_new else "no longer"
        if holder == name:
            return f"{_marked(modules[one])} {when} applies to it"
        how = self._how(name, holder)
        return f"{_marked(modules[one])} {when} applies to {_marked(modules[holder])}, {how}"

    def _lost(self, member: str, old: str) -> str:
        """What happened to a module that is no longer in the context."""
        shown = called(self.before.document.modules[member])
        if member in self._kept:
            kept, modules = self._kept[member], self.after.document.modules
            if self.before.document.modules[old].parent == member:
                return f"the proof of {_marked(modules[kept])} no longer contains it"
            if kept == member or member not in modules:
                return f"{_NO_LONGER}{marked_name(kept, shown)}"
            return f"{_NO_LONGER}{_marked(modules[kept])} (formerly {shown})"
        if member in self.before.document.claims_in(old):
            return f"{shown}, which its proof contained, was removed"
        edge = self._edge(self.before.document, old, member)
        how = _RELATED[edge.via] if edge else "on which it depended indirectly"
        return f"{shown}, {how}, was removed"

    @property
    def _is_reset(self) -> bool:
        """Whether the LaTeX settings changed."""
        return self.after.paper.settings.latex != self.before.paper.settings.latex

    @property
    def _macro(self) -> str:
        return "a macro or a setting of pf.toml" if self._is_reset else "a macro"

    @property
    def _redefined(self) -> str:
        return "changed" if self._is_reset else "redefined"

    @cached_property
    def _kept(self) -> Mapping[str, str]:
        """Maps ids of the base to current ids."""
        return {old: name for name, old in self.comparison.pairs.items()}

    def _member(self, member: str, then: frozenset[str]) -> str:
        """What happened to a member of the context, or ""."""
        old = self.comparison.pairs.get(member)
        if old is None:
            return "is new"
        if old not in then:
            return ""
        ours, theirs = self.after.document.modules[member], self.before.document.modules[old]
        if ours.kind != theirs.kind:
            return f"is now a {ours.kind}"
        match self.comparison.change(ours.statement, theirs.statement):
            case PassageChange.WORDS if self.comparison.is_rewritten(
                ours.statement, theirs.statement
            ):
                return changed(ours)
            case PassageChange.WORDS if self._is_given_anew(ours.statement, theirs.statement):
                return "has a hypothesis that changed"
            case PassageChange.WORDS:
                return f"uses {self._macro} that was {self._redefined}"
            case PassageChange.MARKS:
                return "has a label that moved"
            case None:
                pass
        links = (self.after.document.statements[member], self.before.document.statements[old])
        return "" if self.comparison.same_mentions(*links) else "now refers to something else"

    def _is_given_anew(self, mine: Passage, other: Passage) -> bool:
        now, then = self._texts(mine, other)
        return whitespace.given(now) != whitespace.given(then)

    def _named_otherwise(self, name: str, old: str) -> Iterator[str]:
        """Results that the same words call by another of their names."""
        now, then = context(self.after.document, name), context(self.before.document, old)
        for member, names in now.names.items():
            if names != then.names.get(self.comparison.pairs.get(member, "")):
                shown = _marked(self.after.document.modules[member])
                yield f"{shown}, {self._how(name, member)}, has another name"

    def _known_by_name(self, name: str, old: str) -> Iterator[str]:
        """Words of the context that are now, or were, defined outside it."""
        now = names_beyond(self.after.document, levels(self.after.document, name))
        then = names_beyond(self.before.document, levels(self.before.document, old))
        for term in now:
            if term not in then:
                yield f"{term}, a word of its context, is now defined elsewhere"
        for term in then:
            if term not in now:
                yield f"{term}, a word of its context, is no longer defined elsewhere"

    def _followed(self, name: str, old: str) -> Iterator[str]:
        """What happened to the proofs that its own proof follows."""
        pairs = self.comparison.pairs
        then = followed(self.before.document, old)
        now = followed(self.after.document, name)
        for member in now:
            shown = marked_name(member, member)
            if pairs.get(member) not in then:
                yield f"its proof is modelled on that of {shown}, which is new"
            elif member in self.comparison.proofs:
                yield f"its proof is modelled on that of {shown}, which changed"
        kept = {pairs.get(member) for member in now}
        for member in then:
            if member not in kept:
                name = self._kept.get(member, "")
                shown = marked_name(name, name) if name else member
                yield f"its proof is no longer modelled on that of {shown}"

    def _leads(self, name: str, old: str) -> Iterator[str]:
        """References whose words are the same and whose target changed."""
        lost = members(self.before.document, old) - {
            self.comparison.pairs.get(one) for one in members(self.after.document, name)
        }
        for word, passages, links in self._both(name, old):
            pairs = self.comparison.moved(*links)
            if not self.comparison.keeps_words(*passages):
                pairs = [pair for pair in pairs if not self._is_other(*pair)]
            found = next(filter(None, (self._where(*pair, lost) for pair in pairs)), "")
            if found:
                yield f"a reference in its {word}{found}"

    def _cites(self, name: str, old: str) -> Iterator[str]:
        """Edits of references; what is new in the context is told elsewhere."""
        known = members(self.before.document, old)
        for word, passages, (now, then) in self._both(name, old):
            if self.comparison.same_mentions(now, then) or self.comparison.keeps_words(*passages):
                continue
            yield f"{word} changed"
            cited = set(mentioned_modules(then))
            for one in dict.fromkeys(mentioned_modules(now)):
                earlier = self.comparison.pairs.get(one)
                if earlier in known and earlier not in cited:
                    yield f"its {word} now cites {_marked(self.after.document.modules[one])}"

    def _both(self, name: str, old: str) -> Iterator[tuple[str, _Passages, _Links]]:
        """The statement and the proofs, each with its counterpart and the links of both."""
        now, then = self.after.document, self.before.document
        ours, theirs = now.modules[name], then.modules[old]
        statements = (ours.statement, theirs.statement)
        yield "statement", statements, (now.statements[name], then.statements[old])
        if len(ours.proofs) == len(theirs.proofs):
            passages = zip(ours.proofs, theirs.proofs, strict=True)
            links = zip(now.proofs[name], then.proofs[old], strict=True)
            for both in zip(passages, links, strict=True):
                yield "proof", *both

    def _is_other(self, now: LinkTarget, then: LinkTarget) -> bool:
        """Whether both are modules, and not the same one."""
        is_known = bool(now.module and then.module)
        return is_known and self.comparison.pairs.get(now.module) != then.module

    def _where(self, now: LinkTarget, then: LinkTarget, lost: Set[str]) -> str:
        """Where a changed reference leads now; "" if another reason already says it."""
        is_new = now.module and now.module not in self.comparison.pairs
        if is_new or (then.module and then.module not in self._kept):
            return ""
        if now.word == UNRESOLVED:
            return " is now undefined"
        if then.word == UNRESOLVED and now.module:
            return f", formerly undefined, now leads to {self._name_of(now)}"
        if not now.module or not then.module:
            return self._where_in_words(now, then)
        if self.comparison.pairs.get(now.module) == then.module:
            return f" now leads to another place in {self._name_of(now)}"
        if then.module in lost:
            return ""
        earlier = _marked(self.after.document.modules[self._kept[then.module]])
        return f" now leads to {self._name_of(now)} instead of {earlier}"

    def _where_in_words(self, now: LinkTarget, then: LinkTarget) -> str:
        """The same if one of the two is not a module; it may be a number that does not exist."""
        if not now.module and numbered(now.word):
            return f", {now.word}, now leads nowhere"
        if numbered(then.word):
            is_named = now.module and f" now leads to {self._name_of(now)}"
            return is_named or f" no longer names {then.word}"
        is_rest = not now.word and not then.word  # the surplus of a list, reported elsewhere
        return "" if is_rest else " now leads elsewhere"

    def _name_of(self, target: LinkTarget) -> str:
        return _marked(self.after.document.modules[target.module])

    def _edge(self, document: ProofDocument, name: str, member: str) -> Edge | None:
        """The most informative edge between two modules."""
        key = (id(document), name)
        if key not in self._edges:
            edges = document.edges_of(name)
            listed = sorted(edges, key=lambda edge: _PLACE[edge.via], reverse=True)
            self._edges[key] = {edge.target: edge for edge in listed}
        return self._edges[key].get(member)

    def _distance(self, name: str, member: str) -> tuple[int, int]:
        edge = self._edge(self.after.document, name, member)
        return (0 if edge else 1, self.after.document.modules[member].position)

    def _how(self, name: str, member: str) -> str:
        edge = self._edge(self.after.document, name, member)
        if member in self.after.document.claims_in(name):
            return "which its proof contains"
        if edge:
            return _RELATION[edge.via]
        if member == self.after.document.modules[name].parent:
            return "whose proof contains it"
        stands = self._stands(name, member)
        if stands:
            return f"which applies to {marked_name(stands, stands)}"
        through = self._through(name, member)
        return f"which {through} refers to" if through else "on which it depends indirectly"

    def _stands(self, name: str, member: str) -> str:
        """A direct dependency to which the convention `member` applies, or ""."""
        document = self.after.document
        if document.modules[member].role not in BINDING:
            return ""
        direct = self._edges[id(document), name]
        return next((item for item in direct if member in over(document, item)), "")

    def _through(self, name: str, member: str) -> str:
        """The module through which another one enters the context, starting from a direct one.

        It is the direct one itself, or a definition that its words lead to.
        """
        document = self.after.document
        direct = self._edges[id(document), name]
        first = next((item for item in direct if member in closure(document, [item])), "")
        if not first or self._refers(first, member):
            return first and marked_name(first, first)
        between = sorted(closure(document, [first]), key=lambda one: document.modules[one].position)
        found = next((one for one in between if one != member and self._refers(one, member)), "")
        return _marked(document.modules[found]) if found else marked_name(first, first)

    def _refers(self, name: str, member: str) -> bool:
        """Whether a statement's own words lead to a module, or the module applies to it."""
        document = self.after.document
        return member in (*linked_modules(document.statements[name]), *over(document, name))


def _listed(names: list[str]) -> str:
    """The names in a sentence: `a`, `a and b`, `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _of_several(how: str) -> str:
    """A relation in the plural."""
    return how.replace("which introduces", "which introduce").replace(
        "which applies", "which apply"
    )


def called(module: Module) -> str:
    """The name of a module in sentences: definitions with their kind, unnamed ones by place."""
    if module.role in (Role.CONVENTION, Role.ASSUMPTION, Role.NOTATION):
        where = f"{module.statement.location.path}:{module.statement.location.line}"
        return f"{module.kind} {module.label}" if module.label else f"the {module.kind} at {where}"
    if module.role is Role.DEFINITION:
        return f"{module.kind} {module.id}"
    return module.id


def _marked(module: Module) -> str:
    return marked_name(module.id, called(module))


def changed(module: Module) -> str:
    """The predicate that says that a module changed."""
    if module.role in (Role.RESULT, Role.OPEN, Role.ASIDE):
        return "changed its statement"
    return "changed"


def chain(document: ProofDocument, name: str) -> list[Edge]:
    """The edges of a module, sorted by part, by how they were found, and by position."""
    edges = document.edges_of(name)
    return sorted(edges, key=lambda edge: (edge.part, _PLACE[edge.via], edge.order))
