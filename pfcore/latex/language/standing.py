"""Conventions that no marker announces: "All rings are commutative.", `\\textbf{Notation.}`.

A bare sentence is one where its paragraph is short, argues nothing and says it of a whole kind of
objects, which its noun alone names: "All cyclic groups are abelian" is no convention, but a fact.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

from pfcore.latex.language.conventions import Convention, conventions

_GAP = r"[\s~]+"
_STARTS = re.compile(
    r"(?:\A|\n[ \t]*+\n|\\par(?![A-Za-z]))"
    r"(?:\s++|\\(?:noindent|(?:small|med|big)skip|label\{[^{}]*\})(?![A-Za-z]))*+"
)
"""Where paragraphs begin; found first, for what is no prose is blank, and blanks are long."""
_SENTENCES = re.compile(r"(?<=[.:!?])[\s~]++")
_DOCUMENT_NOUNS = r"paper|article|notes?|book|work|document|manuscript|thesis|text|monograph"
_HERE = (
    rf"{_GAP}(?:(?:considered|occurring|appearing|used|studied|we{_GAP}(?:consider|use)){_GAP})?"
    rf"in{_GAP}(?:this|these){_GAP}(?P<unit>{_DOCUMENT_NOUNS}|part|chapter|section|subsection|appendix)"
)
_STANDING_ADVERBS = r"(?:(?:always|tacitly|implicitly|generally|also|usually)[\s~]+)*"
_WIDE = r"(?:vector|topological|Lie|function|measure|probability|Riemannian|algebraic|base|ground)"
_NOUN = rf"(?:{_WIDE}{_GAP})?[a-z][a-z-]+s"
_NOUNS = rf"{_NOUN}(?:(?:\s*,\s*|{_GAP})(?:and{_GAP})?{_NOUN}){{0,3}}"
_NO_NOUN = (
    r"(?!(?:these|those|this|others|others?|ours|results?|theorems?|lemmas?|proofs?|figures?|tables?"
    r"|definitions?|statements?|claims?|examples?|exercises?|computations?|arguments?|pictures?"
    r"|details?|conditions?|cases?|steps?|terms?|facts?|things?|assertions?|properties|questions?"
    r"|problems?|conclusions?|parts?|quantities|inequalities|equalities|equations?|entries|errors?"
    r"|sections?|chapters?|codes?|ideas?|authors?|notions?|cells?|remarks?|diagrams?|answers?"
    r"|roads|cross|diagrams?|theories|methods?|models|programs?|references)\b)"
)
_NO_ADJECTIVE = (
    r"(?!(?:the|an?|given|clear(?:ly)?|easy|easily|true|false|obvious|trivial|immediate|known|proved"
    r"|proven|shown|similar|equal|equivalent|isomorphic|left|called|said|due|based|available|new"
    r"|well-known|standard|elementary|important|used|useful|needed|necessary|possible|different"
    r"|not|as|in|of|by|from|at|about|for|there|then|also|examples?|instances?|just|more|most|one"
    r"|some|those|these|this|that|now|done|both|often|sometimes|usually|typically|obtained"
    r"|formali[sz]ed|listed|described|defined[\s~]+(?:by|in|as)|inherited|convex[\s~]+comb|relevant"
    r"|interesting|nice|good|bad|fine|subject|related|determined|represented|everywhere)\b)"
)
_WORDS = (
    r"(?!(?:as|which|that|but|by|see|since|because|so|hence|if|iff|when|whenever|for|where|unless)\b)"
    r"(?:[A-Za-z\d-]+|\$[^$=<>\\]{1,12}\$)"
)
_SO = rf"{_NO_ADJECTIVE}{_WORDS}(?:,?{_GAP}{_WORDS}){{0,9}}?"
_STOP = r"\.(?=\s|\Z)"
_TAKEN = r"(?:assumed|understood|supposed|taken)(?:[\s~]+to[\s~]+be)?"
_BARE = re.compile(
    rf"(?P<said>"
    rf"(?:All|Every|Each){_GAP}{_NO_NOUN}(?:[a-z-]+{_GAP}){{0,3}}?[a-z-]+{_HERE}{_GAP}"
    rf"(?:is|are|will{_GAP}be){_GAP}{_STANDING_ADVERBS}(?:{_TAKEN}{_GAP})?{_SO}{_STOP}"
    rf"|All{_GAP}{_NO_NOUN}{_NOUNS}{_GAP}(?:are|will{_GAP}be){_GAP}{_STANDING_ADVERBS}(?:{_TAKEN}{_GAP})?{_SO}{_STOP}"
    rf"|{_NO_NOUN}[A-Z][a-z-]+s{_GAP}are{_GAP}{_STANDING_ADVERBS}{_TAKEN}{_GAP}{_SO}{_STOP}"
    rf"|{_NO_NOUN}[A-Z][a-z-]+s{_GAP}are{_GAP}(?:always|tacitly){_GAP}{_SO}{_STOP}"
    rf"|(?:Rings|Algebras|Modules|Groups|Graphs|Fields|Manifolds|Varieties|Schemes|Spaces|Maps"
    rf"|Ideals|Functions|Morphisms|Categories){_GAP}are{_GAP}{_SO}{_STOP}"
    rf"|We{_GAP}(?:(?:shall|will|always|tacitly|also)[\s~]+)*(?:assume|suppose)(?:{_GAP}that)?{_GAP}"
    rf"all{_GAP}{_NO_NOUN}{_NOUNS}{_GAP}(?:are|to{_GAP}be){_GAP}{_SO}{_STOP}"
    rf"|Alle{_GAP}[A-ZÄÖÜ]\w+{_GAP}(?:sind|seien){_GAP}(?:stets{_GAP})?\w+(?:{_GAP}(?:und|mit){_GAP}\w+)?{_STOP}"
    rf"|Tou(?:s|tes){_GAP}les{_GAP}\w+{_GAP}(?:sont|seront){_GAP}(?:supposée?s{_GAP})?\w+"
    rf"(?:{_GAP}(?:et|à){_GAP}\w+)?{_STOP}"
    r")"
)
_ARGUES = re.compile(
    r"\b(?:[Hh]ence|[Tt]hus|[Tt]herefore|[Ss]ince|[Bb]ecause|[Ss]o|[Bb]y|[Ff]ollows?|[Ii]ndeed"
    r"|[Tt]hen|[Pp]roofs?|[Pp]rov\w+|[Ss]hown?|[Tt]his|[Bb]ut|[Hh]owever|[Ff]or[\s~]+example"
    r"|[Aa]lso|[Dd]aher|[Aa]lso|[Dd]onc)\b|\\[A-Za-z]*(?:ref|cite)"
)
_FONT = r"(?:text(?:bf|it|sc|sl|up)|emph|underline|(?P<section>(?:sub)?paragraph\*?))"
_NAMES = (
    r"(?:[Cc]onventions?|[Nn]otations?|[Aa]ssumptions?"
    r"|[Ss]tanding[\s~]+(?:assumptions?|hypothes[ei]s))"
)
_TITLE = (
    rf"(?:(?:General|Standing|Our|Basic|Some){_GAP})?{_NAMES}(?:{_GAP}(?:and|\\&){_GAP}{_NAMES})?"
    r"|Konventionen|Bezeichnungen|Notationen"
)
_HEADING = re.compile(rf"(?:{_TITLE})[\s~]*[.:]?")
_HEADED = re.compile(
    rf"(?P<said>\\{_FONT}\s?\{{\s?(?:{_TITLE})[\s~]*(?P<stop>[.:])?\s?\}}"
    r"[ \t~]*(?(stop)|(?(section)[.:]?|[.:]))\s*)"
)
_STANDING_BINDS = re.compile(
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
_ABROAD = re.compile(
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
    r")"
)
_STANDING_CUES = (
    "All ", "All\n", "Every ", "Each ", "s are ", "s are\n", "assume all", "assume that all",
    "Alle ", "Tous les", "Toutes les",
)  # fmt: skip
_TITLES = ("onvention", "otation", "ssumption", "ypothes", "Konvention", "Bezeichnung")
_FOREIGN = (
    "olgenden", "eiteren", "nun an", "Durch", "Stets", "In diese", "Wir nehmen", "Wir setzen",
    "Dans ", "ésormais", "orénavant", "toujours", "la suite",
)  # fmt: skip
_PARAGRAPH = re.compile(r"\n[ \t]*\n|\\par(?![A-Za-z])")
_PLAIN_SENTENCE_END = re.compile(r"[.!?](?=[\s~]|\Z)")
_LONGEST_CONVENTION = 300
_LONGEST_HEADED = 3_000


def standing(prose: str) -> list[Convention]:
    """The conventions of a text in which all that is no prose has been blanked, in order."""
    found: list[Convention] = []
    for one in sorted([*_headed(prose), *_bare(prose), *_abroad(prose)]):
        if not found or found[-1].end <= one.start:
            found.append(one)
    return found


def is_heading(command: str, title: str) -> bool:
    """Whether a sectioning command heads one paragraph of conventions, and no section of them."""
    return command in ("paragraph", "subparagraph") and bool(_HEADING.fullmatch(title.strip()))


def all_conventions(prose: str) -> list[Convention]:
    """These, and those that a marker announces; of two that overlap, the one so announced."""
    announced = conventions(prose)
    ends = [one.end for one in announced]
    found = list(announced)
    for one in standing(prose):
        index = bisect_right(ends, one.start)
        if index == len(ends) or one.end <= announced[index].start:
            found.append(one)
    return sorted(found)


def _matches(
    pattern: re.Pattern[str], prose: str, starts: re.Pattern[str] = _STARTS
) -> Iterator[re.Match[str]]:
    """What stands at the beginnings of paragraphs, or of sentences."""
    for start in starts.finditer(prose):
        if match := pattern.match(prose, start.end()):
            yield match


def _bare(prose: str) -> Iterator[Convention]:
    """Paragraphs of at most two sentences, or of nothing but such sentences."""
    if not any(cue in prose for cue in _STANDING_CUES):
        return
    for match in _matches(_BARE, prose):
        start, end = match.start("said"), _whole_paragraph_end(prose, match.end())
        rest = prose[match.end() : end]
        if (
            end - start <= _LONGEST_CONVENTION
            and not _ARGUES.search(rest)
            and _sentences(rest) <= 1
        ):
            yield Convention(start, end, _unit(match["unit"] or ""), onward=False)


def _headed(prose: str) -> Iterator[Convention]:
    """The paragraph behind a heading, if its first sentence fixes something."""
    if not any(title in prose for title in _TITLES):
        return
    for match in _matches(_HEADED, prose):
        end = _whole_paragraph_end(prose, match.end())
        if end - match.end() <= _LONGEST_HEADED and _STANDING_BINDS.match(prose, match.end(), end):
            yield Convention(match.start("said"), end, "", onward=False)


def _abroad(prose: str) -> Iterator[Convention]:
    """German and French sentences."""
    if not any(cue in prose for cue in _FOREIGN):
        return
    at_starts = _matches(_ABROAD, prose)
    for match in (*at_starts, *_matches(_ABROAD, prose, _SENTENCES)):
        limit = _whole_paragraph_end(prose, match.end())
        unit = _UNITS.get(match["de"] or match["fr"] or "", "")
        yield Convention(
            match.start("said"), _plain_sentence_end(prose, match.end(), limit), unit, True
        )


def _unit(word: str) -> str:
    return "document" if re.fullmatch(_DOCUMENT_NOUNS, word) else word


def _whole_paragraph_end(prose: str, position: int) -> int:
    found = _PARAGRAPH.search(prose, position)
    end = found.start() if found else len(prose)
    return position + len(prose[position:end].rstrip())


def _sentences(text: str) -> int:
    return len(_PLAIN_SENTENCE_END.findall(text))


def _plain_sentence_end(prose: str, position: int, limit: int) -> int:
    for match in _PLAIN_SENTENCE_END.finditer(prose, position, limit):
        if prose.count("$", position, match.start()) % 2 == 0:
            return match.end()
    return limit
