"""Regular expressions that are compiled when they are first asked for something.

The front end has hundreds of them, a commit of one edited file needs a fifth, and compiling all
takes longer than reading the file.
"""

import re
from typing import Any, cast

_METHODS = (
    "search", "match", "fullmatch", "split", "findall", "finditer", "sub", "subn",
    "pattern", "flags", "groups", "groupindex",
)  # fmt: skip


class LazyRegex:
    """Stands for a compiled pattern; from the first use on its methods are the pattern's own."""

    __slots__ = ("_flags", "_written", *_METHODS)

    def __init__(self, written: str, flags: int) -> None:
        self._written = written
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there: before the first use, every method.

        Raises:
            AttributeError: a pattern has nothing of that name.
            re.error: what is written is no regular expression; a test compiles all there are.
        """
        if name not in _METHODS:
            raise AttributeError(name)
        compiled = re.compile(self._written, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


def regex(written: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern as `re.compile` makes it, made when it is first used.

    For constants of a module; one that is used at once is better compiled at once. Where few signs
    can begin a match and `re` does not see it, `(?=[…])` before all else makes the search faster.
    """
    return cast("re.Pattern[str]", LazyRegex(written, flags))
