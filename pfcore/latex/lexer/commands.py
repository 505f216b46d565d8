"""LaTeX's own commands that matter here, and the patterns that find them in one pass.

Turns each of these commands, with its arguments, into an event; so does it for the commands that
the settings add. Also finds the places where a text may declare, define, input or set something,
in one pass for everything that looks for these.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.groups import Groups

REFERENCES = frozenset(
    """ref eqref autoref Autoref cref Cref vref Vref nameref Nameref fullref labelcref namecref
    nameCref zcref zref hyperref pageref cpageref labelcpageref thmref lemref propref defref
    secref subref refs fref Fref tref prettyref Ref cpagerefrange autopageref""".split()
)
OF_PACKAGES = frozenset(
    """ref eqref autoref Autoref cref Cref vref Vref nameref Nameref fullref labelcref namecref
    nameCref zcref zref hyperref pageref cpageref labelcpageref autopageref""".split()
)
"""The references that LaTeX and common packages define; authors define the other names."""
SINGLE = frozenset(
    "label ref eqref pageref autoref Autoref nameref Nameref autopageref hyperref".split()
)
"""Commands whose argument is one key, commas included."""
RANGES = frozenset({"crefrange", "Crefrange", "cpagerefrange", "labelcrefrange", "vrefrange"})
CITES = frozenset(
    """cite citep citet citealp citealt citeauthor citeyear Cite Citet Citep autocite Autocite
    parencite Parencite textcite Textcite footcite smartcite fullcite citeyearpar""".split()
)
MARKS = frozenset({"leanok", "mathlibok", "notready"})
"""A blueprint's marks on the surrounding statement or proof; they have no argument."""
USES = MARKS | {"uses", "proves", "lean", "discussion"}
SECTIONS = {
    "part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
    "subparagraph": 6,
}  # fmt: skip
HEADINGS = {"addpart": 0, "addchap": 1, "addsec": 2, **SECTIONS}
"""Levels of all headings, including KOMA's unnumbered ones."""
HEADINGS_OF_KOMA = frozenset(HEADINGS.keys() - SECTIONS.keys())
"""Names that a paper of another class may define for itself."""
FOLDERS = frozenset("import subimport includefrom subincludefrom inputfrom subinputfrom".split())
"""Commands that input a file from a folder, which is their first argument."""
SECOND = FOLDERS | {"LTXtable"}
"""Commands whose second argument is the file; the first is a folder, or a table's width."""
INPUTS = SECOND | {"input", "include", "subfile", "subfileinclude", "InputIfFileExists"}
SILENT = {
    "index": 1, "noindent": 0, "indent": 0, "smallskip": 0, "medskip": 0, "bigskip": 0,
    "vspace": 1, "newpage": 0, "clearpage": 0, "pagebreak": 0, "nopagebreak": 0, "linebreak": 0,
    "allowbreak": 0, "vfill": 0, "hfill": 0, "leavevmode": 0, "nocite": 1, "phantomsection": 0,
    "protect": 0, "xspace": 0, "qedhere": 0, "pushQED": 1, "popQED": 0, "samepage": 0,
    "displaybreak": 0, "relax": 0, "ignorespaces": 0, "null": 0, "sloppy": 0, "centering": 0,
    "marginpar": 1, "todo": 1, "hypertarget": 1, "setcounter": 2, "addtocounter": 2, "par": 0,
}  # fmt: skip
"""Commands without mathematical content, with the number of their arguments."""

STRUCTURE = frozenset({"begin", "end", "label", "item", "appendix", "qed", "proof", "endproof"})

SPECIAL = (
    REFERENCES | RANGES | CITES | USES | INPUTS | STRUCTURE | frozenset(HEADINGS)
    | frozenset(SILENT)
)  # fmt: skip

ACTIVE = REFERENCES | RANGES | CITES | USES | INPUTS | STRUCTURE | frozenset(HEADINGS)
"""Commands that make a macro active if the macro leads to them."""

KIND_OF = (
    {"label": "label"}
    | dict.fromkeys(CITES, "cite")
    | dict.fromkeys(USES, "uses")
    | {name: "page" for name in REFERENCES if "page" in name}
)
"""Kinds of commands with keys; all others are references."""

SIGNS = frozenset("0123456789|<>?/*+-=;:!,.'\"`^")
"""Characters that may be the whole name of a macro; letters may follow them."""

_CALLED = r"(?:(?<!\\\\)|(?<=(?<!\\)\\\\\\))"
"""Requires that the backslash before such a character is not itself part of a line end `\\\\`."""

NAME = rf"(?:[A-Za-z@]+|{_CALLED}[{re.escape(''.join(sorted(SIGNS)))}])"
"""What may follow a backslash as the name of a macro."""


