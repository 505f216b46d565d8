"""The entries of a page: each result with its proof, its findings, and its neighbours.

Also a paper as the parts of a page need it: names, anchors, looks, links between results; the looks
of results: a symbol, a colour name, and words; and where a quote is in a canonical text whose
references are still marks.
"""

import base64
import posixpath
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from html import escape
from typing import NamedTuple

from pfcore.checks.lean.lean_table import KIND_WORDS, LeanRow, lean_rows
from pfcore.checks.suppressions import NEVER, unanswerable
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Mention, Module, Passage, Role, Status, Via
from pfcore.graph.document import LinkTarget
from pfcore.latex.blocks.expansion import Expander
from pfcore.latex.blocks.front_matter import FrontMatter
from pfcore.latex.blocks.plain_text import plain_text, quoted_words
from pfcore.latex.language.mentions import announced
from pfcore.latex.language.worded_references import WORDED
from pfcore.latex.lexer.commands import RANGES, SECTIONS
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.whitespace import (
    ANCHOR,
    CLAIM,
    CLAIM_END,
    GIVEN,
    MENTION,
    first_form,
)
from pfcore.latex.macros.macro import Macro, substitute
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.numbering.item_labels import LEVELS
from pfcore.latex.project.declarations import Environment
from pfcore.latex.project.kinds import named_kind
from pfcore.reporters.html.equation_rows import EquationNames
from pfcore.reporters.html.reference_names import ReferenceNames
from pfcore.reporters.html.typeset import Floats, Maths, ReferenceLink, typeset
from pfcore.reporters.module_names import (
    TYPED,
    bare_title,
    is_number,
    printed_kind,
    reader_of,
    standing,
    visible,
    with_names,
)
from pfcore.reporters.paper_overview import is_stated_in_lean
from pfcore.reporters.printing import likeness_words, place_of, plural, safe, shortened
from pfcore.review.review import PaperReport

_MOST = 12
"""How many neighbours are listed at first."""
_LONGEST_QUOTE = 60
_FEWEST_OF_ALL = 10
_NEARLY = 0.9
"""The share of later results that have to depend on a sentence for it to count as general."""


class PageLook(NamedTuple):
    """A class of the style sheet, a symbol, and words."""

    name: str
    glyph: str
    words: str


class HeadingOnPage(NamedTuple):
    """A heading: number or "", title as LaTeX, fragment, and whether it is a part or chapter."""

    number: str
    title: str
    anchor: str
    is_chapter: bool


_CHAPTER = 1
"""The level of chapters."""


class StatusLook(Enum):
    """All looks, in the order of the legend."""

    GAP = PageLook("gap", "!", "gap: an objection that blocks")
    POSSIBLE = PageLook("possible", "!", "possible gap: an objection that does not block")
    FAULT = PageLook("fault", "!", "accepted by readers, with a structural finding")
    STALE = PageLook("stale", "↻", "to be re-read: it or a premise changed")
    UNREAD = PageLook("unread", "?", "not yet read")
    BARE = PageLook("bare", "∅", "without a proof here")
    CONDITIONAL = PageLook("conditional", "~", "checked, but depends on results that are not")
    CHECKED = PageLook("checked", "✓", "checked, with all it depends on")
    ANSWERED = PageLook("answered", "-", "objection answered by the authors")
    STATED = PageLook("stated", "◇", "statement in Lean (authors' claim), proof not yet read")
    DEFINED = PageLook("defined", "◇", "definition in Lean (authors' claim)")
    FORMAL = PageLook("formal", "◆", "formal proof in Lean (authors' claim)")
    OMITTED = PageLook("omitted", "○", "proof omitted")
    CITED = PageLook("cited", "§", "taken from the literature")
    GIVEN = PageLook("given", "·", "definition, assumption or remark")


