"""Rows of corrections: the shipped ones, and those that a user brings."""

import json

import pytest

from pfcore.bench.errata.corrections import (
    SHIPPED,
    CorrectionRow,
    DefectPart,
    DefectSeverity,
    joined_rows,
    load_corrections,
    row_line,
)
from pfcore.domain.errors import UsageError


def test_the_shipped_rows_are_whole_and_confirmed():
    rows = load_corrections(SHIPPED)
    assert len(rows) == 56
    assert {row.repo for row in rows} == {
        *("stacks/stacks-project", "HoTT/book", "OpenLogicProject/OpenLogic", "vEnhance/napkin"),
    }
    assert sum(row.severity is DefectSeverity.BREAKS for row in rows) == 29
    assert sum(row.part is DefectPart.PROOF for row in rows) == 35
    assert [row.id for row in rows if row.is_control_wrong] == ["33", "41", "59", "69", "83"]


def test_the_shipped_rows_have_no_mathematics_of_the_sources():
    for row in load_corrections(SHIPPED):
        assert not {"$", "\\", "{"} & set(row.wrong + row.control_note)


def test_the_wrong_lines_of_a_shipped_row_lie_in_its_result():
    for row in load_corrections(SHIPPED):
        assert row.is_at_defect(*row.module_lines)


def test_a_row_is_the_same_after_it_was_written(corrected):
    row = CorrectionRow.model_validate(corrected.row())
    assert CorrectionRow.model_validate_json(row_line(row)) == row


def test_only_confirmed_rows_are_read(corrected):
    path = corrected.write(corrected.row(), corrected.row(id="8", wrong="", confirmed=False))
    assert [row.id for row in load_corrections(path)] == ["7"]
    with pytest.raises(UsageError, match="no confirmed rows"):
        load_corrections(corrected.write(corrected.row(wrong="", confirmed=False)))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("commit", "--output=x"),
        ("commit", "abc"),
        ("parent", "HEAD~1"),
        ("repo", "../secret"),
        ("repo", "a/b/c"),
        ("repo", "-x"),
        ("file", "../main.tex"),
        ("file", "/etc/passwd"),
        ("file", ":(top)main.tex"),
        ("file", "main\x1b.tex"),
        ("true_lines", []),
        ("true_lines", [[9, 3]]),
        ("wrong", " "),
        ("unheard", 1),
    ],
)
def test_a_row_that_cannot_be_meant_is_named_with_its_field(corrected, field, value):
    path = corrected.write(corrected.row(), corrected.row(id="8") | {field: value})
    with pytest.raises(UsageError, match=r"row 2: .*") as caught:
        load_corrections(path)
    assert field in caught.value.message


def test_ids_are_distinct_in_a_file_and_between_files(corrected):
    with pytest.raises(UsageError, match="row 2: it is 7 again"):
        load_corrections(corrected.write(corrected.row(), corrected.row()))
    rows = load_corrections(corrected.write(corrected.row()))
    others = load_corrections(corrected.write(corrected.row(area="x")))
    with pytest.raises(UsageError, match="'7' is in two files"):
        joined_rows([rows, others])


def test_a_number_may_be_an_id(corrected):
    (row,) = load_corrections(corrected.write(corrected.row(id=7)))
    assert row.id == "7"
    assert json.loads(row_line(row))["id"] == "7"
