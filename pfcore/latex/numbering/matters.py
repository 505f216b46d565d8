"""Front matter, main matter, appendices, and which headings have numbers."""

from collections.abc import Callable, Mapping

from pfcore.latex.numbering import document_classes
from pfcore.latex.numbering.counter_state import CounterState, GroupFrame
from pfcore.latex.numbering.formats import Format
from pfcore.latex.numbering.records import Number


def is_numbered(state: CounterState, heading: str) -> bool:
    """Whether a heading without a star gets a number."""
    depth = state.counters.cell("secnumdepth")
    level = document_classes.level(heading, has_chapters=state.has_chapters)
    if heading not in state.counters.cells:
        return False
    if not depth.certain:
        state.counters.doubt_within(heading)
        state.current = Number("", heading, False)
    if heading == "chapter" and not state.main_matter:
        return False
    return level <= depth.value


def is_top(state: CounterState, heading: str) -> bool:
    """Whether an appendix is a heading of this kind."""
    return heading == ("chapter" if state.has_chapters else "section")


def _appendix(state: CounterState, _: tuple[str, ...]) -> None:
    """Appendices are counted from A; what is counted within is not set to nought by this."""
    state.is_appendix = True
    top, below = ("chapter", "section") if state.has_chapters else ("section", "subsection")
    state.counters.cell(top).set(0)
    state.counters.cell(below).set(0)
    shown = Format(f"\\Alph{{{top}}}")
    if state.document_class == "elsarticle":
        shown = Format("Appendix \\Alph{section}")
        state.counters.cell("equation").set(0)
        state.counters.add_reset("equation", "section")
        state.counters.formats["theequation"] = Format("\\Alph{section}.\\arabic{equation}")
    known = state.counters.formats.get(f"the{top}", shown)
    state.counters.formats[f"the{top}"] = shown._replace(certain=known.certain)


def _appendices(state: CounterState, args: tuple[str, ...]) -> None:
    """The environment of the package appendix; its end takes the letters back."""
    top = "chapter" if state.has_chapters else "section"
    frame = state.frames[-1] if state.frames else None
    if frame is not None and frame.name == "appendices":
        frame.detail = str(state.counters.cell(top).value)
        frame.undo.append((f"the{top}", state.counters.formats.get(f"the{top}")))
    _appendix(state, args)


def _subappendices(state: CounterState, _: tuple[str, ...]) -> None:
    """Appendices of a chapter, or of a section."""
    top, above = ("section", "chapter") if state.has_chapters else ("subsection", "section")
    frame = state.frames[-1] if state.frames else None
    if frame is not None:
        frame.detail = str(state.counters.cell(top).value)
        frame.undo.append((f"the{top}", state.counters.formats.get(f"the{top}")))
    state.counters.cell(top).set(0)
    state.counters.formats[f"the{top}"] = Format(f"\\the{above}.\\Alph{{{top}}}")


def end_appendices(state: CounterState, frame: GroupFrame) -> None:
    """Headings go on where they were."""
    is_main = frame.name == "appendices"
    chapters = state.has_chapters
    top = ("chapter" if chapters else "section") if is_main else ""
    top = top or ("section" if chapters else "subsection")
    if frame.detail:
        state.counters.cell(top).set(int(frame.detail))
    if is_main:
        state.is_appendix = False


def _front(state: CounterState, _: tuple[str, ...]) -> None:
    if state.document_class == "amsbook":
        return
    state.main_matter = False
    if state.document_class == "memoir":
        state.counters.cell("secnumdepth").set(-10)


def _main(state: CounterState, _: tuple[str, ...]) -> None:
    state.main_matter = True
    if state.document_class == "memoir":
        most = state.counters.cell("maxsecnumdepth")
        state.counters.cell("secnumdepth").set(most.value, certain=most.certain)


def actions() -> Mapping[str, Callable[[CounterState, tuple[str, ...]], None]]:
    """What the commands and environments do, by name."""
    return {
        "appendix": _appendix,
        "appendices": _appendices,
        "subappendices": _subappendices,
        "frontmatter": _front,
        "backmatter": _front,
        "mainmatter": _main,
    }
