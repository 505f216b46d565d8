"""How each module of a paper stands by itself: read, proved, objected to, answered, left open."""

from functools import cached_property

from pfcore.domain.values import Finding, Role, Status
from pfcore.graph.laws import knots
from pfcore.latex.structure.headings import STEPS
from pfcore.ledger.ledger import LedgerEntry
from pfcore.review.review import PaperReport

NO_PROOF, CYCLE = "no-proof", "cycle"
"""The checks whose findings, once they are answered, answer for modules too."""


class ModuleStatuses:
    """What is known of the modules of one paper, without what they rest on."""

    def __init__(self, paper: PaperReport) -> None:
        self.paper = paper
        self.modules = paper.state.document.modules

    @cached_property
    def objections(self) -> list[Finding]:
        """The objections to proofs that nobody has answered."""
        return [item for item in self.paper.objections if item.dismissed is None]

    @cached_property
    def unread(self) -> dict[str, str]:
        """The modules whose proof lacks readings that are wanted, and why."""
        found = {item.module: item.reason for item in self.paper.unreached}
        unread = {name: why for name, why in found.items() if self.modules[name].proofs}
        sheet = self.paper.sheet
        if sheet is None:
            missing = dict.fromkeys(self.modules, "not read: no model is configured")
        else:
            missing = sheet.unread()
            unread |= self._short()
        more = [name for name in self.excused if self.modules[name].proofs and name in missing]
        unread |= {name: missing[name] for name in more}
        return {name: unread[name] for name in self.modules if name in unread}

    def _short(self) -> dict[str, str]:
        """The modules that fewer readings have accepted than the settings want."""
        sheet = self.paper.sheet
        if sheet is None:
            return {}
        judging = sheet.knowledge.judging
        return {
            name: f"only {entry.rollouts} of the {judging.rollouts} readings are on record"
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
    def unproved(self) -> list[str]:
        """Results that nothing proves here, that cite nobody, and that nobody has answered for.

        A step is proved in the proof around it, a result that is stated again where it is proved.
        """
        answered = {
            item.module
            for item in self.paper.findings
            if item.rule == NO_PROOF and item.dismissed is not None
        }
        return [
            name
            for name, module in self.modules.items()
            if self.is_bare(name)
            and module.role is Role.RESULT
            and module.kind not in STEPS
            and name not in answered
            and module.statement.digest not in self.proved
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
    def conjectured(self) -> frozenset[str]:
        """Statements that the paper leaves open, as it may."""
        modules = self.modules.items()
        return frozenset(n for n, item in modules if self.is_bare(n) and item.role is Role.OPEN)

    def is_bare(self, name: str) -> bool:
        """Whether a module has no verdict, and no proof that could get one."""
        is_unreached = self.paper.statuses[name] is Status.UNREACHED
        module = self.modules[name]
        return is_unreached and not module.proofs and module.role is not Role.FRAGMENT
