"""One paper as the parts of a page see it: names, anchors, looks, links between results."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape

from pfcore.domain.values import Edge, Finding, Module, Passage, Role, Via
from pfcore.latex.blocks.expansion import Expander
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.macros.macro import Macro
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.reporters.html.marks import marked
from pfcore.reporters.html.states import StatusLook, states
from pfcore.reporters.html.typeset import Maths, ReferenceLink, typeset
from pfcore.reporters.ids import visible
from pfcore.reporters.module_names import is_number
from pfcore.reporters.printing import safe
from pfcore.review.review import PaperReport

_FOR_PDF = re.compile(r"\\texorpdfstring\s*\{((?:[^{}]|\{[^{}]*\})*)\}\s*\{[^{}]*\}")
BY_WORDS = frozenset({Via.TERM, Via.NOTATION, Via.SCOPE})


@dataclass(frozen=True, kw_only=True)
class PaperOnPage:
    """A paper on a page; `ids` are its modules as printed."""

    paper: PaperReport
    ids: Mapping[str, str]
    maths: Maths

    @property
    def modules(self) -> Mapping[str, Module]:
        """The modules by their ids."""
        return self.paper.state.document.modules

    @cached_property
    def shown(self) -> list[str]:
        """The modules with an entry of their own, in the order of the paper."""
        return [
            name for name in visible(self.paper) if self.modules[name].role is not Role.FRAGMENT
        ]

    @cached_property
    def states(self) -> dict[str, StatusLook]:
        """How the modules look."""
        return states(self.paper)

    @cached_property
    def findings(self) -> dict[str, list[Finding]]:
        """The findings about a module, by the entry where they are shown."""
        found: dict[str, list[Finding]] = {}
        for item in self.paper.findings:
            if item.module is not None:
                found.setdefault(self.entry(item.module), []).append(item)
        return found

    def entry(self, name: str) -> str:
        """The module in whose entry another is shown: equations stand in their result."""
        seen: set[str] = set()
        while name in self.modules and self.modules[name].role is Role.FRAGMENT:
            parent = self.modules[name].parent
            if parent is None or name in seen:
                break
            seen.add(name)
            name = parent
        return name

    def anchor(self, name: str) -> str:
        """The fragment of an entry; "" where there is none."""
        entry = self.entry(name)
        known = self.modules.get(entry)
        if known is None or known.role is Role.FRAGMENT:
            return ""
        return "r:" + "_".join(safe(self.ids[entry]).split())

    def name(self, name: str) -> str:
        """Kind and number: `Lemma 3.2`; else its label, or where it stands."""
        module = self.modules[name]
        kind = safe(module.kind).capitalize()
        number = self.paper.numbering.of(module) or module.label
        if number or module.title:
            return f"{kind} {safe(number or '')}".strip()
        return f"{kind}, {where(module.statement).rpartition('/')[2]}"

    def title(self, name: str) -> str:
        """The title as plain text; "" if there is none, or if it says only the number."""
        return "" if self.is_numbered(name) else self.plain(self.modules[name].title)

    def is_numbered(self, name: str) -> bool:
        """Whether the title says only the number."""
        module = self.modules[name]
        return is_number(module.title, self.paper.numbering.of(module))

    def plain(self, text: str) -> str:
        """A title or a heading as plain text."""
        return safe(plain_text(self.expanded(text)))

    def expanded(self, text: str) -> str:
        """A title or a heading as LaTeX without macros of the paper."""
        if "\\" not in text:
            return text
        text = _FOR_PDF.sub(r"\1", text)
        return self._expander.template("", Macro((), text), 0)

    @cached_property
    def _expander(self) -> Expander:
        syntax = self.paper.state.paper.syntax
        return Expander(syntax, Lexicon(syntax.macros))

    def link(self, name: str) -> str:
        """A link to an entry, by sign and name."""
        state = self.states[name].value
        title = f" ({escape(self.title(name))})" if self.title(name) else ""
        return (
            f'<a class="to {state.name}" href="#{escape(self.anchor(name))}">'
            f'<span class="glyph" aria-hidden="true">{state.glyph}</span> '
            f"{escape(self.name(name))}{title}</a>"
        )

    def text(self, name: str, number: int, quotes: list[str]) -> str:
        """A passage typeset (0 the statement, else a proof), the first quote in it marked."""
        module, document = self.modules[name], self.paper.state.document
        passage = module.proofs[number - 1] if number else module.statement
        links = document.proofs[name][number - 1] if number else document.statements[name]
        text = self.paper.state.paper.texts(passage.location.path)[passage.block]
        text = text.removeprefix(f"({module.title}) ")  # the heading has it
        span = next(filter(None, (marked(quote, text) for quote in quotes)), None)

        def refer(index: int) -> ReferenceLink:
            targets = links.mentions[index] if index < len(links.mentions) else ()
            named = [target for target in targets if target.module]
            if not named:
                keys = ", ".join(passage.mentions[index].keys) if targets else ""
                return ReferenceLink(f"[{keys}]" if keys else "", "")
            words = ", ".join(dict.fromkeys(map(self._called, (t.module for t in named))))
            return ReferenceLink(words, self.anchor(named[0].module))

        return typeset(text, self.maths, refer, span)

    def _called(self, name: str) -> str:
        module = self.modules[name]
        if module.role is not Role.FRAGMENT:
            return self.name(name)
        number = self.paper.numbering.of(module)
        return f"({safe(number)})" if number else f"({safe(module.label or 'an equation')})"

    @cached_property
    def arrows(self) -> dict[tuple[str, str], bool]:
        """Who uses whom, by entries; whether some reference says so, or words alone."""
        found: dict[tuple[str, str], bool] = {}
        for edge in self._edges():
            pair = self.entry(edge.source), self.entry(edge.target)
            if pair[0] != pair[1]:
                found[pair] = found.get(pair, False) or edge.via not in BY_WORDS
        return found

    def _edges(self) -> Iterator[Edge]:
        return iter(self.paper.state.document.edges)

    @cached_property
    def rests_on(self) -> dict[str, list[str]]:
        """What each result uses."""
        found: dict[str, list[str]] = {}
        for source, target in self.arrows:
            found.setdefault(source, []).append(target)
        return found

    @cached_property
    def used_by(self) -> dict[str, list[str]]:
        """Who uses each result."""
        found: dict[str, list[str]] = {}
        for source, target in self.arrows:
            found.setdefault(target, []).append(source)
        return found


def where(passage: Passage) -> str:
    """File and line."""
    return f"{safe(passage.location.path)}:{passage.location.line}"
