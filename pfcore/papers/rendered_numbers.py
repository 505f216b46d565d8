"""The rendered numbers of a paper: from its .aux file if there is one, else by simulation."""

import json
import posixpath
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from pfcore.domain.digest import digest
from pfcore.domain.errors import SourceError
from pfcore.latex import codec
from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.numbering import counter_state
from pfcore.latex.numbering.counter_state import CounterStep, Number
from pfcore.latex.numbering.counting_commands import SECTIONS, Vocabulary
from pfcore.latex.numbering.document_classes import (
    COUNTING_NOTHING,
    OFTEN_OWN,
    described,
    is_known,
)
from pfcore.latex.parsed_file import ParsedFile
from pfcore.latex.project import declaring_macros
from pfcore.latex.project.declarations import Environment, by_name
from pfcore.latex.project.declaring_macros import Makers
from pfcore.papers.paper import Paper

if TYPE_CHECKING:
    from pfcore.latex.numbering.simulate import DisplayRows, NumberedFile

_VERSION = 22
"""Raised with every change of what finds steps or counts them: both results are kept."""

_MOST_AUX = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """Numbers by label, and by file and offset of the label or `\\begin` that has the number.

    `rows` are the numbers printed at the rows of displays, by the start of the display.
    """

    labels: Mapping[str, Number]
    places: Mapping[tuple[str, int], Number]
    rows: Mapping[tuple[str, int], "DisplayRows"] = field(default_factory=dict)

    def of(self, label: str) -> Number | None:
        """The number of a label, if that is certain."""
        found = self.labels.get(label)
        return found if found is not None and found.certain else None


NONE = Numbers(labels={}, places={})
"""The value where nothing is known."""


def paper_numbers(paper: Paper) -> Numbers:
    """The numbers of a paper: simulated, and completed by an .aux file that is up to date.

    An .aux file is up to date if it has the labels of the source and contradicts no certain number
    of a result or heading. An outdated one is ignored.
    """
    simulated = simulated_numbers(paper)
    said = _said(paper)
    if not said or not _is_current(paper, said, simulated):
        return simulated
    labels = {
        **simulated.labels,
        **{k: _trusted(paper, v, simulated.labels.get(k)) for k, v in said.items()},
    }
    return replace(simulated, labels=labels)


def stale_aux(paper: Paper) -> str:
    """The path of an outdated .aux file next to the root; "" if there is none."""
    path = _aux_beside(paper)
    if path not in paper.snapshot.files:
        return ""
    said = _said(paper)
    return path if said and not _is_current(paper, said, simulated_numbers(paper)) else ""


def _aux_beside(paper: Paper) -> str:
    return f"{posixpath.splitext(paper.root)[0]}.aux"


def _is_current(paper: Paper, said: Mapping[str, Number], simulated: Numbers) -> bool:
    """Whether an .aux file was written for the current sources."""
    own = {key for key in said if "@" not in key and key != "LastPage"}
    if own != simulated.labels.keys() - {key for key in simulated.labels if "@" in key}:
        return False
    counted = paper.syntax.kinds.keys() | SECTIONS
    return not any(
        number.certain and number.kind in counted and number.text != said[key].text
        for key, number in simulated.labels.items()
        if key in said and said[key].certain
    )


def _trusted(paper: Paper, said: Number, simulated: Number | None) -> Number:
    """The number from the .aux, with the kind from the source if the .aux has none.

    A label in a result without a number has the number of its surroundings in the .aux; there the
    simulated number is taken.
    """
    if simulated is None or not simulated.kind or said.kind == simulated.kind:
        return said
    is_of_result = simulated.kind in paper.syntax.kinds
    if is_of_result and not simulated.text and said.kind not in paper.syntax.kinds:
        return simulated
    return said._replace(kind=simulated.kind) if said.kind in ("", "equation") else said


def simulated_numbers(paper: Paper) -> Numbers:
    """The numbers computed from the sources alone."""
    environments = _environments(paper)
    key = f"numbers:{_VERSION}:{_counted_by(paper, environments)}"

    def make(_: str) -> tuple[Numbers, dict[str, str]]:
        made = _simulated(paper, environments)
        return made, {key: codec.dump(_listed(made))}

    found = paper.parse_cache.get_or_parse({"": key}, _decode_numbers, make)[""]
    paper.parse_cache.keep()
    return found


