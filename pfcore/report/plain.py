"""Text of papers made safe to print: no escape sequence, no invisible control survives."""

import re

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]")


def safe(text: str) -> str:
    """One line without control and direction characters, whatever a paper contains."""
    return " ".join(_CONTROL.sub(" ", text).split())


def shortened(text: str, width: int) -> str:
    """A text cut to a width, with an ellipsis where something is missing."""
    return text if len(text) <= width else text[: max(1, width - 1)].rstrip() + "…"


def count(number: int, noun: str, plural: str = "") -> str:
    """`1 module`, `2 modules`, `1,234 modules`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
