"""`pf bench proofs`: proofs with one grade each, listed, priced, or read by a model."""

import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from textwrap import wrap

from pfcore.bench.cli.run_benchmark import (
    UNNAMED,
    BenchmarkOptions,
    bench,
    left_out_text,
    proof_items,
)
from pfcore.bench.runs.benchmark_rows import FileRows
from pfcore.bench.runs.benchmark_run import contract, method_stages
from pfcore.bench.runs.graded_proofs import GradedProof, load_graded_proofs
from pfcore.bench.runs.run_prices import Prices, benchmark_at_most, likely_benchmark
from pfcore.bench.runs.saved_run import Benchmark
from pfcore.bench.terminal_table import Cell, table_lines
from pfcore.cli.local_data import asker
from pfcore.cli.pricing import price_words
from pfcore.domain.paper_settings import PaperSettings
from pfcore.reporters.printing import Style, plural, safe, shortened
from pfcore.verification.prompt import ActionFactory

_WIDEST = 40
"""The most characters of a file's name in the overview."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofsOverview:
    """What would be read: `rows` in the order of `files`; `price` is a sentence about all of it."""

    rows: Sequence[GradedProof]
    files: Sequence[FileRows]
    price: str


def grade_proofs(wanted: BenchmarkOptions, echo: Callable[[str], None]) -> int:
    """Have proofs read and compare with their grades; without a model, say what would be read.

    3 if some proof has no verdict in some rollout.
    """
    if wanted.reader.model or wanted.simulate:
        return bench(wanted, echo)
    loaded = load_graded_proofs(wanted.rows)
    sys.stderr.write(left_out_text(loaded.broken, wanted.style))
    shown = ProofsOverview(rows=loaded.rows, files=loaded.files, price=_price(wanted, loaded.rows))
    echo(wanted.style.finish(_overview(shown, wanted.style)))
    return 0


def _price(wanted: BenchmarkOptions, rows: Sequence[GradedProof]) -> str:
    """The cost of reading with the model that the documentation suggests."""
    versions = method_stages(Benchmark.PROOFS, wanted.method)
    prompt, versions = asker(wanted.reader.prompts, versions)
    asked = contract(
        UNNAMED, PaperSettings.default(), Benchmark.PROOFS, versions, self_repair=False
    )
    items = proof_items(wanted, rows, ActionFactory(contract=asked, prompt=prompt))
    prices = Prices(reader=UNNAMED.price)
    every = items * wanted.k
    words = price_words(benchmark_at_most(every, prices), likely_benchmark(every, prices))
    times = "once" if wanted.k == 1 else f"{wanted.k} times each"
    return f"{plural(len(items), 'proof')}, {times}, by {UNNAMED.model}: {words}"


def _overview(shown: ProofsOverview, style: Style) -> Iterator[str]:
    right = sum(row.is_right for row in shown.rows)
    head = f"{plural(len(shown.rows), 'proof')} of {plural(_problems(shown.rows), 'problem')}"
    yield f"{style.paint(head, 'bold')}: {right:,} right, {len(shown.rows) - right:,} wrong"
    yield ""
    columns = ("file", "proofs", "right", "wrong", "problems", "characters", "broken")
    yield from table_lines(columns, _by_file(shown))
    yield "Characters are the median of a problem with its proof."
    yield ""
    yield from wrap(shown.price, style.width)
    yield "No model was used. To have them read: --model NAME"


def _by_file(shown: ProofsOverview) -> Iterator[list[Cell]]:
    rows = iter(shown.rows)
    for file in shown.files:
        own = list(islice(rows, file.usable))
        right = sum(row.is_right for row in own)
        size = statistics.median_low(len(row.problem) + len(row.proof) for row in own)
        name = shortened(safe(file.path.name), _WIDEST)
        counts = (len(own), right, len(own) - right, _problems(own), size, file.broken)
        yield [name, *counts]


def _problems(rows: Sequence[GradedProof]) -> int:
    return len({row.group or row.name for row in rows})
