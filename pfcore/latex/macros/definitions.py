r"""Finds the definitions of macros in a text.

Also unrolls loops over a list that define a macro for each item: `\foreach \x in {A,B} {\gdef…}`.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.commands import HEADINGS, NAME, matches
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.macros import macro as macros
from pfcore.latex.macros.macro import PRIMITIVE, Macro

_DEFINER = regex(
    r"\\(?:"
    r"(?P<named>@namedef|csg?def(?=\s*\{))|(?P<xargs>(?:(?:re)?new|provide)commandx|DeclareRobustCommandx)\*?"
    r"|(?P<new>(?:re|provide)?newcommand|renewcommand|providecommand|DeclareRobustCommand"
    r"|newrobustcmd|renewrobustcmd|providerobustcmd)\*?"
    r"|(?P<xparse>(?:New|Renew|Provide|Declare)(?:Expandable)?DocumentCommand)"
    r"|(?P<definition>[gex]?def)(?=\s*\\)"
    r"|(?P<let>let)(?=\s*\\)|(?P<names>letcs|cslet|csletcs)(?=\s*\{)"
    r"|(?P<operator>DeclareMathOperator\*?)"
    r"|(?P<paired>DeclarePairedDelimiter(?:X(?:PP)?)?)(?=[\s{\\])"
    r"|(?P<sign>(?:math)?chardef)(?=\s*\\)"
    r"|(?P<heading>(?:Declare(?:New)?|Provide)SectionCommand)"
    r"|(?P<box>(?:New|Renew|Provide|Declare)TotalT(?:Color|CB)Box)"
    r")(?![A-Za-z])"
)
_NAME = regex(
    rf"\s*(?:\\csname\s+(?P<spelt>[A-Za-z@]{{1,60}})\s*\\endcsname|\{{?\s*\\({NAME})\s*\}}?)"
)
_DEFAULT = regex(r"([1-9])\s*=\s*(?:\{([^{}]*)\}|([^,{}]*))|(\w+)")
_NUMBER = regex(r"\s*\[(\d)\]")
_PARAMETERS = regex(r"((?:[^{}\\]|\\[^{}]){0,200}?)\s{0,20}(?=\{)")
_LET = regex(
    rf"\s*(?:\\expandafter\s*)?\\({NAME})\s*=?\s*"
    r"(?:\\csname\s+(?P<spelt>[A-Za-z@]{1,60})\s*\\endcsname|(\\(?:[A-Za-z@]+|.)|.))",
    re.DOTALL,
)
_LET_NAMES = regex(r"\s*\{\s*\\?([A-Za-z@]{1,60})\s*\}\s*\{\s*\\?([A-Za-z@]{1,60})\s*\}")
_XPARSE = regex(r"\s*(?:([mosg])|([OG])\s*\{([^{}]*)\}|t\s*(?:\{([^\s{}\\])\}|([^\s{}\\]))|(\S))")
_SIGN = regex(r"\s*\\([A-Za-z@]+)\s*=?\s*(?:\"([0-9A-F]{1,4})|([0-9]{1,3}))(?![0-9A-F])")
_SAFE = regex(r"[!()*+,\-./0-9:;<=>?@A-Za-z]")
_PREFIX = regex(r"(?:\\(?:global|long|outer|protected|expandafter)\s*)+\Z")
_LONGEST_PREFIX = 60
_COMMENT = regex(r"(?<!\\)%[^\n]*\n?[ \t]*")


class Definition(NamedTuple):
    """A macro definition in a file, from its command to the end of its body.

    `is_global` says that it stays valid after the group that contains it.
    """

    start: int
    end: int
    name: str
    macro: Macro
    provides: bool
    is_global: bool = False

    def whole(self, text: str) -> tuple[int, int]:
        """The span of the definition including prefixes of its command, as in `\\long\\def`."""
        return _prefixed(text, self.start), self.end


def definitions(text: str, groups: Groups, places: Sequence[int] | None = None) -> list[Definition]:
    """All macro definitions of a masked text, in order, except those inside bodies.

    `places` are the sites of the text, if known.
    """
    found: list[Definition] = []
    position = 0
    for match in matches(_DEFINER, text, places):
        if match.start() < position:
            continue
        made = _definition(match, groups)
        if made is not None:
            inside = _renewed_inside(made) if match["paired"] else []
            if inside:
                whole = _RENEWED.sub("", made.macro.body)
                made = made._replace(macro=made.macro._replace(body=whole))
            has_arguments = made.macro.parameters not in ((), PRIMITIVE)
            if made.name not in _LARGE_OPERATORS or has_arguments:
                found.append(made._replace(is_global=_is_global(match)))
            found += inside
            position = made.end
    return _with_names_used(found) if _NAMES.search(text) else found


_LARGE_OPERATORS = frozenset(
    """sum prod coprod int iint iiint oint bigcup bigcap bigoplus bigotimes bigvee bigwedge bigsqcup
    bigodot biguplus""".split()
)
"""Redefinitions of these only change the symbol and not its meaning."""
_USES_NAME = regex(r"\\(?:csuse|@nameuse)\s*\{\s*(\\?)([A-Za-z@]{1,60})\s*\}")
_STARTS_SECTION = regex(
    r"\s*\\@startsection\s*\{\s*([a-z]{1,20})\s*\}(?:\s*\{(?:[^{}]|\{[^{}]{0,200}\}){0,300}\}){5}"
)
_NAMES = regex(r"\\(?:csuse|@nameuse|@startsection)(?![A-Za-z@])")
_COMMAND_NAME = regex(r"[A-Za-z@]{1,60}")


def _with_names_used(found: list[Definition]) -> list[Definition]:
    r"""The definitions with names replaced by commands, as in `\csuse{\x}`.

    A macro that calls LaTeX's `\@startsection` counts as the command of that section.
    """
    names: dict[str, str] = {}
    for item in found:
        if not item.macro.parameters and _COMMAND_NAME.fullmatch(item.macro.body):
            names[item.name] = item.macro.body if item.name not in names else ""

    def used(match: re.Match[str]) -> str:
        name = names.get(match[2]) if match[1] else match[2]
        return f"\\{name} " if name else match[0]

    listed = []
    for item in found:
        body = _USES_NAME.sub(used, item.macro.body)
        starts = _STARTS_SECTION.match(body) if item.name not in HEADINGS else None
        if starts and starts[1] in HEADINGS:
            body = f"\\{starts[1]} {body[starts.end() :]}"
        listed.append(item._replace(macro=item.macro._replace(body=body)))
    return listed


def _is_global(match: re.Match[str]) -> bool:
    """Whether a definition is global; `\\newcommand` and the like cannot be."""
    if match["named"]:
        return match["named"] == "csgdef"
    if not match["definition"] and not match["let"]:
        return False
    prefix = match.string[_prefixed(match.string, match.start()) : match.start()]
    return match["definition"] in ("gdef", "xdef") or "\\global" in prefix


def _prefixed(text: str, start: int) -> int:
    """The start of a definition, including prefixes of its command."""
    prefix = _PREFIX.search(text, max(0, start - _LONGEST_PREFIX), start)
    return prefix.start() if prefix else start


def _definition(match: re.Match[str], groups: Groups) -> Definition | None:
    readers: dict[str, Callable[[re.Match[str], Groups], Definition | None]] = {
        "new": _new_command,
        "named": _named,
        "xargs": _with_defaults,
        "xparse": _document_command,
        "definition": _def,
        "let": _let,
        "names": _let_by_names,
        "operator": _operator,
        "paired": _paired,
        "sign": _sign,
        "heading": _heading,
        "box": _total_box,
    }
    text = groups.text
    if text.startswith("\\csname", groups.skip_space(match.end())):
        prefix = text[_prefixed(text, match.start()) : match.start()]
        if "\\expandafter" not in prefix:
            return None
    return readers[match.lastgroup or "new"](match, groups)


def _new_command(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    if not name:
        return None
    position = name.end()
    parameters: tuple[str, ...] = ()
    number = _NUMBER.match(groups.text, position)
    if number:
        position = number.end()
        parameters = ("m",) * int(number[1])
        default = groups.brackets(position)
        if default and parameters:
            parameters = ("O" + groups.text[slice(*default)], *parameters[1:])
            position = default[1] + 1
    provides = match["new"].startswith("provide")
    return _with_body(match, groups, _spelt(name), parameters, position, provides=provides)


def _document_command(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    specification = groups.braces(name.end()) if name else None
    if not name or not specification:
        return None
    parameters = specified(groups.text[slice(*specification)])
    if parameters is None:
        return None
    provides = match["xparse"].startswith("Provide")
    position = specification[1] + 1
    return _with_body(match, groups, _spelt(name), parameters, position, provides=provides)


def specified(specification: str) -> tuple[str, ...] | None:
    """The parameters of an xparse specification; None if it has an unknown letter."""
    parameters: list[str] = []
    for simple, optional, default, *sign, other in _XPARSE.findall(specification):
        if other and other not in "+!>":
            return None
        if any(sign):
            parameters.append("t" + "".join(sign))
        elif not other:
            parameters.append(simple or optional + default)
    return tuple(parameters)


def _def(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    pattern = _PARAMETERS.match(groups.text, name.end()) if name else None
    if not name or not pattern or len(pattern[1]) > 200:
        return None
    parameters = _delimited(pattern[1])
    return _with_body(match, groups, _spelt(name), parameters, pattern.end(), provides=False)


def _delimited(pattern: str) -> tuple[str, ...]:
    """The parameters of a `\\def` with their delimiters."""
    pieces = filter(None, re.split(r"(#[1-9])", pattern))
    return tuple("m" if piece.startswith("#") else "l" + piece for piece in pieces)


def _let(match: re.Match[str], groups: Groups) -> Definition | None:
    parts = _LET.match(groups.text, match.end())
    if not parts or parts[1] == "csname":
        return None
    meant = f"\\{parts['spelt']}" if parts["spelt"] else parts[3]
    macro = _TAKING.get(meant) or Macro(PRIMITIVE, meant)
    return Definition(match.start(), parts.end(), parts[1], macro, False)


_TAKING = {
    "\\@gobble": Macro(("m",), ""),
    "\\@gobbletwo": Macro(("m", "m"), ""),
    "\\@firstofone": Macro(("m",), "#1"),
    "\\@firstoftwo": Macro(("m", "m"), "#1"),
    "\\@secondoftwo": Macro(("m", "m"), "#2"),
}
"""LaTeX commands that only drop or keep the arguments after them."""


def _let_by_names(match: re.Match[str], groups: Groups) -> Definition | None:
    r"""`\letcs{\mine}{label}` of etoolbox and similar commands."""
    parts = _LET_NAMES.match(groups.text, match.end())
    if not parts:
        return None
    macro = Macro(PRIMITIVE, f"\\{parts[2]}")
    return Definition(match.start(), parts.end(), parts[1], macro, False)


def _operator(match: re.Match[str], groups: Groups) -> Definition | None:
    name = _NAME.match(groups.text, match.end())
    body = groups.braces(name.end()) if name else None
    if not name or not body:
        return None
    star = "*" if match["operator"].endswith("*") else ""
    text = f"\\operatorname{star}{{{_clean(groups.text[slice(*body)])}}}"
    return Definition(match.start(), body[1] + 1, _spelt(name), Macro((), text), False)


_TITLE_OF_BOX = regex(r"(?:^|[,\s])title\s*=\s*(\{(?:[^{}]|\{[^{}]*\})*\}|[^,{}]+)")
_LABEL_OF_BOX = regex(r"(?:^|[,\s])label\s*=\s*\{?([^{},\s]*#[1-9][^{},\s]*)")


def _total_box(match: re.Match[str], groups: Groups) -> Definition | None:
    r"""`\NewTotalTColorBox[auto counter]{\thm}{m +m}{title={Theorem~\thetcbcounter (#1)}}{#2}`.

    A command that prints a box: its title in bold, and what it is given. What counts boxes is a
    counter that nobody else knows.
    """
    setting = groups.brackets(match.end())
    name = _NAME.match(groups.text, setting[1] + 1 if setting else match.end())
    letters = groups.braces(name.end()) if name else None
    options = groups.braces(letters[1] + 1) if letters else None
    content = groups.braces(options[1] + 1) if options else None
    if not name or not letters or not options or not content:
        return None
    text = groups.text
    parameters = specified(text[slice(*letters)])
    if parameters is None:
        return None
    given = text[slice(*options)]
    title = _TITLE_OF_BOX.search(given)
    labels = "".join(f"\\label{{{key}}}" for key in _LABEL_OF_BOX.findall(given))
    shown = f"\\textbf{{{title[1]}}}\\par " if title else ""
    body = f"\\refstepcounter{{tcb}}{labels}{shown}{text[slice(*content)]}"
    code = _clean(body.replace("\\thetcbcounter", "\\thetcb"))
    return Definition(match.start(), content[1] + 1, _spelt(name), Macro(parameters, code), False)


_FONT_OF_HEADING = regex(r"(?<![A-Za-z])font\s*=\s*(?=\{)")


def _heading(match: re.Match[str], groups: Groups) -> Definition | None:
    r"""`\DeclareSectionCommand[font={\stepcounter{thm}}]{para}`: a heading that steps counters.

    A displayed heading is set more than once, and a run-in one only with the text after it, which
    may be a statement: so it is unknown when and how often it steps the counter.
    """
    keys = groups.brackets(match.end())
    name = groups.braces(keys[1] + 1) if keys else None
    font = _FONT_OF_HEADING.search(groups.text, *keys) if keys else None
    code = groups.braces(font.end()) if font else None
    spelt = groups.text[slice(*name)].strip() if name else ""
    if not name or not code or spelt in HEADINGS or not _COMMAND_NAME.fullmatch(spelt):
        return None
    body = _clean(groups.text[slice(*code)])
    if "counter" not in body:
        return None
    macro = Macro(("s", "O", "m"), f"\\ifdim\\parskip<0pt {body}\\fi #3")
    return Definition(match.start(), name[1] + 1, spelt, macro, False)


def _paired(match: re.Match[str], groups: Groups) -> Definition | None:
    """A command that sets its argument between delimiters; mathtools' X form has its own body.

    The XPP form has more text before the left and after the right delimiter.
    """
    text = groups.text
    name = _NAME.match(text, match.end())
    if not name:
        return None
    form = match["paired"].removeprefix("DeclarePairedDelimiter")
    number = _NUMBER.match(text, name.end()) if form else None
    count = int(number[1]) if number else 1
    position = number.end() if number else name.end()
    parts: list[str] = []
    for _ in range(_PARTS_OF_PAIR[form]):
        span = groups.token(position)
        if span is None:
            return None
        parts.append(text[slice(*span)])
        position = groups.after(span)
    before, left, right, behind, body = {
        "": ["", *parts, "", "#1"], "X": ["", *parts[:2], "", *parts[2:]], "XPP": parts,
    }[form]  # fmt: skip
    body = _ARGUMENT.sub(lambda found: f"#{int(found[1]) + 2}", _SIZING.sub("", body))
    whole = f"{before} {left} {body} {right} {behind}".strip()
    macro = Macro(("s", "O", *["m"] * count), whole)
    return Definition(match.start(), position, _spelt(name), macro, False)


_PARTS_OF_PAIR = {"": 2, "X": 3, "XPP": 5}
_ARGUMENT = regex(r"#([1-7])")
_SIZING = regex(r"\\(?:delimsize|nonscript|allowbreak|math(?:open|close)\s*\{\s*\})(?![A-Za-z])")
_RENEWED = regex(
    r"\\(?:renewcommand|providecommand|def)\*?\s*\{?\s*\\([A-Za-z@]{1,60})\s*\}?\s*"
    r"\{((?:[^{}]|\{[^{}]*\}){0,200})\}"
)


def _renewed_inside(made: Definition) -> list[Definition]:
    r"""Definitions inside the body of a pair, for its argument: `\renewcommand\given{\mid}#1`."""
    body = made.macro.body
    inside = [(found[1], Macro((), found[2])) for found in _RENEWED.finditer(body)]
    return [Definition(made.start, made.end, name, macro, False) for name, macro in inside]


def _sign(match: re.Match[str], groups: Groups) -> Definition | None:
    """A character by its code; in a formula, the code's last two digits follow class and font.

    Only the text font has the ASCII characters at these codes.
    """
    found = _SIGN.match(groups.text, match.end())
    number = int(found[2] or found[3], 16 if found[2] else 10) if found else -1
    if match["sign"] == "mathchardef" and 0 <= number < 0x8000 and not number & 0x0F00:
        number &= 0xFF
    if not found or not 0 < number < 0x80 or not _SAFE.match(chr(number)):
        return None
    return Definition(match.start(), found.end(), found[1], Macro((), chr(number)), False)


def _with_body(
    match: re.Match[str],
    groups: Groups,
    name: str,
    parameters: tuple[str, ...],
    position: int,
    *,
    provides: bool,
) -> Definition | None:
    body = groups.braces(position)
    if body is None or name == "csname":
        return None
    code = _clean(groups.text[slice(*body)])
    if match["definition"] in ("edef", "xdef") and "\\noexpand" in code:
        code = _NOEXPAND.sub("", code)
    if "\\string" in code:
        code = _NAMED_ONLY.sub(r"\1", code)
    macro = Macro(parameters, code)
    return Definition(match.start(), body[1] + 1, name, macro, provides)


_NOEXPAND = regex(r"\\noexpand(?![A-Za-z@])\s*")
_NAMED_ONLY = regex(r"\\string\s*\\([A-Za-z@]+)")
"""`\\string\\name`: the letters of a name, for a message or a file, and not a call."""


def _named(match: re.Match[str], groups: Groups) -> Definition | None:
    """`\\@namedef{name}#1{body}`."""
    name = groups.braces(match.end())
    spelt = groups.text[slice(*name)].strip() if name else ""
    pattern = _PARAMETERS.match(groups.text, name[1] + 1) if name else None
    if not pattern or not re.fullmatch(r"[A-Za-z@]{1,60}", spelt):
        return None
    parameters = _delimited(pattern[1])
    return _with_body(match, groups, spelt, parameters, pattern.end(), provides=False)


def _with_defaults(match: re.Match[str], groups: Groups) -> Definition | None:
    """`\\newcommandx{\\name}[2][1=a]{body}`: any arguments may be optional, with defaults."""
    name = _NAME.match(groups.text, match.end())
    number = _NUMBER.match(groups.text, name.end()) if name else None
    if not name:
        return None
    position = number.end() if number else name.end()
    parameters = ["m"] * int(number[1]) if number else []
    listed = groups.brackets(position)
    if listed:
        position = listed[1] + 1
        found = _DEFAULT.findall(groups.text, *listed)
        kind = "U" if any(word == "usedefault" for *_, word in found) else "O"
        for index, braced, plain, word in found:
            if word and word not in ("usedefault", "addprefix"):
                return None
            if index and int(index) <= len(parameters):
                parameters[int(index) - 1] = kind + (braced or plain.strip())
    provides = match["xargs"].startswith("provide")
    return _with_body(match, groups, _spelt(name), tuple(parameters), position, provides=provides)


def _spelt(name: re.Match[str]) -> str:
    return name["spelt"] or name[2]


def _clean(body: str) -> str:
    made = _COMMENT.sub("", body).strip("\n")
    return macros.one_style(made) if "\\mathchoice" in made else made


_LOOP = regex(
    r"\\(?:(?P<foreach>foreach)\s*\\(?P<item>[A-Za-z]+)\s+in\s*\{(?P<items>[^{}\\]{1,2000}+)\}"
    r"|(?P<for>@for)\s*\\(?P<each>[A-Za-z@]+)\s*:=\s*(?P<of>[^{}\\]{1,2000}+)\\do"
    r"|(?P<csv>docsvlist|forcsvlist\s*\{?\s*\\(?P<handler>[A-Za-z@]+)\s*\}?)"
    r"\s*\{(?P<list>[^{}\\]{1,2000}+)\})\s*"
)
_LOOPS = "\\foreach", "csvlist", "\\@for"
_MOST_ITEMS = 200
_LONGEST_UNROLLED = 2_000_000


def looped_definitions(text: str, groups: Groups, known: Sequence[Definition]) -> list[Definition]:
    """The macros that loops of a masked text define; `known` are its other definitions.

    Each has the place of its loop. A loop that cannot be unrolled defines nothing.
    """
    if not any(cue in text for cue in _LOOPS):
        return []
    found: list[Definition] = []
    left = _LONGEST_UNROLLED
    for match in _LOOP.finditer(text):
        if any(item.start <= match.start() < item.end for item in known):
            continue
        code, end = _unrolled(match, groups, known, left)
        left -= len(code)
        made = definitions(code, Groups(code)) if code else []
        lasting = [item for item in made if item.is_global or not match["foreach"]]
        found += [item._replace(start=match.start(), end=end) for item in lasting]
    return found


def unrolled_loop(groups: Groups, at: int) -> tuple[str, int] | None:
    """The unrolled code of the loop at a place, and the end of the loop; None if unknown."""
    match = _LOOP.match(groups.text, at)
    if match is None or match["csv"] or not _items(match["items"] or match["of"] or ""):
        return None
    return _unrolled(match, groups, (), _LONGEST_UNROLLED)


def unrolled_loops(
    text: str, groups: Groups, known: Sequence[Definition]
) -> list[tuple[int, int, str]]:
    """The start, end and unrolled code of each loop in a masked text outside definitions."""
    if not any(cue in text for cue in _LOOPS):
        return []
    found: list[tuple[int, int, str]] = []
    left = _LONGEST_UNROLLED
    for match in _LOOP.finditer(text):
        if not any(item.start <= match.start() < item.end for item in known):
            code, end = _unrolled(match, groups, known, left)
            found += [(match.start(), end, code)] if code else []
            left -= len(code)
    return found


def _unrolled(
    match: re.Match[str], groups: Groups, known: Sequence[Definition], most: int
) -> tuple[str, int]:
    """The unrolled code of a loop, and the end of the loop; "" if uncertain or too long."""
    listed = match["items"] or match["of"] or match["list"]
    items = _items(listed)
    if match["csv"]:
        name = match["handler"] or "do"
        before = [item for item in known if item.name == name and item.end <= match.start()]
        macro = before[-1].macro if before else None
        if macro is None or macro.parameters != ("m",) or len(listed) * len(macro.body) > most:
            return "", match.end()
        return " ".join(macros.substitute(macro, [item]) for item in items), match.end()
    body = groups.braces(match.end())
    if body is None:
        return "", match.end()
    variable = re.compile(rf"\\{match['item'] or match['each']}(?![A-Za-z@])\s*")
    code = groups.text[slice(*body)]
    items = items or (_numbers(listed) if _READS.search(code) else [])
    if max(len(items), len(listed)) * len(code) > most:
        return "", body[1] + 1
    return " ".join(variable.sub(lambda _: item, code) for item in items), body[1] + 1  # noqa: B023


_READS = regex(r"\\(?:input|include|subfile)(?![A-Za-z])")
_RANGE = regex(r"\s*(?:(\d{1,3})\s*,\s*)?(\d{1,3})\s*,\s*\.\.\.\s*,\s*(\d{1,3})\s*")


def _numbers(text: str) -> list[str]:
    """The numbers in a range such as `0, 1, ..., 40`; empty for any other list.

    Such ranges are long, so they are unrolled only for loops that input files.
    """
    match = _RANGE.fullmatch(text)
    if match is None:
        return []
    first, last = int(match[2]), int(match[3])
    step = first - int(match[1]) if match[1] else 1
    found = range(int(match[1] or first), last + 1, step) if step > 0 else range(0)
    return [str(number) for number in found[:_MOST_ITEMS]]


def _items(text: str) -> list[str]:
    """The items of a list; ranges of letters or digits are filled in."""
    items = [item.strip() for item in text.split(",")]
    if "..." not in items:
        return [item for item in items if item][:_MOST_ITEMS]
    place = items.index("...")
    ends = items[place - 1 : place] + items[place + 1 : place + 2]
    if len(ends) != 2 or items.count("...") > 1 or not all(len(end) == 1 for end in ends):
        return []
    between = [chr(code) for code in range(ord(ends[0]) + 1, ord(ends[1]))]
    return [*items[:place], *between, *items[place + 1 :]]
