"""Judges one whole paper: a part that could not be reviewed never passes.

Defines the outcome of the gate: the reasons against a paper, each with its place, and the exit
status. Also the status of each module by itself (read, proved, objected to, answered, open), the
modules that depend on failing ones, and a digest of a paper's sources.

Dependence counts by reachability: modules that depend on each other by uncertain references reach
nothing that fails, so they pass, and are named.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from pfcore.checks import preflight
from pfcore.domain.digest import digest
from pfcore.domain.errors import IncompleteError
from pfcore.domain.findings import CYCLE, finding_id
from pfcore.domain.values import Finding, Module, ModulePart, Role, Severity, Status
from pfcore.graph.document import components
from pfcore.graph.laws import knots
from pfcore.graph.status import grounds
from pfcore.latex.structure.headings import STEPS
from pfcore.ledger.ledger import LedgerEntry
from pfcore.papers.paper import Paper
from pfcore.review.review import NO_PROOF, PaperReport, Report
from pfcore.review.unseen import MISSING_FILE, Gap, beside, to_be_made, unseen_of
from pfcore.review.upload import main_files, sources_of

_STOPS_AN_UPLOAD = frozenset({MISSING_FILE, "dangling-reference", "aimed-text"})
"""Checks whose warnings do not stop LaTeX but an upload: a missing file, "??", text for a model."""

_OF_LEAN = frozenset({"leanok-added", "unknown-declaration"})
"""Checks whose warnings say that a proof marked as formal is not formal."""

_WITHOUT_PROOF = (
    f'no proof or citation. Add one, or write "% pf: ignore[{NO_PROOF}] reason" next to it'
)
_OMITTED = (
    "its proof is omitted. Add one, cite a source, or silence it with "
    f"% pf: ignore[{NO_PROOF}] reason"
)
_ANNOUNCED = (
    "its proof was not found where the text announces it; write "
    r"\begin{proof}[Proof of ...] there"
)
OPEN = "which is open"
"""Words for a conjecture on which a result depends without saying so."""
_NOTHING = "no theorems found, so nothing was reviewed; list their environments in pf.toml"


class Cause(StrEnum):
    """Why a paper does not pass, in the order of the report."""

    STRUCTURE = "structure"
    CIRCLE = "circle"
    FLAGGED = "flagged"
    UNPROVED = "unproved"
    PREFLIGHT = "preflight"
    CONDITIONAL = "conditional"
    UNREAD = "unread"
    LEDGER = "ledger"
    UNSEEN = "unseen"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One reason against a paper; `line` is 0 if a whole file is meant."""

    cause: Cause
    words: str
    path: str
    line: int = 0
    module: str | None = None
    finding: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """The gate's outcome for one paper.

    `unread` are the modules whose proof was not read, failing or not; `circles` are sets of modules
    that depend on each other by uncertain references. `undefined` are the cited keys without an
    entry that the authors have answered; they still print [?].
    """

    reasons: tuple[Reason, ...] = ()
    unread: tuple[str, ...] = ()
    circles: tuple[tuple[str, ...], ...] = ()
    undefined: frozenset[str] = frozenset()

    @property
    def is_passed(self) -> bool:
        """Whether there is no reason against the paper."""
        return not self.reasons

    @property
    def exit_status(self) -> int:
        """0 if passed; 1 with findings; 3 if it could not be completed."""
        causes = {reason.cause for reason in self.reasons}
        if not causes:
            return 0
        return 3 if causes & _INCOMPLETE and not causes & _FINDINGS else 1


def outcomes(report: Report, *, allow_unread: bool = False) -> list[GateOutcome]:
    """The outcome of each paper; files outside of them that could not be read count against all.

    IncompleteError if no paper is left to judge.
    """
    ledgers = {paper.state.paper.settings.ledger for paper in report.papers}
    lost = [
        Reason(cause=Cause.UNSEEN, words=item.reason, path=item.path, line=item.line)
        for item in beside(report)
        if item.is_failure and item.kind is not Gap.RESULTS and item.path not in ledgers
    ]
    if not report.papers:
        listed = "; ".join(f"{reason.path}: {reason.words}" for reason in lost)
        raise IncompleteError(f"no paper could be judged: {listed or 'none'}")
    judged = [judge_paper(paper, allow_unread=allow_unread) for paper in report.papers]
    return [
        replace(item, reasons=(*item.reasons, *lost, *_lost_ledger(paper, report)))
        for paper, item in zip(report.papers, judged, strict=True)
    ]


