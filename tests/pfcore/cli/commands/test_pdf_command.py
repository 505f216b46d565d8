"""`pf check paper.pdf`, from the command line to a server and back."""

import base64
import json
import os
from pathlib import Path

import jsonschema
import pytest

from tests.pfcore.cli.conftest import ACCEPT, flag
from tests.pfcore.verification.test_whole_paper import FAITHFUL, GOOD, QUIET, UPHELD

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

CONTENT = b"%PDF-1.7 a small paper"
CALM = {
    "translate-paper": GOOD,
    "faithfulness-paper": FAITHFUL,
    "verify": ACCEPT,
    "calibrate-paper": QUIET,
}
ALARM = '```json\n{"flags": [{"id": "F1", "status": "false_alarm"}], "own": []}\n```'
GRAVE = CALM | {"verify": flag("Hence $x > 0$"), "calibrate-paper": UPHELD}


@pytest.fixture
def pdf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A PDF in the working folder, and a store of its own."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.pdf").write_bytes(CONTENT)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    return "a.pdf"


@pytest.fixture
def reader(referee, pdf, tmp_path, monkeypatch):
    """The server on this machine, asked by Responses; it finds nothing."""
    folder = tmp_path / "config" / "pf-verify"
    folder.mkdir(parents=True)
    place = os.environ["PF_BASE_URL"]
    (folder / "config.toml").write_text(f'base_url = "{place}"\nendpoint = "responses"\n')
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    referee.say = lambda stage, text: CALM[stage]
    return referee


def says(reader, said):
    """From now on each stage says this; the one objection is the theorem's."""

    def say(stage, text):
        if stage == "verify" and "Hence" not in text.split("To be checked")[1]:
            return ACCEPT
        return said[stage]

    reader.say = say


def test_a_quiet_paper_is_read_k_times(run, pdf, reader):
    status, out, err = run("check", pdf, "--model", "m")
    assert status == 0
    stages = [stage for stage, _ in reader.asked]
    assert stages.count("translate-paper") == stages.count("calibrate-paper") == 3
    assert stages.count("verify") == stages.count("faithfulness-paper") == 9
    assert set(reader.files) == {
        "data:application/pdf;base64," + base64.b64encode(CONTENT).decode()
    }
    assert "No objection was found in " in out
    assert "m: 24 calls, $0.00" in out
    assert "3 readings of 3." in out
    assert "not a proof" in out
    assert "a.pdf (1 kB) goes to m at 127.0.0.1, to be read 3 times: up to" in err
    assert "reading 1" in err


def test_an_objection_of_all_readings_blocks_and_is_shown_where_the_paper_has_it(run, pdf, reader):
    says(reader, GRAVE)
    status, out, _ = run("check", pdf, "--model", "m")
    assert status == 1
    assert "error  Theorem 1.1  [gap " in out
    assert "3 of 3 readings" in out
    assert "1 finding, 1 blocking." in out


def test_json_is_the_contract_with_a_location_and_without_lines(run, pdf, reader):
    says(reader, GRAVE)
    status, out, _ = run("check", pdf, "--model", "m", "--format", "json")
    found = json.loads(out)
    (finding,) = found["findings"]
    assert status == 1
    assert (finding["file"], finding["location"]) == ("a.pdf", "Theorem 1.1")
    assert (finding["votes"], finding["rollouts"], finding["rule"]) == (3, 3, "gap")
    assert {finding[key] for key in ("start_line", "end_line", "start_column", "end_column")} == {
        None
    }
    assert found["unreached"] == []
    assert found["statuses"] == {}
    assert found["usage"]["calls"] == 24
    assert (found["schema"], found["model"], len(found["contract"])) == (1, "m", 64)


def test_json_has_every_key_that_reading_latex_gives(run, pdf, reader, repository, document):
    says(reader, GRAVE)
    _, out, _ = run("check", pdf, "--model", "m", "--format", "json")
    whole = json.loads(out)
    _, schema, _ = run("schema", "check")
    jsonschema.Draft202012Validator(json.loads(schema)).validate(whole)
    repository({"main.tex": document("\\begin{lemma}\\ref{no} A.\\end{lemma}")})
    _, out, _ = run("check", "../paper", "--offline", "--format", "json")
    latex = json.loads(out)
    assert set(latex) <= set(whole)
    assert set(latex["findings"][0]) <= set(whole["findings"][0])


def test_what_was_read_is_not_asked_again_whatever_the_file_is_called(run, pdf, reader):
    run("check", pdf, "--model", "m")
    count = len(reader.asked)
    Path("b.PDF").write_bytes(CONTENT)
    status, out, err = run("check", "b.PDF", "--model", "m")
    assert (status, len(reader.asked), err) == (0, count, "")
    assert "m was not used" in out
    assert "3 readings of 3." in out


def test_another_content_is_another_paper(run, pdf, reader):
    run("check", pdf, "--model", "m", "--rollouts", "1")
    count = len(reader.asked)
    Path("b.pdf").write_bytes(CONTENT + b" changed")
    run("check", "b.pdf", "--model", "m", "--rollouts", "1")
    assert len(reader.asked) > count


def test_more_rollouts_ask_only_for_those_that_are_missing(run, pdf, reader):
    run("check", pdf, "--model", "m", "--rollouts", "2")
    count = len(reader.asked)
    _, out, err = run("check", pdf, "--model", "m", "--rollouts", "3")
    assert len(reader.asked) == count * 3 // 2
    assert "to be read once" in err
    assert "3 readings of 3." in out


