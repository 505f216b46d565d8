r"""Finds sentences of the prose that bind whatever follows: "Throughout this section, let …".

Some conventions have no marker: "All rings are commutative.", `\textbf{Notation.}`.

A bare sentence is a convention if its paragraph is short, does not argue and is about a whole kind
of objects, named by a noun alone: "All cyclic groups are abelian" is a fact, not a convention.

Definitions in prose are found where they are plain: "We call a graph \emph{brown} if …".

A sentence is a definition if it emphasises the term, has a defining verb, and does not report
what others say, or what something is like.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import occurrences
from pfcore.latex.language.hypotheses import end_of_group, opens_with_name
from pfcore.latex.language.phrases import CONVENTION_WORDS
from pfcore.latex.project.syntax import LISTS

_UNIT = (
    r"(?P<{0}>paper|article|notes?|book|chapter|section|subsection|appendix|part|work|document"
    r"|manuscript|thesis|text|lecture|blueprint)(?![a-z])"
)
_THIS = r"(?:this|the|these)[\s~]+(?:(?:whole|entire|present|current)[\s~]+)?"
_MARKER = regex(
    r"\b(?:"
    rf"[Tt]hroughout(?:[\s~]+(?:the[\s~]+(?:rest|remainder)[\s~]+of[\s~]+)?{_THIS}{_UNIT.format('a')})?"
    rf"|[FfIi](?:or|n)[\s~]+the[\s~]+(?P<rest>rest|remainder)[\s~]+of[\s~]+{_THIS}{_UNIT.format('b')}"
    rf"|(?:[Ii]n|[Dd]uring|[Ww]ithin)[\s~]+{_THIS}{_UNIT.format('c')}"
    r"|(?P<onward>[Ff]rom[\s~]+(?:now|here|this[\s~]+point)[\s~]+on(?:wards?)?(?:[\s~]+out)?"
    r"|[Hh]enceforth|[Hh]ereafter|[Ii]n[\s~]+(?:what|all[\s~]+that)[\s~]+follows"
    r"|[Ii]n[\s~]+the[\s~]+sequel)"
    r"|(?P<always>[Ww]e[\s~]+(?:(?:will|shall)[\s~]+)?always[\s~]+(?:assume|suppose))"
    r"|(?P<fix>(?:We|Let[\s~]+us)[\s~]+(?:now[\s~]+)?fix(?:[\s~]+once[\s~]+and[\s~]+for[\s~]+all)?)"
    r"|(?P<plain>Fix|Let)(?=[\s~]+(?!us\b))"
    r"|(?P<adopt>[Ww]e[\s~]+adopt[\s~]+the[\s~]+(?:(?:following|usual)[\s~]+)?conventions?)"
    r"|(?P<without>[Ww]e[\s~]+(?:(?:will|shall|often|also)[\s~]+)*(?:mention|speak|refer|write)[\s~][^.:;]{1,80}?"
    r"[\s~]without[\s~]+(?:(?:explicitly|always|further)[\s~]+)?(?:saying|specifying|stating|mentioning|repeating)[\s~]+that)"
    r"|(?P<unless>[Uu]nless[\s~]+(?:otherwise[\s~]+)?(?:explicitly[\s~]+)?"
    r"(?:stated|specified|mentioned|noted)(?:[\s~]+otherwise)?)"
    r"|(?P<usual>As[\s~]+usual)"
    r"|(?P<all>(?:All|Every|Each)[\s~]+[^.$:;]{2,60}?[\s~](?:is|are)[\s~]+(?:(?:always|tacitly)[\s~]+)?"
    r"(?:assumed|understood|supposed|taken)[\s~]+to[\s~]+be)"
    r"|(?P<mean>By[\s~]+(?:an?[\s~]+|``)[^.$:;]{2,40}?[\s~]we[\s~]+(?:(?:shall|will|always)[\s~]+)*"
    r"mean[\s~]+(?:an?|the|``))"
    r")(?![A-Za-z])"
)
_CUE = regex(
    r"[TtFfIiHhWwLUuDd](?:hroughout|or[\s~]+the[\s~]+re|n[\s~]+(?:th|what|all)|enceforth|ereafter"
    r"|uring[\s~]+th|ithin[\s~]+th"
    r"|rom[\s~]+(?:now|here|this)|e[\s~]+(?:now|fix|will|shall|always|adopt|mention|speak|refer|write)|et[\s~]|ix[\s~]|nless)"
    r"|[AEB](?:s[\s~]+usual|ll[\s~]|very[\s~]|ach[\s~]|y[\s~]+(?:an?[\s~]|``))"
)
"""The beginning of every marker; few letters begin a cue, which makes the search fast."""
_ADVERBS = (
    r"(?:(?:will|shall|may|also|always|often|now|further|tacitly|only|just|simply|freely"
    r"|moreover)\s+)*"
)
_MATHS = r"(?:\$[^$]+\$|\\\([^)]*\\\))"
_IDIOM = (
    r"\s+(?:into\s+account|care|advantage|inspiration|(?:an?|the|one|some|our|another)\s+"
    r"(?:(?:first|small|further|closer|different|similar|more)\s+)*"
    r"(?:steps?\s+(?:in|into|to|towards?|further|closer|forward|back)|look|approach|perspective))\b"
)
_IN_ORDER = (
    r"(?:(?!\s(?:as|to\s+(?:be|have))\b)[^.$]){0,200}?,?\s(?:and|to)\s+(?:look|add|study|show|see|apply|examine|investigate|ask|extend"
    r"|generali[sz]e|adapt|analy[sz]e|compare|prove|discuss|explore|understand)\b"
)
"""Follows an object taken in order to do something with it: no agreement.

