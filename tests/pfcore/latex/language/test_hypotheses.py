"""Which sentences of a proof still hold as hypotheses further down."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.latex.language.hypotheses import (
    fixes,
    hypotheses,
    named_items,
    named_passages,
    prose_sentences,
    with_plain_names,
)

PIECES = [
    "\\begin{itemize}", "\\end{itemize}", "\\item[(A1)] ", "\\item ", "(A2) The form. ",
    "\n\n", "\\textbf{(B)} ", "\\[ x \\tag{C1} \\]", "Let it be: ", "So it is. ",
    "\\begin{enumerate}[label=(H\\arabic*)]", "\\end{enumerate}", "\\paragraph{(D)}",
]  # fmt: skip


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
        r"So it has size at most $k \coloneqq 4n$.",
        "Ferner sei $p$ eine Primzahl.",
        "Maintenant, on choisit une base.",
        "The group is denoted by $G$.",
        "Given such an $x$, all is well.",
        "We say an edge $e$ to be \\emph{large} if it is so.",
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
        "We say more on this below.",
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
    "a list that a sentence announces is part of it": (
        "We set these values as follows.\n\n\\begin{itemize}\\item $x = 1$. \\end{itemize} So.",
        ["We set these values as follows.\n\n\\begin{itemize}\\item $x = 1$. \\end{itemize}"],
    ),
    "a display that a sentence announces is part of it": (
        "Consider the following set $X$ of edges. \\[ X = \\{e\\} \\] Now it is so.",
        ["Consider the following set $X$ of edges. \\[ X = \\{e\\} \\]"],
    ),
    "an announced display behind other words is none": (
        "Consider the following. So it is. \\[ X = \\{e\\} \\]",
        ["Consider the following."],
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
    text = " ".join(f"Let $x_{{{number}}}$ be." for number in range(200))
    assert len(held(text)) == 100
    assert held(text)[-1] == "Let $x_{199}$ be."


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
        ("It contributes a factor \\(\nP:=1-C.\n\\)\nIf so, then \\(x. Y\\). So.", 2),
    ],
)
def test_what_words_lead_to_belongs_to_their_sentence(text: str, count: int) -> None:
    assert len(prose_sentences(text, 0, len(text))) == count


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            r"Rings are tame, i.\,e. small. They lean.",
            [r"Rings are tame, i.\,e. small.", "They lean."],
        ),
        ("We do so w.l.o.g. for trees. So be it.", ["We do so w.l.o.g. for trees.", "So be it."]),
        (
            r"Trees lean\footnote{Some do. Others may.} to the left. They grow.",
            [r"Trees lean\footnote{Some do. Others may.} to the left.", "They grow."],
        ),
        (
            r"Trees lean.\footnote{Some do. Others may.} They grow.",
            ["Trees lean.", "Some do.", "Others may.", "They grow."],
        ),
        (
            r"Trees lean\footnote{and grow. So be it.",
            [r"Trees lean\footnote{and grow.", "So be it."],
        ),
    ],
)
def test_neither_a_shortened_word_nor_a_footnote_ends_a_sentence(
    text: str, parts: list[str]
) -> None:
    found = prose_sentences(text, 0, len(text))
    assert [text[start:end] for start, end in found] == parts


def given_names(text: str) -> list[tuple[tuple[str, ...], str]]:
    found, _ = named_passages(
        text, prose_sentences(text, 0, len(text)), named_items(text), lambda lead: "Let" in lead
    )
    return [(one.names, "".join(_part(text, part) for part in one.parts)) for one in found]


def _part(text: str, part: tuple[int, int] | str) -> str:
    return part if isinstance(part, str) else text[slice(*part)]


@pytest.mark.parametrize(
    "text",
    [
        "(A1) is what we need.",
        "(A1), (A2) and more.",
        "So it holds by (A1). The kernel is even.",
        r"\textbf{Assumption (A1)} is needed.",
        "Assumption (A1) Symmetry is used.",
        r"\begin{itemize}\item[(a)] one. \item[(iii)] three. \item[4.] four.\end{itemize}",
        r"\begin{enumerate}[label=(\roman*)]\item one. \item two.\end{enumerate}",
        r"\begin{itemize}\item (A1) implies (A2).\end{itemize}",
        r"(A1) $\Rightarrow$ (A2): The kernel is even.",
        r"\begin{itemize}\item (A1)$\implies$(A2): It is so.\end{itemize}",
        r"Let it be $H(X)$. Then \eqref{A1} is so.",
    ],
)
def test_no_name_is_given_where_one_is_spoken_of_or_there_is_none(text: str) -> None:
    assert given_names(text) == []


def test_lists_count_from_where_they_start_and_go_on() -> None:
    first = r"\begin{enumerate}[label=(H\arabic*), start=3]\item one \item two\end{enumerate}"
    more = r"\begin{enumerate}[label=(H\arabic*), resume]\item five\end{enumerate}"
    other = r"\begin{enumerate}[label=(\Alph*)]\item alpha \item beta\end{enumerate}"
    names = [item.name for item in named_items(f"{first} {more} {other}")]
    assert names == ["H3", "H4", "H5", "A", "B"]


@pytest.mark.parametrize("text", ["$(H_1)$ is", "(H$_{12}$)", "($\\mathrm{H}_1$)", "$(x_1)$, (a)"])
def test_a_name_in_plain_is_as_long_as_it_was(text: str) -> None:
    plain = with_plain_names(text)
    assert len(plain) == len(text)
    assert ("(H1" in plain) is ("H" in text)


def test_an_item_holds_the_lists_inside_of_it() -> None:
    inner = r"\begin{itemize}\item one. \item two.\end{itemize}"
    text = rf"\begin{{itemize}}\item[(A1)] Both hold. {inner} \item[(A2)] None.\end{{itemize}}"
    assert [names for names, _ in given_names(text)] == [("A1",), ("A2",)]
    assert inner in given_names(text)[0][1]


def test_what_is_never_closed_is_no_item() -> None:
    assert named_items(r"\begin{itemize}\item[(A1)] It goes on. \item[(A2)] And on.")[1:] == []
    assert named_items(r"\item[(A1)] Stray. \end{itemize}") == []


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_passages_with_names_lie_in_the_text_and_apart(text: str) -> None:
    sentences = prose_sentences(text, 0, len(text))
    items = named_items(text)
    found, left = named_passages(text, sentences, items, lambda _: False)
    assert all(0 <= start <= end <= len(text) for _, (start, end), _, _ in found)
    assert all(one.names for one in found)
    assert not [span for span in left for one in found if one.span[0] <= span[0] < one.span[1]]
