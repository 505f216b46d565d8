"""Edits by chance of somebody who knows LaTeX by plain expressions alone: each is seen, or is not.

`python -m tests.plain_edits` makes as many as are wanted; here is a sample, and that it can fail.
"""

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pfcore.impact.plan import Plan, make_plan
from tests import plain_edits, plain_latex
from tests.plain_edits import Outcome, Subject, open_subject
from tests.plain_latex import MATHEMATICS, SILENT, PlainPaper

PAPER = r"""\documentclass{article}
\newtheorem{lemma}{Lemma}
\newtheorem{theorem}{Theorem}
\begin{document}
\section{One}
Some words.

\begin{lemma}[for care]\label{lem:one-a} % a note on $x = y$
Every polynomial of degree $2$ is not constant, and $a+b \leq c$ for all $x_1 < y$ with
\emph{care}. It is fine if $1, \ldots, n$ are.
\end{lemma}

\begin{proof}
We use that $x_1 + y_2 = f(x)$ and $\{a,b\}$ is not empty. Then the result follows from the other
one, see \cite{a,b} and $x = y$. Clearly the rest is clear and there is nothing to do here with
$a = b,\quad c\neq d$, $n \geq 1$ and
\begin{align*}
  s &= t \\
  &= u.
\end{align*}
\end{proof}

\begin{theorem}\label{thm:two-b}
All is well for $n \geq 3$.
\end{theorem}
\begin{proof}
By Lemma \ref{lem:one-a} this is the case and the rest is clear to all of us who read it.
\end{proof}
\input{more}
\end{document}
"""
MORE = "\\begin{lemma}\\label{lem:c-c} C. \\end{lemma}\nHere are words.\n"


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    (tmp_path / "main.tex").write_text(PAPER, encoding="utf-8")
    (tmp_path / "more.tex").write_text(MORE, encoding="utf-8")
    return open_subject(tmp_path)


def outcomes(subject: Subject, number: int, seed: int = 1) -> list[Outcome]:
    found = [subject.outcome(seed, index) for index in range(number)]
    return [outcome for outcome in found if outcome is not None]


@pytest.mark.acceptance
def test_each_edit_of_a_small_paper_is_seen_or_is_not_as_it_should(subject: Subject) -> None:
    assert not subject.wrong
    found = outcomes(subject, 230)
    assert {item.kind for item in found} >= {*MATHEMATICS, *SILENT, "a label renamed"}
    assert [item for item in found if item.misses or item.excess or item.farther] == []


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["pfr", "sphere-eversion", "equational-theories"])
def test_edits_of_real_papers_are_seen_or_are_not_as_they_should(name: str, corpus: Path) -> None:
    subject = open_subject(corpus / name)
    found = outcomes(subject, 120, seed=3)
    assert len(found) > 90
    assert not subject.wrong
    assert [item for item in found if item.misses] == []
    # What stands before a claim and speaks of it is found in the claim's own file alone.
    apart = "a result moved to a file"
    assert [item for item in found if item.excess and item.kind != apart] == []


@pytest.mark.corpus
def test_what_is_edited_is_a_function_of_seed_and_index(corpus: Path) -> None:
    found = [outcomes(open_subject(corpus / "sphere-eversion"), 6, seed=5) for _ in range(2)]
    assert found[0] == found[1]
    assert len({item.said for item in found[0]}) > 3


def planned(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Let the product tell another plan than it makes."""

    def told(*moments: Any) -> Plan:
        return replace(make_plan(*moments), **changes)

    monkeypatch.setattr(plain_edits, "make_plan", told)


def test_what_the_product_does_not_see_is_told(
    subject: Subject,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert plain_edits.main([str(tmp_path), "--number", "3"]) == 0
    assert "3 edits, 0 missed, 0 in excess" in capsys.readouterr().out
    planned(monkeypatch, affected=())
    found = outcomes(subject, 40)
    assert all(bool(item.misses) == (item.kind in MATHEMATICS) for item in found)
    assert any(len(item.misses) == 2 for item in found)
    assert plain_edits.main([str(tmp_path), "--number", "3"]) == 1
    assert "3 edits, 3 missed" in capsys.readouterr().out


def test_what_the_product_sees_in_excess_is_told(
    subject: Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    (paper,) = subject.papers
    broken = paper.plain.texts["main.tex"].replace("for all", "for some")
    changed = plain_latex.PlainEdit(
        kind="white space", block=None, is_proof=False, path="main.tex", place=0, said="",
        texts={"main.tex": broken},
    )  # fmt: skip
    monkeypatch.setattr(plain_edits, "_edit", lambda *_: changed)
    outcome = subject.outcome(1, 0)
    assert outcome is not None
    assert [line.partition(":")[0] for line in outcome.excess] == ["lem", "thm", "lem", "thm"]


def test_the_harness_knows_nothing_of_the_product() -> None:
    tree = ast.parse(Path(plain_latex.__file__).read_text("utf-8"))
    imported = [
        name
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ]
    assert imported
    assert not [name for name in imported if name.startswith(("pfcore", "bot", "hooks", "tests"))]


def pairs(text: str) -> list[str]:
    found = PlainPaper("main.tex", {"main.tex": f"\\begin{{document}}{text}\\end{{document}}"})
    return [text[block.statement.start - 16 :][:14] for block in found.pairs]


PROOF = "\\begin{proof}\nThis is clear by what was said of all of them.\n\\end{proof}\n"
LEMMA = "\\begin{lemma} A. \\end{lemma}\n"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (LEMMA + PROOF, 1),
        (LEMMA + "\n\n% a comment\n" + PROOF, 1),
        (LEMMA + "Now the proof.\n" + PROOF, 0),
        (LEMMA + PROOF.replace("{proof}\n", "{proof}[of B]\n", 1), 0),
        (LEMMA + PROOF.replace("clear", LEMMA), 0),
        ("\\ifdraft" + LEMMA + PROOF + "\\fi", 0),
        ("% " + LEMMA + PROOF, 0),
        (LEMMA + "\\begin{proof} Omitted. \\end{proof}", 0),
        ("\\begin{remark} A. \\end{remark}" + PROOF, 0),
        ("\\begin{verbatim}" + LEMMA + PROOF + "\\end{verbatim}", 0),
    ],
)
def test_a_pair_is_taken_only_where_nobody_can_doubt_it(text: str, number: int) -> None:
    assert len(pairs(text)) == number
