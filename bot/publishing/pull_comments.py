"""Turns a review into comments on lines, annotations and one summary of a pull request.

The gravest findings that fit on a line are put there; the rest becomes annotations of the check,
and is listed in the summary by results. Text of a paper or a model is never treated as markup.

Also the explanation of objections to an unchanged proof, if something that it uses has changed.
"""

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from bot.domain import comment
from bot.domain.comment import (
    Annotation,
    CommentCaps,
    CommentKind,
    Diff,
    ObjectionSource,
    ReviewComments,
    WantedComment,
)
from bot.publishing.suggestions import certain_mend, mended_notes
from bot.publishing.summary import ANSWER, SummaryOptions, summary, unfolding
from pfcore.domain.findings import finding_id, number_of
from pfcore.domain.values import Finding, Location, Role, Severity
from pfcore.reporters.formats import markdown
from pfcore.reporters.formats.line_formats import printed_findings
from pfcore.reporters.formats.markdown import titled
from pfcore.reporters.formats.publication import LONGEST, Conclusion, Publication, fitting
from pfcore.reporters.module_names import finding_words, module_name
from pfcore.reporters.objections import IN_SOURCE
from pfcore.reporters.printing import Style, code, place_of, plural, prose, safe, shortened
from pfcore.review.review import PaperReport, Report

_FOOT = "\n\n<sub>"
"""The start of a comment's last paragraph."""
_LATEX = Style(ascii=True)
_LISTED, _SHOWN = 25, 10
_LEVELS = {
    Severity.ERROR: "failure",
    Severity.WARNING: "warning",
    Severity.NOTE: "notice",
}


@dataclass(frozen=True, slots=True)
class _PaperFinding:
    """A finding with its paper; `way` and `of` are as in `Telling` and `Mark`."""

    finding: Finding
    paper: PaperReport
    way: str = ANSWER
    of: str = ""

    @property
    def source(self) -> ObjectionSource:
        """The source of the objection."""
        return (
            ObjectionSource.READING
            if self.finding in self.paper.objections
            else ObjectionSource.CHECK
        )


def compose(
    report: Report,
    made: Publication,
    diff: Diff,
    caps: CommentCaps,
    setting: SummaryOptions | None = None,
) -> ReviewComments:
    """The comments of a review; `made` is what may be shown of it."""
    if made.is_private:
        heading = (setting and setting.heading) or made.title
        text = made.summary.replace(made.title, heading, 1)
        return ReviewComments(comments=(_summary(text, made),), open=_open(report))
    told = _told(report)
    offered = _offered(report, diff)
    beside = _beside([*told, *offered], diff, caps)
    keys = {item.key for item in beside}
    noted = [item for item in told if item.finding.id not in keys][: caps.annotations]
    known = replace(
        setting or SummaryOptions(),
        elsewhere=frozenset(keys | {item.finding.id for item in noted}),
        pointers=tuple(_pointers(len(beside), noted, diff)),
    )
    return ReviewComments(
        comments=(*beside, _summary(fitting(summary(report, known)), made, is_alone=not beside)),
        annotations=tuple(_annotation(item) for item in noted),
        open=_open(report),
        answered=_answered(report),
        kins=_kins(report),
        settled=_settled(made),
    )


def beside_lines(
    report: Report, made: Publication, diff: Diff, caps: CommentCaps, *, of: str
) -> ReviewComments:
    """The Action's comments on lines, where commands are not available; no summary."""
    listed = (*_told(report), *_offered(report, diff))
    told = [replace(item, way=IN_SOURCE, of=of) for item in listed]
    return ReviewComments(
        comments=tuple(_beside(told, diff, caps)),
        open=_open(report),
        answered=_answered(report),
        kins=_kins(report),
        settled=_settled(made),
    )


def summary_by_result(
    report: Report, beside: frozenset[str], diff: Diff | None, caps: CommentCaps
) -> str:
    """The Action's report on a whole review; `beside` are the ids of findings told on lines.

    The gravest other findings are told in full up to the limit of comments on lines, the rest
    listed by results. `diff` is None if there are no comments on lines.
    """
    others = [item for item in _told(report) if item.finding.id not in beside]
    noted = others[max(0, caps.inline - len(beside)) :]
    telling = markdown.Telling(
        elsewhere=beside | {item.finding.id for item in noted},
        pointers=tuple(_pointers(len(beside), noted, diff)),
        is_away=True,
    )
    return fitting(markdown.check_markdown(report, telling))


