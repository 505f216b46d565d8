"""The dependants of modules: those whose context has a statement, or whose proof follows a proof.

Labels give the candidates, which is faster than resolving all references of a paper.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from pfcore.domain.values import Mention, Module, Passage, Role
from pfcore.graph.building.resolve import Resolver
from pfcore.graph.building.term_index import NeedIndex
from pfcore.graph.context import ancestors, followed, is_binding
from pfcore.graph.document import ProofDocument
from pfcore.latex.language.worded_references import WORDED
from pfcore.latex.lexer.commands import RANGES

_OPEN = WORDED | RANGES


class _ReadPassage(NamedTuple):
    """A passage of a module; `in_proof` if it is a proof."""

    module: Module
    passage: Passage
    in_proof: bool


_Cited = tuple[_ReadPassage, Mention]
"""A mention in a text."""


class _Citing(NamedTuple):
    """The ids of modules that cite something in their statements, and in their proofs."""

    in_statements: set[str]
    in_proofs: set[str]


class _Mentions(NamedTuple):
    """Mentions by their keys, and those whose targets are not given by their keys."""

    keyed: Mapping[str, list[_Cited]]
    others: list[_Cited]


@dataclass(frozen=True, kw_only=True)
class DependantsIndex:
    """Finds the dependants of modules in one document."""

    document: ProofDocument
    resolver: Resolver
    _inside: dict[str, dict[str, set[str]]] = field(default_factory=dict, repr=False, compare=False)
    """A memo: for each file the keys of its labels, by module."""

    def of(self, names: Set[str]) -> set[str]:
        """The modules whose context may contain one of these statements, and maybe some more."""
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

    def citing(self, name: str, *, is_anywhere: bool = False) -> list[str]:
        """The modules whose proof may cite a module, and maybe some more, in reading order.

        With `is_anywhere` also those whose statement may.
        """
        modules = self.document.modules
        citing = self._citing({name})
        found = citing.in_proofs | self._listing({name})
        found |= citing.in_statements if is_anywhere else set()
        found.update(filter(None, [modules[name].parent]))
        return sorted(found, key=lambda item: modules[item].position)

    def referred_to(self, names: Set[str]) -> set[str]:
        """Those of these modules that another one refers to, is inside of, or is bound by."""
        document = self.document
        found = {name for name, reader in self._led(names) if name != reader}
        found.update(chain.from_iterable(set(document.scope.values())))
        for name, module in document.modules.items():
            if module.parent and module.role is not Role.FRAGMENT:
                found.update(ancestors(document, name))
        left = set(names - found)
        seen: set[str] = set()
        for module, _ in self._using(frozenset(left)):  # last: it reads the words of all texts
            if not left:
                break
            if module.id not in seen:
                seen.add(module.id)
                links = (document.statements[module.id], *document.proofs[module.id])
                terms = chain.from_iterable(item.terms for item in links)
                left.difference_update(target for _, target in terms if target != module.id)
        return set(names - left)

    def _led(self, names: Set[str]) -> Iterator[tuple[str, str]]:
        """Pairs of a target and a module that refers to it: all to one of these, and some more."""
        keyed = chain.from_iterable(self._mentions.keyed.get(key, ()) for key in self._keys(names))
        for text, mention in keyed:
            yield from ((target, text.module.id) for target in self._led_from(text, mention))
        for name in names:
            yield from ((name, text.module.id) for text, _ in self._worded.get(name, ()))
        document = self.document
        for reader in self._with_uses(names):
            yield from ((target, reader) for target in document.uses[reader])

    def followers(self, names: Set[str]) -> set[str]:
        """The modules whose proof follows the proof of one of these."""
        keys = self._keys(names)
        found = {module.id for module, mention in self._following if self._may_name(mention, keys)}
        return {name for name in found if not names.isdisjoint(followed(self.document, name))}

    def _led_to(self, names: Set[str]) -> tuple[set[str], set[str]]:
        """These statements with those that lead to one or are bound by one, repeatedly.

        And the modules that cite any of them.
        """
        led, fresh, found = set(names), set(names), set[str]()
        while fresh:
            citing = self._citing(fresh)
            found.update(*citing)
            fresh = (citing.in_statements | self._under(fresh)) - led
            led |= fresh
        return led, found

    def _under(self, names: Set[str]) -> set[str]:
        """The modules that one of these conventions binds."""
        if not any(is_binding(self.document, name) for name in names):
            return set()
        scope = self.document.scope
        return {name for name, bound in scope.items() if not names.isdisjoint(bound)}

    def _citing(self, names: Set[str]) -> _Citing:
        """The modules that refer to one of these, in their statement or in a proof."""
        keyed = chain.from_iterable(self._mentions.keyed.get(key, ()) for key in self._keys(names))
        worded = chain.from_iterable(self._worded.get(name, ()) for name in names)
        found = _Citing(self._declaring(names), set())
        for text, mention in keyed:
            if not names.isdisjoint(self._led_from(text, mention)):
                found[text.in_proof].add(text.module.id)
        for text, _ in worded:
            found[text.in_proof].add(text.module.id)
        for module, in_proof in self._using(names):
            found[in_proof].add(module.id)
        return found

    def _using(self, names: Set[str]) -> Iterator[tuple[Module, bool]]:
        """The modules that use a term that one of these introduces, and whether in a proof."""
        terms, usage = self._terms(names), self.resolver.usage
        places = usage.using(terms) if terms else {}
        if isinstance(usage, NeedIndex):
            for place in places:
                yield from self._owners(place)
            return
        for place, used in places.items():
            for module, in_proof in self._owners(place):
                since = self.resolver.since(module)
                if any(usage.terms.meant(term, since) in names for term in used):
                    yield module, in_proof

    def _declaring(self, names: Set[str]) -> set[str]:
        """The modules with one of these definitions in the `\\uses` of their statement."""
        modules, resolver = self.document.modules, self.resolver
        listed = self._with_uses(names)
        return {n for n in listed if not names.isdisjoint(resolver.declared(modules[n]))}

    def _listing(self, names: Set[str]) -> set[str]:
        """The modules whose `\\uses` name one of these."""
        uses = self.document.uses
        return {name for name in self._with_uses(names) if not names.isdisjoint(uses[name])}

    def _with_uses(self, names: Set[str]) -> set[str]:
        """The modules with a `\\uses` that may name one of these."""
        return {name for key in self._keys(names) for name in self._uses.get(key, ())}

    def _led_from(self, text: _ReadPassage, mention: Mention) -> Iterator[str]:
        targets = self.resolver.targets(mention, text.module, text.passage)
        return (target.module for target in targets)

    @cached_property
    def _mentions(self) -> _Mentions:
        """All mentions of the paper."""
        keyed: defaultdict[str, list[_Cited]] = defaultdict(list)
        others: list[_Cited] = []
        for text in self._texts():
            for mention in text.passage.mentions:
                if self._is_open(mention):
                    others.append((text, mention))
                    continue
                for key in mention.keys:
                    keyed[key].append((text, mention))
        return _Mentions(keyed, others)

    def _texts(self) -> Iterator[_ReadPassage]:
        """The passages of all modules that mention anything."""
        for module in self.document.modules.values():
            if module.statement.mentions:
                yield _ReadPassage(module, module.statement, in_proof=False)
            for proof in module.proofs:
                if proof.mentions:
                    yield _ReadPassage(module, proof, in_proof=True)

    @cached_property
    def _worded(self) -> dict[str, list[_Cited]]:
        """The mentions without keys for their targets, by target."""
        found: dict[str, list[_Cited]] = {}
        for item in self._mentions.others:
            for name in self._led_from(*item):
                found.setdefault(name, []).append(item)
        return found

    def _owners(self, place: tuple[str, int]) -> Iterator[tuple[Module, bool]]:
        """The modules that a block belongs to, and whether as a proof."""
        modules, draft = self.document.modules, self.resolver.draft
        position = draft.at[place]
        if position in draft.ids:
            yield modules[draft.ids[position]], False
        for statement in self._proved.get(position, ()):
            yield modules[draft.ids[statement]], True

    @cached_property
    def _proved(self) -> Mapping[int, list[int]]:
        """The positions of the statements of each proof."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for statement, proofs in self.resolver.draft.proofs.items():
            for proof in proofs:
                found[proof].append(statement)
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
    def _uses(self) -> Mapping[str, list[str]]:
        """The modules whose `\\uses` have each key."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        readings = self.resolver.draft.readings
        for name, module in self.document.modules.items():
            for passage in module.passages:
                for key in readings[passage.location.path].blocks[passage.block].uses:
                    found[key].append(name)
        return found

    def _terms(self, names: Set[str]) -> frozenset[str]:
        """The terms that these modules introduce, or their names."""
        usage = self.resolver.usage
        if isinstance(usage, NeedIndex):
            listed = usage.terms.names
            return frozenset(key for name in names for key in listed.get(name, ()))
        modules = [self.document.modules[name] for name in names]
        known = usage.terms.positions
        terms = (term for module in modules for term in (*module.terms, *module.hints))
        return frozenset(term for term in terms if term in known)

    def _may_name(self, mention: Mention, keys: Set[str]) -> bool:
        """Whether a mention has one of these keys, or its keys do not give its targets."""
        return self._is_open(mention) or not keys.isdisjoint(mention.keys)

    def _is_open(self, mention: Mention) -> bool:
        """Whether the keys of a mention do not give its targets."""
        return mention.note in _OPEN

    def _keys(self, names: Set[str]) -> set[str]:
        """All keys with which these modules, or parts of them, may be cited.

        The key of a display in running text also leads to the passage around it.
        """
        document, draft = self.document, self.resolver.draft
        modules = [document.modules[name] for name in names]
        found = {key for module in modules for key in module.labels}
        for path in {passage.location.path for module in modules for passage in module.argued}:
            inside = self._inside.get(path)
            if inside is None:
                inside = self._inside[path] = defaultdict(set)
                for label in draft.readings[path].labels:
                    if label.unit >= 0:
                        inside[draft.module(path, label.unit)].add(label.key)
                    for place in document.labels[label.key]:
                        inside[place.module].add(label.key)
            for name in names & inside.keys():
                found |= inside[name]
        return {spelt for key in found for spelt in draft.outline.spellings(key)}
