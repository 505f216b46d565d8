"""What a paper says of a symbol or term that a reader of one module asks for; never a result.

A function of the paper, the module and the key alone: it is told to nobody else, and no context
depends on it.
"""

import re
from collections.abc import Callable, Iterator, Sequence

from pfcore.domain.values import Role
from pfcore.graph.building.introduction_index import IntroductionIndex, Site
from pfcore.graph.context import members
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import paragraph, statement_in
from pfcore.latex.language.introductions import SUPPOSES
from pfcore.latex.language.notation import (
    applied_in,
    decorated_in,
    fences_in,
    keys_of_uses,
    symbols_in,
)
from pfcore.latex.language.terms import normal_words

_MOST = 3
"""Places of a paper that say something of one key, at most."""
_CLAIMS = frozenset({Role.RESULT, Role.OPEN})
_FENCE = re.compile(r"\A(?:\$+|\\[(\[])\s*|\s*(?:\$+|\\[)\]])\Z")
_ARGUMENT = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])?\s*")
_LEADING = re.compile(r"\A(?:(?:such|an?|the|this|these|that|what)\s+)+", re.IGNORECASE)
_QUOTED = " \t\n\"'`“”‘’„«».,;:"
_MATHS = re.compile(r"[\\_^{}$=<>|]|\A\W*\w\W*\Z")


def supplied(state: PaperState, name: str, key: str) -> str:
    """What the paper says under exactly this key, as the context of a module would have it.

    Where nothing introduces the key, the paragraphs of running text that have it are told: the
    first of the paper, and those of the module's own file.
    "" where it says nothing. What the context has is told again only where there is nothing else.
    The nearest scope comes first, and in it what stands last before the module; a mere mention only
    where nothing introduces the key. Of a claim its hypotheses alone are told.
    """
    index = state.assembly.usage.terms
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
            texts = state.paper.texts
            told = (statement_in(state.document, name, one, texts) for one in names[:_MOST])
            return "\n\n".join(dict.fromkeys(told))
    return "\n\n".join(_paragraphs(state, name, key))


def _keys(key: str) -> Iterator[str]:
    """The keys of the index that are meant, the most telling first."""
    bare = _bare(key)
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


def _paragraphs(state: PaperState, name: str, key: str) -> Iterator[str]:
    """The running text that has a key, each paragraph once."""
    has = _finder(key)
    if has is None:
        return iter(())
    module = state.document.modules[name]
    told: dict[str, None] = {}
    for path in state.paper.outline.order:
        if path not in state.paper.readings:
            continue
        found = [text for text in state.paper.prose(path) if has(text)]
        if found and not told:
            told[found[0]] = None
        if path == module.statement.location.path:
            told.update(dict.fromkeys(found[: _MOST - len(told)]))
            break
    return map(paragraph, told)


def _finder(key: str) -> Callable[[str], bool] | None:
    """Whether a canonical text has a key, as a symbol of its own or in these words."""
    keys = [one for one in _keys(key) if one[0] == "#"]
    if keys:
        return lambda text: any(keys[0] in used for used in keys_of_uses(text))
    words = f" {' '.join(normal_words(_bare(key)))} "
    if not words.strip():
        return None
    return lambda text: words in f" {' '.join(normal_words(text))} "


def _defining(state: PaperState, name: str, term: str) -> list[str]:
    """The definitions of a term, the last one before a module first, then those behind it."""
    modules = state.document.modules
    own = modules[name].position
    found = (one for one in modules.values() if one.role is Role.DEFINITION and term in one.terms)
    return [
        one.id
        for one in sorted(found, key=lambda one: (one.position > own, abs(own - one.position)))
    ]


def _bare(key: str) -> str:
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

    if strong:
        return sorted(strong, key=rank)
    return sorted(sites, key=lambda site: site.position)[:1]
