"""The verdicts on contexts in ledger and store, without asking a model.

Also combines the verdicts of rollouts into one entry, which a ledger keeps and findings come from.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial, reduce

from pfcore.domain.containment import attempt
from pfcore.domain.digest import text_digest
from pfcore.domain.findings import finding_id
from pfcore.graph.context import members
from pfcore.graph.document import FIRST, ProofDocument
from pfcore.graph.paper_state import PaperState
from pfcore.graph.rendering import context_digest
from pfcore.impact.plan import is_readable
from pfcore.ledger.ledger import Ledger, LedgerEntry, LedgerKey, LedgerVerdict, Recorded, merged
from pfcore.ledger.ledger import ledger as lines_of
from pfcore.llm.engine.action import Action
from pfcore.llm.engine.budget import SPENT
from pfcore.llm.engine.run import NoReply, Outcome, Store
from pfcore.llm.protocol import TOO_LONG
from pfcore.verification.contract import Contract, Judging
from pfcore.verification.prompt import ActionFactory
from pfcore.verification.rollouts import (
    Cluster,
    Vote,
    ballot,
    clusters,
    everywhere,
    verdict,
    verdicts,
)
from pfcore.verification.second_question import LACKS, Trace
from pfcore.verification.task import ContextTask
from pfcore.verification.verify import Checked, ModuleVerifier, Unread, Verdict

NOT_YET = "not read yet"
NO_MODEL = "not read: no model is set"
MOST_ALIKE = 6
"""After this many proofs in a row without any verdict, for the same reason, no other is begun."""
STOPPED = f"stopped after {MOST_ALIKE} proofs in a row: "
"""The beginning of the reason for proofs not begun because of that."""
OWN_REASONS = (LACKS, SPENT, TOO_LONG)
"""Parts of reasons that do not suggest that other proofs cannot be read either."""


@dataclass(frozen=True, kw_only=True)
class KnownVerdicts:
    """The verdicts of one paper's contexts under one contract.

    Without `asking` no model is set: then the ledger's lines of any contract count, and for
    one context flagged wins. `accept` are digests of other contracts whose lines count; `earlier`
    is how earlier releases asked, whose readings count, too. `failures` says by context why an
    attempted reading gave no verdict. `note` is a remark about the model.
    """

    judging: Judging
    ledger: Ledger = field(default_factory=Ledger)
    asking: ActionFactory | None = None
    store: Store | None = None
    accept: Sequence[str] = ()
    earlier: Sequence[ActionFactory] = ()
    failures: Mapping[str, str] = field(default_factory=dict)
    note: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing can be known, so that no context needs to be computed."""
        return not self.ledger.entries and (self.asking is None or self.store is None)

    @cached_property
    def contract(self) -> str:
        """The digest of the contract; "" without a model."""
        return self.asking.contract.digest() if self.asking else ""

    def entries(self, tasks: Iterable[ContextTask]) -> dict[str, LedgerEntry | Unread]:
        """The verdict on each task's module, or why there is none."""
        return asyncio.run(self._all(list(tasks)))

    async def _all(self, tasks: Sequence[ContextTask]) -> dict[str, LedgerEntry | Unread]:
        return {task.module: await self.entry(task) for task in tasks}

    async def entry(self, task: ContextTask) -> LedgerEntry | Unread:
        """The verdict on one context, or why there is none."""
        if self.asking is None:
            return self._of_any_contract(task) or Unread(reason=NO_MODEL)
        known = self._recorded(task)
        generation = await self.generation(task)
        is_latest = known is not None and known.generation >= generation
        if known is not None and is_latest and known.is_enough(self.judging):
            return known
        found = await self._stored(task, self.asking, generation)
        if isinstance(found, Unread) and NOT_YET in found.reason:
            if generation == 0 and (older := await self._stored_before(task)):
                return older
            return replace(found, reason=self.failures.get(task.context, NOT_YET))
        if isinstance(found, Unread):
            return replace(found, is_answered=True)
        return found

    def entries_used(self, task: ContextTask) -> Counter[str]:
        """The entries of the context that readings say they used, and how many readings did.

        Only if the proof was read as one block, and the replies are stored.
        """
        return asyncio.run(self._used(task))

    def last_reply(self, task: ContextTask) -> float | None:
        """When the last reply about a context was stored; None without one."""
        return asyncio.run(self._last_reply(task)) if self.asking else None

    async def _last_reply(self, task: ContextTask) -> float | None:
        memo = Memo(self.store)
        reading = self._reading(self.asking, await self.generation(task), memo)
        await verdicts(reading, task, self.judging)
        return memo.last

    async def _used(self, task: ContextTask) -> Counter[str]:
        used: Counter[str] = Counter()
        if self.asking is None:
            return used
        reading = self._reading(self.asking, await self.generation(task))
        for rollout in range(1, self.judging.rollouts + 1):
            checked = await reading.checked(task.parts, rollout, task.answer)
            if isinstance(checked, Checked):
                used.update(checked.used)
        return used

    async def _stored(
        self, task: ContextTask, asking: ActionFactory, generation: int
    ) -> LedgerEntry | Unread:
        """The entry that follows from the replies in the store."""
        return entry(
            task,
            await verdicts(self._reading(asking, generation), task, self.judging),
            self.judging,
            contract=asking.contract.digest(),
            generation=generation,
        )

    async def _stored_before(self, task: ContextTask) -> LedgerEntry | None:
        """A complete verdict by an earlier release."""
        for asking in self.earlier:
            last = 0
            while await self._has_begun(task, last + 1, asking):
                last += 1
            found = await self._stored(task, asking, last)
            if isinstance(found, LedgerEntry) and found.is_enough(self.judging):
                return found
            if last:
                return None
        return None

    def contract_of(self, found: LedgerEntry) -> Contract | None:
        """The contract of a verdict, if it is ours or an earlier release's."""
        ours = (self.asking, *self.earlier) if self.asking else ()
        return next(
            (item.contract for item in ours if item.contract.digest() == found.contract), None
        )

    def has_asked(self, task: ContextTask, found: LedgerEntry | Unread) -> bool:
        """Whether readers of a module asked for something, so that other answers matter."""
        lines = (
            item
            for name in self._by_context.get(task.context, ())
            for item in self.ledger.entries[LedgerKey(task.context, name)]
        )
        return bool(found.trace) or any(item.trace for item in lines)

    def _recorded(self, task: ContextTask) -> LedgerEntry | None:
        """The ledger's entry under this contract, an earlier form of it, or an accepted one."""
        accept = (*self._before, *self.accept)
        return self.ledger.entry(task.context, self.contract, accept, task.reproduces)

    @cached_property
    def _before(self) -> tuple[str, ...]:
        """The digests of contracts with the first canonical form, and of earlier releases."""
        if self.asking is None:
            return ()
        first = replace(self.asking.contract, form=FIRST).digest()
        contracts = [item.contract for item in self.earlier]
        older = ((item, replace(item, form=FIRST)) for item in contracts)
        return (first, *(item.digest() for pair in older for item in pair))

    async def generation(self, task: ContextTask) -> int:
        """How often the context was rechecked: the last generation with any reply."""
        known = self._recorded(task)
        found = known.generation if known else 0
        while await self._has_begun(task, found + 1, self.asking):
            found += 1
        return found

    async def _has_begun(
        self, task: ContextTask, generation: int, asking: ActionFactory | None
    ) -> bool:
        memo = Memo(self.store)
        for rollout in range(1, self.judging.rollouts + 1):
            await verdict(self._reading(asking, generation, memo), task, rollout)
            if memo.hits:
                return True
        return False

    def _reading(
        self, asking: ActionFactory | None, generation: int, memo: "Memo | None" = None
    ) -> ModuleVerifier:
        if asking is None:
            raise ValueError("nothing can be read without a contract")
        run = (memo or Memo(self.store)).run
        return ModuleVerifier(run=run, asking=asking, generation=generation)

    def _of_any_contract(self, task: ContextTask) -> LedgerEntry | None:
        contracts = self._by_context.get(task.context, ())
        holding = task.reproduces
        known = (self.ledger.entry(task.context, name, holds=holding) for name in contracts)
        found = [item for item in known if item]
        return reduce(_graver, found) if found else None

    @cached_property
    def _by_context(self) -> dict[str, list[str]]:
        """The contracts under which each context has lines."""
        found: dict[str, list[str]] = {}
        for asked in sorted(self.ledger.entries):
            found.setdefault(asked.context, []).append(asked.contract)
        return found


