"""The labels of a document: where each of them stands."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pfcore.latex.parsed_file import Label

Listed = Mapping[str, Sequence[tuple[str, Label]]]
"""The places of each label: the file, and what is known of it there."""


class LabelPlace(NamedTuple):
    """Where a label stands: file and offset, what holds it, and the module (or "")."""

    path: str
    offset: int
    holder: str
    module: str


class LabelIndex(Mapping[str, tuple[LabelPlace, ...]]):
    """Where each label stands, and in which modules; worked out when somebody asks."""

    __slots__ = ("_listed", "_module")

    def __init__(self, listed: Listed, module: Callable[[str, int], str]) -> None:
        self._listed = listed
        self._module = module

    def __getitem__(self, key: str) -> tuple[LabelPlace, ...]:
        return tuple([self._place(*item) for item in self._listed[key]])

    def __contains__(self, key: object) -> bool:
        return key in self._listed

    def __iter__(self) -> Iterator[str]:
        return iter(self._listed)

    def __len__(self) -> int:
        return len(self._listed)

    def repeated(self) -> list[str]:
        """Those that stand at several places."""
        return [key for key, places in self._listed.items() if len(places) > 1]

    def _place(self, path: str, label: Label) -> LabelPlace:
        return LabelPlace(path, label.offset, label.holder, self._module(path, label.block))
