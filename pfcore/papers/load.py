"""Makes one paper: a matching outline, syntax and set of readings."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from operator import attrgetter

from pfcore.domain import paper_settings
from pfcore.domain.containment import Fault, Faults
from pfcore.domain.digest import digest
from pfcore.domain.errors import SourceError
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex import codec
from pfcore.latex.lexer.mask import PRINTS_COMMENTS, mask, untaken_branches
from pfcore.latex.macros import group_bounds
from pfcore.latex.macros.group_bounds import GroupBound, Signs
from pfcore.latex.macros.macro import Macro
from pfcore.latex.parsed_file import READING_VERSION, ParsedFile, SourceProblem
from pfcore.latex.project import declaring_macros, documents, macro_scopes, syntax
from pfcore.latex.project.declaring_macros import MacroDeclarations
from pfcore.latex.project.documents import outline_of
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.macro_scopes import Bounds, Extra
from pfcore.latex.project.recipes import ParseJob, Recipe, plain_recipes, spliced
from pfcore.latex.project.survey import (
    BY_MACRO,
    NODE,
    FileLink,
    Survey,
    always_set,
    constant_switches,
    constant_toggles,
    draft_switches,
    never_printed,
    never_set,
    node_links,
)
from pfcore.latex.project.syntax import Syntax
from pfcore.papers.paper import WHOLE, Paper, faults_of, parse_paper_file
from pfcore.papers.parse_cache import ParseCache
from pfcore.repository.snapshot import Snapshot

_BODY = (".tex", ".ltx")
_ROUNDS = 4
_DECLARED_SWITCHES = attrgetter("switches.declared")
_PRIMITIVE_TESTS = frozenset({"ifx", "ifnum", "ifdim", "ifodd", "ifcase", "ifcat", "if"})
_ASKING = attrgetter("switches.asks")
_MACRO_NAME = attrgetter("name")
_MACRO = regex(r"\\([A-Za-z]+)(?:\{\}|\s*)")


class PaperLoader:
    """Makes one paper: a matching outline, syntax and set of readings."""

    def __init__(
        self,
        snapshot: Snapshot,
        settings: paper_settings.PaperSettings,
        surveys: Mapping[str, Survey],
        parse_cache: ParseCache,
        unread: Mapping[str, str],
    ) -> None:
        self._snapshot = snapshot
        self._folders = snapshot.folders
        self._settings = settings
        self._surveys = surveys
        self._parse_cache = parse_cache
        closed = {item.path: item.reason for item in snapshot.skipped if item.is_closed}
        self._unread = {**unread, **closed}

    def paper(self, name: str, root: documents.Root) -> Paper:
        """Read the files; if macros include further files, read again with those."""
        extra: dict[str, tuple[FileLink, ...]] = {}
        words = self._words(
            {item.name: item.macro for item in self._surveys[root.path].macros}, extra
        )
        dropped: dict[str, frozenset[int]] = {}
        outline = self._outline(root, extra, words, dropped)
        for left in reversed(range(_ROUNDS)):
            how, recipes = self._how(outline)
            readings = self._readings(recipes, how)
            found = {path: self._hidden_links(path, item) for path, item in readings.items()}
            found = {path: links for path, links in found.items() if links}
            meant = self._words(how.macros, found)
            unread = self._dropped_links(readings, how)
            if not left or (found, meant, unread) == (extra, words, dropped):
                break
            extra, words, dropped = found, meant, unread
            known, outline = outline, self._outline(root, extra, words, dropped)
            if outline == known:  # then another reading would be the same
                break
        alone, recipes = recipes, spliced(recipes, outline, readings, self._surveys)
        readings = readings if recipes == alone else self._readings(recipes, how)
        faults = list(faults_of(readings))
        _note_unread(outline, faults)
        return Paper(
            name=name,
            root=root.path,
            settings=self._settings,
            outline=outline,
            readings=readings,
            keys={path: recipe.key for path, recipe in recipes.items()},
            syntax=how,
            recipes=recipes,
            parse_cache=self._parse_cache,
            snapshot=self._snapshot,
            surveys=self._surveys,
            faults=Faults(dict.fromkeys(faults)),
        )

    def tagged(self, name: str, root: documents.Root) -> Paper:
        """Read a file in PF markup."""
        from pfcore.markup.pf_paper import parts

        path = root.path
        made = parts(path, self._surveys[path], self._custom(), self._oid(path))
        recipes = {path: made.recipe}
        readings = self._readings(recipes, made.syntax)
        return Paper(
            name=name,
            root=path,
            settings=self._settings,
            outline=made.outline,
            readings=readings,
            keys={path: made.recipe.key},
            syntax=made.syntax,
            recipes=recipes,
            parse_cache=self._parse_cache,
            snapshot=self._snapshot,
            surveys={path: self._surveys[path]},
            faults=Faults(dict.fromkeys(faults_of(readings))),
        )

    def _outline(
        self,
        root: documents.Root,
        extra: Mapping[str, tuple[FileLink, ...]],
        words: Mapping[str, str],
        dropped: Mapping[str, frozenset[int]],
    ) -> IncludeGraph:
        top = self._snapshot.root
        return outline_of(
            root,
            self._surveys,
            lambda path: [
                _spelt_out(link, words)
                for link in (*self._links[path], *extra.get(path, ()))
                if link.offset not in dropped.get(path, ())
            ],
            self._unread,
            self._folders,
            {**self._snapshot.links, **({top.as_posix(): ""} if top else {})},
        )

    @cached_property
    def _links(self) -> Mapping[str, Sequence[FileLink]]:
        """The links of each file, including LeanArchitect's nodes if the blueprint prints them."""
        links: dict[str, Sequence[FileLink]] = {}
        names: set[str] = set()
        for path, item in self._surveys.items():
            links[path] = item.links
            names.update(map(_MACRO_NAME, item.macros))
        if NODE not in names:
            return links
        prefetch(self._snapshot, links)
        return node_links({path: mask(self._text(path)).text for path in links}, links)

    def _words(
        self, table: Mapping[str, Macro], extra: Mapping[str, tuple[FileLink, ...]]
    ) -> dict[str, str]:
        """The macros in file names that stand for plain text, such as the name of a folder."""
        listed = (*(item.links for item in self._surveys.values()), *extra.values())
        spelt = [link.target for links in listed for link in links if "\\" in link.target]
        return {
            name: table[name].body
            for target in spelt
            for name in _MACRO.findall(target)
            if name in table and _is_word(table[name])
        }

    def _hidden_links(self, path: str, reading: ParsedFile) -> tuple[FileLink, ...]:
        """Inputs that appear only after macros are expanded."""
        known = {link.offset for link in self._surveys[path].links}
        return tuple(
            FileLink("input", item.target, BY_MACRO, item.offset)
            for item in reading.includes
            if item.offset not in known
        )

    def _dropped_links(
        self, readings: Mapping[str, ParsedFile], how: Syntax
    ) -> dict[str, frozenset[int]]:
        """The inputs in bodies that are under a false condition or in an environment never read."""
        if not how.dead and not how.excluded and not how.toggles:
            return {}
        found: dict[str, frozenset[int]] = {}
        for path, reading in readings.items():
            here = self._surveys[path]
            seen = {item.offset for item in reading.includes}
            named = {link.offset for link in here.links if link.relation == "input"}
            hidden = [offset for offset in named - seen if offset >= here.body]
            if hidden:
                found[path] = how.never_read(self._text(path), hidden)
        return found

    def _how(self, outline: IncludeGraph) -> tuple[Syntax, dict[str, Recipe]]:
        """The syntax that the files share, and the recipe for reading each of them."""
        own = self._opened(outline)
        read = {**self._surveys, **self._without_untaken(outline)}
        meant = macro_scopes.meanings(outline, read, {}, self._bounds(outline, own, {}))
        made = self._made(outline, {**dict(meant.variants), **meant.table})
        if any(item.macros for item in made.values()):
            limits = self._bounds(outline, own, made)
            meant = macro_scopes.meanings(outline, read, made, limits)
        surveys = [self._surveys[path] for path in outline.order]
        declaring: list[Survey | MacroDeclarations] = [*surveys, *made.values()]
        declared = syntax.Declared(
            theorems=tuple(found for item in declaring for found in item.theorems),
            environments=tuple(found for item in declaring for found in item.environments),
            proofs=(*self._settings.latex.proofs, *(n for item in surveys for n in item.proofs)),
            macros=meant.table,
            variants=meant.variants,
            dead=self._never_set(outline) | _printed_comments(surveys),
            excluded=never_printed(item.excluded for item in surveys),
            toggles=constant_toggles(item.switches for item in surveys * outline.is_complete)
            | (self._switches(outline) if any(map(_DECLARED_SWITCHES, surveys)) else {})
            | self._drafts(outline)
            | self._answers(outline, made, meant),
        )
        how = syntax.build(declared, self._custom())
        paths = [path for path in outline.order if path.lower().endswith(_BODY)]
        changes = meant.changes if meant.variants else {}
        alone = plain_recipes(paths, syntax_key=how.key, changes=changes, content=self._oid)
        return how, alone

    def _never_set(self, outline: IncludeGraph) -> frozenset[str]:
        """The conditions that never hold; none if a file is missing, which might set any."""
        if not outline.is_complete:
            return frozenset()
        return never_set(self._surveys[path].switches for path in outline.order)

    def _switches(self, outline: IncludeGraph) -> dict[str, bool]:
        """The switches with a constant value; none if a file is missing, which might set any."""
        if not outline.is_complete:
            return {}
        surveys = list(map(self._surveys.__getitem__, outline.order))
        loaded = {link.target for item in surveys for link in item.links}
        return constant_switches((item.switches for item in surveys), loaded)

    def _answers(
        self,
        outline: IncludeGraph,
        made: Mapping[str, MacroDeclarations],
        meant: macro_scopes.Meanings,
    ) -> dict[str, bool]:
        """The conditions whose value the source decides, among them those that always hold."""
        listed = list(map(self._surveys.__getitem__, outline.order))
        if not any(map(_ASKING, listed)) or not outline.is_complete:
            return {}
        from pfcore.latex.project import decided_tests  # imported late: few papers need it

        surveys = dict(zip(outline.order, listed, strict=True))
        switches = [item.switches for item in listed]
        loaded = {link.target for item in surveys.values() for link in item.links}
        asked = [key for item in switches for key in item.tests]

        def sources() -> decided_tests.Sources:
            early = {path: -1 for path in surveys if not path.lower().endswith(_BODY)}
            places: dict[str, list[tuple[str, int]]] = {}
            for path, item in surveys.items():
                for macro in item.macros:
                    places.setdefault(macro.name, []).append((path, macro.start))
            others = [one.name for item in surveys.values() for one in item.environments]
            others += [one.env for item in surveys.values() for one in item.theorems]
            others += [one.name for item in made.values() for one in item.macros]
            others += [f"if{name}" for item in switches for name in item.declared]
            self._snapshot.foresee(surveys)
            return decided_tests.Sources(
                outline.order,
                lambda path: mask(self._text(path)).text,
                early | {outline.root: surveys[outline.root].body},
                places,
                meant.table,
                frozenset(others).union(name for name, _ in meant.variants),
            )

        held = always_set(switches, loaded) - _PRIMITIVE_TESTS
        return decided_tests.decided(asked, sources) | dict.fromkeys(sorted(held), True)

    def _drafts(self, outline: IncludeGraph) -> dict[str, bool]:
        """What draft and final mean, if the package ifdraft is loaded."""
        given = [self._surveys[outline.root].class_options]
        for path in outline.order:
            for link in self._surveys[path].links:
                if link.target == "ifdraft":
                    given.append(link.option)
        return draft_switches(",".join(given)) if len(given) > 1 else {}

    def _without_untaken(self, outline: IncludeGraph) -> dict[str, Survey]:
        """Surveys without the macros that are defined in branches never read, for files with any.

        Only switches that are constant throughout the document decide which branches these are.
        """
        dead = self._never_set(outline)
        surveys = list(map(self._surveys.__getitem__, outline.order))
        if not outline.is_complete or not any(map(_DECLARED_SWITCHES, surveys)):
            return {}
        loaded = {link.target for item in surveys for link in item.links}
        holding = always_set((item.switches for item in surveys), loaded)
        if not dead | holding:
            return {}
        known = digest([sorted(dead), sorted(holding)])[:32]
        paths = [path for path in outline.order if self._surveys[path].macros]
        keys = {path: f"untaken:{READING_VERSION}:{known}:{self._oid(path)}" for path in paths}

        def make(path: str) -> tuple[tuple[GroupBound, ...], dict[str, str]]:
            spans = Spans(sorted(untaken_branches(mask(self._text(path)).text, dead, holding)))
            starts = (item.start for item in self._surveys[path].macros)
            made = tuple(GroupBound(at, "untaken", False) for at in starts if spans.covers(at))
            return made, {keys[path]: codec.dump(made)}

        gone = self._parse_cache.get_or_parse(keys, codec.decode_group_bounds, make)
        found: dict[str, Survey] = {}
        for path, listed in gone.items():
            here, offsets = self._surveys[path], {item.offset for item in listed}
            if offsets:
                macros = tuple(item for item in here.macros if item.start not in offsets)
                found[path] = here._replace(macros=macros)
        return found

    def _custom(self) -> syntax.Custom:
        latex = self._settings.latex
        kinds = dict(latex.theorems)
        return syntax.Custom(kinds, latex.references, latex.labels, latex.definitions_by)

    def _made(
        self, outline: IncludeGraph, table: Mapping[str, Macro]
    ) -> dict[str, MacroDeclarations]:
        """The declarations that the uses of macros make in each file."""
        environments = (item for path in outline.order for item in self._surveys[path].environments)
        using = declaring_macros.makers(table, environments)
        if not using:
            return {}
        known = digest({name: using[name] for name in sorted(using)})[:32]
        keys = {path: f"made:{READING_VERSION}:{known}:{self._oid(path)}" for path in outline.order}

        def make(path: str) -> tuple[MacroDeclarations, dict[str, str]]:
            silent = self._surveys[path].silent
            made = declaring_macros.read_declaring_macros(
                self._snapshot.read(path).text, silent, using
            )
            return made, {keys[path]: codec.dump(made)}

        prefetch(self._snapshot, self._parse_cache.missing(keys))
        return self._parse_cache.get_or_parse(keys, codec.decode_macro_declarations, make)

    def _opened(self, outline: IncludeGraph) -> Signs:
        """The environments and groups that the paper's own macros begin or end."""
        items = (item for path in outline.order for item in self._surveys[path].macros)
        return group_bounds.unbalanced_macros({item.name: item.macro.body for item in items})

    def _bounds(self, outline: IncludeGraph, own: Signs, extra: Extra) -> Bounds:
        """The bounds of the groups in which a file changes macros or inputs files."""
        known = digest(own)

        def found(path: str, is_whole: bool) -> tuple[GroupBound, ...]:  # noqa: FBT001 - see Bounds
            here = self._surveys[path]
            places = {item.start for item in (extra[path].macros if path in extra else ())}
            places |= {item.offset for item in outline.inclusions.get(path, ())}
            if not own and not is_whole and places.issubset(here.places):
                return here.bounds
            listed = sorted(places.union(here.places))
            key = digest([known, listed, is_whole])[:32]
            keys = {path: f"bounds:{READING_VERSION}:{key}:{self._oid(path)}"}

            def make(name: str) -> tuple[tuple[GroupBound, ...], dict[str, str]]:
                text = mask(self._text(name)).text
                made = group_bounds.bounds_around(
                    text, listed, hidden=here.silent, own=own, is_whole=is_whole
                )
                return made, {keys[name]: codec.dump(made)}

            return self._parse_cache.get_or_parse(keys, codec.decode_group_bounds, make)[path]

        return found

    def _readings(self, recipes: Mapping[str, Recipe], how: Syntax) -> dict[str, ParsedFile]:
        """Read the files; the reader is loaded only if the cache lacks something."""
        keys = {path: f"reading:{recipe.key}" for path, recipe in recipes.items()}

        def make(path: str) -> tuple[ParsedFile, dict[str, str]]:
            from pfcore.latex import reader

            made = parse_paper_file(path, self._job(recipes[path]), how)
            return made.reading, reader.entries_of_file(made, recipes[path].key)

        missing = self._parse_cache.missing(keys)
        prefetch(self._snapshot, missing)
        self._read_at_once([recipes[path] for path in missing], how)
        return self._parse_cache.get_or_parse(keys, codec.decode_parsed_file, make)

    def _read_at_once(self, recipes: Sequence[Recipe], how: Syntax) -> None:
        """Let the cache's workers read files in parallel, if that pays."""
        if len(recipes) < 2 or self._parse_cache.workers.jobs < 2:
            return
        from pfcore.latex import reader

        jobs = [self._job(recipe) for recipe in recipes]
        weighed = [(len(job.source.text), job) for job in jobs]
        self._parse_cache.take(self._parse_cache.workers.entries(reader.all_entries, how, weighed))

    def _job(self, recipe: Recipe) -> ParseJob:
        return recipe.job(self._text, self._surveys)

    def _text(self, path: str) -> str:
        return self._snapshot.read(path).text

    def _oid(self, path: str) -> str:
        return self._snapshot.files[path].oid


