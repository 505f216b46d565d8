"""From a saved run to the rows that measures are of: which judge, and what is one location."""

import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from pfcore.bench.runs.saved_run import Judge, Prediction, Rollout, SavedRun, Truth
from pfcore.bench.scoring.counts import Place, ScoredRow, by_steps
from pfcore.verification.locations import printed_place

_UNSAID = re.compile(r"[^a-z0-9.]+")


class Rules(StrEnum):
    """When two locations are one, and how the authors' words are split into known errors.

    `own`: "Lemma 4.3" and "Proof of Lemma 4.3" are one, and a location names what any prediction
    of it names. `reference`, as the paper's published scripts have it: only equal words are one,
    case and punctuation aside; the first prediction of a location counts, and no other; the
    authors' words are split at every comma, semicolon and "and".
    """

    OWN = "own"
    REFERENCE = "reference"


class Scored(NamedTuple):
    """The rows that count, and why the others do not, by their names."""

    rows: list[ScoredRow]
    left_out: dict[str, str]


def scored(run: SavedRun, *, judge: Judge = Judge.INCLUSIVE, rules: Rules = Rules.OWN) -> Scored:
    """The rows all of whose k rollouts came to verdicts; one that failed would count as a pass.

    Hard2Verify's own grading counts a step without a verdict as graded wrongly instead. For proofs
    with steps there is no judge, and there are no rules.
    """
    rows, left_out = [], {}
    for truth in run.rows:
        rollouts = run.of(truth.name)
        reason = _lacking(rollouts, run.header.k, judge)
        if reason:
            left_out[truth.name] = reason
        else:
            rows.append(_row(truth, rollouts, judge, rules))
    return Scored(rows, left_out)


def same_words(location: str) -> str:
    """What the paper's published scripts tell locations apart by."""
    plain = unicodedata.normalize("NFKD", location).lower()
    return _UNSAID.sub(" ", plain).strip()


def _lacking(rollouts: Iterable[Rollout], k: int, judge: Judge) -> str:
    """Why rollouts are not k verdicts, or nothing."""
    listed = list(rollouts)
    for item in listed:
        if item.unreached:
            return f"rollout {item.number}: {item.unreached[0]}"
        if any(found.matches.get(judge) is None for found in item.predictions):
            said = item.unjudged[0] if item.unjudged else "nobody has judged its locations"
            return f"rollout {item.number}: {said}"
    return "" if len(listed) == k else f"{len(listed)} of {k} rollouts"


def _row(truth: Truth, rollouts: Iterable[Rollout], judge: Judge, rules: Rules) -> ScoredRow:
    if truth.steps is not None:
        labels = [step not in truth.wrong for step in range(truth.steps)]
        return by_steps(truth.name, labels, (item.steps for item in rollouts))
    errors = truth.own if rules is Rules.OWN else truth.reference
    return ScoredRow(
        name=truth.name,
        errors=frozenset(errors),
        rollouts=tuple(_flags(item.predictions, errors, judge, rules) for item in rollouts),
        keeps_first=rules is Rules.REFERENCE,
    )


def _flags(
    predictions: Iterable[Prediction], errors: Iterable[int], judge: Judge, rules: Rules
) -> dict[Place, frozenset[int]]:
    known = frozenset(errors)
    found: dict[Place, frozenset[int]] = {}
    for item in predictions:
        named = known.intersection(item.matches[judge] or ())
        if rules is Rules.REFERENCE:
            found.setdefault(same_words(item.location), named)
        else:
            key = printed_place(item.location).key
            found[key] = found.get(key, frozenset()) | named
    return found
