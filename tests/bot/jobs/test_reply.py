"""Commands in comments: who may ask, what is done, what is answered."""

from dataclasses import replace

import pytest

from bot.domain.chat_commands import Permission, parse_commands
from bot.domain.forge import RefusedError
from bot.domain.job import Queue, QueuedJob, ReplyJob, ReviewPull, review
from pfcore.domain.errors import IncompleteError, PfError
from tests.bot.fakes import HEAD, NEXT, PLACE, Crash, World


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.forge.open()
    made.forge.people = {"alice": Permission.WRITE, "bob": Permission.READ}
    return made


def opened(world):
    first = ReviewPull(place=PLACE, number=7, head=HEAD, reason="pull request opened")
    world.do(review(first, "guid-0"))
    world.forge.asked.clear()


def task(said, sender="alice", received=2_000_000.0, **changes):
    job = ReplyJob(
        place=PLACE,
        guid="guid-5",
        received=received,
        number=7,
        comment=55,
        is_review=False,
        commands=parse_commands(said),
        sender=sender,
        association="NONE",
        is_author=False,
        head=None,
    )
    return QueuedJob(
        id="10#7/guid-5", queue=Queue.REPLIES, turn="10#7/", job=replace(job, **changes)
    )


def say(world, said, **changes):
    return world.do(task(said, **changes))


def answers(world):
    return [item.body for item in world.forge.remarks if "pf-verify:answer to=55" in item.body]


def asked(world):
    return [(item.job.reason, item.job.is_demand, item.job.anew) for item in world.tasks.tasks]


def reviews(world):
    return [item.job for item in world.tasks.tasks]


def test_a_check_is_acknowledged_and_put_in_the_queue(world):
    assert say(world, "/pf check") == "done"
    assert world.forge.reactions == [(55, "eyes")]
    assert asked(world) == [("/pf check by alice", True, ())]
    assert answers(world) == []


@pytest.mark.parametrize("crash", range(1, 8))
def test_after_a_crash_it_is_done_and_answered_once(world, crash):
    said = task("/pf check\n/pf help")
    try:
        world.do(said, crash)
    except Crash:
        world.do(said)
    assert len(asked(world)) == 1
    assert len(answers(world)) == 1


def test_who_may_only_read_is_told_so_or_is_not_answered_at_all(world):
    assert say(world, "/pf check", sender="bob", association="CONTRIBUTOR") == "answered"
    assert "requires write access" in answers(world)[0]
    assert asked(world) == []


def test_an_outsider_is_refused_by_a_reaction_also_on_her_own_pull_request(world):
    assert say(world, "/pf check", sender="mallory", is_author=True) == "refused"
    assert world.forge.reactions == [(55, "-1")] and answers(world) == []
    world.durables.clear()
    said = "/pf graph\n/pf check\n/pf pause"
    assert say(world, said, sender="mallory", is_author=True) == "answered"
    assert "a graph" in answers(world)[0] and "may write" not in answers(world)[0]
    assert asked(world) == []


@pytest.mark.parametrize("said", ["/pf check", "/pf dismiss abcdefgh no", "/pf nonsense", "/pf"])
def test_strangers_get_a_reaction_and_no_words(world, said):
    assert say(world, said, sender="mallory") == "refused"
    assert world.forge.reactions == [(55, "-1")]
    assert answers(world) == [] and asked(world) == []


def test_accounts_beside_the_list_are_not_heard(tmp_path):
    world = World(tmp_path, accounts=frozenset(("them",)))
    assert "not enabled" in say(world, "/pf check")
    assert world.forge.asked == []


def test_what_is_misread_is_explained(world):
    say(world, "/pf dismiss abcdefgh\n/pf nonsense")
    (body,) = answers(world)
    assert "needs a reason" in body and "Unknown command" in body


def test_help_tells_all_that_can_be_said(world):
    say(world, "/pf help")
    for verb in ("check", "recheck", "explain", "dismiss", "graph", "pause", "resume"):
        assert f"/pf {verb}" in answers(world)[0]


def test_a_finding_is_explained_if_there_is_one(world):
    say(world, "/pf explain abcdefgh")
    assert "All about it." in answers(world)[0]


def test_what_there_is_not_is_said(world):
    say(world, "/pf explain zzzzzzzz\n/pf graph")
    assert "Unknown finding 'zzzzzzzz" in answers(world)[0]
    assert "a graph" in answers(world)[0]


