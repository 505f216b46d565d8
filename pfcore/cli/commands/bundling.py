"""Makes the upload for arXiv of a paper that has passed: chosen, cleaned, compared, packed."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pfcore.cli.commands.cleaning import cleaned, require_cleaner
from pfcore.cli.outputs import replace as put_in_place
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest
from pfcore.latex.lexer.mask import mask
from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper
from pfcore.reporters.uploads import Stripped
from pfcore.repository.git import GitRepository
from pfcore.repository.listing import SUBMODULE, SYMLINK
from pfcore.repository.source_files import FileEntry
from pfcore.repository.sources import decode
from pfcore.review.archive import archive
from pfcore.review.upload import CLEANED, Upload, upload

_COMMENTED = (".sty", ".cls", ".def", ".clo")
"""What the cleaner leaves as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The archive, and what is to be said of it."""

    data: bytes
    stripped: Stripped


def require_place(place: Path, *, is_forced: bool) -> None:
    """UsageError where something is there that may not be overwritten, or nothing can be made."""
    require_cleaner()
    if place.is_symlink() or (place.exists() and not is_forced):
        raise UsageError(f"{place} is there; --force overwrites a file, never a link")
    if place.is_dir() or not place.parent.is_dir():
        raise UsageError(f"{place} cannot be a file")


def put(place: Path, bundle: Bundle) -> None:
    """Write the archive, whole or not at all."""
    try:
        put_in_place(place, bundle.data)
    except OSError as error:
        raise IncompleteError(f"{place} cannot be written: {error.strerror}") from error


def bundled(now: PaperState, repository: GitRepository, commit: str) -> Bundle:
    """The upload of a paper at a commit, from git's own blobs: nothing is checked out."""
    paper = now.paper
    entries = {
        entry.path: entry.oid
        for entry in repository.tree(commit)
        if entry.mode not in (SYMLINK, SUBMODULE) and entry.path in paper.snapshot.paths
    }
    chosen = upload(paper, entries)
    files = _contents(repository, {path: entries[path] for path in chosen.files}, paper)
    sources = {path: data for path, data in files.items() if path.endswith(CLEANED)}
    clean = files | cleaned(sources)
    _require_same(now, clean)
    return Bundle(
        data=archive({chosen.inside(path): data for path, data in clean.items()}),
        stripped=_stripped(chosen, sources, clean),
    )


def _contents(
    repository: GitRepository, wanted: Mapping[str, str], paper: Paper
) -> dict[str, bytes]:
    limits = paper.snapshot.limits
    sizes = repository.sizes(wanted.values())
    total = sum(sizes.get(oid, 0) for oid in wanted.values())
    if total > limits.total_bytes:
        message = f"the upload would have {total:,} bytes, more than {limits.total_bytes:,}"
        raise IncompleteError(message)
    found = dict(repository.read_blobs(wanted.values(), limit=limits.total_bytes))
    files = {}
    for path, oid in wanted.items():
        data = found[oid]
        if data is None:
            raise IncompleteError(f"this clone does not have the content of {path}")
        files[path] = data
    return files


def _require_same(now: PaperState, files: Mapping[str, bytes]) -> None:
    """IncompleteError where a result, its proof or what they rest on would say something else."""
    then = _again(now.paper, files)
    gone = Counter(_digests(now).values()) - Counter(_digests(then).values())
    changed = [name for name, digest in _digests(now).items() if digest in gone]
    if changed:
        listed = ", ".join(changed[:5])
        message = f"without its comments the paper would not say the same in {listed}"
        raise IncompleteError(f"{message}, so there is no upload")


def _again(paper: Paper, files: Mapping[str, bytes]) -> PaperState:
    """The paper as it is read where its files are those of an upload."""
    before = paper.snapshot
    entries = dict(before.files)
    for path, data in files.items():
        if path in entries:
            oid = f"upload-{hashlib.sha256(data).hexdigest()}"
            before.cache.add(oid, data)
            entries[path] = FileEntry(path=path, oid=oid, size=len(data))
    found = discover_papers(replace(before, name="upload", files=entries), paper.shelf).papers
    again = next((item for item in found if item.name == paper.name), None)
    if again is None:
        raise IncompleteError("without its comments the paper is not found again")
    return build_paper_state(again)


def _digests(moment: PaperState) -> dict[str, str]:
    document, texts = moment.document, moment.paper.texts
    return {name: context_digest(document, name, texts) for name in document.modules}


def _stripped(chosen: Upload, sources: Mapping[str, bytes], clean: Mapping[str, bytes]) -> Stripped:
    comments = lines = 0
    for path, data in sources.items():
        comments += _comments(data) - _comments(clean[path])
        lines += max(0, data.count(b"\n") - clean[path].count(b"\n"))
    texts = [data for path, data in clean.items() if path.endswith((*CLEANED, *_COMMENTED))]
    return Stripped(
        comments=comments,
        lines=lines,
        kept=sum(map(_comments, texts)),
        files=tuple(chosen.inside(path) for path in chosen.files),
        left=tuple(chosen.inside(path) for path in chosen.left),
        bibliography=chosen.inside(chosen.bibliography) if chosen.bibliography else None,
    )


def _comments(data: bytes) -> int:
    """The comments that say something; a bare percent sign at a line's end is part of LaTeX."""
    found = mask(decode(data).text).comments
    return sum(1 for item in found if item.text.strip().strip("%").strip())
