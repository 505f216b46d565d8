from collections.abc import Callable

import pytest

from pfcore.latex.reader import Read

Reader = Callable[..., Read]
LEMMA = "\\begin{lemma}\\label{x}a\\end{lemma}\n"


def proofs(reading: Read) -> list[str]:
    pairs = zip(reading.reading.blocks, reading.texts, strict=True)
    return [text for block, text in pairs if block.shape == "proof"]


@pytest.mark.parametrize(
    "opener",
    [
        r"\textbf{Proof.}",
        r"\textbf{Proof}.",
        r"\textbf{Proof:}",
        r"{\bf Proof.}",
        r"{\bf Proof}: ",
        r"\emph{Proof.}",
        r"{\it Proof. }",
        r"{\bfseries\itshape Proof.}",
        r"\noindent\textit{Proof.}",
        r"\medskip\noindent \textsc{Proof.}",
        r"\textbf{\emph{Proof.}}",
        "\\textbf{Proof}\n",
        r"\textit{Proof (sketch).}",
        r"\paragraph{Proof.}",
        r"\paragraph{Proof}",
        r"\textbf{Beweis.}",
        r"\textit{Proof of the main theorem.}",
        r"\textit{Sketch of proof.}",
    ],
)
def test_a_proof_in_words_is_a_proof(reads: Reader, opener: str) -> None:
    reading = reads(LEMMA + opener + " It is clear. \\qed\n\nMore prose.")
    assert proofs(reading) == ["It is clear."]
    assert reading.reading.blocks[1].adjacent
    assert reading.reading.sections == ()


@pytest.mark.parametrize(
    "text",
    [
        r"\textbf{Proof} theory is old.",
        r"see the \textbf{Proof.} of it",
        r"\textbf{Proof of concept.}",
        r"\textbf{Proofs} are",
        r"\section{Proof of the theorem}",
        r"\paragraph{Proof of knowledge.}",
        r"\textbf{Proposition.}",
        r"\emph{Proof reading.}",
        r"Proof. x",
        r"\newcommand{\pf}{" + "\n" + r"\textbf{Proof.}}",
    ],
)
def test_other_words_begin_no_proof(reads: Reader, text: str) -> None:
    assert proofs(reads(LEMMA + text)) == []


@pytest.mark.parametrize(
    ("end", "rest"),
    [
        (r"\qed", " after"),
        (r"\qedsymbol{}", " after"),
        (r"$\square$", "\n\nafter"),
        (r"\hfill$\Box$", "\n\nafter"),
        (r"$\blacksquare$", "\n\\section{x}"),
        ("□", ""),
        ("", r"\begin{lemma}b\end{lemma}"),
        ("", r"\begin{proof}b\end{proof}"),
        ("", r"\section{b}"),
        ("", "\n\\textbf{Proof.} again"),
        ("", r"\end{document}"),
        ("", ""),
    ],
)
def test_a_proof_in_words_ends_where_the_text_shows(reads: Reader, end: str, rest: str) -> None:
    text = "\\begin{document}\n" + LEMMA + r"\textbf{Proof.} It is clear." + end + rest
    assert proofs(reads(text))[0] == "It is clear."


def test_a_square_inside_of_a_paragraph_ends_no_proof(reads: Reader) -> None:
    text = LEMMA + "\\textbf{Proof.} Let $\\square$ be a\n $\\square$-algebra. \\qed"
    assert len(proofs(reads(text))[0]) > 30


def test_a_proof_in_words_says_what_it_proves(reads: Reader) -> None:
    text = LEMMA + r"\noindent\textit{Proof of Theorem \ref{x}.} It is clear."
    block = reads(text).reading.blocks[1]
    assert (block.env, block.kind, block.aim) == ("Proof.", "proof", ("x",))
    assert block.title == r"Proof of Theorem \ref{x}."
    assert text[block.place.start :].startswith(r"\noindent")


@pytest.mark.parametrize("env", ["lemma", "proof"])
def test_inside_of_statements_and_proofs_the_words_are_words(reads: Reader, env: str) -> None:
    text = f"\\begin{{{env}}}a\n\\textbf{{Proof.}} b\\end{{{env}}}"
    assert len(reads(text).reading.blocks) == 1


def test_a_proof_in_words_ends_with_what_it_stands_in(reads: Reader) -> None:
    text = (
        "\\begin{center}\n\\textbf{Proof.} a \\begin{itemize}\\item b\\end{itemize}\\end{center} c"
    )
    assert proofs(reads(text)) == [r"a \begin{itemize} \item b \end{itemize}"]


def test_a_proof_reads_alike_with_and_without_an_environment(reads: Reader) -> None:
    body = r"By \ref{y}, $a + b$."
    bare = reads(LEMMA + rf"{{\bf Proof.}} {body} \qed")
    plain = reads(LEMMA + rf"\begin{{proof}} {body} \end{{proof}}")
    assert bare.reading.blocks[1].digest == plain.reading.blocks[1].digest


@pytest.mark.parametrize("end", [r"\qed", r"\hfill $\Box$", r"\hfill $\square$"])
def test_a_proof_that_a_command_begins_and_none_ends_stops_where_the_text_shows(
    reads: Reader, end: str
) -> None:
    text = f"{LEMMA}\\proof It is clear. {end}\n\nMore prose, by Lemma 7."
    assert len(proofs(reads(text))) == 1
    assert "It is clear." in proofs(reads(text))[0]
    assert "More prose" not in proofs(reads(text))[0]
    ended = f"{text}\n\n{LEMMA}\\proof Yes, too. \\endproof"
    assert any("More prose" in one for one in proofs(reads(ended)))
