"""Proofs without an environment: from `\\textbf{Proof.}` to a visible end.

Such a heading, or a separate line, right before a proof in an environment is that proof's title.
"""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans, occurrences
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.project.kinds import KIND_WORDS
from pfcore.latex.structure.headings import CLAIMS, STEPS, Head

NAME = "Proof."
"""The environment's name for a proof without one."""
SECTION = "Proof section."
"""The environment's name for a proof that is a section."""
SENTENCE = "Proof sentence."
"""The environment's name for sentences that argue right after a result."""
ARGUMENT = "Proof before."
"""The environment's name for running text that proves the result right after it.

It has no node in the tree: like other running text, it introduces things for the whole paper.
"""
PROMISE = "Proof promised."
"""The environment's name for words that say in which section results are proved; not a proof.

Its title is the label of the section. It has no node in the tree either.
"""
NAMES = frozenset({NAME, SECTION, SENTENCE})

_WORDS = (
    "Proof", "Sketch of", "Preuve", "D\\'emonstration", "Démonstration", "Beweis", "Dimostrazione",
    "Demostraci", "Demonstração",
)  # fmt: skip
_WORD = (
    r"(?:Proofs?|Sketch[\s~]+of[\s~]+(?:the[\s~]+)?[Pp]roof|Preuve|D\\'emonstration|Démonstration"
    r"|Beweis|Dimostrazione|Demostraci[óo]n|Demonstração)"
)
_TITLE = (
    _WORD
    + r"(?:[\s~]*\(?[Ss]ketch\)?|[\s~]*\([^(){}]{1,60}\))?"
    + r"(?:[\s~]+(?:of|for|to|de|du|von)[\s~](?:[^{}\n]|\{[^{}\n]{0,200}\}){1,120}?)?[.:]?"
)
_FONT = r"(?:text(?:bf|it|sc|sl|up|sf)|emph|underline|uline)"
_SWITCH = r"(?:bf|it|em|sl|sc|sf|bfseries|itshape|slshape|scshape|sffamily)(?![A-Za-z])"
_OPENER = regex(
    r"(?:(?<=\n)|(?<=\})|\A)[ \t]{0,20}"
    r"(?P<lead>(?:\\(?:noindent|par|indent|(?:small|med|big)skip)(?![A-Za-z])\s{0,20}){0,4})"
    rf"(?:\\{_FONT}\s?\{{\s?(?:\\{_FONT}\s?\{{)?(?P<a>{_TITLE})[\s~]{{0,9}}\}}{{1,2}}"
    rf"|\{{\s?(?:\\{_SWITCH}\s?){{1,3}}(?P<b>{_TITLE})[\s~]{{0,9}}\}})"
    r"(?P<stop>[ \t~]{0,9}(?:[.:]|(?=\n|\\|\()))?"
)
_OF = regex(r"\b(?:of|for|to|de|du|von)\b(?![\s~]+(?:the[\s~]+)?[Pp]roof)")
_STATEMENT = regex(KIND_WORDS + r"|[Cc]orol|\\|[Mm]ain|[Tt]heor|[Ss]atz|[Ll]emm|[Tt]h[ée]or")
_OF_CLAIM = regex(
    r"\b(?:of|de|du|von|der)[\s~]+(?:the[\s~]+|this[\s~]+|l')?"
    r"(?:[Cc]laim|[Ss]tep|[Ss]ublemma|[Ff]act|Behauptung|[Aa]ffirmation|Schritt)"
)
_BEFORE, _BEHIND = 120, 400
_HEADING = regex(_TITLE + r"$")
_CLOSER = regex(
    r"\\(?:qed|qedsymbol|QED|eop)(?![A-Za-z])(?:\{\})?"
    r"|(?:\\(?:hfill|quad|hspace\*?\{\\fill\})\s{0,9})?"
    r"(?:\$\s?\\(?:square|Box|blacksquare)\s?\$|\\(?:square|Box|blacksquare)(?![A-Za-z])|[□∎■])"
    r"(?=[ \t]{0,40}\n[ \t]{0,40}\n|\s{0,40}(?:\Z|\\(?:begin|end|par|(?:sub)*section"
    r"|(?:small|med|big)skip)(?![A-Za-z])))"
)
_SHAPES = ("statement", "proof")
_TO_PROOF = regex(r"\s{0,40}(?:\\label\s?\{[^{}]{0,80}\}\s{0,40})?")
_REPLACED = ("section", "begin")
_PARAGRAPHS = ("paragraph", "subparagraph")
_IN_FONT = regex(rf"\\{_FONT}\s?\{{|\{{\s?\\{_SWITCH}\s?")
_SENTENCE = regex(r"[^\W\d_]{3}\.\s+[A-Z]|[.:]\s+[A-Z][a-z]*\s[a-z]")
_LINE = 200  # characters of a line that may be the title of the proof after it

