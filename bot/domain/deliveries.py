"""Deliveries of webhooks: each is stored once, however often GitHub sends it, until it is too old.

A delivery is stored before it is queued, and marked afterwards: `waiting` finds those that a crash
left between the two.
"""

from dataclasses import dataclass, field
from typing import Protocol

from pfcore.domain.errors import IncompleteError


class DeliveryError(IncompleteError):
    """A delivery cannot be stored or handed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A delivery; `received` is in seconds since 1970, `body` the raw bytes that were signed.

    `repository` is an id, None if the delivery is about an installation.
    """

    guid: str
    event: str
    installation: int
    repository: int | None
    received: float
    body: bytes = field(repr=False)


class Deliveries(Protocol):
    """Deliveries by id; every method may raise DeliveryError."""

    def keep(self, delivery: Delivery) -> bool:
        """Store a delivery unless its id is known; whether it still needs to be queued."""
        ...

    def mark_queued(self, guid: str) -> None:
        """Record that a delivery was handed on; other processes may learn of it a little later."""
        ...

    def get(self, guid: str) -> Delivery | None:
        """A delivery by its id."""
        ...

    def waiting(self, before: float, most: int = 100) -> list[Delivery]:
        """Deliveries stored up to a moment and never handed on, the oldest first."""
        ...

    def since(self, moment: float) -> frozenset[str]:
        """The ids of deliveries received since a moment; others that GitHub lists were missed."""
        ...

    def repositories(self, installation: int) -> frozenset[int]:
        """The ids of the repositories of an installation from which a delivery was received."""
        ...

    def forget(self, moment: float) -> int:
        """Erase the deliveries received before a moment; how many."""
        ...

    def move(self, installation: int, repository: int) -> None:
        """Assign a repository's deliveries to the installation that has it now."""
        ...

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all but the ids for an installation, or for one of its repositories; how many."""
        ...

    def close(self) -> None:
        """Close the database."""
        ...
