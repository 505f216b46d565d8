r"""The keys of one formula: which of its symbols it is about, and how strongly it introduces them.

These are the symbol left of ":=", the sign between two things, brackets, the name of a map. The
words around a formula are read in `introduced_symbols`.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.notation import (
    ARROWS,
    FencedFormula,
    NotationUse,
    applied_in,
    fences_in,
    head_of,
    is_letter,
    is_operator,
    is_plain,
    symbols_in,
)

STATES, NAMES, TAKES, SUPPOSES, EQUATES, DESCRIBES, MENTIONS = 6, 5, 4, 3, 2, 1, 0
"""How strongly a site introduces its key; from `SUPPOSES` on it is strong.

A supposition about a thing is shown beside what introduces it. A site equates if a symbol is alone
left of an equality sign, or if it says where a map goes: that counts if nothing stronger exists.
"""

_EQUAL = r"(?:=|\\(?:equiv|iff|(?:Longleft|Left)rightarrow)(?![A-Za-z]))"
_SETS = regex(
    r"\s*(?:(?::|\\vcentcolon(?![A-Za-z]))(?:\s|\\m(?:kern|skip|space)\s*\{?-?[\d.]+\s*mu\}?)*"
    r"(?:=|\\equiv(?![A-Za-z])|\\(?:Longleft|Left)rightarrow(?![A-Za-z])|\\iff(?![A-Za-z])|:=)"
    r"|\\(?:[cC]oloneqq?|triangleq|colonequals|defeq|eqdef)(?![A-Za-z])|(?:\\math(?:rel|bin|op)\s*\{{1,2}\s*){1,2}:=\s*\}{1,3}|\\equiv:"
    r"|\\(?:stackrel|overset)\s*\{[^=]{0,60}?(?:[dD]ef|\\triangle|\\Delta)[^=]{0,20}\}"
    rf"\s*\{{?\s*{_EQUAL}\}}?|{_EQUAL}\s*[_^]\s*\{{?\s*\\(?:text|mathrm|rm)\w*\s*\{{?\s*[Dd]ef"
    r"|\\x(?:long|Long|Left)\w+\s*\{\s*\\(?:text|mathrm|rm)\w*\s*\{?\s*[Dd]ef"
    r"|\\buildrel\b[^=]{0,30}?[Dd]ef[^=]{0,20}\\over\s*=|\\(?:widehat|hat)\s*\{?=\}?"
    r"|\\mathrel\s*\{\s*\\mathop\s*\{?:\}?\s*\}?\s*=|\\(?:stackrel|overset)\s*\{\s*\.\s*\}\s*\{=\})"
)
ARGUMENTS = regex(
    r"(?:\s*(?:\\left)?(?:\((?:[^()]|\([^()]{0,40}\)){0,80}\)|\[[^\[\]]{0,40}\]))?\s*&?"
)
RELATION = regex(
    r"=|<|>|:|\\(?:in|ni|colon|coloneqq|to|subset(?:eq|neq)?|supset(?:eq)?|le(?:q|qslant)?"
    r"|ge(?:q|qslant)?|neq?"
    r"|sim|simeq|cong|equiv|approx|mid|notin|mapsto|hookrightarrow|twoheadrightarrow"
    r"|longrightarrow|rightarrow"
    r"|ll|gg|triangleq)(?![A-Za-z])"
)
_SETS_BEHIND = regex(r"=\s*(?::|\\vcentcolon(?![A-Za-z]))(?!=)|\\[eE]qqcolon(?![A-Za-z])")
_MAP = regex(r":(?!=)|\\colon(?![A-Za-z])")


def keys_of_formula(
    formula: FencedFormula, strength: int, *, is_wide: bool
) -> tuple[tuple[str, int], ...]:
    """The keys of a formula's symbols, with their strengths; those it is about have `strength`."""
    find = _keys_of_body if len(formula.body) < _SHORT else _keys_of_body.__wrapped__
    found = find(formula.body, strength, is_wide)
    if any(only_says(key) for key, _ in found) and len(symbols_in(formula.body)) > _FEW:
        return tuple(item for item in found if not only_says(item[0]))
    return found


_SHORT = 80


