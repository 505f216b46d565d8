r"""Which symbols a text binds itself, and which of some keys it uses without binding: its needs.

A text binds the symbols that it takes ("let $G$ be"), quantifies over ("every $x$", "a group
$G$") or sets (`x:=1`), and the variables of its formulas.
"""

import re
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, lru_cache
from itertools import chain

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.formula_keys import TAKES, keys_of_formula
from pfcore.latex.language.introductions import POINTED, assumption_names, points, set_ups
from pfcore.latex.language.notation import (
    ARROW,
    SHAPED,
    FencedFormula,
    applied_in,
    decorated_in,
    fences_in,
    formulas,
    head_of,
    is_plain,
    joined_formulas,
    keys_of_uses,
    script_letters,
    script_symbols,
    symbols_in,
)
from pfcore.latex.language.procedures import PROCEDURE, STEPPED, used_names, uses_procedure
from pfcore.latex.language.terms import words_of_prose
from pfcore.latex.lexer.leftover_code import with_formulas
from pfcore.latex.lexer.letters import with_letters

WORDS = "binding_words"
_MOST_NOUNS = 6
_NEAR = 200
_STOP = regex(r"[.;:()\\,{}\x03\x05]")
_JOINT = regex(r"\s*,\s*|,?\s+(?:and|or|und|oder|et|ou)\s+")
_LONGEST_JOINT = 12
_MOST_JOINED = 7
_IS_ONE = regex(
    r"[\s~]+(?:is|are|be|ist|sind|est|sont|ein|eine)[\s~]+(?:an?|ein|eine|une?|two|des)?(?!\w)"
)
_SETS = regex(r":\s*=|\\coloneqq?(?![A-Za-z])|\\triangleq(?![A-Za-z])")
_LETTER = r"(?:[A-Za-z]|\\[A-Za-z]++)"
_MORE = r"(?:\s*,\s*[A-Za-z](?![A-Za-z]))*+"
_INDEX = r"_(?:\{[^{}]{1,12}\}|\w)"
_NAMED = rf"({_LETTER}(?:{_INDEX})?+{_MORE})"
_BELOW = (
    r"\\(?:sum|prod|coprod|bigcup|bigcap|bigoplus|bigotimes|lim(?:sup|inf)?|sup|inf|max|min|bigvee"
    r"|bigwedge)(?:\\limits)?\s*(?:\^(?:\{[^{}]{0,20}\}|\w)\s*)?_\s*\{?"
)
_SUCH_THAT = r"\s*(?::(?!\s*=)|\||\\(?:mid|colon)(?![A-Za-z]))"
_VARIABLES = regex(
    rf"(?:\\(?:forall|exists)\s*\{{?|{_BELOW}|(?<![\\A-Za-z])d\s?|\\mathrm\s*\{{?d\}}?\s?|\\,d)"
    + _NAMED
)
_ELEMENT = regex(rf"\\\{{\s*\(?\s*({_LETTER}(?:{_INDEX}(?!{_SUCH_THAT}))?+{_MORE})(?!\s*[(_])")
_RANGE = regex(
    r"\\\{(?:_\{[^{}]{0,12}\}|[^{}\\:|]|\\(?!mid|colon)[A-Za-z,;! ]){1,60}+"
    rf"{_SUCH_THAT}\s*{_NAMED}\s*(?:[<>=]|\\(?:in|le|ge|leq|geq|neq?|subset|subseteq)(?![A-Za-z]))"
)
_MAPPED = regex(
    r"([A-Za-z]|\\[A-Za-z]+)(?:_(?:\{[^{}]{1,12}\}|\w))?\s*\\(?:longmapsto|mapsto)(?![A-Za-z])"
)
_RELATES = regex(
    r"[=<>]|(?<!\\):|\\(?:in|ni|notin|leq?|geq?|leqslant|geqslant|neq?|subset(?:eq)?|supset(?:eq)?|to|colon"
    r"|sim|simeq|cong|equiv|approx|ll|gg|mid|preceq?|succeq?|lesssim|gtrsim)(?![A-Za-z])"
)
_CONDITION = regex(
    r"[<>]|=\s*[-+]?(?:\d|\\infty|\\emptyset|\\varnothing)|\\(?:leq?|geq?|leqslant|geqslant|neq?|ll|gg"
    r"|lesssim|gtrsim|preceq?|succeq?)(?![A-Za-z])"
)
_LETTERS = regex(r"\\[A-Za-z]+|[A-Za-z]")
_OPERATES = regex(r"\S\s*(?:[-+*/]|\\(?:cdot|times|oplus|otimes|circ|cap|cup)(?![A-Za-z]))")
_RELATED = regex(r"[=<>]|\\(?:in|le|ge|leq|geq|neq?|subset|to)(?![A-Za-z])")


