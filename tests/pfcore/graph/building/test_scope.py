from collections.abc import Callable

import pytest

from pfcore.graph.context import members
from pfcore.graph.paper_state import PaperState

Paper = Callable[..., PaperState]

LEMMA = (
    "\\begin{{lemma}}\\label{{{0}}} {0}. \\end{{lemma}}\n\\begin{{proof}} Clear. \\end{{proof}}\n"
)


def lemma(name: str) -> str:
    return LEMMA.format(name)


def bound(moment: PaperState) -> str:
    """The results over which any convention or assumption stands."""
    document = moment.document
    return " ".join(
        name for name, over in document.scope.items() if over and document.modules[name].proofs
    )


def sections(binding: str, title: str = "Middle") -> str:
    return (
        f"\\section{{First}}\n{lemma('a')}\\section{{{title}}}\n{lemma('b')}{binding}\n\n{lemma('c')}"
        f"\\subsection{{Deeper}}\n{lemma('d')}\\section{{Last}}\n{lemma('e')}"
    )


ASSUMPTION = "\\begin{assumption}\\label{h} $p$ is odd. \\end{assumption}\n"

SCOPES = {
    "this section": (sections("Throughout this section, $k$ is a field."), "b c d"),
    "this paper": (sections("Throughout this paper, $k$ is a field."), "a b c d e"),
    "a fixed object, which only its users need": (
        sections("Let $G$ be a fixed finite group."),
        "",
    ),
    "the rest of the section": (
        sections("For the rest of this section, let $k$ be a field."),
        "c d",
    ),
    "the rest of the paper": (sections("For the rest of the paper, let $k$ be a field."), "c d e"),
    "from now on": (sections("From now on, let $k$ be a field."), "c d"),
    "a unit that is not there": (sections("Throughout this chapter, $k$ is a field."), "b c d"),
    "notation binds everywhere": (
        sections("From now on, let $k$ be a field.", title="Notation and conventions"),
        "c d e",
    ),
    "what is agreed on in the first section": (
        f"\\section{{First}}\nAll rings are commutative.\n\n{lemma('a')}"
        f"\\section{{Last}}\n{lemma('e')}",
        "a e",
    ),
    "but not under a heading of its own there": (
        f"\\section{{First}}\n{lemma('a')}\\subsection{{Deeper}}\nAll rings are commutative.\n\n"
        f"{lemma('b')}\\section{{Last}}\n{lemma('e')}",
        "b",
    ),
    "and in the first of a chapter": (
        f"\\chapter{{A}}\\section{{First}}\nAll rings are commutative.\n\n{lemma('a')}"
        f"\\section{{Second}}\n{lemma('b')}\\chapter{{B}}\\section{{Other}}\n{lemma('c')}",
        "a b",
    ),
    "and in a later one": (
        f"\\section{{First}}\n{lemma('a')}\\section{{Second}}\nAll rings are commutative.\n\n"
        f"{lemma('b')}\\section{{Last}}\n{lemma('e')}",
        "b",
    ),
    "an assumption": (sections(ASSUMPTION), "c d"),
    "an assumption on preliminaries": (sections(ASSUMPTION, title="Preliminaries"), "c d e"),
    "notation of a later chapter binds there": (
        f"\\chapter{{A}}{lemma('a')}\\chapter{{B}}\\section{{Setting}}\n{ASSUMPTION}{lemma('b')}"
        f"\\section{{Other}}{lemma('c')}\\chapter{{C}}{lemma('d')}",
        "b c",
    ),
    "notation of the first chapter binds in all": (
        f"\\chapter{{A}}\\section{{Setting}}\n{ASSUMPTION}{lemma('a')}\\chapter{{B}}{lemma('b')}",
        "a b",
    ),
    "so does a chapter on notation": (
        f"\\chapter{{A}}{lemma('a')}\\chapter{{Notation}}\n{ASSUMPTION}{lemma('b')}"
        f"\\chapter{{C}}{lemma('c')}",
        "b c",
    ),
    "no section at all": (f"{lemma('a')}{ASSUMPTION}{lemma('b')}", "b"),
    "throughout without sections": (
        f"{lemma('a')}\nThroughout this section, $k$ is a field.\n\n{lemma('b')}",
        "a b",
    ),
    "an assumption inside a proof": (
        lemma("a").replace("Clear.", ASSUMPTION) + lemma("b"),
        "",
    ),
    "axioms bind by name only": (
        f"\\newtheorem{{axiom}}{{Axiom}}\\begin{{axiom}} $p$ is odd. \\end{{axiom}}{lemma('a')}",
        "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCOPES)
def test_a_convention_binds_what_stands_in_its_scope(paper: Paper, name: str) -> None:
    body, expected = SCOPES[name]
    assert bound(paper(body)) == expected


NODE = ASSUMPTION.replace("{h}", r"{h}\lean{odd}")


@pytest.mark.parametrize(
    ("binding", "uses", "expected"),
    [
        (NODE, r"\uses{h}", ""),
        (NODE.replace(r"\lean{odd}", r"\leanok"), r"\uses{h}", ""),
        (NODE, "", "c d"),
        (NODE, r"\uses{c}", "c d"),
        (ASSUMPTION, r"\uses{h}", "c d"),
        (NODE, r"\ref{h}", "c d"),
    ],
)
def test_a_node_of_a_blueprint_binds_what_uses_it(
    paper: Paper, binding: str, uses: str, expected: str
) -> None:
    moment = paper(sections(binding).replace("d. ", f"{uses} d. "))
    assert bound(moment) == expected
    held = {name for name in "cd" if "h" in members(moment.document, name)}
    assert held == set(expected.split() or "d")


def test_a_subsection_binds_itself(paper: Paper) -> None:
    body = (
        f"\\section{{A}}{lemma('a')}\\subsection{{B}}\n"
        f"Throughout this subsection, $k$ is a field.\n\n{lemma('b')}\\subsection{{C}}{lemma('c')}"
    )
    assert bound(paper(body)) == "b"


def test_conventions_bind_in_reading_order_and_not_one_another(paper: Paper) -> None:
    document = paper(
        f"\\section{{A}}\nThroughout this section, $k$ is a field.\n\n"
        f"From now on, let $V$ be a space.\n\n{ASSUMPTION}{lemma('a')}"
    ).document
    first, second, third = document.scope["a"]
    assert [document.modules[name].position for name in (first, second, third)] == [0, 1, 2]
    assert document.scope[first] == ()
    assert document.scope[third] == (first, second)


def test_a_convention_over_the_place_of_a_proof_binds_its_module(paper: Paper) -> None:
    document = paper(
        "\\section{A}\\begin{lemma}\\label{a} A. \\end{lemma}\n\\section{Proofs}\n"
        "Throughout this section, $k$ is a field.\n\n"
        "\\begin{proof}[Proof of \\cref{a}] Clear. \\end{proof}\n"
    ).document
    assert len(document.scope["a"]) == 1
