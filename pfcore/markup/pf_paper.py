"""A file in PF markup as a paper: its outline, its syntax and the recipe for reading it.

Every command loads this module; it reads no PF markup itself.
"""

from collections.abc import Iterable
from typing import NamedTuple

from pfcore.latex.macros.definitions import Definition
from pfcore.latex.macros.macro import Macro
from pfcore.latex.project import syntax
from pfcore.latex.project.include_graph import IncludeGraph
from pfcore.latex.project.recipes import Recipe
from pfcore.latex.project.survey import Survey
from pfcore.latex.project.syntax import Syntax

_VERSION = 5
"""Increase this whenever the same file would yield another reading."""


class Parts(NamedTuple):
    """The parts of a paper in one file, except its reading."""

    outline: IncludeGraph
    syntax: Syntax
    recipe: Recipe


def parts(path: str, survey: Survey, custom: syntax.Custom, oid: str) -> Parts:
    """The parts of a paper; `oid` is the digest of the file's content."""
    how = syntax.build(syntax.Declared(macros=_table(survey.macros)), custom)
    outline = IncludeGraph(root=path, order=[path], starts={path: path})
    return Parts(outline, how, Recipe(path, f"pf{_VERSION}:{how.key}:{oid}"))


def _table(macros: Iterable[Definition]) -> dict[str, Macro]:
    """The meaning of each macro in the whole file: its last definition."""
    table: dict[str, Macro] = {}
    for item in macros:
        if not (item.provides and item.name in table):
            table[item.name] = item.macro
    return table


SUFFIX = ".pf"
"""The suffix of files in PF markup."""
KIND = "proof in modules"
"""The document class of such a file."""
PREFIX = "pf-"
"""The prefix of the codes of problems with their form."""


def is_markup(path: str) -> bool:
    """Whether a file is a paper in PF markup."""
    return path.endswith(SUFFIX)