@dataclass(frozen=True, kw_only=True)
class PaperOnPage:
    """A paper on a page; `ids` are its printed ids, `sizes` the sizes of the page's pictures."""

    paper: PaperReport
    ids: Mapping[str, str]
    maths: Maths
    sizes: list[int] = field(default_factory=list)

    @property
    def modules(self) -> Mapping[str, Module]:
        """The modules by their ids."""
        return self.paper.state.document.modules

    @cached_property
    def shown(self) -> list[str]:
        """The modules with an entry of their own, in the order of the paper."""
        return [name for name in visible(self.paper) if self.modules[name].role.stands_alone]

    @cached_property
    def headings(self) -> dict[str, list["HeadingOnPage"]]:
        """The headings of sections that begin between a result and the previous one.

        A section without results is left out, unless it contains one that has some.
        """
        listed = self.paper.state.document.headings
        begins = [item.first for item in listed]
        numbers = self._heading_numbers()
        prefix = f"s:{safe(self.paper.state.paper.name)}".replace(" ", "_")
        found: dict[str, list[HeadingOnPage]] = {}
        shown: set[int] = set()
        for name in self.shown:
            index, chain = bisect_right(begins, self.modules[name].position) - 1, []
            while index >= 0 and index not in shown:
                shown.add(index)
                chain.append(index)
                index = listed[index].parent
            found[name] = [
                HeadingOnPage(
                    numbers.get(one, ""),
                    listed[one].title,
                    escape(f"{prefix}:{one}"),
                    listed[one].level <= _CHAPTER,
                )
                for one in reversed(chain)
                if listed[one].title
            ]
        return {name: chain for name, chain in found.items() if chain}

    def _heading_numbers(self) -> dict[int, str]:
        """The certain numbers of headings, by their indices."""
        readings = self.paper.state.paper.readings
        offsets = {
            path: [(item.level, item.title, item.offset) for item in readings[path].sections]
            for path in {item.path for item in self.paper.state.document.headings}
        }
        found: dict[int, str] = {}
        for index, item in enumerate(self.paper.state.document.headings):
            left = offsets[item.path]
            while left:
                level, title, offset = left.pop(0)
                if (level, title) == (item.level, item.title):
                    number = self.paper.numbering.at((), item.path, offset)
                    found[index] = safe(number or "")
                    break
        return found

    @cached_property
    def states(self) -> dict[str, StatusLook]:
        """The looks of the modules."""
        return states(self.paper)

    @cached_property
    def findings(self) -> dict[str, list[Finding]]:
        """The findings about a module, by the entry where they are shown."""
        found: dict[str, list[Finding]] = {}
        for item in self.paper.findings:
            if item.module is not None:
                found.setdefault(self.entry(item.module), []).append(item)
        return found

    @cached_property
    def equations(self) -> EquationNames:
        """The names of equations."""
        listed = [(self.anchor(name), self.modules[name]) for name in self.shown]
        places = [(at, one) for at, module in listed for one in module.argued]
        return EquationNames(paper=self.paper, places=places)

    def entry(self, name: str) -> str:
        """The module in whose entry another is shown; an equation belongs to its result."""
        seen: set[str] = set()
        while name in self.modules and self.modules[name].role is Role.FRAGMENT:
            parent = self.modules[name].parent
            if parent is None or name in seen:
                break
            seen.add(name)
            name = parent
        return name

    def anchor(self, name: str) -> str:
        """The fragment of an entry; "" if there is none."""
        entry = self.entry(name)
        known = self.modules.get(entry)
        if known is None or not known.role.stands_alone:
            return ""
        return "r:" + "_".join(safe(self.ids[entry]).split())

    def name(self, name: str) -> str:
        """Kind and number, `Lemma 3.2`; the kind if a title follows; else its label or place."""
        module = self.modules[name]
        number = self.paper.numbering.of(module)
        kind = printed_kind(module, self.paper, number)
        if not kind and not number:
            kind = safe(module.kind).capitalize()
        if number or module.title:
            return f"{kind} {safe(number or '')}".strip()
        if module.label:
            return f"{kind} {safe(module.label)}"
        return f"{kind}, {where(module.statement).rpartition('/')[2]}"

    def called(self, name: str) -> str:
        """The name without a title beside it: `Lemma 3.2`, else `Lemma (Contraction)`."""
        has_number = self.paper.numbering.of(self.modules[name]) is not None
        title = "" if has_number else self.title(name)
        return f"{self.name(name)} ({title})" if title else self.name(name)

    def title(self, name: str) -> str:
        """The title as plain text; "" if there is none, or if it is only the number."""
        return "" if self.is_numbered(name) else self.plain(bare_title(self.modules[name].title))

    def is_numbered(self, name: str) -> bool:
        """Whether the title is only the number."""
        module = self.modules[name]
        return is_number(module.title, self.paper.numbering.of(module))

    def plain(self, text: str) -> str:
        """A title or a heading as plain text."""
        text = _OPERATOR.sub(r"\\mathrm{\1}", _SIZED.sub("", self.expanded(text)))
        return safe(plain_text(_MODULO.sub(r"(\\mathrm{mod}~\1)", text)))

    def message(self, finding: Finding) -> str:
        """The message of a finding, typeset, with names of results in place of ids."""
        text = finding.message
        if finding not in self.paper.objections:
            own = self.modules.get(finding.module or "")
            if own is not None and own.role.stands_alone:
                text = text.replace(f"this {own.kind} ", f"{self.called(own.id)} ", 1)
            text = with_names(text, finding, self.paper, self.called)
        if finding in self.paper.objections or "$" in text:
            return typeset(text, self.maths)
        parts = TYPED.split(text)  # the message of a check contains commands to type
        return "".join(
            f"<code>{escape(safe(part))}</code>" if number % 2 else typeset(part, self.maths)
            for number, part in enumerate(parts)
        )

    def quote(self, finding: Finding) -> str:
        """A quote typeset, without labels, with the names of what it refers to."""
        return typeset(_LABEL.sub("", self.cited(self.expanded(finding.quote))), self.maths)

    def cited(self, text: str) -> str:
        """A text with its citations printed as in the PDF, if a bibliography has them."""
        if "\\cite" not in text or not self._works:
            return text
        return _CITE.sub(
            lambda match: match[1] + ", ".join(map(self.work, match[2].split(","))) + "}", text
        )

    def work(self, key: str) -> str:
        """A work's label in the PDF, else its key."""
        return self._works.get(key.strip(), safe(key.strip()))

    @cached_property
    def _works(self) -> dict[str, str]:
        """The printed labels of keys, from the bibliographies that are available."""
        paper = self.paper.state.paper
        stems = {root.rpartition(".")[0] for root in (paper.root, *paper.outline.starts.values())}
        listed = paper.snapshot.others((".bbl",))
        texts = [
            raw.decode("utf-8", "replace") for path, raw in listed.items() if path[:-4] in stems
        ]
        return bibliography_labels([*texts, *map(paper.source, self._with_entries)])

    @property
    def _with_entries(self) -> list[str]:
        paper = self.paper.state.paper
        paths = (path for path in paper.outline.order if path in paper.snapshot.files)
        return [
            path for path in paths if path in paper.readings and "\\bibitem" in paper.source(path)
        ]

    def expanded(self, text: str) -> str:
        """A title or heading as LaTeX without the paper's macros."""
        if "\\" not in text:
            return text
        text = _LABEL.sub("", _FOR_PDF.sub(r"\1", text)).strip()
        text = _REFERENCE.sub(self._in_title, text)
        return self._expander.template("", Macro((), text), 0)

    def _in_title(self, match: re.Match[str]) -> str:
        """A reference in a title, in words; its key in brackets if it leads to no result."""
        labels = self.paper.state.document.labels
        words = []
        for key in map(str.strip, match["keys"].split(",")):
            if self.equations.has(key):
                words.append(self.equations.words(key))
                continue
            number = self.paper.numbering.label(key)
            if match["by"] in ("", "z") and number is not None and number.text:
                words.append(safe(str(number.text)))
                continue
            place = next(iter(labels[key]), None) if key in labels else None
            if place is None or not place.module:
                words.append(f"[{key}]")
                continue
            module = self.modules[place.module]
            is_named = match["by"].lower() == "name" and module.title and "\\" not in module.title
            if is_named:
                words.append(module.title)
                continue
            called = self._by_package(f"{match['by']}ref", key, place.module)
            words.append(called or self._referred(place.module))
        return ", ".join(words).replace("_", "\\_")

    @cached_property
    def _expander(self) -> Expander:
        syntax = self.paper.state.paper.syntax
        return Expander(syntax, Lexicon(syntax.macros))

    def link(self, name: str) -> str:
        """A link to an entry, with symbol and name."""
        state = self.states[name].value
        title = f" ({escape(self.title(name))})" if self.title(name) else ""
        if not self.anchor(name):  # a sentence, or an equation in running text
            return f'<span class="to">{escape(self._aside(name))}</span>'
        return (
            f'<a class="to {state.name}" href="#{escape(self.anchor(name))}">'
            f'<span class="glyph" aria-hidden="true">{state.glyph}</span> '
            f"{escape(self.name(name))}{title}</a>"
        )

    def _aside(self, name: str) -> str:
        """What belongs to no result: an equation by its number, a sentence by its first words."""
        module = self.modules[name]
        number = self.paper.numbering.of(module)
        if number:
            return f"({safe(number).strip('()')})"
        return f"“{shortened(self._words(name), _LONGEST_QUOTE)}”"

    def _words(self, name: str) -> str:
        """A sentence of the text as plain words."""
        if name not in self._sentences:
            self._sentences[name] = self._plain_words(name)
        return self._sentences[name]

    @cached_property
    def _sentences(self) -> dict[str, str]:
        return {}

    def _plain_words(self, name: str) -> str:
        where_it_is = self.modules[name].statement
        text = first_form(
            self.paper.state.paper.texts(where_it_is.location.path)[where_it_is.block]
        )
        text = MENTION.sub("…", ANCHOR.sub("", text))
        ends = (m.start() for m in re.finditer(" ", text[_LONGEST_QUOTE * 2 : _LONGEST_QUOTE * 6]))
        cuts = (_LONGEST_QUOTE * 2 + end for end in ends)
        text = text[: next((cut for cut in cuts if text.count("$", 0, cut) % 2 == 0), None)]
        return safe(quoted_words(text))

    def text(self, name: str, number: int, quotes: list[str]) -> str:
        """A passage typeset (0 the statement, else a proof), its first known quote marked."""
        module, document = self.modules[name], self.paper.state.document
        passage = module.proofs[number - 1] if number else module.statement
        links = document.proofs[name][number - 1] if number else document.statements[name]
        text = first_form(self.paper.state.paper.texts(passage.location.path)[passage.block])
        text = text.removeprefix(f"({module.title}) ")  # the heading shows it
        text = _NAMED_REFERENCE.sub(r"\1", text) if "\\getrefby" in text else text
        text = self._as_written(self.cited(text), passage)
        text = self._with_matrices(text)
        for written, begin in self._claims.items() if CLAIM in text else ():
            text = text.replace(written, begin)
        span = next(filter(None, (marked(self.cited(quote), text) for quote in quotes)), None)

        def refer(index: int) -> Sequence[ReferenceLink]:
            targets = links.mentions[index] if index < len(links.mentions) else ()
            if index >= len(passage.mentions):
                return ()
            before = text.partition(f"\x02{index}\x03")[0]
            mention = passage.mentions[index]
            lead = self._lead(passage.location.path, mention, targets, before)
            found = self._reference(mention, targets, before + lead)
            if lead.endswith(" ") and found[0].anchor and mention.note.rstrip("*") in _PLAIN:
                return [found[0]._replace(words=lead + found[0].words), *found[1:]]
            return [ReferenceLink(lead), *found] if lead else found

        rows = self.equations.rows(self.anchor(name), passage, text)

        def number_of(index: int) -> str:
            key = passage.anchors[index] if index < len(passage.anchors) else ""
            found = self.paper.numbering.label(key)
            is_float = found is not None and found.kind in _FLOATS
            return str(found.text) if found is not None and is_float else ""

        floats = Floats(self._picture, number_of)
        made = typeset(text, self.maths, refer, span, rows, floats)
        # `\thelemma` in list labels of a lemma is filled in here, because typesetting has no
        # counters.
        path = passage.location.path
        counter = f"\\the{self.paper.state.paper.readings[path].blocks[passage.block].env}"
        own = f'<code class="tex">{escape(counter)}</code>'
        printed = self.paper.numbering.of(module) if own in made else None
        return made.replace(own, escape(safe(printed))) if printed else made

    @cached_property
    def _claims(self) -> dict[str, str]:
        """The beginnings of claims in texts, with what the paper prints instead."""
        syntax = self.paper.state.paper.syntax
        found: dict[str, str] = {}
        for env, theorem in syntax.theorems.items():
            word, kind = plain_text(theorem.printed).strip(), syntax.kinds.get(env, "").capitalize()
            if kind and "\\" not in word and word != kind:
                found[f"{CLAIM}{kind}. "] = f"{CLAIM}{word}. " if word else CLAIM
        return found

    def _picture(self, name: str, alt: str) -> str:
        """A picture of the repository as a part of the page; "" if it is not PNG or JPEG.

        Also "" if it is too large, or the page has reached its limit.
        """
        raw = self._pictures.get(self._picture_path(name), b"")
        kind = next((kind for kind, head in _PICTURES.items() if raw.startswith(head)), "")
        if not kind or sum(self.sizes) + len(raw) > _LARGEST_OF_ALL or len(raw) > _LARGEST_PICTURE:
            return ""
        self.sizes.append(len(raw))
        data = base64.b64encode(raw).decode("ascii")
        return f'<img src="data:image/{kind};base64,{data}" alt="{escape(safe(alt or name))}">'

    def _picture_path(self, name: str) -> str:
        """The path of a picture, given with or without its extension; "" if there is none."""
        paths = self.paper.state.paper.snapshot.paths
        listed = (
            posixpath.normpath(f"{folder}/{name}{end}")
            for folder in self._folders
            for end in _ENDINGS
        )
        wanted = (one for one in listed if one.lower().endswith(_ENDINGS[1:]))
        return next((one for one in wanted if one in paths), "")

    @cached_property
    def _pictures(self) -> dict[str, bytes]:
        """The small pictures of the repository that the paper's files name."""
        paper = self.paper.state.paper
        read = [path for path in paper.outline.order if path in paper.snapshot.files]
        names = {one[1].strip() for path in read for one in _PICTURE.finditer(paper.source(path))}
        paths = {self._picture_path(name) for name in names} - {""}
        return paper.snapshot.contents(sorted(paths), limit=_LARGEST_PICTURE)

    @cached_property
    def _folders(self) -> list[str]:
        r"""The folders of pictures: the root's, and those in `\graphicspath`."""
        paper = self.paper.state.paper
        root = posixpath.dirname(paper.root) or "."
        paths = [path for path in paper.outline.order if path in paper.snapshot.files]
        told = (_GRAPHICSPATH.search(_COMMENT.sub("", paper.source(path))) for path in paths)
        more = [one for match in told if match for one in re.findall(r"[^{}]+", match[1])]
        return [root, *(f"{root}/{one}" for one in more if not one.startswith("/"))]

    def _as_written(self, text: str, passage: Passage) -> str:
        """A text with the blanks and lines of its source, where a canonical text drops them."""
        if not _SPACED.search(text):
            return text
        path = passage.location.path
        place = self.paper.state.paper.readings[path].blocks[passage.block].place
        source = _INDEX.sub("", self.paper.state.paper.source(path)[place.start : place.end])
        written = {_bare(match[0]): match[0] for match in _SPACED.finditer(source)}
        return _SPACED.sub(lambda match: written.get(_bare(match[0]), match[0]), text)

    def _with_matrices(self, text: str) -> str:
        """A text with the paper's own matrix environments replaced by their definitions."""
        for _ in range(text.count("\\begin{") if self._matrices else 0):
            match = self._own_matrix.search(text)
            if match is None:
                break
            found = self._matrices[match[1]]
            groups = Groups(text)
            end = text.find(f"\\end{{{match[1]}}}", match.end())
            values, position = [], match.end()
            for _ in found.parameters:
                span = groups.braces(position)
                if span is None:
                    break
                values.append(text[slice(*span)])
                position = span[1] + 1
            if end < position or len(values) < len(found.parameters):
                break
            begin, closing = (
                substitute(Macro(found.parameters, body), values)
                for body in (found.begin, found.end)
            )
            behind = text[end + len(f"\\end{{{match[1]}}}") :]
            text = f"{text[: match.start()]}{begin}{text[position:end]}{closing}{behind}"
        return text

    @cached_property
    def _matrices(self) -> dict[str, Environment]:
        """The paper's own environments that begin a matrix and take no option."""
        surveys = self.paper.state.paper.surveys.values()
        listed = (one for survey in surveys for one in survey.environments)
        return {
            one.name: one._replace(begin=self._spread(one.begin), end=self._spread(one.end))
            for one in listed
            if _MATRIX.search(one.begin) and not one.has_optional and not one.is_theorem
        }

    def _spread(self, body: str) -> str:
        return " ".join(self._expander.template("", Macro((), body), 0).split())

    @cached_property
    def _own_matrix(self) -> re.Pattern[str]:
        return re.compile(rf"\\begin\{{({'|'.join(map(re.escape, self._matrices))})\}}")

    def abstract(self, front: FrontMatter) -> str:
        """The abstract typeset; references by label are named."""

        def refer(index: int) -> Sequence[ReferenceLink]:
            if index >= len(front.mentioned):
                return ()
            keys = front.mentioned[index]
            labels = self.paper.state.document.labels
            found = [place.module for key in keys if key in labels for place in labels[key][:1]]
            targets = tuple(LinkTarget(name, "", "") for name in found if name)
            before = front.abstract.partition(f"\x02{index}\x03")[0]
            return self._reference(Mention("reference", keys, "", 0, 0), targets, before)

        return typeset(self.cited(first_form(front.abstract)), self.maths, refer)

    def _lead(self, path: str, mention: Mention, targets: Sequence[LinkTarget], before: str) -> str:
        """The word before a reference in the source, unless the reference's name includes it.

        Canonical texts lack it: `Lemma~\\ref{x}` and `\\cref{x}` are the same to them. The name of
        a result includes its kind, but not "inequality", and a number includes no word at all.
        """
        words = self._words_before(path, mention)
        count = announced(words)
        if not count or mention.note in WORDED:
            return ""
        word = " ".join(words[-count:].replace("~", " ").split())
        opened = "(" if word.endswith("(") else ""
        bare = word.removesuffix("(").strip()
        if mention.note.rstrip("*") in _PLAIN:
            return opened if before.rstrip().endswith(bare) else f"{bare} {opened}"
        is_numbered = any(self.equations.has(key) or self._item(key) for key in mention.keys)
        is_heading = not is_numbered and not any(target.module for target in targets)
        is_named = is_heading or (not is_numbered and bool(named_kind(bare)))
        if is_named or not bare.isalpha() or before.rstrip().endswith(bare):
            return opened
        return f"{bare} {opened}"

    def _words_before(self, path: str, mention: Mention) -> str:
        """The text before a reference in the source, or in the macro that makes it."""
        source = self.paper.state.paper.source(path)
        command = _CALLED.match(source, mention.start)
        macro = self.paper.state.paper.syntax.macros.get(command[1]) if command else None
        if macro is None or command is None or command[1] == mention.note.rstrip("*"):
            return source[max(0, mention.start - _BEFORE) : mention.start]
        return macro.body[: max(0, macro.body.find(f"\\{mention.note}"))][-_BEFORE:]

    def _item(self, key: str) -> str:
        """The number of the list item with a label; "" if it is not an item."""
        number = self.paper.numbering.label(key)
        is_item = number is not None and number.kind in self._items
        return str(number.text) if number is not None and is_item else ""

    @cached_property
    def _items(self) -> frozenset[str]:
        """The counters of lists, including the paper's own (package enumitem)."""
        names = {match[1] for text in self._sources for match in _OWN_LIST.finditer(text)}
        return _ITEMS.union(f"{name}{level}" for name in names for level in LEVELS[1:])

    @cached_property
    def _sources(self) -> list[str]:
        paper = self.paper.state.paper
        paths = (path for path in paper.outline.order if path in paper.snapshot.files)
        return [paper.source(path) for path in paths if path in paper.surveys]

    @cached_property
    def _references(self) -> ReferenceNames:
        return ReferenceNames(self._sources)

    def _by_package(self, note: str, key: str, module_id: str) -> str | None:
        r"""The text that `\cref` or `\autoref` print for a key, if known."""
        if self.equations.has(key):
            words = self.equations.words(key)
            is_known = words != f"({safe(key)})"
            return self._references.called(note, "equation", "", words) if is_known else None
        number = self.paper.numbering.label(key)
        module = self.modules.get(module_id)
        if module is not None and module.role.stands_alone and key in module.labels:
            where_it_is = module.statement
            reading = self.paper.state.paper.readings.get(where_it_is.location.path)
            env = reading.blocks[where_it_is.block].env if reading else module.kind
            printed = self.paper.numbering.of(module)
            word = printed_kind(module, self.paper, printed)
            return self._references.called(note, env, word, safe(printed or "")) if word else None
        if number is None or (
            module is not None and module.role.stands_alone and number.kind not in self._items
        ):
            return None
        return self._references.called(note, number.kind, "", safe(str(number.text)))

    def _titled(self, key: str, module_id: str) -> str:
        r"""The title that `\nameref` prints for a key, of a result or heading; "" if none."""
        module = self.modules.get(module_id)
        if module is not None:
            is_its = module.role.stands_alone and key in module.labels
            return self.title(module_id) if is_its else ""
        number = self.paper.numbering.label(key)
        if number is None or number.kind not in _HEADED:
            return ""
        for reading in self.paper.state.paper.readings.values():
            for label in reading.labels:
                if label.key == key:
                    before = [one for one in reading.sections if one.offset <= label.offset]
                    return self.plain(before[-1].title) if before else ""
        return ""

    def _reference(
        self, mention: Mention, targets: Sequence[LinkTarget], before: str
    ) -> list[ReferenceLink]:
        """The name of a mention: a result by its name, an equation by its number."""
        keys = mention.keys
        if mention.note in WORDED:
            return self._worded(keys, targets)
        if mention.note in RANGES and all(map(self.equations.has, keys)):
            links = [self._equation(key, mention.note, before) for key in keys]
            return [*links[:1], ReferenceLink("–"), *links[1:]] if len(links) > 1 else links
        if len(targets) != len(keys):  # a range of results
            links = [self._result(target.module) for target in targets if target.module]
            return _listed(links or [ReferenceLink(self._numbered(key, before)) for key in keys])
        return _listed(
            self._one(key, target, mention.note, before)
            for key, target in zip(keys, targets, strict=True)
        )

    def _one(self, key: str, target: LinkTarget, note: str, before: str) -> ReferenceLink:
        """The name of one key: an equation or item by its number, a result by its name.

        A plain reference gives only the number, as in LaTeX.
        """
        if note.rstrip("*") in _PLAIN:
            return self._plain(key, target, before)
        title = self._titled(key, target.module) if note.rstrip("*") in _TITLES else ""
        is_open = before.rstrip(" ~\xa0").endswith("(") and self.equations.has(key)
        called = title or (None if is_open else self._by_package(note, key, target.module))
        if called:
            anchor = self.equations.anchor(key)
            anchor = anchor or (self.anchor(target.module) if target.module else "")
            return ReferenceLink(called, anchor)
        if self.equations.has(key):
            return self._equation(key, note, before)
        item = self._item(key)
        if item and target.module:
            kind = "item " if note.lower().startswith(("cref", "autoref")) else ""
            kind = kind.capitalize() if note.startswith("C") else kind
            return ReferenceLink(f"{kind}{safe(item)}", self.anchor(target.module))
        if target.module:
            return self._result(target.module, key)
        return ReferenceLink(self._numbered(key, before))

    def _plain(self, key: str, target: LinkTarget, before: str) -> ReferenceLink:
        """The number of a label; if uncertain, its key, or a title in its place."""
        anchor = self.equations.anchor(key) or (self.anchor(target.module) if target.module else "")
        number = self.paper.numbering.label(key)
        if number is not None and number.text:
            text = safe(str(number.text))
            return ReferenceLink(text.strip("()") if number.kind == "equation" else text, anchor)
        if self.equations.has(key):
            words = self.equations.words(key)
            return ReferenceLink(words if words != f"({safe(key)})" else f"[{safe(key)}]", anchor)
        module = self.modules.get(target.module)
        if module is None or not module.role.stands_alone or key not in module.labels:
            return ReferenceLink(f"[{safe(key)}]", anchor)
        printed, title = self.paper.numbering.of(module), self.title(target.module)
        is_announced = (
            title and before.endswith(" ") and bool(named_kind(before.rsplit(maxsplit=1)[-1]))
        )
        shown = safe(printed or "") or (f"({title})" if is_announced else f"[{safe(key)}]")
        return ReferenceLink(shown, anchor)

    def _worded(self, words: Sequence[str], targets: Sequence[LinkTarget]) -> list[ReferenceLink]:
        """The name of a mention in words; an equation stays as written."""
        named = [target.module for target in targets if target.module]
        if not named or not all(self.modules[name].role.stands_alone for name in named):
            return [ReferenceLink(", ".join(words), self.anchor(named[0]) if named else "")]
        return _listed(
            self._result(one.module) if one.module else ReferenceLink(safe(one.word))
            for one in targets
        )

    def _result(self, name: str, key: str = "") -> ReferenceLink:
        return ReferenceLink(self._referred(name, key), self.anchor(name))

    def _equation(self, key: str, note: str, before: str) -> ReferenceLink:
        words = self.equations.words(key)
        if before.rstrip(" ~\xa0").endswith("("):
            words = words.removeprefix("(").removesuffix(")")
        elif note.startswith(("Cref", "Auto", "auto")):
            words = f"Equation {words}"
        return ReferenceLink(words, self.equations.anchor(key))

    def _numbered(self, key: str, before: str) -> str:
        """A label by its number: `Section 3.2`, or `3.2` after its kind; else by its key."""
        number = self.paper.numbering.label(key)
        if number is None or not number.text:
            return f"[{key}]"
        text = str(number.text)
        if number.kind == "equation":
            return f"({text.strip('()')})"
        kind = _SHOWN_KINDS.get(number.kind, number.kind)
        if (
            kind in self._items | _UNNAMED
            or not kind.isalpha()
            or before.rstrip(" ~\xa0").lower().endswith(kind)
        ):
            return text
        return f"{kind.capitalize()} {text}"

    def _referred(self, name: str, key: str = "") -> str:
        module = self.modules[name]
        if module.role.stands_alone:
            return self.called(name)
        number = self.paper.numbering.of(module)
        if number:
            return f"({safe(number)})"
        counted = self.paper.numbering.label(key) if key else None
        if counted is not None and counted.kind in _FLOATS and counted.text:
            return f"{counted.kind.capitalize()} {safe(str(counted.text))}"
        return f"[{safe(key)}]" if key else f"({safe(module.label or 'an equation')})"

    @cached_property
    def arrows(self) -> dict[tuple[str, str], bool]:
        """Which entry uses which; True if by a reference, False if only by words."""
        found: dict[tuple[str, str], bool] = {}
        for edge in iter(self.paper.state.document.edges):
            pair = self.entry(edge.source), self.entry(edge.target)
            if pair[0] != pair[1]:
                found[pair] = found.get(pair, False) or edge.via not in BY_WORDS
        return found

    @cached_property
    def general(self) -> dict[str, int]:
        """Sentences on which nearly all later results depend by words, with the number of these."""
        found = Counter(
            target
            for (source, target), is_cited in self.arrows.items()
            if not is_cited and source in self._stands
        )
        behind = [self.modules[name].position for name in self.shown]
        return {
            name: count
            for name, count in found.items()
            if count >= _FEWEST_OF_ALL
            and self.modules[name].role in (Role.NOTATION, Role.CONVENTION)
            and count >= _NEARLY * (len(behind) - bisect_right(behind, self.modules[name].position))
        }

    @cached_property
    def _stands(self) -> frozenset[str]:
        return frozenset(self.shown)

    def proof_title(self, module: Module, number: int) -> str:
        """The heading of a proof, typeset: the title that the paper gives it, else `Proof`."""
        passage = module.proofs[number - 1]
        block = self.paper.state.paper.readings[passage.location.path].blocks[passage.block]
        title = typeset(self.expanded(block.title), self.maths).strip() if block.title else ""
        plain = "Proof" if number == 1 else f"Proof {number}"
        is_title = title and 'class="tex"' not in title and "<a " not in title
        return title if is_title and len(block.title) <= _LONGEST_QUOTE * 2 else plain

    def sentence(self, name: str) -> str:
        """A sentence of the text, typeset."""
        return self.text(name, 0, [])

    @cached_property
    def lean(self) -> dict[str, LeanRow]:
        """The results with a Lean declaration in the repository, with the assumptions of both."""
        return lean_rows(self.paper.state, self.shown)

    @cached_property
    def rests_on(self) -> dict[str, list[str]]:
        """The results that each result uses."""
        found: dict[str, list[str]] = {}
        for source, target in self.arrows:
            found.setdefault(source, []).append(target)
        return found

    @cached_property
    def used_by(self) -> dict[str, list[str]]:
        """The results that use each result."""
        found: dict[str, list[str]] = {}
        for source, target in self.arrows:
            found.setdefault(target, []).append(source)
        return found


