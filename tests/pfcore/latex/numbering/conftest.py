from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pfcore.papers.discover import discover_papers
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.papers.rendered_numbers import Numbers, paper_numbers
from pfcore.repository import snapshot

Numbered = Callable[..., dict[str, str]]


@pytest.fixture
def numbering(tmp_path: Path) -> Callable[[Mapping[str, str]], Numbers]:
    """The numbers of the first paper among some files."""

    def run(files: Mapping[str, str]) -> Numbers:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        taken = snapshot.from_folder(tmp_path)
        return paper_numbers(discover_papers(taken, ParseCache(MemoryCache())).papers[0])

    return run


@pytest.fixture
def numbered(numbering: Callable[[Mapping[str, str]], Numbers]) -> Numbered:
    """Label to number of a document given by preamble and body; `?` where it is uncertain."""

    def run(preamble: str, body: str, *, cls: str = "{article}", **files: str) -> dict[str, str]:
        text = f"\\documentclass{cls}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        named = {name.replace("_", "."): text for name, text in files.items()}
        made = numbering({"main.tex": text, **named})
        return {key: item.text if item.certain else "?" for key, item in made.labels.items()}

    return run
