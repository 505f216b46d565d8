"""Contexts are held against passages that readers named, by places alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from pfcore.bench.quality import needed_passages
from pfcore.bench.quality.needed_passages import (
    ContextScore,
    lines,
    read_claims,
    score_paper,
    wider_lines,
)
from pfcore.repository.git import find_repository
from tests.conftest import git

BODY = r"""\documentclass{article}
\newtheorem{theorem}{Theorem}
\begin{document}
\section{One}
We write $\tau(x)$ for the age of $x$. Put $\Xi = 3$.

Nobody asks why.

\begin{theorem}\label{t} The age $\tau(x)$ of a ditch is large. \end{theorem}
\begin{proof} Dig. \end{proof}
\section{Two}
We write $\Upsilon$ for the set of ditches.
\end{document}
"""


def at(words: str) -> list[object]:
    start = BODY.index(words)
    return ["main.tex", start, start + len(words)]


@pytest.fixture
def row(tmp_path: Path) -> dict[str, Any]:
    clone = tmp_path / "o+paper"
    clone.mkdir()
    git(clone, "init", "-q")
    (clone / "main.tex").write_text(BODY, encoding="utf-8")
    git(clone, "add", ".")
    git(clone, "commit", "-qm", "one")
    passages = [
        ["symbol", True, 1, [at(r"We write $\tau(x)$ for the age of $x$.")]],
        ["object", True, 1, [at("Nobody asks why.")]],
        ["term", False, 1, [at("asks why")]],
        ["term", True, 2, [at("The age")]],
        ["symbol", True, 1, [at(r"Put $\Xi = 3$.")]],
        ["symbol", True, 1, [at(r"We write $\Upsilon$ for the set of ditches.")]],
    ]
    commit = git(clone, "rev-parse", "HEAD").strip()
    claims = [{"claim": "t", "reader": "A", "passages": passages}]
    return {
        "repository": "o/paper", "commit": commit, "root": "main.tex", "half": "look",
        "claims": claims,
    }  # fmt: skip


def test_a_passage_is_held_where_an_entry_or_the_claim_stands(
    row: dict[str, Any], tmp_path: Path
) -> None:
    clone = find_repository(tmp_path / "o+paper")
    assert clone is not None
    found = score_paper(row, clone)[""]
    assert found.needed == {"essential": 4, "symbol": 3, "object": 1, "helpful": 1, "indirect": 1}
    assert found.held == {"essential": 1, "symbol": 1, "indirect": 1}
    assert found[2:] == (1, 1, 1, 1)
    assert "essential        1 of     4 held   25.0%" in list(lines(found))


def test_wider_contexts_hold_what_their_section_or_paper_introduces(
    row: dict[str, Any], tmp_path: Path
) -> None:
    clone = find_repository(tmp_path / "o+paper")
    assert clone is not None
    assert list(wider_lines(score_paper(row, clone))) == [
        "with all introductions of its section before it: "
        "essential 2 of 4 held, 2 of 2 entries needed",
        "with all introductions of its paper: essential 3 of 4 held, 3 of 3 entries needed",
    ]


@pytest.mark.parametrize("change", [{"root": "other.tex"}, {"claim": "gone"}])
def test_a_claim_that_is_not_found_holds_nothing(
    row: dict[str, Any], tmp_path: Path, change: dict[str, str]
) -> None:
    clone = find_repository(tmp_path / "o+paper")
    assert clone is not None
    claims = [{**claim, **change} for claim in row["claims"]]
    for found in score_paper({**row, **change, "claims": claims}, clone).values():
        assert found.needed["essential"] == 4 and found.held == {}
        assert found[2:] == (0, 0, 1, 1)


def test_what_is_not_here_is_named_and_the_other_half_is_left_out(
    row: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = {**row, "repository": "o/absent"}
    measured = {**other, "half": "measure"}
    listed = tmp_path / "list.jsonl"
    listed.write_text("\n".join(map(json.dumps, (row, other, measured))), encoding="utf-8")
    needed_passages.main([str(listed), str(tmp_path), "look"])
    said = capsys.readouterr().out
    assert "claims           1 of     1 lack something essential" in said
    assert said.endswith("not here: o/absent\n")


def test_scores_add_up() -> None:
    one = ContextScore(*needed_passages.NO_SCORE)._replace(entries=2, used=1)
    assert (one + one)[2:4] == (4, 2)
    assert list(read_claims({"claims": []})) == []
