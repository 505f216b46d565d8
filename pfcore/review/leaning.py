"""What rests on what does not pass, and what rests on itself by references that are not certain.

It counts by reachability: where modules rest on one another uncertainly, nothing that fails is
reached, so they pass, and are named.
"""

from collections.abc import Collection
from functools import cached_property

from pfcore.domain.values import ModulePart, Role, Status
from pfcore.graph.components import components
from pfcore.graph.status import grounds
from pfcore.review.standing import ModuleStatuses

_LEANING = (Status.CHECKED, Status.CONDITIONAL, Status.UNREACHED)


class StatusPropagation:
    """Who leans on whom: formal, cited, given and answered modules lean on nothing."""

    def __init__(self, standing: ModuleStatuses) -> None:
        self._standing = standing
        self._modules = standing.modules
        self._document = standing.paper.state.document

    def tainted(self, failing: Collection[str]) -> dict[str, str]:
        """The modules that rest on some that fail, each with the next one that it rests on."""
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
        """Whether a result says itself that it assumes what is open."""
        return target in self._standing.conjectured and any(
            edge.target == target and edge.part is ModulePart.STATEMENT
            for edge in self._document.edges_of(user)
        )

    def circles(self, tainted: Collection[str]) -> tuple[tuple[str, ...], ...]:
        """The sets of modules that rest on one another, and on nothing that fails."""
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
        """What each module rests on; a result that is stated again on the one that is proved."""
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
