"""Natural language as data: the words in the TOML files beside this one, each read once.

What a file holds, and how its phrases are written, stands at its head.
"""

from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from pathlib import Path
from typing import Any


@cache
def word_tables(name: str) -> Mapping[str, Any]:
    """The tables of the file of this name; each entry has an example."""
    import tomllib  # late: the hook starts often, and reads words only where a file is new

    path = Path(__file__).with_name(f"{name}.toml")
    return tomllib.loads(path.read_text("utf-8"))


@cache
def phrases_of(name: str, table: str = "") -> Mapping[str, Mapping[str, str]]:
    """By name, the phrases of all languages in a file or in one of its tables, in order.

    Each phrase with its example, none twice.
    """
    named = word_tables(name)
    return {
        key: reduce(or_, languages.values())
        for key, languages in (named[table] if table else named).items()
    }


HEADING_WORDS, INTRODUCING_WORDS = "heading_words", "introducing_words"
HYPOTHESIS_WORDS = "hypothesis_words"


@cache
def introducing() -> Mapping[str, Mapping[str, str]]:
    """The phrases that introduce something, by their role, of all languages."""
    return phrases_of(INTRODUCING_WORDS)


@cache
def said_by_heading(title: str) -> frozenset[str]:
    """What the words of a heading say: that what is under it is `general`, an `introduction`."""
    low = title.lower()
    told = phrases_of(HEADING_WORDS).items()
    return frozenset([role for role, words in told if any(word in low for word in words)])
