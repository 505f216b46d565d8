"""Labels across files and documents."""

from collections.abc import Callable

import pytest

from pfcore.graph.paper import State

Paper = Callable[..., State]

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


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("x", "Mine."),
        ("o-x", "Its."),
        ("o-y", "Other."),
        ("y", "unresolved"),
        ("o-z", "unresolved"),
    ],
)
def test_the_labels_of_another_document_are_cited_under_its_prefix(
    cited: Callable[[str], str], key: str, expected: str
) -> None:
    assert cited(key) == expected