def _lost_ledger(paper: PaperReport, report: Report) -> Iterator[Reason]:
    """The reason for a ledger that exists and cannot be read at all."""
    path = paper.state.paper.settings.ledger
    if path in report.library.unread:
        yield Reason(cause=Cause.LEDGER, words=report.library.unread[path], path=path)


def judge_paper(paper: PaperReport, *, allow_unread: bool = False) -> GateOutcome:
    """The outcome for a paper; `allow_unread` judges only what does not need a reader."""
    standing = ModuleStatuses(paper)
    leaning = StatusPropagation(standing)
    failing = {name for item in standing.objections if (name := item.module) is not None}
    failing |= {*standing.circular, *standing.unproved}
    failing |= {name for item in standing.false_marks if (name := item.module) is not None}
    if not allow_unread:
        failing |= standing.unread.keys()
    tainted = leaning.tainted(failing)
    reasons = [
        *_structure(standing),
        *_preflight(standing),
        *_own(standing, is_unread_wrong=not allow_unread),
        *_conditional(standing, tainted),
        *_ledger(paper),
        *_unseen(paper),
        *_to_be_made(paper),
    ]
    if not any(module.is_asserted for module in standing.modules.values()):
        reasons.append(Reason(cause=Cause.NOTHING, words=_NOTHING, path=paper.state.paper.root))
    order = list(Cause)
    return GateOutcome(
        reasons=tuple(sorted(reasons, key=lambda item: order.index(item.cause))),
        unread=tuple(standing.unread),
        circles=leaning.circles(tainted),
        undefined=frozenset(
            item.subject.rpartition(" ")[0]
            for item in paper.findings
            if item.rule == preflight.UNCITED and item.dismissed is not None
        ),
    )


class ModuleStatuses:
    """The status of each module of one paper by itself, without what it rests on."""

    def __init__(self, paper: PaperReport) -> None:
        self.paper = paper
        self.modules = paper.state.document.modules

    @cached_property
    def objections(self) -> list[Finding]:
        """The unanswered objections to proofs."""
        return [item for item in self.paper.objections if item.dismissed is None]

    @cached_property
    def false_marks(self) -> list[Finding]:
        """The findings that Lean lacks a proof marked as formal, if such marks count."""
        if not self.paper.state.paper.settings.blueprint.trust_leanok:
            return []
        marked = {name for name, module in self.modules.items() if module.is_formal}
        return [
            item
            for item in (self.paper.findings if marked else ())
            if item.rule in _OF_LEAN
            and item.severity.rank >= Severity.WARNING.rank
            and item.dismissed is None
            and item.module in marked
        ]

    @cached_property
    def unread(self) -> dict[str, str]:
        """The modules whose proof lacks wanted readings, and why."""
        found = {item.module: item.reason for item in self.paper.unreached}
        unread = {name: why for name, why in found.items() if self.modules[name].proofs}
        sheet = self.paper.sheet
        if sheet is None:
            missing = dict.fromkeys(self.modules, "not read: no model is set")
        else:
            missing = sheet.unread()
            unread |= self._short()
        more = [name for name in self.excused if self.modules[name].proofs and name in missing]
        unread |= {name: missing[name] for name in more}
        unread |= dict.fromkeys(self.announced, _ANNOUNCED)
        return {name: unread[name] for name in self.modules if name in unread}

    def _short(self) -> dict[str, str]:
        """The modules accepted by fewer readings than the settings want."""
        sheet = self.paper.sheet
        if sheet is None:
            return {}
        judging = sheet.knowledge.judging
        return {
            name: f"only {entry.rollouts} of the {judging.rollouts} readings are recorded"
            for name, entry in sheet.readings.items()
            if isinstance(entry, LedgerEntry)
            and not entry.is_enough(judging)
            and not entry.reported(judging)
        }

    @cached_property
    def excused(self) -> frozenset[str]:
        """The modules of circles that the authors have answered."""
        answered = [
            item
            for item in self.paper.findings
            if item.rule == CYCLE and item.dismissed is not None
        ]
        named = {name for item in answered for name in (item.module or "", *item.related)}
        return frozenset(named & self.modules.keys())

    @cached_property
    def circular(self) -> list[str]:
        """The modules of certain circles that the authors have not answered."""
        found = {name for knot in knots(self.paper.state.document) for name in knot}
        return [name for name in self.modules if name in found - self.excused]

    @cached_property
    def circle_ids(self) -> dict[str, str]:
        """The modules of circles, each with the id of the finding on its circle."""
        circles = (item for item in self.paper.findings if item.rule == CYCLE)
        return {name: item.id for item in circles for name in (item.module or "", *item.related)}

    @cached_property
    def unproved(self) -> list[str]:
        """Results without a proof, a citation or an answer.

        Other modules count if their proof is omitted. A step is proved in the proof around it, a
        restated result where it is proved.
        """
        return [name for name in self.without_proof if name not in self.paper.answered_for]

    @cached_property
    def without_proof(self) -> list[str]:
        """The same, whether answered or not."""
        return [
            name
            for name, module in self.modules.items()
            if self.is_bare(name)
            and (self.is_omitted(name) or _wants_proof(module))
            and not module.is_settled
            and module.statement.digest not in self.proved
        ]

    @cached_property
    def announced(self) -> list[str]:
        """Results that the paper says it proves and whose proof we did not find."""
        return [
            name
            for name, module in self.modules.items()
            if module.is_announced
            and self.is_bare(name)
            and module.statement.digest not in self.proved
            and name not in self.paper.answered_for
        ]

    @cached_property
    def proved(self) -> dict[str, list[str]]:
        """The modules with a proof, by the digests of their statements."""
        found: dict[str, list[str]] = {}
        for name, module in self.modules.items():
            if module.proofs:
                found.setdefault(module.statement.digest, []).append(name)
        return found

    @cached_property
    def open_statements(self) -> list[str]:
        """Statements that the paper leaves open, as it may."""
        modules = self.modules.items()
        return [name for name, item in modules if self.is_bare(name) and item.role is Role.OPEN]

    @cached_property
    def conjectured(self) -> frozenset[str]:
        """Those of them that are not answered."""
        return frozenset(self.open_statements) - self.paper.answered_for

    def is_bare(self, name: str) -> bool:
        """Whether a module has no verdict, and no proof that could get one."""
        module = self.modules[name]
        is_open = self.is_omitted(name) or self.paper.statuses[name] is Status.UNREACHED
        return is_open and not module.proofs and module.role.stands_alone

    def is_omitted(self, name: str) -> bool:
        """Whether the text in place of a proof only says that it is omitted."""
        return self.paper.statuses[name] is Status.OMITTED


