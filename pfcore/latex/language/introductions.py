r"""The symbols and terms that a sentence introduces, each with its strength.

A text introduces something strongly if it states ("$x:=1$", "is called tame"), names ("write $e$
for") or takes it ("let $G$ be"); a mention is weak. The words are in `introducing_words.toml`;
symbols are found in `introduced_symbols`.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import pairwise

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import occurrences
from pfcore.latex.language.definienda import TITLE, terms_told
from pfcore.latex.language.formula_keys import MENTIONS, NAMES, STATES, keys_of_formula
from pfcore.latex.language.hypotheses import (
    ASSUMPTION_NAME,
    NAME_TAG,
    SPEAKS_OF,
    with_plain_names,
)
from pfcore.latex.language.introduced_symbols import introduced_symbols
from pfcore.latex.language.notation import formulas, is_plain, rare_keys, sentences
from pfcore.latex.language.phrases import (
    CONVENTION_WORDS,
    has_phrase,
    introducing,
    phrase_pattern,
    phrases_of,
    sought,
    spaced,
)
from pfcore.latex.lexer.letters import letters_in_place, with_letters
from pfcore.latex.lexer.whitespace import MENTION

POINTED = "@above"
"""The key of the paragraph that a statement points to."""
SET_UP = "@section "
"""The prefix of the key of a section that sets up a statement; a mention's number follows."""

_NEAR = 90
_TITLE_BEFORE = regex(r"(?:[(,:;]|(?<!\w)(?:and|und|et))[\s~]*\Z")
_TITLE_BEHIND = regex(r"[\s~]*(?:[),;]|(?:and|und|et)(?!\w))")


_TOO_COMMON = frozenset(
    ["will", "shall", "the", "for", "est", "is", "sont", "be", "our", "a", "an", "one", "sets"]
)


_SIGNS = (
    ":=", "=:", ":\\equiv", "\\coloneq", "\\eqqcolon", "triangleq", "\\emph", "\\defn", "\\dfn",
    "\\intro", "\\reintro",
    "\\textit", "\\textbf", "\\textsl", "\\underline", "\\em ", "``", "\'\'", "\u201e", "\u00ab",
    "\\og", "\\glqq", "\\flqq", "\\guillemotleft", '"`', "\\enquote",
)  # fmt: skip


@cache
def _cues() -> tuple[frozenset[str], tuple[str, ...]]:
    """Words, and stems of words: each strong sentence has one of these, or one of the signs."""
    roles = ("take", "name", "means", "naming", "suppose", "called", "mean", "agree")
    phrases = (
        phrase.replace("'", " ").split(" ") for role in roles for phrase in introducing()[role]
    )
    told = ([word for word in words if word not in _TOO_COMMON] for words in phrases)
    found = {max(words, key=len) for words in told if words}
    stems = tuple(sorted(word[:-1] for word in found if word.endswith("*")))
    return frozenset(found.union(introducing()["cue"])), stems


@cache
def _cued_pairs() -> Mapping[str, str]:
    """Words that are cues only after another word, which is the value."""
    pairs = (cue.split(" ") for cue in introducing()["cue"] if " " in cue)
    return {second: first for first, second in pairs}


class CuedText:
    """Finds quickly where a text may introduce something strongly."""

    def __init__(self, text: str) -> None:
        self._text = _PUNCTUATION.sub(" ", letters_in_place(text).lower())
        words, stems = _cues()
        there = frozenset(self._text.split())
        self._words = {word for word in there if word in words or word.startswith(stems)}
        self._pairs = {second: _cued_pairs()[second] for second in _cued_pairs() if second in there}
        self._places = occurrences(self._text, _SIGNS)

    def has(self, start: int, end: int) -> bool:
        """Whether a stretch may introduce something strongly."""
        number = bisect_left(self._places, start)
        if number < len(self._places) and self._places[number] < end:
            return True
        listed = self._text[start:end].split()
        if not self._words.isdisjoint(listed):
            return True
        pairs = pairwise(listed) if self._pairs else ()
        return any(self._pairs.get(second) == first for first, second in pairs)


def is_cued(sentence: str) -> bool:
    """Whether a sentence may introduce something strongly."""
    return CuedText(sentence).has(0, len(sentence))


_PUNCTUATION = regex("[~,.;()\u2019'`](?<!\\\\['`])(?!(?<=`)`)")


