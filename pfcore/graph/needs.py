"""What a module needs: symbols and terms that it uses and does not bind, with their outcomes.

A need is supplied by the passages that introduce it, ambiguous if several might, or unexplained.

Also finds hubs: definitions in the contexts of many more claims than use their words.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence, Set
from enum import StrEnum
from functools import cache, cached_property, partial
from itertools import chain, pairwise
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Module, ModulePart, Passage, Role
from pfcore.graph.building.introduction_index import NOTHING, Supply
from pfcore.graph.context import is_binding, members
from pfcore.graph.document import ProofDocument, linked_modules
from pfcore.graph.paper_state import PaperState
from pfcore.latex.language.binding import bound, is_bound, with_exponent
from pfcore.latex.language.formula_keys import NAMES, STATES, SUPPOSES
from pfcore.latex.language.introduced_symbols import introduced_symbols
from pfcore.latex.language.introductions import POINTED, SET_UP, assumption_names, is_cued
from pfcore.latex.language.notation import (
    SHAPED,
    FencedFormula,
    NotationUse,
    applied_in,
    decorated_in,
    fences_in,
    formulas,
    head_of,
    heads_of,
    is_letter,
    is_plain,
    keys_of_uses,
    sentences,
    symbols_in,
)
from pfcore.latex.language.procedures import PROCEDURE, STEPPED, spoken_of
from pfcore.latex.language.terms import normal_words, words_of_key
from pfcore.latex.lexer.leftover_code import with_formulas
from pfcore.latex.lexer.letters import with_letters
from pfcore.latex.structure.titles import with_name

_SECTION, _ALGORITHM = "section", "algorithm"


class NeedOutcome(StrEnum):
    """The outcome of a need; ambiguous if several sites are equally good."""

    SUPPLIED = "supplied"
    AMBIGUOUS = "ambiguous"
    UNEXPLAINED = "unexplained"


class Need(NamedTuple):
    """A symbol or term that a module uses and does not bind, as written at its first use.

    `via` are the ids of the modules that supply it, or that might if that is ambiguous.
    """

    key: str
    part: ModulePart
    path: str
    line: int
    outcome: NeedOutcome
    via: tuple[str, ...]


class _Use(NamedTuple):
    """The first use of a symbol in a text: its keys, as written, its place, its formula's number.

    `is_alone` if it is the whole formula, `is_drawn` if it is in a drawing.
    """

    keys: tuple[str, ...]
    written: str
    start: int
    formula: int
    is_alone: bool
    is_drawn: bool


def needs_of(state: PaperState, name: str) -> tuple[Need, ...]:
    """The needs of a module, each once, in the order of its passages: symbols, then terms."""
    return tuple(_ModuleNeeds(state, state.document.modules[name]).found())


def stands_first(state: PaperState, name: str, need: Need) -> str:
    """A definition with an unexplained symbol, else the first module with it; "" without any.

    A module that is not a definition must precede this one.
    """
    use = next(iter(symbols_in(need.key)), None)
    if use is None or _CITED_NAME.fullmatch(need.key):
        return ""
    head, draft = head_of(use.keys[-1]), state.assembly.draft
    word = max(_LETTERS.findall(head), key=len, default="")
    own = state.document.modules[name]
    first = ""
    for position, other in draft.ids.items():
        path, number, *_ = draft.order.entries[position]
        text = state.paper.texts(path)[number] if _has_head(state, path, head) else ""
        if word not in text or other in (name, own.parent):
            continue
        if not any(use.keys[0] in keys for keys in keys_of_uses(text)) and (
            is_plain(head) or head not in heads_of(text)
        ):
            continue
        if state.document.modules[other].role is Role.DEFINITION:
            return other
        if not first and position < own.position:
            first = other
    return first


def _has_head(state: PaperState, path: str, head: str) -> bool:
    return f"\n{head}\n" in f"\n{state.paper.readings[path].notation}\n"


class _ModuleNeeds:
    """Finds the needs in the passages of one module."""

    def __init__(self, state: PaperState, module: Module) -> None:
        self._state = state
        self._module = module
        self._resolver = state.assembly.resolver
        self._index = state.assembly.usage.terms
        self._seen: set[str] = set()

    def found(self) -> Iterator[Need]:
        """All needs."""
        yield from self._of(ModulePart.STATEMENT, self._module.statement)
        for proof in self._module.proofs:
            yield from self._of(ModulePart.PROOF, proof)

    def _of(self, part: ModulePart, passage: Passage) -> Iterator[Need]:
        text, path = self._text(passage), passage.location.path
        place = _SourceSearch(self._state, passage, text)
        told: set[str] = set()
        needed = self._resolver.supplies(self._module, passage)
        own = cache(partial(self._explained, passage))
        for use in _uses(text):
            keys = with_exponent(use.keys, self._index.sites)
            need = "\t".join(key for key in keys if key in self._index.sites)
            supply = needed.get(need, NOTHING)
            if supply.names or self._wants_introduction(use, own, supply):
                found = self._outcome(need or _family(use.keys), supply)
                if found:
                    told.add(use.written)
                    yield Need(use.written, part, path, place.of_symbol(use), *found)
        for need, supply in needed.items():
            if need[0] != "#" or need.startswith(SHAPED):
                is_told = supply.names or len(supply.rivals) > 1
                is_told = is_told or self._is_lost(need, passage)
                found = self._outcome(need, supply) if is_told else None
                shaped = next(_uses_of_shape(text, need), None) if found else None
                if found and shaped and shaped.written not in told:
                    yield Need(shaped.written, part, path, place.of_symbol(shaped), *found)
                elif found and not shaped:
                    yield Need(*_as_written(need, part, path, place), *found)
        for name in self._lacking_names(text):
            yield Need(name, part, path, place.of_name(name)[1], NeedOutcome.UNEXPLAINED, ())

    def _is_lost(self, need: str, passage: Passage) -> bool:
        """Whether a need is a reference to a section for a setup that was not found there."""
        if not need.startswith(SET_UP):
            return False
        mention = passage.mentions[int(need[len(SET_UP) :])]
        targets = self._resolver.targets(mention, self._module, passage)
        return any(target.word == _SECTION for target in targets)

    def _lacking_names(self, text: str) -> Iterator[str]:
        """The names like "(A1)" that a text cites and the paper never introduces, each once."""
        if not _CITED_NAME.search(text):
            return
        own = {name for name, is_given in assumption_names(text) if is_given}
        bare = _without_formulas(text)
        for match in _CITED_NAME.finditer(bare):
            key = f"@{match['name']}"
            is_known = key in own or key in self._index.sites or key in self._seen
            if not is_known and not _ELSEWHERE.match(bare, match.end()):
                self._seen.add(key)
                if not self._is_printed(match["name"]):
                    yield match[0]

    def _is_printed(self, name: str) -> bool:
        """Whether some text of the paper introduces a name, or LaTeX counts such names."""
        letters = name.rstrip("0123456789'′")
        counted = re.compile(rf"\((?:\\[a-z]+\s?\{{)?{letters}[\s.-]?\\(?:arabic|the)")
        listed = re.compile(rf"\\(?:item\s?\[|tag\*?\{{)[^\[\]\n]{{0,30}}{name}(?!\w)")
        for path in self._state.paper.readings:
            source = self._state.paper.source(path)
            if counted.search(source) or listed.search(source):
                return True
        return any(
            f"@{name}" in (given for given, is_given in assumption_names(text) if is_given)
            for path in self._state.paper.readings
            for text in self._state.paper.texts(path)
        )

    def _outcome(self, need: str, supply: Supply) -> tuple[NeedOutcome, tuple[str, ...]] | None:
        """The outcome of a need; None if it is a repetition, or its own module introduces it."""
        if need in self._seen or self._module.id in supply.names:
            return None
        self._seen.add(need)
        if supply.names:
            return NeedOutcome.SUPPLIED, supply.names
        if len(supply.rivals) > 1 or self._is_named_elsewhere(need, supply.rivals):
            return NeedOutcome.AMBIGUOUS, supply.rivals
        return NeedOutcome.UNEXPLAINED, ()

    def _is_named_elsewhere(self, need: str, names: tuple[str, ...]) -> bool:
        """Whether exactly one module names a letter, but does not supply it here."""
        keys = need.split("\t")
        return len(names) == 1 and any(
            site.name in names and site.strength in (NAMES, STATES)
            for key in keys
            for site in self._index.sites.get(key, ())
        )

    def _wants_introduction(self, use: _Use, own: Callable[[], Set[str]], supply: Supply) -> bool:
        """Whether a text should explain a symbol that nothing supplies.

        Not for signs of TeX, powers, names that are words, and symbols that it introduces itself.
        For a letter only if it is a formula by itself or a function, and its own chapter has rivals
        for it, or if it is an unexplained capital Greek one.
        """
        head = head_of(use.keys[-1])
        is_sign = _SIGN.match(head) is not None and not (head[1] == "\\" and is_letter(head))
        if use.is_drawn or is_sign or _WORDED.fullmatch(use.written):
            return False
        is_capital = _CAPITAL.fullmatch(head) is not None and not supply.rivals
        if is_plain(use.keys[0].removesuffix("(")) and not is_capital:
            is_used = use.is_alone or use.keys[0].endswith("(")
            if not (is_used and is_letter(head)) or is_bound(use.keys, own()):
                return False
            if len(supply.rivals) > 1:
                return use.is_alone and self._are_near(supply.rivals)
            return self._is_named_elsewhere("\t".join(use.keys), supply.rivals)
        if is_bound(use.keys, own()) or len(supply.rivals) > 1:
            return not is_bound(use.keys, own())
        if is_capital:
            return head not in own()
        bare = _without_powers(use.written)
        name = _NAME.fullmatch(head)
        word = name[2].lower() if name else ""
        is_script = name is not None and name[1] in _SCRIPT_FONTS
        is_known = word in _KNOWN and not (is_script and word in _LETTERS_OF_SCRIPT)
        if not bare or is_bound(bare, own()) or is_known or word in self._index.sites:
            return False
        is_numbered = _NUMBERED.fullmatch(bare[0]) is not None
        return not is_plain(head) or (is_numbered and head not in own())

    def _explained(self, passage: Passage) -> Set[str]:
        """The keys that a passage, or one around it, explains."""
        around = self._resolver.around(self._module, passage)
        texts = (self._text(one) for one in (*around, passage))
        return frozenset(key for text in texts for key in _explained(text))

    def _are_near(self, names: tuple[str, ...]) -> bool:
        """Whether some modules are under the same outermost heading as this one."""
        top = self._module.section[:1]
        return all(self._state.document.modules[name].section[:1] == top for name in names)

    def _text(self, passage: Passage) -> str:
        path = passage.location.path
        block = self._state.paper.readings[path].blocks[passage.block]
        text = self._state.paper.texts(path)[passage.block]
        return with_letters(with_formulas(with_name(text, block.title, block.kind)))


def _as_written(
    need: str, part: ModulePart, path: str, place: "_SourceSearch"
) -> tuple[str, ModulePart, str, int]:
    """A need that is not a symbol: as written in the source, its part, file and line."""
    is_code = need.startswith(PROCEDURE)
    if need.startswith(SET_UP):
        written, line = place.of_term(_SECTION)
    elif need in (PROCEDURE, STEPPED):
        written, line = place.of_procedure(need)
    elif need[0] == "@" and need != POINTED:
        name = need.removeprefix(PROCEDURE) if is_code else f"({need[1:]})"
        written, line = place.of_name(name)
    else:
        written, line = place.of_term(need)
    return written, part, path, line


def _uses(text: str) -> Iterator[_Use]:
    """The symbols of a text, each once."""
    seen: set[tuple[str, ...]] = set()
    for number, formula in enumerate(formulas(text)):
        for use in symbols_in(formula.body):
            if use.keys not in seen:
                seen.add(use.keys)
                yield _use(use, number, formula)


def _uses_of_shape(text: str, shape: str) -> Iterator[_Use]:
    """The symbols of a text with a shape."""
    for number, formula in enumerate(formulas(text)):
        for use in chain(*(find(formula.body) for find in _SHAPES)):
            if use.keys[0] == shape:
                yield _use(use, number, formula)


_SHAPES = (fences_in, decorated_in, applied_in)


def _use(use: NotationUse, number: int, formula: FencedFormula) -> _Use:
    written = formula.body[use.start : use.end].strip()
    return _Use(
        keys=use.keys,
        written=written,
        start=formula.inside + use.start,
        formula=number,
        is_alone=written == formula.body.strip(),
        is_drawn=_DRAWING.search(formula.body) is not None,
    )


def _explained(text: str) -> Iterator[str]:
    """The keys that a text binds or introduces, or whose first use is in a relation or a list.

    An equation with a number does not explain a symbol. A letter with two different indices is a
    family of the text's own.
    """
    yield from bound(text)
    for sentence in filter(is_cued, sentences(text)):
        yield from (key for key, how in introduced_symbols(sentence) if how >= SUPPOSES)
    seen: dict[str, str] = {}
    for formula in formulas(text):
        is_list = bool(_LIST.match(formula.body) or _DOTS.search(formula.body))
        for below in _BELOW.finditer(formula.body):
            yield from (use.keys[0] for use in symbols_in(below[1]))
        for use in symbols_in(formula.body):
            first, head = use.keys[0], head_of(use.keys[-1])
            is_new = first not in seen or not formula.body[: use.start].strip()
            if is_new and (is_list or _RELATED.match(formula.body, use.end)):
                yield from use.keys if is_plain(use.keys[-1]) else use.keys[:1]
            if seen.setdefault(head, first) != first and is_plain(head):
                yield head
            seen[first] = first


def _without_powers(written: str) -> tuple[str, ...]:
    """The keys of a symbol without its powers and primes; none if only a letter remains."""
    use = next(iter(symbols_in(_POWERS.sub("", written))), None)
    return use.keys if use and not is_plain(use.keys[0].removesuffix("(")) else ()


def _family(keys: tuple[str, ...]) -> str:
    """The key that counts once: a decorated head, else the letter with its index."""
    return keys[min(1, len(keys) - 1)] if is_plain(keys[-1]) else keys[-1]


_RELATED = regex(
    r"\s{0,9}(?:\((?:[^()]|\([^()]{0,40}\)){0,80}\))?\s{0,9}&?\s{0,9}"
    r"(?:=(?!\s{0,9}-?\d+\s{0,9}[,.]?\s{0,9}\Z)"
    r"|:|\\(?:in|ni|colon|subset|subseteq|to|mapsto)(?![A-Za-z]))"
)
_LIST = regex(r"\s*(?:\\left|\\[bB]igg?l?)?\s*(?:\(|\\\{)")
_DOTS = regex(r"dots|\.\.\.")
_BELOW = regex(
    r"\\(?:sum|prod|coprod|big[a-z]{1,8}|lim[a-z]{0,3}|sup|inf|max|min|int)(?:\\limits)?\s?_\s?\{"
    r"([^{}]{0,60}?(?:\{[^{}]{0,60}\}[^{}]{0,60}?){0,3}?)"
    r"(?:\\(?:in|to|subset(?:eq)?|le|ge)(?![A-Za-z])|[=:<>])"
)
_POWERS = regex(r"\^\s*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}|\\[A-Za-z]+|.)|'+")
_SIGN = regex(
    r"#(?:[*|)\]]|\\[|#&%$]|\\(?:text[a-z]*|mbox|hbox)(?![A-Za-z])"
    r"|\\(?:overline|underline|widehat|widetilde)\{[^{}]*[({+]|\\[A-Za-z]+\Z)"
)
_WORDED = regex(r"\\(?:text[a-z]{0,6}|[hm]box)\s?\{[^\W\d_]{2,30}\}")
"""A word of text in a formula."""
_NUMBERED = regex(r"#(?:\\[A-Za-z]+|[^\W\d_])_(?:\d+|\{\d+\})")
_CAPITAL = regex(r"#\\(?:Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Upsilon|Phi|Psi|Omega)(?![A-Za-z])")
_DRAWING = regex(r"\\begin\{tikz|\\xymatrix|\\(?:node|arrow|draw|ar)(?![A-Za-z])")
_CITED_NAME = regex(r"(?<![\w)])\((?P<name>[A-Z]{1,3}\d{1,2}['′]?)\)(?!\w)")
_ELSEWHERE = regex(
    r"[\s~]*(?:of|in|from|von|aus|in|de|dans)[\s~]+(?:[\w.]+[\s~]+){0,3}(?:\\[A-Za-z]*cite|\[)"
)
"""Follows a name that belongs to another work."""
_NAME = regex(r"#\\([a-z]+)\*?\{([^{}]*)\}")
_LETTERS_OF_SCRIPT = frozenset("epfrnqz")
"""Known letters that have no standard meaning in a script font."""
_SCRIPT_FONTS = frozenset(["mathcal", "mathfrak", "mathscr"])
_LETTERS = regex(r"[^\W\d_]+")
_KNOWN = frozenset(
    """
    hom end aut ext tor spec gal gl sl sp so su rank rk tr id im re coker supp diam vol dist sgn
    sign span conv int var cov law op ob mod char card lip max min codim succ e p f r n q z c 1
    """.split()
)
"""Names that most readers know and nobody introduces, in lower case."""


_UNSEEN = regex(
    r"(?<!\\)%[^\n]*|\\(?:label|uses|lean|[A-Za-z]{0,9}ref|cite[a-z]{0,9})\*?\s?\{[^{}]{0,200}\}"
)
"""Parts of the source that are not its words: comments, labels."""
_SEEN = regex(r"[^\n]")
_SQUEEZED = regex(r"[^\s{}~]")
_COMMAND = regex(r"\\[A-Za-z]+")
_ENOUGH = (24, 16, 10)
"""How many letters identify a place; the smaller numbers only if no other place has them."""
_NEAR = 400
_WORD = regex(r"\\[A-Za-z@]+|([^\W\d_]{2,})")
_GAP = regex(r"(?:[\s~{}'\u2019/-]|\\[A-Za-z]+|\\[ ,/]){1,40}")
"""Text that may be between two words of a term."""
_JOINED = regex(r"\S{0,62}\Z")
"""Text that a hyphen joins to the next word."""


class _SourceSearch:
    """Finds parts of a canonical text in the author's source; by default on the first line."""

    def __init__(self, state: PaperState, passage: Passage, text: str) -> None:
        where = passage.location
        source = state.paper.source(where.path)[where.start : where.end]
        self._source = _UNSEEN.sub(lambda match: _SEEN.sub(" ", match[0]), source)
        self._text = text
        self._first = where.line

    def of_symbol(self, use: _Use) -> int:
        """The line of a symbol as written, else of its formula, else by the words around it."""
        letters, offsets = self._squeezed
        wanted = "".join(_SQUEEZED.findall(use.written))
        found = re.search(rf"{re.escape(wanted)}(?![A-Za-z])", letters)
        if found:
            return self._line(offsets[found.start()])
        if len(self._formulas) == len(formulas(self._text)):
            return self._line(self._formulas[use.formula].start)
        return self._line_near(use.start)

    def _line_near(self, start: int) -> int:
        """The line of a place of the canonical text, found by the words before it.

        Or else by the words after it.
        """
        letters, offsets = self._letters
        before = "".join(_SQUEEZED.findall(self._prose[max(0, start - _NEAR) : start]))
        behind = "".join(_SQUEEZED.findall(self._prose[start : start + _NEAR]))
        for number in _ENOUGH:
            is_sure = number == _ENOUGH[0]
            for words, last in ((before[-number:], number - 1), (behind[:number], None)):
                at = letters.find(words) if len(words) == number else -1
                if at < 0 or not (is_sure or letters.find(words, at + 1) < 0):
                    continue
                if last is None:
                    return self._line(offsets[at])
                rest = self._source[offsets[at + last] + 1 :]
                return self._line(len(self._source) - len(rest.lstrip()))
        return self._first

    def of_name(self, name: str) -> tuple[str, int]:
        """The name of an assumption as written, and its line."""
        at = self._source.find(name)
        return name, self._line(at) if at >= 0 else self._first

    def of_procedure(self, key: str) -> tuple[str, int]:
        """The words that refer to a procedure without its name, and their line."""
        found = spoken_of(key, self._source)
        written = " ".join(found[0].replace("~", " ").split()) if found else _ALGORITHM
        return written, self._line(found.start()) if found else self._first

    def of_term(self, term: str) -> tuple[str, int]:
        """A term as written in the source, and its line; its key if the source does not have it."""
        term = term.removeprefix("@")
        if span := _term_within(term, self._source, self._source_words):
            return _bare(self._source[slice(*span)]), self._line(span[0])
        if span := _term_within(term, self._text, self._text_words):
            return _bare(self._text[slice(*span)]), self._line_near(span[0])
        if span := _term_within(term, self._text, self._text_words, is_joined=False):
            return term, self._line_near(span[0])
        return term, self._first

    def _line(self, offset: int) -> int:
        return self._first + self._source.count("\n", 0, offset)

    @cached_property
    def _squeezed(self) -> tuple[str, list[int]]:
        """The source without blanks and braces, and the offset of each of its characters."""
        return _placed(self._source)

    @cached_property
    def _formulas(self) -> tuple[FencedFormula, ...]:
        return formulas(self._source)

    @cached_property
    def _prose(self) -> str:
        """The words of the canonical text."""
        return _prose(self._text)

    @cached_property
    def _source_words(self) -> "list[_PlacedWord]":
        return list(_placed_words(self._source))

    @cached_property
    def _text_words(self) -> "list[_PlacedWord]":
        return list(_placed_words(self._text))

    @cached_property
    def _letters(self) -> tuple[str, list[int]]:
        """The same for its words alone."""
        return _placed(_prose(self._source))


