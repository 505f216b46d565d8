"""Pairs proofs with results: by name, nesting, adjacency, the section's title, or a guess.

A guess is the nearest result without a proof if other statements are in between. A proof right
after an example or remark belongs to that if the last result before it is proved.

Also finds the results that titles of proofs name by rendered numbers: `[Proof of Theorem 2]`.
"""

import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Role
from pfcore.graph.building.reading_order import Order, OrderedBlock
from pfcore.graph.document import PaperSection
from pfcore.latex import parsed_file
from pfcore.latex.parsed_file import Block
from pfcore.latex.project.kinds import ANSWERS, in_english, is_aside, named_kind, role_of
from pfcore.latex.structure import headings, titles, unmarked_proofs
from pfcore.latex.structure.titles import NumberedTarget, named_results

_OF = regex(r"\bof\b|\bdes?\b|\bdu\b|\bvon\b", re.IGNORECASE)
_KIND = regex(
    r"\b(?:of|des?|du|von|der|la)[\s~]+(?:the|this|la|le|dem|den|des|der)?[\s~]*"
    r"(?:(?:main|last|above|previous)[\s~]+)?(?P<kind>[^\W\d_]{3,20})[\s.:]*\Z"
)
_AGAIN = regex(r"second|another|alternative|other|third|direct|different", re.IGNORECASE)
_SECTION_LEVELS = frozenset({0, 1, 2, 3})

Places = Mapping[tuple[str, int], int]
"""The position of each block, by its file and number."""

Lookup = Callable[[str, str], int]
"""From a label and the file that cites it to the position of the statement, or -1."""


class Pairs(NamedTuple):
    """Positions of proofs by the position of their statement, and proofs without a statement.

    The latter with the result that they name if it certainly does not exist, else "".
    `guessed` are positions of proofs that may not belong to their statement.
    """

    proofs: dict[int, list[int]]
    loose: dict[int, str]
    guessed: set[int]


class _Candidate(NamedTuple):
    """The position of a statement that a proof may belong to, and whether that is a guess."""

    position: int
    is_guess: bool = False


class Titled:
    """Finds the results that titles name; computes numbers only for the kinds that a title names.

    `looked_up` are the numbers that were used, by position: the pairs depend on them.
    """

    def __init__(self, order: Order, number: Callable[[int], str | None]) -> None:
        self._order = order
        self._number = number
        self._by_kind: dict[str, list[int]] | None = None
        self.looked_up: dict[int, str | None] = {}

    def wanted(self, entry: OrderedBlock) -> tuple[NumberedTarget, ...]:
        """The numbered results that a proof's title names, of kinds that may be in this paper."""
        title = entry.block.title
        if not title or entry.block.aim:
            return ()
        found = named_results(title)
        return tuple(item for item in found if item.kind in _COMMON or item.kind in self._kinds)

    def resolved(self, entry: OrderedBlock, wanted: Sequence[NumberedTarget]) -> list[int]:
        """The statements that are certainly meant."""
        if not wanted:
            return []
        found = (self._statement(entry, item) for item in wanted)
        return list(dict.fromkeys(position for position in found if position >= 0))

    def may_be(self, position: int, wanted: Sequence[NumberedTarget]) -> bool:
        """Whether a proof that names these may belong to a statement: its kind and number agree.

        An uncertain number agrees with any.
        """
        kind = self._order.entries[position].block.kind
        numbers = [item.number for item in wanted if item.kind == kind]
        said = self._order.entries[position].block.number
        return bool(numbers) and (self._of(position) in (None, *numbers) or said in numbers)

    def numbered(self, wanted: Sequence[NumberedTarget]) -> list[int]:
        """The statements of these kinds and numbers, if each is the only one with its number."""
        found = [
            [one for one in self._kinds.get(i.kind, ()) if self._of(one) == i.number]
            for i in wanted
        ]
        return [one[0] for one in found if len(one) == 1]

    def missing(self, wanted: Sequence[NumberedTarget]) -> str:
        """A name that certainly no statement has; "" if there is none.

        Certain if all statements of its kind have certain numbers, some of the same shape.
        """
        for kind, number in wanted:
            numbers = [self._of(position) for position in self._kinds.get(kind, ())]
            shapes = {_shape(found) for found in numbers if found is not None}
            if None not in numbers and number not in numbers and _shape(number) in shapes:
                return f"{kind.capitalize()} {number}"
        return ""

    def _statement(self, entry: OrderedBlock, wanted: NumberedTarget) -> int:
        """The only statement of a kind and number; for an inner proof, that in the same block."""
        name = title_words(f"{wanted.kind} {wanted.number}")
        found = [
            position
            for position in self._kinds.get(wanted.kind, ())
            if self._of(position) == wanted.number or self._is_called(position, name)
        ] or self._by_name(wanted)
        entries = self._order.entries
        around = entry.path, entry.block.parent
        beside = [p for p in found if (entries[p].path, entries[p].block.parent) == around]
        chosen = beside if entry.block.parent >= 0 and beside else found
        return chosen[0] if len(chosen) == 1 else -1

    def _by_name(self, wanted: NumberedTarget) -> list[int]:
        r"""The statements of `\newtheorem{thmA}{Theorem A}`, which has its number in its name."""
        entries = self._order.entries
        alike = self._kinds.get(wanted.kind, ())
        return [position for position in alike if entries[position].block.number == wanted.number]

    def _is_called(self, position: int, name: str) -> bool:
        block = self._order.entries[position].block
        return name in (block.heading, title_words(block.title))

    def _of(self, position: int) -> str | None:
        if position not in self.looked_up:
            self.looked_up[position] = self._number(position)
        return self.looked_up[position]

    @property
    def _kinds(self) -> dict[str, list[int]]:
        """The positions of the statements of each kind."""
        if self._by_kind is None:
            self._by_kind = {}
            for position, entry in enumerate(self._order.entries):
                if entry.block.shape == "statement":
                    self._by_kind.setdefault(entry.block.kind, []).append(position)
        return self._by_kind


