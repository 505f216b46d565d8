"""What the computation check sees in real papers, and how many planted slips it finds.

python -m pfcore.bench.quality.computation ../shared/corpus
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from pfcore.checks.algebra import equality_check
from pfcore.checks.algebra.chains import Chain, MathToken, Meaning, units
from pfcore.checks.algebra.equality_check import EqualityLink
from pfcore.checks.check import CheckInput
from pfcore.domain.values import Finding
from pfcore.graph.paper_state import build_paper_state
from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

_SLIPS = 6
_SEED = 20_240


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """How many planted slips make a chain false, and how many of these are found."""

    planted: int = 0
    caught: int = 0

    def __add__(self, other: "Recall") -> "Recall":
        return Recall(planted=self.planted + other.planted, caught=self.caught + other.caught)

    def __str__(self) -> str:
        share = f" ({self.caught / self.planted:.0%})" if self.planted else ""
        return f"{self.caught} of {self.planted}{share}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputationTally:
    """One paper: equalities, links that are read, links behind the gates, findings, recall."""

    name: str
    equalities: int
    read: int
    gated: int
    findings: tuple[Finding, ...]
    behind_gates: Recall
    overall: Recall


def tallies(folder: Path) -> Iterator[ComputationTally]:
    """The tally of each paper below a folder."""
    found = discover_papers(snapshot.from_folder(folder), ParseCache(MemoryCache()))
    (check,) = equality_check.CHECKS
    for paper in found.papers:
        scene = CheckInput(state=build_paper_state(paper))
        texts = list(equality_check.texts(scene))
        links = [
            (text, meaning, link)
            for _, text, meaning in texts
            for link in equality_check.links(text, meaning)
        ]
        true = [item for item in links if equality_check.holds(item[2], item[0])]
        gated = [item for item in true if _is_gated(item[0], item[2])]
        yield ComputationTally(
            name=f"{folder.name}/{paper.name}",
            equalities=sum(equalities(text) for _, text, _ in texts),
            read=len(links),
            gated=sum(link.is_wide and link.is_closed for _, _, link in links),
            findings=tuple(check.run(scene, check)),
            behind_gates=recall(gated),
            overall=recall(true),
        )


def equalities(text: str) -> int:
    """The number of equality signs in the mathematics of a masked text."""
    return sum(
        text.count("=", unit.start, unit.end) - sum(text.count("=", *hole) for hole in unit.holes)
        for unit in units(text)
    )


def _is_gated(text: str, link: EqualityLink) -> bool:
    return link.is_wide and link.is_closed and not equality_check.is_hinted(link, text)


def recall(links: Iterable[tuple[str, Meaning, EqualityLink]], *, slips: int = _SLIPS) -> Recall:
    """Plant slips of a sign or a number in links that hold, one at a time."""
    found = Recall()
    for text, meaning, link in links:
        chance = Random(f"{_SEED} {text[link.left.start : link.right.end]}")  # noqa: S311
        for _ in range(slips):
            found += _planted(text, meaning, link, chance)
    return found


def _planted(text: str, meaning: Meaning, link: EqualityLink, chance: Random) -> Recall:
    """The recall for one slip in a link; it counts if it makes a link of the chain false."""
    tokens = list(_editable(link, text))
    if not tokens:
        return Recall()
    token = chance.choice(tokens)
    new = _slipped(token.text, chance)
    changed = text[: token.start] + new + text[token.end :]
    start, end = link.chain.unit.start, link.chain.unit.end + len(new) - len(token.text)
    same = [
        other
        for other in equality_check.links(changed, meaning)
        if other.chain.unit.start == start and other.left.start <= token.start < other.right.end
    ]
    if not any(equality_check.falsified(other, changed) for other in same):
        return Recall()
    caught = any(
        start <= slip.link.left.start < end for slip in equality_check.slips(changed, meaning)
    )
    return Recall(planted=1, caught=int(caught))


def _editable(link: EqualityLink, text: str) -> Iterator[MathToken]:
    """The signs and numbers of a link that are in the text itself and not in subscripts."""
    for member in _members(link):
        depth = 0
        for before, token in zip((None, *member), member, strict=False):
            is_below = before is not None and before.text == "_"
            if depth or (is_below and token.text == "{"):
                depth += (token.text == "{") - (token.text == "}")
            elif is_below or text[token.start : token.end] != token.text:
                continue
            elif token.text in ("+", "-") or token.kind == "number":
                yield token


def _members(link: EqualityLink) -> Sequence[Sequence[MathToken]]:
    chain: Chain = link.chain
    return [
        member
        for member in chain.members
        if member and link.left.start <= member[0].start and member[-1].end <= link.right.end
    ]


def _slipped(old: str, chance: Random) -> str:
    if old in ("+", "-"):
        return "-" if old == "+" else "+"
    number = int(float(old))
    return str(max(number + chance.choice((-1, 1)), 2 if number == 1 else 1))


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tally of each paper below the folders of a corpus."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    folder = parser.parse_args(argv).corpus
    behind_gates = overall = Recall()
    for place in sorted(item for item in folder.iterdir() if item.is_dir()):
        if not any(place.rglob("*.tex")):
            continue
        for tally in tallies(place):
            behind_gates += tally.behind_gates
            overall += tally.overall
            _print(tally)
    sys.stdout.write(f"planted slips caught: {behind_gates} behind the gates, {overall} overall\n")
    return 0


def _print(tally: ComputationTally) -> None:
    sys.stdout.write(
        f"{tally.name}: {tally.equalities} equalities, {tally.read} links read, {tally.gated} "
        f"behind the gates, {len(tally.findings)} alarms; planted slips caught: "
        f"{tally.behind_gates} behind the gates, {tally.overall} overall\n"
    )
    for finding in tally.findings:
        place = finding.location
        sys.stdout.write(f"  {place.path}:{place.line}:{place.column} {finding.quote}\n")
        sys.stdout.write(f"    {finding.message}\n")


if __name__ == "__main__":
    raise SystemExit(main())
