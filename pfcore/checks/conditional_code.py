r"""Decides whether LaTeX reads a place in code with conditions: `\pick{\ref{a}}{\ref{b}}`.

Covers TeX's conditions, conditions that take their branches as arguments, commands that drop an
argument, and the paper's own macros made of these. Only what the source itself shows is decided.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeVar

from pfcore.checks.check import conditional_spans
from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.commands import RANGES, REFERENCES
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask, untaken_branches
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import NO_VALUE, PRIMITIVE, STANDARD, Macro
from pfcore.latex.parsed_file import Reference
from pfcore.latex.project.survey import always_set
from pfcore.papers.paper import Paper


class Standing(IntEnum):
    """Whether LaTeX reads a place."""

    UNREAD = 0
    DOUBTFUL = 1
    READ = 2


_SET_OFF = regex(
    r"\\(?:presetkeys\s*\{todonotes\}|setuptodonotes|PassOptionsToPackage(?=[^{}]*\{[^{}]*\}\{todonotes))"
    r"\s*\{[^{}]*\bdisable\b(?!\s*=\s*false)"
)
_SHORT_VERB = regex(
    r"\\(?:(?:Make|Define)ShortVerb\*?\s*(?:\[[^\[\]]*\])?\s*\{?|lstMakeShortInline\s*(?:\[[^\[\]]*\])?"
    r"\s*\{?)\s*\\?([^\sA-Za-z{}\\])"
)
_LISTED_ONLY = regex(r"\\begin\s*\{tcblisting\*?\}\s*(?:\[[^\[\]]*\])?\s*\{[^{}]*listing only")
_OF_CODE = """tcbverbatimwrite tcboutputlisting dispListing VerbatimOut SaveVerbatim verbatimtab
    verbatimwrite boxedverbatim filecontentsdef filecontentshere scontents luacode luacode* pycode
    pyverbatim pyblock sagesilent sageblock asy""".split()
"""Environments of packages that hold code, or write it to a file."""
_OWN_CODE = regex(
    r"\\(?:(?:lstnewenvironment|(?:Define|Recustom)VerbatimEnvironment)\s*\{(?P<name>[^{}\n]{1,60})\}"
    r"|(?:(?:re)?newtcblisting|(?:New|Renew|Provide|Declare)TCBListing)\s*(?:\[[^\[\]]*\]\s*)?"
    r"\{(?P<listed>[^{}\n]{1,60})\}"
    r"|newminted\s*(?:\[(?P<minted>[^\[\]\n]{1,60})\])?\s*\{(?P<language>[^{}\n]{1,60})\})"
)
_MAKES_CODE = regex(
    r"\\(?:[Vv]erbatim|VerbatimEnvironment|lstlisting|lst@|begin\s*\{(?:[A-Z]?[Vv]erbatim|lstlisting"
    r"|minted)\*?\})"
)
_MAY_DROP = regex(r"\\(?:comment|iffalse|setbox|lrbox|begin\s*\{(?:lrbox|comment)\})(?![A-Za-z@])")
MARK = "\x07"
"""Replaces the searched text if its place is known."""
_MARKED = regex(MARK)
_COMMAND = regex(r"\\(?P<name>[A-Za-z@]+(?:[A-Za-z@_]*:[A-Za-z]*)?)\*?|\\.", re.DOTALL)
_DRAFTS = ("ifdraft", "ifoptiondraft", "ifoptionfinal")
_BY_NUMBERS = {"ifnumequal": "=", "ifnumgreater": ">", "ifnumless": "<"}
_TESTS = {
    **dict.fromkeys(_DRAFTS, 0),
    **dict.fromkeys(
        """ifthenelse ifdef ifundef ifcsdef ifcsundef ifdefempty ifcsempty ifdefvoid ifcsvoid
        ifdefmacro ifstrempty ifblank notblank ifbool notbool iftoggle nottoggle ifnumodd ifboolexpr
        ifboolexpe @ifpackageloaded @ifclassloaded @ifundefined IfFileExists IfPackageLoadedTF
        IfClassLoadedTF IfRefUndefinedExpandable IfRefUndefinedBabel IfBooleanTF IfNoValueTF
        IfValueTF IfBlankTF iftagged ifempty""".split(),
        1,
    ),
    **dict.fromkeys(
        """ifdefstring ifcsstring ifdefequal ifcsequal ifstrequal ifnumequal ifnumgreater ifnumless
        @ifpackagewith @ifclasswith @ifpackagelater ifinlist IfStrEq IfSubStr""".split(),
        2,
    ),
    **dict.fromkeys(("ifnumcomp", "ifdimcomp"), 3),
}
"""Conditions whose branches are arguments, with the number of test arguments before these."""
_ONE_BRANCH = {
    **dict.fromkeys(("IfBooleanT", "IfValueT", "IfBlankT", "tagged", "taggedblock"), 1),
    **dict.fromkeys(("IfBooleanF", "IfNoValueT", "IfNoValueF", "IfValueF", "IfBlankF"), 1),
    "untagged": 1,
}
_EXPL = regex(r"[a-z]+_if_[a-z_]+:(?P<tests>[a-zA-Z]*?)(?P<branches>TF|T|F)")
_DROPS = {
    "detokenize": (0,), "@gobble": (0,), "@gobbletwo": (0, 1), "@firstoftwo": (1,),
    "@secondoftwo": (0,), "use_none:n": (0,), "use_i:nn": (1,), "use_ii:nn": (0,),
}  # fmt: skip
"""Commands of LaTeX, with the indices of the arguments that they drop."""
_OF_BEAMER = frozenset({"mode", "note"})
_CONDITION = regex(r"@?if[A-Za-z@]*")
_NO_CONDITION = frozenset({"iff", "iffy", "@ifnextchar", "@ifstar", "if@"})
_OPEN = regex(r"\\(?P<name>if[A-Za-z@]*|else|or|fi)(?![A-Za-z@])(?P<group>\s*\{)?")
_NEW = regex(r"\\(?:newif|let|def|noexpand|string|expandafter\\let)\s*\Z")
_DEPTH, _REACH, _LONGEST, _MOST_STEPS, _MOST_GROUPS, _NEAR = 12, 30_000, 60_000, 3_000, 5, 80
_OWNER = regex(r"\\(?P<name>[A-Za-z@]+(?:[A-Za-z@_]*:[A-Za-z]*)?)\*?\s*\Z")
_OVERLAY = regex(r"\s*<[^<>\n]{0,60}>")
_BRACE = regex(r"\\.|[{}]", re.DOTALL)
_CODE_IN_WORDS = regex(r"\\string\s*\Z")
_ASKS_FOR_A_LABEL = regex(r"r@|RefUndefined")


@dataclass(frozen=True, kw_only=True)
class KnownValues:
    """What the source shows about conditions: values of switches, macros with text, packages.

    `drops` has the arguments that commands do not read, `versions` the commands whose arguments are
    read only in some versions of the document.
    """

    switches: Mapping[str, bool] = field(default_factory=dict)
    macros: Mapping[str, Macro] = field(default_factory=dict)
    packages: frozenset[str] = frozenset()
    drops: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: _DROPS)
    versions: frozenset[str] = frozenset()

    def word(self, text: str) -> str | None:
        """A text with its macros replaced by their text; None if the result is not plain."""
        for _ in range(_DEPTH):
            found = re.search(r"\\([A-Za-z@]+)\s*", text)
            if found is None:
                return text.replace(NO_VALUE, "").strip() if not set(text) & set("\\#{}") else None
            held = self.macros.get(found[1])
            if held is None or held.parameters:
                return None
            text = f"{text[: found.start()]}{held.body}{text[found.end() :]}"
        return None

    def number(self, text: str) -> int | None:
        """The integer that a text is after replacing its macros; None if it is not one."""
        word = self.word(text)
        return int(word) if word and re.fullmatch(r"[+-]?\d{1,9}", word) else None


class _Searched(NamedTuple):
    """A text up to an offset, the pattern searched in it, and how deeply it is nested in macros."""

    groups: Groups
    end: int
    wanted: re.Pattern[str]
    depth: int = 0

    def has(self, span: tuple[int, int]) -> bool:
        """Whether a span contains a match of the pattern."""
        return self.wanted.search(self.groups.text, *span) is not None


Value = TypeVar("Value")
Found = tuple[Standing | None, int]
"""The standing of the matches in a command's arguments, None without any, and where these end."""


