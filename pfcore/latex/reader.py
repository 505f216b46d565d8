"""Reads one file's text: blocks with canonical texts, labels, sections, references.

It reads files by their recipes, and makes the entries that the parse cache keeps.
"""

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from pfcore.domain.containment import Failure, attempt
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import LineIndex, Spans, occurrences
from pfcore.domain.values import Role
from pfcore.latex import codec
from pfcore.latex.blocks.blocks import (
    BlockPassage,
    Blocks,
    Environments,
    Span,
    choose,
)
from pfcore.latex.blocks.canonical import Canonicaliser, View
from pfcore.latex.blocks.labels import FileLabels
from pfcore.latex.blocks.nested_claims import with_steps
from pfcore.latex.language.agreements import agrees_by_shape, supposes_by_shape
from pfcore.latex.language.continuations import passages
from pfcore.latex.language.conventions import (
    all_conventions,
    definitions,
    end_of_list,
    first_sentence,
    is_heading,
    unit_of,
)
from pfcore.latex.language.formula_keys import DESCRIBES, MENTIONS, STATES, SUPPOSES, TAKES
from pfcore.latex.language.hypotheses import (
    NamedItem,
    NamedPassage,
    end_of_hypothesis,
    named_items,
    named_passages,
    own_lists,
    prose_sentences,
    with_labels,
    with_plain_names,
)
from pfcore.latex.language.introductions import (
    POINTED,
    CuedText,
    agrees,
    introduced,
    pointed_noun,
    points,
    supposes_the_same,
)
from pfcore.latex.language.leads import Lead, Leads, PlacedLead, stretches_above
from pfcore.latex.language.notation import FirstSymbols, is_plain, rare_keys
from pfcore.latex.language.phrases import said_by_heading
from pfcore.latex.language.procedures import (
    PROCEDURE,
    beginning_of_procedure,
    is_procedure,
    names_in_heading,
)
from pfcore.latex.language.proof_words import end_of_argument, omission, promises
from pfcore.latex.lexer import commands
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.letters import behind_word, letters_in_place, with_letters
from pfcore.latex.lexer.mask import CONFLICT, TexComment, conflicts
from pfcore.latex.lexer.whitespace import SqueezedText
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.parsed_file import (
    ABOVE,
    ALTERNATIVE,
    BEHIND,
    FAULT,
    HYPOTHESIS,
    NOTATION,
    PROVED,
    Ignore,
    Include,
    Label,
    ParsedFile,
    Reference,
    SectionHeading,
    SourcePlace,
    SourceProblem,
)
from pfcore.latex.project import survey
from pfcore.latex.project.kinds import role_of
from pfcore.latex.project.recipes import Joined, ParseJob, SplicedSource
from pfcore.latex.project.syntax import FLOATS, Syntax
from pfcore.latex.structure import headings, macro_uses, unmarked_proofs
from pfcore.latex.structure.headings import Head
from pfcore.latex.structure.scanner import CommandScanner
from pfcore.latex.structure.titles import BACK_MATTER, labels_in, with_section_proofs
from pfcore.latex.structure.tree import BLOCKS, Node, TagFrame, Tree, grow, shape, take_captioned
from pfcore.latex.structure.unmarked_proofs import with_bare_proofs, with_sentences

if TYPE_CHECKING:
    from pfcore.latex.blocks.front_matter import FrontMatter

_IGNORE = regex(r"%+\s*pf:\s*ignore\s*\[\s*([^\]\s]+)\s*\]\s*(.*)")


class Read(NamedTuple):
    """A reading, the canonical text of each of its blocks, and the references as written."""

    reading: ParsedFile
    texts: tuple[str, ...]
    references: tuple[Reference, ...]


def parse_latex_file(source: SplicedSource, syntax: Syntax, frame: TagFrame | None = None) -> Read:
    """Read one file, with the files spliced that its blocks include.

    With a frame the text is one statement or proof, and nothing outside it is looked for.
    """
    return _FileParser(source, syntax, frame).read()


