"""A paper's proof document: modules in reading order, what each text refers to, edges."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.model import Edge, Module


class Target(NamedTuple):
    """What a key of a mention names: a module, maybe a label inside it, else a word for it.

    `module` is "" where it names none; `anchor` is the label of an equation or item inside
    the module's own text; `word` is section, figure, page or unresolved.
    """

    module: str
    anchor: str
    word: str


class Links(NamedTuple):
    """What one passage refers to: for each mention its targets, and terms with who defines them."""

    mentions: tuple[tuple[Target, ...], ...]
    terms: tuple[tuple[str, str], ...]


NO_LINKS = Links((), ())


class Heading(NamedTuple):
    """A section of the paper: its level, title, parent (or -1), and the positions it covers."""

    level: int
    title: str
    path: str
    parent: int
    first: int
    last: int
    refers: tuple[str, ...]


class Place(NamedTuple):
    """Where a label stands: file and offset, what holds it, and the module (or "")."""

    path: str
    offset: int
    holder: str
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofDocument:
    """The modules of one paper with G (edges) and T (parents), and all that the contexts need.

    `statements` and `proofs` hold the links of each module's statement and of each of its
    proofs; `uses` the modules named by `\\uses`; `scope` the conventions that bind a module.
    `labels` lists every place of every label.
    """

    name: str
    root: str
    modules: Mapping[str, Module]
    statements: Mapping[str, Links]
    proofs: Mapping[str, tuple[Links, ...]]
    uses: Mapping[str, tuple[str, ...]]
    scope: Mapping[str, tuple[str, ...]]
    edges: tuple[Edge, ...]
    labels: Mapping[str, tuple[Place, ...]]
    headings: tuple[Heading, ...]
    loose: tuple["LooseProof", ...]

    def invoked(self) -> dict[str, list[Edge]]:
        """The edges by their source."""
        found: dict[str, list[Edge]] = {}
        for edge in self.edges:
            found.setdefault(edge.source, []).append(edge)
        return found


class LooseProof(NamedTuple):
    """A proof environment without a statement; `aims` says whether it names one."""

    path: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    aims: bool
