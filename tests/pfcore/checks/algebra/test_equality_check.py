"""Links of equality chains that evaluation falsifies: few, certain, and with their cure."""

import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.bench.quality.computation import Recall, recall, tallies
from pfcore.checks.algebra import equality_check
from pfcore.checks.algebra.chains import chains
from pfcore.checks.check import CheckInput
from pfcore.latex.macros.macro import Macro


def _links(text):
    return list(equality_check.links(text, lambda *_: None))


def _slips(text):
    return [
        (text[slip.link.left.start : slip.link.right.end], equality_check.cure(slip, text))
        for slip in equality_check.slips(text, lambda *_: None)
    ]


def _quotes(text):
    return [quote for quote, _ in _slips(text)]


TRUE = (
    "$(a-b)^2 = a^2 - 2ab + b^2 = (a+b)^2 - 4ab$",
    r"\[ \frac{n(n+1)}{2} + n + 1 = \frac{n^2+3n+2}2 = \frac{(n+1)(n+2)}{2}. \]",
    r"$$ (x+y)^3 = x^3+3x^2y+3xy^2+y^3 = \left(x + y\right)\bigl(x^2+2xy+y^2\bigr) $$",
    r"\begin{align*} (x+1)^2-1 &= x^2 + 2x + 1 - 1 \\ &= x^2+2x \\ &= x(x+2). \end{align*}",
    r"\begin{eqnarray} a+b+c &=& c+b+a \\ &=& (a+b)+c \end{eqnarray}",
    r"$a+b+c = c+b+a$, so $c+b+a = 0 = 1 = 2$",
    r"$\binom{n+1}{k} = \binom{n}{k}+\binom n{k-1} = \frac{(n+1)!}{k!(n+1-k)!}$",
    r"$\sqrt{x^2+2x+1} = x + 1 = 1 + x$",
    r"$e^{x+y} + 1 + z= e^xe^y + 1 + z = 1 + z+ \exp(x + y)$",
    r"$\sin^2(x)+\cos^2(x)+x=1+x = x + 1$",
    r"$(a+bi)(c+di) = ac+adi+bci+bdi^2 = ac - bd + (ad+bc)i$",
    r"$2^{n+1}+2^n+1 = 3\cdot 2^n+1 = 1+3\times2^n$",
    r"$\frac12 + \frac x2 + y = \tfrac{1+x}{2}+y = \dfrac{1+x+2y}2$",
    r"$x_1+x_{2}+x_{n+1} = x_2+x_1+x_{n+1} = x_{n+1}+x_1+x_2$",
    r"$a/b+c/2+n(n+1)/2 = \frac ab+0.5c+\frac{n^2+n}{2} = n(n + 1)/2 + c/2+a/b$",
    r"$-a+b+c = -(a-b-c) = b+c-a$",
    r"$\log(xy)+1+z = \log(x)+\log(y)+1+z = z + 1 + \ln(xy)$",
    r"$\frac{e^{ix}+e^{-ix}}{2}+x+y = \cos(x)+x+y = y+x+\cos(x)$",
    r"\begin{multline} a+b+c \\ + d = d + c \\ + a + b = a+b+c+d \end{multline}",
    r"\begin{align} x &= 1+a+b & y &= 2+a+b \\ &= b+a+1 & &= a+b+2 \end{align}",
    r"\begin{align} a+b+c &= c+b+a \quad\text{(twice)} \\ &= b \\ & \quad + a+c \end{align}",
    r"\begin{align} x+y+z &= x+y \\ &\quad {}+ z \\ &= z + y + x \end{align}",
)


@pytest.mark.parametrize("text", TRUE)
def test_a_true_chain_raises_no_alarm(text):
    assert _slips(text) == []


