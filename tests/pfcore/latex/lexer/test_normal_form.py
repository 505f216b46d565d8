import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pfcore.latex.lexer.normal_form import find_words, normal_form
from pfcore.latex.lexer.whitespace import fold


def form(text: str) -> str:
    return normal_form(fold(text))


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (r"$a\leq b\neq c$", r"$a\le b\ne c$"),
        (r"$f\!\left(x\right)$", "$f(x)$"),
        (r"$\left.f\right|_{0}$", "$f|_0$"),
        (r"$\left<x, y\right>$", r"$\langle x,y\rangle$"),
        (r"$a\big/b$", "$a/b$"),
        (r"$x_{\alpha}y^{n}z$", r"$x_\alpha y^{n}z$"),
        (r"$x_{10}+x_1+x_{1}0+x_ij$", "$x_{10}+x_1+x_{1}0+x_{i}j$"),
        (r"$\sum\limits_{i} x_{i} \alpha\,x$", r"$\sum_i x_i\alpha x$".replace("_i x", "_{i}x")),
        (r"$\mathcal A\mathbb{R}\hat\alpha$", r"$\mathcal{A}\mathbb{R}\hat{\alpha}$"),
        (r"$\frac12+\dfrac a{b}+\tfrac{a}c$", r"$\frac{1}{2}+\frac{a}{b}+\frac{a}{c}$"),
        (r"$f^{\prime\prime}+g^\prime$", "$f''+g'$"),
        (r"${\rm Hom}(x)+x_{\rm max}$", r"$\mathrm{Hom}(x)+x_{\mathrm{max}}$"),
        (r"$a\not=b\not\in c$", r"$a\ne b\notin c$"),
        (r"$x\text{ if }y$", r"$x\text{ if }y$"),
        (r"$x \mbox{ if } y$", r"$x\text{ if }y$"),
        (r"\begin{cases}a\\[2pt]b\end{cases}", r"\begin{cases} a\\b \end{cases}"),
        (r"\begin{equation}x\end{equation}", r"\[x\]"),
        (
            r"\begin{align*}a&=b\\c&=d\nonumber\end{align*}",
            r"\begin{align}a&=b\\c&=d\end{align}",
        ),
        (r"\begin{align*}a&=b\nonumber\end{align*}", r"\[a=b\]"),
        (r"$1,...,n$ ... $a....b$", r"$1,\dots,n$... $a....b$"),
        (
            r"one,\\ two {three}s \foo {four} iso\-morphism",
            "one, two threes \\foo {four} isomorphism",
        ),
        (r"\textup{(i)} a \textrm{b $x$ c}\qed", "(i) a b $x$ c"),
        (
            r"\begin{tabular}{c}a\\b \text{d} {e}\end{tabular}",
            r"\begin{tabular} {c}a\\b \text{d} {e} \end{tabular}",
        ),
        (
            r"!!{c} \item\text{d} \begin{itemize}\item a {e}\end{itemize}",
            r"!!{c} \item d \begin{itemize} \item a e \end{itemize}",
        ),
        (r"\begin{center}$x<y$.\end{center}", r"\[x<y.\]"),
        (r"a\ b\quad c\hspace{2cm}d .", "a b c d."),
        (r"{\em a $x$} {\small b} \foo{\small c}", r"\emph{a $x$} b \foo{c}"),
        (r"\textcolor{red}{\alpha}x", r"\alpha x"),
        (r"$\textcolor{red}{x}^{\textcolor{red}{12}}$", "$x^{12}$"),
        (r"{\color{red}a} \color{blue}b", "a b"),
        ("``a'' “b” a---b c -- d 1--2", '"a" "b" a --- b c --- d 1-2'),
        ("$f''$ and ``x''", "$f''$ and \"x\""),
        (r"\cite[p.~2]{a, b} \LaTeX{} x{}", r"\cite[p. 2]{a,b} \LaTeX{} x"),
        (
            r"\begin{enumerate}[(i)]\item a\end{enumerate}",
            r"\begin{enumerate} \item a \end{enumerate}",
        ),
        (r"$a$\/$b$ $\,$", "$a$ $b$"),
        (r"\emph{ a } ( b )", r"\emph{a} (b)"),
        (r"a\footnotemark[2], b\pagebreak", r"a, b\pagebreak"),
        (r"na\"{\i}ve, \emph{\"u}ber $\text{f\"ur }x$", r"naïve, \emph{ü}ber $\text{für }x$"),
        (r"$\o\H{o}$ hei{\ss}t", r"$\o\H{o}$ heißt"),
    ],
)
def test_a_text_has_one_way_of_writing(text: str, normal: str) -> None:
    assert form(text) == normal
    assert normal_form(normal) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (
            r"\begin{align*} f(x)&=1 & 2&=g(x) \end{align*}",
            r"\begin{align}f(x)&=1&2&=g(x)\end{align}",
        ),
        (r"\begin{align*} a\&b &= 1 \end{align*}", r"\[a\&b=1\]"),
    ],
)
def test_a_row_of_several_columns_keeps_them_apart(text: str, normal: str) -> None:
    assert form(text) == normal
    assert normal_form(normal) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("{{a}} c", "a c"),
        ("{{}a} c", "a c"),
        ("{1}{2} c", "12 c"),
        ("a-{}-b", "a-b"),
        ("a'{}' b", 'a" b'),
        (r"\foo{{a}} c", r"\foo{a} c"),
        (r"\mbox{\textup{(i)}} c", "(i) c"),
        (r"\mbox{{\textup{{a}}}} c", "a c"),
        (r"\text{\text{\text{a}}} c", "a c"),
    ],
)
def test_braces_within_braces_go_with_them(text: str, normal: str) -> None:
    assert form(text) == normal
    assert normal_form(normal) == normal


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        (r"\text{\foo}bar", r"\foo bar"),
        (r"\text{a \foo}über", r"a \foo über"),
        (r"\text{\foo}\mbox{bar}", r"\foo bar"),
        (r"\text{\foo}\text{}bar", r"\foo bar"),
        (r"\mbox{\textup{\foo}}bar", r"\foo bar"),
        (r"\foo\text{bar}", r"\foo bar"),
        (r"\text{\foo}, 1", r"\foo, 1"),
    ],
)
def test_a_command_in_upright_words_joins_no_letter_behind_them(text: str, normal: str) -> None:
    assert form(text) == normal
    assert normal_form(normal) == normal


