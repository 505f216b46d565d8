"""The files of one paper in reading order, and which document of it each belongs to."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.parsed_file import SourceProblem
from pfcore.latex.project.survey import BY_MACRO, PRECOMPILED, FileLink

_EXTENSIONS = {
    "input": (".tex", "", ".ltx"),
    "external": (".tex", "", ".ltx"),
    "package": (".sty",),
    "class": (".cls",),
}


_MOST_LINKS = 8
_NO_LINKS: Mapping[str, str] = MappingProxyType({})
_VERSION = regex(r"\.v?\d+")
"""Not an extension: the end of `chapter.1`."""
_LOADED_ONCE = {"package": "usepackage", "class": "documentclass"}
"""Files that LaTeX reads only once, even if loaded again, with their commands."""
_NO_STATEMENTS = frozenset(
    """.tikz .pgf .pdf_tex .eps_tex .svg_tex .pdf_t .pstex_t .eepic .bbl .ind .gls .nls .toc .lof
    .lot .aux .out .fmt .cfg .clo .fd .enc .map .hyp""".split()
)
"""Extensions of figures, lists and configuration files, which state nothing."""
_OF_TEX = frozenset(
    """glyphtounicode xy xypic xyidioms amstex amssym amssym.def epsf epsf.sty pstricks pst-node
    pst-plot pst-tree pst-text pst-graphicx pst-grad pst-coil pst-eps pst-fill pst-3d pdfcolor
    colordvi binhex random insbox ushyphex hyphen multido picmac diagrams
    tikz pgf pictex prepictex postpictex pictexwd latexpicobjs mfpic texdraw btxmac eplain
    miniltx dcpic cyracc.def german ngerman supp-pdf supp-pdf.tex ifpdf.sty iftex.sty ulem.sty
    rotate catmac lamsarrow apnum fp epic t1code xint xintexpr pgffor pgfmath pgfkeys blindtext
    kvsetkeys.sty soul.sty expl3-generic ltluatex chessfss genmpage trace testflow""".split()
)
"""Files that papers include and that come with TeX."""

_DRAWN = frozenset(
    """fig figs figure figures image images img imgs plot plots graphic graphics gfx tikz table
    tables tab tabs pic pics picture pictures diagram diagrams drawing drawings chart charts
    generated build auto""".split()
)
_STAMPS = frozenset(
    """version revision rev commit date timestamp stamp hash git gitinfo gitid githash gitversion
    svn vc wordcount words status license licence copyright""".split()
)
"""Words in names of files that a build writes for the title; `_DRAWN` are for figures, tables."""
_FRONT = frozenset(
    """acknowledgement acknowledgements acknowledgment acknowledgments ack thanks dedication title
    titlepage cover coverpage colophon declaration vita biography acronyms abbreviations glossary
    nomenclature danksagung deckblatt titelblatt titelseite erklaerung remerciements frontespizio
    ringraziamenti dedica agradecimientos agradecimentos dedicatoria portada capa""".split()
)
"""Words in names of files around a text, without statements or numbered headings."""


@cache
def tex_live_files() -> frozenset[str]:
    """The file names of TeX Live's packages and classes, in lower case."""
    lines = Path(__file__).with_name("tex_live.txt").read_text("utf-8").splitlines()
    return frozenset(" ".join(line for line in lines if not line.startswith("#")).split())


def states_nothing(target: str) -> bool:
    """Whether a missing file is, by its name, a figure, a title page or a build's stamp."""
    *folders, name = (part.lower() for part in target.split("/"))
    words = re.split(r"[^a-z]+", posixpath.splitext(name)[0])
    return any(folder in _DRAWN for folder in folders) or not {*words}.isdisjoint(
        _DRAWN | _STAMPS | _FRONT
    )


class Inclusion(NamedTuple):
    """An inclusion of another file of the snapshot: its offset, path, and name as written."""

    offset: int
    path: str
    name: str = ""


