"""What a build server passes from the job that reads to the job that publishes: text and counts.

If findings are private it has counts only, so that nothing else can leak through it.

Also findings as GitHub's workflow commands, which show them beside the lines of a change.
"""

import base64
import gzip
import zlib
from collections.abc import Iterator
from enum import StrEnum

from pydantic import BaseModel, ConfigDict, Field

from pfcore.domain.values import Finding, Severity
from pfcore.reporters.formats import markdown
from pfcore.reporters.formats.json_report import SCHEMA
from pfcore.reporters.formats.line_formats import printed_findings
from pfcore.reporters.module_names import finding_words, module_name
from pfcore.reporters.objections import UNREAD
from pfcore.reporters.paper_overview import paper_numbers
from pfcore.reporters.printing import Style, plural, prose, safe, shortened
from pfcore.reporters.review_outcome import gaps_in_words, loud, outcome
from pfcore.review.review import PaperReport, Report
from pfcore.review.unseen import Gap, unseen

LONGEST = 60_000
"""The most characters of a summary; GitHub's limit for a comment is 65,536."""

ROOM = 120_000
"""The approximate limit of an environment variable in characters, since all is passed in one."""

_MOST_BYTES = 4_000_000
_AWAY = markdown.Telling(is_away=True)
_CUT = "\n\n… and more; the rest is too long for a comment.\n"
PRIVATE = "The findings of this repository are private; to see them, run `pf check` in a clone."
AGAIN = "Readers' objections are in no clone; `pf check --model NAME` there reads the proofs again."


UNREVIEWED = "Review failed"
"""The title of a review that failed."""


class Conclusion(StrEnum):
    """How a review ended; one that could not be completed is none of the others."""

    CLEAN = "clean"
    STRUCTURE = "structure"
    FINDINGS = "findings"
    BLOCKING = "blocking"
    INCOMPLETE = "incomplete"


class Publication(BaseModel):
    """The parts of a commit's review that may be shown.

    `is_read`: every proof to be read has a verdict; `is_quiet`: nobody needs to be notified;
    `is_open`: a finding, new or old, has no answer yet. `ledgers` are lines for the ledgers, by
    path. `remarks` are the comments on lines of a pull request, as its publisher encodes them, and
    `base` is the merge base of the pull request.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    version: int = Field(default=SCHEMA, ge=SCHEMA, le=SCHEMA, alias="schema")
    head: str = Field(pattern="^(?:[0-9a-f]{40}|[0-9a-f]{64})$")
    conclusion: Conclusion = Field(strict=False)
    title: str = Field(max_length=200)
    summary: str = Field(max_length=LONGEST)
    is_read: bool
    is_quiet: bool
    is_open: bool
    is_private: bool
    ledgers: dict[str, str] = Field(default_factory=dict)
    base: str = Field(default="", pattern="^(?:[0-9a-f]{40}|[0-9a-f]{64}|)$")
    remarks: str = Field(default="", max_length=_MOST_BYTES)

    def text(self) -> str:
        """As JSON."""
        return self.model_dump_json(by_alias=True, indent=1) + "\n"


def packed(text: str) -> str:
    """A text as one short ASCII line for a job's outputs; equal texts give equal lines."""
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode()


def unpacked(line: str) -> str:
    """The packed text; ValueError if the line is not one, or the text is too long."""
    inflating = zlib.decompressobj(wbits=31)
    try:
        data = inflating.decompress(base64.b64decode(line, validate=True), _MOST_BYTES)
    except zlib.error as error:
        raise ValueError(f"not written by pf ci: {error}") from error
    if not inflating.eof:
        raise ValueError("not written by pf ci: too long, or truncated")
    return data.decode("utf-8")


def handed(made: Publication) -> str:
    """A publication, packed; without its ledgers and remarks if it would be too long with them."""
    line = packed(made.text())
    if len(line) <= ROOM:
        return line
    return packed(made.model_copy(update={"ledgers": {}, "remarks": ""}).text())


def publication(
    report: Report, *, head: str, status: int, is_private: bool, ledgers: dict[str, str]
) -> Publication:
    """The publication of a review; `status` is its exit status."""
    open_ones = [item for paper in report.papers for item in _open(paper)]
    new = [item for item in open_ones if item.introduced is not False]
    ended = conclusion(report, status=status, is_new=bool(new))
    return Publication(
        schema=SCHEMA,
        head=head,
        conclusion=ended,
        title=title(report),
        summary=_counts(report) if is_private else fitting(markdown.check_markdown(report, _AWAY)),
        is_read=is_read(report),
        is_quiet=not new and ended in (Conclusion.CLEAN, Conclusion.STRUCTURE),
        is_open=bool(open_ones),
        is_private=is_private,
        ledgers={} if is_private else ledgers,
    )