FALSE = (
    (
        "$(a-b)^2 = a^2 - 2ab - b^2 = b^2 - 2ab + a^2$",
        "(a-b)^2 = a^2 - 2ab - b^2",
        "it holds with + before b^2",
    ),
    (
        r"\[ (x+y)^3 = x^3+3x^2y+2xy^2+y^3 = y^3 + 3xy^2 + 3x^2y + x^3. \]",
        "(x+y)^3 = x^3+3x^2y+2xy^2+y^3",
        "it holds with 3 instead of 2 in 2xy^2",
    ),
    (
        r"\begin{align*} f(x) &= (x+1)^2 - 1 \\ &= x^2 + 2x + 1 + 1 \\ &= g \end{align*}",
        r"(x+1)^2 - 1 \\ &= x^2 + 2x + 1 + 1",
        "it holds with − before 1",
    ),
    (
        r"$n + 1 + \frac{n(n+1)}{2} = \frac{n^2+3n+2}{2} = \frac{(n+1)(n+3)}{2}$",
        r"\frac{n^2+3n+2}{2} = \frac{(n+1)(n+3)}{2}",
        "it holds with 2 instead of 3",
    ),
    (
        r"$z = 2^{n+1}+2^n+1 = 4\cdot 2^n+1 = w$",
        r"2^{n+1}+2^n+1 = 4\cdot 2^n+1",
        r"it holds with 3 instead of 4 in 4\cdot 2^n",
    ),
    (
        r"$p \le a = (a+b)(a-b)+b^2 = a^2+b^2+b^2 < q$",
        "(a+b)(a-b)+b^2 = a^2+b^2+b^2",
        "it holds with − before b^2",
    ),
)


@pytest.mark.parametrize(("text", "quote", "cure"), FALSE)
def test_a_false_link_is_found_in_its_place_with_its_cure(text, quote, cure):
    assert _slips(text) == [(quote, cure)]


def test_what_two_edits_would_cure_is_left_alone():
    assert _slips(r"$q = x(x+h)^2 = x^3+x^2h+xh^2 = w$") == []
    assert _slips(r"$z = -x^2 - xy + y^2 = x^2 + xy - y^2 = w$") == []


def test_an_edit_that_makes_a_side_undefined_is_no_cure():
    assert _slips("$y = (a-a-2)!+a+b+1 = (a-a-2)!+a+b = z$") == []
    assert _slips(r"$y = 2^{100a}+a+b+1 = 2^{100a}+a+b+2+3a = z$") == []


def test_a_link_that_holds_is_known_to_hold():
    (first, second) = _links("$(a+b)^2 = a^2+2ab+b^2 = a^2+b^2$")
    assert (equality_check.holds(first, ""), equality_check.holds(second, "")) == (True, False)


def test_one_slip_between_two_links_is_told_once():
    assert len(_slips("$(a-b)^2 = a^2 + 2ab + b^2 = b^2 - 2ab + a^2$")) == 1


GATED = {
    "a chain of two": "$(a-b)^2 = a^2 - 2ab - b^2$",
    "parts of two": r"$(a-b)^2 = a^2 - 2ab - b^2 \le c = d$",
    "other letters": "$z = (a-b)^2 + c = a^2 - 2ab - b^2 = w$",
    "no letters": "$1+2+3 = 1+2+4 = 7$",
    "two terms": "$z = x + y = x - y = w$",
    "a root of unity": "$z = a + bw^4 + bw = a + bw + bw = w^3$",
    "an equation to solve": "$x^2+2x+1 = 4 = 2^2$",
}


@pytest.mark.parametrize("text", GATED.values(), ids=GATED)
def test_each_gate_holds_back(text):
    assert _slips(text) == []


SLIP = "$y = (a-b)^2 = a^2 - 2ab - b^2 = z$"


@pytest.mark.parametrize(
    "hint",
    [
        "Modulo 2 we get",
        r"In $\mathbb{F}_q$ we get",
        r"Over a finite field,",
        r"$x \equiv 1 \pmod p$, and",
        "In characteristic $p$ we get",
        "The letters are nilpotent:",
        "By quadratic reciprocity,",
        "Find the mistake:",
        "Rounded to one place,",
        "Let $a$ be a root of unity;",
        "For ordinals,",
        r"In $\mathbb{Z}/4$,",
    ],
)
def test_a_hint_at_other_arithmetic_silences(hint):
    assert _slips(SLIP)
    assert _slips(f"{hint} {SLIP}") == []


