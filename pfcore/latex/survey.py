"""What one file declares, whatever document it belongs to: macros, environments, inputs, class."""

import re
from typing import NamedTuple

from pfcore.latex.groups import Groups
from pfcore.latex.macros import Definition, definitions
from pfcore.latex.mask import mask
from pfcore.latex.spans import Spans

_DECLARER = re.compile(
    r"\\(?P<newtheorem>newtheorem\*?|spnewtheorem\*?)\s*\{(?P<env>[^{}\n]{1,60})\}"
    r"|\\(?P<thmtools>declaretheorem)(?![A-Za-z])"
    r"|\\(?P<framed>newmdtheoremenv|newframedtheorem|newshadedtheorem)(?![A-Za-z])"
    r"|\\(?P<box>newtcbtheorem|NewTcbTheorem|DeclareTColorBoxTheorem)(?![A-Za-z])"
    r"|\\(?P<aliascnt>newaliascnt)\{[^{}]*\}\{[^{}]*\}"
    r"|\\(?P<environment>(?:re)?newenvironment\*?|(?:New|Renew|Declare|Provide)DocumentEnvironment)"
    r"\s*\{(?P<name>[^{}\n]{1,60})\}"
    r"|\\(?P<proofs>newproof)\s*\{(?P<proof>[^{}\n]{1,60})\}"
)
_LINK = re.compile(
    r"\\(?P<input>input|include|subfile|subfileinclude|loadglsentries|InputIfFileExists)"
    r"(?![A-Za-z])\s*(?:\{(?P<braced>[^{}\n]{1,300})\}|(?P<bare>[^\s{}\\%\[\]]{1,200}))"
    r"|\\(?P<import>import|subimport|includefrom|subincludefrom|inputfrom|subinputfrom)\*?"
    r"\s*\{(?P<folder>[^{}\n]{0,200})\}\s*\{(?P<file>[^{}\n]{1,200})\}"
    r"|\\(?P<package>usepackage|RequirePackage|documentclass|LoadClass|LoadClassWithOptions)"
    r"\s*(?:\[(?P<options>[^\]]{0,2000})\])?\s*\{(?P<names>[^{}]{1,2000})\}"
    r"|\\(?P<external>externaldocument)\s*(?:\[(?P<prefix>[^\]\n]{0,60})\])?(?:\[[^\]]*\])?"
    r"\s*\{(?P<document>[^{}\n]{1,200})\}"
    r"|\\(?P<generated>Opensolutionfile)\{[^{}]*\}\[(?P<produced>[^\]]{1,200})\]"
    r"|\\begin\s*\{(?P<begin>document)\}"
)


class Theorem(NamedTuple):
    """A declared theorem-like environment; `takes` is how its title is given: bracket or braces."""

    env: str
    printed: str
    takes: str
    prefix: str


class Environment(NamedTuple):
    """A `\\newenvironment`: what its begin and end stand for, and how many arguments it takes."""

    name: str
    begin: str
    end: str
    arguments: int
    has_optional: bool


class Link(NamedTuple):
    """A command that names another file; `relation` is input, package, class, external,
    or generated (LaTeX itself writes the file)."""

    relation: str
    target: str
    option: str
    offset: int


class Survey(NamedTuple):
    """All that one file declares, in its order; `body` is where its document begins, or -1."""

    theorems: tuple[Theorem, ...]
    environments: tuple[Environment, ...]
    macros: tuple[Definition, ...]
    links: tuple[Link, ...]
    document_class: str
    class_options: str
    body: int
    silent: tuple[tuple[int, int], ...]
    proofs: tuple[str, ...]
    note: str


def survey(text: str, *, note: str = "") -> Survey:
    """Read the declarations of one file; `silent` are the spans of the definitions themselves.

    `note` says how the file was decoded, where that had to be guessed.
    """
    masked = mask(text).text
    groups = Groups(masked)
    macros = definitions(masked, groups)
    theorems, environments, proofs, silent = declarations(masked, groups)
    silent += [(item.start, item.end) for item in macros]
    links, document_class, options, body = _links(masked, silent)
    return Survey(
        tuple(theorems),
        tuple(environments),
        tuple(macros),
        tuple(links),
        document_class,
        options,
        body,
        tuple(sorted(silent)),
        tuple(proofs),
        note,
    )


def declarations(
    text: str, groups: Groups
) -> tuple[list[Theorem], list[Environment], list[str], list[tuple[int, int]]]:
    """Theorem-like and other environments that a text declares, proof names, and their spans."""
    theorems: list[Theorem] = []
    environments: list[Environment] = []
    proofs: list[str] = []
    silent: list[tuple[int, int]] = []
    for match in _DECLARER.finditer(text):
        kind = match.lastgroup
        if match["newtheorem"]:
            theorems.extend(_newtheorem(match, groups))
        elif match["thmtools"]:
            theorems.extend(_declaretheorem(match, groups))
        elif match["framed"]:
            theorems.extend(_framed(match, groups))
        elif match["box"]:
            theorems.extend(_box(match, groups))
        elif match["proof"]:
            proofs.append(match["proof"])
        elif match["environment"]:
            made = _environment(match, groups)
            if made:
                environments.append(made[0])
                silent.append((match.start(), made[1]))
        elif kind != "aliascnt":
            continue
    return theorems, environments, proofs, silent


