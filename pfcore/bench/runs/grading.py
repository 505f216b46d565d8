"""Grades of a solution's steps, as replies give them: a word for each, and the first wrong one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pfcore.verification.fence import Part
from pfcore.verification.reply_parsing import Malformed, last_json

DIRECT = "direct-steps"

_WORDS = ("right", "wrong")


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """A problem, and a solution of it in steps."""

    problem: str
    steps: tuple[str, ...]

    @property
    def text(self) -> str:
        """The solution as one text."""
        return "\n\n".join(self.steps)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The problem and each step by itself: no step can pass for another."""
        numbered = ((f"Step {number}", text) for number, text in enumerate(self.steps))
        return (("Problem", self.problem), *numbered, ("The steps", self._count()))

    def _count(self) -> str:
        count = len(self.steps)
        many = f"There are {count}, with the numbers 0 to {count - 1}."
        return many if count > 1 else "There is one, 0."


@dataclass(frozen=True, slots=True, kw_only=True)
class Grades:
    """The steps that are wrong, by their numbers from 0, in order."""

    wrong: tuple[int, ...]

    @property
    def first(self) -> int | None:
        """The first wrong step; None if all are right."""
        return self.wrong[0] if self.wrong else None


def parse_grades(text: str, count: int) -> Grades | Malformed:
    """The grades of a reply to the direct question."""
    choice = last_json(text)
    return choice if isinstance(choice, Malformed) else grades(choice, count)


def grades(choice: Mapping[str, Any], count: int) -> Grades | Malformed:
    """What a JSON block says of so many steps; the first wrong step has to be the first."""
    listed = choice.get("steps")
    if not isinstance(listed, list) or any(word not in _WORDS for word in listed):
        return Malformed(reason='"steps" in the JSON block is no list of "right" and "wrong"')
    if len(listed) != count:
        return Malformed(reason=f"there are {count} steps, and {len(listed)} grades")
    found = Grades(wrong=tuple(n for n, word in enumerate(listed) if word == "wrong"))
    if "first" not in choice or choice["first"] is True or choice["first"] != found.first:
        return Malformed(reason='"first" in the JSON block is not the first wrong step')
    return found
