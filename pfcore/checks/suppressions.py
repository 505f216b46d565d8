"""`% pf: ignore[ID] reason`: objections that the authors have answered in the source."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from pfcore.checks.check import Check, CheckInput
from pfcore.domain.findings import is_blank, is_id
from pfcore.domain.values import Finding, Location, Severity
from pfcore.latex.parsed_file import Ignore

UNUSED = Check(
    id="unused-ignore",
    severity=Severity.WARNING,
    rationale="unused ignore comment",
    run=lambda _scene, _check: (),
)
"""Runs after all others, in `apply_ignores`."""
NEVER: Mapping[str, str] = {
    "merge-conflict": "choose one of the two versions and delete the markers",
}
"""The checks whose findings no comment can answer, each with how to fix them."""


def apply_ignores(
    scene: CheckInput, findings: Iterable[Finding], checks: Collection[str]
) -> list[Finding]:
    """Findings with the reason of the ignore that covers them; unused ignores are findings too.

    An ignore that names an id instead of one of the `checks` may answer an objection to a proof,
    so that it counts as unused only once all proofs are read.
    """
    ignores = [(path, item) for path, item in _all(scene)]
    used: set[tuple[str, int]] = set()
    answered: list[Finding] = []
    for finding in findings:
        reason = None
        for path, item in ignores if finding.rule not in NEVER else ():
            if _covers(scene, path, item, finding):
                used.add((path, item.offset))
                reason = reason or item.reason or None
        answered.append(replace(finding, dismissed=reason, reopened=None) if reason else finding)
    barred = {item.id: item.rule for item in answered if item.rule in NEVER}
    for path, item in ignores:
        is_used = (path, item.offset) in used
        rule = barred.get(item.id, item.id)
        if rule in NEVER:
            answered.append(_told(scene, path, item, unanswerable(rule)))
            continue
        meant = "" if is_used else _meant(item, checks)
        is_known = item.id in checks or scene.is_read or bool(meant) or not is_id(item.id)
        if not item.reason or (not is_used and is_known):
            answered.append(_unused(scene, path, item, meant, is_used=is_used))
    return answered


def unanswerable(rule: str) -> str:
    """The message that findings of a check cannot be answered, and how to fix them."""
    return f"{rule} cannot be dismissed: {NEVER[rule]}"


def _meant(item: Ignore, checks: Collection[str]) -> str:
    """The check with a name similar to the ignore's; "" if there is none."""
    if item.id in checks:
        return ""
    from difflib import get_close_matches

    return next(iter(get_close_matches(item.id, checks, n=1, cutoff=0.8)), "")


def has_any(scene: CheckInput) -> bool:
    """Whether the authors have answered anything in the source."""
    return any(True for _ in _all(scene))


def withdrawn(
    findings: Iterable[Finding], objections: Iterable[Finding], *, is_change: bool
) -> Iterator[Finding]:
    """The findings, with answers in the source to new findings removed.

    Such an answer may be as new as the finding, and its author may not decide. Answers of the
    ledger, in `objections`, stay. Without an earlier version all findings are new.
    """
    kept = {item.id: item.dismissed for item in objections}
    for finding in findings:
        is_new = finding.introduced is True or (finding.introduced is None and not is_change)
        yield replace(finding, dismissed=kept.get(finding.id)) if is_new else finding


def is_answered(scene: CheckInput, finding: Finding) -> bool:
    """Whether a comment in the source covers a finding."""
    return any(_covers(scene, path, item, finding) for path, item in _all(scene))


def _all(scene: CheckInput) -> Iterator[tuple[str, Ignore]]:
    for path in scene.paper.outline.order:
        reading = scene.paper.readings.get(path)
        for item in reading.ignores if reading else ():
            yield path, item._replace(reason="") if is_blank(item.reason) else item


def _covers(scene: CheckInput, path: str, item: Ignore, finding: Finding) -> bool:
    """Whether an ignore covers a finding: by id anywhere, by check on its result or line."""
    if item.id == finding.id or item.id in finding.aliases:
        return True
    if item.id != finding.rule:
        return False
    if finding.location.path == path and 0 <= finding.location.line - item.line <= 1:
        return True
    if finding.module is None:
        return False
    module = scene.document.modules.get(finding.module)
    passages = module.passages if module else ()
    return any(_is_inside(path, item.offset, passage.location) for passage in passages)


def _is_inside(path: str, offset: int, place: Location) -> bool:
    return place.path == path and place.start <= offset < place.end


def _unused(scene: CheckInput, path: str, item: Ignore, meant: str, *, is_used: bool) -> Finding:
    message = (
        f"ignore[{item.id}] needs a reason"
        if is_used
        else f"ignore[{item.id}] matches no finding; remove it"
    )
    message += f" (or did you mean {meant}?)" if meant else ""
    return _told(scene, path, item, message)


def _told(scene: CheckInput, path: str, item: Ignore, message: str) -> Finding:
    length = scene.paper.source(path).find("\n", item.offset)
    end = length if length >= 0 else len(scene.paper.source(path))
    return UNUSED.finding(
        message,
        subject=f"{path} {item.id}",
        module=None,
        place=scene.at(path, item.offset, end),
    )
