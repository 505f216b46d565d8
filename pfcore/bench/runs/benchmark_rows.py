"""Rows of a data file: JSON lines or an array of objects, each with its number, from 1.

Rows of Hard2Verify, decrypted by the user: a problem, a solution in steps, a label for each. Rows
of ArxivMathGradingBench: a paper's PDF, and where its authors found errors in it.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from pfcore.domain.errors import UsageError
from pfcore.verification.locations import is_labelled, printed_place, singular

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


_PDF = b"%PDF-"
_BETWEEN = re.compile(r"\s*(?:[,;&]\s*(?:and\b)?|\band\b)\s*")
_NUMBER = re.compile(r"\(?(?:\d+|[A-Z])(?:\.\w+)*['′]*\)?\.?")
_KIND = re.compile(r"[A-Za-z]+(?=\.?\s+\(?[\dA-Z])")
_HEADLINE = re.compile(
    r"(?:the\s+)?(?:main|principal)\s+(?:theorem|result|lemma|proposition)s?\W*", re.IGNORECASE
)
_EVERYWHERE = re.compile(r"[,;]| and ")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArxivRow:
    """A paper as it was before a correction, and its known errors by what the paper prints.

    `errors` are split by our rules, `reference` by those of the paper's published scripts.
    """

    name: str
    title: str
    url: str
    errors: tuple[str, ...]
    reference: tuple[str, ...]
    pdf: Path


def _version(value: object) -> object:
    return f"v{value}" if isinstance(value, int) or str(value).isdigit() else value


class _GradingRow(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    arxiv_id: Annotated[
        str, StringConstraints(pattern=r"^(\d{4}\.\d{4,5}|[a-z-]+(\.[A-Z]{2})?/\d{7})$")
    ]
    version: Annotated[str, BeforeValidator(_version), StringConstraints(pattern=r"^v\d+$")]
    url: str = ""
    location: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        alias="Location of Error"
    )
    title_extracted_from_tex: str | None = None


def load_papers(path: Path, folder: Path) -> list[ArxivRow]:
    """The rows of a file with their PDFs; UsageError with the number of the first that is wrong."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    found = [(entry, _paper_row(entry, folder)) for entry in load_entries(path)]
    distinct((entry, row.name) for entry, row in found)
    return [row for _, row in found]


def places(text: str) -> tuple[str, ...]:
    """The locations that a list names, each place once.

    "Lemmas 3.1 and 3.2" are two. What has no label of its own belongs to what stands before it.
    """
    found: dict[str, str] = {}
    kind = ""
    for piece in _pieces(text):
        words = _with_kind(piece.strip(" .,;"), kind)
        named = _KIND.match(words)
        kind = named[0] if named else kind
        if words:
            found.setdefault(printed_place(words).key, words)
    return tuple(found.values())


def reference_places(text: str) -> tuple[str, ...]:
    """The same list as the paper's published scripts split it: at every comma and "and"."""
    pieces = (piece.strip() for piece in _EVERYWHERE.split(text))
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def _with_kind(words: str, kind: str) -> str:
    """A location of a list with a kind of its own, in the singular."""
    if kind and _NUMBER.fullmatch(words):
        return f"{kind} {words}"
    return singular(words)


def _pieces(text: str) -> list[str]:
    """A text cut where a separator is followed by a label, a number, or "main theorem"."""
    found, at = [], 0
    for cut in _BETWEEN.finditer(text):
        rest = _BETWEEN.split(text[cut.end() :], maxsplit=1)[0]
        if is_labelled(rest) or _NUMBER.fullmatch(rest) or _HEADLINE.fullmatch(rest):
            found.append(text[at : cut.start()])
            at = cut.end()
    return [*found, text[at:]]


def _paper_row(entry: NumberedRow, folder: Path) -> ArxivRow:
    row = valid(entry, _GradingRow)
    errors = places(row.location)
    if not errors:
        raise entry.wrong("Location of Error: it names no place")
    name = f"{row.arxiv_id}{row.version}"
    return ArxivRow(
        name=name,
        title=row.title_extracted_from_tex or "",
        url=row.url,
        errors=errors,
        reference=reference_places(row.location),
        pdf=_pdf(entry, folder, row),
    )


def _pdf(entry: NumberedRow, folder: Path, row: _GradingRow) -> Path:
    """The row's PDF, by the name that arXiv or the published scripts give it, without a slash."""
    paper = row.arxiv_id.replace("/", "")
    names = (f"{paper}{row.version}.pdf", f"{paper}.pdf", f"arXiv-{paper}{row.version}.pdf")
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is None:
        raise entry.wrong(f"{folder} has no PDF: none of {', '.join(names)}")
    with found.open("rb") as file:
        if file.read(len(_PDF)) != _PDF:
            raise entry.wrong(f"{found} is no PDF")
    return found
