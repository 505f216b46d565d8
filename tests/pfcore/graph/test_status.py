from collections.abc import Callable, Mapping

from hypothesis import given
from hypothesis import strategies as st

from pfcore.graph.document import ProofDocument
from pfcore.graph.laws import is_invocation, knots
from pfcore.graph.paper import State
from pfcore.graph.status import Verdict, statuses
from pfcore.model import Role, Status

Argument = Callable[..., ProofDocument]
Paper = Callable[..., State]

NAMES = "abcdef"
SUPPORTS = {Status.CHECKED, Status.GIVEN, Status.CITED, Status.FORMAL, Status.DISMISSED}


def naive(document: ProofDocument, verdicts: Mapping[str, Verdict]) -> dict[str, Status]:
    """The least fixpoint by iteration from nothing: checked is what every round adds."""
    knotted = {name for knot in knots(document) for name in knot}
    found = {}
    for name, module in document.modules.items():
        verdict = verdicts.get(name)
        if name in knotted or verdict is Verdict.FLAGGED:
            found[name] = Status.FLAGGED
        elif verdict is Verdict.DISMISSED:
            found[name] = Status.DISMISSED
        elif verdict is Verdict.ACCEPTED:
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
    verdicts=st.dictionaries(st.sampled_from(NAMES), st.sampled_from(list(Verdict))),
)
def test_the_status_is_the_least_fixpoint(
    argument: Argument,
    cited: dict[str, list[str] | None],
    roles: dict[str, Role],
    verdicts: dict[str, Verdict],
) -> None:
    document = argument(cited, roles)
    assert statuses(document, verdicts) == naive(document, verdicts)


def test_without_a_verdict_nothing_passes(argument: Argument) -> None:
    document = argument({"a": [], "b": None, "c": None}, {"c": Role.DEFINITION})
    assert statuses(document, {}) == {
        "a": Status.UNREACHED,
        "b": Status.UNREACHED,
        "c": Status.GIVEN,
    }


def test_accepted_is_conditional_on_what_it_invokes(argument: Argument) -> None:
    document = argument({"a": ["b"], "b": ["c"], "c": []})
    both = {"a": Verdict.ACCEPTED, "b": Verdict.ACCEPTED}
    assert statuses(document, both)["a"] is Status.CONDITIONAL
    found = statuses(document, {**both, "c": Verdict.ACCEPTED})
    assert set(found.values()) == {Status.CHECKED}
    found = statuses(document, {**both, "c": Verdict.FLAGGED})
    assert (found["a"], found["b"], found["c"]) == (
        Status.CONDITIONAL,
        Status.CONDITIONAL,
        Status.FLAGGED,
    )
    assert statuses(document, {**both, "c": Verdict.DISMISSED})["a"] is Status.CHECKED


def test_members_of_a_cycle_are_flagged_whatever_was_said(argument: Argument) -> None:
    document = argument({"a": ["b"], "b": ["a"], "c": ["a"]})
    found = statuses(document, dict.fromkeys("abc", Verdict.ACCEPTED))
    assert found == {"a": Status.FLAGGED, "b": Status.FLAGGED, "c": Status.CONDITIONAL}


def test_circles_of_mere_suspicion_are_never_checked(paper: Paper) -> None:
    """Edges by `\\uses` may form a circle that no finding names; nothing on it has a ground."""
    document = paper(r"""
\begin{lemma}\label{lem:a} A. \end{lemma}
\begin{proof}\uses{lem:b} Clear. \end{proof}
\begin{lemma}\label{lem:b} B. \end{lemma}
\begin{proof}\uses{lem:a} Clear. \end{proof}
""").document
    found = statuses(document, dict.fromkeys(document.modules, Verdict.ACCEPTED))
    assert set(found.values()) == {Status.CONDITIONAL}


def test_what_the_literature_proves_is_cited(paper: Paper) -> None:
    document = paper(r"""
\begin{theorem}[\cite{Gauss}]\label{thm:old} Every polynomial has a root. \end{theorem}
\begin{conjecture}\label{conj} Everything is true. \end{conjecture}
\begin{lemma}\label{lem} So be it. \end{lemma}
\begin{proof} By \cref{thm:old}. \end{proof}
""").document
    found = statuses(document, {"lem": Verdict.ACCEPTED})
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
    found = statuses(document, {"lem": Verdict.FLAGGED, "thm": Verdict.ACCEPTED})
    assert (found["eq"], found["thm"]) == (Status.FLAGGED, Status.CONDITIONAL)
    accepted = statuses(document, dict.fromkeys(("lem", "thm"), Verdict.ACCEPTED))
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
    found = statuses(document, dict.fromkeys(("lem", "cl", "thm"), Verdict.ACCEPTED))
    assert set(found.values()) == {Status.UNREACHED, Status.CONDITIONAL}


def test_a_claim_may_cite_an_equation_before_it_in_the_same_proof(paper: Paper) -> None:
    document = paper(STEPS.replace("GROUND", "")).document
    found = statuses(document, dict.fromkeys(("lem", "cl", "thm"), Verdict.ACCEPTED))
    assert found.pop("open") is Status.UNREACHED
    assert set(found.values()) == {Status.CHECKED}


def test_an_equation_of_a_circular_proof_is_flagged(paper: Paper) -> None:
    document = paper(
        STEPS.replace("GROUND", "By \\cref{thm}.").replace("\\eqref", "\\cref{lem} \\eqref")
    ).document
    found = statuses(document, dict.fromkeys(("lem", "cl", "thm"), Verdict.ACCEPTED))
    assert found["eq"] is Status.FLAGGED
