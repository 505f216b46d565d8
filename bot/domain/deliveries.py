"""Deliveries: each is kept once, whatever GitHub sends again, until it is too old.

A delivery is kept before it is queued and marked after: what a crash leaves between the two is
found by `waiting`.
"""

from dataclasses import dataclass, field
from typing import Protocol

from pfcore.domain.errors import IncompleteError


class DeliveryError(IncompleteError):
    """A delivery cannot be kept, or cannot be handed on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One delivery; `received` is in seconds of the clock, `body` the raw bytes that were signed.

    `repository` is an id, None where the delivery is about an installation.
    """

    guid: str
    event: str
    installation: int
    repository: int | None
    received: float
    body: bytes = field(repr=False)


class Deliveries(Protocol):
    """Deliveries by their ids; every method may raise DeliveryError."""

    def keep(self, delivery: Delivery) -> bool:
        """Keep a delivery, the first one of its id; whether it is still to be queued."""
        ...

    def mark_queued(self, guid: str) -> None:
        """Say that a delivery was handed on for good; others may hear of it a little later."""
        ...

    def get(self, guid: str) -> Delivery | None:
        """A delivery by its id."""
        ...

    def waiting(self, before: float, most: int = 100) -> list[Delivery]:
        """What was kept up to a moment and never handed on, the oldest first."""
        ...

    def since(self, moment: float) -> frozenset[str]:
        """The ids of what was received from a moment on: what GitHub lists beside was missed."""
        ...

    def repositories(self, installation: int) -> frozenset[int]:
        """The ids of the repositories of an installation that something was received of."""
        ...

    def forget(self, moment: float) -> int:
        """Erase what was received before a moment; how many."""
        ...

    def move(self, installation: int, repository: int) -> None:
        """Let what was received of a repository belong to the installation that has it by now."""
        ...

    def erase(self, installation: int, repository: int | None = None) -> int:
        """Erase all of an installation, or of one of its repositories, but the ids; how many."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
