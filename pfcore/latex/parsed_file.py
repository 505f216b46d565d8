"""What a reading of one file holds: plain records, so that a cache can keep them as JSON.

Offsets are those of the file's text; no record knows the file's path, for a reading
belongs to a content, wherever it stands.

Texts between tags that say what they are, as a markup has them: they stand for environments.
"""

from typing import NamedTuple

from pfcore.domain.values import Mention

READING_VERSION = 110
"""Raised whenever the same text would give another reading: it is part of every cache key."""


OMITTED, CITED, CONSTRUCTION = "omitted", "cited", "construction"
"""Natures of proofs: the first two prove nothing here."""
PROVED = "proved"
"""Nature of a statement that the words right before it prove, they say."""


class SourcePlace(NamedTuple):
    """A span with its lines and columns, both from 1."""

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int


class Cited(NamedTuple):
    """A result of another work that a text cites: `\\cite[Theorem 2]{gauss}`."""

    key: str
    locator: str
    place: SourcePlace


class Block(NamedTuple):
    """A statement, proof, fragment (a labelled display or item) or passage of the prose of a file.

    Such a passage is a convention, a definition or an introduction: a sentence that brings in what
    others use. Introductions stand in remarks (`parent`), too, and as hypotheses in claims.

    `length` is that of the canonical text without anchors, `digest` that of its normal form,
    `written` that of the text as the first form of contexts has it; `parent` is the
    enclosing block or -1; `unit` and `onward` say how far a convention reaches; `aim` are the
    labels that a proof names as what it proves, and the title of a result as what it states again;
    `adjacent` says that nothing but white space
    lies between a proof and what stands before it; `again` is the command that says it again.
    `terms` are what a definition introduces and what a result is called; `hints` what a definition
    introduces where no text before it has it. `introduces` are the keys that a text brings in, each
    behind a digit that says how strongly; a convention that `is_keyed` holds for who uses them
    alone. `marks` are what a blueprint says right in this
    block: leanok, mathlibok, notready. `results` are those of other works that it cites.
    `number` is what a heading in words says: "Step 1"; or what the environment prints where that
    ends in one: "Theorem A". `heading` is what the environment prints, as a name, where that may be
    one: "main theorem".
    """

    shape: str
    env: str
    kind: str
    title: str
    labels: tuple[str, ...]
    place: SourcePlace
    parent: int
    digest: str
    length: int
    mentions: tuple[Mention, ...]
    anchors: tuple[str, ...]
    terms: tuple[str, ...]
    hints: tuple[str, ...]
    introduces: tuple[str, ...]
    uses: tuple[str, ...]
    lean: tuple[str, ...]
    marks: tuple[str, ...]
    is_cited: bool
    results: tuple[Cited, ...]
    aim: tuple[str, ...]
    adjacent: bool
    unit: str
    onward: bool
    is_keyed: bool
    again: str
    number: str
    heading: str
    written: str
    nature: str = ""


class Label(NamedTuple):
    """A label, the block that holds it (or -1), and the fragment that it names (or -1).

    `unit` is the passage of prose that the fragment is a part of, or -1.
    """

    key: str
    offset: int
    holder: str
    block: int
    fragment: int
    unit: int = -1


class SectionHeading(NamedTuple):
    """A heading: level 0 for a part to 6, its title, and the labels that the title refers to.

    `says` are the roles of its words: see `phrases.said_by_heading`.
    """

    level: int
    offset: int
    title: str
    refers: tuple[str, ...]
    says: tuple[str, ...]


class Include(NamedTuple):
    """A file read in at this offset; `block` is the block that it lies in, or -1."""

    target: str
    command: str
    offset: int
    block: int


class Reference(NamedTuple):
    """A reference as written, wherever it stands."""

    keys: tuple[str, ...]
    command: str
    start: int
    end: int
    block: int


FAULT = "fault"
"""The code of a problem that is ours: what stands there could not be read."""


ALTERNATIVE = "alternative"
"""The code of what is not read, as the branch before it has the same labels: no problem."""


class SourceProblem(NamedTuple):
    """Something wrong with the LaTeX itself, as a sentence; `subject` is an environment, say.

    One that is ours has the code `FAULT`, the cause as its message, and the kind of the block as
    its subject, or "file".
    """

    code: str
    message: str
    subject: str
    start: int
    end: int


class Ignore(NamedTuple):
    """A `% pf: ignore[ID] reason` comment."""

    id: str
    reason: str
    offset: int
    line: int


class ParsedFile(NamedTuple):
    """All that the front end found in one file; canonical texts and references are kept apart.

    `cited` are the keys of all references, each once. `vocabulary` has for each block the words and
    symbols that no block before it has, one a line; `notation` the words of introductions and the
    heads of all symbols, one a line.
    """

    blocks: tuple[Block, ...]
    labels: tuple[Label, ...]
    sections: tuple[SectionHeading, ...]
    includes: tuple[Include, ...]
    cited: tuple[str, ...]
    problems: tuple[SourceProblem, ...]
    ignores: tuple[Ignore, ...]
    vocabulary: tuple[str, ...]
    notation: str

    @property
    def has_faults(self) -> bool:
        """Whether a part of it could not be read for a fault of ours: it is not worth keeping."""
        return any(problem.code == FAULT for problem in self.problems)


NOTATION, HYPOTHESIS = "notation", "hypothesis"
"""The kinds of introductions: of prose and remarks, and of what claims suppose."""
ABOVE = "above"
"""The unit of a paragraph that the statement behind it points to."""
BEHIND = "behind"
"""The unit of a sentence right behind a statement that explains what the statement says."""

EMPTY = ParsedFile((), (), (), (), (), (), (), (), "")

_MARK = "<"
"""Begins the name of such an environment; no name in LaTeX begins so."""


def environment(tag: str) -> str:
    """The name of the environment that a tag stands for."""
    return f"{_MARK}{tag}>"


def is_tagged(env: str) -> bool:
    """Whether an environment is a text between tags."""
    return env.startswith(_MARK)


def is_proof(env: str) -> bool:
    """Whether an environment is a proof between tags."""
    return env.startswith(_MARK) and env.endswith("_PROOF>")


def kind(env: str) -> str:
    """Like theorem, of a tag that holds a statement."""
    return env[len(_MARK) :].partition("_")[0].lower()


def number(label: str) -> str:
    """The number that a label says: 1.2 of `lem:1.2`, "" of `thm`."""
    return label.partition(":")[2]
