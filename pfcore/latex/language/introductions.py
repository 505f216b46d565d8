r"""What a sentence brings in: symbols and terms, each with how strongly.

Strong are the ways in which a text states ("$x:=1$", "is called tame"), names ("write $e$ for") or
takes something ("let $G$ be"); weak is a mention. The words are in `introducing_words.toml`.
"""

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice, pairwise
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import occurrences
from pfcore.latex.language.definienda import TITLE, introduced_terms
from pfcore.latex.language.hypotheses import ASSUMPTION_NAME, SPEAKS_OF, with_plain_names
from pfcore.latex.language.notation import (
    FencedFormula,
    NotationUse,
    applied_in,
    decorated_in,
    fences_in,
    formulas,
    head_of,
    is_letter,
    is_operator,
    is_plain,
    rare_keys,
    sentences,
    symbols_in,
)
from pfcore.latex.language.phrases import introducing
from pfcore.latex.lexer.letters import letters_in_place, with_letters

STATES, NAMES, TAKES, SUPPOSES, EQUATES, DESCRIBES, MENTIONS = 6, 5, 4, 3, 2, 1, 0
"""How strongly a site introduces its key; from `SUPPOSES` on it is strong.

What is only supposed of a thing is told beside what introduces it. A site equates where a symbol
stands alone left of an equality sign, and says where a map goes: that counts where nothing stronger
is.
"""

POINTED = "@above"
"""The key of the paragraph that a statement points to."""

_NEAR = 90
_MOST_WORDS = 8
_STOPS = regex(r"[.;:()\\{}\[\]]")
_BLANKS = regex(r"[\s~,]+")
_JOINT = regex(r"[\s~]*,?[\s~]*(?:(?:and|or|und|oder|et|ou|with|resp\.?)[\s~]*)?\Z")
_EQUAL = r"(?:=|\\(?:equiv|iff|(?:Longleft|Left)rightarrow)(?![A-Za-z]))"
_SETS = regex(
    r"\s*(?:(?::|\\vcentcolon(?![A-Za-z]))(?:\s|\\m(?:kern|skip|space)\s*\{?-?[\d.]+\s*mu\}?)*"
    r"(?:=|\\equiv(?![A-Za-z])|\\(?:Longleft|Left)rightarrow(?![A-Za-z])|\\iff(?![A-Za-z])|:=)"
    r"|\\(?:[cC]oloneqq?|triangleq|colonequals|defeq|eqdef)(?![A-Za-z])|\\mathrel\{:=\}|\\equiv:"
    r"|\\(?:stackrel|overset)\s*\{[^=]{0,60}?(?:[dD]ef|\\triangle|\\Delta)[^=]{0,20}\}"
    rf"\s*\{{?\s*{_EQUAL}\}}?|{_EQUAL}\s*[_^]\s*\{{?\s*\\(?:text|mathrm|rm)\w*\s*\{{?\s*[Dd]ef"
    r"|\\x(?:long|Long|Left)\w+\s*\{\s*\\(?:text|mathrm|rm)\w*\s*\{?\s*[Dd]ef"
    r"|\\buildrel\b[^=]{0,30}?[Dd]ef[^=]{0,20}\\over\s*=|\\(?:widehat|hat)\s*\{?=\}?"
    r"|\\mathrel\s*\{\s*\\mathop\s*\{?:\}?\s*\}?\s*=|\\(?:stackrel|overset)\s*\{\s*\.\s*\}\s*\{=\})"
)
_ARGUMENTS = regex(
    r"(?:\s*(?:\\left)?(?:\((?:[^()]|\([^()]{0,40}\)){0,80}\)|\[[^\[\]]{0,40}\]))?\s*&?"
)
_RELATION = regex(
    r"=|<|>|:|\\(?:in|ni|colon|coloneqq|to|subset(?:eq|neq)?|supset(?:eq)?|le(?:q|qslant)?"
    r"|ge(?:q|qslant)?|neq?"
    r"|sim|simeq|cong|equiv|approx|mid|notin|mapsto|hookrightarrow|twoheadrightarrow"
    r"|longrightarrow|rightarrow"
    r"|ll|gg|triangleq)(?![A-Za-z])"
)
_MAP = regex(r":(?!=)|\\colon(?![A-Za-z])")
_MARKED_BEFORE = regex(
    r"\\(?:emph|text(?:it|bf|sl|sc|sf)|underline|defn|dfn|define|term)\s*\{[^{}]{2,80}\}[\s~]*\Z"
    r"|\{\s*\\(?:em|it|bf|sl)(?![A-Za-z])[^{}]{2,80}\}[\s~]*\Z"
)
_TITLE_BEFORE = regex(r"(?:[(,:;]|(?<!\w)(?:and|und|et))[\s~]*\Z")
_TITLE_BEHIND = regex(r"[\s~]*(?:[),;]|(?:and|und|et)(?!\w))")
_LEADING_TITLE = regex(r"\A\s*\([^()]{0,80}\)\s*(?:\x04\d+\x05)?")
_DISPLAYED = frozenset(["$$", "\\[", "\\b"])


class _Phrase(NamedTuple):
    """Words that stand before the last of a phrase, and what the phrase does."""

    before: tuple[str, ...]
    role: str


class _WordTable:
    """Phrases by their last and by their first words."""

    def __init__(self, roles: Mapping[str, Iterable[str]]) -> None:
        self._endings: dict[str, list[_Phrase]] = {}
        self._openings: dict[str, list[_Phrase]] = {}
        self._stems: list[str] = []
        self._known: dict[str, str] = {}
        for role, phrases in roles.items():
            for phrase in phrases:
                words = tuple(phrase.split(" "))
                self._endings.setdefault(words[-1], []).append(_Phrase(words[:-1], role))
                self._openings.setdefault(words[0], []).append(_Phrase(words[1:], role))
                self._stems += (word for word in (words[0], words[-1]) if word.endswith("*"))
        self._stems = sorted({stem[:-1] for stem in self._stems}, key=len, reverse=True)

    def behind(self, words: Sequence[str]) -> Iterator[tuple[str, int]]:
        """The roles of phrases that end among some words, the last first; words behind each."""
        for index in range(len(words) - 1, -1, -1):
            word = words[index]
            for key in (word, self._stem(word)):
                for before, role in self._endings.get(key, ()):
                    start = index - len(before)
                    if start >= 0 and tuple(words[start:index]) == before:
                        yield role, len(words) - 1 - index

    def ahead(self, words: Sequence[str]) -> Iterator[tuple[str, int]]:
        """The roles of phrases with which some words begin, and their lengths."""
        if not words:
            return
        for key in (words[0], self._stem(words[0])):
            for after, role in self._openings.get(key, ()):
                if tuple(words[1 : 1 + len(after)]) == after:
                    yield role, 1 + len(after)

    def _stem(self, word: str) -> str:
        if word not in self._known:
            found = next((f"{stem}*" for stem in self._stems if word.startswith(stem)), "")
            self._known[word] = found
        return self._known[word]


@cache
def _table() -> _WordTable:
    roles = ("take", "name", "by", "means", "is", "where", "each")
    return _WordTable({role: introducing()[role] for role in roles})


@cache
def _sought(role: str) -> tuple[str, ...]:
    """The phrases of a role as they are looked for in a text in small letters."""
    return tuple(f" {phrase.rstrip('*')}" for phrase in introducing()[role])


