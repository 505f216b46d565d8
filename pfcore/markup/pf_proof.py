"""Sections as a pseudo-formal proof: components with parents and citations, and its rules."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.latex.language.worded_references import main_theorem_uses
from pfcore.latex.lexer.mask import mask
from pfcore.markup.tagged_sections import MarkupFault, Sections, TaggedSection

_NUMBER = regex(r"[1-9][0-9]{0,3}")
_LEMMA = regex(r"([1-9][0-9]{0,3})\.([1-9][0-9]{0,3})")
_CITED = regex(
    r"\b(Theorem|Proposition|Lemma)(?:s|ta)?[\s~]+"
    r"((?:\d{1,4}(?:\.\d{1,4})?)(?:(?:[\s~]*,[\s~]*(?:and[\s~]+)?|[\s~]+and[\s~]+|[\s~]*(?:-|--|–)[\s~]*"
    r"|[\s~]+to[\s~]+)"
    r"\d{1,4}(?:\.\d{1,4})?)*)(?![.\d]*\d)(?!\s+(?:of|in|from)\s+(?:\[|\\cite|the\s+paper))",
    re.IGNORECASE,
)
_PARAGRAPH = regex(r"(?:(?!\n[ \t]*\n).)+", re.DOTALL)
_DOLLAR = regex(r"\\.|(\$\$?)", re.DOTALL)
_BRACED = regex(r"\{[^{}]*\}")
_WORDS = regex(r"(?<![\\\w])[^\W\d_]{2,},?\s+[^\W\d_]{2,}(?!\w)")
"""Two words in a row, neither of which is a command."""
_TOKEN = regex(r"\d{1,4}(?:\.\d{1,4})?|--?|–|\bto\b")
_JOINT = "-"
_MOST = 100


class ComponentCitation(NamedTuple):
    """Words that cite components, and their position in the text.

    `is_whole` says that the words name no other components.
    """

    names: tuple[str, ...]
    start: int
    end: int
    is_whole: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A statement with its proof, if it has one.

    `name` is "Proposition 2"; `parent` is the name of a lemma's proposition, else None: what is
    proved for one theorem may be used by another.
    `citations` are the words of the proof that cite components, in order.
    """

    name: str
    statement: TaggedSection
    proof: TaggedSection | None
    parent: str | None
    citations: tuple[ComponentCitation, ...]

    @property
    def label(self) -> str:
        """The name of the component in the text that was rewritten; "" if not given."""
        return self.statement.label

    @property
    def cites(self) -> tuple[str, ...]:
        """The distinct components that the proof cites."""
        return tuple(dict.fromkeys(name for item in self.citations for name in item.names))


@dataclass(frozen=True, slots=True, kw_only=True)
class PfProof:
    """A pseudo-formal proof: its components by name, in the order of their statements."""

    components: Mapping[str, Component]
    faults: tuple[MarkupFault, ...]


def outline(sections: Sections) -> PfProof:
    """Pair statements with proofs; every broken rule is a fault with its place."""
    faults = list(sections.faults)
    statements: dict[str, TaggedSection] = {}
    proofs: dict[str, TaggedSection] = {}
    for section in sections.listed:
        fault = _id_fault(section)
        if fault:
            faults.append(fault)
        known = proofs if section.is_proof else statements
        if name(section) in known:
            faults.append(_fault("duplicate-id", f"{section.opening} stands twice", section))
        known.setdefault(name(section), section)
    theorem = one_theorem(sections)
    components = {
        key: _component(key, section, proofs.get(key), statements, theorem)
        for key, section in statements.items()
    }
    faults += _theorems(sections.listed)
    faults += _lacks(components, proofs)
    faults += _orders(components, sections.listed)
    faults += _citations(components)
    return PfProof(
        components=components, faults=tuple(sorted(set(faults), key=lambda fault: fault.start))
    )


def name(section: TaggedSection) -> str:
    """The name of a section, such as "Theorem", "Theorem 1", "Proposition 2" or "Lemma 2.1"."""
    return f"{section.kind.capitalize()} {section.id}".strip()


def one_theorem(sections: Sections) -> str:
    """The name of the theorem, if there is only one."""
    stated = (section for section in sections.listed if not section.is_proof)
    found = [name(section) for section in stated if section.kind == "theorem"]
    return found[0] if len(found) == 1 else ""


