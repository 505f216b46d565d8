"""How text is printed: colours, glyphs, width."""

from collections.abc import Iterable
from dataclasses import dataclass

_ASCII = str.maketrans(
    {"✓": "+", "◆": "#", "·": ".", "→": ">", "…": "~", "–": "-", "—": "-", "×": "x"}
    | dict.fromkeys("“”", '"')
)
_COLOURS = {"error": "31", "warning": "33", "note": "36", "bold": "1", "dim": "2"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """How to print: with colours, with glyphs beyond ASCII, how wide, notes listed or counted."""

    colour: bool = False
    ascii: bool = False
    width: int = 100
    notes: bool = False

    def paint(self, text: str, name: str) -> str:
        """A text in a colour, where there are colours."""
        return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m" if self.colour else text

    def finish(self, lines: Iterable[str]) -> str:
        """The lines as one text."""
        text = "\n".join(line.rstrip() for line in lines) + "\n"
        return text.translate(_ASCII) if self.ascii else text