def alone(text: str) -> WantedComment:
    """A summary when there is nothing else to say; it only replaces an earlier one."""
    return WantedComment(
        kind=CommentKind.SUMMARY,
        key=comment.SUMMARY,
        body=comment.marked(text, key=comment.SUMMARY, source=ObjectionSource.CHECK),
        is_optional=True,
    )


def _told(report: Report) -> list[_PaperFinding]:
    """The new and unanswered findings, the gravest first, without duplicates among papers.

    A finding whose id is not one of ours could not be found again, so it is only in the summary.
    """
    found: dict[str, _PaperFinding] = {}
    for paper in report.papers:
        for item in printed_findings(paper, notes=False):
            if comment.is_key(item.id):
                found.setdefault(item.id, _PaperFinding(item, paper))
    return _ordered(found.values())


def _offered(report: Report, diff: Diff) -> list[_PaperFinding]:
    """Notes hidden by default that a suggestion can fix, on a line that the diff shows.

    They come after all other findings, and appear nowhere else.
    """
    found: dict[str, _PaperFinding] = {}
    for paper in report.papers:
        for item, mend in mended_notes(paper):
            if comment.is_key(item.id) and diff.anchor(mend.path, mend.line, mend.line):
                found.setdefault(item.id, _PaperFinding(item, paper))
    return list(found.values())


_GRAVITY = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
_BREAKING = (
    "merge-conflict",
    "unbalanced-environment",
    "circular-input",
    "missing-file",
    "unread-file",
    "unread-block",
    "encoding",
)
"""Rules whose violation makes the text after it unreadable, so that other findings may follow."""
_FIRST = 3
"""How many findings of such a rule come before objections of readers."""


def _ordered(found: Collection[_PaperFinding]) -> list[_PaperFinding]:
    """Blocking findings come first, then the graver ones, then those that break the text.

    Then objections of readers, by votes; the rules of checks take turns, lest one fill the list.
    """
    numbers: Counter[str] = Counter()
    keys: dict[str, tuple[int, ...]] = {}
    for told in found:
        finding = told.finding
        number = numbers[finding.rule]
        numbers[finding.rule] += 1
        is_breaking = finding.rule in _BREAKING and number < _FIRST
        is_reading = told.source is ObjectionSource.READING
        keys[finding.id] = (
            finding not in told.paper.blocking,
            _GRAVITY.index(finding.severity),
            finding.left > 0,
            not is_breaking,
            not is_reading,
            -finding.votes,
            0 if is_reading else number,
            _BREAKING.index(finding.rule) if is_breaking else 0,
        )
    return sorted(found, key=lambda told: keys[told.finding.id])


def _beside(told: list[_PaperFinding], diff: Diff, caps: CommentCaps) -> list[WantedComment]:
    """Comments on the findings' own lines, else on those of their causes, the gravest first.

    There are no comments on files, because each would be a notification of its own.
    """
    found = (_placed(item, diff) for item in told)
    return [item for item in found if item is not None][: caps.inline]


def _placed(told: _PaperFinding, diff: Diff) -> WantedComment | None:
    return _inline(told, diff) or _at_cause(told, diff)


def _inline(told: _PaperFinding, diff: Diff) -> WantedComment | None:
    """A comment on the lines of a finding, if the diff shows any of them.

    One with a suggestion is on the line that the suggestion replaces.
    """
    mend = certain_mend(told.finding, told.paper)
    if mend is not None and diff.anchor(mend.path, mend.line, mend.line):
        said = replace(told.finding, message=mend.message or told.finding.message)
        body = _body(replace(told, finding=said), is_beside=True, more=mend.block)
        return WantedComment(
            kind=CommentKind.INLINE,
            key=told.finding.id,
            body=body,
            path=mend.path,
            line=mend.line,
            aliases=told.finding.aliases,
        )
    return _on_lines(told, told.finding.location, diff, is_beside=True)


