"""Reasons that only unusual changes have; the usual ones stand in test_plan.py."""

from collections.abc import Callable

from pfcore.graph.paper_state import PaperState
from pfcore.impact.plan import compare
from pfcore.impact.reasons import Reasons

Paper = Callable[..., PaperState]
Affected = Callable[..., dict[str, tuple[str, ...]]]


def lemma(name: str, words: str, proof: str = "Clear.", env: str = "lemma") -> str:
    return (
        f"\\begin{{{env}}}\\label{{{name}}} {words} \\end{{{env}}}\n"
        f"\\begin{{proof}} {proof} \\end{{proof}}\n"
    )


def test_each_way_of_resting_on_something_has_its_words(affected: Affected) -> None:
    definition = "\\begin{definition}\\label{d} A \\emph{gadget} is OLD. \\end{definition}\n"
    body = (
        "\\section{S}\nThroughout this section, $k$ is OLD.\n\n"
        + definition
        + lemma("a", "OLD.")
        + lemma("u", "OLD too.")
        + lemma("v", "Gadgets exist.", "\\uses{u} As in the proof of \\cref{a}.")
    )
    assert affected(body, body.replace("OLD", "new"))["v"] == (
        "the convention at main.tex:14, which applies to it, changed",
        "definition d, whose term it uses, changed",
        "a, on whose proof its own is modelled, changed its statement",
        "u, which it uses, changed its statement",
    )


def test_a_remark_and_a_labelled_convention_are_called_by_what_they_are(affected: Affected) -> None:
    body = (
        "\\begin{assumption}\\label{h} $p$ is OLD. \\end{assumption}\n"
        "\\begin{remark}\\label{r} OLD. \\end{remark}\n"
    )
    body += lemma("v", "So.", "By \\cref{r}.")
    assert affected(body, body.replace("OLD", "new"))["v"] == (
        "assumption h, which applies to it, changed",
        "r, which it cites, changed its statement",
    )


def test_a_member_of_a_member_is_told_through_which(affected: Affected) -> None:
    body = lemma("a", "OLD.") + lemma("b", "See \\cref{a}.") + lemma("c", "C.", "By \\cref{b}.")
    assert affected(body, body.replace("OLD", "new"))["c"] == (
        "a, which b refers to, changed its statement",
    )


def test_a_reference_in_a_statement_that_leads_elsewhere(affected: Affected) -> None:
    body = lemma("a", "A.") + lemma("b", "B.") + lemma("c", "As \\cref{a} and not \\cref{b}.")
    body += lemma("d", "D.", "By \\cref{c}.")
    swapped = (
        body.replace("{a} A.", "{x} A.").replace("{b} B.", "{a} B.").replace("{x} A.", "{b} A.")
    )
    found = affected(body, swapped)
    assert found == {
        "c": ("a reference in its statement now leads to a instead of b",),
        "d": ("c, which it cites, now refers to something else",),
    }


def test_a_change_of_a_file_that_is_read_in_inside_a_proof(affected: Affected) -> None:
    body = lemma("a", "A.", "First. \\input{part} Last.")
    before = {"main.tex": body, "part.tex": "Then this.\n"}
    found = affected(before, {**before, "part.tex": "Then that.\n"})
    assert found == {"a": ("proof changed",)}


def test_an_inner_claim_is_told_through_its_outer_proof(affected: Affected) -> None:
    inner = (
        "\\begin{claim}\\label{c} C. \\end{claim}\\begin{proof} Yes."
        "\\begin{claim}\\label{d} D. \\end{claim}\\begin{proof} Sure. \\end{proof} \\end{proof}"
    )
    body = lemma("a", "OLD.", f"First. {inner} Last.")
    found = affected(body, body.replace("OLD", "new"))
    assert found["c"] == ("a, whose proof contains it, changed its statement",)
    assert found["d"] == ("a, on which it depends indirectly, changed its statement",)


def test_without_any_difference_the_words_are_general(paper: Paper) -> None:
    moment = paper(lemma("a", "A."))
    reasons = Reasons(before=moment, after=moment, comparison=compare(moment, moment))
    assert reasons.of("a") == ("the target of a reference changed",)


def test_what_was_removed_is_told_by_how_it_was_used(affected: Affected) -> None:
    definition = "\\begin{definition}\\label{d} A \\emph{gadget} is one. \\end{definition}\n"
    kept = lemma("b", "B.", "By \\cref{a}.") + lemma("v", "Gadgets exist.", "By \\cref{b}.")
    found = affected(definition + lemma("a", "A.") + kept, kept)
    assert found == {
        "b": ("a, which it cited, was removed",),
        "v": ("definition d, whose term it used, was removed",),
    }


def test_what_was_removed_behind_what_it_cites(affected: Affected) -> None:
    kept = lemma("b", "As in \\cref{a}.") + lemma("v", "V.", "By \\cref{b}.")
    found = affected(lemma("a", "A.") + kept, kept)
    assert found == {
        "b": ("a, which it cited, was removed",),
        "v": (
            "b, which it cites, now refers to something else",
            "a, on which it depended indirectly, was removed",
        ),
    }


def test_a_reference_to_another_equation_of_the_same_result(affected: Affected) -> None:
    rows = "\\begin{align} 1 &= 1 \\label{e}\\\\ 2 &= 2 \\label{f} \\end{align}"
    body = lemma("a", rows) + lemma("b", "B.", "By \\eqref{e}.")
    found = affected(body, body.replace("\\eqref{e}", "\\eqref{f}"))
    assert found == {
        "b": ("proof changed", "a reference in its proof now leads to another place in a")
    }


def test_a_proof_that_cites_something_else_was_edited_and_no_reference_led_elsewhere(
    affected: Affected,
) -> None:
    chain = lemma("a", "A.") + lemma("b", "As in Lemma 0.1.") + lemma("c", "C.")
    for form, one, two in (("By Lemmas {}.", "0.2 and 0.3", "0.1, 0.2 and 0.3"), _CREF):
        fewer = chain + lemma("d", "D.", form.format(one))
        more = chain + lemma("d", "D.", form.format(two))
        assert affected(fewer, more) == {"d": ("proof changed", "its proof now cites a")}
        assert affected(more, fewer) == {"d": ("proof changed",)}


_CREF = ("By \\cref{{{}}}.", "b,c", "a,b,c")