def has_first_form(ledger: Ledger) -> bool:
    """Whether a ledger may have verdicts on contexts in the first canonical form."""
    known = ledger.contracts
    return any(
        known.get(asked.contract, {}).get("form", FIRST) == FIRST for asked in ledger.entries
    )


def in_current_form(ledger: Ledger, state: PaperState) -> Ledger:
    """A ledger with verdicts on first-form contexts also under the current contexts.

    They hold if the context has the same statements in both forms.
    """
    contexts = {asked.context for asked in ledger.entries}
    older = state.in_first_form
    found: dict[str, str] = {}
    for name in state.document.modules:
        if not is_readable(state, name):
            continue
        digest = attempt(partial(context_digest, older, name, state.paper.texts))
        if isinstance(digest, str) and digest in contexts and _says_the_same(state, older, name):
            found[digest] = context_digest(state.document, name, state.paper.texts)
    more = [
        replace(item, context=found[item.context])
        for item in ledger.all_entries()
        if item.context in found
    ]
    return merged(ledger, lines_of(entries=more)) if more else ledger


def _says_the_same(state: PaperState, older: ProofDocument, name: str) -> bool:
    """Whether a context has the same statements in both forms."""
    modules = state.document.modules
    then, now = members(older, name), members(state.document, name)
    return then == now or (
        sorted(modules[one].statement.digest for one in then)
        == sorted(modules[one].statement.digest for one in now)
    )