_BEHIND = regex(r"[:=<>]|\\(?:colon|in|le|ge|leq|geq|neq?|subset|to)(?![A-Za-z])")


@cache
def _lists() -> Mapping[str, Mapping[str, str]]:
    """The words of all languages by their roles."""
    from pfcore.latex.language.phrases import phrases_of  # late: only for a text that is new

    return phrases_of(WORDS)


@cache
def _borrowed() -> re.Pattern[str]:
    """Words that say that symbols keep their meaning: " be as above"."""
    words = (phrase.replace(" ", r"[\s~]+") for phrase in _lists()["borrowed"])
    return re.compile(rf"[\s~,]*(?:{'|'.join(words)})(?!\w)", re.IGNORECASE)


def bound(text: str) -> frozenset[str]:
    """The keys of the symbols that a canonical text binds."""
    fenced = formulas(text)
    return frozenset([*_bound_by_words(text, fenced), *_bound_in_formulas(text, fenced)])


def _bound_by_words(text: str, fenced: Sequence[FencedFormula]) -> Iterator[str]:
    """The keys of the symbols that words before formulas take, name or quantify over."""
    inline = [formula for formula in fenced if text[formula.start : formula.start + 2] != "$$"]
    end = last = 0
    how, is_joined = "", False
    lists = _lists()
    for number, formula in enumerate(inline):
        if text[formula.start] != "$":
            end = formula.end
            continue
        if number >= last:
            is_next = number == last > 0 and not _STOP.search(text, end, formula.start)
            last = _end_of_list(text, inline, number)
            words, of_all = _words_before(text, end, formula.start), how if is_next else ""
            behind = inline[last - 1].end
            how = _taken_by(words, text[behind : behind + 1])
            is_joined = not how and of_all in lists["one_of_all"] and _is_joined(words)
            how = of_all if is_joined else how
            if how and _borrowed().match(text, behind):
                how = ""
            if not how and words and words[-1] in lists["supposing"]:
                how = words[-1] if _IS_ONE.match(text, behind) else ""
            known: set[str] = set()
            between = ""
        else:
            between = text[inline[number - 1].end : formula.start].strip()
        if how and not _is_of_family(words, formula.body):
            if _says(text, formula, known, how=how, is_comma=between == ","):
                how = ""  # the list has ended with it
            else:
                taken = tuple(_taken_first(formula) if is_joined else _taken(formula))
                known.update(taken)
                yield from taken
        elif words and words[-1] in lists["ranging"] and _RELATED.search(formula.body):
            yield from (key for key in _taken(formula) if is_plain(head_of(key)))
            words = []
        end = formula.end


def _is_joined(words: Sequence[str]) -> bool:
    """Whether words name another kind of object after the previous one: "and morphism"."""
    lists = _lists()
    is_noun = 2 <= len(words) <= _MOST_NOUNS and lists["parting"].keys().isdisjoint(words[1:])
    return is_noun and words[0] in lists["joining"]


def _says(text: str, formula: FencedFormula, known: Set[str], *, how: str, is_comma: bool) -> bool:
    r"""Whether a formula after words that take one is a statement: "For all $x$, $f(x)=0$".

    It is one if it relates something not named there, such as values at the symbols that the list
    took before. `known` are the keys of these symbols, `how` is the word that takes, `is_comma`
    says that only a comma precedes the formula.
    """
    body = formula.body
    relation = _RELATES.search(body)
    left = body[: relation.start()] if relation else body
    first = next(iter(symbols_in(body)), None)
    if first is None or "dots" in body or "..." in body:
        return False
    is_applied = first.keys[-1] + "(" in first.keys
    is_condition = relation is not None and _CONDITION.match(body, relation.start()) is not None
    is_let = how.startswith(tuple(_lists()["letting"]))
    if not known:
        is_unequal = is_condition and not body.startswith("=", len(left))
        return is_let and is_applied and is_unequal and not _IS_ONE.match(text, formula.end)
    inner = (f"#{letter}" for letter in _LETTERS.findall(left, first.start + 1))
    is_about = any(key in known for key in inner)
    if is_let:
        return is_applied and is_about and is_condition
    if relation is None:
        behind = text[formula.end : formula.end + _LONGEST_JOINT].replace("~", " ").split()
        is_subject = bool(behind) and behind[0] in _lists()["being"]
        is_subject = is_subject and text[formula.end] in " ~\n" and not is_plain(first.keys[0])
        return is_comma and (is_subject or (is_applied and is_about))
    if is_about or is_applied or _OPERATES.search(left):
        return is_comma or is_applied
    return is_comma and is_condition and not is_plain(first.keys[-1])