@pytest.mark.parametrize(
    "text",
    [
        r"$y \approx (a-b)^2 = a^2 - 2ab - b^2 = z$",
        r"$y = (a-b)^2 = a^2 - 2ab - b^2 = z \pmod 2$",
        r"\[y = (a-b)^2 = a^2 - 2ab - b^2 = z \text{ if } b = 0\]",
        r"$y = (a-b)^2 \stackrel{!}{=} a^2 - 2ab - b^2 = z$",
        r"$y = 0.25a + b + c = 0.26a + b + c = z$",
        r"$y = (a-b)^2 = a^2 - 2ab - b^2 + \dots = z$",
        r"$y = (a-b)^2 = a^2 - 2ab - b^2 + O(a) = z$",
        r"$y = (a-b)^2 = a^2 - 2ab - \left|b\right|^2 = z$",
        r"$y = f(a-b)+a+b = f(a) + f(b)+a-b = z$",
        r"$y = u(a+b)+a = u(a)+u(b)-a = z$",
        r"$y = \frac{d}{dx}(x^2+x+d) = 2x+1+d = z$",
        r"$y = a^{(2)}+b+c = a^{(2)}-b+c = z$",
        r"$y = \mathbf{a}+b+c = \mathbf{a}-b+c = z$",
        r"$y = \begin{pmatrix}a\end{pmatrix}+b+c = a-b+c = z$",
        r"$y = \sum_{i=1} a+b+c = a+b-c = z$",
        r"$y = a/bc+b+c = a/bc+b-c = z$",
        r"$y = 2\frac12+a+b+c = 2\frac12+a+b-c = z$",
        r"$y = a! ! + b+c = a! ! -b+c = z$",
        r"$y = \sin x + y+z = \sin x+y-z = z$",
        r"$y = \sin(x)^2 + y+z = \sin(x)^2+y-z = z$",
        r"$y = x2 + y+z = x2+y-z = z$",
        r"$y = a^b^c + b+c = a^b^c-b+c = z$",
        r"$y = a_b^c_d + b+c = a_b^c_d-b+c = z$",
        r"$y = a+b+c = a- = z$",
        r"$y = (a+b+c = a+b-c) = z$",
        r"$y = \{a+b+c\} = a+b-c = z$",
        r"\begin{align}y &= a+b+c \\ &(a) = a+b-c \\ &= z\end{align}",
        r"\begin{gather}y = a+b+c = a+b \\ + c = z\end{gather}",
        r"$y = a+b+c, + d = a+b-c +d = z$",
        r"$a+b+c + \text{more} + d = a+b-c+d = z$",
        r"\begin{cases} y = a+b+c = a+b-c = z \end{cases}",
        r"$y = a_{b = a+b+c = a+b-c} = z$",
        r"$y = [ a+b+c = a+b-c = z$",
        r"$y = a_{+}+b+c = a_++b-c = z$",
        r"$y = a^{\frac1{2}+b+c = a+b-c = z$",
        "$y = a+b+c = a+b-c = z\n\nanother paragraph$",
        "no mathematics = at all = here",
    ],
)
def test_what_is_not_certainly_a_formula_is_left_alone(text):
    assert _slips(text) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (r"\begin{align} a &= b \\ &= c \\ d &= e \end{align}", [3]),
        (r"\begin{align} a &= b && \text{by (1)} \\ &= c && \text{by (2)} \end{align}", [3]),
        (r"\begin{align} a &= b &c&= d \newline &= c &&= e \end{align}", []),
        (r"$a = b = c, d = e = f$", [3, 3]),
        (r"$a = b \le c = d = e$", [3]),
        (r"\begin{array}{rcl} a &=& b \\ &=& c \\ &\le& d \end{array}", [3]),
        (r"\begin{alignat}{2} a &= b \\ &= c \end{alignat}", [3]),
        (r"\begin{aligned}[t] a &= b \\[2pt] &= c \end{aligned}", [3]),
        (r"\[ \begin{split} a &= b = \\ & c \end{split} \]", [3]),
        (r"\[ a = \begin{aligned} a &= b \\ &= c \end{aligned} \]", [3]),
        (r"\(a = b \quad = c\)", [3]),
        (r"\[x = \text{the $a = b = c$}\]", [3]),
        (r"\end{align} $a = b = c \label{x} \tag{*}$", [3]),
        (r"$a = b$ and $b = c$", []),
        (r"\$a = b = c\$", []),
        (r"$a = b$$a = b = c$ $b = c$", [3]),
    ],
)
def test_chains_go_on_across_rows_and_end_at_words(text, count):
    assert [len(chain.members) for chain in chains(text, lambda *_: None)] == count


