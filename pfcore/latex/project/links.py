"""The commands of a file that name other files, its class, and where its document begins."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from pfcore.domain.spans import Spans
from pfcore.latex.lexer.sites import matches

_LINK = re.compile(
    r"\\(?P<input>input|include|subfile|subfileinclude|loadglsentries|InputIfFileExists)"
    r"(?![A-Za-z])\s*(?:\{(?P<braced>[^{}\n]{1,300})\}|\"(?P<quoted>[^\"{}\\%\n]{1,200})\""
    r"|(?P<bare>[^\s{}\\%\[\]]{1,200}))"
    r"|\\(?P<import>import|subimport|includefrom|subincludefrom|inputfrom|subinputfrom)\*?"
    r"\s*\{(?P<folder>[^{}\n]{0,200})\}\s*\{(?P<file>[^{}\n]{1,200})\}"
    r"|\\(?P<package>usepackage|RequirePackage|documentclass|LoadClass|LoadClassWithOptions)"
    r"\s*(?:\[(?P<options>[^\]]{0,2000})\])?\s*\{(?P<names>[^{}]{1,2000})\}"
    r"|\\(?P<external>externaldocument)\s*(?:\[(?P<prefix>[^\]\n]{0,60})\])?(?:\[[^\]]*\])?"
    r"\s*\{(?P<document>[^{}\n]{1,200})\}"
    r"|\\(?P<generated>Opensolutionfile)\{[^{}]*\}\[(?P<produced>[^\]]{1,200})\]"
    r"|\\begin\s*\{(?P<begin>document)\}"
)


BY_MACRO = "macro"
"""The command of an input that a macro spells: where it leads nowhere, that proves nothing."""


class FileLink(NamedTuple):
    """A command that names another file, from `offset` to `end` (0 where that is not known).

    `relation` is input, package, class, external, or generated (LaTeX itself writes the file).
    """

    relation: str
    target: str
    option: str
    offset: int
    end: int = 0


class FileLinks(NamedTuple):
    """What a file is linked to; `body` is the offset behind `\\begin{document}`, or -1."""

    links: tuple[FileLink, ...]
    document_class: str
    class_options: str
    body: int


def links(text: str, hidden: Spans, places: Sequence[int] | None = None) -> FileLinks:
    """The links of a masked text, those inside of definitions left out.

    `places` are the sites of the text, where they are known.
    """
    found: list[FileLink] = []
    document_class = class_options = ""
    body = -1
    for match in matches(_LINK, text, places):
        if hidden.covers(match.start()):
            continue
        if match["begin"]:
            body = match.end() if body < 0 else body
            continue
        if match["package"] == "documentclass" and not document_class:
            document_class = match["names"].strip()
            class_options = (match["options"] or "").strip()
        found += _linked(match)
    return FileLinks(tuple(found), document_class, class_options, body)


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
        target = f"{match['folder'].strip()}/{match['file'].strip()}"
        return [FileLink("input", target, match["import"], start, end)]
    if match["generated"]:
        return [FileLink("generated", match["produced"].strip(), "", start, end)]
    return [FileLink("external", match["document"].strip(), match["prefix"] or "", start, end)]
