"""The command `pf`: parses, calls the core, prints, returns an exit status.

0 clean, 1 findings, 2 usage or configuration, 3 could not be reviewed, 4 internal.
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from pfcore.errors import PfError, UsageError

if TYPE_CHECKING:
    from pfcore.report.terminal import Style
    from pfcore.review import Report

_GRAPHS = ("text", "json", "dot", "mermaid")
_EPILOG = "exit status: 0 clean, 1 findings, 2 usage or configuration, 3 not reviewed, 4 internal"


def script() -> NoReturn:
    """The console script; ends at once, for to take a large paper's values apart takes a while."""
    try:
        status = main()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else 2
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(status)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command."""
    arguments = _parser().parse_args(argv)
    gc.disable()  # a command is over before a collection would pay
    try:
        status: int = arguments.run(arguments)
        sys.stdout.flush()
    except PfError as error:
        print(f"pf: {error.message}", file=sys.stderr)
        return error.exit_status
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the exit
        return 0
    except KeyboardInterrupt:
        print("pf: interrupted", file=sys.stderr)
        return 130
    except Exception:  # noqa: BLE001 - the entry point: exit status 4, traceback kept
        import traceback

        traceback.print_exc()
        print("pf: this is a fault of pf-verify itself; please report it", file=sys.stderr)
        return 4
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
    check.add_argument("--format", choices=("text", "json"), default="text")
    check.add_argument("--notes", action="store_true", help="list notes and older findings too")
    plan = _command(commands, "plan", _plan, "what a change affects, and why")
    plan.add_argument("--format", choices=("text", "json"), default="text")
    plan.add_argument("--why", metavar="MODULE", help="why this module, and what it rests on")
    graph = _command(commands, "graph", _graph, "the dependency graph of the paper")
    graph.add_argument("--format", choices=_GRAPHS, default="text")
    graph.add_argument(
        "--suggest-uses", action="store_true", help="print a blueprint's missing \\uses as a patch"
    )
    graph.add_argument(
        "--with-terms", action="store_true", help="in the patch also what words alone lead to"
    )
    demo = commands.add_parser("demo", help="write a small paper repository and review it")
    demo.add_argument("folder", type=Path, metavar="DIR", help="a folder that is new or empty")
    demo.set_defaults(run=_demo)
    checks = commands.add_parser("checks", help="list the checks")
    checks.set_defaults(run=_checks)
    return parser


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
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text, epilog=_EPILOG)
    parser.add_argument("path", nargs="?", type=Path, default=Path(), help="the paper's repository")
    parser.add_argument("--base", metavar="REV", help="compare with this revision")
    parser.add_argument("--head", metavar="REV", help="review this revision, not the working tree")
    parser.add_argument("--staged", action="store_true", help="review what is staged")
    parser.add_argument("--all", action="store_true", help="review the whole paper as it stands")
    parser.add_argument("--paper", metavar="NAME", help="one of several papers")
    parser.add_argument("--plain", action="store_true", help="ASCII without colours")
    parser.set_defaults(run=run)
    return parser


def _check(arguments: argparse.Namespace) -> int:
    from pfcore.report import as_json, terminal

    with _reviewed(arguments) as report:
        if arguments.format == "json":
            _print(as_json.check(report))
        else:
            _print(terminal.check(report, _style(arguments)))
    return 1 if any(paper.blocking for paper in report.papers) else 0


def _plan(arguments: argparse.Namespace) -> int:
    from pfcore.report import as_json, terminal

    with _reviewed(arguments) as report:
        if arguments.why:
            _print(_why(report, arguments.why, _style(arguments)))
        elif arguments.format == "json":
            _print(as_json.plan(report))
        else:
            _print(terminal.plan(report, _style(arguments)))
    return 0


def _why(report: Report, module: str, style: Style) -> str:
    from pfcore.report import terminal

    texts = [
        terminal.why(paper, module, style)
        for paper in report.papers
        if module in paper.state.document.modules
    ]
    if not texts:
        raise UsageError(f"there is no module {module}{_like(report, module)}")
    return "\n".join(texts)


def _like(report: Report, module: str) -> str:
    from difflib import get_close_matches

    known = [name for paper in report.papers for name in paper.state.document.modules]
    found = get_close_matches(module, known, n=3)
    return f"; is {' or '.join(found)} meant?" if found else ""


def _graph(arguments: argparse.Namespace) -> int:
    from pfcore.report import as_json, drawings, terminal

    arguments.all = True
    if arguments.suggest_uses:
        return _suggest_uses(arguments)
    draw = {"json": as_json.graph, "dot": drawings.dot, "mermaid": drawings.mermaid}
    with _reviewed(arguments) as report:
        if arguments.format == "text":
            _print(terminal.graph(report, _style(arguments)))
        else:
            _print(draw[arguments.format](report))
    return 0


def _suggest_uses(arguments: argparse.Namespace) -> int:
    """The patch on standard output, all else beside it: `pf graph --suggest-uses | git apply`."""
    from pfcore.report.uses_patch import suggest

    with _reviewed(arguments) as report:
        found = suggest(report, by_word=arguments.with_terms)
    sys.stdout.buffer.write(found.patch.encode())
    for name in found.without_uses:
        print(f"pf: {name} has no \\uses, so there is nothing to suggest", file=sys.stderr)
    for sentence in found.unplaced:
        print(f"pf: not in the patch: {sentence}", file=sys.stderr)
    if not (found.patch or found.unplaced) and len(found.without_uses) < len(report.papers):
        print("pf: no \\uses is missing", file=sys.stderr)
    return 0


def _demo(arguments: argparse.Namespace) -> int:
    from pfcore import demo

    return demo.run(arguments.folder, style=_style(arguments), echo=_print)


def _checks(arguments: argparse.Namespace) -> int:
    from pfcore.checks.registry import ALL

    del arguments
    for check in ALL:
        print(f"{check.id:24} {check.severity.value:8} {check.rationale}")
    return 0


@contextmanager
def _reviewed(arguments: argparse.Namespace) -> Iterator[Report]:
    """The report, with the parse cache open as long as it is looked at."""
    from pfcore.cache import DiskCache
    from pfcore.moments import Wanted, moments
    from pfcore.review import review
    from pfcore.shelf import Shelf
    from pfcore.workers import Workers

    wanted = Wanted(
        path=arguments.path,
        base=arguments.base,
        head=arguments.head,
        staged=arguments.staged,
        whole=arguments.all,
    )
    found = moments(wanted)
    cache = DiskCache(cache_folder() / "readings.sqlite")
    try:
        yield review(
            found.before,
            found.after,
            Shelf(cache, Workers(jobs())),
            only=arguments.paper,
            folder=found.folder,
        )
    finally:
        cache.close()


def cache_folder() -> Path:
    """Where the parse cache lies: PF_CACHE_DIR, else the user's cache folder."""
    named = os.environ.get("PF_CACHE_DIR")
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "pf-verify"


def jobs() -> int:
    """How many processes may read a paper: PF_JOBS, else one for each processor, up to eight."""
    named = os.environ.get("PF_JOBS", "")
    if named and not (named.isascii() and named.isdigit() and int(named)):
        raise UsageError(f"PF_JOBS is {named}; it must be a number from 1")
    return int(named or min(8, os.cpu_count() or 1))


def _style(arguments: argparse.Namespace) -> Style:
    import shutil

    from pfcore.report.terminal import Style

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


def _print(text: str) -> None:
    """Print; letters that the console does not have are replaced, never fatal."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
