"""Circles that one natural wording closes: uses are told, asides are part of none."""

import tomllib
from pathlib import Path

import pytest

LEMMA = "\\begin{lemma}\\label{%s} %s. \\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
WORDINGS = Path(__file__).parents[2] / "data" / "wordings" / "references.toml"
TABLES = tomllib.loads(WORDINGS.read_text(encoding="utf-8"))


def _wordings(kind):
    return [
        pytest.param(words, id=f"{language}-{origin}-{number}")
        for language, origins in TABLES[kind].items()
        for origin, listed in origins.items()
        for number, words in enumerate(listed)
    ]


def _all_circles(article, words):
    """Where the proof with the words comes first, and where it comes last."""
    return [_circles(article, words, is_first=is_first) for is_first in (True, False)]


def _circles(article, words, *, is_first):
    """The severity of each circle, with a mark where it is only possible."""
    proofs = [("a", "First", words), ("b", "Second", r"By Lemma~\ref{a}, we win.")]
    found = article("".join(LEMMA % item for item in (proofs if is_first else proofs[::-1])))
    return [
        item.severity.value if item.message.startswith("circular") else f"{item.severity.value}?"
        for item in found.findings
        if item.rule == "cycle"
    ]


@pytest.mark.parametrize("words", _wordings("use"))
def test_a_use_closes_a_circle(article, words):
    for found in _all_circles(article, words):
        assert found in (["warning"], ["warning?"])


def test_a_plain_use_closes_a_circle_that_is_certain(article):
    assert _all_circles(article, r"By Lemma~\ref{b}, all is well.") == [["warning"], ["warning"]]


@pytest.mark.parametrize("words", _wordings("aside"))
def test_an_aside_closes_no_circle(article, words):
    assert _all_circles(article, words) == [[], []]


@pytest.mark.parametrize("words", _wordings("smaller"))
def test_what_may_be_of_a_smaller_case_is_at_most_a_warning(article, words):
    for found in _all_circles(article, words):
        assert found in ([], ["note?"], ["warning?"])


FOOTNOTES = (
    r"We compute.\footnote{As usual, by Lemma~\ref{b} we win.} Done.",
    r"We compute\footnote{By Lemma~\ref{b}, \emph{all} is well.}, and win.",
    r"We compute.\footnotetext[2]{By Lemma 2, we win.}",
    r"We compute.\note{By Lemma~\ref{b}, we win.}",
)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("words", FOOTNOTES)
def test_what_a_footnote_names_closes_no_circle(article, words, is_first):
    own = r"\newcommand{\note}[1]{\footnote{#1}}"
    used = words.replace("Lemma 2", "Lemma 1") if not is_first else words
    assert _circles(article, own + used, is_first=is_first) == []
    assert _circles(article, own + used + r" By Lemma~\ref{b}, we win.", is_first=is_first)
    proofs = (LEMMA % item for item in (("a", "First", own + used), ("b", "Second", "Clear.")))
    named = article("".join(proofs)).state.document.edges
    assert is_first is False or [(edge.source, edge.target) for edge in named] == [("a", "b")]


def test_there_are_enough_wordings_of_each_kind():
    counts = {
        kind: sum(len(listed) for origins in table.values() for listed in origins.values())
        for kind, table in TABLES.items()
    }
    assert counts["use"] >= 110
    assert counts["aside"] >= 45
    for language in ("de", "fr"):
        assert sum(map(len, TABLES["use"][language].values())) >= 15


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Combining the two above results, we win.", []),
        ("By the two results above, we win.", []),
        ("By the two above lemmas, we win.", ["warning"]),
    ],
)
def test_two_results_that_may_be_formulas_close_no_circle(article, words, told):
    found = article(
        LEMMA % ("o", "Zeroth", "Clear.")
        + LEMMA % ("a", "First", r"By Lemma~\ref{b}, we win.")
        + LEMMA % ("b", "Second", rf"First, \[x=y.\] Second, \[y=z.\] {words}")
    )
    assert [item.severity.value for item in found.findings if item.rule == "cycle"] == told
