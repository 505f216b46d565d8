"""The outcome of a review in one line: first what was not seen; it claims no more than was done.

Also the next command.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import NamedTuple

from pfcore.domain.findings import is_told, number_of
from pfcore.domain.lazy_regex import regex
from pfcore.domain.paper_settings import FILE_NAME
from pfcore.domain.values import Finding, Severity
from pfcore.reporters.printing import plural, safe
from pfcore.repository.source_files import is_of_interest
from pfcore.review.review import AIMED, PaperReport, Report
from pfcore.review.unseen import Gap, Unseen, is_incomplete, unseen, unseen_of

APART = "No paper is affected by this change"
"""The text if a change touches no paper."""
_NAMED = 3
"""How many things of a kind are named; the others are counted."""
_COUNTED = frozenset({Gap.IGNORED, Gap.CHECK, Gap.LEDGER, Gap.REFERENCE, Gap.LOOSE, Gap.PROOF})
_PLURALS = {Gap.PAPER: "paper", Gap.BLOCK: "block", Gap.FILE: "file", Gap.ROOT: "file"}


def not_looked_at(report: Report, *, is_placed: bool = True) -> str:
    """What no part of a review has looked at, in one line; "" if there is nothing.

    `is_placed`: with the line of the first reference, which moves when the text is edited.
    """
    return gaps_in_words(unseen(report), is_placed=is_placed)


def of_paper(paper: PaperReport) -> str:
    """The same for one paper."""
    return gaps_in_words(unseen_of(paper))


def gaps_in_words(found: Iterable[Unseen], *, is_placed: bool = True) -> str:
    """`not looked at: 2 unresolved references, talk.tex (slides); not read: 5 proofs`."""
    listed = list(found)
    parts = listed_gaps(
        (item for item in listed if item.kind is not Gap.PROOF), is_placed=is_placed
    )
    unread = listed_gaps(item for item in listed if item.kind is Gap.PROOF)
    nothing = [safe(item.path) for item in listed if item.kind is Gap.RESULTS]
    more = f" and {plural(len(nothing) - _NAMED, 'more paper')}" if len(nothing) > _NAMED else ""
    said = [f"no results were found in {', '.join(nothing[:_NAMED])}{more}"] if nothing else []
    said += [f"not looked at: {parts}"] if parts else []
    said += [f"not read: {unread}"] if unread else []
    return "; ".join(said)


def listed_gaps(found: Iterable[Unseen], *, most: int | None = 1, is_placed: bool = True) -> str:
    """`5 proofs, 1 unresolved reference (a.tex:9), talk.tex (slides)`, in the order of their kinds.

    `most` is the number of references whose places are listed; None: all.
    """
    listed = list(found)
    kinds = (
        _kind([item for item in listed if item.kind is kind], most=most, is_placed=is_placed)
        for kind in Gap
    )
    return ", ".join(part for kind in kinds for part in kind)


def _kind(found: list[Unseen], *, most: int | None, is_placed: bool) -> Iterator[str]:
    if not found or found[0].kind is Gap.RESULTS:
        return
    kind = found[0].kind
    if kind in _COUNTED:
        numbers: Counter[str] = Counter()
        for item in found:
            numbers[item.what] += item.number
        is_told = is_placed and kind is Gap.REFERENCE
        named = _places(found, numbers.total(), most=most) if is_told else ""
        more = " of pf.lock" if kind is Gap.LEDGER else named
        yield from (plural(number, what) + more for what, number in numbers.items())
        return
    yield from map(_named, found[:_NAMED])
    if len(found) > _NAMED:
        yield plural(len(found) - _NAMED, f"more {_PLURALS[kind]}")


def _places(found: list[Unseen], number: int, *, most: int | None) -> str:
    """The places of references: ` (a.tex:9)`, ` (first at a.tex:9)`, ` (a.tex:9, 12; b.tex:3)`.

    They follow the paper's own command, if all references are made by the same one.
    """
    commands = {item.command for item in found}
    command = commands.pop() if len(commands) == 1 else ""
    of = f" of \\{command}" if command else ""
    hint = ""
    if command and any(item.is_labelled for item in found):
        line = f'[latex] references = ["{command}"]'
        hint = f"; if \\{command} takes labels, add to {FILE_NAME}: {line}"
    if most == 1:
        first = f"{safe(found[0].path)}:{found[0].line}"
        return f"{of} ({first if number == 1 else f'first at {first}'}{hint})"
    lines: dict[str, list[str]] = {}
    for item in found[:most]:
        lines.setdefault(item.path, []).append(f"{item.line}")
    listed = "; ".join(f"{safe(path)}:{', '.join(at)}" for path, at in lines.items())
    left = len(found) - len(found[:most])
    more = f" and {plural(left, 'more place')}: -v" if left else ""
    return f"{of} ({listed}{more}{hint})"


def _named(item: Unseen) -> str:
    if item.kind is Gap.BLOCK:
        place = f"{safe(item.path)}:{item.line}" if item.line else safe(item.path)
        return f"{safe(item.what)} at {place} (pf-verify could not read it)"
    return f"{safe(item.path)} ({safe(item.reason)})"


INCOMPLETE = "Not everything could be reviewed"


def outcome(report: Report) -> str:
    """The findings; without any, only what was looked at is called clean."""
    new = [item for paper in report.papers for item in loud(paper) if item.introduced is not False]
    if new:
        blocking = sum(number_of(paper.blocking) for paper in report.papers)
        return f"{plural(number_of(new), 'finding')}, {blocking:,} blocking"
    if is_incomplete(report):
        return INCOMPLETE
    sheets = [paper.sheet for paper in report.papers if paper.sheet is not None]
    left = sum(len(sheet.unread()) for sheet in sheets)
    is_answered = any(
        item.dismissed is not None and paper.is_loud(item)
        for paper in report.papers
        for item in paper.findings
    )
    told = [
        item
        for paper in report.papers
        for item in paper.findings
        if item.dismissed is None and paper.is_shown(item)
    ]
    is_old = any(item.introduced is False for item in told)
    kind = "new " if is_old else "open " if is_answered else ""
    read = sum(len(sheet.readings) for sheet in sheets) - left
    possible = possible_problems(told)
    if not read:
        article = "another" if possible else "an" if kind == "open " else "a"
        modules = [
            item for paper in report.papers for item in paper.state.document.modules.values()
        ]
        results = plural(sum(1 for item in modules if item.is_result), "result")
        said = f"No structural check found {article} {kind}problem in {results}; no proof was read"
        return after(possible, said)
    unread = f"; {plural(left, 'proof')} not read" if left else ""
    by = readers_words(report)
    proofs = f"{plural(read, 'proof')}{f' read by {by}' if by else ''}"
    return after(possible, f"No {kind}problem was found in {proofs}{unread}")


def readers_words(report: Report) -> str:
    """The models that have read the proofs that count, with remarks if needed."""
    sheets = [paper.sheet for paper in report.papers if paper.sheet is not None]
    found = dict.fromkeys(name for sheet in sheets for name in sheet.readers())
    return safe(" and ".join(found))


def possible_problems(found: Iterable[Finding]) -> str:
    """`8 possible problems (note)`: notes that are shown and not older; "" if none."""
    notes = [
        item
        for item in found
        if item.severity is Severity.NOTE and _is_shown(item) and item.introduced is not False
    ]
    number = sum(item.alike or 1 for item in notes)
    told = "note" if len(notes) == 1 else f"{len(notes):,} notes"
    return f"{plural(number, 'possible problem')} ({told})" if notes else ""


def _is_shown(item: Finding) -> bool:
    return item.dismissed is None and is_told(item)


def after(first: str, said: str) -> str:
    """A sentence after another one, if that is not empty."""
    return f"{first}; {said[0].lower()}{said[1:]}" if first else said


def is_apart(report: Report) -> bool:
    """Whether no changed file can belong to a paper, so that no paper is affected."""
    changed = report.changed
    return (
        changed is not None
        and not any(map(is_of_interest, changed))
        and not any(paper.plan.affected for paper in report.papers)
        and all(item.introduced is False for paper in report.papers for item in loud(paper))
    )


def loud(paper: PaperReport) -> list[Finding]:
    """The unanswered findings that are more than notes, unless notes count."""
    return [item for item in paper.findings if item.dismissed is None and paper.is_loud(item)]


def is_aside(paper: PaperReport, report: Report) -> bool:
    """Whether a document without results, found beside papers and named by nobody, comes last.

    Its findings count like all others. A document that was compared with an earlier version, or has
    text addressed to a model, never comes last.
    """
    source = paper.state.paper
    return (
        not (paper.plan.total or paper.state.document.loose)
        and source.name == source.root
        and not source.settings.papers
        and any(one.plan.total for one in report.papers)
        and all(item.introduced is None and item.rule != AIMED for item in loud(paper))
    )


class Caller(NamedTuple):
    """How `pf` is typed here, so that the next command works as printed.

    `moment` are the options for the same papers and versions, `reader` those for the same model.
    """

    pf: str = "pf"
    moment: str = ""
    reader: str = ""


CALLER = Caller()
"""Plain `pf` without options."""


def next_step(report: Report, caller: Caller = CALLER, main: str = "") -> str:
    """The next command; "" if there is none.

    `main` is the id of the result to look at next if nothing was found.
    """
    same = f"{caller.moment}{caller.reader}"
    told = [
        item
        for paper in sorted(report.papers, key=partial(is_aside, report=report))
        for item in loud(paper)
        if item.introduced is not False or item.severity is Severity.ERROR
    ]
    told.sort(key=lambda item: item.introduced is False)
    if told:
        return f"{caller.pf} explain {told[0].id}{same}"
    if any(paper.plan.affected for paper in report.papers):
        return f"{caller.pf} plan{same}"
    papers = {
        paper.state.paper.name: paper.plan.total for paper in report.papers if paper.plan.total
    }
    if not papers:
        return ""
    most = max(papers, key=papers.__getitem__)
    if len(papers) > 1 and _TYPED.fullmatch(most) and "--paper" not in caller.moment:
        return f"{caller.pf} check --paper {most}{same}"
    return next_why(main, caller) or f"{caller.pf} graph{caller.moment}"


def next_why(name: str, caller: Caller) -> str:
    """The command that shows what a result depends on; "" if its id needs quotes."""
    same = f"{caller.moment}{caller.reader}"
    return f"{caller.pf} plan --why {name}{same}" if _TYPED.fullmatch(name) else ""


_TYPED = regex(r"[A-Za-z0-9_][A-Za-z0-9_:.,+/-]*")
"""Ids that need no quotes in a shell."""
