r"""References in words: "the previous lemma", "the two lemmas above", "Lemma 4.3", "Step 2".

It also joins ranges of references: `Lemmas~\ref{a}--\ref{c}`, `\eqref{a}` to another; and it
recognises numbers in other works: "[5, Lemma 2]", "Lemma 2 of Smith's paper", "Lemma 2 in
\cite{x}".
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from typing import Any, NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import occurrences
from pfcore.domain.values import Mention
from pfcore.latex.language.phrases import word_tables
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.letters import with_letters
from pfcore.latex.lexer.whitespace import MENTION
from pfcore.latex.project.kinds import in_english, kind_of, unaccented
from pfcore.latex.structure.headings import STEPS, plain_number

PHRASE, NUMBER, STEP = "(phrase)", "(number)", "(step)"
KIND, COROLLARY = "(kind)", "(corollary)"
WORDED = frozenset({PHRASE, NUMBER, STEP, KIND, COROLLARY})
"""Notes of such mentions; no command has such a name.

The last two have no mark in the text: "the lemma", and the result of which one is a corollary.
"""

_KINDS = (
    r"theorem|lemma|proposition|corollary|definition|claim|remark|example|assumption|conjecture"
    r"|observation|fact|result"
)
_PLURAL = r"theorems|lemmas|lemmata|propositions|corollaries|definitions|claims|results"
_COUNTED = regex(r"[a-z]\.?[\s~]+\(?(?:[A-Z]\.)?\d")
_BEFORE_DIGIT = " \n\t~(."
_DIGIT = regex(r"[\s~]\(?(?:[A-Z]\.)?\d")
_EQUATIONS = frozenset({"equation", "eq", "eqn", "gleichung"})
_LONG = 300
KINDS_DE = (
    "Satz|Hauptsatz|Theorem|Hilfssatz|Lemma|Korollar|Folgerung|Behauptung|Bemerkung|Beispiel"
    "|Vermutung"
)
"""The German names of kinds of statements."""
KINDS_FR = (
    r"[Tt]h(?:é|\\'e)or(?:è|\\`e)me|[Ll]emme|[Pp]roposition|[Cc]orollaire|[Dd](?:é|\\'e)finition"
    r"|[Rr]emarque|[Ee]xemple|[Aa]ffirmation"
)
"""The French names of kinds of statements."""
_GAP = r"(?:\s|~)+"
_BEFORE = regex(
    rf"(?=[Ttpfa])(?:(?:(?:\b[Tt]he{_GAP})?\b(?P<where>previous|preceding|foregoing|above|following)"
    rf"|\b[Tt]he{_GAP}(?P<where3>next|last)){_GAP}"
    rf"(?:(?P<count>two|three){_GAP}(?P<kinds>{_PLURAL})|(?P<kind>{_KINDS}))\b"
    rf"|\b[Tt]he{_GAP}(?:(?P<count2>two|three){_GAP}(?P<kinds2>{_PLURAL})|(?P<kind2>{_KINDS})){_GAP}"
    r"(?P<where2>above|below)\b"
    rf"|\b[Tt]he{_GAP}(?P<count3>two|three){_GAP}"
    rf"(?P<where4>previous|preceding|foregoing|above|last|following|next){_GAP}(?P<kinds3>{_PLURAL})\b"
    rf"|\b[Tt]he{_GAP}(?P<kind3>{_KINDS}){_GAP}(?:that{_GAP})?(?:we{_GAP}(?:have{_GAP})?)?just{_GAP}"
    rf"(?:proved|proven|shown|established|obtained|stated)\b(?!{_GAP}(?:in|by|for)\b))",
)
_NUMBERED = r"(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3}){0,3}"
_RANGE_END = rf"(?:\s*(?:--|\u2013)\s*{_NUMBERED})?"
_KIND = (
    rf"[Tt]heorem|[Ll]emma|[Pp]roposition|[Cc]orollary|[Dd]efinition|[Cc]laim|[Rr]emark"
    rf"|[Ee]xample|[Aa]ssumption|[Cc]onjecture|[Oo]bservation|[Ff]act|(?:Thm|Lem|Prop|Cor|Defn?|Rem)"
    rf"\.?|[Ee]quation|Eqn?\.|eqn?\.|Gleichung|{KINDS_DE}|{KINDS_FR}"
)
_LETTERS_AND = rf"(?:\s*,(?:{_GAP}and)?{_GAP}|{_GAP}and{_GAP})"
_LETTERED = regex(
    rf"\b(?:(?P<kind>Theorem|Lemma|Proposition|Corollary|Satz|Th(?:é|\\'e)or(?:è|\\`e)me)"
    rf"|(?P<kinds>Theorems|Lemmas|Propositions|Corollaries)){_GAP}"
    rf"(?P<number>[A-Z](?(kinds)(?:{_LETTERS_AND}[A-Z](?![\w'’])){{0,9}}))(?![\w'’.]\w|[\w'’])"
)
_LETTER_CUES = ("heorem", "emma", "roposition", "orollar", "Satz", "ème", "\\`eme")
_LETTER = regex(
    r"(?:heorems?|emmas?|ropositions?|orollary|orollaries|Satz|ème|\\`eme)[\s~]+[A-Z](?!\w)"
)
_EQUATION = regex(
    rf"\b(?:[Bb]y|[Ff]rom|[Uu]sing|[Ii]nto|[Cc]ombining|[Nn]ach|[Aa]us|[Mm]it|[Dd]'après|[Pp]ar){_GAP}"
    r"(?P<words>\((?P<number>\d{1,3}(?:\.\d{1,3}){0,3})\))"
    r"(?![\w$]|[\s~]+(?:of|in|from|above|below|von|de|du)\b|[\s~]*\\[A-Za-z]*(?:ref|cite))"
)
_ITEMS = regex(
    r"\\item(?![A-Za-z])|(?:\A|\n[ \t]*|\b(?:[Cc]ases?|[Pp]arts?|[Ii]tems?|[Cc]onditions?|and|or)"
    r"[\s~]+)\((?:[12]|ii?|[ab])\)(?!\w)"
)
"""A list, or something that may be an item of a list."""
_BACK, _ON = 5_000, 500
_MIXED = regex(
    rf"(?:\s*,(?:{_GAP}(?:and|und|et))?|{_GAP}(?:and|und|sowie|et)){_GAP}(?P<number>{_NUMBERED})(?![\w$.]\w|[\w$])"
)
_MANY_BEFORE = regex(
    rf"\b(?P<kinds>[Tt]heorems|[Ll]emmas|[Ll]emmata|[Pp]ropositions|[Cc]orollaries|[Dd]efinitions"
    rf"|[Cc]laims|(?:Hilfss|S)ätzen?|[Ll]emmes|[Tt]héorèmes|[Cc]orollaires)"
    rf"{_GAP}(?:(?:\\ref\{{[^{{}}]{{1,60}}\}}|{_NUMBERED})(?:\s*,\s*|{_GAP}(?:and|und|et){_GAP})?){{0,8}}"
    r"\\ref\{[^{}]{1,60}\}\Z"
)
_STEP_CUES = ("tep", "laim", "ublemma", "Fact", "Schritt", "Behauptung", "tape", "Affirmation")
_COUNT = r"\d{1,3}(?:\.\d{1,2}){0,2}[a-z]?|[IVX]{1,5}|[A-Z]"
_PRIMES = r"['′]{0,2}"
_JOINT = rf"(?:\s*,|--?-?|\u2013|{_GAP}to|(?:\s*,)?{_GAP}(?:and|und|et))\s*"
_MORE = rf"(?:\)?{_JOINT}\(?(?:{_COUNT}){_PRIMES}(?!\w)){{0,5}}"
_STEP = regex(
    rf"\b(?:(?P<low>step|claim|sublemma)(?P<lows>s)?{_GAP}(?=\(?\d)"
    rf"|(?P<kind>Step|Claim|Sublemma|Fact|Schritt|Behauptung|Étape|Affirmation)(?P<many>s|e|en)?"
    rf"{_GAP})(?P<open>\()?"
    rf"(?P<number>(?:{_COUNT}){_PRIMES}(?!\w)(?(lows){_MORE}|(?(many){_MORE})))(?(open)\))"
)
_ANOTHER_PROOF = regex(
    r"[\s~,(]*(?:of|in|from|von|de)[\s~]+(?:(?:the|our)[\s~]+)?(?:proofs?\b|[A-Z\\\[]|previous|preceding)"
)
_ONE = regex(rf"(?:{_COUNT}){_PRIMES}")
_THE_CLAIM = regex(
    rf"\b(?:[Bb]y|[Ff]rom|[Uu]sing|[Ww]ith|[Aa]pply(?:ing)?|[Ii]n){_GAP}(?P<words>(?:the|this){_GAP}"
    r"(?:claim|sublemma))\b(?![\s~]+(?:that|above|below)\b)"
)
_ONE_NUMBER = regex(_NUMBERED)
_ONE_LETTER = regex(r"\b[A-Z]\b")
_MOST = 50
_HEADING = regex(r"(?:[{\[]|\\(?:bf|it|em|sl|sc|sf|[a-z]{2}(?:series|shape)))\s*\Z")
_SWITCH = 12
_COUNTS = {"two": 2, "three": 3}
_TO = ("-", "--", "---", "\u2013", "to")
_ONWARD = frozenset({"following", "next", "below"})


class WordedReference(NamedTuple):
    """A reference in words: its span, its note, and the words themselves."""

    start: int
    end: int
    note: str
    words: str


class Pointer(NamedTuple):
    """What a phrase points to: how many of a kind ("" for any result), before or after it.

    `several` is 0 if it means all in a row. `is_vague` says that no word tells where they are.
    """

    kind: str
    several: int
    onward: bool
    is_vague: bool = False


def cues(text: str) -> list[int]:
    """Offsets, in order, one of which is in every piece of the text with a reference in words."""
    if text.isascii():
        found = occurrences(text, "0123456789")
        digits = [place for place in found if text[place - 1 : place] in _BEFORE_DIGIT]
    else:
        digits = [match.start() for match in _DIGIT.finditer(text)]
    letters = [place for place in occurrences(text, _LETTER_CUES) if _LETTER.match(text, place)]
    return sorted([*occurrences(text, (*_cues(), *_STEP_CUES)), *digits, *letters])


@cache
def _cues() -> tuple[str, ...]:
    """Pieces of words; each phrase that points has one of them."""
    tables = word_tables("pointing_words").values()
    kinds = {word[1:] for table in tables for word, kind in table["kinds"].items() if kind}
    return (*kinds, *(cue for table in tables for cue in table["cues"]))


@cache
def cue(*, of_steps: bool) -> re.Pattern[str]:
    """A pattern that matches in each phrase that points to a step, or else to a result."""
    return re.compile(alternatives(_STEP_CUES if of_steps else _cues()))


def find_worded_references(
    text: str, start: int, end: int, *, with_steps: bool = False
) -> list[WordedReference]:
    """The references in words between two offsets, in order."""
    found: list[WordedReference] = []
    if cue(of_steps=False).search(text, start, end):
        phrases = _BEFORE.finditer(text, start, end)
        found += [_worded(one, PHRASE) for one in phrases if not _is_part(text, one.end(), one[0])]
        found += _pointing(text, start, end, found)
    if _COUNTED.search(text, start, end):
        numbers = _number().finditer(text, start, end)
        found += [_worded(match, NUMBER) for match in numbers if not _is_none(match)]
        found += _listed_on(text, start, end)
        found += _equations(text, start, end)
    if _LETTER.search(text, start, end):
        letters = _LETTERED.finditer(text, start, end)
        found += [_worded(match, NUMBER) for match in letters if not _is_none(match)]
    if with_steps:
        found += _steps(text, start, end, {item.start for item in found})
    return sorted(found)


def _listed_on(text: str, start: int, end: int) -> Iterator[WordedReference]:
    """The number that continues a list of references: `Lemmas~\\ref{a} and 2`."""
    number = _MIXED.match(text, start, end)
    before = _MANY_BEFORE.search(text, max(0, start - _LONG), start) if number else None
    if number and before and not is_elsewhere(text, number.start("number"), number.end()):
        words = f"{_one_of_many(before['kinds'])} {number['number']}"
        yield WordedReference(number.start("number"), number.end(), NUMBER, words)


def _equations(text: str, start: int, end: int) -> Iterator[WordedReference]:
    """Equations by number alone, unless the number may mean an item of a list."""
    for match in _EQUATION.finditer(text, start, end):
        around = max(0, match.start() - _BACK), match.end() + _ON
        is_item = "." not in match["number"] and _ITEMS.search(text, *around)
        if not is_item and not is_elsewhere(text, match.start("words"), match.end()):
            yield WordedReference(match.start("words"), match.end(), NUMBER, match["words"])


def _steps(text: str, start: int, end: int, taken: Set[int]) -> Iterator[WordedReference]:
    """Steps and claims, except those of another proof."""
    for match in _STEP.finditer(text, start, end):
        is_other = _ANOTHER_PROOF.match(text, match.end())
        if match.start() not in taken and not is_other and not _is_none(match):
            yield _worded(match, STEP)
    for match in _THE_CLAIM.finditer(text, start, end):
        words = " ".join(match["words"].replace("~", " ").split())
        yield WordedReference(match.start("words"), match.end(), STEP, words)


def _is_none(match: re.Match[str]) -> bool:
    """Whether a match is not a reference: a heading, or a number in another work."""
    start = match.start()
    if _HEADING.search(match.string[max(0, start - _SWITCH) : start]):
        return True
    return is_elsewhere(match.string, start, match.end())


def _worded(match: re.Match[str], note: str) -> WordedReference:
    words = " ".join(match[0].replace("~", " ").split())
    return WordedReference(match.start(), match.end(), note, words)


def pointer(words: str) -> Pointer | None:
    """What a phrase points to."""
    match = _BEFORE.fullmatch(words)
    if match is None:
        found = ((table, pattern.fullmatch(words)) for table, pattern in _pointers())
        return next((_pointer(table, one) for table, one in found if one), None)
    one = match["kind"] or match["kind2"] or match["kind3"]
    kind = one or _singular(match["kinds"] or match["kinds2"] or match["kinds3"])
    count = _COUNTS.get(match["count"] or match["count2"] or match["count3"] or "", 1)
    onward = not _ONWARD.isdisjoint(match.group("where", "where2", "where3", "where4"))
    return Pointer("" if kind == "result" else kind, count, onward)


def _pointer(table: Mapping[str, Any], match: re.Match[str]) -> Pointer:
    """What a phrase points to, given its match and the table of its language."""
    groups = match.groupdict()
    many, one = (groups.get(f"{name}1") or groups.get(f"{name}2") for name in ("many", "one"))
    many = many or groups["many3"] or groups["many4"] or groups["many5"]
    counted = next((groups[f"count{place}"] for place in "12345" if groups[f"count{place}"]), "")
    kind = table["kinds"][many] if many else kind_of("", _UNBENT.sub("", one or ""))
    several = table["counts"].get(" ".join(counted.split()), 0) if many else 1
    several = 2 if groups["many5"] else several
    is_vague = not (groups["back1"] or groups["back2"] or groups["on1"] or groups["on2"])
    return Pointer(kind, several, bool(groups["on1"] or groups["on2"]), is_vague)


_UNBENT = regex(r"(?<=[az]|m)e?s\Z")
"""The ending of a German genitive: of "Satzes", "Lemmas", "Theorems"."""


def _pointing(
    text: str, start: int, end: int, others: Iterable[WordedReference]
) -> Iterator[WordedReference]:
    """The phrases of all languages that point, except those already found."""
    taken = [(one.start, one.end) for one in others]
    for table, pattern in _pointers():
        for match in pattern.finditer(text, start, end):
            meant = _pointer(table, match)
            is_told = meant.several and not meant.is_vague
            is_said = is_told or in_english(meant.kind) in _PROVED_KINDS
            is_new = all(match.end() <= first or last <= match.start() for first, last in taken)
            is_here = is_said and is_new and (meant.several or not meant.onward)
            is_here = is_here and not _is_part(text, match.end(), match[0])
            if is_here and not is_elsewhere(text, match.start(), match.end()):
                yield _worded(match, PHRASE)


def _is_part(text: str, end: int, words: str) -> bool:
    """Whether a phrase means a part of a result: "the last remark in the theorem"."""
    if _part().match(text, end) is None:
        return False
    meant = pointer(" ".join(words.replace("~", " ").split()))
    return meant is not None and in_english(meant.kind) not in _PROVED_KINDS


@cache
def _part() -> re.Pattern[str]:
    """Words of all languages right after a kind that say that a part of a statement is meant."""
    tables = word_tables("pointing_words").values()
    words = "|".join(table["part"]["words"] for table in tables)
    return re.compile(rf"{_GAP}(?:{words})(?!\w)".replace(" ", _GAP))


@cache
def _number() -> re.Pattern[str]:
    """The pattern of a kind with its number, or of a plural with several numbers."""
    tables = word_tables("pointing_words").values()
    kinds = "|".join(
        f"[{word[0].upper()}{word[0].lower()}]{word[1:]}"
        for table in tables
        for word, kind in table["kinds"].items()
        if kind
    )
    lists, ranges = ("|".join(table[name]["words"] for table in tables) for name in _JOINTS)
    joint = (
        rf"(?:\s*,(?:{_GAP}(?:{lists}))?\s*|{_GAP}(?:{lists}){_GAP}|\s*(?:--?-?|\u2013)\s*"
        rf"|{_GAP}(?:{ranges}){_GAP})"
    )
    german = next(table["lists"]["words"] for table in tables if "Lemmata" in table["kinds"])
    dotted = r"(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3}){1,3}"
    also = (
        rf"{_GAP}(?:(?:{lists}){_GAP}{dotted}|(?:{german}){_GAP}{_NUMBERED}(?![\s~]+[A-ZÄÖÜ]))"
        rf"(?![\w$]|\.\d)"
    )
    return re.compile(
        rf"\b(?:(?P<kind>{_KIND})|(?P<kinds>{kinds})){_GAP}(?P<open>\()?"
        rf"(?P<number>{_NUMBERED}(?(kinds)(?:{joint}{_NUMBERED}){{0,9}}|(?:{also}|{_RANGE_END})))"
        r"(?(open)\))(?![\d\w])"
    )


_JOINTS = ("lists", "ranges")


@cache
def _ranging() -> frozenset[str]:
    """The words and dashes between the ends of a range."""
    tables = word_tables("pointing_words").values()
    return frozenset(
        [*_TO, *(word for one in tables for word in one["ranges"]["words"].split("|"))]
    )


def _one_of_many(plural: str) -> str:
    """The singular of an English plural; a plural of another language is unchanged."""
    kind = word_tables("pointing_words")["english"]["kinds"].get(plural.lower(), "")
    return kind.capitalize() or plural


def _kind_of_many(plural: str) -> str:
    """The kind, in the singular, of a plural in any language."""
    tables = word_tables("pointing_words").values()
    forms = (plural, plural.lower(), plural.capitalize())
    found = (one["kinds"][form] for form in forms for one in tables if form in one["kinds"])
    return str(next(found))


_PROVED_KINDS = frozenset({"theorem", "lemma", "proposition", "corollary"})
"""Kinds that are always environments; "these definitions" may mean formulas of the text."""


@cache
def _pointers() -> list[tuple[Mapping[str, Any], re.Pattern[str]]]:
    """The tables of all languages, each with the pattern of its pointing phrases."""
    tables = word_tables("pointing_words").values()
    return [(table, re.compile(pointing_words(table))) for table in tables]


def pointing_words(table: Mapping[str, Any]) -> str:
    """The pattern of phrases that point to results in a language."""
    many, counts = ("|".join(table[name]) for name in ("kinds", "counts"))
    said = {
        (at, bool(onward)): "|".join(
            one["words"]
            for one in table["where"]
            if one["at"] == at and one.get("onward", False) == onward
        )
        or "(?!)"
        for at in ("before", "behind")
        for onward in (False, True)
    }
    where = rf"(?:(?P<back1>{said['before', False]})|(?P<on1>{said['before', True]}))"
    tail = rf"(?:(?P<back2>{said['behind', False]})|(?P<on2>{said['behind', True]}))"
    determiner, these, both, other = (
        table[name] for name in ("determiner", "these", "both", "other")
    )
    determiner, one = rf"(?:{determiner} )", table["one"] or "(?!)"
    bare = "?" if table["is_bare"] else ""
    count = [rf"(?:(?P<count{place}>{counts}) )" for place in range(6)]
    words = (
        rf"{determiner}{bare}{count[1]}?{where} {count[2]}?"
        rf"(?:(?P<many1>{many})|(?P<one1>{one}))"
        rf"|(?:{determiner}{bare}{count[3]}?(?P<many2>{many})|{determiner}(?P<one2>{one}))"
        rf" {tail}"
        rf"|(?:{determiner}{count[4]}(?P<many3>{many})|{these} {count[5]}?(?P<many4>{many})"
        rf"|{both} (?P<many5>{many}))"
        rf"(?![\s~]+(?:{other})(?!\w))"
    )
    return rf"(?<!\w)(?:{words})(?!\w)".replace(" ", _GAP)


def kinds_alone(text: str) -> list[tuple[str, int]]:
    """The kinds that a canonical text names with just an article: "the lemma".

    Each is listed once, with the number of the last mark before it, or -1.
    """
    found: dict[str, int] = {}
    if any(cue in text for cue in _CUES_OF_KINDS):
        text = with_letters(text)
        for pattern in _alone():
            for match in pattern.finditer(text):
                kind = in_english(kind_of("", _UNBENT.sub("", match["kind"])))
                is_more = _NAMED.match(text, match.end()) or (
                    kind == "proposition" and _FORMULA_BEHIND.match(text, match.end())
                )
                if not is_more and not is_elsewhere(text, match.start(), match.end()):
                    marks = MENTION.findall(text, 0, match.start())
                    found.setdefault(kind, int(marks[-1]) if marks else -1)
    return list(found.items())


_CUES_OF_KINDS = (*_LETTER_CUES, "emme")


@cache
def _alone() -> list[re.Pattern[str]]:
    """For each language, the pattern of a kind after an article."""
    found = []
    for table in word_tables("pointing_words").values():
        apart = "|".join(table[role] for role in ("other", "compound") if role in table)
        kind = rf"(?P<kind>{table['alone']})(?!\w)"
        article = rf"(?<!\w)(?:{table['article']}){_GAP}"
        found.append(re.compile(rf"{article}{kind}(?![\s~]+(?:{apart})(?!\w))"))
    return found


def main_theorem_uses(text: str) -> list[tuple[int, int]]:
    """Where a text uses a theorem that it calls just "the theorem", or "our main theorem".

    Places after another named theorem are left out: that may be meant.
    """
    uses = [match.span("words") for pattern in _main() for match in pattern.finditer(text)]
    if not uses:
        return []
    alone = (match.span() for pattern in _alone() for match in pattern.finditer(text))
    plain = {
        start + place
        for start, end in (*uses, *alone)
        for place in occurrences(text[start:end], _CUES_OF_THEOREMS)
    }
    other = next(
        (place for place in occurrences(text, _CUES_OF_THEOREMS) if place not in plain), len(text)
    )
    return sorted(
        (start, end)
        for start, end in uses
        if end <= other and not _NAMED.match(text, end) and not is_elsewhere(text, start, end)
    )


_CUES_OF_THEOREMS = ("heorem", "satz", "Satz", "éorème")


@cache
def _main() -> list[re.Pattern[str]]:
    """For each language, the pattern of a use of the main theorem."""
    found = []
    for table in word_tables("pointing_words").values():
        apart = "|".join(table[role] for role in ("other", "compound") if role in table)
        words = table["main"]["words"].replace(" ", _GAP)
        found.append(re.compile(rf"(?<!\w){words}(?!\w)(?![\s~]+(?:{apart})(?!\w))"))
    return found


_NAMED = regex(
    r"[\s~]*(?:\(?\d|\(?\x02|\(?\\[A-Za-z]*(?:ref|cite)|\(?[a-z]+\)|\[)"
    r"|[\s~]+(?:[A-Z]|[IVX]+)(?!\w)|['’]?-"
)
"""Follows a kind that means another result than a previous one.

