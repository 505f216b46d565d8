"""The shape of an argument: citations, the most used result, the main one and its longest chain.

Only citations by a label, a number or `\\uses` count: these are known at once, while links by
words alone would require reading every sentence.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from pfcore.domain.values import Module, Role
from pfcore.graph.paper_state import PaperState
from pfcore.latex.parsed_file import is_tagged
from pfcore.latex.project.kinds import in_english
from pfcore.latex.structure.titles import is_called_main

_MOST = 8_000
"""The most modules of a paper whose main result is looked for."""
_FEWEST_USES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentShape:
    """What a paper's citations show about its results, all as ids of modules.

    `dependencies` counts pairs of modules of which the first cites the second. `main` is the
    theorem, or else the result, that depends on most others, `depends_on` in number; `is_main` if
    the text confirms it. `chain` leads from it downwards through results that each cite the next.
    `most_used` is cited by `uses` results; `uncited` are the results that no module cites, and
    `cited` is the value of `citations`. "" and () mean that there is none.
    """

    dependencies: int
    cited: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)
    most_used: str = ""
    uses: int = 0
    main: str = ""
    is_main: bool = False
    depends_on: int = 0
    chain: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()


def argument_shape(state: PaperState) -> ArgumentShape:
    """The shape of a paper's argument; goes through all citations once."""
    modules = state.document.modules
    cited = citations(state)
    users = _users(cited)
    uses = Counter(
        target
        for source, targets in cited.items()
        if modules[source].role is Role.RESULT
        for target in targets
    )
    most = max(uses, key=lambda name: (uses[name], -modules[name].position), default="")
    is_used = uses[most] >= _FEWEST_USES
    main, is_main = _main(state, cited)
    return ArgumentShape(
        dependencies=sum(map(len, cited.values())),
        cited=cited,
        most_used=most if is_used else "",
        uses=uses[most] if is_used else 0,
        main=main,
        is_main=is_main,
        depends_on=_results_below(modules, cited, main) if main else 0,
        chain=_chain(modules, cited, main) if main else (),
        uncited=tuple(
            name
            for name, module in modules.items()
            if (_is_free_result(module) or _is_section(state, module))
            and not users.get(name)
            and name != main
        ),
    )


