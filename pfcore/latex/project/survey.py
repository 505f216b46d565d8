r"""Surveys what one file declares, in any document: macros, environments, inputs, class.

It finds the commands that name other files, the class, and where the document begins; and the
paper's own conditions that never hold: `\newif\ifdraft`, if nothing sets it.

It also finds environments whose content LaTeX drops: `\excludecomment{longver}`,
`\NewEnviron{longver}{}`, `\newenvironment{motto}{\comment}{\endcomment}`. If any file of a document
makes one print, it is read.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence, Set
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.lexer.commands import OF_PACKAGES, matches, sites
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import line_end, mask
from pfcore.latex.macros.definitions import (
    Definition,
    definitions,
    looped_definitions,
    unrolled_loops,
)
from pfcore.latex.macros.group_bounds import GroupBound, bounds_around, confined
from pfcore.latex.macros.macro import NO_VALUE, PRIMITIVE, arguments, substitute
from pfcore.latex.project.declarations import Environment, Theorem, declarations

_BEGIN = regex(r"\\begin\s*\{\s*([^{}\\\s][^{}\\]{0,60}?)\s*\}")


class FileLink(NamedTuple):
    """A command that names another file, from `offset` to `end` (0 if unknown).

    `relation` is input, package, class, external, generated (LaTeX itself writes the file), node
    (a missing Lean node), or keyword (the command is a word of algorithms, and names no file).
    """

    relation: str
    target: str
    option: str
    offset: int
    end: int = 0


class Switches(NamedTuple):
    """The switches that a file declares, and those that it may set.

    `toggles` are those of packages etoolbox and ifthen, each with a value that it gets: "new",
    "true", "false", or "" if it is not literal. `holding` are the switches that are true from the
    preamble on, each with the package that must be loaded for that, or ""; `unset` are those that
    may get another value. `tests` are the questions of other conditions, as keys of
    `decided_tests`.
    """

    declared: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    toggles: tuple[tuple[str, str], ...] = ()
    holding: tuple[tuple[str, str], ...] = ()
    unset: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()

    @property
    def asks(self) -> bool:
        """Whether the file has a switch, or a condition that may be decided."""
        return bool(self.declared or self.tests)


class Excluded(NamedTuple):
    """The environments that a file makes LaTeX drop, or print.

    `within` are those that put their content into another one, with the other's name.
    """

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    within: tuple[tuple[str, str], ...] = ()


class Survey(NamedTuple):
    """Everything that one file declares, in order; `body` is where its document begins, or -1.

    `bounds` are those of groups with definitions of macros or inclusions; `switches` are the
    conditions that it declares and sets, `excluded` the environments that it hides and shows;
    `begun` are the environments that it begins, without duplicates. `listed` are the labels in
    options of listings, each with its offset.
    """

    theorems: tuple[Theorem, ...]
    environments: tuple[Environment, ...]
    macros: tuple[Definition, ...]
    links: tuple[FileLink, ...]
    document_class: str
    class_options: str
    body: int
    silent: tuple[tuple[int, int], ...]
    proofs: tuple[str, ...]
    note: str
    bounds: tuple[GroupBound, ...] = ()
    switches: Switches = Switches()
    excluded: Excluded = Excluded()
    begun: tuple[str, ...] = ()
    listed: tuple[tuple[int, str], ...] = ()

    @property
    def places(self) -> list[int]:
        """The offsets of definitions of macros and of inclusions."""
        return [item.start for item in self.macros] + [link.offset for link in self.links]


def survey_file(text: str, *, note: str = "") -> Survey:
    """Read the declarations of one file; `silent` are the spans of the definitions themselves.

    `note` says how the file was decoded, if that had to be guessed.
    """
    masked = mask(text).text
    groups = Groups(masked)
    places = sites(masked)
    found = declarations(masked, groups, places)
    inner = Spans(found.silent)
    macros = [item for item in definitions(masked, groups, places) if not inner.covers(item.start)]
    loops = unrolled_loops(masked, groups, macros)
    macros += looped_definitions(masked, groups, macros)
    macros = _certain(masked, macros)
    macros.sort(key=lambda item: item.start)
    silent = sorted([*found.silent, *(item.whole(masked) for item in macros)])
    spans = [(start, end) for start, end, _ in loops]
    linked = links(masked, Spans(sorted([*silent, *spans])), places)
    linked = _with_class_by_macro(linked, groups, macros, Spans(silent))
    repeated = [item for loop in loops for item in _looped_links(loop)]
    repeated += _format_link(text)
    repeated += _links_by_macros(masked, macros, linked.body, Spans(silent))
    theorems = [item for *_, code in loops for item in declarations(code, Groups(code)).theorems]
    made = Survey(
        (*found.theorems, *theorems),
        found.environments,
        tuple(macros),
        tuple(sorted([*linked.links, *repeated], key=lambda item: item.offset)),
        linked.document_class,
        linked.class_options,
        linked.body,
        tuple(silent),
        found.proofs,
        note,
    )
    declared = [start for start, _ in found.silent]
    confining = bounds_around(masked, [*made.places, *declared], hidden=silent)
    ended = Spans(confined(confining))
    environments = (
        item._replace(is_local=ended.covers(start))
        for item, start in zip(found.environments, declared, strict=True)
    )
    return made._replace(
        environments=tuple(environments),
        bounds=confining,
        switches=switches(masked, places),
        excluded=excluded(masked, groups, _bodies(masked, macros)),
        begun=tuple(dict.fromkeys(_BEGIN.findall(masked))),
        listed=_listed(text) if "lst" in text else (),
    )


def _listed(text: str) -> tuple[tuple[int, str], ...]:
    from pfcore.latex.project.label_arguments import labels_of_listings  # late: few papers have any

    return labels_of_listings(text)


def _certain(text: str, macros: list[Definition]) -> list[Definition]:
    """The macros of a masked text, except doubtful redefinitions of LaTeX's reference commands.

    Under a condition, or if `\\label` is redefined too, LaTeX's own meaning tells more about a key.
    """
    if OF_PACKAGES.isdisjoint(map(attrgetter("name"), macros)):
        return macros
    has_labels = any(item.name == "label" and item.macro.parameters != PRIMITIVE for item in macros)
    return [
        item
        for item in macros
        if item.name not in OF_PACKAGES or not (has_labels or _is_doubtful(text, item))
    ]


def _is_doubtful(text: str, item: Definition) -> bool:
    """Whether a definition is inside a condition."""
    if _depth(text, item.start):
        return True
    brace = text.rfind("{", 0, item.start)
    return brace >= 0 and _TESTING.search(text, max(0, brace - _LONGEST_TEST), brace) is not None


def _looped_links(loop: tuple[int, int, str]) -> list[FileLink]:
    """The files that a loop includes, all with the loop's span."""
    start, end, code = loop
    if "put" not in code and "inc" not in code and "import" not in code and "subf" not in code:
        return []
    listed = links(_with_names(code), Spans(())).links
    return [item._replace(offset=start, end=end) for item in listed if item.relation == "input"]