def test_a_dismissal_is_kept_offered_as_a_patch_and_told_by_a_review(world):
    opened(world)
    say(world, "/pf dismiss abcdefgh it is Lemma 2")
    (answer,) = world.records.answers.of(PLACE.repository_id, 7)
    assert (answer.finding, answer.aliases) == ("abcdefgh", ("zyxwvuts",))
    assert (answer.reason, answer.who) == ("it is Lemma 2", "alice")
    assert answer.lines == '{"a": 1}\n' and "a patch" in answers(world)[0]
    assert asked(world) == [("/pf dismiss by alice", False, ())]
    world.work()
    assert world.reviewer.subject.answers == (answer,)


def test_one_review_follows_all_that_one_comment_asks_for(world):
    opened(world)
    say(world, "/pf dismiss abcdefgh by (2)\n/pf recheck abcdefgh\n/pf help\n/pf check")
    assert asked(world) == [
        ("/pf dismiss, /pf recheck, /pf check by alice", True, ("abcdefgh",)),
    ]
    assert world.work() == [""]
    assert len(world.reviewer.subject.answers) == 1


def test_two_answers_are_told_together(world):
    opened(world)
    say(world, "/pf dismiss abcdefgh by (2)\n/pf dismiss abcdefgh by (3), rather")
    (order,) = reviews(world)
    assert order.is_retelling and not order.is_demand
    world.work()
    assert [item.reason for item in world.reviewer.subject.answers] == ["by (3), rather"]


def test_what_was_done_is_told_though_the_rest_cannot_be_done(world):
    opened(world)
    world.forge.failures.extend([None] * 6 + [IncompleteError("502")] * 9)
    assert say(world, "/pf dismiss abcdefgh by (2)\n/pf explain abcdefgh") == "502"
    assert [item.reason for item in reviews(world)] == ["/pf dismiss by alice"]


@pytest.mark.parametrize(
    "failure", [RefusedError("GitHub answered 422 @us"), PfError("it is broken")]
)
def test_what_is_refused_for_good_is_said_and_the_rest_is_done(world, failure):
    opened(world)
    tries = 3 if isinstance(failure, RefusedError) else 1
    world.forge.failures.extend([None] * 3 + [failure] * tries)
    said = "/pf explain abcdefgh\n/pf help\n/pf dismiss abcdefgh by (2)"
    assert say(world, said) == "answered"
    (answer,) = answers(world)
    words = "422" if isinstance(failure, RefusedError) else "It is broken."
    assert "`/pf explain` failed: " in answer and words in answer
    assert " @us" not in answer
    assert "/pf recheck ID" in answer and "a patch" in answer
    assert [item.reason for item in reviews(world)] == ["/pf dismiss by alice"]


def test_an_answer_has_nothing_read_that_a_pause_keeps_unread(world):
    opened(world)
    say(world, "/pf pause")
    world.durables.clear()
    world.forge.push(NEXT)
    world.reviewer.read.clear()
    say(world, "/pf dismiss abcdefgh by (2)")
    assert "paused" in world.work()[0]
    assert world.reviewer.read == [("structure", "c"), ("known", "c")]
    assert [item.reason for item in world.reviewer.subject.answers] == ["by (2)"]
    world.durables.clear()
    say(world, "/pf resume", guid="guid-6")
    assert world.work() == [""]
    assert world.reviewer.read[-1] == ("proofs", "c")


def test_an_answer_has_a_draft_read_by_nobody(world):
    opened(world)
    world.forge.open(is_draft=True)
    world.reviewer.read.clear()
    say(world, "/pf dismiss abcdefgh by (2)")
    assert "draft" in world.work()[0]
    assert world.reviewer.read == [("structure", "a"), ("known", "a")]


def test_an_answer_to_what_is_nowhere_held_up_is_told_with_what_is_unread(world):
    opened(world)
    say(world, "/pf dismiss abcdefgh by (2)")
    world.reviewer.read.clear()
    assert world.work() == [""]
    assert world.reviewer.read == [("structure", "a"), ("proofs", "a")]


def test_what_is_not_known_cannot_be_dismissed_or_read_again(world):
    say(world, "/pf dismiss zzzzzzzz no\n/pf recheck zzzzzzzz")
    assert answers(world)[0].count("Unknown finding") == 2
    assert asked(world) == []


