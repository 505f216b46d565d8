"""The tagged sections of a text and the gaps between them, read and printed without loss.

The tags are those of the paper's appendix: a statement and a proof for each theorem, proposition
and lemma; they do not nest. The gaps may contain comments as in LaTeX, and there are no tags in
lines that begin with a percent sign. If the text is a rewriting, a label gives a component's name
in the original: `<LEMMA_STATEMENT id="2.1" label="Lemma 4.3">`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex

TAGS = tuple(
    f"{kind}_{part}"
    for kind in ("THEOREM", "PROPOSITION", "LEMMA")
    for part in ("STATEMENT", "PROOF")
)
TOO_LONG = "too-long"
LIMIT = 5_000_000
"""The length in characters above which a file is not read."""

_TAG = regex(
    r"<(?P<slash>/?)(?:(?P<name>[A-Z]+(?:_[A-Z]+)+)(?P<rest>(?:\s[^<>\n]{0,200})?)>|"
    rf"(?P<cut>{'|'.join(TAGS)})(?P<tail>(?:[ \t][^<>\n]{{0,200}})?)(?=\n|\Z))"
)
"""A tag, possibly without its final >."""
_COMMENT = regex(r"(?<!\\)%[^\n]*")
_COMMENTED = regex(r"^[ \t]{0,40}%[^\n]*", re.MULTILINE)
_KNOWN = ("id", "label")
_ATTRIBUTE = r"""\s+([A-Za-z][\w-]*)\s*=\s*(?:"([^"]*)"|'([^']*)')"""
_ONE = regex(_ATTRIBUTE)
_ALL = regex(rf"(?:{_ATTRIBUTE})+\s*")
_LOOSE_ID = regex(r"""\sid\s*=\s*["']?([\w.]+)""")
_ANY_TAG = regex(r"</?([A-Za-z]+[_-][A-Za-z]+)(?=[\s>])")
_OTHER_TAG = regex(r"<([A-Z]{3,40})(?=[\s>])")


class MarkupFault(NamedTuple):
    """What is wrong, at which offsets, and with which tag; `code` identifies the kind of fault."""

    code: str
    message: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedSection:
    """A tagged passage: `opening` and `closing` are the tags as written, `body` is the content.

    A section that is not closed ends where the next one begins, and its `closing` is empty.
    `start` is the offset of the opening tag; `before` is the text between it and the preceding
    section.
    """

    tag: str
    id: str
    opening: str
    body: str
    closing: str
    before: str
    start: int
    label: str = ""

    @property
    def kind(self) -> str:
        """theorem, proposition or lemma."""
        return self.tag.partition("_")[0].lower()

    @property
    def is_proof(self) -> bool:
        """Whether it is a proof; else it is a statement."""
        return self.tag.endswith("_PROOF")

    @property
    def content(self) -> int:
        """The offset of the body."""
        return self.start + len(self.opening)

    @property
    def end(self) -> int:
        """The offset after the closing tag."""
        return self.content + len(self.body) + len(self.closing)

    def text(self) -> str:
        """The section as written, with the text before it."""
        return self.before + self.opening + self.body + self.closing


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """All sections of a text in order, the text after the last one, and the faults."""

    listed: tuple[TaggedSection, ...]
    after: str
    faults: tuple[MarkupFault, ...]

    def text(self) -> str:
        """The exact text that was read."""
        return "".join(section.text() for section in self.listed) + self.after

    def gaps(self) -> Iterator[tuple[int, str]]:
        """The texts before, between and after the sections, each with its offset."""
        end = 0
        for section in self.listed:
            yield end, section.before
            end = section.end
        yield end, self.after


def read_sections(text: str) -> Sections:
    """Find the sections; text that fits no section stays in the gaps, and causes a fault."""
    if len(text) > LIMIT:
        message = f"the text has {len(text):,} characters; at most {LIMIT:,} are read"
        return Sections(listed=(), after=text, faults=(MarkupFault(TOO_LONG, message, "", 0, 0),))
    return _SectionParser(text).read()


def is_meant(found: Sections) -> bool:
    """Whether a text has any of the tags, even misspelt, or is too long to tell."""
    return bool(found.listed) or any(
        fault.code == TOO_LONG or fault.tag in TAGS or (fault.tag and _alike(fault.tag, TAGS))
        for fault in found.faults
    )


