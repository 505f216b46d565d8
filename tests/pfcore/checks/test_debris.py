"""What is left in a text by mistake is found, each by its example; what looks like it is silent."""

import pytest

from pfcore.checks.debris import DebrisKind, debris, debris_words, is_about_models, is_in_formula

EXAMPLES = [
    (kind, pattern, example)
    for kind, parts in debris_words().items()
    for listed in parts.values()
    for pattern, example in listed.items()
]


def kinds(text):
    return {item.kind.value for item in debris(text)}


@pytest.mark.parametrize(("kind", "pattern", "example"), EXAMPLES)
def test_each_pattern_is_found_in_its_example_and_in_a_paper(kind, pattern, example):
    assert kind in kinds(example), pattern
    around = f"\\section{{One}}\nWe prove more.\n\n{example}\n\nThen it is clear.\n"
    assert kind in kinds(around), pattern


def test_there_are_many_examples_of_each_kind():
    assert len(EXAMPLES) >= 100
    assert {kind for kind, _, _ in EXAMPLES} == set(DebrisKind)


@pytest.mark.parametrize(
    "text",
    [
        "As an AI\nlanguage model, I cannot.",
        "as an AI~language model, I",
        "CERTAINLY! Here is the proof",
        "Text \\textbf{[Insert Figure 2 here]} text",
        "By Theorem~??, done.",
        "by Lemmas~?? and~3",
        "\\author{[Your Name]}",
        "\\emph{As a language model, I do not}",
        "$x$ and [citation needed] and $y$",
        "see \\url{https://a.example/b?utm_source=chatgpt.com}",
        "\\textcolor{red}{TODO: say why}",
        "{\\bf XXX: check}",
        "(TBD)",
        "\\cite{???}",
        "Let me know if you have any other questions!",
    ],
)
def test_other_ways_to_write_it_are_found_too(text):
    assert kinds(text)


INNOCENT = [
    "(This proof uses choice. Let me know if you have a proof without it.)",
    "% As an AI language model, I cannot verify this.",
    "\\begin{verbatim}\nAs an AI language model, I cannot.\n\\end{verbatim}",
    "\\verb|turn0search1| is a mark",
    "It replies ``As an AI language model, I cannot verify this.''",
    'It replies "I\'m sorry, but I cannot do that." and stops.',
    "It replies \\enquote{As of my last knowledge update, none is known}.",
    "It replies “I hope this helps!” each time.",
    "Es sagt „Als KI-Sprachmodell kann ich das nicht.“ dazu",
    "Il dit « Voici une version révisée » et s'arrête",
    "\\texttt{<|im_end|>} is a token",
    "\\begin{quote}Certainly! Here is the proof.\\end{quote}",
    "\\begin{quotation}\nI apologize for the confusion.\n\\end{quotation}",
    "\\begin{tcolorbox}[title=Prompt]\nSure, here's a version.\n\\end{tcolorbox}",
    "\\begin{lstlisting}\nTODO: write\n\\end{lstlisting}",
    "\\iffalse [insert citation here] \\fi",
    "We use GPT-4 as an AI language model in all experiments.",
    "A large language model, in particular, is trained on text.",
    "As a language, modelled on English, it has few verbs.",
    "the TODO list of the scheduler",
    "El resultado, SOBRE TODO EN CASO GENERAL, es cierto",
    "Se resuelve todo: primero el caso lineal.",
    "Here is a proof of the revised theorem.",
    "Here is an example. Here are the details.",
    "We insert [inserting it here would be wrong",
    "the interval $[a, b]$ and the set $[n]$",
    "$X^{XXX}$ and $XXX: Y$",
    "the matrix $XXX$ is symmetric",
    "Is this true? Why not??",
    "Vraiment ?",
    "Really?? Yes",
    "the operator $??$ of logic",
    "$a \\mathbin{??} b$",
    "Theorem 2? No.",
    "\\newcommand{\\todo}[1]{}",
    "\\documentclass[11pt]{article}",
    "\\usepackage[final]{graphicx}",
    "a draft horse, a draft of air and the military draft",
    "This was drafted in 1990",
    "Great questions of analysis remain",
    "You would like me to prove it.",
    "Feel free to skip this section.",
    "I am grateful to John and Jane.",
    "footnotes** and a*b**c",
    "$a**b$ and $x ** y$ in Python",
    "A \\# B and \\#\\# C",
    "\\cite{todorcevic} and \\ref{todo-list}",
    "\\cite{xxx-group} and \\cite{key98}",
    "\\begin{tabular}{c}??\\end{tabular}",
    "E-mail: ada@math.example.edu",
    "arXiv:2301.12345",
    "[12] and [3, 4]",
    "[web site]",
    "\\item[Add multiple:] of one row to another",
    "``\\cite{}'' prints nothing",
    "in the limit, I believe, as a model, I",
    "Travelling Optimisation by Directed Objects (TODO) is a heuristic.",
    "We count TODO and FIXME comments in two programs.",
    "FIXME notes are counted, too.",
    "The Tree Bound Distance (TBD) is a metric, and TBD decreases.",
    "The operations are [insert key], [insert name] and [delete name].",
    "Here is a revised version of the bound of Landau.",
    "Hier ist eine überarbeitete Fassung der Schranke von Landau.",
    "Voici une version améliorée de la borne de Landau.",
    "\\caption{[Insert a vertex.]}",
    "Start with $[$Insert a vertex.$]$ and [Add an edge.]",
    "for a function to be determined later in the proof",
    "This constant, to be determined later, is small.",
    "Das ist einzufügen, wie oben gezeigt.",
    "Der Beweis folgt [Satz 3 fehlt].",
    "Il faut compléter [la base] en une base.",
    "Le reste est laissé à faire.",
    "In Section X we meet Figure 10.",
    "Group XX and Table A.1",
    "An AI assistant may help here.",
    "The word {\\bf yes} and \\textbf{no}?",
    "Wenn du möchtest, lies weiter.",
    "Natürlich, hier gilt Gleichheit nicht.",
    "N'hésitez plus à calculer.",
    "a project of 1990, grant no. 12345",
    "Write down the abstract definition here.",
    "See Table XX and Section XX.",
    "Here is a revised version of the proof of Landau.",
    "The parameter \\texttt{utm_source=chatgpt.com} tells where one comes from.",
]


@pytest.mark.parametrize("text", INNOCENT)
def test_what_looks_like_it_is_silent(text):
    assert kinds(text) == set()


def test_there_are_many_innocent_texts():
    assert len(INNOCENT) >= 40


def test_an_address_is_no_quotation():
    assert kinds("\\texttt{https://a.example/?utm\\_source=chatgpt.com}") == {"mark"}


def test_definitions_are_not_printed():
    text = "\\newcommand{\\gap}{[insert citation here]}\nText."
    assert debris(text, [(0, text.index("\n"))]) == ()


def test_a_paper_on_language_models_is_known_by_its_words():
    assert is_about_models(["A language model.", "ChatGPT and other LLMs say"])
    assert not is_about_models(["We thank ChatGPT.", "A model of the theory."])


@pytest.mark.parametrize(
    ("text", "is_inside"),
    [("$a$ x", False), ("$a x", True), (r"\$ x", False), (r"\[ x", True), ("$a\n\nb x", False)],
)
def test_a_place_in_a_formula_is_known_by_the_signs_before_it(text, is_inside):
    assert is_in_formula(text, len(text) - 1) is is_inside
