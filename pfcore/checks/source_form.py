"""Checks of the LaTeX itself: environments, files, encodings.

Checks of the form of proofs in PF markup: tags, numbers, order, and who may cite whom.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

from pfcore.checks.check import Check, CheckInput
from pfcore.domain.findings import located
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Severity
from pfcore.latex.lexer.mask import mask
from pfcore.latex.parsed_file import SourceProblem, is_tagged
from pfcore.latex.project.include_graph import resolve
from pfcore.latex.project.survey import FileLink
from pfcore.markup.pf_paper import PREFIX, is_markup

if TYPE_CHECKING:
    from pfcore.repository.build_sources import BuildSources

_ENVIRONMENT = frozenset({"unclosed", "stray-end", "crossed"})


def environments(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Environments that are not closed, or closed without being open, in the paper as a whole."""
    for path, problem, count in _unbalanced(scene):
        other = _closed_otherwise(scene, path, problem)
        yield check.finding(
            other or problem.message,
            subject=f"{path} {problem.code} {problem.subject} {count}",
            module=None,
            place=scene.at(path, problem.start, problem.end),
            severity=Severity.WARNING if other else check.severity,
        )


_DISPLAY = regex(r"\\\\|\\(?P<opens>\[)|\\(?P<closes>\])|\\end\s*\{document\}")


def _closed_otherwise(scene: CheckInput, path: str, problem: SourceProblem) -> str:
    r"""What amsmath makes of `\[` with `\end{equation*}`, and of the reverse: one display."""
    if problem.subject != "equation*":
        return ""
    text = mask(scene.paper.source(path)).text
    if problem.code == "stray-end":
        signs = [m for m in _DISPLAY.finditer(text, 0, problem.start) if m.lastgroup]
        return "\\end{equation*} closes a \\[" if signs and signs[-1]["opens"] else ""
    following = (m for m in _DISPLAY.finditer(text, problem.end) if m[0] != "\\\\")
    sign = next(following, None)
    return "\\] closes \\begin{equation*}" if sign and sign["closes"] else ""


def _unbalanced(scene: CheckInput) -> Iterator[tuple[str, SourceProblem, int]]:
    """Problems of each file; what one file opens and a later one closes is none."""
    opened: dict[str, int] = {}
    found: list[tuple[str, SourceProblem]] = []
    for path in scene.paper.outline.order:
        reading = scene.paper.readings.get(path)
        for problem in reading.problems if reading else ():
            if problem.code == "unclosed":
                opened[problem.subject] = opened.get(problem.subject, 0) + 1
            found.append((path, problem))
    closed = {
        name: min(count, sum(1 for _, p in found if p.code == "stray-end" and p.subject == name))
        for name, count in opened.items()
    }
    if "document" in closed:
        closed["document"] = len(found)  # LaTeX stops at the first end, and meets no other
    counts: dict[tuple[str, str, str], int] = {}
    spared: dict[tuple[str, str], int] = {}
    for path, problem in found:
        if problem.code not in _ENVIRONMENT:
            continue
        used = spared.get((problem.code, problem.subject), 0)
        if used < closed.get(problem.subject, 0):
            spared[problem.code, problem.subject] = used + 1
            continue
        key = (path, problem.code, problem.subject)
        counts[key] = counts.get(key, 0) + 1
        yield path, problem, counts[key]