def _is_of_family(words: Sequence[str], body: str) -> bool:
    """Whether the symbol is known already: "each $X_i$ is closed", "every orbit leaves $X_3$"."""
    taking = _lists()["taking"]
    near = next((back for back, word in enumerate(reversed(words)) if word in taking), 0)
    is_one = words[-1 - near] in _lists()["one_of_all"] and near != 1
    if not is_one or "dots" in body or _RELATED.search(body):
        return False
    return not any(is_plain(use.keys[0]) for use in symbols_in(body))


def _end_of_list(text: str, inline: Sequence[FencedFormula], first: int) -> int:
    """The index after the last formula that only "and" or a comma parts from the one before it."""
    number = first + 1
    while number < min(len(inline), first + _MOST_JOINED):
        start, end = inline[number - 1].end, inline[number].start
        if end - start > _LONGEST_JOINT or not _JOINT.fullmatch(text, start, end):
            break
        number += 1
    return number


def _words_before(text: str, start: int, end: int) -> list[str]:
    """The words, in lower case, between the last stop and `end`."""
    piece = text[max(start, end - _NEAR) : end]
    return _STOP.split(piece)[-1].replace("~", " ").lower().split()


def _taken_by(words: Sequence[str], following: str) -> str:
    """The word by which words take or name what follows them: "let", "a" of "a group"; else ""."""
    lists = _lists()
    taking, stems = lists["taking"], tuple(lists["taking_stem"])
    for back, word in enumerate(reversed(words)):
        before = words[-2 - back] if back + 2 <= len(words) else ""
        is_taking = word in taking or word.startswith(stems)
        if is_taking and before not in lists["no_taking_behind"]:
            return word
        if f"{before} {word}" in lists["taking_pair"]:
            return word
        if (
            0 < back < _MOST_NOUNS
            and word in lists["article"]
            and "-" not in words[-back]
            and following != "-"
        ):
            return word
        if back == _MOST_NOUNS or word in lists["parting"] or word.startswith("solche"):
            return ""
    return ""


def _bound_in_formulas(text: str, fenced: Sequence[FencedFormula]) -> set[str]:
    """The keys of the variables of formulas, and of the symbols that formulas set."""
    found: set[str] = set()
    body = joined_formulas(text, between=" $ ")
    for pattern in (_VARIABLES, _MAPPED, _ELEMENT, _RANGE):
        for variables in set(pattern.findall(body)):
            for use in symbols_in(variables):
                found.update(use.keys)
    if _SETS.search(body):
        for formula in fenced:
            if _SETS.search(formula.body):
                found.update(key for key, _ in keys_of_formula(formula, 0, is_wide=False))
    return found


def _taken(formula: FencedFormula) -> Iterator[str]:
    return (key for key, _ in keys_of_formula(formula, TAKES, is_wide=True))


def _taken_first(formula: FencedFormula) -> Iterator[str]:
    """The keys that a formula takes left of its relation: `g` of `g: A x B`."""
    left = _BEHIND.split(formula.body, maxsplit=1)[0]
    own = {key for use in symbols_in(left) for key in use.keys}
    return (key for key in _taken(formula) if key in own)


