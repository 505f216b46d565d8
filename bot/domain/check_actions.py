"""The buttons beside a check: what GitHub shows of them, and the commands that they stand for.

A button does what the command does, with the rights of the person who presses it.
"""

import re
from dataclasses import dataclass

from bot.domain.chat_commands import Command, Verb

MOST = 3
"""GitHub's limit on the buttons of a check; the lengths below are its limits, too."""
_IDENTIFIER = 20
_LABEL = 20
_DESCRIPTION = 40
_PRESSED = re.compile(r"read|(?P<verb>explain|dismiss):(?P<finding>[a-z2-7]{8})")
_REASON = "dismissed with the button of the check"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAction:
    """A button: its identifier, which GitHub sends back when it is pressed, and its texts."""

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
"""The button that has the check's head read."""


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
            description="Answer it without giving a reason",
        ),
    )


def pressed_command(identifier: str, head: str) -> Command | None:
    """The command of a button that was pressed beside a check of a head; None: not one of ours."""
    found = _PRESSED.fullmatch(identifier)
    if found is None:
        return None
    if found["verb"] is None:
        return Command(verb=Verb.CHECK, commit=head)
    verb = Verb(found["verb"])
    reason = _REASON if verb is Verb.DISMISS else ""
    return Command(verb=verb, finding=found["finding"], reason=reason)
