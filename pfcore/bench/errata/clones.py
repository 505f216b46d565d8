"""The user's clones, and the papers of their commits, read directly from git objects.

Nothing is fetched, and a paper's settings are ignored: its documents are found as in an unknown
repository. Apart from the document itself, only documents whose labels the result cites are read.
"""

import re
import shlex
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from pfcore.domain.errors import SourceError
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.project.include_graph import resolve
from pfcore.latex.project.survey import FileLink, survey_file
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import ParseCache
from pfcore.repository.git import GitRepository, find_repository
from pfcore.repository.snapshot import Snapshot, from_revision
from pfcore.repository.source_files import BlobCache, is_setting

_BEGIN = re.compile(r"\\begin\s*\{document\}")
_SOURCES = (".tex", ".ltx")


def find_clone(folder: Path, repo: str) -> GitRepository | None:
    """The clone of a repository in a folder of clones, named owner+name or just name."""
    for name in dict.fromkeys((repo.replace("/", "+"), repo.rpartition("/")[2])):
        place = folder / name
        found = find_repository(place, is_inner=True) if place.is_dir() else None
        if found and place.resolve() in (found.root, found.git_dir.resolve()):
            return found
    return None


def clone_command(folder: Path, repo: str) -> str:
    """The command that clones a repository; "" if its name has no owner."""
    if "/" not in repo:
        return ""
    place = folder / repo.replace("/", "+")
    return shlex.join(["git", "clone", f"https://github.com/{repo}", str(place)])


def moment_of(clone: GitRepository, revision: str) -> Snapshot:
    """A snapshot of a commit without its settings and ledgers."""
    made = from_revision(clone, revision)
    kept = {path: entry for path, entry in made.files.items() if not is_setting(path)}
    skipped = tuple(item for item in made.skipped if not is_setting(item.path))
    paths = frozenset(path for path in made.paths if not is_setting(path))
    return replace(made, files=kept, paths=paths, skipped=skipped)


def states_with(moment: Snapshot, path: str, cache: ParseCache) -> list[PaperState]:
    """The papers of a snapshot that include a file."""
    found = discover_papers(moment, cache).papers
    return [build_paper_state(paper) for paper in found if path in paper.outline.order]


def focused(moment: Snapshot, path: str, cited: Collection[str] = ()) -> Snapshot:
    """The snapshot without documents that the one in `path` neither includes nor cites by label.

    If the file is not a document itself, it is a part of others, and all documents stay.
    """
    texts = dict(_texts(moment))
    documents = {name for name, text in texts.items() if _BEGIN.search(text)}
    if path not in documents:
        return moment
    links = list(_links(moment, path))
    meant = {target for link, target in links if link.relation != "external"}
    meant |= {
        target
        for link, target in links
        if link.relation == "external" and link.option and _has_prefix(cited, link.option)
    }
    gone = documents - meant - {path}
    kept = {name: entry for name, entry in moment.files.items() if name not in gone}
    # A new cache, so that the texts of the other documents are not kept in memory.
    return replace(moment, files=kept, paths=moment.paths - gone, cache=BlobCache())


def labelling(moment: Snapshot, label: str) -> list[str]:
    """The files of a snapshot that contain a label in braces."""
    return [path for path, text in _texts(moment) if f"{{{label}}}" in text]


def _texts(moment: Snapshot) -> Iterator[tuple[str, str]]:
    paths = [path for path in moment.files if path.lower().endswith(_SOURCES)]
    moment.foresee(paths)
    for path in paths:
        if (text := _text(moment, path)) is not None:
            yield path, text


def _text(moment: Snapshot, path: str) -> str | None:
    try:
        return moment.read(path).text
    except SourceError:  # if the paper needs this file, it reports the error
        return None


def _links(moment: Snapshot, root: str) -> Iterator[tuple[FileLink, str]]:
    """The links of a document and of the files that it includes, each with its target."""
    waiting, seen = [root], {root}
    while waiting:
        path = waiting.pop()
        for link in survey_file(_text(moment, path) or "").links:
            target = resolve(link, path, (root, path), moment.files)
            if target is None:
                continue
            yield link, target
            if link.relation != "external" and target not in seen:
                seen.add(target)
                waiting.append(target)


def _has_prefix(labels: Iterable[str], prefix: str) -> bool:
    return any(label.startswith(prefix) for label in labels)
