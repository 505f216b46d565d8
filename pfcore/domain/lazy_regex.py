"""Regular expressions that are compiled on first use.

The front end has hundreds of patterns; a commit that edits one file needs a fifth of them, and
compiling all takes longer than reading the file. Patterns hold no words of natural languages: they
name roles, whose words are in the TOML file next to the module.
"""

import re
import sys
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

_METHODS = (
    "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn",
    "pattern", "flags", "groups", "groupindex",
)  # fmt: skip


_POSSESSIVE_GROUPS = (3, 11, 5)
"""The first Python that repeats groups possessively as it should (CPython's issue 106052)."""
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[()]|[^\\\[()]+", re.DOTALL)
_POSSESSIVE = re.compile(r"([*+?]|\{\d*,?\d*\})\+")


def with_atomic_groups(written: str) -> str:
    """A pattern with `(?>(?:a)*)` in place of `(?:a)*+`, which means the same in every Python."""
    pieces: list[str] = []
    begun: list[int] = []
    place = 0
    while token := _TOKEN.match(written, place):
        place = token.end()
        if token[0] == "(":
            begun.append(len(pieces))
        pieces.append(token[0])
        start = begun.pop() if token[0] == ")" and begun else -1
        if start >= 0 and (repeated := _POSSESSIVE.match(written, place)):
            pieces[start] = f"(?>{pieces[start]}"
            pieces.append(f"{repeated[1]})")
            place = repeated.end()
    return "".join(pieces)


class LazyRegex:
    """Stands for a compiled pattern; after the first use its methods are the pattern's own."""

    __slots__ = ("_flags", "_module", "_written", *_METHODS)

    def __init__(self, written: str, flags: int, module: str) -> None:
        self._written = written
        self._flags = flags
        self._module = module

    def __getattr__(self, name: str) -> Any:
        """Called for missing attributes: before the first use, that is every method.

        Raises:
            AttributeError: patterns have no attribute of that name.
            re.error: the text is not a valid regular expression; a test compiles all patterns.
        """
        if name not in _METHODS:
            raise AttributeError(name)
        written = self._written
        for role, languages in word_tables(self._module).items() if self._module else ():
            if f"{{{role}}}" in written:
                words = "|".join(chain.from_iterable(languages.values()))
                written = written.replace(f"{{{role}}}", words)
        if sys.version_info < _POSSESSIVE_GROUPS:
            written = with_atomic_groups(written)
        compiled = re.compile(written, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


@cache
def word_tables(module: str) -> Mapping[str, Any]:
    """The words in the TOML file next to a module; each has an example."""
    import tomllib  # imported late: the hook starts often, and needs words only for new files

    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))


def regex(written: str, flags: int = 0, *, words_of: str = "") -> re.Pattern[str]:
    """A pattern like that of `re.compile`, compiled on first use.

    `words_of` is the module whose words it uses: `{role}` stands for all words of that role.

    For constants of a module; compile a pattern at once if it is used at once. Where few characters
    can start a match and `re` does not see it, a leading `(?=[…])` makes the search faster.
    """
    return cast("re.Pattern[str]", LazyRegex(written, flags, words_of))
