from collections.abc import Callable

import pytest

from pfcore.latex.reader import Read

Reader = Callable[..., Read]
NAMED = r"\newenvironment{varthm}[1]{\begin{#1}}{\end{#1}}"
LABELLED = r"\newenvironment{lab}[2]{\begin{#1}\label{#1:#2}}{\end{#1}}"
COUNTED = r"\newcounter{g}\newenvironment{state}[2][]{\refstepcounter{g}\textbf{#2 \theg.}#1}{}"
BRACED = (
    r"\newcounter{g}\NewDocumentEnvironment{state}{m g}{\refstepcounter{g}\textbf{#1 \theg.}#2}{}"
)
CHOSEN = (
    r"\newenvironmentx{thm}[2][1=,2=]{\ifthenelse{\equal{#2}{}}{\begin{theorem}}"
    r"{\begin{theorem}[#2]}\ifthenelse{\equal{#1}{}}{}{\label{thm:#1}}}{\end{theorem}}"
)


@pytest.mark.parametrize(
    ("text", "kind", "title", "label"),
    [
        (NAMED + r"\begin{varthm}{lemma}\label{a}X.\end{varthm}", "lemma", "", "a"),
        (NAMED + r"\begin{varthm}{theorem}[T]\label{a}X.\end{varthm}", "theorem", "T", "a"),
        (LABELLED + r"\begin{lab}{lemma}{a}X.\end{lab}", "lemma", "", "lemma:a"),
        (COUNTED + r"\begin{state}{Lemma}\label{a}X.\end{state}", "lemma", "", "a"),
        (COUNTED + r"\begin{state}[T]{Main~Theorem}X.\end{state}", "theorem", "T", ""),
        (COUNTED + r"\begin{state}{Theorem A}X.\end{state}", "theorem", "", ""),
        (COUNTED + r"\begin{state}{Th\'eor\`eme}X.\end{state}", "theoreme", "", ""),
        (BRACED + r"\begin{state}{Lemma}{T}X.\end{state}", "lemma", "T", ""),
        (CHOSEN + r"\begin{thm}X.\end{thm}", "theorem", "", ""),
        (CHOSEN + r"\begin{thm}[a]X.\end{thm}", "theorem", "", "thm:a"),
        (CHOSEN + r"\begin{thm}[a][T]X.\end{thm}", "theorem", "T", "thm:a"),
    ],
)
def test_an_environment_may_begin_what_its_arguments_name(
    text: str, kind: str, title: str, label: str, reads: Reader
) -> None:
    found = reads(text + " Text.")
    (block,) = (item for item in found.reading.blocks if item.shape == "statement")
    assert (block.kind, block.title) == (kind, title)
    assert text[block.place.start :].startswith("\\begin{")
    labels = [(item.key, item.holder) for item in found.reading.labels]
    assert labels == ([(label, "statement")] if label else [])


WORDED = (
    r"\newcommand{\word}{}\newtheorem{generic}{\word}\newtheorem*{generic*}{\word}"
    r"\newenvironment{named}[1]{\renewcommand{\word}{#1}\begin{generic}}{\end{generic}}"
    r"\newenvironment{named*}[1]{\def\word{#1}\begin{generic*}}{\end{generic*}}"
)
OPTIONAL = (
    r"\newtheorem{generic}{\textsc{\word}}\newenvironment{named}[2][Theorem]"
    r"{\gdef\word{#1}\begin{generic}\label{n:#2}}{\end{generic}}"
)
XPARSE = (
    r"\newtheorem{generic}{\word}"
    r"\NewDocumentEnvironment{named}{o m}{\renewcommand\word{#2}\begin{generic}[#1]}{\end{generic}}"
)


@pytest.mark.parametrize(
    ("text", "kind", "title", "label"),
    [
        (WORDED + r"\begin{named}{Main Lemma}\label{a}X.\end{named}", "lemma", "Main Lemma", "a"),
        (WORDED + r"\begin{named*}{Main Lemma}X.\end{named*}", "lemma", "Main Lemma", ""),
        (WORDED + r"\begin{named}{Lemma}X.\end{named}", "lemma", "", ""),
        (WORDED + r"\begin{named}{Lemma of Zorn}X.\end{named}", "lemma", "Lemma of Zorn", ""),
        (WORDED + r"\begin{named}{Hahn--Banach}X.\end{named}", "theorem", "Hahn--Banach", ""),
        (WORDED + r"\begin{named}{Folk Law}X.\end{named}", "theorem", "Folk Law", ""),
        (WORDED + r"\begin{named}{Lemma~\ref{t}}X.\end{named}", "lemma", r"Lemma~\ref{t}", ""),
        (WORDED + r"\begin{named}{Lemma}[Zorn]X.\end{named}", "lemma", "Zorn", ""),
        (WORDED + r"\begin{named}{Lemma [Z]}X.\end{named}", "lemma", "{Lemma [Z]}", ""),
        (OPTIONAL + r"\begin{named}{a}X.\end{named}", "theorem", "", "n:a"),
        (OPTIONAL + r"\begin{named}[Key Fact]{a}X.\end{named}", "fact", "Key Fact", "n:a"),
        (XPARSE + r"\begin{named}{Main Lemma}X.\end{named}", "lemma", "Main Lemma", ""),
    ],
)
def test_a_word_that_an_environment_prints_by_a_macro_comes_of_its_argument(
    text: str, kind: str, title: str, label: str, reads: Reader
) -> None:
    found = reads(text + " Text.")
    (block,) = (item for item in found.reading.blocks if item.shape == "statement")
    assert (block.kind, block.title) == (kind, title)
    labels = [(item.key, item.holder) for item in found.reading.labels if item.key != "t"]
    assert labels == ([(label, "statement")] if label else [])


