"""Reads and writes the text of a ledger: canonical on output, and without losing any line.

Lines that cannot be read (another schema, a typing error) are reported with their number, do not
count, and are written back unchanged. Bytes that are not UTF-8 survive if callers read and write
with `surrogateescape`.

Also decides which lines count: a line is trusted as much as the branch it is on, whoever wrote it.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Set
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from pfcore.domain.digest import digest
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Severity
from pfcore.ledger.ledger import (
    Dismissal,
    Ground,
    Ledger,
    LedgerEntry,
    LedgerVerdict,
    PairingNote,
    ReaderNote,
    Recorded,
    ledger,
)
from pfcore.ledger.measurement import MeasuredContract, MeasuredRate, Share
from pfcore.verification.contract import Weights
from pfcore.verification.second_question import SuppliedKey

SCHEMA = 2
"""The newest schema; each line is written in the oldest one that can express it."""
_FIRST_SCHEMA = 1

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Count = Annotated[StrictInt, Field(ge=0)]
Thousandths = Annotated[StrictInt, Field(ge=0, le=1000)]

_NAMED = regex(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_VERDICT = regex(r'"kind"\s{0,9}:\s{0,9}"entry"')
_CONFLICT = ("<<<<<<<", "|||||||", "=======", ">>>>>>>")
_UNSEEN = regex("[\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
"""Characters that editors hide, treat as line ends, or cannot encode: written as escapes."""


class LineProblem(NamedTuple):
    """A line that does not count, numbered from 1, and why; or all such lines from there on.

    `digests` are all digests that the lines contain; empty if one of several lines has none.
    `is_verdict`: all of these lines are about proofs.
    """

    line: int
    message: str
    digests: frozenset[str] = frozenset()
    is_verdict: bool = False
    number: int = 1

    def may_concern(self, contexts: Set[str]) -> bool:
        """Whether it may be about one of these contexts."""
        return not self.digests or not self.digests.isdisjoint(contexts)


class Loaded(NamedTuple):
    """The contents of a text, and its unreadable lines."""

    ledger: Ledger
    problems: tuple[LineProblem, ...] = ()


class _LockLine(BaseModel):
    """The keys of a line; an unknown key means another schema."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _ContractLine(_LockLine):
    contract: Digest
    asks: dict[str, object]

    def value(self) -> "_ContractLine":
        """The line itself; ValueError if the digest does not match."""
        if digest(self.asks) != self.contract:
            raise ValueError("the contract does not match its digest")
        return self


class _WeightsLine(_LockLine):
    error: Count = 0
    warning: Count = 0
    note: Count = 0

    def value(self) -> Weights:
        """The plain numbers."""
        return Weights(self.error, self.warning, self.note)


class _FindingLine(_LockLine):
    id: str
    aliases: frozenset[str] = frozenset()
    rule: str
    severity: Severity
    votes: StrictInt
    rollouts: StrictInt
    quote: str
    message: str
    weights: _WeightsLine = _WeightsLine()
    likeness: Thousandths = 1000
    features: dict[str, Thousandths] = {}

    def value(self) -> Recorded:
        """The finding; ValueError if it is inconsistent."""
        features = frozenset(self.features.items())
        return Recorded(**dict(self) | {"weights": self.weights.value(), "features": features})


class _ReaderLine(_LockLine):
    kind: str
    name: str


class _VerdictLine(_LockLine):
    context: Digest
    contract: Digest
    generation: StrictInt = 0
    verdict: LedgerVerdict
    rollouts: StrictInt
    findings: tuple[_FindingLine, ...] = ()
    objecting: _WeightsLine = _WeightsLine()
    trace: tuple[tuple[StrictInt, str, Digest | Literal[""]], ...] = ()
    reader: _ReaderLine | None = None
    pairing: PairingNote | None = None

    def value(self) -> LedgerEntry:
        """The entry; ValueError if it is inconsistent."""
        return LedgerEntry(
            context=self.context,
            contract=self.contract,
            generation=self.generation,
            verdict=self.verdict,
            rollouts=self.rollouts,
            findings=tuple(item.value() for item in self.findings),
            objecting=self.objecting.value(),
            trace=tuple(SuppliedKey(*item) for item in self.trace),
            reader=ReaderNote(**dict(self.reader)) if self.reader else None,
            pairing=self.pairing,
        )


