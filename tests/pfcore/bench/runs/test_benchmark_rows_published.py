"""Rows of PRMBench and Mr-Ben as they are published, beside those of Hard2Verify."""

import json
from pathlib import Path

import pytest

from pfcore.bench.runs.benchmark_rows import HardRow, LoadedRows, doubts, load_solutions

MODIFIED = {
    "idx": "prm_test_p1_7",
    "classification": "circular",
    "question": "What is 1 + 1?",
    "original_question": "What is $1 + 1$?",
    "modified_question": "What is 1 + 1, if 1 is odd?",
    "modified_process": ["By definition.", "So 2 = 3.", "So it is 3."],
    "error_steps": [3, 2],
}
FIRST_ERROR = {
    "Question_UUID": "0a-1b",
    "Question": "What is 1 + 1?",
    "Options": "A: 2\nB: 3",
    "Sampled_Model": "GPT3.5",
    "Model_Solution_Steps": [
        "Step 1: We add.",
        "* the first one",
        "",
        "* the second one",
        "Step 2: That is 3.",
        "Step 3: So we choose B.",
        "Solution: Choice_B",
    ],
    "Model_Solution_Correctness": "incorrect",
    "Model_Solution_First_Error_Step": "2",
}
PRMBENCH = "prmbench/mr_eval/tasks/prmtest_classified/data"


def loaded(folder: Path, *rows: object) -> LoadedRows[HardRow]:
    path = folder / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return load_solutions([path])


def test_steps_of_prmbench_count_from_one(tmp_path: Path) -> None:
    (row,) = loaded(tmp_path, MODIFIED).rows
    assert row.problem == "What is 1 + 1, if 1 is odd?"
    assert row.labels == (True, False, False)
    assert row.first_error == row.first_wrong == 1
    assert doubts([row]) == []


def test_an_index_of_prmbench_is_its_own_with_its_class_alone(tmp_path: Path) -> None:
    found = loaded(tmp_path, MODIFIED, {**MODIFIED, "classification": "deception"}, MODIFIED)
    assert [row.name for row in found.rows] == ["circular-prm_test_p1_7", "deception-prm_test_p1_7"]
    assert len({row.group for row in found.rows}) == 1
    (reason,) = found.broken
    assert reason.endswith("row 3: duplicate of circular-prm_test_p1_7")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"error_steps": [2, 4]}, "step 4 is labelled wrong, and there are 3 steps"),
        ({"error_steps": [0]}, "error_steps.0"),
        ({"error_steps": None}, "error_steps"),
        ({"modified_process": []}, "modified_process"),
        ({"modified_process": ["", " "], "error_steps": [1]}, "all steps are empty"),
        ({"idx": ""}, "idx"),
    ],
)
def test_a_broken_row_of_prmbench_is_named_and_left_out(tmp_path: Path, change, words) -> None:
    found = loaded(tmp_path, MODIFIED, {**MODIFIED, "idx": "other", **change})
    assert len(found.rows) == 1
    (reason,) = found.broken
    assert ", row 2: " in reason
    assert words in reason


def test_a_step_without_words_between_others_is_no_fault(tmp_path: Path) -> None:
    (row,) = loaded(tmp_path, {**MODIFIED, "modified_process": ["a", " ", "c"]}).rows
    assert row.steps == ("a", " ", "c")


def test_mr_ben_numbers_the_first_error_as_the_step_is_printed(tmp_path: Path) -> None:
    (row,) = loaded(tmp_path, FIRST_ERROR).rows
    assert row.name == "0a-1b-GPT3.5"
    assert row.problem == "What is 1 + 1?\n\nA: 2\nB: 3"
    assert row.steps == (
        "Step 1: We add.\n* the first one\n\n* the second one",
        "Step 2: That is 3.",
        "Step 3: So we choose B.",
        "Solution: Choice_B",
    )
    assert row.first_error == 1


def test_what_follows_a_first_error_is_unknown_and_not_right(tmp_path: Path) -> None:
    (row,) = loaded(tmp_path, FIRST_ERROR).rows
    assert row.labels == (True, False, None, None)
    assert row.first_wrong == 1
    right = {"Model_Solution_Correctness": "correct", "Model_Solution_First_Error_Step": "N/A"}
    (row,) = loaded(tmp_path, FIRST_ERROR | right).rows
    assert row.labels == (True, True, True, True)
    assert row.first_wrong is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Model_Solution_First_Error_Step": "4"}, "no one step has this number"),
        ({"Model_Solution_First_Error_Step": "N/A"}, "called incorrect"),
        ({"Model_Solution_First_Error_Step": "9" * 5_000}, "called incorrect"),
        ({"Model_Solution_Correctness": "correct"}, "called correct"),
        ({"Model_Solution_Correctness": "perhaps"}, "Model_Solution_Correctness"),
        ({"Model_Solution_Steps": ["Step 2: a", "Step 2: b"]}, "no one step has this number"),
        ({"Sampled_Model": None}, "Sampled_Model"),
    ],
)
def test_a_broken_row_of_mr_ben_is_named_and_left_out(tmp_path: Path, change, words) -> None:
    found = loaded(tmp_path, FIRST_ERROR, {**FIRST_ERROR, "Question_UUID": "other", **change})
    assert len(found.rows) == 1
    (reason,) = found.broken
    assert words in reason


def test_parts_of_a_step_do_not_pass_for_it(tmp_path: Path) -> None:
    lines = ["Step 1: We add.", "Step 1.1: 1.", "Step 1.2: 1.", "Step 2: That is 3."]
    (row,) = loaded(tmp_path, {**FIRST_ERROR, "Model_Solution_Steps": lines}).rows
    assert row.steps == ("Step 1: We add.\nStep 1.1: 1.\nStep 1.2: 1.", "Step 2: That is 3.")


def test_the_published_file_of_mr_ben_holds_lists_by_questions(tmp_path: Path) -> None:
    other = {**FIRST_ERROR, "Sampled_Model": "Claude2"}
    path = tmp_path / "math.json"
    for indent in (None, 2):
        value = {"0a-1b": [FIRST_ERROR, other], "2c": ["no object"]}
        path.write_text(json.dumps(value, indent=indent), encoding="utf-8")
        found = load_solutions([path])
        assert [row.name for row in found.rows] == ["0a-1b-GPT3.5", "0a-1b-Claude2"]
        assert [row.group for row in found.rows] == ["0a-1b", "0a-1b"]
        assert found.broken == (f"{path}, row 3: expected an object",)


@pytest.mark.corpus
def test_prmbench_loads_but_for_rows_whose_errors_lie_behind_their_end(evidence: Path) -> None:
    files = sorted((evidence / PRMBENCH).glob("*.jsonl"))
    assert len(files) == 16
    found = load_solutions(files)
    assert (len(found.rows), len(found.broken)) == (2_805, 43)
    assert all("is labelled wrong, and there are" in reason for reason in found.broken)
    assert doubts(found.rows) == []
    assert len({row.group for row in found.rows}) == 307
    assert max(len(row.steps) for row in found.rows) == 53


@pytest.mark.corpus
def test_mr_ben_loads_whole(evidence: Path) -> None:
    found = load_solutions([evidence / "mr-ben" / "data" / "math.json"])
    assert (len(found.rows), found.broken) == (918, ())
    wrong = [row for row in found.rows if row.first_wrong is not None]
    assert len(wrong) == 769
    assert len({row.group for row in found.rows}) == 306
    for row in wrong:
        assert row.first_wrong is not None
        assert set(row.labels[row.first_wrong + 1 :]) <= {None}
