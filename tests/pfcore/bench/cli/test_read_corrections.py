"""`pf bench errata`: what would be read, hits and alarms in pairs, and proposals."""

import json
import shutil

import pytest

from tests.conftest import commit
from tests.pfcore.bench.errata.conftest import AFTER, LATER, Corrected, corrected, paper
from tests.pfcore.cli.conftest import ACCEPT, flag, genuine

__all__ = ["Corrected", "corrected"]

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]


@pytest.fixture(autouse=True)
def _own_data(tmp_path, monkeypatch):
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def errata(run, corrected):
    """Runs the command on rows of a file and the clones."""

    def command(*argv, rows=None):
        path = corrected.write(*(rows if rows is not None else [corrected.row()]))
        clones = ("--clones", str(corrected.folder))
        return run("bench", "errata", *clones, "--rows", str(path), *argv)

    return command


def objecting(referee, *pairs):
    """A reader that objects to words where they are, beside other words of the proof."""

    def say(stage, text):
        for sign, quote in pairs:
            if sign in text:
                return flag(quote) if stage == "verify" else genuine(quote)
        return ACCEPT

    referee.say = say


def row(out, name):
    """The cells of a line of a table, with one space between words."""
    lines = [" ".join(line.split()) for line in out.splitlines()]
    return next(line for line in lines if line.startswith(name)).removeprefix(name).strip()


def result_of(out):
    return json.loads(out)["result"]


def test_without_a_model_it_says_what_would_be_read_and_the_price(errata, referee):
    status, out, _ = errata()
    assert status == 0
    assert "1 correction, 1 found in the clones of" in out
    assert row(out, "owner/notes main.tex:parity").startswith("7 proof breaks ")
    assert "3 different versions, 3 times each, by gpt-5.4-mini: likely $" in out
    assert "No model was used." in out
    assert referee.asked == []


def test_a_hit_before_and_silence_after_is_told_apart(errata, referee):
    objecting(referee, ("n+2", "Then $n+2$ is even."))
    status, out, err = errata("--model", "m")
    assert status == 0, err
    assert "3 proofs with their contexts go to m at 127.0.0.1, 3 times each" in err
    assert "Model: m; the one that answered calls itself served." in out
    assert row(out, "all ") == (
        "1 of 1 (21–100 %) 0 of 1 0 of 1 0 of 1 (0–79 %) 0 of 1 (0–79 %) 1 of 1 (21–100 %)"
    )
    assert "severity breaks" in out
    assert "part proof" in out
    assert "Alarm" not in out.replace("Alarms and", "")
    assert "famous" not in out
    status, out, _ = errata("--model", "m", "--format", "json")
    found = result_of(out)
    assert found["scores"]["all"]["told_apart"]["count"] == 1
    (reading,) = found["readings"]
    assert (reading["outcome"], reading["alarm_after"], reading["alarm_control"]) == (
        "hit", False, False,
    )  # fmt: skip
    assert len(referee.asked) == 3 * (3 + 1)


def test_a_miss_is_listed_with_what_was_wrong(errata, referee):
    status, out, _ = errata("--model", "m", "--rollouts", "1")
    assert status == 0
    assert "Missed, nothing is objected to: 7  owner/notes main.tex:parity" in out
    assert "the neighbour that is taken is two away" in out
    assert "0 of 1 (0–79 %)" in out


def test_an_objection_elsewhere_is_no_hit(errata, referee):
    objecting(referee, ("n+2", "Hence the claim."))
    _, out, _ = errata("--model", "m", "--rollouts", "1")
    assert "Objects elsewhere: 7" in out
    _, out, _ = errata("--model", "m", "--rollouts", "1", "--format", "json")
    scores = result_of(out)["scores"]["all"]
    assert (scores["hits"]["count"], scores["elsewhere"]["count"]) == (0, 1)


def judged(referee, quote, matches):
    """A reader that objects to words of the text as it was, and a judge who says this of it."""

    def say(stage, text):
        if stage == "judge-defect":
            return f"```json\n{json.dumps({'matches': matches})}\n```"
        if "n+2" in text:
            return flag(quote) if stage == "verify" else genuine(quote)
        return ACCEPT

    referee.say = say


