"""Which conditions can be decided from what is known of a document."""

import re

from pfcore.latex.numbering import document_classes
from pfcore.latex.numbering.counter_state import CounterState

_GIVEN = re.compile(r"option (.*)$", re.DOTALL)
_SWITCH = re.compile(r"if([A-Za-z@]+)")
_BOOLEAN = re.compile(
    r"(?:ifthenelse\{\s*(?P<not>\\not\s*)?\\boolean\s*\{(?P<boolean>[^{}]+)\}\s*\}"
    r"|(?:iftoggle|ifbool)\{(?P<toggle>[^{}]+)\})"
)
_LOADED = re.compile(
    r"(?:@ifclassloaded|IfClassLoadedTF)\{(?P<cls>[^{}]+)\}"
    r"|(?:@ifpackageloaded|IfPackageLoadedTF)\{(?P<package>[^{}]+)\}"
)
_UNDEFINED = re.compile(r"@ifundefined\{(?P<name>[^{}]+)\}")
_DEFINED = re.compile(r"ifdefined\s*\\(?P<name>[A-Za-z@]+)|ifcsname\s+(?P<cs>[A-Za-z@]+)\s*\\end")
_WEB = frozenset({"plastex", "HTML", "html", "tth", "htlatex", "lwarp"})
_NO = frozenset({"false", *_WEB})


def decide(text: str, state: CounterState) -> bool | None:
    """Whether a condition holds; None if that is unknown.

    A condition for another program than LaTeX does not hold.
    """
    given = _GIVEN.match(text)
    if given:
        return given[1] in state.options
    boolean = _BOOLEAN.match(text)
    if boolean:
        known = state.switches.get(boolean["boolean"] or boolean["toggle"])
        return (not known if boolean["not"] else known) if known is not None else None
    loaded = _LOADED.match(text)
    if loaded:
        return _is_loaded(loaded["cls"], loaded["package"], state)
    undefined = _UNDEFINED.match(text)
    if undefined:
        known = _is_defined(undefined["name"], state)
        return None if known is None else not known
    defined = _DEFINED.match(text)
    if defined:
        return _is_defined(defined["name"] or defined["cs"], state)
    switch = _SWITCH.match(text)
    if switch:
        name = switch[1]
        return False if name in _NO else True if name == "true" else state.switches.get(name)
    return None


def _is_loaded(cls: str | None, package: str | None, state: CounterState) -> bool | None:
    if package is not None:
        return package in state.packages or None
    if cls == state.document_class:
        return True
    return False if document_classes.is_known(state.document_class) else None


def _is_defined(name: str, state: CounterState) -> bool | None:
    """Only what this simulation itself defines is known."""
    if name in ("chapter", "thechapter", "c@chapter"):
        is_known = document_classes.is_known(state.document_class)
        return state.has_chapters if is_known or state.has_chapters else None
    bare = name.removeprefix("c@").removeprefix("the")
    if name != bare and bare in state.counters.cells:
        return True
    if name in state.statements:
        return True
    return True if name in state.macros else None
