"""The benchmarks of the paper, on data that the user brings."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli import screen
from pfcore.cli.exit_status import say
from pfcore.cli.options import EPILOG, positive_count, rates, spending

if TYPE_CHECKING:
    from pfcore.cli.options import Commands


def register_run_benchmarks(commands: Commands) -> None:
    """Add them to `pf bench`."""
    text = "competition proofs whose steps are labelled: Hard2Verify, decrypted"
    proofs = commands.add_parser("hard2verify", help=text, description=text, epilog=EPILOG)
    proofs.add_argument("rows", type=Path, metavar="ROWS", help="JSON lines, or an array")
    _common(proofs)
    proofs.set_defaults(run=_hard2verify)
    text = "papers with known errors: ArxivMathGradingBench"
    papers = commands.add_parser("arxiv", help=text, description=text, epilog=EPILOG)
    papers.add_argument("rows", type=Path, metavar="ROWS", help="JSON lines, or an array")
    papers.add_argument("pdfs", type=Path, metavar="PDFS", help="the folder of the papers' PDFs")
    papers.add_argument(
        "--judge-model", metavar="NAME", help="judges locations; the one that reads, if none"
    )
    _common(papers)
    papers.set_defaults(run=_arxiv)


def _common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--model", metavar="NAME", help="measure this model")
    parser.add_argument(
        "--method",
        choices=("direct", "pf"),
        default="pf",
        help="one question about the whole, or taken apart and read block by block; pf",
    )
    parser.add_argument(
        "--self-repair",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="compare each piece of a rewriting with the original, and rewrite what differs; yes",
    )
    parser.add_argument(
        "-k",
        type=positive_count,
        metavar="K",
        default=3,
        help="rollouts: all rows once, then again; 3",
    )
    parser.add_argument("--limit", type=positive_count, metavar="N", help="only the first N rows")
    parser.add_argument("--prompts", type=Path, metavar="DIR", help="other prompts")
    parser.add_argument(
        "--simulate",
        type=rates,
        metavar="RECALL,ALARMS",
        help="ask nobody: a simulated reader finds and errs with these chances in made-up rows",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", default=Path("pf-bench"), help="for runs; pf-bench"
    )
    parser.add_argument("--plain", action="store_true", help="ASCII without colours")
    spending(parser)
    parser.set_defaults(offline=False)


def _hard2verify(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.run_benchmark import bench
    from pfcore.bench.runs.saved_run import Benchmark

    return bench(arguments, Benchmark.HARD2VERIFY, screen.style(arguments), say)


def _arxiv(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.run_benchmark import bench
    from pfcore.bench.runs.saved_run import Benchmark

    return bench(arguments, Benchmark.ARXIV, screen.style(arguments), say)
