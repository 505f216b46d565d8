"""LaTeX's own commands that matter here, and the pattern that finds them in one pass."""

import re
from collections.abc import Iterable
from functools import lru_cache

REFERENCES = frozenset(
    """ref eqref autoref Autoref cref Cref vref Vref nameref Nameref fullref labelcref namecref
    nameCref zcref zref hyperref pageref cpageref labelcpageref thmref lemref propref corref defref
    secref subref refs fref Fref tref prettyref Ref cpagerefrange autopageref""".split()
)
SINGLE = frozenset(
    "label ref eqref pageref autoref Autoref nameref Nameref autopageref hyperref".split()
)
"""Commands whose argument is one key, commas included."""
RANGES = frozenset({"crefrange", "Crefrange", "cpagerefrange", "labelcrefrange", "vrefrange"})
CITES = frozenset(
    """cite citep citet citealp citealt citeauthor citeyear Cite Citet Citep autocite Autocite
    parencite Parencite textcite Textcite footcite smartcite fullcite citeyearpar""".split()
)
MARKS = frozenset({"leanok", "mathlibok", "notready"})
"""What a blueprint says of the statement or proof right around the mark; without argument."""
USES = MARKS | {"uses", "proves", "lean", "discussion"}
SECTIONS = {
    "part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5,
    "subparagraph": 6,
}  # fmt: skip
FOLDERS = frozenset("import subimport includefrom subincludefrom inputfrom subinputfrom".split())
"""Commands that read in a file from a folder that they name before it."""
INPUTS = FOLDERS | {"input", "include", "subfile", "subfileinclude", "InputIfFileExists"}
SILENT = {
    "index": 1, "noindent": 0, "indent": 0, "smallskip": 0, "medskip": 0, "bigskip": 0,
    "vspace": 1, "newpage": 0, "clearpage": 0, "pagebreak": 0, "nopagebreak": 0, "linebreak": 0,
    "allowbreak": 0, "vfill": 0, "hfill": 0, "leavevmode": 0, "nocite": 1, "phantomsection": 0,
    "protect": 0, "xspace": 0, "qedhere": 0, "pushQED": 1, "popQED": 0, "samepage": 0,
    "displaybreak": 0, "relax": 0, "ignorespaces": 0, "null": 0, "sloppy": 0, "centering": 0,
    "marginpar": 1, "todo": 1, "hypertarget": 1, "setcounter": 2, "addtocounter": 2, "par": 0,
}  # fmt: skip
"""Commands without mathematical content, with how many arguments go with them."""

STRUCTURE = frozenset({"begin", "end", "label", "item", "appendix", "qed", "proof", "endproof"})

SPECIAL = (
    REFERENCES | RANGES | CITES | USES | INPUTS | STRUCTURE | frozenset(SECTIONS)
    | frozenset(SILENT)
)  # fmt: skip

ACTIVE = REFERENCES | RANGES | CITES | USES | INPUTS | STRUCTURE | frozenset(SECTIONS)
"""Commands that make a macro active where the macro leads to them."""


KIND_OF = (
    {"label": "label"}
    | dict.fromkeys(CITES, "cite")
    | dict.fromkeys(USES, "uses")
    | {name: "page" for name in REFERENCES if "page" in name}
)
"""Kinds of commands with keys; all others are references."""


SIGNS = frozenset("0123456789|<>?/*+-=;:!,.'\"`")
"""A macro may have one for its name; letters may follow it."""

_CALLED = r"(?:(?<!\\\\)|(?<=(?<!\\)\\\\\\))"
"""Stands before a sign: behind two backslashes, which end a line, it is a sign like any other."""

NAME = rf"(?:[A-Za-z@]+|{_CALLED}[{re.escape(''.join(sorted(SIGNS)))}])"
"""What may stand behind a backslash as the name of a macro."""


@lru_cache(maxsize=32)
def pattern(names: frozenset[str]) -> re.Pattern[str]:
    """A pattern for `\\name` of any of the names; group 1 is the environment of begin and end.

    Groups: 1 `\\begin`'s environment, 2 `\\end`'s, 3 any other name, 4 its star.
    """
    others = {name for name in names if name not in ("begin", "end") and name}
    signs = "".join(f"|{_CALLED}{re.escape(sign)}" for sign in sorted(others & SIGNS))
    return re.compile(
        r"\\(?:begin\s*\{([^{}\n]{0,80})\}|end\s*\{([^{}\n]{0,80})\}|((?:"
        + alternatives(others - SIGNS)
        + rf")(?![A-Za-z]){signs})(\*?))"
    )


def alternatives(names: Iterable[str]) -> str:
    """Alternatives grouped by their first letters: tried in C, a few per backslash."""
    tree: dict[str, object] = {}
    for name in sorted(names):
        node = tree
        for letter in name:
            node = node.setdefault(letter, {})  # type: ignore[assignment]
        node[""] = True
    return _render(tree) if tree else r"(?!)"


def _render(node: dict[str, object]) -> str:
    prefix = ""
    while len(node) == 1 and "" not in node:
        letter, below = next(iter(node.items()))
        prefix += re.escape(letter)
        node = below  # type: ignore[assignment]
    branches = [
        re.escape(letter) + _render(below)  # type: ignore[arg-type]
        for letter, below in node.items()
        if letter
    ]
    if not branches:
        return prefix
    body = "|".join(branches)
    if "" in node:
        return f"{prefix}(?:{body})?"
    return f"{prefix}(?:{body})" if len(branches) > 1 else prefix + body
