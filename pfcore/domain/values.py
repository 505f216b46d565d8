"""The domain's values: modules, edges, proof documents, findings, and their closed sets."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex


class Role(StrEnum):
    """What a module contributes to the argument."""

    RESULT = "result"
    DEFINITION = "definition"
    ASSUMPTION = "assumption"
    CONVENTION = "convention"
    OPEN = "open"
    ASIDE = "aside"
    FRAGMENT = "fragment"
    NOTATION = "notation"

    @property
    def stands_alone(self) -> bool:
        """Whether a module is one for people: a display or a sentence is where others need it."""
        return self not in (Role.FRAGMENT, Role.NOTATION)


class Via(StrEnum):
    """How an edge was found."""

    REFERENCE = "reference"
    USES = "uses"
    NUMBER = "number"
    NAME = "name"
    PHRASE = "phrase"
    TERM = "term"
    NOTATION = "notation"
    SCOPE = "scope"
    INTRODUCTION = "introduction"
    PROOF = "proof"
    COROLLARY = "corollary"


class ModulePart(StrEnum):
    """The half of a module that an edge starts from."""

    STATEMENT = "statement"
    PROOF = "proof"


class Status(StrEnum):
    """Transitive status of a module, DESIGN §3; "formal" is claimed by the authors.

    "omitted" is a result whose proof says only that it is left out: nothing vouches for it.
    """

    CHECKED = "checked"
    CONDITIONAL = "conditional"
    FLAGGED = "flagged"
    UNREACHED = "unreached"
    GIVEN = "given"
    CITED = "cited"
    FORMAL = "formal"
    DISMISSED = "dismissed"
    OMITTED = "omitted"


class Severity(StrEnum):
    """How grave a finding is; ordered by `rank`."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for a note, 1 for a warning, 2 for an error."""
        return (Severity.NOTE, Severity.WARNING, Severity.ERROR).index(self)


class Location(NamedTuple):
    """A passage of a file; lines and columns count from 1, offsets from 0, `end` is exclusive."""

    path: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class Mention(NamedTuple):
    """A place in a block's canonical text that stands for something else.

    `form` is how it was meant. In a proof these are uses: reference, range, used (plainly, as in
    "by Lemma 2": only such uses make a circle certain), likely (so, but maybe in a smaller case),
    inductive (in a proof by induction, or of what is only supposed). These are none: proof (the
    proof of what is named), notation (its words alone), hedged (spoken of, and kept at hand),
    aside (a remark that uses nothing).
    `keys` are labels or citation keys; `start` and `end` are offsets in the block's file.
    """

    form: str
    keys: tuple[str, ...]
    note: str
    start: int
    end: int


class Citation(NamedTuple):
    """A result of another work that a module rests on: its bibliography key, "Theorem 2"."""

    key: str
    locator: str
    location: Location


class Passage(NamedTuple):
    """A statement or a proof: where it stands, its text's digest, and what it mentions.

    The digest is that of the normal form; `written` that of the text as contexts had it first.
    `block` finds the canonical text: index of the block in its file's reading.
    `anchors` are the labels that stand inside, in the order of their marks in the text.
    """

    location: Location
    block: int
    digest: str
    length: int
    mentions: tuple[Mention, ...]
    anchors: tuple[str, ...]
    written: str = ""


