"""White space in canonical texts: folded in prose, dropped in mathematics."""

import re

MENTION = re.compile("\x02(\\d+)\x03")
ANCHOR = re.compile("\x04(\\d+)\x05")
_ANCHORS = re.compile("(?: ?\x04\\d+\x05)+ ?")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z@]+$")

# A display never holds its own opening again: so nothing is scanned twice that nothing closes.
# Each pattern begins with a plain character, for that is what `re` finds fast; that no backslash
# stands before it is asked behind it.
_MATHS = re.compile(
    r"\$(?<!\\\$)(?:\$[^$\\]*(?:(?:\\.|\$(?!\$))[^$\\]*)*\$\$|[^$\\]*(?:\\.[^$\\]*)*\$)"
    r"|\\(?<!\\\\)(?:\[[^\\]*(?:\\[^\[\]][^\\]*)*\\\]"
    r"|\([^\\]*(?:\\[^()][^\\]*)*\\\)"
    r"|begin\{(equation|align|gather|multline|eqnarray|alignat|flalign|displaymath|math)(\*?)\}"
    r"[^\\]*(?:\\(?!begin\{\1\2\}|end\{\1\2\})[^\\]*)*\\end\{\1\2\})",
    re.DOTALL,
)
_TEXT_IN_MATHS = re.compile(r"(\\(?:text\w*|mbox|hbox|fbox|intertext|tag)\*?\s*\{[^{}]*\})")
_IDLE_SPACE = re.compile(r" (?:(?<![A-Za-z\\] )|(?<=[^\\]\\\\ )|(?![A-Za-z])(?<!\\ ))")
_DISPLAY = re.compile(
    r"(\\(?:begin\{[^{}]*\}|end\{[^{}]*\}|(?<!\\\\)[\[\]]|item(?![A-Za-z]))|\$\$)"
)


def fold(text: str) -> str:
    """White space folded to single spaces; inside mathematics, where it means nothing, dropped."""
    text = " ".join(_DISPLAY.split(text.replace("~", " ")))
    text = " ".join(text.split())
    return _MATHS.sub(_fold_maths, text)


def _fold_maths(match: re.Match[str]) -> str:
    text = match[0]
    if " " not in text:
        return text
    parts = _TEXT_IN_MATHS.split(text)
    return "".join(
        part if index % 2 else _IDLE_SPACE.sub("", part) for index, part in enumerate(parts)
    )


def bare(text: str) -> str:
    """A canonical text without its anchors: what a digest of the block is made from."""
    return _ANCHORS.sub(_gap, text).strip() if "\x04" in text else text


def _gap(match: re.Match[str]) -> str:
    """What parted the anchor from its neighbours parts them; a command is not joined to a word."""
    text, start, end = match.string, *match.span()
    is_word = text[end : end + 1].isalpha()
    joined = is_word and _ENDS_IN_COMMAND.search(text[max(0, start - 40) : start])
    return " " if " " in match[0] or joined else ""