@pytest.mark.parametrize(
    ("quote", "matches", "outcome", "by_lines"),
    [
        ("Hence the claim.", [1], "hit", "elsewhere"),
        ("Hence the claim.", [], "elsewhere", "elsewhere"),
        ("Then $n+2$ is even.", [], "elsewhere", "hit"),
    ],
)
def test_a_judge_says_which_objections_mean_the_defect(
    errata, referee, quote, matches, outcome, by_lines
):
    judged(referee, quote, matches)
    argv = ("--model", "m", "--judge-model", "j", "--rollouts", "1")
    status, out, err = errata(*argv)
    assert status == 0, err
    assert f"Judge: j. By lines alone there would be {int(by_lines == 'hit')} hits" in out
    asked = [text for stage, text in referee.asked if stage == "judge-defect"]
    assert len(asked) == 1
    assert "the neighbour that is taken is two away" in asked[0]
    assert f"1. At: {quote}" in asked[0]
    _, out, _ = errata(*argv, "--format", "json")
    found = result_of(out)
    (reading,) = found["readings"]
    assert (reading["outcome"], reading["outcome_by_lines"]) == (outcome, by_lines)
    assert reading["meant"] == [number - 1 for number in matches]
    assert found["judge"] == "j"


@pytest.mark.parametrize("matches", [[2], [0], ["1"], [True], "1", None])
def test_a_judge_who_cannot_be_understood_has_judged_nothing(errata, referee, matches):
    judged(referee, "Then $n+2$ is even.", matches)
    status, out, _ = errata("--model", "m", "--judge-model", "j", "--rollouts", "1")
    assert status == 3
    assert "Not judged: 7: " in out
    assert row(out, "all ").startswith("– 0 of 0 0 of 0")


def test_a_judge_is_not_asked_where_nobody_objects(errata, referee):
    status, out, _ = errata("--model", "m", "--judge-model", "j", "--rollouts", "1")
    assert status == 0
    assert "Judge: j." in out
    assert {stage for stage, _ in referee.asked} == {"verify"}


def test_words_that_the_text_lacks_are_at_no_place(errata, referee):
    objecting(referee, ("n+2", "Quite other words than any here."))
    _, out, _ = errata("--model", "m", "--rollouts", "1", "--format", "json")
    (reading,) = result_of(out)["readings"]
    assert reading["outcome"] == "elsewhere"
    assert reading["objections"]["before"][0]["places"] == []


def test_alarms_after_and_in_the_last_version_are_listed(errata, referee):
    objecting(referee, ("divides", "as $2$ divides it"), ("n+", "is even"))
    _, out, _ = errata("--model", "m", "--rollouts", "1")
    assert "Alarm after: 7" in out
    assert "Alarm control: 7" in out
    assert "It may be 0." in out
    _, out, _ = errata("--model", "m", "--rollouts", "1", "--format", "json")
    assert result_of(out)["scores"]["all"]["told_apart"]["count"] == 0


def test_a_control_that_is_known_to_be_wrong_is_no_alarm(errata, referee, corrected):
    objecting(referee, ("n+", "is even"))
    known = corrected.row(control="wrong", severity=None)
    _, out, _ = errata("--model", "m", "--rollouts", "1", rows=[known])
    assert "Alarm after" not in out
    assert "Alarms and told apart leave out 1 row whose corrected version is known" in out
    assert "another error: 7" in out
    assert "severity not labelled" in out


def test_a_result_that_stayed_as_corrected_is_read_once_for_both(errata, referee, corrected):
    commit(corrected.repo, {"main.tex": paper(AFTER)})
    _, out, err = errata("--model", "m", "--rollouts", "1", "--format", "json")
    assert "2 proofs" in err
    assert result_of(out)["scores"]["all"]["alarms_control"] == {
        "count": 0, "of": 1, "interval": pytest.approx([0, 0.79], abs=0.01),
    }  # fmt: skip


def test_a_version_that_was_not_read_counts_nowhere_and_the_status_says_so(errata, referee):
    referee.say = lambda stage, text: 400 if "n+2" in text else ACCEPT
    status, out, _ = errata("--model", "m", "--rollouts", "1")
    assert status == 3
    assert "Not read: 7 before: " in out
    assert row(out, "all ") == "– 0 of 0 0 of 0 0 of 1 (0–79 %) 0 of 1 (0–79 %) –"


def test_who_calls_itself_simulated_has_measured_nothing(errata, referee):
    referee.served = "simulated-reader"
    _, out, _ = errata("--model", "m", "--rollouts", "1")
    assert "Simulated: the reader calls itself simulated-reader." in out
    assert "Nothing was measured" in out
    assert "Model: " not in out


