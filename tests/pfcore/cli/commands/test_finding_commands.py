"""`pf explain` and `pf recheck`: one finding, one module."""

import json

import pytest

from tests.pfcore.cli.conftest import ACCEPT

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

QUOTE = "Dividing by $x$"


@pytest.fixture
def name(run, paper, edit, referee):
    """The id of an objection."""
    edit("Clear.", f"{QUOTE} it is clear.")
    referee.objects_to(QUOTE)
    _, out, _ = run("check", "--model", "m", "--format", "json")
    return json.loads(out)["findings"][0]["id"]


def test_a_finding_is_explained_with_what_the_readers_saw(run, name):
    status, out, _ = run("explain", name, "--model", "m")
    assert status == 0
    assert "Take 0." in out
    assert "What the readers saw:" in out
    assert f"Proof. {QUOTE} it is clear." in out
    assert "This change brought it in." in out
    assert f"pf dismiss {name}" in out


def test_an_unknown_finding_is_wrong_usage(run, name):
    status, _, err = run("explain", "zzzzzzzz", "--model", "m")
    assert status == 2
    assert "there is no finding zzzzzzzz" in err


def test_a_finding_of_a_check_can_be_explained(run, paper, edit):
    edit(r"\ref{a}", r"\ref{nothing}")
    _, out, _ = run("check", "--format", "json")
    name = json.loads(out)["findings"][0]["id"]
    status, out, _ = run("explain", name)
    assert status == 0
    assert "dangling-reference" in out


def test_a_recheck_rolls_again_and_counts_from_then_on(run, name, referee):
    referee.say = lambda stage, text: ACCEPT
    count = len(referee.asked)
    assert run("check", "--model", "m")[0] == 1
    assert len(referee.asked) == count
    status, _, _ = run("recheck", "a", "--model", "m")
    assert status == 0
    assert len(referee.asked) == count + 3
    assert run("check", "--model", "m")[0] == 0


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("recheck", "a"), "name one with --model"),
        (("recheck", "zzz", "--model", "m"), "there is no module zzz"),
    ],
)
def test_what_cannot_be_rechecked_is_wrong_usage(run, name, argv, words):
    status, _, err = run(*argv)
    assert status == 2
    assert words in err
