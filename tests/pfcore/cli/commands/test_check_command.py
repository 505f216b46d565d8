"""`pf check` with a model, from the command line to a server and back."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from hooks import online
from pfcore.cli.exit_status import pf_command
from pfcore.llm.store import open_store
from tests.pfcore.cli.conftest import ACCEPT, FALSE_ALARM, LEMMA, Sent, flag, genuine

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def test_only_what_the_change_affects_is_read(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    status, out, _ = run("check", "--model", "m")
    assert status == 0
    assert [stage for stage, _ in referee.asked] == ["verify"] * 3
    assert all("It is clear" in text for _, text in referee.asked)
    assert "m: 3 calls, $0.00" in out
    assert "1 proof of 2 read" in out
    assert f"1 other proof is not read ({pf_command()} check --all --model=m)" in out
    assert "not a proof" in out


def test_of_what_was_not_to_be_read_markdown_counts_it_once(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    _, out, _ = run("check", "--model", "m", "--format", "markdown")
    assert "\nNot read: 1 result.\n" in out and "not read yet" not in out


def test_what_was_read_is_not_asked_again(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    run("check", "--model", "m")
    count = len(referee.asked)
    status, out, _ = run("check", "--model", "m")
    assert (status, len(referee.asked)) == (0, count)
    assert "m was not used. 1 proof of 2 read before." in out


def test_without_a_change_a_model_is_said_to_read_only_what_changes_affect(run, paper, referee):
    status, out, _ = run("check", "--model", "m")
    assert (status, referee.asked) == (0, [])
    left = f"2 proofs are not read ({pf_command()} check --all --model=m"
    said = f"m was not used: no change affects a proof. {left})."
    assert said in " ".join(out.split())
    assert " of 2 read" not in out
    out = run("check", "--model", "m", "main.tex")[1]
    assert f"{left} main.tex)." in " ".join(out.split())


@pytest.mark.parametrize("is_torn", [False, True])
def test_a_broken_store_is_named_with_its_remedy_which_helps(
    run, paper, referee, tmp_path, edit, is_torn
):
    edit("Clear.", "It is clear.")
    assert run("check", "--model", "m")[0] == 0
    place = tmp_path / "data" / "replies.sqlite"
    whole = place.read_bytes()
    place.write_bytes(whole[:4096] + b"\1" * 4096 if is_torn else b"no database" * 1000)
    for beside in place.parent.glob("replies.sqlite-*"):
        beside.unlink()
    status, out, err = run("check", "--model", "m")
    assert (status, out) == (3, "")
    assert err.startswith(f"pf: the store {place} ")
    assert err.endswith(". Delete it to start again; its replies are lost\n")
    assert err.count("\n") == 1
    place.unlink()
    assert run("check", "--model", "m")[0] == 0


def test_a_clean_tree_reads_nothing_and_all_reads_all(run, paper, referee):
    assert run("check", "--model", "m")[0] == 0
    assert referee.asked == []
    status, out, _ = run("check", "--model", "m", "--all", "--yes")
    assert status == 0
    assert len(referee.asked) == 6
    assert "2 proofs of 2 read" in out


def test_an_objection_blocks_and_is_shown_where_it_is(run, paper, edit, referee):
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    status, out, _ = run("check", "--model", "m")
    assert status == 1
    assert re.search(r"main.tex:\d+:15  Lemma 1  \[gap \w{8}\]  3 of 3 readings", out)
    assert "3 of 3 readings" in out
    assert re.search(r"\| \\begin\{proof\} Dividing by \$x\$ it is.*\n {7}\| {15}\^~{14}\n", out)
    assert "b depends on it." in out
    assert "1 finding, 1 blocking" in out


def test_a_statement_that_an_objection_names_is_called_as_the_authors_do(run, paper, edit, referee):
    edit(r"By \ref{a}.", r"By \ref{a} and symmetry.")
    referee.objects_to("and symmetry", "Result 1 does not say so.")
    _, out, _ = run("check", "--model", "m")
    assert "Lemma 1 does not say so." in out


def test_a_quote_shows_references_as_the_paper_prints_them(run, paper, edit, referee):
    edit(r"By \ref{a}.", r"By \ref{a} and \ref{nothing} it follows.")
    referee.objects_to("By Result 1 and [unresolved]")
    _, out, _ = run("check", "--model", "m")
    assert "> By Lemma 1 and ??\n" in out


@pytest.mark.parametrize(("quote", "introduced"), [("By Result 1", True), ("B.", None)])
def test_an_objection_to_words_that_use_a_changed_statement_is_new(
    run, paper, edit, referee, quote, introduced
):
    edit("Every A is", "Some A is")
    referee.objects_to(quote)
    status, out, _ = run("check", "--model", "m", "--format", "json")
    (finding,) = [item for item in json.loads(out)["findings"] if item["module"] == "b"]
    assert (finding["introduced"], status) == (introduced, 1 if introduced else 0)


@pytest.mark.parametrize(
    ("quote", "likeness"),
    [
        ("We divide by $x$; dividing through $x$ it is clear", 0.9),
        ("dividing by x it is *clear*", 1),
    ],
)
def test_how_like_the_text_a_quote_is_can_be_seen(run, paper, edit, referee, quote, likeness):
    edit("Clear.", "We divide by $x$; dividing by $x$ it is clear.")
    referee.say = lambda stage, text: flag("by $x$") if stage == "verify" else genuine(quote)
    _, out, _ = run("check", "--model", "m", "--format", "json")
    (finding,) = json.loads(out)["findings"]
    assert finding["likeness"] == pytest.approx(likeness, abs=0.09 if likeness < 1 else 0)
    _, out, _ = run("check", "--model", "m")
    quotes = [line for line in out.splitlines() if line.startswith("      >")]
    assert [line for line in quotes if line.endswith("% match with the text)")] == quotes
    assert bool(quotes) is (likeness < 1)
    assert ("| " in out) is (likeness == 1)


def test_a_false_alarm_is_none(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    referee.say = lambda stage, text: flag("It is clear") if stage == "verify" else FALSE_ALARM
    status, out, _ = run("check", "--model", "m")
    assert status == 0
    said = "in 1 proof read by m (not tested: pf doctor --model m); 1 proof not read."
    assert f"No problem was found {said}" in out


def test_json_has_findings_statuses_and_usage(run, paper, edit, referee):
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    status, out, _ = run("check", "--model", "m", "--format", "json")
    found = json.loads(out)
    (finding,) = found["findings"]
    assert status == 1
    assert (finding["rule"], finding["votes"], finding["rollouts"]) == ("gap", 3, 3)
    assert finding["introduced"] is True
    assert found["statuses"] == {"a": "flagged", "b": "unreached"}
    assert found["unreached"] == [{"module": "b", "reason": "not read yet"}]
    assert found["usage"]["calls"] == 6
    assert found["model"] == "m"
    assert len(found["contract"]) == 64


@pytest.mark.parametrize(
    ("said", "reason"),
    [("no verdict", "the reply has no JSON block"), ("", "the reply is empty"), (401, "")],
)
def test_a_failure_is_not_a_pass(run, paper, edit, referee, said, reason):
    edit("Clear.", "It is clear.")
    referee.say = lambda stage, text: said
    status, out, _ = run("check", "--model", "m")
    assert status == 3
    assert f"not read: a ({reason}" in out


def test_a_key_in_the_environment_alone_enables_nothing(run, paper, edit, referee, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    edit("Clear.", "It is clear.")
    _, out, _ = run("check")
    assert referee.asked == []
    assert "no proof was read" in out


def test_no_key_is_missed_before_anything_is_asked(run, paper, edit, monkeypatch):
    monkeypatch.delenv("PF_BASE_URL", raising=False)
    edit("Clear.", "It is clear.")
    status, _, err = run("check", "--model", "gpt-5.4-mini")
    assert status == 2
    assert "OPENAI_API_KEY is not set" in err


def test_more_rollouts_ask_only_for_those_that_are_missing(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    run("check", "--model", "m", "--rollouts", "2")
    assert len(referee.asked) == 2
    run("check", "--model", "m", "--rollouts", "4")
    assert len(referee.asked) == 4


def test_other_prompts_are_another_contract(run, paper, edit, referee, tmp_path):
    import prompts

    for stage, version in prompts.CURRENT.items():
        folder = tmp_path / "prompts" / stage
        folder.mkdir(parents=True)
        (folder / f"{version}.md").write_text(prompts.prompt(stage, version) + "\nBe kind.\n")
    edit("Clear.", "It is clear.")
    run("check", "--model", "m", "--format", "json")
    _, out, _ = run("check", "--model", "m", "--prompts", str(tmp_path / "prompts"))
    assert len(referee.asked) == 6
    assert "m: 3 calls" in out


def test_a_budget_that_is_spent_names_what_was_not_reached(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    status, out, _ = run("check", "--model", "m", "--budget", "1k tokens")
    assert status == 3
    assert "not read: a (the budget is too small for one call: 1,000 tokens for this run)" in out
    assert referee.asked == []


@pytest.mark.parametrize("text", ["", "much", "2 eggs", "-1", "$5k"])
def test_a_budget_that_is_none_is_wrong_usage(run, paper, text):
    with pytest.raises(SystemExit) as caught:
        run("check", "--model", "m", "--budget", text)
    assert caught.value.code == 2


def test_a_file_of_the_repository_cannot_name_the_model(run, paper, edit, referee):
    (paper / "pf.toml").write_text('[reading]\nmodel = "evil"\n')
    status, _, err = run("check")
    assert status == 2
    assert "cannot be set in a repository" in err


def test_accepted_replies_of_one_module_leave_others_unread(run, paper, edit, referee):
    edit("Every A is positive", "Every A is negative")
    referee.say = lambda stage, text: ACCEPT if "Result 1" not in text else "nonsense"
    status, out, _ = run("check", "--model", "m")
    assert status == 3
    assert "1 proof of 2 read" in out
    assert "not read: b" in out


def test_a_free_model_costs_time_and_a_plan_says_how_much(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    status, out, _ = run("plan", "--model", "m")
    assert status == 0
    assert "1 proof with its context goes to m at 127.0.0.1, 3 times each: up to 18 calls" in out
    assert "free (local model), about" in out
    assert referee.asked == []
    found = json.loads(run("plan", "--model", "m", "--format", "json")[1])
    assert found["calls"] == 18
    assert found["cost_usd"] == 0
    assert found["affected"][0]["unread"] is True
    run("check", "--model", "m")
    found = json.loads(run("plan", "--model", "m", "--format", "json")[1])
    assert (found["calls"], found["affected"][0]["unread"], found["backlog"]) == (0, False, 1)


def test_a_price_that_nobody_knows_needs_another_budget(run, paper, edit, monkeypatch):
    edit("Clear.", "It is clear.")
    monkeypatch.setenv("PF_BASE_URL", "https://models.example/v1")
    monkeypatch.setenv("PF_KEY_ENV", "A_KEY")
    monkeypatch.setenv("A_KEY", "k")
    status, _, err = run("check", "--model", "m")
    assert status == 2
    assert "no price is known for m" in err
    assert "price unknown" in run("plan", "--model", "m")[1]


PRICED = """model = "m"
base_url = "{url}"
[prices.m]
input = 10
output = {output}
"""


@pytest.fixture
def price(referee, tmp_path, monkeypatch):
    """Give the model on this machine a price."""

    def tell(output: int) -> None:
        folder = tmp_path / "config" / "pf-verify"
        folder.mkdir(parents=True)
        text = PRICED.format(url=os.environ["PF_BASE_URL"], output=output)
        (folder / "config.toml").write_text(text)
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))

    return tell


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_run_above_the_budget_that_cannot_ask_prints_the_plan(
    run, paper, edit, referee, price, form
):
    price(1000)
    edit("Clear.", "It is clear.")
    status, out, err = run("check", "--format", form)
    assert status == 3
    assert "estimated cost exceeds the $2.00 limit" in err
    assert ("proof changed" in out) and referee.asked == []
    if form == "json":
        assert json.loads(out)["calls"] == 18


def test_with_yes_it_reads_what_the_budget_allows(run, paper, edit, referee, price):
    price(10)
    edit("Clear.", "It is clear.")
    status, out, _ = run("check", "--yes", "--budget", "0.6")
    assert status == 0
    assert "m: 3 calls, $0.00" in out


def test_what_the_budget_does_not_allow_is_not_asked(run, paper, edit, referee, price):
    price(1000)
    edit("Clear.", "It is clear.")
    status, out, _ = run("check", "--yes")
    assert status == 3
    assert "the budget is too small for one call: $2.00 for this run" in out
    assert referee.asked == []


def test_without_a_history_all_is_read(run, paper, referee, tmp_path, monkeypatch):
    (tmp_path / "alone").mkdir()
    (paper / "main.tex").rename(tmp_path / "alone" / "main.tex")
    monkeypatch.chdir(tmp_path / "alone")
    assert "2 proofs with their contexts" in run("plan", "--model", "m")[1]
    status, out, _ = run("check", "--model", "m")
    assert status == 0
    assert "2 proofs of 2 read" in out


def test_a_reading_that_fails_leaves_a_flagged_proof_to_be_read(run, paper, edit, referee):
    edit("Clear.", "Dividing by $x$ it is clear.")
    said = [flag("Dividing by $x$"), "nonsense", "nonsense", "nonsense", "nonsense"]
    referee.say = lambda stage, text: (
        genuine("Dividing by $x$") if stage == "calibrate" else said.pop(0)
    )
    status, out, _ = run("check", "--model", "m", "--format", "json")
    found = json.loads(out)
    assert status == 3
    assert [(item["votes"], item["rollouts"]) for item in found["findings"]] == [(1, 1)]
    assert found["statuses"]["a"] == "flagged"
    assert "a" in [item["module"] for item in found["unreached"]]
    assert json.loads(run("plan", "--model", "m", "--format", "json")[1])["calls"] > 0


def test_more_rollouts_ask_for_what_is_missing_of_a_flagged_proof(run, paper, edit, referee):
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    assert run("check", "--model", "m", "--rollouts", "1")[0] == 1
    count = len(referee.asked)
    status, out, _ = run("check", "--model", "m", "--rollouts", "3")
    assert status == 1
    assert "3 of 3 readings" in out
    assert len(referee.asked) == count + 4


def test_a_budget_is_of_the_run_whatever_papers_it_has(run, paper, referee, price, document):
    price(10)
    for name in ("one", "two"):
        text = (paper / "main.tex").read_text(encoding="utf-8")
        (paper / f"{name}.tex").write_text(text, encoding="utf-8")
    (paper / "pf.toml").write_text(
        '[[paper]]\nname = "one"\nroot = "one.tex"\n[[paper]]\nname = "two"\nroot = "two.tex"\n'
        '[[paper]]\nname = "main"\nroot = "main.tex"\n'
    )
    referee.say = lambda stage, text: ACCEPT
    # Equal contexts are asked about once: change one word in each.
    for name in ("one", "two"):
        path = paper / f"{name}.tex"
        path.write_text(path.read_text().replace("Every A", f"Every {name}"), encoding="utf-8")
    _, out, _ = run("check", "--model", "m", "--all", "--yes", "--budget", "0.009")
    assert out.count("the budget is too small for one call: $0.01 for this run") > 0


def test_a_budget_that_is_named_is_what_a_likely_price_is_held_against(
    run, paper, edit, referee, price
):
    price(100)
    edit("Clear.", "It is clear.")
    status, _, err = run("check", "--budget", "0.01")
    assert status == 3
    assert "estimated cost exceeds the $0.01 limit" in err


def test_the_day_counts_what_all_runs_cost(run, paper, edit, referee, price, tmp_path):
    price(10)
    edit("Clear.", "It is clear.")
    store = open_store(str(tmp_path / "data" / "replies.sqlite"), time.time)
    store.charge("another-model", 4.9)
    status, out, _ = run("check", "--yes", "--budget", "3")
    assert status == 3
    assert "the budget is spent: $5.00 for this day" in out
    assert referee.asked == []
    (paper / "pf.toml").write_text("[reading]\nbudget_per_day = 9\n")
    assert run("check", "--yes", "--budget", "3")[0] == 0
    assert store.spent(0) == pytest.approx(4.9 + 3 * (100 * 10 + 10 * 10) / 1e6)
    store.close()


def test_fewer_rollouts_than_votes_ask_for_fewer_votes(run, paper, edit, referee):
    (paper / "pf.toml").write_text(
        "[reading]\nrollouts = 4\nmin_votes = 3\nblocking_votes = 3\n", encoding="utf-8"
    )
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    status, out, _ = run("check", "--model", "m", "--rollouts", "2")
    assert status == 1
    assert "2 of 2 readings" in out


@pytest.fixture
def stopped(monkeypatch):
    """The address of a server that nobody has started."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{one.getsockname()[1]}"
    monkeypatch.setenv("PF_BASE_URL", f"http://{place}/v1")
    return place


