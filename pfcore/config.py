"""What a paper's authors may set: pf.toml as one frozen value."""

import math
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pfcore.digest import digest
from pfcore.errors import ConfigError

FILE_NAME = "pf.toml"
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Latex:
    """How to read this paper's LaTeX beyond what it declares itself; names have no backslash."""

    theorems: tuple[tuple[str, str], ...] = ()  # environment, kind; sorted
    proofs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    definitions_by: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()  # globs, relative to the folder of pf.toml


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """Which checks run and how grave they are; whether the ids exist is for the caller to say."""

    disable: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()  # check id, severity; sorted
    threshold: str = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The Good-PF bounds: a module's length in characters, the depth of nesting."""

    length: int = 6000
    depth: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Blueprint:
    """What the marks of a Lean blueprint count for: whether `\\leanok` spares a proof a reading."""

    trust_leanok: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One paper of several; `root` is its main file, relative to the folder of pf.toml.

    `budget` is in dollars per run; `strictness` is lenient, standard, pedantic, or in words.
    None: not set.
    """

    name: str
    root: str
    budget: float | None = None
    strictness: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One pf.toml; `path` says which, None for the defaults."""

    latex: Latex = field(default_factory=Latex)
    checks: Checks = field(default_factory=Checks)
    bounds: Bounds = field(default_factory=Bounds)
    blueprint: Blueprint = field(default_factory=Blueprint)
    papers: tuple[Paper, ...] = ()
    path: str | None = None

    @classmethod
    def default(cls) -> "Settings":
        """The settings of a paper without pf.toml."""
        return cls()

    @property
    def folder(self) -> str:
        """The folder that the settings' paths are relative to; "" is the snapshot's top."""
        return (self.path or "").rpartition("/")[0]


def parse(text: str, *, path: str) -> Settings:
    """The settings that a pf.toml states; ConfigError names what is wrong with it."""
    import tomllib  # most papers have no pf.toml, and the hook starts often

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"this is not TOML: {exc}", path=path) from exc
    except RecursionError as exc:
        raise ConfigError("this is nested too deeply", path=path) from exc
    top = _Table(document, name="", path=path)
    settings = Settings(
        latex=_latex(top.table("latex")),
        checks=_checks(top.table("checks")),
        bounds=_bounds(top.table("bounds")),
        blueprint=_blueprint(top.table("blueprint")),
        papers=_papers(top.tables("paper")),
        path=path,
    )
    top.end()
    return settings


def settings_for(paths: Container[str], read: Callable[[str], str], folder: str = "") -> Settings:
    """The nearest pf.toml at or above a folder ("" is the top) of a snapshot, else the defaults."""
    folder = folder.strip("/")
    while True:
        path = f"{folder}/{FILE_NAME}" if folder else FILE_NAME
        if path in paths:
            return parse(read(path), path=path)
        if not folder:
            return Settings.default()
        folder = folder.rpartition("/")[0]


def syntax_key(settings: Settings) -> str:
    """A digest of what changes how LaTeX is read; `ignore` only chooses the files."""
    latex = settings.latex
    return digest(
        {
            "theorems": sorted(latex.theorems),
            "proofs": sorted(set(latex.proofs)),
            "references": sorted(set(latex.references)),
            "labels": sorted(set(latex.labels)),
            "definitions_by": sorted(set(latex.definitions_by)),
        }
    )


