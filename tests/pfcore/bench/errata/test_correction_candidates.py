"""Commits that look like corrections, proposed as rows."""

import json
import subprocess
import tomllib
from pathlib import Path

import pytest

from pfcore.bench.errata import correction_candidates
from pfcore.bench.errata.clones import find_clone
from pfcore.bench.errata.correction_candidates import (
    correction_words,
    is_of_substance,
    is_telling,
    mined,
)
from pfcore.bench.errata.corrections import CorrectionRow, DefectPart, row_line
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.repository.commit_log import LineChange
from pfcore.repository.git import find_repository
from tests.conftest import commit
from tests.pfcore.bench.errata.conftest import AFTER, LATER, paper

WORDS = Path(correction_candidates.__file__).with_name("correction_words.toml")


def mine(corrected, since=None):
    clone = find_clone(corrected.folder, "owner/notes")
    assert clone is not None
    return mined(clone, "owner/notes", since, ParseCache(MemoryCache()))


def changed(removed, added):
    return LineChange(old=(1, 1), new=(1, 1), removed=(removed,), added=(added,))


def test_every_entry_finds_its_example():
    tables = tomllib.loads(WORDS.read_text("utf-8"))
    entries = [entry for listed in tables.values() for entry in listed]
    assert len(entries) > 10
    for entry in entries:
        assert correction_words().search(entry["example"]), entry


def test_a_correction_is_proposed_as_it_would_be_labelled(corrected):
    found = mine(corrected)
    assert found.commits == 3
    (row,) = found.rows
    expected = CorrectionRow.model_validate(
        corrected.row(
            id=row.id, wrong="", area="", severity=None, detectable=None, control=None,
            confirmed=False,
        )
    )  # fmt: skip
    assert row == expected
    assert row.id == f"owner-notes-{corrected.commit[:10]}-1"
    assert json.loads(row_line(row))["confirmed"] is False


def test_only_later_commits_are_looked_at(corrected):
    assert mine(corrected, corrected.parent).commits == 2
    assert mine(corrected, corrected.commit).rows == ()


def test_words_count_in_messages_and_comments_and_not_in_mathematics():
    assert is_telling("Fix signs", [])
    assert is_telling("", [[changed("x % should be y", "y")]])
    assert not is_telling("", [[changed("Fix $x$.", "Fix $y$.")]])
    assert not is_telling("prefix", [[changed(r"a \% wrong", "b")]])


def test_white_space_and_comments_are_no_substance():
    assert not is_of_substance([changed("a  b % typo", "a b")])
    assert is_of_substance([changed("a b", "a c")])


def test_a_correction_of_the_statement_and_of_a_reference_are_told_apart(corrected):
    statement = paper(LATER).replace("Odd numbers", "Odd integers")
    commit(corrected.repo, {"main.tex": statement}, message="fix the statement")
    cited = paper(LATER.replace("Hence", r"By \ref{sum}"))
    commit(corrected.repo, {"main.tex": cited})
    other = cited.replace(r"\ref{sum}", r"\ref{parity}")
    commit(corrected.repo, {"main.tex": other}, message="wrong reference")
    assert [row.part for row in mine(corrected).rows] == [
        DefectPart.CITATION,
        DefectPart.STATEMENT,
        DefectPart.PROOF,
    ]


@pytest.mark.parametrize(
    "text",
    [
        paper(LATER.replace("Hence", "Therefore"), more="An introduction.\n").replace("Odd", "Big"),
        paper("\n".join(f"Line {number}." for number in range(30))),
        paper(LATER, more="Words before.\n"),
        paper(LATER) + "% nothing else\n",
    ],
    ids=["statement and proof", "a rewriting", "outside of results", "a comment"],
)
def test_other_changes_are_no_candidates(corrected, text):
    commit(corrected.repo, {"main.tex": text}, message="fix errors")
    assert len(mine(corrected).rows) == 1


def test_a_revision_of_many_files_is_no_candidate(corrected):
    files = {f"{name}.tex": paper(AFTER) for name in "abcd"}
    commit(corrected.repo, files)
    files = {name: text.replace("n+1", "n+3") for name, text in files.items()}
    commit(corrected.repo, files, message="fix everywhere")
    assert len(mine(corrected).rows) == 1


def test_a_new_file_and_a_commit_that_cannot_be_read_stop_nothing(corrected):
    commit(corrected.repo, {"new.tex": "no document, fixed"}, message="fix")
    (corrected.repo / "pf.toml").write_text("not settings")
    commit(corrected.repo, {"main.tex": paper(AFTER)}, message="correct")
    assert len(mine(corrected).rows) == 2


@pytest.mark.corpus
@pytest.mark.parametrize("name", ["pfr", "hott-intro"])
def test_a_real_history_is_mined(corpus, tmp_path, name):
    bundle = corpus / "bundles" / f"{name}.bundle"
    command = ["git", "clone", "--quiet", "--bare", str(bundle), str(tmp_path / name)]
    subprocess.run(command, check=True)
    clone = find_repository(tmp_path / name)
    assert clone is not None
    found = mined(clone, name, None, ParseCache(MemoryCache()))
    assert found.commits > 50
    assert found.unread == ()
    for row in found.rows:
        assert CorrectionRow.model_validate_json(row_line(row)) == row
        assert row.is_at_defect(*row.module_lines)
