r"""Resolves what a passage mentions: labels, own equations, terms, `\uses`.

Also ranges of labels: `\crefrange{a}{c}` includes the labels in between. And references in words:
"the previous lemma" by its place, "Lemma 4.3" by its number, "Step 2" in the same proof.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import NamedTuple, TypeVar

from pfcore.domain.containment import Failure, Fault, Faults, attempt
from pfcore.domain.values import Mention, Module, Passage, Role
from pfcore.graph.building.draft import Draft
from pfcore.graph.building.introduction_index import Supply, is_letter_like
from pfcore.graph.building.reading_order import OrderedBlock
from pfcore.graph.building.term_index import NeedIndex, TermIndex
from pfcore.graph.document import (
    NO_LINKS,
    UNRESOLVED,
    USES,
    USING,
    LazyMapping,
    LinkTarget,
    Mentioned,
    ResolvedLinks,
)
from pfcore.latex.language.binding import is_bound
from pfcore.latex.language.formula_keys import SUPPOSES
from pfcore.latex.language.introductions import SET_UP
from pfcore.latex.language.leads import LED
from pfcore.latex.language.worded_references import (
    COROLLARY,
    KIND,
    PHRASE,
    STEP,
    WORDED,
    Pointer,
    numbered,
    pointer,
    steps,
)
from pfcore.latex.lexer.commands import RANGES
from pfcore.latex.parsed_file import Label
from pfcore.latex.project.kinds import in_english, role_of
from pfcore.latex.structure import unmarked_proofs

DEFINING = frozenset({Role.DEFINITION, Role.ASSUMPTION, Role.CONVENTION})
Value = TypeVar("Value")

_NOWHERE = LinkTarget("", "", UNRESOLVED)
_ASIDE = LinkTarget("", "", "another result")


class Linking(NamedTuple):
    """The links of the modules of a document: of statements, proofs, and `\\uses`.

    `cited` has the targets of the references in proofs, without the terms that these use.
    """

    statements: LazyMapping[ResolvedLinks]
    proofs: LazyMapping[tuple[ResolvedLinks, ...]]
    uses: LazyMapping[tuple[str, ...]]
    cited: LazyMapping[tuple[Mentioned, ...]]


Numbered = Mapping[tuple[str, str], str]
"""The modules by kind and rendered number, if that is certain and unique."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WordedResolver:
    """Resolves references in words within one draft."""

    draft: Draft
    numbered: Numbered
    modules: Mapping[str, Module]

    def targets(self, mention: Mention, module: Module, passage: Passage) -> tuple[str, ...]:
        """The modules that a mention means; () if unclear, "" for one that does not exist."""
        if mention.note == STEP:
            return self._steps(steps(mention.keys[0]), mention, module, passage)
        if mention.note == KIND:
            return self._nearest(Pointer(mention.keys[0], 1, False), mention, module, passage)
        if mention.note != PHRASE:
            return self._numbered(mention, module, passage)
        meant = pointer(mention.keys[0])
        if meant is None or (meant.onward and (not meant.kind or self._is_before(passage))):
            return ()
        if meant.is_vague and any(one.start < mention.start for one in passage.mentions):
            return ()  # it may mean what was cited before
        return tuple(self._pointed(meant, mention.start, module, passage))

    def _is_before(self, passage: Passage) -> bool:
        """Whether a passage argues before its result, so that the next result is its own."""
        position = self.draft.at[passage.location.path, passage.block]
        return self.draft.order.entries[position].block.env == unmarked_proofs.ARGUMENT

    def _nearest(
        self, meant: Pointer, mention: Mention, module: Module, passage: Passage
    ) -> tuple[str, ...]:
        """The last result of a kind before a text in its section, meant by a plain "the lemma".

        None if the text proves one of that kind itself or has named one, or if that one is not yet
        proved.
        """
        block = self.draft.at[passage.location.path, passage.block]
        proved = (self.draft.owner.get(block, block), self._above(self.draft.order.entries[block]))
        entries = self.draft.order.entries
        if any(position >= 0 and _is_meant(entries[position], meant) for position in proved):
            return ()
        before = (one for one in passage.mentions if one.start < mention.start)
        found = self._pointed(meant, mention.start, module, passage)[:1]
        if not found or any(self._names(one, meant, passage) for one in before):
            return ()
        position = self.modules[found[0]].position
        is_near = entries[position].section == entries[block].section
        is_done = all(proof < block for proof in self.draft.proofs.get(position, ()))
        return tuple(found) if is_near and is_done else ()

    def before(self, module: Module) -> tuple[str, ...]:
        """The results that a corollary follows: the one before it in its section.

        If that is a corollary itself, also the result that both are corollaries of.
        """
        entries = self.draft.order.entries
        found: list[str] = []
        for position in range(module.position - 1, -1, -1):
            entry = entries[position]
            if entry.section != entries[module.position].section:
                break
            if not _is_result(entry) or not self._is_in_sight(entry, module.position):
                continue
            is_first = in_english(entry.block.kind) != in_english(module.kind)
            if is_first or not found:
                found.append(self.draft.ids[position])
            if is_first:
                break
        return tuple(found)

    def _names(self, mention: Mention, meant: Pointer, passage: Passage) -> bool:
        """Whether a mention names a result of the given kind."""
        if mention.note in WORDED:
            said = pointer(mention.keys[0]) if mention.note == PHRASE else None
            kinds = [said.kind] if said else [kind for kind, _ in numbered(mention.keys[0])]
            return any(in_english(kind) == in_english(meant.kind) for kind in kinds)
        places = (self.draft.find(key, passage.location.path) for key in mention.keys)
        return any(
            place is not None
            and place[1].block >= 0
            and _is_meant(self.draft.order.entries[self.draft.at[place[0], place[1].block]], meant)
            for place in places
        )

    def _numbered(self, mention: Mention, module: Module, passage: Passage) -> tuple[str, ...]:
        """The result for each number, or ""; () if no number leads to another result."""
        wanted = numbered(mention.keys[0])
        beside = self._steps(wanted, mention, module, passage) if wanted else ()
        found = [self.numbered.get(item, "") for item in wanted]
        is_own = module.id in found or any(self._stands_in(name, module) for name in found)
        return beside or (tuple(found) if any(found) and not is_own else ())

    def _stands_in(self, name: str, module: Module) -> bool:
        """Whether an equation is one of the module's own."""
        other = self.modules.get(name)
        return other is not None and other.role is Role.FRAGMENT and other.parent == module.id

    def _steps(
        self,
        wanted: Sequence[tuple[str, str]],
        mention: Mention,
        module: Module,
        passage: Passage,
    ) -> tuple[str, ...]:
        """The steps or claims of the proof around: all the wanted ones, or none."""
        block = self.draft.at[passage.location.path, passage.block]
        found = [self._step(kind, number, block, mention.start) for kind, number in wanted]
        names = [self.draft.ids[position] for position in found if position >= 0]
        return tuple(names) if len(names) == len(wanted) and module.id not in names else ()

    def _step(self, kind: str, number: str, block: int, offset: int) -> int:
        """The nearest step before, else after, in a block or in one around it; -1 without any."""
        entries = self.draft.order.entries
        path, inside = entries[block].path, entries[block].number
        while inside >= 0:
            found = self.draft.inner.get((path, inside, kind, number), [])
            count = bisect_left(found, offset, key=lambda item: entries[item].block.place.start)
            if number and found:
                return found[max(count - 1, 0)]
            if found:
                return found[0] if len(found) == count == 1 else -1
            inside = entries[self.draft.at[path, inside]].block.parent
        return -1

    def _pointed(self, meant: Pointer, offset: int, module: Module, passage: Passage) -> list[str]:
        """The modules that a phrase points to, nearest first.

        A row consists of those that no other result and no heading separates.
        """
        block = self.draft.at[passage.location.path, passage.block]
        here = self._last_before(offset, block, passage)
        last = len(self.draft.order.entries)
        around = (
            range(here + 1, min(here + _REACH, last))
            if meant.onward
            else range(here, max(here - _REACH, -1), -1)
        )
        is_row = meant.is_vague or not meant.several
        most = _LONGEST_ROW + 1 if is_row else meant.several
        found: list[OrderedBlock] = []
        names: list[str] = []
        for position in around:
            entry = self.draft.order.entries[position]
            if not self._is_in_sight(entry, block):
                continue
            is_parted = is_row and found and entry.section != found[-1].section
            if _is_meant(entry, meant) and not is_parted:
                name = self.draft.ids[position]
                if name not in (module.id, module.parent):
                    found.append(entry)
                    names.append(name)
            elif is_row and found and (is_parted or _is_result(entry)):
                break
            if len(names) == most:
                break
        is_plain = not is_row or len(names) in ((meant.several,) if meant.several else _ROWS)
        return names if is_plain else []

    def _last_before(self, offset: int, block: int, passage: Passage) -> int:
        """The last block that begins before an offset inside a block."""
        entries = self.draft.order.entries
        position = block
        while position + 1 < len(entries):
            following = entries[position + 1]
            if following.path != passage.location.path or following.block.place.start >= offset:
                break
            position += 1
        return position

    def _is_in_sight(self, entry: OrderedBlock, block: int) -> bool:
        """Whether a statement can be meant by a text: outermost, inside it, or in the same block.

        For a proof also if its statement can mean it.
        """
        above = self._above(entry)
        if above < 0:
            return True
        entries = self.draft.order.entries
        proved = self.draft.owner.get(block, block)
        seen = block, proved, self._above(entries[block]), self._above(entries[proved])
        return above in seen

    def _above(self, entry: OrderedBlock) -> int:
        """The position of the block around another, or -1."""
        parent = entry.block.parent
        return self.draft.at[entry.path, parent] if parent >= 0 else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolver:
    """Resolves passages against the labels and the dictionary of their paper.

    A passage at which our code fails leads nowhere, and is added to `faults`.
    """

    draft: Draft
    modules: Mapping[str, Module]
    usage: TermIndex | NeedIndex
    worded: WordedResolver
    faults: Faults = field(default_factory=Faults)
    _crowded: dict[str, bool] = field(default_factory=dict, init=False, compare=False, repr=False)
    _proved: dict[int, list[str]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    def linking(self, known: Linking | None = None) -> Linking:
        """All links; those of modules shared with a known version are reused."""
        return Linking(
            LazyMapping(self.modules, self.statement, known.statements.memo if known else None),
            LazyMapping(self.modules, self.proofs, known.proofs.memo if known else None),
            LazyMapping(self.modules, self.uses, known.uses.memo if known else None),
            LazyMapping(self.modules, self.cited, known.cited.memo if known else None),
        )

    def statement(self, name: str) -> ResolvedLinks:
        """The links of a module's statement, with the definitions that its `\\uses` names."""
        module = self.modules[name]
        links = self._links(module, module.statement)
        declared = tuple((USES, target) for target in self.declared(module))
        if module.role is Role.DEFINITION and isinstance(self.usage, NeedIndex):
            links = links._replace(leans_on=tuple(self._leaned_on(module, links.terms)))
        return links._replace(terms=(*links.terms, *declared)) if declared else links

    def _leaned_on(self, module: Module, terms: Iterable[tuple[str, str]]) -> Iterator[str]:
        """The definitions in a definition's section that explain its symbols and terms.

        Only terms of several words count.
        """
        around = self._around(module)
        for need, name in terms:
            other = self.modules[name]
            is_telling = other.role is Role.DEFINITION and _is_telling(need)
            if is_telling and self._around(other) == around:
                yield name

    def _around(self, module: Module) -> int:
        """The heading of the section around a module, or of its chapter outside of sections."""
        levels = self.draft.order.headings
        found = (one for one in module.section if levels[one].level >= _SECTION)
        return next(found, module.section[-1] if module.section else -1)

    def proofs(self, name: str) -> tuple[ResolvedLinks, ...]:
        """The links of each proof of a module."""
        module = self.modules[name]
        return tuple([self._links(module, proof) for proof in module.proofs])

    def cited(self, name: str) -> tuple[Mentioned, ...]:
        """The targets of the references in each proof of a module."""
        module = self.modules[name]
        return tuple([self._mentioned(module, proof) for proof in module.proofs])

    def cited_in_statement(self, name: str) -> Mentioned:
        """The targets of the references in a module's statement."""
        module = self.modules[name]
        return self._mentioned(module, module.statement)

    def may_use(self) -> dict[str, set[str]]:
        """For each result with a proof the modules its proofs name as used, and maybe a few more.

        By a label, a number or a phrase, without the steps of a proof.
        """
        is_one = not self.draft.outline.prefixes
        holders = cache(self.draft.holders)
        return {
            name: self._may_use(module, holders, is_one=is_one) - {"", name}
            for name, module in self.modules.items()
            if module.role is Role.RESULT and module.proofs
        }

    def _may_use(
        self, module: Module, holders: Callable[[str, str], set[str]], *, is_one: bool
    ) -> set[str]:
        """The same for one module; if the paper `is_one` document, `holders` ignores the file."""
        found: set[str] = set()
        for proof in module.proofs:
            for mention in proof.mentions:
                if mention.form not in USING or mention.note == STEP:
                    continue
                if mention.note in RANGES or mention.note in WORDED:
                    found.update(item.module for item in self.targets(mention, module, proof))
                    continue
                path = "" if is_one else proof.location.path
                for key in mention.keys:
                    found |= holders(key, path)
        return found

    def uses(self, name: str) -> tuple[str, ...]:
        """The modules that `\\uses` names, those of the statement first, in order."""
        module = self.modules[name]
        return self._named_by_uses(module, module.passages)

    def _named_by_uses(self, module: Module, passages: Iterable[Passage]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for passage in passages:
            path = passage.location.path
            for key in self.draft.readings[path].blocks[passage.block].uses:
                target = self._target(key, path)
                if target.module and target.module != module.id:
                    found[target.module] = None
        return tuple(found)

    def declared(self, module: Module) -> tuple[str, ...]:
        """The definitions and conventions that `\\uses` in a statement names."""
        return tuple(
            target
            for target in self._named_by_uses(module, (module.statement,))
            if self.modules[target].role in DEFINING
        )

    def since(self, module: Module) -> int:
        """The position of a module's last passage: it may use definitions before its proof."""
        if not module.proofs:
            return module.position
        places = (self.draft.at.get((p.location.path, p.block), -1) for p in module.proofs)
        return max(module.position, *places)

    def _contained(
        self, module: Module, passage: Passage, make: Callable[[], Value], otherwise: Value
    ) -> Value:
        """The value of `make`; if it fails, `otherwise`, and the fault is recorded."""
        made = attempt(make)
        if not isinstance(made, Failure):
            return made
        what = module.kind if passage is module.statement else "proof"
        self.faults.add(Fault(passage.location.path, passage.location.line, what, made.cause))
        return otherwise

    def _links(self, module: Module, passage: Passage) -> ResolvedLinks:
        used = self.usage.of(passage.location.path, passage.block)
        if not used and not passage.mentions:
            return NO_LINKS
        mentioned = self._mentioned(module, passage)
        if not used:
            return ResolvedLinks(mentioned, ())
        meant = partial(self._terms, used, module, passage)
        return ResolvedLinks(mentioned, self._contained(module, passage, meant, ()))

    def _mentioned(self, module: Module, passage: Passage) -> Mentioned:
        return tuple([self.targets(mention, module, passage) for mention in passage.mentions])

    def targets(self, mention: Mention, module: Module, passage: Passage) -> tuple[LinkTarget, ...]:
        """The targets of a mention in a passage of a module."""
        meant = partial(self._targets, mention, module, passage)
        return self._contained(module, passage, meant, (_NOWHERE,))

    def _targets(
        self, mention: Mention, module: Module, passage: Passage
    ) -> tuple[LinkTarget, ...]:
        if mention.note not in WORDED:
            keys = mention.keys
            if mention.note in RANGES:
                keys = spread(self.draft, keys, passage.location.path)
            return tuple(self._meant(mention, key, module, passage) for key in keys)
        if mention.note == COROLLARY:
            found = () if self._cites_results(module) else self.worded.before(module)
        else:
            found = self.worded.targets(mention, module, passage)
        if not found:
            return (LinkTarget("", "", mention.keys[0]),)
        words = numbered(mention.keys[0]) if "" in found else ()
        is_aside = mention.form == "aside"
        return tuple(
            LinkTarget("", "", " ".join(words[place]).capitalize())
            if not name
            else _ASIDE
            if is_aside
            else LinkTarget(name, "", "")
            for place, name in enumerate(found)
        )

    def _cites_results(self, module: Module) -> bool:
        """Whether a result or its proof cites results, resolved or not."""
        found = [
            target
            for passage in module.argued
            for mention in passage.mentions
            if mention.note != COROLLARY
            for target in self.targets(mention, module, passage)
            if mention.note not in WORDED or target.module
        ]
        roles = {self.modules[it.module].role for it in found if it.module not in ("", module.id)}
        return bool(module.cites) or _NOWHERE in found or not _CLAIMS.isdisjoint(roles)

    def _terms(
        self, used: Iterable[str], module: Module, passage: Passage
    ) -> tuple[tuple[str, str], ...]:
        position = self.since(module)
        if isinstance(self.usage, NeedIndex):
            return self._introduced(used, module, passage)
        meant = [(term, self.usage.terms.meant(term, position)) for term in used]
        return tuple([item for item in meant if item[1] not in ("", module.id)])

    def needs(self, module: Module, passage: Passage) -> list[str]:
        """The needs of a passage, except those bound by its statement or by modules around."""
        assert isinstance(self.usage, NeedIndex)
        own = self.usage.of(passage.location.path, passage.block)
        bound = {key for outer in self.around(module, passage) for key in self._bound(outer)}
        needed = (need for need in own if need[0] != "!")
        return [need for need in needed if not (bound and is_bound(tuple(need.split("\t")), bound))]

    def _bound(self, passage: Passage) -> Iterator[str]:
        used = self.usage.of(passage.location.path, passage.block)
        return (need[1:] for need in used if need[0] == "!")

    def around(self, module: Module, passage: Passage) -> Iterator[Passage]:
        """The statement that a proof belongs to, and the statements around it."""
        if passage is not module.statement:
            yield module.statement
        seen = {module.id}
        parent = module.parent
        while parent is not None and parent not in seen:
            seen.add(parent)
            yield self.modules[parent].statement
            parent = self.modules[parent].parent

    def _introduced(
        self, used: Iterable[str], module: Module, passage: Passage
    ) -> tuple[tuple[str, str], ...]:
        """The needs of a passage, each with a module that answers it."""
        if all(need[0] == "!" for need in used):
            return ()
        found = [
            (LED + need if supply.is_led or supply.is_far else need, name)
            for need, supply in self.supplies(module, passage).items()
            for name in supply.names
        ]
        return tuple([item for item in found if item[1] != module.id])

    def supplies(self, module: Module, passage: Passage) -> dict[str, Supply]:
        """The answers to the needs of a passage.

        A need without an answer is answered by a sentence next to another need's answer in the same
        paragraph: there a symbol means what it means in the passage, whatever it means elsewhere.
        """
        assert isinstance(self.usage, NeedIndex)
        index = self.usage.terms
        found = {need: self.supply(need, module, passage) for need in self.needs(module, passage)}
        lacking = {key: need for need in found if not found[need].names for key in need.split("\t")}
        sure = (one for one in found.values() if not (one.is_led or one.is_far))
        told = dict.fromkeys(name for one in sure for name in one.names) if lacking else {}
        beside = (other for name in told for other in index.neighbours.get(name, ()))
        for other in dict.fromkeys(beside):
            shared = index.names.get(other, frozenset()) & lacking.keys()
            for key in sorted(shared) if other not in told else ():
                if index.has_site(other, key):
                    need = lacking[key]
                    names = dict.fromkeys((*found[need].names, other))
                    found[need] = Supply(tuple(names), is_led=True)
        return found

    def supply(
        self,
        need: str,
        module: Module,
        passage: Passage,
        is_crowded: Callable[[str], bool] | None = None,
    ) -> Supply:
        """The answer to a need of a passage; mentions do not answer keys that `is_crowded`."""
        assert isinstance(self.usage, NeedIndex)
        if need.startswith(SET_UP):
            return Supply(tuple(self._set_up(int(need[len(SET_UP) :]), passage)))
        block = self.draft.at[passage.location.path, passage.block]
        section = self.draft.order.entries[block].section
        position = max(block, module.position)
        supply = partial(self.usage.terms.supply, need)
        crowded = is_crowded or self.is_crowded
        found = supply(position, section, module.position, crowded)
        stated = self.draft.order.entries[module.position].section
        if found.names or section == stated:
            return found
        return supply(module.position, stated, module.position, crowded)

    def _set_up(self, number: int, passage: Passage) -> Iterator[str]:
        """The introductions and conventions in a cited section, before its first claim."""
        keys = passage.mentions[number].keys if number < len(passage.mentions) else ()
        number = self.draft.section(keys[0], passage.location.path) if len(keys) == 1 else -1
        if number < 0:
            return
        order = self.draft.order
        heading = order.headings[number]
        for position in range(heading.first, heading.last):
            block = order.entries[position].block
            if block.shape == "statement" and role_of(block.kind) in _CLAIMS:
                return
            is_strong = any(
                item[0].isdigit() and int(item[0]) >= SUPPOSES for item in block.introduces
            )
            if is_strong and block.shape in ("introduction", "convention") and block.parent < 0:
                yield self.draft.ids[position]

    def is_crowded(self, key: str) -> bool:
        """Whether more than a dozen modules need a key that no text introduces for them."""
        if key not in self._crowded:
            assert isinstance(self.usage, NeedIndex)
            found: set[str] = set()
            for place in self.usage.needing(key):
                found.update(self._lacking(key, place))
                if len(found) > _DOZEN:
                    break
            self._crowded[key] = len(found) > _DOZEN
        return self._crowded[key]

    def _lacking(self, key: str, place: tuple[str, int]) -> Iterator[str]:
        """The modules that a block belongs to and that need a key there without an answer."""
        for name in self._owners(self.draft.at[place]):
            module = self.modules[name]
            passage = next(
                (p for p in module.passages if (p.location.path, p.block) == place), None
            )
            if passage is None or not module.role.stands_alone:
                continue
            needed = (need for need in self.needs(module, passage) if key in need.split("\t"))
            if any(not self.supply(need, module, passage, _always).names for need in needed):
                yield name

    def _owners(self, position: int) -> Sequence[str]:
        """The modules whose statement or proof is at a position."""
        if position in self.draft.ids:
            return (self.draft.ids[position],)
        if not self._proved:
            for statement, proofs in self.draft.proofs.items():
                for proof in proofs:
                    self._proved.setdefault(proof, []).append(self.draft.ids[statement])
        return self._proved.get(position, ())

    def _meant(self, mention: Mention, key: str, module: Module, passage: Passage) -> LinkTarget:
        """The target of a key in a passage; an aside leads only to its own module or nowhere."""
        path = passage.location.path
        target = self._target(key, path)
        other = self.modules.get(target.module)
        is_inner = other is not None and other.parent == module.id
        if key in passage.anchors and self._stands_in(key, path):
            is_claim = is_inner and other and other.role is not Role.FRAGMENT
            return target if is_claim else LinkTarget(module.id, key, "")
        is_aside = mention.form == "aside" and target.module not in ("", module.id)
        return _ASIDE if is_aside and not is_inner else target

    def _stands_in(self, key: str, path: str) -> bool:
        found = self.draft.find(key, path)
        return found is not None and found[0] == path

    def _target(self, key: str, path: str) -> LinkTarget:
        """The target of a key in this file."""
        found = self.draft.find(key, path)
        if found is None:
            return _NOWHERE
        file, label = found
        if label.unit >= 0 and isinstance(self.usage, NeedIndex):
            is_float = label.holder == "float"
            return LinkTarget(
                self.draft.module(file, label.unit), "" if is_float else label.key, ""
            )
        if label.block < 0 and label.fragment < 0:
            return LinkTarget("", "", label.holder)
        name = self.draft.holder(file, label)
        if not name:
            return LinkTarget("", "", "proof")
        is_inner = label.holder not in ("statement", "proof") and label.fragment < 0
        return LinkTarget(name, label.key if is_inner else "", "")


def _is_telling(need: str) -> bool:
    """Whether a need is a symbol, a name or a term of several words, with a certain answer."""
    key = need.partition("\t")[0]
    if key[0] == "#":
        return not is_letter_like(key)
    return key[0] == "@" or (key[0] != LED and " " in key)


_SECTION = 2
"""The level of a section's heading; a chapter of a thesis is too large."""
_MOST = 100
_CLAIMS = frozenset({Role.RESULT, Role.OPEN})
_DOZEN = 12
"""The most modules that a mere mention may supply."""


def _always(_: str) -> bool:
    return True


def spread(draft: Draft, keys: tuple[str, ...], path: str) -> tuple[str, ...]:
    """The labels from the first to the last, resolved in this file."""
    if len(keys) != 2:
        return keys
    first, last = (draft.find(key, path) for key in keys)
    if first is None or last is None or first[1].holder != last[1].holder:
        return keys
    if first[1].holder == "statement":
        inner = _statements(draft, first, last)
    else:
        inner = _labels(draft, first, last)
    return (keys[0], *inner, keys[1]) if len(inner) <= _MOST else keys


def _statements(draft: Draft, first: tuple[str, Label], last: tuple[str, Label]) -> list[str]:
    """The labels of the statements in between of the same kind and at the same level."""
    entries = draft.order.entries
    start, end = draft.at[first[0], first[1].block], draft.at[last[0], last[1].block]
    one, other = entries[start].block, entries[end].block
    if one.kind != other.kind or one.parent != other.parent:
        return []
    return [
        draft.named[position][0]
        for position in range(start + 1, end)
        if entries[position].block.kind == one.kind
        and entries[position].block.parent == one.parent
        and draft.named.get(position)
    ]


def _labels(draft: Draft, first: tuple[str, Label], last: tuple[str, Label]) -> list[str]:
    """The labels of the equations, or items, in between in the same file."""
    if first[0] != last[0]:
        return []
    return [
        label.key
        for label in draft.readings[first[0]].labels
        if first[1].offset < label.offset < last[1].offset and label.holder == first[1].holder
    ]


FindNumbers = Callable[[Mapping[str, Module]], Numbered]

_REACH = 200
_LONGEST_ROW = 8
"""The most results in a row that "the previous lemmas" may mean."""
_ROWS = range(1, _LONGEST_ROW + 1)


def _is_meant(entry: OrderedBlock, meant: Pointer) -> bool:
    if entry.block.shape != "statement":
        return False
    if not meant.kind:
        return _is_result(entry)
    return in_english(entry.block.kind) == in_english(meant.kind)


def _is_result(entry: OrderedBlock) -> bool:
    return entry.block.shape == "statement" and role_of(entry.block.kind) is Role.RESULT
