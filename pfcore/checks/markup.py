"""Checks of the form of proofs in PF markup: tags, numbers, order, and who may cite whom."""

from bisect import bisect_right
from collections.abc import Iterator
from operator import itemgetter

from pfcore.checks.check import Check, CheckInput
from pfcore.domain.values import Finding, Severity
from pfcore.latex.parsed_file import SourceProblem
from pfcore.latex.tagged import is_tagged
from pfcore.markup.tags import PREFIX, is_markup

_RECOGNISED = 400
_TAGLESS = f"{PREFIX}outside"


def form(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Everything that breaks the form, each with the tag that it is about."""
    path = scene.paper.root
    if not is_markup(path):
        return
    counts: dict[str, int] = {}
    sections = _sections(scene, path)
    for problem in scene.paper.readings[path].problems:
        if not problem.code.startswith(PREFIX):
            continue
        subject = _subject(scene, path, problem)
        counts[subject] = counts.get(subject, 0) + 1
        yield check.finding(
            problem.message,
            subject=f"{subject} {counts[subject]}",
            module=_around(sections, problem.start),
            place=scene.at(path, problem.start, problem.end),
        )


def _subject(scene: CheckInput, path: str, problem: SourceProblem) -> str:
    said = problem.message
    if problem.code == _TAGLESS:
        said = scene.paper.source(path)[problem.start : problem.end][:_RECOGNISED]
    return f"{problem.code} {said}"


_Section = tuple[int, int, str]


def _sections(scene: CheckInput, path: str) -> list[_Section]:
    """The sections of a file by their places, each with its module."""
    owners = scene.owners()
    return sorted(
        (block.place.start, block.place.end, owners[path, index])
        for index, block in enumerate(scene.paper.readings[path].blocks)
        if is_tagged(block.env) and (path, index) in owners
    )


def _around(sections: list[_Section], offset: int) -> str | None:
    index = bisect_right(sections, offset, key=itemgetter(0)) - 1
    return sections[index][2] if index >= 0 and offset < sections[index][1] else None


MARKUP_CHECKS = (
    Check(
        id="pf-markup",
        severity=Severity.ERROR,
        rationale="a proof in modules whose form is broken cannot be read module by module",
        run=form,
    ),
)
