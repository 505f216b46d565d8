"""The blocks of one file: which environments are blocks, and what each of them contains.

The text of a block is made of passages of the file: its own words, and for a claim or a step the
hypotheses that the proof around it fixes before it.
"""

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import NamedTuple

from pfcore.domain.containment import Failure, attempt
from pfcore.domain.digest import text_digest
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Mention, Role
from pfcore.latex.blocks.canonical import Canonical, Canonicaliser, Part
from pfcore.latex.language import definienda, introductions, terms
from pfcore.latex.language.formula_keys import DESCRIBES, EQUATES, MENTIONS, NAMES, STATES, SUPPOSES
from pfcore.latex.language.hypotheses import ASSUMPTION_NAME, hypotheses
from pfcore.latex.language.leads import Leads, Spoken
from pfcore.latex.language.notation import heads_of, script_letters, sentences
from pfcore.latex.language.procedures import given_names, titled_names
from pfcore.latex.language.proof_words import (
    FURTHEST,
    announced,
    nature_of,
    restated,
    says_part,
    settled,
)
from pfcore.latex.lexer import commands
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.leftover_code import with_formulas
from pfcore.latex.lexer.letters import with_letters
from pfcore.latex.lexer.normal_form import normal_form
from pfcore.latex.lexer.whitespace import (
    CLAIM,
    CLAIM_END,
    GIVEN,
    NAME,
    NAME_END,
    first_form,
    second_form,
)
from pfcore.latex.lexer.whitespace import bare as without_anchors
from pfcore.latex.parsed_file import ABOVE, CITED, HYPOTHESIS, Block, Cited, SourcePlace
from pfcore.latex.project.kinds import names_object, role_of
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.structure import headings, titles, unmarked_proofs
from pfcore.latex.structure.headings import STEPS
from pfcore.latex.structure.titles import BlockHead, is_name, read_heading, with_name
from pfcore.latex.structure.tree import BLOCKS, Node, Tree

_COMMAND_BEFORE = regex(r"(?<!\\)\\([A-Za-z@]+)\s*\*?\s*$")
_NEAR, _MOST_PARTS = 80, 20
_LOCATOR = regex(
    r"\s*(?:see\s+|cf\.?\s+)?(?:Th(?:eorem|m|eo)|Lem(?:ma)?|Prop(?:osition)?|Cor(?:ollary)?|Def(?:inition)?"
    r"|Rem(?:ark)?|Satz|Th[ée]or[èe]me|Claim|Fact)s?\.?[\s~]*\S*\d",
    re.IGNORECASE,
)
_DEEPEST = 16
_STATING = ("statement", "definition")

Span = tuple[int, int]


class Chosen(NamedTuple):
    """The nodes that are blocks, and those nested too deeply to be blocks."""

    nodes: list[int]
    cut: list[int]


def choose(tree: Tree) -> Chosen:
    """The nodes that are blocks: statements, and proofs that are not idle inside another proof.

    A proof inside a proof counts only if a statement in there needs it; a statement with only a
    heading needs the next proof.
    """
    nodes = tree.nodes
    around = tree.innermost(lambda index: nodes[index].shape in BLOCKS)
    outer = [around[node.parent] if node.parent >= 0 else -1 for node in nodes]
    claims: set[int] = set()
    waiting: set[int] = set()
    levels: dict[int, int] = {-1: 0}
    chosen: list[int] = []
    cut: list[int] = []
    for index, node in enumerate(nodes):
        if node.shape not in BLOCKS:
            continue
        levels[index] = levels[outer[index]] + 1
        if node.shape == "statement":
            (waiting if node.name == headings.NAME else claims).add(outer[index])
        elif outer[index] in waiting:
            waiting.remove(outer[index])
        elif _is_idle(outer[index], nodes, claims):
            continue
        (chosen if levels[index] <= _DEEPEST else cut).append(index)
    return Chosen(chosen, cut)


def _is_idle(outer: int, nodes: Sequence[Node], claims: Container[int]) -> bool:
    return outer >= 0 and nodes[outer].shape == "proof" and outer not in claims