@dataclass(slots=True, kw_only=True)
class IncludeGraph:
    """A paper's files: `order` by first reading, and the inclusions of each.

    `opened` maps a file to the place of its first inclusion. `prefixes` are those with which a
    document of the paper cites the labels of another (package xr), each with the other's root.
    `borrowed` are the roots of documents of which only the labels are needed. `closed` maps the
    place of an inclusion to the reason why its missing file cannot be looked for.
    """

    root: str
    order: list[str] = field(default_factory=list)
    inclusions: dict[str, list[Inclusion]] = field(default_factory=dict)
    opened: dict[str, tuple[str, int]] = field(default_factory=dict)
    problems: dict[str, list[SourceProblem]] = field(default_factory=dict)
    generated: set[str] = field(default_factory=set)
    prefixes: tuple[tuple[str, str], ...] = ()
    borrowed: frozenset[str] = frozenset()
    starts: dict[str, str] = field(default_factory=dict)
    closed: dict[tuple[str, int], str] = field(default_factory=dict)
    _documents: dict[str, str] = field(default_factory=dict, compare=False, repr=False)
    _by_length: dict[int, dict[str, list[str]]] = field(
        default_factory=dict, compare=False, repr=False
    )

    @property
    def is_complete(self) -> bool:
        """Whether every file that the document includes was found and read."""
        lacking = ("missing-file", "unread-file", "uncertain-file")
        return not any(
            problem.code in lacking for found in self.problems.values() for problem in found
        )

    def document(self, path: str) -> str:
        """The root of the document whose labels a file shares."""
        if path not in self._documents:
            start = self.starts.get(path, self.root)
            is_cited = any(start == target for _, target in self.prefixes)
            self._documents[path] = start if is_cited else self.root
        return self._documents[path]

    def is_borrowed(self, path: str) -> bool:
        """Whether a file is read only because something in it is cited from another document."""
        return bool(self.borrowed) and self.starts.get(path, self.root) in self.borrowed

    def elsewhere(self, key: str) -> list[tuple[str, str]]:
        """The meanings of a key in other documents: a document's root, and the key there."""
        if not self._by_length:
            for prefix, path in sorted(self.prefixes, key=lambda item: -len(item[0])):
                alike = self._by_length.setdefault(len(prefix), {})
                alike.setdefault(prefix, []).append(path)
        return [
            (path, key[length:])
            for length, alike in self._by_length.items()
            for path in alike.get(key[:length], ())
        ]

    def spellings(self, key: str) -> list[str]:
        """All keys with which documents of the paper may cite a label."""
        return [key, *dict.fromkeys(f"{prefix}{key}" for prefix, _ in self.prefixes)]


Links = Callable[[str], Iterable[FileLink]]


class Files(NamedTuple):
    """The paths of a snapshot: readable files, unreadable files with reasons, folders.

    `links` maps symbolic links to their targets, and the snapshot's absolute path on disk to "";
    `is_searched` says whether the paper itself sets LaTeX's search path (`\\input@path`). `unread`
    includes folders that cannot be listed.
    """

    there: Collection[str]
    unread: Mapping[str, str]
    folders: Container[str]
    links: Mapping[str, str] = MappingProxyType({})
    is_searched: Callable[[], bool] = bool

    def styles(self) -> dict[str, list[str]]:
        """The paths of styles and classes in folders, by file name."""
        found: dict[str, list[str]] = {}
        for path in self.there:
            if path.endswith((".sty", ".cls")) and "/" in path:
                found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    def by_folded_name(self) -> dict[str, str]:
        """The readable files by path in lower case, if the lower-case path is unique."""
        found: dict[str, str] = {}
        numbers = Counter(path.lower() for path in self.there)
        for path in self.there:
            if numbers[path.lower()] == 1:
                found[path.lower()] = path
        return found