def _newtheorem(match: re.Match[str], groups: Groups) -> list[Theorem]:
    position = match.end()
    shared = groups.brackets(position)
    printed = groups.braces(shared[1] + 1 if shared else position)
    if match["newtheorem"].startswith("sp") and printed is None:
        return []
    name = groups.text[slice(*printed)] if printed else ""
    return [Theorem(match["env"], name, "bracket", "")] if printed else []


def _declaretheorem(match: re.Match[str], groups: Groups) -> list[Theorem]:
    options = groups.brackets(match.end())
    names = groups.braces(options[1] + 1 if options else match.end())
    if not names:
        return []
    more = groups.brackets(names[1] + 1)
    settings = [groups.text[slice(*span)] for span in (options, more) if span]
    printed = next((found for text in settings if (found := option(text, "name"))), "")
    printed = printed or next((found for text in settings if (found := option(text, "title"))), "")
    envs = [name.strip() for name in groups.text[slice(*names)].split(",")]
    return [Theorem(env, printed or env, "bracket", "") for env in envs if env]


def _framed(match: re.Match[str], groups: Groups) -> list[Theorem]:
    options = groups.brackets(match.end())
    env = groups.braces(options[1] + 1 if options else match.end())
    shared = groups.brackets(env[1] + 1) if env else None
    printed = groups.braces((shared or env)[1] + 1) if env else None
    if not env or not printed:
        return []
    return [Theorem(groups.text[slice(*env)], groups.text[slice(*printed)], "bracket", "")]


def _box(match: re.Match[str], groups: Groups) -> list[Theorem]:
    options = groups.brackets(match.end())
    env = groups.braces(options[1] + 1 if options else match.end())
    printed = groups.braces(env[1] + 1) if env else None
    style = groups.braces(printed[1] + 1) if printed else None
    prefix = groups.braces(style[1] + 1) if style else None
    if not env or not printed:
        return []
    text = groups.text
    return [
        Theorem(
            text[slice(*env)],
            text[slice(*printed)],
            "braces",
            text[slice(*prefix)] if prefix else "",
        )
    ]


def _environment(match: re.Match[str], groups: Groups) -> tuple[Environment, int] | None:
    position = match.end()
    count, has_optional = 0, False
    if "Document" in match["environment"]:
        specification = groups.braces(position)
        if not specification:
            return None
        letters = re.sub(r"\{[^{}]*\}|\s", "", groups.text[slice(*specification)])
        count, has_optional = len(letters), letters[:1] in ("o", "O")
        position = specification[1] + 1
    else:
        number = groups.brackets(position)
        if number:
            digits = groups.text[slice(*number)].strip()
            count = int(digits) if digits.isdigit() and len(digits) == 1 else 0
            position = number[1] + 1
            default = groups.brackets(position)
            if default:
                has_optional, position = True, default[1] + 1
    begin = groups.braces(position)
    end = groups.braces(begin[1] + 1) if begin else None
    if not begin or not end:
        return None
    text = groups.text
    made = Environment(
        match["name"], text[slice(*begin)], text[slice(*end)], count, has_optional
    )
    return made, end[1] + 1


def _links(
    text: str, silent: list[tuple[int, int]]
) -> tuple[list[Link], str, str, int]:
    links: list[Link] = []
    document_class = options = ""
    body = -1
    hidden = Spans(silent)
    for match in _LINK.finditer(text):
        if hidden.covers(match.start()):
            continue
        if match["begin"]:
            body = match.end() if body < 0 else body
        elif match["input"]:
            target = (match["braced"] or match["bare"]).strip().strip('"')
            links.append(Link("input", target, match["input"], match.start()))
        elif match["import"]:
            target = f"{match['folder'].strip()}/{match['file'].strip()}"
            links.append(Link("input", target, match["import"], match.start()))
        elif match["package"]:
            relation = "class" if "lass" in match["package"] else "package"
            if match["package"] == "documentclass" and not document_class:
                document_class, options = match["names"].strip(), (match["options"] or "").strip()
            for name in match["names"].split(","):
                links.append(Link(relation, name.strip(), match["options"] or "", match.start()))
        elif match["generated"]:
            links.append(Link("generated", match["produced"].strip(), "", match.start()))
        elif match["external"]:
            prefix = match["prefix"] or ""
            links.append(Link("external", match["document"].strip(), prefix, match.start()))
    return links, document_class, options, body


def option(text: str, name: str) -> str:
    """The value of `name=value` in a list of options, braces taken off; empty if absent."""
    match = re.search(rf"(?:^|,)\s*{name}\s*=\s*(\{{[^{{}}]*\}}|[^,]*)", text)
    return match[1].strip().strip("{}").strip() if match else ""
