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
"""The entry points of other packages: functions that add a command, named as the command is."""
_DEEPEST = 2
"""How far below this folder a paper is looked for when nobody has said what to do."""
ANYWHERE = (("-q", "--quiet"), ("-v", "--verbose"), ("--plain",))
"""Flags of commands that may also stand before the command."""


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
    """Whether a LaTeX file lies so far below, in no folder that a review would not enter."""
    from pfcore.repository.source_files import is_entered  # not for whoever named a command

    places = (path.parts[:-1] for path in folder.glob("*/" * depth + "*.tex"))
    return any(all(map(is_entered, parts)) for parts in places)


def whole_parser() -> tuple[CommandParser, Commands]:
    """The parser with what other packages bring: to look for them takes a while."""
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
    """Add what other packages bring; one that is broken says so, and only when it is called."""
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
    """Looks the version up when it is asked for, which takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"pf-verify {version('pf-verify')}")
        parser.exit()