class Module(NamedTuple):
    """A statement with its proofs; without proofs for definitions, assumptions, conventions.

    `terms` are what a definition introduces and what a result is called; `hints` what a definition
    introduces where no text before it has it. `is_formal` says that the authors
    claim a formal proof, by the marks of a Lean blueprint. `number` is what the heading of a step
    or claim in words says, "" if nothing; None for all others. `stand_ins` are none of `proofs`:
    they say only that one is left out, or where it is; `stand_in` is then, if there is no proof,
    OMITTED ("Left to the reader.") or CITED ("See [3]."). `is_guessed` says that some
    proof was found for it past other statements; `is_settled` that it has none, and the text right
    before it says that it is the proof, or the paper that a section proves it, or its title that it
    states another result again. `is_announced` leaves the last case out.
    """

    id: str
    kind: str
    role: Role
    title: str
    label: str | None
    labels: tuple[str, ...]
    statement: Passage
    proofs: tuple[Passage, ...]
    parent: str | None
    position: int
    section: tuple[int, ...]
    terms: tuple[str, ...]
    hints: tuple[str, ...]
    scope: tuple[int, int] | None
    is_cited: bool
    cites: tuple[Citation, ...]
    is_formal: bool
    number: str | None = None
    stand_ins: tuple[Passage, ...] = ()
    stand_in: Status | None = None
    is_guessed: bool = False
    is_settled: bool = False
    is_announced: bool = False

    @property
    def proof(self) -> Passage | None:
        """The first proof, if there is one."""
        return self.proofs[0] if self.proofs else None

    @property
    def passages(self) -> tuple[Passage, ...]:
        """All that is written of it: the statement, the proofs, what stands for proofs."""
        return (self.statement, *self.proofs, *self.stand_ins)

    @property
    def argued(self) -> tuple[Passage, ...]:
        """What its argument is written in: the statement and the proofs."""
        return (self.statement, *self.proofs)

    def has_proof(self, proof: Passage) -> bool:
        """Whether a passage is one of the proofs; it may be one of several modules."""
        place = proof.block, proof.location.path
        return any((other.block, other.location.path) == place for other in self.proofs)

    @property
    def is_claim(self) -> bool:
        """Whether there is something to be read: a proof, or a statement that wants one.

        There is not where its authors say that they leave the proof out, or where it is found.
        """
        return bool(self.proofs) or (self.role is Role.RESULT and self.stand_in is None)

    @property
    def is_asserted(self) -> bool:
        """Whether it is a claim, or would be one if something did not stand for its proof."""
        return self.is_claim or self.stand_in is not None

    @property
    def is_result(self) -> bool:
        """Whether people count it as a result: asserted, no definition, and no case of a proof."""
        is_part = self.role is Role.DEFINITION or self.kind in _PARTS
        return self.is_asserted and self.role.stands_alone and not is_part


_PARTS = frozenset({"case", "subcase", "fall", "cas", "caso"})
"""Kinds of what divides a proof, and is proved there."""


class Edge(NamedTuple):
    """`source` invokes `target`.

    `order` is the place of the mention among all of its passage; `is_explicit` says that the
    text names the module itself, by its own label, as something that it uses.
    """

    source: str
    target: str
    via: Via
    part: ModulePart
    order: int
    is_explicit: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """An objection with a place.

    `subject` is what it is about, in words that no rewording changes; `introduced` is None
    where it is unknown; a check votes 1 of 1; `related` are the other modules concerned.
    `quorum` is how many votes it needs to block; `reason` says more than the message, where
    replies are at hand; `dismissed` is the authors' answer, `reopened` one that counts no more.
    `likeness` is how like the quote the text is that it was found for: 1 where it says the same.
    `left` is how many findings it stands for that are not shown; 0: it is one itself. `alike` is
    how many it stands for that share a shape which is probably misread; 0: it is one itself.
    """

    id: str
    rule: str
    subject: str
    severity: Severity
    module: str | None
    message: str
    quote: str
    location: Location
    introduced: bool | None = None
    votes: int = 1
    rollouts: int = 1
    dismissed: str | None = None
    related: tuple[str, ...] = ()
    quorum: int = 1
    reason: str = ""
    reopened: str | None = None
    aliases: frozenset[str] = frozenset()
    likeness: float = 1.0
    left: int = 0
    alike: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Affected:
    """A module that a change affects, with its reasons as sentences, the most direct first.

    In `marked` the modules that a sentence names are `marked_name`s: whoever prints it for people
    may call them otherwise.
    """

    id: str
    marked: tuple[str, ...]
    unread: bool

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences, with modules by their ids."""
        return self.told(r"\2")

    def told(self, call: str | Callable[[re.Match[str]], str]) -> tuple[str, ...]:
        """The sentences with what modules are called, given their ids and names in two groups."""
        return tuple(_MARKED_NAME.sub(call, text) for text in self.marked)


_MARKED_NAME = regex("\ue000(.*?)\ue001(.*?)\ue002")
"""Signs for private use: no source has them, and whatever has is only called by its id."""


def marked_name(name: str, called: str) -> str:
    """A module in a sentence by its id, `called` where nobody knows a better name."""
    return f"\ue000{name}\ue001{called}\ue002"


@dataclass(frozen=True, slots=True, kw_only=True)
class BeyondChange:
    """A change of what some modules know by name only: their contexts are the same.

    `id` is what changed, a module of now or, where it is gone, of then; `what` says it as a clause.
    `modules` have a proof, and are in the order of the paper.
    """

    id: str
    what: str
    modules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreached:
    """A module without a verdict, and why."""

    module: str
    reason: str


Statuses = Mapping[str, Status]
