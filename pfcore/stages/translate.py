"""Translate: what is told to the model when a translation has to be written again."""

from collections.abc import Mapping

from pfcore.latex.spans import Lines
from pfcore.markup.outline import Outline
from pfcore.stages.faithful import Difference

STAGE = "translate"
_MOST = 20


def faults_in_words(made: Outline, text: str) -> str:
    """The faults of a translation's form, each with its line and tag."""
    lines = Lines(text)
    listed = [
        f"line {lines.place(fault.start)[0]}: {fault.message}" for fault in made.faults[:_MOST]
    ]
    return "The form is wrong:\n" + "\n".join(f"- {line}" for line in listed)


def differences_in_words(found: Mapping[str, tuple[Difference, ...]]) -> str:
    """What differs from the original, piece by piece; "" if nothing does."""
    listed = [
        f"- {name}: the original has: {item.original}; the rewriting has: {item.rewriting}; "
        f"by that {item.effect}"
        for name, differences in found.items()
        for item in differences
    ]
    return "\n".join(["These pieces are not faithful:", *listed]) if listed else ""
