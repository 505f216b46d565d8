"""Which files of a paper go to arXiv: those that LaTeX reads, and those that they name.

Sources are chosen by what reads them in; figures, bibliographies and the like by their names in
braces. Everything else stays at home, and is named.

Files as one archive: the same bytes for the same files, whoever makes it and when.
"""

import gzip
import io
import posixpath
import tarfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.latex.lexer.mask import mask
from pfcore.papers.paper import Paper

CLEANED = (".tex", ".ltx", ".tikz")
_ARGUMENT = regex(r"\{([^{}]{1,2000})\}|\[([^\[\]{}]{1,2000})\]")
_ENVIRONMENT = regex(r"\\(?:begin|end)\s*\{[^{}]*\}")
_BODY = regex(
    r"\\(?:[egx]?def\s*\\[A-Za-z@]+|(?:re)?newcommand\*?\s*\{?\\[A-Za-z@]+\}?)"
    r"\s*\{([^{}]{1,300})\}"
)
"""A macro that stands for words, as for the name of a file that a package reads."""
_NAME = regex(r"[A-Za-z0-9_][A-Za-z0-9_+\-.,=]*(?:/[A-Za-z0-9_][A-Za-z0-9_+\-.,=]*)*")
_HOME = (".aux", ".lean", ".lock", ".log", ".ltx", ".out", ".pf", ".synctex.gz", ".tex", ".toc")
"""What goes along only where a source reads it in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The files to go, as paths of the repository below `folder`, which arXiv does not see.

    `left` are the files below the folder that stay at home; `bibliography` the .bbl, if any.
    """

    folder: str
    root: str
    files: tuple[str, ...]
    left: tuple[str, ...]
    bibliography: str | None

    def inside(self, path: str) -> str:
        """The name of a file in the upload."""
        return path.removeprefix(self.folder)


def upload(paper: Paper, regular: Iterable[str]) -> Upload:
    """Choose among the regular files of the commit; IncompleteError where arXiv would not do."""
    if paper.is_markup:
        raise UsageError(f"{paper.root} is no LaTeX, so there is nothing to upload")
    folder = paper.root[: paper.root.rfind("/") + 1]
    there = sorted(regular)
    below = [path for path in there if path.startswith(folder)]
    sources = [path for path in paper.outline.order if path in set(there)]
    printed = [mask(paper.source(path)).printed for path in sources]
    named = set(_named(printed))
    meant = {match[1].strip() for text in printed for match in _BODY.finditer(text)}
    stem = paper.root.rpartition(".")[0]
    chosen = set(sources)
    chosen |= {path for path in below if _is_named(path.removeprefix(folder), named)}
    chosen |= {path for path in below if _is_meant(path.removeprefix(folder), meant)}
    if f"{stem}.bbl" in below:
        chosen = {path for path in chosen if not path.endswith(".bib")} | {f"{stem}.bbl"}
    chosen |= {path for path in below if path.removeprefix(folder).startswith("00README")}
    _require_inside(folder, [*chosen, *_outside(folder, named, there)])
    _require_names([path.removeprefix(folder) for path in sorted(chosen)])
    return Upload(
        folder=folder,
        root=paper.root,
        files=tuple(sorted(chosen)),
        left=tuple(path for path in below if path not in chosen),
        bibliography=f"{stem}.bbl" if f"{stem}.bbl" in chosen else None,
    )


def _named(texts: Iterable[str]) -> Iterator[str]:
    """All that stands in braces or brackets of printed text, by commas, but for environments."""
    for text in texts:
        for match in _ARGUMENT.finditer(_ENVIRONMENT.sub(" ", text)):
            for name in (match[1] or match[2]).split(","):
                bare = name.partition("=")[2] or name
                yield bare.strip().strip('"').removeprefix("./")


def _is_named(path: str, named: set[str]) -> bool:
    """Whether a file is named, with or without its folder and its suffix."""
    if path.lower().endswith(_HOME):
        return False
    stem = posixpath.splitext(path)[0]
    last = path.rpartition("/")[2]
    return not named.isdisjoint({path, stem, last, posixpath.splitext(last)[0]})


def _is_meant(path: str, meant: set[str]) -> bool:
    """Whether a macro stands for the name of a source, whoever reads it."""
    return path.endswith(".tex") and not meant.isdisjoint({path, path.removesuffix(".tex")})


def _outside(folder: str, named: set[str], there: Sequence[str]) -> Iterator[str]:
    """The files beside the folder that a source names by going up."""
    up = {posixpath.normpath(f"{folder}{name}") for name in named if name.startswith("../")}
    for path in there:
        if path in up or posixpath.splitext(path)[0] in up:
            yield path


def _require_inside(folder: str, paths: Sequence[str]) -> None:
    wrong = sorted({path for path in paths if not path.startswith(folder)})
    if wrong:
        message = (
            f"arXiv compiles in the folder of the main file, {folder[:-1]}, and this paper reads "
            f"{wrong[0]}, which lies outside: move it there"
        )
        raise IncompleteError(message)


def _require_names(names: Sequence[str]) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            shown = name.encode("ascii", "backslashreplace").decode()
            message = (
                f"arXiv does not take a file of the name {shown}: only letters, digits and _ + - . "
                ", = are allowed"
            )
            raise IncompleteError(message)


def archive(files: Mapping[str, bytes]) -> bytes:
    """A gzipped tar with the files sorted, owned by nobody, of the first of January 1970."""
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
