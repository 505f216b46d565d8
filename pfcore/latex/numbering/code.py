"""Commands whose arguments are code or files: hooks, conditions, options, inputs."""

from abc import ABC, abstractmethod

from pfcore.latex.lexer import commands
from pfcore.latex.numbering import scanned_text, step_arguments
from pfcore.latex.numbering.counting_commands import HOOKS, LATER, LOADERS
from pfcore.latex.numbering.finder import Finder
from pfcore.latex.numbering.records import CounterStep
from pfcore.latex.numbering.scanned_text import ScannedText

_WHOLE = frozenset({"AtEndDocument", "AddEverypageHook", "everymath", "everydisplay"})
"""Hooks that have no name or command for their first argument."""


class CodeFinder(Finder, ABC):
    """Finds the steps in code that is an argument; each returns where reading goes on."""

    @abstractmethod
    def scan(self, here: ScannedText, start: int = 0, end: int | None = None) -> None:
        """Read a passage from one position to another."""
        ...

    def load(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Files, packages and classes are read in."""
        if name in commands.INPUTS:
            target, end = step_arguments.of_input(name, here.groups, end)
            self.emit(here, at, "input", target)
            return end
        (options, names), end = step_arguments.read_arguments("om", here.groups, end)
        op = "class" if name in LOADERS else "package"
        self.emit(here, at, op, names, options, name)
        return end

    def branches(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """`\\ifthenelse{…}{…}{…}` and its kin."""
        spans, stop = step_arguments.argument_spans("mmm", here.groups, end)
        if None in spans:
            return end
        condition, yes, no = (span or (end, end) for span in spans)
        mark = f"{at}.{here.depth}.{len(self.found)}"
        snippet = f"{name}{{{here.text[slice(*condition)][:60]}}}"
        self.emit(here, at, "if", mark, snippet)
        self.scan(here, *yes)
        self.emit(here, yes[1], "else", mark)
        self.scan(here, *no)
        self.emit(here, no[1], "fi", mark)
        return stop

    def held(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Code for the document's begin, or for an option."""
        if here.text.startswith("*", end):
            return step_arguments.argument_spans("m", here.groups, end)[1]
        spans, stop = step_arguments.argument_spans(
            "m" if name in LATER else "mm", here.groups, end
        )
        if spans[-1] is None:
            return end
        mark = f"{at}.{here.depth}.{len(self.found)}"
        given = here.text[slice(*(spans[0] or (0, 0)))].strip()
        first = ("hold", mark) if name in LATER else ("if", mark, f"option {given}")
        self.emit(here, at, *first)
        self.scan(here, *spans[-1])
        self.emit(here, spans[-1][1], "release" if name in LATER else "fi", mark)
        return stop

    def hook(self, here: ScannedText, name: str, at: int, end: int) -> int:
        """Code that runs we do not know when: what it touches is uncertain."""
        spans, stop = step_arguments.argument_spans(HOOKS[name], here.groups, end)
        known = len(self.found)
        for span in spans if name in _WHOLE else spans[1:]:
            if span is not None:
                self.scan(here, *span)
        hooked = self.found[known:]
        del self.found[known:]
        for touched in scanned_text.touched(hooked):
            self.emit(here, at, "taint", touched, "for good")
        return stop

    def environ(self, here: ScannedText, _: str, at: int, end: int) -> int:
        """An environment whose end is not to be seen: what its begin touches is uncertain."""
        spans, stop = step_arguments.argument_spans("moom", here.groups, end)
        if spans[0] is None or spans[-1] is None:
            return end
        name = here.text[slice(*spans[0])].strip()
        if "\\BODY" not in here.text[slice(*spans[-1])]:
            self.emit(here, at, "excludecomment", name)
            return stop
        known = len(self.found)
        self.scan(here, *spans[-1])
        self.displays.clear()
        touched = scanned_text.touched(self.found[known:])
        del self.found[known:]
        self.emit(here, at, "environ", name, *touched)
        return stop

    def footnote(self, here: ScannedText, _: str, at: int, end: int) -> int:
        """A label in a footnote is the footnote's."""
        inside = step_arguments.argument_spans("om", here.groups, end)[0][-1]
        if inside is not None and "\\" in here.text[slice(*inside)] and not here.depth:
            self.emit(here, at, "begin", "\\footnote")
            self.found.append(CounterStep(inside[1], "end", ("\\footnote",)))
        return end