def test_a_server_that_is_not_running_is_said_at_once(run, paper, stopped):
    status, out, err = run("check", "--model", "m", "--all")
    assert status == 3
    assert f"no server answers at {stopped}; is it running?" in out + err
    assert "retried" not in err
    assert "pf check --all)" not in out


def test_the_doctor_finds_that_it_is_not_running(run, paper, stopped):
    status, out, _ = run("doctor", "--model", "m")
    assert status == 3
    assert f"no server answers at {stopped}; is it running?" in out
    assert "Asking" not in out


def test_a_plan_without_a_change_says_what_the_backlog_would_cost(run, paper, referee):
    _, out, _ = run("plan", "--model", "m")
    assert "No change affects an unread proof. With --all: 2 proofs with their" in out
    assert "has read" not in out and "never" not in out
    assert "  2 proofs are not read.\n" in out
    run("check", "--model", "m", "--all")
    assert "Nothing is left to read with m." in run("plan", "--model", "m")[1]
    assert "Nothing is left to read with m." in run("plan", "--model", "m", "--all")[1]


@pytest.mark.parametrize(
    ("more", "is_asked"),
    [((), False), (("--yes",), True), (("--budget", "50"), True), (("--budget", "1h"), True)],
)
def test_where_nobody_can_be_asked_only_what_was_typed_is_an_answer(
    run, paper, referee, price, more, is_asked
):
    price(1)
    (paper / "pf.toml").write_text("[reading]\nask_above = 0\n")
    status, _, err = run("check", "--all", *more)
    assert (bool(referee.asked), status) == (is_asked, 0 if is_asked else 3)
    said = "likely cost is above $0.00; without a terminal, confirm with --yes or --budget"
    assert (said in err) != is_asked


