"""Which files of a paper go to arXiv: those that LaTeX reads, and those that they name.

Sources are chosen by the files that input them; figures, bibliographies and the like by the
commands that name them. Everything else stays at home, and is listed. Files outside of the main
file's folder move inside, and sources use their new names.

Also packs files into one archive, with the same bytes for the same files.
"""

import gzip
import io
import json
import posixpath
import tarfile
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.mask import mask
from pfcore.papers.paper import Paper
from pfcore.papers.tex_engine import (
    ENGINES,
    engine_of,
    is_for_dvips,
    is_for_pdftex,
    named_engine,
)
from pfcore.repository.source_files import FIGURES, decode
from pfcore.review.files_read import files_read, named_by

CLEANED = (".tex", ".ltx", ".tikz")
_BODY = regex(
    r"\\(?:[egx]?def\s*\\[A-Za-z@]+|(?:re)?newcommand\*?\s*\{?\\[A-Za-z@]+\}?)"
    r"\s*\{([^{}]{1,300})\}"
)
"""A macro with words as its body, such as the name of a file that a package reads."""
_WRITTEN = (".aux", ".log", ".out", ".toc", ".lof", ".lot", ".nav", ".snm", ".bcf", ".bib", ".xml")
"""Files that LaTeX writes and reads again, or that only other programs read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The files to upload, as paths of the repository, each with its name in the upload.

    arXiv compiles in the folder of the main file, `folder`, which it does not see; files outside of
    it move inside, and names that arXiv does not accept are changed. `left` are the files below the
    folder that stay at home; `bibliography` is the .bbl, if any. `shown` are sources that are
    printed as they are, as listings. `cited` are main files whose labels its sources read with
    package xr. `homes` are the folders relative to which files name others, if not `folder`: each
    of several main files has its own.
    """

    folder: str
    root: str
    names: Mapping[str, str]
    left: tuple[str, ...]
    bibliography: str | None
    shown: frozenset[str] = frozenset()
    cited: tuple[str, ...] = ()
    homes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def files(self) -> tuple[str, ...]:
        """The paths of the files to upload."""
        return tuple(sorted(self.names))

    def inside(self, path: str) -> str:
        """The name of a file in the upload, or what it would be."""
        return self.names.get(path, path.removeprefix(self.folder))

    @property
    def renamed(self) -> dict[str, str]:
        """The new names of files that are renamed in the upload, by their names in sources."""
        called = {path: posixpath.relpath(path, self.folder or ".") for path in self.names}
        return {called[path]: name for path, name in self.names.items() if called[path] != name}


def main_files(paper: Paper) -> tuple[str, ...]:
    """The main files of a paper that are uploaded: the root, and those whose labels it shares.

    A paper and its supplement may read each other's labels with package xr.
    """
    outline = paper.outline
    others = (target for _, target in outline.prefixes)
    starts = (start for start in outline.starts.values() if _reads_labels(paper, start))
    found = dict.fromkeys((paper.root, *others, *starts))
    return tuple(path for path in found if path not in outline.borrowed)


def _reads_labels(paper: Paper, start: str) -> bool:
    """Whether a document cites the labels of another one."""
    links = (
        link
        for path in (start, *_read_from(paper, start))
        for link in (paper.surveys[path].links if path in paper.surveys else ())
    )
    return any(link.relation == "external" for link in links)


