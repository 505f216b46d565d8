"""`pf bench hard2verify` and `pf bench arxiv`, from the command line to a saved run."""

import json
import os
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import prompts
from pfcore.bench.cli.run_benchmark import costs
from pfcore.bench.runs import synthetic
from pfcore.bench.runs.saved_run import Benchmark, Judge, Method, Rollout, Used, read_run
from pfcore.bench.runs.simulated_reader import NAME
from pfcore.bench.scoring.measures import tally_of_row, total
from pfcore.bench.scoring.scores import scored
from pfcore.llm.protocol import TokenUsage

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

CHANCES = ("--simulate", "0.7,0.1")
ALL = list(product(Benchmark, Method))
RIGHT = '```json\n{"steps": [%s], "first": null}\n```'
PRICE = '[prices."m"]\ninput = 1000\noutput = 1000\n[limits]\nattempts = 1\n'


GRADED = "graded.jsonl"


def graded(row: dict[str, Any]) -> dict[str, object]:
    """A made-up solution as a row of whole proofs."""
    proof = "\n\n".join(row["model_response_by_step"])
    right = all(row["human_labels"])
    return {"id": row["unique_id"], "problem": row["question"], "proof": proof, "right": right}


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Made-up rows in the working folder, and a store of its own."""
    synthetic.write_rows(tmp_path / "work", 4)
    lines = "".join(f"{json.dumps(graded(row))}\n" for row in synthetic.proofs(4))
    (tmp_path / "work" / GRADED).write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "work"


@pytest.fixture
def served(configure):
    """Write the user's own configuration: the server on this machine speaks Responses."""

    def write(text: str = "") -> None:
        place = os.environ["PF_BASE_URL"]
        configure(f'base_url = "{place}"\nendpoint = "responses"\n{text}')

    return write


def command(benchmark: Benchmark) -> list[str]:
    if benchmark is Benchmark.HARD2VERIFY:
        return ["bench", "hard2verify", synthetic.PROOFS]
    if benchmark is Benchmark.PROOFS:
        return ["bench", "proofs", GRADED]
    return ["bench", "arxiv", synthetic.PAPERS, synthetic.PDFS]


PROOFS = command(Benchmark.HARD2VERIFY)
DIRECT = (*PROOFS, "--method", "direct")


def saved(folder: Path = Path("pf-bench")):
    """The only run that was saved."""
    (path,) = folder.glob("*.jsonl")
    return read_run(path)


def all_right(stage: str, text: str) -> str:
    count = text.count("begin: Step ")
    return RIGHT % ", ".join(['"right"'] * count)


@pytest.mark.parametrize(("benchmark", "method"), ALL)
def test_a_simulated_run_says_so_everywhere(run, rows, benchmark, method) -> None:
    status, out, err = run(*command(benchmark), "--method", method, *CHANCES, "-k", "2")
    assert status == 0, err
    assert f"{method} on {benchmark}: n = 4 rows, k = 2 rollouts" in out
    assert "SIMULATED: no model was used" in out
    assert "Tokens and dollars are simulated too" in out
    assert "simulated, nobody is asked" in err
    found = saved()
    assert found.header.simulated
    assert found.header.asked.served == (NAME,)
    assert found.header.asked.model == "simulated-0.7-0.1"
    assert (found.header.n, found.header.k, len(found.rollouts)) == (4, 2, 8)
    assert found.header.benchmark is benchmark
    assert found.header.spent.calls > 0
    assert found.header.spent.known == 0
    assert len(scored(found).rows) == 4
    is_papers = benchmark is Benchmark.ARXIV
    assert (found.header.judge is not None) == is_papers
    assert ("upper bound, precision a lower bound" in out) == is_papers
    assert ("strict, reference" in out) == is_papers
    assert run(*command(benchmark), "--method", method, *CHANCES, "--plain")[1].isascii()


