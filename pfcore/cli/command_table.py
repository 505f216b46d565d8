"""The commands on a change, or on a paper as it stands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli import screen
from pfcore.cli.environment import chosen, run_review
from pfcore.cli.exit_status import pf_command, say
from pfcore.cli.options import add_reading_options, budget_cap, command, spending
from pfcore.domain.errors import UsageError
from pfcore.review.unseen import exit_status, is_incomplete

if TYPE_CHECKING:
    from pfcore.cli.options import Commands
    from pfcore.reporters.style import Style
    from pfcore.review.review import Report

_CHECKS = ("text", "json", "sarif", "rdjsonl", "markdown")
_GRAPHS = ("text", "json", "dot", "mermaid")


def register_reviews(commands: Commands) -> None:
    """Add them to the command line."""
    _looking(commands)
    _answering(commands)


def _looking(commands: Commands) -> None:
    """Those that review."""
    check = command(commands, "check", _check, "review what changed, and the structure of all")
    check.add_argument("--format", choices=_CHECKS, default="text")
    check.add_argument("--notes", action="store_true", help="list notes and older findings too")
    spending(check)
    check.add_argument(
        "--locked", action="store_true", help="ask nobody; fail where pf.lock lacks a verdict"
    )
    check.add_argument(
        "--update-lock", action="store_true", help="record in pf.lock what has been read"
    )
    add_reading_options(check)
    plan = command(commands, "plan", _plan, "what a change affects, and why")
    plan.add_argument("--format", choices=("text", "json"), default="text")
    plan.add_argument("--why", metavar="MODULE", help="why this module, and what it rests on")
    add_reading_options(plan)
    graph = command(commands, "graph", _graph, "the dependency graph of the paper")
    graph.add_argument("--format", choices=_GRAPHS, default="text")
    graph.add_argument(
        "--suggest-uses", action="store_true", help="print a blueprint's missing \\uses as a patch"
    )
    graph.add_argument(
        "--with-terms", action="store_true", help="in the patch also what words alone lead to"
    )
    report = command(commands, "report", _report, "the review as one HTML file")
    report.add_argument("--out", type=Path, default=Path("pf-report.html"), metavar="FILE")
    report.add_argument("--force", action="store_true", help="replace a file that is no report")
    add_reading_options(report)


def _answering(commands: Commands) -> None:
    """Those about one module or one finding."""
    recheck = command(commands, "recheck", _recheck, "read one proof again", "module")
    recheck.add_argument("--format", choices=("text", "json"), default="text")
    recheck.add_argument("--notes", action="store_true", help="list notes and older findings too")
    recheck.add_argument("--budget", type=budget_cap, metavar="B", help="as of pf check")
    add_reading_options(recheck)
    explain = command(commands, "explain", _explain, "all that is known of a finding", "finding")
    add_reading_options(explain)
    dismiss = command(commands, "dismiss", _dismiss, "answer a finding in pf.lock", "finding")
    dismiss.add_argument("--reason", required=True, metavar="TEXT", help="why it is not so")
    dismiss.add_argument("--who", metavar="NAME", help="who says so")
    add_reading_options(dismiss)


def _check(arguments: argparse.Namespace) -> int:
    from pfcore.reporters import stale_ledger

    style = screen.style(arguments)
    if arguments.path.suffix.lower() == ".pdf":
        from pfcore.cli.commands import pdf_command

        text, status = pdf_command.check_pdf(arguments, style)
        say(text)
        return status
    show = screen.report_printer(arguments, style)
    choice = None if arguments.locked else chosen(arguments)
    if choice is not None:
        from pfcore.cli.commands.check_command import check_with_model

        return check_with_model(arguments, choice, style, show)
    if arguments.update_lock:
        raise UsageError("--update-lock records what a model has read: name one with --model")
    with run_review(arguments) as report:
        show(report)
        newer = stale_ledger.stale(report, whole=arguments.all) if arguments.locked else []
        broken = stale_ledger.unreadable(report) if arguments.locked else []
        is_new = not stale_ledger.has_ledger(report)
        status = exit_status(report)
    if newer:
        print(
            stale_ledger.stale_text(newer, style, is_new=is_new, command=pf_command()),
            file=sys.stderr,
            end="",
        )
    for sentence in broken:
        print(f"pf: {sentence}", file=sys.stderr)
    return 1 if newer or broken else status


def _plan(arguments: argparse.Namespace) -> int:
    from pfcore.reporters import terminal
    from pfcore.reporters.formats import json_report

    choice = None if arguments.why else chosen(arguments)
    if choice is not None:
        from pfcore.cli.commands.plan import print_plan

        return print_plan(arguments, choice, screen.style(arguments))
    with run_review(arguments) as report:
        if arguments.why:
            say(_why(report, arguments.why, screen.style(arguments)))
        elif arguments.format == "json":
            say(json_report.plan_json(report))
        else:
            say(terminal.plan_text(report, screen.style(arguments)))
        return 3 if is_incomplete(report) else 0


def _why(report: Report, module: str, style: Style) -> str:
    from pfcore.reporters.why import id_of_name, why

    asked = [(paper, id_of_name(paper, module)) for paper in report.papers]
    texts = [why(paper, name, style) for paper, name in asked if name]
    if not texts:
        raise UsageError(f"there is no module {module}{_like(report, module)}")
    return "\n".join(texts)


def _like(report: Report, module: str) -> str:
    from difflib import get_close_matches

    from pfcore.reporters.why import known_names

    found = get_close_matches(module, [name for p in report.papers for name in known_names(p)], n=3)
    return f"; is {' or '.join(found)} meant?" if found else ""


def _graph(arguments: argparse.Namespace) -> int:
    from pfcore.reporters import graph_drawings, terminal
    from pfcore.reporters.formats import json_report

    arguments.all = True
    if arguments.suggest_uses:
        return _suggest_uses(arguments)
    draw = {
        "json": json_report.graph_json,
        "dot": graph_drawings.dot,
        "mermaid": graph_drawings.mermaid,
    }
    with run_review(arguments) as report:
        if arguments.format == "text":
            say(terminal.graph_text(report, screen.style(arguments)))
        else:
            say(draw[arguments.format](report))
        return 3 if is_incomplete(report) else 0


def _suggest_uses(arguments: argparse.Namespace) -> int:
    """The patch on standard output, all else beside it: `pf graph --suggest-uses | git apply`."""
    from pfcore.reporters.uses_patch import suggest

    with run_review(arguments) as report:
        found = suggest(report, by_word=arguments.with_terms)
    sys.stdout.buffer.write(found.patch.encode())
    for name in found.without_uses:
        print(f"pf: {name} has no \\uses, so there is nothing to suggest", file=sys.stderr)
    for sentence in found.unplaced:
        print(f"pf: not in the patch: {sentence}", file=sys.stderr)
    if not (found.patch or found.unplaced) and len(found.without_uses) < len(report.papers):
        print("pf: no \\uses is missing", file=sys.stderr)
    return 0


def _report(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.report_command import report

    return report(arguments)


def _recheck(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.finding_commands import recheck

    style = screen.style(arguments)
    return recheck(arguments, style, screen.report_printer(arguments, style))


def _explain(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.finding_commands import explain

    say(explain(arguments, screen.style(arguments)))
    return 0


def _dismiss(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.finding_commands import dismiss

    say(dismiss(arguments))
    return 0
