"""What is counted of predictions against known errors: all measures are made of these sums."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

Place = int | str
"""A step by its index, or a location of a paper by the words that tell it from others."""

Flags = Mapping[Place, frozenset[int]]
"""What one run predicts to be wrong, and which of the known errors each prediction names.

A step names itself; a location of a paper names what the judge of locations says.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredRow:
    """A proof or paper of a benchmark: its known errors Y, and what each rollout flagged in it.

    `errors` are the indices of its wrong steps, or those of a paper's list of known errors.
    `steps` is how many steps the proof has; None for a paper, which has none. A run that came to
    no verdict is no rollout: it would count as a pass. `keeps_first`: what a place names is what
    the first rollout that flags it says, as the paper's published scripts have it, and not what
    any of them says.
    """

    name: str
    errors: frozenset[int]
    rollouts: tuple[Flags, ...]
    steps: int | None = None
    keeps_first: bool = False

    def __post_init__(self) -> None:
        for flags in self.rollouts:
            if not named_errors(flags) <= self.errors:
                raise ValueError(f"{self.name}: a prediction names an error that is not known")
            if self.steps is not None and not set(flags) <= set(range(self.steps)):
                raise ValueError(f"{self.name}: a prediction is about a step that is not there")

    def united(self, chosen: Iterable[int]) -> Flags:
        """What some of the rollouts, by their indices, flag together."""
        rollouts = [self.rollouts[index] for index in chosen]
        return first(rollouts) if self.keeps_first else union(rollouts)


class ErrorTally(NamedTuple):
    """Sums over proofs or papers; each adds up, so that a data set's tally is that of its rows.

    `hits` and `false` are predictions that name a known error, or none; `found` and `missed` are
    known errors. `passed` are right steps that nobody flagged (0 for papers). `flawed` and `clean`
    are proofs with and without known errors, by what was predicted; `covered` are those flawed
    whose errors were all found, `located` those whose first wrong step was the first one flagged.
    """

    hits: int = 0
    false: int = 0
    found: int = 0
    missed: int = 0
    passed: int = 0
    flawed_flagged: int = 0
    flawed_passed: int = 0
    clean_flagged: int = 0
    clean_passed: int = 0
    covered: int = 0
    located: int = 0

    @property
    def rows(self) -> int:
        """How many proofs or papers were counted."""
        return self.flawed + self.clean

    @property
    def flawed(self) -> int:
        """How many of them have known errors."""
        return self.flawed_flagged + self.flawed_passed

    @property
    def clean(self) -> int:
        """How many of them have none."""
        return self.clean_flagged + self.clean_passed


def by_steps(name: str, labels: Sequence[bool], rollouts: Iterable[Iterable[int]]) -> ScoredRow:
    """The row of a proof whose steps are labelled: true is right; rollouts list wrong steps."""
    errors = frozenset(index for index, is_right in enumerate(labels) if not is_right)

    def flags(listed: Iterable[int]) -> Flags:
        return {step: errors & {step} for step in listed}

    runs = tuple(flags(listed) for listed in rollouts)
    return ScoredRow(name=name, errors=errors, rollouts=runs, steps=len(labels))


def union(rollouts: Iterable[Flags]) -> Flags:
    """What several rollouts flag together: a place counts once, if any of them flags it.

    For steps this is the paper's pessimistic aggregation (Competition Math, Methods), for papers
    its union of locations (Research Papers, Methods).
    """
    found: dict[Place, frozenset[int]] = {}
    for flags in rollouts:
        for place, errors in flags.items():
            found[place] = found.get(place, frozenset()) | errors
    return found


def first(rollouts: Iterable[Flags]) -> Flags:
    """The same places, each with the known errors that the first rollout says it names."""
    found: dict[Place, frozenset[int]] = {}
    for flags in rollouts:
        for place, errors in flags.items():
            found.setdefault(place, errors)
    return found


def named_errors(flags: Flags) -> frozenset[int]:
    """The known errors that predictions name."""
    return frozenset[int]().union(*flags.values())


def tally_of_row(row: ScoredRow, flags: Flags) -> ErrorTally:
    """The tally of one row under one set of predictions."""
    found = named_errors(flags)
    false = sum(not errors for errors in flags.values())
    steps = row.steps if row.steps is not None else len(row.errors) + false
    is_flawed, is_flagged = bool(row.errors), bool(flags)
    return ErrorTally(
        hits=len(flags) - false,
        false=false,
        found=len(found),
        missed=len(row.errors) - len(found),
        passed=steps - len(row.errors) - false,
        flawed_flagged=is_flawed and is_flagged,
        flawed_passed=is_flawed and not is_flagged,
        clean_flagged=not is_flawed and is_flagged,
        clean_passed=not is_flawed and not is_flagged,
        covered=is_flawed and found == row.errors,
        located=is_flawed and _is_located(row, flags),
    )


def total(tallies: Iterable[ErrorTally]) -> ErrorTally:
    """The sum of tallies."""
    listed = list(tallies)
    return ErrorTally(*map(sum, zip(*listed, strict=True))) if listed else ErrorTally()


def _is_located(row: ScoredRow, flags: Flags) -> bool:
    """Whether the first step flagged is the first wrong one; a paper's places have no order."""
    flagged = [place for place in flags if isinstance(place, int)]
    return row.steps is not None and bool(flagged) and min(flagged) == min(row.errors)
