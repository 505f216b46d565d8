"""TOML tables that people write: each key has a type, and unknown keys are errors.

Also finds the user's own configuration file, which is outside all repositories.
"""

import math
from collections.abc import Container, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from pfcore.domain.errors import ConfigError


def config_path(environment: Mapping[str, str]) -> Path | None:
    """The path of the user's own configuration, never relative to the current folder; or None."""
    home = environment.get("HOME") or environment.get("USERPROFILE")
    # The XDG specification ignores a relative path; here it could name a repository's own file.
    for folder in (environment.get("XDG_CONFIG_HOME"), home and f"{home}/.config"):
        if folder and Path(folder).is_absolute():
            return Path(folder) / "pf-verify" / "config.toml"
    return None


def top_table(text: str, *, path: str) -> "TomlTable":
    """The top table of a TOML text; ConfigError if it is not valid."""
    import tomllib  # imported late: most papers have no pf.toml, and the hook starts often

    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigError(f"invalid TOML: {exc}", path=path) from exc
    except ValueError as exc:  # Python's own limit on the length of numbers
        raise ConfigError("invalid TOML: a number has too many digits", path=path) from exc
    except RecursionError as exc:
        raise ConfigError("nested too deeply", path=path) from exc
    return TomlTable(document, name="", path=path)


class TomlTable:
    """A TOML table whose keys are taken one by one, each with its type; `end` refuses the rest."""

    def __init__(self, values: Mapping[str, Any], *, name: str, path: str) -> None:
        self._left = dict(values)
        self._known: list[str] = []
        self._name = name
        self._path = path

    def table(self, key: str) -> "TomlTable":
        """A table; empty if absent."""
        value = self._take(key, dict, "a table")
        return TomlTable(value or {}, name=self._full(key), path=self._path)

    def tables(self, key: str) -> list["TomlTable"]:
        """An array of tables."""
        values = self._take(key, list, "written [[paper]]") or []
        for value in values:
            if not isinstance(value, dict):
                raise self.fault(key, "must be written [[paper]]")
        return [TomlTable(value, name=self._full(key), path=self._path) for value in values]

    def text(self, key: str) -> str | None:
        """A non-empty text."""
        value: str | None = self._take(key, str, "a quoted string")
        return None if value is None else self._filled(key, value)

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of non-empty texts, in the order given."""
        return tuple(self._filled(key, value) for value in self._take(key, list, _LIST) or ())

    def pairs(self, key: str) -> tuple[tuple[str, str], ...]:
        """A table of non-empty texts with names, sorted."""
        values = self._take(key, dict, 'a table like {name = "text"}') or {}
        filled = partial(self._filled, key)
        return tuple(sorted((filled(name), filled(value)) for name, value in values.items()))

    def each(self, key: str) -> dict[str, "TomlTable"]:
        """A table of tables, by their names."""
        values = self._take(key, dict, "a table of tables") or {}
        for name, value in values.items():
            if not isinstance(value, dict):
                raise self.fault(f"{key}.{name}", "must be a table")
        full = self._full(key)
        return {
            name: TomlTable(value, name=f"{full}.{name}", path=self._path)
            for name, value in values.items()
        }

    def count(self, key: str, default: int) -> int:
        """A whole number above 0."""
        value = self.count_if_set(key)
        return default if value is None else value

    def count_if_set(self, key: str) -> int | None:
        """A whole number above 0, or None."""
        value: int | None = self._take(key, int, _COUNT)
        if value is not None and value < 1:
            raise self.fault(key, f"must be {_COUNT}")
        return value

    def whole(self, key: str, default: int, *, most: int) -> int:
        """A whole number from 0 to `most`."""
        form = f"a whole number from 0 to {most}"
        value: int | None = self._take(key, int, form)
        if value is not None and not 0 <= value <= most:
            raise self.fault(key, f"must be {form}")
        return default if value is None else value

    def amount(self, key: str) -> float | None:
        """A finite number, 0 or more."""
        value = self._take(key, (int, float), _AMOUNT)
        if value is not None and not (math.isfinite(value) and value >= 0):
            raise self.fault(key, f"must be {_AMOUNT}")
        return None if value is None else float(value)

    def switch(self, key: str, default: bool) -> bool:  # noqa: FBT001 - a setting's value
        """True or false."""
        self._known.append(key)
        value = self._left.pop(key, default)
        if not isinstance(value, bool):
            raise self.fault(key, "must be true or false")
        return value

    def fault(self, key: str, sentence: str) -> ConfigError:
        """The error for an invalid key; `sentence` says what is wrong."""
        where = f" in [{self._name}]" if self._name else ""
        return ConfigError(f"'{key}'{where} {sentence}", path=self._path)

    def never(self, keys: Container[str], sentence: str) -> None:
        """Refuse the first present key of `keys`, with a sentence that says why."""
        for key in self._left:
            if key in keys:
                raise self.fault(key, sentence)

    def end(self) -> None:
        """Refuse the first key that was not read."""
        for key in self._left:
            raise self.fault(key, f"is not a setting; {_suggestion(key, self._known)}")

    def _take(self, key: str, kind: type | tuple[type, ...], form: str) -> Any:
        self._known.append(key)
        value = self._left.pop(key, None)
        if value is not None and (isinstance(value, bool) or not isinstance(value, kind)):
            raise self.fault(key, f"must be {form}")
        return value

    def _filled(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.fault(key, f"must hold quoted strings, not {str(value)[:40]}")
        if not value.strip():
            raise self.fault(key, "has an empty string: write a word, or delete it")
        return value

    def _full(self, key: str) -> str:
        return f"{self._name}.{key}" if self._name else key


_LIST = "a list of strings"
_COUNT = "a whole number above 0"
_AMOUNT = "a number, 0 or more"


def _suggestion(key: str, known: list[str]) -> str:
    import difflib  # imported late: only an error needs it

    close = difflib.get_close_matches(key, known, n=2, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(f"'{name}'" for name in close) + "?"
    return "expected one of: " + ", ".join(known)