def test_a_finding_is_read_once_more(world):
    opened(world)
    say(world, "/pf recheck abcdefgh")
    assert asked(world) == [("/pf recheck by alice", True, ("abcdefgh",))]
    world.work()
    assert world.reviewer.subject.anew == ("abcdefgh",)


def test_a_pause_holds_and_after_it_what_was_pushed_meanwhile_is_reviewed(world):
    opened(world)
    say(world, "/pf pause")
    assert world.records.pulls.is_paused(PLACE.repository_id, 7)
    world.durables.clear()
    world.forge.push(NEXT)
    say(world, "/pf resume")
    assert not world.records.pulls.is_paused(PLACE.repository_id, 7)
    assert world.work() == [""]
    assert world.reviewer.read[-1] == ("proofs", "c")


def test_a_closed_pull_request_is_not_checked(world):
    world.forge.open(is_open=False)
    say(world, "/pf check")
    assert "closed" in answers(world)[0]


def test_a_check_of_a_fork_agrees_to_the_head_that_the_maintainer_saw(world):
    world.forge.open(is_fork=True)
    opened(world)
    assert say(world, f"/pf check {HEAD}") == "done"
    assert world.records.pulls.agreed(PLACE.repository_id, 7) == HEAD
    assert world.work() == [""]


def test_in_doubt_it_is_said_how_a_maintainer_names_the_head_of_a_fork(world):
    world.forge.open(is_fork=True)
    opened(world)
    world.forge.push(NEXT)
    say(world, "/pf check")
    assert f"`/pf check {NEXT}`" in answers(world)[0]
    assert world.records.pulls.agreed(PLACE.repository_id, 7) is None
    assert asked(world) == []


def test_a_check_of_a_commit_that_is_no_head_is_refused_everywhere(world):
    say(world, f"/pf check {NEXT}")
    assert f"`/pf check {HEAD}`" in answers(world)[0]
    assert asked(world) == []


def test_when_github_does_not_answer_it_is_tried_again_and_given_up(world):
    world.forge.failures.extend([IncompleteError("502")] * 9)
    assert say(world, "/pf check") == "502"
    assert asked(world) == []


def each(world, said, count, **changes):
    """Say the same in several comments; what was said and how it was reacted to."""
    before = len(world.forge.remarks), len(world.forge.reactions)
    for number in range(count):
        ident = f"{said[:9]}-{number}-{len(world.durables)}"
        job = task(said, comment=1000 + len(world.durables), guid=ident, **changes)
        world.do(replace(job, id=f"10#7/{ident}"))
    return (
        [item.body for item in world.forge.remarks[before[0] :]],
        [content for _, content in world.forge.reactions[before[1] :]],
    )


def test_a_person_gets_so_many_answers_an_hour_then_one_sentence_then_none(world):
    said, reactions = each(world, "/pf explain abcdefgh", 60, sender="bob", is_author=True)
    assert len(said) == 21 and reactions == ["eyes"] * 20
    assert all("All about it." in body for body in said[:20])
    assert "I have answered 20 of your comments within an hour" in said[20]
    assert len(each(world, "/pf help", 1)[0]) == 1, "another person is answered"
    world.clock.now += 3700
    assert len(each(world, "/pf help", 1, sender="bob", is_author=True)[0]) == 1


def test_strangers_get_so_many_reactions_and_never_a_word(world):
    said, reactions = each(world, "/pf explain abcdefgh", 60, sender="mallory")
    assert said == [] and reactions == ["-1"] * 20


def test_beyond_the_bound_what_may_be_done_is_done_without_a_word(tmp_path):
    world = World(tmp_path, answers_per_hour=1)
    world.forge.open()
    world.forge.people = {"alice": Permission.WRITE, "bob": Permission.READ}
    each(world, "/pf help", 2)
    said, reactions = each(world, "/pf pause\n/pf help\n/pf nonsense", 1)
    assert (said, reactions) == ([], [])
    assert world.records.pulls.is_paused(PLACE.repository_id, 7)
    each(world, "/pf help", 2, sender="bob", is_author=True)
    assert each(world, "/pf resume", 1, sender="bob", is_author=True) == ([], [])
    assert world.records.pulls.is_paused(PLACE.repository_id, 7)
