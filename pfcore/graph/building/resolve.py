"""From what a passage mentions to what that names: labels, own equations, terms, `\\uses`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple, TypeVar

from pfcore.domain.containment import Failure, Fault, Faults, attempt
from pfcore.domain.values import Mention, Module, Passage, Role
from pfcore.graph.building.draft import Draft
from pfcore.graph.building.ranges import spread
from pfcore.graph.building.term_index import TermIndex
from pfcore.graph.building.worded import WordedResolver
from pfcore.graph.document import USING
from pfcore.graph.lazy import LazyMapping
from pfcore.graph.links import NO_LINKS, UNRESOLVED, USES, LinkTarget, Mentioned, ResolvedLinks
from pfcore.latex.language.worded_references import WORDED
from pfcore.latex.lexer.commands import RANGES

DEFINING = frozenset({Role.DEFINITION, Role.ASSUMPTION, Role.CONVENTION})
Value = TypeVar("Value")

_NOWHERE = LinkTarget("", "", UNRESOLVED)
_ASIDE = LinkTarget("", "", "another result")


class Linking(NamedTuple):
    """What the modules of a document refer to: statements, proofs, and `\\uses`.

    `cited` is what the references in the proofs lead to, without the terms that these use.
    """

    statements: LazyMapping[ResolvedLinks]
    proofs: LazyMapping[tuple[ResolvedLinks, ...]]
    uses: LazyMapping[tuple[str, ...]]
    cited: LazyMapping[tuple[Mentioned, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Resolves passages against the labels and the dictionary of their paper.

    A passage that meets a fault of ours leads nowhere, and is among the `faults`.
    """

    draft: Draft
    modules: Mapping[str, Module]
    usage: TermIndex
    worded: WordedResolver
    faults: Faults = field(default_factory=Faults)

    def linking(self, known: Linking | None = None) -> Linking:
        """All links; those of the modules that a known version shares are made once."""
        return Linking(
            LazyMapping(self.modules, self.statement, known.statements.memo if known else None),
            LazyMapping(self.modules, self.proofs, known.proofs.memo if known else None),
            LazyMapping(self.modules, self.uses, known.uses.memo if known else None),
            LazyMapping(self.modules, self.cited, known.cited.memo if known else None),
        )

    def statement(self, name: str) -> ResolvedLinks:
        """What the statement of a module refers to, with the definitions that `\\uses` names."""
        module = self.modules[name]
        links = self._links(module, module.statement)
        declared = tuple((USES, target) for target in self.declared(module))
        return links._replace(terms=(*links.terms, *declared)) if declared else links

    def proofs(self, name: str) -> tuple[ResolvedLinks, ...]:
        """What each proof of a module refers to."""
        module = self.modules[name]
        return tuple([self._links(module, proof) for proof in module.proofs])

    def cited(self, name: str) -> tuple[Mentioned, ...]:
        """What the references in each proof of a module lead to."""
        module = self.modules[name]
        return tuple([self._mentioned(module, proof) for proof in module.proofs])

    def may_use(self) -> dict[str, set[str]]:
        """For each result with a proof what its proofs name as used by a label, and few more."""
        is_one = not self.draft.outline.prefixes
        holders = cache(self.draft.holders)
        return {
            name: self._may_use(module, holders, is_one=is_one) - {"", name}
            for name, module in self.modules.items()
            if module.role is Role.RESULT and module.proofs
        }

    def _may_use(
        self, module: Module, holders: Callable[[str, str], set[str]], *, is_one: bool
    ) -> set[str]:
        """`holders` gives what a key may name in a file; one document has one answer for all."""
        found: set[str] = set()
        for proof in module.proofs:
            for mention in proof.mentions:
                if mention.form not in USING or mention.note in WORDED:
                    continue
                if mention.note in RANGES:
                    found.update(item.module for item in self.targets(mention, module, proof))
                    continue
                path = "" if is_one else proof.location.path
                for key in mention.keys:
                    found |= holders(key, path)
        return found

    def uses(self, name: str) -> tuple[str, ...]:
        """Modules that `\\uses` names, of the statement first, in the order of their naming."""
        module = self.modules[name]
        return self._named_by_uses(module, (module.statement, *module.proofs))

    def _named_by_uses(self, module: Module, passages: Iterable[Passage]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for passage in passages:
            path = passage.location.path
            for key in self.draft.readings[path].blocks[passage.block].uses:
                target = self._target(key, path)
                if target.module and target.module != module.id:
                    found[target.module] = None
        return tuple(found)

    def declared(self, module: Module) -> tuple[str, ...]:
        """The definitions and conventions that `\\uses` in a statement names."""
        return tuple(
            target
            for target in self._named_by_uses(module, (module.statement,))
            if self.modules[target].role in DEFINING
        )

    def since(self, module: Module) -> int:
        """Where a module's last passage stands: what is defined before its proof, it may use."""
        if not module.proofs:
            return module.position
        places = (self.draft.at.get((p.location.path, p.block), -1) for p in module.proofs)
        return max(module.position, *places)

    def _contained(
        self, module: Module, passage: Passage, make: Callable[[], Value], otherwise: Value
    ) -> Value:
        """What a passage leads to; another value where that is not to be had, and it is noted."""
        made = attempt(make)
        if not isinstance(made, Failure):
            return made
        what = module.kind if passage is module.statement else "proof"
        self.faults.add(Fault(passage.location.path, passage.location.line, what, made.cause))
        return otherwise

    def _links(self, module: Module, passage: Passage) -> ResolvedLinks:
        used = self.usage.of(passage.location.path, passage.block)
        if not used and not passage.mentions:
            return NO_LINKS
        mentioned = self._mentioned(module, passage)
        if not used:
            return ResolvedLinks(mentioned, ())
        meant = partial(self._terms, used, module)
        return ResolvedLinks(mentioned, self._contained(module, passage, meant, ()))

    def _mentioned(self, module: Module, passage: Passage) -> Mentioned:
        return tuple([self.targets(mention, module, passage) for mention in passage.mentions])

    def targets(self, mention: Mention, module: Module, passage: Passage) -> tuple[LinkTarget, ...]:
        """What a mention in a passage of a module refers to."""
        meant = partial(self._targets, mention, module, passage)
        return self._contained(module, passage, meant, (_NOWHERE,))

    def _targets(
        self, mention: Mention, module: Module, passage: Passage
    ) -> tuple[LinkTarget, ...]:
        if mention.note not in WORDED:
            keys = mention.keys
            if mention.note in RANGES:
                keys = spread(self.draft, keys, passage.location.path)
            return tuple(self._meant(mention, key, module, passage) for key in keys)
        found = self.worded.targets(mention, module, passage)
        if not found:
            return (LinkTarget("", "", mention.keys[0]),)
        is_aside = mention.form == "aside"
        return tuple(_ASIDE if is_aside else LinkTarget(name, "", "") for name in found)

    def _terms(self, used: Iterable[str], module: Module) -> tuple[tuple[str, str], ...]:
        position = self.since(module)
        meant = [(term, self.usage.terms.meant(term, position)) for term in used]
        return tuple([item for item in meant if item[1] not in ("", module.id)])

    def _meant(self, mention: Mention, key: str, module: Module, passage: Passage) -> LinkTarget:
        """What a key means here; a remark that uses nothing leads to its own module or nowhere."""
        path = passage.location.path
        target = self._target(key, path)
        other = self.modules.get(target.module)
        is_inner = other is not None and other.parent == module.id
        if key in passage.anchors and self._stands_in(key, path):
            is_claim = is_inner and other and other.role is not Role.FRAGMENT
            return target if is_claim else LinkTarget(module.id, key, "")
        is_aside = mention.form == "aside" and target.module not in ("", module.id)
        return _ASIDE if is_aside and not is_inner else target

    def _stands_in(self, key: str, path: str) -> bool:
        found = self.draft.find(key, path)
        return found is not None and found[0] == path

    def _target(self, key: str, path: str) -> LinkTarget:
        """What a key names for a reader of this file."""
        found = self.draft.find(key, path)
        if found is None:
            return _NOWHERE
        file, label = found
        if label.block < 0 and label.fragment < 0:
            return LinkTarget("", "", label.holder)
        name = self.draft.holder(file, label)
        if not name:
            return LinkTarget("", "", "proof")
        is_inner = label.holder not in ("statement", "proof") and label.fragment < 0
        return LinkTarget(name, label.key if is_inner else "", "")
