r"""Procedures that a paper names: an algorithm, a game, a protocol, by what its caption calls it.

A claim says "\textsc{PeelLeaves} ends in linear time", and what that is stands in a float whose
caption has the name, or in a paragraph that begins with it. A name counts as it is written: in
code style, `peel_leaves`, or in the font of such names.
"""

import re
from collections.abc import Iterator, Mapping

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.terms import special_term

PROCEDURE = "@:"
"""With this the key of a name begins."""

_NAME = r"[A-Za-z][A-Za-z0-9]*+(?:(?:\\?_|-)[A-Za-z0-9]++)*+"
_CODE = regex(r"\d|_|[a-z][A-Z]")
_STYLED = regex(
    r"\\(?:textsc|texttt|textsf|proc|algo|(?:re)?intro|emph|textit|textbf)"
    rf"\*?(?:\([^()]{{0,40}}\))?(?:\[[^\[\]]{{0,40}}\])?\s*\{{\s*(?P<name>{_NAME})\s*\}}"
)
_KIND = (
    r"(?:[Aa]lgorithm|[Pp]rocedure|[Ff]unction|[Rr]outine|[Pp]rotocol|[Gg]ame|[Ee]xperiment|[Ss]ubroutine"
    r"|[Aa]lgorithmus|[Pp]rozedur|[Pp]rotokoll|[Aa]lgorithme|[Pp]rocédure|[Pp]rotocole)"
)
_CALLED = regex(rf"(?<!\w){_KIND}[\s~:]+\Z")
_LEAD = regex(r"[\s~]*(?:(?:[Tt]he|[Aa]n?|[Oo]ur|D(?:er|ie|as)|L[ae]s?|L')[\s~]*)?")
_CALLED_BEHIND = regex(rf"[\s~-]+{_KIND}(?!\w)")
_CAPTION = regex(r"\\caption\*?\s*(?:\[[^\[\]]{0,300}\])?\s*\{")
_LONGEST_CAPTION = 300
_BEGINS = regex(
    r"(?:\\vspace\*?\s*\{[^{}]*\}\s*|\\[a-z]{0,8}(?:skip|space|indent|par)(?![A-Za-z*])"
    r"\s*(?:=?\s*[\d.]+\s*(?:pt|e[mx]|[cm]m)\s*)?)*"
    r"(?P<kind>(?:\{?\\(?:bf|textbf|bfseries)(?![A-Za-z])\s*\{?\s*)?"
    rf"(?:{_KIND}|proc)[\s}}:.~]*)?"
    r"(?:\{\s*\\(?:it|em|tt|sc|sf|bf)(?![A-Za-z])\s*|\\(?:emph|textit|texttt|textsc|textsf|textbf)\s*\{\s*)"
    rf"(?P<name>{_NAME})\s*\}}\s*(?:\$?\([^()]{{0,80}}\)\$?)?\s*(?P<colon>:)?"
)
_BOX = regex(
    r"(?:\\begin\s*\{(?:center|minipage|framed|mdframed|tcolorbox|tabularx?|quote)\}(?:\[[^\[\]]*\]|\{[^{}]*\})*\s*"
    r"|\\[fm]?(?:frame)?box\s*\{\s*|\\[a-z]{0,8}(?:skip|space|indent|par)(?![A-Za-z*])\s*|\\centering\s*)*"
    r"(?:\{\s*\\(?:sc|bf|it|sf)(?![A-Za-z])\s*|\\(?:textsc|textbf|textsf|textit|emph)\s*\{\s*)"
    r"(?:[Pp]roblem[\s~:]+)?(?P<name>[A-Z][^{}$\\]{2,50}?)[\s:.]*\}[^A-Za-z\\]{0,12}(?:\\\\|\\par|\s)*"
    r"(?:\\(?:item(?:\[)?|textbf|textit|textsc|textsf|emph|underline|noindent|hline|bf|it|sc)(?![A-Za-z])[\s{]*)*"
    r"(?:[Ii]nput|[Ii]nstance|[Gg]iven|[Ee]ingabe|[Gg]egeben|[Ii]nstanz|[Ee]ntrée|[Dd]onnée)s?(?!\w)"
)
_WORD = regex(_NAME)
_SHORTEST = 3
_FLOATS = regex(
    r"(?:algorithm|algo|procedure|function|protocol|pseudocode|game|listing|program)", re.IGNORECASE
)
_CODED = regex(r"\\begin\s*\{(?:algorithmic|algobox|gamebox|lstlisting|pseudocode|verbatim)\}")


def is_procedure(env: str, text: str) -> bool:
    """Whether a float holds an algorithm or the like, and no picture."""
    return _FLOATS.search(env) is not None or _CODED.search(text) is not None


def begins_procedure(paragraph: str) -> bool:
    """Whether a paragraph of running text begins with the name of what it does step by step."""
    found = _BEGINS.match(paragraph)
    if found is None:
        return _BOX.match(paragraph) is not None
    return found["kind"] is not None or (found["colon"] is not None and _is_code(found["name"]))


def given_names(text: str) -> Iterator[tuple[str, bool]]:
    """The keys of the procedures that a text is, and whether it is all of each.

    A paragraph `PEEL2_start` is a part of `PEEL2`.
    """
    captions = [text[m.end() : m.end() + _LONGEST_CAPTION] for m in _CAPTION.finditer(text)]
    for caption in captions:
        for styled in _STYLED.finditer(_group(caption)):
            name = _plain(styled["name"])
            lead = caption[: styled.start()]
            is_first = _LEAD.fullmatch(lead) is not None
            is_first &= _is_code(name) or _CALLED_BEHIND.match(caption, styled.end()) is not None
            if len(name) >= _SHORTEST and (is_first or _CALLED.search(lead)):
                yield PROCEDURE + name, True
    box = None if captions else _BOX.match(text.lstrip())
    if box:
        yield from titled_names(box["name"])
        return
    found = None if captions else _BEGINS.match(text.lstrip())
    if found and begins_procedure(text.lstrip()):
        name = _plain(found["name"])
        yield PROCEDURE + name, True
        stem = name.partition("_")[0]
        if stem != name and _is_code(stem):
            yield PROCEDURE + stem, False


def titled_names(title: str) -> Iterator[tuple[str, bool]]:
    r"""The keys of what a title names, all of it: a term of several words, else the name itself."""
    bare = _COMMANDED.sub(" ", title).strip(" .:{}~")
    term = special_term(bare)
    if " " in term:
        yield term, True
    elif _WORD.fullmatch(bare) and len(bare) >= _SHORTEST:
        yield PROCEDURE + _plain(bare), True


_COMMANDED = regex(r"\\[A-Za-z]+\*?(?![A-Za-z])|\$[^$]*\$|\([^()]*\)|[{}]")


def used_names(text: str, wanted: Mapping[str, str]) -> Iterator[str]:
    """The keys, by name, of the procedures that a text speaks of."""
    text = text.replace("\\_", "_")
    for word in _WORD.finditer(text):
        key = wanted.get(word[0])
        if key and (_is_code(word[0]) or text[word.end() : word.end() + 1] == "}"):
            yield key


def _plain(name: str) -> str:
    return name.replace("\\_", "_")


def _is_code(name: str) -> bool:
    return _CODE.search(_plain(name)) is not None


def _group(text: str) -> str:
    """What stands before the brace that closes a group."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return text[:place]
    return text
