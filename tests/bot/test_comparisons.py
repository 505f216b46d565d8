"""A review belongs to a comparison: what each event leads to, walked as a table.

Every row begins with a reviewed pull request. A new comparison is reviewed and told once; the same
one is told by nobody again; and in the end the checks are what a fresh review makes of it.
"""

from collections.abc import Callable
from enum import Enum

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from bot.domain.run_records import RunState
from pfcore.testing import ScriptedLlm
from tests.bot.shop import Shop, checks, reviewer_of
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
CLOSED = LEMMA % ("closed", "Sums of forms are forms", "Clear.")
DANGLING = LEMMA % ("use", "The trace is positive", r"By \ref{nowhere}.")
STRICT = {"pf.toml": '[checks]\nthreshold = "note"\n'}
TOLD = frozenset((RunState.DONE, RunState.WAITING))


class After(Enum):
    """What an event leads to: a review that is told, the same one with no word, or no look."""

    NEW = "a new review"
    SAME = "the same review"
    NOTHING = "nothing"


class Case:
    """A paper with a branch `dev`, and a pull request of two commits that was reviewed."""

    def __init__(self, github, folder, document, llm):
        self.github, self.folder, self.document, self.llm = github, folder, document, llm
        self.shop = Shop(github, folder / "app", llm)
        self.repo = github.repository(files=self.paper(POSITIVE), people={"alice": "write"})
        self.repo.commit(self.paper(POSITIVE + DANGLING), on="dev")
        self.repo.point("idea", self.repo.tip("dev"))
        self.first = self.repo.tip("idea")
        self.repo.commit(self.paper(POSITIVE + DANGLING + CLOSED), on="idea")
        self.pull = github.open(self.repo, "idea")
        assert self.shop.work() == [""]

    def paper(self, body):
        return {"main.tex": self.document(body)}

    def push(self, files, branch="main"):
        return self.github.push(self.repo, files, branch=branch)

    def runs(self):
        found = self.shop.records.runs.latest(999, repository_id=self.repo.id)
        return [run for run in found if run.number is not None]

    def told(self):
        return [run for run in self.runs() if run.state in TOLD]

    def writes(self):
        changing = {"POST", "PATCH", "PUT", "DELETE"}
        return [
            call.path
            for call in self.github.calls
            if call.method in changing and not call.path.startswith("/app/")
        ]

    def fresh(self):
        """The checks as somebody makes them who has seen nothing before."""
        other = self.folder / "fresh"
        shop = Shop(self.github, other, self.llm)
        try:
            self.github.tell_pull(self.repo, self.pull, "opened", "us")
            shop.receive(self.github.sent[-1])
            shop.work()
        finally:
            shop.close()
        return checks(self.repo, self.pull.head)


def mended(case):
    case.push(case.paper(POSITIVE + CLOSED), "idea")


def burst(case):
    for body in (POSITIVE, POSITIVE + CLOSED, POSITIVE + DANGLING):
        case.push(case.paper(body + CLOSED), "idea")


def forced_back(case):
    head = case.pull.head
    mended(case)
    case.shop.work()
    case.github.push(case.repo, branch="idea", head=head)


def delivered_again(case):
    case.shop.receive(case.github.sent[-1])


def closed_and_reopened(case):
    case.github.close(case.repo, case.pull)
    case.github.reopen(case.repo, case.pull)


def reopened_after_the_base_took_settings(case):
    case.push(STRICT)
    case.github.sent.pop()
    closed_and_reopened(case)


def retargeted(case):
    case.github.retarget(case.repo, case.pull, "dev")


def words_edited(case):
    case.github.retarget(case.repo, case.pull)


def base_renamed(case):
    case.repo.point("trunk", case.repo.tip("main"))
    case.github.retarget(case.repo, case.pull, "trunk")


def base_deleted(case):
    """GitHub closes what was to go there."""
    retargeted(case)
    case.shop.work()
    case.github.delete_branch(case.repo, "dev")
    case.github.close(case.repo, case.pull)


def base_pushed(case):
    case.push({"notes.txt": "words"})


def base_took_settings(case):
    case.push(STRICT)


def base_took_a_ledger(case):
    case.push({"pf.lock": '{"kind": "nothing that is known"}\n'})


def base_took_settings_twice(case):
    case.push(STRICT)
    case.push({"pf.toml": '[checks]\nthreshold = "warning"\n'})


def base_took_a_part(case):
    case.github.push(case.repo, branch="main", head=case.first)


def another_branch_pushed(case):
    case.push(STRICT, "dev")


def made_a_draft(case):
    case.github.make_draft(case.repo, case.pull)


def made_a_draft_and_ready(case):
    case.github.make_draft(case.repo, case.pull)
    case.github.make_ready(case.repo, case.pull)