class BlockPassage(NamedTuple):
    """A block without its text; `follows` is the role of the block right before it.

    `gives` are names of assumptions that it gives; its own words begin after `behind`; `settled` is
    what the words before a statement say about its proof.
    """

    shape: str
    env: str
    kind: str
    span: Span
    title: str = ""
    labels: tuple[str, ...] = ()
    parent: int = -1
    aim: tuple[str, ...] = ()
    adjacent: bool = False
    unit: str = ""
    onward: bool = False
    is_keyed: bool = False
    again: str = ""
    number: str = ""
    follows: Role | None = None
    gives: tuple[str, ...] = ()
    behind: str = ""
    settled: str = ""
    is_procedure: bool = False


class _Made(NamedTuple):
    """A block with its canonical text, and its words and symbols."""

    block: Block
    text: str
    words: frozenset[str]


class Blocks:
    """Collects the blocks of a file, their canonical texts and words; fragments have no words."""

    def __init__(
        self,
        syntax: Syntax,
        canonical: Canonicaliser,
        place: Callable[[int, int], SourcePlace],
    ) -> None:
        self._syntax = syntax
        self._canonical = canonical
        self._place = place
        self._names: dict[str, tuple[str, str]] = {}
        self.blocks: list[Block] = []
        self.texts: list[str] = []
        self.words: list[frozenset[str]] = []
        self.failures: dict[int, str] = {}

    def passage(
        self,
        passage: BlockPassage,
        parts: Callable[[], Sequence[Part]],
        marks: Sequence[CommandEvent] = (),
    ) -> int:
        """Add a block whose text is made of these parts; returns its index.

        A block that cannot be read gets the source text, and `failures` has the reason.
        """
        made = attempt(lambda: self._made(passage, parts(), marks))
        if isinstance(made, Failure):
            self.failures[len(self.blocks)] = made.cause
            made = self._unread(passage)
        return self._add(made)

    def _add(self, made: "_Made") -> int:
        self.blocks.append(made.block)
        self.texts.append(made.text)
        self.words.append(made.words)
        return len(self.blocks) - 1

    def introduction(
        self,
        passage: BlockPassage,
        kept: Callable[[Sequence[str]], Sequence[str]] | None = tuple,
        *,
        parts: Sequence[Part] = (),
        is_wanted: bool = False,
        leads: Leads | None = None,
    ) -> int:
        """Add a sentence, made of parts, with those keys that are kept; returns its index, or -1.

        With None no key is kept or looked for. A sentence without keys is added only if it is
        wanted, or agrees on something.
        With `leads`, a sentence also gets the keys that it is the first in a lead to mention.
        """
        made = attempt(partial(self._canonical.block, parts or [passage.span], is_told=False))
        if isinstance(made, Failure):
            return -1
        text = without_anchors(first_form(made.text))
        told: tuple[str, ...] | Failure = ()
        if kept is not None:
            words = with_letters(with_formulas(text))
            told = attempt(partial(self._introduces, words, passage, None))
        if isinstance(told, Failure):
            return -1
        keys = tuple(kept(told)) if kept is not None else ()
        onward = passage.onward and not introductions.name_symbols(keys)
        if leads:
            is_strong = any(int(key[0]) >= SUPPOSES for key in keys)
            spoken = Spoken(made.text)
            keys += leads.first_spoken_of(passage.span, spoken, is_about_others=is_strong)
        if not (keys or is_wanted or passage.onward):
            return -1
        block = attempt(partial(self._block, passage, made, text, (), told))  # most come to none
        if isinstance(block, Failure):
            return -1
        block = block._replace(introduces=keys, onward=onward)
        return self._add(_Made(block, made.text, frozenset()))

    def _made(
        self, passage: BlockPassage, parts: Sequence[Part], marks: Sequence[CommandEvent]
    ) -> "_Made":
        made = self._canonical.block(parts)
        text = without_anchors(first_form(made.text))
        block = self._block(passage, made, text, marks)
        if passage.shape == "fragment":
            return _Made(block, made.text, frozenset())
        words = terms.vocabulary(with_name(text, passage.title, passage.kind))
        return _Made(block, made.text, words)

    def notation(self) -> frozenset[str]:
        """The words of introductions, and the heads of the symbols of all blocks."""
        told = [
            t for t, b in zip(self.texts, self.blocks, strict=True) if b.shape == "introduction"
        ]
        letters = itertools.chain.from_iterable(map(script_letters, self.texts))
        return heads_of(*map(with_formulas, self.texts)).union(
            terms.normal_words("\n".join(told)), letters
        )

    def _unread(self, passage: BlockPassage) -> "_Made":
        """A block of which only the place is known; any edit of its text changes its digest."""
        text = self._canonical.raw(*passage.span)
        block = Block(
            shape=passage.shape,
            env=passage.env,
            kind=passage.kind,
            title=passage.title,
            labels=passage.labels,
            place=self._place(*passage.span),
            parent=passage.parent,
            digest=text_digest(text),
            length=len(text),
            mentions=(),
            anchors=(),
            terms=(),
            hints=(),
            introduces=(),
            uses=(),
            lean=(),
            marks=(),
            is_cited=False,
            results=(),
            aim=passage.aim,
            adjacent=passage.adjacent,
            unit=passage.unit,
            onward=passage.onward,
            is_keyed=passage.is_keyed,
            again=passage.again,
            number=passage.number,
            heading="",
            written=text_digest(text),
        )
        return _Made(block, text, frozenset())

    def fragment(self, start: int, end: int, name: str, parent: int) -> int:
        """Add a labelled display or item; returns its index."""
        kind = "item" if name == "item" else "equation"
        passage = BlockPassage("fragment", name, kind, (start, end), parent=parent)
        return self.passage(passage, lambda: [(start, end)])

    def _block(
        self,
        passage: BlockPassage,
        made: Canonical,
        text: str,
        marks: Sequence[CommandEvent],
        introduces: tuple[str, ...] | None = None,
    ) -> Block:
        """A passage as a block; `introduces` are its keys, if already known."""
        keys = _keys_by_name(marks)
        words = with_letters(with_formulas(text))
        role = role_of(passage.kind) if passage.shape in _STATING else None
        is_framed = role is Role.DEFINITION and passage.shape == "statement"
        return Block(
            shape=passage.shape,
            env=passage.env,
            kind=passage.kind,
            title=passage.title,
            labels=passage.labels,
            place=self._place(*passage.span),
            parent=passage.parent,
            digest=text_digest(normal_form(without_anchors(second_form(made.text)))),
            length=len(text),
            mentions=tuple(map(self._in_file, made.mentions)),
            anchors=tuple(made.anchors),
            terms=self._terms(words, passage, role),
            hints=terms.hinted(words, self._syntax.emphasis) if is_framed else (),
            introduces=self._introduces(words, passage, role) if introduces is None else introduces,
            uses=keys.get("uses", ()),
            lean=keys.get("lean", ()),
            marks=tuple(dict.fromkeys(e.name for e in marks if e.name in commands.MARKS)),
            is_cited=passage.settled == CITED or any(event.kind == "cite" for event in marks),
            results=tuple(self._cited(event) for event in marks if _is_result(event)),
            aim=keys.get("proves", ()) + passage.aim,
            adjacent=passage.adjacent,
            unit=passage.unit,
            onward=passage.onward,
            is_keyed=passage.is_keyed,
            again=passage.again,
            number=passage.number or (self._name(passage.env)[1] if role is Role.RESULT else ""),
            heading=self._name(passage.env)[0] if role is Role.RESULT else "",
            nature=_nature(passage, words) if passage.shape == "proof" else passage.settled,
            written=text_digest(text),
        )

    def _in_file(self, mention: Mention) -> Mention:
        """A mention with its place in the file, instead of in the text that is read."""
        found = self._place(mention.start, mention.end)
        return mention._replace(start=found.start, end=found.end)

    def _name(self, env: str) -> tuple[str, str]:
        """The name and number in the printed name of an environment, for its only result."""
        if env not in self._names:
            declared = self._syntax.environment(env)
            printed, kind = self._syntax.printed(declared), self._syntax.kinds.get(declared, "")
            self._names[env] = terms.name_in_heading(printed, kind), titles.number_in(printed, kind)
        return self._names[env]

    def _cited(self, event: CommandEvent) -> Cited:
        locator = " ".join(event.note.replace("~", " ").split())
        return Cited(event.keys[0], locator, self._place(event.start, event.end))

    def _introduces(self, text: str, passage: BlockPassage, role: Role | None) -> tuple[str, ...]:
        """The keys that a definition, a convention or a sentence introduces, with strengths."""
        if role is not Role.DEFINITION and passage.shape not in ("convention", "introduction"):
            return _names_of_statement(text, passage, role)
        if passage.unit == ABOVE:
            found = {introductions.POINTED: STATES}
        elif passage.gives and passage.shape == "introduction":
            found = introductions.introduced_in(_behind(text, passage.behind))
            found = {key: how for key, how in found.items() if key[0] != "@"}
        elif passage.shape == "introduction":
            is_aside = passage.parent >= 0 and passage.kind != HYPOTHESIS
            found = introductions.introduced(text, is_aside=is_aside)
            for key, is_whole in given_names(text) if passage.is_procedure else ():
                found[key] = STATES if is_whole else SUPPOSES
        else:
            is_definition = role is Role.DEFINITION and passage.shape == "statement"
            found = introductions.introduced_in(text, is_definition=is_definition)
        if role is Role.DEFINITION:
            found = self._defined(text, passage.title, found)
        if role is Role.DEFINITION or (passage.parent >= 0 and passage.kind != HYPOTHESIS):
            # An object that is taken there is taken for that block only.
            kept = {NAMES, STATES, EQUATES}
            spelled = _spelled(text, found) if role is Role.DEFINITION else {}
            if role is not Role.DEFINITION:
                kept.add(MENTIONS)
            found = {key: how for key, how in found.items() if how in kept} | spelled
        if passage.kind == HYPOTHESIS:
            strong = [key for key, how in found.items() if how >= SUPPOSES]
            found = dict.fromkeys(strong, DESCRIBES)
        found |= {f"@{name}": STATES for name in passage.gives}
        return tuple(f"{how}{key}" for key, how in found.items())

    def _defined(self, text: str, title: str, found: dict[str, int]) -> dict[str, int]:
        """The keys of a definition: its terms, those that its sentences introduce, its title."""
        own = [*terms.introduced(text, "", self._syntax.emphasis)]
        own += definienda.marked_terms(text)
        if not own and set(map(itemgetter(0), found)) <= {"#"}:
            own += definienda.defined_terms(text)
        own += definienda.second_terms(text) if own else ()
        own += definienda.compound_terms(text, own)
        titled = terms.introduced("", _CITED.sub("", title))
        # In the title "Semantics of trees", "semantics" alone does not become a stated term.
        parts = [key for key in (*own, *found) if any(it.startswith(f"{key} of ") for it in titled)]
        beside = (term for term in definienda.subject_terms(text) if title or " " in term)
        listed = introductions.named_in_title(text) if title else ()
        return {
            **dict.fromkeys(beside, EQUATES),
            **dict.fromkeys(filter(None, map(definienda.whole_term, (*titled, *own))), STATES),
            **found,
            **dict.fromkeys(parts, EQUATES),
            **dict.fromkeys(listed, NAMES),
        }

    def _terms(self, text: str, passage: BlockPassage, role: Role | None) -> tuple[str, ...]:
        if role is Role.DEFINITION:
            return terms.introduced(text, passage.title, self._syntax.emphasis)
        return terms.result_names(passage.title, passage.kind) if role is Role.RESULT else ()


