"""Papers in PF markup: the examples, and what a text becomes."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.latex.project.recipes import ParseJob, SplicedSource
from pfcore.latex.project.syntax import Custom
from pfcore.latex.reader import Read
from pfcore.markup import pf_reader
from pfcore.markup.pf_paper import parts
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

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
def paper(tmp_path: Path) -> Callable[[str], PaperState]:
    """From the text of a file in PF markup to the paper that it is."""
    numbers = itertools.count()

    def make(text: str) -> PaperState:
        folder = tmp_path / f"paper{next(numbers)}"
        folder.mkdir()
        (folder / "proof.pf").write_text(text, encoding="utf-8", newline="")
        (found,) = discover.discover_papers(
            snapshot.from_folder(folder), ParseCache(MemoryCache())
        ).papers
        return build_paper_state(found)

    return make


@pytest.fixture(scope="session")
def reader() -> Callable[[str], Read]:
    """Reads a text as the file that it would be."""

    def read(text: str) -> Read:
        survey = pf_reader.survey_pf_file(text)
        made = parts("proof.pf", survey, Custom(), "digest")
        return pf_reader.read_pf_file(
            ParseJob("key", SplicedSource(text, survey.silent), False), made.syntax
        )

    return read
