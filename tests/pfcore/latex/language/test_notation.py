"""Symbols of formulas as keys."""

import pytest

from pfcore.latex.language.notation import (
    FirstSymbols,
    applied_in,
    applied_letter,
    decorated_in,
    fences_in,
    formulas,
    head_of,
    heads_of,
    is_plain,
    keys_of_uses,
    rare_keys,
    script_symbols,
)

KEYS = {
    r"\mathcal{D}_n": (r"#\mathcal{D}_n", r"#\mathcal{D}_•", r"#\mathcal{D}"),
    r"\mathcal D": (r"#\mathcal{D}",),
    r"T_{\mathfrak{p}}": (r"#T_\mathfrak{p}", "#T_•", "#T"),
    r"\nu_2": (r"#\nu_2", r"#\nu_•", r"#\nu"),
    r"B^{\ast}": (r"#B^*", "#B"),
    r"\mathbb{K}^{(n)}": (r"#\mathbb{K}^(n)", r"#\mathbb{K}^(•)", r"#\mathbb{K}"),
    r"x^2": ("#x^2", "#x"),
    r"E(p)": ("#E(", "#E"),
    r"\ell_{\mathrm{hyp}}": (r"#\ell_\mathrm{hyp}", r"#\ell"),
    r"[n]": ("#[•]",),
    r"\|f\|_{\flat}": (r"#\|_\flat",),
    r"a\lhd b": (r"#\lhd",),
    r"\mathcal{F}(f)": (r"#\mathcal{F}(", r"#\mathcal{F}"),
    r"{\mathfrak U}_1(k)": (
        r"#\mathfrak{U}_1", r"#\mathfrak{U}_•", r"#\mathfrak{U}(", r"#\mathfrak{U}",
    ),
    r"x\\A_3": ("#A_3", "#A_•", "#A"),
    r"a\to_\beta b": (r"#\to_\beta", r"#\to_•"),
    r"\operatorname{Var}(x)": (r"#\mathrm{Var}(", r"#\mathrm{Var}"),
    r"C_{\text{low}}": (r"#C_\mathrm{low}", "#C"),
    r"\operatorname{\mathbb{E}}(x)": (r"#\mathbb{E}(", r"#\mathbb{E}"),
    r"\bold{\Omega}": (r"#\bold{\Omega}",),
}  # fmt: skip


@pytest.mark.parametrize("written", KEYS)
def test_a_symbol_has_keys_the_most_special_first(written: str) -> None:
    assert KEYS[written] in keys_of_uses(f"Let ${written}$ be.")


@pytest.mark.parametrize(
    "idle",
    [
        r"\frac{1}{2}", r"\mathbb{R}", r"\notin", r"\left(1\right)", r"\quad", r"{2\choose 1}",
        r"\lbrace 1\rbrace", r"\nicefrac{1}{2}", r"1\joinrel 2",
        r"1\coloneqq 2", r"1=_{\mathrm{def}}2", r"1\to_{1\to\infty}2", r"{}^*", r"\mathrel{:}",
    ],
)  # fmt: skip
def test_what_everybody_writes_is_no_notation(idle: str) -> None:
    assert keys_of_uses(f"${idle}$") == ()


def test_words_between_the_lines_of_a_display_are_no_symbols() -> None:
    text = r"\begin{align*} a &= b \intertext{where, for $c\in d$, it is} e &= g \end{align*}"
    (found,) = formulas(text)
    assert len(found.body) == len(text) - len(r"\begin{align*}\end{align*}")
    assert [keys[-1] for keys in keys_of_uses(text)] == ["#a", "#b", "#c", "#d", "#e", "#g"]


NO_SYMBOLS = (
    r"a\tag{by Lemma}", r"a\hbox{for all}", r"\overset{\textup{def}}{a}", r"\color{red}a",
    r"\textcolor{red}{a}", r"\hspace{1cm}a", r"a\label{eq:foo}", r"\phantom{bc}a", r"\emph{if} a",
    r"\begin{array}{lcr} a\end{array}", r"\begin{cases} a & \text{else}\end{cases}",
    r"\begin{pmatrix} a\end{pmatrix}", r"\begin{array}{@{}l@{\quad}l@{}} a\end{array}",
    r"\parbox{3cm}{words here}a", r"a\footnote{words here}", r"\rule{1em}{2pt}a", r"\kern-2pt a",
    r"\raisebox{2pt}{a}", r"\begin{tikzcd} a \ar[dl]\end{tikzcd}",
    r"\begin{aligned}[t] a\end{aligned}", r"\xymatrix{a \ar@{=}[dd] \ar@/^1pc/[ddl] \ar[rr]}",
    r"\xymatrixrowsep{2mm}\xymatrix@C=2em{a}",
    r"\begin{tikzpicture}\node [style=scalarop] (0) at (1, 2) {a};\draw (0.center) to (1);"
    r"\end{tikzpicture}", r"a\text{ for $a$ small; }", r"\intro*\mathbin{\kl[\macro{98dfe18d}]{a}}",
    r"\withkl{\kl[b]}{\cmdkl{a}}", r"\foo*{1}a",
)  # fmt: skip


