"""From modules to tasks: the text that is digested is the text that is asked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.verification.task import tasks


def lemma(name: str, proof: str) -> str:
    return (
        f"\\begin{{lemma}}\\label{{{name}}} {name.upper()}. \\end{{lemma}}\n"
        f"\\begin{{proof}} {proof} \\end{{proof}}\n"
    )


@pytest.fixture
def moment(tmp_path: Path, document: Callable[..., str]) -> PaperState:
    body = (
        "Throughout this paper, all rings are commutative.\n\n"
        + lemma("c", "By \\cref{b}.") + lemma("a", "Clear.") + lemma("b", "By \\cref{a}.")
        + "\\begin{lemma}\\label{open} Open. \\end{lemma}\n"
    )  # fmt: skip
    (tmp_path / "main.tex").write_text(document(body), encoding="utf-8")
    (found,) = discover.discover_papers(
        snapshot.from_folder(tmp_path), ParseCache(MemoryCache())
    ).papers
    return build_paper_state(found)


def test_what_most_rests_on_comes_first_and_what_has_no_proof_not_at_all(
    moment: PaperState,
) -> None:
    made = tasks(moment, moment.document.modules)
    assert [(task.module, task.rests) for task in made] == [("a", 2), ("b", 1), ("c", 0)]


def test_a_task_has_the_context_in_parts(moment: PaperState) -> None:
    (task,) = tasks(moment, ["b"])
    assert task.given == (
        ("Setting", "Convention 1. Throughout this paper, all rings are commutative."),
        ("What may be used", "Result 1 (lemma). A."),
    )
    assert (task.statement, task.proof) == ("Lemma. B.", "Proof. By Result 1.")


def test_a_task_carries_the_digest_of_its_context(moment: PaperState) -> None:
    for task in tasks(moment, moment.document.modules):
        texts = moment.paper.texts
        assert task.context == context_digest(moment.document, task.module, texts)
