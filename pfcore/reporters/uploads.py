"""What is said of an upload: what was stripped, what stays at home, what it has."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pfcore.reporters.printing import plural, safe


@dataclass(frozen=True, slots=True, kw_only=True)
class Stripped:
    """What became of the sources: comments and lines that are gone, files in the upload, others.

    `kept` are comments that are left: packages and classes are not cleaned.
    """

    comments: int
    lines: int
    kept: int
    files: tuple[str, ...]
    left: tuple[str, ...]
    bibliography: str | None


def sentences(found: Stripped) -> Iterator[str]:
    """For people, one thing each; all names in full."""
    yield f"{plural(len(found.files), 'file')}: {_names(found.files)}"
    gone = plural(found.comments, "comment")
    yield f"stripped from the sources: {gone}, {plural(found.lines, 'line')} in all"
    if found.kept:
        yield f"{plural(found.kept, 'comment')} left: packages and classes are not cleaned"
    if found.bibliography:
        yield f"the bibliography is {safe(found.bibliography)}"
    else:
        yield "there is no .bbl beside the main file: arXiv makes the bibliography, if there is one"
    if found.left:
        yield f"left out: {_names(found.left)}"


def upload_json(found: Stripped) -> dict[str, Any]:
    """For programs."""
    return {
        "files": list(found.files),
        "left_out": list(found.left),
        "bibliography": found.bibliography,
        "comments_stripped": found.comments,
        "comments_kept": found.kept,
        "lines_stripped": found.lines,
    }


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(map(safe, names))
