"""Compares statements and their numbers in arbitrary papers with LaTeX's numbers.

Called as `python -m pfcore.bench.quality.unprepared LIST CLONES [HALF] [-v]`: LIST has a paper a
line, with repository, commit, root, half and `truth`, each label with its environment and number
(`tests/data/unprepared/numbers.jsonl`); CLONES holds a clone of each as OWNER+NAME or OWNER/NAME.
Without `-v` only sums are printed.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from pfcore.bench.real_papers import Edited, apply_edit, paper
from pfcore.domain.errors import PfError
from pfcore.graph.paper_state import Numbering, build_paper_state
from pfcore.papers.paper import Paper
from pfcore.repository import snapshot
from pfcore.repository.git import find_repository

OUTCOMES = ("right", "wrong", "silent", "lost")


class Outcome(NamedTuple):
    """The result for each label of a statement: right, wrong, silent (not printed) or lost."""

    repository: str
    labels: Mapping[str, str]
    fault: str = ""

    @property
    def counts(self) -> Counter[str]:
        """How many labels had each outcome."""
        return Counter(self.labels.values())


def outcomes(listed: Sequence[Mapping[str, Any]], clones: Path) -> Iterator[Outcome]:
    """The outcome of each paper that compiled and has a clone."""
    for item in listed:
        folder = _clone(clones, item["repository"])
        repository = find_repository(folder) if folder and "truth" in item else None
        if repository is None:
            continue
        try:
            taken = snapshot.from_revision(repository, item["commit"])
            named = f'[[paper]]\nname = "paper"\nroot = {json.dumps(item["root"])}\n'
            taken = apply_edit(taken, Edited(subject="", files={"pf.toml": named}))
            made = compared(paper(taken, item["root"]), item["truth"])
        except PfError as error:
            yield Outcome(item["repository"], {}, str(error))
        else:
            yield Outcome(item["repository"], made)


def _clone(clones: Path, name: str) -> Path | None:
    owner, _, rest = name.partition("/")
    candidates = (clones / f"{owner}+{rest}", clones / owner / rest)
    return next((path for path in candidates if path.is_dir()), None)


def compared(found: Paper, truth: Mapping[str, Sequence[str | None]]) -> dict[str, str]:
    """The outcome of each label of a paper; one that LaTeX gives no number counts only if lost."""
    document = build_paper_state(found).document
    numbering = Numbering(found)
    modules = document.modules.values()
    # An item without a number has the number of the statement around it.
    by_label = {label: module for module in modules for label in module.statement.anchors}
    by_label |= {label: module for module in modules for label in module.labels}
    made: dict[str, str] = {}
    for label, (_, number) in truth.items():
        module = by_label.get(" ".join(label.split()))
        true = _plain(number)
        mine = numbering.of(module) if module else None
        if module is None:
            made[label] = "lost"
        elif true:
            made[label] = "silent" if mine is None else _compared(mine, true)
    return made


def _compared(mine: str, true: str) -> str:
    return "right" if _plain(mine) == true else "wrong"


def _plain(number: str | None) -> str:
    return "".join((number or "").replace("*", "").split())


def table(made: Sequence[Outcome]) -> list[str]:
    """The sums: the share of labels found, and among those the share of each outcome."""
    total: Counter[str] = sum((item.counts for item in made), Counter())
    found = total.total() - total["lost"]
    silent = sum(item.counts["silent"] > 0 == item.counts["right"] for item in made)
    lines = [
        f"papers {len(made)}, could not be read {sum(bool(item.fault) for item in made)}",
        f"labelled statements {total.total()}, found {_share(found, total.total())}",
    ]
    lines += [f"numbers {name}: {_share(total[name], found)}" for name in OUTCOMES[:3]]
    return [*lines, f"papers in which all numbers are silent: {silent}"]


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.2f} %)" if whole else "none"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the sums for a half, or for all; with `-v` each paper that is not entirely right."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    is_verbose = "-v" in arguments
    listed, clones, *half = (item for item in arguments if item != "-v")
    lines = Path(listed).read_text("utf-8").splitlines()
    items = [item for item in map(json.loads, lines) if not half or item["half"] == half[0]]
    made = list(outcomes(items, Path(clones)))
    shown = table(made)
    if is_verbose:
        for item in made:
            odd = {label: what for label, what in item.labels.items() if what != "right"}
            if odd or item.fault:
                shown.append(f"{item.repository}: {item.fault or odd}")
    print("\n".join(shown))  # noqa: T201 - an entry point prints
    return 0


if __name__ == "__main__":
    sys.exit(main())
