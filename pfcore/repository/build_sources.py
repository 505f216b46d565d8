"""Finds what may generate a missing LaTeX file: a source, a script, a Makefile.

A line of a `.gitignore` counts too, because it keeps generated files out of the repository.

These files are read as text and never run.
"""

import posixpath
import re
from collections.abc import Callable, Container, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import islice

from pfcore.domain.lazy_regex import regex
from pfcore.repository.snapshot import Snapshot

_LITERATE = (
    ".tex.in", ".tex.j2", ".tex.jinja", ".tex.jinja2", ".tex.mako", ".tex.mustache", ".tex.erb",
    ".tex.tmpl", ".tex.tpl", ".tex.template", ".tex.m4", ".lagda.md", ".lagda.rst", ".lagda.org",
    ".lagda", ".lhs", ".rnw", ".snw", ".pnw", ".jnw", ".rtex", ".texw", ".nw", ".rmd", ".qmd",
    ".md", ".markdown", ".org", ".rst", ".ipynb", ".j2", ".jinja", ".jinja2",
)  # fmt: skip
"""Suffixes of sources that a program turns into a `.tex` file of the same name."""
_PROGRAMS = (
    ".py", ".r", ".jl", ".rb", ".pl", ".lua", ".js", ".ts", ".nix", ".hs", ".ml", ".go", ".rs",
    ".m", ".do", ".sage", ".wls", ".ipynb", ".c", ".cpp", ".java",
)  # fmt: skip
"""Suffixes of programs, in which the bare name of a file is enough."""
_RECIPES = (
    ".sh", ".bash", ".zsh", ".fish", ".bat", ".ps1", ".mk", ".yml", ".yaml", ".cmake",
    "makefile", "makefile.am", "makefile.in", "cmakelists.txt", "snakefile", "justfile", "rakefile",
    "sconstruct", "latexmkrc", "dockerfile",
)  # fmt: skip
"""Suffixes of scripts and rules: many of the file names in them are only inputs."""
_MAKEFILES = (".mk", "makefile", "makefile.am", "makefile.in")
_IGNORE = ".gitignore"
_MOST, _LONGEST = 200, 256_000
"""How many files are read, and the largest size in bytes."""
_MOST_ASKED, _MOST_PLACES, _NEAR = 100, 20, 300
"""How many missing files are looked up, at how many places of a text, and how far around each."""


