"""Formulas as MathML by latex2mathml; only known elements and attributes are kept.

Slow to load, so that only code that makes a page imports this.

Gaps of the converter are filled by LaTeX with the same meaning. The MathML is adapted to browsers:
words in one piece, alphabets by letters, arrows that stretch. Letters of other alphabets use their
own characters, because browsers no longer support `mathvariant`.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import pairwise, zip_longest
from xml.etree.ElementTree import Element

from latex2mathml import converter, exceptions

from pfcore.domain.lazy_regex import regex
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.lexer.groups import Groups
from pfcore.reporters.html.equation_rows import LENGTH, column_letters, split_cells, split_rows
from pfcore.reporters.printing import safe

_ERRORS = (
    exceptions.DenominatorNotFoundError,
    exceptions.DoubleSubscriptsError,
    exceptions.DoubleSuperscriptsError,
    exceptions.ExtraLeftOrMissingRightError,
    exceptions.InvalidAlignmentError,
    exceptions.InvalidStyleForGenfracError,
    exceptions.InvalidWidthError,
    exceptions.LimitsMustFollowMathOperatorError,
    exceptions.MissingEndError,
    exceptions.MissingSuperScriptOrSubscriptError,
    exceptions.NoAvailableTokensError,
    exceptions.NumeratorNotFoundError,
    # Raised if an argument is missing or nested too deep.
    AttributeError,
    LookupError,
    RecursionError,
    RuntimeError,
    StopIteration,
    TypeError,
    ValueError,
)
_LONGEST = 4_000
_TOKENS = frozenset("mi mn mo ms mtext".split())
_ELEMENTS = _TOKENS | frozenset(
    """math mrow mfrac msqrt mroot mstyle mpadded mphantom mspace msub msup msubsup munder mover
    munderover mmultiscripts mprescripts mtable mtr mtd menclose none""".split()
)
_ATTRIBUTES = frozenset(
    """display displaystyle scriptlevel mathvariant stretchy fence form separator lspace rspace
    minsize maxsize symmetric accent accentunder linethickness columnalign rowspacing columnspacing
    columnlines rowlines width height depth voffset notation movablelimits largeop""".split()
)
_BAR = ' stretchy="false" lspace="0" rspace="0"'
"""A bar is a fence, but it is unknown whether it opens or closes."""
# Delimiters after \big and the like, which the converter leaves unchanged.
_SIGNS = {
    r"\{": "{", r"\}": "}", r"\|": "‖", r"\Vert": "‖", r"\lVert": "‖", r"\rVert": "‖",
    r"\vert": "|", r"\lvert": "|", r"\rvert": "|", r"\lbrace": "{", r"\rbrace": "}",
    r"\lbrack": "[", r"\rbrack": "]", r"\langle": "⟨", r"\rangle": "⟩", r"\lfloor": "⌊",
    r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉", r"\llbracket": "⟦", r"\rrbracket": "⟧",
    r"\downarrow": "↓", r"\uparrow": "↑", r"\Downarrow": "⇓", r"\Uparrow": "⇑",
    r"\updownarrow": "↕", r"\backslash": "\\", r"\ulcorner": "⌜", r"\urcorner": "⌝",
}  # fmt: skip
_UNKNOWN = regex(r"\\(?:[A-Za-z]+|\d)")
_CLASSES = frozenset("left right bold sans mono slanted".split())
_VALUE = regex(r"[\w .%+-]*")
_SCRIPTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2}
_SCRIPTS |= {"msubsup": 3, "munderover": 3}


@lru_cache(maxsize=8_192)
def formula_mathml(text: str, *, display: bool) -> str | None:
    """A formula as MathML; None if it cannot be converted.

    Unknown commands stay as LaTeX within it, with their arguments in braces.
    """
    if len(text) > _LONGEST:
        return None
    kind = "block" if display else "inline"
    try:
        tidied = tidy(text)
        if text.strip() and not tidied.strip():
            return f'<math display="{kind}"></math>'
        found = converter.convert_to_element(tidied, display=kind)
        settle(found)
        if len(found) == 1 and found[0].tag == "mrow":
            found[:] = list(found[0])
        return _written(found)
    except _ERRORS:
        return None


def _written(element: Element) -> str:
    """An element with its contents; ValueError if a command was left in it."""
    tag = element.tag
    if tag not in _ELEMENTS:
        raise ValueError(tag)
    if tag == "mrow" and len(element) == 1 and _is_letter(element[0]):
        return _written(element[0])
    if tag in _TOKENS and len(element):  # a token with elements inside is a row
        tag = "mrow"
    if len(element) != _SCRIPTS.get(tag, len(element)):
        raise ValueError(tag)
    words = _token_words(element)
    if words.startswith("\\") and len(words) > 1:
        raise ValueError(words)
    inner = html.escape(words) + "".join(_inner(element))
    bar = _BAR if words in ("|", "‖") and not {"form", "minsize"} & set(element.attrib) else ""
    return f"<{tag}{bar or _attributes(element, tag)}>{inner}</{tag}>"


def _is_letter(element: Element) -> bool:
    """Whether it is a letter or a number, which needs no row around it."""
    is_plain = element.tag in ("mi", "mn") and not len(element)
    return is_plain and not (element.text or "").startswith("\\")


def _token_words(element: Element) -> str:
    """The text of a token; browsers keep only hard spaces at its ends."""
    text = element.text or ""
    words = _SIGNS.get(text) or safe(text)
    if element.tag != "mtext" or not text:
        return words
    return "\u00a0" * text[0].isspace() + words + "\u00a0" * (text[-1].isspace() and bool(words))


def _inner(element: Element) -> Iterator[str]:
    """The contents; unknown commands stay, with their arguments in braces."""
    inner = list(element)
    is_argument = False
    for number, child in enumerate(inner):
        if is_argument and child.tag == "mrow" and len(child):
            yield f"{_raw('{')}{_written(child)}{_raw('}')}"
            continue
        is_argument = False
        if child.tag != "mi" or len(child) or not _UNKNOWN.fullmatch(child.text or ""):
            yield _written(child)
            continue
        if element.tag not in _SCRIPTS and _is_argument(inner[number + 1 :]):
            is_argument = inner[number + 1].tag == "mrow" and len(inner[number + 1]) > 0
            if not is_argument or child.text in _NEVER_ALONE:
                raise ValueError(child.text)
        yield _raw(child.text or "")


_NEVER_ALONE = frozenset({"\\macro", "\\begin", "\\end", "\\left", "\\right", "\\tikz", "\\hbox"})
"""Commands whose arguments would mean something else without them."""


def _raw(text: str) -> str:
    return f'<mtext class="tex">{html.escape(text)}</mtext>'


def _is_argument(following: list[Element]) -> bool:
    """Whether what follows a command may be its argument: a group or an opening bracket."""
    first = next((item for item in following if item.tag != "mrow" or len(item)), None)
    if first is not None and first.tag in _SCRIPTS and len(first):
        first = first[0]
    if first is None or first.tag != "mrow":
        return first is not None and first.text == "["
    return first[0].get("fence") != "true"  # \left begins no group


def _attributes(element: Element, tag: str) -> str:
    name = element.get("columnalign" if tag == "mtd" else "class", "")
    if name in _CLASSES:  # browsers leave these to style sheets
        return f' class="{name}"'
    return "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value) and tag != "mrow"
    )


# Commands without meaning in a formula on a page, and those with a known equivalent.
_IDLE = regex(
    r"\\(?:ensuremath|xspace|displaylimits|relax|expandafter|hfil|hfill|joinrel|nonumber|notag|nolimits|lefteqn|"
    r"allowbreak|protect|leavevmode|noindent|centering|strut|mathstrut|thinspace|nobreak|null|"
    r"tiny|scriptsize|footnotesize|small|normalsize|large|Large|LARGE|huge|Huge|normalfont|"
    r"empty|bgroup|egroup|nonscript|mskip\s*-?\\(?:thin|med|thick)muskip|operator@font|m@th|"
    r"openup\s*\\jot)(?![A-Za-z])|\\allowdisplaybreaks(?![A-Za-z])\s*(?:\[[0-4]\])?|"
    r"\\noalign\s*\{\s*\\vskip[^{}]*\}|\\jot\s*=?\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm)|"
    r"\\penalty\s*-?\d+|\\label\s*\{[^{}]*\}|[\x00-\x1f]|"
    r"\\setlength\s*\{?\\arraycolsep\}?\s*\{[^{}]*\}|"
    r"\\arraycolsep\s*=?\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm|mu)"
)
_EQUIVALENT = {
    "vcentcolon": ":", "coloneqq": ":=", "eqqcolon": "=:", "Relbar": "=", "mbox": r"\text",
    "textsc": r"\text", "textnormal": r"\text", "hbox": r"\text", "mathds": r"\mathbb",
    "bm": r"\boldsymbol", "dfrac": r"\frac", "defeq": ":=", "colon": ":", "centerdot": r"\cdot",
    "arg": r"\operatorname{arg}", "nmodels": r"\nvDash", "hdots": r"\ldots", "textup": r"\text",
    "textsl": r"\textit", "mathexclaim": "!", "fbox": r"\text", "dag": r"\dagger",
    "mod": r"\;\mathrm{mod}\;", "Cdots": r"\cdots", "Vdots": r"\vdots", "Ddots": r"\ddots",
    "Ldots": r"\ldots", "symbf": r"\boldsymbol", "symbfit": r"\boldsymbol", "symbb": r"\mathbb",
    "symcal": r"\mathcal", "symscr": r"\mathscr", "symfrak": r"\mathfrak", "symsf": r"\mathsf",
    "symrm": r"\mathrm", "symup": r"\mathrm", "symit": r"\mathit", "symtt": r"\mathtt",
    "vv": r"\overrightarrow", "Set": r"\set",
    "ddag": r"\ddagger", "EuScript": r"\mathcal", "oast": r"\circledast",
    "sfrac": r"\frac", "nicefrac": r"\frac", "centernot": r"\not", "slashed": r"\not",
}  # fmt: skip
_NAMED = regex(rf"\\({'|'.join(_EQUIVALENT)})(?![A-Za-z])")
_SLASHED = regex(r"(\\(?:sfrac|nicefrac))\s*\[[^\[\]]*\]")
"""A fraction with an option for font or form."""
_NUMBER = regex(r"\\num\s*(?:\[[^\[\]]*\])?\{([^{}\\]*)\}")
"""A number of siunitx, which groups its digits."""
_DINGBATS = {"51": "✓", "52": "✔", "55": "✗", "56": "✘"}
_DING = regex(rf"\\ding\s*\{{({'|'.join(_DINGBATS)})\}}")
_COLOUR = regex(r"\\(?:text)?color\s*(?:\[[^\[\]]*\])?\{[^{}]*\}")
_NOTE = regex(r"\\footnote\s*(?=\{)")
_BOX = regex(
    r"\\(?:raisebox|scalebox)\s*\{[^{}]*\}(?:\[[^\]]*\]){0,2}(?=\s*\{)"
    r"|\\parbox\s*(?:\[[^\]]*\]){0,3}\{[^{}]*\}(?=\s*\{)"
)
_ENCLOSED = {
    "norm": r"\left\lVert %s\right\rVert ", "abs": r"\left\lvert %s\right\rvert ",
    "set": r"\left\{%s\right\}",
}  # fmt: skip
"""Commands of packages that enclose something in delimiters, unless the paper defines them."""
_ENCLOSING = regex(rf"\\({'|'.join(_ENCLOSED)})\*?(?=\s*\{{)")
_OPTION = regex(
    r"(\\begin\{(?:[bpvBV]?(?:small)?matrix|cases|split|(?:align|gather)\*?)\}(?=\s*\[)"
    r"|\\begin\{(?:aligned|gathered|alignedat\}\s*\{\d{1,4})\}(?=\s*\[(?![tbc]\])))"
)
"""After the beginning of an environment without options, a bracket is text."""
_PLACED = regex(r"(\\begin\{(?:aligned|gathered|alignedat|array)\})\s*\[[tbc]\]")
_TABLES = {
    "aligned": "align*", "alignedat": "align*", "gathered": "align*", "multlined": "align*",
    "dcases": "cases", "cases*": "cases", "psmallmatrix": "pmatrix", "bsmallmatrix": "bmatrix",
    "vsmallmatrix": "vmatrix", "pNiceMatrix": "pmatrix", "bNiceMatrix": "bmatrix",
    "vNiceMatrix": "vmatrix", "NiceMatrix": "matrix", "NiceArray": "array",
}  # fmt: skip
"""Environments that the converter does not know, with those that look the same."""
_TABLE = regex(
    rf"\\(begin|end)\{{({'|'.join(map(re.escape, _TABLES))})\}}(?:(?<=at\}})\s*\{{\d+\}})?"
)
_SKIP = regex(rf"\\\\(?:\*\s*(?:{LENGTH})?|\s*{LENGTH})")
"""The end of a row, with the distance to the next one."""
_TABULAR = regex(r"\\begin\{(?P<name>array|tabular)\}\s*")
_MATRIX = regex(r"\\(begin|end)\{(?:[bpvBV]?matrix\*?|array|cases)\}")
_SCRIPTED = regex(r"\s*[\^_]")
_DOTS = regex(r"\\vdotswithin(?![A-Za-z])\s*(?:\{[^{}]*\}|\\[A-Za-z]+|[^\s\\{}&])")
_ROW_END = regex(r"\\cr(?:cr)?(?![A-Za-z])")
_FILL = regex(r"\\h(?:fil|fill|ss)(?![A-Za-z])")
_HEAVY = regex(r"\\text\s*\{\s*\\boldmath\s*\{?\s*\$([^$]*)\$\s*\}?\s*\}")
_RULE = regex(r"\\rule\s*(?:\[[^\[\]]*\])?\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_NO_LENGTH = regex(r"\s*(?:0+(?:\.0*)?|\.0+)\s*[a-z]*\s*")
_THIN = regex(r"\s*0*\.\d+\s*pt\s*")
_TAG = regex(r"(\\tag\*?)\s*\{([^{}]*)\}")
_WIDEST = 40
_PRIMES = regex(r"('+)\s*\^\s*(?:(\{)|([^\s{}\\'^_]|\\[A-Za-z]++(?!\s*\{)))")
# The idiom by which macros test whether an argument is empty.
_EMPTY = regex(r"\\if\\relax\\detokenize\{([^{}]*)\}\\relax ?(.*?)\\else ?(.*?)\\fi", re.S)
_ACCENT = regex(r"(?<!\\)(?:\\\\)*\\[\^'\"`=.~]")
"""A formula has no text accents: such a command is a macro of the paper's own, unknown here."""
_LETTERS = regex(r"[A-Za-z]")
_LETTER = regex(
    r"(?<!\\)((?:\\\\)*)(\\[\^'\"`=.~]\s*(?:\{\s*(?:[^\W\d_]|\\[ij])\s*\}|[^\W\d_]|\\[ij](?![A-Za-z])))"
)
"""A letter with an accent, which occurs only among words and in names."""
_NAME = regex(r"\\(?:(operatorname\*?)|math(?:rm|it|sf|bf|tt|up))\s*(?=\{)")
_TEXT = regex(r"(\\text(?:rm|bf|it|sf|tt)?)(?![A-Za-z])\s*(?=\{)")
_FONT = regex(
    r"\\(?:text(?:rm|bf|it|sf|tt)?|emph|underline)\s*(?=\{)"
    r"|\\font(?:series|shape|family|encoding)\s*\{[^{}]*\}"
    r"|\\(?:tiny|scriptsize|footnotesize|small|normalsize|[lL]arge|LARGE|[hH]uge|normalfont)"
    r"(?![A-Za-z])\s*(?:\{(?=[^{}]*\}\s*\Z))?"
    r"|\\(?:(?:up|it|sl|sc)shape|(?:md|bf)series|(?:rm|sf|tt)family|(?:un)?boldmath|selectfont)"
    r"(?![A-Za-z])"
)
_CALL = regex(r"\\[A-Za-z]+\s*\{")
_FORMULA = regex(r"(?<!\\)\$")