def bibliography_labels(texts: Iterable[str]) -> dict[str, str]:
    """The printed labels of keys in bibliographies; numbers for entries without a label."""
    found: dict[str, str] = {}
    for text in texts:
        labels = {
            match["key"].strip(): match["label"]
            for match in _ENTRY.finditer(_COMMENT.sub("", text))
        }
        is_numbered = not any(labels.values())
        for number, (key, label) in enumerate(labels.items(), 1):
            shown = str(number) if is_numbered else safe(plain_text(_YEAR.sub(r" \1", label or "")))
            if shown.strip("{}") and "\\" not in shown:
                found.setdefault(key, shown.strip("{}"))
    return found


def entry(at: PaperOnPage, name: str) -> str:
    """The article of one result."""
    module, state = at.modules[name], at.states[name].value
    anchor = escape(at.anchor(name))
    found = at.findings.get(name, [])
    beside = f'<div class="beside">{"".join(_cards(at, found))}</div>' if found else ""
    return (
        f'<article id="{anchor}" class="entry {state.name}" aria-labelledby="h-{anchor}">'
        f'<h3 id="h-{anchor}">{_heading(at, name)}</h3>'
        f'<p class="facts"><span class="state">{escape(state.words)}</span>{_guess(module)} '
        f"<code>{escape(where(module.statement))}</code> {_focus(at, name)}</p>"
        f'<div class="pair"><div class="text">{"".join(_texts(at, module, found))}</div>'
        f"{beside}</div>{_in_lean(at, name)}{_neighbours(at, name)}</article>"
    )


