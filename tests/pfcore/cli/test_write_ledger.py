"""`pf.lock`: written by a run, read by whoever has no model, answered in, never forged in CI."""

import json
import os

import pytest

from pfcore.cli.exit_status import pf_command
from tests.conftest import git

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

QUOTE = "Dividing by $x$"


@pytest.fixture
def flagged(run, paper, edit, referee):
    """A paper whose first proof has an objection, on record."""
    edit("Clear.", f"{QUOTE} it is clear.")
    referee.objects_to(QUOTE)
    assert run("check", "--model", "m", "--all", "--yes", "--update-lock")[0] == 1
    return paper


def finding_id(run, *argv):
    import json

    _, out, _ = run("check", "--format", "json", *argv)
    return json.loads(out)["findings"][0]["id"]


def test_a_ledger_tells_without_a_model_what_was_read(run, flagged, referee):
    count = len(referee.asked)
    status, out, _ = run("check", "--offline")
    assert status == 1
    assert "3 of 3 readings" in out
    assert "verdicts on proofs are those recorded in pf.lock. 2 proofs read, 0 not." in out
    assert len(referee.asked) == count


def test_the_same_verdict_comes_from_the_ledger_without_the_store(
    run, flagged, referee, monkeypatch, tmp_path
):
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "other"))
    count = len(referee.asked)
    assert run("check", "--model", "m", "--all", "--yes")[0] == 1
    assert len(referee.asked) == count


def test_a_ledger_with_everything_is_not_stale(run, paper, referee):
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    assert run("check", "--locked") == run("check", "--locked")
    assert run("check", "--locked")[0] == 0


def test_a_module_newer_than_the_ledger_is_stale(run, paper, referee, edit):
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    edit("Clear.", "It is clear.")
    status, _, err = run("check", "--locked")
    assert status == 1
    assert "1 result is newer than pf.lock: a" in err
    assert f"to read them: {pf_command()} check --model NAME --update-lock" in err


def test_moving_a_result_makes_nothing_stale(run, paper, referee, edit):
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    edit("Clear.", "% a comment\n  Clear.")
    assert run("check", "--locked")[0] == 0


def test_without_a_model_there_is_nothing_to_record(run, paper):
    status, _, err = run("check", "--update-lock")
    assert status == 2
    assert "add --model NAME" in err


def test_an_answer_silences_a_finding_and_survives_an_edit_of_the_proof(
    run, flagged, referee, edit
):
    name = finding_id(run, "--offline")
    status, out, _ = run("dismiss", name, "--reason", "x is positive", "--who", "Ada", "--offline")
    assert status == 0
    assert f"{name} is answered in pf.lock" in out
    status, out, _ = run("check", "--offline")
    assert status == 0
    assert "x is positive (Ada)" in out
    edit(f"{QUOTE} it is clear.", f"First a remark. {QUOTE} it is quite clear.")
    referee.objects_to(f"{QUOTE} it is", "Why may one divide?")
    status, out, _ = run("check", "--model", "m", "--all", "--yes")
    assert status == 0
    assert "x is positive (Ada)" in out


def test_an_answer_reopens_when_the_statement_changes(run, flagged, referee, edit):
    name = finding_id(run, "--offline")
    run("dismiss", name, "--reason", "x is positive", "--offline")
    edit("Every A is positive", "Every A is real")
    status, out, _ = run("check", "--model", "m", "--all", "--yes")
    assert status == 1
    assert "Answered earlier, but what it depends on has changed: x is positive" in out


def test_a_finding_of_a_check_is_answered_too(run, paper, edit):
    edit(r"\ref{a}", r"\ref{nothing}")
    name = finding_id(run)
    status, out, _ = run("dismiss", name, "--reason", "our own command sets it")
    assert status == 0
    assert f"{name} is answered in pf.lock: main.tex:11 Lemma 2" in out
    assert run("check")[0] == 0


def test_an_answer_in_the_source_covers_an_objection(run, flagged, edit):
    name = finding_id(run, "--offline")
    edit(QUOTE, f"% pf: ignore[{name}] it is positive\n{QUOTE}")
    status, out, _ = run("check", "--offline")
    assert status == 0
    assert "it is positive" in out


def test_in_ci_lines_that_a_change_brings_do_not_count(run, paper, referee, edit, monkeypatch):
    edit("Clear.", "It is clear.")
    run("check", "--model", "m", "--update-lock")
    monkeypatch.setenv("CI", "true")
    status, out, _ = run("check", "--offline")
    assert status == 0
    assert "1 line of pf.lock does not count until it is on the base branch" in out
    assert "0 proofs read" in out


def test_a_line_that_says_nothing_is_named_and_kept(run, flagged):
    lock = flagged / "pf.lock"
    lock.write_text(lock.read_text() + "<<<<<<< HEAD\n")
    status, out, _ = run("check", "--offline")
    assert status == 1
    assert "git conflict marker" in out
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    assert "<<<<<<< HEAD" in lock.read_text()


