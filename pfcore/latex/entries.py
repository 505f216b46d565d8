"""Reads files as their recipes say; what the parse cache keeps of each."""

from collections.abc import Sequence
from functools import partial

from pfcore.domain.containment import Failure, attempt
from pfcore.latex import codec
from pfcore.latex.project.recipes import ParseJob
from pfcore.latex.project.syntax import Syntax
from pfcore.latex.reader import Read, parse_latex_file, without_blocks


def read_latex_file(job: ParseJob, syntax: Syntax) -> Read:
    """Read a file; one that is read with another has no blocks of its own."""
    found = parse_latex_file(job.source, syntax)
    return without_blocks(found) if job.is_inner else found


def entries_of_file(found: Read, key: str) -> dict[str, str]:
    """What is kept of a file that was read, by key; nothing where a fault of ours hid a part."""
    if found.reading.has_faults:
        return {}
    return {
        f"reading:{key}": codec.dump(found.reading),
        f"texts:{key}": codec.dump(found.texts),
        f"references:{key}": codec.dump(found.references),
    }


def all_entries(syntax: Syntax, jobs: Sequence[ParseJob]) -> dict[str, str]:
    """What is kept of many files; one that cannot be read is left to whoever names it."""
    found: dict[str, str] = {}
    for job in jobs:
        read_file = attempt(partial(read_latex_file, job, syntax))
        if not isinstance(read_file, Failure):
            found |= entries_of_file(read_file, job.key)
    return found
