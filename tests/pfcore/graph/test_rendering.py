"""Contexts as texts: members, slots, equations, and what equal digests mean."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from pfcore.domain.digest import text_digest
from pfcore.graph import rendering
from pfcore.graph.context import closure, context, members
from pfcore.graph.document import CURRENT, FIRST
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest, render

Paper = Callable[..., PaperState]
Rendered = Callable[..., str]

BODY = r"""
\section{Maps}
Throughout this section, all maps are continuous.
\begin{definition}\label{def:tame} A map is \emph{tame} if it is bounded. \end{definition}
\begin{lemma}[Gauss]\label{lem:a} Tame maps exist. \end{lemma}
\begin{proof} Trivial. \end{proof}
\begin{lemma}\label{lem:b} Maps exist. \end{lemma}
\begin{proof} Trivial. \end{proof}
\begin{theorem}\label{thm} All is well.
\begin{equation}\label{eq:own} x = 1 \end{equation}
\end{theorem}
\begin{proof}
By Lemma~\ref{lem:b} and \cref{lem:a}, then \eqref{eq:own}. See \cref{lem:b,sec:none}.
\end{proof}
"""


def test_a_context_reads_as_a_text(rendered: Rendered) -> None:
    assert rendered(BODY, "thm") == (
        "# Setting\n\n"
        "Convention 1. Throughout this section, all maps are continuous.\n\n"
        "# Definitions\n\n"
        "Definition 1. A map is \\emph{tame} if it is bounded.\n\n"
        "# What may be used\n\n"
        "Result 1 (lemma). Maps exist.\n\n"
        "Result 2 (lemma). (Gauss) Tame maps exist.\n\n"
        "# To be checked\n\n"
        "Theorem. All is well. \\[\\tag{E1}x=1\\]\n\n"
        "Proof. By Result 1 and Result 2, then (E1). See Result 1, [unresolved].\n"
    )


def test_a_result_of_another_section_brings_the_conventions_under_which_it_stands(
    rendered: Rendered,
) -> None:
    body = (
        "\\section{Rings} Throughout this section, all rings are commutative.\n\n"
        "\\begin{lemma}\\label{a} Rings have ideals. \\end{lemma}\n"
        "\\section{Groups} Throughout this section, all groups are finite.\n\n"
        "\\begin{lemma}\\label{b} Groups have units. \\end{lemma}\n"
        "\\begin{proof} By \\cref{a}. \\end{proof}"
    )
    assert rendered(body, "b") == (
        "# Setting\n\n"
        "Convention 1. Throughout this section, all groups are finite.\n\n"
        "# In force elsewhere\n\n"
        "Convention 2. Throughout this section, all rings are commutative.\n\n"
        "# What may be used\n\n"
        "Result 1 (lemma, under Convention 2). Rings have ideals.\n\n"
        "# To be checked\n\n"
        "Lemma. Groups have units.\n\n"
        "Proof. By Result 1.\n"
    )


def test_a_sentence_brings_no_conventions_of_its_own_place(rendered: Rendered) -> None:
    body = (
        "\\section{Rings} Throughout this section, all rings are commutative.\n\n"
        "We write $\\mathcal{N}$ for the nilradical.\n"
        "\\section{Groups}\n"
        "\\begin{lemma}\\label{b} Then $\\mathcal{N}$ is small. \\end{lemma}\n"
        "\\begin{proof} Look. \\end{proof}"
    )
    assert rendered(body, "b") == (
        "# Notation: nothing here is established\n\n"
        "Notation 1. We write $\\mathcal{N}$ for the nilradical.\n\n"
        "# To be checked\n\nLemma. Then $\\mathcal{N}$ is small.\n\nProof. Look.\n"
    )


def test_a_sentence_brings_no_definition_that_it_refers_to(rendered: Rendered) -> None:
    body = (
        "\\begin{definition}\\label{d} A tree is \\emph{tame} if it is small. \\end{definition}\n\n"
        "We write $\\mathcal{N}$ for the trees of Definition \\ref{d}.\n\n"
        "\\begin{lemma}\\label{b} Then $\\mathcal{N}$ is here. \\end{lemma}\n"
        "\\begin{proof} Look. \\end{proof}"
    )
    given = rendered(body, "b")
    assert "We write $\\mathcal{N}$ for the trees of [elsewhere]." in given
    assert "it is small" not in given


def test_a_line_of_an_algorithm_is_cited_as_a_line_of_it(rendered: Rendered) -> None:
    body = (
        "\\begin{algorithm}\\caption{Ours}\\label{alg}\n\\begin{algorithmic}\n"
        "\\State \\label{one} Take $x=1$.\n\\State Take $y=2$. \\label{two}\n"
        "\\end{algorithmic}\n\\end{algorithm}\n"
        "\\begin{lemma}\\label{b} All is well. \\end{lemma}\n"
        "\\begin{proof} By lines \\ref{one} and \\ref{two} of \\ref{alg}. \\end{proof}"
    )
    given = rendered(body, "b")
    assert "\\State (E1) Take $x=1$. \\State Take $y=2$. (E2)" in given
    assert given.endswith("By lines (E1) and (E2) of Notation 1.\n")


def test_a_module_without_relations_stands_alone(rendered: Rendered) -> None:
    body = "\\begin{lemma}\\label{a} A. \\end{lemma}"
    assert rendered(body, "a") == "# To be checked\n\nLemma. A.\n"


def test_all_proofs_of_a_module_are_shown(rendered: Rendered) -> None:
    body = (
        "\\begin{lemma}\\label{a} A. \\end{lemma}\\begin{proof} One. \\end{proof}"
        "\\begin{proof}[Second proof] Two. \\end{proof}"
    )
    assert rendered(body, "a").endswith("Proof. One.\n\nProof 2. (Second proof) Two.\n")


def test_an_item_that_is_cited_has_its_number_before_it(rendered: Rendered) -> None:
    body = (
        "\\begin{lemma}\\label{a} A: \\begin{enumerate}\\item\\label{i} One.\\item\\label{j} Two."
        "\\end{enumerate}\\end{lemma}\\begin{proof} See \\cref{j}. \\end{proof}"
    )
    text = rendered(body, "a")
    assert "\\item One. \\item (E1) Two." in text
    assert text.endswith("Proof. See (E1).\n")


def test_a_nested_claim_sees_what_contains_it(rendered: Rendered) -> None:
    body = (
        "\\begin{theorem}\\label{t} Outer. \\end{theorem}\\begin{proof} First."
        "\\begin{claim}\\label{c} Inner, as \\cref{t} wants. \\end{claim}"
        "\\begin{proof}[Proof of the claim] Look. \\end{proof} Last. \\end{proof}"
    )
    assert rendered(body, "c") == (
        "# Setting\n\n"
        "Result 1 (theorem) — its proof contains what is to be checked. Outer.\n\n"
        "# To be checked\n\nClaim. Inner, as Result 1 wants.\n\n"
        "Proof. Look.\n"
    )
    assert "Look." not in rendered(body, "t")


def test_what_is_fixed_before_a_claim_brings_the_list_that_it_announces(rendered: Rendered) -> None:
    body = (
        "\\begin{theorem}\\label{t} Outer. \\end{theorem}\\begin{proof} Let $p$ be as follows.\n"
        "\\begin{itemize}\\item $p>2$. \\end{itemize} So. "
        "\\begin{claim}\\label{c} $p$ is large. \\end{claim}"
        "\\begin{proof} Look. \\end{proof}\\end{proof}"
    )
    told = "Let $p$ be as follows. \\begin{itemize} \\item $p>2$. \\end{itemize} $p$ is large."
    assert f"# To be checked\n\nClaim. {told}\n" in rendered(body, "c")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (r"Assume that \eqref{e} holds.", r"Assume that \eqref{f} holds."),
        ("Let $n$ be even.", "Let $n$ be odd."),
        ("Let $n$ be even.", "Now suppose instead that $n$ is odd."),
        ("Call an ideal good if it is big.", "Now call an ideal good if it is small."),
    ],
    ids=["another reference", "a symbol taken anew", "another supposition", "a word"],
)
def test_what_one_claim_supposes_and_another_does_not_is_told(
    rendered: Rendered, first: str, second: str
) -> None:
    claim = "\\begin{claim}\\label{%s} It is %s. \\end{claim}\\begin{proof} %s \\end{proof}"
    case = "\\textbf{Case %d.} %s "
    body = (
        "\\begin{equation}\\label{e} a=b \\end{equation}"
        "\\begin{equation}\\label{f} c=d \\end{equation}"
        "\\begin{theorem}\\label{t} Outer. \\end{theorem}\\begin{proof} "
        + (case % (1, first) if "eqref" in first else first) + claim % ("c", "large", "Look.")
        + (case % (2, second) if "eqref" in second else second)
        + claim % ("d", "small", r"By \cref{c}.") + " Done. \\end{proof}"
    )  # fmt: skip
    (told,) = [line for line in rendered(body, "d").splitlines() if "It is large" in line]
    assert told.startswith("Result ") and "under hypotheses" not in told
    assert told.partition("(claim). ")[2].startswith(("Assume that (E", "Let $n$", "Call an"))


def test_a_followed_proof_is_shown(rendered: Rendered) -> None:
    body = (
        "\\begin{lemma}\\label{a} A. \\end{lemma}\\begin{proof} Divide. \\end{proof}"
        "\\begin{lemma}\\label{b} B. \\end{lemma}"
        "\\begin{proof} As in the proof of \\cref{a}. \\end{proof}"
    )
    assert "# Proofs that the proof below follows\n\nProof of Result 1. Divide." in rendered(
        body, "b"
    )


def test_a_cited_equation_is_a_member(rendered: Rendered) -> None:
    body = (
        "\\begin{lemma}\\label{a} A. \\end{lemma}\\begin{proof} Now"
        "\\begin{equation}\\label{e} 1 = 1 \\end{equation} holds. \\end{proof}"
        "\\begin{lemma}\\label{b} B. \\end{lemma}\\begin{proof} By \\eqref{e}. \\end{proof}"
    )
    text = rendered(body, "b")
    assert "# What may be used\n\n(E1) \\[1=1\\]\n" in text
    assert text.endswith("Proof. By (E1).\n")


def test_its_own_statement_is_called_so(rendered: Rendered) -> None:
    body = (
        "\\begin{lemma}\\label{a} A. \\end{lemma}\\begin{proof} Now \\cref{a} follows. \\end{proof}"
    )
    assert rendered(body, "a").endswith("Proof. Now the statement to be proved follows.\n")


def test_places_without_words_are_named_as_such(rendered: Rendered) -> None:
    body = (
        "\\section{S}\\label{s}\\begin{figure}\\label{f}\\end{figure}"
        "\\begin{lemma}\\label{a} A. \\end{lemma}"
        "\\begin{proof} See \\cref{s}, \\cref{f}, \\cref{x}. "
        "Compare \\cref{b}. \\end{proof}\\begin{lemma}\\label{b} B. \\end{lemma}"
    )
    assert rendered(body, "a").endswith(
        "Proof. See [a section], [a figure or table], [unresolved]. Compare [another result].\n"
    )


def test_slots_are_numbered_by_first_mention(paper: Paper) -> None:
    moment = paper(BODY)
    found = context(moment.document, "thm")
    assert found.members[:2] == ("lem:b", "lem:a")
    assert found.slots["lem:b"] == "Result 1"
    assert found.slots["lem:a"] == "Result 2"


TWIN = r"""
\section{Groups}
Throughout this section, $p$ is odd.
\begin{lemma}\label{FIRST} Groups exist. \end{lemma}
\begin{proof} Trivial. \end{proof}
\begin{theorem}\label{SECOND} All is well. \end{theorem}
\begin{proof} By \cref{FIRST}. \end{proof}
"""


def test_equal_contexts_under_other_names_and_places_have_equal_digests(paper: Paper) -> None:
    other = TWIN.replace("Groups}", "Rings}").replace("FIRST", "one").replace("SECOND", "two")
    moment = paper({"main.tex": f"{TWIN}\\input{{other}}", "other.tex": f"\n\n{other}"})
    document, texts = moment.document, moment.paper.texts
    assert render(document, "SECOND", texts) == render(document, "two", texts)
    assert context_digest(document, "FIRST", texts) == context_digest(document, "one", texts)
    assert context_digest(document, "FIRST", texts) != context_digest(document, "two", texts)


def test_the_order_of_members_does_not_depend_on_their_places(paper: Paper) -> None:
    """Two definitions of the same words, told apart by who refers to them."""
    one = "\\begin{definition}\\label{A} An object is given. \\end{definition}\n"
    two = one.replace("{A}", "{B}")
    users = (
        "\\begin{lemma}\\label{u} Let it be as in \\cref{A}. \\end{lemma}\n"
        "\\begin{lemma}\\label{v} Let it be that of \\cref{B}, please. \\end{lemma}\n"
        "\\begin{theorem}\\label{t} So. \\end{theorem}\\begin{proof}\\uses{u,v} Yes. \\end{proof}"
    )
    first, second = paper(one + two + users), paper(two + one + users)
    assert render(first.document, "t", first.paper.texts) == render(
        second.document, "t", second.paper.texts
    )


def test_the_closure_follows_words_not_proofs_and_ends(paper: Paper) -> None:
    document = paper(r"""