def _at_cause(told: _PaperFinding, diff: Diff) -> WantedComment | None:
    """A comment on a changed statement that caused an objection to an unchanged proof."""
    for name in causes(told.finding, told.paper):
        where = told.paper.state.document.modules[name].statement.location
        found = _on_lines(told, where, diff, is_beside=False)
        if found is not None:
            return found
    return None


def _on_lines(
    told: _PaperFinding, where: Location, diff: Diff, *, is_beside: bool
) -> WantedComment | None:
    first, last = _lines(where)
    anchor = diff.anchor(where.path, first, last)
    if anchor is None:
        return None
    start, line = anchor
    return WantedComment(
        kind=CommentKind.INLINE,
        key=told.finding.id,
        body=_body(told, is_beside=is_beside),
        path=where.path,
        line=line,
        start_line=start if start < line else None,
        aliases=told.finding.aliases,
    )


def _body(told: _PaperFinding, *, is_beside: bool, more: str = "") -> str:
    """The text on a finding, as far as a comment can hold it, followed by a suggestion.

    A comment on a line does not name the line number, so that it stays valid when lines move.
    """
    telling = markdown.Telling(way=told.way, is_beside=is_beside)
    text = markdown.finding(told.finding, told.paper, telling)
    cause = (
        ripple_paragraph(told.finding, told.paper) if told.source is ObjectionSource.READING else ""
    )
    if cause:
        first, _, rest = text.partition("\n\n")
        text = f"{first}\n\n{cause}\n\n{rest}"
    if more and len(text) + len(more) < LONGEST:
        said, foot, small = text.rpartition(_FOOT)  # the hint on answering stays last
        text = f"{said}\n\n{more}{foot}{small}" if foot else f"{text}\n\n{more}"
    kin = _kin(told.finding) if told.source is ObjectionSource.READING else ""
    return comment.marked(
        fitting(text), key=told.finding.id, source=told.source, kin=kin, of=told.of
    )


def _summary(text: str, made: Publication, *, is_alone: bool = True) -> WantedComment:
    """The summary; with comments on lines it is the body of their review."""
    return WantedComment(
        kind=CommentKind.SUMMARY,
        key=comment.SUMMARY,
        body=comment.marked(text, key=comment.SUMMARY, source=ObjectionSource.CHECK),
        is_optional=made.is_quiet and is_alone,
    )


def _pointers(beside: int, noted: list[_PaperFinding], diff: Diff | None) -> Iterator[str]:
    """References to the findings shown elsewhere; those without a comment are listed by results."""
    if beside:
        yield f"{plural(beside, 'comment')} on the changed lines."
    if diff is None:
        yield from _listing("More findings", noted)
        return
    shown = {item.finding.id for item in noted if _placed(item, diff) is not None}
    more = [item for item in noted if item.finding.id in shown]
    yield from _listing("More findings on the changed lines", more)
    yield from _listing("Outside the diff", [it for it in noted if it.finding.id not in shown])


def _listing(title: str, noted: list[_PaperFinding]) -> Iterator[str]:
    """A list of the findings that are annotations of the check, a line for each result."""
    if not noted:
        return
    results: dict[str, list[_PaperFinding]] = {}
    for item in noted:
        results.setdefault(_result(item), []).append(item)
    lines = [_line(name, items) for name, items in list(results.items())[:_LISTED]]
    hidden = list(results.values())[_LISTED:]
    number = number_of(item.finding for items in hidden for item in items)
    more = f" ({plural(number, 'finding')})" if number != len(hidden) else ""
    last = [f"- … and {plural(len(hidden), 'more result')}{more}"] if hidden else []
    folded = unfolding(len(results) - _SHOWN, "result", [*lines[_SHOWN:], *last])
    yield "\n".join([f"{title}:", "", *lines[:_SHOWN], *folded])


def _result(told: _PaperFinding) -> str:
    module = told.paper.state.document.modules.get(told.finding.module or "")
    return titled(module, told.paper) if module else code(safe(told.finding.location.path))