class _Table:
    """A TOML table whose keys are taken one by one, each with its type; `end` refuses the rest."""

    def __init__(self, values: Mapping[str, Any], *, name: str, path: str) -> None:
        self._left = dict(values)
        self._known: list[str] = []
        self._name = name
        self._path = path

    def table(self, key: str) -> "_Table":
        """A table; empty if absent."""
        value = self._take(key, dict, "a table")
        return _Table(value or {}, name=self._full(key), path=self._path)

    def tables(self, key: str) -> list["_Table"]:
        """An array of tables."""
        values = self._take(key, list, "written [[paper]]") or []
        for value in values:
            if not isinstance(value, dict):
                raise self.fault(key, "must be written [[paper]]")
        return [_Table(value, name=self._full(key), path=self._path) for value in values]

    def text(self, key: str) -> str | None:
        """A non-empty text."""
        value: str | None = self._take(key, str, "a text in quotes")
        return None if value is None else self._filled(key, value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of non-empty texts, in the order given."""
        return tuple(self._filled(key, value) for value in self._take(key, list, _LIST) or ())

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A table of non-empty texts, sorted."""
        values = self._take(key, dict, 'a table like {name = "text"}') or {}
        return tuple(sorted((name, self._filled(key, value)) for name, value in values.items()))

    def count(self, key: str, default: int) -> int:
        """A whole number above 0."""
        value = self._take(key, int, _COUNT)
        if value is not None and value < 1:
            raise self.fault(key, f"must be {_COUNT}")
        return default if value is None else value

    def amount(self, key: str) -> float | None:
        """A finite number, 0 or more."""
        value = self._take(key, (int, float), _AMOUNT)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise self.fault(key, f"must be {_AMOUNT}")
        return None if value is None else float(value)

    def switch(self, key: str, default: bool) -> bool:  # noqa: FBT001 - a setting's value
        """True or false."""
        self._known.append(key)
        value = self._left.pop(key, default)
        if not isinstance(value, bool):
            raise self.fault(key, "must be true or false")
        return value

    def fault(self, key: str, sentence: str) -> ConfigError:
        """The error that says what is wrong with a key."""
        where = f" in [{self._name}]" if self._name else ""
        return ConfigError(f"'{key}'{where} {sentence}", path=self._path)

    def end(self) -> None:
        """Refuses the first key that nobody took."""
        for key in self._left:
            raise self.fault(key, f"is not a setting; {_suggestion(key, self._known)}")

    def _take(self, key: str, kind: type | tuple[type, ...], form: str) -> Any:
        self._known.append(key)
        value = self._left.pop(key, None)
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise self.fault(key, f"must be {form}")
        return value

    def _filled(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip():
            raise self.fault(key, "must hold texts in quotes that are not empty")
        return value

    def _full(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else key


_LIST = "a list of texts"
_COUNT = "a whole number above 0"
_AMOUNT = "a number that is 0 or more"


def _suggestion(key: str, known: list[str]) -> str:
    import difflib  # only an error needs it

    close = difflib.get_close_matches(key, known, n=2, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(f"'{name}'" for name in close) + "?"
    return "known here: " + ", ".join(known)


def _latex(table: _Table) -> Latex:
    latex = Latex(
        theorems=table.pairs("theorems"),
        proofs=table.texts("proofs"),
        references=_commands(table.texts("references")),
        labels=_commands(table.texts("labels")),
        definitions_by=_commands(table.texts("definitions_by")),
        ignore=table.texts("ignore"),
    )
    table.end()
    return latex


def _commands(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name.removeprefix("\\") for name in names)


def _checks(table: _Table) -> Checks:
    checks = Checks(
        disable=table.texts("disable"),
        severity=table.pairs("severity"),
        threshold=table.text("threshold") or Checks().threshold,
    )
    for check, severity in checks.severity:
        _require_severity(table, f"severity.{check}", severity)
    _require_severity(table, "threshold", checks.threshold)
    table.end()
    return checks


def _require_severity(table: _Table, key: str, value: str) -> None:
    if value not in SEVERITIES:
        raise table.fault(key, f"must be one of {', '.join(SEVERITIES)}, not '{value}'")


def _bounds(table: _Table) -> Bounds:
    default = Bounds()
    bounds = Bounds(
        length=table.count("length", default.length), depth=table.count("depth", default.depth)
    )
    table.end()
    return bounds


def _blueprint(table: _Table) -> Blueprint:
    blueprint = Blueprint(trust_leanok=table.switch("trust_leanok", Blueprint().trust_leanok))
    table.end()
    return blueprint


def _papers(tables: Iterable[_Table]) -> tuple[Paper, ...]:
    papers: dict[str, Paper] = {}
    for table in tables:
        paper = _paper(table)
        if paper.name in papers:
            raise table.fault("name", f"'{paper.name}' is there twice")
        papers[paper.name] = paper
    return tuple(papers.values())


def _paper(table: _Table) -> Paper:
    root = table.text("root")
    if root is None:
        raise table.fault("root", "is missing: it names the paper's main file")
    if "\\" in root or root.startswith("/") or ".." in root.split("/"):
        raise table.fault("root", f"must be a path below this file's folder, not '{root}'")
    paper = Paper(
        name=table.text("name") or root.rpartition("/")[2].removesuffix(".tex"),
        root=root,
        budget=table.amount("budget"),
        strictness=table.text("strictness"),
    )
    table.end()
    return paper
