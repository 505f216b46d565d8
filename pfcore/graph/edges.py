"""What the modules refer to, invoke, and stand under: the edges of G and the links of the texts."""

from collections.abc import Mapping

from pfcore.graph.document import Links, LooseProof, Place, ProofDocument, Target
from pfcore.graph.draft import Draft
from pfcore.graph.terms import Dictionary, UsedTerms
from pfcore.model import Edge, Mention, Module, Part, Passage, Role, Via

_NOWHERE = Target("", "", "unresolved")


def connect(
    draft: Draft,
    modules: Mapping[str, Module],
    used: UsedTerms,
    terms: Dictionary,
    *,
    name: str,
    root: str,
    labels: Mapping[str, tuple[Place, ...]],
    loose: tuple[LooseProof, ...],
) -> ProofDocument:
    """The document: links of every passage, scope, and the edges that follow from them."""
    statements: dict[str, Links] = {}
    proofs: dict[str, tuple[Links, ...]] = {}
    uses: dict[str, tuple[str, ...]] = {}
    for module in modules.values():
        statements[module.id] = _links(draft, module, module.statement, used, terms)
        proofs[module.id] = tuple(
            _links(draft, module, proof, used, terms) for proof in module.proofs
        )
        uses[module.id] = _uses(draft, module)
    scope = _scopes(modules)
    found: list[Edge] = []
    for module in modules.values():
        found += _edges(module, statements[module.id], proofs[module.id], uses[module.id],
                        scope[module.id], modules)
    return ProofDocument(
        name=name,
        root=root,
        modules=modules,
        statements=statements,
        proofs=proofs,
        uses=uses,
        scope=scope,
        edges=tuple(found),
        labels=labels,
        headings=tuple(draft.order.headings),
        loose=loose,
    )


def _links(
    draft: Draft, module: Module, passage: Passage, used: UsedTerms, terms: Dictionary
) -> Links:
    path = passage.location.path
    anchors = frozenset(passage.anchors)
    mentions = tuple(
        tuple(
            _unless_aside(mention, module, draft, _target(draft, module, path, key, anchors))
            for key in mention.keys
        )
        for mention in passage.mentions
    )
    meant: list[tuple[str, str]] = []
    for term in used.get((path, passage.block), ()):
        definition = terms.meant(term, module.position)
        if definition != module.id:
            meant.append((term, definition))
    return Links(mentions, tuple(meant))


def _unless_aside(mention: Mention, module: Module, draft: Draft, target: Target) -> Target:
    """A remark that uses nothing leads nowhere, save to the module itself and its own claims."""
    if mention.form != "aside" or target.module in ("", module.id):
        return target
    inside = draft.parents.get(target.module) == module.id
    return target if inside else Target("", "", "another result")


def _target(draft: Draft, module: Module, path: str, key: str, anchors: frozenset[str]) -> Target:
    found = draft.find(key, path)
    if found is None:
        return _NOWHERE
    file, label = found
    if key in anchors and file == path:
        return Target(module.id, key, "")
    if label.block < 0 and label.fragment < 0:
        return Target("", "", label.holder)
    block = label.fragment if label.fragment >= 0 else label.block
    position = draft.at[file, block]
    owner = draft.owner.get(position, position)
    name = draft.ids.get(owner, "")
    if not name:
        return Target("", "", "proof")
    own = label.holder not in ("statement", "proof") and label.fragment < 0
    return Target(name, key if own else "", "")


def _uses(draft: Draft, module: Module) -> tuple[str, ...]:
    """Modules that `\\uses` names, of the statement first, in the order in which they are named."""
    found: dict[str, None] = {}
    for passage in (module.statement, *module.proofs):
        block = draft.readings[passage.location.path].blocks[passage.block]
        for key in block.uses:
            target = _target(draft, module, passage.location.path, key, frozenset())
            if target.module and target.module != module.id:
                found[target.module] = None
    return tuple(found)


def _scopes(modules: Mapping[str, Module]) -> dict[str, tuple[str, ...]]:
    """The conventions that bind each module, in reading order."""
    binding = [module for module in modules.values() if module.scope]
    scopes: dict[str, tuple[str, ...]] = {}
    for module in modules.values():
        scopes[module.id] = tuple(
            other.id
            for other in binding
            if other.scope
            and other.scope[0] <= module.position < other.scope[1]
            and other.id != module.id
            and module.role is not Role.CONVENTION
        )
    return scopes


def _edges(
    module: Module,
    statement: Links,
    proofs: tuple[Links, ...],
    uses: tuple[str, ...],
    scope: tuple[str, ...],
    modules: Mapping[str, Module],
) -> list[Edge]:
    found: dict[tuple[str, Via, Part], tuple[int, bool]] = {}
    passages = [(Part.STATEMENT, module.statement, statement)]
    passages += [(Part.PROOF, p, links) for p, links in zip(module.proofs, proofs, strict=True)]
    for part, passage, links in passages:
        for order, (mention, targets) in enumerate(
            zip(passage.mentions, links.mentions, strict=True)
        ):
            for target in targets:
                if target.module and target.module != module.id:
                    other = modules[target.module]
                    key = (target.module, _via(mention, part, other), part)
                    explicit = not target.anchor and other.role is not Role.FRAGMENT
                    known = found.get(key, (order, False))
                    found[key] = (known[0], known[1] or explicit)
        for _, definition in links.terms:
            found.setdefault((definition, Via.TERM, part), (len(passage.mentions), False))
    for target in uses:
        found.setdefault((target, Via.USES, Part.PROOF), (len(found), False))
    for target in scope:
        found.setdefault((target, Via.SCOPE, Part.STATEMENT), (0, False))
    return [
        Edge(module.id, target, via, part, order, explicit)
        for (target, via, part), (order, explicit) in found.items()
    ]


def _via(mention: Mention, part: Part, target: Module) -> Via:
    follows = mention.form == "proof" and part is Part.PROOF and target.proofs
    return Via.PROOF if follows else Via.REFERENCE