_NAMING = regex(
    r"\\[ex]?def\s*\\(?P<name>[A-Za-z@]+)\s*\{(?P<text>[^{}#\\\n]{1,300})\}|\\(?P<used>[A-Za-z@]+)"
)


def _with_names(code: str) -> str:
    """The code of a loop in which macros that it defines as plain text are replaced by it."""
    if "def" not in code:
        return code
    known: dict[str, str] = {}

    def filled(match: re.Match[str]) -> str:
        if match["name"]:
            known[match["name"]] = match["text"]
            return ""
        return known.get(match["used"], match[0])

    return _NAMING.sub(filled, code)


_FORMAT_LINE = regex(r"\s{0,20}%&[ \t]*\"?([^\s\"%&{}\\]{1,100}?)(?:\.fmt)?\"?[ \t]*(?:\n|\Z)")
_FORMATS = regex(
    r"(?:pdf|xe|lua|p|up|e-?)*(?:la)?tex(?:-dev)?|plain|amstex|mex|cont-..", re.IGNORECASE
)
"""Formats that come with TeX."""


def _format_link(text: str) -> list[FileLink]:
    """A link to the precompiled preamble that the first line of a file names: `%&preamble`."""
    found = _FORMAT_LINE.match(text)
    if found is None or _FORMATS.fullmatch(found[1]):
        return []
    return [FileLink("input", found[1], PRECOMPILED, 0)]


def _links_by_macros(
    text: str, macros: Iterable[Definition], body: int, hidden: Spans
) -> list[FileLink]:
    """The files that a preamble includes by its own commands; in the body all macros are known.

    Also the documents whose labels it cites in this way.
    """
    readers = {
        item.name: match
        for item in macros
        if item.start < body and item.macro.parameters == ("m",)
        if (match := _READS_ITS_ARGUMENT.search(item.macro.body))
    }
    if not readers:
        return []
    names = "|".join(map(re.escape, sorted(readers, key=len, reverse=True)))
    calls = re.compile(rf"\\({names})(?![A-Za-z@])\s*\{{([^{{}}#\\\n]{{1,200}})\}}")
    return [
        _called_link(readers[call[1]], call)
        for call in calls.finditer(text, 0, body)
        if not hidden.covers(call.start())
    ]


def _called_link(reader: re.Match[str], call: re.Match[str]) -> FileLink:
    """The file that a use of a command names; for a document, with the prefix of its labels."""
    relation = "external" if reader["document"] else "input"
    option = reader["prefix"] or "" if reader["document"] else BY_MACRO
    named = ((reader["document"] or reader["name"]), option)
    target, option = (text.replace("#1", call[2].strip()) for text in named)
    return FileLink(relation, target, option, *call.span())