class _Tracing:
    def __init__(
        self,
        outline: IncludeGraph,
        links: Links,
        body: Callable[[str], int],
        files: Files,
    ) -> None:
        self._outline = outline
        self._links = links
        self._body = body
        self._files = files
        self._open: list[str] = []
        self._folded: dict[str, str] | None = None
        self._styles: dict[str, list[str]] | None = None

    def visit(self, start: str) -> None:
        """Follow the links of a file, depth first, as LaTeX reads."""
        self._enter(start, start)
        stack = [(start, iter(self._sorted(start)))]
        while stack:
            path, rest = stack[-1]
            link = next(rest, None)
            if link is None:
                stack.pop()
                self._open.pop()
            elif link.relation == "generated":
                self._outline.generated.add(link.target)
            elif link.relation != "external":
                target = self._follow(link, path)
                if target:
                    self._enter(target, start)
                    stack.append((target, iter(self._sorted(target))))

    def _enter(self, path: str, start: str) -> None:
        self._outline.order.append(path)
        self._outline.starts[path] = start
        self._open.append(path)

    def _sorted(self, path: str) -> list[FileLink]:
        return sorted(self._links(path), key=lambda link: link.offset)

    def _follow(self, link: FileLink, path: str) -> str | None:
        """Record the inclusion; returns the file if this is its first reading."""
        outline = self._outline
        if link.target.startswith("/"):  # an absolute path, as written by a build on this machine
            tops = (f"{name}/" for name in self._files.links if name.startswith("/"))
            top = next(filter(link.target.startswith, tops), "")
            link = link._replace(target=link.target.removeprefix(top))
        target = (
            self._resolve(link, path)
            or self._on_search_path(link)
            or self._in_another_folder(link)
            or self._in_other_case(link, path)
        )
        if target is None:
            self._report_missing(link, path)
            return None
        if target in self._files.unread:
            reason = self._files.unread[target]
            message = f"{target} is included here but cannot be read: {reason}"
            problem = SourceProblem("unread-file", message, target, link.offset, _end(link))
            outline.problems.setdefault(path, []).append(problem)
            return None
        if link.option == PRECOMPILED and (target in self._open or self._body(target) >= 0):
            return None
        if target in self._open:
            if link.relation in _LOADED_ONCE:
                return None
            message = f"{target} includes itself: {' → '.join((*self._open, target))}"
            problem = SourceProblem("circular-input", message, target, link.offset, _end(link))
            outline.problems.setdefault(path, []).append(problem)
            return None
        outline.inclusions.setdefault(path, []).append(Inclusion(link.offset, target, link.target))
        if target in outline.starts:
            return None
        outline.opened[target] = path, link.offset
        return target

    def _resolve(self, link: FileLink, path: str) -> str | None:
        opened = (self._outline.root, *self._open)
        found = resolve(link, path, opened, self._files.there, self._files.links)
        return found or resolve(link, path, opened, self._files.unread)

    def _on_search_path(self, link: FileLink) -> str | None:
        """The only file with this name in any folder, if the paper sets LaTeX's search path."""
        if link.relation != "input" or "\\" in link.target or not self._files.is_searched():
            return None
        names = {f"/{link.target}{extension}" for extension in _EXTENSIONS["input"]}
        found = [path for path in self._files.there if path.endswith(tuple(names))]
        return found[0] if len(found) == 1 else None

    def _in_another_folder(self, link: FileLink) -> str | None:
        """The only style or class with this name in any folder, if TeX Live does not have it.

        LaTeX finds it by settings outside the sources, such as TEXINPUTS.
        """
        suffix = {"package": ".sty", "class": ".cls"}.get(link.relation)
        if not suffix or not link.target or "/" in link.target or "\\" in link.target:
            return None
        name = f"{link.target.removesuffix(suffix)}{suffix}"
        if self._styles is None:
            self._styles = self._files.styles()
        found = self._styles.get(name, [])
        is_one = len(found) == 1 and name.lower() not in tex_live_files()
        return found[0] if is_one else None

    def _in_other_case(self, link: FileLink, path: str) -> str | None:
        """The file that a link means if upper and lower case are not distinguished."""
        if link.relation == "external" or not link.target or link.target in _OF_TEX:
            return None
        if self._folded is None:
            self._folded = self._files.by_folded_name()
        folded = link._replace(target=link.target.lower())
        opened = [name.lower() for name in (self._outline.root, *self._open)]
        name = resolve(folded, path.lower(), opened, self._folded)
        if name is None:
            return None
        target = self._folded[name]
        command = _LOADED_ONCE.get(link.relation, link.option)
        message = (
            f"\\{command}{{{link.target}}} differs from {target} in upper and lower "
            "case: TeX before 2018 and some other programs do not find it"
        )
        problem = SourceProblem("file-case", message, link.target, link.offset, _end(link))
        self._outline.problems.setdefault(path, []).append(problem)
        return target

    def _report_missing(self, link: FileLink, path: str) -> None:
        """Report a missing file, unless it may come from TeX, as packages and classes do."""
        if link.relation == "node":
            message = f"\\{link.option}{{{link.target}}} names a node that no Lean file generates"
            problem = SourceProblem("missing-file", message, link.target, link.offset, _end(link))
            self._outline.problems.setdefault(path, []).append(problem)
            return
        if link.relation != "input" or not link.target or "#" in link.target:
            return
        if (
            link.option in ("InputIfFileExists", PRECOMPILED)
            or link.target in self._outline.generated
        ):
            return
        extension = posixpath.splitext(link.target)[1].lower()
        if link.target in _OF_TEX:
            return
        in_body = self._is_in_body(path, link.offset)
        is_text = extension in ("", ".tex", ".ltx") or bool(_VERSION.fullmatch(extension))
        if "\\" in link.target or not is_text or not in_body:
            self._report_unfollowed(link, path, extension, in_body=in_body)
            return
        opened = (self._outline.root, *self._open)
        folder = resolve(link, path, opened, self._files.folders)
        what = f"{folder}, which is a folder" if folder else _lacking(link.target)
        if closed := self._closed(link, path, opened):
            reason = self._outline.closed[path, link.offset] = self._files.unread[closed]
            what = f"a file in {closed} ({reason})"
        message = f"\\{link.option}{{{link.target}}} names {what}"
        code = "missing-file" if link.option != BY_MACRO else "uncertain-file"
        problem = SourceProblem(code, message, link.target, link.offset, _end(link))
        self._outline.problems.setdefault(path, []).append(problem)

    def _closed(self, link: FileLink, path: str, opened: Iterable[str]) -> str:
        """The unreadable folder that should contain a file; "" if there is none."""
        if not self._files.unread:
            return ""
        name = resolve(link, path, opened, _Below(self._files.unread), self._files.links) or ""
        return next(_around(name, self._files.unread), "")

    def _is_in_body(self, path: str, offset: int) -> bool:
        """Whether a place is after `\\begin{document}`; styles and classes never are."""
        is_root = path == self._outline.root
        while not path.lower().endswith((".sty", ".cls")):
            body = self._body(path)
            if body >= 0 or path not in self._outline.opened:
                return offset >= body >= 0 or (body < 0 and not is_root)
            path, offset = self._outline.opened[path]
        return False

    def _report_unfollowed(
        self, link: FileLink, path: str, extension: str, *, in_body: bool
    ) -> None:
        """Report an inclusion with a computed name, or with one that is not of a LaTeX file."""
        if extension in _NO_STATEMENTS:
            return
        message = f"\\{link.option}{{{link.target}}} is not followed"
        problem = SourceProblem("unfollowed-file", message, link.target, link.offset, _end(link))
        self._outline.problems.setdefault(path, []).append(problem)


