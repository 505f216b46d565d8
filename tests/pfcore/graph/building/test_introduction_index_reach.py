"""How far what names a symbol reaches, and which sentences it takes along."""

from collections.abc import Callable

import pytest

from pfcore.graph.needs import NeedOutcome, needs_of
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import render

Paper = Callable[..., PaperState]

LEMMA = r"\begin{lemma} All is well. \end{lemma}\begin{proof} Time will tell. \end{proof}"
GENERAL = r"\section{Notation} We write $\mathcal{V}_*$ for the first value."
OTHER = r"\section{Games}\subsection{Rules} We write $\mathcal{V}_*$ for the value of a bet."
HERE = r"\subsection{Bets}"


def given(paper: Paper, *parts: str) -> str:
    """What stands before the theorem in its context."""
    moment = paper("\n\n".join(parts))
    return render(moment.document, "t", moment.paper.texts).partition("# To be checked")[0]


def theorem(statement: str, proof: str = "Yes.") -> str:
    proved = f"\\begin{{proof}} {proof} \\end{{proof}}"
    return f"\\begin{{theorem}}\\label{{t}} {statement} \\end{{theorem}}{proved}"


USES = theorem(r"The value $\mathcal{V}_*$ is not zero.")


def test_what_a_section_beside_names_is_nearer_than_the_notation_of_all(paper: Paper) -> None:
    said = given(paper, GENERAL, OTHER, HERE, USES)
    assert "value of a bet" in said
    assert "first value" not in said


def test_the_notation_of_another_chapter_is_no_nearer_than_that_of_this_one(paper: Paper) -> None:
    first = r"\chapter{Games}"
    other = r"\chapter{Odds}" + GENERAL
    mine = r"\chapter{Bets}\section{Notation} We write $\mathcal{V}_*$ for the value of a bet."
    said = given(paper, first, other, mine, r"\section{Odd ones}", USES)
    assert "value of a bet" in said and "first value" not in said


def test_the_notations_of_two_other_chapters_are_rivals(paper: Paper) -> None:
    parts = [r"\chapter{Games}", r"\chapter{Odds}" + GENERAL, r"\chapter{Bets}" + LEMMA]
    parts += [r"\chapter{Dice}\section{Notation} We write $\mathcal{V}_*$ for the value of a die."]
    said = given(paper, *(one.replace("_*", "_0") for one in (*parts, r"\chapter{Last}", USES)))
    assert "first value" not in said and "value of a die" not in said


def test_what_another_section_names_is_no_nearer(paper: Paper) -> None:
    said = given(paper, GENERAL, OTHER, r"\section{Bets}", USES)
    assert "first value" in said
    assert "value of a bet" not in said


def test_two_that_differ_beside_leave_the_notation_of_all(paper: Paper) -> None:
    more = r"\subsection{More} We write $\mathcal{V}_*$ for the worst of all values."
    said = given(paper, GENERAL, OTHER, more, HERE, USES)
    assert "first value" in said
    assert "bet" not in said and "worst" not in said


def test_what_supposes_something_elsewhere_is_no_rival_of_what_names_it(paper: Paper) -> None:
    named = r"\section{One} Denote by $\mathcal{B}$ the space of all bounded sums."
    other = r"\section{Two} Assume that $\mathcal{B}$ is dense."
    use = theorem(r"The space $\mathcal{B}$ is thin.")
    said = given(paper, named, other, r"\section{Three}", use)
    assert "bounded sums" in said
    assert "is dense" not in said


def test_what_a_section_of_the_same_chapter_takes_is_nearer_than_another_chapter(
    paper: Paper,
) -> None:
    far = r"\chapter{Games}\section{Rules} Consider a space $\mathcal{B}$ of games."
    near = r"\chapter{Bets}\section{Odds} Let $\mathcal{B}$ be a space of bets."
    said = given(paper, far, near, r"\section{Sums}", theorem(r"The space $\mathcal{B}$ is thin."))
    assert "space of bets" in said and "of games" not in said


def test_two_that_name_a_symbol_elsewhere_are_rivals_still(paper: Paper) -> None:
    named = r"\section{One} Denote by $\mathcal{B}$ the space of all bounded sums."
    other = r"\section{Two} Denote by $\mathcal{B}$ the set of all colours."
    use = theorem(r"The space $\mathcal{B}$ is thin.")
    assert given(paper, named, other, r"\section{Three}", use) == ""