class _PlacedWord(NamedTuple):
    """A word in its normal form, and its span."""

    form: str
    start: int
    end: int


def _placed_words(text: str) -> Iterator[_PlacedWord]:
    for match in _WORD.finditer(text):
        if match[1]:
            yield _PlacedWord(next(iter(normal_words(match[1])), ""), *match.span())


def _term_within(
    term: str, text: str, placed: Sequence[_PlacedWord], *, is_joined: bool = True
) -> tuple[int, int] | None:
    """The span of the words of a term in a text, in any inflection.

    `is_joined`: without a formula between them.
    """
    wanted = words_of_key(term)
    for index in range(len(placed) - len(wanted) + 1):
        found = placed[index : index + len(wanted)]
        if [word.form for word in found] == wanted:
            gaps = (text[one.end : two.start] for one, two in pairwise(found))
            if is_joined and not all(map(_GAP.fullmatch, gaps)):
                continue
            start = found[0].start
            joined = _JOINED.search(text[max(0, start - 63) : start]) if term[0] == "-" else None
            return start - len(joined[0] if joined else ""), found[-1].end
    return None


def _bare(text: str) -> str:
    """Words as printed: without commands, braces and ties."""
    return " ".join(_COMMAND.sub(" ", text).translate(_UNPRINTED).split())