def pair(order: Order, at: Places, lookup: Lookup, titled: Titled) -> Pairs:
    """Find the statements of every proof; arguing sentences count for those without a proof."""
    found: dict[int, list[int]] = {}
    loose: dict[int, str] = {}
    guessed: set[int] = set()
    argued = _argued(order, unmarked_proofs.SENTENCE)
    taken = ChainMap(found, argued)
    outer: list[int] = []
    for position, entry in enumerate(order.entries):
        block = entry.block
        if block.shape != "proof" or block.env in _ARGUING:
            if block.shape == "statement" and block.parent < 0:
                outer.append(position)
            continue
        wanted = titled.wanted(entry)
        targets = _named(entry, order, lookup) or titled.resolved(entry, wanted)
        targets = targets or _enclosing(entry, position, order, at, found)
        is_near = not targets and block.parent < 0 and not parsed_file.is_tagged(block.env)
        if is_near and block.env == unmarked_proofs.SECTION:
            targets = [item for item in (_by_title(entry, order, outer),) if item >= 0]
        elif is_near:
            near = _near(position, entry, order, outer, taken, lookup)
            allowed = (one for one in near if not wanted or titled.may_be(one.position, wanted))
            nearest = next(allowed, None)
            targets = [nearest.position] if nearest else []
            is_unclear = nearest is not None and _is_unclear(position, nearest, order, outer)
            if nearest and (nearest.is_guess or is_unclear):
                guessed.add(position)
        if block.env == unmarked_proofs.SECTION:
            targets = [target for target in targets if target not in found]
        for target in targets:
            found.setdefault(target, []).append(position)
        if not targets:
            loose[position] = titled.missing(wanted) if is_near else ""
    argued = _argued(order, unmarked_proofs.ARGUMENT) | argued
    return Pairs(argued | found, loose, guessed.union(*argued.values()))


_WORDED = (unmarked_proofs.ARGUMENT, unmarked_proofs.PROMISE)
_ARGUING = (unmarked_proofs.SENTENCE, *_WORDED)


