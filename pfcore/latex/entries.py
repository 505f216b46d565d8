"""Reads files as their recipes say; what the parse cache keeps of each."""

from collections.abc import Sequence

from pfcore.latex import codec
from pfcore.latex.read import Read, read, without_blocks
from pfcore.latex.recipes import Job
from pfcore.latex.syntax import Syntax


def made(job: Job, syntax: Syntax) -> Read:
    """Read a file; one that is read with another has no blocks of its own."""
    found = read(job.source, syntax)
    return without_blocks(found) if job.is_inner else found


def entries(found: Read, key: str) -> dict[str, str]:
    """What is kept of a file that was read, by key."""
    return {
        f"reading:{key}": codec.dump(found.reading),
        f"texts:{key}": codec.dump(found.texts),
        f"references:{key}": codec.dump(found.references),
    }


def all_entries(syntax: Syntax, jobs: Sequence[Job]) -> dict[str, str]:
    """What is kept of many files."""
    return {
        key: entry for job in jobs for key, entry in entries(made(job, syntax), job.key).items()
    }
