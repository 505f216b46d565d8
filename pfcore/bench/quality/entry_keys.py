"""Why each entry of a context is there: the key that brings it in, and the form of that key.

No model is used and nothing is judged: keys with most entries come first, for a human reader. What
a claim's own words bring in takes precedence over what another entry of its context brings in.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from pfcore.bench.terminal_table import Cell
from pfcore.domain.values import Module
from pfcore.graph.building.introduction_index import is_letter_like
from pfcore.graph.context import ancestors, followed, members, over
from pfcore.graph.document import USES, ProofDocument, ResolvedLinks, mentioned_modules
from pfcore.graph.paper_state import PaperState
from pfcore.latex.language.formula_keys import (
    DESCRIBES,
    EQUATES,
    MENTIONS,
    NAMES,
    STATES,
    SUPPOSES,
    TAKES,
)
from pfcore.latex.language.leads import LED
from pfcore.latex.language.notation import SHAPED, head_of, is_letter, is_plain

BROUGHT = ("paper", "by", "key", "site", "entry", "contexts", "alone")
_SITES = {
    STATES: "states", NAMES: "names", TAKES: "takes", SUPPOSES: "supposes", EQUATES: "equates",
    DESCRIBES: "describes", MENTIONS: "mentions",
}  # fmt: skip


class EntryWay(StrEnum):
    """What brings an entry in: the form of a key, a reference, or being in force."""

    REFERENCE = "reference"
    SCOPE = "scope"
    WORD = "word"
    TERM = "term"
    LETTER = "letter"
    INDEXED = "indexed"
    SIGN = "sign"
    SYMBOL = "symbol"
    SHAPE = "shape"
    NAME = "name"
    LEAD = "lead"


class BroughtEntry(NamedTuple):
    """An entry of a claim's context, and what brings it in.

    `key` is the most specific form, "" for a reference or something in force; `through` is the
    entry whose words have it, "" for the claim's own. `is_alone`: nothing else brings it in.
    """

    claim: str
    entry: str
    way: EntryWay
    key: str
    through: str
    is_alone: bool


class PaperKeys(NamedTuple):
    """The entries of all contexts of a paper with proofs.

    `sites` say how strongly an entry introduces its key, by entry and key; `unprinted` counts
    entries whose key a plain search does not find in anything that the claim prints.
    """

    entries: tuple[BroughtEntry, ...]
    sites: Mapping[tuple[str, str], str]
    unprinted: int


def paper_keys(state: PaperState) -> PaperKeys:
    """All entries of a paper's contexts, by claims in reading order."""
    document = state.document
    claims = [module for module in document.modules.values() if module.proofs]
    entries = [entry for module in claims for entry in brought_entries(document, module.id)]
    pairs = {(one.entry, one.key) for one in entries if one.key}
    own = ((one, _printed(state, document.modules[one.claim])) for one in entries if _is_own(one))
    return PaperKeys(
        entries=tuple(entries),
        sites={(name, key): _site(state, name, key) for name, key in pairs},
        unprinted=sum(not _has_key(text, one.key) for one, text in own),
    )


def brought_entries(document: ProofDocument, claim: str) -> Iterator[BroughtEntry]:
    """The distinct entries of the context of a claim."""
    inside = sorted(members(document, claim), key=lambda name: document.modules[name].position)
    ways: defaultdict[str, list[tuple[EntryWay, str, str]]] = defaultdict(list)
    for name, way, key in _own_ways(document, claim):
        ways[name].append((way, key, ""))
    direct = frozenset(ways)
    for through in inside:
        for name, way, key in _ways(document.statements[through], over(document, through)):
            if name not in direct:
                ways[name].append((way, key, through))
    for name in inside:
        for way, key, through in ways[name][:1]:
            is_alone = len({item[:2] for item in ways[name]}) == 1
            yield BroughtEntry(claim, name, way, key, through, is_alone)


def _own_ways(document: ProofDocument, claim: str) -> Iterator[tuple[str, EntryWay, str]]:
    """What the words of a claim bring in, and those of proofs that it follows."""
    bound = (*document.scope[claim], *ancestors(document, claim))
    named = (*document.uses[claim], *followed(document, claim))
    yield from ((name, EntryWay.REFERENCE, "") for name in named)
    yield from _ways(document.statements[claim], bound)
    for links in document.proofs[claim]:
        yield from _ways(links, ())
    for other in followed(document, claim):
        yield from _ways(document.proofs[other][0], ())