class _SectionParser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._done = 0
        self._open: re.Match[str] | None = None
        self._listed: list[TaggedSection] = []
        self._faults: list[MarkupFault] = []

    def read(self) -> Sections:
        for match in _TAG.finditer(_COMMENTED.sub(_blank, self._text)):
            if match["cut"]:
                self._fault("cut-tag", f"{match[0].rstrip()} lacks its >", match)
            if _name(match) not in TAGS:
                self._fault("unknown-tag", _unknown(match), match)
            elif match["slash"]:
                self._close(match)
            else:
                self._begin(match)
        if self._open is not None:
            self._fault("unclosed", f"{self._open[0]} is never closed", self._open)
            self._end(self._open, len(self._text))
        found = Sections(listed=tuple(self._listed), after=self._text[self._done :], faults=())
        faults = sorted([*self._faults, *_outside(found)], key=lambda fault: fault.start)
        return replace(found, faults=tuple(faults))

    def _begin(self, match: re.Match[str]) -> None:
        """Open a section; if another one is still open, it ends here."""
        if self._open is not None:
            opened, name = self._open[0], _name(self._open)
            message = (
                f"{match[0]} stands inside of {opened}, before any </{name}>: tags do not nest"
            )
            self._fault("nested", message, match)
            self._end(self._open, match.start())
        self._open = match

    def _close(self, match: re.Match[str]) -> None:
        """Close the open section, even if the tag does not match."""
        opening = self._open
        if opening is None:
            self._fault("stray", f"{match[0]} closes nothing", match)
            return
        if _name(opening) != _name(match):
            message = f"{match[0]} stands where {opening[0]} is open"
            self._fault("mismatch", message, match)
        self._open = None
        self._end(opening, match.start(), match[0])

    def _end(self, opening: re.Match[str], end: int, closing: str = "") -> None:
        attributes = self._attributes(opening)
        section = TaggedSection(
            tag=_name(opening),
            id=attributes.get("id", ""),
            label=attributes.get("label", ""),
            opening=opening[0],
            body=self._text[opening.end() : end],
            closing=closing,
            before=self._text[self._done : opening.start()],
            start=opening.start(),
        )
        self._listed.append(section)
        self._done = section.end

    def _attributes(self, opening: re.Match[str]) -> dict[str, str]:
        """The attributes of a tag; reports at most one fault, and keeps the id."""
        rest = opening["rest"] or opening["tail"] or ""
        if not rest.strip():
            return {}
        listed = list(_ONE.finditer(rest))
        found = {item[1]: (item[2] or item[3] or "").strip() for item in listed}
        unknown = [name for name in found if name not in _KNOWN]
        names = [item[1] for item in listed]
        if twice := next((name for name in found if names.count(name) > 1), ""):
            self._fault("attributes", f"{opening[0]} has the attribute {twice} twice", opening)
            return {item[1]: (item[2] or item[3] or "").strip() for item in reversed(listed)}
        if not _ALL.fullmatch(rest):
            message = f'{opening[0]} is not written as <{_name(opening)} id="…">'
            self._fault("attributes", message, opening)
            loose = _LOOSE_ID.search(rest)
            return {"id": loose[1]} if loose else found
        if unknown:
            hint = _alike(unknown[0], _KNOWN) or "a tag takes id and label"
            message = f"{opening[0]} has an unknown attribute, {unknown[0]}; {hint}"
            self._fault("attributes", message, opening)
        return found

    def _fault(self, code: str, message: str, match: re.Match[str]) -> None:
        self._faults.append(MarkupFault(code, message, _name(match), match.start(), match.end()))


def _name(tag: re.Match[str]) -> str:
    return tag["name"] or tag["cut"]


def _unknown(tag: re.Match[str]) -> str:
    hint = _alike(tag["name"], TAGS)
    return f"{tag[0]} is no tag of this format" + (f"; {hint}" if hint else "")


def _alike(word: str, known: Sequence[str]) -> str:
    """A question that suggests the most similar known word; "" if there is none."""
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1, 0.7)
    return f"did you mean {near[0]}?" if near else ""


def _outside(found: Sections) -> Iterator[MarkupFault]:
    """Faults for text outside the sections; tags there have faults of their own."""
    for start, gap in found.gaps():
        words = _COMMENT.sub(_blank, gap)
        if words.strip() and not _TAG.search(words):
            first = start + len(words) - len(words.lstrip())
            last = start + len(words.rstrip())
            written = next((one[1] for one in _ANY_TAG.finditer(words) if _meant(one[1])), "")
            is_small = written.upper() in TAGS
            hint = f"write {written} in capitals" if is_small else _meant(written) or _other(words)
            message = "this text stands outside of all tags" + (f"; {hint}" if hint else "")
            yield MarkupFault("outside", message, written.upper().replace("-", "_"), first, last)


def _other(words: str) -> str:
    """What to do with a tag of another kind; "" if there is none."""
    found = _OTHER_TAG.search(words)
    if not found or any(tag.startswith(f"{found[1]}_") for tag in TAGS):
        return ""
    return f"unknown tag {found[1]}: definitions go into the statement of the theorem"


def _meant(word: str) -> str:
    """A suggestion for a tag that is not in the right form; "" if there is none."""
    return _alike(word.upper().replace("-", "_"), TAGS) if word else ""


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])
