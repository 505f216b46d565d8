"""The records keep one contract in memory, in SQLite and in Postgres."""

import json
import stat
from dataclasses import replace
from threading import Thread

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import SQLAlchemyError

from bot.domain.deliveries import DeliveryError
from bot.domain.events import RepositoryPlace
from bot.domain.review_result import Manuscript, ReviewOutline
from bot.domain.run_records import (
    DismissalRecord,
    RecordError,
    ReviewRun,
    RunCursor,
    RunState,
)
from bot.storage.app_database import DELIVERY_TABLES, RECORD_TABLES
from bot.storage.records import open_records
from bot.storage.sql_deliveries import SqlDeliveries
from pfcore.domain.values import Status
from pfcore.reporters.formats.publication import Conclusion
from pfcore.testing import FakeClock
from tests.acceptance.postgres import own_schema, postgres  # noqa: F401 - a fixture
from tests.bot.memory_records import MemoryRecords

PLACE = RepositoryPlace(installation=1, repository="us/paper", repository_id=10)
ELSEWHERE = RepositoryPlace(installation=1, repository="us/other", repository_id=11)
FIRST = ReviewRun(
    id="us/paper#7:guid-1",
    installation=1,
    repository_id=10,
    repository="us/paper",
    number=7,
    head="a" * 40,
    base="b" * 40,
    reason="pull_request opened",
    created=100.0,
)
SECOND = replace(FIRST, id="us/paper#7:guid-2", head="c" * 40, created=200.0)
BRANCH = replace(
    FIRST,
    id="us/paper@main:guid-3",
    number=None,
    branch="ma<in>-->",
    is_default=True,
    created=300.0,
)
OTHER = replace(
    FIRST, id="us/other#7:guid-4", repository="us/other", repository_id=11, created=400.0
)
FOREIGN = replace(
    OTHER, id="them/x#1:guid-5", installation=2, repository="them/x", repository_id=12
)
ALL = (FIRST, SECOND, BRANCH, OTHER, FOREIGN)
ANSWER = DismissalRecord(
    place=PLACE,
    number=7,
    finding="abcdefgh",
    aliases=("ijklmnop",),
    lines='{"context": "…"}\n',
    reason="it is Lemma 2",
    who="alice",
    when=150.0,
)
OUTLINE = ReviewOutline(
    conclusion=Conclusion.FINDINGS,
    title="1 finding, 0 blocking",
    papers=(
        Manuscript(
            name="main.tex",
            root="main.tex",
            modules=3,
            affected=1,
            backlog=0,
            statuses={Status.CHECKED: 2, Status.FLAGGED: 1},
        ),
    ),
)
RESULT = json.dumps(json.loads(OUTLINE.text()) | {"graph": "{}", "more": [1]})
DAY = 24 * 3600.0


@pytest.fixture
def clock():
    return FakeClock()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.acceptance)])
def url(request, tmp_path):
    if request.param == "postgres":
        return own_schema(request.getfixturevalue("postgres"))
    return f"sqlite:///{tmp_path / 'data' / 'app.sqlite'}"


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.acceptance)])
def records(request, tmp_path, clock):
    if request.param == "memory":
        yield MemoryRecords(clock)
        return
    place = f"sqlite:///{tmp_path / 'app.sqlite'}"
    if request.param == "postgres":
        place = own_schema(request.getfixturevalue("postgres"))
    opened = open_records(place, clock)
    yield opened
    opened.close()


@pytest.fixture
def runs(records):
    return records.runs


@pytest.fixture
def filled(records):
    for run in ALL:
        assert records.runs.begin(run)
    return records


def ids(runs):
    return [run.id for run in runs]


def test_a_run_is_begun_once(runs):
    assert runs.begin(FIRST)
    assert not runs.begin(replace(FIRST, reason="again", created=999.0))
    assert runs.get(FIRST.id) == FIRST
    assert runs.get("unknown") is None


def test_a_run_may_come_with_all_that_it_has(runs):
    whole = replace(
        FIRST,
        state=RunState.DONE,
        note="2 findings",
        started=101.0,
        ended=102.5,
        structure="{}",
        proofs='{"a": 1}',
        calls=3,
        input_tokens=5_000_000_000,
        output_tokens=40,
        dollars=0.125,
    )
    runs.begin(whole)
    assert runs.get(FIRST.id) == whole


def test_a_run_changes_in_what_is_named_only(runs):
    runs.begin(FIRST)
    assert runs.change(FIRST.id, state=RunState.RUNNING, started=110.0, calls=2, proofs="{}")
    assert runs.get(FIRST.id) == replace(
        FIRST, state=RunState.RUNNING, started=110.0, calls=2, proofs="{}"
    )
    assert not runs.change("unknown", state=RunState.RUNNING)


