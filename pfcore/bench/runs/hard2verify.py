"""Rows of Hard2Verify, decrypted by the user: a problem, a solution in steps, a label for each."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from pfcore.bench.runs.benchmark_rows import NumberedRow, distinct, load_entries, valid

_ENCRYPTED = ("question", "model_response_by_step", "human_labels", "human_labels_first_error_idx")
"""The columns that the published file has encrypted, each as base64."""

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4}){5,}(?:[A-Za-z0-9+/]{2,3}={1,2})?")
_SHORT = re.compile(r"[A-Za-z0-9+/]{2,}={1,2}")

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


@dataclass(frozen=True, slots=True, kw_only=True)
class HardRow:
    """A problem with a solution in steps, indexed from 0; a true label means a right step.

    `first_error` is what the benchmark says itself; None if it knows no wrong step.
    """

    name: str
    problem: str
    steps: tuple[str, ...]
    labels: tuple[bool, ...]
    first_error: int | None

    @property
    def first_wrong(self) -> int | None:
        """The first wrong step by the labels."""
        return None if all(self.labels) else self.labels.index(False)


class _SolutionRow(BaseModel):
    unique_id: Text
    question: Text
    model_response_by_step: list[str] = Field(min_length=1)
    human_labels: list[Annotated[int, Field(ge=0, le=1)]] = Field(min_length=1)
    human_labels_first_error_idx: Annotated[int, Field(ge=-1)] | None


def load_proofs(path: Path) -> list[HardRow]:
    """The rows of a decrypted file; UsageError with the number of the first that is wrong."""
    found = [(entry, _proof_row(entry)) for entry in load_entries(path)]
    distinct((entry, row.name) for entry, row in found)
    return [row for _, row in found]


def doubts(rows: Iterable[HardRow]) -> list[str]:
    """Sentences about rows whose index of the first error is not that of the labels.

    The measures go by the labels.
    """
    return [
        f"{row.name}: the first wrong step is {row.first_wrong} by its labels, "
        f"and {row.first_error} by its index"
        for row in rows
        if row.first_wrong != row.first_error
    ]


def _proof_row(entry: NumberedRow) -> HardRow:
    for column in _ENCRYPTED:
        if _is_encrypted(entry.value.get(column)):
            raise entry.wrong(
                f"{column} is still encrypted; decrypt the file first, as the benchmark's own "
                "page tells"
            )
    row = valid(entry, _SolutionRow)
    steps, labels = row.model_response_by_step, row.human_labels
    if len(steps) != len(labels):
        raise entry.wrong(f"it has {len(steps)} steps and {len(labels)} labels")
    index = row.human_labels_first_error_idx
    if index is not None and index >= len(steps):
        raise entry.wrong(f"its first error has the index {index}, and {len(steps)} steps")
    return HardRow(
        name=row.unique_id,
        problem=row.question,
        steps=tuple(steps),
        labels=tuple(map(bool, labels)),
        first_error=None if index == -1 else index,
    )


def _is_encrypted(value: object) -> bool:
    """Whether a column holds base64 instead of text, a list or a number."""
    if not isinstance(value, str):
        return False
    return bool(_BASE64.fullmatch(value) or _SHORT.fullmatch(value))
