"""What a paper says of what a reader asks for; results never."""

from collections.abc import Callable

import pytest

from pfcore.domain.lazy_regex import word_tables
from pfcore.graph import supplied as module
from pfcore.graph.paper_state import PaperState
from pfcore.graph.supplied import bare_key, supplied
from tests.other_words import other_words

Paper = Callable[..., PaperState]

BODY = r"""
\section{One}
We write $\mathcal{D}_n$ for the dyadic grid.

\begin{definition}\label{d} A map is \emph{fully tame} if it has no loop.\end{definition}

\begin{lemma}[Snake lemma]\label{l} Let $X$ be a tree. Then $X$ is thin.\end{lemma}
\begin{proof} Clear.\end{proof}

\begin{theorem}\label{t} All is well.\end{theorem}
\begin{proof} Count them.\end{proof}

\section{Two}
Let $Q_j$ be the $j$-th layer, as in Lemma~\ref{l}.
"""


@pytest.mark.parametrize(
    ("key", "words"),
    [
        (r"$\mathcal{D}_n$", "notation. We write"),
        (r"\mathcal{D}_n", "We write"),
        (r"\(\mathcal D_n\)", "We write"),
        (r"$\mathcal{D}_{n+1}$", "We write"),
        ("fully tame", "has no loop"),
        ("“Fully tame”", "has no loop"),
        ("fully\ntame maps", ""),
        ("tame", ""),
        ("$Q_j$", "th layer"),
        ("Snake lemma", ""),
        ("Lemma 1", ""),
        ("Result 1", ""),
        ("[elsewhere]", ""),
        ("", ""),
        ("$", ""),
        (r"\frac{", ""),
        ("x" * 10_000, ""),
    ],
)
def test_only_what_stands_under_exactly_this_key_is_told(
    paper: Paper, key: str, words: str
) -> None:
    found = supplied(paper(BODY), "t", key)
    assert words in found if words else not found


def test_what_is_told_refers_to_nothing_that_the_reader_lacks(paper: Paper) -> None:
    assert "th layer, as in [elsewhere]" in supplied(paper(BODY), "t", "$Q_j$")


PROSE = r"""
\section{Games}
Some games are older than others.

Two players, Ann and Bob, move in turn, and the one who cannot move has lost. % a comment
A game ends after $N$ moves, as \ref{l} says.

\begin{lemma}\label{l} All games end.\end{lemma}
\begin{proof} A game is a game.\end{proof}

\section{Winning}
\begin{theorem}\label{t} In such a game Ann or Bob can win.\end{theorem}
\begin{proof} Clear.\end{proof}

After that nobody plays a game with Bob.
"""


@pytest.mark.parametrize("key", ["Ann", "such a game", "$N$", "game", "Bob"])
def test_a_paragraph_that_only_has_a_key_is_not_told(paper: Paper, key: str) -> None:
    assert supplied(paper(PROSE), "t", key) == ""


MODEL = r"""
\section{The model}
Let $n\ge 2$. We choose a graph $G$ on $n$ vertices at random: for each pair we toss a coin which
shows heads half of the time. The coins are independent.
We shall show that $G$ is dense, by Lemma 3.

We write $\mathbb N=\{1,2,\dots\}$, which have no zero, and $\langle\ ,\ \rangle$ denotes a form.
Consider maps on $\mathbb{Q}$, and a tree with leaves in $\mathbb{Z}$.

\section{Result}
\begin{theorem}\label{t} The graph $G$ is dense.\end{theorem}
\begin{proof} Clear.\end{proof}
"""


def test_a_sentence_is_told_with_its_paragraph_but_for_what_is_claimed(paper: Paper) -> None:
    found = supplied(paper(MODEL), "t", "$G$")
    assert found.startswith("notation. We choose a graph $G$")
    assert "The coins are independent." in found
    assert "Let $n\\ge2$." in found
    assert "dense" not in found


def test_a_sentence_that_refers_to_what_the_reader_has_is_told_with_its_paragraph(
    paper: Paper,
) -> None:
    body = BODY.replace("Count them.", r"By \ref{l}.").replace(
        r"as in Lemma~\ref{l}.", r"as in Lemma~\ref{l}. Layers are round."
    )
    found = supplied(paper(body), "t", "$Q_j$")
    assert "as in Result 1." in found
    assert "Layers are round." in found