def test_an_accent_behind_a_line_break_is_no_tie() -> None:
    assert form(r"S\~ao\\\~{A}rea") == "São Ãrea"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (r"$a\le b$", "$a<b$"),
        (r"$x_{10}$", "$x_10$"),
        ("$x_1$", "$x^1$"),
        ("$xy_i$", "$x y$"),
        (r"$\mathbb{R}$", r"$\mathcal{R}$"),
        (r"$\mathbb{R}$", "$R$"),
        (r"$\epsilon$", r"$\varepsilon$"),
        (r"$\alpha x$", r"$\alphax$"),
        (r"$\left.f\right|_0$", "$f_0$"),
        (r"$a\big/b$", "$ab$"),
        ("$f'$", "$f''$"),
        (r"$a\to b$", r"$a\mapsto b$"),
        (r"$\{x\}$", "$x$"),
        (r"\begin{cases}a\\b\end{cases}", r"\begin{cases}ab\end{cases}"),
        (r"\begin{align}a&=b\\c&=d\end{align}", r"\begin{align}a&=b\end{align}"),
        (r"$x\text{ if }y$", "$x y$"),
        (r"$\overline{x}$", "$x$"),
        (r"$x_{\alpha\beta}$", r"$x_\alpha\beta$"),
        (r"$\mid$", "$|$"),
        (r"${\color{red}\bullet}$", r"${\color{blue}\bullet}$"),
        (r"$\textcolor{red}{\ensuremath{\bullet}}$", r"$\textcolor{blue}{\ensuremath{\bullet}}$"),
        ("a b", "ab"),
        ("not one", "one"),
        (r"\cite{a,b}", r"\cite{b,a}"),
        (r"\item[(a)] x", r"\item x"),
        ("$-1$", "$1$"),
        (r"$\frac12$", r"$\frac{12}{}$"),
        ("\x020\x03 and", "\x021\x03 and"),
    ],
)
def test_what_differs_in_mathematics_differs(one: str, other: str) -> None:
    assert form(one) != form(other)


_ATOMS = r"""x 1 12 \alpha \leq \to \, \; \! \quad \left(x\right) \left.x\right| \bigl[x\bigr] _i
    _{1} ^{n} _{\beta} \mathcal \mathbb{R} \frac12 \text{if} \prime ' \notag \\ \\[2pt] & \sqrt2 !
    {\rm x} \textcolor{red}{x} \cdots \lbrace \dfrac{a}b \not= \colon \bar \hat{x}""".split()
