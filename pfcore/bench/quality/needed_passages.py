"""What contexts hold of the passages that a referee needs, as readers said who saw no context.

Called as `python -m pfcore.bench.quality.needed_passages LIST CLONES [HALF]`: LIST has a paper a
line, with repository, commit, root, half and `claims` (`tests/data/unprepared/needed.jsonl`);
CLONES holds a clone of each as OWNER+NAME or NAME. A passage has a class, whether it is essential,
its level (2 where only another passage needs it), and the places where the paper has it: path, and
offsets in the text with line feeds alone. What a nested claim supposes before it counts as lacking.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from pfcore.bench.errata.clones import find_clone, moment_of
from pfcore.domain.values import Location
from pfcore.graph.context import context
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository.git import GitRepository

_HALF = 0.5
"""So much of the shorter one of a passage and an entry has to be in the other."""


class NeededPassage(NamedTuple):
    """A passage that a claim needs, and the places where the paper has it."""

    kind: str
    is_essential: bool
    level: int
    places: tuple[tuple[str, int, int], ...]


class ContextScore(NamedTuple):
    """Of contexts: passages needed and held by kind, entries, and those that hold a passage.

    The kinds are "essential", "helpful", "indirect", and for essential ones the class. `lacking`
    are the claims that lack an essential passage of level 1, of all `claims`.
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
    """The claims of a row, each with what one reader said that it needs."""
    for claim in row["claims"]:
        yield (
            claim["claim"],
            [
                NeededPassage(kind, essential, level, tuple(map(tuple, places)))
                for kind, essential, level, places in claim["passages"]
            ],
        )


def score(state: PaperState, claim: str, needed: Sequence[NeededPassage]) -> ContextScore:
    """The context of a claim against what it needs; a claim that is not found holds nothing."""
    document = state.document
    if claim not in document.modules:
        return _held_by([], needed, frozenset())
    found = context(document, claim)
    spans: list[tuple[str, Location]] = []
    for name in (claim, *found.members, *found.elsewhere):
        module = document.modules[name]
        is_whole = name == claim or name in found.followed
        passages = module.passages if is_whole else (module.statement,)
        spans += ((name, passage.location) for passage in passages)
    return _held_by(spans, needed, frozenset(found.members) - set(found.ancestors))


def _held_by(
    spans: Sequence[tuple[str, Location]], needed: Sequence[NeededPassage], entries: Set[str]
) -> ContextScore:
    """What spans of named modules hold, of which some are entries."""
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


def score_paper(row: Mapping[str, Any], clone: GitRepository) -> ContextScore:
    """The contexts of all claims of a row at its commit."""
    moment = moment_of(clone, row["commit"])
    papers = discover_papers(moment, ParseCache(MemoryCache())).papers
    paper = next((paper for paper in papers if paper.root == row["root"]), None)
    if paper is None:
        scores = [_held_by([], needed, frozenset()) for _, needed in read_claims(row)]
    else:
        state = build_paper_state(paper)
        scores = [score(state, claim, needed) for claim, needed in read_claims(row)]
    return sum(scores, NO_SCORE)


def lines(total: ContextScore) -> Iterator[str]:
    """A score as text."""
    for kind in sorted(total.needed, key=lambda kind: -total.needed[kind]):
        share = total.held[kind] / total.needed[kind]
        yield f"{kind:12} {total.held[kind]:5} of {total.needed[kind]:5} held  {share:6.1%}"
    share = total.used / max(1, total.entries)
    yield f"entries      {total.used:5} of {total.entries:5} needed {share:6.1%}"
    yield f"claims       {total.lacking:5} of {total.claims:5} lack something essential"


def main(arguments: Sequence[str]) -> None:
    """Print the sums over the papers of a list that are here."""
    listed, clones, *halves = arguments
    total, absent = NO_SCORE, []
    for line in Path(listed).read_text("utf-8").splitlines():
        row = json.loads(line)
        if halves and row["half"] not in halves:
            continue
        clone = find_clone(Path(clones), row["repository"])
        if clone is None:
            absent.append(row["repository"])
            continue
        total += score_paper(row, clone)
    told = [*lines(total), *([f"not here: {', '.join(absent)}"] if absent else [])]
    sys.stdout.write("\n".join((*told, "")))


if __name__ == "__main__":
    main(sys.argv[1:])