def _bodies(text: str, macros: Iterable[Definition]) -> Spans:
    """The spans of the definitions that have a body."""
    return Spans(item.whole(text) for item in macros if item.macro.parameters != PRIMITIVE)


_LINK = regex(
    r"\\(?P<input>input|include|subfile|subfileinclude|loadglsentries|InputIfFileExists)"
    r"(?![A-Za-z])\s*(?:\{(?P<braced>[^{}\n]{1,300})\}|\"(?P<quoted>[^\"{}\\%\n]{1,200})\""
    r"|(?P<bare>(?=[^\s{}\\%\[\]]{0,199}\w)[^\s{}\\%\[\]]{1,200}+(?!\\[A-Za-z@]+[.\d/_-])))"
    r"|\\(?P<import>import|subimport|includefrom|subincludefrom|inputfrom|subinputfrom|LTXtable)\*?"
    r"\s*\{(?P<folder>[^{}\n]{0,200})\}\s*\{(?P<file>[^{}\n]{1,200})\}"
    r"|\\(?P<package>usepackage|RequirePackage|documentclass|LoadClass|LoadClassWithOptions)"
    r"\s*(?:\[(?P<options>[^\]]{0,2000})\])?\s*\{(?P<names>[^{}]{1,2000})\}"
    r"|\\(?P<external>z?externaldocument)\*?\s*(?:\[(?P<prefix>[^\]\n]{0,60})\])?(?:\[[^\]]*\])?"
    r"\s*\{(?P<document>[^{}\n]{1,200})\}"
    r"|\\(?P<generated>Opensolutionfile)\{(?P<itself>[^{}]{1,200})\}(?:\[(?P<produced>[^\]]{1,200})\])?"
    r"|\\begin\s*\{(?P<begin>document)\}"
)

_READS_ITS_ARGUMENT = regex(
    r"\\(?:input|InputIfFileExists)\s*\{(?P<name>[^{}#\\]{0,80}#1[^{}#\\]{0,20})\}"
    r"|\\z?externaldocument\*?\s*(?:\[(?P<prefix>[^\]\n]{0,60})\])?"
    r"\s*\{(?P<document>[^{}#\\]{0,80}#1[^{}#\\]{0,20})\}"
)
PRECOMPILED = "format"
"""The command of an input that is a precompiled preamble, which may be elsewhere."""
BY_MACRO = "macro"
"""The command of an input by a macro; a missing target proves nothing."""


NODE = "inputleannode"
"""Prints a statement that LeanArchitect has written into a separate file."""
_NODES = regex(r"\\(?P<how>new|input)lean(?P<what>node|module)\s*\{(?P<name>[^{}]*)\}")


def node_links(
    texts: Mapping[str, str], known: Mapping[str, Sequence[FileLink]]
) -> dict[str, list[FileLink]]:
    """The links of masked texts, with the inclusions of nodes moved to where nodes are printed.

    `known` are the links by ordinary commands. An undefined name is a link with the relation
    "node".
    """
    nodes: dict[str, list[FileLink]] = {}
    modules: dict[str, list[str]] = {}
    found: dict[str, list[FileLink]] = {}
    printed: dict[str, list[re.Match[str]]] = {}
    for path, text in texts.items():
        found[path], printed[path] = list(known[path]), []
        for match, start, end in _defined_or_printed(text):
            if match["how"] == "input":
                printed[path].append(match)
                continue
            inner = [link for link in found[path] if start <= link.offset < end]
            found[path] = [link for link in found[path] if link not in inner]
            if match["what"] == "node":
                nodes[match["name"]] = inner
            else:
                listed = (one for one in _NODES.finditer(text, start, end) if one["what"] == "node")
                modules[match["name"]] = [one["name"] for one in listed]
    for path, match in ((path, match) for path, uses in printed.items() for match in uses):
        name, place = match["name"], match.span()
        for node in modules.get(name, ()) if match["what"] == "module" else (name,):
            lost = FileLink("node", node, NODE, 0)
            links = nodes.get(node, [lost])
            found[path] += (link._replace(offset=place[0], end=place[1]) for link in links)
    return found


def _defined_or_printed(text: str) -> Iterator[tuple[re.Match[str], int, int]]:
    """The node commands outside definitions of nodes, with the spans of their second arguments."""
    groups, inside = Groups(text), -1
    for match in _NODES.finditer(text):
        if match.start() < inside:
            continue
        is_new = match["how"] == "new"
        body = groups.braces(groups.skip_space(match.end())) if is_new else (-1, -1)
        if body:
            inside = max(inside, body[1])
            yield match, *body


class FileLinks(NamedTuple):
    """The links of a file, and its class; `body` is the offset after `\\begin{document}`, or -1."""

    links: tuple[FileLink, ...]
    document_class: str
    class_options: str
    body: int