def agrees(sentence: str) -> bool:
    """Whether a sentence states an agreement, which no key could be used to ask for."""
    low = f" {spaced(with_letters(sentence).lower())} "
    if not has_phrase(low, "agree") or " my " in low or "\\cite" in low:
        return False
    words = f" {' '.join(_LETTERS_ALONE.findall(low))} "  # "by convention", not "by conventional"
    return any(f"{phrase} " in words for phrase in sought("agree"))


_LETTERS_ALONE = regex(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")


_SUCH = regex(
    r"(?:\x04\d+\x05|\s)*(?:(?:Every|Any|All|No|Each) such|Such|These|Those|Solche\w*"
    r"|Jede[rs]? solche\w*|Tout tel|Toute telle|De tels?|De telles?)(?!\w)"
)


def name_symbols(keys: Iterable[str]) -> bool:
    """Whether keys with their strengths name symbols, so that all who use these need the sentence.

    A sentence about letters alone reaches as far as an agreement.
    """
    named = (key[1:] for key in keys if int(key[0]) >= NAMES)
    return any(key[0] == "#" and not is_plain(key) for key in named)


def points(statement: str) -> bool:
    """Whether a statement refers to the text before it: "In the situation above"."""
    shown = with_letters(statement)
    low = f" {spaced(shown.lower())}"
    is_such = _SUCH.match(shown) is not None
    is_there = has_phrase(low, "point") or has_phrase(low, "same")
    return is_such or is_there or pointed_noun(statement) != ""


def supposes_the_same(statement: str) -> bool:
    """Whether a statement supposes the same as the one before it: "Under the same hypotheses"."""
    return has_phrase(f" {spaced(with_letters(statement).lower())}", "same")


def set_ups(statement: str) -> Iterator[str]:
    """The keys of a statement's references to its setting: "the setting of Section 2"."""
    if MENTION.search(statement):
        low = spaced(with_letters(statement).lower())
        yield from (f"{SET_UP}{match[1]}" for match in _set_up().finditer(low))


@cache
def _set_up() -> re.Pattern[str]:
    words = "|".join(map(re.escape, introducing()["set_up"]))
    return re.compile(rf"(?<!\w)(?:{words}) (?:(?:[^\W\d_]+\.?|§) ?)?\x02(\d+)\x03")


def pointed_noun(statement: str) -> str:
    """The noun for several paragraphs to which a statement points: "the construction above"."""
    low = f" {spaced(with_letters(statement).lower())}"
    if not any(word in low for word in _ABOVE):
        return ""
    found = (word for pattern in _POINTED for word in pattern.findall(low))
    return next((word for word in found if word in introducing()["described"]), "")


_ABOVE = ("above", "obige", "oben")
_POINTED = (
    regex(r"\b(?:above|obige\w?) ([^\W\d_]+)"),
    regex(
        r"([^\W\d_]+)(?: (?:defined|described|given|introduced|presented|specified))?"
        r" (?:above|oben)\b"
    ),
)


def introduced_in(text: str, *, is_definition: bool = False) -> dict[str, int]:
    """The keys that a canonical text introduces, each with its greatest strength.

    In a definition, a symbol that is equated with something counts as stated.
    """
    found: dict[str, int] = {}
    for sentence in sentences(text):
        for key, how in introduced(sentence, is_definition=is_definition).items():
            if how > found.get(key, -1):
                found[key] = how
    return found


def named_in_title(text: str) -> Iterator[str]:
    """The keys of the formulas that are by themselves in the title at the start of a text.

    "(Values: $v$, and $w$)" gives a meaning to both, "(Maps in $X$)" to nothing.
    """
    title = TITLE.match(text)
    if title is None or "$" not in title[0]:
        return
    for formula in formulas(title[0]):
        before, behind = title[0][: formula.start], title[0][formula.end :]
        if _TITLE_BEFORE.search(before) and _TITLE_BEHIND.match(behind):
            found = keys_of_formula(formula, NAMES, is_wide=False)
            yield from (key for key, how in found if how == NAMES)


def introduced(
    sentence: str, *, is_aside: bool = False, is_definition: bool = False
) -> dict[str, int]:
    """The keys that a sentence of a canonical text introduces, each with its greatest strength.

    An object taken in an aside, such as a remark, is taken for that aside only.
    """
    return dict(_introduced(sentence, is_aside=is_aside, is_definition=is_definition))


@lru_cache(maxsize=20_000)  # papers of one repository, and earlier versions, share most sentences
def _introduced(sentence: str, *, is_aside: bool, is_definition: bool) -> Mapping[str, int]:
    sentence = with_letters(sentence)
    if _is_code(sentence):
        return dict.fromkeys(rare_keys(sentence), MENTIONS)
    found = terms_told(sentence)
    symbols = introduced_symbols(sentence, is_aside=is_aside, is_definition=is_definition)
    for key, strength in symbols:
        if strength > found.get(key, -1):
            found[key] = strength
    for name, is_given in assumption_names(sentence) if "(" in sentence else ():
        if is_given:
            found[name] = STATES
    return found


def _is_code(sentence: str) -> bool:
    """Whether a sentence is a piece of a program, which gives its words and signs no meaning."""
    return sentence.count("\\leftarrow") > 1 and _KEYWORDS.search(sentence) is not None


_KEYWORDS = regex(
    r"\\(?:math|text)bf ?\{ ?(?:if|then|else|while|do|for|proc|procedure|repeat|return|endif"
    r"|endwhile|begin|end)\b|\\(?:State|If|While|For|Return|KwTo|KwRet)(?![A-Za-z])"
)


_LABELLED = regex(rf"(?=\()(?<![\w)}}\]])\((?P<name>{ASSUMPTION_NAME})\)(?!\w)")
_FONT_BEFORE = regex(r"(?:\\text[a-z]{2}|\\emph)\{\Z")
_COLON = regex(r"[}\s]*:")
_RANGE = regex(
    r"\((?P<lead>[A-Z]{1,3})(?P<first>\d{1,2})\)[\s~]?(?:-{1,3}|[\u2013\u2014]"
    r"|(?:to|through|bis|à|\\`a|\\`\{a\})[\s~])[\s~]?\((?P=lead)(?P<last>\d{1,2})\)"
)
_LONGEST_RANGE = 20


@cache
def _around_names() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Patterns of words before and after a name that a sentence defines, and of suppositions."""
    conditions, verbs = phrase_pattern("if_so"), phrase_pattern("having")
    assumptions = "|".join(phrases_of(CONVENTION_WORDS)["named"])
    before = rf"(?<!\w)(?:(?:{assumptions})|{verbs}(?:[\s~]+(?:the|die|la))?)[\s~]+(?:\$\s?)?\Z"
    behind = (
        rf"[\s}}$]*(?:[\s~]+(?:(?!and|or|und|et)[^\s~.,;:()]+)){{0,4}}?[\s~,]+{conditions}(?!\w)"
    )
    words = rf"{conditions}|suppos\w*|assum\w*|under|let|since|then|sei|unter|sous|soit"
    supposing = rf"(?<!\w)(?:{words})(?!\w)"
    return re.compile(before), re.compile(behind), re.compile(supposing, re.IGNORECASE)


def _is_defined(text: str, lead: str, end: int) -> bool:
    """Whether a sentence gives a condition for a name to hold: "$f$ satisfies (Inj) if"."""
    before, behind, supposing = _around_names()
    named = before.search(lead)
    if named is None or supposing.search(_STOP.split(lead[: named.start()])[-1]):
        return False
    return behind.match(text, end) is not None


_STOP = regex(r"[.;:]\s")


def assumption_names(text: str) -> list[tuple[str, bool]]:
    """The names like "(A1)" in a text, as keys, and whether the text gives each there.

    Includes those between the ends of a range, "(A1)--(A4)".
    """
    found: list[tuple[str, bool]] = []
    text = with_plain_names(text)
    for match in _LABELLED.finditer(text):
        lead = _FONT_BEFORE.sub("", text[max(0, match.start() - _NEAR) : match.start()])
        is_given = not lead.strip(" .;") or lead.rstrip().endswith(("\\item", "\\item[", ":"))
        is_given = is_given and not SPEAKS_OF.match(text, match.end())
        is_given = is_given or bool(_COLON.match(text, match.end()))
        found.append((f"@{match['name']}", is_given or _is_defined(text, lead, match.end())))
    found += [(f"@{match['name']}", True) for match in NAME_TAG.finditer(text)]
    for match in _RANGE.finditer(text) if len(found) > 1 else ():
        first, last = int(match["first"]), int(match["last"])
        if last - first <= _LONGEST_RANGE:
            found += [(f"@{match['lead']}{number}", False) for number in range(first + 1, last)]
    return found
