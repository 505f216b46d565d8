"""RDFormat: one line each, columns in bytes."""

import json

from pfcore.reporters.formats import line_formats
from tests.pfcore.reporters.conftest import LEMMA


def _lines(report):
    return [json.loads(line) for line in line_formats.check_rdjsonl(report).splitlines()]


def test_columns_count_bytes_of_utf_8(found):
    (line,) = _lines(found(LEMMA % ("t", "a", "A.", r"Für $𝔸$ \ref{nowhere}.")))
    start = line["location"]["range"]["start"]
    prefix = r"\begin{proof} Für $𝔸$ \ref{"
    assert start["line"] == 9
    assert start["column"] - 1 in (len(prefix.encode()), len(prefix.encode()) - len(r"\ref{"))
    assert line["severity"] == "ERROR"
    assert line["code"] == {"value": "dangling-reference"}
    assert line["location"]["path"] == "main.tex"


def test_what_is_answered_is_not_said_again(found):
    assert _lines(found(LEMMA % ("t", "a", "A.", r"\ref{no}"), dismissed="no")) == []


def test_a_note_is_an_info(found):
    (line,) = _lines(found("\\begin{lemma}A.\\end{lemma}"))
    assert line["severity"] == "INFO"


def test_readings_are_counted(found):
    (line,) = _lines(found("\\begin{lemma}A.\\end{lemma}", votes=2, rollouts=3))
    assert "2 of 3 readings" in line["message"]
