"""The files of one document in reading order, and the syntax in which each is to be read."""

import posixpath
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.latex.records import Problem
from pfcore.latex.survey import Link

_EXTENSIONS = {"input": (".tex", "", ".ltx"), "package": (".sty",), "class": (".cls",)}


class Inclusion(NamedTuple):
    """At this offset another file of the snapshot is read in."""

    offset: int
    path: str


@dataclass(slots=True, kw_only=True)
class Outline:
    """A document's files: `order` by first reading, and what each reads in where."""

    root: str
    order: list[str] = field(default_factory=list)
    inclusions: dict[str, list[Inclusion]] = field(default_factory=dict)
    problems: dict[str, list[Problem]] = field(default_factory=dict)
    generated: set[str] = field(default_factory=set)

    @property
    def is_complete(self) -> bool:
        """Whether every file that the document reads in is there."""
        return not any(
            problem.code == "missing-file" for found in self.problems.values() for problem in found
        )


Links = Callable[[str], Iterable[Link]]


def trace(
    root: str, *, attached: Iterable[str], links: Links, body: Callable[[str], int],
    files: Container[str],
) -> Outline:
    """Follow the links from a root, depth first, as LaTeX reads; circles are cut and reported."""
    outline = Outline(root=root)
    for start in (root, *attached):
        if start not in outline.order:
            _visit(start, root, outline, links, body, files)
    return outline


def _visit(
    start: str, root: str, outline: Outline, links: Links, body: Callable[[str], int],
    files: Container[str],
) -> None:
    outline.order.append(start)
    stack = [(start, iter(sorted(links(start), key=lambda link: link.offset)))]
    open_files = [start]
    while stack:
        path, rest = stack[-1]
        link = next(rest, None)
        if link is None:
            stack.pop()
            open_files.pop()
            continue
        if link.relation == "generated":
            outline.generated.add(link.target)
            continue
        target = _resolve(link, path, root, open_files, files)
        if target is None:
            _report_missing(link, path, outline, in_body=link.offset >= body(path) >= 0
                            or path != root)
        elif target in open_files:
            message = f"{target} reads itself in: {' → '.join((*open_files, target))}"
            _report(outline, path, Problem("circular-input", message, target, link.offset,
                                           link.offset + 1))
        else:
            outline.inclusions.setdefault(path, []).append(Inclusion(link.offset, target))
            if target not in outline.order:
                outline.order.append(target)
                open_files.append(target)
                stack.append((target, iter(sorted(links(target), key=lambda l: l.offset))))


def _report(outline: Outline, path: str, problem: Problem) -> None:
    outline.problems.setdefault(path, []).append(problem)


def _report_missing(link: Link, path: str, outline: Outline, *, in_body: bool) -> None:
    """Packages and classes come from the TeX installation; inputs of the preamble may, too."""
    if link.relation != "input" or "\\" in link.target or "#" in link.target or not link.target:
        return
    if link.option == "InputIfFileExists" or link.target in outline.generated:
        return
    extension = posixpath.splitext(link.target)[1]
    if extension not in ("", ".tex", ".ltx") or not in_body:
        return
    message = f"\\{link.option}{{{link.target}}} names a file that is not in the repository"
    problem = Problem("missing-file", message, link.target, link.offset,
                      link.offset + len(link.option) + len(link.target) + 3)
    _report(outline, path, problem)


def _resolve(
    link: Link, path: str, root: str, open_files: list[str], files: Container[str]
) -> str | None:
    """The file of the snapshot that a link means; nothing outside of it is ever looked at."""
    if link.relation not in _EXTENSIONS or not link.target or link.target.startswith("/"):
        return None
    folders = [posixpath.dirname(root), posixpath.dirname(path)]
    folders += [posixpath.dirname(opened) for opened in reversed(open_files)]
    if "sub" in link.option:
        folders.insert(0, posixpath.dirname(path))
    for folder in dict.fromkeys(folders):
        for extension in _EXTENSIONS[link.relation]:
            name = posixpath.normpath(posixpath.join(folder, link.target + extension))
            if not name.startswith("../") and name in files:
                return name
    return None