@pytest.mark.parametrize("written", NO_SYMBOLS)
def test_names_lengths_colours_and_words_are_no_symbols(written: str) -> None:
    for text in (f"${written}$", f"\\[{written}\\]"):
        assert {keys[-1] for keys in keys_of_uses(text)} - {r"#\foo"} == {"#a"}


def test_the_label_of_an_arrow_is_a_symbol() -> None:
    text = r'\[\begin{tikzcd} a \arrow[r, "\beta"] & c \ar[dl,"d"\']\end{tikzcd}\]'
    assert [keys[-1] for keys in keys_of_uses(text)] == ["#a", r"#\beta", "#c", "#d"]


ORDERS = (
    "O(1)", "a=O(x)", "a+o(x)", "O(k^2)", r"O\left(k\log k\right)", r"\Omega(k)", r"\Theta(k/2)",
    r"\omega(k)", r"\tilde{O}(k)", r"a\le O(x)",
)  # fmt: skip


@pytest.mark.parametrize("written", ORDERS)
def test_what_order_something_is_of_is_no_notation(written: str) -> None:
    heads = {keys[-1] for keys in keys_of_uses(f"${written}$")}
    assert heads <= {"#a", "#k", "#x", r"#\le"}


@pytest.mark.parametrize("written", ["O(x)", "O(n)", r"A\in O(n)", r"\Omega(x,y)", r"\Theta_1(k)"])
def test_a_sign_of_landau_may_be_of_something_else(written: str) -> None:
    assert any("O" in keys[-1] or "\\" in keys[-1] for keys in keys_of_uses(f"${written}$"))


ALIKE = {
    r"\leq_m": r"\le_m",
    r"{\cal F}_1": r"\mathcal{F}_{1}",
    r"\hat \xi": r"\hat{\xi}",
    r"\widehat{\mathcal F}": r"\widehat{\mathcal{F}}",
    r"A^{\prime}": "A'",
    r"A^\ast_{\geq 0}": r"A^*_{\ge0}",
    r"\lvert x\rvert_p": "|x|_p",
    r"\lVert x\rVert_{p}": r"\|x\|_p",
    r"f\bigl(x\bigr)\,=1": "f(x)=1",
    r"\sum\limits_{i}\! X": r"\sum_i X",
    r"\Bbb K": r"\mathbb{K}",
    r"\operatorname{LT}(x)": r"\mathrm{LT}(x)",
    r"\mbox{\rm LP}^*": r"\operatorname{LP}^*",
    r"\tfrac12 \ldots \quad b": r"\frac12 \dots b",
}


@pytest.mark.parametrize("written", ALIKE)
def test_two_ways_of_writing_have_the_same_keys(written: str) -> None:
    one, other = f"${written}$", f"${ALIKE[written]}$"
    assert keys_of_uses(one) == keys_of_uses(other)
    assert heads_of(one) == heads_of(other)


def test_symbols_in_a_font_and_letters_with_an_index_are_found_in_scripts() -> None:
    text = (
        r"$\|x\|_{\mathcal{H}(X)}+\pi_{\mathfrak{p}_1}+x_{i,\mathrm{low}}+y_{\alpha}+x_{\alpha_i}$"
    )
    found = {keys[-1] for keys in script_symbols(text)}
    assert found == {r"#\mathcal{H}", r"#\mathfrak{p}", r"#\alpha"}


def test_a_formula_that_is_left_open_ends_with_its_text() -> None:
    assert heads_of("a $x", r"$\|y\|$ b") == heads_of("$x$", r"$\|y\|$")


