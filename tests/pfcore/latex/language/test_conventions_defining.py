"""Definitions in prose."""

from collections.abc import Callable

import pytest

from pfcore.latex.language.conventions import definitions
from pfcore.latex.reader import Read

Reader = Callable[..., Read]


@pytest.mark.parametrize(
    "sentence",
    [
        r"We call a graph \emph{brown} if it is a tree.",
        r"We then call a graph $G$ \textbf{brown} whenever it is a tree.",
        r"We say that a graph is \emph{brown} if it is a tree.",
        r"We say a graph is {\em brown} provided it is a tree.",
        r"A graph is called \emph{brown} if it is a tree.",
        r"A tree is said to be a \emph{brown graph}.",
        r"Recall that a graph is called \emph{brown} if it is a tree.",
        r"\emph{Brown} means that it is a tree.",
    ],
)
def test_a_sentence_with_a_term_and_a_verb_that_defines_is_a_definition(sentence: str) -> None:
    text = f"There are graphs. {sentence} There are more.\n\nAnd so on."
    (found,) = definitions(text)
    assert text[slice(*found)] == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        r"We call a graph brown if it is a tree.",
        r"We call \emph{this} a graph.",
        r"The node is called the \emph{root} of the tree.",
        r"A graph is sometimes called \emph{brown} if it is a tree.",
        r"Roughly, a graph is called \emph{brown} if it is a tree.",
        r"A graph is called \emph{brown} in \cite{x}.",
        r"We say that a graph is \emph{locally} brown if its balls are.",
        r"A graph with this property is called \emph{brown}.",
        r"A graph is \emph{brown}.",
        r"There we met \emph{brown} graphs.",
        "",
    ],
)
def test_other_sentences_are_none(sentence: str) -> None:
    assert list(definitions(f"There are graphs. {sentence} There are more.")) == []


DOCUMENT = (
    "\\documentclass{amsart}\\newtheorem{lem}{Lemma}\\begin{document}\n%s\n"
    "\\begin{lem} Each brown graph is nice. \\end{lem}\\end{document}"
)


def test_a_definition_in_prose_is_a_block_that_introduces_its_term(reads: Reader) -> None:
    found = reads(DOCUMENT % r"We call a graph \emph{brown} if it is a tree with $\Lambda^*$.")
    block = next(item for item in found.reading.blocks if item.shape == "definition")
    assert (block.kind, block.terms, block.hints) == ("terminology", ("brown",), ())


def test_a_convention_is_no_definition_besides(reads: Reader) -> None:
    found = reads(DOCUMENT % r"Throughout, we call a graph \emph{brown} if it is a tree.")
    assert [block.shape for block in found.reading.blocks] == ["statement", "convention"]


def test_in_an_environment_the_environment_defines(reads: Reader) -> None:
    text = r"\begin{lem} We call a graph \emph{brown} if it is a tree. \end{lem}"
    assert {block.shape for block in reads(DOCUMENT % text).reading.blocks} == {"statement"}
