"""The terminal output: the plan, the findings, and what was not read.

Also `pf plan --why`: why a module is affected, what it depends on, who cites a result.
"""

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product, zip_longest
from typing import TYPE_CHECKING

from pfcore.domain.errors import AmbiguousNameError
from pfcore.domain.findings import is_told, number_of
from pfcore.domain.lazy_regex import regex
from pfcore.domain.paper_settings import FILE_NAME
from pfcore.domain.values import (
    Affected,
    Edge,
    Finding,
    Location,
    Module,
    ModulePart,
    Role,
    Severity,
    Status,
    Via,
)
from pfcore.graph.context import members
from pfcore.impact.reasons import chain
from pfcore.latex.blocks.plain_text import plain_text, quoted_words
from pfcore.latex.project.documents import RIVAL, SLIDES
from pfcore.reporters.module_names import (
    Leaf,
    ShownStatus,
    finding_words,
    leaves,
    module_name,
    needs_of_affected,
    reasons_told,
    standing,
    standing_words,
    visible,
)
from pfcore.reporters.printing import (
    UNBROKEN,
    Style,
    plural,
    safe,
    shortened,
    status_words,
)
from pfcore.reporters.review_outcome import (
    CALLER,
    INCOMPLETE,
    Caller,
    is_aside,
    listed_gaps,
    loud,
    next_step,
    next_why,
    not_looked_at,
    of_paper,
    outcome,
)
from pfcore.repository.source_files import LINK
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import Gap, unseen

if TYPE_CHECKING:
    from pfcore.graph.needs import Need
    from pfcore.reporters.paper_overview import PaperOverview

_MOST = 40
_MOST_ROWS = 6
_MOST_LINES = 12
"""How many references are listed with their places."""
_NAMES = 30
"""The most columns for the names of results in a table."""
_MOST_CHOICES = 3


def check_text(report: Report, style: Style, caller: Caller = CALLER) -> str:
    """The output of `pf check`: the paper, what was not looked at, its problems, the next step."""
    return style.finish(_check(report, style, caller))


def _check(report: Report, style: Style, caller: Caller) -> Iterator[str]:
    from pfcore.reporters.objections import (  # late: a plan does not need them
        readings,
        unread,
        unread_hints,
    )
    from pfcore.reporters.paper_overview import leading

    # Some of what was not looked at is found only while the rest is made.
    is_all = style.is_whole or style.notes or style.is_quiet or len(report.papers) == 1
    bodies, folded = [], []
    for paper in report.papers:
        if not is_all and is_aside(paper, report):
            folded.append([*_folded(paper, style, caller)])
        else:
            bodies.append([*_findings(paper, style), *unread(paper, style)])
    bodies += folded
    if style.is_quiet:
        yield from (line for body in bodies for line in body)
        yield from _failures(report, style)
        return
    overviews = _overviews(report, style)
    yield from _papers(report, overviews, style)
    yield from (failures := list(_failures(report, style)))
    yield from (unlooked := list(_unlooked(report, style)))
    if any(bodies) or any(paper.plan.total for paper in report.papers):
        verdict = _verdict(report, style, caller, is_said=bool(failures))
        yield from [""] if unlooked and verdict else []
        yield from style.wrap(verdict) if verdict else []
        yield ""
    for body in bodies:
        yield from body
    yield from unread_hints(report, caller)
    if any(paper.sheet is not None for paper in report.papers):
        whole = f"{caller.pf} check --all{caller.reader}{caller.moment}".replace(" ", UNBROKEN)
        said = readings(report, whole="" if "--all" in caller.moment.split() else whole)
        yield from (part for line in said for part in style.wrap(line))
    yield from _left(report, style, caller, leading(overviews))
    yield from _choices(report, style)


def _without_theorems(paper: PaperReport) -> str:
    source = paper.state.paper
    is_empty = not source.source(source.root).strip()
    if is_empty:
        return f"{source.root} is empty."
    from pfcore.latex.project.stating_macros import unread_statements  # late: few need it

    text = "\n".join(map(source.source, source.readings))
    listed = unread_statements(source.syntax.macros, source.syntax.theorems, text)
    named = [f'\\{safe(name)} prints "{safe(word)}"' for name, word in listed[:_MOST_NAMED]]
    why = f" ({', '.join(named)}, but not in an environment)" if named else ""
    return f"No theorems found in {source.root}{why}."


_MOST_NAMED = 3
"""How many commands are named if no theorem is found."""


def _overviews(report: Report, style: Style) -> "list[PaperOverview | None]":
    """The overviews of the papers; if there are many, None for those without news."""
    from pfcore.reporters.paper_overview import is_brief, paper_overview

    return [
        paper_overview(paper, report, is_brief=is_brief(report))
        if number < _MOST_PAPERS or style.is_whole or _is_told(paper)
        else None
        for number, paper in enumerate(report.papers)
    ]


def _papers(
    report: Report, overviews: "Sequence[PaperOverview | None]", style: Style
) -> Iterator[str]:
    """The papers in sentences, fewer if there are several."""
    from pfcore.reporters.paper_overview import (
        change_sentence,
        overview_paragraphs,
        titled,
        unchanged_sentence,
    )

    if len(report.papers) != 1:
        yield plural(len(report.papers), "paper")
        yield ""
    unchanged = unchanged_sentence(overviews) if len(overviews) > 1 else ""
    told = zip(report.papers, overviews, strict=True)
    for has_results, (paper, found) in product((True, False), told):
        if found is None or bool(paper.plan.total) is not has_results:
            continue
        yield from titled(found, style)
        if not found.results:
            yield from style.wrap(f"{_without_theorems(paper)}{_set_by_hand(paper)}")
        else:
            for sentences in overview_paragraphs(found):
                yield from style.wrap("  ".join(sentences))
        is_new = found.change is not None and found.change.is_new and not style.is_verbose
        if found.change is not None and (said := change_sentence(found, unchanged)):
            yield from style.wrap(f"{said} {_WHOLE}" if is_new else said)
        yield ""
        yield from _affected(paper, style, is_new=is_new)
    hidden = sum(found is None for found in overviews)
    if hidden:
        yield f"… and {plural(hidden, 'more paper')} without a finding or a change"
        yield ""
    if unchanged:
        yield from style.wrap(unchanged)
        yield ""


