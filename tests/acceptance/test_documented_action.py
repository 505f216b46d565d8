"""The Action on a GitHub that was written from its documentation: a push to the base, and twins.

On github.com, and below the prefix that Enterprise Server has. What a rule sees in the end is what
a fresh review of the same comparison says, or that nobody looked: never another one's green.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.documented_actions import DocumentedActions
from tests.acceptance.documented_rest import DocumentedServer, PaperHistory, documented
from tests.pfcore.cli.conftest import LEMMA

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.sampled(3),
    pytest.mark.allow_hosts(["127.0.0.1"]),
]

SOUND = LEMMA % ("sound", "Every form is positive", "It is a sum of squares.")
MORE = LEMMA % ("more", "Sums of forms are forms", "Clear.")
WRONG = LEMMA % ("wrong", "The trace is odd", r"By \ref{nowhere}.")
NAME = "review / structure"
GREEN, RED, UNSEEN = "success", "failure", "action_required"


class ActionCase(PaperHistory):
    """A repository with a paper and the Action."""

    def __init__(self, github: DocumentedServer, folder: Path, document) -> None:
        super().__init__(github, document, "alice")
        self.base = self.commit(SOUND)
        github.push(self.here, "main", self.base)
        self.actions = DocumentedActions(github, self.here, folder)

    def open(self, head: str, **more) -> int:
        number = self.github.open(self.here, head, **more)
        self.actions.pull_request()
        return number

    def push(self, commit: str, branch: str = "main") -> str:
        self.github.push(self.here, branch, commit)
        return self.actions.push()

    def seen(self, number: int, name: str = NAME) -> str:
        return self.github.required(self.here, self.head(number), name)


@pytest.fixture(params=["", "/api/v3"], ids=["github.com", "enterprise"])
def github(request, tmp_path: Path) -> Iterator[DocumentedServer]:
    yield from documented(tmp_path, request.param)


@pytest.fixture
def paper(github: DocumentedServer, tmp_path: Path, document) -> ActionCase:
    return ActionCase(github, tmp_path / "runner", document)


@pytest.fixture
def plain(tmp_path: Path, document) -> Iterator[ActionCase]:
    """On github.com only."""
    for github in documented(tmp_path):
        yield ActionCase(github, tmp_path / "runner", document)


def test_as_programs_of_their_own_they_do_the_same(plain: ActionCase, tmp_path: Path) -> None:
    paper = plain
    paper.actions = DocumentedActions(
        paper.github, paper.here, tmp_path / "programs", is_apart=True
    )
    first = paper.commit(SOUND + WRONG, paper.base)
    number = paper.open(paper.commit(SOUND + WRONG + MORE, first))
    assert paper.seen(number) == RED
    assert f"#{number}: reviewed again" in paper.push(first)
    assert (paper.actions.again(), paper.seen(number)) == (1, GREEN)


def test_a_push_that_moves_no_comparison_starts_nothing(paper: ActionCase) -> None:
    number = paper.open(paper.commit(SOUND + WRONG, paper.base))
    assert paper.seen(number) == RED
    said = paper.push(paper.commit(SOUND, paper.base, notes__txt="words"))
    assert said == "1 not affected" and paper.actions.again() == 0
    assert paper.seen(number) == RED


@pytest.mark.parametrize("fork", [None, "eve/paper"])
def test_a_push_that_moves_the_merge_base_has_the_review_made_again(
    paper: ActionCase, fork
) -> None:
    first = paper.commit(SOUND + WRONG, paper.base)
    number = paper.open(paper.commit(SOUND + WRONG + MORE, first), fork=fork, author="eve")
    assert paper.seen(number) == RED
    assert f"#{number}: reviewed again" in paper.push(first)
    assert paper.actions.again() == 1
    assert paper.seen(number) == GREEN, "the error is the base's by now"


def test_a_push_that_takes_an_error_back_from_the_base_turns_it_red(paper: ActionCase) -> None:
    first = paper.commit(SOUND + WRONG, paper.base)
    paper.github.push(paper.here, "main", first)
    number = paper.open(paper.commit(SOUND + WRONG + MORE, first))
    assert paper.seen(number) == GREEN
    assert f"#{number}: reviewed again" in paper.push(paper.base), "a force-push"
    paper.actions.again()
    assert paper.seen(number) == RED


def test_settings_of_the_base_have_all_its_pull_requests_reviewed_again(paper: ActionCase) -> None:
    numbers = [
        paper.open(paper.commit(SOUND + body, paper.base), branch=f"topic-{place}")
        for place, body in enumerate((WRONG, MORE))
    ]
    paper.push(paper.commit(SOUND, paper.base, pf__toml='[checks]\nthreshold = "note"\n'))
    assert paper.actions.again() == 2
    assert [paper.seen(number) for number in numbers] == [RED, GREEN]


def test_what_github_does_not_run_again_is_not_green(paper: ActionCase) -> None:
    first = paper.commit(SOUND + WRONG, paper.base)
    paper.github.push(paper.here, "main", first)
    number = paper.open(paper.commit(SOUND + WRONG + MORE, first))
    paper.here.runs[-1]["is_old"] = True
    assert paper.seen(number) == GREEN
    assert "not reviewed again; the reason is in 1 check" in paper.push(paper.base)
    assert (paper.actions.again(), paper.seen(number)) == (0, UNSEEN)
    paper.github.close(paper.here, number)
    paper.actions.pull_request()
    paper.github.reopen(paper.here, number)
    paper.actions.pull_request()
    assert paper.seen(number) == RED


def test_a_run_that_is_under_way_is_stopped_and_made_again(paper: ActionCase) -> None:
    first = paper.commit(SOUND + WRONG, paper.base)
    number = paper.github.open(paper.here, paper.commit(SOUND + WRONG + MORE, first))
    run = paper.actions.pull_request(is_whole=False)
    run["run_started_at"] = "2020-01-01T00:00:00Z"
    assert f"#{number}: reviewed again" in paper.push(first)
    assert paper.actions.again() == 1 and paper.seen(number) == GREEN


def test_a_run_that_began_after_the_push_is_left_alone(paper: ActionCase) -> None:
    first = paper.commit(SOUND + WRONG, paper.base)
    paper.github.open(paper.here, paper.commit(SOUND + WRONG + MORE, first))
    run = paper.actions.pull_request(is_whole=False)
    run["run_started_at"] = "2099-01-01T00:00:00Z"
    paper.push(first)
    assert (paper.actions.again(), run["status"]) == (0, "in_progress")


def test_a_run_of_an_event_that_closed_it_is_not_taken_for_its_review(paper: ActionCase) -> None:
    first = paper.commit(SOUND + WRONG, paper.base)
    head = paper.commit(SOUND + WRONG + MORE, first)
    gone = paper.open(head)
    number = paper.open(head, base="main")
    paper.github.close(paper.here, gone)
    paper.actions.pull_request()
    assert f"#{number}: reviewed again" in paper.push(first)
    assert paper.actions.again() == 1
    assert paper.seen(number) == GREEN


def test_of_two_bases_of_one_head_only_the_one_that_was_pushed_to_is_reviewed(
    paper: ActionCase,
) -> None:
    first = paper.commit(SOUND + WRONG, paper.base)
    paper.github.push(paper.here, "dev", first)
    head = paper.commit(SOUND + WRONG + MORE, first)
    one, other = paper.open(head), paper.open(head, base="dev")
    own = f"{NAME} (#{other})"
    assert (paper.seen(one), paper.seen(other, own)) == (RED, GREEN)
    assert f"#{other}: reviewed again" in paper.push(paper.base, "dev")
    assert paper.actions.again() == 1
    assert (paper.seen(one), paper.seen(other, own)) == (RED, RED)


def test_so_many_are_started_and_the_others_are_not_green(paper: ActionCase) -> None:
    head = paper.commit(SOUND + MORE, paper.base)
    for number in range(1, 23):
        paper.github.open(paper.here, head, branch=f"topic-{number}")
        run = paper.actions.pull_request(is_whole=False)
        name = NAME if number == 1 else f"{NAME} (#{number})"
        for job in ("review / comparison", name):
            paper.actions.job(run, job, GREEN)
        run["status"] = "completed"
    said = paper.push(paper.commit(SOUND, paper.base, pf__lock=""))
    assert said.count("reviewed again") == 20 + 2 and said.count("not reviewed again") == 2
    assert len(paper.github.rerun) == 20
    assert paper.seen(1) == paper.seen(2, f"{NAME} (#2)") == UNSEEN


def many(count: int) -> str:
    """A paper with so many errors."""
    wrong = (LEMMA % (f"w{n}", f"Form {n} is odd", rf"By \ref{{gone{n}:x}}.") for n in range(count))
    return SOUND + "".join(wrong)


@pytest.mark.parametrize("count", [0, 1, 60, 600])
def test_a_push_is_one_message_at_most_however_much_was_found(plain: ActionCase, count) -> None:
    paper, notified = plain, plain.github.notified
    number = paper.open(paper.commit(many(count), paper.base))
    assert [what for _, _, what in notified] == ["review"] * bool(count)
    assert len(paper.here.remarks) == min(count, 10)
    assert paper.seen(number) == (RED if count else GREEN)

    for errors, most in ((count + 1, 1), (0, 0)):
        before, tip = len(notified), paper.github.tip(paper.here, "topic")
        paper.github.push(paper.here, "topic", paper.commit(many(errors), str(tip)))
        paper.actions.pull_request()
        assert len(notified) - before <= most, "what is mended is said by edits"
    assert all("**Resolved**" in item["body"] for item in paper.here.remarks)


@pytest.mark.parametrize("count", [0, 1, 60, 600])
def test_a_push_to_the_default_branch_opens_one_issue_and_edits_it(
    plain: ActionCase, count
) -> None:
    paper, notified = plain, plain.github.notified
    paper.actions.tell = "review issue"
    for errors, most in ((count, bool(count)), (count + 1, not count), (0, 0)):
        before, tip = len(notified), paper.github.tip(paper.here, "main")
        paper.github.push(paper.here, "main", paper.commit(many(errors), str(tip)))
        paper.actions.settle()
        assert len(notified) - before == most
    assert [issue["state"] for issue in paper.here.issues.values()] == ["closed"]
