r"""Notes that authors write to each other with commands, if these are printed.

A package for notes prints them unless an option switches it off. A macro of the paper is a note if
its name says so, or if its body prints a label or colour before its argument:
`\newcommand{\jd}[1]{\textcolor{red}{[JD: #1]}}`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.macros.macro import compared


class _NotePackage(NamedTuple):
    """The commands of a package that print notes, the options that stop this or that it needs.

    `obeys`: the options `draft` and `final` of the class apply to it.
    """

    commands: tuple[str, ...]
    off: frozenset[str]
    on: frozenset[str] = frozenset()
    obeys: bool = False


_FINAL = frozenset({"final", "finalnew", "finalold", "disable", "off"})
_PACKAGES = {
    "todonotes": _NotePackage(("todo", "todoinline"), frozenset({"disable"})),
    "changes": _NotePackage(
        ("added", "deleted", "replaced", "highlight", "comment"), _FINAL, obeys=True
    ),
    "trackchanges": _NotePackage(("add", "remove", "change", "note", "annote"), _FINAL),
    "fixme": _NotePackage(
        ("fxnote", "fxwarning", "fxerror", "fixme", "fxfatal"), _FINAL, frozenset({"draft"}), True
    ),
    "easyReview": _NotePackage(("alert", "add", "remove", "replace", "highlight"), _FINAL),
    "pdfcomment": _NotePackage(("pdfcomment", "pdfmarkupcomment", "pdfmargincomment"), _FINAL),
}
_FATAL = frozenset({"fixme", "fxfatal"})
"""Commands of fixme that are LaTeX errors in the final version."""
_CLASS = regex(r"\\documentclass\s*\[([^\[\]]*)\]")
_SETUP = regex(r"\\fxsetup\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_LOADED = regex(r"\\(?:usepackage|RequirePackage)\s*(?:\[([^\[\]]*)\])?\s*\{([^{}]*)\}")
_OWN = regex(
    r"\\(?:(?:re|provide)?newcommand\*?|DeclareRobustCommand|def|providecommand\*?"
    r"|(?P<xparse>(?:New|Renew|Provide|Declare)DocumentCommand))"
    r"\s*\{?\\(?P<name>[A-Za-z]+)\}?\s*"
    r"(?(xparse)\{\s*(?P<letters>(?:[^{}]|\{[^{}]*\})*)\}|(?P<signs>(?:\[[^\[\]]*\]|#\d)*))"
    r"\s*\{(?P<body>(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\})*)\}"
)
_NAMED = regex(r"(?:todo|fixme|tbd|xxx)(?:inline|note)?\Z", re.IGNORECASE)
_FIRST = regex(r"\s*\\([A-Za-z]+)")
_LABELLED = regex(
    r"\\(?:textcolor|color|colorbox|hl|marginpar|footnote|marginnote)\b[^#]{0,80}?"
    r"(?:[A-Z][A-Za-z.]{0,14}|[A-Z]{2,4})(?:\}|\\[ ]|\s)*:[^#]{0,30}#\d"
)

_ASKED = regex(r"\\equal\s*\{\\(?P<name>[A-Za-z]+)\}")
_COLOURS = regex(r"\\(?:textcolor|color)\s*\{#1\}.*#2", re.DOTALL)
"""A macro whose first argument is the colour of its second."""
_BY_ANOTHER = regex(
    r"\\(?P<name>[A-Za-z]+)\s*\{[^{}#]{1,40}\}\s*\{[\[(]?[A-Z][A-Za-z.]{0,14}\s*:[^{}#]{0,30}#\d"
)


class NoteCommands(NamedTuple):
    """The names of the commands with which a paper prints notes, and of those that drop them.

    LaTeX stops at those in `fatal`: such a note has to be resolved before the final version.
    """

    printed: frozenset[str]
    dropped: frozenset[str]
    fatal: frozenset[str] = frozenset()


def note_commands(texts: Collection[str]) -> NoteCommands:
    """Which commands of a paper print notes, and which drop their argument."""
    owned = [match for text in texts for match in _OWN.finditer(text)]
    found, fatal = _of_packages(texts)
    for names in (*found.values(), fatal):  # the authors' own definition counts
        names.difference_update(match["name"] for match in owned)
    said = {match["name"]: match["body"].strip() for match in owned if not _taken(match)}
    bodies = {match["name"]: _chosen(match["body"], said) for match in owned}
    colouring = {name for name, body in bodies.items() if _COLOURS.search(body)}
    for match in owned:
        first = _FIRST.match(match["body"])
        for names in found.values() if first else ():
            if first and first[1] in names and "#" in match["body"] and not _is_heading(match):
                names.add(match["name"])
        other = _BY_ANOTHER.search(match["body"])
        is_named = _NAMED.match(match["name"]) or _LABELLED.search(match["body"])
        is_note = is_named or (other is not None and other["name"] in colouring)
        if is_note and "#" in match["body"]:
            found[True].add(match["name"])
        elif _taken(match) and not match["body"].strip():
            found[False].add(match["name"])
    dropped = found[False] - fatal
    return NoteCommands(frozenset(found[True] - dropped), frozenset(dropped), frozenset(fatal))


def _taken(match: re.Match[str]) -> str:
    """The argument specification of a definition; "" if it has no arguments."""
    return match["letters"] or match["signs"] or ""


_LETTER = regex(r"[mrRvb]")


def _is_heading(match: re.Match[str]) -> bool:
    """Whether a command takes three texts or more, as one for the date of a lecture does.

    A note takes its text, and perhaps an author or a colour.
    """
    if match["letters"]:
        return len(_LETTER.findall(match["letters"])) > _MOST_TEXTS
    signs = match["signs"] or ""
    number = re.match(r"\[(\d)\]", signs)
    given = int(number[1]) if number else signs.count("#")
    return given - signs.count("][") > _MOST_TEXTS


_MOST_TEXTS = 2


def _of_packages(texts: Collection[str]) -> tuple[dict[bool, set[str]], set[str]]:
    """The commands of packages, by whether they print notes, and those that stop LaTeX."""
    found: dict[bool, set[str]] = {True: set(), False: set()}
    fatal: set[str] = set()
    given = _options(match[1] for text in texts for match in _CLASS.finditer(text))
    setup = _options(match[1] for text in texts for match in _SETUP.finditer(text))
    for text in texts:
        for match in _LOADED.finditer(text):
            own = _options([match[1] or ""])
            for name in (item.strip() for item in match[2].split(",")):
                package = _PACKAGES.get(name)
                if package:
                    is_set = name == "fixme" and not setup.isdisjoint(_OF_CLASS)
                    is_on = _is_on(package, own - _OF_CLASS | setup if is_set else own, given)
                    found[is_on].update(package.commands)
                    fatal.update(() if is_on else _FATAL.intersection(package.commands))
    return found, fatal


def _options(listed: Iterable[str]) -> frozenset[str]:
    """The options of a class or a package; `status=draft` means `draft`."""
    words = ",".join(listed).replace(" ", "").replace("\n", "").split(",")
    return frozenset(word.removeprefix("status=") for word in words)


_OF_CLASS = frozenset({"draft", "final"})
"""Options of the class that also apply to a package, unless it has one of them itself."""


def _is_on(package: _NotePackage, own: frozenset[str], given: frozenset[str]) -> bool:
    """Whether a package prints notes, given its own options and those of the class."""
    is_obeying = package.obeys or not own.isdisjoint({"obeyFinal", "obeyDraft"})
    options = own | (given & _OF_CLASS if is_obeying and own.isdisjoint(_OF_CLASS) else frozenset())
    if "obeyFinal" in own and "final" in options:
        return False
    if "obeyDraft" in own and "draft" not in options:
        return False
    return not options & package.off and package.on <= options


def _chosen(body: str, said: Mapping[str, str]) -> str:
    """A macro's body after resolving a test of another macro that switches it on or off."""
    return compared(_ASKED.sub(lambda it: f"\\equal{{{said.get(it['name'], '')}}}", body))


def note_uses(text: str, names: Collection[str]) -> Iterator[tuple[int, int]]:
    """The spans of these commands with an argument, up to and including its opening brace."""
    if not names:
        return
    listed: Sequence[str] = sorted(names, key=lambda name: (-len(name), name))
    for match in _used(tuple(listed)).finditer(text):
        yield match.span()


def _used(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\\(?:{'|'.join(names)})(?![A-Za-z@])\s*(?:\[[^\[\]]*\]\s*)?\{{")