def brief_publication(
    head: str, title: str, summary: str, *, conclusion: Conclusion, is_private: bool
) -> Publication:
    """A publication without findings, because nothing was reviewed."""
    return Publication(
        schema=SCHEMA,
        head=head,
        conclusion=conclusion,
        title=title,
        summary=summary,
        is_read=conclusion is not Conclusion.INCOMPLETE,
        is_quiet=True,
        is_open=False,
        is_private=is_private,
    )


def not_reviewed(reason: str) -> str:
    """The text if a review failed, with the reason."""
    return fitting(f"### pf-verify: not reviewed\n\n{prose(reason)}\n")


def conclusion(report: Report, *, status: int, is_new: bool) -> Conclusion:
    """How the review ended; without a reader only the structure can be clean."""
    if status == 1:
        return Conclusion.BLOCKING
    if status != 0:
        return Conclusion.INCOMPLETE
    if is_new:
        return Conclusion.FINDINGS
    return Conclusion.CLEAN if is_read(report) else Conclusion.STRUCTURE


def is_read(report: Report) -> bool:
    """Whether no proof under review is unread."""
    return all(
        paper.sheet is not None
        and not paper.plan.unread
        and (report.before is not None or not paper.sheet.unread())
        for paper in report.papers
    )


def title(report: Report) -> str:
    """How many findings are new and how many block; if none, how much was looked at."""
    return shortened(outcome(report), 200)


def _counts(report: Report) -> str:
    return "\n\n".join(_numbers(report)) + "\n"


def _numbers(report: Report) -> Iterator[str]:
    yield f"### pf-verify: {title(report)}"
    results = plural(sum(paper_numbers(paper).results for paper in report.papers), "result")
    affected = sum(len(paper.plan.affected) for paper in report.papers)
    yield f"{results}, {affected:,} affected" if report.before else results
    if all(paper.sheet is None for paper in report.papers):
        yield UNREAD
    elif unreached := sum(len(paper.unreached) for paper in report.papers):
        yield f"Not read: {plural(unreached, 'result')}."
    has_objections = any(paper.objections for paper in report.papers)
    yield f"{PRIVATE} {AGAIN}" if has_objections else PRIVATE


def _open(paper: PaperReport) -> Iterator[Finding]:
    """Findings that need attention: not answered, and more than notes unless these count."""
    yield from loud(paper)


def fitting(text: str) -> str:
    """Markdown cut to the limit of a comment: whole paragraphs, and a note on the rest."""
    if len(text) <= LONGEST:
        return text
    return text[: LONGEST - len(_CUT)].rpartition("\n\n")[0] + _CUT


_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}
_MOST = 10
"""How many annotations of a level GitHub shows for a step."""
_LONGEST = 2_000
_TOLD = frozenset({Gap.PROOF, Gap.LOOSE, Gap.REFERENCE})
"""Texts that the job's summary contains anyway, and those in findings."""


def annotations(report: Report, told: frozenset[str] = frozenset()) -> Iterator[str]:
    """A command for each new finding, the gravest first; the number left out comes last.

    Findings in `told`, given by id, are shown in comments and need no command.
    """
    said = gaps_in_words(item for item in unseen(report) if item.kind not in _TOLD)
    if said:
        yield notice(f"{said[0].upper()}{said[1:]}")
    count = dict.fromkeys(_LEVELS, 0)
    for paper in report.papers:
        for finding in printed_findings(paper, notes=False):
            if finding.id in told:
                continue
            count[finding.severity] += 1
            if count[finding.severity] <= _MOST:
                yield _finding(finding, paper)
    if hidden := sum(max(0, number - _MOST) for number in count.values()):
        verb = "is" if hidden == 1 else "are"
        yield notice(f"{plural(hidden, 'more finding')} {verb} in the summary of this job")


def notice(message: str, *, title: str = "pf-verify") -> str:
    """A neutral annotation without a line."""
    return command("notice", message, title=title)


def command(name: str, message: str, **properties: str) -> str:
    """A workflow command; no character in its values can end a value, a property or the line."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(shortened(safe(message), _LONGEST))}"


def _finding(finding: Finding, paper: PaperReport) -> str:
    where = finding.location
    module = paper.state.document.modules.get(finding.module or "")
    name = f"{module_name(module, paper, Style(ascii=True))}: " if module else ""
    properties = {
        "file": where.path,
        "line": str(where.line),
        "endLine": str(where.end_line),
        "title": shortened(safe(f"{name}{finding.rule} [{finding.id}]"), 200),
    }
    if where.line == where.end_line:  # GitHub rejects columns for several lines
        properties |= {"col": str(where.column), "endColumn": str(where.end_column)}
    return command(_LEVELS[finding.severity], finding_words(finding, paper), **properties)


def _data(text: str) -> str:
    """The escapes that the runner undoes: https://github.com/actions/toolkit, command.ts."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