def _behind(text: str, lead: str) -> str:
    return text.partition(lead)[2] or text if lead else text


def _names_given(text: str, passage: BlockPassage) -> tuple[str, ...]:
    """The names of an assumption, from its title or given in its text, as keys."""
    title = passage.title.strip()
    called = f"({title})" if _NAME.fullmatch(title) else title
    names = [name for name, _ in introductions.assumption_names(called)]
    for sentence in sentences(text) if "(" in text else ():
        names += [name for name, given in introductions.assumption_names(sentence) if given]
    named = terms.introduced("", _CITED.sub("", title).strip(" ,;")) if called == title else ()
    names += filter(None, map(definienda.whole_term, named))
    return tuple(f"{STATES}{name}" for name in dict.fromkeys(names))


def _names_of_statement(text: str, passage: BlockPassage, role: Role | None) -> tuple[str, ...]:
    """The keys of the names given by an assumption, or by the title of a problem or protocol."""
    if role in _ASSUMING:
        return _names_given(text, passage)
    if not passage.title or passage.parent >= 0 or not names_object(passage.kind):
        return ()
    return tuple(f"{STATES}{name}" for name, _ in titled_names(_CITED.sub("", passage.title)))


def _spelled(text: str, found: Mapping[str, int]) -> dict[str, int]:
    """The symbols that are words, and that a definition only describes or mentions."""
    weak = {key: how for key, how in found.items() if how in _WEAK and _SPELLED.match(key)}
    title = definienda.TITLE.match(text) if weak else None
    if title:
        there = introductions.introduced_in(text[title.end() :], is_definition=True)
        weak = {key: how for key, how in weak.items() if key in there}
    return weak


