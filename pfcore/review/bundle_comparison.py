"""An upload compiled beside the paper at home: the same pages, and nothing that LaTeX lacks."""

import posixpath
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
    """The files of an upload, with the .bbl that was made for it, and what is to be said of it."""

    files: Mapping[str, bytes]
    bibliography: str | None
    words: str


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
        words = f"it was not compiled: {compiler} is not installed here"
        return ComparedUpload(files=files, bibliography=named, words=words)
    if first.fault:
        words = f"it was not compared: the paper does not compile here ({first.fault})"
        return ComparedUpload(files=files, bibliography=named, words=words)
    packed = dict(files)
    if named is None and first.bibliography is not None:
        packed = {name: data for name, data in packed.items() if not name.endswith(".bib")}
        packed[bibliography] = first.bibliography
        named = bibliography
    second = compile_files(packed, main, compiler)
    found = [second.fault] if second.fault else differences(first, second)
    if found:
        raise IncompleteError(
            f"the upload compiles to another paper than the one at home ({'; '.join(found)}), so "
            "there is no upload"
        )
    return ComparedUpload(files=packed, bibliography=named, words=_words(first, second))


def _words(home: CompiledPaper, away: CompiledPaper) -> str:
    same = "each the same as at home" if away.contents else "as many as at home"
    lacks = f"; LaTeX lacks {', '.join(sorted(away.lacks)[:5])}, as at home" if away.lacks else ""
    pages = f"{away.pages:,} {'page' if away.pages == 1 else 'pages'}"
    made = " (the .bbl was made by bibtex)" if home.bibliography else ""
    return f"compiled by {order_of_runs(away.runs)}: {pages}, {same}{lacks}{made}"