def links(text: str, hidden: Spans, places: Sequence[int] | None = None) -> FileLinks:
    """The links of a masked text, except those inside definitions.

    `places` are the sites of the text, if known.
    """
    found: list[FileLink] = []
    document_class = class_options = ""
    body = -1
    for match in matches(_LINK, text, places):
        if hidden.covers(match.start()) or _is_shown(text, match.start()):
            continue
        if match["begin"]:
            body = match.end() if body < 0 else body
            continue
        if match["package"] == "documentclass" and not document_class:
            document_class = match["names"].strip()
            class_options = (match["options"] or "").strip()
        found += _linked(match)
    if "\\SetKw" in text:
        found = [_without_keyword(link, text) for link in found]
    if "\\IfFileExists" in text:
        found = _asked_for(found, text)
    return FileLinks(tuple(found), document_class, class_options, body)


def _with_class_by_macro(
    known: FileLinks, groups: Groups, macros: Iterable[Definition], hidden: Spans
) -> FileLinks:
    r"""The links, plus the class that a macro loads when the preamble calls it.

    `\newcommand{\Class}[1]{\documentclass[11pt]{#1}}\Class{article}`.
    """
    loading = () if known.document_class else macros
    last = known.body if known.body >= 0 else len(groups.text)
    for item in loading:
        if "\\documentclass" not in item.macro.body or item.macro.parameters == PRIMITIVE:
            continue
        call = re.compile(rf"\\{re.escape(item.name)}(?![A-Za-z@])")
        for match in call.finditer(groups.text, item.end, last):
            is_called = not hidden.covers(match.start())
            taken = arguments(item.macro, groups, match.end()) if is_called else None
            if taken is None:
                continue
            values = [NO_VALUE if one is None else groups.text[slice(*one)] for one in taken[0]]
            made = links(substitute(item.macro, values), Spans(()))
            classes = (
                one._replace(offset=match.start(), end=taken[1])
                for one in made.links
                if one.relation == "class"
            )
            return made._replace(links=(*known.links, *classes), body=known.body)
    return known


_ASKS = regex(r"\\IfFileExists\s*\{[^{}]{0,300}\}")


def _asked_for(found: list[FileLink], text: str) -> list[FileLink]:
    """The links, with a special command for files that are included only if they exist."""
    groups = Groups(text)
    spans = Spans(filter(None, (groups.braces(match.end()) for match in _ASKS.finditer(text))))
    return [
        link._replace(option="InputIfFileExists")
        if link.option in ("input", "include") and spans.covers(link.offset)
        else link
        for link in found
    ]


_KEYWORD = regex(r"\\SetKw[A-Za-z]*\*?\s*\{\s*(?:input|include)\s*\}")


def _without_keyword(link: FileLink, text: str) -> FileLink:
    """A link, marked as a keyword if algorithm2e made its command a word of algorithms."""
    is_bare = link.relation == "input" and text[link.end - 1] not in '}"'
    is_word = is_bare and any(
        f"{{{link.option}}}" in match[0].replace(" ", "")
        for match in _KEYWORD.finditer(text, 0, link.offset)
    )
    return link._replace(relation="keyword") if is_word else link


def _is_shown(text: str, position: int) -> bool:
    """Whether a command is only named, as in the text of an error message."""
    before = text[max(0, position - 12) : position].rstrip()
    return before.endswith(("\\protect", "\\string", "\\noexpand"))


def _linked(match: re.Match[str]) -> list[FileLink]:
    start, end = match.span()
    if match["package"]:
        relation = "class" if "lass" in match["package"] else "package"
        names = match["names"].split(",")
        return [
            FileLink(relation, name.strip(), match["options"] or "", start, end) for name in names
        ]
    if match["input"]:
        target = (match["braced"] or match["quoted"] or match["bare"]).strip().strip('"')
        return [FileLink("input", target, match["input"], start, end)]
    if match["import"]:
        folder = match["folder"].strip().strip('"')
        file = match["file"].strip().strip('"')
        target = file if match["import"] == "LTXtable" else f"{folder}/{file}"
        return [FileLink("input", target, match["import"], start, end)]
    if match["generated"]:
        written = match["produced"] or match["itself"]
        return [FileLink("generated", written.strip(), "", start, end)]
    return [FileLink("external", match["document"].strip(), match["prefix"] or "", start, end)]


ANY = "*"
"""Represents every switch, if something is set under a computed name."""

