"""Formulas in the LaTeX that a converter knows: its gaps are filled by what means the same."""

import re
from collections.abc import Callable, Iterator

from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.lexer.groups import Groups

# Commands that mean nothing to a formula on a page, and those that have a known equivalent.
_IDLE = re.compile(
    r"\\(?:ensuremath|xspace|relax|expandafter|hfil|hfill|joinrel|nonumber|notag|nolimits|lefteqn|"
    r"allowbreak|protect|leavevmode|noindent|centering|strut|mathstrut|thinspace|nobreak|null)"
    r"(?![A-Za-z])|\\label\s*\{[^{}]*\}|[\x00-\x1f]"
)
_EQUIVALENT = {
    "vcentcolon": ":", "coloneqq": ":=", "eqqcolon": "=:", "Relbar": "=", "mbox": r"\text",
    "textsc": r"\text", "textnormal": r"\text", "hbox": r"\text", "mathds": r"\mathbb",
    "bm": r"\boldsymbol", "dfrac": r"\frac", "defeq": ":=", "colon": ":", "centerdot": r"\cdot",
    "arg": r"\operatorname{arg}", "nmodels": r"\nvDash", "hdots": r"\ldots", "textup": r"\text",
    "textsl": r"\textit", "mathexclaim": "!", "fbox": r"\text",
}  # fmt: skip
_NAMED = re.compile(rf"\\({'|'.join(_EQUIVALENT)})(?![A-Za-z])")
_BOX = re.compile(r"\\(?:raisebox|scalebox)\s*\{[^{}]*\}(?:\[[^\]]*\]){0,2}(?=\s*\{)")
_PLACED = re.compile(r"(\\begin\{(?:aligned|gathered|alignedat|array|split)\})\s*\[[tbc]\]")
_PRIMES = re.compile(r"('+)\s*\^\s*(?:(\{)|([^\s{}\\'^_]|\\[A-Za-z]++(?!\s*\{)))")
# The idiom by which macros ask whether an argument is empty.
_EMPTY = re.compile(r"\\if\\relax\\detokenize\{([^{}]*)\}\\relax ?(.*?)\\else ?(.*?)\\fi", re.S)
_TEXT = re.compile(r"(\\text(?:rm|bf|it|sf|tt)?)(?![A-Za-z])\s*(?=\{)")
_FONT = re.compile(r"\\(?:text(?:rm|bf|it|sf|tt)?|emph|underline)\s*(?=\{)")
_CALL = re.compile(r"\\[A-Za-z]+\s*\{")
_FORMULA = re.compile(r"(?<!\\)\$")


def tidy(text: str) -> str:
    """The formula in commands that are common; ValueError where its groups are broken."""
    text = _EMPTY.sub(lambda match: match[3] if match[1].strip() else match[2], text)
    text = _rewritten(text, r"\mathchoice", 4, _chosen)
    text = _rewritten(text, r"\genfrac", 6, _fraction)
    text = _NAMED.sub(lambda match: _EQUIVALENT[match[1]] + " ", text)
    text = _PLACED.sub(r"\1", _BOX.sub(r"\\text", text))
    return _IDLE.sub(" ", _PRIMES.sub(_primed, "".join(_worded(text))))


def _primed(match: re.Match[str]) -> str:
    """Primes and what else is above, as one superscript."""
    primes = r"^{" + r"\prime" * len(match[1]) + " "
    return primes + (match[3] + "}" if match[3] else "")


def _rewritten(text: str, command: str, count: int, make: Callable[..., str]) -> str:
    """Each use of a command, and its groups, replaced by what is made of their insides."""
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
    r"""The first of the four formulas that `\mathchoice` has for four sizes."""
    return f"{{{display}}}"


def _fraction(left: str, right: str, line: str, _style: str, upper: str, lower: str) -> str:
    r"""`\genfrac` by its parts."""
    is_bare = re.fullmatch(r"\s*0+(?:\.0*)?\s*[a-z]*", line) is not None
    stack = rf"\begin{{matrix}}{upper}\\{lower}\end{{matrix}}"
    inner = stack if is_bare else rf"\frac{{{upper}}}{{{lower}}}"
    return rf"\left{left.strip() or '.'}{inner}\right{right.strip() or '.'}"


def _group(groups: Groups, position: int) -> tuple[int, int]:
    found = groups.braces(position)
    if found is None:
        raise ValueError(groups.text)
    return found


def _worded(text: str) -> Iterator[str]:
    r"""A formula with each `\text{if $x$ is}` as words, and formulas beside them."""
    groups, position = Groups(text), 0
    while match := _TEXT.search(text, position):
        start, end = _group(groups, match.end())
        yield text[position : match.start()]
        for number, piece in enumerate(_FORMULA.split(text[start:end])):
            if number % 2:
                yield f"{{{piece}}}"
            elif piece:
                yield f"{match[1]}{{{_plain_words(piece)}}}"
        position = end + 1
    yield text[position:]


def _plain_words(text: str) -> str:
    """Words alone; ValueError where they have commands with arguments that nobody here knows."""
    text = _FONT.sub("", text)
    if _CALL.search(text):
        raise ValueError(text)
    words = plain_text(text) if "\\" in text else text
    words = re.sub(r"[\\{}$]", "", words.replace("~", " "))
    return " " * text[:1].isspace() + words.strip() + " " * text[-1:].isspace()
