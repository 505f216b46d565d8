"""The table of DESIGN §3, row by row; `affected` also renders every context and compares."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import deep_digest
from pfcore.impact import plan
from pfcore.papers import discover
from pfcore.papers.paper import Paper as SourcePaper
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from tests.pfcore.conftest import files

Affected = Callable[..., dict[str, tuple[str, ...]]]
Paper = Callable[..., PaperState]

BODY = r"""
\newcommand{\norm}[1]{\lVert #1\rVert}
\section{Preliminaries}
\begin{definition}\label{def:tame}
A map $f$ is \emph{tame} if $\norm{f} \le 1$.
\end{definition}
\begin{lemma}\label{lem:a}
Every polynomial of degree two has a root in $\mathbb{C}$.
\end{lemma}
\begin{proof}
Complete the square. Then extract a root.
\end{proof}
\begin{lemma}\label{lem:b}
The zero map is a tame map.
\end{lemma}
\begin{proof}
Clear from the definition.
\end{proof}
\section{Results}
Some words between the results.
\begin{theorem}\label{thm:main}
Every quartic has four roots.
\end{theorem}
\begin{proof}
By \cref{lem:a} there is one root. Divide by it.
\end{proof}
\begin{lemma}\label{lem:alone}
Two and two are four.
\end{lemma}
\begin{proof}
Count them.
\end{proof}
"""


def edit(*changes: tuple[str, str], of: str = BODY) -> str:
    for old, new in changes:
        assert old in of, old
        of = of.replace(old, new)
    return of


PROOF = "Complete the square. Then extract a root."

NOTHING = {
    "white space": edit((PROOF, "Complete   the square.\n\t Then extract\na root.")),
    "an indented environment": edit(("\\begin{lemma}\\label", "  \\begin{lemma}  \\label")),
    "a comment": edit((PROOF, "Complete % why not?\nthe square. Then extract a root.%")),
    "a result in a comment": edit(("Some words", "%\\begin{lemma}No.\\end{lemma}\nSome words")),
    "wrapping": edit((PROOF, "Complete the\nsquare.\nThen extract a\nroot.")),
    "a label renamed": edit(("lem:a}", "lemma:roots}")),
    "a label of a definition renamed": edit(("def:tame", "definition:tame")),
    "a macro renamed": edit(("\\norm", "\\length")),
    "a macro written out": edit(("$\\norm{f}", "$\\lVert f\\rVert")),
    "an unused macro": edit(("\\section{P", "\\newcommand{\\unused}{x}\n\\section{P")),
    "a section renamed": edit(("Preliminaries", "Before we begin")),
    "a section split": edit(("definition}\n\\begin", "definition}\n\\section{A}\n\\begin")),
    "prose reworded": edit(("Some words between", "Here are a few more words between")),
    "prose added": edit(("\\section{Results}", "\\section{Results}\nWe now turn to roots.\n\n")),
    "prose removed": edit(("Some words between the results.", "")),
    "a build mark": edit(("\\label{lem:b}", "\\label{lem:b}\\leanok\\lean{Tame.zero}")),
    "a second label": edit(("\\label{lem:b}", "\\label{lem:b}\\label{lem:b-again}")),
    "another reference command": edit(("By \\cref{lem:a}", "By Lemma~\\ref{lem:a}")),
    "a reference with an article": edit(("By \\cref{lem:a}", "By \\autoref{lem:a}")),
    "the order of two results": edit(
        ("\\begin{lemma}\\label{lem:alone}\nTwo and two are four.\n\\end{lemma}\n"
         "\\begin{proof}\nCount them.\n\\end{proof}\n", ""),
        ("\\section{Preliminaries}", "\\section{Preliminaries}\n"
         "\\begin{lemma}\\label{lem:alone}\nTwo and two are four.\n\\end{lemma}\n"
         "\\begin{proof}\nCount them.\n\\end{proof}\n"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NOTHING)
def test_an_edit_of_the_source_alone_affects_nothing(affected: Affected, name: str) -> None:
    assert affected(BODY, NOTHING[name]) == {}
    assert affected(NOTHING[name], BODY) == {}


def test_moving_a_result_to_another_file_affects_nothing(affected: Affected) -> None:
    lemma = BODY[BODY.index("\\begin{lemma}\\label{lem:b}") : BODY.index("\\section{Results}")]
    moved = {"main.tex": BODY.replace(lemma, "\\input{parts/zero}\n"), "parts/zero.tex": lemma}
    assert affected(BODY, moved) == {}
    renamed = {"main.tex": BODY.replace(lemma, "\\input{zero}\n"), "zero.tex": lemma}
    assert affected(moved, renamed) == {}


def test_splitting_a_file_between_two_results_affects_nothing(affected: Affected) -> None:
    cut = BODY.index("\\begin{theorem}")
    split = {"main.tex": f"{BODY[:cut]}\\input{{rest}}\n", "rest.tex": BODY[cut:]}
    assert affected(BODY, split) == {}
    assert affected(split, BODY) == {}


def test_splitting_between_a_statement_and_its_proof_affects_nothing(affected: Affected) -> None:
    cut = BODY.index("\\begin{proof}\nBy")
    assert (
        affected(BODY, {"main.tex": f"{BODY[:cut]}\\input{{rest}}\n", "rest.tex": BODY[cut:]}) == {}
    )


def test_an_unrelated_lemma_before_the_others_is_alone_affected(affected: Affected) -> None:
    lemma = (
        "\\begin{lemma}\\label{lem:new}Three is odd.\\end{lemma}\\begin{proof}Yes.\\end{proof}\n"
    )
    found = affected(
        BODY, edit(("\\begin{lemma}\\label{lem:a}", f"{lemma}\\begin{{lemma}}\\label{{lem:a}}"))
    )
    assert found == {"lem:new": ("this lemma is new",)}


def test_renumbering_results_without_a_label_affects_nothing_else(affected: Affected) -> None:
    body = BODY.replace("\\label{lem:b}", "").replace("\\label{lem:alone}", "")
    lemma = "\\begin{lemma}Three is odd.\\end{lemma}\n\\begin{proof}See it.\\end{proof}\n"
    found = affected(body, body.replace("\\begin{definition}", f"{lemma}\\begin{{definition}}"))
    assert found == {"lemma~preliminaries~1": ("this lemma is new",)}


def test_a_proof_affects_its_own_module(affected: Affected) -> None:
    assert affected(BODY, edit(("extract a root", "take a root"))) == {"lem:a": ("proof changed",)}


def test_a_statement_affects_the_modules_that_invoke_it(affected: Affected) -> None:
    found = affected(BODY, edit(("of degree two has", "of degree at most two has")))
    assert found == {
        "lem:a": ("statement changed",),
        "thm:main": ("lem:a, which it cites, changed its statement",),
    }


CHAIN = r"""
\begin{lemma}\label{lem:one} One is odd. \end{lemma}
\begin{proof} Trivial. \end{proof}
\begin{lemma}\label{lem:two} Whatever \cref{lem:one} says is odd. \end{lemma}
\begin{proof} Obvious. \end{proof}
\begin{lemma}\label{lem:three} Three is odd. \end{lemma}
\begin{proof} By \cref{lem:two}. \end{proof}
\begin{lemma}\label{lem:four} Four is even. \end{lemma}
\begin{proof} By \cref{lem:three}. \end{proof}
"""


def test_a_statement_affects_those_whose_context_has_it_by_closure(affected: Affected) -> None:
    found = affected(CHAIN, CHAIN.replace("One is odd.", "One is not even."))
    assert found == {
        "lem:one": ("statement changed",),
        "lem:two": ("lem:one, which it cites, changed its statement",),
        "lem:three": ("lem:one, which lem:two refers to, changed its statement",),
    }


def test_a_proof_further_up_affects_nobody_below(affected: Affected) -> None:
    assert list(affected(CHAIN, CHAIN.replace("By \\cref{lem:two}", "See \\cref{lem:two}"))) == [
        "lem:three"
    ]


def test_a_kind_affects_as_a_statement_does(affected: Affected) -> None:
    start = BODY.index("{lemma}\\label{lem:a}")
    lemma = BODY[start : BODY.index("{lemma}", start + 10) + len("{lemma}")]
    found = affected(BODY, edit((lemma, lemma.replace("{lemma}", "{proposition}"))))
    assert found == {
        "lem:a": ("it is now a proposition; it was a lemma",),
        "thm:main": ("lem:a, which it cites, is now a proposition",),
    }


def test_a_definition_affects_the_modules_that_use_it(affected: Affected) -> None:
    found = affected(BODY, edit(("\\le 1$.", "< 1$.")))
    assert found == {"lem:b": ("definition def:tame, whose term it uses, changed",)}


def test_a_new_definition_affects_the_modules_that_use_its_term(affected: Affected) -> None:
    definition = (
        "\\begin{definition}\\label{def:poly} A \\emph{polynomial} is a finite sum of monomials. "
        "\\end{definition}\n"
    )
    lemma = "\\begin{lemma}\\label{lem:a}"
    found = affected(BODY, edit((lemma, definition + lemma)))
    assert found == {
        "lem:a": ("definition def:poly, whose term it uses, is new",),
        "thm:main": ("definition def:poly, which lem:a refers to, is new",),
    }


CONVENTIONS = r"""
\section{Rings}
Throughout this section, all rings are commutative.
\begin{lemma}\label{lem:in} Every ring has an ideal. \end{lemma}
\begin{proof} Zero. \end{proof}
\begin{theorem}\label{thm:in} Fields are rings. \end{theorem}
\begin{proof} By \cref{lem:in}. \end{proof}
\section{Groups}
\begin{lemma}\label{lem:out} Every group has a unit. \end{lemma}
\begin{proof} By \cref{lem:in}. \end{proof}
"""


def test_a_convention_affects_all_in_its_scope_and_who_cites_them(affected: Affected) -> None:
    found = affected(CONVENTIONS, CONVENTIONS.replace("are commutative", "are associative"))
    reason = ("the convention at main.tex:15, which applies to it, changed",)
    assert found == {
        "lem:in": reason,
        "thm:in": reason,
        "lem:out": ("the convention at main.tex:15, which applies to lem:in, changed",),
    }


def test_a_convention_affects_nobody_outside_who_cites_nothing_of_it(affected: Affected) -> None:
    head, _, tail = CONVENTIONS.rpartition("By \\cref{lem:in}.")
    body = f"{head}Clear.{tail}"
    found = affected(body, body.replace("are commutative", "are associative"))
    assert set(found) == {"lem:in", "thm:in"}


def test_a_convention_taken_away_affects_all_in_its_scope(affected: Affected) -> None:
    found = affected(
        CONVENTIONS, CONVENTIONS.replace("Throughout this section, all rings are commutative.", "")
    )
    reason = ("the convention at main.tex:15, which applied to it, was removed",)
    indirect = ("the convention at main.tex:15, on which it depended indirectly, was removed",)
    assert found == {"lem:in": reason, "thm:in": reason, "lem:out": indirect}


def test_an_assumption_affects_all_that_follows_it_in_its_section(affected: Affected) -> None:
    body = CONVENTIONS.replace(
        "Throughout this section, all rings are commutative.",
        "\\begin{assumption}\\label{hyp}All rings are commutative.\\end{assumption}",
    )
    found = affected(body, body.replace("All rings are", "All these rings are"))
    reason = ("assumption hyp, which applies to it, changed",)
    indirect = ("assumption hyp, which applies to lem:in, changed",)
    assert found == {"lem:in": reason, "thm:in": reason, "lem:out": indirect}


def test_moving_a_result_out_of_a_scope_affects_it(affected: Affected) -> None:
    lemma = "\\begin{theorem}\\label{thm:in} Fields are rings. \\end{theorem}\n"
    proof = "\\begin{proof} By \\cref{lem:in}. \\end{proof}\n"
    moved = CONVENTIONS.replace(lemma + proof, "") + lemma + proof
    assert affected(CONVENTIONS, moved) == {
        "thm:in": ("the convention at main.tex:15 no longer applies to it",)
    }


def test_a_result_that_leaves_a_scope_affects_who_cites_it(affected: Affected) -> None:
    lemma = (
        "\\begin{lemma}\\label{lem:in} Every ring has an ideal. \\end{lemma}\n"
        "\\begin{proof} Zero. \\end{proof}\n"
    )
    moved = CONVENTIONS.replace(lemma, "").replace(
        "\\section{Groups}\n", f"\\section{{Groups}}\n{lemma}"
    )
    found = affected(CONVENTIONS, moved)
    assert set(found) == {"lem:in", "thm:in", "lem:out"}
    assert found["thm:in"] == (
        "the convention at main.tex:15 no longer applies to lem:in, which it cites",
    )


def test_a_macro_counts_as_an_edit_of_every_text_that_uses_it(affected: Affected) -> None:
    found = affected(BODY, edit(("{\\lVert #1\\rVert}", "{\\lvert #1\\rvert}")))
    assert found == {
        "lem:b": ("definition def:tame, whose term it uses, uses a macro that was redefined",)
    }


@pytest.mark.parametrize("definer", [r"\newcommand{\%s}", r"\def\%s", r"\providecommand\%s"])
@pytest.mark.parametrize("name", ["1", "<", "|", "*", "'"])
def test_a_macro_may_have_a_sign_for_a_name(affected: Affected, name: str, definer: str) -> None:
    """After an end of a line there is no such command: `\\\\1` is a line that begins with 1."""
    lemma = "\\begin{lemma}\\label{%s} %s \\end{lemma}\n"
    one = f"{definer}{{\\mathbf 1}}\n" % name
    one += lemma % ("lem:one", rf"$\{name}x = x$.")
    one += lemma % ("lem:line", rf"$$2 = x \\{name} y.$$")
    one += lemma % ("lem:both", rf"$$2 = x \\\{name} y.$$")
    found = affected(one, one.replace("\\mathbf 1", "\\mathsf 1"))
    reason = ("a macro that its statement uses was redefined",)
    assert found == {"lem:one": reason, "lem:both": reason}


def test_a_macro_inside_a_module_is_named_as_the_reason(affected: Affected) -> None:
    body = BODY.replace("Two and two are four", "Two and two are $\\norm{4}$").replace(
        "Count them.", "Count $\\norm{4}$."
    )
    found = affected(body, body.replace("{\\lVert #1\\rVert}", "{\\lvert #1\\rvert}"))
    assert found["lem:alone"] == (
        "a macro that its statement uses was redefined",
        "a macro that its proof uses was redefined",
    )


def test_an_edge_added_affects_its_source(affected: Affected) -> None:
    found = affected(BODY, edit(("Count them.", "Count them, by \\cref{lem:a}.")))
    assert found == {"lem:alone": ("proof changed", "it now depends on lem:a, which it cites")}


def test_an_edge_dropped_affects_its_source(affected: Affected) -> None:
    found = affected(BODY, edit(("By \\cref{lem:a} there", "There")))
    assert found == {"thm:main": ("proof changed", "it no longer depends on lem:a")}


def test_what_it_depends_on_in_the_same_way_is_listed_in_one_reason(affected: Affected) -> None:
    both = edit(("Count them.", "Count them, by \\cref{lem:a} and \\cref{lem:b}."))
    (now,) = [one for one in affected(BODY, both)["lem:alone"] if "which it cites" in one]
    assert now == "it now depends on lem:a and lem:b, which it cites"
    (then,) = [one for one in affected(both, BODY)["lem:alone"] if "no longer" in one]
    assert then == "it no longer depends on definition def:tame, lem:a and lem:b"


def test_an_edge_added_by_uses_affects_its_source(affected: Affected) -> None:
    found = affected(BODY, edit(("Count them.", "\\uses{lem:a}Count them.")))
    assert found == {"lem:alone": ("it now depends on lem:a, which it uses",)}


def test_the_order_of_uses_affects_nothing(affected: Affected) -> None:
    one = edit(("Count them.", "\\uses{lem:a, lem:b}Count them."))
    two = edit(("Count them.", "\\uses{lem:b}\\uses{lem:a}Count them."))
    moved = edit(("\\label{lem:alone}", "\\label{lem:alone}\\uses{lem:b,lem:a}"))
    assert affected(one, two) == {}
    assert affected(one, moved) == {}


def test_an_edge_retargeted_affects_its_source(affected: Affected) -> None:
    found = affected(BODY, edit(("By \\cref{lem:a} there", "By \\cref{lem:b} there")))
    assert found == {
        "thm:main": (
            "proof changed",
            "it now depends on lem:b, which it cites",
            "it now depends on definition def:tame, which lem:b refers to",
            "it no longer depends on lem:a",
        )
    }


def test_a_label_that_changes_hands_affects_those_who_cite_it(affected: Affected) -> None:
    swapped = edit(("\\label{lem:a}", "\\label{x}"), ("\\label{lem:alone}", "\\label{lem:a}"))
    found = affected(BODY, swapped)
    assert set(found) == {"thm:main"}


def test_two_references_that_change_places_affect_the_proof(affected: Affected) -> None:
    body = BODY.replace("Count them.", "By \\cref{lem:a}, and with \\cref{thm:main}.")
    swapped = (
        body.replace("lem:a}", "lem:x}")
        .replace("{thm:main}", "{lem:a}")
        .replace("lem:x}", "thm:main}")
    )
    swapped = swapped.replace(
        "By \\cref{thm:main}, and with \\cref{lem:a}", "By \\cref{lem:a}, and with \\cref{thm:main}"
    )
    found = affected(body, swapped)
    assert found["lem:alone"] == (
        "a reference in its proof now leads to lem:a instead of thm:main",
    )


def test_a_module_removed_affects_those_who_cite_it(affected: Affected) -> None:
    start, end = (
        BODY.index("\\begin{lemma}\\label{lem:a}"),
        BODY.index("\\begin{lemma}\\label{lem:b}"),
    )
    found = affected(BODY, BODY[:start] + BODY[end:])
    assert found == {"thm:main": ("lem:a, which it cited, was removed",)}


def test_a_label_taken_away_affects_those_who_cite_it(affected: Affected) -> None:
    found = affected(BODY, edit(("\\label{lem:a}", "")))
    assert found == {
        "thm:main": ("it no longer depends on lem:a", "a reference in its proof is now undefined")
    }
    assert affected(edit(("\\label{lem:a}", "")), BODY) == {
        "thm:main": (
            "it now depends on lem:a, which it cites",
            "a reference in its proof, formerly undefined, now leads to lem:a",
        )
    }


def test_a_proof_that_comes_or_goes_affects_its_module(affected: Affected) -> None:
    without = edit(("\\begin{proof}\nCount them.\n\\end{proof}\n", ""))
    again = edit(
        (
            "Count them.\n\\end{proof}",
            "Count them.\n\\end{proof}\n\\begin{proof}[Second proof]\nTrust me.\\end{proof}",
        )
    )
    assert affected(BODY, without) == {"lem:alone": ("proof removed",)}
    assert affected(without, BODY) == {"lem:alone": ("proof added",)}
    assert affected(BODY, again) == {"lem:alone": ("another proof added",)}
    assert affected(again, BODY) == {"lem:alone": ("a proof removed",)}


FOLLOWING = r"""
\begin{lemma}\label{lem:a} Two is even. \end{lemma}
\begin{proof} Divide by two. \end{proof}
\begin{lemma}\label{lem:b} Four is even. \end{lemma}
\begin{proof} As in the proof of \cref{lem:a}. \end{proof}
\begin{lemma}\label{lem:c} Six is even. \end{lemma}
\begin{proof} By \cref{lem:a}. \end{proof}
"""


def test_a_proof_affects_the_proofs_that_follow_it(affected: Affected) -> None:
    found = affected(FOLLOWING, FOLLOWING.replace("Divide by", "Halve"))
    assert found == {
        "lem:a": ("proof changed",),
        "lem:b": ("its proof is modelled on that of lem:a, which changed",),
    }


def test_what_a_followed_proof_cites_affects_its_reader(affected: Affected) -> None:
    body = FOLLOWING.replace("Divide by two.", "Divide, by \\cref{lem:c}.")
    found = affected(body, body.replace("Six is even", "Six is not odd"))
    assert set(found) == {"lem:a", "lem:b", "lem:c"}


def test_following_a_proof_or_no_longer_affects_the_reader(affected: Affected) -> None:
    without = FOLLOWING.replace("\\begin{proof} Divide by two. \\end{proof}\n", "")
    assert affected(FOLLOWING, without) == {
        "lem:a": ("proof removed",),
        "lem:b": ("its proof is no longer modelled on that of lem:a",),
    }
    assert affected(without, FOLLOWING) == {
        "lem:a": ("proof added",),
        "lem:b": ("its proof is modelled on that of lem:a, which is new",),
    }


NESTED = r"""
\begin{theorem}\label{thm:outer} All is well. \end{theorem}
\begin{proof}
First we see a claim.
\begin{claim}\label{cl:inner} Something holds. \end{claim}
\begin{proof}[Proof of the claim] Look at it. \end{proof}
By \cref{cl:inner} we are done.
\end{proof}
\begin{lemma}\label{lem:reader} So it is. \end{lemma}
\begin{proof} By \cref{thm:outer}. \end{proof}
"""


def test_the_proof_of_a_nested_claim_affects_the_claim_alone(affected: Affected) -> None:
    assert affected(NESTED, NESTED.replace("Look at", "Gaze at")) == {
        "cl:inner": ("proof changed",)
    }


def test_the_outer_proof_does_not_affect_the_nested_claim(affected: Affected) -> None:
    found = affected(NESTED, NESTED.replace("we are done", "all is done"))
    assert found == {"thm:outer": ("proof changed",)}


def test_the_outer_statement_affects_the_nested_claim(affected: Affected) -> None:
    found = affected(NESTED, NESTED.replace("All is well", "All will be well"))
    assert found == {
        "thm:outer": ("statement changed",),
        "cl:inner": ("thm:outer, whose proof contains it, changed its statement",),
        "lem:reader": ("thm:outer, which it cites, changed its statement",),
    }


def test_the_statement_of_a_nested_claim_affects_the_outer_proof(affected: Affected) -> None:
    found = affected(NESTED, NESTED.replace("Something holds", "Everything holds"))
    assert found == {
        "thm:outer": ("cl:inner, which its proof contains, changed its statement",),
        "cl:inner": ("statement changed",),
    }


def test_a_claim_and_the_words_around_it_are_told_apart(affected: Affected) -> None:
    both = NESTED.replace("Something holds", "Everything holds").replace("we are done", "all is")
    assert affected(NESTED, both)["thm:outer"] == (
        "proof changed",
        "cl:inner, which its proof contains, changed its statement",
    )


def test_a_claim_that_is_taken_out_of_a_proof_is_a_change_of_the_proof(affected: Affected) -> None:
    without = re.sub(r"\\begin\{claim\}.*?\\end\{proof\}\n", "", NESTED, count=1, flags=re.DOTALL)
    assert affected(NESTED, without)["thm:outer"] == (
        "proof changed",
        "cl:inner, which its proof contained, was removed",
    )
    assert affected(without, NESTED)["thm:outer"] == (
        "proof changed",
        "cl:inner, which its proof contains, is new",
    )
    assert "proof changed" in affected(NESTED, without)["thm:outer"]


def test_renaming_a_theorem_environment_affects_no_proof_that_holds_one(affected: Affected) -> None:
    declared = "\\newtheorem{clm}[theorem]{Claim}\n" + NESTED
    assert affected(declared, declared.replace("{claim}", "{clm}")) == {}


HYPOTHESES = r"""
\begin{theorem}\label{thm:outer} All is well. \end{theorem}
\begin{proof}
Let $p$ be an odd prime. This is good to have. Fix an integer $n$ such that
\[ n > p. \]
We win.
\begin{claim}\label{cl:one} Something holds. \end{claim}
\begin{proof} Suppose that $p = 3$.
\begin{claim}\label{cl:two} Even more. \end{claim}
\begin{proof} See. \end{proof}
\end{proof}
Let $q$ be another prime.
\begin{claim}\label{cl:three} The end. \end{claim}
\begin{proof} Look. \end{proof}
\end{proof}
"""


@pytest.mark.parametrize(
    ("old", "new", "claims"),
    [
        ("an odd prime", "a prime", {"cl:one", "cl:two", "cl:three"}),
        ("n > p", "n > 2p", {"cl:one", "cl:two", "cl:three"}),
        ("$p = 3$", "$p = 5$", {"cl:one", "cl:two"}),
        ("another prime", "a third prime", {"cl:three"}),
        ("This is good to have", "That is good to have", set()),
        ("We win", "We shall win", set()),
    ],
)
def test_a_hypothesis_fixed_before_a_claim_is_one_of_its_premises(
    affected: Affected, old: str, new: str, claims: set[str]
) -> None:
    found = affected(HYPOTHESES, edit((old, new), of=HYPOTHESES))
    assert {name for name in found if name.startswith("cl:")} == claims
    reasons = {"a hypothesis that applies to it has changed", "proof changed"}
    assert {reason for name in claims for reason in found[name]} <= reasons | {ANCESTOR}


ANCESTOR = "cl:one, whose proof contains it, has a hypothesis that changed"


def test_a_claim_and_its_hypotheses_are_read_together(rendered: Callable[..., str]) -> None:
    text = rendered(HYPOTHESES, "cl:three")
    assert "Claim. Let $p$ be an odd prime. Fix an integer $n$ such that \\[n>p.\\]" in text
    assert "Let $q$ be another prime. The end." in text
    assert "good to have" not in text
    assert "p = 3" not in text


EQUATIONS = r"""
\begin{lemma}\label{lem:a} There are
\begin{align}
x &= 1, \label{eq:x}\\
y &= 2.
\end{align}
\end{lemma}
\begin{proof} Take \begin{equation}\label{eq:step} z = 3. \end{equation} Then look. \end{proof}
\begin{lemma}\label{lem:b} So be it. \end{lemma}
\begin{proof} By \eqref{eq:x}. \end{proof}
\begin{lemma}\label{lem:c} It is so. \end{lemma}
\begin{proof} By \eqref{eq:step}. \end{proof}
"""


def test_an_equation_inside_a_proof_is_a_statement_for_those_who_cite_it(
    affected: Affected,
) -> None:
    assert set(affected(EQUATIONS, EQUATIONS.replace("Then look", "Then see"))) == {"lem:a"}
    assert affected(EQUATIONS, EQUATIONS.replace("z = 3", "z = 4")) == {
        "lem:a": ("proof changed",),
        "lem:c": ("eq:step, which it cites, changed",),
    }


def test_a_label_that_moves_to_another_row_affects_those_who_cite_it(affected: Affected) -> None:
    moved = EQUATIONS.replace(" \\label{eq:x}\\\\", "\\\\").replace(
        "y &= 2.", "y &= 2. \\label{eq:x}"
    )
    assert affected(EQUATIONS, moved) == {
        "lem:b": ("lem:a, which it cites, has a label that moved",)
    }


def test_a_label_that_moves_affects_the_proof_that_cites_its_own_equation(
    affected: Affected,
) -> None:
    body = EQUATIONS.replace(
        "So be it.", "$a$ \\begin{align} 1\\label{eq:own}\\\\2\\end{align} By \\eqref{eq:own}."
    )
    moved = body.replace("1\\label{eq:own}\\\\2", "1\\\\2\\label{eq:own}")
    assert affected(body, moved) == {"lem:b": ("a label in its statement moved",)}


def test_a_range_is_not_a_list(affected: Affected) -> None:
    body = BODY.replace("Count them.", "By \\cref{lem:a,lem:b}.")
    found = affected(body, body.replace("\\cref{lem:a,lem:b}", "\\crefrange{lem:a}{lem:b}"))
    assert found == {"lem:alone": ("proof changed",)}


def test_two_references_written_as_one_affect_nothing(affected: Affected) -> None:
    body = BODY.replace("Count them.", "By \\cref{lem:a}, \\cref{lem:b}.")
    assert affected(body, body.replace("\\cref{lem:a}, \\cref{lem:b}", "\\cref{lem:a,lem:b}")) == {}


def test_an_ancestor_further_up_affects_the_innermost_claim(affected: Affected) -> None:
    body = NESTED.replace(
        "Look at it.",
        "\\begin{claim}\\label{cl:core} Core. \\end{claim}\n"
        "\\begin{proof}[Proof of the core] Seen. \\end{proof} Done.",
    )
    found = affected(body, body.replace("All is well", "All will be well"))
    assert "cl:core" in found


CYCLE = r"""
\begin{lemma}\label{lem:a} As \cref{lem:b} says, one. \end{lemma}
\begin{proof} Clear. \end{proof}
\begin{lemma}\label{lem:b} As \cref{lem:c} says, two. \end{lemma}
\begin{proof} Plain. \end{proof}
\begin{lemma}\label{lem:c} As \cref{lem:a} says, three. \end{lemma}
\begin{proof} Easy. \end{proof}
\begin{lemma}\label{lem:d} As nobody says, four. \end{lemma}
\begin{proof} By \cref{lem:a}. \end{proof}
"""


def test_statements_that_refer_in_a_circle_affect_one_another(affected: Affected) -> None:
    found = affected(CYCLE, CYCLE.replace("three", "drei"))
    assert set(found) == {"lem:a", "lem:b", "lem:c", "lem:d"}
    assert set(affected(CYCLE, CYCLE.replace("four", "vier"))) == {"lem:d"}


def test_the_order_of_statements_in_a_circle_affects_nothing(affected: Affected) -> None:
    pieces = CYCLE.strip().split("\\end{proof}\n")
    backwards = "\\end{proof}\n".join([*reversed(pieces[:3]), pieces[3]])
    assert affected(CYCLE, backwards) == {}


def test_a_copy_of_a_result_is_not_affected(affected: Affected) -> None:
    again = (
        BODY
        + "\\begin{lemma}Two and two are four.\\end{lemma}\\begin{proof}Count them.\\end{proof}"
    )
    assert affected(BODY, again) == {}


def test_a_plan_tells_edited_and_restated_modules(paper: Paper) -> None:
    then = paper(BODY)
    now = paper(
        edit(("extract a root", "take a root"), ("degree two", "degree 2"), ("Divide", "Go"))
    )
    made = plan.make_plan(then, now)
    assert made.edited == ("lem:a", "thm:main")
    assert made.restated == ("lem:a",)
    assert made.removed == ()


def test_a_plan_counts_what_can_be_read(paper: Paper) -> None:
    body = BODY + "\\begin{theorem}\\label{thm:open}Open.\\end{theorem}"
    nothing = plan.make_plan(None, paper(body))
    assert (nothing.total, nothing.backlog, nothing.affected) == (5, 4, ())
    made = plan.make_plan(paper(BODY), paper(body))
    assert [(item.id, item.unread) for item in made.affected] == [("thm:open", False)]
    assert (made.total, made.backlog) == (5, 4)


def test_a_plan_lists_what_was_removed(paper: Paper) -> None:
    made = plan.make_plan(
        paper(CHAIN), paper(CHAIN[: CHAIN.index("\\begin{lemma}\\label{lem:three}")])
    )
    assert made.removed == ("lem:three", "lem:four")
    assert made.affected == ()


POINTING = (
    "\\begin{definition}\\label{d} A map is \\emph{tame} if so. \\end{definition}\n"
    "\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof} So. \\end{proof}\n"
    "\\begin{lemma}\\label{b} B. \\end{lemma}\n\\begin{proof} %s \\end{proof}\n"
)


def test_to_point_at_something_else_is_an_edit(paper: Paper) -> None:
    before = paper(POINTING % "By the previous lemma.")
    assert plan.make_plan(before, paper(POINTING % "By the above definition.")).edited == ("b",)
    assert plan.make_plan(before, paper(POINTING % "By \\cref{d}.")).edited == ("b",)
    assert plan.make_plan(before, paper(POINTING % "By \\cref{a}.")).edited == ()


def test_what_comes_to_be_pointed_at_otherwise_is_not_edited(paper: Paper) -> None:
    before = POINTING % "By the previous lemma."
    more = before.replace(
        "\\begin{lemma}\\label{b}", "\\begin{lemma} C. \\end{lemma}\n\\begin{lemma}\\label{b}"
    )
    made = plan.make_plan(paper(before), paper(more))
    assert "b" not in made.edited
    assert "b" in [item.id for item in made.affected]


EARLY = r"""
\section{Intro}
\begin{theorem}\label{main} Every tame space is compact. \end{theorem}
\section{Definitions}
\begin{definition}\label{D}
A space is \emph{tame} if it is a finite union of points.
\end{definition}
\section{End}
\begin{proof}[Proof of Theorem~\ref{main}] Let $X$ be tame. Clear. \end{proof}
"""


def test_a_term_of_a_theorem_that_is_proved_behind_its_definition_means_it(
    affected: Affected,
) -> None:
    found = affected(EARLY, EARLY.replace("finite union", "countable union"))
    assert found == {"main": ("definition D, whose term it uses, changed",)}


def test_a_term_that_nothing_proved_later_uses_is_an_everyday_word(affected: Affected) -> None:
    early = EARLY.replace(r"\begin{proof}[Proof of Theorem~\ref{main}] Let", "% Let")
    early = early.replace(r"Clear. \end{proof}", "")
    assert affected(early, early.replace("finite union", "countable union")) == {}


DECLARED = r"""
\begin{definition}\label{d} Let $\Gamma$ be the set of points. \end{definition}
\begin{lemma}\label{l1}\uses{d} Sets exist. \end{lemma}
\begin{proof} Fine. \end{proof}
\begin{lemma}\label{l2} Two. \end{lemma}
\begin{proof}\uses{l1} By force. \end{proof}
"""


def test_a_definition_that_a_statement_declares_goes_where_the_statement_goes(
    affected: Affected,
) -> None:
    found = affected(DECLARED, DECLARED.replace("of points", "of all points"))
    assert set(found) == {"l1", "l2"}


def test_a_result_that_a_statement_declares_is_of_its_proof_alone(affected: Affected) -> None:
    body = DECLARED.replace(
        r"\begin{definition}\label{d} Let $\Gamma$ be the set of points. \end{definition}",
        r"\begin{lemma}\label{d} There are points. \end{lemma}\begin{proof} Q. \end{proof}",
    )
    assert set(affected(body, body.replace("are points", "are no points"))) == {"d", "l1"}


WHOLE = (
    BODY
    + r"""
\newcommand{\Thm}[2]{\begin{theorem}\label{#1}#2\end{theorem}}
\newcommand{\Prf}[1]{\begin{proof}#1\end{proof}}
\Thm{thm:whole}{There are seven.}
\Prf{By \cref{lem:alone}.}
\begin{corollary}\label{cor}So it is.\end{corollary}
\begin{proof}By \cref{thm:whole}.\end{proof}
"""
)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("There are seven.", "There are eight."), {"thm:whole", "cor"}),
        (("By \\cref{lem:alone}.", "By hand."), {"thm:whole"}),
        (("There are seven.", "There  are % few\n seven."), set()),
    ],
)
def test_an_edit_inside_of_a_macro_that_holds_a_whole_statement_or_proof_counts(
    affected: Affected, change: tuple[str, str], expected: set[str]
) -> None:
    assert set(affected(WHOLE, edit(change, of=WHOLE))) == expected


OMITTED = "\\begin{lemma}\\label{o} %s \\end{lemma}\n\\begin{proof} %s \\end{proof}\n"


@pytest.mark.parametrize("words", ["Omitted.", "See [3]."])
def test_what_stands_for_a_proof_gives_nothing_to_read(paper: Paper, words: str) -> None:
    then = paper(OMITTED % ("For all $x$.", words))
    now = paper(OMITTED % ("For some $x$.", words))
    made = plan.make_plan(then, now)
    assert (made.affected, made.backlog, made.total) == ((), 0, 1)
    assert made.restated == ("o",)
    assert plan.make_plan(None, now).backlog == 0
    assert not plan.is_readable(now, "o")


def test_a_proof_that_comes_for_an_omission_is_to_be_read(affected: Affected) -> None:
    before, after = OMITTED % ("O.", "Omitted."), OMITTED % ("O.", "By hand.")
    assert affected(before, after) == {"o": ("proof added",)}
    assert affected(after, before) == {}


def test_another_word_for_an_omission_affects_nothing(affected: Affected) -> None:
    user = "\\begin{lemma}\\label{a} A. \\end{lemma}\n\\begin{proof} By \\ref{o}. \\end{proof}\n"
    one, other = OMITTED % ("O.", "Omitted.") + user, OMITTED % ("O.", "Exercise.") + user
    assert affected(one, other) == {}


BY_NAME = r"""
\begin{definition}\label{def:a}
A \emph{tame map} is a striped map without a kernel.
\end{definition}
\begin{definition}\label{def:between}
A \emph{striped map} is a brown map in two colours.
\end{definition}
\begin{definition}\label{def:b}
A \emph{brown map} is a sleepy map of some kind.
\end{definition}
\begin{definition}\label{def:c}
A \emph{sleepy map} is a map that does nothing.
\end{definition}
\begin{theorem}\label{one}
There are tame maps.
\end{theorem}
\begin{proof} Count them. \end{proof}
\begin{theorem}\label{two}
There are brown maps.
\end{theorem}
\begin{proof} Count them. \end{proof}
\begin{theorem}\label{three}
There are sleepy maps.
\end{theorem}
\begin{proof} Count them. \end{proof}
\begin{theorem}\label{other}
Two and two are four.
\end{theorem}
\begin{proof} Count them. \end{proof}
"""
C = "is a map that does nothing"
B = "is a sleepy map of some kind"


def unread_by_definition(before: PaperState, after: PaperState) -> set[str]:
    """The claims that are not affected, and whose definitions beyond their context say else."""
    made = plan.make_plan(before, after)
    affected = {item.id for item in made.affected}
    return {
        name
        for name, module in after.document.modules.items()
        if module.is_claim and module.role.stands_alone and name not in affected
        if deep_digest(after.document, name)
        != deep_digest(before.document, made.pairs.get(name, name))
    }


TWO = "brown maps.\n\\end{theorem}\n\\begin{proof} Now."
GONE = f"\\begin{{definition}}\\label{{def:c}}\nA \\emph{{sleepy map}} {C}.\n\\end{{definition}}\n"

BEYOND = {
    "the last of a chain": ([(C, "is a map that sleeps")], {"two", "three"}, {"def:c": ("one",)}),
    "one in its middle": ([(B, "is a sleepy map of any kind")], {"two"}, {"def:b": ("one",)}),
    "that leads to another": (
        [(B, "is a quiet map of some kind"), ("sleepy map} is", "quiet map} is")],
        {"two", "three"},
        {"def:b": ("one",), "def:c": ("one",)},
    ),
    "white space and a comment": ([(C, "is a map that\n does % why?\n nothing")], set(), {}),
    "a label": ([("def:c", "definition:sleepy")], set(), {}),
    "a claim": ([("There are brown maps", "There are two brown maps")], {"two"}, {}),
    "a proof": (
        [("brown maps.\n\\end{theorem}\n\\begin{proof}", TWO)],
        {"two"},
        {},
    ),
    "a definition that is gone": (
        [(GONE, "")],
        {"two", "three"},
        {"def:c": ("one",)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BEYOND.values(), ids=BEYOND)
def test_who_knows_a_changed_definition_by_name_only_is_told_and_not_affected(
    paper: Paper, case: tuple[list[tuple[str, str]], set[str], dict[str, tuple[str, ...]]]
) -> None:
    edits, affected, beyond = case
    before, after = paper(BY_NAME), paper(edit(*edits, of=BY_NAME))
    made = plan.make_plan(before, after)
    assert {item.id for item in made.affected} == affected
    assert {item.id: item.modules for item in made.beyond} == beyond
    assert made.unread_beyond == unread_by_definition(before, after)


def test_what_became_of_a_definition_is_said(paper: Paper) -> None:
    before, after = paper(BY_NAME), paper(edit((C, "is a map that sleeps"), of=BY_NAME))
    (item,) = plan.make_plan(before, after).beyond
    assert item.what == "definition def:c changed"
    (item,) = plan.make_plan(
        after, paper(edit(*BEYOND["a definition that is gone"][0], of=BY_NAME))
    ).beyond
    assert item.what == "definition def:c was removed"


def test_without_an_earlier_version_nothing_is_unread_beyond(paper: Paper) -> None:
    assert plan.make_plan(None, paper(BY_NAME)).beyond == ()


@pytest.mark.parametrize("case", BEYOND.values(), ids=BEYOND)
def test_what_is_unread_beyond_is_the_same_from_a_similar_version(
    tmp_path: Path, case: tuple[list[tuple[str, str]], set[str], dict[str, tuple[str, ...]]]
) -> None:
    parse_cache = ParseCache(MemoryCache())

    def read(text: str) -> SourcePaper:
        (tmp_path / "main.tex").write_text(files(text)["main.tex"], encoding="utf-8")
        return discover.discover_papers(snapshot.from_folder(tmp_path), parse_cache).papers[0]

    before = build_paper_state(read(BY_NAME))
    paper = read(edit(*case[0], of=BY_NAME))
    plans = [plan.make_plan(before, build_paper_state(paper, like)) for like in (before, None)]
    assert plans[0] == plans[1]