def open_results(paper: PaperReport) -> Iterator[Finding]:
    """The results that need an answer, as findings, and those that have one in the ledger.

    Also the conjectures on which results depend without saying so.
    """
    standing = ModuleStatuses(paper)
    answers = paper.check_answers
    answered = (name for name in paper.answered_for if finding_id(NO_PROOF, "", name) in answers)
    supposed = StatusPropagation(standing).supposed()
    for name in (*standing.unproved, *standing.announced, *supposed, *sorted(answered)):
        place = standing.modules[name].statement.location
        found = finding_id(NO_PROOF, "", name)
        yield Finding(
            id=found,
            rule=NO_PROOF,
            subject="",
            severity=Severity.NOTE,
            module=name,
            message=f"{result_name(name, paper)} has no proof or citation",
            quote="",
            location=place,
            dismissed=answers.get(found),
        )


def without_proof(paper: PaperReport) -> tuple[str, ...]:
    """The modules that need a proof or an answer, including those that have an answer."""
    standing = ModuleStatuses(paper)
    return (*standing.without_proof, *standing.open_statements)


def _wants_proof(module: Module) -> bool:
    return module.role is Role.RESULT and module.kind not in STEPS


def _structure(standing: ModuleStatuses) -> Iterator[Reason]:
    """Findings of checks at or above the threshold.

    Marks of formal proofs that Lean contradicts count whatever the threshold.
    """
    read = {item.id for item in standing.paper.objections}
    marks = {item.id: item for item in standing.false_marks}
    for item in {**marks, **{item.id: item for item in standing.paper.blocking}}.values():
        is_own = item.rule == CYCLE or (item.rule == NO_PROOF and item.module in standing.unproved)
        if item.id not in read and not is_own and item.rule not in preflight.RULES:
            yield _of_finding(Cause.STRUCTURE, item, f"[{item.rule}] {item.message}")