def _simulated(paper: Paper, environments: Mapping[str, Environment]) -> Numbers:
    from pfcore.latex.numbering.simulate import simulate  # imported late: results are cached

    files = _files(paper, environments)
    macros = _words(paper)
    labels: dict[str, Number] = {}
    places: dict[tuple[str, int], Number] = {}
    rows: dict[tuple[str, int], DisplayRows] = {}
    for start in dict.fromkeys(paper.outline.starts.values()):
        made = simulate(paper.outline, files, macros, start=start)
        labels = {**made.labels, **labels}
        places = {**made.places, **places}
        rows = {**made.rows, **rows}
    return Numbers(labels=labels, places=places, rows=rows)


def _counted_by(paper: Paper, environments: Mapping[str, Environment]) -> str:
    """The digest of the simulation's input."""
    outline = paper.outline
    paths = [path for path in outline.order if _is_read(paper, path)]
    listed: list[object] = [
        [outline.root, outline.order, outline.starts],
        _words(paper),
        _keys(paper, _vocabulary(paper, environments), paths),
        {path: paper.surveys[path].body for path in paths},
        {path: list(_inputs(paper, path)) for path in outline.order},
    ]
    return digest(listed)


def _listed(found: Numbers) -> list[list[tuple[str | int | None, ...]]]:
    """Numbers as JSON values."""
    return [
        [(key, *number) for key, number in found.labels.items()],
        [(path, start, *number) for (path, start), number in found.places.items()],
        [(path, start, *rows) for (path, start), rows in found.rows.items()],
    ]


def _decode_numbers(text: str) -> Numbers:
    try:
        labels, places, rows = json.loads(text)
        return Numbers(
            labels={key: Number(*number) for key, *number in labels},
            places={(path, start): Number(*number) for path, start, *number in places},
            rows={(path, start): tuple(texts) for path, start, *texts in rows},
        )
    except TypeError as error:
        raise ValueError("no numbers") from error


def has_same_numbers(one: Paper, other: Paper) -> bool:
    """Whether all labels, and all blocks in order, certainly have the same numbers.

    Nothing is counted: this compares the events that are counted, whose order alone matters.
    """
    if _setting(one) != _setting(other):
        return False
    differing = {path for path in one.outline.order if _is_other(path, one, other)}
    return _counted(one, differing) == _counted(other, differing)


def _setting(paper: Paper) -> list[object]:
    """Everything that numbers depend on, apart from the contents of the files."""
    outline, files = paper.outline, paper.snapshot.files
    return [
        (outline.root, outline.order, outline.starts),
        _vocabulary(paper, _environments(paper)).key,
        _words(paper),
        [path for path in outline.order if _is_read(paper, path)],
        {path: entry.oid for path, entry in files.items() if path.endswith(".aux")},
    ]


def _is_other(path: str, one: Paper, other: Paper) -> bool:
    """Whether a file differs, or what was found in it."""
    if one.keys.get(path) != other.keys.get(path):
        return True
    if not _is_read(one, path):
        return False
    if one.snapshot.files[path].oid != other.snapshot.files[path].oid:
        return True
    return _changes(one, path) != _changes(other, path)


def _counted(paper: Paper, differing: Iterable[str]) -> list[object]:
    """The counted events of the files that differ, and where each file inputs others."""
    environments = _environments(paper)
    paths = [path for path in sorted(differing) if _is_read(paper, path)]
    listed = _steps(paper, environments, paths)
    restated = _restated(paper, environments)
    repeated = _repeats(paper, paths, restated) if restated and paths else {}
    events: dict[str, list[CounterStep]] = {path: [] for path in paper.outline.order}
    for path in paths:
        start = paper.surveys[path].body
        body = CounterStep(start, "body" if start >= 0 else "no body")
        events[path] += [*listed[path], *repeated.get(path, ()), body]
    for path in events:
        events[path] += _inputs(paper, path)
    return [
        restated,
        {
            path: _ordered(found, paper.readings.get(path)) if path in differing else found
            for path, found in events.items()
        },
    ]