def _in_lean(at: PaperOnPage, name: str) -> str:
    """The assumptions in the words beside the binders of the Lean declarations, to compare."""
    row = at.lean.get(name)
    if row is None:
        return ""
    said = "".join(f"<li>{typeset(item, at.maths)}</li>" for item in row.supposes)
    rows = [
        f'<tr><th scope="row">in words</th><td>'
        f"{f'<ul>{said}</ul>' if said else 'nothing that was recognised'}</td></tr>"
    ]
    for found in row.declarations:
        rows.append(
            f'<tr><th scope="rowgroup" colspan="2"><code>{escape(safe(found.name))}</code> '
            f'<span class="facts">{escape(safe(found.path))}</span></th></tr>'
        )
        for kind, words in KIND_WORDS.items():
            if listed := found.of_kind(kind):
                cells = " ".join(f"<code>{escape(safe(item))}</code>" for item in listed)
                rows.append(f'<tr><th scope="row">{words}</th><td>{cells}</td></tr>')
    return (
        '<details class="in-lean"><summary>What it assumes, in words and in Lean</summary>'
        f"<table>{''.join(rows)}</table></details>"
    )


def _guess(module: Module) -> str:
    return " · proof attached by a guess" if module.is_guessed else ""


def _heading(at: PaperOnPage, name: str) -> str:
    state = at.states[name].value
    module = at.modules[name]
    title = "" if at.is_numbered(name) else typeset(at.expanded(module.title), at.maths)
    by = reader_of(at.paper, name)
    return (
        f'<span class="glyph" aria-hidden="true">{state.glyph}</span> {escape(at.name(name))}'
        + (f' <span class="title">({title})</span>' if title else "")
        + (f' <span class="read">· accepted by {escape(by)}</span>' if by else "")
    )


