"""The block of the page for groups, as an author pastes it: what GitHub makes of it, run."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from pfcore.cli.day_spending import spent_by
from tests.acceptance.calling import RefusedError
from tests.acceptance.conftest import KEY
from tests.acceptance.runner import REPO, Run
from tests.acceptance.staging import DANGLING, FLAWED, SOUND, Stage
from tests.bot.conftest import ACTIONS, World, moment

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.sampled(3),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]

Paste = Callable[..., Run | None]


@pytest.fixture
def block() -> str:
    """The lines of the page."""
    page = (REPO / ".github/docs/together.md").read_text(encoding="utf-8")
    found = re.findall(r"<!-- action -->\n```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def results(run: Run | None) -> dict[str, str]:
    assert run is not None
    return {name: job["result"] for name, job in run.needs.items()}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("review.yml", "revew.yml"),
        ("review.yml@v", "review.yml@w"),
        ("OWNER/pf-verify/.github/workflows/review", "OWNER/pf/.github/workflows/review"),
    ],
)
def test_it_calls_the_workflow_of_this_very_release(
    paste: Paste, block: str, old: str, new: str
) -> None:
    assert block.count(old) == 1
    with pytest.raises(RefusedError):
        paste(block.replace(old, new), "pull", SOUND, FLAWED)


def test_on_a_pull_request_proofs_are_read_and_told(
    paste: Paste, block: str, world: World, double: Any
) -> None:
    run = paste(block, "pull", SOUND, FLAWED, reader=double.base_url)
    assert results(run) == {
        "comparison": "success", "structure": "success", "renewal": "skipped", "proofs": "success",
        "publish": "success",
    }  # fmt: skip
    assert "Dividing by" in world.remarks[0]["body"]
    assert [(item["name"], item["conclusion"]) for item in world.runs] == [
        ("pf / proofs", "neutral")
    ]
    assert {item["body"]["model"] for item in double.journal() if item.get("body")} == {
        "gpt-5.4-mini"
    }
    assert run is not None
    assert KEY not in json.dumps([log.lines for log in run.logs.values()])


def test_an_error_in_the_structure_fails_it(
    paste: Paste, block: str, world: World, double: Any
) -> None:
    run = paste(block, "pull", SOUND, DANGLING, reader=double.base_url)
    assert results(run)["structure"] == "failure"
    assert results(run)["publish"] == "success"
    assert "1 blocking" in world.words[0]


def test_a_pull_request_whose_base_is_edited_is_reviewed_again(
    paste: Paste, block: str, world: World, double: Any
) -> None:
    run = paste(block, "edited", SOUND, DANGLING, reader=double.base_url)
    assert results(run)["structure"] == "failure"


def test_a_fork_gets_its_structure_and_nothing_is_written(
    paste: Paste, block: str, world: World
) -> None:
    run = paste(block, "fork", SOUND, FLAWED)
    assert results(run) == {
        "comparison": "success", "structure": "success", "renewal": "skipped", "proofs": "skipped",
        "publish": "skipped",
    }  # fmt: skip
    assert {method for method, _ in world.calls} == {"GET"}


def test_a_maintainer_starts_the_reading_of_a_fork(
    paste: Paste, block: str, world: World, double: Any
) -> None:
    run = paste(block, "dispatch", SOUND, FLAWED, reader=double.base_url)
    assert results(run)["proofs"] == results(run)["publish"] == "success"
    assert "Dividing by" in world.remarks[0]["body"]


@pytest.mark.parametrize(("kind", "job"), [("pull", "closing"), ("closed", "review")])
def test_what_closes_is_not_reviewed_and_what_does_not_hands_nothing_on(
    paste: Paste, block: str, world: World, kind: str, job: str
) -> None:
    assert paste(block, kind, SOUND, FLAWED, job=job) is None
    assert world.calls == []


def test_only_a_push_looks_at_other_pull_requests(
    paste: Paste, block: str, world: World, double: Any
) -> None:
    assert paste(block, "pull", SOUND, FLAWED, job="base") is None
    run = paste(block, "push", SOUND, FLAWED, job="base")
    assert results(run) == {"base": "success"}
    assert run is not None
    assert "0 not affected" in run.logs["base"].lines
    assert {method for method, _ in world.calls} == {"GET"}


def test_a_pull_request_that_closes_hands_its_check_on(
    paste: Paste, stage: Stage, block: str, world: World
) -> None:
    run = paste(block, "closed", SOUND, FLAWED, job="closing")
    assert results(run) == {"closing": "success"} and world.runs == []
    assert run is not None
    head = world.pulls[0]["head"]
    world.pulls = [{"number": 9, "head": head}]
    made = {"head_sha": head["sha"], "status": "completed", "app": ACTIONS}
    made["started_at"] = moment(0)
    for number, suffix, conclusion in ((7, "", "success"), (9, " (#9)", "failure")):
        named = {"name": f"pf / proofs{suffix}", "external_id": f"{head['sha']}:1:{number}"}
        output = {"title": conclusion, "summary": ""}
        ended = {"id": 900 + number, "conclusion": conclusion, "output": output}
        world.runs.append({**made, **named, **ended})
    assert results(stage.again(run, "closing")) == {"closing": "success"}
    last = world.runs[-1]
    assert (last["name"], last["conclusion"]) == ("pf / proofs", "failure")


@pytest.mark.parametrize(
    "right", ["{ checks: write, pull", "{ checks: write, pull-requests: read }"]
)
def test_with_a_right_less_it_would_hand_nothing_on(paste: Paste, block: str, right: str) -> None:
    less = "{ pull" if right.endswith("pull") else "{ checks: write }"
    assert block.count(right) == 1
    with pytest.raises(RefusedError):
        paste(block.replace(right, less), "closed", SOUND, FLAWED, job="closing")


def test_a_push_is_reviewed(paste: Paste, block: str, world: World, double: Any) -> None:
    run = paste(block, "push", SOUND, FLAWED, reader=double.base_url)
    assert results(run)["proofs"] == results(run)["publish"] == "success"
    assert world.runs[0]["name"] == "pf / proofs"


def test_what_a_run_has_spent_counts_in_the_next_one_of_any_branch(
    paste: Paste, stage: Stage, block: str, world: World, double: Any
) -> None:
    prices = '[prices."gpt-5.4-mini"]\ninput = 1.0\noutput = 4.0\n'
    run = paste(block, "pull", SOUND, FLAWED, reader=double.base_url, prices=prices)
    assert run is not None
    (name,) = [key for _, key in run.caches if key.startswith("pf-spent-v1-")]
    day = name.removeprefix("pf-spent-v1-")[:10]
    assert spent_by([name], day=day, key="test-key-1") > 0
    world.caches = [name]
    again = stage.again(run)
    assert again.needs["comparison"]["outputs"]["spent"] == name


def test_a_merge_queue_gets_its_checks(paste: Paste, block: str, world: World, double: Any) -> None:
    run = paste(block, "queue", SOUND, FLAWED, reader=double.base_url)
    skipped = [name for name, result in results(run).items() if result != "success"]
    assert skipped == ["renewal"]
    assert world.runs[0]["name"] == "pf / proofs" and world.comments == []


def test_a_merge_queue_with_an_error_fails(paste: Paste, block: str, double: Any) -> None:
    run = paste(block, "queue", SOUND, DANGLING, reader=double.base_url)
    assert results(run)["structure"] == "failure"


def test_a_push_elsewhere_starts_nothing(paste: Paste, block: str) -> None:
    assert paste(block.replace("[main]", "[other]"), "push", SOUND, FLAWED) is None


@pytest.mark.parametrize("right", ["actions: read, contents: read, ", "checks: write, issues"])
def test_with_a_right_less_github_would_not_start_it(paste: Paste, block: str, right: str) -> None:
    assert block.count(right) == 1
    with pytest.raises(RefusedError):
        paste(block.replace(right, right.partition(", ")[2]), "pull", SOUND, FLAWED)


@pytest.fixture
def whole(block: str) -> str:
    """The lines of the page with those of the jobs behind the review."""
    page = (REPO / ".github/docs/together.md").read_text(encoding="utf-8")
    (more,) = re.findall(r"<!-- more -->\n```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return f"{block}{more}"


def test_what_the_page_adds_for_the_ledger_is_enough(
    paste: Paste, stage: Stage, whole: str, world: World, double: Any
) -> None:
    run = paste(whole, "push", SOUND, FLAWED, reader=double.base_url)
    assert run is not None and results(stage.more(run, "ledger", whole)) == {"ledger": "success"}
    assert b'"entry"' in world.files["pf.lock"]


def test_without_that_right_github_would_not_start_it(
    paste: Paste, stage: Stage, whole: str, world: World, double: Any
) -> None:
    run = paste(whole, "push", SOUND, FLAWED, reader=double.base_url)
    assert run is not None
    with pytest.raises(RefusedError):
        stage.more(run, "ledger", whole.replace("contents: write", "contents: read"))
    assert world.files == {}


def test_what_the_page_adds_for_code_scanning_is_enough(
    paste: Paste, stage: Stage, whole: str, world: World, double: Any
) -> None:
    run = paste(whole, "push", SOUND, FLAWED, reader=double.base_url)
    assert run is not None
    assert results(stage.more(run, "scanning", whole)) == {"scanning": "success"}
    assert world.scans[0]["ref"] == "refs/heads/main"


@pytest.mark.parametrize("name", ["ledger", "scanning"])
def test_of_private_findings_nothing_is_recorded_or_scanned(
    paste: Paste, stage: Stage, whole: str, world: World, double: Any, name: str
) -> None:
    text = whole.replace("model: gpt-5.4-mini", "model: gpt-5.4-mini, private: true")
    run = paste(text, "push", SOUND, FLAWED, reader=double.base_url)
    assert run is not None and results(stage.more(run, name, text)) == {name: "skipped"}
    assert (world.files, world.scans) == ({}, [])
