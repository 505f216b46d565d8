from collections.abc import Callable

import pytest

from pfcore.latex.reader import Read

Reader = Callable[..., Read]


@pytest.mark.parametrize(
    ("env", "shape"),
    [
        ("lemma", "statement"),
        ("lemma*", "statement"),
        ("restatable", "statement"),
        ("proof", "proof"),
        ("foo", ""),
        ("thm", "statement"),
    ],
)
def test_an_environment_has_a_shape(reads: Reader, env: str, shape: str) -> None:
    reading = reads(rf"\begin{{{env}}}{{a}}{{b}}x\end{{{env}}}").reading
    assert [block.shape for block in reading.blocks] == ([shape] if shape else [])


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        (r"\begin{a}", [r"\begin{a} is not closed before the end of the file"]),
        (r"\end{a}", [r"\end{a} closes nothing"]),
        (r"\begin{a}\begin{b}\end{a}", [r"\begin{b} is not closed before \end{a}"]),
        (r"\begin{a}\end{b}\end{a}", [r"\end{b} closes nothing"]),
        (r"\begin{a}\end{a}", []),
        (
            r"\begin{lemma}\begin{b}\section{x}\end{b}",
            [r"\begin{lemma} is not closed before the end of the file"],
        ),
    ],
)
def test_broken_nesting_is_a_sentence(reads: Reader, text: str, messages: list[str]) -> None:
    assert [problem.message for problem in reads(text).reading.problems] == messages


def test_a_proof_that_nothing_closes_ends_at_the_next_heading(reads: Reader) -> None:
    text = "\\begin{proof} a\n\n\\section{S} b \\begin{lemma}c\\end{lemma}"
    assert reads(text).texts == ("a", "c")


def test_an_unclosed_statement_inside_of_a_list_keeps_the_list(reads: Reader) -> None:
    text = r"\begin{lemma}a\begin{itemize}\item \begin{lemma}b\end{lemma}\end{itemize}"
    assert [problem.subject for problem in reads(text).reading.problems] == ["lemma"]


def test_environments_declared_by_the_paper_stand_for_what_they_begin(reads: Reader) -> None:
    text = (
        r"\newenvironment{key}[1]{\begin{lemma}[#1]}{\end{lemma}}"
        r"\newenvironment{keykey}{\begin{key}{T}}{\end{key}}"
        r"\newenvironment{loop}{\begin{loop}}{\end{loop}}"
        r"\newenvironment{theorem2}{}{}\newtheorem{x}{\xname}\newcommand{\xname}{Corollary}"
        r"\begin{key}{Title}a\end{key}\begin{keykey}b\end{keykey}\begin{loop}c\end{loop}"
        r"\begin{theorem2}d\end{theorem2}\begin{x}e\end{x}"
    )
    reading = reads(text).reading
    assert [(b.env, b.kind, b.title) for b in reading.blocks] == [
        ("key", "lemma", "Title"),
        ("keykey", "lemma", ""),
        ("theorem2", "theorem", ""),
        ("x", "corollary", ""),
    ]