_DECLARED = regex(r"\\newif\s*\\if([A-Za-z@]+)")
_TRUE = regex(r"true(?<=[A-Za-z@]true)(?![A-Za-z@])")
_NAME = regex(r"(?:\A|(?<![A-Za-z@]))[A-Za-z@]{1,60}\Z")
_SET = regex(
    r"\\(?:setboolean|setbool|booltrue|toggletrue)\s*\{\s*([A-Za-z@]+)\s*\}"
    r"|\\(?:let|def|edef|gdef|xdef|global)\s*\\if([A-Za-z@]+)"
)
_ALONE = regex(r"\\if([A-Za-z@]+)\s{0,20}\}")
_OPENED = regex(r"\{\s{0,20}\Z")
_DYNAMIC = regex(
    r"\\(?:@nameuse|csuse|csname|cslet|csdef)\b[^\n]{0,60}true"
    r"|\\(?:setboolean|setbool|booltrue)\s*\{\s*[#\\]|\\InputIfFileExists\b"
)
_DYNAMIC_WORDS = {
    "csname": re.compile(r"csname\s+if"),
    ".is": re.compile(r"\.is\s+if\b"),
    "#": re.compile(r"#\d\s*true"),
}
"""Words by which a text may set a switch, each with its pattern; words are found fastest."""


def switches(text: str, places: Sequence[int] | None = None) -> Switches:
    """The switches of a masked text; `places` are its sites, if known."""
    if places is None:
        places = sites(text)
    declared = tuple(dict.fromkeys(match[1] for match in matches(_DECLARED, text, places)))
    named = set(_named(text, places))
    found = named.union(_made_true(text))
    dynamic = [ANY] if _is_dynamic(text, places) else []
    settings = (*dynamic, *sorted(found))
    holding = _held(text, named) if _GIVEN.search(text) else ()
    return Switches(
        declared, settings, tuple(_toggled(text)), holding, tuple(sorted(named)), _tests(text)
    )


def _tests(text: str) -> tuple[str, ...]:
    if "\\if" not in text and "@ifundefined" not in text:
        return ()
    from pfcore.latex.project import decided_tests  # late: few files ask

    return tuple(decided_tests.tests(text))


_BY_PACKAGE = regex(
    r"\\@ifpackageloaded\s*\{\s*(?P<package>[\w-]+)\s*\}\s*\{\s*\\(?P<name>[A-Za-z@]{1,60})true\s*\}"
    r"\s*\{\s*(?:\\(?P=name)false|\\relax)?\s*\}"
)
_GIVEN = regex(r"\\(?P<name>[A-Za-z@]{1,60}?)(?P<value>true|false)(?![A-Za-z@])")
_MOST_GIVEN = 40


def _held(text: str, unset: set[str]) -> tuple[tuple[str, str], ...]:
    """The switches set true unconditionally, or by a package; those set false go to `unset`."""
    tests = [match for match in _BY_PACKAGE.finditer(text) if not _is_conditional(match)]
    inner = Spans(match.span() for match in tests)
    given = list(_GIVEN.finditer(text))
    unset.update(m["name"] for m in given if m["value"] == "false" and not inner.covers(m.start()))
    begun = text.find("\\begin{document}") % (len(text) + 1)
    early = (m for m in given if m["value"] == "true" and m.start() < begun)
    plain = (m for m in islice(early, _MOST_GIVEN) if not _is_conditional(m))
    held = {*((m["name"], m["package"]) for m in tests), *((m["name"], "") for m in plain)}
    return tuple(sorted(held))


def always_set(files: Iterable[Switches], packages: Container[str]) -> frozenset[str]:
    """The conditions that hold from the preamble on, without their backslash: "ifhyperref"."""
    listed = list(files)
    declared = {name for item in listed for name in item.declared}
    unset = {name for item in listed for name in item.unset}
    if any(ANY in item.settings for item in listed):
        return frozenset()
    held = {name for item in listed for name, by in item.holding if not by or by in packages}
    return frozenset(f"if{name}" for name in (declared & held) - unset)


def _is_dynamic(text: str, places: Sequence[int]) -> bool:
    if any(_DYNAMIC.match(text, place) for place in places):
        return True
    return any(word in text and pattern.search(text) for word, pattern in _DYNAMIC_WORDS.items())


def _named(text: str, places: Sequence[int]) -> Iterator[str]:
    """The switches that commands set, or may set because they are alone in braces."""
    for match in matches(_SET, text, places):
        yield next(filter(None, match.groups()))
    if "\\if" not in text:
        return
    for match in _ALONE.finditer(text):
        if _OPENED.search(text, max(0, match.start() - 21), match.start()):
            yield match[1]


def _made_true(text: str) -> Iterator[str]:
    """The names before "true"; searched backwards, because "true" is rare and names are not."""
    for match in _TRUE.finditer(text):
        name = _NAME.search(text[max(0, match.start() - 60) : match.start()])
        if name:
            yield name[0]


_TOGGLED = regex(
    r"\\(?:(?P<new>(?:new|provide)(?:toggle|bool|boolean))|(?P<one>(?:toggle|bool)(?P<to>true|false))"
    r"|(?P<set>set(?:toggle|bool|boolean)))\s*\{\s*(?P<name>[^{}\n]{1,60}?)\s*\}"
    r"(?P<value>\s*\{[^{}\n]{0,60}\})?"
)
_TESTED = regex(
    r"\\(?:if|(?P<not>not))(?:toggle|bool)\s*\{\s*(?P<name>[^{}\n]{1,60}?)\s*\}"
    r"|\\ifthenelse\s*\{\s*(?P<negated>\\not\s*)?\\boolean\s*\{\s*(?P<boolean>[^{}\n]{1,60}?)\s*\}\s*\}"
    r"|\\(?P<draft>if(?:option)?(?:draft|final))(?=\s*\{)"
)
_NEW = "new"
_TRUTH = {"{true}": "true", "{false}": "false"}


