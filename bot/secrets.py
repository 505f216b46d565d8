"""Files that hold secrets: only their owner may read them."""

import os
import stat
from pathlib import Path

from pfcore.domain.errors import ConfigError

_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LARGEST = 1 << 20
_PEM = "-----BEGIN "


def private_text(path: Path) -> str:
    """A file's text; ConfigError where others may read it too, or where it is no text file.

    The file that is judged is the one that is read, whatever happens to its name meanwhile.
    """
    try:
        with path.open("rb") as file:
            _require_private(os.fstat(file.fileno()), path)
            return file.read(_LARGEST).decode("utf-8")
    except OSError as error:
        reason = error.strerror or "it cannot be opened"
        raise ConfigError(f"this cannot be read ({reason})", path=str(path)) from error
    except UnicodeDecodeError:
        raise ConfigError("this is not a text in UTF-8", path=str(path)) from None


def private_key(path: Path) -> str:
    """The App's private key as PEM."""
    text = private_text(path)
    if not text.lstrip().startswith(_PEM):
        raise ConfigError("this is not a private key in PEM", path=str(path))
    return text


def write_private(path: Path, text: str) -> None:
    """Write a new file that only its owner may read, at no moment anyone else; never over one."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
        file.write(text)


def _require_private(found: os.stat_result, path: Path) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise ConfigError("this is not a file", path=str(path))
    # Windows has no such bits: what it reports there says nothing.
    if os.name == "posix" and found.st_mode & _OTHERS:
        raise ConfigError(
            "others than its owner may read this, and it holds secrets; say: chmod 600",
            path=str(path),
        )
