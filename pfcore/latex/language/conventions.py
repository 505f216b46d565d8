"""Sentences of the prose that bind whatever follows: "Throughout this section, let …"."""

import re
from typing import NamedTuple

_UNIT = (
    r"(?P<{0}>paper|article|notes?|book|chapter|section|subsection|appendix|part|work|document"
    r"|manuscript|thesis|text|lecture|blueprint)(?![a-z])"
)
_THIS = r"(?:this|the|these)[\s~]+(?:(?:whole|entire|present|current)[\s~]+)?"
_MARKER = re.compile(
    r"\b(?:"
    rf"[Tt]hroughout(?:[\s~]+(?:the[\s~]+(?:rest|remainder)[\s~]+of[\s~]+)?{_THIS}{_UNIT.format('a')})?"
    rf"|[FfIi](?:or|n)[\s~]+the[\s~]+(?P<rest>rest|remainder)[\s~]+of[\s~]+{_THIS}{_UNIT.format('b')}"
    rf"|[Ii]n[\s~]+{_THIS}{_UNIT.format('c')}"
    r"|(?P<onward>[Ff]rom[\s~]+(?:now|here|this[\s~]+point)[\s~]+on(?:wards?)?(?:[\s~]+out)?"
    r"|[Hh]enceforth|[Hh]ereafter|[Ii]n[\s~]+(?:what|all[\s~]+that)[\s~]+follows"
    r"|[Ii]n[\s~]+the[\s~]+sequel)"
    r"|(?P<always>[Ww]e[\s~]+(?:(?:will|shall)[\s~]+)?always[\s~]+(?:assume|suppose))"
    r"|(?P<fix>(?:We|Let[\s~]+us)[\s~]+(?:now[\s~]+)?fix(?:[\s~]+once[\s~]+and[\s~]+for[\s~]+all)?)"
    r"|(?P<plain>Fix|Let)(?=[\s~]+(?!us\b))"
    r"|(?P<adopt>[Ww]e[\s~]+adopt[\s~]+the[\s~]+(?:(?:following|usual)[\s~]+)?conventions?)"
    r"|(?P<unless>[Uu]nless[\s~]+(?:otherwise[\s~]+)?(?:explicitly[\s~]+)?"
    r"(?:stated|specified|mentioned|noted)(?:[\s~]+otherwise)?)"
    r"|(?P<usual>As[\s~]+usual)"
    r"|(?P<all>(?:All|Every|Each)[\s~]+[^.$:;]{2,60}?[\s~](?:is|are)[\s~]+(?:(?:always|tacitly)[\s~]+)?"
    r"(?:assumed|understood|supposed|taken)[\s~]+to[\s~]+be)"
    r"|(?P<mean>By[\s~]+an?[\s~]+[^.$:;]{2,40}?[\s~]we[\s~]+(?:(?:shall|will|always)[\s~]+)*"
    r"mean[\s~]+(?:an?|the))"
    r")(?![A-Za-z])"
)
_CUE = re.compile(
    r"[TtFfIiHhWwLUu](?:hroughout|or[\s~]+the[\s~]+re|n[\s~]+(?:th|what|all)|enceforth|ereafter"
    r"|rom[\s~]+(?:now|here|this)|e[\s~]+(?:now|fix|will|shall|always|adopt)|et[\s~]|ix[\s~]|nless)"
    r"|[AEB](?:s[\s~]+usual|ll[\s~]|very[\s~]|ach[\s~]|y[\s~]+an?[\s~])"
)
"""Found fast, for it begins with a letter of few: each marker begins with a cue."""
_ADVERBS = r"(?:(?:will|shall|may|also|always|often|now|further|tacitly|only|moreover)\s+)*"
_MATHS = r"(?:\$[^$]+\$|\\\([^)]*\\\))"
_BINDS = re.compile(
    r"[\s,:]*(?:and\s+|unless[^,]{0,60},\s*)?(?:"
    rf"(?:we|let\s+us)\s+{_ADVERBS}(?:assume|suppose|fix|let|denote|write|set|put|abbreviate|identify"
    r"|adopt|readopt|employ|reserve|call|take|work\s+(?:over|with|in|inside|on|under)\b"
    r"|use\s+(?:the\s+)?(?:following\s+)?(?:notations?|conventions?|symbols?|letters?)\b"
    rf"|consider\s+(?:an?\b|some\b|the\b)?[^.$]{{0,50}}{_MATHS})"
    r"|(?:let|fix|assume|suppose|denote|write)\b"
    rf"|consider\s+(?:an?\b|some\b|the\b)?[^.$]{{0,50}}{_MATHS}"
    r"|\$[^$]*(?:=|:|<|>|\\in|\\colon|\\subset|\\[lg]eq?(?![A-Za-z])|\\neq?(?![A-Za-z]))[^$]*\$"
    rf"|(?:the\s+)?(?:\w+\s+){{0,2}}{_MATHS}(?:(?:\s*,\s*|\s+)(?:and\s+|or\s+)?{_MATHS})*\s+(?:always\s+)?"
    r"(?:is|are|denotes?|will|stands?|shall|be)\b"
    r"|(?:all|every|each|any|by)\b[^.$]{0,100}\b(?:is|are|will|means?|mean|have|has|shall)\b"
    r"|(?:[a-z-]+\s+){1,5}(?:is|are|will\s+be|shall\s+be)\s+(?:always\s+)?"
    r"(?:assumed|supposed|understood|taken|defined|over)\b"
    r"|(?:the\s+)?(?:notations?|symbols?|letters?)\b"
    r")",
    re.IGNORECASE,
)
_LEAD = re.compile(r"\W*(?:(?:note|recall)\s+that|moreover|also|here|so|furthermore|we)?\W*", re.I)
_FIXES = re.compile(r"\W*(?:fix|let|assume|suppose|we\s+(?:fix|let|assume|suppose))\b", re.I)
_GOES_ON = re.compile(
    r"\s*(?:We[\s~]+(?:(?:also|further|moreover)[\s~]+)?"
    r"(?:write|denote|fix|assume|let|set|put|suppose|abbreviate)"
    r"|Let|Write|Denote|(?:Moreover|Also|Furthermore),?[\s~]+(?:we|let)|Set|Put)\b"
)
_SENTENCE_END = re.compile(r"(?<![A-Z])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)[.!?](?=[\s~]|$|\$\$|\\|\))")
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\\par(?![A-Za-z])")
_DOCUMENT = frozenset(
    "paper article note notes book work document manuscript thesis text blueprint".split()
)
_REACH = 3_000
_OPENING = re.compile(
    r"(?:\A|\n[ \t]*\n|\\par(?![A-Za-z]))(?:\s|\\(?:noindent|(?:small|med|big)skip)(?![A-Za-z]))*\Z"
)
_CLOSING = re.compile(r"\s*(?:\n[ \t]*\n|\\par(?![A-Za-z])|\Z)")
_FIXED = re.compile(rf"Let[\s~]+(?:[^.$]|{_MATHS}){{1,80}}?(?:be|,)[\s~]+(?:an?[\s~]+)?fixed\b")
_POINTS = re.compile(r"\\(?:ref|eqref|cref|Cref|autoref|begin|cite)(?![A-Za-z])|\\\[|\$\$|:\s*\Z")
_SHORT = 300
_BEFORE = 40


