"""Rows of a data file: JSON lines or an array of objects, each with its number, from 1."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from pfcore.domain.errors import UsageError

Model = TypeVar("Model", bound=BaseModel)

_PARQUET = b"PAR1"


class NumberedRow(NamedTuple):
    """One row as it came, and which it is; blank lines do not count."""

    path: Path
    number: int
    value: Any

    def wrong(self, reason: str) -> UsageError:
        """What is wrong with this row, as an error to raise."""
        return UsageError(f"{self.path}, row {self.number}: {reason}")


def load_entries(path: Path) -> list[NumberedRow]:
    """The rows of a file; UsageError if it cannot be read, is no JSON, or has no rows."""
    values = list(_values(path, _text(path)))
    if not values:
        raise UsageError(f"{path} has no rows")
    found = [NumberedRow(path, number, value) for number, value in enumerate(values, 1)]
    for entry in found:
        if not isinstance(entry.value, dict):
            raise entry.wrong("it is no object, but a row is one")
    return found


def valid(entry: NumberedRow, model: type[Model]) -> Model:
    """A row as a value; UsageError with the column that is missing or wrong."""
    try:
        return model.model_validate(entry.value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise entry.wrong(f"{where}: {first['msg']}" if where else first["msg"]) from error


def distinct(named: Iterable[tuple[NumberedRow, str]]) -> None:
    """UsageError at the first row that has the name of an earlier one."""
    known: dict[str, int] = {}
    for entry, name in named:
        if name in known:
            raise entry.wrong(f"it is {name} again, which row {known[name]} is")
        known[name] = entry.number


def _text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if data.startswith(_PARQUET):
        raise UsageError(
            f"{path} is a parquet file; write it as JSON lines first, with pandas for one: "
            "DataFrame.to_json(path, orient='records', lines=True)"
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text in UTF-8") from error


def _values(path: Path, text: str) -> Iterator[Any]:
    if text.lstrip().startswith("["):
        try:
            yield from json.loads(text)
        except json.JSONDecodeError as error:
            raise UsageError(f"{path} is no JSON: {error}") from error
        return
    lines = (line for line in text.split("\n") if line.strip())
    for number, line in enumerate(lines, 1):
        try:
            yield json.loads(line)
        except json.JSONDecodeError as error:
            raise NumberedRow(path, number, line).wrong(f"it is no JSON: {error}") from error