def needs(text: str, wanted: Container[str], heads: Container[str]) -> tuple[str, ...]:
    """The wanted keys that a text uses and does not bind, and the keys that it binds, after a "!".

    A need is one key, or several separated by tabs, the most special first. `heads` are the heads
    of the wanted keys.
    """
    found: list[str] = []
    uses = [with_exponent(keys, wanted) for keys in keys_of_uses(text)]
    uses = [keys for keys in uses if any(key in wanted for key in keys)]
    uses += ((key,) for key in script_letters(text) if key in wanted)
    known = frozenset(chain.from_iterable(uses))
    uses += (
        keys
        for keys in script_symbols(text)
        if known.isdisjoint(keys) and any(key in wanted for key in keys)
    )
    if uses:
        own = bound(text)
        for keys in uses:
            is_own = is_bound(keys, own)
            open_keys = _of_named_family(keys, own, wanted) if is_own else keys
            if keys[-1] in own and ARROW.search(keys[0]):
                open_keys = tuple(key for key in open_keys if ARROW.search(key))
            named = "\t".join(key for key in open_keys if key in wanted)
            if named:
                found.append(named)
        found += [f"!{key}" for key in sorted(own) if head_of(key) in heads]
    names = [item for item in assumption_names(text) if item[0] in wanted]
    given = {name for name, is_given in names if is_given}
    found += [name for name, _ in names if name not in given]
    found += [f"!{name}" for name in sorted(given)]
    return tuple(dict.fromkeys(found))


def with_exponent(keys: tuple[str, ...], wanted: Container[str]) -> tuple[str, ...]:
    r"""The keys of a use, with the key of its family if a number is the exponent.

    Where a text introduces $\mathcal{H}^p$, $\mathcal{H}^2$ is one of these and not a square.
    """
    power = _POWER.fullmatch(keys[0])
    family = f"{power['head']}^•" if power else ""
    return (keys[0], family, *keys[1:]) if family and family in wanted else keys


_POWER = regex(r"(?P<head>#\\[a-z]+\{[^{}]{1,12}\})\^\d+")


def _needed_shapes(text: str, wanted: Container[str], shapes: Collection[str]) -> Iterator[str]:
    """The shapes that a text uses, except on symbols that it binds or that have their own key."""
    found = [
        use
        for formula in formulas(text)
        for find in _FINDERS
        for use in find(formula.body)
        if use.keys[0] in shapes
    ]
    own = bound(text) if found else frozenset()
    for use in found:
        shape, *keys = use.keys
        if not keys:
            is_own = shape in own
        elif shape.endswith("("):
            is_own = is_bound(tuple(keys), own)
        else:
            is_own = keys[0] in wanted or keys[0] in own
        if not is_own:
            yield shape


_FINDERS = (fences_in, decorated_in, applied_in)


def _cue(shape: str) -> str:
    """A pattern that matches in every text that uses a shape."""
    sign = shape.removeprefix(SHAPED)
    if sign.endswith("("):
        return re.escape(sign[:-1]) + r"(?:[\s}]|\\left|\\[bB]igg?l?)*+\("
    if sign[0] == "|" or sign.startswith(r"\|"):
        return r"\||[vV]ert"
    first = re.match(r"\\[a-z]+|\\?[^a-zA•]", sign.removeprefix("^"))
    return re.escape(first[0]) if first else ""


_MOST_KNOWN = 2_000
"""The texts of a file, and of its earlier versions, whose needs a finder keeps."""


