"""`pf bench`: how well proofs are read, measured on known errors.

The paper's benchmarks, on data that the user provides; benchmarks that need only the user's own
paper; corrections in the histories of public texts; reports on saved runs; answers recorded by
others; and the collection of papers with known errors.
"""

from __future__ import annotations

import argparse
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli.environment import HERE
from pfcore.cli.exit_status import say
from pfcore.cli.options import (
    EPILOG,
    add_format,
    add_prompts,
    add_reading_options,
    command,
    output_options,
    positive_count,
    rates,
    reader_options,
    review_options,
    revision,
    spending,
)
from pfcore.domain.paper_settings import GRANULARITIES

if TYPE_CHECKING:
    from pfcore.cli.options import Commands


def register(commands: Commands) -> None:
    """Add the command `pf bench`."""
    text = "measure how well proofs are read"
    parser = commands.add_parser("bench", help=text, description=text, epilog=EPILOG)
    benchmarks = parser.add_subparsers(metavar="BENCHMARK", required=True)
    register_run_benchmarks(benchmarks)
    register_paper_benchmarks(benchmarks)
    register_errata(benchmarks)
    register_report(benchmarks)
    register_replay(benchmarks)
    register_collect(benchmarks)


def register_run_benchmarks(commands: Commands) -> None:
    """Add these benchmarks to `pf bench`."""
    text = "solutions whose steps are labelled: Hard2Verify (decrypted), PRMBench, Mr-Ben"
    steps = commands.add_parser("hard2verify", help=text, description=text, epilog=EPILOG)
    steps.add_argument(
        "rows", type=Path, nargs="+", metavar="ROWS", help="JSON lines, or an array; as published"
    )
    _common(steps, _TAKEN_APART, _LABELS)
    _self_repair(steps)
    steps.set_defaults(benchmark="hard2verify", pdfs=None, judge_model=None)
    text = "whole proofs with one grade: Open Proof Corpus, DeepSeek-Math-V2, or rows of your own"
    proofs = commands.add_parser(
        "proofs",
        help=text,
        description=f"{text}. Without --model: show what would be read, and its price",
        epilog=EPILOG,
    )
    proofs.add_argument(
        "rows",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="as published, or JSON lines: id, problem, proof, right (or grade and full), group",
    )
    _common(
        proofs,
        "ask one question, or read and calibrate as for a result of a paper (default pf)",
        _LABELS,
    )
    proofs.set_defaults(benchmark="proofs", pdfs=None, judge_model=None, self_repair=False)
    text = "papers with known errors: ArxivMathGradingBench"
    papers = commands.add_parser("arxiv", help=text, description=text, epilog=EPILOG)
    papers.add_argument("rows", type=Path, nargs=1, metavar="ROWS", help="JSON lines, or an array")
    papers.add_argument("pdfs", type=Path, metavar="PDFS", help="folder of the papers' PDFs")
    papers.add_argument(
        "--judge-model", metavar="NAME", help="model that judges locations (default: --model)"
    )
    _common(papers, _TAKEN_APART, "in made-up papers")
    _self_repair(papers)
    papers.set_defaults(benchmark="arxiv")


_TAKEN_APART = "ask one question about the whole, or split it and read each block (default pf)"
_LABELS = "according to the labels of the rows"


def _common(parser: argparse.ArgumentParser, methods: str, truth: str) -> None:
    """The common options; `methods` and `truth` explain the methods and the simulated reader."""
    parser.add_argument("--model", metavar="NAME", help="measure this model")
    parser.add_argument(
        "--method",
        choices=("direct", "pf"),
        default="pf",
        help=methods,
    )
    parser.add_argument(
        "-k",
        type=positive_count,
        metavar="K",
        default=3,
        help="rollouts of all rows (default 3)",
    )
    parser.add_argument("--limit", type=positive_count, metavar="N", help="only the first N rows")
    add_prompts(parser)
    parser.add_argument(
        "--simulate",
        type=rates,
        metavar="RECALL,ALARMS",
        help="use no model: a simulated reader finds errors and raises false alarms at these "
        f"rates {truth}",
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("pf-bench"),
        help=("folder for runs (default pf-bench)"),
    )
    parser.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    spending(parser)
    parser.set_defaults(run=_bench)


def _self_repair(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--self-repair",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="compare each rewritten piece with the original, and correct it (default yes)",
    )


