"""Canonical texts as HTML."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.reporters.html.equation_rows import RowNumber
from pfcore.reporters.html.typeset import Floats, ReferenceLink, typeset
from tests.pfcore.reporters.papers import HOSTILE

_KINDS = {False: "<math></math>", True: '<math display="block"></math>'}


_PLAIN = "equation equation* displaymath math".split()
_ALIGNED = "align align* gather gather* multline multline* eqnarray eqnarray* flalign".split()


def _maths(text, display):
    return None if "unknown" in text else f"<math>{len(text)}</math>"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("let $x$ be", "let <math>1</math> be"),
        (r"so \[a=b\] holds", "so <math>3</math> holds"),
        (r"so \[a\\[4pt]b\] holds", "so <math>9</math> holds"),
        (r"\begin{equation*}a\end{equation*}", "<math>1</math>"),
        *((rf"\begin{{{name}}}[X,Y]=c\end{{{name}}}", "<math>7</math>") for name in _PLAIN),
        *((rf"\begin{{{name}}}[X]=c\end{{{name}}}", "<math>31</math>") for name in _ALIGNED),
        (r"\begin{dmath}[label=x]a\end{dmath}", "<math>1</math>"),
        (r"\[[X]=c\]", "<math>5</math>"),
        (r"a {\bf term} x", "a <strong>term</strong> x"),
        (r"{\em a {\bfseries b} c} d", "<em>a <strong>b</strong> c</em> d"),
        (r"{ \it a} {\tt b} {\rm c}", "<em>a</em> <code>b</code> c"),
        (r"a\allowdisplaybreaks[1] b\allowdisplaybreaks{}", "a b"),
        (r"\(a\)", "<math>1</math>"),
        (r"$\{\text{$x$ a}\}$ b", "<math>16</math> b"),
        (r"$a_{b$ c $d}$", "<math>11</math>"),
        (r"$a_{b$ c $d$", "<math>4</math> c <math>1</math>"),
        (r"\begin{xequation}a\end{xequation}", "<math>1</math>"),
        (r"\begin{gather*}a\end{gather*}", "<math>27</math>"),
        (r"\begin{alignat}{2}a\end{alignat}", "<math>27</math>"),
        (
            r"\begin{align*}a\intertext{so \emph{b} $x_{1}$}c\end{align*}",
            "<math>27</math>so <em>b</em> <math>5</math><math>27</math>",
        ),
        (r"\ensuremath{a_{b}} c", "<math>5</math> c"),
        (r"\href{https://a.b}{c}", "c"),
        (r"\textcolor{red}{c}\color{blue} d", "c d"),
        (r"\scalebox{2}{c}\resizebox{1cm}{!}{d}\raisebox{1pt}{e}\parbox{2cm}{f}", "cdef"),
        (r"a\footnote{b \emph{c}}.", 'a <span class="footnote">(b <em>c</em>)</span>.'),
        (r"a\marginpar{b}c", 'a <span class="footnote">(b)</span>c'),
        (r"a\marginpar[l]{b}", 'a <span class="footnote">(b)</span>'),
        (r"\textbackslash x, \LaTeX", r"\x, LaTeX"),
        (r"\begin{verbatim} a <b> \end{verbatim}", "<pre>a &lt;b&gt;</pre>"),
        (r"a\index{b!c}\vspace{2mm}\setlength{\parskip}{2em}d", "ad"),
        (r"\includegraphics[width=3cm]{a/b.png}", "[figure a/b.png]"),
        (r"\url{https://a.b/c_d}", "<code>https://a.b/c_d</code>"),
        (
            r"\macro{0123abcd}{a}{$x$} b",
            '<code class="tex">\\…{</code>a<code class="tex">}{</code><math>1</math>'
            '<code class="tex">}</code> b',
        ),
        (r"\macro{0123abcd} b", '<code class="tex">\\…</code> b'),
        (r"\textquote{so} \enquote{it}", "“so” “it”"),
        (r"\hyperref[a:b]{c}, \parencite[chap. 3]{k}", "c, [k, chap. 3]"),
        (r"\verb|a_b|", "<code>a_b</code>"),
        (r"a \emph{b \textbf{c}} d", "a <em>b <strong>c</strong></em> d"),
        (r"``q''---a~b", "“q”—a\u00a0b"),
        (r"G\"odel, Erd\H{o}s", "Gödel, Erdős"),
        (r"\cite[Theorem 2]{gauss}", "[gauss, Theorem 2]"),
        (r"\unknown{x}", '<code class="tex">\\unknown</code>x'),
        (r"$\unknown<$", '<code class="tex">$\\unknown&lt;$</code>'),
        (
            r"\begin{enumerate} \item one \item[(b)] two \end{enumerate}",
            '<ol><li>one </li><li class="own"><b>(b)</b>  two </li></ol>',
        ),
        (r"\item a }} \end{itemize}", "a  "),
        (r"\begin{itemize}", "<ul><li></li></ul>"),
        ("a \x040\x05b", "a b"),
    ],
)
def test_a_text_becomes_html(text, made):
    assert typeset(text, _maths) == made


def test_what_is_drawn_stays_latex():
    made = typeset(r"\begin{tikzpicture} A & <B> \end{tikzpicture}", _maths)
    assert made.startswith("<details")
    assert "&lt;B&gt;" in made


def test_a_diagram_in_a_display_stays_latex():
    made = typeset(r"\[ \begin{tikzpicture} unknown \end{tikzpicture} \]", _maths)
    assert made.startswith('<details class="drawn"><summary>a diagram, as LaTeX</summary>')


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("laws , i.e. a", "laws, i.e. a"),
        ("so $x$ . Now", 'so <span class="whole"><math></math>.</span> Now'),
        ("a .5 b ; c", "a .5 b ; c"),
    ],
)
def test_blanks_that_something_unseen_has_left_are_gone(text, made):
    assert typeset(text, lambda text, display: _KINDS[display]) == made


def test_a_drawing_has_the_words_of_its_references():
    made = typeset(
        "\\begin{tableau}{l}by \x023\x03\x040\x05\\end{tableau}",
        _maths,
        lambda number: [ReferenceLink(f"Lemma {number}")],
    )
    assert "{l}by Lemma 3\\end" in made


def test_a_plain_table_is_a_table():
    made = typeset(
        r"\begin{tabular}{|l*{2}{r}|}\hline a & $b$ & c\\ \hline\hline "
        r"\multicolumn{2}{c}{d \& e} & "
        r"\emph{f}\\[2pt] \end{tabular}",
        _maths,
    )
    assert made == (
        '<div class="wide"><table class="cells"><tr><th class="l">a</th>'
        '<th class="r"><math>1</math></th>'
        '<th class="r">c</th></tr><tr><td class="c" colspan="2">d &amp; e</td>'
        '<td class="r"><em>f</em></td></tr></table></div>'
    )


def test_what_is_no_plain_table_stays_latex():
    made = typeset(r"\begin{tabular}{c}\begin{tabular}{c}a\end{tabular}\end{tabular}", _maths)
    assert made.startswith('<details class="drawn">')


def test_a_float_has_its_caption_with_its_number_and_its_picture():
    floats = Floats(
        picture=lambda name, alt: f"[{name}: {alt}]" if name == "a/b.png" else "",
        number=lambda index: "2.1" if index == 4 else "",
    )
    text = (
        "\\begin{figure}[ht]\\centering\\includegraphics[width=3cm]{a/b.png}"
        "\\caption[s]{A \\emph{map} of $x$.}\x044\x05\\end{figure}"
    )
    assert typeset(text, _maths, floats=floats) == (
        "<figure>[a/b.png: A map of x.]<figcaption>Figure 2.1: A <em>map</em> of "
        '<span class="whole"><math>1</math>.</span></figcaption></figure>'
    )
    other = text.replace("figure}", "table}").replace("b.png", "c.pdf").replace("\x044", "\x045")
    assert typeset(other, _maths, floats=floats) == (
        "<figure>[figure a/c.pdf]<figcaption>Table: A <em>map</em> of "
        '<span class="whole"><math>1</math>.</span></figcaption></figure>'
    )


def test_no_line_begins_with_the_mark_behind_a_formula():
    made = typeset("on $x$, $y$). So \\[z\\].", lambda text, display: _KINDS[display])
    assert made == (
        'on <span class="whole"><math></math>,</span> <span class="whole"><math></math>).</span>'
        ' So <math display="block"></math>.'
    )


def test_no_line_begins_with_the_dash_of_a_word_behind_a_formula():
    made = typeset("a $k$--form, an $n$-dimensional $x$ --- $y$", lambda *_, **__: "<math></math>")
    assert made == (
        'a <span class="whole"><math></math>–</span>form, an <span class="whole"><math></math>-'
        "</span>dimensional <math></math> — <math></math>"
    )


def test_a_diagram_of_neighbours_is_drawn_anew_and_kept():
    made = typeset(r"\[ \begin{tikzcd} A\ar[r] & B \end{tikzcd} \]", _maths)
    assert made.startswith('<math>47</math><details class="drawn"><summary>the same, as LaTeX')


def test_a_mention_is_a_link_and_in_a_formula_its_words():
    def refer(number):
        return [ReferenceLink(f"Lemma {number}", 'r:"<x>'), ReferenceLink(", "), ReferenceLink("B")]

    made = 'by <a href="#r:&quot;&lt;x&gt;">Lemma 3</a>, B'
    assert typeset("by \x023\x03", _maths, refer) == made
    # As words: letters of a formula would be a product.
    assert typeset("$a\x023\x03$", lambda text, _: text, refer) == r"a\text{Lemma 3, B}"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("( \x021\x03)", "((1))"),
        ("[ \x021\x03]", "[(1)]"),
        ("\x021\x03-- \x022\x03", "(1)–(2)"),
        ("a \x021\x03 -- \x022\x03", "a (1) –(2)"),
        ("a, \x021\x03", "a, (1)"),
    ],
)
def test_no_blank_stands_before_a_reference_behind_a_bracket_or_a_dash(text, made):
    assert typeset(text, _maths, lambda number: [ReferenceLink(f"({number})")]) == made


def test_a_reference_that_shows_nothing_leaves_the_blank():
    assert typeset("( \x021\x03)", _maths, lambda _: []) == "( )"


def test_rows_of_displays_are_numbered_by_their_place_and_by_their_tags():
    def number(start, rows):
        return [RowNumber(f"({start}.{row.strip()[:1]})") for row in rows]

    made = typeset(
        r"a \begin{align}x\\y\tag{T}\\ \intertext{so} z\end{align} b \[w\]",
        lambda text, display: f'<math display="block">{text}</math>',
        number=number,
    )
    assert re.sub("<[^>]*>", "|", made) == (
        r"a ||\begin{align*}x\\y \\\end{align*}|||(2.x)|||(T)|||so"
        r"||\begin{align*} z\end{align*}|||(2.z)||| b ||w|||(59.w)|||"
    )


def test_a_tag_with_a_formula_or_a_reference_is_typeset():
    made = typeset(
        "\\begin{align}x\\tag{since $y$ is by \x021\x03}\\\\ z\\tag*{as $w$}\\end{align}",
        lambda text, display: f"<math>{text}</math>",
        lambda number: [ReferenceLink(f"Lemma {number}")],
    )
    assert "(since <math>y</math> is by Lemma 1)" in made
    assert '<span class="number">as <math>w</math></span>' in made


@pytest.mark.parametrize(
    ("span", "made"),
    [
        ((2, 4), "ab<mark>cd</mark>ef <math>1</math>"),
        ((5, 8), "abcde<mark>f </mark><mark><math>1</math></mark>"),
        (None, "abcdef <math>1</math>"),
    ],
)
def test_a_span_is_marked_and_formulas_are_marked_as_a_whole(span, made):
    assert typeset("abcdef $x$", _maths, None, span) == made


class _Nested(HTMLParser):
    """Fails where elements do not nest, or where one stands that no text may make."""

    ALLOWED = frozenset("em strong code ol ul li b br a mark math details summary pre span".split())

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        assert tag in self.ALLOWED
        assert {name for name, _ in attrs} <= {"class", "href"}
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def _require_nested(made):
    parser = _Nested()
    parser.feed(made)
    parser.close()
    assert parser.open == []


_PIECES = st.sampled_from(
    [
        *r"{ } $ \[ \] \( \) \begin{itemize} \end{itemize} \begin{align} \end{align}".split(),
        *r"\item \item[<b>] \emph{ \texttt{ <b> -- ~ \\ \foo % ' ` \ \begin{tabular}".split(),
        *("\x020\x03", "\x041\x05", "\x0e", "\x0f", "\x10", "a b", HOSTILE),
        *(r"\footnote{", r"\ensuremath{", r"\href{<a>}{", r"\verb|<b>|", r"\url{<b>}"),
        *(r"\"{o}", r"\cite[<a>]{<b>}", r"\end{tabular}"),
    ]
)
_SPANS = st.tuples(st.integers(0, 60), st.integers(0, 60))


@given(st.lists(_PIECES, max_size=14).map("".join), _SPANS)
def test_any_text_is_html_that_nests(text, span):
    _require_nested(typeset(text, _maths, lambda number: [ReferenceLink("<i>", "x")], span))


def test_what_nests_deep_is_cut():
    assert typeset(r"\emph{" * 5_000, _maths).count("<em>") == 40


def test_what_is_endless_is_shown_as_it_is():
    text = r"\begin{array}" * 400
    assert typeset(text, _maths) == f"<pre>{text}</pre>"


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            r"\begin{enumerate}[(a)] \item x \item y \end{enumerate}",
            '<ol><li class="own"><span class="label">(a)</span> x </li>'
            '<li class="own"><span class="label">(b)</span> y </li></ol>',
        ),
        (
            r"\begin{enumerate}[label={[\roman*]}, ref=x]\item x\item[b] y\item z\end{enumerate}",
            '<ol><li class="own"><span class="label">[i]</span> x</li>'
            '<li class="own"><b>b</b>  y</li>'
            '<li class="own"><span class="label">[ii]</span> z</li></ol>',
        ),
        (
            r"\begin{enumerate}\item x\item y\end{enumerate} w"
            r"\begin{enumerate}[resume]\item z\end{enumerate}",
            '<ol><li>x</li><li>y</li></ol> w<ol start="3"><li>z</li></ol>',
        ),
        (
            r"\begin{enumerate}[resume, label=\alph*.]\item z\end{enumerate}",
            '<ol><li class="own"><span class="label">a.</span> z</li></ol>',
        ),
        (r"\begin{enumerate}[start=3]\item z\end{enumerate}", '<ol start="3"><li>z</li></ol>'),
        (
            r"\begin{compactenum}[i.]\item z\end{compactenum}",
            '<ol><li class="own"><span class="label">i.</span> z</li></ol>',
        ),
        (r"\begin{itemize}[left=0mm]\item z\end{itemize}", "<ul><li>z</li></ul>"),
        (r"\begin{minipage}[t]{.3\textwidth}a\end{minipage}", "a "),
        (r"\small\raggedright a", "a"),
        (r"a\expandafter\gdef\csname Equa1\endcsname{\ensuremath{x}}b", "ab"),
        (r"a\def\x#1{y #1}b", "ab"),
        (r"\uses{def:a_b, c}", '<code class="tex">\\uses{def:a_b, c}</code>'),
        (r"see \cref{a_b}", 'see <code class="tex">\\cref{a_b}</code>'),
        (r"the \uses here", 'the <code class="tex">\\uses</code> here'),
    ],
)
def test_options_of_lists_and_boxes_do_not_show(text, made):
    assert typeset(text, _maths) == made


def test_a_macro_that_was_not_expanded_has_its_arguments_in_a_formula():
    asked = []

    def maths(text, display):
        asked.append(text)
        return None if "macro" in text else "<math></math>"

    assert typeset(r"$\macro{0123abcd}{F}{v}$", maths) == "<math></math>"
    assert asked[-1] == r"\mathtt{…}{F}{v}"


def test_definitions_without_end_take_no_time():
    text = r"\def\x" + "#1" * 20_000 + r"\a \a " * 3_000
    assert len(typeset(text, _maths)) > 1_000