class _FileParser:
    def __init__(self, source: SplicedSource, syntax: Syntax, frame: TagFrame | None) -> None:
        self._lines = LineIndex(source.text)
        self._syntax = syntax
        self._is_framed = frame is not None
        source = macro_uses.with_sayings(source, syntax)
        scanner, lexicon, listed = self._scan(source, frame)
        starts = macro_uses.uses(self._events, listed, self._shape)
        if starts and frame is None:
            source = macro_uses.put_in(
                source, self._joined, self._events, starts, scanner, self._shape
            )
            scanner, lexicon, listed = self._scan(source, frame)
        self._tree = self._grown(listed)
        take_captioned(self._tree, occurrences(self._text, ("\\caption",)))
        passive = partial(scanner.passive, self._groups, self._hidden)
        view = View(self._groups, self._events, text=self._printed, more=passive)
        canonical = Canonicaliser(view, syntax, lexicon, scanner)
        self._canonical = canonical
        self._blocks = Blocks(syntax, canonical, self._place)
        silent = self._joined.silent
        chosen, self._cut = choose(self._tree)
        self._environments = Environments(self._tree, chosen, syntax, self._groups, silent)
        self._sentences: list[tuple[int, int]] = []

    def _scan(
        self, source: SplicedSource, frame: TagFrame | None
    ) -> tuple[CommandScanner, Lexicon, Sequence[CommandEvent]]:
        """Scan the text; returns the scanner, the lexicon, and the events with macros expanded."""
        self._joined = Joined(source, self._syntax.dead, is_closed=frame is None)
        gone = survey.unread(self._joined.text, self._syntax.excluded, self._syntax.toggles)
        self._printed = survey.without(self._joined.printed, gone)
        self._text = macro_uses.without(survey.without(self._joined.text, gone), self._syntax)
        self._hidden = Spans(self._joined.silent)
        self._shown = letters_in_place(self._text)
        self._groups = Groups(self._text)
        lexicon = Lexicon(self._syntax.macros, self._joined.changes)
        scanner = CommandScanner(self._syntax, lexicon)
        self._events = scanner.structure(self._groups, self._hidden)
        if frame is not None:
            self._events = frame.around(self._events)
        return scanner, lexicon, list(scanner.flatten(self._groups, self._events))

    def _nested(
        self, listed: Sequence[CommandEvent], heads: Sequence[Head]
    ) -> Sequence[CommandEvent]:
        """The events after the preamble, with begin and end added for proofs in words."""
        is_defined = "proof" in self._syntax.macros
        has_own = self._syntax.has_own_proof if is_defined else None
        bare = partial(with_bare_proofs, has_own=has_own)
        if self._is_framed:
            return bare(self._shown, listed, self._shape, self._hidden, heads)
        opening = next(
            (i for i, e in enumerate(listed) if e.kind == "begin" and e.name == "document"), 0
        )
        found = bare(self._shown, listed[opening:], self._shape, self._hidden, heads)
        found = with_sentences(found, self._shape, self._worded_proof)
        return with_section_proofs(self._text, found, self._shape)

    def _worded_proof(self, name: str, start: int, proof: int) -> tuple[str, int, int]:
        """The environment for sentences after a statement that stand for its proof, and their span.

        The end is 0 if there are none; an argument right before a proof is none.
        """
        begin, end = omission(self._shown, start, is_proved=proof >= 0)
        if begin < end:
            return unmarked_proofs.NAME, begin, end
        env = self._syntax.environment(name)
        kind = self._syntax.kinds.get(env) or self._syntax.kinds.get(env.rstrip("*"), "")
        is_result = kind != "" and role_of(kind) is Role.RESULT
        end = end_of_argument(self._shown, start) if is_result else 0
        is_before = end > 0 and proof >= end and not self._shown[end:proof].strip()
        return unmarked_proofs.SENTENCE, start, 0 if is_before else end

    def _grown(self, flat: Sequence[CommandEvent]) -> Tree:
        """The tree of environments, including steps and claims with only a heading."""
        heads = headings.find_headings(self._groups, self._hidden)
        listed = self._nested(flat, heads)
        tree = grow(listed, self._syntax, len(self._text))
        more = with_steps(self._groups, listed, tree, heads, self._hidden)
        if more is listed:
            return tree
        grown = grow(more, self._syntax, len(self._text))
        grown.problems = tree.problems
        return grown

    def _shape(self, name: str) -> str:
        return shape(name, self._syntax.environment(name), self._syntax)

    def read(self) -> Read:
        marks = self._marks()
        for index in self._environments.headings:
            self._environments.add(index, self._blocks, marks.get(index, []))
        if not self._is_framed:
            self._add_prose()
            self._add_arguments()
            self._add_promises()
        labels = FileLabels(
            self._tree,
            self._environments,
            self._blocks.fragment,
            text=self._text,
            own=self._syntax.macros,
        )
        placed = self._in_sentences(labels.place())
        references = tuple(self._references())
        reading = ParsedFile(
            tuple(self._blocks.blocks),
            tuple(label._replace(offset=self._joined.back(label.offset)) for label in placed),
            tuple(self._sections()),
            tuple(self._includes()),
            keys_of(references),
            tuple(self._problems()),
            tuple(ignored(self._joined.comments, self._lines)),
            self._vocabulary(),
            "\n".join(sorted(self._blocks.notation())),
        )
        return Read(reading, tuple(self._blocks.texts), references)

    def _marks(self) -> dict[int, list[CommandEvent]]:
        """Blueprint marks and citations, by the node of the innermost block.

        A mark in a proof that is not a block, such as the idea of a proof, is ignored.
        """
        nodes, around = self._tree.nodes, self._environments.around
        inner = self._tree.innermost(lambda index: nodes[index].shape in BLOCKS)
        marks: dict[int, list[CommandEvent]] = {}
        for event, index in self._tree.placed:
            if event.kind not in ("uses", "cite") or index < 0:
                continue
            if event.name not in commands.MARKS or inner[index] == around[index]:
                marks.setdefault(around[index], []).append(event)
        return marks

    def prose(self) -> tuple[str, ...]:
        """The canonical texts of the paragraphs outside statements and proofs."""
        spans = [match.span() for match in _PARAGRAPH.finditer(self._running_text())]
        found = (self._canonical.block([span], is_told=False).text for span in spans)
        return tuple(filter(None, found))

    def front_matter(self, *, is_abstract: bool) -> "FrontMatter":
        """The canonical texts of title and abstract; the whole file is one if `is_abstract`."""
        from pfcore.latex.blocks.front_matter import (
            FrontMatter,
            abstract_span,
            read_in,
            title_parts,
        )

        title = [] if is_abstract else title_parts(self._text)
        span = (0, len(self._text)) if is_abstract else abstract_span(self._text)
        file = read_in(self._text, span)
        abstract = self._canonical.block([] if file else [span], is_told=False)
        return FrontMatter(
            title=self._canonical.block(title, is_told=False).text if title else "",
            abstract=abstract.text,
            mentioned=tuple(mention.keys for mention in abstract.mentions),
            file=file,
        )

    def _running_text(self) -> str:
        """The text with everything but running text blanked."""
        nodes = self._tree.nodes
        covered = [(nodes[i].start, nodes[i].end) for i in self._environments.headings]
        covered += self._joined.silent
        sections = (event for event, _ in self._tree.placed if event.kind == "section")
        covered += [(e.start, e.end) for e in sections if not is_heading(e.name, e.note)]
        covered += [(node.start, node.end) for node in nodes if node.shape == "float"]
        body = next((e.end for e in self._events if e.kind == "begin" and e.name == "document"), 0)
        covered.append((0, body))
        labels = sorted((e.start, e.end) for e in self._events if e.kind in ("label", "uses"))
        return _without(survey.without(self._shown, labels), covered, "\n\n")

    def _practice(self) -> Iterator[tuple[int, int]]:
        """The spans of exercises, which introduce things only for themselves."""
        for node in self._tree.nodes:
            if node.shape not in BLOCKS and "practice" in said_by_heading(node.env):
                yield node.start, node.end

    def _add_prose(self) -> None:
        prose = _without(self._running_text(), [*self._practice()], "\n\n")
        lines, named = SqueezedText(prose), with_plain_names(prose)
        found = [
            one._replace(start=lines.start(one.start), end=self._behind(lines.end(one.end)))
            for one in all_conventions(lines.text)
        ]
        items = [
            item._replace(span=(item.span[0], self._behind(item.span[1])))
            for item in named_items(named, own_lists(self._text))
        ]
        for one in found:
            span = one.start, one.end
            held = [item for item in items if one.start < item.span[0] < one.end]
            passage = BlockPassage(
                "convention",
                "",
                "convention",
                span,
                unit=one.unit or unit_of(first_sentence(self._shown[one.start : one.end])),
                onward=one.onward,
                is_keyed=one.is_keyed,
                gives=tuple(dict.fromkeys(item.name for item in held)),
            )
            self._add(passage, with_labels(span, held))
        bound = Spans((one.start, one.end) for one in found)
        defined = [
            (start, self._behind(lines.end(end)))
            for first, end in definitions(lines.text)
            if not bound.covers(start := lines.start(first))
        ]
        for span in defined:
            self._add(BlockPassage("definition", "", "terminology", span))
        taken = Spans([*((one.start, one.end) for one in found), *defined])
        free = [item for item in items if not taken.covers(item.span[0])]
        self._add_procedures(prose, lines)
        self._add_introductions(prose, named, taken, free)

    def _add_arguments(self) -> None:
        """Add running text that proves the result right after it, according to its last sentence.

        It extends back to the previous heading, statement or proof.
        """
        nodes, blocks, heads = self._tree.nodes, self._blocks.blocks, self._environments.headings
        numbers = [(nodes[index], self._environments.block_of[index]) for index in heads]
        outer = [(node, blocks[one]) for node, one in numbers if blocks[one].parent < 0]
        outer.sort(key=lambda pair: pair[0].start)
        following = dict(itertools.pairwise(node.start for node, _ in outer))
        proofs = {node.start for node, block in outer if block.shape == "proof"}
        settled = [node.start for node, block in outer if block.nature == PROVED]
        if not settled:
            return
        events = (event for event, _ in self._tree.placed if event.kind == "section")
        begun = (event for event in self._events if event.name == "document")
        ends = sorted(
            [0, *(one.end for one in (*events, *begun)), *(node.end for node, _ in outer)]
        )
        floats = [one.start for one in nodes if one.shape == "float"]
        sizes = [one.end - one.start for one in nodes if one.shape == "float"]
        for end in settled:
            if following.get(end) in proofs:
                continue
            start = ends[bisect_right(ends, end) - 1]
            if end - start > _MOST_OF_ARGUMENT:
                cut = _BLANK_LINE.search(self._text, end - _MOST_OF_ARGUMENT, end)
                start = cut.end() if cut else end
            said = self._text[start:end]
            shown = sum(sizes[bisect_left(floats, start) : bisect_left(floats, end)])
            if len(said.strip()) - shown >= _LEAST_OF_ARGUMENT and _is_whole(said):
                span = start + len(said) - len(said.lstrip()), start + len(said.rstrip())
                self._add(BlockPassage("proof", unmarked_proofs.ARGUMENT, "proof", span))

    def _add_promises(self) -> None:
        """Add the words that say in which section results are proved."""
        for one in promises(self._shown) if "\\label" in self._text else ():
            if not self._hidden.covers(one.start):
                span = one.start, one.end
                self._add(
                    BlockPassage(
                        "proof",
                        unmarked_proofs.PROMISE,
                        "proof",
                        span,
                        one.section,
                        aim=one.results,
                    )
                )

    def _add_introductions(
        self, prose: str, with_names: str, taken: Spans, items: Sequence[NamedItem]
    ) -> None:
        """Add the other sentences that introduce something, in the prose, remarks and claims.

        They are taken in the order of the text, so that splitting a file changes nothing.
        """
        self._sentences = self._sentences_in(prose, 0, len(prose))
        self._cues = CuedText(self._shown)
        named, sentences = named_passages(with_names, self._sentences, items, _takes)
        named = [one for one in named if not taken.covers(one.span[0])]
        listed = [*self._in_prose(prose, taken, sentences), *self._in_captions()]
        listed += self._in_tables() if "tab" in self._text else ()
        for index in self._environments.headings:
            if self._tree.nodes[index].shape == "statement":
                listed += self._in_statement(index)
                self._add_pointed(index, prose)
        parts = {one.span: one.parts for one in named}
        of_symbols: set[Span] = set()
        for passage in listed:
            behind = max(0, passage.span[0] - _MOST_OF_LABEL), passage.span[0]
            if label := _ITEM_WORDS.search(prose, *behind):
                parts[passage.span] = ("\\textbf{", label.span("label"), "}: ", passage.span)
            elif label := _ITEM_SYMBOL.search(prose, *behind):
                parts[passage.span] = (label.span("label"), ": ", passage.span)
                of_symbols.add(passage.span)
        listed += map(_as_introduction, named)
        self._add_listed(listed, parts, of_symbols, prose)

    def _add_listed(
        self,
        listed: Sequence[BlockPassage],
        parts: Mapping[Span, Sequence[Span | str]],
        of_symbols: Set[Span],
        prose: str,
    ) -> None:
        """Add sentences, made of parts, in the order of the text; `of_symbols` keep all keys."""
        sections = [event.start for event, _ in self._tree.placed if event.kind == "section"]
        raw, fresh = FirstSymbols(self._text), _FreshKeys()
        leads = self._leads()
        last = -1
        for passage in sorted(listed, key=lambda passage: passage.span):
            says = self._is_told(*passage.span)
            is_told = bool(says or passage.gives or passage.onward or parts.get(passage.span))
            is_before = passage.kind != HYPOTHESIS and leads.has_around(*passage.span)
            is_fresh = raw.has_fresh(*passage.span)
            if not (is_told or is_fresh or is_before):
                continue
            if passage.kind == HYPOTHESIS:
                self._blocks.introduction(passage, _with_rare)
                continue
            section = bisect_right(sections, passage.span[0])
            is_kept = partial(fresh.kept, section=section, is_agreed=passage.onward)
            is_free = says or passage.gives or passage.span in of_symbols
            kept = is_kept if is_free else self._written_keys(passage.span, is_kept)
            made_of = parts.get(passage.span, ())
            start, end = passage.span
            is_next = 0 <= last <= start and not _PARTED.search(prose, last, start)
            added = self._blocks.introduction(
                passage._replace(adjacent=is_next),
                kept if is_told or is_fresh else None,
                parts=made_of,
                leads=leads if is_before else None,
            )
            last = end if added >= 0 else last

    def _add_procedures(self, prose: str, lines: SqueezedText) -> None:
        """Add named procedures that a paper writes out: floats, and paragraphs of steps."""
        nodes, around = self._tree.nodes, self._environments.around
        labels = [event.start for event, _ in self._tree.placed if event.kind == "label"]
        floats = [
            span
            for index, node in enumerate(nodes)
            if node.shape == "float" and around[index] < 0
            if not any(node.start <= label < node.end for label in labels)
            if is_procedure(node.env, self._text[node.content : node.inner_end])
            if (span := self._printed_of(node)) and self._has_room(span)
        ]
        listed: list[tuple[Span, Sequence[Span | str]]] = [(span, [span]) for span in floats]
        reach = -1
        stepped = ((span, (), span) for span in self._stepped(lines))
        for span, before, last in sorted([*self._headed(prose), *stepped], key=itemgetter(0)):
            if span[0] >= reach:
                reach = last[1]
                listed.append((span, [*before, last]))
        for span, parts in sorted(listed, key=itemgetter(0)):
            passage = BlockPassage("introduction", "", NOTATION, span, is_procedure=True)
            self._blocks.introduction(passage, _of_procedure, parts=parts)

    def _has_room(self, span: Span) -> bool:
        """Whether a float is short enough to be shown, however it is laid out."""
        return len(SqueezedText(self._text[slice(*span)]).text) <= _MOST_OF_FLOAT

    def _stepped(self, lines: SqueezedText) -> Iterator[Span]:
        """The spans of paragraphs that describe a procedure, from the announcing sentence on."""
        text, stops = lines.text, self._stops("float")
        for match in _PARAGRAPH.finditer(text):
            place = beginning_of_procedure(match[0])
            if place is None:
                continue
            sentences = prose_sentences(text, *match.span()) if place else []
            begun = [first for first, _ in sentences if first <= match.start() + place]
            start = max(begun, default=match.start())
            start = start if _is_whole(text[match.start() : start]) else match.start()
            behind = self._behind(lines.end(match.end()))
            number = bisect_left(stops, behind)
            stop = next(iter(stops[number : number + 1]), len(self._text))
            end = _end_of_steps(text, start, match.end())
            if lines.end(end) > stop:
                end = end_of_list(text, start, match.end())
            if end - start > _MOST_OF_FLOAT:
                end = _last_sentence(text, start, match.end())
            if end > start:
                yield lines.start(start), self._behind(lines.end(end))

    def _stops(self, *shapes: str) -> list[int]:
        """The offsets where headings, statements, proofs, and nodes of other shapes begin."""
        sections = [event.start for event, _ in self._tree.placed if event.kind == "section"]
        nodes = [node.start for node in self._tree.nodes if node.shape in (*BLOCKS, *shapes)]
        return sorted(sections + nodes)

    def _headed(self, prose: str) -> Iterator[tuple[Span, Sequence[Span | str], Span]]:
        """The running text under headings that name a procedure, up to a heading or statement.

        Yields its span up to the first float, the parts of its text, and the last of these.
        """
        nodes, stops = self._tree.nodes, self._stops()
        floats = sorted(node.start for node in nodes if node.shape == "float")
        inner = self._tree.innermost(lambda index: nodes[index].shape in BLOCKS)
        for event, index in self._tree.placed:
            is_apart = index >= 0 and inner[index] >= 0
            if event.kind != "section" or not event.note or is_apart:
                continue
            title = self._groups.braces(self._text.find("{", event.start, event.end))
            if title is None:
                continue
            said = self._canonical.block([title], is_told=False).text
            if not any(names_in_heading(said)):
                continue
            first = event.end
            around = nodes[index].inner_end if index >= 0 else -1
            last = around if around >= first else len(prose)
            number = bisect_right(stops, event.start)
            last = min([last, *stops[number : number + 1]])
            back = BACK_MATTER.search(prose, first, last)
            lines = SqueezedText(prose[first : back.start() if back else last])
            spans = [
                (first + lines.start(start), self._behind(first + lines.end(end)))
                for start, end in _whole_paragraphs(lines.text)
            ]
            if not spans:
                continue
            near = next(iter(floats[bisect_right(floats, first) :]), len(prose))
            reach = max((end for _, end in spans if end <= near), default=first)
            told = [part for span in spans for part in (" ", span)]
            yield (event.start, reach), ("\\textbf{", title, "}", *told[:-1]), spans[-1]

    def _leads(self) -> Leads:
        """The text before each claim, from the last result, definition or proof on.

        Also the text under the headings above it, which counts if nothing is nearer.
        """
        headings = [
            (event.start, commands.HEADINGS[event.name])
            for event, _ in self._tree.placed
            if event.kind == "section"
        ]
        nodes, blocks = self._tree.nodes, self._environments.block_of
        last = 0
        found: list[PlacedLead] = []
        for index in sorted(self._environments.headings, key=lambda index: nodes[index].start):
            node, block = nodes[index], self._blocks.blocks[blocks[index]]
            role = role_of(block.kind) if block.shape == "statement" else None
            if role is Role.ASIDE or block.parent >= 0:
                continue
            if role in (Role.RESULT, Role.OPEN):
                claim = self._blocks.texts[blocks[index]]
                near = max(last, node.start - _MOST_OF_PARAGRAPH)
                found.append(PlacedLead(near, node.start, Lead(claim)))
                early = Lead(claim)
                for start, end in stretches_above(headings, near):
                    found.append(PlacedLead(start, end, early))
            last = max(last, node.end)
        return Leads(found)

    def _is_told(self, start: int, end: int) -> bool:
        """Whether a sentence has words or signs that may define something."""
        if self._cues.has(start, end) or _SYMBOL_AND_WORDS.match(self._shown, start, end):
            return True
        for pieces, pattern in _MAY_TELL:
            for piece in pieces:
                if self._shown.find(piece, start, end) >= 0:
                    if pattern.search(self._shown, start, end):
                        return True
                    break
        return False

    def _sentences_in(self, text: str, start: int, end: int) -> list[Span]:
        """The sentences of a text whose letters are in place, with their whole last words."""
        found = prose_sentences(text, start, end)
        return found if self._shown is self._text else [(s, self._behind(e)) for s, e in found]

    def _behind(self, end: int) -> int:
        return behind_word(self._text, self._shown, end)

    def _written_keys(self, span: Span, kept: "_Keep" = tuple) -> "_Keep":
        """A filter for a sentence that defines nothing: it keeps the symbols as written in it."""
        written = set(rare_keys(self._text[slice(*span)]))
        return lambda keys: kept([key for key in keys if key[0] in _WEAKEST and key[1:] in written])

    def _in_prose(
        self, prose: str, taken: Spans, sentences: Sequence[Span]
    ) -> Iterator[BlockPassage]:
        """The sentences of the prose, each with those that say more about its subject.

        Two sentences with the same passage make one introduction.
        """
        reach = -1
        for (start, end), whole in zip(sentences, passages(prose, sentences), strict=True):
            if taken.covers(start):
                continue
            unit = BEHIND if self._is_behind(prose, start, end) else unit_of(prose[start:end])
            onward = self._cues.has(start, end) and agrees(prose[start:end])
            onward = onward or agrees_by_shape(prose[start:end])
            span = (start, end) if onward or taken.covers(whole[0]) else whole
            if span[1] <= reach and not onward:
                continue
            reach = max(reach, span[1])
            is_keyed = not onward and supposes_by_shape(prose[start:end])
            yield BlockPassage(
                "introduction", "", NOTATION, span, unit=unit, onward=onward, is_keyed=is_keyed
            )

    def _in_captions(self) -> Iterator[BlockPassage]:
        """The captions of figures, tables and the like outside statements and proofs."""
        for index, node in enumerate(self._tree.nodes):
            if node.shape == "float" and self._environments.around[index] < 0:
                for span in self._captions_in(node):
                    if self._cues.has(*span):
                        yield BlockPassage("introduction", "", NOTATION, span)

    def _in_tables(self) -> Iterator[BlockPassage]:
        """The rows of tables outside blocks that define a symbol: "$G$ & a group"."""
        for index, node in enumerate(self._tree.nodes):
            if _TABLE.fullmatch(node.env) and self._environments.around[index] < 0:
                for row in _ROW.finditer(self._text, node.content, node.inner_end):
                    yield BlockPassage("introduction", "", NOTATION, row.span("row"))

    def _captions_in(self, node: Node) -> Iterator[tuple[int, int]]:
        for match in _CAPTION.finditer(self._text, node.start, node.end):
            found = self._groups.braces(match.end())
            if found:
                yield found

    def _printed_of(self, node: Node) -> tuple[int, int] | None:
        """The span to which a reference to a float points: a picture's caption, or the content."""
        text = self._text[node.content : node.inner_end]
        is_picture = _PICTURED.match(node.env) or (node.env not in FLOATS and _DRAWS.search(text))
        if not is_picture or (_SAYS.match(text) and not _DRAWS.search(text)):
            return (node.content, node.inner_end) if node.content < node.inner_end else None
        return next(self._captions_in(node), None)

    def _is_behind(self, prose: str, start: int, end: int) -> bool:
        """Whether a sentence explains the statement right before it."""
        if not _EXPLAINS.match(prose, start, end):
            return False
        nodes = self._tree.nodes
        ends = [nodes[i].end for i in self._environments.headings if nodes[i].end <= start]
        return bool(ends) and not self._text[max(ends) : start].strip()

    def _in_statement(self, index: int, *, is_whole: bool = False) -> Iterator[BlockPassage]:
        """The sentences of a remark, or the suppositions of a claim.

        With `is_whole`, a label and the like before the first sentence are skipped.
        """
        node, block = self._tree.nodes[index], self._environments.block_of[index]
        role = role_of(self._blocks.blocks[block].kind)
        if role not in (Role.ASIDE, Role.RESULT, Role.OPEN):
            return
        start = self._environments.headings[index].content
        head = _HEAD_OF_STATEMENT.match(self._shown, start) if is_whole else None
        start = head.end() if head else start
        kind = NOTATION if role is Role.ASIDE else HYPOTHESIS
        sentences = self._sentences_in(self._shown, start, node.inner_end)
        wholes = passages(self._shown, sentences) if kind == NOTATION else sentences
        for (first, last), whole in zip(sentences, wholes, strict=True):
            span = whole
            if kind == HYPOTHESIS:
                told = self._cues.has(first, last) and end_of_hypothesis(self._shown[first:last])
                span = first, min(last, self._behind(first + told)) if told else first
            if span[1] > span[0]:
                yield BlockPassage("introduction", "", kind, span, parent=block)

    def _add_pointed(self, index: int, prose: str) -> None:
        """Add the text to which a statement points: the paragraph before it, or suppositions."""
        node, block = self._tree.nodes[index], self._environments.block_of[index]
        statement = self._blocks.texts[block]
        if not points(statement):
            return
        nodes, headings = self._tree.nodes, self._environments.headings
        ends = [nodes[i].end for i in headings if nodes[i].end <= node.start]
        heads = [match.end() for match in _HEADED.finditer(prose, max([0, *ends]), node.start)]
        lower = max([0, node.start - _MOST_OF_PARAGRAPH, *ends, *heads])
        words = prose[lower : node.start].rstrip()
        starts = [0, *(match.end() for match in _BLANK_LINE.finditer(words))]
        start = max(starts)
        noun = pointed_noun(statement)
        if noun:  # everything from the beginning of its description
            shown = words.lower()
            start = next((one for one, end in pairwise(starts) if noun in shown[one:end]), start)
        span = lower + start, self._behind(lower + len(words))
        is_told = bool(words[start:].strip()) and (noun or self._cues.has(*span))
        found = None
        if not is_told:
            found = self._set_up_before(index, prose)
            if found is None or supposes_the_same(statement):
                found = self._supposed_before(index) or found
        if found or words[start:].strip():
            self._point_to(found or span)

    def _point_to(self, span: Span) -> None:
        """Mark a paragraph as pointed to: its convention or definition, or else a new block."""
        start = self._place(*span).start
        for number, block in enumerate(self._blocks.blocks):
            if block.shape in ("convention", "definition") and block.place.start == start:
                keys = tuple(dict.fromkeys((*block.introduces, f"{STATES}{POINTED}")))
                self._blocks.blocks[number] = block._replace(introduces=keys)
                return
        passage = BlockPassage("introduction", "", NOTATION, span, unit=ABOVE)
        self._blocks.introduction(passage, is_wanted=True)

    def _set_up_before(self, index: int, prose: str) -> Span | None:
        """The last paragraph before a statement, in its section, that introduces something."""
        start = self._tree.nodes[index].start
        sections = [event.start for event, _ in self._tree.placed if event.kind == "section"]
        lower = max([0, *(one for one in sections if one < start)])
        breaks = [match.span() for match in _BLANK_LINE.finditer(prose, lower, start)]
        starts, ends = [lower, *(end for _, end in breaks)], [*(one for one, _ in breaks), start]
        for first, last in reversed(list(zip(starts, ends, strict=True))):
            if start - first > _MOST_OF_PARAGRAPH:
                return None
            said = prose[first:last]
            if said.strip() and self._cues.has(first, last) and _takes(said):
                start = last - len(said.lstrip())
                return start, self._behind(start + len(said.strip()))
        return None

    def _supposed_before(self, index: int) -> Span | None:
        """The span of the suppositions of the claim before a statement."""
        nodes, headings = self._tree.nodes, self._environments.headings
        start = nodes[index].start
        before = [i for i in headings if nodes[i].end <= start and nodes[i].shape == "statement"]
        last = max(before, key=lambda i: nodes[i].end, default=None)
        told = list(self._in_statement(last, is_whole=True)) if last is not None else []
        spans = [passage.span for passage in told if passage.kind == HYPOTHESIS]
        return (spans[0][0], spans[-1][1]) if spans else None

    def _in_sentences(self, labels: list[Label]) -> list[Label]:
        """The labels; those of displays in the prose get the sentence around them."""
        units: dict[int, int] = {}
        for place, block in enumerate(self._blocks.blocks):
            if block.shape in ("introduction", "convention", "definition") and block.parent < 0:
                units.setdefault(block.place.start, place)
        starts = [start for start, _ in self._sentences]
        floats = [node for node in self._tree.nodes if node.shape == "float"]
        found: list[Label] = []
        for label in labels:
            if label.holder == "float" and label.block < 0:
                found.append(self._in_float(label, floats, units))
                continue
            number = bisect_right(starts, label.offset) - 1
            if label.fragment >= 0 and label.block < 0 and number >= 0:
                start, end = self._sentences[number]
                alone = self._blocks.blocks[label.fragment].place
                is_more = (alone.start, alone.end) != self._place(start, end)[:2]
                if label.offset < end and is_more:
                    where = self._place(start, end).start
                    if where not in units:
                        passage = BlockPassage("introduction", "", NOTATION, (start, end))
                        says = self._is_told(start, end)
                        kept = tuple if says else self._written_keys((start, end))
                        units[where] = self._blocks.introduction(passage, kept, is_wanted=True)
                    found.append(label._replace(unit=units[where]))
                    continue
            found.append(label)
        return found

    def _in_float(self, label: Label, floats: Sequence[Node], units: dict[int, int]) -> Label:
        """A label of a float in the prose, with the block of what the float prints."""
        around = [node for node in floats if node.start <= label.offset < node.end]
        span = self._printed_of(around[-1]) if around else None
        parts = _PART.finditer(self._text, around[-1].content, label.offset) if around else ()
        for part in parts:
            own = self._groups.brackets(part.end()) or self._groups.braces(part.end())
            span = own if own and own[0] <= label.offset < own[1] else span
        if span is None or not self._has_room(span):
            return label
        where = self._place(*span).start
        if where not in units:
            is_named = is_procedure(around[-1].env, self._text[slice(*span)])
            passage = BlockPassage("introduction", "", NOTATION, span, is_procedure=is_named)
            units[where] = self._blocks.introduction(passage, is_wanted=True)
        is_line = span[0] <= label.offset < span[1] and self._is_line(label.offset, around[-1])
        return label._replace(unit=units[where], holder="item" if is_line else label.holder)

    def _is_line(self, offset: int, node: Node) -> bool:
        """Whether a label is in a line of a float, such as an algorithm, not at its caption."""
        start = self._text.rfind("\n", node.content, offset) + 1
        return _STEP.match(self._text, max(start, node.content), offset) is not None

    def _add(self, passage: BlockPassage, parts: Sequence[Span | str] = ()) -> None:
        """Add a passage of the prose."""
        self._blocks.passage(passage, lambda: parts or [passage.span])

    def _sections(self) -> list[SectionHeading]:
        return [
            SectionHeading(
                commands.HEADINGS[event.name],
                self._joined.back(event.start),
                " ".join(event.note.split()),
                labels_in(event.note),
                tuple(sorted(said_by_heading(with_letters(event.note)))),
            )
            for event, _ in self._tree.placed
            if event.kind == "section"
        ]

    def _includes(self) -> list[Include]:
        return [
            Include(event.keys[0], event.name, self._joined.back(event.start), self._block(index))
            for event, index in self._tree.placed
            if event.kind == "input" and event.keys and self._joined.is_own(event.start)
        ]

    def _references(self) -> list[Reference]:
        back = self._joined.back_to_words
        return [
            Reference(event.keys, event.name, *back(event.start, event.end), self._block(index))
            for event, index in self._tree.placed
            if (event.kind in ("reference", "range", "page") or event.name in ("uses", "proves"))
            and self._joined.is_own(event.start)
        ]

    def _block(self, index: int) -> int:
        return self._environments.block(index)

    def _is_certain(self, problem: SourceProblem) -> bool:
        """Whether a nesting problem is certain, whatever conditions hold when LaTeX runs.

        An environment that a macro begins may be ended by the paper's code under a condition.
        """
        is_written = self._text.startswith(("\\begin", "\\end"), problem.start)
        return is_written or problem.subject not in self._syntax.optional_ends

    def _problems(self) -> list[SourceProblem]:
        back = self._joined.back
        nesting = [
            problem._replace(start=back(problem.start), end=back(problem.end, is_end=True))
            for problem in self._tree.problems
            if self._joined.is_own(problem.start) and self._is_certain(problem)
        ]
        unclosed = [
            SourceProblem("unclosed", f"{name} is never closed", name, start, start + 1)
            for start, name in self._joined.unclosed
        ]
        found = nesting + unclosed + self._too_deep() + self._conflicts() + self._faults()
        return found + self._alternatives()

    def _alternatives(self) -> list[SourceProblem]:
        """The branches that were not read because the ones before them have the same labels."""
        if "\\else" not in self._joined.text:
            return []
        from pfcore.latex.project import decided_tests  # late: few files ask

        back = self._joined.back
        return [
            SourceProblem(ALTERNATIVE, "", "", back(start), back(end, is_end=True))
            for start, end in decided_tests.alternatives(self._joined.text, self._syntax.toggles)
            if self._joined.is_own(start)
        ]

    def _faults(self) -> list[SourceProblem]:
        """The blocks that could not be read because of a fault of ours."""
        blocks = self._blocks.blocks
        return [
            SourceProblem(FAULT, cause, blocks[index].kind, *blocks[index].place[:2])
            for index, cause in self._blocks.failures.items()
        ]

    def _conflicts(self) -> list[SourceProblem]:
        return [
            SourceProblem(
                "merge-conflict", CONFLICT, "", self._joined.back(start), self._joined.back(end)
            )
            for start, end in conflicts(self._text)
            if self._joined.is_own(start) and not self._is_framed
        ]

    def _too_deep(self) -> list[SourceProblem]:
        if not self._cut:
            return []
        first = self._tree.nodes[self._cut[0]]
        more = f", and {len(self._cut) - 1} more behind it," if len(self._cut) > 1 else ""
        message = f"this {first.env}{more} is nested too deeply and was not read"
        start, end = self._joined.back(first.start), self._joined.back(first.content, is_end=True)
        return [SourceProblem("too-deep", message, first.env, start, end)]

    def _vocabulary(self) -> tuple[str, ...]:
        """For each block, the words and symbols that no earlier block has, one a line."""
        blocks, words = self._blocks.blocks, self._blocks.words
        found = [""] * len(blocks)
        seen: set[str] = set()
        for index in sorted(range(len(blocks)), key=lambda index: blocks[index].place.start):
            fresh = words[index] - seen
            seen |= fresh
            found[index] = "\n".join(sorted(fresh))
        return tuple(found)

    def _place(self, start: int, end: int) -> SourcePlace:
        start, end = self._joined.back(start), self._joined.back(end, is_end=True)
        return SourcePlace(start, end, *self._lines.place(start), *self._lines.place(end))


