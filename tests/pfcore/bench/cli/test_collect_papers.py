"""`pf bench collect-arxiv` on a constructed archive: three stages, each asked for once."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from pfcore.bench.cli.collect_papers import CollectOptions, collect
from pfcore.bench.runs.benchmark_rows import load_papers
from pfcore.bench.runs.collected_papers import ArxivEntry, ArxivGoneError
from pfcore.cli.environment import ReaderOptions
from pfcore.cli.main import main
from pfcore.domain.errors import IncompleteError
from pfcore.reporters.printing import Style

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

CC_BY = "http://creativecommons.org/licenses/by/4.0/"
FIRST, LAST = date(2025, 1, 1), date(2025, 1, 2)


def entry(number: int, comment: str, version: int = 2) -> ArxivEntry:
    return ArxivEntry(
        id=f"2501.0000{number}",
        version=version,
        title=f"Paper {number}",
        category="math.NT",
        published=FIRST,
        abstract="A.",
        comment=comment,
    )


@dataclass
class Constructed:
    """An archive in memory, made up for these tests; `down` counts answers until it fails."""

    days: dict[date, list[ArxivEntry]]
    licences: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)
    down: int = 1000

    def submitted(self, day: date) -> Iterable[ArxivEntry]:
        self._count(str(day))
        return self.days[day]

    def licence(self, paper: str) -> str:
        self._count(f"licence {paper}")
        return self.licences.get(paper, CC_BY)

    def pdf(self, paper: str, version: str) -> bytes:
        self._count(f"{paper}{version}")
        if paper in self.gone:
            raise ArxivGoneError(f"arXiv has no PDF of {paper}{version}")
        return b"%PDF-1.5 constructed"

    def _count(self, what: str) -> None:
        if not self.down:
            raise IncompleteError("arXiv did not answer")
        self.down -= 1
        self.asked.append(what)


@pytest.fixture
def archive() -> Constructed:
    return Constructed(
        days={
            FIRST: [
                entry(1, "Minor corrections to Theorem 1.5 and Lemma 2.1."),
                entry(2, "Fixed typos in the proof of Theorem 3."),
                entry(3, "First version with a fixed Lemma", version=1),
                entry(4, "More pages."),
            ],
            LAST: [
                entry(5, "The proof of Lemma 5 is incorrect.", version=4),
                entry(6, "Corrected Proposition 2, no licence."),
                entry(7, "Corrected Proposition 7, no file."),
                entry(8, "An error in a lemma is fixed."),
            ],
        },
        licences={"2501.00006": "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"},
        gone={"2501.00007"},
    )


SAID = {
    "Theorem 1.5": ("minor", "Theorem 1.5", "Lemma 2.1"),
    "typos": ("none",),
    "Lemma 5": ("major", "Lemma 5"),
    "Proposition 2": ("minor", "Proposition 2"),
    "Proposition 7": ("minor", "Proposition 7"),
    "a lemma": ("minor",),
}


@pytest.fixture
def answering(referee, tmp_path, monkeypatch):
    """A model that knows the comments of these tests, and a store of its own."""

    def say(stage: str, text: str) -> str:
        word, *places = next(said for words, said in SAID.items() if words in text)
        listed = "".join(f"<place>{place}</place>" for place in places)
        return f'<places>{listed}</places>\n```json\n{{"correction": "{word}"}}\n```'

    referee.say = say
    monkeypatch.setenv("PF_DATA_DIR", str(tmp_path / "data"))
    return referee


def run(archive: Constructed, folder: Path, *, model: str | None = "m") -> tuple[int, str]:
    said: list[str] = []
    reader = ReaderOptions(model=model, is_offline=model is None)
    wanted = CollectOptions(first=FIRST, last=LAST, out=folder, reader=reader, style=Style())
    status = collect(wanted, said.append, archive)
    return status, "".join(said)


def test_three_stages_make_rows_that_the_benchmark_reads(answering, archive, tmp_path):
    status, out = run(archive, tmp_path / "out")
    assert status == 0
    assert "6 papers of 8 with a comment that speaks of a correction and of a result." in out
    assert "Corrections: 1 major, 4 minor, 1 none." in out
    assert "2 rows, with PDFs of the versions before in pdfs/." in out
    assert "left out, no permissive licence: 2501.00006" in out
    assert "left out, no PDF: 2501.00007" in out
    assert "left out, no result is named: 2501.00008" in out
    assert "Read the rows before they are used" in out
    rows = load_papers(tmp_path / "out" / "rows.jsonl", tmp_path / "out" / "pdfs")
    assert [(row.name, row.errors) for row in rows] == [
        ("2501.00001v1", ("Theorem 1.5", "Lemma 2.1")),
        ("2501.00005v3", ("Lemma 5",)),
    ]
    first = json.loads((tmp_path / "out" / "rows.jsonl").read_text().splitlines()[0])
    assert (first["correction"], first["licence"]) == ("minor", CC_BY)
    assert first["comment"] == "Minor corrections to Theorem 1.5 and Lemma 2.1."


def test_a_second_run_asks_nobody_anything(answering, archive, tmp_path):
    _, before = run(archive, tmp_path / "out")
    asked, calls = len(archive.asked), len(answering.asked)
    _, after = run(archive, tmp_path / "out")
    assert after == before
    assert (len(archive.asked), len(answering.asked)) == (asked, calls)


@pytest.mark.parametrize("down", range(8))
def test_whenever_arxiv_stops_answering_the_next_run_goes_on_from_there(
    answering, archive, tmp_path, down
):
    archive.down = down
    with pytest.raises(IncompleteError, match="collected papers are kept: run the command again"):
        run(archive, tmp_path / "out")
    archive.down = 1000
    assert run(archive, tmp_path / "out")[0] == 0
    assert len(archive.asked) == len(set(archive.asked)) == 2 + 4 + 3


def test_without_a_model_the_first_stage_is_all(answering, archive, tmp_path):
    status, out = run(archive, tmp_path / "out", model=None)
    assert status == 0
    assert "No model was used to classify corrections" in out
    assert answering.asked == []
    assert not (tmp_path / "out" / "rows.jsonl").exists()


def test_a_comment_without_a_class_is_named_and_is_no_none(answering, archive, tmp_path):
    say = answering.say
    answering.say = lambda stage, text: "no class" if "typos" in text else say(stage, text)
    status, out = run(archive, tmp_path / "out")
    assert status == 3
    assert "Corrections: 1 major, 4 minor, 1 not read." in out
    assert "not read: 2501.00002 (the reply has no JSON block)" in out


def test_a_day_that_was_spoilt_on_disk_is_asked_for_again(answering, archive, tmp_path):
    run(archive, tmp_path / "out", model=None)
    (tmp_path / "out" / "days" / f"{FIRST}.json").write_text("{")
    run(archive, tmp_path / "out", model=None)
    assert archive.asked == [str(FIRST), str(LAST), str(FIRST)]


def test_the_last_day_is_not_before_the_first(capsys):
    assert main(["bench", "collect-arxiv", "--from", "2025-01-02", "--to", "2025-01-01"]) == 2
    assert "the last day is before the first" in capsys.readouterr().err


def test_a_place_that_takes_no_files_is_told_before_arxiv_is_asked(capsys, tmp_path):
    (tmp_path / "taken").write_text("")
    days = ("--from", "2025-01-01", "--to", "2025-01-01")
    assert main(["bench", "collect-arxiv", *days, "--out", str(tmp_path / "taken")]) == 3
    assert "taken cannot be written" in capsys.readouterr().err


def test_what_is_no_day_is_refused(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["bench", "collect-arxiv", "--from", "January", "--to", "2025-01-01"])
    assert ended.value.code == 2
    assert "invalid date 'January'" in capsys.readouterr().err
