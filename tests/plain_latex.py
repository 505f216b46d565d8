"""Edits of real papers by somebody who knows LaTeX by plain regular expressions alone.

Nothing here is the product's: blocks, pairs of a result and its proof, references and what may be
edited are found by the expressions below, so that an error of the product's reader cannot hide
itself. A pair is taken only where nobody can doubt it: the environment of a result ends, white
space, a proof begins; neither holds another block, a condition or code that is shown.
"""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import NamedTuple

Texts = Mapping[str, str]

_RESULT = (
    r"(?:thm|theorem|theo|lem|lemma|prop|proposition|cor|coro|corollary|claim|fact|satz|korollar|"
    r"hilfssatz|théorème|lemme|proposizione|teorema|lema|corollario|corolario)\w{0,3}\*?"
)
_BLOCK = (
    rf"(?:{_RESULT}|def\w*|dfn|rem\w*|rmk|ex|exa\w*|eg|exe\w*|exc|not|notation|con\w*|ass\w*|"
    r"hyp\w*|que\w*|prob\w*|obs\w*|note|war\w*|sol\w*|pf|proof|quiz|answer|axi\w*|case|step)\*?"
)
_OPENING = re.compile(
    rf"\\begin\s*\{{({_RESULT})\}}[ \t]*\n?[ \t]*(?:\[[^\[\]$]*\])?", re.IGNORECASE
)
_ANY_BLOCK = re.compile(rf"\\begin\s*\{{({_BLOCK})\}}", re.IGNORECASE)
_PROOF = re.compile(r"\s*\\begin\s*\{(proof|pf)\}", re.IGNORECASE)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_SHOWN = re.compile(
    r"\\begin\s*\{(verbatim|Verbatim|lstlisting|minted|comment|filecontents\*?)\}.*?"
    r"\\end\s*\{\1\}|\\verb\*?([^a-zA-Z\s]).*?\2",
    re.DOTALL,
)
_CONDITION = re.compile(r"\\(?:if(?!f\b|thenelse|stre?q|empty)[a-zA-Z@]*|else|or|fi)\b")
_INPUT = re.compile(r"\\(?:input|include|subfile)\s*\{([^{}]+)\}")
_HEADING = re.compile(r"\\(?:chapter|(?:sub)*section)\*?\s*\{([^{}]*)")
_LABEL = re.compile(r"\\label\s*\{([^{}]+)\}")
_REFERENCE = re.compile(r"\\[a-zA-Z]*(?:ref|uses|proves)\*?\s*(?:\[[^\]]*\])*\s*\{([^{}]+)\}")
_ENDS = re.compile(r"\\end\s*\{document\}|\\endinput\b")
_CODE = re.compile(
    # What has words that are no words of the text: names, keys, lengths, files, pictures, columns.
    r"\\[a-zA-Z]*(?:ref|cite|label|uses|lean|proves|url|href|graphics|input|include|space|skip|"
    r"index|glossary|todo|footnote|marginpar|caption|tag|color|box|rule|style|theorem|title)"
    r"[a-zA-Z]*\*?(?:\s*\[[^\]]*\])*(?:\s*\{(?:[^{}]|\{[^{}]*\})*\})*"
    r"|\\begin\s*\{(tikz\w*|figure|table|tabular\w*|longtable|pspicture|picture|algorithm\w*|"
    r"codi|prooftree|forest|oltableau|tableau|mathpar)\*?\}.*?\\end\s*\{\1\*?\}"
    r"|\\(?:xymatrix|diagram|chain|def|newcommand|renewcommand|let)\b.*?(?=\n\s*\n|\Z)"
    r"|\\(?:begin|end)\s*\{[^{}]*\}(?:\s*\[[^\]]*\])?(?:\{[^{}]*\})?"
    r"|\\item\s*\[[^\]]*\]|\\\\\s*\[[^\]]*\]|\\[a-zA-Z@]+\*?|\\.|\[[^\]]{0,40}\](?=\{)",
    re.DOTALL,
)
_LEFT = re.compile(
    r"omit|exercise|left (?:as|to)|see|cite|url|Mathlib|obvious|trivial|TODO|Übung|exercice",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:cf\.?|vgl\.?|compare|confer|see also|unlike|as opposed to|similar to)(?!\w)"
    r"[^.;]{0,30}\Z",
    re.IGNORECASE,
)
_ARGUMENT = re.compile(r"proof|proven|proved|argument|construct|(?:same|similar)ly|Beweis|preuve")
_PROVES = 6
"""A proof of fewer words may be none; one of some more that mentions another text, too."""
_MATHS = re.compile(
    r"(?<!\\)\$\$(.+?)(?<!\\)\$\$|(?<!\\)\$([^$]+?)(?<!\\)\$|\\\((.+?)\\\)|\\\[(.+?)\\\]"
    r"|\\begin\s*\{(equation|align|gather|multline)\*?\}(.+?)\\end\s*\{\5\*?\}",
    re.DOTALL,
)
_TEXT = re.compile(r"\\(?:text\w*|mbox|intertext)\s*\{[^{}]*\}")


