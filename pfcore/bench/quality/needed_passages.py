"""How many of the passages that a referee needs are in contexts, by readers who saw no context.

Called as `python -m pfcore.bench.quality.needed_passages LIST CLONES [HALF]`: LIST has a paper a
line, with repository, commit, root, half and `claims` (`tests/data/unprepared/needed.jsonl`);
CLONES holds a clone of each as OWNER+NAME or NAME. A passage has a class, whether it is essential,
its level (2 if only another passage needs it), and the places where the paper has it: path, and
offsets in the text with line feeds alone. Hypotheses before a nested claim count as lacking.
Also says what wider contexts would contain: see `WIDER`.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from pfcore.bench.errata.clones import find_clone, moment_of
from pfcore.domain.values import Location, Module, Role
from pfcore.graph.context import context
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository.git import GitRepository

_HALF = 0.5
"""The share of the shorter of a passage and an entry that must be in the other."""


class NeededPassage(NamedTuple):
    """A passage that a claim needs, and the places where the paper has it."""

    kind: str
    is_essential: bool
    level: int
    places: tuple[tuple[str, int, int], ...]


class ContextScore(NamedTuple):
    """Totals for contexts: passages needed and held by kind, entries, and entries that are used.

    The kinds are "essential", "helpful", "indirect", and for essential ones the class. `lacking`
    counts the claims, among all `claims`, that lack an essential passage of level 1.
    """

    needed: Counter[str]
    held: Counter[str]
    entries: int
    used: int
    claims: int
    lacking: int

    def __add__(self, other: tuple[Any, ...]) -> "ContextScore":
        """The sums of two scores."""
        return ContextScore(*(mine + its for mine, its in zip(self, other, strict=True)))


NO_SCORE = ContextScore(Counter(), Counter(), 0, 0, 0, 0)


def read_claims(row: Mapping[str, Any]) -> Iterator[tuple[str, list[NeededPassage]]]:
    """The claims of a row, each with the passages that one reader says it needs."""
    for claim in row["claims"]:
        yield (
            claim["claim"],
            [
                NeededPassage(kind, essential, level, tuple(map(tuple, places)))
                for kind, essential, level, places in claim["passages"]
            ],
        )


def _is_before_in_section(module: Module, claim: Module) -> bool:
    return module.section == claim.section and module.position < claim.position


WIDER: Mapping[str, Callable[[Module, Module], bool]] = {
    "of its section before it": _is_before_in_section,
    "of its paper": lambda module, claim: True,
}
"""The introductions that a wider context of a claim would add, whatever they say.

They bound what any choice among recognised sentences can achieve.
"""
_INTRODUCES = frozenset({Role.NOTATION, Role.DEFINITION, Role.CONVENTION, Role.ASSUMPTION})


def score(
    state: PaperState, claim: str, needed: Sequence[NeededPassage], wider: str = ""
) -> ContextScore:
    """Compare the context of a claim with what it needs; the context of an unknown claim is empty.

    `wider` is one of `WIDER`, or "" for the context as it is.
    """
    modules = state.document.modules
    if claim not in modules:
        return _held_by([], needed, frozenset())
    found = context(state.document, claim)
    told = [one for one in modules.values() if wider and one.role in _INTRODUCES]
    more = [one.id for one in told if WIDER[wider](one, modules[claim])]
    spans: list[tuple[str, Location]] = []
    for name in dict.fromkeys((claim, *found.members, *found.elsewhere, *more)):
        is_whole = name == claim or name in found.followed
        passages = modules[name].passages if is_whole else (modules[name].statement,)
        spans += ((name, passage.location) for passage in passages)
    entries = frozenset((*found.members, *more)) - {claim, *found.ancestors}
    return _held_by(spans, needed, entries)


def _held_by(
    spans: Sequence[tuple[str, Location]], needed: Sequence[NeededPassage], entries: Set[str]
) -> ContextScore:
    """The needed passages within spans of named modules, some of which are entries."""
    told, held, used, lacking = Counter[str](), Counter[str](), set[str](), False
    for passage in needed:
        holders = {name for name, where in spans if _is_held(passage, where)}
        used |= holders
        kinds = ["indirect" if passage.level > 1 else "helpful"]
        if passage.is_essential and passage.level == 1:
            kinds = ["essential", passage.kind]
            lacking |= not holders
        told.update(kinds)
        held.update(kinds if holders else ())
    return ContextScore(told, held, len(entries), len(entries & used), 1, int(lacking))


def _is_held(passage: NeededPassage, where: Location) -> bool:
    for path, start, end in passage.places:
        common = min(end, where.end) - max(start, where.start)
        shorter = min(end - start, where.end - where.start)
        if path == where.path and common > 0 and common >= _HALF * shorter:
            return True
    return False


def score_paper(row: Mapping[str, Any], clone: GitRepository) -> dict[str, ContextScore]:
    """The contexts of all claims of a row at its commit, as they are ("") and by `WIDER`."""
    moment = moment_of(clone, row["commit"])
    papers = discover_papers(moment, ParseCache(MemoryCache())).papers
    paper = next((paper for paper in papers if paper.root == row["root"]), None)
    claims = list(read_claims(row))
    if paper is None:
        lost = sum((_held_by([], needed, frozenset()) for _, needed in claims), NO_SCORE)
        return dict.fromkeys(("", *WIDER), lost)
    state = build_paper_state(paper)
    return {
        wider: sum((score(state, claim, needed, wider) for claim, needed in claims), NO_SCORE)
        for wider in ("", *WIDER)
    }


def lines(total: ContextScore) -> Iterator[str]:
    """A score as text."""
    for kind in sorted(total.needed, key=lambda kind: -total.needed[kind]):
        share = total.held[kind] / total.needed[kind]
        yield f"{kind:12} {total.held[kind]:5} of {total.needed[kind]:5} held  {share:6.1%}"
    share = total.used / max(1, total.entries)
    yield f"entries      {total.used:5} of {total.entries:5} needed {share:6.1%}"
    yield f"claims       {total.lacking:5} of {total.claims:5} lack something essential"


def wider_lines(totals: Mapping[str, ContextScore]) -> Iterator[str]:
    """What wider contexts would contain, as text."""
    for wider, total in totals.items():
        if wider:
            held, told = total.held["essential"], total.needed["essential"]
            yield (
                f"with all introductions {wider}: essential {held} of {told} held, "
                f"{total.used} of {total.entries} entries needed"
            )


def main(arguments: Sequence[str]) -> None:
    """Print the sums over the papers of a list that have a clone."""
    listed, clones, *halves = arguments
    totals, absent = dict.fromkeys(("", *WIDER), NO_SCORE), []
    for line in Path(listed).read_text("utf-8").splitlines():
        row = json.loads(line)
        if halves and row["half"] not in halves:
            continue
        clone = find_clone(Path(clones), row["repository"])
        if clone is None:
            absent.append(row["repository"])
            continue
        totals = {wider: totals[wider] + one for wider, one in score_paper(row, clone).items()}
    told = [*lines(totals[""]), *wider_lines(totals)]
    told += [f"not here: {', '.join(absent)}"] if absent else []
    sys.stdout.write("\n".join((*told, "")))


if __name__ == "__main__":
    main(sys.argv[1:])
