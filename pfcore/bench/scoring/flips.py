"""How often two rollouts of the same proof disagree."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from pfcore.bench.scoring.counts import ScoredRow, named_errors


class Votes(NamedTuple):
    """How many of so many rollouts flag something."""

    flagged: int
    rollouts: int


def flip_rate(votes: Iterable[Votes]) -> float | None:
    """The mean over items of 2·m·(n − m)/(n·(n − 1)), m of n rollouts flagging the item.

    This is the share of pairs of rollouts that disagree about it. Not in the paper, whose Step 4
    rests on it: k rollouts find more than one only where they differ. None without two rollouts.
    """
    shares = [2 * m * (n - m) / (n * (n - 1)) for m, n in votes if n > 1]
    return math.fsum(shares) / len(shares) if shares else None


def of_proofs(rows: Iterable[ScoredRow]) -> list[Votes]:
    """For each proof, how many rollouts flag anything in it."""
    return [Votes(sum(bool(flags) for flags in row.rollouts), len(row.rollouts)) for row in rows]


def of_steps(rows: Iterable[ScoredRow]) -> list[Votes]:
    """For each step of each proof, right or wrong, how many rollouts flag it."""
    return [
        Votes(sum(step in flags for flags in row.rollouts), len(row.rollouts))
        for row in rows
        for step in range(row.steps or 0)
    ]


def of_errors(rows: Iterable[ScoredRow]) -> list[Votes]:
    """For each known error, how many rollouts name it."""
    return [
        Votes(sum(error in named_errors(flags) for flags in row.rollouts), len(row.rollouts))
        for row in rows
        for error in sorted(row.errors)
    ]
