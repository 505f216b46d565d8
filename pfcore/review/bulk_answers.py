"""Answers of the ledger to findings of checks: one reason for all findings of a check in some part.

Each finding has a line of its own in the ledger, which counts as long as the statement concerned
stays the same. Findings on parts that could not be read, or on text addressed to a language model,
cannot be answered in bulk.
"""

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import NamedTuple

from pfcore.checks.suppressions import NEVER, unanswerable
from pfcore.domain.errors import UsageError
from pfcore.domain.findings import finding_id
from pfcore.domain.paper_settings import Latex
from pfcore.domain.values import Finding
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.ledger.ledger import Dismissal, Ground
from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper

_UNSEEN = "a part that could not be read was not reviewed"
_BROKEN = "the text is ambiguous until this is resolved"
REFUSED: Mapping[str, str] = {
    "unread-file": _UNSEEN,
    "unread-block": _UNSEEN,
    "missing-file": _UNSEEN,
    "circular-input": _BROKEN,
    "unbalanced-environment": _BROKEN,
    "unclosed-brace": "LaTeX stops there and prints nothing after it; close the brace",
    **NEVER,
    "pf-markup": _BROKEN,
    "aimed-text": "text addressed to a language model makes its verdicts doubtful; remove it",
    "cycle": "answer each circular argument separately, in the source",
    "unused-ignore": "delete the unused comment",
}
"""The checks whose findings no line of the ledger can answer, and why."""


def is_bulk(rule: str) -> bool:
    """Whether all findings of a check may be answered with one reason."""
    return rule not in REFUSED


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkScope:
    """The findings to answer: those of some checks, in a file or section if one is named.

    A file may be named by its path or by the end of it, a section by its title.
    """

    rules: tuple[str, ...]
    file: str | None = None
    section: str | None = None


def require_bulk(scope: BulkScope, known: Set[str]) -> None:
    """UsageError for an unknown check, or one whose findings cannot be answered in bulk."""
    for rule in scope.rules:
        if rule not in known:
            listed = ", ".join(sorted(name for name in known if is_bulk(name)))
            raise UsageError(
                f"unknown check '{rule}'; checks that can be answered in bulk: {listed}"
            )
        if rule in REFUSED:
            raise UsageError(
                unanswerable(rule)
                if rule in NEVER
                else f"{rule} cannot be answered in bulk: {REFUSED[rule]}"
            )


def bulk_dismissals(
    state: PaperState,
    findings: Iterable[Finding],
    scope: BulkScope,
    *,
    reason: str,
    who: str | None,
) -> tuple[Dismissal, ...]:
    """An answer to each unanswered finding of a paper in the scope."""
    meant = [item for item in findings if item.rule in scope.rules and item.dismissed is None]
    if scope.file is not None:
        meant = [item for item in meant if _is_file(item.location.path, scope.file)]
    if scope.section is not None:
        wanted = _title(scope.section)
        meant = [item for item in meant if wanted in _sections_over(state.paper, item)]
    return tuple(check_dismissal(state, item, reason=reason, who=who) for item in meant)


def check_dismissal(state: PaperState, item: Finding, *, reason: str, who: str | None) -> Dismissal:
    """An answer to a finding of a check, which counts while the statement around it is the same."""
    return Dismissal(
        finding=item.id,
        rule=item.rule,
        quote="",
        ground=_ground(state, item.module),
        reason=reason,
        who=who,
    )


def require_file(papers: Iterable[Paper], name: str | None) -> None:
    """UsageError, with similar names, if no file of the papers has this name."""
    if name is None:
        return
    paths = list(dict.fromkeys(path for paper in papers for path in paper.outline.order))
    if any(_is_file(path, name) for path in paths):
        return
    lasts = {path.rpartition("/")[2]: path for path in paths}
    near = get_close_matches(name, paths, n=2) or [
        lasts[one] for one in get_close_matches(name.rpartition("/")[2], lasts, n=2)
    ]
    more = f", and {len(paths) - 8:,} more" if len(paths) > 8 else ""
    what = (
        f"Did you mean {' or '.join(near)}?"
        if near
        else f"Expected one of: {', '.join(paths[:8])}{more}"
    )
    raise UsageError(f"unknown file '{name}'. {what}")


def _is_file(path: str, name: str) -> bool:
    name = name.removeprefix("./")
    return path == name or path.endswith(f"/{name}")


def _ground(state: PaperState, module: str | None) -> Ground:
    known = state.document.modules.get(module) if module else None
    return Ground(module=module or "", statement=known.statement.digest if known else "")


def _sections_over(paper: Paper, item: Finding) -> list[str]:
    place = item.location
    return [_title(one.title) for one in paper.headings_over(place.path, place.start)]


