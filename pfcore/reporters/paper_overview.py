"""A paper in a few sentences: its title, its numbers, its main result, what changed.

The sentences are a pure function of a small value, so that every output says the same.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from functools import partial
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from pfcore.domain.containment import Failure, attempt
from pfcore.domain.values import Module, Role, Status
from pfcore.graph.argument_shape import (
    ArgumentShape,
    argument_shape,
    dependencies,
    depending_on_gaps,
)
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.project.kinds import in_english
from pfcore.reporters.module_names import printed_kind
from pfcore.reporters.printing import Style, plural, safe, shortened
from pfcore.review.review import PaperReport, Report, is_from_elsewhere
from pfcore.review.unseen import lacking_files

_STALE_MARK = "leanok-stale"
_NAMED = 3
"""How many results of a kind are named; if more than one is left, the others are counted."""
_FEW = 6
"""The most new results that are still listed."""
_LONGEST_TITLE = 200
_LONGEST_NAME = 60
_ENDS = ("theorem", "corollary")
"""Kinds of results that often nothing cites, because they are the paper's goal."""
_NOTATION = frozenset({"notation", "notations", "bezeichnung"})
"""Kinds of definitions that fix notation, which people count separately."""
_CONSTRUCTION = frozenset({"construction", "constructions", "konstruktion", "konstruktionen"})
"""Kinds of definitions that construct something, which authors distinguish from naming it."""
_MADE = "construction"
COUNTED = ("result", "definition", _MADE, "notation", "other statement")
"""The kinds under which statements are counted, in this order."""
_NOT_PLAIN = frozenset("\\$~{}%&#")
ANSWERED = "an answer from the authors instead of a proof"
_FORMAL, _NOT_READY = frozenset({"leanok", "mathlibok"}), "notready"


