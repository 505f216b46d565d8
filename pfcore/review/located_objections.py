"""Entries as findings: with places in the source, names for the slots, and the authors' answers.

Also finds the source of words that a quote has from the canonical text. There macros are expanded,
references are slots, and comments and line ends are gone: the words that are the same in both are
found as written, and the rest is between them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from pfcore.domain.findings import finding_id, located
from pfcore.domain.lazy_regex import regex
from pfcore.domain.values import Finding, Location, Passage
from pfcore.graph.context import context
from pfcore.graph.document import FIRST
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import Grounds
from pfcore.ledger.dismissals import CurrentResult, DismissedFinding, Reopened, answer
from pfcore.ledger.ledger import Dismissal, Ground, LedgerEntry, Recorded
from pfcore.verification.contract import Judging
from pfcore.verification.quotes import QuoteSpan, align_quote, find_quote, most_alike
from pfcore.verification.task import ContextTask

_SLOT = regex(r"\b(?:Result|Remark|Definition|Assumption|Convention) \d+\b|\(E\d+\)")

_UNRESOLVED = "[unresolved]"
"""The replacement of an unresolved reference in a context; LaTeX prints question marks."""

Called = Callable[[str], str]
"""From a module's id to its name for people."""


@dataclass(frozen=True, kw_only=True)
class Objections:
    """Makes the findings of one paper; `dismissals` are the answers that count."""

    state: PaperState
    judging: Judging
    called: Called
    dismissals: frozenset[Dismissal] = frozenset()

    def of(self, task: ContextTask, entry: LedgerEntry) -> list[Finding]:
        """The findings of one module that have enough votes, in the order of the entry."""
        names = self._names(task.module)
        called = place_ids(task, entry.findings)
        return [
            self._finding(task, item, names, called[item.id])
            for item in entry.reported(self.judging)
        ]

    def named(self, task: ContextTask, item: Recorded) -> frozenset[str]:
        """The modules that an objection names, in its own words or in its quote."""
        names = self._names(task.module)
        found = _SLOT.findall(f"{item.message}\n{item.reason}\n{item.quote}")
        return frozenset(names[slot] for slot in found if slot in names)

    def ground(self, name: str) -> Ground:
        """The ground that a dismissal of a finding of this module depends on."""
        return Ground(
            module=name,
            statement=self._grounds.statement(name),
            rests=self._grounds.rests(name),
        )

    def _finding(
        self, task: ContextTask, item: Recorded, names: dict[str, str], name: str
    ) -> Finding:
        found = self._answer(task, item)
        return Finding(
            id=name,
            rule=item.rule,
            subject=item.quote,
            severity=item.severity,
            module=task.module,
            message=self._told(item.message, names),
            quote=" ".join(self._told(item.quote, names).replace(_UNRESOLVED, "??").split()),
            location=quote_location(self.state, task.module, task, item.quote),
            votes=item.votes,
            rollouts=item.rollouts,
            dismissed=_words(found) if isinstance(found, DismissedFinding) else None,
            reopened=_words(found) if isinstance(found, Reopened) else None,
            related=tuple(sorted(self.named(task, item))),
            quorum=min(self.judging.blocking_votes, self.judging.rollouts),
            reason=self._told(item.reason, names),
            aliases=item.ids - {name},
            likeness=item.likeness / 1000,
        )

    def _names(self, module: str) -> dict[str, str]:
        """The modules behind the slots of a context."""
        found = context(self.state.document, module)
        equations = {slot: name for (name, _), slot in found.equations.items()}
        return {slot: name for name, slot in found.slots.items()} | equations

    def _told(self, text: str, names: dict[str, str]) -> str:
        """A text with slots replaced by the names that the authors know."""
        return _SLOT.sub(
            lambda match: self.called(names[match[0]]) if match[0] in names else match[0], text
        )

    def _answer(self, task: ContextTask, item: Recorded) -> DismissedFinding | Reopened | None:
        """The authors' answer, if any; one from before the present form of contexts still counts.

        Its grounds are then compared in the earlier form, so that a new release reopens nothing.
        """
        if not self.dismissals:
            return None
        found = answer(item, self._current(task, self._grounds), self.dismissals)
        if not isinstance(found, Reopened) or self.state.document.form == FIRST:
            return found
        older = answer(item, self._current(task, self._first_grounds), self.dismissals)
        return older if isinstance(older, DismissedFinding) else found

    def _current(self, task: ContextTask, grounds: Grounds) -> CurrentResult:
        return CurrentResult(
            module=task.module,
            statement=grounds.statement(task.module),
            text=task.text,
            texts=grounds.known_texts,
        )

    @cached_property
    def _grounds(self) -> Grounds:
        return Grounds(self.state.document, self.state.paper.texts)

    @cached_property
    def _first_grounds(self) -> Grounds:
        return Grounds(self.state.in_first_form, self.state.paper.texts)


