"""Rows of ArxivMathGradingBench: a paper's PDF, and where its authors found errors in it."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from pfcore.bench.runs.benchmark_rows import NumberedRow, distinct, load_entries, valid
from pfcore.domain.errors import UsageError
from pfcore.verification.lists import singular
from pfcore.verification.locations import is_labelled, printed_place

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