def _note_unread(outline: IncludeGraph, faults: Iterable[Fault]) -> None:
    """Note that a file that could not be read may contain labels."""
    for path, _, what, cause in faults:
        if what == WHOLE:
            problem = SourceProblem("uncertain-file", cause, path, 0, 0)
            outline.problems.setdefault(path, []).append(problem)


def _is_word(macro: Macro) -> bool:
    """Whether a macro stands for plain text."""
    return not macro.parameters and not set("\\#{}") & set(macro.body)


def _spelt_out(link: FileLink, words: Mapping[str, str]) -> FileLink:
    """A link with such macros replaced in its name; other macros stay, and lead to no file."""
    if "\\" not in link.target:
        return link
    target = _MACRO.sub(lambda match: words.get(match[1], match[0]), link.target)
    return link._replace(target=target, option=BY_MACRO)


def prefetch(snapshot: Snapshot, paths: Iterable[str]) -> None:
    """Read many files through one process; what cannot be read is reported when it is used."""
    with suppress(SourceError):
        snapshot.read_many(paths)


def _printed_comments(surveys: Iterable[Survey]) -> frozenset[str]:
    """A marker if the paper declares `comment` as a statement of its own; else empty."""
    for survey in surveys:
        for theorem in survey.theorems:
            if theorem.env == "comment":
                return frozenset({PRINTS_COMMENTS})
    return frozenset()
