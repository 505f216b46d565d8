"""`pf-verify-online`: has a model read what a push brings, as `pf check --yes` does.

Which model is never said here: who installs the hook names it, outside of the repository.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from functools import partial
from typing import NoReturn

from hooks.request import has_range, here, request
from pfcore.cli.exit_status import exit_with, run_entry_point
from pfcore.domain.errors import IncompleteError

NAME = "pf-verify-online"
_NOBODY = (
    "no proof was read, for no model is named: set PF_MODEL, or name one in your own configuration "
    "(pf doctor --model NAME tries it)"
)


def script() -> NoReturn:
    """The console script."""
    exit_with(main)


def main(argv: Sequence[str] | None = None) -> int:
    """Review the range that pre-commit names, else what a plain `pf check` does."""
    return run_entry_point(NAME, partial(_verify, _parsed(argv)))


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog=NAME,
        description="Have the model that you have named read what a push brings.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--optional", action="store_true", help="pass, and say so, where no model is named"
    )
    parser.add_argument("--notes", action="store_true", help="print notes and older findings, too")
    parser.add_argument("--paper", metavar="NAME", help="one of several papers")
    return parser.parse_args(argv)


def _verify(arguments: argparse.Namespace) -> int:
    repository, moments = here(), []
    if has_range(os.environ):
        wanted = request(repository, (), os.environ)
        if wanted is None:
            return 0
        moments = [f"--base={wanted.base}", f"--head={wanted.head}"]
    if not _is_named():
        if not arguments.optional:
            raise IncompleteError(_NOBODY)
        print(f"{NAME}: {_NOBODY}")
        return 0
    from pfcore.cli import main as cli

    paper = [f"--paper={arguments.paper}"] if arguments.paper else []
    notes = ["--notes"] if arguments.notes else []
    return cli.main(["check", "--yes", *moments, *paper, *notes])


def _is_named() -> bool:
    """Whether the user has named a model."""
    from pfcore.cli.environment import chosen

    return chosen(argparse.Namespace(offline=False, model=None)) is not None