@lru_cache(maxsize=100)
def _braces(text: str) -> tuple[list[int], list[int], dict[int, int]]:
    """The offsets of braces, the innermost open one after each, and the parent of each."""
    places, innermost, around = [-1], [-1], {-1: -1}
    for match in _BRACE.finditer(text):
        if match[0] == "{":
            around[match.start()] = innermost[-1]
            innermost.append(match.start())
        elif match[0] == "}":
            innermost.append(around[innermost[-1]])
        else:
            continue
        places.append(match.start())
    return places, innermost, around


class ConditionalCode:
    """Decides whether LaTeX reads a place of a paper."""

    def __init__(self, known: KnownValues) -> None:
        self._known = known
        self._steps = 0

    def around(self, text: str, start: int, end: int) -> Standing:
        """The standing of a span of a masked text, given the commands it is an argument of."""
        if _is_spelt(text, start):
            return Standing.UNREAD
        if _is_in_a_loop(text, start):
            return Standing.DOUBTFUL
        owner = self._outermost(text, start)
        if owner is None:
            return Standing.READ
        code = f"{text[owner:start]}{MARK}{text[end : end + _REACH]}"
        match = _COMMAND.match(code)
        self._steps = _MOST_STEPS
        found = self._command(match, _Searched(Groups(code), len(code), _MARKED)) if match else None
        return Standing.READ if found is None or found[0] is None else found[0]

    def within(self, code: str, wanted: re.Pattern[str]) -> Standing | None:
        """The standing of a pattern's matches in expanded code; None if there is no match."""
        self._steps = _MOST_STEPS
        return self._of((0, len(code)), _Searched(Groups(code), len(code), wanted))

    def end(self, text: str, start: int) -> int:
        """The end of the macro use that begins at `start`."""
        match = _COMMAND.match(text, start)
        own = self._known.macros.get(match["name"] or "") if match else None
        taken = macros.arguments(own, Groups(text), match.end()) if match and own else None
        return taken[1] if taken else match.end() if match else start + 1

    def _outermost(self, text: str, start: int) -> int | None:
        """The start of the outermost command around a place that may not read its arguments."""
        first = max(0, start - _REACH)
        places, innermost, around = _braces(text)
        brace = innermost[bisect_left(places, start) - 1]
        opened: list[int] = []
        while brace >= first:
            opened.append(brace)
            brace = around[brace]
        for brace in reversed(opened):
            found = _owner(text, brace, first)
            if found and self._may_decide(found["name"] or ""):
                return found.start()
        return None

    def _may_decide(self, name: str) -> bool:
        known = self._known
        if name in known.macros and name not in STANDARD:
            return known.macros[name].parameters != ()
        is_named = name in known.drops or name in STANDARD or name in known.versions
        return is_named or bool(_form(name)[1]) or name.lower().lstrip("@").startswith("if")

    def _of(self, span: tuple[int, int], where: _Searched) -> Standing | None:
        """The highest standing of the matches in a span; None if there is no match."""
        text, (position, end) = where.groups.text, span
        left = [match.start() for match in where.wanted.finditer(text, *span)]
        inner = where._replace(end=end)
        may_be_made = where.wanted is not _MARKED
        found: list[Standing] = []
        while (left or may_be_made) and self._steps > 0:
            match = _COMMAND.search(text, position, end)
            if match is None:
                break
            self._steps -= 1
            found += [Standing.READ for one in left if one < match.start()]
            if match.start() in left:
                is_spelt = _is_spelt(text, match.start())
                found.append(Standing.UNREAD if is_spelt else Standing.READ)
                standing, position = None, match.end()
            else:
                standing, position = self._command(match, inner)
            found += [] if standing is None else [standing]
            left = [one for one in left if one >= position]
        return max([*found, *(Standing.READ for _ in left)], default=None)

    def _command(self, match: re.Match[str], where: _Searched) -> Found:
        name = match["name"] or ""
        own = self._known.macros.get(name) if name not in STANDARD else None
        if own is not None:
            return self._own(own, match, where)
        if _form(name)[1]:
            return self._branched(name, match.end(), where)
        if name in self._known.drops:
            return self._dropping(self._known.drops[name], match.end(), where)
        if name in STANDARD:
            return self._own(STANDARD[name], match, where)
        if name in self._known.versions:
            return self._doubtful(match.end(), where, most=1)
        if _CONDITION.fullmatch(name) and name not in _NO_CONDITION:
            return self._condition(name, match, where)
        return None, match.end()

    def _own(self, own: Macro, match: re.Match[str], where: _Searched) -> Found:
        """The standing in the arguments of a macro, found in its expanded body."""
        groups, start = where.groups, match.end()
        if where.depth >= _DEPTH:
            return None, start
        if own.parameters == PRIMITIVE:
            return self._alias(own.body, start, where)
        taken = macros.arguments(own, groups, start)
        if taken is None or taken[1] > where.end:
            return None, start
        values = [NO_VALUE if one is None else groups.text[slice(*one)] for one in taken[0]]
        body = macros.filled(own, own.body, values, _LONGEST)
        if body is None:
            return None, start
        inner = _Searched(Groups(body), len(body), where.wanted, where.depth + 1)
        found = self._of((0, len(body)), inner)
        if found is None and not macros.is_open(body) and any(map(where.wanted.search, values)):
            found = Standing.UNREAD
        return found, taken[1]

    def _alias(self, body: str, start: int, where: _Searched) -> Found:
        """The standing in the arguments of a command that is another name for `body`."""
        code = f"{body} {where.groups.text[start : where.end]}"
        match = _COMMAND.match(code)
        if match is None:
            return None, start
        inner = _Searched(Groups(code), len(code), where.wanted, where.depth + 1)
        found, end = self._command(match, inner)
        return found, max(start, start + end - len(body) - 1)

    def _branched(self, name: str, start: int, where: _Searched) -> Found:
        """A condition that takes its branches as arguments."""
        tests, branches = _form(name)
        groups = where.groups
        spans = list(groups.side_by_side(start, tests + len(branches)))
        if len(spans) <= tests:
            return None, start
        asked = [groups.text[slice(*span)] for span in spans[:tests]]
        found = [self._of(span, where) for span in spans[tests:]]
        return _chosen(found, branches, holds=self._decided(name, asked)), groups.after(spans[-1])

    def _dropping(self, dropped: tuple[int, ...], start: int, where: _Searched) -> Found:
        """A command that does not read some of its arguments."""
        groups = where.groups
        option = groups.brackets(start)
        position = groups.after(option) if option else start
        found: list[Standing] = []
        for index in range(max(dropped) + 1):
            span = groups.token(position)
            if span is None or span[1] > where.end:
                break
            inner = self._of(span, where) if where.has(span) else None
            if inner is not None:
                found.append(Standing.UNREAD if index in dropped else inner)
            position = groups.after(span)
        return max(found, default=None), position

    def _doubtful(self, start: int, where: _Searched, *, most: int = _MOST_GROUPS) -> Found:
        """A command that may or may not read its arguments."""
        groups = where.groups
        overlay = _OVERLAY.match(groups.text, start)
        spans = list(groups.side_by_side(overlay.end() if overlay else start, most))
        found = [one for span in spans if (one := self._of(span, where)) is not None]
        end = groups.after(spans[-1]) if spans else start
        return (min(max(found), Standing.DOUBTFUL) if found else None), end

    def _condition(self, name: str, match: re.Match[str], where: _Searched) -> Found:
        r"""A condition of TeX, from `\if…` to its `\fi`."""
        text = where.groups.text
        if _NEW.search(text, max(0, match.start() - 20), match.start()):
            return None, match.end()
        parts = _parts(text, match.end(), where.end)
        if parts is None:
            return self._doubtful(match.end(), where)
        found = [self._of(span, where) for span in parts]
        end = min(where.end, parts[-1][1] + len("\\fi"))
        first = text[slice(*parts[0])]
        if name == "ifcase":
            return _of_cases(found, self._known.number(_leading(first))), end
        return _chosen(found, "TF", holds=self._holds(name, first)), end

    def _decided(self, name: str, asked: list[str]) -> bool | None:
        """Whether a condition with its branches as arguments holds; None if unknown."""
        if any(map(_ASKS_FOR_A_LABEL.search, (name, *asked))):
            return _asks_for_none(name)
        known = self._known
        if name in _DRAFTS:
            return known.switches.get(name)
        if name in ("ifbool", "iftoggle", "notbool", "nottoggle"):
            value = known.switches.get(asked[0].strip())
            return _same(value, False) if name.startswith("not") else value
        if name in ("@ifpackageloaded", "IfPackageLoadedTF"):
            return True if asked[0].strip() in known.packages else None
        if name in ("ifdefstring", "ifstrequal", "IfStrEq"):
            return _same(known.word(asked[0]), known.word(asked[1]))
        if name in ("ifstrempty", "ifblank", "ifdefempty", "notblank"):
            is_empty = _same(known.word(asked[0]), "")
            return _same(is_empty, False) if name.startswith("not") else is_empty
        if name in _BY_NUMBERS:
            return self._compared(asked[0], _BY_NUMBERS[name], asked[1])
        return self._asked(asked[0]) if name == "ifthenelse" else None

    def _asked(self, test: str) -> bool | None:
        r"""Whether the test of an `\ifthenelse` holds; None if it is not of a known kind."""
        known = self._known
        if negated := _NEGATED.match(test):
            return _same(self._asked(test[negated.end() :]), False)
        if equal := _EQUAL.fullmatch(test):
            return _same(known.word(equal[1]), known.word(equal[2]))
        if boolean := _BOOLEAN.fullmatch(test):
            return known.switches.get(boolean[1].strip())
        compared = _COMPARED.fullmatch(test)
        return self._compared(*compared.groups()) if compared else None

    def _compared(self, one: str, sign: str, other: str) -> bool | None:
        left, right = self._known.number(one), self._known.number(other)
        if left is None or right is None:
            return None
        return {"<": left < right, ">": left > right, "=": left == right}[sign]

    def _holds(self, name: str, behind: str) -> bool | None:
        """Whether a condition of TeX holds, None if unknown; `behind` is what follows its name."""
        if name in ("iftrue", "iffalse"):
            return name == "iftrue"
        if name in ("ifcsname", "ifx") and _ASKS_FOR_A_LABEL.search(behind[:_NEAR]):
            return {"ifcsname": False}.get(name, True if _IS_RELAX.match(behind) else None)
        if name == "ifnum" and (test := _COMPARED_NUMBERS.match(behind)):
            return self._compared(*test.groups())
        if name == "ifodd" and (number := self._known.number(_leading(behind))) is not None:
            return number % 2 == 1
        if name == "if" and (pair := _LETTERS.match(behind)):
            letters = self._known.word(pair[0])
            return letters[0] == letters[1] if letters and len(letters) > 1 else None
        if name == "ifx" and (pair := _TWO_COMMANDS.match(behind)):
            one, other = self._known.macros.get(pair[1]), self._known.macros.get(pair[2])
            is_plain = one and other and PRIMITIVE not in (one.parameters, other.parameters)
            return one == other if is_plain else None
        return self._known.switches.get(name.removeprefix("if"))