def announced(
    order: Order, lookup: Lookup, titled: Titled, section: Callable[[str, str], int]
) -> frozenset[int]:
    """The results said to be proved in a section, by its title or in text, if it has a proof.

    `section` finds the heading of a label in a file.
    """
    found: set[int] = set()
    for heading in order.headings:
        proved = titles.proved_in_section(heading.title)
        if proved and (proved.is_all or _has_proof(order, heading)):
            found.update([lookup(key, heading.path) for key in proved.labels])
            found.update(titled.numbered(proved.results))
    for entry in order.entries:
        if entry.block.env == unmarked_proofs.PROMISE:
            place = section(entry.block.title, entry.path)
            if place >= 0 and _has_proof(order, order.headings[place]):
                found.update([lookup(key, entry.path) for key in entry.block.aim])
    return frozenset(found)


def _has_proof(order: Order, heading: PaperSection) -> bool:
    inside = order.entries[heading.first : heading.last]
    return "proof" in [one.block.shape for one in inside if one.block.env not in _WORDED]


def _argued(order: Order, env: str) -> dict[int, list[int]]:
    """The results with an arguing sentence right after them, or an arguing text right before."""
    found: dict[int, list[int]] = {}
    before = waiting = -1
    for position, entry in enumerate(order.entries):
        if entry.block.shape == "statement" and entry.block.parent < 0:
            if waiting >= 0 and order.entries[waiting].path == entry.path:
                found[position] = [waiting]
            before, waiting = position, -1
        elif entry.block.env != env:
            continue
        elif env == unmarked_proofs.ARGUMENT:
            waiting = position
        elif before >= 0:
            found[before] = [position]
    return found


def _named(entry: OrderedBlock, order: Order, lookup: Lookup) -> list[int]:
    """The statements that a proof says it proves, by their labels."""
    if not entry.block.aim:
        return []
    keys = (key.strip() for aim in entry.block.aim for key in aim.split(","))
    targets = [lookup(key, entry.path) for key in keys]
    for first, last in titles.ranges(entry.block.title):
        targets += _between(lookup(first, entry.path), lookup(last, entry.path), order)
    return list(dict.fromkeys(target for target in targets if target >= 0))


def _between(first: int, last: int, order: Order) -> list[int]:
    """The statements of a kind from one to another, if these are of the same kind and level."""
    if first < 0 or last < 0:
        return []
    blocks = [entry.block for entry in order.entries[first : last + 1]]
    one = blocks[0] if blocks else None
    if one is None or (one.kind, one.parent) != (blocks[-1].kind, blocks[-1].parent):
        return []
    return [
        first + index
        for index, block in enumerate(blocks)
        if (block.shape, block.kind, block.parent) == (one.shape, one.kind, one.parent)
    ]


def _enclosing(
    entry: OrderedBlock,
    position: int,
    order: Order,
    at: Places,
    found: Mapping[int, list[int]],
) -> list[int]:
    """The statement before a proof inside the same block, or else the statement around it.

    A step or claim in words has only one proof, right after it.
    """
    if entry.block.parent < 0:
        return []
    above = at[entry.path, entry.block.parent]
    for other in range(position - 1, above, -1):
        candidate = order.entries[other]
        same = candidate.path == entry.path and candidate.block.parent == entry.block.parent
        is_done = candidate.block.env == headings.NAME and other in found
        if same and candidate.block.shape == "statement" and not is_done:
            return [other]
    return [above] if order.entries[above].block.shape == "statement" else []


def _near(
    position: int,
    entry: OrderedBlock,
    order: Order,
    outer: Sequence[int],
    found: Mapping[int, list[int]],
    lookup: Lookup,
) -> Iterator[_Candidate]:
    """The statement just before; else the last unproved result of the section; else its title.

    A statement that is not a result comes last, unless the proof is its own.
    """
    before = outer[-1] if outer else -1
    titled = _by_title(entry, order, outer)
    if titled >= 0:
        yield _Candidate(titled)
    yield from _of_kind(position, order, outer, found)
    yield from _of_part(position, order, outer, found)
    is_behind = before >= 0 and entry.block.adjacent and _is_last(before, position, order)
    by_section = _section_target(entry, order, lookup)
    if is_behind:
        is_awaited = by_section >= 0 and by_section not in found
        is_bare = not is_awaited and not says_what(entry)
        yield from _right_behind(before, entry, order, outer[:-1], found, is_bare=is_bare)
    is_again = _AGAIN.search(entry.block.title) is not None
    if is_again and before in found and _same_section(order, before, position):
        yield _Candidate(before)
    for target in reversed(outer):
        if not _same_section(order, target, position):
            break
        if _is_result(order, target) and target not in found:
            yield _Candidate(target, is_guess=target != before)
    if by_section >= 0:
        yield _Candidate(by_section)
    if is_behind:
        yield _Candidate(before)
    again = before >= 0 and _same_section(order, before, position) and _is_result(order, before)
    if again and (entry.block.adjacent or is_again):
        yield _Candidate(before)