@lru_cache(maxsize=8_192)
def _keys_of_body(
    body: str,
    strength: int,
    is_wide: bool,  # noqa: FBT001 - a key of a cache
) -> tuple[tuple[str, int], ...]:
    fence = fence_key(body, strength)
    if fence:
        return (fence,)
    found: list[tuple[str, int]] = []
    limit, is_map = _left_side(body, is_wide=is_wide)
    has_dots = "dots" in body
    may_state = may_set(body)
    is_all = may_state or is_map or strength in (NAMES, SUPPOSES)
    uses = list(symbols_in(body if is_all else body[:limit]))
    sign = sign_between(body, uses) if strength == NAMES and not has_dots else ""
    stated = _set_in(body, uses) if may_state else frozenset()
    if strength == NAMES and _ARROW.match(body, limit):
        limit = 0  # the arrow is named, not the object left of it
    is_list = strength == NAMES and _LIST.fullmatch(body, 0, limit) is not None
    for index, use in enumerate(uses):
        own = MENTIONS
        if index in stated:
            own = STATES
        elif sign:
            own = strength if use.keys[-1] == sign else MENTIONS
        elif (
            is_map
            or strength == SUPPOSES
            or (
                use.start < limit
                and (is_wide or is_list or not index or use.keys[0].startswith(FENCED))
            )
        ):
            own = strength
        if own == NAMES and not sign and len(uses) > 1 and is_sign(use.keys[-1]):
            own = STATES if index in stated else _of_sign(body, use, is_first_one=not index)
        if own:
            found += _with_strength(_keys_of_site(use.keys, has_dots=has_dots), own)
            found += ((key, own) for key in _without_index(use.keys) if own >= NAMES)
    if strength == NAMES:
        found += _with_operator(body, uses, has_dots=has_dots)
    return tuple(found)


def _with_operator(
    body: str, uses: Sequence[NotationUse], *, has_dots: bool
) -> Iterator[tuple[str, int]]:
    """The keys of an operator between two things left of an equality: `*` of `a * b = c`."""
    equality = _BARE_EQUALITY.search(body)
    left = [use for use in uses if use.end <= equality.start()] if equality else []
    for use in islice(_signs_in(body, left), 1):
        yield from ((key, NAMES) for key in _keys_of_site(use.keys, has_dots=has_dots))


def _of_sign(body: str, use: NotationUse, *, is_first_one: bool) -> int:
    """How strongly a named formula introduces a sign in it; not at all if it has arguments."""
    is_first = not body[: use.start].strip()
    follower = body[use.end :].lstrip()[:1]
    if follower == "{" or (is_first and follower in ("(", "[")):
        return NAMES
    is_named = (is_operator(use.keys[-1]) and is_first_one) or _GOES.match(body, use.end)
    return NAMES if is_first and is_named else MENTIONS


EVERYBODYS = frozenset(
    r"#\le #\leq #\ge #\geq #\ll #\gg #\cdot #\times #\circ #\equiv #\approx #\cong #\partial "
    r"#\nabla #\parallel #\propto #\natural".split()
)
"""Signs with a common meaning, even if a paper gives one a meaning of its own."""
_FEW = 4
"""The most symbols of a formula that may be about such a sign; a longer one just uses it."""


def only_says(key: str) -> bool:
    """Whether a key is that of a relation with a common meaning."""
    return key in EVERYBODYS and not is_operator(key)


def applied_and_set(body: str) -> Iterator[tuple[str, int]]:
    r"""A letter that a display sets for all arguments: `\lambda(U):=\inf`.

    Lower-case Latin letters are left out: they stand for another map in each section.
    """
    use = next(applied_in(body), None)
    if use is None or body[: use.start].strip() or body[use.start].islower():
        return
    arguments = ARGUMENTS.match(body, use.end)
    if (
        arguments
        and _OF_LETTERS.fullmatch(arguments[0].strip(" &()"))
        and _SETS.match(body, arguments.end())
    ):
        yield use.keys[0], NAMES


def fence_key(body: str, strength: int) -> tuple[str, int] | None:
    r"""The key of brackets that a formula is about, with its strength: `\langle x\rangle:=1+x`."""
    if strength not in (NAMES, TAKES) and not may_set(body):
        return None
    use = next(fences_in(body), None)
    if use is None or body[: use.start].strip():
        return None
    inside = _EDGES.sub("", body[use.start : use.end])
    behind = body[use.end :]
    letters = _ANY_LETTER.findall(inside)
    if not _OF_LETTERS.fullmatch(inside) or (strength == TAKES and not _OF_DOTS.fullmatch(inside)):
        return None
    is_about = any(letter in _ANY_LETTER.findall(behind) for letter in letters)
    if _SETS.match(behind) and is_about:
        return use.keys[0], STATES
    is_all = not behind.strip()
    is_typed = _GOES.match(behind) is not None
    is_named = strength == NAMES and (
        is_all or is_typed or (_EQUALS.match(behind) is not None and is_about)
    )
    return (use.keys[0], strength) if is_named or (is_all and strength == TAKES) else None


