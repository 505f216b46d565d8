"""Finds the documents among the files of a snapshot, from their surveys.

It tells roots from their rivals, slides and old copies.
"""

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.mask import mask
from pfcore.latex.project.include_graph import Files, IncludeGraph, resolve, trace
from pfcore.latex.project.kinds import DEFAULT_PROOFS, DEFAULT_THEOREMS
from pfcore.latex.project.survey import FileLink, Survey

SLIDES = "slides"
"""The reason to leave slides aside: they repeat a paper."""
_SLIDES = frozenset({"beamer", "slides", "powerdot", "prosper", "seminar", "ltx-talk"})
_NO_PAPER = frozenset({"standalone", "letter", "tikzposter", "a0poster", "moderncv", "minimal"})
_OLD = regex(
    r"(?:^|[/_\-. ])(?:old|older|bak|backups?|copy|archived?|obsolete|deprecated|unused|attic|trash"
    r"|previous|orig)(?:[/_\-. \d]|$)",
    re.IGNORECASE,
)
_VERSION = regex(
    r"(?:^|/)(?:v|vers|version|rev|revision)[ _.-]?(?P<number>\d{1,3})/", re.IGNORECASE
)
_BEGUN = regex(r"\\begin\s*\{\s*([^{}\\]{1,60}?)\s*\}")
RIVAL = "same results as"
"""The reason to leave a document aside for another one, whose path follows."""
UNSTATING = "no results found"
"""The reason to leave aside a document without results that shares text with another."""
UNINCLUDED = "no document includes it"
"""The reason to skip a file that is neither a document nor part of one."""
_LAYOUT = frozenset(
    """document abstract titlepage center flushleft flushright quote quotation verse minipage
    tabular tabular* table figure thebibliography frontmatter keyword keywords comment
    filecontents filecontents* multicols spacing singlespace acknowledgements acknowledgments
    dedication titlingpage figure* table* tabularx acks acknowledgement icmlauthorlist aug
    IEEEkeywords CCSXML highlights teaserfigure""".split()
)
"""Environments that state nothing: a document with no others has no results of its own."""
_HEAD = _LAYOUT | {"document"}
_THEOREMS = DEFAULT_THEOREMS.keys() | DEFAULT_PROOFS
_GOOD = ("print", "main", "paper", "article", "book", "manuscript", "ms", "thesis", "root")
_BAD = regex(r"(?:^|[_\-.])(?:web|debug|test|template|sample|example|standalone|diff|slides)", re.I)


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A document to review: its root file, and other documents that are read with it.

    `borrowed` are documents of which only the labels are needed.
    """

    path: str
    attached: tuple[str, ...] = ()
    borrowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """A document that was found and is not reviewed, and why."""

    path: str
    reason: str


Names = Callable[[str], frozenset[str]]
"""The labels and titles of a file, by which copies of its text are recognised."""


_NAMED = regex(
    r"\\(?:label|(?:part|chapter|(?:sub)*section|(?P<title>title))\*?(?:\[[^\[\]]*\])?)"
    r"\s*\{(?P<name>[^{}]+)\}"
)
_TITLE = "title: "


def names_in(text: str) -> tuple[str, ...]:
    """The labels and titles that are given literally in a file."""
    return tuple(
        dict.fromkeys(
            f"{_TITLE if match['title'] else ''}{' '.join(match['name'].split())}"
            for match in _NAMED.finditer(mask(text).text)
        )
    )


def _nameless(_: str) -> frozenset[str]:
    return frozenset()


def find_documents(
    surveys: Mapping[str, Survey],
    classes: Mapping[str, str],
    reached: Mapping[str, frozenset[str]],
    names: Names = _nameless,
) -> tuple[list[Root], list[Aside]]:
    """The roots among documents, and the documents left aside; `classes` are their classes.

    `reached` are the files that the body of each one includes. Slides are reviewed only if there
    is nothing else.
    """
    slides: list[str] = []
    candidates: list[str] = []
    parts: list[str] = []
    others: list[Aside] = []
    for path, document_class in classes.items():
        item = surveys[path]
        name = posixpath.basename(document_class)
        if name in _SLIDES:
            slides.append(path)
        elif name == "subfiles":
            parts.append(path)
        elif name not in _NO_PAPER:
            candidates.append(path)
        elif not _THEOREMS.isdisjoint(item.begun):
            others.append(Aside(path=path, reason=f"document class {name}"))
    asides = [*others, *(Aside(path=path, reason=SLIDES) for path in slides)]
    if not candidates and not parts:
        candidates, asides = slides, others
    current = _without_old_copies(candidates, reached, names)
    asides += [Aside(path=path, reason="old copy") for path in candidates if path not in current]
    is_open = _has_statement_macros(surveys)
    stating = {
        path: mine if is_open else _stating(surveys, mine)
        for path in current
        for mine in [reached[path] | {path}]
    }
    roots, rivals = _without_rivals(current, reached, stating)
    return _with_parts(roots, parts, surveys, reached), sorted(
        asides + rivals, key=lambda aside: aside.path
    )


def _without_old_copies(
    candidates: list[str], reached: Mapping[str, frozenset[str]], names: Names
) -> list[str]:
    """The documents without old copies, recognised by an old name and another one's text."""
    before = _earlier_versions(candidates)
    kept = [path for path in candidates if path not in before and not _OLD.search(path)]
    if not kept or len(kept) == len(candidates):
        return candidates
    texts: dict[str, frozenset[str]] = {}
    for path in sorted(set(candidates) - set(kept), reverse=True):
        for one in (path, *kept):
            if one not in texts:
                texts[one] = frozenset().union(*map(names, (one, *reached[one])))
        mine = texts[path]
        is_like = any(_is_like(mine, texts[other]) for other in kept)
        if not is_like and not _is_named_like(path, kept, is_nameless=not mine):
            kept.append(path)
    return [path for path in candidates if path in kept]


