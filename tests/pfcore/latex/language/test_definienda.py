"""What a definition defines where it marks nothing."""

import pytest

from pfcore.latex.language import definienda
from pfcore.latex.language.definienda import defined_terms, introduced_terms, marked_terms
from pfcore.latex.language.phrases import introducing


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("A normal chain in $G$ is a sequence of subgroups $G_i$.", ["normal chain"]),
        ("A type $X$ is enumerated if there is a map onto it.", ["enumerated"]),
        ("A proposition $P$ is open (resp. closed) if $P=1$.", ["open", "closed"]),
        ("A type $A$ is $T$-connected if: \\[x=1\\]", ["connected"]),
        ("We say that a type $X$ has $T$-local choice if all is well.", ["local choice"]),
        ("A point $x$ is surrounded by $p_0$, \\dots, $p_d$ if all is well.", ["surrounded"]),
        ("An Artin stack is a type $X$ with a smooth atlas.", ["artin stack"]),
        ("Algebraic spaces are Deligne stacks that are sets.", ["algebraic space"]),
        ("The monic sheafification is the lex modality for all $P$.", ["monic sheafification"]),
        ("Let $(X,x)$ be pointed. The tangent space of $X$ at $x$ is the type $T$.", [
            "tangent space"
        ]),
        ("For $V$ a module, the associated extension of $R$ is the module $R+V$.", [
            "associated extension"
        ]),
        ("Es sei $G$ eine Gruppe. Eine Normalreihe in $G$ ist eine Folge.", ["normalreihe"]),
        ("$H$ ist eine Verfeinerung von $G$, wenn es so ist.", ["verfeinerung"]),
        ("On dira qu'une partie $A$ de $C$ est connexe s'il en est ainsi.", ["connexe"]),
        ("The direct sum $s\\oplus t$ has the pattern $u$.", ["direct sum"]),
        ("The score of the row of $A$ is \\[x=1\\]", ["score"]),
        ("For some $e>0$, $p$ is a loose projection of $x$ if $y=1$.", ["loose projection"]),
        ("A sequence $f_n$ converges pointwise to $g$ if all is well.", ["converge pointwise"]),
        ("A (closed) ball with radius $r$ is a set.", ["closed", "ball"]),
        ("(\\cite{x}) An occurrence of a pattern $p$ is a map.", ["occurrence"]),
        ("Dann heißt \\[x=1\\] die Windungszahl von $f$.", ["windungszahl"]),
        ("Für $X$ wird die Charakteristik $c$ als \\[x=1\\] definiert.", ["charakteristik"]),
        ("Als Orbit eines Punktes $x$ bezeichnen wir $y$.", ["orbit"]),
        ("For fixed $u$, we denote \\[x=1\\] to be the quadratic twist of $E$.", [
            "quadratic twist"
        ]),
        ("Une suite exacte est une suite de modules telle que tout va.", ["suite exacte"]),
    ],
)  # fmt: skip
def test_a_sentence_defines_its_subject_or_its_predicate(text: str, terms: list[str]) -> None:
    found = defined_terms(text)
    assert [term for term in terms if term not in found] == []
    assert all(any(one.startswith(term[:-1]) for term in terms) for one in found)


@pytest.mark.parametrize(
    "text",
    [
        "It is a set of trees.",
        "There is a map $f$ if all is well.",
        "Every map is a union of trees.",
        "Let $G$ be a group which is a union of trees.",
        "If $X$ is small, then $Y$ holds.",
        "",
        "$x$",
    ],
)
def test_other_sentences_define_nothing(text: str) -> None:
    assert defined_terms(text) == ()


@pytest.mark.parametrize(
    ("text", "term"),
    [
        (r"We call it \textcolor{red}{coherent} here.", "coherent"),
        (r"nennen wir $Y$ \markdef{invariant} unter $f$", "invariant"),
        (r"is \tikz\node[rectangle, fill=black!20]{tame tree\/};", "tame tree"),
        (r"heißt {\index{Form}\color{Orange} Modulform} vom Gewicht", "modulform"),
        (r"A tame\index{tree!tame hedge|textbf} thing", "tame hedge"),
        (r"A \emph{wide set} (or wide variety) is", "wide variety"),
        (r"An \intro[ws]{wide system} is a tuple.", "wide system"),
    ],
)
def test_a_colour_a_box_or_a_command_named_for_it_marks_a_term(text: str, term: str) -> None:
    assert term in marked_terms(text)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        (r"The class of \emph{tame rings} is closed under sums.", ("tame ring",)),
        (r"The set of \emph{wild points} consists of all of them.", ("wild point",)),
        (r"Here the space of \emph{wild maps} is $X$.", ("wild map",)),
        (r"The order of \emph{chains} is preserved there.", ()),
    ],
)
def test_what_a_class_is_said_to_be_of_is_a_term(text: str, terms: tuple[str, ...]) -> None:
    assert introduced_terms(text) == terms


def test_what_stands_in_a_formula_marks_no_term() -> None:
    assert marked_terms(r"Here $\mydef{abc}$ and \textbf{this} are.") == ()


@pytest.mark.parametrize("role", ["called", "mean"])
def test_no_phrase_is_passed_over_for_its_letters(role):
    letters = definienda._letters(role)
    for phrase in introducing()[role]:
        assert any(one in phrase.title() for one in letters), phrase


@pytest.mark.parametrize(
    "sentence",
    [
        r"This leads to \emph{tame wild differentials} (which we'll abbreviate to TWDs).",
        "Tame wild differentials are abbreviated as TWDs, as usual.",
        "Wir haben zahme wilde Differentiale als TWD (abgekürzt mit TWD).",
    ],
)
def test_an_abbreviation_in_words_is_a_term(sentence: str) -> None:
    assert "twd" in introduced_terms(sentence)
