"""Regular expressions that are compiled when they are first asked for something.

The front end has hundreds of them, a commit of one edited file needs a fifth, and compiling all
takes longer than reading the file. Words of natural languages are no part of what is written: a
pattern names their roles, and they are in the TOML file beside its module.
"""

import re
from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, cast

_METHODS = (
    "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn",
    "pattern", "flags", "groups", "groupindex",
)  # fmt: skip


class LazyRegex:
    """Stands for a compiled pattern; from the first use on its methods are the pattern's own."""

    __slots__ = ("_flags", "_module", "_written", *_METHODS)

    def __init__(self, written: str, flags: int, module: str) -> None:
        self._written = written
        self._flags = flags
        self._module = module

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there: before the first use, every method.

        Raises:
            AttributeError: a pattern has nothing of that name.
            re.error: what is written is no regular expression; a test compiles all there are.
        """
        if name not in _METHODS:
            raise AttributeError(name)
        written = self._written
        for role, languages in word_tables(self._module).items() if self._module else ():
            if f"{{{role}}}" in written:
                words = "|".join(chain.from_iterable(languages.values()))
                written = written.replace(f"{{{role}}}", words)
        compiled = re.compile(written, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


@cache
def word_tables(module: str) -> Mapping[str, Any]:
    """The words in the TOML file beside a module; each has an example."""
    import tomllib  # late: the hook starts often, and reads words only where a file is new

    return tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))


def regex(written: str, flags: int = 0, *, words_of: str = "") -> re.Pattern[str]:
    """A pattern as `re.compile` makes it, made when it is first used.

    `words_of` is the module whose words it has: `{role}` stands for all that a role has there.

    For constants of a module; one that is used at once is better compiled at once. Where few signs
    can begin a match and `re` does not see it, `(?=[…])` before all else makes the search faster.
    """
    return cast("re.Pattern[str]", LazyRegex(written, flags, words_of))
