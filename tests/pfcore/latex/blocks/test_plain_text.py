"""LaTeX as people read it; whatever cannot be read so stays as its author wrote it."""

import logging
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pfcore.latex.blocks.plain_text import LIMIT, converted, plain_text, quoted_words


@pytest.mark.parametrize(
    ("latex", "plain"),
    [
        ("Uniform bound", "Uniform bound"),
        ("Poincar\\'e--Bendixson", "Poincaré–Bendixson"),
        ("Szemer{\\'e}di's   ``regularity''\n lemma", "Szemerédi's “regularity” lemma"),
        ("the $\\sigma$-algebra on~$\\mathbb{R}^n$", "the σ-algebra on ℝ^n"),
        ("\\textbf{Main} \\emph{theorem}", "Main theorem"),
        ("\\texorpdfstring{$L^2$}{L2} bound", "L2 bound"),
        ("$x^{n+1} \\le 2_{loc}$", "x^(n+1) ≤ 2_loc"),
        ("$\\delta^{(n)}_{p}$", "δ^(n)_p"),
        ("$\\frac{a+b}{c}$ and $\\dfrac12$", "(a+b)/c and 1/2"),
        ("$\\sqrt{2}$", "√(2)"),
        ("Weil \\cite[Thm.~2]{Weil}", "Weil [Weil]"),
        ("See \\Cref{thm:a} and Lemma~\\ref{b}, \\eqref{c}", "See thm:a and Lemma b, (c)"),
        ("\\href{https://example.org/#a_b}{there}", "there"),
        ("$\\displaystyle p \\land q \\implies \\operatorname{Hom}\\bigl(A)$", "p ∧ q ⟹Hom(A)"),
        ("\\hyperref[thm:a]{the theorem}", "the theorem"),
        ("A result\\footnote{See there.}\\label{x}\\index{y}", "A result"),
        ("100\\% % a comment", "100%"),
        ("one \\\\ two", "one two"),
    ],
)  # fmt: skip
def test_a_snippet_becomes_plain_text(latex, plain):
    assert plain_text(latex) == plain


@pytest.mark.parametrize(
    "latex",
    ["Limits in \\catsharp", "\\Cat{Top} spaces", "\\norm{x}{y} and more", "the \\GL-action"],
)
def test_a_macro_that_nothing_is_known_about_stays_with_its_arguments(latex):
    assert plain_text(latex) == latex


def test_an_unknown_macro_in_maths_stays():
    assert plain_text("$\\Cat{Top}\\to\\poly$ is $\\tri b$") == "\\Cat{Top}→\\poly is \\tri b"


@pytest.mark.parametrize(
    "latex",
    [
        "a $ b",
        "\\textbf{a",
        "a } b",
        "\\begin{matrix} a",
        "{" * 900 + "}" * 900,
        "\\verb",
        "\\mathbb\\href",
        "\\textbf\\texorpdfstring",
        "$" + "x" * LIMIT + "$",
    ],
)
def test_what_cannot_be_parsed_stays_as_it_is(latex):
    assert plain_text(latex) == latex
    assert converted(latex) is None


def test_no_file_is_read(tmp_path):
    (tmp_path / "secret.tex").write_text("secret")
    assert plain_text(f"a \\input{{{tmp_path}/secret.tex}}b") == "a b"


def test_nothing_is_logged(caplog):
    with caplog.at_level(logging.DEBUG):
        plain_text("\\ensuremath\\frac\\item")
        plain_text("$\\begin{array}{c} a & b \\end{array}$")
    assert caplog.records == []


@given(st.text(alphabet="\\{}$[]^_%ab &~#|()*'`\n-", max_size=60))
@example("\\'")
def test_every_text_has_a_plain_text(text):
    assert isinstance(plain_text(text), str)


def test_plain_words_load_no_parser():
    code = (
        "import sys; from pfcore.latex.blocks.plain_text import plain_text;"
        "plain_text('Main theorem (of 1984), or not');"
        "sys.exit('pylatexenc' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("Let a be b.", "Let a be b."),
        (r"All $n\times n$ arrays over $\mathbb F$ \begin{equation}a=", "All n× n arrays over 𝔽 …"),
        (r"Hence \begin{eqnarray}v&=&w\end{eqnarray} in \emph{a", "Hence v = w in a"),
        (r"Hence \begin{eqnarray}v&=&", "Hence …"),
        (r"[htp] \begin{tabular}{|c|c|} a&b", "…"),
        (r"Sums $A\usc B$ and $\usc$ $C$ of \usc{x} hold", "Sums … and … C of x hold"),
        (r"Let $\{1,2\}$ be \"a \'{e} \ldots{} b~c \usc", "Let {1,2} be ä é … b c"),
        (r"\emph{the $x$ of} \macro{0123abcd}{y} \begin{definition}z", "the x of …y z"),
        (r"\(a \usc", "…"),
        ("\\", ""),
        ("{", ""),
        ("a $", "a …"),
    ],
)
def test_a_quote_has_words_and_no_command(latex, words):
    assert quoted_words(latex) == words


@given(st.text(alphabet='\\$[](){}ab %\n"~\ue000', max_size=60))
def test_no_quote_has_a_backslash(text):
    assert "\\" not in quoted_words(text)