_TABLE = regex(r"tabular[xy]?\*?|longtable\*?|xltabular|tabu|supertabular")
_ROW = regex(
    r"(?:\\\\(?:\[[^\[\]]{1,12}\])?|\\[a-z]{0,6}(?:line|rule)(?:\{[^{}]*\})?|\}|\\end(?:first)?head|\A|\n)\s*+"
    r"(?P<row>\$[^$]{1,60}\$\s*+&\s*+[^\W\d_][^&\\]{8,}(?:\\(?![\\])[^&\\]+)*)"
    r"(?=\\\\|\\[a-z]{0,6}(?:line|rule)|\\end|\Z)"
)
_CAPTION = regex(
    r"\\caption(?:of\s*\{\w{1,20}\})?\*?(?![A-Za-z])\s*(?:\[[^\[\]]{0,300}\])?\s*(?=\{)"
)
_PART = regex(r"\\sub(?:float|figure|table|captionbox|caption)\*?\s*(?=[\[{])")
"""A part of a float; its caption follows."""
_PICTURED = regex(r"(?:wrap)?figure")
_DRAWS = regex(
    r"\\(?:includegraphics|includesvg|epsf\w*|psfig|input|rule|begin\s?\{(?:tikz\w*|picture|overpic"
    r"|pspicture\*?|asy|forest|circuitikz)\})|\\(?:tikz|xymatrix|begin\s?\{xy\})(?![A-Za-z])"
)
_SAYS = regex(
    r"(?:\\(?:centering|small|footnotesize|label\s?\{[^{}]*\})(?![A-Za-z])|\[[^\[\]]*\]|[^\w\\])*+"
    r"(?!\\caption|\\label|\Z)"
)
"""Words in a figure before or instead of its caption."""
_STEP = regex(
    r"\s*\\(?:State|Statex|If|ElsIf|Else|For|ForAll|While|Repeat|Until|Loop|Require|Ensure|Return"
    r"|Procedure|Function|Call|item|KwIn|KwOut|STATE|IF|FOR|WHILE|RETURN|uIf|eIf|lIf|ForEach)(?![A-Za-z])"
    r"|[^\n]*(?:\\;|\\\\|\\Comment\b)[^\n]*\Z"
)
"""The beginning of a line of an algorithm, or its end before its label."""
_MOST_OF_FLOAT = 6_000
_MOST_OF_ARGUMENT = 6_000
_LEAST_OF_ARGUMENT = 80
"""The fewest characters of a text that proves the next result; a shorter one only says so."""
_LONGEST_NAMING = 200
_MOST_OF_STEPS = 600
_STEPS_BEHIND = regex(
    r"(?:(?!\\(?:section|subsection|paragraph|begin)).){0,600}?"
    r"\\begin\{(?:enumerate|itemize|description|quote|quotation|tabbing|compactenum)\*?\}",
    re.DOTALL,
)
"""The list of steps, or a text set apart, after the lines that name a procedure."""
_HEAD_OF_STATEMENT = regex(
    r"(?:\s*\\(?:label|uses|lean|proves|discussion)\s*\{[^{}]*\}|\s*\\(?:leanok|notready|mathlibok)(?![A-Za-z]))*+"
)
_MOST_OF_PARAGRAPH = 4_000
_MAY_TELL: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    (("$", ")"), regex(r"[$)]\s*+(?:is|are|est|sont|ist|sind)\s++(?:the|l[ea']|d(?:er|ie|as))")),
    (
        ("=",),
        regex(
            r"(?:\$|\\\()\s*\\?[A-Za-z]{1,12}\s?(?:\{[A-Za-z]{1,9}\})?(?:[_^](?:\{[^{}$]{1,20}\}|\\?\w))+\s*="
        ),
    ),
    (("=",), regex(r"\w[\s~]\$\s?\\?[A-Za-z]+\s?=[^$]")),
    (("=",), regex(r"[A-Za-z]\([^$()=]{1,20}\)\s*=")),
    (
        ("\\[", "$$", "\\begin{"),
        regex(
            r"(?:\\\[|\$\$|\\begin\{(?:equation|align|gather|multline|eqnarray|displaymath)\*?\})[^=]{1,80}="
        ),
    ),
    (("\\colon",), regex(r"\\colon(?![A-Za-z])")),
    (("\\to",), regex(r":[^$:=]{1,60}\\to(?![A-Za-z])")),
    (
        ("_", "^"),
        regex(
            r"\b(?:an?|some|eine?[nmr]?|une?)\s++(?:[\w-]++\s++){1,3}\$\s?\(?\s?\\?[A-Za-z]++(?:\{\w{1,12}\})?[_^]"
        ),
    ),
    (("$",), regex(r"\$\s*+,\s++(?:the|l[ea]|d(?:er|ie|as))\s")),
    ((";",), regex(r";\s*+\$[^$]{1,40}\$\s++(?:the|l[ea']|d(?:er|ie|as)|son|sa)")),
    (
        ("A", "Ein", "Un"),
        regex(r"(?:An?|Eine?|Une?)\s++[^$.]{2,80}?\s++(?:is|ist|est)\s++(?:an?|eine?|une?)\s++"),
    ),
    (
        ("The", "the"),
        regex(r"(?=[T,H])(?:The|(?:,|Here)\s++the)\s++[^$.]{2,40}\s++of\s++an?\s++"),
    ),
    (("ecall", "appelons"), regex(r"[Rr]appelons|[Rr]ecall\b")),
    (("finition",), regex(r"(?:par|by|[Pp]er|[Nn]ach)\s++[Dd][eé]finition\b")),
    (
        ("described", "given", "erklärt", "beschrieben", "gegeben", "donné"),
        regex(r"described\s++by|given\s++by|erklärt|beschrieben|gegeben|donnée?s?\s++par"),
    ),
    (
        ("so-called", "genannt", "sens", "Sinn", "drawn", "pict"),
        regex(
            r"so-called|so\s?genannt|sense|Sinn|au\s++sens|(?:drawn|depicted|pictured)\s++as\s++"
        ),
    ),
    (("(",), regex(r"\((?:kurz |short |en abrégé )?[A-Z]{2,6}s?(?: for short)?\)")),
    (
        ("(",),
        regex(
            r"(?:ondition|ropert(?:y|ies)|xiom|ypoth\w{3,4}|edingung|igenschaft|ropriété|\b(?:ha(?:s|ve|t)|satisf\w{1,4}|erfüllt|vérifie))"
            r"[\s~]++(?:(?:the|die|la)[\s~]++)?\$?\s?(?:\\[a-z]{6}\s?\{)?\([A-Z*\\]"
        ),
    ),
    (("\\text",), regex(r"\\text[a-z]{2}\s?\{\([A-Z][A-Za-z]{0,9}\)\}")),
    (("&",), regex(r"\$\s?&\s*+[^\W\d_]{2}")),
    (("\\item",), regex(r"\\item\s?\[\s?\$[^$\]]{1,40}\$\s?\]")),
    (
        ("d'un", "eines", "einer", "du"),
        regex(
            r"(?:Le|La|Der|Die|Das|,\s++l[ea]|(?:ist|sei)\s++d(?:er|ie|as))\s++[^$.]{2,40}\s++(?:d'une?|eines|einer|du\s++\w{1,30}\s++\$)"
        ),
    ),
    (("handelt",), regex(r"handelt\s++es\s++sich")),
    (("nennen",), regex(r"(?:wollen|sollen|werden)\s[^.;:]{0,60}?nennen\b")),
)
"""Patterns of sentences that may define a symbol or a term, apart from the usual words for it.

Each comes with pieces of text, one of which is in every match.
"""
_PARTED = regex(r"\n[ \t]*+\n|\\par(?![A-Za-z])")
_PARAGRAPH = regex(r"\S[^\n]*+(?:\n(?![ \t]*\n)[^\n]*+)*+")
_MOST_OF_LABEL = 90
_ITEM_WORDS = regex(r"\\item\s?\[\s*(?P<label>[^\W\d_]{3}[^\[\]()$\\{}]{0,60}?)[\s:.]*\]\s*\Z")
"""The subject of a list item, as a label in words."""
_SYMBOL_AND_WORDS = regex(r"\s*\$[^$]{1,60}\$[\s~]*(?::|-{2,3}|\u2013|\u2014)[\s~]")
_ITEM_SYMBOL = regex(r"\\item\s?\[\s*(?P<label>\$[^$\[\]]{1,60}\$)[\s:.]*\]\s*\Z")
_HEADED = regex(
    r"\\(?:chapter|(?:sub){0,2}section|paragraph)\*?\s?(?:\[[^\[\]]{0,99}\])?\{[^{}]{0,200}\}"
)
_BLANK_LINE = regex(r"\n[ \t]*\n")
_EXPLAINS = regex(r"(?:[Hh]ere|[Ww]here|[Dd]abei|[Hh]ierbei|[Hh]ier|[Ww]obei|[Ii]ci|[Oo]ù)(?!\w)")


