"""`pf-verify`: reports what the staged change breaks, without a model or the network.

Exit status 0 if nothing blocks, 1 if the commit introduces an error (or, with --locked, if pf.lock
is out of date), 2 for wrong usage or settings, 3 if git failed, 4 for an internal error.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from hooks.request import here, merged, request
from pfcore.cli.exit_status import exit_with, pf_command, run_entry_point, say, visible
from pfcore.domain.errors import NoPaperError

if TYPE_CHECKING:
    from pfcore.repository.git import GitRepository
    from pfcore.repository.revisions import RevisionOptions
    from pfcore.review.review import Report

NAME = "pf-verify"
_ANSWER = 'fix {}, or write "% pf: ignore[ID] reason" on {}'
_MOST_RULES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class HookOptions:
    """The arguments from pre-commit: file names, and the options set in its configuration.

    `is_locked`: the ledger must be up to date; `paper` restricts the hook to one paper, None is
    all.
    """

    files: tuple[str, ...]
    is_locked: bool
    notes: bool
    paper: str | None


def script() -> NoReturn:
    """The console script."""
    exit_with(main)


def main(argv: Sequence[str] | None = None) -> int:
    """Review what pre-commit asks for."""
    return run_entry_point(NAME, partial(_verify, _options(argv)))


def option_parser() -> argparse.ArgumentParser:
    """The arguments that pre-commit may pass as `args`."""
    parser = argparse.ArgumentParser(
        prog=NAME,
        description="Check what the staged change breaks, without a model or the network.",
        allow_abbrev=False,
        add_help=False,
    )
    parser.add_argument("--help", action="help", help="show this message and exit")
    parser.add_argument("--locked", action="store_true", help="fail if pf.lock is out of date")
    parser.add_argument("--notes", action="store_true", help="also print notes")
    parser.add_argument("--paper", metavar="NAME", help="choose one of several papers")
    parser.add_argument("files", nargs="*", help="files from pre-commit")
    return parser


def _options(argv: Sequence[str] | None) -> HookOptions:
    """The options; file names are never taken for options, even if they begin with "-"."""
    from pfcore.repository.source_files import is_of_interest

    parser = option_parser()
    found, others = parser.parse_known_args(argv)
    strange = [word for word in others if not is_of_interest(word)]
    if strange:
        parser.error(f"unrecognized arguments: {' '.join(strange)}")
    return HookOptions(
        files=(*found.files, *others),
        is_locked=found.locked,
        notes=found.notes,
        paper=found.paper,
    )


def _verify(options: HookOptions) -> int:
    repository = here()
    wanted = request(repository, options.files, os.environ, is_locked=options.is_locked)
    if wanted is None:
        return 0
    try:
        return _reviewed(options, repository, wanted)
    except NoPaperError as error:  # this hook only concerns LaTeX files
        message = error.message.removeprefix(f"{wanted.path}: ")  # always the current repository
        say(f"{NAME}: {visible(message)}\n")
        from pfcore.domain.paper_settings import LEDGER_NAME

        has_ledger = os.path.lexists(wanted.path / LEDGER_NAME)
        return error.exit_status if options.is_locked and has_ledger else 0


def _reviewed(options: HookOptions, repository: GitRepository, wanted: RevisionOptions) -> int:
    from pfcore.cli.environment import run_review
    from pfcore.domain.values import Severity
    from pfcore.reporters.formats.line_formats import finding_lines
    from pfcore.review.review import without_lesser

    with run_review(wanted, paper=options.paper) as found:
        report = found if options.notes else without_lesser(found, Severity.WARNING)
        blocking = _blocking(report)
        if blocking and wanted.staged:
            blocking = _of_all(blocking, options, repository, wanted)
        told = finding_lines(report, notes=options.notes, whole=_whole())
        for line in told.said:
            say(f"{line}\n")
        is_told = any("warning [pf.lock]" in line for line in told.said)
        is_stale = _is_stale(report, options, wanted, is_told=is_told)
    for line in _next(blocking, wanted):
        say(f"{line}\n")
    if blocking or (is_stale and options.is_locked):
        return 1
    return 3 if told.is_incomplete else 0


class Blocking(NamedTuple):
    """A blocking finding, listed once for all papers that have it at that place."""

    id: str
    rule: str
    place: str


def _blocking(report: Report) -> list[Blocking]:
    """The blocking findings, the most severe first."""
    from pfcore.reporters.printing import place_of

    found = (
        Blocking(finding.id, finding.rule, place_of(finding))
        for paper in report.papers
        for finding in paper.blocking
    )
    return list(dict.fromkeys(found))


def _of_all(
    blocking: list[Blocking],
    options: HookOptions,
    repository: GitRepository,
    wanted: RevisionOptions,
) -> list[Blocking]:
    """The findings that block against every parent: a merge is not to blame for a parent's."""
    from dataclasses import replace

    from pfcore.cli.environment import run_review
    from pfcore.domain.values import Severity
    from pfcore.review.review import without_lesser

    for parent in merged(repository):
        with run_review(replace(wanted, base=parent), paper=options.paper) as report:
            found = _blocking(without_lesser(report, Severity.WARNING))
        known = {item.id for item in found}
        blocking = [item for item in blocking if item.id in known]
    return blocking