def tidy(text: str) -> str:
    """The formula in common commands; ValueError if its groups or names are malformed."""
    text = _DING.sub(lambda match: _DINGBATS[match[1]], _COLOUR.sub("", text))
    text = _NUMBER.sub(r"{\1}", _NOTE.sub(r"\\pfnote", text))
    text = _rewritten(text, r"\pfnote", 1, lambda _: "")
    while enclosing := _ENCLOSING.search(text):
        begin, end = _group(Groups(text), enclosing.end())
        made = _ENCLOSED[enclosing[1]] % text[begin:end]
        text = text[: enclosing.start()] + made + text[end + 1 :]
    text = _OPTION.sub(r"\1{}", text)
    text = _EMPTY.sub(lambda match: match[3] if match[1].strip() else match[2], text)
    text = _rewritten(text, r"\mathchoice", 4, _chosen)
    text = _rewritten(text, r"\genfrac", 6, _fraction)
    text = _rewritten(text, r"\multicolumn", 3, _spanned)
    text = _rewritten(text, r"\ooalign", 1, _overlaid)
    text = _rewritten(text, r"\leftidx", 3, "{{}}{}{{{}}}{}".format)
    text = _rewritten(text, r"\prescript", 3, "{{}}^{{{}}}_{{{}}}{{{}}}".format)
    text = _RULE.sub(_ruled, text)
    text = _rewritten(_rewritten(text, r"\ialign", 1, _aligned), r"\vcenter", 1, _chosen)
    text = _TAG.sub(lambda match: f"{match[1]}{{{plain_text(match[2])}}}", text)
    text = _DOTS.sub(r"\\vdots ", text)
    text = _SLASHED.sub(r"\1", text)
    text = _NAMED.sub(lambda match: _EQUIVALENT[match[1]] + " ", text)
    text = _PLACED.sub(r"\1", _BOX.sub(r"\\text", text))
    text = _HEAVY.sub(r"\\boldsymbol{\1}", text)
    text = _tabled(_SKIP.sub(r"\\\\ ", text))
    text = _TABLE.sub(lambda match: rf"\{match[1]}{{{_TABLES[match[2]]}}}", text)
    text = "".join(_worded("".join(_lettered(_grouped(text)))))
    if _ACCENT.search(text):
        raise ValueError(text)
    return _IDLE.sub(" ", _PRIMES.sub(_primed, text))


