"""What one file declares, whatever document it belongs to: macros, environments, inputs, class."""

import re
from typing import NamedTuple

from pfcore.domain.spans import Spans
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.lexer.sites import sites
from pfcore.latex.macros.definitions import Definition, definitions
from pfcore.latex.macros.group_bounds import GroupBound, bounds_around, confined
from pfcore.latex.project.declarations import Environment, Theorem, declarations
from pfcore.latex.project.excluded import Excluded, excluded
from pfcore.latex.project.links import FileLink, links
from pfcore.latex.project.switches import Switches, switches

_BEGIN = re.compile(r"\\begin\s*\{\s*([^{}\\\s][^{}\\]{0,60}?)\s*\}")


class Survey(NamedTuple):
    """All that one file declares, in its order; `body` is where its document begins, or -1.

    `bounds` are those of the groups in which it defines macros or reads in files; `switches` the
    conditions that it declares and sets, `excluded` the environments that it hides and shows;
    `begun` names each environment that it begins, once.
    """

    theorems: tuple[Theorem, ...]
    environments: tuple[Environment, ...]
    macros: tuple[Definition, ...]
    links: tuple[FileLink, ...]
    document_class: str
    class_options: str
    body: int
    silent: tuple[tuple[int, int], ...]
    proofs: tuple[str, ...]
    note: str
    bounds: tuple[GroupBound, ...] = ()
    switches: Switches = Switches()
    excluded: Excluded = Excluded()
    begun: tuple[str, ...] = ()

    @property
    def places(self) -> list[int]:
        """Where it defines macros or reads in files."""
        return [item.start for item in self.macros] + [link.offset for link in self.links]


def survey_file(text: str, *, note: str = "") -> Survey:
    """Read the declarations of one file; `silent` are the spans of the definitions themselves.

    `note` says how the file was decoded, where that had to be guessed.
    """
    masked = mask(text).text
    groups = Groups(masked)
    places = sites(masked)
    found = declarations(masked, groups, places)
    inner = Spans(found.silent)
    macros = [item for item in definitions(masked, groups, places) if not inner.covers(item.start)]
    silent = sorted([*found.silent, *(item.whole(masked) for item in macros)])
    linked = links(masked, Spans(silent), places)
    made = Survey(
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
    declared = [start for start, _ in found.silent]
    confining = bounds_around(masked, [*made.places, *declared], hidden=silent)
    ended = Spans(confined(confining))
    environments = (
        item._replace(is_local=ended.covers(start))
        for item, start in zip(found.environments, declared, strict=True)
    )
    return made._replace(
        environments=tuple(environments),
        bounds=confining,
        switches=switches(masked, places),
        excluded=excluded(masked, groups, Spans(silent)),
        begun=tuple(dict.fromkeys(_BEGIN.findall(masked))),
    )
