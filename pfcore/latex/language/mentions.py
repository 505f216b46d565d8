"""How a reference is meant, according to the words around it in its sentence.

Phrases are patterns, looked up by the word next to the reference: most words begin none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, partial
from itertools import count
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Mention
from pfcore.latex.language.hypotheses import ABBREVIATION
from pfcore.latex.language.phrases import phrases_of
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.letters import letters_in_place
from pfcore.latex.lexer.whitespace import MENTION
from pfcore.latex.project.kinds import KIND_WORDS

_PHRASES = "reference_phrases"
_REACH = 160  # characters of the text before a reference; `_ONWARD` after it
_ONWARD = 80
_SHORT = 12
_LONGEST_WORD = 20
_SHORTENED = frozenset({"vgl", "vergl"})
"""Foreign abbreviations, after which a full stop does not end the sentence."""
_WORD_AT_END = regex(rf"(?<![^\W\d_]){KIND_WORDS}$")

_JOINT = regex(
    r" ?(?:,|;|--?|\u2013)? ?(?:and|or|to|as well as)? ?(?:thus|hence|therefore|so|also|then)? ?"
    r"(?:of )?\(? ?"
)
_SURE = regex(
    r"(?:^|[.,;:$)\]}] |\b(?:and|then|hence|thus|so|that|is|we) )(?:[Bb]y|[Uu]sing|[Aa]pplying) \Z"
)
_TOKEN = regex(
    r"\x02\d+\x03|\x04\d+\x05|\$+[^$]*\$*|[,;:()]|\\[ ,;@]|[^\s,;:()$\x02\x04\\]+(?:\.(?=\\))?|\\"
)
_SHORT_FOR = {"\x02": "@", "\x04": "\\", "$": "$", "\\": "\\"}

_SIGNS = frozenset("@,;:.()")
"""Signs that a word matched by `...3` does not contain."""
_ANY = " "
_MOST_STATES = 10_000


class _Place(NamedTuple):
    """A place inside a phrase: the number of its table, and the tokens still to come."""

    table: int
    rest: tuple[str, ...]


class _State:
    """The places to which some words lead, the weightiest first, and where each next word leads.

    `ends` is the table of a phrase that ends here, or -1; lighter places are ignored then.
    """

    __slots__ = ("_any", "_order", "_stems", "ends", "is_open", "known", "words")

    def __init__(self, places: Iterable[_Place], *, behind: bool) -> None:
        self.ends = -1
        self.known: dict[str, _State] = {}
        self.words: dict[str, list[tuple[int, _Place]]] = {}
        self._stems: list[tuple[int, _Place, str]] = []
        self._any: list[tuple[int, _Place]] = []
        self._order = count()
        for place in places:
            if not self._add(*place, behind=behind):
                self.ends = place.table
                break
        self.is_open = bool(self._any or self._stems)

    def _add(self, table: int, rest: tuple[str, ...], *, behind: bool) -> bool:
        """Add the tokens that a place waits for; False if it may end here."""
        if not rest:
            return False
        token, *_ = rest
        onward = rest[1:]
        name = token.rstrip("?")
        if name.startswith("..."):
            least = int(name[3:]) - 1
            after = (f"...{least}", *onward) if least else onward
            self._any.append((next(self._order), _Place(table, after)))
            return self._add(table, onward, behind=behind)
        if name.startswith("<"):
            for inner in _class_lines(name[1:-1], behind=behind):
                if not self._add(table, inner + onward, behind=behind):
                    return False
        else:
            place = (next(self._order), _Place(table, onward))
            for word in name.split("|"):
                if word.endswith("*"):
                    self._stems.append((*place, word[:-1]))
                else:
                    self.words.setdefault(word, []).append(place)
        return not token.endswith("?") or self._add(table, onward, behind=behind)

    def after(self, word: str) -> tuple[str, list[_Place]]:
        """The places after a word, and their cache key: the word, `_ANY`, or "" for none."""
        found = list(self.words.get(word, ()))
        shared = word if found else _ANY
        if self._any and word and _SIGNS.isdisjoint(word):
            found += self._any
        for order, place, stem in self._stems:
            if _is_form(word, stem):
                found.append((order, place))
                shared = ""
        return shared, [place for _, place in sorted(found)]


def _is_form(word: str, stem: str) -> bool:
    ending = word.removeprefix(stem)
    return word.startswith(stem) and (not ending or ending.replace("_", "a").isalnum())


class Phrases:
    """Tables of phrases before or after a reference, the weightiest table first.

    Words are read away from the reference, those before it in reverse; a space ends each. A longer
    match wins over a shorter one, then the first line of the first table. States are computed
    lazily, when a text has the words, because most phrases never occur in a paper; so are the
    tables, which `read` returns by name.
    """

    __slots__ = ("_behind", "_names", "_read", "_start", "_states")

    def __init__(self, read: Callable[[], Mapping[str, Iterable[str]]], *, behind: bool) -> None:
        self._read = read
        self._names: tuple[str, ...] = ()
        self._behind = behind
        self._start: _State | None = None
        self._states: dict[tuple[_Place, ...], _State] = {}

    def table(self, words: str) -> str:
        """The name of the first table with a phrase next to the reference, else ""."""
        found = self._match(words)
        return self._names[found[0]] if found else ""

    def beyond(self, words: str) -> str | None:
        """The words beyond a phrase next to the reference, if there is one."""
        found = self._match(words)
        return None if found is None else " ".join(words.split(" ")[found[1] :])

    def _match(self, words: str) -> tuple[int, int] | None:
        """The table of the longest phrase, and its number of words."""
        state = self._start or self._begin()
        found = None if state.ends < 0 else (state.ends, 0)
        for taken, word in enumerate(words.split(" "), 1):
            onward = state.known.get(word)
            if onward is None and (state.is_open or word in state.words):
                onward = self._after(state, word)
            if onward is None:
                break
            state = onward
            if state.ends >= 0:
                found = (state.ends, taken)
        return found

    def _begin(self) -> _State:
        tables = self._read()
        self._names = tuple(tables)
        step = 1 if self._behind else -1
        places = [
            _Place(number, tuple(phrase.split()[::step]))
            for number, phrases in enumerate(tables.values())
            for phrase in phrases
        ]
        self._states.clear()
        self._start = _State(places, behind=self._behind)
        return self._start

    def _after(self, state: _State, word: str) -> _State | None:
        shared, places = state.after(word)
        if not places:
            return None
        if shared == _ANY and _ANY in state.known:
            return state.known[_ANY]
        key = tuple(dict.fromkeys(places))
        onward = self._states.get(key)
        if onward is None:
            if len(self._states) >= _MOST_STATES:
                self._begin()
            onward = self._states[key] = _State(key, behind=self._behind)
        if shared:
            state.known[shared] = onward
        return onward


@cache
def _class_lines(name: str, *, behind: bool) -> list[tuple[str, ...]]:
    """The phrases of a class, read away from the reference."""
    step = 1 if behind else -1
    return [tuple(phrase.split()[::step]) for phrase in phrases_of(_PHRASES, "class")[name]]


_BEFORE = Phrases(partial(phrases_of, _PHRASES, "before"), behind=False)
_SUBJECT = Phrases(partial(phrases_of, _PHRASES, "subject"), behind=False)
_DETAIL = Phrases(partial(phrases_of, _PHRASES, "detail"), behind=False)
_PART = Phrases(partial(phrases_of, _PHRASES, "part"), behind=False)
_BEHIND = Phrases(partial(phrases_of, _PHRASES, "behind"), behind=True)
_MORE = Phrases(partial(phrases_of, _PHRASES, "more"), behind=True)
_WITH = Phrases(partial(phrases_of, _PHRASES, "with"), behind=True)
_FOLLOWS = Phrases(partial(phrases_of, _PHRASES, "follows"), behind=True)
_WERE = Phrases(partial(phrases_of, _PHRASES, "were"), behind=True)
_THERE = Phrases(partial(phrases_of, _PHRASES, "there"), behind=True)
_SHOWN = Phrases(partial(phrases_of, _PHRASES, "shown"), behind=True)
_SERVED = Phrases(partial(phrases_of, _PHRASES, "served"), behind=True)
_INSTEAD = Phrases(partial(phrases_of, _PHRASES, "instead"), behind=True)
_CONCLUDED = Phrases(partial(phrases_of, _PHRASES, "concluded"), behind=True)
_AHEAD = Phrases(partial(phrases_of, _PHRASES, "ahead"), behind=True)
_DENIED = Phrases(partial(phrases_of, _PHRASES, "denied"), behind=True)
_SUPPOSED = Phrases(partial(phrases_of, _PHRASES, "supposed"), behind=True)
_SOFTENED = Phrases(partial(phrases_of, _PHRASES, "softened"), behind=True)

_SETTLED = {
    "notation": "notation",
    "hedged": "hedged",
    "likeness": "proof",
    "reference": "",
}
"""Forms that the words before settle; "" leaves the form to the words after."""
_WEIGHED = {
    "comparison": (_WITH, "aside"),
    "aside": (_SOFTENED, "aside"),
    "once": (_FOLLOWS, ""),
    "wish": (_WERE, ""),
    "proving": (_THERE, "proof"),
    "proof": (_SERVED, "proof"),
    "alike": (_SHOWN, "hedged"),
    "outlook": (_THERE, ""),
    "besides": (_INSTEAD, ""),
    "denial": (_DENIED, ""),
    "supposition": (_SUPPOSED, ""),
    "see": (_MORE, "reference"),
}
"""Phrases for the words after, which decide, and the form if these do not match.