def _primed(match: re.Match[str]) -> str:
    """Primes and another superscript as one superscript."""
    primes = r"^{" + r"\prime" * len(match[1]) + " "
    return primes + (match[3] + "}" if match[3] else "")


def _rewritten(text: str, command: str, count: int, make: Callable[..., str]) -> str:
    """The text with each use of a command and its groups replaced by `make` of their contents."""
    start = text.find(command)
    while start >= 0:
        groups, insides, position = Groups(text), [], start + len(command)
        for _ in range(count):
            begin, end = _group(groups, position)
            insides.append(text[begin:end])
            position = end + 1
        text = text[:start] + make(*insides) + text[position:]
        start = text.find(command, start)
    return text


def _chosen(display: str, *_others: str) -> str:
    r"""The first of the four formulas that `\mathchoice` takes for four sizes."""
    return f"{{{display}}}"


def _aligned(inner: str) -> str:
    r"""The rows of `\ialign`, which plain TeX's `\eqalign` uses, without its template."""
    _, *rows = _ROW_END.split(inner)
    listed = r"\\".join(row for row in rows if row.strip())
    return rf"\begin{{aligned}}{listed}\end{{aligned}}"


def _overlaid(inner: str) -> str:
    r"""The things that `\ooalign` prints over each other, placed one above the other."""
    first, *others = (row for row in _ROW_END.split(_FILL.sub("", inner)) if row.strip())
    made = rf"\text{{{first}}}"
    for row in others:
        made = rf"\overset{{{made}}}{{\text{{{row}}}}}"
    return made


