"""The tagged sections of a text, with what stands between them: read and printed without loss.

The tags are those of the paper's appendix: a statement and a proof for each theorem, proposition
and lemma; they do not nest.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

TAGS = tuple(
    f"{kind}_{part}"
    for kind in ("THEOREM", "PROPOSITION", "LEMMA")
    for part in ("STATEMENT", "PROOF")
)
LIMIT = 5_000_000
"""Characters of a file that is still read."""

_TAG = re.compile(r"<(?P<slash>/?)(?P<name>[A-Z]+(?:_[A-Z]+)+)(?P<rest>(?:\s[^<>\n]{0,200})?)>")
_ID = re.compile(r"""\s+id\s*=\s*(?:"([^"]*)"|'([^']*)')\s*""")


class Fault(NamedTuple):
    """What is wrong, where (offsets), and with which tag; `code` is for programs."""

    code: str
    message: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A tagged passage: `opening` and `closing` are its tags as written, `body` what they hold.

    `start` is the offset of the opening tag; `before` is what stands between it and the section
    before it.
    """

    tag: str
    id: str
    opening: str
    body: str
    closing: str
    before: str
    start: int

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
        """The offset behind the closing tag."""
        return self.content + len(self.body) + len(self.closing)

    def text(self) -> str:
        """The section as written, with what stands before it."""
        return self.before + self.opening + self.body + self.closing


@dataclass(frozen=True, slots=True, kw_only=True)
class Sections:
    """All sections of a text in order, what stands behind the last, and what could not be read."""

    listed: tuple[Section, ...]
    after: str
    faults: tuple[Fault, ...]

    def text(self) -> str:
        """The text that was read, to the letter."""
        return "".join(section.text() for section in self.listed) + self.after


def read(text: str) -> Sections:
    """Find the sections; what fits no section stays in between, with a fault that says so."""
    if len(text) > LIMIT:
        message = f"the text has {len(text):,} characters; at most {LIMIT:,} are read"
        return Sections(listed=(), after=text, faults=(Fault("too-long", message, "", 0, 0),))
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._done = 0
        self._open: re.Match[str] | None = None
        self._listed: list[Section] = []
        self._faults: list[Fault] = []

    def read(self) -> Sections:
        for match in _TAG.finditer(self._text):
            if match["name"] not in TAGS:
                self._unknown(match)
            elif match["slash"]:
                self._close(match)
            else:
                self._begin(match)
        if self._open is not None:
            self._fault("unclosed", f"{self._open[0]} is never closed", self._open)
        self._faults += _outside(self._listed, self._text, self._done)
        return Sections(
            listed=tuple(self._listed),
            after=self._text[self._done :],
            faults=tuple(sorted(self._faults, key=lambda fault: fault.start)),
        )

    def _begin(self, match: re.Match[str]) -> None:
        if self._open is not None:
            message = f"{match[0]} stands inside of {self._open[0]}: tags do not nest"
            self._fault("nested", message, match)
            return
        self._open = match

    def _close(self, match: re.Match[str]) -> None:
        opening = self._open
        if opening is None:
            self._fault("stray", f"{match[0]} closes nothing", match)
        elif opening["name"] != match["name"]:
            message = f"{match[0]} stands where {opening[0]} is open"
            self._fault("mismatch", message, match)
        else:
            self._open = None
            self._listed.append(self._section(opening, match))
            self._done = match.end()

    def _section(self, opening: re.Match[str], closing: re.Match[str]) -> Section:
        return Section(
            tag=opening["name"],
            id=self._id(opening),
            opening=opening[0],
            body=self._text[opening.end() : closing.start()],
            closing=closing[0],
            before=self._text[self._done : opening.start()],
            start=opening.start(),
        )

    def _id(self, opening: re.Match[str]) -> str:
        if not opening["rest"].strip():
            return ""
        found = _ID.fullmatch(opening["rest"])
        if found is None:
            message = f'{opening[0]} is not written as <{opening["name"]} id="…">'
            self._fault("attributes", message, opening)
            return ""
        return (found[1] if found[1] is not None else found[2]).strip()

    def _unknown(self, match: re.Match[str]) -> None:
        self._fault("unknown-tag", f"{match[0]} is no tag of this format", match)

    def _fault(self, code: str, message: str, match: re.Match[str]) -> None:
        self._faults.append(Fault(code, message, match["name"], match.start(), match.end()))


def _outside(listed: list[Section], text: str, done: int) -> Iterator[Fault]:
    """Words between the sections; tags there have faults of their own."""
    gaps = [(section.start - len(section.before), section.before) for section in listed]
    for start, gap in (*gaps, (done, text[done:])):
        words = _TAG.sub(lambda match: " " * len(match[0]), gap)
        if words.strip() and not _TAG.search(gap):
            first = start + len(words) - len(words.lstrip())
            last = start + len(words.rstrip())
            yield Fault("outside", "this text stands outside of all tags", "", first, last)