@pytest.mark.parametrize("benchmark", Benchmark)
def test_what_was_read_is_not_asked_again(run, rows, benchmark) -> None:
    run(*command(benchmark), *CHANCES, "-k", "2")
    first = saved()
    status, _, err = run(*command(benchmark), *CHANCES, "-k", "2")
    again = saved()
    assert (status, err) == (0, "")
    assert again.header.spent.calls == 0
    assert again.header.spent.known == first.header.spent.calls
    for one, other in zip(first.rollouts, again.rollouts, strict=True):
        assert (one.steps, one.predictions) == (other.steps, other.predictions)


def test_more_rollouts_ask_only_for_those_that_are_missing(run, rows) -> None:
    run(*DIRECT, *CHANCES, "-k", "2", "--out", "two")
    _, _, err = run(*DIRECT, *CHANCES, "-k", "3", "--out", "three")
    assert "4 readings of 4 rows" in err
    two, three = saved(Path("two")), saved(Path("three"))
    assert three.header.spent.calls == 4
    assert [item.steps for item in three.rollouts[:8]] == [item.steps for item in two.rollouts]


def test_readers_of_other_chances_are_others(run, rows) -> None:
    run(*DIRECT, "--simulate", "0,0")
    run(*DIRECT, "--simulate", "1,0")
    assert len(list(Path("pf-bench").iterdir())) == 2
    found = [read_run(path) for path in sorted(Path("pf-bench").iterdir())]
    flagged = {run.header.asked.model: sum(len(r.steps) for r in run.rollouts) for run in found}
    assert flagged["simulated-0-0"] == 0 < flagged["simulated-1-0"]


def test_a_limit_takes_the_first_rows_and_self_repair_may_be_left_out(run, rows) -> None:
    _, out, _ = run(*PROOFS, *CHANCES, "--limit", "1", "-k", "1", "--no-self-repair")
    found = saved()
    assert [row.name for row in found.rows] == ["made-up-1"]
    assert not found.header.self_repair
    assert "pf without self-repair on hard2verify: n = 1 row, k = 1 rollout" in out
    assert not any("faithfulness" in used.stage for r in found.rollouts for used in r.used)


def test_without_a_model_nothing_is_measured(run, rows, monkeypatch) -> None:
    monkeypatch.delenv("PF_MODEL", raising=False)
    status, _, err = run(*PROOFS)
    assert status == 2
    assert "needs --model NAME or --simulate" in err


def test_a_server_that_takes_no_files_cannot_read_papers(run, rows, referee) -> None:
    status, _, err = run(*command(Benchmark.ARXIV), "--model", "m")
    assert status == 2
    assert "if it supports the Responses interface" in err


def test_an_encrypted_file_is_told(run, rows) -> None:
    row = json.loads(Path(synthetic.PROOFS).read_text("utf-8").splitlines()[0])
    row["question"] = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="
    Path("rows.json").write_text(json.dumps([row]))
    status, _, err = run("bench", "hard2verify", "rows.json", *CHANCES)
    assert status == 2
    assert "rows.json, row 1: question is still encrypted" in err


def test_rows_that_contradict_themselves_are_named(run, rows) -> None:
    listed = [json.loads(line) for line in Path(synthetic.PROOFS).read_text("utf-8").splitlines()]
    for row in listed:
        row["human_labels_first_error_idx"] = len(row["human_labels"]) - 1
    Path("rows.json").write_text(json.dumps([{**row, "human_labels": [0, *row["human_labels"][1:]]}
                                             for row in listed]))  # fmt: skip
    status, _, err = run("bench", "hard2verify", "rows.json", *CHANCES, "--method", "direct")
    assert status == 0
    assert "made-up-1: the first wrong step is 0 by its labels" in err
    assert "… and 1 rows more" in err