def _ruled(match: re.Match[str]) -> str:
    """A replacement for a rule: nothing if a side is zero, a bar if it is thin, else a dash."""
    if any(map(_NO_LENGTH.fullmatch, match.groups())):
        return ""
    return r"\vert " if _THIN.fullmatch(match[1]) else r"\text{—}"


def _fraction(left: str, right: str, line: str, _style: str, upper: str, lower: str) -> str:
    r"""`\genfrac` from its parts."""
    is_bare = re.fullmatch(r"\s*0+(?:\.0*)?\s*[a-z]*", line) is not None
    stack = rf"\begin{{matrix}}{upper}\\{lower}\end{{matrix}}"
    inner = stack if is_bare else rf"\frac{{{upper}}}{{{lower}}}"
    return rf"\left{left.strip() or '.'}{inner}\right{right.strip() or '.'}"


def _spanned(columns: str, _form: str, inner: str) -> str:
    r"""`\multicolumn`, put in the first of its columns; ValueError if their number is invalid."""
    count = int(columns)
    if not 0 < count <= _WIDEST:
        raise ValueError(columns)
    return f"{{{inner}}}" + "&" * (count - 1)


def _tabled(text: str) -> str:
    r"""Tables with columns that the converter knows; the cells of a `tabular` become words."""
    start = 0
    while match := _TABULAR.search(text, start):
        begin, end = _group(Groups(text), match.end())
        inner, behind, start = text[end + 1 :], "", match.start() + len(r"\begin{array}")
        if match["name"] == "tabular":
            inner, closing, behind = inner.partition(r"\end{tabular}")
            if not closing or _TABULAR.search(inner):
                raise ValueError(text)
            inner, behind = _cells_of_words(inner), r"\end{array}" + behind
        columns = column_letters(text[begin:end])
        text = rf"{text[: match.start()]}\begin{{array}}{{{columns}}}{inner}{behind}"
    return text


