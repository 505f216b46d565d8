"""`pf bench mutate`: errors planted in a paper, read by a model, priced before and kept after."""

import json

import pytest

from tests.pfcore.bench.planted.conftest import body
from tests.pfcore.cli.conftest import ACCEPT, flag, genuine

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

ALONE = ("--granularity", "author", "--rollouts", "1")


@pytest.fixture
def results(paper, document):
    """A paper with three results that errors can be planted in."""
    (paper / "main.tex").write_text(document(body(3)), encoding="utf-8")
    return paper


STRONGER = ("is exactly one number", "$k$ with $k<")


def stronger(text):
    """The words with which a proof takes more from a lemma than it says, if they stand there."""
    return next((words for words in STRONGER if words in text), None)


def sees_strengthening(referee):
    def say(stage, text):
        words = stronger(text)
        if words is None:
            return ACCEPT
        return flag(words) if stage == "verify" else genuine(words)

    referee.say = say


def mutate(run, *argv):
    return run("bench", "mutate", *argv)


def test_without_a_model_it_says_what_can_be_planted_and_what_checks_see(run, results, referee):
    status, out, _ = mutate(run)
    assert status == 0
    assert "main.tex  23 planted errors, drawn with seed 0" in out
    assert "circular-citation         2        2        2               2" in out
    assert "Checks without a model see 2 of 23." in out
    assert "No model was used" in out
    assert not (results / "pf.lock").exists()
    assert referee.asked == []


def test_a_model_that_sees_one_kind_of_error_is_measured_by_kind(run, results, referee):
    sees_strengthening(referee)
    status, out, err = mutate(run, "--model", "m", *ALONE, "--operator", "strengthened-use",
                              "--operator", "flipped-inequality")  # fmt: skip
    assert status == 0, err
    assert "8 proofs with their contexts go to m at 127.0.0.1, once" in err
    assert "strengthened-use" in out
    assert "2 of 2" in out
    assert "Model: m, which calls itself served." in out
    assert "Recorded in pf.lock with each contract (reports quote it)." in out


def test_all_that_was_found_is_there_for_programs(run, results, referee):
    sees_strengthening(referee)
    status, out, _ = mutate(run, "--model", "m", *ALONE, "--format", "json", "--limit", "9")
    assert status == 0
    found = json.loads(out)
    assert (found["model"], found["served"], found["simulated"]) == ("m", ["served"], False)
    assert len(found["planted"]) == 9
    assert {item["operator"] for item in found["planted"] if item["seen"]} == {"circular-citation"}
    (study,) = found["studies"]
    assert study["errors"] == 9
    assert study["operators"]["strengthened-use"] == {"planted": 1, "found": 1}
    (setting,) = study["settings"]
    assert setting["recall"][0] == pytest.approx(1 / 9)
    assert setting["precision"] == [1.0, *setting["precision"][1:]]
    assert study["stages"]["verify"]["calls"] == study["errors"] + study["proofs"]
    assert found["recommended"]["settings"][-2:] == ["rollouts = 1", "min_votes = 1"]


def test_a_second_run_asks_nothing_and_other_granularities_only_where_they_differ(
    run, results, referee
):
    mutate(run, "--model", "m", "--rollouts", "1", "--limit", "4", "--granularity", "author")
    asked = len(referee.asked)
    assert asked > 0
    status, _, err = mutate(
        run, "--model", "m", "--rollouts", "1", "--limit", "4",
        "--granularity", "author", "--granularity", "auto",
    )  # fmt: skip
    assert status == 0, err
    assert len(referee.asked) == asked


def test_a_review_quotes_what_was_measured_of_its_contract_and_votes(run, results, referee):
    sees_strengthening(referee)
    mutate(run, "--model", "m", "--rollouts", "3", "--limit", "6", "--granularity", "auto")
    status, out, _ = run("check", "--model", "m", "--all", "--yes")
    assert status == 0
    assert "Measured: of 6 planted errors in this paper (served, " in out
    assert "3 readings, 1 vote), 17 % (95 % interval" in out
    assert "Measured" not in run("check", "--model", "m", "--all", "--rollouts", "4")[1]
    assert "Measured" not in run("check", "--model", "other", "--all", "--yes")[1]
    markdown = run("check", "--model", "m", "--all", "--format", "markdown")[1]
    assert "Measured: of 6 planted errors" in markdown


def test_a_record_of_one_contract_is_quoted_without_a_model_and_not_for_other_ways_to_judge(
    run, results, referee
):
    mutate(run, "--model", "m", "--rollouts", "3", "--limit", "4", "--granularity", "auto")
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    out = run("check", "--offline", "--all")[1]
    assert "Measured: of 4 planted errors in this paper (served, " in out
    found = json.loads(run("check", "--offline", "--all", "--format", "json")[1])
    (quoted,) = found["measured"]
    assert (quoted["model"], quoted["errors"], quoted["simulated"]) == ("served", 4, False)
    assert quoted["recall"][1] <= quoted["recall"][0] <= quoted["recall"][2]
    (results / "pf.toml").write_text("[reading]\nprogressive = true\n")
    assert "Measured" not in run("check", "--model", "m", "--all", "--yes")[1]


def test_a_model_beside_a_simulated_reader_is_a_mistake(run, paper):
    status, _, err = mutate(run, "--simulate", "0.9,0.1", "--model", "m")
    assert status == 2
    assert "--simulate uses no model: remove it, or --model" in err


