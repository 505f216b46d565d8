"""Check of scope: a distinctive symbol that one proof introduces and another uses.

Only certain cases: the symbol occurs only in proofs, one of them introduces it, and another uses it
without a word that might introduce it, and without following the first.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pfcore.checks.check import Check, CheckInput
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Severity
from pfcore.latex.lexer.mask import mask
from pfcore.latex.parsed_file import READING_VERSION, Block
from pfcore.latex.structure.unmarked_proofs import ARGUMENT, PROMISE
from pfcore.papers.paper import Paper

if TYPE_CHECKING:
    from pfcore.latex.language.distinctive_symbols import SymbolUse

_FOLLOWS = regex(
    r"\b(?:as (?:before|above|in|for)|the same|notations?|previous|preceding|proof of|similar\w*"
    r"|analog\w*|recall\w*|defined|introduced|constructed|earlier|verbatim|mutatis|repeat\w*"
    r"|continu\w*|identical\w*)\b",
    re.IGNORECASE,
)
"""Words with which a proof may adopt the notation of another one."""


class _Proof(NamedTuple):
    """An outermost proof: its file, its span, and its block."""

    path: str
    start: int
    end: int
    block: int


Family = Mapping[_Proof | None, Sequence["SymbolUse"]]
"""The uses of the members of one family, by their proof; None for those outside of proofs."""


def out_of_scope(scene: CheckInput, check: Check) -> Iterator[Finding]:
    """Symbols used in a proof and introduced only in the proof of another result."""
    if not scene.is_complete:
        return
    owners = scene.owners()
    for name, family in _families(scene.paper).items():
        home = _home(family)
        if home is None or _is_in_a_macro(name, scene.paper):
            continue
        first = owners.get((home.path, home.block))
        known = {use.symbol for use in family[home] if use.how == "set" and use.is_fixed}
        for proof, uses in family.items():
            second = owners.get((proof.path, proof.block)) if proof else None
            if not (proof and first and second) or proof == home or not _is_bare(uses, known):
                continue
            if _is_apart(scene, first, second) and not _follows(scene, proof):
                yield _finding(scene, check, proof.path, uses[0], (first, second))


def _finding(
    scene: CheckInput, check: Check, path: str, use: SymbolUse, names: tuple[str, str]
) -> Finding:
    first, second = names
    place = scene.at(path, use.start, use.end)
    return check.finding(
        f"{place[1]} is used here but defined only in the proof of {first}",
        subject=use.symbol,
        module=second,
        place=place,
        related=(first,),
    )


def _families(paper: Paper) -> dict[str, dict[_Proof | None, list[SymbolUse]]]:
    """All uses of distinctive symbols, by family and by proof."""
    found: dict[str, dict[_Proof | None, list[SymbolUse]]] = {}
    for path, listed in _uses(paper).items():
        proofs = _outermost(path, paper.readings[path].blocks)
        starts = [proof.start for proof in proofs]
        for use in listed:
            number = bisect_right(starts, use.start) - 1
            is_inside = number >= 0 and use.start < proofs[number].end
            proof = proofs[number] if is_inside else None
            found.setdefault(use.family, {}).setdefault(proof, []).append(use)
    return found


def _uses(paper: Paper) -> dict[str, tuple[SymbolUse, ...]]:
    """The distinctive symbols of each file, cached by the file's content."""
    from pfcore.latex.language import distinctive_symbols

    oids = {path: paper.snapshot.files[path].oid for path in paper.readings}
    keys = {path: f"symbols:{READING_VERSION}:{oid}" for path, oid in oids.items()}

    def make(path: str) -> tuple[tuple[SymbolUse, ...], dict[str, str]]:
        made = distinctive_symbols.uses(mask(paper.source(path)).text)
        return made, {keys[path]: distinctive_symbols.dump(made)}

    found = paper.parse_cache.get_or_parse(keys, distinctive_symbols.load_symbol_uses, make)
    paper.parse_cache.keep()
    return found


def _outermost(path: str, blocks: Sequence[Block]) -> list[_Proof]:
    """The proofs of a file that are not inside another proof, in order.

    Running text is not a proof here, even if it argues for a result.
    """
    inside: list[bool] = []  # whether a block is or lies in a proof; parents come first
    found = []
    for index, block in enumerate(blocks):
        is_inner = block.parent >= 0 and inside[block.parent]
        inside.append(is_inner or block.shape == "proof")
        if block.shape == "proof" and not is_inner and block.env not in (ARGUMENT, PROMISE):
            found.append(_Proof(path, block.place.start, block.place.end, index))
    return sorted(found, key=lambda proof: proof.start)


def _home(family: Family) -> _Proof | None:
    """The only proof that introduces members of a family which occurs in several proofs only."""
    if None in family or len(family) == 1:
        return None
    homes = [proof for proof, uses in family.items() if any(use.how == "set" for use in uses)]
    return homes[0] if len(homes) == 1 else None


def _is_bare(uses: Sequence[SymbolUse], known: set[str]) -> bool:
    """Whether a proof uses one of the known symbols without a word that might introduce it."""
    first = uses[0]
    may_bind = first.how != "plain" or any(use.how == "bound" for use in uses)
    return first.symbol in known and not may_bind


def _is_in_a_macro(family: str, paper: Paper) -> bool:
    from pfcore.latex.language.distinctive_symbols import plain_symbol

    return any(family in plain_symbol(macro.body) for macro in paper.syntax.macros.values())


def _is_apart(scene: CheckInput, first: str, second: str) -> bool:
    """Whether two results are unrelated, and the second's proofs cite no part of the first."""
    document = scene.document
    if second in _line(scene, first) or first in _line(scene, second):
        return False
    passages = zip(document.modules[second].proofs, document.proofs[second], strict=True)
    for passage, links in passages:
        for mention, targets in zip(passage.mentions, links.mentions, strict=True):
            for target in targets:
                is_there = bool(target.module) and first in _line(scene, target.module)
                is_itself = target.module == first and not target.anchor
                if target.word == "section" or (is_there and not is_itself):
                    return False
                if is_itself and mention.form in ("proof", "notation"):
                    return False
    return True


def _line(scene: CheckInput, name: str) -> set[str]:
    """A module and all modules that contain it."""
    found = set()
    module = scene.document.modules.get(name)
    while module and module.id not in found:
        found.add(module.id)
        module = scene.document.modules.get(module.parent or "")
    return found


def _follows(scene: CheckInput, proof: _Proof) -> bool:
    return bool(_FOLLOWS.search(scene.paper.source(proof.path), proof.start, proof.end))


CHECKS = (
    Check(
        id="out-of-scope-symbol",
        severity=Severity.NOTE,
        rationale="symbol defined only in another proof",
        run=out_of_scope,
    ),
)