def _title(text: str) -> str:
    return " ".join(text.split()).casefold()


def section_titles(paper: Paper) -> Iterator[str]:
    """The titles of all headings of a paper, in reading order of its files."""
    for path in paper.outline.order:
        reading = paper.readings.get(path)
        for heading in reading.sections if reading else ():
            yield heading.title


class CarriedAnswer(NamedTuple):
    """An answer under the present id of its statement, and the original line."""

    answer: Dismissal
    line: Dismissal


def carried_dismissals(
    state: PaperState,
    dismissals: Iterable[Dismissal],
    findings: Iterable[Finding],
    known: Mapping[str, list[str]] | None = None,
) -> tuple[CarriedAnswer, ...]:
    """Answers to a statement that now has another id but the same text, under the new id.

    It may have got a label, or another statement before it, or be read differently since there is a
    pf.toml. `findings` are needed for checks other than no-proof, whose findings are identified by
    the statement alone. `known` are the modules by the digests of their statements.
    """
    meant = [item for item in dismissals if is_bulk(item.rule) and not _is_in_force(state, item)]
    if not meant:
        return ()
    by_text = _known_texts(state, meant) if known is None else known
    made = []
    for item in meant:
        names = by_text.get(item.ground.statement, [])
        if len(names) == 1:
            ids = _ids_under(names[0], item, findings)
            ground = _ground(state, names[0])
            made += [
                CarriedAnswer(replace(item, finding=found, ground=ground, aliases=_NONE), item)
                for found in ids
            ]
    return tuple(made)


def _known_texts(state: PaperState, meant: Iterable[Dismissal]) -> dict[str, list[str]]:
    """The modules by the digests of their statements, if needed also as read without settings."""
    found: dict[str, list[str]] = {}
    for name, module in state.document.modules.items():
        found.setdefault(module.statement.digest, []).append(name)
    if any(item.ground.statement and item.ground.statement not in found for item in meant):
        for text, names in _named_without_settings(state).items():
            found.setdefault(text, names)
    return found


def _named_without_settings(state: PaperState) -> dict[str, list[str]]:
    """The modules by the digests of their statements as read without pf.toml.

    The settings may name commands for labels; the text at the same place is read differently then.
    """
    paper = state.paper
    before, own = paper.snapshot, paper.settings.path
    if own not in before.files or paper.settings.latex == Latex():
        return {}
    kept = {path: entry for path, entry in before.files.items() if path != own}
    bare = replace(before, files=kept, paths=before.paths - {own})
    found = discover_papers(bare, paper.parse_cache, also=[paper.root]).papers
    again = next((item for item in found if item.root == paper.root), None)
    if again is None:
        return {}
    modules = state.document.modules
    there = {
        (one.statement.location.path, one.statement.location.start): one.id
        for one in modules.values()
    }
    made: dict[str, list[str]] = {}
    for module in build_paper_state(again).document.modules.values():
        place = module.statement.location
        if name := there.get((place.path, place.start)):
            made.setdefault(module.statement.digest, []).append(name)
    return made


_NONE = frozenset[str]()
_OF_STATEMENT = "no-proof"
"""The check whose findings are identified by their statement alone."""


def _ids_under(name: str, item: Dismissal, findings: Iterable[Finding]) -> Iterator[str]:
    """The ids, with the present name of the statement, of the findings that an answer is for."""
    if item.rule == _OF_STATEMENT:
        yield finding_id(item.rule, "", name)
        return
    old = item.ground.module or None
    for one in findings:
        is_alike = one.rule == item.rule and one.module == name
        if is_alike and finding_id(one.rule, one.subject, old) in item.ids:
            yield one.id


def idle_answers(
    state: PaperState, dismissals: Iterable[Dismissal], findings: Iterable[Finding]
) -> int:
    """How many answers to findings of checks no longer count because their statements changed."""
    listed = [item for item in dismissals if not item.quote and is_bulk(item.rule)]
    idle = [item for item in listed if not _is_in_force(state, item)]
    known = _known_texts(state, idle)
    return sum(1 for item in idle if not carried_dismissals(state, [item], findings, known))


def _is_in_force(state: PaperState, item: Dismissal) -> bool:
    return _ground(state, item.ground.module or None) == item.ground


def answers_in_force(state: PaperState, dismissals: Iterable[Dismissal]) -> dict[str, str]:
    """The words of the answers that still count, by the ids of their findings.

    Lines that answer findings of checks in `REFUSED` never count.
    """
    found: dict[str, str] = {}
    for item in sorted(dismissals, key=lambda one: (one.finding, one.reason, one.who or "")):
        if is_bulk(item.rule) and _is_in_force(state, item):
            found |= dict.fromkeys(
                item.ids, f"{item.reason} ({item.who})" if item.who else item.reason
            )
    return found