class Convention(NamedTuple):
    """A binding passage: its span, the unit that it names (or ""), whether it acts onward only."""

    start: int
    end: int
    unit: str
    onward: bool


def conventions(prose: str) -> list[Convention]:
    """The binding passages of a text in which all that is no prose has been blanked."""
    found: list[Convention] = []
    reach = -1
    for cue in _CUE.finditer(prose):
        match = _MARKER.match(prose, cue.start())
        if match is None or match.start() < reach:
            continue
        if match["plain"] and not _is_at_start(match):
            continue
        start, end = _passage(prose, match)
        sentence = prose[start:end]
        if match["plain"]:
            is_binding = _is_fixing(match["plain"], sentence, is_all=_is_at_end(prose, end))
        else:
            is_binding = _is_binding(match, sentence, match.start() - start)
        if not is_binding:
            continue
        reach = end
        unit = match["a"] or match["b"] or match["c"] or ""
        onward = bool(match["rest"] or match["onward"] or match["fix"] or match["plain"])
        found.append(Convention(start, end, "document" if unit in _DOCUMENT else unit, onward))
    return found


def _is_binding(match: re.Match[str], sentence: str, offset: int) -> bool:
    """Whether what the marker introduces fixes something, rather than tells what is to come."""
    lead = _plain(sentence[:offset])
    rest = _plain(sentence[offset + len(match[0]) :])
    if match["always"] or match["adopt"] or match["all"] or match["mean"]:
        return True
    if match["fix"]:
        return "$" in rest[:60] or "\\(" in rest[:60]
    if match["unless"]:
        return bool(_BINDS.match(lead) or _BINDS.match(rest))
    if _LEAD.fullmatch(lead):
        return bool(_BINDS.match(rest))
    lasting = match[0].lower().startswith("throughout") or match["onward"]
    return bool(lasting and _FIXES.match(lead) and "\\ref" not in rest[:20])


def _is_at_start(match: re.Match[str]) -> bool:
    """Whether a paragraph begins with a marker."""
    start = match.start()
    return _OPENING.search(match.string, max(0, start - _BEFORE), start) is not None


def _is_at_end(prose: str, offset: int) -> bool:
    """Whether a paragraph ends at an offset."""
    return _CLOSING.match(prose, offset) is not None


def _is_fixing(word: str, passage: str, *, is_all: bool) -> bool:
    """Whether a paragraph that begins with "Fix" or "Let" fixes an object for what follows.

    "Let" does where it says so, or where the paragraph says nothing else.
    """
    if word == "Fix":
        return "$" in passage[:60] or "\\(" in passage[:60]
    if _FIXED.match(passage):
        return True
    return is_all and len(passage) <= _SHORT and not _POINTS.search(passage)


def _plain(text: str) -> str:
    return " ".join(text.replace("~", " ").split())


def _passage(prose: str, match: re.Match[str]) -> tuple[int, int]:
    """The sentence of a marker, with the sentences after it that plainly go on binding."""
    start, end = sentence(prose, match.start(), match.end())
    limit = _paragraph_end(prose, match.end())
    while end < limit and _GOES_ON.match(prose, end):
        end = _sentence_end(prose, end + 1, limit)
    return start, end


def sentence(prose: str, first: int, last: int) -> tuple[int, int]:
    """The span of the sentence around two offsets, as far as its paragraph reaches."""
    lower = max(0, first - 1_000)
    breaks = [item.end() for item in _PARAGRAPH.finditer(prose, lower, first)]
    breaks += [item.end() for item in _SENTENCE_END.finditer(prose, lower, first)]
    start = max(breaks, default=lower)
    end = _sentence_end(prose, last, _paragraph_end(prose, last))
    return start + len(prose[start:end]) - len(prose[start:end].lstrip()), end


def _paragraph_end(prose: str, position: int) -> int:
    found = _PARAGRAPH.search(prose, position, position + _REACH)
    return found.start() if found else min(len(prose), position + _REACH)


def _sentence_end(prose: str, position: int, limit: int) -> int:
    for match in _SENTENCE_END.finditer(prose, position, limit):
        if prose.count("$", position, match.start()) % 2 == 0:
            return match.end()
    return limit