def _fault(code: str, message: str, section: TaggedSection) -> MarkupFault:
    return MarkupFault(code, message, section.tag, section.start, section.content)


def _id_fault(section: TaggedSection) -> MarkupFault | None:
    if section.kind == "theorem" and not section.id:
        return None
    pattern = _LEMMA if section.kind == "lemma" else _NUMBER
    if pattern.fullmatch(section.id):
        return None
    wanted = "2.1" if section.kind == "lemma" else "2"
    found = f'the id "{section.id}"' if section.id else "no id"
    return _fault(
        "bad-id", f'{section.opening} has {found}; one like "{wanted}" is wanted', section
    )


def _component(
    key: str,
    statement: TaggedSection,
    proof: TaggedSection | None,
    statements: Mapping[str, TaggedSection],
    theorem: str,
) -> Component:
    parent = None
    if statement.kind == "lemma":
        above = f"Proposition {statement.id.partition('.')[0]}"
        parent = above if above in statements else None
    return Component(
        name=key,
        statement=statement,
        proof=proof,
        parent=parent,
        citations=tuple(section_citations(proof, statements, theorem)) if proof else (),
    )


def section_citations(
    section: TaggedSection, known: Mapping[str, object], theorem: str
) -> list[ComponentCitation]:
    """The places where a section cites components; "the Theorem" means the one of the file."""
    text = mask(section.body).text
    found = list(citations(text, known))
    if theorem and section.is_proof and section.kind != "theorem":
        found += (ComponentCitation((theorem,), *span) for span in main_theorem_uses(text))
    return sorted(found, key=lambda item: item.start)


def citations(text: str, known: Mapping[str, object]) -> Iterator[ComponentCitation]:
    """The places where a masked text cites components; unknown numbers belong to other works."""
    for match in _CITED.finditer(text):
        kind = match[1].capitalize()
        keys = dict.fromkeys(f"{kind} {number}" for number in _numbers(match[2]))
        names = tuple(key for key in keys if key in known)
        if names:
            yield ComponentCitation(names, match.start(), match.end(), len(names) == len(keys))


def _numbers(text: str) -> Iterator[str]:
    """The numbers in lists such as `1, 2 and 4` and ranges such as `1.1--1.3`."""
    before = ""
    for token in _TOKEN.findall(text):
        if token[0].isdigit():
            if before.endswith(_JOINT):
                yield from _between(before.removesuffix(_JOINT), token)
            yield token
            before = token
        else:
            before += _JOINT


def _between(first: str, last: str) -> Iterator[str]:
    """The numbers strictly between two of one series, for ranges up to a hundred."""
    series, dot, number = last.rpartition(".")
    start = first.rpartition(".")[2]
    if start.isdigit() and int(number) - int(start) <= _MOST:
        yield from (f"{series}{dot}{item}" for item in range(int(start) + 1, int(number)))


def _theorems(listed: tuple[TaggedSection, ...]) -> Iterator[MarkupFault]:
    """Faults unless there is one theorem without id, or several that all have ids."""
    theorems = [section for section in listed if section.kind == "theorem"]
    if not any(not section.is_proof for section in theorems):
        first = listed[0] if listed else None
        start, end = (first.start, first.content) if first else (0, 0)
        yield MarkupFault(
            "no-theorem", "there is no THEOREM_STATEMENT", "THEOREM_STATEMENT", start, end
        )
    if any(section.id for section in theorems):
        for section in theorems:
            if not section.id:
                message = f"{section.opening} needs an id, for another theorem has one"
                yield _fault("bad-id", message, section)


def _lacks(
    components: Mapping[str, Component], proofs: Mapping[str, TaggedSection]
) -> Iterator[MarkupFault]:
    """Faults for missing proofs, statements and propositions, empty sections and open formulas."""
    for key, component in components.items():
        section = component.statement
        if component.proof is None:
            yield _fault("missing-proof", f"{key} has no {section.kind.upper()}_PROOF", section)
        if section.kind == "lemma" and component.parent is None and _LEMMA.fullmatch(section.id):
            above = section.id.partition(".")[0]
            yield _fault("no-parent", f"{key} has no Proposition {above} above it", section)
        for part in (section, component.proof):
            if part is not None and is_empty(part):
                yield _fault("empty", f"{part.opening} holds nothing", part)
            elif part is not None and (found := _open_formula(part.body)) is not None:
                start = part.content + found
                message = f"nothing closes the formula that begins here, in {part.opening}"
                yield MarkupFault("dollar", message, part.tag, start, start + 1)
    for key, proof in proofs.items():
        if key not in components:
            yield _fault("missing-statement", f"{proof.opening} proves what is not stated", proof)


