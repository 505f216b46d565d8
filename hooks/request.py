"""What pre-commit asks for: a range of commits, the paper as it is, or the staged change."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pfcore.domain.errors import UsageError
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.revisions import RevisionOptions
from pfcore.repository.source_files import FIGURES, is_of_interest

FROM, TO = "PRE_COMMIT_FROM_REF", "PRE_COMMIT_TO_REF"


def here() -> GitRepository:
    """The repository around the working folder; UsageError if there is none."""
    repository = find_repository(Path())
    if repository is None or repository.root is None:
        raise UsageError(f"not a git repository: {Path.cwd()}")
    return repository


def has_range(environment: Mapping[str, str]) -> bool:
    """Whether pre-commit names a range of commits."""
    return bool(environment.get(FROM) and environment.get(TO))


def request(
    repository: GitRepository,
    files: Sequence[str],
    environment: Mapping[str, str],
    *,
    is_locked: bool = False,
) -> RevisionOptions | None:
    """The revisions to compare; None if no file that may belong to a paper differs.

    A figure counts only if it is deleted. `is_locked`: the ledger is checked even if nothing
    differs.

    `files` are the files that pre-commit names: those of the change, unless it was told to take all
    or certain files, staged or not; then the files on disk are meant. In a merge it names others.
    """
    top = repository.root or Path()
    head = environment[TO] if has_range(environment) else None
    base = _parted(repository, environment[FROM], head) if head else repository.commit
    if base is None:
        return RevisionOptions(path=top, staged=True)
    changed = repository.differing(base, head)
    if not head and not merged(repository) and not set(files).issubset(changed):
        return RevisionOptions(path=top, whole=True)
    if not is_locked and not any(map(is_of_interest, changed)):
        has_figures = any(path.lower().endswith(FIGURES) for path in changed)
        gone = repository.differing(base, head, kind="D") if has_figures else ()
        if not any(path.lower().endswith(FIGURES) for path in gone):
            return None
    return RevisionOptions(path=top, base=base, head=head, staged=head is None)


def merged(repository: GitRepository) -> tuple[str, ...]:
    """The commits that are being merged into HEAD."""
    place = repository.git_dir / "MERGE_HEAD"
    return tuple(place.read_text("ascii").split()) if place.is_file() else ()


def _parted(repository: GitRepository, one: str, other: str) -> str:
    """The merge base of two commits, as in pre-commit's ranges; the first one if there is none."""
    return repository.merge_base(one, other) or repository.resolve(one)
