"""The contents of a ledger, and the union of two ledgers, in which flagged wins over accepted."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import reduce
from itertools import chain
from typing import NamedTuple, TypeVar

from pfcore.domain.findings import is_blank
from pfcore.domain.values import Finding, Severity
from pfcore.ledger.measurement import MeasuredContract
from pfcore.verification.contract import Judging, Weights, is_final, mildest
from pfcore.verification.second_question import Trace

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


Holds = Callable[[Trace], bool]
"""Whether a paper still gives the answers recorded in a trace."""


def always(_: Trace) -> bool:
    """The default: every trace holds, for comparing ledgers without a paper."""
    return True


class ReaderNote(NamedTuple):
    """The reader: a kind ("model", "person", "relay", "simulated") and a name."""

    kind: str
    name: str


class PairingNote(StrEnum):
    """A reservation about how the proof was matched with its statement."""

    GUESSED = "guessed"
    OMITTED = "omitted"


class LedgerVerdict(StrEnum):
    """The result of a reading; an unreached module has no line."""

    ACCEPTED = "accepted"
    FLAGGED = "flagged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A finding as it is shown without the store.

    `quote` is from the module's canonical text, "" for the whole module; `aliases` are earlier ids.
    `weights` are the severities of the votes; if not recorded, the mildest that yield `severity`.
    `reason` is known only where the replies are: ledgers do not keep it, and comparisons ignore it.
    `likeness` is the similarity of the reader's quote to `quote`, in thousandths: 0 if the text has
    nothing similar; `features` are other such measures by name, in thousandths.
    """

    id: str
    rule: str
    severity: Severity
    message: str
    quote: str
    votes: int = 1
    rollouts: int = 1
    aliases: frozenset[str] = frozenset()
    weights: Weights = Weights()  # noqa: RUF009 - immutable
    reason: str = field(default="", compare=False)
    likeness: int = 1000
    features: frozenset[tuple[str, int]] = frozenset()

    def __post_init__(self) -> None:
        if not self.id or not self.rule:
            raise ValueError("a finding needs an id and a rule")
        if not 1 <= self.votes <= self.rollouts:
            raise ValueError(f"votes of {self.id} must lie between 1 and {self.rollouts}")
        if not 0 <= self.likeness <= 1000:
            raise ValueError(f"the likeness of {self.id} must lie between 0 and 1000")
        if len(dict(self.features)) < len(self.features):
            raise ValueError(f"duplicate measure of {self.id}")
        if not self.weights.total:
            object.__setattr__(self, "weights", mildest(self.votes, self.severity))
        if (self.weights.total, self.weights.severity) != (self.votes, self.severity):
            raise ValueError(f"the weights of {self.id} do not match its votes")

    @property
    def ids(self) -> frozenset[str]:
        """All ids of this finding."""
        return self.aliases | {self.id}


def recorded(finding: Finding, *, aliases: Iterable[str] = ()) -> Recorded:
    """A finding without its place and its history."""
    return Recorded(
        id=finding.id,
        rule=finding.rule,
        severity=finding.severity,
        message=finding.message,
        quote=finding.quote,
        votes=finding.votes,
        rollouts=finding.rollouts,
        aliases=frozenset(aliases),
    )


