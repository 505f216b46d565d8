"""A pattern is compiled when it is first used, and is then what `re.compile` makes."""

import ast
import importlib
import pkgutil
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import hooks
import pfcore
from pfcore.domain import lazy_regex
from pfcore.domain.lazy_regex import LazyRegex, regex, with_atomic_groups, word_tables
from tests.other_words import patterns_of


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


@cache
def of_the_product() -> tuple[LazyRegex, ...]:
    modules = (
        importlib.import_module(module.name)
        for package in (pfcore, hooks)
        for module in pkgutil.walk_packages(
            [str(Path(str(package.__file__)).parent)], f"{package.__name__}."
        )
    )
    return tuple(patterns_of(*modules))


def test_every_pattern_of_the_product_is_an_expression() -> None:
    assert all(value.pattern for value in of_the_product())
    assert len(of_the_product()) > 500


def with_words() -> Iterator[tuple[str, list[LazyRegex]]]:
    """The modules that have words of their own, and their patterns.

    What words do that modules share is tested beside each module, by what it makes of them.
    """
    found: dict[str, list[LazyRegex]] = defaultdict(list)
    for value in of_the_product():
        if value._module.endswith(".py") and value not in found[value._module]:
            found[value._module].append(value)
    return iter(found.items())


def test_a_pattern_has_the_words_of_its_roles(tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text(
        "[end.english]\n'ends?' = 'It ends.'\n[end.german]\n'endet' = 'Es endet.'\n"
        "[end.french]\n'finit' = 'Il finit.'\n"
    )
    pattern = regex(r"(?:{end}){1,2}\.", re.IGNORECASE, words_of=str(tmp_path / "words.py"))
    assert pattern.pattern == r"(?:ends?|endet|finit){1,2}\."
    assert pattern.search("It ENDS.") is not None


def test_a_word_does_what_it_does_in_its_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some pattern of the module finds another thing there without the word."""
    idle, count = [], 0
    for module, patterns in with_words():
        tables = word_tables(module)
        for role, languages in tables.items():
            having = [one for one in patterns if f"{{{role}}}" in one._written]
            assert all(one.pattern for one in having)  # compiled before words are taken away
            for language, words in languages.items():
                for word, example in words.items():
                    rest = {key: words[key] for key in words if key != word} or {"(?!)": ""}
                    less = {**tables, role: {**languages, language: rest}}
                    monkeypatch.setattr(lazy_regex, "word_tables", lambda _, less=less: less)
                    others = (regex(one._written, one._flags, words_of=module) for one in having)
                    count += 1
                    if all(
                        places(one, example) == places(other, example)
                        for one, other in zip(having, others, strict=True)
                    ):
                        idle.append((role, word))
    assert idle == []
    assert count > 50


def places(pattern: LazyRegex | re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (r"(?:a|b)*+c", r"(?>(?:a|b)*)c"),
        (r"\((?:[()]|x(?:y)?+)++z", r"\((?>(?:[()]|x(?>(?:y)?))+)z"),
        (r"(?P<n>[^]]a){2,3}+", r"(?>(?P<n>[^]]a){2,3})"),
        (r"[a)]*+(?:b)?\)*+", r"[a)]*+(?:b)?\)*+"),
    ],
)
def test_a_group_that_is_repeated_possessively_can_be_atomic(written: str, expected: str) -> None:
    assert with_atomic_groups(written) == expected
    assert re.compile(written).groupindex == re.compile(expected).groupindex


@pytest.mark.skipif(sys.version_info < (3, 11, 5), reason="possessive groups fail in this Python")
def test_atomic_groups_match_where_possessive_ones_do() -> None:
    text = Path(__file__).read_text("utf-8") + SAMPLE * 3
    changed = 0
    for pattern in of_the_product():
        written = with_atomic_groups(pattern.pattern)
        changed += written != pattern.pattern
        assert places(re.compile(written, pattern.flags), text) == places(pattern, text)
    assert changed > 30


def test_no_group_is_repeated_possessively_past_the_mend() -> None:
    """Constants that are put together elsewhere are seen by the tests alone, in an older Python."""
    found = [
        f"{path.name}:{call.lineno}"
        for path in Path(pfcore.__file__).parent.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func).startswith("re.")
        and any(
            re.search(r"\)(?:[*+?]|\{\d*,?\d*\})\+", str(item.value))
            for item in ast.walk(call)
            if isinstance(item, ast.Constant)
        )
    ]
    assert found == []


SAMPLE = r"""
\begin{lemma}[A {nested {title}}] Let $f\colon X\to Y$ be {\em fixed} for every $x\in\{1,2\}$, and
\[ a_{ij} \text{ is } \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}, \] where $\frac ab$ is small.
\end{lemma} {\begingroup a{b}c\endgroup} \def\x#1{\ifx&#1&\else #1\fi} \newcommand\y[2][]{#1{#2}}
"""
