import os
import sqlite3
from pathlib import Path

import pytest

from pfcore.papers.parse_cache import CacheBackend, DiskCache, MemoryCache


@pytest.fixture(params=["memory", "disk"])
def cache(request: pytest.FixtureRequest, tmp_path: Path) -> CacheBackend:
    return MemoryCache() if request.param == "memory" else DiskCache(tmp_path / "x" / "cache.db")


def test_what_was_put_is_there(cache: CacheBackend) -> None:
    cache.put({"a": "1", "b": "é\n"})
    cache.put({"a": "2"})
    cache.put({})
    assert cache.get(["a", "b", "c"]) == {"a": "2", "b": "é\n"}
    assert cache.get([]) == {}


def test_thousands_of_entries_are_found(cache: CacheBackend) -> None:
    entries = {str(number): "x" for number in range(2_000)}
    cache.put(entries)
    assert cache.get(iter(entries)) == entries


def test_another_process_sees_what_was_put(tmp_path: Path) -> None:
    first, second = DiskCache(tmp_path / "c"), DiskCache(tmp_path / "c")
    first.put({"a": "1"})
    assert second.get(["a"]) == {"a": "1"}
    second.close()
    second.close()
    assert second.get(["a"]) == {}
    second.put({"a": "2"})
    assert first.get(["a"]) == {"a": "1"}


def test_a_cache_that_cannot_be_opened_is_empty(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    cache = DiskCache(tmp_path / "file" / "cache")
    cache.put({"a": "1"})
    assert cache.get(["a"]) == {}


def test_a_broken_file_is_an_empty_cache(tmp_path: Path) -> None:
    (tmp_path / "c").write_text("this is no database, " * 100)
    assert DiskCache(tmp_path / "c").get(["a"]) == {}


def test_a_broken_file_at_our_own_place_is_put_aside_once(tmp_path: Path) -> None:
    place = tmp_path / "pf-verify" / "readings.sqlite"
    place.parent.mkdir()
    place.write_text("garbage")
    cache = DiskCache(place)
    cache.put({"a": "1"})
    assert cache.get(["a"]) == {"a": "1"}
    cache.close()
    aside = place.with_name("readings.sqlite.broken")
    assert aside.read_text() == "garbage"
    place.write_text("more")
    assert DiskCache(place).get(["a"]) == {}
    assert (place.read_text(), aside.read_text()) == ("more", "garbage")


def test_a_cache_without_its_table_misses(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path / "c")
    cache.put({"a": "1"})
    other = sqlite3.connect(tmp_path / "c")
    other.execute("DROP TABLE entries")
    other.commit()
    other.close()
    cache.put({"b": "1"})
    assert cache.get(["a", "b"]) == {}


def test_a_cache_that_grew_too_large_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "c"
    cache = DiskCache(path)
    cache.put({"a": "1"})
    cache.close()
    os.truncate(path, 600_000_000)
    assert DiskCache(path).get(["a"]) == {}


def test_a_disk_cache_tells_whether_it_can_be_written_and_keeps_nothing(tmp_path):
    cache = DiskCache(tmp_path / "c")
    assert cache.is_writable()
    assert cache.get([""]) == {}
    assert cache._connection is not None
    cache._connection.execute("PRAGMA query_only=ON")
    assert not cache.is_writable()
    cache.close()
    assert not cache.is_writable()
