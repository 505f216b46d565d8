"""How reading time grows with the size of the input, hostile input included.

python -m pfcore.bench.speed.growth [KILOBYTES]

For each kind of input it prints the time for one size, and its ratios for twice and four times that
size; 2 and 4 mean linear growth.
"""

import sys
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time

from pfcore.bench.terminal_table import show
from pfcore.latex import reader
from pfcore.latex.project import syntax
from pfcore.latex.project.recipes import SplicedSource
from pfcore.latex.project.survey import survey_file

_KILOBYTES = 100
_RUNS = 3
_UNIT = (
    r"\begin{lemma}\label{a} If $x>0$ then \emph{tame} $f(x)\ge 0$, see \cref{b}.\end{lemma}"
    "\n\\begin{proof} By Lemma~\\ref{a} and \\eqref{c}. % note\n\\end{proof}\n\n"
)


def _in_proof(unit: str, size: int) -> str:
    return r"\begin{proof}" + unit * (size // len(unit)) + r"\end{proof}"


KINDS: dict[str, Callable[[int], str]] = {
    "a paper": lambda size: _UNIT * (size // len(_UNIT)),
    "one line": lambda size: "word $x$ " * (size // 9),
    "braces never closed": lambda size: r"\emph{" * (size // 6),
    "nested braces": lambda size: "{" * (size // 2) + "}" * (size // 2),
    "environments never closed": lambda size: r"\begin{itemize}" * (size // 15),
    "lemmas never closed": lambda size: r"\begin{lemma}" * (size // 13),
    "ends without begin": lambda size: r"\end{lemma}" * (size // 11),
    "brackets": lambda size: r"\section[" * (size // 9),
    "dollars": lambda size: "$" * size,
    "comments": lambda size: "%\n" * (size // 2),
    "conditions": lambda size: r"\iffalse " * (size // 9),
    "definitions": lambda size: r"\def\x{\x\x}" * (size // 12),
    "an expansion bomb": lambda size: (
        r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\def\d{\e\e}\begin{lemma}" + r"\a" * (size // 2)
    ),
    "steps": lambda size: _in_proof(
        r"\textbf{Step 1: $f$ is open.} Let $x$ be so, by Step 1. ", size
    ),
    "claims": lambda size: _in_proof(r"\emph{Claim.} $f$ is open. By the claim, Claim A. ", size),
    "claims with proofs": lambda size: _in_proof(
        r"\emph{Claim.} $f$ is open. \begin{proof} See. \end{proof} Let $x$ be so. ", size
    ),
    "steps in items": lambda size: _in_proof(
        r"\begin{itemize}\item[Step 1] We show that $f$ is open. See. ", size
    ),
    "steps in items that end": lambda size: _in_proof(
        r"\begin{itemize}\item[Step 1] We show that $f$ is open. See. ", size // 2
    ).replace(r"\end{proof}", r"\end{itemize}" * (size // 2 // 64) + r"\end{proof}"),
    "steps in proofs": lambda size: r"\begin{proof}\textbf{Step 1: $f$ is open.} " * (size // 44),
    "throughout": lambda size: "Throughout this section we " * (size // 27),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table."""
    arguments = argv if argv is not None else sys.argv[1:]
    size = 1_000 * (int(arguments[0]) if arguments else _KILOBYTES)
    rows: list[list[str]] = []
    for name, make in KINDS.items():
        times = [_seconds(make(size * factor)) for factor in (1, 2, 4)]
        ratios = [f"{time / times[0]:.1f}" for time in times[1:]]
        rows.append([name, f"{size // 1_000}", f"{times[0]:.3f}", *ratios])
    show(["input", "KB", "seconds", "x2", "x4"], rows)
    return 0


def _seconds(text: str) -> float:
    return median(_once(text) for _ in range(_RUNS))


def _once(text: str) -> float:
    start = process_time()
    found = survey_file(text)
    macros = {item.name: item.macro for item in found.macros}
    how = syntax.build(syntax.Declared(macros=macros), syntax.Custom())
    reader.parse_latex_file(SplicedSource(text, found.silent), how)
    return process_time() - start


if __name__ == "__main__":
    sys.exit(main())