@pytest.mark.parametrize(
    "say",
    [
        r"For a knot $U$ we have \[\lambda(U):=\inf\{n: U\text{ has }n\text{ crossings}\}.\]",
        r"For a knot $U$ we have \[\Lambda(U)\triangleq 2+c_U.\]",
    ],
)
def test_what_is_set_for_any_argument_is_known_in_other_sections(paper: Paper, say: str) -> None:
    use = theorem(r"For all knots $V$ we have $\lambda(V)\le\Lambda(V)$.")
    assert "knot $U$" in given(paper, r"\section{One}", say, r"\section{Two}", use)
    taken = r"\section{Two} Let $\lambda$ and $\Lambda$ be slopes."
    assert "knot $U$" not in given(paper, r"\section{One}", say, taken, use)


def test_a_small_latin_letter_with_arguments_is_one_of_its_section(paper: Paper) -> None:
    say = r"\section{One} We have a shape \[f(x):=x+1.\]"
    assert given(paper, say, r"\section{Two}", theorem("The value $f(2)$ is odd.")) == ""


def test_a_definition_names_nothing_that_it_only_relates_to(paper: Paper) -> None:
    made = r"\section{One} Let $\mathsf{Gen}$ be a process that draws two stones."
    definition = (
        r"\begin{definition} The stone law holds relative to $\mathsf{Gen}$ if nobody sees both. "
        r"\end{definition}"
    )
    said = given(paper, made, definition, theorem(r"By luck $\mathsf{Gen}$ stops."))
    assert "draws two stones" in said
    assert "nobody sees" not in said


def test_a_map_without_a_name_names_none_of_its_ends(paper: Paper) -> None:
    named = r"\section{One} Denote by $\mathcal{U}$ the coarse functor."
    other = r"For any $Z$ the map \[\mathcal{U}(Z)\to\mathcal{S}(Z)\] is defined by gluing."
    use = theorem(r"Here $\mathcal{U}$ is exact.")
    said = given(paper, named, other, LEMMA, use)
    assert "coarse functor" in said
    assert "gluing" not in said


def test_a_display_with_arguments_twice_says_what_it_is(paper: Paper) -> None:
    say = (
        r"There is a right adjoint, defined, as usual, by the expression "
        r"\[\mathcal{W}(Y)(n)=\mathrm{Map}(n,Y).\]"
    )
    said = given(paper, say, LEMMA, theorem(r"The functor $\mathcal{W}$ is faithful."))
    assert "right adjoint" in said


def test_a_sign_that_stands_before_where_it_goes_is_named(paper: Paper) -> None:
    say = (
        r"\section{One} We define the \emph{join} "
        r"$\ast\colon C(\square^n)^{\otimes 2}\to C(\square^n)$."
    )
    use = theorem(r"If $x$ and $y$ are cells, then $x\ast y$ is one.")
    assert "emph{join}" in given(paper, say, r"\section{Two}", use)


@pytest.mark.parametrize("by", ["by", "as being"])
def test_what_stands_inside_what_is_denoted_is_not_named(paper: Paper, by: str) -> None:
    say = rf"We denote the class of all columns in a picture $P$ {by} $\mathcal{{C}}_x$, as usual."
    said = given(paper, say, LEMMA, theorem(r"Each $\mathcal{C}_x$ is striped."))
    assert "class of all columns" in said
    assert given(paper, say, LEMMA, theorem(r"The law $P$ is dull.")) == ""


def test_what_is_put_in_place_of_something_is_no_index(paper: Paper) -> None:
    say = (
        r"\section{One} We denote the map that differs from $w$ in one value $w(e)=c$ by "
        r"$w_{e\leftarrow c}$."
    )
    use = theorem(r"Let $w$ be a weight. Then $w_{f\leftarrow d}$ is smaller.")
    assert "differs from" in given(paper, say, use)
    assert given(paper, say, theorem(r"Let $w$ be a weight. Then $w_i$ is smaller.")) == ""


def test_an_introduction_brings_no_other(paper: Paper) -> None:
    first = r"For a node $v$ let $\mathcal{F}^i_v$ be $1$ if round $i$ fails, else $0$."
    last = r"Let $\mathcal{G}_v=\sum_i\mathcal{F}^i_v$ for each node $v$."
    use = theorem(r"All $\mathcal{G}_v$ are small.")
    said = given(paper, r"\section{One}", first, LEMMA, last, LEMMA, use)
    assert "for each node" in said
    assert "round $i$ fails" not in said


