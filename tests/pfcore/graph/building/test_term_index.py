"""Words and symbols that lead to a module: terms, notation, names."""

from collections.abc import Callable, Iterable

from pfcore.domain.values import Via
from pfcore.graph.building.term_index import Dictionary, TermIndex, Used, dictionary
from pfcore.graph.paper_state import PaperState

Paper = Callable[..., PaperState]
Affected = Callable[..., dict[str, tuple[str, ...]]]


def lemma(name: str, words: str, proof: str = "Clear.") -> str:
    return (
        f"\\begin{{lemma}}\\label{{{name}}} {words} \\end{{lemma}}\n"
        f"\\begin{{proof}} {proof} \\end{{proof}}\n"
    )


def definition(name: str, words: str) -> str:
    return f"\\begin{{definition}}\\label{{{name}}} {words} \\end{{definition}}\n"


def edges(moment: PaperState, name: str) -> dict[str, Via]:
    return {edge.target: edge.via for edge in moment.in_first_form.edges_of(name)}


CLASSES = definition("d", r"Denote by $\mathcal{M}^2$ the set of all of them.")
READER = lemma("a", r"It lies in $\mathcal{M}^2$.")


def test_a_symbol_that_a_definition_introduces_leads_to_it(paper: Paper) -> None:
    assert edges(paper(CLASSES + READER), "a") == {"d": Via.NOTATION}


def test_a_symbol_that_stood_in_an_earlier_text_was_not_introduced_here(paper: Paper) -> None:
    early = lemma("early", r"Let $\mathcal{M}^2$ be a square.")
    assert edges(paper(early + CLASSES + READER), "a") == {}


def test_a_word_that_a_definition_says_something_is_leads_to_it(paper: Paper) -> None:
    said = definition("d", "A loop is a closed curve.")
    assert edges(paper(said + lemma("a", "Loops exist.")), "a") == {"d": Via.TERM}
    early = lemma("early", "A loop.")
    assert edges(paper(early + said + lemma("a", "Loops exist.")), "a") == {}


def test_what_is_emphasised_is_introduced_whoever_used_it_before(paper: Paper) -> None:
    early = lemma("early", "A loop.")
    said = definition("d", "A \\emph{loop} is a closed curve.")
    assert edges(paper(early + said + lemma("a", "Loops exist.")), "a") == {"d": Via.TERM}


def test_a_single_word_means_nothing_special_before_it_is_defined(paper: Paper) -> None:
    good = definition("d", "A map is \\emph{tame} if so.")
    assert edges(paper(lemma("a", "A tame estimate.") + good), "a") == {}
    phrase = definition("d", "A \\emph{tame ring} is one.")
    assert edges(paper(lemma("a", "Tame rings exist.") + phrase), "a") == {"d": Via.TERM}


def test_the_name_of_a_result_leads_to_it(paper: Paper) -> None:
    named = "\\begin{theorem}[Cauchy--Davenport]\\label{t} T. \\end{theorem}\n"
    reader = lemma("a", "A.", "By the Cauchy--Davenport theorem, we are done.")
    assert edges(paper(named + reader), "a") == {"t": Via.NAME}


MAIN = (
    "\\newtheorem*{mainthm}{Main Theorem}\n"
    "\\begin{mainthm}\\label{t} T. \\end{mainthm}\n\\begin{proof} So. \\end{proof}\n"
)


def test_the_heading_of_the_only_instance_of_an_environment_is_a_name(paper: Paper) -> None:
    reader = lemma("a", "A.", "By the Main Theorem, we are done.")
    assert edges(paper(MAIN + reader), "a") == {"t": Via.NAME}


def test_a_heading_that_several_results_have_names_none(affected: Affected, paper: Paper) -> None:
    reader = lemma("a", "A.", "By the Main Theorem, we are done.")
    second = "\\begin{mainthm}\\label{u} U. \\end{mainthm}\n\\begin{proof} So. \\end{proof}\n"
    assert edges(paper(MAIN + second + reader), "a") == {}
    assert set(affected(MAIN + reader, MAIN + second + reader)) == {"a", "u"}


def test_a_heading_of_one_word_is_no_name(paper: Paper) -> None:
    body = MAIN.replace("Main Theorem", "Theorem")
    assert edges(paper(body + lemma("a", "A.", "By our theorem.")), "a") == {}


def test_a_definition_that_moves_to_another_file_is_found_as_before(affected: Affected) -> None:
    body = CLASSES + "Words.\n" + READER
    moved = {"main.tex": body.replace(CLASSES, "\\input{d}\n"), "d.tex": CLASSES}
    assert affected(body, moved) == {}


def test_a_text_that_uses_a_symbol_earlier_leaves_it_to_the_definition(
    affected: Affected,
) -> None:
    files = {"main.tex": "\\input{early}\n\\input{rest}", "rest.tex": CLASSES + READER}
    before = {**files, "early.tex": lemma("early", "Nothing.")}
    after = {**files, "early.tex": lemma("early", r"Nothing in $\mathcal{M}^2$.")}
    assert set(affected(before, after)) == {"early"}


def test_a_label_behind_a_line_break_hides_no_symbol(paper: Paper) -> None:
    rows = r"\begin{align} a &= b \\ \label{row}tame{2} &= c \end{align}"
    found = edges(paper(definition("d", f"We have {rows}") + lemma("a", "Nothing.")), "a")
    assert found == {}


def test_a_greek_letter_leads_to_the_definition_that_says_what_it_is_of_what(paper: Paper) -> None:
    said = definition("d", r"Put $\omega(G) := 3$.")
    assert edges(paper(said + lemma("a", r"Then $\omega(H) = 3$.")), "a") == {"d": Via.NOTATION}
    own = lemma("a", r"Let $\omega$ be a map with $\omega(H) = 3$.")
    assert edges(paper(said + own), "a") == {}
    assert edges(paper(said + lemma("a", r"Then $\omega < 3$.")), "a") == {}


def test_the_title_of_a_result_uses_terms(paper: Paper) -> None:
    tame = definition("d", "A \\emph{tame ring} is one.")
    titled = "\\begin{lemma}[Sums of tame rings]\\label{a} $A + B$ is one. \\end{lemma}\n"
    assert edges(paper(tame + titled), "a") == {"d": Via.TERM}


def test_only_files_with_the_words_of_a_term_are_looked_up(paper: Paper) -> None:
    words = {"use": "Tame maps.", "other": "A map.", "none": "Nothing."}
    inputs = "".join(f"\\input{{{name}}}\n" for name in words)
    defining = definition("d", r"A \emph{tame map} is a \emph{map}.")
    moment = paper(
        {"main.tex": defining + inputs}
        | {f"{name}.tex": lemma(name, text) for name, text in words.items()}
    )
    asked: list[str] = []

    def find(terms: Dictionary, paths: Iterable[str]) -> Used:
        wanted = list(paths)
        asked.extend(wanted)
        used = moment.paper.used_terms(terms.positions)
        return {place: found for place, found in used.items() if place[0] in wanted}

    assembly, paper_ = moment.assembly, moment.paper
    terms = dictionary(
        assembly.draft.ids, moment.document.modules, assembly.draft.at, paper_.readings
    )
    usage = TermIndex(terms, find, paper_.readings)
    found = usage.using(frozenset({"tame map"}))
    assert ("use.tex", 0) in found
    assert {path for path, _ in found} == set(asked) == {"main.tex", "use.tex"}
    assert usage.using(frozenset({"tame map"})) == found
    assert len(asked) == 2