def _toggled(text: str) -> Iterator[tuple[str, str]]:
    """The toggles that a text declares and sets, with their values, without duplicates."""
    if "toggle" not in text and "bool" not in text:
        return
    seen: set[tuple[str, str]] = set()
    for match in _TOGGLED.finditer(text):
        value = _NEW if match["new"] else match["to"]
        if match["set"]:
            value = _TRUTH.get("".join((match["value"] or "").split()), "")
        pair = match["name"], value or ""
        if pair not in seen:
            seen.add(pair)
            yield pair


def constant_toggles(files: Iterable[Switches]) -> dict[str, bool]:
    """The toggles that a document declares and sets to at most one value, with that value."""
    values: dict[str, set[str]] = {}
    for item in files:
        for name, value in item.toggles:
            values.setdefault(name, set()).add(value)
    if any(set(name) & set("#\\") for name in values):
        return {}
    given = {name: found - {_NEW} for name, found in sorted(values.items()) if _NEW in found}
    return {
        name: "true" in found
        for name, found in given.items()
        if len(found) <= 1 and "" not in found
    }


def constant_switches(files: Iterable[Switches], packages: Container[str]) -> dict[str, bool]:
    r"""The switches of `\newif` with a constant value, by the names that `\ifbool` uses.

    `packages` are those that the document loads.
    """
    listed = list(files)
    toggled = {name for item in listed for name, _ in item.toggles}
    if any(set(name) & set("#\\") for name in toggled):
        return {}
    values = dict.fromkeys(never_set(listed), False)
    values |= dict.fromkeys(always_set(listed, packages), True)
    known = {name.removeprefix("if"): value for name, value in sorted(values.items())}
    return {name: value for name, value in known.items() if name not in toggled}


_DRAFTS = {"draft": True, "final": False}
DRAFTS = frozenset({"ifdraft", "ifoptiondraft", "ifoptionfinal"})
"""The conditions of the package ifdraft."""


def draft_switches(options: str) -> dict[str, bool]:
    """The values of the conditions of package ifdraft, by the options of the class."""
    given = [item.strip() for item in options.split(",")]
    drafts = [_DRAFTS[item] for item in given if item in _DRAFTS]
    return {
        "ifdraft": bool(drafts) and drafts[-1],
        "ifoptiondraft": "draft" in given,
        "ifoptionfinal": "final" in given,
    }


def never_set(files: Iterable[Switches]) -> frozenset[str]:
    """The conditions that never hold, without their backslash: "ifdraft"."""
    listed = list(files)
    declared = {name for item in listed for name in item.declared}
    settings = {name for item in listed for name in item.settings}
    if ANY in settings:
        return frozenset()
    return frozenset(f"if{name}" for name in declared if not _is_set(name, settings))


def _is_set(name: str, settings: Set[str]) -> bool:
    return any(found.endswith(name) for found in settings)


_SAID = regex(
    r"\\(?:(?P<hides>excludecomment|excludeversion|lstnewenvironment|DefineVerbatimEnvironment)"
    r"|(?P<lists>(?:re)?newtcblisting|(?:New|Renew|Declare|Provide)TCBListing)"
    r"\s*(?:\[[^\]]{0,200}\])?|(?P<shows>includecomment|specialcomment|processcomment"
    r"|includeversion|newtheorem\*?|spnewtheorem\*?)|(?P<defines>(?:re)?newenvironment\*?)"
    r"|(?P<grabs>(?:New|Renew|Declare|Provide)DocumentEnvironment)|(?:Ren|N)ewEnviron)"
    r"\s*\{\s*(?P<name>[^{}\n]{1,60}?)\s*\}"
    r"|\\let\s*\\(?P<let>[A-Za-z@]+)\s*=?\s*\\(?P<to>[A-Za-z@]+)"
)
_CUES = (
    "comment",
    "version",
    "Environ",
    "DocumentEnv",
    "\\setbox",
    "lrbox",
    "isting",
    "lstnew",
    "Verbatim",
)
_LISTED_ONLY = regex(r"(?:^|[,{])\s*listing only\s*(?:[,}]|$)")
_IDLE = regex(r"\\(?:relax|ignorespaces|ignorespacesafterend|unskip)(?![A-Za-z@])|\s")
_OPENS = regex(
    r"\\(?:begin\s*\{(?P<begun>[^{}]{1,60})\}|(?P<called>[A-Za-z@]+))\s*(?:\[[^\]]{0,200}\]\s*)?\Z"
)
_BOXED = regex(
    r"(?:\\setbox\s*(?:\d+|\\(?P<box>[A-Za-z@]+))\s*=?\s*\\[vh](?:box|top)(?:\s*to[^{}\\]{0,20})?"
    r"\s*\\bgroup|\\(?:begin\s*\{lrbox\}|lrbox)\s*\{?\s*\\(?P<kept>[A-Za-z@]+)\s*\}?)"
    r"(?:[^{}]{0,100}\\begin\s*\{minipage\}(?:\s*\{[^{}]{0,60}\})?)?\s*\Z"
)
_USES_BOX = r"\\(?:box|copy|un[vh](?:box|copy)|usebox|ht|wd|dp)(?![A-Za-z])"
_CONDITION = regex(
    r"\\(?P<new>newif\s*\\|let\s*\\)?"
    r"(?:(?P<fi>fi)|if(?!(?:f|thenelse|toggle|bool)(?![A-Za-z@]))[A-Za-z@]*)(?![A-Za-z@])"
)