def _read_from(paper: Paper, start: str) -> set[str]:
    """A main file and all files that it inputs, directly or indirectly."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += (item.path for item in paper.outline.inclusions.get(path, ()))
    return found


def sources_of(paper: Paper, root: str) -> list[str]:
    """The sources that a main file reads; for the paper's root, all that no other one has.

    A part that could be compiled by itself, and that no file inputs, stays at home.
    """
    mine = _read_from(paper, root)
    if root == paper.root:
        mains = main_files(paper)
        others = {*mains, *paper.outline.borrowed} - {root}
        theirs = {path for other in others for path in _read_from(paper, other)}
        starts = paper.outline.starts
        mine |= {
            path for path in set(paper.outline.order) - theirs if starts.get(path, root) in mains
        }
    return [path for path in paper.outline.order if path in mine]


def upload(
    paper: Paper, regular: Iterable[str], read: Collection[str] = (), *, root: str | None = None
) -> Upload:
    """Choose among the regular files of the commit; IncompleteError if arXiv could not compile it.

    `read` are files that TeX has read: they are included, except those that it writes itself.
    `root` is the main file, if it is not the paper's root.
    """
    root = root or paper.root
    if paper.is_markup:
        raise UsageError(f"{paper.root} is not LaTeX, so no bundle can be made")
    folder = root[: root.rfind("/") + 1]
    there = sorted(regular)
    below = [path for path in there if path.startswith(folder)]
    sources = sources_of(paper, root)
    if absent := sorted(set(sources).difference(there)):
        raise IncompleteError(
            f"the commit lacks {absent[0]} (a submodule has its own files); no bundle written"
        )
    texts = {path: mask(paper.source(path)) for path in sources}
    meant = {match[1].strip() for item in texts.values() for match in _BODY.finditer(item.text)}
    stem = root.rpartition(".")[0]
    cited = tuple(_cited_from(paper, sources))  # xr opens these, and reads only their labels
    seen = {path for path in read if not path.lower().endswith(_WRITTEN)} - {*cited}
    seen = seen.intersection(there)
    styles = _texts(paper, (path for path in seen - {*sources} if path.endswith(_PARTS)))
    known = {path: item.text for path, item in texts.items()} | styles
    named = _named(paper, root, known, there)
    chosen = {*sources, *named}
    chosen |= {path for path in below if _is_meant(path.removeprefix(folder), meant)}
    chosen |= seen
    ways = _ways_up(folder, {path: item.printed for path, item in texts.items()})
    upwards = {path for path in chosen if _is_meant_upwards(path, ways)}
    if f"{stem}.bbl" in below:
        chosen = {path for path in chosen if not path.endswith(".bib")} | {f"{stem}.bbl"}
    chosen |= {path for path in below if is_readme(path.removeprefix(folder))}
    return Upload(
        folder=folder,
        root=root,
        names=_names(folder, sorted(chosen), upwards, _styles_called(paper)),
        left=tuple(path for path in below if path not in chosen),
        bibliography=f"{stem}.bbl" if f"{stem}.bbl" in chosen else None,
        shown=frozenset(path for path, is_shown in named.items() if is_shown) - {*sources},
        cited=cited,
    )


def _cited_from(paper: Paper, sources: Collection[str]) -> Iterator[str]:
    """The main files whose labels some sources read."""
    roots = dict.fromkeys(target for _, target in paper.outline.prefixes)
    for path in sources:
        links = paper.surveys[path].links if path in paper.surveys else ()
        names = [link.target for link in links if link.relation == "external"]
        yield from (root for root in roots if any(_is_called(name, root) for name in names))


def _is_called(name: str, root: str) -> bool:
    """Whether a name from which labels are read, with or without a suffix, is a main file's."""
    return _stem(root) in (posixpath.basename(name), _stem(name))


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


_PARTS = (".sty", ".cls", ".clo", ".def", ".cfg", ".ldf")
"""Parts of classes and packages, which may have figures of their own, such as a logo."""
_DRAWN = (".tex", ".tikz", ".pgf", ".pdf_tex", ".eps_tex", ".svg_tex", ".pstex_t", ".pdf_t")
"""Sources of figures, which name other files in turn."""


def _named(
    paper: Paper, root: str, texts: Mapping[str, str], there: Sequence[str]
) -> dict[str, bool]:
    """The files that commands of the sources read, and whether each is only shown."""
    known = dict(texts)
    folder, job = posixpath.dirname(root), _stem(root)
    while True:
        folders = [folder, *map(posixpath.dirname, known)]
        names = files_read(known.values(), job)
        found = named_by(names, there, folders, _below(folder or "."))
        drawn = [
            path
            for path, is_shown in found.items()
            if not is_shown and path not in known and path.lower().endswith((*_DRAWN, *_PARTS))
        ]
        if not drawn:
            return found
        known |= _texts(paper, drawn)


