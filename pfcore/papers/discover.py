"""Finds the papers of a snapshot: which documents there are, and the readings of their files."""

import fnmatch
import posixpath
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pfcore.domain import paper_settings
from pfcore.domain.containment import Failure, attempt, unreadable
from pfcore.domain.errors import ConfigError, IncompleteError, NoPaperError, SourceError
from pfcore.latex import codec
from pfcore.latex.parsed_file import READING_VERSION
from pfcore.latex.project.documents import (
    UNINCLUDED,
    Aside,
    Root,
    documents,
    named_root,
    names_in,
    stating,
)
from pfcore.latex.project.survey import Survey, survey_file
from pfcore.markup.pf_paper import KIND, SUFFIX, is_markup
from pfcore.papers.load import PaperLoader, prefetch
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import ParseCache
from pfcore.repository import source_files
from pfcore.repository.snapshot import GENERATED, Snapshot
from pfcore.repository.source_files import Skipped, is_bare, is_setting

if TYPE_CHECKING:
    pass

_READ = (".tex", ".ltx", ".sty", ".cls", ".def", ".clo", SUFFIX)
_LITERATE = (".rnw", ".snw", ".rtex", ".lhs", ".tex.in", ".tex.j2")
"""Suffixes of sources from which a program generates LaTeX."""
_ELSEWHERE = "submodule, reviewed in its own repository"
UNNAMED = "not named in"
"""Start of the reason given for a document that is missing from the [[paper]] list of pf.toml."""
_NOTHING = Survey((), (), (), (), "", "", -1, (), (), "")  # marks a file that cannot be read


class Failed(NamedTuple):
    """A paper that could not be read because of an internal error."""

    name: str
    root: str
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveredPapers:
    """The papers of a snapshot, and what is not reviewed or could not be read, with reasons.

    `ignored` are the LaTeX files that the settings exclude; `absent` the main files that are named
    by the settings of another snapshot and exist only there.
    """

    papers: tuple[Paper, ...]
    asides: tuple[Aside, ...]
    unread: Mapping[str, str]
    notes: Mapping[str, str]
    failed: tuple[Failed, ...] = ()
    ignored: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


def discover_papers(
    snapshot: Snapshot,
    parse_cache: ParseCache,
    *,
    only: str | None = None,
    also: Iterable[str] = (),
) -> DiscoveredPapers:
    """Read all papers of a snapshot, or only the one named `only`.

    The files in `also` are read as roots if they exist. ConfigError if a pf.toml is invalid.
    """
    top = _settings(snapshot, "")
    unread = {item.path: item.reason for item in snapshot.skipped if _is_expected(item)}
    listed = [path for path in snapshot.files if path.lower().endswith(_READ) or is_bare(path)]
    paths = [path for path in listed if not _is_ignored(path, top)]
    if listed and not paths:
        raise NoPaperError(f"{top.path} ignores every LaTeX file here")
    tagged: dict[str, Survey] = {}
    if marked := [path for path in paths if is_markup(path)]:
        tagged = _surveys(snapshot, marked, parse_cache, unread)
        paths = [path for path in paths if not is_markup(path)]
    surveys = _surveys(snapshot, paths, parse_cache, unread)
    chosen, asides = _choose(snapshot, top, surveys, tagged, parse_cache, unread=unread)
    chosen += _more(also, chosen, surveys)
    papers: list[Paper] = []
    failed: list[Failed] = []
    for name, root in chosen:
        if only not in (None, name):
            continue
        settings = _settings(snapshot, root.path.rpartition("/")[0])
        if root.path in tagged:
            make = PaperLoader(snapshot, settings, tagged, parse_cache, unread).tagged
        else:
            make = PaperLoader(snapshot, settings, surveys, parse_cache, unread).paper
        made = attempt(partial(make, name, root))
        if isinstance(made, Failure):
            failed.append(Failed(name, root.path, made.cause))
        else:
            papers.append(made)
    parse_cache.keep()
    own = {item.path: item.reason for item in snapshot.skipped if is_setting(item.path)}
    told = {path: why for path, why in unread.items() if _is_told(path, why, papers, top)}
    read = {path for paper in papers for path in paper.outline.order}
    if only is None and not failed:
        asides += _unaccounted(snapshot, surveys, read, asides, top)
        asides += [*_literate(snapshot, top), *_linked(unread, told, snapshot, top)]
    return DiscoveredPapers(
        papers=tuple(papers),
        asides=tuple(item for item in asides if item.path not in read),
        unread=own | told,
        notes={path: item.note for path, item in (surveys | tagged).items() if item.note},
        failed=tuple(failed),
        ignored=tuple(path for path in listed if _is_ignored(path, top)),
        absent=_absent(top, snapshot) if snapshot.lender else (),
    )


