"""Surveys, readings and texts by key: in memory, behind it the parse cache."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from pfcore.papers.parse_cache import CacheBackend
from pfcore.papers.processes import ProcessPool

Value = TypeVar("Value")


@dataclass(slots=True)
class ParseCache:
    """Gives what it has, makes what is missing; `workers` make many things at once."""

    cache: CacheBackend
    workers: ProcessPool = field(default_factory=ProcessPool)
    _memory: dict[str, object] = field(default_factory=dict)
    _fresh: dict[str, str] = field(default_factory=dict)
    _held: dict[str, str] = field(default_factory=dict)

    def fetch(
        self,
        keys: Mapping[str, str],
        decode: Callable[[str], Value],
        make: Callable[[str], tuple[Value, dict[str, str]]],
    ) -> dict[str, Value]:
        """The value of each name; `make` gives what is missing, and the entries to keep."""
        for key in {key for key in keys.values() if key not in self._memory}:
            text = self._held.pop(key, None) or self._fresh.get(key) or self._cached(key)
            if text is not None:
                with suppress(ValueError):
                    self._memory[key] = decode(text)
        found: dict[str, Value] = {}
        for name, key in keys.items():
            if key not in self._memory:
                self._memory[key], entries = make(name)
                self._fresh.update(entries)
            found[name] = self._memory[key]  # type: ignore[assignment]
        return found

    def missing(self, keys: Mapping[str, str]) -> list[str]:
        """The names whose value would have to be made."""
        absent = {key for key in keys.values() if key not in self._memory}
        held = self.cache.get(sorted(absent)) if absent else {}
        self._held.update(held)
        return [name for name, key in keys.items() if key in absent and key not in held]

    def take(self, entries: Mapping[str, str]) -> None:
        """Have entries that were made elsewhere, as if the cache had had them."""
        self._fresh.update(entries)

    def keep(self) -> None:
        """Write what is new to the cache."""
        self.cache.put(self._fresh)
        self._fresh.clear()

    def _cached(self, key: str) -> str | None:
        return self.cache.get([key]).get(key)
