"""The options that several commands share, and the values made of them.

Also what the terminal can show, and questions to the user.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pfcore.cli.command_parser import EXIT_STATUSES, CommandParser, example
from pfcore.cli.environment import HERE, ReaderOptions
from pfcore.cli.exit_status import pf_command, say, visible

if TYPE_CHECKING:
    from pfcore.reporters.printing import Style
    from pfcore.reporters.review_outcome import Caller
    from pfcore.repository.revisions import RevisionOptions
    from pfcore.review.review import Report

    Commands = argparse._SubParsersAction[CommandParser]  # noqa: SLF001 - typeshed's name for a type without a public one
    Run = Callable[[argparse.Namespace], int]

EPILOG = EXIT_STATUSES


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """How a command prints: the format, and what the console can show."""

    format: str = "text"
    style: Style


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """The options of a command on papers; `paper` restricts it to one of them."""

    revisions: RevisionOptions
    paper: str | None
    reader: ReaderOptions
    output: OutputOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """The options of `pf check`.

    `is_locked`: no model is asked, and the ledger must be up to date; `is_recorded`: the verdicts
    are written into it.
    """

    review: ReviewOptions
    is_locked: bool = False
    is_recorded: bool = False


def command(
    commands: Commands,
    name: str,
    run: Run,
    text: str,
    about: str = "",
    *,
    may_lack: bool = False,
) -> argparse.ArgumentParser:
    """Add a command on a paper; `about` is its first argument, such as a finding, if it has one.

    `may_lack`: this argument is optional, because an option can replace it.
    """
    epilog = f"example: {example(name)}. {EPILOG}"
    parser = commands.add_parser(name, help=text, description=text, epilog=epilog)
    if about:
        parser.add_argument(about, metavar=about.upper(), nargs="?" if may_lack else None)
    parser.add_argument("path", nargs="?", type=Path, default=HERE, help="the paper's repository")
    before = parser.add_mutually_exclusive_group()
    before.add_argument("--base", metavar="REV", type=revision, help="compare with this revision")
    before.add_argument("--all", action="store_true", help="review the whole paper")
    parser.add_argument(
        "--head", metavar="REV", type=revision, help="review this revision, not the working tree"
    )
    parser.add_argument("--staged", action="store_true", help="review what is staged")
    parser.add_argument("--paper", metavar="NAME", help="choose one of several papers")
    config_from(parser)
    parser.add_argument("--plain", action="store_true", help="plain ASCII, no colours")
    parser.set_defaults(run=run)
    return parser


def add_format(
    parser: argparse.ArgumentParser,
    formats: Sequence[str] = ("text", "json"),
    *,
    lists_findings: bool = False,
) -> None:
    """Add the option for the format, and those for how many findings are printed."""
    parser.add_argument(
        "--format", choices=formats, default="text", help="how the result is printed"
    )
    if lists_findings:
        parser.add_argument(
            "--notes", action="store_true", help="list notes and older findings too"
        )
        volume = parser.add_mutually_exclusive_group()
        volume.add_argument("-q", "--quiet", action="store_true", help="print problems only")
        volume.add_argument(
            "-v", "--verbose", action="store_true", help="print notes too, and shorten nothing"
        )


def config_from(parser: argparse.ArgumentParser) -> None:
    """Add the option for the revision whose settings count."""
    parser.add_argument(
        "--config-from", metavar="REV", help="trust only the pf.toml and pf.lock of this revision"
    )


def spending(parser: argparse.ArgumentParser) -> None:
    """Add the options for what a run may spend."""
    parser.add_argument("--yes", action="store_true", help="do not ask before a costly run")
    parser.add_argument(
        "--budget",
        type=budget_cap,
        metavar="B",
        help="spending limit: 2 (dollars), '500k tokens', '20 min'",
    )


def add_reading_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of commands that may ask a model, or show its price."""
    parser.add_argument("--model", metavar="NAME", help="read proofs with this model")
    parser.add_argument(
        "--offline", action="store_true", help="ask no model, even if one is configured"
    )
    parser.add_argument(
        "--rollouts", type=positive_count, metavar="K", help="number of readings of each proof"
    )
    add_prompts(parser)