def merge_conflicts(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """What a merge leaves in a file where two versions of it do not agree."""
    for path, reading in scene.paper.readings.items():
        listed = [problem for problem in reading.problems if problem.code == "merge-conflict"]
        for number, problem in enumerate(listed, 1):
            yield check.finding(
                problem.message,
                subject=f"{path} {number}",
                module=None,
                place=scene.at(path, problem.start, problem.end),
            )


def _problems(scene: CheckInput, code: str) -> Iterator[tuple[str, SourceProblem]]:
    for path, problems in scene.paper.outline.problems.items():
        yield from ((path, problem) for problem in problems if problem.code == code)


def _file(scene: CheckInput, check: Check, path: str, problem: SourceProblem) -> Finding:
    return check.finding(
        problem.message,
        subject=f"{path} {problem.subject}",
        module=None,
        place=scene.at(path, problem.start, problem.end),
        severity=_severity(check, problem),
    )


def _severity(check: Check, problem: SourceProblem) -> Severity:
    """LaTeX itself goes on without a file that is \\include'd: it may be made by a build."""
    if problem.code == "file-case":
        return Severity.NOTE
    is_lesser = problem.message.startswith("\\include{")
    return min(check.severity, Severity.WARNING, key=_rank) if is_lesser else check.severity


def _rank(severity: Severity) -> int:
    return severity.rank


def missing_files(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Files that the paper reads in and that are not there, or not under that name.

    What something in the repository makes is not missing: it is to be made first.
    """
    sources = None
    for path, problem in _problems(scene, "missing-file"):
        found = _file(scene, check, path, problem)
        if sources is None:
            from pfcore.repository.build_sources import BuildSources

            sources = BuildSources(scene.paper.snapshot)
        is_asked = not scene.is_base and (path, problem.start) not in scene.paper.outline.closed
        maker = _maker(scene, sources, path, problem.subject) if is_asked else ""
        if own := _own_command(scene, problem):
            message = f"{problem.message}; the paper gives {own} a meaning of its own"
            found = replace(found, message=message, severity=Severity.NOTE)
        elif maker:
            message = f"{problem.message}; {maker} may make it: run the build before the check"
            found = replace(found, message=message, severity=Severity.NOTE)
        yield found
    for path, problem in _problems(scene, "file-case"):
        yield _file(scene, check, path, problem)


def _own_command(scene: CheckInput, problem: SourceProblem) -> str:
    """The command that names a file, if the paper defines it anew; "" if it is LaTeX's own."""
    name = problem.message.partition("{")[0]
    surveys = (scene.paper.surveys.get(path) for path in scene.paper.outline.order)
    macros = (item for survey in surveys if survey for item in survey.macros)
    return name if any(f"\\{item.name}" == name for item in macros) else ""


def _maker(scene: CheckInput, sources: BuildSources, path: str, target: str) -> str:
    """What may make a file that is not there; "" if nothing here does."""
    link = FileLink("input", target, "input", 0)
    name = posixpath.basename(target)
    opened = (scene.paper.root, path)
    return sources.maker_of(
        name if name.endswith(".tex") else f"{name}.tex",
        lambda files: resolve(link, path, opened, files),
    )


def circular_inputs(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Files that read themselves in."""
    for path, problem in _problems(scene, "circular-input"):
        yield _file(scene, check, path, problem)


def unread_files(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Files that the paper reads in and that could not be read, and what is not read of others."""
    for path, problem in _problems(scene, "unread-file"):
        yield _file(scene, check, path, problem)
    for path, reading in scene.paper.readings.items():
        for problem in reading.problems:
            if problem.code == "too-deep":
                yield check.finding(
                    problem.message,
                    subject=f"{path} {problem.subject}",
                    module=None,
                    place=scene.at(path, problem.start, problem.end),
                )


def unread_blocks(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """What could not be read for a fault of ours; the checks before may have met it only now."""
    numbers: Counter[str] = Counter()
    for path, line, what, cause in scene.paper.faults.listed:
        start = _offset(scene.paper.source(path), line)
        subject = f"{path} {what} {cause.rpartition(' (')[0]}"
        numbers[subject] += 1
        yield check.finding(
            f"this {what} could not be read by pf-verify (please report this): {cause}",
            subject=f"{subject} {numbers[subject]}",
            module=None,
            place=scene.first_line(path, start, len(scene.paper.source(path))),
        )


def _offset(text: str, line: int) -> int:
    """Where a line begins, counted from 1."""
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return start


def encodings(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Files whose encoding had to be guessed."""
    for path in scene.paper.outline.order:
        note = scene.paper.surveys[path].note
        if note:
            yield check.finding(
                f"the file {note}",
                subject=path,
                module=None,
                place=(located(path, "", 0, 0), ""),
            )


UNREAD_BLOCKS = Check(
    id="unread-block",
    severity=Severity.WARNING,
    rationale="unreadable part, not reviewed",
    run=unread_blocks,
)
"""Runs behind all others, for it tells what they could not look at."""

CHECKS = (
    Check(
        id="unbalanced-environment",
        severity=Severity.ERROR,
        rationale="environment not closed, or closed twice",
        run=environments,
    ),
    Check(
        id="merge-conflict",
        severity=Severity.ERROR,
        rationale="unresolved merge conflict",
        run=merge_conflicts,
    ),
    Check(
        id="missing-file",
        severity=Severity.ERROR,
        rationale="included file is missing",
        run=missing_files,
    ),
    Check(
        id="circular-input",
        severity=Severity.ERROR,
        rationale="recursive \\input",
        run=circular_inputs,
    ),
    Check(
        id="unread-file",
        severity=Severity.ERROR,
        rationale="unreadable file, not reviewed",
        run=unread_files,
    ),
    Check(
        id="encoding",
        severity=Severity.NOTE,
        rationale="file is not UTF-8",
        run=encodings,
    ),
)

_RECOGNISED = 400
_TAGLESS = f"{PREFIX}outside"


_PLAINER = (
    (" stands twice", " occurs twice"),
    (" holds nothing", " is empty"),
    (" proves what is not stated", " has no statement"),
    (" stands behind ", " comes after "),
    (" stands before ", " comes before "),
    (" rests on it", " depends on it"),
    (" is no tag of this format", " is not a tag of this format"),
    (" stands inside of ", " is inside "),
    (" stands where ", " is used while "),
    (" is not written as ", " must be written as "),
    (" closes nothing", " closes no tag"),
    (" stands outside of all tags", " is outside all tags"),
    (" lacks its >", " is missing its >"),
    ("nothing closes the formula that begins here", "the formula that begins here is not closed"),
)


def _plain(message: str) -> str:
    """What the parser says, for people; its own words are in ids, and are what models are told."""
    for said, plain in _PLAINER:
        message = message.replace(said, plain)
    return message


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
            _plain(problem.message),
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
        rationale="malformed .pf file",
        run=form,
    ),
)
