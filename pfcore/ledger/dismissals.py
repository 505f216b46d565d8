"""Which findings a dismissal covers: the same objection, if only the result's proof has changed."""

from collections.abc import Iterable, Set
from dataclasses import dataclass
from difflib import SequenceMatcher

from pfcore.domain.lazy_regex import regex
from pfcore.ledger.ledger import Dismissal, Ground, Recorded
from pfcore.verification.quotes import find_quote

_TOKEN = regex(r"\\?\w+|[^\w\s]")
_FORMULA = regex(r"\$+([^$]*)\$+")
_ALIKE = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrentResult:
    """The current state of a result.

    `text` is its canonical text, which quotes refer to; `texts` are the digests of all texts in
    this paper that a `Ground.rests` may contain.
    """

    module: str
    statement: str
    text: str
    texts: Set[str]

    def is_as_before(self, ground: Ground) -> bool:
        """Whether everything that a dismissal depends on is unchanged; the proof may change."""
        return self.statement == ground.statement and ground.rests <= self.texts

    def is_same(self, ground: Ground) -> bool:
        """Whether this is the result of a ground: it has the same statement or the same id."""
        return self.statement == ground.statement or self.module == ground.module


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissedFinding:
    """The finding is covered by a dismissal."""

    dismissal: Dismissal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """A dismissal covered the finding until something it depends on changed; shows its reason."""

    dismissal: Dismissal


def answer(
    finding: Recorded, now: CurrentResult, dismissals: Iterable[Dismissal]
) -> DismissedFinding | Reopened | None:
    """The dismissal of a finding, if any: one that still covers it, else one that used to."""
    meant = sorted((item for item in dismissals if _is_meant(item, finding, now)), key=_order)
    for item in meant:
        if now.is_as_before(item.ground):
            return DismissedFinding(dismissal=item)
    return Reopened(dismissal=meant[0]) if meant else None


def _order(item: Dismissal) -> tuple[object, ...]:
    """A total order of dismissals, so that a set of them has a fixed order."""
    ground = item.ground
    return (
        *(item.finding, item.reason, item.who or "", item.rule, item.quote),
        *(ground.module, ground.statement, sorted(ground.rests), sorted(item.aliases)),
    )


def _is_meant(item: Dismissal, finding: Recorded, now: CurrentResult) -> bool:
    """Whether a dismissal is about this finding, or about a similar one at the same passage."""
    if item.ids & finding.ids:
        return True
    return (
        item.rule == finding.rule
        and now.is_same(item.ground)
        and is_overlapping(item.quote, finding.quote, now.text)
    )


def is_overlapping(one: str, other: str, text: str) -> bool:
    """Whether two quotes are of one passage: they overlap, or one is a rewording of the other.

    A quote without words is about the module as a whole, so two such quotes match.
    """
    first, second = find_quote(one, text), find_quote(other, text)
    if first and second:
        return first.start < second.end and second.start < first.end
    return _formulas(one) == _formulas(other) and _likeness(one, other) >= _ALIKE


def _formulas(text: str) -> list[str]:
    """The formulas of a quote, which a rewording must keep."""
    return ["".join(found.split()) for found in _FORMULA.findall(text)]


def _likeness(one: str, other: str) -> float:
    """A similarity of words: 1 for the same words in the same order, 0 for none in common."""
    pair = (_TOKEN.findall(one), _TOKEN.findall(other))
    return SequenceMatcher(None, *pair, autojunk=False).ratio()
