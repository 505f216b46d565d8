"""Compares the rendered numbers of real papers with those that LaTeX gave them.

Called as `python -m pfcore.bench.quality.numbers CORPUS`; the truth is CORPUS/*/_truth/labels.json.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pfcore.bench.real_papers import paper, papers_with_truth
from pfcore.latex.numbering.counter_state import Number
from pfcore.papers.rendered_numbers import Numbers, paper_numbers
from pfcore.repository import snapshot

_SECTIONS = frozenset(
    """part chapter section subsection subsubsection paragraph appendix subappendix
    subsubappendix""".split()
)
_ITEMS = frozenset({"enumi", "enumii", "enumiii", "enumiv", "exenumi", "subexenumi", "item"})
_FLOATS = frozenset({"figure", "table", "page", "Item", "footnote", "Hfootnote", "algorithm"})
GROUPS = ("theorem", "equation", "section", "other")


class Miss(NamedTuple):
    """A label whose number is not the right one."""

    paper: str
    group: str
    key: str
    expected: str
    got: Number | None


class NumberScore(NamedTuple):
    """How many labels of each group are right, wrong, uncertain; and those that are not right."""

    counts: Counter[tuple[str, str]]
    misses: tuple[Miss, ...]


def scores(corpus: Path) -> Iterator[tuple[str, NumberScore]]:
    """The score of each paper whose numbers are known."""
    for item in papers_with_truth(corpus, "labels.json"):
        got = paper_numbers(paper(snapshot.from_folder(item.folder), item.main))
        yield item.name, score(item.name, item.truth, got)


def score(name: str, truth: Mapping[str, Mapping[str, str]], got: Numbers) -> NumberScore:
    """Compare a paper's numbers with the true ones."""
    counts: Counter[tuple[str, str]] = Counter()
    misses: list[Miss] = []
    for key, said in truth.items():
        group = _group(said, got.labels.get(key))
        found = got.labels.get(key)
        outcome = _outcome(said["number"], found)
        counts[group, outcome] += 1
        if outcome != "right":
            misses.append(Miss(name, group, key, said["number"], found))
    return NumberScore(counts, tuple(misses))


def _group(said: Mapping[str, str], found: Number | None) -> str:
    """The group of what has a number, by cleveref's kind or else by hyperref's anchor."""
    kind = said.get("kind") or said.get("anchor", "").partition(".")[0]
    if kind in ("equation", "AMS"):
        return "equation"
    if kind in _SECTIONS:
        return "section"
    return "other" if not kind or kind in _ITEMS | _FLOATS else "theorem"


def _outcome(expected: str, found: Number | None) -> str:
    if found is None or not found.certain:
        return "uncertain"
    return "right" if _plain(found.text) == _plain(expected) else "wrong"


_TITLED = re.compile(r"\\M@TitleReference\s*\{(.*)\}\{[^{}]*\}", re.DOTALL)
"""The number and the title of an item's section, as memoir writes them into a label."""


def _plain(text: str) -> str:
    titled = _TITLED.fullmatch(text.strip())
    return re.sub(r"\\[a-z]+\s*|[{}$\s]", "", titled[1] if titled else text)


def _row(name: str, counts: Counter[tuple[str, str]]) -> str:
    cells = [
        "/".join(str(counts[group, outcome]) for outcome in ("right", "wrong", "uncertain"))
        for group in GROUPS
    ]
    return f"{name:22}" + "".join(f"{cell:>16}" for cell in cells)


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, then each label that is wrong or, with `-v`, uncertain."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    is_verbose = "-v" in arguments
    folder = next((item for item in arguments if item != "-v"), "../shared/corpus")
    total: Counter[tuple[str, str]] = Counter()
    misses: list[Miss] = []
    lines = [f"{'right/wrong/uncertain':22}" + "".join(f"{group:>16}" for group in GROUPS)]
    for name, made in scores(Path(folder)):
        total += made.counts
        misses += made.misses
        lines.append(_row(name, made.counts))
    lines.append(_row("total", total))
    shown = [miss for miss in misses if is_verbose or (miss.got and miss.got.certain)]
    lines += [f"{m.paper} {m.group} {m.key}: {m.expected}, got {m.got}" for m in shown]
    print("\n".join(lines))  # noqa: T201 - an entry point prints
    return 0


if __name__ == "__main__":
    sys.exit(main())
