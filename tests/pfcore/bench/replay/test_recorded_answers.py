"""Published sets as they are read: what is broken is named and counted nowhere."""

import builtins

import pytest

from pfcore.bench.replay.recorded_answers import (
    RecordedReading,
    RecordedSet,
    read_answers,
)
from pfcore.domain.errors import UsageError
from tests.pfcore.bench.replay.conftest import (
    ANSWERS,
    PARQUET,
    RATED,
    SOLVED,
    TABLE,
    attempt,
    issue,
    proof,
)


def _broken(published):
    return [(row.file, row.index, row.reason) for row in read_answers(published.root).broken]


def test_a_folder_without_any_set_is_refused_with_their_names(tmp_path):
    with pytest.raises(
        UsageError, match="none of the folders withdrarxiv-check, open-proof-corpus"
    ):
        read_answers(tmp_path)


def test_readings_are_told_apart_by_model_and_form(withdrawn):
    found = read_answers(withdrawn.root)
    assert found.present == (RecordedSet.WITHDRAWN,)
    assert found.broken == ()
    assert set(found.withdrawn.readings) == {
        RecordedReading("A", False),
        RecordedReading("A", True),
        RecordedReading("B", False),
    }
    assert found.withdrawn.papers == ["p1", "p2"]


def test_rows_that_are_not_as_described_are_named_by_file_and_index(withdrawn):
    name = f"{ANSWERS}/checker_problems/checker_problems_c.json"
    row = {"retraction_id": "p1", "checker_model": "C", "attempt_id": 0, "problems": []}
    lacking = {key: value for key, value in row.items() if key != "problems"}
    withdrawn.json(name, [row, "prose", lacking, {**row, "attempt_id": "0"}, row])
    assert _broken(withdrawn) == [
        (name, 1, "Input should be a valid dictionary or instance of _CheckerRow"),
        (name, 2, "problems: Field required"),
        (name, 3, "attempt_id: Input should be a valid integer"),
        (name, 4, "this reading has the paper already"),
    ]


def test_what_judges_nothing_or_judges_again_is_left_out(withdrawn):
    name = f"{ANSWERS}/eval_hit/eval_hit_b_z.json"
    row = {"retraction_id": "p1", "checker_model": "B", "attempt_id": 0, "judge_model": "Z"}
    rows = [{**row, "problem_id": number, "hit": True} for number in (0, 0, 7, -1, None)]
    withdrawn.json(name, [*rows, {**row, "problem_id": 0, "hit": "yes"}])
    assert _broken(withdrawn) == [
        (name, 1, "judges an objection again"),
        (name, 2, "judges an objection that no reading has"),
        (name, 3, "judges an objection that no reading has"),
        (name, 5, "hit: Input should be a valid boolean"),
    ]
    assert list(read_answers(withdrawn.root).withdrawn.hits["Z"].values()) == [{("p1", 0): True}]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "unreadable file (invalid)"),
        ("[" * 100_000, "unreadable file (invalid)"),
        ('{"a": 1}', "not a JSON array"),
    ],
)
def test_a_file_that_is_no_array_is_named(withdrawn, text, reason):
    name = f"{ANSWERS}/eval_tp/eval_tp_c_x.json"
    withdrawn.text(name, text)
    assert _broken(withdrawn) == [(name, None, reason)]


def test_a_table_with_holes_keeps_its_other_rows(withdrawn):
    withdrawn.text(TABLE, "retraction_id,retraction_comment\np1,Wrong.\n,Nothing\np2\np1,Again\n")
    assert [row[1:] for row in _broken(withdrawn)] == [
        (1, "no retraction_id, or no retraction_comment"),
        (2, "no retraction_id, or no retraction_comment"),
        (3, "this paper is there already"),
    ]
    assert read_answers(withdrawn.root).withdrawn.comments == {"p1": "Wrong."}


def test_attempts_without_a_judgement_are_no_proofs_and_others_are(published):
    published.solved("X/1", "x-1", attempt("Clear."), {"solution": "B"}, {"solution": 3}, "C")
    published.json(f"{SOLVED}/X/2.json", {"problem_id": "x-2"})
    published.text(f"{SOLVED}/X/3.json", "no")
    found = read_answers(published.root)
    assert [(item.problem, item.text, item.issues) for item in found.solved] == [
        ("x-1", "Clear.", ())
    ]
    assert [(row.file[-8:], row.index) for row in found.broken] == [
        ("X/1.json", 2),
        ("X/1.json", 3),
        ("X/2.json", 0),
        ("X/3.json", None),
    ]


def test_a_proof_is_what_the_prompt_has_behind_its_heading(published):
    cut = proof("q", "", "correct")
    unknown = proof("q", "Proof.", "perhaps")
    published.proofs(proof("q", "Proof.", "incorrect", issue("Proof", at=(0, 5))), cut, unknown)
    found = read_answers(published.root)
    (one,) = found.proofs
    assert (one.text, one.is_right, one.issues) == ("Proof.", False, (("Other", "Proof", (0, 5)),))
    assert [(row.file, row.index) for row in found.broken] == [(PARQUET, 1), (PARQUET, 2)]


def test_what_is_no_parquet_is_named(published):
    published.text(PARQUET, "no table")
    assert _broken(published) == [(PARQUET, None, "unreadable file (invalid)")]


def test_without_pyarrow_one_table_says_what_to_install(published, monkeypatch):
    published.text(PARQUET, "a table")
    published.rated("IMO2025", (7, 1.0))
    whole = builtins.__import__

    def lacking(name, *more):
        if name == "pyarrow":
            raise ImportError(name)
        return whole(name, *more)

    monkeypatch.setattr(builtins, "__import__", lacking)
    found = read_answers(published.root)
    assert (found.proofs, found.broken) == ((), ())
    (line,) = found.lacking
    assert line.startswith(f"{PARQUET} needs pyarrow: ")
    assert "[bench]" in line
    assert len(found.rated) == 1


def test_a_grade_is_a_part_of_the_full_marks_of_its_competition(published):
    published.rated("CMO2024", (21, 1.0))
    published.rated("IMO-ProofBench-Basic", (7, 1.0))
    published.rated("Putnam2024", (5, 0.5))
    assert [(item.grade, item.mean) for item in read_answers(published.root).rated] == [
        (1, 1),
        (1, 1),
        (0.5, 0.5),
    ]


def test_grades_that_cannot_be_are_named(published):
    published.rated("IMO2025", (8, 1.0), (-1, 1.0), (7, 1.5), (float("nan"), 1.0), (7, 1.0))
    published.rated("Unheard2025", (1, 1.0))
    path = published.root / f"{RATED}/IMO2025.jsonl"
    path.write_text(path.read_text() + "\nno\n")
    found = read_answers(published.root)
    assert [(row.file.rpartition("/")[2], row.index) for row in found.broken] == [
        *(("IMO2025.jsonl", index) for index in (0, 1, 2, 3, 6)),
        ("Unheard2025.jsonl", None),
    ]
    assert len(found.rated) == 1
