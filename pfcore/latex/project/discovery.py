"""The documents among the files of a snapshot, by their surveys."""

from collections.abc import Callable, Container, Iterable, Mapping

from pfcore.latex.project import documents as roots
from pfcore.latex.project.documents import Aside, Root
from pfcore.latex.project.include_graph import Files, IncludeGraph, resolve, trace
from pfcore.latex.project.links import FileLink
from pfcore.latex.project.survey import Survey

Surveys = Mapping[str, Survey]


def documents(surveys: Surveys) -> tuple[list[Root], list[Aside]]:
    """The documents to review, and those left aside.

    Files of which none is a document, fragments say, are one together.
    """
    classed = [path for path in surveys if surveys[path].document_class]
    is_only = len(classed) == 1  # then no other is part of it, or its rival
    reached = {path: frozenset() if is_only else _reached(path, surveys) for path in classed}
    found, asides = roots.find_documents(surveys, reached)
    if not found:
        loose = sorted(path for path in surveys if path.lower().endswith((".tex", ".ltx")))
        return [Root(path=loose[0], attached=tuple(loose[1:]))] if loose else [], asides
    named = {root.path: _named(root.path, surveys) for root in found} if len(found) > 1 else {}
    return roots.join_documents(found, named), asides


_ALL_READ: Mapping[str, str] = {}


def outline_of(
    root: Root,
    surveys: Surveys,
    links: Callable[[str], Iterable[FileLink]],
    unread: Mapping[str, str] = _ALL_READ,
    folders: Container[str] = (),
) -> IncludeGraph:
    """The files of a document, by the links of each; `unread` are files with a reason why."""
    return trace(
        root.path,
        attached=root.attached,
        links=links,
        body=lambda path: surveys[path].body,
        files=Files(surveys, unread, folders),
    )


def _reached(path: str, surveys: Surveys) -> frozenset[str]:
    """The files that a document reads in behind its `\\begin{document}`."""
    body = surveys[path].body
    outline = outline_of(
        Root(path=path),
        surveys,
        lambda name: [link for link in surveys[name].links if name != path or link.offset >= body],
    )
    return frozenset(outline.order) - {path}


def _named(path: str, surveys: Surveys) -> frozenset[str]:
    """The documents whose labels this one cites."""
    outline = outline_of(Root(path=path), surveys, lambda name: surveys[name].links)
    found = (
        resolve(link, name, (path, name), surveys)
        for name in outline.order
        for link in surveys[name].links
        if link.relation == "external"
    )
    return frozenset(target for target in found if target)
