"""Steps and claims announced only by a heading, as statements with proofs inside a proof.

It finds what the heading of a step or a claim states, if that is plain.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pfcore.domain.lazy_regex import regex
from pfcore.domain.spans import Spans
from pfcore.latex.language.hypotheses import first_sentence
from pfcore.latex.lexer.commands import CommandEvent
from pfcore.latex.lexer.groups import Groups
from pfcore.latex.structure import headings, unmarked_proofs
from pfcore.latex.structure.headings import CLAIMS, END, STEPS, Head
from pfcore.latex.structure.proof_levels import CLOSER, DONE, OPENER, PROOF, RESUMED, Level, levels
from pfcore.latex.structure.tree import Tree


class Stated(NamedTuple):
    """A statement: where its words begin and end, and the end of everything that belongs to it."""

    content: int
    inner_end: int
    end: int


class Child(NamedTuple):
    """A statement with the spans of its proof: heading and end, both empty for an environment."""

    head: Head
    stated: Stated
    proof: tuple[int, int]
    end: tuple[int, int]


def with_steps(
    groups: Groups, listed: Sequence[CommandEvent], tree: Tree, heads: Sequence[Head], hidden: Spans
) -> Sequence[CommandEvent]:
    """The events, with begin and end added for each plain statement and for its proof."""
    if not heads:
        return listed
    children = [
        child
        for level in levels(groups.text, tree, heads, hidden)
        for child in _Children(level, groups).found()
    ]
    return _inserted(listed, children) if children else listed


class _Children:
    """Reads one level backwards, because a step ends where the next one begins."""

    def __init__(self, level: Level, groups: Groups) -> None:
        self._level = level
        self._groups = groups
        self._next: dict[str, int] = {}
        self._first: dict[str, int] = {}
        for number, head in enumerate(level.heads):
            self._first.setdefault(head.kind, number)
        self._numbers = {(head.kind, head.number) for head in level.heads}
        self._last = 0

    def found(self) -> list[Child]:
        """The children of the level, the last one first."""
        children: list[Child] = []
        following = self._level.bound
        for number in range(len(self._level.heads) - 1, -1, -1):
            head = self._level.heads[number]
            child = self._child(number, following) if head.says else None
            if child:
                children.append(child)
                self._last = max(self._last, child.end[1])
            following = self._next[head.kind] = head.start
        return children

    def _child(self, number: int, following: int) -> Child | None:
        head = self._level.heads[number]
        if head.kind in STEPS:
            return self._step(head, following)
        return self._claim(number, following)

    def _claim(self, number: int, following: int) -> Child | None:
        """A claim; None unless it has a proof with a marked end."""
        level, head = self._level, self._level.heads[number]
        proof = next(level.between(head.end, following, PROOF, OPENER), None)
        said = by_itself(head, self._groups, proof.start if proof else following)
        if proof is None:
            return said and self._told(head, said, self._end(said.end, following))
        said = said or up_to(head, self._groups, proof.start)
        if not said or proof.kind == PROOF:
            return said and Child(head, said, (0, 0), (0, proof.end))
        again = next(level.between(proof.end, following, OPENER), None)
        limit = again.start if again else following
        end = self._sign(proof.end, limit, limit)
        if end is None and not again and self._ends_claim(number):
            end = following, following
        return self._told(head, said, end, (proof.start, proof.end))

    def _end(self, start: int, limit: int) -> tuple[int, int] | None:
        """The end of the proof of a claim whose proof is not announced."""
        is_item = self._level.is_item and limit == self._level.bound
        return self._sign(start, limit, limit) or ((limit, limit) if is_item else None)

    def _ends_claim(self, number: int) -> bool:
        """Whether the next heading is not part of a claim's proof."""
        heads = self._level.heads
        if number + 1 == len(heads):
            return self._level.is_item
        kind = heads[number + 1].kind
        return kind == END or self._first[kind] <= number

    def _step(self, head: Head, following: int) -> Child | None:
        level, text = self._level, self._groups.text
        said = by_itself(head, self._groups, following)
        if not said and self._is_in_a_run(head):
            said = at_first(head, self._groups, following)
        if not said:
            return None
        limit = self._limit(head)
        mark = next(level.between(said.end, limit, PROOF, OPENER), None)
        begin = said.end, said.end
        if mark and not text[said.end : mark.start].strip():
            if mark.kind == PROOF:
                return Child(head, said, (0, 0), (0, mark.end))
            begin = mark.start, mark.end
        is_whole = limit < level.bound or level.is_item
        has_parts = following < limit or next(level.between(begin[1], limit, PROOF), None)
        end = None if has_parts else self._sign(begin[1], limit, 0 if is_whole else limit)
        if end is None:
            end = (limit, limit) if is_whole else self._resumption(begin[1])
        if end is None and self._is_in_a_run(head):
            end = self._last_end()
        return self._told(head, said, end, begin)

    def _is_in_a_run(self, head: Head) -> bool:
        """Whether another step on this level has the previous or the next number."""
        if not head.number.isdecimal():
            return False
        near = {str(int(head.number) + shift) for shift in (-1, 1)}
        return any((head.kind, number) in self._numbers for number in near)

    def _limit(self, head: Head) -> int:
        """Where the next step begins, or the next case if the cases are divided into steps."""
        first = self._first[head.kind]
        kinds = [head.kind, END]
        kinds += [k for k in self._next if self._first[k] < first and k in headings.DIVIDING]
        return min([self._level.bound, *(self._next[kind] for kind in kinds if kind in self._next)])

    def _sign(self, start: int, end: int, last: int) -> tuple[int, int] | None:
        """A sign that a proof ends, unless it ends the whole level."""
        mark = next(self._level.between(start, end, CLOSER), None)
        if mark is None or (last == self._level.bound and self._is_at_end(mark.end)):
            return None
        return mark.start, mark.end

    def _is_at_end(self, offset: int) -> bool:
        return not self._groups.text[offset : self._level.bound].strip()

    def _last_end(self) -> tuple[int, int]:
        """The end of the outer proof, before its sign."""
        bound = self._level.bound
        signs = self._level.between(self._last, bound, CLOSER)
        last = next((mark.start for mark in signs if self._is_at_end(mark.end)), bound)
        return last, last

    def _resumption(self, start: int) -> tuple[int, int] | None:
        """Where words say that the outer proof continues after its last step."""
        start = max(start, self._last)
        marks = list(self._level.between(start, self._level.bound, DONE, RESUMED))
        done = [mark for mark in marks if mark.kind == DONE]
        found = done[0] if done else marks[-1] if marks else None
        return (found.start, found.end) if found else None

    def _told(
        self,
        head: Head,
        said: Stated,
        end: tuple[int, int] | None,
        begin: tuple[int, int] | None = None,
    ) -> Child | None:
        """A child whose proof is text."""
        begin = begin or (said.end, said.end)
        text = self._groups.text
        if end is None or not is_worded(text[begin[1] : end[0]]):
            return None
        last = end[0]
        while text[last - 1].isspace():
            last -= 1
        return Child(head, said, begin, end if end[0] < end[1] else (last, last))