An object taken as something, or to be or have something, is agreed on, whatever follows.
"""
_METHOD = (
    r"\s+(?:an?|the|our)\s+(?:[a-z-]+\s+){0,2}(?:method|methodology|approach|technique|strategy"
    r"|framework|procedure|model|algorithm|scheme)s?\b"
)
_SEVERAL = r"(?!\s+(?:several|various|different)\s)"
"""Several things that one works with agree on nothing."""
_TELLS = (
    r"\s+us\s+(?:(?:first|now|briefly|informally|also)\s+)*(?:look|see|recall|introduce|begin|start"
    r"|give|present|describe|discuss|explain|mention|turn|review|remark|note"
    r"|fix\s+some\s+(?:(?:basic|more|further)\s+)*(?:notations?|terminology|conventions?))\b"
)
"""What is taken, employed or done in this way is not an object."""
_LEAVES_OUT = (
    r"(?:omit|suppress|drop)\s[^.:;]{1,80}?\s(?:from|in)\s+(?:(?:our|the|all)\s+)?notations?\b"
)
"""A symbol left out of the notation: "suppress $t$ from the notation"."""
_BINDS = regex(
    r"[\s,:]*(?:and\s+|unless[^,]{0,60},\s*)?(?:"
    rf"(?:we|let\s+us)\s+{_ADVERBS}(?:{{binding}}"
    r"|(?:omit|suppress|keep|drop)\s+(?:the|its|all)\s+(?:[a-z-]+\s+)?(?:dependen|(?:sub|super)script|ind(?:ex|ices)|brackets"
    rf"|parenthes|reference|notation|terminology)|{_LEAVES_OUT}|speak\s+(?:simply\s+)?of\b|refer\s+to\b|adopt|readopt|employ(?!{_METHOD})|reserve|call|take(?!{_IDIOM}|{_IN_ORDER})|work\s+(?:over|with|in|inside|on|under)\b{_SEVERAL}"
    r"|used?\s+the\s+(?:[a-z-]+\s+){0,2}(?:definition|version|variant|form)s?\s+of\b"
    r"|use\s+(?:the\s+)?(?:(?:following|usual|standard)\s+)?(?:notations?|terminology|conventions?|symbols?|letters?)\b"
    rf"|consider\s+(?:only|just)\b|(?:only|just)\s+consider\b"
    rf"|consider\s+(?:an?\b|some\b|the\b)?[^.$]{{0,50}}{_MATHS})"
    r"|(?:let|fix|assume|suppose|denote|write)\b"
    rf"|consider\s+(?:an?\b|some\b|the\b)?[^.$]{{0,50}}{_MATHS}"
    r"|\$[^$]*(?:=|:|<|>|\\in|\\colon|\\subset|\\[lg]eq?(?![A-Za-z])|\\neq?(?![A-Za-z]))[^$]*\$"
    rf"|(?:the\s+)?(?:\w+\s+){{0,2}}{_MATHS}(?:(?:\s*,\s*|\s+)(?:and\s+|or\s+)?{_MATHS})*\s+(?:always\s+)?"
    r"(?:is|are|denotes?|will|stands?|shall|be)\b(?!\s+(?:studied|discussed|treated|presented|computed"
    r"|described|given(?!\s+by)|shown|proved|needed|investigated|analy[sz]ed)\b)"
    r"|(?:all|every|each|any|by)\b[^.$]{0,100}\b(?:is|are|will|means?|mean|have|has|shall)\b"
    r"|(?:[a-z-]+\s+){1,5}(?:is|are|will\s+be|shall\s+be)\s+(?:always\s+)?"
    r"(?:assumed|supposed|understood|taken|defined|over)\b"
    r"|(?:the\s+)?(?:notations?|symbols?|letters?)\b"
    r")",
    re.IGNORECASE,
    words_of=CONVENTION_WORDS,
)
_SAYS_WHAT = regex(
    r"\b(?:we|us|shall|will)[\s~]+(?:(?:will|shall|also|always|simply)[\s~]+)*(?:denote|abbreviate)\b"
    r"|\bto[\s~]+denote\b|\$[\s~]+(?:(?:will|shall|always)[\s~]+)*denotes?[\s~]+the\b|\b(?:use|reserve|employ)[\s~]+the[\s~]+(?:notations?|symbols?|letters?|name|term)\b"
    r"|\bwe[\s~]+(?:(?:will|shall)[\s~]+)*refer[\s~]+to\b|\ABy[\s~]+(?:an?[\s~]|``|\\)[^$]{1,60}[\s~]we[\s~]+(?:(?:shall|will"
    r"|always)[\s~]+)*mean\b",
    re.IGNORECASE,
)
_SUPPOSES_TOO = regex(
    r"\b(?:assum|suppos|restrict|consider|fix|identif|agree)|\bwork\b|\b(?:is|are|be)[\s~]+(?:an?|the)?[\s~]*"
    r"(?:fixed|always|arbitrary|commutative|finite)\b|\bdrop\b|\bomit\b|\bmay\b",
    re.IGNORECASE,
)
_FACT = regex(r"[\s,:]*\$[^$=]+\$\s*(?:[.;]|\Z)")
"""A formula without an equality that is the rest of a sentence."""
_LEAD = regex(r"\W*(?:(?:note|recall)\s+that|moreover|also|here|so|furthermore|we)?\W*", re.I)
_FIXES = regex(
    rf"\W*(?:fix|let(?!{_TELLS})|assume|suppose|we\s+(?:fix|let|assume|suppose))\b", re.I
)
_GOES_ON = regex(
    r"\s*(?:We[\s~]+(?:(?:also|further|moreover)[\s~]+)?"
    r"(?:write|denote|fix|assume|let|set|put|suppose|abbreviate)"
    r"|Let|Write|Denote|(?:Moreover|Also|Furthermore),?[\s~]+(?:we|let)|Set|Put)\b"
)
_SENTENCE_END = regex(
    r"(?=[.!?])(?<![A-Z])(?<!\b[a-z])(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)[.!?](?=[\s~]|$|\$\$|\\|\))"
)
_PARAGRAPH = regex(r"\n[ \t]*\n|\\par(?![A-Za-z])")
_DOCUMENT = frozenset(
    "paper article note notes book work document manuscript thesis text blueprint".split()
)
_REACH = 3_000
_OPENING = regex(
    r"(?:\A|\n[ \t]*\n|\\par(?![A-Za-z]))(?:\s|\\(?:noindent|(?:small|med|big)skip)(?![A-Za-z]))*\Z"
)
_CLOSING = regex(r"\s*(?:\n[ \t]*\n|\\par(?![A-Za-z])|\Z)")
_FIXED = regex(rf"Let[\s~]+(?>{_MATHS}|[^.$]){{1,80}}?(?:be|,)[\s~]+(?:an?[\s~]+)?fixed\b")
_POINTS = regex(r"\\(?:ref|eqref|cref|Cref|autoref|begin|cite)(?![A-Za-z])|\\\[|\$\$|:\s*\Z")
_SHORT = 300
_BEFORE = 40


class Convention(NamedTuple):
    """A binding passage: its span, the unit that it names (or ""), and whether it acts onward only.

    `is_keyed` if it only takes something, and so concerns only texts that mention it.
    """

    start: int
    end: int
    unit: str
    onward: bool
    is_keyed: bool = False


def conventions(prose: str) -> list[Convention]:
    """The binding passages of a text in which everything but prose has been blanked."""
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
        is_keyed = bool(match["plain"] or match["fix"] or _only_names(sentence))
        unit = "document" if unit in _DOCUMENT else unit
        found.append(Convention(start, end, unit, onward, is_keyed))
    return found


def _is_binding(match: re.Match[str], sentence: str, offset: int) -> bool:
    """Whether the sentence of a marker fixes something, rather than announces what is to come."""
    lead = _plain(sentence[:offset])
    rest = _plain(sentence[offset + len(match[0]) :])
    if any(match[name] for name in ("always", "adopt", "all", "mean", "without")):
        return True
    if match["fix"]:
        return "$" in rest[:60] or "\\(" in rest[:60]
    if match["usual"] and _FACT.match(rest):
        return False
    if match["unless"]:
        return bool(_BINDS.match(lead) or _BINDS.match(rest))
    if _LEAD.fullmatch(lead):
        return bool(_BINDS.match(rest))
    lasting = match[0].lower().startswith("throughout") or match["onward"] or match["rest"]
    return bool(lasting and _FIXES.match(lead) and "\\ref" not in rest[:20])


def _only_names(passage: str) -> bool:
    """Whether a passage says what symbols or words stand for, and supposes nothing."""
    return bool(_SAYS_WHAT.search(passage)) and not _SUPPOSES_TOO.search(passage)


def _is_at_start(match: re.Match[str]) -> bool:
    """Whether a marker is at the start of a paragraph."""
    start = match.start()
    return _OPENING.search(match.string, max(0, start - _BEFORE), start) is not None


def _is_at_end(prose: str, offset: int) -> bool:
    """Whether a paragraph ends at an offset."""
    return _CLOSING.match(prose, offset) is not None


def _is_fixing(word: str, passage: str, *, is_all: bool) -> bool:
    """Whether a paragraph that begins with "Fix" or "Let" fixes an object for what follows.

    "Let" does if the passage says "fixed", or if it is the whole paragraph, short and plain.
    """
    if word == "Fix":
        return "$" in passage[:60] or "\\(" in passage[:60]
    if _FIXED.match(passage):
        return True
    return is_all and len(passage) <= _SHORT and not _POINTS.search(passage)


def _plain(text: str) -> str:
    return " ".join(text.replace("~", " ").split())


def _passage(prose: str, match: re.Match[str]) -> tuple[int, int]:
    """The sentence of a marker, with the sentences after it that plainly continue to bind."""
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
    close = end_of_group(prose, last, end)  # of a footnote
    end = end if close < 0 else close
    opening = _DISPLAY_ENDS.match(prose, start, end)
    return (opening.end() if opening else start), end


_DISPLAY_ENDS = regex(r"(?:\s|\\\]|\\end\{(?:equation|align|gather|multline|eqnarray)\*?\})*")


def first_sentence(passage: str) -> str:
    """The first sentence of a passage."""
    return passage[: _sentence_end(passage, 0, len(passage))]


def _paragraph_end(prose: str, position: int) -> int:
    found = _PARAGRAPH.search(prose, position, position + _REACH)
    return found.start() if found else min(len(prose), position + _REACH)


def _sentence_end(prose: str, position: int, limit: int) -> int:
    for match in _SENTENCE_END.finditer(prose, position, limit):
        if prose.count("$", position, match.start()) % 2 == 0:
            display = _ENDS_DISPLAY.match(prose, match.end(), limit)
            return display.end() if display else match.end()
    return limit


_ENDS_DISPLAY = regex(
    r"\s*(?:\\\]|\\end\{(?:equation|align|gather|multline|eqnarray|alignat|flalign|displaymath)\*?\})"
)


_GAP = r"[\s~]+"
_STARTS = regex(
    r"(?:\A|\n[ \t]*+\n|\\par(?![A-Za-z]))"
    r"(?:\s++|\\(?:noindent|(?:small|med|big)skip|label\{[^{}]*\})(?![A-Za-z]))*+"
)
"""Beginnings of paragraphs; found first, because non-prose is blanked and blanks are long."""
_SENTENCES = regex(r"(?<=[.:!?])[\s~]++")
_DOCUMENT_NOUNS = r"paper|article|notes?|book|work|document|manuscript|thesis|text|monograph"
_HERE = (
    rf"{_GAP}(?:(?:considered|occurring|appearing|used|studied|we{_GAP}(?:consider|use)){_GAP})?"
    rf"in{_GAP}(?:this|these){_GAP}(?P<unit>{_DOCUMENT_NOUNS}|part|chapter|section|subsection|appendix)"
)
_STANDING_ADVERBS = r"(?:(?:always|tacitly|implicitly|generally|also|usually)[\s~]+)*"
_WIDE = r"(?:vector|topological|Lie|function|measure|probability|Riemannian|algebraic|base|ground)"
_NOUN = rf"(?:{_WIDE}{_GAP})?[a-z][a-z-]+s"
_NOUNS = rf"{_NOUN}(?:(?:\s*,\s*|{_GAP})(?:and{_GAP})?{_NOUN}){{0,3}}"
_WORDS = (
    r"(?!(?:as|which|that|but|by|see|since|because|so|hence|if|iff|when|whenever|for|where|unless)\b)"
    r"(?:[A-Za-z\d-]+|\$[^$=<>\\]{1,12}\$)"
)
_PROPERTY = r"(?={property})"
"""The first words of a property of a paper's objects, rather than of its results."""
_STOP = r"\.(?=\s|\Z)"
_TAKEN = r"(?:assumed|understood|supposed|taken)(?:[\s~]+to[\s~]+be)?"
_FONT = r"(?:text(?:bf|it|sc|sl|up)|emph|underline|(?P<section>(?:sub)?paragraph\*?))"
_NAMES = (
    r"(?:[Cc]onventions?|[Nn]otations?|[Aa]ssumptions?"
    r"|[Ss]tanding[\s~]+(?:assumptions?|hypothes[ei]s))"
)
_TITLE = (
    rf"(?:(?:General|Standing|Our|Basic|Some){_GAP})?{_NAMES}(?:{_GAP}(?:and|\\&){_GAP}{_NAMES})?"
    r"|Konventionen|Bezeichnungen|Notationen"
)
_HEADING = regex(rf"(?:{_TITLE})[\s~]*[.:]?")
_HEADED = regex(
    rf"(?P<said>\\{_FONT}\s?\{{\s?(?:{_TITLE})[\s~]*(?P<stop>[.:])?\s?\}}"
    r"[ \t~]*(?(stop)|(?(section)[.:]?|[.:]))\s*)"
)
_STANDING_BINDS = regex(
    rf"(?:Throughout,?|Unless|(?:Here{_GAP}and{_GAP})?[Ii]n{_GAP}(?:what|the|this)\b[^.$]{{0,40}},"
    rf"|As{_GAP}usual,?|Recall{_GAP}that)?\s*(?:[Ww]e{_GAP}(?:(?:will|shall|always|also|often|usually|tacitly)"
    rf"{_GAP})*(?:write|denote|let|fix|assume|suppose|set|put|abbreviate|identify|call|adopt"
    rf"|use{_GAP}(?:the{_GAP})?(?:notations?|symbols?|letters?|\$)|work{_GAP}(?:over|with|in)"
    rf"|say{_GAP}that)\b|(?:[Ll]et|[Ff]ix|[Dd]enote|[Ww]rite|[Ss]et|[Pp]ut|[Aa]ssume|[Ss]uppose)\b"
    rf"|(?:[Aa]ll|[Ee]very|[Ee]ach|[Aa]ny)\b[^.]{{0,100}}\b(?:is|are|has|have|will|means?)\b"
    rf"|[Tt]he{_GAP}(?:letters?|symbols?){_GAP}[^.]{{0,60}}\b(?:stands?|denotes?|will|is|are|means?)\b"
    rf"|(?:[Ff]or\b[^.]{{0,100}},\s*(?:we\b|let\b|write\b|denote\b|the\b[^.]{{0,60}}\bdenoted))"
    rf"|\$[^$]+\$(?:{_GAP}(?:always|will))*{_GAP}(?:denotes?|stands?|is|are)\b"
    rf"|[A-Z][a-z-]+s{_GAP}are\b"
    rf"|(?:Sei(?:en)?|Es{_GAP}sei(?:en)?|Mit|Wir{_GAP}schreiben|Soi(?:t|ent)|On{_GAP}note)\b)"
)
_UNITS = {
    "Abschnitt": "section", "section": "section", "paragraphe": "section", "Kapitel": "chapter",
    "chapitre": "chapter", "Arbeit": "document", "Artikel": "document", "Text": "document",
    "article": "document", "texte": "document", "travail": "document", "papier": "document",
}  # fmt: skip
_OFTEN = rf"(?:(?:stets|immer|durchweg|also|nun|stillschweigend){_GAP})?"
_SEI = (
    rf"(?:sei(?:en)?\b|bezeichne[nt]?\b|(?:ist|sind){_GAP}(?:stets{_GAP}|immer{_GAP}|\$)"
    rf"|(?:nehmen|setzen|fixieren|schreiben|bezeichnen|vereinbaren){_GAP}wir\b"
    rf"|wollen{_GAP}wir{_GAP}annehmen)"
)
_SOIT = (
    rf"(?:(?:on|nous){_GAP}(?:suppos|fix|not(?!e{_GAP}que)|désign|écri|convien|identifi)\w*|soi(?:t|ent)\b"
    rf"|\$[^$]+\$(?:{_GAP}et{_GAP}\$[^$]+\$)?{_GAP}(?:désigne|est|sera|sont|seront)\w*"
    rf"|tou(?:s|tes|t|te)\b[^.$]{{1,60}}{_GAP}(?:est|sont|sera|seront)\b"
    rf"|l(?:es?|a)\b[^.$]{{1,60}}{_GAP}(?:sera|seront|sont{_GAP}supposé|est{_GAP}supposé)\w*)"
)
_ABROAD = regex(
    rf"(?P<said>"
    rf"(?:Im{_GAP}(?:[Ff]olgenden|[Ww]eiteren)|Von{_GAP}nun{_GAP}an|Durchgehend|Durchweg|Stets"
    rf"|In{_GAP}diese[mr]{_GAP}(?:ganzen{_GAP})?(?P<de>Abschnitt|Kapitel|Arbeit|Artikel|Text)){_GAP}{_OFTEN}{_SEI}"
    rf"|Wir{_GAP}(?:nehmen|setzen){_GAP}(?:im{_GAP}[Ff]olgenden|stets|durchgehend|von{_GAP}nun{_GAP}an|immer)"
    rf"{_GAP}(?:(?:stets|immer){_GAP})?(?:an|voraus)\b"
    rf"|Dans{_GAP}(?:tou(?:te|t){_GAP})?(?:la{_GAP}suite|ce{_GAP}qui{_GAP}suit|cet(?:te)?|ce|l['’])"
    rf"(?:{_GAP}de{_GAP}(?:cet(?:te)?|ce|l['’]))?(?:\s*(?P<fr>article|section|chapitre|texte|travail|papier"
    rf"|paragraphe))?\s*,?\s*{_SOIT}"
    rf"|(?:On|Nous){_GAP}(?:suppose|supposons|supposera|supposerons|fixe|fixons|note|notons|fixera|notera)"
    rf"{_GAP}(?:désormais|toujours|dorénavant|dans{_GAP}(?:toute{_GAP})?la{_GAP}suite)\b"
    rf"|(?:Désormais|Dorénavant)\s*,?\s*{_SOIT}"
    rf"|Wir{_GAP}(?:sprechen|reden|schreiben)\b[^.:;]{{1,80}}?,?{_GAP}ohne{_GAP}"
    rf"(?:(?:stets|immer|jedesmal|ausdrücklich){_GAP})?(?:zu{_GAP}(?:sagen|erwähnen)|dazuzusagen)\s*,{_GAP}dass\b"
    rf"|(?:On|Nous){_GAP}parl\w+{_GAP}[^.:;]{{1,80}}?{_GAP}sans{_GAP}(?:(?:toujours|explicitement){_GAP})?"
    rf"(?:préciser|dire|mentionner)(?:{_GAP}(?:toujours|explicitement))?{_GAP}que?\b"
    r")"
)
_STANDING_CUES = (
    "All ", "All\n", "Every ", "Each ", "s are ", "s are\n", "assume all", "assume that all",
    "Our ", "only consider", "consider only", "For us", "Here a", "is always", "is tacitly",
    " in this ", " in these ",
    "Alle ", "Sämtliche ", "Unsere ", " sind ", " seien ", "betrachten nur",
    "Tous ", "Toutes ", "Nos ", " sont ", " seront ", "que tous", "que toutes", "considère",
)  # fmt: skip
_TITLES = ("onvention", "otation", "ssumption", "ypothes", "Konvention", "Bezeichnung")
_FOREIGN = (
    "olgenden", "eiteren", "nun an", "Durch", "Stets", "In diese", "Wir nehmen", "Wir setzen",
    "Dans ", " ohne ", " sans ", "ésormais", "orénavant", "toujours", "la suite",
)  # fmt: skip
_PLAIN_SENTENCE_END = regex(r"(?<!\b[A-Za-z])[.!?](?=[\s~]|\Z)")
_LONGEST_CONVENTION = 300
_LONGEST_HEADED = 3_000