def _focus(at: PaperOnPage, name: str) -> str:
    words = escape(at.called(name))
    return (
        f'<a class="in-graph" href="#focus={fragment(at.ids[name])}&amp;dir=up&amp;depth=2" '
        f'aria-label="{words} in the graph">in the graph</a>'
    )


def fragment(name: str) -> str:
    """An id as a URL fragment."""
    return "".join(
        chr(byte) if chr(byte).isalnum() and byte < 128 else f"%{byte:02X}"
        for byte in name.encode("utf-8", "replace")
    )


def _texts(at: PaperOnPage, module: Module, found: list[Finding]) -> Iterator[str]:
    quotes = [item.quote for item in found if item.quote and item.dismissed is None]
    yield f'<div class="statement">{at.text(module.id, 0, quotes)}</div>'
    for number in range(1, len(module.proofs) + 1):
        title = at.proof_title(module, number)
        text = at.text(module.id, number, quotes)
        yield f'<details class="proof" open><summary>{title}</summary><div>{text}</div></details>'


def _cards(at: PaperOnPage, found: list[Finding]) -> Iterator[str]:
    for item in found:
        yield card(at, item)


def card(at: PaperOnPage, finding: Finding) -> str:
    """A finding with its votes, its reason, and how to answer it."""
    is_read = finding in at.paper.objections
    look = _look(at, finding)
    votes = f" · {finding.votes} of {plural(finding.rollouts, 'reading')}" if is_read else ""
    alike = likeness_words(finding)
    blocks = " · blocks" if finding in at.paper.blocking else ""
    parts = [
        f'<section class="finding {look.name}" aria-label="Finding {escape(finding.id)}">',
        f"<h4>{look.glyph} {escape(safe(finding.rule))}{blocks}{votes} · {escape(finding.id)}</h4>",
        f"<p>{at.message(finding)}</p>",
        f"<blockquote>{at.quote(finding)}</blockquote>" if finding.quote else "",
        f'<p class="facts">The quote: {alike}.</p>' if alike else "",
    ]
    if finding.reason:
        reason = typeset(finding.reason, at.maths)
        parts.append(f"<details><summary>Why</summary><p>{reason}</p></details>")
    if finding.reopened is not None:
        told = "Answered earlier, but what it depends on has changed: "
        parts.append(f"<p>{told}{escape(safe(finding.reopened))}</p>")
    parts.append(f'<p class="facts"><code>{escape(place_of(finding))}</code></p>')
    parts.append(_answer(finding, is_read=is_read))
    return "".join([*parts, "</section>"])