def _texts(paper: Paper, paths: Iterable[str]) -> dict[str, str]:
    """The texts of files of the commit, without comments."""
    listed = list(paths)
    data = paper.snapshot.contents(listed, limit=paper.snapshot.limits.file_bytes)
    return {path: mask(decode(data.get(path, b"")).text).text for path in listed}


def joined(uploads: Sequence[Upload]) -> Upload:
    """The upload of several main files, each shared file once; its root is the first of them.

    arXiv builds all of them in one folder. Files of other folders move there; one whose name is
    taken goes into a subfolder with the name of its own folder.
    """
    first = uploads[0]
    names: dict[str, str] = {}
    homes: dict[str, dict[str, None]] = {}
    for item in uploads:
        taken = {name.lower() for name in names.values()}
        mains = {item.root, item.bibliography}
        for path, name in item.names.items():
            homes.setdefault(path, {})[item.folder] = None
            made = name
            if path not in names and name.lower() in taken:
                apart = item.folder.rstrip("/") or "root"
                made = f"{apart.replace('/', '-')}-{name}" if path in mains else f"{apart}/{name}"
            names.setdefault(path, "/".join(map(_accepted, made.split("/"))))
    taken_twice = Counter(name.lower() for name in names.values())
    for path, name in names.items():
        if taken_twice[name.lower()] > 1:
            message = f"{path} and another file would have the same name in the bundle, {name}"
            raise IncompleteError(f"{message}: rename one")
    found = (item.bibliography for item in uploads if item.bibliography)
    left = dict.fromkeys(path for item in uploads for path in item.left)
    return Upload(
        folder=first.folder,
        root=first.root,
        names=names,
        left=tuple(path for path in left if path not in names),
        bibliography=next(found, None),
        shown=frozenset.intersection(*(item.shown for item in uploads)),
        cited=tuple(dict.fromkeys(root for item in uploads for root in item.cited)),
        homes={path: tuple(into) for path, into in homes.items() if {*into} != {first.folder}},
    )


_UP = regex(r"(?:\./)*(?:\.\./)+[^{},\"\s\\]*")


def _ways_up(folder: str, texts: Mapping[str, str]) -> set[str]:
    """The paths with `../` in sources, relative to the main file's folder or to their own."""
    return {
        posixpath.normpath(posixpath.join(base, token))
        for path, text in texts.items()
        for token in _UP.findall(text)
        for base in (folder, posixpath.dirname(path))
    }


def _is_meant_upwards(path: str, ways: Collection[str]) -> bool:
    """Whether a file is one of those, with or without its suffix, or is in one."""
    stem = posixpath.splitext(path)[0]
    return any(way in (path, stem) or path.startswith(_below(way)) for way in ways)


def _below(folder: str) -> str:
    """The prefix of the paths in a folder."""
    return "" if folder == "." else f"{folder}/"


def _styles_called(paper: Paper) -> set[str]:
    """The packages and classes that the paper and its own styles load, as they name them."""
    surveys = (paper.surveys[path] for path in paper.outline.order if path in paper.surveys)
    links = (link for survey in surveys for link in survey.links)
    return {
        posixpath.splitext(link.target)[0] if link.target.endswith(_STYLES) else link.target
        for link in links
        if link.relation in ("package", "class")
    }


_STYLES = (".sty", ".cls")


def _is_searched(name: str, styles: Collection[str]) -> bool:
    """Whether a style in a folder is loaded by its base name, so that settings outside find it."""
    stem, suffix = posixpath.splitext(name)
    is_in_folder = "/" in name and suffix in _STYLES
    return is_in_folder and posixpath.basename(stem) in styles and stem not in styles


def _names(
    folder: str, chosen: Sequence[str], upwards: Collection[str], styles: Collection[str]
) -> dict[str, str]:
    """The name of each file in the upload, unique even without regard to case."""
    found: dict[str, str] = {}
    for path in chosen:
        if path.startswith(folder):
            name = path.removeprefix(folder)
            if _is_searched(name, styles):
                name = posixpath.basename(name)
        elif path in upwards:
            name = path.removeprefix(_common(folder, path))
        else:  # settings outside of LaTeX find it by its base name
            name = posixpath.basename(path)
        found[path] = "/".join(map(_accepted, name.split("/")))
    found = _numbered(found, folder)
    taken = Counter(name.lower() for name in found.values())
    twice = [path for path, name in found.items() if taken[name.lower()] > 1]
    if twice:
        listed = " and ".join(twice[:2])
        message = f"{listed} would have the same name in the bundle, {found[twice[0]]}: rename one"
        raise IncompleteError(message)
    return found


