"""Reads published sets of models' answers, with judgements of them by people or other models.

Files are read as their authors publish them. A row that differs from their description is left out
and named; it never stops the others.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pfcore.bench.runs.graded_proofs import FULL_MARKS, SOLUTION, table_rows
from pfcore.domain.errors import UsageError
from pfcore.domain.installation import install_command


class RecordedSet(StrEnum):
    """A published set, by the name of its folder."""

    WITHDRAWN = "withdrarxiv-check"
    PROOFS = "open-proof-corpus"
    RATED = "deepseek-math-v2"


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """Something left out: a file, the row's index from 0 (None: the whole file), and why."""

    file: str
    index: int | None
    reason: str


class RecordedReading(NamedTuple):
    """One reading of all papers: by which model, from TeX or PDF, and its number from 0."""

    model: str
    is_tex: bool
    attempt: int = 0

    @property
    def shown(self) -> str:
        """The model and what it read."""
        return f"{self.model}, {'TeX' if self.is_tex else 'PDF'}"


class ObjectionKey(NamedTuple):
    """An objection of a reading: its paper, and its number there from 0."""

    paper: str
    number: int


Judgements = Mapping[RecordedReading, Mapping[ObjectionKey, bool]]
"""One judge's verdicts on the objections of each reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawnPapers:
    """Withdrawn papers: the reasons, the places of objections, and the judges' verdicts.

    `places` has the words by which each objection names its place. `hits` says by judge whether an
    objection is the author's reason, `truths` whether it is true at all. `mathematics` are the
    papers with a mathematical subject.
    """

    comments: Mapping[str, str] = field(default_factory=dict)
    mathematics: frozenset[str] = frozenset()
    places: Mapping[RecordedReading, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    hits: Mapping[str, Judgements] = field(default_factory=dict)
    truths: Mapping[str, Judgements] = field(default_factory=dict)

    @property
    def readings(self) -> list[RecordedReading]:
        """The first reading of each model and form."""
        return [reading for reading in self.places if reading.attempt == 0]

    @property
    def papers(self) -> list[str]:
        """The papers that all first readings have."""
        listed = [self.places[reading] for reading in self.readings]
        return (
            [paper for paper in listed[0] if all(paper in one for one in listed)] if listed else []
        )


class RecordedIssue(NamedTuple):
    """An objection to a proof: its class, its quote, and the place of the quote, if found."""

    rule: str
    quote: str
    place: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedProof:
    """A proof and a model's objections; `is_right` is a person's verdict, None without one."""

    problem: str
    text: str
    issues: tuple[RecordedIssue, ...]
    is_right: bool | None = None


class RatedProof(NamedTuple):
    """A person's grade of a proof, as a share of full marks, and the mean of a verifier's."""

    competition: str
    grade: float
    mean: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswers:
    """The sets found in a folder; `solved` are attempts without a person's verdict.

    `lacking` is what to install for a file that could not be read without it.
    """

    present: tuple[RecordedSet, ...]
    withdrawn: WithdrawnPapers
    solved: tuple[JudgedProof, ...] = ()
    proofs: tuple[JudgedProof, ...] = ()
    rated: tuple[RatedProof, ...] = ()
    broken: tuple[BrokenRow, ...] = ()
    lacking: tuple[str, ...] = ()


def read_answers(folder: Path) -> RecordedAnswers:
    """All sets in a folder; UsageError if it has none."""
    present = tuple(item for item in RecordedSet if (folder / item).is_dir())
    if not present:
        names = ", ".join(RecordedSet)
        raise UsageError(
            f"{folder} has none of the folders {names}: name the folder that holds them"
        )
    files = _RecordedFiles(folder)
    lacking: list[str] = []
    proofs: tuple[JudgedProof, ...] = ()
    try:
        proofs = tuple(_judged_proofs(files))
    except ImportError:
        lacking.append(f"{_PARQUET} needs pyarrow: {install_command('bench')}")
    return RecordedAnswers(
        present=present,
        withdrawn=_withdrawn_papers(files),
        solved=tuple(_solved_proofs(files)),
        proofs=proofs,
        rated=tuple(_rated_proofs(files)),
        broken=tuple(files.broken),
        lacking=tuple(lacking),
    )


Row = TypeVar("Row", bound="_PublishedRow")
Content = TypeVar("Content")


class _PublishedRow(BaseModel):
    """The columns of a row that we need; a value of another type is refused, not converted."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore")