class _DismissalLine(_LockLine):
    finding: str
    aliases: frozenset[str] = frozenset()
    rule: str
    quote: str
    module: str
    statement: str
    rests: frozenset[str]
    reason: str
    who: str | None = None

    def value(self) -> Dismissal:
        """The dismissal; ValueError if it has no reason."""
        return Dismissal(
            finding=self.finding,
            aliases=self.aliases,
            rule=self.rule,
            quote=self.quote,
            ground=Ground(module=self.module, statement=self.statement, rests=self.rests),
            reason=self.reason,
            who=self.who,
        )


_Value = _ContractLine | LedgerEntry | Dismissal | MeasuredContract
_KINDS: dict[object, Callable[[dict[str, object]], _Value]] = {
    "contract": lambda data: _ContractLine.model_validate(data).value(),
    "dismissal": lambda data: _DismissalLine.model_validate(data).value(),
    "entry": lambda data: _VerdictLine.model_validate(data).value(),
    "measured": lambda data: MeasuredLine.model_validate(data).value(),
    "simulated": lambda data: SimulatedLine.model_validate(data).value(),
}
_EXACT = 1000
_MOST_TOLD, _MOST_DIGESTS = 20, 1000
"""How many lines are reported one by one, and how many digests are kept for the others."""
_LONGEST_NUMBER = 40
_UPGRADE = "is unknown to this version of pf: upgrade it"
_NEW_KEYS = frozenset({"likeness", "features", "trace", "reader", "pairing"})
"""Keys that exist only in the second schema."""


def read_ledger(text: str) -> Loaded:
    """The ledger in a text, independent of the order and repetition of its lines."""
    values: list[_Value] = []
    kept: list[str] = []
    problems: list[LineProblem] = []
    for number, line in _numbered(text):
        try:
            values.append(_value(line))
        except (ValueError, TypeError, RecursionError) as exc:
            kept.append(line)
            digests, is_verdict = frozenset(_NAMED.findall(line)), _VERDICT.search(line) is not None
            if len(problems) < _MOST_TOLD:
                problems.append(LineProblem(number, _words(line, exc), digests, is_verdict))
            else:
                more = _with_one_more(problems[-1], digests)
                problems[-1] = more._replace(is_verdict=more.is_verdict and is_verdict)
    found = ledger(
        entries=(item for item in values if isinstance(item, LedgerEntry)),
        dismissals=(item for item in values if isinstance(item, Dismissal)),
        contracts={item.contract: item.asks for item in values if isinstance(item, _ContractLine)},
        measured=(item for item in values if isinstance(item, MeasuredContract)),
        kept=kept,
    )
    return Loaded(found, tuple(problems))


def _with_one_more(problem: LineProblem, digests: frozenset[str]) -> LineProblem:
    """The problem extended by one more line; with too many digests it may concern any proof."""
    number = problem.number + 1
    both = problem.digests | digests if problem.digests and digests else frozenset[str]()
    message = f"{number:,} lines from here on are not entries; correct or delete them"
    few = both if len(both) <= _MOST_DIGESTS else frozenset[str]()
    return LineProblem(problem.line, message, few, problem.is_verdict, number)


def _numbered(text: str) -> Iterator[tuple[int, str]]:
    """The numbered lines that are not blank, without byte order marks and carriage returns."""
    for number, line in enumerate(text.split("\n"), start=1):
        bare = line.strip("\ufeff\r")
        if bare.strip():
            yield number, bare


