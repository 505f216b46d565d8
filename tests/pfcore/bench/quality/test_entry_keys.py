"""By which key each entry of a context is there."""

from collections.abc import Callable

import pytest

from pfcore.bench.quality.entry_keys import (
    BroughtEntry,
    EntryWay,
    as_values,
    key_counts,
    paper_keys,
    way_of,
)
from pfcore.graph.paper_state import PaperState

BODY = r"""
\begin{definition}\label{tame} A number is \emph{tame} if it is small. \end{definition}
\begin{definition}\label{ball} Put $\mathcal{B}_r := \{x : x < r\}$, all tame. \end{definition}
\begin{lemma}\label{a} Every element of $\mathcal{B}_2$ is odd. \end{lemma}
\begin{proof} Clear. \end{proof}
\begin{theorem}\label{b} No tame number is odd. \end{theorem}
\begin{proof} By Lemma \ref{a}. \end{proof}
"""


def test_each_entry_has_a_key_of_the_claim_or_of_another_entry(
    paper: Callable[..., PaperState],
) -> None:
    found = paper_keys(paper(BODY))
    ball, tame = r"#\mathcal{B}_•", "tame"
    assert set(found.entries) == {
        BroughtEntry("a", "ball", EntryWay.SYMBOL, ball, "", is_alone=True),
        BroughtEntry("b", "tame", EntryWay.WORD, tame, "", is_alone=True),
        BroughtEntry("b", "a", EntryWay.REFERENCE, "", "", is_alone=True),
        BroughtEntry("b", "ball", EntryWay.SYMBOL, ball, "a", is_alone=True),
    }
    first, second = key_counts(found)
    assert (first.key, first.site, first.contexts, first.alone) == (ball[1:], "states", 2, 2)
    assert (second.key, second.site, second.contexts, second.alone) == (tame, "states", 1, 1)
    assert found.unprinted == 0
    assert as_values(found, 1)["by"] == {"symbol": 2, "word": 1, "reference": 1}


WAYS = {
    "tame": EntryWay.WORD, "tame hedge": EntryWay.TERM, "#x": EntryWay.LETTER,
    "#f(\t#f": EntryWay.LETTER, "#x_n\t#x_•\t#x": EntryWay.INDEXED, r"#\otimes": EntryWay.SIGN,
    r"#\mathcal{B}": EntryWay.SYMBOL, "#•[•,•]": EntryWay.SHAPE, "@A1": EntryWay.NAME,
    "~#x": EntryWay.LEAD, "\\uses": EntryWay.REFERENCE,
}  # fmt: skip


@pytest.mark.parametrize("need", WAYS)
def test_a_need_has_a_form(need: str) -> None:
    assert way_of(need) is WAYS[need]
