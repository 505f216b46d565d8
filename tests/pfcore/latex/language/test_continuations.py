"""Sentences that say more of what the one before them brings in go with it, in three languages."""

from collections.abc import Callable

import pytest

from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import render
from pfcore.latex.language import continuations
from pfcore.latex.language.continuations import CONTINUATION_WORDS, passages
from pfcore.latex.language.hypotheses import prose_sentences
from pfcore.latex.language.phrases import phrases_of, word_tables

Paper = Callable[..., PaperState]
ROLES = [role for role in word_tables(CONTINUATION_WORDS) if role not in ("argues", "everyday")]


def forget() -> None:
    continuations._any.cache_clear()
    continuations._idle.cache_clear()
    continuations._announced.cache_clear()


def whole(text: str) -> bool:
    """Whether all of a text belongs to its first sentence."""
    sentences = prose_sentences(text, 0, len(text))
    assert len(sentences) == 2
    return passages(text, sentences)[0][1] == len(text)


@pytest.mark.parametrize("role", ROLES)
def test_an_example_goes_on_by_its_phrase_or_not(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = phrases_of(CONTINUATION_WORDS)
    forget()
    # All with their phrases first: the patterns are compiled anew after each change.
    found = {phrase: [whole(example)] for phrase, example in told[role].items()}
    for phrase, example in told[role].items():
        assert phrase.rstrip("*").split("*")[0] in example.lower()
        less = {**told, role: {key: told[role][key] for key in told[role] if key != phrase}}
        monkeypatch.setattr(continuations, "phrases_of", lambda _, less=less: less)
        forget()
        found[phrase].append(whole(example))
    monkeypatch.undo()
    forget()
    expected = [role != "idle", role == "idle"]
    assert {phrase: said for phrase, said in found.items() if said != expected} == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"Let $\Xi_S$ be a matrix. That is, it has a row for each element.", True),
        (r"Let $\Xi_S$ be a matrix. The matrix $\Xi_S$ has a row for each element.", True),
        (r"Let $\Xi_S$ be a matrix. Rows have length one.", False),
        (r"Let $\Xi_S$ be a matrix. Then $\Xi_S$ has a row for each element.", False),
        ("Let $\\Xi_S$ be a matrix.\n\nIt has a row for each element.", False),
        ("Let $\\Xi_S$ be a matrix.\n\\section{It} It has a row.", False),
        (r"Let $f_0$ be a map. It is studied in \cite{euler}.", False),
        (r"Let $f_0$ be a map. It has " + "very " * 150 + "few zeros.", False),
    ],
)
def test_what_goes_on_stands_in_the_same_paragraph_and_speaks_of_the_same(
    text: str, expected: bool
) -> None:
    sentences = prose_sentences(text, 0, len(text))
    assert (passages(text, sentences)[0][1] == len(text)) is expected


@pytest.mark.parametrize("formula", ["a,b,c,d,e,f\\in S", "a, b, c, d, e, f \\in S"])
def test_blanks_in_a_formula_are_no_words(formula: str) -> None:
    text = (
        rf"Let $\Xi_S$ be the matrix of $S$. We require for all ${formula}$ that these are finite."
    )
    sentences = prose_sentences(text, 0, len(text))
    assert passages(text, sentences)[0][1] == len(text)


def test_at_most_two_sentences_go_on() -> None:
    text = "Let $f_0$ be a map. It is odd. It is smooth. It is proper."
    sentences = prose_sentences(text, 0, len(text))
    first, last = passages(text, sentences)[0]
    assert text[first:last].endswith("It is smooth.")


@pytest.mark.parametrize(
    ("lead", "rest"),
    [
        ("The map $f_0$ is made as follows.", "Take it apart. Glue it. Bend it. Paint it."),
        (
            "The map $f_0$ is made as follows: take it apart.",
            "Glue it. Bend it. Paint it. Sell it.",
        ),
        (
            "A way is \\emph{gluing} $f_0$.",
            "The idea is the following. Bend it. Paint it. Sell it.",
        ),
    ],
)
def test_what_a_sentence_announces_is_all_the_rest_of_its_paragraph(lead: str, rest: str) -> None:
    text = f"{lead} {rest}\n\nIt is another one."
    sentences = prose_sentences(text, 0, len(text))
    first, last = passages(text, sentences)[0]
    assert text[first:last] == f"{lead} {rest}"


def test_what_follows_in_a_formula_or_is_cited_announces_nothing() -> None:
    text = "The following map $f_0$ is odd. Take it apart. Glue it."
    sentences = prose_sentences(text, 0, len(text))
    first, last = passages(text, sentences)[0]
    assert text[first:last] == "The following map $f_0$ is odd."


BODY = r"""\section{One}
Let $\Xi_S$ be the matrix of $S$. That is, it has a single one in each row. Rows are long.

\begin{theorem}\label{t} The rank of $\Xi_S$ is that of $S$. \end{theorem}
\begin{proof} Count. \end{proof}
"""


