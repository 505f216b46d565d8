"""The spans of statements and proofs against those of another parser, tree-sitter's of LaTeX.

The differences on real papers are listed, with the reason of each class, in
`tests/data/tree_sitter.json`. A difference that is not there is a mistake of one of the two.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tree_sitter import Node
from tree_sitter_language_pack import get_parser

from pfcore.latex.structure.tree import BLOCKS, shape
from pfcore.papers.paper import Paper
from tests.conftest import CorpusPapers

EXPLAINED = Path(__file__).resolve().parents[2] / "data" / "tree_sitter.json"


class Span(NamedTuple):
    """An environment in a file, by its name and offsets."""

    name: str
    start: int
    end: int


def environments(text: str) -> Iterator[Span]:
    """All environments that tree-sitter finds."""
    data = text.encode()
    pending = [get_parser("latex").parse(data).root_node]
    while pending:
        node = pending.pop()
        pending += node.children
        begin = node.child_by_field_name("begin")
        name = begin and begin.child_by_field_name("name")
        if name:
            yield Span(_text(name, data).strip("{} "), *_offsets(node, data))


def _offsets(node: Node, data: bytes) -> tuple[int, int]:
    """tree-sitter counts bytes."""
    start = len(data[: node.start_byte].decode())
    return start, start + len(_text(node, data))


def _text(node: Node, data: bytes) -> str:
    return data[node.start_byte : node.end_byte].decode()


def by_tree_sitter(paper: Paper, path: str) -> set[Span]:
    """The environments of a file that the paper's declarations make statements or proofs."""
    syntax = paper.syntax
    return {
        span
        for span in environments(paper.source(path))
        if shape(span.name, syntax.environment(span.name), syntax) in BLOCKS
    }


def by_us(paper: Paper, path: str) -> set[Span]:
    """The statements and proofs of a file."""
    return {
        Span(block.env, block.place.start, block.place.end)
        for block in paper.readings[path].blocks
        if block.shape in BLOCKS
    }


def compared(folder: str, papers: Iterable[Paper]) -> tuple[int, set[str]]:
    """How many spans agree in the papers of a folder, and where which parser stands alone."""
    agreed, alone = 0, set()
    for paper in papers:
        for path in paper.readings:
            found = {"we": by_us(paper, path), "tree-sitter": by_tree_sitter(paper, path)}
            places = set.intersection(*({span[1:] for span in spans} for spans in found.values()))
            agreed += len(places)
            alone |= {
                f"only {whose}: {folder}/{path}:{line} {span.name}"
                for whose, spans in found.items()
                for span in spans
                if span[1:] not in places
                for line in [paper.source(path).count("\n", 0, span.start) + 1]
            }
    return agreed, alone


def test_the_other_parser_finds_environments_where_they_stand() -> None:
    text = (
        "Größe \\begin{lemma}[x] a \\begin{proof}é\\end{proof}\\end{lemma} \\begin{a b}\\end{a b}"
    )
    found = {span.name: text[span.start : span.end] for span in environments(text)}
    assert found == {
        "lemma": "\\begin{lemma}[x] a \\begin{proof}é\\end{proof}\\end{lemma}",
        "proof": "\\begin{proof}é\\end{proof}",
        "a b": "\\begin{a b}\\end{a b}",
    }


@pytest.mark.corpus
def test_another_parser_finds_the_same_spans_save_where_it_is_explained(
    corpus: Path, corpus_papers: CorpusPapers
) -> None:
    names = [entry["name"] for entry in json.loads((corpus / "MANIFEST.json").read_text("utf-8"))]
    found = (compared(name, (state.paper for state in corpus_papers(name))) for name in names)
    counts, alone = zip(*found, strict=True)
    explained = json.loads(EXPLAINED.read_text("utf-8"))
    assert set.union(*alone) == {place for known in explained for place in known["places"]}
    assert sum(counts) > 6400
