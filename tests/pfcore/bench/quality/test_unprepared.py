import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from pfcore.bench.quality import unprepared

MAIN = r"""\documentclass{article}
\newtheorem{lem}{Lemma}[section]
\newtheorem*{free}{Free}
\begin{document}
\section{A}
\begin{lem}\label{a}x\end{lem}
\begin{lem}\label{b}x\end{lem}
\setcounter{lem}{\unknown}
\begin{lem}\label{c}x\end{lem}
\begin{free}\label{f}x\end{free}
\end{document}
"""
TRUTH = {"a": ["lem", "1.1"], "b": ["lem", "9.9"], "c": ["lem", "1.3"], "f": ["free", None],
         "gone": ["lem", "1.4"]}  # fmt: skip


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Path, str]:
    """A folder of clones with one paper, and its commit."""
    folder = tmp_path / "clones" / "owner+name"
    (folder / "text").mkdir(parents=True)
    (folder / "text" / "main.tex").write_text(MAIN)
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", *identity, *command], cwd=folder, check=True)
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=folder, text=True)
    return folder.parent, head.strip()


def test_labels_are_right_wrong_silent_or_lost(clones: tuple[Path, str]) -> None:
    folder, commit = clones
    item = {"repository": "owner/name", "commit": commit, "root": "text/main.tex", "truth": TRUTH}
    (made,) = unprepared.outcomes([item], folder)
    assert made.labels == {"a": "right", "b": "wrong", "c": "silent", "gone": "lost"}
    assert made.counts == Counter(right=1, wrong=1, silent=1, lost=1)
    assert unprepared.table([made])[1:3] == [
        "labelled statements 4, found 3 of 4 (75.00 %)",
        "numbers right: 1 of 3 (33.33 %)",
    ]


def test_what_is_not_here_or_never_compiled_is_passed_over(clones: tuple[Path, str]) -> None:
    folder, commit = clones
    absent = {"repository": "owner/other", "commit": commit, "root": "main.tex", "truth": TRUTH}
    failed = {"repository": "owner/name", "commit": commit, "root": "x", "failed": "time limit"}
    assert list(unprepared.outcomes([absent, failed], folder)) == []


def test_a_paper_that_cannot_be_read_is_counted(clones: tuple[Path, str]) -> None:
    folder, commit = clones
    item = {"repository": "owner/name", "commit": commit, "root": "gone.tex", "truth": TRUTH}
    made = list(unprepared.outcomes([item], folder))
    assert "gone.tex" in made[0].fault
    assert unprepared.table(made)[0] == "papers 1, could not be read 1"


def test_the_list_of_papers_has_their_truth_and_nothing_else() -> None:
    data = Path("tests/data/unprepared/numbers.jsonl").read_text("utf-8").splitlines()
    listed = [json.loads(line) for line in data]
    assert len([item for item in listed if "truth" in item]) >= 120
    known = {"repository", "commit", "root", "half", "moved", "failed", "engine", "complete",
             "statements", "proofs", "truth"}  # fmt: skip
    assert all(item.keys() <= known and len(item["commit"]) == 40 for item in listed)


def test_sums_are_printed(
    clones: tuple[Path, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, commit = clones
    item = {"repository": "owner/name", "commit": commit, "root": "text/main.tex", "half": "look",
            "truth": TRUTH}  # fmt: skip
    listed = tmp_path / "list.jsonl"
    listed.write_text(json.dumps(item) + "\n")
    assert unprepared.main([str(listed), str(folder), "look", "-v"]) == 0
    assert "owner/name: {'b': 'wrong', 'c': 'silent', 'gone': 'lost'}" in capsys.readouterr().out
    assert unprepared.main([str(listed), str(folder), "measure"]) == 0
    assert "papers 0" in capsys.readouterr().out
