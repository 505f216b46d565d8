from collections.abc import Callable, Collection, Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain.values import Role, Status
from pfcore.graph.document import ProofDocument
from pfcore.graph.laws import is_invocation, knots
from pfcore.graph.paper_state import PaperState
from pfcore.graph.status import ModuleVerdict, statuses

Argument = Callable[..., ProofDocument]
Paper = Callable[..., PaperState]

NAMES = "abcdef"
SUPPORTS = {Status.CHECKED, Status.GIVEN, Status.CITED, Status.FORMAL, Status.DISMISSED}


def naive(
    document: ProofDocument, verdicts: Mapping[str, ModuleVerdict], formal: Collection[str]
) -> dict[str, Status]:
    """The least fixpoint by iteration from nothing: checked is what every round adds."""
    knotted = {name for knot in knots(document) for name in knot}
    found = {}
    for name, module in document.modules.items():
        verdict = verdicts.get(name)
        if name in knotted or verdict is ModuleVerdict.FLAGGED:
            found[name] = Status.FLAGGED
        elif verdict is ModuleVerdict.DISMISSED:
            found[name] = Status.DISMISSED
        elif name in formal and (module.proofs or module.role is Role.RESULT):
            found[name] = Status.FORMAL
        elif verdict is ModuleVerdict.ACCEPTED:
            found[name] = Status.CONDITIONAL
        elif module.proofs or module.role is Role.RESULT:
            found[name] = Status.UNREACHED
        else:
            found[name] = Status.GIVEN
    invoked = {
        name: {e.target for e in document.edges_of(name) if is_invocation(e, document)} - {name}
        for name in document.modules
    }
    for _ in document.modules:
        for name, status in found.items():
            is_supported = all(found[target] in SUPPORTS for target in invoked[name])
            if status is Status.CONDITIONAL and is_supported:
                found[name] = Status.CHECKED
    return found


@given(
    cited=st.fixed_dictionaries(
        {name: st.none() | st.lists(st.sampled_from(NAMES), max_size=3) for name in NAMES}
    ),
    roles=st.dictionaries(st.sampled_from(NAMES), st.sampled_from([Role.DEFINITION, Role.ASIDE])),
    verdicts=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(list(ModuleVerdict))),
    formal=st.sets(st.sampled_from(NAMES)),
)
def test_the_status_is_the_least_fixpoint(
    argument: Argument,
    cited: dict[str, list[str] | None],
    roles: dict[str, Role],
    verdicts: dict[str, ModuleVerdict],
    formal: set[str],
) -> None:
    document = argument(cited, roles, formal)
    assert statuses(document, verdicts) == naive(document, verdicts, formal)
    assert statuses(document, verdicts, trust_leanok=False) == naive(document, verdicts, ())


def test_without_a_verdict_nothing_passes(argument: Argument) -> None:
    document = argument({"a": [], "b": None, "c": None}, {"c": Role.DEFINITION})
    assert statuses(document, {}) == {
        "a": Status.UNREACHED,
        "b": Status.UNREACHED,
        "c": Status.GIVEN,
    }


def test_accepted_is_conditional_on_what_it_invokes(argument: Argument) -> None:
    document = argument({"a": ["b"], "b": ["c"], "c": []})
    both = {"a": ModuleVerdict.ACCEPTED, "b": ModuleVerdict.ACCEPTED}
    assert statuses(document, both)["a"] is Status.CONDITIONAL
    found = statuses(document, {**both, "c": ModuleVerdict.ACCEPTED})
    assert set(found.values()) == {Status.CHECKED}
    found = statuses(document, {**both, "c": ModuleVerdict.FLAGGED})
    assert (found["a"], found["b"], found["c"]) == (
        Status.CONDITIONAL,
        Status.CONDITIONAL,
        Status.FLAGGED,
    )
    assert statuses(document, {**both, "c": ModuleVerdict.DISMISSED})["a"] is Status.CHECKED


def test_members_of_a_cycle_are_flagged_whatever_was_said(argument: Argument) -> None:
    document = argument({"a": ["b"], "b": ["a"], "c": ["a"]})
    found = statuses(document, dict.fromkeys("abc", ModuleVerdict.ACCEPTED))
    assert found == {"a": Status.FLAGGED, "b": Status.FLAGGED, "c": Status.CONDITIONAL}


def test_circles_of_mere_suspicion_are_never_checked(paper: Paper) -> None:
    """Edges by `\\uses` may form a circle that no finding names; nothing on it has a ground."""
    document = paper(r"""
\begin{lemma}\label{lem:a} A. \end{lemma}
\begin{proof}\uses{lem:b} Clear. \end{proof}
\begin{lemma}\label{lem:b} B. \end{lemma}
\begin{proof}\uses{lem:a} Clear. \end{proof}
""").document
    found = statuses(document, dict.fromkeys(document.modules, ModuleVerdict.ACCEPTED))
    assert set(found.values()) == {Status.CONDITIONAL}


