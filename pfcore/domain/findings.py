"""Findings: ids that survive rewording, places, quotes, what is new and what was dismissed."""

import base64
import hashlib
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace

from pfcore.domain.spans import LineIndex
from pfcore.domain.values import Finding, Location, Severity

CYCLE = "cycle"
"""The check for circular arguments; dismissing its finding answers for all modules of the cycle."""
_QUOTE = 160
_MOST = 100  # the most findings of one rule in one file that are shown


def finding_id(rule: str, subject: str, module: str | None) -> str:
    """Eight characters computed from a finding's rule, its subject and its module."""
    text = "\0".join((rule, " ".join(subject.split()), module or ""))
    raw = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(raw[:5]).decode().lower()


def is_id(text: str) -> bool:
    """Whether a text has the form of a finding's id."""
    return len(text) == _ID_LENGTH and _ID_LETTERS.issuperset(text)


_ID_LENGTH = 8
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz234567")


def located(
    path: str, source: str, start: int, end: int, lines: LineIndex | None = None
) -> Location:
    """The location of a span in a file's text; `lines` is the text's line index, if known."""
    lines = lines or LineIndex(source)
    start, end = min(start, len(source)), min(max(start, end), len(source))
    return Location(path, start, end, *lines.place(start), *lines.place(end))


_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters that print as blank."""


def is_blank(reason: str) -> bool:
    """Whether a reason looks empty: it has only blanks and characters that print as nothing."""
    return not any(
        letter.isprintable() and letter != " " and letter not in _FILLERS for letter in reason
    )


def is_told(finding: Finding) -> bool:
    """Whether a finding is shown by default: not a note, or a new cycle, or one of many alike.

    Only the author can say whether a cycle is an induction, or whether so many are mistakes.
    """
    is_new_circle = finding.rule == CYCLE and finding.introduced is True
    return is_new_circle or finding.alike > 0 or finding.severity is not Severity.NOTE


def quoted(source: str, location: Location) -> str:
    """The passage of a finding on one line, shortened."""
    text = " ".join(source[location.start : location.end].split())
    return text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…"


def unique(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """The first finding of each id, sorted by decreasing severity, then by place."""
    kept: dict[str, Finding] = {}
    for finding in findings:
        kept.setdefault(finding.id, finding)
    return tuple(
        sorted(
            kept.values(),
            key=lambda item: (-item.severity.rank, *item.location[:2], item.id),
        )
    )


def with_origin(
    after: Iterable[Finding],
    before: Iterable[Finding],
    pairs: Mapping[str, str],
    paths: Container[str] = (),
) -> list[Finding]:
    """Set `introduced`: False for what the base has too; `pairs` maps modules to those of the base.

    A finding outside all modules may have moved to a file that is not among the base's `paths`. It
    is then not new if an equal one disappeared from the base; each of those accounts for one.
    """
    after, before = list(after), list(before)
    known = {finding.id for finding in before}
    kept = {finding.id for finding in after}
    moved = Counter(_words(one) for one in before if one.module is None and one.id not in kept)
    made: list[Finding] = []
    for finding in after:
        is_new = not _is_among(finding, known, pairs)
        may_have_moved = finding.module is None and finding.location.path not in paths
        if is_new and may_have_moved and moved[_words(finding)]:
            moved[_words(finding)] -= 1
            is_new = False
        made.append(replace(finding, introduced=is_new))
    return made


def _words(finding: Finding) -> tuple[str, str]:
    return finding.rule, finding.quote


def _is_among(finding: Finding, known: Set[str], pairs: Mapping[str, str]) -> bool:
    """Whether the base has this finding, in a module that may have had another id there."""
    if finding.module is None:
        return finding.id in known
    module = pairs.get(finding.module)
    return module is not None and finding_id(finding.rule, finding.subject, module) in known


def with_severity(
    findings: Iterable[Finding], chosen: Mapping[str, str], disabled: frozenset[str]
) -> list[Finding]:
    """The findings of the enabled checks, with the severities that the settings choose."""
    return [
        replace(finding, severity=Severity(chosen.get(finding.rule, finding.severity)))
        for finding in findings
        if finding.rule not in disabled
    ]


def capped(findings: Sequence[Finding]) -> list[Finding]:
    """At most _MOST findings of each rule in each file, and one more that counts the others.

    New findings are kept before old ones, and more severe before less severe.
    """
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.rule, finding.location.path), []).append(finding)
    if all(len(group) <= _MOST for group in groups.values()):
        return list(findings)
    return [finding for group in groups.values() for finding in _first(group)]


def _first(group: list[Finding]) -> list[Finding]:
    if len(group) <= _MOST:
        return group
    group.sort(key=lambda one: (one.introduced is False, -one.severity.rank, one.location[1]))
    rest = group[_MOST:]
    new = [one for one in rest if one.introduced is not False]
    old = [one for one in rest if one.introduced is False]
    return [*group[:_MOST], *_more(new, ""), *_more(old, "older" if new else "")]


def _more(left: list[Finding], word: str) -> Iterator[Finding]:
    """One finding that stands for all those of a rule in a file that are not shown."""
    if not left:
        return
    first = left[0]
    path, number = first.location.path, len(left)
    is_one = number == 1
    said = f"{number} more {f'{word} ' if word else ''}finding{'' if is_one else 's'}"
    yield replace(
        first,
        id=finding_id(first.rule, f"{path} {word}".rstrip(), None),
        subject=path,
        module=None,
        message=f"{said} of {first.rule} in {path} {'is' if is_one else 'are'} not shown",
        related=(),
        left=number,
    )


def number_of(findings: Iterable[Finding]) -> int:
    """The number of findings, including those not shown."""
    return sum(max(1, finding.left) for finding in findings)


def is_blocking(finding: Finding, threshold: Severity, *, is_change: bool) -> bool:
    """Whether a finding fails the review: severe enough, enough votes, new and not dismissed.

    In the review of a change, an objection of unknown origin does not block.
    """
    is_new = finding.introduced is True or (finding.introduced is None and not is_change)
    return (
        finding.severity.rank >= threshold.rank
        and finding.votes >= finding.quorum
        and is_new
        and finding.dismissed is None
    )