def standing(prose: str) -> list[Convention]:
    """The conventions without a marker in a text with everything but prose blanked, in order."""
    found: list[Convention] = []
    for one in sorted([*_headed(prose), *_bare(prose), *_abroad(prose)]):
        if not found or found[-1].end <= one.start:
            found.append(one)
    return found


def is_heading(command: str, title: str) -> bool:
    """Whether a sectioning command heads one paragraph of conventions, rather than a section.

    It may also head one paragraph with a name: "(A1)".
    """
    if command not in ("paragraph", "subparagraph"):
        return False
    return bool(_HEADING.fullmatch(title.strip())) or opens_with_name(title)


def unit_of(sentence: str) -> str:
    """The part of the document for which a sentence says that it holds; "" if it does not say."""
    if not _SPEAKS_OF_UNIT.search(sentence) or _PRESENTS.search(sentence):
        return ""
    return next((unit for unit, named in _FOR_UNIT.items() if named.search(sentence)), "")


_PRESENTS = regex(r"(?<!\w)(?:{presents})(?!\w)", words_of=CONVENTION_WORDS)
"""Words that say that something is introduced there, not that it holds only there."""
_FOR_UNIT = {
    unit: regex(rf"(?<!\w)(?:{{for_{unit}}})(?!\w)", words_of=CONVENTION_WORDS)
    for unit in ("document", "chapter", "subsection", "section")
}
_SPEAKS_OF_UNIT = regex(
    r"\b(?:th|Th|die[sr]|de[rsmn]|d[ue][\s~]|[Ii]m[\s~]|cette|ce[t\s~]|tou|l['\u2019]|la[\s~]"
    r"|[Oo]ur|[Aa]ll|with|modulo|stets|composition|notation|veut)"
)


