"""A run of a benchmark as a file of JSON lines: a header, the rows' truth, each rollout's findings.

All tables and curves are made from the file, without calls. Costs are those of the replies that a
rollout uses, whether they were requested in this run or stored before; in a whole run each reply
counts once.
"""

import json
import os
from collections.abc import Iterator, Mapping, Set
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ConfigDict, TypeAdapter, ValidationError

from pfcore.bench.runs import location_judges
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.run import Outcome
from pfcore.llm.prices import Price
from pfcore.llm.protocol import Reply, TokenUsage
from pfcore.verification.verify import Run
from pfcore.verification.whole_paper import INCLUSIVE

SCHEMA = 1
"""The version of the format; a file of another one is refused."""

Value = TypeVar("Value")

_FORBID = ConfigDict(extra="forbid")


class Benchmark(StrEnum):
    """What was read: proofs with labelled steps, proofs with one grade, papers with known errors.

    A proof with one grade is saved as one step, which is wrong or not.
    """

    HARD2VERIFY = "hard2verify"
    PROOFS = "proofs"
    ARXIV = "arxiv"


class Method(StrEnum):
    """The method: one call of a judge for the whole text, or taken apart and read in blocks."""

    DIRECT = "direct"
    PF = "pf"


class Judge(StrEnum):
    """Who decides which known error a location names: a model in two ways, or the labels alone.

    Inclusive counts anything inside a result as that result, strict only the result itself;
    `labels` is the matcher without a model.
    """

    INCLUSIVE = "inclusive"
    STRICT = "strict"
    LABELS = "labels"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAsked:
    """A model used: the name given by the user, the names given by the server, and the contract.

    `asks` are the fields whose digest is `contract`.
    """

    __pydantic_config__ = _FORBID

    model: str
    served: tuple[str, ...]
    contract: str
    asks: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What this run itself requested: calls, dollars (None: price unknown), seconds.

    These include calls without a reply that may have been charged; replies from the store are
    counted in `known`.
    """

    __pydantic_config__ = _FORBID

    calls: int = 0
    known: int = 0
    usage: TokenUsage = TokenUsage()  # noqa: RUF009 - immutable
    dollars: float | None = None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The properties of a run that every table shows.

    `n` counts rows, `k` rollouts of each. `date` is the UTC time of its end, in ISO 8601.
    `simulated`: no model was used. `self_repair`: unfaithful rewritings were written again.
    `data` is the data file's name, `data_digest` the digest of the rows as they were read. `judge`
    is the judge of locations (for papers only).
    """

    __pydantic_config__ = _FORBID

    benchmark: Benchmark
    method: Method
    self_repair: bool
    simulated: bool
    asked: RunAsked
    judge: RunAsked | None
    n: int
    k: int
    date: str
    data: str
    data_digest: str
    version: str
    price: Price | None
    spent: Spent


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The known truth about a row.

    A proof: the number of its `steps`, which of them are `wrong`, from 0, and for which the label
    is `unknown`. A paper: the `places` with known errors, and which of them the authors' words
    name under our rules (`own`) and under those of the paper's published scripts (`reference`),
    which mostly agree. Rows with the same `group` are about one problem; "" is no group.
    """

    __pydantic_config__ = _FORBID

    name: str
    title: str = ""
    steps: int | None = None
    wrong: tuple[int, ...] = ()
    places: tuple[str, ...] = ()
    own: tuple[int, ...] = ()
    reference: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """An error that a rollout reports in a paper: its location, and a description by the model.

    `matches` are the row's `places` that each judge says the location names; None: no verdict.
    `overruled` are the judges that contradicted an unambiguous label.
    """

    __pydantic_config__ = _FORBID

    location: str
    words: str
    matches: Mapping[Judge, tuple[int, ...] | None] = field(default_factory=dict)
    overruled: tuple[Judge, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """The replies of one stage that a rollout uses: their number, tokens and dollars.

    `fresh` of them were requested in this run. Dollars are None if the price is unknown.
    """

    __pydantic_config__ = _FORBID

    stage: str
    calls: int
    fresh: int
    usage: TokenUsage
    dollars: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One reading of one row; it counts only if nothing is `unreached`.

    Proofs have `steps`, those that are called wrong, and `first`, the one that the reader itself
    calls the first (None: no step is wrong, or it was not asked); papers have `predictions`.
    `unreached` are reasons why there is no verdict, or none on some piece; `unjudged` why a
    location has no match. `pieces` counts blocks (0: not taken apart), `unfaithful` names those
    that remained unfaithful, `false_alarms` counts objections that the calibrator did not uphold.
    """

    __pydantic_config__ = _FORBID

    row: str
    number: int
    steps: tuple[int, ...] = ()
    first: int | None = None
    predictions: tuple[Prediction, ...] = ()
    unreached: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    pieces: int = 0
    unfaithful: tuple[str, ...] = ()
    false_alarms: int = 0
    used: tuple[Used, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """A run: its header, its rows in the order of the data, its rollouts in the order of requests.

    Every rollout belongs to a row, and numbers are unique within a row; ValueError otherwise.
    """

    header: Header
    rows: tuple[Truth, ...]
    rollouts: tuple[Rollout, ...]

    def __post_init__(self) -> None:
        names = [row.name for row in self.rows]
        numbered = [(item.row, item.number) for item in self.rollouts]
        if len(set(names)) < len(names):
            raise ValueError("two rows have one name")
        if len(set(numbered)) < len(numbered):
            raise ValueError("a row has one rollout twice")
        if unknown := {item.row for item in self.rollouts}.difference(names):
            raise ValueError(f"unknown row {min(unknown)}")

    def of(self, row: str) -> list[Rollout]:
        """The rollouts of a row, in order."""
        return sorted((it for it in self.rollouts if it.row == row), key=lambda it: it.number)


_LATER = frozenset({"unknown", "group"})
"""Fields added later are written only if they are not empty, so that old files stay equal."""

_KINDS: Mapping[str, type] = {"run": Header, "row": Truth, "rollout": Rollout}


def saved_text(run: SavedRun) -> str:
    """A run as text, a line for each value."""
    lines = [_line("run", run.header)]
    lines += [_line("row", item) for item in run.rows]
    lines += [_line("rollout", item) for item in run.rollouts]
    return "".join(lines)


def write_run(path: Path, run: SavedRun) -> None:
    """Write a run to its file atomically; IncompleteError if that fails."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, saved_text(run))
    except OSError as error:
        raise IncompleteError(f"{path} cannot be written: {error.strerror}") from error


def read_run(path: Path) -> SavedRun:
    """The run in a file; UsageError, with the line, if it is invalid."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8") from error
    try:
        return parsed(text)
    except ValueError as error:
        raise UsageError(f"{path} is not a run of a benchmark: {error}") from error