def test_a_model_is_measured_by_a_server(run, rows, referee) -> None:
    referee.say = all_right
    status, out, err = run(*DIRECT, "--model", "m", "-k", "2")
    assert status == 0, err
    assert "8 readings of 4 rows by direct, asked of m at 127.0.0.1: up to 48 calls" in err
    assert all(f"  rollout {number} of 2 is done\n" in err for number in (1, 2))
    assert "SIMULATED" not in out
    assert "m (answered as served)" in out
    found = saved()
    assert not found.header.simulated
    assert found.header.asked.served == ("served",)
    assert len(referee.asked) == 8
    assert {stage for stage, _ in referee.asked} == {"direct-steps"}


def test_papers_are_read_and_judged_by_a_server(run, rows, referee, served) -> None:
    served()

    def say(stage: str, text: str) -> str:
        if stage == "direct-paper":
            error = "<error><location>page 9</location><description>No.</description></error>"
            return f'<errors>{error}</errors>\n```json\n{{"errors": 1}}\n```'
        return '```json\n{"matches": [0]}\n```'

    referee.say = say
    argv = (*command(Benchmark.ARXIV), "--method", "direct", "--model", "m", "-k", "1")
    status, out, err = run(*argv, "--judge-model", "another")
    assert status == 0, err
    assert "places judged by another" in err
    assert "judge of locations: another (answered as served)" in out
    stages = [stage for stage, _ in referee.asked]
    assert [stages.count(name) for name in ("direct-paper", "judge-inclusive", "judge-strict")] == [
        4, 4, 4,
    ]  # fmt: skip
    assert len(referee.files) == 8
    (prediction,) = saved().rollouts[0].predictions
    assert prediction.matches == {Judge.INCLUSIVE: (0,), Judge.STRICT: (0,), Judge.LABELS: ()}


def test_a_judge_is_not_asked_what_labels_say_and_is_not_believed_against_them(
    run, rows, referee, served
) -> None:
    served()
    error = "<error><location>Lemma 99</location><description>No.</description></error>"
    listed = f'<errors>{error}</errors>\n```json\n{{"errors": 1}}\n```'
    referee.say = lambda stage, _: listed if stage == "direct-paper" else "I do not know."
    argv = (*command(Benchmark.ARXIV), "--method", "direct", "--model", "m", "-k", "1")
    status, _, _ = run(*argv)
    assert status == 3
    assert "judge-strict" not in {stage for stage, _ in referee.asked}
    (prediction,) = saved().rollouts[0].predictions
    assert prediction.matches == {Judge.INCLUSIVE: None, Judge.STRICT: (), Judge.LABELS: ()}


def test_a_failure_is_left_out_and_no_pass(run, rows, referee) -> None:
    referee.say = lambda stage, text: 400 if "claim 2" in text else all_right(stage, text)
    status, out, err = run(*DIRECT, "--model", "m", "-k", "1")
    assert status == 3
    assert "1 row left out, without a verdict in every rollout:\n  made-up-2: rollout 1: " in out
    assert "? made-up-2, rollout 1  not read" in err
    referee.say = all_right
    status, out, _ = run(*DIRECT, "--model", "m", "-k", "1")
    assert status == 0
    assert "left out" not in out


def test_when_nothing_is_read_there_is_nothing_to_measure(run, rows, referee) -> None:
    referee.say = lambda stage, text: 400
    status, out, _ = run(*DIRECT, "--model", "m")
    assert status == 3
    assert "No row counts: there is nothing to measure." in out


def test_a_costly_run_needs_a_word(run, rows, referee, served) -> None:
    served(PRICE)
    referee.say = all_right
    status, out, err = run(*DIRECT, "--model", "m")
    assert status == 3
    assert "estimated cost exceeds the $2.00 limit" in err
    assert "12 readings of 4 rows by direct" in out
    assert referee.asked == []
    assert not Path("pf-bench").exists()


