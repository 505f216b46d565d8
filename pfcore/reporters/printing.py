"""Text of papers made safe to print: no escape sequence, no invisible control survives."""

from pfcore.domain.values import Finding, Status

GLYPHS = {
    Status.CHECKED: "✓",
    Status.CONDITIONAL: "~",
    Status.FLAGGED: "!",
    Status.UNREACHED: "?",
    Status.GIVEN: "·",
    Status.CITED: "·",
    Status.FORMAL: "◆",
    Status.DISMISSED: "-",
}
"""A sign for each status: never colour alone."""


def safe(text: str) -> str:
    """One line without control and direction characters, whatever a paper contains."""
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(text.split())


def shortened(text: str, width: int) -> str:
    """A text cut to a width, with an ellipsis where something is missing."""
    return text if len(text) <= width else text[: max(1, width - 1)].rstrip() + "…"


def plural(number: int, noun: str, plural: str = "") -> str:
    """`1 module`, `2 modules`, `1,234 modules`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def status_words(status: Status) -> str:
    """A status as people read it: that a proof is formal is only what its authors say."""
    return "formal (claimed)" if status is Status.FORMAL else status.value


def place_of(finding: Finding) -> str:
    """`path:line:column` of a finding."""
    where = finding.location
    return f"{safe(where.path)}:{where.line}:{where.column}"
