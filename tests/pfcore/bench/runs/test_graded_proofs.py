"""Proofs with one grade, in the forms in which they are published, and in our own."""

import json
from pathlib import Path

import pytest

from pfcore.bench.runs.graded_proofs import GradedProof, load_graded_proofs
from pfcore.domain.errors import UsageError

OWN = {"id": "one", "problem": "Show that 1 + 1 = 2.", "proof": "By definition.", "right": True}
RATED = {
    "question": "Show that 1 + 1 = 2.",
    "problem_idx": "CMO2024-1",
}
CORPUS = {
    "problem_id": "P 1",
    "model_id": "a/model",
    "prompt": [
        {
            "role": "user",
            "content": "Judge.\n\n### Problem Statement:\nShow that 1 + 1 = 2.\n\n"
            "### Model Solution:\nBy definition.\n",
        }
    ],
    "reward_model": {"ground_truth": "incorrect", "style": "rule"},
}


def written(folder: Path, *rows: object, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def table(folder: Path, *rows: object) -> Path:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = folder / "test.parquet"
    parquet.write_table(arrow.Table.from_pylist(list(rows)), path)
    return path


def rated(name: str, grade: float) -> dict[str, object]:
    return {
        **RATED,
        "problem_idx": name,
        "model_prediction": {"proof": "By definition.", "human_rating": grade},
    }


def test_our_own_rows_say_right_or_a_grade_out_of_full_marks(tmp_path: Path) -> None:
    bare = {key: value for key, value in OWN.items() if key != "right"}
    rows = [
        {**OWN, "group": "sums"},
        {**OWN, "id": 2, "right": False},
        {**bare, "id": "full", "grade": 7, "full": 7},
        {**bare, "id": "part", "grade": 6.5, "full": 7},
    ]
    found = load_graded_proofs([written(tmp_path, *rows)])
    assert found.broken == ()
    assert found.rows[0] == GradedProof(
        name="one",
        problem="Show that 1 + 1 = 2.",
        proof="By definition.",
        is_right=True,
        group="sums",
    )
    assert [(row.name, row.is_right) for row in found.rows[1:]] == [
        ("2", False),
        ("full", True),
        ("part", False),
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"right": None}, "expected right, or grade with full"),
        ({"grade": 7, "full": 7}, "expected right, or grade with full"),
        ({"grade": 7}, "expected right, or grade with full"),
        ({"right": None, "grade": 7}, "expected right, or grade with full"),
        ({"right": None, "grade": 8, "full": 7}, "grade 8 is above full marks, 7"),
        ({"right": None, "grade": -1, "full": 7}, "grade"),
        ({"right": "yes"}, "right"),
        ({"proof": " "}, "proof"),
        ({"problem": None}, "problem"),
        ({"id": True}, "id"),
        ({"proof": "x" * 200_001}, "characters; at most 200,000"),
        ({"proof": "\udc80"}, "invalid Unicode"),
        ({"human_labels": [1]}, "pf bench hard2verify reads it"),
    ],
)
def test_a_broken_row_is_named_and_left_out(tmp_path: Path, change, words: str) -> None:
    found = load_graded_proofs([written(tmp_path, OWN, {**OWN, "id": "two", **change})])
    assert [row.name for row in found.rows] == ["one"]
    (reason,) = found.broken
    assert reason.startswith(f"{tmp_path / 'rows.jsonl'}, row 2: ")
    assert words in reason


def test_full_marks_are_those_of_the_competition(tmp_path: Path) -> None:
    grades = {
        "CMO2024-1": (21, 7),
        "IMO2025-1": (7, 6),
        "PB-Basic-001": (7, 6),
        "Putnam2024-A1": (10, 7),
    }
    rows = [rated(name, full) for name, (full, _) in grades.items()]
    rows += [rated(f"{name}x", part) for name, (_, part) in grades.items()]
    rows += [rated("IMO2025-2", 10), rated("USAMO-1", 7)]
    found = load_graded_proofs([written(tmp_path, *rows)])
    assert [row.is_right for row in found.rows] == [True] * 4 + [False] * 4
    above, unknown = found.broken
    assert above.endswith("row 9: grade 10 is above full marks, 7")
    assert "USAMO-1" in unknown


def test_a_proof_of_the_open_proof_corpus_stands_in_its_prompt(tmp_path: Path) -> None:
    right = {**CORPUS, "model_id": "b", "reward_model": {"ground_truth": "correct"}}
    bare = {**CORPUS, "model_id": "c", "prompt": [{"content": "### Problem Statement:\nShow."}]}
    found = load_graded_proofs([table(tmp_path, CORPUS, right, bare)])
    first, second = found.rows
    assert first == GradedProof(
        name="P 1-a/model",
        problem="Show that 1 + 1 = 2.",
        proof="By definition.",
        is_right=False,
        group="P 1",
    )
    assert (second.name, second.is_right, second.group) == ("P 1-b", True, "P 1")
    (reason,) = found.broken
    assert reason.endswith("row 3: its prompt has no text after '### Model Solution:'")


def test_the_same_rows_as_lines_are_read_without_a_table(tmp_path: Path) -> None:
    (row,) = load_graded_proofs([written(tmp_path, CORPUS)]).rows
    assert (row.proof, row.is_right) == ("By definition.", False)


def test_files_of_which_nothing_can_be_read_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*nowhere.*No such file"):
        load_graded_proofs([tmp_path / "nowhere"])
    with pytest.raises(UsageError, match=r"no usable row: .*row 1: problem: Field required"):
        load_graded_proofs([written(tmp_path, {"id": "one"})])
    with pytest.raises(UsageError, match="has no rows"):
        load_graded_proofs([written(tmp_path)])


def test_what_only_begins_like_a_table_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "x.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(UsageError, match=r"x\.parquet"):
        load_graded_proofs([tmp_path / "x.parquet"])


def test_an_empty_table_is_refused(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "empty.parquet"
    parquet.write_table(arrow.table({"problem_id": arrow.array([], arrow.string())}), path)
    with pytest.raises(UsageError, match="has no rows"):
        load_graded_proofs([path])


@pytest.mark.corpus
def test_the_open_proof_corpus_is_read_as_it_is_published(evidence: Path) -> None:
    path = evidence / "open-proof-corpus/data/train/discrete/long/test.parquet"
    found = load_graded_proofs([path])
    assert (len(found.rows), found.broken) == (434, ())
    assert sum(row.is_right for row in found.rows) == 161
    assert len({row.group for row in found.rows}) == 98
    assert not any("### Model Solution" in row.proof + row.problem for row in found.rows)
    assert not any("correctness of an LLM" in row.problem for row in found.rows)


@pytest.mark.corpus
def test_proofs_of_deepseek_are_read_as_they_are_published(evidence: Path) -> None:
    found = load_graded_proofs(sorted((evidence / "deepseek-math-v2/outputs").glob("*.jsonl")))
    assert (len(found.rows), found.broken) == (84, ())
    assert {file.path.stem: file.usable for file in found.files} == {
        "CMO2024": 6,
        "IMO-ProofBench-Advanced": 30,
        "IMO-ProofBench-Basic": 30,
        "IMO2025": 6,
        "Putnam2024": 12,
    }
    assert sum(row.is_right for row in found.rows) == 65
