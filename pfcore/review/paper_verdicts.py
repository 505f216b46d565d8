"""The verdicts on one paper's proofs at one moment, as findings, without asking a model.

Also whether a change introduced an objection: false, true, or unknown.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from pfcore.domain.containment import unreadable
from pfcore.domain.errors import SourceError
from pfcore.domain.values import Finding
from pfcore.graph.document import FIRST
from pfcore.graph.paper_state import Numbering, PaperState
from pfcore.graph.supplied import supplied
from pfcore.impact.plan import Plan, is_readable
from pfcore.ledger.dismissals import is_overlapping
from pfcore.ledger.ledger import Ledger, LedgerEntry, Recorded, merged
from pfcore.ledger.lock_lines import Counted, LineProblem, Loaded, counted, read_ledger
from pfcore.llm.prices import is_listed
from pfcore.repository.snapshot import Snapshot
from pfcore.review.known_verdicts import KnownVerdicts, has_first_form, in_current_form
from pfcore.review.located_objections import Objections
from pfcore.review.verification_setup import VerificationSetup, untested
from pfcore.verification.quotes import align_quote, find_as_written, find_quote
from pfcore.verification.second_question import holds
from pfcore.verification.task import ContextTask, tasks
from pfcore.verification.verify import Unread


@dataclass(frozen=True, kw_only=True)
class PaperVerdicts:
    """The tasks of a paper's readable modules, their readings, and the objections.

    `tasks` are in the order in which they are worth reading, without modules that a fault of ours
    made unreadable; `problems` are unreadable lines of the ledger, `uncounted` is the number of
    lines that do not count here.
    """

    tasks: Mapping[str, ContextTask]
    readings: Mapping[str, LedgerEntry | Unread]
    knowledge: KnownVerdicts
    objections: Objections
    change: "ReviewedChange | None" = None
    problems: tuple[LineProblem, ...] = ()
    uncounted: int = 0

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The objections with enough votes, by module."""
        return tuple(self._findings())

    def _findings(self) -> Iterator[Finding]:
        origin = self.change.origin(self.knowledge) if self.change else None
        for name, task in self.tasks.items():
            found = self.readings[name]
            if isinstance(found, Unread):
                continue
            reported = found.reported(self.objections.judging)
            for item, finding in zip(reported, self.objections.of(task, found), strict=True):
                named = frozenset(finding.related)
                known = origin.is_introduced(task, item, named) if origin else None
                if known is False and self.change and self.change.answers_otherwise(name, found):
                    known = None
                yield replace(finding, introduced=known)

    def recorded(self, finding: Finding) -> Recorded | None:
        """The record of a finding for the ledger; None for a finding of a check."""
        known = self.readings.get(finding.module or "")
        listed = known.findings if isinstance(known, LedgerEntry) else ()
        return next((item for item in listed if item.ids & {finding.id, *finding.aliases}), None)

    def forms(self) -> Counter[str]:
        """How many verdicts are on contexts of each canonical form."""
        known = self.knowledge.ledger.contracts
        entries = [found for found in self.readings.values() if isinstance(found, LedgerEntry)]
        ours = {found.contract: self.knowledge.contract_of(found) for found in entries}
        return Counter(
            own.form
            if (own := ours[found.contract])
            else str(known.get(found.contract, {}).get("form", FIRST))
            for found in entries
        )

    def unread(self) -> dict[str, str]:
        """The modules without a verdict, or with too few readings for one, and the reasons."""
        found = ((name, self._lack(name, known)) for name, known in self.readings.items())
        return {name: reason for name, reason in found if reason}

    def reader(self, name: str) -> str:
        """The model that read a module, with a remark about it; "" if none did."""
        found = self.readings.get(name)
        if not isinstance(found, LedgerEntry):
            return ""
        ours = self.knowledge.contract_of(found)
        known = self.knowledge.ledger.contracts.get(found.contract, {})
        model = ours.model if ours else str(known.get("model", ""))
        asking = self.knowledge.asking
        is_asked = asking is not None and asking.contract.model == model
        note = self.knowledge.note if is_asked else "" if is_listed(model) else untested(model)
        return f"{model} ({note})" if model and note else model

    def readers(self) -> tuple[str, ...]:
        """All models with readings of the paper that count."""
        unread = self.unread()
        read = (self.reader(name) for name in self.readings if name not in unread)
        return tuple(dict.fromkeys(filter(None, read)))

    def is_answered(self, name: str) -> bool:
        """Whether replies about a module are stored but give no verdict."""
        known = self.readings.get(name)
        return isinstance(known, Unread) and known.is_answered

    def reopened(self) -> tuple[str, ...] | None:
        """The modules read at the base and unread now; None without a base, or if unknown.

        Without a ledger, stored replies can show that a module was read, but not that none was.
        Unaffected modules are included if the change edits what their readers had asked for, or
        adds what they lacked.
        """
        if self.change is None or self.knowledge.is_empty:
            return None
        plan = self.change.plan
        affected = {item.id for item in plan.affected}
        wanted = {
            name: plan.pairs[name]
            for name in self.unread()
            if name in plan.pairs and (name in affected or self._has_asked(name))
        }
        earlier = self.change.earlier(self.knowledge, wanted)
        found = sorted(
            name
            for name, item in earlier.items()
            if self._is_read(item.found) or item.found.trace != self.readings[name].trace
        )
        return tuple(found) if found or self.knowledge.ledger.entries else None

    def asked_in_vain(self, name: str) -> tuple[str, ...]:
        """The keys that readers of a module asked for without an answer in the paper."""
        known = self.readings.get(name)
        return (
            tuple(dict.fromkeys(item.key for item in known.trace if not item.answer))
            if known
            else ()
        )

    def edited_keys(self, name: str) -> tuple[str, ...]:
        """The keys asked for by readers at the base of an unread module, if the answer changed."""
        if self.change is None or name not in (self.reopened() or ()):
            return ()
        earlier = self.change.earlier(self.knowledge, {name: self.change.plan.pairs[name]})
        answer = self.tasks[name].answer
        trace = earlier[name].found.trace if name in earlier else ()
        return tuple(dict.fromkeys(item.key for item in trace if not holds((item,), answer)))

    def _is_read(self, found: LedgerEntry | Unread) -> bool:
        return isinstance(found, LedgerEntry) and found.is_enough(self.knowledge.judging)

    def _has_asked(self, name: str) -> bool:
        task = self.tasks.get(name)
        return task is not None and self.knowledge.has_asked(task, self.readings[name])

    def _lack(self, name: str, known: LedgerEntry | Unread) -> str:
        if isinstance(known, Unread):
            return known.reason
        judging = self.knowledge.judging
        if known.is_enough(judging):
            return ""
        failures = self.knowledge.failures
        short = f"{known.rollouts} of {judging.rollouts} readings are recorded"
        return failures.get(self.tasks[name].context, short)


