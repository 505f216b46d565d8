"""Who reads what: the modules whose context has some statements, or whose proof follows a proof.

Labels tell beforehand who may: to resolve all that a paper's passages refer to takes longer.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass

from pfcore.graph.context import ancestors, followed
from pfcore.graph.document import ProofDocument
from pfcore.graph.links import Links
from pfcore.latex.commands import RANGES
from pfcore.latex.pointers import WORDED
from pfcore.latex.records import Reading
from pfcore.model import Mention, Module, Passage

_Passages = Callable[[Module], Iterable[Passage]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers in one document of these readings.

    `has_prefixes` says that its labels may be cited by longer keys.
    """

    document: ProofDocument
    readings: Mapping[str, Reading]
    has_prefixes: bool

    def of(self, names: Set[str]) -> set[str]:
        """A module for each context that may have one of these statements, and maybe some more."""
        document = self.document
        led = self._led_to(names)
        found = self._citing(led)
        for name in self._speaking_of(led, lambda module: module.proofs):
            if any(_leads(links, led) for links in document.proofs[name]):
                found.add(name)
        for listed in (document.uses, document.scope):
            found.update(name for name, targets in listed.items() if not led.isdisjoint(targets))
        found.update(
            name
            for name, module in document.modules.items()
            if module.parent and not led.isdisjoint(ancestors(document, name))
        )
        return found | self.followers(found)

    def followers(self, names: Set[str]) -> set[str]:
        """The modules whose proof follows the proof of one of these."""
        speaking = self._speaking_of(
            names, lambda module: module.proofs, lambda mention: mention.form == "proof"
        )
        return {name for name in speaking if not names.isdisjoint(followed(self.document, name))}

    def _led_to(self, names: Set[str]) -> set[str]:
        """These statements, and those whose words lead to one."""
        found = set(names)
        while fresh := self._citing(found) - found:
            found |= fresh
        return found

    def _citing(self, names: Set[str]) -> set[str]:
        """The modules whose statement refers to one of these."""
        statements = self.document.statements
        speaking = self._speaking_of(names, lambda module: (module.statement,))
        return {name for name in speaking if _leads(statements[name], names)}

    def _speaking_of(
        self,
        names: Set[str],
        passages: _Passages,
        counts: Callable[[Mention], bool] | None = None,
    ) -> Iterable[str]:
        """The modules whose passages may refer to one of these; terms are not found by labels."""
        modules = self.document.modules
        if counts is None and any(modules[name].terms or modules[name].hints for name in names):
            return modules
        labels = self._labels(names)
        return [
            name
            for name, module in modules.items()
            if any(
                (counts is None or counts(mention))
                and (self._is_wide(mention) or not labels.isdisjoint(mention.keys))
                for passage in passages(module)
                for mention in passage.mentions
            )
        ]

    def _is_wide(self, mention: Mention) -> bool:
        """Whether a mention may lead where none of its keys says."""
        return self.has_prefixes or mention.note in WORDED or mention.note in RANGES

    def _labels(self, names: Set[str]) -> set[str]:
        """All keys under which these modules, or something inside them, may be cited."""
        document = self.document
        modules = [document.modules[name] for name in names]
        found = {key for module in modules for key in module.labels}
        passages = [p for module in modules for p in (module.statement, *module.proofs)]
        for path in {passage.location.path for passage in passages}:
            for label in self.readings[path].labels:
                if any(place.module in names for place in document.labels[label.key]):
                    found.add(label.key)
        return found


def _leads(links: Links, names: Set[str]) -> bool:
    """Whether a passage refers to one of these."""
    for targets in links.mentions:
        for target in targets:
            if target.module in names:
                return True
    return any(term[1] in names for term in links.terms)
