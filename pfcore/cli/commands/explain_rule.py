"""`pf explain RULE`: why a check matters, an example, how to fix or silence its findings."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pfcore.checks import change, preflight
from pfcore.checks.check import Check
from pfcore.checks.registry import ALL
from pfcore.checks.suppressions import NEVER, unanswerable
from pfcore.cli.environment import RULE_GUIDES
from pfcore.cli.exit_status import pf_command
from pfcore.reporters.printing import Style
from pfcore.review.bulk_answers import is_bulk


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleGuide:
    """The explanation of one check."""

    why: str
    example: str
    mend: str


def rule_guides() -> dict[str, RuleGuide]:
    """The guides of all checks, by their ids."""
    with RULE_GUIDES.open("rb") as file:
        return {name: RuleGuide(**told) for name, told in tomllib.load(file).items()}


def find_rule(name: str) -> Check | None:
    """The check of this id, if there is one."""
    return next((check for check in ALL if check.id == name), None)


def _when(name: str) -> Iterator[str]:
    """The commands that run a check, if not all do."""
    if any(check.id == name for check in preflight.BEFORE_AN_UPLOAD):
        more = ", and by pf check and the hook if a change breaks it"
        yield f"By pf gate{more if name in change.BESIDE_THE_TEXT else ' alone'}."


def rule_text(check: Check, style: Style) -> str:
    """The printed guide of a check."""
    told = rule_guides()[check.id]
    parts = (
        *(("Looked for", when) for when in _when(check.id)),
        ("Why", told.why),
        ("Example", told.example),
        ("Fix it", told.mend),
        *(() if check.id in NEVER else (("Silence it", f"% pf: ignore[{check.id}] reason"),)),
    )
    inner = replace(style, width=style.width - 2)
    lines = [f"{check.id} ({check.severity.value} unless pf.toml says otherwise)"]
    for title, text in parts:
        lines += ["", f"{title}:", *(f"  {line}" for line in inner.wrap(text))]
    if check.id in NEVER:
        return style.finish([*lines, "", f"{unanswerable(check.id)}."])
    lines += [
        "",
        "  on the line of one finding; for the whole paper, in pf.toml:",
        "  [checks]",
        f'  disable = ["{check.id}"]',
    ]
    if is_bulk(check.id):
        command = f"{pf_command()} dismiss ID --reason 'why it is right'"
        lines += ["", "  to answer one finding in pf.lock, using the id that is printed with it:"]
        lines += [f"  {command}"]
    return style.finish(lines)
