"""Citations in a blueprint's texts that its `\\uses` leave out."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.domain.values import Module, ModulePart, Passage, Role, Via
from pfcore.graph.document import ProofDocument, mention_edges
from pfcore.graph.paper_state import PaperState


class Missing(NamedTuple):
    """The modules that a passage cites and that no path of `\\uses` from its module leads to."""

    module: Module
    part: ModulePart
    passage: Passage
    targets: tuple[str, ...]


class _CitingPassage(NamedTuple):
    """A module's passage (0 its statement, then its proofs) that cites another module."""

    source: str
    number: int
    target: str


def find_missing_uses(state: PaperState, *, by_word: bool = False) -> list[Missing]:
    """The gaps of all passages, in reading order; none in a paper without `\\uses`.

    Kinds that no `\\uses` concerns, such as remarks, are ignored. Citations that would close a
    circle are left out, forward ones first. With `by_word`, words count too: "Lemma 4.3", "the
    previous lemma", a definition's terms.
    """
    document = state.document
    gaps = _Gaps(document.uses)
    for citation in _in_turn(state, _kinds(state), by_word=by_word):
        gaps.add(citation)
    return [
        Missing(
            module, ModulePart.PROOF if number else ModulePart.STATEMENT, passage, tuple(targets)
        )
        for name, module in document.modules.items()
        for number, passage in enumerate(module.argued)
        if (targets := gaps.found.get((name, number)))
    ]


class _Gaps:
    """Citations covered neither by a path of `\\uses` nor by an earlier gap of the same module."""

    def __init__(self, uses: Mapping[str, Sequence[str]]) -> None:
        self._uses = uses
        self._known: dict[str, set[str]] = {}
        self._added: dict[str, list[str]] = {}
        self.found: dict[tuple[str, int], list[str]] = {}

    def add(self, citation: _CitingPassage) -> None:
        """Add a citation, unless it is covered or would close a circle."""
        source, number, target = citation
        if target in self._uses[source]:
            return
        known = self._known.setdefault(source, self._reached(self._uses[source]))
        if target in known or source in self._reached((target,), with_added=True):
            return
        known |= self._reached((target,))
        self._added.setdefault(source, []).append(target)
        self.found.setdefault((source, number), []).append(target)

    def _reached(self, starts: Iterable[str], *, with_added: bool = False) -> set[str]:
        """All modules that paths from the starts lead to, including these."""
        found = set(starts)
        pending = list(found)
        while pending:
            name = pending.pop()
            added = self._added.get(name, ()) if with_added else ()
            for target in (*self._uses[name], *added):
                if target not in found:
                    found.add(target)
                    pending.append(target)
        return found


def _kinds(state: PaperState) -> frozenset[str]:
    """The kinds of the modules that have a `\\uses` or are named in one."""
    modules, uses = state.document.modules, state.document.uses
    found = set()
    for name, module in modules.items():
        if uses[name]:
            found.add(module.kind)
            found.update(modules[target].kind for target in uses[name])
    return frozenset(found)


def _in_turn(
    state: PaperState, kinds: frozenset[str], *, by_word: bool
) -> Iterator[_CitingPassage]:
    """The citations between modules of these kinds: all backward ones, then the forward ones."""
    document = state.document
    ahead: list[_CitingPassage] = []
    for module in document.modules.values():
        if module.kind not in kinds:
            continue
        for citation in dict.fromkeys(_citations(state, module, by_word=by_word)):
            target = document.modules[citation.target]
            if target.kind in kinds and _is_apart(document, module, target):
                if target.position < module.position:
                    yield citation
                else:
                    ahead.append(citation)
    yield from ahead


def _citations(state: PaperState, module: Module, *, by_word: bool) -> Iterator[_CitingPassage]:
    """The citations of a module; those by words are resolved only if they count."""
    document, name = state.document, module.id
    passages = (module.statement, *module.proofs)
    links = (document.statements[name], *document.proofs[name]) if by_word else ()
    cited = [one.mentions for one in links] or [
        state.assembly.resolver.cited_in_statement(name),
        *document.cited[name],
    ]
    for number, (passage, leads) in enumerate(zip(passages, cited, strict=True)):
        part = ModulePart.PROOF if number else ModulePart.STATEMENT
        for edge in mention_edges(part, passage, leads, module, document.modules):
            is_certain = edge.is_explicit and edge.via is Via.REFERENCE
            if is_certain or (by_word and edge.via in (Via.NUMBER, Via.PHRASE)):
                yield _CitingPassage(name, number, edge.target)
        if by_word:
            yield from (_CitingPassage(name, number, target) for _, target in links[number].terms)


def _is_apart(document: ProofDocument, one: Module, other: Module) -> bool:
    """Whether the second module has a name, and neither is a part of the other."""
    if not other.label or other.role is Role.FRAGMENT:
        return False
    return not (_is_inside(document, one, other) or _is_inside(document, other, one))


def _is_inside(document: ProofDocument, inner: Module, outer: Module) -> bool:
    parent = inner.parent
    while parent is not None and parent != outer.id:
        parent = document.modules[parent].parent
    return parent is not None
