"""Which steps and claims in words are statements of their own, and what proves them."""

import itertools
from collections.abc import Callable

import pytest

from pfcore.latex.lexer.whitespace import printed
from pfcore.latex.reader import Read

Reader = Callable[..., Read]
Child = tuple[str, str, str, str]
PROOF = "\\begin{theorem}\\label{t}All.\\end{theorem}\n\\begin{proof}\nTo begin with. "


def blocks(reading: Read) -> list[tuple[str, str, str, str]]:
    """Shape, kind, number and text of each block."""
    pairs = zip(reading.reading.blocks, reading.texts, strict=True)
    return [(block.shape, block.kind, block.number, printed(text)) for block, text in pairs]


def children(reads: Reader, body: str) -> tuple[str, list[Child]]:
    """The text of the outer proof; and kind, number, statement and proof of each child."""
    reading = reads(f"{PROOF}{body}\n\\end{{proof}}\n")
    assert reading.reading.problems == ()
    listed = blocks(reading)
    outer = next(text for shape, _, _, text in listed if shape == "proof")
    found = []
    for (shape, kind, number, text), (below, _, _, proof) in itertools.pairwise(listed):
        if shape == "statement" and text != "All." and kind != "theorem":
            assert below == "proof"
            found.append((kind, number, text, proof))
    return outer, found


ONE = ("step", "1", "$f$ is open.", "Look at it.")


@pytest.mark.parametrize(
    "step",
    [
        r"\textbf{Step 1: $f$ is open.} Look at it.",
        r"{\bf Step 1: $f$ is open.} Look at it.",
        r"\textbf{\emph{Step 1: $f$ is open.}} Look at it.",
        r"\paragraph{Step 1. $f$ is open.} Look at it.",
        r"\subsubsection*{Step 1: $f$ is open.} Look at it.",
        r"\textbf{Step 1: We show that $f$ is open.} Look at it.",
        r"\textbf{Step 1: Proof that $f$ is open.} Look at it.",
        r"\textbf{Step 1.} We show that $f$ is open. Look at it.",
        r"\medskip\noindent\underline{Step 1.} We now prove that $f$ is open. Look at it.",
        r"\textbf{Step 1.} In this step we will verify that $f$ is open. Look at it.",
        "\\textbf{Step 1}\nWe first claim that $f$ is open.\n\nLook at it.",
        r"\textbf{Step 1: $f$ is open.} \emph{Proof.} Look at it.",
        r"\textbf{Step 1: $f$ is open.} Look at it. \qed",
        r"\textbf{Step 1: $f$ is open.} \begin{proof} Look at it. \end{proof}",
    ],
)
def test_a_step_that_says_what_it_shows_is_a_child(reads: Reader, step: str) -> None:
    outer, found = children(reads, f"{step}\n\n\\textbf{{Step 2.}} The rest.")
    assert found == [ONE]
    assert outer == r"To begin with. [Step. $f$ is open.] \textbf{Step 2.} The rest."


@pytest.mark.parametrize(
    "step",
    [
        r"\emph{Step 1.} $f$ is open. Indeed, look at it.",
        r"\textbf{Step 1.} $f$ is open. To see this, look at it.",
        "\\medskip\\noindent\\textit{Step 1: reduction.} $f$ is open.\n\nLook at it.",
        r"\textbf{Step 1.} $f$ is open. By Step 2, look at it.",
        r"\textbf{Step 1.} $f$ is open. Let $x$ be a point and look at it.",
    ],
)
def test_a_step_of_a_run_states_its_first_sentence_if_that_is_plain(
    reads: Reader, step: str
) -> None:
    _, found = children(reads, f"{step}\n\n\\emph{{Step 2.}} The rest is like it.")
    assert [child[:3] for child in found] == [ONE[:3]]
    assert "look at it." in found[0][3].lower()
    assert children(reads, f"{step}\n\n\\emph{{Step 3.}} The rest.")[1] == []


@pytest.mark.parametrize("number", ["2", "3"])
def test_a_bare_formula_of_a_run_is_a_statement(reads: Reader, number: str) -> None:
    body = rf"\emph{{Step 1.}} $f \le 2$. Indeed, look. \emph{{Step {number}.}} Now the rest."
    assert len(children(reads, body)[1]) == (number == "2")