class NeedFinder:
    """Finds which of some keys texts need."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._keys = frozenset(wanted)
        self._heads = frozenset(head_of(key) for key in self._keys if key[0] == "#")
        self._shapes = frozenset(key for key in self._keys if key.startswith(SHAPED))
        self._cue = re.compile("|".join(sorted({_cue(shape) for shape in self._shapes})))
        listed: dict[str, list[tuple[str, ...]]] = {}
        for key in sorted(self._keys):
            if key[0] not in "#@":
                words = tuple(key.split(" "))
                listed.setdefault(words[0], []).append(words)
        self._procedures = {
            key.removeprefix(PROCEDURE): key for key in self._keys if key.startswith(PROCEDURE)
        }
        self._terms = {
            first: tuple(sorted(found, key=len, reverse=True)) for first, found in listed.items()
        }
        self._known: dict[tuple[str, bool, bool], tuple[str, ...]] = {}

    def of(
        self, text: str, *, is_statement: bool = False, has_steps: bool = False
    ) -> tuple[str, ...]:
        """The needs of a text, and after a "!" the keys that it binds.

        `has_steps` says that it mentions "Step 2" and the like.
        """
        asked = text, is_statement, has_steps
        if asked not in self._known:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            shown = with_letters(with_formulas(text))
            self._known[asked] = self._needs_of(
                shown, is_statement=is_statement, has_steps=has_steps
            )
        return self._known[asked]

    def _needs_of(self, text: str, *, is_statement: bool, has_steps: bool) -> tuple[str, ...]:
        found = longest_terms(text, self._terms) if self._terms else []
        if is_statement and POINTED in self._keys and points(text):
            found.append(POINTED)
        found += set_ups(text) if is_statement else ()
        found += needs(text, self._keys, self._heads)
        if self._procedures:
            named = dict.fromkeys(used_names(text, self._procedures))
            found += named
            if has_steps and STEPPED in self._keys:
                found.append(STEPPED)
            elif PROCEDURE in self._keys and not named and uses_procedure(text):
                found.append(PROCEDURE)
        if self._shapes and self._cue.search(text):
            found += dict.fromkeys(_needed_shapes(text, self._keys, self._shapes))
        return tuple(found)


@lru_cache(maxsize=1_024)
def need_finder(wanted: frozenset[str]) -> NeedFinder:
    """The finder of some keys, shared by all versions of a file, which share most texts."""
    return NeedFinder(wanted)


def _of_named_family(
    keys: tuple[str, ...], own: Container[str], wanted: Container[str]
) -> tuple[str, ...]:
    r"""What a text still needs if it binds only a head, $\mathcal{R}$, and uses $\mathcal{R}_n$.

    For a letter this needs an index that is a capital, which does not vary: $S$, and $S_H$.
    """
    head = keys[-1]
    is_open = len(keys) > 1 and not any(key in own for key in keys[:-1])
    if is_plain(head):
        is_open = is_open and _OF_ONE.fullmatch(keys[0]) is not None
        return keys[:1] if is_open and keys[0] in wanted and f"#{keys[0][-1]}" not in own else ()
    return keys[:-1] if is_open and keys[0] in wanted and "_" in keys[0] else ()


_OF_ONE = regex(r"#[A-Za-z]_[A-Z]")


def is_bound(keys: tuple[str, ...], own: Container[str]) -> bool:
    """Whether a symbol is bound by a text that binds some keys: itself, its family or its head."""
    if any(key in own for key in keys[:-1]):
        return True
    head = keys[-1]
    return head in own and (
        len(keys) == 1 or any(_VARYING.sub("", key) == head for key in keys[:-1])
    )


_VARYING = regex(r"[_^](?:•|\(•\))|\^-?\d+|\(\Z")


def _size_of_idiom(words: Sequence[str], index: int) -> int:
    """The number of words of the idiom that begins at a word, which are not terms; 0 if none."""
    for idiom, is_adverb in _idioms().get(words[index], ()):
        is_subject = is_adverb and index > 0 and words[index - 1] in _lists()["being"]
        if tuple(words[index : index + len(idiom)]) == idiom and not is_subject:
            return len(idiom)
    return 0


@cache
def _idioms() -> Mapping[str, tuple[tuple[tuple[str, ...], bool], ...]]:
    """The idioms in normal form, by their first words, and whether each is an adverb."""
    found: dict[str, list[tuple[tuple[str, ...], bool]]] = {}
    for role in ("idiom", "adverbial"):
        for idiom in _lists()[role]:
            words = tuple(words_of_prose(idiom))
            found.setdefault(words[0], []).append((words, role == "adverbial"))
    return {first: tuple(listed) for first, listed in found.items()}


def longest_terms(text: str, by_first: Mapping[str, tuple[tuple[str, ...], ...]]) -> list[str]:
    """The terms that a text uses, sorted, except inside longer ones.

    `by_first` has for each first word its terms as tuples of words, the longest first.
    """
    words = words_of_prose(text)
    found: dict[str, None] = {}
    index, count = 0, len(words)
    if by_first.keys().isdisjoint(words):
        return []
    idioms = _idioms()
    while index < count:
        if words[index] in idioms and (size := _size_of_idiom(words, index)):
            index += size
            continue
        for term in by_first.get(words[index], ()):
            size = len(term)
            if size == 1 or tuple(words[index : index + size]) == term:
                found[" ".join(term)] = None
                index += size - 1
                break
        index += 1
    return sorted(found)