def test_who_has_no_key_yet_is_told_the_price(run, paper, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("PF_BASE_URL", raising=False)
    status, _, err = mutate(run, "--model", "gpt-5.4-mini")
    assert status == 2
    assert "go to gpt-5.4-mini at api.openai.com, 3 times each: likely $" in err
    assert "needs a key" in err


def test_what_was_simulated_is_recorded_only_where_that_is_wanted_and_as_such(
    run, results, referee
):
    status, out, _ = mutate(run, "--simulate", "0.9,0.1", "--rollouts", "2")
    assert status == 0
    assert "Simulated: no model was used." in out
    assert "Recommended (simulated: this says nothing of a model): author" in out
    assert "Recorded" not in out
    assert not (results / "pf.lock").exists()
    _, out, _ = mutate(run, "--simulate", "0.9,0.1", "--rollouts", "2", "--lock")
    assert "Recorded in pf.lock with each contract (simulated, and called so)." in out
    lines = [json.loads(line) for line in (results / "pf.lock").read_text().splitlines()]
    kept = [line for line in lines if line["kind"] == "simulated"]
    assert len(kept) == 3
    assert {line["simulated"] for line in kept} == {True}
    assert "measured" not in {line["kind"] for line in lines}
    assert referee.asked == []
    _, out, _ = run("check", "--model", "simulated", "--all", "--yes", "--rollouts", "2")
    assert "Simulated (no model was used): of 23 planted errors" in out
    assert "easured" not in out
    told = ("--all", "--yes", "--rollouts", "2", "--format", "json")
    found = json.loads(run("check", "--model", "simulated", *told)[1])
    assert found["measured"] == []
    assert [item["errors"] for item in found["simulated"]] == [23]


def test_who_calls_itself_simulated_is_called_so_and_not_recorded(run, results, referee):
    referee.served = "simulated-elsewhere"
    status, out, _ = mutate(run, "--model", "m", "--limit", "2", *ALONE)
    assert status == 0
    assert "Simulated: no model was used." in out
    assert "which calls itself" not in out
    assert not (results / "pf.lock").exists()


def test_nothing_is_recorded_where_that_is_not_wanted(run, results, referee):
    status, out, _ = mutate(run, "--model", "m", "--no-lock", "--limit", "2", *ALONE)
    assert status == 0
    assert not (results / "pf.lock").exists()
    assert "Recorded" not in out


def test_what_a_budget_leaves_is_read_by_the_next_run(run, results, referee):
    argv = ("--model", "m", "--limit", "6", *ALONE)
    status, out, _ = mutate(run, *argv, "--budget", "18.5k tokens")
    first = len(referee.asked)
    assert status == 3
    assert "not counted, for want of a verdict (the budget is " in out
    assert "Run it again: what has its replies is not asked again." in out
    status, out, _ = mutate(run, *argv)
    assert status == 0
    assert len(set(referee.asked)) == len(referee.asked) > first


def test_errors_that_could_not_be_read_are_no_misses_and_the_status_says_so(run, results, referee):
    referee.say = lambda stage, text: 400 if stronger(text) else ACCEPT
    status, out, _ = mutate(run, "--model", "m", *ALONE)
    assert status == 3
    assert "author: 2 errors not counted, for want of a verdict" in out
    assert "Nothing is recommended" in out


def test_what_is_likely_to_cost_more_than_the_budget_is_not_begun(run, results, referee, configure):
    configure('[prices."m"]\ninput = 1000.0\noutput = 1000.0\ncached = 1000.0\n')
    status, out, err = mutate(run, "--model", "m", *ALONE)
    assert status == 3
    assert "up to $" in out
    assert "estimated cost exceeds the $2.00 limit" in err
    assert referee.asked == []


def test_each_strictness_that_is_wanted_is_measured(run, results, referee):
    status, out, _ = mutate(
        run, "--simulate", "1,0", *ALONE, "--strictness", "lenient", "--strictness", "pedantic"
    )
    assert status == 0
    assert "author lenient   1      1  100 %" in out
    assert "author pedantic  1      1  100 %" in out


@pytest.mark.parametrize("rates", ["1", "2,0", "a,b", "0.5,-1"])
def test_chances_that_are_none_are_refused(run, results, rates):
    with pytest.raises(SystemExit) as ended:
        mutate(run, "--simulate", rates)
    assert ended.value.code == 2


@pytest.mark.parametrize("level", ["", "  "])
def test_a_strictness_that_no_configuration_could_hold_is_refused(run, results, level, capsys):
    with pytest.raises(SystemExit) as ended:
        mutate(run, "--simulate", "1,0", "--strictness", level)
    assert ended.value.code == 2
    assert "--strictness is empty" in capsys.readouterr().err


def test_a_paper_without_proofs_and_several_papers_are_told(run, paper, document):
    (paper / "main.tex").write_text(document("Nothing."), encoding="utf-8")
    status, _, err = mutate(run)
    assert status == 3
    assert "no place to plant an error in" in err
    (paper / "other.tex").write_text(document(body(2)), encoding="utf-8")
    (paper / "main.tex").write_text(document(body(2)), encoding="utf-8")
    status, _, err = mutate(run)
    assert status == 2
    assert "choose it with --paper (main.tex, other.tex)" in err
