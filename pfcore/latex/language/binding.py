r"""Which symbols a text binds itself, and which of some keys it uses without: its needs.

A text binds what it takes ("let $G$ be"), what it says something of all of ("every $x$", "a group
$G$"), what it sets (`x:=1`), and the variables of its formulas.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping

from pfcore.latex.language.introductions import TAKES, assumption_names, keys_of_formula
from pfcore.latex.language.notation import (
    FencedFormula,
    formulas,
    head_of,
    is_plain,
    joined_formulas,
    keys_of_uses,
    symbols_in,
)
from pfcore.latex.language.terms import normal_words

_NO_NOUN = (
    r"(?!(?:of|in|on|from|over|to|with|for|by|at|modulo|mod|such|under|than|the|is|are|we|and"
    r"|then|that|as|via|let"
    r"|von|über|auf|aus|mit|für|der|die|das|des|dem|den|im|bei|ist|sind|solche\w*|zu|nach|um|als"
    r"|de|du|des|sur|dans|par|pour|avec|tels?|telles?|au|aux|est|sont|le|la|les|et)(?!\w))"
)
_NOUN = rf"(?:[\s~]+{_NO_NOUN}[^\s~$.;:()\\,]{{1,30}}){{0,6}}+[\s~]*"
_FORMULAS = (
    r"\$(?P<f>[^$]{1,400})\$"
    r"(?P<more>(?:(?:\s*,\s*|,?\s+(?:and|or|und|oder|et|ou)\s+)\$[^$]{1,200}\$){0,6})"
)
_TAKING = (
    r"[Ll]et|[Ff]ix|[Cc]hoose|[Pp]ick|[Tt]ake|[Cc]onsider|[Gg]iven|[Pp]ut|[Ss]et|[Ww]rite"
    r"|[Dd]enote|[Dd]efine"
    r"|[Aa]ll|[Aa]ny|[Ee]very|[Ee]ach|[Ss]ome|[Ee]xists?|[Tt]here (?:is|are)|[Ww]henever"
    r"|[Aa]rbitrary|[Tt]wo|[Tt]hree"
    r"|[Ss]eien|[Ss]ei|[Ww]ähle\w*|[Ff]ixiere\w*|[Bb]etrachte\w*|[Gg]egeben|[Ss]etze\w*"
    r"|[Jj]ede\w*|[Aa]lle[nr]?"
    r"|es gibt|[Ee]xistier\w*|[Ss]oient|[Ss]oit|[Tt]oute?s?|[Tt]ous|[Cc]haque|[Pp]osons"
    r"|[Nn]otons|il existe|[Ff]ixons"
)
_BINDS = re.compile(rf"(?<!\w)(?<![Tt]he )(?<!\ba )(?:{_TAKING})(?!\w){_NOUN}{_FORMULAS}")
_NAMES_ONE = re.compile(
    r"(?<![\w'’])(?:[Aa]n?|[Ee]ine?[nmrs]?|[Uu]ne?)[\s~]+"
    rf"{_NO_NOUN}[^\s~$.;:()\\,-]{{2,30}}(?:[\s~]+{_NO_NOUN}[^\s~$.;:()\\,]{{2,30}}){{0,4}}+[\s~]+{_FORMULAS}(?!-)"
)
_IF_ONE = re.compile(
    r"(?<!\w)(?:[Ii]f|[Ww]hen|[Ww]henever|[Ss]uppose|[Aa]ssume|[Tt]hat|[Ww]enn|[Ff]alls|[Ii]st"
    r"|[Ss]i|[Ss]upposons que)[\s~]+"
    rf"{_FORMULAS}[\s~]+(?:is|are|be|ist|sind|est|sont|ein|eine)[\s~]+(?:an?|ein|eine|une?|two"
    rf"|des)?(?!\w)"
)
_FOR_ALL = re.compile(rf"(?<!\w)(?:[Ff]or|[Ff]ür|[Pp]our)[\s~]+{_FORMULAS}")
_SETS = re.compile(r":\s*=|\\coloneqq?(?![A-Za-z])|\\triangleq(?![A-Za-z])")
_VARIABLES = re.compile(
    r"(?:\\(?:forall|exists|sum|prod|coprod|bigcup|bigcap|bigoplus|bigotimes|lim(?:sup|inf)?"
    r"|sup|inf|max|min"
    r"|bigvee|bigwedge)(?:\\limits)?\s*(?:_\s*)?\{?|\\\{\s*|(?<![\\A-Za-z])d\s?"
    r"|\\mathrm\s*\{?d\}?\s?|\\,d)"
    r"((?:[A-Za-z]|\\[A-Za-z]+)(?:_(?:\{[^{}]{1,12}\}|\w))?(?:\s*,\s*[A-Za-z](?![A-Za-z]))*)"
)
_MAPPED = re.compile(
    r"([A-Za-z]|\\[A-Za-z]+)(?:_(?:\{[^{}]{1,12}\}|\w))?\s*\\(?:longmapsto|mapsto)(?![A-Za-z])"
)
_RELATED = re.compile(r"[=<>]|\\(?:in|le|ge|leq|geq|neq?|subset|to)(?![A-Za-z])")
_ONE = re.compile(r"\$([^$]{1,200})\$")


def bound(text: str) -> frozenset[str]:
    """The keys of the symbols that a canonical text binds."""
    return frozenset([*_bound_by_words(text), *_bound_in_formulas(text)])


def _bound_by_words(text: str) -> Iterator[str]:
    for pattern in (_BINDS, _NAMES_ONE, _IF_ONE):
        for match in pattern.finditer(text):
            for body in (match["f"], *_ONE.findall(match["more"])):
                yield from _taken(body)
    for match in _FOR_ALL.finditer(text):
        if _RELATED.search(match["f"]):
            yield from (key for key in _taken(match["f"]) if is_plain(head_of(key)))


def _bound_in_formulas(text: str) -> set[str]:
    """The variables of formulas, and what they set."""
    found: set[str] = set()
    body = joined_formulas(text)
    for pattern in (_VARIABLES, _MAPPED):
        for variables in set(pattern.findall(body)):
            for use in symbols_in(variables):
                found.update(use.keys)
    if _SETS.search(body):
        for formula in formulas(text):
            if _SETS.search(formula.body):
                found.update(key for key, _ in keys_of_formula(formula, 0, is_wide=False))
    return found


def _taken(body: str) -> Iterator[str]:
    return (key for key, _ in keys_of_formula(FencedFormula(0, 0, body), TAKES, is_wide=True))


def needs(text: str, wanted: Container[str], heads: Container[str]) -> tuple[str, ...]:
    """What a text uses of some keys and does not bind, and the keys that it binds, behind a "!".

    A need is one key, or several with tabs between them: the most special first. `heads` are the
    heads of the wanted keys.
    """
    found: list[str] = []
    uses = [keys for keys in keys_of_uses(text) if any(key in wanted for key in keys)]
    if uses:
        own = bound(text)
        found += [
            "\t".join(key for key in keys if key in wanted)
            for keys in uses
            if not is_bound(keys, own)
        ]
        found += [f"!{key}" for key in sorted(own) if head_of(key) in heads]
    found += [name for name, is_given in assumption_names(text) if name in wanted and not is_given]
    return tuple(dict.fromkeys(found))


class NeedFinder:
    """What texts need of some keys."""

    def __init__(self, wanted: Iterable[str]) -> None:
        self._keys = frozenset(wanted)
        self._heads = frozenset(head_of(key) for key in self._keys if key[0] == "#")
        listed: dict[str, list[tuple[str, ...]]] = {}
        for key in sorted(self._keys):
            if key[0] not in "#@":
                words = tuple(key.split(" "))
                listed.setdefault(words[0], []).append(words)
        self._terms = {
            first: tuple(sorted(found, key=len, reverse=True)) for first, found in listed.items()
        }

    def of(self, text: str) -> tuple[str, ...]:
        """The needs of a text, and behind a "!" what it binds."""
        found = longest_terms(text, self._terms) if self._terms else []
        return (*found, *needs(text, self._keys, self._heads))


def is_bound(keys: tuple[str, ...], own: Container[str]) -> bool:
    """Whether a text that binds some keys binds a symbol: itself, its family or its head."""
    if any(key in own for key in keys[:-1]):
        return True
    head = keys[-1]
    return head in own and (
        len(keys) == 1 or any(_VARYING.sub("", key) == head for key in keys[:-1])
    )


_VARYING = re.compile(r"[_^]•|\^-?\d+|\(\Z")


def longest_terms(text: str, by_first: Mapping[str, tuple[tuple[str, ...], ...]]) -> list[str]:
    """The terms that a text uses, none of them inside a longer one; listed by their first words.

    The terms with one first word are its tuples of words, the longest first.
    """
    words = normal_words(text)
    found: dict[str, None] = {}
    index, count = 0, len(words)
    if by_first.keys().isdisjoint(words):
        return []
    while index < count:
        for term in by_first.get(words[index], ()):
            size = len(term)
            if size == 1 or tuple(words[index : index + size]) == term:
                found[" ".join(term)] = None
                index += size - 1
                break
        index += 1
    return sorted(found)
