"""A PDF that is to be read: its bytes, if it is one, and the settings that hold where it lies."""

from pathlib import Path

from pfcore.domain.errors import ConfigError, UsageError
from pfcore.domain.paper_settings import FILE_NAME, PaperSettings, parse_paper_settings
from pfcore.repository.git import find_repository

LIMIT = 32_000_000
"""Bytes of a PDF at most: interfaces that take PDFs refuse requests that are much larger."""

_HEAD = 1024
"""Bytes in which the header may begin (ISO 32000-1, annex H, note 13)."""


def load_pdf(path: Path) -> bytes:
    """The bytes of a PDF; UsageError for what is none, or cannot be sent."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not a PDF: to review what it holds, go there")
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    try:
        size = path.stat().st_size
        content = path.read_bytes() if size <= LIMIT else b""
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if size > LIMIT:
        message = f"{path} has {size / 1e6:,.0f} MB; at most {LIMIT / 1e6:,.0f} MB can be sent"
        raise UsageError(message)
    if not content:
        raise UsageError(f"{path} is empty")
    if b"%PDF-" not in content[:_HEAD]:
        raise UsageError(f"{path} is no PDF: it does not begin like one")
    return content


def settings(path: Path) -> PaperSettings:
    """The nearest pf.toml, from the PDF's folder up to the top of its repository, if it has one."""
    folder = path.resolve().parent
    repository = find_repository(folder)
    top = repository.root if repository and repository.root else folder
    above = [folder, *folder.parents]
    for place in above[: above.index(top) + 1] if top in above else [folder]:
        found = place / FILE_NAME
        if found.is_file():
            return parse_paper_settings(_text(found), path=str(found))
    return PaperSettings.default()


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"it cannot be read: {error}", path=str(path)) from error
