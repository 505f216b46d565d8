"""The rendered numbers of a paper: from its .aux file where there is one, else by simulation."""

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from pfcore.digest import digest
from pfcore.errors import SourceError
from pfcore.latex import codec, wrappers
from pfcore.latex.declarations import Environment, by_name
from pfcore.latex.numbering import aux_file, records, repeats
from pfcore.latex.numbering.records import Number, Step
from pfcore.latex.numbering.simulate import File, simulate
from pfcore.latex.numbering.steps import steps
from pfcore.latex.numbering.vocabulary import Vocabulary
from pfcore.latex.wrappers import Makers
from pfcore.paper import Paper

_VERSION = 1
_MOST_AUX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Numbers by label, and by file and offset of what bears them: the label or the `\\begin`."""

    labels: Mapping[str, Number]
    places: Mapping[tuple[str, int], Number]

    def of(self, label: str) -> Number | None:
        """The number of a label, if that is certain."""
        found = self.labels.get(label)
        return found if found is not None and found.certain else None


NONE = Numbers(labels={}, places={})
"""What is known of numbers where nothing is."""


def numbers(paper: Paper) -> Numbers:
    """The numbers of a paper; a number from an .aux file goes before a simulated one."""
    simulated = simulated_numbers(paper)
    said = _said(paper)
    if not said:
        return simulated
    labels = {
        **simulated.labels,
        **{k: _trusted(paper, v, simulated.labels.get(k)) for k, v in said.items()},
    }
    return Numbers(labels=labels, places=simulated.places)


def _trusted(paper: Paper, said: Number, simulated: Number | None) -> Number:
    """What the .aux says; the environment's name, where it says no kind, from the source.

    A label in a result without a number takes the number of what stands around it.
    """
    if simulated is None or not simulated.kind or said.kind == simulated.kind:
        return said
    is_of_result = simulated.kind in paper.syntax.kinds
    if is_of_result and not simulated.text and said.kind not in paper.syntax.kinds:
        return simulated
    return said._replace(kind=simulated.kind) if said.kind in ("", "equation") else said


def simulated_numbers(paper: Paper) -> Numbers:
    """The numbers as the sources alone give them."""
    environments = _environments(paper)
    files = _files(paper, environments)
    macros = {
        name: macro.body for name, macro in paper.syntax.macros.items() if not macro.parameters
    }
    labels: dict[str, Number] = {}
    places: dict[tuple[str, int], Number] = {}
    for start in dict.fromkeys(paper.outline.starts.values()):
        made = simulate(paper.outline, files, macros, start=start)
        labels = {**made.labels, **labels}
        places = {**made.places, **places}
    return Numbers(labels=labels, places=places)


def _files(paper: Paper, environments: Mapping[str, Environment]) -> dict[str, File]:
    found = _steps(paper, environments)
    restated = repeats.names(step for listed in found.values() for step in listed)
    bodies = {path: paper.surveys[path].body for path in found}
    if restated:
        more = _repeats(paper, list(found), restated)
        found = {
            path: tuple(sorted((*listed, *more[path]), key=lambda step: step.offset))
            for path, listed in found.items()
        }
    return {path: File(listed, bodies[path]) for path, listed in found.items()}


def _steps(paper: Paper, environments: Mapping[str, Environment]) -> dict[str, tuple[Step, ...]]:
    vocabulary = Vocabulary(syntax=paper.syntax, environments=environments)
    paths = [path for path in paper.outline.order if _is_read(paper, path)]
    changes = {path: recipe.changes for path, recipe in paper.recipes.items()}
    keys: dict[str, str] = {}
    for path in paths:
        known = [vocabulary.key, list(changes.get(path, ()))]
        keys[path] = f"steps:{_VERSION}:{digest(known)[:32]}:{paper.snapshot.files[path].oid}"

    def make(path: str) -> tuple[tuple[Step, ...], dict[str, str]]:
        survey = paper.surveys[path]
        made = steps(
            paper.source(path),
            vocabulary,
            silent=survey.silent,
            definitions=survey.macros,
            changes=changes.get(path, ()),
        )
        return made, {keys[path]: codec.dump(made)}

    found = paper.shelf.fetch(keys, records.decode, make)
    paper.shelf.keep()
    return found


def _repeats(
    paper: Paper, paths: list[str], restated: frozenset[str]
) -> dict[str, tuple[Step, ...]]:
    """Where statements are said again."""
    known = digest(sorted(restated))[:32]
    oids = {path: paper.snapshot.files[path].oid for path in paths}
    keys = {path: f"repeats:{_VERSION}:{known}:{oids[path]}" for path in paths}

    def make(path: str) -> tuple[tuple[Step, ...], dict[str, str]]:
        made = repeats.repeats(paper.source(path), paper.surveys[path].silent, restated)
        return made, {keys[path]: codec.dump(made)}

    found = paper.shelf.fetch(keys, records.decode, make)
    paper.shelf.keep()
    return found


def _is_read(paper: Paper, path: str) -> bool:
    return path in paper.surveys and path in paper.snapshot.files


def _environments(paper: Paper) -> dict[str, Environment]:
    """The environments that the paper defines, those that its macros define too."""
    using = wrappers.makers(paper.syntax.macros)
    found: list[Environment] = []
    for path in paper.outline.order:
        found += paper.surveys[path].environments
        if (
            using
            and _is_read(paper, path)
            and path.lower().endswith((".tex", ".sty", ".cls", ".ltx"))
        ):
            found += _made(paper, path, using)
    return by_name(item for item in found if not item.is_theorem)


def _made(paper: Paper, path: str, using: Makers) -> tuple[Environment, ...]:
    known = digest({name: using[name] for name in sorted(using)})[:32]
    key = f"made-environments:{_VERSION}:{known}:{paper.snapshot.files[path].oid}"

    def make(name: str) -> tuple[tuple[Environment, ...], dict[str, str]]:
        made = wrappers.made(paper.source(name), paper.surveys[name].silent, using)
        return made.environments, {key: codec.dump(made.environments)}

    return paper.shelf.fetch({path: key}, _decode_environments, make)[path]


def _decode_environments(text: str) -> tuple[Environment, ...]:
    return codec.made(f"[[],{text},[],[]]").environments


def _said(paper: Paper) -> dict[str, Number]:
    """What the .aux beside the root says, and those that it reads in."""
    stem = posixpath.splitext(paper.root)[0]
    folder = posixpath.dirname(paper.root)
    pending = [f"{stem}.aux"]
    found: dict[str, Number] = {}
    seen: set[str] = set()
    while pending and len(seen) < _MOST_AUX:
        path = pending.pop()
        if path in seen or path not in paper.snapshot.files:
            continue
        seen.add(path)
        try:
            text = paper.source(path)
        except SourceError:
            continue
        made = aux_file.parse(text)
        found |= made.labels
        pending += [posixpath.normpath(posixpath.join(folder, name)) for name in made.inputs]
    return found