def parsed(text: str) -> SavedRun:
    """The run in a text; ValueError, with the line, if it is invalid."""
    found: dict[type, list[Any]] = {kind: [] for kind in _KINDS.values()}
    for value in _values(text):
        found[type(value)].append(value)
    if len(found[Header]) != 1:
        raise ValueError(f"it has {len(found[Header])} headers, and wants one")
    return SavedRun(
        header=found[Header][0], rows=tuple(found[Truth]), rollouts=tuple(found[Rollout])
    )


def _replace(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8", newline="\n")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _line(kind: str, value: Any) -> str:
    data = {"schema": SCHEMA, "kind": kind, **asdict(value)}
    if isinstance(value, Truth):
        data = {key: said for key, said in data.items() if said or key not in _LATER}
    return json.dumps(data, ensure_ascii=True, separators=(",", ":")) + "\n"


def _values(text: str) -> Iterator[Any]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield _value(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"]))
                raise ValueError(f"line {number}: {where}: {first['msg']}") from error
            except (ValueError, RecursionError) as error:
                raise ValueError(f"line {number}: {error}") from error


def _value(line: str) -> Any:
    data = json.loads(line)
    if not isinstance(data, dict) or "schema" not in data:
        raise ValueError("not a line of a run")
    schema, kind = data.pop("schema"), data.pop("kind", None)
    if type(schema) is not int or schema != SCHEMA:
        raise ValueError(f"schema {str(schema)[:20]} is unknown to this version of pf")
    made = _KINDS.get(kind) if isinstance(kind, str) else None
    if made is None:
        raise ValueError(f"kind {str(kind)[:20]} is unknown to this version of pf")
    return TypeAdapter(made).validate_python(data)


JUDGES = frozenset({INCLUSIVE, location_judges.STRICT})
"""The stages that say what a location names; they judge a verifier, and are not part of it."""


class UsedReply(NamedTuple):
    """A reply that a rollout uses."""

    stage: str
    usage: TokenUsage
    model: str


@dataclass(slots=True, kw_only=True)
class Meter:
    """Runs actions, and notes the replies."""

    run_action: Run
    taken: dict[str, UsedReply] = field(default_factory=dict)

    async def run(self, action: Action) -> Outcome:
        """The reply to an action, or why there is none."""
        outcome = await self.run_action(action)
        if isinstance(outcome, Reply):
            self.taken[action.key()] = UsedReply(action.stage, outcome.usage, outcome.model)
        return outcome


@dataclass(slots=True, kw_only=True)
class RunAccount:
    """The replies that a run's rollouts use; a shared reply counts for the first one.

    Judges have a price of their own.
    """

    price: Price | None
    judge_price: Price | None = None
    counted: set[str] = field(default_factory=set)
    served: set[str] = field(default_factory=set)
    judges: set[str] = field(default_factory=set)

    def used(self, meter: Meter, fresh: Set[str]) -> tuple[Used, ...]:
        """The share of one rollout; `fresh` are the keys that were requested in this run."""
        stages: dict[str, list[tuple[bool, TokenUsage]]] = {}
        for key, item in meter.taken.items():
            (self.judges if item.stage in JUDGES else self.served).add(item.model)
            if key not in self.counted:
                self.counted.add(key)
                stages.setdefault(item.stage, []).append((key in fresh, item.usage))
        return tuple(self._used(stage, listed) for stage, listed in sorted(stages.items()))

    def _used(self, stage: str, listed: list[tuple[bool, TokenUsage]]) -> Used:
        usage = sum((item for _, item in listed), TokenUsage())
        price = self.judge_price if stage in JUDGES else self.price
        return Used(
            stage=stage,
            calls=len(listed),
            fresh=sum(is_fresh for is_fresh, _ in listed),
            usage=usage,
            dollars=None if price is None else price.of(usage),
        )