def _answer(finding: Finding, *, is_read: bool) -> str:
    if finding.dismissed is not None:
        return f'<p class="facts">Answered: {escape(safe(finding.dismissed))}</p>'
    if finding.rule in NEVER:
        return f'<p class="facts">{escape(unanswerable(finding.rule))}</p>'
    way = f"pf dismiss {finding.id} --reason '…'" if is_read else f"% pf: ignore[{finding.id}] …"
    return f'<p class="facts">Wrong? <code>{escape(way)}</code></p>'


def _look(at: PaperOnPage, finding: Finding) -> PageLook:
    if finding.dismissed is not None:
        return StatusLook.ANSWERED.value
    if finding not in at.paper.objections and finding not in at.paper.blocking:
        return PageLook(finding.severity.value, "·", "")
    state = StatusLook.GAP if finding in at.paper.blocking else StatusLook.POSSIBLE
    found: PageLook = state.value
    return found


def _neighbours(at: PaperOnPage, name: str) -> str:
    uses = [
        one for one in at.rests_on.get(name, []) if at.arrows[name, one] or one not in at.general
    ]
    both = (
        ("Depends on", [one for one in uses if at.arrows[name, one]]),
        ("By wording", [one for one in uses if not at.arrows[name, one]]),
        ("Used by", [one for one in at.used_by.get(name, []) if at.arrows[one, name]]),
        ("Used, by wording", [one for one in at.used_by.get(name, []) if not at.arrows[one, name]]),
    )
    cited = [
        f"{escape(safe(item.locator))} of {escape(at.work(item.key))}"
        for item in dict.fromkeys(at.modules[name].cites)
    ]
    rows = [
        f"<div><dt>{title}</dt><dd>{_links(at, names)}</dd></div>" for title, names in both if names
    ]
    rows += (
        [f"<div><dt>Cites</dt><dd>{', '.join(dict.fromkeys(cited))}</dd></div>"] if cited else []
    )
    return f'<dl class="near">{"".join(rows)}</dl>' if rows else ""


