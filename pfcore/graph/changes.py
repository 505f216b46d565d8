"""Between two versions: whose context can differ at all, found without rendering anything."""

from collections.abc import Iterator, Mapping

from pfcore.graph.context import named
from pfcore.graph.document import Links, ProofDocument, Target
from pfcore.model import Module

Pairs = Mapping[str, str]
"""Ids of the later version to ids of the earlier."""


class Comparison:
    """Two versions of a document and how their modules correspond."""

    def __init__(self, before: ProofDocument, after: ProofDocument, pairs: Pairs) -> None:
        self.before = before
        self.after = after
        self.pairs = pairs
        self.statements = frozenset(
            name for name in after.modules if not self._same_statement(name)
        )
        self.proofs = frozenset(name for name in after.modules if not self._same_proofs(name))

    def candidates(self) -> list[str]:
        """The modules of the later version whose context may differ; the others' cannot.

        Where a module's own texts, links, scope and ancestors are the same, and so are the
        statements of all that its context contains, its context is the same.
        """
        tainted = self._tainted()
        return [
            name
            for name in self.after.modules
            if name in self.statements
            or name in self.proofs
            or not self._same_setting(name)
            or any(target in tainted for target in self._direct(name))
        ]

    def _tainted(self) -> frozenset[str]:
        """Statements that changed, or whose words lead to one that did."""
        users: dict[str, list[str]] = {}
        if not self.statements:
            return frozenset()
        for name in self.after.modules:
            for target in named(self.after.statements[name]):
                users.setdefault(target, []).append(name)
        found = set(self.statements)
        pending = list(found)
        while pending:
            for user in users.get(pending.pop(), ()):
                if user not in found:
                    found.add(user)
                    pending.append(user)
        return frozenset(found)

    def _direct(self, name: str) -> Iterator[str]:
        document = self.after
        yield from named(document.statements[name])
        for links in document.proofs[name]:
            yield from named(links)
        yield from document.uses[name]
        yield from document.scope[name]
        parent = document.modules[name].parent
        for _ in range(len(document.modules)):
            if parent is None:
                break
            yield parent
            parent = document.modules[parent].parent
        for edge_target in self._followed(name):
            yield from named(document.proofs[edge_target][0])

    def _followed(self, name: str) -> Iterator[str]:
        module = self.after.modules[name]
        for proof, links in zip(module.proofs, self.after.proofs[name], strict=True):
            for mention, targets in zip(proof.mentions, links.mentions, strict=True):
                if mention.form == "proof":
                    for target in targets:
                        if target.module and self.after.modules[target.module].proofs:
                            yield target.module

    def _same_statement(self, name: str) -> bool:
        if name not in self.pairs:
            return False
        ours, theirs = self.after.modules[name], self.before.modules[self.pairs[name]]
        links = self.before.statements[theirs.id]
        return (
            ours.statement.digest == theirs.statement.digest
            and ours.kind == theirs.kind
            and ours.role is theirs.role
            and self._same_links(ours, theirs, self.after.statements[name], links)
        )

    def _same_proofs(self, name: str) -> bool:
        if name not in self.pairs:
            return False
        ours, theirs = self.after.modules[name], self.before.modules[self.pairs[name]]
        if [proof.digest for proof in ours.proofs] != [proof.digest for proof in theirs.proofs]:
            return False
        return all(
            self._same_links(ours, theirs, mine, other)
            for mine, other in zip(
                self.after.proofs[name], self.before.proofs[theirs.id], strict=True
            )
        )

    def _same_links(self, ours: Module, theirs: Module, mine: Links, other: Links) -> bool:
        if mine.mentions == other.mentions and mine.terms == other.terms and self._is_fixed(mine):
            return True
        mentions = [[self._seen(target) for target in targets] for targets in mine.mentions]
        terms = {self.pairs.get(definition, "") for _, definition in mine.terms}
        known = [[self._seen_before(target) for target in targets] for targets in other.mentions]
        return mentions == known and terms == {definition for _, definition in other.terms}

    def _is_fixed(self, links: Links) -> bool:
        """Whether all that is named kept its id, and no label inside it is meant."""
        return all(
            self.pairs.get(target.module) == target.module and not target.anchor
            for targets in links.mentions
            for target in targets
            if target.module
        ) and all(self.pairs.get(definition) == definition for _, definition in links.terms)

    def _seen(self, target: Target) -> tuple[str, int, str]:
        anchor = _anchor(self.after, target)
        return (self.pairs.get(target.module, "?") if target.module else "", anchor, target.word)

    def _seen_before(self, target: Target) -> tuple[str, int, str]:
        return target.module, _anchor(self.before, target), target.word

    def _same_setting(self, name: str) -> bool:
        """Whether scope, ancestors, `\\uses` and the proofs that it follows are the same."""
        if name not in self.pairs:
            return False
        old = self.pairs[name]
        parent, other = self.after.modules[name].parent, self.before.modules[old].parent
        if (self.pairs.get(parent) if parent else None) != other:
            return False
        for mine, theirs in (
            (self.after.scope[name], self.before.scope[old]),
            (self.after.uses[name], self.before.uses[old]),
        ):
            if {self.pairs.get(target, "?") for target in mine} != set(theirs):
                return False
        return not any(target in self.proofs for target in self._followed(name))


def _anchor(document: ProofDocument, target: Target) -> int:
    """Which of the labels in a module's own text is meant: the how-manieth, wherever it stands."""
    if not target.anchor:
        return -1
    module = document.modules[target.module]
    listed = [
        anchor for passage in (module.statement, *module.proofs) for anchor in passage.anchors
    ]
    return listed.index(target.anchor) if target.anchor in listed else -1