def test_a_missing_clone_is_named_with_the_command_that_brings_it(errata, referee, corrected):
    rows = [corrected.row(), corrected.row(id="8", repo="owner/absent"),
            corrected.row(id="9", repo="absent")]  # fmt: skip
    status, out, _ = errata(rows=rows)
    assert status == 0
    assert f"git clone https://github.com/owner/absent {corrected.folder}/owner+absent" in out
    assert "No clone of absent (1 row) in" in out
    shutil.rmtree(corrected.repo)
    status, out, _ = errata("--model", "m", rows=rows)
    assert status == 3
    assert "Nothing to read." in out or "0 found" in out
    assert referee.asked == []


def test_a_result_that_cannot_be_found_is_named_and_stops_nothing(errata, referee, corrected):
    lost = corrected.row(id="8", label="\x1b[31mhostile", statement_lines=[1, 1])
    lost |= {"fixed_lines": [[1, 1]]}
    status, out, _ = errata("--model", "m", "--rollouts", "1", rows=[corrected.row(), lost])
    assert status == 3
    assert "Not found: 8" in out
    assert "\x1b" not in out
    assert row(out, "all ").startswith("0 of 1 ")


def test_a_commit_that_is_none_is_bad_input_and_one_that_is_not_here_is_named(errata, corrected):
    status, _, err = errata(rows=[corrected.row(commit="12345")])
    assert status == 2
    assert "row 1: commit" in err
    status, out, _ = errata(rows=[corrected.row(commit="1" * 40)])
    assert status == 3
    assert "after: unknown revision '1111" in out


def test_rows_stand_in_place_of_the_shipped_ones_or_beside_them(errata, run, corrected):
    status, out, _ = errata("--with-shipped", "--format", "json", rows=[corrected.row(id="own")])
    assert status == 0
    found = json.loads(out)
    assert [item["id"] for item in found["rows"]] == ["own"]
    assert {item["repo"] for item in found["missing_clones"]} >= {"stacks/stacks-project"}
    assert found["famous"] is True
    status, out, _ = run("bench", "errata", "--clones", str(corrected.folder))
    assert status == 3
    assert "56 corrections, 0 found" in out
    assert "git clone https://github.com/HoTT/book" in out


def test_only_so_many_rows_are_read(errata, corrected):
    _, out, _ = errata("--limit", "1", rows=[corrected.row(), corrected.row(id="8")])
    assert "1 correction, 1 found" in out


def test_proposals_are_lines_that_can_be_confirmed_and_read(run, corrected, referee, tmp_path):
    objecting(referee, ("n+2", "Then $n+2$ is even."))
    status, out, err = run("bench", "errata", "--mine", str(corrected.repo))
    assert status == 0
    assert "1 candidate in 3 commits" in err
    proposal = json.loads(out) | {"wrong": "two is taken for one", "confirmed": True}
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(proposal))
    status, out, _ = run(
        "bench", "errata", "--clones", str(corrected.folder), "--rows", str(path), "--model", "m"
    )
    assert status == 0
    assert row(out, "severity not labelled").startswith("1 of 1 ")


def test_mining_goes_back_to_a_revision(run, corrected):
    mine = ("bench", "errata", "--mine", str(corrected.repo), "--since")
    _, out, err = run(*mine, corrected.commit)
    assert (out, err) == ("", "0 candidates in 1 commit\n")
    status, _, err = run(*mine, "nowhere")
    assert status == 2
    assert "nowhere" in err


def test_the_latest_proposals_are_printed_up_to_a_limit(run, corrected):
    commit(corrected.repo, {"main.tex": paper(LATER.replace("n+1", "n-1"))}, message="wrong sign")
    _, out, err = run("bench", "errata", "--mine", str(corrected.repo), "--limit", "1")
    assert len(out.splitlines()) == 1
    assert "Printed: the latest 1" in err


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("--clones", "nowhere"), "folder not found: nowhere"),
        (("--clones", ".", "--since", "HEAD"), "--since needs --mine"),
        (("--mine", ".", "--model", "m"), "cannot be used: --model"),
        (("--mine", ".", "--rows", "x"), "cannot be used: --rows"),
        (("--clones", ".", "--judge-model", "j"), "--judge-model needs --model"),
        (("--mine", "."), "not a git repository: ."),
    ],
)
def test_options_that_cannot_be_meant_are_refused(run, tmp_path, monkeypatch, argv, words):
    monkeypatch.chdir(tmp_path)
    status, _, err = run("bench", "errata", *argv)
    assert status == 2
    assert words in err
