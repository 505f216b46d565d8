"""Translate: what is told to the model when a translation has to be written again."""

from collections.abc import Mapping

from pfcore.domain.spans import LineIndex
from pfcore.markup.pf_proof import PfProof
from pfcore.verification.faithful import FaithfulnessGap

TRANSLATE = "translate"
_MOST = 20


def form_in_words(fault: str, made: PfProof, text: str) -> str:
    """The faults of a translation's form, each with its line and tag; `fault` if it is of none."""
    lines = LineIndex(text)
    listed = [
        f"line {lines.place(fault.start)[0]}: {fault.message}" for fault in made.faults[:_MOST]
    ]
    if all(fault != item.message for item in made.faults):
        listed.insert(0, fault)
    return "The form is wrong:\n" + "\n".join(f"- {line}" for line in listed)


def differences_in_words(found: Mapping[str, tuple[FaithfulnessGap, ...]]) -> str:
    """What differs from the original, piece by piece; "" if nothing does."""
    listed = [
        f"- {name}: the original has: {item.original}; the rewriting has: {item.rewriting}; "
        f"by that {item.effect}"
        for name, differences in found.items()
        for item in differences
    ]
    return "\n".join(["These pieces are not faithful:", *listed]) if listed else ""