_WEAK = frozenset({DESCRIBES, MENTIONS})


_SPELLED = regex(r"#\\[A-Za-z]+\*?\{[^\W\d_]{2,}\}\(?\Z")
"""A symbol that is a word, such as an operator, rather than a letter that may vary."""


_ASSUMING = frozenset({Role.ASSUMPTION, Role.CONVENTION})
_NAME = regex(ASSUMPTION_NAME)
_CITED = regex(r"\\[a-zA-Z]*cite[a-z]*\*?\s*(?:\[[^\[\]]*\]\s*){0,2}\{[^{}]*\}")
"""A citation in a title, which is not part of the term named there."""


class Environments:
    """Turns the nodes of a tree that are blocks into passages."""

    def __init__(
        self, tree: Tree, chosen: Sequence[int], syntax: Syntax, groups: Groups, silent: list[Span]
    ) -> None:
        self._tree = tree
        self._syntax = syntax
        self._groups, self._text = groups, groups.text
        self.headings: dict[int, BlockHead] = {
            index: self._heading(tree.nodes[index], groups) for index in chosen
        }
        self.block_of = {node: block for block, node in enumerate(chosen)}
        self.around = tree.innermost(self.block_of.__contains__)
        self._bodies = Bodies(tree, self.headings, self.around, silent, groups.text)
        ends = sorted((node.end, i) for i, node in enumerate(tree.nodes) if node.shape in BLOCKS)
        self._ends, self._ended = [end for end, _ in ends], [index for _, index in ends]
        self._idle = sorted(
            (event.start, event.end)
            for event, _ in tree.placed
            if event.kind in ("label", "uses", "silent")
        )

    def block(self, index: int) -> int:
        """The block that a node is or that contains it, or -1."""
        return self.block_of.get(self.around[index], -1) if index >= 0 else -1

    def add(self, index: int, blocks: Blocks, marks: Sequence[CommandEvent]) -> None:
        """Add the block of a node."""
        node, head = self._tree.nodes[index], self.headings[index]
        is_proof = node.shape == "proof"
        is_adjacent = is_proof and self._is_adjacent(node)
        title = head.title
        is_bare = titles.BARE.fullmatch(title) is not None
        if is_proof and is_bare and not is_adjacent:
            title = self._announced(node) or title
        elif is_proof and is_bare:
            title = self._of_parts(index) or title
        is_result = node.shape == "statement" and role_of(head.kind) is Role.RESULT
        before = self._text[max(0, node.start - FURTHEST) : node.start] if is_result else ""
        aims = restated(title) if is_result else ()
        if is_proof:
            aims = (*titles.proved_labels(title), *self._repeated(node))
            if not aims and not is_bare:
                said = self._announced_of_parts(index)
                aims = titles.proved_labels(said)
                title = title if aims else said or title
        passage = BlockPassage(
            node.shape,
            node.name,
            "proof" if is_proof else head.kind,
            (node.start, node.end),
            title,
            head.labels,
            self.block(node.parent),
            aims,
            is_adjacent,
            again=head.again,
            number=head.number,
            follows=self._role_before(node) if is_adjacent else None,
            settled=settled(before) if before else "",
        )
        blocks.passage(passage, lambda: self._bodies.parts(index), marks)

    def _announced(self, node: Node) -> str:
        """The title that the words right before a proof give it; "" if they give none."""
        if node.name in unmarked_proofs.NAMES:
            return ""
        return announced(self._text[max(0, node.start - FURTHEST) : node.start])

    def _of_parts(self, index: int) -> str:
        """A title for a proof that is a list of the parts of the result before the last one.

        "" if both results are of the same kind, or the last one has such a list too.
        """
        nodes, proof = self._tree.nodes, self._tree.nodes[index]
        number = bisect_right(self._ends, proof.start)
        before, last = self._ended[max(0, number - 2) : number] if number > 1 else (index, index)
        heads = self.headings.get(before), self.headings.get(last)
        beside = {(nodes[one].shape, nodes[one].parent) for one in (before, last)}
        if None in heads or beside != {("statement", proof.parent)}:
            return ""
        kinds = [head.kind for head in heads if head and role_of(head.kind) is Role.RESULT]
        between = self._text[nodes[before].end : nodes[last].start]
        if len({*kinds}) < len(heads) or between.strip() or proof.end <= proof.content:
            return ""
        lists = self._lists(index)
        if len(lists) != 1 or self._lists(last):
            return ""
        around = (
            self._text[self.headings[index].content : lists[0].start],
            self._text[lists[0].end : proof.inner_end],
        )
        parts = [*map(self._parts_of, lists)]
        is_whole = not any(map(str.strip, (_UNPRINTED.sub("", one) for one in around)))
        is_same = parts == [*map(self._parts_of, self._lists(before))] and any(parts)
        return f"Proof of the {kinds[0]}" if is_whole and is_same else ""

    def _lists(self, index: int) -> list[Node]:
        """The outermost lists in a node."""
        found: list[Node] = []
        nodes, reach = self._tree.nodes, self._tree.nodes[index].start
        for at in range(index + 1, len(nodes)):
            node = nodes[at]
            if node.start >= nodes[index].end:
                break
            if node.shape == "list" and node.start >= reach:
                found.append(node)
                reach = node.end
        return found

    def _parts_of(self, node: Node) -> tuple[str, ...]:
        """The labels of a list's items as written; () if it gives none."""
        option = self._groups.brackets(node.content)
        said = self._text[slice(*option)] if option else ""
        named = _LABELS.search(said)
        form = "".join((named["form"] if named else "" if "=" in said else said).split())
        own = (self._groups.brackets(one + len("\\item")) for one in node.items)
        labels = [self._text[slice(*span)].strip() if span else form for span in own]
        return tuple(labels) if len(labels) > 1 and any(labels) else ()

    def _announced_of_parts(self, index: int) -> str:
        """The title that the words before the first of several partial proofs give to them all."""
        for _ in range(_MOST_PARTS):
            if not says_part(self.headings[index].title):
                break
            node = self._tree.nodes[index]
            if not self._is_adjacent(node):
                return self._announced(node)
            number = bisect_right(self._ends, node.start)
            index = self._ended[number - 1] if number else -1
            if index not in self.headings or self._tree.nodes[index].shape != "proof":
                return ""
        return ""

    def _heading(self, node: Node, groups: Groups) -> BlockHead:
        """The head of a node, with its kind always set."""
        found = read_heading(node, groups, self._syntax)
        if found.kind:
            return found
        kinds = self._syntax.kinds
        return found._replace(kind=kinds.get(node.env) or kinds.get(node.env.rstrip("*"), node.env))

    def _repeated(self, node: Node) -> tuple[str, ...]:
        """The command right before a proof, which may restate a statement: `\\gold*`."""
        before = self._text[max(0, node.start - _NEAR) : node.start]
        found = _COMMAND_BEFORE.search(before)
        return (f"\\{found[1]}",) if found else ()

    def _role_before(self, node: Node) -> Role | None:
        """The role of the last block that ends before a proof, if it is a statement."""
        number = bisect_right(self._ends, node.start)
        before = self._ended[number - 1] if number else -1
        head = self.headings.get(before)
        is_statement = head is not None and self._tree.nodes[before].shape == "statement"
        return role_of(head.kind) if head and is_statement else None

    def _is_adjacent(self, node: Node) -> bool:
        """Whether only white space and unprinted commands are between a block and a proof."""
        number = bisect_right(self._ends, node.start)
        position = self._ends[number - 1] if number else 0
        number = bisect_left(self._idle, (position, 0))
        while number < len(self._idle) and self._idle[number][0] < node.start:
            start, end = self._idle[number]
            if self._text[position:start].strip():
                return False
            position = max(position, end)
            number += 1
        return not self._text[position : node.start].strip()