def test_what_only_says_where_a_symbol_is_given_hides_no_introduction(paper: Paper) -> None:
    first = (
        r"\section{One} Denote by $\mathcal{P}$ the set \begin{equation}\label{e} S \end{equation}"
    )
    last = r"\section{Two} Recall that $\mathcal{P}$ is given in \eqref{e}."
    use = theorem(r"The set $\mathcal{P}$ is finite.")
    assert "Denote by" in given(paper, first, LEMMA, last, LEMMA, use)


def test_a_claim_that_only_mentions_one_of_many_hides_none_that_takes_all(paper: Paper) -> None:
    takes = r"\section{One} Let $\mathcal{C}_r$ be the cyclic group of order $r$."
    mentions = r"\begin{lemma} Consider a map \[H(\mathcal{C}_p)\to H.\] It is one. \end{lemma}"
    use = theorem(r"The group $\mathcal{C}_p$ is small.")
    said = given(paper, takes, r"\section{Two}", mentions, r"\section{Three}", use)
    assert "cyclic group" in said
    assert "Consider a map" not in said


def test_what_says_what_one_of_many_is_counts_before_what_takes_all(paper: Paper) -> None:
    takes = r"\section{One} Let $\mathcal{C}_r$ be a group for each $r$."
    says = r"\section{Two} $\mathcal{C}_p$ is the free group of all stones."
    use = theorem(r"The group $\mathcal{C}_p$ is small.")
    assert "all stones" in given(paper, takes, LEMMA, says, LEMMA, use)


CONSTRUCTION = (
    "Old words of another kind stand here.",
    "We now give the construction that is used by all players.",
    r"\begin{itemize}\item Setup: draw a stone.\end{itemize}",
    r"\begin{itemize}\item Sign: paint it.\end{itemize}",
)


@pytest.mark.parametrize(
    "statement",
    [
        "The construction above is safe.",
        "The above construction is safe.",
        "The construction described above is safe.",
    ],
)
def test_a_statement_on_the_construction_above_brings_all_of_it(
    paper: Paper, statement: str
) -> None:
    said = given(paper, r"\section{Stones}", *CONSTRUCTION, theorem(statement))
    assert "give the construction" in said and "draw a stone" in said and "paint it" in said
    assert "Old words" not in said and "Stones" not in said


def test_a_command_of_layout_does_not_hide_what_is_agreed(paper: Paper) -> None:
    say = r"\noindent For the remainder of the section, we analyze $r\ge 10$ alone."
    said = given(paper, r"\section{One}", say, LEMMA, theorem("Rounds are short."))
    assert "we analyze" in said


TAKEN = r"\section{One} Let $\mathcal{B}$ be a bundle of long sums. It is fine."
NAMED = r"\section{One} We write $\mathcal{B}$ for the bundle of long sums. It is fine."


def test_what_is_taken_under_other_headings_answers_for_a_statement_alone(paper: Paper) -> None:
    states = theorem(r"The bundle $\mathcal{B}$ is thin.")
    proves = theorem("All is well.", r"The bundle $\mathcal{B}$ is thin.")
    assert "long sums" in given(paper, TAKEN, r"\section{Two}", states)
    assert "long sums" not in given(paper, TAKEN, r"\section{Two}", proves)
    assert "long sums" in given(paper, NAMED, r"\section{Two}", proves)
    assert "long sums" in given(paper, TAKEN, r"\subsection{Two}", proves)


def test_what_is_taken_under_other_headings_is_not_told_for_a_result_cited(paper: Paper) -> None:
    lemma = (
        r"\section{Two} \begin{lemma}\label{l} The bundle $\mathcal{B}$ is thin. \end{lemma}"
        r"\begin{proof} Clear. \end{proof}"
    )
    use = theorem("All is well.", r"By Lemma~\ref{l}.")
    said = given(paper, TAKEN, lemma, r"\section{Three}", use)
    assert "is thin" in said
    assert "long sums" not in said
    assert "long sums" in given(paper, NAMED, lemma, r"\section{Three}", use)


def test_a_letter_with_scripts_that_is_taken_once_answers_for_a_proof_too(paper: Paper) -> None:
    taken = r"\section{One} Let $x_{i,v}$ be the bag of stone $i$ at $v$. It is fine."
    proves = theorem("All is well.", r"Each $x_{i,v}$ is thin.")
    assert "bag of stone" in given(paper, taken, r"\section{Two}", proves)