def test_the_papers_own_macros_are_read():
    table = {
        "half": Macro((), r"\frac12"),
        "paren": Macro(("m",), r"\left(#1\right)"),
        "eps": Macro(("=",), r"\epsilon"),
        "loop": Macro((), r"\loop+\loop"),
        "same": Macro((), r"\same"),
        "wide": Macro(("m",), "#1#1#1" * 200),
        "un": Macro(("m",), "#1"),
    }
    text = (
        r"$z = \paren{a-b}^2 + \half\eps + \half\eps= a^2 - 2ab - b^2 + \eps = w$"
        r"$z = \loop = \same = \wide{x} = \un$"
    )
    (slip,) = equality_check.slips(text, lambda name, _: table.get(name))
    assert equality_check.cure(slip, text) == "it holds with + before b^2"
    assert text[slip.link.left.start :].startswith(r"\paren{a-b}")


HOSTILE = {
    "towers": "$a = 9^{9^{9^9}}+b+c = 9^{9^{9^{9}}}+b-c = z$",
    "products": rf"$a = {'9^{99}*' * 40}1+b+c = {'9^{98}*' * 40}1+b+c= z$",
    "powers": r"$a = (9^{99})^{99}+b+c = \sqrt{9^{99}b}^{99}+b-c = z$",
    "exponentials": r"$a = \exp(9^9)+b+c = \exp(\exp(\exp(b)))+b-c = z$",
    "inner depth": "$a = " + "(" * 90 + "b+b+c" + ")" * 90 + "= b+c+b = c$",
    "letters": "$a = b^{b^{b^b}}+b+1 = b^{b^{b^b}}+b-1 = z$",
    "factorials": "$a = ((b!)!)!+b+c = 999999999!+b-c = (b/2)!+b+c = b!!+c-b = z$",
    "binomials": r"$a = \binom{999999}{4999}+b+c = \binom{b^{50}}{c}+b+c = z$",
    "depth": "$a = " + "(" * 5_000 + "b+b+c" + ")" * 5_000 + "= b = c$",
    "braces": "$a = " + "{" * 5_000 + "b" + "}" * 5_000 + "= b = c$",
    "subscripts": "$a = " + "b_{" * 5_000 + "= b = c$",
    "nothing": r"$a = \frac{1}{b-b}+b+c = \frac{1}{0}+b-c = z$",
    "roots": r"$a = \sqrt[0]{b}+b+c = \sqrt{-b}+b-c = \log(0)+b+c = \log(-1)+b-c = z$",
    "digits": "$a = " + "9" * 5_000 + "+b+c = 0" + "9" * 500 + "+b+c = z$",
    "a long chain": "$" + "=".join(["a+b+c"] * 20_000) + "$",
    "chains": "$a = b+c+d = b+c-d = e$ " * 2_000,
    "wide sums": "$a = " + "+b2" * 60 + "+c = " + "+2b" * 60 + "-c = z$ ",
    "nested displays": r"\[" * 2_000 + "a = b = c",
    "nested environments": r"\[" + r"\begin{aligned} a = b = c" * 3_000,
    "open text": r"$a = \text{" * 3_000 + "= b = c",
    "rows": r"\begin{align} a &= b " + r"\\ &= b" * 2_000 + r"\end{align}",
    "no end": "$a = b = ",
    "letters without end": "$y = " + "+".join(f"a_{{{n}}}" for n in range(40)) + "= 1 = 2$",
    "zero": "$y = 0^{a-a}+a+b = 0^{0}+a-b = 1^{999}+a+b = 1^{999}+a-b = z$",
    "odd": "$y = a' ^ { } + = _ = ^ = ! = } = { = [ = ] = & = \\\\ = \\ = \x00 $",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_input_costs_little(text):
    begun = time.process_time()
    list(equality_check.slips(text, lambda *_: None))
    assert time.process_time() - begun < 5


def test_a_parsed_equality_costs_at_most_a_twentieth_of_a_millisecond_or_so():
    text = "\n\n".join(TRUE[:10]) * 40
    equalities = text.count("=")
    begun = time.process_time()
    list(equality_check.slips(text, lambda *_: None))
    assert (time.process_time() - begun) / equalities < 0.001  # twenty times what is wanted


def _polynomial(chance):
    """A sum of terms c·x^i·y^j, by exponents."""
    return {(chance.randrange(4), chance.randrange(3)): chance.randrange(1, 9) for _ in range(3)}


def _times(one, other):
    made: dict[tuple[int, int], int] = {}
    for (i, j), c in one.items():
        for (k, m), d in other.items():
            made[i + k, j + m] = made.get((i + k, j + m), 0) + c * d
    return made


def _written(polynomial, chance):
    terms = list(polynomial.items())
    chance.shuffle(terms)
    return "+".join(f"{c}" + f"x^{{{i}}}" * (i > 0) + f"y^{{{j}}}" * (j > 0) for (i, j), c in terms)


def _identity(chance):
    one, other = _polynomial(chance), _polynomial(chance)
    product = _times(one, other)
    factored = f"({_written(one, chance)})({_written(other, chance)})"
    members = [factored, _written(product, chance), _written(product, chance)]
    return f"${' = '.join(members)} = z$"


@given(st.randoms(use_true_random=False))
def test_a_true_identity_of_polynomials_never_raises_an_alarm(chance):
    text = _identity(chance)
    assert len(_links(text)) >= 2
    assert _slips(text) == []


@pytest.mark.acceptance
def test_planted_slips_are_caught():
    chance = Random(7)
    texts = [_identity(chance) for _ in range(40)]
    links = [(text, lambda *_: None, link) for text in texts for link in _links(text)]
    found = recall(links, slips=3)
    assert found.planted > 100
    assert found.caught >= 0.7 * found.planted


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    [
        "brownian-motion", "carleson", "equational-theories", "flt3", "hott-intro", "openlogic",
        "pfr", "poly", "sphere-eversion", "zkdl-lectures",
    ],
)  # fmt: skip
def test_real_papers_raise_no_false_alarm_and_planted_slips_are_caught(name: str, corpus: Path):
    found = list(tallies(corpus / name))
    assert [finding.message for tally in found for finding in tally.findings] == []
    total = sum((tally.behind_gates for tally in found), start=Recall())
    assert total.caught >= 0.7 * total.planted