def all_conventions(prose: str) -> list[Convention]:
    """All conventions, with or without a marker; of two that overlap, the one with a marker."""
    announced = conventions(prose)
    ends = [one.end for one in announced]
    found = list(announced)
    for one in standing(prose):
        index = bisect_right(ends, one.start)
        if index == len(ends) or one.end <= announced[index].start:
            found.append(one)
    whole: list[Convention] = []
    for one in sorted(found):
        if not whole or one.start >= whole[-1].end:
            whole.append(one._replace(end=end_of_list(prose, one.start, one.end)))
    return whole


def end_of_list(prose: str, start: int, end: int) -> int:
    """The end of a passage, or of the list in which it ends or which it announces."""
    opened = 0
    for match in _LIST.finditer(prose, start, end):
        opened = max(0, opened + (1 if match["begin"] else -1))
    if not opened:
        behind = _LIST_BEHIND.match(prose, end)
        if not behind or not _LEADS_TO_LIST.search(prose, start, end):
            return end
    for match in _LIST.finditer(prose, end, end + _LONGEST_LIST):
        opened += 1 if match["begin"] else -1
        if not opened:
            return match.end()
    return end


_LISTED = rf"\{{(?:{'|'.join(sorted(LISTS))})\}}"
_LIST = regex(rf"\\(?:(?P<begin>begin)|end){_LISTED}")
_LIST_BEHIND = regex(rf"\s{{0,99}}+\\begin{_LISTED}")
_LONGEST_LIST = 20_000
_LEADS_TO_LIST = regex(
    r"(?::|(?<!\w)(?:{lists})(?:[\s~]+\w+)?[\s~]*[.:]?)\s*\Z", words_of=CONVENTION_WORDS
)
"""The end of a sentence that a list continues."""