_UNPRINTED = regex(r"\\[A-Za-z]+|[\W_]")
"""Layout before a list: `\\leavevmode`, `\\(\\)`, `\\mbox{}`."""
_LABELS = regex(r"label\s*=\s*(?P<form>\{[^{}]*\}|[^,{}]*)")


def _nature(passage: BlockPassage, text: str) -> str:
    """The nature of a proof, apart from its title."""
    may_construct = passage.follows is Role.DEFINITION
    said = text.partition(") ")[2] if passage.title and text.startswith("(") else text
    return nature_of(said, called=f"{passage.env} {passage.title}" if may_construct else None)


def _is_result(event: CommandEvent) -> bool:
    """Whether a citation names a single result of another work, rather than a page or chapter."""
    return event.kind == "cite" and len(event.keys) == 1 and bool(_LOCATOR.match(event.note))


def _keys_by_name(marks: Sequence[CommandEvent]) -> Mapping[str, tuple[str, ...]]:
    keys: dict[str, tuple[str, ...]] = {}
    for event in marks:
        if event.kind == "uses":
            keys[event.name] = keys.get(event.name, ()) + event.keys
    return keys


_PROOF_TITLE = regex(r"\s*(?:\\\w+\s*)?proof\b", re.IGNORECASE)


class _SpanEdit(NamedTuple):
    """A span, and the parts that replace it."""

    start: int
    end: int
    parts: tuple[Part, ...] = ()