_EDGES = regex(r"[{}]|\\(?:[lr]angle|[lr]floor|[lr]ceil|[lr]?[vV]ert)(?![A-Za-z])|\\?\||[\[\]]")
_ANY_LETTER = regex(r"\\[A-Za-z]+|[A-Za-z]")
_OF_LETTERS = regex(
    r"(?:\s*(?:[A-Za-z]|\\(?!frac|sqrt|sum|int|math|text|in(?![A-Za-z]))[A-Za-z]+|-|\.)\s*(?:[,:;]|\Z))+"
)
_OF_DOTS = regex(r"(?:\s*(?:\\c?dot|-|\.|\\bullet)\s*(?:[,:;]|\Z))+")
"""Only brackets around single letters (`_OF_LETTERS`) or dots are named."""


def _with_strength(keys: Iterable[str], strength: int) -> Iterator[tuple[str, int]]:
    r"""The keys of a site: a definition of $\mathcal{F}(x)$ hardly says what $\mathcal{F}$ is."""
    listed = tuple(keys)
    is_applied = listed[0][-1] == "(" and not is_plain(listed[0][:-1])
    for key in listed:
        is_less = is_applied and key[-1] != "(" and strength > EQUATES
        yield key, EQUATES if is_less else strength


_ENSURED = regex(r"\{{0,2}\\ensuremath\s*\{")
_NAMED_BESIDE = regex(
    r"\s*\\(?:cdot|times|circ|oplus|otimes)(?![A-Za-z])\s*(?:\{|\\ensuremath\s*\{){0,3}"
    r"\\[A-Za-z]+\s*\{[^{}=]{1,30}\}{1,4}\s*&?\s*="
)
r"""The rest of a product with another named thing: `\mathsf{B}\cdot\mathsf{N}=`."""
_SIGNED = regex(r"\(\s*(?P<inside>[^()=,]{3,40})\)\s*\([^()=]{1,30}\)\s*&?\s*=")
r"""A sign between two things that are applied together: `(s\sqcup t)(x)=`."""


def _signs_in_brackets(inside: str) -> Iterator[str]:
    uses = list(symbols_in(inside))
    for use in uses:
        if inside[: use.start].strip() and is_sign(head_of(use.keys[-1])):
            yield from _keys_of_site(use.keys, has_dots=False)
            return


_PART = regex(r"\\q?quad(?![A-Za-z])|\\\\|,|\\text\{[^{}]{0,30}\}")
_EQUALS = regex(r"\s*&?\s*=")
OF_CHANCE = frozenset(
    r"#\mathbb{E} #\mathbb{P} #\mathbf{E} #\mathbf{P} #\mathrm{E} #\mathrm{P} #\Pr".split()
)
"""The usual signs for expectation and probability."""
_IS_NUMBER = regex(r"\s*&?\s*=\s*&?\s*-?\d+\s*(?:[.,;]|\\\\|\Z)")
_GOES = regex(
    r"\s*(?::|\\colon(?![A-Za-z]))[^=]{1,200}?\\(?:to(?![A-Za-z])|(?:long|hook|twohead"
    r"|dash)?rightarrow|x\w+arrow|(?:long)?mapsto|rightsquigarrow|rightharpoonup)"
)
_TYPED = regex(r"\s*(?::(?!\s*=)|\\colon(?![A-Za-z]))")
_LONGEST_LEFT = 80
_MOST_PARTS = 8