def _bench(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.grade_proofs import grade_proofs
    from pfcore.bench.cli.run_benchmark import BenchmarkOptions, bench
    from pfcore.bench.runs.saved_run import Benchmark, Method

    wanted = BenchmarkOptions(
        benchmark=Benchmark(arguments.benchmark),
        rows=tuple(arguments.rows),
        pdfs=arguments.pdfs,
        method=Method(arguments.method),
        self_repair=arguments.self_repair,
        k=arguments.k,
        limit=arguments.limit,
        simulate=arguments.simulate,
        judge_model=arguments.judge_model,
        out=arguments.out,
        reader=reader_options(arguments),
        style=output_options(arguments).style,
    )
    return (grade_proofs if wanted.benchmark is Benchmark.PROOFS else bench)(wanted, say)


_OPERATORS = (
    *("dropped-hypothesis", "flipped-inequality", "swapped-quantifiers", "off-by-one-index"),
    *("wrong-cited-lemma", "strengthened-use", "sign-or-constant", "missing-case"),
    "circular-citation",
)
"""Listed here as well, so that other commands need not load the benchmarks."""


def register_paper_benchmarks(commands: Commands) -> None:
    """Add these benchmarks to `pf bench`."""
    text = "plant errors in a paper's own proofs, and see which are found"
    mutate = command(commands, "mutate", _mutate, text)
    add_format(mutate)
    mutate.add_argument(
        "--operator", action="append", choices=_OPERATORS, help="plant only errors of this kind"
    )
    mutate.add_argument(
        "--each",
        type=positive_count,
        metavar="N",
        default=5,
        help=("max. errors of each kind (default 5)"),
    )
    mutate.add_argument("--limit", type=positive_count, metavar="N", help="max. errors")
    mutate.add_argument(
        "--seed", type=_whole, metavar="S", default=0, help=("seed of the sample (default 0)")
    )
    mutate.add_argument(
        "--granularity",
        action="append",
        choices=GRANULARITIES,
        help="granularity to measure (default: all three)",
    )
    mutate.add_argument(
        "--strictness",
        action="append",
        type=_level,
        metavar="LEVEL",
        help="lenient, standard, pedantic, or a sentence (default: as configured)",
    )
    mutate.add_argument(
        "--simulate",
        type=rates,
        metavar="RECALL,ALARMS",
        help="use no model: a simulated reader finds errors and raises false alarms at these rates",
    )
    mutate.add_argument(
        "--lock",
        action=argparse.BooleanOptionalAction,
        help="record the result in pf.lock (default, unless simulated)",
    )
    spending(mutate)
    add_reading_options(mutate)
    text = "count what reading a paper takes, compared with the reference implementation"
    cost = command(commands, "cost", _cost, text)
    cost.add_argument(
        "--out", type=Path, metavar="DIR", help="draw the length of calls as a picture"
    )
    text = "count what contexts contain and lack, in one paper or many"
    contexts = commands.add_parser("contexts", help=text, description=text, epilog=EPILOG)
    contexts.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help=("repository or folder (default: this one)"),
    )
    contexts.add_argument(
        "--head", metavar="REV", type=revision, help="measure this revision, not the files"
    )
    contexts.add_argument("--paper", metavar="NAME", help="choose one of several papers")
    add_format(contexts)
    contexts.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    contexts.set_defaults(run=_contexts)


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"invalid number '{text}': expected 0 or more")
    return int(text)