@pytest.mark.parametrize(
    "sentence",
    [
        "$f$ is open because it is. Indeed, look.",
        "$f$ is open by Lemma 2. Indeed, look.",
        "By the above, $f$ is open. Indeed, look.",
        "$f$ is open. Hence it is so.",
        "We have that $f$ is open. Indeed, look.",
        r"$f$ is open, see \ref{t}. Indeed, look.",
        "Let $f$ be what is open. Indeed, look.",
        "This is open. Indeed, look.",
    ],
)
def test_a_first_sentence_that_may_be_an_inference_stays_words(
    reads: Reader, sentence: str
) -> None:
    assert children(reads, rf"\emph{{Step 1.}} {sentence} \emph{{Step 2.}} The rest.")[1] == []


CLAIM = ("claim", "A", "$f$ is open.", "Look at it.")


@pytest.mark.parametrize(
    "claim",
    [
        r"\textbf{Claim A.} $f$ is open. \begin{proof} Look at it. \end{proof}",
        "\\emph{Claim A.} $f$ is open.\n\\begin{proof}[Proof of Claim A] Look at it. \\end{proof}",
        "\\textbf{Claim A.} \\emph{$f$ is open.}\n\n\\emph{Proof of Claim A.} Look at it. \\qed",
        "\\textbf{Claim A.} {\\it $f$ is open.}\n\n\\emph{Proof of the claim.} Look at it. \\qed",
        "\\textbf{Claim A.} $f$ is open.\n\n\\textit{Proof.} Look at it. \\hfill$\\square$\n\n",
        r"\textbf{Claim A: $f$ is open.} Look at it. \qed",
        r"\textsc{Claim A} \label{c} \textit{$f$ is open.} Look at it. \qed",
        r"\begin{itemize}\item[Claim A.] \emph{$f$ is open.} Look at it. \end{itemize}",
    ],
)
def test_a_claim_whose_proof_has_an_end_is_a_child(reads: Reader, claim: str) -> None:
    outer, found = children(reads, f"{claim}\nThe rest.")
    assert found == [CLAIM]
    assert "[Claim. $f$ is open.]" in outer
    assert "Look" not in outer
    assert "The rest." in outer


@pytest.mark.parametrize(
    "body",
    [
        r"\textbf{Case 1: $f$ is open.} Look. \textbf{Case 2: $f$ is shut.} Look.",
        r"\textbf{Step 1: Construction of $f$.} Look. \textbf{Step 2.} Look.",
        r"\textbf{Step 1: The case $n = 1$.} Look. \textbf{Step 2.} Look.",
        r"\textbf{Step 1: $n = 1$.} Look. \textbf{Step 2.} Look.",
        r"\textbf{Step 1: Let $f$ be what is open.} Look. \textbf{Step 2.} Look.",
        r"\textbf{Step 1: We may assume that $f$ is open.} Look. \textbf{Step 2.} Look.",
        r"\textbf{Step 1: Why is $f$ open?} Look. \textbf{Step 2.} Look.",
        r"\textbf{Step 1.} Let $f$ be open. We show that it is. \textbf{Step 2.} Look.",
        r"\textbf{Step 1.} We show uniqueness. Look. \textbf{Step 2.} Look.",
        r"\textbf{Step 1: $f$ is open.} \textbf{Step 2.} Look.",
        r"\textbf{Step 1: $f$ is open.} Look at it.",
        "\\textbf{Step 1: $f$ is open.} Look at it.\n\nNow take another map.",
        r"\textbf{Claim.} $f$ is open. Indeed, look at it.",
        r"\textbf{Claim: $f$ is open.} Look at it. Then we go on.",
        "\\textbf{Claim.} $f$ is open.\n\nLet us use it first. \\begin{proof} Look. \\end{proof}",
        r"\textbf{Claim.} \emph{Every} map is open. Indeed.",
        r"\textbf{Claim.} \emph{$f$ is open. Indeed, look. \qed",
        r"\textbf{Claim.} \textbf{Claim.} \begin{proof} Look. \end{proof}",
        "\\textbf{Step 1.} We show that\n\n\\textbf{Step 2.} Look.",
        r"\textbf{Step 1.} We show that \emph{$f$ is open. Look} at it. \textbf{Step 2.} Look.",
        "\\textbf{Claim.} \\emph{$f$ is open.}\n\n\\emph{Proof.} Look at it. Then we go on.",
        r"\begin{itemize}\item[Claim 1:] $f$ is open. \item[Claim 2:] $g$ is open.\end{itemize}",
    ],
)
def test_what_is_not_plain_stays_words(reads: Reader, body: str) -> None:
    _, found = children(reads, body)
    assert found == []