def _inputs(paper: Paper, path: str) -> Iterator[CounterStep]:
    """The places where a file inputs another one, or fails to."""
    for item in paper.outline.inclusions.get(path, ()):
        yield CounterStep(item.offset, "reads", (item.path,))
    for problem in paper.outline.problems.get(path, ()):
        yield CounterStep(problem.start, "lacks", (problem.code,))


def _ordered(events: list[CounterStep], reading: ParsedFile | None) -> list[object]:
    """Events with ranks in place of offsets, and the position of each block among them."""
    offsets = sorted({event.offset for event in events})
    ranks = {offset: rank for rank, offset in enumerate(offsets)}
    starts = [block.place.start for block in reading.blocks] if reading else []
    return [
        [event._replace(offset=ranks[event.offset]) for event in events],
        [(bisect_left(offsets, start), start in ranks) for start in starts],
    ]


def _words(paper: Paper) -> dict[str, str]:
    """The bodies of the macros without arguments."""
    macros = paper.syntax.macros
    return {name: macro.body for name, macro in macros.items() if not macro.parameters}


def _files(paper: Paper, environments: Mapping[str, Environment]) -> "dict[str, NumberedFile]":
    from pfcore.latex.numbering.simulate import NumberedFile, restating_commands

    paths = [path for path in paper.outline.order if _is_read(paper, path)]
    found = _steps(paper, environments, paths)
    restated = restating_commands(step for listed in found.values() for step in listed)
    bodies = {path: paper.surveys[path].body for path in found}
    if restated:
        more = _repeats(paper, list(found), restated)
        found = {
            path: tuple(sorted((*listed, *more[path]), key=lambda step: step.offset))
            for path, listed in found.items()
        }
    return {path: NumberedFile(listed, bodies[path]) for path, listed in found.items()}


def _vocabulary(paper: Paper, environments: Mapping[str, Environment]) -> Vocabulary:
    return Vocabulary(
        syntax=paper.syntax, environments=environments, ignored=_ignored_macros(paper)
    )


def _ignored_macros(paper: Paper) -> frozenset[str]:
    """The macros defined only by classes or packages that we know by name."""
    known = {path for path in paper.outline.order if _is_known(path)}
    if not known:
        return frozenset()
    names = {item.name for path in known for item in paper.surveys[path].macros}
    others = (path for path in paper.outline.order if path not in known)
    return frozenset(names - {item.name for path in others for item in paper.surveys[path].macros})


def _is_known(path: str) -> bool:
    """Whether a file is a class or package whose counters we know by its name."""
    name, extension = posixpath.splitext(posixpath.basename(path))
    if extension == ".sty":
        return name in COUNTING_NOTHING
    return extension == ".cls" and name not in OFTEN_OWN and is_known(described(name))


def _changes(paper: Paper, path: str) -> tuple[MacroChange, ...]:
    """The places in a file at which the meaning of a macro changes."""
    return paper.recipes[path].changes if path in paper.recipes else ()


def _keys(paper: Paper, vocabulary: Vocabulary, paths: Iterable[str]) -> dict[str, str]:
    """The cache keys of files, which determine their steps."""
    known, recipes = vocabulary.key[:32], paper.recipes
    return {
        path: f"{_VERSION}:{known}:"
        + (recipes[path].key if path in recipes else paper.snapshot.files[path].oid)
        for path in paths
    }


def _steps(
    paper: Paper, environments: Mapping[str, Environment], paths: Iterable[str]
) -> dict[str, tuple[CounterStep, ...]]:
    vocabulary = _vocabulary(paper, environments)
    keys = {path: f"steps:{key}" for path, key in _keys(paper, vocabulary, paths).items()}

    def make(path: str) -> tuple[tuple[CounterStep, ...], dict[str, str]]:
        from pfcore.latex.numbering.step_scanner import steps

        survey = paper.surveys[path]
        made = steps(
            paper.source(path),
            vocabulary,
            silent=survey.silent,
            definitions=survey.macros,
            changes=_changes(paper, path),
        )
        return made, {keys[path]: codec.dump(made)}

    found = paper.parse_cache.get_or_parse(keys, counter_state.decode, make)
    paper.parse_cache.keep()
    return found