class BuildSources:
    """Finds what may generate a missing file; every source is read only once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._asked = 0

    def maker_of(self, target: str, find: Callable[[Container[str]], str | None]) -> str:
        """The path of a source that may generate the file `target`; "" if there is none.

        `find` returns the path that the paper means among those given.
        """
        found = find(self._made)
        if found is not None:
            return self._made[found]
        if ignoring := self._ignoring(target):
            return ignoring
        name = posixpath.basename(target)
        self._asked += 1
        if self._asked > _MOST_ASKED:
            return ""
        return next((path for path in self._texts if self._makes(path, name)), "")

    @cached_property
    def _made(self) -> Mapping[str, str]:
        """The files that sources are turned into, each with its source."""
        found: dict[str, str] = {}
        for path in sorted(self._snapshot.paths):
            suffix = next((end for end in _LITERATE if path.lower().endswith(end)), "")
            if suffix:
                found.setdefault(f"{path[: -len(suffix)]}.tex", path)
        return found

    def _ignoring(self, target: str) -> str:
        """The `.gitignore` that ignores the file or a folder of its path; the last match wins.

        Neither its own folder nor the parent folders in its patterns are compared.
        """
        parts = [part for part in target.split("/") if part not in ("", ".", "..")]
        for path, lines in self._ignored.items():
            for part in parts:
                matching = [line for line in lines if fnmatchcase(part, line.removeprefix("!"))]
                if matching and not matching[-1].startswith("!"):
                    return path
        return ""

    @cached_property
    def _ignored(self) -> Mapping[str, list[str]]:
        """The last path component of each line of a `.gitignore`; "!" marks a negation."""
        data = self._snapshot.others((_IGNORE,), most=_MOST, limit=_LONGEST)
        texts = {path: content.decode("utf-8", "replace") for path, content in data.items()}
        return {path: list(map(_last_part, text.splitlines())) for path, text in texts.items()}

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        data = self._snapshot.others((*_PROGRAMS, *_RECIPES), most=_MOST, limit=_LONGEST)
        return {path: content.decode("utf-8", "replace") for path, content in data.items()}

    @cached_property
    def _in_part(self) -> Mapping[str, list[tuple[str, ...]]]:
        programs = {path: text for path, text in self._texts.items() if _is_program(path)}
        return {path: _named_in_part(text) for path, text in programs.items()}

    def _makes(self, path: str, name: str) -> bool:
        text = self._texts[path]
        if path.lower().endswith(_MAKEFILES) and "%" in text and _is_of_pattern(text, name):
            return True
        if any(_is_filled(parts, name) for parts in self._in_part.get(path, ())):
            return True
        if name not in text:
            return False
        word = rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)"
        places = islice(re.finditer(word, text), _MOST_PLACES)
        if _is_program(path):
            return any(True for _ in places)
        return any(_is_written(text, *place.span()) for place in places)


def _last_part(line: str) -> str:
    """The pattern of a line for one path component; "" for a comment or a pattern of only `*`."""
    pattern = line.strip()
    mark = "!" if pattern.startswith("!") else ""
    last = pattern.removeprefix("!").rstrip("/").removesuffix("/**").rpartition("/")[2]
    return "" if pattern.startswith("#") or not last.strip("*") else f"{mark}{last}"


def _is_of_pattern(text: str, name: str) -> bool:
    """Whether a pattern rule makes the file; a rule for all files of a suffix does not count."""
    for line in text.replace("\\\n", " ").splitlines():
        targets, colon, _ = line.rpartition(":")
        if not colon or line.startswith(("\t", "#")) or "=" in line:
            continue
        for word in targets.replace(":", " ").split():
            before, mark, after = posixpath.basename(word).partition("%")
            is_narrow = bool(before or after.removesuffix(".tex"))
            if mark and is_narrow and name.startswith(before) and name.endswith(after):
                return True
    return False


_FILLED = regex(r"#?\{[^{}\n]{0,60}\}|\$\{[^{}\n]{0,60}\}|%[0-9]{0,3}[sd]")
"""Placeholders in a string that a program fills in."""
_IN_PART = regex(
    rf"(?:[\w.-]{{0,60}}(?:{_FILLED.pattern})){{1,9}}[\w.-]{{0,60}}\.tex(?![\w.-])"
    r"|(?<=[\"'])[_-][\w.-]{0,60}\.tex(?=[\"'])"
)
_LEAST, _WIDEST = 3, 2_000
"""How many characters of a name must be given, and how much of a line is searched."""


def _is_program(path: str) -> bool:
    return path.lower().endswith(_PROGRAMS)


def _named_in_part(text: str) -> list[tuple[str, ...]]:
    """The file names in a program's strings that have a part filled in or put before them.

    Each is given as its literal parts: something is filled in between any two of them.
    """
    found: list[tuple[str, ...]] = []
    for line in text.splitlines():
        for match in _IN_PART.finditer(line[:_WIDEST]) if ".tex" in line else ():
            first, *others = _FILLED.split(match[0])
            parts = [first, *others] if others else ["", first]
            if sum(map(len, parts)) - len(".tex") >= _LEAST:
                found.append((parts[0], *filter(None, parts[1:-1]), parts[-1]))
    return found


def _is_filled(parts: Sequence[str], name: str) -> bool:
    """Whether a name has these parts in order, with non-empty texts without a slash between."""
    first, *inner, last = parts
    place, end = len(first), len(name) - len(last)
    if not (name.startswith(first) and name.endswith(last)):
        return False
    for part in inner:
        start = name.find(part, place + 1, end)  # the first place leaves the most for the rest
        if start < 0 or "/" in name[place:start]:
            return False
        place = start + len(part)
    return place < end and "/" not in name[place:end]


_TARGET = regex(r"[^\s#:=][^:=]*\Z")
_COLON = regex(r"[^\n:=]*:(?!=)")
_WRITTEN = regex(
    r"(?:>|\btee\b|\s-o|--out(?:put)?(?:-file)?\b)[ =]{0,9}(?:-a {1,9})?[\"']?[^\s\"'|;&<>]*\Z"
)
_COPIED = regex(r"\b(?:cp|mv|ln|install|copy|move)\b.*[\s/]\Z")
_ENDS = regex(r"[\"']?[ \t]*(?:\Z|[\n;&|])")


def _is_written(text: str, start: int, end: int) -> bool:
    """Whether a recipe makes the file named at this span: as a rule's target or an output."""
    line = text.rfind("\n", 0, start) + 1
    before = text[max(line, start - _NEAR) : start]
    behind = text[end : end + _NEAR]
    if line >= start - _NEAR and (not before or _TARGET.match(before)) and _COLON.match(behind):
        return True
    if _WRITTEN.search(before):
        return True
    return bool(_COPIED.search(before) and _ENDS.match(behind))
