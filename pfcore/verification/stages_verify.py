"""Verify block: a context in, accepted or objections out."""

from dataclasses import dataclass

from pfcore.verification.reply_parsing import Malformed, count_opened, last_json, tagged

STAGE = "verify"
MOST = 20
"""Objections to one block at most: a longer list is no reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockObjection:
    """What a reader holds against a block: the words it is about, and what fails there."""

    quote: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A block was read; without objections it was accepted."""

    objections: tuple[BlockObjection, ...]


def parse_verdict(text: str) -> Checked | Malformed:
    """The verdict of a reply: the list and the JSON block have to say the same."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    verdict = choice.get("verdict")
    if verdict not in ("accept", "flag"):
        return Malformed(reason="the JSON block has no verdict")
    last = text[max(0, text.rfind("<objections")) :]
    found = tuple(
        BlockObjection(quote=item.inner("quote"), problem=item.inner("problem"))
        for whole in tagged(last, "objections")
        for item in tagged(whole.body, "objection")
        if item.inner("problem")
    )
    if len(found) < count_opened(last, "objection"):
        return Malformed(reason="an objection has no problem, no end, or no place in the list")
    if len(found) > MOST:
        return Malformed(reason=f"there are {len(found)} objections; name the {MOST} gravest")
    if verdict == "flag" and not found:
        return Malformed(reason="the verdict is a flag without an objection")
    if verdict == "accept" and found:
        return Malformed(reason="the verdict accepts, and there are objections")
    return Checked(objections=found)
