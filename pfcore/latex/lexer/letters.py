r"""Letters as TeX files type them, in the one way of writing them: `\"u` and `{\ss}` as ü and ß.

What looks at words looks at these; where offsets matter, at a text of the same length.
"""

import re
import unicodedata

_COMBINING = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", ".": "\u0307",
    "=": "\u0304", "c": "\u0327", "v": "\u030c", "u": "\u0306", "H": "\u030b", "k": "\u0328",
    "r": "\u030a", "d": "\u0323",
}  # fmt: skip
_NAMED = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å", "o": "ø",
    "O": "Ø", "l": "ł", "L": "Ł",
}  # fmt: skip
_SHORTHANDS = {
    "a": "ä", "o": "ö", "u": "ü", "A": "Ä", "O": "Ö", "U": "Ü", "s": "ß", "z": "ß"
}  # fmt: skip
"""What a quotation mark inside of a word makes of the letter behind it in German (babel)."""

_MAY = re.compile(
    "\\\\(?:['`^\"~.=]|(?:ss|ae|AE|oe|OE|aa|AA|[oOlLcvuHkrd])(?![A-Za-z]))|[A-Za-z][\u0300-\u0328]"
)
_BASE = r"(?:\{ ?(?:[A-Za-z]|\\[ij]) ?\}|[A-Za-z]|\\[ij](?![A-Za-z])(?:\{\}| )?)"
_LETTER = (
    r"(?P<open>\{ ?)?(?:"
    rf"\\(?P<sign>['`^\"~.]) ?(?P<signed>{_BASE})"
    r"|\\=(?P<barred>\{ ?[A-Za-z] ?\})"
    r"|\\(?P<accent>[cvuHkrd])"
    r"(?P<accented>\{ ?(?:[A-Za-z]|\\[ij]) ?\}| [A-Za-z]| ?\\[ij](?![A-Za-z]))"
    rf"|\\(?P<named>{'|'.join(_NAMED)})(?![A-Za-z])(?:\{{\}}| )?"
    "|(?P<combined>[A-Za-z][\u0300-\u0328]))"
    r"(?(open) ?\})"
)
_PRINTED = re.compile(rf"\\\\|{_LETTER}")
_SAID = re.compile(rf"\\\\|{_LETTER}|(?<=[a-zäöüß])\"(?P<short>[aouAOUsz])(?=[a-zäöüß]|\"[aousz])")
_TAKES = re.compile(r"(?:\\[A-Za-z@]+\*? ?|[}\]_^])\Z")
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z@]+\Z")
_BARE = re.compile(r"[\\{} ]")
_NEAR = 60
_WORD_END = re.compile(r"[\W\d_]")


def printed_letters(text: str) -> str:
    """A text with the letters that its accents and names of letters print."""
    return _PRINTED.sub(_letter, text) if _MAY.search(text) else text


def with_letters(text: str) -> str:
    """The same for a look at its words: shorthands of German texts are letters, too."""
    return _SAID.sub(_letter, text) if '"' in text or _MAY.search(text) else text


def letters_in_place(text: str) -> str:
    """The same, each word at its place: blanks behind a word stand for what it is shorter by."""
    if '"' not in text and not _MAY.search(text):
        return text
    pieces: list[str] = []
    owed = done = 0
    for match in _SAID.finditer(text):
        start, end = match.span()
        made = _letter(match)
        if owed and (word_end := _WORD_END.search(text, done, start)):
            pieces += (text[done : word_end.start()], " " * owed)
            done, owed = word_end.start(), 0
        pieces += (text[done:start], made)
        owed += end - start - len(made)
        done = end
    if owed:
        word_end = _WORD_END.search(text, done)
        last = word_end.start() if word_end else len(text)
        pieces += (text[done:last], " " * owed)
        done = last
    return "".join((*pieces, text[done:]))


def behind_word(text: str, shown: str, end: int) -> int:
    """Where in a text a word ends that ends somewhere in the text with its letters in place."""
    while end < len(text) and shown[end] == " " and not text[end].isspace():
        end += 1
    return end


def _letter(match: re.Match[str]) -> str:
    """The letter of an accent or a name; in braces where a command takes it as an argument."""
    if match.lastgroup == "short":
        return _SHORTHANDS[match["short"]]
    made = _made(match)
    if not made:
        return match[0]
    before = match.string[max(0, match.start() - _NEAR) : match.start()]
    if match["open"]:
        return f"{{{made}}}" if _TAKES.search(before) else made
    return f" {made}" if _ENDS_IN_COMMAND.search(before) else made


def _made(match: re.Match[str]) -> str:
    """The letter itself; "" where no one letter is printed."""
    if match["named"]:
        return _NAMED[match["named"]]
    if match["combined"]:
        made = unicodedata.normalize("NFC", match["combined"])
    else:
        sign = match["sign"] or match["accent"] or "="
        base = _BARE.sub("", match["signed"] or match["accented"] or match["barred"] or "")
        if not base:
            return ""
        made = unicodedata.normalize("NFC", base + _COMBINING[sign])
    return made if len(made) == 1 else ""
