"""What a worker sees to beside its work."""

from threading import Event

import pytest

from bot.domain.deliveries import DeliveryError
from bot.domain.run_records import ReviewRun, RunState
from bot.jobs.deliver import Intake
from bot.jobs.housekeeping import Household, Round, Rounds, Watchman
from pfcore.domain.errors import IncompleteError
from tests.bot.fakes import World

DAY = 24 * 3600.0


class Stopwatch:
    """Seconds that tests let pass."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class FakeBench:
    """Remembers what was taken over and forgotten."""

    def __init__(self):
        self.taken = []
        self.forgotten = []
        self.lost = []
        self.renewed = []
        self.owned, self.resumed = frozenset[str](), list[str]()

    def at_work(self, worker):
        return self.owned

    def take_up(self, task):
        self.resumed.append(task)

    def renew(self, worker=None):
        self.renewed.append(worker)
        return 0

    def given_up(self, among):
        return [item for item in self.lost if item in among]

    def take_over(self, worker):
        self.taken.append(worker)
        return 2

    def forget(self, before):
        self.forgotten.append(before)
        return 1


@pytest.fixture
def world(tmp_path):
    return World(tmp_path)


@pytest.fixture
def bench():
    return FakeBench()


def watchman(me, world, bench, stopwatch):
    return Watchman(me, records=world.records, bench=bench, stopwatch=stopwatch)


def test_the_first_of_the_living_takes_over_what_the_dead_were_at(world, bench):
    watch = Stopwatch()
    first, second = (watchman(name, world, bench, watch) for name in ("a", "b"))
    world.records.workers.beat("dead")
    for now in range(0, 120, 10):
        watch.now = float(now)
        for one in (first, second):
            one.beat()
            one.look()
    assert set(bench.taken) == {"dead"}
    bench.taken.clear()
    watch.now += 10
    second.beat()
    assert second.look() == 0 and bench.taken == []
    assert first.look() == 2 and bench.taken == ["dead"]


def test_one_worker_begins_anew_what_waits_and_each_what_it_was_at(world, bench):
    first, second = (watchman(name, world, bench, Stopwatch()) for name in ("a", "b"))
    for one in (first, second):
        one.beat()
        one.look()
    assert bench.renewed == ["a", None, "b"]


def test_who_is_seen_for_the_first_time_is_alive(world, bench):
    world.records.workers.beat("b")
    watch = Stopwatch()
    watch.now = 1_000_000.0
    assert watchman("a", world, bench, watch).look() == 0
    assert bench.taken == []


@pytest.mark.parametrize("skew", [-DAY, DAY])
def test_the_clocks_of_workers_do_not_matter(world, bench, skew):
    watch, world.clock.now = Stopwatch(), world.clock.now + skew
    me = watchman("a", world, bench, watch)
    for now in range(0, 300, 10):
        watch.now = float(now)
        world.records.workers.beat("b")
        me.beat()
        me.look()
    assert bench.taken == []


def test_a_worker_does_not_take_itself_over(world, bench):
    watch = Stopwatch()
    me = watchman("a", world, bench, watch)
    me.beat()
    me.look()
    watch.now = 500.0
    assert me.look() == 0 and bench.taken == []


def test_what_no_thread_is_at_is_taken_up_once_two_looks_have_seen_it(world, bench):
    busy = frozenset(("1#7:a",))
    me = Watchman("a", records=world.records, bench=bench, stopwatch=Stopwatch(), busy=lambda: busy)
    me.beat()
    bench.owned = frozenset(("1#7:a", "1#8:b", "1#9:c"))
    assert me.look() == 0, "they may be about to begin"
    bench.owned -= {"1#9:c"}
    assert me.look() == 1 and bench.resumed == ["1#8:b"]
    bench.owned -= {"1#8:b"}
    assert me.look() == 0


def test_what_is_due_is_done_and_what_fails_is_done_again(caplog):
    done = []

    def fail():
        done.append("fail")
        raise IncompleteError("secret words")

    def work():
        done.append("work")
        return 1

    rounds = Rounds(
        [
            Round(name="failing", every=10.0, act=fail),
            Round(name="working", every=30.0, act=work),
        ]
    )
    for now in (0.0, 5.0, 10.0, 31.0):
        rounds.walk(now)
    assert done == ["fail", "work", "fail", "fail", "work"]
    assert "secret words" not in caplog.text


def test_what_was_not_foreseen_ends_no_round(caplog):
    done = []

    def work():
        done.append("work")
        return 0

    rounds = Rounds(
        [
            Round(name="broken", every=10.0, act=lambda: int("secret words")),
            Round(name="working", every=10.0, act=work),
        ]
    )
    rounds.walk(0.0)
    rounds.walk(10.0)
    assert done == ["work", "work"]
    assert [item.levelname for item in caplog.records] == ["ERROR", "ERROR"]


def test_rounds_end_when_they_are_told_to():
    stop, stopwatch, done = Event(), Stopwatch(), []
    stop.set()

    def work():
        done.append("work")
        return 0

    Rounds([Round(name="x", every=1.0, act=work)]).until(stop, stopwatch)
    assert done == []


@pytest.fixture
def household(world, bench):
    intake = Intake(
        world.settings,
        hub=world.hub,
        deliveries=world.deliveries,
        tasks=world.tasks,
        clock=world.clock,
    )
    return Household(world.means, intake=intake, bench=bench)


def test_old_data_are_forgotten(household, bench, world):
    assert household.forget() == 1
    assert bench.forgotten[0] == pytest.approx(world.clock.now - 30 * DAY, abs=5)


def test_what_was_missed_is_asked_for_as_far_back_as_github_remembers_and_then_from_there(
    household, world
):
    asked = []

    def deliveries(since):
        asked.append(since)
        return iter(())

    world.hub.deliveries = deliveries
    begun = world.clock.now
    household.fetch()
    household.fetch()
    assert asked[0] == pytest.approx(begun - 3 * DAY, abs=5)
    assert asked[1] == pytest.approx(begun - 900, abs=5)


def test_what_was_forgotten_is_not_asked_for_again(tmp_path, bench):
    asked = []

    def deliveries(since):
        asked.append(since)
        return iter(())

    world = World(tmp_path, days_kept=1)
    vars(world.hub)["deliveries"] = deliveries
    begun = world.clock.now
    intake = Intake(
        world.settings,
        hub=world.hub,
        deliveries=world.deliveries,
        tasks=world.tasks,
        clock=world.clock,
    )
    Household(world.means, intake=intake, bench=bench).fetch()
    assert asked[0] == pytest.approx(begun - DAY, abs=5)


def test_what_waits_is_handed_on_unless_it_came_just_now(household):
    assert household.hand_on() == 0


def run(ident, state=RunState.RUNNING, repository=10):
    return ReviewRun(
        id=ident,
        installation=1,
        repository_id=repository,
        repository="us/paper",
        number=7,
        head="a" * 40,
        base="",
        reason="opened",
        state=state,
        created=1_000_000.0,
    )


def test_a_run_that_nobody_takes_up_any_more_has_failed(household, bench, world):
    world.records.runs.begin(run("a"))
    world.records.runs.begin(run("b", RunState.DONE))
    bench.lost = ["a", "b", "unknown"]
    assert household.settle() == 1
    assert household.settle() == 0
    assert [task.id for task in world.tasks.tasks] == ["a/end"]
    assert world.records.runs.get("a").state is RunState.FAILED
    assert world.records.runs.get("b").state is RunState.DONE


def test_a_run_is_only_failed_once_its_end_is_sure_to_be_told(household, bench, world):
    world.records.runs.begin(run("a"))
    bench.lost, world.tasks.is_broken = ["a"], True
    with pytest.raises(DeliveryError):
        household.settle()
    assert world.records.runs.get("a").state is RunState.RUNNING


def test_what_this_machine_keeps_goes_with_the_last_run_of_its_repository(household, world):
    world.records.runs.begin(run("a"))
    world.reviewer.kept = {10, 11}
    household.forget()
    assert world.reviewer.erased == [11]
