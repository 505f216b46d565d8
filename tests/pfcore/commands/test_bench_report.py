"""`pf bench report`: pictures, tables and a page from files of saved runs."""

from pfcore.bench.saved import Benchmark, Method, write
from tests.pfcore.bench.reporting.conftest import make


def test_what_is_drawn_is_written_and_the_tables_are_printed(run, tmp_path):
    write(tmp_path / "one.jsonl", make(Method.DIRECT, rows=5, k=2))
    write(tmp_path / "two.jsonl", make(Method.PF, Benchmark.ARXIV, rows=4, k=1))
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
    assert "bad.jsonl is no run of a benchmark: line 1" in err
    write(tmp_path / "one.jsonl", make(rows=3, k=1))
    (tmp_path / "file").write_text("")
    status, _, err = run(
        "bench", "report", str(tmp_path / "one.jsonl"), "--out", str(tmp_path / "file")
    )
    assert status == 3
    assert "file cannot be written" in err


def test_a_run_that_is_named_twice_is_told_not_drawn_beside_itself(run, tmp_path):
    path = tmp_path / "one.jsonl"
    write(path, make(rows=3, k=1))
    again = f"{tmp_path}/../{tmp_path.name}/one.jsonl"
    status, _, err = run("bench", "report", str(path), again, "--out", str(tmp_path / "out"))
    assert status == 2
    assert "one.jsonl is named twice" in err
    assert not (tmp_path / "out").exists()