class Span(NamedTuple):
    """From where to where in a file."""

    path: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainBlock:
    """An environment of a result, a definition or their like, with its proof if one is behind it.

    `refers` are the keys that statement and proof refer to, `labels` those that stand in them;
    `uses` are those of `refers` that no word sets aside.
    """

    name: str
    statement: Span
    proof: Span | None
    is_certain: bool
    labels: tuple[frozenset[str], frozenset[str]]
    refers: tuple[frozenset[str], frozenset[str]]
    uses: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainEdit:
    """New texts of files, and what of a paper was edited, from which character of `path` on.

    `gone` are files that are no longer there.
    """

    kind: str
    block: PlainBlock | None
    is_proof: bool
    path: str
    place: int
    said: str
    texts: Texts
    gone: frozenset[str] = field(default=frozenset())


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def masked(text: str) -> str:
    """The text without comments and shown code, each character in its place."""
    text = _SHOWN.sub(_blank, text)
    return _COMMENT.sub(lambda found: found[1] + " " * (len(found[0]) - len(found[1])), text)


def _is_no_proof(text: str) -> bool:
    """Whether what stands in a proof leaves it out or only says where it is."""
    words = re.findall(r"[^\W\d_]{2,}", _CODE.sub(_blank, text))
    return len(words) < _PROVES or (len(words) < 4 * _PROVES and bool(_LEFT.search(text)))


def _is_outside(text: str, place: int) -> bool:
    """Whether no block is open at a place, and no heading says that a proof stands under it."""
    ends = rf"\\end\s*\{{{_BLOCK}\}}"
    headings = _HEADING.findall(text, 0, place)
    return not (headings and "proof" in headings[-1].lower()) and len(
        _ANY_BLOCK.findall(text, 0, place)
    ) == len(re.findall(ends, text[:place], re.IGNORECASE))


