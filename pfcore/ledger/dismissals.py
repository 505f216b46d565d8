"""Which findings a dismissal answers: the same objection, while only the result's proof changes."""

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
    """A result as it is now.

    `text` is its canonical text, which quotes are of; `texts` are the digests of all that any
    `Ground.rests` of this paper may name.
    """

    module: str
    statement: str
    text: str
    texts: Set[str]

    def is_as_before(self, ground: Ground) -> bool:
        """Whether all that a dismissal rests on is unchanged; the proof may cite other things."""
        return self.statement == ground.statement and ground.rests <= self.texts

    def is_same(self, ground: Ground) -> bool:
        """Whether this is the result of a ground: by its words, or by its name."""
        return self.statement == ground.statement or self.module == ground.module


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissedFinding:
    """A dismissal covers the finding."""

    dismissal: Dismissal


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """A dismissal covered it until something underneath changed; its reason is shown."""

    dismissal: Dismissal


def answer(
    finding: Recorded, now: CurrentResult, dismissals: Iterable[Dismissal]
) -> DismissedFinding | Reopened | None:
    """What dismissals say of a finding of a result; one that covers comes before one that did."""
    meant = sorted((item for item in dismissals if _is_meant(item, finding, now)), key=_order)
    for item in meant:
        if now.is_as_before(item.ground):
            return DismissedFinding(dismissal=item)
    return Reopened(dismissal=meant[0]) if meant else None


def _order(item: Dismissal) -> tuple[object, ...]:
    """All that tells dismissals apart, so that a set of them has one order."""
    ground = item.ground
    return (
        *(item.finding, item.reason, item.who or "", item.rule, item.quote),
        *(ground.module, ground.statement, sorted(ground.rests), sorted(item.aliases)),
    )


def _is_meant(item: Dismissal, finding: Recorded, now: CurrentResult) -> bool:
    """Whether a dismissal is of this finding, or of one like it at the same passage."""
    if item.ids & finding.ids:
        return True
    return (
        item.rule == finding.rule
        and now.is_same(item.ground)
        and is_overlapping(item.quote, finding.quote, now.text)
    )


def is_overlapping(one: str, other: str, text: str) -> bool:
    """Whether two quotes are of one passage: their places meet, or what stood there was reworded.

    Quotes without words are of the module as a whole, and so of one another.
    """
    first, second = find_quote(one, text), find_quote(other, text)
    if first and second:
        return first.start < second.end and second.start < first.end
    return _formulas(one) == _formulas(other) and _likeness(one, other) >= _ALIKE


def _formulas(text: str) -> list[str]:
    """What the formulas of a quote say: words may be put otherwise, these may not."""
    return ["".join(found.split()) for found in _FORMULA.findall(text)]


def _likeness(one: str, other: str) -> float:
    """1 for equal words in equal order, 0 for none in common."""
    pair = (_TOKEN.findall(one), _TOKEN.findall(other))
    return SequenceMatcher(None, *pair, autojunk=False).ratio()
