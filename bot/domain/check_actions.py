"""The buttons beside a check: what GitHub shows of them, and what is asked for by pressing one.

A button does what a command does, by the rights of whoever presses it.
"""

import re
from dataclasses import dataclass

from bot.domain.chat_commands import Command, Verb

MOST = 3
"""Buttons of a check at most, as GitHub has it; so are the lengths below."""
_IDENTIFIER = 20
_LABEL = 20
_DESCRIPTION = 40
_PRESSED = re.compile(r"read|(?P<verb>explain|dismiss):(?P<finding>[a-z2-7]{8})")
_REASON = "dismissed with the button of the check"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAction:
    """A button: what comes back when it is pressed, and what people see."""

    identifier: str
    label: str
    description: str

    def __post_init__(self) -> None:
        sizes = (
            (self.identifier, _IDENTIFIER),
            (self.label, _LABEL),
            (self.description, _DESCRIPTION),
        )
        if any(not 0 < len(text) <= most for text, most in sizes):
            raise ValueError("the text of a button is longer than GitHub allows")


READ = CheckAction(
    identifier="read",
    label="Read the proofs",
    description="Read the remaining proofs of this commit",
)
"""Have the head that the check is of read."""


def finding_actions(finding: str) -> tuple[CheckAction, ...]:
    """The buttons of one finding, by its id."""
    return (
        CheckAction(
            identifier=f"explain:{finding}",
            label=f"Explain {finding}",
            description="Explain this finding",
        ),
        CheckAction(
            identifier=f"dismiss:{finding}",
            label=f"Dismiss {finding}",
            description="Answer it; /pf dismiss takes a reason",
        ),
    )


def pressed_command(identifier: str, head: str) -> Command | None:
    """What a button asks for beside a check of a head; None where it is none of ours."""
    found = _PRESSED.fullmatch(identifier)
    if found is None:
        return None
    if found["verb"] is None:
        return Command(verb=Verb.CHECK, commit=head)
    verb = Verb(found["verb"])
    reason = _REASON if verb is Verb.DISMISS else ""
    return Command(verb=verb, finding=found["finding"], reason=reason)