_WHOLE = "The whole paper: pf check --all"


def _set_by_hand(paper: PaperReport) -> str:
    """A remark on the proofs of a paper in which no statement was found."""
    if not (number := len(paper.state.document.loose)):
        return ""
    some = plural(number, "proof belongs", "proofs belong")
    return f" {some} to no theorem environment; a heading such as \\textbf{{Theorem}} is not one."


_MOST_PAPERS = 5
"""How many papers are described in any case."""


def _is_told(paper: PaperReport) -> bool:
    return bool(loud(paper) or paper.plan.edited or paper.plan.affected)


_WIDTH_OF_LABELS = 15


_NARROW = 60


def _labelled(label: str, text: str, style: Style) -> Iterator[str]:
    """A text after a label, or below it if there is not enough room."""
    if style.width < _NARROW and not style.is_whole:
        yield f"{label}:"
        yield from (f"  {line}" for line in replace(style, width=style.width - 2).wrap(text))
        return
    yield from style.wrap(f"{label:{_WIDTH_OF_LABELS}}{text}", indent=_WIDTH_OF_LABELS)


_TOLD_APART = frozenset({Gap.PROOF, Gap.RESULTS})


def _failures(report: Report, style: Style) -> Iterator[str]:
    """What makes the review incomplete, before the findings."""
    found = [item for item in unseen(report) if item.is_failure and item.kind not in _TOLD_APART]
    if found:
        yield from style.wrap(f"{INCOMPLETE}: {listed_gaps(found)}.")


def _unlooked(report: Report, style: Style) -> Iterator[str]:
    """What a complete review did not look at, before the findings."""
    listed = [item for item in unseen(report) if item.kind not in _TOLD_APART]
    others = [item for item in listed if not item.is_failure]
    if others:
        most = None if style.is_verbose else _MOST_LINES if style.is_whole else 1
        yield from _labelled("Not looked at", listed_gaps(others, most=most), style)


def _left(report: Report, style: Style, caller: Caller, main: str) -> Iterator[str]:
    """What was not read, and the next command."""
    yield from _unfinished(report, style, caller)
    number = 0
    for item in unseen(report):
        if item.kind is Gap.PROOF:
            number += item.number
    if number:
        words = f"{plural(number, 'proof')}."
        if report.is_offline:
            words = f"{words[:-1]}: --offline asks no model."
        elif report.model is None:
            chosen = caller.moment.split()
            affected, is_known = 0, False
            for paper in report.papers:
                affected += len(paper.plan.unread) if paper.is_change else 0
                is_known |= paper.sheet is not None
            is_change = bool(affected) or "--base" in chosen
            if 0 < affected < number:
                words = f"{words[:-1]}, {affected:,} affected."
            whole = "" if is_change or "--all" in chosen else " --all"
            command = f"{caller.pf} check{whole} --model NAME{caller.moment}"
            it = "it" if number == 1 else "them"
            why = f"pf.lock has no verdict on {it}, and no model" if is_known else "no model"
            words = f"{words[:-1]}: {why} is set ({command.replace(' ', UNBROKEN)})"
        yield from _labelled("Not read", words, style)
    if step := _next(report, style, caller, main):
        whole = step.replace(" ", UNBROKEN)  # so that it can be pasted
        yield f"{'Next':{_WIDTH_OF_LABELS}}{whole}"


def _next(report: Report, style: Style, caller: Caller, main: str) -> str:
    """The next command, which has to print more than this screen."""
    from pfcore.reporters.paper_overview import is_mostly_new

    step = next_step(report, caller, main)
    if step != f"{caller.pf} plan{caller.moment}{caller.reader}":
        return step
    papers = [paper for paper in report.papers if paper.plan.affected]
    if len(papers) != 1:
        return step
    listed = papers[0].plan.affected
    if not style.is_verbose and is_mostly_new(papers[0]):
        return f"{caller.pf} check --all"
    is_whole = style.is_whole or len(listed) <= _MOST_ROWS
    return (next_why(listed[0].id, caller) if is_whole else "") or step


def _unfinished(report: Report, style: Style, caller: Caller) -> Iterator[str]:
    """How many places are unfinished, and the first of them."""
    found = [item for paper in report.papers for item in paper.unfinished]
    if not found:
        return
    first = f"{safe(found[0].location.path)}:{found[0].location.line}"
    where, them = (first, "it") if len(found) == 1 else (f"first at {first}", "them")
    places = plural(len(found), "place")
    told = f"{places} with TODO, ??? or the like ({where}; {caller.pf} gate lists {them})"
    yield from _labelled("Unfinished", told, style)


