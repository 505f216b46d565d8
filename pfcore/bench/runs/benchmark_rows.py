"""Rows of a data file: JSON lines, an array, or an object of arrays; numbered from 1.

Solutions with labelled steps, as published: Hard2Verify (decrypted by the user), PRMBench, and
Mr-Ben, which labels only the first wrong step. Rows of ArxivMathGradingBench: a paper's PDF, and
where its authors found errors in it.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from pfcore.domain.digest import text_digest
from pfcore.domain.errors import UsageError
from pfcore.reporters.printing import safe
from pfcore.verification.locations import is_labelled, printed_place, singular

Model = TypeVar("Model", bound=BaseModel)
Row = TypeVar("Row")

_PARQUET = b"PAR1"


class NumberedRow(NamedTuple):
    """One row as read, with its number; blank lines do not count."""

    path: Path
    number: int
    value: Any

    def wrong(self, reason: str) -> UsageError:
        """The error to raise for an invalid row; the text, which may be anything, is made safe."""
        return UsageError(safe(f"{self.path}, row {self.number}: {reason}"))


class _NotJson(NamedTuple):
    """Stands for a line that is not valid JSON."""

    reason: str


class FileRows(NamedTuple):
    """How many rows of a file can be used, and how many cannot."""

    path: Path
    usable: int
    broken: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRows(Generic[Row]):
    """The usable rows, by files in order; `broken` names each of the others, and says why."""

    rows: tuple[Row, ...]
    broken: tuple[str, ...] = ()
    files: tuple[FileRows, ...] = ()


def load_entries(path: Path) -> list[NumberedRow]:
    """The rows of a file; UsageError if it cannot be read, is not JSON, or has no rows."""
    found = numbered_rows(path)
    for entry in found:
        if isinstance(entry.value, _NotJson):
            raise entry.wrong(entry.value.reason)
        if not isinstance(entry.value, dict):
            raise entry.wrong("it is no object, but a row is one")
    return found


def numbered_rows(path: Path) -> list[NumberedRow]:
    """All rows of a file, including unreadable ones; UsageError if it is unreadable or empty."""
    values = list(_values(path, _text(path)))
    if not values:
        raise UsageError(f"{path} has no rows")
    return [NumberedRow(path, number, value) for number, value in enumerate(values, 1)]


def usable_rows(
    paths: Iterable[Path],
    entries: Callable[[Path], Sequence[NumberedRow]],
    made: Callable[[NumberedRow], Row],
    name: Callable[[Row], str],
) -> LoadedRows[Row]:
    """The rows of some files; broken rows and those with an earlier row's name are left out.

    UsageError for a file that cannot be read, or has no usable row.
    """
    rows: dict[str, Row] = {}
    broken: list[str] = []
    files: list[FileRows] = []
    for path in paths:
        before, faults = len(rows), []
        for entry in entries(path):
            try:
                row = made(_object(entry))
                if name(row) in rows:
                    raise entry.wrong(f"duplicate of {name(row)}")
            except UsageError as error:
                faults.append(error.message)
            else:
                rows[name(row)] = row
        if len(rows) == before:
            raise UsageError(f"no usable row: {faults[0]}" if faults else f"{path} has no rows")
        broken += faults
        files.append(FileRows(path, len(rows) - before, len(faults)))
    return LoadedRows(rows=tuple(rows.values()), broken=tuple(broken), files=tuple(files))


def _object(entry: NumberedRow) -> NumberedRow:
    """The row, if it is an object with valid texts; UsageError otherwise."""
    value = entry.value
    if isinstance(value, _NotJson):
        raise entry.wrong(value.reason)
    if not isinstance(value, dict):
        raise entry.wrong("expected an object")
    try:
        json.dumps(value, ensure_ascii=False, default=str).encode()
    except (UnicodeEncodeError, RecursionError) as error:
        words = "nested too deeply" if isinstance(error, RecursionError) else "invalid Unicode"
        raise entry.wrong(words) from error
    return entry


def valid(entry: NumberedRow, model: type[Model]) -> Model:
    """A validated row; UsageError with the missing or invalid column."""
    try:
        return model.model_validate(entry.value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise entry.wrong(f"{where}: {first['msg']}" if where else first["msg"]) from error


def distinct(named: Iterable[tuple[NumberedRow, str]]) -> None:
    """UsageError for the first row with the name of an earlier one."""
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
        raise UsageError(f"{path} is not UTF-8") from error


def _values(path: Path, text: str) -> Iterator[Any]:
    if text.lstrip().startswith("["):
        whole = _parsed(text)
        if isinstance(whole, _NotJson):
            raise UsageError(f"{path}: {whole.reason}")
        yield from whole
        return
    lines = [line for line in text.split("\n") if line.strip()]
    found = [_parsed(line) for line in lines]
    if len(lines) > 1 and isinstance(found[0], _NotJson):
        whole = _parsed(text)
        found = found if isinstance(whole, _NotJson) else [whole]
    yield from _grouped(found[0]) if len(found) == 1 else found


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        return _NotJson("it is no JSON: nested too deeply")
    except ValueError as error:
        return _NotJson(f"it is no JSON: {error}")


def _grouped(value: Any) -> Iterator[Any]:
    """The rows of an object whose values are lists of them, in order; any other value itself."""
    lists = list(value.values()) if isinstance(value, dict) else []
    is_grouped = all(isinstance(listed, list) for listed in lists)
    if is_grouped and any(isinstance(row, dict) for listed in lists for row in listed):
        for listed in lists:
            yield from listed
        return
    yield value


_ENCRYPTED = ("question", "model_response_by_step", "human_labels", "human_labels_first_error_idx")
"""The columns that are encrypted in the published file, each as base64."""

_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4}){5,}(?:[A-Za-z0-9+/]{2,3}={1,2})?")
_SHORT = re.compile(r"[A-Za-z0-9+/]{2,}={1,2}")

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


def _as_text(value: object) -> object:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


NumberAsText = BeforeValidator(_as_text)
"""For ids and names, which some files have as numbers."""


MOST_STEPS = 400
"""The most steps of a solution: each may become a piece that is read separately."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HardRow:
    """A problem with a solution in steps, indexed from 0; a true label means a right step.

    A label is None if unknown, as it is for steps after an error. `first_error` is the benchmark's
    own statement; None if it knows no wrong step. Rows with the same `group` are about one problem;
    "" is a group of its own.
    """

    name: str
    problem: str
    steps: tuple[str, ...]
    labels: tuple[bool | None, ...]
    first_error: int | None
    group: str = ""

    @property
    def first_wrong(self) -> int | None:
        """The first wrong step by the labels."""
        return self.labels.index(False) if False in self.labels else None