def _level(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(f"invalid strictness '{text}'")
    return text


def _cost(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.report_runs import measure

    return measure(review_options(arguments), arguments.out, say)


def _contexts(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.report_runs import ContextOptions, measure_contexts

    wanted = ContextOptions(
        paths=tuple(arguments.paths) or (HERE,),
        head=arguments.head,
        paper=arguments.paper,
        is_json=arguments.format == "json",
        style=output_options(arguments).style,
    )
    return measure_contexts(wanted, say)


def _mutate(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.plant_errors import MutateOptions, mutate

    wanted = MutateOptions(
        review=review_options(arguments),
        operators=tuple(arguments.operator or ()),
        each=arguments.each,
        limit=arguments.limit,
        seed=arguments.seed,
        granularities=tuple(arguments.granularity or ()),
        strictnesses=tuple(arguments.strictness or ()),
        simulate=arguments.simulate,
        is_recorded=arguments.lock,
    )
    return mutate(wanted, say)


def register_errata(commands: Commands) -> None:
    """Add this command to `pf bench`."""
    text = "real corrections in public histories: each result read before, after, and as it is now"
    errata = commands.add_parser("errata", help=text, description=text, epilog=EPILOG)
    source = errata.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--clones", type=Path, metavar="FOLDER", help="full clones, named owner+name or name"
    )
    source.add_argument(
        "--mine", type=Path, metavar="REPO", help="propose rows from this history; asks no model"
    )
    errata.add_argument("--since", metavar="REV", type=revision, help="mine only later commits")
    errata.add_argument(
        "--rows", type=Path, metavar="FILE", help="confirmed rows instead of the shipped ones"
    )
    errata.add_argument(
        "--with-shipped", action="store_true", help="with --rows: also read the shipped rows"
    )
    errata.add_argument("--limit", type=positive_count, metavar="N", help="only the first N rows")
    errata.add_argument("--model", metavar="NAME", help="read proofs with this model")
    errata.add_argument(
        "--judge-model", metavar="NAME", help="model that judges which objections mean the defect"
    )
    errata.add_argument(
        "--rollouts", type=positive_count, metavar="K", help="readings of each version (default 3)"
    )
    add_prompts(errata)
    add_format(errata)
    errata.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    spending(errata)
    errata.set_defaults(run=_errata)


def _errata(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.read_corrections import ErrataOptions, errata

    wanted = ErrataOptions(
        clones=arguments.clones,
        mine=arguments.mine,
        since=arguments.since,
        rows=arguments.rows,
        is_beside=arguments.with_shipped,
        limit=arguments.limit,
        judge=arguments.judge_model,
        reader=reader_options(arguments),
        output=output_options(arguments),
    )
    return errata(wanted, say)


def register_report(commands: Commands) -> None:
    """Add this command to `pf bench`."""
    text = "curves, panels and tables from saved runs, as pictures and one page"
    report = commands.add_parser("report", help=text, description=text)
    report.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="a file of a saved run, or their folder"
    )
    report.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("pf-bench"),
        help="folder for results",
    )
    report.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    report.set_defaults(run=_report)


def _report(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.report_runs import RunReportOptions, report

    wanted = RunReportOptions(
        runs=tuple(arguments.runs), out=arguments.out, style=output_options(arguments).style
    )
    return report(wanted, say)


def register_replay(commands: Commands) -> None:
    """Add this command to `pf bench`."""
    text = "compute figures from published answers of other readers"
    replay = commands.add_parser("replay", help=text, description=text, epilog=EPILOG)
    replay.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="holds withdrarxiv-check, open-proof-corpus, deepseek-math-v2, or some of them",
    )
    add_format(replay)
    replay.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    replay.set_defaults(run=_replay)


def _replay(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.replay_answers import ReplayOptions, replay

    wanted = ReplayOptions(
        folder=arguments.folder,
        is_json=arguments.format == "json",
        style=output_options(arguments).style,
    )
    return replay(wanted, say)


def register_collect(commands: Commands) -> None:
    """Add this command to `pf bench`."""
    text = "collect papers of arXiv whose authors have corrected an error"
    collect = commands.add_parser("collect-arxiv", help=text, description=text, epilog=EPILOG)
    collect.add_argument(
        "--from",
        dest="first",
        type=_day,
        required=True,
        metavar="DAY",
        help="first day: YYYY-MM-DD",
    )
    collect.add_argument(
        "--to", dest="last", type=_day, required=True, metavar="DAY", help="last day: YYYY-MM-DD"
    )
    collect.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        default=Path("pf-papers"),
        help="folder for the papers (default %(default)s)",
    )
    collect.add_argument("--model", metavar="NAME", help="model that classifies the corrections")
    collect.add_argument(
        "--offline", action="store_true", help="ask no model, even if one is configured"
    )
    add_prompts(collect)
    collect.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    spending(collect)
    collect.set_defaults(run=_collect)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"invalid date '{text}': expected YYYY-MM-DD") from None


def _collect(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.collect_papers import CollectOptions, collect

    wanted = CollectOptions(
        first=arguments.first,
        last=arguments.last,
        out=arguments.out,
        reader=reader_options(arguments),
        style=output_options(arguments).style,
    )
    return collect(wanted, say)
