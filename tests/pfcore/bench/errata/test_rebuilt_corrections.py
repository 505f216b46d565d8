"""A result before its correction, after it, and in the last version of the history."""

import pytest

from pfcore.bench.errata.clones import find_clone
from pfcore.bench.errata.corrections import CorrectionRow
from pfcore.bench.errata.rebuilt_corrections import PairedMoment, rebuilt
from pfcore.papers.parse_cache import MemoryCache, ParseCache
from tests.conftest import article_text, commit, git
from tests.pfcore.bench.errata.conftest import LATER, LEMMA, OTHER, paper

BEFORE, AFTER, CONTROL = PairedMoment


@pytest.fixture
def rebuild(corrected):
    """Rebuilds the row, with some fields changed."""

    def run(**more):
        clone = find_clone(corrected.folder, "owner/notes")
        assert clone is not None
        row = CorrectionRow.model_validate(corrected.row(**more))
        return rebuilt(row, clone, ParseCache(MemoryCache()))

    return run


def proofs(found):
    return {moment: version.task.proof for moment, version in found.versions.items()}


def test_each_version_is_read_from_its_own_commit(rebuild):
    found = rebuild()
    texts = proofs(found)
    assert found.is_found
    assert not found.reasons
    assert "n+2" in texts[BEFORE]
    assert "n+1" in texts[AFTER]
    assert "divides" in texts[CONTROL]
    assert [task.module for task in found.tasks.values()] == ["7 before", "7 after", "7 control"]
    assert all(version.size > 50 for version in found.versions.values())


@pytest.mark.parametrize("label", [None, "gone", "\x1b[31m", "}{", "\\label{x", "*?["])
def test_a_result_without_its_label_is_found_by_its_place_and_its_words(rebuild, label):
    texts = proofs(rebuild(label=label))
    assert "n+2" in texts[BEFORE]
    assert "n+1" in texts[AFTER]
    assert "divides" in texts[CONTROL]


def test_a_result_that_has_moved_is_found_by_its_label(corrected, rebuild):
    git(corrected.repo, "mv", "main.tex", "book.tex")
    commit(corrected.repo, {"book.tex": paper(LATER, more=OTHER.replace("{sum}", "{first}"))})
    assert "divides" in proofs(rebuild())[CONTROL]


def test_a_statement_that_was_reworded_is_the_most_alike_of_its_kind(corrected, rebuild):
    text = paper(LATER, label="new").replace("have even neighbours", "have two even neighbours")
    commit(corrected.repo, {"main.tex": text})
    assert "divides" in proofs(rebuild())[CONTROL]


def test_a_result_that_is_gone_leaves_the_pair_without_a_control(corrected, rebuild):
    text = article_text(LEMMA % ("trees", "All trees are green today.", "Look."))
    commit(corrected.repo, {"main.tex": text})
    found = rebuild()
    assert found.is_found
    assert set(found.tasks) == {BEFORE, AFTER}
    assert "no result with a proof has the label 'parity'" in found.reasons[CONTROL]


def test_a_file_that_is_missing_is_named(rebuild):
    found = rebuild(file="other.tex")
    assert not found.is_found
    assert found.tasks == {}
    assert found.reasons[BEFORE].startswith("other.tex is missing at ")


def test_lines_without_a_result_say_so(rebuild):
    found = rebuild(label=None, statement_lines=[1, 1], fixed_lines=[[1, 1]])
    assert "no result with a proof has these lines of main.tex" in found.reasons[BEFORE]


def test_a_commit_that_the_clone_lacks_is_named_and_stops_nothing(rebuild):
    found = rebuild(parent="0" * 40)
    assert "unknown revision '0000" in found.reasons[BEFORE]
    assert AFTER in found.versions
    assert not found.is_found


def test_a_result_without_a_proof_is_not_found(corrected, rebuild):
    bare = "\\begin{lemma}\\label{parity}\nOdd.\n\\end{lemma}\n"
    parent = commit(corrected.repo, {"main.tex": article_text(bare)})
    found = rebuild(parent=parent)
    assert "no result with a proof has the label 'parity'" in found.reasons[BEFORE]