_NEGATED = regex(r"\s*\\(?:not|NOT)\s*(?=\\)")
_EQUAL = regex(r"\s*\\equal\s*\{([^{}]*)\}\s*\{([^{}]*)\}\s*")
_BOOLEAN = regex(r"\s*\\boolean\s*\{([^{}]*)\}\s*")
_COMPARED = regex(r"([^<>=]+)([<>=])([^<>=]+)")
_IS_RELAX = regex(r"\s*\\csname\s+r@[^\\]{0,80}\\endcsname\s*\\(?:relax|@?undefined)(?![A-Za-z@])")
_COMPARED_NUMBERS = regex(
    r"\s*([+-]?\d+|\\[A-Za-z@]+)\s*([<>=])\s*([+-]?\d+|\\[A-Za-z@]+)(?![\d\\])"
)
_LETTERS = regex(r"\s*(?:[A-Za-z\d]|\\[A-Za-z@]+\s*){2}")
_TWO_COMMANDS = regex(r"\s*\\([A-Za-z@]+)\s*\\([A-Za-z@]+)")
_NUMBER = regex(r"\s*([+-]?\d+|\\[A-Za-z@]+)")


def _leading(text: str) -> str:
    found = _NUMBER.match(text)
    return found[1] if found else ""


def _same(one: Value | None, other: Value | None) -> bool | None:
    return None if one is None or other is None else one == other