@pytest.mark.parametrize(
    ("rest", "behind"),
    [
        ("\\qed\n\nWe win.", "We win."),
        ("\n\nFinally, we win.", "Finally, we win."),
        ("\n\nTo conclude, we win.", "To conclude, we win."),
        ("\n\nNow, by Steps 1 and 2, we win.", "we win."),
        ("\n\nIt remains to put the steps together.", "It remains to put the steps together."),
        ("This completes the proof of Step 1. We win.", "We win."),
        ("This completes the proof of the theorem.", "This completes the proof of the theorem."),
        ("\n\n\\textbf{Conclusion.} We win.", "\\textbf{Conclusion.} We win."),
        ("\n\n\\paragraph{End of the proof.} We win.", "We win."),
    ],
)
def test_the_last_step_ends_where_the_text_says_so(reads: Reader, rest: str, behind: str) -> None:
    outer, found = children(reads, f"\\textbf{{Step 1: $f$ is open.}} Look at it. {rest}")
    assert [item[:3] for item in found] == [ONE[:3]]
    assert outer.endswith(behind)
    assert "Look" not in outer


RUN = r"\textbf{Step 1: $f$ is shut.} See. \textbf{Step 2: $f$ is open.} Look at it."


@pytest.mark.parametrize(
    ("rest", "behind"),
    [
        ("", ""),
        ("\\qed", ""),
        (" This proves the theorem.", " This proves the theorem."),
        (" Hence the theorem follows.", " Hence the theorem follows."),
        ("\n\nTherefore, the lemma.", " Therefore, the lemma."),
    ],
)
def test_the_last_step_of_a_run_ends_with_the_proof_or_before_its_conclusion(
    reads: Reader, rest: str, behind: str
) -> None:
    outer, found = children(reads, RUN + rest)
    assert [child[1] for child in found] == ["1", "2"]
    assert found[1][3].startswith("Look at it.")
    assert outer.removesuffix(r"\qed").rstrip().endswith(f"[Step. $f$ is open.]{behind}")


@pytest.mark.parametrize("proof", ["Clear.", "This is obvious.", "Trivial."])
def test_a_step_that_is_clear_is_proved(reads: Reader, proof: str) -> None:
    second = RUN[RUN.index(r"\textbf{Step 2") :]
    _, found = children(reads, rf"\textbf{{Step 1.}} $f$ is shut. {proof} {second}")
    assert [child[2] for child in found] == ["$f$ is shut.", "$f$ is open."]


def test_a_claim_may_be_a_short_formula(reads: Reader) -> None:
    _, found = children(reads, "\\emph{Claim A.} $y=1$.\n\\begin{proof} Look. \\end{proof} We win.")
    assert found == [("claim", "A", "$y=1$.", "Look.")]


def test_steps_as_items_end_with_their_items(reads: Reader) -> None:
    body = r"""\begin{description}
\item[Step 1] We show that $f$ is open. Look at it.
\item[Step 2] We show that $g$ is open. See \begin{enumerate}\item this \item that.\end{enumerate}
\end{description} Done."""
    outer, found = children(reads, body)
    assert [item[1:3] for item in found] == [("1", "$f$ is open."), ("2", "$g$ is open.")]
    assert found[1][3].startswith("See")
    assert outer.endswith(r"\item [Step. $g$ is open.] \end{description} Done.")


def test_the_proof_of_a_claim_in_words_ends_where_the_next_claim_begins(reads: Reader) -> None:
    body = (
        "\\textbf{Claim A.} \\emph{$f$ is open.}\n\n\\emph{Proof.} Look at it.\n\n"
        "\\textbf{Claim B.} \\emph{$g$ is open.}\n\n\\emph{Proof.} See it. \\qed\n\nThe rest."
    )
    outer, found = children(reads, body)
    assert found == [CLAIM, ("claim", "B", "$g$ is open.", "See it.")]
    assert outer == "To begin with. [Claim. $f$ is open.] [Claim. $g$ is open.] The rest."


def test_a_claim_that_may_be_proved_in_steps_stays_words(reads: Reader) -> None:
    body = (
        "\\textbf{Claim A.} \\emph{$f$ is open.}\n\n\\emph{Proof.} Look at it.\n\n"
        "\\textbf{Step 1.} Look. \\textbf{Step 2.} See it. \\qed\n\nThe rest."
    )
    assert children(reads, body)[1] == []


