"""Displays by their rows, with what stands at the right of each."""

import re

import pytest

from pfcore.reporters.html.equation_rows import (
    NO_NUMBER,
    RowNumber,
    numbered,
    row_tag,
    split_rows,
    without_tags,
)
from pfcore.reporters.html.mathml import formula_mathml


@pytest.mark.parametrize(
    ("inner", "rows"),
    [
        ("a", ["a"]),
        (r"a\\b", [r"a\\", "b"]),
        (r"a\\[2pt] b\\* c\\", [r"a\\[2pt]", r" b\\*", r" c\\", ""]),
        (r"a\\ [r]_n\\[0.5\jot] b", [r"a\\", r" [r]_n\\[0.5\jot]", " b"]),
        (r"\begin{cases}1\\2\end{cases}\\ \text{a\\b} \{ \\c", [
            r"\begin{cases}1\\2\end{cases}\\", r" \text{a\\b} \{ \\", "c"]),
    ],
)  # fmt: skip
def test_rows_end_where_the_display_has_them(inner, rows):
    assert split_rows(inner) == rows
    assert "".join(rows) == inner


@pytest.mark.parametrize(
    ("row", "words", "left"),
    [
        (r"a=b \tag{A1}", "(A1)", "a=b  "),
        (r"a\tag*{[H]} b", "[H]", "a  b"),
        (r"a\tag{$\ast$}\tag{2}", "(∗)", "a  "),
        (r"\tagged{a}", "", r"\tagged{a}"),
        (r"a\tag{", "", "a {"),
    ],
)
def test_a_tag_stands_at_the_right_and_not_in_the_formula(row, words, left):
    assert row_tag(row) == words
    assert without_tags(row) == left


def _made(text):
    return formula_mathml(text, display=True)


def test_a_formula_has_its_number_beside_it():
    made = numbered(_made("a"), [RowNumber("(2.3)", "q:x")])
    assert made == (
        '<span class="numbered"><math display="block"><mi>a</mi></math>'
        '<span class="numbers"><span class="number" id="q:x">(2.3)</span></span></span>'
    )


def test_rows_have_their_numbers_in_the_last_column():
    text = r"\begin{align*}\begin{pmatrix}1\\2\end{pmatrix}&=b\\ c\\ d&=e\end{align*}"
    made = numbered(_made(text), [RowNumber("(1)"), NO_NUMBER, RowNumber("(x)", "q:x", True)])
    assert made.startswith('<span class="lines"><math display="block"><mtable')
    first, second, third = made.split('<mtd class="space"></mtd>')[1:]
    assert first.count("<mtd") == 2 + 2 + 1
    assert '<mtd class="number"><mtext>(1)</mtext></mtd></mtr>' in first
    assert second.startswith('<mtd class="right"><mi>c</mi></mtd><mtd></mtd><mtd class="number">')
    assert (
        '<mtd class="number label" id="q:x"><mtext>(x)</mtext></mtd></mtr></mtable></math></span>'
        in third
    )


def test_a_row_without_content_at_the_end_has_its_number_too():
    made = numbered(
        _made(r"\begin{align*}a&=b\\ \end{align*}"), [RowNumber("(1)"), RowNumber("(2)")]
    )
    end = '<mtd class="number"><mtext>(2)</mtext></mtd></mtr></mtable></math></span>'
    assert made.endswith('<mtr><mtd class="space"></mtd><mtd></mtd><mtd></mtd>' + end)


@pytest.mark.parametrize(
    "text", ["a", r"\begin{align*}a\\b\\c\end{align*}", r"\begin{pmatrix}a\\b\end{pmatrix} c"]
)
def test_numbers_of_what_is_no_table_of_as_many_rows_stand_beside_it(text):
    made = numbered(_made(text), [RowNumber("(1)"), RowNumber("(2)")])
    assert made.startswith('<span class="numbered"><math display="block">')
    assert made.endswith('(1)</span><br><span class="number">(2)</span></span></span>')


def test_what_has_no_number_stays_as_it_is():
    assert numbered("<math></math>", [NO_NUMBER, NO_NUMBER]) == "<math></math>"
    assert numbered("<math></math>", []) == "<math></math>"


def test_words_with_formulas_stand_in_a_cell_as_one_row():
    made = '(since <span class="whole"><math display="inline"><mi>x</mi></math>,</span> by 2)'
    table = numbered(
        _made(r"\begin{align}a&=b\\ c&=d\end{align}"),
        [RowNumber("(since x, by 2)", made=made), NO_NUMBER],
    )
    cell = re.findall(r'<mtd class="number">(.*?)</mtd>', table)[0]
    assert cell == (
        "<mrow><mtext>(since\xa0</mtext><mrow><mi>x</mi></mrow><mtext>, by 2)</mtext></mrow>"
    )
    assert f">{made}</span>" in numbered(_made("a"), [RowNumber("x", made=made)])
