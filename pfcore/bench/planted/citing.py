"""Errors in what a proof rests on: a wrong lemma, more than a lemma says, a circle."""

import re
from collections.abc import Iterator

from pfcore.bench.planted.operators import PassageWords, SourceEdit
from pfcore.domain.values import Mention, Module, ModulePart, Role, Via

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
"""Where a relation is the range of an index, and not what is taken from a result."""
_STRICT = (
    (re.compile(r"\\leq?(?:slant)?(?![A-Za-z])"), "<"),
    (re.compile(r"\\geq?(?:slant)?(?![A-Za-z])"), ">"),
    (re.compile(r"\\subseteq(?![A-Za-z])|\\subset(?![A-Za-z])"), "="),
)


def wrong_cited_lemma(words: PassageWords) -> Iterator[SourceEdit]:
    """A proof that cites, for a result, another of its kind that stands before it."""
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
    """A sentence that cites a result, and takes more from it than it says.

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
    """A proof that ends with a result which itself rests on what is proved.

    The error is the proof that is changed: without it there was no circle.
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
    """What a proof cites by one label, outside of the claims in it."""
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
