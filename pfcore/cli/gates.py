"""The commands for whoever is to rely on a paper, and for build servers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli import screen
from pfcore.cli.exit_status import say
from pfcore.cli.options import (
    EPILOG,
    add_reading_options,
    budget_cap,
    command,
    config_from,
    positive_count,
    spending,
)

if TYPE_CHECKING:
    from pfcore.cli.options import Commands


def register_gates(commands: Commands) -> None:
    """Add them to the command line."""
    _gates(commands)
    _automatic(commands)


def _gates(commands: Commands) -> None:
    """The commands for whoever is to rely on a paper."""
    gate = commands.add_parser(
        "gate", help="the whole paper at one revision, before it goes out", epilog=EPILOG
    )
    gate.add_argument("path", nargs="?", type=Path, default=Path(), help="the paper's repository")
    gate.add_argument("--head", metavar="REV", help="judge this revision; HEAD if none is named")
    gate.add_argument("--paper", metavar="NAME", help="one of several papers")
    gate.add_argument(
        "--allow-unread", action="store_true", help="judge the structure; proofs may be unread"
    )
    gate.add_argument(
        "--trust-lock", metavar="REV", help="whose pf.lock counts; in CI the default branch's"
    )
    gate.add_argument(
        "--out", type=Path, metavar="DIR", default=Path("pf-gate"), help="where results are written"
    )
    gate.add_argument(
        "--bundle", type=Path, metavar="FILE", help="if it passes, write what arXiv takes (.tar.gz)"
    )
    gate.add_argument("--force", action="store_true", help="overwrite the file of --bundle")
    gate.add_argument("--format", choices=("text", "json"), default="text")
    gate.add_argument("--plain", action="store_true", help="ASCII without colours")
    spending(gate)
    add_reading_options(gate)
    config_from(gate)
    gate.set_defaults(run=_gate, base=None, staged=False, all=True)
    audit = command(commands, "audit", _audit, "read accepted proofs again, with another model")
    audit.add_argument(
        "--sample", type=positive_count, metavar="N", required=True, help="so many proofs"
    )
    audit.add_argument("--seed", metavar="S", help="draws the sample; the sources' digest, if none")
    audit.add_argument("--format", choices=("text", "json"), default="text")
    spending(audit)
    add_reading_options(audit)


def _automatic(commands: Commands) -> None:
    """The commands that a build server runs."""
    ci = command(commands, "ci", _ci, "review in a job of GitHub Actions")
    ci.add_argument("--out", type=Path, required=True, metavar="DIR", help="for later steps")
    ci.add_argument("--proofs", action="store_true", help="have the model read proofs, too")
    ci.add_argument("--gate", action="store_true", help="judge the whole paper, as pf gate does")
    ci.add_argument("--private", action="store_true", help="show counts only")
    ci.add_argument("--since", default="", metavar="REV", help="where a push begins, not the event")
    ci.add_argument("--budget", type=budget_cap, metavar="B", help="as of pf check")
    add_reading_options(ci)


def _gate(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.gate_command import gate

    return gate(arguments, screen.style(arguments), say)


def _audit(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.maintenance_commands import audit

    return audit(arguments, screen.style(arguments), say)


def _ci(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.ci_command import ci

    return ci(arguments, screen.style(arguments))