@pytest.mark.parametrize(
    "sign",
    [
        r":=", r"\equiv_{\mathrm{def}}", r"=^{\text{def}}", r"\overset{\text{def}}{\equiv}",
        r"\stackrel{\mathrm{def}}{\iff}", r"\buildrel\rm def\over=", r"\mathrel{\mathop:}=",
        r"\stackrel{.}{=}", r"\xLeftrightarrow{\text{def}}",
    ],
)  # fmt: skip
def test_a_definition_sets_a_symbol_by_any_sign_of_the_field(paper: Paper, sign: str) -> None:
    told = rf"A stone $A$ has a set \[ \mathsf{{Foo}}(A) {sign} B \cap C. \]"
    body = f"\\begin{{definition}} {told} \\end{{definition}}"
    use = theorem("All is well.", r"The set $\mathsf{Foo}(A)$ is finite.")
    assert "A stone $A$ has" in given(paper, r"\section{One}", body, r"\section{Two}", use)
    told = r"A stone $A$ has a set \[ \mathsf{Foo}(A) \neq B. \]"
    unset = f"\\begin{{definition}} {told} \\end{{definition}}"
    assert "has a set" not in given(paper, r"\section{One}", unset, r"\section{Two}", use)


@pytest.mark.parametrize("said", ["weakly tame stone", "tame stone"])
def test_a_term_is_said_with_and_without_what_stands_in_brackets(paper: Paper, said: str) -> None:
    rule = (
        r"\begin{definition} A \emph{(weakly) tame stone} is a stone that sings. \end{definition}"
    )
    use = theorem(f"Every {said} is flat.")
    assert "sings" in given(paper, r"\section{One}", rule, r"\section{Two}", use)


def test_a_condition_is_known_by_the_letters_in_its_brackets(paper: Paper) -> None:
    told = r"A norm satisfies condition \textup{(Inj)}\ if it sings."
    rule = f"\\begin{{definition}} {told} \\end{{definition}}"
    use = theorem(r"Suppose that the norm satisfies condition (Inj). Then it is flat.")
    assert "sings" in given(paper, r"\section{One}", rule, r"\section{Two}", use)
    other = theorem(r"Suppose that the norm satisfies condition (Sur). Then it is flat.")
    assert "sings" not in given(paper, r"\section{One}", rule, r"\section{Two}", other)


DEFINED = r"\begin{definition} A cell is \emph{tame} if it is closed. \end{definition}"
ANNOUNCED = r"Cells that are well behaved we call \emph{tame}."
SAYS_TAME = theorem("Every tame cell is flat.")


def test_a_definition_counts_before_the_sentence_that_announces_it(paper: Paper) -> None:
    parts = (r"\section{One}", ANNOUNCED, r"\subsection{Two}", DEFINED, r"\subsection{Three}")
    said = given(paper, *parts, SAYS_TAME)
    assert "it is closed" in said
    assert "well behaved" not in said


def test_a_sentence_behind_a_definition_in_a_nearer_scope_names_it_anew(paper: Paper) -> None:
    parts = (r"\section{One}", DEFINED, r"\section{Two}", ANNOUNCED, SAYS_TAME)
    said = given(paper, *parts)
    assert "it is closed" not in said
    assert "well behaved" in said


AHEAD = (
    r"\section{Introduction} A garden is \emph{mossy} if it is wet."
    "\n\n"
    r"Denote by $\mathcal{G}$ the set of all gardens."
    "\n\n"
    r"\section{Proofs}"
)


def test_of_what_an_introduction_says_ahead_only_a_named_symbol_serves_a_proof(
    paper: Paper,
) -> None:
    claim = r"Every mossy garden is in $\mathcal{G}$."
    stated = given(paper, AHEAD, LEMMA, theorem(claim))
    assert "if it is wet" in stated and "of all gardens" in stated
    proved = given(paper, AHEAD, LEMMA, theorem("All is well.", claim))
    assert "if it is wet" not in proved and "of all gardens" in proved
    cited = rf"\begin{{lemma}}\label{{l}} {claim} \end{{lemma}}"
    named = given(paper, AHEAD, cited, LEMMA, theorem("All is well.", r"By \ref{l}."))
    assert "if it is wet" not in named and "of all gardens" in named


RULE = r"\begin{definition} A cell is \emph{tame} if $\mathcal{W}_*$ has it. \end{definition}"


@pytest.mark.parametrize("verb", ["We write $%s$ for", "Let $%s$ be"])
def test_a_definition_leans_on_no_sentence(paper: Paper, verb: str) -> None:
    sentence = verb % r"\mathcal{W}_*" + " the bag of worn cells."
    said = given(paper, r"\section{One}", sentence, RULE, r"\section{Two}", SAYS_TAME)
    assert "has it" in said
    assert "worn cells" not in said


