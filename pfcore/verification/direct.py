"""One question about a whole paper: its PDF in, a list of errors with their places out."""

from dataclasses import dataclass

from pfcore.verification.fence import Part
from pfcore.verification.reply_parsing import Malformed, count_opened, last_json, tagged
from pfcore.verification.verify import ModuleVerifier, Unread

DIRECT_PAPER = "direct-paper"
MOST_ERRORS = 40
"""Errors of a paper at most: a longer list is no reading."""

_PLACE = 200
"""Characters of a location that count: more is no place, but a text about one."""
_DIRECT_TASK: Part = ("Task", "The paper is the attached PDF.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedError:
    """An error that somebody says a paper has: where, with a label as the paper prints it, why."""

    location: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The errors of one reading."""

    errors: tuple[ReportedError, ...]


async def read_directly(reading: ModuleVerifier, rollout: int) -> Listed | Unread:
    """One reading of the paper that the reading's actions see: the baseline of the paper."""
    return await reading.asked(DIRECT_PAPER, (_DIRECT_TASK,), rollout, parse_reported_errors)


def parse_reported_errors(text: str) -> Listed | Malformed:
    """The last list of a reply; its length and the number in the JSON block have to agree."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    last = text[max(0, text.rfind("<errors")) :]
    lists = tagged(last, "errors")
    found = tuple(
        ReportedError(location=item.inner("location")[:_PLACE], words=item.inner("description"))
        for whole in lists
        for item in tagged(whole.body, "error")
    )
    if not lists or len(found) < count_opened(last, "error"):
        return Malformed(reason="there is no list of errors, or an error has no end")
    if not all(item.location and item.words for item in found):
        return Malformed(reason="an error has no location or no description")
    if len(found) > MOST_ERRORS:
        return Malformed(reason=f"there are {len(found)} errors; name the {MOST_ERRORS} gravest")
    count = choice.get("errors")
    if isinstance(count, bool) or count != len(found):
        return Malformed(reason="the number in the JSON block is not that of the list")
    return Listed(errors=found)