@dataclass(frozen=True)
class PlainPaper:
    """The files that a root reads in, as plain expressions see them."""

    root: str
    texts: Texts

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The root and what it reads in outside of blocks, in the order of reading, each once."""
        found: dict[str, None] = {}
        waiting = [self.root]
        folder = posixpath.dirname(self.root)
        while waiting:
            path = waiting.pop()
            if path in found or path not in self.texts:
                continue
            found[path] = None
            text = self._masked(path)
            named = [
                name[1].strip() for name in _INPUT.finditer(text) if _is_outside(text, name.start())
            ]
            named = [posixpath.normpath(posixpath.join(folder, name)) for name in named]
            waiting += reversed([n if n in self.texts else f"{n}.tex" for n in named])
        return tuple(found)

    def _masked(self, path: str) -> str:
        text = masked(self.texts[path])
        end = _ENDS.search(text)
        return text[: end.start()] if end else text

    @cached_property
    def maskeds(self) -> dict[str, str]:
        """The files without comments and what is behind their end."""
        return {path: self._masked(path) for path in self.paths}

    @cached_property
    def blocks(self) -> list[PlainBlock]:
        """All blocks, in the order of reading."""
        return [block for path in self.paths for block in self._blocks(path)]

    @cached_property
    def pairs(self) -> list[PlainBlock]:
        """The results with a proof, where nobody can doubt whose it is."""
        return [block for block in self.blocks if block.is_certain]

    def _blocks(self, path: str) -> Iterator[PlainBlock]:
        text = self.maskeds[path]
        begin = text.find("\\begin{document}")
        end = 0
        for opening in _ANY_BLOCK.finditer(text, max(begin, 0)):
            if opening.start() < end or _PROOF.fullmatch(text, opening.start(), opening.end()):
                continue
            closing = text.find(f"\\end{{{opening[1]}}}", opening.end())
            if closing < 0:
                continue
            end = closing + len(f"\\end{{{opening[1]}}}")
            statement = Span(path, opening.start(), end)
            found = _PROOF.match(text, end)
            after = text.find(f"\\end{{{found[1]}}}", found.end()) if found else -1
            proof = None
            if found and after > 0:
                place = found.start() + found[0].index("\\")
                proof = Span(path, place, after + len(f"\\end{{{found[1]}}}"))
            yield PlainBlock(
                name=opening[1],
                statement=statement,
                proof=proof,
                is_certain=self._is_certain(text, opening, statement, proof, begin),
                labels=(self._keys(_LABEL, statement), self._keys(_LABEL, proof)),
                refers=(self._keys(_REFERENCE, statement), self._keys(_REFERENCE, proof)),
                uses=self._uses(statement) | self._uses(proof),
            )

    def _is_certain(
        self,
        text: str,
        opening: re.Match[str],
        statement: Span,
        proof: Span | None,
        begin: int,
    ) -> bool:
        result = _OPENING.match(text, opening.start())
        if result is None or proof is None or result[1].lower() in {"claim", "fact"}:
            return False
        before = _CONDITION.findall(text, max(begin, 0), opening.start())
        opened = sum(1 - 2 * (name == "\\fi") for name in before if name[1:] not in ("else", "or"))
        inner = text[opening.end() : statement.end], text[proof.start + 8 : proof.end]
        title = re.match(r"\\begin\s*\{\w+\}\s*\[", text[proof.start : proof.end])
        return not (
            opened
            or title
            or _is_no_proof(inner[1])
            or any(_ANY_BLOCK.search(part) or _CONDITION.search(part) for part in inner)
            or "\\input" in "".join(inner)
        )

    @cached_property
    def detached(self) -> list[tuple[Span, frozenset[str]]]:
        """Proofs that stand behind no block, and the keys that they refer to."""
        known = {block.proof for block in self.blocks}
        found = (
            Span(path, start.end() - len(start[0].lstrip()), text.find("\\end{proof}", start.end()))
            for path, text in self.maskeds.items()
            for start in _PROOF.finditer(text)
        )
        spans = (span._replace(end=span.end + len("\\end{proof}")) for span in found)
        return [(span, self._keys(_REFERENCE, span)) for span in spans if span not in known]

    def says(self, block: PlainBlock, pattern: re.Pattern[str]) -> bool:
        """Whether a pattern is found in a block or its proof."""
        spans = filter(None, (block.statement, block.proof))
        return any(pattern.search(self.maskeds[s.path], s.start, s.end) for s in spans)

    def _uses(self, span: Span | None) -> frozenset[str]:
        """The keys that a part refers to without words that set them aside."""
        if span is None:
            return frozenset()
        text = self.maskeds[span.path]
        found = _REFERENCE.finditer(text, span.start, span.end)
        used = [one[1] for one in found if not _ASIDE.search(text, span.start, one.start())]
        return frozenset(key.strip() for keys in used for key in keys.split(","))

    def _keys(self, pattern: re.Pattern[str], span: Span | None) -> frozenset[str]:
        if span is None:
            return frozenset()
        found = pattern.findall(self.maskeds[span.path], span.start, span.end)
        return frozenset(key.strip() for keys in found for key in keys.split(","))


# Edits that change what is said. Each gets the text, the mask in which all that is no text is
# blank, where formulas are, and chance; and gives the place, what was there, what is there now.

_Change = tuple[int, str, str]


class Passage(NamedTuple):
    """A part of a file: its text, and the same without code, in formulas only, outside of them."""

    text: str
    bare: str
    maths: str
    prose: str


def passage(text: str) -> Passage:
    """Make one of a text without comments."""
    bare = _CODE.sub(_blank, text)
    formulas = [False] * len(text)
    for found in _MATHS.finditer(text):
        formulas[found.start() : found.end()] = [True] * (found.end() - found.start())
    prose = "".join(" " if one else b for b, one in zip(bare, formulas, strict=True))
    for found in _TEXT.finditer(text):
        formulas[found.start() : found.end()] = [False] * (found.end() - found.start())
    maths = "".join(b if one else " " for b, one in zip(bare, formulas, strict=True))
    return Passage(text, bare, maths, prose)


def _one(pattern: str, text: str, chance: Random) -> re.Match[str] | None:
    found = list(re.finditer(pattern, text))
    return chance.choice(found) if found else None


def _number(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<![\w.#^])\d{1,3}(?![\w.]|\s*(?:pt|em|cm|mm|ex|in)\b)", part.maths, chance)
    return found and (found.start(), found[0], str(int(found[0]) + 1))


def _sign(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=[\w)}\s])[+-](?=\s*[\w(\\])", part.maths, chance)
    return found and (found.start(), found[0], "-" if found[0] == "+" else "+")


_RELATIONS = {
    "<": ">", ">": "<", "=": "\\neq ", "\\leq": "\\geq", "\\le": "\\ge", "\\geq": "\\leq",
    "\\ge": "\\le", "\\subset": "\\supset", "\\subseteq": "\\supseteq", "\\in": "\\notin",
    "\\cong": "\\simeq", "\\cap": "\\cup", "\\cup": "\\cap", "\\times": "\\oplus",
    "\\to": "\\mapsto", "\\exists": "\\forall", "\\forall": "\\exists",
}  # fmt: skip


def _relation(part: Passage, chance: Random) -> _Change | None:
    maths = [
        found.start()
        for found in re.finditer(r"[<=>]|\\[a-zA-Z]+", part.text)
        if found[0] in _RELATIONS
        and (part.maths[found.start()] == found[0] or _is_inside(part, found.start()))
        and not re.search(r"[:&\\!]$|[<=>]$", part.text[: found.start()])
        and not re.match(r"[<=>-]", part.text[found.end() :])
    ]
    if not maths:
        return None
    place = chance.choice(maths)
    sign = re.match(r"[<=>]|\\[a-zA-Z]+", part.text[place:])
    assert sign
    return place, sign[0], _RELATIONS[sign[0]]


def _is_inside(part: Passage, place: int) -> bool:
    """Whether a command stands in a formula, which the mask of commands does not say."""
    return any(
        found.start() < place < found.end() and not _TEXT.search(found[0])
        for found in _MATHS.finditer(part.text)
    )


_WORDS = "every some finite infinite open closed compact regular linear positive bounded".split()
_WORD = r"(?<![\w\\@-])[a-zäöüéèà]{4,}(?![\w@=-])"


def _word(part: Passage, chance: Random) -> _Change | None:
    found = _one(_WORD, part.prose, chance)
    if found is None:
        return None
    return found.start(), found[0], chance.choice([w for w in _WORDS if w not in found[0]])


def _words_swapped(part: Passage, chance: Random) -> _Change | None:
    found = _one(rf"{_WORD} {_WORD}", part.prose, chance)
    if found is None:
        return None
    one, other = found[0].split(" ")
    return None if one == other else (found.start(), found[0], f"{other} {one}")


_LETTER = r"(?<![a-zA-Z\\@])[a-zA-Z](?![a-zA-Z@])"


def _letter(part: Passage, chance: Random) -> _Change | None:
    found = _one(_LETTER, part.maths, chance)
    other = chance.choice(
        [letter for letter in "abcghjkmpqrstuvwxyz" if not found or letter != found[0].lower()]
    )
    return found and (found.start(), found[0], other)


def _letters_swapped(part: Passage, chance: Random) -> _Change | None:
    found = _one(rf"({_LETTER})[^a-zA-Z$&\\]{{1,6}}({_LETTER})", part.maths, chance)
    if found is None or found[1] == found[2] or part.text[found.start() : found.end()] != found[0]:
        return None
    between = found[0][1:-1]
    return found.start(), found[0], found[2] + between + found[1]


def _denied(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=\w) (?:not )(?=\w)", part.prose, chance)
    if found is not None:
        return found.start(), found[0], " "
    found = _one(r"(?<=\w) (is|are|ist|sind|est|sont) (?=[\w$\\])", part.prose, chance)
    return found and (found.start(), found[0], f"{found[0]}not ")


def _sentence(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=[a-z]{3})\.(?=\s+[A-Z\s])", part.prose, chance)
    added = chance.choice(("Moreover all of them are even.", "Also $2\\neq 3$.", "This is sharp."))
    return found and (found.start(), ".", f". {added}")


def _dropped(part: Passage, chance: Random) -> _Change | None:
    found = _one(rf"(?<=\w) {_WORD}(?= \w)", part.prose, chance)
    return found and (found.start(), found[0], "")


MATHEMATICS: dict[str, Callable[[Passage, Random], _Change | None]] = {
    "a number": _number,
    "a sign": _sign,
    "a relation": _relation,
    "a word": _word,
    "two words swapped": _words_swapped,
    "a letter": _letter,
    "two letters swapped": _letters_swapped,
    "a denial": _denied,
    "a sentence more": _sentence,
    "a word less": _dropped,
}
"""Edits of what is said: whoever reads it has to read it again."""


def _comment(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=[a-z,.])\n(?=[ \t]*[A-Za-z$])", part.prose, chance)
    long = "\n%" + " words that nobody prints, of Lemma \\ref{nothing}" * 30 + "\n"
    notes = " % a note\n", "\n% see \\ref{nothing}\n", "\n  %\\begin{lemma}\n", long
    note = chance.choice(notes)
    return found and (found.start(), "\n", note)


def _blanks(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=[a-z,.]) (?=[A-Za-z])", part.prose, chance)
    return found and (found.start(), " ", chance.choice(("  ", " \t ", "    ")))


def _wrapped(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=[a-z,.=+])(?: |\n)(?=[A-Za-z])", part.bare, chance)
    if found is None:
        return None
    return found.start(), found[0], "\n" if found[0] == " " else " "


def _index(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=[a-z]{4})(?=[ ,.])", part.prose, chance)
    return found and (found.start(), "", "\\index{some entry}")


_BETWEEN = r"(?<![a-z])(?<=[a-z0-9)])(?=[a-z(](?![a-z]))|(?<=,)(?=\s?[a-z])"


def _thin(part: Passage, chance: Random) -> _Change | None:
    found = _one(_BETWEEN, part.maths, chance)
    return found and (found.start(), "", chance.choice(("\\,", "\\;", "\\!")))


def _put(text: str) -> Callable[[Passage, Random], _Change | None]:
    """Put something that prints nothing between two words."""

    def change(part: Passage, chance: Random) -> _Change | None:
        found = _one(r"(?<=[a-z,]{3} )(?=[a-z]{3,} )", part.prose, chance)
        return found and (found.start(), "", text)

    return change


def _around(before: str, after: str) -> Callable[[Passage, Random], _Change | None]:
    """Print a word otherwise."""

    def change(part: Passage, chance: Random) -> _Change | None:
        found = _one(rf"(?<= ){_WORD}(?=[ ,.])", part.prose, chance)
        return found and (found.start(), found[0], before + found[0] + after)

    return change


def _rewritten(pattern: str, new: str) -> Callable[[Passage, Random], _Change | None]:
    """Write what a pattern finds in another way, where it is no part of a name or a key."""

    def change(part: Passage, chance: Random) -> _Change | None:
        found = [
            found
            for found in re.finditer(pattern, part.text)
            if found[0].startswith("\\")
            or all(
                part.bare[place] == part.text[place]
                for place in range(max(0, found.start() - 2), found.start() + 1)
            )
        ]
        if not found:
            return None
        chosen = chance.choice(found)
        return chosen.start(), chosen[0], chosen.expand(new)

    return change


def _dollars(part: Passage, chance: Random) -> _Change | None:
    found = [f for f in _MATHS.finditer(part.text) if f[2] and part.bare[f.start()] == "$"]
    chosen = chance.choice(found) if found else None
    return chosen and (chosen.start(), chosen[0], f"\\({chosen[2]}\\)")


def _parenthesis(part: Passage, chance: Random) -> _Change | None:
    found = _one(r"(?<=[a-z])\(([a-z](?:,[a-z])*)\)(?=[\s$,.+=)])", part.maths, chance)
    return found and (found.start(), found[0], f"\\bigl({found[1]}\\bigr)")


SILENT: dict[str, Callable[[Passage, Random], _Change | None]] = {
    "a comment": _comment,
    "white space": _blanks,
    "a line's end": _wrapped,
    "an index entry": _index,
    "a thin space": _thin,
    "less or equal": _rewritten(r"\\leq(?![a-zA-Z])", r"\\le"),
    "greater or equal": _rewritten(r"\\geq(?![a-zA-Z])", r"\\ge"),
    "not equal": _rewritten(r"\\neq(?![a-zA-Z])", r"\\ne"),
    "a script in braces": _rewritten(r"(?<=[a-zA-Z])([_^])([a-z0-9])(?![\w{\\'])", r"\1{\2}"),
    "dots": _rewritten(r"\\ldots(?![a-zA-Z])", r"\\dots"),
    "braces by name": _rewritten(r"\\\{([^{}\\]{1,20})\\\}", r"\\lbrace \1\\rbrace "),
    "italics": _rewritten(r"\\emph\{", r"\\textit{"),
    "other dollars": _dollars,
    "display style": _rewritten(r"(?<![\\$])\$(?=[a-zA-Z] *[=<+])", r"$\\displaystyle "),
    "a wide space": _rewritten(r"\\quad(?![a-zA-Z])", r"\\qquad"),
    "a tie": _rewritten(r"(?<=[a-z]{4}) (?=\\[a-zA-Z]*ref\{)", "~"),
    "no indentation": _rewritten(r"(?<=[a-z]\. )(?=[A-Z][a-z]+ [a-z])", r"\\noindent "),
    "a large parenthesis": _parenthesis,
    "blanks in a citation": _rewritten(r"\\cite\{([^{},]+),([^{},]+)\}", r"\\cite{\1, \2}"),
    "no number": _rewritten(r"\\\\(?=\s*\n\s*&\s*(?:[=<>+]|\\[lg]e))", r"\\nonumber\\\\"),
    "where a page may end": _put("\\pagebreak[3] "),
    "a target": _put("\\hypertarget{some-place}{}"),
    "a vertical space": _put("\\vspace{2pt} "),
    "a note to oneself": _put("\\todo{why?} "),
    "a colour": _around("\\textcolor{red}{", "}"),
    "small print": _around("{\\small ", "}"),
}
"""Edits that no reader sees: nobody has to read anything again."""


def edit_inside(
    paper: PlainPaper, kind: str, block: PlainBlock, *, is_proof: bool, chance: Random
) -> PlainEdit | None:
    """One edit of a kind in a statement or a proof; None if there is nothing to edit that way."""
    span = block.proof if is_proof else block.statement
    assert span
    text, hidden = paper.texts[span.path], paper.maskeds[span.path]
    opening = (_OPENING if not is_proof else _PROOF).match(hidden, span.start)
    start = opening.end() if opening else span.start
    end = hidden.rfind("\\end", span.start, span.end)
    change = (MATHEMATICS | SILENT)[kind](passage(hidden[start:end]), chance)
    if change is None:
        return None
    place, old, new = start + change[0], change[1], change[2]
    if not text.startswith(old, place):
        return None  # a comment is in the way
    changed = text[:place] + new + text[place + len(old) :]
    around = text[max(start, place - 30) : place + len(old) + 30]
    return PlainEdit(
        kind=kind,
        block=block,
        is_proof=is_proof,
        path=span.path,
        place=place,
        said=f"{old!r} -> {new!r} in {around!r}",
        texts={span.path: changed},
    )


def rename_label(paper: PlainPaper, chance: Random) -> PlainEdit | None:
    """A label gets another name, with all its references."""
    keys = sorted(
        key
        for block in paper.pairs
        for key in block.labels[0]
        if re.fullmatch(r"[A-Za-z0-9]+[:_-][A-Za-z0-9:_-]+", key)
        and sum(text.count(f"\\label{{{key}}}") for text in paper.texts.values()) == 1
    )
    if not keys:
        return None
    key = chance.choice(keys)
    pattern = re.compile(rf"(?<=[{{\[,\s]){re.escape(key)}(?=\s*[}}\],])")
    texts = {path: pattern.sub(f"{key}-new", text) for path, text in paper.texts.items()}
    texts = {path: text for path, text in texts.items() if text != paper.texts[path]}
    return _everywhere("a label renamed", key, texts)


def rename_file(paper: PlainPaper, chance: Random) -> PlainEdit | None:
    """A file that is read in gets another name."""
    reads: dict[str, list[tuple[str, re.Match[str]]]] = {}
    folder = posixpath.dirname(paper.root)
    for path in paper.paths:
        for found in _INPUT.finditer(paper.maskeds[path]):
            name = posixpath.normpath(posixpath.join(folder, found[1].strip()))
            name = name if name in paper.texts else f"{name}.tex"
            reads.setdefault(name, []).append((path, found))
    once = sorted(name for name, found in reads.items() if len(found) == 1 and name in paper.texts)
    if not once:
        return None
    name = chance.choice(once)
    path, found = reads[name][0]
    text = paper.texts[path]
    new = f"{found[1].strip().removesuffix('.tex')}-moved"
    target = posixpath.normpath(posixpath.join(folder, new)) + ".tex"
    changed = text[: found.start(1)] + new + text[found.end(1) :]
    texts = {path: changed, target: paper.texts[name]}
    made = _everywhere("a moved file", name, texts)
    return PlainEdit(
        kind=made.kind, block=None, is_proof=False, path=path, place=found.start(),
        said=name, texts=texts, gone=frozenset({name}),
    )  # fmt: skip


def move_pair(paper: PlainPaper, chance: Random) -> PlainEdit | None:
    """A result with its proof goes to a file of its own, from one blank line to the next."""
    listed = []
    for block in paper.pairs:
        assert block.proof
        text = paper.texts[block.statement.path]
        before, after = text[: block.statement.start], text[block.proof.end :]
        if re.search(r"(?:\n[ \t]*\n|\\end\{\w+\}\s*\n)[ \t]*$", before) and re.match(
            r"[ \t]*\n", after
        ):
            listed.append(block)
    if not listed:
        return None
    block = chance.choice(listed)
    assert block.proof
    path, start, end = block.statement.path, block.statement.start, block.proof.end
    text = paper.texts[path]
    target = posixpath.join(posixpath.dirname(paper.root), "moved-pair.tex")
    texts = {path: f"{text[:start]}\\input{{moved-pair}}{text[end:]}", target: text[start:end]}
    return _everywhere("a result moved to a file", f"{path}:{start}", texts)


def _everywhere(kind: str, said: str, texts: Texts) -> PlainEdit:
    return PlainEdit(
        kind=kind, block=None, is_proof=False, path="", place=0, said=said, texts=texts
    )


WHOLE = (rename_label, rename_file, move_pair)
"""Edits of whole papers that no reader sees."""


def readers(paper: PlainPaper, block: PlainBlock, *, is_proof: bool) -> tuple[set[int], set[int]]:
    """The numbers of the blocks that must and that may see an edit, besides its own.

    Of a statement: those that refer to it and have a proof for certain; and those that get there by
    references of statements. Of a proof: those that refer to what is labelled in it, and those that
    speak of an argument and refer to its result.
    """
    must: set[int] = set()
    may: set[int] = set()
    waiting = [block.labels[1] if is_proof else block.labels[0]]
    first = not is_proof
    while waiting:
        keys = waiting.pop()
        for number, other in enumerate(paper.blocks):
            if number in may or other is block:
                continue
            cited = [not keys.isdisjoint(refers) for refers in other.refers]
            if any(cited):
                may.add(number)
                if cited[0]:
                    waiting.append(other.labels[0] | other.labels[1])
            if first and other.is_certain and not keys.isdisjoint(other.uses):
                must.add(number)
        first = False
    if is_proof:
        may |= {
            number
            for number, other in enumerate(paper.blocks)
            if any(not block.labels[0].isdisjoint(refers) for refers in other.refers)
            and paper.says(other, _ARGUMENT)
        }
    return must, may
