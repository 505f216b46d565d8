"""`pf bench`: how well proofs are read, measured on what is known to be wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pfcore.bench.cli import bench_collect, bench_paper, bench_report, bench_runs
from pfcore.cli.options import EPILOG

if TYPE_CHECKING:
    from pfcore.cli.options import Commands


def register(commands: Commands) -> None:
    """Add it to the command line."""
    text = "measure how well proofs are read"
    parser = commands.add_parser("bench", help=text, description=text, epilog=EPILOG)
    benchmarks = parser.add_subparsers(metavar="BENCHMARK", required=True)
    bench_runs.register_run_benchmarks(benchmarks)
    bench_paper.register_paper_benchmarks(benchmarks)
    bench_report.register_report(benchmarks)
    bench_collect.register_collect(benchmarks)
