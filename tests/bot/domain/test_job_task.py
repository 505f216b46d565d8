"""From events to tasks, and tasks as they are kept."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bot.domain import chat_commands, events, webhooks
from bot.domain import job as jobs
from bot.domain.events import BranchPushed, InstallationAction, InstallationChanged, RepositoryPlace
from bot.domain.job import Queue, prefix, queue_of, task
from tests.bot.fakes import BASE, HEAD, PLACE

EXAMPLES = json.loads((Path(__file__).parents[2] / "data" / "webhooks.json").read_text())
APP = 7
SAID = events.Commented(
    place=PLACE,
    number=7,
    comment=55,
    is_review=False,
    commands=chat_commands.parse_commands("/pf check\n/pf nonsense"),
    sender="alice",
    association="OWNER",
    is_author=False,
    head=None,
    written=5.0,
)


def made(event, guid="guid-0001"):
    return task(event, guid=guid, received=9.0, app=APP)


def parsed():
    for item in EXAMPLES["examples"]:
        payload = item["payload"] | {"installation": {"id": 1}}
        event = webhooks.parse_event(item["event"], json.dumps(payload).encode())
        if not isinstance(event, events.Ignored | events.RefusedDelivery):
            yield event


def test_every_event_that_counts_becomes_a_task_that_can_be_kept():
    found = [made(event) for event in parsed()]
    assert len(found) > 8
    for item in found:
        if item is not None:
            assert jobs.read_job(jobs.job_text(item.job)) == item.job
            assert item.id.startswith(item.turn)


@pytest.mark.parametrize(("action", "known"), [("edited", "dev"), ("reopened", None)])
def test_who_tells_of_another_base_names_it(action, known):
    event = next(event for event in parsed() if isinstance(event, events.PullChanged))
    changed = replace(event, action=events.PullAction(action), base_ref="dev")
    job = made(changed).job
    assert (job.base_ref, job.is_demand, job.is_closing) == (known, False, False)


def test_tasks_of_one_pull_request_have_a_turn_in_common_and_commands_their_own():
    reply, pull = made(SAID), next(made(item) for item in parsed() if _is_pull(item))
    assert jobs.read_job(jobs.job_text(reply.job)) == reply.job
    assert (pull.queue, reply.queue) == (Queue.REVIEWS, Queue.REPLIES)
    assert pull.id == f"{pull.job.place.repository_id}#{pull.job.number}:guid-0001"
    assert reply.id == "10#7/guid-0001"
    assert not reply.id.startswith(prefix(PLACE, 7))


@pytest.mark.parametrize(("written", "moment"), [(5.0, 5.0), (12.0, 9.0)])
def test_a_comment_that_arrives_late_was_written_when_it_was_written(written, moment):
    assert made(replace(SAID, written=written)).job.received == moment


@pytest.mark.parametrize(
    ("association", "source", "is_stranger"),
    [("NONE", 99, True), ("CONTRIBUTOR", None, True), ("MEMBER", 99, False), ("NONE", 10, False)],
)
def test_a_pull_request_waits_in_the_lane_of_its_author(association, source, is_stranger):
    (payload,) = [
        item["payload"]
        for item in EXAMPLES["examples"]
        if item["event"] == "pull_request" and item["payload"]["action"] == "opened"
    ][:1]
    payload = json.loads(json.dumps(payload)) | {"installation": {"id": 1}}
    payload["repository"]["id"] = 10
    payload["sender"]["login"] = "maintainer"
    pull = payload["pull_request"]
    pull |= {"author_association": association, "user": {"login": "eve", "type": "User"}}
    pull["head"]["repo"] = source and {"id": source}
    event = webhooks.parse_event("pull_request", json.dumps(payload).encode())
    assert jobs.lane_of(made(event).job) == jobs.Lane(name="10/eve", is_stranger=is_stranger)


def test_what_is_asked_for_waits_in_the_lane_of_whoever_asks():
    strange = replace(SAID, sender="eve", association="CONTRIBUTOR")
    lanes = [jobs.lane_of(made(event).job) for event in (SAID, strange)]
    assert lanes == [jobs.Lane(name="10/alice"), jobs.Lane(name="10/eve", is_stranger=True)]
    assert jobs.lane_of(made(SAID).job) != jobs.lane_of(
        made(replace(SAID, place=replace(PLACE, repository_id=11))).job
    )
    assert jobs.lane_of(jobs.Erase(installation=1, removed=())) is None


def _is_pull(event):
    return isinstance(event, events.PullChanged)


def test_checks_of_other_apps_are_none_of_our_business():
    event = events.CheckRequested(
        place=PLACE, app=8, head=HEAD, name=None, external_id=None, pulls=(), sender="alice"
    )
    assert made(event) is None


@pytest.mark.parametrize("branch", ["main", "a --> b", "x" * 900, "ünïcode\udc80"])
def test_a_branch_of_any_name_has_a_turn(branch):
    event = BranchPushed(
        place=PLACE, branch=branch, before="0" * 40, after=HEAD, is_default=False, sender="alice"
    )
    found = made(event)
    assert found.id.startswith("10@") and len(found.id) < 60
    assert found.job.before is None


def test_branches_do_not_share_turns():
    turns = {
        made(
            BranchPushed(
                place=PLACE,
                branch=branch,
                before=BASE,
                after=HEAD,
                is_default=False,
                sender="alice",
            )
        ).turn
        for branch in ("main", "other")
    }
    assert len(turns) == 2


def gone(action, removed=()):
    return made(InstallationChanged(installation=3, account="us", action=action, removed=removed))


def test_what_ends_an_installation_erases_it_and_all_else_does_nothing():
    assert gone(InstallationAction.DELETED).job == jobs.Erase(installation=3, removed=())
    assert gone(InstallationAction.REMOVED, (5,)).job.removed == (5,)
    assert gone(InstallationAction.REMOVED) is None
    assert gone(InstallationAction.CREATED) is None
    assert gone(InstallationAction.SUSPEND) is None


def test_the_app_looks_at_some_of_the_repositories_that_it_comes_to():
    places = tuple(
        RepositoryPlace(installation=3, repository=f"us/{id_}", repository_id=id_)
        for id_ in range(1, 99)
    )
    event = InstallationChanged(
        installation=3, account="us", action=InstallationAction.ADDED, removed=(), added=places
    )
    assert made(event).job.added == places[:50]


def test_a_repository_that_is_renamed_keeps_its_turn():
    names = ("us/paper", "them/thesis")
    events_ = [
        BranchPushed(
            place=RepositoryPlace(installation=1, repository=name, repository_id=10),
            branch="main",
            before=BASE,
            after=HEAD,
            is_default=True,
            sender="alice",
        )
        for name in names
    ]
    assert made(events_[0]).turn == made(events_[1]).turn


@pytest.mark.parametrize(
    "found",
    [item for item in map(made, parsed()) if item and isinstance(item.job, jobs.Placed)],
    ids=lambda item: item.job.kind,
)
def test_what_is_done_elsewhere_keeps_its_turn_and_its_queue_under_another_id(found):
    home = RepositoryPlace(
        installation=2, repository="them/x", repository_id=found.job.place.repository_id
    )
    again = jobs.moved(found.job, found.id, home)
    assert isinstance(again.job, jobs.Placed)
    assert (again.turn, again.queue, again.job.place) == (found.turn, found.queue, home)
    assert again.id == f"{found.id}/moved" and queue_of(again.id) is found.queue
    assert jobs.read_job(jobs.job_text(again.job)) == again.job
    further = jobs.moved(again.job, again.id, found.job.place)
    assert further.id not in {found.id, again.id} and further.turn == found.turn


def test_what_a_question_asks_for_is_asked_for_anew_elsewhere():
    job = made(SAID).job
    assert isinstance(job, jobs.ReplyJob)
    again = jobs.moved(job, made(SAID).id, PLACE).job
    assert isinstance(again, jobs.ReplyJob)
    assert again.guid == f"{job.guid}/moved"


def test_the_id_of_a_task_tells_where_it_waits():
    found = [item for item in (made(event) for event in parsed()) if item is not None]
    assert all(queue_of(item.id) is item.queue for item in found)
    assert queue_of(f"{found[0].id}/end") is Queue.REVIEWS


@pytest.mark.parametrize("action", events.RepositoryAction)
def test_what_becomes_of_a_repository_is_looked_at_and_what_is_gone_is_erased(action):
    found = made(events.RepositoryChanged(place=PLACE, action=action))
    if action is events.RepositoryAction.DELETED:
        assert found.job == jobs.Erase(installation=PLACE.installation, removed=(10,))
    else:
        assert isinstance(found.job, jobs.LookAgain) and found.job.added == (PLACE,)
    assert found.queue is Queue.REPLIES and found.turn == f"installation {PLACE.installation}/"
