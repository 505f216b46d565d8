"""A history with a correction in it, and rows that say so."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import article_text, commit

LEMMA = "\\begin{lemma}\\label{%s}\n%s\n\\end{lemma}\n\\begin{proof}\n%s\n\\end{proof}\n"
OTHER = LEMMA % ("sum", "Every sum of squares is positive.", "Squares are positive.")
BEFORE = "Let $n$ be odd.\nThen $n+2$ is even.\nHence the claim."
AFTER = "Let $n$ be odd.\nThen $n+1$ is even.\nHence the claim."
LATER = "Let $n$ be odd.\nThen $n+1$ is even, as $2$ divides it.\nHence the claim."


def paper(proof: str, *, label: str = "parity", more: str = "") -> str:
    """An article of two lemmas, the second with this proof."""
    return article_text(more + OTHER + LEMMA % (label, "Odd numbers have even neighbours.", proof))


class Corrected(NamedTuple):
    """Clones in a folder, and the commits around a correction in one of them."""

    folder: Path
    repo: Path
    parent: str
    commit: str

    def row(self, **more: Any) -> dict[str, Any]:
        """The row of the correction."""
        start = (
            paper(BEFORE)[: paper(BEFORE).index("\\begin{lemma}\\label{parity}")].count("\n") + 1
        )
        return {
            "id": "7",
            "repo": "owner/notes",
            "commit": self.commit,
            "parent": self.parent,
            "date": "2024-01-01",
            "file": "main.tex",
            "label": "parity",
            "environment": "lemma",
            "area": "arithmetic",
            "part": "proof",
            "wrong": "the neighbour that is taken is two away",
            "severity": "breaks",
            "detectable": "yes",
            "true_lines": [[start + 5, start + 5]],
            "fixed_lines": [[start + 5, start + 5]],
            "statement_lines": [start, start + 2],
            "proof_lines": [start + 3, start + 7],
            "module_lines": [start, start + 7],
            "control": "believed",
            "control_note": "",
            **more,
        }

    def write(self, *rows: dict[str, Any]) -> Path:
        """A file of rows."""
        path = self.folder.parent / "rows.jsonl"
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        return path


@pytest.fixture
def corrected(tmp_path: Path) -> Corrected:
    """A clone whose second lemma is corrected, and changed once more later."""
    repo = tmp_path / "clones" / "owner+notes"
    parent = commit(repo, {"main.tex": paper(BEFORE)}, message="write the notes")
    fixed = commit(repo, {"main.tex": paper(AFTER)}, message="Fix the parity argument")
    commit(repo, {"main.tex": paper(LATER)}, message="say more")
    return Corrected(folder=tmp_path / "clones", repo=repo, parent=parent, commit=fixed)
