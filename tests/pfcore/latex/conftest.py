from collections.abc import Callable

import pytest

from pfcore.latex.macros.macro_table import MacroChange
from pfcore.latex.project import syntax
from pfcore.latex.project.recipes import Inset, SplicedSource
from pfcore.latex.project.survey import never_printed, survey_file
from pfcore.latex.project.syntax import Custom, Syntax
from pfcore.latex.reader import Read, parse_latex_file

Reader = Callable[..., Read]


def syntax_of(text: str, custom: Custom | None = None) -> Syntax:
    found = survey_file(text)
    declared = syntax.Declared(
        found.theorems,
        found.environments,
        found.proofs,
        {item.name: item.macro for item in found.macros},
        excluded=never_printed([found.excluded]),
    )
    return syntax.build(declared, custom or Custom())


@pytest.fixture
def how() -> Callable[..., Syntax]:
    """The syntax of a text by its own declarations."""
    return syntax_of


@pytest.fixture
def reads() -> Reader:
    """Reads a text by its own declarations."""

    def make(
        text: str, custom: Custom | None = None, changes: tuple[MacroChange, ...] = ()
    ) -> Read:
        return parse_latex_file(
            SplicedSource(text, survey_file(text).silent, changes), syntax_of(text, custom)
        )

    return make


@pytest.fixture
def spliced() -> Callable[[str, str], Read]:
    """Reads a text in which the first `\\input{f}` is another file's text."""

    def make(text: str, inner: str) -> Read:
        start = text.index("\\input{f}")
        other = SplicedSource(inner, survey_file(inner).silent)
        inset = Inset(start, start + len("\\input{f}"), other)
        return parse_latex_file(
            SplicedSource(text, survey_file(text).silent, (), (inset,)), syntax_of(text + inner)
        )

    return make