class _Below(Container[str]):
    """The container of some folders and all paths below them."""

    def __init__(self, folders: Container[str]) -> None:
        self._folders = folders

    def __contains__(self, path: object) -> bool:
        return any(True for _ in _around(str(path), self._folders))


def _around(path: str, folders: Container[str]) -> Iterator[str]:
    """The folders among `folders` that are the path or contain it."""
    return (name for name in (path, *_above(path)) if name and name in folders)


def _lacking(target: str) -> str:
    """A description of a missing file, with the command that would make it, if known."""
    if ".lake/build/" in target:
        return "a file that `lake build :blueprint` generates: run that, or commit its output"
    return "a file that is not in the repository"


def _end(link: FileLink) -> int:
    return link.end or link.offset + len(link.option) + len(link.target) + 3


def trace(
    root: str,
    *,
    attached: Iterable[str],
    borrowed: tuple[str, ...] = (),
    links: Links,
    body: Callable[[str], int],
    files: Files,
) -> IncludeGraph:
    """Follow the links from a root and the files read with it; cycles are cut and reported."""
    outline = IncludeGraph(root=root, borrowed=frozenset(borrowed))
    tracing = _Tracing(outline, links, body, files)
    for start in (root, *attached, *borrowed):
        if start not in outline.starts:
            tracing.visit(start)
    outline.prefixes = tuple(
        dict.fromkeys(
            (link.option, target)
            for path in outline.order
            for link in links(path)
            if link.relation == "external"
            and (target := resolve(link, path, (outline.starts[path], path), files.there))
            and target in outline.starts
        )
    )
    return outline