def _inserted(listed: Sequence[CommandEvent], children: Sequence[Child]) -> list[CommandEvent]:
    """All events by their places; at one place ends come first, then beginnings, then others."""
    heads = Spans((child.head.start, child.head.end) for child in children)
    placed: list[tuple[tuple[int, int, int], CommandEvent]] = [
        ((event.start, 2, 0), event)
        for event in listed
        if event.kind != "section" or not heads.covers(event.start)
    ]
    for child in children:
        placed += _events(child)
    return [event for _, event in sorted(placed, key=lambda item: item[0])]


def _events(child: Child) -> Iterator[tuple[tuple[int, int, int], CommandEvent]]:
    head, said = child.head, child.stated
    note = f"{head.kind} {head.number}"
    yield (
        (head.start, 1, -said.end),
        CommandEvent(head.start, said.content, "begin", headings.NAME, (), note),
    )
    yield (
        (said.end, 0, -head.start),
        CommandEvent(said.inner_end, said.end, "end", headings.NAME, (), ""),
    )
    if child.proof[1]:
        start, content = child.proof
        first, last = child.end
        yield (start, 1, -last), CommandEvent(start, content, "begin", unmarked_proofs.NAME, (), "")
        yield (last, 0, -start), CommandEvent(first, last, "end", unmarked_proofs.NAME, (), "")