def _choices(report: Report, style: Style) -> Iterator[str]:
    """The lines of pf.toml that choose one of several documents as the paper."""
    asides = report.library.asides
    if not any(paper.plan.total for paper in report.papers):
        named = _CalledFiles(report.papers)
        yield from named.sentences([item.path for item in asides], style)
        papers = [
            item
            for item in asides
            if not item.reason.startswith((RIVAL, SLIDES, LINK)) and not named.has(item.path)
        ]
        if not papers:
            return
        shown = [f"{item.path} ({item.reason})" for item in papers[:_MOST_CHOICES]]
        listed = ", ".join(shown)
        more = f" and {len(papers) - len(shown):,} more" if len(papers) > len(shown) else ""
        yield ""
        yield from style.wrap(safe(f"Other files look like papers: {listed}{more}."))
        yield safe(f"To review {papers[0].path}, add it to pf.toml:")
        yield from _named_in_settings(papers[0].path)
        return
    rivals: dict[str, list[str]] = {}
    for item in asides:
        root = item.reason.removeprefix(f"{RIVAL} ")
        if root != item.reason and (_name(item.path), _name(root)) != _FACES:
            rivals.setdefault(root, []).append(item.path)
    for root, others in list(rivals.items())[:_MOST_CHOICES]:
        yield ""
        first, *rest = others
        listed = f"{first} (or {', '.join(rest)})" if rest else first
        where = report.papers[0].state.paper.settings.path or FILE_NAME
        yield from style.wrap(safe(f"To review {listed} instead of {root}, add to {where}:"))
        yield from _named_in_settings(first)


class _CalledFiles:
    """The files named in commands of main files, including commented-out commands."""

    def __init__(self, papers: Sequence[PaperReport]) -> None:
        self._calls: dict[str, tuple[str, str]] = {}
        for paper in papers:
            root = paper.state.paper.root
            folder = root.rpartition("/")[0]
            lines = [_COMMENT.split(line, 1) for line in paper.state.paper.source(root).split("\n")]
            for part in (1, 0):  # LaTeX code takes precedence over comments
                text = "\n".join(line[part] for line in lines if len(line) > part)
                for match in _CALLED_FILE.finditer(text):
                    name = f"{folder}/{match[2]}".lstrip("/").removesuffix(".tex")
                    self._calls[name] = (root, "" if part else match[1])

    def has(self, path: str) -> bool:
        """Whether a main file names a file, even in a comment."""
        return path.removesuffix(".tex") in self._calls

    def sentences(self, paths: Sequence[str], style: Style) -> Iterator[str]:
        """The files in commands that are not followed, and what to do."""
        groups: dict[tuple[str, str], list[str]] = {}
        for path in paths:
            root, command = self._calls.get(path.removesuffix(".tex"), ("", ""))
            if command:
                groups.setdefault((root, command), []).append(path)
        for (root, command), found in groups.items():
            *most, last = found if len(found) <= _MOST_CHOICES else [*found[:2], ""]
            listed = f"{', '.join(most)} and {last or plural(len(found) - 2, 'more file')}"
            listed = listed if most else last
            them = "it" if len(found) == 1 else "them"
            yield ""
            yield from style.wrap(
                safe(
                    f"{root} names {listed} in \\{command}, which pf does not follow. "
                    f"To review {them}, use \\input or \\include instead, or define "
                    f"\\{command} in the paper in terms of one of them."
                )
            )


_COMMENT = regex(r"(?<!\\)%")
_CALLED_FILE = regex(r"\\([A-Za-z@]+)\*?\s{0,9}(?:\[[^\[\]{}\n]{0,99}\])?\{([^{}\s]{1,200})\}")
"""A command with an argument that may be a file name."""
_FACES = ("web", "print")
"""The two main files that every Lean blueprint has, for the same text."""


def _name(path: str) -> str:
    return path.rpartition("/")[2].rpartition(".")[0]


def _named_in_settings(root: str) -> Iterator[str]:
    name = json.dumps(_name(root))
    for line in ("[[paper]]", f"name = {name}", f"root = {json.dumps(root)}"):
        yield f"  {safe(line)}"


def _top(report: Report) -> Iterator[str]:
    """The line above several papers; one paper has all in its own first line."""
    if len(report.papers) == 1:
        return
    total = sum(map(_results, report.papers))
    said = not_looked_at(report)
    yield _with(f"{plural(len(report.papers), 'paper')}  {plural(total, 'result')}", said)
    yield ""


def _results(paper: PaperReport) -> int:
    """The number of results, counted as on every other screen."""
    return sum(1 for item in paper.state.document.modules.values() if item.is_result)


def _with(line: str, said: str) -> str:
    return f"{line}  ({said})" if said else line


def _head(paper: PaperReport, report: Report, style: Style) -> Iterator[str]:
    plan = paper.plan
    said = not_looked_at(report) if len(report.papers) == 1 else of_paper(paper)
    parts = [style.paint(safe(paper.state.paper.name), "bold"), plural(_results(paper), "result")]
    if report.before is not None and not paper.is_change:
        parts.append("new file")
    elif report.before is not None:
        parts += [plural(len(plan.edited), "edited", "edited")]
        if plan.restated:
            parts.append(plural(len(plan.restated), "statement changed", "statements changed"))
        if plan.removed:
            parts.append(plural(len(plan.removed), "removed", "removed"))
        parts.append(f"→ {plural(len(plan.affected), 'affected', 'affected')}")
    is_marked = any(module.is_formal for module in paper.state.document.modules.values())
    formal = sum(1 for item in _claims(paper) if item.status is Status.FORMAL) if is_marked else 0
    if formal:
        parts.append(f"{formal:,} {status_words(Status.FORMAL)}")
    yield _with("  ".join(parts), said)
    if report.before is not None:
        lacks = "" if paper.is_change else f", which does not have {paper.state.paper.root}"
        moments = f"  {safe(report.after)} against {safe(report.before)}{safe(lacks)}"
        yield style.paint(moments, "dim")
    yield ""