def _is_unclear(position: int, nearest: _Candidate, order: Order, outer: Sequence[int]) -> bool:
    """Whether a proof's title names a case, and not the nearest statement by its name or kind.

    "Now we prove the general case" may concern a theorem further up.
    """
    entry = order.entries[position]
    block = entry.block
    if block.adjacent or block.aim or not _CASE.search(block.title):
        return False
    by_kind = (one.position for one in _of_kind(position, order, outer, {}))
    return nearest.position not in (_by_title(entry, order, outer), *by_kind)


_CASE = regex(r"\bof the [a-z]+ case\b|\b(?:des|der|von dem) [a-z]+ Fall|\bdu cas\b", re.IGNORECASE)


def _right_behind(
    before: int,
    proof: OrderedBlock,
    order: Order,
    earlier: Sequence[int],
    found: Mapping[int, list[int]],
    *,
    is_bare: bool,
) -> Iterator[_Candidate]:
    """The statement right before a proof, if the proof belongs to it, certainly or by a guess.

    A proof `is_bare` if neither its title nor its section says what it proves. Then it belongs to
    a statement that is not a result if the last claim before that is proved; and, by a guess, to
    an example with a title, because one that only illustrates the result before it has none.
    """
    block = order.entries[before].block
    last = _last_claim(before, order, earlier, found) if is_bare else -1
    if _keeps(before, proof.block, order, earlier, found) or last in found:
        yield _Candidate(before)
    elif last >= 0 and block.title and in_english(block.kind) in _EXAMPLES:
        yield _Candidate(before, is_guess=True)


_EXAMPLES = frozenset({"example", "counterexample", "non-example"})


def _keeps(
    before: int,
    proof: Block,
    order: Order,
    earlier: Sequence[int],
    found: Mapping[int, list[int]],
) -> bool:
    """Whether the proof right after a statement belongs to it, whatever is unproved further up.

    Also for an exercise, unless an unproved result is right before it.
    """
    statement = order.entries[before].block
    if _is_its_own(proof, statement):
        return True
    is_left = bool(earlier) and _is_result(order, earlier[-1]) and earlier[-1] not in found
    return statement.kind in _ASKING and not is_left


_ASKING = frozenset({"exercise", "exercises", "problem", "problems"})


def _last_claim(
    before: int, order: Order, earlier: Sequence[int], found: Mapping[int, list[int]]
) -> int:
    """The last result, or statement with a proof, before a statement in its section, or -1."""
    claims = (one for one in reversed(earlier) if one in found or _is_result(order, one))
    last = next(claims, -1)
    return last if last >= 0 and _same_section(order, last, before) else -1


def _of_kind(
    position: int, order: Order, outer: Sequence[int], found: Mapping[int, list[int]]
) -> Iterator[_Candidate]:
    """The last unproved statement of the kind that a title names: "Proof of the theorem"."""
    named = _KIND.search(order.entries[position].block.title)
    kind = named_kind(named["kind"].removesuffix("es")) if named else ""
    if role_of(kind) is not Role.RESULT:
        return
    open_ones = [
        target
        for target in outer
        if order.entries[target].block.kind == kind and target not in found
    ]
    here = [one for one in open_ones if _same_section(order, one, position)]
    if here or len(open_ones) == 1:
        chosen = (here or open_ones)[-1]
        yield _Candidate(chosen, is_guess=len(here) > 1 and chosen != outer[-1])


