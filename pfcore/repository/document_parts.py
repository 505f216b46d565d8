"""Which files of a folder one document may include, found without opening all the others."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import product, starmap
from pathlib import Path

from pfcore.domain.errors import UsageError
from pfcore.domain.lazy_regex import regex
from pfcore.repository.source_files import (
    FolderLimits,
    content_below,
    decode,
    is_entered,
    is_of_interest,
)

_NAMED = regex(r"\\(?:input|include)[ \t]+([^\s{}\\%]{1,400})|[\[{]([^\[\]{}]{1,4000})(?=[\]}])")
_COMPUTED = regex(r"#+[1-9]|\\[A-Za-z@]+\s*")
_NAMING_NONE = (".bib", ".aux", ".lean")
_MOST_PATTERNS, _LONGEST_PATTERN = 200, 100


class DocumentParts:
    """The files whose names occur in the document, and recursively those that these name.

    A name is a text in braces or brackets; `chap#1` and `\\jobname-x` are patterns of names. Only
    folders that are named are searched. Files that are not LaTeX (figures, code) found in them are
    always included.
    """

    def __init__(self, root: Path, limits: FolderLimits) -> None:
        self._root = root
        self._limits = limits
        self._words: set[str] = set()
        self._patterns: set[str] = set()

    def of(self, name: str) -> set[str]:
        """The paths of the parts, with the document itself; UsageError if there are too many."""
        self._words.add(f"{name.rpartition('.')[0].lower()}.aux")
        found, fresh, folders = {name}, [name], [""]
        seen: dict[str, bool] = {}  # paths that no file names yet -> whether it is a folder
        while fresh or folders:
            for path in fresh:
                self._read(path)
            for path, is_folder in (item for folder in folders for item in self._items(folder)):
                if is_folder or is_of_interest(path):
                    seen[path] = is_folder
                else:
                    found.add(path)
            if len(seen) + len(found) > self._limits.walked_files:
                most = f"{self._limits.walked_files:,}"
                raise UsageError(f"{self._root} has more than {most} files; move the paper")
            named = [path for path in seen if self._is_named(path.rpartition("/")[2].lower())]
            fresh = [path for path in named if not seen[path]]
            folders = [path for path in named if seen[path]]
            found.update(fresh)
            for path in named:
                del seen[path]
        return found

    def _items(self, folder: str) -> Iterator[tuple[str, bool]]:
        """The paths in a folder, and which are folders that may be entered."""
        with suppress(OSError), os.scandir(self._root / folder) as items:
            for item in items:
                path = f"{folder}/{item.name}" if folder else item.name
                if item.is_symlink():
                    self._words.update(str(Path(item.path).readlink()).lower().split("/"))
                is_folder = item.is_dir(follow_symlinks=False)
                if not is_folder or is_entered(path):
                    yield path, is_folder

    def _read(self, path: str) -> None:
        if path.lower().endswith(_NAMING_NONE):
            return
        data = content_below(self._root, path, limit=self._limits.file_bytes)
        for groups in _NAMED.findall(decode(data).text) if data else ():
            for part in re.split("[,=/]", "".join(groups).lower()):
                word = part.strip().strip('"')
                if not _COMPUTED.search(word):
                    self._words.add(word)
                elif len(self._patterns) < _MOST_PATTERNS and len(word) < _LONGEST_PATTERN:
                    self._patterns.add(_COMPUTED.sub("*", word))

    def _is_named(self, name: str) -> bool:
        names = {name, *(name.rsplit(".", number)[0] for number in (1, 2))}
        if not self._words.isdisjoint(names):
            return True
        return any(starmap(_is_like, product(names, self._patterns)))


def _is_like(name: str, pattern: str) -> bool:
    """Whether a name fits a pattern that has at least two literal characters in a row."""
    parts = pattern.split("*")
    first, last = parts[0], parts[-1]
    is_known = any(len(part) > 1 for part in parts)
    return (
        is_known
        and len(name) >= len(first) + len(last)
        and (name.startswith(first) and name.endswith(last))
    )
