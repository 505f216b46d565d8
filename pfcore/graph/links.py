"""What one passage refers to, resolved: the links that contexts and edges are made of."""

from collections.abc import Iterator
from typing import NamedTuple


class LinkTarget(NamedTuple):
    """What a key of a mention names: a module, maybe a label inside it, else a word for it.

    `module` is "" where it names none; `anchor` is the label of an equation or item inside
    the module's own text; `word` is section, float, proof or unresolved.
    """

    module: str
    anchor: str
    word: str


UNRESOLVED = "unresolved"

Mentioned = tuple[tuple[LinkTarget, ...], ...]
"""For each mention of a passage its targets."""


USES = "\\uses"
"""In place of a term: a definition that a statement declares to use."""


class ResolvedLinks(NamedTuple):
    """What one passage refers to: for each mention its targets, and terms with who defines them."""

    mentions: Mentioned
    terms: tuple[tuple[str, str], ...]


NO_LINKS = ResolvedLinks((), ())


def linked_modules(links: ResolvedLinks) -> Iterator[str]:
    """The modules that a passage refers to, by reference or by term."""
    for targets in links.mentions:
        for target in targets:
            if target.module:
                yield target.module
    for _, definition in links.terms:
        yield definition