def _asks_for_none(name: str) -> bool | None:
    """The result of a test whether a label exists, for a label that nothing sets."""
    if name == "ifcsdef" or "exist" in name:
        return False
    return True if "ndef" in name else None


def _form(name: str) -> tuple[int, str]:
    """How many arguments of a condition are tests, and its branches (T, F); "" if it has none."""
    if name in _TESTS:
        return _TESTS[name], "TF"
    if name in _ONE_BRANCH:
        return _ONE_BRANCH[name], "F" if name.endswith("F") or name == "untagged" else "T"
    expl = _EXPL.fullmatch(name)
    return (len(expl["tests"]), expl["branches"]) if expl else (0, "")


def _chosen(
    found: Iterable[Standing | None], branches: str, *, holds: bool | None
) -> Standing | None:
    """The standing in a condition, given those in its branches; a missing branch is empty."""
    by_branch = dict(zip(branches, found, strict=False))
    known = [one for one in by_branch.values() if one is not None]
    if not known:
        return None
    both = [by_branch.get(branch) or Standing.UNREAD for branch in "TF"]
    if holds is not None:
        return both[0 if holds else 1]
    return max(min(both), min(max(both), Standing.DOUBTFUL))


def _of_cases(found: list[Standing | None], number: int | None) -> Standing | None:
    """The standing in an `\\ifcase`, given those in its cases; the last one is the default."""
    known = [one for one in found if one is not None]
    if not known:
        return None
    every = [one or Standing.UNREAD for one in found]
    if number is not None:
        return every[number if 0 <= number < len(every) else -1]
    return max(min(every), min(max(every), Standing.DOUBTFUL))


