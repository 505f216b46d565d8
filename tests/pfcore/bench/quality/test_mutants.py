"""What the script says of the errors that it can plant in a small paper."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.bench.planted.planting import OPERATORS
from pfcore.bench.quality import mutants


def test_errors_are_counted_by_operator_and_a_circle_is_seen(
    tmp_path: Path, document: Callable[..., str], capsys: pytest.CaptureFixture[str]
) -> None:
    body = r"""
\begin{lemma}\label{lem:a} Let $n$ be an odd number. Then $n \neq 2$. \end{lemma}
\begin{proof} If not, then $n \leq 1 + 1$. \end{proof}
\begin{theorem}\label{thm:b} All is well. \end{theorem}
\begin{proof} This follows from Lemma~\ref{lem:a}. \end{proof}
"""
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "main.tex").write_text(document(body), encoding="utf-8")
    assert mutants.main([str(folder)]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["paper", "operator", "places", "results", "planted", "seen", "share"]
    found = {row.split()[2]: row.split()[3:] for row in rows if row.startswith("one main.tex ")}
    assert set(found) == set(OPERATORS)
    assert found["circular-citation"] == ["1", "1", "1", "1"]
    assert found["flipped-inequality"] == ["1", "1", "1", "0"]
    assert found["dropped-hypothesis"] == ["1", "1", "1", "0"]
    assert found["wrong-cited-lemma"] == ["0", "0", "0", "0"]
    sums = {row.split()[2]: row.split()[3:] for row in rows if row.startswith("all papers ")}
    assert sums["circular-citation"] == ["1", "1", "1", "1", "1.000"]
    assert sums["wrong-cited-lemma"] == ["0", "0", "0", "0"]
    planted = sum(int(row[2]) for row in found.values())
    seen = {name for name, row in found.items() if row[3] != "0"}
    assert seen == {"circular-citation", "missing-case"}  # a proof without its only case is empty
    assert sums["all"][2:] == [str(planted), "2", f"{2 / planted:.3f}"]
