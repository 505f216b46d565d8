"""What a module needs and what became of it; what is called unexplained is introduced nowhere."""

from collections.abc import Callable

import pytest

from pfcore.domain.values import ModulePart
from pfcore.graph.needs import DefinitionHub, Need, NeedOutcome, hubs, needs_of, stands_first
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import render

Paper = Callable[..., PaperState]


def body(say: str, theorem: str, proof: str = "Count them.") -> str:
    return (
        f"\\section{{One}}\n{say}\n\n"
        f"\\begin{{theorem}}\\label{{t}}\n{theorem}\n\\end{{theorem}}\n"
        f"\\begin{{proof}}\n{proof}\n\\end{{proof}}\n"
    )


def told(moment: PaperState, name: str = "t") -> dict[str, Need]:
    return {need.key: need for need in needs_of(moment, name)}


def line_of(moment: PaperState, words: str) -> int:
    source = moment.paper.source("main.tex")
    return source.count("\n", 0, source.index(words)) + 1


def test_what_a_sentence_introduces_is_supplied_by_it(paper: Paper) -> None:
    moment = paper(
        body(r"We write $\mathcal{D}_n$ for the dyadic grid.", r"Here $\mathcal{D}_n$ is thin.")
    )
    need = told(moment)[r"\mathcal{D}_n"]
    (source,) = need.via
    assert need.outcome is NeedOutcome.SUPPLIED
    assert (need.part, need.path) == (ModulePart.STATEMENT, "main.tex")
    assert need.line == line_of(moment, r"Here $\mathcal")
    where = moment.document.modules[source].statement.location
    assert where.line == line_of(moment, "We write")


@pytest.mark.parametrize(
    ("say", "theorem", "written"),
    [
        (
            r"We write $\langle x\rangle$ for the jump.",
            "All\n$x$ have $\\langle x\\rangle<1$.",
            r"\langle x\rangle",
        ),
        (
            r"We write $M^\vee$ for the dual of a set $M$.",
            "All is so,\nas is $N^\\vee$.",
            r"N^\vee",
        ),
    ],
)
def test_brackets_and_decorations_are_told_as_they_are_written(
    paper: Paper, say: str, theorem: str, written: str
) -> None:
    moment = paper(body(say, theorem))
    need = told(moment)[written]
    assert (need.outcome, len(need.via)) == (NeedOutcome.SUPPLIED, 1)
    assert need.line == line_of(moment, "$x$" if "x" in written else "as is")


def test_what_no_text_introduces_is_unexplained_at_its_first_use(paper: Paper) -> None:
    moment = paper(
        body("Some words.", "All is well.", "First this.\nThen $\\xi_0$ is small.\nSee $\\xi_0$.")
    )
    need = told(moment)[r"\xi_0"]
    assert (need.outcome, need.via) == (NeedOutcome.UNEXPLAINED, ())
    assert (need.part, need.line) == (ModulePart.PROOF, line_of(moment, "Then"))


FAMILY = r"""\newcommand{\Parcels}{\mathsf{Parcels}}
\newcommand{\lb}{L\"ob}
\begin{definition} A \emph{parcel} is light. A \emph{strong \lb{} rule} is kept.\end{definition}
\begin{theorem}\label{t}
All is well.
\end{theorem}
\begin{proof}
\noindent Words.
Let $\Parcels$ be a set.

Every parcel in it is good,
and by the strong \lb{} rule it is heavy.
\end{proof}
"""


def test_terms_are_told_in_the_words_of_the_text_and_where_it_has_them(paper: Paper) -> None:
    moment = paper(FAMILY)
    found = {key: need.line for key, need in told(moment).items() if key[0] not in "\\{"}
    assert found == {
        "parcel": line_of(moment, "Every parcel"),
        "strong Löb rule": line_of(moment, "and by the strong"),
    }


def test_a_symbol_that_a_macro_makes_is_where_the_text_has_that_macro(paper: Paper) -> None:
    own = "\\newcommand{\\nonces}{{\\mathit{nonces}}}\n\\newcommand{\\of}[1]{$#1.\\nonces$}\n"
    proof = "Words.\n\nMore words, so that\n\\of{x} is full."
    moment = paper(body(own + "Some words.", "All is well.", proof))
    assert told(moment)[r"{\mathit{nonces}}"].line == line_of(moment, r"\of{x} is")


@pytest.mark.parametrize(
    "formula",
    [
        r"\begin{array}{c}\text{inductive}\\\text{hypothesis}\end{array}",
        r"a\text{ mod }\#b",
        r"\mbox{hypothesis}",
    ],
)
def test_words_within_formulas_and_the_number_sign_need_no_introduction(
    paper: Paper, formula: str
) -> None:
    moment = paper(body("Some words.", "All is well.", f"So ${formula}$ ends."))
    assert [need for need in told(moment) if "text" in need or "box" in need or "#" in need] == []


