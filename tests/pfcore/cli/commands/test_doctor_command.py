"""`pf doctor`: is the set-up sound, does the model answer, does it see a planted error."""

import io
import json
import os
import re
import sqlite3
import time
from contextlib import closing
from dataclasses import replace

import pytest

import prompts
from pfcore.cli import local_data
from pfcore.cli.commands.doctor_command import FIRST, LAST, PLANTED, Examination, capped
from pfcore.cli.progress import WaitingLine
from pfcore.domain.paper_settings import PaperSettings
from pfcore.llm.connection import Connection
from pfcore.llm.model_settings import ModelChoice
from pfcore.llm.protocol import Finish, Reply, TokenUsage
from pfcore.reporters.printing import Style
from pfcore.review.verification_setup import contract_of
from pfcore.verification.prompt import ActionFactory
from tests.pfcore.cli.conftest import ACCEPT, FALSE_ALARM, Sent, chat, flag, genuine

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.sampled(2),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]

QUOTE = "Both factors are therefore positive"


def careful(stage, text):
    """A reader who sees what is wrong, and nothing else."""
    if PLANTED.proof not in text:
        return ACCEPT
    return flag(QUOTE) if stage == "verify" else genuine(QUOTE)


def lines(out):
    """The words of the probes by their names."""
    return {found[2]: found[1] for found in re.finditer(r"^  (\w+) +(\w[\w ]*?)  ", out, re.M)}


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch, tmp_path):
    monkeypatch.setenv("PF_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_without_a_model_the_set_up_is_looked_at_and_nobody_is_asked(run, referee, tmp_path):
    status, out, _ = run("doctor")
    assert status == 0
    assert referee.asked == []
    assert set(lines(out).values()) == {"ok"}
    assert re.search(r"git +\d+\.\d+", out)
    assert f"{tmp_path}/cache/readings.sqlite" in out
    assert f"{tmp_path}/data/replies.sqlite" in out
    assert f"no file {tmp_path}/config/pf-verify/config.toml (optional)" in out
    assert "no model is set: proofs are not read" in out


@pytest.mark.parametrize("value", ["many", "0", "-1"])
def test_a_variable_that_every_check_refuses_is_a_fault(run, monkeypatch, value):
    monkeypatch.setenv("PF_JOBS", value)
    status, out, _ = run("doctor")
    assert status == 2
    assert f"invalid PF_JOBS '{value}': expected a positive integer" in out
    monkeypatch.setenv("PF_JOBS", "2")
    assert "PF_JOBS" not in run("doctor")[1]


def test_a_good_model_passes_and_nothing_is_kept(run, referee, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    referee.say, referee.served = careful, "m"
    status, out, _ = run("doctor", "--model", "m")
    assert status == 0
    assert [stage for stage, _ in referee.asked] == ["verify", "verify", "calibrate"]
    assert re.search(r"ok +model +m, from --model", out)
    assert re.search(r"ok +server +127.0.0.1, through chat completions", out)
    assert re.search(r"ok +price +free \(local model\)", out)
    assert "up to 12 calls" in out
    assert "accepts a correct proof" in out
    assert "found the planted error" in out
    assert re.search(r"ok +speed +about [\d,]+ tokens per second", out)
    assert "All tests passed" in out
    with closing(sqlite3.connect(tmp_path / "data" / "replies.sqlite")) as store:
        assert store.execute("SELECT COUNT(*) FROM replies").fetchone() == (0,)
    assert not list(tmp_path.rglob("pf.lock"))


def test_the_price_is_said_before_anything_is_asked(run, referee):
    referee.say = lambda stage, text: 500
    _, out, _ = run("doctor", "--model", "m")
    assert out.index("up to 12 calls") < out.index("told to fail")


def test_a_model_that_accepts_everything_is_a_fault(run, referee):
    status, out, _ = run("doctor", "--model", "m")
    assert status == 1
    assert lines(out)["planted error"] == "wrong"
    assert "missed a planted error" in out


def test_a_model_that_takes_its_objection_back_is_a_fault(run, referee):
    referee.say = lambda stage, text: FALSE_ALARM if stage == "calibrate" else careful(stage, text)
    status, out, _ = run("doctor", "--model", "m")
    assert status == 1
    assert "dismissed it as a false alarm" in out


def test_a_model_that_objects_to_what_is_correct_is_a_warning(run, referee):
    referee.say = lambda stage, text: flag("x") if stage == "verify" else genuine("x")
    status, out, _ = run("doctor", "--model", "m")
    assert status == 0
    assert lines(out)["correct proof"] == "warning"


def test_a_model_that_calls_itself_something_else_is_a_warning(run, referee):
    referee.say = careful
    status, out, _ = run("doctor", "--model", "m")
    assert status == 0
    assert lines(out)["served model"] == "warning"
    assert "served" in out
    referee.served = "m-2026-01-31"
    assert lines(run("doctor", "--model", "m")[1])["served model"] == "ok"


@pytest.mark.parametrize(
    ("said", "name", "words"),
    [
        ("What a nice proof.", "format", "the reply has no JSON block"),
        ("", "answer", "the reply is empty"),
        (401, "answer", "the server refuses the key"),
        (404, "answer", "does it end in /v1"),
    ],
)
def test_what_gives_no_verdict_could_not_be_examined(run, referee, said, name, words):
    referee.say = lambda stage, text: said
    status, out, _ = run("doctor", "--model", "m")
    assert status == 3
    assert lines(out)[name] == "wrong"
    assert words in out
    assert lines(out)["planted error"] == "unknown"


def test_a_calibration_without_a_format_is_a_failure(run, referee):
    referee.say = lambda stage, text: careful(stage, text) if stage == "verify" else "Indeed."
    status, out, _ = run("doctor", "--model", "m")
    assert status == 3
    assert lines(out)["format"] == "wrong"


def test_a_key_is_named_and_never_shown(run, referee, monkeypatch):
    monkeypatch.setenv("PF_KEY_ENV", "MY_KEY")
    monkeypatch.setenv("MY_KEY", "zq7xj9vk")
    referee.say = careful
    status, out, err = run("doctor", "--model", "m")
    assert status == 0
    assert re.search(r"ok +key +MY_KEY is set", out)
    assert not re.search("zq7|7xj|j9v|9vk", out + err)


def test_a_missing_key_is_said_before_anything_is_asked(run, referee, monkeypatch):
    monkeypatch.setenv("PF_KEY_ENV", "MY_KEY")
    status, out, _ = run("doctor", "--model", "m")
    assert status == 2
    assert referee.asked == []
    assert "MY_KEY is not set" in out


def test_a_price_that_nobody_has_told_is_unknown(run, monkeypatch):
    monkeypatch.setenv("PF_BASE_URL", "https://models.example/v1")
    monkeypatch.setenv("PF_KEY_ENV", "MY_KEY")
    _, out, _ = run("doctor", "--model", "m")
    assert lines(out)["price"] == "unknown"
    assert '[prices."m"]' in out


def test_the_file_that_names_the_model_is_said(run, referee, configure):
    path = configure('model = "m"\nwindow = 8000\n[prices.m]\ninput = 1\noutput = 2\n')
    referee.say = careful
    status, out, _ = run("doctor")
    assert status == 0
    assert f"{path} is read" in out
    assert f"m, from {path}" in out
    assert "$1 for input, $2 for output" in out


@pytest.mark.parametrize("text", ["model = 3\n", "no toml", "nonsense = 1\n"])
def test_a_faulty_configuration_is_wrong(run, configure, referee, text):
    configure(text)
    status, out, _ = run("doctor")
    assert status == 2
    assert lines(out)["configuration"] == "wrong"
    assert referee.asked == []


def test_an_address_that_must_not_be_used_is_wrong(run, monkeypatch):
    monkeypatch.setenv("PF_BASE_URL", "http://user:hunter2@models.example/v1")
    status, out, _ = run("doctor", "--model", "m")
    assert status == 2
    assert lines(out)["model"] == "wrong"
    assert "hunter2" not in out


@pytest.mark.parametrize(
    ("variable", "name"), [("PF_CACHE_DIR", "parse cache"), ("PF_DATA_DIR", "store")]
)
def test_a_folder_that_cannot_be_written_is_wrong(run, monkeypatch, tmp_path, variable, name):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv(variable, str(tmp_path / "file" / "below"))
    status, out, _ = run("doctor")
    assert status == 2
    assert lines(out)[name] == "wrong"
    assert variable in out


def test_a_cache_that_is_no_database_is_named_with_its_remedy(run, tmp_path):
    place = tmp_path / "cache" / "readings.sqlite"
    place.parent.mkdir()
    place.write_text("garbage")
    status, out, _ = run("doctor")
    assert (status, lines(out)["parse cache"]) == (2, "wrong")
    assert f"{place} is corrupt, or not a database of pf-verify" in " ".join(out.split())
    assert "until you delete it, every run parses the paper again" in " ".join(out.split())


@pytest.mark.parametrize(
    "url",
    [
        "nonsense://user:hunter2@host:5432/db",
        "nonsense://user:hunter2/x@host/db",
        "nonsense://host/db?password=hunter2",
        "nonsense://user:hunter2#@host/db",
    ],
)
def test_a_store_is_named_without_its_password(run, monkeypatch, url):
    monkeypatch.setenv("PF_STORE", url)
    status, out, _ = run("doctor")
    assert status == 2
    assert "nonsense://" in out
    assert "hunter2" not in out


def test_a_long_text_is_sent_only_on_request(run, referee):
    referee.say = careful
    _, out, _ = run("doctor", "--model", "m")
    assert lines(out)["window"] == "unknown"
    assert "pf doctor --window" in out


@pytest.mark.parametrize(
    ("said", "word", "words"),
    [
        (f"{FIRST} and {LAST}", "ok", "arrives whole"),
        (f"Only {LAST}.", "wrong", "cut off the beginning"),
        (f"Only {FIRST}.", "wrong", "cut off the end"),
        ("No idea.", "unknown", "saw neither the beginning"),
        (413, "warning", "too long for this model"),
    ],
)
def test_a_long_text_shows_whether_the_server_cuts_silently(run, referee, said, word, words):
    referee.say = lambda stage, text: careful(stage, text) if stage else said
    status, out, _ = run("doctor", "--model", "m", "--window")
    assert lines(out)["window"] == word
    assert words in out
    assert status == (2 if word == "wrong" else 0)
    (text,) = (text for stage, text in referee.asked if not stage)
    assert len(text) > 60_000
    assert FIRST in text[:100]
    assert LAST in text[-100:]


def test_a_window_that_is_configured_is_what_is_tried(run, referee, configure):
    configure(f"base_url = '{os.environ['PF_BASE_URL']}'\nwindow = 8000\n")
    referee.say = lambda stage, text: careful(stage, text) if stage else f"{FIRST} {LAST}"
    status, out, _ = run("doctor", "--model", "m", "--window")
    assert status == 0
    assert "(8,000 are configured)" in out
    (text,) = (text for stage, text in referee.asked if not stage)
    assert len(text) < 20_000


def test_a_server_that_fails_at_the_long_text_is_no_pass(run, referee):
    referee.say = lambda stage, text: careful(stage, text) if stage else 500
    status, out, _ = run("doctor", "--model", "m", "--window")
    assert status == 3
    assert lines(out)["window"] == "wrong"


def test_a_probe_takes_no_more_tokens_and_seconds_than_it_says(run, referee):
    referee.say = careful
    _, out, _ = run("doctor", "--model", "m")
    assert "up to 8,000 tokens and 180 s per reply: up to 12 calls" in out
    assert referee.limits == [8_000] * 3


def test_a_smaller_limit_of_the_users_own_stays(run, referee, configure):
    configure(f"base_url = '{os.environ['PF_BASE_URL']}'\nlimit = 500\ntimeout = 30\n")
    referee.say = careful
    _, out, _ = run("doctor", "--model", "m")
    assert "up to 500 tokens and 30 s per reply" in out
    assert set(referee.limits) == {500}


def test_a_cap_changes_nothing_but_tokens_and_seconds():
    connection = Connection(base_url="http://127.0.0.1", window=9_000)
    choice = ModelChoice(model="m", named_by="a test", connection=connection, price=None)
    asked = capped(choice)
    assert (asked.limit, asked.connection.timeout) == (8_000, 180.0)
    assert capped(asked) == asked
    assert (asked.model, asked.connection.window) == ("m", 9_000)


def test_a_reply_that_does_not_end_within_the_cap_is_no_pass(run, referee):
    referee.say = lambda stage, text: Sent(body=chat("I think", finish="length"))
    status, out, _ = run("doctor", "--model", "m")
    assert status == 3
    assert "cut off at its limit of 8,000 tokens" in out


def test_elsewhere_than_on_a_terminal_each_call_has_a_line(run, referee):
    referee.say = careful
    _, _, err = run("doctor", "--model", "m")
    assert err.splitlines() == [
        "  waiting for reply 1 (verify)",
        "  waiting for reply 2 (verify)",
        "  waiting for reply 3 (calibrate)",
    ]


async def test_no_call_begins_after_the_time_of_a_probe():
    hours = iter(range(0, 100_000, 700))

    class Slow:
        """Takes 700 s for each reply, and objects."""

        asked = 0

        async def complete(self, request):
            self.asked += 1
            usage = TokenUsage(output=10)
            return Reply(text=flag("odd"), usage=usage, finish=Finish.STOP, model="m")

    choice = ModelChoice(
        model="m", named_by="a test", connection=Connection(base_url="http://h"), price=None
    )
    contract = contract_of(choice, PaperSettings.default(), "")
    client = Slow()
    examination = Examination(
        client=client,
        asking=ActionFactory(contract=contract, prompt=prompts.prompt),
        clock=lambda: float(next(hours)),
        waiting=WaitingLine(style=Style(), clock=lambda: 0.0, stream=io.StringIO()),
    )
    found = {probe.name: probe for probe in await examination.probes()}
    assert client.asked == 1
    assert "stopped after 700 s" in found["answer"].says


def test_a_model_that_misses_the_planted_error_is_not_fit(run, referee):
    referee.served = "m"
    status, out, _ = run("doctor", "--model", "m")
    assert (status, lines(out)["planted error"]) == (1, "wrong")
    end = "1 fault. m is not fit to check proofs: it missed a planted error."
    assert out.splitlines()[-1] == end


def test_what_a_doctor_found_is_told_wherever_a_proof_counts_as_accepted(
    run, paper, edit, referee, tmp_path, monkeypatch
):
    text = "not tested: pf doctor --model m"
    out = run("check", "--model", "m", "--all")[1]
    assert f"No problem was found in 2 proofs read by m ({text})." in out
    today = time.strftime("%Y-%m-%d", time.gmtime())
    explained = run("explain", "a", "--model", "m")[1]
    assert f"status: checked, accepted by m ({text})\n" in explained
    assert f"readings: 3 of 3 without an objection, the last on {today}" in explained
    assert f"status: checked, accepted by m ({text})" in run("plan", "--why", "a", "--model=m")[1]
    run("doctor", "--model", "m")
    text = "missed a planted error in pf doctor"
    assert f"read by m ({text})." in run("check", "--model", "m", "--all")[1]
    assert f"checked, accepted by m ({text})" in run("explain", "a", "--model", "m")[1]
    edit(r"By \ref{a}.", r"By \ref{a} and \ref{gone}.")
    assert f"Accepted by m ({text})." in run("check", "--model", "m", "--all")[1]
    edit(r" and \ref{gone}.", ".")
    found = json.loads(run("check", "--model", "m", "--all", "--format", "json")[1])
    assert found["reader"] == f"m ({text})"
    run("report", "--model", "m", "--out", str(tmp_path / "r.html"))
    page = (tmp_path / "r.html").read_text("utf-8")
    assert page.count(f"accepted by m ({text})") >= 2
    referee.say = careful
    run("doctor", "--model", "m")
    assert "in 2 proofs read by m." in run("check", "--model", "m", "--all")[1]
    base, port = os.environ["PF_BASE_URL"].rsplit(":", 1)
    monkeypatch.setenv("PF_BASE_URL", base.replace("127.0.0.1", "localhost") + f":{port}")
    assert "read by m (not tested" in run("check", "--model", "m", "--all")[1]


def test_a_hosted_model_with_a_known_price_needs_no_test(run, paper, monkeypatch, tmp_path):
    run("check", "--model", "m", "--all")
    choice = ModelChoice(model="gpt-5.4-mini", named_by="", connection=Connection(), price=None)
    with local_data.open_replies() as store:
        assert local_data.reader_note(choice, store) == ""
        store.examine(choice.connection.base_url, choice.model, "missed a planted error")
        assert local_data.reader_note(choice, store) == "missed a planted error in pf doctor"
        local = replace(choice, connection=Connection(base_url="http://localhost/v1"))
        assert "not tested" in local_data.reader_note(local, store)


def test_a_ledger_names_the_reader_of_a_verdict(run, paper, referee):
    run("check", "--model", "m", "--all", "--update-lock")
    out = run("explain", "a")[1]
    assert "status: checked, accepted by m (not tested: pf doctor --model m)" in out
    assert "readings: 3 of 3 without an objection, recorded in pf.lock" in out


def test_a_model_that_the_server_does_not_list_is_a_warning(run, referee):
    referee.say, referee.served = careful, "tiny-8b"
    referee.models = ("tiny-7b", "other")
    status, out, _ = run("doctor", "--model", "tiny-8b")
    assert (status, lines(out)["served model"]) == (0, "warning")
    assert "the server lists tiny-7b and other, not tiny-8b" in out
    assert "did you mean tiny-7b?" in out
    referee.models, referee.served = ("tiny-8b:latest",), "tiny-8b"
    assert lines(run("doctor", "--model", "tiny-8b")[1])["served model"] == "ok"


def test_an_empty_key_is_called_empty_and_a_local_server_may_need_none(run, referee, monkeypatch):
    monkeypatch.setenv("PF_KEY_ENV", "MY_KEY")
    monkeypatch.setenv("MY_KEY", " ")
    status, out, _ = run("doctor", "--model", "m")
    assert status == 2
    assert "PF_KEY_ENV or key_env names MY_KEY, and MY_KEY is empty" in out
    assert "a server of your own may need none" in out
    monkeypatch.delenv("MY_KEY")
    assert "names MY_KEY, and MY_KEY is not set" in run("doctor", "--model", "m")[1]
    monkeypatch.delenv("PF_KEY_ENV")
    monkeypatch.delenv("PF_BASE_URL")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    out = run("doctor", "--model", "m")[1]
    assert "api.openai.com needs a key, and OPENAI_API_KEY is not set" in out