def is_empty(section: TaggedSection) -> bool:
    """Whether a section is empty apart from comments."""
    return not mask(section.body).text.strip()


def _open_formula(body: str) -> int | None:
    """The offset of the unmatched dollar sign in a paragraph with an odd number; None if none has.

    It is the first one that would enclose two words in a row, else the last.
    """
    masked = mask(body).text
    for paragraph in _PARAGRAPH.finditer(masked):
        found = [item for item in _DOLLAR.finditer(paragraph[0]) if item[1]]
        if len(found) % 2:
            pairs = zip(found[::2], found[1::2], strict=False)
            within = ((one, paragraph[0][one.end() : other.start()]) for one, other in pairs)
            plain = ((one, _BRACED.sub("", inner)) for one, inner in within)
            odd = next((one for one, inner in plain if _WORDS.search(inner)), found[-1])
            return paragraph.start() + odd.start()
    return None


def _orders(
    components: Mapping[str, Component], listed: tuple[TaggedSection, ...]
) -> Iterator[MarkupFault]:
    """Statements come before proofs, numbers increase, lemmas are between statement and proof."""
    last: dict[str, tuple[int, ...]] = {}
    for section in listed:
        if section.is_proof or not section.id or _id_fault(section):
            continue
        series = section.id.rpartition(".")[0] if section.kind == "lemma" else section.kind
        number = tuple(map(int, section.id.split(".")))
        if number < last.get(series, ()):
            yield _fault("order", f"{section.opening} stands behind a higher number", section)
        last[series] = max(number, last.get(series, ()))
    for key, component in components.items():
        proof, above = component.proof, components.get(component.parent or "")
        if proof and proof.start < component.statement.start:
            yield _fault("order", f"{proof.opening} stands before its statement", proof)
        if above and component.statement.start < above.statement.start:
            message = f"{component.statement.opening} stands before {above.name}"
            yield _fault("order", message, component.statement)
        if above and above.proof and component.statement.start > above.proof.start:
            message = f"{key} stands behind the proof of {above.name} that rests on it"
            yield _fault("order", message, component.statement)


def _citations(components: Mapping[str, Component]) -> Iterator[MarkupFault]:
    """Faults for citations of components that come later or are out of scope."""
    for component in components.values():
        proof = component.proof
        for item in component.citations if proof else ():
            for key in item.names:
                message = _objection(component, components[key])
                if message and proof:
                    start = proof.content + item.start
                    end = proof.content + item.end
                    yield MarkupFault("citation", message, proof.tag, start, end)


def _objection(citing: Component, target: Component) -> str:
    one, other = citing.statement, target.statement
    who = f"the proof of {citing.name} cites {target.name}"
    if citing.name == target.name:
        return f"{who}, which it proves"
    if one.kind == "theorem":
        if other.kind == "lemma":
            return f"{who}; a theorem's proof cites propositions, not their lemmas"
        is_later = other.kind == "theorem" and _rank(target) > _rank(citing)
        return f"{who}, which comes later" if is_later else ""
    if other.kind == "theorem":
        return f"{who}, which rests on it"
    if other.kind == "lemma" and target.parent not in (citing.name, citing.parent):
        return f"{who}, which belongs to {target.parent or 'another proposition'}"
    if one.kind == "lemma" and target.name == citing.parent:
        return f"{who}, which it is a part of"
    is_own = one.kind == "proposition" and other.kind == "lemma"
    mine = _rank(citing)[:1] if one.kind != other.kind else _rank(citing)
    return f"{who}, which comes later" if not is_own and _rank(target) > mine else ""


def _rank(component: Component) -> tuple[int, ...]:
    number = component.statement.id
    return tuple(map(int, re.findall(r"\d+", number)))