def _preflight(standing: ModuleStatuses) -> Iterator[Reason]:
    """Unanswered warnings that forbid an upload, whatever the threshold.

    Among them a missing \\include'd file, although LaTeX continues without it, a reference to a
    label in a file that no document includes, and text addressed to a model.
    """
    blocking = {item.id for item in standing.paper.blocking}
    home = left_at_home(standing.paper.state.paper)
    for item in standing.paper.findings:
        if item.location.path in home and item.rule in preflight.RULES:
            continue
        is_grave = item.severity.rank >= Severity.WARNING.rank and item.dismissed is None
        is_lesser = item.rule in _STOPS_AN_UPLOAD and item.id not in blocking
        if is_grave and (is_lesser or item.rule in preflight.RULES):
            yield _of_finding(Cause.PREFLIGHT, item, f"[{item.rule}] {item.message}")


def left_at_home(paper: Paper) -> frozenset[str]:
    """The sources that are reviewed but in no upload: parts that no file inputs."""
    if not paper.outline.starts or paper.is_markup:
        return frozenset()
    going = {path for root in main_files(paper) for path in sources_of(paper, root)}
    return frozenset(paper.outline.order) - going


def _own(standing: ModuleStatuses, *, is_unread_wrong: bool) -> Iterator[Reason]:
    """The reasons against modules by themselves."""
    for item in standing.objections:
        votes = f"{item.votes} of {item.rollouts} readings"
        yield _of_finding(Cause.FLAGGED, item, f"[{item.rule}] {votes}: {item.message}")
    for name in standing.circular:
        reason = _of_module(
            Cause.CIRCLE, standing, name, "circular argument: its proof depends on itself"
        )
        yield replace(reason, finding=standing.circle_ids.get(name))
    for name in standing.unproved:
        words = _OMITTED if standing.is_omitted(name) else _WITHOUT_PROOF
        reason = _of_module(Cause.UNPROVED, standing, name, words)
        yield replace(reason, finding=finding_id(NO_PROOF, "", name))
    if is_unread_wrong:
        for name, why in standing.unread.items():
            reason = _of_module(Cause.UNREAD, standing, name, why)
            is_answerable = why is _ANNOUNCED
            yield (
                replace(reason, finding=finding_id(NO_PROOF, "", name)) if is_answerable else reason
            )


def _conditional(standing: ModuleStatuses, tainted: Mapping[str, str]) -> Iterator[Reason]:
    """The modules that are fine by themselves but rest on failing ones."""
    for name, target in tainted.items():
        module = standing.modules[name]
        if not module.is_claim or module.role is Role.FRAGMENT:
            continue
        other = result_name(target, standing.paper)
        reason = _of_module(Cause.CONDITIONAL, standing, name, f"depends on {other}, which failed")
        if target in standing.conjectured:
            words = f"its proof depends on {other}, {OPEN}; mention this in the statement"
            reason = replace(reason, words=words, finding=finding_id(NO_PROOF, "", target))
        yield reason


def _ledger(paper: PaperReport) -> Iterator[Reason]:
    """Unreadable lines of the ledger, except verdicts on other texts."""
    sheet = paper.sheet
    if sheet is None:
        return
    contexts = {task.context for task in sheet.tasks.values()}
    for problem in sheet.problems:
        if not problem.is_verdict or problem.may_concern(contexts):
            yield Reason(
                cause=Cause.LEDGER,
                words=problem.message,
                path=paper.state.paper.settings.ledger,
                line=problem.line,
            )


def _unseen(paper: PaperReport) -> Iterator[Reason]:
    """The parts that a fault of ours kept from being reviewed."""
    for item in unseen_of(paper):
        if item.is_failure and item.kind is not Gap.LEDGER:  # its lines are reported one by one
            words = f"pf-verify could not read this {item.what}: {item.reason}"
            yield Reason(cause=Cause.UNSEEN, words=words, path=item.path, line=item.line)


def _to_be_made(paper: PaperReport) -> Iterator[Reason]:
    """Missing files that a build may make: their future content was not reviewed."""
    for item in to_be_made(paper):
        yield _of_finding(Cause.UNSEEN, item, f"[{item.rule}] {item.message}")


def result_name(name: str, paper: PaperReport) -> str:
    """A result's name for people: kind and number, or kind and place if no number is certain."""
    module = paper.state.document.modules[name]
    number = paper.numbering.of(module) if paper.numbering.is_quick else None
    where = module.statement.location
    return (
        f"{module.kind.capitalize()} {number}"
        if number
        else f"the {module.kind} at {where.path}:{where.line}"
    )


