r"""The title of a document as a reader sees it, from `\title` in one of its files.

Some classes have their own command for it: `\icmltitle`.
"""

import re
from collections.abc import Mapping

from pfcore.domain.lazy_regex import regex
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.lexer.mask import mask
from pfcore.latex.macros.macro import Macro, expanded

REACH = 200_000
"""The characters of a file that are searched for its title, authors and abstract."""
_LONGEST = 2_000
_TITLE = regex(r"\\title(?![A-Za-z@])")
_OTHER_TITLE = regex(
    r"\\(?:icml|aistats|sysml|mlsys|jmlr|uai|thesis|Thesis)[tT]itle(?![A-Za-z@])"
    r"|\\(?:TITLE|Title)(?![A-Za-z@])"
)
"""The commands of some classes."""
_OWN_TITLE = regex(
    r"\\(?:def|(?:re)?newcommand\*?)\s*\{?\s*\\(?:my|our|the|doc|document|book|paper|thesis|Thesis"
    r"|report|work|full|main|article)?[tT]itle\s*\}?(?=\s*\{)"
)
"""A macro of the paper with its title, used if nothing else gives one."""
_OF_PDF = regex(r"(?<![A-Za-z])pdftitle\s*=(?=\s*\{)")
_TWO_WORDS = regex(r"[^\W\d_]{2,}[\s~]+(?:[^\W\d_]+[\s~]+){0,4}[^\W\d_]{2,}")
"""A macro's text is a title if it has two words; "Title" comes from a template."""
_BREAK = regex(
    r"\\\\\*?(?:\s*\[[^\]]*\])?"
    r"|\\(?:newline|linebreak|break|par|quad|qquad|(?:small|med|big)skip)(?![A-Za-z])"
)
_DROPPED = regex(
    r"\\(?:vspace|hspace|vskip|hskip|fontsize|thispagestyle|includegraphics|color|rule"
    r"|footnotemark)"
    r"(?![A-Za-z])\*?\s*(?:\[[^\]]*\])?(?:\{[^{}]*\})*|"
    r"\\(?:protect|normalfont|boldmath|unboldmath|centering|(?:footnote|script)size|tiny|small"
    r"|normalsize|[Ll]arge|LARGE|[Hh]uge|selectfont|(?:bf|it|md|rm|sc|sf|sl|tt|up)(?:series|shape|family)?)"
    r"(?![A-Za-z])\s*"
)
_DRAWING = regex(
    r"\\begin\{(?P<drawn>(?:tikz|ps)?picture|tikzcd|asy)\}.*?\\end\{(?P=drawn)\}", re.DOTALL
)
_LAST_IN_GROUP = regex(r"(\\[A-Za-z@]+)(?=\})")
_LEFT = regex(r"\\[A-Za-z@]+\*?|[{}]")
_FORMULA = regex(r"\$(?:\\.|[^$\\])*+\$|\\\(.*?\\\)")


def document_title(text: str, macros: Mapping[str, Macro]) -> str:
    r"""The title that a file gives, as one line; "" if it gives none.

    `macros` are the document's own. As in LaTeX, the last `\title` before `\maketitle` counts; of
    commands that print a title themselves, the first: later ones belong to a supplement.
    """
    if not _MAY_BE_TITLED.search(text):
        return ""
    masked = mask(text[:REACH]).text
    titles = _given(masked, _TITLE) or _given(masked, _OTHER_TITLE)[:1]
    if not titles:
        others = (*_given(masked, _OWN_TITLE), *_given(masked, _OF_PDF))
        return next((printed_line(one, macros) for _, one in others if _TWO_WORDS.search(one)), "")
    made = _MADE.search(masked, titles[0][0]) if titles else None
    before = [title for start, title in titles if made is None or start < made.start()]
    title = before[-1] if before else ""
    return _DATE_BEHIND.sub("", printed_line(title, macros))


_DATE_BEHIND = regex(
    r"(?<=\w{3})[ ,(]+(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars"
    r"|avril|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo"
    r"|junio|julio|agosto|septiembre|octubre|noviembre|diciembre) (?:19|20)\d\d\)?\Z",
    re.IGNORECASE,
)
"""A date that some authors put into the title, below it and smaller."""


_MAY_BE_TITLED = regex(r"[tT]itle|TITLE")


_MADE = regex(r"(?<!\{)(?<!command)(?<!def)(?<!let)\\maketitle(?![A-Za-z@])")


def _given(masked: str, command: re.Pattern[str]) -> list[tuple[int, str]]:
    """The arguments of a command's uses, with offsets; empty arguments are left out."""
    groups = Groups(masked)
    found: list[tuple[int, str]] = []
    for match in command.finditer(masked):
        short = groups.brackets(match.end())
        span = groups.braces(short[1] + 1 if short else match.end())
        if span and span[1] - span[0] <= _LONGEST and "#" not in masked[slice(*span)]:
            found.append((match.start(), masked[slice(*span)]))
    return [(start, title) for start, title in found if title.strip()]


def printed_line(title: str, macros: Mapping[str, Macro]) -> str:
    """A title or an author's name as one line of plain text."""
    written = _BREAK.sub(" ", _DRAWING.sub(" ", title))
    spread = _DROPPED.sub("", _BREAK.sub(" ", expanded(written, macros.get, _LONGEST)))
    plain = plain_text(_LAST_IN_GROUP.sub(r"\1 ", spread).strip())
    if "\\" in plain:
        # Of a title that cannot be parsed as a whole, each formula often can.
        plain = _LEFT.sub("", _FORMULA.sub(lambda formula: plain_text(formula[0]), plain))
    return " ".join("".join(sign if sign.isprintable() else " " for sign in plain).split())
