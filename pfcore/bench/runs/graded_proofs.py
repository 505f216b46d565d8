"""Proofs with one grade for the whole: as published by others, or as lines of our own.

Supported are the table of the Open Proof Corpus, where the proof follows the problem in a prompt;
the lines of DeepSeek-Math-V2, whose full marks follow from the competition; and our own lines, with
`id`, `problem`, `proof` and `right`, or `grade` and `full`, and a `group` if there is one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from pfcore.bench.runs.benchmark_rows import (
    LoadedRows,
    NumberAsText,
    NumberedRow,
    Text,
    numbered_rows,
    usable_rows,
    valid,
)
from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command

PROBLEM, SOLUTION = "### Problem Statement:\n", "### Model Solution:\n"
"""What precedes the problem and the proof in a prompt of the Open Proof Corpus."""

FULL_MARKS: Mapping[str, int] = MappingProxyType({"CMO": 21, "IMO": 7, "PB": 7, "Putnam": 10})
"""Full marks of a proof, by the start of the name of its competition."""

LONGEST = 200_000
"""The most characters of a problem with its proof: a longer one is not a proof of one problem."""

_PARQUET = b"PAR1"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedProof:
    """A problem, a proof of it, and whether the proof has full marks; `group` names the problem."""

    name: str
    problem: str
    proof: str
    is_right: bool
    group: str = ""


def load_graded_proofs(paths: Iterable[Path]) -> LoadedRows[GradedProof]:
    """The proofs of some files; UsageError for one that cannot be read or has no usable row."""
    return usable_rows(paths, _entries, _graded, lambda row: row.name)


def table_rows(path: Path) -> list[Any]:
    """The rows of a Parquet file as objects; ImportError without pyarrow, ValueError if invalid.

    OSError if the file cannot be read.
    """
    from pyarrow import ArrowException, parquet

    try:
        found: list[Any] = parquet.read_table(path).to_pylist()
    except ArrowException as error:
        raise ValueError("not a Parquet file") from error
    return found


def _entries(path: Path) -> list[NumberedRow]:
    try:
        with path.open("rb") as file:
            is_table = file.read(len(_PARQUET)) == _PARQUET
        listed = table_rows(path) if is_table else None
    except ImportError as error:
        raise UsageError(f"{path} needs pyarrow: {install_command('bench')}") from error
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror or 'invalid file'}") from error
    except ValueError as error:
        raise UsageError(f"cannot read {path}: {error}") from error
    if listed is None:
        return numbered_rows(path)
    return [NumberedRow(path, number, value) for number, value in enumerate(listed, 1)]


class _GradedRow(BaseModel):
    """The columns of a row that we need; a value of another type is refused, not converted."""

    model_config = ConfigDict(strict=True, extra="ignore")


class _CorpusPrompt(_GradedRow):
    content: str


class _CorpusGrade(_GradedRow):
    ground_truth: Literal["correct", "incorrect"]


class _CorpusRow(_GradedRow):
    problem_id: Text
    model_id: Text
    prompt: list[_CorpusPrompt] = Field(min_length=1)
    reward_model: _CorpusGrade


class _RatingPrediction(_GradedRow):
    proof: Text
    human_rating: Annotated[float, Field(ge=0)]


class _RatingRow(_GradedRow):
    question: Text
    problem_idx: Text
    model_prediction: _RatingPrediction


class _OwnRow(_GradedRow):
    id: Annotated[Text, NumberAsText]
    problem: Text
    proof: Text
    right: bool | None = None
    grade: Annotated[float, Field(ge=0)] | None = None
    full: Annotated[float, Field(gt=0)] | None = None
    group: Annotated[str, NumberAsText] = ""


def _graded(entry: NumberedRow) -> GradedProof:
    """A row in any of the three forms."""
    if "reward_model" in entry.value:
        row = _of_corpus(entry)
    elif "model_prediction" in entry.value:
        row = _of_rating(entry)
    elif {"modified_process", "Model_Solution_Steps", "human_labels"} & entry.value.keys():
        raise entry.wrong("a solution with labelled steps; pf bench hard2verify reads it")
    else:
        row = _own(entry)
    size = len(row.problem) + len(row.proof)
    if size > LONGEST:
        raise entry.wrong(f"it has {size:,} characters; at most {LONGEST:,} can be read")
    return row


def _of_corpus(entry: NumberedRow) -> GradedProof:
    row = valid(entry, _CorpusRow)
    _, _, asked = row.prompt[0].content.partition(PROBLEM)
    problem, _, proof = asked.partition(SOLUTION)
    if not problem.strip() or not proof.strip():
        missing = SOLUTION if problem.strip() else PROBLEM
        raise entry.wrong(f"its prompt has no text after {missing.strip()!r}")
    return GradedProof(
        name=f"{row.problem_id}-{row.model_id}",
        problem=problem.strip(),
        proof=proof.strip(),
        is_right=row.reward_model.ground_truth == "correct",
        group=row.problem_id,
    )


def _of_rating(entry: NumberedRow) -> GradedProof:
    row = valid(entry, _RatingRow)
    grade, name = row.model_prediction.human_rating, row.problem_idx
    full = next((most for begin, most in FULL_MARKS.items() if name.startswith(begin)), None)
    if full is None:
        raise entry.wrong(f"unknown full marks: {name} is not one of {', '.join(FULL_MARKS)}")
    return GradedProof(
        name=name,
        problem=row.question,
        proof=row.model_prediction.proof,
        is_right=_is_full(entry, grade, full),
        group=name,
    )


def _own(entry: NumberedRow) -> GradedProof:
    row = valid(entry, _OwnRow)
    has_grade = row.grade is not None and row.full is not None
    if (row.right is None) != has_grade or (row.grade is None) != (row.full is None):
        raise entry.wrong("expected right, or grade with full")
    if row.grade is not None and row.full is not None:
        is_right = _is_full(entry, row.grade, row.full)
    else:
        is_right = bool(row.right)
    return GradedProof(
        name=row.id, problem=row.problem, proof=row.proof, is_right=is_right, group=row.group
    )


def _is_full(entry: NumberedRow, grade: float, full: float) -> bool:
    """Whether a grade is full marks; UsageError for one above them."""
    if grade > full:
        raise entry.wrong(f"grade {grade:g} is above full marks, {full:g}")
    return grade == full
