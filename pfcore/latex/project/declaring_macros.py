"""Declarations and definitions made by using a paper's macros, as in `\\defthm{lem}{Lemma}`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros import macro_table
from pfcore.latex.macros.definitions import Definition, definitions
from pfcore.latex.macros.group_bounds import GroupBound, bounds_around, confined
from pfcore.latex.macros.macro import Macro
from pfcore.latex.project.declarations import Environment, Theorem, by_name, declarations

DECLARERS = frozenset(
    """newtheorem newtheoremrep spnewtheorem spn@wtheorem declaretheorem newmdtheoremenv
    newframedtheorem
    newshadedtheorem newtcbtheorem newenvironment renewenvironment newproof""".split()
)
DEFINERS = frozenset(
    """newcommand renewcommand providecommand DeclareRobustCommand newrobustcmd renewrobustcmd
    NewDocumentCommand RenewDocumentCommand DeclareDocumentCommand ProvideDocumentCommand
    def gdef edef xdef let DeclareMathOperator newcommandx renewcommandx providecommandx
    @namedef""".split()
)
_COMMAND = regex(r"\\(?:begin\s*\{([^{}\n]{1,60})\}|([A-Za-z@]+))")
_ASKED = regex(
    r"(?:the|label|font|tab|c@|p@|@).*|(?:qed|end)\w*|item\w*|\w*(?:stretch|name|style|rule)|par|url"
)
"""Names that LaTeX lets environments define; no text uses them."""
_OTHERWISE = regex(r"\s*\}\s*\{\s*")
"""Separates two uses in the arguments of one command, a condition: the first use counts."""
_ROUNDS = 4
_MOST = 5_000
_PAGE = 100
"""The most uses followed in a file; every `_PAGE` characters of a body count as one more."""
_LONGEST = 20_000
_NOWHERE = Spans(())


class MacroDeclarations(NamedTuple):
    """The environments and macros that uses of macros in one file define.

    `bounds` delimit uses whose definitions hold only until the expansion ends.
    """

    theorems: tuple[Theorem, ...] = ()
    environments: tuple[Environment, ...] = ()
    macros: tuple[Definition, ...] = ()
    bounds: tuple[GroupBound, ...] = ()


Makers = Mapping[str, Macro]
"""Macros that declare or define something when used; `{name}` is an environment's begin."""


def makers(table: Mapping[str, Macro], environments: Iterable[Environment] = ()) -> Makers:
    """The macros and the environments whose bodies declare environments or define macros."""
    wanted = DECLARERS | DEFINERS
    names = macro_table.leading(macro_table.calls(table), wanted) & table.keys() - wanted
    found = {name: table[name] for name in names}
    for item in by_name(environments).values():
        macro = Macro(item.parameters, item.begin)
        called = macro_table.called_commands(macro)
        if called & names or (called & wanted and _has_news(item.begin)):
            found[f"{{{item.name}}}"] = macro
    return found


def _has_news(begin: str) -> bool:
    """Whether an environment's begin defines more than the names LaTeX expects of it."""
    listed = definitions(begin, Groups(begin))
    return any(not _ASKED.fullmatch(item.name) for item in listed) or not listed


def read_declaring_macros(
    text: str, silent: Sequence[tuple[int, int]], using: Makers
) -> MacroDeclarations:
    """The declarations and definitions that uses of such macros make in a file."""
    if not any((key if key[0] == "{" else f"\\{key}") in text for key in using):
        return MacroDeclarations()
    making = _DeclarationCollector(using)
    for use in _found(mask(text).text, Spans(silent), using):
        making.add(use)
    return MacroDeclarations(
        tuple(making.theorems),
        tuple(making.environments),
        tuple(making.macros),
        tuple(making.bounds),
    )


class _MacroUse(NamedTuple):
    """The offset of a macro's use, the end of its last argument, and its expansion."""

    start: int
    end: int
    body: str


class _DeclarationCollector:
    """Collects the declarations of uses, and of uses in their expansions."""

    def __init__(self, using: Makers) -> None:
        self._using = using
        self._left = _MOST
        self.theorems: list[Theorem] = []
        self.environments: list[Environment] = []
        self.macros: list[Definition] = []
        self.bounds: list[GroupBound] = []

    def add(self, use: _MacroUse) -> None:
        """Add the declarations of a use; those confined to a group end after the use."""
        stack = [(use.body, False, 0)]
        lasting: list[Definition] = []
        passing: list[Definition] = []
        while stack and self._left > 0:
            body, is_confined, depth = stack.pop()
            self._left -= 1 + len(body) // _PAGE
            below = list(_found(body, _NOWHERE, self._using)) if depth < _ROUNDS else []
            made, ended = _declared(body, tuple(inner.start for inner in below))
            self.theorems += made.theorems
            self.environments += made.environments
            for item in made.macros:
                ends = is_confined or ended.covers(item.start)
                (passing if ends and not item.is_global else lasting).append(item)
            stack += [
                (inner.body, is_confined or ended.covers(inner.start), depth + 1)
                for inner in reversed(below)
            ]
        if passing:
            self.bounds += (GroupBound(use.start, "use", False), GroupBound(use.end, "use", True))
        self.macros += [item._replace(start=use.start, end=use.end) for item in passing]
        start = use.end if passing else use.start
        self.macros += [item._replace(start=start, end=use.end) for item in lasting]


@lru_cache(maxsize=4_096)  # the same expansions recur in the files of all papers
def _declared(body: str, places: tuple[int, ...]) -> tuple[MacroDeclarations, Spans]:
    """The declarations of a body; and its groups around some places and the definitions."""
    groups = Groups(body)
    found = declarations(body, groups)
    inner = Spans(found.silent)
    defined = tuple(item for item in definitions(body, groups) if not inner.covers(item.start))
    made = MacroDeclarations(tuple(found.theorems), tuple(found.environments), defined)
    around = [*places, *(item.start for item in defined)]
    if not _has_groups(body, around):
        return made, _NOWHERE
    hidden = sorted([*found.silent, *(item.whole(body) for item in defined)])
    return made, Spans(confined(bounds_around(body, around, hidden=hidden)))


def _has_groups(body: str, places: Sequence[int]) -> bool:
    """Whether a group may contain one of the places."""
    if not places or "group" in body or "\\begin" in body:
        return bool(places)
    return any(body.count("{", 0, place) != body.count("}", 0, place) for place in places)


def _found(text: str, hidden: Spans, using: Makers) -> Iterator[_MacroUse]:
    groups = Groups(text)
    before = "", 0
    for match in _COMMAND.finditer(text):
        key = match[2] or f"{{{match[1]}}}"
        if key not in using or hidden.covers(match.start()):
            continue
        if key == before[0] and _OTHERWISE.fullmatch(text, before[1], match.start()):
            continue
        macro = using[key]
        found = macros.arguments(macro, groups, match.end())
        if found is None or macro.parameters == macros.PRIMITIVE:
            continue
        values = [macros.NO_VALUE if s is None else text[slice(*s)] for s in found[0]]
        body = macros.filled(macro, macro.body, values, _LONGEST)
        before = key, found[1]
        if body is not None:
            yield _MacroUse(match.start(), found[1], body)