def test_a_budget_of_time_ends_calls_to_a_server_that_hangs(run, paper, referee):
    referee.say = lambda stage, text: Sent(silent=True)
    status, out, _ = run("check", "--model", "m", "--all", "--budget", "1 s")
    assert status == 3
    assert "not read: a (the budget is spent: 1 s for this run" in out
    assert "not read: b (the budget is spent: 1 s for this run" in out
    assert not referee.over.is_set()


def interrupted(referee, *command, script="pfcore.cli.exit_status import pf"):
    """What a command says that is interrupted while its server hangs, and again once it says so."""
    is_asked = threading.Event()

    def hanging(stage, text):
        is_asked.set()
        return Sent(silent=True)

    referee.say = hanging
    guard = "import faulthandler; faulthandler.dump_traceback_later(50, exit=True)"
    code = f"{guard}; from {script} as script; script()"
    with subprocess.Popen(
        [sys.executable, "-c", code, *command], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert is_asked.wait(60) and process.stderr is not None
        process.send_signal(signal.SIGINT)
        said = b""
        while line := process.stderr.readline():
            said += line
            if b"again" in line:
                process.send_signal(signal.SIGINT)
        process.wait(60)
    assert not referee.over.is_set()
    return process.returncode, said.decode()


@pytest.mark.acceptance
def test_an_interrupt_while_a_server_hangs_is_told_and_a_second_one_ends_it(paper, referee):
    status, said = interrupted(referee, "check", "--model", "m", "--all")
    assert status == 130
    assert said.splitlines()[-3:] == [
        "pf: stopping: waiting up to 5 s for replies to calls in flight; "
        "press Ctrl-C again to stop now",
        "pf: 0 replies kept: the next run continues from there",
        "pf: interrupted",
    ]


@pytest.mark.acceptance
def test_an_interrupt_ends_a_push_likewise(paper, edit, referee, monkeypatch):
    edit("Clear.", "It is clear.")
    monkeypatch.setenv("PF_MODEL", "m")
    monkeypatch.delenv("PRE_COMMIT_FROM_REF", raising=False)
    status, said = interrupted(referee, script="hooks.online import script")
    assert status == 130
    assert "press Ctrl-C again to stop now\n" in said


def test_a_budget_of_time_ends_a_push(paper, edit, referee, monkeypatch, capsys):
    edit("Clear.", "It is clear.")
    monkeypatch.setenv("PF_MODEL", "m")
    monkeypatch.delenv("PRE_COMMIT_FROM_REF", raising=False)
    referee.say = lambda stage, text: Sent(silent=True)
    assert online.main(["--budget", "1 s"]) == 3
    assert "the budget is spent: 1 s for this run" in capsys.readouterr().out


@pytest.mark.acceptance
def test_an_interrupt_ends_the_doctor_at_once_while_a_server_hangs(paper, referee):
    status, said = interrupted(referee, "doctor", "--model", "m")
    assert (status, said.splitlines()[-1]) == (130, "pf: interrupted")


def test_proofs_that_were_all_to_be_read_are_counted_once(run, paper, referee):
    referee.say = lambda stage, text: "no verdict"
    status, out, _ = run("check", "--model", "m", "--all")
    assert status == 3
    assert "0 proofs of 2 read." in out and "other proofs" not in out


def test_offline_replies_that_are_stored_count_and_nobody_is_asked(run, paper, edit, referee):
    edit("Clear.", "It is clear.")
    run("check", "--model", "m")
    count = len(referee.asked)
    status, out, _ = run("check", "--model", "m", "--all", "--offline")
    assert (status, len(referee.asked)) == (0, count)
    assert "m was not used. 1 proof of 2 read before." in out
    assert "1 proof: --offline asks no model." in out and "no model is set" not in out
    out = run("plan", "--model", "m", "--offline", "--all")[1]
    assert "1 proof is not read." in out and "No model is set" not in out
    assert "--offline asks no model" in out
    run("check", "--model", "m", "--all")
    out = run("check", "--model", "m", "--all", "--offline")[1]
    assert "2 proofs of 2 read before." in out and "Not read" not in out
    assert "No proof is left to read." in run("plan", "--model", "m", "--offline", "--all")[1]
    assert "status: checked" in run("explain", "a", "--model", "m", "--offline")[1]


def test_a_plan_tells_the_same_status_of_one_result_as_explain(run, paper, referee):
    run("check", "--model", "m", "--all")
    for command in (("plan", "--why", "a"), ("explain", "a")):
        assert "status: checked" in run(*command, "--model", "m")[1]


def test_a_plan_announces_no_calls_that_will_not_be_made(run, paper, referee, configure):
    referee.say = lambda stage, text: "no verdict"
    run("check", "--model", "m", "--all")
    count = len(referee.asked)
    out = run("plan", "--model", "m", "--all")[1]
    assert "Nothing is left to read with m." not in out and "up to 36 calls" not in out
    assert "The stored replies about 2 proofs give no verdict" in out
    assert json.loads(run("plan", "--model", "m", "--all", "--format", "json")[1])["calls"] == 0
    run("check", "--model", "m", "--all")
    assert len(referee.asked) == count
    out = run("plan", "--model", "m", "--all", "--retry")[1]
    assert "2 proofs with their contexts go to m" in out and "up to 36 calls" in out


def test_a_plan_counts_proofs_that_do_not_fit_the_window_apart(run, paper, referee, configure):
    configure(f"base_url = '{os.environ['PF_BASE_URL']}'\nwindow = 100\n")
    out = run("plan", "--model", "m", "--all")[1]
    assert "2 proofs do not fit the model's window of 100 tokens" in " ".join(out.split())
    assert "calls" not in out
    assert json.loads(run("plan", "--model", "m", "--all", "--format", "json")[1])["calls"] == 0


def test_unusable_replies_are_asked_for_again_only_if_that_is_wanted(run, paper, referee):
    referee.say = lambda stage, text: "no verdict"
    _, out, _ = run("check", "--model", "m", "--all")
    assert f"{pf_command()} check --all --model=m --retry" in " ".join(out.split())
    referee.say = lambda stage, text: ACCEPT
    count = len(referee.asked)
    assert run("check", "--model", "m", "--all")[0] == 3
    assert len(referee.asked) == count
    status, out, _ = run("check", "--model", "m", "--all", "--retry")
    assert (status, len(referee.asked)) == (0, count + 6)
    assert "2 proofs of 2 read" in out
    run("check", "--model", "m", "--all", "--retry")
    assert len(referee.asked) == count + 6


@pytest.fixture
def many(referee, paper, document, configure):
    """A paper with twenty results, asked about one after the other."""
    configure(f"base_url = '{os.environ['PF_BASE_URL']}'\n[limits]\nin_flight = 1\nattempts = 1\n")
    body = "".join(LEMMA % (f"l{n}", f"Claim {n}", "Clear.") for n in range(20))
    (paper / "main.tex").write_text(document(body), encoding="utf-8")


def test_after_six_proofs_that_fail_alike_no_other_is_asked_about(run, many, referee):
    referee.say = lambda stage, text: "no verdict"
    status, out, err = run("check", "--model", "m", "--all")
    assert status == 3
    assert len(referee.asked) == 6 * 3 * 2
    assert err.count("the reply has no JSON block") == 2
    assert "  ? l0  not read: the reply has no JSON block\n" in err
    untried = "the reply has no JSON block (14 not tried, after 6 in a row)"
    assert f"  ? 19 more not read: {untried}\n" in err
    shown = " ".join(out.split())
    assert f"not read: 20 proofs (l0, l1, l2 and 17 more): {untried}" in shown
    assert out.count("the reply has no JSON block") == 1
    assert out.count(f"to test the model: {pf_command()} doctor --model=m") == 1
    assert out.index("no proof was read") < out.index("not read: 20 proofs")
    found = json.loads(run("check", "--model", "m2", "--all", "--format", "json")[1])
    reasons = [item["reason"] for item in found["not_read"]]
    assert reasons[6:] == ["stopped after 6 proofs in a row: the reply has no JSON block"] * 14


def test_a_reading_between_failures_begins_the_count_anew(run, many, referee):
    referee.say = lambda stage, text: ACCEPT if "Claim 4" in text else "no verdict"
    run("check", "--model", "m", "--all")
    assert any("Claim 10." in text for _, text in referee.asked)
    assert not any("Claim 11." in text for _, text in referee.asked)


def test_what_a_reader_lacks_or_a_budget_forbids_stops_no_other(run, many, referee):
    lacking = '<missing><wanted>$f$</wanted></missing>\n```json\n{"verdict": "open"}\n```'
    referee.say = lambda stage, text: lacking
    _, out, _ = run("check", "--model", "m", "--all")
    assert "in a row" not in out and "lacks $f$" in out and "pf doctor" not in out
    _, out, _ = run("check", "--model", "m2", "--all", "--budget", "1k tokens")
    assert "in a row" not in out and "pf doctor" not in out
    assert "not read: 20 proofs (l0, l1, l2 and 17 more): the budget is too small" in out


def test_findings_do_not_hide_that_nothing_was_read(run, paper, edit, stopped):
    edit(r"By \ref{a}.", r"By \ref{nowhere}.")
    status, out, _ = run("check", "--model", "m", "--all")
    assert status == 1
    assert "1 finding, 1 blocking; 2 proofs not read" in out
    assert f"not read: a (no server answers at {stopped}; is it running?)" in out
    found = json.loads(run("check", "--model", "m", "--all", "--format", "json")[1])
    assert [item["module"] for item in found["not_read"]] == ["a", "b"]
    assert all("no server answers" in item["reason"] for item in found["not_read"])
    assert found["usage"]["calls"] == 0


def test_an_unknown_verdict_is_named_with_the_words_that_are_expected(run, paper, referee):
    referee.say = lambda stage, text: 'Fine.\n```json\n{"verdict": "correct"}\n```'
    _, out, _ = run("check", "--model", "m", "--all")
    assert "not read: a (unknown verdict 'correct': expected accept, flag or open)" in out
    assert "the JSON block has no verdict" in referee.asked[-1][1]  # what enters a key stays


def test_a_budget_of_nothing_allows_no_call_to_a_free_model(run, paper, referee):
    status, out, _ = run("check", "--model", "m", "--all", "--budget", "0")
    assert (status, referee.asked) == (3, [])
    assert "not read: a (the budget is spent: $0.00 for this run)" in out


@pytest.mark.parametrize(
    ("in_flight", "words"),
    [(1, "one call at a time"), (4, "each of 4 parallel calls"), (99, "each of 12 parallel calls")],
)
def test_the_time_that_a_free_model_takes_is_an_assumption(
    run, paper, referee, configure, in_flight, words
):
    configure(f"[limits]\nin_flight = {in_flight}\n")
    out = run("plan", "--model", "m", "--all")[1]
    assert f"assuming 20 tokens a second in {words}" in " ".join(out.split())
