import re
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pfcore.latex.blocks.canonical import ANCHOR, MENTION
from pfcore.latex.reader import Read

PIECES = st.sampled_from(
    r"""\begin{lemma} \end{lemma} \begin{proof} \end{proof} \begin{theorem}[Title] \end{theorem}
    \begin{equation} \end{equation} \begin{enumerate} \end{enumerate} \item \begin{document}
    \end{document} \begin{verbatim} \end{verbatim} \begin{comment} \iffalse \fi \else \verb|x|
    \label{a} \label{b,c} \label{} \label{é\x} \ref{a} \cref{a,b} \eqref \crefrange{a}{b} \uses{a}
    \cite[p.~1]{K} \hyperref[a]{text} \pageref{a} \section{S} \paragraph{Proof.} \textbf{Proof.}
    {\bf \em \emph{term} \newcommand{\x}[1][d]{<#1>} \newcommand{\lref}[1]{Lemma~\ref{#1}}
    \def\y#1.{\x[#1]} \let\z\x \def\w{\w} \def\bl{\begin{lemma}} \def\el{\end{lemma}} \bl \el \x
    \x[ \y \z{ \w \lref{a} \lref \input{f} \input \qed $\square$ $ $$ \[ \]
    \( \) [ ] { } { } % # ##1 & ~ \ \IfNoValueTF{#1}{a}{b}
    \newtheorem{foo}{Foo} \begin{foo} \end{foo} \begin{restatable}[T]{lemma}{mac} \end{restatable}
    \begin{lemma*} Throughout this paper, let . unless otherwise stated, \proof \endproof \\ \% \\%
    \caption{x} \begin{figure} \end{figure} \begin{definition} \end{definition}
    \textbf{Step~1.} \textbf{Step~1:~it~is~so.} \emph{Claim~A.} Step~2 \item[Step~2]
    \newenvironment{bar}[1]{\begin{lemma}}{\end{lemma}} \begin{bar}{t} \end{bar}
    \begingroup \endgroup \bgroup \egroup \global\def\y{z} \def\s{\@ifstar{\x}{\lref}} \s \s*
    \newcommand{\t}[1]{\@ifnextchar[{\x}{\s}} \t \t{a}[b] \def\u{\@dblarg\t} \u
    """.split()
)
ODD = st.sampled_from(
    [
        "\x02",
        "\x030",
        "\x020\x03",
        "\x040\x05",
        "\x06",
        "\x00",
        "\r\n",
        "\u2028",
        "𝔸",
        "é",
        "\ud800",
        "\t",
        "\x85",
    ]
)
TEXT = st.text(alphabet="ab ~.,\n\\{}[]$%#é", max_size=8)
SOUP = st.lists(
    st.one_of(PIECES, PIECES, PIECES, ODD, TEXT, st.sampled_from([" ", "\n", "\n\n"])), max_size=40
).map("".join)


@settings(max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SOUP)
def test_whatever_is_read_is_read_consistently(reads: Callable[[str], Read], text: str) -> None:
    reading, texts, references = reads(text)
    assert len(texts) == len(reading.blocks)
    for index, (block, shown) in enumerate(zip(reading.blocks, texts, strict=True)):
        place = block.place
        assert 0 <= place.start <= place.end <= len(text)
        assert -1 <= block.parent < len(reading.blocks)
        assert block.parent != index
        for offset, line, column in (
            (place.start, place.line, place.column),
            (place.end, place.end_line, place.end_column),
        ):
            assert line == text.count("\n", 0, offset) + 1
            assert column == offset - (text.rfind("\n", 0, offset) + 1) + 1
        assert [int(mark) for mark in MENTION.findall(shown)] == list(range(len(block.mentions)))
        assert [int(mark) for mark in ANCHOR.findall(shown)] == list(range(len(block.anchors)))
        assert not re.search("[\x00\x06]", shown)
        assert all(0 <= m.start <= m.end <= len(text) for m in block.mentions)
    for label in reading.labels:
        assert 0 <= label.offset < len(text)
        assert -1 <= label.block < len(texts)
        assert -1 <= label.fragment < len(texts)
    spans = [(item.start, item.end) for item in references]
    spans += [(item.start, item.end) for item in reading.problems]
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert all(0 <= item.offset < len(text) for item in reading.includes)
    assert all(0 <= item.offset < len(text) for item in reading.sections)


STEPS = st.lists(
    st.sampled_from(
        [
            "\\textbf{Step 1: $f$ is open.}",
            "\\paragraph{Step 2: $g$ is open.}",
            "\\textbf{Step 3.} We show that $h$ is open.",
            "\\textbf{Step 4.}",
            "\\textbf{Case 1.}",
            "\\textbf{Claim A.}",
            "\\emph{It is so.}",
            "\\emph{Proof of Claim A.}",
            "\\textbf{Proof.}",
            "\\item[Step 1]",
            "\\begin{enumerate}",
            "\\end{enumerate}",
            "\\begin{claim}",
            "\\end{claim}",
            "\\begin{proof}",
            "\\end{proof}",
            "\\label{a}",
            "\\qed",
            "Finally, by Step 1.",
            "Some words, by the claim.",
            "\n\n",
        ]
    ),
    max_size=30,
).map(" ".join)


@pytest.mark.acceptance
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS, st.sampled_from(["\\begin{proof} ", "\\textbf{Proof.} ", ""]))
def test_steps_and_claims_lie_in_one_another(
    reads: Callable[[str], Read], words: str, opening: str
) -> None:
    text = opening + words
    reading = reads(text).reading
    for block in reading.blocks:
        assert 0 <= block.place.start < block.place.end <= len(text)
        if block.parent >= 0:
            outer = reading.blocks[block.parent].place
            assert outer.start <= block.place.start <= block.place.end <= outer.end
        if block.env == "Step.":
            assert reading.blocks[block.parent].shape == "proof"
    numbered = [block for block in reading.blocks if block.shape != "fragment"]
    spans = sorted(
        (block.place.start, -block.place.end, block.shape == "introduction") for block in numbered
    )
    for number, (start, end, is_told) in enumerate(spans):
        # Introductions take along sentences before them: two of these may have one in common.
        assert all(
            other >= -end or -last <= -end or (is_told and is_other)
            for other, last, is_other in spans[number + 1 :]
        )
        assert start < -end


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SOUP)
def test_reading_twice_gives_the_same(reads: Callable[[str], Read], text: str) -> None:
    assert reads(text) == reads(text)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SOUP, SOUP)
def test_any_text_can_be_put_into_any_other(
    spliced: Callable[[str, str], Read], text: str, inner: str
) -> None:
    outer = "\\begin{proof}\n" + text + "\\input{f}" + text
    reading, texts, _ = spliced(outer, inner)
    assert len(texts) == len(reading.blocks)
    for block in reading.blocks:
        assert 0 <= block.place.start <= block.place.end <= len(outer)
    assert all(0 <= label.offset < len(outer) for label in reading.labels)
