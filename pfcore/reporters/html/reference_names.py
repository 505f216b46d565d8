r"""The names that cleveref and hyperref print for a label: `lemma 1.1`, `§2`, `item 3`.

Modelled on what LaTeX prints; there is no name if we do not see that the paper loads such a
package, or if it is in another language than English.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.blocks.plain_text import plain_text
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.numbering.counters import without_fonts
from pfcore.latex.numbering.item_labels import key_values, split_options

_WORDS = {
    "section": "section", "subsection": "section", "subsubsection": "section", "part": "part",
    "chapter": "chapter", "appendix": "appendix", "subappendix": "appendix", "page": "page",
    "equation": "equation", "figure": "figure", "table": "table", "footnote": "footnote",
    "enumi": "item", "enumii": "item", "enumiii": "item", "enumiv": "item", "item": "item",
    "paragraph": "paragraph", "subparagraph": "paragraph",
}  # fmt: skip
_OF_AUTOREF = _WORDS | {
    "subsection": "subsection", "subsubsection": "subsubsection", "part": "Part",
    "appendix": "Appendix", "subappendix": "Appendix", "equation": "Equation", "figure": "Figure",
    "table": "Table", "subparagraph": "subparagraph",
}  # fmt: skip
_SHORT = {"equation": "eq.", "figure": "fig."}
_ABOVE = {"subsection": "section", "subsubsection": "section"}
_ABOVE |= dict.fromkeys(("enumii", "enumiii", "enumiv", "item"), "enumi")
"""The kinds whose names and formats apply to a kind that has none of its own."""
_CAPITAL = frozenset({"capitalise", "capitalize"})

_NAMED = regex(r"\\(?P<by>[cC])refname\s*\{(?P<kinds>[^{}]{1,200})\}\s*\{(?P<name>[^{}]{0,80})\}")
_FORMAT = regex(
    r"\\(?P<by>[cC])refformat\s*\{(?P<kinds>[^{}]{1,80})\}\s*"
    r"\{(?P<form>(?:[^{}]|\{[^{}]{0,80}\}){0,200})\}"
)
_DECLARED = regex(r"\\declaretheorem\*?\s*(?=\[)")
_AUTOREF = regex(
    r"\\(?:def\s*|(?:re|provide)?(?:new)?command\*?\s*\{?\s*)\\(?P<kind>[A-Za-z]+)autorefname\s*\}?"
    r"\s*\{(?P<name>[^{}]{0,80})\}"
)
_LOADED = regex(
    r"\\(?:usepackage|RequirePackage)\s*(?:\[(?P<options>[^\[\]]{0,300})\])?\s*"
    r"\{(?P<names>[^{}]{1,300})\}"
)
_CLASS = regex(r"\\documentclass\s*\[(?P<options>[^\[\]]{0,300})\]")
_FOREIGN = regex(
    r"(?:n?german|n?swissgerman|austrian|naustrian|french|francais|spanish|italian|dutch|portuguese"
    r"|portuges|brazil|brazilian|russian|ukrainian|polish|danish|norsk|swedish|finnish|esperanto"
    r"|catalan|czech|hungarian|japanese)\b"
)
_POLYGLOSSIA = regex(r"\\set(?:default|main)language\s*(?:\[[^\]]{0,80}\])?\s*\{(?!english)")
_AS_CREF = regex(r"\\let\s*\\autoref\s*=?\s*\\cref(?![A-Za-z])")
_SIGN = regex(r"\\S(?![A-Za-z])\s*")
_COMMENT = regex(r"(?<!\\)%[^\n]*")


class _Name(NamedTuple):
    """A name in lower and in upper form, as the paper gives it; None if it does not."""

    lower: str | None = None
    upper: str | None = None


class ReferenceNames:
    """The names that a paper's `\\cref`, `\\Cref` and `\\autoref` print."""

    def __init__(self, sources: Iterable[str]) -> None:
        self._names: dict[str, _Name] = {}
        self._forms: dict[str, _Name] = {}
        self._of_autoref: dict[str, str] = {}
        self._packages: dict[str, set[str]] = {}
        self._is_foreign = False
        self._is_same = False
        for text in sources:
            if "ref" in text or "\\documentclass" in text:
                self._read(_COMMENT.sub("", text))

    def called(self, note: str, kind: str, word: str, number: str) -> str | None:
        """The text of a reference command for a kind, a word and a number; None if unknown.

        `kind` is an environment or a counter, `word` is the kind as the paper prints it, or "".
        """
        by = note.rstrip("*")
        by = "cref" if by == "autoref" and self._is_same else by
        if self._is_foreign or not number:
            return None
        if by in ("cref", "Cref") and "cleveref" in self._packages:
            return self._cref(kind, word, number, is_upper=by == "Cref")
        if by == "autoref" and "hyperref" in self._packages:
            name = self._of_autoref.get(kind, word or _OF_AUTOREF.get(kind))
            return None if name is None else f"{name} {number.strip('()')}".strip()
        return None

    def _cref(self, kind: str, word: str, number: str, *, is_upper: bool) -> str | None:
        shown = f"({number.strip('()')})" if kind == "equation" else number
        form = _chosen(_own(self._forms, kind), is_upper=is_upper)
        if form is not None:
            words = _plain(form.replace("#2", "").replace("#3", ""))
            is_known = "#1" in words and "\\" not in words
            return words.replace("#1", number) if is_known else None
        own = _own(self._names, kind)
        name = _chosen(own, is_upper=is_upper)
        if name is None:
            name = self._default(kind, word, is_upper=is_upper)
        words = _plain(name or "")
        return None if name is None or "\\" in words else f"{words} {shown}".strip()

    def _default(self, kind: str, word: str, *, is_upper: bool) -> str | None:
        """The default name of cleveref, or the one that it derives from a theorem's word."""
        options = self._packages["cleveref"]
        name = f"{word[:1].lower()}{word[1:]}" if word else _WORDS.get(kind)
        if not is_upper and not word and "noabbrev" not in options:
            name = _SHORT.get(kind, name)
        is_capital = is_upper or bool(options & _CAPITAL)
        return f"{name[:1].upper()}{name[1:]}" if name and is_capital else name

    def _read(self, text: str) -> None:
        for match in _LOADED.finditer(text):
            options = {one.strip() for one in (match["options"] or "").split(",")}
            for name in match["names"].split(","):
                self._packages.setdefault(name.strip(), set()).update(options)
        for match in _CLASS.finditer(text):
            self._packages.setdefault("", set()).update(
                one.strip() for one in match["options"].split(",")
            )
        spoken = [self._packages.get(name, set()) for name in ("", "babel", "cleveref")]
        self._is_foreign = (
            self._is_foreign
            or _POLYGLOSSIA.search(text) is not None
            or any(_FOREIGN.match(option) for options in spoken for option in options)
        )
        self._is_same = self._is_same or _AS_CREF.search(text) is not None
        for table, pattern, part in ((self._names, _NAMED, "name"), (self._forms, _FORMAT, "form")):
            for match in pattern.finditer(text):
                for kind in match["kinds"].split(","):
                    _put(table, kind.strip(), match[part], is_upper=match["by"] == "C")
        if "refname" in text or "Refname" in text:
            self._read_declared(text)
        for match in _AUTOREF.finditer(text):
            self._of_autoref[match["kind"]] = _plain(match["name"])
        if "cleveref" in self._packages:
            self._packages["cleveref"] |= self._packages.get("", set()) & (_CAPITAL | {"noabbrev"})

    def _read_declared(self, text: str) -> None:
        """Read the names in the options of thmtools."""
        groups = Groups(text)
        for match in _DECLARED.finditer(text):
            options = groups.brackets(match.end())
            name = groups.braces(groups.after(options)) if options else None
            if options is None or name is None:
                continue
            for key, value in key_values(text[slice(*options)]):
                if key in ("refname", "Refname") and value:
                    word = next(split_options(value.strip("{}")), "").strip()
                    kind = text[slice(*name)].strip()
                    _put(self._names, kind, word, is_upper=key == "Refname")
                    self._of_autoref.setdefault(kind, _plain(word))


def _plain(text: str) -> str:
    """Plain words; other LaTeX is left in."""
    return without_fonts(plain_text(_SIGN.sub("§", text)))[0]


def _put(table: dict[str, _Name], kind: str, word: str, *, is_upper: bool) -> None:
    known = table.get(kind, _Name())
    table[kind] = known._replace(upper=word) if is_upper else known._replace(lower=word)


def _own(table: Mapping[str, _Name], kind: str) -> _Name:
    """The name given to a kind, or else to the kind that it falls back to."""
    return table.get(kind) or table.get(_ABOVE.get(kind, kind)) or _Name()


def _chosen(name: _Name, *, is_upper: bool) -> str | None:
    """One of the two forms; if it is not given, it is derived from the other."""
    if is_upper:
        other = name.lower
        return name.upper if name.upper is not None else other and f"{other[0].upper()}{other[1:]}"
    other = name.upper
    return name.lower if name.lower is not None else other and f"{other[0].lower()}{other[1:]}"