def _parts(text: str, start: int, end: int) -> list[tuple[int, int]] | None:
    r"""The spans of a condition's branches, `start` being after its name; None without a `\fi`."""
    parts: list[tuple[int, int]] = []
    depth = 0
    for match in _OPEN.finditer(text, start, end):
        name = match["name"]
        if _NEW.search(text, max(start, match.start() - 20), match.start()):
            continue
        if name == "fi":
            if not depth:
                return [*parts, (start, match.start())]
            depth -= 1
        elif name in ("else", "or"):
            if not depth:
                parts.append((start, match.start()))
                start = match.end("name")
        elif not (match["group"] or name in _NO_CONDITION or name in _TESTS):
            depth += 1
    return None


def _owner(text: str, brace: int, first: int) -> re.Match[str] | None:
    """The command one of whose arguments a brace opens."""
    position = brace
    for _ in range(_MOST_GROUPS):
        position = first + len(text[first:position].rstrip())
        if text.endswith("}", first, position):
            position = _opening(text, first, position)
        elif text.endswith(("]", ">"), first, position):
            position = text.rfind("[" if text[position - 1] == "]" else "<", first, position)
        else:
            break
        if position < 0:
            return None
    return _OWNER.search(text, max(first, position - _NEAR), position)


def _opening(text: str, first: int, end: int) -> int:
    """The start of the group that ends at `end`; -1 if it is before `first`."""
    depth = 0
    for position in range(end - 1, first - 1, -1):
        if text[position] in "{}" and not text.endswith("\\", first, position):
            depth += 1 if text[position] == "}" else -1
            if not depth:
                return position
    return -1