_WORDS = r"\text{ if $a_{1}$}"
_MATHS = st.lists(st.sampled_from([*_ATOMS, " ", _WORDS]), max_size=8).map(
    lambda atoms: "x" + "".join(atoms)
)
_SAID = r"""a word `` '' -- --- – . , ( ) ~ \, \/ {} \LaTeX{} \cite{a,b} \emph{a} {\em$x$b}
    {\small$y$} \textcolor{red}{a} \textit{b} \footnotemark \hspace{2cm} \color{red} \#
    {a} \\ \x""".split()
_PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            [*_SAID, " ", "\\ ", "\n", "\x020\x03", " \x041\x05 ", "\x0e", "\x0f", "\x10"]
        ),
        _MATHS.map(lambda text: f"${text.replace(_WORDS, '')}$"),
        _MATHS.map(lambda text: f"\\[{text}\\]"),
        _MATHS.map(lambda text: f"\\begin{{align*}}{text}\\end{{align*}}"),
        _MATHS.map(lambda text: f"\\begin{{center}}${text.replace(_WORDS, '')}$\\end{{center}}"),
    ),
    max_size=8,
)
_MARKS = re.compile("[\x02\x04]\\d+[\x03\x05]|[\x0e-\x10]")
_SPELLINGS = r"\{ \[ \] \ne \frac \dots \le \emph \langle \rangle \mathrm \mathit".split()
_COMMANDS = re.compile(r"\\(?:[A-Za-z]+|.)", re.DOTALL)


@given(_PIECES)
@example([r"$x\lbrace\alphax}$"])
@example([r"\begin{align*}x\alpha&x\end{align*}"])
def test_a_normal_form_is_its_own_and_keeps_marks_and_makes_no_command(pieces: list[str]) -> None:
    text = fold("".join(pieces))
    made = normal_form(text)
    assert normal_form(made) == made
    assert _MARKS.findall(made) == _MARKS.findall(text)
    known = {*_COMMANDS.findall(text), *_SPELLINGS}
    assert set(_COMMANDS.findall(made)) <= known


@pytest.mark.parametrize(
    "piece",
    [
        "{", "}", "$", r"\[", "_{", r"\text{", r"\frac{", r"\textcolor{", r"{\small ", r"\cite{",
        r"\begin{center} $", r"\begin{enumerate}[", r"\hspace{", "` ", r"\begin{equation}", "{{}",
        r"$\text{a ", r"\phantom{", "--", r"x_\alpha ", r"\textcolor{a}{", r"\cite[",
    ],
)  # fmt: skip
def test_hostile_text_takes_time_in_proportion(piece: str) -> None:
    short, long = 4_000 // len(piece), 64_000 // len(piece)
    taken = []
    for count in (short, long):
        text = piece * count + "a"
        before = time.process_time()
        normal_form(text)
        taken.append(time.process_time() - before)
    assert taken[1] < max(1.5, 60 * taken[0])


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (r"x_1\le y", r"let $x_{1} \leq  y$ be", r"x_{1} \leq  y"),
        (r"$f(x)$", r"so $f\!\left(x\right)$.", r"f\!\left(x\right)"),
        ('"good"', "a ``good'' one", "good"),
        (r"\emph{very old}", r"{\it very old}", "very old"),
        ("ist dünn", r"so ist d\"unn, ja", r"ist d\"unn"),
        (r"ist d\"unn", "so ist dünn, ja", "ist dünn"),
        ("al", r"\alpha", None),
        ("x<y", r"$x\le y$", None),
        ("$$", "$x$", None),
    ],
)
def test_words_are_found_in_another_way_of_writing(
    words: str, text: str, found: str | None
) -> None:
    span = find_words(words, text)
    assert (text[slice(*span)] if span else None) == found


@pytest.mark.parametrize(
    "command",
    ["\\looseness=-1", "\\penalty-50", "\\penalty10000", "\\clubpenalty=150",
     "\\enlargethispage{2\\baselineskip}", "\\enlargethispage*{1cm}", "\\tolerance=400",
     "\\emergencystretch=3em"],
)  # fmt: skip
def test_how_lines_and_pages_break_is_typography(command: str) -> None:
    assert normal_form(f"Every {command} map is good.") == normal_form("Every map is good.")