def _takes(sentence: str) -> bool:
    """Whether a sentence introduces something, rather than only supposes it."""
    found = introduced(sentence)
    return any(how >= TAKES for key, how in found.items() if key[0] != "@")


def _is_whole(text: str) -> bool:
    """Whether a text closes all groups and environments that it opens."""
    bare = text.replace("\\{", "").replace("\\}", "")
    pairs = (("{", "}"), ("\\begin{", "\\end{"))
    return all(bare.count(first) == bare.count(last) for first, last in pairs)


def _end_of_steps(text: str, start: int, end: int) -> int:
    """The end of a paragraph that describes a procedure, and of its list of steps."""
    words = text[start:end].rstrip()
    if len(words) <= _LONGEST_NAMING and "\\begin" not in words:
        behind = _STEPS_BEHIND.match(text, end, end + _MOST_OF_STEPS)
        end = behind.end() if behind else end
    return end_of_list(text, start, end)


def _last_sentence(text: str, start: int, end: int) -> int:
    """The end of the last sentence that fits into the limit; the start if none fits."""
    ends = [end, *(last for _, last in prose_sentences(text, start, end))]
    near = (last for last in ends if last <= start + _MOST_OF_FLOAT)
    return max((last for last in near if _is_whole(text[start:last])), default=start)