class GapKind(Enum):
    """Why a result is not established: for one, for several, and for more than are named."""

    UNPROVED = ("which has no proof", "which have no proof", "without a proof")
    OMITTED = ("whose proof is omitted", "whose proofs are omitted", "whose proofs are omitted")
    UNREAD = ("whose proof was not read", "whose proofs were not read", "whose proofs are not read")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of some of `number` results."""

    listed: tuple[str, ...] = ()
    number: int = 0

    def __str__(self) -> str:
        left = self.number - len(self.listed)
        if left > 0:
            return f"{', '.join(self.listed)} and {left:,} more"
        *most, last = self.listed or ("",)
        return f"{', '.join(most)} and {last}" if most else last


class GapNames(NamedTuple):
    """Gaps of one kind on which results depend, the most cited first."""

    kind: GapKind
    names: Names


@dataclass(frozen=True, slots=True, kw_only=True)
class GapOverview:
    """The effect of a paper's gaps: the `results` that depend on some, and the gaps by kind."""

    results: Names = Names()
    gaps: tuple[GapNames, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOverview:
    """The effect of a change: files of the paper, and results by what happened to them.

    `reread` are those whose proofs should be read again, `affected` how many it affects in all;
    `lean` are those of which only the Lean declarations changed. `uncompared` are missing files,
    `added` files that were missing before. `fresh` counts the new results, without definitions,
    among `results`.
    """

    since: str
    files: int
    restated: Names
    edited: Names
    new: Names
    removed: int
    reread: Names
    affected: int
    lean: Names = Names()
    uncompared: Names = Names()
    added: Names = Names()
    fresh: int = 0
    results: int = 0

    @property
    def is_new(self) -> bool:
        """Whether so much is new that a list of it would be useless."""
        return _is_new(self.fresh, self.results)

    @property
    def is_empty(self) -> bool:
        """Whether a paper is unchanged."""
        found = (self.restated, self.edited, self.new, self.reread, self.lean, self.uncompared)
        return not (self.files or self.removed or self.affected or any(it.number for it in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperNumbers:
    """A paper in numbers: `results` are all that can be read or need a proof, without definitions.

    `notations` are the definitions that fix notation, `constructions` those with that name.
    `formal` are results and definitions whose proofs the authors mark as formalised; `stated` and
    `defined` are the results and the definitions whose statements they mark; `cited` are results
    taken from elsewhere; `unread` counts proofs, `proved` the definitions that have some, `shown`
    the results whose proofs are formal.
    """

    title: str
    files: int
    results: int
    definitions: int
    notations: int
    constructions: int
    formal: int
    cited: int
    unread: int
    proved: int = 0
    shown: int = 0
    stated: int = 0
    defined: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperOverview(PaperNumbers):
    """A paper in numbers and names; "" for what it does not have.

    `moment` is the version looked at: "working tree". `main` depends on `depends_on` other results;
    the longest chain among them has `steps` and begins at `start`. `main_id` is its module's id,
    and `main_is` says what it is: the main result only if the text calls it so. `answered` counts
    results without a proof that the authors have answered with a reason. `ready` are results of a
    blueprint that can be formalised next, because all their dependencies are marked,
    `ready_proofs` those whose statement is marked as well; `ready_id` is the first of all these and
    `ready_definitions`. `open_in_lean` are results with `sorry` in Lean, on which `on_open` others
    depend. `is_main_uncited`: nothing cites `main`, which is not among `uncited`.
    `is_brief`: results are counted and not named. `lacks_class`: no file that the paper reads has
    its preamble, so that much is unknown.
    """

    root: str
    moment: str
    dependencies: int = 0
    unproved: Names = Names()
    omitted: Names = Names()
    answered: int = 0
    resting: GapOverview = GapOverview()
    ready: Names = Names()
    ready_proofs: Names = Names()
    ready_definitions: Names = Names()
    ready_id: str = ""
    open_in_lean: Names = Names()
    on_open: int = 0
    is_brief: bool = False
    lacks_class: bool = False
    uncited: Names = Names()
    is_main_uncited: bool = False
    most_used: str = ""
    uses: int = 0
    main: str = ""
    main_id: str = ""
    main_is: str = ""
    depends_on: int = 0
    steps: int = 0
    start: str = ""
    change: ChangeOverview | None = None


def paper_numbers(paper: PaperReport) -> PaperNumbers:
    """Count what one paper has."""
    source, document = paper.state.paper, paper.state.document
    modules = document.modules.values()
    asserted = [module for module in modules if module.is_asserted and module.role.stands_alone]
    counted = Counter(map(counted_as, modules))
    formal = cited = proved = shown = stated = defined = 0
    for module in modules:
        is_definition = module.role is Role.DEFINITION
        if (is_definition or module.is_result) and _is_formalised(paper, module):
            stated += module.is_result
            defined += is_definition
    for module in asserted:
        shown += module.is_result and module.is_formal
        formal += module.is_formal
        cited += is_from_elsewhere(module)
        proved += module.role is Role.DEFINITION and bool(module.proofs)
    return PaperNumbers(
        title=shortened(safe(source.title()), _LONGEST_TITLE) or safe(source.root),
        files=len(source.outline.order),
        results=counted["result"],
        definitions=counted["definition"] + counted[_MADE] + counted["notation"],
        notations=counted["notation"],
        constructions=counted[_MADE],
        formal=formal,
        cited=cited,
        unread=len(paper.plan.unread) + paper.plan.backlog + len(document.loose),
        proved=proved,
        shown=shown,
        stated=stated,
        defined=defined,
    )


def _is_formalised(paper: PaperReport, module: Module) -> bool:
    """Whether the authors mark at least the statement as formalised."""
    return module.is_formal or not _FORMAL.isdisjoint(_marks(paper, module))


def is_stated_in_lean(paper: PaperReport, module: Module) -> bool:
    """Whether the authors mark a statement as formalised, and nothing more is known.

    Only for results and definitions, and only if the settings trust marks.
    """
    return (
        module.role in (Role.RESULT, Role.DEFINITION)
        and paper.statuses[module.id] in (Status.UNREACHED, Status.GIVEN)
        and paper.state.paper.settings.blueprint.trust_leanok
        and _is_formalised(paper, module)
    )


def _marks(paper: PaperReport, module: Module) -> tuple[str, ...]:
    """The marks that a blueprint puts directly in a statement."""
    passage = module.statement
    return paper.state.paper.readings[passage.location.path].blocks[passage.block].marks


def counted_as(module: Module) -> str:
    """The kind under which a statement is counted; "" if it does not stand alone."""
    if not module.role.stands_alone:
        return ""
    if module.role is Role.DEFINITION:
        is_made = module.kind in _CONSTRUCTION
        return "notation" if module.kind in _NOTATION else _MADE if is_made else "definition"
    return "result" if module.is_result else "other statement"


def counts_in_words(counted: Mapping[str, int]) -> list[str]:
    """`3 results`, `1 definition`: the kinds that occur, in order."""
    return [plural(counted[name], name) for name in COUNTED if counted.get(name)]


def paper_overview(paper: PaperReport, report: Report, *, is_brief: bool = False) -> PaperOverview:
    """The overview of one paper of a report; what an internal error hides is left out.

    `is_brief`: only the numbers and the changes.
    """
    shape = shape_of(paper) or ArgumentShape(dependencies=0)
    counted = paper_numbers(paper)
    numbers = asdict(counted)
    if is_brief:
        shape = ArgumentShape(dependencies=shape.dependencies, cited=shape.cited)
    source, left = paper.state.paper, omitted(paper)
    surveys = filter(None, map(source.surveys.get, source.outline.order))
    bare = [one for one in paper.unproved if one not in left]
    ready = ready_to_formalise(paper, shape)
    support, gaps = support_of_gaps(paper, shape)
    opened = open_in_lean(paper) if is_blueprint(counted) and not is_brief else []
    uncited = lemmas_first(paper, shape.uncited)
    single = [shape.main, shape.most_used, *shape.chain[-1:]]
    lists = () if is_brief else (bare, left, *ready, opened, uncited, support, *gaps.values())
    name, modules = ResultNames(paper, single, *lists), paper.state.document.modules
    main_is = "main result" if shape.main else ""
    if shape.main and not shape.is_main:
        is_theorem = in_english(modules[shape.main].kind) == "theorem"
        main_is = f"{'theorem' if is_theorem else 'result'} with the most dependencies"
    some = _number_of if is_brief else name.some
    return PaperOverview(
        **numbers,
        root=safe(source.root),
        moment=safe(report.after),
        dependencies=shape.dependencies,
        unproved=some(bare),
        omitted=some(left),
        answered=sum(modules[name].is_result for name in paper.answered_for),
        resting=GapOverview(
            results=some(support),
            gaps=tuple(GapNames(kind, some(names)) for kind, names in gaps.items()),
        ),
        ready=some(ready.results),
        ready_proofs=some(ready.proofs),
        ready_definitions=some(ready.definitions),
        ready_id=ready.first,
        open_in_lean=some(opened),
        on_open=len(depending_on_gaps(paper.state, opened).results) if opened else 0,
        is_brief=is_brief,
        lacks_class=not source.is_markup and not any(map(_CLASS, surveys)),
        uncited=some(uncited),
        is_main_uncited=all(shape.main not in targets for targets in shape.cited.values()),
        most_used=name.of(shape.most_used),
        uses=shape.uses,
        main=name.of(shape.main),
        main_id=shape.main,
        main_is=main_is,
        depends_on=shape.depends_on,
        steps=len(shape.chain),
        start=name.of(shape.chain[-1]) if shape.chain else "",
        change=_change(paper, report, name) if paper.is_change else None,
    )


def is_brief(report: Report) -> bool:
    """Whether results are only counted, because several papers have some."""
    return sum(1 for paper in report.papers if paper.plan.total) > 1


def leading(told: Sequence[PaperOverview | None]) -> str:
    """The id of the next result to look at, if only one paper has results; else ""."""
    only = None
    for found in told:
        if found is None or (found.results and only is not None):
            return ""
        only = found if found.results else only
    return "" if only is None else only.ready_id or only.main_id


def _number_of(names: Sequence[str]) -> Names:
    return Names(number=len(names))


def omitted(paper: PaperReport) -> list[str]:
    """The results whose proofs the paper only says it omits, without an answer."""
    return [
        module.id
        for module in paper.state.document.modules.values()
        if module.role is Role.RESULT
        and module.stand_in is Status.OMITTED
        and not paper.state.counts_as_formal(module)
        and module.id not in paper.answered_for
    ]


def gap_kinds(paper: PaperReport) -> dict[str, GapKind]:
    """The results that are not established; unread proofs count only if others were read."""
    sheet = paper.sheet
    unread = sheet.unread() if sheet else {}
    is_partly_read = sheet is not None and len(unread) < len(sheet.readings)
    found = dict.fromkeys(unread if is_partly_read else (), GapKind.UNREAD)
    found |= dict.fromkeys(paper.unproved, GapKind.UNPROVED)
    return found | dict.fromkeys(omitted(paper), GapKind.OMITTED)


def support_of_gaps(
    paper: PaperReport, shape: ArgumentShape
) -> tuple[list[str], dict[GapKind, list[str]]]:
    """The results that depend on a gap, the main one first, and those gaps by kind.

    They depend by their proofs: a definition that cites a result claims nothing, as in the gate.
    """
    modules = paper.state.document.modules
    firm = {
        name
        for name, module in modules.items()
        if paper.state.counts_as_formal(module)
        or is_from_elsewhere(module)
        or not module.is_asserted
    }
    kinds = gap_kinds(paper)
    found = depending_on_gaps(paper.state, kinds, firm)
    gaps: dict[GapKind, list[str]] = {}
    for name in found.gaps:
        gaps.setdefault(kinds[name], []).append(name)
    weight = {"theorem": 2, "corollary": 0}
    results = sorted(
        found.results,
        key=lambda name: (name != shape.main, -weight.get(modules[name].kind, 1)),
    )
    return results, {kind: gaps[kind] for kind in GapKind if kind in gaps}


class FormalisableModules(NamedTuple):
    """What a blueprint could have formalised next, the most cited first.

    Everything that these depend on is marked; `results` have a proof in words, of `proofs` the
    statement is marked as well.
    """

    results: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    definitions: tuple[str, ...] = ()

    @property
    def first(self) -> str:
        """The first of them; "" if there is none."""
        return next(chain(*self), "")


def ready_to_formalise(paper: PaperReport, shape: ArgumentShape) -> FormalisableModules:
    """What could be formalised next; nothing if nothing is marked, or all results are formal.

    Whatever a formal proof cites is in Lean, with or without a mark.
    """
    modules = paper.state.document.modules
    marked = {name for name, module in modules.items() if _is_formalised(paper, module)}
    if not marked or all(one.is_formal for one in modules.values() if one.is_result):
        return FormalisableModules()  # definitions alone are often those of Mathlib
    formal = (name for name in marked if modules[name].is_formal)
    there = marked.union(*(shape.cited.get(name, ()) for name in formal))
    left = {
        name
        for name, module in modules.items()
        if module.role in (Role.RESULT, Role.DEFINITION) and name not in there
    }
    ready = [
        module
        for name, module in modules.items()
        if (name in left or (name in marked and not module.is_formal))
        and module.parent is None
        and left.isdisjoint(shape.cited.get(name, ()))
        and _NOT_READY not in _marks(paper, module)
        and not _has_lost_keys(paper, module)
        and left.isdisjoint(dependencies(paper.state, name))
    ]
    uses = Counter(target for targets in shape.cited.values() for target in targets)
    ready.sort(key=lambda module: (-uses[module.id], module.position))
    proved = [module for module in ready if module.is_result and module.proofs]
    return FormalisableModules(
        results=tuple(one.id for one in proved if one.id in left),
        proofs=tuple(one.id for one in proved if one.id in marked),
        definitions=tuple(
            one.id for one in ready if one.role is Role.DEFINITION and one.id in left
        ),
    )


def _has_lost_keys(paper: PaperReport, module: Module) -> bool:
    """Whether a module refers to an undefined label, so that its dependencies are unknown."""
    lost, readings = paper.state.lost_keys, paper.state.paper.readings
    for passage in module.passages if lost else ():
        path = passage.location.path
        named = chain(
            readings[path].blocks[passage.block].uses,
            *(mention.keys for mention in passage.mentions),
        )
        if not lost.get(path, set()).isdisjoint(named):
            return True
    return False


def open_in_lean(paper: PaperReport) -> list[str]:
    """The results with a Lean declaration that has `sorry`."""
    from pfcore.checks.lean.lean_gaps import lean_gaps  # not needed without Lean
    from pfcore.checks.lean.lean_links import lean_names_of

    named = {
        name: listed
        for name, module in paper.state.document.modules.items()
        if module.is_result and (listed := lean_names_of(paper.state, module))
    }
    known = lean_gaps(paper.state.paper) if named else {}
    is_open = {one for one, gap in known.items() if gap.is_begun}
    return [name for name, listed in named.items() if not is_open.isdisjoint(listed)]


def shape_of(paper: PaperReport) -> ArgumentShape | None:
    """The shape of a paper's argument; None if an internal error hides it."""
    found = attempt(partial(argument_shape, paper.state))
    return None if isinstance(found, Failure) else found


def lemmas_first(paper: PaperReport, names: Sequence[str]) -> list[str]:
    """Results in an order in which theorems and corollaries come last."""
    modules = paper.state.document.modules
    return sorted(names, key=lambda name: modules[name].kind in _ENDS)


class ResultNames:
    """The names of results: kind and number, with the title if it is plain; else the label.

    In a blueprint the label also follows a number without a title, because its graph has no
    numbers.

    The numbers of all results that a screen may name are requested at once.
    """

    def __init__(self, paper: PaperReport, single: Sequence[str], *lists: Sequence[str]) -> None:
        self._paper, self._modules = paper, paper.state.document.modules
        self._is_blueprint = any(_is_formalised(paper, item) for item in self._modules.values())
        plan = paper.plan
        changed = (plan.restated, *_edits(paper), plan.unread) if paper.is_change else ()
        groups = [*lists, *changed]
        wanted = dict.fromkeys(single)
        wanted.update(dict.fromkeys(name for names in groups for name in names[: _NAMED + 1]))
        self._numbers = paper.numbering.of_some([self._modules[name] for name in wanted if name])

    def some(self, names: Sequence[str]) -> Names:
        """A list of results, of which the first few are named."""
        most = len(names) if len(names) == _NAMED + 1 else _NAMED  # "and 1 more" is as long
        return Names(listed=tuple(map(self.of, names[:most])), number=len(names))

    def of(self, name: str) -> str:
        """The name of one result; "" if there is none."""
        if not name:
            return ""
        module = self._modules[name]
        number = self._numbers.get(name)
        kind = printed_kind(module, self._paper, number)
        kind = kind or ("" if number else module.kind.capitalize())
        title = module.title
        is_plain = len(title) <= _LONGEST_NAME and not _NOT_PLAIN.intersection(title)
        told = f" ({safe(plain_text(title))})" if title and is_plain and title != number else ""
        if number:
            label = module.label if self._is_blueprint and not told else ""
            told = told or (f" ({shortened(safe(label), _LONGEST_NAME)})" if label else "")
            return f"{kind} {safe(number)}{told}".strip()
        if told or "~" not in name:
            return f"{kind}{told}" if told else f"{kind} {shortened(safe(name), _LONGEST_NAME)}"
        where = module.statement.location  # an id made up by us means nothing to people
        return f"{kind} at {shortened(safe(where.path), _LONGEST_NAME)}:{where.line}"


def _edits(paper: PaperReport) -> tuple[list[str], list[str]]:
    """The results of which only the proofs were edited, and the new ones."""
    plan = paper.plan
    edited = [name for name in plan.edited if name in plan.pairs and name not in plan.restated]
    return edited, [name for name in plan.edited if name not in plan.pairs]


def _change(paper: PaperReport, report: Report, name: ResultNames) -> ChangeOverview:
    plan = paper.plan
    edited, new = _edits(paper)
    read_in = paper.state.paper.outline.order
    lacking = lacking_files(paper.state)
    lacked = lacking_files(paper.before) if paper.before else []
    return ChangeOverview(
        since=safe(report.before or ""),
        files=len((report.changed or frozenset()).intersection(read_in)),
        restated=name.some(plan.restated),
        edited=name.some(edited),
        new=name.some(new),
        removed=len(plan.removed),
        reread=name.some(plan.unread),
        affected=len(plan.affected),
        lean=name.some(_changed_in_lean(paper, report)),
        uncompared=_files(lacking),
        added=_files([path for path in lacked if path not in lacking]),
        fresh=len(fresh_results(paper)),
        results=sum(module.is_result for module in paper.state.document.modules.values()),
    )


def fresh_results(paper: PaperReport) -> list[str]:
    """The results that a change has added."""
    modules = paper.state.document.modules
    return [name for name in _edits(paper)[1] if modules[name].is_result]


def is_mostly_new(paper: PaperReport) -> bool:
    """Whether a change has added so many results that a list of them would be useless."""
    results = sum(module.is_result for module in paper.state.document.modules.values())
    return paper.is_change and _is_new(len(fresh_results(paper)), results)


def _is_new(fresh: int, results: int) -> bool:
    return fresh > _FEW and 2 * fresh > results


def fresh_sentence(paper: PaperReport, report: Report) -> str:
    """A sentence on results that are mostly new, in place of a list; "" if few are new."""
    if not paper.is_change:
        return ""
    found = _change(paper, report, ResultNames(paper, ()))
    return _all_new(found) or (f"{_new(found)}." if found.is_new else "")


def _all_new(found: ChangeOverview) -> str:
    if not found.is_new or found.fresh < found.results:
        return ""
    return (
        f"All {plural(found.results, 'result')} are new since {found.since}, "
        "so none can be compared."
    )


def _new(found: ChangeOverview) -> str:
    if found.is_new:
        return f"{found.fresh:,} of {plural(found.results, 'result')} are new"
    return f"{found.new} new"


def _files(paths: Sequence[str]) -> Names:
    return Names(listed=tuple(map(safe, paths[:_NAMED])), number=len(paths))


def _changed_in_lean(paper: PaperReport, report: Report) -> list[str]:
    """The results whose statement is unchanged but whose Lean declaration changed."""
    if not any(path.endswith(".lean") for path in report.changed or ()):
        return []
    found = (item for item in paper.findings if item.rule == _STALE_MARK and item.introduced)
    named = (
        item.module for item in found if item.module and item.module not in paper.plan.restated
    )
    return list(dict.fromkeys(named))


def titled(found: PaperOverview, style: Style) -> Iterator[str]:
    """The title at the left and its origin at the right, in one line if they fit."""
    moment = found.moment
    if found.change is not None:
        moment += f", changes since {found.change.since}"
    root = "" if found.title == found.root else f"{found.root}, "
    place = f"{root}{plural(found.files, 'file')}, {moment}"
    title = style.paint(found.title, "bold")
    if style.is_whole or len(found.title) + len(place) + 2 <= style.width:
        gap = 2 if style.is_whole else style.width - len(found.title) - len(place)
        yield f"{title}{' ' * gap}{place}"
        return
    yield from (style.paint(line, "bold") for line in style.wrap(found.title))
    yield from style.wrap(place)


def overview_sentences(found: PaperOverview) -> list[str]:
    """The sentences on a paper's contents, without the title and the change."""
    return [sentence for about in overview_paragraphs(found) for sentence in about]


def told_paragraphs(found: PaperOverview) -> list[str]:
    """The same in paragraphs, also for a paper in which no result was found."""
    if not found.results:
        return ["No theorems found.", *([_LOST.format(found.root)] if found.lacks_class else [])]
    return [" ".join(sentences) for sentences in overview_paragraphs(found)]


_CLASS = attrgetter("document_class")
_LOST = (
    "No \\documentclass was found in {} or in the files that it includes, so its title, macros "
    "and numbers are unknown here."
)
"""Why a paper has no title and no numbers."""


def overview_paragraphs(found: PaperOverview) -> list[list[str]]:
    """The sentences in groups: the numbers, the argument, the open ends."""
    if found.is_brief:
        return [[*_numbers(found), *_counted_gaps(found)]]
    lost = [_LOST.format(found.root)] if found.lacks_class else []
    listed = [lost, list(_numbers(found)), list(_argument(found)), list(_open_ends(found))]
    return [about for about in listed if about]


def numbers_sentence(found: PaperOverview) -> str:
    """The numbers of results, definitions and so on."""
    counted = {
        "result": found.results,
        "definition": found.definitions - found.constructions - found.notations,
        _MADE: found.constructions,
        "notation": found.notations,
    }
    parts = counts_in_words(counted) or [plural(0, "result")]
    if found.proved:
        some = "" if found.definitions == 1 else f"{found.proved:,} of them "
        parts[-1] += f" ({some}with a proof)"
    if found.dependencies:
        parts.append(f"{plural(found.dependencies, 'dependency', 'dependencies')} by citation")
    return f"{', '.join(parts)}."


def _numbers(found: PaperOverview) -> Iterator[str]:
    yield numbers_sentence(found)
    if said := formalised_sentence(found):
        yield said
    if found.cited:
        verb = "is" if found.cited == 1 else "are"
        yield f"{plural(found.cited, 'result')} {verb} taken from the literature."
    if found.answered:
        verb = "has" if found.answered == 1 else "have"
        yield f"{plural(found.answered, 'result')} {verb} {ANSWERED}."
    if not found.is_brief:
        yield from _ready(found)
    if found.open_in_lean.number and not found.is_brief:
        yield f"With sorry in Lean: {_counted(found.open_in_lean)}{_resting(found)}."


def _ready(found: PaperOverview) -> Iterator[str]:
    """What could be formalised next."""
    if found.ready.number:
        yield f"Ready to formalise (everything that the proof cites is marked): {found.ready}."
    if number := found.ready_proofs.number:
        what = "Proof" if number == 1 else "Proofs"
        which = "(the statement and everything it cites are marked)"
        yield f"{what} to formalise {which}: {found.ready_proofs}."
    if number := found.ready_definitions.number:
        what = "Definition" if number == 1 else "Definitions"
        yield f"{what} to formalise: {found.ready_definitions}."


def _resting(found: PaperOverview) -> str:
    """How many results depend on those with `sorry`."""
    if not found.on_open:
        return ""
    which = "it" if found.open_in_lean.number == 1 else "them"
    return (
        f"; {plural(found.on_open, 'other result')} depend{'s' * (found.on_open == 1)} on {which}"
    )


def formalised_sentence(found: PaperNumbers) -> str:
    """What the authors mark as formalised; "" if nothing."""
    if not is_blueprint(found):
        return ""
    results = _share(found.shown, found.results, "result")
    if more := found.stated - found.shown:
        results += f" ({'the statement' if more == 1 else 'the statements'} of {more:,} more)"
    definitions = _share(found.defined, found.definitions, "definition")
    return f"Marked as formalised: {', '.join(filter(None, (results, definitions)))}."


def is_blueprint(found: PaperNumbers) -> bool:
    """Whether the authors mark anything as formalised."""
    return bool(found.formal or found.stated or found.defined)


def _share(some: int, whole: int, name: str) -> str:
    """`3 of 5 results`, `all 5 results`; "" for none."""
    if some == whole > 1:
        return f"all {plural(whole, name)}"
    return f"{some:,} of {plural(whole, name)}" if whole else ""


def _argument(found: PaperOverview) -> Iterator[str]:
    if found.main:
        others = plural(found.depends_on, "other result")
        head = found.main_is[:1].upper() + found.main_is[1:]
        yield f"{head}: {found.main}, which depends on {others}."
        if found.steps > 2:
            yield f"The longest chain to it has {found.steps} results and starts at {found.start}."
    if found.most_used:
        yield f"Most used: {found.most_used}, cited by {found.uses:,} results."


def _open_ends(found: PaperOverview) -> Iterator[str]:
    if found.results == found.uncited.number > _NAMED:
        yield "No reference from one result to another was found."
    elif found.uncited.number:
        verb = "is" if found.uncited.number == 1 else "are"
        nor = f"; nor is {found.main}" if found.main and found.is_main_uncited else ""
        yield f"{_counted(found.uncited)} {verb} cited in no other statement or proof{nor}."
    said = gap_sentence(found.resting)
    if found.results == found.unproved.number > _NAMED:
        yield "No result has a proof."
    elif found.unproved.number and not (said and found.unproved.number == 1):
        yield f"Without a proof: {_counted(found.unproved)}."
    if found.omitted.number and not (said and found.omitted.number == 1):
        yield f"Proof omitted: {_counted(found.omitted)}."
    if said:
        yield said


def _counted_gaps(found: PaperOverview) -> Iterator[str]:
    """The open ends as numbers only."""
    bare, resting = found.unproved.number + found.omitted.number, found.resting.results.number
    if bare:
        yield f"{plural(bare, 'result')} {'has' if bare == 1 else 'have'} no proof."
    if resting:
        verb = "depends" if resting == 1 else "depend"
        is_partly_read = any(gap.kind is GapKind.UNREAD for gap in found.resting.gaps)
        what = "missing proofs" if resting > 1 else "a missing proof"
        what = "proofs that are missing or were not read" if is_partly_read else what
        yield f"{plural(resting, 'result')} {verb} on {what}."


def _counted(names: Names) -> str:
    """Some names; if not all are named, after their number."""
    is_whole = names.number == len(names.listed)
    return f"{names}" if is_whole else f"{names.number:,} results ({names})"


def gap_sentence(found: GapOverview) -> str:
    """`Theorem 1.2 and 5 other results depend on Lemma 3, which has no proof.`; "" for none."""
    if not found.results.number:
        return ""
    first, *others = found.results.listed
    left = found.results.number - 1
    who = first
    if left:
        who += f" and {others[0]}" if left == 1 else f" and {left:,} other results"
    verb = "depends" if not left else "depend"
    gaps = [_gaps(gap, is_one=not left) for gap in found.gaps]
    return f"{who} {verb} on {', and on '.join(gaps) if not left else ', or on '.join(gaps)}."


def _gaps(found: GapNames, *, is_one: bool) -> str:
    """Gaps of a kind; `is_one`: a single result depends on all of them."""
    one, several, many = found.kind.value
    names = found.names
    some = "" if is_one or names.number == 1 else "at least one of "
    if names.number > len(names.listed):
        return f"{some}{names.number:,} results {many} ({names})"
    return f"{some}{names}, {one if names.number == 1 else several}"


def change_sentence(found: PaperOverview, unchanged: str = "") -> str:
    """The effect of a change on a paper, and what should be read again; "" without a change.

    Also "" if `unchanged` says it for several papers at once.
    """
    change = found.change
    if change is None or (unchanged and change.is_empty):
        return ""
    left = "".join(f" {said}" for said in _not_compared(change))
    if said := _all_new(change):
        return f"{said}{left}"
    unknown = " in what could be read" if change.uncompared.number else ""
    done = ", ".join(_done(change)) or f"no statement changed{unknown}"
    files = f"{plural(change.files, 'file')}, " if change.files else ""
    head = f"Your changes since {change.since}: {files}{done}"
    if change.reread.number:
        return f"{head} → {change.reread} should be re-read.{left}"
    if change.affected:
        number = plural(change.affected, "result")
        return f"{head} → {number} affected; no proof needs to be re-read.{left}"
    if change.lean.number:
        return f"{head}. No proof needs to be re-read.{left}"
    return f"{head}.{left}" if unknown else f"{head}. Nothing needs to be re-read.{left}"


def _not_compared(change: ChangeOverview) -> Iterator[str]:
    """Missing files, or files that were missing before, which are not compared."""
    if change.uncompared.number:
        yield f"The contents of {change.uncompared} were not compared."
    if change.added.number:
        its = "its" if change.added.number == 1 else "their"
        yield f"{change.since} lacks {change.added}, so {its} contents count as new."


def unchanged_sentence(told: Sequence[PaperOverview | None]) -> str:
    """One sentence for several unchanged papers, in place of one each; "" for fewer than two.

    None stands for a paper that is not described, because nothing changed there either.
    """
    changes = [item.change for item in told if item is not None and item.change is not None]
    same = [change for change in changes if change.is_empty]
    if len(same) <= 1:
        return ""
    number = len(same) + sum(item is None for item in told)
    is_all = len(same) == len(changes)
    which = "" if is_all else f" in {number:,} of {len(told):,} papers"
    there = "" if is_all else " there"
    return f"Since {same[0].since} no statement changed{which}. Nothing{there} needs to be re-read."


def _done(found: ChangeOverview) -> Iterator[str]:
    if found.restated.number:
        says = "says" if found.restated.number == 1 else "say"
        yield f"{found.restated} {says} something else"
    if found.edited.number:
        yield f"{found.edited} edited"
    if found.lean.number:
        of_one = found.lean.number == 1
        what, text = ("declaration", "its text") if of_one else ("declarations", "their texts")
        yield f"the Lean {what} of {found.lean} changed, but {text} did not"
    if found.new.number:
        yield _new(found)
    if found.removed:
        yield f"{plural(found.removed, 'result')} removed"