class _SolutionRow(BaseModel):
    unique_id: Text
    question: Text
    model_response_by_step: list[str] = Field(min_length=1)
    human_labels: list[Annotated[int, Field(ge=0, le=1)]] = Field(min_length=1)
    human_labels_first_error_idx: Annotated[int, Field(ge=-1)] | None


class _ModifiedRow(BaseModel):
    """A row of PRMBench: its steps count from 1, and its `idx` is unique only within its class."""

    idx: Text
    classification: Text
    question: str = ""
    modified_question: Text
    modified_process: list[str] = Field(min_length=1)
    error_steps: list[Annotated[int, Field(ge=1)]]


class _FirstErrorRow(BaseModel):
    """A row of Mr-Ben: the number of the first wrong step is the one printed in the step."""

    uuid: Text = Field(alias="Question_UUID")
    question: Text = Field(alias="Question")
    options: str = Field("", alias="Options")
    model: Text = Field(alias="Sampled_Model")
    lines: list[str] = Field(alias="Model_Solution_Steps", min_length=1)
    verdict: Literal["correct", "incorrect"] = Field(alias="Model_Solution_Correctness")
    first: str = Field(alias="Model_Solution_First_Error_Step")


def load_solutions(paths: Iterable[Path]) -> LoadedRows[HardRow]:
    """The solutions in files of Hard2Verify, PRMBench or Mr-Ben, as published.

    UsageError for a file that cannot be read, or has no usable row.
    """
    return usable_rows(paths, numbered_rows, _solution, lambda row: row.name)


def doubts(rows: Iterable[HardRow]) -> list[str]:
    """Sentences about rows whose first error differs between the index and the labels.

    The measures use the labels.
    """
    return [
        f"{row.name}: the first wrong step is {row.first_wrong} by its labels, "
        f"and {row.first_error} by its index"
        for row in rows
        if row.first_wrong != row.first_error
    ]


_WHOLE = ("reward_model", "model_prediction", "proof")
"""Columns of rows with one grade for a whole proof."""


