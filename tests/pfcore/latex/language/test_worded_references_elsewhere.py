"""Numbers of other works, and those that only seem to be some."""

import pytest

from pfcore.latex.language.worded_references import is_elsewhere

OTHER = r"""
By [5, Lemma 2].
By [5, \S 1, Lemma 2].
By Lemma 2 of [5].
By Lemma 2 in Smith [5].
By [5], Lemma 2.
By [Smi, Lemma 2].
By \cite[Lemma 2]{x}.
By \citep[see][Lemma 2]{x}.
By \textcite[Lemma 2]{x}.
By \Textcite{x}, Lemma 2.
By Lemma 2 in \cite{x}.
By Lemma 2 of Smith's paper.
By Lemma 2 of Smith and Jones' book.
By Smith's Lemma 2.
By Lemma 2 in the paper of Smith.
By Lemma 2 in the classical book by Smith.
By Lemma 2 of his paper.
By Lemma 2 of that article.
By Lemma 2 from Serre's book.
By Lemma 2 of Smith.
By Lemma 2 of Smith and Jones (2004).
By Lemma 2 of Smith et al.
(Smith, Lemma 2)
By Lemma 2, loc.\ cit.
By Lemma 2 in \emph{loc.\ cit.}
By Lemma 2 there.
Nach Lemma 2 aus [5].
D'après Lemma 2 de [5].
"""

OWN = r"""
By Lemma 2.
By Lemma 2 of this paper.
By Lemma 2 of our paper.
By Lemma 2 of Section 1.
By Lemma 2 of Chapter 3.
By Lemma 2 in Hilbert spaces.
By Lemma 2 of the paper.
By Lemma 2 there is a ball.
By Lemma 2 in $[5]$.
By Lemma 2 on $[0,1]$.
By [5] and Lemma 2.
(Indeed, Lemma 2)
\begin{proof}[Proof] By Lemma 2.
Let $x \in [0, 1]$. Lemma 2 applies.
"""


@pytest.mark.parametrize("sentence", OTHER.strip().splitlines())
def test_a_number_of_another_work_is_known_by_the_words_around_it(sentence: str) -> None:
    start = sentence.index("Lemma 2")
    assert is_elsewhere(sentence, start, start + len("Lemma 2"))


@pytest.mark.parametrize("sentence", OWN.strip().splitlines())
def test_a_number_of_the_paper_itself_is_not(sentence: str) -> None:
    start = sentence.index("Lemma 2")
    assert not is_elsewhere(sentence, start, start + len("Lemma 2"))
