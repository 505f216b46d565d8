"""Which program of TeX a paper asks for: by its first lines, else by the packages that it loads."""

import re
from contextlib import suppress

from pfcore.domain.errors import SourceError
from pfcore.domain.lazy_regex import regex
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import CacheBackend

ENGINES = ("pdflatex", "xelatex")
"""Those that are ours to run."""

_MAGIC = regex(
    r"^%+[ \t]*(?:!?[ \t]*tex[ \t]+(?:ts-)?(?:program|engine)[ \t]*=[ \t]*(?:latexmk[ \t]+-+)?"
    r"|arara:[ \t]*|tex-engine:[ \t]*)(?P<name>[a-z]+)",
    re.IGNORECASE | re.MULTILINE,
)
"""What editors, arara and AUCTeX read, the last of these at the end of a file."""
_ENGINES_BY_NAME = {
    **dict.fromkeys(("lualatex", "luatex", "luahbtex", "luahblatex"), "lualatex"),
    **dict.fromkeys(("xelatex", "xetex"), "xelatex"),
    **dict.fromkeys(("pdflatex", "pdftex"), "pdflatex"),
    **{name: name for name in ("platex", "uplatex", "context")},
}
_NEEDS_XETEX = regex(
    r"^[^%\n]{0,200}\\(?:usepackage|RequirePackage)\s{0,9}(?:\[[^\]]{0,2000}\]\s{0,9})?"
    r"\{[^}]{0,500}\b(?:fontspec|unicode-math|xeCJK|xltxtra|xunicode)\b",
    re.MULTILINE,
)

_DVIPS = regex(
    r"^[^%\n]{0,200}\\(?:usepackage|documentclass)\s{0,9}\[[^\]]{0,2000}\bdvips\b[^\]]{0,2000}\]"
    r"\s{0,9}\{[^}]{0,500}\}",
    re.MULTILINE,
)


def is_for_dvips(paper: Paper) -> bool:
    """Whether the source says that LaTeX with DVI and dvips makes it."""
    with suppress(SourceError):
        source = paper.source(paper.root)
        is_either = _PDFTEX.search(source) is not None  # as skeletons ask which of the two it is
        return engine_of(paper) == "pdflatex" and not is_either and bool(_DVIPS.search(source))
    return False


_PDFTEX = regex(
    r"^[^%\n]{0,200}(?:\\pdfoutput\s{0,9}(?:=\s{0,9})?1(?!\d)"
    r"|\\(?:usepackage|documentclass)\s{0,9}\[[^\]]{0,2000}\bpdftex\b[^\]]{0,2000}\]"
    r"\s{0,9}\{[^}]{0,500}\})",
    re.MULTILINE,
)


def is_for_pdftex(paper: Paper) -> bool:
    """Whether the source says that pdfLaTeX makes a PDF of it, and no LaTeX with DVI can."""
    with suppress(SourceError):
        return _PDFTEX.search(paper.source(paper.root)) is not None
    return False


def engine_key(name: str) -> str:
    """The key under which the parse cache has the version of an engine that was asked."""
    return f"latex-engine:{name}"


def asked_engines(cache: CacheBackend) -> dict[str, str]:
    """The versions of the engines that were asked on this machine, by their keys."""
    return cache.get(map(engine_key, ENGINES))


def named_engine(text: str) -> tuple[str, int, int] | None:
    """The first engine that a comment near either end of a main file names, and where it stands."""
    for match in _MAGIC.finditer(text):
        is_near = match.start() < _NEAR or match.end() > len(text) - _NEAR
        engine = _ENGINES_BY_NAME.get(match["name"].lower())
        if engine and is_near:
            return engine, *match.span()
    return None


_NEAR = 4_000
"""Letters from the beginning or the end of a file in which such a comment counts."""


def engine_of(paper: Paper) -> str:
    """The engine that the source asks for: by its first lines, else by its packages."""
    with suppress(SourceError):
        named = named_engine(paper.source(paper.root))
        if named and named[0] in (*ENGINES, "lualatex"):
            return named[0]
        for path in paper.outline.order:
            if path in paper.snapshot.files and _NEEDS_XETEX.search(paper.source(path)):
                return "xelatex"
    return "pdflatex"


_NEEDS_LUATEX = regex(
    r"^[^%\n]{0,200}\\(?:directlua|(?:usepackage|RequirePackage)\s{0,9}(?:\[[^\]]{0,2000}\])?"
    r"\s{0,9}\{[^}]{0,500}\b(?:luacode|luatexja|luatextra|luamplib))(?![A-Za-z])",
    re.MULTILINE,
)


def needs_luatex(paper: Paper) -> bool:
    """Whether the source asks for LuaLaTeX, which is never run: it reads and writes any file."""
    if engine_of(paper) == "lualatex":
        return True
    listed = (path for path in paper.outline.order if path in paper.snapshot.files)
    with suppress(SourceError):
        return any(_NEEDS_LUATEX.search(paper.source(path)) for path in listed)
    return False