"" is the form that the reference would have without the words before.
"""
_STRENGTH = ("aside", "proof", "notation", "hedged", "inductive", "reference", "likely", "used")
_BEARING = frozenset({"", "reference", "likely", "used"})
_SEEMING = frozenset({"inductive", "likely", "used"})
_OTHERWISE = regex(
    r"[\s~)]*(?:for|with|in the case|applied to|to be|below|below,"
    r"|für|mit|bei|im Fall|angewandt|angewendet|pour|avec|appliqué)\b"
)
"""Words that may make a use harmless: "By Lemma 2 for $n - 1$" is an induction."""
_LESS = regex(
    r"[\s~)]*(?:\$?_|,? ?(?:applied (?:to|with|in)|for|with|in|to|when|für|pour|appliqué à)\b)"
    r"[^.;:]{0,30}?(?:(?<![A-Za-z])[A-Za-z]\s*-\s*1(?![.\d])"
    r"|\b(?:lower|smaller|fewer|shorter|less[\s~]+than|kleiner\w*+|inférieure?)\b)"
)
"""Shows that the use is of a smaller case."""
_ENDS = regex(
    r"[\s~]*\)?(?:\s*(?:\Z|[.;:!?]|\$\$|\\\[|\\begin|\x04)"
    r"|,(?!\s*(?:which|whose|where|applied|for|with|in|when|but|as|of|if|to|at|on|restricted)\b)"
    r"|[\s~]+(?:and|then|now|so|thus|hence|therefore|we|it|this|these|there|one|the|every|each|any"
    r"|all|both|our|und|dann|gilt|folgt|ist|existiert|gibt|et|on|il)\b|[\s~]+\$(?![_^(\s]))"
)
"""Shows that nothing restricts a use: its clause ends, or continues with the conclusion."""
_STEMS = tuple("nduct ndukt ecurs ekurs écurr escent imult maller revio ounter egenb ontre".split())
_INDUCTIVE = regex(
    r"\b(?:[Ii]nduct(?:ion|ions|ive|ively|ing|s)?|[Ii]ndukti(?:on|v|ve)|[Ii]nduktions\w*+"
    r"|(?:[Bb]y|[Uu]sing|[Dd]urch|[Pp]er)[\s~]+(?:[\w-]+[\s~]+){0,2}[Rr]e[ck]ursion"
    r"|[Rr]e[ck]ursion[\s~]+(?:on|over|über)|(?:[Aa]rgu|[Pp]roceed|[Aa]ppl)\w*[^.]{1,60}?recursively"
    r"(?=[\s~]*[.,;:]|[\s~]+(?:to|on|with|until|for|in|as|over|and)(?!\w))"
    r"|[Rr]ecursive[\s~]+(?:appl|argu|call|step|use)\w*|[Rr]écurrence|[Dd]escent|[Ss]imultaneous(?:ly)?"
    r"|[Ss]maller|[Pp]revious[\s~]+(?:case|step|stage)"
    r"|[Mm]inimal(?:es)?[\s~]+(?:counter-?example|Gegenbeispiel)|contre-exemple[\s~]+minimal)\b"
)
"""Words of a proof whose uses are probably of smaller cases; each contains one of `_STEMS`."""
_DOUBTFUL = regex(
    r"\b(?:[Tt]ogether|[Ll]ower|less[\s~]+than|[Mm]inimal(?:ity)?|[Cc]ounter-?examples?|fails?|false"
    r"|[Rr]e[ck]ursi(?:on|v|ve|vely)|contradiction|contrary|Gegenbeispiel|Widerspruch"
    r"|contre-exemple)\b"
    r"|(?<![A-Za-z])[A-Za-z]\s*-\s*1(?![.\d])"
)
"""Words of a proof whose uses may be of smaller cases, or of mere suppositions."""
_GIVES = regex(
    r"[\s~)]*(?:now |then |also |thus |therefore )?(?:gives?|yields?|implies|imply|shows?|says"
    r"|tells|provides?|applies|asserts|guarantees?|ensures?|allows|lets"
    r"|liefert|ergibt|zeigt|besagt|impliziert|donne|montre|entraîne|implique|assure|affirme)\b"
)
_PLAINLY = regex(
    r"\b(?:[Bb]y|[Ff]rom|[Uu]sing|[Vv]ia|[Aa]pply|[Aa]pplying|[Ii]nvoke|[Ii]nvoking|thanks to"
    r"|due to|because of|in view of|consequence of|corollary (?:of|to)|according to|[Cc]ombining"
    r"|[Nn]ach|[Ww]egen|[Mm]it|[Mm]ittels|[Aa]us|[Dd]ank|[Ll]aut|[Gg]emäß|[Aa]ufgrund(?: von)?"
    r"|[Dd]['\u2019]après|[Gg]râce (?:à|aux?)|[Pp]ar|[Ss]elon|[Vv]ertu d(?:e|u|es)"
    r"|(?:résulte|déduit|conséquence) d(?:e|u|es)|[Aa]ppliquant)"
    r"(?: (?:the|dem|der|le|la|les))?[\s(~]*\Z"
)
_FOOTNOTE = regex(r"\\footnote(?:text)?\s?(?:\[\d{0,4}\])?")
_LEADING_NOWHERE = frozenset({"aside", "notation", "hedged"})
_NEAR = 40
_CONTRARY = regex(r"\bContrary to \(?\Z")
_FAILS = regex(r"\)?, which (?:fails|does not|is (?:false|wrong|not|no longer))\b")
_SAME = regex(
    r"\b(?:equivalent to|(?:special |particular )?cases?(?: \$[^$]{1,20}\$)? of|contained in"
    r"|implied by|follows from) \(?\Z"
)
_ANEW = regex(
    r"\)?(?:,? but|\.|;)(?: here| however,?)? ?(?:[Hh]ere,? |However,? |But )?"
    r"[Ww]e (?:(?:will|shall|now|here) )?(?:(?:prove|show|do) (?:it|this)"
    r" (?:by hand|directly|from scratch|independently|anew|again)"
    r"|give an? (?:direct|independent|self-contained|elementary|different|another|simple)"
    r" (?:proof|argument))"
)
"""Follows a reference that is not used: "but we prove it directly"."""


def before(pieces: list[str]) -> str:
    """The end of the text rendered so far."""
    return "".join(pieces[-6:])[-_LONGEST_WORD:]


def announced(words: str) -> int:
    """How many characters at the end announce a reference: `Lemma~` of `Lemma~\\ref{x}`."""
    end = letters_in_place(words.removesuffix("(").rstrip(" \t\n~")).rstrip(" ")
    match = _WORD_AT_END.search(end, max(0, len(end) - _LONGEST_WORD))
    return len(words) - match.start() if match else 0


def drop(pieces: list[str], count: int) -> None:
    """Remove characters from the end."""
    while count > 0 and pieces:
        last = pieces.pop()
        if len(last) > count:
            pieces.append(last[: len(last) - count])
            return
        count -= len(last)


def complete_mentions(text: str, found: Sequence[Mention]) -> list[Mention]:
    """The mentions of a canonical text with the forms that their sentences give them."""
    forms: dict[str, str] = {}
    for group in _lists(text):
        form = _form(text, group[0].start(), group[-1].end())
        if form in _BEARING and _LESS.match(text, group[-1].end()):
            form = "inductive"
        for mark in group:
            forms[mark[1]] = max(form, forms.get(mark[1], form), key=_STRENGTH.index)
    if not _BEARING.isdisjoint(forms.values()):
        if any(stem in text for stem in _STEMS) and _INDUCTIVE.search(text):
            forms = {m: "inductive" if form in _BEARING else form for m, form in forms.items()}
        elif "used" in forms.values() and _DOUBTFUL.search(text):
            forms = {mark: "likely" if form == "used" else form for mark, form in forms.items()}
    if "\\foot" in text:
        noted = _footnotes(text)
        forms |= {mark: "hedged" for mark in noted if forms[mark] not in _LEADING_NOWHERE}
    return [_in_form(mention, forms.get(str(index), "")) for index, mention in enumerate(found)]


def _footnotes(text: str) -> set[str]:
    """The marks in footnotes, which are asides: nothing depends on them."""
    groups = Groups(text)
    spans = (groups.braces(match.end()) for match in _FOOTNOTE.finditer(text))
    return {mark[1] for span in spans if span for mark in MENTION.finditer(text, *span)}


def _in_form(mention: Mention, form: str) -> Mention:
    is_plain = form in ("", "reference") or (form in _SEEMING and mention.form == "range")
    return mention if is_plain else mention._replace(form=form)


def _lists(text: str) -> Iterator[list[re.Match[str]]]:
    """The marks of a text, grouped by lists: all references of a list are meant alike."""
    listed: list[re.Match[str]] = []
    for mark in MENTION.finditer(text):
        if listed and not _JOINT.fullmatch(text, listed[-1].end(), mark.start()):
            yield listed
            listed = []
        listed.append(mark)
    if listed:
        yield listed


def _form(text: str, start: int, end: int) -> str:
    """How the references between two offsets are meant, without regard to smaller cases."""
    plain = _plain(text, end)
    if _SURE.search(text, max(0, start - _SHORT), start):
        return plain
    if _is_set_aside(text, start, end):
        return "aside"
    words = _before(text[max(0, start - _REACH) : start])
    heads = _heads(words)
    found = next(filter(None, map(_BEFORE.table, heads)), "")
    if found in _SETTLED:
        return _SETTLED[found] or plain
    behind = _Behind(text, end, words)
    if found == "instance" and behind.goes_on_otherwise():
        return "hedged"
    if found in _WEIGHED:
        table, otherwise = _WEIGHED[found]
        weighed = behind.table(table) or otherwise
        if weighed:
            return weighed
    if "in " in heads and (ahead := behind.table(_AHEAD)):
        return ahead
    if "" in heads or any(_SUBJECT.table(head) for head in (words, *heads)):
        return behind.table(_BEHIND) or ("used" if _GIVES.match(text, end) else "reference")
    return plain if _PLAINLY.search(text, max(0, start - _NEAR), start) else "reference"


def _is_set_aside(text: str, start: int, end: int) -> bool:
    """Whether the result referred to fails here, or is said to be proved directly all the same."""
    if _ANEW.match(text, end):
        return _SAME.search(text, max(0, start - _NEAR), start) is not None
    fails = _FAILS.match(text, end)
    return fails is not None and _CONTRARY.search(text, max(0, start - _NEAR), start) is not None


def _plain(text: str, end: int) -> str:
    """The form of a reference that the words before use, according to the words after it."""
    if _OTHERWISE.match(text, end):
        return "reference"
    return "used" if _ENDS.match(text, end) else "likely"


class _Behind:
    """The words after a reference, read lazily."""

    def __init__(self, text: str, end: int, before: str) -> None:
        self._text = text
        self._end = end
        self._before = before

    def table(self, phrases: Phrases) -> str:
        return phrases.table(self._words)

    def goes_on_otherwise(self) -> bool:
        """Whether the sentence ends there, and the next one does not conclude from it."""
        tokens, stop = self._tokens, self._stop
        return (
            stop < 2 and stop + 1 < len(tokens) and not _CONCLUDED.table(_text(tokens[stop + 1 :]))
        )

    @cached_property
    def _tokens(self) -> list[str]:
        return _tokens(self._text[self._end : self._end + _ONWARD])

    @cached_property
    def _stop(self) -> int:
        """The index of the token that ends the sentence, or the number of tokens."""
        found = self._tokens
        return next((place for place in range(len(found)) if _is_stop(found, place)), len(found))

    @cached_property
    def _words(self) -> str:
        found, stop = self._tokens, self._stop
        words = found[: stop + 1]
        if words[:1] == [")"] and self._is_number_in_brackets(words):
            del words[0]
        if words and stop < len(found):
            words[-1:] = [*words[-1].rstrip(".?!").split(), "."]
        return _text(words)

    def _is_number_in_brackets(self, behind: list[str]) -> bool:
        """Whether a bracket after the number only closes the "(" between it and "Lemma"."""
        is_open = self._before.count("(") - self._before.count(")")
        return self._before.startswith("(") or behind.count(")") - behind.count("(") > is_open


def _before(text: str) -> str:
    """The words of a sentence up to a reference, the last one first."""
    sign = "$$" if text.count("$$") % 2 else "$"
    if text.count(sign) % 2:
        text = text.partition(sign)[2]  # it begins inside a formula
    found = _tokens(text)
    start = len(found)
    while start and not _is_stop(found, start - 1):
        start -= 1
    return _text(found[: start - 1 if start else None : -1])


def _heads(words: str) -> tuple[str, ...]:
    """The words before a reference, without those that only say which part of it is meant."""
    words = _without_detail(words.removeprefix("( "))
    whole = _PART.beyond(words)
    return (words,) if whole is None else (words, _without_detail(whole))


def _without_detail(words: str) -> str:
    while (beyond := _DETAIL.beyond(words)) is not None:
        words = beyond
    return words


def _tokens(text: str) -> list[str]:
    """The words and signs of a piece of canonical text; `@` is a reference, `$` a formula."""
    return [_SHORT_FOR.get(token[0], token) for token in _TOKEN.findall(text)]


def _is_stop(tokens: list[str], place: int) -> bool:
    """Whether a sentence ends with a token."""
    token = tokens[place]
    if token[-1] not in ".?!":
        return False
    following = tokens[place + 1] if place + 1 < len(tokens) else "@"
    begins = following[0].isupper() or following[0] in "@$(\\"
    word = token.rstrip(".")
    return begins and word.lower() not in _SHORTENED and not ABBREVIATION.search(word)


def _text(tokens: list[str]) -> str:
    words = [token.lower().rstrip(".") or token for token in tokens if token != "\\"]
    return "".join([f"{word} " for word in words]).replace("\u2019", "'")