A number, a letter, a reference.
"""
_FORMULA_BEHIND = regex(r"[\s~]*(?:\$|\\\[|\\\(|\\(?:text[a-z]{2}|emph|math[a-z]+)\s?\{)")
"""Follows "proposition" in the sense of logic: "the proposition $P$"."""


def may_mean_formulas(words: str) -> bool:
    """Whether a phrase is like "the two results above", which may mean displays of a proof."""
    found = pointer(words)
    return found is not None and not found.kind and found.several != 1


def numbered(words: str) -> tuple[tuple[str, str], ...]:
    """Kinds and numbers of "Lemma 4.3" and "Lemmas 1.1--1.3 and 2.2"."""
    if words.startswith("("):
        return (("equation", words[1:-1]),)
    match = _number().fullmatch(words) or _LETTERED.fullmatch(words)
    if match is None:
        return ()
    groups = match.groupdict()
    if not groups["kind"]:
        kind = _kind_of_many(groups["kinds"])
    elif match["kind"].rstrip(".").lower() in _EQUATIONS:
        kind = "equation"
    else:
        kind = kind_of("", unaccented(match["kind"].rstrip(".")))
    return tuple((kind, number) for number in _listed(match["number"]))


def _listed(text: str) -> list[str]:
    """The numbers of a list, including those between the ends of a range."""
    if not any(sign.isdigit() for sign in text):
        return _ONE_LETTER.findall(text)
    numbers, joints = _ONE_NUMBER.findall(text), _ONE_NUMBER.split(text)[1:-1]
    found = numbers[:1]
    for joint, number in zip(joints, numbers[1:], strict=True):
        head, dot, last = number.rpartition(".")
        start = found[-1].rpartition(".")
        is_range = joint.strip(" \n~") in _ranging() and start[0] == head
        if is_range and int(last) - int(start[2]) <= _MOST:
            found += [f"{head}{dot}{item}" for item in range(int(start[2]) + 1, int(last))]
        found.append(number)
    return found


def speaks_of_steps(mentions: Iterable[Mention]) -> bool:
    """Whether some mentions refer to numbered steps."""
    listed = (steps(one.keys[0]) for one in mentions if one.note == STEP)
    return any(kind in STEPS for found in listed for kind, _ in found)


def steps(words: str) -> tuple[tuple[str, str], ...]:
    """Kinds and numbers of "Step 2" and "Claims A and B"; "the claim" has the number ""."""
    match = _STEP.fullmatch(words)
    if match is None:
        return ((words.rsplit(maxsplit=1)[-1], ""),) if words.startswith("th") else ()
    kind = kind_of("", match["kind"] or match["low"])
    numbers = _ONE.findall(match["number"])
    joints = _ONE.split(match["number"])[1:-1]
    spread = [numbers[0]]
    for joint, number in zip(joints, numbers[1:], strict=True):
        is_range = joint.strip("() \n~") in _TO and spread[-1].isdigit() and number.isdigit()
        spread += map(str, range(int(spread[-1]) + 1, int(number))) if is_range else ()
        spread.append(number)
    return tuple((kind, plain_number(number)) for number in spread)


def _singular(plural: str) -> str:
    if plural == "lemmata":
        return "lemma"
    return plural[:-3] + "y" if plural.endswith("ies") else plural[:-1]


NOTE = "crefrange"
"""The note of the mention of a range; it is the name of the command for ranges."""

_THIN_GAP = r"(?: |\\,)?"
_DASH = rf"{_THIN_GAP}(?:--?|\u2013|\$-{{1,2}}\$){_THIN_GAP}"
_RANGE = regex(
    rf"\x02(?P<first>\d+)\x03(?P<close>\))?(?:{_DASH}|(?P<word> ?(?:to|through) ?))"
    r"(?(close) ?\( ?)\x02(?P<last>\d+)\x03"
)
_MANY = regex(r"(?:[^sS]s|[Ll]emmata)\.?[\s~(]*\Z")


def is_plural(words: str) -> bool:
    """Whether the words before a reference announce several."""
    return _MANY.search(words) is not None


def join_ranges(
    text: str, found: Sequence[Mention], plural: Container[int]
) -> tuple[str, list[Mention]]:
    """The text and its mentions, with one mention for each range.

    `plural` are the mentions after a word like "Lemmas": only there does "to" mean a range, unlike
    in "apply Lemma 1 to Lemma 2". A dash inside a formula is a minus sign.
    """
    lasts: dict[int, int] = {}
    for match in _RANGE.finditer(text):
        first, last = int(match["first"]), int(match["last"])
        is_told = not match["word"] or first in plural
        ends = found[first], found[last]
        if is_told and all(map(_is_single, ends)) and not _is_inside_maths(text, match.start()):
            lasts[first] = last
    if not lasts:
        return text, list(found)
    return _merged(text, found, lasts)


def _merged(
    text: str, found: Sequence[Mention], lasts: dict[int, int]
) -> tuple[str, list[Mention]]:
    """The text with one mark for each range instead of those of its ends, all renumbered."""
    made: list[Mention] = []
    pieces: list[str] = []
    done, skipped = 0, -1
    for mark in MENTION.finditer(text):
        index = int(mark[1])
        if index == skipped:
            done = mark.end()
            continue
        skipped = lasts.get(index, -1)
        mention = found[index]
        if skipped >= 0:
            end = found[skipped]
            keys = (*mention.keys, *end.keys)
            mention = Mention("range", keys, NOTE, mention.start, max(mention.end, end.end))
        pieces += (text[done : mark.start()], f"\x02{len(made)}\x03")
        made.append(mention)
        done = mark.end()
    return "".join([*pieces, text[done:]]), made


def _is_single(mention: Mention) -> bool:
    is_plain = mention.form == "reference" and mention.note not in WORDED
    return is_plain and len(mention.keys) == 1


def _is_inside_maths(text: str, start: int) -> bool:
    return (text.count("$", 0, start) - text.count("\\$", 0, start)) % 2 == 1


_WINDOW = 60
_CITES = regex(r"(?:\\[A-Za-z]*cite|(?<![\\}])\[[A-Z][A-Za-z+]{0,7}(?:\s?\d{2,4}[a-z]?)?(?:,|\]))")
"""A citation: by its command, or as in "[Tao, Lemma 2]"; not the option of an environment."""
_BLANKS = r"[\s~]+"
_NAME = r"[A-Z](?:\w|[-.'’]|\\['\"`^~cvH]\{?\w\}?)*"
_WORK = (
    r"(?:papers?|articles?|books?|monographs?|thesis|theses|works?|preprints?|treatise|survey|textbook"
    r"|memoir|dissertation|manuscript|notes|edition|Arbeit|Buch(?:es)?|Artikel|livre|th[èe]se"
    r"|m[ée]moire)"
)
_FROM = r"(?:of|in|from|aus|von|vom|de|du|dans)"
_OPENS = r"(?<![\\\w}$^_\])])\["
_NO_NAME = (
    r"(?!(?:Sections?|Chapters?|Parts?|Append\w+|Subsections?|Paragraphs?|Steps?|Cases?|Theorems?"
    r"|Lemm\w+|Propositions?|Corollar\w+|Definitions?|Remarks?|Examples?|Figures?|Tables?|Claims?"
    r"|Algorithms?|Abschnitte?s?|Kapitel|Satz|Teil|Lean|Mathlib|Volumes?|Lectures?)\b)"
)
_WORK_BEFORE = regex(
    rf"{_OPENS}\d{{1,3}}(?:,[^\][\n]{{0,30}})?(?:\]\s*,)?\s*(?:see\s+)?\Z"
    rf"|\b{_NO_NAME}{_NAME}['’]s{_BLANKS}(?:{_WORK},?{_BLANKS})?\Z"
)
_BEHIND = regex(
    rf"\s*(?:,{_BLANKS})?(?:{_FROM}{_BLANKS}(?:[A-Za-z]+{_BLANKS}){{0,3}}{_OPENS}\d{{1,3}}[,;\]]"
    rf"|{_OPENS}\d{{1,3}}\]"
    rf"|{_FROM}{_BLANKS}(?:{_NAME}{_BLANKS}(?:and{_BLANKS})?){{0,2}}{_NO_NAME}{_NAME}(?:['’]s|s['’])"
    rf"|{_FROM}{_BLANKS}(?:his|her|their|that|seiner|ihrer|son|leur){_BLANKS}(?:[a-z]+{_BLANKS}){{0,2}}{_WORK}\b"
    rf"|{_FROM}{_BLANKS}(?:the|der|dem|le|l['’])\s*(?:[a-z]+{_BLANKS}){{0,2}}{_WORK}{_BLANKS}"
    rf"(?:of|by|von|de){_BLANKS}(?:{_NAME}|the{_BLANKS}(?:book|monograph))"
    rf"|(?:of|from){_BLANKS}{_NO_NAME}{_NAME}(?:{_BLANKS}(?:and|et){_BLANKS}(?:{_NAME}|al))?"
    rf"(?:\s*\(\d{{4}}|[,;)]|\.(?=\s|\Z|\\))"
    rf"|(?:(?:in|of){_BLANKS})?(?:\\(?:emph|textit)\{{)?(?:loc|op|ibid)\.?(?:\\?{_BLANKS}cit)?\b"
    rf"|there(?=[.,;)]))"
)
_SOURCE = regex(rf"\({_NO_NAME}(?P<word>{_NAME}),{_BLANKS}\Z")
_NO_SOURCE = frozenset("Indeed See Cf Compare Also Again Here Thus Hence By Namely Now So".split())


def is_elsewhere(text: str, start: int, end: int) -> bool:
    """Whether words around a number, given by its span, say that it is in another work."""
    first, last = max(0, start - _WINDOW), end + _WINDOW
    if _CITES.search(text, first, last):
        return True
    if _WORK_BEFORE.search(text, first, start) or _BEHIND.match(text, end, last):
        return True
    source = _SOURCE.search(text, first, start)
    return bool(source and text[end : end + 1] == ")" and source["word"] not in _NO_SOURCE)