RIVALS = r"""\section{Rings}
\subsection{A}
Let $R$ be a ring with many ideals.
\subsection{B}
Let $R$ be a radius that is not small.
\subsection{C}
\begin{theorem}\label{t}
The size of $R$ is finite.
\end{theorem}
\begin{proof} Count them. \end{proof}
"""


def test_a_letter_of_which_two_sections_say_something_else_is_ambiguous(paper: Paper) -> None:
    moment = paper(RIVALS)
    need = told(moment)["R"]
    lines = [moment.document.modules[name].statement.location.line for name in need.via]
    assert need.outcome is NeedOutcome.AMBIGUOUS
    assert lines == [line_of(moment, "Let $R$ be a ring"), line_of(moment, "Let $R$ be a rad")]


@pytest.mark.parametrize(
    "theorem",
    [
        r"Let $\tilde{f}$ be a map. Then $\tilde{f}$ is thin.",
        r"Suppose that $\mathfrak{c},\mathfrak{d}$ are grids. Then $\mathfrak{d}$ is thin.",
        r"Put $\hat{L}=7$. Then $\hat{L}$ is odd.",
        r"We have $\hat{L}=x+y$ and $\hat{L}$ is odd.",
        r"The function $\mathrm{jump}(y)$ is thin, where $\mathrm{jump}(y)=7y$.",
        r"There are $\hat{u}_1,\dots,\hat{u}_n$ such that $\hat{u}_1$ is odd.",
        r"It is $\sum_{\bar{\jmath}\in S} X(\bar{\jmath})$ that counts.",
        r"Then $\operatorname{supp} f\subset\mathbb{R}$ and $L^2$ is $2^n$.",
        r"The letter $q$ is small, $x\leq y$ and $x\cdot y\in A$.",
        r"If $f'$ is small then $f$ is.",
        r"The words ``$x$'' and $\text{otherwise}$.",
    ],
)
def test_what_a_text_says_itself_or_everybody_knows_is_no_need(paper: Paper, theorem: str) -> None:
    assert told(paper(body("Some words.", theorem))) == {}


def test_neither_a_number_nor_a_bound_explains_a_symbol(paper: Paper) -> None:
    theorem = (
        r"We have $\xi_1=2$, $\Xi=2$, $\Phi(x)>2$, $\mathcal{F}>1$, $\operatorname{foo}(x)>1$,"
        r" $\Pi_n>1$, $Y_{10}\le 1$ in $\mathbb{K}$."
    )
    found = told(paper(body("Some words.", theorem)))
    assert {need.outcome for need in found.values()} == {NeedOutcome.UNEXPLAINED}
    assert list(found) == [
        r"\xi_1", r"\Xi", r"\Phi", r"\mathcal{F}", r"\operatorname{foo}",
        r"\Pi_n", "Y_{10}", r"\mathbb{K}",
    ]  # fmt: skip


@pytest.mark.parametrize("written", [r"\nu_n", r"\nu(n)"])
def test_two_sections_that_differ_leave_a_symbol_ambiguous(paper: Paper, written: str) -> None:
    say = f"We write ${written}$ for the number of twos."
    other = f"\\section{{Q}}\nWe write ${written}$ for the number of halves.\n\\section{{R}}"
    moment = paper(body(f"{say}\n{other}", f"We have ${written}>2$."))
    need = told(moment)[written.removesuffix("(n)")]
    assert (need.outcome, len(need.via)) == (NeedOutcome.AMBIGUOUS, 2)


def test_a_symbol_of_the_statement_is_told_once(paper: Paper) -> None:
    found = needs_of(
        paper(body("Words.", r"Say $\mathcal{S}$.", r"As $\mathcal{S}$ and $\mathcal{S}_1$.")), "t"
    )
    assert [(need.key, need.part) for need in found] == [(r"\mathcal{S}", ModulePart.STATEMENT)]


def test_a_term_is_told_as_it_is_written(paper: Paper) -> None:
    say = "A graph is called \\emph{brown graph} if it has a loop."
    need = told(paper(body(say, "All is well.", "These\nBrown Graphs are two.")))["Brown Graphs"]
    assert need.outcome is NeedOutcome.SUPPLIED
    assert need.part is ModulePart.PROOF


def test_a_symbol_behind_a_macro_is_found_by_the_words_before_it(paper: Paper) -> None:
    text = "\\newcommand{\\cS}{\\mathcal{S}}\n" + body(
        "Words.", "All is well.", "Here are many words of a proof.\nThey are about $\\cS$ alone."
    )
    moment = paper(text)
    assert told(moment)[r"\mathcal{S}"].line == line_of(moment, "They are")


