from collections.abc import Callable

import pytest

from pfcore.graph.building.reading_order import slug
from pfcore.graph.paper_state import PaperState

Paper = Callable[..., PaperState]


def ids(moment: PaperState) -> list[str]:
    return list(moment.document.modules)


def test_the_label_is_the_id(paper: Paper) -> None:
    assert ids(paper("\\begin{lemma}\\label{lem:a}\\label{lem:b} A. \\end{lemma}")) == ["lem:a"]
    assert paper("\\begin{lemma}\\label{x}\\label{y} A. \\end{lemma}").document.modules[
        "x"
    ].labels == (
        "x",
        "y",
    )


def test_a_title_makes_an_id(paper: Paper) -> None:
    body = "\\begin{theorem}[Gauß' \\emph{Satz} $x^2$, 2nd] A. \\end{theorem}"
    assert ids(paper(body)) == ["theorem~gau-satz-2nd"]


def test_a_place_makes_an_id(paper: Paper) -> None:
    lemma = "\\begin{lemma} A. \\end{lemma}\n"
    assert ids(paper(f"{lemma}\\section{{Free groups}}{lemma}{lemma}\\section{{$x$}}{lemma}")) == [
        "lemma~main~1",
        "lemma~free-groups~1",
        "lemma~free-groups~2",
        "lemma~main~2",
    ]


def test_ids_are_unique(paper: Paper) -> None:
    named = "\\begin{lemma}\\label{a} A. \\end{lemma}\n"
    titled = "\\begin{theorem}[Main] A. \\end{theorem}\n"
    assert ids(paper(named * 3 + titled * 2)) == [
        "a", "a~2", "a~3", "theorem~main", "theorem~main~2",
    ]  # fmt: skip


def test_an_equation_is_called_by_its_label(paper: Paper) -> None:
    body = "\\begin{equation}\\label{eq:x} 1 \\end{equation}"
    assert ids(paper(body)) == ["eq:x"]


def test_a_file_without_a_name_still_names_its_modules(paper: Paper) -> None:
    files = {"main.tex": "\\input{--}", "--.tex": "\\begin{lemma} A. \\end{lemma}"}
    assert ids(paper(files)) == ["lemma~paper~1"]


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("", ""),
        ("The \\emph{big} One!", "the-big-one"),
        ("Théorème d'Étale", "theoreme-d-etale"),
        ("$x+y$ and z", "and-z"),
        ("a " * 40, "a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a-a"),
    ],
)
def test_a_slug_is_small_and_plain(title: str, expected: str) -> None:
    assert slug(title) == expected
