"""What stands is to be seen where it stands, also when its line was edited."""

import pytest

from tests.pfcore.cli.conftest import LEMMA

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
DANGLING = LEMMA % ("use", "The trace is positive", r"By %s \ref{nowhere}.")


def test_a_finding_whose_line_is_edited_and_not_mended_is_said_there_anew(github, shop, document):
    def paper(word):
        return {"main.tex": document(POSITIVE + (DANGLING % word if word else ""))}

    repo = github.repository(files=paper(""))
    repo.commit(paper("first"), on="idea")
    pull = github.open(repo, "idea")
    shop.work()
    (first,) = repo.remarks
    github.push(repo, paper("second"), branch="idea")
    assert first.line is None
    shop.work()
    first, second = repo.remarks
    assert second.line is not None and second.number == pull.number
    assert first.body.startswith("**Moved:**") and f"#discussion_r{second.id}" in first.body
    assert first.is_minimised and not second.is_minimised
    assert f"#discussion_r{first.id}" in second.body

    said = [item.body for item in repo.remarks]
    github.close(repo, pull)
    github.reopen(repo, pull)
    shop.work()
    assert [item.body for item in repo.remarks] == said

    github.push(repo, paper(""), branch="idea")
    shop.work()
    assert repo.remarks[0].body.startswith("**Resolved**")
    assert repo.remarks[1].body.startswith("**Resolved**")