def _matches(
    pattern: re.Pattern[str], prose: str, starts: re.Pattern[str] = _STARTS
) -> Iterator[re.Match[str]]:
    """The matches of a pattern at the beginnings of paragraphs, or of sentences."""
    for start in starts.finditer(prose):
        if match := pattern.match(prose, start.end()):
            yield match


_NO_NOUN = r"(?!(?:{no_noun})\b)"
_NO_ADJECTIVE = r"(?!(?:{no_adjective})\b)"
_SO = rf"{_NO_ADJECTIVE}{_WORDS}(?:,?{_GAP}{_WORDS}){{0,9}}?"
_GERMAN_NOUN = rf"{_NO_NOUN}[A-ZÄÖÜ]\w+"
_SO_IN_GERMAN = (
    rf"(?:als{_GAP})?\w+(?:{_GAP}(?:und|mit){_GAP}\w+)?"
    rf"(?:{_GAP}(?:vorausgesetzt|angenommen))?{_STOP}"
)
_IN_GERMAN = (
    rf"(?:Alle|Sämtliche|Unsere){_GAP}(?:(?:{{considered}}){_GAP})?{_GERMAN_NOUN}{_GAP}(?:sind|seien)"
    rf"{_GAP}(?:(?:{{always}}){_GAP})?{_SO_IN_GERMAN}"
    rf"|{_GERMAN_NOUN}{_GAP}(?:sind|seien){_GAP}(?:{{always}}){_GAP}{_SO_IN_GERMAN}"
    rf"|Wir{_GAP}betrachten{_GAP}nur{_GAP}\w+e{_GAP}{_GERMAN_NOUN}{_STOP}"
)
_SUPPOSED_IN_FRENCH = rf"(?:{{always}}|supposée?s|(?:{{always}}){_GAP}supposée?s)"
_SO_IN_FRENCH = rf"\w+(?:{_GAP}(?:et|à){_GAP}\w+)?{_STOP}"
_IN_FRENCH = (
    rf"(?:Tou(?:s|tes){_GAP}(?:les|nos)|Nos){_GAP}{_NO_NOUN}\w+{_GAP}(?:(?:{{considered}}){_GAP})?"
    rf"(?:sont|seront){_GAP}(?:{_SUPPOSED_IN_FRENCH}{_GAP})?{_SO_IN_FRENCH}"
    rf"|Les{_GAP}{_NO_NOUN}\w+{_GAP}(?:sont|seront){_GAP}{_SUPPOSED_IN_FRENCH}{_GAP}{_SO_IN_FRENCH}"
    rf"|(?:On|Nous){_GAP}suppos(?:e|era|ons|erons){_GAP}(?:(?:{{always}}){_GAP})?que{_GAP}tou(?:s|tes){_GAP}les"
    rf"{_GAP}{_NO_NOUN}\w+{_GAP}(?:sont|soient){_GAP}{_SO_IN_FRENCH}"
    rf"|On{_GAP}ne{_GAP}considère(?:ra)?{_GAP}que{_GAP}des{_GAP}{_NO_NOUN}\w+{_GAP}{_SO_IN_FRENCH}"
)
_BARE = regex(
    rf"(?P<said>"
    rf"(?:All|Every|Each|(?P<the>The)){_GAP}{_NO_NOUN}(?:[a-z-]+{_GAP}){{0,3}}?[a-z-]+{_HERE}{_GAP}"
    rf"(?:is|are|will{_GAP}be){_GAP}{_STANDING_ADVERBS}(?:{_TAKEN}{_GAP})?"
    rf"(?(the){_PROPERTY}){_SO}(?:,?{_GAP}{_WORDS}){{0,15}}?{_STOP}"
    rf"|(?:All(?:{_GAP}our)?|Our){_GAP}{_NO_NOUN}{_NOUNS}(?:{_GAP}(?:{{considered}}))?{_GAP}(?:are|will{_GAP}be){_GAP}{_STANDING_ADVERBS}(?:{_TAKEN}{_GAP})?{_SO}{_STOP}"
    rf"|{_NO_NOUN}[A-Z][a-z-]+s{_GAP}are{_GAP}{_STANDING_ADVERBS}{_TAKEN}{_GAP}{_SO}{_STOP}"
    rf"|{_NO_NOUN}[A-Z][a-z-]+s{_GAP}are{_GAP}(?:always|tacitly){_GAP}{_SO}{_STOP}"
    rf"|(?:{{plural}}){_GAP}are{_GAP}{_SO}{_STOP}"
    rf"|We{_GAP}(?:(?:shall|will|always|tacitly|also)[\s~]+)*(?:assume|suppose)(?:{_GAP}that)?{_GAP}"
    rf"all{_GAP}{_NO_NOUN}{_NOUNS}{_GAP}(?:are|to{_GAP}be){_GAP}{_SO}{_STOP}"
    rf"|We{_GAP}(?:(?:shall|will|always)[\s~]+)*(?:only{_GAP}consider|consider{_GAP}only)"
    rf"{_GAP}{_NO_NOUN}{_NO_ADJECTIVE}(?:[a-z-]+{_GAP}){{1,3}}?{_NO_NOUN}{_NOUN}{_STOP}"
    rf"|(?:(?:For{_GAP}us|Here),?{_GAP}an?{_GAP}[a-z][a-z-]+{_GAP}(?:is|will{_GAP}be){_GAP}(?:always{_GAP})"
    rf"|(?:An?|Every){_GAP}{_NO_NOUN}[a-z][a-z-]+{_GAP}is{_GAP}(?:always|tacitly){_GAP}{_TAKEN}{_GAP}){_SO}{_STOP}"
    rf"|{_IN_GERMAN}|{_IN_FRENCH}"
    r")",
    words_of=CONVENTION_WORDS,
)
_ARGUES = regex(r"\b(?:{argues})\b|\\[A-Za-z]*(?:ref|cite)", words_of=CONVENTION_WORDS)
_VAGUE = regex(
    r"\b(?:{vague})\b|\\[A-Za-z]*(?:cite|ref)\b|\?|\\(?:begin|end|item)\b|\([a-z\d]\)",
    words_of=CONVENTION_WORDS,
)
_IDLE = regex(r"(?:\A|(?<=[.!?]))[\s~]*\(?(?:{idle})(?!\w)", words_of=CONVENTION_WORDS)
_LIMITS = regex(r"(?:{limits}),?[\s~]", words_of=CONVENTION_WORDS)
_ENDS = regex(r"(?<!\w)(?:{ends})\.\Z", words_of=CONVENTION_WORDS)
_ANNOUNCES = regex(r"(?<!\w)(?:{announces})(?!\w)", words_of=CONVENTION_WORDS)