def _is_stale(
    report: Report, options: HookOptions, wanted: RevisionOptions, *, is_told: bool
) -> bool:
    """Whether the ledger lacks something under review, which is printed; not if there is no ledger.

    `is_told`: its unreadable lines have been reported already.
    """
    from importlib.util import find_spec

    from pfcore.reporters.printing import Style
    from pfcore.reporters.stale_ledger import has_ledger, stale, stale_text, unreadable

    broken = unreadable(report)
    for sentence in broken if options.is_locked and not is_told else ():
        say(f"{sentence}\n")
    is_new = not has_ledger(report)
    if is_new and not options.is_locked:
        return bool(broken)
    found = stale(report, whole=wanted.whole)
    if found:
        say(stale_text(found, Style(), is_new=is_new, command=pf_command()))
        if find_spec("openai") is None:
            from pfcore.domain.installation import install_command

            say(f"this needs more packages: {install_command('llm')}\n")
    return bool(found or broken)


def _next(blocking: Sequence[Blocking], wanted: RevisionOptions) -> Iterator[str]:
    """What to do next; the ways to fix it if `pf explain` cannot be run as a short command."""
    if not blocking:
        return
    if len(blocking) == 1:
        yield f"blocked by 1 finding: {_ANSWER.format('it', 'its line')}"
    else:
        number = f"{len(blocking):,} findings"
        yield f"blocked by {number}: {_ANSWER.format('them', 'their lines')}"
    pf = pf_command()
    if not _is_hidden(pf):
        yield f"run: {pf} explain {blocking[0].id}{_moment(wanted)}"
        return
    from pfcore.cli.environment import ways_to_fix

    yield from ways_to_fix(list(dict.fromkeys(item.rule for item in blocking))[:_MOST_RULES])


def _is_hidden(pf: str) -> bool:
    """Whether `pf` exists only in the environment that pre-commit made for its hooks."""
    return "PRE_COMMIT" in os.environ and pf != "pf"


def _whole() -> str:
    """The command that reviews the whole paper."""
    pf = pf_command()
    return f"pre-commit run {NAME} --all-files" if _is_hidden(pf) else f"{pf} check --all"


def _moment(wanted: RevisionOptions) -> str:
    """The options of `pf` for the same revisions.

    "" for a staged change: what `git commit -a` has staged is unstaged again after a failed commit,
    and `pf explain` looks at both the files and the index.
    """
    if wanted.staged:
        return ""
    return " --all" if wanted.whole else f" --base {wanted.base} --head {wanted.head}"
