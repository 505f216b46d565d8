"""Quotes of the canonical text found again in the source that the author has."""

import pytest

from pfcore.review.located_objections import quote_location
from pfcore.verification.task import tasks

BODY = r"""
\newcommand{\R}{\mathbb{R}}
\begin{lemma}\label{a} Every map to $\R$ is open.\end{lemma}
\begin{proof} It is known.\end{proof}

\begin{theorem}\label{t} % the main one
Let $f \colon X \to \R$ be a map.
Then $f$ is   surjective.
\end{theorem}

Some words.

\begin{proof}
By Lemma~\ref{a}, the image
% TODO
of $f$ in $\R$ is open. It is closed, too,
because $X$ is compact and $\R$ is Hausdorff. Hence $f$ is surjective.
\end{proof}
"""


@pytest.fixture
def found(paper):
    moment = paper(BODY)
    (task,) = tasks(moment, ["t"])

    def find(quote: str) -> str:
        assert quote in task.text
        where = quote_location(moment, "t", task, quote)
        source: str = moment.paper.source(where.path)
        return source[where.start : where.end]

    return find


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("It is closed, too", "It is closed, too"),
        ("Then $f$ is surjective", "Then $f$ is   surjective"),
        (
            "because $X$ is compact and $\\mathbb{R}$ is Hausdorff",
            "because $X$ is compact and $\\R$ is Hausdorff",
        ),
        ("By Result 1, the image", "By Lemma~\\ref{a}, the image"),
        ("the image of $f$ in $\\mathbb{R}$ is open", "the image\n% TODO\nof $f$ in $\\R$ is open"),
    ],
)
def test_a_quote_is_found_through_macros_references_comments_and_lines(found, quote, source):
    assert found(quote) == source


def test_a_quote_of_nothing_is_the_beginning_of_the_statement(paper):
    moment = paper(BODY)
    (task,) = tasks(moment, ["t"])
    where = quote_location(moment, "t", task, "")
    assert moment.paper.source(where.path)[where.start :].startswith(r"\begin{theorem}")
    assert where.line == where.end_line


def test_the_same_words_in_the_statement_and_in_the_proof_are_told_apart(paper):
    body = (
        r"\begin{lemma}\label{a} The map is open.\end{lemma}"
        "\n"
        r"\begin{proof} We show more: The map is open and closed.\end{proof}"
    )
    moment = paper(body)
    (task,) = tasks(moment, ["a"])
    where = quote_location(moment, "a", task, "The map is open and closed")
    assert where.line == quote_location(moment, "a", task, "We show more").line


@pytest.mark.parametrize("quote", [r"$x_1\le y$ for all $x\in\{1,\dots,n\}$", r"$x_{1}\leq y$ for"])
def test_a_quote_of_the_normal_form_is_found_where_it_is_written_otherwise(paper, quote):
    written = r"$x_{1}\leq  y$ for all $x\in\left\lbrace 1,\ldots,n\right\rbrace$"
    body = (
        "\\begin{lemma}\\label{a} One.\n" + written + ".\\end{lemma}\n"
        r"\begin{proof} Clear.\end{proof}"
    )
    moment = paper(body)
    (task,) = tasks(moment, ["a"])
    where = quote_location(moment, "a", task, quote)
    found = moment.paper.source(where.path)[where.start : where.end]
    assert found.lstrip("$").startswith(r"x_{1}\leq  y$ for")