def _cells_of_words(inner: str) -> str:
    """The contents of a table of words as those of a table of formulas."""
    rows = [row.removesuffix("\\\\").strip() for row in split_rows(inner)]
    return r"\\".join("&".join(map(_cell_of_words, split_cells(row))) for row in rows)


def _cell_of_words(cell: str) -> str:
    rules, words = "", cell.strip()
    while words.startswith(r"\hline"):
        rules, words = rules + r"\hline ", words.removeprefix(r"\hline").strip()
    is_plain = "$" not in words and not _LETTERS.search(words)
    return rules + (words if is_plain else rf"\text{{{words}}}")


def _grouped(text: str) -> str:
    """Matrices with an index or exponent in braces, because the converter accepts no other base."""
    opened: list[int] = []
    braces: list[tuple[int, str]] = []
    for match in _MATRIX.finditer(text):
        if match[1] == "begin":
            opened.append(match.start())
        elif opened:
            start = opened.pop()
            if _SCRIPTED.match(text, match.end()):
                braces += [(start, "{"), (match.end(), "}")]
    for position, brace in sorted(braces, reverse=True):
        text = text[:position] + brace + text[position:]
    return text


def _group(groups: Groups, position: int) -> tuple[int, int]:
    found = groups.braces(position)
    if found is None:
        raise ValueError(groups.text)
    return found


