r"""The terms to which sentences give a meaning, by a mark or by their form.

In a definition, "A normal series in $G$ is a chain" defines its subject, "A type is countable if"
its predicate: the words are in `definition_words.toml`. Anywhere, "By a hedge we mean a union of
trees" defines a term: the words are in `introducing_words.toml`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import cache, lru_cache
from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language import terms
from pfcore.latex.language.formula_keys import EQUATES, NAMES, STATES
from pfcore.latex.language.notation import formulas, sentences
from pfcore.latex.language.phrases import (
    introducing,
    phrase_pattern,
    phrases_of,
    word_tables,
)
from pfcore.latex.lexer.letters import with_letters

WORDS = "definition_words"
SENTENCES, INFLECTIONS = "defining_sentences", "inflections"

_TOKEN = regex(r"\x00(?:-[^\W\d_][\w-]*)?|[^\W\d_][\w-]*|[,;:()]")
_COMMAND = regex(
    r"\\(?:begin|end|cite\w*|index|marginpar|label|[a-zA-Z]{0,6}ref)\*?\s*(?:\[[^\[\]]*\]){0,2}\{[^{}]*\}"
    r"|\\[A-Za-z@]+\*?"
)
TITLE = regex(r"\s*\{{0,2}\([^()]{0,200}(?:\([^()]{0,60}\)[^()]{0,60})?\)\}{0,2}(?=\s)")
_FORMULA = "\x00"
_MOST_BETWEEN = 14
_LONGEST = 5


class _Token(NamedTuple):
    """A word, a formula or a stop of a sentence: in lower case, with its span."""

    word: str
    start: int
    end: int


@cache
def _words() -> Mapping[str, frozenset[str]]:
    around = introducing()
    told = {**phrases_of(WORDS), **{role: around[role] for role in ("lead", "break", "no_term")}}
    return {role: frozenset(listed) for role, listed in told.items()}


_MARK = regex(
    r"\\(?:node(?:\s*\[[^\[\]]{0,300}\])?|(?:text)?color(?:box)?\{[^{}]{1,40}\}"
    r"|fcolorbox\{[^{}]{1,40}\}\{[^{}]{1,40}\}|uline|hl"
    r"|(?:re)?intro(?:\([^()]{0,40}\))?(?:\[[^\[\]]{0,80}\])?"
    r"|[A-Za-z]{0,12}(?:def|dfn|term|notion|concept|begriff)[A-Za-z]{0,12})"
    r"\s*\{(?P<term>(?:[^{}]|\{[^{}]*\}){2,80})\}"
    r"|\{\s*(?:\\index\{[^{}]{1,80}\}\s*)?\\color\s*\{[^{}]{1,40}\}(?P<coloured>[^{}$]{2,80})\}"
    r"|\\index\s*\{(?:[^{}|@!]{0,60}[@!]){0,3}(?P<listed>[^{}|@!$\\]{2,60})(?:\|[^{}]{0,20})?\}"
    r"|\((?:or|oder|ou|also called|auch)[\s~]+(?:(?:an?|to be|eine?|une?)[\s~]+)?"
    r"(?P<other>[^()$\\]{3,40})\)"
)


def marked_terms(text: str) -> tuple[str, ...]:
    r"""The terms that a definition marks by a colour, a box, or a command with a telling name."""
    if not _MARK.search(text):
        return ()
    plain = _without_formulas(with_letters(text))
    found = (forms_of_term(match[match.lastgroup or 0], plain) for match in _MARK.finditer(plain))
    return tuple(dict.fromkeys(chain.from_iterable(found)))


def defined_terms(text: str) -> tuple[str, ...]:
    """The terms to which the sentences of a definition give a meaning, in normal form."""
    found: list[str] = []
    title = TITLE.match(text)
    for number, sentence in enumerate(sentences(text[title.end() :] if title else text)):
        found += _Sentence(sentence, is_first=not number).found()
    return tuple(dict.fromkeys((*found, *second_terms(text))))


def second_terms(sentence: str) -> Iterator[str]:
    """The terms that a text defines under a second condition, after those that it names first."""
    yield from filter(None, (_phrase(match["t"]) for match in _second().finditer(sentence)))


def subject_terms(text: str) -> tuple[str, ...]:
    """The subject that the first sentence of a definition defines, if no term is marked there.

    Sentences before it that only take something ("Let …") are skipped.
    """
    title = TITLE.match(text)
    listed = sentences(text[title.end() :] if title else text)
    taking = tuple(introducing()["letting"])
    first = next((one for one in listed if not one.lstrip().lower().startswith(taking)), "")
    if _EMPHASIS.search(first) or _MARK.search(first):
        return ()
    return tuple(_Sentence(first, is_first=True).subject())


class _Sentence:
    """A sentence as tokens; a formula is one token, with the word that a hyphen joins to it."""

    def __init__(self, sentence: str, *, is_first: bool) -> None:
        self._is_first = is_first
        plain = _without_formulas(with_letters(sentence))
        self._text = _COMMAND.sub(lambda match: " " * len(match[0]), plain)
        self._tokens = [
            _Token(match[0].lower(), match.start(), match.end())
            for match in _TOKEN.finditer(self._text)
        ]
        self._words = [token.word for token in self._tokens]
        telling = (i for i, word in enumerate(self._words) if word in _words()["telling"])
        self._last_telling = max(telling, default=-1)

    def found(self) -> Iterator[str]:
        """The terms, each in all its forms."""
        named = list(self._named())
        if named:
            yield from named
            return
        for start in self._starts():
            listed = list(self._clause(start))
            if listed:
                yield from listed
                return

    def subject(self) -> Iterator[str]:
        """The subject at the start of the sentence, if the sentence has no condition."""
        start = 0
        while start < len(self._words) and self._words[start] in _words()["opening"]:
            start += 1
        verb = self._copula(start) if start < len(self._words) else None
        if verb is not None and self._condition(verb + 1) is None:
            yield from self._subject(start, verb)

    def _named(self) -> Iterator[str]:
        """The term after a verb of naming, formulas aside: "heißt $f$ die Ableitung"."""
        words = self._words
        for index, word in enumerate(words):
            behind = index + 1
            is_passive = word in _words()["passive"] and index < self._last_telling
            is_told_to_be = word in _words()["to_be"] and words[behind : behind + 1] == ["the"]
            if word in _words()["calling"]:
                while behind < len(words) and words[behind] in (_FORMULA, *_words()["object"]):
                    behind += 1
            if word in _words()["calling"] or is_passive or is_told_to_be:
                yield from self._phrase(behind, len(words))
        if _is_any("as_what", words[:1]) and _is_any("being", words):
            yield from self._phrase(1, len(words))

    def _starts(self) -> Iterator[int]:
        """Where a defining clause may begin: after "we say that", at the start, after a comma."""
        words = self._words
        for index in range(1, len(words)):
            if words[index - 1] in _words()["saying"]:
                yield index + (words[index] == ",")
        yield 0
        for index, word in enumerate(words[:-1]):
            if word == "," and words[index + 1] in (_FORMULA, *_words()["lead"]):
                yield index + 1

    def _clause(self, start: int) -> Iterator[str]:
        tokens = self._tokens
        while start < len(tokens) and tokens[start].word in _words()["opening"]:
            start += 1
        copula = self._copula(start)
        if copula is None:
            yield from self._verb(start)
            return
        condition = self._condition(copula + 1)
        if condition is not None:
            is_verb_last = all(token.word == "," for token in tokens[copula + 1 : condition])
            yield from self._ending(start, copula) if is_verb_last else ()
            yield from self._predicates(copula + 1, condition)
        else:
            yield from self._subject(start, copula)

    def _copula(self, start: int) -> int | None:
        """The index of the verb of a clause that begins at `start`; None if it has none."""
        for index in range(start + 1, min(len(self._tokens), start + _MOST_BETWEEN)):
            word = self._tokens[index].word
            if word in _words()["being"] or word in _words()["having"]:
                return index
            if word in ";:" or word in _words()["condition"]:
                return None
        return None

    def _condition(self, start: int) -> int | None:
        """The index where a condition begins: "if", also after a comma; None if there is none."""
        for index in range(start, min(len(self._tokens), start + _MOST_BETWEEN)):
            word = self._tokens[index].word
            if word in _words()["condition"]:
                return index
            is_end = word == "," and not (self._is_if(index + 1) or self._is_in_list(index))
            if word in ";:" or is_end:
                return None
        return None

    def _is_in_list(self, index: int) -> bool:
        """Whether a comma stands between formulas: "by points $p_0$, \\dots, $p_d$ if"."""
        around = self._words[:index][::-1], self._words[index:]
        return all(next((w for w in side if w != ","), "") == _FORMULA for side in around)

    def _is_if(self, index: int) -> bool:
        return index < len(self._tokens) and self._tokens[index].word in _words()["condition"]

    def _predicates(self, start: int, end: int) -> Iterator[str]:
        """The predicate, and the alternative in brackets after "resp."."""
        yield from self._phrase(start, end)
        for index in range(start, end - 1):
            if self._tokens[index].word == "(" and self._tokens[index + 1].word == "resp":
                yield from self._phrase(index + 2, end)

    def _verb(self, start: int) -> Iterator[str]:
        """The verb that a sentence defines by a condition: "$f$ converges to $g$ if"."""
        condition = self._condition(start)
        if condition is None:
            return
        words = self._words[start:condition]
        is_subject = bool(words) and words[0] in (_FORMULA, *_words()["lead"])
        if is_subject and _FORMULA in words:
            yield from self._phrase(start + words.index(_FORMULA) + 1, condition)

    def _ending(self, start: int, verb: int) -> Iterator[str]:
        """The term right before a verb at the end of its clause: "that $f$ tame is, if"."""
        begin = verb
        while begin > start and not _is_end(self._tokens[begin - 1].word):
            begin -= 1
        yield from self._phrase(begin, verb)

    def _subject(self, start: int, verb: int) -> Iterator[str]:
        """The subject, if articles precede it and follow the verb, or if it is a plural.

        Also if it consists of a name and a formula: "The direct sum $s+t$ has".
        """
        words = self._words
        behind = words[verb + 1 : verb + 2]
        is_one = words[start] in _words()["lead"]
        is_named = words[start] in _words()["definite"] and words[verb - 1] == _FORMULA
        is_told = words[verb] in _words()["being"] and (
            _FORMULA in behind or _is_any("telling", (words[verb], *behind), "lead")
        )
        is_many = self._is_first and not start and words[verb] in _words()["many"]
        is_all = is_named and not _is_any("break", words[start + 1 : verb])
        if (is_one and is_told) or is_many or is_all:
            yield from self._phrase(start, verb)

    def _phrase(self, start: int, end: int) -> Iterator[str]:
        """The term at the start of some tokens, without articles and verbs before it."""
        words = self._words
        while start < end and _is_any("lead", words[start : start + 1], "no_term"):
            start += 1
        if words[start : start + 3 : 2] == ["(", ")"]:  # "(closed) ball"
            yield from self._phrase(start + 1, start + 2)
            start += 3
        kept: list[_Token] = []
        for token in self._tokens[start : min(end, start + _LONGEST + 1)]:
            if _is_end(token.word) or token.word in _words()["lead"]:
                break
            kept.append(token)
        if kept and len(kept) <= _LONGEST and kept[0].word not in _words()["pronoun"]:
            phrase = self._text[kept[0].start : kept[-1].end].replace(_FORMULA, "")
            yield from forms_of_term(phrase, self._text)


def _is_any(role: str, words: Iterable[str], other: str = "") -> bool:
    """Whether one of some words has a role, or the role `other`."""
    known = _words()[role] | (_words()[other] if other else frozenset())
    return not known.isdisjoint(words)


def _is_end(word: str) -> bool:
    """Whether a term ends before such a token."""
    return word in ",;:()" or word == _FORMULA or word in _words()["break"]


def _without_formulas(sentence: str) -> str:
    pieces: list[str] = []
    end = 0
    for formula in formulas(sentence):
        pieces += (sentence[end : formula.start], _FORMULA)
        end = formula.end
    return "".join([*pieces, sentence[end:]])


_NEAR = 90
_EMPHASIS = regex(
    r"[\\{`'\"“„«»](?:(?<=\\)(?:emph|textit|textbf|textsl|textsc|textsf|underline|defn|dfn|define|newterm|term)\s*\{(?P<a>(?:[^{}]"
    r"|\{[^{}]*\}){2,80})\}"
    r"|(?<=\\)(?:re)?intro(?:\([^()]{0,40}\))?(?:\[[^\[\]]{0,80}\])?\{(?P<l>(?:[^{}]|\{[^{}]*\}){2,80})\}"
    r"|(?<=\{)\s*\\(?:em|it|bf|sl|itshape|bfseries|slshape)(?![A-Za-z])\s*(?P<b>(?:[^{}]"
    r"|\{[^{}]*\}){2,80})\}"
    r"|(?<=`)`(?P<c>[^'`$]{2,60})''|(?<=\u201c)(?P<d>[^\u201d$]{2,60})\u201d"
    r"|(?<=\u201e)(?P<e>[^\u201c$]{2,60})\u201c|(?<=')(?<![`']')'(?P<f>[^'`$]{2,60})''"
    r"|(?<=\\)(?:og|glqq|flqq|frqq|guillemotleft)(?![A-Za-z])(?:\{\})?(?P<g>[^\\$]{2,60})"
    r"\\(?:fg|grqq|frqq|flqq|guillemotright)(?![A-Za-z])|(?<=[«»])(?P<h>[^«»$]{2,60})[«»]"
    r"|(?<=`)(?<!``)(?P<k>[^'`$]{2,40})'(?!')"
    r"|(?<=\")`(?P<i>[^\"`'$]{2,60})\"'|(?<=\\)enquote\s*\{(?P<j>[^{}$]{2,60})\})"
)
_QUOTED = frozenset("cdefghijk")
"""The groups of `_EMPHASIS` that are quotation marks."""
_IS_BEFORE = regex(
    r"(?<!\w)(?:is|are|be|ist|sind|sei(?:en)?|est|sont|soi(?:t|ent))[\s~]+(?:(?:an?|eine?|une?)[\s~]+)?\Z"
)
_COLON = regex(r"[\s~]*:")
_SUBJECT = regex(
    r"[\s~]*(?:An?|Two|Three|The|Eine?|Zwei|Une?|Deux|\$|(?:Then|Moreover|Finally|Also),?[\s~])"
)
_THAT_IS = regex(
    r"(?:[\s~]+[^\s~$.,;:()]{2,30}){0,4}[\s~]*[,(\u2013-]*[\s~]*(?:that is|i\.e|d\.h|das heißt"
    r"|c'est-à-dire)"
)
_ADVERB = regex(r"[a-z]+ly")


_OF = r"(?:of|on|in|von|vom|zu|auf|aus|des|der|eines|einer|bezüglich|de|du|d'une?|und|oder)"
_WORD, _IS_A = r"[^\s~$.,;:()\\{}]{2,30}", r"(?:is|are|ist|sind|est|sont)[\s~]+(?:an?[\s~]+)?"


@cache
def _around_terms() -> Mapping[str, re.Pattern[str]]:
    """Patterns of the words around terms; a term ends where `end` begins."""
    return {
        "tells": re.compile(
            r"(?:[\s~]*\$[^$]{1,60}\$)?[\s~,:]*"
            rf"(?:(?:{phrase_pattern('tells', ' ')}|:)(?!\w)|-{{2,3}}|[\u2013\u2014])"
            rf"(?![\s~]+(?:\w+ly[\s~]+)?{phrase_pattern('done')}(?!\w))"
        ),
        "stressing": re.compile(rf"(?<!\w){phrase_pattern('stressing')}[\s~]+\Z", re.IGNORECASE),
        "defines": re.compile(rf"(?<!\w){phrase_pattern('defines')}(?!\w)", re.IGNORECASE),
        "being": re.compile(
            rf"(?<!\w){phrase_pattern('being')}[\s~]+{phrase_pattern('lead')}[\s~]*(?:[^\W\d_]+[\s~]+)?\Z"
        ),
        "called": re.compile(
            rf"(?<!\w){phrase_pattern('called')}[\s~,]+(?:{phrase_pattern('lead')}[\s~]+)?\Z"
        ),
        "so_if": re.compile(
            rf"[\s~]+{_OF[:-1]}|by|to|for|over|at|from|with)(?!\w)[^.;:]{{1,80}}?(?<!\w)"
            rf"{phrase_pattern('if_so')}(?!\w)"
        ),
        "behind_verb": re.compile(
            rf"[^.;:]{{1,80}}?(?<!\w)(?:{phrase_pattern('if_so')}|means?|heißt|signifie)(?!\w)"
        ),
        "vague": re.compile(rf"(?<!\w){phrase_pattern('vague')}(?!\w)", re.IGNORECASE),
        "end": re.compile(rf"(?<![\w-]){phrase_pattern('break', ' ')}(?![\w-])|[,;:.$()]"),
        "lead": re.compile(rf"{phrase_pattern('lead')}(?!\w)[\s~]*", re.IGNORECASE),
        "letting": re.compile(
            rf"(?<!\w){phrase_pattern('letting')}[\s~]+{phrase_pattern('lead')}[\s~]*\Z",
            re.IGNORECASE,
        ),
        "none": re.compile(rf"{phrase_pattern('no_term')}(?!\w)"),
        "german": re.compile(rf"(?<!\w){phrase_pattern('german')}(?!\w)", re.IGNORECASE),
        "french": re.compile(rf"(?<!\w){phrase_pattern('french')}(?!\w)", re.IGNORECASE),
    }


_ROLES = ("called", "if_so", "mean", "having", "lead", "filler", "further")
_GERMAN_OBJECT = (
    r"(?:(?:d(?:er|ie|as|en|iese[rsn]?)|eine?n?|jede[rsn]?|zwei|solche|ihn|sie|es)[\s~]+"
    r"(?:(?:%(word)s[\s~]+){0,2}?[A-ZÄÖÜ][\w-]+[\s~]+)?(?:\$[^$]{1,60}\$[\s~]+)?"
    r"(?:(?:von|auf|in|mit|über|zwischen|aus|und|nach)[\s~]+(?:[^\s$.,;:]+[\s~]+)??\$[^$]{1,60}\$"
    r"[\s~]+){0,2}"
    r"|\$[^$]{1,60}\$[\s~]+(?:in|auf|über)[\s~]+\$[^$]{1,60}\$[\s~]+)"
).replace("%(word)s", _WORD)
"""The object of a German sentence of naming, between the verb and the name."""
_ONE = r"[\s~]*(?:[Aa]n?|[Tt]wo|[Tt]hree|[Ee]ine?|[Uu]ne?|[Dd]eux|[Zz]wei)[\s~]+"


@cache
def _second() -> re.Pattern[str]:
    """A term defined under a second condition: "wild" of "tame if so, and wild if not"."""
    return re.compile(
        r"(?<=[^\s~])(?:,[\s~]+(?:and|or|und|oder|et|ou)|;)[\s~]+"
        rf"(?:(?:(?:it|er|sie|es|elle|il)[\s~]+)?{_IS_A})?"
        rf"(?P<t>{_WORD}(?:[\s~]+{_WORD}){{0,2}}?),?[\s~]+{phrase_pattern('if_so')}(?!\w)"
    )


@cache
def _term_patterns() -> tuple[tuple[tuple[str, ...], re.Pattern[str]], ...]:
    """Patterns of sentences that define a term, each with letters, some of which a match has."""
    roles = {role: phrase_pattern(role) for role in _ROLES}
    roles["called"] = phrase_pattern("called", rf"[\s~,]+(?:{roles['filler']}[\s~,]+)?")
    pieces = {
        **roles,
        "begins": "".join(sorted({f"{one[0]}{one[0].upper()}" for one in introducing()["called"]})),
        "before": rf"(?:(?!(?<!\w){roles['if_so']}(?!\w))[^.;]){{0,90}}?(?<!\w)",
        "phrase": rf"(?:an?[\s~]+)?{_WORD}(?:[\s~]+{_WORD}){{0,3}}?",
        "word": _WORD,
        "german_object": _GERMAN_OBJECT,
        "of": _OF,
        "over": rf"(?=[\s~]*(?:[.,;:]|\Z)|[\s~]+(?:{roles['if_so']}|{_OF})(?!\w))",
        "of_it": rf"(?=(?:[\s~]+{_OF}[\s~]+(?:[^\s$.,;:]+[\s~]+)??\$[^$]+\$)?"
        r"[\s~]*(?:[.,;]|\Z|(?:and|und|et)(?!\w)))",
        "is_": _IS_A,
        "symbol": r"(?:[\s~]*\$[^$]{1,60}\$)?",
        "opens": r"(?:(?<=\A)|(?<=[.;:] )|(?<=then )|(?<=that ))",
        "one": _ONE,
    }
    return tuple(
        (
            _letters(one["role"]) if "role" in one else tuple(one["letters"]),
            re.compile("".join(one["pattern"]) % pieces),
        )
        for one in word_tables(SENTENCES)["sentence"]
    )


def _letters(role: str) -> tuple[str, ...]:
    """Letters of which every phrase of a role has some: its longest word without the initial."""
    listed = (re.split(r"[ '*]", phrase) for phrase in introducing()[role])
    found = {max(words, key=len)[1:] for words in listed}
    return tuple(sorted(one for one in found if not any(other in one for other in found - {one})))


def introduced_terms(sentence: str) -> tuple[str, ...]:
    """The terms, in normal form, to which a sentence gives a meaning, with or without footnotes."""
    return tuple(terms_told(sentence))


def terms_told(sentence: str) -> dict[str, int]:
    """The terms to which a sentence gives a meaning, each with its strength.

    A word that something is only said to be, or that is only abbreviated, is `NAMES`; "tame ring",
    of "$k$-tame ring", is `EQUATES`.
    """
    found = _terms_of(sentence)
    if "\\footnote" in sentence:
        found = {**found, **_terms_of(_FOOTNOTE.sub("", sentence))}
    for joined in list(compound_terms(sentence, found)) if found and "-" in sentence else ():
        found[joined] = STATES
        if joined[0] == "-":
            found[joined[1:]] = EQUATES
    return found


def compound_terms(text: str, found: Iterable[str]) -> Iterator[str]:
    r"""The terms with what a hyphen joins to them: `-tame` for "tame" in $\lambda$-tame."""
    listed = list(terms.compounds(text))
    for term in found if listed else ():
        words = term.split(" ")
        for first, *rest in listed:
            lead, _, bare = first.partition("-")
            if [bare, *rest][: len(words)] == words:
                yield f"{lead}-{term}"


_FOOTNOTE = regex(r"\\footnote(?:\[\d{0,4}\])?\s?\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}")


def _terms_of(sentence: str) -> dict[str, int]:
    if "color" in sentence:
        sentence = _COLOURED.sub(r"\g<marked>", sentence)
    if "\\(" in sentence:
        sentence = sentence.replace("\\(", "$").replace("\\)", "$")
    if "\\ensuremath" in sentence:
        sentence = _with_dollars(sentence)
    around = _around_terms()
    found = list(_marked(sentence))
    if not any(term for term, _ in found):
        said = [*_said(sentence)]
        if not any(map(_phrase, said)) and "{" in sentence and _MEANT.search(sentence):
            said += _said(_MEANT.sub(r"\g<lead>\g<term> ", sentence))
        found += [(_phrase(term), STATES) for term in said]
    if any(term for term, _ in found):
        found += [(term, STATES) for term in second_terms(sentence)]
    is_said = any(how == STATES for term, how in found if term) or _SHORTENED.search(sentence)
    shortened = (*abbreviations(sentence), *_shortened(sentence))
    short = (*map(_phrase, shortened), *_initials(sentence))
    found += [(term, STATES if is_said else NAMES) for term in short]
    found = [(term, how) for term, how in found if term]
    if not found or around["vague"].search(sentence):
        return {}
    spoken = _languages(sentence)
    listed = sorted(
        ((form, how) for term, how in found for form in inflected(term, spoken)), key=itemgetter(1)
    )
    return dict(listed)


def _marked(sentence: str) -> Iterator[tuple[str, int]]:
    """The terms that a sentence marks and gives a meaning to, each with its strength."""
    defines: bool | None = None  # a sentence may be long, and emphasise much
    around = _around_terms()
    for match in _emphases(sentence):
        if defines is None:
            defines = around["defines"].search(sentence) is not None
        inner, is_verb = match[match.lastgroup or 0], _is_verb(sentence, match)
        is_idle = _ADVERB.fullmatch(inner.strip()) or _is_heading(sentence, match)
        if is_idle or (_is_stress(sentence, match) and not is_verb):
            continue
        if _is_told(sentence, match, defines=defines, is_verb=is_verb):
            how = STATES
        elif around["being"].search(sentence, max(0, match.start() - _NEAR), match.start()):
            how = NAMES
        else:
            continue
        found = [_phrase(inner), _phrase(_IN_PARENTHESES.sub("", inner)), *_numbered(inner)]
        found += _verb_forms(found[0]) if is_verb else ()
        noun = _NOUN_BEHIND.match(sentence, match.end())
        if noun and _is_let(sentence, match) and noun["word"] != "be":
            found.append(_phrase(f"{inner} {noun['word']}"))
        yield from ((term, how) for term in found)


def _is_told(sentence: str, match: re.Match[str], *, defines: bool, is_verb: bool) -> bool:
    """Whether a sentence gives a meaning to what it marks."""
    around, start = _around_terms(), max(0, match.start() - _NEAR)
    is_quoted = match.lastgroup in _QUOTED
    stressed = around["stressing"].search(sentence, max(0, match.start() - 9), match.start())
    return bool(
        (defines and not is_quoted)
        or (is_verb and around["behind_verb"].match(sentence, match.end()))
        or (
            around["so_if"].match(sentence, match.end())
            and not is_quoted
            and _IS_BEFORE.search(sentence, start, match.start())
            and _SUBJECT.match(sentence)
        )
        or match.lastgroup == "l"
        or _is_let(sentence, match)
        or _OTHERWISE.search(sentence, start, match.start())
        or (
            around["tells"].match(sentence, match.end())
            and not is_quoted
            and not (stressed and not _is_collected(sentence, match))
        )
        or (is_quoted and _is_quoted_term(sentence, match))
        or _THAT_IS.match(sentence, match.end())
        or _is_subject(sentence, match)
        or around["called"].search(sentence, start, match.start())
        or _CALLED_ASIDE.search(sentence, start, match.start())
    )


_MEANT = regex(
    r"(?=[BbUuMmPp])(?P<lead>(?<!\w)(?:[Bb]y|[Uu]nter|[Mm]it|[Pp]ar)[\s~]+(?:[^\W\d_]+[\s~]+)?)"
    r"\\(?:emph|textit|textbf|textsl|defn|dfn)\s*\{[\s~]*(?P<term>[^{}\\$]{2,80}?)[\s~]*\}[\s~]*"
)
"""A marked term after words such as "By", which announce its meaning."""


def _with_dollars(sentence: str) -> str:
    r"""A sentence in which every `\\ensuremath` is replaced by a formula between dollar signs."""
    pieces: list[str] = []
    end = 0
    for formula in formulas(sentence):
        if sentence.startswith("\\ensuremath", formula.start):
            pieces += (sentence[end : formula.start], "$x$")
            end = formula.end
    return _BRACED_FORMULA.sub("$x$", "".join([*pieces, sentence[end:]]))


_BRACED_FORMULA = regex(r"\{\s*\$x\$\s*(?:\\xspace)?\s*\}\s*(?:\\xspace(?![A-Za-z])\s?)?")


def emphasised_terms(sentence: str) -> Iterator[str]:
    """The terms that a sentence emphasises, whatever it says of them, in all their forms."""
    if "\\(" in sentence:
        sentence = sentence.replace("\\(", "$").replace("\\)", "$")
    for match in _emphases(sentence):
        inner = match[match.lastgroup or 0]
        if not _ADVERB.fullmatch(inner.strip()) and not _is_stress(sentence, match):
            yield from filter(whole_term, forms_of_term(inner, sentence))


def _emphases(sentence: str) -> Iterator[re.Match[str]]:
    """The emphases of a sentence; a font inside a formula is not one."""
    spans = [(formula.start, formula.end) for formula in formulas(sentence)]
    for match in _EMPHASIS.finditer(sentence):
        if not any(start <= match.start() < end for start, end in spans):
            yield match


def forms_of_term(text: str, sentence: str) -> Iterator[str]:
    """A term in normal form, and its inflections in the languages of its sentence."""
    term = _phrase(text)
    yield from inflected(term, _languages(sentence)) if term else ()


@lru_cache(maxsize=4)
def _languages(sentence: str) -> frozenset[str]:
    """The languages other than English of which a sentence has words."""
    around = _around_terms()
    return frozenset(name for name in ("german", "french") if around[name].search(sentence))


_COLOURED = regex(
    r"\\(?:text)?color\s*\{[^{}]{1,40}\}\s*\{\s*(?P<marked>\\(?:emph|text(?:bf|it|sl|sc))\s*\{[^{}]{2,80}\})\s*\}"
)
_CALLED_ASIDE = regex(
    r"\([\s~]*(?:(?:the|an?|or|also|our|d(?:er|ie|as)|eine?|oder|auch|l[ea]s?|une?|ou|aussi)[\s~]+){0,2}\Z"
)
"""Precedes a term in brackets: "the sheaf $J$ (the \\emph{jacobian sheaf})"."""
_ARTICLE = regex(r"(?:\A|[.;:] )\s*(?:An?|The|Eine?|D(?:er|ie|as)|Une?|L[ea])[\s~]+\Z")
_IS = regex(
    r"(?:[^.;:$\\]|\$[^$]{1,60}\$){1,80}?(?<!\w)(?:is|are|ist|sind|est|sont)[\s~]+"
    r"(?:an?|the|eine?|d(?:er|ie|as)|une?|l[ea])(?!\w)"
)


def _is_subject(sentence: str, match: re.Match[str]) -> bool:
    r"""Whether a sentence says what its subject is: "A \emph{cut} in a graph is a set"."""
    is_first = _ARTICLE.search(sentence, max(0, match.start() - 12), match.start())
    return is_first is not None and _IS.match(sentence, match.end()) is not None


def _is_quoted_term(sentence: str, match: re.Match[str]) -> bool:
    """Whether quotation marks introduce a term, rather than express reserve."""
    around, start = _around_terms(), max(0, match.start() - _NEAR)
    if around["defines"].search(sentence, start, match.start()):
        return True
    is_said = _IS_BEFORE.search(sentence, start, match.start()) is not None
    return is_said and around["tells"].match(sentence, match.end()) is not None


def _is_heading(sentence: str, match: re.Match[str]) -> bool:
    r"""Whether words only head a paragraph: "\textbf{Remark}:"."""
    words = match[match.lastgroup or 0].lower().split()
    if not words or sentence[: match.start()].strip():
        return False
    if words[-1][-1] != ":" and not _COLON.match(sentence, match.end()):
        return False
    known = introducing()["headed"]
    is_of = len(words) > 1 and words[0] in known and words[1] in introducing()["particle"]
    return is_of or words[-1].rstrip(":") in known


def _is_collected(sentence: str, match: re.Match[str]) -> bool:
    r"""Whether a term names a collection that is defined: "The class of \emph{tame rings} is"."""
    start = max(0, match.start() - 16)
    behind = _COLLECTED.match(sentence, match.end())
    return behind is not None and _COLLECTION.search(sentence, start, match.start()) is not None


_COLLECTION = regex(r"\b[Tt]he[\s~]+(?:class|set|space)[\s~]+of[\s~]+\Z")
_COLLECTED = regex(r"[\s~]+(?:is|consists[\s~]+of)(?!\w)")


def _is_let(sentence: str, match: re.Match[str]) -> bool:
    r"""Whether "let" gives a word its meaning: "let a \emph{cut} be a set"."""
    lead = _around_terms()["letting"].search(sentence, max(0, match.start() - 16), match.start())
    return lead is not None and _BE.match(sentence, match.end()) is not None


_BE = regex(
    r"(?:[\s~]+[^\W\d_]+){0,3}[\s~]+(?:\$[^$]{1,40}\$[\s~]+)?(?:be|ein|un)(?:e[nr]?)?(?!\w)"
)
_OTHERWISE = regex(
    r"(?:\A|[.;] )[\s~]*(?:Otherwise|In all other cases|Sonst|Sinon),?[\s~][^.;:$\\]{0,60}?"
    r"(?<!\w)(?:is|are|ist|sind|est|sont)[\s~]+\Z"
)
_NOUN_BEHIND = regex(r"[\s~]+(?P<word>[a-zäöüéèê]{3,})")


def _is_stress(sentence: str, match: re.Match[str]) -> bool:
    r"""Whether a word is only stressed before its noun: "as \emph{polynomial} functors"."""
    around, end = _around_terms(), match.end()
    behind = _NOUN_BEHIND.match(sentence, end)
    if behind is None or around["end"].match(sentence, behind.start("word")):
        return False
    if around["defines"].match(sentence, behind.start("word")):
        return False
    if around["tells"].match(sentence, end) or _THAT_IS.match(sentence, end):
        return False
    if match.lastgroup == "l" or _is_let(sentence, match):
        return False
    return around["defines"].search(sentence, max(0, match.start() - 60), match.start()) is None


def _is_verb(sentence: str, match: re.Match[str]) -> bool:
    r"""Whether a marked word is what something does: "if $x$ \\emph{shades} a tree $y$"."""
    return _DOING.search(sentence, max(0, match.start() - 16), match.start()) is not None


_DOING = regex(
    r"(?:(?<!\\)\$|(?<!\w)(?:that|dass|and|und|et)[\s~]+(?:it|they|er|sie|es|ils?|elles?)"
    r"|qu'(?:ils?|elles?))[\s~]+\Z"
)


def _numbered(text: str) -> Iterator[str]:
    """The terms of a text with the number before each: `2-cell`."""
    for first, *rest in terms.compounds(text):
        number, _, word = first.partition("-")
        term = terms.special_term(" ".join([word, *rest]))
        if number and term:
            yield f"{number}-{term}"


def _verb_forms(verb: str) -> Iterator[str]:
    """The English inflections of a verb in normal form, or in -ing."""
    if not verb or not verb.isascii() or " " in verb or len(verb) < 4:
        return
    stem = verb.removesuffix("ing") if len(verb) > 5 else verb
    bare = stem.removesuffix("e")
    yield from (stem, f"{bare}ing", f"{stem[:-1]}ied" if stem[-1] == "y" else f"{bare}ed")
    if stem != verb and stem[-1] != "y":
        yield f"{stem}e"


def _said(sentence: str) -> Iterator[str]:
    around = _around_terms()
    for letters, pattern in _term_patterns():
        for piece in letters:
            if piece in sentence:
                break
        else:
            continue
        for match in pattern.finditer(sentence):
            text = match["t"]
            lead = around["lead"].match(text)
            text = text[lead.end() :] if lead else text
            cut = around["end"].search(text)
            if not around["none"].match(text):
                yield text[: cut.start()] if cut else text


_IN_BRACKETS = regex(r"\((?P<short>[A-Z][A-Za-z]{0,4}[A-Z])s?\)")
_SHORTENED = regex(
    r"[(wca](?:(?<=\()(?:abbreviated|shortened|short|for[\s~]+short|in[\s~]+short|henceforth|hereafter|abgekürzt"
    r"|kurz|en[\s~]+abrégé)[\s~,]+(?:(?:as|to|by|als|mit)[\s~]+)?"
    r"|(?<=\()(?=[A-Z]\w{0,8}[A-Z]s?[\s~]+(?:for[\s~]+short|in[\s~]+short|en[\s~]+abrégé)\))"
    r"|(?<!\w[wca])(?:(?<=w)rite|(?<=c)all|(?<=a)bbreviate)[\s~]+(?:it|this|them)[\s~]+(?:(?:as|by|simply|just)[\s~]+)?)"
    r"(?:\\[a-z]+\{)?(?P<short>[A-Z]\w{0,8}[A-Z])s?(?!\w)"
)
_LETTERED = regex(r"[a-zäöüéèê]+")


def abbreviations(sentence: str) -> Iterator[str]:
    """Capitals in brackets after words whose initials they are, possibly without the last word.

    Monadic first-order logic is MFO.
    """
    for match in _SHORTENED.finditer(sentence):
        yield match["short"]
    for match in _IN_BRACKETS.finditer(sentence) if "(" in sentence else ():
        lead = sentence[max(0, match.start() - _NEAR) : match.start()]
        words = _LETTERED.findall(lead.lower())
        for chosen in (words, [word for word in words if word not in introducing()["small"]]):
            letters, short = "".join([word[0] for word in chosen]), match["short"].lower()
            if letters.endswith(short) or (len(short) > 2 and letters[:-1].endswith(short)):
                yield match["short"]
                break


def _shortened(sentence: str) -> Iterator[str]:
    """Capitals in brackets with the words that they stand for: "Free Hedge Problem (FHP)"."""
    for match in _CAPITALS.finditer(sentence) if "(" in sentence else ():
        words = _SPELLED.search(sentence, max(0, match.start() - _NEAR), match.start())
        listed = words[0].split() if words else []
        for size in range(1, len(listed) + 1):
            last = listed[-size:]
            if "".join(map(_first_letters, last)) == match["short"].upper():
                yield from (" ".join(last), match["short"])
                break


_CAPITALS = regex(r"\((?P<short>[A-Z][A-Za-z\d]{1,5})s?\)")


def _first_letters(word: str) -> str:
    """The letters of a word in an abbreviation: "AP" of AnyPrice, "FX" of FX, "E" of extra-fair."""
    capitals = "".join(letter for letter in word if letter.isupper() or letter.isdigit())
    return capitals if len(capitals) > 1 else word[0].upper()


_SPELLED = regex(r"(?:[^\W\d_][\w-]*[\s~]+){1,6}\Z")
_MARKED_LONG = regex(r"\\[a-z]+\{(?P<long>[^{}$]{4,60})\}[\s~]*\((?P<short>[A-Z]{2,5})s?\)")
_WORDS_OF_TWO = frozenset(
    """
    ab ai am an as at au aux be by ce ci da de do du eh en er es et eu go he id if il im in is it
    ja je la le lu ma me mu my ne ni no nu ob of ok on or os ou ox pi sa se si so su ta te to tu
    um un up us va vu we wo xi zu
    """.split()
)


def _initials(sentence: str) -> Iterator[str]:
    r"""Capitals in brackets that occur in this order in a marked word: "\emph{Hedgehog} (HH)"."""
    for match in _MARKED_LONG.finditer(sentence):
        letters, short = iter(match["long"].upper()), match["short"].lower()
        if all(letter in letters for letter in match["short"]) and short not in _WORDS_OF_TWO:
            yield short


_IN_PARENTHESES = regex(r"(?<=\w)[\s~]*\([^()]*\)\s*\Z|\A\s*\([^()]*\)[\s~]*(?=\w)")


def _phrase(text: str) -> str:
    """The normal form of a term without its article; "" for everyday words.

    Also "" for a word with a number, which normal forms drop: a "1-morphism" is not a morphism.
    """
    lead = _around_terms()["lead"].match(text)
    text = text[lead.end() :] if lead and text[lead.end() :].strip() else text
    special = terms.special_term(text)
    found = whole_term(special)
    if found != special:
        found = terms.special_term(found)
    found = found or terms.short_term(text)
    is_less = " " not in found and _NUMBERED.match(text) is not None
    return "" if is_less or found in _common() else found


@cache
def _common() -> frozenset[str]:
    """Single words that are not terms, as written and in normal form."""
    words = introducing()["common"]
    return frozenset(words).union(" ".join(terms.normal_words(phrase)) for phrase in words)


_NUMBERED = regex(r"[\s$]*\d{1,2}[\s$]*-")


def whole_term(term: str) -> str:
    """A term without final words that only led to a formula: "position of" is "position"."""
    words = term.split(" ")
    while words and words[-1] in _particles():
        words.pop()
    found = " ".join(words)
    return "" if found in introducing()["idle"] or _particles().issuperset(words) else found


@cache
def _particles() -> frozenset[str]:
    """The words that cannot end a term, as written and in normal form."""
    words = frozenset(introducing()["particle"])
    return words.union(terms.normal_words(" ".join(sorted(words))))


def _agreeing(word: str) -> Iterator[str]:
    """A French word in normal form, and its forms that agree with another noun."""
    yield word
    if word.endswith("e") and len(word) > 4:
        yield word[:-1]
    elif not word.endswith("e"):
        yield f"{word}e"
    for end, new in _pairs("agreeing", "one", "other"):
        if len(word) > len(end) + 1 and word.endswith(end):
            yield word[: -len(end)] + new


@cache
def _pairs(table: str, one: str, other: str) -> tuple[tuple[str, str], ...]:
    """The pairs of forms in a table of inflections, both ways."""
    listed = ((entry[one], entry[other]) for entry in word_tables(INFLECTIONS)[table])
    return tuple(chain.from_iterable((pair, pair[::-1]) for pair in listed))


_GERMAN_END = regex(r"(?<=\w{3})e[nmrs]?\Z")
_GERMAN_ENDS = ("e", "en", "er", "es", "em")


def inflected(term: str, languages: Set[str]) -> Iterator[str]:
    """A term and its inflections in the languages of its sentence."""
    yield term
    for word, other in _pairs("irregular", "one", "many"):
        if term.endswith(word) and term[: -len(word)][-1:] in ("", " "):
            yield f"{term[: -len(word)]}{other}"
    if len(term) < 3:
        return
    if "german" in languages:
        yield from _german_forms(term)
    if "french" in languages:
        lead, _, last = term.rpartition(" ")
        yield from (f"{lead} {one}".strip() for one in _agreeing(last))


def _german_forms(term: str) -> Iterator[str]:
    """The German inflections of a term."""
    lead, _, last = term.rpartition(" ")
    if lead:
        stem = _GERMAN_END.sub("", lead)
        leads = (f"{stem}{end}" for end in _GERMAN_ENDS) if stem != lead else (lead,)
        nouns = dict.fromkeys((last, _GERMAN_END.sub("", last)))
        yield from (
            f"{one} {noun}{end}" for one in leads for noun in nouns for end in ("", "e", "n", "en")
        )
        return
    stem = _GERMAN_END.sub("", term)
    yield from (f"{stem}{end}" for end in ("", *_GERMAN_ENDS))
    yield from (f"{term}{end}" for end in ("e", "en", "em", "er", "n"))
    if term.endswith("el"):
        yield from (f"{term[:-2]}l{end}" for end in _GERMAN_ENDS)