def _numbered(names: Mapping[str, str], folder: str) -> dict[str, str]:
    """The names, with equal ones of figures and texts numbered; an unchanged name is kept."""
    found = dict(names)
    by_name: dict[str, list[str]] = {}
    for path, name in names.items():
        by_name.setdefault(name.lower(), []).append(path)
    for paths in by_name.values():
        if len(paths) == 1 or not all(
            path.lower().endswith((*FIGURES, *CLEANED)) for path in paths
        ):
            continue
        first = max(paths, key=lambda path: (path == f"{folder}{names[path]}", path))
        for path in paths:
            stem, suffix = posixpath.splitext(names[path])
            numbers = iter(range(2, len(names) + 2))
            taken = {name.lower() for name in found.values()}
            if path != first:
                made = (f"{stem}-{number}{suffix}" for number in numbers)
                found[path] = next(name for name in made if name.lower() not in taken)
    return found


def _common(folder: str, path: str) -> str:
    """The folders that a path shares with that of the main file, with their slash."""
    shared = ""
    for part in folder.split("/"):
        if not part or not path.startswith(f"{shared}{part}/"):
            break
        shared += f"{part}/"
    return shared


_FOREIGN = regex(r"[^A-Za-z0-9_+\-.,=]+")


def _accepted(part: str) -> str:
    """A part of a name in the form that arXiv accepts."""
    plain = unicodedata.normalize("NFKD", part).encode("ascii", "ignore").decode()
    stem, suffix = posixpath.splitext(plain)
    made = _FOREIGN.sub("-", stem).strip("-") or "file"
    return (made if made[0].isalnum() or made[0] == "_" else f"_{made}") + suffix


def labels_name(chosen: Upload, root: str) -> str:
    """The name of the file with a main file's labels in an upload; arXiv deletes its .aux."""
    return f"{_stem(chosen.inside(root))}-labels.aux"


_EXTERNAL = regex(
    r"\\(?:z?externaldocument|externalcitedocument)\*?\s*(?:\[[^\[\]]*\]\s*){0,2}"
    r"\{(?P<name>[^{}\\#%]{1,300})\}"
)


