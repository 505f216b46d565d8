import time
from collections.abc import Callable

import pytest

from pfcore.latex.reader import Read

Reader = Callable[..., Read]


@pytest.mark.parametrize(
    ("text", "holder", "block", "fragment"),
    [
        (r"\label{x}", "section", -1, -1),
        (r"\begin{lemma}\label{x}\end{lemma}", "statement", 0, -1),
        (r"\begin{proof}\label{x}\end{proof}", "proof", 0, -1),
        (r"\begin{equation}\label{x}\end{equation}", "equation", -1, 0),
        (r"\begin{mathpar}\inferrule{a}{b}\label{x}\end{mathpar}", "equation", -1, 0),
        (r"\begin{lemma}\begin{equation}\label{x}\end{equation}\end{lemma}", "equation", 0, -1),
        (r"\begin{proof}\begin{equation}\label{x}\end{equation}\end{proof}", "equation", 0, 1),
        (r"\begin{lemma}\begin{itemize}\item\label{x}\end{itemize}\end{lemma}", "item", 0, -1),
        (
            r"\begin{proof}\begin{itemize}\item\label{x} a\item b\end{itemize}\end{proof}",
            "item",
            0,
            1,
        ),
        (r"\begin{proof}\begin{itemize}\label{x}\item b\end{itemize}\end{proof}", "proof", 0, -1),
        (r"\begin{figure}\label{x}\end{figure}", "float", -1, -1),
        (r"\begin{itemize}\item\begin{figure}\label{x}\end{figure}\end{itemize}", "float", -1, -1),
        (r"\begin{center}\label{x}\end{center}", "section", -1, -1),
    ],
)
def test_a_label_is_held_by_what_it_stands_in(
    reads: Reader, text: str, holder: str, block: int, fragment: int
) -> None:
    (label,) = reads(text).reading.labels
    assert (label.holder, label.block, label.fragment) == (holder, block, fragment)


def test_a_labelled_item_ends_where_the_next_begins(reads: Reader) -> None:
    text = r"\begin{itemize}\item a\item\label{x} b\item c\end{itemize}"
    (block,) = reads(text).reading.blocks
    assert text[block.place.start : block.place.end] == r"\item\label{x} b"


def test_two_labels_of_one_display_share_a_fragment(reads: Reader) -> None:
    text = r"\begin{align}a\label{x}\\b\label{y}\end{align}"
    reading = reads(text).reading
    assert len(reading.blocks) == 1
    assert [label.fragment for label in reading.labels] == [0, 0]


def test_a_display_that_nests_too_deeply_is_no_fragment(reads: Reader) -> None:
    text = r"\begin{equation}" * 50 + r"\label{x}"
    assert reads(text).reading.blocks == ()


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (r"\let\label\@gobble", ["b", "c"]),
        (r"\let \label = \ignored", ["b", "c"]),
        (r"\renewcommand{\label}[1]{}", ["b", "c"]),
        (r"\def\label#1{}", ["b", "c"]),
        (r"\let\label\other", ["a", "b", "c"]),
        (r"\renewcommand{\label}[1]{\ltx@label{#1}}", ["a", "b", "c"]),
        (r"\let\labelled\@gobble", ["a", "b", "c"]),
        (r"\let\label\relax", ["b", "c"]),
        (r"\let\label\@gobble\let\label\saved", ["a", "b", "c"]),
        (r"\def\label#1{\saved{#1}}", ["a", "b", "c"]),
        (r"\def\label#1{\saved}", ["a", "b", "c"]),
        (r"\renewcommand{\label}[1]{\saved{#1}\marginpar{#1}}", ["a", "b", "c"]),
    ],
)
@pytest.mark.parametrize(
    ("begin", "end"), [(r"\begingroup", r"\endgroup"), ("{", "}"), (r"\begin{x}", r"\end{x}")]
)
@pytest.mark.parametrize(
    "again",
    [
        r"\label{a}",
        r"\begin{lemma}\label{a}x\end{lemma}",
        r"\begin{equation}\label{a}\end{equation}",
    ],
)
def test_what_drops_labels_drops_them_until_its_group_ends(
    reads: Reader, change: str, found: list[str], begin: str, end: str, again: str
) -> None:
    own = r"\newcommand{\ignored}[1]{}"
    text = rf"{own}\label{{b}} Text. {begin}{change} {again}{end}\label{{c}}"
    assert sorted(label.key for label in reads(text).reading.labels) == found


@pytest.mark.acceptance
def test_many_groups_that_drop_labels_are_read_in_linear_time(reads: Reader) -> None:
    again = r"\begingroup\let\label\@gobble \label{a}\endgroup" + "\n"
    started = time.process_time()
    assert [label.key for label in reads(again * 20_000 + r"\label{b}").reading.labels] == ["b"]
    assert time.process_time() - started < 15
