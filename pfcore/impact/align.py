"""Which module of one version is which of another: the alignment survives edits, an id need not."""

from collections.abc import Callable, Hashable, Iterable, Mapping

from pfcore.domain.values import Module
from pfcore.graph.document import ProofDocument
from pfcore.graph.rendering import Texts
from pfcore.latex.language import terms

_ALIKE = 0.5
_LARGEST = 400

Key = Callable[[Module], Hashable]


def match_modules(
    before: ProofDocument, after: ProofDocument, *, texts_before: Texts, texts_after: Texts
) -> dict[str, str]:
    """Ids of `after` to ids of `before`, one to one: by equal content, by label or title, by words.

    An id that was made from a place says least: it may be that of another module since.
    """
    then = before.modules
    pairs = {name: name for name, item in after.modules.items() if _is_like(then.get(name), item)}
    if len(pairs) == len(before.modules) == len(after.modules):
        return pairs
    left = {name: module for name, module in before.modules.items() if name not in pairs}
    right = {name: module for name, module in after.modules.items() if name not in pairs}
    rounds: tuple[Key, ...] = (
        _content,
        lambda module: (module.id, module.kind) if module.label or module.title else None,
        lambda module: module.id if module.label else None,
        lambda module: ("statement", module.kind, module.statement.digest),
        lambda module: ("proof", *(p.digest for p in module.proofs)) if module.proofs else None,
    )
    for key in rounds:
        if not left or not right:
            return pairs
        _match(left, right, key, pairs)
    _match_alike(left, right, texts_before, texts_after, pairs)
    for name, old in pairs.items():
        right.pop(name, None)
        left.pop(old, None)
    _match(left, right, lambda module: (module.id, module.kind), pairs)
    return pairs


def _is_like(other: Module | None, module: Module) -> bool:
    """Whether a module of the same id says the same."""
    return other is module or (
        other is not None and other.statement.digest == module.statement.digest
    )


def _content(module: Module) -> Hashable:
    return (module.kind, module.statement.digest, *(proof.digest for proof in module.proofs))


def _match(
    left: dict[str, Module], right: dict[str, Module], key: Key, pairs: dict[str, str]
) -> None:
    """Pair the modules of equal key in reading order, where each side has equally many."""
    ours, theirs = _grouped(right.values(), key), _grouped(left.values(), key)
    for value, found in ours.items():
        others = theirs.get(value, [])
        if len(found) != len(others):
            continue
        for module, other in zip(found, others, strict=True):
            pairs[module.id] = other.id
            del right[module.id], left[other.id]


def _grouped(modules: Iterable[Module], key: Key) -> dict[Hashable, list[Module]]:
    groups: dict[Hashable, list[Module]] = {}
    for module in modules:
        value = key(module)
        if value is not None:
            groups.setdefault(value, []).append(module)
    return groups


def _match_alike(
    left: Mapping[str, Module],
    right: Mapping[str, Module],
    texts_before: Texts,
    texts_after: Texts,
    pairs: dict[str, str],
) -> None:
    """Pair what is left by the share of common words, the most alike first."""
    if len(left) * len(right) > _LARGEST**2:
        return
    ours = {name: _words(module, texts_after) for name, module in right.items()}
    theirs = {name: _words(module, texts_before) for name, module in left.items()}
    scored = sorted(
        (-_share(mine, other), name, old)
        for name, mine in ours.items()
        for old, other in theirs.items()
        if right[name].role is left[old].role and _share(mine, other) >= _ALIKE
    )
    taken: set[str] = set()
    for _, name, old in scored:
        if name not in pairs and old not in taken:
            pairs[name] = old
            taken.add(old)


def _words(module: Module, texts: Texts) -> frozenset[str]:
    passages = (module.statement, *module.proofs)
    return frozenset(
        word for p in passages for word in terms.normal_words(texts(p.location.path)[p.block])
    )


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))
