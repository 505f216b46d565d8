"""Expands the paper's macros inside the bodies of its macros, within limits."""

import re
from operator import itemgetter

from pfcore.domain.digest import text_digest
from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import NAME
from pfcore.latex.lexer.groups import Groups, append
from pfcore.latex.lexer.whitespace import fold
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import Macro
from pfcore.latex.macros.macro_table import Lexicon
from pfcore.latex.project.syntax import Syntax

_COMMAND = regex(rf"\\({NAME})")
_LONGEST = 20_000
_RAISED_SIGN = regex(
    r"\\raisebox\s*\{[^{}]{1,20}\}\s*\{\s*(?:\\[a-z]+(?![a-z])\s*)?\$(?P<sign>:?=:?)\$\s*\}"
)
"""A sign such as ":=" in a box; its "$" inside a formula would seem to end the formula."""
_IN_OPAQUE = regex(r"\\macro\{\w{8}\}(?:\{[^{}]{0,40}\}){0,8}\{[^{}]{0,40}\\macro\{")
_DEEPEST = 8
_MOST_PARAMETERS = 9
_UNDELIMITED = frozenset("moO")
_KIND = itemgetter(0)


class Expander:
    """Expands macros; makes each template once for each epoch of the file's lexicon."""

    def __init__(self, syntax: Syntax, lexicon: Lexicon) -> None:
        self._syntax = syntax
        self._lexicon = lexicon
        self._templates: dict[tuple[Macro, int, bool], str] = {}
        self._constants: dict[tuple[str, int], str | None] = {}
        self._opaque: dict[tuple[Macro, int], str] = {}
        self._meanings: dict[tuple[Macro, int], Macro] = {}

    def meaning(self, name: str, offset: int) -> Macro | None:
        r"""The meaning of a name, with added parameters for arguments that its body lacks.

        An example is `\core` in `\def\core{\call{C}}`, if `\call` takes two arguments.
        """
        macro = self._lexicon.meaning(name, offset)
        if macro is None or "\\" not in macro.body or name in self._syntax.endless:
            return macro
        key = macro, self._lexicon.epoch(offset)
        made = self._meanings.get(key)
        if made is not None:
            return made
        self._meanings[key] = macro
        groups = Groups(macro.body)
        depth = position = 0
        is_undelimited = _UNDELIMITED.issuperset(map(_KIND, macro.parameters))
        for match in _COMMAND.finditer(macro.body if is_undelimited else ""):
            before = macro.body[position : match.start()]
            depth, position = depth + before.count("{") - before.count("}"), match.start()
            inner = self._lexicon.meaning(match[1], offset) if not depth else None
            if inner is None or not inner.parameters or inner.parameters == macros.PRIMITIVE:
                continue
            missing = macros.lacking(inner, groups, match.end())
            count = len(macro.parameters) + missing
            if missing and count <= _MOST_PARAMETERS:
                slots = "".join(f"{{#{n}}}" for n in range(count - missing + 1, count + 1))
                more = (*macro.parameters, *("m",) * missing)
                self._meanings[key] = Macro(more, macro.body.rstrip() + slots)
                break
        return self._meanings[key]

    def constant(self, name: str, offset: int) -> str | None:
        """The expansion of a macro without parameters; None for any other."""
        key = name, self._lexicon.epoch(offset)
        if key not in self._constants:
            macro = self.meaning(name, offset)
            self._constants[key] = (
                None if macro is None or macro.parameters else self.template(name, macro, offset)
            )
        return self._constants[key]

    def template(self, name: str, macro: Macro, offset: int) -> str:
        """The body with the paper's macros in it expanded, and its slots kept.

        A macro that calls itself is expanded once, unless it defines macros; one that measures
        its arguments is not expanded.
        """
        if "\\" not in macro.body:
            return macro.body
        is_endless = name in self._syntax.endless
        key = macro, self._lexicon.epoch(offset), is_endless
        made = self._templates.get(key)
        if made is None:
            stops = macros.DEFINES if is_endless else macros.MEASURES
            is_opaque = stops.search(macro.body) is not None
            made = "" if is_opaque else self._expanded(macro.body, offset, 0, is_endless=is_endless)
            made = macros.compared(made) if "\\if" in made else made
            is_opaque |= len(made) > _LONGEST or _IN_OPAQUE.search(made) is not None
            made = self.opaque(macro, offset) if is_opaque else made
            made = _RAISED_SIGN.sub(r"{\g<sign>}", made) if "\\raisebox" in made else made
            self._templates[key] = made
        return made

    def opaque(self, macro: Macro, offset: int, *, with_slots: bool = True) -> str:
        """A placeholder for an unexpanded macro; depends on the code it leads to, not on names."""
        key = macro, self._lexicon.epoch(offset)
        if key not in self._opaque:
            self._opaque[key] = self._digest(macro, offset)
        count = sum(parameter[0] != "l" for parameter in macro.parameters) if with_slots else 0
        slots = "".join(f"{{#{number}}}" for number in range(1, count + 1))
        return f"\\macro{{{self._opaque[key]}}}{slots}"

    def _digest(self, macro: Macro, offset: int) -> str:
        """The digest of all code that a macro leads to, with the paper's macros numbered."""
        order: dict[str, int] = {}
        bodies: list[str] = []
        pending = [macro]
        known = set(pending)

        def renamed(match: re.Match[str]) -> str:
            inner = self._lexicon.meaning(match[1], offset)
            if inner is None:
                return match[0]
            if inner not in known:
                known.add(inner)
                pending.append(inner)
            return f"\\{order.setdefault(match[1], len(order))}"

        for item in pending:
            body = fold(item.body)  # line breaks do not matter
            bodies.append("|".join(item.parameters) + ":" + _COMMAND.sub(renamed, body))
        return text_digest("\n".join(bodies))[:8]

    def _expanded(self, text: str, offset: int, depth: int, *, is_endless: bool) -> str:
        if depth > _DEEPEST:
            return text
        groups = Groups(text)
        pieces: list[str] = []
        position = length = 0
        for match in _COMMAND.finditer(text):
            if match.start() < position:
                continue
            inner = self.meaning(match[1], offset)
            if inner is None:
                continue
            append(pieces, text[position : match.start()])
            if is_endless and match[1] in self._syntax.endless:
                made, position = self.opaque(inner, offset, with_slots=False), match.end()
            else:
                made, position = self._call(match, inner, groups, offset, depth)
            length += len(made)
            append(pieces, made)
            if length > _LONGEST:
                break
        append(pieces, text[position:])
        return "".join(pieces)

    def _call(
        self, match: re.Match[str], inner: Macro, groups: Groups, offset: int, depth: int
    ) -> tuple[str, int]:
        """The expansion of a macro used in a body, and where its arguments end there."""
        if inner.parameters == macros.PRIMITIVE:
            return inner.body, match.end()
        found = macros.arguments(inner, groups, match.end())
        if found is None:
            return self.opaque(inner, offset, with_slots=False), match.end()
        values = [
            macros.NO_VALUE
            if span is None
            else self._expanded(groups.text[slice(*span)], offset, depth + 1, is_endless=True)
            for span in found[0]
        ]
        made = macros.filled(inner, self.template(match[1], inner, offset), values, _LONGEST)
        return self.opaque(inner, offset) if made is None else made, found[1]
