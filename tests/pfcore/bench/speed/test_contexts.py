"""Papers cut off behind their first modules, and how long the calls are that read them."""

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from pfcore.bench.speed import contexts
from pfcore.bench.speed.contexts import PrefixTokens, context_growth, exponent, points, prefix
from pfcore.graph.paper_state import PaperState, build_paper_state
from pfcore.papers import discover
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository import snapshot

LEMMA = (
    "\\begin{lemma}\\label{l%d} Fact %d about numbers holds.\\end{lemma}\n"
    "\\begin{proof} By \\ref{l%d}, this is so. \\end{proof}\nSome more words follow here.\n"
)
BODY = "".join(LEMMA % (n, n, max(1, n - 1)) for n in range(1, 31))


@pytest.fixture
def found(paper: Callable[..., PaperState]) -> PaperState:
    return paper(BODY)


def test_a_prefix_has_the_first_modules_and_nothing_behind_them(found: PaperState) -> None:
    cut = prefix(found, 4)
    assert list(cut.document.modules) == ["l1", "l2", "l3", "l4"]
    assert all(cut.document.modules[name].proofs for name in cut.document.modules)
    text = cut.paper.source("main.tex")
    assert "Fact 4" in text
    assert "Fact 5" not in text
    assert text.endswith("\\end{document}\n")


def test_files_that_are_read_later_are_empty_in_a_prefix(paper: Callable[..., PaperState]) -> None:
    files = {
        "main.tex": "\\input{one}\n\\input{two}\n\\begin{lemma}\\label{z} Z. \\end{lemma}",
        "one.tex": LEMMA % (1, 1, 1) + LEMMA % (2, 2, 1),
        "two.tex": LEMMA % (3, 3, 2),
    }
    cut = prefix(paper(files), 2)
    assert list(cut.document.modules) == ["l1", "l2"]
    assert "Fact" not in cut.paper.source("two.tex")


def test_what_is_read_in_behind_the_last_module_is_empty_modules_or_none(
    paper: Callable[..., PaperState],
) -> None:
    files = {
        "main.tex": "\\documentclass{article}\n\\input{macros}\n\\begin{document}\n\\input{part}\n"
        "\\input{words}\n\\input{two}\n\\end{document}\n",
        "macros.tex": "\\newtheorem{lemma}{Lemma}\n",
        "part.tex": "\\emph{\\input{one}\\input{other}}\n",
        "one.tex": "First words.\n" + LEMMA % (1, 1, 1),
        "other.tex": "Before it. " + LEMMA % (2, 2, 1),
        "words.tex": "Words alone.\n",
        "two.tex": "Words before. " + LEMMA % (3, 3, 2),
    }
    cut = prefix(paper(files), 1)
    assert list(cut.document.modules) == ["l1"]
    assert {path: cut.paper.source(path) for path in cut.paper.outline.order} == {
        **files,
        "other.tex": "Before it. ",
        "words.tex": "",
        "two.tex": "",
    }


def test_files_that_nobody_reads_in_are_read_in_the_order_of_the_paper(tmp_path: Path) -> None:
    texts = {
        "a.tex": LEMMA % (1, 1, 1),
        "b.tex": "Words. " + LEMMA % (2, 2, 1),
        "c.tex": "Words. " + LEMMA % (3, 3, 1),
    }
    for path, text in texts.items():
        (tmp_path / path).write_text(text, encoding="utf-8")
    (found,) = discover.discover_papers(
        snapshot.from_folder(tmp_path), ParseCache(MemoryCache())
    ).papers
    cut = prefix(build_paper_state(found), 1)
    assert list(cut.document.modules) == ["l1"]
    assert [cut.paper.source(path) for path in texts] == [texts["a.tex"], "Words. ", ""]


def test_what_stands_in_the_last_module_stays_in_it(paper: Callable[..., PaperState]) -> None:
    body = LEMMA % (1, 1, 1) + (
        "\\begin{lemma}\\label{a} A. \\end{lemma}\\begin{proof} We need this.\n"
        "\\begin{claim}\\label{c} C. \\end{claim}\\begin{proof} Clear. \\end{proof} Done.\n"
        "\\end{proof}\n" + LEMMA % (2, 2, 1)
    )
    cut = prefix(paper(body), 2)
    assert set(cut.document.modules) == {"l1", "a", "c"}
    assert cut.document.modules["a"].proofs


def test_a_file_in_modules_is_cut_without_a_word_of_latex(tmp_path: Path) -> None:
    data = Path(__file__).parents[3] / "data" / "several_theorems.pf"
    (tmp_path / "several.pf").write_text(data.read_text("utf-8"), encoding="utf-8")
    parse_cache = ParseCache(MemoryCache())
    (whole,) = discover.discover_papers(snapshot.from_folder(tmp_path), parse_cache).papers
    listed = points(build_paper_state(whole))
    sizes = [point.modules for point in listed]
    assert sizes == sorted(set(sizes))
    cut = prefix(build_paper_state(whole), 3)
    assert "end{document}" not in cut.paper.source("several.pf")


def test_calls_for_blocks_stay_as_long_while_judging_the_whole_grows(found: PaperState) -> None:
    listed = points(found)
    assert [point.modules for point in listed] == sorted(point.modules for point in listed)
    assert listed[-1].modules == len(listed[-1].blocks) == 30
    by_size = [(point.modules, point.median) for point in listed]
    assert abs(exponent(by_size) or 0) < 0.05
    wholes = [point.whole for point in listed]
    assert wholes == sorted(wholes)
    assert listed[-1].given_median > 0
    assert max(listed[-1].blocks) >= listed[-1].ninetieth >= listed[-1].median


def test_a_power_is_found_and_one_point_has_none() -> None:
    assert exponent([(n, 3.0 * n**2) for n in (1, 2, 5, 9)]) == pytest.approx(2)
    assert exponent([(2, 5.0), (4, 5.0)]) == pytest.approx(0)
    assert exponent([(2, 5.0)]) is None
    assert exponent([(2, 0.0), (3, 1.0)]) is None


def test_the_table_has_a_line_for_each_prefix_and_one_of_powers(
    found: PaperState, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "main.tex").write_text(found.paper.source("main.tex"), encoding="utf-8")
    assert contexts.main([str(folder)]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["paper", "modules", "proofs"]
    assert len(rows) == len(points(found)) + 1
    assert "grow like" in rows[-1]
    assert rows[-1].split()[-1].startswith("n^")


def test_the_picture_is_drawn(found: PaperState) -> None:
    made = context_growth({"one": points(found), "two": points(found)})
    assert made.data["png"].startswith(b"\x89PNG")
    assert b"<svg" in made.data["svg"]


def test_powers_that_would_stand_on_one_another_are_told_apart() -> None:
    listed = [
        PrefixTokens(modules=n, blocks=(100 + n,), given=(90 + n,), whole=104 + n)
        for n in (1, 2, 3)
    ]
    svg = context_growth({"one": listed}).data["svg"].decode()
    placed = re.findall(r"<!-- ~ n\^\S+ -->\s*<g[^>]*translate\(\S+ (\S+)\)", svg)
    heights = sorted(map(float, placed))
    assert len(heights) == 3
    assert all(b - a > 9 for a, b in pairwise(heights))
