"""Paper text as data in a prompt: fenced by a line that it cannot contain, without what is unseen.

The boundary comes from the text's own digest, so equal texts make equal prompts.
"""

import re
from collections.abc import Sequence

from pfcore.digest import text_digest

Part = tuple[str, str]
"""A title and a text."""

_UNSEEN = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff\x00-\x08\x0b-\x1f\x7f-\x9f]"
)


def fenced(parts: Sequence[Part]) -> str:
    """The parts that are not empty, each between boundary lines that name it."""
    kept = [(title, visible(text).strip()) for title, text in parts]
    kept = [(title, text) for title, text in kept if text]
    boundary = _boundary("\n".join(text for _, text in kept))
    blocks = [
        f"----- {boundary} begin: {title}\n{text}\n----- {boundary} end: {title}"
        for title, text in kept
    ]
    return "\n\n".join(blocks) + "\n"


def visible(text: str) -> str:
    """A text without characters that a reader of the PDF cannot see."""
    return _UNSEEN.sub("", text)


def _boundary(text: str) -> str:
    boundary = text_digest(text)[:16]
    while boundary in text:
        boundary = text_digest(boundary + text)[:16]
    return boundary
