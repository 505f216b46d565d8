"""The records of a reading of one file: plain, so that a cache can keep them as JSON.

Offsets are those of the file's text; no record has the file's path, because a reading belongs to
the content, wherever the file is.

Texts between tags, as in a markup, are represented as environments.
"""

from typing import NamedTuple

from pfcore.domain.values import Mention

READING_VERSION = 111
"""Increased whenever the same text would give another reading; part of every cache key."""


OMITTED, CITED, CONSTRUCTION = "omitted", "cited", "construction"
"""Natures of proofs: the first two prove nothing here."""
PROVED = "proved"
"""Nature of a statement that is proved by the words right before it, as they say."""


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

    Such a passage is a convention, a definition or an introduction: a sentence that introduces what
    others use. Introductions also occur in remarks (`parent`), and as hypotheses in claims.

    `length` is that of the canonical text without anchors, `digest` that of its normal form,
    `written` that of the text in the first form of contexts; `parent` is the enclosing block or -1;
    `unit` and `onward` say how far a convention reaches; `aim` are the labels of the results that a
    proof says it proves, or that a result's title says it restates; `adjacent` says that only white
    space is between a proof and the block before it; `again` is the command that restates it.
    `terms` are those that a definition introduces, and the names of a result; `hints` those that a
    definition introduces if no earlier text has them. `introduces` are the keys that a text
    introduces, each after a digit for its strength; a convention that `is_keyed` holds only for
    texts that use them. `marks` are those of a blueprint in this block: leanok, mathlibok,
    notready. `results` are those of other works that it cites.
    `number` is that of a heading in words, "Step 1", or at the end of the environment's printed
    name: "Theorem A". `heading` is the environment's printed name in normal form, if it may name
    the result: "main theorem".
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
    """A heading: its level from 0 (a part) to 6, its title, and the labels that the title cites.

    `says` are the roles of its words: see `phrases.said_by_heading`.
    """

    level: int
    offset: int
    title: str
    refers: tuple[str, ...]
    says: tuple[str, ...]


class Include(NamedTuple):
    """An inclusion of a file at this offset; `block` is the block that contains it, or -1."""

    target: str
    command: str
    offset: int
    block: int


class Reference(NamedTuple):
    """A reference as written, in or outside blocks."""

    keys: tuple[str, ...]
    command: str
    start: int
    end: int
    block: int


FAULT = "fault"
"""The code of a problem caused by our own fault: the text there could not be read."""


ALTERNATIVE = "alternative"
"""The code of a branch not read because the one before has the same labels; not a problem."""


class SourceProblem(NamedTuple):
    """Something wrong with the LaTeX itself, as a sentence; `subject` is, say, an environment.

    A fault of ours has the code `FAULT`, the cause as its message, and the kind of the block, or
    "file", as its subject.
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
    """Everything found in one file, except canonical texts and references, which are kept apart.

    `cited` are the keys of all references, without duplicates. `vocabulary` has for each block the
    words and symbols that no earlier block has, one a line; `notation` has the words of
    introductions and the heads of all symbols, one a line.
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
        """Whether a fault of ours hid a part of the file: it is not worth keeping."""
        return any(problem.code == FAULT for problem in self.problems)


NOTATION, HYPOTHESIS = "notation", "hypothesis"
"""The kinds of introductions: in prose and remarks, and in suppositions of claims."""
ABOVE = "above"
"""The unit of a paragraph to which the statement after it points."""
BEHIND = "behind"
"""The unit of a sentence right after a statement that explains the statement."""

EMPTY = ParsedFile((), (), (), (), (), (), (), (), "")

_MARK = "<"
"""The first character of such an environment's name; no name in LaTeX begins with it."""


def environment(tag: str) -> str:
    """The name of the environment that represents a tag."""
    return f"{_MARK}{tag}>"


def is_tagged(env: str) -> bool:
    """Whether an environment is a text between tags."""
    return env.startswith(_MARK)


def is_proof(env: str) -> bool:
    """Whether an environment is a proof between tags."""
    return env.startswith(_MARK) and env.endswith("_PROOF>")


def kind(env: str) -> str:
    """The kind of statement in a tag, such as theorem."""
    return env[len(_MARK) :].partition("_")[0].lower()


def number(label: str) -> str:
    """The number in a label: 1.2 of `lem:1.2`, "" of `thm`."""
    return label.partition(":")[2]
