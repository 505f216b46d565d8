"""`pf audit`: what is on record as accepted, read by somebody else."""

import json

import pytest

from tests.conftest import git

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

LEMMA = "\\begin{lemma}\\label{l%d} Fact %d.\\end{lemma}\n\\begin{proof} Reason %d. \\end{proof}\n"


@pytest.fixture
def recorded(run, paper, document, referee):
    """Eight proofs, all on record as accepted by the model m."""
    body = "".join(LEMMA % (n, n, n) for n in range(8))
    (paper / "main.tex").write_text(document(body), encoding="utf-8")
    git(paper, "commit", "--quiet", "--all", "-m", "eight")
    assert run("check", "--model", "m", "--all", "--yes", "--update-lock")[0] == 0
    referee.asked.clear()
    return paper


def drawn(run, *argv):
    status, out, _ = run("audit", "--model", "sceptic", "--format", "json", *argv)
    return status, json.loads(out)


def test_a_sceptic_who_agrees_is_told_on_how_many(run, recorded, referee):
    status, out, _ = run("audit", "--sample", "3", "--model", "sceptic")
    assert status == 0, out
    assert "sceptic agrees with pf.lock on 3 of 3 proofs that it read." in out
    assert "Sample: 3 of 8 accepted proofs, drawn with seed " in out
    assert len(referee.asked) == 9


def test_the_sample_follows_from_the_source_or_from_a_seed(run, recorded):
    def names(*argv):
        return [item["module"] for item in drawn(run, "--sample", "4", *argv)[1]["sample"]]

    assert names() == names()
    assert names("--seed", "1") == names("--seed", "1")
    assert len({tuple(names("--seed", str(n))) for n in range(5)}) > 1


def test_a_renamed_label_draws_the_same_proofs(run, recorded):
    def contexts():
        _, found = drawn(run, "--sample", "4", "--seed", "x")
        return [item["context"] for item in found["sample"]]

    before = contexts()
    text = (recorded / "main.tex").read_text(encoding="utf-8")
    (recorded / "main.tex").write_text(
        text.replace("{l", "{z").replace("{zemma", "{lemma"), "utf-8"
    )
    assert contexts() == before


def test_an_objection_of_the_sceptic_is_shown_and_the_ledger_stays(run, recorded, referee):
    before = (recorded / "pf.lock").read_bytes()
    referee.objects_to("Reason 5")
    status, out, _ = run("audit", "--sample", "8", "--model", "sceptic")
    assert status == 1
    assert "sceptic agrees with pf.lock on 7 of 8 proofs" in out
    assert "! l5  Lemma 6  1 objection" in out
    assert "3 of 3 readings" in out
    assert (recorded / "pf.lock").read_bytes() == before
    found = drawn(run, "--sample", "8")[1]
    (item,) = [item for item in found["sample"] if item["verdict"] == "flagged"]
    assert (item["module"], item["findings"][0]["quote"]) == ("l5", "Reason 5")
    assert (found["agreed"], found["accepted"]) == (7, 8)


def test_what_could_not_be_read_is_no_agreement(run, recorded, referee):
    referee.say = lambda stage, text: 400 if "Reason 5" in text else "no verdict"
    status, out, _ = run("audit", "--sample", "2", "--model", "sceptic")
    assert status == 3
    assert "on 0 of 0 proofs" in out
    assert "2 proofs of the sample could not be read." in out
    assert {item["verdict"] for item in drawn(run, "--sample", "2")[1]["sample"]} == {"unreached"}


def test_without_a_record_or_a_model_there_is_nothing_to_audit(run, paper, referee):
    assert run("audit", "--sample", "3")[0] == 2
    status, out, _ = run("audit", "--sample", "3", "--model", "sceptic")
    assert status == 3
    assert "No proof is recorded as accepted" in out
    assert referee.asked == []


def test_in_ci_too_the_record_under_doubt_is_the_one_that_is_there(
    run, recorded, referee, monkeypatch
):
    monkeypatch.setenv("CI", "true")
    assert drawn(run, "--sample", "2")[1]["accepted"] == 8


def test_json_tells_in_which_form_the_contexts_of_verdicts_were(run, recorded, referee):
    assert "pf-context" not in run("check", "--model", "m", "--all")[1]
    assert json.loads(run("check", "--model", "m", "--all", "--format", "json")[1])["forms"] == {
        "pf-context/2": 8
    }
    referee.asked.clear()
    (recorded / "pf.toml").write_text('[reading]\nform = "pf-context/1"\n', encoding="utf-8")
    found = json.loads(run("check", "--model", "m", "--all", "--format", "json")[1])
    assert found["forms"] == {"pf-context/1": 8}
    assert not referee.asked  # these contexts say the same in both forms
