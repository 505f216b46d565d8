"""Buttons beside checks, commands in reviews and in edits: by the rights of whoever uses them."""

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from pfcore.testing import ScriptedLlm
from tests.bot.shop import Shop, checks
from tests.pfcore.cli.conftest import ACCEPT, LEMMA, flag, genuine

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
GAP = "This is clear to the reader."
USE = LEMMA % ("use", "The trace is positive", GAP)


def reader(request):
    if GAP not in request.text:
        return ACCEPT
    return genuine(GAP, "Nothing is shown.") if "F1\nquote:" in request.text else flag(GAP)


@pytest.fixture
def llm():
    return ScriptedLlm(reader)


@pytest.fixture
def repo(github, document):
    made = github.repository(
        files={"main.tex": document(POSITIVE)},
        people={"alice": "write", "bob": "read", "eve": "read"},
    )
    made.commit({"main.tex": document(POSITIVE + USE)}, on="idea")
    return made


def run_of(repo, name):
    (found,) = [run for run in repo.runs if run.name == name]
    return found


def buttons(repo, name=PROOFS):
    return {item["identifier"].partition(":")[0]: item for item in run_of(repo, name).actions}


def press(github, repo, what, *, by, name=PROOFS):
    github.press(repo, run_of(repo, name).id, buttons(repo, name)[what]["identifier"], by=by)


def said(repo):
    return [item.body for item in repo.comments if "pf-verify:answer" in item.body]


def test_a_fork_s_head_is_read_by_a_button_of_somebody_who_may_write(github, shop, repo):
    pull = github.open(repo, "idea", author="eve", fork="eve")
    shop.work()
    assert checks(repo, pull.head)[PROOFS] == "action_required"
    assert list(buttons(repo)) == ["read"] and buttons(repo, STRUCTURE) == {}
    press(github, repo, "read", by="eve")
    assert shop.work() == ["refused"]
    assert shop.llm.requests == [] and said(repo) == []

    press(github, repo, "read", by="alice")
    shop.work()
    assert checks(repo, pull.head)[PROOFS] == "neutral"
    assert set(buttons(repo)) == {"explain", "dismiss"}


def test_a_button_beside_an_older_head_reads_no_other_one(github, shop, repo, document):
    github.open(repo, "idea", author="eve", fork="eve")
    shop.work()
    old = run_of(repo, PROOFS)
    head = github.push(repo, {"main.tex": document(USE)}, branch="idea", by="eve")
    shop.work()
    github.press(repo, old.id, "read", by="alice")
    shop.work()
    assert shop.llm.requests == []
    assert head in said(repo)[0]


def test_a_finding_is_explained_and_dismissed_by_buttons_each_press_once(github, shop, repo):
    pull = github.open(repo, "idea", author="bob")
    shop.work()
    for number in (1, 2):
        press(github, repo, "explain", by="bob")
        press_again = github.sent[-1]
        shop.work()
        shop.receive(press_again)
        shop.work()
        assert len([body for body in said(repo) if "Nothing is shown." in body]) == number

    press(github, repo, "dismiss", by="bob")
    shop.work()
    assert shop.records.answers.of(repo.id, pull.number) == []
    press(github, repo, "dismiss", by="alice")
    shop.work()
    (answer,) = shop.records.answers.of(repo.id, pull.number)
    assert (answer.who, answer.reason) == ("alice", "dismissed with the button of the check")
    assert checks(repo, pull.head)[PROOFS] == "success"
    assert run_of(repo, PROOFS).actions == []


def test_a_button_of_another_app_asks_for_nothing(github, shop, repo):
    github.open(repo, "idea")
    shop.work()
    run_of(repo, PROOFS).app += 1
    press(github, repo, "explain", by="us")
    assert shop.work() == [] and said(repo) == []


def test_a_command_in_the_words_of_a_review_is_heard(github, shop, repo):
    pull = github.open(repo, "idea", author="eve", fork="eve")
    shop.work()
    github.review(repo, pull, "Fine.\n\n/pf check\n/pf help", by="mallory")
    shop.work()
    assert shop.llm.requests == [] and said(repo) == []
    github.review(repo, pull, "Fine.\n\n/pf check\n/pf help", by="alice")
    shop.work()
    assert checks(repo, pull.head)[PROOFS] == "neutral"
    assert len(said(repo)) == 1


def test_an_edit_is_heard_by_the_rights_of_its_editor_and_only_what_is_new(github, shop, repo):
    pull = github.open(repo, "idea", author="alice")
    shop.work()
    mine = github.say(repo, pull, "/pf help", by="alice")
    shop.work()
    github.edit(repo, pull, mine, "/pf help\n/pf pause", by="eve")
    shop.work()
    assert not shop.records.pulls.is_paused(repo.id, pull.number)
    assert len(said(repo)) == 1

    github.edit(repo, pull, mine, "/pf help", by="alice")
    github.edit(repo, pull, mine, "/pf help\n/pf graph", by="alice")
    shop.work()
    assert len(said(repo)) == 2 and "Commands, each on its own line" not in said(repo)[1]


def test_an_edit_beside_a_line_is_answered_in_its_thread(github, shop, repo):
    pull = github.open(repo, "idea", author="alice")
    shop.work()
    (first,) = repo.remarks
    mine = github.say(repo, pull, "hm", by="alice", to=first.id)
    github.edit(repo, pull, mine, "hm\n/pf graph", by="alice")
    shop.work()
    (answer,) = [item for item in repo.remarks if "pf-verify:answer" in item.body]
    assert answer.reply_to == first.id and said(repo) == []


def test_a_finding_outside_the_change_has_its_buttons_too(github, document, tmp_path):
    shop = Shop(github, tmp_path / "app")
    use = LEMMA % ("use", "The trace is positive", r"By \ref{positive}.")
    far = "\n" * 20
    repo = github.repository(files={"main.tex": document(POSITIVE + far + use)})
    renamed = POSITIVE.replace("{positive}", "{pos}")
    repo.commit({"main.tex": document(renamed + far + use)}, on="idea")
    github.open(repo, "idea")
    shop.work()
    assert repo.remarks == [] and run_of(repo, STRUCTURE).conclusion == "failure"
    assert set(buttons(repo, STRUCTURE)) == {"explain", "dismiss"}
    press(github, repo, "explain", by="us", name=STRUCTURE)
    shop.work()
    assert any("undefined label" in words for words in said(repo))
    shop.close()


def test_what_was_marked_as_not_to_be_read_is_read_by_a_button(github, shop, repo):
    pull = github.open(repo, "idea")
    github.label(repo, pull, "pf: do not read")
    shop.work()
    assert run_of(repo, PROOFS).conclusion == "action_required"
    assert not run_of(repo, STRUCTURE).actions
    press(github, repo, "read", by="alice")
    shop.work()
    assert run_of(repo, PROOFS).conclusion != "action_required"
