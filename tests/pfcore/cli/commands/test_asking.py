"""A reader asks for what a context lacks: from `pf check` to the ledger and back."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hooks import offline
from pfcore.cli.local_data import store_place
from tests.pfcore.cli.commands.test_faults import CALLS, DOUBTS, REPLIES
from tests.pfcore.cli.conftest import ACCEPT, Referee, flag, genuine

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Run = Callable[..., tuple[int, str, str]]
Edit = Callable[[str, str], None]

TOLD = "Let $Q_j$ be the $j$-th layer of the cake."
WANTS = (
    "<objections></objections><missing><wanted>$Q_j$</wanted></missing>\n"
    '```json\n{"verdict": "open"}\n```'
)


@pytest.fixture
def asking(paper: Path, edit: Edit, referee: Referee) -> Path:
    """A paper in whose last section stands what the reader of its first lemma asks for."""
    edit(r"\end{document}", f"\\section{{Cakes}}\n{TOLD}\n\\end{{document}}")
    (paper / "pf.toml").write_text('[reading]\nwording = "v2"\nrollouts = 1\n', encoding="utf-8")
    commit(paper, "cakes")
    referee.say = says
    return paper


def says(stage: str, text: str) -> str:
    """Everything is right, but of the first lemma one has to know what a layer is."""
    is_first = "Every A is positive" in text.rpartition("begin: To be checked")[2]
    return WANTS if is_first and "layer of the" not in text else ACCEPT


def commit(paper: Path, words: str) -> None:
    for arguments in (["add", "-A"], ["commit", "-qm", words]):
        subprocess.run(["git", *arguments], cwd=paper, check=True)


def read(run: Run, *more: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = run("check", "--model", "m", "--format", "json", *more)
    return status, json.loads(out)


def test_who_asks_is_told_once_and_decides(asking: Path, run: Run, referee: Referee) -> None:
    status, found = read(run, "--all", "--yes")
    assert (status, found["statuses"]) == (0, {"a": "checked", "b": "checked"})
    supplied = [text for _, text in referee.asked if "Supplied on request" in text]
    assert len(supplied) == 1
    assert "layer of the cake" in supplied[0]
    assert len(referee.asked) == 3
    read(run, "--all", "--yes")
    assert len(referee.asked) == 3


def test_an_edit_of_what_was_told_reopens_and_no_other_edit_does(
    asking: Path, edit: Edit, run: Run, referee: Referee
) -> None:
    read(run, "--all", "--yes", "--update-lock")
    commit(asking, "ledger")
    edit(r"\section{Cakes}", r"\section{Cakes and more}")
    _, out, _ = run("plan", "--model", "m", "--format", "json")
    assert (json.loads(out)["affected"], json.loads(out)["reopened"]) == ([], [])
    edit("layer of the cake", "layer of the onion")
    _, out, _ = run("plan", "--model", "m", "--format", "json")
    assert (json.loads(out)["affected"], json.loads(out)["reopened"]) == ([], ["a"])
    _, out, _ = run("plan", "--model", "m")
    assert "1 more proof to re-read: this change edits what" in out
    count = len(referee.asked)
    status, found = read(run)
    assert (status, found["statuses"]["a"]) == (0, "checked")
    assert len(referee.asked) == count + 1  # the first reply still counts: its question is the same


def test_without_a_ledger_or_replies_nobody_knows_what_was_reopened(
    asking: Path, edit: Edit, run: Run
) -> None:
    edit("layer of the cake", "layer of the onion")
    for more in ((), ("--model", "m")):
        _, out, _ = run("plan", "--format", "json", *more)
        assert json.loads(out)["reopened"] is None
    _, out, _ = run("check", "--format", "json")
    (known,) = json.loads(out)["papers"]
    assert known["reopened"] is None


def test_a_ledger_holds_without_store_and_model_where_the_answers_are_reproduced(
    asking: Path, edit: Edit, run: Run, referee: Referee
) -> None:
    read(run, "--all", "--yes", "--update-lock")
    commit(asking, "ledger")
    line = next(line for line in (asking / "pf.lock").read_text().splitlines() if "trace" in line)
    assert json.loads(line)["schema"] == 2
    assert json.loads(line)["trace"][0][:2] == [1, "$Q_j$"]
    Path(store_place()).unlink()
    status, out, _ = run("check", "--all", "--format", "json")
    assert (status, json.loads(out)["statuses"]) == (0, {"a": "checked", "b": "checked"})
    edit("layer of the cake", "layer of the onion")
    _, out, _ = run("check", "--all", "--format", "json")
    assert json.loads(out)["statuses"] == {"a": "unreached", "b": "conditional"}
    edit("layer of the onion", "layer of the cake")
    _, out, _ = run("check", "--all", "--format", "json")
    assert json.loads(out)["statuses"]["a"] == "checked"


def test_what_the_paper_does_not_say_leaves_the_module_unread(
    asking: Path, edit: Edit, run: Run, referee: Referee
) -> None:
    edit(TOLD, "There are cakes.")
    commit(asking, "no layer")
    _, found = read(run, "--all", "--yes")
    assert found["statuses"]["a"] == "unreached"
    (reason,) = [item["reason"] for item in found["unreached"] if item["module"] == "a"]
    assert "lacks $Q_j$" in reason
    edit("There are cakes.", TOLD)
    _, out, _ = run("plan", "--model", "m", "--format", "json")
    assert json.loads(out)["reopened"] == ["a"]
    _, found = read(run)
    assert found["statuses"]["a"] == "checked"


def test_a_repository_may_forbid_it(asking: Path, run: Run, referee: Referee) -> None:
    settings = asking / "pf.toml"
    settings.write_text(settings.read_text() + "asks = false\n", encoding="utf-8")
    commit(asking, "no asking")
    _, found = read(run, "--all", "--yes")
    assert found["statuses"]["a"] == "unreached"
    assert len(referee.asked) == 2


def test_what_was_read_in_the_first_wording_stays_read_in_the_second(
    asking: Path, run: Run, referee: Referee
) -> None:
    settings = asking / "pf.toml"
    text = settings.read_text(encoding="utf-8")
    referee.say = lambda stage, text: ACCEPT
    settings.write_text(text.replace('"v2"', '"v1"'), encoding="utf-8")
    commit(asking, "first")
    read(run, "--all", "--yes", "--update-lock")
    commit(asking, "ledger")
    count = len(referee.asked)
    settings.write_text(text, encoding="utf-8")
    _, found = read(run, "--all", "--yes")
    assert (found["statuses"], len(referee.asked)) == ({"a": "checked", "b": "checked"}, count)
    (asking / "pf.lock").unlink()
    _, found = read(run, "--all", "--yes")
    assert (found["statuses"], len(referee.asked)) == ({"a": "checked", "b": "checked"}, count)


def test_an_explanation_shows_what_was_asked_and_told(
    asking: Path, run: Run, referee: Referee
) -> None:
    referee.say = lambda stage, text: (
        genuine("Clear") if stage == "calibrate" else _objecting(stage, text)
    )
    _, found = read(run, "--all", "--yes")
    (item,) = found["findings"]
    _, out, _ = run("explain", item["id"], "--model", "m")
    told = out.partition("What the readers asked for, and the answers:")[2]
    assert told.split("\n")[1].strip() == "$Q_j$"
    assert "layer of the cake" in told


def _objecting(stage: str, text: str) -> str:
    said = says(stage, text)
    return flag("Clear") if said == ACCEPT and "layer of the" in text else said


def test_what_was_reopened_and_is_not_read_is_no_pass(asking: Path, edit: Edit, run: Run) -> None:
    read(run, "--all", "--yes", "--update-lock")
    commit(asking, "ledger")
    Path(store_place()).unlink()
    assert run("check", "--locked")[0] == 0
    edit("layer of the cake", "layer of the onion")
    status, out, err = run("check", "--locked")
    assert status == 1
    assert "1 result is newer than pf.lock: a" in err
    assert "Not read       1 proof" in out


@pytest.mark.parametrize("name", [*CALLS, *REPLIES, *DOUBTS])
def test_a_fault_of_the_second_question_is_no_verdict_and_the_first_is_not_asked_again(
    asking: Path,
    run: Run,
    referee: Referee,
    configure: Callable[[str], Path],
    name: str,
) -> None:
    configure("[limits]\nattempts = 1")
    said, words = (CALLS | REPLIES | DOUBTS)[name]
    referee.say = lambda stage, text: said if "layer of the" in text else says(stage, text)
    status, found = read(run, "--all", "--yes")
    assert status == 3
    (reason,) = [item["reason"] for item in found["unreached"] if item["module"] == "a"]
    assert words in reason
    referee.asked.clear()
    referee.say = says
    status, found = read(run, "--all", "--yes")
    again = [text for _, text in referee.asked if "Every A is positive" in text.split("Proof.")[0]]
    assert all("layer of the" in text for text in again)
    if name in DOUBTS:  # these are replies: they are kept, and say for ever what they say
        assert (status, again) == (3, [])
    else:
        assert (status, len(again)) == (0, 1)


@pytest.mark.acceptance
def test_who_is_killed_between_the_questions_asks_the_second_one_alone(
    asking: Path, run: Run, referee: Referee
) -> None:
    is_asked, may_go_on = threading.Event(), threading.Event()

    def waiting(stage: str, text: str) -> str:
        if "layer of the" in text:
            is_asked.set()
            may_go_on.wait(30)
        return says(stage, text)

    referee.say = waiting
    code = "from pfcore.cli.main import main; main(['check', '--all', '--yes', '--model', 'm'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        assert is_asked.wait(30)
        process.kill()
    may_go_on.set()
    referee.say = says
    referee.asked.clear()
    _, found = read(run, "--all", "--yes")
    assert found["statuses"]["a"] == "checked"
    first = [text for _, text in referee.asked if "Every A is positive" in text.split("Proof.")[0]]
    assert len(first) == 1
    assert "layer of the cake" in first[0]


USING = ACCEPT.replace("```json", "<used>Result 7, Notation 2</used>\n```json")


def test_an_explanation_lists_the_entries_on_which_verdicts_rest(
    asking: Path, run: Run, referee: Referee
) -> None:
    referee.say = lambda stage, text: USING if "layer of the" in text else says(stage, text)
    read(run, "--all", "--yes")
    status, out, _ = run("explain", "a", "--model", "m")
    assert status == 0
    assert "status: checked" in out
    assert "What the readers asked for, and the answers:" in out
    told = out.partition("The readers say that their verdicts depend on:")[2]
    assert told.split("\n")[1:3] == ["  Result 7  1 of 1", "  Notation 2  1 of 1"]


def test_a_result_that_is_unread_is_explained_by_what_its_readers_lack(
    asking: Path, edit: Edit, run: Run
) -> None:
    edit(TOLD, "Claim. Every $Q_j$ is sweet.")
    commit(asking, "no layer")
    read(run, "--all", "--yes")
    _, out, _ = run("explain", "a", "--model", "m")
    assert "not read: lacks $Q_j$" in out
    assert "(the paper does not explain it)" in out
    assert "The readers say that their verdicts depend" not in out


def test_whoever_asks_why_of_a_module_is_told_what_was_asked_and_says_something_else_now(
    asking: Path, edit: Edit, run: Run
) -> None:
    read(run, "--all", "--yes", "--update-lock")
    commit(asking, "ledger")
    edit("layer of the cake", "layer of the onion")
    _, out, _ = run("plan", "--why", "a")
    assert "not affected: nothing it depends on has changed" in out
    assert "to be re-read: this change edits what its readers asked for ($Q_j$)" in out
    _, out, _ = run("plan", "--why", "b")
    assert "to be read again" not in out


@pytest.mark.parametrize("key", ["Lemma 2", "lemma 2", "b"])
def test_a_result_that_is_asked_for_is_never_supplied_and_it_is_said_that_it_is_there(
    asking: Path, run: Run, referee: Referee, key: str
) -> None:
    referee.say = lambda stage, text: (
        WANTS.replace("$Q_j$", key) if says(stage, text) == WANTS else ACCEPT
    )
    status, out, _ = run("check", "--model", "m", "--all", "--yes")
    assert status == 3
    assert "Supplied on request" not in "".join(text for _, text in referee.asked)
    told = "Lemma 2 is in the paper, main.tex:10; the proof of a does not cite it"
    assert told in out
    _, out, _ = run("explain", "a", "--model", "m")
    assert told in out


def test_hook_and_gate_know_without_store_and_model_what_an_edit_reopens(
    asking: Path, edit: Edit, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    read(run, "--all", "--yes", "--update-lock")
    commit(asking, "ledger")
    Path(store_place()).unlink()
    assert run("gate")[0] == 0
    edit("layer of the cake", "layer of the onion")
    subprocess.run(["git", "add", "main.tex"], cwd=asking, check=True)
    assert offline.main(["main.tex"]) == 0
    assert "1 result is newer than pf.lock: a" in capsys.readouterr().out
    assert offline.main(["--locked", "main.tex"]) == 1
    commit(asking, "onion")
    status, out, _ = run("gate")
    assert status == 3
    assert "1 proof to read" in out
    edit("layer of the onion", "layer of the cake")
    commit(asking, "cake")
    assert run("gate")[0] == 0
