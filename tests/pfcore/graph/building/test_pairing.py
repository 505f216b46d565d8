"""Which proof proves what: each rule on a paper of its own."""

from collections.abc import Callable

import pytest

from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import render

Paper = Callable[..., PaperState]

A = "\\begin{lemma}\\label{a} A. \\end{lemma}\n"
B = "\\begin{lemma}\\label{b} B. \\end{lemma}\n"
T = "\\begin{theorem}[Main theorem]\\label{t} T. \\end{theorem}\n"
REMARK = "\\begin{remark}\\label{r} R. \\end{remark}\n"


def proof(title: str = "", words: str = "Clear.") -> str:
    return f"\\begin{{proof}}{title} {words} \\end{{proof}}\n"


MAIN_A = "\\newtheorem{thmA}{Theorem A}\\begin{thmA}\\label{m} M. \\end{thmA}\n"
RULES = {
    "a numbered result by the letter in its name": (
        MAIN_A + A + proof() + proof("[Proof of Theorem A]"),
        {"a": 1, "m": 1},
    ),
    "a numbered result by the letter in its name, right behind it": (
        MAIN_A + proof("[Proof of Theorem A]"),
        {"m": 1},
    ),
    "a macro of the paper that refers in the title": (
        "\\newcommand{\\lref}[1]{Lemma~\\ref{lem:#1}}\n"
        + A.replace("{a}", "{lem:a}") + B + proof("[Proof of \\lref{a}]"),
        {"lem:a": 1},
    ),
    "a proof right behind its statement": (A + proof(), {"a": 1}),
    "an equation may stand in between": (
        A + "\\begin{equation}\\label{eq} 1 = 1 \\end{equation}\n" + proof(),
        {"a": 1},
    ),
    "prose in between": (A + "Some words.\n\n" + proof(), {"a": 1}),
    "a remark may have a proof of its own": (A + proof() + REMARK + proof(), {"a": 1, "r": 1}),
    "past a remark to the last unproved result": (
        A + REMARK + "Now we can prove the lemma.\n" + proof(),
        {"a": 1},
    ),
    "a result inside a remark, and its proof": (
        "\\begin{remark}\\label{r} R. " + A + proof() + "\\end{remark}\n",
        {"a": 1},
    ),
    "a question set between a result and its proof": (
        A + "\\begin{conjecture}\\label{c} Is it sharp? \\end{conjecture}\n" + proof(),
        {"a": 1},
    ),
    "two results, then two proofs": (
        A + B + proof() + "More.\n" + proof(),
        {"b": 1, "a": 1},
    ),
    "by the label in its title": (A + B + proof("[Proof of \\cref{a}]"), {"a": 1}),
    "one proof of two results": (A + B + proof("[Proof of \\cref{a,b}]"), {"a": 1, "b": 1}),
    "by \\proves": (A + B + proof(words="\\proves{a} Clear."), {"a": 1}),
    "behind a statement that is said again": (
        "\\begin{restatable}{lemma}{gold}\\label{a} A. \\end{restatable}\n"
        + B + "\\gold*\n" + proof(),
        {"a": 1},
    ),
    "behind a statement that thmtools says again": (
        "\\begin{lemma}[name=Gold, restate=gold]\\label{a} A. \\end{lemma}\n"
        + B + "\\gold*\n\n" + proof(),
        {"a": 1},
    ),
    "by the heading of the environment": (
        "\\newtheorem*{mainthm}{Main Theorem}\n"
        + "\\begin{mainthm}\\label{t} T. \\end{mainthm}\n"
        + A + proof("[Proof of the Main Theorem]") + proof(),
        {"t": 1, "a": 1},
    ),
    "by the name in its title": (
        T + A + proof() + proof("[Proof of the main theorem]"),
        {"t": 1, "a": 1},
    ),
    "inside the statement": (
        "\\begin{lemma}\\label{a} A. \\begin{proof} Clear. \\end{proof} \\end{lemma}\n" + B,
        {"a": 1},
    ),
    "a claim inside a proof": (
        A + "\\begin{proof} First. " + B + proof() + " Last. \\end{proof}\n",
        {"a": 1, "b": 1},
    ),
    "two proofs": (A + proof() + proof("[Second proof]"), {"a": 2}),
    "a second proof, past a result that has none": (
        A + B + proof() + proof("[Alternative proof]"),
        {"b": 2},
    ),
    "another proof after some words": (
        A + proof() + "Words.\n" + proof("[Another proof]"),
        {"a": 2},
    ),
    "by the title of its section": (
        f"\\section{{Results}}\n{A}{B}\\section{{Proof of Lemma \\ref{{a}}}}\nWords.\n{proof()}",
        {"a": 1},
    ),
    "not across a section": (
        f"\\section{{Results}}\n{A}\\section{{Proofs}}\nWords.\n{proof()}",
        {},
    ),
    "no statement at all": (proof(), {}),
    "a name that leads nowhere falls back to the place": (
        A + proof("[Proof of \\cref{x}]"),
        {"a": 1},
    ),
    "by its number, past others": (
        T + "\\begin{theorem}\\label{s} S. \\end{theorem}\n" + A + proof()
        + proof("[Proof of Theorem 0.1]") + proof("[Proof of Theorem~0.2]"),
        {"a": 1, "t": 1, "s": 1},
    ),
    "by a letter": (
        "\\newtheorem{main}{Theorem}\\renewcommand{\\themain}{\\Alph{main}}\n"
        "\\begin{main}\\label{x} X. \\end{main}\n\\begin{main}\\label{y} Y. \\end{main}\n"
        + A + proof() + proof("[Proof of Theorem A]") + proof("[Proof of Theorem B]"),
        {"a": 1, "x": 1, "y": 1},
    ),
    "two by number": (
        A + B + "\\begin{proof}[Proof of Lemmas 0.1 and 0.2] Clear. \\end{proof}\n",
        {"a": 1, "b": 1},
    ),
    "by the name of an environment for one result": (
        "\\newtheorem*{thma}{Theorem A}\\newtheorem*{thmb}{Theorem B}\n"
        "\\begin{thma}\\label{x} X. \\end{thma}\n\\begin{thmb}\\label{y} Y. \\end{thmb}\n"
        + A + proof("[Proof of Theorem A]") + proof("[Proof of Theorem B]") + proof(),
        {"x": 1, "y": 1, "a": 1},
    ),
    "by the name of an environment, past another result": (
        "\\newtheorem*{thma}{Theorem A}\\newtheorem*{theorem*}{Theorem}\n"
        "\\begin{thma}\\label{x} X. \\end{thma}\n\\begin{theorem*}\\label{y} Y. \\end{theorem*}\n"
        + proof("[Proof of Theorem A]"),
        {"x": 1},
    ),
    "across a section, by number": (
        f"\\section{{Results}}\n{A}{B}\\section{{Proofs}}\n{proof('[Proof of Lemma 1.1]')}"
        + proof("[Proof of Lemma 1.2]"),
        {"a": 1, "b": 1},
    ),
    "a number that no result has": (A + proof("[Proof of Lemma 0.7]"), {}),
    "a result of another kind": (A + proof("[Proof of Theorem 0.1]"), {}),
    "a number of another work says nothing": (
        A + proof("[Proof of Theorem 3 in \\cite{x}]"),
        {"a": 1},
    ),
    "an uncertain number, by the place": (
        "\\ifx\\undefined\\what\\stepcounter{theorem}\\fi" + T + A + proof("[Proof of Lemma 0.7]"),
        {"a": 1},
    ),
    "what it follows from is not proved again": (
        A + proof() + T + proof("[Proof that Lemma \\ref{a} implies Theorem \\ref{t}]"),
        {"a": 1, "t": 1},
    ),
    "a range": (
        A + B + "\\begin{lemma}\\label{c} C. \\end{lemma}\n"
        + proof("[Proofs of Lemmas \\ref{a}--\\ref{c}]"),
        {"a": 1, "b": 1, "c": 1},
    ),
    "a short title proves what stands before it": (T + A + proof("[Of course]"), {"a": 1}),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_a_proof_belongs_to_its_statement(paper: Paper, rule: str) -> None:
    body, expected = RULES[rule]
    document = paper(body).document
    found = {name: len(module.proofs) for name, module in document.modules.items() if module.proofs}
    assert found == expected


NOTE = "%" + " Nobody prints these words of a lemma that is not here." * 20


@pytest.mark.parametrize("rule", [name for name in RULES if "\\verb" not in RULES[name][0]])
def test_long_comments_between_its_lines_change_nothing(paper: Paper, rule: str) -> None:
    body, _ = RULES[rule]
    without, noted = paper(body), paper(body.replace("\n", f"\n{NOTE}\n"))
    for name, module in without.document.modules.items():
        assert len(noted.document.modules[name].proofs) == len(module.proofs)
        assert render(noted.document, name, noted.paper.texts) == render(
            without.document, name, without.paper.texts
        )


def test_a_proof_of_nothing_is_kept_with_its_place(paper: Paper) -> None:
    body = (
        f"\\section{{One}}\n{proof()}\\section{{Two}}\n{proof('[Proof of the Riemann hypothesis]')}"
    )
    loose = paper(body).document.loose
    assert [(item.line, item.aims) for item in loose] == [(14, False), (16, True)]


def test_one_proof_of_two_results_follows_no_other_proof(paper: Paper) -> None:
    document = paper(
        A + B + proof("[Proof of \\cref{a,b}]", "By the proof of Lemma \\ref{b}.")
    ).document
    assert document.edges == ()


def test_a_proof_may_stand_in_another_file_than_the_result_of_its_number(paper: Paper) -> None:
    found = paper(
        {
            "main.tex": A + B + "\\input{proofs}",
            "proofs.tex": proof("[Proof of Lemma 0.1]") + proof("[Proof of Lemma 0.2]", "By hand."),
        }
    ).document.modules
    assert [len(found[name].proofs) for name in "ab"] == [1, 1]
    assert found["a"].proofs[0].location.start < found["b"].proofs[0].location.start


def test_a_proof_of_a_number_that_there_is_not_says_so(paper: Paper) -> None:
    loose = paper(A + B + proof("[Proof of Lemma 0.9]")).document.loose
    assert [item.missing for item in loose] == ["Lemma 0.9"]


@pytest.mark.parametrize("name", ["Lemma Z", "Lemma 1.2.3", "Theorem 0.1"])
def test_a_number_of_another_look_may_be_one_that_we_did_not_find(paper: Paper, name: str) -> None:
    loose = paper(A + B + proof(f"[Proof of {name}]")).document.loose
    assert [item.missing for item in loose] == [""]


def test_pairs_by_number_follow_when_the_numbers_change(paper: Paper) -> None:
    body = T + "\\begin{theorem}\\label{s} S. \\end{theorem}\n" + proof("[Proof of Theorem 0.2]")
    before = paper(body)
    after = paper("\\setcounter{theorem}{1}" + body)
    updated = build_paper_state(after.paper, before)
    assert [name for name, module in before.document.modules.items() if module.proofs] == ["s"]
    assert [name for name, module in updated.document.modules.items() if module.proofs] == ["t"]


EXAMPLE = "\\begin{example}\\label{e} E. \\end{example}\n"
DEFINITION = "\\begin{definition}\\label{d} D. \\end{definition}\n"
CONJECTURE = "\\begin{conjecture}\\label{c} C. \\end{conjecture}\n"
TITLED_EXAMPLE = "\\begin{example}[Prime rings] Prime rings are not tame. \\end{example}\n"

ASIDES = {
    "a remark right before a proof": (A + REMARK + proof(), {"a": 1}),
    "an example and a remark": (A + EXAMPLE + REMARK + proof(), {"a": 1}),
    "a definition that the proof does not construct": (A + DEFINITION + proof(), {"a": 1}),
    "a definition that it constructs": (A + DEFINITION + proof(words="We define $f$."), {"d": 1}),
    "a definition that its title constructs": (A + DEFINITION + proof("[Construction]"), {"d": 1}),
    "a definition and no other": (DEFINITION + proof(), {"d": 1}),
    "a definition after some words keeps nothing": (
        A + DEFINITION + "Words.\n" + proof(words="We define $f$."),
        {"a": 1},
    ),
    "a proved result takes no more": (A + proof() + DEFINITION + proof(), {"a": 1, "d": 1}),
    "not across a section": (A + "\\section{Two}" + REMARK + proof(), {"r": 1}),
    "the nearest of two": (A + B + REMARK + proof(), {"b": 1}),
    "past a question to an earlier result": (A + REMARK + CONJECTURE + proof(), {"a": 1}),
    "a solution is an exercise's own": (
        A + "\\begin{exercise}\\label{x} X. \\end{exercise}\n"
        "\\begin{solution} Clear. \\end{solution}\n",
        {"x": 1},
    ),
    "a proof is not an exercise's own": (
        A + "\\begin{exercise}\\label{x} X. \\end{exercise}\n" + proof(),
        {"a": 1},
    ),
    "a proof is an exercise's own where something else stands before it": (
        A + DEFINITION + "\\begin{exercise}\\label{x} X. \\end{exercise}\n" + proof(),
        {"x": 1},
    ),
    "a result that is said again under its number": (
        A + B + "\\textsc{\\Cref{a} (Full)}. \\emph{All is well.}\n\n" + proof(),
        {"a": 1},
    ),
    "an environment of an unknown kind": (
        "\\newtheorem{key}{Schluessel}\n" + A + "\\begin{key}\\label{k} K. \\end{key}\n" + proof(),
        {"k": 1},
    ),
    "a remark past a proved result": (A + B + proof() + REMARK + proof(), {"b": 1, "r": 1}),
    "a remark past a proved result and a definition": (
        A + B + proof() + DEFINITION + REMARK + proof(),
        {"b": 1, "r": 1},
    ),
    "a definition past a proved result": (A + B + proof() + DEFINITION + proof(), {"b": 1, "d": 1}),
    "a question past a proved result": (A + B + proof() + CONJECTURE + proof(), {"b": 1, "c": 1}),
    "a remark past an example that has a proof": (
        A + TITLED_EXAMPLE + proof() + REMARK + proof(),
        {"example~prime-rings": 1, "r": 1},
    ),
    "a remark past a result that words prove": (
        A + B + "\nThis follows from \\ref{a}.\n\n" + REMARK + proof(),
        {"b": 1, "r": 1},
    ),
    "words after a remark past a proved result": (
        A + B + proof() + REMARK + "Words.\n" + proof(),
        {"b": 1, "a": 1},
    ),
    "a title that says something after a remark past a proved result": (
        A + B + proof() + REMARK + proof("[The last step]"),
        {"b": 1, "a": 1},
    ),
    "an example without a title": (A + EXAMPLE + proof(), {"a": 1}),
    "an example with a title": (A + TITLED_EXAMPLE + proof(), {"example~prime-rings": 1}),
    "a remark with a title": (A + REMARK.replace("}\\", "}[Sharp]\\") + proof(), {"a": 1}),
    "an example with a title and words": (A + TITLED_EXAMPLE + "Words.\n" + proof(), {"a": 1}),
    "an example with a title and a proof that says what it proves": (
        A + TITLED_EXAMPLE + proof("[Proof of the lemma]"),
        {"a": 1},
    ),
    "a remark past a proved result in a section that proves another one": (
        f"\\section{{Results}}\n{A}\\section{{Proof of Lemma \\ref{{a}}}}\n"
        f"{B}{proof()}{REMARK}{proof()}",
        {"a": 1, "b": 1},
    ),
    "a remark in a section that proves a result which has its proof": (
        f"\\section{{Results}}\n{A}\\section{{Proof of Lemma \\ref{{a}}}}\n"
        f"{proof()}{REMARK}{proof()}{B}{proof()}{DEFINITION}{proof()}",
        {"a": 2, "b": 1, "d": 1},
    ),
    "a section that names it goes before a remark": (
        f"\\section{{Results}}\n{A}\\section{{Proof of Lemma \\ref{{a}}}}\n{REMARK}{proof()}",
        {"a": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", ASIDES)
def test_what_is_proved_is_a_result_where_there_is_one(paper: Paper, rule: str) -> None:
    body, expected = ASIDES[rule]
    assert proofs_of(paper(body)) == expected


ANNOUNCED = {
    "a line": "Proof of Lemma \\ref{a}.\n%s",
    "a line by number": "Proof of Lemma 0.1.\n%s",
    "the same line": "\n\\noindent Proof of Lemma~\\ref{a}. %s",
    "a bold heading": "\\textbf{Proof of Lemma~\\ref{a}.}\n%s",
    "a bold heading with to": "\\textbf{Proof to Lemma~\\ref{a}:}\n%s",
    "a bold heading by number": "\\noindent\\textbf{Proof of Lemma 0.1.} %s",
    "a bold heading and a label": "\\textbf{Proof of Lemma~\\ref{a}.}\\label{pr}\n%s",
    "a paragraph": "\\paragraph{Proof of Lemma \\ref{a}} %s",
    "a paragraph with a name": "\\paragraph{Proof of the gold bound.}\n%s",
    "a bold heading with a name": "\\textbf{Proof of the gold bound}.\n%s",
    "a line with a name": "Proof of the gold bound\n%s",
    "in German": "\\textbf{Beweis von Lemma~\\ref{a}.}\n%s",
}


@pytest.mark.parametrize("words", ANNOUNCED)
def test_words_right_before_a_proof_say_what_it_proves(paper: Paper, words: str) -> None:
    first = "\\begin{lemma}[Gold bound]\\label{a} A. \\end{lemma}\n"
    found = paper(first + B + ANNOUNCED[words] % proof()).document
    assert {name: len(item.proofs) for name, item in found.modules.items() if item.proofs} == {
        "a": 1
    }
    assert not found.modules["a"].is_guessed
    assert not found.loose


@pytest.mark.parametrize(
    "words",
    ["Proof of Lemma \\ref{a}.\n\n", "We know the\nProof of knowledge.\n", "Proof of Lemma "
     "\\ref{a} is easy, or not. There are two ways.\n"],
)  # fmt: skip
def test_words_further_off_say_nothing(paper: Paper, words: str) -> None:
    assert proofs_of(paper(A + B + words + proof())) == {"b": 1}


def test_a_bare_heading_right_before_a_proof_is_no_proof_of_its_own(paper: Paper) -> None:
    document = paper(A + "\\textbf{Proof.}\n" + proof()).document
    assert [len(module.proofs) for module in document.modules.values()] == [1]
    assert not document.modules["a"].is_guessed


SENTENCES = [
    "We now prove Lemma \\ref{a}.",
    "We now prove Lemma \\ref{a}.\n\n",
    "We turn to the proof of Lemma~\\ref{a}.",
    "With this at hand, we are ready to prove Lemma \\ref{a}, following Gauss.",
    "Now we can prove Lemma 0.1.",
    "Some words. Let us prove \\cref{a} by induction.",
    "Wir beweisen nun Lemma \\ref{a}.",
    "Nun können wir das Lemma 0.1 beweisen.",
    "Wir kommen zum Beweis von Lemma~\\ref{a}.",
    "Nous démontrons maintenant le lemme \\ref{a}.",
    "Passons \\`a la preuve du lemme \\ref{a}.",
]


@pytest.mark.parametrize("title", ["", "[Proof]", "[\\textsc{Proof.}]", "[Beweis:]"])
@pytest.mark.parametrize("words", SENTENCES)
def test_a_sentence_right_before_a_proof_says_what_it_proves(
    paper: Paper, words: str, title: str
) -> None:
    found = paper(A + B + f"{words}\n{proof(title)}").document
    assert {name: len(item.proofs) for name, item in found.modules.items() if item.proofs} == {
        "a": 1
    }
    assert not found.modules["a"].is_guessed


@pytest.mark.parametrize(
    "words",
    [
        "Before we prove Lemma \\ref{a}, let us see this.",
        "We postpone the proof of Lemma \\ref{a}.",
        "We now prove that Lemma \\ref{a} implies it.",
        "We do not prove Lemma \\ref{a}.",
        "If we prove Lemma \\ref{a} first, all is easy.",
        "We now prove Lemma \\ref{a}. But first something else.",
        "To prove Lemma \\ref{a} we need this.",
        "We prove this by Lemma \\ref{a}.",
    ],
)
def test_a_sentence_that_speaks_of_a_result_announces_no_proof(paper: Paper, words: str) -> None:
    assert proofs_of(paper(A + B + f"{words}\n{proof()}")) == {"b": 1}


def test_what_a_proof_says_itself_counts_more_than_the_words_before_it(paper: Paper) -> None:
    words = "We now prove Lemma \\ref{a}.\n"
    assert proofs_of(paper(A + B + words + proof("[Proof of \\cref{b}]"))) == {"b": 1}


OPENED = [
    "{\\sc Proof of Lemma~\\ref{a}.} Clear.", "\\textbf{Proof of Lemma \\ref{a}.} Clear.",
    " Proof of Lemma 0.1. Clear.", "{\\it Proof of Lemmas \\ref{a}}: Clear.",
    "\\emph{Beweis von Lemma \\ref{a}}. Klar.", "Proof of Lemma~\\ref{a} (the long one). Clear.",
    "\\textbf{Proof of Lemma \\ref{a}} Clear.", "Proof of Lemma \\ref{a}\n\nClear.",
    "Proof of Lemma \\ref{a}\nBy hand.", "Proof of Lemma \\ref{a}\\\\ Clear.",
    "Proof of Lemma \\ref{a} --- By hand.", "Proof of part (i) of Lemma \\ref{a}. Clear.",
    "{\\bf Proof of Lemma \\ref{a}, part (ii)}. Clear.",
]  # fmt: skip
NOT_OPENED = [
    "{\\sc Proof.} By Lemma \\ref{a}.", "Proof by Lemma \\ref{a}. Clear.",
    "The proof of Lemma \\ref{a} applies.", "{\\sc Proof of the claim.} See Lemma \\ref{a}.",
    "Clear. {\\sc Proof of Lemma~\\ref{a}.} Clear.", "Proof of Lemma \\ref{a} is used.",
    *(
        f"Proof of {name} {words}."
        for name in ("Lemma~\\ref{a}", "Lemma 0.1")
        for words in (
            "carries over verbatim", "goes along the same lines", "yields more",
            "extends to this case", "follows Gauss", "relies on Lemma \\ref{b}", "may be used",
            "will do", "and what was said were enough", "has a gap: see below",
            "requires more (a bound)", "\ncarries over"
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize("words", OPENED)
def test_the_first_words_of_a_proof_say_what_it_proves(paper: Paper, words: str) -> None:
    found = f"\\begin{{proof}}{words}\\end{{proof}}\n"
    assert proofs_of(paper(A + B + found)) == {"a": 1}
    assert proofs_of(paper(A + B + found.replace("{proof}", "{proof}[Proof of \\cref{b}]", 1))) == {
        "b": 1
    }


@pytest.mark.parametrize("words", NOT_OPENED)
def test_other_words_of_a_proof_do_not(paper: Paper, words: str) -> None:
    assert proofs_of(paper(A + B + f"\\begin{{proof}}{words}\\end{{proof}}\n")) == {"b": 1}


OF_KIND = {
    "a title": (T + A + proof("[Proof of the theorem]"), {"t": 1}),
    "a line": (T + A + f"\\emph{{Proof of the theorem.}}\n{proof()}", {"t": 1}),
    "a sentence": (T + A + f"Let us prove the theorem.\n{proof()}", {"t": 1}),
    "a sentence in German": (
        "\\newtheorem{satz}{Satz}\\begin{satz}\\label{s} S. \\end{satz}\n"
        + A + f"Wir beweisen nun den Satz.\n{proof()}",
        {"s": 1},
    ),
    "a heading": (T + A + "\\textbf{Proof of the theorem.} Clear. \\qed\n", {"t": 1}),
    "in a later section": (
        T + A + f"\\section{{Two}}\n{proof('[Proof of the theorem]')}",
        {"t": 1},
    ),
    "no such kind": (A + B + proof("[Proof of the theorem]"), {"b": 1}),
    "all of the kind are proved": (
        T + proof() + A + proof("[Proof of the theorem]"),
        {"t": 1, "a": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", OF_KIND)
def test_a_proof_of_the_theorem_is_no_lemmas(paper: Paper, rule: str) -> None:
    body, expected = OF_KIND[rule]
    state = paper(body)
    assert proofs_of(state) == expected
    assert not any(module.is_guessed for module in state.document.modules.values())


def test_letters_hide_not_what_a_proof_proves(paper: Paper) -> None:
    words = "\\newtheorem{thm}[lemma]{Th\\'eor\\`eme}\\begin{thm}\\label{t} T. \\end{thm}\n"
    found = paper(words + A + proof("[D\\'emonstration du th{\\'e}or\\`eme 0.1]")).document
    assert [name for name, item in found.modules.items() if item.proofs] == ["t"]
    assert not found.modules["t"].is_guessed


GUESSED = {
    "right behind": (A + proof(), []),
    "prose in between": (A + "Words.\n\nMore.\n\n" + proof(), []),
    "an equation in between": (
        A + "\\begin{equation}\\label{eq} 1 = 1 \\end{equation}\n" + proof(),
        [],
    ),
    "over a remark": (A + REMARK + proof(), ["a"]),
    "over a remark and words": (A + REMARK + "Words.\n" + proof(), ["a"]),
    "over a definition": (A + DEFINITION + proof(), ["a"]),
    "over a result and its proof": (A + B + proof() + proof(), ["a"]),
    "of a case of something": (A + "With this, we prove the general case:\n" + proof(), ["a"]),
    "by its name": (A + REMARK + proof("[Proof of \\cref{a}]"), []),
    "by its number": (A + REMARK + proof("[Proof of Lemma 0.1]"), []),
    "inside": ("\\begin{lemma}\\label{a} A. \\begin{proof} P. \\end{proof} \\end{lemma}", []),
    "by its section": (
        f"\\section{{One}}\n{A}{B}\\section{{Proof of Lemma \\ref{{a}}}}\nWords.\n{proof()}",
        [],
    ),
    "a remark's own": (REMARK + proof(), []),
    "a remark's own past a proved result": (A + B + proof() + REMARK + proof(), []),
    "an example with a title": (A + TITLED_EXAMPLE + proof(), ["example~prime-rings"]),
    "an example with a title and no open result": (A + proof() + TITLED_EXAMPLE + proof(), []),
    "an example with a title and no result": (TITLED_EXAMPLE + proof(), []),
    "an example without a title": (A + EXAMPLE + proof(), ["a"]),
    "a second proof": (A + proof() + "Words.\n" + proof("[Second proof]"), []),
    "one of two": (A + REMARK + proof() + proof("[Proof of \\cref{a}]"), ["a"]),
}  # fmt: skip


@pytest.mark.parametrize("rule", GUESSED)
def test_a_proof_that_was_looked_for_past_others_is_guessed(paper: Paper, rule: str) -> None:
    body, expected = GUESSED[rule]
    modules = paper(body).document.modules.values()
    assert [module.id for module in modules if module.is_guessed] == expected


def proofs_of(state: PaperState) -> dict[str, int]:
    modules = state.document.modules
    return {name: len(module.proofs) for name, module in modules.items() if module.proofs}


OMITTED = proof(words="Omitted.")
CITED = proof(words="See \\cite{x}.")


@pytest.mark.parametrize(
    ("body", "stand_in"),
    [
        (A + OMITTED, "omitted"),
        (A + CITED, "cited"),
        (A + OMITTED + proof("[Another proof]", "See \\cite{x}."), "cited"),
        (A + proof(), None),
        (A + OMITTED + proof("[Proof of \\cref{a}]"), None),
        (A, None),
        (A + "\\begin{proof} \\end{proof}", "omitted"),
        (A + "We omit the proof.\nMore words.\n", "omitted"),
        (A + "\nThe proof is left to the reader.\n\n" + B, "omitted"),
        (A + "Der Beweis wird weggelassen.\n", "omitted"),
        (A + "On omet la preuve. Voici la suite.\n", "omitted"),
        (A + "For a proof, see \\cite{x}.\n", "cited"),
        (A + "We omit the proof.\n" + proof("[Proof of \\cref{a}]"), None),
        (A + "Exercise. Show more.\n", None),
        (A + "Of this we omit the proof of the first half, say.\n", None),
        (A + "Words. We omit the proof.\n", None),
    ],
)
def test_what_is_no_proof_stands_in_for_one(paper: Paper, body: str, stand_in: str | None) -> None:
    state = paper(body)
    assert state.document.modules["a"].stand_in == stand_in
    assert proofs_of(state) == ({"a": 1} if "Clear" in body else {})
    assert not state.document.loose


@pytest.mark.parametrize(
    "words",
    [
        "The proof is essentially the same as for Lemma~\\ref{a}.",
        "This follows immediately from Lemma~\\ref{a}.",
        "This is immediate because maps of this kind, e.g. those of \\ref{a}, are\ntame.",
        "The corollary is a direct consequence of \\ref{a}.",
        "Dies folgt sofort aus \\ref{a}.",
        "Der Beweis verläuft analog zu dem von \\ref{a}.",
        "Cela résulte immédiatement de \\ref{a}.",
        "La preuve est la même que celle de \\ref{a}.",
    ],
)
def test_a_sentence_that_argues_right_behind_a_result_is_its_proof(
    paper: Paper, words: str
) -> None:
    state = paper(f"{A}{B}\n{words} Indeed, so it is.\nWe go on, see \\ref{{c}}.")
    assert proofs_of(state) == {"b": 1}
    assert [(edge.source, edge.target) for edge in state.document.edges] == [("b", "a")]
    assert f"Proof. {words[:12]}" in (told := render(state.document, "b", state.paper.texts))
    assert told.endswith("Indeed, so it is.\n")
    assert state.document.modules["b"].is_guessed


GAPS = ("\n", "\n\n", "\n\n\n", "\n\n% a comment\n", " % " + 50 * "x" + "\n", "\n\n" + 50 * " ")


def test_no_gap_before_words_that_argue_decides_anything(paper: Paper) -> None:
    states = [paper(f"{A}{B}{gap}This follows from \\ref{{a}}.\n\n\nSo.") for gap in GAPS]
    assert {tuple(proofs_of(state).items()) for state in states} == {(("b", 1),)}
    told = {render(state.document, "b", state.paper.texts) for state in states}
    assert len(told) == 1


def test_words_that_argue_give_way_to_a_proof_that_names_the_result(paper: Paper) -> None:
    argued = f"{A}{B}\nThis follows from \\ref{{a}}.\n"
    state = paper(argued + "More.\n" + proof("[Proof of \\cref{b}]"))
    assert proofs_of(state) == {"b": 1}
    assert "Proof. Clear." in render(state.document, "b", state.paper.texts)
    state = paper(
        argued + "\\section{Proof of Lemma \\ref{b}}\n" + "We argue as follows here. " * 9
    )
    assert proofs_of(state) == {"b": 1}
    assert "We argue" in render(state.document, "b", state.paper.texts)


@pytest.mark.parametrize("own", ["\\cref{a}", "Lemma~\\ref{a}"])
def test_a_section_that_leads_to_the_proof_of_its_result_is_not_another_proof(
    paper: Paper, own: str
) -> None:
    state = paper(
        f"{A}\\section{{Proof of Lemma~\\ref{{a}}}}\n"
        "Throughout this paper, all rings are commutative. "
        + "We argue in two steps here. " * 9
        + f"\\subsection{{The steps}}\n{B}{proof()}{proof(f'[Proof of {own}]')}"
    )
    assert proofs_of(state) == {"a": 1, "b": 1}
    assert "all rings are commutative" in render(state.document, "b", state.paper.texts)
    assert "We argue" not in render(state.document, "a", state.paper.texts)


def test_words_that_argue_take_no_introduction_along(paper: Paper) -> None:
    state = paper(
        f"{A}{B}\nThis follows from \\ref{{a}}. Moreover, we write $\\mathcal Q$ for its dual.\n\n"
        "\\begin{theorem}\\label{t} $\\mathcal Q=0$. \\end{theorem}" + proof()
    )
    assert "for its dual" in render(state.document, "t", state.paper.texts)
    assert "dual" not in render(state.document, "b", state.paper.texts)


@pytest.mark.parametrize(
    "behind",
    [
        "It follows from Lemma \\ref{a} that all is well.",
        "This is similar to \\ref{a}.",
        "The assertion is obvious when $n=4$.",
        "The statement is a consequence of the Riemann hypothesis, but we have no proof of it.",
        "This never follows from \\ref{a}.",
        "The lemma results from a collaboration with Gauss.",
        "The proof is similar to that of \\ref{a} and is given in Section \\ref{s}.",
        "This follows from \\ref{a}, where $Z(R)$ denotes the dual.",
        "Words. This follows from \\ref{a}.",
        "This follows from \\ref{a}.\n" + proof(),
        "\\begin{remark} So. \\end{remark} This follows from \\ref{a}.",
    ],
)
def test_other_words_behind_a_result_are_no_proof(paper: Paper, behind: str) -> None:
    assert proofs_of(paper(f"{A}{B}\n{behind}\n")) == ({"b": 1} if "Clear" in behind else {})


def test_what_is_no_proof_is_in_no_text_that_a_reader_sees(paper: Paper) -> None:
    both = paper(A + OMITTED + proof("[Proof of \\cref{a}]", "By hand."))
    assert "Omitted" not in render(both.document, "a", both.paper.texts)
    assert "By hand" in render(both.document, "a", both.paper.texts)
    one, none = paper(A + OMITTED), paper(A)
    assert render(one.document, "a", one.paper.texts) == render(
        none.document, "a", none.paper.texts
    )


def test_what_an_omitted_proof_declares_to_use_is_an_edge(paper: Paper) -> None:
    document = paper(A + B + proof(words="\\uses{a} Omitted.")).document
    assert document.modules["b"].stand_in == "omitted"
    assert [(edge.source, edge.target) for edge in document.edges] == [("b", "a")]


def test_a_formal_proof_may_be_omitted(paper: Paper) -> None:
    module = paper(A + proof(words="\\leanok Omitted.")).document.modules["a"]
    assert (module.is_formal, module.stand_in) == (True, "omitted")


WORDS = "Now to the rest.\n\n"
PARTS = {
    "right behind": (T + proof("[Proof of (i)]") + proof("[Proof of (ii)]"), {"t": 2}, []),
    "behind words": (T + proof("[Proof of (i)]") + WORDS + proof("[Proof of (ii)]"), {"t": 2}, []),
    "by nouns": (T + proof("[Existence]") + WORDS + proof("[Proof of uniqueness]"), {"t": 2}, []),
    "in German": (T + proof("[Existenz]") + WORDS + proof("[Eindeutigkeit]"), {"t": 2}, []),
    "in French": (T + proof("[Existence]") + WORDS + proof("[Preuve de l'unicité]"), {"t": 2}, []),
    "past a lemma with its proof": (
        T + proof("[Proof of (i)]") + A + proof() + proof("[Proof of (ii)]"),
        {"t": 2, "a": 1},
        ["t"],
    ),
    "right behind a lemma with its proof": (
        T + proof() + A + proof() + proof("[Uniqueness]"), {"t": 1, "a": 2}, ["a"],
    ),
    "right behind a lemma without one": (
        T + proof("[Existence]") + A + proof("[Uniqueness]"), {"t": 1, "a": 1}, ["a"],
    ),
    "the first part of two": (
        A + proof() + T + proof("[Proof of (i)]") + WORDS + proof("[Proof of (ii)]"),
        {"a": 1, "t": 2},
        [],
    ),
    "in another section": (
        T + proof("[Proof of (i)]") + "\\section{Two} Words.\n" + proof("[Proof of (ii)]"),
        {"t": 1},
        [],
    ),
}  # fmt: skip


ARROWS = proof("[($\\Rightarrow$)]") + proof("[($\\Leftarrow$)]")


@pytest.mark.parametrize(
    ("between", "proofs"), [("", {}), (A, {}), (A + B, {}), (A + proof(), {"a": 1})]
)
def test_parts_that_are_formulas_are_all_of_what_is_announced(
    paper: Paper, between: str, proofs: dict[str, int]
) -> None:
    state = paper(T + between + "We now prove Theorem~\\ref{t}.\n" + ARROWS)
    assert proofs_of(state) == {"t": 2, **proofs}
    assert [module.id for module in state.document.modules.values() if module.is_guessed] == []


def test_nothing_announces_the_part_that_a_file_begins_with(paper: Paper) -> None:
    state = paper({"main.tex": T + A + "\\input{proofs}", "proofs.tex": ARROWS})
    assert proofs_of(state) == {"a": 2}


@pytest.mark.parametrize("title", ["\\ProofOfMain", "(\\dag)", "($\\ast$)"])
def test_a_title_that_we_cannot_read_is_not_replaced(paper: Paper, title: str) -> None:
    words = "We now prove Theorem~\\ref{t}.\n"
    assert proofs_of(paper(T + A + words + proof(f"[{title}]"))) == {"a": 1}


@pytest.mark.parametrize("title", ["\\proofname", "\\bfseries\\itshape Proof", "{\\sc Proof:}"])
def test_a_title_that_says_no_more_than_proof_is_replaced(paper: Paper, title: str) -> None:
    words = "We now prove Theorem~\\ref{t}.\n"
    assert proofs_of(paper(T + A + words + proof(f"[{title}]"))) == {"t": 1}


@pytest.mark.parametrize("rule", PARTS)
def test_a_proof_of_a_part_is_the_results_that_has_one_or_guessed(paper: Paper, rule: str) -> None:
    body, expected, guessed = PARTS[rule]
    state = paper(body)
    assert proofs_of(state) == expected
    modules = state.document.modules.values()
    assert [module.id for module in modules if module.is_guessed] == guessed


def test_no_guess_takes_the_place_of_words_that_argue(paper: Paper) -> None:
    state = paper(
        f"{A}{proof()}{B}\nThis follows from \\ref{{a}}.\n\n{REMARK}{proof(words='By hand.')}"
    )
    assert proofs_of(state) == {"a": 1, "b": 1, "r": 1}
    assert "This follows" in render(state.document, "b", state.paper.texts)


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ("This follows from Prop.~\\ref{a} and e.g. (cf. \\cite{x}).", True),
        (
            "This follows from Riemann--Roch and Lemma \\ref{a}, since $K$ is bounded below here.",
            True,
        ),
        (
            "This follows from Lemma \\ref{a}. Indeed, suppose it fails. Then so does \\ref{a}.",
            True,
        ),
        ("This follows from \\ref{a} and the identity\n\\[ a = b. \\]", True),
        ("This follows from \\ref{a}." + "\n" + 400 * " " + "Indeed, it is so.", True),
        ("This follows from \\ref{a}. So from now on all rings are commutative.", False),
        ("This follows from \\ref{a}. By a \\emph{tame ring} we mean a ring.", False),
        ("This follows from \\ref{a}. By convention, all maps are continuous.", False),
    ],
)
def test_words_that_argue_are_whole_and_end_before_what_introduces(
    paper: Paper, words: str, whole: bool
) -> None:
    state = paper(f"{A}{proof()}{B}\n{words}\n")
    assert proofs_of(state) == {"a": 1, "b": 1}
    told = render(state.document, "b", state.paper.texts).partition("Proof. ")[2]
    assert (told.strip() == "This follows from Result 1.") is not whole
    assert (told.count(".") == words.replace("Prop.", "").count(".")) is whole


ARGUED = "The map is open by Lemma~\\ref{a}, and it is closed for the same reason, as we saw.\n"
CONCLUSIONS = (
    "Thus, we have proven the following:", "We have thus shown:", "Damit ist gezeigt:",
    "This proves the following theorem.", "Nous avons donc démontré le théorème suivant.",
)  # fmt: skip


@pytest.mark.parametrize("words", CONCLUSIONS)
def test_the_text_before_a_result_that_says_it_proves_it_is_a_guessed_proof(
    paper: Paper, words: str
) -> None:
    found = paper(f"{A}{proof()}{ARGUED}\nSo it is clopen. {words}\n{B}").document
    assert len(found.modules["b"].proofs) == 1
    assert (found.modules["b"].is_guessed, found.modules["b"].is_settled) == (True, False)
    assert [(edge.source, edge.target) for edge in found.edges] == [("b", "a")]
    assert not found.loose


def test_what_is_combined_right_before_a_result_is_what_it_depends_on(paper: Paper) -> None:
    words = "Combining this with Lemma~\\ref{a} to drop it, we now reach the following conclusion:"
    found = paper(f"{A}{proof()}{ARGUED}{REMARK}{words}\n{B}").document
    assert [(edge.source, edge.target) for edge in found.edges] == [("b", "a")]


def test_the_text_before_a_result_reaches_back_to_what_ends_before(paper: Paper) -> None:
    end = "This proves the following lemma.\n"
    for stop in ("\\section{S}\n", REMARK, A + proof()):
        found = paper(f"Words by Lemma~\\ref{{r}}. {stop}{ARGUED}{end}{B}{REMARK}").document
        assert [(edge.source, edge.target) for edge in found.edges if edge.target == "r"] == []
        assert len(found.modules["b"].proofs) == 1


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (ARGUED + "This proves the following lemma.", proof()),
        (ARGUED + "This proves the following lemma.", "Indeed:\n" + proof()),
        ("This proves the following lemma.", ""),
        (ARGUED + "We shall prove the following lemma.", ""),
        (ARGUED + "\\begin{itemize}\\item This proves the following lemma.", "\\end{itemize}"),
    ],
)
def test_other_text_before_a_result_is_no_proof_of_it(
    paper: Paper, before: str, behind: str
) -> None:
    found = paper(f"{A}{proof()}{before}\n{B}{behind}").document
    assert len(found.modules["b"].proofs) == bool(behind.endswith(proof()))
    assert not found.modules["b"].is_guessed
    assert not found.loose


def test_a_proof_elsewhere_counts_more_than_the_text_before_a_result(paper: Paper) -> None:
    later = "\\section{S}" + REMARK + proof("[Proof of Lemma~\\ref{b}]")
    found = paper(
        f"{A}{proof()}{ARGUED}This proves the following lemma.\n{B}{REMARK}{later}"
    ).document
    assert (len(found.modules["b"].proofs), found.modules["b"].is_guessed) == (1, False)


def test_what_the_text_before_a_result_brings_in_is_that_of_the_paper(paper: Paper) -> None:
    named = "Let $\\Lambda_7$ be the tame cone of the plane. " + ARGUED
    user = "\\begin{lemma}\\label{u} The set $\\Lambda_7$ is open. \\end{lemma}\n" + proof()
    found = paper(f"{A}{proof()}{named}This proves the following lemma.\n{B}{user}").document
    assert any(edge.source == "u" and edge.target.startswith("notation") for edge in found.edges)


def test_the_following_result_of_the_text_before_a_result_is_that_one(paper: Paper) -> None:
    user = "\\begin{lemma}\\label{u} It is open. \\end{lemma}\n" + proof()
    words = "Combining this with the previous lemma, we obtain the following lemma."
    found = paper(f"{A}{proof()}{ARGUED}{words}\n{B}{user}").document
    assert {(edge.source, edge.target) for edge in found.edges} == {("b", "a")}


def test_the_picture_before_a_result_does_not_prove_it(paper: Paper) -> None:
    shown = "\\begin{figure}\\caption{Some words about what a reader sees here.}\\end{figure}\n"
    found = paper(f"{A}{proof()}{shown * 3}Combining the two, we get the following.\n{B}").document
    assert (len(found.modules["b"].proofs), found.modules["b"].is_announced) == (0, True)


PROMISED = "The proof of Lemma~\\ref{a} appears in Appendix~\\ref{s}."
APPENDIX = "\\section{Details}\\label{s}\n" + B + proof()


@pytest.mark.parametrize(
    ("body", "is_announced"),
    [
        (A + PROMISED + APPENDIX, True),
        (PROMISED + A + APPENDIX, True),
        (A.replace("A.", "A.\\footnote{" + PROMISED + "}") + APPENDIX, True),
        (A + "Lemma~\\ref{a} is proved in Section~\\ref{s}." + APPENDIX, True),
        (A + "Der Beweis von Satz~\\ref{a} findet sich in Anhang~\\ref{s}." + APPENDIX, True),
        (A + "La preuve du lemme~\\ref{a} se trouve dans l'annexe~\\ref{s}." + APPENDIX, True),
        (A + PROMISED + "\\section{Details}\\label{s} Words." + B, False),
        (A + PROMISED + "\\section{Details}\\label{x}" + B + proof(), False),
        (A + PROMISED.replace("{a}", "{b}") + APPENDIX, False),
        (A + "\\begin{comment}" + PROMISED + "\\end{comment}" + APPENDIX, False),
        (A + "% " + PROMISED + "\n" + APPENDIX, False),
    ],
)
def test_a_sentence_says_in_which_section_a_result_is_proved(
    paper: Paper, body: str, is_announced: bool
) -> None:
    found = paper(body).document.modules["a"]
    assert (found.is_announced, found.is_settled) == (is_announced, is_announced)
    assert not found.proofs


def test_a_promise_stands_not_between_a_result_and_its_proof(paper: Paper) -> None:
    other = PROMISED.replace("{a}", "{b}")
    found = paper(B + A.replace("A.", f"A.\\footnote{{{other}}}") + other + proof()).document
    assert {name: len(one.proofs) for name, one in found.modules.items() if one.proofs} == {"a": 1}
    assert not found.modules["a"].is_guessed


TWO_PARTS = (
    "\\begin{enumerate}[label=(\\alph*)] \\item One is even. \\item Two is odd. \\end{enumerate}"
)
PARTED = f"\\begin{{theorem}}\\label{{t}} We have {TWO_PARTS} \\end{{theorem}}\n"
LISTED = f"\\(\\)\\leavevmode {TWO_PARTS.replace('*)]', '*), wide]')}"
SIGNED = TWO_PARTS.replace("[label=(\\alph*)]", "").replace("\\item One", "\\item[(i)] One")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PARTED + B + proof(words=LISTED), {"t": 1}),
        (PARTED.replace(TWO_PARTS, SIGNED) + B + proof(words=SIGNED), {"t": 1}),
        (PARTED + B + proof() + proof(words=LISTED), {"b": 1, "t": 1}),
        (PARTED + B + proof(words=f"There are two cases. {LISTED}"), {"b": 1}),
        (PARTED + B + proof(words=f"{LISTED} So it holds."), {"b": 1}),
        (PARTED + B.replace(" B.", TWO_PARTS) + proof(words=LISTED), {"b": 1}),
        (PARTED + B + proof(words=SIGNED), {"b": 1}),
        (PARTED + B + proof(words=LISTED.replace("\\item Two", "\\item A \\item B")), {"b": 1}),
        (PARTED + "And so: " + B + proof(words=LISTED), {"b": 1}),
        (PARTED + A + B + proof(words=LISTED), {"b": 1}),
    ],
)
def test_a_proof_that_is_a_list_of_parts_is_that_of_the_result_with_these_parts(
    text: str, expected: dict[str, int], paper: Paper
) -> None:
    modules = paper({"main.tex": text}).document.modules
    found = {name: len(module.proofs) for name, module in modules.items() if module.proofs}
    assert found == expected