def test_a_context_has_the_sentence_and_what_goes_on_with_it_once(paper: Paper) -> None:
    moment = paper(BODY)
    given = render(moment.document, "t", moment.paper.texts)
    assert given.count("a single one in each row") == 1
    assert given.count("the matrix of") == 1
    assert "Rows are long" not in given


@pytest.mark.parametrize(
    "heading", [r"\textbf{Lazy walks.}", r"\emph{Lazy walks}.", r"\noindent \textsc{Lazy walks}:"]
)
def test_a_heading_in_the_line_goes_with_what_it_is_about(paper: Paper, heading: str) -> None:
    moment = paper(
        f"{heading} Each of them stops at home. Rows are long.\n\n"
        r"\begin{theorem}\label{t} All lazy walks stop. \end{theorem}\begin{proof} Yes. \end{proof}"
    )
    given = render(moment.document, "t", moment.paper.texts)
    assert "stops at home" in given
    assert "Rows are long" not in given


def test_the_words_before_an_item_are_told_with_it(paper: Paper) -> None:
    moment = paper(
        r"\begin{description} \item[Lazy walk] one that stops at home"
        r" \item[Idle walk] one that leaves home \end{description}"
        "\n\n"
        r"\begin{theorem}\label{t} All lazy walks stop. \end{theorem}\begin{proof} Yes. \end{proof}"
    )
    given = render(moment.document, "t", moment.paper.texts)
    assert r"\textbf{Lazy walk}: one that stops at home" in given
    assert "leaves home" not in given


TWO = r"""\section{One}
The idea of pushouts is to glue two types $A$ and $B$ together using a type $S$ and maps $f:S\to A$
and $g:S\to B$. In other words, we start with a diagram of the form \[ X. \]
We call such a triple $\mathcal{S}=(S,f,g)$ a span from $A$ to $B$.

\begin{theorem}\label{t} The maps $f$ and $g$ of a span $\mathcal{S}$ are closed. \end{theorem}
\begin{proof} Count. \end{proof}
"""


def test_sentences_that_all_bring_something_in_are_one_introduction(paper: Paper) -> None:
    moment = paper(TWO)
    kinds = [module.kind for module in moment.document.modules.values()]
    assert kinds == ["notation", "theorem"]
    given = render(moment.document, "t", moment.paper.texts)
    assert given.count("The idea of pushouts") == 1
    assert given.count("such a triple") == 1


def test_an_edit_of_what_goes_on_is_seen_and_one_of_what_does_not_is_not(paper: Paper) -> None:
    def context(body: str) -> str:
        moment = paper(body)
        return render(moment.document, "t", moment.paper.texts)

    before = context(BODY)
    assert context(BODY.replace("a single one", "two ones")) != before
    assert context(BODY.replace("Rows are long", "Columns are long")) == before


GOES_ON = (
    r"Let $\Xi_S$ be the matrix of $S$. The matrix $\Xi_S$ has a single one in each row.",
    r"Let $\Xi_S$ be the matrix of $S$. We require that these have a single one in each row.",
    r"Let $\Xi_S$ be the matrix of $S$. This is " + "very " * 88 + "large.",
)


@pytest.mark.parametrize("text", GOES_ON)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (" ", "~"),
        (" ", "\n"),
        (" ", "\n        "),
        (r"matrix $\Xi_S$ has", r"matrix $\Xi_{S}$ has"),
        (r"matrix $\Xi_S$ has", r"matrix $ \Xi _S $ has"),
        (r"matrix $\Xi_S$ has", r"matrix \(\Xi_S\) has"),
        (r"Let $\Xi_S$ be", r"Let \(\Xi_{S}\) be"),
    ],
)
def test_no_way_of_setting_a_text_decides_what_goes_on(text: str, old: str, new: str) -> None:
    assert whole(text)
    head, stop, tail = text.replace(old, new).partition(".")
    assert whole(f"{head}{stop} {tail.lstrip(' ~' + chr(10))}")


def test_long_items_of_several_sentences_are_no_part_of_the_sentence_before() -> None:
    more = " It is used below, and nowhere else in this text." * 10
    told = rf"\item Let $U$ be a set.{more} \item Let $V$ be a map.{more}"
    text = rf"We fix these notions: \begin{{itemize}} {told} \end{{itemize}}"
    found = [text[slice(*span)] for span in prose_sentences(text, 0, len(text))]
    assert found[0] == "We fix these notions:"
    assert {"Let $U$ be a set.", "Let $V$ be a map."} < set(found)


def test_short_items_are_a_part_of_the_sentence_before() -> None:
    told = r"\item Let $U$ be a set. It is small. \item Let $V$ be a map. It is small."
    text = rf"We fix these notions: \begin{{itemize}} {told} \end{{itemize}}"
    assert [text[slice(*span)] for span in prose_sentences(text, 0, len(text))] == [text]
