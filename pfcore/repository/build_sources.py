"""What in a repository may make a LaTeX file that is not in it: a source, a script, a Makefile.

They are read as text and never run.
"""

import re
from collections.abc import Callable, Container, Mapping
from functools import cached_property

from pfcore.repository.snapshot import Snapshot

_LITERATE = (
    ".tex.in", ".tex.j2", ".tex.jinja", ".tex.jinja2", ".tex.mako", ".tex.mustache", ".tex.erb",
    ".tex.tmpl", ".tex.tpl", ".tex.template", ".tex.m4", ".lagda.md", ".lagda.rst", ".lagda.org",
    ".lagda", ".lhs", ".rnw", ".snw", ".pnw", ".jnw", ".rtex", ".texw", ".nw", ".rmd", ".qmd",
    ".md", ".markdown", ".org", ".rst", ".ipynb", ".j2", ".jinja", ".jinja2",
)  # fmt: skip
"""Endings of sources that a program makes into a `.tex` of the same name."""
_PROGRAMS = (
    ".py", ".r", ".jl", ".rb", ".pl", ".lua", ".js", ".ts", ".nix", ".hs", ".ml", ".go", ".rs",
    ".m", ".do", ".sage", ".wls", ".ipynb", ".c", ".cpp", ".java",
)  # fmt: skip
"""Endings of programs, in which the name of a file is enough."""
_RECIPES = (
    ".sh", ".bash", ".zsh", ".fish", ".bat", ".ps1", ".mk", ".yml", ".yaml", ".cmake",
    "makefile", "makefile.am", "makefile.in", "cmakelists.txt", "snakefile", "justfile", "rakefile",
    "sconstruct", "latexmkrc", "dockerfile",
)  # fmt: skip
"""Endings of scripts and rules: many a name there is that of what is only read."""
_MOST, _LONGEST = 200, 256_000
"""How many files are looked at, and their most bytes."""


class BuildSources:
    """Finds what may make a missing file; what is looked at is read once."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def maker_of(self, name: str, find: Callable[[Container[str]], str | None]) -> str:
        """The path of what may make a file of that name (with its ending); "" if nothing does.

        `find` says which of some paths the paper means.
        """
        found = find(self._made)
        if found is not None:
            return self._made[found]
        return next((path for path in self._texts if self._makes(path, name)), "")

    @cached_property
    def _made(self) -> Mapping[str, str]:
        """The files that sources become, each with its source."""
        found: dict[str, str] = {}
        for path in sorted(self._snapshot.paths):
            suffix = next((end for end in _LITERATE if path.lower().endswith(end)), "")
            if suffix:
                found.setdefault(f"{path[: -len(suffix)]}.tex", path)
        return found

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        data = self._snapshot.others((*_PROGRAMS, *_RECIPES), most=_MOST, limit=_LONGEST)
        return {path: content.decode("utf-8", "replace") for path, content in data.items()}

    def _makes(self, path: str, name: str) -> bool:
        text = self._texts[path]
        if name not in text:
            return False
        word = rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)"
        if path.lower().endswith(_PROGRAMS):
            return re.search(word, text) is not None
        return re.search(_WRITTEN.replace("NAME", word), text) is not None


_WRITTEN = (
    r"(?m)^(?![ \t#])[^\n:=]{0,200}NAME[^\n:=]{0,200}:(?!=)"
    r"|(?:>|\btee\b|\s-o|--out(?:put)?(?:-file)?\b)[ =]*(?:-a +)?[\"']?[^\s\"'|;&<>]{0,200}NAME"
    r"|^[^\n#]{0,200}\b(?:cp|mv|ln|install|copy|move)\b[^\n]{0,300}[\s/]NAME[\"']?[ \t]*(?:$|[;&|])"
)
"""Where a recipe makes what has a name: as the target of a rule, or as what a command writes."""
