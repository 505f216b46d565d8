"""Adds lines to the ledgers on the default branch, as commits of their own."""

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.paper_settings import LEDGER_NAME
from pfcore.ledger.ledger import merged
from pfcore.ledger.lock_lines import ledger_text, read_ledger

_MESSAGE = "Record what pf-verify has read"
_ATTEMPTS = 4


class BranchFile(NamedTuple):
    """A file of a branch, and the id of its content; both empty where there is none."""

    text: str
    blob: str


class BranchFiles(Protocol):
    """The files of a branch, through GitHub."""

    def held(self, path: str, branch: str) -> BranchFile:
        """The file as it is now."""

    def put(self, path: str, branch: str, new: BranchFile, message: str) -> bool:
        """Commit a text in place of the content `new.blob`; False if another came first."""


def record(lines: Mapping[str, str], branch: str, shelf: BranchFiles) -> str:
    """Unite lines with the ledgers of a branch; a sentence about it."""
    written = [path for path, text in lines.items() if _record(path, text, branch, shelf)]
    return f"committed {', '.join(written)}" if written else "the ledger has it all"


def _record(path: str, text: str, branch: str, shelf: BranchFiles) -> bool:
    if path.rpartition("/")[2] != LEDGER_NAME or ".." in path.split("/") or path[0] == "/":
        raise UsageError("only a ledger is written")
    more = read_ledger(text)
    if more.problems:
        raise UsageError("these are no lines of a ledger")
    for _ in range(_ATTEMPTS):
        held = shelf.held(path, branch)
        new = ledger_text(merged(read_ledger(held.text).ledger, more.ledger))
        if new == held.text:
            return False
        if shelf.put(path, branch, BranchFile(new, held.blob), _MESSAGE):
            return True
    raise IncompleteError(f"{path} changes all the time; the next run adds what is missing")
