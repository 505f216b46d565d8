"""`pf-verify-online`: has a model read what a push brings, as `pf check --yes` does.

The model is never set here: the user who installs the hook sets it, outside the repository.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from hooks.request import has_range, here, request
from pfcore.cli.exit_status import exit_with, run_entry_point
from pfcore.domain.errors import IncompleteError

NAME = "pf-verify-online"
_NOBODY = "no model is set, so no proof was read: set PF_MODEL, or a model in your configuration"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlineHookOptions:
    """The options set by the user who installed the hook; `is_optional`: pass without a model."""

    is_optional: bool
    notes: bool
    paper: str | None
    budget: str | None


def script() -> NoReturn:
    """The console script."""
    exit_with(main)


def main(argv: Sequence[str] | None = None) -> int:
    """Review the range that pre-commit names, or else what a plain `pf check` reviews."""
    return run_entry_point(NAME, partial(_verify, _options(argv)))


def option_parser() -> argparse.ArgumentParser:
    """The arguments that pre-commit may pass as `args`."""
    parser = argparse.ArgumentParser(
        prog=NAME,
        description="Have your model read the proofs that a push affects.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--optional", action="store_true", help="pass with a message if no model is set"
    )
    parser.add_argument("--notes", action="store_true", help="also print notes and older findings")
    parser.add_argument("--paper", metavar="NAME", help="choose one of several papers")
    parser.add_argument(
        "--budget", metavar="AMOUNT", help="spending limit: 2 (dollars), '500k tokens', '20 min'"
    )
    return parser


def _options(argv: Sequence[str] | None) -> OnlineHookOptions:
    found = option_parser().parse_args(argv)
    return OnlineHookOptions(
        is_optional=found.optional, notes=found.notes, paper=found.paper, budget=found.budget
    )


def _verify(options: OnlineHookOptions) -> int:
    repository, moments = here(), []
    if has_range(os.environ):
        wanted = request(repository, (), os.environ)
        if wanted is None:
            return 0
        moments = [f"--base={wanted.base}", f"--head={wanted.head}"]
    if not _is_named():
        if not options.is_optional:
            raise IncompleteError(_NOBODY)
        print(f"{NAME}: {_NOBODY}")
        return 0
    from pfcore.cli import main as cli

    paper = [f"--paper={options.paper}"] if options.paper else []
    notes = ["--notes"] if options.notes else []
    budget = [f"--budget={options.budget}"] if options.budget else []
    return cli.main(["check", "--yes", *moments, *paper, *notes, *budget])


def _is_named() -> bool:
    """Whether the user has named a model."""
    from pfcore.cli.environment import ReaderOptions, chosen

    return chosen(ReaderOptions()) is not None
