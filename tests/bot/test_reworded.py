"""An objection that stands under other words is not called resolved."""

import pytest

from pfcore.testing import ScriptedLlm
from tests.pfcore.cli.conftest import ACCEPT, LEMMA, flag, genuine

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
GAPS = ("This is clear to the reader.", "This is obvious to everybody.")


def reader(request):
    """One who objects to what is called clear, and to what is called obvious."""
    for quote in GAPS:
        if quote in request.text:
            is_audit = "F1\nquote:" in request.text
            return genuine(quote, "Nothing is shown.") if is_audit else flag(quote)
    return ACCEPT


@pytest.fixture
def llm():
    return ScriptedLlm(reader)


@pytest.fixture
def paper(document):
    def written(claim, proof):
        return {"main.tex": document(POSITIVE + LEMMA % ("use", claim, f"\n{proof}\n"))}

    return written


@pytest.mark.parametrize(
    ("claim", "proof"),
    [
        ("The trace is positive", f"Let us begin.\n{GAPS[0]}"),
        ("The trace is positive", f"Let us begin.\n{GAPS[1]}"),
        ("The trace is mostly positive. Let it be so", GAPS[0]),
        ("The trace is mostly positive. Let it be so", f"Let us begin.\n{GAPS[1]}"),
    ],
)
def test_what_is_reworded_and_stands_is_not_called_resolved(github, shop, paper, claim, proof):
    repo = github.repository(files={**paper("The trace is positive", "Squares.")})
    repo.commit(paper("The trace is positive", GAPS[0]), on="idea")
    github.open(repo, "idea")
    shop.work()
    assert [item.line is None for item in repo.remarks] == [False]

    github.push(repo, paper(claim, proof), branch="idea")
    shop.work()
    assert not any("**Resolved**" in item.body for item in repo.remarks)
    assert not any("Resolved by this push" in item.body for item in repo.summaries)
    seen = [item for item in repo.remarks if item.line is not None]
    assert len(seen) == 1 and "Nothing is shown." in seen[0].body
    assert all(item.body.startswith("**Moved:**") for item in repo.remarks if item not in seen)

    github.push(repo, paper(claim, "It follows by squares."), branch="idea")
    shop.work()
    assert "**Resolved**" in seen[0].body
