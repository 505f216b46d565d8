"""Reading replies: the last block counts, LaTeX survives in tags, and doubt is no verdict."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.verification.reply_parsing import Malformed, last_json, tagged

READ = {
    "a fenced block": ('Words.\n```json\n{"verdict": "accept"}\n```', {"verdict": "accept"}),
    "a fence without a language": ('```\n{"a": 1}\n```\n', {"a": 1}),
    "a bare object at the end": ('Words {x}.\n{"a": {"b": 2}}', {"a": {"b": 2}}),
    "the last of two": ('```json\n{"a": 1}\n```\nNo:\n```json\n{"a": 2}\n```', {"a": 2}),
    "a formula behind it": ('```json\n{"a": 1}\n```\nFor $\\frac{1}{2}$.', {"a": 1}),
    "a short remark behind it": ('```json\n{"a": 1}\n```\nThat is all.', {"a": 1}),
}


@pytest.mark.parametrize("name", READ)
def test_the_last_block_counts(name: str) -> None:
    text, value = READ[name]
    assert last_json(text) == value


MALFORMED = {
    "nothing": "",
    "no block": "I accept the proof.",
    "a list": "```json\n[1]\n```",
    "LaTeX in JSON": '```json\n{"why": "\\frac12 \\q"}\n```',
    "a block cut off": '```json\n{"verdict": "acc',
    "the last one broken": '```json\n{"a": 1}\n```\n```json\n{"a": \n```',
    "a block long before the end": '```json\n{"a": 1}\n```\n' + "But then. " * 40,
    "another object behind it": '```json\n{"a": 1}\n```\nNo, wait: {"a": 2}',
    "another object within the remark": '```json\n{"a": 1}\n```\nNot { "a": 2 }, I think.',
    "two values of one key": '```json\n{"a": 1, "a": 2}\n```',
    "deep nesting": "[" * 50_000 + "]" * 50_000 + "}",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_anything_else_says_nothing(name: str) -> None:
    assert isinstance(last_json(MALFORMED[name]), Malformed)


def test_tags_keep_latex_as_it_is() -> None:
    (found,) = tagged(
        '<finding id="F1"><quote>$\\beta < \\frac{1}{2}$</quote></finding>', "finding"
    )
    assert (found.id, found.inner("quote"), found.inner("none")) == (
        "F1",
        "$\\beta < \\frac{1}{2}$",
        "",
    )


def test_a_tag_that_nothing_closes_is_none() -> None:
    assert tagged("<quote>words", "quote") == []


@given(st.text(alphabet='{}[]"`json\n:1a\\', max_size=80))
def test_any_reply_is_read_or_refused(text: str) -> None:
    assert isinstance(last_json(text), dict | Malformed)


@pytest.mark.parametrize("kind", ["python", "latex", "text"])
def test_a_block_of_another_kind_before_the_last_one_is_no_matter(kind: str) -> None:
    text = f'```{kind}\nx = 1\n```\nso\n```json\n{{"verdict": "accept"}}\n```'
    assert last_json(text) == {"verdict": "accept"}
