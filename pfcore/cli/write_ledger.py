"""Adds verdicts and answers to `pf.lock`; nothing in it is lost."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pfcore.cli.environment import replace
from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.ledger.ledger import Dismissal, Fields, Ledger, LedgerEntry, ledger, merged
from pfcore.ledger.lock_lines import ledger_text, read_ledger
from pfcore.ledger.measurement import MeasuredContract
from pfcore.repository.git import find_repository
from pfcore.repository.source_files import decode
from pfcore.review.review import PaperReport, Report


def update_lock(report: Report, path: Path) -> list[str]:
    """Add what the review knows of each module to the ledgers; returns the written paths."""
    return add(said(report), path)


def said(report: Report) -> dict[str, Ledger]:
    """What the review knows of each module, by the path of its ledger."""
    found: dict[str, Ledger] = {}
    for paper in report.papers:
        place = _place(paper)
        found[place] = merged(found.get(place, Ledger()), _said(paper))
    return found


def keep(
    paper: PaperReport,
    found: Iterable[MeasuredContract],
    contracts: Mapping[str, Fields],
    path: Path,
) -> list[str]:
    """Add measurements of contracts to a paper's ledger; returns the written path."""
    return add({_place(paper): ledger(measured=found, contracts=contracts)}, path)


def dismiss(paper: PaperReport, items: Iterable[Dismissal], path: Path) -> list[str]:
    """Add answers to a paper's ledger; returns the written path."""
    return add({_place(paper): ledger(dismissals=items)}, path)


def add(additions: Mapping[str, Ledger], path: Path) -> list[str]:
    """Merge ledgers into those of the working tree; paths are relative to its top."""
    root = _root(path)
    written = []
    for name, more in additions.items():
        place = root / name
        if place.is_symlink():
            raise UsageError(f"{name} is a symbolic link; left unchanged")
        old = _text(place)
        new = ledger_text(merged(read_ledger(old).ledger, more))
        if new != old:
            _replace(place, new)
            written.append(name)
    return written


def _said(paper: PaperReport) -> Ledger:
    sheet = paper.sheet
    if sheet is None:
        return Ledger()
    entries = [found for found in sheet.readings.values() if isinstance(found, LedgerEntry)]
    ours = map(sheet.knowledge.contract_of, entries)
    contracts: dict[str, Fields] = {item.digest(): item.fields() for item in ours if item}
    if entries and (asking := sheet.knowledge.asking):
        contracts[asking.contract.digest()] = asking.contract.fields()
    return ledger(entries=entries, contracts=contracts)


def _place(paper: PaperReport) -> str:
    return paper.state.paper.settings.ledger


def _root(path: Path) -> Path:
    repository = find_repository(path)
    if repository is None or repository.root is None:
        return path if path.is_dir() else path.parent
    return repository.root


def _text(place: Path) -> str:
    try:
        data = place.read_bytes()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise IncompleteError(f"{place.name} cannot be read: {error.strerror}") from error
    encoding = decode(data).encoding
    if encoding in ("utf-16", "utf-32"):  # UTF-8 lines appended to it would be garbage
        message = f"{place.name} is in {encoding.upper()}; save it as UTF-8. Nothing was written"
        raise UsageError(message)
    return data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _replace(place: Path, text: str) -> None:
    """Write all or nothing: a ledger written by half would lose its content."""
    try:
        replace(place, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise IncompleteError(f"{place.name} cannot be written: {error.strerror}") from error
