"""Symbols that nobody writes by chance, such as `\\tilde{\\varepsilon}_0` and `C_{\\mathrm{BDG}}`.

For each, it tells whether a text sets it, may introduce it, or just uses it. In doubt, a symbol
counts as introduced.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

_GROUP = r"\{(?:[^{}$]|\{[^{}$]{0,30}\}){1,30}\}"
_ACCENT = (
    r"\\(?:tilde|widetilde|hat|widehat|bar|overline|underline|check|breve|dot|ddot|vec|mathring"
    r"|acute|grave)(?![A-Za-z])"
)
_FONT = r"\\(?:mathcal|mathbb|mathfrak|mathsf|mathbf|mathscr|boldsymbol|bm)(?![A-Za-z])"
_ROMAN = r"\\(?:mathrm|text(?:rm|sf|it|normal|up)?|operatorname|mathit|mathup|rm)(?![A-Za-z])"
_LETTER = rf"(?:{_FONT}\s*(?:{_GROUP}|[A-Za-z])|\\[A-Za-z]+|[A-Za-z])"
_SCRIPT = rf"(?:\s*[_^]\s*(?:{_GROUP}|\\[A-Za-z]+(?:\s*\{{[^{{}}$]{{1,20}}\}})?|[^\s{{}}\\$])|'+)"
_BASE = rf"(?:{_ACCENT}\s*(?:{_GROUP}|{_LETTER})|{_LETTER})"
_SYMBOL = regex(rf"({_BASE})({_SCRIPT}{{0,4}})")
_SYMBOL_BEFORE = regex(rf"(?<![A-Za-z\\]){_BASE}{_SCRIPT}{{0,3}}\s*$")
_ACCENTED = regex(_ACCENT)
_PLAIN_INSIDE = regex(rf"\s*\{{?\s*{_LETTER}{_SCRIPT}{{0,2}}\s*\}}?")
_SCRIPTS = regex(_SCRIPT)
_WORD_SCRIPT = regex(rf"[_^]\s*(?:\{{\s*(?:{_ROMAN}|[A-Za-z]{{2}})|{_ROMAN})")
_LETTERED = regex(rf"{_FONT}\s*(?:\{{\s*[A-Za-z]\s*\}}|[A-Za-z])")
_STAR = r"\s*_\s*\{?\s*(?:\\(?:star|ast|dagger|flat|sharp|natural)(?![A-Za-z])|\*)"
_STARS = regex(_STAR + r"\s*\}?")
_STARRED = regex(rf"({_LETTERED.pattern}){_STAR}")
_PIECE = regex(rf"{_ROMAN}\s*(?:\{{([^{{}}]*)\}}|([A-Za-z]+))|{_FONT}|\\([A-Za-z]+)|([A-Za-z]+)")
_TOKEN = regex(r"\\[A-Za-z]+|[^\s{}]")
_ROMAN_TOKEN = regex(_ROMAN)
_POWER = regex(r"\^[-+]?\d+")
_CONSTANTS = frozenset(
    "infty star ast circ dagger flat sharp natural perp top bot pm prime max min".split()
)
_SAME = {"\\widetilde": "\\tilde", "\\widehat": "\\hat", "\\overline": "\\bar"}
_FEWEST = 3  # letters of a word without a font; two are indices, unless they are capitals
_VOWELS = frozenset("aeouAEOU")  # i is an index
_REACH = 80

_ARGUMENTS = (
    r"(?:\s*+\}?+\s*+(?:\\left)?(?:\([^()$]{0,60}\)|\[[^\[\]$]{0,60}\])){0,2}+\s*+\}?+\s*+&?+\s*+"
)
_SETS = regex(
    _ARGUMENTS + r"(?:\\mathrel\s*\{)?(?::\s*&?=|\\(?:coloneqq?|triangleq|colonequals|defeq)\b)"
)
_EQUALS = regex(_ARGUMENTS + r"(?:=|\\stackrel|\\overset)")
_IN_A_TUPLE = regex(r"[^$()]{0,60}(?:\)|\\\}|\\rangle)\s*(?::?=|_|\\(?:in|coloneqq)(?![A-Za-z]))")
_FORMULA = r"(?:\$\$?|\\\[|\\\(|\\begin\{[a-z]+\*?\})\s*"
_LETS = regex(
    r"\b(?:[Ll]et|[Ss]et|[Pp]ut|[Dd]efine|[Dd]enote|[Dd]efining|[Ss]etting|[Ww]rite|[Ww]riting)\b"
    rf"(?:\s+(?:also|now|further|then|us|by)\b){{0,2}}\s*{_FORMULA}$"
)
_NAMES = regex(_ARGUMENTS + r"(?:\$\$?|\\\))\s+(?:be|denotes?|stands?|for|as|to\s+be|by|the|an?)\b")
_DENOTES = regex(rf"\b[Dd]enote\s+(?:[^.,;:$]|\$[^$]*\$){{1,60}}?\s+by\s+{_FORMULA}$")
_OPENS = regex(rf"{_FORMULA}$")
_OPERATOR = regex(r"[-+*/|^_]\s*$")
_BINDS = regex(
    r"(?:\\(?:forall|exists|sum|prod|sup|inf|max|min|bigcup|bigcap|bigoplus|int|lim(?:sup|inf)?)"
    r"(?![A-Za-z])[\s_^{]*[^{}$]{0,20}|\bd|\\mathrm\{?\s*d\}?|\\mapsto\s*)$"
)
_INTRODUCES = regex(
    r"\b(?:let|set|put|defin\w+|denot\w+|writ\w+|call\w*|fix\w*|choos\w+|chosen|pick\w*|tak\w+"
    r"|select\w*|find|found|consider\w*|given|suppose|assum\w+|where|exist\w*|there|some"
    r"|introduc\w+|construct\w*|obtain\w*|say|namely|produc\w+|provid\w+"
    r"|sequence|constants?|functions?|map|elements?|points?|cop(?:y|ies))\b",
    re.IGNORECASE,
)
_BINDS_LOOSELY = regex(
    r"\b(?:for|with|by|if|any|every|each|all|such|depend\w*|same|above|before|recall|notation|get|yields?|gives?"
    r"|both|which|arbitrar\w+|random|variables?)\b",
    re.IGNORECASE,
)
_SENTENCE = regex(r"\n\s*\n|(?<=[a-z$)}\]])\.\s|\\item\b|\\begin\{proof\}")


class SymbolUse(NamedTuple):
    """A distinctive symbol in a text.

    `family` is the symbol without indices, so that members of a family share it;
    `is_fixed` says that it has no index. `how` is set ("$\\tilde x := 1$"), bound (perhaps
    introduced here), loose (perhaps bound by a word near it), or plain.
    """

    symbol: str
    family: str
    is_fixed: bool
    start: int
    end: int
    how: str


def uses(text: str) -> tuple[SymbolUse, ...]:
    """The distinctive symbols of a masked text, in their order."""
    starts = {match.start() for match in _ACCENTED.finditer(text)}
    starts.update(_bases(text))
    lettered = set(_lettered(text))
    found = (
        _use(text, start, is_lettered=start in lettered) for start in sorted(starts | lettered)
    )
    return tuple(use for use in found if use)


def plain_symbol(written: str) -> str:
    """A symbol in a uniform notation: without braces, blanks and upright fonts."""
    pieces: list[str] = []
    for token in _TOKEN.findall(_ROMAN_TOKEN.sub(" ", written)):
        if pieces and pieces[-1].startswith("\\") and token.isalpha():
            pieces.append(" ")
        pieces.append(_SAME.get(token, token))
    return "".join(pieces)


def dump(found: Iterable[SymbolUse]) -> str:
    """Uses as JSON."""
    return json.dumps([list(use) for use in found], ensure_ascii=False, separators=(",", ":"))


def load_symbol_uses(text: str) -> tuple[SymbolUse, ...]:
    """Uses from their JSON; ValueError if the text is not such JSON."""
    try:
        return tuple(SymbolUse(*item) for item in json.loads(text))
    except TypeError as error:
        raise ValueError("no uses of symbols") from error


def _bases(text: str) -> Iterator[int]:
    """The offsets of symbols with a word as a script."""
    for match in _WORD_SCRIPT.finditer(text):
        reach = max(0, match.start() - _REACH)
        before = _SYMBOL_BEFORE.search(text[reach : match.start()])
        if before:
            yield reach + before.start()


def _lettered(text: str) -> Iterator[int]:
    """The offsets of letters in a font that have a star or the like somewhere in the text."""
    starred = {plain_symbol(letter) for letter in _STARRED.findall(text)}
    if starred:
        for match in _LETTERED.finditer(text):
            if plain_symbol(match[0]) in starred:
                yield match.start()


def _use(text: str, start: int, *, is_lettered: bool) -> SymbolUse | None:
    """The symbol that begins here, if it is a distinctive one."""
    match = _SYMBOL.match(text, start)
    if match is None:
        return None
    base, listed = match[1], _SCRIPTS.findall(match[2])
    accent = _ACCENTED.match(base)
    if accent and not _PLAIN_INSIDE.fullmatch(base, accent.end()):
        return None
    scripts = [written for written in map(plain_symbol, listed) if not _POWER.fullmatch(written)]
    words = [word for script in listed for word in _words(script)]
    if not (accent or words or is_lettered):
        return None
    is_starred = accent or words or any(_STARS.fullmatch(script) for script in listed)
    name = plain_symbol(base)
    return SymbolUse(
        symbol=name + "".join(scripts),
        family="_".join((name, *words)),
        is_fixed=bool(is_starred) and not any(map(_has_index, (*_SCRIPTS.findall(base), *listed))),
        start=start,
        end=match.end(),
        how=_how(text, start, match.end()),
    )


def _words(script: str) -> list[str]:
    """The words in a script: in an upright font, in capitals, or letters that are not indices."""
    found = []
    for roman, after_roman, _, letters in _PIECE.findall(script):
        word = "".join((roman or after_roman).split())
        if len(word) > 1 or _is_word(letters):
            found.append(word or letters)
    return found


def _is_word(letters: str) -> bool:
    if len(letters) < _FEWEST:
        return len(letters) > 1 and letters.isupper()
    return letters.isupper() or not _VOWELS.isdisjoint(letters)


def _has_index(script: str) -> bool:
    return any(
        (letters and not _is_word(letters)) or (command and command not in _CONSTANTS)
        for _, _, command, letters in _PIECE.findall(script)
    )


def _how(text: str, start: int, end: int) -> str:
    """How a text uses the symbol in this span: set, bound, loose or plain."""
    before = text[max(0, start - _REACH) : start]
    if _LETS.search(before) and (_EQUALS.match(text, end) or _NAMES.match(text, end)):
        return "set"
    if _DENOTES.search(before):
        return "set"
    if _SETS.match(text, end):
        return "bound" if _OPERATOR.search(before) else "set"
    if _EQUALS.match(text, end) or _IN_A_TUPLE.match(text, end) or _BINDS.search(before):
        return "bound"
    sentence = _sentence(text, start)
    if _INTRODUCES.search(sentence):
        return "bound"
    is_loose = _OPENS.search(before) or _BINDS_LOOSELY.search(sentence)
    return "loose" if is_loose else "plain"


def _sentence(text: str, end: int) -> str:
    """The part of the sentence before an offset, as far as it is near."""
    near = text[max(0, end - 2 * _REACH) : end]
    begin = 0
    for match in _SENTENCE.finditer(near):
        begin = match.end()
    return near[begin:]