def _ways(links: ResolvedLinks, bound: Iterable[str]) -> Iterator[tuple[str, EntryWay, str]]:
    """What a passage under some conventions brings in."""
    yield from ((name, EntryWay.REFERENCE, "") for name in mentioned_modules(links))
    yield from ((name, EntryWay.SCOPE, "") for name in bound)
    for need, name in links.terms:
        key = "" if need == USES else need.removeprefix(LED).partition("\t")[0]
        yield name, way_of(need), key


def way_of(need: str) -> EntryWay:
    """The form of a need, by its most specific key."""
    key = need.partition("\t")[0]
    if need == USES:
        return EntryWay.REFERENCE
    if key[0] == LED:
        return EntryWay.LEAD
    if key[0] == "@":
        return EntryWay.NAME
    if key[0] != "#":
        return EntryWay.TERM if " " in key else EntryWay.WORD
    if key.startswith(SHAPED):
        return EntryWay.SHAPE
    if is_letter_like(key):
        return EntryWay.LETTER if is_letter(key.removesuffix("(")) else EntryWay.SIGN
    return EntryWay.INDEXED if is_plain(head_of(key)) else EntryWay.SYMBOL


def _site(state: PaperState, name: str, key: str) -> str:
    """The strongest way in which an entry introduces a key; "-" if only a word of it does."""
    found = (
        site.strength for site in state.assembly.usage.terms.sites.get(key, ()) if site.name == name
    )
    return _SITES.get(max(found, default=-1), "-")


def _is_own(one: BroughtEntry) -> bool:
    return bool(one.key) and not one.through and one.way not in (EntryWay.NAME, EntryWay.SHAPE)


def _printed(state: PaperState, module: Module) -> str:
    """Everything that a module prints, in lower case without spaces and braces."""
    texts = (state.paper.texts(one.location.path)[one.block] for one in module.passages)
    return _squeezed(" ".join((module.title, *texts)))


def _has_key(text: str, key: str) -> bool:
    """Whether a text has the head of a symbol, or the beginnings of the words of a term."""
    if key[0] == "#":
        return _squeezed(head_of(key)[1:]) in text
    return all(word[:_BEGIN] in text for word in key.lstrip("=").split(" "))


def _squeezed(text: str) -> str:
    return _IDLE.sub("", text).lower()


_BEGIN = 3
_IDLE = re.compile(r"[\s{}~]")

Found = Mapping[str, PaperKeys]
"""By the names of papers."""


def brought_rows(found: Found, most: int) -> Iterator[tuple[Cell, ...]]:
    """The keys of each paper that bring in most entries, below `BROUGHT`."""
    for name, one in found.items():
        for item in key_counts(one)[:most]:
            yield (name, item.way, item.key, item.site, item.entry, item.contexts, item.alone)


class KeyCount(NamedTuple):
    """In how many contexts a key brings an entry in, and in how many nothing else does."""

    way: str
    key: str
    site: str
    entry: str
    contexts: int
    alone: int


def key_counts(found: PaperKeys) -> Sequence[KeyCount]:
    """The keys of a paper, by decreasing number of entries."""
    counted: Counter[tuple[EntryWay, str, str]] = Counter()
    alone: Counter[tuple[EntryWay, str, str]] = Counter()
    for one in found.entries:
        if one.key:
            counted[one.way, one.key, one.entry] += 1
            alone[one.way, one.key, one.entry] += one.is_alone
    return [
        KeyCount(
            way.value,
            key.lstrip("#@="),
            found.sites[entry, key],
            entry,
            count,
            alone[way, key, entry],
        )
        for (way, key, entry), count in counted.most_common()
    ]


SHARED = ("paper", "entries", *EntryWay, "through", "unprinted")


def share_rows(found: Found) -> Iterator[tuple[Cell, ...]]:
    """The shares of a paper's entries by what brings them in, below `SHARED`."""
    for name, one in found.items():
        total = len(one.entries)
        by = Counter(item.way for item in one.entries)
        counts = (*(by[way] for way in EntryWay), sum(map(_is_through, one.entries)), one.unprinted)
        yield (name, total, *(count / total if total else "-" for count in counts))


def _is_through(one: BroughtEntry) -> bool:
    return bool(one.through)


def as_values(found: PaperKeys, most: int) -> dict[str, object]:
    """The same as JSON values."""
    return {
        "entries": len(found.entries),
        "through": sum(map(_is_through, found.entries)),
        "unprinted": found.unprinted,
        "by": dict(Counter(one.way.value for one in found.entries).most_common()),
        "keys": [item._asdict() for item in key_counts(found)[:most]],
    }
