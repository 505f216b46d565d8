"""One file's text to its reading: blocks with canonical texts, labels, sections, references."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pfcore.digest import text_digest
from pfcore.latex import canonical, events, terms
from pfcore.latex.canonical import Canonicaliser
from pfcore.latex.conventions import conventions
from pfcore.latex.events import Event
from pfcore.latex.groups import Groups
from pfcore.latex.kinds import role_of
from pfcore.latex.labels import place_labels
from pfcore.latex.mask import Masked, mask
from pfcore.latex.records import (
    Block,
    Ignore,
    Include,
    Place,
    Problem,
    Reading,
    Reference,
    Section,
)
from pfcore.latex.spans import Lines, Spans
from pfcore.latex.syntax import Syntax
from pfcore.latex.titles import Heading, heading
from pfcore.latex.tree import Node, Tree, grow
from pfcore.model import Role

_IGNORE = re.compile(r"%+\s*pf:\s*ignore\s*\[\s*([^\]\s]+)\s*\]\s*(.*)")
_PROOF_TITLE = re.compile(r"\s*(?:\\\w+\s*)?proof\b", re.IGNORECASE)
_TITLE_KEYS = re.compile(r"\\(?:ref|cref|Cref|autoref|hyperref|nameref)\*?\s*[\[{]([^\]}]*)[\]}]")


class Read(NamedTuple):
    """A reading and the canonical text of each of its blocks."""

    reading: Reading
    texts: tuple[str, ...]


def read(text: str, syntax: Syntax, silent: Sequence[tuple[int, int]]) -> Read:
    """Read one file; `silent` are the spans of the definitions that it contains."""
    return _Reader(text, syntax, silent).read()


class _Reader:
    def __init__(self, text: str, syntax: Syntax, silent: Sequence[tuple[int, int]]) -> None:
        self._masked: Masked = mask(text)
        self._text = self._masked.text
        self._syntax = syntax
        self._silent = sorted(silent)
        self._hidden = Spans(silent)
        self._groups = Groups(self._text)
        self._lines = Lines(text)
        self._events = events.events(self._text, syntax, self._groups, self._hidden)
        self._canonical = Canonicaliser(
            _with_verbatim(text, self._masked), syntax, self._groups, self._events, self._hidden
        )
        self._tree: Tree = self._grow()
        self._claims = self._first_claims()
        self._ends = sorted(n.end for n in self._tree.nodes if n.shape in ("statement", "proof"))
        self._idle = sorted(
            (event.start, event.end)
            for event, _ in self._tree.placed
            if event.kind in ("label", "uses", "silent")
        )
        self._headings: dict[int, Heading] = {}
        self._block_of: dict[int, int] = {}
        self._texts: list[str] = []
        self._blocks: list[Block] = []

    def _grow(self) -> Tree:
        listed = list(events.flattened(self._text, self._syntax, self._groups, self._events))
        opening = next(
            (i for i, e in enumerate(listed) if e.kind == "begin" and e.name == "document"), -1
        )
        return grow(listed[max(opening, 0) :], self._syntax, len(self._text))

    def read(self) -> Read:
        nodes = self._tree.nodes
        chosen = [i for i, node in enumerate(nodes) if self._is_block(node)]
        self._block_of = {node: block for block, node in enumerate(chosen)}
        for index in chosen:
            self._headings[index] = heading(nodes[index], self._groups, self._syntax)
        marks = self._marks()
        for index in chosen:
            self._add_block(index, marks.get(index, []))
        self._add_conventions(chosen)
        labels = place_labels(
            self._tree, self._block_of, self._add_fragment, self._headings, len(self._text)
        )
        reading = Reading(
            tuple(self._blocks),
            tuple(labels),
            tuple(self._sections()),
            tuple(self._includes()),
            tuple(self._references()),
            tuple(self._problems()),
            tuple(self._ignores()),
            self._vocabulary(),
        )
        return Read(reading, tuple(self._texts))

    def _is_block(self, node: Node) -> bool:
        """Statements and proofs; a proof inside a proof only where a statement in there wants it."""
        if node.shape == "statement":
            return True
        if node.shape != "proof":
            return False
        outer = self._enclosing(node.parent)
        if outer < 0 or self._tree.nodes[outer].shape == "statement":
            return True
        return self._claims.get(outer, len(self._text)) < node.start

    def _first_claims(self) -> dict[int, int]:
        """For each proof's node, where the first statement directly inside it begins."""
        found: dict[int, int] = {}
        for node in self._tree.nodes:
            outer = self._enclosing(node.parent) if node.shape == "statement" else -1
            if outer >= 0:
                found.setdefault(outer, node.start)
        return found

    def _enclosing(self, index: int) -> int:
        nodes = self._tree.nodes
        while index >= 0 and nodes[index].shape not in ("statement", "proof"):
            index = nodes[index].parent
        return index

    def _block(self, index: int) -> int:
        """The block that a node lies in, or -1."""
        nodes = self._tree.nodes
        while index >= 0 and index not in self._block_of:
            index = nodes[index].parent
        return self._block_of.get(index, -1)

    def _marks(self) -> dict[int, list[Event]]:
        """Blueprint marks and citations by the innermost block's node."""
        marks: dict[int, list[Event]] = {}
        for event, index in self._tree.placed:
            if event.kind in ("uses", "cite"):
                inner = index
                while inner >= 0 and inner not in self._block_of:
                    inner = self._tree.nodes[inner].parent
                marks.setdefault(inner, []).append(event)
        return marks

    def _add_block(self, index: int, marks: list[Event]) -> None:
        node, head = self._tree.nodes[index], self._headings[index]
        is_proof = node.shape == "proof"
        says_proof = bool(_PROOF_TITLE.match(head.title)) if is_proof else False
        made = self._canonical.block(
            head.content,
            node.inner_end,
            cuts=self._cuts(index),
            title=None if says_proof else head.title_span,
        )
        kind = head.kind or self._syntax.kinds.get(node.env.rstrip("*"), node.env)
        kind = "proof" if is_proof else self._syntax.kinds.get(node.env, kind)
        if head.kind:
            kind = head.kind
        self._append(
            made,
            shape=node.shape,
            env=node.name,
            kind=kind,
            title=head.title,
            labels=head.labels,
            span=(node.start, node.end),
            parent=self._block(node.parent),
            marks=marks,
            aim=tuple(_TITLE_KEYS.findall(head.title)) if is_proof else (),
            adjacent=is_proof and self._is_adjacent(node),
            introduces=role_of(kind) is Role.DEFINITION,
        )

    def _cuts(self, index: int) -> list[tuple[int, int]]:
        node = self._tree.nodes[index]
        nodes = self._tree.nodes
        cuts: list[tuple[int, int]] = []
        number = index + 1
        while number < len(nodes) and nodes[number].start < node.end:
            if nodes[number].shape == "proof" and number in self._block_of:
                cuts.append((nodes[number].start, nodes[number].end))
            number += 1
        first = bisect_left(self._silent, (node.start, 0))
        for span in self._silent[first:]:
            if span[0] >= node.end:
                break
            cuts.append(span)
        return cuts

    def _append(
        self,
        made: canonical.Canonical,
        *,
        shape: str,
        env: str,
        kind: str,
        title: str,
        span: tuple[int, int],
        labels: tuple[str, ...] = (),
        parent: int = -1,
        marks: Sequence[Event] = (),
        aim: tuple[str, ...] = (),
        adjacent: bool = False,
        introduces: bool = False,
        unit: str = "",
        onward: bool = False,
    ) -> int:
        text = canonical.bare(made.text)
        keys = _keys_by_name(marks)
        self._texts.append(made.text)
        self._blocks.append(
            Block(
                shape,
                env,
                kind,
                title,
                labels,
                self._place(*span),
                parent,
                text_digest(text),
                len(text),
                tuple(made.mentions),
                tuple(made.anchors),
                terms.introduced(made.text, title, self._syntax.emphasis) if introduces else (),
                keys.get("uses", ()),
                keys.get("lean", ()),
                any(event.name in ("leanok", "mathlibok") for event in marks),
                any(event.kind == "cite" for event in marks),
                keys.get("proves", ()) + aim,
                adjacent,
                unit,
                onward,
            )
        )
        return len(self._blocks) - 1

    def _add_fragment(self, start: int, end: int, name: str, parent: int) -> int:
        made = self._canonical.block(start, end)
        kind = "equation" if name != "item" else "item"
        return self._append(
            made, shape="fragment", env=name, kind=kind, title="", span=(start, end), parent=parent
        )

    def _add_conventions(self, chosen: list[int]) -> None:
        nodes = self._tree.nodes
        covered = [(nodes[i].start, nodes[i].end) for i in chosen] + self._silent
        covered += [(event.start, event.end) for event, _ in self._tree.placed if event.kind == "section"]
        covered += [(n.start, n.end) for n in nodes if n.shape == "float"]
        body = next((e.end for e in self._events if e.kind == "begin" and e.name == "document"), 0)
        covered.append((0, body))
        for found in conventions(_without(self._text, covered)):
            made = self._canonical.block(found.start, found.end)
            self._append(
                made,
                shape="convention",
                env="",
                kind="convention",
                title="",
                span=(found.start, found.end),
                unit=found.unit,
                onward=found.onward,
            )

    def _is_adjacent(self, node: Node) -> bool:
        index = bisect_right(self._ends, node.start) - 1
        before = self._ends[index] if index >= 0 else 0
        position = before
        for start, end in self._idle[bisect_left(self._idle, (before, 0)) :]:
            if start >= node.start or self._text[position:start].strip():
                break
            position = end
        return not self._text[position : node.start].strip()

    def _sections(self) -> list[Section]:
        found: list[Section] = []
        for event, _ in self._tree.placed:
            if event.kind == "section":
                level = events.commands.SECTIONS[event.name]
                refers = tuple(_TITLE_KEYS.findall(event.note))
                title = " ".join(event.note.split())
                found.append(Section(level, event.start, title, refers))
        return found

    def _includes(self) -> list[Include]:
        return [
            Include(event.keys[0], event.name, event.start, self._block(index))
            for event, index in self._tree.placed
            if event.kind == "input" and event.keys
        ]

    def _references(self) -> list[Reference]:
        return [
            Reference(event.keys, event.name, event.start, event.end, self._block(index))
            for event, index in self._tree.placed
            if event.kind in ("reference", "range", "page") or event.name in ("uses", "proves")
        ]

    def _problems(self) -> list[Problem]:
        unclosed = [
            Problem("unclosed", f"{name} is never closed", name, start, start + 1)
            for start, name in self._masked.unclosed
        ]
        return self._tree.problems + unclosed

    def _ignores(self) -> list[Ignore]:
        found: list[Ignore] = []
        for comment in self._masked.comments:
            match = _IGNORE.match(comment.text)
            if match:
                line, _ = self._lines.place(comment.start)
                found.append(Ignore(match[1], match[2].strip(), comment.start, line))
        return found

    def _vocabulary(self) -> tuple[str, ...]:
        used: set[str] = set()
        for block, text in zip(self._blocks, self._texts, strict=True):
            if block.shape != "fragment":
                used.update(terms.words(text))
        return tuple(sorted(used))

    def _place(self, start: int, end: int) -> Place:
        return Place(start, end, *self._lines.place(start), *self._lines.place(end))


def _without(text: str, covered: Sequence[tuple[int, int]]) -> str:
    """The text with some spans turned into paragraph breaks of the same length."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(covered):
        if end <= done:
            continue
        start = max(start, done)
        pieces.append(text[done:start])
        pieces.append("\n\n".ljust(end - start)[: end - start])
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def _keys_by_name(marks: Sequence[Event]) -> Mapping[str, tuple[str, ...]]:
    keys: dict[str, tuple[str, ...]] = {}
    for event in marks:
        if event.kind == "uses":
            keys[event.name] = keys.get(event.name, ()) + event.keys
    return keys


def _with_verbatim(text: str, masked: Masked) -> str:
    """The masked text with the code put back that is printed."""
    pieces: list[str] = []
    done = 0
    for start, end in masked.verbatim:
        pieces.append(masked.text[done:start])
        pieces.append(text[start:end])
        done = end
    pieces.append(masked.text[done:])
    return "".join(pieces)