def pushed_as_a_draft_and_ready(case):
    case.github.make_draft(case.repo, case.pull)
    mended(case)
    case.github.make_ready(case.repo, case.pull)


def renamed_and_reopened(case):
    case.github.rename(case.repo, "us/treatise")
    closed_and_reopened(case)


def renamed_while_it_waits(case):
    mended(case)
    case.shop.receive()
    case.github.rename(case.repo, "us/treatise")


def suspended_and_back(case):
    case.github.suspend(case.repo.installation)
    case.github.suspend(case.repo.installation, again=True)


def pushed_while_suspended(case):
    case.github.suspend(case.repo.installation)
    case.shop.work()
    mended(case)
    case.github.sent.pop()
    case.github.sent.pop()
    case.github.suspend(case.repo.installation, again=True)


def taken_away_and_given_back(case):
    installation = case.repo.installation
    case.github.withdraw(case.repo)
    case.shop.work()
    case.github.give_back(case.repo, installation)


def permissions_accepted(case):
    case.github.accept(case.repo.installation)


def failed_until_permissions_were_accepted(case):
    item = case.github.installations[case.repo.installation]
    granted = dict(item.permissions)
    item.permissions = granted | {"checks": "read"}
    mended(case)
    case.shop.work()
    item.permissions = granted
    case.github.accept(item.id)


def another_model(case):
    reviewer = reviewer_of(case.folder / "app", case.llm, model="n")
    case.shop.replace(reviewer=reviewer)
    closed_and_reopened(case)


def the_same_model(case):
    case.shop.replace(reviewer=reviewer_of(case.folder / "app", case.llm))
    closed_and_reopened(case)


def closed(case):
    case.github.close(case.repo, case.pull)


def withdrawn(case):
    case.github.withdraw(case.repo)


ROWS: list[tuple[Callable[[Case], None], After]] = [
    (mended, After.NEW),
    (burst, After.NEW),
    (forced_back, After.NEW),
    (delivered_again, After.NOTHING),
    (closed_and_reopened, After.SAME),
    (reopened_after_the_base_took_settings, After.NEW),
    (retargeted, After.NEW),
    (words_edited, After.NOTHING),
    (base_renamed, After.SAME),
    (base_deleted, After.NOTHING),
    (base_pushed, After.NOTHING),
    (base_took_settings, After.NEW),
    (base_took_a_ledger, After.NEW),
    (base_took_settings_twice, After.NEW),
    (base_took_a_part, After.NEW),
    (another_branch_pushed, After.NOTHING),
    (made_a_draft, After.NOTHING),
    (made_a_draft_and_ready, After.SAME),
    (pushed_as_a_draft_and_ready, After.NEW),
    (renamed_and_reopened, After.SAME),
    (renamed_while_it_waits, After.NEW),
    (suspended_and_back, After.NOTHING),
    (pushed_while_suspended, After.NEW),
    (taken_away_and_given_back, After.NEW),
    (permissions_accepted, After.NOTHING),
    (failed_until_permissions_were_accepted, After.NEW),
    (another_model, After.NEW),
    (the_same_model, After.SAME),
    (closed, After.NOTHING),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("act", "after"), ROWS, ids=[row[0].__name__ for row in ROWS])
def test_an_event_leads_to_a_new_review_or_to_the_same_one(github, tmp_path, document, act, after):
    case = Case(github, tmp_path, document, ScriptedLlm(lambda request: ACCEPT))
    try:
        act(case)
        runs, told, writes = len(case.runs()), len(case.told()), len(case.writes())
        case.shop.work()
        assert len(case.told()) - told == (after is After.NEW)
        if after is not After.NEW:
            assert case.writes()[writes:] == []
        if after is After.NOTHING:
            looked = [run for run in case.runs()[: len(case.runs()) - runs] if run.note != "closed"]
            assert looked == []
        last = case.told()[0]
        assert last.head == case.pull.head
        if case.pull.is_open:
            found = checks(case.repo, case.pull.head)
            assert set(found) == {STRUCTURE, PROOFS}
            assert found == case.fresh()
            assert len([run for run in case.repo.runs if run.head == case.pull.head]) == 2
    finally:
        case.shop.close()


def words(item):
    """What a summary says, without what it cost."""
    return item.body.partition("<sub>")[0]


def test_what_was_told_of_another_commit_gives_way_when_the_first_one_is_back(
    github, tmp_path, document
):
    case = Case(github, tmp_path, document, ScriptedLlm(lambda request: ACCEPT))
    try:
        (before,) = case.repo.summaries
        said = words(before)
        asked = len(case.llm.requests)
        forced_back(case)
        assert words(before) != said
        case.shop.work()
        assert words(before) == said
        assert len(case.llm.requests) == asked, "what was read is known"
        assert len(case.repo.summaries) == 1
    finally:
        case.shop.close()