def _literate(snapshot: Snapshot, settings: paper_settings.PaperSettings) -> list[Aside]:
    """Files from which a program generates LaTeX."""
    return [
        Aside(path=path, reason="LaTeX is generated from this file: run the build first")
        for path in filter(snapshot.is_own, sorted(snapshot.paths))
        if path.lower().endswith(_LITERATE) and not _is_ignored(path, settings)
    ]


def _linked(
    unread: Mapping[str, str],
    told: Container[str],
    snapshot: Snapshot,
    settings: paper_settings.PaperSettings,
) -> list[Aside]:
    """Symbolic links that no paper reads in, and behind which no file is that is read here."""
    return [
        Aside(path=path, reason=f"{source_files.LINK}, skipped")
        for path, why in sorted(unread.items())
        if why.startswith(source_files.LINK)
        and path.lower().endswith((".tex", ".ltx", SUFFIX))
        and path not in told
        and not (why == source_files.LINK and path in snapshot.links)
        and snapshot.is_own(path)
        and not _is_ignored(path, settings)
    ]


def _unaccounted(
    snapshot: Snapshot,
    surveys: Mapping[str, Survey],
    read: Container[str],
    asides: Iterable[Aside],
    settings: paper_settings.PaperSettings,
) -> list[Aside]:
    """Files that contain statements or proofs but belong to no paper.

    Files in the folder of a document that is left aside belong to that document.
    """
    others = {item.path.rpartition("/")[0] for item in asides if "/" in item.path}
    others_roots = {item.path for item in asides}
    found = []
    for path in stating(surveys):
        if path in read or path in others_roots or not path.lower().endswith((".tex", ".ltx")):
            continue
        if path.startswith(GENERATED):  # a node that the blueprint does not print
            continue
        if any(path.startswith(f"{folder}/") for folder in others):
            continue
        if folder := snapshot.submodule_of(path):
            found.append(Aside(path=folder, reason=_ELSEWHERE))
            continue
        is_root = bool(surveys[path].document_class) and surveys[path].body >= 0
        named = f"{UNNAMED} {settings.path or paper_settings.FILE_NAME}"
        reason = named if is_root and settings.papers else UNINCLUDED
        found.append(Aside(path=path, reason=reason))
    return list(dict.fromkeys(found))


def _is_told(
    path: str, reason: str, papers: Iterable[Paper], settings: paper_settings.PaperSettings
) -> bool:
    """Whether to report that a file could not be read: only if a paper may need it.

    A symbolic link counts only if a paper includes it or the settings name it.
    """
    if _is_ignored(path, settings):
        return False
    if not reason.startswith(source_files.LINK) or path in _named(settings).values():
        return True
    problems = (
        item
        for paper in papers
        for found in paper.outline.problems.values()
        for item in found
        if item.code == "unread-file"
    )
    return any(item.subject == path for item in problems)


def _is_expected(item: Skipped) -> bool:
    """Whether a skipped path may matter to a paper: a source, or a nested repository."""
    return item.is_repository or item.path.lower().endswith(_READ)


def _is_ignored(path: str, settings: paper_settings.PaperSettings) -> bool:
    return any(fnmatch.fnmatch(path, pattern) for pattern in settings.latex.ignore)


def _settings(snapshot: Snapshot, folder: str) -> paper_settings.PaperSettings:
    unread = {item.path: item.reason for item in snapshot.skipped}
    return paper_settings.settings_for(
        snapshot.files, snapshot.settings_text, folder, unread=unread
    )


def _choose(
    snapshot: Snapshot,
    settings: paper_settings.PaperSettings,
    surveys: Mapping[str, Survey],
    tagged: Mapping[str, Survey],
    parse_cache: ParseCache,
    *,
    unread: Mapping[str, str],
) -> tuple[list[tuple[str, Root]], list[Aside]]:
    """The names and roots of the papers in pf.toml, or else of those that are found.

    Each file in PF markup is a paper, named by its path without the suffix.
    """
    if settings.papers:
        return _chosen_by_settings(snapshot, settings, surveys, tagged, unread), []
    found, asides = documents(
        surveys,
        snapshot.is_own,
        partial(_names, snapshot, parse_cache),
        lambda path: snapshot.files[path].oid,
    )
    meant = [path for path in sorted(tagged) if tagged[path].document_class]
    if found or meant:
        others = [path for path in sorted(tagged) if path not in meant]
        asides += [Aside(path=path, reason=f"lacks the tags of a {KIND}") for path in others]
    else:
        meant = sorted(tagged)  # if there is nothing else, an untagged file counts as a paper
    if not found and not meant:
        if unread:
            raise IncompleteError(f"no readable LaTeX file here: {unread_reasons(unread)}")
        raise NoPaperError("no LaTeX file found here")
    alone = [(path.removesuffix(SUFFIX), Root(path=path)) for path in meant]
    return [*((root.path, root) for root in found), *alone], asides