def _whole_paragraphs(text: str) -> Iterator[Span]:
    """The paragraphs of a text, with their lists, as long as they fit into the limit."""
    reach, room = 0, _MOST_OF_FLOAT
    for match in _PARAGRAPH.finditer(text):
        start = match.start()
        if start < reach:
            continue
        reach = len(text[: end_of_list(text, *match.span())].rstrip())
        room -= reach - start
        if room < 0 or not _is_whole(text[start:reach]):
            return
        yield start, reach


def _as_introduction(one: NamedPassage) -> BlockPassage:
    return BlockPassage("introduction", "", NOTATION, one.span, gives=one.names, behind=one.behind)


_Keep = Callable[[Sequence[str]], Sequence[str]]
"""Returns the keys of a sentence, with strengths, that are kept; none if the sentence is not."""


_WEAKEST = frozenset([str(MENTIONS), str(DESCRIBES)])


def _with_rare(keys: Sequence[str]) -> Sequence[str]:
    """The keys, if at least one is that of a distinctive symbol; else none."""
    return keys if any(key[1] == "#" and not is_plain(key[1:]) for key in keys) else ()


def _of_procedure(keys: Sequence[str]) -> Sequence[str]:
    """The names of a procedure; a use of one of these is a reason to show the procedure."""
    return [key for key in keys if key[1:].startswith(PROCEDURE) or _IS_TERM.match(key)]


