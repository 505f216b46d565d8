"""Runs arxiv-latex-cleaner, on texts whose names it never sees.

It would drop sources that it does not find named, and takes names for regular expressions; so each
source is a file with a number for its name in a folder of ours, where it drops none. It takes every
percent sign for a comment's but `\\%`, also one of verbatim text, and after a line break none; so
the former are hidden from it, and the latter's comments are emptied before.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from pfcore.domain.errors import IncompleteError, UsageError
from pfcore.domain.installation import install_command
from pfcore.latex.lexer.mask import mask

_NAME = "arxiv_latex_cleaner"
_SECONDS = 300
_PERCENT = re.compile(r"(?<!\\)%")
_PRIVATE = range(0xE000, 0xF8FF)
"""Characters that no text has but by private agreement."""


def require_cleaner() -> None:
    """UsageError where it is not installed."""
    if find_spec(_NAME) is None:
        raise UsageError(f"an upload needs arxiv-latex-cleaner: {install_command('arxiv')}")


def cleaned(texts: Mapping[str, bytes], *, seconds: float = _SECONDS) -> dict[str, bytes]:
    """The sources without comments and hidden parts, by the same paths; IncompleteError if not."""
    decoded = {path: _decoded(path, data) for path, data in texts.items()}
    letters = set().union(*decoded.values())
    sign = next(chr(code) for code in _PRIVATE if chr(code) not in letters)
    found = _through([_hidden(text, sign).encode() for text in decoded.values()], seconds)
    shown = (data.replace(sign.encode(), b"%") for data in found)
    return dict(zip(texts, shown, strict=True))


def _decoded(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8, which the cleaner needs: convert it"
        raise IncompleteError(message) from error


def _hidden(text: str, sign: str) -> str:
    """A source with a sign in place of each percent sign that begins no comment."""
    masked = mask(text)
    letters = list(text)
    for match in _PERCENT.finditer(masked.printed):
        letters[match.start()] = sign
    for comment in masked.comments:
        if text[comment.start - 1 : comment.start] == "\\":
            end = comment.start + len(comment.text)
            letters[comment.start + 1 : end] = [""] * (end - comment.start - 1)
    return "".join(letters)


def _through(sources: Sequence[bytes], seconds: float) -> list[bytes]:
    """The sources as the cleaner leaves them."""
    with tempfile.TemporaryDirectory(prefix="pf-") as top:
        folder = Path(top, "paper")
        folder.mkdir()
        for number, data in enumerate(sources):
            (folder / f"{number}.tex").write_bytes(data)
        _run(folder, seconds)
        made = Path(top, "paper_arXiv")
        try:
            return [(made / f"{number}.tex").read_bytes() for number in range(len(sources))]
        except OSError as error:
            raise IncompleteError(f"{_NAME} lost a source: {error.strerror}") from error


def _run(folder: Path, seconds: float) -> None:
    command = [sys.executable, "-I", "-m", _NAME, str(folder)]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, timeout=seconds, env=environment
        )
    except subprocess.TimeoutExpired as error:
        raise IncompleteError(f"{_NAME} did not finish within {seconds:g} seconds") from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise IncompleteError(f"{_NAME} failed: {lines[-1] if lines else done.returncode}")
