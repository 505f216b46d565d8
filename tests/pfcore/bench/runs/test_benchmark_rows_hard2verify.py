"""Rows of Hard2Verify in the benchmark's own format, and what is said of files that are not."""

import base64
import json
from pathlib import Path

import pytest

from pfcore.bench.runs.benchmark_rows import HardRow, doubts, load_solutions
from pfcore.domain.errors import UsageError

DATA = Path(__file__).resolve().parents[3] / "data" / "bench"
ROW = {
    "unique_id": "one",
    "question": "Show that 1 + 1 = 2.",
    "model_response_by_step": ["By definition.", "So 2 = 3."],
    "human_labels": [1, 0],
    "human_labels_first_error_idx": 1,
}
SECRET = base64.b64encode(bytes(range(40))).decode()


def written(folder: Path, *rows, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


def load_proofs(path: Path) -> tuple[HardRow, ...]:
    """The rows of a file without a broken one."""
    loaded = load_solutions([path])
    assert loaded.broken == ()
    return loaded.rows


def test_rows_are_read_from_json_lines() -> None:
    first, second = load_proofs(DATA / "hard2verify.jsonl")
    assert first.name == "made-up-1"
    assert first.steps == ("Let $n = 2m$.", "Then $n^2 = 2m^2$.", "So $n^2$ is even.")
    assert first.labels == (True, False, False)
    assert first.first_error == 1
    assert (second.labels, second.first_error) == ((True, True), None)
    assert doubts([first, second]) == []


def test_an_array_holds_the_same_rows(tmp_path: Path) -> None:
    lines = (DATA / "hard2verify.jsonl").read_text("utf-8").split("\n")
    path = tmp_path / "rows.json"
    path.write_text(f"\n [{', '.join(filter(None, lines))}]", encoding="utf-8")
    assert load_proofs(path) == load_proofs(DATA / "hard2verify.jsonl")


def test_a_missing_index_means_that_no_step_is_wrong(tmp_path: Path) -> None:
    row = {**ROW, "human_labels": [1, 1], "human_labels_first_error_idx": None}
    assert load_proofs(written(tmp_path, row))[0].first_error is None


def test_an_index_that_the_labels_contradict_is_a_doubt_and_no_error(tmp_path: Path) -> None:
    row = {**ROW, "human_labels_first_error_idx": 0}
    assert doubts(load_proofs(written(tmp_path, row))) == [
        "one: the first wrong step is 1 by its labels, and 0 by its index"
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"human_labels": [1]}, "2 steps and 1 labels"),
        ({"human_labels": [1, 2]}, "human_labels.1"),
        ({"human_labels": []}, "human_labels"),
        ({"human_labels_first_error_idx": 2}, "the index 2, and 2 steps"),
        ({"human_labels_first_error_idx": -2}, "human_labels_first_error_idx"),
        ({"question": " "}, "question"),
        ({"question": SECRET}, "question is still encrypted"),
        ({"human_labels": SECRET}, "human_labels is still encrypted"),
        ({"model_response_by_step": SECRET}, "model_response_by_step is still encrypted"),
        ({"model_response_by_step": "one text"}, "model_response_by_step"),
        ({"model_response_by_step": None}, "model_response_by_step"),
        ({"unique_id": "zero"}, "duplicate of zero"),
        ({"model_response_by_step": [" ", ""]}, "all steps are empty"),
        (
            {"model_response_by_step": ["x"] * 401, "human_labels": [1] * 401},
            "401 steps; at most 400",
        ),
        ({"question": "\ud800"}, "invalid Unicode"),
        ({"proof": "By definition."}, "pf bench proofs reads it"),
    ],
)
def test_a_broken_row_is_named_by_its_number_and_left_out(tmp_path: Path, change, words) -> None:
    path = written(tmp_path, {**ROW, "unique_id": "zero"}, {**ROW, **change})
    loaded = load_solutions([path])
    assert [row.name for row in loaded.rows] == ["zero"]
    (reason,) = loaded.broken
    assert reason.startswith(f"{path}, row 2: ")
    assert words in reason


def test_lines_that_are_not_json_or_no_object_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    deep = "[" * 100_000
    lines = ['{"unique_id": ', json.dumps(ROW), "[1]", "7" * 5_000, deep]
    path.write_text("\n".join(lines), encoding="utf-8")
    loaded = load_solutions([path])
    assert [row.name for row in loaded.rows] == ["one"]
    assert [reason.partition(", row ")[2].partition(":")[0] for reason in loaded.broken] == [
        "1", "3", "4", "5",
    ]  # fmt: skip
    assert "nested too deeply" in loaded.broken[3]


def test_a_file_of_which_no_row_can_be_used_is_refused(tmp_path: Path) -> None:
    good = written(tmp_path, ROW, name="good.jsonl")
    bad = written(tmp_path, {**ROW, "human_labels": [1]}, {}, name="bad.jsonl")
    with pytest.raises(UsageError, match=r"no usable row: .*bad\.jsonl, row 1: .*2 steps and 1"):
        load_solutions([good, bad])
    with pytest.raises(UsageError, match="duplicate of one"):
        load_solutions([good, good])


def test_several_files_are_one_set(tmp_path: Path) -> None:
    one = written(tmp_path, ROW, name="one.jsonl")
    two = written(tmp_path, {**ROW, "unique_id": "two"}, ROW, name="two.jsonl")
    loaded = load_solutions([one, two])
    assert [row.name for row in loaded.rows] == ["one", "two"]
    assert [(file.path, file.usable, file.broken) for file in loaded.files] == [
        (one, 1, 0),
        (two, 1, 1),
    ]


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    row = {key: value for key, value in ROW.items() if key != "human_labels"}
    with pytest.raises(UsageError, match=r"row 1: human_labels: Field required"):
        load_proofs(written(tmp_path, row))


def test_files_that_hold_no_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_proofs(tmp_path / "nowhere.jsonl")
    for text, words in (
        ("", "has no rows"),
        ("[]", "has no rows"),
        ('{"unique_id": \n', r"row 1: .*JSON"),
        ("[1, 2", r"JSON"),
        ("[1]", r"row 1: expected an object"),
    ):
        path = tmp_path / "bad.json"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UsageError, match=words):
            load_proofs(path)
    (tmp_path / "x.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="UTF-8"):
        load_proofs(tmp_path / "x.jsonl")


def test_a_parquet_file_is_told_how_to_become_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "test.parquet"
    path.write_bytes(b"PAR1rest")
    with pytest.raises(UsageError, match="JSON lines"):
        load_proofs(path)