def excluded(text: str, groups: Groups, macros: Spans) -> Excluded:
    """The environments that a masked text hides or shows; the body of a macro hides nothing.

    A definition under a condition is uncertain, so the environment counts as printed.
    """
    hidden: set[str] = set()
    shown: set[str] = set()
    within: set[tuple[str, str]] = set()
    if not any(cue in text for cue in _CUES):
        return Excluded()
    for match in _SAID.finditer(text):
        into = _dropped_into(match, groups)
        if match["let"] and not into:
            continue
        name = match["let"] or match["name"]
        name = ANY if set(name) & set("#\\") else name
        if into is None:
            shown.add(name)
        elif macros.covers(match.start()) or _is_conditional(match):
            shown |= {name} - {ANY} if match["defines"] or match["grabs"] else set()
        elif into == _NOWHERE:
            hidden.add(name)
        else:
            within.add((name, into))
    return Excluded(tuple(sorted(hidden)), tuple(sorted(shown)), tuple(sorted(within)))


_NOWHERE = ""
"""The target of an environment whose own definition drops its text."""


def _dropped_into(match: re.Match[str], groups: Groups) -> str | None:
    """The environment that takes the text of a declared one, `_NOWHERE`, or None if it prints."""
    if match["shows"]:
        return None
    if match["hides"]:
        return _NOWHERE
    if match["lists"]:
        return _NOWHERE if _is_listed_only(groups, match.end()) else None
    if match["let"]:
        is_ended = f"\\end{match['let']}" in groups.text and match["to"] != "relax"
        return match["to"] if is_ended else None
    if match["grabs"]:
        return _NOWHERE if _is_grabbed(groups, match.end()) else None
    if not match["defines"]:
        return _NOWHERE if _is_empty(groups, match.end()) else None
    position = _past_options(groups, match.end())
    begin = groups.braces(position)
    end = groups.braces(begin[1] + 1) if begin else None
    if not begin or not end:
        return None
    return _opened_by(groups.text[slice(*begin)], groups.text[slice(*end)], groups.text)


def _opened_by(begin: str, end: str, text: str) -> str | None:
    """The environment that a begin leaves open, `_NOWHERE` for an unused box, or None."""
    boxed = _BOXED.search(begin)
    if boxed:
        box = boxed["box"] or boxed["kept"]
        shows = re.search(rf"{_USES_BOX}\s*\{{?\s*\\{box}(?![A-Za-z@])", text) if box else None
        return None if shows or re.search(_USES_BOX, end) else _NOWHERE
    opens = _OPENS.search(_IDLE.sub(" ", begin).rstrip())
    if opens is None:
        return None
    name = (opens["begun"] or opens["called"]).strip()
    closing = f"\\end{{{name}}}" if opens["begun"] else f"\\end{name}"
    return name if closing in end.replace(" ", "") else None


def _is_grabbed(groups: Groups, position: int) -> bool:
    """Whether the body is an argument of the environment that nothing prints."""
    letters = groups.braces(position)
    begin = groups.braces(letters[1] + 1) if letters else None
    end = groups.braces(begin[1] + 1) if begin else None
    if not letters or not begin or not end or groups.text[slice(*letters)].rstrip()[-1:] != "b":
        return False
    specified = re.sub(r"\{[^{}]*\}|[\s+!>]", "", groups.text[slice(*letters)])
    slot = f"#{len(specified)}"
    return slot not in groups.text[slice(*begin)] and slot not in groups.text[slice(*end)]


_BRACE = regex(r"\\.|[{}]", re.DOTALL)


_TESTING = regex(r"\\@?[Ii]f[A-Za-z@]*(?:\s*\{[^{}]{0,100}\}){1,3}\s*\Z")
_LONGEST_TEST = 300
"""Characters of a test before its branches: `\\@ifpackageloaded{hyperref}{}`."""