def _earlier_versions(paths: Iterable[str]) -> set[str]:
    """The paths with a later version: `v1/a.tex`, if there is `v2/a.tex`."""
    numbered: dict[str, list[tuple[int, str]]] = {}
    for path in paths:
        if match := _VERSION.search(path):
            bare = f"{path[: match.start('number')]}/{path[match.end('number') :]}"
            numbered.setdefault(bare, []).append((int(match["number"]), path))
    return {path for alike in numbered.values() for _, path in sorted(alike)[:-1]}


def _is_like(mine: frozenset[str], other: frozenset[str]) -> bool:
    """Whether a text with an old name is a copy: by its title, or by most of its names."""
    has_title = any(name.startswith(_TITLE) for name in mine & other)
    return has_title or 2 * len(mine & other) > len(mine)


def _is_named_like(path: str, others: Sequence[str], *, is_nameless: bool) -> bool:
    """Whether a name shows of which document one is a copy: `a_old.tex` of `a.tex`, and so on.

    For an old folder, if the text has no names, a document in the folder above is enough.
    """
    folder, _, name = path.rpartition("/")
    bare = f"{folder}/{_OLD.sub('', name.rpartition('.')[0])}.tex".lstrip("/")
    if bare in others:
        return True
    above = _OLD.sub("/", f"{folder}/").strip("/")
    if not is_nameless or f"{above}/{name}".lstrip("/") in others:
        return is_nameless
    parts = folder.split("/") if folder else []
    depth = next((index for index, part in enumerate(parts) if _OLD.search(part)), -1)
    around = "/".join(parts[:depth])
    return depth >= 0 and any(other.rpartition("/")[0] == around for other in others)


def classes_of(surveys: Mapping[str, Survey]) -> dict[str, str]:
    """The class of each file in which a document begins, in the order of their paths.

    A file that the preamble includes may set the class; a precompiled preamble has it elsewhere.
    """
    found: dict[str, str] = {}
    unnamed: list[str] = []
    for path in sorted(surveys):
        item = surveys[path]
        if item.body < 0 or not path.lower().endswith((".tex", ".ltx")):
            continue
        found[path] = item.document_class or _preamble_class(path, surveys)
        if not found[path]:
            unnamed.append(path)
    parts = [_followed(path, surveys) for path in found] if unnamed else []
    stated = _THEOREMS | {item.env for one in surveys.values() for item in one.theorems}
    read_in = frozenset[str]().union(*parts, _named_behind_macros(surveys) if unnamed else ())
    for path, name in tuple(found.items()):
        outer = {} if name and not _is_head(surveys[path]) else _begun_in(path, surveys)
        is_part = not name and (path in read_in or stated.isdisjoint(_begun(path, surveys)))
        if outer or is_part:
            del found[path]
        found |= outer
    return dict(sorted(found.items()))


_BEHIND_A_MACRO = regex(r"\\[A-Za-z]+(?:\{\})?/(?P<name>[^\\{}#]+)\Z")


