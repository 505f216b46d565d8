"""Where the review of a push begins: after the last one that was completed."""

import json

import pytest

from bot import push_start_command
from bot.github.job_token import JobHub
from bot.publishing.action_report import tell_push
from tests.bot.conftest import made, told
from tests.conftest import commit, git

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

REPO = {"id": 1, "full_name": "us/paper", "default_branch": "main"}
ZEROS = "0" * 40


@pytest.fixture
def paper(tmp_path):
    """Commits to a paper, each another one."""
    folder = tmp_path / "paper"
    folder.mkdir()

    def run(text):
        return commit(folder, {"main.tex": text})

    return run


@pytest.fixture
def tell(world):
    """Says that the review of a push was completed, or was not, and what it was compared with."""
    hub = JobHub(world.api, "us/paper", "a-token", pause=None)

    def run(head, *, start="", is_done=True, paper="."):
        proofs = made(head=head, is_read=is_done)
        return tell_push(told(proofs, paper=paper), start, hub)

    return run


@pytest.fixture
def said():
    """What the jobs printed, one after another."""
    return []


@pytest.fixture
def jobs():
    """What the jobs of the structure are called, one after another."""
    return []


@pytest.fixture
def asked(world, tmp_path, monkeypatch, capsys, said, jobs):
    """What a job is told: the start, "" where it is left to the event; or the exit status."""

    def run(
        before, after, *, ref="refs/heads/main", name="push", paper=".", sums=(), payload=(), **more
    ):
        push = {"repository": REPO, "ref": ref, "before": before, "after": after}
        (tmp_path / "event.json").write_text(json.dumps(push | dict(payload)))
        (tmp_path / "outputs").write_text("")
        values = {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
            "GITHUB_OUTPUT": str(tmp_path / "outputs"),
            "GITHUB_API_URL": world.api,
            "GITHUB_REPOSITORY": "us/paper",
            "GITHUB_SHA": after,
            "GITHUB_REF": ref,
            "PF_PATH": str(tmp_path / "paper"),
            "PF_PAPER": paper,
            "PF_TOKEN": "a-token",
            "PF_PAUSE": "0",
            **more,
        }
        for key, value in values.items():
            monkeypatch.setenv(key, value)
        status = push_start_command.main()
        said.append(capsys.readouterr().out)
        if status:
            return status
        since, spent, job = (tmp_path / "outputs").read_text().splitlines()
        assert spent == "spent=" + " ".join(sums)
        jobs.append(job.removeprefix("structure="))
        return since.removeprefix("since=")

    return run


def test_a_push_is_compared_with_the_last_one_whose_review_was_completed(paper, tell, asked):
    first, second, third = map(paper, "abc")
    tell(first)
    assert asked(second, third) == first
    tell(second)
    assert asked(second, third) == second


def test_the_commit_before_is_asked_about_first(paper, tell, asked, world):
    first, _, _, last = map(paper, "abcd")
    tell(first)
    world.calls.clear()
    assert asked(first, last) == first
    assert [path for _, path in world.calls] == [f"/commits/{first}/check-runs"]


def test_a_push_that_is_reviewed_once_more_is_not_compared_with_itself(paper, tell, asked):
    first, second, third = map(paper, "abc")
    for name in (first, second, third):
        tell(name)
    assert asked(first, second) == first


def test_what_was_not_completed_is_part_of_the_next_push(paper, tell, asked):
    first, second, third, fourth = map(paper, "abcd")
    tell(second, start=first, is_done=False)
    assert asked(second, third) == first
    tell(third, start=first, is_done=False)
    assert asked(third, fourth) == first


def test_a_second_try_that_completes_it_counts(paper, tell, asked):
    first, second, third = map(paper, "abc")
    tell(second, start=first, is_done=False)
    tell(second, start=first)
    tell(second, start=first, is_done=False)
    assert asked(second, third) == second


def test_after_a_push_by_force_what_is_left_of_the_old_commits_counts(paper, tell, asked, tmp_path):
    first, second = map(paper, "ab")
    tell(first)
    tell(second)
    git(tmp_path / "paper", "reset", "--quiet", "--hard", first)
    assert asked(second, paper("c")) == first


def test_of_a_merge_both_sides_count(paper, tell, asked, tmp_path):
    first = paper("a")
    tell(first)
    git(tmp_path / "paper", "switch", "--quiet", "--create", "mine")
    mine = commit(tmp_path / "paper", {"other.tex": "x"})
    git(tmp_path / "paper", "switch", "--quiet", "-")
    theirs = paper("b")
    tell(theirs)
    git(tmp_path / "paper", "switch", "--quiet", "mine")
    git(tmp_path / "paper", "merge", "--quiet", "--no-edit", theirs)
    merged = git(tmp_path / "paper", "rev-parse", "HEAD").strip()
    assert asked(theirs, merged) == theirs
    assert asked(mine, merged) == theirs