def test_what_the_literature_proves_is_cited(paper: Paper) -> None:
    document = paper(r"""
\begin{theorem}[\cite{Gauss}]\label{thm:old} Every polynomial has a root. \end{theorem}
\begin{conjecture}\label{conj} Everything is true. \end{conjecture}
\begin{lemma}\label{lem} So be it. \end{lemma}
\begin{proof} By \cref{thm:old}. \end{proof}
""").document
    found = statuses(document, {"lem": ModuleVerdict.ACCEPTED})
    assert found == {
        "thm:old": Status.CITED,
        "conj": Status.UNREACHED,
        "lem": Status.CHECKED,
    }


def test_an_equation_has_the_status_of_the_proof_that_it_stands_in(paper: Paper) -> None:
    document = paper(r"""
\begin{lemma}\label{lem} So be it. \end{lemma}
\begin{proof} See \begin{equation}\label{eq} 1 = 1. \end{equation} \end{proof}
\begin{theorem}\label{thm} Amen. \end{theorem}
\begin{proof} By \eqref{eq}. \end{proof}
\begin{equation}\label{loose} 2 = 2. \end{equation}
""").document
    assert statuses(document, {})["eq"] is Status.UNREACHED
    assert statuses(document, {})["loose"] is Status.GIVEN
    found = statuses(document, {"lem": ModuleVerdict.FLAGGED, "thm": ModuleVerdict.ACCEPTED})
    assert (found["eq"], found["thm"]) == (Status.FLAGGED, Status.CONDITIONAL)
    accepted = statuses(document, dict.fromkeys(("lem", "thm"), ModuleVerdict.ACCEPTED))
    assert (accepted["eq"], accepted["thm"]) == (Status.CHECKED, Status.CHECKED)


STEPS = r"""
\begin{lemma}\label{open} Who knows. \end{lemma}
\begin{lemma}\label{lem} So be it. \end{lemma}
\begin{proof}
Hence \begin{equation}\label{eq} 1 = 1. \end{equation}
\begin{claim}\label{cl} Some. \end{claim}
\begin{proof} By \eqref{eq}. \end{proof}
By \cref{cl} and we are done. GROUND
\end{proof}
\begin{theorem}\label{thm} Amen. \end{theorem}
\begin{proof} By \eqref{eq}. \end{proof}
"""


def test_an_equation_rests_on_what_its_proof_rests_on(paper: Paper) -> None:
    document = paper(STEPS.replace("GROUND", "By \\cref{open}.")).document
    found = statuses(document, dict.fromkeys(("lem", "cl", "thm"), ModuleVerdict.ACCEPTED))
    assert set(found.values()) == {Status.UNREACHED, Status.CONDITIONAL}


def test_a_claim_may_cite_an_equation_before_it_in_the_same_proof(paper: Paper) -> None:
    document = paper(STEPS.replace("GROUND", "")).document
    found = statuses(document, dict.fromkeys(("lem", "cl", "thm"), ModuleVerdict.ACCEPTED))
    assert found.pop("open") is Status.UNREACHED
    assert set(found.values()) == {Status.CHECKED}


def test_an_equation_of_a_circular_proof_is_flagged(paper: Paper) -> None:
    document = paper(
        STEPS.replace("GROUND", "By \\cref{thm}.").replace("\\eqref", "\\cref{lem} \\eqref")
    ).document
    found = statuses(document, dict.fromkeys(("lem", "cl", "thm"), ModuleVerdict.ACCEPTED))
    assert found["eq"] is Status.FLAGGED


MARKED = r"""
\begin{lemma}\label{lem}STATEMENT So be it. \end{lemma}
\begin{proof}PROOF See \begin{equation}\label{eq} 1 = 1. \end{equation} \end{proof}
\begin{theorem}\label{thm} Amen. \end{theorem}
\begin{proof} By \cref{lem} and \eqref{eq}. \end{proof}
"""


@pytest.mark.parametrize(
    ("statement", "proof", "status"),
    [
        ("", r"\leanok", Status.FORMAL),
        (r"\leanok", r"\leanok", Status.FORMAL),
        (r"\mathlibok", "", Status.FORMAL),
        (r"\leanok", "", Status.UNREACHED),
        (r"\notready", r"\notready", Status.UNREACHED),
        (r"\lean{Lem}", "", Status.UNREACHED),
    ],
)
def test_a_result_is_formal_where_its_proof_is_marked_or_mathlib_has_it(
    paper: Paper, statement: str, proof: str, status: Status
) -> None:
    document = paper(MARKED.replace("STATEMENT", statement).replace("PROOF", proof)).document
    found = statuses(document, {"thm": ModuleVerdict.ACCEPTED})
    is_formal = status is Status.FORMAL
    assert found["lem"] is found["eq"] is status
    assert found["thm"] is (Status.CHECKED if is_formal else Status.CONDITIONAL)


