"""The commands that keep a set-up going."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli import screen
from pfcore.cli.exit_status import say
from pfcore.cli.options import add_reading_options, command

if TYPE_CHECKING:
    from pfcore.cli.options import Commands


def register_upkeep(commands: Commands) -> None:
    """Add them to the command line."""
    upgrade = command(commands, "upgrade", _upgrade, "what a new contract makes unread, its price")
    upgrade.add_argument("--format", choices=("text", "json"), default="text")
    add_reading_options(upgrade)
    remove = commands.add_parser("remove", help="erase the parse cache and the replies of models")
    remove.add_argument("--cache", action="store_true", help="only the parse cache")
    remove.add_argument("--replies", action="store_true", help="only the replies")
    remove.add_argument("--yes", action="store_true", help="do not ask")
    remove.add_argument("--plain", action="store_true", help="ASCII without colours")
    remove.set_defaults(run=_remove)
    demo = commands.add_parser("demo", help="write a small paper repository and review it")
    demo.add_argument("folder", type=Path, metavar="DIR", help="a folder that is new or empty")
    demo.set_defaults(run=_demo)
    checks = commands.add_parser("checks", help="list the checks")
    checks.set_defaults(run=_checks)
    schema = commands.add_parser("schema", help="print the JSON Schema of a command's JSON")
    schema.add_argument("name", choices=("check", "plan", "graph"))
    schema.set_defaults(run=_schema)
    doctor = commands.add_parser("doctor", help="probe the set-up, and the model if one is named")
    doctor.add_argument("--model", metavar="NAME", help="ask this model a handful of questions")
    doctor.add_argument(
        "--window", action="store_true", help="also send a long text, to see whether it is cut"
    )
    doctor.add_argument("--plain", action="store_true", help="ASCII without colours")
    doctor.set_defaults(run=_doctor, offline=False)


def _upgrade(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.upgrade import upgrade

    say(upgrade(arguments, screen.style(arguments)))
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.remove import remove

    return remove(arguments, screen.style(arguments), say, screen.ask)


def _demo(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands import demo_command

    return demo_command.run_demo(arguments.folder, style=screen.style(arguments), echo=say)


def _checks(arguments: argparse.Namespace) -> int:
    from pfcore.checks.registry import ALL

    del arguments
    for check in ALL:
        print(f"{check.id:24} {check.severity.value:8} {check.rationale}")
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    from pfcore.reporters.formats.catalogue import schema

    say(schema(arguments.name))
    return 0


def _doctor(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.doctor_command import doctor

    return doctor(arguments, screen.style(arguments), say)