def _is_spelt(text: str, start: int) -> bool:
    r"""Whether a command follows `\string`, which prints its name."""
    return _CODE_IN_WORDS.search(text, max(0, start - 20), start) is not None


def _is_in_a_loop(text: str, start: int) -> bool:
    """Whether a place is in a loop of plain TeX, after the loop's condition."""
    begun = text.rfind("\\loop", max(0, start - _REACH), start)
    if begun < 0:
        return False
    between = text[begun:start]
    return "\\repeat" not in between and "\\if" in between and "\\repeat" in text[start:]


def known_values(paper: Paper) -> KnownValues:
    """What the source of a paper shows about its conditions."""
    syntax = paper.syntax
    surveys = [paper.surveys[path] for path in paper.outline.order if path in paper.surveys]
    packages = {
        link.target: link.option for one in surveys for link in one.links
        if link.relation in ("package", "class")
    }  # fmt: skip
    held = always_set((one.switches for one in surveys), packages)
    switches = dict(syntax.toggles)
    switches |= {name.removeprefix("if"): True for name in held}
    switches |= {name.removeprefix("if"): False for name in syntax.dead}
    options = surveys[0].class_options if surveys else ""
    sources = (paper.source(path) for path in paper.readings) if "todonotes" in packages else ()
    is_set_off = any(_SET_OFF.search(mask(text).text) for text in sources)
    return KnownValues(
        switches=switches,
        macros={name: macro for name, macro in syntax.macros.items() if name not in syntax.varying},
        packages=frozenset(packages),
        drops=_DROPS | dict(_notes_left_out(packages, options, is_set_off=is_set_off)),
        versions=_OF_BEAMER if {"beamer", "beamerarticle"} & packages.keys() else frozenset(),
    )


