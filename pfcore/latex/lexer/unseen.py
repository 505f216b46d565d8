"""Characters that a reader of the PDF cannot see."""

import re

UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def visible(text: str) -> str:
    """A text without characters that a reader of the PDF cannot see."""
    return UNSEEN.sub("", text)
