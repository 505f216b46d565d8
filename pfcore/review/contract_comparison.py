"""Compares the contracts in a ledger with the present one: which verdicts would still count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pfcore.ledger.ledger import Fields, Ledger
from pfcore.review.paper_verdicts import PaperVerdicts
from pfcore.verification.contract import Contract, Judging
from pfcore.verification.task import ContextTask


class ContractDifference(NamedTuple):
    """A field in which two contracts differ; None also for one that is absent."""

    field: str
    then: object
    now: object


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedContract:
    """A contract on record: how many proofs it covers as they are now.

    `short` counts those read fewer times than is wanted now. `fields` is None if no line records
    the contract's fields.
    """

    contract: str
    fields: Fields | None
    covers: int
    short: int
    is_accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """The proofs that a paper's contract makes unread, and how to keep existing verdicts.

    `accept` is the whole list for pf.toml, including its present entries; `left` is the number of
    proofs that remain unread with it.
    """

    contract: Contract
    rollouts: int
    proofs: int
    known: tuple[RecordedContract, ...]
    unread: tuple[str, ...]
    accepted: tuple[str, ...]
    accept: tuple[str, ...]
    left: int

    @property
    def is_helped(self) -> bool:
        """Whether accepting earlier contracts would keep a verdict."""
        return self.left < len(self.unread)


def upgrade(sheet: PaperVerdicts) -> Upgrade:
    """The effect of a sheet's contract on its ledger; ValueError without a contract."""
    knowledge = sheet.knowledge
    if knowledge.asking is None:
        raise ValueError("no contract to compare with")
    contract, ledger = knowledge.asking.contract, knowledge.ledger
    unread = tuple(sheet.unread())
    missing = [sheet.tasks[name] for name in unread if name in sheet.tasks]
    accepted = tuple(knowledge.accept)
    choosing = _Choosing(ledger, contract.digest(), knowledge.judging)
    accept = choosing.accept(missing, accepted)
    return Upgrade(
        contract=contract,
        rollouts=knowledge.judging.rollouts,
        proofs=len(sheet.readings),
        known=tuple(
            _known(name, ledger, list(sheet.tasks.values()), knowledge.judging, accepted)
            for name in _names(ledger)
        ),
        unread=unread,
        accepted=accepted,
        accept=accept,
        left=len(missing) - choosing.kept(missing, accept),
    )


def _names(ledger: Ledger) -> list[str]:
    return sorted({asked.contract for asked in ledger.entries} | set(ledger.contracts))


def _known(
    name: str,
    ledger: Ledger,
    tasks: Sequence[ContextTask],
    judging: Judging,
    accepted: Sequence[str],
) -> RecordedContract:
    found = (ledger.entry(task.context, name, holds=task.reproduces) for task in tasks)
    enough = [entry.is_enough(judging) for entry in found if entry]
    return RecordedContract(
        contract=name,
        fields=ledger.contracts.get(name),
        covers=sum(enough),
        short=len(enough) - sum(enough),
        is_accepted=name in accepted,
    )


class _Choosing(NamedTuple):
    """Chooses earlier contracts whose verdicts would count under a contract."""

    ledger: Ledger
    contract: str
    judging: Judging

    def accept(self, tasks: Sequence[ContextTask], accepted: tuple[str, ...]) -> tuple[str, ...]:
        """The accepted contracts, and those that keep further verdicts, the most first."""
        chosen = accepted
        others = [name for name in _names(self.ledger) if name not in (self.contract, *accepted)]
        while others:
            best = max(others, key=lambda name: self.kept(tasks, (*chosen, name)))
            if self.kept(tasks, (*chosen, best)) <= self.kept(tasks, chosen):
                break
            chosen = (*chosen, best)
            others.remove(best)
        return chosen

    def kept(self, tasks: Sequence[ContextTask], accept: Sequence[str]) -> int:
        """How many tasks would have a verdict."""
        found = (
            self.ledger.entry(task.context, self.contract, accept, task.reproduces)
            for task in tasks
        )
        return sum(1 for item in found if item is not None and item.is_enough(self.judging))


def differences(then: Fields, now: Fields) -> list[ContractDifference]:
    """The differing fields, in the order of the present contract; prompts stage by stage."""
    old, new = flat(then), flat(now)
    names = [*new, *(name for name in old if name not in new)]
    return [
        ContractDifference(name, old.get(name), new.get(name))
        for name in names
        if old.get(name) != new.get(name) or (name in old) != (name in new)
    ]


def flat(fields: Fields) -> Mapping[str, object]:
    """The fields, with a separate one for each prompt: `prompts.verify`."""
    found: dict[str, object] = {}
    for name, value in fields.items():
        if name == "prompts" and isinstance(value, list) and all(map(_is_pair, value)):
            found |= {f"prompts.{stage}": version for stage, version in value}
        else:
            found[name] = value
    return found


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str)
