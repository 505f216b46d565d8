"""What the contexts of a paper contain: how much, of which kind, and what is missing.

If a paper has `\\uses`, they are hidden from the reading, and its contexts are compared with what
they declare for claims: each edge to a result or definition, once for each pair. For every edge we
look for a trace of its target in the words of its source: a reference, a term or symbol that the
target defines, or its name. Only the authors know the edges without a trace.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pfcore.bench.quality import entry_keys
from pfcore.bench.quality.dependencies import implied
from pfcore.bench.terminal_table import Cell, spread
from pfcore.domain.values import Module, Role
from pfcore.graph.building.introduction_index import is_letter_like
from pfcore.graph.context import members
from pfcore.graph.document import ProofDocument, mentioned_modules
from pfcore.graph.needs import DefinitionHub, NeedOutcome, hubs, needs_of
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import DEFINITIONS, NOTATION, rendered_context
from pfcore.latex.language.formula_keys import EQUATES, NAMES
from pfcore.latex.language.leads import LED
from pfcore.latex.language.notation import keys_of_uses
from pfcore.latex.language.terms import normal_words

CONTENTS = (
    *("paper", "claims", "members", "90 %", "characters", "90 %", "definitions", "introductions"),
    *("unexplained", "ambiguous", "guessed", "hub in", "says"),
)
DECLARED = (
    *("paper", "declared", "recall", "traced", "recall", "members", "precision", "by a path"),
    "left out",
)
_TARGETS = frozenset({Role.RESULT, Role.OPEN, Role.DEFINITION})


class Trace(StrEnum):
    """How the text of a source shows the target of an edge."""

    REFERENCE = "reference"
    TERM = "term"
    SYMBOL = "symbol"
    NAME = "name"


class DeclaredEdge(NamedTuple):
    """A claim, a target of its `\\uses`, whether its context has that, and the traces of it."""

    source: str
    target: str
    is_found: bool
    traces: frozenset[Trace]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredScore:
    """Contexts compared with what authors declare, which was hidden.

    `members` counts the results and definitions in the contexts of the edges' sources; of these
    `declared` are named by the source, `implied` by a path of declared edges. `left_out` counts
    edges with an end that the reading without `\\uses` does not have.
    """

    edges: tuple[DeclaredEdge, ...]
    members: int
    declared: int
    implied: int
    left_out: int

    @property
    def traced(self) -> tuple[DeclaredEdge, ...]:
        """The edges whose target leaves a trace in the text of the source."""
        return tuple(edge for edge in self.edges if edge.traces)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextContents:
    """The contents of the contexts of a paper's proved claims; tuples have one number for each.

    `definitions` and `introductions` are characters of all contexts together, `guessed` counts the
    modules with a guessed proof; `score` is None if nothing is declared. `keys` say why each entry
    is there.
    """

    members: tuple[int, ...]
    characters: tuple[int, ...]
    definitions: int
    introductions: int
    unexplained: tuple[int, ...]
    ambiguous: tuple[int, ...]
    guessed: int
    hub: DefinitionHub | None
    score: DeclaredScore | None
    keys: entry_keys.PaperKeys


def context_contents(state: PaperState, hidden: PaperState | None = None) -> ContextContents:
    """Measure a paper; `hidden` is the paper as read without its `\\uses`, if it has any."""
    document = state.document
    claims = [name for name, module in document.modules.items() if module.proofs]
    listed = [rendered_context(document, name, state.paper.texts) for name in claims]
    needs = [[need.outcome for need in needs_of(state, name)] for name in claims]
    titled = [(title, len(body)) for found in listed for title, body in found.given]
    return ContextContents(
        members=tuple(len(members(document, name)) for name in claims),
        characters=tuple(len(found.text()) for found in listed),
        definitions=sum(length for title, length in titled if title == DEFINITIONS),
        introductions=sum(length for title, length in titled if title == NOTATION),
        unexplained=tuple(found.count(NeedOutcome.UNEXPLAINED) for found in needs),
        ambiguous=tuple(found.count(NeedOutcome.AMBIGUOUS) for found in needs),
        guessed=sum(module.is_guessed for module in document.modules.values()),
        hub=next(iter(hubs(document)), None),
        score=declared_score(state.document, hidden) if hidden else None,
        keys=entry_keys.paper_keys(state),
    )


def declared_score(declaring: ProofDocument, hidden: PaperState) -> DeclaredScore | None:
    """Compare a paper's declarations with its contexts as read without them; None if it has none.

    Modules that only one of the two readings has are left out.
    """
    document = hidden.document
    said = {
        (name, target)
        for name, module in declaring.modules.items()
        if module.is_claim and module.role.stands_alone
        for target in declaring.uses[name]
        if declaring.modules[target].role in _TARGETS and target != name
    }
    pairs = sorted(pair for pair in said if document.modules.keys() >= set(pair))
    if not said:
        return None
    targets: dict[str, set[str]] = {}
    for source, target in pairs:
        targets.setdefault(source, set()).add(target)
    inside = {name: members(document, name) for name in targets}
    named = {name: _nameable(document, found) for name, found in inside.items()}
    onward = {name: set(found) for name, found in declaring.uses.items()}
    traces = _TraceFinder(hidden, {target for _, target in pairs})
    return DeclaredScore(
        edges=tuple(
            DeclaredEdge(source, target, target in inside[source], traces.of(source, target))
            for source, target in pairs
        ),
        members=sum(map(len, named.values())),
        declared=sum(len(found & targets[name]) for name, found in named.items()),
        implied=sum(len(found & implied(name, onward)) for name, found in named.items()),
        left_out=len(said) - len(pairs),
    )


def _nameable(document: ProofDocument, inside: Iterable[str]) -> set[str]:
    """The members that an edge could name."""
    return {name for name in inside if document.modules[name].role in _TARGETS}


class _TraceFinder:
    """Finds traces of some modules in the texts of others, whether or not contexts use them."""

    def __init__(self, state: PaperState, targets: Iterable[str]) -> None:
        self._state = state
        modules = state.document.modules
        self._defined = {name: _defined(state, modules[name]) for name in sorted(targets)}
        words = {key for keys in self._defined.values() for key in keys if key[0] != "#"}
        self._used = state.paper.used_terms(words)

    def of(self, source: str, target: str) -> frozenset[Trace]:
        """The traces of one module in the statement and the proofs of another."""
        module, other = (self._state.document.modules[name] for name in (source, target))
        kind = Trace.TERM if other.role is Role.DEFINITION else Trace.NAME
        said = self._said(module) & self._defined[target]
        found = {Trace.SYMBOL if key[0] in "#$" else kind for key in said}
        if self._refers(module, other):
            found.add(Trace.REFERENCE)
        return frozenset(found)

    def _said(self, module: Module) -> set[str]:
        """The terms and the keys of symbols in a module's own words."""
        found: set[str] = set()
        for passage in module.argued:
            path = passage.location.path
            found.update(self._used.get((path, passage.block), ()))
            text = self._state.paper.texts(path)[passage.block]
            found.update(key for keys in keys_of_uses(text) for key in keys)
        return found

    def _refers(self, module: Module, other: Module) -> bool:
        document = self._state.document
        links = (document.statements[module.id], *document.proofs[module.id])
        if any(other.id in mentioned_modules(found) for found in links):
            return True
        labels = {*other.labels, *other.statement.anchors}
        passages = module.argued
        mentions = (mention for passage in passages for mention in passage.mentions)
        return any(not labels.isdisjoint(mention.keys) for mention in mentions)