def test_what_a_term_leads_to_is_said_to_be_under_no_convention_that_is_not_told(
    paper: Paper,
) -> None:
    parts = (DEFINED, r"\section{Two}", SAYS_TAME)
    plain = given(paper, r"\section{One}", *parts)
    bound = given(paper, r"\section{One} In this section all rings are old.", *parts)
    assert plain == bound and "it is closed" in plain
    here = (DEFINED, r"\section{Two} In this section all rings are new.", SAYS_TAME)
    assert "(under no convention)" in given(paper, r"\section{One}", *here)


def test_a_term_leads_to_no_convention_that_holds_elsewhere(paper: Paper) -> None:
    section = r"\section{One} In this section all rings are old."
    cited = r"\begin{lemma}\label{l} A ring is blue. \end{lemma}\begin{proof} Clear. \end{proof}"
    by_term = given(paper, section, DEFINED, r"\section{Two}", SAYS_TAME)
    by_reference = given(
        paper, section, cited, r"\section{Two}", theorem("All is well.", r"By Lemma~\ref{l}.")
    )
    assert "it is closed" in by_term
    assert "old" not in by_term
    assert "rings are old" in by_reference


FRAMED = r"\begin{definition} %s \end{definition}"
CHAIN = (
    FRAMED % r"A \emph{tame square} has four pebbles.",
    FRAMED % r"We write $\mathcal{Q}$ for the set of all shells.",
    FRAMED % r"A \emph{net} is a tame square with a map to $\mathcal{Q}$.",
)


def test_a_definition_leads_to_those_of_its_symbols_and_of_its_terms_of_several_words(
    paper: Paper,
) -> None:
    said = given(paper, r"\section{One}", *CHAIN, theorem("Every net is thin."))
    assert "map to" in said
    assert "four pebbles" in said and "all shells" in said


def test_a_definition_leads_on_for_the_statement_alone(paper: Paper) -> None:
    said = given(paper, r"\section{One}", *CHAIN, theorem("All is well.", "Every net is thin."))
    assert "map to" in said
    assert "four pebbles" not in said and "all shells" not in said


LIGHT = r"\begin{lemma}\label{o} A stone is light. \end{lemma}\begin{proof} Clear. \end{proof}"
BAG = r"\begin{definition}\label{o} A \emph{bag} has four pebbles. \end{definition}"


@pytest.mark.parametrize(("other", "has"), [(LIGHT, "is light"), (BAG, "four pebbles")])
@pytest.mark.parametrize("use", [theorem("A net is thin."), theorem("So.", "By nets.")])
def test_a_definition_brings_what_it_refers_to(
    paper: Paper, other: str, has: str, use: str
) -> None:
    net = FRAMED % r"A \emph{net} is a map as in \ref{o}."
    said = given(paper, r"\section{One}", other, net, r"\section{Two}", use)
    assert "is a map as in" in said and has in said


def test_a_definition_leads_to_none_under_another_outermost_heading(paper: Paper) -> None:
    first, *others = CHAIN
    said = given(
        paper, r"\section{One}", first, r"\section{Two}", *others, theorem("A net is thin.")
    )
    assert "all shells" in said
    assert "four pebbles" not in said


def test_a_chapter_is_no_section(paper: Paper) -> None:
    first, *others = CHAIN
    parts = (r"\chapter{I}\section{One}", first, r"\section{Two}", *others)
    said = given(paper, *parts, theorem("A net is thin."))
    assert "all shells" in said
    assert "four pebbles" not in said


def test_a_definition_leads_no_farther_than_to_the_next(paper: Paper) -> None:
    farther = FRAMED % r"A \emph{tame triangle} is half of a tame square."
    net = FRAMED % r"A \emph{net} is made of every tame triangle."
    said = given(paper, r"\section{One}", CHAIN[0], farther, net, theorem("Every net is thin."))
    assert "half of" in said
    assert "four pebbles" not in said


CITED = (
    r"\section{One} Wet stones are called \emph{mossins}. Much is known of them."
    "\n\nThere are other things."
    r" A \emph{mossy stone garden} is a garden that has only grey stones."
    "\n\nThere are more things."
    r" Denote by $\mathcal{G}$ the set of all gardens."
)