def test_who_has_no_key_yet_is_told_the_price(run, rows, monkeypatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("PF_BASE_URL", raising=False)
    status, _, err = run(*DIRECT, "--model", "gpt-5.4-mini")
    assert status == 2
    assert (
        "12 readings of 4 rows by direct, asked of gpt-5.4-mini at api.openai.com: about $" in err
    )
    assert "needs a key" in err


def test_a_budget_stops_a_run_and_the_next_goes_on(run, rows, referee, served) -> None:
    served("limit = 30\n")
    referee.say = all_right
    argv = (*DIRECT, "--model", "m", "-k", "4", "--yes", "--budget")
    status, _, err = run(*argv, "1 tokens")
    assert (status, referee.asked) == (3, [])
    numbers = re.findall(r"[\d,]+(?= tokens in and)|[\d,]+(?= out;)", err)
    most = sum(int(number.replace(",", "")) for number in numbers)
    status, shown, _ = run(*argv, f"{most // 96} tokens")  # a call at the most, and some more
    assert status == 3
    assert "the budget is spent: " in shown
    asked = len(referee.asked)
    assert 0 < asked < 16
    status, _, err = run(*argv, "1M tokens")
    assert status == 0, err
    assert len(referee.asked) == 16
    assert f"{16 - asked} readings" in err


def test_prompts_of_others_are_used_and_named_in_the_contract(run, rows, referee) -> None:
    folder = Path("mine") / "direct-steps"
    folder.mkdir(parents=True)
    (folder / "v1.md").write_text("Grade {problem}\n{steps}\nVerdict: <yes or no>", "utf-8")

    def say(stage: str, text: str) -> str:
        return f"Verdict: {', '.join(['no'] * text.count('<step>'))}"

    referee.say = say
    status, _, err = run(*DIRECT, "--model", "m", "-k", "1", "--prompts", "mine")
    assert status == 0, err
    found = saved()
    assert all(item.steps for item in found.rollouts)
    ((stage, version),) = found.header.asked.asks["prompts"]
    assert stage == "direct-steps"
    assert version.startswith(f"{prompts.BENCH[stage]}+")


def test_a_prompt_that_is_missing_is_named(run, rows) -> None:
    Path("nowhere").mkdir()
    status, _, err = run(*PROOFS, *CHANCES, "--prompts", "nowhere")
    assert status == 2
    assert err.endswith("v1.md cannot be read: No such file or directory\n")
    assert "the prompt nowhere/translate-solution/v1.md" in err


def test_a_prompt_that_is_no_text_is_named(run, rows) -> None:
    (Path("garbled") / "direct-steps").mkdir(parents=True)
    (Path("garbled") / "direct-steps" / "v1.md").write_bytes(b"\xff\xfe")
    status, _, err = run(*DIRECT, *CHANCES, "--prompts", "garbled")
    assert status == 2
    assert "the prompt garbled/direct-steps/v1.md is not UTF-8" in err


def test_a_place_that_takes_no_files_is_told_before_anybody_is_asked(run, rows, referee) -> None:
    Path("taken").write_text("")
    for place in ("taken", "taken/below"):
        status, _, err = run(*DIRECT, "--model", "m", "--out", place)
        assert status == 3
        assert f"{place} cannot be written: {rows / 'taken'} is a file" in err
    assert referee.asked == []


@pytest.mark.parametrize("option", ["--model", "--judge-model"])
def test_a_model_beside_a_simulated_reader_is_a_mistake(run, rows, option) -> None:
    status, _, err = run(*command(Benchmark.ARXIV), *CHANCES, option, "m")
    assert status == 2
    assert f"--simulate uses no model: remove it, or {option}" in err


def test_what_was_simulated_is_kept_apart_and_can_be_erased(run, rows, tmp_path) -> None:
    run(*DIRECT, *CHANCES)
    assert not (tmp_path / "data").exists()
    assert (tmp_path / "cache" / "simulated.sqlite").exists()
    status, out, _ = run("remove", "--cache", "--yes")
    assert status == 0
    assert "simulated replies" in out
    assert not (tmp_path / "cache" / "simulated.sqlite").exists()


def test_who_calls_itself_simulated_is_called_so(run, rows, referee) -> None:
    referee.say = all_right
    referee.served = "simulated-elsewhere"
    _, out, _ = run(*DIRECT, "--model", "m", "-k", "1")
    assert saved().header.simulated
    assert "SIMULATED: no model was used" in out


CHEAP = '[prices."m"]\ninput = 1\noutput = 10\n'


def test_the_price_says_where_the_run_stops_before_the_most_that_could_come(
    run, rows, referee, served
) -> None:
    served(CHEAP)
    referee.say = all_right
    status, _, err = run(*DIRECT, "--model", "m", "-k", "1", "--budget", "3")
    assert status == 0, err
    said = err.splitlines()[0]
    assert "about $0.17 by the averages of the paper; it stops at $3.00, whatever" in said
    assert "known here" not in said
    assert "Were everything repeated as often as is allowed, at full length: at most 24" in said


def test_of_a_second_run_the_dearest_known_reading_bounds_what_is_left(
    run, rows, referee, served
) -> None:
    served(CHEAP)
    referee.say = all_right
    run(*DIRECT, "--model", "m", "-k", "1", "--budget", "3")
    _, _, err = run(*DIRECT, "--model", "m", "-k", "3", "--budget", "3", "--out", "again")
    said = err.splitlines()[0]
    assert "8 readings of 4 rows" in said
    cost = max(sum(used.dollars for used in item.used) for item in saved().rollouts)
    assert 0 < cost < 0.05
    bound = f"${8 * cost:,.2f} if none is dearer than the dearest of 4 readings known here"
    assert f"{bound} (${cost:,.3f})" in said


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ("300k tokens", "it stops at 300,000 tokens, whatever"),
        ("20 min", "it stops after 1,200 s, whatever"),
        (None, "it stops at $2.00, whatever"),
    ],
)
def test_every_budget_says_where_it_stops(run, rows, referee, served, budget, words) -> None:
    served(CHEAP)
    referee.say = all_right
    given = ("--budget", budget) if budget else ()
    _, _, err = run(*DIRECT, "--model", "m", "-k", "1", *given)
    assert words in err.splitlines()[0]