def _defined(state: PaperState, module: Module) -> frozenset[str]:
    """The terms, names and symbols that a module defines, except single letters.

    The title of a result is its name if it has two words or more, even if contexts ignore it.
    """
    where = module.statement
    block = state.paper.readings[where.location.path].blocks[where.block]
    least = EQUATES if module.role is Role.DEFINITION else NAMES
    keys = (item[1:] for item in block.introduces if item[0] != LED and int(item[0]) >= least)
    title = normal_words(module.title) if module.role is not Role.DEFINITION else []
    names = [" ".join(title)] if len(title) > 1 else []
    return frozenset((*module.terms, *names, *(key for key in keys if not is_letter_like(key))))


Contents = Mapping[str, ContextContents]
"""By the names of papers."""


def contents_rows(found: Contents) -> Iterator[tuple[Cell, ...]]:
    """A row for each paper, below `CONTENTS`."""
    for name, one in found.items():
        hub = one.hub
        yield (
            *(name, len(one.members), *_spread(one.members), *_spread(one.characters)),
            *(_share(part, sum(one.characters)) for part in (one.definitions, one.introductions)),
            *(_share(sum(each), len(each)) for each in (one.unexplained, one.ambiguous)),
            *(one.guessed, hub.held if hub else "-", hub.says if hub else "-"),
        )


