"""What a paper's authors may set: pf.toml as one frozen value."""

import posixpath
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from pfcore.domain.digest import digest
from pfcore.domain.errors import ConfigError
from pfcore.domain.lazy_regex import regex
from pfcore.domain.toml_tables import TomlTable, top_table

FILE_NAME = "pf.toml"
LEDGER_NAME = "pf.lock"
SEVERITIES = ("error", "warning", "note")
STRICTNESS = ("lenient", "standard", "pedantic")
GRANULARITIES = ("auto", "author", "fine")
FINDINGS, PRIVATE = "findings", "private"

_PERSONAL = (
    *("model", "base_url", "host", "endpoint", "key", "key_env", "api_key", "prompts"),
    *("effort", "temperature", "limit", "window", "service_tier", "prices"),
)
_NOT_HERE = (
    "cannot be set in a repository, which could send texts and keys to a host of its "
    "own. Set the model with --model, PF_MODEL or your own configuration file"
)
_DIGEST = regex(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Latex:
    """How to read this paper's LaTeX beyond its own declarations; names have no backslash."""

    theorems: tuple[tuple[str, str], ...] = ()  # environment, kind; sorted
    proofs: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    definitions_by: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()  # globs, relative to the folder of pf.toml


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckSettings:
    """Which checks run and how severe they are; the caller checks that the ids exist."""

    disable: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()  # check id, severity; sorted
    threshold: str = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleBounds:
    """The Good-PF bounds: a module's length in characters, the depth of nesting."""

    length: int = 6000
    depth: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Blueprint:
    """What a Lean blueprint's marks count for: whether `\\leanok` exempts a proof from reading."""

    trust_leanok: bool = True


WORDINGS = "v1", "v2"
"""The released sets of prompts."""
FORMS = "pf-context/1", "pf-context/2"
"""All canonical forms of contexts so far; the last one is current."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingSettings:
    """How proofs are read once the user names a model; the model itself is not set here.

    `form` is the version of the canonical texts, the last of FORMS unless a repository pins one;
    `strictness` is a level or a sentence by the authors; `rollouts` is k; `blocking_votes` None
    means two, or k if that is less; `attempts` is the number of rewritings after a faithfulness
    objection; `accept` holds digests of earlier contracts whose verdicts still count. `wording`
    pins a set of prompts by name, "" is the current one; `asks` lets a reader ask once for missing
    material. Money is in dollars: `budget` is per run, `budget_per_day` for all runs of a day, and
    a run that may cost more than `ask_above` asks first.
    """

    strictness: str = "standard"
    conventions: str = ""
    rollouts: int = 3
    min_votes: int = 1
    blocking_votes: int | None = None
    granularity: str = "auto"
    progressive: bool = False
    attempts: int = 3
    accept: tuple[str, ...] = ()
    budget: float = 2.0
    budget_per_day: float = 5.0
    ask_above: float = 1.0
    form: str = FORMS[-1]
    wording: str = ""
    asks: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class AppDefaults:
    """The optional behaviour of the GitHub App.

    `required`: objections to proofs make its check fail; `every_branch`: review pushes to all
    branches, not only pull requests and the default branch; `issue`: list the open findings of the
    default branch in an issue.
    """

    required: bool = False
    every_branch: bool = False
    issue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperEntry:
    """One of several papers; `root` is its main file, relative to the folder of pf.toml.

    `budget` is in dollars per run; `strictness` is lenient, standard, pedantic, or a sentence.
    None takes the value of [reading].
    """

    name: str
    root: str
    budget: float | None = None
    strictness: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaperSettings:
    """The contents of one pf.toml; `path` is its path, None for the defaults.

    `publish` is what a build server and the bot may show: "findings", or "private" for counts only.
    """

    latex: Latex = field(default_factory=Latex)
    checks: CheckSettings = field(default_factory=CheckSettings)
    bounds: ModuleBounds = field(default_factory=ModuleBounds)
    blueprint: Blueprint = field(default_factory=Blueprint)
    reading: ReadingSettings = field(default_factory=ReadingSettings)
    papers: tuple[PaperEntry, ...] = ()
    app: AppDefaults = field(default_factory=AppDefaults)
    publish: str = FINDINGS
    path: str | None = None

    @classmethod
    def default(cls) -> "PaperSettings":
        """The settings of a paper without pf.toml."""
        return cls()

    @property
    def folder(self) -> str:
        """The folder that the settings' paths are relative to; "" is the snapshot's top."""
        return (self.path or "").rpartition("/")[0]

    @property
    def ledger(self) -> str:
        """The path of the ledger: next to this pf.toml, else at the top."""
        return f"{self.folder}/{LEDGER_NAME}" if self.folder else LEDGER_NAME


def parse_paper_settings(text: str, *, path: str) -> PaperSettings:
    """The settings in a pf.toml; raises ConfigError, which names the invalid one."""
    top = top_table(text, path=path)
    settings = PaperSettings(
        latex=_latex(top.table("latex")),
        checks=_checks(top.table("checks")),
        bounds=_bounds(top.table("bounds")),
        blueprint=_blueprint(top.table("blueprint")),
        reading=_reading(top.table("reading")),
        papers=_papers(top.tables("paper")),
        app=_app(top.table("app")),
        publish=_publish(top),
        path=path,
    )
    _end(top)
    return settings


_ALL_READ: Mapping[str, str] = MappingProxyType({})


def settings_for(
    paths: Container[str],
    read: Callable[[str], str],
    folder: str = "",
    *,
    unread: Mapping[str, str] = _ALL_READ,
) -> PaperSettings:
    """The settings in the nearest pf.toml at or above `folder` ("" is the top), or the defaults.

    `unread` maps unreadable files to reasons; ConfigError if that pf.toml is one of them.
    """
    folder = folder.strip("/")
    while True:
        path = f"{folder}/{FILE_NAME}" if folder else FILE_NAME
        if path in unread:
            raise ConfigError(unread[path], path=path)
        if path in paths:
            return parse_paper_settings(read(path), path=path)
        if not folder:
            return PaperSettings.default()
        folder = folder.rpartition("/")[0]


def syntax_key(settings: PaperSettings) -> str:
    """A digest of the settings that change how LaTeX is read; `ignore` only chooses files."""
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


def _publish(table: TomlTable) -> str:
    text = table.text("publish")
    if text is not None and text not in (FINDINGS, PRIVATE):
        raise table.fault("publish", f"must be {FINDINGS} or {PRIVATE}, not '{text}'")
    return text or FINDINGS


def _latex(table: TomlTable) -> Latex:
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


def _checks(table: TomlTable) -> CheckSettings:
    checks = CheckSettings(
        disable=table.texts("disable"),
        severity=table.pairs("severity"),
        threshold=table.text("threshold") or CheckSettings().threshold,
    )
    for check, severity in checks.severity:
        _require_severity(table, f"severity.{check}", severity)
    _require_severity(table, "threshold", checks.threshold)
    table.end()
    return checks


def _require_severity(table: TomlTable, key: str, value: str) -> None:
    if value not in SEVERITIES:
        raise table.fault(key, f"must be one of {', '.join(SEVERITIES)}, not '{value}'")


def _bounds(table: TomlTable) -> ModuleBounds:
    default = ModuleBounds()
    bounds = ModuleBounds(
        length=table.count("length", default.length), depth=table.count("depth", default.depth)
    )
    table.end()
    return bounds


def _blueprint(table: TomlTable) -> Blueprint:
    blueprint = Blueprint(trust_leanok=table.switch("trust_leanok", Blueprint().trust_leanok))
    table.end()
    return blueprint


def _reading(table: TomlTable) -> ReadingSettings:
    default = ReadingSettings()
    rollouts = table.count("rollouts", default.rollouts)
    min_votes = table.count("min_votes", default.min_votes)
    blocking_votes = table.count_if_set("blocking_votes")
    _require_votes(table, rollouts, min_votes, blocking_votes)
    reading = ReadingSettings(
        strictness=_strictness(table) or default.strictness,
        conventions=(table.text("conventions") or "").strip(),
        rollouts=rollouts,
        min_votes=min_votes,
        blocking_votes=blocking_votes,
        granularity=_one_of(table, "granularity", GRANULARITIES) or default.granularity,
        progressive=table.switch("progressive", default.progressive),
        attempts=table.whole("attempts", default.attempts, most=default.attempts),
        accept=_accepted(table),
        budget=_amount(table, "budget", default.budget),
        budget_per_day=_amount(table, "budget_per_day", default.budget_per_day),
        ask_above=_amount(table, "ask_above", default.ask_above),
        form=_one_of(table, "form", FORMS) or default.form,
        wording=_one_of(table, "wording", WORDINGS) or default.wording,
        asks=table.switch("asks", default.asks),
    )
    _end(table)
    return reading


def _app(table: TomlTable) -> AppDefaults:
    default = AppDefaults()
    app = AppDefaults(
        required=table.switch("required", default.required),
        every_branch=table.switch("every_branch", default.every_branch),
        issue=table.switch("issue", default.issue),
    )
    table.end()
    return app


def _require_votes(table: TomlTable, rollouts: int, min_votes: int, blocking: int | None) -> None:
    if min_votes > rollouts:
        raise table.fault("min_votes", f"is {min_votes}, more than the {rollouts} rollouts")
    if blocking is not None and not min_votes <= blocking <= rollouts:
        wanted = f"must lie between min_votes and rollouts ({min_votes} to {rollouts})"
        raise table.fault("blocking_votes", f"{wanted}; it is {blocking}")


def _strictness(table: TomlTable) -> str | None:
    """A level or a sentence; any other single word is an error."""
    text = (table.text("strictness") or "").strip()
    if text and text not in STRICTNESS and len(text.split()) == 1:
        wanted = f"must be {', '.join(STRICTNESS)}, or a sentence of your own"
        raise table.fault("strictness", f"{wanted}, not '{text}'")
    return text or None


def _one_of(table: TomlTable, key: str, known: Sequence[str]) -> str | None:
    text = table.text(key)
    if text is not None and text not in known:
        raise table.fault(key, f"must be one of {', '.join(known)}, not '{text}'")
    return text


def _accepted(table: TomlTable) -> tuple[str, ...]:
    texts = table.texts("accept")
    for text in texts:
        if not _DIGEST.fullmatch(text):
            wanted = "must hold digests of contracts (64 hexadecimal digits)"
            raise table.fault("accept", f"{wanted}, not '{text}'")
    return texts


def _amount(table: TomlTable, key: str, default: float) -> float:
    amount = table.amount(key)
    return default if amount is None else amount


def _end(table: TomlTable) -> None:
    """Refuse settings that a repository must not choose, then unknown ones."""
    table.never(_PERSONAL, _NOT_HERE)
    table.end()


def _papers(tables: Iterable[TomlTable]) -> tuple[PaperEntry, ...]:
    papers: dict[str, PaperEntry] = {}
    for table in tables:
        paper = _paper(table)
        if paper.name in papers:
            raise table.fault(
                "name", f"'{paper.name}' is the name of two papers: rename one of them"
            )
        roots = (posixpath.normpath(known.root) for known in papers.values())
        if posixpath.normpath(paper.root) in roots:
            raise table.fault("root", f"'{paper.root}' occurs twice")
        papers[paper.name] = paper
    return tuple(papers.values())


def _paper(table: TomlTable) -> PaperEntry:
    root = table.text("root")
    if root is None:
        raise table.fault("root", "is missing: it names the paper's main file")
    if "\\" in root or root.startswith("/") or ".." in root.split("/"):
        raise table.fault("root", f"must be a path below this file's folder, not '{root}'")
    paper = PaperEntry(
        name=table.text("name") or root.rpartition("/")[2].removesuffix(".tex").removesuffix(".pf"),
        root=root,
        budget=table.amount("budget"),
        strictness=_strictness(table),
    )
    _end(table)
    return paper