Shape = Callable[[str], str]
"""Maps an environment's name to its shape."""


def with_bare_proofs(
    text: str,
    listed: Sequence[CommandEvent],
    shape: Shape,
    hidden: Spans,
    heads: Sequence[Head] = (),
    *,
    has_own: bool | None = False,
) -> Sequence[CommandEvent]:
    """The events, with begin and end added for each such proof outside proofs and statements.

    `heads` are those of steps and claims, which do not end a proof. The command `\\proof` is also
    such a heading if the paper `has_own` one, or (None) if nothing ends the proofs of a class's.
    """
    headings = [
        event._replace(kind="opener", name=NAME, note=event.note.strip())
        for event in listed
        if event.name in _PARAGRAPHS
        and event.kind == "section"
        and _HEADING.match(event.note.strip())
        and _names_a_proof(event.note)
    ]
    if _ends_by_itself(text, listed) if has_own is None else has_own:
        headings += _own_commands(text, listed)
    found = headings + openers(text, hidden)
    listed, announcing = _with_titles(text, listed, shape, found)
    if not found:
        return listed
    replaced = {event.start for event in headings}
    found = [event for event in found if event.start not in announcing]
    others = [e for e in listed if e.kind not in _REPLACED or e.start not in replaced]
    signs = sorted((*found, *closers(text)), key=_start)
    inner = _inner(text, signs, heads) if heads else frozenset()
    merged = sorted((*others, *(e for e in signs if e.start not in inner)), key=_start)
    return list(_inserted(merged, shape, Spans((h.start, h.end) for h in heads), len(text)))


def _ends_by_itself(text: str, listed: Sequence[CommandEvent]) -> bool:
    """Whether `\\proof` begins proofs that no command ends."""
    proofs = [event for event in listed if event.name == "proof" and event.kind in ("begin", "end")]
    begun = sum(event.kind == "begin" and text.startswith("\\b", event.start) for event in proofs)
    ended = [event for event in proofs if event.kind == "end"]
    is_balanced = begun == len(ended) and all(text.startswith("\\end{", e.start) for e in ended)
    return is_balanced and len(proofs) > begun + len(ended)


def _own_commands(text: str, listed: Sequence[CommandEvent]) -> list[CommandEvent]:
    """The uses of the paper's own command `\\proof`, which is not an environment."""
    return [
        event._replace(kind="opener", name=NAME)
        for event in listed
        if event.kind == "begin" and event.name == "proof" and text.startswith("\\p", event.start)
    ]


def _with_titles(
    text: str, listed: Sequence[CommandEvent], shape: Shape, openers: Sequence[CommandEvent]
) -> tuple[Sequence[CommandEvent], set[int]]:
    """The events, with titles right before proofs added to these; and the openers so used."""
    found = (*(event for event in listed if event.name in _PARAGRAPHS), *openers)
    behind = {match.end(): event for event in found if (match := _TO_PROOF.match(text, event.end))}
    made: dict[int, CommandEvent] = {}
    announcing: set[int] = set()
    for index, event in enumerate(listed):
        if event.kind != "begin" or shape(event.name) != "proof":
            continue
        heading = behind.get(event.start)
        title = _line_before(text, event.start) if heading is None else heading.note.strip()
        if heading and heading.kind == "opener":
            announcing.add(heading.start)
        if _HEADING.match(title) and not event.note:
            made[index] = event._replace(note=title)
    if made:
        listed = [made.get(index, event) for index, event in enumerate(listed)]
    return listed, announcing


def with_sentences(
    listed: Sequence[CommandEvent],
    shape: Shape,
    found_behind: Callable[[str, int, int], tuple[str, int, int]],
) -> list[CommandEvent]:
    """The events, with begin and end added around sentences that stand for a proof.

    `found_behind` gets the environment of a statement, its end, and where a proof comes next (else
    -1); it returns the name, begin and end of such a sentence, with an end of 0 if there is none.
    """
    found: list[CommandEvent] = []
    depth = 0
    placed = [e for e in listed if e.kind in ("begin", "end") and shape(e.name) in _SHAPES]
    behind = dict(itertools.pairwise(placed))
    for event in listed:
        found.append(event)
        if event.kind not in ("begin", "end") or shape(event.name) not in _SHAPES:
            continue
        depth = max(0, depth + (1 if event.kind == "begin" else -1))
        is_last = not depth and shape(event.name) == "statement"
        after = behind.get(event)
        proof = after.start if after and shape(after.name) == "proof" else -1
        name, start, end = found_behind(event.name, event.end, proof) if is_last else ("", 0, 0)
        if end:
            found.append(CommandEvent(start, start, "begin", name, (), ""))
            found.append(CommandEvent(end, end, "end", name, (), ""))
    return sorted(found, key=_start)


