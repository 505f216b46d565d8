"""What has been collected, in a folder: days, licences, PDFs, and the rows that come of them."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pfcore.bench.runs.archive import Archive, ArxivGoneError
from pfcore.bench.runs.comments import Classified
from pfcore.bench.runs.filters import ArxivEntry, is_candidate
from pfcore.domain.errors import IncompleteError

ROWS, PDFS = "rows.jsonl", "pdfs"
_DAYS, _LICENCES, _GONE = "days", "licences", "gone"


class _ClassifiedComment(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _CollectedPaper(_ClassifiedComment):
    id: str
    version: Annotated[int, Field(ge=2)]
    title: str
    category: str
    published: date
    abstract: str
    comment: str


class Day(_ClassifiedComment):
    """One day: how many papers arXiv names, and those of them that may have been corrected."""

    seen: int
    candidates: tuple[_CollectedPaper, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedRow:
    """A paper of the data set to be; `licence` is an address."""

    entry: ArxivEntry
    found: Classified
    licence: str


class CollectionFolder:
    """The folder; everything in it is written whole or not at all, and asked for once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def day(self, day: date, archive: Archive) -> Day:
        """A day's candidates, from the folder or from arXiv."""
        path = self.folder / _DAYS / f"{day}.json"
        known = _read(path)
        if known is None:
            listed = list(archive.submitted(day))
            papers = (_paper(entry) for entry in listed if is_candidate(entry))
            known = Day(seen=len(listed), candidates=tuple(papers))
            _write(path, known.model_dump_json(indent=1).encode())
        return known

    def licence(self, paper: str, archive: Archive) -> str:
        """A paper's licence, from the folder or from arXiv; "" where none is told."""
        return self._text(_LICENCES, paper, lambda: archive.licence(paper))

    def pdf(self, entry: ArxivEntry, archive: Archive) -> str:
        """Have the PDF of the version before the correction; "" or why there is none."""
        path = self.folder / PDFS / f"{_name(entry.id)}{entry.before}.pdf"
        if path.is_file():
            return ""
        marked = self.folder / _GONE / _name(entry.id)
        if marked.is_file():
            return marked.read_text("utf-8")
        try:
            _write(path, archive.pdf(entry.id, entry.before))
        except ArxivGoneError as error:
            _write(marked, error.message.encode())
            return error.message
        return ""

    def rows(self, listed: Iterable[CollectedRow]) -> Path:
        """Write the data file, in the columns of ArxivMathGradingBench and some of our own."""
        path = self.folder / ROWS
        _write(path, "".join(_line(row) for row in listed).encode())
        return path

    def _text(self, kind: str, paper: str, ask: Callable[[], str]) -> str:
        path = self.folder / kind / _name(paper)
        if not path.is_file():
            _write(path, ask().encode())
        return path.read_text("utf-8")


def candidate_entries(found: Day) -> Iterator[ArxivEntry]:
    """The candidates of a day."""
    for paper in found.candidates:
        yield ArxivEntry(**paper.model_dump())


def days(first: date, last: date) -> Sequence[date]:
    """The days from one to another, both of them included."""
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def _paper(entry: ArxivEntry) -> _CollectedPaper:
    return _CollectedPaper(
        id=entry.id,
        version=entry.version,
        title=entry.title,
        category=entry.category,
        published=entry.published,
        abstract=entry.abstract,
        comment=entry.comment,
    )


def _line(row: CollectedRow) -> str:
    entry = row.entry
    columns = {
        "arxiv_id": entry.id,
        "version": entry.before,
        "url": f"https://arxiv.org/abs/{entry.id}{entry.before}",
        "Location of Error": ", ".join(row.found.places),
        "title_extracted_from_tex": entry.title,
        "comment": entry.comment,
        "correction": row.found.correction.value,
        "category": entry.category,
        "licence": row.licence,
    }
    return json.dumps(columns, ensure_ascii=False) + "\n"


def _name(paper: str) -> str:
    return paper.replace("/", "")


def _read(path: Path) -> Day | None:
    """A day from its file; None where it is not there, or cannot be read."""
    try:
        return Day.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _write(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(data)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise IncompleteError(f"{path} cannot be written: {error.strerror}") from error
