"""Operators that plant one error in a statement or proof.

In formulas: a reversed inequality, an index off by one, a wrong sign or constant. In words: a
dropped hypothesis, swapped quantifiers, a missing case. In citations: a wrong lemma, more than a
lemma says, a circular argument.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from pfcore.domain.values import Mention, Module, ModulePart, Passage, Role, Via
from pfcore.graph.paper_state import PaperState
from pfcore.latex.lexer.mask import mask

_FORMULA = re.compile(
    r"(?<!\\)\$\$.+?(?<!\\)\$\$|(?<![\\$])\$[^$]+?(?<!\\)\$|(?<!\\)\\\[.+?\\\]|(?<!\\)\\\(.+?\\\)"
    r"|\\begin\{(equation|align|gather|multline|eqnarray|alignat|flalign)(\*?)\}"
    r".+?\\end\{\1\2\}",
    re.DOTALL,
)
_APART = re.compile(
    r"\\(?:label|tag|[A-Za-z]*ref|cite\w*|text\w*|mbox|operatorname|begin|end|[hv]space|uses|lean"
    r"|includegraphics|input|url|href|footnote)\*?\s*(?:\[[^\][]*\])?\{[^{}]*\}"
    r"|\\\\\s*\[[^\][]*\]"
)
"""Arguments that are not mathematics: labels, words, lengths."""

_STOP = re.compile(r"(?<=[a-z)\]}$])\.(?=\s|\Z)|\n[ \t]*\n|\\item\b|\\\]|\\(?:begin|end)\{[^{}]*\}")

_LEADING = re.compile(
    r"(?:\s|\\(?:label|lean|uses|index|proves|[a-z]+ok|notready)\b(?:\{[^{}]*\})?|\[[^\][]*\])*"
)
"""What may precede the first sentence: a title, labels, marks of a blueprint."""


class SourceEdit(NamedTuple):
    """A span of a file, and its replacement."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, kw_only=True)
