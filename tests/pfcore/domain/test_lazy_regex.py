"""A pattern is compiled when it is first used, and is then what `re.compile` makes."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import hooks
import pfcore
from pfcore.domain.lazy_regex import LazyRegex, regex


def test_a_pattern_does_what_a_compiled_one_does() -> None:
    lazy, compiled = regex(r"(?P<word>[a-z]+)-(\d)", re.IGNORECASE), re.compile("b")
    text = "One-1, two-2 and b"
    match = lazy.search(text)
    assert match is not None
    assert match["word"] == "One"
    assert lazy.match(text, 7) is not None
    assert lazy.fullmatch("x-1") is not None
    assert lazy.findall(text) == [("One", "1"), ("two", "2")]
    assert [found.start() for found in lazy.finditer(text)] == [0, 7]
    assert lazy.sub("-", text) == "-, - and b"
    assert lazy.subn("-", text)[1] == 2
    assert lazy.split("x-1y") == ["", "x", "1", "y"]
    assert lazy.groupindex == {"word": 1}
    assert (lazy.groups, lazy.flags & re.IGNORECASE) == (2, re.IGNORECASE)
    assert lazy.pattern == r"(?P<word>[a-z]+)-(\d)"
    assert compiled.search(text) is not None


def test_what_is_no_expression_is_told_when_it_is_used() -> None:
    lazy = regex("(")
    with pytest.raises(re.error):
        lazy.search("a")


def test_it_has_nothing_that_a_pattern_has_not() -> None:
    with pytest.raises(AttributeError):
        getattr(regex("a"), "seach")  # noqa: B009 - misspelled on purpose


def test_every_pattern_of_the_product_is_an_expression() -> None:
    count = 0
    for package in (pfcore, hooks):
        root = str(Path(str(package.__file__)).parent)
        for module in pkgutil.walk_packages([root], f"{package.__name__}."):
            for value in vars(importlib.import_module(module.name)).values():
                if isinstance(value, LazyRegex):
                    assert value.pattern
                    count += 1
    assert count > 500
