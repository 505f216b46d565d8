"""A label, or a line by somebody who may write, keeps a pull request from being read: no pass.

GitHub passes what is neutral where it is required.
"""

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from pfcore.cli.github_actions import DO_NOT_READ
from pfcore.testing import ScriptedLlm
from tests.bot.shop import checks
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
USE = LEMMA % ("use", "The trace is positive", r"By \ref{positive}.")
READ = {STRUCTURE: "success", PROOFS: "success"}
WITHHELD = {STRUCTURE: "action_required", PROOFS: "action_required"}


@pytest.fixture
def llm():
    return ScriptedLlm(lambda request: ACCEPT)


@pytest.fixture
def repo(github, document):
    made = github.repository(
        files={"main.tex": document(POSITIVE)}, people={"alice": "write", "eve": "read"}
    )
    made.commit({"main.tex": document(POSITIVE + USE)}, on="idea")
    return made


def test_a_label_withholds_what_it_stands_on_until_it_is_gone(github, shop, repo):
    pull = github.open(repo, "idea")
    shop.work()
    assert checks(repo, pull.head) == READ
    asked = len(shop.llm.requests)
    github.label(repo, pull, "something else")
    assert shop.work() == []
    github.label(repo, pull, DO_NOT_READ)
    shop.work()
    assert checks(repo, pull.head) == WITHHELD
    github.label(repo, pull, DO_NOT_READ, gone=True)
    shop.work()
    assert checks(repo, pull.head) == READ
    assert len(shop.llm.requests) == asked


def test_whoever_asks_for_a_check_has_it_read_all_the_same(github, shop, repo):
    pull = github.open(repo, "idea")
    github.label(repo, pull, DO_NOT_READ)
    shop.work()
    assert (checks(repo, pull.head), shop.llm.requests) == (WITHHELD, [])
    github.say(repo, pull, "/pf check", by="alice")
    shop.work()
    assert checks(repo, pull.head) == READ


@pytest.mark.parametrize(("author", "found"), [("alice", WITHHELD), ("eve", READ)])
def test_a_line_of_the_description_counts_where_its_author_may_write(
    github, shop, repo, author, found
):
    pull = github.open(repo, "idea", author=author)
    shop.work()
    github.describe(repo, pull, "Other words.")
    assert shop.work() == []
    github.describe(repo, pull, "Typos.\n\npf: do not read\n")
    shop.work()
    assert checks(repo, pull.head) == found
    github.describe(repo, pull, "")
    shop.work()
    assert checks(repo, pull.head) == READ