_IS_TERM = regex(r"6[^\W\d_]+ ")
"""The key of a term of several words that is stated."""


class _FreshKeys:
    """Finds sentences that say something strongly, or something new."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, int]] = set()

    def kept(self, keys: Sequence[str], *, section: int, is_agreed: bool) -> Sequence[str]:
        """The keys of a sentence if it is kept; all but the weakest are new in each section."""
        placed = {(key, 0 if key[0] in _WEAKEST else section) for key in keys}
        is_fresh = not self._seen.issuperset(placed)
        self._seen |= placed
        is_strong = any(key[0] >= str(SUPPOSES) for key in keys)
        return keys if is_agreed or is_strong or is_fresh else ()


def ignored(comments: Iterable[TexComment], lines: LineIndex) -> list[Ignore]:
    """The `ignore` comments of a text."""
    found: list[Ignore] = []
    for comment in comments:
        match = _IGNORE.match(comment.text)
        if match:
            line, _ = lines.place(comment.start)
            found.append(Ignore(match[1], match[2].strip(), comment.start, line))
    return found


def _without(text: str, covered: Sequence[tuple[int, int]], filling: str) -> str:
    """The text with spans replaced by a filling and spaces of the same length."""
    pieces: list[str] = []
    done = 0
    for start, end in sorted(covered):
        if end <= done:
            continue
        begin = max(start, done)
        pieces.append(text[done:begin])
        pieces.append(filling.ljust(end - begin)[: end - begin])
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def keys_of(references: Iterable[Reference]) -> tuple[str, ...]:
    """The keys of references, without duplicates."""
    return tuple(dict.fromkeys(key for item in references for key in item.keys))


def without_blocks(found: Read) -> Read:
    """The result for a file whose blocks are read with another file."""
    outside = tuple(item._replace(block=-1) for item in found.references)
    _, _, _, _, cited, problems, ignores, _, _ = found.reading
    return Read(ParsedFile((), (), (), (), cited, problems, ignores, (), ""), (), outside)


def read_latex_file(job: ParseJob, syntax: Syntax) -> Read:
    """Read a file; one that is read with another file has no blocks of its own."""
    found = parse_latex_file(job.source, syntax)
    return without_blocks(found) if job.is_inner else found


def prose_of_file(job: ParseJob, syntax: Syntax) -> tuple[str, ...]:
    """The canonical texts of the paragraphs of a file outside statements and proofs."""
    return () if job.is_inner else _FileParser(job.source, syntax, None).prose()


def front_matter_of_file(
    job: ParseJob, syntax: Syntax, *, is_abstract: bool = False
) -> "FrontMatter":
    """The title and the abstract that a file gives, as canonical texts, without authors.

    `is_abstract` says that the whole file is an abstract.
    """
    return _FileParser(job.source, syntax, None).front_matter(is_abstract=is_abstract)


def entries_of_file(found: Read, key: str) -> dict[str, str]:
    """The cache entries of a file, by key; none if a fault of ours hid a part."""
    if found.reading.has_faults:
        return {}
    return {
        f"reading:{key}": codec.dump(found.reading),
        f"texts:{key}": codec.dump(found.texts),
        f"references:{key}": codec.dump(found.references),
    }


def all_entries(syntax: Syntax, jobs: Sequence[ParseJob]) -> dict[str, str]:
    """The cache entries of many files; none for a file that cannot be read."""
    found: dict[str, str] = {}
    for job in jobs:
        read_file = attempt(partial(read_latex_file, job, syntax))
        if not isinstance(read_file, Failure):
            found |= entries_of_file(read_file, job.key)
    return found
