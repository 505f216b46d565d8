"""Errors in what is said: a hypothesis dropped, quantifiers swapped, a case left out."""

import re
from collections.abc import Iterator

from pfcore.bench.planted.operators import PassageWords, SourceEdit
from pfcore.domain.values import ModulePart

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
"""How a sentence ends; what ends in the middle of one is no case."""
_BALANCE = re.compile(r"\\(begin|end)\b|(?<!\\)([{}$])|\\([\[\]()])")
_KEPT = re.compile(r"\\(?:label|begin|end|item|input|include)\b|\\\[|\n[ \t]*\n")


def dropped_hypothesis(words: PassageWords) -> Iterator[SourceEdit]:
    """A statement that assumes less: without a restriction, or without a sentence of hypotheses.

    Its proof stays, and may use what is no longer given.
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
    """One for all instead of one for each: "there is y such that for every x"."""
    for found in words.words(_ALL_SOME):
        there = "There is" if found["all"][0] == "F" else "there is"
        every = found["all"][0].lower() + found["all"][1:]
        yield SourceEdit(*found.span(), f"{there} {found['some']} such that {every} one has")
    for found in words.formulas(_SIGNS):
        between = words.text[slice(*found.span("between"))]
        if "$" not in between and "\n\n" not in between:
            yield SourceEdit(*found.span(), rf"\exists{between}\forall")


def missing_case(words: PassageWords) -> Iterator[SourceEdit]:
    """A proof without the sentence, or the paragraph, of one of its cases."""
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
    """Whether braces, formulas and environments that begin in a text also end there."""
    counts: dict[str, int] = {}
    for found in _BALANCE.finditer(text):
        sign = found[1] or found[2] or found[3]
        counts[sign] = counts.get(sign, 0) + 1
    pairs = (("{", "}"), ("begin", "end"), ("[", "]"), ("(", ")"))
    return counts.get("$", 0) % 2 == 0 and all(counts.get(a) == counts.get(b) for a, b in pairs)


def _paragraph(text: str, start: int, end: int) -> int:
    """Where the paragraph ends that begins here; its sentence's end if none begins here."""
    if text[:start].rstrip(" \t")[-1:] != "\n":
        return end
    stop = _NEXT_PARAGRAPH.search(text, end)
    return stop.start() if stop else end


def _without(text: str, found: re.Match[str]) -> SourceEdit:
    """A restriction dropped, with its article made right for the word that follows."""
    article = _WITH_ARTICLE.search(text, max(0, found.start() - 4), found.start())
    if article is None:
        return SourceEdit(*found.span(), "")
    following = text[found.end() : found.end() + 1]
    right = "an" if following in "aeio" else "a"
    if article[0][0] == "A":
        right = right.capitalize()
    return SourceEdit(article.start(), found.end(), f"{right} ")
