"""`pf bench report`: pictures, tables and a page from files of saved runs."""

from dataclasses import replace

import pytest

from pfcore.bench.runs.saved_run import Benchmark, Judge, Method, write_run
from tests.pfcore.bench.scoring.conftest import make

pytestmark = pytest.mark.acceptance


def test_what_is_drawn_is_written_and_the_tables_are_printed(run, tmp_path):
    write_run(tmp_path / "one.jsonl", make(Method.DIRECT, rows=5, k=2))
    write_run(tmp_path / "two.jsonl", make(Method.PF, Benchmark.ARXIV, rows=4, k=1))
    status, out, _ = run(
        "bench", "report", str(tmp_path / "one.jsonl"), str(tmp_path / "two.jsonl"),
        "--out", str(tmp_path / "out"),
    )  # fmt: skip
    assert status == 0
    assert "A: direct judge; model a-model; contract" in out
    assert "B: PF + block verification" in out
    assert "false errors per paper (upper bound)" in out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"report.html", "hard2verify-panels.png", "hard2verify-panels.svg"} <= names
    assert "arxivmathgradingbench-precision-recall.svg" in names
    assert f"Written: {tmp_path / 'out' / 'report.html'}" in out


def test_what_is_no_run_and_what_cannot_be_written_is_told(run, tmp_path):
    (tmp_path / "bad.jsonl").write_text("{}")
    status, _, err = run("bench", "report", str(tmp_path / "bad.jsonl"))
    assert status == 2
    assert "bad.jsonl is not a run of a benchmark: line 1" in err
    write_run(tmp_path / "one.jsonl", make(rows=3, k=1))
    (tmp_path / "file").write_text("")
    status, _, err = run(
        "bench", "report", str(tmp_path / "one.jsonl"), "--out", str(tmp_path / "file")
    )
    assert status == 3
    assert "file cannot be written" in err


@pytest.mark.acceptance
def test_each_run_is_named_once_on_the_terminal_and_plain_text_is_ascii(run, tmp_path):
    write_run(tmp_path / "one.jsonl", make(Method.PF, Benchmark.ARXIV, rows=4, k=2))
    write_run(tmp_path / "two.jsonl", make(Method.DIRECT, rows=4, k=2))
    argv = ("bench", "report", str(tmp_path), "--out", str(tmp_path / "out"))
    _, out, _ = run(*argv)
    assert out.count("A: PF + block verification; model a-model; ") == 1
    assert "locations judged by a-model, inclusive and strict\n" in out
    assert "4 × 2" in out
    status, plain, _ = run(*argv, "--plain")
    assert status == 0
    assert plain.isascii()
    assert "4 x 2" in plain


def test_a_run_whose_judges_left_out_other_rows_is_named_for_each(run, tmp_path):
    made = make(Method.PF, Benchmark.ARXIV, rows=4, k=1, rates=(1.0, 0.0))
    first = made.rollouts[0]
    lost = replace(
        first.predictions[0], matches={**first.predictions[0].matches, Judge.STRICT: None}
    )
    changed = replace(first, predictions=(lost, *first.predictions[1:]))
    write_run(tmp_path / "one.jsonl", replace(made, rollouts=(changed, *made.rollouts[1:])))
    _, out, _ = run("bench", "report", str(tmp_path), "--out", str(tmp_path / "out"))
    assert "n = 4; k = 1; 2026-11-21; simulated, no model was used; locations judged by" in out
    assert "n = 3 of 4, 1 without a verdict; k = 1; " in out


def test_a_folder_without_runs_is_told(run, tmp_path):
    status, _, err = run("bench", "report", str(tmp_path))
    assert status == 2
    assert f"{tmp_path} has no saved run: `pf bench hard2verify` and" in err


def test_a_run_that_is_named_twice_is_told_not_drawn_beside_itself(run, tmp_path):
    path = tmp_path / "one.jsonl"
    write_run(path, make(rows=3, k=1))
    again = f"{tmp_path}/../{tmp_path.name}/one.jsonl"
    status, _, err = run("bench", "report", str(path), again, "--out", str(tmp_path / "out"))
    assert status == 2
    assert "one.jsonl is given twice" in err
    assert not (tmp_path / "out").exists()
