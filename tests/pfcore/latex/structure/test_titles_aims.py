"""What titles of proofs say that they prove."""

import pytest

from pfcore.latex.structure.titles import means_in, named_results, proved_labels, ranges


@pytest.mark.parametrize(
    ("title", "found"),
    [
        (r"Proof of Theorem \ref{b}", ("b",)),
        (r"Proofs of Theorems \ref{a}, \ref{b} and \cref{c}", ("a", "b", "c")),
        (r"Proof that Lemma \ref{n} implies Theorem \ref{b}", ("b",)),
        (r"Proof of \ref{n} $\Rightarrow$ \ref{b}", ("b",)),
        (r"Proof that Theorem \ref{b} follows from Lemma \ref{n}", ("b",)),
        (r"Proof of Theorem \ref{b}, assuming Lemma \ref{n}", ("b",)),
        (r"Proof of Theorem \ref{b} (using \cref{n})", ("b",)),
        (r"Proof of Theorem \ref{b} from Lemmas \ref{n} and \ref{m}", ("b",)),
        (r"Beweis von Satz \ref{b} aus Lemma \ref{n}", ("b",)),
        (r"Beweis von Satz \ref{b} mit Hilfe von Lemma \ref{n}", ("b",)),
        (r"Beweis von Satz \ref{b} unter der Annahme von \ref{n}", ("b",)),
        (r"Preuve du théorème \ref{b} à partir du lemme \ref{n}", ("b",)),
        (r"Démonstration du théorème \ref{b} en admettant \ref{n}", ("b",)),
        (r"Preuve du théorème \ref{b} par le lemme \ref{n}", ("b",)),
        (r"Proof using Lemma~\ref{n}", ()),
        (r"Proof that Theorem \ref{b} implies finiteness", ("b",)),
        ("Proof", ()),
    ],
)
def test_a_title_names_what_is_proved_and_not_what_it_is_proved_from(title, found):
    assert proved_labels(title) == found


@pytest.mark.parametrize(
    ("title", "found"),
    [
        (r"Proof of Proposition \ref{b} from Lemma \ref{n}", r"from Lemma \ref{n}"),
        (r"Proof of Theorem \ref{b} (using \cref{n})", r"using \cref{n}"),
        (r"\textbf{Proof of \ref{b} by \ref{n}}.", r"by \ref{n}"),
        ("Proof of Theorem 2 assuming Lemma 1", "assuming Lemma 1"),
        (r"Proof that Lemma \ref{n} implies Theorem \ref{b}", r"that Lemma \ref{n} implies"),
        (r"Proof using Lemma~\ref{n}", r"using Lemma~\ref{n}"),
        (r"Proof of Theorem \ref{b} by induction", ""),
        (r"Proof of Theorems \ref{a} and \ref{b}", ""),
        ("Proof by induction", ""),
        ("Proof", ""),
    ],
)
def test_a_title_says_from_what_it_is_proved(title, found):
    assert title[slice(*means_in(title))] == found


@pytest.mark.parametrize("joint", ["--", "-", "---", " to ", "~--~", " through "])
def test_a_range_of_references_has_two_ends(joint):
    assert ranges(rf"Proofs of Theorems \ref{{a}}{joint}\ref{{c}}") == (("a", "c"),)


def test_a_list_is_no_range():
    assert ranges(r"Proofs of \ref{a} and \ref{c}") == ()


@pytest.mark.parametrize(
    ("title", "found"),
    [
        ("Proof of Theorem 1", [("theorem", "1")]),
        ("Proof of Theorem~2.3.", [("theorem", "2.3")]),
        ("Proof of Theorem A", [("theorem", "A")]),
        ("Proof of Theorem A'", [("theorem", "A'")]),
        ("Proof of Thm.\\ IV", [("theorem", "IV")]),
        ("Beweis von Satz 4", [("satz", "4")]),
        ("Proof of Proposition A.1", [("proposition", "A.1")]),
        ("Proof of Theorem 1 (i)", [("theorem", "1")]),
        ("Proof of Theorems 1 and 2", [("theorem", "1"), ("theorem", "2")]),
        ("Proofs of Corollaries 2.1--2.3", [("corollary", f"2.{n}") for n in (1, 2, 3)]),
        ("Proofs of Lemmata 1, 2", [("lemma", "1"), ("lemma", "2")]),
        ("Proof of Theorem 1 and Corollary 2", [("theorem", "1"), ("corollary", "2")]),
        ("Proof of Theorem 1 using Lemma 2", [("theorem", "1")]),
        ("Proof that Lemma 2 implies Theorem 1", [("theorem", "1")]),
        ("Proof of Theorem 1 from \\cite{x}", [("theorem", "1")]),
        ("Proof of Theorem 1 of \\cite{x}", []),
        ("Proof of [Ta, Theorem 1]", []),
        ("Proof by Theorem 1", []),
        ("Proof in dimension 2", []),
        ("Proof of a theorem", []),
        ("Proof of the Theorem 2-category", []),
        ("Proof", []),
    ],
)
def test_a_title_names_results_by_kind_and_number(title, found):
    assert list(named_results(title)) == found


PARTS = r"""\begin{theorem}\label{x}All is well.\end{theorem}
\section{Proof of Theorem~\ref{x}}
We argue in two steps, of which the second one is longer than the first.
\subsection{The first}
This is clear from what was said, and needs no more than a line of text.
\subsection%s
This is not, but it is true as well, for a reason that we give in full.
\section{More}
Text.
"""


@pytest.mark.parametrize(
    ("second", "ends"),
    [
        ("{The second}", r"\section{More}"),
        (r"{Proof of Theorem~\ref{y}}", r"\subsection{The first}"),
    ],
)
def test_a_section_that_is_a_proof_ends_behind_its_subsections(second, ends, reads):
    text = PARTS % second
    proofs = [block for block in reads(text).reading.blocks if block.shape == "proof"]
    assert text[proofs[0].place.end :].lstrip().startswith(ends)
