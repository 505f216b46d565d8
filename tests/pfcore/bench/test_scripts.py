"""The scripts run on small papers; what they measure is not a test."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.bench import terminal_table
from pfcore.bench.quality import history
from pfcore.bench.speed import cost, growth, hook, large, parse, ratios, warm
from pfcore.domain.errors import UsageError
from pfcore.repository.snapshot import from_folder

pytestmark = pytest.mark.acceptance

ROOT = Path(__file__).resolve().parents[3]
PAPER = {
    "main.tex": r"""\documentclass{article}
\usepackage{amsthm,local}
\input{preamble}
\begin{document}
\section{One}\label{sec:one}
\begin{lemma}\label{lem:a} Every 2 of 3 is 5. \end{lemma}
\begin{proof}
Add them.
\end{proof}
\include{parts/two}
\end{document}
""",
    "preamble.tex": "\\newtheorem{lemma}{Lemma}\n",
    "local.sty": "\\newtheorem{theorem}[lemma]{Theorem}\n",
    "parts/two.tex": r"""\begin{theorem}\label{thm}
All is well.
\end{theorem}
\begin{proof}
By Lemma~\ref{lem:a}.
\end{proof}
""",
}
Commit = Callable[..., str]


@pytest.fixture
def folder(repository: Commit, tmp_path: Path) -> Path:
    repository(PAPER)
    return tmp_path / "paper"


def test_parsing_is_measured_by_stage(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert parse.main([str(folder)]) == 0
    head, row, total, plain_head, plain_row = capsys.readouterr().out.splitlines()
    assert "structure MB/s" in head
    assert row.startswith("paper main.tex")
    assert total.split()[1:3] == row.split()[2:4]
    assert plain_head.split("  ")[0] == "plain text of blocks"
    assert plain_row.split()[:3] == ["paper", "main.tex", "4"]
    assert plain_row.endswith("0.000")


def test_histories_are_measured_against_one_hop(
    folder: Path, repository: Commit, capsys: pytest.CaptureFixture[str]
) -> None:
    repository({"main.tex": PAPER["main.tex"].replace("is 5", "is 6")})
    assert history.main([str(folder)]) == 0
    assert capsys.readouterr().out.splitlines()[1].split() == [
        "paper", "1", "2", "2", "2", "2", "0", "0",
    ]  # fmt: skip


def test_a_bundle_is_a_history(
    folder: Path, repository: Commit, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError, match="no commit that could be compared"):
        history.main([str(folder)])
    repository({"main.tex": PAPER["main.tex"].replace("Add", "Count")})
    bundle = folder.parent / "some.bundle"
    command = ["git", "-C", str(folder), "bundle", "create", "-q", str(bundle), "HEAD", "main"]
    subprocess.run(command, check=True)
    with pytest.raises(UsageError, match="neither a bundle nor a repository"):
        history.main([str(folder.parent)])
    assert history.main([str(bundle), str(folder)]) == 0
    assert capsys.readouterr().out


def test_costs_are_those_of_a_simulated_reader(
    folder: Path, repository: Commit, capsys: pytest.CaptureFixture[str]
) -> None:
    long = PAPER["main.tex"].replace("Add", f"{'Count them. ' * 110}Count")
    repository({"main.tex": long})
    plain = folder.parent / "plain"
    plain.mkdir()
    (plain / "main.tex").write_text(PAPER["main.tex"].replace("\\input{preamble}", ""))
    assert cost.main([str(folder), str(plain)]) == 0
    first, head, *rows = capsys.readouterr().out.splitlines()
    assert first == "simulated reader: no model was used"
    assert head.split()[:4] == ["paper", "blocks", "modules", "calls"]
    reference, author, fine, _ = (row.split() for row in rows[:4])
    assert reference[:5] == ["paper", "main.tex", "reference", "2", "6"]
    assert reference[-6:] == [*["1.000"] * 4, reference[7], "1.000"]
    assert author[:4] == ["paper", "main.tex", "author", "2"]
    assert int(fine[4]) > int(author[4]) >= 2
    assert all(0 < float(share) < 1 for share in (*author[-6:-2], author[-1]))
    stages = [row.split()[1:5] for row in rows if row.startswith("paper  ") or " main.tex " in row]
    assert ["main.tex", "reference", "faithfulness", "2"] in stages
    whole, commit = int(author[5].replace(",", "")), rows[-3].split()
    assert commit[:3] == ["paper", "author", "1"]
    assert 0 < float(commit[5].replace(",", "")) < whole * 1.5


def test_a_large_paper_is_made_of_copies_with_labels_of_their_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = folder.parent / "large"
    assert large.main([str(folder), str(target), "5"]) == 0
    assert "3 copies, 6 modules" in capsys.readouterr().out
    assert (target / "copy02/parts/two.tex").read_text().count("c2:lem:a") == 1
    assert "\\input{copy01/parts/two}" in (target / "copy01/body.tex").read_text()
    assert "Every 12 of 13 is 15." in (target / "copy01/body.tex").read_text()
    (found,) = (large._largest(target),)
    assert len(found.document.modules) == 6
    assert {edge.source: edge.target for edge in found.document.edges} == {
        f"c{n}:thm": f"c{n}:lem:a" for n in range(3)
    }
    assert from_folder(target).files.keys() >= {"local.sty", "preamble.tex", "main.tex"}


def test_warm_plans_are_measured(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "_TIMES", 1)
    assert warm.main([str(folder)]) == 0
    printed = capsys.readouterr().out
    assert "one line of a statement" in printed
    assert "nothing to do" in printed
    (folder / "main.tex").write_text("changed")
    with pytest.raises(UsageError, match="not committed"):
        warm.main([str(folder)])


def test_plans_and_checks_are_measured_against_a_plain_scan(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ratios.main([str(folder), "1"]) in (0, 1)
    scan, head, *rows = capsys.readouterr().out.splitlines()
    assert scan.startswith("plain scan of 4 files, 0.0 MB")
    assert head.split("  ")[0] == "one line edited"
    assert [row.split("  ")[0] for row in rows[:5]] == [
        "first run after the edit of a proof",
        "pf plan, proof",
        "pf plan --format json, proof",
        "pf check, proof",
        "pf check --format json, proof",
    ]
    assert len(rows) == 10
    (folder / "main.tex").write_text("changed")
    with pytest.raises(UsageError, match="not committed"):
        ratios.main([str(folder)])


def test_medians_and_cells(capsys: pytest.CaptureFixture[str]) -> None:
    assert terminal_table.spread([3, 1, 2]) == (2, 3)
    terminal_table.show(("name", "n"), [("a", 1234), ("bb", 1.5), ("c", 12.25)])
    assert capsys.readouterr().out == "name      n\na     1,234\nbb    1.500\nc      12.2\n"


def test_a_sample_is_spread_over_all() -> None:
    assert terminal_table.sample(range(10), 3) == [0, 3, 6]
    assert terminal_table.sample(range(2), 3) == [0, 1]
    assert terminal_table.sample(range(2), 0) == []


def test_every_script_stands_in_the_notes_for_contributors() -> None:
    notes = (ROOT / ".github/CONTRIBUTING.md").read_text("utf-8")
    scripts = [
        path.stem
        for path in sorted((ROOT / "pfcore/bench").glob("*.py"))
        if "def main(" in path.read_text("utf-8")
    ]
    assert [name for name in scripts if f"`{name} " not in notes] == []


def test_the_hook_is_timed_on_what_may_be_staged(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert hook.main([str(folder), "1"]) in (0, 1)
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:5] == ["staged", "seconds", "git", "Python", "beyond"]
    names = ["nothing to do", "one line of a proof", "one line of a statement"]
    assert [row.split("  ")[0] for row in rows] == names
    (folder / "main.tex").write_text("Words.")
    with pytest.raises(UsageError, match="not committed"):
        hook.main([str(folder)])


def test_reading_time_is_measured_against_size_hostile_input_included(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert growth.main(["1"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split() == ["input", "KB", "seconds", "x2", "x4"]
    assert len(rows) == len(growth.KINDS)
    assert all(row.split()[-4] == "1" for row in rows)


@pytest.mark.parametrize("kind", growth.KINDS)
def test_an_input_of_a_kind_is_about_as_long_as_it_is_to_be(kind: str) -> None:
    lengths = [len(growth.KINDS[kind](size)) for size in (1_000, 2_000, 4_000)]
    assert lengths[0] >= 250
    assert 1.7 < lengths[1] / lengths[0] < 2.3
    assert 1.7 < lengths[2] / lengths[1] < 2.3
