"""The command `pf`: parses, calls the core, prints, returns an exit status.

0 clean, 1 findings, 2 usage or configuration, 3 could not be reviewed, 4 internal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cache, partial
from itertools import chain, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pfcore.cli import command_table
from pfcore.cli.command_parser import CommandParser
from pfcore.cli.exit_status import exit_with, run_entry_point
from pfcore.domain.errors import UsageError

if TYPE_CHECKING:
    from pfcore.cli.options import Commands

PLUGINS = "pf_verify.commands"
"""The group of entry points, each a function that adds the command of the same name."""
_DEEPEST = 2
"""How many folders deep `pf` without a command looks for a paper."""
ANYWHERE = (("-q", "--quiet"), ("-v", "--verbose"), ("--plain",))
"""Flags of commands that may also come before the command."""


def script() -> NoReturn:
    """The console script."""
    exit_with(main)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    words = sys.argv[1:] if argv is None else argv
    return run_entry_point("pf", partial(_run, words))


def _run(typed: Sequence[str]) -> int:
    parser, commands = _own()
    before = list(takewhile({*chain(*ANYWHERE)}.__contains__, typed))
    words = list(typed[len(before) :])
    if not words or words[0] not in commands.choices:
        parser, commands = whole_parser()
    if not words:
        is_here = any(_has_source(Path(), depth) for depth in range(_DEEPEST + 1))
        hint = "This folder has LaTeX files. To check them: pf check"
        print(parser.short_help(hint if is_here else "To review a small sample: pf demo pf-demo"))
        return 0
    end = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args([*words[:end], *before, *words[end:]])
    status: int = arguments.run(arguments)
    return status


def _has_source(folder: Path, depth: int) -> bool:
    """Whether a LaTeX file is exactly `depth` folders down, in folders that a review enters."""
    from pfcore.repository.source_files import is_entered  # only needed without a command

    places = (path.parts[:-1] for path in folder.glob("*/" * depth + "*.tex"))
    return any(all(map(is_entered, parts)) for parts in places)


def whole_parser() -> tuple[CommandParser, Commands]:
    """The parser with the commands of other packages, which take a while to find."""
    parser, commands = _made()
    _others(commands)
    return parser, commands


def _made() -> tuple[CommandParser, Commands]:
    parser = CommandParser(
        prog="pf",
        description=(
            "Checks the structure and proofs of a LaTeX paper,\n"
            "and re-checks what a change affects."
        ),
    )
    parser.add_argument(
        "-V", "--version", action=_Version, nargs=0, help="show the version and exit"
    )
    for flags in ANYWHERE:
        parser.add_argument(*flags, action="store_true", default=argparse.SUPPRESS)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    command_table.register_reviews(commands)
    command_table.register_gates(commands)
    command_table.register_upkeep(commands)
    commands.choices["completion"].set_defaults(whole_parser=whole_parser)
    return parser, commands


_own = cache(_made)  # one process may run many commands


def _others(commands: Commands) -> None:
    """Add the commands of other packages; one that cannot be loaded fails only when called."""
    from importlib.metadata import entry_points

    for found in sorted(entry_points(group=PLUGINS), key=lambda item: item.name):
        try:
            found.load()(commands)
        except ImportError as error:
            broken = commands.add_parser(found.name, help=f"cannot be loaded: {error}")
            broken.set_defaults(run=partial(_refuse, f"pf {found.name} cannot be loaded: {error}"))


def _refuse(sentence: str, _: object) -> int:
    raise UsageError(sentence)


class _Version(argparse.Action):
    """Looks up the version only if asked for, because that takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"pf-verify {version('pf-verify')}")
        parser.exit()
