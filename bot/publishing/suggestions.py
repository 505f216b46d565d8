"""Certain corrections, as GitHub suggestions that one click applies.

Two kinds of findings have one: a reference to a label that the change has renamed, and a
blueprint's `\\uses` that leaves out a citation. In any doubt there is none: for instance if the
file has line ends other than LF, or characters that a comment would not show unchanged.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pfcore.domain.values import Finding
from pfcore.graph.missing_uses import Missing, find_missing_uses
from pfcore.reporters.uses_patch import SourceInsertion, uses_insertion
from pfcore.review.review import PaperReport

_REFERENCE, _USES = "dangling-reference", "uses-drift"
_KEY = r"(?<=[{{,])(\s*){}(?=\s*[,}}])"
_LONGEST = 2_000
_BARRED = ("<!--", "`" * 3, "~" * 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineMend:
    """A line of a file, and its replacement.

    `message` replaces the finding's message beside it, which may describe another correction.
    """

    path: str
    line: int
    text: str
    message: str = ""

    @property
    def block(self) -> str:
        """The suggestion in GitHub's format."""
        return f"```suggestion\n{self.text}\n```"


def certain_mend(
    found: Finding, paper: PaperReport, gaps: Sequence[Missing] | None = None
) -> LineMend | None:
    """The certain correction of a finding; None if there is none.

    `gaps` are the missing `\\uses` of the paper if known; else they are computed.
    """
    if found.rule == _REFERENCE:
        return _renamed_label(found, paper)
    if found.rule == _USES:
        known = find_missing_uses(paper.state) if gaps is None else gaps
        return _missing_uses(found, paper, known)
    return None


def mended_notes(paper: PaperReport) -> Iterator[tuple[Finding, LineMend]]:
    """The hidden, new and unanswered notes that have a certain correction, with it."""
    gaps: list[Missing] | None = None
    for found in paper.findings:
        is_open = found.introduced is not False and found.dismissed is None
        if found.rule not in (_REFERENCE, _USES) or not is_open or paper.is_shown(found):
            continue
        gaps = find_missing_uses(paper.state) if gaps is None and found.rule == _USES else gaps
        mend = certain_mend(found, paper, gaps)
        if mend is not None:
            yield found, mend


def _renamed_label(found: Finding, paper: PaperReport) -> LineMend | None:
    """The new name in a reference to a label that the change has renamed."""
    where = found.location
    said = paper.state.paper.source(where.path)[where.start : where.end]
    changes = []
    for old, new in _renamed(paper).items():
        pattern = re.compile(_KEY.format(re.escape(old)))
        is_it = f"{found.subject} ".startswith(f"{old} ")
        if is_it and len(pattern.findall(said)) == 1:
            changes.append((pattern, old, new))
    if len(changes) != 1:
        return None
    ((pattern, old, new),) = changes
    mended = pattern.sub(lambda match: f"{match[1]}{new}", said)
    made = _line(paper, where.path, where.start, where.end, mended)
    return made and replace(made, message=f"undefined label {old}; this change renames it to {new}")


def _renamed(paper: PaperReport) -> dict[str, str]:
    """The earlier labels that no longer exist, with the new labels of the same statements."""
    if paper.before is None:
        return {}
    then, now = paper.before.document, paper.state.document
    found: dict[str, str] = {}
    for name, earlier in paper.plan.pairs.items():
        old, new = then.modules[earlier].label, now.modules[name].label
        is_same = name not in paper.plan.restated
        if old and new and is_same and old not in now.labels and len(now.labels[new]) == 1:
            found[old] = new
    return found


def _missing_uses(found: Finding, paper: PaperReport, gaps: Sequence[Missing]) -> LineMend | None:
    """The labels missing in a `\\uses`, if they all belong in one list."""
    own = [gap for gap in gaps if gap.module.id == found.module]
    if len(own) != 1:
        return None
    place: SourceInsertion | None = uses_insertion(paper.state, own[0])
    if place is None:
        return None
    return _line(paper, place.path, place.offset, place.offset, place.text)


def _line(paper: PaperReport, path: str, start: int, end: int, text: str) -> LineMend | None:
    """The line around a replaced passage, if a comment shows it unchanged."""
    source = paper.state.paper.source(path)
    snapshot = paper.state.paper.snapshot
    begin, behind = source.rfind("\n", 0, start) + 1, source.find("\n", end)
    behind = len(source) if behind < 0 else behind
    made = f"{source[begin:start]}{text}{source[end:behind]}"
    is_plain = snapshot.read(path).encoding == "utf-8"
    is_whole = snapshot.files[path].size == len(source.encode("utf-8", "replace"))
    is_shown = all(sign.isprintable() or sign in "\t\n" for sign in made)
    is_free = not any(barred in made for barred in _BARRED) and len(made) <= _LONGEST
    if "\n" in source[begin:end] or not (is_plain and is_whole and is_shown and is_free):
        return None
    return LineMend(path=path, line=source.count("\n", 0, begin) + 1, text=made)