def test_what_costs_nothing_stops_by_its_tokens(run, rows, referee, served) -> None:
    served('[prices."m"]\ninput = 0\noutput = 0\n')
    referee.say = all_right
    _, _, err = run(*DIRECT, "--model", "m", "-k", "1", "--budget", "300k tokens")
    assert "free (local model). It stops at 300,000 tokens." in err.splitlines()[0]


def test_a_reading_of_which_something_is_missing_bounds_nothing() -> None:
    def read_(dollars, **more):
        used = Used(stage="direct-steps", calls=1, fresh=1, usage=TokenUsage(), dollars=dollars)
        return Rollout(row="r", number=1, used=(used, used), **more)

    known = [read_(1.0), read_(None), read_(5.0, unreached=("no reply",)), read_(2.0)]
    assert costs(known) == [2.0, 4.0]


def prm(number: int, steps: int, *wrong: int) -> dict[str, object]:
    """A row as PRMBench publishes them, whose text says nothing of its labels."""
    return {
        "idx": f"prm_{number}",
        "classification": "circular",
        "question": f"What is {number // 2}?",
        "modified_question": f"What is {number}?",
        "modified_process": [f"Of {number}: line {step}.\n\nAnd so on." for step in range(steps)],
        "error_steps": list(wrong),
    }


def test_broken_rows_are_named_and_the_others_are_read(run, rows) -> None:
    bad = [prm(number, 2, 5) for number in range(20, 33)]
    lines = [json.dumps(row) for row in (prm(1, 3, 2), *bad, prm(2, 60, 7))]
    Path("prm.jsonl").write_text("\n".join([*lines, "{"]), encoding="utf-8")
    argv = ("bench", "hard2verify", "prm.jsonl", synthetic.PROOFS, "--simulate", "1,0", "-k", "1")
    status, _, err = run(*argv)
    assert status == 0, err
    assert "pf: 14 broken rows left out:\n  prm.jsonl, row 2: step 5 is labelled wrong" in err
    assert "row 11:" in err
    assert "row 12:" not in err
    assert "… and 4 more" in err
    found = saved()
    assert len(found.rows) == 6
    assert found.header.data == f"prm.jsonl, {synthetic.PROOFS}"
    assert found.header.asked.asks["pieces"] == 80
    assert {item.row: item.steps for item in found.rollouts} == {
        row.name: row.wrong for row in found.rows
    }


