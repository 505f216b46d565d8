"""What environments print is read with what stands in them."""

from collections.abc import Callable

import pytest

Affected = Callable[..., dict[str, tuple[str, ...]]]
Rendered = Callable[..., str]

PAPER = r"""\documentclass{article}\newtheorem{theorem}{Theorem}\newtheorem{lemma}{Lemma}
%s
\begin{document}
%s
\begin{lemma}\label{b}B.\end{lemma}
\begin{proof}By \ref{a}.\end{proof}
\begin{lemma}\label{c}C.\end{lemma}
\begin{proof}So.\end{proof}
\end{document}
"""
PROOF = r"\begin{proof}So.\end{proof}"
WRAPPED = r"\begin{oddthm}\label{a}Every $p$ is tame.\end{oddthm}" + PROOF
INSIDE = r"\begin{theorem}\label{a}\begin{setup}\end{setup}A.\end{theorem}" + PROOF


@pytest.mark.parametrize(
    ("made", "body"),
    [
        (r"\newenvironment{oddthm}{\begin{theorem}For odd $p$: }{\end{theorem}}", WRAPPED),
        (r"\newenvironment{oddthm}{\begin{theorem}}{ Here odd $p$ only.\end{theorem}}", WRAPPED),
        (r"\newenvironment{setup}{Let $p$ be odd. }{}", INSIDE),
        (
            r"\newenvironment{setup}[1]{Let $#1$ be odd. }{}",
            INSIDE.replace(r"\begin{setup}", r"\begin{setup}{p}"),
        ),
    ],
)
def test_words_that_an_environment_prints_are_read(
    affected: Affected, rendered: Rendered, made: str, body: str
) -> None:
    before = PAPER % (made, body)
    assert "odd" in rendered(before, "a")
    assert "odd" in rendered(before, "b")
    assert set(affected(before, before.replace("odd", "even"))) == {"a", "b"}


@pytest.mark.parametrize(
    "made",
    [
        r"\newenvironment{oddthm}{\begin{theorem}\itshape}{\end{theorem}}",
        r"\newenvironment{oddthm}{\begin{theorem}\hrule width 3pt words}{\end{theorem}}",
        r"\newenvironment{oddthm}{Words before. \begin{theorem}}{\end{theorem} Words behind.}",
        r"\newenvironment{oddthm}{\begin{theorem}\setlength{\parindent}{2pt}}{\end{theorem}}",
    ],
)
def test_what_is_no_word_of_a_result_is_not_read(rendered: Rendered, made: str) -> None:
    assert rendered(PAPER % (made, WRAPPED), "a") == (
        "# To be checked\n\nTheorem. Every $p$ is tame.\n\nProof. So.\n"
    )


def test_words_of_section_text_are_a_convention_as_if_they_stood_there(rendered: Rendered) -> None:
    made = r"\newenvironment{setup}{Throughout this section let $p$ be odd. }{}"
    body = r"\section{A}\begin{setup}And $q$.\end{setup}" + f"\n\n{WRAPPED}"
    body = body.replace("oddthm", "theorem")
    plain = body.replace(r"\begin{setup}", "Throughout this section let $p$ be odd. ")
    plain = plain.replace(r"\end{setup}", "")
    assert rendered(PAPER % (made, body), "a") == rendered(PAPER % ("", plain), "a")
    assert "Convention 1. Throughout this section let $p$ be odd." in rendered(
        PAPER % (made, body), "a"
    )