def keys_alone(
    body: str, *, is_plain_enough: bool, is_definition: bool, is_display: bool = False
) -> Iterator[str]:
    """The keys of a symbol that is the whole left side of an equation, or the name of a map.

    A plain letter must be a map, unless `is_plain_enough`. In a definition any other symbol may
    also be given a type.
    """
    start = 0
    for _ in range(_MOST_PARTS):
        lead = len(body) - len(body[start:].lstrip(" &\n\t"))
        opened = _ENSURED.match(body, lead) if is_definition else None
        lead = opened.end() if opened else lead
        use = next(iter(symbols_in(body[lead : lead + _LONGEST_LEFT])), None)
        if use is not None and use.start == 0:
            end = lead + use.end
            while opened and body[end : end + 1] == "}":
                end += 1
            arguments = ARGUMENTS.match(body, end)
            end = arguments.end() if arguments else end
            is_applied = arguments is not None and arguments[0].strip(" &") != ""
            if _is_known(use, body, end, is_value=is_applied and not is_display):
                return
            is_letter = is_plain(use.keys[0])
            if body.startswith("(", end) and not is_letter:  # `F(X)(n) = 1`
                arguments = ARGUMENTS.match(body, end)
                end = arguments.end() if arguments else end
            is_map = _GOES.match(body, end) is not None
            is_map |= is_definition and not is_letter and _TYPED.match(body, end) is not None
            if is_map or (_EQUALS.match(body, end) and (is_plain_enough or not is_letter)):
                yield from _keys_of_site(use.keys, has_dots="dots" in body)
                return
            if is_definition and not is_letter and _NAMED_BESIDE.match(body, end):
                yield use.keys[0]
                return
        elif is_definition and (signed := _SIGNED.match(body, lead)):
            yield from _signs_in_brackets(signed["inside"])
        part = _PART.search(body, lead, lead + 4 * _LONGEST_LEFT)
        if part is None:
            return
        start = part.end()


def _is_known(use: NotationUse, body: str, end: int, *, is_value: bool) -> bool:
    r"""Whether an equation gives a value (`f(0) = 1`) or an expectation (`\mathbb{E}[X] = m`)."""
    is_of_chance = use.keys[0].removesuffix("(") in OF_CHANCE
    return is_of_chance or (is_value and _IS_NUMBER.match(body, end) is not None)


def may_set(body: str) -> bool:
    """Whether a formula may have a sign like ":="; only then is it searched for one."""
    return ":" in body or any(sign in body for sign in _SETTING)


_SETTING = (
    "\\coloneq", "\\Coloneq", "\\eqqcolon", "\\triangleq",
    "def", "Def", "\\vcentcolon", "\\stackrel",
    "\\overset", "\\colonequals",
)  # fmt: skip


def _left_side(body: str, *, is_wide: bool) -> tuple[int, bool]:
    """The end of the left side of a formula; and whether it is a map, which is taken whole."""
    if "{" in body:
        body = _SCRIPT_GROUP.sub(lambda script: "_" * len(script[0]), body)
    relation = None if _IN_BRACKETS.fullmatch(body) else RELATION.search(body)
    if relation is None:
        return len(body), False
    return relation.start(), bool(is_wide and _MAP.match(body, relation.start()))


_LISTED = (
    r"\{{0,2}(?:\\[A-Za-z]+\s?\{[^{}]{1,20}\}|\\?[A-Za-z]+(?=\s?[_^]))"
    r"(?:\s?[_^]\s?(?:\{[^{}]{1,30}\}|\\[A-Za-z]+(?:\s?\{[^{}]{1,20}\})?|[\w+*-]))*\s*\}{0,2}"
)
_LIST = regex(rf"\s*{_LISTED}(?:,\s*{_LISTED})+,?\s*")
"""Symbols between commas, none of them a bare letter: "$u^+, u^-$"."""
_SCRIPT_GROUP = regex(r"[_^]\s*\{(?:[^{}]|\{[^{}]{0,30}\}){1,60}\}")
_IN_BRACKETS = regex(r"\s*\[[^\[\]]{1,40}\]\s*[_^]\s*(?:\{[^{}]{1,30}\}|\S+)\s*")


def _set_in(body: str, uses: Sequence[NotationUse]) -> frozenset[int]:
    """The indices of the symbols of a formula that are set, by ":=" or its mirror image."""
    found: set[int] = set()
    for sets in _SETS.finditer(body):
        end = sets.start()
        start = _start_of_side(body, end)
        found.update(_set_between(body, uses, start, end))
        if body[:start].endswith("="):
            found.update(_set_between(body, uses, _start_of_side(body, start - 1), start - 1))
    for sets in _SETS_BEHIND.finditer(body):
        named = next((i for i, use in enumerate(uses) if use.start >= sets.end()), -1)
        if named >= 0 and not body[sets.end() : uses[named].start].strip(" &"):
            found.add(named)
    return frozenset(found)