def _notes_left_out(
    packages: Mapping[str, str], options: str, *, is_set_off: bool
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The commands of packages for notes and changes, with the arguments that are not printed."""
    given = {item.strip() for item in options.split(",")}

    def own(package: str) -> set[str]:
        return {item.strip() for item in packages.get(package, "").split(",")}

    if "todonotes" in packages:
        mine = own("todonotes")
        mine |= {"disable"} if is_set_off else set()
        is_off = (
            "disable" in mine
            or ("obeyFinal" in mine and "final" in given | mine)
            or ("obeyDraft" in mine and "draft" not in given | mine)
        )
        if is_off:
            yield from dict.fromkeys(("todo", "missingfigure", "unsure", "change"), (0,)).items()
    if "fixme" in packages and "draft" not in given | own("fixme"):
        yield from dict.fromkeys(("fxnote", "fxwarning", "fxerror"), (0,)).items()
    if "changes" in packages and "final" in given | own("changes"):
        yield from {"deleted": (0,), "replaced": (1,), "comment": (0,)}.items()


class ReadPlaces:
    """Decides whether LaTeX reads references and labels in the files of a paper."""

    def __init__(self, paper: Paper) -> None:
        self._paper = paper
        self._conditions: dict[str, list[tuple[int, int]]] = {}
        self._branches: dict[str, Spans] = {}
        self._begun: dict[str, list[tuple[str, Standing]]] = {}

    @cached_property
    def _code(self) -> ConditionalCode:
        return ConditionalCode(known_values(self._paper))

    def of(self, path: str, start: int, end: int, wanted: re.Pattern[str]) -> Standing:
        """The standing of a pattern's matches in a span of a file, as written or expanded."""
        text = mask(self._paper.source(path), self._paper.syntax.dead).text
        written = text[start:end]
        inner = None
        found = wanted.match(written)
        if not found or found.end() < len(written.rstrip()):
            inner = self._code.within(written, wanted)
        standing = Standing.READ if inner is None else inner
        return min(standing, self._around(text, start, end))

    def of_reference(self, path: str, reference: Reference, key: str) -> Standing:
        """The standing of a reference to a key; a plain one needs no pattern of its own."""
        text = mask(self._paper.source(path), self._paper.syntax.dead).text
        start, end = reference.start, reference.end
        plain = self._plain_reference.fullmatch(text[start:end].rstrip())
        if plain and key in map(str.strip, plain[1].split(",")):
            return self._around(text, start, end)
        return self.of(path, start, end, reference_to(key, self._reference_names))

    @cached_property
    def _reference_names(self) -> frozenset[str]:
        syntax = self._paper.syntax
        return (REFERENCES | RANGES | syntax.references) - syntax.macros.keys()

    @cached_property
    def _plain_reference(self) -> re.Pattern[str]:
        listed = "|".join(sorted(map(re.escape, self._reference_names), key=len, reverse=True))
        return re.compile(rf"\\(?:{listed})(?![A-Za-z@])\*?\s*\{{([^{{}}]*)\}}")

    def is_read(self, path: str, start: int, end: int) -> bool:
        """Whether LaTeX certainly reads a span of a file."""
        text = mask(self._paper.source(path), self._paper.syntax.dead).text
        return self._around(text, start, end) is Standing.READ

    def _around(self, text: str, start: int, end: int) -> Standing:
        if self._untaken(text).covers(start):
            return Standing.UNREAD
        return min(self._code.around(text, start, end), self._by_environments(text, start))

    def _untaken(self, text: str) -> Spans:
        """The branches of a text that known conditions skip."""
        if text not in self._branches:
            found = untaken_branches(text, *self._constant) if "\\fi" in text else ()
            self._branches[text] = Spans(sorted(found))
        return self._branches[text]

    @cached_property
    def _constant(self) -> tuple[frozenset[str], frozenset[str]]:
        """The conditions that never hold, and those that always do."""
        paper = self._paper
        surveys = [paper.surveys[path] for path in paper.outline.order if path in paper.surveys]
        packages = {link.target for one in surveys for link in one.links}
        return paper.syntax.dead, always_set((one.switches for one in surveys), packages)

    def _by_environments(self, text: str, start: int) -> Standing:
        """The standing of a place, given the environments and short verbatim signs around it."""
        if self._signs_of_code:
            line = text[text.rfind("\n", 0, start) + 1 : start]
            if any(line.count(sign) % 2 for sign in self._signs_of_code):
                return Standing.UNREAD
        before = text[max(0, start - _REACH) : start]
        for name, standing in self._begun_in(text):
            begun = before.rfind(f"\\begin{{{name}}}")
            if begun >= 0 and f"\\end{{{name}}}" not in before[begun:]:
                is_listed_only = _LISTED_ONLY.match(before, begun) is not None
                return Standing.UNREAD if is_listed_only else standing
        return Standing.READ

    def _begun_in(self, text: str) -> list[tuple[str, Standing]]:
        """Those of `_environments` that a text begins."""
        if text not in self._begun:
            found = self._environments.items()
            self._begun[text] = [item for item in found if f"\\begin{{{item[0]}}}" in text]
        return self._begun[text]

    @cached_property
    def _sources(self) -> list[str]:
        paper = self._paper
        return [mask(paper.source(path), paper.syntax.dead).text for path in paper.readings]

    @cached_property
    def _signs_of_code(self) -> frozenset[str]:
        r"""The characters that enclose code, set by `\MakeShortVerb{\|}` and similar commands."""
        return frozenset(sign for text in self._sources for sign in _SHORT_VERB.findall(text))

    @cached_property
    def _environments(self) -> Mapping[str, Standing]:
        """The environments that contain code, or that may drop their content."""
        surveys = [self._paper.surveys[path] for path in self._paper.readings]
        own = [item for one in surveys for item in one.environments]
        found = dict.fromkeys(_OF_CODE, Standing.UNREAD)
        found |= {item.name: Standing.UNREAD for item in own if _MAKES_CODE.search(item.begin)}
        found |= {item.name: Standing.DOUBTFUL for item in own if _MAY_DROP.search(item.begin)}
        for text in self._sources:
            for match in _OWN_CODE.finditer(text):
                found[
                    match["name"]
                    or match["listed"]
                    or match["minted"]
                    or f"{match['language']}code"
                ] = Standing.DOUBTFUL if match["listed"] else Standing.UNREAD
        return found | dict.fromkeys(("tcblisting", "tcblisting*"), Standing.DOUBTFUL)

    def has_label(self, path: str, offset: int, key: str, names: Iterable[str]) -> bool:
        """Whether LaTeX certainly sets the label `key` at a command in a file."""
        if path not in self._conditions:
            self._conditions[path] = conditional_spans(self._paper, path)
        if any(start <= offset < end for start, end in self._conditions[path]):
            return False
        text = mask(self._paper.source(path), self._paper.syntax.dead).text
        wanted = label_of(key, names)
        found = wanted.match(text, offset)
        end = found.end() if found else self._code.end(text, offset)
        return self.of(path, offset, end, wanted) is Standing.READ


def is_never_read(paper: Paper) -> Callable[[str, Reference, str], bool]:
    """A function that says whether LaTeX certainly never reads a reference to a key in a file."""
    places = ReadPlaces(paper)
    return lambda path, reference, key: places.of_reference(path, reference, key) is Standing.UNREAD


def reference_to(key: str, names: Iterable[str]) -> re.Pattern[str]:
    """The pattern of references to a key with one of some commands."""
    listed = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    word = rf"(?<![\w:.-]){re.escape(key)}(?![\w:.-])"
    return re.compile(
        rf"\\(?:{listed})(?![A-Za-z@])\*?\s*(?:<[^<>\n]*>)?\s*(?:\[[^\[\]]*\]\s*)*"
        rf"(?:\{{[^{{}}]*\}}\s*)??\{{[^{{}}]*{word}[^{{}}]*\}}|\\hyperref\s*\[\s*{word}\s*\]"
    )


def label_of(key: str, names: Iterable[str]) -> re.Pattern[str]:
    """The pattern of commands that set a label, among some names."""
    listed = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    return re.compile(
        rf"\\(?:{listed})(?![A-Za-z@])\s*(?:\[[^\[\]]*\]\s*)?\{{\s*{re.escape(key)}\s*\}}"
    )
