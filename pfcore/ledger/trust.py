"""Which lines count: a line is as trusted as the branch that it stands on, whoever wrote it."""

from typing import NamedTuple

from pfcore.ledger.ledger import Ledger
from pfcore.ledger.lock_lines import LineProblem, Loaded


class Counted(NamedTuple):
    """The lines that count, their problems, and how many of the head's do not."""

    ledger: Ledger
    problems: tuple[LineProblem, ...]
    uncounted: int = 0


def counted(base: Loaded, head: Loaded, *, is_ci: bool) -> Counted:
    """In CI and in the bot the base branch's lines alone; at an author's desk the head's.

    There what a change adds to the ledger is a claim of the change itself.
    """
    if not is_ci:
        return Counted(head.ledger, head.problems)
    return Counted(base.ledger, base.problems, len(_said(head.ledger) - _said(base.ledger)))


def _said(ledger: Ledger) -> frozenset[object]:
    """Verdicts and dismissals; contracts only describe."""
    return frozenset[object]().union(ledger.all_entries(), ledger.dismissals)
