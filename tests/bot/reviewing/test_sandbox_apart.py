"""A process of its own finds the same structure, or says why it could not."""

from dataclasses import replace

import pytest

from bot.domain.review_result import ReviewFault, load_result
from bot.reviewing.pull_review import review_structure
from bot.reviewing.sandbox import ProcessBounds, structure_apart, structure_text
from pfcore.domain.errors import GitError
from pfcore.reporters.formats.publication import Conclusion
from tests.bot.readers import ALL, DANGLING, A, subject


@pytest.mark.acceptance
def test_a_process_of_its_own_finds_the_same(tmp_path, commits, bare, kit):
    change = subject(commits(A), commits(A + DANGLING))
    found = structure_apart(ProcessBounds(), tmp_path / "parsed", bare, change, ALL)
    assert found == review_structure(bare, change, kit(), ALL)
    assert found.conclusion is Conclusion.BLOCKING
    assert load_result(structure_text(tmp_path / "parsed", bare, change, ALL)) == found


@pytest.mark.parametrize("is_private", [True, False])
def test_a_paper_that_takes_too_long_is_no_pass(tmp_path, commits, bare, is_private):
    base = commits(A, pf_toml='publish = "private"\n' if is_private else "")
    change = subject(base, commits(A + DANGLING))
    found = structure_apart(ProcessBounds(seconds=0), tmp_path / "parsed", bare, change, ALL)
    assert (found.conclusion, found.fault) == (Conclusion.INCOMPLETE, ReviewFault.OURS)
    assert "longer than 0 seconds" in found.failure and found.is_private == is_private
    assert ("longer" in found.summary) is not is_private


def test_what_may_be_over_the_next_time_is_raised_here(tmp_path, commits, bare):
    base = commits(A)
    gone = replace(bare, git_dir=tmp_path / "gone", common_dir=tmp_path / "gone")
    with pytest.raises(GitError):
        structure_apart(ProcessBounds(), tmp_path / "parsed", gone, subject(base, base), ALL)
