"""Which proof proves what: each rule on a paper of its own."""

from collections.abc import Callable

import pytest

from pfcore.graph.paper import State

Paper = Callable[..., State]

A = "\\begin{lemma}\\label{a} A. \\end{lemma}\n"
B = "\\begin{lemma}\\label{b} B. \\end{lemma}\n"
T = "\\begin{theorem}[Main theorem]\\label{t} T. \\end{theorem}\n"
REMARK = "\\begin{remark}\\label{r} R. \\end{remark}\n"


def proof(title: str = "", words: str = "Clear.") -> str:
    return f"\\begin{{proof}}{title} {words} \\end{{proof}}\n"


RULES = {
    "a proof right behind its statement": (A + proof(), {"a": 1}),
    "an equation may stand in between": (
        A + "\\begin{equation}\\label{eq} 1 = 1 \\end{equation}\n" + proof(),
        {"a": 1},
    ),
    "prose in between": (A + "Some words.\n\n" + proof(), {"a": 1}),
    "a remark may have a proof of its own": (A + proof() + REMARK + proof(), {"a": 1, "r": 1}),
    "past a remark to the last unproved result": (
        A + REMARK + "Now we can prove the lemma.\n" + proof(),
        {"a": 1},
    ),
    "a result inside a remark, and its proof": (
        "\\begin{remark}\\label{r} R. " + A + proof() + "\\end{remark}\n",
        {"a": 1},
    ),
    "a question set between a result and its proof": (
        A + "\\begin{conjecture}\\label{c} Is it sharp? \\end{conjecture}\n" + proof(),
        {"a": 1},
    ),
    "two results, then two proofs": (
        A + B + proof() + "More.\n" + proof(),
        {"b": 1, "a": 1},
    ),
    "by the label in its title": (A + B + proof("[Proof of \\cref{a}]"), {"a": 1}),
    "one proof of two results": (A + B + proof("[Proof of \\cref{a,b}]"), {"a": 1, "b": 1}),
    "by \\proves": (A + B + proof(words="\\proves{a} Clear."), {"a": 1}),
    "behind a statement that is said again": (
        "\\begin{restatable}{lemma}{gold}\\label{a} A. \\end{restatable}\n"
        + B + "\\gold*\n" + proof(),
        {"a": 1},
    ),
    "behind a statement that thmtools says again": (
        "\\begin{lemma}[name=Gold, restate=gold]\\label{a} A. \\end{lemma}\n"
        + B + "\\gold*\n\n" + proof(),
        {"a": 1},
    ),
    "by the heading of the environment": (
        "\\newtheorem*{mainthm}{Main Theorem}\n"
        + "\\begin{mainthm}\\label{t} T. \\end{mainthm}\n"
        + A + proof("[Proof of the Main Theorem]") + proof(),
        {"t": 1, "a": 1},
    ),
    "by the name in its title": (
        T + A + proof() + proof("[Proof of the main theorem]"),
        {"t": 1, "a": 1},
    ),
    "inside the statement": (
        "\\begin{lemma}\\label{a} A. \\begin{proof} Clear. \\end{proof} \\end{lemma}\n" + B,
        {"a": 1},
    ),
    "a claim inside a proof": (
        A + "\\begin{proof} First. " + B + proof() + " Last. \\end{proof}\n",
        {"a": 1, "b": 1},
    ),
    "two proofs": (A + proof() + proof("[Second proof]"), {"a": 2}),
    "another proof after some words": (
        A + proof() + "Words.\n" + proof("[Another proof]"),
        {"a": 2},
    ),
    "by the title of its section": (
        f"\\section{{Results}}\n{A}{B}\\section{{Proof of Lemma \\ref{{a}}}}\nWords.\n{proof()}",
        {"a": 1},
    ),
    "not across a section": (
        f"\\section{{Results}}\n{A}\\section{{Proofs}}\nWords.\n{proof()}",
        {},
    ),
    "no statement at all": (proof(), {}),
    "a name that leads nowhere falls back to the place": (
        A + proof("[Proof of \\cref{x}]"),
        {"a": 1},
    ),
    "a short title proves what stands before it": (T + A + proof("[Of course]"), {"a": 1}),
}  # fmt: skip


@pytest.mark.parametrize("rule", RULES)
def test_a_proof_belongs_to_its_statement(paper: Paper, rule: str) -> None:
    body, expected = RULES[rule]
    document = paper(body).document
    found = {name: len(module.proofs) for name, module in document.modules.items() if module.proofs}
    assert found == expected


def test_a_proof_of_nothing_is_kept_with_its_place(paper: Paper) -> None:
    body = (
        f"\\section{{One}}\n{proof()}\\section{{Two}}\n{proof('[Proof of the Riemann hypothesis]')}"
    )
    loose = paper(body).document.loose
    assert [(item.line, item.aims) for item in loose] == [(14, False), (16, True)]