class _RecordedFiles:
    """The files below a folder, by their names there; `broken` collects what cannot be used."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.broken: list[BrokenRow] = []

    def named(self, pattern: str) -> list[str]:
        """The names of files that match, in order."""
        found = (path for path in self._folder.glob(pattern) if path.is_file())
        return sorted(path.relative_to(self._folder).as_posix() for path in found)

    def leave_out(self, name: str, index: int | None, reason: str) -> None:
        """Note something that is not counted."""
        self.broken.append(BrokenRow(name, index, reason))

    def content(self, name: str, read: Callable[[Path], Content]) -> Content | None:
        """What `read` returns for a file; None if it is unreadable."""
        try:
            return read(self._folder / name)
        except (OSError, ValueError, RecursionError, csv.Error) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "invalid"
            self.leave_out(name, None, f"unreadable file ({reason})")
            return None

    def array(self, name: str) -> list[Any]:
        """The entries of a JSON array."""
        found = self.content(name, lambda path: json.loads(path.read_text(encoding="utf-8")))
        if isinstance(found, list):
            return found
        if found is not None:
            self.leave_out(name, None, "not a JSON array")
        return []

    def row(self, name: str, index: int, kind: type[Row], value: Any) -> Row | None:
        """A row as its authors describe it; None if it is different."""
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            self.leave_out(name, index, f"{where}: {first['msg']}" if where else first["msg"])
            return None

    def rows(self, name: str, kind: type[Row]) -> Iterator[tuple[int, Row]]:
        """The valid rows of a JSON array, with their indices."""
        for index, value in enumerate(self.array(name)):
            row = self.row(name, index, kind, value)
            if row is not None:
                yield index, row


class _PublishedProblem(_PublishedRow):
    location: str = Field(alias="Location")


class _CheckerRow(_PublishedRow):
    paper: str = Field(alias="retraction_id")
    model: str = Field(alias="checker_model")
    attempt: int = Field(alias="attempt_id")
    problems: list[_PublishedProblem]


class _JudgeRow(_PublishedRow):
    paper: str = Field(alias="retraction_id")
    model: str = Field(alias="checker_model")
    attempt: int = Field(alias="attempt_id")
    number: int | None = Field(alias="problem_id")
    judge: str = Field(alias="judge_model")


class _HitRow(_JudgeRow):
    says: bool = Field(alias="hit")


class _TruthRow(_JudgeRow):
    says: bool = Field(alias="true_positive")


_TABLE = f"{RecordedSet.WITHDRAWN}/Dataset/WithdrarXiv-Check_test.csv"
_ANSWERS = f"{RecordedSet.WITHDRAWN}/LLM_outputs"


def _withdrawn_papers(files: _RecordedFiles) -> WithdrawnPapers:
    places: dict[RecordedReading, dict[str, tuple[str, ...]]] = {}
    for name in files.named(f"{_ANSWERS}/checker_problems/checker_problems_*.json"):
        for index, row in files.rows(name, _CheckerRow):
            papers = places.setdefault(_reading(name, row), {})
            if row.paper in papers:
                files.leave_out(name, index, "this reading has the paper already")
            else:
                papers[row.paper] = tuple(item.location for item in row.problems)
    comments, mathematics = _comments(files)
    return WithdrawnPapers(
        comments=comments,
        mathematics=mathematics,
        places=places,
        hits=_judgements(files, "eval_hit", _HitRow, places),
        truths=_judgements(files, "eval_tp", _TruthRow, places),
    )


def _reading(name: str, row: _CheckerRow | _JudgeRow) -> RecordedReading:
    return RecordedReading(row.model, "_tex" in Path(name).stem, row.attempt)


def _judgements(
    files: _RecordedFiles,
    folder: str,
    kind: type[_HitRow] | type[_TruthRow],
    places: Mapping[RecordedReading, Mapping[str, tuple[str, ...]]],
) -> dict[str, dict[RecordedReading, dict[ObjectionKey, bool]]]:
    """Each judge's verdicts; a row without the number of an objection judges none."""
    found: dict[str, dict[RecordedReading, dict[ObjectionKey, bool]]] = {}
    for name in files.named(f"{_ANSWERS}/{folder}/{folder}_*.json"):
        for index, row in files.rows(name, kind):
            if row.number is None:
                continue
            reading = _reading(name, row)
            said = found.setdefault(row.judge, {}).setdefault(reading, {})
            key = ObjectionKey(row.paper, row.number)
            if not 0 <= row.number < len(places.get(reading, {}).get(row.paper, ())):
                files.leave_out(name, index, "judges an objection that no reading has")
            elif key in said:
                files.leave_out(name, index, "judges an objection again")
            else:
                said[key] = row.says
    return found


def _comments(files: _RecordedFiles) -> tuple[dict[str, str], frozenset[str]]:
    """Why each paper was withdrawn, in its author's words; and which papers are mathematical."""
    if not files.named(_TABLE):
        return {}, frozenset()

    def table(path: Path) -> list[dict[str, Any]]:
        text = path.read_text(encoding="utf-8-sig")
        return list(csv.DictReader(io.StringIO(text, newline="")))

    found: dict[str, str] = {}
    mathematics: set[str] = set()
    for index, row in enumerate(files.content(_TABLE, table) or []):
        paper, comment = row.get("retraction_id"), row.get("retraction_comment")
        if not paper or comment is None:
            files.leave_out(_TABLE, index, "no retraction_id, or no retraction_comment")
        elif paper in found:
            files.leave_out(_TABLE, index, "this paper is there already")
        else:
            found[paper] = comment
            if "(math." in (row.get("subjects") or ""):
                mathematics.add(paper)
    return found, frozenset(mathematics)


