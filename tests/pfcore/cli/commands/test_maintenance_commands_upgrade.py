"""`pf upgrade`: what a new asking contract makes unread, what that costs, and the two ways out."""

import json
import re

import pytest

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture
def read(run, paper, referee):
    """A paper that model m has read, on record."""
    assert run("check", "--model", "m", "--all", "--yes", "--update-lock")[0] == 0
    return paper


def test_a_new_model_makes_all_unread_and_the_price_is_said(run, read, referee):
    count, lock = len(referee.asked), (read / "pf.lock").read_bytes()
    status, out, _ = run("upgrade", "--model", "n")
    assert status == 0
    assert re.search(r"^      model +n$", out, re.M)
    assert re.search(r"^    \w{12}  covers 2 of 2 proofs", out, re.M)
    assert "        model: m, now n" in out
    assert "2 proofs are unread under this contract." in out
    assert "2 proofs with their contexts go to n at 127.0.0.1, 3 times each" in out
    assert "pf check --all --update-lock --model n" in out
    assert len(referee.asked) == count
    assert (read / "pf.lock").read_bytes() == lock
    assert not (read / "pf.toml").exists()


def test_the_line_for_pf_toml_keeps_the_old_verdicts(run, read):
    _, out, _ = run("upgrade", "--model", "n")
    (line,) = re.findall(r"^ +(accept = \[.*\])$", out, re.M)
    assert "leaves nothing unread" in out
    (read / "pf.toml").write_text(f"[reading]\n{line}\n")
    _, out, _ = run("check", "--model", "n", "--all")
    assert "2 proofs of 2 read" in out
    assert "n was not used" in out
    _, out, _ = run("upgrade", "--model", "n")
    assert "accepted by pf.toml" in out
    assert "Nothing is unread under this contract." in out
    assert "accept = " not in out


def test_the_contract_that_has_read_all_needs_no_way_out(run, read):
    _, out, _ = run("upgrade", "--model", "m")
    assert "covers 2 of 2 proofs as they are now; the current contract" in out
    assert "Nothing is unread under this contract." in out
    assert "--update-lock" not in out


def test_only_proofs_as_they_are_now_are_covered(run, read, edit):
    edit("Clear.", "It is clear.")
    _, out, _ = run("upgrade", "--model", "n")
    assert "covers 1 of 2 proofs" in out
    assert "leaves 1 proof unread" in out


def test_fewer_readings_than_are_wanted_cover_nothing(run, paper, referee):
    run("check", "--model", "m", "--all", "--yes", "--rollouts", "1", "--update-lock")
    _, out, _ = run("upgrade", "--model", "n")
    assert "covers 0 of 2 proofs" in out
    assert "2 have fewer readings than the required 3" in out
    assert "accept = " not in out


def test_each_field_that_differs_is_named(run, read):
    (read / "pf.toml").write_text(
        '[reading]\nstrictness = "pedantic"\nconventions = "Rings commute."\nattempts = 1\n'
        "[bounds]\nlength = 700\n"
    )
    _, out, _ = run("upgrade", "--model", "m")
    assert "        strictness: standard, now pedantic" in out
    assert "        conventions: none, now Rings commute." in out
    assert "        max. rewrites per piece: 3, now 1" in out
    assert "        length above which a proof is split: 6000, now 700" in out
    assert "        model" not in out


def test_another_version_of_a_prompt_is_named_by_its_stage(run, read, tmp_path):
    import prompts

    for stage, version in prompts.CURRENT.items():
        folder = tmp_path / "prompts" / stage
        folder.mkdir(parents=True)
        (folder / f"{version}.md").write_text(prompts.prompt(stage, version) + "\nBe kind.\n")
    _, out, _ = run("upgrade", "--model", "m", "--prompts", str(tmp_path / "prompts"))
    assert re.search(r"^        prompt of verify: v2, now v2\+\w{12}$", out, re.M)


def test_a_contract_that_no_line_describes_is_said_to_be_so(run, read):
    lock = read / "pf.lock"
    kept = [line for line in lock.read_text().splitlines() if '"kind":"contract"' not in line]
    lock.write_text("\n".join(kept) + "\n")
    _, out, _ = run("upgrade", "--model", "n")
    assert "pf.lock has no record of its settings" in out


def test_a_paper_without_a_ledger_has_only_one_way(run, paper, referee):
    status, out, _ = run("upgrade", "--model", "n")
    assert status == 0
    assert "pf.lock has no verdicts." in out
    assert "2 proofs are unread" in out
    assert "accept = " not in out


def test_without_a_model_there_is_no_contract(run, read):
    status, _, err = run("upgrade")
    assert status == 2
    assert "pf upgrade needs a model: --model NAME" in err


def test_lines_of_the_ledger_are_listed_in_ci_too(run, read, monkeypatch):
    monkeypatch.setenv("CI", "true")
    _, out, _ = run("upgrade", "--model", "n")
    assert "covers 2 of 2 proofs" in out


def test_papers_of_one_pf_toml_share_the_line(run, paper, document, referee):
    text = (paper / "main.tex").read_text()
    (paper / "other.tex").write_text(text.replace("Every A", "Every C"))
    (paper / "pf.toml").write_text(
        '[[paper]]\nname = "one"\nroot = "main.tex"\n'
        '[[paper]]\nname = "two"\nroot = "other.tex"\nstrictness = "lenient"\n'
    )
    run("check", "--model", "m", "--all", "--yes", "--update-lock")
    _, out, _ = run("upgrade", "--model", "n")
    (line,) = re.findall(r"^ +(accept = \[.*\])$", out, re.M)
    assert len(re.findall(r"[0-9a-f]{64}", line)) == 2


def test_json_has_the_numbers_and_the_line(run, read):
    status, out, _ = run("upgrade", "--model", "n", "--format", "json")
    found = json.loads(out)
    (paper,) = found["papers"]
    (known,) = paper["known"]
    assert status == 0
    assert (found["schema"], found["model"]) == (1, "n")
    assert paper["name"] == "main.tex"
    assert paper["fields"]["model"] == "n"
    assert (paper["proofs"], paper["unread"], paper["unread_with_accept"]) == (2, ["a", "b"], 0)
    assert paper["accept"] == [known["contract"]]
    assert (known["covers"], known["short"], known["accepted"]) == (2, 0, False)
    assert known["differs"] == [{"field": "model", "then": "m", "now": "n"}]
    assert found["calls"] > 0
    assert found["cost_usd"] == 0


def test_the_command_keeps_the_options_of_now(run, read, monkeypatch):
    monkeypatch.setenv("PF_MODEL", "n")
    _, out, _ = run("upgrade", "--rollouts", "2")
    assert out.endswith("    pf check --all --update-lock --rollouts 2\n")