def _value(line: str) -> _Value:
    data = _JSON.decode(line)
    if not isinstance(data, dict) or "schema" not in data:
        raise ValueError('no object with a "schema"')
    schema, kind = data.pop("schema"), data.pop("kind", None)
    if type(schema) is not int or not _FIRST_SCHEMA <= schema <= SCHEMA:
        is_newer = type(schema) is int and schema > SCHEMA
        raise ValueError(f"schema {_short(schema)} {_UPGRADE if is_newer else 'is unknown'}")
    make = _KINDS.get(kind) if isinstance(kind, str) else None
    if make is None:
        raise ValueError(
            f"kind {_short(kind)} {_UPGRADE if isinstance(kind, str) else 'is unknown'}"
        )
    if schema == _FIRST_SCHEMA and _is_newer(data):
        raise ValueError(f"schema {schema} does not define this")
    return make(data)


def _is_newer(data: object) -> bool:
    """Whether a line uses keys that the first schema does not have."""
    if isinstance(data, dict):
        return not _NEW_KEYS.isdisjoint(data) or _is_newer(data.get("findings"))
    return isinstance(data, list) and any(map(_is_newer, data))


def _short(value: object) -> str:
    return repr(value)[:40]


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object with distinct keys: of duplicates, people and parsers may read different ones."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("duplicate key")
    return found


def _refused(number: str) -> object:
    raise ValueError(f"{number[:_LONGEST_NUMBER]} is not a whole number")


def _whole_number(number: str) -> int:
    if len(number) > _LONGEST_NUMBER:
        raise ValueError(f"a number with {len(number):,} digits")
    return int(number)


_JSON = json.JSONDecoder(
    object_pairs_hook=_pairs,
    parse_float=_refused,
    parse_constant=_refused,
    parse_int=_whole_number,
)


def _words(line: str, error: Exception) -> str:
    if line.startswith(_CONFLICT):
        return "git conflict marker: delete it and keep the lines of both sides"
    if str(error).endswith(_UPGRADE):
        return str(error)
    return f"this line is not an entry ({_reason(error)}); delete it"


def _reason(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        words = {"missing": "missing", "extra_forbidden": "unknown key"}.get(first["type"])
        return f"{place}: {words or first['msg'].removeprefix('Value error, ')}"
    if isinstance(error, json.JSONDecodeError):
        return f"invalid JSON at column {error.colno}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def ledger_text(found: Ledger) -> str:
    """The canonical text: one line for each value, sorted, the same for equal ledgers."""
    lines = (
        *(_line("contract", {"contract": k, "asks": v}) for k, v in found.contracts.items()),
        *(_line("entry", _entry(item)) for item in found.all_entries()),
        *(_line("dismissal", _dismissal(item)) for item in found.dismissals),
        *(_line(kind(item), fields(item)) for item in found.measured),
    )
    return _text({*lines, *found.kept})


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in sorted(lines))


def _line(kind: str, data: dict[str, object]) -> str:
    if "asks" in data:
        data["asks"] = json.loads(json.dumps(data["asks"], sort_keys=True))
    schema = SCHEMA if kind == "entry" and _is_newer(data) else _FIRST_SCHEMA
    tagged = {"schema": schema, "kind": kind, **data}
    text = json.dumps(tagged, separators=(",", ":"), ensure_ascii=False)
    return _UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], text)


def _entry(item: LedgerEntry) -> dict[str, object]:
    said = {
        "context": item.context,
        "contract": item.contract,
        "generation": item.generation,
        "verdict": item.verdict.value,
        "rollouts": item.rollouts,
        "findings": [_finding(finding) for finding in item.findings],
        "objecting": _weights(item.objecting) if item.findings else None,
        "trace": [list(key) for key in item.trace] or None,
        "reader": item.reader and item.reader._asdict(),
        "pairing": item.pairing and item.pairing.value,
    }
    return {key: value for key, value in said.items() if value is not None}


