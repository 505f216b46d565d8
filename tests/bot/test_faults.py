"""What goes wrong with GitHub, the databases and the model: nothing is lost, nothing said twice."""

import random
from collections import Counter

import pytest

from bot.domain import comment
from bot.domain.forge import PROOFS, STRUCTURE
from bot.domain.run_records import RunState
from pfcore.llm.protocol import CallError
from pfcore.testing import ScriptedLlm
from tests.bot.fake_github.state import Pull
from tests.bot.shop import checks
from tests.bot.test_story import MENDED, POSITIVE, USE, WEAKER, paper, strict

pytestmark = [pytest.mark.acceptance, pytest.mark.allow_hosts(["127.0.0.1"])]

WRITES = (
    ("POST", r"/check-runs$"),
    ("PATCH", r"/check-runs/\d+$"),
    ("POST", r"/reviews$"),
    ("POST", r"/issues/\d+/comments$"),
    ("PATCH", r"/comments/\d+$"),
    ("POST", r"/reactions$"),
)
READS = (
    ("GET", r"/pulls/\d+$"),
    ("GET", r"/compare/"),
    ("GET", r"/comments$"),
    ("GET", r"/check-runs$"),
    ("GET", r"/permission$"),
    ("POST", r"/access_tokens$"),
)


@pytest.fixture
def llm():
    return ScriptedLlm(strict)


@pytest.fixture
def opened(github, document):
    """A pull request that weakens a lemma."""
    repo = github.repository(files=paper(document, POSITIVE, USE), people={"alice": "write"})
    repo.commit(paper(document, WEAKER, USE), on="weaker")
    return repo, github.open(repo, "weaker", author="bob")


def said(repo):
    """How often each finding, the summary and each answer is there, in comments of the App."""
    listed = (*repo.comments, *repo.remarks, *repo.reviews)
    found = [item.body for item in listed if "[bot]" in item.author]
    keys = [mark.key for mark in map(comment.read_mark, found) if mark is not None]
    return Counter(
        [
            *keys,
            *(comment.answered_comment(body) for body in found if comment.answered_comment(body)),
        ]
    )


def require_told(repo, pull, proofs="failure"):
    """All is told of the head, once."""
    assert checks(repo, pull.head) == {STRUCTURE: "neutral", PROOFS: proofs}
    assert set(said(repo).values()) == {1}
    assert "summary" in said(repo)
    runs = Counter((run.name, run.head) for run in repo.runs)
    assert set(runs.values()) == {1}


@pytest.fixture
def told(github, shop, opened, document):
    """Lets a pull request be reviewed, pushed to and talked about."""
    repo, pull = opened

    def run():
        shop.work()
        github.push(repo, paper(document, MENDED, USE), branch="weaker", by="bob")
        github.say(repo, pull, "/pf check\n/pf help", by="alice")
        shop.work()
        require_told(repo, pull, "neutral")
        assert len(said(repo)) == 5

    return run


@pytest.mark.parametrize(
    ("status", "after"), [(502, True), (502, False), (None, True), (None, False)]
)
def test_calls_that_fail_or_whose_answers_are_lost_are_made_up_for(
    github, llm, told, status, after
):
    for method, pattern in WRITES + READS:
        github.fail(method, pattern, status=status, after=after, times=2)
    told()
    assert len(llm.requests) == len({request.text for request in llm.requests}) * 3


def test_secondary_limits_are_waited_for(github, told, shop):
    for method, pattern in WRITES:
        github.limit(method, pattern, seconds=30)
    told()
    slept = [seconds for durable in shop.durables.values() for seconds in durable.slept]
    assert len([seconds for seconds in slept if seconds > 20]) == len(WRITES)


def test_deliveries_in_any_order_any_number_of_times_end_the_same(github, shop, opened, document):
    repo, pull = opened
    for lemma in (MENDED, WEAKER, MENDED):
        github.push(repo, paper(document, lemma, USE), branch="weaker", by="bob")
    sent = [*github.sent, *github.sent, *github.sent]
    random.Random(7).shuffle(sent)
    assert set(shop.receive(*sent)) <= {202, 204}
    shop.work()
    require_told(repo, pull, "neutral")
    states = Counter(run.state.value for run in shop.records.runs.latest(99))
    assert states["done"] == 1 and "failed" not in states


def test_what_is_pushed_away_by_force_while_it_is_read_is_told_nothing(
    github, shop, opened, llm, document
):
    repo, pull = opened
    before = pull.head

    def force(request):
        if pull.head == before:
            github.push(repo, paper(document, MENDED, USE), branch="weaker", by="bob")
        return strict(request)

    llm._answers = force
    shop.work()
    shop.work()
    assert checks(repo, before)[PROOFS] == "cancelled"
    require_told(repo, pull, "neutral")
    assert "Nothing is shown." not in "".join(item.body for item in repo.remarks)


def test_while_the_model_is_down_nothing_passes_and_then_it_is_read(github, shop, opened, llm):
    repo, pull = opened
    answers, llm._answers = llm._answers, lambda request: CallError("it does not answer")
    shop.work()
    assert checks(repo, pull.head)[PROOFS] == "action_required"
    llm._answers = answers
    github.say(repo, pull, "/pf check", by="alice")
    shop.work()
    require_told(repo, pull)