def test_a_claim_inside_of_a_step_is_a_child_of_the_step(reads: Reader) -> None:
    body = (
        r"\textbf{Step 1: $f$ is open.} First. \textbf{Claim.} $h$ is open. "
        r"\begin{proof} See. \end{proof} Hence. \textbf{Step 2.} The rest."
    )
    blocks = reads(f"{PROOF}{body}\\end{{proof}}").reading.blocks
    assert [block.parent for block in blocks] == [-1, -1, 1, 1, 3, 3]


def test_cases_that_are_divided_into_steps_end_them(reads: Reader) -> None:
    body = (
        r"\textbf{Case 1.} Here. \textbf{Step 1: $f$ is open.} Look at it. "
        r"\textbf{Case 2.} There. \textbf{Step 1: $f$ is shut.} Look. \textbf{Step 2.} The rest."
    )
    outer, found = children(reads, body)
    assert found[0] == ONE
    assert "[Step. $f$ is open.] \\textbf{Case 2.} There. [Step. $f$ is shut.]" in outer


def test_cases_inside_of_a_step_are_its_own(reads: Reader) -> None:
    body = r"\textbf{Step 1: $f$ is open.} Look. \textbf{Case 1.} a. \textbf{Step 2.} The rest."
    _, found = children(reads, body)
    assert found == [("step", "1", "$f$ is open.", r"Look. \textbf{Case 1.} a.")]


def test_a_label_behind_the_heading_is_that_of_the_step(reads: Reader) -> None:
    body = "\\textbf{Step 1: $f$ is open.}\\label{s}\nLook at it. \\textbf{Step 2.} The rest."
    reading = reads(f"{PROOF}{body}\\end{{proof}}").reading
    assert [(label.key, label.block) for label in reading.labels] == [("t", 0), ("s", 2)]


@pytest.mark.parametrize(
    "around", ["{}", "\\begin{{theorem}}{}\\end{{theorem}}", "\\begin{{remark}}{}\\end{{remark}}"]
)
def test_outside_of_proofs_the_words_are_words(reads: Reader, around: str) -> None:
    body = r"\textbf{Step 1: $f$ is open.} Look. \textbf{Step 2.} The rest."
    assert not [block for block in reads(around.format(body)).reading.blocks if block.number]


def test_a_proof_in_words_may_have_steps_and_claims(reads: Reader) -> None:
    text = (
        "\\begin{theorem}All.\\end{theorem}\n\\textbf{Proof.} To begin with.\n"
        "\\paragraph{Step 1: $f$ is open.} Look at it. \\qed\n\n"
        "\\paragraph{Step 2: $g$ is open.} See.\n\n"
        "\\textbf{Claim A.} \\emph{$h$ is open.}\n\n\\emph{Proof of Claim A.} Seen. \\qed\n\n"
        "Hence $g$ is open.\n\n\\textbf{Step 3.} The rest. \\qed\n\nMore words."
    )
    reading = reads(text)
    found = [(b.shape, b.kind, b.number, b.parent) for b in reading.reading.blocks]
    assert found == [
        ("statement", "theorem", "", -1),
        ("proof", "proof", "", -1),
        ("statement", "step", "1", 1),
        ("proof", "proof", "", 1),
        ("statement", "step", "2", 1),
        ("proof", "proof", "", 1),
        ("statement", "claim", "A", 5),
        ("proof", "proof", "", 5),
    ]
    assert reading.texts[1].endswith("The rest.")
    assert reading.reading.sections == ()


def test_the_claims_of_a_paper_without_environments_stand_side_by_side(reads: Reader) -> None:
    text = (
        "\\begin{claim}a\\end{claim}\n\\textbf{Proof.} Look.\n\n\\textbf{Claim 2.} b\n\n"
        "\\textbf{Proof.} See. \\qed"
    )
    shapes = [(block.shape, block.parent) for block in reads(text).reading.blocks]
    assert shapes == [("statement", -1), ("proof", -1), ("proof", -1)]


def test_a_proof_that_belongs_to_no_step_is_words(reads: Reader) -> None:
    body = (
        "\\textbf{Step 1: $f$ is open.} Look at it.\n\n\\textbf{Step 2.} More.\n\n"
        "Two things:\n\nthis and that. \\begin{proof} Of both. \\end{proof}"
    )
    outer, found = children(reads, body)
    assert found == [ONE]
    assert outer.endswith("\\begin{proof} Of both. \\end{proof}")


def test_an_environment_that_is_not_closed_has_no_steps(reads: Reader) -> None:
    body = r"\begin{proof} \textbf{Step 1: $f$ is open.} Look. \textbf{Step 2.} The rest."
    assert not [block for block in reads(body).reading.blocks if block.number]
