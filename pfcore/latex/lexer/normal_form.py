"""A normal form of texts, equal for those that differ in typography but not in mathematics.

Also finds words in a text that may write them in another notation.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import alternatives
from pfcore.latex.lexer.leftover_code import without_code
from pfcore.latex.lexer.letters import (
    behind_word,
    letters_in_place,
    printed_letters,
    with_letters,
)
from pfcore.latex.lexer.whitespace import MATHS

_SYNONYMS = {
    "leq": r"\le", "leqslant": r"\le", "geq": r"\ge", "geqslant": r"\ge", "neq": r"\ne",
    "rightarrow": r"\to", "gets": r"\leftarrow", "land": r"\wedge", "lor": r"\vee",
    "lnot": r"\neg", "owns": r"\ni", "lbrace": r"\{", "rbrace": r"\}", "lbrack": "[",
    "rbrack": "]", "vert": "|", "lvert": "|", "rvert": "|", "Vert": r"\|", "lVert": r"\|",
    "rVert": r"\|", "colon": ":", "lt": "<", "gt": ">", "ast": "*", "coloneqq": ":=",
    "vcentcolon": ":",
    "Longleftrightarrow": r"\iff", "Longrightarrow": r"\implies", "dfrac": r"\frac",
    "tfrac": r"\frac", "dbinom": r"\binom", "tbinom": r"\binom", "textit": r"\emph",
    "textsl": r"\emph", "mbox": r"\text", "hbox": r"\text", "textrm": r"\text",
    "textnormal": r"\text", "textup": r"\text", "Bbb": r"\mathbb", "frak": r"\mathfrak",
} | dict.fromkeys("ldots cdots dotsc dotsb dotsm dotsi dotso hdots".split(), r"\dots")  # fmt: skip
"""Commands with another name that is used here instead."""

_IDLE = frozenset(
    """quad qquad enspace enskip thinspace negthinspace medspace negmedspace thickspace
    negthickspace displaystyle textstyle scriptstyle scriptscriptstyle limits nolimits
    displaylimits nonumber notag strut mathstrut hfil newline break nobreak goodbreak
    nolinebreak footnotemark phantomsection raggedright raggedleft centering qed""".split()
)
"""Commands that set where or how large something is printed, and not what."""

_SIZES = frozenset(
    """tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge normalfont
    rmfamily upshape mdseries""".split()
)
_FONTS = {
    "em": (r"\emph", r"\mathit"), "it": (r"\emph", r"\mathit"), "itshape": (r"\emph", ""),
    "sl": (r"\emph", ""), "slshape": (r"\emph", ""), "bf": (r"\textbf", r"\mathbf"),
    "bfseries": (r"\textbf", ""), "rm": ("", r"\mathrm"), "sf": (r"\textsf", r"\mathsf"),
    "sffamily": (r"\textsf", ""), "tt": (r"\texttt", r"\mathtt"), "ttfamily": (r"\texttt", ""),
    "sc": (r"\textsc", ""), "scshape": (r"\textsc", ""), "cal": ("", r"\mathcal"),
}  # fmt: skip
"""Font switches, with the equivalent commands in words and in formulas."""

_LISTS = "enumerate|itemize|description|compactenum|compactitem|inparaenum"
_PLACES = "center|flushleft|flushright|small|footnotesize|large|samepage"
_INNER = r"[^{}]{0,400}+"
for _ in range(3):
    _INNER = rf"(?:[^{{}}]{{1,400}}+|\{{{_INNER}\}}){{0,40}}+"
_LENGTH = r"-?[\d.]{1,9} ?\\?[a-z]{2,12}"
_OPTION = r"\[(?:[^\[\]{}\\]|\\[A-Za-z]|\{[^{}]{0,80}+\}){0,200}+\]"
_SHAPED = r"bullet|circ|cdot|star|bigstar|ast|(?:black)?square|blacktriangle|triangle|ding|[Bb]ox"
_COLOUR = (
    r"color ?(?:\[\w{0,20}\])? ?\{[^{}]{0,60}+\}"
    rf"(?! ?\{{? ?(?:\\ensuremath ?\{{ ?)?\\(?:{_SHAPED})(?![A-Za-z]))"
)
"""A colour, but not that of a bullet, which may distinguish it from others."""
_NAMED = rf"(?:{alternatives((*_SYNONYMS, *_IDLE))})(?![A-Za-z@])(?:(?<=footnotemark)\[\d*\])?"
_TOKEN = regex(
    rf"\\(?:(?P<name>{_NAMED})"
    r"|(?P<sized>(?:left|right|middle|[bB]igg?[lrm]?)(?![A-Za-z@])) ?(?P<edge>[.<>])?"
    r"|(?P<none>[/-])|[,;:!> ]"
    r"|[hv]space\*? ?\{[^{}]{0,60}+\}"
    rf"|[hv]?phantom ?\{{{_INNER}\}}"
    rf"|(?:m?kern|mskip|[hv]skip) ?{_LENGTH}"
    r"|(?:looseness|tolerance|hbadness|vbadness|[a-z]{0,12}penalty) ?=? ?-?\d{1,6}"
    rf"|emergencystretch ?=? ?{_LENGTH}"
    r"|enlargethispage\*? ?\{[^{}]{0,60}+\}"
    rf"|\\\*?(?:\[ ?{_LENGTH}\])?"
    rf"|(?P<list>begin\{{(?:{_LISTS})\*?\}} ?){_OPTION}"
    rf"|(?:begin|end)\{{(?:{_PLACES})\}}"
    r"|(?P<cite>[A-Za-z]{0,6}[cC]ite[A-Za-z]{0,10}\*?(?: ?\[[^\[\]]{0,200}+\]){0,2} ?\{)"
    r"(?P<keys>[^{}]{0,500}+)\}"
    r"|not ?(?P<not>=|\\in(?![A-Za-z]))"
    r")"
)
_CENTRED = regex(r"\\begin\{center\} ?\$(?!\$)([^$]{1,2000}+)\$ ?([.,;]?) ?\\end\{center\}")
_ENDS_IN_COMMAND = regex(r"\\[A-Za-z@]+\*?\Z")
_NEAR = 60
_WORTH_KEEPING = 20_000
_SHORT = 200


def normal_form(text: str) -> str:
    """The normal form of a canonical text; its marks stay, in their order.

    Texts with the same normal form have the same meaning; normalizing twice changes nothing.
    """
    return _normal(text) if len(text) > _WORTH_KEEPING else _kept_normal(text)


def _normal(text: str) -> str:
    if "\\" in text:
        text = without_code(text)
        if "{center}" in text:
            text = _CENTRED.sub(r"\\[\1\2\\]", text)
        text = _TOKEN.sub(_replaced, text)
        if _SWITCH.search(text):
            text = "".join(_without_switches(text))
    words: list[str] = []
    formulas: list[str] = []
    done = 0
    for match in MATHS.finditer(text):
        start, end = match.span()
        words.append(text[done:start])
        formulas.append((_formula if end - start > _SHORT else _kept_formula)(match[0]))
        done = end
    words.append(text[done:])
    if not formulas:
        return _words(text).strip()
    made = "".join(_alternating(words, formulas)).strip()
    return _normal(made) if " " in formulas else made


def _alternating(words: list[str], formulas: list[str]) -> Iterator[str]:
    """Words and formulas in turn, still separated where they were."""
    made = _words(_BREAK.join(words)).split(_BREAK)
    if len(made) != len(words):  # the text itself contains the separator
        made = [_words(part) for part in words]
    yield made[0]
    for formula, before, part in zip(formulas, words[1:], made[1:], strict=True):
        yield formula
        yield part or " " * bool(before)


_BREAK = "\x1d"
_kept_normal = lru_cache(maxsize=8_192)(_normal)
"""Cached, because a definition is in the contexts of all modules that use it."""


def _replaced(match: re.Match[str]) -> str:
    """The replacement for a command: another spelling, a space, or nothing."""
    kind = match.lastgroup
    if kind == "name":
        return _SYNONYMS.get(match["name"], " ")
    if kind == "edge":
        return {".": " ", "<": r"\langle ", ">": r"\rangle "}[match["edge"]]
    if kind == "none":
        is_apart = match.string[match.start() - 1 : match.start()] in ("$", "\\")
        return " " if is_apart else _gap(match.string, match.start(), match.end())
    if kind == "list":
        return f"\\{match['list'].rstrip()} "
    if kind == "keys":
        return f"\\{match['cite']}{','.join(key.strip() for key in match['keys'].split(','))}}}"
    if kind == "not":
        return r"\ne " if match["not"] == "=" else r"\notin"
    return r"\\" if match[0].startswith(r"\\") else " "


def _gap(text: str, start: int, end: int) -> str:
    """A space if the removed text separated a command from a letter, else ""."""
    is_letter = text[end : end + 1].isalpha()
    return " " if is_letter and _ENDS_IN_COMMAND.search(text[max(0, start - _NEAR) : start]) else ""


_SIZE = rf"\\(?:(?:{alternatives(_SIZES)})(?![A-Za-z@])|{_COLOUR})"
_FONT = rf"\\(?:{alternatives(_FONTS)})(?![A-Za-z@])"
_SWITCH = regex(rf"{_SIZE}|{_FONT}|\\textcolor")
_GROUPED = regex(
    rf"\{{ ?(?P<switches>(?:(?:{_SIZE}|{_FONT}) ?)++)"
    rf"|\\text(?P<coloured>{_COLOUR} ?\{{)|(?P<stray>{_SIZE})|\\.|[{{}}]",
    re.DOTALL,
)
_NAME = regex(r"\\([A-Za-z]+)")
_TAKES = regex(r"[\\}\]_^](?:(?<!\\)|(?<=\\)[A-Za-z@]+\*? ?)\Z")


def _without_switches(text: str) -> Iterator[str]:
    """The text with font switches in groups replaced by commands, in pieces."""
    formulas = [match.span() for match in MATHS.finditer(text)]
    closing: list[str] = []
    number = done = 0
    for match in _GROUPED.finditer(text):
        start, end = match.span()
        token = match[0]
        if token == "{":
            closing.append("}")
            continue
        if token == "}":
            closed = closing.pop() if closing else "}"
            made = closed or _gap(text, start, end)
        elif match.lastgroup is None:
            continue
        elif match.lastgroup == "stray":
            made = " "
        else:
            while number < len(formulas) and formulas[number][1] <= start:
                number += 1
            is_formula = number < len(formulas) and formulas[number][0] <= start
            made, closed = _opened(match, is_formula=is_formula)
            closing.append(closed)
        yield text[done:start]
        yield made
        done = end
    yield text[done:]


def _opened(match: re.Match[str], *, is_formula: bool) -> tuple[str, str]:
    """The start and end of a group with switches; its braces stay if it is an argument."""
    names = _NAME.findall(match["switches"] or "")
    font = next((_FONTS[name][is_formula] for name in reversed(names) if name in _FONTS), "")
    before = match.string[max(0, match.start() - _NEAR) : match.start()]
    is_taken = before[-1:] in ("_", "^") if match["coloured"] else _TAKES.search(before)
    if is_taken:
        return ("{" + font + "{", "}}") if font else ("{", "}")
    if font:
        return font + "{", "}"
    return (" " if _ENDS_IN_COMMAND.search(before) else ""), ""


_GREEK = """alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu
    nu xi pi varpi rho varrho sigma varsigma tau upsilon phi varphi chi psi omega Gamma Delta Theta
    Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell imath jmath hbar infty partial nabla"""
_TAKERS = """mathcal mathbb mathfrak mathscr mathrm mathbf mathsf mathit mathtt mathds boldsymbol
    pmb bm hat bar tilde vec dot ddot check breve acute grave widehat widetilde overline underline
    sqrt"""
_LETTER = rf"(?:[A-Za-z0-9]|\\(?:{alternatives(_GREEK.split())})(?![A-Za-z]))"
_ONE = regex(rf"(\\(?:{alternatives(_TAKERS.split())})(?![A-Za-z])) *+({_LETTER})")
_FRACTION = regex(
    rf"(\\(?:frac|binom)(?![A-Za-z])) *+(?:({_LETTER}) *+(?:({_LETTER})|(?=\{{))"
    rf"|(\{{[^{{}}]{{0,200}}+\}}) *+({_LETTER}))"
)
_TAKING = alternatives((*_TAKERS.split(), "frac", "binom", "text", "operatorname"))
_SCRIPT = regex(
    r"([_^])(?<!\\[_^])(?:\{(?:([A-Za-z0-9])|([*+-])"
    rf"|(\\(?!(?:{_TAKING})(?![A-Za-z]))[A-Za-z]+))\}}(?=(.?))|([A-Za-z0-9])(?=[A-Za-z0-9]))",
    re.DOTALL,
)
_PRIME = regex(r"\^(?:\{((?:\\prime ?)+)\}|\\prime(?![A-Za-z]) ?)")
_STARRED = regex(r"(\\(?:begin|end)\{[A-Za-z]+)\*\}")
_TEXT = regex(
    rf"(\\(?:text\w*|fbox|emph|intertext|shortintertext|tag|operatorname)\*? ?\{{{_INNER}\}})"
)
_CUES_OF_WORDS = "text", "box{", r"\tag", r"\emph", r"\op"
_IDLE_IN_WORDS = regex(r" (?:(?<![A-Za-z] )|(?![A-Za-z]))")
_ROW = regex(rf"\\\\\*?(?: *+\[{_LENGTH}\])?")
_ONE_ROW = regex(
    r"\\begin\{equation\}(?P<whole>.+)\\end\{equation\}"
    r"|\\begin\{(align|gather|multline)\}(?P<row>(?:(?!\\\\|\\begin).)*)\\end\{\2\}",
    re.DOTALL,
)
_COLUMN = regex(r"(?<!\\)&")
_DOTS = regex(r"\.(?<!\.\.)\.\.(?!\.)")


def _formula(text: str) -> str:
    """A formula with uniform delimiters; numbers of displays are dropped."""
    if "*}" in text:
        text = _STARRED.sub(r"\1}", text)
    if one := _ONE_ROW.fullmatch(text):
        text = _display(one)
    text = _DOTS.sub(r"\\dots ", text) if "..." in text else text
    if "\\" in text:
        if "text{" in text:
            text = _TEXT.sub(lambda match: printed_letters(match[0]), text)
        if "\\\\" in text and "[" in text:
            text = _ROW.sub(r"\\\\", text)
        text = _ONE.sub(_in_braces, text)
        if "\\frac" in text or "\\binom" in text:
            text = _FRACTION.sub(_fraction, text)
        if "\\prime" in text:
            text = _PRIME.sub(_primes, text)
    if " " in text:
        text = _without_blanks(text)
    if text == "$$":
        return " "  # "$$" would open a display
    return _without_braces(text) if "{" in text else _SCRIPT.sub(_script, text)


def _display(one: re.Match[str]) -> str:
    """A display of one row, unless its columns are separate formulas."""
    row, columns = _COLUMN.subn(_without_column, one["row"] or "")
    return one[0] if columns > 1 else rf"\[{one['whole'] or row}\]"


def _without_column(match: re.Match[str]) -> str:
    """No text, or a space between a command and the letter after the column."""
    is_letter = match.string[match.end() : match.end() + 1].isalpha()
    before = match.string[max(0, match.start() - _NEAR) : match.start()]
    return " " if is_letter and _ENDS_IN_COMMAND.search(before) else ""


_NO_SCRIPT = regex(r"[_^]\{\}")
_LONE = regex(r"\{(?<!\\\{)(?:(\\[A-Za-z]+(?:\{[^{}]{1,40}\})?)|([^\\{}&#$]))?\}(?=(.?))")


def _without_braces(text: str) -> str:
    """A formula with braces around scripts and single tokens only where they are needed."""
    for _ in range(_DEEPEST):
        made = _SCRIPT.sub(
            _script, _LONE.sub(_alone, _NO_SCRIPT.sub(_gap_of, text) if "{}" in text else text)
        )
        if made == text:
            break
        text = made
    return text


def _gap_of(match: re.Match[str]) -> str:
    return _gap(match.string, match.start(), match.end())


def _alone(match: re.Match[str]) -> str:
    """A single token without its braces, unless they are an argument: they only affect spacing."""
    command, sign, following = match.groups()
    if _TAKES.search(match.string, max(0, match.start() - _NEAR), match.start()):
        return match[0]
    if command:
        return f"{command} " if following.isalpha() and command[-1] != "}" else command
    return sign or ""


def _without_blanks(text: str) -> str:
    """A formula without spaces, except after commands and inside its words."""
    if not any(cue in text for cue in _CUES_OF_WORDS):
        return _apart(text)
    parts = _TEXT.split(text)
    return "".join(
        [_BLANKS.sub(" ", part) if index % 2 else _around(part) for index, part in enumerate(parts)]
    )


def _around(text: str) -> str:
    """The parts around words; spaces stay where words are left in a part."""
    if "text{" not in text:
        return _apart(text)
    return _IDLE_IN_WORDS.sub("", _BLANKS.sub(" ", text))


def _apart(text: str) -> str:
    """A formula without spaces, except between a command and a letter."""
    first, *rest = text.split(" ")
    made = [first]
    for piece in filter(None, rest):
        if piece[:1].isalpha() and _ENDS_IN_COMMAND.search(made[-1]):
            made.append(" ")
        made.append(piece)
    return "".join(made)


def _in_braces(match: re.Match[str]) -> str:
    return f"{match[1]}{{{match[2]}}}"


def _fraction(match: re.Match[str]) -> str:
    name, first, second, group, last = match.groups()
    if group is not None:
        return f"{name}{group}{{{last}}}"
    return f"{name}{{{first}}}{{{second}}}" if second else f"{name}{{{first}}}"


def _primes(match: re.Match[str]) -> str:
    return "'" * max(1, (match[1] or "").count("\\"))


def _script(match: re.Match[str]) -> str:
    """A script of one token, with braces only if a letter or digit follows."""
    sign, letter, other, command, following, alone = match.groups()
    if alone is not None:
        return f"{sign}{{{alone}}}"
    if letter is not None:
        return match[0] if following.isalnum() else sign + letter
    if command is None:
        return sign + other
    if following in ("{", "["):
        return match[0]
    return f"{sign}{command} " if following.isalpha() else sign + command


_kept_formula = lru_cache(maxsize=16_384)(_formula)
"""Cached, because a text repeats its short formulas."""

_QUOTES = regex(r"(?<!\\)(?:\'\'|``)")
_DASHES = regex(r"--+")
_SIGNS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "`", "’": "'", "–": "--", "—": "---"})
_EMPTY = regex(r"\{\}")
_TAKES_EMPTY = regex(r"(?:\\(?:[A-Za-z@]+\*?|.)|[}\]])\Z", re.DOTALL)
_BLANKS = regex(r"  +")
_BESIDE = ("( ", "{ ", " .", " ,", " ;", " :", " !", " ?", " )", " }")


def _words(text: str) -> str:
    """The normal form of the text between formulas."""
    text = printed_letters(text)
    if not text.isascii():
        text = text.translate(_SIGNS)
    is_known = ("\\\\" in text or "{" in text) and not _FOREIGN.search(text)
    if is_known:
        text = text.replace("\\\\", " ")
    for _ in range(_DEEPEST):
        if "{" not in text:
            break
        made = _UNTAKEN.sub(_bare_words, _UPRIGHT.sub(_bare_words, text)) if is_known else text
        made = _trimmed(made)
        if "{}" in made:
            made = _trimmed(_EMPTY.sub(_kept_if_taken, made))
        if made == text:
            break
        text = made
    if "''" in text or "``" in text:
        text = _QUOTES.sub('"', text)
    if "--" in text:
        text = _DASHES.sub(_dash, text.replace(" -- ", " --- "))
    return _trimmed(text)


_FOREIGN = regex(r"&|\\(?:begin|end) ?\{(?!(?:enumerate|itemize|description|proof)\})")
"""Environments or alignments that may be an unknown formula or table."""
_UPRIGHT = regex(rf"\\text ?\{{(?P<words>{_INNER})\}}")
_UNTAKEN = regex(r"(?<![\\A-Za-z@*!\"'`^~=.])\{(?P<words>[^{}\\]{1,400})\}")
_BEFORE_LETTER = regex(r"(?:\\text ?\{\}?){0,9}+[^\W\d_]")
"""A letter, possibly one that comes to stand here when the braces around it are removed."""


def _bare_words(match: re.Match[str]) -> str:
    """Words without braces or a font command that affect only how they are printed."""
    before = match.string[max(0, match.start() - _NEAR) : match.start()]
    if match[0][0] == "{" and _TAKES.search(before.rstrip()):
        return match[0]
    words = match["words"]
    gap = " " if words[:1].isalpha() and _ENDS_IN_COMMAND.search(before) else ""
    is_open = _ENDS_IN_COMMAND.search(words[-_NEAR:]) is not None
    is_joined = is_open and _BEFORE_LETTER.match(match.string, match.end()) is not None
    return gap + words + (" " if is_joined else "")


_DEEPEST = 4


def _dash(match: re.Match[str]) -> str:
    """A dash between parts of a sentence gets spaces; one between words or numbers does not."""
    return "-" if match[0] == "--" else " --- "


def _kept_if_taken(match: re.Match[str]) -> str:
    """An empty group that is an argument of a command; any other is dropped."""
    text, start = match.string, match.start()
    return match[0] if _TAKES_EMPTY.search(text[max(0, start - _NEAR) : start]) else ""


def _trimmed(text: str) -> str:
    """Words separated by single spaces, without spaces next to punctuation and brackets."""
    if "  " in text:
        text = _BLANKS.sub(" ", text)
    for pair in _BESIDE:
        if pair in text:
            text = text.replace(pair, pair.strip())
    return text


_QUOTED = regex(
    r"\\(?:begin|end) ?\{[^{}]{0,80}+\}|\\(?:label|index) ?\{[^{}]{0,200}+\}"
    r"|\\[A-Za-z]+|\\.|\S",
    re.DOTALL,
)
_SIZED = regex(r"\\(?:left|right|middle|[bB]igg?[lrm]?)\Z")
_UNSEEN = frozenset(
    [r"\[", r"\]", r"\(", r"\)", r"\,", r"\;", r"\:", r"\!", r"\>", r"\/", r"\ ", r"\emph"]
    + [r"\rm", r"\mathrm", r"\it", r"\em", r"\cal", r"\mathcal", r"\text", *"{}$`'\"“”‘’„-–—"]
    + [f"\\{name}" for name in sorted(_IDLE | _SIZES)]
)
"""Tokens in which two notations may differ, apart from renamed commands."""


def find_words(words: str, text: str) -> tuple[int, int] | None:
    """The place of some words in a text, in the same or another notation; None if not found."""
    wanted = "\n".join(said for said, _, _ in _said(with_letters(words)))
    shown = letters_in_place(text)
    listed = list(_said(shown))
    if not wanted:
        return None
    tokens = "\n".join(["", *(said for said, _, _ in listed), ""])
    start = tokens.find(f"\n{wanted}\n")
    if start < 0:
        return None
    first = tokens.count("\n", 0, start)
    end = listed[first + wanted.count("\n")][2]
    return listed[first][1], behind_word(text, shown, end)


def one_name(command: str) -> str:
    """The uniform name of a command; "" for one that only affects how something is printed."""
    named = _SYNONYMS.get(command[1:], command)
    return "" if named in _UNSEEN or _SIZED.match(command) else named


def _said(text: str) -> Iterator[tuple[str, int, int]]:
    """The meaningful commands and characters under their uniform names, with their places."""
    for match in _QUOTED.finditer(text):
        token = match[0]
        if token[0] == "\\":
            if token.startswith((r"\begin", r"\end", r"\label", r"\index")) or _SIZED.match(token):
                continue
            token = _SYNONYMS.get(token[1:], token)
        if token in _UNSEEN:
            continue
        for said in (token,) if token[0] == "\\" else token:
            yield said, match.start(), match.end()