def _lettered(text: str) -> Iterator[str]:
    r"""A formula with accents replaced by letters in `\mathrm{\'et}` and in names of operators."""
    groups, position = Groups(text), 0
    while match := _NAME.search(text, position):
        start, end = _group(groups, match.end())
        yield text[position : match.start()]
        name = _LETTER.sub(lambda letter: letter[1] + plain_text(letter[2]), text[start:end])
        # The converter knows only ASCII names of operators.
        is_foreign = match[1] and not name.isascii()
        yield rf"\mathop{{\mathrm{{{name}}}}}" if is_foreign else f"{match[0]}{{{name}}}"
        position = end + 1
    yield text[position:]


def _worded(text: str) -> Iterator[str]:
    r"""A formula with each `\text{if $x$ is}` split into words and formulas."""
    groups, position = Groups(text), 0
    while match := _TEXT.search(text, position):
        start, end = _group(groups, match.end())
        yield text[position : match.start()]
        pieces = _FORMULA.split(text[start:end])
        for number, piece in enumerate(pieces):
            if number % 2:
                yield f"{{{piece}}}"
            elif piece:
                # Canonical texts drop this blank.
                before = " " if number and _WORD_BEHIND.match(piece) else ""
                is_last = number + 1 == len(pieces)
                behind = " " if not is_last and _WORD_BEFORE.search(piece) else ""
                yield f"{match[1]}{{{_plain_words(f'{before}{piece}{behind}')}}}"
        position = end + 1
    yield text[position:]


_WORD_BEFORE = regex(r"[A-Za-z]{2}[,;:]?\Z")
_WORD_BEHIND = regex(r"(?!(?:th|st|nd|rd)(?![A-Za-z]))[A-Za-z]{2}")


def _plain_words(text: str) -> str:
    """Plain words; ValueError if they contain unknown commands with arguments."""
    text = _FONT.sub("", text)
    if _CALL.search(text):
        raise ValueError(text)
    words = plain_text(text) if "\\" in text else text
    words = re.sub(r"[\\{}$]", "", words.replace("~", " "))
    return " " * text[:1].isspace() + words.strip() + " " * text[-1:].isspace()


_WORDS = {
    "normal": "",
    "bold": "bold",
    "sans-serif": "sans",
    "monospace": "mono",
    "italic": "slanted",
}
"""Fonts in which several letters form a word, with their classes in the style sheet."""
_ROWS = frozenset({"math", "mrow", "mtd", "mstyle"})
_EQUAL = frozenset("=≡≔")
_SPACE = {"width": "0.4em"}


