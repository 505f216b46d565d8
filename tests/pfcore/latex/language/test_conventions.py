import pytest

from pfcore.latex.language.conventions import all_conventions, conventions


@pytest.mark.parametrize(
    ("sentence", "unit", "onward"),
    [
        ("Throughout this paper, all rings are commutative.", "document", False),
        ("Throughout, $k$ denotes a field.", "", False),
        ("Throughout this section, let $R$ be a ring.", "section", False),
        ("In this chapter we assume that $G$ is finite.", "chapter", False),
        ("For the rest of this section, we fix a prime $p$.", "section", True),
        ("From now on, $X$ is a scheme.", "", True),
        ("In what follows, let $n$ be an integer.", "", True),
        ("Henceforth we write $K$ for the field.", "", True),
        ("Unless otherwise stated, all maps are continuous.", "", False),
        ("All maps are continuous unless otherwise stated.", "", False),
        ("We always assume that $M$ is compact.", "", False),
        ("We fix a prime number $p$.", "", True),
        ("As usual, $K$ denotes a field.", "", False),
        ("As usual we write $G'$ for the derived group.", "", False),
        ("Henceforth $x > 0$.", "", True),
        ("All rings are assumed to be commutative.", "", False),
        ("Every graph is understood to be finite.", "", False),
        ("By a ring we shall mean a commutative ring with unit.", "", False),
        ("We adopt the following conventions: rings are unital.", "", False),
        ("Let $G$ be a fixed finite group.", "", True),
        ("Let $p$ and $q$ be fixed primes.", "", True),
        ("Let $G$ be a finite group, fixed throughout.", "", True),
        ("Fix a prime $p$.", "", True),
        ("Fix $n \\ge 0$.", "", True),
        ("Let $G$ be a finite group.", "", True),
        ("From now on we just consider oriented systems.", "", True),
        ("For the rest of this section, we equate a tree $t$ with a forest.", "section", True),
        ("In what follows we suppress the dependence on $n$.", "", True),
        ("Throughout this paper, we use the standard terminology of trees.", "document", False),
        ("Let $F$ be a Banach space, and let $E$ be a Hilbert space.", "", True),
    ],
)
def test_a_sentence_that_fixes_something_binds(sentence: str, unit: str, onward: bool) -> None:
    (found,) = conventions(f"Prose before.\n\n{sentence}\n\nProse after.")
    assert (found.unit, found.onward) == (unit, onward)
    assert f"Prose before.\n\n{sentence}"[found.start : found.end] == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "In this paper we prove the main theorem.",
        "In this section, we study rings.",
        "Throughout the book we have seen examples.",
        "In this chapter we introduce schemes.",
        "We fix the problem.",
        "The aim of this section is to show this.",
        "This is used throughout.",
        "In the sequel we will see more.",
        "As usual, this is easy.",
        "As usual, the proof uses $K$.",
        "All rings are commutative here, as was shown.",
        "Every map $f$ is known to be tame.",
        "By a theorem of Gauss we mean that this holds.",
        "By induction we mean well.",
        "Fix the problem.",
        "Fixed $p$ are bad.",
        "Let $G$ be as in \\ref{a}.",
        "Let $G$ be a group. Then all is well.",
        "Let us see.",
        "Let $G$ be the group\n\\[ 1. \\]",
        "",
    ],
)
def test_a_sentence_that_tells_what_is_to_come_does_not_bind(sentence: str) -> None:
    assert conventions(f"Prose before.\n\n{sentence}\n\nProse after.") == []


def test_a_binding_passage_goes_on_with_the_sentences_that_bind() -> None:
    text = "Throughout this section, let $R$ be a ring. We write $K$ for its field. Then prose."
    (found,) = conventions(text)
    assert text[found.start : found.end] == text[: text.index(" Then")]


def test_a_full_stop_inside_of_mathematics_ends_no_sentence() -> None:
    text = "Throughout, let $a.\\ b$ be fixed. Prose."
    (found,) = conventions(text)
    assert text[found.start : found.end] == "Throughout, let $a.\\ b$ be fixed."


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (
            "In this paper all rings are small, i.\\,e. finite. Prose.",
            "In this paper all rings are small, i.\\,e. finite.",
        ),
        (
            "We count trees\\footnote{Some do not. In this paper all trees are finite.} at home.",
            "In this paper all trees are finite.",
        ),
    ],
)
def test_a_convention_ends_with_its_sentence_or_with_its_footnote(text: str, held: str) -> None:
    (found,) = conventions(text)
    assert text[found.start : found.end] == held


def test_a_convention_begins_behind_a_display_that_ended_a_sentence() -> None:
    text = "We have \\[ x = 2. \\]\n In this paper, we only consider finite sets, not all."
    (found,) = conventions(text)
    assert text[found.start : found.end].startswith("In this paper")