class _PublishedIssue(_PublishedRow):
    category: str | None = None
    text: str | None = None
    start: int | None = Field(None, alias="start_index")
    end: int | None = Field(None, alias="end_index")


class _PublishedIssues(_PublishedRow):
    issues: list[_PublishedIssue] | None = None


class _ModelJudgement(_PublishedRow):
    result: _PublishedIssues | None = None


class _SolvedAttempt(_PublishedRow):
    solution: str
    judgement: _ModelJudgement | None = Field(None, alias="llm_judgment")


class _SolvedProblem(_PublishedRow):
    problem: str = Field(alias="problem_id")
    attempts: list[Any]


class _PublishedPrompt(_PublishedRow):
    content: str


class _PersonsVerdict(_PublishedRow):
    truth: str = Field(alias="ground_truth", pattern="^(correct|incorrect)$")


class _ProofRow(_PublishedRow):
    problem: str = Field(alias="problem_id")
    prompt: list[_PublishedPrompt] = Field(min_length=1)
    verdict: _PersonsVerdict = Field(alias="reward_model")
    judgement: _ModelJudgement | None = Field(None, alias="llm_judgment")


_SOLVED = f"{RecordedSet.PROOFS}/data/solved/proof_verification/*/*.json"
_PARQUET = f"{RecordedSet.PROOFS}/data/train/discrete/long/test.parquet"


def _solved_proofs(files: _RecordedFiles) -> Iterator[JudgedProof]:
    """Attempts that a model has judged, in the order of their files."""
    for name in files.named(_SOLVED):
        content = files.content(name, lambda path: json.loads(path.read_text(encoding="utf-8")))
        problem = files.row(name, 0, _SolvedProblem, content) if content is not None else None
        for index, value in enumerate(problem.attempts if problem else ()):
            row = files.row(name, index, _SolvedAttempt, value)
            issues = _issues(row.judgement) if row else None
            if problem and row and issues is not None:
                yield JudgedProof(problem=problem.problem, text=row.solution, issues=issues)


def _judged_proofs(files: _RecordedFiles) -> Iterator[JudgedProof]:
    """Proofs that a person has graded and a model has judged; ImportError without pyarrow."""
    if not files.named(_PARQUET):
        return
    for index, value in enumerate(files.content(_PARQUET, table_rows) or []):
        row = files.row(_PARQUET, index, _ProofRow, value)
        issues = _issues(row.judgement) if row else None
        if row is None or issues is None:
            continue
        _, _, text = row.prompt[0].content.partition(SOLUTION)
        if not text.strip():
            files.leave_out(_PARQUET, index, f"its prompt has no proof after {SOLUTION.strip()!r}")
            continue
        yield JudgedProof(
            problem=row.problem,
            text=text,
            issues=issues,
            is_right=row.verdict.truth == "correct",
        )


def _issues(judgement: _ModelJudgement | None) -> tuple[RecordedIssue, ...] | None:
    """A model's objections; None if it has not judged."""
    if judgement is None or judgement.result is None:
        return None
    return tuple(
        RecordedIssue(
            issue.category or "",
            issue.text or "",
            (issue.start, issue.end) if issue.start is not None and issue.end is not None else None,
        )
        for issue in judgement.result.issues or ()
    )


class _RatedPrediction(_PublishedRow):
    human_rating: float = Field(ge=0)
    average_automatic_rating: float = Field(ge=0, le=1)


class _RatedRow(_PublishedRow):
    prediction: _RatedPrediction = Field(alias="model_prediction")


def _rated_proofs(files: _RecordedFiles) -> Iterator[RatedProof]:
    for name in files.named(f"{RecordedSet.RATED}/outputs/*.jsonl"):
        stem = Path(name).stem
        full = next((marks for begin, marks in FULL_MARKS.items() if stem.startswith(begin)), None)
        if full is None:
            files.leave_out(name, None, "the full marks of this competition are not known")
            continue
        lines = files.content(name, lambda path: path.read_text(encoding="utf-8").split("\n")) or []
        for index, line in enumerate(lines):
            rated = _rated(files, name, index, line) if line.strip() else None
            if rated is None:
                continue
            if rated.human_rating > full:
                files.leave_out(name, index, f"a grade above full marks, {full}")
                continue
            grade = rated.human_rating / full
            yield RatedProof(stem, grade, rated.average_automatic_rating)


def _rated(files: _RecordedFiles, name: str, index: int, line: str) -> _RatedPrediction | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        files.leave_out(name, index, "not JSON")
        return None
    row = files.row(name, index, _RatedRow, value)
    return row.prediction if row else None
