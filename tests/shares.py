"""Which share of each check's warnings and errors is true, from all judgments on record.

`python -m tests.shares` prints the table of `tests/data/unprepared/README.md`.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pfcore.checks.registry import ALL
from pfcore.domain.values import Severity

FOLDER = Path(__file__).with_name("data") / "unprepared"
_SETS = (
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twentyfirst",
    "twentysecond",
)
_GATE = {name: f"preflight_{name}.json" for name in _SETS}
_LOOKED = (
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "twentyfirst",
    "twentysecond",
)
_LAST = (
    _LOOKED[3:],
    tuple(f"gate {name}" for name in _SETS[4:]),
)
"""The sets that were looked at last before anything was mended: findings, and `pf gate`.

A rule of which the first have no finding is known from the second.
"""
_GROUPS = ("shown", "structure")
_FEW, _WANTED = 20, 0.9


class Judged(NamedTuple):
    """The judged findings of one set in one state, by rule: how many are true, and how many."""

    name: str
    is_fresh: bool
    rules: Mapping[str, tuple[int, int]]


def judged() -> Iterator[Judged]:
    """All judgments by rule; those of notes are left out."""
    recorded = json.loads((FOLDER / "shares.json").read_text("utf-8"))
    for item in recorded["judged"]:
        rules = {rule: _share(found) for rule, found in item["rules"].items()}
        yield Judged(item["set"], item["state"] == "fresh", rules)
    for name in _LOOKED:
        papers = json.loads((FOLDER / f"findings_{name}.json").read_text("utf-8"))["papers"]
        for key in ("findings", "after"):
            found = [by for paper in papers for by in paper.get(key, {}).values()]
            if found:
                yield Judged(name, key == "findings", _summed(found))
    for name, file in _GATE.items():
        papers = json.loads((FOLDER / file).read_text("utf-8"))["papers"]
        for state in ("before", "after"):
            states = [paper[state] for paper in papers if state in paper]
            groups = (one.get(group, {}) for one in states for group in _GROUPS)
            yield Judged(f"gate {name}", state == "before", _summed(groups))


def _summed(papers: Iterable[Mapping[str, Mapping[str, int]]]) -> dict[str, tuple[int, int]]:
    """The judgments of several papers together, by rule."""
    counted: dict[str, Counter[str]] = {}
    for paper in papers:
        for rule, found in paper.items():
            counted.setdefault(rule, Counter()).update(found)
    return {rule: _share(found) for rule, found in counted.items()}


def _share(found: Mapping[str, int]) -> tuple[int, int]:
    return found.get("true", 0), sum(found.values())


class Share(NamedTuple):
    """Of one rule: true ones and all at first looks, at the last ones, and after mending."""

    rule: str
    severity: Severity
    fresh: tuple[int, int]
    last: tuple[int, int]
    opened: tuple[int, int]

    @property
    def verdict(self) -> str:
        """What is known of the rule's share, from the last sets that nobody had opened."""
        true, number = self.last
        if not self.fresh[1]:
            return "not known"
        if number < _FEW:
            return "too few at the last look"
        return "holds" if true >= _WANTED * number else "mended since, not measured again"


def shares() -> list[Share]:
    """Each rule, in the order of the checks."""
    listed = list(judged())

    def total(rule: str, chosen: list[Judged]) -> tuple[int, int]:
        found = [item.rules.get(rule, (0, 0)) for item in chosen]
        return sum(true for true, _ in found), sum(number for _, number in found)

    fresh = [item for item in listed if item.is_fresh]
    last = [[item for item in fresh if item.name in names] for names in _LAST]
    opened = [item for item in listed if not item.is_fresh]
    return [
        Share(
            check.id,
            check.severity,
            total(check.id, fresh),
            next((found for some in last if (found := total(check.id, some))[1]), (0, 0)),
            total(check.id, opened),
        )
        for check in ALL
    ]


def table() -> list[str]:
    """The rows of the table: rules of which something is known."""
    return [
        f"| `{item.rule}` | {_cell(item.fresh)} | {_cell(item.last)} | {_cell(item.opened)} "
        f"| {item.verdict} |"
        for item in shares()
        if item.fresh[1] or item.opened[1]
    ]


def _cell(share: tuple[int, int]) -> str:
    return f"{share[0]} of {share[1]}" if share[1] else "–"


def unknown(severities: frozenset[Severity]) -> str:
    """The rules of some severities of which nothing is known, in words."""
    found = [
        f"`{item.rule}`"
        for item in shares()
        if not (item.fresh[1] or item.opened[1]) and item.severity in severities
    ]
    return ", ".join(found)


if __name__ == "__main__":
    print("\n".join(table()))  # noqa: T201
    print(unknown(frozenset({Severity.ERROR, Severity.WARNING})))  # noqa: T201
    print(unknown(frozenset({Severity.NOTE})))  # noqa: T201
