"""What a paper's authors may set: pf.toml as one frozen value."""

from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field

from pfcore.digest import digest
from pfcore.tables import Table, top_table

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
    top = top_table(text, path=path)
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


def _latex(table: Table) -> Latex:
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


def _checks(table: Table) -> Checks:
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


def _require_severity(table: Table, key: str, value: str) -> None:
    if value not in SEVERITIES:
        raise table.fault(key, f"must be one of {', '.join(SEVERITIES)}, not '{value}'")


def _bounds(table: Table) -> Bounds:
    default = Bounds()
    bounds = Bounds(
        length=table.count("length", default.length), depth=table.count("depth", default.depth)
    )
    table.end()
    return bounds


def _blueprint(table: Table) -> Blueprint:
    blueprint = Blueprint(trust_leanok=table.switch("trust_leanok", Blueprint().trust_leanok))
    table.end()
    return blueprint


def _papers(tables: Iterable[Table]) -> tuple[Paper, ...]:
    papers: dict[str, Paper] = {}
    for table in tables:
        paper = _paper(table)
        if paper.name in papers:
            raise table.fault("name", f"'{paper.name}' is there twice")
        papers[paper.name] = paper
    return tuple(papers.values())


def _paper(table: Table) -> Paper:
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
