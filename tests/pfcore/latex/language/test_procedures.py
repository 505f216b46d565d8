"""Which procedures a text is, and which it speaks of."""

import pytest

from pfcore.latex.language.procedures import (
    begins_procedure,
    given_names,
    is_procedure,
    titled_names,
    used_names,
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (r"\emph{PEEL2\_loop}: take a leaf.", {"@:PEEL2_loop": True, "@:PEEL2": False}),
        (r"\textbf{Algorithm} \emph{peel}\\ take a leaf.", {"@:peel": True}),
        (r"\baselineskip 14pt {\bf proc} {\it peel} ($T$)\\ take a leaf.", {"@:peel": True}),
        (r"\caption{\textsc{PeelLeaves}: all of it} x", {"@:PeelLeaves": True}),
        (r"\caption[short]{The \texttt{peel} procedure} x", {"@:peel": True}),
        (r"\caption{Leaves by the algorithm \textsc{peel}} x", {"@:peel": True}),
        (r"\caption{\textsc{Leaves} on a tree} x", {}),
        (r"\caption{How $x$ wins against \textsc{PeelLeaves}} x", {}),
        (r"\textsc{Leaf Cover}\\ \textbf{Input:} A tree.", {"leaf cover": True}),
        (r"\medskip\noindent\textbf{Problem: Leafing}\\ Given: a tree.", {"@:Leafing": True}),
        (r"\begin{center}\fbox{\textsc{Leaf Cover} Instance: A tree.}", {"leaf cover": True}),
        (r"\textsc{Leaf Cover}\\ \textbf{Proof:} A tree.", {}),
        (r"\textbf{Remark}: all is well.", {}),
        (r"\emph{Proof}: all is well.", {}),
        (r"Take \emph{PEEL2\_loop}: it is well.", {}),
    ],
)
def test_a_caption_or_a_beginning_names_a_procedure(text: str, names: dict[str, bool]) -> None:
    assert dict(given_names(text)) == names


def test_a_paragraph_of_steps_begins_with_the_name() -> None:
    assert begins_procedure("\\bigskip\n\\noindent\n{\\tt peel\\_all}: take")
    assert not begins_procedure("{\\tt peel\\_all} takes")


def test_a_name_is_used_as_it_is_written() -> None:
    wanted = {"PEEL2": "@:PEEL2", "Setup": "@:Setup", "peel_all": "@:peel_all"}
    assert list(used_names(r"By PEEL2, not \emph{peel\_all}.", wanted)) == ["@:PEEL2", "@:peel_all"]
    assert list(used_names("The Setup is this.", wanted)) == []
    assert list(used_names(r"By \textsc{Setup}.", wanted)) == ["@:Setup"]


def test_a_float_of_code_is_a_procedure() -> None:
    assert is_procedure("algorithm2e", "x")
    assert is_procedure("figure", r"\begin{algorithmic} x \end{algorithmic}")
    assert not is_procedure("figure", r"\includegraphics{x}")


@pytest.mark.parametrize(
    ("title", "names"),
    [
        (r"\textsc{Leaf Cover}", ["leaf cover"]),
        ("BlindSign", ["@:BlindSign"]),
        ("Leaf covering problem (LC)", ["leaf covering problem"]),
        ("Tree", ["@:Tree"]),
        ("", []),
    ],
)
def test_a_title_names_what_stands_under_it(title: str, names: list[str]) -> None:
    assert [name for name, _ in titled_names(title)] == names
