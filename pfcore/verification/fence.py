"""Paper text as data in a prompt: fenced by a line that it cannot contain, without what is unseen.

The boundary comes from the text's own digest, so equal texts make equal prompts.
"""

from collections.abc import Sequence

from pfcore.domain.digest import text_digest
from pfcore.latex.lexer.unseen import visible

Part = tuple[str, str]
"""A title and a text."""


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


def _boundary(text: str) -> str:
    boundary = text_digest(text)[:16]
    while boundary in text:
        boundary = text_digest(boundary + text)[:16]
    return boundary