_TOO_COMMON = frozenset(
    ["will", "shall", "the", "for", "est", "is", "sont", "be", "our", "a", "an", "one", "sets"]
)


_SIGNS = (
    ":=", "\\coloneq", "triangleq", "\\emph", "\\defn", "\\dfn", "\\intro", "\\reintro",
    "\\textit", "\\textbf", "\\textsl", "\\underline", "\\em ", "``", "\'\'", "\u201e", "\u00ab",
    "\\og", "\\glqq", "\\flqq", "\\guillemotleft", '"`', "\\enquote",
)  # fmt: skip


@cache
def _cues() -> tuple[frozenset[str], tuple[str, ...]]:
    """Words, and beginnings of words: each strong sentence has one of these, or of the signs."""
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
    """Words that are cues behind another one, with it."""
    pairs = (cue.split(" ") for cue in introducing()["cue"] if " " in cue)
    return {second: first for first, second in pairs}


class CuedText:
    """Where a text may bring something in strongly: found fast."""

    def __init__(self, text: str) -> None:
        self._text = _PUNCTUATION.sub(" ", letters_in_place(text).lower())
        words, stems = _cues()
        there = frozenset(self._text.split())
        self._words = {word for word in there if word in words or word.startswith(stems)}
        self._pairs = {second: _cued_pairs()[second] for second in _cued_pairs() if second in there}
        self._places = occurrences(self._text, _SIGNS)

    def has(self, start: int, end: int) -> bool:
        """Whether a stretch may."""
        number = bisect_left(self._places, start)
        if number < len(self._places) and self._places[number] < end:
            return True
        listed = self._text[start:end].split()
        if not self._words.isdisjoint(listed):
            return True
        pairs = pairwise(listed) if self._pairs else ()
        return any(self._pairs.get(second) == first for first, second in pairs)


def is_cued(sentence: str) -> bool:
    """Whether a sentence may bring something in strongly."""
    return CuedText(sentence).has(0, len(sentence))


_PUNCTUATION = regex("[~,.;()\u2019]|(?<!\\\\)'|(?<!\\\\)`(?!`)")


def agrees(sentence: str) -> bool:
    """Whether a sentence says what is agreed on, without a key by which it could be asked for."""
    low = f" {_BLANKS.sub(' ', with_letters(sentence).lower())} "
    if not _has_phrase(low, "agree") or " my " in low or "\\cite" in low:
        return False
    words = f" {' '.join(_LETTERS_ALONE.findall(low))} "  # "by convention", not "by conventional"
    return any(f"{phrase} " in words for phrase in _sought("agree"))


