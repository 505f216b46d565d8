"""What the scanner of steps has found so far, and how deep in displays it is."""

from pfcore.latex.macros import macro
from pfcore.latex.macros.definitions import Definition
from pfcore.latex.numbering.records import CounterStep
from pfcore.latex.numbering.scanned_text import ScannedText


class Finder:
    """Collects steps; `displays` holds for each open display its braces and environments."""

    def __init__(self) -> None:
        self.found: list[CounterStep] = []
        self.displays: list[list[int]] = []
        self._name = ""

    def emit(self, here: ScannedText, at: int, op: str, *args: str) -> None:
        """Note a step."""
        self.found.append(CounterStep(here.offset(at), op, args))

    def test(self, here: ScannedText, at: int, position: int) -> None:
        """A condition's beginning, middle or end, if its parts were found."""
        role = here.conditions.get(at)
        if role is None:
            return
        name = f"{here.serial}.{role.opened}"
        snippet = here.text[at + 1 : position + 60] if role.op == "if" else ""
        self.emit(here, at, role.op, name, *((snippet,) if snippet else ()))

    def sign(self, here: ScannedText, sign: str, at: int) -> None:
        """A row may end, a display begin or end."""
        if sign == "\\":
            if self.displays and self.displays[-1] == [0, 0]:
                self.emit(here, at, "row")
        elif sign == "[":
            self.open(here, "displaymath", at)
        elif sign == "]" and self.displays:
            self.close(here, "displaymath", at)

    def open(self, here: ScannedText, name: str, at: int) -> None:
        """A display begins, perhaps in another."""
        self.emit(here, at, "begin", name)
        if self.displays:
            self.displays[-1][1] += 1
        else:
            self._name = name
            self.displays.append([0, 0])

    def close(self, here: ScannedText, name: str, at: int) -> None:
        """A display ends."""
        if self.displays:
            self.displays[-1][1] -= 1
            if self.displays[-1][1] < 0:
                self.displays.pop()
                name = self._name
        self.emit(here, at, "end", name)

    def define(self, here: ScannedText, item: Definition) -> int:
        """Only what the counters' printed forms are, and which counters are one, matters."""
        if item.name.startswith(("the", "p@", "c@")):
            is_let = item.macro.parameters == macro.PRIMITIVE
            if is_let or not item.macro.parameters:
                mode, closing = here.scope(item)
                op = "let" if is_let else "define"
                self.emit(here, item.start, op, item.name, item.macro.body, mode, closing)
                if closing:
                    self.found.append(CounterStep(int(closing), "close", (closing,)))
        return item.end
