"""Proofs that are none, and proofs that construct, by the words of `proof_words.toml`."""

import re
import unicodedata
from functools import cache

from pfcore.latex.language.phrases import word_tables
from pfcore.latex.parsed_file import CITED, CONSTRUCTION, OMITTED

WORDS = "proof_words"

LONGEST = 200
"""Characters of a text that may say only that a proof is left out, or stands elsewhere."""

_BEGINNING = 300  # characters: the first sentences
_CITATION = re.compile(
    r"\\[A-Za-z]{0,12}cite[A-Za-z]{0,12}\*?(?:\s?\[[^\[\]]{0,80}\]){0,2}\s?\{[^{}]{1,120}\}"
    r"|\\url\s?\{[^{}]{1,150}\}|(?<!\\)\[[^\[\]\\$]{1,80}\]"
)
_ACCENT = re.compile(r"\\[`'^\"]\s?\{?(?=[A-Za-z])")
_LAYOUT = re.compile(
    r"\\(?:textit|textbf|textsc|emph|mbox|hfill|qed|qedhere|noindent)(?![A-Za-z])|[{}~\s]"
)
_NUMBER = r"(?:[a-z§]{1,14}+\.? ?)?\(?[a-z]?\.?\d[\w.:'-]{0,12}+\)?"
_PLACES = rf"(?:{_NUMBER}(?:, | and | und | et )){{0,2}}{_NUMBER}"
_IN = rf"(?:{_PLACES},? (?:of|in|from|von|aus|de|dans) )?"
_WORKS = rf"@(?:(?:,|,? (?:and|or|und|et|see also))? @){{0,4}}(?:,? {_PLACES})?"
_BLANKS = {
    "{source}": rf"{_IN}(?:[a-z][a-z.'-]{{0,20}}+,? ){{0,4}}{_WORKS}",
    "{place}": _IN + _WORKS,
}


_ARGUES = re.compile(r"[$<>\x00-\x08\x0e-\x1f]")
"""What says more: formulas, and the marks of references. The words are then not looked at."""


def nature_of(text: str, *, called: str | None = None) -> str:
    """What a proof is by its canonical text: omitted, cited, a construction; else "".

    `called` are its environment and title where it stands right behind a definition, which it may
    construct; None elsewhere.
    """
    if len(text) <= LONGEST and not _ARGUES.search(text):
        said = plain_words(text)
        if pattern_of("omitted").fullmatch(said):
            return OMITTED
        if "@" in said and pattern_of("cited").fullmatch(said):
            return CITED
    if called is None:
        return ""
    begins = plain_words(f"{called} {text[:_BEGINNING]}")
    return CONSTRUCTION if pattern_of("constructs").search(begins) else ""


def plain_words(text: str) -> str:
    """A text in small letters without accents and layout; @ stands for a citation."""
    bare = _CITATION.sub(" @ ", _ACCENT.sub("", text.replace("@", " ")))
    small = unicodedata.normalize("NFKD", _LAYOUT.sub(" ", bare).replace("’", "'").casefold())
    words = "".join(letter for letter in small if not unicodedata.combining(letter)).split()
    return " ".join(words).replace("@ ,", "@,").replace("@ .", "@.").strip(" .,;:!()")


@cache
def pattern_of(name: str) -> re.Pattern[str]:
    """The words of all languages for what the table of this name says, as one pattern."""
    found = (
        words_of(entry["words"], table["what"])
        for table in word_tables(WORDS).values()
        for entry in table[name]
    )
    return re.compile("|".join(found))


def words_of(words: str, what: str) -> str:
    """The pattern of an entry of a language."""
    for blank, pattern in {"{what}": what, **_BLANKS}.items():
        words = words.replace(blank, pattern)
    return words