def add_prompts(parser: argparse.ArgumentParser) -> None:
    """Add the option for the user's own prompts."""
    parser.add_argument("--prompts", type=_folder, metavar="DIR", help="use prompts from DIR")


def add_retry(parser: argparse.ArgumentParser) -> None:
    """Add the option to ask again if stored replies give no verdict."""
    parser.add_argument(
        "--retry", action="store_true", help="ask again if stored replies give no verdict"
    )


def revision(name: str) -> str:
    """The name of a revision; ArgumentTypeError if empty."""
    if not name.strip():
        raise argparse.ArgumentTypeError("empty revision name")
    return name


def positive_count(text: str) -> int:
    """An integer from 1; ArgumentTypeError for anything else."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"invalid number '{text}': expected a positive integer")
    return int(text)


def _folder(text: str) -> Path:
    """An existing folder; ArgumentTypeError for anything else."""
    path = Path(text)
    if not path.is_dir():
        why = "not a folder" if path.exists() else "folder not found"
        raise argparse.ArgumentTypeError(f"{why}: {text}")
    return path


def budget_cap(text: str) -> object:
    """A spending limit, such as '20 min'; ArgumentTypeError if invalid."""
    from pfcore.cli.pricing import cap

    return cap(text)


def rates(text: str) -> tuple[float, float]:
    """The probabilities that a simulated reader finds an error, and raises a false alarm."""
    try:
        recall, alarms = map(float, text.split(","))
    except ValueError:
        recall = alarms = -1.0
    if not (0 <= recall <= 1 and 0 <= alarms <= 1):
        message = f"invalid probabilities '{text}': expected two numbers, such as 0.7,0.1"
        raise argparse.ArgumentTypeError(message)
    return recall, alarms


def review_options(arguments: argparse.Namespace, *, is_whole: bool = False) -> ReviewOptions:
    """The options of a command on papers; `is_whole`: review the whole paper, even without --all.

    An option that the command does not have counts as not given.
    """
    from pfcore.repository.revisions import RevisionOptions

    return ReviewOptions(
        revisions=RevisionOptions(
            path=arguments.path,
            base=arguments.base,
            head=arguments.head,
            staged=arguments.staged,
            whole=arguments.all or is_whole,
            settings=arguments.config_from,
        ),
        paper=arguments.paper,
        reader=reader_options(arguments),
        output=output_options(arguments),
    )


def reader_options(arguments: argparse.Namespace) -> ReaderOptions:
    """The options of a command that may ask a model, or show its price."""
    said = vars(arguments)
    return ReaderOptions(
        model=said.get("model"),
        is_offline=said.get("offline", False),
        rollouts=said.get("rollouts"),
        prompts=said.get("prompts"),
        budget=said.get("budget"),
        is_agreed=said.get("yes", False),
        is_retried=said.get("retry", False),
    )


def output_options(arguments: argparse.Namespace) -> OutputOptions:
    """Format, colours, characters and width, by the user's options and the console."""
    import shutil

    from pfcore.reporters.printing import Style

    said = vars(arguments)
    plain = said.get("plain", False)
    is_terminal = sys.stdout.isatty()
    style = Style(
        colour=is_coloured(os.environ, is_terminal=is_terminal) and not plain,
        ascii=plain or not _speaks_unicode(),
        width=max(40, min(160, shutil.get_terminal_size((100, 24)).columns)),
        notes=said.get("notes", False) or said.get("verbose", False),
        is_whole=not is_terminal or said.get("verbose", False),
        is_quiet=said.get("quiet", False),
        is_verbose=said.get("verbose", False),
        host=link_host(os.environ) if is_terminal and not plain else None,
    )
    return OutputOptions(format=said.get("format", "text"), style=style)


def is_coloured(environment: Mapping[str, str], *, is_terminal: bool) -> bool:
    """Whether to print colours: NO_COLOR forbids them, FORCE_COLOR forces them in files, too."""
    if environment.get("NO_COLOR"):
        return False
    is_able = is_terminal and environment.get("TERM") != "dumb"
    return is_able or environment.get("FORCE_COLOR", "") not in _OFF