class Bodies:
    """Composes the texts of the blocks of one file."""

    def __init__(
        self,
        tree: Tree,
        headings: Mapping[int, BlockHead],
        around: Sequence[int],
        silent: Iterable[Span],
        text: str,
    ) -> None:
        self._nodes = tree.nodes
        self._headings = headings
        self._text = text
        self._edits = sorted([*self._claims(), *(_SpanEdit(*span) for span in silent)])
        self._starts = [edit.start for edit in self._edits]
        self._premises = Premises(tree, headings, around, text)

    def parts(self, index: int) -> list[Part]:
        """The parts of a block's text: for a claim its hypotheses; then the title and the words."""
        node, head = self._nodes[index], self._headings[index]
        parts: list[Part] = [part for span in self._premises.before(index) for part in (span, " ")]
        if parts:
            parts.append(GIVEN)
        parts += self._title(node, head)
        position, inner_end = head.content, node.inner_end
        number = bisect_left(self._starts, position)
        while number < len(self._edits) and self._edits[number].start < inner_end:
            edit = self._edits[number]
            is_own = edit[:2] in ((node.start, node.end), (head.content, head.content))
            if edit.start >= position and not is_own:
                parts += ((position, edit.start), *edit.parts)
                position = edit.end
            number += 1
        parts.append((position, max(position, inner_end)))
        return parts

    def _title(self, node: Node, head: BlockHead) -> tuple[Part, ...]:
        span = head.title_span
        if node.name in unmarked_proofs.NAMES or not span or span[0] >= span[1]:
            return ()
        if is_name(head.title, head.kind):
            return (f"{NAME}(", span, f"){NAME_END} ") if head.title else ()
        if node.shape == "proof" and _PROOF_TITLE.match(head.title):
            start, end = titles.means_in(self._text[slice(*span)])
            span = span[0] + start, span[0] + end
        return ("(", span, ") ") if span[0] < span[1] else ()

    def _claims(self) -> Iterable[_SpanEdit]:
        """The edits for blocks inside others: proofs are removed, statements get their kinds."""
        for index, head in self._headings.items():
            node = self._nodes[index]
            if node.shape == "proof":
                yield _SpanEdit(node.start, node.end)
            else:
                kind = f"{CLAIM}{head.kind.capitalize()}. "
                yield _SpanEdit(node.start, head.content, (kind, *self._title(node, head)))
                yield _SpanEdit(node.inner_end, node.end, (CLAIM_END,))


