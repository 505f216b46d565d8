"""Who reads what: the modules whose context has some statements, or whose proof follows a proof.

Labels tell beforehand who may: to resolve all that a paper's passages refer to takes longer.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from pfcore.graph.context import BINDING, ancestors, followed
from pfcore.graph.document import ProofDocument
from pfcore.graph.resolve import Resolver
from pfcore.latex.commands import RANGES
from pfcore.latex.pointers import WORDED
from pfcore.model import Mention, Module, Passage

_OPEN = WORDED | RANGES


class _Cited(NamedTuple):
    """A mention in a passage of a module; `in_proof` says of which half."""

    module: Module
    passage: Passage
    mention: Mention
    in_proof: bool


class _Citing(NamedTuple):
    """The ids of modules that cite something, by the half in which they do."""

    in_statements: set[str]
    in_proofs: set[str]


class _Mentions(NamedTuple):
    """Mentions by their keys, and those that may lead where none of their keys says."""

    keyed: dict[str, list[_Cited]]
    others: list[_Cited]


@dataclass(frozen=True, kw_only=True)
class Readers:
    """The readers in one document, by what resolves its references."""

    document: ProofDocument
    resolver: Resolver

    def of(self, names: Set[str]) -> set[str]:
        """A module for each context that may have one of these statements, and maybe some more."""
        document = self.document
        led, found = self._led_to(names)
        found |= self._listing(led)
        found.update(name for name, bound in document.scope.items() if not led.isdisjoint(bound))
        found.update(
            name
            for name, module in document.modules.items()
            if module.parent and not led.isdisjoint(ancestors(document, name))
        )
        return found | self.followers(found)

    def citing(self, name: str) -> list[str]:
        """The modules whose proof may cite a module, and maybe some more, in reading order."""
        modules = self.document.modules
        found = self._citing({name}).in_proofs | self._listing({name})
        found.update(filter(None, [modules[name].parent]))
        return sorted(found, key=lambda item: modules[item].position)

    def followers(self, names: Set[str]) -> set[str]:
        """The modules whose proof follows the proof of one of these."""
        keys = self._keys(names)
        found = {module.id for module, mention in self._following if self._may_name(mention, keys)}
        return {name for name in found if not names.isdisjoint(followed(self.document, name))}

    def _led_to(self, names: Set[str]) -> tuple[set[str], set[str]]:
        """These statements, with those whose words lead to one, or that stand under one.

        And the modules that cite any of all these.
        """
        led, fresh, found = set(names), set(names), set[str]()
        while fresh:
            citing = self._citing(fresh)
            found.update(*citing)
            fresh = (citing.in_statements | self._under(fresh)) - led
            led |= fresh
        return led, found

    def _under(self, names: Set[str]) -> set[str]:
        """The modules that stand under one of these conventions."""
        roles = {self.document.modules[name].role for name in names}
        if roles.isdisjoint(BINDING):
            return set()
        scope = self.document.scope
        return {name for name, bound in scope.items() if not names.isdisjoint(bound)}

    def _citing(self, names: Set[str]) -> _Citing:
        """The modules that refer to one of these in their statement, or in one of their proofs."""
        keyed = chain.from_iterable(self._mentions.keyed.get(key, ()) for key in self._keys(names))
        worded = chain.from_iterable(self._worded.get(name, ()) for name in names)
        found = _Citing(self._declaring(names), set())
        for item in keyed:
            if not names.isdisjoint(self._led_from(item)):
                found[item.in_proof].add(item.module.id)
        for item in worded:
            found[item.in_proof].add(item.module.id)
        for module, in_proof in self._using(names):
            found[in_proof].add(module.id)
        return found

    def _using(self, names: Set[str]) -> Iterator[tuple[Module, bool]]:
        """The modules that use what one of these introduces, and whether in a proof."""
        terms, usage = self._terms(names), self.resolver.usage
        places = usage.using(terms) if terms else {}
        for place, used in places.items():
            for module, in_proof in self._owners.get(place, ()):
                since = self.resolver.since(module)
                if any(usage.terms.meant(term, since) in names for term in used):
                    yield module, in_proof

    def _declaring(self, names: Set[str]) -> set[str]:
        """The modules in whose statement `\\uses` names one of these definitions."""
        modules, resolver = self.document.modules, self.resolver
        listed = self._with_uses(names)
        return {n for n in listed if not names.isdisjoint(resolver.declared(modules[n]))}

    def _listing(self, names: Set[str]) -> set[str]:
        """The modules whose `\\uses` name one of these."""
        uses = self.document.uses
        return {name for name in self._with_uses(names) if not names.isdisjoint(uses[name])}

    def _with_uses(self, names: Set[str]) -> set[str]:
        """The modules with a `\\uses` that may name one of these."""
        keys = self._uses.keys() if self._has_prefixes else self._keys(names)
        return {name for key in keys for name in self._uses.get(key, ())}

    def _led_from(self, item: _Cited) -> Iterator[str]:
        targets = self.resolver.targets(item.mention, item.module, item.passage)
        return (target.module for target in targets)

    @cached_property
    def _mentions(self) -> _Mentions:
        """All mentions of the paper."""
        keyed: dict[str, list[_Cited]] = {}
        others: list[_Cited] = []
        for module in self.document.modules.values():
            for number, passage in enumerate(_passages(module)):
                for mention in passage.mentions:
                    item = _Cited(module, passage, mention, number > 0)
                    if self._is_open(mention):
                        others.append(item)
                        continue
                    for key in mention.keys:
                        keyed.setdefault(key, []).append(item)
        return _Mentions(keyed, others)

    @cached_property
    def _worded(self) -> dict[str, list[_Cited]]:
        """The others by what they lead to."""
        found: dict[str, list[_Cited]] = {}
        for item in self._mentions.others:
            for name in self._led_from(item):
                found.setdefault(name, []).append(item)
        return found

    @cached_property
    def _owners(self) -> dict[tuple[str, int], list[tuple[Module, bool]]]:
        """The modules that each block is a part of, and whether as a proof."""
        found: dict[tuple[str, int], list[tuple[Module, bool]]] = {}
        for module in self.document.modules.values():
            for number, passage in enumerate(_passages(module)):
                place = passage.location.path, passage.block
                found.setdefault(place, []).append((module, number > 0))
        return found

    @cached_property
    def _following(self) -> list[tuple[Module, Mention]]:
        """The mentions of proofs in proofs."""
        return [
            (module, mention)
            for module in self.document.modules.values()
            for proof in module.proofs
            for mention in proof.mentions
            if mention.form == "proof"
        ]

    @cached_property
    def _uses(self) -> dict[str, list[str]]:
        """The modules whose `\\uses` have each key."""
        found: dict[str, list[str]] = {}
        for path, reading in self.resolver.draft.readings.items():
            for number, block in enumerate(reading.blocks):
                for key in block.uses:
                    owners = self._owners.get((path, number), ())
                    found.setdefault(key, []).extend(module.id for module, _ in owners)
        return found

    def _terms(self, names: Set[str]) -> frozenset[str]:
        """What these modules introduce, or are called."""
        modules = [self.document.modules[name] for name in names]
        known = self.resolver.usage.terms.positions
        terms = (term for module in modules for term in (*module.terms, *module.hints))
        return frozenset(term for term in terms if term in known)

    def _may_name(self, mention: Mention, keys: Set[str]) -> bool:
        """Whether a mention has one of these keys, or may lead where none of its keys says."""
        return self._is_open(mention) or not keys.isdisjoint(mention.keys)

    def _is_open(self, mention: Mention) -> bool:
        """Whether a mention may lead where none of its keys says."""
        return mention.note in _OPEN or self._has_prefixes

    @cached_property
    def _has_prefixes(self) -> bool:
        return bool(self.resolver.draft.outline.prefixes)

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


def _passages(module: Module) -> tuple[Passage, ...]:
    return module.statement, *module.proofs
