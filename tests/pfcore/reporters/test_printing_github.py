"""Markdown of GitHub: formulas typeset, nothing else of a paper is markup."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.reporters.printing import code, paragraphs, printed_heading, prose

_ENTITY = re.compile(r"&#\d+;")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("let $x<y$ be", "let $`x<y`$ be"),
        (r"\(a\) and \[b\] and $$c$$", "$`a`$ and $`b`$ and $`c`$"),
        (r"$|x|\|y\|$", r"$`\vert x\vert \Vert y\Vert`$"),
        ("$a`b$", "$`a'b`$"),
        ("$50%$", r"$`50\%`$"),
        (r"costs \$5 and $6", r"costs &#92;&#36;5 and &#36;6"),
        ("1. a", "1&#46; a"),
        ("1) a", "1&#41; a"),
        ("(a) [b](c)", "(a) &#91;b&#93;(c)"),
        ("=== a", "&#61;== a"),
        ("12. a 12. b", "12&#46; a 12. b"),
        ("/merge a/b", "&#47;merge a/b"),
        ("$a @bob #1 http://x.org$", "$`a @{}bob #{}1 http:{}//x.org`$"),
        ("$www.x.org GH-1$", "$`www{}.x.org GH-{}1`$"),
        (r"$\href{x}{y} \define$", r"$`\mathrm{href}{x}{y} \define`$"),
        (r"$\newcommand\a{}$", r"$`\mathrm{newcommand}\a{}`$"),
        (r"$\htmlClass{x}{y}$", r"$`\mathrm{htmlClass}{x}{y}`$"),
    ],
)
def test_formulas_are_typeset_and_words_are_words(text, shown):
    assert prose(text) == shown


@pytest.mark.parametrize(
    "text",
    ["@user", "#12", "GH-12", "http://a.org", "www.a.org", "a@b.org", "o/r#1", "HTTPS://a.org"],
)
def test_nothing_becomes_a_link_or_a_mention(text):
    assert "&#8203;" in prose(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"Balog--Szemer\'edi", "Balog&#8211;Szemerédi"),
        (r"A \emph{sharp} bound of $x<y$ , too", "A sharp bound of $`x<y`$ , too"),
        ("", ""),
        (" ", ""),
        (r"\textbf{@user} <b>", "&#64;&#8203;user &#60;b&#62;"),
    ],
)
def test_a_title_is_printed_as_in_the_paper(text, shown):
    assert printed_heading(text) == shown


@given(st.text())
def test_nothing_of_a_title_is_markup(text):
    shown = re.sub(r"\$`[^`]*`\$", "", printed_heading(text))
    assert not re.search(r"[<>`*\[\]|~\\!@{}$&_^\"]|^[-+=]", _ENTITY.sub("x", shown))


@given(st.text())
def test_outside_of_formulas_nothing_is_markup(text):
    shown = re.sub(r"\$`[^`]*`\$", "", prose(text))
    assert not re.search(r"[<>`*\[\]|~\\!@{}$&_^\"]|^[-+=]", _ENTITY.sub("x", shown))


@given(st.text())
def test_a_cell_of_a_table_stays_one(text):
    assert not re.search(r"[|\n\r]", prose(text) + code(text))


def test_a_display_has_a_fence_of_its_own():
    assert paragraphs("We have \\[a=b\\] so") == "We have\n\n```math\na=b\n```\n\nso"


@pytest.mark.parametrize("inner", ["a\n```\n# b", "`````", "a\\"])
def test_no_fence_is_ended_from_inside(inner):
    assert paragraphs(f"\\[{inner}\\]").count("```") in (0, 2)