def _solution(entry: NumberedRow) -> HardRow:
    """A row in any of the three forms."""
    if "modified_process" in entry.value:
        row = _modified_row(entry)
    elif "Model_Solution_Steps" in entry.value:
        row = _first_error_row(entry)
    elif any(column in entry.value for column in _WHOLE):
        raise entry.wrong("a whole proof with one grade; pf bench proofs reads it")
    else:
        row = _proof_row(entry)
    if len(row.steps) > MOST_STEPS:
        raise entry.wrong(f"it has {len(row.steps):,} steps; at most {MOST_STEPS} can be read")
    if not any(step.strip() for step in row.steps):
        raise entry.wrong("all steps are empty")
    return row


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


def _modified_row(entry: NumberedRow) -> HardRow:
    row = valid(entry, _ModifiedRow)
    steps, wrong = row.modified_process, {number - 1 for number in row.error_steps}
    last = max(wrong, default=-1) + 1
    if last > len(steps):
        raise entry.wrong(f"step {last} is labelled wrong, and there are {len(steps)} steps")
    return HardRow(
        name=f"{row.classification}-{row.idx}",
        problem=row.modified_question,
        steps=tuple(steps),
        labels=tuple(step not in wrong for step in range(len(steps))),
        first_error=min(wrong, default=None),
        group=text_digest(row.question or row.modified_question)[:12],
    )


_HEAD = re.compile(r"\s*(?:Step\s+(?P<number>\d{1,4})\b(?!\.\d)|Solution\s*:)")
"""The start of a step of Mr-Ben; any other line continues the step before it."""


def _first_error_row(entry: NumberedRow) -> HardRow:
    row = valid(entry, _FirstErrorRow)
    numbers: list[int | None] = []
    steps: list[str] = []
    for line in row.lines:
        head = _HEAD.match(line)
        if head or not steps:
            steps.append(line)
            numbers.append(int(head["number"]) if head and head["number"] else None)
        else:
            steps[-1] += f"\n{line}"
    first = _first_error(entry, row, numbers)
    known = len(steps) if first is None else first
    labels = [True if step < known else None for step in range(len(steps))]
    if first is not None:
        labels[first] = False
    return HardRow(
        name=f"{row.uuid}-{row.model}",
        problem=f"{row.question}\n\n{row.options}".strip(),
        steps=tuple(steps),
        labels=tuple(labels),
        first_error=first,
        group=row.uuid,
    )


def _first_error(
    entry: NumberedRow, row: _FirstErrorRow, numbers: Sequence[int | None]
) -> int | None:
    """The index of the step that prints the number of the first error; UsageError without one."""
    if row.verdict == "correct":
        if row.first != "N/A":
            raise entry.wrong(f"it is called correct, and its first wrong step is {row.first}")
        return None
    if not (row.first.isascii() and row.first.isdigit() and len(row.first) < 5):
        raise entry.wrong(f"it is called incorrect, and its first wrong step is {row.first}")
    if numbers.count(int(row.first)) != 1:
        raise entry.wrong(f"its first wrong step is {row.first}, and no one step has this number")
    return numbers.index(int(row.first))


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
    """A paper as it was before a correction, and its known errors by the paper's printed labels.

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
    """The rows of a file with their PDFs; UsageError with the number of the first invalid row."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder")
    found = [(entry, _paper_row(entry, folder)) for entry in load_entries(path)]
    distinct((entry, row.name) for entry, row in found)
    return [row for _, row in found]


def places(text: str) -> tuple[str, ...]:
    """The distinct locations in a list.

    "Lemmas 3.1 and 3.2" are two. Words without a label of their own belong to the one before.
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
    """A location of a list with its kind, in the singular."""
    if kind and _NUMBER.fullmatch(words):
        return f"{kind} {words}"
    return singular(words)


def _pieces(text: str) -> list[str]:
    """A text split where a separator is followed by a label, a number, or "main theorem"."""
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
    """The row's PDF, named as by arXiv or the published scripts, without slashes."""
    paper = row.arxiv_id.replace("/", "")
    names = (f"{paper}{row.version}.pdf", f"{paper}.pdf", f"arXiv-{paper}{row.version}.pdf")
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is None:
        raise entry.wrong(f"{folder} has no PDF: none of {', '.join(names)}")
    with found.open("rb") as file:
        if file.read(len(_PDF)) != _PDF:
            raise entry.wrong(f"{found} is no PDF")
    return found