_LETTERS_ALONE = regex(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")


def _has_phrase(low: str, role: str) -> bool:
    """Whether a text in small letters has a phrase of a role: a loop, as it is asked so often."""
    for phrase in _sought(role):  # noqa: SIM110 - a generator takes twice as long
        if phrase in low:
            return True
    return False


_SUCH = regex(
    r"(?:\x04\d+\x05|\s)*(?:(?:Every|Any|All|No|Each) such|Such|These|Those|Solche\w*"
    r"|Jede[rs]? solche\w*|Tout tel|Toute telle|De tels?|De telles?)(?!\w)"
)


def name_symbols(keys: Iterable[str]) -> bool:
    """Whether keys with their strengths say what symbols stand for, which is for who uses them.

    What a sentence says of letters alone holds as far as what it agrees on.
    """
    named = (key[1:] for key in keys if int(key[0]) >= NAMES)
    return any(key[0] == "#" and not is_plain(key) for key in named)


def points(statement: str) -> bool:
    """Whether a statement goes on with what stands before it: "In the situation above"."""
    statement = with_letters(statement)
    low = f" {_BLANKS.sub(' ', statement.lower())}"
    is_such = _SUCH.match(statement) is not None
    return is_such or _has_phrase(low, "point") or _pointed_in(low) != ""


def pointed_noun(statement: str) -> str:
    """What a statement points to that takes several paragraphs: "the construction above"."""
    return _pointed_in(f" {_BLANKS.sub(' ', with_letters(statement).lower())}")


def _pointed_in(low: str) -> str:
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
    """The keys that a canonical text brings in, and how strongly at best.

    What a definition equates with something it states.
    """
    found: dict[str, int] = {}
    for sentence in sentences(text):
        for key, how in introduced(sentence, is_definition=is_definition).items():
            if how > found.get(key, -1):
                found[key] = how
    return found


def named_in_title(text: str) -> Iterator[str]:
    """The keys of the formulas that stand by themselves in the title with which a text begins.

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
    """What a sentence of a canonical text brings in: its keys, and how strongly at best.

    What is taken in an aside, a remark say, is taken for there alone.
    """
    sentence = with_letters(sentence)
    if _is_code(sentence):
        return dict.fromkeys(rare_keys(sentence), MENTIONS)
    found: dict[str, int] = dict.fromkeys(introduced_terms(sentence), STATES)
    symbols = introduced_symbols(sentence, is_aside=is_aside, is_definition=is_definition)
    for key, strength in symbols:
        if strength > found.get(key, -1):
            found[key] = strength
    for name, is_given in assumption_names(sentence) if "(" in sentence else ():
        if is_given:
            found[name] = STATES
    return found


def _is_code(sentence: str) -> bool:
    """Whether a sentence is a piece of a program, whose words and signs are told no meaning."""
    return sentence.count("\\leftarrow") > 1 and _KEYWORDS.search(sentence) is not None


_KEYWORDS = regex(
    r"\\(?:math|text)bf ?\{ ?(?:if|then|else|while|do|for|proc|procedure|repeat|return|endif"
    r"|endwhile|begin|end)\b|\\(?:State|If|While|For|Return|KwTo|KwRet)(?![A-Za-z])"
)


def introduced_symbols(
    sentence: str, *, is_aside: bool = False, is_definition: bool = False
) -> Iterator[tuple[str, int]]:
    """The keys of the symbols that a sentence brings in, and how strongly each time."""
    return _Symbols(sentence, is_aside=is_aside, is_definition=is_definition).found()


class _Symbols:
    """The symbols of one sentence."""

    def __init__(self, sentence: str, *, is_aside: bool, is_definition: bool) -> None:
        self._sentence = sentence
        self._is_aside = is_aside
        self._is_definition = is_definition
        self._formulas = formulas(sentence)
        self._low = f" {_BLANKS.sub(' ', sentence.lower().replace('(', ' '))}"
        self._roles: dict[str, bool] = {}
        self._is_naming = self._has("naming")

    def _has(self, role: str) -> bool:
        if role not in self._roles:
            self._roles[role] = _has_phrase(self._low, role)
        return self._roles[role]

    def found(self) -> Iterator[tuple[str, int]]:
        """The keys with their strengths, in the order of the text."""
        if not self._formulas:
            return
        is_hypothesis = self._has("suppose")
        is_early = len(self._sentence[: self._formulas[0].start].split()) <= _MOST_BEFORE
        varying: set[str] = set()
        kept: list[tuple[str, int]] = []
        is_leading, has_taken = True, False
        amounts: list[tuple[str, int]] = []
        for first, last in self._groups():
            before = self._before(first)
            goes_on = has_taken and self._goes_on(first, last, before)
            strength, is_wide = self._how(first, last, before, goes_on=goes_on)
            is_let = before[-1:] != [] and before[-1] in introducing()["letting"]
            is_first = is_leading and (first > 0 or is_early)
            is_leading = strength == TAKES and (goes_on or is_first or (has_taken and is_let))
            has_taken |= is_leading
            if strength < NAMES:
                kept += self._behind_words(first, last, strength)
            if (strength == TAKES and not is_leading) or strength == EQUATES:
                kept += self._less(first, last, strength, is_wide=is_wide, is_let=is_let)
                continue
            is_weak = has_taken and strength < EQUATES
            amounts = self._amounts(first, before, is_joined=amounts != []) if is_weak else []
            kept += amounts
            kept += self._equated(first, last, NAMES if strength == NAMES else EQUATES)
            if is_hypothesis and strength < SUPPOSES:
                varying.update(self._ranging(first, last, before))
                strength = SUPPOSES
            kept += self._keys(first, last, strength, is_wide=is_wide)
        is_example = _MARKED_START.sub(" ", self._low).startswith(_sought("opens_example"))
        for key, strength in kept:
            is_free = strength > SUPPOSES or (key not in varying and not _tells_less(key, strength))
            if is_free and not (is_example and is_plain(key.removesuffix("("))):
                yield key, strength
        for key in rare_keys(self._sentence):
            yield key, MENTIONS

    def _how(self, first: int, last: int, before: list[str], *, goes_on: bool) -> tuple[int, bool]:
        """How strongly formulas are introduced, and whether all of their left sides are."""
        after = self._after(last)
        strength, is_wide = self._strength(before, after)
        if strength != TAKES and goes_on:
            strength, is_wide = TAKES, True
        if strength == DESCRIBES and self._is_definition and self._is_the(before, after):
            strength = NAMES
        if strength == MENTIONS and self._is_verb_last(before, last):
            strength = NAMES
        if (
            strength < SUPPOSES
            and " ".join(before[-2:]) in introducing()["saying"]
            and self._is_signed(first)
        ):
            strength = NAMES
        if strength in (DESCRIBES, MENTIONS) and self._is_said(first, last, after):
            strength = EQUATES
        if strength == NAMES and self._is_named_behind(last, before):
            strength = MENTIONS
        is_part = self._sentence[self._formulas[last].end :][:1] == "-"  # "fix a $k$-algebra"
        if strength == TAKES and (self._is_aside or (is_part and not goes_on)):
            return MENTIONS, False
        return strength, is_wide

    def _is_named_behind(self, last: int, before: Sequence[str]) -> bool:
        """Whether what is to be named has a formula in it: "denote a class in $P$ by $C_x$"."""
        if last + 1 == len(self._formulas) or before[-1:] == [] or not self._is_naming:
            return False
        if any(role == "by" and not distance for role, distance in _table().behind(before)):
            return False
        following = self._before(last + 1)
        is_by = any(role == "by" and not far for role, far in _table().behind(following))
        is_inner = not introducing()["of"].keys().isdisjoint(before)
        return is_by and is_inner and len(following) < _MOST_WORDS

    def _is_said(self, first: int, last: int, after: list[str]) -> bool:
        """Whether a clause or an apposition says which thing a symbol is, or an article takes it.

        "where $e$ is the unit", "a counter, $p_0$, the number of steps", "a sequence $(U_i)$".
        """
        symbol = next(iter(symbols_in(self._formulas[first].body)), None)
        if symbol is None or is_plain(symbol.keys[0]):
            return False
        start, end = self._formulas[first].start, self._formulas[last].end
        opening = _CLAUSE_START.search(self._sentence, max(0, start - _NEAR), start)
        definite = introducing()["definite"]
        is_told = after[:1] != [] and after[0] in _COPULAS and self._is_definite(after[1:2])
        if opening and (is_told or (first and opening["part"] and self._is_definite(after[:1]))):
            return True
        if first == last and _APPOSED.match(self._sentence, end):
            word = self._sentence[end:].lstrip(" ,~").split(" ", 1)[0].lower()
            return word in definite
        body = self._formulas[first].body
        return first == last and _ONE_SYMBOL.fullmatch(body) is not None and self._is_taken(first)

    @staticmethod
    def _is_definite(words: list[str]) -> bool:
        return bool(words) and (
            words[0] in introducing()["definite"] or words[0].startswith(("l'", "l\u2019"))
        )

    def _is_taken(self, number: int) -> bool:
        """Whether an indefinite article and a noun stand right before a formula."""
        start = self._formulas[number].start
        words = _NO_WORD.split(self._sentence[max(0, start - _NEAR) : start])[-1].lower()
        listed = words.replace("~", " ").split()[-_MOST_BEFORE_NOUN:]
        if not listed or listed[-1] in introducing()["of"]:
            return False
        return not introducing()["indefinite"].keys().isdisjoint(listed[:-1])

    @staticmethod
    def _is_the(before: list[str], after: list[str]) -> bool:
        """Whether a clause of a definition begins with a symbol and says which thing it is."""
        is_clause = not before or (len(before) == 1 and before[0] in introducing()["then"])
        return is_clause and len(after) > 1 and after[1] in introducing()["definite"]

    def _behind_words(self, first: int, last: int, strength: int) -> Iterator[tuple[str, int]]:
        """What stands right behind its name, or is said to be one certain thing."""
        if self._is_definition and self._is_apposed(first):
            yield from self._apposed(first)
        elif first == last and self._is_marked(first) and introduced_terms(self._sentence):
            for key, how in self._keys(first, first, NAMES, is_wide=False):
                is_letter_alone = is_plain(key) and not _is_sign(key)
                yield key, EQUATES if is_letter_alone and how == NAMES else how
        if self._is_definition and first == last and self._has_form(first):
            fence = _fence(self._formulas[first].body.rstrip(" ,.;"), NAMES)
            yield from (fence,) if fence else ()
        if first == last and self._is_the_one(first, strength):
            yield from self._applied(first)
            fence = _fence(self._formulas[first].body, NAMES)
            yield from (fence,) if fence else ()

    def _has_form(self, number: int) -> bool:
        """Whether a formula is the form in which a definition writes what it defines."""
        before = self._sentence[: self._formulas[number].start]
        return _OF_THE_FORM.search(before) is not None

    def _is_marked(self, number: int) -> bool:
        """Whether a formula stands right behind a marked term."""
        end = self._formulas[number].start
        marked = _MARKED_BEFORE.search(self._sentence, max(0, end - _NEAR), end)
        return marked is not None and not marked[0].rstrip("}~ \n").endswith(":")

    def _is_apposed(self, first: int) -> bool:
        r"""Whether a formula stands behind a marked term, or the subject: "The sum $s\oplus t$"."""
        if self._is_marked(first):
            return True
        if first:
            return False
        end = self._formulas[first].start
        before = _LEADING_TITLE.sub("", self._sentence[:end], 1)
        words = before.lower().replace("~", " ").split()
        is_subject = 1 < len(words) < _MOST_WORDS and words[0] in introducing()["definite"]
        is_subject = is_subject and words[-1] not in introducing()["of"]
        return is_subject and _STOPS.search(before) is None

    def _apposed(self, first: int) -> Iterator[tuple[str, int]]:
        for key, how in self._keys(first, first, NAMES, is_wide=False):
            if how == NAMES and (not is_plain(key) or _is_sign(key)):
                yield key, how

    def _is_signed(self, first: int) -> bool:
        """Whether a formula is about a sign between two things."""
        body = self._formulas[first].body
        return bool(_sign(body, list(symbols_in(body))))

    def _equated(self, first: int, last: int, how: int) -> Iterator[tuple[str, int]]:
        """What stands alone left of "=", or is said to be a map."""
        if self._is_definition and how < NAMES and self._is_each(first):
            return
        is_taken = self._is_aside and self._strength(self._before(first), [])[0] == TAKES
        if how == EQUATES and self._is_given(first):
            how = NAMES
        for formula in self._formulas[first : last + 1]:
            is_display = self._sentence[formula.start : formula.start + 2] in _DISPLAYED
            found = _alone(
                formula.body,
                is_plain_enough=is_display or is_taken or self._is_noun_of(formula),
                is_definition=self._is_definition,
            )
            for key in found:
                if self._is_definition and how == EQUATES and is_plain(key) and not is_display:
                    continue  # a letter that only the definition speaks of
                is_sign = is_display and is_plain(key) and _is_sign(key)
                is_stated = self._is_definition and (is_sign or not is_plain(key))
                is_stated &= is_display or not is_plain(key.removesuffix("("))
                yield key, STATES if is_stated else how

    def _is_each(self, first: int) -> bool:
        """Whether formulas are about any one of a kind: "for every adversary $A=(A_n)_n$"."""
        roles = _table().behind(self._before(first))
        return any(role == "each" and distance < _MOST_BEFORE_NOUN for role, distance in roles)

    def _is_given(self, first: int) -> bool:
        """Whether words lead to a display that says what stands alone on its left."""
        start = self._formulas[first].start
        if self._sentence[start : start + 2] not in _DISPLAYED:
            return False
        return _GIVEN_BY.search(self._sentence, max(0, start - _NEAR), start) is not None

    def _is_the_one(self, number: int, strength: int) -> bool:
        r"""Whether a formula is said to be one certain thing: "let $\sigma(G)$ be the number of".

        Or it stands behind its noun: "the value $g(n)$ of a position is the least number".
        """
        definite = introducing()["definite"]
        after = self._after(number)
        if strength == TAKES:
            place = 1 if after and after[0] in introducing()["taken_as"] else 0
            return after[place : place + 1] != [] and after[place] in definite
        formula = self._formulas[number]
        following = _SAID_TO_BE.match(self._sentence, formula.end)
        return following is not None and self._noun_before(formula) != ""

    def _is_noun_of(self, formula: FencedFormula) -> bool:
        """Whether an article and a noun stand right before a formula: "The image $L=f(K)$"."""
        is_set = _SET_TO_WORDS.search(formula.body) is not None
        return is_set and self._noun_before(formula) not in {"", *introducing()["equality"]}

    def _noun_before(self, formula: FencedFormula) -> str:
        """The noun right before a formula, behind its article; "" if there is none."""
        before = self._sentence[max(0, formula.start - _NEAR) : formula.start]
        words = _NO_WORD.split(before)[-1].lower().replace("~", " ").split()[-_MOST_BEFORE_NOUN:]
        has_article = not introducing()["article"].keys().isdisjoint(words[:-1])
        return words[-1] if has_article else ""

    def _goes_on(self, first: int, last: int, before: list[str]) -> bool:
        """Whether a list of what is taken goes on: ", $V$ a vector space and $f$ a map".

        Of many no article says so: ", $M,N$ modules".
        """
        after = self._after(last)
        joins = not before or before[-1] in introducing()["joining"]
        joins = joins or self._sentence[: self._formulas[first].start].rstrip(" \n~")[-1:] == ","
        if not joins or not after:
            return False
        is_plural = last > first or "," in self._formulas[first].body
        is_plural &= _NOUN.fullmatch(after[0]) is not None
        return after[0] in introducing()["taken_as"] or (
            is_plural and after[0] not in introducing()["break"]
        )

    def _less(
        self, first: int, last: int, strength: int, *, is_wide: bool, is_let: bool
    ) -> Iterator[tuple[str, int]]:
        """What formulas bring in that depend on others: "for each $x$ let $Z$ be"."""
        listed = self._keys(first, last, strength, is_wide=is_wide)
        yield from (item for item in listed if not is_plain(item[0]))
        for formula in self._formulas[first : last + 1] if is_let else ():
            use = next(iter(symbols_in(formula.body)), None)
            is_letter_alone = use is not None and len(use.keys) == 1 and is_plain(use.keys[0])
            if use and is_letter_alone and not self._is_definition:
                yield use.keys[0], EQUATES

    def _amounts(
        self, number: int, before: Sequence[str], *, is_joined: bool
    ) -> list[tuple[str, int]]:
        """A letter that says something of what is taken: "a curve of genus $g$", "a field $k$".

        Or one that is joined to such a one: "with $n$ vertices and $m$ edges".
        """
        body = self._formulas[number].body
        use = next(iter(symbols_in(body)), None)
        if self._is_definition or self._is_aside or use is None or not is_letter(use.keys[0]):
            return []
        rest = body[use.end :].strip()
        if body[: use.start].strip() or (
            rest and (_RELATION.match(rest) is None or len(rest) > _SHORT_BOUND)
        ):
            return []
        known = introducing()["amount"]
        words = before[-_MOST_BEFORE_AMOUNT:]
        is_last = words[-1:] != [] and words[-1] in known
        is_joined = is_joined and words[-1:] != [] and words[-1] in introducing()["joining"]
        has_article = not introducing()["indefinite"].keys().isdisjoint(words[:-1])
        if has_article and words[-1] not in {**known, **introducing()["of"]}:
            is_amount = True
        elif is_joined or is_last:
            is_amount = _NOUN.fullmatch(" ".join(self._after(number)[:1])) is not None
        else:
            is_amount = not known.keys().isdisjoint(words)
            is_amount |= any(word.startswith("d'") for word in words)
        return [(use.keys[0], EQUATES)] if is_amount else []

    def _keys(
        self, first: int, last: int, strength: int, *, is_wide: bool
    ) -> Iterator[tuple[str, int]]:
        ranging = self._letters_before(first) if strength == NAMES else ()
        for formula in self._formulas[first : last + 1]:
            if strength or _may_set(formula.body):
                found = keys_of_formula(formula, strength, is_wide=is_wide)
                yield from (item for item in found if item[0] not in ranging)
            is_display = self._sentence[formula.start : formula.start + 2] in _DISPLAYED
            if is_display and _may_set(formula.body):
                yield from _applied_and_set(formula.body)
        if strength == NAMES and first == last:
            yield from self._shapes(first)
        if strength == TAKES and self._is_definition:
            yield from self._let(first, last)

    def _letters_before(self, first: int) -> Collection[str]:
        r"""Letters that range through something before: "for $x\in X$ we write $xRy$ if"."""
        found: list[str] = []
        for formula in self._formulas[:first]:
            use = next(iter(symbols_in(formula.body)), None)
            if use and is_plain(use.keys[0]) and _RANGES.match(formula.body, use.end):
                found.append(use.keys[0])
        return found

    def _let(self, first: int, last: int) -> Iterator[tuple[str, int]]:
        r"""What a definition takes for one certain thing: "let $\mathcal{Q}$ be the class"."""
        start = self._formulas[first].start
        is_display = self._sentence[start : start + 2] in _DISPLAYED
        for key, how in self._equated(first, last, EQUATES):
            if not is_plain(key if is_display else head_of(key)):
                yield key, how
        after = self._after(last)
        place = 1 if after and after[0] in introducing()["taken_as"] else 0
        if len(after) > place and after[place] in introducing()["definite"]:
            for formula in self._formulas[first : last + 1]:
                found = keys_of_formula(formula, NAMES, is_wide=False)
                yield from (item for item in found if not is_plain(head_of(item[0])))

    def _shapes(self, number: int) -> Iterator[tuple[str, int]]:
        r"""What a formula says of any such letter: "write $M^\vee$ for that of a module $M$"."""
        body = self._formulas[number].body
        yield from self._applied(number)
        use = next(decorated_in(body), None)
        if use is None or body.strip() != body[use.start : use.end].strip():
            return
        letter = _BARE.sub("", use.keys[1])
        for index, formula in enumerate(self._formulas):
            words = self._before(index)
            is_letter_alone = index != number and _BARE.sub("", f"#{formula.body}") == letter
            if is_letter_alone and _is_any(words):
                yield use.keys[0], NAMES
                return

    def _applied(self, number: int) -> Iterator[tuple[str, int]]:
        r"""A letter with arguments that words explain: "write $\nu(n)$ for the number of"."""
        body, end = self._formulas[number].body, self._formulas[number].end
        use = next(applied_in(body), None)
        if use is None or body[: use.start].strip() or not body[use.end :].lstrip().startswith("("):
            return
        arguments = _ARGUMENTS.match(body, use.end)
        is_all = arguments is not None and not body[arguments.end() :].strip()
        if not is_all or not introducing()["possible"].keys().isdisjoint(self._before(number)):
            return
        following = self._formulas[number + 1].start if number + 1 < len(self._formulas) else None
        if len(self._sentence[end:following].split()) > 2:
            yield use.keys[0], NAMES

    def _groups(self) -> Iterator[tuple[int, int]]:
        """Formulas that only "and" or a comma parts, as ranges of indices."""
        first = 0
        listed = self._formulas
        for index in range(1, len(listed) + 1):
            if index < len(listed):
                between = self._sentence[listed[index - 1].end : listed[index].start]
                if (
                    len(between) < 9
                    and _JOINT.match(between)
                    and not self._ranges(index - 1, between)
                ):
                    continue
            yield first, index - 1
            first = index

    def _ranges(self, number: int, behind: str) -> bool:
        r"""Whether a formula only says for what things hold: "For $x\in X$, $f(x)$ is"."""
        if behind.strip() != "," or _ELEMENT.search(self._formulas[number].body) is None:
            return False
        return self._before(number)[-1:] != [] and self._before(number)[-1] in introducing()["for"]

    def _before(self, first: int) -> list[str]:
        """The last words before a formula, back to another formula or a stop."""
        start = self._formulas[first].start
        lower = max(0, start - _NEAR, self._formulas[first - 1].end if first else 0)
        if first and self._is_number_of(first - 1, start):
            return self._before(first - 1)
        words = self._sentence[lower:start]
        if self._sentence[start : start + 2] in _DISPLAYED:
            words = words.rstrip(" ~:")
        piece = _STOPS.split(words)[-1]
        return piece.lower().replace("~", " ").replace(",", " ").split()[-_MOST_WORDS:]

    def _is_number_of(self, number: int, end: int) -> bool:
        """Whether a letter only says how many there are: "define $k$ random variables $S_j$"."""
        formula = self._formulas[number]
        is_letter_alone = len(formula.body.strip()) == 1
        return is_letter_alone and _MANY.fullmatch(self._sentence, formula.end, end) is not None

    def _after(self, last: int) -> list[str]:
        end = self._formulas[last].end
        words = self._sentence[end : end + 40].lower().replace("~", " ").replace(",", " ").split()
        return [word.rstrip(".;:)") or word for word in words[:4]]

    def _strength(self, before: list[str], after: list[str]) -> tuple[int, bool]:
        """How strongly words introduce the formula between them; whether all of its left side."""
        table = _table()
        ahead = {role for role, _ in table.ahead(after)}
        last = before[-1] if before else ""
        if "means" in ahead and last not in {**introducing()["of"], **introducing()["for"]}:
            return NAMES, False
        if after[1:2] and after[1] in introducing()["no_meaning"]:
            return MENTIONS, False
        is_where = False
        is_described = "is" in ahead
        is_relative = last in introducing()["relative"]
        is_of = is_relative or self._is_of(last)
        for role, distance in table.behind(before):
            if before[-1 - distance] == "use" and not _is_purpose(after) and not self._is_naming:
                continue  # what is only used is introduced elsewhere
            is_other = (is_of or _is_made_by(before)) and distance > 0
            is_stated = is_other or _names_other(before, distance, after)
            if role == "name" and not is_stated:
                return NAMES, False
            if role == "take" and not is_other and not _is_less(before, distance):
                return TAKES, True
            if role == "by" and not distance and self._is_naming and not _is_made_by(before):
                return NAMES, False
            is_described |= role == "is" and not distance
            # "in which $e$ is the unit", but not "in which $B$ has one"
            is_less = (is_other and before[-1 - distance] in _CLAUSES) or (
                is_relative and _COPULAS.isdisjoint(after[:1])
            )
            is_where |= role == "where" and not is_less
        if is_described and is_where:  # what a definition explains it explains for itself
            return (EQUATES if self._is_definition else NAMES), False
        is_for = after[1:2] != [] and after[0] in introducing()["for"] and after[1][0] not in "$\\"
        if is_for and self._has("name") and " ".join(after[:2]) not in introducing()["for_which"]:
            return NAMES, False
        return (DESCRIBES if is_described else MENTIONS), False

    def _is_of(self, word: str) -> bool:
        """Whether a word before a formula says that something of it is spoken of."""
        is_by = word in ("by", "durch", "par") and not self._is_naming
        return is_by or word in introducing()["of"]

    def _is_verb_last(self, before: list[str], last: int) -> bool:
        """Whether a clause explains a formula by a verb at its end: "wobei $e$ die Eins ist"."""
        if not any(role == "where" for role, _ in _table().behind(before)):
            return False
        end = next(self._clause_ends(self._formulas[last].end), len(self._sentence))
        clause = self._sentence[self._formulas[last].end : end]
        return clause.rpartition(" ")[2] in introducing()["verb_last"]

    def _clause_ends(self, start: int) -> Iterator[int]:
        """Where clauses may end behind some place: no formula does."""
        for stop in _CLAUSE_END.finditer(self._sentence, start):
            if not any(one.start <= stop.start() < one.end for one in self._formulas):
                yield stop.start()

    def _ranging(self, first: int, last: int, before: list[str]) -> Iterator[str]:
        """The keys of formulas with "for all" or the like right before them, or their noun."""
        if any(role == "each" and distance < 3 for role, distance in _table().behind(before)):
            yield from (key for key, _ in self._keys(first, last, TAKES, is_wide=True))


def _tells_less(key: str, strength: int) -> bool:
    """Whether something is supposed of a norm: that says nothing of what norm it is."""
    return strength == SUPPOSES and key.startswith(_FENCED)


_RANGES = regex(r"\s*\\in(?![A-Za-z])")
_ELEMENT = regex(r"\\in(?![A-Za-z])|[<>]|\\[lg]eq?(?![A-Za-z])")
_MANY = regex(r"[\s~]+(?:[a-z][\w-]*[\s~]+){0,4}[a-z][\w-]*s[\s~]+")
_OF_THE_FORM = regex(r"(?:of[\s~]+the[\s~]+form|der[\s~]+Form|de[\s~]+la[\s~]+forme)[\s~]*\Z")
_GIVEN_BY = regex(
    r"(?:(?<!\w)(?:given|defined|determined|specified|definiert|gegeben|erklärt|définie?s?|donnée?s?)"
    r"(?:,[\s~]+as[\s~]+\w+,)?[\s~]+(?:by|as|via|through|durch|als|par|comme)"
    r"(?:[\s~]+(?:the|die|den|das|la|le|l')[\s~]*(?:[^\W\d_]+[\s~]+)?(?:formula|expression|equation"
    r"|relation|identity|assignment|rule|display|formel|ausdruck|gleichung|vorschrift|formule"
    r"|règle|relation))?|(?:as|wie)[\s~]+(?:follows|folgt)"
    r"|comme[\s~]+suit|(?<!\w)(?:define|set|put|let|setze[nt]?|setzen wir|definieren wir|posons"
    r"|on pose))[\s~:]*\Z",
    re.IGNORECASE,
)
_MARKED_START = regex(r"\A\s*\\(?:underline|textbf|textit|emph)\{")
_BARE = regex(
    r"\\(?:widetilde|widehat|overline|underline|tilde|hat|bar|vec|d?dot|check|breve"
    r"|acute|grave|mathring|overrightarrow)(?![A-Za-z])|[\s{}]|'+|\^.*"
)
"""What is left of a letter without its accent and what stands behind it."""


def _is_any(words: Sequence[str]) -> bool:
    """Whether words before a letter say that it is any one of a kind: "of a module"."""
    for word in reversed(words[:-1]):
        if word in introducing()["any_one"]:
            return True
        if word in introducing()["of"] or word in introducing()["definite"]:
            return False
    return False


_MOST_BEFORE = 14
"""Words before the first formula of a sentence that takes what is in it for all that follows."""
_MOST_BEFORE_AMOUNT = 3
_SHORT_BOUND = 16
_NOUN = regex(r"-?(?:\$[^$\s]{1,20}\$-)?[^\W\d_]{3,}[\w-]*")
_MOST_BEFORE_NOUN = 4
_CLAUSES = frozenset(["where", "wobei", "où"])
_COPULAS = frozenset(["is", "are", "est", "sont", "ist", "sind"])
_CLAUSE_START = regex(
    r"(?:\A|[,:]|(?P<part>;)|\\item(?:\[[^\[\]]{0,40}\])?|(?<!\w)(?:and|und|et))[\s~]*\Z"
)
_APPOSED = regex(r"[\s~]*,[\s~]+[^\W\d_]+[\s~]")
_ONE_SYMBOL = regex(
    r"\s*\(?\s*\\?[A-Za-z]+(?:\{[^{}]{1,20}\})?(?:[_^](?:\{[^{}]{1,20}\}|\\?\w+))*\s*\)?\s*"
)
_NO_WORD = regex(r"[^\w\s~'-]")
_SAID_TO_BE = regex(
    r"(?:\s(?!(?:is|ist|est|and|und|et)\s)[\w'-]+){0,8}"
    r"\s(?:is the|ist d(?:er|ie|as)|est l[ae])(?!\w)(?![\s~]*\\(?:emph|textit|textbf)\s*\{)"
)
_SET_TO_WORDS = regex(r"\A[^=]{1,40}=(?![=\s]*-?[\d.,\s]*\Z)")
"""A symbol and what it is equal to, which is no mere number."""
_CLAUSE_END = regex(r"[,.;:]")


def _is_purpose(after: Sequence[str]) -> bool:
    """Whether words say what a sign is used for: "for the unit", "to denote the unit"."""
    return bool(after) and (after[0] in introducing()["for"] or after[0] in ("to", "as"))


def _is_less(before: Sequence[str], distance: int) -> bool:
    """Whether words only say what may be taken: "we can choose", "if we take", "take care that"."""
    place = len(before) - 1 - distance
    if before[place] in introducing()["surely"]:
        return False
    is_possible = not introducing()["possible"].keys().isdisjoint(before[max(0, place - 3) : place])
    return is_possible or not introducing()["clause"].keys().isdisjoint(before[place + 1 :])


def _is_no_naming(before: Sequence[str], distance: int) -> bool:
    """Whether words name nothing here: a noun, "the set", or what only is to be named."""
    place = len(before) - 1 - distance
    is_either = place > 0 and before[place] in ("set", "call")
    is_noun = is_either and (
        before[place - 1] in introducing()["noun"]
        or (before[max(0, place - 2)] in introducing()["noun"] and before[place] == "set")
        or (before[place - 1].endswith("ing") and before[place] == "set" and distance > 0)
    )
    is_noun &= before[max(0, place - 1)] not in introducing()["setter"]
    is_example = " ".join(before[-2:]) in introducing()["example"]
    is_later = not introducing()["later"].keys().isdisjoint(before[max(0, place - 2) : place])
    is_aim = distance > 0 and place > 0 and before[place - 1] in introducing()["intending"]
    is_telling = before[place] == "defining" and place > 0  # "the relations defining $M$"
    is_telling = is_telling and before[place - 1] not in introducing()["by_doing"]
    return is_noun or is_example or is_later or is_aim or is_telling


def _names_other(before: Sequence[str], distance: int, after: Sequence[str]) -> bool:
    """Whether words that name give no meaning to what stands behind all of them."""
    is_placed = distance > 0 and _is_placed(before, distance)
    return is_placed or _is_no_naming(before, distance) or _is_only_written(before, distance, after)


def _is_placed(before: Sequence[str], distance: int) -> bool:
    """Whether words behind one that names say where: "define a norm on ideals $I$"."""
    tail = before[len(before) - distance :]
    places = [number for number, word in enumerate(tail) if word in introducing()["place"]]
    if not places:
        return False
    behind = tail[places[-1] + 1 :]
    articles = [number for number, word in enumerate(behind) if word in introducing()["article"]]
    is_clause = behind[:1] != [] and behind[0] in introducing()["relative"]
    return 0 < len(behind) <= _MOST_OF_PLACE and not any(articles) and not is_clause


_MOST_OF_PLACE = 3


def _is_made_by(before: Sequence[str]) -> bool:
    """Whether "by" says from what something is made: "the subgroup generated by $x$"."""
    made = before[-2] if len(before) > 1 and before[-1] == "by" else ""
    is_named = made.startswith(tuple(introducing()["named_by"]))
    return made.endswith("ed") and not is_named


def _is_only_written(before: Sequence[str], distance: int, after: Sequence[str]) -> bool:
    """Whether something only can be written so: "we can write $x=a+b$"."""
    place = len(before) - 1 - distance
    is_possible = not introducing()["possible"].keys().isdisjoint(before[max(0, place - 2) : place])
    return before[place] == "write" and is_possible and not _is_purpose(after)


def keys_of_formula(
    formula: FencedFormula, strength: int, *, is_wide: bool
) -> tuple[tuple[str, int], ...]:
    """The keys of a formula's symbols: those that it is about have its strength."""
    find = _keys_of_body if len(formula.body) < _SHORT else _keys_of_body.__wrapped__
    return find(formula.body, strength, is_wide)


_SHORT = 80


@lru_cache(maxsize=8_192)
def _keys_of_body(
    body: str,
    strength: int,
    is_wide: bool,  # noqa: FBT001 - a key of a cache
) -> tuple[tuple[str, int], ...]:
    fence = _fence(body, strength)
    if fence:
        return (fence,)
    found: list[tuple[str, int]] = []
    limit, is_map = _left_side(body, is_wide=is_wide)
    has_dots = "dots" in body
    may_set = _may_set(body)
    is_all = may_set or is_map or strength in (NAMES, SUPPOSES)
    uses = list(symbols_in(body if is_all else body[:limit]))
    sign = _sign(body, uses) if strength == NAMES and not has_dots else ""
    stated = _set_in(body, uses) if may_set else frozenset()
    if strength == NAMES and _ARROW.match(body, limit):
        limit = 0  # what goes from one thing to another is named, not that one thing
    for index, use in enumerate(uses):
        own = MENTIONS
        if index in stated:
            own = STATES
        elif sign:
            own = strength if use.keys[-1] == sign else MENTIONS
        elif (
            is_map
            or strength == SUPPOSES
            or (use.start < limit and (is_wide or not index or _is_fence(use.keys)))
        ):
            own = strength
        if own == NAMES and not sign and len(uses) > 1 and _is_sign(use.keys[-1]):
            is_first = not body[: use.start].strip()
            is_named = (is_operator(use.keys[-1]) and not index) or _GOES.match(body, use.end)
            own = STATES if index in stated else NAMES if is_first and is_named else MENTIONS
        if own:
            found += _with_strength(_keys_of_site(use.keys, has_dots=has_dots), own)
    equality = _BARE_EQUALITY.search(body) if strength == NAMES else None
    if equality:
        left = [use for use in uses if use.end <= equality.start()]
        found += [(key, strength) for key in islice(_signs_in(body, left), 1)]
    return tuple(found)


def _applied_and_set(body: str) -> Iterator[tuple[str, int]]:
    r"""A letter with arguments that a display sets for any of them: `\lambda(U):=\inf`.

    No small Latin one: those stand for another map in each section.
    """
    use = next(applied_in(body), None)
    if use is None or body[: use.start].strip() or body[use.start].islower():
        return
    arguments = _ARGUMENTS.match(body, use.end)
    if (
        arguments
        and _OF_LETTERS.fullmatch(arguments[0].strip(" &()"))
        and _SETS.match(body, arguments.end())
    ):
        yield use.keys[0], NAMES


def _fence(body: str, strength: int) -> tuple[str, int] | None:
    r"""The key of brackets that a formula is about, with its strength: `\langle x\rangle:=1+x`."""
    if strength not in (NAMES, TAKES) and not _may_set(body):
        return None
    use = next(fences_in(body), None)
    if use is None or body[: use.start].strip():
        return None
    inside = _EDGES.sub("", body[use.start : use.end])
    behind = body[use.end :]
    letters = _ANY_LETTER.findall(inside)
    if not _OF_LETTERS.fullmatch(inside) or (strength == TAKES and not _OF_DOTS.fullmatch(inside)):
        return None
    is_about = any(letter in _ANY_LETTER.findall(behind) for letter in letters)
    if _SETS.match(behind) and is_about:
        return use.keys[0], STATES
    is_all = not behind.strip()
    is_typed = _GOES.match(behind) is not None
    is_named = strength == NAMES and (
        is_all or is_typed or (_EQUALS.match(behind) is not None and is_about)
    )
    return (use.keys[0], strength) if is_named or (is_all and strength == TAKES) else None


_EDGES = regex(r"[{}]|\\(?:[lr]angle|[lr]floor|[lr]ceil|[lr]?[vV]ert)(?![A-Za-z])|\\?\||[\[\]]")
_ANY_LETTER = regex(r"\\[A-Za-z]+|[A-Za-z]")
_OF_LETTERS = regex(
    r"(?:\s*(?:[A-Za-z]|\\(?!frac|sqrt|sum|int|math|text|in(?![A-Za-z]))[A-Za-z]+|-|\.)\s*(?:[,:;]|\Z))+"
)
_OF_DOTS = regex(r"(?:\s*(?:\\c?dot|-|\.|\\bullet)\s*(?:[,:;]|\Z))+")
"""Brackets that are named are around single letters or dots."""


def _with_strength(keys: Iterable[str], strength: int) -> Iterator[tuple[str, int]]:
    r"""The keys of a site: what says what $\mathcal{F}(x)$ is hardly says what $\mathcal{F}$ is."""
    listed = tuple(keys)
    is_applied = listed[0][-1] == "(" and not is_plain(listed[0][:-1])
    for key in listed:
        is_less = is_applied and key[-1] != "(" and strength > EQUATES
        yield key, EQUATES if is_less else strength


_ENSURED = regex(r"\{{0,2}\\ensuremath\s*\{")
_NAMED_BESIDE = regex(
    r"\s*\\(?:cdot|times|circ|oplus|otimes)(?![A-Za-z])\s*(?:\{|\\ensuremath\s*\{){0,3}"
    r"\\[A-Za-z]+\s*\{[^{}=]{1,30}\}{1,4}\s*&?\s*="
)
r"""What is multiplied by another thing with a name: `\mathsf{B}\cdot\mathsf{N}=`."""
_SIGNED = regex(r"\(\s*(?P<inside>[^()=,]{3,40})\)\s*\([^()=]{1,30}\)\s*&?\s*=")
r"""What stands between two things that are applied: `(s\sqcup t)(x)=`."""


def _signs_in_brackets(inside: str) -> Iterator[str]:
    uses = list(symbols_in(inside))
    for use in uses[1:]:
        if _is_sign(head_of(use.keys[-1])):
            yield from use.keys[-1:]


_PART = regex(r"\\q?quad(?![A-Za-z])|\\\\|,|\\text\{[^{}]{0,30}\}")
_EQUALS = regex(r"\s*&?\s*=")
_GOES = regex(
    r"\s*(?::|\\colon(?![A-Za-z]))[^=]{1,200}?\\(?:to(?![A-Za-z])|(?:long|hook|twohead"
    r"|dash)?rightarrow|x\w+arrow|(?:long)?mapsto|rightsquigarrow|rightharpoonup)"
)
_TYPED = regex(r"\s*(?::(?!\s*=)|\\colon(?![A-Za-z]))")
_LONGEST_LEFT = 80
_MOST_PARTS = 8


def _alone(body: str, *, is_plain_enough: bool, is_definition: bool) -> Iterator[str]:
    """The keys of a symbol that is all of the left side of an equation, or the name of a map.

    A letter without arguments must be a map, else it counts only where that is said. In a
    definition what has a name of its own may also be said to be of any type.
    """
    start = 0
    for _ in range(_MOST_PARTS):
        lead = len(body) - len(body[start:].lstrip(" &\n\t"))
        opened = _ENSURED.match(body, lead) if is_definition else None
        lead = opened.end() if opened else lead
        use = next(iter(symbols_in(body[lead : lead + _LONGEST_LEFT])), None)
        if use is not None and use.start == 0:
            end = lead + use.end
            while opened and body[end : end + 1] == "}":
                end += 1
            arguments = _ARGUMENTS.match(body, end)
            end = arguments.end() if arguments else end
            is_letter = is_plain(use.keys[0])
            if body.startswith("(", end) and not is_letter:  # `F(X)(n) = 1`
                arguments = _ARGUMENTS.match(body, end)
                end = arguments.end() if arguments else end
            is_map = _GOES.match(body, end) is not None
            is_map |= is_definition and not is_letter and _TYPED.match(body, end) is not None
            if is_map or (_EQUALS.match(body, end) and (is_plain_enough or not is_letter)):
                yield from _keys_of_site(use.keys, has_dots="dots" in body)
                return
            if is_definition and not is_letter and _NAMED_BESIDE.match(body, end):
                yield use.keys[0]
                return
        elif is_definition and (signed := _SIGNED.match(body, lead)):
            yield from islice(_signs_in_brackets(signed["inside"]), 1)
        part = _PART.search(body, lead, lead + 4 * _LONGEST_LEFT)
        if part is None:
            return
        start = part.end()


def _may_set(body: str) -> bool:
    return ":" in body or any(sign in body for sign in _SETTING)


_SETTING = (
    "\\coloneq", "\\Coloneq", "\\triangleq", "def", "Def", "\\vcentcolon", "\\stackrel",
    "\\overset", "\\colonequals",
)  # fmt: skip


def _left_side(body: str, *, is_wide: bool) -> tuple[int, bool]:
    """Where the left side of a formula ends; and whether it is a map, all of which is taken."""
    if "{" in body:
        body = _SCRIPT_GROUP.sub(lambda script: "_" * len(script[0]), body)
    relation = None if _IN_BRACKETS.fullmatch(body) else _RELATION.search(body)
    if relation is None:
        return len(body), False
    return relation.start(), bool(is_wide and _MAP.match(body, relation.start()))


_SCRIPT_GROUP = regex(r"[_^]\s*\{(?:[^{}]|\{[^{}]{0,30}\}){1,60}\}")
_IN_BRACKETS = regex(r"\s*\[[^\[\]]{1,40}\]\s*[_^]\s*(?:\{[^{}]{1,30}\}|\S+)\s*")


def _set_in(body: str, uses: Sequence[NotationUse]) -> frozenset[int]:
    """Which symbols of a formula stand, by their indices, as what is set left of ":="."""
    found: set[int] = set()
    for sets in _SETS.finditer(body):
        end = sets.start()
        start = _start_of_side(body, end)
        found.update(_set_between(body, uses, start, end))
        if body[:start].endswith("="):
            found.update(_set_between(body, uses, _start_of_side(body, start - 1), start - 1))
    return frozenset(found)


def _set_between(body: str, uses: Sequence[NotationUse], start: int, end: int) -> Iterator[int]:
    """Which symbol a left side is about: a sign between two things, the first one, or a fence."""
    inside = [i for i, use in enumerate(uses) if start <= use.start and use.end <= end]
    if not inside:
        return
    first, last = uses[inside[0]], uses[inside[-1]]
    signs = [i for i in inside[1:-1] if _is_sign(uses[i].keys[-1]) and _is_between(body, uses[i])]
    if signs:
        yield signs[0]
    elif not body[start : first.start].strip():
        yield inside[0]
    elif _is_fence(last.keys) and not body[last.end : end].strip(" &"):
        yield inside[-1]


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PARTING = regex(r"[,;&=<>:]|\\\\|\\q?quad(?![A-Za-z])|\\(?:in|to|colon|text|mbox)(?![A-Za-z])")
_LONGEST_SIDE = 200


def _start_of_side(body: str, end: int) -> int:
    """Where the left side of a relation begins that stands at some place of a formula."""
    depth = 0
    end -= len(body[:end]) - len(body[:end].rstrip(" &"))
    for place in range(end - 1, max(0, end - _LONGEST_SIDE) - 1, -1):
        sign = body[place]
        if sign in _CLOSING:
            depth += 1
        elif sign in _OPENING:
            depth -= 1
            if depth < 0:
                return place + 1
        elif not depth and (parting := _PARTING.match(body, place, end)):
            return parting.end()
    return max(0, end - _LONGEST_SIDE)


def _is_fence(keys: tuple[str, ...]) -> bool:
    return keys[0].startswith(_FENCED)


_FENCED = ("#|_", "#\\|_", "#)_", "#]_")


def _sign(body: str, uses: list[NotationUse]) -> str:
    r"""The sign between two things that a formula is about: `\lhd` of `m\lhd n`."""
    if _BARE_EQUALITY.search(body):
        return ""
    return next(_signs_in(body, uses), "")


def _signs_in(body: str, uses: Sequence[NotationUse]) -> Iterator[str]:
    """The keys of the signs that stand between two things."""
    for use in uses[1:-1]:
        if _is_sign(use.keys[-1]) and _is_between(body, use):
            yield use.keys[-1]


def _is_between(body: str, use: NotationUse) -> bool:
    """Whether a sign stands between two things: a command of the author's may be a thing."""
    before, behind = body[: use.start].rstrip(), body[use.end :].lstrip()
    if is_plain(use.keys[-1]):
        return before[-1:] != "("
    return before[-1:] not in ("(", "[", ",") and behind[:1] not in ("{", ")", "]", ",")


def _is_sign(key: str) -> bool:
    if key[1] in "=<>*":
        return True
    return key.startswith("#\\") and key[2:].isalpha() and not is_letter(key)


_ARROW = regex(
    r"\\(?:to|(?:long|hook|twohead|dash)?rightarrow|longmapsto|mapsto|rightsquigarrow)(?![A-Za-z])"
)
_BARE_EQUALITY = regex(r"=(?!\s*[_^])")


def _keys_of_site(keys: tuple[str, ...], *, has_dots: bool) -> Iterable[str]:
    """The keys under which a symbol is found that is introduced: itself and its family."""
    head = head_of(keys[-1])
    if head == "#)":
        return keys[:1]  # an index of whatever list: $(x_n)_{n}$
    scripted = [key for key in keys if key != head]
    if not scripted:
        return keys
    named = [key for key in scripted if key[-1] != "("]
    if not named:
        return (*scripted, head)
    named = [key for key in named if not _POWER.search(key)] or ([] if is_plain(head) else named)
    if not named:
        return (head,)
    exact = named[0]
    is_one = bool(_DIGITS.search(exact)) and not has_dots
    return [key for key in named if "•" not in key or not is_one]


_DIGITS = regex(r"_\d")
_POWER = regex(r"\^[-+]?\d")
_LABELLED = regex(rf"(?<![\w)])\((?P<name>{ASSUMPTION_NAME})\)(?!\w)")
_FONT_BEFORE = regex(r"(?:\\text[a-z]{2}|\\emph)\{\Z")
_COLON = regex(r"[}\s]*:")
_RANGE = regex(
    r"\((?P<lead>[A-Z]{1,3})(?P<first>\d{1,2})\)[\s~]?(?:-{1,3}|[\u2013\u2014]"
    r"|(?:to|through|bis|à|\\`a|\\`\{a\})[\s~])[\s~]?\((?P=lead)(?P<last>\d{1,2})\)"
)
_LONGEST_RANGE = 20


def assumption_names(text: str) -> list[tuple[str, bool]]:
    """The names like "(A1)" of a text, as keys, and whether the text gives them there.

    Those between the ends of a range, "(A1)--(A4)", too.
    """
    found: list[tuple[str, bool]] = []
    text = with_plain_names(text)
    for match in _LABELLED.finditer(text):
        lead = _FONT_BEFORE.sub("", text[max(0, match.start() - _NEAR) : match.start()])
        is_given = not lead.strip(" .;") or lead.rstrip().endswith(("\\item", "\\item[", ":"))
        is_given = is_given and not SPEAKS_OF.match(text, match.end())
        found.append((f"@{match['name']}", is_given or bool(_COLON.match(text, match.end()))))
    for match in _RANGE.finditer(text) if len(found) > 1 else ():
        first, last = int(match["first"]), int(match["last"])
        if last - first <= _LONGEST_RANGE:
            found += [(f"@{match['lead']}{number}", False) for number in range(first + 1, last)]
    return found