@pytest.mark.parametrize("name", ["utf-16", "utf-16-le", "utf-32"])
def test_nothing_is_added_to_a_ledger_in_another_encoding(run, paper, edit, name):
    edit("\\begin{proof} Clear. \\end{proof}", "")
    argv = ("dismiss", "--rule", "no-proof", "--reason", "known")
    assert run(*argv)[0] == 0
    data = (paper / "pf.lock").read_text().encode(name)
    (paper / "pf.lock").write_bytes(data)
    edit(r"By \ref{a}.", "")
    edit("\\begin{proof}", "")
    edit("\\end{proof}", "")
    status, _, err = run(*argv)
    said = f"pf: pf.lock is in {name[:6].upper()}; save it as UTF-8. Nothing was written\n"
    assert (status, err) == (2, said)
    assert (paper / "pf.lock").read_bytes() == data


BLANK = ["", " ", "\u200b", "\u2060 \u200b", "\ud800", "\u3164", "\u00ad"]


@pytest.mark.parametrize("reason", BLANK)
def test_a_reason_in_which_nothing_is_to_be_seen_is_none(run, paper, edit, reason):
    edit("\\begin{proof} Clear. \\end{proof}", "")
    assert run("dismiss", "--rule", "no-proof", "--reason", reason)[0] == 2
    assert run("dismiss", "--rule", "no-proof", "--reason", "known")[0] == 0
    lock = paper / "pf.lock"
    lock.write_text(lock.read_text().replace('"known"', json.dumps(reason)))
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answered")
    assert "a dismissal needs a reason" in run("check")[1]
    assert run("gate", "--allow-unread")[0] == 1
    if reason == "\ud800":
        return  # no source has one
    edit(
        "\\begin{lemma}\\label{a}", f"% pf: ignore[no-proof] {reason}\n\\begin{{lemma}}\\label{{a}}"
    )
    lock.unlink()
    assert "needs a reason" in run("check", "--notes")[1]


VERDICT = '{{"schema":999,"kind":"entry","context":"{}"}}\n'


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("garbage\n", 3),
        ("<<<<<<< HEAD\n", 3),
        ("{}\n", 3),
        ("\0\n", 3),
        (VERDICT.format("0" * 64), 0),
    ],
)
def test_a_line_that_may_hide_an_objection_is_no_pass(run, paper, line, status):
    (paper / "pf.lock").write_text(line)
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "a ledger")
    found, out, _ = run("check")
    assert (found, "1 unreadable line of pf.lock" in out) == (status, True)
    assert run("check", "--base", "HEAD~")[0] == status
    assert run("gate", "--allow-unread")[0] == status


@pytest.mark.parametrize("line", ['"reason":" "', '"schema":999,"reason":"x"'])
def test_an_answer_that_cannot_be_read_is_no_pass_of_the_gate(run, paper, edit, line):
    edit("\\begin{proof} Clear. \\end{proof}", "")
    assert run("dismiss", "--rule", "no-proof", "--reason", "known")[0] == 0
    lock = paper / "pf.lock"
    text = lock.read_text()
    broken = text.replace('"schema":1,', "") if "999" in line else text
    lock.write_text(text + broken.replace('"reason":"known"', line))
    git(paper, "add", "--all")
    git(paper, "commit", "--quiet", "-m", "answered")
    assert run("check")[0] == 0
    status, out, _ = run("gate", "--allow-unread")
    assert (status, "1 line of pf.lock cannot be read" in out) == (3, True)


def test_a_ledger_that_leads_elsewhere_is_no_pass(run, paper, tmp_path):
    (tmp_path / "mine").write_text("")
    (paper / "pf.lock").symlink_to(tmp_path / "mine")
    status, out, _ = run("check")
    assert (status, "pf.lock (symbolic link that leads outside this folder" in out) == (3, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_ledger_that_may_not_be_read_is_no_pass(run, paper):
    (paper / "pf.lock").write_text("")
    (paper / "pf.lock").chmod(0)
    status, out, _ = run("check")
    assert (status, "pf.lock (cannot be read)" in out) == (3, True)


def test_a_reason_is_printed_on_a_line_without_sequences(run, paper, edit):
    edit("\\begin{proof} Clear. \\end{proof}", "")
    reason = "a\x1b[31m\nb"
    status, out, _ = run("dismiss", "--rule", "no-proof", "--reason", reason)
    assert (status, out.split("\n")[0]) == (0, "1 finding of no-proof answered in pf.lock: a b")


def test_a_ledger_that_is_a_link_is_left_alone(run, paper, referee, tmp_path):
    target = tmp_path / "elsewhere"
    target.write_text("precious")
    (paper / "pf.lock").symlink_to(target)
    status, _, err = run("check", "--model", "m", "--all", "--yes", "--update-lock")
    assert status == 2
    assert "symbolic link" in err
    assert target.read_text() == "precious"


def test_papers_that_share_a_ledger_are_all_recorded(run, paper, referee):
    (paper / "other.tex").write_text((paper / "main.tex").read_text().replace("Every A", "Every C"))
    (paper / "pf.toml").write_text(
        '[[paper]]\nname = "one"\nroot = "main.tex"\n[[paper]]\nname = "two"\nroot = "other.tex"\n'
    )
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    status, out, _ = run("check", "--locked")
    assert status == 0
    assert "4 proofs read, 0 not" in out