def test_a_model_that_is_down_is_asked_again_by_itself(github, shop, opened, llm):
    repo, pull = opened
    down = CallError("it does not answer", retry=True, wait=0.0)
    answers, llm._answers = llm._answers, lambda request: down
    shop.work()
    assert checks(repo, pull.head)[PROOFS] == "action_required"
    (run,) = [item for item in repo.runs if item.name == PROOFS]
    assert "(attempt 1 of 4). Next attempt:" in run.output["summary"]
    llm._answers = answers
    shop.tasks.wake()
    assert shop.work() == [""]
    assert "Next attempt:" not in run.output["summary"]
    require_told(repo, pull)


def test_the_check_of_a_branch_says_how_to_have_it_read_after_all(github, shop, llm, document):
    files = paper(document, POSITIVE, USE) | {"pf.toml": "[app]\nevery_branch = true\n"}
    repo = github.repository(files=files)
    answers, llm._answers = llm._answers, lambda request: CallError("it does not answer")
    head = github.push(repo, {"main.tex": document(WEAKER + USE)}, branch="weaker")
    shop.work()
    (run,) = [item for item in repo.runs if item.name == PROOFS]
    assert run.conclusion == "action_required"
    assert "Not everything was read. Re-run this check" in run.output["summary"]
    llm._answers = answers
    github.rerequest(repo, run.id, head)
    shop.work()
    assert run.conclusion == "neutral" and "Re-run" not in run.output["summary"]


def test_a_pull_request_that_comes_and_goes_while_its_push_is_read_leaves_no_check_open(
    github, shop, llm, document
):
    files = paper(document, POSITIVE, USE) | {"pf.toml": "[app]\nevery_branch = true\n"}
    repo = github.repository(files=files)
    answers, pulls = llm._answers, list[Pull]()

    def open_first(request):
        if not pulls:
            pulls.append(github.open(repo, "weaker"))
        return answers(request)

    llm._answers = open_first
    head = github.push(repo, {"main.tex": document(WEAKER + USE)}, branch="weaker")
    assert shop.work() == ["this is the head of #1 now"]
    github.close(repo, pulls[0])
    shop.work()
    assert checks(repo, head) == {STRUCTURE: "neutral", PROOFS: "cancelled"}
    (run,) = [item for item in repo.runs if item.name == PROOFS]
    assert "re-run this check" in run.output["summary"]
    github.rerequest(repo, run.id, head)
    assert shop.work() == ["1 to review", ""]
    assert checks(repo, head) == {STRUCTURE: "neutral", PROOFS: "neutral"}


def test_a_re_run_of_a_branchs_check_reviews_it_though_a_stranger_has_its_head(
    github, shop, llm, document
):
    files = paper(document, POSITIVE, USE) | {"pf.toml": "[app]\nevery_branch = true\n"}
    repo = github.repository(files=files)
    head = github.push(repo, {"main.tex": document(WEAKER + USE)}, branch="weaker")
    shop.work()
    github.open(repo, "weaker", author="mallory", fork="mallory/paper")
    shop.work()
    told = {(item.name, item.external_id): item for item in repo.runs}
    names = [(name, "push") for name in (STRUCTURE, PROOFS)]
    names += [(f"{name} (#1)", "pull/1") for name in (STRUCTURE, PROOFS)]
    assert sorted(told) == sorted(names)
    for (name, key), reason in (
        ((PROOFS, "push"), "re-run of weaker by us"),
        ((f"{PROOFS} (#1)", "pull/1"), "re-run by us"),
    ):
        github.rerequest(repo, told[name, key].id, head)
        assert shop.work()[0] == "1 to review"
        told_of = [run for run in shop.records.runs.latest(2) if run.state is not RunState.SKIPPED]
        assert told_of[0].reason == reason
    assert len(repo.runs) == 4


def limit_pages(store, pages=None):
    """Let a file grow no more, or only to so many pages."""
    with store._database._engine.connect() as connection:
        full = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages or full}")


def test_a_database_that_is_full_loses_nothing_that_was_acknowledged(github, shop, opened):
    repo, pull = opened
    limit_pages(shop.deliveries)
    assert 503 in shop.receive()
    limit_pages(shop.deliveries, 1_000_000)
    for sent in list(github.sent):
        github.send_again(sent)
    shop.work()
    require_told(repo, pull)


def test_results_that_cannot_be_kept_are_not_told_and_are_kept_later(github, shop, opened, llm):
    repo, pull = opened
    told = []

    def mend(seconds):
        told.append(len(repo.runs))
        limit_pages(shop.records, 1_000_000)

    shop.receive()
    limit_pages(shop.records)
    shop.asleep = mend
    shop.work()
    assert told == [0]
    require_told(repo, pull)


def test_a_clock_that_is_wrong_does_not_stop_the_work(github, shop, opened):
    repo, pull = opened
    shop.ahead -= 86_400 * 365
    shop.clock.now -= 86_400 * 365
    shop.work()
    require_told(repo, pull)


def test_an_older_and_a_newer_worker_do_not_both_speak(github, shop, opened, document):
    repo, pull = opened
    shop.receive()
    (task,) = [item for item in shop.tasks.tasks if item.job.kind == "pull"]
    shop.work()
    # Another worker takes the same task up, from the beginning.
    shop.durables.clear()
    shop.tasks.tasks.append(task)
    shop.work()
    require_told(repo, pull)
