"""How much of papers the report shows as raw LaTeX: formulas, commands in prose, keys of labels.

Called as `python -m pfcore.bench.quality.typesetting [-v] FOLDER…`; each folder is a paper's.
"""

import html
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.reporters.html.mathml import formula_mathml
from pfcore.reporters.html.page_entries import PaperOnPage
from pfcore.reporters.module_names import PrintedIds
from pfcore.repository import snapshot
from pfcore.review.review import Report, review

_MATH = re.compile(r"<math\b.*?</math>", re.DOTALL)
_DRAWING = re.compile(r"<pre>.*?</pre>", re.DOTALL)
_UNKNOWN = re.compile(r'<mtext class="tex">(\\[^<]*)</mtext>')
_LOST = "<mi>&amp;</mi>"
"""A column separator outside of any table."""
_RAW = re.compile(r'<code class="tex">(.*?)</code>', re.DOTALL)
_FENCES = ("$", "\\[", "\\(", "\\begin", "\\ensuremath")
_DRAWN = re.compile(r"<summary>a (?:diagram|drawing or table), as LaTeX</summary>")
_KEY = re.compile(r"\[[^\]\[<>\s]*[:._][^\]\[<>\s]*\]")
_MOST = 12


class TypesetScore(NamedTuple):
    """Counts for a paper's texts: formulas, raw ones, raw commands in prose, keys, drawings.

    A formula is raw if all of it or a command in it is shown as LaTeX.
    """

    formulas: int
    raw: Counter[str]
    commands: Counter[str]
    keys: Counter[str]
    drawings: int

    @property
    def share(self) -> float:
        """The percentage of raw formulas."""
        return 100 * self.raw.total() / self.formulas if self.formulas else 0.0


def passages(report: Report) -> Iterator[str]:
    """Each statement and each proof of a report, as its page shows them."""
    names = PrintedIds(report)
    for paper in report.papers:
        at = PaperOnPage(
            paper=paper,
            ids=names.of(paper),
            maths=lambda text, display: formula_mathml(text, display=display),
        )
        for name in at.shown:
            for number in range(len(at.modules[name].proofs) + 1):
                yield at.text(name, number, [])


def typeset_score(texts: Iterable[str]) -> TypesetScore:
    """Count what is raw in the HTML of statements and proofs."""
    formulas = drawings = 0
    raw: Counter[str] = Counter()
    commands: Counter[str] = Counter()
    keys: Counter[str] = Counter()
    for text in texts:
        made = _MATH.findall(text)
        words = _DRAWING.sub(" ", _MATH.sub(" ", text))
        left = [html.unescape(found) for found in _RAW.findall(words)]
        whole = [found for found in left if found.startswith(_FENCES)]
        partly = [" ".join(unknown) for found in made if (unknown := _UNKNOWN.findall(found))]
        partly += ["&" for found in made if _LOST in found]
        formulas += len(made) + len(whole)
        raw.update([*whole, *partly])
        commands.update(found for found in left if not found.startswith(_FENCES))
        keys.update(_KEY.findall(words))
        drawings += len(_DRAWN.findall(text))
    return TypesetScore(formulas, raw, commands, keys, drawings)


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each folder; with `-v` also the most common raw texts."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    is_verbose = "-v" in arguments
    lines = [
        f"{'folder':28}{'formulas':>9}{'raw':>5}{'%':>7}{'commands':>9}{'keys':>5}{'drawn':>6}"
    ]
    for folder in (item for item in arguments if item != "-v"):
        found = review(None, snapshot.from_folder(Path(folder)), ParseCache(MemoryCache()))
        score = typeset_score(passages(found))
        lines.append(
            f"{folder[-27:]:28}{score.formulas:9}{score.raw.total():5}{score.share:7.2f}"
            f"{score.commands.total():9}{score.keys.total():5}{score.drawings:6}"
        )
        for counted in (score.raw, score.commands, score.keys) if is_verbose else ():
            lines += [f"{count:9} {text[:160]}" for text, count in counted.most_common(_MOST)]
    print("\n".join(lines))  # noqa: T201 - an entry point prints
    return 0


if __name__ == "__main__":
    sys.exit(main())