def _named_behind_macros(surveys: Mapping[str, Survey]) -> Iterator[str]:
    r"""The files that others may include from a folder that a macro names: `\main/tex/one.tex`."""
    links = (link for item in surveys.values() for link in item.links if "\\" in link.target)
    found = (_BEHIND_A_MACRO.search(link.target) for link in links if link.relation == "input")
    tails = {f"/{match['name'].removesuffix('.tex')}.tex" for match in found if match}
    for path in surveys if tails else ():
        if any(f"/{path}".endswith(tail) for tail in tails):
            yield path


def _is_head(survey: Survey) -> bool:
    """Whether a file is only the beginning of a document, up to `\\begin{document}`."""
    reads_on = any(link.offset >= survey.body for link in survey.links)
    codes = [item.begin for item in survey.environments]
    codes += [item.macro.body for item in survey.macros]
    defined = {name for code in codes for name in _BEGUN.findall(code)}
    return (_HEAD | defined).issuperset(survey.begun) and not reads_on


def _begun_in(path: str, surveys: Mapping[str, Survey]) -> dict[str, str]:
    """The documents, with their classes, whose `\\begin{document}` is in a file they include."""
    found: dict[str, str] = {}
    for other, survey in surveys.items():
        if survey.body < 0 and path in _named_in(other, surveys):
            parts = (other, *_followed(other, surveys))
            found[other] = next(filter(None, (surveys[part].document_class for part in parts)), "")
    return {path: name for path, name in found.items() if name}


def _named_in(path: str, surveys: Mapping[str, Survey]) -> list[str | None]:
    """The files that a file includes directly; None for missing ones."""
    links = (link for link in surveys[path].links if link.relation == "input")
    return [resolve(link, path, (path, path), surveys) for link in links]


def _preamble_class(path: str, surveys: Mapping[str, Survey]) -> str:
    """The class set by the files that a file includes before its document begins; else ""."""
    body = surveys[path].body
    before = _followed(path, surveys, until=body)
    return next((surveys[name].document_class for name in before if surveys[name].body < 0), "")


def _followed(path: str, surveys: Mapping[str, Survey], until: int = -1) -> list[str]:
    """The files that a file includes, in order; only its own links before `until` count."""
    outline = outline_of(
        Root(path=path),
        surveys,
        lambda name: [
            link for link in surveys[name].links if name != path or until < 0 or link.offset < until
        ],
    )
    return [name for name in outline.order if name != path]


def _begun(path: str, surveys: Mapping[str, Survey]) -> set[str]:
    """The environments begun in a file and in those that it includes."""
    return {name for part in (path, *_followed(path, surveys)) for name in surveys[part].begun}


def _stating(surveys: Mapping[str, Survey], paths: Iterable[str]) -> frozenset[str]:
    """The files that may state results: they begin more than LaTeX's layout environments."""
    return frozenset(
        path for path in paths if path in surveys and not _LAYOUT.issuperset(surveys[path].begun)
    )


def stating(surveys: Mapping[str, Survey]) -> list[str]:
    """The files that begin a theorem or a proof, under a declared or a usual name."""
    declared = {item.env for survey in surveys.values() for item in survey.theorems}
    proving = {name for survey in surveys.values() for name in survey.proofs}
    names = declared | proving | _THEOREMS
    return [path for path in sorted(surveys) if not names.isdisjoint(surveys[path].begun)]


def _has_statement_macros(surveys: Mapping[str, Survey]) -> bool:
    """Whether a macro begins a theorem, so that a file's environments do not show its results."""
    declared = {item.env for survey in surveys.values() for item in survey.theorems}
    return any(
        not declared.isdisjoint(_BEGUN.findall(item.macro.body))
        for survey in surveys.values()
        for item in survey.macros
        if "begin" in item.macro.body
    )


def _without_rivals(
    candidates: Iterable[str],
    reached: Mapping[str, frozenset[str]],
    stating: Mapping[str, frozenset[str]],
) -> tuple[list[str], list[Aside]]:
    """The likeliest of documents with the same results (such as print and web), and the others.

    A document without its own results is left aside for one that shares its text.
    """
    roots: list[str] = []
    rivals: list[Aside] = []
    for path in sorted(candidates, key=lambda item: _rank(item, reached[item])):
        mine = reached[path] | {path}
        rival = next(
            (
                root
                for root in roots
                if (reached[root] | {root}) & mine and stating[path] <= stating[root]
            ),
            None,
        )
        if rival is None:
            roots.append(path)
        else:
            is_empty = bool(stating[rival]) and not stating[path]
            reason = UNSTATING if is_empty else f"{RIVAL} {rival}"
            rivals.append(Aside(path=path, reason=reason))
    return sorted(roots), rivals