def _links(at: PaperOnPage, names: list[str]) -> str:
    few, rest = names[:_MOST], names[_MOST:]
    text = ", ".join(at.link(name) for name in few)
    if not rest:
        return text
    more = ", ".join(at.link(name) for name in rest)
    head = f"<summary>and {len(rest):,} more</summary>"
    return f'{text} <details class="more">{head}{more}</details>'


def _listed(links: Iterable[ReferenceLink]) -> list[ReferenceLink]:
    """Links separated by commas, without duplicates."""
    comma = ReferenceLink(", ")
    return [piece for link in dict.fromkeys(links) for piece in (comma, link)][1:]


_SHOWN_KINDS = {"subsection": "section", "subsubsection": "section", "subappendix": "appendix"}
_BEFORE = 40
"""How many characters before a reference are searched for the word that announces it."""
_ENDINGS = ("", ".png", ".jpg", ".jpeg")
_PICTURES = {"png": b"\x89PNG\r\n\x1a\n", "jpeg": b"\xff\xd8\xff"}
_LARGEST_PICTURE, _LARGEST_OF_ALL = 200_000, 3_000_000
_PICTURE = regex(r"\\includegraphics\*?\s*(?:\[[^\[\]]{0,300}\])?\s*\{([^{}\n]{1,200})\}")
_GRAPHICSPATH = regex(r"\\graphicspath\s*\{((?:\s*\{[^{}]{0,200}\}){1,20})\s*\}")
_PLAIN = frozenset({"ref", "vref", "subref"})
"""Commands that print only a number."""
_FLOATS = frozenset({"figure", "table"})
_TITLES = frozenset({"nameref", "Nameref"})
_HEADED = frozenset({*SECTIONS, "appendix", "subappendix"})
"""The kinds of numbers that belong to headings."""
_OWN_LIST = regex(r"\\newlist\s*\{([A-Za-z]{1,40})\}")
_CALLED = regex(r"\\([A-Za-z@]+)")
_ITEMS = frozenset({"enumi", "enumii", "enumiii", "enumiv", "item"})
_UNNAMED = frozenset({"page", "footnote"})
"""Kinds of numbers that are shown without a name."""
_REFERENCE = regex(
    r"\\(?P<by>[cCvV]|auto|Auto|eq|page|name|Name|)ref\*?\s*\{(?P<keys>[^{}]{1,300})\}"
)
_LABEL = regex(
    r"\\(?:label|uses|lean|proves)\s*\{[^{}]*\}|\\(?:leanok|mathlibok|notready)(?![A-Za-z])"
)
_SPACED = regex(
    r"\\(?:text(?:rm|bf|it|sf|tt|normal|up)?|mbox|hbox|intertext|shortintertext)\s*"
    r"\{[^{}]{0,2000}(?:\{(?:[^{}]|\{[^{}]{0,200}\}){0,500}+\}[^{}]{0,2000}){1,40}+\}"
    r"|\\begin\{(?P<letters>verbatim\*?|Verbatim|lstlisting|alltt|minted|code)\}"
    r".*?\\end\{(?P=letters)\}",
    re.DOTALL,
)
"""Text that loses blanks in a canonical text: words with braces in formulas, and code."""
_NAMED_REFERENCE = regex(
    r"\\if\\vcenter\\getrefbykeydefault\s*\{[^{}]*\}\s*\{name\}\s*\{\}\s*\\vcenter(?![A-Za-z])"
    r"([^\\]{0,200})\\else(?![A-Za-z])[^\\]{0,400}\\fi(?![A-Za-z])"
)
r"""`\cref` or `\nameref`, chosen by whether a label has a name, as users of refcount test it."""
_INDEX = regex(r"\\index\s*\{[^{}]{0,200}\}")
_MATRIX = regex(
    r"\\begin\s*\{(?:small|[bpvBV])?(?:matrix|smallmatrix|array|aligned|gathered|cases)\*?\}"
)
_SIZED = regex(r"\\(?:left|right|[bB]igg?[lrm]?)(?![A-Za-z])\s*\.?")
_OPERATOR = regex(
    r"\\(dim|deg|ker|det|exp|log|ln|sin|cos|tan|max|min|sup|inf|lim|gcd|hom|arg|Pr|LaTeX|TeX)(?![A-Za-z])"
)
_MODULO = regex(r"\\pmod\s*(\{[^{}]*\}|[^\s\\])")
_CITE = regex(r"(\\cite[A-Za-z]*\*?\s*(?:\[[^\]]*\]){0,2}\{)([^{}]*)\}")
_COMMENT = regex(r"(?<!\\)%[^\n]*")
_ENTRY = regex(
    r"\\bibitem\s*(?:\[(?P<label>(?:[^\[\]{}]|\{(?:[^{}]|\{[^{}]*\}){0,200}\}){0,300})\]\s*)?"
    r"\{(?P<key>[^{}]+)\}"
)
_YEAR = regex(r"\((\d{4}[a-z]?)\).*", re.DOTALL)
"""natbib's labels: Author(2016)All Authors."""
_FOR_PDF = regex(r"\\texorpdfstring\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*\{[^{}]*\}")
BY_WORDS = frozenset({Via.TERM, Via.NOTATION, Via.INTRODUCTION, Via.SCOPE})