def test_where_nothing_was_ever_reviewed_the_event_says_where_to_begin(paper, asked):
    first, second = map(paper, "ab")
    assert asked(first, second) == first
    assert asked(ZEROS, second) == ""


WORKFLOW = {"GITHUB_WORKFLOW_REF": "us/paper/.github/workflows/proofs.yml@refs/heads/main"}


def test_the_first_push_with_the_workflow_is_compared_with_the_commit_before_it(
    paper, asked, tmp_path
):
    first = paper("a")
    second = commit(tmp_path / "paper", {".github/workflows/proofs.yml": "on: push"})
    assert asked(first, second, **WORKFLOW) == first


def test_what_the_first_pushes_brought_is_not_lost_where_no_review_came_to_its_end(
    paper, tell, asked, tmp_path
):
    first = paper("a")
    second = commit(tmp_path / "paper", {".github/workflows/proofs.yml": "on: push"})
    third, fourth = paper("b"), paper("c")
    assert asked(second, third, **WORKFLOW) == first
    assert asked(third, fourth, **WORKFLOW) == first
    tell(third, start=first)
    assert asked(third, fourth, **WORKFLOW) == third


def test_where_the_workflow_was_there_from_the_beginning_the_whole_paper_is_reviewed(
    paper, asked, tmp_path
):
    (tmp_path / "paper/.github/workflows").mkdir(parents=True)
    (tmp_path / "paper/.github/workflows/proofs.yml").write_text("on: push")
    first, second = map(paper, "ab")
    assert asked(ZEROS, first, **WORKFLOW) == ""
    assert asked(first, second, **WORKFLOW) == ""


@pytest.mark.parametrize(
    ("name", "ref", "job"),
    [
        ("push", "refs/heads/main", "structure (push)"),
        ("push", "refs/heads/idea", "structure"),
        ("workflow_dispatch", "refs/heads/main", "structure (workflow_dispatch)"),
        ("schedule", "refs/heads/main", "structure (schedule)"),
        ("release", "refs/tags/v1", "structure (release)"),
        ("merge_group", "refs/heads/main", "structure"),
    ],
)
def test_only_what_rules_wait_for_has_the_name_that_they_require(
    paper, asked, jobs, name, ref, job
):
    first, second = map(paper, "ab")
    group = {"merge_group": {"head_sha": second, "base_sha": first}, "ref_type": "tag"}
    asked(first, second, name=name, ref=ref, payload=group)
    assert jobs == [job]


def test_another_paper_of_the_repository_has_its_own_pushes(paper, tell, asked):
    first, second, third = map(paper, "abc")
    tell(first, paper="thesis")
    tell(first)
    tell(second)
    assert asked(second, third, paper="thesis") == first


def test_a_check_of_another_kind_or_that_is_not_completed_says_nothing(paper, asked, world):
    first, second, third = map(paper, "abc")
    run = {"name": "pf / push", "head_sha": second, "external_id": second}
    world.runs = [
        {**run, "status": "in_progress"},
        {**run, "status": "completed", "external_id": "main"},
        {**run, "status": "completed", "name": "pf / proofs"},
    ]
    world.runs = [{"id": 900 + place, **run} for place, run in enumerate(world.runs)]
    assert asked(first, third) == first


def test_what_github_does_not_say_is_not_guessed(paper, asked, world):
    first, second = map(paper, "ab")
    world.before = lambda method, path: 403
    assert asked(first, second) == 3


@pytest.mark.parametrize(
    ("name", "ref"), [("push", "refs/heads/idea"), ("workflow_dispatch", "refs/heads/main")]
)
def test_of_other_events_nothing_is_asked(paper, asked, world, name, ref):
    first, second = map(paper, "ab")
    assert asked(first, second, name=name, ref=ref) == ""
    assert world.calls == []


def test_more_runs_of_a_day_than_are_looked_at_are_spoken_of(paper, asked, world, said):
    first, second = map(paper, "ab")
    names = [f"pf-spent-v1-2026-01-31-{number:04}" for number in range(1_001)]
    world.caches = names
    asked(first, second, PF_MODEL="m", sums=names[:1_000])
    assert "only the newest 1,000 runs are counted" in said[-1]
    world.caches = names[:1_000]
    asked(first, second, PF_MODEL="m", sums=names[:1_000])
    assert "are counted" not in said[-1]


def test_what_was_spent_is_handed_on_where_a_model_is_named(paper, asked, world):
    first, second = map(paper, "ab")
    known = "pf-spent-v1-2026-01-31-"
    world.caches = [f"{known}1", f"{known}two words", f"{known}3", "pf-replies-v1-base"]
    asked(first, second)
    assert world.calls and not any("caches" in path for _, path in world.calls)
    sums = (f"{known}1", f"{known}3")
    assert asked(first, second, PF_MODEL="m", sums=sums) == first
    assert asked(first, second, ref="refs/heads/idea", PF_MODEL="m", sums=sums) == ""
