"""How a result is called before people."""

import pytest

from pfcore.reporters.module_names import module_name
from pfcore.reporters.printing import Style

MANUAL = r"""\newtheorem{inner}{Theorem}
\newenvironment{manual}[1]{\renewcommand\theinner{#1}\inner}{\endinner}"""


@pytest.mark.parametrize(
    ("said", "shown"), [("1.7'", "Theorem 1.7'"), ("1.7$'$", "Theorem 1.7'"), ("A", "Theorem A")]
)
def test_a_number_that_is_given_by_hand_is_no_title(reviewed, document, said, shown):
    text = document(rf"{MANUAL}\begin{{manual}}{{{said}}}\label{{a}}x\end{{manual}}")
    (paper,) = reviewed({"main.tex": text}).papers
    style = Style(colour=False, ascii=True)
    assert module_name(paper.state.document.modules["a"], paper, style) == shown


def test_brackets_around_a_title_are_not_doubled(reviewed, document):
    text = document(r"\begin{lemma}[(Gauss)]\label{a}x\end{lemma}")
    (paper,) = reviewed({"main.tex": text}).papers
    style = Style(colour=False, ascii=True)
    assert module_name(paper.state.document.modules["a"], paper, style) == "Lemma 1 (Gauss)"


def test_a_title_stands_behind_the_number(reviewed, document):
    text = document(r"\begin{lemma}[Gauss]\label{a}x\end{lemma}")
    (paper,) = reviewed({"main.tex": text}).papers
    style = Style(colour=False, ascii=True)
    assert module_name(paper.state.document.modules["a"], paper, style).endswith("(Gauss)")
