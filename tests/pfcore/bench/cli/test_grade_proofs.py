"""`pf bench proofs`: what would be read, and what comes of it when it is."""

import json
import re
from pathlib import Path

import pytest

from pfcore.bench.runs.saved_run import Benchmark, read_run
from tests.pfcore.cli.conftest import ACCEPT, FALSE_ALARM, flag, genuine

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

ROWS = [
    {"id": "a1", "problem": "Show A.", "proof": "A is plain.", "right": True, "group": "A"},
    {"id": "a2", "problem": "Show A.", "proof": "A slips.", "right": False, "group": "A"},
    {"id": "b1", "problem": "Show B.", "proof": "B slips.", "grade": 3, "full": 7, "group": "B"},
    {"id": "b2", "problem": "Show B.", "proof": "B is plain.", "grade": 7, "full": 7, "group": "B"},
]


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("PF_MODEL", raising=False)
    lines(*ROWS)
    return folder


def lines(*rows: object, name: str = "rows.jsonl") -> str:
    Path(name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return name


def careful(stage: str, text: str) -> str:
    """Objects to what slips, and stands by it."""
    if "slips" not in text:
        return ACCEPT
    return flag("slips") if stage == "verify" else genuine("slips")


def saved():
    (path,) = Path("pf-bench").glob("*.jsonl")
    return read_run(path)


def test_without_a_model_it_says_what_would_be_read_and_asks_nobody(run, referee, work) -> None:
    lines({**ROWS[0], "id": "c"}, {"id": "d"}, name="more.jsonl")
    status, out, err = run("bench", "proofs", "rows.jsonl", "more.jsonl", "-k", "2")
    assert status == 0
    assert out.startswith("5 proofs of 2 problems: 3 right, 2 wrong\n")
    assert re.search(r"^rows.jsonl +4 +2 +2 +2 +\d+ +0$", out, re.MULTILINE)
    assert re.search(r"^more.jsonl +1 +1 +0 +1 +\d+ +1$", out, re.MULTILINE)
    words = " ".join(out.split())
    assert "5 proofs, 2 times each, by gpt-5.4-mini: likely $" in words
    assert "No model was used. To have them read: --model NAME" in out
    assert "pf: 1 broken row left out:\n  more.jsonl, row 2: problem: Field required" in err
    assert referee.asked == []
    assert not (work / "pf-bench").exists()


def test_a_model_that_is_only_configured_is_not_asked(run, referee, monkeypatch) -> None:
    monkeypatch.setenv("PF_MODEL", "m")
    status, out, _ = run("bench", "proofs", "rows.jsonl")
    assert (status, referee.asked) == (0, [])
    assert "No model was used" in out


def test_the_price_is_of_as_many_proofs_as_would_be_read(run) -> None:
    _, out, _ = run("bench", "proofs", "rows.jsonl", "-k", "1", "--limit", "3")
    assert "3 proofs, once, by gpt-5.4-mini" in out
    assert out.startswith("4 proofs of 2 problems")


def test_many_broken_rows_are_counted_and_the_first_are_named(run) -> None:
    lines(ROWS[0], *[{"id": f"x\x1b{number}"} for number in range(30)])
    status, _, err = run("bench", "proofs", "rows.jsonl")
    assert status == 0
    assert "30 broken rows left out" in err
    assert "rows.jsonl, row 11: " in err
    assert "row 12" not in err
    assert "… and 20 more" in err
    assert all(letter == "\n" or letter.isprintable() for letter in err)


def test_a_file_of_which_nothing_can_be_read_is_a_usage_error(run) -> None:
    lines({"id": "x"}, name="bad.jsonl")
    for names in (["bad.jsonl"], ["rows.jsonl", "bad.jsonl"], ["rows.jsonl", "nowhere.jsonl"]):
        status, out, err = run("bench", "proofs", *names)
        assert (status, out) == (2, "")
        assert names[-1] in err


def test_a_proof_is_read_as_one_block_and_calibrated(run, referee) -> None:
    referee.say = careful
    status, out, err = run("bench", "proofs", "rows.jsonl", "--model", "m", "-k", "1")
    assert status == 0, err
    assert [stage for stage, _ in referee.asked].count("verify") == 4
    assert [stage for stage, _ in referee.asked].count("calibrate") == 2
    assert all("To be checked\nShow " in text for _, text in referee.asked)
    found = saved()
    assert found.header.benchmark is Benchmark.PROOFS
    assert {item.row: item.steps for item in found.rollouts} == {
        "a1": (), "a2": (0,), "b1": (0,), "b2": (),
    }  # fmt: skip
    assert found.header.asked.asks["granularity"] == "author"
    assert found.header.asked.asks["prompts"] == [["calibrate", "v2"], ["verify", "v2"]]
    assert "pf on proofs: n = 4 rows, k = 1 rollout" in out
    assert re.search(r"accuracy \(proofs\) +100.0 % +4 +51.0–100.0 +100.0–100.0", out)
    assert re.search(r"recall \(wrong proofs\) +100.0 % +2 +34.2–100.0", out)
    assert re.search(r"false alarms \(right proofs\) +0.0 % +2 +0.0–65.8", out)
    assert "2 problems drawn with replacement" in out


def test_one_objection_of_any_rollout_counts(run, referee) -> None:
    seen: list[str] = []

    def say(stage: str, text: str) -> str:
        """Objects to every proof the first time that it is shown."""
        if stage == "verify":
            seen.append(text)
            return flag("Show") if seen.count(text) == 1 else ACCEPT
        return genuine("Show")

    referee.say = say
    status, out, err = run("bench", "proofs", "rows.jsonl", "--model", "m", "-k", "2")
    assert status == 0, err
    assert sum(bool(item.steps) for item in saved().rollouts) == 4
    assert re.search(r"recall \(wrong proofs\) +100.0 %", out)
    assert re.search(r"false alarms \(right proofs\) +100.0 %", out)
    assert re.search(r"accuracy \(proofs\) +50.0 % +4 ", out)


def test_an_objection_that_is_not_upheld_is_a_false_alarm_and_no_flag(run, referee) -> None:
    referee.say = lambda stage, text: flag("Show") if stage == "verify" else FALSE_ALARM
    run("bench", "proofs", "rows.jsonl", "--model", "m", "-k", "1")
    assert [(item.steps, item.false_alarms) for item in saved().rollouts] == [((), 1)] * 4


def test_the_direct_question_takes_the_proof_for_one_step(run, referee) -> None:
    def say(stage: str, text: str) -> str:
        grade, first = ("wrong", 0) if "slips" in text else ("right", None)
        said = '<wrong id="0">It slips.</wrong>\n' if first == 0 else ""
        return f"{said}```json\n{json.dumps({'steps': [grade], 'first': first})}\n```"

    referee.say = say
    status, _, err = run(
        "bench", "proofs", "rows.jsonl", "--model", "m", "--method", "direct", "-k", "1"
    )
    assert status == 0, err
    assert {stage for stage, _ in referee.asked} == {"direct-steps"}
    assert [bool(item.steps) for item in saved().rollouts] == [False, True, True, False]


def test_a_proof_without_a_verdict_is_left_out_and_no_pass(run, referee) -> None:
    referee.say = lambda stage, text: 400 if "B is plain" in text else careful(stage, text)
    status, out, _ = run("bench", "proofs", "rows.jsonl", "--model", "m", "-k", "1")
    assert status == 3
    assert "1 row left out, without a verdict in every rollout:\n  b2: rollout 1: " in out
    assert re.search(r"false alarms \(right proofs\) +0.0 % +1 ", out)


def test_what_was_read_is_not_asked_again_and_goes_into_a_report(run, referee) -> None:
    pytest.importorskip("matplotlib")
    referee.say = careful
    run("bench", "proofs", "rows.jsonl", "--model", "m", "-k", "1")
    asked = len(referee.asked)
    status, _, err = run("bench", "proofs", "rows.jsonl", "--model", "m", "-k", "1")
    assert (status, err, len(referee.asked)) == (0, "", asked)
    status, _, err = run("bench", "report", "pf-bench", "--out", "out")
    assert status == 0, err
    (page,) = Path("out").glob("*.html")
    text = page.read_text("utf-8")
    assert "Whole proofs with one grade" in text
    assert "block verification" in text
    assert "false alarms, right proofs" in text
    assert "Rows about one problem are drawn together." in text


def test_a_simulated_reader_finds_what_the_grades_say(run) -> None:
    status, out, _ = run("bench", "proofs", "rows.jsonl", "--simulate", "1,0", "-k", "1")
    assert status == 0
    assert "SIMULATED" in out
    assert [bool(item.steps) for item in saved().rollouts] == [False, True, True, False]


def test_a_solution_with_labelled_steps_is_for_the_other_benchmark(run) -> None:
    lines({"modified_process": ["x"]}, name="steps.jsonl")
    status, _, err = run("bench", "proofs", "steps.jsonl")
    assert status == 2
    assert "pf bench hard2verify reads it" in err


def test_hostile_names_leave_no_control_character_on_the_screen(run) -> None:
    name = "a\x1b[31m\u202e\x00"
    lines({**ROWS[0], "id": name}, {**ROWS[1], "id": name}, name="odd\x1b[2J.jsonl")
    status, out, err = run("bench", "proofs", "odd\x1b[2J.jsonl", "--simulate", "1,0", "-k", "1")
    assert status == 0
    assert "duplicate of a" in err
    assert all(letter == "\n" or letter.isprintable() for letter in out + err)
    status, out, err = run("bench", "proofs", *["odd\x1b[2J.jsonl"] * 2)
    assert status == 2
    assert all(letter == "\n" or letter.isprintable() for letter in out + err)


@pytest.mark.corpus
def test_the_published_sets_are_looked_through(run, evidence) -> None:
    table = evidence / "open-proof-corpus/data/train/discrete/long/test.parquet"
    status, out, err = run("bench", "proofs", str(table))
    assert (status, err) == (0, "")
    assert out.startswith("434 proofs of 98 problems: 161 right, 273 wrong\n")
    files = sorted((evidence / "deepseek-math-v2/outputs").glob("*.jsonl"))
    status, out, _ = run("bench", "proofs", *map(str, files))
    assert status == 0
    assert out.startswith("84 proofs of 84 problems: 65 right, 19 wrong\n")


@pytest.mark.corpus
def test_a_simulated_reader_of_real_proofs_has_the_chances_it_was_given(run, evidence) -> None:
    table = evidence / "open-proof-corpus/data/train/discrete/long/test.parquet"
    status, _, err = run("bench", "proofs", str(table), "--simulate", "0.7,0.1", "-k", "1")
    assert status == 0, err
    found = saved()
    wrong = {row.name for row in found.rows if row.wrong}
    flagged = {item.row for item in found.rollouts if item.steps}
    assert (len(wrong), len(found.rows)) == (273, 434)
    assert abs(len(flagged & wrong) / 273 - 0.7) < 0.14  # five standard deviations
    assert abs(len(flagged - wrong) / 161 - 0.1) < 0.12
