"""Values of modules, made when they are asked for: most plans ask for few."""

from collections.abc import Callable, Iterator, Mapping
from typing import Generic, TypeVar

from pfcore.domain.values import Module

Value = TypeVar("Value")

Memo = dict[int, tuple[Module, Value]]
"""Values by the identity of their module, which is kept alive with them."""


class LazyMapping(Mapping[str, Value], Generic[Value]):
    """A value for each module; versions of a document that share a module share its value."""

    __slots__ = ("_make", "_modules", "memo")

    def __init__(
        self,
        modules: Mapping[str, Module],
        make: Callable[[str], Value],
        memo: Memo[Value] | None = None,
    ) -> None:
        self._modules = modules
        self._make = make
        self.memo: Memo[Value] = {} if memo is None else memo

    def __getitem__(self, name: str) -> Value:
        module = self._modules[name]
        known = self.memo.get(id(module))
        if known is None:
            known = self.memo[id(module)] = (module, self._make(name))
        return known[1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
