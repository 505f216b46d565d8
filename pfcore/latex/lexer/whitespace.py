"""Canonical texts: white space is folded in prose and dropped in formulas, which get one fence."""

import re
from bisect import bisect_right
from functools import lru_cache

from pfcore.domain.lazy_regex import regex

CLAIM, CLAIM_END, GIVEN = "\x0e", "\x0f", "\x10"
"""Marks around a claim inside a proof's text; and after the hypotheses that precede a claim."""
_CLAIM = regex(f"{CLAIM}([^{CLAIM}{CLAIM_END}]*){CLAIM_END}")

NAME, NAME_END = "\x11", "\x12"
"""Marks around the name of a result, which the first form of contexts lacks."""
IDLE, IDLE_END = "\x13", "\x14"
"""Marks around text that is not printed, but is in the first form of contexts."""
_NAMED = regex(f"{NAME}[^{NAME}{NAME_END}]*{NAME_END} ?")
_LEFT = regex(f"{IDLE}[^{IDLE}{IDLE_END}]*{IDLE_END}")

MENTION = regex("\x02(\\d+)\x03")
ANCHOR = regex("\x04(\\d+)\x05")
_ANCHORS = regex("\x04\\d+\x05(?: ?\x04\\d+\x05)* ?")
_ENDS_IN_COMMAND = regex(r"\\[A-Za-z@]+$")

# A display never contains its own opening again, so nothing unclosed is scanned twice. Each pattern
# begins with a plain character, because `re` finds those fast; the check that no backslash precedes
# it follows after it.
MATHS = regex(
    r"\$(?<!(?<!\\)\\\$)(?<!(?<!\\)\\\\\\\$)"
    r"(?:\$[^$\\]*(?:(?:\\.|\$(?!\$))[^$\\]*)*\$\$|[^$\\]*(?:\\.[^$\\]*)*\$)"
    r"|\\(?<!(?<!\\)\\\\)(?<!(?<!\\)\\\\\\\\)(?:\[[^\\]*(?:\\[^\[\]][^\\]*)*\\\]"
    r"|\([^\\]*(?:\\[^()][^\\]*)*\\\)"
    r"|begin\{(equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|math)(\*?)\}"
    r"[^\\]*(?:\\(?!begin\{\1\2\}|end\{\1\2\})[^\\]*)*\\end\{\1\2\})",
    re.DOTALL,
)
_PARENTHESES = regex(r"(?<!\\)\\[()]")
_ENDS = ("$", r"\)", r"\end{math}")
_TEXT_IN_MATHS = regex(r"(\\(?:text\w*|mbox|hbox|fbox|intertext|tag)\*?\s*\{[^{}]*\})")
_IDLE_SPACE = regex(r" (?:(?<![A-Za-z\\] )|(?<=[^\\]\\\\ )|(?![A-Za-z])(?<!\\ ))")
_COMMAND = (
    r"\\(?:(?:begin|end)\{(?!math\})[^{}]*\}|(?<!(?<!\\)\\\\)(?<!(?<!\\)\\\\\\\\)[\[\]]"
    r"|item(?![A-Za-z]))"
)
_DISPLAY = regex(rf"({_COMMAND}|\$\$)")
_WITHOUT_DOLLARS = regex(f"({_COMMAND})")
"""Several times as fast, because it begins with a single character."""
_LONGEST = 200


def fold(text: str) -> str:
    """White space folded to single spaces, and dropped inside mathematics, where it means nothing.

    Formulas are put between dollar signs, displays without a number between `\\[` and `\\]`.
    """
    display = _DISPLAY if "$$" in text else _WITHOUT_DOLLARS
    untied = _untied(text) if "\\~" in text else text.replace("~", " ")
    text = " ".join(display.split(untied))
    text = " ".join(text.split())
    return MATHS.sub(_fold_maths, text)


def _untied(text: str) -> str:
    """Ties as spaces; after an odd number of backslashes, `~` is an accent and not a tie."""
    *parts, last = text.split("~")
    return "".join([part + " ~"[_backslashes(part) % 2] for part in parts]) + last


def _backslashes(text: str) -> int:
    """The number of backslashes at the end of a text."""
    return len(text) - len(text.rstrip("\\"))


def _fold_maths(match: re.Match[str]) -> str:
    text = _fenced(match)
    if " " not in text:
        return text
    return _folded(text) if len(text) > _LONGEST else _kept(text)