_THAT = regex(
    r"(?:(?:In[\s~]+this[\s~]+step,?[\s~]+we|We)[\s~]+(?:(?:first|now|next|will|shall|then|also)[\s~]+)*"
    r"(?:show|prove|claim|establish|verify|check)[\s~]+that"
    r"|Wir[\s~]+(?:zeigen|beweisen|behaupten)(?:[\s~]+(?:nun|jetzt|dann|zunächst|zuerst))?,"
    r"[\s~]+da(?:ss|ß)"
    r"|(?:(?:Nous|On)[\s~]+(?:(?:va|allons)[\s~]+)?)?(?:[Mm]ontr(?:e|er|ons)|[Pp]rouv(?:e|er|ons))"
    r"[\s~]+que)\b[\s~:]*"
)
_SHOWING = regex(r"(?:(?:Show|Prov|Establish|Verify|Check)ing|Proof)[\s~]+that[\s~]+")
_MATHS = regex(r"\$[^$]*\$|\\\(.*?\\\)", re.DOTALL)
_VERB = regex(
    r"(?<!that )(?<!which )(?<!where )(?<!when )\b(?:is|are|has|have|holds?|exists?|contains?|lies?"
    r"|can(?:not)?|must|converges?|satisf(?:y|ies)|equals?|implies|imply|belongs?|admits?|vanish(?:es)?|does|do|extends?|preserves?|divides?|acts"
    r"|depends?|coincides?|gives?|generates?|intersects?|becomes?|follows|maps|sends|commutes?"
    r"|ist|sind|hat|haben|gilt|gelten|existiert|konvergiert|est|sont|existe|converge|vérifie)\b"
)
_NO_STATEMENT = regex(
    r"\W*(?:(?:[Tt]he|[Aa]n?)[\s~]+)?(?:case|proof|idea|construction|definition|reduction|choice"
    r"|[Ll]et|[Ss]uppose|[Aa]ssum|[Cc]onsider|[Ff]ix|[Tt]ake|[Cc]hoos|[Ww]here|[Ww]hen|[Ww]hat|[Ww]hy"
    r"|[Hh]ow|[Ww]ho|[Ww]hich|[Rr]ecall|[Ii]dea|[Cc]ase|[Rr]emark|[Nn]otation|[Pp]roof|[Ii]f\b(?!.*then|"
    r".*,)|[Ww]ithout[\s~]+loss|[Ww]e[\s~]+(?:may|can|define|construct|reduce|choose|fix|let|set"
    r"|consider|introduce|use|apply|compute|estimate|assume|suppose)|[Cc]onstruct|[Dd]efin|[Rr]educ"
    r"|[Cc]onclu)",
    re.DOTALL,
)
_RELATION = regex(
    r"\$[^$]*(?:[=<>]|\\(?:leq?|geq?|neq?|in|subset(?:eq)?|cong|equiv|to|simeq|leqslant|geqslant)"
    r"(?![A-Za-z]))[^$]*\$[\s~]+(?:for|whenever|if)\b"
)
_EMPHASISED = regex(
    r"[ \t]*\n?[ \t]*(?:\\(?:emph|textit|textsl)\s?(?=\{)"
    r"|(?=\{)(?P<switch>\{\s?(?:\\(?:it|em|sl|itshape|slshape)(?![A-Za-z])\s?)+))"
)
_LABELS = regex(r"(?:[ \t]*\n?[ \t]*\\label\s?\{[^{}\n]{1,100}\})+")
_SENTENCE_END = regex(r"(?:[.!]|\\\]|\$\$|[.!]\s*(?:\$|\\\)))\s*\Z")
_GAP = regex(r"\n[ \t]*\n|\\par(?![A-Za-z])")
_LONGEST = 4_000
_INFERS = regex(
    r"\b(?:by|since|because|as|hence|thus|therefore|so|from|follows?|indeed|we|now|our|above|below"
    r"|recall|again|similarly|next|note|finally|first|clearly|obviously|also|moreover|using|see)\b"
    r"|\A\W*(?:this|these|it|that|then|but|and|in|for)\b|\\[a-zA-Z]*(?:ref|cite)",
    re.IGNORECASE,
)
"""Words of a sentence that may be a conclusion or a remark, rather than the step's claim."""
_PROVES = regex(
    r"\s*\n[ \t]*\n|[\s~]*(?:Indeed|In[\s~]+fact|To[\s~]+(?:see|prove|show|verify|check|establish)"
    r"|By|Since|Because|Using|Suppose|Assume|Let|Fix|Take|Given|Consider|If|Otherwise|Note|Observe"
    r"|First|(?:(?:This|It)[\s~]+is[\s~]+)?(?:[Cc]lear|[Oo]bvious|[Tt]rivial|[Ii]mmediate)(?:ly)?"
    r"|This[\s~]+(?:follows|holds)|For[\s~]+(?:this|if|suppose|let|each|every|all)"
    r"|We[\s~]+(?:show|prove|argue|use|apply|start|begin|proceed))\b"
)
_FORMULA = regex(
    r"\$[^$]*(?:[=<>]|\\(?:leq?|geq?|neq?|in|subset(?:eq)?|cong|equiv|simeq|leqslant|geqslant)"
    r"(?![A-Za-z]))[^$]*\$[.]?"
)
_SHORT = 400
_WORD = regex(r"[^\W\d_]{2}")