@pytest.mark.parametrize("sentence", ["Fix a prime $p$.", "Let $G$ be a fixed group."])
def test_an_object_is_fixed_where_a_paragraph_begins(sentence: str) -> None:
    assert conventions(f"We argue by hand. {sentence} Then all is well.") == []
    (found,) = conventions(f"Prose.\n\n{sentence} We write $K$ for it. Then all is well.")
    assert found.end == len(f"Prose.\n\n{sentence} We write $K$ for it.")


@pytest.mark.parametrize(
    "lead",
    [
        "Throughout the paper we assume: ",
        "Throughout this paper we assume the following. ",
        "Throughout this section, we assume that\n",
        "Im Folgenden nehmen wir an: ",
        "Im Folgenden setzen wir Folgendes voraus.\n",
        "Dans toute la suite, on suppose : ",
        "Dans toute la suite, on suppose les conditions suivantes. ",
    ],
)
def test_a_convention_holds_the_whole_list_that_it_leads_to(lead: str) -> None:
    inner = "\\begin{enumerate}\\item It is odd. \\item It is even.\\end{enumerate}"
    items = f"\\item[(H1)] The kernel is even.\n\n\\item[(H2)] The form is: {inner} Good."
    listed = f"\\begin{{itemize}} {items} \\end{{itemize}}"
    text = f"{lead}{listed} Another sentence."
    found = [text[one.start : one.end] for one in all_conventions(text)]
    assert found == [f"{lead}{listed}"]


def test_a_list_that_is_never_closed_is_left_where_its_sentence_ends() -> None:
    text = r"Throughout the paper we assume: \begin{itemize} \item The kernel is even. \item No."
    (found,) = all_conventions(text)
    assert text[found.start : found.end].endswith("even.")


def test_many_formulas_behind_let_come_to_an_end() -> None:
    for joint in ("", ", ", " and "):
        conventions("Let " + joint.join([r"\(a\)"] * 60) + " be a group.\n\n")
    assert conventions(r"Let \(p.q\) and \(r\) be fixed. So it is, and goes on." + " x" * 200)


@pytest.mark.parametrize(
    "prose",
    [
        "In this paper, we take a first step towards forests.",
        "In this thesis we take a popular class of programs and look into what changes there.",
        "In this chapter, we shall take the last program, from a book, and add a new test.",
        "In this paper, we take one step further and understand forests.",
        "In this work, we take into account what is known of forests.",
        "In this thesis we take these findings and generalise them to wet forests.",
        "In this thesis, we work with several kinds of trees, count them and show more.",
        "Let us now fix some notation and some constructions which occur throughout this text.",
        "In this chapter, we take a closer look at forests.",
        "In this manuscript, we employ a method in which a tree is treated as a limit of trees.",
        "Let us first look at an example that will be used throughout this chapter.",
        "During this section we look at forests.",
        "We speak of trees without fear.",
        "Wir sprechen von Bäumen, ohne etwas zu sagen.",
        "On parle d'arbres sans racine.",
        "In this section we use the definition to count trees.",
        "Throughout, we suppress the urge to count leaves.",
        "We prove this for the rest of this section and show more.",
        r"As usual, $P \subseteq N$.",
    ],
)
def test_what_a_text_is_about_to_do_binds_nothing(prose: str) -> None:
    assert not all_conventions(prose)


@pytest.mark.parametrize(
    "prose",
    [
        "In this paper, we take $k$ to be an infinite field.",
        "In this chapter, we take all rings to be commutative.",
        "In this paper we take all rings to be commutative, and study modules over them.",
        "Throughout, we take all groups to be finite, and ask that all actions be faithful.",
        "In this section we take all trees to have a root and look at their leaves.",
        "In this section we take every tree as rooted, and show more.",
        "In this section, we employ the usual conventions.",
        "In this thesis, we work with trees of several kinds.",
        "Let us now fix some tree $T$ throughout this text.",
        r"As usual, $P$ denotes the power set.",
        r"As usual, $[n] = \{1, 2\}$.",
        "Let us assume throughout that all trees are finite.",
        "Let us suppose henceforth that $G$ is finite.",
        "Let us assume for the rest of this section that all trees are finite.",
        "During this whole section we suppose that every tree has a root.",
        "Within this section, $T$ is a tree.",
        "Throughout, we suppress $T$ and $r$ from our notation.",
        "Below we speak of trees without always saying that they have a root.",
        "Wir sprechen von Bäumen, ohne stets zu sagen, dass sie eine Wurzel haben.",
        "On parlera d'arbres sans toujours préciser qu'ils ont une racine.",
        "We mention forests without explicitly specifying that all trees in them are finite.",
        "Note that in this section we use the weak form of the axiom of choice.",
        "In this section we drop the root in all notation.",
        "Throughout, we employ the summation convention.",
        "In this paper, we employ additive notation for groups.",
        "In this section, we take a path $P$ in $G$.",
        "In this section, we take a step function $f$.",
    ],
)
def test_what_is_taken_and_what_is_usual_binds(prose: str) -> None:
    assert all_conventions(prose)
