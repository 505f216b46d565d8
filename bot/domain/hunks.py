"""Where a pull request can be commented on: the lines of the new files that its diff shows."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

_HUNK = re.compile(r"@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
_QUOTED = re.compile(r'\\([0-7]{3}|[abtnvfr"\\])')
_SIGNS = dict(zip('abtnvfr"\\', (7, 8, 9, 10, 11, 12, 13, 34, 92), strict=True))
_ABSENT = "/dev/null"
_BINARY, _AND, _DIFFER = "Binary files ", " and ", " differ"


@dataclass(frozen=True, slots=True)
class Diff:
    """Files that exist after a change, each with the spans of lines that the diff shows.

    A span has its first and its last line; a file that was renamed only, or is no text, has none.
    """

    files: Mapping[str, tuple[tuple[int, int], ...]]

    def anchor(self, path: str, first: int, last: int) -> tuple[int, int] | None:
        """The part of some lines that one comment can be put on; None if there is no such."""
        for start, end in self.files.get(path, ()):
            if first <= end and last >= start:
                return max(first, start), min(last, end)
        return None


def parse_hunks(text: str) -> Diff:
    """The diff that `git diff` prints, with its usual three lines of context.

    Lines are counted as hunks announce them: no line of a paper is taken for a header.
    """
    files: dict[str, list[tuple[int, int]]] = {}
    path, old, new = None, 0, 0
    for line in text.split("\n"):
        if old > 0 or new > 0:
            old -= line[:1] in ("-", " ", "")
            new -= line[:1] in ("+", " ", "")
            continue
        if line.startswith("diff --git "):
            path = None
        elif named := _named(line):
            path = named
            files.setdefault(path, [])
        elif (hunk := _HUNK.match(line)) and path is not None:
            old, new = int(hunk["old"] or 1), int(hunk["new"] or 1)
            if new:
                files[path].append((int(hunk["start"]), int(hunk["start"]) + new - 1))
    return Diff({name: tuple(spans) for name, spans in files.items()})


def _named(line: str) -> str | None:
    """The file after the change that a header names."""
    if line.startswith("rename to "):
        return _path(line.removeprefix("rename to "))
    if line.startswith(_BINARY) and line.endswith(_DIFFER):
        return _binary(line.removeprefix(_BINARY).removesuffix(_DIFFER))
    if not line.startswith("+++ "):
        return None
    path = _path(line.removeprefix("+++ ").removesuffix("\t"))
    return None if path == _ABSENT else path.removeprefix("b/")


def _binary(sides: str) -> str | None:
    """The file after the change; a name may have " and " in it, but both sides are of one length.

    They are not where it was renamed as well, which another header says.
    """
    new = sides[(len(sides) + len(_AND)) // 2 :]
    if sides.startswith(f"{_ABSENT}{_AND}"):
        new = sides.removeprefix(f"{_ABSENT}{_AND}")
    path = _path(new)
    return path.removeprefix("b/") if path.startswith("b/") else None


def _path(written: str) -> str:
    """A path; git quotes one that has unusual signs, as C does."""
    if not (written.startswith('"') and written.endswith('"')):
        return written
    raw = written[1:-1].encode("utf-8", "surrogateescape").decode("latin-1")
    plain = _QUOTED.sub(lambda found: chr(_sign(found[1])), raw)
    return plain.encode("latin-1").decode("utf-8", "surrogateescape")


def _sign(code: str) -> int:
    return _SIGNS[code] if code in _SIGNS else int(code, 8) & 0xFF
