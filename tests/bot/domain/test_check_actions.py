"""Buttons are as long as GitHub takes them, and none but ours asks for anything."""

import pytest

from bot.domain.chat_commands import Command, Verb
from bot.domain.check_actions import READ, CheckAction, finding_actions, pressed_command
from bot.domain.forge import CommitCheck

HEAD = "a" * 40


@pytest.mark.parametrize("action", [READ, *finding_actions("abcdefgh")])
def test_each_button_that_is_shown_asks_for_something(action):
    assert pressed_command(action.identifier, HEAD) is not None
    assert max(len(action.identifier), len(action.label)) <= 20 and len(action.description) <= 40


@pytest.mark.parametrize(
    ("identifier", "command"),
    [
        ("read", Command(verb=Verb.CHECK, commit=HEAD)),
        ("explain:abcdefgh", Command(verb=Verb.EXPLAIN, finding="abcdefgh")),
        ("explain:ABCDEFGH", None),
        ("explain:", None),
        ("read:abcdefgh", None),
        ("pause", None),
        ("", None),
    ],
)
def test_a_button_is_a_command(identifier, command):
    assert pressed_command(identifier, HEAD) == command


def test_a_dismissal_by_a_button_says_so():
    made = pressed_command("dismiss:abcdefgh", HEAD)
    assert made is not None and made.verb is Verb.DISMISS
    assert made.reason == "dismissed with the button of the check"


@pytest.mark.parametrize(
    ("identifier", "label", "description"),
    [("i" * 21, "l", "d"), ("i", "l" * 21, "d"), ("i", "l", "d" * 41), ("i", "", "d")],
)
def test_what_github_would_refuse_is_refused_here(identifier, label, description):
    with pytest.raises(ValueError, match="longer than GitHub allows"):
        CheckAction(identifier=identifier, label=label, description=description)


def test_a_check_has_three_buttons_at_most():
    with pytest.raises(ValueError, match="3 buttons"):
        CommitCheck(
            name="x",
            head=HEAD,
            key="",
            title="",
            summary="",
            conclusion=None,
            actions=(READ,) * 4,
        )
