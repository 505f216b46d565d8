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
        """False for displays and notation, which are modules only because others depend on them."""
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
    """Transitive status of a module, DESIGN §3; "formal" is the authors' claim.

    "omitted" is a result whose proof is explicitly left out: nothing vouches for it.
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
    """How severe a finding is; ordered by `rank`."""

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
    """A place in a block's canonical text that refers to something else.

    `form` says how. These count as uses in a proof: reference, range, used (plainly, as in "by
    Lemma 2"; only these make a cycle certain), likely (used, but maybe for a smaller case),
    inductive (in a proof by induction, or of something only assumed). These do not: proof (refers
    to the proof of the named result), notation (only its words), hedged (only mentioned, but still
    in the context), aside (a remark that uses nothing).
    `keys` are labels or citation keys; `start` and `end` are offsets in the block's file.
    """

    form: str
    keys: tuple[str, ...]
    note: str
    start: int
    end: int


class Citation(NamedTuple):
    """A result of another work that a module uses: bibliography key and locator ("Theorem 2")."""

    key: str
    locator: str
    location: Location


class Passage(NamedTuple):
    """A statement or a proof: its location, the digest of its text, and what it mentions.

    `digest` is that of the normal form, `written` that of the text in the first form of contexts.
    `block` is the index of its block in the reading of its file, which has the canonical text.
    `anchors` are the labels inside it, in the order of their marks in the text.
    """

    location: Location
    block: int
    digest: str
    length: int
    mentions: tuple[Mention, ...]
    anchors: tuple[str, ...]
    written: str = ""


class Module(NamedTuple):
    """A statement with its proofs; definitions, assumptions and conventions have none.

    `terms` are what a definition introduces or the names of a result; `hints` are the terms of a
    definition that no earlier text has. `is_formal` says that the authors claim a formal proof, by
    the marks of a Lean blueprint. `number` is the number in the heading of a step or claim in
    words, "" if it has none; None for all others. `stand_ins`, which are not among `proofs`, only
    say that a proof is left out, or where to find it; if there is no proof, `stand_in` is
    OMITTED ("Left to the reader.") or CITED ("See [3]."). `is_guessed` says that some proof was
    assigned to it across other statements. `is_settled` says that it has no proof and needs none:
    the text just before claims to be its proof, or the paper says that a section proves it, or by
    its title it restates another result. `is_announced` leaves out the last case.
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
        """All of its text: the statement, the proofs and their stand-ins."""
        return (self.statement, *self.proofs, *self.stand_ins)

    @property
    def argued(self) -> tuple[Passage, ...]:
        """The passages of its argument: the statement and the proofs."""
        return (self.statement, *self.proofs)

    def has_proof(self, proof: Passage) -> bool:
        """Whether a passage is one of its proofs; a proof may belong to several modules."""
        place = proof.block, proof.location.path
        return any((other.block, other.location.path) == place for other in self.proofs)

    @property
    def is_claim(self) -> bool:
        """Whether there is something to read: a proof, or a statement that needs one.

        A result whose authors leave out its proof, or cite one, is not a claim.
        """
        return bool(self.proofs) or (self.role is Role.RESULT and self.stand_in is None)

    @property
    def is_asserted(self) -> bool:
        """Whether it is a claim, or would be one without a stand-in for its proof."""
        return self.is_claim or self.stand_in is not None

    @property
    def is_result(self) -> bool:
        """Whether people count it as a result: asserted, not a definition or part of a proof."""
        is_part = self.role is Role.DEFINITION or self.kind in _PARTS
        return self.is_asserted and self.role.stands_alone and not is_part


_PARTS = frozenset({"case", "subcase", "fall", "cas", "caso"})
"""Kinds of the parts of a proof, which are proved inside it."""


class Edge(NamedTuple):
    """`source` depends on `target`.

    `order` is the position of the mention among all of its passage; `is_explicit` says that the
    text uses the module by the module's own label.
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

    `subject` is what it is about, in words that survive rewording; `introduced` is None if unknown;
    `related` are the other modules concerned. A check votes 1 of 1; `quorum` is the number of votes
    needed to block. `reason` says more than the message, if there are replies; `dismissed` is the
    authors' answer, `reopened` an answer that no longer counts. `likeness` is the similarity of the
    quote to the text it was matched with, 1 if they agree. `left` is the number of hidden findings
    that it stands for; `alike` the number of findings it stands for that share a shape which is
    probably misread. Both are 0 for an ordinary finding.
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

    In `marked` every module is written as its `marked_name`, so that a printer can choose another
    name for it.
    """

    id: str
    marked: tuple[str, ...]
    unread: bool

    @property
    def reasons(self) -> tuple[str, ...]:
        """The sentences, with modules named by their ids."""
        return self.told(r"\2")

    def told(self, call: str | Callable[[re.Match[str]], str]) -> tuple[str, ...]:
        """The sentences with modules named by `call`, given a match with groups id and name."""
        return tuple(_MARKED_NAME.sub(call, text) for text in self.marked)


_MARKED_NAME = regex("\ue000(.*?)\ue001(.*?)\ue002")
"""Private-use characters: sources hardly have them, and at worst a module is shown by its id."""


def marked_name(name: str, called: str) -> str:
    """A module inside a sentence: its id, and the name to use where no better one is known."""
    return f"\ue000{name}\ue001{called}\ue002"


@dataclass(frozen=True, slots=True, kw_only=True)
class BeyondChange:
    """A change to something that some modules know by name only: their contexts are the same.

    `id` is the changed module, now or, if removed, in the base; `what` describes it as a clause.
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
