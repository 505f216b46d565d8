"""Proofs that are none, and proofs that construct, by the words of `proof_words.toml`."""

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pfcore.latex.parsed_file import CITED, CONSTRUCTION, OMITTED

WORDS = Path(__file__).with_suffix(".toml")

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


class ProofPatterns(NamedTuple):
    """What a whole text says, and what stands in a beginning."""

    omitted: re.Pattern[str]
    cited: re.Pattern[str]
    constructs: re.Pattern[str]


def nature_of(text: str, *, called: str | None = None) -> str:
    """What a proof is by its canonical text: omitted, cited, a construction; else "".

    `called` are its environment and title where it stands right behind a definition, which it may
    construct; None elsewhere.
    """
    if len(text) <= LONGEST:
        said = plain_words(text)
        known = patterns()
        if known.omitted.fullmatch(said):
            return OMITTED
        if "@" in said and known.cited.fullmatch(said):
            return CITED
    if called is None:
        return ""
    begins = plain_words(f"{called} {text[:_BEGINNING]}")
    return CONSTRUCTION if patterns().constructs.search(begins) else ""


def plain_words(text: str) -> str:
    """A text in small letters without accents and layout; @ stands for a citation."""
    bare = _CITATION.sub(" @ ", _ACCENT.sub("", text.replace("@", " ")))
    small = unicodedata.normalize("NFKD", _LAYOUT.sub(" ", bare).replace("’", "'").casefold())
    words = "".join(letter for letter in small if not unicodedata.combining(letter)).split()
    return " ".join(words).replace("@ ,", "@,").replace("@ .", "@.").strip(" .,;:!()")


@cache
def patterns() -> ProofPatterns:
    """The words of all languages as one pattern for each of what they say."""
    tables = tomllib.loads(WORDS.read_text(encoding="utf-8")).values()
    found: dict[str, list[str]] = {name: [] for name in ProofPatterns._fields}
    for table in tables:
        for name, listed in found.items():
            listed += [words_of(entry["words"], table["what"]) for entry in table[name]]
    return ProofPatterns(*(re.compile("|".join(found[name])) for name in ProofPatterns._fields))


def words_of(words: str, what: str) -> str:
    """The pattern of an entry of a language."""
    for blank, pattern in {"{what}": what, **_BLANKS}.items():
        words = words.replace(blank, pattern)
    return words
