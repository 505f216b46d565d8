"""The symbols that a sentence introduces in words: "let $G$ be", "we write $e$ for the unit".

Formulas by themselves are read in `formula_keys`. The words are in `introducing_words.toml`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.definienda import introduced_terms
from pfcore.latex.language.formula_keys import (
    ARGUMENTS,
    DESCRIBES,
    EQUATES,
    FENCED,
    MENTIONS,
    NAMES,
    RELATION,
    STATES,
    SUPPOSES,
    TAKES,
    applied_and_set,
    fence_key,
    is_sign,
    keys_alone,
    keys_of_formula,
    may_set,
    only_says,
    sign_between,
)
from pfcore.latex.language.notation import (
    FencedFormula,
    applied_in,
    decorated_in,
    formulas,
    head_of,
    is_letter,
    is_plain,
    rare_keys,
    symbols_in,
)
from pfcore.latex.language.phrases import WordTable, has_phrase, introducing, sought, spaced

_NEAR = 90
_MOST_WORDS = 8
_ON = "on"
_STOPS = regex(r"[.;:()\\{}\[\]]")
_JOINT = regex(r"[\s~]*,?[\s~]*(?:(?:and|or|und|oder|et|ou|with|resp\.?)[\s~]*)?\Z")
_MARKED_BEFORE = regex(
    r"\\(?:emph|text(?:it|bf|sl|sc|sf)|underline|defn|dfn|define|term)\s*\{[^{}]{2,80}\}[\s~]*\Z"
    r"|\{\s*\\(?:em|it|bf|sl)(?![A-Za-z])[^{}]{2,80}\}[\s~]*\Z"
)
_MARKED_SUBJECT = regex(
    r"(?:\A|[,.;:(]|\x05)\s*(?P<article>[^\W\d_]{2,3})[\s~]+(?:\\(?:emph|text(?:it|bf|sl|sc|sf)|underline"
    r"|defn|dfn|define|term|intro)\s*\{|\{\s*\\(?:em|it|bf|sl)(?![A-Za-z]))[^{}.;:]{2,80}\}[^.;:]*\Z"
)
"""A subject with a marked noun at the beginning of its clause, up to the end of the text."""
_LEADING_TITLE = regex(r"\A\s*\([^()]{0,80}\)\s*(?:\x04\d+\x05)?")
_DISPLAYED = frozenset(["$$", "\\[", "\\b"])


@cache
def _table() -> WordTable:
    roles = ("take", "name", "by", "means", "is", "where", "each")
    return WordTable({role: introducing()[role] for role in roles})


def introduced_symbols(
    sentence: str, *, is_aside: bool = False, is_definition: bool = False
) -> Iterator[tuple[str, int]]:
    """The keys of the symbols that a sentence introduces, each with its strength."""
    return _Symbols(sentence, is_aside=is_aside, is_definition=is_definition).found()


class _Symbols:
    """Finds the symbols that one sentence introduces."""

    def __init__(self, sentence: str, *, is_aside: bool, is_definition: bool) -> None:
        self._sentence = sentence
        self._is_aside = is_aside
        self._is_definition = is_definition
        self._formulas = formulas(sentence)
        self._low = f" {spaced(sentence.lower().replace('(', ' '))}"
        self._roles: dict[str, bool] = {}
        self._words_before: dict[int, list[str]] = {}
        self._is_naming = self._has("naming")

    def _has(self, role: str) -> bool:
        if role not in self._roles:
            self._roles[role] = has_phrase(self._low, role)
        return self._roles[role]

    def found(self) -> Iterator[tuple[str, int]]:
        """The keys with their strengths, in the order of the text."""
        if not self._formulas:
            return
        is_hypothesis = self._has("suppose")
        is_early = len(self._sentence[: self._formulas[0].start].split()) <= _MOST_BEFORE
        varying: set[str] = set()
        kept: list[tuple[str, int]] = []
        is_leading, has_taken, is_named = True, False, False
        amounts: list[tuple[str, int]] = []
        for first, last in self._groups():
            before = self._before(first)
            goes_on = has_taken and self._goes_on(first, last, before)
            strength, is_wide = self._how(first, last, before, goes_on=goes_on)
            if is_named and strength < NAMES and self._goes_on_naming(first, last, before):
                strength = NAMES
            is_named = strength == NAMES or (is_named and _only_ranges(before))
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
        yield from self._free(kept, varying)
        for key in rare_keys(self._sentence):
            yield key, MENTIONS

    def _free(
        self, kept: Iterable[tuple[str, int]], varying: Collection[str]
    ) -> Iterator[tuple[str, int]]:
        """The keys that the sentence introduces for others, not just for itself or an example."""
        start = _MARKED_START.sub(" ", self._low)
        is_example = start.startswith(sought("opens_example"))
        least = NAMES if start.lstrip().startswith(_whole("elsewhere")) else MENTIONS
        for key, strength in kept:
            is_free = strength > SUPPOSES or (key not in varying and not _tells_less(key, strength))
            if (
                is_free
                and strength >= least
                and not (is_example and is_plain(key.removesuffix("(")))
            ):
                yield key, strength

    def _how(self, first: int, last: int, before: list[str], *, goes_on: bool) -> tuple[int, bool]:
        """How strongly formulas are introduced, and whether their whole left sides are."""
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
            and self._sign(first)
        ):
            strength = NAMES
        if strength in (DESCRIBES, MENTIONS) and self._is_said(first, last, after):
            strength = EQUATES
        if strength < NAMES and first == last and self._is_listed(first):
            strength = NAMES
        if strength == NAMES and (
            self._is_named_behind(last, before) or self._is_one_like(first, before)
        ):
            strength = MENTIONS
        is_part = self._sentence[self._formulas[last].end :][:1] == "-"  # "fix a $k$-algebra"
        if strength == TAKES and (self._is_aside or (is_part and not goes_on)):
            return MENTIONS, False
        return strength, is_wide

    def _is_listed(self, number: int) -> bool:
        r"""Whether a formula heads a row or an item: "$G$ & a group", `\item[$G$] a group`."""
        start, end = self._formulas[number].start, self._formulas[number].end
        before = self._sentence[max(0, start - 12) : start].rstrip()
        if not before:
            return _CELL_BEHIND.match(self._sentence, end) is not None
        return (
            before.endswith("[")
            and _ITEM_BEHIND.match(self._sentence, end) is not None
            and (before[:-1].rstrip().endswith("\\item"))
        )

    def _is_named_behind(self, last: int, before: Sequence[str]) -> bool:
        """Whether the formula is part of what gets a name: "denote a class in $P$ by $C_x$"."""
        if last + 1 == len(self._formulas) or before[-1:] == [] or not self._is_naming:
            return False
        if any(role == "by" and not distance for role, distance in _table().behind(before)):
            return False
        following = self._before(last + 1)
        is_by = any(role == "by" and not far for role, far in _table().behind(following))
        is_inner = not introducing()["of"].keys().isdisjoint(before)
        return is_by and is_inner and len(following) < _MOST_WORDS

    def _is_said(self, first: int, last: int, after: list[str]) -> bool:
        """Whether a clause or an apposition identifies a symbol, or an article precedes its noun.

        "where $e$ is the unit", "a counter, $p_0$, the number of steps", "a sequence $(U_i)$".
        """
        start, end = self._formulas[first].start, self._formulas[last].end
        definite = introducing()["definite"]
        is_copula = not _COPULAS.isdisjoint(after[:1])
        is_definite = _is_definite(after[1:2] if is_copula else after[:1])
        is_told = False
        if is_definite and (is_copula or first):
            opening = _CLAUSE_START.search(self._sentence, max(0, start - _NEAR), start)
            is_told = opening is not None and (is_copula or opening["part"] is not None)
        body = self._formulas[first].body
        if not is_told and first == last and _APPOSED.match(self._sentence, end):
            word = self._sentence[end:].lstrip(" ,~").split(" ", 1)[0].lower()
            is_told = word in definite
        elif not is_told and first == last and _ONE_SYMBOL.fullmatch(body):
            is_told = self._is_taken(first)
        symbol = next(iter(symbols_in(body)), None) if is_told else None
        return symbol is not None and not is_plain(symbol.keys[0])

    def _is_taken(self, number: int) -> bool:
        """Whether an indefinite article and a noun are right before a formula."""
        start = self._formulas[number].start
        words = _NO_WORD.split(self._sentence[max(0, start - _NEAR) : start])[-1].lower()
        listed = words.replace("~", " ").split()[-_MOST_BEFORE_NOUN:]
        if not listed or listed[-1] in introducing()["of"]:
            return False
        return not introducing()["indefinite"].keys().isdisjoint(listed[:-1])

    @staticmethod
    def _is_the(before: list[str], after: list[str]) -> bool:
        """Whether a clause of a definition begins with a symbol and identifies it."""
        is_clause = not before or (len(before) == 1 and before[0] in introducing()["then"])
        return is_clause and len(after) > 1 and after[1] in introducing()["definite"]

    def _behind_words(self, first: int, last: int, strength: int) -> Iterator[tuple[str, int]]:
        """The keys of a formula right after its name, or identified as one certain thing."""
        if self._is_definition and self._is_apposed(first):
            yield from self._apposed(first)
        elif first == last and self._is_marked(first) and self._is_defining(first):
            for key, how in self._keys(first, first, NAMES, is_wide=False):
                is_letter_alone = is_plain(key) and not is_sign(key)
                yield key, EQUATES if is_letter_alone and how == NAMES else how
        if self._is_definition and first == last and self._has_form(first):
            fence = fence_key(self._formulas[first].body.rstrip(" ,.;"), NAMES)
            yield from (fence,) if fence else ()
        if first == last and self._is_the_one(first, strength):
            yield from self._applied(first)
            fence = fence_key(self._formulas[first].body, NAMES)
            yield from (fence,) if fence else ()

    def _is_defining(self, number: int) -> bool:
        """Whether a sentence defines a term, or says what a symbol after one is."""
        if introduced_terms(self._sentence):
            return True
        start, end = self._formulas[number].start, self._formulas[number].end
        if self._is_taken_and_marked(start):
            return True
        marked = _MARKED_SUBJECT.search(self._sentence, max(0, start - _NEAR), start)
        is_subject = marked is not None and marked["article"].lower() in introducing()["definite"]
        return is_subject and not _COPULAS.isdisjoint(self._sentence[end:].split())

    def _is_taken_and_marked(self, end: int) -> bool:
        r"""Whether a marked noun with an indefinite article ends here: "has a \emph{type} "."""
        marked = _MARKED_BEFORE.search(self._sentence, max(0, end - _NEAR), end)
        before = self._sentence[: marked.start()].replace("~", " ").split() if marked else []
        return before[-1:] != [] and before[-1].lower() in introducing()["indefinite"]

    def _has_form(self, number: int) -> bool:
        """Whether a formula follows "of the form" in a definition."""
        before = self._sentence[: self._formulas[number].start]
        return _OF_THE_FORM.search(before) is not None

    def _is_marked(self, number: int) -> bool:
        """Whether a formula is right after a marked term."""
        end = self._formulas[number].start
        marked = _MARKED_BEFORE.search(self._sentence, max(0, end - _NEAR), end)
        return marked is not None and not marked[0].rstrip("}~ \n").endswith(":")

    def _is_apposed(self, first: int) -> bool:
        r"""Whether a formula follows a marked term, or the subject: "The sum $s\oplus t$"."""
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
            if how == NAMES and (not is_plain(key) or is_sign(key)):
                yield key, how

    def _sign(self, number: int) -> str:
        """The key of the sign between two things, if the formula is about it; else ""."""
        body = self._formulas[number].body
        return sign_between(body, list(symbols_in(body)))

    def _is_one_like(self, number: int, before: Sequence[str]) -> bool:
        r"""Whether a common sign only describes one thing: "a functor $F\cong G$"."""
        is_noun = before[-1:] != [] and before[-1] not in introducing()["relating"]
        return is_noun and only_says(self._sign(number)) and self._is_taken(number)

    def _equated(self, first: int, last: int, how: int) -> Iterator[tuple[str, int]]:
        """The keys of symbols alone left of "=", or with the type of a map."""
        is_such = self._is_each(first) or self._before(first)[-1:] == ["which"]
        if self._is_definition and how < NAMES and is_such:
            return
        is_taken = self._is_aside and self._strength(self._before(first), [])[0] == TAKES
        if how == EQUATES and (self._is_given(first) or self._is_of_marked(first)):
            how = NAMES
        is_one = how == EQUATES and first == last and self._is_certain(last)
        for formula in self._formulas[first : last + 1]:
            is_display = self._sentence[formula.start : formula.start + 2] in _DISPLAYED
            found = keys_alone(
                formula.body,
                is_plain_enough=is_display or is_taken or self._is_noun_of(formula),
                is_definition=self._is_definition,
                is_display=is_display,
            )
            for key in found:
                if self._is_definition and how == EQUATES and is_plain(key) and not is_display:
                    continue  # a letter that only the definition uses
                is_relation = is_display and is_plain(key) and is_sign(key)
                is_stated = self._is_definition and (is_relation or not is_plain(key))
                is_stated &= is_display or not is_plain(key.removesuffix("("))
                is_named = is_one and not is_plain(head_of(key))
                yield key, STATES if is_stated else NAMES if is_named else how

    def _is_certain(self, number: int) -> bool:
        """Whether the words right after a formula identify it: "is the space of"."""
        after = self._after(number)
        return not _COPULAS.isdisjoint(after[:1]) and _is_definite(after[1:2])

    def _is_of_marked(self, first: int) -> bool:
        r"""Whether a formula defines a marked term: "The \emph{ball} around $x$ is $B_x=$"."""
        start = self._formulas[first].start
        before = self._sentence[max(0, start - 2 * _NEAR) : start]
        marked = _MARKED_SUBJECT.search(before)
        if marked is None or marked["article"].lower() not in introducing()["definite"]:
            return False
        is_value = self._before(first)[-1:] != [] and self._before(first)[-1] in _COPULAS
        return is_value or _GIVEN_BY.search(before) is not None

    def _is_each(self, first: int) -> bool:
        """Whether formulas are about an arbitrary object: "for every adversary $A=(A_n)_n$"."""
        roles = _table().behind(self._before(first))
        return any(role == "each" and distance < _MOST_BEFORE_NOUN for role, distance in roles)

    def _is_given(self, first: int) -> bool:
        """Whether words such as "given by" lead to a display, which defines its left side."""
        start = self._formulas[first].start
        if self._sentence[start : start + 2] not in _DISPLAYED:
            return False
        return _GIVEN_BY.search(self._sentence, max(0, start - _NEAR), start) is not None

    def _is_the_one(self, number: int, strength: int) -> bool:
        r"""Whether a formula is identified as a certain thing: "let $\sigma(G)$ be the number of".

        Also if it follows its noun: "the value $g(n)$ of a position is the least number".
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
        """Whether an article and a noun are right before a formula: "The image $L=f(K)$"."""
        is_set = _SET_TO_WORDS.search(formula.body) is not None
        return is_set and self._noun_before(formula) not in {"", *introducing()["equality"]}

    def _noun_before(self, formula: FencedFormula) -> str:
        """The noun right before a formula, if an article precedes it; else ""."""
        before = self._sentence[max(0, formula.start - _NEAR) : formula.start]
        words = _NO_WORD.split(before)[-1].lower().replace("~", " ").split()[-_MOST_BEFORE_NOUN:]
        has_article = not introducing()["article"].keys().isdisjoint(words[:-1])
        return words[-1] if has_article else ""

    def _goes_on(self, first: int, last: int, before: list[str]) -> bool:
        """Whether a list of taken objects continues: ", $V$ a vector space and $f$ a map".

        A plural has no article: ", $M,N$ modules".
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

    def _goes_on_naming(self, first: int, last: int, before: Sequence[str]) -> bool:
        """Whether naming continues: "set $a_n=1$ for $n>1$ and $b_n=2$", "and the sum as".

        Each of its formulas sets a symbol that is not a plain letter, so none is a condition.
        """
        is_joined = not before or before[0] in introducing()["joining"]
        is_joined = is_joined and (len(before) < 2 or before[-1] in introducing()["named_as"])
        return is_joined and all(
            any(not is_plain(key) for key in self._sets(formula))
            for formula in self._formulas[first : last + 1]
        )

    def _sets(self, formula: FencedFormula) -> Iterator[str]:
        return keys_alone(formula.body, is_plain_enough=False, is_definition=False)

    def _less(
        self, first: int, last: int, strength: int, *, is_wide: bool, is_let: bool
    ) -> Iterator[tuple[str, int]]:
        """The keys that formulas introduce if these depend on others: "for each $x$ let $Z$ be"."""
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
        """A letter that describes a taken object: "a curve of genus $g$", "a field $k$".

        Also a letter that is joined to such a one: "with $n$ vertices and $m$ edges".
        """
        body = self._formulas[number].body
        use = next(iter(symbols_in(body)), None)
        if self._is_definition or self._is_aside or use is None or not is_letter(use.keys[0]):
            return []
        rest = body[use.end :].strip()
        if body[: use.start].strip() or (
            rest and (RELATION.match(rest) is None or len(rest) > _SHORT_BOUND)
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
            if strength or may_set(formula.body):
                found = keys_of_formula(formula, strength, is_wide=is_wide)
                yield from (item for item in found if item[0] not in ranging)
            is_display = self._sentence[formula.start : formula.start + 2] in _DISPLAYED
            if is_display and may_set(formula.body):
                yield from applied_and_set(formula.body)
        if strength == NAMES and first == last:
            yield from self._shapes(first)
        if strength == TAKES and self._is_definition:
            yield from self._let(first, last)

    def _letters_before(self, first: int) -> Collection[str]:
        r"""Letters that range over a set in earlier formulas: "for $x\in X$ we write $xRy$ if"."""
        found: list[str] = []
        for formula in self._formulas[:first]:
            use = next(iter(symbols_in(formula.body)), None)
            if use and is_plain(use.keys[0]) and _RANGES.match(formula.body, use.end):
                found.append(use.keys[0])
        return found

    def _let(self, first: int, last: int) -> Iterator[tuple[str, int]]:
        r"""The keys that "let" identifies in a definition: "let $\mathcal{Q}$ be the class"."""
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
        r"""The key of a shape for any such letter: "write $M^\vee$ for that of a module $M$"."""
        body = self._formulas[number].body
        yield from self._applied(number)
        use = next(decorated_in(body), None)
        rest = body[use.end :].strip() if use else ""
        is_set = not rest or rest.startswith(("=", ":=")) or _IS_MAP.match(rest) is not None
        if use is None or body[: use.start].strip() or not is_set:
            return
        letter = _BARE.sub("", use.keys[1])
        for index, formula in enumerate(self._formulas):
            words = self._before(index)
            told = _OF_ONE_LETTER.fullmatch(formula.body)
            if index == number or told is None or _BARE.sub("", f"#{told['letter']}") != letter:
                continue
            is_each = words[-1:] != [] and words[-1] in introducing()["any_one"]
            if _is_any(words) or (told["rest"] and is_each):
                yield use.keys[0], NAMES
                return

    def _applied(self, number: int) -> Iterator[tuple[str, int]]:
        r"""A letter with arguments that words explain: "write $\nu(n)$ for the number of"."""
        body, end = self._formulas[number].body, self._formulas[number].end
        use = next(applied_in(body), None)
        if use is None or body[: use.start].strip() or not body[use.end :].lstrip().startswith("("):
            return
        arguments = ARGUMENTS.match(body, use.end)
        is_all = arguments is not None and not body[arguments.end() :].strip()
        if not is_all or not introducing()["possible"].keys().isdisjoint(self._before(number)):
            return
        following = self._formulas[number + 1].start if number + 1 < len(self._formulas) else None
        if len(self._sentence[end:following].split()) > 2:
            yield use.keys[0], NAMES

    def _groups(self) -> Iterator[tuple[int, int]]:
        """Runs of formulas that only "and" or a comma parts, as first and last index."""
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
        r"""Whether a formula is only a range: "For $x\in X$, $f(x)$ is"."""
        is_parted = behind.strip() == "," or any(self._sets(self._formulas[number + 1]))
        if not is_parted or _ELEMENT.search(self._formulas[number].body) is None:
            return False
        return self._before(number)[-1:] != [] and self._before(number)[-1] in introducing()["for"]

    def _before(self, first: int) -> list[str]:
        """The last words before a formula, back to another formula or a stop."""
        known = self._words_before.get(first)
        if known is not None:
            return known
        start = self._formulas[first].start
        lower = max(0, start - _NEAR, self._formulas[first - 1].end if first else 0)
        if first and self._is_number_of(first - 1, start):
            return self._before(first - 1)
        words = self._sentence[lower:start]
        if self._sentence[start : start + 2] in _DISPLAYED:
            words = words.rstrip(" ~:")
        *others, piece = _STOPS.split(words)
        listed = piece.lower().replace("~", " ").replace(",", " ").split()[-_MOST_WORDS:]
        if first and not others and listed and listed[0] in introducing()["article"]:
            listed = [*self._before_range(first - 1), *listed][-_MOST_WORDS:]
        self._words_before[first] = listed
        return listed

    def _before_range(self, number: int) -> list[str]:
        """The words before those that say for which objects something is named.

        These are "we define" in "we define, for any $x$, the set".
        """
        before = self._before(number)
        place = max((n for n, word in enumerate(before) if word in introducing()["for"]), default=0)
        return before[:place] if len(before) - place <= _MOST_BEFORE_NOUN else []

    def _is_number_of(self, number: int, end: int) -> bool:
        """Whether a letter is only a number of things: "define $k$ random variables $S_j$"."""
        formula = self._formulas[number]
        is_letter_alone = len(formula.body.strip()) == 1
        return is_letter_alone and _MANY.fullmatch(self._sentence, formula.end, end) is not None

    def _after(self, last: int) -> list[str]:
        end = self._formulas[last].end
        words = self._sentence[end : end + 40].lower().replace("~", " ").replace(",", " ").split()
        return [word.rstrip(".;:)") or word for word in words[:4]]

    def _strength(self, before: list[str], after: list[str]) -> tuple[int, bool]:
        """How strongly words introduce the formula between them; whether its whole left side."""
        table = _table()
        ahead = {role for role, _ in table.ahead(after)}
        last = before[-1] if before else ""
        is_less = last in introducing()["of"] or last in introducing()["for"]
        if _tells_nothing(after):
            return MENTIONS, False
        if "means" in ahead and not (is_less and not _is_onward(before)):
            return NAMES, False
        is_where = False
        is_described = "is" in ahead
        is_relative = last in introducing()["relative"]
        is_of = is_relative or self._is_of(last)
        for role, distance in table.behind(before):
            if before[-1 - distance] == "use" and not _is_purpose(after) and not self._is_naming:
                continue  # a symbol that is only used is introduced elsewhere
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
        if is_described and is_where:  # a definition explains symbols for itself
            return (EQUATES if self._is_definition else NAMES), False
        is_for = after[1:2] != [] and after[0] in introducing()["for"] and after[1][0] not in "$\\"
        if is_for and self._has("name") and " ".join(after[:2]) not in introducing()["for_which"]:
            return NAMES, False
        return (DESCRIBES if is_described else MENTIONS), False

    def _is_of(self, word: str) -> bool:
        """Whether a word before a formula, such as "of", makes something else the subject."""
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
        """Where clauses may end after an offset, outside formulas."""
        for stop in _CLAUSE_END.finditer(self._sentence, start):
            if not any(one.start <= stop.start() < one.end for one in self._formulas):
                yield stop.start()

    def _ranging(self, first: int, last: int, before: list[str]) -> Iterator[str]:
        """The keys of formulas with "for all" or the like right before them, or their noun."""
        if any(role == "each" and distance < 3 for role, distance in _table().behind(before)):
            yield from (key for key, _ in self._keys(first, last, TAKES, is_wide=True))


def _tells_less(key: str, strength: int) -> bool:
    """Whether a norm is only the object of a supposition, which does not say which norm it is."""
    return strength == SUPPOSES and key.startswith(FENCED)


def _tells_nothing(after: Sequence[str]) -> bool:
    """Whether words after a symbol give it no meaning: "we now consider $G$ more closely".

    Also words that only say where it gets one: "$G$ is given in (3)".
    """
    is_nothing = after[1:2] != [] and after[1] in introducing()["no_meaning"]
    given, mark, _ = " ".join(after[1:]).partition(" \x02")
    is_nothing |= mark != "" and given in introducing()["given_at"]
    return is_nothing or f"{' '.join(after)} ".startswith(_whole("closer"))


def _only_ranges(before: Sequence[str]) -> bool:
    """Whether words only restrict what follows: "for", "if", "and for all"."""
    return len(before) <= _MOST_BEFORE_AMOUNT and not introducing()["for"].keys().isdisjoint(before)


@cache
def _whole(role: str) -> tuple[str, ...]:
    """The phrases of a role with the end of their last word."""
    return tuple(f"{phrase} " for phrase in introducing()[role])


def _is_onward(before: Sequence[str]) -> bool:
    """Whether words end with "from now on", where "on" is not a preposition."""
    return before[-1] == _ON and any(
        role == "where" and not distance for role, distance in _table().behind(before)
    )


_CELL_BEHIND = regex(r"\s*(?:&|[~\s]*(?::|-{2,3}|\u2013|\u2014)[\s~])\s*[^\W\d_]{2}")
_ITEM_BEHIND = regex(r"\s*\][\s:~-]*(?:(?:is|are|an?|the)\s|[^\W\d_]{2})")
_RANGES = regex(r"\s*\\in(?![A-Za-z])")
_ELEMENT = regex(r"\\in(?![A-Za-z])|[<>]|\\[lg]eq?(?![A-Za-z])")
_MANY = regex(r"[\s~]+(?:[a-z][\w-]*[\s~]+){0,4}(?!(?:is|was|as|has|this)\s)[a-z][\w-]*s[\s~]+")
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
_OF_ONE_LETTER = regex(
    r"\s*(?P<letter>\\?[A-Za-z]+)\s*(?P<rest>(?:(?:[<>:]|\\(?:in|ne|neq|ge|geq|le|leq|subset|colon)(?![A-Za-z]))"
    r"[^=]{1,60})?)"
)
_IS_MAP = regex(r"(?::|\\colon(?![A-Za-z]))[^=]{1,60}\\(?:to|(?:long)?rightarrow)(?![A-Za-z])")
_BARE = regex(
    r"\\(?:widetilde|widehat|overline|underline|tilde|hat|bar|vec|d?dot|check|breve"
    r"|acute|grave|mathring|overrightarrow)(?![A-Za-z])|[\s{}]|'+|\^.*"
)
"""The parts of a decorated letter that are not the letter: its accent and what follows it."""


def _is_any(words: Sequence[str]) -> bool:
    """Whether words before a letter say that it is arbitrary: "of a module"."""
    for word in reversed(words[:-1]):
        if word in introducing()["any_one"]:
            return True
        if word in introducing()["of"] or word in introducing()["definite"]:
            return False
    return False


_MOST_BEFORE = 14
"""The most words before the first formula of a sentence that takes its symbols for what follows."""
_MOST_BEFORE_AMOUNT = 3
_SHORT_BOUND = 16
_NOUN = regex(r"-?(?:\$[^$\s]{1,20}\$-)?[^\W\d_]{3,}[\w-]*")
_MOST_BEFORE_NOUN = 4
_CLAUSES = frozenset(["where", "wobei", "où"])


def _is_definite(words: Sequence[str]) -> bool:
    """Whether some words begin with a definite article."""
    article = "".join(words[:1])
    return article in introducing()["definite"] or article.startswith(("l'", "l\u2019"))


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
"""A symbol and what it equals, unless that is a mere number."""
_CLAUSE_END = regex(r"[,.;:]")


def _is_purpose(after: Sequence[str]) -> bool:
    """Whether words say what a symbol is used for: "for the unit", "to denote the unit"."""
    return bool(after) and (after[0] in introducing()["for"] or after[0] in ("to", "as"))


def _is_less(before: Sequence[str], distance: int) -> bool:
    """Whether nothing is really taken: "we can choose", "if we take", "take care that"."""
    place = len(before) - 1 - distance
    if before[place] in introducing()["surely"]:
        return False
    is_possible = not introducing()["possible"].keys().isdisjoint(before[max(0, place - 3) : place])
    return is_possible or not introducing()["clause"].keys().isdisjoint(before[place + 1 :])


def _is_no_naming(before: Sequence[str], distance: int) -> bool:
    """Whether words name nothing here: they are a noun, "the set", or name something only later."""
    place = len(before) - 1 - distance
    if not place and distance + 1 == _MOST_WORDS and before[place] == "set":
        return True  # "the power set of the set of"
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
    """Whether words of naming give no meaning to the formula after them."""
    is_placed = distance > 0 and _is_placed(before, distance)
    return is_placed or _is_no_naming(before, distance) or _is_only_written(before, distance, after)


def _is_placed(before: Sequence[str], distance: int) -> bool:
    """Whether words after one that names say where: "define a norm on ideals $I$"."""
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
    """Whether something can be written in a way, but is not so named: "we can write $x=a+b$"."""
    place = len(before) - 1 - distance
    is_possible = not introducing()["possible"].keys().isdisjoint(before[max(0, place - 2) : place])
    return before[place] == "write" and is_possible and not _is_purpose(after)
