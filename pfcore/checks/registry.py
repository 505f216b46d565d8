"""All checks, in the order in which they run.

Findings under a condition that may not hold are at most notes. Many findings of the same shape,
probably caused by an idiom that we do not know, become one note.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from pfcore.checks import (
    argument,
    blueprint,
    change,
    preflight,
    references,
    source_form,
    suppressions,
    symbol_scope,
)
from pfcore.checks.algebra import equality_check
from pfcore.checks.check import Check, CheckInput, conditional_spans, may_hold_code
from pfcore.checks.injection import injection_check
from pfcore.checks.lean import lean_links
from pfcore.domain.containment import Failure, Fault, attempt
from pfcore.domain.errors import ConfigError, SourceError
from pfcore.domain.findings import capped, finding_id, unique, with_origin, with_severity
from pfcore.domain.lazy_regex import regex
from pfcore.domain.paper_settings import FILE_NAME, CheckSettings
from pfcore.domain.spans import count_before
from pfcore.domain.values import Finding, Severity
from pfcore.latex.lexer.commands import REFERENCES
from pfcore.latex.lexer.mask import mask
from pfcore.papers.paper import Paper

if TYPE_CHECKING:
    from pfcore.checks.conditional_code import ReadPlaces

STRUCTURE: tuple[Check, ...] = (
    *argument.CHECKS,
    *references.CHECKS,
    *source_form.CHECKS,
    *source_form.MARKUP_CHECKS,
    *blueprint.STRUCTURE_CHECKS,
    *lean_links.CHECKS,
    *symbol_scope.CHECKS,
    *equality_check.CHECKS,
    *injection_check.CHECKS,
    *preflight.CHECKS,
    source_form.UNREAD_BLOCKS,
)
_OF_TEXT = frozenset(
    check.id for check in (*argument.CHECKS, *references.CHECKS, *source_form.CHECKS)
)
_READ_BY_LATEX = _OF_TEXT.union(preflight.RULES)
CHANGE: tuple[Check, ...] = (*change.CHECKS, *blueprint.CHECKS)
ALL: tuple[Check, ...] = (
    *STRUCTURE,
    *preflight.BEFORE_AN_UPLOAD,
    *CHANGE,
    suppressions.UNUSED,
)
_LATER = frozenset(check.id for check in preflight.BEFORE_AN_UPLOAD)


def require_known(settings: CheckSettings, *, path: str | None) -> None:
    """ConfigError if the settings name an unknown check, or weaken one of `suppressions.NEVER`."""
    known = {check.id for check in ALL}
    for name in (*settings.disable, *(name for name, _ in settings.severity)):
        if name not in known:
            listed = ", ".join(sorted(known))
            message = f"unknown check '{name}'; expected one of: {listed}"
            raise ConfigError(message, path=path or FILE_NAME)
    lesser = (name for name, severity in settings.severity if severity != Severity.ERROR)
    for name in (*settings.disable, *lesser):
        if name in suppressions.NEVER:
            message = suppressions.unanswerable(name)
            raise ConfigError(message, path=path or FILE_NAME)


def run_checks(
    scene: CheckInput,
    earlier: CheckInput | None,
    objections: Sequence[Finding] = (),
    *,
    least: Severity = Severity.NOTE,
    is_capped: bool = True,
    is_upload: bool = False,
) -> tuple[Finding, ...]:
    """All findings of a paper; `introduced` is set if there is an earlier version.

    `objections` come from reading proofs: answers in the source cover them, too. Checks whose
    findings are all less severe than `least` need not run. If `is_capped`, many findings of one
    check in one file become one. `is_upload` adds the checks that run only before an upload, and
    reports similar findings one by one.
    """
    settings = scene.paper.settings.checks
    checks = _worth(STRUCTURE if earlier is None else STRUCTURE + CHANGE, scene, least)
    if is_upload:
        checks = (*checks, *preflight.BEFORE_AN_UPLOAD)
    elif earlier is not None:
        checks = (*checks, *change.beside_the_text(scene.paper, earlier.paper))
    found = _answered(scene, checks, objections)
    if not is_upload:  # answers to checks that did not run are not unused
        found = [item for item in found if not _answers_later(item)]
    ids = {item.id for item in objections}
    read = [item for item in found if item.id in ids]
    found = [item for item in found if item.id not in ids]
    if earlier is not None and scene.plan is not None:
        known = _answered(earlier, _comparable(found, earlier))
        paths = frozenset(earlier.paper.outline.order)
        found = with_origin(found, known, scene.plan.pairs, paths)
    chosen = with_severity(found, dict(settings.severity), frozenset(settings.disable))
    if len(chosen) >= _FEWEST and not is_upload:
        chosen = list(_told_once(scene, chosen, {rule for rule, _ in settings.severity}))
    listed = capped(unique(chosen)) if is_capped else unique(chosen)
    return unique([*listed, *read])


def _answers_later(item: Finding) -> bool:
    """Whether a finding says that an answer is unused which belongs to a check before an upload."""
    is_unused = item.rule == suppressions.UNUSED.id
    return is_unused and item.subject.rpartition(" ")[2] in _LATER


def _worth(checks: Sequence[Check], scene: CheckInput, least: Severity) -> Sequence[Check]:
    """The checks with severe enough findings; all if the source has answers to be matched."""
    if least is Severity.NOTE or suppressions.has_any(scene):
        return checks
    chosen = dict(scene.paper.settings.checks.severity)
    return [
        check
        for check in checks
        if Severity(chosen.get(check.id, check.severity)).rank >= least.rank
    ]


def _comparable(found: Iterable[Finding], earlier: CheckInput) -> Sequence[Check]:
    """The checks to run on the base: those with findings now, since an id belongs to a check."""
    if suppressions.has_any(earlier):
        return STRUCTURE
    rules = {item.rule for item in found}
    return [check for check in STRUCTURE if check.id in rules]


def _run(scene: CheckInput, check: Check) -> Iterable[Finding]:
    """The findings of a check; none if it crashes, which is recorded as a fault."""
    if scene.only not in ("", check.id):
        return ()
    found = attempt(lambda: list(check.run(scene, check)))
    if not isinstance(found, Failure):
        return found
    scene.paper.faults.add(Fault(scene.paper.root, 0, f"check {check.id}", found.cause))
    return ()


def _answered(
    scene: CheckInput, checks: Iterable[Check], objections: Iterable[Finding] = ()
) -> list[Finding]:
    scene.paper.snapshot.foresee(scene.paper.readings)
    listed = (
        item
        for check in checks
        for item in _run(scene, check)
        if not scene.paper.outline.is_borrowed(item.location.path)
    )
    found = list(listed) if scene.is_base else list(softened(scene, listed, _READ_BY_LATEX))
    return suppressions.apply_ignores(scene, [*objections, *found], {check.id for check in ALL})


def softened(scene: CheckInput, findings: Iterable[Finding], rules: Set[str]) -> Iterator[Finding]:
    """The findings; those of some rules become notes if LaTeX may never read their place."""
    known: dict[str, list[tuple[int, int]]] = {}
    left_out = _LeftOut(scene.paper)
    for finding in findings:
        if finding.rule not in rules or finding.severity is Severity.NOTE:
            yield finding
            continue
        path = finding.location.path
        if path not in known:
            known[path] = conditional_spans(scene.paper, path)
        is_inside = _is_inside(known[path], finding.location.start)
        is_inside = is_inside or (finding.rule in _OF_TEXT and left_out.has(finding))
        yield replace(finding, severity=Severity.NOTE) if is_inside else finding


class _LeftOut:
    """Decides whether LaTeX may skip the place of a finding, from the code around it."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper

    def has(self, finding: Finding) -> bool:
        """Whether the place is in code, or in an argument that LaTeX may not read."""
        path, start, end = finding.location[:3]
        try:
            text = mask(self._paper.source(path), self._paper.syntax.dead).text
        except SourceError:
            return False
        is_open = count_before(text, "{", start) != count_before(text, "}", start)
        return (is_open or self._may_hold_code) and not self._places.is_read(path, start, end)

    @cached_property
    def _may_hold_code(self) -> bool:
        return may_hold_code(self._paper)

    @cached_property
    def _places(self) -> "ReadPlaces":
        from pfcore.checks.conditional_code import ReadPlaces  # late: few papers ask

        return ReadPlaces(self._paper)


