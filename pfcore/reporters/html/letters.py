"""Letters of other alphabets by their own signs: browsers no longer know `mathvariant`."""

import unicodedata
from functools import lru_cache

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
"""Some letters had a sign, under another name, before the alphabets came."""


def lettered(text: str, variant: str) -> str:
    """The letters of a text in an alphabet; what it does not have stays."""
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
