"""What a ledger holds, and how two ledgers are one: a union in which flagged wins over accepted."""

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
"""Whether a paper still answers as a trace says."""


def always(_: Trace) -> bool:
    """For whoever compares ledgers, and has no paper at hand."""
    return True


class ReaderNote(NamedTuple):
    """Who read: a kind ("model", "person", "relay", "simulated") and a name."""

    kind: str
    name: str


class PairingNote(StrEnum):
    """What a verdict was given in spite of."""

    GUESSED = "guessed"
    OMITTED = "omitted"


class LedgerVerdict(StrEnum):
    """What was read; an unreached module has no line."""

    ACCEPTED = "accepted"
    FLAGGED = "flagged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A finding as it is shown without the store.

    `quote` are words of the module's canonical text, "" where the whole module is meant;
    `aliases` are ids that it had before. `weights` say how gravely the votes object; where nobody
    has told, they are the mildest that give this severity. `reason` is known only where the replies
    are: no ledger keeps it, and it makes no difference. `likeness` is how like these words the
    reader's quote is, in thousandths: 0 where the text has nothing like it; `features` are other
    measures of it, by name, in thousandths.
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
        """All ids that mean this finding."""
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
    """What was read, and how it was asked: two digests."""

    context: str
    contract: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """The verdict on one context under one contract.

    `verdict` is what the judging settings of that day made of it; `findings` are all that any
    rollout had, each once and by id, so that other settings can judge anew. `generation`
    counts explicit rechecks. `rollouts` is how many readings stand behind it; united entries
    have the most of any, and their findings keep their own. `objecting` says how gravely these
    object over all findings; where nobody has told, it is the most that may be. `trace` is what the
    rollouts asked for: the entry counts where the paper still answers so. `reader` and `pairing`
    say who read and what was guessed, where somebody has told.
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
        """The digests that it is found by."""
        return LedgerKey(self.context, self.contract)

    def reported(self, judging: Judging) -> tuple[Recorded, ...]:
        """The findings with enough votes; where there is none, the module is accepted."""
        return tuple(item for item in self.findings if item.votes >= judging.min_votes)

    def is_enough(self, judging: Judging) -> bool:
        """Whether nothing has to be asked: all rollouts were, or the rest decides nothing."""
        left = judging.rollouts - self.rollouts
        if not judging.progressive:
            return left <= 0
        places = [item.weights for item in self.findings]
        return is_final(self.objecting, places, left=left, judging=judging)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a result stands on beside its own proof, as digests.

    `statement` is that of its statement with the setting over it (ancestors' premises,
    conventions, assumptions); `rests` are those of the other texts in its context, each with
    what its words refer to. `module` is its id at the time.
    """

    module: str
    statement: str
    rests: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dismissal:
    """An answer to a finding, and what has to stay as it is for the answer to count."""

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
        """All ids of what it answers."""
        return self.aliases | {self.finding}


Fields = Mapping[str, object]
"""A contract in JSON's terms, as `Contract.fields` gives it; its digest is its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Verdicts, dismissals, contracts by digest, what these were measured to find; `kept` lines.

    `kept` are those that only another version can read.

    The entries of one key are in the order of their generations, with one for each trace. Made by
    `ledger`.
    """

    entries: Mapping[LedgerKey, tuple[LedgerEntry, ...]] = field(default_factory=dict)
    dismissals: frozenset[Dismissal] = frozenset()
    contracts: Mapping[str, Fields] = field(default_factory=dict)
    measured: frozenset[MeasuredContract] = frozenset()
    kept: frozenset[str] = frozenset()

    def entry(
        self, context: str, contract: str, accept: Sequence[str] = (), holds: Holds = always
    ) -> LedgerEntry | None:
        """The last generation's verdict under a contract, else under the first of `accept`.

        Of those that hold, the flagged one, else the one with most rollouts. Where something was
        read again, nothing that was read before stands in for it.
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
    """A ledger of entries in any order; those of one key and generation become one."""
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
    """The union: commutative, associative, idempotent; for one key flagged wins."""
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
    """The gravest of both, with the findings of both."""
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
    """An order in which what somebody has told comes last."""
    return () if note is None else tuple(note)


def _weight_of_entry(item: LedgerEntry) -> tuple[int, bool, int, Trace]:
    return item.generation, item.verdict is LedgerVerdict.FLAGGED, item.rollouts, item.trace


def _same_finding(one: Recorded, other: Recorded) -> Recorded:
    """The record with more rollouts behind it, else the graver, with the aliases of both."""
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
    """All that two records of one finding may differ in, so that the order of merges is nothing."""
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
