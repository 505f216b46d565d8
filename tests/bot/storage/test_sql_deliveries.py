"""Deliveries are kept once, found again, and erased with what they belong to."""

import sqlite3
import stat
from dataclasses import replace
from threading import Thread

import pytest

from bot.domain.deliveries import Delivery, DeliveryError
from bot.storage.sql_deliveries import SqlDeliveries
from tests.acceptance.postgres import own_schema, postgres  # noqa: F401 - a fixture

FIRST = Delivery(
    guid="guid-0001",
    event="pull_request",
    installation=1,
    repository=10,
    received=100.0,
    body=b'{"a": "\xc3\xa4"}',
)
SECOND = replace(FIRST, guid="guid-0002", received=200.0, repository=11)
THIRD = replace(FIRST, guid="guid-0003", received=300.0, installation=2, repository=None)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "data" / "deliveries.sqlite"


def in_file(path):
    return SqlDeliveries(f"sqlite:///{path}")


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.acceptance)])
def opening(request, path):
    if request.param == "file":
        return lambda: in_file(path)
    url = own_schema(request.getfixturevalue("postgres"))
    return lambda: SqlDeliveries(url)


@pytest.fixture
def store(opening):
    opened = opening()
    yield opened
    opened.close()


@pytest.fixture
def filled(store):
    for delivery in (SECOND, FIRST, THIRD):
        store.keep(delivery)
    return store


def test_a_delivery_is_kept_byte_for_byte(store):
    assert store.keep(FIRST)
    assert store.get(FIRST.guid) == FIRST
    assert store.get("unknown") is None


def test_the_first_delivery_of_an_id_stays(store):
    store.keep(FIRST)
    store.keep(replace(FIRST, body=b"forged", received=999.0))
    assert store.get(FIRST.guid) == FIRST


def test_a_delivery_is_to_be_queued_until_it_was(store):
    assert store.keep(FIRST) and store.keep(FIRST)
    store.mark_queued(FIRST.guid)
    assert not store.keep(FIRST)


def test_what_was_never_queued_is_found_the_oldest_first(filled):
    assert filled.waiting(250.0) == [FIRST, SECOND]
    assert filled.waiting(999.0, most=1) == [FIRST]
    filled.mark_queued(FIRST.guid)
    assert filled.waiting(250.0) == [SECOND]


def test_what_came_since_a_moment_is_known(filled):
    assert filled.since(200.0) == {SECOND.guid, THIRD.guid}


def test_what_is_old_is_forgotten(filled):
    assert filled.forget(200.0) == 1
    assert filled.since(0.0) == {SECOND.guid, THIRD.guid}


def test_an_installation_is_erased_whole_or_by_a_repository(filled):
    assert filled.erase(1, 11) == 1
    assert filled.erase(2) == 1
    assert filled.get(FIRST.guid) == FIRST
    assert filled.get(SECOND.guid) is None and filled.get(THIRD.guid) is None
    assert filled.repositories(1) == {FIRST.repository}


def test_what_was_received_of_a_repository_goes_along_to_another_installation(filled):
    filled.move(2, 11)
    assert filled.repositories(1) == {10} and filled.repositories(2) == {11}
    assert filled.get(SECOND.guid) == replace(SECOND, installation=2)


def test_what_was_erased_is_known_by_its_id_alone_and_does_not_come_back(filled):
    filled.erase(2)
    assert THIRD.guid in filled.since(0.0)
    assert not filled.keep(THIRD)
    assert filled.get(THIRD.guid) is None
    assert filled.waiting(9e9) == [FIRST, SECOND]
    assert filled.forget(9e9) == 3 and filled.since(0.0) == frozenset()


def test_what_was_erased_is_gone_from_the_file(path):
    body = b"words that nobody else has"
    store = in_file(path)
    store.keep(replace(FIRST, body=body))
    store.erase(1)
    assert not any(body in item.read_bytes() for item in path.parent.iterdir())
    store.close()


def test_another_process_sees_what_is_kept(filled, opening):
    other = opening()
    assert other.get(FIRST.guid) == FIRST
    other.mark_queued(FIRST.guid)
    other.close()
    assert not filled.keep(FIRST)


def test_of_many_threads_none_loses_a_delivery(store):
    def keep(number):
        for count in range(20):
            store.keep(replace(FIRST, guid=f"guid-{number}-{count}"))

    threads = [Thread(target=keep, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.since(0.0)) == 160


def test_the_repositories_of_an_installation_are_known(filled):
    assert filled.repositories(1) == {10, 11}
    assert filled.repositories(2) == frozenset()


def test_only_the_owner_reads_the_file(path):
    in_file(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_body_is_not_printed():
    assert "0xc3" not in repr(FIRST) and "body" not in repr(FIRST)


def test_a_database_that_does_not_open_is_named(tmp_path):
    with pytest.raises(DeliveryError, match="cannot be opened"):
        in_file(tmp_path)


def test_a_database_that_does_not_answer_is_named(path):
    store = in_file(path)
    store.close()
    with pytest.raises(DeliveryError, match="does not answer"):
        store.keep(FIRST)


def test_a_table_that_is_gone_is_named(path):
    store = in_file(path)
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE deliveries")
    with pytest.raises(DeliveryError, match="does not answer"):
        store.keep(FIRST)
    store.close()