def _claims(paper: PaperReport) -> list[ShownStatus]:
    """The statuses of modules that can be read, need a proof, or say where it is."""
    modules = paper.state.document.modules
    return [
        standing(paper, name)
        for name in paper.statuses
        if modules[name].is_asserted and modules[name].role.stands_alone
    ]


def _affected(paper: PaperReport, style: Style, *, is_new: bool) -> Iterator[str]:
    """The table of affected results; `is_new`: without the new ones."""
    listed = _listed(paper, is_new=is_new)
    shown = listed if style.is_whole else listed[:_MOST_ROWS]
    if not shown:
        return
    modules = paper.state.document.modules
    titles = [module_name(modules[item.id], paper, style) for item in shown]
    labels = max(len(safe(item.id)) for item in shown)
    width = labels if style.is_whole else min(34, style.width // 4, labels)
    column = _NAMES if style.is_whole else min(_NAMES, max(map(len, titles)))
    for item, title in zip(shown, titles, strict=True):
        yield from _row(item, paper, (width, f"{title:{column}}"), style)
    hidden = len(listed) - len(shown)
    if hidden:
        yield f"  … and {hidden:,} more: pf plan lists them all"
    yield ""


def _listed(paper: PaperReport, *, is_new: bool) -> list[Affected]:
    from pfcore.reporters.paper_overview import fresh_results  # not needed to explain a finding

    left = set(fresh_results(paper)) if is_new else ()
    return [item for item in paper.plan.affected if item.id not in left]


def _row(item: Affected, paper: PaperReport, name: tuple[int, str], style: Style) -> Iterator[str]:
    """A row of the table of affected results, with all reasons if nothing is cut.

    `name` has the widths of labels and titles. A reason that does not fit beside them is put below.
    """
    head = f"  {standing(paper, item.id).glyph} "
    width, title = name
    formal = _formally(paper.state.document.modules[item.id], paper)
    if style.is_whole:
        reasons = "; ".join(map(safe, reasons_told(item, paper)))
        yield f"{head}{safe(item.id):{width}}  {title}  {reasons}{formal}"
        return
    first, *others = reasons_told(item, paper, is_short=True)
    reason = safe(first) + (f" (+{len(others)})" if others else "") + formal
    row = f"{head}{shortened(safe(item.id), width):{width}}  {shortened(title, _NAMES)}  "
    if len(row) + len(reason) <= style.width:
        yield row + reason
        return
    yield shortened(f"{head}{safe(item.id)}  {title.rstrip()}", max(24, style.width))
    yield from style.wrap(f"      {reason}", indent=6)


def _told(paper: PaperReport, style: Style) -> list[Finding]:
    """The new and unanswered findings; notes if they are wanted, and none on a quiet screen."""
    new = [f for f in paper.findings if f.introduced is not False and f.dismissed is None]
    told = [f for f in new if style.notes or paper.is_shown(f)]
    if style.is_quiet and not style.notes:
        return [f for f in told if paper.is_loud(f)]
    return told


def _findings(paper: PaperReport, style: Style) -> Iterator[str]:
    from pfcore.reporters.objections import objection, place

    read = {item.id for item in paper.objections}
    alike: dict[tuple[str, ...], list[Finding]] = {}
    for finding in _told(paper, style):
        is_own = style.is_whole or finding.id in read or not _names_its_text(finding)
        own = (finding.id,) if is_own else ()
        key = (finding.rule, finding.severity, finding.message, *own)
        alike.setdefault(key, []).append(finding)
    groups = list(alike.values())
    quoted: Counter[str] = Counter()
    for group, following in zip_longest(groups, groups[1:]):
        if group[0].id in read:
            yield from objection(group[0], paper, style)
            continue
        finding, behind = group[0], following[0] if following else None
        is_last = behind is None or behind.location != finding.location or len(group) > 1
        is_quoted = is_last and (style.is_whole or quoted[finding.rule] < _MOST_QUOTED)
        quoted[finding.rule] += is_quoted
        yield from _finding(group, paper, style, is_quoted=is_quoted)
        if is_quoted or behind is None or behind.rule != finding.rule or behind.id in read:
            yield ""
    shown = [
        f
        for f in paper.findings
        if f.introduced is False and f.dismissed is None
        if f.severity is Severity.ERROR or style.notes
    ]
    if shown:
        yield "  Older, not caused by this change:"
        listed = shown if style.is_whole else shown[:_MOST]
        for finding in listed:
            message = style.cut(safe(finding_words(finding, paper)), style.width - 20)
            yield f"    {place(finding.location, paper, style)}  {message}"
        if len(shown) > len(listed):
            yield f"    … and {len(shown) - len(listed)} more"
        yield ""
    answered = [finding for finding in paper.findings if finding.dismissed is not None]
    for finding in answered:
        where = place(finding.location, paper, style)
        yield f"  answered  {where}  [{finding.rule}] {safe(finding.dismissed or '')}"
    if answered:
        yield ""


def _names_its_text(finding: Finding) -> bool:
    """Whether a message contains its quote, so that places suffice for similar findings."""
    called = _CALL.fullmatch(finding.quote or "")
    parts = called[1].split(",") if called else [finding.quote or ""]
    return any(part.strip() in finding.message for part in parts)


_CALL = regex(r"\\[A-Za-z]+\*?(?:\[[^\[\]{}]*\])*\{([^{}]*)\}")
r"""A command of one argument, as `\ref{lem:one}`."""


def _folded(paper: PaperReport, style: Style, caller: Caller) -> Iterator[str]:
    """The first finding of a document that may be a scratch file, and how many more it has."""
    listed = sorted(loud(paper), key=lambda item: item.severity is not Severity.ERROR)
    if not listed:
        return
    yield from _finding(listed[:1], paper, style, is_quoted=True)
    counts = {
        kind: number_of(item for item in listed[1:] if item.severity is kind) for kind in Severity
    }
    parts = [plural(number, kind.value) for kind, number in counts.items() if number]
    if parts:
        name = paper.state.paper.name
        command = f"{caller.pf} check --paper {shlex.quote(name)}{caller.moment}"
        line = f"{safe(name)} has no theorem; also found (-v): {', '.join(parts)}"
        yield from style.wrap(f"      {line} ({command.replace(' ', UNBROKEN)})", indent=6)
    yield ""


_MOST_PLACES = 5
_MOST_QUOTED = 10
"""How many findings of a check are shown with the source."""


def _finding(
    alike: Sequence[Finding], paper: PaperReport, style: Style, *, is_quoted: bool
) -> Iterator[str]:
    """A finding with its source, and the places of the same finding elsewhere."""
    from pfcore.reporters.objections import place, quotation

    finding, *others = alike
    word = style.paint(finding.severity.value, finding.severity.value)
    where = place(finding.location, paper, style)
    yield from style.wrap(f"  {word}  {where}  [{finding.rule} {finding.id}]", indent=6)
    yield from style.wrap(f"      {safe(finding_words(finding, paper))}", indent=6)
    if is_quoted:
        yield from quotation(finding, paper, style)
    if others:
        told = others[:_MOST_PLACES]
        listed = ", ".join(f"{place(one.location, paper, style)} [{one.id}]" for one in told)
        if left := len(others) - len(told):
            listed += f" and {plural(left, 'more place')} (-v)"
        yield from style.wrap(f"      also at {listed}", indent=6)


def _verdict(report: Report, style: Style, caller: Caller, *, is_said: bool) -> str:
    """What was found; "" where that is nothing but what the screen has just said, if `is_said`."""
    from pfcore.reporters.objections import failed

    findings = [
        (item, paper.is_loud(item))
        for paper in report.papers
        for item in paper.findings
        if item.dismissed is None
    ]
    new = [(item, is_loud) for item, is_loud in findings if item.introduced is not False]
    notes = [item for item, is_loud in new if not is_loud]
    older = Counter(item.severity for item, _ in findings if item.introduced is False)
    said = outcome(report)
    parts = [] if is_said and said == INCOMPLETE else [said]
    lost = sum(len(failed(paper)) for paper in report.papers)
    if lost and any(is_loud for _, is_loud in new):  # otherwise the outcome says so
        parts.append(f"{plural(lost, 'proof')} not read")
    if notes:
        command = f"{caller.pf} check --notes{caller.moment}".replace(" ", UNBROKEN)
        is_listed = style.notes or all(map(is_told, notes))
        parts.append(plural(len(notes), "note") + ("" if is_listed else f" ({command})"))
    if older:  # only the errors are listed, so a total would not count them
        counted = (plural(older[kind], kind.value) for kind in Severity if older[kind])
        parts.append(f"{'older' if parts else 'Older'}: {', '.join(counted)}")
    return "; ".join(parts) + "." if parts else ""


_FREE = ("No model is set: nothing will be read, so nothing is spent.",)


def plan_text(
    report: Report, style: Style, price: Sequence[str] = _FREE, *, is_deep: bool = False
) -> str:
    """The output of `pf plan`: every affected module with all of its reasons, and the price.

    `is_deep`: also modules that know only the name of what changed, hubs, and without a change all
    unexplained symbols of the paper.
    """
    return style.finish([*_plan(report, style, is_deep=is_deep), *price])


def _plan(report: Report, style: Style, *, is_deep: bool) -> Iterator[str]:
    bodies = [
        [
            *_planned(paper, report, style),
            *_beyond(paper, style, is_deep=is_deep),
            *(_hubs(paper, style) if is_deep else ()),
            *_lacking(paper, is_deep=is_deep),
        ]
        for paper in report.papers
    ]
    yield from _top(report)
    for paper, body in zip(report.papers, bodies, strict=True):
        yield from _head(paper, report, style)
        yield from body
        if report.before is None:
            yield "  No earlier version to compare with: choose one with --base."
        unread = sum(1 for item in paper.plan.affected if item.unread)
        yield from _asked_before(paper)
        yield f"  {_to_read(unread, paper)}"
        yield ""


def _to_read(unread: int, paper: PaperReport) -> str:
    """How many proofs the change affects, and how many others are not read."""
    parts = []
    if unread:
        parts.append(f"{plural(unread, 'affected proof')} should be re-read")
    elif paper.is_change:
        parts.append("No proof needs to be re-read")
    backlog = paper.plan.backlog
    if backlog:
        some = plural(backlog, "other proof" if paper.is_change else "proof")
        parts.append(f"{some} {'is' if backlog == 1 else 'are'} not read")
    return f"{'; '.join(parts) or 'No proof is left to read'}."


def _asked_before(paper: PaperReport) -> Iterator[str]:
    """Proofs that must be read again although their contexts are unchanged."""
    affected = {item.id for item in paper.plan.affected}
    number = len(set(paper.plan.reopened or ()) - affected)
    if number:
        yield (
            f"  {plural(number, 'more proof')} to re-read: "
            "this change edits what their readers asked for."
        )


def _planned(paper: PaperReport, report: Report, style: Style) -> Iterator[str]:
    """The affected modules, each with its place and all of its reasons."""
    from pfcore.reporters.paper_overview import fresh_sentence

    said = "" if style.is_verbose else fresh_sentence(paper, report)
    if said:
        yield from style.wrap(f"  {said} {_WHOLE}", indent=2)
        yield ""
    listed = _listed(paper, is_new=bool(said))
    for item in listed:
        module = paper.state.document.modules[item.id]
        where = module.statement.location
        shown = f"{_place(where, paper, style)}{_formally(module, paper)}"
        yield f"  {safe(item.id)}  {module_name(module, paper, style)}  {shown}"
        for reason in reasons_told(item, paper):
            yield f"      {safe(reason)}"
    if listed:
        yield ""


def _beyond(paper: PaperReport, style: Style, *, is_deep: bool) -> Iterator[str]:
    """Changes outside of the contexts of modules, each once."""
    modules = paper.state.document.modules
    for item in paper.plan.beyond:
        count = len(item.modules)
        proofs = (
            f"{plural(count, 'proof')} that {'knows' if count == 1 else 'know'} it only by name"
        )
        them = "it" if count == 1 else "them"
        tell = f"; pf plan --deep lists {them}, with the cost of reading {them}"
        tell = "" if is_deep else tell
        was = "was" if count == 1 else "were"
        what = safe(item.what[:1].upper() + item.what[1:])
        yield f"  {what}. {proofs} {was} not read again{tell}."
        for name in item.modules if is_deep else ():
            yield f"      {_line(modules[name], paper, style)}"
    if paper.plan.beyond:
        yield ""


_MOST_HUBS = 5


def _hubs(paper: PaperReport, style: Style, of: str = "") -> Iterator[str]:
    """The largest hubs, or those in one context: editing one re-opens proofs that never name it."""
    from pfcore.graph.needs import hubs

    document = paper.state.document
    found = hubs(document)
    if of:
        held = members(document, of)
        found = [hub for hub in found if hub.id in held]
    for hub in found[:_MOST_HUBS]:
        module = paper.state.document.modules[hub.id]
        named = f"{hub.says:,} of which {'names' if hub.says == 1 else 'name'} it"
        claims = plural(hub.held, "result")
        used = f"Widely used: {_source(module, paper, style)} is in the contexts of {claims}"
        yield f"  {used}, {named}; editing it means re-reading them all."
    if found:
        yield ""


def _lacking(paper: PaperReport, *, is_deep: bool) -> Iterator[str]:
    """How many needs of the affected modules are not supplied, if any."""
    needs = needs_of_affected(paper, is_deep=is_deep)
    found = Counter(need.outcome.value for one in needs.values() for need in one)
    unexplained, ambiguous = found["unexplained"], found["ambiguous"]
    parts = [f"{unexplained:,} unexplained"] if unexplained else []
    parts += [f"{ambiguous:,} ambiguous"] if ambiguous else []
    if parts:
        of = "affected results" if paper.is_change else "all proofs and their results"
        yield f"  Symbols of {of}: {', '.join(parts)} (pf plan --why RESULT lists them)."


def _source(module: Module, paper: PaperReport, style: Style, path: str = "") -> str:
    """The source of a need, as seen from a file: a sentence by its place, else by its name."""
    where = module.statement.location
    shown = f"line {where.line}" if where.path == path else _place(where, paper, style)
    if not module.role.stands_alone or module.kind == "convention":
        return shown
    label = f" {safe(module.label)}" if module.label else ""
    return f"{module_name(module, paper, style)}{label} ({shown})"


def _place(where: Location, paper: PaperReport, style: Style) -> str:
    """`path:line` of a paper, linked if the file on disk is the one that was read."""
    return style.place(where, paper.state.paper.snapshot.root)


def _formally(module: Module, paper: PaperReport) -> str:
    """A remark if the proof counts as formal, so that nobody needs to read it."""
    is_formal = module.is_formal and paper.statuses[module.id] is Status.FORMAL
    return f"  {status_words(Status.FORMAL)}" if is_formal else ""


def graph_text(report: Report, style: Style) -> str:
    """The output of `pf graph` without a format: the contents of the papers."""
    return style.finish(_graph(report, style))


def _graph(report: Report, style: Style) -> Iterator[str]:
    bodies = [list(_drawn(paper)) for paper in report.papers]
    yield from _top(report)
    for paper, body in zip(report.papers, bodies, strict=True):
        said = not_looked_at(report) if len(report.papers) == 1 else of_paper(paper)
        yield _with(style.paint(safe(paper.state.document.name), "bold"), said)
        yield from body
    yield "pf graph --format json, dot or mermaid prints the graph itself."


def _drawn(paper: PaperReport) -> Iterator[str]:
    """The kinds of modules, their statuses, and the kinds of edges, as numbers."""
    from pfcore.reporters.paper_overview import formalised_sentence, paper_numbers

    document = paper.state.document
    kinds: dict[str, int] = {}
    for module in document.modules.values():
        if module.role.stands_alone:
            kinds[module.kind] = kinds.get(module.kind, 0) + 1
    for kind, number in sorted(kinds.items(), key=lambda item: (-item[1], item[0])):
        yield f"  {number:6,}  {safe(kind)}"
    tally = Counter(item.words for item in _claims(paper))
    if tally:
        yield "  " + ", ".join(f"{number:,} {words}" for words, number in sorted(tally.items()))
    if said := formalised_sentence(paper_numbers(paper)):
        yield f"  {said}"
    ways: dict[str, int] = {}
    for edge in document.edges:
        if all(document.modules[end].role.stands_alone for end in (edge.source, edge.target)):
            ways[edge.via] = ways.get(edge.via, 0) + 1
    listed = ", ".join(f"{number:,} by {way}" for way, number in sorted(ways.items()))
    own = sum(ways.values())
    yield f"  {plural(own, 'edge')} between these" + (f": {listed}" if listed else "")
    shown = set(visible(paper))
    passages = sum(not document.modules[name].role.stands_alone for name in shown)
    more = sum(edge.source in shown and edge.target in shown for edge in document.edges) - own
    if more:
        others = f"{plural(passages, 'other passage')} (sentences, equations, items)"
        yield f"  {plural(more, 'more edge')} from or to {others}"
    bounds = paper.bounds
    longest = f"{bounds.length:,} characters ({safe(bounds.longest) or 'none'})"
    yield f"  longest statement with its proof: {longest}; deepest nesting: {bounds.depth}"
    yield ""


_MOST_IDS = 20
CITATION = "cite:"
"""The prefix of the ids of results of other works."""


def known_names(paper: PaperReport) -> list[str]:
    """The names that can be asked about: modules, and results of other works that they cite."""
    return [*paper.state.document.modules, *(CITATION + leaf.id for leaf in leaves(paper))]


def id_of_name(paper: PaperReport, name: str) -> str:
    """The id for a name: an id that can be asked about, or any label of a module; else "".

    A result can also be given as printed, `Lemma 3.2`, if that is unique.
    """
    if name in known_names(paper):
        return name
    modules = paper.state.document.modules.values()
    labelled = next((module.id for module in modules if name in module.labels), "")
    if labelled:
        return labelled
    printed = ids_as_printed(paper, name)
    return printed[0] if len(printed) == 1 else ""


def ids_as_printed(paper: PaperReport, name: str) -> list[str]:
    """The results whose printed name this is: a number, or a kind and a number."""
    if not any(map(str.isdigit, name)):
        return []
    wanted = " ".join(name.split()).casefold()
    return [
        module.id
        for module in paper.state.document.modules.values()
        if module.role.stands_alone
        and (number := paper.numbering.of(module))
        and wanted in (f"{module.kind} {number}".casefold(), number.casefold())
    ]


def require_unambiguous(report: Report, name: str) -> None:
    """Raise AmbiguousNameError with the ids to choose from if several results have this name."""
    found = [one for paper in report.papers for one in ids_as_printed(paper, name)]
    if len(found) > 1:
        more = f" and {len(found) - _MOST_IDS:,} more" if len(found) > _MOST_IDS else ""
        listed = f"{', '.join(found[:_MOST_IDS])}{more}"
        raise AmbiguousNameError(f"'{name}' is ambiguous; choose one of: {listed}")


def why(
    paper: PaperReport,
    name: str,
    style: Style,
    *,
    before: str | None = None,
    caller: Caller | None = None,
) -> str:
    """Why a module is affected and what it depends on; for a cited result, who cites it.

    `before` is the revision with which the papers are compared, if any. With `caller`, the last
    line is the command that shows the text of a reader.
    """
    if name in paper.state.document.modules:
        lines = [*_module(paper, name, style, before)]
        if caller and paper.state.document.modules[name].proofs:
            same = f"{caller.moment}{caller.reader}"
            lines.append(f"text that a reader sees: {caller.pf} explain {shlex.quote(name)}{same}")
        return style.finish(lines)
    leaf = next(leaf for leaf in leaves(paper) if CITATION + leaf.id == name)
    return style.finish(_leaf(paper, leaf, style))


def _module(paper: PaperReport, name: str, style: Style, before: str | None) -> Iterator[str]:
    document = paper.state.document
    module = document.modules[name]
    yield _line(module, paper, style)
    yield f"status: {standing_words(paper, name)}"
    yield from _pairing(module, paper, style)
    found = next((item for item in paper.plan.affected if item.id == name), None)
    if found:
        yield "affected:"
        yield from (f"  {safe(reason)}" for reason in reasons_told(found, paper))
    elif paper.is_change:
        yield "not affected: nothing it depends on has changed"
    elif before is not None:
        yield f"not compared: {safe(paper.state.paper.root)} is new and not in {safe(before)}"
    else:
        yield "not compared: no earlier version (choose one with --base)"
    if keys := paper.sheet.edited_keys(name) if paper.sheet else ():
        yield (
            "to be re-read: this change edits what its readers asked for "
            f"({', '.join(map(safe, keys))})"
        )
    for change in paper.plan.beyond:
        if name in change.modules:
            yield (
                f"  {safe(change.what)}; known here only by name, so the proof was not read "
                "again and is at best conditional"
            )
    yield "depends on:"
    ways: dict[str, dict[str, list[str]]] = {}
    for edge in chain(document, name):
        half = _half(edge, module)
        ways.setdefault(edge.target, {}).setdefault(half, []).append(edge.via)
    for target, told in ways.items():
        line = _line(document.modules[target], paper, style, has_id=False)
        is_setting = document.modules[target].is_claim and all(
            way == "scope" for listed in told.values() for way in listed
        )
        role = ": as the setting (statement only)" if is_setting else ""
        yield f"  {line}  {_found_by(told)}{role}"
    cited = dict.fromkeys((item.key, item.locator) for item in module.cites)
    yield from (f"  {_cited(key, locator)}  cited, not read" for key, locator in cited)
    if not ways and not cited:
        yield "  nothing in this paper"
    yield from _needs(paper, name, style)
    yield from _in_lean(paper, name)
    yield from (line.strip() for line in _hubs(paper, style, name) if line)


def _found_by(told: Mapping[str, Sequence[str]]) -> str:
    """How an edge was found, each way with the parts in which it was."""
    ways: dict[Via, list[str]] = {}
    for half, listed in told.items():
        for way in listed:
            ways.setdefault(Via(way), []).append(half)
    halves: dict[str, list[str]] = {}
    for way, found in ways.items():
        halves.setdefault(" and".join(dict.fromkeys(found)), []).append(_FOUND[way])
    return "; ".join(f"{', '.join(words)}{found}" for found, words in halves.items())


_FOUND = {
    Via.REFERENCE: "cited",
    Via.USES: "named by \\uses",
    Via.NUMBER: "cited by number",
    Via.NAME: "cited by name",
    Via.PHRASE: "cited in words",
    Via.TERM: "term used",
    Via.NOTATION: "notation used",
    Via.INTRODUCTION: "symbol or term used",
    Via.SCOPE: "applies here",
    Via.PROOF: "its proof followed",
    Via.COROLLARY: "called a corollary of it",
}
"""The words for how one statement leads to another, put before the part in which it does."""


def _in_lean(paper: PaperReport, name: str) -> Iterator[str]:
    """The assumptions in a module's words, and those in the binders of its Lean declarations."""
    from pfcore.checks.lean.lean_table import KIND_WORDS, lean_rows

    row = lean_rows(paper.state, (name,)).get(name)
    if row is None:
        return
    yield "words and Lean side by side (nothing here is a finding):"
    for sentence in row.supposes or ("nothing that was recognised",):
        yield f"  the words assume: {safe(sentence)}"
    for found in row.declarations:
        yield f"  {safe(found.name)} ({safe(found.path)})"
        for kind, words in KIND_WORDS.items():
            if listed := found.of_kind(kind):
                yield f"    {words}: {safe(' '.join(listed))}"
        if not found.binders:
            yield "    no binders"


def _needs(paper: PaperReport, name: str, style: Style) -> Iterator[str]:
    """What a module uses but does not bind, beginning with what nothing supplies."""
    from pfcore.graph.needs import NeedOutcome, needs_of

    listed = needs_of(paper.state, name)
    order = list(reversed(NeedOutcome))
    if listed:
        yield "needs:"
    supplied = [] if style.is_verbose else [need for need in listed if _is_supplied(need)]
    for need in sorted(listed, key=lambda item: order.index(item.outcome)):
        if need in supplied:
            continue
        same = need.path == paper.state.document.modules[name].statement.location.path
        root = paper.state.paper.snapshot.root
        shown = style.linked(f"{safe(need.path)}:{need.line}", need.path, root)
        where = f"line {need.line}" if same else shown
        yield f"  {safe(need.key)} ({where}) {_supply(paper, name, need, style)}"
    if supplied:
        number = plural(len(supplied), "symbol or term", "symbols and terms")
        yield f"  introduced: {number} (-v lists {'it' if len(supplied) == 1 else 'them'})"


def _is_supplied(need: "Need") -> bool:
    from pfcore.graph.needs import NeedOutcome

    return need.outcome is NeedOutcome.SUPPLIED


def _supply(paper: PaperReport, name: str, need: "Need", style: Style) -> str:
    from pfcore.graph.needs import NeedOutcome, stands_first

    modules = paper.state.document.modules
    sources = [_source(modules[one], paper, style, need.path) for one in need.via]
    match need.outcome:
        case NeedOutcome.SUPPLIED:
            return f"is introduced in {' and '.join(sources)}"
        case NeedOutcome.AMBIGUOUS:
            return f"may come from {' or from '.join(sources)}: none was used"
        case NeedOutcome.UNEXPLAINED:
            first = stands_first(paper.state, name, need)
            if not first:
                return "is not introduced anywhere"
            where = _source(modules[first], paper, style, need.path)
            return f"is unexplained; no introduction was found; it also occurs in {where}"


def _pairing(module: Module, paper: PaperReport, style: Style) -> Iterator[str]:
    """A remark on a module's proof: that it was guessed, or that there is none."""
    if module.is_guessed:
        where = module.proofs[-1].location
        of = f"\\ref{{{safe(module.label)}}}" if module.label else "..."
        is_result = module.role is Role.RESULT
        why = "another statement comes between" if is_result else "an earlier result has no proof"
        yield (
            f"proof: guessed ({_place(where, paper, style)}): {why}, "
            f"and the proof names no result; \\begin{{proof}}[Proof of {of}] makes it certain"
        )
    elif module.stand_in is Status.OMITTED:
        yield "proof: none; it is empty or omitted"
    elif module.stand_in is Status.CITED:
        yield "proof: none; only a reference to where it is"


def _half(edge: Edge, module: Module) -> str:
    """The part where an edge was found; "" for a convention, which applies by its place.

    If nothing is proved, everything counts as found in the statement.
    """
    part = edge.part if module.proofs else ModulePart.STATEMENT
    return "" if edge.via is Via.SCOPE else f" in its {part}"


def _leaf(paper: PaperReport, leaf: Leaf, style: Style) -> Iterator[str]:
    yield _cited(leaf.key, leaf.locator)
    yield "status: cited, not read"
    yield "cited by:"
    modules = paper.state.document.modules
    yield from (f"  {_line(modules[user], paper, style)}" for user in leaf.users)


def _cited(key: str, locator: str) -> str:
    return f"{safe(plain_text(locator))} of {safe(key)}"


def _line(module: Module, paper: PaperReport, style: Style, *, has_id: bool = True) -> str:
    """A module by id, name and place; without `has_id`, ids derived from sections are left out."""
    where = module.statement.location
    shown = _place(where, paper, style)
    is_named = has_id or "~" not in module.id
    id_shown = f"{safe(module.id)}  " if is_named else ""
    name = module_name(module, paper, style)
    quote = "" if is_named or " " in name else _first_words(module, paper)
    return f"{id_shown}{name}{quote}  {shown}"


_QUOTED_WORDS = 40
"""The most characters that identify a sentence."""


def _first_words(module: Module, paper: PaperReport) -> str:
    """The beginning of a statement without label, number and title."""
    where = module.statement.location
    text = paper.state.paper.source(where.path)[where.start : where.end]
    words = safe(quoted_words(text))
    return f" “{shortened(words, _QUOTED_WORDS)}”" if words else ""
