"""Rows of ArxivMathGradingBench with their PDFs, and what is said of those that cannot be used."""

import json
import shutil
from pathlib import Path

import pytest

from pfcore.bench.runs.benchmark_rows import load_papers, places, reference_places
from pfcore.domain.errors import UsageError

DATA = Path(__file__).resolve().parents[3] / "data" / "bench"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("9901.00001v1", "9901.00002v2"):
        (tmp_path / f"{name}.pdf").write_bytes(b"%PDF-1.7 made up")
    return tmp_path


def test_rows_come_with_their_papers_and_known_errors(folder: Path) -> None:
    first, second = load_papers(DATA / "arxiv.jsonl", folder)
    assert first.name == "9901.00001v1"
    assert first.title == "On a made-up theorem"
    assert first.errors == ("Theorem 1.5", "Lemma 2.1")
    assert first.pdf == folder / "9901.00001v1.pdf"
    assert (second.name, second.errors) == ("9901.00002v2", ("Lemma 5",))
    assert second.url == "https://example.org/abs/9901.00002v2"


def test_a_file_may_leave_the_version_out(folder: Path) -> None:
    shutil.move(folder / "9901.00001v1.pdf", folder / "9901.00001.pdf")
    assert load_papers(DATA / "arxiv.jsonl", folder)[0].pdf.name == "9901.00001.pdf"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Lemma 1.1", ["Lemma 1.1"]),
        ("Theorem A, Proposition A.", ["Theorem A", "Proposition A"]),
        ("Lemmas 3.1 and 3.2", ["Lemma 3.1", "Lemma 3.2"]),
        ("Theorems 1, 2, and 4; Lemma 9", ["Theorem 1", "Theorem 2", "Theorem 4", "Lemma 9"]),
        ("proof of Lemma 4.3, Lemma 4.3", ["proof of Lemma 4.3"]),
        ("Theorem 2, Step 3 and the end of it", ["Theorem 2, Step 3 and the end of it"]),
        ("Section 3, second paragraph", ["Section 3, second paragraph"]),
        ("the main theorem", ["the main theorem"]),
        ("Lemma 4.3, main theorem", ["Lemma 4.3", "main theorem"]),
        ("Propositions 2.1 & 2.2", ["Proposition 2.1", "Proposition 2.2"]),
        ("Corollaries 1 and 2", ["Corollary 1", "Corollary 2"]),
    ],
)  # fmt: skip
def test_a_list_of_locations_is_split_where_another_begins(text: str, expected) -> None:
    assert list(places(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Theorem 1.5, Lemma 2.1", ["Theorem 1.5", "Lemma 2.1"]),
        ("Lemma 4.3, main theorem", ["Lemma 4.3", "main theorem"]),
        ("Lemmas 3.1 and 3.2", ["Lemmas 3.1", "3.2"]),
        ("Theorem 2, Step 3 and the end; ", ["Theorem 2", "Step 3", "the end"]),
        ("Lemma 1, Lemma 1", ["Lemma 1"]),
    ],
)  # fmt: skip
def test_the_published_scripts_split_everywhere(text: str, expected) -> None:
    assert list(reference_places(text)) == expected


def test_a_file_may_have_the_name_that_the_published_scripts_give_it(folder: Path) -> None:
    shutil.move(folder / "9901.00001v1.pdf", folder / "arXiv-9901.00001v1.pdf")
    assert load_papers(DATA / "arxiv.jsonl", folder)[0].pdf.name == "arXiv-9901.00001v1.pdf"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Location of Error": " "}, "Location of Error"),
        ({"Location of Error": None}, "Location of Error"),
        ({"version": "latest"}, "version"),
        ({"arxiv_id": "../secret"}, "arxiv_id"),
        ({"arxiv_id": "9901.00009"}, "no PDF: none of 9901.00009v2.pdf, 9901.00009.pdf, "),
        ({"arxiv_id": "9901.00001", "version": 1}, "9901.00001v1 again"),
    ],
)
def test_a_wrong_row_is_named_by_its_number(folder: Path, change, words: str) -> None:
    first, second = map(json.loads, (DATA / "arxiv.jsonl").read_text("utf-8").splitlines())
    path = folder / "rows.json"
    path.write_text(json.dumps([first, {**second, **change}]), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        load_papers(path, folder)
    assert caught.value.message.startswith(f"{path}, row 2: ")
    assert words in caught.value.message


def test_what_is_no_pdf_is_not_sent_as_one(folder: Path) -> None:
    (folder / "9901.00002v2.pdf").write_text("<html>not found</html>")
    with pytest.raises(UsageError, match=r"row 2: .*9901\.00002v2\.pdf is no PDF"):
        load_papers(DATA / "arxiv.jsonl", folder)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nowhere is no folder"):
        load_papers(DATA / "arxiv.jsonl", tmp_path / "nowhere")