def _line(name: str, items: list[_PaperFinding]) -> str:
    """A line on one result: its gravest finding, and how many more it has."""
    first = items[0].finding
    words = prose(finding_words(first, items[0].paper))
    said = f"- {words}" if words.startswith(f"{name} ") else f"- {name}: {words}"
    said += f" · `{first.id}` · {code(place_of(first))}"
    more = number_of(item.finding for item in items[1:])
    return f"{said} (and {plural(more, 'more finding')})" if more else said


def _annotation(told: _PaperFinding) -> Annotation:
    finding = told.finding
    module = told.paper.state.document.modules.get(finding.module or "")
    name = f"{module_name(module, told.paper, _LATEX)}: " if module else ""
    first, last = _lines(finding.location)
    return Annotation(
        path=finding.location.path,
        start_line=first,
        end_line=last,
        level=_LEVELS[finding.severity],
        title=shortened(safe(f"{name}{finding.rule} [{finding.id}]"), 200),
        message=shortened(safe(finding_words(finding, told.paper)), 2_000),
    )


def _lines(location: Location) -> tuple[int, int]:
    """The first and the last line of a passage; its end is exclusive."""
    ends_before = location.end_column == 1 and location.end_line > location.line
    return location.line, location.end_line - ends_before


def _open(report: Report) -> frozenset[str]:
    """The open findings, by all their ids; includes old ones and notes, which get no comment."""
    return frozenset(
        name
        for paper in report.papers
        for item in paper.findings
        if item.dismissed is None
        for name in (item.id, *item.aliases)
    )


def _answered(report: Report) -> dict[str, str]:
    return {
        name: item.dismissed
        for paper in report.papers
        for item in paper.findings
        if item.dismissed is not None
        for name in (item.id, *item.aliases)
    }


def _kins(report: Report) -> dict[str, str]:
    return {
        item.id: _kin(item)
        for paper in report.papers
        for item in paper.objections
        if item.dismissed is None and item.introduced is not False
    }


def _kin(found: Finding) -> str:
    """What an objection shares with the same one in other words: its class and its result."""
    return finding_id(found.rule, "", found.module)


def _settled(made: Publication) -> frozenset[ObjectionSource]:
    """Checks are always complete; a reader's silence counts only if everything was read."""
    is_complete = made.is_read and made.conclusion is not Conclusion.INCOMPLETE
    return frozenset(ObjectionSource) if is_complete else frozenset({ObjectionSource.CHECK})


_MOST = 3


def causes(found: Finding, paper: PaperReport) -> list[str]:
    """The changed modules that an unchanged proof uses, if any.

    Those named in the objection come before the others that the proof or its statement uses.
    """
    name = found.module
    affected = {item.id for item in paper.plan.affected}
    if name is None or name not in affected or name in paper.plan.edited:
        return []
    document = paper.state.document
    used = [edge.target for edge in document.edges_of(name)]
    changed = dict.fromkeys((*paper.plan.restated, *_definitions(paper)))
    named = [item for item in found.related if item in changed]
    return list(dict.fromkeys((*named, *(item for item in used if item in changed))))[:_MOST]


def _definitions(paper: PaperReport) -> list[str]:
    """The definitions, assumptions and conventions that changed."""
    modules = paper.state.document.modules
    given = (Role.DEFINITION, Role.ASSUMPTION, Role.CONVENTION)
    return [name for name in paper.plan.edited if modules[name].role in given]


def ripple_paragraph(found: Finding, paper: PaperReport) -> str:
    """A paragraph that says what changed, and that the proof itself did not; else ""."""
    changed = causes(found, paper)
    if not changed:
        return ""
    modules = paper.state.document.modules
    listed = ", ".join(_named(name, paper) for name in changed)
    name = titled(modules[found.module or ""], paper)
    return (
        f"**This pull request changes what {listed} says.** The proof of {name} did not "
        "change and was re-read only for that reason."
    )


def _named(name: str, paper: PaperReport) -> str:
    module = paper.state.document.modules[name]
    where = module.statement.location
    return f"{titled(module, paper)} ({code(f'{safe(where.path)}:{where.line}')})"