def _fenced(match: re.Match[str]) -> str:
    """A formula or display between the delimiters that are used for all."""
    text = match[0]
    if text[0] == "$":
        is_display = len(text) > 3 and text[1] == "$"
        return rf"\[{_inner(text[2:-2])}\]" if is_display else text
    if match[1]:
        name = match[1] + match[2]
        body = text[len(r"\begin{}") + len(name) : -len(r"\end{}") - len(name)]
    else:
        name, body = text[:2], text[2:-2]
    if name in ("math", r"\("):
        return text if "$" in body or _is_beside_another(match) else f"${body}$"
    return rf"\[{_inner(body)}\]" if name in _DISPLAYS else text


_DISPLAYS = frozenset({r"\[", "equation*", "displaymath"})


def _inner(body: str) -> str:
    """The body of a display, with formulas in its words between dollar signs."""
    return _PARENTHESES.sub("$", body) if r"\(" in body else body


def _is_beside_another(match: re.Match[str]) -> bool:
    """Whether its dollar signs would touch others and so make a display."""
    text, start, end = match.string, match.start(), match.end()
    return text.endswith(_ENDS, 0, start) or text.startswith("$", end)


def _folded(text: str) -> str:
    if "\\t" not in text and "box" not in text and "\\intertext" not in text:
        return _IDLE_SPACE.sub("", text)
    parts = _TEXT_IN_MATHS.split(text)
    return "".join(
        [part if index % 2 else _IDLE_SPACE.sub("", part) for index, part in enumerate(parts)]
    )


_kept = lru_cache(maxsize=8_192)(_folded)
"""Cached, because a text repeats its short formulas."""


_RUN = regex(r"[ \t\n](?:(?<=\n)|(?=[ \t\n]))[ \t\n]*")


class SqueezedText:
    """A text with each paragraph on one line, and a map of its offsets to the original's."""

    def __init__(self, text: str) -> None:
        pieces: list[str] = []
        self._own, self._theirs = [0], [0]
        done = length = 0
        for match in _RUN.finditer(text):
            start, end = match.span()
            blank = "\n\n" if match[0].count("\n") > 1 else " "
            pieces += (text[done:start], blank)
            length += start - done + len(blank)
            self._own.append(length)
            self._theirs.append(end)
            done = end
        pieces.append(text[done:])
        self.text = "".join(pieces)

    def start(self, position: int) -> int:
        """The original offset of a start here."""
        number = bisect_right(self._own, position) - 1
        return self._theirs[number] + position - self._own[number]

    def end(self, position: int) -> int:
        """The original offset of an end here."""
        return self.start(position - 1) + 1 if position else 0


def first_form(text: str) -> str:
    """A canonical text in the first form of contexts: without names, with unprinted text."""
    if NAME in text:
        text = _NAMED.sub("", text).rstrip(" ")
    return text.replace(IDLE, "").replace(IDLE_END, "") if IDLE in text else text


def second_form(text: str) -> str:
    """A canonical text with all that is printed and nothing else."""
    if NAME in text:
        text = text.replace(NAME, "").replace(NAME_END, "")
    return _LEFT.sub("", text) if IDLE in text else text


def bare(text: str) -> str:
    """A canonical text without its anchors, the input of a block's digest."""
    if "\x04" not in text:
        return text
    pieces: list[str] = []
    done = 0
    for match in _ANCHORS.finditer(text):
        start, end = match.span()
        start -= start > done and text[start - 1] == " "
        pieces += (text[done:start], _gap(text, start, end))
        done = end
    pieces.append(text[done:])
    return "".join(pieces).strip()


def printed(text: str) -> str:
    """A canonical text as a reader sees it: claims in brackets."""
    if CLAIM in text:
        text = text.replace(CLAIM, "[").replace(f" {CLAIM_END}", "]").replace(CLAIM_END, "]")
    return text.replace(f"{GIVEN} ", "").replace(GIVEN, "") if GIVEN in text else text


def around_claims(text: str) -> str:
    """The text of a proof without the words of the claims inside it, with unnumbered marks."""
    return _unnumbered(_CLAIM.sub("[]", _CLAIM.sub("[]", text)))


def given(text: str) -> str:
    """The hypotheses that a claim's text has before the claim."""
    return _unnumbered(text.rpartition(GIVEN)[0])


def own(text: str) -> str:
    """A canonical text without the hypotheses before it, with unnumbered marks."""
    return _unnumbered(text.rpartition(GIVEN)[2])


def _unnumbered(text: str) -> str:
    """The text with unnumbered marks: the numbers depend on how many marks precede them."""
    return ANCHOR.sub("\x04\x05", MENTION.sub("\x02\x03", text))


def _gap(text: str, start: int, end: int) -> str:
    """The replacement for anchors: a space if there was one, or between a command and a word."""
    if text.find(" ", start, end) >= 0:
        return " "
    is_word = text[end : end + 1].isalpha()
    joined = is_word and _ENDS_IN_COMMAND.search(text[max(0, start - 40) : start])
    return " " if joined else ""
