"""The benchmarks that need nothing but a paper of one's own."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli import screen
from pfcore.cli.exit_status import say
from pfcore.cli.options import add_reading_options, command, positive_count, rates, spending
from pfcore.domain.paper_settings import GRANULARITIES

if TYPE_CHECKING:
    from pfcore.cli.options import Commands

_OPERATORS = (
    *("dropped-hypothesis", "flipped-inequality", "swapped-quantifiers", "off-by-one-index"),
    *("wrong-cited-lemma", "strengthened-use", "sign-or-constant", "missing-case"),
    "circular-citation",
)
"""Named here, too, so that no benchmark is loaded where another command is meant."""


def register_paper_benchmarks(commands: Commands) -> None:
    """Add them to `pf bench`."""
    text = "plant errors in a paper's own proofs, and see which are found"
    mutate = command(commands, "mutate", _mutate, text)
    mutate.add_argument("--format", choices=("text", "json"), default="text")
    mutate.add_argument(
        "--operator", action="append", choices=_OPERATORS, help="only errors of this kind"
    )
    mutate.add_argument(
        "--each", type=positive_count, metavar="N", default=5, help="errors of each kind at most; 5"
    )
    mutate.add_argument("--limit", type=positive_count, metavar="N", help="errors at most")
    mutate.add_argument("--seed", type=_whole, metavar="S", default=0, help="draws them; 0")
    mutate.add_argument(
        "--granularity",
        action="append",
        choices=GRANULARITIES,
        help="measure this one; all three, if none is named",
    )
    mutate.add_argument(
        "--strictness",
        action="append",
        type=_level,
        metavar="LEVEL",
        help="lenient, standard, pedantic, or a sentence; the configured one, if none is named",
    )
    mutate.add_argument(
        "--simulate",
        type=rates,
        metavar="RECALL,ALARMS",
        help="ask nobody: a simulated reader finds and errs with these chances",
    )
    mutate.add_argument(
        "--lock",
        action=argparse.BooleanOptionalAction,
        help="record in pf.lock what was found; so it is, but where it was simulated",
    )
    spending(mutate)
    add_reading_options(mutate)
    text = "what reading a paper takes, beside the reference implementation; nobody is asked"
    cost = command(commands, "cost", _cost, text)
    cost.add_argument("--out", type=Path, metavar="DIR", help="draw what calls take, as a picture")


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 0")
    return int(text)


def _level(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(f"'{text}' is no strictness")
    return text


def _cost(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.bench_cost import measure

    return measure(arguments, screen.style(arguments), say)


def _mutate(arguments: argparse.Namespace) -> int:
    from pfcore.bench.cli.plant_errors import mutate

    return mutate(arguments, screen.style(arguments), say)
