"""A repository goes to another account: what waits for it follows, or is asked for anew there.

GitHub tells the installation that loses it, in any order with what else happens, or tells nobody.
"""

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from bot.domain.run_records import RunState
from pfcore.testing import ScriptedLlm
from tests.bot.shop import Shop, checks
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
CLOSED = LEMMA % ("closed", "Sums of forms are forms", "Clear.")
GREEN = {STRUCTURE: "success", PROOFS: "success"}


class Case:
    """A paper with a pull request that nobody has reviewed yet, and the App on two accounts."""

    def __init__(self, github, folder, document, **settings):
        self.github, self.document = github, document
        self.llm = ScriptedLlm(lambda request: self.replied())
        self.during = lambda: None
        self.shop = Shop(github, folder, self.llm, **settings)
        self.repo = github.repository(files=self.paper(POSITIVE), people={"alice": "write"})
        self.ours = self.repo.installation
        self.theirs = github.install("them").id
        self.repo.commit(self.paper(POSITIVE + CLOSED), on="idea")
        self.pull = github.open(self.repo, "idea")

    def replied(self):
        act, self.during = self.during, lambda: None
        act()
        return ACCEPT

    def paper(self, body):
        return {"main.tex": self.document(body)}

    def give(self, **more):
        self.github.transfer(self.repo, "them", **more)

    def runs(self):
        return self.shop.records.runs.latest(99, repository_id=self.repo.id)

    def checks(self):
        return checks(self.repo, self.pull.head)


@pytest.fixture
def case(github, tmp_path, document):
    made = Case(github, tmp_path, document)
    yield made
    made.shop.close()


@pytest.mark.parametrize("is_told", [True, False])
def test_a_review_that_waits_follows_the_repository(case, is_told):
    case.shop.receive()
    case.give(is_told=is_told)
    case.shop.work()
    assert case.checks() == GREEN
    assert len(case.repo.runs) == 2, "each check is told once"
    (done,) = [run for run in case.runs() if run.state is RunState.DONE]
    assert (done.installation, done.repository) == (case.theirs, "them/paper")


def test_a_delivery_that_comes_late_follows_too(case):
    case.give(is_told=False)
    case.shop.work()
    assert case.checks() == GREEN


def test_a_review_at_work_is_done_where_the_repository_is_by_then(case):
    case.during = case.give
    case.shop.work()
    case.shop.work()
    assert case.checks() == GREEN
    assert len(case.repo.runs) == 2
    assert len(case.llm.requests) == 3, "what was read is known there"


def test_what_is_kept_of_it_goes_along_and_goes_with_the_account_that_has_it(case):
    case.shop.work()
    case.github.say(case.repo, case.pull, "/pf pause", by="alice")
    case.shop.work()
    case.give()
    case.github.uninstall(case.ours)
    case.shop.work()
    assert case.shop.records.pulls.is_paused(case.repo.id, case.pull.number)
    assert {run.installation for run in case.runs()} == {case.theirs}
    case.github.uninstall(case.theirs)
    case.shop.work()
    assert case.runs() == []
    assert not case.shop.records.pulls.is_paused(case.repo.id, case.pull.number)
    assert case.shop.deliveries.repositories(case.theirs) == frozenset()


def test_what_is_lost_is_looked_for_once_github_has_had_a_moment(case):
    case.shop.work()
    case.github.push(case.repo, case.paper(CLOSED), branch="idea")
    case.shop.receive()
    case.github.transfer(case.repo, "nobody")

    def later(seconds):
        if case.repo.installation is None:
            case.github.rename(case.repo, "them/paper")
            case.repo.installation = case.theirs

    case.shop.asleep = later
    case.shop.receive()
    tasks = case.shop.tasks.tasks
    tasks.sort(key=lambda task: task.job.kind != "erase")  # it waits in another queue
    case.shop.work()
    assert case.checks() == GREEN
    assert len([run for run in case.runs() if run.state is RunState.DONE]) == 2


def test_what_is_lost_by_one_account_does_not_end_what_waits_under_the_other(case):
    case.give(is_told=False)
    case.shop.receive()
    case.github.push(case.repo, case.paper(POSITIVE + CLOSED + POSITIVE), branch="idea")
    case.shop.receive()
    case.github.tell_loss(case.ours, case.repo)
    case.shop.work()
    assert set(case.checks()) == {STRUCTURE, PROOFS}
    assert len([run for run in case.runs() if run.state is RunState.DONE]) == 1


def test_a_push_that_waits_follows_too(case):
    case.repo.commit({"pf.toml": "[app]\nevery_branch = true\n"})
    case.shop.receive()
    case.shop.tasks.tasks.clear()
    case.github.close(case.repo, case.pull)
    case.shop.work()
    head = case.github.push(case.repo, case.paper(CLOSED), branch="other")
    case.shop.receive()
    case.give(is_told=False)
    case.shop.work()
    assert checks(case.repo, head) == GREEN


def test_a_question_that_waits_is_answered_there(case):
    case.shop.work()
    case.github.say(case.repo, case.pull, "/pf graph", by="alice")
    case.shop.receive()
    case.give(is_told=False)
    case.shop.work()
    answers = [item for item in case.repo.comments if item.author == case.github.login]
    assert len(answers) == 1


def test_an_account_that_is_not_served_gets_nothing(github, tmp_path, document):
    case = Case(github, tmp_path, document, accounts=frozenset(("us",)))
    try:
        case.shop.receive()
        case.give()
        case.shop.work()
        assert case.repo.runs == [] and case.llm.requests == []
        assert "not enabled" in case.runs()[0].note
    finally:
        case.shop.close()


def test_where_the_app_is_not_on_the_new_account_it_is_asked_anew_once_it_is(case):
    case.github.uninstall(case.theirs)
    case.shop.receive()
    case.give(is_told=False)
    case.shop.work()
    assert case.repo.runs == []
    again = case.github.install("them").id
    case.github.give_back(case.repo, again)
    case.shop.work()
    assert case.checks() == GREEN


def test_a_repository_that_is_gone_is_looked_for_once_more_and_given_up(case):
    case.shop.receive()
    case.github.withdraw(case.repo)
    case.github.calls.clear()
    case.shop.work()
    asked = [call for call in case.github.calls if call.path == "/repos/us/paper/installation"]
    assert 0 < len(asked) <= 3
    assert case.repo.runs == []


def test_github_may_need_a_moment_to_know_where_it_is(case):
    case.shop.receive()
    case.give(is_told=False)
    case.github.fail("GET", r"/repos/us/paper/installation", status=404)
    case.shop.work()
    assert case.checks() == GREEN
