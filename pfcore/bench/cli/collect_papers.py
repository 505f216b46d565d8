"""`pf bench collect-arxiv`: papers with known errors, from what authors say of new versions."""

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pfcore.bench.cli.bench_comments import Classes, CommentClassifier
from pfcore.bench.runs.archive import Archive, Arxiv
from pfcore.bench.runs.collected_papers import (
    PDFS,
    CollectedRow,
    CollectionFolder,
    candidate_entries,
    days,
)
from pfcore.bench.runs.comments import Classified, Correction
from pfcore.bench.runs.filters import ArxivEntry, is_permissive
from pfcore.cli.environment import chosen
from pfcore.cli.local_data import open_replies
from pfcore.cli.outputs import require_writable
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.reporters.printing import plural, safe
from pfcore.reporters.style import Style
from pfcore.verification.verify import Unread

_AGAIN = "what was collected is kept: run it again"
_BY_HAND = (
    "Read the rows before they are used: a comment may be misread, and what is no error of the "
    "version before is to be struck out by hand, as the paper's authors did."
)


def collect(
    arguments: argparse.Namespace,
    style: Style,
    echo: Callable[[str], None],
    archive: Archive | None = None,
) -> int:
    """Three stages, each of which goes on from where it ended; 3 where something is lacking."""
    if arguments.last < arguments.first:
        raise UsageError("the last day is before the first")
    require_writable(arguments.out)
    choice = chosen(arguments)
    asked = archive or Arxiv()
    kept = CollectionFolder(arguments.out)
    found = _candidates(arguments, kept, asked)
    echo(style.finish(_stage_one(found)))
    if choice is None:
        echo(style.finish(["No model was asked what was corrected: name one with --model."]))
        return 0
    listed = [entry for _, entry in found.candidates]
    with open_replies() as store:
        classes = CommentClassifier(arguments, choice, style, store).classes(listed)
    echo(style.finish(_stage_two(listed, classes)))
    rows, refused = _rows(listed, classes, kept, asked)
    path = kept.rows(rows)
    echo(style.finish([*_stage_three(rows, refused), f"Written: {path}", _BY_HAND]))
    return 3 if any(isinstance(item, Unread) for item in classes.values()) else 0


@dataclass(frozen=True, kw_only=True)
class _ArxivCounts:
    """How many papers arXiv names, and which may have been corrected, with their days."""

    seen: int = 0
    candidates: Sequence[tuple[str, ArxivEntry]] = field(default_factory=list)


def _candidates(
    arguments: argparse.Namespace, kept: CollectionFolder, archive: Archive
) -> _ArxivCounts:
    seen, found = 0, []
    for day in days(arguments.first, arguments.last):
        try:
            known = kept.day(day, archive)
        except IncompleteError as error:
            raise IncompleteError(f"{error.message}; {_AGAIN}") from error
        seen += known.seen
        found += [(str(day), entry) for entry in candidate_entries(known)]
        sys.stderr.write(f"{day}: {len(known.candidates):,} of {plural(known.seen, 'paper')}\n")
    return _ArxivCounts(seen=seen, candidates=found)


def _stage_one(found: _ArxivCounts) -> Iterator[str]:
    yield (
        f"{plural(len(found.candidates), 'paper')} of {found.seen:,} with a comment that speaks of "
        "a correction and of a result."
    )


def _stage_two(listed: Sequence[ArxivEntry], classes: Classes) -> Iterator[str]:
    counts = Counter(
        "not read" if isinstance(item, Unread) else item.correction.value
        for item in classes.values()
    )
    words = ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))
    yield f"Corrections: {words or 'none'}."
    for entry in listed:
        found = classes[entry.id]
        if isinstance(found, Unread):
            yield f"  not read: {entry.id} ({safe(found.reason)})"


def _stage_three(
    rows: Sequence[CollectedRow], refused: Mapping[str, Sequence[str]]
) -> Iterator[str]:
    yield f"{plural(len(rows), 'row')}, with PDFs of the versions before in {PDFS}/."
    for reason, names in refused.items():
        yield f"  left out, {reason}: {', '.join(names)}"


def _rows(
    listed: Sequence[ArxivEntry], classes: Classes, kept: CollectionFolder, archive: Archive
) -> tuple[list[CollectedRow], dict[str, list[str]]]:
    """The papers with a correction of a named result, under a licence, with a PDF."""
    rows: list[CollectedRow] = []
    refused: dict[str, list[str]] = {}
    for entry in listed:
        found = classes[entry.id]
        if isinstance(found, Unread) or found.correction is Correction.NONE:
            continue
        try:
            reason, row = _row(entry, found, kept, archive)
        except IncompleteError as error:
            raise IncompleteError(f"{error.message}; {_AGAIN}") from error
        if reason:
            refused.setdefault(reason, []).append(entry.id)
        else:
            rows.append(row)
    return rows, refused


def _row(
    entry: ArxivEntry, found: Classified, kept: CollectionFolder, archive: Archive
) -> tuple[str, CollectedRow]:
    """A row, and why it is none; nothing is fetched that will not be used."""
    row = CollectedRow(entry=entry, found=found, licence="")
    if not found.places:
        return "no result is named", row
    row = CollectedRow(entry=entry, found=found, licence=kept.licence(entry.id, archive))
    if not is_permissive(row.licence):
        return "no permissive licence", row
    return ("no PDF", row) if kept.pdf(entry, archive) else ("", row)
