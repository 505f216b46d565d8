"""Conventions without a marker: bare sentences, headings, German, French."""

from collections.abc import Callable

import pytest

from pfcore.latex.language.conventions import standing
from pfcore.latex.reader import Read

Reader = Callable[..., Read]


@pytest.mark.parametrize(
    ("sentence", "unit"),
    [
        ("All rings are commutative.", ""),
        ("All rings are commutative with unit. Modules are left modules.", ""),
        ("All graphs are finite, simple and undirected.", ""),
        ("All groups and rings are finite.", ""),
        ("All topological spaces are Hausdorff.", ""),
        ("All algebras are over $k$.", ""),
        ("All logarithms are to base 2.", ""),
        ("All modules are finitely generated.", ""),
        ("Rings are commutative.", ""),
        (
            "The graphs in this note are finite and simple, and every vertex has a neighbour.",
            "document",
        ),
        ("Rings are assumed commutative.", ""),
        ("Rings are assumed to be commutative.", ""),
        ("Rings are always commutative.", ""),
        ("Every ring in this paper is commutative.", "document"),
        ("All rings in this section are commutative.", "section"),
        ("All rings considered in these notes are commutative.", "document"),
        ("We assume that all rings are commutative.", ""),
        ("We tacitly assume all rings to be commutative.", ""),
        ("\\textbf{Convention.} All rings are commutative.", ""),
        ("\\textbf{Conventions and notation:} We write $k$ for a field.", ""),
        ("\\emph{Notation}. The letter $k$ stands for a field.", ""),
        ("\\paragraph{Notation.} We write $k$ for a field.", ""),
        ("\\paragraph{Standing assumptions} Each ring has a unit.", ""),
        ("Im Folgenden sei $k$ ein Körper.", ""),
        ("Im folgenden bezeichne $k$ einen Körper.", ""),
        ("In diesem Abschnitt sei $k$ ein Körper.", "section"),
        ("Wir nehmen stets an, dass $k$ ein Körper ist.", ""),
        ("Durchgehend sei $k$ ein Körper.", ""),
        ("Alle Ringe sind kommutativ.", ""),
        ("Dans toute la suite, $k$ désigne un corps.", ""),
        ("Dans toute la suite de cet article, on suppose $k$ parfait.", "document"),
        ("Dans ce qui suit, soit $k$ un corps.", ""),
        ("On suppose désormais que $k$ est un corps.", ""),
        ("Désormais, on suppose que $k$ est un corps.", ""),
        ("Tous les anneaux sont commutatifs.", ""),
        ("All graphs considered here are finite.", ""),
        ("All our graphs are finite.", ""),
        ("Our graphs are finite and simple.", ""),
        ("We only consider finite graphs.", ""),
        ("We shall consider only compactly supported functions.", ""),
        ("A ring is always supposed to be commutative.", ""),
        ("For us a ring is always commutative.", ""),
        ("Alle betrachteten Graphen sind endlich.", ""),
        ("Graphen sind stets endlich.", ""),
        ("Graphen seien immer als endlich vorausgesetzt.", ""),
        ("Wir betrachten nur endliche Graphen.", ""),
        ("Tous les groupes considérés sont finis.", ""),
        ("Les groupes sont supposés finis.", ""),
        ("Les groupes seront toujours finis.", ""),
        ("On suppose que tous les groupes sont finis.", ""),
        ("On ne considère que des groupes finis.", ""),
        ("All rings are commutative. However, modules are arbitrary.", ""),
    ],
)
def test_a_convention_is_found_without_a_marker(sentence: str, unit: str) -> None:
    text = f"Prose before.\n\n{sentence}\n\nProse after."
    (found,) = standing(text)
    assert (found.unit, text[found.start : found.end]) == (unit, sentence)


RINGS = "All rings are commutative."


@pytest.mark.parametrize(
    "text",
    [
        f"{RINGS} This is usual.",
        f"{RINGS} (This is standard.)",
        f"{RINGS} See \\cite{{l}}.",
        f"We fix some conventions. {RINGS}",
        f"In this paper we study rings. {RINGS}",
        f"{RINGS} Much is known. {'More is not known. ' * 20}",
    ],
)
def test_a_convention_is_found_whatever_idle_words_are_beside_it(text: str) -> None:
    whole = f"Prose before.\n\n{text}\n\nProse after."
    (found,) = standing(whole)
    assert whole[found.start : found.end] == RINGS


@pytest.mark.parametrize(
    "text",
    [
        "Graphen sind endlich.",
        "Les groupes sont finis.",
        "We only consider two cases.",
        "A ring is always commutative.",
        "Alle Beweise sind kurz.",
        "The methods in this paper are elementary.",
        "The graphs in this section are drawn by a computer.",
        "All rings are commutative. By this paper we are done. More. And more. And more.",
        "In this paper $R$ is small. All rings are commutative.",
        "In this paper we study rings. They are nice. All rings are commutative.",
        "All rings are commutative, as was shown.",
        "All rings are commutative by \\cite{x}.",
        "All rings are commutative. Hence we are done.",
        "All rings are commutative. So $R$ is. This is one more. And one more.",
        "All proofs are easy.",
        "All claims are clear.",
        "All these rings are commutative.",
        "All of them are commutative.",
        "All cyclic groups are abelian.",
        "All finite rings are the same.",
        "All three are commutative.",
        "All roads are given by $x=1$.",
        "Every ring is commutative.",
        "Every finite domain is a field.",
        "Every map $f$ is known to be tame.",
        "All results in this paper are new.",
        "All proofs in this section are elementary.",
        "Examples are easy.",
        "Rings are important objects.",
        "Finite domains are commutative.",
        "There it is. All rings are commutative.",
        "We assume that the reader knows rings.",
        "\\textbf{Notation.} The notation is explained in Section 2.",
        "\\textbf{Theorem.} All rings are commutative.",
        "\\textbf{Convention and law.} All rings are commutative.",
        "Im Folgenden zeigen wir, dass $k$ ein Körper ist.",
        "Wir nehmen an, dass $k$ ein Körper ist.",
        "Dans toute la suite, on verra que $k$ est un corps.",
        "On suppose que $k$ est un corps.",
        "",
    ],
)
def test_a_paragraph_that_says_something_else_is_none(text: str) -> None:
    assert standing(f"Prose before.\n\n{text}\n\nProse after.") == []


def test_a_convention_ends_where_its_paragraph_ends() -> None:
    text = "\\textbf{Notation.} We write $k$ for a field. It is finite.\n\nThere is more."
    (found,) = standing(text)
    assert text[found.start : found.end] == text[: text.index("\n")]


DOCUMENT = (
    "\\documentclass{amsart}\\newtheorem{lem}{Lemma}\\begin{document}\\section{S}\n%s\n"
    "\\begin{lem} All rings are nice. \\end{lem}\\end{document}"
)


@pytest.mark.parametrize(
    "sentence", ["All rings are commutative.", "\\paragraph{Notation.} We write $k$ for a field."]
)
def test_a_convention_outside_of_environments_is_a_block(reads: Reader, sentence: str) -> None:
    found = reads(DOCUMENT % sentence)
    assert [block.shape for block in found.reading.blocks] == ["statement", "convention"]
    assert "All rings are nice" not in found.texts[1]


def test_what_a_marker_announces_is_found_once(reads: Reader) -> None:
    found = reads(DOCUMENT % "\\paragraph{Notation.} Throughout, $k$ is a field.")
    assert [block.shape for block in found.reading.blocks].count("convention") == 1
