"""How many modules each commit affects, compared with the minimum for any method.

python -m pfcore.bench.quality.history BUNDLE_OR_REPOSITORY…

The one-hop optimum: modules whose own text changed, and those that directly depend on a module
whose statement changed.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pfcore.bench.terminal_table import show, spread
from pfcore.domain.errors import UsageError
from pfcore.graph.laws import is_invocation
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.impact.plan import make_plan
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.source_files import BlobCache


class Counts(NamedTuple):
    """How many modules a commit affects, and the one-hop optimum."""

    affected: int
    optimum: int


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table: for each repository a line with medians and 90th percentiles."""
    rows = []
    for place in argv if argv is not None else sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder:
            found = list(counts(open_history(Path(place), Path(folder))))
        if not found:
            raise UsageError(f"{place} has no commit that could be compared with an earlier one")
        affected = spread([item.affected for item in found])
        optimum = spread([item.optimum for item in found])
        more = spread([item.affected - item.optimum for item in found])
        rows.append((Path(place).stem, len(found), *affected, *optimum, *more))
    show(("history", "commits", "affected", "p90", "one hop", "p90", "difference", "p90"), rows)
    return 0


def open_history(place: Path, folder: Path) -> GitRepository:
    """The repository at a place, or a clone of the bundle there."""
    if place.is_file():
        command = ["git", "clone", "--quiet", "--bare", str(place), str(folder)]
        subprocess.run(command, check=True)  # noqa: S603 - a list of arguments, no shell
        place = folder
    found = find_repository(place)
    if found is None:
        raise UsageError(f"{place} is neither a bundle nor a repository")
    return found


def counts(repository: GitRepository) -> Iterator[Counts]:
    """The counts of each commit in the first-parent history whose predecessor has papers."""
    for before, pairs in compared_papers(repository):
        if before:
            yield Counts(
                affected=sum(len(make_plan(then, now).affected) for then, now in pairs),
                optimum=sum(len(one_hop(then, now)) for then, now in pairs),
            )


def compared_papers(
    repository: GitRepository,
) -> Iterator[tuple[Mapping[str, PaperState], list[tuple[PaperState, PaperState]]]]:
    """For each first-parent commit, the papers before it, and the pairs of those in both."""
    parse_cache, blobs = ParseCache(MemoryCache()), BlobCache()
    before: dict[str, PaperState] = {}
    for revision in revisions(repository):
        snap = snapshot.from_revision(repository, revision, cache=blobs)
        after = {
            paper.name: build_paper_state(paper, before.get(paper.name))
            for paper in discover.discover_papers(snap, parse_cache).papers
        }
        yield before, [(before[name], now) for name, now in after.items() if name in before]
        before = after


def revisions(repository: GitRepository) -> list[str]:
    """The commits of the first-parent history, the oldest first."""
    command = [
        "git",
        "-C",
        str(repository.git_dir),
        "log",
        "--first-parent",
        "--reverse",
        "--format=%H",
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - no shell
    return done.stdout.split()


def one_hop(before: PaperState, after: PaperState) -> set[str]:
    """The modules that any method based on texts and direct edges must read again."""
    made = make_plan(before, after)
    document = after.document
    restated = {*made.restated, *(name for name in made.edited if name not in made.pairs)}
    found = set(made.edited)
    found |= {
        edge.source
        for edge in document.edges
        if edge.target in restated and is_invocation(edge, document)
    }
    modules = (document.modules[name] for name in found)
    return {module.id for module in modules if module.is_claim and module.role.stands_alone}


if __name__ == "__main__":
    sys.exit(main())