def with_labels(chosen: Upload, text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A source that reads labels of other documents from the upload's files, and the changes."""
    printed = mask(text).printed
    pieces: list[str] = []
    changes: dict[tuple[str, str], None] = {}
    done = 0
    for match in _EXTERNAL.finditer(printed):
        name = match["name"].strip()
        root = next((item for item in chosen.cited if _is_called(name, item)), None)
        if root is not None:
            new = posixpath.splitext(labels_name(chosen, root))[0]
            pieces += [text[done : match.start("name")], new]
            done = match.end("name")
            changes[name, new] = None
    return "".join((*pieces, text[done:])), tuple(changes)


_TOKEN = regex(r"(?P<before>[{,]\s*\"?|\\input\s+\"?)(?P<name>[^{},\\#%\"\n]{1,300})")


def rewritten(chosen: Upload, path: str, text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A source with the names of the upload, and the replacements; line numbers stay the same."""
    homes = chosen.homes.get(path, (chosen.folder,))
    moved = {
        item
        for item, name in chosen.names.items()
        if any(posixpath.relpath(item, home or ".") != name for home in homes)
    }
    if not moved and "../" not in text:
        return text, ()
    printed = mask(text).printed
    pieces: list[str] = []
    changes: dict[tuple[str, str], None] = {}
    done = 0
    for match in _TOKEN.finditer(printed):
        name = match["name"].strip()
        new = _renamed(chosen, path, name, moved) if name else None
        if new is None and name and not _stays(chosen, path, name):
            opened = (
                printed.rfind("{", 0, match.start("name")) if match["before"][0] in "{," else -1
            )
            before = printed[max(0, opened - 99) : opened] if opened >= 0 else "\\input"
            is_file = _SUFFIX.search(name) or _NAMES_FILE.search(before)
            new = _by_last_part(chosen, name, moved) if is_file else None
        if new is not None and new != name:
            start = match.start("name") + len(match["name"]) - len(match["name"].lstrip())
            pieces += [text[done:start], new]
            done = start + len(name)
            changes[name, new] = None
    return "".join((*pieces, text[done:])), tuple(changes)


def _renamed(chosen: Upload, path: str, name: str, moved: Collection[str]) -> str | None:
    """The new name in a source of a file in the upload; None if the name is not that of a file."""
    tail = "/" if name.endswith("/") else ""
    bare = name.removeprefix("./")
    if posixpath.normpath(bare).startswith("../") or "/../" in bare:
        # also a path that leaves a folder and returns: its folders may be named differently there
        moved = [*moved, *sorted(chosen.names.keys() - set(moved))]
    above = posixpath.dirname(path)
    homes = chosen.homes.get(path, (chosen.folder,))
    for base, here in (*((home, "") for home in homes), (f"{above}/".lstrip("/"), path)):
        target = posixpath.normpath(f"{base}{bare}")
        for item in moved:
            stem, _ = posixpath.splitext(item)
            is_folder = item.startswith(_below(target)) and (tail or ".." in bare)
            if target not in (item, stem) and not is_folder:
                continue
            new = chosen.names[item]
            seen = posixpath.relpath(new, posixpath.dirname(chosen.inside(path)) or ".")
            if here and seen == posixpath.relpath(item, above or "."):
                continue  # its path relative to this file is unchanged
            if is_folder:
                depth = item[len(_below(target)) :].count("/") + 1
                new = "/".join(new.split("/")[:-depth]) or "."
            elif target == stem:
                new = posixpath.splitext(new)[0]
            if here:
                new = posixpath.relpath(new, posixpath.dirname(chosen.inside(here)) or ".")
            return f"{new}{tail}"
    return None


_SUFFIX = regex(r"/|\.[A-Za-z]{2,4}\Z")
_NAMES_FILE = regex(
    r"\\[A-Za-z@]*(?:graphic|[Ii]nput|include|file|import|fig|im(?:age|g)|pic|plot|pdf|svg|logo|pst|eps)"
    r"[A-Za-z@]*\*?\s*(?:\[[^\[\]]{0,80}\]?\s*){0,2}\Z"
)
"""A command for files before a name; words in braces after other commands are not names."""


def _stays(chosen: Upload, path: str, name: str) -> bool:
    """Whether a name in a source means a file that has the same name in the upload."""
    bare = name.removeprefix("./")
    homes = (*chosen.homes.get(path, (chosen.folder,)), f"{posixpath.dirname(path)}/".lstrip("/"))
    return any(
        f"{home}{bare}" in (item, posixpath.splitext(item)[0]) and item == f"{home}{inside}"
        for home in homes
        for item, inside in chosen.names.items()
    )


def _by_last_part(chosen: Upload, bare: str, moved: Collection[str]) -> str | None:
    """The new name of a file searched in folders set elsewhere, if its last part changed."""
    for item in moved:
        old, new = posixpath.basename(item), posixpath.basename(chosen.names[item])
        for have, want in ((old, new), (posixpath.splitext(old)[0], posixpath.splitext(new)[0])):
            if have != want and (bare == have or bare.endswith(f"/{have}")):
                return f"{bare[: len(bare) - len(have)]}{want}"
    return None


def _is_meant(path: str, meant: set[str]) -> bool:
    """Whether the body of some macro is the name of a source."""
    return path.endswith(".tex") and not meant.isdisjoint({path, path.removesuffix(".tex")})


_LUA = regex(r"\\usepackage(?:\[[^\]]*\])?\{[^}]*\b(?:luacode|luatexja|luatextra)\b")
_POSTSCRIPT = (".eps", ".ps")
_PICTURES = (".pdf", ".png", ".jpg", ".jpeg")


def arxiv_compiler(paper: Paper, files: Iterable[str]) -> str:
    """The program that arXiv should run, by its name in 00README.

    IncompleteError for LuaLaTeX, which arXiv does not run. Figures that are only PostScript need
    LaTeX with DVI: arXiv does not convert them for pdfLaTeX, even if a TeX at home does.
    https://info.arxiv.org/help/00README.html
    """
    engine = engine_of(paper)
    named = named_engine(paper.source(paper.root))
    if named and named[0] not in (*ENGINES, "lualatex"):
        raise IncompleteError(
            f"{paper.root} names the engine {named[0]}, which arXiv does not run: it accepts "
            "pdfLaTeX, XeLaTeX, or LaTeX with PostScript figures"
        )
    if engine == "lualatex" or any(_LUA.search(paper.source(path)) for path in paper.readings):
        raise IncompleteError(
            f"{paper.root} needs LuaLaTeX, which arXiv does not run: it accepts pdfLaTeX, "
            "XeLaTeX, or LaTeX with PostScript figures"
        )
    if engine != "pdflatex" or is_for_pdftex(paper):
        return engine
    forms = _forms(files)
    return (
        "latex" if is_for_dvips(paper) or (forms.only_postscript and not forms.others) else engine
    )


class _FigureForms(NamedTuple):
    """The figures of an upload: only PostScript, both forms, others.

    `both` pairs each PostScript file with the one that pdfLaTeX reads.
    """

    only_postscript: tuple[str, ...]
    both: tuple[tuple[str, str], ...]
    others: tuple[str, ...]


_CONVERTED = "-eps-converted-to"
"""The ending that epstopdf adds to the names of its output."""


def _forms(files: Iterable[str]) -> _FigureForms:
    found: dict[str, dict[bool, str]] = {}
    for path in sorted(files):
        stem, suffix = posixpath.splitext(path)
        if suffix.lower() in (*_POSTSCRIPT, *_PICTURES):
            is_postscript = suffix.lower() in _POSTSCRIPT
            found.setdefault(stem.removesuffix(_CONVERTED), {}).setdefault(is_postscript, path)
    return _FigureForms(
        tuple(item[True] for item in found.values() if len(item) == 1 and True in item),
        tuple((item[True], item[False]) for item in found.values() if len(item) == 2),
        tuple(item[False] for item in found.values() if len(item) == 1 and False in item),
    )


def compiler_reason(papers: Sequence[Paper], files: Collection[str]) -> str:
    """Why arXiv should run the chosen program, if figures or the source decide; else ""."""
    compiler = arxiv_compiler(papers[0], files)
    only, both, others = _forms(files)
    if compiler == "xelatex":
        return "its source asks for XeLaTeX"
    if compiler == "latex":
        if is_for_dvips(papers[0]):
            return "its source has the option dvips"
        return (
            f"{_some_are(only)} PostScript, which pdfLaTeX does not read and arXiv does not "
            "convert; add a .pdf of each figure, and the gate chooses pdfLaTeX"
        )
    if compiler == "pdflatex" and (only or both) and is_for_pdftex(papers[0]):
        return "its source asks for PDF output"
    if compiler == "pdflatex" and only:
        return (
            f"{_some_are(others)} not PostScript; convert {', '.join(only)} to PDF: arXiv does "
            f"not convert {'it' if len(only) == 1 else 'them'} for pdflatex"
        )
    if compiler == "pdflatex" and both:
        (old, new), *more = both
        rest = f", and likewise for {len(more):,} more" if more else ""
        return f"{new} is read instead of {old}{rest}"
    return ""


def _some_are(names: Sequence[str]) -> str:
    """One or two names, or the first and how many more, with the verb that they take."""
    if len(names) == 1:
        return f"{names[0]} is"
    few = " and ".join(names) if len(names) == 2 else f"{names[0]} and {len(names) - 1:,} more"
    return f"{few} are"


def common_compiler(papers: Sequence[Paper], files: Collection[str]) -> str:
    """The program that arXiv should run for all main files; IncompleteError if they differ.

    A submission names one compiler.
    """
    found = {arxiv_compiler(paper, files): paper.root for paper in papers}
    if len(found) > 1:
        (one, first), (other, second), *_ = found.items()
        message = f"{first} needs {one} and {second} needs {other}, but arXiv runs only one"
        raise IncompleteError(f"{message}: make two bundles")
    return next(iter(found))


_README = "00README.json"
_OLD_README = ".xxx"
_IGNORED_READMES = (".yml", ".yaml", ".jsn", ".ndjson", ".toml")
"""Suffixes that arXiv once read and now ignores."""
_RUN_BY_ARXIV = {"latex+dvips_ps2pdf": "latex"} | {
    name: name for name in ("pdflatex", "latex", "xelatex")
}
_OLD_WORDS: Mapping[str, tuple[str, object]] = {
    "toplevelfile": ("usage", "toplevel"),
    "ignore": ("usage", "ignore"),
    "include": ("usage", "include"),
    "append": ("usage", "append"),
    "keepcomments": ("keep_comments", True),
    "landscape": ("orientation", "landscape"),
}
"""The fields in the new form for words after a file's name in the old one."""
_OLD_SWITCHES: Mapping[str, tuple[str, bool]] = {
    "nostamp": ("stamp", False),
    "nohyperref": ("nohyperref", True),
}


def is_readme(name: str) -> bool:
    """Whether a file of an upload is a 00README for arXiv, in any case."""
    stem, suffix = posixpath.splitext(name)
    return stem.upper() == "00README" and suffix.lower() in (".json", _OLD_README)


class OwnReadme(NamedTuple):
    """A paper's own 00README, as fields of the JSON form.

    `compiler` is "" if it names none, `words` are messages about it; `data` is the file, None if
    there is none in this form.
    """

    fields: Mapping[str, object]
    compiler: str = ""
    words: tuple[str, ...] = ()
    data: bytes | None = None


def own_readme(
    files: Mapping[str, bytes], left: Iterable[str], moved: Mapping[str, str]
) -> OwnReadme:
    """The contents of the paper's own files for arXiv; IncompleteError if arXiv would reject them.

    `files` are those by their names in the upload, `left` the names of files that stay at home,
    `moved` the new names of renamed files.
    https://info.arxiv.org/help/00README.html
    """
    words = [
        f"{name} is left out: arXiv now reads only {_README}, which is made here"
        for name in left
        if name.upper().startswith("00README.") and name.lower().endswith(_IGNORED_READMES)
    ]
    whole = {name: data for name, data in files.items() if data.strip()}
    new = [name for name in whole if not name.lower().endswith(_OLD_README)]
    old = [name for name in whole if name not in new]
    for names in (new, old):
        if len(names) > 1:
            raise _unfit(f"arXiv accepts only one of {' and '.join(names)}")
    if new:
        words += [f"{name} is left out: arXiv reads only {_README}" for name in old]
        fields = _fields(new[0], whole[new[0]])
        data = whole[new[0]]
    elif old:
        words.append(f"{old[0]} is rewritten as {_README}, which arXiv reads instead")
        fields, data = _from_old_form(old[0], whole[old[0]]), None
    else:
        return OwnReadme({}, words=tuple(words))
    for item in _entries(fields):
        if item["filename"] in moved:
            item["filename"] = moved[str(item["filename"])]
            data = None if data is None else json.dumps(fields).encode()
    process = fields.get("process")
    named = process.get("compiler", "") if isinstance(process, dict) else ""
    if named and named not in _RUN_BY_ARXIV:
        raise _unfit(
            f"{(new or old)[0]} sets the compiler {named}; expected pdflatex, latex or xelatex"
        )
    return OwnReadme(fields, _RUN_BY_ARXIV.get(named, ""), tuple(words), data)


def _unfit(why: str) -> IncompleteError:
    return IncompleteError(f"{why}; no bundle written")


def _fields(name: str, data: bytes) -> dict[str, object]:
    """The fields of the JSON form; IncompleteError if the file is not in this form."""
    try:
        found = json.loads(data)
    except ValueError as error:
        raise _unfit(f"{name} is not valid JSON: correct it, or delete it") from error
    process = found.get("process", {}) if isinstance(found, dict) else None
    listed = found.get("sources", []) if isinstance(found, dict) else None
    is_fit = (
        isinstance(process, dict)
        and isinstance(process.get("compiler", ""), str)
        and isinstance(listed, list)
        and all(isinstance(item, dict) and isinstance(item.get("filename"), str) for item in listed)
    )
    if not is_fit:
        raise _unfit(f"{name} is not in the format that arXiv reads: correct it, or delete it")
    return dict(found)


def _from_old_form(name: str, data: bytes) -> dict[str, object]:
    """The same for 00README.XXX: lines with a file and a word, or only a word."""
    entries: dict[str, dict[str, object]] = {}
    fields: dict[str, object] = {}
    fonts: list[str] = []
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        parts = line.split()
        if len(parts) == 1 and parts[0] in _OLD_SWITCHES:
            key, value = _OLD_SWITCHES[parts[0]]
            fields[key] = value
        elif len(parts) == 2 and parts[1] == "fontmap":
            fonts.append(parts[0])
        elif len(parts) == 2:
            if parts[1] not in _OLD_WORDS:
                raise _unfit(f"{name}:{number} has the unknown word {parts[1]}: correct it")
            key, said = _OLD_WORDS[parts[1]]
            entries.setdefault(parts[0], {"filename": parts[0]})[key] = said
    fields |= {"process": {"fontmaps": fonts}} if fonts else {}
    return fields | ({"sources": list(entries.values())} if entries else {})


def _entries(fields: Mapping[str, object]) -> list[dict[str, object]]:
    found = fields.get("sources")
    return found if isinstance(found, list) else []


def readme(
    roots: Sequence[str], compiler: str, own: OwnReadme, there: Collection[str]
) -> tuple[bytes, tuple[str, ...]]:
    """The 00README.json for arXiv, in the first version of its form, and messages about it.

    It names main files and compiler, with the entries of the paper's own one for files that are
    `there`. IncompleteError if that one names other main files.
    """
    listed = _entries(own.fields)
    tops = [str(item["filename"]) for item in listed if _is_top(item)]
    lacking = [root for root in roots if root not in tops] if tops else []
    if lacking:
        why = f"{_README} does not name {', '.join(lacking)}, so arXiv would not build it"
        raise _unfit(f"{why}: add it there, or delete that file")
    if more := [name for name in tops if name not in roots]:
        why = f"{_README} also names {more[0]} as a main file"
        raise _unfit(f"{why}: choose it with --root {more[0]}, or delete that entry")
    process = own.fields.get("process")
    process = dict(process) if isinstance(process, dict) else {}
    kept = [item for item in listed if _is_top(item) or item["filename"] in there]
    gone = [str(item["filename"]) for item in listed if item not in kept]
    added = [] if "spec_version" in own.fields else ["spec_version 1"]
    added += [] if own.compiler else [f"compiler {compiler}"]
    added += [] if tops else [f"main file {root}" for root in roots]
    said = {"spec_version": 1} | dict(own.fields)
    said["process"] = process | ({} if own.compiler else {"compiler": compiler})
    said["sources"] = kept + ([] if tops else [_top(root) for root in roots])
    words = list(own.words)
    if own.data is not None:
        and_more = f"; added: {', '.join(added)}" if added else "" if gone else ", unchanged"
        words.append(f"{_README} is the paper's own{and_more}")
    if gone:
        words.append(
            f"left out of {_README}, because the bundle lacks these files: {', '.join(gone)}"
        )
    if own.data is not None and not added and not gone:
        return own.data, tuple(words)
    return f"{json.dumps(said, indent=2)}\n".encode(), tuple(words)


def _is_top(entry: Mapping[str, object]) -> bool:
    """Whether an entry makes its file a main file: it says so, or has nothing but the name."""
    return entry.get("usage") == "toplevel" or entry.keys() == {"filename"}


def _top(root: str) -> dict[str, object]:
    return {"filename": root, "usage": "toplevel"}


def archive(files: Mapping[str, bytes]) -> bytes:
    """A reproducible gzipped tar: files sorted, without owners, dated 1 January 1970."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name in sorted(files):
            entry = tarfile.TarInfo(name)
            entry.size = len(files[name])
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(files[name]))
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, mtime=0) as zipped:
        zipped.write(plain.getvalue())
    return packed.getvalue()