def _graver(one: LedgerEntry, other: LedgerEntry) -> LedgerEntry:
    """The flagged one of two, else the one with more readings."""
    return max(
        (one, other), key=lambda item: (item.verdict is LedgerVerdict.FLAGGED, item.rollouts)
    )


class Memo:
    """Runs actions from the store alone and counts hits; `last` is the time of the latest reply."""

    def __init__(self, store: Store | None) -> None:
        self._store = store
        self.hits = 0
        self.last: float | None = None

    async def run(self, action: Action) -> Outcome:
        """The reply in the store, or none."""
        reply = self._store.get(action.key()) if self._store else None
        if reply is None:
            return NoReply(reason=NOT_YET)
        self.hits += 1
        if reply.made is not None:
            self.last = max(reply.made, self.last or 0.0)
        return reply


def entry(
    task: ContextTask,
    verdicts: Mapping[int, Verdict],
    judging: Judging,
    *,
    contract: str,
    generation: int = 0,
) -> LedgerEntry | Unread:
    """The entry for the readings of a module; Unread if a reading is missing and none objects.

    All objections are kept, with any number of votes, so that other settings can judge anew.
    """
    found = ballot(verdicts, task.text, judging)
    if found.unread and not found.is_flagged:
        return Unread(reason="; ".join(found.unread), trace=_traces(verdicts.values()))
    count = sum(1 for verdict in verdicts.values() if not isinstance(verdict, Unread))
    places = clusters(verdicts, task.text)
    return LedgerEntry(
        context=task.context,
        contract=contract,
        verdict=LedgerVerdict.FLAGGED if found.is_flagged else LedgerVerdict.ACCEPTED,
        rollouts=count,
        findings=tuple(_recorded(item, task, count) for item in places),
        generation=generation,
        objecting=everywhere(places),
        trace=_traces(verdicts.values()),
    )


def _traces(verdicts: Iterable[Verdict]) -> Trace:
    return tuple(key for item in verdicts for key in item.trace)


def _recorded(cluster: Cluster, task: ContextTask, count: int) -> Recorded:
    chosen = cluster.representative
    name = _id(chosen, task)
    return Recorded(
        id=name,
        rule=chosen.objection.rule,
        severity=cluster.severity,
        message=chosen.objection.objection,
        quote=_quote(chosen, task),
        votes=cluster.count,
        rollouts=count,
        aliases=frozenset(_id(vote, task) for vote in cluster.votes) - {name},
        weights=cluster.weights,
        reason=chosen.objection.reason,
        likeness=chosen.likeness,
    )


def _id(vote: Vote, task: ContextTask) -> str:
    """An id from the class, the quote and the statement, independent of labels and places."""
    subject = f"{text_digest(task.statement)} {_quote(vote, task)}"
    return finding_id(vote.objection.rule, subject, None)


def _quote(vote: Vote, task: ContextTask) -> str:
    """The quoted words of the text; "" if they are not in it: then the whole module is meant."""
    return task.text[vote.place.start : vote.place.end] if vote.place else ""