@pytest.mark.parametrize("key", ["$G_1$", "$G(x)$", "$G'$"])
def test_a_letter_of_another_scope_is_no_answer_to_who_asks_for_more(
    paper: Paper, key: str
) -> None:
    assert supplied(paper(MODEL), "t", key) == ""


@pytest.mark.parametrize("key", [r"$\mathbb{N}$", r"\mathbb N", r"$\langle,\rangle$"])
def test_what_everybody_writes_and_brackets_are_found_as_they_are_written(
    paper: Paper, key: str
) -> None:
    assert "have no zero" in supplied(paper(MODEL), "t", key)


@pytest.mark.parametrize(
    ("key", "is_told"), [(r"$\stackrel{n}{\to}$", True), (r"$\stackrel{N}{\to}$", False)]
)
def test_a_sign_is_told_from_one_in_other_letters(paper: Paper, key: str, is_told: bool) -> None:
    body = BY_HAND % r"We denote by $\stackrel{n}{\to}$ an order."
    assert bool(supplied(paper(body), "t", key)) is is_told


@pytest.mark.parametrize("key", [r"$\mathbb{Z}$", r"$\mathbb{Q}$", r"$\mathbb$", r"$\math$"])
def test_a_part_of_what_is_written_is_not_it_nor_is_a_mention(paper: Paper, key: str) -> None:
    assert supplied(paper(MODEL), "t", key) == ""


def test_no_proof_and_no_result_is_among_them(paper: Paper) -> None:
    assert supplied(paper(PROSE), "t", "Clear") == ""
    assert "is a game" not in supplied(paper(PROSE), "t", "game")