@pytest.mark.parametrize(
    ("stage", "said", "reason"),
    [
        ("translate-paper", "I cannot.", "the translation is still malformed"),
        ("verify", "no verdict", "the reply has no JSON block"),
        ("calibrate-paper", "no verdict", "the reply has no JSON block"),
        ("translate-paper", 400, "the server refuses the request (400): told to fail"),
        ("verify", 401, "the server refuses the key (401): told to fail"),
    ],
)
def test_a_failure_is_not_a_pass(run, pdf, reader, stage, said, reason):
    reader.say = lambda asked, text: said if asked == stage else CALM[asked]
    status, out, _ = run("check", pdf, "--model", "m")
    assert status == 3
    assert "not read: " in out
    assert reason in out


def test_a_blocking_finding_outweighs_a_reading_that_failed(run, pdf, reader):
    says(reader, GRAVE)
    run("check", pdf, "--model", "m", "--rollouts", "2")
    reader.say = lambda stage, text: 400
    status, out, _ = run("check", pdf, "--model", "m", "--rollouts", "3")
    assert status == 1
    assert "2 of 2 readings" in out
    assert "not read: a.pdf (reading 3:" in out


def test_the_nearest_settings_are_honoured(run, pdf, reader):
    Path("pf.toml").write_text(
        "[reading]\nrollouts = 2\nmin_votes = 2\nattempts = 0\nstrictness = 'lenient'\n"
    )
    says(reader, GRAVE)
    status, out, _ = run("check", pdf, "--model", "m")
    assert status == 1
    assert "2 of 2 readings" in out
    assert "faithfulness-paper" not in {stage for stage, _ in reader.asked}


def test_one_vote_is_shown_and_does_not_block(run, pdf, reader):
    votes = iter([GRAVE["calibrate-paper"]])

    def say(stage, text):
        if stage == "calibrate-paper" and "zero" in text.lower():
            return next(votes, ALARM)
        is_main = stage == "verify" and "Hence" in text.split("To be checked")[1]
        return flag("Hence", "zero") if is_main else CALM[stage]

    reader.say = say
    status, out, _ = run("check", pdf, "--model", "m")
    assert status == 0
    assert "1 of 3 readings" in out
    assert "1 finding, 0 blocking." in out


def test_a_budget_that_is_spent_names_what_was_not_reached(run, pdf, reader):
    status, out, _ = run("check", pdf, "--model", "m", "--budget", "1k tokens")
    assert status == 3
    reason = "the budget is too small for one call: 1,000 tokens for this run"
    assert f"not read: a.pdf (reading 1: {reason})" in out
    assert reader.asked == []


def test_without_a_model_a_pdf_is_not_read(run, pdf, reader):
    for argv in ((), ("--model", "m", "--offline")):
        status, out, err = run("check", pdf, *argv)
        assert (status, out, reader.asked) == (2, "", [])
        assert "only a model can read a PDF: add --model" in err


def test_a_server_that_takes_no_pdf_is_named_before_anything_is_asked(run, pdf, referee):
    status, _, err = run("check", pdf, "--model", "m")
    assert (status, referee.asked) == (2, [])
    assert "127.0.0.1 is used through chat completions, which accept no PDF" in err


def test_no_key_is_missed_before_anything_is_asked(run, pdf, monkeypatch):
    monkeypatch.delenv("PF_BASE_URL", raising=False)
    status, _, err = run("check", pdf, "--model", "gpt-5.4-mini")
    assert status == 2
    assert "OPENAI_API_KEY is not set" in err


def test_the_price_is_said_before_anything_is_asked(run, pdf, monkeypatch):
    monkeypatch.delenv("PF_BASE_URL", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    Path("pf.toml").write_text("[reading]\nbudget = 1\nask_above = 0.5\n")
    status, _, err = run("check", pdf, "--model", "gpt-5.4-mini")
    assert status == 3
    assert "likely $1.78; up to" in err
    assert "The run stops at $1.00." in err
    assert "estimated cost exceeds the $1.00 limit" in err
    _, out, _ = run("check", pdf, "--model", "gpt-5.4-mini", "--format", "json")
    assert json.loads(out)["calls"] > 1000


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--update-lock",), "do not work with a PDF"),
        (("--locked",), "do not work with a PDF"),
        (("--base", "HEAD"), "a PDF has no revisions"),
        (("--staged",), "a PDF has no revisions"),
        (("--format", "sarif"), "a PDF has no line numbers"),
    ],
)
def test_what_makes_no_sense_about_a_pdf_is_wrong_usage(run, pdf, reader, argv, words):
    status, _, err = run("check", pdf, "--model", "m", *argv)
    assert (status, reader.asked) == (2, [])
    assert words in err


def test_what_is_no_pdf_is_wrong_usage(run, pdf, reader):
    for name, content in {"b.pdf": b"", "c.pdf": b"text"}.items():
        Path(name).write_bytes(content)
    for name in ("b.pdf", "c.pdf", "none.pdf"):
        status, _, err = run("check", name, "--model", "m")
        assert (status, reader.asked) == (2, [])
        assert name in err


def test_other_prompts_may_be_tried(run, pdf, reader, tmp_path):
    import prompts

    for stage, version in prompts.WHOLE.items():
        folder = tmp_path / "prompts" / stage
        folder.mkdir(parents=True)
        (folder / f"{version}.md").write_text(prompts.prompt(stage, version) + "\nBe kind.\n")
    run("check", pdf, "--model", "m")
    count = len(reader.asked)
    run("check", pdf, "--model", "m", "--prompts", str(tmp_path / "prompts"))
    assert len(reader.asked) == 2 * count
