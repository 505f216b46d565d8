"""`pf bench replay`: recorded answers of others, by our parsers; nobody is asked."""

import json

import pytest

from pfcore.cli.main import main
from tests.pfcore.bench.replay.conftest import ANSWERS, PublishedFolder, attempt, issue


@pytest.fixture
def published(tmp_path):
    return PublishedFolder(tmp_path / "sets")


def test_a_folder_without_sets_is_a_usage_error_that_names_them(run, tmp_path):
    status, out, err = run("bench", "replay", str(tmp_path))
    assert (status, out) == (2, "")
    assert "withdrarxiv-check, open-proof-corpus, deepseek-math-v2" in err
    assert run("bench", "replay", str(tmp_path / "nowhere"))[0] == 2


def test_absent_sets_are_named_and_the_others_counted(run, published):
    published.rated("IMO2025", (7, 1.0), (0, 0.5))
    status, out, _ = run("bench", "replay", str(published.root), "--plain")
    assert status == 0
    lines = out.splitlines()
    assert "Absent: withdrarxiv-check" in lines
    assert "Absent: open-proof-corpus" in lines
    assert "no model was used" in out
    (line,) = [line for line in lines if line.startswith("mean 1: full marks")]
    assert line.split()[-5:] == ["1.000", "0.207-1.000", "1", "of", "1"]
    assert out.isascii()


def test_json_has_all_figures_and_what_was_left_out(run, published):
    published.rated("IMO2025", (7, 1.0), (9, 0.5))
    status, out, _ = run("bench", "replay", str(published.root), "--format", "json")
    found = json.loads(out)
    assert (status, found["schema"]) == (0, 1)
    assert [item["present"] for item in found["sets"]] == [False, False, True]
    record, table, *_ = found["tables"]
    assert record["key"] == "rated-on-record"
    assert (table["key"], table["source"]) == ("calibration", "deepseek-math-v2")
    assert {"name", "n", "value", "part", "low", "high"} == set(table["figures"][0])
    assert found["broken"] == [
        {
            "file": "deepseek-math-v2/outputs/IMO2025.jsonl",
            "index": 1,
            "reason": "a grade above full marks, 7",
        }
    ]


def test_where_no_row_can_be_used_it_is_no_success(run, published):
    published.text(f"{ANSWERS}/checker_problems/checker_problems_a.json", "no")
    status, out, _ = run("bench", "replay", str(published.root))
    assert status == 3
    assert "Left out: 1 row or file" in out


def test_many_broken_rows_are_counted_and_the_first_are_listed(run, published):
    published.rated("IMO2025", (7, 1.0), *[(8, 1.0)] * 30)
    _, out, _ = run("bench", "replay", str(published.root))
    assert "Left out: 30 rows or files" in out
    assert "IMO2025.jsonl, row 20: a grade above full marks, 7" in out
    assert "row 21" not in out
    assert "and 10 more; --format json lists all" in out


def test_hostile_text_leaves_no_control_character_on_the_screen(run, published):
    name, judge = "\x1b[31mA\u202e", "$x^2$\x07\n"
    published.reading("$\\frac{1}{2}$ \x1b[2J", name, {"p\x00": ["Lemma 1\x1b[0m", "\ud800"]})
    published.reading("b", "B", {"p\x00": ["Lemma 1"]})
    published.judged("$a$", "B", judge, {("p\x00", 0): True, ("p\x00", 9): True})
    hostile = issue("\x1b[1mClear", "\x1b[5m")
    published.solved("X\x1b/$1$", "\x1b", attempt("\x1b[1mClear.", hostile))
    status, out, _ = run("bench", "replay", str(published.root))
    assert status == 0
    assert all(letter == "\n" or letter.isprintable() for letter in out)
    assert "judge: $x^2$" in out
    assert "eval_hit_$a$.json, row 1: judges an objection that no reading has" in out
    assert json.loads(run("bench", "replay", str(published.root), "--format", "json")[1])


def test_the_help_names_the_folders(capsys):
    with pytest.raises(SystemExit):
        main(["bench", "replay", "--help"])
    out = " ".join(capsys.readouterr().out.split())
    assert "withdrarxiv-check, open-proof-corpus, deepseek-math-v2" in out


@pytest.mark.corpus
def test_the_published_sets_are_replayed_to_their_end(run, evidence):
    status, out, _ = run("bench", "replay", str(evidence), "--format", "json")
    found = json.loads(out)
    assert status == 0
    assert all(item["present"] for item in found["sets"])
    assert len(found["broken"]) < 20
    assert {"votes-and-hits", "two-judges", "quotes", "calibration"} <= {
        table["key"] for table in found["tables"]
    }
