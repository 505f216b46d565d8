"""What a definition defines where it marks nothing."""

import pytest

from pfcore.latex.language import definienda
from pfcore.latex.language.definienda import (
    defined_terms,
    introduced_terms,
    marked_terms,
    terms_told,
)
from pfcore.latex.language.formula_keys import EQUATES, NAMES, STATES
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


@pytest.mark.parametrize(
    ("sentence", "term"),
    [
        # a symbol stands behind the term
        ("The width $w(T)$ of a tree $T$ is defined as \\[x=1\\]", "width"),
        ("We define a tame hedge $H$ as a union of trees.", "tame hedge"),
        ("Wir definieren eine zahme Hecke $H$ als Menge von Bäumen.", "zahme hecke"),
        ("Nous définissons une haie $H$ comme une union d'arbres.", "haie"),
        (r"The \emph{girth} $g(T)$ of a tree $T$ is $1+x$.", "girth"),
        (r"The \emph{gap} $g(x,y)$ in a tree $T$ of leaves $x$ and $y$ is the sum $x+y$.", "gap"),
        # what stands between the term and its condition, or between its noun and what that is
        (r"A set $S$ of trees is \emph{dense} in a hedge $X$ if no gap is left.", "dense"),
        (r"A tree $x$ is \emph{$k$-shaded} by a tree $y$, if $y$ is taller.", "-shaded"),
        ("A layout for the fixed hedge $H$ is a pair of trees $(x,w)$ satisfying (1).", "layout"),
        (r"A hedge $H$ is an $E$-\textbf{hedge} if it is called so.", "-hedge"),
        (r"There is a ``row of trees'' $x$, henceforth simply the \emph{row}, cut at will.", "row"),
        # a verb, in its forms
        (r"A tree $x$ \emph{shades} a tree $y$ if $y$ is smaller.", "shade"),
        (r"A tree $x$ \emph{shades} a tree $y$ if $y$ is smaller.", "shaded"),
        (r"A tree $x$ \emph{shades} a tree $y$ if $y$ is smaller.", "shading"),
        (r"A gardener $v$ \emph{drying} a hedge means that all of it falls.", "dried"),
        (r"When nothing grows we say that the map returns no tree, or that it \emph{wrecks} "
         r"the hedge.", "wrecking"),
        # what holds for a time; what is, in other words
        (r"A hedge is \emph{alive} until it is cut.", "alive"),
        ("Let $f$ be a pruning of hedges, that is, a map which keeps trees.", "pruning"),
        ("Es sei $f$ ein Schnitt von Hecken, das heißt, eine Abbildung.", "schnitt"),
        (r"We suppose that $m_t$ is a \emph{plan} taking trees to hedges, i.e., a map.", "plan"),
        (r"Some trees will be designated as \emph{lead trees} then.", "lead tree"),
        # the second of two
        ("We say that $f$ is tame if $f=1$ for all $n$, and fully wild if $f=2$.", "fully wild"),
        ("Wir sagen, $f$ sei zahm, wenn $f=1$, und wild, wenn $f=2$.", "wild"),
        # marked together with a word that may be left out, a colour, or a formula of a macro
        (r"A \emph{(mown) hedge row} is a row of hedges.", "hedge row"),
        (r"A tree is \emph{\textcolor{Blue}{tame}} if it is small.", "tame"),
        (r"The set of \emph{hedge rows over { \ensuremath{\mathsf{N_{R}}} } \xspace} is the "
         r"smallest such set.", "hedge row"),
        # joined to a formula or a number
        (r"A tree is \emph{$2$-tame} if it is small.", "2-tame"),
        (r"Its objects are called \emph{2-hedges} from $x$ to $y$.", "2-hedge"),
        (r"We say that $x$ is \emph{$\lambda$-tame} if it is small.", "-tame"),
        # what capitals stand for
        ("Then the AnyTree share (ATS) is small.", "anytree share"),
        ("We look at tame hedges (TH), fair TH1 (FTH1), and fair THX (FTHX).", "fthx"),
        ("We look at tame hedges (TH), fair TH1 (FTH1), and fair THX (FTHX).", "fth1"),
    ],
)  # fmt: skip
def test_a_sentence_gives_a_meaning_to_a_term(sentence: str, term: str) -> None:
    assert term in introduced_terms(sentence)


def test_a_number_is_part_of_a_term() -> None:
    assert introduced_terms(r"These are called \emph{1-hedges} from $x$ to $y$.") == ("1-hedge",)


@pytest.mark.parametrize(
    ("sentence", "terms"),
    [
        (r"We call $x$ a \emph{tame} tree if so.", {"tame": STATES}),
        (r"This holds as $x$ is a \emph{hedge}, cf. there.", {"hedge": NAMES}),
        ("This is the free hedge problem (FHP).", {"fhp": NAMES, "free hedge problem": NAMES}),
        (r"Trees of this relaxed sort we call \emph{$\delta$-tame}.", {
            "tame": EQUATES, "-tame": STATES
        }),
    ],
)  # fmt: skip
def test_what_is_only_said_to_be_something_is_told_less(
    sentence: str, terms: dict[str, int]
) -> None:
    assert terms_told(sentence) == terms


def test_the_second_predicate_of_a_definition_is_a_term() -> None:
    found = defined_terms("Then $f$ is tame if $f_n=1$ for all $n$, and fully wild if $f_n=2$.")
    assert found == ("tame", "fully wild")