def _is_conditional(match: re.Match[str]) -> bool:
    """Whether a place is between an `\\if` and its `\\fi`, or in an argument of a command."""
    braces = _BRACE.findall(match.string, 0, match.start())
    return braces.count("{") != braces.count("}") or _depth(match.string, match.start()) > 0


def _depth(text: str, end: int) -> int:
    """The number of conditions that are open at a place."""
    depth = 0
    for found in _CONDITION.finditer(text, 0, end):
        if not found["new"]:
            depth = max(0, depth - 1) if found["fi"] else depth + 1
    return depth


def _past_options(groups: Groups, position: int) -> int:
    for _ in range(2):
        option = groups.brackets(position)
        position = option[1] + 1 if option else position
    return position


def _is_listed_only(groups: Groups, position: int) -> bool:
    """Whether a box of tcolorbox prints only its code, not the result."""
    first = groups.braces(_past_options(groups, position))
    second = groups.braces(first[1] + 1) if first else None
    given = (groups.text[slice(*span)] for span in (first, second) if span)
    return any(map(_LISTED_ONLY.search, given))


def _is_empty(groups: Groups, position: int) -> bool:
    """Whether an `\\NewEnviron` prints nothing, not even `\\BODY`; `position` is after its name."""
    code = groups.braces(_past_options(groups, position))
    return code is not None and not _IDLE.sub("", groups.text[slice(*code)])


def never_printed(files: Iterable[Excluded]) -> frozenset[str]:
    """The environments of a document whose content is always dropped.

    They include environments that put their text into one of them.
    """
    listed = list(files)
    shown = {name for item in listed for name in item.shown}
    if ANY in shown:
        return frozenset()
    found = {name for item in listed for name in item.hidden} - shown - {ANY}
    into: dict[str, set[str]] = {}
    for item in listed:
        for name, other in item.within:
            into.setdefault(name, set()).add(other)
    known = {"comment"}
    while known:
        known = {name for name, others in into.items() if others <= found | {"comment"}}
        known -= found | shown | {ANY}
        found |= known
    return frozenset(found)


def without(text: str, listed: Iterable[tuple[int, int]]) -> str:
    """The text with spans blanked, with the same offsets; a blanked span never ends a paragraph."""
    pieces: list[str] = []
    done, is_alone = 0, True
    for start, end in listed:
        if end > done:
            begin = max(start, done)
            last, is_alone = line_end(text, begin, end, done, is_alone=is_alone)
            pieces += (text[done:begin], " " * (last - begin))
            done = last
    return "".join((*pieces, text[done:])) if pieces else text


def unread(text: str, names: Set[str], toggles: Mapping[str, bool]) -> list[tuple[int, int]]:
    """The spans of a masked text that are never read, in order, without nested ones."""
    found: list[tuple[int, int]] = []
    listed = [*spans(text, names), *untaken(text, toggles)]
    if "\\if" in text or "@ifundefined" in text:
        from pfcore.latex.project import decided_tests  # late: few files ask

        listed += decided_tests.untaken(text, toggles)
    for start, end in sorted(listed):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def gone(text: str, names: Set[str], toggles: Mapping[str, bool]) -> list[tuple[int, int]]:
    """The unread spans of a masked text, except branches of toggles that may change in it.

    Conditions of package ifdraft are included themselves, because no `\\fi` ends them.
    """
    drafts = {name: value for name, value in toggles.items() if name in DRAFTS}
    asked = _TESTED.finditer(text) if drafts else ()
    return [*unread(text, names, drafts), *(m.span() for m in asked if m["draft"] in drafts)]


def untaken(text: str, toggles: Mapping[str, bool]) -> Iterator[tuple[int, int]]:
    """The outermost branches of a masked text that the values of toggles exclude."""
    if not toggles or not any(cue in text for cue in ("toggle", "bool", "draft", "final")):
        return
    groups, done = Groups(text), 0
    for match in _TESTED.finditer(text):
        value = toggles.get(match["name"] or match["boolean"] or match["draft"])
        yes = groups.braces(match.end())
        no = groups.braces(yes[1] + 1) if yes else None
        if value is None or yes is None or no is None:
            continue
        is_negated = bool(match["not"] or match["negated"])
        start, end = no if value != is_negated else yes
        if start >= done:
            done = end
            yield start, end


def spans(text: str, names: Set[str]) -> Iterator[tuple[int, int]]:
    """The spans of the outermost such environments; one without an end is read."""
    if not any(f"{{{name}}}" in text for name in names):
        return
    listed = "|".join(sorted(map(re.escape, names)))
    done = 0
    for match in re.finditer(rf"(?<!\\)\\begin\s*\{{({listed})\}}", text):
        close = f"\\end{{{match[1]}}}"
        end = text.find(close, match.end())
        if match.start() >= done and end >= 0:
            done = end + len(close)
            yield match.start(), done
