"""What a result stands on beside its own proof, as digests that no label or place enters."""

from collections.abc import Set
from dataclasses import replace
from functools import cached_property

from pfcore.domain.digest import text_digest
from pfcore.graph.context import followed, members
from pfcore.graph.document import ProofDocument
from pfcore.graph.rendering import Texts, context_digest, rendered_context


class Grounds:
    """Digests of statements, each with the setting over it and what its words refer to."""

    def __init__(self, document: ProofDocument, texts: Texts) -> None:
        self._document = document
        self._texts = texts
        self._known: dict[str, str] = {}

    def statement(self, name: str) -> str:
        """The digest of a statement; no proof enters it, nor what proofs alone refer to."""
        if name not in self._known:
            self._known[name] = context_digest(self._stated, name, self._texts)
        return self._known[name]

    def rests(self, name: str) -> frozenset[str]:
        """The digests of all else in a module's context, and of the proofs that it follows."""
        others = members(self._document, name) - members(self._stated, name)
        proofs = (self._proof(other) for other in followed(self._document, name))
        return frozenset((*(self.statement(other) for other in others), *proofs))

    def texts(self) -> Set[str]:
        """All digests that `rests` of this paper can have, whatever proofs refer to."""
        modules = self._document.modules
        found = {self.statement(name) for name in modules}
        followed_somewhere = {other for name in modules for other in followed(self._document, name)}
        return found | {self._proof(name) for name in followed_somewhere}

    def _proof(self, name: str) -> str:
        parts = rendered_context(self._document, name, self._texts)
        return text_digest("proof\n" + "\n\n".join((*parts.proofs, self.statement(name))))

    @cached_property
    def _stated(self) -> ProofDocument:
        """The document as if nothing were proved."""
        document = self._document
        return replace(
            document,
            modules={name: item._replace(proofs=()) for name, item in document.modules.items()},
            proofs=dict.fromkeys(document.modules, ()),
            uses=dict.fromkeys(document.modules, ()),
            known_edges={},
        )