def _above(folder: str) -> Iterator[str]:
    """The folders above one; LaTeX may be run in any of them, and names are relative to it.

    They do not apply to a name without a folder: a file with that name up there is another one.
    """
    while folder:
        folder = folder.rpartition("/")[0]
        yield folder


def _meant(name: str, links: Mapping[str, str]) -> str:
    """The path after following symbolic links of the file or of a folder above it."""
    for _ in range(_MOST_LINKS):
        ends = [end for end in range(len(name), 0, -1) if end == len(name) or name[end] == "/"]
        end = next((end for end in ends if name[:end] in links), 0)
        if not end:
            break
        name = links[name[:end]] + name[end:]
    return name


def resolve(
    link: FileLink,
    path: str,
    opened: Iterable[str],
    files: Container[str],
    links: Mapping[str, str] = _NO_LINKS,
) -> str | None:
    """The file of the snapshot that a link means; nothing outside the snapshot is considered.

    `opened` are the root and the files being read, outermost first; `links` symbolic links.
    """
    if link.relation not in _EXTENSIONS or not link.target or link.target.startswith("/"):
        return None
    root, *inner = opened
    first = path if "sub" in link.option else root
    named = [name.rpartition("/")[0] for name in (first, root, path, *reversed(inner))]
    folders = dict.fromkeys([*named, *(_above(named[1]) if "/" in link.target else ())])
    is_plain = not link.target.startswith(".") and "/." not in link.target
    for folder in folders:
        for extension in _EXTENSIONS[link.relation]:
            name = f"{folder}/{link.target}{extension}" if folder else link.target + extension
            if not is_plain or "//" in name:
                name = posixpath.normpath(name)
            name = _meant(name, links) if links else name
            if not name.startswith("../") and name in files:
                return name
    source = _MADE_IN.sub("", link.target) if link.relation == "external" else link.target
    if source == link.target:
        return None
    found = resolve(link._replace(target=source), path, (root, *inner), files, links)
    return None if found in (root, path) else found


_MADE_IN = regex(
    r"(?:[._]?(?:build|out|output|outputs|aux|auxil|auxiliary|tmp|temp|target|bin|obj|dist|cache|pdf)"
    r"|latex\.out)/(?=[^/]+\Z)",
    re.IGNORECASE,
)
"""A folder for LaTeX's output: an .aux file there belongs to a document outside it."""