def test_sizes_and_thin_spaces_are_blanks_in_a_body() -> None:
    (found,) = formulas(r"So $\left.a\,\right|_b \\ c$ is.")
    assert found.body == r"      a        |_b \\ c"
    assert [one.body for one in formulas(r"$f\stackrel{.}{=}g$")] == [r"f\stackrel{.}{=}g"]
    assert [one.body for one in formulas(r"$f\,{:}\,X\mathrel{=}Y$")] == [r"f   :   X     =     Y"]
    assert (found.inside, len(found.body)) == (4, found.end - found.start - 2)


def test_what_no_formula_has_is_no_symbol() -> None:
    text = r"A \emph{ring} $R$ of \$5, \[S\] and \begin{equation*}T\end{equation*}"
    assert keys_of_uses(text) == (("#R",), ("#S",), ("#T",))
    assert [formula.body for formula in formulas(r"$a$ \$ \[b\] $$c$$")] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("key", "expected"),
    [("#n", True), (r"#\alpha", True), (r"#\sim", True), (r"#\mathcal{A}", False), ("#n_1", False)],
)
def test_letters_and_common_signs_are_plain(key: str, *, expected: bool) -> None:
    assert is_plain(key) is expected


def test_a_head_is_a_key_without_scripts_and_arguments() -> None:
    for key, head in ((r"#\mathcal{D}_n", r"#\mathcal{D}"), ("#E(", "#E"), (r"#\|_\flat", r"#\|")):
        assert head_of(key) == head
    assert heads_of(r"$\mathcal{D}_n+E(x)$") >= {r"#\mathcal{D}", "#E", "#x"}


def test_rare_keys_are_those_of_decorated_symbols() -> None:
    assert rare_keys(r"$x+\mathcal{A}_1$ and $\tilde{y}$ and $n_k$") == [
        r"#\mathcal{A}_1",
        r"#\tilde{y}",
        "#n_k",
    ]


def test_the_end_of_a_command_is_no_rare_letter() -> None:
    assert rare_keys(r"$\le_m \sum_n a\\x_1$ and $W_{1}$") == ["#x_1", "#W_1"]


def test_a_symbol_is_fresh_once() -> None:
    text = r"$\mathcal{A}$ and $\mathcal{A}$"
    first = FirstSymbols(text)
    assert first.has_fresh(0, 13)
    assert not first.has_fresh(13, len(text))


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        (r"\langle x,y\rangle<1", [r"#•\langle•,•\rangle"]),
        (r"\lVert x+y \rVert=\|z\|", [r"#•\|•\|", r"#•\|•\|"]),
        (r"|x|+|G|", ["#•|a•|", "#•|A•|"]),
        (r"\lfloor x_{1}\rfloor", [r"#•\lfloor•\rfloor"]),
        ("[G:H]=[x,[y,z]]", ["#•[•:•]", "#•[•,•]", "#•[•,•]"]),
        (r"\langle f(x,y)\rangle", [r"#•\langle•\rangle"]),
        ("K[x,y]+[0,1]+[n]+(x,y)", []),
        (r"P(A|B)=P(C|D)", []),
        (r"\|f\|_p", []),
        (r"|x<y|", []),
    ],
)
def test_brackets_have_the_key_of_their_shape(body: str, keys: list[str]) -> None:
    assert [use.keys[0] for use in fences_in(body)] == keys


@pytest.mark.parametrize(
    ("body", "keys"),
    [
        (r"M^\vee", [r"#•^\vee"]),
        (r"R^{\times}+1", [r"#•^\times"]),
        ("G'", ["#•'"]),
        (r"\bar z", [r"#•\bar"]),
        (r"\overline{A}", [r"#•\overline"]),
        (r"x^2+x^n+\mathcal{F}^\vee+A_1^\vee+\bar{xy}", []),
    ],
)
def test_a_decorated_letter_has_the_key_of_its_shape(body: str, keys: list[str]) -> None:
    assert [use.keys[0] for use in decorated_in(body)] == keys


def test_a_letter_with_arguments_has_a_key_of_its_own() -> None:
    found = [use.keys[0] for use in applied_in(r"\nu(n)+B(x)+B_V(t)+\mathcal{F}(x)+x")]
    assert found == [r"#•\nu(", "#•B("]
    assert applied_letter(found[0]) == (r"#\nu(", r"#\nu")
    assert applied_letter(r"#\nu(") == applied_letter(r"#•^\vee") == ()


@pytest.mark.parametrize("script", [r"\vphantom{n}", r"\hphantom{a}", r"\mathstrut", r"\!", ""])
def test_a_script_that_only_takes_room_is_none(script: str) -> None:
    assert keys_of_uses(f"$x^{{{script}}}_{{{script}}}$") == (("#x",),)