def _rank(path: str, files: frozenset[str]) -> tuple[int, int, int, int, str]:
    stem = posixpath.basename(path).rsplit(".", 1)[0].lower()
    good = next((i for i, word in enumerate(_GOOD) if word == stem), len(_GOOD))
    return (1 if _BAD.search(stem) else 0, good, -len(files), path.count("/"), path)


def _with_parts(
    roots: list[str],
    parts: list[str],
    surveys: Mapping[str, Survey],
    reached: Mapping[str, frozenset[str]],
) -> list[Root]:
    """The roots, each with the subfiles that no root includes and that name it or are nearest."""
    read_in = frozenset().union(*(reached[root] for root in roots)) if roots else frozenset()
    for part in parts:
        if roots:
            read_in |= reached[part] if part in read_in else frozenset()
    inner = frozenset().union(*(reached[part] for part in parts)) if parts else frozenset()
    loose = [part for part in parts if part not in read_in and part not in inner]
    attached: dict[str, list[str]] = {root: [] for root in roots}
    alone: list[Root] = []
    for part in loose:
        named = surveys[part].class_options.strip()
        target = posixpath.normpath(posixpath.join(posixpath.dirname(part), named))
        root = next((r for r in roots if r in (target, target + ".tex")), None)
        root = root or _nearest(part, roots, reached)
        if root is None:
            alone.append(Root(path=part))
        else:
            attached[root].append(part)
    return [Root(path=root, attached=tuple(attached[root])) for root in roots] + alone


def _nearest(part: str, roots: Iterable[str], reached: Mapping[str, frozenset[str]]) -> str | None:
    above = [root for root in roots if _is_above(posixpath.dirname(root), part)]
    best = sorted(
        above, key=lambda root: (-len(posixpath.dirname(root)), _rank(root, reached[root]))
    )
    return best[0] if best else None


def _is_above(folder: str, path: str) -> bool:
    return not folder or path.startswith(folder + "/")


def join_documents(found: Iterable[Root], named: Mapping[str, frozenset[str]]) -> list[Root]:
    """The roots sorted by path; those that cite each other's labels (package xr) become one.

    `named` are the other documents that each root names.
    """
    groups: list[list[Root]] = []
    for root in found:
        mine = [group for group in groups if any(_is_named(root, other, named) for other in group)]
        groups = [group for group in groups if group not in mine]
        groups.append([*(other for group in mine for other in group), root])
    made = []
    for group in groups:
        first, *others = sorted(group, key=lambda root: _rank(root.path, frozenset()))
        attached = [path for root in others for path in (root.path, *root.attached)]
        made.append(Root(path=first.path, attached=(*first.attached, *attached)))
    return sorted(made, key=lambda root: root.path)


def _is_named(one: Root, other: Root, named: Mapping[str, frozenset[str]]) -> bool:
    return one.path in named.get(other.path, ()) or other.path in named.get(one.path, ())


Surveys = Mapping[str, Survey]


def documents(
    surveys: Surveys,
    is_own: Callable[[str], bool] = bool,
    names: Names = _nameless,
    content: Callable[[str], str] = str,
) -> tuple[list[Root], list[Aside]]:
    """The documents to review, and those left aside; only `is_own` files can be documents.

    `names` is called only if a document may be an old copy of another; `content` is equal for
    files with the same bytes. If no file is a document, as with fragments, all files together are
    one.
    """
    classes = {path: name for path, name in classes_of(surveys).items() if is_own(path)}
    is_only = len(classes) == 1  # then it has no parts or rivals
    reached = {path: frozenset() if is_only else _reached(path, surveys) for path in classes}
    twins = {} if is_only else _twins(classes, reached, surveys, content)
    for path in twins:
        del classes[path]
    found, asides = find_documents(surveys, classes, reached, names)
    for path, other in twins.items():
        asides.append(Aside(path=path, reason=f"{RIVAL} {other}"))
    if not found:
        sources = (path for path in surveys if path.lower().endswith((".tex", ".ltx")))
        loose = sorted(filter(is_own, sources))
        return [Root(path=loose[0], attached=tuple(loose[1:]))] if loose else [], asides
    named = {root.path: _named(root.path, surveys) for root in found} if len(found) > 1 else {}
    asides += _whole_again(found, classes, surveys, is_own)
    return join_documents(found, named), sorted(asides, key=lambda aside: aside.path)


