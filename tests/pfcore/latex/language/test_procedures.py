"""Which procedures a text is, and which it speaks of."""

import pytest

from pfcore.latex.language.procedures import (
    PROCEDURE,
    STEPPED,
    beginning_of_procedure,
    given_names,
    is_procedure,
    names_in_heading,
    titled_names,
    used_names,
    uses_procedure,
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
    found = dict(given_names(text))
    assert found.pop(PROCEDURE) is False
    assert {name: is_whole for name, is_whole in found.items() if name != STEPPED} == names


@pytest.mark.parametrize(
    ("text", "is_numbered"),
    [
        (
            r"\textbf{Algorithm} \emph{Peel} \begin{enumerate} \item Take a leaf. \end{enumerate}",
            True,
        ),
        (r"\textbf{Algorithm} \emph{Peel}\\ 1. Take a leaf.\\ 2. Drop it.", True),
        ("The algorithm works as follows. In Step 1 take a leaf, in Step 2 drop it.", True),
        (r"\textbf{Algorithm} \emph{Peel}: Take a leaf.", False),
    ],
)
def test_a_procedure_may_have_steps_with_numbers(text: str, is_numbered: bool) -> None:
    assert (STEPPED in dict(given_names(text))) is is_numbered


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (r"\textbf{Algorithm {\mbox{\rm PEEL}} in short.} Take a leaf.", "@:PEEL"),
        (r"\textbf{The PEEL game} Take a leaf.", "@:PEEL"),
        (r"\textbf{Algorithm} \textsc{Peel}($T$) Take a leaf.", "@:Peel"),
        (r"This algorithm, \textsc{PeelAll}, works as follows: take a leaf.", "@:PeelAll"),
        (r"\caption{Algorithm {\mbox{\rm PEEL}}: leaves} take a leaf", "@:PEEL"),
    ],
)
def test_a_heading_or_an_announcement_names_a_procedure(text: str, name: str) -> None:
    assert name in dict(given_names(text))


@pytest.mark.parametrize(
    "title",
    [
        "Algorithm Description",
        "Leaves",
        "The algorithm",
        "Games",
        r"Analysis of algorithm \textsc{Peel}",
        r"The correctness of Algorithm {\sc Peel}",
        r"Proof of the \texttt{peel} procedure",
    ],
)
def test_a_heading_without_a_name_names_none(title: str) -> None:
    assert not list(names_in_heading(title))


def test_a_heading_that_describes_and_analyses_names_its_procedure() -> None:
    assert list(names_in_heading(r"Algorithm \textsc{Peel} and its analysis")) == ["Peel"]


@pytest.mark.parametrize(
    "title",
    [
        "{" + r"\a " * 4_000 + "1",
        "{" + r"\a { " * 4_000 + "1",
        "Algorithm" + " " * 90_000 + "?",
        "Algorithm PEEL and so on " * 9_000,
        "Leaf " * 50 + r"Algorithm \textsc{Peel}" + " PEEL2" * 30_000,
    ],
    ids=["commands", "groups", "blanks", "names", "late"],
)
def test_a_title_without_end_is_asked_for_its_beginning_alone(title: str) -> None:
    assert len(list(names_in_heading(title))) <= 10


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Our algorithm, run on $T$ alone, is fast. It works as it should. ", None),
        ("We repeat the following simple procedure until no leaf is left: take", 10),
        ("Trees have leaves. Our algorithm works as follows.", 23),
        ("\\bigskip\n\\noindent\n{\\tt peel\\_all}: take", 0),
        ("{\\tt peel\\_all} takes", None),
    ],
)
def test_a_paragraph_describes_a_procedure_from_its_name_or_announcement_on(
    text: str, place: int | None
) -> None:
    assert beginning_of_procedure(text) == place


@pytest.mark.parametrize(
    ("text", "is_meant"),
    [
        ("The algorithm ends.", True),
        ("By our procedure it ends.", True),
        ("An algorithm is fast if it ends. The algorithm is fast.", False),
        ("The algorithm of Euclid ends.", False),
        (r"The algorithm \cite{euclid} ends.", False),
        (r"The protocol $P$ ends.", False),
        ("All trees are finite.", False),
    ],
)
def test_the_algorithm_is_one_that_was_described(text: str, is_meant: bool) -> None:
    assert uses_procedure(text) is is_meant


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