def _bare(text: str) -> str:
    """A text without its white space and ties."""
    return "".join(text.split()).replace("~", "")


def where(passage: Passage) -> str:
    """File and line."""
    return f"{safe(passage.location.path)}:{passage.location.line}"


_OF = {
    Status.CHECKED: StatusLook.CHECKED,
    Status.CONDITIONAL: StatusLook.CONDITIONAL,
    Status.UNREACHED: StatusLook.UNREAD,
    Status.GIVEN: StatusLook.GIVEN,
    Status.CITED: StatusLook.CITED,
    Status.FORMAL: StatusLook.FORMAL,
    Status.DISMISSED: StatusLook.ANSWERED,
    Status.OMITTED: StatusLook.OMITTED,
}


def states(paper: PaperReport) -> dict[str, StatusLook]:
    """The look of every module."""
    blocking = {item.module for item in paper.blocking}
    stale = set(paper.plan.unread)
    modules = paper.state.document.modules
    return {
        name: StatusLook.BARE
        if standing(paper, name).bare
        else state(
            status,
            is_blocking=name in blocking,
            is_stale=name in stale,
            is_at_fault=name in paper.at_fault,
            is_in_lean=is_stated_in_lean(paper, modules[name]),
        )
        for name, status in paper.statuses.items()
    }


def state(
    status: Status,
    *,
    is_blocking: bool,
    is_stale: bool,
    is_at_fault: bool = False,
    is_in_lean: bool = False,
) -> StatusLook:
    """The look of a module with a status; what is at fault was accepted, and is no plain pass.

    `is_in_lean`: its statement is marked as formalised, and nothing else.
    """
    if is_at_fault:
        return StatusLook.FAULT
    if status is Status.FLAGGED:
        return StatusLook.GAP if is_blocking else StatusLook.POSSIBLE
    if status is Status.UNREACHED and is_stale:
        return StatusLook.STALE
    if is_in_lean:
        return StatusLook.DEFINED if status is Status.GIVEN else StatusLook.STATED
    return _OF[status]


_SLOT = regex(
    r"\b(?:Result|Remark|Definition|Assumption|Convention) \d+\b|\(E\d+\)"
    r"|\\tag\{E\d+\}|the statement to be proved"
    r"|\[(?:a section|a figure or table|a proof|elsewhere)\]"
)
_IDLE = regex(rf"{ANCHOR.pattern}|[\s\[\]{CLAIM}{CLAIM_END}{GIVEN}]+")
_ENDS = " \"'`.,;:…“”‘’"
_SHORTEST = 3
_HOLE = "\x02"


def marked(quote: str, text: str) -> tuple[int, int] | None:
    """The offsets of a quote in a text; slots match any reference, white space is ignored."""
    wanted = _IDLE.sub("", _SLOT.sub(_HOLE, quote.strip(_ENDS)))
    if len(wanted) < _SHORTEST:
        return None
    squeezed, spans = _squeezed(text)
    start = squeezed.find(wanted)
    if start < 0:
        return None
    return spans[start][0], spans[start + len(wanted) - 1][1]


def _squeezed(text: str) -> tuple[str, list[tuple[int, int]]]:
    """A text without ignored characters, with the span of each remaining one."""
    letters: list[str] = []
    spans: list[tuple[int, int]] = []
    position = 0
    while position < len(text):
        idle = _IDLE.match(text, position)
        if idle:
            position = idle.end()
            continue
        mention = MENTION.match(text, position)
        letters.append(_HOLE if mention else text[position])
        spans.append(mention.span() if mention else (position, position + 1))
        position = spans[-1][1]
    return "".join(letters), spans