def test_a_run_that_ended_is_not_superseded(runs):
    runs.begin(FIRST)
    is_open = frozenset((RunState.QUEUED, RunState.RUNNING, RunState.WAITING))
    assert runs.change(FIRST.id, only=is_open, state=RunState.DONE)
    assert not runs.change(FIRST.id, only=is_open, state=RunState.SUPERSEDED)
    assert runs.get(FIRST.id).state is RunState.DONE


def test_the_newest_runs_come_first_and_light(filled):
    runs = filled.runs
    runs.change(SECOND.id, structure="{}", proofs="{}", state=RunState.DONE)
    runs.log(SECOND.id, "a line")
    assert ids(runs.latest(3)) == [OTHER.id, FOREIGN.id, BRANCH.id]
    assert ids(runs.latest(9, repository_id=10)) == [BRANCH.id, SECOND.id, FIRST.id]
    assert ids(runs.latest(9, repository_id=10, state=RunState.QUEUED)) == [BRANCH.id, FIRST.id]
    assert runs.latest(9, state=RunState.DONE) == [replace(SECOND, state=RunState.DONE)]


def test_runs_are_found_from_any_place_in_their_order_on(filled):
    runs = filled.runs
    order = [OTHER, FOREIGN, BRANCH, SECOND, FIRST]
    for place, run in enumerate(order):
        edge = RunCursor(run.created, run.id)
        assert ids(runs.latest(9, before=edge)) == ids(order[place + 1 :])
        assert ids(runs.latest(9, after=edge)) == ids(order[:place])
    edge = RunCursor(BRANCH.created, BRANCH.id)
    assert ids(runs.latest(1, before=edge)) == [SECOND.id]
    assert ids(runs.latest(1, after=edge)) == [FOREIGN.id]
    assert ids(runs.latest(9, repository_id=11, after=edge)) == [OTHER.id]
    assert runs.latest(9, state=RunState.DONE, before=edge) == []
    assert ids(runs.latest(9, before=RunCursor(300.0, "a\x00\ud800"))) == [SECOND.id, FIRST.id]


def test_the_runs_of_a_commit_are_those_of_its_pull_request_or_of_branches(filled):
    runs, head = filled.runs, FIRST.head
    runs.change(SECOND.id, head=head)
    runs.change(BRANCH.id, head=head)
    assert ids(runs.of_commit(10, head, 9, number=7)) == [SECOND.id, FIRST.id]
    assert ids(runs.of_commit(10, head, 1, number=7)) == [SECOND.id]
    assert ids(runs.of_commit(10, head, 9, number=None)) == [BRANCH.id]
    assert runs.of_commit(10, "d" * 40, 9, number=7) == []
    assert runs.of_commit(10, head, 9, number=8) == runs.of_commit(13, head, 9, number=7) == []
    runs.change(FIRST.id, state=RunState.DONE)
    done = frozenset((RunState.DONE,))
    assert ids(runs.of_commit(10, head, 1, number=7, states=done)) == [FIRST.id]


def test_the_newest_runs_of_a_pull_request_are_those_of_its_repository(filled):
    assert ids(filled.runs.of_pull(10, 7, 9)) == [SECOND.id, FIRST.id]
    assert ids(filled.runs.of_pull(10, 7, 1)) == [SECOND.id]
    assert ids(filled.runs.of_pull(11, 7, 9)) == [OTHER.id]
    assert filled.runs.of_pull(10, 8, 9) == []


def test_what_finished_on_the_default_branch_comes_with_its_outlines(filled):
    assert filled.runs.on_default(10, 5) == []
    filled.runs.change(BRANCH.id, state=RunState.DONE, proofs=RESULT)
    expected = replace(BRANCH, state=RunState.DONE, proofs_outline=OUTLINE)
    assert filled.runs.on_default(10, 5) == [expected]
    assert filled.runs.on_default(11, 5) == []
    filled.runs.change(SECOND.id, state=RunState.DONE)
    assert filled.runs.on_default(10, 5) == [expected]


def test_the_outline_is_that_of_the_result_that_is_there(runs):
    runs.begin(replace(FIRST, structure=RESULT))
    assert runs.get(FIRST.id).structure_outline == OUTLINE
    runs.change(FIRST.id, note="a note")
    assert runs.latest(1)[0].structure_outline == OUTLINE
    runs.change(FIRST.id, structure=None)
    assert runs.latest(1)[0].structure_outline is None


