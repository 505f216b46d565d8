"""What a paper says about a symbol or term that a reader of one module asks for; never a result.

It depends only on the paper, the module and the key; only this reader sees it, and no context
depends on it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, islice

from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Role
from pfcore.graph.building.introduction_index import IntroductionIndex, Site, is_letter_like
from pfcore.graph.context import members
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import paragraph, statement_in
from pfcore.latex.language.formula_keys import EQUATES, SUPPOSES, is_sign
from pfcore.latex.language.notation import (
    applied_in,
    decorated_in,
    fences_in,
    keys_of_uses,
    sentences,
    symbols_in,
)
from pfcore.latex.language.terms import normal_words
from pfcore.latex.project.kinds import named_kind, role_of
from pfcore.latex.structure.headings import STEPS

_MOST = 3
"""The most places of a paper that are told about one key."""
_LOOKED = 12
"""How many weak sites of a key are searched for one that introduces it."""
_CLAIMS = frozenset({Role.RESULT, Role.OPEN})
_FENCE = regex(r"\A(?:\$+|\\[(\[])\s*|\s*(?:\$+|\\[)\]])\Z")
_ARGUMENT = regex(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])?\s*")
_LEADING = regex(r"\A(?:(?:{pointing})\s+)+", re.IGNORECASE, words_of=__file__)
_EMPHASIS = regex(r"\A\s*\\(?:emph|text(?:it|bf|sl))\s*\{([^{}$]*)\}\s*\Z")
_QUOTED = " \t\n\"'`“”‘’„«».,;:"
_MATHS = regex(r"[\\_^{}$=<>|]|\A\W*\w\W*\Z")


def supplied(state: PaperState, name: str, key: str) -> str:
    """What the paper says about exactly this key, in the form of the module's context.

    A sentence of running text comes with its paragraph, because conventions on an object seldom fit
    in one sentence. "" if nothing introduces the key: a mere mention does not explain it. Text that
    the context already has is repeated only if there is nothing else. The nearest scope comes
    first, and in it the last passage before the module. Of a claim only its hypotheses count.
    """
    index = state.assembly.usage.terms
    if key.strip(_QUOTED).startswith("["):  # the replacement of a reference
        return ""
    if not isinstance(index, IntroductionIndex):
        return ""  # readers of first-form contexts cannot ask
    inside = members(state.document, name)
    modules = state.document.modules
    for number, found in enumerate(_keys(key)):
        in_order = _in_order(state, name, index, found, is_exact=not number)
        sites = (site.name for site in in_order)
        listed = dict.fromkeys((*_defining(state, name, found), *sites))
        names = [one for one in listed if one != name and modules[one].role not in _CLAIMS]
        names = [one for one in names if one not in inside] or names
        if names:
            told = (_with_paragraph(state, name, one) for one in names[:_MOST])
            return "\n\n".join(dict.fromkeys(told))
    if key not in state.said_under:
        state.said_under[key] = "\n\n".join(_paragraphs(state, key))
    return state.said_under[key]


def _with_paragraph(state: PaperState, name: str, other: str) -> str:
    """A definition or introduction in the form of a module's context, with its paragraph.

    Sentences of the paragraph that claim something, or mention results or proofs, are left out.
    """
    own = statement_in(state.document, name, other, state.paper.texts)
    if state.document.modules[other].role is Role.DEFINITION:
        return own
    sentence, text = _paragraph_of(state, other)
    around = " ".join(one for one in _kept(text) if _squeezed(one) not in sentence)
    return f"{own}\n\nAround it: {around}" if around else own


def _paragraph_of(state: PaperState, name: str) -> tuple[str, str]:
    """A sentence of running text without blanks, and its paragraph; "" if there is none."""
    passage = state.document.modules[name].statement
    path = passage.location.path
    sentence = _squeezed(paragraph(state.paper.texts(path)[passage.block]))
    opening = sentence[:_OPENING]
    return sentence, next((one for one in _prose(state, path) if opening in _squeezed(one)), "")


def _introduces(state: PaperState, site: Site) -> bool:
    """Whether a sentence with a key introduces it by its words, and is not a claim.

    For a strong site the index knows that it does, but "recall that" may also begin a claim, and an
    equation for a sign may be one. A hypothesis is not a claim.
    """
    passage = state.document.modules[site.name].statement
    own = paragraph(state.paper.texts(passage.location.path)[passage.block])
    if site.strength >= SUPPOSES:
        return not all(map(_concludes, sentences(own)))
    sentence, text = _paragraph_of(state, site.name)
    is_kept = not text or sentence[:_OPENING] in _squeezed(" ".join(_kept(text)))
    return is_kept and (site.around >= 0 or _INTRODUCING.search(own) is not None)


def _concludes(sentence: str) -> bool:
    """Whether a sentence claims something by its words, without introducing anything."""
    begins = _FOLLOWS.match(sentence) or _UNIVERSAL.match(sentence)
    found = begins or _CONCLUDING.search(sentence)
    return found is not None and not _INTRODUCING.search(sentence)


@lru_cache(maxsize=20_000)
def _squeezed(text: str) -> str:
    return "".join(text.split())


_OPENING = 60
"""How many characters, without blanks, identify a sentence in its paragraph."""


def _keys(key: str) -> Iterator[str]:
    """The keys of the index that may be meant, the most specific first."""
    bare = bare_key(key)
    body = _body(key).strip()
    words = " ".join(normal_words(bare))
    if _MATHS.search(bare):
        for find in (fences_in, decorated_in, applied_in, symbols_in):
            for use in find(body):
                if not body[: use.start].strip() and _ARGUMENT.fullmatch(body, use.end):
                    yield from use.keys
    if words and "\\" not in bare:
        yield words
    yield f"@{bare.strip('()')}"


def _paragraphs(state: PaperState, key: str) -> Iterator[str]:
    """The first paragraphs that explain a sign, if nothing in the index does.

    Standard symbols are not in the index, nor are sentences such as "Then $X$ is ..." (see
    `_kept`). Sentences that claim something, or mention results or proofs, are left out.
    """
    sites = getattr(state.assembly.usage.terms, "sites", {})
    keys = [one for one in _keys(key) if one[0] == "#"]
    if any(site.strength >= SUPPOSES for one in keys for site in sites.get(one, ())):
        return
    sign = _squeezed(paragraph(f"${_body(key)}$")).strip("$")
    is_listed = bool(keys) and not keys[0].startswith("#•") and not is_sign(keys[0])
    names = _naming_of(sign) if "\\" in sign and not is_listed else None

    def has(text: str) -> bool:
        return bool(keys) and keys[0] in _keys_of(text)

    def says(one: str) -> bool:
        said = _SAID.match(one)
        return bool(said and has(said["formula"])) or bool(names and names.search(_tight(one)))

    told: dict[str, None] = {}
    for path in state.paper.outline.order:
        for text in _prose(state, path):
            if has(text) or (names and names.search(_tight(text))):
                kept = list(_kept(text, has))
                told.update({" ".join(kept): None} if any(map(says, kept)) else {})
            if len(told) == _MOST:
                break
    yield from list(told)[:_MOST]


def _naming_of(sign: str) -> re.Pattern[str]:
    """The pattern of words that introduce a sign or explain it, in a text from `_tight`."""
    written = re.escape(sign)
    return re.compile(_NAMES_SIGN.pattern.replace(_ANY_SIGN, written))


@lru_cache(maxsize=20_000)
def _tight(text: str) -> str:
    """A canonical text without blanks in its formulas."""
    return _FORMULA.sub(lambda found: _squeezed(found[0]), text)


def _body(key: str) -> str:
    return _FENCE.sub("", _FENCE.sub("", bare_key(key)))


def _kept(text: str, has: Callable[[str], bool] | None = None) -> Iterator[str]:
    """The sentences of a paragraph that claim nothing, and mention neither results nor proofs.

    The text after a result's heading set by hand is that result. "Then $X$ is the kernel of it"
    explains $X$ if no sentence before it has $X$; `has` says whether a text has the key.
    """
    before, is_new = "", has is not None
    for one in map(str.strip, sentences(text)):
        heading = _HEADING.match(one)
        if heading and (heading["kind"] is None or _is_of_claim(heading["kind"])):
            return
        is_then = _THEN.match(one) and _SUPPOSING.search(before)
        said = _SAID.match(one) if is_then and is_new else None
        follows = is_then and not (said and has and has(said["formula"]))
        is_new = is_new and has is not None and not has(one)
        is_claim = _concludes(one) or (follows and not _NAMING.search(one))
        if not _CLAIMING.search(one) and not is_claim:
            yield one
        before = one


def _is_of_claim(word: str) -> bool:
    kind = named_kind(word)
    return kind not in STEPS and role_of(kind) in _CLAIMS


def _prose(state: PaperState, path: str) -> Iterator[str]:
    """The paragraphs of a file as a reader would see them."""
    if path in state.paper.readings:
        for text in state.paper.prose(path):
            yield _TITLE.sub("", paragraph(text)).strip()


_TITLE = regex(r"\\(?:maketitle|end\{document\})(?![A-Za-z])")
_CLAIMING = regex(r"(?<!\w)(?:{claiming})", re.IGNORECASE, words_of=__file__)
_CONCLUDING = regex(r"(?<!\w)(?:{concluding})(?!\w)", re.IGNORECASE, words_of=__file__)
_UNIVERSAL = regex(r"\W*(?:{universal})(?!\w)", re.IGNORECASE, words_of=__file__)
_INTRODUCING = regex(
    r"(?<!\w)(?:{introducing}|{naming})(?!\w)|:=|\\emph", re.IGNORECASE, words_of=__file__
)
_ANY_SIGN = r"[^$]+?"
_NAMES_SIGN = regex(
    r"(?<!\w)(?i:{introducing}|{naming})(?:\s+(?i:{pointing})\s+[\w-]+|\s+(?i:{by}))?\s+"
    rf"\${_ANY_SIGN}(?=[$=:])|\${_ANY_SIGN}\$\s+(?i:{{meaning}})(?!\w)",
    words_of=__file__,
)
"""Matches any sign; `_naming_of` replaces this part for a particular one."""
_FORMULA = regex(r"\$[^$]*\$")
_HEADING = regex(
    r"\W{0,9}(?:\\[A-Za-z]{1,20}\*?[\s{]{0,9}){0,4}"
    r"(?:(?P<kind>[^\W\d_]{3,20})[\s~]*\}?(?:[\s~]*\(?[\w.]{1,9}?\)?)?|\[elsewhere\])"
    r"[\s}]*(?:\([^()]{1,80}\))?[\s}]*(?:[.:]|\Z)"
)
"""A kind with at most its number and title, or the replacement of a reference."""
_FOLLOWS = regex(r"\W*(?:{following})(?!\w)", re.IGNORECASE, words_of=__file__)
_THEN = regex(r"\W*(?:Then|Dann|Alors)\b")
_SAID = regex(
    r"\W*(?:Then|Dann\s+ist|Alors),?\s+(?P<formula>\$[^$=]{1,60}\$)\s+"
    r"(?:(?:is|est)\s+)?(?:the|der|die|das|le|la)\s+"
    r"(?!(?:only|unique|same|disjoint|direct|whole|entire|trivial|zero|identity|empty)\b|\w+est\b|most\b|least\b"
    r"|einzige|gleiche|selbe|seule?\b|même\b|plus\b)"
)
_SUPPOSING = regex(
    r"\b(?:suppos|assum|(?:let|given|if|sei|seien|wenn|soit|soient|si)\b)", re.IGNORECASE
)
_NAMING = regex(r"(?<!\w)(?:{naming})(?!\w)|:=|\\emph", re.IGNORECASE, words_of=__file__)


@lru_cache(maxsize=20_000)
def _keys_of(text: str) -> frozenset[str]:
    return frozenset(chain.from_iterable(keys_of_uses(text)))


def _defining(state: PaperState, name: str, term: str) -> list[str]:
    """The definitions of a term: those before a module, last first, then those after it."""
    modules = state.document.modules
    own = modules[name].position
    found = (one for one in modules.values() if one.role is Role.DEFINITION and term in one.terms)
    return [
        one.id
        for one in sorted(found, key=lambda one: (one.position > own, abs(own - one.position)))
    ]


def bare_key(key: str) -> str:
    """A key without quotation marks, emphasis and leading articles or pointing words."""
    return _LEADING.sub("", _EMPHASIS.sub(r"\1", key).strip(_QUOTED), count=1)


def _in_order(
    state: PaperState, name: str, index: IntroductionIndex, key: str, *, is_exact: bool
) -> Sequence[Site]:
    """The sites that introduce a key, in the order in which a reader of a module would look.

    A letter of another scope counts only if the reader asked for exactly this letter (`is_exact`).
    """
    module = state.document.modules[name]
    assembly = state.assembly
    entry = assembly.draft.order.entries[module.position]
    scopes = (-1, *index.sections.get(entry.section, ()))
    sites = index.sites.get(key, ())
    strong = [site for site in sites if site.strength >= SUPPOSES]

    def rank(site: Site) -> tuple[bool, int, bool, int]:
        depth = scopes.index(site.section) if site.section in scopes else -1
        is_before = site.holds <= module.position
        distance = module.position - site.position
        return not site.is_definition, -depth, not is_before, distance if is_before else -distance

    near = strong
    if is_letter_like(key):
        near = [site for site in strong if site.section in scopes or site.is_definition]
    near = [site for site in sorted(near, key=rank) if _introduces(state, site)]
    if near:
        return near
    weak = strong if is_exact else []
    if not is_letter_like(key):
        weak = [site for site in sites if site.strength >= EQUATES or site.around >= 0]
    weak = sorted(weak, key=lambda site: site.position)[:_LOOKED]
    return list(islice((one for one in weak if _introduces(state, one)), 1))