def _finding(item: Recorded) -> dict[str, object]:
    said = {
        "id": item.id,
        "aliases": sorted(item.aliases),
        "rule": item.rule,
        "severity": item.severity.value,
        "votes": item.votes,
        "rollouts": item.rollouts,
        "quote": item.quote,
        "message": item.message,
        "weights": _weights(item.weights),
        "likeness": None if item.likeness == _EXACT else item.likeness,
        "features": dict(sorted(item.features)) or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def _weights(item: Weights) -> dict[str, object]:
    return {name: count for name, count in item._asdict().items() if count}


def _dismissal(item: Dismissal) -> dict[str, object]:
    return {
        "finding": item.finding,
        "aliases": sorted(item.aliases),
        "rule": item.rule,
        "quote": item.quote,
        "module": item.ground.module,
        "statement": item.ground.statement,
        "rests": sorted(item.ground.rests),
        "reason": item.reason,
        "who": item.who,
    }


class Counted(NamedTuple):
    """The lines that count, the problems, and how many lines of the head do not count."""

    ledger: Ledger
    problems: tuple[LineProblem, ...]
    uncounted: int = 0


def counted(base: Loaded, head: Loaded, *, is_ci: bool) -> Counted:
    """In CI and in the bot the base branch's lines count, on an author's machine the head's.

    In CI, a line that a change adds to the ledger is only a claim by the change itself.
    """
    if not is_ci:
        return Counted(head.ledger, head.problems)
    return Counted(base.ledger, base.problems, len(_said(head.ledger) - _said(base.ledger)))


def _said(ledger: Ledger) -> frozenset[object]:
    """Verdicts and dismissals; contracts only describe."""
    return frozenset[object]().union(ledger.all_entries(), ledger.dismissals)


_Share = Annotated[StrictInt, Field(ge=0, le=1000)]


class _MeasuredPart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RateLine(_MeasuredPart):
    """A rate as stored in a ledger."""

    rollouts: StrictInt
    min_votes: StrictInt
    recall: tuple[_Share, _Share, _Share]
    flagged: tuple[_Share, _Share, _Share]
    precision: tuple[_Share, _Share, _Share] | None

    def value(self) -> MeasuredRate:
        """The rate; ValueError if it is inconsistent."""
        return MeasuredRate(
            rollouts=self.rollouts,
            min_votes=self.min_votes,
            recall=Share(*self.recall),
            flagged=Share(*self.flagged),
            precision=None if self.precision is None else Share(*self.precision),
        )


class MeasuredLine(_MeasuredPart):
    """A measurement as stored in a ledger."""

    contract: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    paper: str
    model: str
    day: str
    simulated: bool
    errors: StrictInt
    proofs: StrictInt
    rates: tuple[RateLine, ...]

    def value(self) -> MeasuredContract:
        """The measurement; ValueError if it is inconsistent."""
        return MeasuredContract(
            **dict(self) | {"rates": tuple(item.value() for item in self.rates)}
        )


class SimulatedLine(MeasuredLine):
    """The result of a simulated reader, which is never called a measurement."""

    simulated: Literal[True]


def kind(item: MeasuredContract) -> str:
    """The kind of its line; in older files, simulated results are called measured as well."""
    return "simulated" if item.simulated else "measured"


def fields(item: MeasuredContract) -> dict[str, object]:
    """The keys of its line, in order."""
    return {
        "contract": item.contract,
        "paper": item.paper,
        "model": item.model,
        "day": item.day,
        "simulated": item.simulated,
        "errors": item.errors,
        "proofs": item.proofs,
        "rates": [_fields(rate) for rate in item.rates],
    }


def _fields(rate: MeasuredRate) -> dict[str, object]:
    return {
        "rollouts": rate.rollouts,
        "min_votes": rate.min_votes,
        "recall": list(rate.recall),
        "flagged": list(rate.flagged),
        "precision": None if rate.precision is None else list(rate.precision),
    }