@pytest.mark.parametrize(
    "text",
    [
        NAMED + r"\begin{varthm}{center}X.\end{varthm}",
        COUNTED + r"\begin{state}{On the main theorem}X.\end{state}",
        COUNTED + r"\begin{state}{Lemma of Zorn}X.\end{state}",
        COUNTED + r"\begin{state}{~}X.\end{state}",
    ],
)
def test_an_environment_that_begins_something_unknown_is_left(text: str, reads: Reader) -> None:
    found = reads(text)
    assert [item for item in found.reading.blocks if item.shape == "statement"] == []


def test_labels_that_an_environment_sets_stand_where_it_begins(reads: Reader) -> None:
    own = r"\newenvironment{parts}[1]{\stepcounter{s}\label{#1}\label{S.#1}\begin{itemize}}"
    parts = r"{\end{itemize}}\begin{lemma}X \begin{parts}{k}\item y\end{parts}\begin{parts}{}"
    text = own + parts + r"\end{parts}\end{lemma}"
    keys = [(item.key, item.block) for item in reads(text).reading.labels]
    assert keys == [("k", 0), ("S.k", 0)]


def test_an_environment_whose_arguments_are_the_end_of_a_file_sets_no_label(reads: Reader) -> None:
    text = r"\newenvironment{own}[2]{\stepcounter{#1}\label{#2}}{}\begin{own}\end{own}"
    assert reads(text).reading.labels == ()
    (label,) = reads(text + " X.").reading.labels
    assert label.offset == len(text)


def test_comparisons_in_what_a_macro_stands_for_are_decided(reads: Reader) -> None:
    own = (
        r"\newcommand{\fig}[2][TTT]{\ifthenelse{\equal{TTT}{#1}}{\begin{figure}}"
        r"{\begin{figure}[#1]}\label{#2}\end{figure}}"
    )
    found = reads(own + r"\fig{a} \fig[h]{b}")
    assert [item.key for item in found.reading.labels] == ["a", "b"]
    assert found.reading.problems == ()


def test_an_environment_that_is_only_named_does_not_begin(reads: Reader) -> None:
    own = r"\newcommand{\warn}[1]{\label{#1}\typeout{prior to \string\begin{document}}}"
    assert reads(own + r"\warn{a}").reading.problems == ()


def test_a_blank_line_is_an_argument(reads: Reader) -> None:
    text = "\\newcommand{\\secE}[1]{\\section*{E}}\\secE\n\n\\begin{lemma}x\\end{lemma}"
    found = reads(text)
    assert [block.kind for block in found.reading.blocks] == ["lemma"]
    assert found.reading.problems == ()


def test_a_label_is_put_together_by_macros_with_arguments(reads: Reader) -> None:
    own = (
        r"\newcommand{\savel}[1]{\label{#1}\gdef\last{#1}}\newcommand{\sprf}{sec}"
        r"\newcommand{\sname}[1]{\sprf:#1}\newcommand{\slabel}[1]{\savel{\sname{#1}}}"
    )
    found = reads(own + r"\section{A}\slabel{a} \ref{sec:a}")
    assert [item.key for item in found.reading.labels] == ["sec:a"]


PROVEN = (
    "\\newcommand{\\res}[4]{\\begin{theorem}[#1]\\label{#2} #3 \\end{theorem}"
    "\\begin{proof} #4 \\end{proof}}\n"
)


@pytest.mark.parametrize(
    "used",
    [
        "\\res{On cones}{a}{All are tame by \\ref{here}.}{Clear.}",
        "\\res{On cones}{a}{Tame.}{Clear.\n\n\n      Also % by \\ref{a}\n   by \\ref{here}.}",
        "\\res\n  {On cones}\n{a} {All are tame.}\n    {Let $x$ be a cone. Then by~\\ref{here}.}",
        "\\res{On}{a}{So.}{First.\n\\res{In}{b}{C}{D}\nIt is tame by \\ref{here} alone.}",
    ],
)
def test_a_reference_in_an_argument_stands_where_it_is_written(used: str, reads: Reader) -> None:
    text = PROVEN + used + " Text."
    (reference,) = (one for one in reads(text).references if one.keys == ("here",))
    assert text[reference.start : reference.end] == "\\ref{here}"


def test_a_reference_that_a_macro_makes_stands_at_the_macro(reads: Reader) -> None:
    own = PROVEN.replace(" #4 ", " By \\ref{here}, #4 #4 ")
    used = "\\res{On cones}{a}{All are tame.}{Clear by the words of \\ref{there}.}"
    found = reads(own + used).references
    assert len(found) == 3
    assert {(one.start, one.end) for one in found} == {(len(own), len(own + used))}
