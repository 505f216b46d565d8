"""What "the previous lemma" and "Lemma 1.2" mean in a paper."""

from collections.abc import Callable

import pytest

from pfcore.domain.values import Via
from pfcore.graph.laws import certain_cycles
from pfcore.graph.paper_state import Numbering, PaperState

Paper = Callable[..., PaperState]
Affected = Callable[..., dict[str, tuple[str, ...]]]


def lemma(name: str, proof: str = "Clear.", *, kind: str = "lemma") -> str:
    return (
        f"\\begin{{{kind}}}\\label{{{name}}} {name.upper()}. \\end{{{kind}}}\n"
        f"\\begin{{proof}} {proof} \\end{{proof}}\n"
    )


def edges(moment: PaperState, name: str) -> dict[str, Via]:
    return {edge.target: edge.via for edge in moment.document.edges_of(name)}


POINTED = {
    "the lemma before": (lemma("a") + lemma("b", "By the previous lemma."), {"a": Via.PHRASE}),
    "past what is of another kind": (
        lemma("a") + lemma("t", kind="theorem") + lemma("b", "By the previous lemma."),
        {"a": Via.PHRASE},
    ),
    "two before": (
        lemma("z") + lemma("a") + lemma("c") + lemma("b", "By the two lemmas above."),
        {"a": Via.PHRASE, "c": Via.PHRASE},
    ),
    "the two previous ones": (
        lemma("z") + lemma("a") + lemma("c") + lemma("b", "By the two previous lemmas."),
        {"a": Via.PHRASE, "c": Via.PHRASE},
    ),
    "the one just proved": (
        lemma("a") + lemma("b", "By the lemma just proved."), {"a": Via.PHRASE},
    ),
    "any result": (
        lemma("a") + lemma("t", kind="theorem") + lemma("b", "By the previous result."),
        {"t": Via.PHRASE},
    ),
    "the one behind": (
        lemma("b", "See the following theorem for it.") + lemma("t", kind="theorem"),
        {"t": Via.PHRASE},
    ),
    "none of that kind": (lemma("a") + lemma("b", "By the previous theorem."), {}),
    "by its number": (
        "\\section{S}" + lemma("a") + lemma("c") + lemma("b", "By Lemma 1.2."),
        {"c": Via.NUMBER},
    ),
    "by their numbers": (
        "\\section{S}" + lemma("a") + lemma("c") + lemma("b", "By Lemmas 1.1 and 1.2."),
        {"a": Via.NUMBER, "c": Via.NUMBER},
    ),
    "by the name that its environment prints": (
        "\\newtheorem*{thma}{Theorem A}\\newtheorem*{thmb}{Theorem~B}\n"
        + lemma("x", kind="thma") + lemma("y", kind="thmb")
        + lemma("b", "By Theorem A and Theorem B."),
        {"x": Via.NUMBER, "y": Via.NUMBER},
    ),
    "by the word that its environment was given": (
        "\\newcommand{\\word}{}\\newtheorem{generic}{\\word}\\newenvironment{named}[1]"
        "{\\renewcommand{\\word}{#1}\\begin{generic}}{\\end{generic}}\n"
        + lemma("x", kind="named").replace("{named}\\label", "{named}{Main Lemma}\\label")
        + lemma("b", "By Main Lemma."),
        {"x": Via.NAME},
    ),
    "by the letter of its title": (
        lemma("x").replace("}\\label", "}[Lemma A]\\label") + lemma("b", "By Lemma A."),
        {"x": Via.NUMBER},
    ),
    "by several letters": (
        "\\newtheorem{thmx}{Theorem}\\renewcommand{\\thethmx}{\\Alph{thmx}}\n"
        + lemma("x", kind="thmx") + lemma("y", kind="thmx") + lemma("z", kind="thmx")
        + lemma("b", "By Theorems A and C."),
        {"x": Via.NUMBER, "z": Via.NUMBER},
    ),
    "a name that two print": (
        "\\newtheorem*{thma}{Theorem A}\n" + lemma("x", kind="thma") + lemma("y", kind="thma")
        + lemma("b", "By Theorem A."),
        {},
    ),
    "a list with a number that nothing has": (
        "\\section{S}" + lemma("a") + lemma("b", "By Lemmas 1.1 and 7.7."), {"a": Via.NUMBER},
    ),
    "a list that begins with a number that nothing has": (
        "\\section{S}" + lemma("a") + lemma("b", "By Lemmas 7.7, 7.8 and 1.1."),
        {"a": Via.NUMBER},
    ),
    "a number of another kind": ("\\section{S}" + lemma("a") + lemma("b", "By Theorem 1.1."), {}),
    "a number that nothing has": ("\\section{S}" + lemma("a") + lemma("b", "By Lemma 7.7."), {}),
    "a lemma inside another proof is out of sight": (
        lemma("a") + lemma("t", "First. " + lemma("c") + "Done.", kind="theorem")
        + lemma("b", "By the previous lemma."),
        {"a": Via.PHRASE},
    ),
    "the previous lemmas are those in a row": (
        lemma("z") + lemma("t", kind="theorem") + lemma("a") + lemma("c")
        + lemma("b", "By the previous lemmas.", kind="theorem"),
        {"a": Via.PHRASE, "c": Via.PHRASE},
    ),
    "a heading ends a row": (
        lemma("z") + "\\section{S}" + lemma("a") + lemma("c")
        + lemma("b", "Nach den obigen Lemmata.", kind="theorem"),
        {"a": Via.PHRASE, "c": Via.PHRASE},
    ),
    "what a corollary is one of": (
        lemma("z") + lemma("a", kind="theorem") + lemma("b", kind="corollary"),
        {"a": Via.COROLLARY},
    ),
    "what a second corollary is one of": (
        lemma("a", kind="theorem") + lemma("y", kind="corollary") + lemma("c", kind="corollary")
        + lemma("b", kind="corollary"),
        {"a": Via.COROLLARY, "c": Via.COROLLARY},
    ),
    "a corollary that says what it follows from": (
        lemma("z") + lemma("a", kind="theorem") + lemma("b", "By \\cref{z}.", kind="corollary"),
        {"z": Via.REFERENCE},
    ),
    "a corollary of another work": (
        lemma("a", kind="theorem") + lemma("b", "By \\cite[Theorem 2]{x}.", kind="corollary"), {},
    ),
    "a corollary whose reference is lost": (
        lemma("a", kind="theorem") + lemma("b", "By \\cref{nowhere}.", kind="corollary"), {},
    ),
    "a corollary that opens a section": (
        lemma("a", kind="theorem") + "\\section{S}" + lemma("b", kind="corollary"), {},
    ),
    "the lemma, and no more": (
        lemma("z") + lemma("a") + lemma("b", "The lemma shows it.", kind="theorem"),
        {"a": Via.PHRASE},
    ),
    "the lemma in German": (
        lemma("a") + lemma("b", "Mit dem Lemma folgt es.", kind="theorem"), {"a": Via.PHRASE},
    ),
    "the lemma in French": (
        lemma("a") + lemma("b", "D'après le lemme, c'est clair.", kind="theorem"),
        {"a": Via.PHRASE},
    ),
    "the lemma behind one of another kind that is cited": (
        lemma("t", kind="theorem") + lemma("a")
        + lemma("b", "By \\cref{t} and the lemma.", kind="proposition"),
        {"t": Via.REFERENCE, "a": Via.PHRASE},
    ),
    "the lemma that was cited before": (
        lemma("z") + lemma("a") + lemma("b", "By \\cref{z}. The lemma shows it.", kind="theorem"),
        {"z": Via.REFERENCE},
    ),
    "the lemma that is being proved": (lemma("a") + lemma("b", "This proves the lemma."), {}),
    "the theorem whose step it is": (
        "\\begin{theorem}\\label{t} T. \\end{theorem}\n" + lemma("b", "So much for the theorem.")
        + "\\begin{proof}[Proof of \\cref{t}] Clear. \\end{proof}\n",
        {},
    ),
    "the lemma of another section": (
        "\\section{S}" + lemma("a") + "\\section{T}" + lemma("b", "By the lemma.", kind="theorem"),
        {},
    ),
    "the lemma of somebody": (
        lemma("a") + lemma("b", "By the lemma of Zorn.", kind="theorem"), {},
    ),
    "two that no word places": (
        lemma("a") + lemma("c") + lemma("b", "By both lemmas.", kind="theorem"),
        {"a": Via.PHRASE, "c": Via.PHRASE},
    ),
    "two of three that no word places": (
        lemma("z") + lemma("a") + lemma("c") + lemma("b", "By both lemmas.", kind="theorem"), {},
    ),
    "two that were cited before": (
        lemma("z") + lemma("y") + lemma("t", kind="theorem") + lemma("a") + lemma("c")
        + lemma("b", "By \\cref{z} and \\cref{y}. Combine the two lemmas.", kind="theorem"),
        {"z": Via.REFERENCE, "y": Via.REFERENCE},
    ),
    "two in French": (
        lemma("z") + lemma("a") + lemma("c")
        + lemma("b", "D'après les deux lemmes précédents.", kind="theorem"),
        {"a": Via.PHRASE, "c": Via.PHRASE},
    ),
    "numbers in German": (
        "\\section{S}" + lemma("a") + lemma("c") + lemma("b", "Nach den Lemmata 1.1 und 1.2."),
        {"a": Via.NUMBER, "c": Via.NUMBER},
    ),
    "the proof of the one before": (
        lemma("a") + lemma("b", "As in the proof of the previous lemma."), {"a": Via.PROOF},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", POINTED)
def test_words_lead_to_a_result(paper: Paper, name: str) -> None:
    body, expected = POINTED[name]
    assert edges(paper(body), "b") == expected


def test_the_number_in_the_name_of_an_environment_is_its_results_number(paper: Paper) -> None:
    found = paper(
        "\\newtheorem*{thma}{Theorem A}\\newtheorem*{main}{Main Theorem}\n"
        + lemma("x", kind="thma") + lemma("y", kind="main")
    )  # fmt: skip
    numbering = Numbering(found.paper)
    assert [numbering.of(found.document.modules[name]) for name in "xy"] == ["A", None]


def test_inside_a_proof_the_claim_before_is_meant(paper: Paper) -> None:
    claim = "\\begin{claim}\\label{c} C. \\end{claim} "
    body = lemma("a", f"First. {claim} By the previous claim we are done.")
    assert {edge.via for edge in paper(body).document.edges_of("a")} == {Via.PHRASE, Via.REFERENCE}


def test_a_circle_through_words_is_not_certain(paper: Paper) -> None:
    body = lemma("a", "By the following theorem.") + lemma("b", "By \\cref{a}.", kind="theorem")
    assert certain_cycles(paper(body).document) == []


SECTION = "\\section{S}\n"


def test_a_label_for_a_number_affects_nothing(affected: Affected) -> None:
    before = SECTION + lemma("a") + lemma("b", "By Lemma 1.1.")
    assert affected(before, before.replace("Lemma 1.1", "Lemma~\\ref{a}")) == {}
    assert affected(before, before.replace("Lemma 1.1", "Lemma~1.1")) == {}


def test_a_lemma_put_in_between_is_what_the_words_now_mean(affected: Affected) -> None:
    before = lemma("a") + lemma("b", "By the previous lemma.")
    after = lemma("a") + lemma("c") + lemma("b", "By the previous lemma.")
    assert set(affected(before, after)) == {"b", "c"}


def test_renumbering_affects_those_who_cite_by_number(affected: Affected) -> None:
    before = SECTION + lemma("a") + lemma("c") + lemma("b", "By Lemma 1.2.")
    after = SECTION + "\\setcounter{theorem}{1}\n" + before.removeprefix(SECTION)
    assert set(affected(before, after)) == {"b"}


def test_words_that_mean_nothing_stay_words(rendered: Callable[..., str]) -> None:
    body = lemma("b", "By the previous theorem and Lemma~9.9.")
    assert "By the previous theorem and Lemma 9.9." in rendered(body, "b")


def test_words_that_mean_nothing_are_compared_as_words(affected: Affected) -> None:
    before = lemma("b", "By the previous theorem.")
    assert set(affected(before, before.replace("previous", "preceding"))) == {"b"}


EQUATIONS = (
    "\\begin{theorem}\\label{u} U: "
    "\\begin{equation}\\label{e1} x=1. \\end{equation}\\end{theorem}\n"
    "\\begin{proof} \\begin{equation}\\label{e2} y=1. \\end{equation} \\end{proof}\n"
)


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        ("By equation (1).", {"u": Via.NUMBER}),
        ("By (1).", {"u": Via.NUMBER}),
        ("By (2).", {"e2": Via.NUMBER}),
        ("By (3).", {}),
        ("\\begin{equation}\\label{e3} z=1. \\end{equation} By (3).", {}),
    ],
)
def test_an_equation_is_cited_by_its_number(
    paper: Paper, proof: str, expected: dict[str, Via]
) -> None:
    assert edges(paper(EQUATIONS + lemma("b", proof)), "b") == expected


def test_a_number_that_nothing_has_stays_in_the_text_that_a_reader_gets(rendered):
    body = "\\section{S}" + lemma("a") + lemma("b", "By Lemmas 7.7, 1.1 and 1.9 it holds.")
    assert "By Lemma 7.7, Result 1, Lemma 1.9 it holds." in rendered(body, "b")
    aside = body.replace("By Lemmas", "Compare Lemmas")
    assert "Compare Lemma 7.7, another result, Lemma 1.9 it holds." in rendered(aside, "b")