def test_a_repository_is_found_by_its_name(filled):
    assert filled.runs.named("us/paper") == filled.runs.named("US/Paper") == 10
    assert filled.runs.named("us/pape_") is None
    filled.runs.begin(replace(FIRST, id="new", repository_id=99, created=900.0))
    assert filled.runs.named("us/paper") == 99


def test_a_log_keeps_its_order_and_is_cut(filled, clock):
    clock.now = 5.0
    filled.runs.log(FIRST.id, "fetched")
    filled.runs.log(FIRST.id, "x" * 900)
    filled.runs.log("unknown", "nothing")
    first, second = filled.runs.get(FIRST.id).log
    assert (first.at, first.line, len(second.line)) == (5.0, "fetched", 500)


def test_what_was_spent_counts_from_when_a_run_began(filled):
    filled.runs.change(FIRST.id, started=250.0, dollars=0.5)
    filled.runs.change(SECOND.id, dollars=0.25)
    filled.runs.change(FOREIGN.id, dollars=2.0)
    assert filled.runs.spent(0.0) == 2.75
    assert filled.runs.spent(0.0, 10) == 0.75
    assert filled.runs.spent(201.0, 10) == 0.5
    assert filled.runs.spent(0.0, 77) == 0.0


def test_what_is_forgotten_was_spent_all_the_same(filled):
    filled.runs.change(FIRST.id, dollars=0.5)
    filled.forget(150.0)
    assert filled.runs.get(FIRST.id) is None
    assert filled.runs.spent(0.0, 10) == filled.runs.spent(0.0) == 0.5
    filled.forget(150.0 + 70 * DAY)
    assert filled.runs.spent(0.0) == 0.0


def test_what_is_erased_was_spent_but_nobody_knows_where(filled):
    filled.runs.change(FIRST.id, dollars=0.5)
    filled.runs.change(SECOND.id, dollars=0.5)
    filled.forget(150.0)
    filled.erase(1)
    assert filled.runs.spent(0.0, 10) == 0.0
    assert filled.runs.spent(0.0) == 1.0


def test_what_was_done_is_tallied(filled):
    filled.runs.change(
        FIRST.id, state=RunState.DONE, started=100.0, ended=104.0, calls=2, input_tokens=9
    )
    filled.runs.change(OTHER.id, state=RunState.DONE, calls=1, output_tokens=4, dollars=0.5)
    found = filled.runs.tally(0.0)
    assert found.states == {RunState.DONE: 2, RunState.QUEUED: 3}
    assert (found.calls, found.input_tokens, found.output_tokens) == (3, 9, 4)
    assert (found.dollars, found.seconds) == (0.5, (4.0,))
    assert filled.runs.tally(350.0).states == {RunState.DONE: 1, RunState.QUEUED: 1}
    assert filled.runs.tally(900.0).states == {}


def test_an_installation_is_erased_whole_or_by_a_repository(filled):
    filled.runs.log(FIRST.id, "a line")
    filled.answers.add(ANSWER)
    filled.pulls.pause(PLACE, 7, is_paused=True)
    filled.pulls.pause(ELSEWHERE, 7, is_paused=True)
    assert filled.erase(1, 10) == 3
    assert filled.answers.of(10, 7) == [] and not filled.pulls.is_paused(10, 7)
    assert filled.pulls.is_paused(11, 7)
    assert filled.erase(1) == 1
    assert ids(filled.runs.latest(9)) == [FOREIGN.id]
    filled.runs.begin(FIRST)
    assert filled.runs.get(FIRST.id).log == ()


def test_what_is_kept_of_a_repository_goes_along_to_another_installation(filled):
    filled.answers.add(ANSWER)
    filled.pulls.pause(PLACE, 7, is_paused=True)
    filled.people.count(PLACE, "guid-1", "alice", 9)
    home = replace(PLACE, installation=2, repository="them/paper")
    filled.move(home)
    filled.move(home)
    assert (filled.runs.places(1), filled.runs.places(2)) == ([11], [10, 12])
    assert {run.installation for run in filled.runs.latest(9, repository_id=10)} == {2}
    assert filled.people.count(home, "guid-2", "alice", 9) == 2
    filled.erase(1)
    assert filled.answers.of(10, 7) and filled.pulls.is_paused(10, 7)
    filled.erase(2, 10)
    assert ids(filled.runs.latest(9)) == [FOREIGN.id]
    assert filled.answers.of(10, 7) == [] and not filled.pulls.is_paused(10, 7)


def test_a_repository_of_which_nothing_is_kept_is_of_no_installation(filled):
    filled.move(replace(PLACE, installation=2, repository_id=99))
    assert filled.runs.places(2) == [12]


