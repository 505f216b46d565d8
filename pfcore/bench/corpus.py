"""The papers of a collection about which something is known for certain."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pfcore.papers.discover import discover_papers
from pfcore.papers.paper import Paper
from pfcore.papers.parse_cache import MemoryCache
from pfcore.papers.shelf import ParseCache
from pfcore.repository.snapshot import Snapshot


class KnownPaper(NamedTuple):
    """A paper's folder, its main file, and what is known about it."""

    name: str
    folder: Path
    main: str
    truth: Any


def papers_with_truth(corpus: Path, truth: str) -> Iterator[KnownPaper]:
    """The papers of a collection that have a file of this name in their `_truth`."""
    for entry in json.loads((corpus / "MANIFEST.json").read_text("utf-8")):
        folder = corpus / entry["name"]
        place = folder / "_truth" / truth
        if place.is_file() and entry["main"]:
            yield KnownPaper(
                entry["name"], folder, entry["main"], json.loads(place.read_text("utf-8"))
            )


def paper(snapshot: Snapshot, main: str) -> Paper:
    """The paper with this root, else the first that reads the file in."""
    listed = discover_papers(snapshot, ParseCache(MemoryCache())).papers
    found = next((item for item in listed if item.root == main), None)
    return found or next(item for item in listed if main in item.outline.order)