def _is_inside(spans: list[tuple[int, int]], offset: int) -> bool:
    index = bisect_right(spans, (offset, len(spans) + offset)) - 1
    return index >= 0 and offset < spans[index][1]


_FEWEST = 6
"""From this many findings of one shape on, a misreading of ours is the better explanation."""
_SHARE = 0.75
"""The share of all occurrences of a shape from which on the shape counts as an unknown idiom."""
_MOST_PLACES = 3
_UNDEFINED = regex(r"undefined label (?P<key>.+?)(?:; .*)?\Z")
_EXPLAINED = regex(r"; \S.* defines it\b")
_PREFIX = regex(r"[^\W\d_][^\W_]*[:@./_-]")
_COMMAND = regex(r"\\[A-Za-z@]+")
_NAMED_FILE = regex(r"(?P<ending>\.[A-Za-z][^{}./]*\.[A-Za-z]+)\}")
_WRITTEN = ("\\label", "\\zlabel")


def _told_once(
    scene: CheckInput, findings: Sequence[Finding], named: Set[str]
) -> Iterator[Finding]:
    """The findings, with one note in place of many findings of a check that have one shape.

    A shape is what the uses of an idiom have in common: the prefix of keys or the command that
    refers to them, labels not written as `\\label`, an ending of file names, the start of an
    environment. Only findings that the change did not introduce show a shape. Findings that the
    authors have answered, and those of the checks in `named`, whose severity they have set, are
    reported one by one.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        is_grave = one.severity is not Severity.NOTE
        if is_grave and one.rule in _SHAPES and one.rule not in named:
            for shape in _SHAPES[one.rule](scene, one):
                groups.setdefault((one.rule, shape), []).append(one)
    many = {
        key: len({_subject(one) for one in group})
        for key, group in groups.items()
        if len({_subject(one) for one in group if not one.introduced}) >= _FEWEST
    }
    used = _used(scene) if many else {}
    idioms = [key for key, number in many.items() if number >= _SHARE * len(used.get(key[1], ()))]
    told: set[str] = set()
    for rule in dict.fromkeys(rule for rule, _ in idioms):
        shapes = [shape for of, shape in idioms if of == rule]
        listed = (one for shape in shapes for one in groups[rule, shape])
        alike = unique(one for one in listed if one.dismissed is None)
        told.update(one.id for one in alike)
        if alike:
            yield _as_one(alike, shapes)
    yield from (one for one in findings if one.id not in told)


def _used(scene: CheckInput) -> dict[str, set[str]]:
    """All keys and file names of a paper by shape, with or without a finding."""
    paper = scene.paper
    used: dict[str, set[str]] = {}
    for path in paper.readings:
        for reference in paper.references(path):
            for key in reference.keys:
                for shape in _of_key(paper, path, reference.start, key):
                    used.setdefault(shape, set()).add(key)
    for path in paper.outline.order:
        for link in paper.surveys[path].links:
            if ending := _NAMED_FILE.search(f"{{{link.target}}}"):
                used.setdefault(ending["ending"], set()).add(link.target)
    return used


def _of_reference(scene: CheckInput, one: Finding) -> Iterable[str]:
    """The prefix or command of a key; none if it is known where the label is, or was."""
    key, before = _subject(one), scene.before
    is_known = before is not None and key in before.document.labels
    if is_known or _EXPLAINED.search(one.message):
        return ()
    return _of_key(scene.paper, one.location.path, one.location.start, key)


def _of_key(paper: Paper, path: str, start: int, key: str) -> Iterator[str]:
    """The prefix, and the command if the paper defines it or there is no prefix."""
    command = _COMMAND.match(paper.source(path), start)
    prefix = _PREFIX.match(key)
    if prefix:
        yield prefix[0]
    name = command[0][1:] if command else ""
    is_own = name not in REFERENCES or name in paper.syntax.macros
    if command and (is_own or not prefix):
        yield command[0]


def _of_label(scene: CheckInput, one: Finding) -> Iterable[str]:
    """The shape of labels that are not all written as `\\label`; none if they are."""
    places = scene.document.labels.get(one.subject, ())
    sources = ((scene.paper.source(place.path), place.offset) for place in places)
    is_written = all(text.startswith(_WRITTEN, offset) for text, offset in sources)
    return () if is_written else ("",)


def _of_file(scene: CheckInput, one: Finding) -> Iterable[str]:
    """A file ending of several parts, such as programs use for their output; else none."""
    named = _NAMED_FILE.search(one.quote)
    return (named["ending"],) if named else ()


def _of_environment(scene: CheckInput, one: Finding) -> Iterable[str]:
    """The command that begins or ends the environment."""
    return (one.quote,)


_SHAPES: dict[str, Callable[[CheckInput, Finding], Iterable[str]]] = {
    "dangling-reference": _of_reference,
    "duplicate-label": _of_label,
    "missing-file": _of_file,
    "unbalanced-environment": _of_environment,
}
"""By check, the function that gives the shapes of a finding."""


def _subject(one: Finding) -> str:
    """What is counted for a shape: the key of a reference, else the finding itself."""
    undefined = _UNDEFINED.match(one.message)
    return undefined["key"] if undefined else f"{one.subject} {one.id}"


def _as_one(alike: Sequence[Finding], shapes: Sequence[str]) -> Finding:
    """One note for findings of the same shapes, at the first place, listing some others."""
    ordered = sorted(alike, key=lambda one: one.location[:2])
    first = ordered[0]
    _, *listed = dict.fromkeys(f"{one.location.path}:{one.location.line}" for one in ordered)
    places, left = ", ".join(listed[:_MOST_PLACES]), len(listed) - _MOST_PLACES
    more = f", and {left} more {'line' if left == 1 else 'lines'}" if left > 0 else ""
    also = f" (also {places}{more})" if listed else ""
    said = _SAID[first.rule].format(number=len(alike), shapes=" or ".join(shapes))
    return replace(
        first,
        id=finding_id(first.rule, _ALIKE, None),
        subject=_ALIKE,
        severity=Severity.NOTE,
        module=None,
        message=f"{said}{also}",
        introduced=max((one.introduced for one in alike), key=_NEWEST.index),
        related=(),
        aliases=frozenset(),
        alike=len(alike),
    )


_ALIKE = "alike"
_NEWEST = (False, None, True)
_SAID = {
    "dangling-reference": (
        "{number} references ({shapes}) lead to no label that pf-verify finds; "
        "it may not know how this paper defines labels"
    ),
    "duplicate-label": (
        "{number} labels set by the paper's own commands or environments seem to be defined twice; "
        "pf-verify may not know when LaTeX sets them"
    ),
    "missing-file": (
        "{number} included files *{shapes} are missing; a program of the authors may write them"
    ),
    "unbalanced-environment": (
        "{number} environments ({shapes}) seem to be left open or closed twice; "
        "pf-verify may not know how this paper closes them"
    ),
}
"""The messages for similar findings: their number, and what we may not know."""
