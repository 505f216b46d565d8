"""A snapshot to its papers: which documents there are, and the readings of their files."""

import fnmatch
import posixpath
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pfcore import config
from pfcore.cache import Cache
from pfcore.digest import digest
from pfcore.errors import ConfigError, NoPaperError, SourceError
from pfcore.latex import codec, meanings, read, roots, syntax, terms, wrappers
from pfcore.latex.macros import Macro
from pfcore.latex.outline import Outline, trace
from pfcore.latex.records import READING_VERSION, Reading
from pfcore.latex.survey import Environment, Link, Survey, Theorem, survey
from pfcore.latex.syntax import Syntax
from pfcore.snapshot import Snapshot

_READ = (".tex", ".ltx", ".sty", ".cls", ".def", ".clo")
_BODY = (".tex", ".ltx")
_NOTHING = Survey((), (), (), (), "", "", -1, (), (), "")
_ROUNDS = 4

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """A document of a snapshot with the readings of its files; `keys` tell readings apart."""

    name: str
    root: str
    settings: config.Settings
    outline: Outline
    readings: Mapping[str, Reading]
    keys: Mapping[str, str]
    syntaxes: Mapping[str, Syntax]
    shelf: "Shelf"
    snapshot: Snapshot
    surveys: Mapping[str, Survey]

    def texts(self, path: str) -> tuple[str, ...]:
        """The canonical texts of a file's blocks."""
        return self.shelf.texts(self, path)

    def source(self, path: str) -> str:
        """The text of a file."""
        return self.snapshot.read(path).text

    def used_terms(self, wanted: Iterable[str]) -> dict[tuple[str, int], tuple[str, ...]]:
        """Which of some terms each block uses, by file and index of the block."""
        heads = terms.by_head(wanted)
        relevant = {path: _relevant(item, heads) for path, item in self.readings.items()}
        keys = {
            path: f"terms:{digest(list(listed))[:32]}:{self.keys[path]}"
            for path, listed in relevant.items()
            if listed
        }

        def make(path: str) -> tuple[tuple[tuple[str, ...], ...], dict[str, str]]:
            mine = terms.by_head(relevant[path])
            made = tuple(terms.used(text, mine) for text in self.texts(path))
            return made, {keys[path]: codec.dump(made)}

        found = self.shelf.fetch(keys, codec.used, make)
        self.shelf.keep()
        return {
            (path, index): used
            for path, listed in found.items()
            for index, used in enumerate(listed)
            if used
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """The papers of a snapshot; what is not reviewed or could not be read, and why."""

    papers: tuple[Paper, ...]
    asides: tuple[roots.Aside, ...]
    unread: Mapping[str, str]
    notes: Mapping[str, str]


@dataclass(slots=True)
class Shelf:
    """Surveys, readings and texts by key: in memory, behind it the parse cache."""

    cache: Cache
    _memory: dict[str, object] = field(default_factory=dict)
    _fresh: dict[str, str] = field(default_factory=dict)
    _held: dict[str, str] = field(default_factory=dict)

    def fetch(
        self,
        keys: Mapping[str, str],
        decode: Callable[[str], Value],
        make: Callable[[str], tuple[Value, dict[str, str]]],
    ) -> dict[str, Value]:
        """The value of each name; `make` gives what is missing, and the entries to keep."""
        for key in {key for key in keys.values() if key not in self._memory}:
            text = self._held.pop(key, None) or next(iter(self.cache.get([key]).values()), None)
            if text is not None:
                with suppress(ValueError):
                    self._memory[key] = decode(text)
        found: dict[str, Value] = {}
        for name, key in keys.items():
            if key not in self._memory:
                self._memory[key], entries = make(name)
                self._fresh.update(entries)
            found[name] = self._memory[key]  # type: ignore[assignment]
        return found

    def missing(self, keys: Mapping[str, str]) -> list[str]:
        """The names whose value would have to be made."""
        absent = {key for key in keys.values() if key not in self._memory}
        held = self.cache.get(sorted(absent)) if absent else {}
        self._held.update(held)
        return [name for name, key in keys.items() if key in absent and key not in held]

    def keep(self) -> None:
        """Write what is new to the cache."""
        self.cache.put(self._fresh)
        self._fresh.clear()

    def texts(self, paper: Paper, path: str) -> tuple[str, ...]:
        """The canonical texts of a file's blocks."""
        key = f"texts:{paper.keys[path]}"

        def make(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
            made = _read(paper.snapshot, name, paper.syntaxes[name], self)
            return made.texts, {key: codec.dump(made.texts)}

        return self.fetch({path: key}, codec.texts, make)[path]


def _relevant(reading: Reading, heads: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The terms all of whose words a file has."""
    vocabulary = frozenset(reading.vocabulary)
    return tuple(
        sorted(
            term
            for head in heads.keys() & vocabulary
            for term in heads[head]
            if all(word in vocabulary for word in term.split(" "))
        )
    )


def _read(snapshot: Snapshot, path: str, how: Syntax, shelf: Shelf) -> read.Read:
    silent = _surveys(snapshot, [path], shelf, {})[path].silent
    return read.read(snapshot.read(path).text, how, silent)


def _surveys(
    snapshot: Snapshot, paths: Iterable[str], shelf: Shelf, unread: dict[str, str]
) -> dict[str, Survey]:
    keys = {path: f"survey:{READING_VERSION}:{snapshot.files[path].oid}" for path in paths}

    def make(path: str) -> tuple[Survey, dict[str, str]]:
        try:
            source = snapshot.read(path)
        except SourceError as error:
            unread[path] = error.message
            return _NOTHING, {}
        note = (source.note or "").removeprefix(f"{path} ")
        made = survey(source.text, note=note)
        return made, {keys[path]: codec.dump(made)}

    _prefetch(snapshot, shelf.missing(keys))
    return shelf.fetch(keys, codec.survey, make)


def _prefetch(snapshot: Snapshot, paths: Iterable[str]) -> None:
    """Read many files through one process; what cannot be read is reported when it is used."""
    with suppress(SourceError):
        snapshot.read_many(paths)


def library(snapshot: Snapshot, shelf: Shelf) -> Library:
    """All papers of a snapshot, read; ConfigError if a pf.toml is wrong."""
    top = _settings(snapshot, "")
    unread = {item.path: item.reason for item in snapshot.skipped if item.path.endswith(_READ)}
    paths = [
        path
        for path in snapshot.files
        if path.endswith(_READ) and not any(fnmatch.fnmatch(path, g) for g in top.latex.ignore)
    ]
    surveys = _surveys(snapshot, paths, shelf, unread)
    chosen, asides = _choose(snapshot, top, surveys)
    papers = []
    for name, root in chosen:
        settings = _settings(snapshot, root.path.rpartition("/")[0])
        papers.append(_Making(snapshot, settings, surveys, shelf).paper(name, root))
    shelf.keep()
    notes = {path: item.note for path, item in surveys.items() if item.note}
    return Library(papers=tuple(papers), asides=tuple(asides), unread=unread, notes=notes)


def _settings(snapshot: Snapshot, folder: str) -> config.Settings:
    return config.settings_for(snapshot.files, lambda path: snapshot.read(path).text, folder)


def _choose(
    snapshot: Snapshot, settings: config.Settings, surveys: Mapping[str, Survey]
) -> tuple[list[tuple[str, roots.Root]], list[roots.Aside]]:
    """Names and roots: those that pf.toml names, else those that are found."""
    if settings.papers:
        named = []
        for item in settings.papers:
            path = posixpath.normpath(posixpath.join(settings.folder, item.root))
            if path not in surveys:
                message = f"paper {item.name}: there is no file {item.root}"
                raise ConfigError(message, path=settings.path or config.FILE_NAME)
            named.append((item.name, roots.Root(path=path)))
        return named, []
    reached = {
        path: _reached(path, snapshot, surveys)
        for path, item in surveys.items()
        if item.document_class
    }
    found, asides = roots.find(surveys, reached)
    if not found:
        loose = sorted(path for path in surveys if path.endswith(_BODY))
        if not loose:
            raise NoPaperError("there is no LaTeX file here")
        found = [roots.Root(path=loose[0], attached=tuple(loose[1:]))]
    return [(root.path, root) for root in found], asides


def _reached(path: str, snapshot: Snapshot, surveys: Mapping[str, Survey]) -> frozenset[str]:
    """The files that a document reads in behind its `\\begin{document}`."""
    body = surveys[path].body
    outline = trace(
        path,
        attached=(),
        links=lambda name: [
            link for link in surveys[name].links if name != path or link.offset >= body
        ],
        body=lambda name: surveys[name].body,
        files=surveys,
    )
    return frozenset(outline.order) - {path}


class _Making:
    """Makes one paper: its outline, its syntax and its readings fit together."""

    def __init__(
        self,
        snapshot: Snapshot,
        settings: config.Settings,
        surveys: Mapping[str, Survey],
        shelf: Shelf,
    ) -> None:
        self._snapshot = snapshot
        self._settings = settings
        self._surveys = surveys
        self._shelf = shelf

    def paper(self, name: str, root: roots.Root) -> Paper:
        """Read the files; where macros read in further files, read again with these."""
        extra: dict[str, tuple[Link, ...]] = {}
        for _ in range(_ROUNDS):
            outline = self._outline(root, extra)
            syntaxes = self._syntaxes(outline)
            readings = self._readings(outline, syntaxes)
            found = {path: self._hidden_links(path, item) for path, item in readings.items()}
            found = {path: links for path, links in found.items() if links}
            if found == extra:
                break
            extra = found
        return Paper(
            name=name,
            root=root.path,
            settings=self._settings,
            outline=outline,
            readings=readings,
            keys=self._keys(readings, syntaxes),
            syntaxes=syntaxes,
            shelf=self._shelf,
            snapshot=self._snapshot,
            surveys=self._surveys,
        )

    def _outline(self, root: roots.Root, extra: Mapping[str, tuple[Link, ...]]) -> Outline:
        return trace(
            root.path,
            attached=root.attached,
            links=lambda path: [*self._surveys[path].links, *extra.get(path, ())],
            body=lambda path: self._surveys[path].body,
            files=self._surveys,
        )

    def _hidden_links(self, path: str, reading: Reading) -> tuple[Link, ...]:
        """Inputs that only an expanded macro shows."""
        known = {link.offset for link in self._surveys[path].links}
        return tuple(
            Link("input", item.target, item.command, item.offset)
            for item in reading.includes
            if item.offset not in known
        )

    def _syntaxes(self, outline: Outline) -> dict[str, Syntax]:
        table, changes = meanings.meanings(outline, self._surveys)
        theorems = [item for path in outline.order for item in self._surveys[path].theorems]
        own = [item for path in outline.order for item in self._surveys[path].environments]
        for found in self._wrapped(outline, table):
            theorems += found[0]
            own += found[1]
        latex = self._settings.latex
        shared = syntax.build(
            theorems=theorems,
            environments=own,
            proofs=[*latex.proofs, *(n for p in outline.order for n in self._surveys[p].proofs)],
            table=table,
            words=dict(latex.theorems),
            references=latex.references,
            labels=latex.labels,
            emphasis=latex.definitions_by,
        )
        return {
            path: replace(shared, changes=changes[path], _tables={}) if changes.get(path) else shared
            for path in outline.order
        }

    def _wrapped(
        self, outline: Outline, table: Mapping[str, Macro]
    ) -> list[tuple[tuple[Theorem, ...], tuple[Environment, ...]]]:
        names = wrappers.wrappers(table)
        if not names:
            return []
        known = digest({name: table[name] for name in sorted(names)})[:32]
        keys = {path: f"wrapped:{READING_VERSION}:{known}:{self._oid(path)}" for path in outline.order}

        def make(path: str) -> tuple[codec.Wrapped, dict[str, str]]:
            if path in self._unreadable():
                return ((), ()), {}
            silent = self._surveys[path].silent
            made = wrappers.declared(self._snapshot.read(path).text, silent, table, names)
            return made, {keys[path]: codec.dump(made)}

        _prefetch(self._snapshot, self._shelf.missing(keys))
        found = self._shelf.fetch(keys, codec.wrapped, make)
        return [found[path] for path in outline.order]

    def _readings(self, outline: Outline, syntaxes: Mapping[str, Syntax]) -> dict[str, Reading]:
        unreadable = self._unreadable()
        paths = [p for p in outline.order if p.endswith(_BODY) and p not in unreadable]
        keys = {path: f"reading:{key}" for path, key in self._keys(paths, syntaxes).items()}

        def make(path: str) -> tuple[Reading, dict[str, str]]:
            made = _read(self._snapshot, path, syntaxes[path], self._shelf)
            texts = keys[path].replace("reading:", "texts:", 1)
            entries = {keys[path]: codec.dump(made.reading), texts: codec.dump(made.texts)}
            return made.reading, entries

        _prefetch(self._snapshot, self._shelf.missing(keys))
        return self._shelf.fetch(keys, codec.reading, make)

    def _unreadable(self) -> frozenset[str]:
        return frozenset(path for path, item in self._surveys.items() if item is _NOTHING)

    def _oid(self, path: str) -> str:
        return self._snapshot.files[path].oid

    def _keys(self, paths: Iterable[str], syntaxes: Mapping[str, Syntax]) -> dict[str, str]:
        return {path: f"{syntaxes[path].key}:{self._oid(path)}" for path in paths}
