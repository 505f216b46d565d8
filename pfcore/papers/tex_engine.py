"""Which TeX program a paper asks for: by a magic comment, else by the packages that it loads."""

import re
from contextlib import suppress

from pfcore.domain.errors import SourceError
from pfcore.domain.lazy_regex import regex
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import CacheBackend

ENGINES = ("pdflatex", "xelatex")
"""The engines that we can run."""

_MAGIC = regex(
    r"^%+[ \t]*(?:!?[ \t]*tex[ \t]+(?:ts-)?(?:program|engine)[ \t]*=[ \t]*(?:latexmk[ \t]+-+)?"
    r"|arara:[ \t]*|tex-engine:[ \t]*)(?P<name>[a-z]+)",
    re.IGNORECASE | re.MULTILINE,
)
"""Comments read by editors, arara and AUCTeX; AUCTeX's is at the end of a file."""
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
    """Whether the source is meant for LaTeX with DVI and dvips."""
    with suppress(SourceError):
        source = paper.source(paper.root)
        is_either = _PDFTEX.search(source) is not None  # templates test which of the two is running
        return engine_of(paper) == "pdflatex" and not is_either and bool(_DVIPS.search(source))
    return False


_PDFTEX = regex(
    r"^[^%\n]{0,200}(?:\\pdfoutput\s{0,9}(?:=\s{0,9})?1(?!\d)"
    r"|\\(?:usepackage|documentclass)\s{0,9}\[[^\]]{0,2000}\bpdftex\b[^\]]{0,2000}\]"
    r"\s{0,9}\{[^}]{0,500}\})",
    re.MULTILINE,
)


def is_for_pdftex(paper: Paper) -> bool:
    """Whether only pdfLaTeX can compile the source, and LaTeX with DVI cannot."""
    with suppress(SourceError):
        return _PDFTEX.search(paper.source(paper.root)) is not None
    return False


def engine_key(name: str) -> str:
    """The key of an engine's version in the parse cache."""
    return f"latex-engine:{name}"


def asked_engines(cache: CacheBackend) -> dict[str, str]:
    """The versions of the engines that have been run on this machine, by key."""
    return cache.get(map(engine_key, ENGINES))


def named_engine(text: str) -> tuple[str, int, int] | None:
    """The first engine named in a comment near the start or end of a main file, and its span."""
    for match in _MAGIC.finditer(text):
        is_near = match.start() < _NEAR or match.end() > len(text) - _NEAR
        engine = _ENGINES_BY_NAME.get(match["name"].lower())
        if engine and is_near:
            return engine, *match.span()
    return None


_NEAR = 4_000
"""How many characters from the start or end of a file such a comment may be."""


def engine_of(paper: Paper) -> str:
    """The engine that the source asks for: by a magic comment, else by its packages."""
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
