"""A push is one message to all who watch, however much there is to say."""

import re

import pytest

from tests.bot.shop import checks
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


BLUEPRINT = (
    "\\begin{lemma}\\label{b}\\uses{} B.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
    "\\begin{lemma}\\label{z}\\uses{} Z.\\end{lemma}\n\\begin{proof} P. \\end{proof}\n"
)
LACKS = (
    "\\begin{lemma}\\label{t}\\uses{z} T.\\end{lemma}\n"
    "\\begin{proof}\\uses{%s}\n By \\ref{b}. \\end{proof}\n"
)


def test_what_is_only_offered_is_one_message_and_makes_nothing_red(github, shop, document):
    """A mend of a note: within the one review of a push, and changed by edits alone."""
    repo = github.repository(files={"main.tex": document(BLUEPRINT)})
    repo.commit({"main.tex": document(BLUEPRINT + LACKS % "")}, on="idea")
    pull = github.open(repo, "idea")
    shop.work()
    (remark,) = repo.remarks
    assert "```suggestion" in remark.body and len(messages(github)) == 1
    assert set(checks(repo, pull.head).values()) == {"success"}

    github.push(repo, {"notes.txt": "words"}, branch="idea")
    shop.work()
    assert len(messages(github)) == 1 and len(repo.remarks) == 1

    github.push(repo, {"main.tex": document(BLUEPRINT + LACKS % "b")}, branch="idea")
    shop.work()
    assert len(messages(github)) == 1 and "**Resolved**" in remark.body


@pytest.mark.parametrize("shown", [{}, {"main.tex": [(8, 11)]}, {"main.tex": [(300, 400)]}])
def test_a_push_is_one_message_where_github_shows_less_of_the_change(github, shop, document, shown):
    repo = github.repository(files=paper(document, 0))
    repo.commit(paper(document, 12), on="idea")
    github.open(repo, "idea", shown=shown)
    shop.work()
    assert len(repo.comments) + len(repo.reviews) == 1
    (said,) = repo.summaries
    beside = len(repo.remarks)
    assert "GitHub does not accept comments on these lines" in said.body
    assert len(re.findall(r"`[a-z2-7]{8}`", said.body)) >= 12 - beside
    assert {item.subject for item in repo.remarks} <= {"line"}
