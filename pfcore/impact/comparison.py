"""Compares two versions: what differs, and whose context may differ, without rendering contexts.

Also aligns the modules of two versions; the alignment survives edits, even if ids do not.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from enum import StrEnum
from functools import cached_property
from itertools import zip_longest

from pfcore.domain.values import Module, Passage
from pfcore.graph.context import ancestors, followed, over
from pfcore.graph.document import LinkTarget, ProofDocument, ResolvedLinks, linked_modules
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import Texts
from pfcore.latex.language import terms
from pfcore.latex.lexer.normal_form import normal_form
from pfcore.latex.lexer.whitespace import second_form
from pfcore.papers.paper import Paper

Pairs = Mapping[str, str]
"""Maps ids of the later version to ids of the earlier one."""
_NOTHING = LinkTarget("", "", "")


class PassageChange(StrEnum):
    """How a passage of the later version differs from its counterpart."""

    WORDS = "words"
    MARKS = "marks"


class DocumentComparison:
    """Two versions of a paper and how their modules correspond."""

    def __init__(self, before: PaperState, after: PaperState, pairs: Pairs) -> None:
        self.before = before
        self.after = after
        self.pairs = pairs

    @cached_property
    def statements(self) -> frozenset[str]:
        """The modules whose statement is new, changed, or refers to something else."""
        return frozenset(name for name in self._looked_at if not self._same_statement(name))

    @cached_property
    def proofs(self) -> frozenset[str]:
        """The modules that have no counterpart or other proofs."""
        return frozenset(name for name in self._looked_at if not self._same_proofs(name))

    @cached_property
    def rebound(self) -> frozenset[str]:
        """The modules to which other conventions apply than before."""
        now, then = self.after.document, self.before.document
        known = ((name, self.pairs[name]) for name in self._looked_at if name in self.pairs)
        return frozenset(
            name for name, old in known if self._paired(over(now, name)) != set(over(then, old))
        )

    def candidates(self) -> list[str]:
        """The modules of the later version whose context may differ.

        The context of any other module is the same: its own texts, links, scope and ancestors are,
        and so are the statements in its context with the conventions that apply to them.
        """
        changed = self.statements | self.rebound
        own = changed | self.proofs
        own |= {name for name in self._looked_at if not self._same_setting(name)}
        readers = self.after.readers
        own |= readers.followers(self.proofs) if self.proofs else set()
        own |= readers.of(changed) if changed else set()
        return [name for name in self._modules if name in own]

    def change(self, mine: Passage, other: Passage) -> PassageChange | None:
        """How a passage differs from its counterpart, apart from the targets of references."""
        if mine.digest != other.digest or _forms(mine) != _forms(other):
            return PassageChange.WORDS
        return PassageChange.MARKS if self._has_moved_marks(mine, other) else None

    def is_rewritten(self, mine: Passage, other: Passage) -> bool:
        """Whether the source changed, here or in an inserted file, and not just a macro."""
        now, then = self.after.paper, self.before.paper
        if now.recipes[mine.location.path].insets or then.recipes[other.location.path].insets:
            return True
        return _source(now, mine) != _source(then, other)

    def keeps_words(self, mine: Passage, other: Passage) -> bool:
        """Whether nobody edited a passage where it stands, not even its references."""
        return _source(self.after.paper, mine) == _source(self.before.paper, other)

    def same_links(self, mine: ResolvedLinks, other: ResolvedLinks) -> bool:
        """Whether links of the later version have the same targets as in the earlier one."""
        if mine == other and (not self._renamed or self._renamed.isdisjoint(linked_modules(mine))):
            return True
        terms = {(term, self.pairs.get(name, "")) for term, name in mine.terms}
        if [self.pairs.get(name, "") for name in mine.leans_on] != list(other.leans_on):
            return False
        return terms == set(other.terms) and self.same_mentions(mine, other)

    def same_mentions(self, mine: ResolvedLinks, other: ResolvedLinks) -> bool:
        """Whether the references alone have the same targets."""
        now = [[self._seen(target) for target in targets] for targets in mine.mentions]
        then = [[self._seen_before(target) for target in targets] for targets in other.mentions]
        return now == then

    def moved(
        self, mine: ResolvedLinks, other: ResolvedLinks
    ) -> list[tuple[LinkTarget, LinkTarget]]:
        """The current and the earlier targets of the references whose target changed.

        If a list of numbers became longer or shorter, the surplus is paired with nothing.
        """
        if len(mine.mentions) != len(other.mentions):
            return []
        return [
            (target, earlier)
            for now, then in zip(mine.mentions, other.mentions, strict=True)
            for target, earlier in zip_longest(now, then, fillvalue=_NOTHING)
            if self._seen(target) != self._seen_before(earlier)
        ]

    @cached_property
    def _looked_at(self) -> list[str]:
        """The modules that may differ; those that both versions share as objects cannot.

        Modules are shared only if the frame of the document is the same, and then scopes, ancestors
        and the targets of `\\uses` are the same as well.
        """
        now, then = self.after.document, self.before.document
        if self._renamed or now.scope is not then.scope:
            return list(now.modules)
        fresh = ((module, then.modules[name]) for name, module in now.modules.items())
        return [
            mine.id
            for mine, other in fresh
            if mine is not other and not self._is_moved(mine, other)
        ]

    def _is_moved(self, mine: Module, other: Module) -> bool:
        """Whether a module only moved within its file and is otherwise unchanged."""
        ours, theirs = mine.passages, other.passages
        moved = mine._replace(
            statement=theirs[0],
            proofs=other.proofs,
            stand_ins=other.stand_ins,
            cites=other.cites,
        )
        return (
            moved == other
            and len(ours) == len(theirs)
            and all(map(self._is_moved_text, ours, theirs))
        )

    def _is_moved_text(self, mine: Passage, other: Passage) -> bool:
        """Whether a passage and everything by which it may refer to something are unchanged."""
        now, then = self.after.paper, self.before.paper
        path = mine.location.path
        return (
            _from_start(mine) == _from_start(other)
            and not now.recipes[path].insets
            and not then.recipes[path].insets
            and now.readings[path].blocks[mine.block].uses
            == then.readings[path].blocks[other.block].uses
            and _text(now, mine) == _text(then, other)
            and not self._has_moved_marks(mine, other)
        )

    @property
    def _modules(self) -> Mapping[str, Module]:
        return self.after.document.modules

    def _counterpart(self, name: str) -> Module | None:
        old = self.pairs.get(name)
        return self.before.document.modules[old] if old is not None else None

    @cached_property
    def _renamed(self) -> frozenset[str]:
        """Modules that an equal link may nevertheless mean differently."""
        then = self.before.document.modules
        return frozenset(
            name
            for name, module in self._modules.items()
            if self.pairs.get(name) != name
            or (module is not then[name] and _anchors(module) != _anchors(then[name]))
        )

    def _same_statement(self, name: str) -> bool:
        ours, theirs = self._modules[name], self._counterpart(name)
        return (
            theirs is not None
            and (ours.kind, ours.role) == (theirs.kind, theirs.role)
            and self.change(ours.statement, theirs.statement) is None
            and self.same_links(
                self.after.document.statements[name], self.before.document.statements[theirs.id]
            )
        )

    def _same_proofs(self, name: str) -> bool:
        ours, theirs = self._modules[name].proofs, self._counterpart(name)
        if theirs is None or len(ours) != len(theirs.proofs):
            return False
        links = zip(
            self.after.document.proofs[name], self.before.document.proofs[theirs.id], strict=True
        )
        return all(
            self.change(mine, other) is None
            for mine, other in zip(ours, theirs.proofs, strict=True)
        ) and all(self.same_links(mine, other) for mine, other in links)

    def _same_setting(self, name: str) -> bool:
        """Whether scope, ancestors, `\\uses` and the proofs that it follows are the same."""
        old = self.pairs.get(name)
        if old is None:
            return False
        now, then = self.after.document, self.before.document
        return (
            self._paired(now.scope[name]) == set(then.scope[old])
            and self._paired(now.uses[name]) == set(then.uses[old])
            and self._paired(ancestors(now, name)) == set(ancestors(then, old))
            and self._paired(followed(now, name)) == set(followed(then, old))
        )

    def _paired(self, names: Iterable[str]) -> set[str]:
        return {self.pairs.get(name, "") for name in names}

    def _has_moved_marks(self, mine: Passage, other: Passage) -> bool:
        """Whether labels moved within the same words: readers may be told their place."""
        if not mine.anchors and not other.anchors:
            return False
        path, old = mine.location.path, other.location.path
        now, then = self.after.paper, self.before.paper
        if mine.block == other.block and now.readings[path] is then.readings[old]:
            return False
        texts = now.texts(path)[mine.block], then.texts(old)[other.block]
        return texts[0] != texts[1] and len({normal_form(second_form(one)) for one in texts}) > 1

    def _seen(self, target: LinkTarget) -> tuple[str, tuple[int, ...], str]:
        anchor = _anchor(self.after.document, target)
        return (self.pairs.get(target.module, "?") if target.module else "", anchor, target.word)

    def _seen_before(self, target: LinkTarget) -> tuple[str, tuple[int, ...], str]:
        return target.module, _anchor(self.before.document, target), target.word


def _from_start(passage: Passage) -> list[object]:
    """A passage with offsets relative to its start."""
    where = passage.location
    own = [where.path, passage.block, passage.digest, passage.length, passage.anchors]
    return [
        *own,
        *(
            item._replace(start=item.start - where.start, end=item.end - where.start)
            for item in passage.mentions
        ),
    ]


def _text(paper: Paper, passage: Passage) -> str:
    where = passage.location
    return paper.source(where.path)[where.start : where.end]


def _source(paper: Paper, passage: Passage) -> list[str]:
    return _text(paper, passage).split()


def _forms(passage: Passage) -> list[str]:
    return [mention.form for mention in passage.mentions]


def _anchors(module: Module) -> list[str]:
    return [anchor for passage in module.argued for anchor in passage.anchors]


def _anchor(document: ProofDocument, target: LinkTarget) -> tuple[int, ...]:
    """The indices, among a module's labels, of the label that a target names."""
    if not target.anchor:
        return ()
    listed = _anchors(document.modules[target.module])
    return tuple(number for number, anchor in enumerate(listed) if anchor == target.anchor)


