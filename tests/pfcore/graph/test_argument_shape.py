"""Who cites whom, what is used most, what rests on most."""

import pytest

from pfcore.graph.argument_shape import argument_shape, citations, depending_on_gaps

DEFINITION = "\\begin{definition}\\label{d} A \\emph{cone} is convex.\\end{definition}\n"


def lemma(label: str, says: str = "", proof: str | None = "Clear.", kind: str = "lemma") -> str:
    text = f"\\begin{{{kind}}}\\label{{{label}}} Claim {label}. {says}\\end{{{kind}}}\n"
    return text + (f"\\begin{{proof}} {proof} \\end{{proof}}\n" if proof is not None else "")


CHAIN = (
    DEFINITION
    + lemma("a", r"See Definition~\ref{d}.")
    + lemma("b", proof=r"By \ref{a} and \ref{d}.")
    + lemma("c", proof=r"By \ref{b}, \ref{a}.")
    + lemma("lone")
    + lemma("main", proof=r"By \ref{c} and \ref{a}.", kind="theorem")
)


def test_the_shape_of_a_chain(paper):
    found = argument_shape(paper(CHAIN))
    assert found.dependencies == 7
    assert (found.most_used, found.uses) == ("a", 3)
    assert (found.main, found.depends_on) == ("main", 3)
    assert found.chain == ("main", "c", "b", "a")
    assert found.uncited == ("lone",)


def test_an_equation_counts_for_the_result_around_it(paper):
    text = lemma("a", r"\begin{equation}\label{e} x=1\end{equation}") + lemma(
        "b", proof=r"By \eqref{e}."
    )
    assert citations(paper(text)) == {"a": (), "b": ("a",)}


def test_a_definition_on_the_way_is_passed_and_not_counted(paper):
    text = (
        lemma("a")
        + DEFINITION.replace("convex", r"convex by \ref{a}")
        + lemma("t", proof=r"By \ref{d}.")
    )
    found = argument_shape(paper(text))
    assert (found.main, found.depends_on, found.chain) == ("t", 1, ("t", "a"))


def test_a_circle_has_an_end(paper):
    text = (
        lemma("a", proof=r"By \ref{b}.")
        + lemma("b", proof=r"By \ref{a}.")
        + lemma("t", proof=r"By \ref{b}.")
    )
    found = argument_shape(paper(text))
    assert (found.main, found.depends_on) == ("t", 2)
    assert found.chain == ("t", "b")  # no chain goes through a result twice


def test_nothing_is_main_where_nothing_depends_on_anything(paper):
    found = argument_shape(paper(lemma("a") + lemma("b")))
    assert (found.main, found.most_used, found.chain) == ("", "", ())
    assert found.uncited == ("a", "b")


def test_of_equals_a_theorem_is_the_main_result(paper):
    text = lemma("a") + lemma("c", proof=r"By \ref{a}.", kind="corollary")
    found = argument_shape(paper(text + lemma("t", proof=r"By \ref{a}.", kind="theorem")))
    assert (found.main, found.uncited) == ("t", ("c",))


def test_what_words_alone_lead_to_does_not_count(paper):
    text = DEFINITION + lemma("a", "Each cone is open.")
    assert argument_shape(paper(text)).dependencies == 0


def test_a_result_that_a_remark_cites_is_cited(paper):
    remark = "\\begin{remark} See \\ref{a}.\\end{remark}\n"
    assert argument_shape(paper(lemma("a") + lemma("b") + remark)).uncited == ("b",)


def test_what_is_only_compared_with_is_not_cited(paper):
    text = lemma("a") + lemma("b", proof=r"Clear; compare \ref{a}.")
    assert argument_shape(paper(text)).main == ""


def test_a_claim_inside_a_proof_belongs_to_the_result(paper):
    inner = "\\begin{claim}\\label{in} Yes.\\end{claim}"
    found = argument_shape(paper(lemma("a", proof=f"We show: {inner} Done.")))
    assert (found.main, found.depends_on, found.uncited) == ("a", 1, ())


def test_a_step_does_not_use_the_result_that_it_proves(paper):
    shown = "\\begin{equation}\\label{eq} x = y \\end{equation}"
    steps = "".join(
        f"\\begin{{claim}} By \\ref{{eq}}, {word}.\\end{{claim}}" for word in ("so", "too")
    )
    found = argument_shape(paper(lemma("a", f"Yes. {shown}", proof=f"We show: {steps}")))
    assert (found.most_used, found.uncited) == ("", ())


def test_a_corollary_is_not_the_main_result_and_what_it_follows_from_may_be(paper):
    text = (
        lemma("a")
        + lemma("b", proof=r"By \ref{a}.")
        + lemma("t", proof=r"By \ref{a} and \ref{b}.", kind="theorem")
        + lemma("c", proof=r"By \ref{t}.", kind="corollary")
    )
    found = argument_shape(paper(text))
    assert (found.main, found.depends_on) == ("t", 2)


def test_a_lemma_has_the_most_dependencies_only_where_no_theorem_has_any(paper):
    text = lemma("a") + lemma("b", proof=r"By \ref{a}.") + lemma("c", proof=r"By \ref{b}.")
    assert argument_shape(paper(text)).main == "c"
    assert argument_shape(paper(text + lemma("t", proof=None, kind="theorem"))).main == "c"
    theorem = lemma("t", proof=r"By \ref{a}.", kind="theorem")
    assert argument_shape(paper(text + theorem)).main == "t"


