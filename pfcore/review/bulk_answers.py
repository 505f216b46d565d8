"""Answers of the ledger to what checks found: one reason for all findings of a check in some part.

Each finding has a line of its own in the ledger, which counts as long as the statement that it is
about stays what it was. What a check could not see, and what speaks to a reader that is a machine,
is nobody's to wave through.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from pfcore.domain.errors import UsageError
from pfcore.domain.values import Finding
from pfcore.graph.paper_state import PaperState
from pfcore.latex.parsed_file import SectionHeading
from pfcore.ledger.ledger import Dismissal, Ground
from pfcore.papers.paper import Paper

_UNSEEN = "a part that could not be read was not reviewed"
_BROKEN = "the text is ambiguous until it is resolved"
REFUSED: Mapping[str, str] = {
    "unread-file": _UNSEEN,
    "unread-block": _UNSEEN,
    "missing-file": _UNSEEN,
    "circular-input": _BROKEN,
    "unbalanced-environment": _BROKEN,
    "unclosed-brace": "LaTeX stops there, so nothing behind it is printed; close it",
    "merge-conflict": _BROKEN,
    "pf-markup": _BROKEN,
    "aimed-text": "text addressed to a language model makes its verdicts doubtful; remove it",
    "cycle": "answer each circular argument separately, in the source",
    "unused-ignore": "delete the unused comment",
}
"""The checks whose findings no line of the ledger answers, and why."""


def is_bulk(rule: str) -> bool:
    """Whether all findings of a check may be answered by one reason."""
    return rule not in REFUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkScope:
    """Which findings are meant: those of some checks, in a file or in a section, if one is named.

    A file may be named by its path or by the end of it, a section by its title.
    """

    rules: tuple[str, ...]
    file: str | None = None
    section: str | None = None


def require_bulk(scope: BulkScope, known: Set[str]) -> None:
    """UsageError for a check that does not exist, or whose findings are not waved through."""
    for rule in scope.rules:
        if rule not in known:
            listed = ", ".join(sorted(name for name in known if is_bulk(name)))
            raise UsageError(
                f"unknown check '{rule}'; checks that can be answered in bulk: {listed}"
            )
        if rule in REFUSED:
            raise UsageError(f"{rule} cannot be answered in bulk: {REFUSED[rule]}")


def bulk_dismissals(
    state: PaperState,
    findings: Iterable[Finding],
    scope: BulkScope,
    *,
    reason: str,
    who: str | None,
) -> tuple[Dismissal, ...]:
    """An answer to each finding of a paper that is meant and that nobody has answered."""
    meant = [item for item in findings if item.rule in scope.rules and item.dismissed is None]
    if scope.file is not None:
        meant = [item for item in meant if _is_file(item.location.path, scope.file)]
    if scope.section is not None:
        wanted = _title(scope.section)
        meant = [item for item in meant if wanted in _sections_over(state.paper, item)]
    return tuple(
        Dismissal(
            finding=item.id,
            rule=item.rule,
            quote="",
            ground=_ground(state, item.module),
            reason=reason,
            who=who,
        )
        for item in meant
    )


def _is_file(path: str, name: str) -> bool:
    name = name.removeprefix("./")
    return path == name or path.endswith(f"/{name}")


def _ground(state: PaperState, module: str | None) -> Ground:
    known = state.document.modules.get(module) if module else None
    return Ground(module=module or "", statement=known.statement.digest if known else "")


def _sections_over(paper: Paper, item: Finding) -> list[str]:
    place = item.location
    return [_title(one.title) for one in headings_over(paper, place.path, place.start)]


def _title(text: str) -> str:
    return " ".join(text.split()).casefold()


def headings_over(paper: Paper, path: str, offset: int) -> list[SectionHeading]:
    """The headings under which a place stands, from the outermost, whatever files they are in."""
    seen = {path}
    chain = [(path, offset)]
    while path in paper.outline.opened:
        path, offset = paper.outline.opened[path]
        if path in seen:
            break
        seen.add(path)
        chain.append((path, offset))
    found: list[SectionHeading] = []
    for name, until in reversed(chain):
        reading = paper.readings.get(name)
        for heading in reading.sections if reading else ():
            if heading.offset <= until:
                found = [one for one in found if one.level < heading.level]
                found.append(heading)
    return found


def section_titles(paper: Paper) -> Iterator[str]:
    """The titles of all headings of a paper, in reading order of its files."""
    for path in paper.outline.order:
        reading = paper.readings.get(path)
        for heading in reading.sections if reading else ():
            yield heading.title


def answers_in_force(state: PaperState, dismissals: Iterable[Dismissal]) -> dict[str, str]:
    """The words of the answers that still count, by the ids of what they answer.

    Whoever wrote the lines: those to what is not waved through do not count.
    """
    found: dict[str, str] = {}
    for item in sorted(dismissals, key=lambda one: (one.finding, one.reason, one.who or "")):
        if is_bulk(item.rule) and _ground(state, item.ground.module or None) == item.ground:
            found |= dict.fromkeys(
                item.ids, f"{item.reason} ({item.who})" if item.who else item.reason
            )
    return found