def test_a_repository_is_known_until_it_is_erased_however_old_its_runs_are(filled):
    assert filled.runs.places(1) == [10, 11]
    filled.forget(9_000_000.0)
    assert filled.runs.latest(9) == []
    assert filled.runs.places(1) == [10, 11]
    filled.erase(1, 10)
    assert (filled.runs.places(1), filled.runs.places(2)) == ([11], [12])
    filled.erase(1)
    assert filled.runs.places(1) == []


def test_what_is_old_is_forgotten_from_its_end_on(filled):
    filled.runs.change(FIRST.id, state=RunState.DONE, ended=500.0)
    assert filled.forget(400.0) == 2
    assert set(ids(filled.runs.latest(9))) == {FIRST.id, OTHER.id, FOREIGN.id}


def test_answers_and_pauses_stay_as_long_as_there_are_runs(filled, clock):
    clock.now = 150.0
    filled.answers.add(ANSWER)
    filled.pulls.pause(PLACE, 7, is_paused=True)
    filled.forget(160.0)
    assert filled.answers.of(10, 7) == [ANSWER] and filled.pulls.is_paused(10, 7)
    filled.forget(250.0)
    assert filled.answers.of(10, 7) == [] and not filled.pulls.is_paused(10, 7)


def test_answers_are_those_of_a_pull_request(records):
    later = replace(ANSWER, finding="qrstuvwx", when=180.0)
    records.answers.add(later)
    records.answers.add(ANSWER)
    records.answers.add(replace(ANSWER, place=ELSEWHERE))
    assert records.answers.of(10, 7) == [ANSWER, later]
    assert records.answers.of(10, 8) == []


def test_a_later_answer_to_a_finding_counts(records):
    records.answers.add(ANSWER)
    better = replace(ANSWER, reason="Lemma 3, rather", who="bob", when=190.0)
    records.answers.add(better)
    assert records.answers.of(10, 7) == [better]


def test_a_pull_request_is_paused_and_resumed(records):
    assert not records.pulls.is_paused(10, 7)
    records.pulls.pause(PLACE, 7, is_paused=True)
    assert records.pulls.is_paused(10, 7) and not records.pulls.is_paused(10, 8)
    records.pulls.pause(PLACE, 7, is_paused=False)
    assert not records.pulls.is_paused(10, 7)


def test_a_maintainer_agrees_to_one_head(records):
    assert records.pulls.agreed(10, 7) is None
    records.pulls.agree(PLACE, 7, "a" * 40)
    records.pulls.pause(PLACE, 7, is_paused=True)
    assert records.pulls.agreed(10, 7) == "a" * 40
    records.pulls.agree(PLACE, 7, "c" * 40)
    assert records.pulls.agreed(10, 7) == "c" * 40
    assert records.pulls.is_paused(10, 7)


def test_comments_of_a_person_are_counted_for_an_hour_in_all_of_an_installation(records, clock):
    def count(guid, place=PLACE, who="bob"):
        return records.people.count(place, guid, who, 2)

    clock.now = 1000.0
    assert [count("a"), count("b", ELSEWHERE), count("a"), count("b")] == [1, 2, 1, 2]
    clock.now = 1100.0
    assert [count("c"), count("d"), count("e"), count("c"), count("d")] == [3, 4, 4, 3, 4]
    assert count("f", who="eve") == 1
    assert count("g", replace(PLACE, installation=2)) == 1
    clock.now = 4650.0
    assert [count("h"), count("c")] == [2, 3]
    records.erase(1, 10)
    assert count("i") == 1
    records.forget(9000.0)
    assert count("i") == 1


def test_workers_say_that_they_live(records, clock):
    assert records.workers.beats() == {}
    records.workers.beat("one")
    clock.now = 9.0
    records.workers.beat("one")
    records.workers.beat("two")
    assert records.workers.beats() == {"one": 9.0, "two": 9.0}
    records.forget(50.0)
    assert records.workers.beats() == {}


def test_another_process_sees_what_is_kept(url, clock):
    ours, theirs = open_records(url, clock), open_records(url, clock)
    ours.runs.begin(FIRST)
    assert theirs.runs.get(FIRST.id) == FIRST
    theirs.close()
    ours.close()


def test_no_sign_of_a_name_or_a_note_is_too_strange(url, clock):
    records = open_records(url, clock)
    records.runs.begin(replace(FIRST, id="a\x00b\ud800", note="n\x00\udfff", repository="x/'%_"))
    (kept,) = records.runs.latest(1)
    assert kept.note == "n\ufffd?" and records.runs.named("x/'%_") == 10
    assert (found := records.runs.get("a\x00b\ud800")) and found.id == kept.id
    records.close()


