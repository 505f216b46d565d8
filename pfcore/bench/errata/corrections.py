"""Rows of corrections: what a commit corrected, where, and whether its result is right since then.

The shipped rows are in `corrections.jsonl`: with our own labels, and without words of the sources.
"""

import json
import re
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from pfcore.bench.runs.benchmark_rows import NumberAsText, Text, distinct, load_entries, valid
from pfcore.domain.errors import UsageError

SHIPPED = Path(__file__).with_name("corrections.jsonl")
"""The rows that come with the product."""

_COMMIT = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"
_REPO = r"\w[\w.-]*(?:/\w[\w.-]*)?"


class DefectPart(StrEnum):
    """The part of a result to which the correction belongs."""

    PROOF = "proof"
    STATEMENT = "statement"
    CITATION = "citation"


class DefectSeverity(StrEnum):
    """How bad the defect is: it breaks the argument, is easily repaired, or is a misprint."""

    BREAKS = "breaks"
    SLIP = "slip"
    MISPRINT = "misprint"


class Detectability(StrEnum):
    """Whether the defect can be seen from the context of the result alone."""

    YES = "yes"
    PERHAPS = "perhaps"


class ControlBelief(StrEnum):
    """Whether the corrected result is right; WRONG: it is known to have another error."""

    BELIEVED = "believed"
    MINOR = "minor"
    WRONG = "wrong"


def _inner_path(path: str) -> str:
    parts = path.split("/")
    if not path.isprintable() or path.startswith(("/", "-", ":")) or {"", ".", ".."} & set(parts):
        raise ValueError("expected a path inside the repository")
    return path


def _in_order(span: tuple[int, int]) -> tuple[int, int]:
    if span[0] > span[1]:
        raise ValueError("the first line is behind the last one")
    return span


LineNumber = Annotated[int, Field(ge=0)]
LineSpan = Annotated[tuple[LineNumber, LineNumber], AfterValidator(_in_order)]
"""The first and last line, counted from 1; 0 means before the first line."""


class CorrectionRow(BaseModel):
    """A correction; `true_lines` and the lines of the parts are those of the parent commit.

    `fixed_lines` are those of the commit. If lines were only inserted or only removed, the line
    before them is given. `label` is None if the source has none. `wrong` describes the defect in
    the words of the person who labelled it; fields without an answer are None. Rows that nobody has
    confirmed are proposals.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: Annotated[Text, NumberAsText]
    repo: Annotated[str, Field(pattern=f"^{_REPO}$")]
    commit: Annotated[str, Field(pattern=f"^{_COMMIT}$")]
    parent: Annotated[str, Field(pattern=f"^{_COMMIT}$")]
    date: str
    file: Annotated[str, AfterValidator(_inner_path)]
    label: str | None
    environment: str
    area: str = ""
    part: DefectPart
    wrong: str
    severity: DefectSeverity | None
    detectable: Detectability | None
    true_lines: Annotated[tuple[LineSpan, ...], Field(min_length=1)]
    fixed_lines: Annotated[tuple[LineSpan, ...], Field(min_length=1)]
    statement_lines: LineSpan
    proof_lines: LineSpan | None
    module_lines: LineSpan
    control: ControlBelief | None
    control_note: str = ""
    confirmed: bool = True

    @model_validator(mode="after")
    def _is_told(self) -> "CorrectionRow":
        if self.confirmed and not self.wrong.strip():
            raise ValueError("a confirmed row says in 'wrong' what was wrong")
        return self

    @property
    def place(self) -> str:
        """The place, for people: repository, file, and label or first line."""
        return f"{self.repo} {self.file}:{self.label or self.module_lines[0]}"

    @property
    def is_control_wrong(self) -> bool:
        """Whether the corrected result is known to have another error."""
        return self.control is ControlBelief.WRONG

    def is_at_defect(self, first: int, last: int) -> bool:
        """Whether lines of the parent overlap those that were wrong."""
        return any(start <= last and first <= end for start, end in self.true_lines)


def load_corrections(path: Path) -> list[CorrectionRow]:
    """The confirmed rows of a file; UsageError for an invalid row, or if none is confirmed."""
    entries = load_entries(path)
    rows = [valid(entry, CorrectionRow) for entry in entries]
    distinct((entry, row.id) for entry, row in zip(entries, rows, strict=True))
    confirmed = [row for row in rows if row.confirmed]
    if not confirmed:
        message = f"{path} has no confirmed rows: fill in 'wrong' and set 'confirmed' to true"
        raise UsageError(message)
    return confirmed


def joined_rows(listed: Iterable[Iterable[CorrectionRow]]) -> list[CorrectionRow]:
    """The rows of several files; UsageError if two have the same id."""
    found: dict[str, CorrectionRow] = {}
    for row in (row for rows in listed for row in rows):
        if found.setdefault(row.id, row) is not row:
            raise UsageError(f"the id {row.id!r} is in two files of rows")
    return list(found.values())


def row_line(row: CorrectionRow) -> str:
    """A row as a line of JSON."""
    return json.dumps(row.model_dump(mode="json"), ensure_ascii=False)


def plain_id(text: str) -> str:
    """Words as part of an id: letters, digits and hyphens."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:40]
