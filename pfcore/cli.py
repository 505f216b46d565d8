"""The command `pf`: parses, calls the core, prints, returns an exit status.

0 clean, 1 findings, 2 usage or configuration, 3 could not be reviewed, 4 internal.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pfcore.commands.ending import ended, leave, say
from pfcore.commands.equipment import chosen, reviewed
from pfcore.errors import UsageError

if TYPE_CHECKING:
    from pfcore.report.style import Style
    from pfcore.review import Report

_CHECKS = ("text", "json", "sarif", "rdjsonl", "markdown")
_GRAPHS = ("text", "json", "dot", "mermaid")
_EPILOG = "exit status: 0 clean, 1 findings, 2 usage or configuration, 3 not reviewed, 4 internal"


def script() -> NoReturn:
    """The console script."""
    leave(main)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    arguments = _parser().parse_args(argv)
    return ended("pf", partial(_run, arguments))


def _run(arguments: argparse.Namespace) -> int:
    status: int = arguments.run(arguments)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="pf",
        description="Reads the proofs of a paper, and keeps reading them.",
        epilog=_EPILOG,
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    check = _command(commands, "check", _check, "review what changed, and the structure of all")
    check.add_argument("--format", choices=_CHECKS, default="text")
    check.add_argument("--notes", action="store_true", help="list notes and older findings too")
    _spending(check)
    check.add_argument(
        "--locked", action="store_true", help="ask nobody; fail where pf.lock lacks a verdict"
    )
    check.add_argument(
        "--update-lock", action="store_true", help="record in pf.lock what has been read"
    )
    _reading(check)
    plan = _command(commands, "plan", _plan, "what a change affects, and why")
    plan.add_argument("--format", choices=("text", "json"), default="text")
    plan.add_argument("--why", metavar="MODULE", help="why this module, and what it rests on")
    _reading(plan)
    graph = _command(commands, "graph", _graph, "the dependency graph of the paper")
    graph.add_argument("--format", choices=_GRAPHS, default="text")
    graph.add_argument(
        "--suggest-uses", action="store_true", help="print a blueprint's missing \\uses as a patch"
    )
    graph.add_argument(
        "--with-terms", action="store_true", help="in the patch also what words alone lead to"
    )
    report = _command(commands, "report", _report, "the review as one HTML file")
    report.add_argument("--out", type=Path, default=Path("pf-report.html"), metavar="FILE")
    report.add_argument("--force", action="store_true", help="replace a file that is no report")
    _reading(report)
    recheck = _command(commands, "recheck", _recheck, "read one proof again", "module")
    recheck.add_argument("--format", choices=("text", "json"), default="text")
    recheck.add_argument("--notes", action="store_true", help="list notes and older findings too")
    recheck.add_argument("--budget", type=_cap, metavar="B", help="as of pf check")
    _reading(recheck)
    explain = _command(commands, "explain", _explain, "all that is known of a finding", "finding")
    _reading(explain)
    dismiss = _command(commands, "dismiss", _dismiss, "answer a finding in pf.lock", "finding")
    dismiss.add_argument("--reason", required=True, metavar="TEXT", help="why it is not so")
    dismiss.add_argument("--who", metavar="NAME", help="who says so")
    _reading(dismiss)
    _gates(commands)
    _upkeep(commands)
    return parser


def _gates(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The commands for whoever is to rely on a paper."""
    gate = commands.add_parser(
        "gate", help="the whole paper at one revision, before it goes out", epilog=_EPILOG
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
    _spending(gate)
    _reading(gate)
    _config_from(gate)
    gate.set_defaults(run=_gate, base=None, staged=False, all=True)
    audit = _command(commands, "audit", _audit, "read accepted proofs again, with another model")
    audit.add_argument("--sample", type=_count, metavar="N", required=True, help="so many proofs")
    audit.add_argument("--seed", metavar="S", help="draws the sample; the sources' digest, if none")
    audit.add_argument("--format", choices=("text", "json"), default="text")
    _spending(audit)
    _reading(audit)


def _spending(parser: argparse.ArgumentParser) -> None:
    """What a run may use without a question, and at most."""
    parser.add_argument("--yes", action="store_true", help="do not ask before a costly run")
    parser.add_argument(
        "--budget", type=_cap, metavar="B", help="what a run may use: 2, '500k tokens', '20 min'"
    )


def _automatic(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The commands that a build server runs."""
    ci = _command(commands, "ci", _ci, "review in a job of GitHub Actions")
    ci.add_argument("--out", type=Path, required=True, metavar="DIR", help="for later steps")
    ci.add_argument("--proofs", action="store_true", help="have the model read proofs, too")
    ci.add_argument("--gate", action="store_true", help="judge the whole paper, as pf gate does")
    ci.add_argument("--private", action="store_true", help="show counts only")
    ci.add_argument("--budget", type=_cap, metavar="B", help="as of pf check")
    _reading(ci)


def _upkeep(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The commands that keep a set-up going."""
    _automatic(commands)
    upgrade = _command(commands, "upgrade", _upgrade, "what a new contract makes unread, its price")
    upgrade.add_argument("--format", choices=("text", "json"), default="text")
    _reading(upgrade)
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


def _reading(parser: argparse.ArgumentParser) -> None:
    """The options of commands that may ask a model, or price it."""
    parser.add_argument("--model", metavar="NAME", help="read proofs with this model")
    parser.add_argument("--offline", action="store_true", help="no model, whatever is configured")
    parser.add_argument("--rollouts", type=_count, metavar="K", help="readings of each proof")
    parser.add_argument("--prompts", type=Path, metavar="DIR", help="other prompts, to experiment")


def _cap(text: str) -> object:
    from pfcore.commands.budgets import cap

    return cap(text)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"'{text}' is no number from 1")
    return int(text)


class _Version(argparse.Action):
    """Looks the version up when it is asked for, which takes a while."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"pf-verify {version('pf-verify')}")
        parser.exit()


def _command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
    text: str,
    about: str = "",
) -> argparse.ArgumentParser:
    """A command on a paper; `about` is what it is about, where that is not all of it."""
    parser = commands.add_parser(name, help=text, description=text, epilog=_EPILOG)
    if about:
        parser.add_argument(about, metavar=about.upper())
    parser.add_argument("path", nargs="?", type=Path, default=Path(), help="the paper's repository")
    parser.add_argument("--base", metavar="REV", type=_revision, help="compare with this revision")
    parser.add_argument(
        "--head", metavar="REV", type=_revision, help="review this revision, not the working tree"
    )
    parser.add_argument("--staged", action="store_true", help="review what is staged")
    parser.add_argument("--all", action="store_true", help="review the whole paper as it stands")
    parser.add_argument("--paper", metavar="NAME", help="one of several papers")
    _config_from(parser)
    parser.add_argument("--plain", action="store_true", help="ASCII without colours")
    parser.set_defaults(run=run)
    return parser


def _config_from(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--config-from", metavar="REV", help="trust the pf.toml and pf.lock of this revision only"
    )


def _revision(name: str) -> str:
    if not name.strip():
        raise argparse.ArgumentTypeError("an empty name is no revision")
    return name


def _check(arguments: argparse.Namespace) -> int:
    from pfcore.report import stale

    style = _style(arguments)
    if arguments.path.suffix.lower() == ".pdf":
        from pfcore.commands import pdf

        text, status = pdf.check(arguments, style)
        say(text)
        return status
    show = _shown(arguments, style)
    choice = None if arguments.locked else chosen(arguments)
    if choice is not None:
        from pfcore.commands.check import check

        return check(arguments, choice, style, show)
    if arguments.update_lock:
        raise UsageError("--update-lock records what a model has read: name one with --model")
    with reviewed(arguments) as report:
        show(report)
        newer = stale.stale(report, whole=arguments.all) if arguments.locked else []
        is_blocked = any(paper.blocking for paper in report.papers)
    if newer:
        print(stale.told(newer, style), file=sys.stderr, end="")
    return 1 if newer or is_blocked else 0


def _shown(arguments: argparse.Namespace, style: Style) -> Callable[[Report], None]:
    if arguments.format == "text":
        from pfcore.report import terminal

        return lambda report: say(terminal.check(report, style))
    from pfcore.commands.formats import rendered

    return lambda report: say(rendered(report, arguments.format))


def _plan(arguments: argparse.Namespace) -> int:
    from pfcore.report import as_json, terminal

    choice = None if arguments.why else chosen(arguments)
    if choice is not None:
        from pfcore.commands.plan import plan

        say(plan(arguments, choice, _style(arguments)))
        return 0
    with reviewed(arguments) as report:
        if arguments.why:
            say(_why(report, arguments.why, _style(arguments)))
        elif arguments.format == "json":
            say(as_json.plan(report))
        else:
            say(terminal.plan(report, _style(arguments)))
    return 0


def _why(report: Report, module: str, style: Style) -> str:
    from pfcore.report.why import meant, why

    asked = [(paper, meant(paper, module)) for paper in report.papers]
    texts = [why(paper, name, style) for paper, name in asked if name]
    if not texts:
        raise UsageError(f"there is no module {module}{_like(report, module)}")
    return "\n".join(texts)


def _like(report: Report, module: str) -> str:
    from difflib import get_close_matches

    from pfcore.report.why import known

    found = get_close_matches(module, [name for p in report.papers for name in known(p)], n=3)
    return f"; is {' or '.join(found)} meant?" if found else ""


def _ci(arguments: argparse.Namespace) -> int:
    from pfcore.commands.ci import ci

    return ci(arguments, _style(arguments))


def _recheck(arguments: argparse.Namespace) -> int:
    from pfcore.commands.finding import recheck

    style = _style(arguments)
    return recheck(arguments, style, _shown(arguments, style))


def _explain(arguments: argparse.Namespace) -> int:
    from pfcore.commands.finding import explain

    say(explain(arguments, _style(arguments)))
    return 0


def _dismiss(arguments: argparse.Namespace) -> int:
    from pfcore.commands.finding import dismiss

    say(dismiss(arguments))
    return 0


def _gate(arguments: argparse.Namespace) -> int:
    from pfcore.commands.gate import gate

    return gate(arguments, _style(arguments), say)


def _audit(arguments: argparse.Namespace) -> int:
    from pfcore.commands.audit import audit

    return audit(arguments, _style(arguments), say)


def _graph(arguments: argparse.Namespace) -> int:
    from pfcore.report import as_json, drawings, terminal

    arguments.all = True
    if arguments.suggest_uses:
        return _suggest_uses(arguments)
    draw = {"json": as_json.graph, "dot": drawings.dot, "mermaid": drawings.mermaid}
    with reviewed(arguments) as report:
        if arguments.format == "text":
            say(terminal.graph(report, _style(arguments)))
        else:
            say(draw[arguments.format](report))
    return 0


def _report(arguments: argparse.Namespace) -> int:
    from pfcore.commands.report import report

    say(report(arguments))
    return 0


def _suggest_uses(arguments: argparse.Namespace) -> int:
    """The patch on standard output, all else beside it: `pf graph --suggest-uses | git apply`."""
    from pfcore.report.uses_patch import suggest

    with reviewed(arguments) as report:
        found = suggest(report, by_word=arguments.with_terms)
    sys.stdout.buffer.write(found.patch.encode())
    for name in found.without_uses:
        print(f"pf: {name} has no \\uses, so there is nothing to suggest", file=sys.stderr)
    for sentence in found.unplaced:
        print(f"pf: not in the patch: {sentence}", file=sys.stderr)
    if not (found.patch or found.unplaced) and len(found.without_uses) < len(report.papers):
        print("pf: no \\uses is missing", file=sys.stderr)
    return 0


def _doctor(arguments: argparse.Namespace) -> int:
    from pfcore.commands.doctor import doctor

    return doctor(arguments, _style(arguments), say)


def _upgrade(arguments: argparse.Namespace) -> int:
    from pfcore.commands.upgrade import upgrade

    say(upgrade(arguments, _style(arguments)))
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from pfcore.commands.remove import remove

    return remove(arguments, _style(arguments), say, _ask)


def _ask(question: str) -> bool | None:
    """A yes or no from whoever sits at the terminal; None where nobody does."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _demo(arguments: argparse.Namespace) -> int:
    from pfcore import demo

    return demo.run(arguments.folder, style=_style(arguments), echo=say)


def _checks(arguments: argparse.Namespace) -> int:
    from pfcore.checks.registry import ALL

    del arguments
    for check in ALL:
        print(f"{check.id:24} {check.severity.value:8} {check.rationale}")
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    from pfcore.commands.formats import schema

    say(schema(arguments.name))
    return 0


def _style(arguments: argparse.Namespace) -> Style:
    import shutil

    from pfcore.report.style import Style

    plain = getattr(arguments, "plain", False)
    coloured = sys.stdout.isatty() and not os.environ.get("NO_COLOR") and not plain
    return Style(
        colour=coloured,
        ascii=plain or not _speaks_unicode(),
        width=max(80, min(160, shutil.get_terminal_size((100, 24)).columns)),
        notes=getattr(arguments, "notes", False),
    )


def _speaks_unicode() -> bool:
    try:
        "✓→…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