@lru_cache(maxsize=32)
def pattern(names: frozenset[str]) -> re.Pattern[str]:
    """A pattern for `\\name` of any of the names; group 1 is the environment of begin and end.

    Groups: 1 `\\begin`'s environment, 2 `\\end`'s, 3 any other name, 4 its star.
    """
    others = {name for name in names if name not in ("begin", "end") and name}
    signs = "".join(f"|{_CALLED}{re.escape(sign)}" for sign in sorted(others & SIGNS))
    return re.compile(
        r"\\(?:begin\s*\{([^{}\n]{0,80})\}|end\s*\{([^{}\n]{0,80})\}|((?:"
        + alternatives(others - SIGNS)
        + rf")(?![A-Za-z]){signs})(\*?))"
    )


def alternatives(names: Iterable[str]) -> str:
    """Alternatives grouped by first letters, so that `re` tries only a few at each backslash."""
    tree: dict[str, object] = {}
    for name in sorted(names):
        node = tree
        for letter in name:
            node = node.setdefault(letter, {})  # type: ignore[assignment]
        node[""] = True
    return _render(tree) if tree else r"(?!)"


def _render(node: dict[str, object]) -> str:
    prefix = ""
    while len(node) == 1 and "" not in node:
        letter, below = next(iter(node.items()))
        prefix += re.escape(letter)
        node = below  # type: ignore[assignment]
    branches = [
        re.escape(letter) + _render(below)  # type: ignore[arg-type]
        for letter, below in node.items()
        if letter
    ]
    if not branches:
        return prefix
    body = "|".join(branches)
    if "" in node:
        return f"{prefix}(?:{body})?"
    return f"{prefix}(?:{body})" if len(branches) > 1 else prefix + body


_QUOTED = regex(r'"([^"{}\\%\n]{1,200})"')
_OVERLAY = regex(r"<[^<>{}\n]{0,40}>")


class CommandEvent(NamedTuple):
    """A command at `start`; `end` is after everything that belongs to it.

    kind: begin, end, label, reference, range, page, cite, uses, section, input, item, appendix,
    qed, silent, macro (inactive), active, looking (a macro that only looks at what follows it).
    `name` is the command or environment, `keys` its labels or file, `note` an optional argument or
    title.
    """

    start: int
    end: int
    kind: str
    name: str
    keys: tuple[str, ...]
    note: str


