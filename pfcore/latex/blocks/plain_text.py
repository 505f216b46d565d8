"""LaTeX as a person reads it: titles and sentences as one line of plain Unicode text."""

from functools import lru_cache

from pfcore.domain.lazy_regex import regex

LIMIT = 10_000
"""Characters of the longest snippet that is parsed; about 50 ms."""

_NOT_PLAIN = regex(r"[\\$~{}%&#]|--|``|''|[!?]`")


@lru_cache(maxsize=4096)
def plain_text(snippet: str) -> str:
    """A snippet of LaTeX as one line of text, as it stands where it cannot be parsed.

    A macro that nothing is known about stays with its arguments as it was written; a reference
    is its key.
    """
    if not _NOT_PLAIN.search(snippet):
        return " ".join(snippet.split())
    found = converted(snippet)
    return snippet if found is None else found


def converted(snippet: str) -> str | None:
    """A snippet as one line of text; None if it is too long or no complete LaTeX."""
    if len(snippet) > LIMIT:
        return None
    from pfcore.latex.blocks.pylatexenc_text import convert  # loads pylatexenc

    return convert(snippet)