def test_a_result_with_more_than_twice_the_dependencies_of_all_theorems_has_the_most(paper):
    """In a book of propositions few results are called theorems."""
    chain = lemma("a") + "".join(
        lemma(name, proof=rf"By \ref{{{below}}}.") for below, name in zip("abc", "bcd", strict=True)
    )
    theorem = lemma("t", proof=r"By \ref{a}.", kind="theorem")
    corollary = lemma("z", proof=r"By \ref{d}.", kind="corollary")
    found = argument_shape(paper(chain + theorem + corollary))
    assert (found.main, found.depends_on) == ("d", 3)


def test_who_calls_a_theorem_the_main_one_is_believed(paper):
    few = lemma("t", proof=r"By \ref{a}.", kind="theorem").replace(
        "{theorem}\\label", "{theorem}[Main Theorem]\\label"
    )
    many = lemma("b", proof=r"By \ref{a}.") + lemma("s", proof=r"By \ref{b}.", kind="theorem")
    found = argument_shape(paper(lemma("a") + few + many))
    assert (found.main, found.is_main) == ("t", True)
    assert not argument_shape(paper(lemma("a") + few + few.replace("{t}", "{u}") + many)).is_main


@pytest.mark.parametrize(
    ("title", "is_main"),
    [
        ("Main result, weak form", True),
        ("Second main theorem", True),
        ("Hauptsatz", True),
        ("Reduction of Main Theorem", False),
        ("Towards our main theorem", False),
        ("Lemma zum Hauptsatz", False),
        ("Réduction du théorème principal", False),
    ],
)
def test_a_title_that_is_about_the_main_theorem_is_not_its_name(paper, title, is_main):
    last = lemma("t", proof=r"By \ref{a}.", kind="theorem")
    text = lemma("a") + last.replace("{theorem}\\label", f"{{theorem}}[{title}]\\label")
    assert argument_shape(paper(text)).is_main is is_main


INTRODUCTION = "\\section{Introduction} We show \\ref{main}. %s\\section{Proofs}\n"
OTHER = lemma("t", proof=r"By \ref{c}.", kind="theorem") + lemma("x")


@pytest.mark.parametrize(
    ("text", "is_main"),
    [
        (CHAIN, False),
        (INTRODUCTION % "" + CHAIN, True),
        (INTRODUCTION % "Details are below." + CHAIN + OTHER, True),
        (INTRODUCTION % r"And \ref{t}." + CHAIN + OTHER, False),  # of two, none
        (INTRODUCTION % lemma("t", kind="theorem") + CHAIN, False),
        (INTRODUCTION % r"It uses \ref{a}." + CHAIN, True),
        (INTRODUCTION % "" + CHAIN + "".join(map(lemma, "pqrstu")), False),  # few lead to it
        (CHAIN + "\\section{Conclusion} We showed \\ref{main}.", False),
    ],
)
def test_a_theorem_is_main_where_the_introduction_speaks_of_it_alone(paper, text, is_main):
    found = argument_shape(paper(text))
    assert (found.main, found.is_main) == ("main", is_main)


def depending(state, *gaps: str, firm: tuple[str, ...] = ()) -> tuple[tuple[str, ...], ...]:
    found = depending_on_gaps(state, gaps, frozenset(firm))
    return found.results, found.gaps


OPEN = (
    lemma("gap", proof=None)
    + lemma("lone", proof=None)
    + lemma("a", proof=r"By \ref{gap}.")
    + lemma("b", proof=r"By \ref{a}.")
    + DEFINITION.replace("convex", r"convex by \ref{b}")
    + lemma("c", proof=r"By \ref{d}.")
    + lemma("free")
)


def test_what_depends_on_a_gap_does_so_by_its_proof(paper):
    assert depending(paper(OPEN), "gap", "lone") == (("a", "b"), ("gap",))
    stated = lemma("s", proof="Clear.").replace("Claim s.", r"Claim s, unlike \ref{gap}.")
    assert "unlike" in stated
    assert depending(paper(OPEN + stated), "gap", "lone") == (("a", "b"), ("gap",))


def test_what_is_firm_depends_on_no_gap_and_hands_none_on(paper):
    assert depending(paper(OPEN), "gap", firm=("b",)) == (("a",), ("gap",))
    text = OPEN + lemma("f", proof=r"By \ref{lone}.") + lemma("u", proof=r"By \ref{f}, \ref{gap}.")
    assert depending(paper(text), "gap", "lone", firm=("b", "f")) == (("a", "u"), ("gap",))


def test_a_gap_is_not_among_what_depends_on_gaps_and_the_most_cited_comes_first(paper):
    text = OPEN.replace("Claim lone.", r"Claim lone, by \ref{gap}.") + "".join(
        lemma(f"z{n}", proof=r"By \ref{lone}.") for n in range(3)
    )
    found = depending(paper(text), "gap", "lone")
    assert found == (("a", "b", "z0", "z1", "z2"), ("lone", "gap"))


def test_in_a_circle_all_depend_on_the_gap_below_it(paper):
    text = (
        lemma("a", proof=r"By \ref{b}.")
        + lemma("b", proof=r"By \ref{a} and \ref{gap}.")
        + lemma("gap", proof=None)
    )
    assert depending(paper(text), "gap") == (("a", "b"), ("gap",))


def test_a_remark_that_names_a_gap_is_no_result_that_depends_on_it(paper):
    text = lemma("gap", proof=None) + "\\begin{remark} See \\ref{gap}.\\end{remark}\n"
    assert depending(paper(text), "gap") == ((), ())