class LedgerKey(NamedTuple):
    """The digests of what was read and of the contract."""

    context: str
    contract: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """The verdict on one context under one contract.

    `verdict` is by the judging settings of its time; `findings` are those of all rollouts, one for
    each id, so that other settings can judge them again. `generation` counts explicit rechecks.
    `rollouts` is the number of readings; merged entries have the larger number, and each finding
    keeps its own. `objecting` are the severities of the objecting rollouts over all findings; if
    not recorded, the most severe possible. `trace` is what the rollouts asked for: the entry counts
    only if the paper still gives the same answers. `reader` and `pairing` record who read, and with
    which reservation, if known.
    """

    context: str
    contract: str
    verdict: LedgerVerdict
    rollouts: int
    findings: tuple[Recorded, ...] = ()
    generation: int = 0
    objecting: Weights = Weights()  # noqa: RUF009 - immutable
    trace: Trace = ()
    reader: ReaderNote | None = None
    pairing: PairingNote | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "trace", tuple(sorted(set(self.trace))))
        if self.verdict is LedgerVerdict.FLAGGED and not self.findings:
            raise ValueError("a flagged proof needs a finding")
        if any(item.rollouts > self.rollouts for item in self.findings) or self.rollouts < 1:
            raise ValueError("rollouts must be at least 1, and those of every finding")
        if self.generation < 0:
            raise ValueError("generation must be 0 or more")
        alike = _grouped((item.id, item) for item in self.findings)
        united = tuple(reduce(_same_finding, alike[name]) for name in sorted(alike))
        object.__setattr__(self, "findings", united)
        votes = [item.votes for item in united]
        if not self.objecting.total:
            most = Weights(error=min(self.rollouts, sum(votes)))
            object.__setattr__(self, "objecting", most)
        if not max(votes, default=0) <= self.objecting.total <= self.rollouts:
            raise ValueError("the objections do not match the findings")

    @property
    def asked(self) -> LedgerKey:
        """The key that the entry is found by."""
        return LedgerKey(self.context, self.contract)

    def reported(self, judging: Judging) -> tuple[Recorded, ...]:
        """The findings with enough votes; if there are none, the module is accepted."""
        return tuple(item for item in self.findings if item.votes >= judging.min_votes)

    def is_enough(self, judging: Judging) -> bool:
        """Whether no more rollouts are needed: all are there, or the others cannot matter."""
        left = judging.rollouts - self.rollouts
        if not judging.progressive:
            return left <= 0
        places = [item.weights for item in self.findings]
        return is_final(self.objecting, places, left=left, judging=judging)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a result depends on apart from its own proof, as digests.

    `statement` is the digest of its statement with the setting (ancestors' premises, conventions,
    assumptions); `rests` are those of the other texts in its context, each with the targets of its
    references. `module` is its id at the time.
    """

    module: str
    statement: str
    rests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """An answer to a finding, and what must stay unchanged for the answer to count."""

    finding: str
    rule: str
    quote: str
    ground: Ground
    reason: str
    who: str | None = None
    aliases: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        if not self.finding or not self.rule:
            raise ValueError("a dismissal needs a finding and its rule")
        if is_blank(self.reason):
            raise ValueError("a dismissal needs a reason")

    @property
    def ids(self) -> frozenset[str]:
        """All ids of the finding."""
        return self.aliases | {self.finding}


Fields = Mapping[str, object]
"""A contract as JSON values, as returned by `Contract.fields`; its digest is its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Verdicts, dismissals, contracts by digest, and measurements of contracts.

    `kept` are lines that only another version can read.

    The entries of one key are sorted by generation, with one for each trace. Made by `ledger`.
    """

    entries: Mapping[LedgerKey, tuple[LedgerEntry, ...]] = field(default_factory=dict)
    dismissals: frozenset[Dismissal] = frozenset()
    contracts: Mapping[str, Fields] = field(default_factory=dict)
    measured: frozenset[MeasuredContract] = frozenset()
    kept: frozenset[str] = frozenset()

    def entry(
        self, context: str, contract: str, accept: Sequence[str] = (), holds: Holds = always
    ) -> LedgerEntry | None:
        """The latest verdict under a contract, or else under the first of `accept` that has one.

        Among entries whose trace holds, a flagged one wins, then the one with most rollouts. After
        a recheck, entries of earlier generations no longer count, under any of the contracts.
        """
        least = 0
        for name in (contract, *accept):
            found = self.entries.get(LedgerKey(context, name), ())
            least = max((least, *(item.generation for item in found)))
            held = [item for item in found if item.generation == least]
            held = [item for item in held if not item.trace or holds(item.trace)]
            if held:
                return max(held, key=_weight_of_entry)
        return None

    def all_entries(self) -> frozenset[LedgerEntry]:
        """The entries of every key and generation."""
        return frozenset(chain.from_iterable(self.entries.values()))


def ledger(
    *,
    entries: Iterable[LedgerEntry] = (),
    dismissals: Iterable[Dismissal] = (),
    contracts: Mapping[str, Fields] | None = None,
    measured: Iterable[MeasuredContract] = (),
    kept: Iterable[str] = (),
) -> Ledger:
    """A ledger of entries in any order; entries with equal key, generation and trace are merged."""
    same = _grouped(((item.asked, item.generation, item.trace), item) for item in entries)
    united = (reduce(_same_entry, same[key]) for key in sorted(same))
    keys = _grouped((item.asked, item) for item in united)
    return Ledger(
        entries={key: tuple(found) for key, found in keys.items()},
        dismissals=frozenset(dismissals),
        contracts=dict(contracts or {}),
        measured=frozenset(measured),
        kept=frozenset(kept),
    )


def merged(*ledgers: Ledger) -> Ledger:
    """The union of ledgers: commutative, associative, idempotent; flagged wins for equal keys."""
    return ledger(
        entries=chain.from_iterable(item.all_entries() for item in ledgers),
        dismissals=chain.from_iterable(item.dismissals for item in ledgers),
        contracts={name: asks for item in ledgers for name, asks in item.contracts.items()},
        measured=chain.from_iterable(item.measured for item in ledgers),
        kept=chain.from_iterable(item.kept for item in ledgers),
    )


def _grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _same_entry(one: LedgerEntry, other: LedgerEntry) -> LedgerEntry:
    """The more severe verdict, with the findings of both entries."""
    flagged = LedgerVerdict.FLAGGED in (one.verdict, other.verdict)
    return LedgerEntry(
        context=one.context,
        contract=one.contract,
        verdict=LedgerVerdict.FLAGGED if flagged else LedgerVerdict.ACCEPTED,
        rollouts=max(one.rollouts, other.rollouts),
        findings=(*one.findings, *other.findings),
        generation=one.generation,
        objecting=one.objecting.joined(other.objecting),
        trace=one.trace,
        reader=max(one.reader, other.reader, key=_told),
        pairing=max(one.pairing, other.pairing, key=_told),
    )


def _told(note: ReaderNote | PairingNote | None) -> tuple[str, ...]:
    """A sort key that puts missing notes first."""
    return () if note is None else tuple(note)


def _weight_of_entry(item: LedgerEntry) -> tuple[int, bool, int, Trace]:
    return item.generation, item.verdict is LedgerVerdict.FLAGGED, item.rollouts, item.trace


def _same_finding(one: Recorded, other: Recorded) -> Recorded:
    """The record with more rollouts, or else the more severe one, with the aliases of both."""
    more = max(one, other, key=_weight)
    return Recorded(
        id=more.id,
        rule=more.rule,
        severity=more.severity,
        message=more.message,
        quote=more.quote,
        votes=more.votes,
        rollouts=more.rollouts,
        aliases=one.aliases | other.aliases,
        weights=more.weights,
        reason=more.reason or one.reason or other.reason,
        likeness=more.likeness,
        features=more.features,
    )


def _weight(
    item: Recorded,
) -> tuple[int, int, int, Weights, str, str, str, int, tuple[tuple[str, int], ...]]:
    """Everything in which two records of one finding may differ, so that merging is commutative."""
    return (
        item.rollouts,
        item.severity.rank,
        item.votes,
        item.weights,
        item.rule,
        item.message,
        item.quote,
        item.likeness,
        tuple(sorted(item.features)),
    )
