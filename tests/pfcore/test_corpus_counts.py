"""What is found in the real papers, counted.

A change of a count is a change of what users see: look at it, then write the new counts with

    PF_UPDATE_COUNTS=1 pytest -m corpus tests/pfcore/test_corpus_counts.py
"""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pfcore.domain.values import Role
from pfcore.graph.laws import certain_cycles
from pfcore.graph.paper_state import PaperState
from tests.conftest import CorpusPapers

COUNTS = Path(__file__).resolve().parents[1] / "data" / "corpus_counts.json"
UPDATE = bool(os.environ.get("PF_UPDATE_COUNTS"))  # read before the tests' own world begins


def counted(moment: PaperState) -> dict[str, Any]:
    modules = [m for m in moment.document.modules.values() if m.role is not Role.FRAGMENT]
    return {
        "modules": len(modules),
        "proofs": sum(len(module.proofs) for module in modules),
        "conventions": sum(module.role is Role.CONVENTION for module in modules),
        "edges": dict(sorted(Counter(str(edge.via) for edge in moment.document.edges).items())),
        "cycles": len(certain_cycles(moment.document)),
        "loose proofs": len(moment.document.loose),
    }


@pytest.mark.corpus
def test_the_papers_hold_what_they_held(corpus: Path, corpus_papers: CorpusPapers) -> None:
    found = {}
    for folder in sorted(path for path in corpus.iterdir() if path.is_dir()):
        if folder.name == "bundles":
            continue
        listed = corpus_papers(folder.name)
        found[folder.name] = {state.paper.name: counted(state) for state in listed}
    if UPDATE:
        COUNTS.parent.mkdir(exist_ok=True)
        COUNTS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert found == json.loads(COUNTS.read_text("utf-8"))