def _chosen_by_settings(
    snapshot: Snapshot,
    settings: paper_settings.PaperSettings,
    surveys: Mapping[str, Survey],
    tagged: Mapping[str, Survey],
    unread: Mapping[str, str],
) -> list[tuple[str, Root]]:
    """The papers in pf.toml, without unreadable ones unless all are unreadable."""
    named: list[tuple[str, Root]] = []
    wanted, absent = _named(settings), _absent(settings, snapshot)
    for name, path in wanted.items():
        if path in surveys:
            named.append((name, named_root(path, surveys)))
        elif path in tagged:
            named.append((name, Root(path=path)))
        elif path not in unread and path not in absent:
            message = f"paper {name}: file not found: {path}"
            raise ConfigError(message, path=settings.path or paper_settings.FILE_NAME)
    lost = [item for item in wanted.items() if item[1] in unread]
    if lost and not named:
        name, path = lost[0]
        raise IncompleteError(f"paper {name}: {path} could not be read: {unread[path]}")
    return named


def _named(settings: paper_settings.PaperSettings) -> dict[str, str]:
    """The main files of the papers in the settings, by name."""
    return {
        item.name: posixpath.normpath(posixpath.join(settings.folder, item.root))
        for item in settings.papers
    }


def _absent(settings: paper_settings.PaperSettings, snapshot: Snapshot) -> tuple[str, ...]:
    """The main files named by borrowed settings that exist only in the snapshot of the settings."""
    there = snapshot.lender.paths if snapshot.lender else frozenset()
    named = _named(settings).values()
    return tuple(path for path in named if path in there and path not in snapshot.paths)


def unread_reasons(unread: Mapping[str, str]) -> str:
    """Why some files were not read, for a few of them; hidden files come last."""

    def is_hidden(path: str) -> bool:
        return path.startswith(".") or "/." in path

    paths = sorted(unread, key=lambda path: (is_hidden(path), path))
    own = [path for path in paths if not is_hidden(path)] or paths
    listed = "; ".join(f"{path}: {unread[path]}" for path in own[:_MOST_REASONS])
    more = len(paths) - len(own[:_MOST_REASONS])
    return f"{listed}; and {more:,} more" if more else listed


_MOST_REASONS = 3


def _names(snapshot: Snapshot, parse_cache: ParseCache, path: str) -> frozenset[str]:
    """The labels and titles of a file, from the parse cache if possible."""
    key = f"names:{READING_VERSION}:{snapshot.files[path].oid}"

    def make(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
        made = names_in(snapshot.read(name).text)
        return made, {key: codec.dump(made)}

    return frozenset(parse_cache.get_or_parse({path: key}, codec.texts, make)[path])


def _more(
    also: Iterable[str], chosen: Iterable[tuple[str, Root]], surveys: Mapping[str, Survey]
) -> list[tuple[str, Root]]:
    """The documents of the additional root files, named by their paths."""
    left = dict.fromkeys(also)
    for _, root in chosen:
        left.pop(root.path, None)
    return [(path, named_root(path, surveys)) for path in left if path in surveys]


def _survey(path: str, text: str, note: str) -> Survey:
    if is_markup(path):
        from pfcore.markup import pf_reader

        return pf_reader.survey_pf_file(text, note=note)
    return survey_file(text, note=note)


def _surveys(
    snapshot: Snapshot, paths: Iterable[str], parse_cache: ParseCache, unread: dict[str, str]
) -> dict[str, Survey]:
    keys = {
        path: f"{'pf2-' * is_markup(path)}survey:{READING_VERSION}:{snapshot.files[path].oid}"
        for path in paths
    }

    failed: dict[str, str] = {}

    def make(path: str) -> tuple[Survey, dict[str, str]]:
        try:
            source = snapshot.read(path)
        except SourceError:
            return _NOTHING, {}
        note = (source.note or "").removeprefix(f"{path} ")
        made = attempt(partial(_survey, path, source.text, note))
        if isinstance(made, Failure):
            failed[path] = unreadable(made.cause)
            return _NOTHING, {}
        return made, {keys[path]: codec.dump(made)}

    prefetch(snapshot, parse_cache.missing(keys))
    found = parse_cache.get_or_parse(keys, codec.decode_survey, make)
    lost = [path for path, item in found.items() if item is _NOTHING]
    unread |= {path: failed.get(path) or _reason(snapshot, path) for path in lost}
    return {path: item for path, item in found.items() if item is not _NOTHING}


def _reason(snapshot: Snapshot, path: str) -> str:
    """Why a file cannot be read."""
    try:
        snapshot.read(path)
    except SourceError as error:
        return error.reason
    return "cannot be read"