def own(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    """The event of one of LaTeX's own commands, whose name ends at `end`."""
    return _OWN.get(name, _keyed)(groups, start, end, name)


def configured(groups: Groups, start: int, end: int, name: str, *, is_label: bool) -> CommandEvent:
    """The event of a command that the settings name: a label, or else a reference."""
    while bracket := groups.brackets(end):
        end = bracket[1] + 1
    argument = groups.braces(end)
    if not argument:
        return event_of((start, end, "silent", name, (), ""))
    inside = groups.text[slice(*argument)]
    kind, keys = ("label", _key(inside)) if is_label else ("reference", _keys(inside))
    return event_of((start, argument[1] + 1, kind, name, keys, ""))


_BREAKS = frozenset({"pagebreak", "nopagebreak", "linebreak", "displaybreak"})
_WANTED = regex(r"\[[0-4]\]")


def _silent(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    if name in _BREAKS and (wanted := _WANTED.match(groups.text, end)):
        return event_of((start, wanted.end(), "silent", name, (), wanted[0]))
    for _ in range(SILENT[name]):
        bracket = groups.brackets(end)
        argument = groups.braces(bracket[1] + 1 if bracket else end)
        if not argument:
            break
        end = argument[1] + 1
    return event_of((start, end, "silent", name, (), ""))


def _alone(_: Groups, start: int, end: int, name: str) -> CommandEvent:
    return event_of((start, end, name, name, (), ""))


def _proof(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    if groups.text[start - 1 : start] == "{" and groups.text.startswith("}", end):
        return event_of((start, end, "silent", name, (), ""))  # the argument of a patch
    return event_of((start, end, "begin" if name == "proof" else "end", "proof", (), ""))


def _mark(_: Groups, start: int, end: int, name: str) -> CommandEvent:
    return event_of((start, end, "uses", name, (), ""))


def _section(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    short = groups.brackets(end)
    title = groups.braces(short[1] + 1 if short else end)
    if not title:
        return event_of((start, end, "silent", name, (), ""))
    return event_of((start, title[1] + 1, "section", name, (), groups.text[slice(*title)]))


def _input(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    text = groups.text
    first = groups.braces(end) if text[end : end + 1] == "{" else None
    if first is None:
        return _bare_input(text, start, end, name)
    target, end = text[slice(*first)].strip().strip('"'), first[1] + 1
    second = groups.braces(end) if name in SECOND else None
    if second:
        folder = f"{target}/" if name in FOLDERS else ""
        target, end = folder + text[slice(*second)].strip(), second[1] + 1
    return event_of((start, end, "input", name, (target,), ""))


def _bare_input(text: str, start: int, end: int, name: str) -> CommandEvent:
    """`\\input file`, where the name ends at white space; a quoted name may contain spaces."""
    stop = end
    while text[stop : stop + 1] == " ":
        stop += 1
    begin = stop
    if quoted := _QUOTED.match(text, begin):
        return event_of((start, quoted.end(), "input", name, (quoted[1].strip(),), ""))
    while stop < len(text) and stop < begin + 200 and text[stop] not in " \n\t{}\\%[]":
        stop += 1
    target = text[begin:stop]
    if not any(map(str.isalnum, target)):  # `\\input.` in an algorithm: a word and a full stop
        return event_of((start, end, "silent", name, (), ""))
    return event_of((start, stop, "input", name, (target,), ""))


def _keyed(groups: Groups, start: int, end: int, name: str) -> CommandEvent:
    """Labels, references, citations and `\\uses`: options, then keys."""
    text = groups.text
    if overlay := _OVERLAY.match(text, end):  # beamer's `\\label<2>{a}`
        end = overlay.end()
    option = groups.brackets(end)
    note = text[slice(*option)] if option else ""
    end = option[1] + 1 if option else end
    while name in CITES and option and (option := groups.brackets(end)):
        note, end = text[slice(*option)], option[1] + 1
    if name == "hyperref" and note:
        return event_of((start, end, "reference", name, _key(_unbraced(note)), ""))
    argument = groups.braces(end)
    if argument is None or name == "hyperref":
        return event_of((start, end, "silent", name, (), note))
    inside, end = text[slice(*argument)], argument[1] + 1
    if name in RANGES:
        second = groups.braces(end)
        if second:
            inside, end = f"{inside},{text[slice(*second)]}", second[1] + 1
        return event_of((start, end, "range", name, _keys(inside), ""))
    kind = KIND_OF.get(name, "reference")
    keys = _key(inside) if name in SINGLE else _keys(inside)
    return event_of((start, end, kind, name, keys, note))


def _unbraced(option: str) -> str:
    """An option without braces around all of it, which LaTeX removes: `[{a}]`."""
    inner = option.strip()
    is_one = inner.startswith("{") and inner.find("}") == len(inner) - 1
    return inner[1:-1] if is_one else option


def _key(text: str) -> tuple[str, ...]:
    """The single key of a command whose key may contain commas."""
    return (" ".join(text.split()),) if text.strip() else ()


def _keys(text: str) -> tuple[str, ...]:
    if "," not in text and " " not in text and "\n" not in text:
        return (text,) if text else ()
    return tuple(" ".join(key.split()) for key in text.split(",") if key.strip())


event_of: Callable[[tuple[int, int, str, str, tuple[str, ...], str]], CommandEvent]

_OWN = (
    dict.fromkeys(MARKS, _mark)
    | dict.fromkeys(INPUTS, _input)
    | dict.fromkeys(HEADINGS, _section)
    | dict.fromkeys(("proof", "endproof"), _proof)
    | dict.fromkeys(("item", "appendix", "qed"), _alone)
    | dict.fromkeys(SILENT, _silent)
)
"""The readers of these commands; all others have keys."""

event_of = partial(tuple.__new__, CommandEvent)
"""Makes an event in half the time of the constructor; a paper has as many as commands."""

_NAMES = """
    new renew provide spnew spn@w New Renew Provide declare Declare
    def edef gdef xdef let chardef mathchardef global
    input include subfile loadglsentries InputIf import subimport subinclude subinput LTXtable
    usepackage RequirePackage documentclass LoadClass externaldocument zexternaldocument
    Opensolutionfile setbool booltrue toggletrue csuse csname cslet csdef @nameuse @namedef
""".split()
_SITE = regex(rf"\\(?:{alternatives(_NAMES)}|begin\s*\{{document\}})")
"""The starts of the names of all commands that are looked for."""


def sites(text: str) -> list[int]:
    """The offsets of all places in a text where such a command may be."""
    return [match.start() for match in _SITE.finditer(text)]


def matches(
    pattern: re.Pattern[str], text: str, places: Sequence[int] | None = None
) -> Iterator[re.Match[str]]:
    """The matches of a pattern in a text, if all begin at a site; `places` are the sites."""
    end = 0
    for place in sites(text) if places is None else places:
        if place >= end and (match := pattern.match(text, place)):
            end = match.end()
            yield match