def _of_module(cause: Cause, standing: ModuleStatuses, name: str, words: str) -> Reason:
    place = standing.modules[name].statement.location
    return Reason(cause=cause, words=words, path=place.path, line=place.line, module=name)


def _of_finding(cause: Cause, item: Finding, words: str) -> Reason:
    return Reason(
        cause=cause,
        words=words,
        path=item.location.path,
        line=item.location.line,
        module=item.module,
        finding=item.id,
    )


_FINDINGS = frozenset(
    {Cause.STRUCTURE, Cause.CIRCLE, Cause.FLAGGED, Cause.UNPROVED, Cause.PREFLIGHT}
)
_INCOMPLETE = frozenset({Cause.UNREAD, Cause.LEDGER, Cause.UNSEEN, Cause.NOTHING})


def exit_status(outcomes: Sequence[GateOutcome]) -> int:
    """The status over several papers; findings take precedence over incomplete reviews."""
    found = {item.exit_status for item in outcomes}
    return next((status for status in (1, 3) if status in found), 0)


_LEANING = (Status.CHECKED, Status.CONDITIONAL, Status.UNREACHED)


class StatusPropagation:
    """The dependence of modules; formal, cited, given and answered ones depend on nothing."""

    def __init__(self, standing: ModuleStatuses) -> None:
        self._standing = standing
        self._modules = standing.modules
        self._document = standing.paper.state.document

    def tainted(self, failing: Collection[str]) -> dict[str, str]:
        """The modules that rest on failing ones, each with the next module on the way there."""
        bad = {*failing, *self._standing.conjectured}
        bad |= {
            name
            for name, module in self._modules.items()
            if module.role is Role.FRAGMENT and module.parent in bad
        }
        found: dict[str, str] = {}
        pending = sorted(bad)
        while pending:
            target = pending.pop()
            for user in self._users.get(target, ()):
                is_new = user not in bad and user not in found
                if is_new and not self.is_assumed(user, target):
                    found[user] = target
                    pending.append(user)
        return {name: found[name] for name in self._modules if name in found}

    def is_assumed(self, user: str, target: str) -> bool:
        """Whether a result itself says that it assumes a conjecture."""
        return target in self._standing.conjectured and any(
            edge.target == target and edge.part is ModulePart.STATEMENT
            for edge in self._document.edges_of(user)
        )

    def supposed(self) -> list[str]:
        """The conjectures on which results depend without saying so."""
        return [
            name
            for name in self._standing.open_statements
            if name in self._standing.conjectured
            and not all(self.is_assumed(user, name) for user in self._users.get(name, ()))
        ]

    def circles(self, tainted: Collection[str]) -> tuple[tuple[str, ...], ...]:
        """The sets of modules that depend on each other, and on no failing one."""
        statuses = self._standing.paper.statuses
        around = {
            name
            for name in self._modules
            if statuses[name] is Status.CONDITIONAL and name not in tainted
        }
        inside = {name: sorted(around & self._grounds.get(name, set())) for name in around}
        order = {name: position for position, name in enumerate(self._modules)}
        found = [tuple(sorted(item, key=order.__getitem__)) for item in components(inside)]
        return tuple(sorted(found, key=lambda item: order[item[0]]))

    @cached_property
    def _grounds(self) -> dict[str, set[str]]:
        """The modules that each module rests on; a restated result rests on the proved one."""
        found = grounds(self._document)
        for name, module in self._modules.items():
            if self._standing.is_bare(name):
                found[name] = set(self._standing.proved.get(module.statement.digest, ()))
        return found

    @cached_property
    def _users(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self._modules:
            for target in sorted(self._grounds.get(name, ())) if self._leans(name) else ():
                found.setdefault(target, []).append(name)
        return found

    def _leans(self, name: str) -> bool:
        is_excused = name in self._standing.excused
        return self._standing.paper.statuses[name] in _LEANING and not is_excused


def source_digest(paper: Paper) -> str:
    """A digest of the paths and blob ids of a paper's files, including its settings."""
    files = paper.snapshot.files
    names = {*paper.outline.order, *filter(None, (paper.settings.path,))}
    return digest([[name, files[name].oid] for name in sorted(names & files.keys())])