def test_where_no_row_is_long_the_contract_is_what_it_was(run, rows) -> None:
    run(*PROOFS, *CHANCES, "-k", "1")
    asked = saved().header.asked.asks
    assert (asked["pieces"], asked["effort"]) == (40, None)


def test_a_file_of_broken_rows_alone_is_a_usage_error(run, rows) -> None:
    Path("prm.jsonl").write_text(json.dumps(prm(1, 2, 3)), encoding="utf-8")
    status, out, err = run("bench", "hard2verify", synthetic.PROOFS, "prm.jsonl", *CHANCES)
    assert (status, out) == (2, "")
    assert "no usable row: prm.jsonl, row 1: step 3 is labelled wrong" in err
    assert run("bench", "hard2verify", GRADED, *CHANCES)[2].count("pf bench proofs reads it") == 1


@pytest.mark.parametrize("method", Method)
def test_labels_that_change_are_simulated_anew(run, rows, method) -> None:
    for wrong in (1, 2):
        Path("prm.jsonl").write_text(json.dumps(prm(1, 3, wrong)), encoding="utf-8")
        argv = ("bench", "hard2verify", "prm.jsonl", "--method", method, "-k", "1")
        run(*argv, "--simulate", "1,0", "--out", f"wrong-{wrong}")
        (rollout,) = saved(Path(f"wrong-{wrong}")).rollouts
        assert rollout.steps == (wrong - 1,)


def test_a_real_pdf_is_refused_by_a_simulated_reader(run, rows) -> None:
    pdf = sorted(Path(synthetic.PDFS).iterdir())[1]
    pdf.write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")
    status, out, err = run(*command(Benchmark.ARXIV), *CHANCES)
    assert (status, out) == (2, "")
    assert f"--simulate cannot read a real PDF ({pdf})" in err
    assert "Name a model with --model" in err
    assert not Path("pf-bench").exists()


@pytest.mark.corpus
@pytest.mark.parametrize("method", Method)
def test_a_simulated_reader_of_prmbench_has_the_chances_it_was_given(
    run, rows, evidence, method
) -> None:
    folder = evidence / "prmbench/mr_eval/tasks/prmtest_classified/data"
    files = [str(path) for path in sorted(folder.glob("*.jsonl"))]
    argv = ("bench", "hard2verify", *files, "--method", method, *CHANCES, "-k", "1")
    status, _, err = run(*argv, "--limit", "100")
    assert status == 0, err
    assert "pf: 43 broken rows left out" in err
    found = scored(saved())
    assert found.left_out == {}
    sums = total(tally_of_row(row, row.rollouts[0]) for row in found.rows)
    flawed, right = sums.found + sums.missed, sums.false + sums.passed
    assert flawed > 150 and right > 500
    assert abs(sums.found / flawed - 0.7) < 5 * (0.21 / flawed) ** 0.5
    assert abs(sums.false / right - 0.1) < 5 * (0.09 / right) ** 0.5


@pytest.mark.corpus
def test_mr_ben_is_read_and_what_has_no_label_is_said(run, rows, evidence) -> None:
    path = str(evidence / "mr-ben/data/math.json")
    argv = ("bench", "hard2verify", path, "--method", "direct", "--simulate", "1,0", "-k", "1")
    status, out, err = run(*argv)
    assert status == 0, err
    assert "broken" not in err
    found = saved()
    assert (len(found.rows), sum(bool(row.wrong) for row in found.rows)) == (918, 769)
    assert "Steps after the first error have no label in " in out
    assert all(
        item.steps == row.wrong for item, row in zip(found.rollouts, found.rows, strict=True)
    )
