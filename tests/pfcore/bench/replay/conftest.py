"""Small made-up files in the forms of the published sets; nothing of these sets is in them."""

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

ANSWERS = "withdrarxiv-check/LLM_outputs"
TABLE = "withdrarxiv-check/Dataset/WithdrarXiv-Check_test.csv"
SOLVED = "open-proof-corpus/data/solved/proof_verification"
PARQUET = "open-proof-corpus/data/train/discrete/long/test.parquet"
RATED = "deepseek-math-v2/outputs"

Places = Mapping[str, Sequence[str]]
Said = Mapping[tuple[str, int | None], bool]


class PublishedFolder:
    """Writes files as their authors publish them."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def text(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def json(self, name: str, value: object) -> None:
        self.text(name, json.dumps(value))

    def comments(self, said: Mapping[str, str], subjects: Mapping[str, str] | None = None) -> None:
        path = self.root / TABLE
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["retraction_id", "retraction_comment", "subjects"])
            for paper, comment in said.items():
                table.writerow([paper, comment, (subjects or {}).get(paper, "")])

    def reading(self, stem: str, model: str, places: Places, *, attempt: int = 0) -> None:
        name = f"{ANSWERS}/checker_problems/checker_problems_{stem}.json"
        self.json(name, [_checked(model, paper, at, attempt) for paper, at in places.items()])

    def judged(self, stem: str, model: str, judge: str, said: Said) -> None:
        rows = [_judged(model, judge, key, hit=says) for key, says in said.items()]
        self.json(f"{ANSWERS}/eval_hit/eval_hit_{stem}.json", rows)

    def true(self, stem: str, model: str, judge: str, said: Said) -> None:
        rows = [_judged(model, judge, key, true_positive=says) for key, says in said.items()]
        self.json(f"{ANSWERS}/eval_tp/eval_tp_{stem}.json", rows)

    def solved(self, name: str, problem: str, *attempts: object) -> None:
        self.json(f"{SOLVED}/{name}.json", {"problem_id": problem, "attempts": attempts})

    def rated(self, name: str, *grades: tuple[float, float]) -> None:
        rows = [
            {"model_prediction": {"human_rating": grade, "average_automatic_rating": mean}}
            for grade, mean in grades
        ]
        self.text(f"{RATED}/{name}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    def proofs(self, *rows: object) -> None:
        parquet = pytest.importorskip("pyarrow.parquet")
        arrow = pytest.importorskip("pyarrow")
        path = self.root / PARQUET
        path.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(arrow.Table.from_pylist(list(rows)), path)


def _checked(model: str, paper: str, places: Sequence[str], attempt: int) -> dict[str, Any]:
    problems = [{"Problem": "p", "Location": at, "Explanation": "e"} for at in places]
    return {
        "retraction_id": paper,
        "checker_model": model,
        "attempt_id": attempt,
        "problems": problems,
    }


def _judged(model: str, judge: str, key: tuple[str, int | None], **says: bool) -> dict[str, Any]:
    paper, number = key
    return {
        "retraction_id": paper,
        "checker_model": model,
        "attempt_id": 0,
        "problem_id": number,
        "judge_model": judge,
        **says,
    }


def attempt(solution: str, *issues: object) -> dict[str, Any]:
    """An attempt at a problem, with what a model says of it."""
    return {"solution": solution, "llm_judgment": {"result": {"issues": list(issues)}}}


def issue(
    text: str | None, category: str = "Other", at: tuple[int, int] | None = None
) -> dict[str, Any]:
    """An objection, and where it is recorded to stand."""
    start, end = at or (None, None)
    return {"category": category, "text": text, "start_index": start, "end_index": end}


def proof(problem: str, solution: str, truth: str, *issues: object) -> dict[str, Any]:
    """A row of graded proofs: the proof stands in the prompt."""
    return {
        "problem_id": problem,
        "prompt": [{"content": f"Judge.\n\n### Model Solution:\n{solution}", "role": "user"}],
        "reward_model": {"ground_truth": truth},
        "llm_judgment": {"result": {"issues": list(issues)}},
    }


@pytest.fixture
def published(tmp_path: Path) -> PublishedFolder:
    return PublishedFolder(tmp_path / "sets")


@pytest.fixture
def withdrawn(published: PublishedFolder) -> PublishedFolder:
    """Two papers, two models that read the PDF and one the TeX, two judges."""
    published.comments({"p1": "The proof of Lemma 2.1 is wrong.", "p2": "An error was found."})
    published.reading("a", "A", {"p1": ["Lemma 2.1", "Theorem 3"], "p2": ["page 4"]})
    published.reading("a_tex", "A", {"p1": ["proof of Lemma 2.1"], "p2": []})
    published.reading("b", "B", {"p1": ["Lem. 2.1"], "p2": ["Corollary 5"]})
    judge = published.judged
    judge("a_x", "A", "X", {("p1", 0): True, ("p1", 1): False, ("p2", 0): False})
    judge("a_tex_x", "A", "X", {("p1", 0): False, ("p2", None): False})
    judge("b_x", "B", "X", {("p1", 0): False, ("p2", 0): True})
    judge("a_y", "A", "Y", {("p1", 0): True, ("p2", 0): True})
    judge("a_tex_y", "A", "Y", {("p1", 0): True, ("p2", None): False})
    judge("b_y", "B", "Y", {("p1", 0): True, ("p2", 0): True})
    published.true("a_x", "A", "X", {("p1", 0): True, ("p1", 1): True, ("p2", 0): False})
    published.true("b_x", "B", "X", {("p1", 0): True, ("p2", 0): False})
    return published
