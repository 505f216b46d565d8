"""Labels across files and documents."""

from collections.abc import Callable

import pytest

from pfcore.graph.laws import knots
from pfcore.graph.paper_state import PaperState
from pfcore.latex.project.include_graph import resolve
from pfcore.latex.project.survey import FileLink

Paper = Callable[..., PaperState]

ARTICLE = r"""\documentclass{article}
\usepackage{amsthm,xr}
\newtheorem{lemma}{Lemma}
"""


def lemma(name: str, words: str) -> str:
    proof = "\\begin{proof} Yes. \\end{proof}"
    return f"\\begin{{lemma}}\\label{{{name}}} {words} \\end{{lemma}}{proof}"


def document(body: str, preamble: str = "") -> str:
    return f"{ARTICLE}{preamble}\\begin{{document}}\n{body}\n\\end{{document}}\n"


@pytest.fixture
def cited(paper: Paper) -> Callable[[str], str]:
    """The words of the lemma that a key in the main document means."""

    def find(key: str) -> str:
        user = (
            "\\begin{lemma}\\label{user} So. \\end{lemma}"
            f"\\begin{{proof}} By \\ref{{{key}}}. \\end{{proof}}"
        )
        moment = paper(
            {
                "main.tex": document(lemma("x", "Mine.") + user, "\\externaldocument[o-]{other}"),
                "other.tex": document(lemma("x", "Its.") + lemma("y", "Other.")),
            }
        )
        ((target,),) = moment.document.proofs["user"][0].mentions
        if not target.module:
            return target.word
        found = moment.document.modules[target.module].statement
        return moment.paper.texts(found.location.path)[found.block].rpartition("\x05")[2].strip()

    return find


def test_a_circle_through_another_document_is_found_by_its_prefix(paper: Paper) -> None:
    """Each cites a label of the other; `a` is one of this document, too, and proves nothing."""
    prefix = "\\externaldocument[{}-]{{{}}}"
    one = lemma("a", "A.").replace("Yes", "By \\ref{o-b}")
    two = lemma("b", "B.").replace("Yes", "By \\ref{m-a}")
    moment = paper(
        {
            "main.tex": document(one, prefix.format("o", "other")),
            "other.tex": document(lemma("a", "Its.") + two, prefix.format("m", "main")),
        }
    )
    assert knots(moment.document) == [["a", "b"]]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("x", "Mine."),
        ("o-x", "Its."),
        ("o-y", "Other."),
        ("y", "Other."),  # it stands once
        ("o-z", "unresolved"),
        ("p-y", "unresolved"),  # no document is cited so
    ],
)
def test_the_labels_of_another_document_are_cited_under_its_prefix(
    cited: Callable[[str], str], key: str, expected: str
) -> None:
    assert cited(key) == expected


@pytest.mark.parametrize(
    ("named", "where"),
    [
        ("build/other", "other.tex"),
        ("./out/other", "other.tex"),
        ("parts/build/other", "parts/other.tex"),
        ("build/other", "build/other.tex"),
    ],
)
def test_a_folder_that_latex_writes_to_hides_no_document(
    paper: Paper, named: str, where: str
) -> None:
    user = lemma("user", "So.").replace("Yes", "By \\ref{o-y}")
    moment = paper(
        {
            "main.tex": document(user, f"\\externaldocument[o-]{{{named}}}"),
            where: document(lemma("y", "Other.")),
        }
    )
    ((target,),) = moment.document.proofs["user"][0].mentions
    assert target.module


@pytest.mark.parametrize("named", ["chapters/other", "build/main", "other/build"])
def test_another_folder_is_no_such_folder(named: str) -> None:
    link = FileLink("external", named, "o-", 0, 0)
    assert resolve(link, "main.tex", ("main.tex", "main.tex"), {"main.tex", "other.tex"}) is None
