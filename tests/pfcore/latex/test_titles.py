from collections.abc import Callable

import pytest

from pfcore.latex.read import Read
from pfcore.latex.titles import labels_in

Reader = Callable[..., Read]
BOX = r"\newtcbtheorem{bx}{Lemma}{}{l}\newtcbtheorem{by}{Lemma}{}{}"


@pytest.mark.parametrize(
    ("text", "title", "labels", "shown"),
    [
        (r"\begin{lemma}[T]a\end{lemma}", "T", (), "a"),
        (r"\begin{lemma}[$p$ odd]a\end{lemma}", "$p$ odd", (), "($p$ odd) a"),
        (r"\begin{definition}[T]a\end{definition}", "T", (), "(T) a"),
        (r"\begin{remark}[T]a\end{remark}", "T", (), "(T) a"),
        (r"\begin{lemma} [T] a\end{lemma}", "T", (), "a"),
        ("\\begin{lemma}\n\n[T] a\\end{lemma}", "", (), "[T] a"),
        (r"\begin{lemma}[]a\end{lemma}", "", (), "a"),
        (r"\begin{lemma}[name=T,label=x]a\end{lemma}", "T", ("x",), "a"),
        (r"\begin{lemma}[label=x]a\end{lemma}", "", ("x",), "a"),
        (r"\begin{lemma}[title={T, U}]a\end{lemma}", "T, U", (), "a"),
        (r"\begin{lemma}[T\label{x}]a\end{lemma}", "T", (), "a"),
        (r"\begin{restatable}[T]{lemma}{mac}a\end{restatable}", "T", (), "a"),
        (r"\begin{restatable}{lemma}{mac}a\end{restatable}", "", (), "a"),
        (r"\begin{restatable}a\end{restatable}", "", (), "a"),
        (BOX + r"\begin{bx}[o]{T}{x}a\end{bx}", "T", ("l:x",), "a"),
        (BOX + r"\begin{by}{T}{x}a\end{by}", "T", ("x",), "a"),
        (BOX + r"\begin{by}{}{}a\end{by}", "", (), "a"),
        (BOX + r"\begin{by}a\end{by}", "", (), "a"),
    ],
)
def test_the_head_of_a_block_is_told_from_its_text(
    reads: Reader, text: str, title: str, labels: tuple[str, ...], shown: str
) -> None:
    reading, texts = reads(text)
    assert (reading.blocks[0].title, reading.blocks[0].labels) == (title, labels)
    assert texts[0] == shown


def test_a_restated_statement_is_of_the_kind_that_it_names(reads: Reader) -> None:
    text = r"\begin{restatable}[T]{lemma}{mac}\label{x}a\end{restatable}"
    reading = reads(text).reading
    assert reading.blocks[0].kind == "lemma"
    assert [(label.key, label.holder) for label in reading.labels] == [("x", "statement")]


@pytest.mark.parametrize(
    ("title", "labels"),
    [
        (r"Proof of \ref{a}", ("a",)),
        (r"Proof of Lemmas~\cref{a,b} and \autoref*{c}", ("a,b", "c")),
        (r"Proof of \hyperref[a]{the lemma}", ("a",)),
        (r"Proof of \thmref{ a }", ("a",)),
        ("Proof", ()),
    ],
)
def test_a_title_refers_to_labels(title: str, labels: tuple[str, ...]) -> None:
    assert labels_in(title) == labels
