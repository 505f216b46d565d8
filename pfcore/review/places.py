"""Where in the author's source the words stand that a quote has from the canonical text.

Macros are expanded there, references are slots, comments and line ends are gone: what remains the
same in both is found as it stands, and the rest lies between.
"""

import re
from collections.abc import Iterator
from difflib import Match, SequenceMatcher
from typing import NamedTuple

from pfcore.domain.findings import located
from pfcore.domain.values import Location, Passage
from pfcore.graph.paper_state import PaperState
from pfcore.verification.quotes import find_quote
from pfcore.verification.task import ContextTask

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\w+|[^\w\s]")
_COMMENT = re.compile(r"(?<!\\)(?:\\\\)*%[^\n]*")
_ENOUGH = 0.5
"""The share of a quote's words that must stand in the source."""
_SLACK = 10


class _QuoteToken(NamedTuple):
    text: str
    start: int
    end: int


def quote_location(state: PaperState, module: str, task: ContextTask, quote: str) -> Location:
    """The passage of a quote; the first line of the statement where the source lacks it."""
    for passage in _likely(state, module, task, quote):
        source = state.paper.source(passage.location.path)
        own = source[passage.location.start : passage.location.end]
        span = _span(quote, own)
        if span is not None:
            start = passage.location.start
            return located(passage.location.path, source, start + span[0], start + span[1])
    return _opening(state, state.document.modules[module].statement)


def _opening(state: PaperState, passage: Passage) -> Location:
    path, start, end = passage.location[:3]
    source = state.paper.source(path)
    line = source.find("\n", start)
    return located(path, source, start, end if line < 0 else min(end, line))


def _likely(state: PaperState, module: str, task: ContextTask, quote: str) -> Iterator[Passage]:
    """The passages of a module, the one first whose canonical text has the quote."""
    found = state.document.modules[module]
    passages = (found.statement, *found.proofs)
    at = find_quote(quote, task.text)
    if at is None:
        return
    is_proof = at.start >= len(task.statement)
    yield from sorted(passages, key=lambda item: (item is found.statement) == is_proof)


def _span(quote: str, source: str) -> tuple[int, int] | None:
    """Where most of a quote's words stand together, in their order."""
    exact = find_quote(quote, source)
    if exact is not None:
        return exact
    ours, theirs = list(_tokens(source)), list(_tokens(quote))
    matcher = SequenceMatcher(
        None, [token.text for token in ours], [token.text for token in theirs], autojunk=False
    )
    longest = matcher.find_longest_match()
    reach = 2 * len(theirs) + _SLACK
    near = [
        block
        for block in matcher.get_matching_blocks()
        if block.size and abs(_shift(block) - _shift(longest)) <= reach
    ]
    if sum(block.size for block in near) < max(1, _ENOUGH * len(theirs)):
        return None
    last = near[-1]
    return ours[near[0].a].start, ours[last.a + last.size - 1].end


def _shift(block: Match) -> int:
    return block.a - block.b


def _tokens(text: str) -> Iterator[_QuoteToken]:
    """Words, commands and signs outside of comments, with their places."""
    bare = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    for match in _TOKEN.finditer(bare):
        yield _QuoteToken(match[0], match.start(), match.end())
