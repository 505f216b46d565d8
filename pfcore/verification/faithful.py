"""Faithfulness: a piece of a rewriting and the original in, faithful or differences out."""

from dataclasses import dataclass

from pfcore.verification.reply_parsing import Malformed, count_opened, last_json, tagged

FAITHFUL = "faithfulness"


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessGap:
    """What the original says, what the rewriting says, and what changes by it."""

    original: str
    rewriting: str
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FaithfulnessReply:
    """A piece was compared; without differences it is faithful."""

    differences: tuple[FaithfulnessGap, ...]


def parse_faithfulness(text: str) -> FaithfulnessReply | Malformed:
    """The verdict of a reply."""
    choice = last_json(text)
    if isinstance(choice, Malformed):
        return choice
    found = tuple(
        FaithfulnessGap(
            original=item.inner("original"),
            rewriting=item.inner("rewriting"),
            effect=item.inner("effect"),
        )
        for item in tagged(text, "difference")
        if item.inner("effect")
    )
    if len(found) < count_opened(text, "difference"):
        return Malformed(reason="a difference has no effect or no end")
    verdict = choice.get("verdict")
    if verdict not in ("faithful", "unfaithful"):
        return Malformed(reason="the JSON block has no verdict")
    if (verdict == "unfaithful") != bool(found):
        return Malformed(reason="the verdict and the list of differences disagree")
    return FaithfulnessReply(differences=found)