def is_statement(words: str) -> bool:
    """Whether words are a statement, rather than the title of a step."""
    plain = " ".join(words.split())
    if not plain or plain.endswith("?"):
        return False
    if _SHOWING.match(plain) or _THAT.match(plain):
        return True
    if _NO_STATEMENT.match(plain):
        return False
    return bool(_VERB.search(_MATHS.sub(" $ ", plain)) or _RELATION.match(plain))


def by_itself(head: Head, groups: Groups, limit: int) -> Stated | None:
    """The statement in the heading's group, in the group after a claim, or after "We show that"."""
    return _in_heading(head, groups, limit) or (
        _emphasised(head, groups, limit)
        if head.kind in CLAIMS
        else _announced(head, groups.text, limit)
    )


def up_to(head: Head, groups: Groups, limit: int) -> Stated | None:
    """The paragraph between a claim's heading and its proof."""
    start = groups.skip_space(head.end)
    words = groups.text[start:limit].rstrip()
    is_said = is_worded(words) or _FORMULA.fullmatch(words)
    if limit - start > _LONGEST or not is_said or _GAP.search(words):
        return None
    return Stated(start, start + len(words), start + len(words)) if _is_closed(words) else None


def at_first(head: Head, groups: Groups, limit: int) -> Stated | None:
    """The first sentence after a step's heading, if the step plainly proves it."""
    text = groups.text
    start = groups.skip_space(_past_labels(text, head.end, limit))
    span = first_sentence(text, start, min(limit, start + _SHORT))
    if not span or not _PROVES.match(text, span[1], limit):
        return None
    words = text[slice(*span)]
    is_plain = (
        words.endswith(".") and _is_closed(words) and not _INFERS.search(_MATHS.sub("$", words))
    )
    if is_plain and (is_statement(words) or _FORMULA.fullmatch(words)):
        return Stated(span[0], span[1], _past_labels(text, span[1], limit))
    return None


def is_worded(words: str) -> bool:
    """Whether a text has a word."""
    return _WORD.search(words) is not None


def _in_heading(head: Head, groups: Groups, limit: int) -> Stated | None:
    text = groups.text
    words = text[slice(*head.inner)]
    if head.inner[0] >= head.inner[1] or not is_statement(words):
        return None
    opening = _SHOWING.match(words) or _THAT.match(words)
    content = head.inner[0] + (opening.end() if opening else 0)
    return Stated(content, head.inner[1], _past_labels(text, head.end, limit))


def _emphasised(head: Head, groups: Groups, limit: int) -> Stated | None:
    """A sentence in italics right after the heading of a claim."""
    text = groups.text
    opening = _EMPHASISED.match(text, _past_labels(text, head.end, limit))
    if not opening:
        return None
    brace = opening.start("switch") if opening["switch"] else opening.end()
    span = groups.braces(brace)
    if not span or span[1] >= limit or span[1] - span[0] > _LONGEST:
        return None
    stop = text[span[1] + 1 : span[1] + 2] in (".", ":")
    words = text[slice(*span)]
    if not is_worded(words) or not (stop or _SENTENCE_END.search(words)):
        return None
    content = opening.end("switch") if opening["switch"] else span[0]
    return Stated(content, span[1], _past_labels(text, span[1] + 1 + stop, limit))


def _announced(head: Head, text: str, limit: int) -> Stated | None:
    """The sentence after the heading of a step that says what the step shows."""
    start = _past_labels(text, head.end, limit)
    start += len(text[start : start + 80]) - len(text[start : start + 80].lstrip(" \t\n~"))
    opening = _THAT.match(text, start, limit)
    if not opening:
        return None
    end = min(limit, start + _LONGEST)
    span = first_sentence(text, opening.end(), end)
    if not span or span[1] >= end or not _is_closed(text[slice(*span)]):
        return None
    return Stated(span[0], span[1], _past_labels(text, span[1], limit))


def _past_labels(text: str, position: int, limit: int) -> int:
    found = _LABELS.match(text, position, limit)
    return found.end() if found else position


def _is_closed(words: str) -> bool:
    return words.count("{") == words.count("}")