BY_HAND = r"""
\section{One}
%s

\section{Two}
\begin{theorem}\label{t} All is well.\end{theorem}
\begin{proof} Count them.\end{proof}
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (r"\textbf{Theorem 3.} Every $Q_j$ is finite. No $Q_j$ is empty.", ""),
        (r"\noindent\textbf{Claim 1} (Ann). Every $Q_j$ is finite.", ""),
        ("Theorem A. Every $Q_j$ is finite. Moreover $Q_j$ is small.", ""),
        ("There are cakes. Fact. Every $Q_j$ is finite.", ""),
        (r"\textbf{Hilfssatz 2.} Jedes $Q_j$ ist finite.", ""),
        ("Lemme 3. Tout $Q_j$ est finite.", ""),
        ("It is well known that every $Q_j$ is finite.", ""),
        ("Cakes have layers. Hence every $Q_j$ is finite.", ""),
        (r"\textbf{Lemma 4.} Let $Q_j$ be a layer. Then $Q_j$ is finite.", "$Q_j$ be a layer"),
        ("Let $Q_j$ be a layer. Then $Q_j$ is finite. Layers are round.", "Layers are round"),
        ("Let $Q_j$ be a layer. It follows that $Q_j$ is finite.", "$Q_j$ be a layer"),
        ("Let $Q_j$ be a layer. Then we call $j$ its height.", "call $j$ its height"),
        ("Ann eats $Q_j$. Then Bob eats the next one.", ""),
        (r"\textbf{Step 1.} Let $Q_j$ be a layer. Bob takes the next one.", "Bob takes"),
        ("Every $Q_j$ is finite.", ""),
        ("Recall that every $Q_j$ is finite.", ""),
        ("The main point is that $Q_j$ is finite whenever $j>0$.", ""),
        ("We obtain that $Q_j$ is finite.", ""),
        ("We obtain that, if we let $j$ grow, $Q_j$ is finite.", ""),
        ("The following holds. Each $Q_j$ is finite.", ""),
        ("One checks that $Q_j$ is finite.", ""),
        ("It is easy to see that $Q_j$ is finite.", ""),
        ("Das $Q_j$ ist finite.", ""),
        ("On voit que $Q_j$ est finite.", ""),
        ("We see that $Q_j=1$, so that it is finite.", ""),
        ("Here $Q_j=R_j$ for finite $j$.", ""),
        ("Consider the layer $R_j$, which is in $Q_j$ and finite.", ""),
        ("Let $Q_j$ be a layer. Layers are round. Every layer is finite.", "Layers are round"),
        ("Let $Q_j$ be a layer. One checks that it is finite.", "$Q_j$ be a layer"),
        ("Let $Q_j$ be a layer. Each layer is called a finger of it.", "a finger of it"),
    ],
)
def test_no_result_that_is_set_by_hand_is_among_them(paper: Paper, text: str, told: str) -> None:
    found = supplied(paper(BY_HAND % text), "t", "$Q_j$")
    assert "finite" not in found
    assert told in found if told else not found


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Let $R$ be a ring. Then $Q_j$ is the radical of $R$, as is usual.", True),
        ("Sei $R$ ein Ring. Dann ist $Q_j$ das Radikal von $R$.", True),
        (r"\textbf{Lemma 3.} Let $R$ be a ring. Then $Q_j$ is the radical of $R$.", False),
        ("Let $R$ be a ring. Then $Q_j$ is the smallest radical of $R$.", False),
        ("Let $Q_j$ be a ring. Then $Q_j$ is the radical of $R$.", False),
        ("Let $Q_j$ be a ring. Let $R$ be one. Then $Q_j$ is the radical of $R$.", False),
        ("Let $Q_j$ be a ring.\n\nLet $R$ be one. Then $Q_j$ is the radical of $R$.", False),
        ("Suppose that $R$ has $Q_j$. Then $Q_j$ is the radical of $R$.", False),
        ("Let $R$ be a ring with $Q_j$. Then $P$ is the radical of $R$.", False),
    ],
)
def test_what_then_is_one_certain_thing_is_told_to_who_asks_for_that(
    paper: Paper, text: str, is_told: bool
) -> None:
    found = supplied(paper(BY_HAND % text), "t", "$Q_j$")
    assert ("adi" in found) is is_told


def test_the_nearest_scope_comes_first(paper: Paper) -> None:
    body = (
        "\\section{One}\nLet $Q_j$ be a cube.\n\\section{Two}\nLet $Q_j$ be a ball.\n"
        "\\begin{theorem}\\label{t} All is well.\\end{theorem}\n\\begin{proof} So.\\end{proof}\n"
    )
    first, *_ = supplied(paper(body), "t", "$Q_j$").split("\n\n")
    assert "ball" in first


def test_an_edit_elsewhere_changes_no_answer(paper: Paper) -> None:
    other = BODY.replace("Count them.", "Count them twice.").replace("{One}", "{First}")
    for key in (r"$\mathcal{D}_n$", "fully tame", "$Q_j$"):
        assert supplied(paper(other), "t", key) == supplied(paper(BODY), "t", key)


@pytest.mark.parametrize("key", ["tame", "tame map"])
@pytest.mark.parametrize(
    "text",
    [
        "Every tame map is bijective.",
        "A tame map is bijective.",
        "Recall that tame maps are bijective.",
        "By a deep result of Serre, every tame map is bijective.",
        "Let $f$ be a tame map. It is bijective.",
        "We write $T$ for tame maps.",
    ],
)
def test_what_running_text_claims_of_a_word_is_not_told(paper: Paper, text: str, key: str) -> None:
    assert supplied(paper(BY_HAND % text), "t", key) == ""


WORDS = r"""
A map is called \emph{tame} if it is low. A graph is called \emph{totally split} if it is new.
"""


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("split", ""),
        ("totally", ""),
        ("totally split", "if it is new"),
        ("totally split graph", ""),
        ("strongly tame", ""),
        ("tame", "if it is low"),
        (r"\emph{tame}", "if it is low"),
        (r"\emph{split}", ""),
    ],
)
def test_a_part_of_a_longer_term_is_no_key(paper: Paper, key: str, words: str) -> None:
    found = supplied(paper(BY_HAND % WORDS), "t", key)
    assert words in found if words else not found


ROLES = {
    role: {phrase: example for words in languages.values() for phrase, example in words.items()}
    for role, languages in word_tables(module.__file__).items()
}


def says(role: str, example: str, paper: Paper) -> bool:
    """What a word does in its example: it points, or keeps a sentence from being told, or tells."""
    if role == "pointing":
        return bare_key(example) != example
    if role in ("claiming", "concluding", "following", "universal"):
        return example not in list(module._kept(example))
    if role == "naming":
        return example in list(module._kept(example))
    return bool(supplied(paper(BY_HAND % example), "t", r"$\langle\,,\rangle$"))


@pytest.mark.parametrize("role", ROLES)
def test_a_word_does_what_its_example_says(role: str, paper: Paper) -> None:
    told = ROLES[role]
    found = {phrase: [says(role, example, paper)] for phrase, example in told.items()}
    for phrase, example in told.items():
        with other_words(module.__file__, {role: told.keys() - {phrase}}, module):
            found[phrase].append(says(role, example, paper))
    assert {phrase: said for phrase, said in found.items() if said != [True, False]} == {}