def test_of_many_threads_one_begins_a_run(url, clock):
    records = open_records(url, clock)
    made = []

    def begin(number):
        for run in range(10):
            is_new = records.runs.begin(replace(FIRST, id=f"run-{run}"))
            made.append(is_new)
            records.runs.log(f"run-{run}", f"by {number}")

    threads = [Thread(target=begin, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(made) == 10
    assert (run := records.runs.get("run-3")) and len(run.log) == 6
    records.close()


def test_tables_may_be_made_by_many_at_once(url, clock):
    opened, faults = [], []

    def start():
        try:
            opened.append(open_records(url, clock))
        except RecordError as error:
            faults.append(error)

    threads = [Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for records in opened:
        records.close()
    assert faults == [] and len(opened) == 6


def carry_out(url, statement):
    """Say something to a database, as whoever has its address can; the first value that comes."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.begin() as connection:
            found = connection.execute(text(statement))
            return found.scalar() if found.returns_rows else None
    finally:
        engine.dispose()


def test_a_new_database_says_of_which_version_it_is(url, clock):
    open_records(url, clock).close()
    SqlDeliveries(url).close()
    assert carry_out(url, "SELECT version FROM run_schema") == RECORD_TABLES.version
    assert carry_out(url, "SELECT version FROM delivery_schema") == DELIVERY_TABLES.version


@pytest.mark.parametrize("left", ["a table without a row", "no table"])
def test_what_was_kept_before_there_were_versions_is_kept(url, clock, left):
    records = open_records(url, clock)
    records.runs.begin(FIRST)
    records.close()
    said = "DROP TABLE run_schema" if left == "no table" else "DELETE FROM run_schema"
    carry_out(url, said)
    carry_out(url, "DROP TABLE run_workers")
    carry_out(url, "DROP INDEX runs_created")
    records = open_records(url, clock)
    assert records.runs.get(FIRST.id) == FIRST
    assert records.workers.beats() == {}
    records.close()
    assert carry_out(url, "SELECT version FROM run_schema") == RECORD_TABLES.version


def test_a_database_of_a_newer_release_is_left_alone(url, clock):
    open_records(url, clock).close()
    carry_out(url, "UPDATE run_schema SET version = 99")
    carry_out(url, "DROP TABLE run_workers")
    with pytest.raises(
        RecordError, match=r"was written by a newer release .* Update pf-verify"
    ) as caught:
        open_records(url, clock)
    assert "/" not in caught.value.message
    with pytest.raises(SQLAlchemyError):
        carry_out(url, "SELECT count(*) FROM run_workers")
    SqlDeliveries(url).close()


def test_deliveries_of_a_newer_release_are_left_alone(url):
    SqlDeliveries(url).close()
    carry_out(url, "UPDATE delivery_schema SET version = 99")
    with pytest.raises(DeliveryError, match=r"was written by a newer release .* Update pf-verify"):
        SqlDeliveries(url)


def test_only_the_owner_reads_the_file(tmp_path, clock):
    path = tmp_path / "data" / "app.sqlite"
    records = open_records(f"sqlite:///{path}", clock)
    records.runs.begin(FIRST)
    found = {stat.S_IMODE(item.stat().st_mode) for item in path.parent.iterdir()}
    assert found == {0o600} and len(list(path.parent.iterdir())) == 3
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    records.close()


def test_a_database_that_fails_is_told_without_its_address(tmp_path, clock):
    for url in (
        f"sqlite:///{tmp_path}",
        f"sqlite:///{tmp_path / 'text'}",
        "postgresql://us:secret@/none?host=/nowhere",
        "postgresql://us:secret@nowhere:port/none",
    ):
        (tmp_path / "text").write_text("no database" * 500)
        with pytest.raises(RecordError, match=r"cannot be opened|has an invalid address") as caught:
            open_records(url, clock)
        assert "secret" not in str(caught.value) and caught.value.__cause__ is None


def test_a_database_that_fails_later_is_told(tmp_path, clock):
    records = open_records(f"sqlite:///{tmp_path / 'app.sqlite'}", clock)
    other = create_engine(f"sqlite:///{tmp_path / 'app.sqlite'}")
    with other.begin() as connection:
        connection.execute(text("DROP TABLE runs"))
    other.dispose()
    with pytest.raises(RecordError, match="does not answer"):
        records.runs.begin(FIRST)
    records.close()


def test_results_are_not_printed():
    assert "paper text" not in repr(replace(FIRST, proofs="paper text", structure="paper text"))
    assert "paper text" not in repr(replace(ANSWER, lines="paper text"))
