"""Merge queues: what they ask for is answered, beside the commit that they made."""

import pytest

from bot.domain.forge import PROOFS, STRUCTURE
from pfcore.reporters.review_outcome import is_apart
from pfcore.testing import ScriptedLlm
from tests.bot.shop import checks
from tests.pfcore.cli.conftest import ACCEPT, LEMMA

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

POSITIVE = LEMMA % ("positive", "Every form is positive", "It is a sum of squares.")
USE = LEMMA % ("use", "The trace is positive", r"By \ref{positive}.")
STRICT = {"pf.toml": '[checks]\nthreshold = "note"\n'}


@pytest.fixture
def llm():
    return ScriptedLlm(lambda request: ACCEPT)


def paper(document, body):
    return {"main.tex": document(body)}


def titles(repo, head):
    return {run.name: run.output["title"] for run in repo.runs if run.head == head}


def test_what_is_right_alone_and_wrong_once_merged_fails_in_the_queue(github, shop, document):
    repo = github.repository(files=paper(document, POSITIVE))
    repo.commit({"main.tex": document(POSITIVE + USE)}, on="use")
    pull = github.open(repo, "use")
    assert shop.work() == [""]
    assert checks(repo, pull.head)[STRUCTURE] == "success"

    github.push(repo, paper(document, ""))
    shop.work()
    group = github.queue(repo, pull, paper(document, USE))
    assert shop.work() == [""]
    assert checks(repo, group)[STRUCTURE] == "failure"
    assert {run.external_id for run in repo.runs if run.head == group} == {"group"}
    assert checks(repo, pull.head)[STRUCTURE] == "success", "its own check is of its own commit"


def test_a_group_is_read_as_a_pull_request_is(github, shop, document):
    repo = github.repository(files=paper(document, POSITIVE))
    repo.commit(paper(document, POSITIVE + USE), on="use")
    pull = github.open(repo, "use")
    shop.work()
    comments = len(repo.comments), len(repo.remarks)
    asked = len(shop.llm.requests)
    group = github.queue(repo, pull)
    assert shop.work() == [""]
    assert checks(repo, group) == {STRUCTURE: "success", PROOFS: "success"}
    assert len(shop.llm.requests) == asked, "what its pull request had read is known"
    assert (len(repo.comments), len(repo.remarks)) == comments


def test_settings_that_are_in_the_queue_do_not_judge_it(github, shop, document):
    repo = github.repository(files=paper(document, POSITIVE))
    repo.commit(STRICT | {"main.tex": document(POSITIVE + r"\begin{lemma} B.\end{lemma}")}, on="x")
    pull = github.open(repo, "x")
    shop.work()
    first = github.queue(repo, pull)
    second = github.queue(repo, pull, {"main.tex": document(POSITIVE)}, onto=first)
    shop.work()
    assert checks(repo, first)[STRUCTURE] == "success"
    assert checks(repo, second)[STRUCTURE] == "success"


def test_what_touches_no_paper_passes_and_says_so(github, shop, document):
    repo = github.repository(files=paper(document, r"\begin{lemma}\ref{x}\end{lemma}"))
    repo.commit({"README.md": "words"}, on="words")
    pull = github.open(repo, "words")
    assert shop.work() == [""]
    group = github.queue(repo, pull)
    assert shop.work() == [""]
    for head in (pull.head, group):
        assert checks(repo, head) == {STRUCTURE: "success", PROOFS: "success"}
        assert titles(repo, head)[STRUCTURE] == "No paper is affected by this change"
    assert repo.comments == []


def test_what_touches_no_paper_passes_though_the_paper_cannot_be_read(github, shop, document):
    repo = github.repository(files=paper(document, "\0"))
    repo.commit({"README.md": "words"}, on="words")
    pull = github.open(repo, "words")
    assert shop.work() == [""]
    assert checks(repo, pull.head) == {STRUCTURE: "success", PROOFS: "success"}


def test_where_there_is_no_paper_a_queue_hears_nothing(github, shop):
    repo = github.repository(files={"README.md": "words"})
    repo.commit({"README.md": "more"}, on="words")
    pull = github.open(repo, "words")
    github.queue(repo, pull)
    shop.work()
    assert repo.runs == [] and repo.comments == []


@pytest.mark.parametrize("times", [1, 99])
def test_a_queue_waits_for_nothing_that_fails(github, shop, document, times):
    repo = github.repository(files=paper(document, POSITIVE))
    repo.commit(paper(document, POSITIVE + USE), on="use")
    pull = github.open(repo, "use")
    shop.work()
    github.fail("GET", r"/branches/", times=times)
    group = github.queue(repo, pull)
    shop.work()
    ended = "success" if times == 1 else "failure"
    assert checks(repo, group) == {STRUCTURE: ended, PROOFS: ended}


def test_a_queue_s_check_can_be_run_again(github, shop, document):
    repo = github.repository(files=paper(document, POSITIVE))
    repo.commit(paper(document, POSITIVE + USE), on="use")
    pull = github.open(repo, "use")
    shop.work()
    group = github.queue(repo, pull)
    shop.work()
    runs = [run for run in repo.runs if run.head == group]
    for run in (runs[0].id, None):
        github.rerequest(repo, run, group)
        assert shop.work() == ["1 to review", ""]
    assert len([run for run in repo.runs if run.head == group]) == 2


@pytest.mark.parametrize("is_told", [True, False])
def test_a_queue_that_asks_by_its_push_and_by_its_event_is_answered_once(
    github, shop, document, is_told
):
    files = paper(document, POSITIVE) | {"pf.toml": "[app]\nevery_branch = true\n"}
    repo = github.repository(files=files)
    repo.commit(paper(document, POSITIVE + USE), on="use")
    pull = github.open(repo, "use")
    shop.work()
    group = github.queue(repo, pull, is_told=is_told)
    assert shop.work() == [""]
    assert checks(repo, group) == {STRUCTURE: "success", PROOFS: "success"}
    assert {run.external_id for run in repo.runs if run.head == group} == {"group"}
    (run,) = [item for item in shop.records.runs.latest(9) if item.head == group]
    assert (run.base, run.number, run.reason) == (repo.tip("main"), None, "merge queue of main")


def test_a_group_that_is_destroyed_is_of_no_interest(github, shop, document):
    repo = github.repository(files=paper(document, POSITIVE))
    repo.commit(paper(document, POSITIVE + USE), on="use")
    pull = github.open(repo, "use")
    shop.work()
    group = github.queue(repo, pull)
    github.dequeue(repo, pull, group)
    assert shop.work() == [""]


def test_a_figure_that_a_paper_includes_and_a_change_deletes_concerns_the_paper(reviewed, document):
    now, other = {"main.tex": document(r"\includegraphics{a}")}, {"b.png": ""}
    assert is_apart(reviewed(now, now | other))
    assert not is_apart(reviewed(now, now | {"a.png": ""}))
