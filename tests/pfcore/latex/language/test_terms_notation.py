"""Symbols in formulas: what they are known by, and what is no symbol."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.language.terms import bases, bound, functions, symbols


@pytest.mark.parametrize(
    ("maths", "found"),
    [
        (r"\mathcal{M}", {r"$\mathcal{M}"}),
        (r"\mathcal{M}^2_{\mathrm{loc}}", {
            r"$\mathcal{M}", r"$\mathcal{M}^2", r"$\mathcal{M}_\mathrm{loc}",
            r"$\mathcal{M}^2_\mathrm{loc}",
        }),
        ("N^{int}_{x}(A)", {"$N^int"}),
        (r"X_\infty", {r"$X_\infty"}),
        ("d[X;Y]", {"$d["}),
        (r"d\left[X;Y\right]", {"$d["}),
        (r"H'[X]", {"$H'", "$H[", "$H'["}),
        (r"\operatorname{Var}(X)", {r"$\operatorname{Var}"}),
        (r"x \diamond y", {r"$\diamond"}),
        ("x_i + y^n", set()),
        (r"\alpha + \beta \le \sum_i x", set()),
        (r"\mathbb{R}^n", set()),
        ("f(x)", set()),
    ],
)  # fmt: skip
def test_a_symbol_is_known_by_its_base_and_what_is_constant(maths: str, found: set[str]) -> None:
    assert symbols(f"We have ${maths}$.") == found


@pytest.mark.parametrize("display", ["\\[{}\\]", "$${}$$", "\\begin{{align*}}{}\\end{{align*}}"])
def test_displays_are_read_too(display: str) -> None:
    assert symbols(display.format(r"\mathcal{M}")) == {r"$\mathcal{M}"}


def test_words_hold_no_symbols() -> None:
    assert symbols(r"\mathcal{M} stands in no formula") == frozenset()


def test_what_is_taken_as_arbitrary_is_bound() -> None:
    text = r"Let $\mathcal{A}$ be a ring and for all $\mathcal{B}$ write $\mathcal{C}$."
    assert bound(text) == {r"$\mathcal{A}", r"$\mathcal{B}"}


@given(st.text(alphabet="$\\[]{}_^' abM\n", max_size=60))
def test_any_text_has_symbols_that_begin_with_a_dollar(text: str) -> None:
    assert all(symbol.startswith("$") and len(symbol) > 1 for symbol in symbols(text))
    assert bound(text) <= symbols(text)


@pytest.mark.parametrize("written", [r"\mathcal{T}_n", r"\mathcal T_n"])
def test_a_font_takes_a_letter_with_braces_or_without(written: str) -> None:
    assert symbols(f"${written}$") == {r"$\mathcal{T}"}
    assert any(base in f"${written}$" for base in bases(r"$\mathcal{T}"))


@pytest.mark.parametrize("written", [r"\mathcal", r"\bar\alpha", r"\tilde \mathfrak"])
def test_a_font_by_itself_is_no_symbol(written: str) -> None:
    assert symbols(f"${written}$") == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        r"Let $\mathcal{T}_n$ denote the trees.",
        r"Let $\mathcal T(G)$ be the tree of $G$.",
        r"Let $\mathcal{T} := 3$.",
        r"For all $n$ let $\mathcal{T}_n$ stand for them.",
    ],
)
def test_what_is_said_to_denote_something_is_not_bound(text: str) -> None:
    assert bound(text) == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        r"Put $\omega(G) := 3$.",
        r"Let $\omega(G)$ denote the size.",
        r"We denote by $\omega(G)$ the size.",
        r"The \emph{size} $\omega(G)$ of $G$.",
    ],
)
def test_a_greek_letter_with_arguments_is_introduced_where_a_text_says_so(text: str) -> None:
    assert functions(text) == {r"$\omega("}
    assert symbols(text) == {r"$\omega("}


@pytest.mark.parametrize(
    "text",
    [r"We have $\omega(G) = 3$.", r"Put $\omega := 3$.", "Put $N := 3$.", "Put $f(x) := 3$."],
)
def test_a_letter_alone_and_one_that_is_just_used_are_not_introduced(text: str) -> None:
    assert functions(text) == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        r"Let $\omega$ be a map. Then $\omega(G) = 3$.",
        r"The map $\omega\colon V \to W$ has $\omega(G) = 3$.",
    ],
)
def test_a_greek_letter_that_a_text_takes_for_itself_is_no_symbol_there(text: str) -> None:
    assert symbols(text) == frozenset()
