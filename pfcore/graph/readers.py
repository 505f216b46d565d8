"""Who reads what: the modules whose context has some statements, or whose proof follows a proof.

Labels tell beforehand who may: to resolve all that a paper's passages refer to takes longer.
"""

from collections.abc import Iterable, Set
from dataclasses import dataclass

from pfcore.graph.context import BINDING, ancestors, followed
from pfcore.graph.document import ProofDocument
from pfcore.graph.resolve import Resolver
from pfcore.latex.commands import RANGES
from pfcore.latex.pointers import WORDED
from pfcore.model import Mention, Module, Passage


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers in one document, by what resolves its references."""

    document: ProofDocument
    resolver: Resolver

    def of(self, names: Set[str]) -> set[str]:
        """A module for each context that may have one of these statements, and maybe some more."""
        document = self.document
        led = self._led_to(names)
        found = self._citing(led, in_proofs=True) | self._citing(led, in_proofs=False)
        listed = document.uses if self._has_uses() else {}
        for leads in (listed, document.scope):
            found.update(name for name, targets in leads.items() if not led.isdisjoint(targets))
        found.update(
            name
            for name, module in document.modules.items()
            if module.parent and not led.isdisjoint(ancestors(document, name))
        )
        return found | self.followers(found)

    def followers(self, names: Set[str]) -> set[str]:
        """The modules whose proof follows the proof of one of these."""
        keys = self._keys(names)
        return {
            name
            for name, module in self.document.modules.items()
            if any(
                mention.form == "proof" and self._may_name(mention, keys)
                for proof in module.proofs
                for mention in proof.mentions
            )
            and not names.isdisjoint(followed(self.document, name))
        }

    def _led_to(self, names: Set[str]) -> set[str]:
        """These statements, and those whose words lead to one, or that stand under one."""
        found = set(names)
        while fresh := (self._citing(found, in_proofs=False) | self._under(found)) - found:
            found |= fresh
        return found

    def _under(self, names: Set[str]) -> set[str]:
        """The modules that stand under one of these conventions."""
        roles = {self.document.modules[name].role for name in names}
        if roles.isdisjoint(BINDING):
            return set()
        scope = self.document.scope
        return {name for name, bound in scope.items() if not names.isdisjoint(bound)}

    def _citing(self, names: Set[str], *, in_proofs: bool) -> set[str]:
        """The modules whose statement, or one of whose proofs, refers to one of these."""
        keys, terms = self._keys(names), self._terms(names)
        return {
            name
            for name, module in self.document.modules.items()
            for passage in (module.proofs if in_proofs else (module.statement,))
            if self._cites(module, passage, names, keys)
            or (terms and self._uses(module, passage, names, terms))
            or (not in_proofs and self._declares(module, names, keys))
        }

    def _declares(self, module: Module, names: Set[str], keys: Set[str]) -> bool:
        """Whether `\\uses` in its statement names one of these definitions."""
        path, number = module.statement.location.path, module.statement.block
        listed = self.resolver.draft.readings[path].blocks[number].uses
        if not listed or (keys.isdisjoint(listed) and not self.resolver.draft.outline.prefixes):
            return False
        return not names.isdisjoint(self.resolver.declared(module))

    def _cites(self, module: Module, passage: Passage, names: Set[str], keys: Set[str]) -> bool:
        return any(
            target.module in names
            for mention in passage.mentions
            if self._may_name(mention, keys)
            for target in self.resolver.targets(mention, module, passage)
        )

    def _uses(self, module: Module, passage: Passage, names: Set[str], terms: set[str]) -> bool:
        usage = self.resolver.usage
        used = terms.intersection(usage.of(passage.location.path, passage.block))
        position = self.resolver.since(module)
        return any(usage.terms.meant(term, position) in names for term in used)

    def _terms(self, names: Set[str]) -> set[str]:
        """What these modules introduce, or are called."""
        modules = [self.document.modules[name] for name in names]
        known = self.resolver.usage.terms.positions
        return {t for module in modules for t in (*module.terms, *module.hints) if t in known}

    def _may_name(self, mention: Mention, keys: Set[str]) -> bool:
        """Whether a mention has one of these keys, or may lead where none of its keys says."""
        if not keys.isdisjoint(mention.keys):
            return True
        has_prefixes = bool(self.resolver.draft.outline.prefixes)
        return has_prefixes or mention.note in WORDED or mention.note in RANGES

    def _keys(self, names: Set[str]) -> set[str]:
        """All keys under which these modules, or something inside them, may be cited."""
        document = self.document
        modules = [document.modules[name] for name in names]
        found = {key for module in modules for key in module.labels}
        for path in {passage.location.path for module in modules for passage in _passages(module)}:
            for label in self.resolver.draft.readings[path].labels:
                if any(place.module in names for place in document.labels[label.key]):
                    found.add(label.key)
        return found

    def _has_uses(self) -> bool:
        """Whether anything is marked with `\\uses`."""
        readings = self.resolver.draft.readings.values()
        return any(block.uses for reading in readings for block in reading.blocks)


def _passages(module: Module) -> Iterable[Passage]:
    return module.statement, *module.proofs