def test_marks_count_for_nothing_where_the_authors_do_not_trust_them(paper: Paper) -> None:
    document = paper(MARKED.replace("STATEMENT", r"\mathlibok").replace("PROOF", "")).document
    found = statuses(document, {"thm": ModuleVerdict.ACCEPTED}, trust_leanok=False)
    assert (found["lem"], found["thm"]) == (Status.UNREACHED, Status.CONDITIONAL)


def test_an_objection_to_the_words_outweighs_the_mark(paper: Paper) -> None:
    document = paper(MARKED.replace("STATEMENT", "").replace("PROOF", r"\leanok")).document
    assert statuses(document, {"lem": ModuleVerdict.FLAGGED})["lem"] is Status.FLAGGED
    assert statuses(document, {"lem": ModuleVerdict.ACCEPTED})["lem"] is Status.FORMAL


def test_a_definition_stays_given_whatever_its_mark(paper: Paper) -> None:
    document = paper(r"\begin{definition}\label{d}\mathlibok A \emph{d}. \end{definition}").document
    assert statuses(document, {}) == {"d": Status.GIVEN}


def test_the_proof_of_a_claim_inside_does_not_speak_for_the_proof_around_it(paper: Paper) -> None:
    document = paper(r"""
\begin{theorem}\label{thm} Amen. \end{theorem}
\begin{proof}
\begin{claim}\label{cl} Some. \end{claim}
\begin{proof}\leanok Clear. \end{proof}
Done.
\end{proof}
""").document
    assert statuses(document, {}) == {"thm": Status.UNREACHED, "cl": Status.FORMAL}


OMITTED = r"""
\begin{lemma}\label{o} O. \end{lemma}
\begin{proof} %s \end{proof}
\begin{lemma}\label{a} A. \end{lemma}
\begin{proof} By \cref{o}. \end{proof}
\begin{lemma}\label{b} B. \end{lemma}
\begin{proof} By \cref{a}. \end{proof}
"""


@pytest.mark.parametrize(
    ("words", "own", "others"),
    [
        ("Left to the reader.", Status.OMITTED, Status.CONDITIONAL),
        ("See [3].", Status.CITED, Status.CHECKED),
        ("Trivial.", Status.CHECKED, Status.CHECKED),
        ("\\leanok Omitted.", Status.FORMAL, Status.CHECKED),
    ],
)
def test_what_stands_for_a_proof_is_never_accepted_and_supports_nothing_unless_cited(
    paper: Paper, words: str, own: Status, others: Status
) -> None:
    document = paper(OMITTED % words).document
    found = statuses(document, dict.fromkeys(document.modules, ModuleVerdict.ACCEPTED))
    assert found == {"o": own, "a": others, "b": others}


def test_an_omitted_proof_of_what_is_no_result_supports_nothing(paper: Paper) -> None:
    remark = OMITTED.replace(
        "{lemma}\\label{o} O. \\end{lemma}", "{remark}\\label{o} O. \\end{remark}"
    )
    document = paper(remark % "Exercise.").document
    found = statuses(document, {"a": ModuleVerdict.ACCEPTED})
    assert (found["o"], found["a"]) == (Status.OMITTED, Status.CONDITIONAL)


def test_a_guessed_proof_makes_nothing_plainly_checked(paper: Paper) -> None:
    body = r"""
\begin{lemma}\label{a} A. \end{lemma}
\begin{remark} R. \end{remark}
\begin{proof}%s \begin{equation}\label{eq} 1 = 1. \end{equation} \end{proof}
\begin{lemma}\label{b} B. \end{lemma}
\begin{proof} By \cref{a}. \end{proof}
\begin{lemma}\label{c} C. \end{lemma}
\begin{proof} By \eqref{eq}. \end{proof}
"""
    for title, expected in (("", Status.CONDITIONAL), (r"[Proof of \cref{a}]", Status.CHECKED)):
        document = paper(body % title).document
        found = statuses(document, dict.fromkeys("abc", ModuleVerdict.ACCEPTED))
        assert [found[name] for name in ("a", "eq", "b", "c")] == [expected] * 4
    found = statuses(paper(body % "").document, {"a": ModuleVerdict.FLAGGED})
    assert found["a"] is Status.FLAGGED


def test_what_changed_beyond_a_context_leaves_an_accepted_proof_conditional(
    argument: Argument,
) -> None:
    document = argument({"a": [], "b": ["a"], "c": []})
    verdicts = dict.fromkeys("abc", ModuleVerdict.ACCEPTED)
    found = statuses(document, verdicts, unread_beyond={"a"})
    assert found == {
        "a": Status.CONDITIONAL, "b": Status.CONDITIONAL, "c": Status.CHECKED,
    }  # fmt: skip
    flagged = statuses(document, {"a": ModuleVerdict.FLAGGED}, unread_beyond={"a"})
    assert flagged["a"] is Status.FLAGGED
    assert statuses(document, {}, unread_beyond={"a"})["a"] is Status.UNREACHED