_UNPRINTED = str.maketrans({"{": "", "}": "", "~": " "})


def _placed(text: str) -> tuple[str, list[int]]:
    found = [(match[0], match.start()) for match in _SQUEEZED.finditer(text)]
    return "".join([letter for letter, _ in found]), [start for _, start in found]


def _without_formulas(text: str) -> str:
    """A text with formulas blanked, of the same length."""
    pieces, done = [], 0
    for formula in formulas(text):
        pieces += [text[done : formula.start], " " * (formula.end - formula.start)]
        done = formula.end
    return "".join([*pieces, text[done:]])


def _prose(text: str) -> str:
    """A text with everything but the letters of its words blanked, of the same length."""
    bare = _COMMAND.sub(lambda match: " " * len(match[0]), _without_formulas(text))
    return "".join([letter if letter.isalpha() else " " for letter in bare])


class DefinitionHub(NamedTuple):
    """A definition or introduction: how many claims have it in context, and how many use it."""

    id: str
    held: int
    says: int


_MANY, _TIMES = 10, 3


def hubs(document: ProofDocument) -> list[DefinitionHub]:
    """The definitions in ten contexts or more, and over three times as many as use it.

    The worst come first. A claim uses a definition if its own words have a term or symbol of it, or
    refer to it. Zero uses count as one.
    """
    held: defaultdict[str, int] = defaultdict(int)
    says: defaultdict[str, int] = defaultdict(int)
    for name, module in document.modules.items():
        if module.is_claim and module.role.stands_alone:
            links = (document.statements[name], *document.proofs[name])
            own = {*document.uses[name], *chain.from_iterable(map(linked_modules, links))}
            for member in members(document, name):
                held[member] += 1
                says[member] += member in own
    found = [
        DefinitionHub(name, count, says[name])
        for name, count in held.items()
        if count >= _MANY and count > _TIMES * max(1, says[name]) and _may_be_hub(document, name)
    ]
    modules = document.modules
    return sorted(
        found, key=lambda hub: (-hub.held / max(1, hub.says), -hub.held, modules[hub.id].position)
    )


def _may_be_hub(document: ProofDocument, name: str) -> bool:
    """Whether a module enters contexts by its words, and not as a convention for its scope."""
    role = document.modules[name].role
    is_words = role in (Role.DEFINITION, Role.NOTATION) and not is_binding(document, name)
    return is_words or name in document.keyed