class Premises:
    """The hypotheses before each claim of one file, found once for each proof."""

    def __init__(
        self, tree: Tree, heads: Mapping[int, BlockHead], around: Sequence[int], text: str
    ) -> None:
        self._nodes = tree.nodes
        self._heads = heads
        self._text = text
        self._outer = {
            index: around[tree.nodes[index].parent] if tree.nodes[index].parent >= 0 else -1
            for index in heads
        }
        self._inner: dict[int, list[int]] = {}
        for index, outer in self._outer.items():
            self._inner.setdefault(outer, []).append(index)
        self._known: dict[int, dict[int, tuple[Span, ...]]] = {}
        self._shared: dict[int, dict[int, tuple[Span, ...]]] = {}

    def before(self, index: int) -> tuple[Span, ...]:
        """The sentences before a claim that fix something, in order; none outside proofs.

        For a step, this includes sentences in the steps before it.
        """
        outer = self._outer[index]
        shapes = (self._nodes[index].shape, self._nodes[outer].shape)
        if outer < 0 or shapes != ("statement", "proof"):
            return ()
        known = self._shared if self._is_step(index) else self._known
        if outer not in known:
            known[outer] = self._found(outer, shares=known is self._shared)
        return known[outer].get(index, ())

    def _found(self, outer: int, *, shares: bool) -> dict[int, tuple[Span, ...]]:
        inner = self._inner[outer]
        steps = set(self._proofs_of_steps(inner)) if shares else set()
        holes: list[tuple[Span, int]] = []
        for index in inner:
            node = self._nodes[index]
            if index in steps:
                holes.append(((node.start, self._heads[index].content), -1))
                holes += ((self._span(below), -1) for below in self._inner.get(index, ()))
            else:
                holes.append((self._span(index), index))
        rooms = [(self._heads[i].content, self._nodes[i].inner_end) for i in inner if i in steps]
        start, end = self._heads[outer].content, self._nodes[outer].inner_end
        found = hypotheses(self._text, start, end, [span for span, _ in holes], rooms)
        return {index: spans for (_, index), spans in zip(holes, found, strict=False)}

    def _proofs_of_steps(self, inner: Sequence[int]) -> Iterator[int]:
        for before, index in itertools.pairwise(inner):
            if self._is_step(before) and self._nodes[index].shape == "proof":
                yield index

    def _is_step(self, index: int) -> bool:
        return self._nodes[index].name == headings.NAME and self._heads[index].kind in STEPS

    def _span(self, index: int) -> Span:
        return self._nodes[index].start, self._nodes[index].end