\begin{lemma}\label{a} See \cref{b}. \end{lemma}
\begin{proof} By \cref{far}. \end{proof}
\begin{lemma}\label{b} See \cref{c}. \end{lemma}
\begin{lemma}\label{c} See \cref{a}. \end{lemma}
\begin{lemma}\label{far} Far. \end{lemma}
\begin{lemma}\label{top} Top. \end{lemma}
\begin{proof} By \cref{a}. \end{proof}
""").document
    assert closure(document, ["a"]) == {"a", "b", "c"}
    assert members(document, "top") == {"a", "b", "c"}
    assert members(document, "a") == {"b", "c", "far"}


def test_a_result_has_its_name_where_somebody_calls_it_so(rendered: Rendered) -> None:
    body = BODY.replace("All is well.\n", "All is well by Gauss's lemma.\n")
    text = rendered(body, "thm")
    assert 'Result 2 (lemma, called "gauss lemma"). (Gauss) Tame maps exist.' in text
    assert "called" not in rendered(BODY, "thm")


def test_the_title_of_a_definition_is_part_of_it(rendered: Rendered) -> None:
    body = BODY.replace("\\label{def:tame}", "[Tame maps]\\label{def:tame}")
    assert "Definition 1. (Tame maps) A map is" in rendered(body, "thm")


TYPED = r"""
\begin{lemma}[Gauss]\label{lem:a} Maps with $a\leq b$\pagebreak[2] exist. \end{lemma}
\begin{proof} So. \end{proof}
"""


def test_contexts_can_be_had_in_the_form_before(paper: Paper) -> None:
    made = paper(TYPED)
    first = render(made.in_first_form, "lem:a", made.paper.texts)
    assert first == ("# To be checked\n\nLemma. Maps with $a\\leq b$ [2] exist.\n\nProof. So.\n")
    now = render(made.document, "lem:a", made.paper.texts)
    assert now == ("# To be checked\n\nLemma. (Gauss) Maps with $a\\le b$ exist.\n\nProof. So.\n")
    digests = {
        context_digest(document, "lem:a", made.paper.texts)
        for document in (made.in_first_form, made.document)
    }
    assert digests == {text_digest(f"{FIRST}\n{first}"), text_digest(f"{CURRENT}\n{now}")}


def test_a_repository_pins_the_form_of_its_contexts(paper: Paper) -> None:
    pinned = paper({"main.tex": TYPED, "pf.toml": '[reading]\nform = "pf-context/1"\n'})
    texts = pinned.paper.texts
    assert (pinned.document.form, paper(TYPED).document.form) == (FIRST, CURRENT)
    first = render(paper(TYPED).in_first_form, "lem:a", texts)
    assert render(pinned.document, "lem:a", texts) == first
    later = build_paper_state(pinned.paper, pinned)
    assert render(later.document, "lem:a", texts) == first


def test_a_label_that_a_condition_asks_for_is_not_printed(rendered: Rendered) -> None:
    body = (
        "\\newcommand{\\see}[1]{\\IfRefUndefinedExpandable{#1}{}{, see \\ref{#1}}}\n"
        "\\begin{lemma}\\label{lem:NAME} Maps exist. \\end{lemma}\n"
        "\\begin{theorem}\\label{thm} \\texorpdfstring{$X$}{X} is well"
        "\\see{lem:NAME}. \\end{theorem}"
    )
    one, other = (rendered(body.replace("NAME", name), "thm") for name in ("a", "b"))
    assert one == other
    assert "$X$ is well, see Result 1." in one


def test_formulas_between_brackets_bring_in_what_those_between_dollars_do(
    rendered: Rendered,
) -> None:
    body = (
        "\\section{One} We write $\\mathcal{T}_x$ for the tree at $x$. A map is called "
        "\\emph{tame} if $\\mathcal{T}_x$ is small.\n\n"
        "\\begin{definition} The sum $\\mathcal{S}(x)$ has one part. \\end{definition}\n\n"
        "\\begin{theorem}\\label{thm} A tame map has $\\mathcal{T}_x=\\mathcal{S}(x)$. "
        "\\end{theorem}"
    )
    pieces = body.split("$")
    other = "".join(f"{a}\\({b}\\)" for a, b in zip(pieces[::2], pieces[1::2], strict=False))
    assert rendered(body, "thm") == rendered(other + pieces[-1], "thm")
    assert "for the tree" in rendered(body, "thm")
    assert "has one part" in rendered(body, "thm")


def test_what_holds_elsewhere_is_printed_there_alone(
    paper: Paper, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment = paper(
        "Let $\\Theta_S$ be the trace form of $S$.\n\n"
        "\\begin{theorem}\\label{t} $\\Theta_S$ is closed. \\end{theorem}\n"
        "\\begin{proof} Clear. \\end{proof}\n"
    )
    whole = context(moment.document, "t")
    (notation,) = whole.members
    assert render(moment.document, "t", moment.paper.texts).startswith("# Notation")
    placed = replace(whole, elsewhere=frozenset({notation}))
    monkeypatch.setattr(rendering, "context", lambda document, name: placed)
    given = render(moment.document, "t", moment.paper.texts)
    assert given.startswith("# In force elsewhere")
    assert given.count("the trace form") == 1


def test_a_cited_figure_is_what_it_says_and_of_a_picture_the_caption(
    paper: Callable[..., PaperState],
) -> None:
    moment = paper(
        r"\begin{figure}\fbox{Pick $g$ at random. Output $g$.}\caption{Our way.}\label{f}"
        r"\end{figure}"
        r"\begin{figure}\includegraphics{x} Some words.\caption{A picture.}\label{g}\end{figure}"
        r"\begin{theorem}\label{t} All is safe by Figures \ref{f} and \ref{g}. \end{theorem}"
        r"\begin{proof} Look. \end{proof}"
    )
    given = render(moment.document, "t", moment.paper.texts)
    assert "Pick $g$ at random. Output $g$." in given
    assert "A picture." in given and "Some words" not in given


def test_a_statement_that_is_read_in_twice_is_there_twice(paper: Paper) -> None:
    again = r"\begin{theorem}\label{t%s} \input{said} \end{theorem} \begin{proof} Yes. \end{proof}"
    files = {"main.tex": "\n".join(again % name for name in "abc"), "said.tex": "All is well."}
    moment = paper(files)
    for name in ("ta", "tb", "tc"):
        text = render(moment.document, name, moment.paper.texts)
        assert "Theorem. All is well.\n" in text


def test_what_is_read_in_again_and_again_is_put_in_a_few_times_only(paper: Paper) -> None:
    again = r"\begin{theorem}\label{t%d} \input{said} \end{theorem}"
    files = {"main.tex": "\n".join(again % n for n in range(12)), "said.tex": "All is well."}
    moment = paper(files)
    texts = [render(moment.document, f"t{n}", moment.paper.texts) for n in range(12)]
    assert sum("All is well" in text for text in texts) == 5


def test_results_in_a_file_that_two_statements_read_in_are_results_once(paper: Paper) -> None:
    again = r"\begin{theorem}\label{t%s} \input{said} \end{theorem}"
    own = r"\begin{lemma}\label{l} All is well. \end{lemma}"
    moment = paper({"main.tex": "\n".join(again % name for name in "ab"), "said.tex": own})
    assert sum(module.kind == "lemma" for module in moment.document.modules.values()) == 1