def _twins(
    classes: Mapping[str, str],
    reached: Mapping[str, frozenset[str]],
    surveys: Surveys,
    content: Callable[[str], str],
) -> dict[str, str]:
    """The documents whose sources all occur in a document in another folder, with the latter.

    Old copies by name, slides and parts are left out, because they are recognised otherwise.
    """
    alike: dict[str, list[str]] = {}
    for path, name in classes.items():
        is_apart = posixpath.basename(name) in _SLIDES | {"subfiles"} or _OLD.search(path)
        if not is_apart and not _VERSION.search(path):
            alike.setdefault(content(path), []).append(path)
    found: dict[str, str] = {}
    for paths in alike.values():
        if len(paths) == 1:
            continue
        texts = {path: {*map(content, (path, *_followed(path, surveys)))} for path in paths}
        kept: list[str] = []
        for path in sorted(paths, key=lambda item: _rank(item, reached[item])):
            others = (other for other in kept if texts[path] <= texts[other])
            folder = posixpath.dirname(path)
            other = next((other for other in others if posixpath.dirname(other) != folder), None)
            if other is None:
                kept.append(path)
            else:
                found[path] = other
    return found


def _whole_again(
    found: Iterable[Root], classes: Container[str], surveys: Surveys, is_own: Callable[[str], bool]
) -> Iterator[Aside]:
    r"""The files that only include a whole document, perhaps after options: `\input main`."""
    roots = {root.path for root in found}
    sources = [path for path in surveys if path.lower().endswith((".tex", ".ltx"))]
    named = {path: _named_in(path, surveys) for path in sources}
    read_in = {target for listed in named.values() for target in listed}
    for path in sources:
        root = next((target for target in named[path] if target in roots), None)
        if root and is_own(path) and path not in read_in and path not in classes:
            yield Aside(path=path, reason=f"{RIVAL} {root}")


_SEARCHED = "input@path"
_ALL_READ: Mapping[str, str] = {}


def outline_of(
    root: Root,
    surveys: Surveys,
    links: Callable[[str], Iterable[FileLink]],
    unread: Mapping[str, str] = _ALL_READ,
    folders: Container[str] = (),
    symbolic: Mapping[str, str] = _ALL_READ,
) -> IncludeGraph:
    """The include graph of a document, by the links of each file.

    `unread` are unreadable files with reasons, `symbolic` are symbolic links with their targets.
    """
    return trace(
        root.path,
        attached=root.attached,
        borrowed=root.borrowed,
        links=links,
        body=lambda path: surveys[path].body,
        files=Files(surveys, unread, folders, symbolic, partial(_is_searched, surveys)),
    )


def _is_searched(surveys: Surveys) -> bool:
    """Whether a file sets the folders in which LaTeX looks for files."""
    return any(
        item.name == _SEARCHED or _SEARCHED in item.macro.body
        for survey in surveys.values()
        for item in survey.macros
    )


def _reached(path: str, surveys: Surveys) -> frozenset[str]:
    """The files that a document includes after its `\\begin{document}`."""
    body = surveys[path].body
    outline = outline_of(
        Root(path=path),
        surveys,
        lambda name: [link for link in surveys[name].links if name != path or link.offset >= body],
    )
    return frozenset(outline.order) - {path}


def readers_by_stem(surveys: Surveys) -> dict[str, set[str]]:
    """The files that include a file, by its name without folder and extension."""
    found: dict[str, set[str]] = {}
    for path, survey in surveys.items():
        for link in survey.links:
            if link.relation == "input":
                found.setdefault(_stem(link.target), set()).add(path)
    return found


def documents_with(path: str, surveys: Surveys, readers: Mapping[str, set[str]]) -> list[str]:
    """The documents that may include a file, whatever the folder, and the file if it is one."""
    found: dict[str, None] = {}
    seen, waiting = {path}, [path]
    while waiting:
        part = waiting.pop()
        if surveys[part].body >= 0:
            found[part] = None
        fresh = readers.get(_stem(part), set()) - seen
        waiting += sorted(fresh)
        seen |= fresh
    return list(found)


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".tex").removesuffix(".ltx")


def named_root(path: str, surveys: Surveys) -> Root:
    """The document of a root file, with those whose labels it cites, even indirectly."""
    found: dict[str, None] = {path: None}
    waiting = [path]
    while waiting:
        fresh = sorted(_named(waiting.pop(0), surveys) - found.keys())
        found.update(dict.fromkeys(fresh))
        waiting += fresh
    return Root(path=path, borrowed=tuple(found)[1:])


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