def hub_lines(found: Contents) -> Iterator[str]:
    """A sentence for each paper that has a hub."""
    for name, one in found.items():
        if one.hub:
            yield (
                f"{name}: {one.hub.id} is in the contexts of {one.hub.held} claims, of which "
                f"{one.hub.says} say its words"
            )


def declared_rows(found: Contents) -> Iterator[tuple[Cell, ...]]:
    """A row for each paper that declares edges, below `DECLARED`."""
    for name, one in found.items():
        score = one.score
        if score:
            yield (
                *(name, len(score.edges), _recall(score.edges)),
                *(len(score.traced), _recall(score.traced), score.members),
                *(_share(part, score.members) for part in (score.declared, score.implied)),
                score.left_out,
            )


def as_values(one: ContextContents) -> dict[str, object]:
    """The same sums as values of JSON; shares and recalls follow from them."""
    hub = one.hub
    return {
        "claims": len(one.members),
        "members": _values(one.members),
        "characters": {
            **_values(one.characters),
            "total": sum(one.characters),
            "definitions": one.definitions,
            "introductions": one.introductions,
        },
        "needs": {
            "unexplained": sum(one.unexplained),
            "ambiguous": sum(one.ambiguous),
            "with_unexplained": sum(map(bool, one.unexplained)),
            "with_ambiguous": sum(map(bool, one.ambiguous)),
        },
        "guessed": one.guessed,
        "hub": hub._asdict() if hub else None,
        "declared": _score_values(one.score) if one.score else None,
        "brought": entry_keys.as_values(one.keys, _MOST_KEYS),
    }


_MOST_KEYS = 50


def _score_values(score: DeclaredScore) -> dict[str, object]:
    edges = score.edges
    return {
        "edges": len(edges),
        "found": sum(edge.is_found for edge in edges),
        "traced": len(score.traced),
        "traced_found": sum(edge.is_found for edge in score.traced),
        "by_trace": {
            trace.value: [
                sum(trace in edge.traces for edge in edges),
                sum(trace in edge.traces and edge.is_found for edge in edges),
            ]
            for trace in Trace
        },
        "members": score.members,
        "members_declared": score.declared,
        "members_implied": score.implied,
        "left_out": score.left_out,
    }


def _values(numbers: Sequence[int]) -> dict[str, float]:
    median, ninetieth = _spread(numbers)
    return {"median": median, "p90": ninetieth}


def _spread(numbers: Sequence[int]) -> tuple[int, int]:
    """The median and the 90th percentile, as whole numbers; 0 for no numbers."""
    median, ninetieth = spread(numbers) if numbers else (0, 0)
    return int(median), int(ninetieth)


def _recall(edges: Sequence[DeclaredEdge]) -> float | str:
    return _share(sum(edge.is_found for edge in edges), len(edges))


def _share(part: int, whole: int) -> float | str:
    """A share or mean; "-" if `whole` is 0."""
    return part / whole if whole else "-"