def settle(element: Element) -> None:
    """Adapt all elements inside an element."""
    for child in element:
        child.text = html.unescape(child.text or "")
        settle(child)
        _one(child)
    if element.tag in _ROWS:
        element[:] = [child for child in element if child.tag != "mrow" or len(child)]
    _negate(element)
    if element.tag in _SCRIPTS:  # a base and its scripts are not a word
        for child in element:
            _dressed(child)
    else:
        element[:] = _joined(_named(list(element)))
    _relations(list(element))


def _one(element: Element) -> None:
    """Adapt one element whose contents are adapted."""
    words = element.text or ""
    if element.tag == "mi" and (words in _DRAWN or _is_operator(words)):
        element.tag, element.text = "mo", _DRAWN.get(words, words)
        if unicodedata.category(words) in ("Ps", "Pe"):
            element.set("stretchy", "false")
    elif element.tag == "mo" and words in _SETTLED:
        element.tag = "mi"
    elif element.tag == "mspace":
        element.set("width", _width(element.get("width", "")))
    elif element.tag == "mpadded" and element.get("width", "").startswith("+"):
        # Browsers dropped additive widths, so that what stands on an arrow gets spaces instead.
        element.tag, element.attrib = "mrow", {}
        element[:] = [Element("mspace", _SPACE), *element, Element("mspace", _SPACE)]
    elif element.tag == "mstyle" and len(element) == 1 and element[0].tag == "mo":
        element.tag, element.text, element.attrib = "mo", element[0].text, {"stretchy": "true"}
        element[:] = []


def _negate(element: Element) -> None:
    r"""Put the stroke of each `\not` on the sign after it, because fonts do not."""
    for number, stroke in reversed(list(enumerate(element))):
        if stroke.tag != "mpadded" or len(stroke) != 1 or stroke[0].text != _STROKE:
            continue
        found = None if element.tag in _SCRIPTS else _first_sign(element[number + 1 :])
        words = (found.text or "") if found is not None else ""
        stroke.attrib, stroke[:] = {}, []
        if found is None or words.startswith("\\"):
            stroke.tag, stroke.text = ("mo", "/") if found is None else ("mi", r"\not")
            continue
        element.remove(stroke)
        sign = words[0] if found.tag != "mi" or words[1:] else lettered(words, "italic")
        sign = unicodedata.normalize("NFC", _NEGATED.get(sign, sign) + _OVERLAY)
        found.text = sign + words[1:]
        if _is_operator(sign):
            found.tag, found.attrib = "mo", {}


def _first_sign(elements: list[Element]) -> Element | None:
    """The first token with text."""
    for element in elements:
        if element.tag in _TOKENS and element.text:
            return element
        is_based = element.tag in _SCRIPTS
        found = _first_sign(element[:1] if is_based else list(element))
        if found is not None or is_based:
            return found
    return None


def _width(written: str) -> str:
    """A width that browsers know: without names and without mu, the eighteenth part of an em."""
    match = _IN_EIGHTEENTHS.fullmatch(written)
    if match:
        return f"{round(float(match[1]) / 18, 3):g}em"
    return "-0.167em" if written == "negativethinmathspace" else written


_IN_EIGHTEENTHS = regex(r"(-?\d{1,6}(?:\.\d{0,9})?)\s*mu")
_STROKE, _OVERLAY = "⧸", "\u0338"
_NEGATED = {"|": "∣", "‖": "∥", "⊧": "⊨", "~": "∼", "⟂": "⊥"}
"""Characters whose negation is composed from another character."""
_DRAWN = {":": ":", "~": "∼", "⧵": "∖"}
"""Operators as they are drawn; few fonts have the character for set difference."""
_OPERATORS = regex(r"[¬±×÷←-⇿∈-∍∏-∝∣-⊣⊧-⊽⋀-⋿⟂⟰-⟿⤀-⥿⨀-⫿◁▷]")
"""Arrows, relations and operations, without the symbols among them that stand for themselves."""
_SETTLED = frozenset("∅∞⊤⊥")
"""Symbols that the converter takes for operators, around which browsers leave space."""


