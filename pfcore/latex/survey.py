"""What one file declares, whatever document it belongs to: macros, environments, inputs, class."""

from typing import NamedTuple

from pfcore.latex.declarations import Environment, Theorem, declarations
from pfcore.latex.groups import Groups
from pfcore.latex.links import Link, links
from pfcore.latex.macros import Definition, definitions
from pfcore.latex.mask import mask
from pfcore.latex.spans import Spans


class Survey(NamedTuple):
    """All that one file declares, in its order; `body` is where its document begins, or -1."""

    theorems: tuple[Theorem, ...]
    environments: tuple[Environment, ...]
    macros: tuple[Definition, ...]
    links: tuple[Link, ...]
    document_class: str
    class_options: str
    body: int
    silent: tuple[tuple[int, int], ...]
    proofs: tuple[str, ...]
    note: str


def survey(text: str, *, note: str = "") -> Survey:
    """Read the declarations of one file; `silent` are the spans of the definitions themselves.

    `note` says how the file was decoded, where that had to be guessed.
    """
    masked = mask(text).text
    groups = Groups(masked)
    macros = definitions(masked, groups)
    found = declarations(masked, groups)
    silent = sorted([*found.silent, *((item.start, item.end) for item in macros)])
    linked = links(masked, Spans(silent))
    return Survey(
        found.theorems,
        found.environments,
        tuple(macros),
        linked.links,
        linked.document_class,
        linked.class_options,
        linked.body,
        tuple(silent),
        found.proofs,
        note,
    )