@dataclass(frozen=True, slots=True, kw_only=True)
class Earlier:
    """A module at the base: its task, and its verdict or why there is none."""

    task: ContextTask
    found: LedgerEntry | Unread


@dataclass(frozen=True, kw_only=True)
class IntroducedBy:
    """Decides whether a change introduced objections.

    `earlier` are the counterparts of affected modules, by their present ids.
    """

    plan: Plan
    earlier: Mapping[str, Earlier]

    def is_introduced(
        self, task: ContextTask, item: Recorded, named: frozenset[str]
    ) -> bool | None:
        """False if the base has it, or the same context; true if the change touches its subject.

        The subject is the quoted passage, or a statement that the objection names. None if unknown.
        """
        if not any(affected.id == task.module for affected in self.plan.affected):
            return False
        then = self.earlier.get(task.module)
        if then is None:
            return True
        if _has(then, item):
            return False
        if item.quote and not _has_passage(then.task.text, item.quote, task.text):
            return True
        changed = {*self.plan.restated, *(name for name in named if name not in self.plan.pairs)}
        return True if named & changed else None


@dataclass(frozen=True, kw_only=True)
class ReviewedChange:
    """The change that objections are compared with: the earlier moment, and its plan."""

    then: PaperState
    plan: Plan

    def answers_otherwise(self, name: str, found: LedgerEntry) -> bool:
        """Whether the base answers differently to what readers of a module asked for."""
        old = self.plan.pairs.get(name, "")
        if not found.trace or old not in self.then.document.modules:
            return bool(found.trace)
        return not holds(found.trace, partial(supplied, self.then, old))

    def origin(self, knowledge: KnownVerdicts) -> IntroducedBy:
        """The counterparts of affected modules, with their verdicts."""
        pairs = {
            item.id: self.plan.pairs[item.id]
            for item in self.plan.affected
            if item.id in self.plan.pairs
        }
        return IntroducedBy(plan=self.plan, earlier=self.earlier(knowledge, pairs))

    def earlier(
        self, knowledge: KnownVerdicts, pairs: Mapping[str, str]
    ) -> Mapping[str, "Earlier"]:
        """The earlier versions of modules, by their present ids; `pairs` has the earlier ids."""
        pairs = {name: old for name, old in pairs.items() if is_readable(self.then, old)}
        listed = {task.module: task for task in tasks(self.then, pairs.values())}
        known = knowledge.entries(listed.values())
        return {
            name: Earlier(task=listed[old], found=known[old])
            for name, old in pairs.items()
            if old in listed
        }


