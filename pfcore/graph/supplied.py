"""What a paper says of a symbol or term that a reader of one module asks for; never a result.

A function of the paper, the module and the key alone: it is told to nobody else, and no context
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
from pfcore.latex.language.formula_keys import SUPPOSES
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
"""Places of a paper that say something of one key, at most."""
_LOOKED = 12
"""Mentions of a key that are looked at for one that claims nothing."""
_CLAIMS = frozenset({Role.RESULT, Role.OPEN})
_FENCE = regex(r"\A(?:\$+|\\[(\[])\s*|\s*(?:\$+|\\[)\]])\Z")
_ARGUMENT = regex(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])?\s*")
_LEADING = regex(r"\A(?:(?:{pointing})\s+)+", re.IGNORECASE, words_of=__file__)
_QUOTED = " \t\n\"'`“”‘’„«».,;:"
_MATHS = regex(r"[\\_^{}$=<>|]|\A\W*\w\W*\Z")


def supplied(state: PaperState, name: str, key: str) -> str:
    """What the paper says under exactly this key, as the context of a module would have it.

    A sentence of running text is told with its paragraph, because what is agreed of an object is
    seldom said in one sentence. Where nothing introduces the key, paragraphs that have it are told.
    "" where it says nothing. What the context has is told again only where there is nothing else.
    The nearest scope comes first, and in it what stands last before the module; a mere mention only
    where nothing introduces the key, and it claims nothing. Of a claim its hypotheses are told.
    """
    index = state.assembly.usage.terms
    if key.strip(_QUOTED).startswith("["):  # what stands in place of a reference
        return ""
    if not isinstance(index, IntroductionIndex):
        return ""  # contexts of the first form, in which nobody may ask
    inside = members(state.document, name)
    modules = state.document.modules
    for found in _keys(key):
        sites = (site.name for site in _in_order(state, name, index, found))
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
    """A definition or introduction as the context of a module would have it, and what is around it.

    Sentences of the paragraph that claim something, or speak of results and proofs, are left out.
    """
    own = statement_in(state.document, name, other, state.paper.texts)
    if state.document.modules[other].role is Role.DEFINITION:
        return own
    sentence, text = _paragraph_of(state, other)
    around = " ".join(one for one in _kept(text) if _squeezed(one) not in sentence)
    return f"{own}\n\nAround it: {around}" if around else own


def _paragraph_of(state: PaperState, name: str) -> tuple[str, str]:
    """A sentence of running text without blanks, and its paragraph; "" where there is none."""
    passage = state.document.modules[name].statement
    path = passage.location.path
    sentence = _squeezed(paragraph(state.paper.texts(path)[passage.block]))
    opening = sentence[:_OPENING]
    return sentence, next((one for one in _prose(state, path) if opening in _squeezed(one)), "")


def _is_claimed(state: PaperState, name: str) -> bool:
    """Whether a sentence that only mentions something is a claim, or speaks of one."""
    sentence, text = _paragraph_of(state, name)
    return bool(text) and sentence[:_OPENING] not in _squeezed(" ".join(_kept(text)))


@lru_cache(maxsize=20_000)
def _squeezed(text: str) -> str:
    return "".join(text.split())


_OPENING = 60
"""Characters by which a sentence is found again in its paragraph, blanks left out."""


def _keys(key: str) -> Iterator[str]:
    """The keys of the index that are meant, the most telling first."""
    bare = bare_key(key)
    body = _FENCE.sub("", _FENCE.sub("", bare)).strip()
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
    """The first paragraphs of running text that have a key, in the order of the paper.

    Sentences that claim something, or speak of results and proofs, are left out.
    """
    has = _finder(key)
    if has is None:
        return
    told: dict[str, None] = {}
    sites = getattr(state.assembly.usage.terms, "sites", {})
    strong = (site for one in _keys(key) for site in sites.get(one, ()))
    is_introduced = any(site.strength >= SUPPOSES for site in strong)
    for path in state.paper.outline.order:
        for text in _prose(state, path):
            if has(text):
                kept = " ".join(_kept(text, None if is_introduced else has))
                told.update({kept: None} if has(kept) else {})
            if len(told) == _MOST:
                break
    yield from list(told)[:_MOST]


def _kept(text: str, has: Callable[[str], bool] | None = None) -> Iterator[str]:
    """The sentences of a paragraph that claim nothing, and speak of no result and no proof.

    What stands behind the heading of a result, set by hand, is that result. "Then $X$ is the kernel
    of it" says what $X$ is where nothing before it has $X$, by a key that nothing else introduces.
    """
    before, is_new = "", has is not None
    for one in map(str.strip, sentences(text)):
        heading = _HEADING.match(one)
        if heading and (heading["kind"] is None or _is_of_claim(heading["kind"])):
            return
        is_then = _THEN.match(one) and _SUPPOSING.search(before)
        said = _SAID.match(one) if is_then and is_new else None
        follows = _FOLLOWS.match(one) or (is_then and not (said and has and has(said["formula"])))
        is_new = is_new and has is not None and not has(one)
        if not _CLAIMING.search(one) and (not follows or _NAMING.search(one)):
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
_CLAIMING = regex(
    r"\b(?:proofs?\b|prov(?:en?|ed|es|ing)\b|theorem|lemma|corollar|proposition|result"
    r"|(?:we|to|shall|will|can|is|are|was|been|now|as)\s+(?:\w+\s+)?shown?\b"
    r"|beweis|zeig|satz\b|démontr|montr|théor"
    r"|known\s+(?:fact|that)\b|bekanntlich|on\s+sait\b|bien\s+connu)",
    re.IGNORECASE,
)
_HEADING = regex(
    r"\W{0,9}(?:\\[A-Za-z]{1,20}\*?[\s{]{0,9}){0,4}"
    r"(?:(?P<kind>[^\W\d_]{3,20})[\s~]*\}?(?:[\s~]*\(?[\w.]{1,9}?\)?)?|\[elsewhere\])"
    r"[\s}]*(?:\([^()]{1,80}\))?[\s}]*(?:[.:]|\Z)"
)
"""A kind, with its number and title at most, or what stands in place of them."""
_FOLLOWS = regex(
    r"\W*(?:Hence|Thus|Therefore|Consequently|(?:It|This|So it)\s+(?:\w+\s+)?follows"
    r"|Daher|Somit|Folglich|Daraus|Hieraus|Donc|Ainsi|Par\s+conséquent|Il\s+(?:\w+\s+)?suit)\b"
)
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
_NAMING = regex(
    r"\b(?:call|writ|defin|denot|nenn|schreib|setz|bezeichn|heiß|appel|désign"
    r"|(?:put|set|let|say|said|name|notons|posons|dit)\b)|:=|\\emph",
    re.IGNORECASE,
)


def _finder(key: str) -> Callable[[str], bool] | None:
    """Whether a canonical text has a key, as a symbol of its own or in these words."""
    keys = [one for one in _keys(key) if one[0] == "#"]
    body = _FENCE.sub("", _FENCE.sub("", bare_key(key)))
    sign = _squeezed(paragraph(f"${body}$")).strip("$")
    if "\\" in sign:  # brackets, and what is everybody's, are in no text's keys: as it is written
        end = "(?![A-Za-z{])" if sign[-1].isalpha() else ""
        written = re.compile(re.escape(sign) + end)
        named = frozenset(keys[:1])
        return lambda text: bool(named & _keys_of(text) or written.search(_squeezed(text)))
    if keys:
        return lambda text: keys[0] in _keys_of(text)
    words = f" {' '.join(normal_words(bare_key(key)))} "
    if not words.strip():
        return None
    return lambda text: words in _words_of(text)


@lru_cache(maxsize=20_000)
def _keys_of(text: str) -> frozenset[str]:
    return frozenset(chain.from_iterable(keys_of_uses(text)))


@lru_cache(maxsize=20_000)
def _words_of(text: str) -> str:
    return f" {' '.join(normal_words(text))} "


def _defining(state: PaperState, name: str, term: str) -> list[str]:
    """The definitions of a term, the last one before a module first, then those behind it."""
    modules = state.document.modules
    own = modules[name].position
    found = (one for one in modules.values() if one.role is Role.DEFINITION and term in one.terms)
    return [
        one.id
        for one in sorted(found, key=lambda one: (one.position > own, abs(own - one.position)))
    ]


def bare_key(key: str) -> str:
    """A key without quotation marks and words that only point."""
    return _LEADING.sub("", key.strip(_QUOTED), count=1)


def _in_order(state: PaperState, name: str, index: IntroductionIndex, key: str) -> Sequence[Site]:
    """The sites of a key, those first that a reader of a module would look at first."""
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

    if is_letter_like(key):
        strong = [site for site in strong if site.section in scopes or site.is_definition]
    if strong:
        return sorted(strong, key=rank)
    mentions = sorted(sites, key=lambda site: site.position)[:_LOOKED]
    return list(islice((one for one in mentions if not _is_claimed(state, one.name)), 1))
