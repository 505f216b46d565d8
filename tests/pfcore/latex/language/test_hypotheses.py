"""Which sentences of a proof still hold as hypotheses further down."""

import time

import pytest

from pfcore.latex.language.hypotheses import fixes, hypotheses, prose_sentences


def held(text: str) -> list[str]:
    return [text[start:end] for start, end in hypotheses(text, 0, len(text), ())[-1]]


@pytest.mark.parametrize(
    "sentence",
    [
        "Let $p$ be a prime.",
        "Now fix $n > 0$.",
        "We may assume that $G$ is abelian.",
        "Suppose first that $x = 0$.",
        "Put $y = x^2$.",
        "Then we set $y = x^2$.",
        "Choose a basis.",
        "Write $G$ for the group.",
        "Here $G := H/K$.",
        "The group is denoted by $G$.",
        "Given such an $x$, all is well.",
    ],
)
def test_a_sentence_that_introduces_or_supposes_fixes_something(sentence: str) -> None:
    assert fixes(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Then $x = 1$.",
        "The set $A$ is open.",
        "By assumption, the map is open.",
        "This is a set with two elements.",
        "The letter $let$ is a formula.",
    ],
)
def test_a_sentence_that_concludes_fixes_nothing(sentence: str) -> None:
    assert not fixes(sentence)


SPLIT = {
    "a display belongs to its sentence": (
        "Let\n\\[ x = 1. \\]\nThen it is so.",
        ["Let\n\\[ x = 1. \\]"],
    ),
    "a display in the middle": (
        "Let\n\\begin{equation} x = 1 \\end{equation}\nand $y$ be. So.",
        ["Let\n\\begin{equation} x = 1 \\end{equation}\nand $y$ be."],
    ),
    "an abbreviation ends nothing": (
        "Let $x$ be as in Thm. 2, e.g. one. So.",
        ["Let $x$ be as in Thm. 2, e.g. one."],
    ),
    "a stop inside a formula ends nothing": ("Let $x = 1. 5$ be. So.", ["Let $x = 1. 5$ be."]),
    "a paragraph ends a sentence": ("Let $x$ be\n\nsomething", ["Let $x$ be"]),
    "a closed list is over": (
        "So.\n\\begin{itemize}\\item Let $x = 1$. \\end{itemize} Let $y = 2$.",
        ["Let $y = 2$."],
    ),
    "an earlier item is over": (
        "Fix $z$. \\begin{itemize}\\item Let $x = 1$. \\item Let $y = 2$. So",
        ["Fix $z$.", "Let $y = 2$."],
    ),
    "a list behind a colon is part of its sentence": (
        "Suppose that: \\begin{itemize}\\item $x = 1$. \\item $y = 2$. \\end{itemize} So.",
        ["Suppose that: \\begin{itemize}\\item $x = 1$. \\item $y = 2$. \\end{itemize}"],
    ),
    "an earlier case is over": (
        "Let $n$ be. \\textbf{Case 1.} Suppose $n = 1$. So. \\textbf{Case 2.} Suppose $n > 1$.",
        ["Let $n$ be.", "Suppose $n > 1$."],
    ),
    "nothing is lost without a full stop": ("Let $x$ be one", ["Let $x$ be one"]),
    "a formula that nothing closes": ("Let $x be one. So it is.", ["Let $x be one. So it is."]),
}


@pytest.mark.parametrize("name", SPLIT)
def test_hypotheses_are_whole_sentences_that_still_hold(name: str) -> None:
    text, expected = SPLIT[name]
    assert held(text) == expected


@pytest.mark.parametrize(
    "words",
    ["\\iftrue " * 400, "\\bf{ " * 400, "\\case " * 400, "{\\item(i) " * 400, "\\\\ " * 400],
)
def test_many_commands_before_a_case_take_no_time(words: str) -> None:
    start = time.process_time()
    assert held(f"{words}Let $x$ be so.")
    assert time.process_time() - start < 1


def test_what_stands_in_a_hole_is_not_read() -> None:
    text = "Let $a$ be. HOLE Let $b$ be. ENDS Let $c$ be."
    start, end = text.index("HOLE"), text.index("ENDS") + 4
    before, after = hypotheses(text, 0, len(text), [(start, end)])
    assert [text[a:b] for a, b in before] == ["Let $a$ be."]
    assert [text[a:b] for a, b in after] == ["Let $a$ be.", "Let $c$ be."]


def test_of_very_many_hypotheses_the_nearest_are_kept() -> None:
    text = " ".join(f"Let $x_{{{number}}}$ be." for number in range(100))
    assert len(held(text)) == 40
    assert held(text)[-1] == "Let $x_{99}$ be."


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("We call these pairs keys:\n\n\\begin{enumerate}\\item one \\item two\\end{enumerate}", 1),
        ("Let it be a map satisfying\n\\begin{itemize}\\item one \\item two\\end{itemize}", 1),
        ("The form is the following\n\n\\[ x=y \\]\n\nAnd so on.", 2),
        ("So it goes:\n\\begin{center}\\begin{tabular}{c} a \\end{tabular}\\end{center} Then.", 2),
        ("It is so.\n\n\\begin{itemize}\\item one. \\item two.\\end{itemize}", 3),
        ("Idea\n\n\\begin{itemize}\\item one. \\item two.\\end{itemize}", 3),
        ("We go on and on here\n\nwith another paragraph.", 2),
    ],
)
def test_what_words_lead_to_belongs_to_their_sentence(text: str, count: int) -> None:
    assert len(prose_sentences(text, 0, len(text))) == count