def test_what_only_a_mention_could_supply_to_too_many_is_unexplained(paper: Paper) -> None:
    lemmas = "".join(
        f"\\begin{{lemma}}\\label{{l{n}}} Round {n} of $\\mathcal{{M}}_{{3}}$. \\end{{lemma}}\n"
        "\\begin{proof} Count them. \\end{proof}\n"
        for n in range(13)
    )
    moment = paper(
        f"\\section{{One}}\nIt is $\\mathcal{{M}}_{{3}}$ that people ask about.\n\n{lemmas}"
    )
    need = told(moment, "l5")[r"\mathcal{M}_{3}"]
    assert (need.outcome, need.via) == (NeedOutcome.UNEXPLAINED, ())
    first = moment.document.modules[stands_first(moment, "l5", need)]
    assert first.statement.location.line == line_of(moment, "It is")


def test_nothing_has_what_stands_nowhere_else(paper: Paper) -> None:
    moment = paper(body("Some words.", r"The $\mathcal{S}$ is thin."))
    assert stands_first(moment, "t", told(moment)[r"\mathcal{S}"]) == ""


def _hub(claims: int, sayers: int) -> str:
    """A lemma's words lead to a definition that only some of so many claims name themselves."""
    leads = "\\begin{definition}\\label{d} A \\emph{tame map} is a map. \\end{definition}\n"
    leads += "\\begin{lemma}\\label{via} Tame maps exist. \\end{lemma}\n"
    told = "".join(
        f"\\begin{{theorem}}\\label{{t{n}}} Number {n}{' on a tame map' * (n < sayers)}. "
        "\\end{theorem}\n\\begin{proof} By \\ref{via}. \\end{proof}\n"
        for n in range(claims)
    )
    return leads + told


@pytest.mark.parametrize(
    ("claims", "sayers", "expected"),
    [
        (9, 0, [("d", 10, 1)]),
        (8, 0, []),
        (20, 0, [("d", 21, 1)]),
        (20, 6, []),
        (20, 5, [("d", 21, 6)]),
    ],
)
def test_a_hub_is_in_ten_contexts_and_thrice_as_many_as_name_it(
    paper: Callable[..., PaperState], claims: int, sayers: int, expected: list[DefinitionHub]
) -> None:
    assert hubs(paper(_hub(claims, sayers)).document) == expected


def test_a_convention_for_all_is_no_hub(paper: Callable[..., PaperState]) -> None:
    body = "Throughout this paper, all rings are commutative.\n\n" + _hub(20, 20)
    assert hubs(paper(body).document) == []


def test_a_name_that_is_cited_and_given_nowhere_is_told(paper: Paper) -> None:
    moment = paper(body("(A1) The kernel is even.", "Under (A1) and\n(A2) it is compact."))
    found = told(moment)
    assert found["(A1)"].outcome is NeedOutcome.SUPPLIED
    assert (found["(A2)"].outcome, found["(A2)"].via) == (NeedOutcome.UNEXPLAINED, ())
    assert found["(A2)"].line == line_of(moment, "(A2)")
    assert stands_first(moment, "t", found["(A2)"]) == ""


@pytest.mark.parametrize(
    "proof",
    [
        r"\begin{itemize}\item[(A2)] It is even.\end{itemize} So (A2) is true.",
        r"Look at (A2) of \cite{gauss}.",
        r"By (A2) in the book \cite{gauss}, all is well.",
        r"The group $G(A2)$ is small.",
        r"\begin{equation}\tag{A2} 1=1 \end{equation} This is (A2).",
        r"\begin{enumerate}[label=(A\arabic*)]\item one \item two\end{enumerate} Now (A2).",
    ],
)
def test_a_name_of_another_work_or_of_the_text_itself_is_not_lacking(
    paper: Paper, proof: str
) -> None:
    assert "(A2)" not in told(paper(body("Some words.", "All is well.", proof)))


def test_a_letter_that_another_section_names_is_told_with_its_place(paper: Paper) -> None:
    moment = paper(
        r"\section{S} It will be convenient to put $N=2^{2^k}+1$. For brevity, put"
        "\n$e(x)=\\exp(2\\pi i x)$.\n\n"
        r"\begin{lemma}\label{b} Red. \end{lemma} \section{M} \begin{theorem}\label{t}"
        r" Every prime divisor of $N$ is odd and $\sum_{a<q}e(a/q)=0$. \end{theorem}"
    )
    found = told(moment)
    assert {key: need.outcome for key, need in found.items()} == {
        "N": NeedOutcome.AMBIGUOUS,
        "e": NeedOutcome.AMBIGUOUS,
    }
    places = [moment.document.modules[one].statement.location for one in found["N"].via]
    assert [place.path for place in places] == ["main.tex"]
    assert "N=2" not in render(moment.document, "t", moment.paper.texts)


def test_a_section_that_sets_up_nothing_is_told_as_lost(paper: Paper) -> None:
    moment = paper(
        r"\section{S}\label{s} It rained. \begin{lemma}\label{b} Red. \end{lemma} \section{M}"
        r" We write $\mathcal{D}$ for a day. \begin{theorem}\label{t} In the setting of"
        r" Section~\ref{s}, all is red. \end{theorem}"
    )
    assert {key: need.outcome for key, need in told(moment).items()} == {
        "Section": NeedOutcome.UNEXPLAINED
    }
