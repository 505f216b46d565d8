"""Distinctive symbols and how a text comes to them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.language.distinctive_symbols import (
    SymbolUse,
    dump,
    load_symbol_uses,
    plain_symbol,
    uses,
)


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        (r"$\tilde{\varepsilon}_0$", r"\tilde\varepsilon_0"),
        (r"$\tilde \varepsilon_{0}$", r"\tilde\varepsilon_0"),
        (r"$\widetilde{\varepsilon}_0$", r"\tilde\varepsilon_0"),
        (r"$\overline{K}^*$", r"\bar K^*"),
        (r"$\hat f$", r"\hat f"),
        (r"$\hat{f}(x)$", r"\hat f"),
        (r"$C_{\mathrm{BDG}}$", "C_BDG"),
        (r"$C_\mathrm{BDG}$", "C_BDG"),
        (r"$C_{\rm BDG}$", "C_BDG"),
        (r"$C_{BDG}$", "C_BDG"),
        (r"$\alpha_{\text{max}}^2$", r"\alpha_max"),
        (r"$x_{bad}$", "x_bad"),
        (r"$2N_{\text{good},k}$", "N_good,k"),
        (r"$\mathcal{F}_{\mathrm{rad}}$", r"\mathcal F_rad"),
    ],
)
def test_a_symbol_is_known_however_it_is_written(text: str, symbol: str) -> None:
    assert [use.symbol for use in uses(text)] == [plain_symbol(symbol)]


@pytest.mark.parametrize(
    "text",
    [
        *(r"$x$", r"$x_0$", r"$C_1'$", r"$a_{ij}$", r"$a_{nmk}$", r"$x_{n_k}$", r"$f^{(k)}$"),
        *(r"$\varepsilon_0$", r"$\mathcal{F}_n$", r"max_{x}", r"$2^{10}$", "a tilde"),
    ],
)
def test_letters_and_indices_are_not_distinctive(text: str) -> None:
    assert uses(text) == ()


@pytest.mark.parametrize(
    ("text", "is_fixed"),
    [
        (r"$\tilde x$", True),
        (r"$\tilde x_0$", True),
        (r"$\tilde x_n$", False),
        (r"$\tilde x_{n+1}$", False),
        (r"$\tilde x_{\alpha}$", False),
        (r"$\tilde x_{\infty}$", True),
        (r"$\tilde{x_k}$", False),
        (r"$C_{\mathrm{BDG}, p}$", False),
    ],
)
def test_a_symbol_with_an_index_is_one_of_many(text: str, is_fixed: bool) -> None:
    (use,) = uses(text)
    assert use.is_fixed is is_fixed


def test_members_of_a_family_are_known_as_one() -> None:
    text = r"$\tilde x$, $\tilde x_0$, $\tilde x_n^*$, $\tilde y$; $C_{\mathrm{BDG}}$, $C_{BDG}^2$"
    assert [use.family for use in uses(text)] == [
        *[plain_symbol(r"\tilde x")] * 3,
        plain_symbol(r"\tilde y"),
        *["C_BDG"] * 2,
    ]


@pytest.mark.parametrize(
    ("text", "how"),
    [
        (r"$\tilde x := 1$", "set"),
        (r"$\tilde x_0 \coloneqq 1$", "set"),
        (r"$$\tilde x(t) &:= 1$$", "set"),
        (r"Let $\tilde x = 1$.", "set"),
        (r"We now set $\tilde{x}_0(t)=1$.", "set"),
        (r"Put \[ \tilde x = 1. \]", "set"),
        (r"Define also $C_{\mathrm{a b}}$ by", "set"),
        (r"Let $\tilde x$ be a point.", "set"),
        (r"Denote by $\tilde x$ the point.", "set"),
        (r"We denote the end of $y$ by $\tilde x$.", "set"),
        (r"Write $\tilde x(t)$ for it.", "set"),
        (r"Let $y, \tilde x$ be points.", "bound"),
        (r"Let $\tilde x \in X$ be a point.", "bound"),
        (r"there exists $\tilde x\in X$", "bound"),
        (r"with some constant $\tilde x$", "bound"),
        (r"Choose $y$ and $\tilde x$", "bound"),
        (r"$y \le 2$, where $\tilde x$ is small", "bound"),
        (r"Then $\tilde x = 1$.", "bound"),
        (r"$(\tilde x, y) = z$", "bound"),
        (r"$\sum_{\tilde x} f$", "bound"),
        (r"$\forall \tilde x$", "bound"),
        (r"$\int f \, d\tilde x$", "bound"),
        (r"For every $\tilde x$ it holds.", "loose"),
        (r"If $\tilde x$ is small,", "loose"),
        (r"Hence $y \le 2\tilde x$.", "plain"),
        (r"Let $y=1$. Hence $y \le 2\tilde x$.", "plain"),
        (r"Hence $y + \tilde x := 1$.", "bound"),
        (r"This shows $|f| \le \tilde x_0 |g|$.", "plain"),
        (r"This gives $|f| \le \tilde x_0 |g|$.", "loose"),
    ],
)
def test_how_a_text_comes_to_a_symbol(text: str, how: str) -> None:
    assert uses(text)[-1].how == how


def test_spans_are_exact() -> None:
    text = r"Hence $y \le \tilde{x}_0^{2} + C_{\mathrm{BDG}}(p)$."
    assert [text[use.start : use.end] for use in uses(text)] == [
        r"\tilde{x}_0^{2}",
        r"C_{\mathrm{BDG}}",
    ]


def test_uses_come_back_as_they_were() -> None:
    found = uses(r"Let $\tilde x_0 = 1$ and $\tilde x_n = C_{\mathrm{BDG}}$.")
    assert load_symbol_uses(dump(found)) == found
    for text in ("", "{", "1", "[1]", "[[1]]", "null"):
        with pytest.raises(ValueError, match=r".*"):
            load_symbol_uses(text)


@given(st.text(alphabet="$\\tilde{x}_^0:= .(\n", max_size=100))
def test_any_text_can_be_looked_through(text: str) -> None:
    for use in uses(text):
        assert isinstance(use, SymbolUse)
        assert 0 <= use.start < use.end <= len(text)


@pytest.mark.acceptance
@pytest.mark.parametrize(
    "piece",
    [
        *(r"\tilde", r"\tilde{", r"\tilde x", r"\tilde x_", "_{", "_{ab}", "x_{ab}", "$", "let $"),
        *(
            r"\tilde x := ",
            "(",
            r"\tilde x (",
            r"_{\mathrm{",
            " ",
            "\n",
            "'",
            r"x'''_{ab}",
            "{" * 50,
        ),
    ],
)
def test_what_stands_before_a_long_run_is_found(piece: str) -> None:
    """This never ends where time grows faster than the length."""
    first = next(iter(uses(r"$\tilde x$ " + piece * 4_000)))
    assert first.symbol == plain_symbol(r"\tilde x")


def test_a_letter_in_a_font_is_distinctive_with_a_star_below() -> None:
    found = uses(r"$\mathfrak Q_\star$, $\mathfrak{Q}$, $\mathcal F$, $\mathcal F_0$")
    assert [(use.symbol, use.is_fixed) for use in found] == [
        (plain_symbol(r"\mathfrak Q_\star"), True),
        (plain_symbol(r"\mathfrak Q"), False),
    ]
