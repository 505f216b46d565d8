"""The commands on a change or a whole paper, for gates and build servers, and for maintenance."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli.environment import HERE, chosen, run_review
from pfcore.cli.exit_status import pf_command, say, visible
from pfcore.cli.options import (
    EPILOG,
    CheckOptions,
    add_format,
    add_reading_options,
    add_retry,
    ask,
    budget_cap,
    caller_of,
    command,
    config_from,
    output_options,
    positive_count,
    reader_options,
    report_printer,
    review_options,
    spending,
)
from pfcore.domain.errors import UsageError
from pfcore.review.unseen import exit_status, is_incomplete

if TYPE_CHECKING:
    from pfcore.cli.options import Commands, ReviewOptions
    from pfcore.review.review import PaperReport, Report

_CHECKS = ("text", "json", "sarif", "rdjsonl", "markdown")
_NUMBERS = (
    "List each statement with its place, kind and label, and its number as counted by pf-verify. "
    "With --latex, run the installed pdflatex or xelatex on a copy of the paper, without a shell "
    "or access to other files, and compare. LaTeX's numbers are cached and displayed on this "
    "machine until a source changes; they never affect dependencies."
)
_GRAPHS = ("text", "json", "dot", "mermaid")


def register_reviews(commands: Commands) -> None:
    """Add the commands that review, and those about one module or finding, to the command line."""
    check = command(
        commands, "check", _check, "review what changed, and the structure of the whole paper"
    )
    add_format(check, _CHECKS, lists_findings=True)
    spending(check)
    check.add_argument(
        "--locked", action="store_true", help="make no model calls; fail if pf.lock is incomplete"
    )
    check.add_argument("--update-lock", action="store_true", help="record the verdicts in pf.lock")
    add_reading_options(check)
    add_retry(check)
    plan = command(commands, "plan", _plan, "show what a change affects, and why")
    add_format(plan)
    plan.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="list everything new or introduced, in full",
    )
    plan.add_argument(
        "--why",
        metavar="RESULT",
        action="append",
        default=[],
        help="why this result is affected, and what it depends on",
    )
    plan.add_argument(
        "--deep",
        action="store_true",
        help="also price proofs whose context only names a changed definition, and list hubs",
    )
    add_reading_options(plan)
    add_retry(plan)
    graph = command(commands, "graph", _graph, "show the dependency graph of the paper")
    add_format(graph, _GRAPHS)
    graph.add_argument(
        "--suggest-uses", action="store_true", help="print a blueprint's missing \\uses as a patch"
    )
    graph.add_argument(
        "--with-terms", action="store_true", help="include uses inferred from wording"
    )
    _register_numbers(commands)
    report = command(commands, "report", _report, "write the review as one HTML file")
    report.add_argument(
        "--out",
        type=Path,
        default=Path("pf-report.html"),
        metavar="FILE",
        help="file to write (default %(default)s)",
    )
    report.add_argument("--force", action="store_true", help="replace a file that pf did not write")
    add_reading_options(report)
    recheck = command(commands, "recheck", _recheck, "read one proof again", "result")
    add_format(recheck, lists_findings=True)
    recheck.add_argument(
        "--budget",
        type=budget_cap,
        metavar="B",
        help="spending limit: 2 (dollars), '500k tokens', '20 min'",
    )
    add_reading_options(recheck)
    explain = command(
        commands,
        "explain",
        _explain,
        "show all that is known about a finding, a check, or a result",
        "finding",
    )
    add_reading_options(explain)
    _register_dismiss(commands)


def _register_dismiss(commands: Commands) -> None:
    dismiss = command(
        commands, "dismiss", _dismiss, "answer findings in pf.lock", "finding", may_lack=True
    )
    dismiss.add_argument(
        "--rule",
        metavar="CHECK",
        action="append",
        default=[],
        help="answer all findings of this check (see pf checks)",
    )
    dismiss.add_argument("--file", metavar="FILE", help="with --rule: only findings in this file")
    dismiss.add_argument(
        "--section", metavar="TITLE", help="with --rule: only findings in the section of this title"
    )
    dismiss.add_argument(
        "--reason", required=True, metavar="TEXT", help="why the finding does not apply"
    )
    dismiss.add_argument("--who", metavar="NAME", help="who answers the finding")
    add_reading_options(dismiss)


def _register_numbers(commands: Commands) -> None:
    about = "the number of each statement, as in the PDF"
    numbers = commands.add_parser("numbers", help=about, description=_NUMBERS, epilog=EPILOG)
    numbers.add_argument("path", nargs="?", type=Path, default=HERE, help="the paper's repository")
    numbers.add_argument("--paper", metavar="NAME", help="choose one of several papers")
    numbers.add_argument("--latex", action="store_true", help="run the installed TeX and compare")
    add_format(numbers)
    numbers.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    unsaid = {"base": None, "head": None, "staged": False, "all": True, "config_from": None}
    numbers.set_defaults(run=_numbers, **unsaid)


def _check(arguments: argparse.Namespace) -> int:
    from pfcore.reporters import stale_ledger

    wanted = CheckOptions(
        review=review_options(arguments),
        is_locked=arguments.locked,
        is_recorded=arguments.update_lock,
    )
    review, revisions = wanted.review, wanted.review.revisions
    if revisions.path.suffix.lower() == ".pdf":
        from pfcore.cli.commands import pdf_command

        text, status = pdf_command.check_pdf(wanted)
        say(text)
        return status
    show = report_printer(review)
    choice = None if wanted.is_locked else chosen(review.reader, is_asked=False)
    if choice is not None:
        from pfcore.cli.commands.check_command import check_with_model

        return check_with_model(wanted, choice, show)
    if wanted.is_recorded:
        raise UsageError("--update-lock records what a model has read: add --model NAME")
    silent = review.output.style.is_quiet
    with run_review(revisions, paper=review.paper, is_displayed=True, is_quiet=silent) as report:
        show(report)
        newer = stale_ledger.stale(report, whole=revisions.whole) if wanted.is_locked else []
        broken = stale_ledger.unreadable(report) if wanted.is_locked else []
        is_new = not stale_ledger.has_ledger(report)
        status = exit_status(report)
    if newer:
        print(
            stale_ledger.stale_text(
                newer, review.output.style, is_new=is_new, command=pf_command()
            ),
            file=sys.stderr,
            end="",
        )
    for sentence in broken:
        print(f"pf: {visible(sentence)}", file=sys.stderr)
    return 1 if newer or broken else status


def _plan(arguments: argparse.Namespace) -> int:
    from pfcore.reporters import terminal

    wanted, modules = review_options(arguments), arguments.why
    is_text = wanted.output.format == "text"
    find = partial(_asked, modules=modules)
    choice = chosen(wanted.reader, is_asked=False)
    if choice is not None:
        from pfcore.cli.commands.check_command import print_plan

        is_why = is_text and bool(modules)
        return print_plan(wanted, choice, is_deep=arguments.deep, find=find, is_why=is_why)
    with run_review(wanted.revisions, paper=wanted.paper, is_displayed=True) as report:
        if not is_text:
            from pfcore.reporters.formats import json_report

            say(json_report.plan_json(report, is_deep=arguments.deep, why=find(report)))
        elif modules:
            style = wanted.output.style
            caller = caller_of(wanted)
            tell = partial(terminal.why, style=style, before=report.before, caller=caller)
            say("\n".join(tell(paper, name) for paper, name in find(report)))
        else:
            say(terminal.plan_text(report, wanted.output.style, is_deep=arguments.deep))
        return 3 if is_incomplete(report) else 0


def _asked(report: Report, modules: Sequence[str]) -> list[tuple[PaperReport, str]]:
    """The modules that `--why` names, each with its paper; UsageError if no paper has one."""
    from pfcore.reporters.terminal import id_of_name, require_unambiguous

    found: list[tuple[PaperReport, str]] = []
    for module in modules:
        asked = [(paper, id_of_name(paper, module)) for paper in report.papers]
        if not any(name for _, name in asked):
            require_unambiguous(report, module)
            raise UsageError(f"unknown result '{module}'{_like(report, module)}")
        found += ((paper, name) for paper, name in asked if name)
    return found


def _like(report: Report, module: str) -> str:
    from pfcore.cli.command_parser import meant
    from pfcore.reporters.terminal import known_names

    found = meant(module, [name for paper in report.papers for name in known_names(paper)])
    return found or "; pf graph --format json lists all"


def _graph(arguments: argparse.Namespace) -> int:
    from pfcore.reporters import graph_drawings, terminal
    from pfcore.reporters.formats import json_report

    wanted = review_options(arguments, is_whole=True)
    output = wanted.output
    if arguments.suggest_uses:
        return _suggest_uses(wanted, by_word=arguments.with_terms)
    draw = {
        "json": json_report.graph_json,
        "dot": graph_drawings.dot,
        "mermaid": graph_drawings.mermaid,
    }
    with run_review(wanted.revisions, paper=wanted.paper, is_displayed=True) as report:
        if output.format == "text":
            say(terminal.graph_text(report, output.style))
        else:
            say(draw[output.format](report))
        return 3 if is_incomplete(report) else 0


def _numbers(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.numbers_command import numbers

    return numbers(review_options(arguments), is_asked=arguments.latex)


def _suggest_uses(wanted: ReviewOptions, *, by_word: bool) -> int:
    """Print only the patch on stdout, for `pf graph --suggest-uses | git apply`."""
    from pfcore.reporters.uses_patch import suggest

    with run_review(wanted.revisions, paper=wanted.paper) as report:
        found = suggest(report, by_word=by_word)
    sys.stdout.buffer.write(found.patch.encode())
    for name in found.without_uses:
        print(f"pf: {visible(name)} has no \\uses, so nothing is suggested", file=sys.stderr)
    for sentence in found.unplaced:
        print(f"pf: not in the patch: {visible(sentence)}", file=sys.stderr)
    if not (found.patch or found.unplaced) and len(found.without_uses) < len(report.papers):
        print("pf: no \\uses is missing", file=sys.stderr)
    return 0


def _report(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.report_command import report

    return report(review_options(arguments), arguments.out, is_forced=arguments.force)


def _recheck(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.finding_commands import recheck

    wanted = review_options(arguments)
    return recheck(wanted, arguments.result, report_printer(wanted))


def _explain(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.explain_rule import find_rule, rule_text

    if rule := find_rule(arguments.finding):
        say(rule_text(rule, output_options(arguments).style))
        return 0
    from pfcore.cli.commands.finding_commands import explain

    say(explain(review_options(arguments), arguments.finding))
    return 0


def _dismiss(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.finding_commands import (
        BulkOptions,
        DismissOptions,
        dismiss,
        dismiss_in_bulk,
    )

    if arguments.rule:
        from pfcore.review.bulk_answers import BulkScope

        if arguments.finding is not None:  # with --rule the first word is the folder
            folder = Path(arguments.finding)
            if arguments.path != HERE or not folder.exists():
                raise UsageError("give a finding or --rule, not both")
            arguments.path = folder
        scope = BulkScope(
            rules=tuple(arguments.rule), file=arguments.file, section=arguments.section
        )
        review = review_options(arguments, is_whole=True)
        bulk = BulkOptions(review=review, scope=scope, reason=arguments.reason, who=arguments.who)
        say(dismiss_in_bulk(bulk))
        return 0
    if arguments.finding is None or arguments.file or arguments.section:
        raise UsageError("give a finding, or --rule CHECK, perhaps with --file or --section")
    wanted = DismissOptions(
        review=review_options(arguments),
        finding=arguments.finding,
        reason=arguments.reason,
        who=arguments.who,
    )
    say(dismiss(wanted))
    return 0


def register_gates(commands: Commands) -> None:
    """Add the commands that judge a whole paper, or run on build servers, to the command line."""
    _register_gate(commands)
    _register_audit(commands)
    _register_ci(commands)


def _register_gate(commands: Commands) -> None:
    about = "judge the whole paper at one revision, before you submit it"
    more = f"{about}; pf dismiss answers its findings, and pf help submitting explains the gate"
    gate = commands.add_parser("gate", help=about, description=more, epilog=EPILOG)
    gate.add_argument("path", nargs="?", type=Path, default=Path(), help="the paper's repository")
    gate.add_argument("--head", metavar="REV", help="revision to judge (default HEAD)")
    gate.add_argument("--paper", metavar="NAME", help="choose one of several papers")
    gate.add_argument("--allow-unread", action="store_true", help="skip proofs that were not read")
    gate.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="FILE",
        help="main file; repeat this option for a supplement",
    )
    gate.add_argument(
        "--trust-lock",
        metavar="REV",
        help="revision whose pf.lock counts (in CI: the default branch)",
    )
    gate.add_argument(
        "--out", type=Path, metavar="DIR", help="folder for the results (default pf-gate)"
    )
    gate.add_argument(
        "--source",
        type=Path,
        metavar="FILE",
        help="judge the paper in this .zip or .tar.gz instead of a repository",
    )
    gate.add_argument(
        "--bundle",
        type=Path,
        metavar="FILE",
        help="if the gate passes, write the upload for arXiv (.tar.gz)",
    )
    gate.add_argument("--force", action="store_true", help="overwrite an existing bundle")
    gate.add_argument(
        "--unpassed",
        action="store_true",
        help="write the bundle even if the gate fails, as NAME-NOT-PASSED.tar.gz",
    )
    add_format(gate)
    gate.add_argument(
        "-v", "--verbose", action="store_true", help="list all reasons and notes in full"
    )
    gate.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    spending(gate)
    add_reading_options(gate)
    config_from(gate)
    gate.set_defaults(run=_gate, base=None, staged=False, all=True)


def _register_audit(commands: Commands) -> None:
    audit = command(commands, "audit", _audit, "read accepted proofs again, with another model")
    audit.add_argument(
        "--sample",
        type=positive_count,
        metavar="N",
        required=True,
        help="number of proofs to sample",
    )
    audit.add_argument(
        "--seed", metavar="S", help="seed of the sample (default: digest of the source)"
    )
    add_format(audit)
    spending(audit)
    add_reading_options(audit)


def _register_ci(commands: Commands) -> None:
    ci = command(commands, "ci", _ci, "run a review in GitHub Actions")
    ci.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder for results that later steps use",
    )
    ci.add_argument("--proofs", action="store_true", help="also have the model read proofs")
    ci.add_argument("--gate", action="store_true", help="judge the whole paper (pf gate)")
    ci.add_argument(
        "--bundle", action="store_true", help="with --gate: write arxiv.tar.gz if the gate passes"
    )
    ci.add_argument("--allow-unread", action="store_true", help="skip proofs that were not read")
    ci.add_argument("--private", action="store_true", help="show counts only")
    ci.add_argument(
        "--since", default="", metavar="REV", help="start of the push, if not the one in the event"
    )
    ci.add_argument(
        "--budget",
        type=budget_cap,
        metavar="B",
        help="spending limit: 2 (dollars), '500k tokens', '20 min'",
    )
    add_reading_options(ci)


def _gate(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.gate_command import GateOptions, gate

    wanted = GateOptions(
        review=review_options(arguments),
        out=arguments.out,
        source=arguments.source,
        is_unpassed=arguments.unpassed,
        bundle=arguments.bundle,
        is_forced=arguments.force,
        trusted=arguments.trust_lock,
        allow_unread=arguments.allow_unread,
        roots=tuple(dict.fromkeys(arguments.root)),
    )
    return gate(wanted, say)


def _audit(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.maintenance_commands import AuditOptions, audit

    review = review_options(arguments, is_whole=True)
    return audit(AuditOptions(review=review, sample=arguments.sample, seed=arguments.seed), say)


def _ci(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.ci_command import CiOptions, ci

    wanted = CiOptions(
        review=review_options(arguments),
        out=arguments.out,
        with_proofs=arguments.proofs,
        is_gate=arguments.gate,
        is_bundle=arguments.bundle,
        allow_unread=arguments.allow_unread,
        is_private=arguments.private,
        since=arguments.since,
    )
    return ci(wanted)


def register_upkeep(commands: Commands) -> None:
    """Add them to the command line."""
    upgrade = command(
        commands, "upgrade", _upgrade, ("show what switching model or settings would cost")
    )
    add_format(upgrade)
    add_reading_options(upgrade)
    remove = commands.add_parser("remove", help="delete cached data")
    remove.add_argument("--cache", action="store_true", help="delete only the parse cache")
    remove.add_argument("--replies", action="store_true", help="delete only stored model replies")
    remove.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    remove.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    remove.set_defaults(run=_remove)
    _register_init(commands)
    demo = commands.add_parser("demo", help="write a small sample paper and review it")
    demo.add_argument("folder", type=Path, metavar="DIR", help="new or empty folder")
    demo.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    demo.set_defaults(run=_demo)
    topic = commands.add_parser("help", help="print a page of the documentation, or list the pages")
    topic.add_argument(
        "topic", nargs="?", metavar="TOPIC", help="page to print (default: list all)"
    )
    topic.set_defaults(run=partial(_help, commands))
    checks = commands.add_parser("checks", help="list the checks")
    checks.set_defaults(run=_checks)
    shells = commands.add_parser("completion", help="print a shell completion script")
    shells.add_argument("shell", choices=("bash", "zsh", "fish"))
    shells.set_defaults(run=_completion)
    schema = commands.add_parser("schema", help="print the JSON Schema of a command's JSON")
    schema.add_argument("name", choices=("check", "plan", "graph"))
    schema.set_defaults(run=_schema)
    doctor = commands.add_parser("doctor", help="test the installation and, with --model, a model")
    doctor.add_argument("--model", metavar="NAME", help="test this model with a few questions")
    doctor.add_argument(
        "--window", action="store_true", help="also send a long text, to test whether it is cut off"
    )
    doctor.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    doctor.set_defaults(run=_doctor, offline=False)


def _register_init(commands: Commands) -> None:
    about = "write a hook, a workflow or settings, asking before each"
    start = commands.add_parser("init", help=about, description=about, epilog=EPILOG)
    start.add_argument("path", nargs="?", type=Path, default=HERE, help="the paper's repository")
    start.add_argument("--hook", action="store_true", help="write .pre-commit-config.yaml")
    start.add_argument("--workflow", action="store_true", help="write a workflow for GitHub")
    start.add_argument("--config", action="store_true", help="write pf.toml")
    start.add_argument("--merge", action="store_true", help="have git merge pf.lock")
    start.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    start.add_argument(
        "--undo", action="store_true", help="remove the files that pf init wrote, if unchanged"
    )
    start.add_argument(
        "--from",
        dest="origin",
        metavar="URL@REV",
        help="repository and version of pf-verify",
    )
    start.set_defaults(run=_init)


def _upgrade(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.maintenance_commands import upgrade

    say(upgrade(review_options(arguments, is_whole=True)))
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.maintenance_commands import RemoveOptions, remove

    wanted = RemoveOptions(
        cache=arguments.cache,
        replies=arguments.replies,
        is_agreed=arguments.yes,
        style=output_options(arguments).style,
    )
    return remove(wanted, say, ask)


def _init(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.init_command import PLACES, InitOptions, init
    from pfcore.domain.installation import Origin, recorded_origin

    named = arguments.origin
    url, _, revision = (named or "").rpartition("@")
    if named is not None and not ("://" in url and revision):
        raise UsageError(f"invalid --from {named!r}: expected URL@REVISION, an https:// address")
    said = vars(arguments)
    wanted = InitOptions(
        path=arguments.path,
        wanted=tuple(kind for kind in PLACES if said[kind]),
        is_agreed=arguments.yes,
        is_undone=arguments.undo,
        origin=Origin(url, revision) if named else recorded_origin(),
    )
    return init(wanted, say, ask)


def _demo(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands import demo_command

    style = output_options(arguments).style
    return demo_command.run_demo(arguments.folder, style=style, echo=say)


def _help(commands: Commands, arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands import help_command

    topic = arguments.topic
    style = output_options(arguments).style
    if topic is None:
        say(help_command.topics_text(width=None if style.is_whole else style.width))
    elif topic in commands.choices:
        say(commands.choices[topic].format_help())
    else:
        width = min(100, style.width)
        say(help_command.help_text(topic, commands=tuple(commands.choices), width=width))
    return 0


def _checks(arguments: argparse.Namespace) -> int:
    from pfcore.checks.registry import ALL

    del arguments
    for check in ALL:
        print(f"{check.id:24} {check.severity.value:8} {check.rationale}")
    return 0


def _completion(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.completion_command import completion

    parser, _ = arguments.whole_parser()
    say(completion(arguments.shell, parser))
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    from pfcore.reporters.formats.catalogue import schema

    say(schema(arguments.name))
    return 0


def _doctor(arguments: argparse.Namespace) -> int:
    from pfcore.cli.commands.doctor_command import DoctorOptions, doctor

    wanted = DoctorOptions(
        reader=reader_options(arguments),
        is_long=arguments.window,
        style=output_options(arguments).style,
    )
    return doctor(wanted, say)
