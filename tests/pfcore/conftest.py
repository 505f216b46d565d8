"""Small papers as dicts of files, and what a change to them affects."""

import itertools
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from pfcore.domain.values import Role
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.graph.rendering import context_digest, render
from pfcore.impact import plan
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

PREAMBLE = r"""\documentclass{article}
\usepackage{amsmath,amsthm,cleveref}
\newtheorem{theorem}{Theorem}[section]
\newtheorem{lemma}[theorem]{Lemma}
\newtheorem{proposition}[theorem]{Proposition}
\newtheorem{claim}[theorem]{Claim}
\newtheorem{assumption}[theorem]{Assumption}
\newtheorem{conjecture}[theorem]{Conjecture}
\theoremstyle{definition}
\newtheorem{definition}[theorem]{Definition}
\newtheorem{remark}[theorem]{Remark}
"""

Files = Mapping[str, str]
FALLBACK = "the target of a reference changed"


def files(source: str | Files) -> dict[str, str]:
    """The files of a paper; a main file without a document class is a body."""
    found = {"main.tex": source} if isinstance(source, str) else dict(source)
    main = found["main.tex"]
    if "\\documentclass" not in main:
        main = f"{PREAMBLE}\\begin{{document}}\n{main}\n\\end{{document}}\n"
    return {**found, "main.tex": main}


@pytest.fixture
def paper(tmp_path: Path) -> Callable[..., PaperState]:
    """From a body, or the files of a folder, to the paper with its proof document."""
    numbers = itertools.count()

    def make(source: str | Files) -> PaperState:
        folder = tmp_path / f"paper{next(numbers)}"
        for path, text in files(source).items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        parse_cache = ParseCache(MemoryCache())
        (found,) = discover.discover_papers(snapshot.from_folder(folder), parse_cache).papers
        return build_paper_state(found)

    return make


def digests(moment: PaperState) -> dict[str, str]:
    """The digests of all contexts of a paper."""
    document, texts = moment.document, moment.paper.texts
    return {name: context_digest(document, name, texts) for name in document.modules}


def by_rendering(before: PaperState, after: PaperState) -> set[str]:
    """The affected modules by the definition: all contexts of both moments are rendered."""
    known = set(digests(before).values())
    modules = after.document.modules
    return {
        name
        for name, found in digests(after).items()
        if found not in known and modules[name].is_claim and modules[name].role is not Role.FRAGMENT
    }


@pytest.fixture
def affected(paper: Callable[..., PaperState]) -> Callable[..., dict[str, tuple[str, ...]]]:
    """The affected modules between two papers with their reasons, as plan and definition agree."""

    def compare(before: str | Files, after: str | Files) -> dict[str, tuple[str, ...]]:
        then, now = paper(before), paper(after)
        found = {item.id: item.reasons for item in plan.make_plan(then, now).affected}
        assert set(found) == by_rendering(then, now)
        assert not any(FALLBACK in reasons for reasons in found.values()), found
        return found

    return compare


@pytest.fixture
def rendered(paper: Callable[..., PaperState]) -> Callable[..., str]:
    """The context of a module of a paper."""

    def make(source: str | Files, name: str) -> str:
        moment = paper(source)
        return render(moment.document, name, moment.paper.texts)

    return make