def _of_part(
    position: int, order: Order, outer: Sequence[int], found: Mapping[int, list[int]]
) -> Iterator[_Candidate]:
    """The result of which a proof proves a part: the last with a proof of a part, else a guess.

    It is a guess unless no other result is in between. If an unproved result is in between, that
    one is the guess; without any partial proof the position of the proof decides.
    """
    title = order.entries[position].block.title
    if not title:
        return
    from pfcore.latex.language.proof_words import says_part  # late: few proofs have titles

    if not says_part(title):
        return
    results = [
        target
        for target in reversed(outer)
        if _is_result(order, target) and _same_section(order, target, position)
    ]
    parted = [
        target
        for target in results
        if any(says_part(order.entries[proof].block.title) for proof in found.get(target, ()))
    ]
    unproved = next((target for target in results if target not in found), -1)
    if parted and unproved < parted[0]:
        yield _Candidate(parted[0], is_guess=parted[0] != results[0])
    elif parted:
        yield _Candidate(unproved, is_guess=True)
    elif results and unproved < 0:
        yield _Candidate(results[0], is_guess=True)


def _is_its_own(proof: Block, statement: Block) -> bool:
    """Whether a proof belongs to the statement right before it, whatever is unproved further up."""
    match role_of(statement.kind):
        case Role.RESULT:
            return True
        case Role.DEFINITION:
            return proof.nature == parsed_file.CONSTRUCTION
        case Role.OPEN:
            return proof.env in ANSWERS
        case Role.ASIDE:
            return proof.env in ANSWERS or not is_aside(statement.kind)
        case _:
            return False


def _is_last(statement: int, proof: int, order: Order) -> bool:
    """Whether nothing but parts of the statement and fragments lies between the two."""
    path, index = order.entries[statement].path, order.entries[statement].number
    for position in range(statement + 1, proof):
        entry = order.entries[position]
        inside = entry.path == path and entry.block.parent == index
        inside = inside or entry.block.env in _WORDED
        if not inside and entry.block.shape not in _LOOSE_PARTS and entry.block.parent < 0:
            return False
    return True


_LOOSE_PARTS = ("fragment", "introduction")


def _is_result(order: Order, position: int) -> bool:
    return role_of(order.entries[position].block.kind) is Role.RESULT


def _same_section(order: Order, one: int, other: int) -> bool:
    first = order.innermost(order.entries[one].section, _SECTION_LEVELS)
    return first == order.innermost(order.entries[other].section, _SECTION_LEVELS)


def _by_title(entry: OrderedBlock, order: Order, outer: Sequence[int]) -> int:
    """A statement whose title or heading is in the proof's title: "Proof of the main theorem"."""
    if not entry.block.title:
        return -1
    title = title_words(entry.block.title)
    if len(title) < 9 or not _OF.search(title):
        return -1
    for target in reversed(outer):
        block = order.entries[target].block
        names = (title_words(block.title), block.heading)
        if any(len(name) > 5 and f" {name} " in f" {title} " for name in names):
            return target
    return -1


def _section_target(entry: OrderedBlock, order: Order, lookup: Lookup) -> int:
    section = entry.section
    while section >= 0:
        for key in order.headings[section].refers:
            target = lookup(key, entry.path)
            if target >= 0:
                return target
        section = order.headings[section].parent
    return -1


def says_what(entry: OrderedBlock) -> bool:
    """Whether a proof names something that it proves, if only in words that we cannot resolve."""
    title = entry.block.title
    return bool(entry.block.aim) or bool(_OF.search(title)) or not titles.BARE.fullmatch(title)


FindNumber = Callable[[tuple[str, ...], str, int], str | None]
"""From a statement's labels, file and offset to its number, None if that is uncertain."""

_COMMON = frozenset({"theorem", "lemma", "proposition", "corollary"})
_DIGITS, _LETTERS = re.compile(r"\d+"), re.compile(r"[A-Z]+")
_WORD = regex(r"[a-z0-9]+")


def title_words(text: str) -> str:
    """The words of a title in lower-case letters and digits, separated by spaces."""
    return " ".join(_WORD.findall(text.lower()))


def _shape(number: str) -> str:
    """The shape of a number: "1.1" for "2.13"."""
    return _DIGITS.sub("1", _LETTERS.sub("A", number))
