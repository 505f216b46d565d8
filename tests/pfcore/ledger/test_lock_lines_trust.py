"""A line is as trusted as the branch that it stands on."""

import json

from pfcore.ledger.lock_lines import counted, read_ledger


def entry(context: str) -> str:
    values = {"schema": 1, "kind": "entry", "context": context * 64, "contract": "b" * 64}
    return json.dumps({**values, "verdict": "accepted", "rollouts": 3})


def dismissal(reason: str) -> str:
    values = {"finding": "f1", "rule": "gap", "quote": "", "module": "", "statement": ""}
    return json.dumps({"schema": 1, "kind": "dismissal", **values, "rests": [], "reason": reason})


BASE = read_ledger(f"{entry('a')}\n{dismissal('known')}\nbase\n")
HEAD = read_ledger(f"{entry('a')}\n\n{entry('c')}\n{dismissal('trust me')}\nhead\n")


def test_in_ci_a_change_cannot_vouch_for_itself() -> None:
    found = counted(BASE, HEAD, is_ci=True)
    assert found.ledger == BASE.ledger
    assert found.ledger.entry("c" * 64, "b" * 64) is None
    assert [item.reason for item in found.ledger.dismissals] == ["known"]
    assert (found.problems, found.uncounted) == (BASE.problems, 2)


def test_in_ci_a_change_that_only_moves_or_copies_lines_adds_nothing() -> None:
    moved = read_ledger(f"{dismissal('known')}\n{entry('a')}\n{entry('a')}\n")
    assert counted(BASE, moved, is_ci=True).uncounted == 0


def test_at_the_desk_the_lines_of_the_working_tree_count() -> None:
    assert counted(BASE, HEAD, is_ci=False) == (HEAD.ledger, HEAD.problems, 0)