def _bare(prose: str) -> Iterator[Convention]:
    """Bare sentences at the beginning of a paragraph, or after words that announce them."""
    if not any(cue in prose for cue in _STANDING_CUES):
        return
    for match in _matches(_BARE, prose):
        yield from _unargued(prose, match)
    for match in _matches(_BARE, prose, _SENTENCES):
        if _is_announced(prose, match.start("said")):
            yield from _unargued(prose, match)


def _unargued(prose: str, match: re.Match[str]) -> Iterator[Convention]:
    """A sentence, with the next if it also binds or limits the first; none if the next argues."""
    start, end = match.start("said"), _whole_paragraph_end(prose, match.end())
    if idle := _IDLE.search(prose[match.end() : end]):
        end = match.end() + idle.start()
    if prose[match.end() : end].strip():
        next_end = _plain_sentence_end(prose, match.end() + 1, end)
        following = prose[match.end() : next_end].lstrip(" \n\t~")
        is_limit = _LIMITS.match(following) is not None
        if not is_limit and _ARGUES.search(following):
            return
        is_bound = is_limit or _STANDING_BINDS.match(following) is not None
        end = next_end if is_bound and next_end - start <= _LONGEST_CONVENTION else match.end()
    yield Convention(start, end, _unit(match["unit"] or ""), onward=False)


