"""What an edit affects in a proof that is written in steps; and what "by Step 2" leads to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.domain.values import Edge, Via
from pfcore.graph.laws import certain_cycles
from pfcore.graph.paper_state import Numbering, PaperState, build_paper_state
from pfcore.impact.plan import make_plan
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

Affected = Callable[..., dict[str, tuple[str, ...]]]
Paper = Callable[..., PaperState]

SAMPLE = (Path(__file__).parent.parent / "data" / "steps.tex").read_text(encoding="utf-8")
SECTION = "compact-spaces-of-maps"
ONE, TWO, THREE, FOUR, FIVE = (f"step~{SECTION}~{number}" for number in range(1, 6))
CLAIM = f"claim~{SECTION}~1"
MAIN = "thm:sequence"
STATED = "a hypothesis that applies to it has changed"


def edit(*changes: tuple[str, str]) -> str:
    text = SAMPLE
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_a_paper_in_steps_has_a_module_for_each(paper: Paper) -> None:
    moment = paper(SAMPLE)
    modules = moment.document.modules
    numbering = Numbering(moment.paper)
    found = {
        name: (module.parent, module.kind, numbering.of(module), len(module.proofs))
        for name, module in modules.items()
        if module.parent
    }
    assert found == {
        ONE: (MAIN, "step", "1", 1),
        TWO: (MAIN, "step", "2", 1),
        CLAIM: (TWO, "claim", "A", 1),
        THREE: (MAIN, "step", "3", 1),
        FOUR: ("thm:closure", "step", "1", 1),
        FIVE: ("thm:closure", "step", "2", 1),
    }


def test_words_lead_to_the_steps_of_the_same_proof(paper: Paper) -> None:
    document = paper(SAMPLE).document
    found = {
        (edge.source, edge.target)
        for edge in document.edges
        if edge.via is Via.NUMBER and not edge.is_explicit
    }
    assert found == {
        (TWO, ONE),
        (TWO, CLAIM),
        (THREE, TWO),
        (MAIN, THREE),
        (FIVE, FOUR),
        ("thm:closure", FIVE),
    }


def test_a_step_is_read_with_what_it_cites_and_with_what_is_fixed(
    rendered: Callable[..., str],
) -> None:
    text = rendered(SAMPLE, TWO)
    assert "(step). Let $(f_n)$ be a sequence in a tight family." in text
    assert "Denote it by $(g_n)$. $(g_n)$ is uniformly Cauchy on $X$." in text
    assert "By Result 2, the sequence converges on $D$." in text
    assert "The diagonal" not in text
    assert "By compactness, finitely many of them do" not in text


def test_the_outer_proof_sees_what_the_steps_state(rendered: Callable[..., str]) -> None:
    text = rendered(SAMPLE, MAIN)
    assert "[Step. a subsequence converges at every point of $D$.] [Step. $(g_n)$ is" in text
    assert "The diagonal" not in text
    assert "Claim A" not in text


EDITS = {
    "the proof of a step": (("The diagonal sequence", "The diagonal"), {ONE}),
    "the proof of a claim in a step": (("finitely many of them do", "so do some"), {CLAIM}),
    "the statement of a claim in a step": (("come within", "lie within"), {TWO, CLAIM}),
    "the words around a claim": (("does the rest", "does it"), {TWO}),
    "the words around the steps": (("is as desired", "will do"), {MAIN}),
    "the statement of a step": (
        ("$(g_n)$ converges uniformly", "$(g_n)$ converges"),
        {MAIN, THREE},
    ),
    "the statement of a step that others cite": (
        ("converges at every point", "converges at each point"),
        {MAIN, ONE, TWO},
    ),
    "a hypothesis in a step": (("Denote it by", "Denote this by"), {MAIN, ONE, TWO, THREE, CLAIM}),
    "a hypothesis before the steps": (
        ("Fix a countable", "Fix some countable"),
        {MAIN, ONE, TWO, THREE, CLAIM},
    ),
    "the proof of an item": (("Take the same", "Use the same"), {FOUR}),
    "the numbers": (
        (
            ("Step 3", "Step 4"), ("Step 2", "Step 3"), ("Step~1", "Step~2"), ("Step 1", "Step 2"),
            ("Claim A", "Claim 1"), ("Claim~A", "Claim 1"),
        ),
        set(),
    ),
    "the shape of the headings": (
        (
            ("\\medskip\\noindent\\textbf{Step 3:", "\\paragraph{Step 3."),
            ("\\textbf{Step 2.} We now", "{\\bf Step 2.} We"),
        ),
        set(),
    ),
    "white space and comments": ((("Step 2.} We", "Step 2.}   We%\n"),), set()),
}  # fmt: skip


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_affects_the_steps_that_it_reaches(affected: Affected, name: str) -> None:
    changes, expected = EDITS[name]
    pairs = changes if isinstance(changes[0], tuple) else (changes,)
    after = edit(*pairs)
    assert set(affected(SAMPLE, after)) == expected
    assert set(affected(after, SAMPLE)) == expected


def test_the_reasons_name_the_step(affected: Affected) -> None:
    found = affected(SAMPLE, edit(("$(g_n)$ converges uniformly", "$(g_n)$ converges")))
    assert found[MAIN] == (f"{THREE}, which its proof contains, changed its statement",)
    found = affected(SAMPLE, edit(("Denote it by", "Denote this by")))
    assert found[TWO] == (STATED,)


def test_a_step_put_in_front_affects_itself_and_the_outer_proof(affected: Affected) -> None:
    heading = "\\medskip\\noindent\\textbf{Step 1:"
    new = "\\medskip\\noindent\\textbf{Step 0: $X$ is complete.} Compact spaces are.\n\n"
    found = affected(SAMPLE, edit((heading, new + heading)))
    assert set(found) == {MAIN, ONE}
    assert found[ONE] == ("this step is new",)


@pytest.mark.parametrize("name", EDITS)
def test_an_updated_paper_is_the_same_as_a_new_one(tmp_path: Path, name: str) -> None:
    changes, _ = EDITS[name]
    pairs = changes if isinstance(changes[0], tuple) else (changes,)
    parse_cache = ParseCache(MemoryCache())

    def read(text: str, like: PaperState | None = None) -> PaperState:
        (tmp_path / "main.tex").write_text(text, encoding="utf-8")
        (found,) = discover.discover_papers(snapshot.from_folder(tmp_path), parse_cache).papers
        return build_paper_state(found, like)

    before = read(SAMPLE)
    after = read(edit(*pairs), before)
    fresh = read(edit(*pairs))
    assert after == fresh
    assert list(after.document.edges) == list(fresh.document.edges)
    assert {item.id for item in make_plan(before, after).affected} == {
        item.id for item in make_plan(before, fresh).affected
    }


def proof(text: str) -> str:
    return (
        "\\section{S}\n\\begin{theorem}\\label{t} All. \\end{theorem}\n"
        f"\\begin{{proof}} {text} \\end{{proof}}\n"
    )


STEPS = (
    "\\textbf{Step 1: $f$ is open.} Look at it. \\textbf{Step 2: $g$ is open.} See it. "
    "\\textbf{Conclusion.} "
)
ALL = {"step~s~1", "step~s~2"}


@pytest.mark.parametrize(
    ("words", "targets"),
    [
        ("By Step 2 we win.", {"step~s~2"}),
        ("By step 2 we win.", {"step~s~2"}),
        ("By Steps 1 and 2 we win.", ALL),
        ("Steps 1--2 give all.", ALL),
        ("(see Step~1)", {"step~s~1"}),
        ("By Step 3 we win.", set()),
        ("By Steps 2 and 3 we win.", set()),
        ("By Step 1 of the proof of Lemma 3.2 we win.", set()),
        ("By Step 1 in \\cite{gauss} we win.", set()),
        ("By Claim 1 we win.", set()),
    ],
)
def test_a_step_is_found_by_its_number(paper: Paper, words: str, targets: set[str]) -> None:
    edges = paper(proof(STEPS + words)).document.edges_of("t")
    assert {edge.target for edge in edges if edge.via is Via.NUMBER} == targets


CLAIMS = "\\textbf{Claim.} \\emph{It is so.} \\begin{proof} Look. \\end{proof} "


def test_the_claim_is_the_only_one_before(paper: Paper) -> None:
    words = "By the claim we win."
    (one,) = {edge.target for edge in number_edges(paper(proof(CLAIMS + words)))}
    assert one == "claim~s~1"
    assert not number_edges(paper(proof(words + CLAIMS)))
    assert not number_edges(paper(proof(CLAIMS + CLAIMS + words)))


def test_a_numbered_claim_is_looked_for_beside_before_all_others(paper: Paper) -> None:
    lemma = "\\begin{claim}\\label{c} So. \\end{claim}\\begin{proof} Clear. \\end{proof}\n"
    body = CLAIMS.replace("Claim.", "Claim 1.") + "By Claim 1 we win."
    assert {edge.target for edge in number_edges(paper(lemma + proof(body)))} == {"claim~s~1"}


def number_edges(moment: PaperState) -> list[Edge]:
    return [edge for edge in moment.document.edges_of("t") if edge.via is Via.NUMBER]


def test_the_steps_of_another_proof_are_out_of_sight(paper: Paper) -> None:
    other = "\\begin{lemma}\\label{l} L. \\end{lemma}\\begin{proof} By Step 1. \\end{proof}"
    edges = paper(proof(STEPS + "We win.") + other).document.edges_of("l")
    assert not [edge for edge in edges if edge.via is Via.NUMBER]


def test_steps_that_speak_of_one_another_are_no_certain_circle(paper: Paper) -> None:
    body = STEPS.replace("Look at it.", "By Step 2.").replace("See it.", "By Step 1.")
    assert certain_cycles(paper(proof(body + "We win.")).document) == []


def test_what_is_assumed_for_a_contradiction_is_forgotten(rendered: Callable[..., str]) -> None:
    body = STEPS.replace("Look", "Suppose for a contradiction that $f = 0$. Let $c = 2$. Look")
    text = rendered(proof(body + "We win."), "step~s~2")
    assert "Step. Let $c = 2$. $g$ is open." in text.replace("$c=2$", "$c = 2$")
    assert "contradiction" not in text


def test_a_case_inside_of_a_step_holds_in_that_step_alone(rendered: Callable[..., str]) -> None:
    body = STEPS.replace("Look", "Case 1. Suppose that $n$ is odd. Look")
    assert "is odd" not in rendered(proof(body + "We win."), "step~s~2")
