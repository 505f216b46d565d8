"""Papers in PF markup: the examples, and what a text becomes."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore import papers, snapshot
from pfcore.cache import MemoryCache
from pfcore.graph.paper import State, state
from pfcore.latex.read import Read
from pfcore.latex.recipes import Job
from pfcore.latex.splice import Source
from pfcore.latex.syntax import Custom
from pfcore.markup import reading
from pfcore.markup.paper import parts
from pfcore.shelf import Shelf

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture(scope="session")
def one() -> str:
    """One theorem with its propositions and lemmas."""
    return (DATA / "one_theorem.pf").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def several() -> str:
    """Several theorems with a shared pool of propositions."""
    return (DATA / "several_theorems.pf").read_text(encoding="utf-8")


@pytest.fixture
def paper(tmp_path: Path) -> Callable[[str], State]:
    """From the text of a file in PF markup to the paper that it is."""
    numbers = itertools.count()

    def make(text: str) -> State:
        folder = tmp_path / f"paper{next(numbers)}"
        folder.mkdir()
        (folder / "proof.pf").write_text(text, encoding="utf-8", newline="")
        (found,) = papers.library(snapshot.from_folder(folder), Shelf(MemoryCache())).papers
        return state(found)

    return make


@pytest.fixture(scope="session")
def reader() -> Callable[[str], Read]:
    """Reads a text as the file that it would be."""

    def read(text: str) -> Read:
        survey = reading.survey(text)
        made = parts("proof.pf", survey, Custom(), "digest")
        return reading.made(Job("key", Source(text, survey.silent), False), made.syntax)

    return read