def paper_verdicts(
    now: PaperState, then: PaperState | None, plan: Plan, desk: VerificationSetup
) -> PaperVerdicts | None:
    """The verdicts of a paper; None without a model and a ledger."""
    lines = _counted(now, then, desk)
    lines = lines._replace(ledger=merged(lines.ledger, desk.answers))
    knowledge = desk.knowledge(now.paper, lines.ledger)
    if knowledge.is_empty and not (lines.problems or lines.uncounted or lines.ledger.dismissals):
        return None
    wanted = [name for name in now.document.modules if is_readable(now, name)]
    listed = {task.module: task for task in tasks(now, wanted)}
    if now.document.form != FIRST and has_first_form(lines.ledger):
        ledger = lines.ledger
        for state in (now, then) if then else (now,):
            ledger = in_current_form(ledger, state)
        knowledge = desk.knowledge(now.paper, ledger)
    readings = knowledge.entries(listed.values())
    broken = now.broken()
    readings |= {name: Unread(reason=unreadable(broken[name])) for name in wanted if name in broken}
    objections = Objections(
        state=now,
        judging=knowledge.judging,
        called=partial(kind_and_number, now, Numbering(now.paper)),
        dismissals=lines.ledger.dismissals,
    )
    return PaperVerdicts(
        tasks=listed,
        readings=readings,
        knowledge=knowledge,
        objections=objections,
        change=ReviewedChange(then=then, plan=plan) if then else None,
        problems=lines.problems,
        uncounted=lines.uncounted,
    )


def kind_and_number(state: PaperState, numbering: Numbering, name: str) -> str:
    """A module's name for people: kind and number, else kind and id."""
    module = state.document.modules[name]
    number = numbering.of(module) if numbering.is_quick else None
    return f"{module.kind.capitalize()} {number or name}"


def _counted(now: PaperState, then: PaperState | None, desk: VerificationSetup) -> Counted:
    """The lines that count: in CI the base's, or those of a named moment if there is one."""
    head = loaded(now)
    if desk.lock is not None:
        return counted(_ledger(now.paper.settings.ledger, desk.lock), head, is_ci=True)
    return counted(loaded(then) if then else Loaded(Ledger()), head, is_ci=desk.is_ci)


def loaded(state: PaperState) -> Loaded:
    """The ledger of a paper in the paper's snapshot."""
    return _ledger(state.paper.settings.ledger, state.paper.snapshot)


def _ledger(path: str, snapshot: Snapshot) -> Loaded:
    """The ledger in a snapshot; if it cannot be read at all, its first line is a problem."""
    if path not in snapshot.files:
        return Loaded(Ledger())
    try:
        return read_ledger(snapshot.read(path).text)
    except SourceError as error:
        return Loaded(Ledger(), (LineProblem(1, error.reason),))


def _is_at(one: str, other: str, text: str) -> bool:
    """Whether both quotes are in a text and overlap."""
    return bool(find_quote(one, text) and find_quote(other, text)) and is_overlapping(
        one, other, text
    )


def _has_passage(then: str, quote: str, now: str) -> bool:
    """Whether a text of the base has the passage that a quote means in the present text."""
    at = align_quote(quote, now)
    return find_as_written(now[slice(*at.span)] if at else quote, then) is not None


def _has(then: Earlier, item: Recorded) -> bool:
    """Whether there was an objection of the same class at the same passage."""
    if isinstance(then.found, Unread):
        return False
    return any(
        other.ids & item.ids
        or (other.rule == item.rule and _is_at(other.quote, item.quote, then.task.text))
        for other in then.found.findings
    )