def _set_between(body: str, uses: Sequence[NotationUse], start: int, end: int) -> Iterator[int]:
    """The index of the symbol that a left side is about: a sign, the first symbol, or a fence."""
    inside = [i for i, use in enumerate(uses) if start <= use.start and use.end <= end]
    if not inside:
        return
    first, last = uses[inside[0]], uses[inside[-1]]
    signs = [i for i in inside[1:-1] if is_sign(uses[i].keys[-1]) and _is_between(body, uses[i])]
    if signs:
        yield signs[0]
    elif not body[start : first.start].strip():
        yield inside[0]
    elif last.keys[0].startswith(FENCED) and not body[last.end : end].strip(" &"):
        yield inside[-1]


_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PARTING = regex(r"[,;&=<>:]|\\\\|\\q?quad(?![A-Za-z])|\\(?:in|to|colon|text|mbox)(?![A-Za-z])")
_LONGEST_SIDE = 200


def _start_of_side(body: str, end: int) -> int:
    """The start of the left side of a relation, given the offset of the relation."""
    depth = 0
    end -= len(body[:end]) - len(body[:end].rstrip(" &"))
    for place in range(end - 1, max(0, end - _LONGEST_SIDE) - 1, -1):
        sign = body[place]
        if sign in _CLOSING:
            depth += 1
        elif sign in _OPENING:
            depth -= 1
            if depth < 0:
                return place + 1
        elif not depth and (parting := _PARTING.match(body, place, end)):
            return parting.end()
    return max(0, end - _LONGEST_SIDE)


FENCED = ("#|_", "#\\|_", "#)_", "#]_")


def sign_between(body: str, uses: list[NotationUse]) -> str:
    r"""The sign between two things that a formula is about: `\lhd` of `m\lhd n`."""
    if _BARE_EQUALITY.search(body):
        return ""
    sign = next((use.keys[-1] for use in _signs_in(body, uses)), "")
    return "" if only_says(sign) and len(symbols_in(body)) > _FEW else sign


def _signs_in(body: str, uses: Sequence[NotationUse]) -> Iterator[NotationUse]:
    """The signs between two things."""
    for use in uses[1:-1]:
        if is_sign(use.keys[-1]) and _is_between(body, use):
            yield use


def _is_between(body: str, use: NotationUse) -> bool:
    """Whether a sign stands between two things; an author's command may be one of them."""
    before, behind = body[: use.start].rstrip(), body[use.end :].lstrip()
    if before.endswith((":", r"\vcentcolon")):
        return False  # it is part of a sign that sets: `x:\equiv y`
    if is_plain(use.keys[-1]):
        return before[-1:] != "("
    return before[-1:] not in ("(", "[", ",") and behind[:1] not in ("{", ")", "]", ",")


def is_sign(key: str) -> bool:
    """Whether a key is that of a sign, such as a relation, not of a letter or a named thing."""
    if key[1] in "=<>*" or head_of(key)[2:] in ARROWS:
        return True
    return key.startswith("#\\") and key[2:].isalpha() and not is_letter(key)


_ARROW = regex(
    r"\\(?:to|(?:long|hook|twohead|dash)?rightarrow|longmapsto|mapsto|rightsquigarrow)(?![A-Za-z])"
)
_BARE_EQUALITY = regex(r"=(?!\s*[_^])")


def _keys_of_site(keys: tuple[str, ...], *, has_dots: bool) -> Iterable[str]:
    """The keys under which an introduced symbol is found: itself and its family."""
    head = head_of(keys[-1])
    if head == "#)":
        return keys[:1]  # an index of whatever list: $(x_n)_{n}$
    scripted = [key for key in keys if key != head]
    if not scripted:
        return keys
    named = [key for key in scripted if key[-1] != "("]
    if not named:
        return (*scripted, head)
    named = [key for key in named if not _POWER.search(key)] or ([] if is_plain(head) else named)
    if not named:
        return (head,)
    exact = named[0]
    is_one = bool(_DIGITS.search(exact)) and not has_dots
    return [key for key in named if "•" not in key or not is_one]


def _without_index(keys: tuple[str, ...]) -> Iterator[str]:
    r"""The keys of an operator without its index, which may be left out: of `\rim_G(v)`."""
    head = head_of(keys[-1])
    is_name = _OPERATOR.fullmatch(head) is not None and not is_letter(head)
    if is_name and len(keys) > 2 and keys[-2] == f"{head}(":
        yield from keys[-2:]


_OPERATOR = regex(r"#\\(?:[a-z]{2,}|mathrm\{[A-Za-z]{2,}\})")
_DIGITS = regex(r"_\d")
_POWER = regex(r"\^[-+]?\d")