def _restated(paper: Paper, environments: Mapping[str, Environment]) -> frozenset[str]:
    """The commands that restate a statement of some file."""
    vocabulary = _vocabulary(paper, environments)
    paths = [path for path in paper.outline.order if _is_read(paper, path)]
    keys = {path: f"restated:{key}" for path, key in _keys(paper, vocabulary, paths).items()}

    def make(path: str) -> tuple[tuple[str, ...], dict[str, str]]:
        from pfcore.latex.numbering.simulate import restating_commands

        made = tuple(sorted(restating_commands(_steps(paper, environments, [path])[path])))
        return made, {keys[path]: codec.dump(made)}

    found = paper.parse_cache.get_or_parse(keys, _decode_names, make)
    paper.parse_cache.keep()
    return frozenset[str]().union(*found.values())


def _decode_names(text: str) -> tuple[str, ...]:
    try:
        return tuple(map(str, json.loads(text)))
    except TypeError as error:
        raise ValueError("no names") from error


def _repeats(
    paper: Paper, paths: list[str], restated: frozenset[str]
) -> dict[str, tuple[CounterStep, ...]]:
    """The places where statements are restated."""
    known = digest(sorted(restated))[:32]
    oids = {path: paper.snapshot.files[path].oid for path in paths}
    keys = {path: f"repeats:{_VERSION}:{known}:{oids[path]}" for path in paths}

    def make(path: str) -> tuple[tuple[CounterStep, ...], dict[str, str]]:
        from pfcore.latex.numbering.simulate import restated_statements

        made = restated_statements(paper.source(path), paper.surveys[path].silent, restated)
        return made, {keys[path]: codec.dump(made)}

    found = paper.parse_cache.get_or_parse(keys, counter_state.decode, make)
    paper.parse_cache.keep()
    return found


def _is_read(paper: Paper, path: str) -> bool:
    return path in paper.surveys and path in paper.snapshot.files


def _environments(paper: Paper) -> dict[str, Environment]:
    """The environments that the paper defines, including those defined by its macros."""
    using = declaring_macros.makers(paper.syntax.macros)
    paths = [path for path in paper.outline.order if not _is_known(path)]
    made = _made(paper, paths, using) if using else {}
    listed = ((*paper.surveys[path].environments, *made.get(path, ())) for path in paths)
    return by_name(item for found in listed for item in found if not item.is_theorem)


def _made(paper: Paper, paths: Iterable[str], using: Makers) -> dict[str, tuple[Environment, ...]]:
    """The environments that the uses of macros define in each file."""
    known = digest({name: using[name] for name in sorted(using)})[:32]
    keys = {
        path: f"made-environments:{_VERSION}:{known}:{paper.snapshot.files[path].oid}"
        for path in paths
        if _is_read(paper, path) and path.lower().endswith((".tex", ".sty", ".cls", ".ltx"))
    }

    def make(name: str) -> tuple[tuple[Environment, ...], dict[str, str]]:
        made = declaring_macros.read_declaring_macros(
            paper.source(name), paper.surveys[name].silent, using
        )
        return made.environments, {keys[name]: codec.dump(made.environments)}

    return paper.parse_cache.get_or_parse(keys, _decode_environments, make)


def _decode_environments(text: str) -> tuple[Environment, ...]:
    return codec.decode_macro_declarations(f"[[],{text},[],[]]").environments


def _said(paper: Paper) -> dict[str, Number]:
    """The numbers in the .aux next to the root and in those that it inputs."""
    folder = posixpath.dirname(paper.root)
    pending = [_aux_beside(paper)]
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
        from pfcore.latex.numbering import aux_file  # imported late: few papers have one

        made = aux_file.parse_aux_file(text)
        found |= made.labels
        pending += [posixpath.normpath(posixpath.join(folder, name)) for name in made.inputs]
    return found
