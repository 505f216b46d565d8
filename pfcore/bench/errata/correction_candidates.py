"""Commits that look like corrections of mathematics, as rows for somebody to confirm.

Only words and lines decide: a message or a changed comment that mentions a correction, and few
changed lines in one statement or proof of a labelled result. No model is used.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pfcore.bench.errata.clones import focused, moment_of, states_with
from pfcore.bench.errata.corrections import CorrectionRow, DefectPart, plain_id
from pfcore.bench.errata.rebuilt_corrections import is_at
from pfcore.domain.errors import PfError
from pfcore.domain.lazy_regex import word_tables
from pfcore.domain.values import Module, Passage
from pfcore.papers.parse_cache import ParseCache
from pfcore.repository.commit_log import LineChange, LoggedCommit, line_changes, logged_commits
from pfcore.repository.git import GitRepository

FEW_FILES = 3
"""A commit that changes more sources than this is a revision."""

FEW_RESULTS = 3
"""A commit that changes more results than this is a revision as well."""

FEW_LINES = 12
"""More lines than this, removed or added in a result, count as rewriting it."""

_SOURCES = (".tex", ".ltx")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%(.*)")
_POINTER = re.compile(r"\\[A-Za-z]*(?:ref|cite)[A-Za-z]*\*?(?:\[[^\]]*\])*\{[^{}]*\}")


class MinedHistory(NamedTuple):
    """The number of commits examined, the proposed rows, and the commits that cannot be read."""

    commits: int
    rows: tuple[CorrectionRow, ...]
    unread: tuple[tuple[str, str], ...]


class _ChangedPart(NamedTuple):
    """The changes inside one part of a labelled result."""

    module: Module
    part: Passage
    changes: tuple[LineChange, ...]


@cache
def correction_words() -> re.Pattern[str]:
    """A pattern for the words of `correction_words.toml`, in all languages."""
    tables = word_tables(str(Path(__file__).with_name("correction_words")))
    words = (entry["words"] for entries in tables.values() for entry in entries)
    return re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)


def mined(clone: GitRepository, name: str, since: str | None, cache: ParseCache) -> MinedHistory:
    """The candidates in a history, latest first; rows name the repository `name`."""
    log = logged_commits(clone, since)
    rows: list[CorrectionRow] = []
    unread: list[tuple[str, str]] = []
    for commit in log:
        try:
            rows += _candidates(clone, name, commit, cache)
        except PfError as error:
            unread.append((commit.commit, error.message))
    return MinedHistory(len(log), tuple(rows), tuple(unread))


def _candidates(
    clone: GitRepository, name: str, commit: LoggedCommit, cache: ParseCache
) -> Iterator[CorrectionRow]:
    if len(commit.parents) != 1:
        return
    (parent,) = commit.parents
    differing = clone.differing(parent, commit.commit)
    paths = [path for path in differing if path.lower().endswith(_SOURCES)]
    if not 0 < len(paths) <= FEW_FILES:
        return
    patches = {path: clone.patch(parent, commit.commit, path) for path in paths}
    changes = {path: tuple(line_changes(patch)) for path, patch in patches.items()}
    changes = {path: found for path, found in changes.items() if is_of_substance(found)}
    if not changes or not is_telling(commit.message, changes.values()):
        return
    found = [
        (path, item)
        for path, listed in changes.items()
        for item in _changed(clone, parent, path, listed, cache)
    ]
    if len({item.module.id for _, item in found}) > FEW_RESULTS:
        return
    for number, (path, item) in enumerate(found, 1):
        yield _row(item, path, commit, f"{plain_id(name)}-{commit.commit[:10]}-{number}", name)


def is_telling(message: str, changes: Iterable[Sequence[LineChange]]) -> bool:
    """Whether a message, or a comment in changed lines, mentions a correction."""
    words = correction_words()
    lines = (line for listed in changes for one in listed for line in (*one.removed, *one.added))
    comments = (found[1] for line in lines if (found := _COMMENT.search(line)))
    return any(words.search(text) for text in (message, *comments))


def is_of_substance(changes: Sequence[LineChange]) -> bool:
    """Whether something other than white space and comments changed."""
    old = "".join(_bare(line) for item in changes for line in item.removed)
    new = "".join(_bare(line) for item in changes for line in item.added)
    return old != new


def _bare(line: str) -> str:
    found = _COMMENT.search(line)
    return "".join((line[: found.start(1) - 1] if found else line).split())


def _changed(
    clone: GitRepository, parent: str, path: str, changes: Sequence[LineChange], cache: ParseCache
) -> Iterator[_ChangedPart]:
    """The labelled, proved results in which only one part changed, and in few lines."""
    moment = moment_of(clone, parent)
    if path not in moment.files:
        return
    for state in states_with(focused(moment, path), path, cache)[:1]:
        for module in state.document.modules.values():
            if not module.label or not module.proofs or not module.role.stands_alone:
                continue
            met = [
                (part, tuple(item for item in changes if is_at(part, path, [item.old])))
                for part in module.passages
            ]
            touched = [_ChangedPart(module, part, found) for part, found in met if found]
            if len(touched) == 1 and _is_small(touched[0]):
                yield touched[0]


def _is_small(item: _ChangedPart) -> bool:
    """Whether the changes are few, and none extends beyond the part."""
    first, last = _lines(item.part)
    is_inside = all(first <= one.old[0] and one.old[1] <= last for one in item.changes)
    return is_inside and _size(item.changes) <= FEW_LINES


def _size(changes: Iterable[LineChange]) -> int:
    return sum(max(len(item.removed), len(item.added)) for item in changes)


def _row(
    item: _ChangedPart, path: str, commit: LoggedCommit, name: str, repo: str
) -> CorrectionRow:
    module, part, changes = item
    statement = _lines(module.statement)
    proof = _lines(module.proofs[0]) if module.proofs[0].location.path == path else None
    return CorrectionRow(
        id=name,
        repo=repo,
        commit=commit.commit,
        parent=commit.parents[0],
        date=commit.day,
        file=path,
        label=module.label,
        environment=module.kind,
        part=_part(module, part, changes),
        wrong="",
        severity=None,
        detectable=None,
        true_lines=tuple(change.old for change in changes),
        fixed_lines=tuple(change.new for change in changes),
        statement_lines=statement,
        proof_lines=proof,
        module_lines=(min(statement[0], (proof or statement)[0]), (proof or statement)[1]),
        control=None,
        confirmed=False,
    )


def _part(module: Module, part: Passage, changes: Iterable[LineChange]) -> DefectPart:
    listed = list(changes)
    old = "".join(_bare(_POINTER.sub("", line)) for item in listed for line in item.removed)
    new = "".join(_bare(_POINTER.sub("", line)) for item in listed for line in item.added)
    if old == new:
        return DefectPart.CITATION
    return DefectPart.STATEMENT if part is module.statement else DefectPart.PROOF


def _lines(part: Passage) -> tuple[int, int]:
    return part.location.line, part.location.end_line
