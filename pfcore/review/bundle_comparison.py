"""An upload compiled beside the paper at home: the same pages, and nothing that LaTeX lacks."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pfcore.domain.errors import IncompleteError
from pfcore.papers.compiled_paper import (
    CompiledPaper,
    compile_files,
    differences,
    is_installed,
    order_of_runs,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedUpload:
    """The files of an upload, with the .bbl that was made for it, and what is to be said of it.

    `about` is what is known of a .bbl of biblatex, or what is to be done where there is none; ""
    where there is nothing to say.
    """

    files: Mapping[str, bytes]
    bibliography: str | None
    words: str
    about: str = ""


def compiled_at_home(home: Mapping[str, bytes], root: str, compiler: str) -> CompiledPaper | None:
    """The paper as its repository makes it; None where the compiler is not installed."""
    if not is_installed(compiler):
        return None
    return compile_files(home, root, compiler, is_searched=True)


def compared(
    first: CompiledPaper | None, files: Mapping[str, bytes], main: str, compiler: str
) -> ComparedUpload:
    """Compile an upload, and compare it with the paper at home; `main` is its main file.

    IncompleteError where the paper compiles and the upload to something else.
    """
    bibliography = f"{posixpath.splitext(main)[0]}.bbl"
    named = bibliography if bibliography in files else None
    if first is None:
        words = f"not compiled: {compiler} is not installed"
        about = _about(files, main, named, _UNCOMPILED)
        return ComparedUpload(files=files, bibliography=named, words=words, about=about)
    if first.fault:
        words = f"not compared: the paper does not compile here ({first.fault})"
        about = _about(files, main, named, _UNCOMPILED)
        return ComparedUpload(files=files, bibliography=named, words=words, about=about)
    packed = dict(files)
    if named is None and first.bibliography is not None:
        packed = {name: data for name, data in packed.items() if not name.endswith(".bib")}
        packed[bibliography] = first.bibliography
        named = bibliography
    second = compile_files(packed, main, compiler)
    found = [second.fault] if second.fault else differences(first, second)
    if found:
        raise IncompleteError(
            f"the bundle compiles to a different PDF than the source ({'; '.join(found)}); no "
            "bundle written"
        )
    about = _about(packed, main, named, first.unmade)
    words = _words(first, second)
    return ComparedUpload(files=packed, bibliography=named, words=words, about=about)


_UNCOMPILED = "the paper was not compiled here"
_BIBLATEX = re.compile(
    rb"^[^%\n]{0,200}\\(?:usepackage|RequirePackage)\s{0,9}(?:\[(?P<options>[^\]]{0,2000})\]\s{0,9})?"
    rb"\{[^}]{0,500}\bbiblatex\b",
    re.MULTILINE,
)
_FORMAT = re.compile(rb"^% \$ biblatex bbl format version (\d{1,3}(?:\.\d{1,3})?) \$", re.MULTILINE)


def _about(files: Mapping[str, bytes], main: str, named: str | None, unmade: str) -> str:
    """What is known of the .bbl of a paper that uses biblatex, or how it is made.

    Which formats arXiv reads changes with its TeX, and is known here of no moment.
    """
    if named is not None:
        found = _FORMAT.search(files[named])
        if not found:
            return ""
        return (
            f"{named} has version {found[1].decode()} of biblatex's .bbl format; another "
            "version of biblatex may reject it; the version on arXiv is unknown"
        )
    stem = posixpath.splitext(main)[0]
    loads = [match for data in files.values() for match in _BIBLATEX.finditer(data)]
    if not loads or not unmade:
        return ""
    is_bibtex = any(re.search(rb"backend\s*=\s*bibtex", item["options"] or b"") for item in loads)
    tool = "bibtex" if is_bibtex else "biber"
    return (
        f"missing {stem}.bbl: {main} uses biblatex, and {unmade}; run LaTeX, {tool} {stem}, "
        f"and commit {stem}.bbl"
    )


def _words(home: CompiledPaper, away: CompiledPaper) -> str:
    same = (
        "each identical to the source's" if away.contents else "same number of pages as the source"
    )
    lacks = (
        f"; LaTeX lacks {', '.join(sorted(away.lacks)[:5])}, as in the source" if away.lacks else ""
    )
    pages = f"{away.pages:,} {'page' if away.pages == 1 else 'pages'}"
    tool = "biber" if "biber" in home.runs else "bibtex"
    made = f" (the .bbl was made by {tool})" if home.bibliography else ""
    return f"compiled by {order_of_runs(away.runs)}: {pages}, {same}{lacks}{made}"