class PassageWords:
    """A passage of a module; offsets are relative to its file."""

    state: PaperState
    module: Module
    part: ModulePart
    passage: Passage

    @cached_property
    def text(self) -> str:
        """The file's text without comments, up to the passage's end."""
        where = self.passage.location
        return mask(self.state.paper.source(where.path)).text[: where.end]

    @property
    def start(self) -> int:
        """The offset of the passage in its file."""
        return self.passage.location.start

    @cached_property
    def maths(self) -> str:
        """The text with everything blanked except the mathematics in formulas."""
        kept = [" "] * len(self.text)
        for found in _FORMULA.finditer(self.text, self.start):
            formula = _APART.sub(lambda apart: " " * len(apart[0]), found[0])
            kept[found.start() : found.end()] = formula
        return "".join(kept)

    def formulas(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """The matches of a pattern in formulas."""
        return pattern.finditer(self.maths, self.start)

    def words(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        """The matches of a pattern in the source."""
        return pattern.finditer(self.text, self.start)

    @cached_property
    def sentences(self) -> tuple[tuple[int, int], ...]:
        """The spans of the sentences, including their full stops."""
        return tuple(self._sentences())

    def _sentences(self) -> Iterator[tuple[int, int]]:
        covered = {i for found in self.words(_FORMULA) for i in range(found.start(), found.end())}
        start = self.start
        for stop in self.words(_STOP):
            if stop.start() in covered and stop[0] != "\\]":
                continue
            yield from self._stripped(start, stop.end() if stop[0] == "." else stop.start())
            start = stop.end()
        yield from self._stripped(start, len(self.text))

    def _stripped(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        leading = _LEADING.match(self.text, start, end)
        start = leading.end() if leading else start
        if text := self.text[start:end].rstrip():
            yield start, start + len(text)


Operator = Callable[[PassageWords], Iterator[SourceEdit]]


def passages(state: PaperState, module: Module) -> list[PassageWords]:
    """The statement and the proofs of a module."""
    listed = [
        (ModulePart.STATEMENT, module.statement),
        *((ModulePart.PROOF, item) for item in module.proofs),
    ]
    return [
        PassageWords(state=state, module=module, part=part, passage=passage)
        for part, passage in listed
    ]


_TURNED = {
    "<": ">",
    ">": "<",
    r"\lt": r"\gt",
    r"\gt": r"\lt",
    r"\le": r"\ge",
    r"\ge": r"\le",
    r"\leq": r"\geq",
    r"\geq": r"\leq",
    r"\leqslant": r"\geqslant",
    r"\geqslant": r"\leqslant",
    r"\lesssim": r"\gtrsim",
    r"\gtrsim": r"\lesssim",
}
_RELATION = re.compile(
    r"(?<!\\left)(?<!\\right)(?<![-=])(?:[<>]|\\(?:l[te]|g[te]|[lg]eq(?:slant)?|lesssim|gtrsim)(?![A-Za-z]))"
)
_FIRST = re.compile(r"(?<=_)\{\s*[a-zA-Z]\s*=\s*(?P<number>[01])\s*\}")
_NEXT = re.compile(r"(?<=[_^])\{\s*[a-zA-Z](?P<step>\s*[+-]\s*1)\s*\}")
_SIGN = re.compile(r"(?<=[\w})\]])\s*(?P<sign>[+-])\s*(?=[\w\\({])")
_CONSTANT = re.compile(r"(?<![\w.{^\\&])(?P<number>[2-9])(?![\d.])")


def flipped_inequality(words: PassageWords) -> Iterator[SourceEdit]:
    """Reverse an inequality in a proof."""
    if words.part is ModulePart.PROOF:
        for found in words.formulas(_RELATION):
            yield SourceEdit(*found.span(), _TURNED[found[0]])


def off_by_one_index(words: PassageWords) -> Iterator[SourceEdit]:
    """Shift an index in a proof by one: i = 1 for i = 0, n for n + 1."""
    if words.part is ModulePart.PROOF:
        for found in words.formulas(_FIRST):
            yield SourceEdit(*found.span("number"), "10"[int(found["number"])])
        for found in words.formulas(_NEXT):
            yield SourceEdit(*found.span("step"), "")


def sign_or_constant(words: PassageWords) -> Iterator[SourceEdit]:
    """Change a sign in a proof, or increase a constant by one."""
    if words.part is ModulePart.PROOF:
        for found in words.formulas(_SIGN):
            yield SourceEdit(*found.span("sign"), "-" if found["sign"] == "+" else "+")
        for found in words.formulas(_CONSTANT):
            yield SourceEdit(*found.span(), str(int(found[0]) + 1))


_HYPOTHESES = re.compile(r"(?:Let|Suppose|Assume|Given|Fix|If|For (?:every|each|any|all))\b")
_CONCLUSION = re.compile(r"\bthen\b|\bwe have\b|\bthere (?:is|are|exists?)\b|[,;]\s*(?=\S+ is\b)")
_RESTRICTION = re.compile(
    r"\b(?:abelian|bounded|closed|commutative|compact|complete|connected|continuous|convex|coprime"
    r"|differentiable|discrete|distinct|finite|finitely generated|increasing|injective|integrable"
    r"|invertible|irreducible|linear|measurable|monotone|nonempty|non-empty|nonnegative"
    r"|non-negative|nontrivial|non-trivial|nonzero|non-zero|normal|odd|even|open|positive|prime"
    r"|proper|reduced|separable|separated|simple|smooth|surjective|symmetric|uniform|unital)\s+"
    r"(?=[a-z$])"
)
_ASSUMED = re.compile(r"(?:Suppose|Assume)\b")
_WITH_ARTICLE = re.compile(r"\b[Aa]n?\s+\Z")
_ALL_SOME = re.compile(
    r"(?P<all>\b[Ff]or (?:every|all|each|any) \$[^$]+\$)\s*,?\s*"
    r"there (?:exists?|is|are) (?P<some>(?:an? )?(?:[a-z]+ ){0,3}\$[^$]+\$) "
    r"(?:such that|with|so that)\b"
)
_SIGNS = re.compile(
    r"\\forall(?![A-Za-z])(?P<between>[^\\]*(?:\\(?!exists|forall)[^\\]*)*)\\exists(?![A-Za-z])"
)
_CASE = re.compile(
    r"(?:\\\w+\*?\{)?(?:(?:Case|CASE)\b|Otherwise\b|If not\b|If instead\b|In the other case\b"
    r"|On the other hand, (?:if|suppose)\b|Finally, (?:if|suppose)\b|Now (?:suppose|assume)\b)"
)
_NEXT_PARAGRAPH = re.compile(r"\n[ \t]*\n|\\(?:begin|end|item)\b|\n[ \t]*(?:\\\w+\*?\{)?Case\b")
_STOPPED = re.compile(r"[.!?](?:\$\$?|\\[\])]|['’)}])*\Z")
"""The end of a sentence; a text that ends elsewhere is not a complete case."""
_BALANCE = re.compile(r"\\(begin|end)\b|(?<!\\)([{}$])|\\([\[\]()])")
_KEPT = re.compile(r"\\(?:label|begin|end|item|input|include)\b|\\\[|\n[ \t]*\n")


def dropped_hypothesis(words: PassageWords) -> Iterator[SourceEdit]:
    """Weaken the hypotheses of a statement, by a restriction or by a whole sentence.

    The proof stays, and may use what is no longer given.
    """
    if words.part is not ModulePart.STATEMENT:
        return
    for start, end in words.sentences:
        sentence = words.text[start:end]
        opening = _HYPOTHESES.match(sentence)
        if not opening:
            continue
        is_assumed = _ASSUMED.match(sentence) and _STOPPED.search(sentence)
        if is_assumed and end < words.sentences[-1][0] and is_whole(sentence):
            yield SourceEdit(start, end, "")
        conclusion = _CONCLUSION.search(sentence, opening.end())
        last = start + conclusion.start() if conclusion else end
        for found in _RESTRICTION.finditer(words.text, start, last):
            if not words.text[start : found.start()].rstrip().endswith("-"):  # "$n$-connected"
                yield _without(words.text, found)


def swapped_quantifiers(words: PassageWords) -> Iterator[SourceEdit]:
    """Swap the quantifiers of a statement: "there is y such that for every x"."""
    for found in words.words(_ALL_SOME):
        there = "There is" if found["all"][0] == "F" else "there is"
        every = found["all"][0].lower() + found["all"][1:]
        yield SourceEdit(*found.span(), f"{there} {found['some']} such that {every} one has")
    for found in words.formulas(_SIGNS):
        between = words.text[slice(*found.span("between"))]
        if "$" not in between and "\n\n" not in between:
            yield SourceEdit(*found.span(), rf"\exists{between}\forall")


def missing_case(words: PassageWords) -> Iterator[SourceEdit]:
    """Remove the sentence, or the paragraph, of one case from a proof."""
    if words.part is not ModulePart.PROOF:
        return
    for start, end in words.sentences:
        if start == words.start or not _CASE.match(words.text, start):
            continue
        whole = _paragraph(words.text, start, end)
        for last in (whole, end):
            text = words.text[start:last].rstrip()
            if _STOPPED.search(text) and is_whole(text) and not _KEPT.search(text):
                yield SourceEdit(start, start + len(text), "")
                break


def is_whole(text: str) -> bool:
    """Whether braces, formulas and environments in a text are balanced."""
    counts: dict[str, int] = {}
    for found in _BALANCE.finditer(text):
        sign = found[1] or found[2] or found[3]
        counts[sign] = counts.get(sign, 0) + 1
    pairs = (("{", "}"), ("begin", "end"), ("[", "]"), ("(", ")"))
    return counts.get("$", 0) % 2 == 0 and all(counts.get(a) == counts.get(b) for a, b in pairs)


def _paragraph(text: str, start: int, end: int) -> int:
    """The end of the paragraph that begins here; the sentence's end if none begins here."""
    if text[:start].rstrip(" \t")[-1:] != "\n":
        return end
    stop = _NEXT_PARAGRAPH.search(text, end)
    return stop.start() if stop else end


def _without(text: str, found: re.Match[str]) -> SourceEdit:
    """Drop a restriction, and correct the article for the word that follows."""
    article = _WITH_ARTICLE.search(text, max(0, found.start() - 4), found.start())
    if article is None:
        return SourceEdit(*found.span(), "")
    following = text[found.end() : found.end() + 1]
    right = "an" if following in "aeio" else "a"
    if article[0][0] == "A":
        right = right.capitalize()
    return SourceEdit(article.start(), found.end(), f"{right} ")


_END = re.compile(r"\\end\s*\{[^{}]*\}\s*$")
_CITES = frozenset({"reference", "used"})
_MORE = (
    (re.compile(r"\bat most\b"), "less than"),
    (re.compile(r"\bat least\b"), "more than"),
    (re.compile(r"\bthere (exists|is) an?(?= )"), r"there \1 exactly one"),
    (re.compile(r"\b(?:some|at least one)(?= (?:\$|[a-z]))"), "every"),
    (re.compile(r"\bimplies(?= that\b)"), "is equivalent to the fact"),
    (re.compile(r"\ba subsequence\b"), "the whole sequence"),
    (re.compile(r"\bfinitely many\b"), "at most one of the"),
)
_SCRIPT = re.compile(r"[_^]\{[^{}]*\}")
"""Where a relation is the range of an index, and not taken from a result."""
_STRICT = (
    (re.compile(r"\\leq?(?:slant)?(?![A-Za-z])"), "<"),
    (re.compile(r"\\geq?(?:slant)?(?![A-Za-z])"), ">"),
    (re.compile(r"\\subseteq(?![A-Za-z])|\\subset(?![A-Za-z])"), "="),
)


def wrong_cited_lemma(words: PassageWords) -> Iterator[SourceEdit]:
    """Replace a cited result by an earlier one of the same kind."""
    if words.part is not ModulePart.PROOF:
        return
    modules = words.state.document.modules
    cited = {edge.target for edge in words.state.document.edges_of(words.module.id)}
    for mention, target in _citations(words):
        others = [
            item
            for item in modules.values()
            if item.kind == target.kind and item.label and item.position < words.module.position
            and item.id not in cited and item.parent is None
        ]  # fmt: skip
        if others and target.label:
            nearest = min(others, key=lambda item: abs(item.position - target.position))
            yield from _renamed(words, mention, nearest.label or "")


def strengthened_use(words: PassageWords) -> Iterator[SourceEdit]:
    """In a sentence that cites a result, use more than the result says.

    As in the paper's example, where "not both d and −d" becomes "all of one sign".
    """
    if words.part is not ModulePart.PROOF:
        return
    places = [mention.start for mention, _ in _citations(words)]
    maths = _SCRIPT.sub(lambda script: " " * len(script[0]), words.maths)
    for start, end in words.sentences:
        if not any(start <= place < end for place in places):
            continue
        for pattern, more in _MORE:
            for found in pattern.finditer(words.text, start, end):
                yield SourceEdit(*found.span(), found.expand(more))
        for pattern, more in _STRICT:
            for found in pattern.finditer(maths, start, end):
                yield SourceEdit(*found.span(), f"{more} ")


def circular_citation(words: PassageWords) -> Iterator[SourceEdit]:
    """End a proof with a result that itself depends on what is proved.

    The error is in the changed proof: without the change there is no cycle.
    """
    closing = _END.search(words.text, words.start)
    if words.part is not ModulePart.PROOF or closing is None:
        return
    document = words.state.document
    for reader in document.modules.values():
        if not reader.label or not reader.proofs or reader.role is not Role.RESULT:
            continue
        rests = any(
            edge.target == words.module.id
            and edge.part is ModulePart.PROOF
            and edge.via is Via.REFERENCE
            and edge.is_explicit
            for edge in document.edges_of(reader.id)
        )
        if rests:
            added = f"The rest follows from {reader.kind.capitalize()}~\\ref{{{reader.label}}}.\n"
            line = "" if words.text[: closing.start()].endswith("\n") else "\n"
            yield SourceEdit(closing.start(), closing.start(), f"{line}{added}")


def _citations(words: PassageWords) -> Iterator[tuple[Mention, Module]]:
    """The results that a proof cites by a single label, except in claims inside it."""
    modules = words.state.document.modules
    by_label = {label: item for item in modules.values() for label in item.labels}
    for mention in words.passage.mentions:
        if mention.form in _CITES and len(mention.keys) == 1 and mention.keys[0] in by_label:
            target = by_label[mention.keys[0]]
            if target.id != words.module.id and target.role is Role.RESULT:
                yield mention, target


def _renamed(words: PassageWords, mention: Mention, label: str) -> Iterator[SourceEdit]:
    written = words.text[mention.start : mention.end]
    key = re.compile(rf"(?<=[{{,\s]){re.escape(mention.keys[0])}(?=[}},\s])")
    for found in key.finditer(written):
        start = mention.start + found.start()
        yield SourceEdit(start, start + len(found[0]), label)
