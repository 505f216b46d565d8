r"""Procedures that a paper names: algorithms, games and protocols, by the names in their captions.

A claim says "\textsc{PeelLeaves} ends in linear time", and the procedure is in a float whose
caption has the name, in a paragraph that begins with it or says "\textsc{PeelLeaves} works as
follows", or under a heading that names it. A name is recognised by its style: that of code,
`peel_leaves`, or a font for such names. "The algorithm" is the last one that was described. The
words are in `procedure_words.toml`.
"""

import re
from collections.abc import Iterator, Mapping

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.phrases import PROCEDURE_WORDS
from pfcore.latex.language.terms import special_term

PROCEDURE = "@:"
"""The prefix of the key of a name; by itself the key of any procedure: "the algorithm"."""
STEPPED = f"{PROCEDURE}."
"""The key of any procedure with numbered steps: "Step 2"."""

_NAME = r"[A-Za-z][A-Za-z0-9]*+(?:(?:\\?_|-)[A-Za-z0-9]++)*+"
_CODE = regex(r"\d|_|[a-z][A-Z]")
_STYLED = regex(
    r"\\(?:textsc|texttt|textsf|proc|algo|(?:re)?intro|emph|textit|textbf)"
    rf"\*?(?:\([^()]{{0,40}}\))?(?:\[[^\[\]]{{0,40}}\])?\s*\{{\s*(?P<name>{_NAME})\s*\}}"
)
_CALLED = regex(r"(?<!\w)(?:{titled})[\s~:]+\Z", words_of=PROCEDURE_WORDS)
_LEAD = regex(r"[\s~]*(?:(?:[Tt]he|[Aa]n?|[Oo]ur|D(?:er|ie|as)|L[ae]s?|L')[\s~]*)?")
_CALLED_BEHIND = regex(r"[\s~-]+(?:{titled})(?!\w)", words_of=PROCEDURE_WORDS)
_CAPTION = regex(r"\\caption\*?\s*(?:\[[^\[\]]{0,300}\])?\s*\{")
_LONGEST_CAPTION = 300
_BEGINS = regex(
    r"(?:\\vspace\*?\s*\{[^{}]*\}\s*|\\[a-z]{0,8}(?:skip|space|indent|par)(?![A-Za-z*])"
    r"\s*(?:=?\s*[\d.]+\s*(?:pt|e[mx]|[cm]m)\s*)?)*"
    r"(?P<kind>(?:\{?\\(?:bf|textbf|bfseries)(?![A-Za-z])\s*\{?\s*)?"
    r"(?:(?:{titled})|proc)[\s}:.~]*)?"
    r"(?:\{\s*\\(?:it|em|tt|sc|sf|bf)(?![A-Za-z])\s*|\\(?:emph|textit|texttt|textsc|textsf|textbf)\s*\{\s*"
    r"|(?(kind)\\[A-Za-z]+\s*\{\s*|(?!)))"
    rf"(?P<name>{_NAME})\s*\}}\s*(?:\$?\([^()]{{0,80}}\)\$?)?\s*(?P<colon>:)?",
    words_of=PROCEDURE_WORDS,
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
_NEAR = r"[^.:;$]{0,80}?(?<!\w)"
_WHICH = r"[\s~]*(?:\\cite|\x02|\d|\\text|\{|\$)"
_ANNOUNCING = regex(
    rf"(?<!\w)(?:(?:{{kind}})s?(?!\w){_NEAR}(?:{{as_follows}})(?!\w)"
    r"|(?:{following})[\s~]+(?:[\w-]+[\s~]+){0,3}?(?:{kind})s?(?!\w))",
    re.IGNORECASE,
    words_of=PROCEDURE_WORDS,
)
"""A sentence that says that a procedure follows: "the algorithm works as follows"."""
_MEANT = regex(
    r"(?<!\w)(?:(?:{the})(?:(?<=['\u2019])|[\s~]+)(?:{kind})"
    rf"(?!\w|{_WHICH}|[\s~]+(?:{{which}})(?!\w))"
    r"|(?P<new>{new})[\s~]+(?:[\w-]+[\s~]+){0,3}?(?:{kind})(?!\w))",
    re.IGNORECASE,
    words_of=PROCEDURE_WORDS,
)
"""Words for a procedure without its name that do not say which one."""
_ABOUT_ONE = regex(
    r"\W*(?:[\w-]+[\s~]+)?(?:{about})(?!\w)", re.IGNORECASE, words_of=PROCEDURE_WORDS
)
"""The beginning of a heading that is about a procedure but does not describe it."""
_STEP = regex(
    r"(?:{step})s?[\s~]*\(?(?P<number>\d{1,2})(?!\d)", re.IGNORECASE, words_of=PROCEDURE_WORDS
)
"""A step by its number."""


def is_procedure(env: str, text: str) -> bool:
    """Whether a float contains an algorithm or the like, rather than a picture."""
    return _FLOATS.search(env) is not None or _CODED.search(text) is not None


def beginning_of_procedure(paragraph: str) -> int | None:
    """Where a paragraph begins to describe a procedure: at its name, or at an announcement.

    None if it does not.
    """
    found = _BEGINS.match(paragraph)
    if (found and _is_named(found)) or _BOX.match(paragraph):
        return 0
    announced = _ANNOUNCING.search(paragraph)
    return announced.start() if announced else None


def given_names(text: str) -> Iterator[tuple[str, bool]]:
    """The keys of the procedures that a text describes, and whether it describes all of each.

    A paragraph `PEEL2_start` is a part of `PEEL2`. No text is all of "the algorithm", which may
    mean any procedure.
    """
    yield PROCEDURE, False
    if _NUMBERED.search(text) or any(int(step["number"]) == 2 for step in _STEP.finditer(text)):
        yield STEPPED, False
    yield from _given_names(text)


def _given_names(text: str) -> Iterator[tuple[str, bool]]:
    heading = _HEADING.match(text)
    if heading and (named := list(names_in_heading(heading["title"]))):
        yield from ((PROCEDURE + name, True) for name in named)
    elif _CAPTION.search(text):
        yield from ((PROCEDURE + name, True) for name in _names_in_captions(text))
    elif box := _BOX.match(text.lstrip()):
        yield from titled_names(box["name"])
    else:
        yield from _names_of_paragraph(text.lstrip())


def _names_in_captions(text: str) -> Iterator[str]:
    for match in _CAPTION.finditer(text):
        caption = text[match.end() : match.end() + _LONGEST_CAPTION]
        yield from names_in_heading(caption[:_NEAR_NAME])
        for styled in _STYLED.finditer(_group(caption)):
            name = _plain(styled["name"])
            lead = caption[: styled.start()]
            is_first = _LEAD.fullmatch(lead) is not None
            is_first &= _is_code(name) or _CALLED_BEHIND.match(caption, styled.end()) is not None
            if len(name) >= _SHORTEST and (is_first or _CALLED.search(lead)):
                yield name


def _names_of_paragraph(text: str) -> Iterator[tuple[str, bool]]:
    found = _BEGINS.match(text)
    if found and _is_named(found):
        name = _plain(found["name"])
        yield PROCEDURE + name, True
        stem = name.partition("_")[0]
        if stem != name and _is_code(stem):
            yield PROCEDURE + stem, False
    elif announced := _ANNOUNCING.search(text):
        near = text[max(0, announced.start() - _NEAR_NAME) : announced.end()]
        named = (_plain(styled["name"]) for styled in _STYLED.finditer(near))
        yield from ((PROCEDURE + name, True) for name in named if _is_code(name))


def _is_named(beginning: re.Match[str]) -> bool:
    """Whether a paragraph that begins with words in a font begins with a procedure's name."""
    is_code = beginning["colon"] is not None and _is_code(beginning["name"])
    return beginning["kind"] is not None or is_code


def names_in_heading(title: str) -> Iterator[str]:
    r"""The names of a procedure in its heading: "Algorithm \textsc{Peel}", "The PEEL game"."""
    title = title[:_LONGEST_TITLE]
    if _ABOUT_ONE.match(title):
        return
    for styled in _IN_HEADING.finditer(title):
        name = _plain(styled["name"] or styled["bare"])
        is_own = styled["name"] or _is_code(name) or name.isupper()
        before = _CALLED.search(title, max(0, styled.start() - _NEAR_NAME), styled.start())
        is_called = before or _CALLED_BEHIND.match(title, styled.end())
        if is_own and is_called and len(name) >= _SHORTEST:
            yield name


_HEADING = regex(
    r"\\textbf\{(?P<title>(?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}){1,200})\}"
)
"""A run-in heading, or one in the same font."""
_NUMBERED = regex(
    r"\\begin\{(?:compact)?enum|\\begin\{algorithmic\}\s?\[[1-9]"
    r"|(?:\\\\|\\item\[?|\A|\})\s*\(?2[.):](?!\d)"
)
"""A list of steps with numbers."""
_IN_HEADING = regex(
    rf"(?:\\[A-Za-z]+\s*)?\{{\s*+(?:\\[A-Za-z]++\s*+(?:\{{\s*+)?+)*+(?P<name>{_NAME})[\s.:}}]*\}}|(?<![\w\\])(?P<bare>{_NAME})"
)
_NEAR_NAME = 40
_LONGEST_TITLE = 200


def titled_names(title: str) -> Iterator[tuple[str, bool]]:
    r"""The key that a whole title names: a term of several words, or else the name itself."""
    bare = _COMMANDED.sub(" ", title).strip(" .:{}~")
    term = special_term(bare)
    if " " in term:
        yield term, True
    elif _WORD.fullmatch(bare) and len(bare) >= _SHORTEST:
        yield PROCEDURE + _plain(bare), True


_COMMANDED = regex(r"\\[A-Za-z]+\*?(?![A-Za-z])|\$[^$]*\$|\([^()]*\)|[{}]")


def used_names(text: str, wanted: Mapping[str, str]) -> Iterator[str]:
    """The keys of the procedures that a text mentions; `wanted` are the keys by name."""
    text = text.replace("\\_", "_")
    for word in _WORD.finditer(text):
        key = wanted.get(word[0])
        if key and (_is_code(word[0]) or text[word.end() : word.end() + 1] == "}"):
            yield key


def uses_procedure(text: str) -> bool:
    """Whether a text mentions "the algorithm", and does not introduce one."""
    first = _MEANT.search(text)
    return first is not None and first["new"] is None


def spoken_of(key: str, text: str) -> re.Match[str] | None:
    """Where a text mentions a procedure without its name: the words for one of the two keys."""
    return (_STEP if key == STEPPED else _MEANT).search(text)


def _plain(name: str) -> str:
    return name.replace("\\_", "_")


def _is_code(name: str) -> bool:
    return _CODE.search(_plain(name)) is not None


def _group(text: str) -> str:
    """The text before the brace that closes its group."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return text[:place]
    return text