_LINKING = {"iTerm.app": (3, 1), "WezTerm": (20200620,), "vscode": (1, 72), "ghostty": ()}
"""The terminals that show links, by TERM_PROGRAM, each with its first such version."""
_LINKING_TERMS = ("alacritty", "foot", "foot-extra", "xterm-ghostty", "xterm-kitty")
_OFF = ("", "0", "false")
_VTE = 5001
"""The first version of VTE (GNOME's terminals) that shows links without crashing."""


def link_host(environment: Mapping[str, str]) -> str | None:
    """The host for links to files, "" for none; None if the terminal shows no links.

    FORCE_HYPERLINK turns links on in an unknown terminal, or off in a known one. On a build server
    and in pre-commit, no one can click on links.
    """
    forced = environment.get("FORCE_HYPERLINK", "")
    is_log = any(environment.get(name, "") not in _OFF for name in ("CI", "PRE_COMMIT"))
    is_plain = not forced and (environment.get("NO_COLOR") or not _shows_links(environment))
    if is_log or is_plain or forced in ("0", "false"):
        return None
    if name := environment.get("WSL_DISTRO_NAME"):
        from urllib.parse import quote

        return f"wsl$/{quote(name, safe='')}"
    return os.uname().nodename if hasattr(os, "uname") else ""


def _shows_links(environment: Mapping[str, str]) -> bool:
    """Whether the terminal is known to show links."""
    term = environment.get("TERM", "")
    if term == "dumb" or term.startswith(("screen", "tmux")) or environment.get("TMUX"):
        return False
    program = environment.get("TERM_PROGRAM", "")
    if program in _LINKING:
        version = environment.get("TERM_PROGRAM_VERSION", "").replace("-", ".").split(".")
        numbers = tuple(int(part) for part in version if part.isascii() and part.isdigit())
        return numbers >= _LINKING[program]
    vte = environment.get("VTE_VERSION", "")
    is_vte = vte.isascii() and vte.isdigit() and int(vte) >= _VTE
    return is_vte or term in _LINKING_TERMS or bool(environment.get("WT_SESSION"))


def caller_of(wanted: ReviewOptions) -> Caller:
    """How to type a command here for the same papers, versions and model."""
    from shlex import quote

    from pfcore.reporters.review_outcome import Caller

    moments, reader = wanted.revisions, wanted.reader
    said = (
        ("base", moments.base),
        ("head", moments.head),
        ("paper", wanted.paper),
        ("config-from", moments.settings),
    )
    parts = [quote(f"--{name}={value}") for name, value in said if value is not None]
    parts += ["--staged"] if moments.staged else []
    parts += ["--all"] if moments.whole else []
    parts += [quote(typed_path(moments.path))] if moments.path is not HERE else []
    named = (("model", reader.model), ("rollouts", reader.rollouts), ("prompts", reader.prompts))
    asked = [quote(f"--{name}={value}") for name, value in named if value is not None]
    asked += ["--offline"] if reader.is_offline else []
    return Caller(pf_command(), *("".join(f" {one}" for one in two) for two in (parts, asked)))


def typed_path(path: Path) -> str:
    """A path as an argument, so that one beginning with "-" is not taken for an option."""
    return f"./{path}" if str(path).startswith("-") else str(path)


def shared_caller(wanted: ReviewOptions) -> Caller:
    """The same for a text for others, who may have `pf` in another place."""
    return caller_of(wanted)._replace(pf="pf")


def report_printer(wanted: ReviewOptions) -> Callable[[Report], None]:
    """A function that prints a report in the chosen format."""
    output = wanted.output
    if output.format == "text":
        from pfcore.reporters import terminal

        return lambda report: say(terminal.check_text(report, output.style, caller_of(wanted)))
    from pfcore.reporters.formats.catalogue import rendered_report
    from pfcore.reporters.review_outcome import not_looked_at

    def show(report: Report) -> None:
        say(rendered_report(report, output.format, shared_caller(wanted)))
        if output.format == "rdjsonl" and (said := not_looked_at(report)):
            sys.stderr.write(f"pf: {visible(said)}\n")  # this format contains only findings

    return show


def ask(question: str) -> bool | None:
    """The user's answer to a yes-or-no question; None without a terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _speaks_unicode() -> bool:
    try:
        "✓→…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