def _is_operator(words: str) -> bool:
    """Whether a character is an arrow, a relation, an operation or a bracket."""
    if len(words) != 1 or words < "\x80":
        return False
    return bool(_OPERATORS.match(words)) or unicodedata.category(words) in ("Ps", "Pe")


def _named(elements: list[Element]) -> list[Element]:
    r"""Join commands whose name is a digit, such as `\1`."""
    for element, following in pairwise(elements):
        if element.text == "\\" and following.tag == "mn" and following.text:
            element.text = f"\\{following.text[0]}"
            following.text = following.text[1:]
    return [element for element in elements if element.tag != "mn" or element.text]


def _joined(elements: list[Element]) -> list[Element]:
    """Join adjacent letters of one font to a word; a minus between them becomes a hyphen."""
    made: list[Element] = []
    for element, following in zip_longest(elements, elements[1:]):
        last = made[-1] if made else None
        if last is not None and _is_of_one_word(last, element):
            last.text = f"{last.text}{element.text}"
        elif last is not None and element.text == "−" and _is_hyphen(last, following):
            last.text = f"{last.text}‐"
        else:
            made.append(element)
    for element in made:
        _dressed(element)
    return made


def _is_of_one_word(one: Element, other: Element | None) -> bool:
    if other is None or not one.tag == other.tag == "mi" or len(one) or len(other):
        return False
    return one.get("mathvariant") in _WORDS and one.get("mathvariant") == other.get("mathvariant")


def _is_hyphen(last: Element, following: Element | None) -> bool:
    return len(last.text or "") > 1 and _is_of_one_word(last, following)


def _dressed(element: Element) -> None:
    """Express a font by characters or by a class."""
    variant = element.attrib.pop("mathvariant", None)
    if variant is None or len(element):
        return
    text = element.text or ""
    if element.tag == "mtext" or (variant in _WORDS and len(text) > 1 and element.tag == "mi"):
        name = _WORDS.get(variant, "")
        element.attrib.update({"class": name} if name else {})
    elif variant == "normal":
        element.set("mathvariant", "normal")
    else:
        element.text = lettered(text, variant)


def _relations(elements: list[Element]) -> None:
    """Space colons as relations, because browsers treat them as punctuation."""
    for number, element in enumerate(elements):
        if element.tag != "mo" or element.text != ":":
            continue
        following = elements[number + 1] if number + 1 < len(elements) else None
        if following is not None and following.tag == "mo" and following.text in _EQUAL:
            element.attrib = {"lspace": "0.28em", "rspace": "0"}
            following.set("lspace", "0")
        else:
            element.attrib = {"lspace": "0.2em", "rspace": "0.2em"}


_ALPHABETS = {
    "bold": "BOLD",
    "italic": "ITALIC",
    "bold-italic": "BOLD ITALIC",
    "script": "SCRIPT",
    "bold-script": "BOLD SCRIPT",
    "fraktur": "FRAKTUR",
    "bold-fraktur": "BOLD FRAKTUR",
    "double-struck": "DOUBLE-STRUCK",
    "sans-serif": "SANS-SERIF",
    "bold-sans-serif": "SANS-SERIF BOLD",
    "sans-serif-italic": "SANS-SERIF ITALIC",
    "sans-serif-bold-italic": "SANS-SERIF BOLD ITALIC",
    "monospace": "MONOSPACE",
}
_OLDER = {"FRAKTUR": "BLACK-LETTER", "SCRIPT": "SCRIPT", "DOUBLE-STRUCK": "DOUBLE-STRUCK"}
"""The older Unicode names of some letters in these alphabets."""


def lettered(text: str, variant: str) -> str:
    """The letters of a text in an alphabet; letters that it lacks are unchanged."""
    alphabet = _ALPHABETS.get(variant)
    return "".join(_letter(letter, alphabet) for letter in text) if alphabet else text


@lru_cache(maxsize=2_048)
def _letter(letter: str, alphabet: str) -> str:
    name = unicodedata.name(letter, "").removeprefix("LATIN ").removeprefix("GREEK ")
    name = name.replace("LETTER ", "")
    older = _OLDER.get(alphabet)
    names = [f"MATHEMATICAL {alphabet} {name}"] + [f"{older} {name}"] * (older is not None)
    for found in names:
        try:
            return unicodedata.lookup(found)
        except KeyError:
            continue
    return "ℎ" if (letter, alphabet) == ("h", "ITALIC") else letter