def _is_announced(prose: str, start: int) -> bool:
    """Whether a paragraph has one sentence before this one, which announces conventions."""
    lower = max(0, start - _LONGEST_CONVENTION)
    breaks = [found.end() for found in _PARAGRAPH.finditer(prose, lower, start)]
    if not breaks and lower:
        return False
    before = prose[max(breaks, default=0) : start]
    is_plain = "$" not in before and len(_PLAIN_SENTENCE_END.findall(before)) == 1
    return is_plain and _ANNOUNCES.search(before) is not None


def _headed(prose: str) -> Iterator[Convention]:
    """The paragraph after a heading, if its first sentence fixes something."""
    if not any(title in prose for title in _TITLES):
        return
    for match in _matches(_HEADED, prose):
        end = _whole_paragraph_end(prose, match.end())
        if end - match.end() <= _LONGEST_HEADED and _STANDING_BINDS.match(prose, match.end(), end):
            yield Convention(match.start("said"), end, "", onward=False)


def _abroad(prose: str) -> Iterator[Convention]:
    """Conventions in German and French."""
    if not any(cue in prose for cue in _FOREIGN):
        return
    at_starts = _matches(_ABROAD, prose)
    for match in (*at_starts, *_matches(_ABROAD, prose, _SENTENCES)):
        limit = _whole_paragraph_end(prose, match.end())
        unit = _UNITS.get(match["de"] or match["fr"] or "", "")
        end = _plain_sentence_end(prose, match.end(), limit)
        if not _ENDS.search(prose, match.end(), end):
            yield Convention(match.start("said"), end, unit, True)