def _line_before(text: str, start: int) -> str:
    """The line right before a proof, or above it, if it says what is proved; else ""."""
    before = text[max(0, start - _LINE) : start].rstrip(" \t").removesuffix("\n").rstrip(" \t")
    line = before.rpartition("\n")[2].strip().removeprefix("\\noindent").lstrip()
    font = _IN_FONT.match(line)
    if font:
        line = line[font.end() :].rstrip(" .:").removesuffix("}")
    is_title = line.startswith(_WORDS) and _OF.search(line) and not _SENTENCE.search(line)
    return line if is_title else ""


def _start(event: CommandEvent | Head) -> int:
    return event.start


def _inner(text: str, signs: Sequence[CommandEvent], heads: Sequence[Head]) -> frozenset[int]:
    """The offsets where proofs of claims and steps inside such proofs begin and end."""
    found: set[int] = set()
    following = dict(itertools.pairwise(signs))
    outer: CommandEvent | None = None
    nested = False
    kinds: set[str] = set()
    for item, after in _paired(sorted((*signs, *heads), key=_start)):
        if isinstance(item, Head):
            kinds.add(item.kind)
            nested = False
        elif item.kind == "opener":
            is_around = outer is not None and bool(kinds & CLAIMS) and not _is_of_claim(outer)
            nested = is_around and _is_of_claim(item)
            if nested:
                found.add(item.start)
            else:
                outer, kinds = item, set()
        elif nested and _goes_on(following.get(item)):
            found.add(item.start)
            nested = False
        elif kinds & STEPS and isinstance(after, Head) and not text[item.end : after.start].strip():
            found.add(item.start)
        else:
            outer, kinds = None, set()
    return frozenset(found)


def _paired(
    items: Sequence[CommandEvent | Head],
) -> Iterator[tuple[CommandEvent | Head, CommandEvent | Head | None]]:
    return zip(items, (*items[1:], None), strict=True)


def _is_of_claim(opener: CommandEvent) -> bool:
    return _OF_CLAIM.search(opener.note) is not None


def _goes_on(sign: CommandEvent | None) -> bool:
    """Whether the outer proof ends somewhere after the proof of a claim."""
    return sign is not None and (sign.kind == "closer" or _is_of_claim(sign))


def closers(text: str) -> list[CommandEvent]:
    """The signs of the end of a proof."""
    return [
        CommandEvent(match.start(), match.end(), "closer", "", (), "")
        for match in _CLOSER.finditer(text)
    ]


def openers(text: str, hidden: Spans) -> list[CommandEvent]:
    """The headings of proofs, except those of the form `\\paragraph{Proof}`."""
    found: dict[int, CommandEvent] = {}
    for position in occurrences(text, _WORDS):
        if text[position - 1 : position] not in ("{", " ", "\n", "\t", "~"):
            continue
        window = _OPENER.finditer(text, max(0, position - _BEFORE), position + _BEHIND)
        match = next((item for item in window if item.end() > position), None)
        if match and match.start() <= position and _is_opener(match):
            start = match.start("lead")
            title = match["a"] or match["b"]
            if not hidden.covers(start):
                found[start] = CommandEvent(start, match.end(), "opener", NAME, (), title)
    return list(found.values())


def _is_opener(match: re.Match[str]) -> bool:
    """Whether a heading ends with a stop, inside or after its braces, and names a proof."""
    title = match["a"] or match["b"]
    ends = title.endswith((".", ":")) or match["stop"] is not None
    return ends and _names_a_proof(title)


def _names_a_proof(title: str) -> bool:
    """Whether a title names a proof: `Proof of Lemma 2`, but not `Proof of knowledge`."""
    what = _OF.split(title, maxsplit=1)
    return len(what) == 1 or _STATEMENT.search(what[1]) is not None


def _inserted(
    merged: Sequence[CommandEvent], shape: Shape, heads: Spans, length: int
) -> Iterator[CommandEvent]:
    """The events with begins and ends for openers and closers."""
    depth = inside = 0
    is_open = False
    for event in merged:
        kind = event.kind
        change = {"begin": 1, "end": -1}.get(kind, 0)
        is_block = change != 0 and shape(event.name) in _SHAPES
        ends = kind in ("opener", "closer", "end") or (
            kind == "section" and not heads.covers(event.start)
        )
        if is_open and inside == 0 and (is_block or ends):
            end = event.end if kind == "closer" else event.start
            yield CommandEvent(event.start, end, "end", NAME, (), "")
            is_open = False
        if kind == "opener" and depth == 0 and not is_open:
            is_open, inside = True, 0
            yield event._replace(kind="begin")
        elif is_block:
            depth = max(0, depth + change)
        else:
            inside += change
        if kind not in ("opener", "closer"):
            yield event
    if is_open:
        yield CommandEvent(length, length, "end", NAME, (), "")
