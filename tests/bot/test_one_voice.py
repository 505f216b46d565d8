"""A push is one message to all who watch, however much there is to say."""

import re

import pytest

from tests.pfcore.cli.conftest import LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

SOUND = LEMMA % ("sound", "Every form is positive", "It is a sum of squares.")


def paper(document, count):
    wrong = (LEMMA % (f"w{n}", f"Form {n} is odd", rf"By \ref{{gone{n}:x}}.") for n in range(count))
    return {"main.tex": document(SOUND + "".join(wrong))}


def messages(github):
    """What people get a message for: each comment and each review; an edit is none."""
    said = ("/comments", "/reviews")
    return [
        call.path for call in github.calls if call.method == "POST" and call.path.endswith(said)
    ]


@pytest.mark.parametrize("count", [0, 1, 60, 600])
def test_a_push_is_one_message_at_most(github, shop, document, count):
    repo = github.repository(files=paper(document, 0))
    repo.commit(paper(document, count), on="idea")
    github.open(repo, "idea")
    shop.work()
    assert len(messages(github)) == bool(count)
    assert len(repo.remarks) == min(count, 10)
    if count > 10:
        (review,) = repo.reviews
        assert "10 comments on" in review.body and len(review.body) < 65_000

    before = len(messages(github))
    github.push(repo, paper(document, count + 1), branch="idea")
    shop.work()
    assert len(messages(github)) - before <= 1

    before = len(messages(github))
    github.push(repo, paper(document, 0), branch="idea")
    shop.work()
    assert len(messages(github)) == before, "what is mended is said by edits"
    assert all("**Resolved**" in item.body for item in repo.remarks)


@pytest.mark.parametrize("shown", [{}, {"main.tex": [(8, 11)]}, {"main.tex": [(300, 400)]}])
def test_a_push_is_one_message_where_github_shows_less_of_the_change(github, shop, document, shown):
    repo = github.repository(files=paper(document, 0))
    repo.commit(paper(document, 12), on="idea")
    github.open(repo, "idea", shown=shown)
    shop.work()
    assert len(repo.comments) + len(repo.reviews) == 1
    (said,) = repo.summaries
    beside = len(repo.remarks)
    assert "GitHub accepts no comment on these lines" in said.body
    assert len(re.findall(r"`[a-z2-7]{8}`", said.body)) >= 12 - beside
    assert {item.subject for item in repo.remarks} <= {"line"}