def _unit(word: str) -> str:
    return "document" if re.fullmatch(_DOCUMENT_NOUNS, word) else word


def _whole_paragraph_end(prose: str, position: int) -> int:
    found = _PARAGRAPH.search(prose, position)
    end = found.start() if found else len(prose)
    return position + len(prose[position:end].rstrip())


def _plain_sentence_end(prose: str, position: int, limit: int) -> int:
    for match in _PLAIN_SENTENCE_END.finditer(prose, position, limit):
        if prose.count("$", position, match.start()) % 2 == 0:
            return match.end()
    return limit


_GROUP = r"\{(?:[^{}]|\{[^{}]*\}){2,80}\}"
_TERM = (
    rf"(?:(?:``)?\\(?:emph|textit|textsl|textbf|defn|dfn|define|newterm)\s?{_GROUP}"
    r"|\{\s?\\(?:em|it|sl|bf)(?![A-Za-z])(?:[^{}]|\{[^{}]*\}){2,80}\})(?:'')?"
)
_SOME = r"(?:[^.$]|\$[^$]{1,120}\$){0,160}?"
_DEFINING_ADVERBS = r"(?:(?:will|shall|then|also|further|now|moreover)[\s~]+){0,2}"
_DEFINES = regex(
    rf"(?:\b[Ww]e{_GAP}{_DEFINING_ADVERBS}(?:call|say)\b{_SOME}{_TERM}{_SOME}"
    rf"(?:,?{_GAP}|\s*\$\$?\s*)(?:if|iff|whenever|provided)\b"
    rf"|\b(?:An?|Two|Recall{_GAP}that{_GAP}an?){_GAP}{_SOME}\b(?:is|are){_GAP}{_DEFINING_ADVERBS}"
    rf"(?:called|said{_GAP}to{_GAP}be|termed){_GAP}(?:an?{_GAP}|the{_GAP})?{_TERM}"
    rf"|{_TERM}{_GAP}means\b)"
)
_ADVERB = regex(r"\\(?:emph|textit|textsl|textbf)\s?\{[a-z]+ly\}")
_DEFINING_CUES = ("call", "say", "said", "termed", "means")
_LONGEST_DEFINITION = 700


def definitions(prose: str) -> Iterator[tuple[int, int]]:
    """The spans of definitions in a text in which everything but prose has been blanked."""
    last = 0
    for cue in occurrences(prose, _DEFINING_CUES):
        if cue < last:
            continue
        start, last = sentence(prose, cue, cue)
        said = " ".join(prose[start:last].split())  # how lines are wrapped must not matter
        if len(said) <= _LONGEST_DEFINITION and _DEFINES.search(said) and not _is_vague(said):
            yield start, last


def _is_vague(said: str) -> bool:
    """Whether a sentence depends on others, or defines only an adverb."""
    return bool(_VAGUE.search(said) or _ADVERB.search(said))
