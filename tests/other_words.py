"""The product's patterns as they are with other words in the TOML file that they have them from."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from types import ModuleType

import pytest

from pfcore.domain import lazy_regex
from pfcore.domain.lazy_regex import LazyRegex


@contextmanager
def other_words(
    words_of: str, roles: Mapping[str, Iterable[str]], *modules: ModuleType
) -> Iterator[None]:
    """The patterns of some modules, with these words alone in some roles of a file."""
    told = {
        **lazy_regex.word_tables(words_of),
        **{r: {"": dict.fromkeys(w)} for r, w in roles.items()},
    }
    patterns = [one for one in patterns_of(*modules) if one._module == words_of]
    _forget(patterns)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lazy_regex, "word_tables", lambda _: told)
        yield
    _forget(patterns)


def patterns_of(*modules: ModuleType) -> Iterator[LazyRegex]:
    """The patterns that are constants of some modules, or stand in a table that is one."""
    for value in (value for module in modules for value in vars(module).values()):
        listed = value.values() if isinstance(value, dict) else (value,)
        yield from (one for one in listed if isinstance(one, LazyRegex))


def _forget(patterns: Iterable[LazyRegex]) -> None:
    """Let patterns be compiled anew."""
    for pattern in patterns:
        for method in lazy_regex._METHODS:
            with suppress(AttributeError):
                delattr(pattern, method)