def place_ids(task: ContextTask, listed: Iterable[Recorded]) -> dict[str, str]:
    """The ids of findings of a module, from class, module and place, by their ids on record.

    The place is the number of a sentence of the statement or of its proofs: its words may change.
    Several findings of one class in one sentence are distinguished by their ids on record.
    """
    places = [(item, _sentence(task, start)) for start, item in _starting(task, listed)]
    count = Counter((item.rule, place) for item, place in places)
    found: dict[str, str] = {}
    for item, place in places:
        is_alone = count[item.rule, place] == 1
        subject = f"at {place}" if is_alone else f"at {place} {item.id}"
        found[item.id] = finding_id(item.rule, subject, task.module)
    return found


def _starting(task: ContextTask, listed: Iterable[Recorded]) -> Iterator[tuple[int, Recorded]]:
    """The offset of each finding's quote, -1 if the whole module is meant."""
    for item in listed:
        at = align_quote(item.quote, task.text) if item.quote else None
        yield at.span.start if at else -1, item


def _sentence(task: ContextTask, start: int) -> str:
    """The part of a module and the number of the sentence in it; "whole" for the whole module."""
    if start < 0:
        return "whole"
    is_proof = start >= len(task.statement)
    begin = len(task.statement) if is_proof else 0
    before = sum(match.end() <= start for match in _STOP.finditer(task.text, begin))
    return f"{'proof' if is_proof else 'statement'} {before}"


_STOP = regex(r"[.!?][\s$)\]}'\"]*(?=\s+\S)|\n\s*\n")


def _words(found: DismissedFinding | Reopened) -> str:
    item = found.dismissal
    return f"{item.reason} ({item.who})" if item.who else item.reason


def dismissal(
    objections: Objections, item: Recorded, module: str, *, reason: str, who: str | None
) -> Dismissal:
    """An answer to a finding, with the ground that must stay the same for it to count."""
    return Dismissal(
        finding=item.id,
        rule=item.rule,
        quote=item.quote,
        ground=objections.ground(module),
        reason=reason,
        who=who,
        aliases=item.aliases,
    )


_ENOUGH = 0.5
"""The least share of a quote that a passage of the source must have: macros and references are
not yet read there, and labels stand between."""


def quote_location(state: PaperState, module: str, task: ContextTask, quote: str) -> Location:
    """The location of a quote; the first line of the statement if the source does not have it."""
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
    """The passages of a module, those first whose canonical text has the quote."""
    found = state.document.modules[module]
    passages = found.argued
    at = align_quote(quote, task.text)
    if at is None:
        return
    is_proof = at.span.start >= len(task.statement)
    yield from sorted(passages, key=lambda item: (item is found.statement) == is_proof)


def _span(quote: str, source: str) -> QuoteSpan | None:
    """The span in a source of a quote from its canonical text, or of most of its words."""
    exact = find_quote(quote, source)
    found = None if exact else most_alike(quote, source)
    return found.span if found and found.covered >= _ENOUGH else exact