def _findings(report):
    (check,) = equality_check.CHECKS
    return list(check.run(CheckInput(state=report.state), check))


def test_a_finding_names_the_module_the_place_and_the_cure(article):
    report = article(
        "\\begin{lemma}\\label{l} L. \\end{lemma}\n\\begin{proof}\n% $z=a+b+c=a-b+c=w$\n"
        "We have\n\\begin{align*}\n z &= (a-b)^2 \\\\\n   &= a^2 - 2ab - b^2 = w\n\\end{align*}"
        "\n\\end{proof}\n\\newcommand{\\x}{$z=a+b+c=a-b+c=w$}"
    )
    (finding,) = _findings(report)
    assert (finding.rule, finding.severity.value, finding.module) == ("false-equality", "note", "l")
    assert finding.quote == "(a-b)^2 \\\\ &= a^2 - 2ab - b^2"
    assert finding.location[3:] == (13, 7, 14, 22)
    assert finding.message == ("this step is false as written; it holds with + before b^2")


def test_prose_outside_of_modules_is_read_too(article):
    (finding,) = _findings(article(f"We see {SLIP}."))
    assert finding.module is None


def test_anticommuting_letters_anywhere_silence_the_paper(article):
    assert _findings(article(f"Grassmann variables.\n\n{'Text. ' * 800}\n\n{SLIP}")) == []


def test_a_file_without_two_equalities_is_skipped(article):
    report = article("$a = b$")
    assert list(equality_check.texts(CheckInput(state=report.state))) == []