def _users(cited: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """For each cited module those that cite it."""
    users: dict[str, set[str]] = {}
    for source, targets in cited.items():
        for target in targets:
            users.setdefault(target, set()).add(source)
    return users


class GapSupport(NamedTuple):
    """The `results` that depend on gaps, in the order of the paper, and these gaps.

    The gap that most modules cite comes first.
    """

    results: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def depending_on_gaps(
    state: PaperState, gaps: Collection[str], firm: Set[str] = frozenset()
) -> GapSupport:
    """The results whose proofs cite a gap, directly or indirectly, without the gaps themselves.

    A module in `firm` has been proved elsewhere, whatever its text cites.
    """
    kept = set(gaps).difference(firm)
    if not kept:
        return GapSupport()
    modules, cited = state.document.modules, citations(state, in_proofs=True)
    leads = {name: targets for name, targets in cited.items() if name not in firm}
    users = _users(leads)
    above = _reached(kept, users)
    results = [
        name for name in cited if name in above and name not in kept and modules[name].is_result
    ]
    below = _reached(results, leads)
    bearing = sorted(kept & below, key=lambda name: (-len(users[name]), modules[name].position))
    return GapSupport(tuple(results), tuple(bearing))


def _reached(starts: Iterable[str], leads: Mapping[str, Iterable[str]]) -> set[str]:
    """Some modules, and all to which they lead, step by step."""
    seen, pending = set(starts), list(starts)
    while pending:
        fresh = set(leads.get(pending.pop(), ())) - seen
        seen |= fresh
        pending += fresh
    return seen


def citations(state: PaperState, *, in_proofs: bool = False) -> dict[str, tuple[str, ...]]:
    """For each module that stands alone, the others that it cites, in the order of its text.

    Citations by or of an equation or a sentence count for the module around it; a step does not
    cite the result that it is a step of. `in_proofs` leaves out citations in statements.
    """
    document = state.document
    found: dict[str, dict[str, None]] = {
        name: {} for name, module in document.modules.items() if module.role.stands_alone
    }
    for name, module in document.modules.items():
        source = _owner(document.modules, name)
        for target in _named(state, module, in_proofs=in_proofs) if source else ():
            owner = _owner(document.modules, target)
            if owner and owner not in _around(document.modules, source):
                found[source][owner] = None
    return {name: tuple(targets) for name, targets in found.items()}


def dependencies(state: PaperState, name: str) -> set[str]:
    """The other modules that stand alone on which one depends, also by words alone."""
    modules = state.document.modules
    found = {_owner(modules, edge.target) for edge in state.document.edges_of(name)}
    return found.difference(("", *_around(modules, name)))


def _named(state: PaperState, module: Module, *, in_proofs: bool) -> Iterator[str]:
    document, resolver = state.document, state.assembly.resolver
    stated = () if in_proofs else (resolver.cited_in_statement(module.id),)
    for passage in (*stated, *document.cited[module.id]):
        yield from (target.module for targets in passage for target in targets)
    yield from document.uses[module.id]
    yield from document.claims_in(module.id)


def _owner(modules: Mapping[str, Module], name: str) -> str:
    """The module that stands alone and is this one or contains it; "" if there is none."""
    while name and not modules[name].role.stands_alone:
        name = modules[name].parent or ""
    return name


def _around(modules: Mapping[str, Module], name: str) -> Iterator[str]:
    """A module, and all modules whose statement or proof contains it."""
    found: str | None = name
    while found:
        yield found
        found = modules[found].parent


def _is_free_result(module: Module) -> bool:
    """Whether a module is a result outside of other modules."""
    return module.role is Role.RESULT and module.parent is None


def _is_section(state: PaperState, module: Module) -> bool:
    """Whether a module is a statement in PF markup, where all statements serve the theorem."""
    where = module.statement.location.path
    return is_tagged(state.paper.readings[where].blocks[module.statement.block].env)


def _main(state: PaperState, cited: Mapping[str, Sequence[str]]) -> tuple[str, bool]:
    """The theorem, or else the result, that depends on most others, and whether it is the main one.

    A theorem with less than half of another result's dependencies does not count, nor do
    corollaries unless they alone depend on others. "" if none depends on any; the first of several.
    It is the main result if its title says so, or if the introduction mentions this theorem and no
    other, and it depends on at least half of the other results.
    """
    modules = state.document.modules
    if len(cited) > _MOST:
        return "", False
    below: dict[str, int] = {}  # for each module a bit for each result below it
    bits = {name: 1 << at for at, name in enumerate(cited) if modules[name].role is Role.RESULT}
    for name in _bottom_up(cited):
        found = 0
        for target in cited[name]:
            found |= below.get(target, 0) | bits.get(target, 0)
        below[name] = found & ~bits.get(name, 0)  # in a circle it may lead to itself
    free = [name for name in cited if _is_free_result(modules[name])]
    ends = [name for name in free if below[name]]
    theorems = [name for name in free if in_english(modules[name].kind) == "theorem"]
    called = [name for name in ends if is_called_main(modules[name].title)]

    def weight(name: str) -> tuple[int, int]:
        return below[name].bit_count(), -modules[name].position

    grave = [name for name in ends if in_english(modules[name].kind) != "corollary"] or ends
    most = max(map(weight, grave), default=(0, 0))[0]
    strong = [name for name in theorems if below[name] and 2 * below[name].bit_count() >= most]
    main = max(called or strong or grave, key=weight, default="")
    if not main or called:
        return main, len(called) == 1
    said = chain.from_iterable(map(attrgetter("says"), state.document.headings))
    is_sure = 2 * below[main].bit_count() >= len(free) - 1 and _INTRODUCTION in said
    return main, is_sure and _introduced(state, theorems) == {main}


def _introduced(state: PaperState, names: Collection[str]) -> set[str]:
    """Those modules that are stated in the introduction, or cited in its text or before it."""
    paper, modules, labels = state.paper, state.document.modules, state.document.labels

    def is_early(path: str, offset: int, *, is_statement: bool = False) -> bool:
        above = paper.headings_over(path, offset)
        return _INTRODUCTION in above[0].says if above else not is_statement

    places = {name: modules[name].statement.location for name in names}
    found = {
        name
        for name, place in places.items()
        if is_early(place.path, place.start, is_statement=True)
    }
    for path in paper.outline.order:
        reading = paper.readings.get(path)
        starts = (0, *(one.offset for one in reading.sections)) if reading else ()
        if paper.is_markup or not any(is_early(path, start) for start in starts):
            continue
        for item in paper.references(path):
            if item.block < 0 and is_early(path, item.start):
                found |= {place.module for key in item.keys for place in labels.get(key, ())}
    return found.intersection(names)


_INTRODUCTION = "introduction"


def _bottom_up(cited: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The modules, each after all that it cites, except in circles."""
    seen: set[str] = set()
    for start in cited:
        if start in seen:
            continue
        seen.add(start)
        stack = [(start, iter(cited[start]))]
        while stack:
            name, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
                yield name
            elif target not in seen:
                seen.add(target)
                stack.append((target, iter(cited[target])))


def _results_below(
    modules: Mapping[str, Module], cited: Mapping[str, Sequence[str]], start: str
) -> int:
    seen = _reached([start], cited)
    return sum(1 for name in seen if modules[name].role is Role.RESULT) - 1


def _chain(
    modules: Mapping[str, Module], cited: Mapping[str, Sequence[str]], start: str
) -> tuple[str, ...]:
    """The results on a longest path downwards; other modules on it do not count."""
    length: dict[str, int] = {}
    onward: dict[str, str] = {}
    for name in _bottom_up(cited):
        known = [target for target in cited[name] if target in length]
        longest = max(known, key=lambda target: length[target], default="")
        onward[name] = longest
        length[name] = length.get(longest, 0) + (modules[name].role is Role.RESULT)
    found, name = [], start
    while name:
        found += [name] if modules[name].role is Role.RESULT else []
        name = onward[name]
    return tuple(found)
