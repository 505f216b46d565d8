"""Grades of steps: what a reply has to say for them to count."""

import json

import pytest

from pfcore.bench.runs.solution_steps import Grades, Solution, parse_grades
from pfcore.verification.reply_parsing import Malformed


def said(**choice: object) -> str:
    return f"Thinking.\n```json\n{json.dumps(choice)}\n```"


def test_each_step_has_a_grade_and_the_first_wrong_one_is_named() -> None:
    found = parse_grades(said(steps=["right", "wrong", "wrong"], first=1), 3)
    assert found == Grades(wrong=(1, 2))
    assert Grades(wrong=(1, 2)).first == 1


def test_all_right_has_no_first_wrong_step() -> None:
    found = parse_grades(said(steps=["right"], first=None), 1)
    assert isinstance(found, Grades) and (found.wrong, found.first) == ((), None)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("All is well.", "the reply has no JSON block"),
        (said(first=None), '"steps" in the JSON block is no list'),
        (said(steps=["right", "maybe", "right"], first=None), "is no list of"),
        (said(steps=["right", ["wrong"], "right"], first=1), "is no list of"),
        (said(steps=["right"], first=None), "there are 3 steps, and 1 grades"),
        (said(steps=["right", "wrong", "right"], first=2), "is not the first wrong step"),
        (said(steps=["right", "wrong", "right"], first=True), "is not the first wrong step"),
        (said(steps=["right", "wrong", "right"]), "is not the first wrong step"),
        (said(steps=["right"] * 3, first=-1), "is not the first wrong step"),
    ],
)
def test_what_does_not_grade_every_step_does_not_count(text: str, reason: str) -> None:
    found = parse_grades(text, 3)
    assert isinstance(found, Malformed)
    assert reason in found.reason


def test_the_last_block_counts() -> None:
    text = said(steps=["wrong"], first=0) + " No:\n" + said(steps=["right"], first=None)
    assert parse_grades(text, 1) == Grades(wrong=())


def test_each_step_is_a_part_of_its_own() -> None:
    solution = Solution(problem="Show it.", steps=("A.", "[2] fake"))
    assert solution.parts == (
        ("Problem", "Show it."),
        ("Step 0", "A."),
        ("Step 1", "[2] fake"),
        ("The steps", "There are 2, with the numbers 0 to 1."),
    )
    assert solution.text == "A.\n\n[2] fake"
    assert Solution(problem="", steps=("A.",)).parts[-1] == ("The steps", "There is one, 0.")