_ALIKE = 0.5
_LARGEST = 400

Key = Callable[[Module], Hashable]


def match_modules(
    before: ProofDocument, after: ProofDocument, *, texts_before: Texts, texts_after: Texts
) -> dict[str, str]:
    """Maps ids of `after` to ids of `before`, one to one: by content, label or title, or words.

    Ids made from a position are tried last, because another module may have taken the position.
    """
    then = before.modules
    pairs = {name: name for name, item in after.modules.items() if _is_like(then.get(name), item)}
    if len(pairs) == len(before.modules) == len(after.modules):
        return pairs
    left = {name: module for name, module in before.modules.items() if name not in pairs}
    right = {name: module for name, module in after.modules.items() if name not in pairs}
    rounds: tuple[Key, ...] = (
        content_of,
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
    """Whether the module with the same id has the same statement."""
    return other is module or (
        other is not None and other.statement.digest == module.statement.digest
    )


def content_of(module: Module) -> tuple[str, ...]:
    """The kind and digests of a module; they agree for equal contexts, except of counterparts."""
    return (module.kind, *(passage.digest for passage in module.argued))


def _match(
    left: dict[str, Module], right: dict[str, Module], key: Key, pairs: dict[str, str]
) -> None:
    """Pair the modules of equal key in reading order, if both sides have equally many."""
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
    """Pair the remaining modules by the share of common words, the most similar first."""
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
    passages = module.argued
    return frozenset(
        word for p in passages for word in terms.normal_words(texts(p.location.path)[p.block])
    )


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, len(one | other))