def test_a_cited_result_brings_sentences_for_its_symbols_and_long_terms_alone(paper: Paper) -> None:
    claim = r"Mossins and mossy stone gardens are in $\mathcal{G}$."
    lemma = rf"\begin{{lemma}}\label{{l}} {claim} \end{{lemma}}"
    said = given(paper, CITED, lemma, LEMMA, theorem("All is well.", r"By \ref{l}."))
    assert "only grey stones" in said and "all gardens" in said
    assert "Wet stones" not in said


def test_a_cited_remark_brings_nothing_for_its_own_words(paper: Paper) -> None:
    remark = r"\begin{remark}\label{r} A mossy stone garden is in $\mathcal{G}$. \end{remark}"
    said = given(paper, CITED, remark, LEMMA, theorem("All is well.", r"By \ref{r}."))
    assert "A mossy stone garden is in" in said
    assert "only grey stones" not in said and "all gardens" not in said


def test_a_sentence_that_a_term_leads_to_brings_no_display_along(paper: Paper) -> None:
    display = (
        r"\section{One} Old gardens have the size \begin{equation}\label{e} s = 7. \end{equation}"
    )
    says = r"Denote by $\mathcal{G}$ the set of all gardens with \eqref{e}."
    said = given(paper, display, says, LEMMA, theorem(r"The set $\mathcal{G}$ is finite."))
    assert "all gardens with" in said
    assert "Old gardens" not in said


BESIDE = (
    r"\section{One} Denote by $\mathcal{B}$ the set of all bets. "
    r"A bet on a horse $h$ is lost if $h$ is late."
)
MANY = (
    r"\section{Two} Fix a house $h$.",
    r"\section{Three} Fix a hedge $h$.",
    r"\section{Four}",
    theorem(r"No bet of $\mathcal{B}$ is won on $h$."),
)


def test_what_stands_beside_an_answer_says_what_its_letters_are(paper: Paper) -> None:
    said = given(paper, BESIDE, *MANY)
    assert "horse $h$" in said and "house" not in said and "hedge" not in said


def test_a_need_that_it_answers_is_told_as_supplied(paper: Paper) -> None:
    moment = paper("\n\n".join((BESIDE, *MANY)))
    (letter,) = (need for need in needs_of(moment, "t") if need.key == "h")
    assert letter.outcome is NeedOutcome.SUPPLIED
    (name,) = letter.via
    assert "horse $h$" in moment.paper.source("main.tex")[slice(*_span(moment, name))]


def _span(moment: PaperState, name: str) -> tuple[int, int]:
    where = moment.document.modules[name].statement.location
    return where.start, where.end


HIDDEN = (
    "\n\\label{x}\n",
    "\n  \\label{x} \\label{y}\n",
    "\n\\iffalse\nNobody reads this.\n\nNor this.\n\\fi\n",
    "\n\\begin{comment}\nNobody reads this.\n\\end{comment}\n",
    "\n\\iffalse\nNobody reads this.\n\\fi % nor this\n",
    "\n\\begin{comment}\nNobody reads this.\n\\end{comment} % nor this\n\\label{x} % nor this\n",
)
"""What is not printed, on lines of its own."""


@pytest.mark.parametrize(
    "between",
    ["\n\n", r" \par ", *(f"\n{one}" for one in HIDDEN), *(f"{one}\n" for one in HIDDEN)],
)
def test_only_its_own_paragraph_does(paper: Paper, between: str) -> None:
    parted = BESIDE.replace(". A bet", f".{between}A bet")
    assert "horse" not in given(paper, parted, *MANY)


def test_what_stands_beside_it_and_answers_nothing_is_not_told(paper: Paper) -> None:
    use = theorem(r"No bet of $\mathcal{B}$ is won.")
    assert "horse" not in given(paper, BESIDE, *MANY[:-1], use)


@pytest.mark.parametrize("between", ["\n", "\n% a comment\n", " \\label{x} ", *HIDDEN])
def test_what_is_not_printed_parts_no_paragraph(paper: Paper, between: str) -> None:
    assert given(paper, BESIDE, *MANY) == given(
        paper, BESIDE.replace(". A bet", f".{between}A bet"), *MANY
    )


@pytest.mark.parametrize("between", HIDDEN)
def test_what_is_not_printed_cuts_no_sentence(paper: Paper, between: str) -> None:
    whole = r"We suppose that a bet of $\mathcal{B}$ is small, whenever it is lost."
    cut = whole.replace(" small,", f"{between}small,").replace(" it is", f"{between}it is")
    assert given(paper, BESIDE, whole, MANY[-1]) == given(paper, BESIDE, cut, MANY[-1])
