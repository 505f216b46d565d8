"""The parse cache: what is there is not made again, and what was made elsewhere is as good."""

from pfcore.latex import codec
from pfcore.papers.parse_cache import MemoryCache, ParseCache


def unasked(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
    raise AssertionError(name)


def made(name: str) -> tuple[tuple[str, ...], dict[str, str]]:
    return (name,), {f"key {name}": codec.dump((name,))}


def test_what_was_made_is_kept_and_not_made_again() -> None:
    cache = MemoryCache()
    parse_cache = ParseCache(cache)
    assert parse_cache.missing({"a": "key a"}) == ["a"]
    assert parse_cache.get_or_parse({"a": "key a"}, codec.texts, made) == {"a": ("a",)}
    assert parse_cache.get_or_parse({"b": "key a"}, codec.texts, unasked) == {"b": ("a",)}
    assert not cache.entries
    parse_cache.keep()
    assert ParseCache(cache).missing({"a": "key a"}) == []
    assert ParseCache(cache).get_or_parse({"a": "key a"}, codec.texts, unasked) == {"a": ("a",)}


def test_what_was_made_elsewhere_is_taken_before_it_is_kept() -> None:
    cache = MemoryCache()
    parse_cache = ParseCache(cache)
    parse_cache.take({"key a": codec.dump(("a",))})
    assert parse_cache.get_or_parse({"a": "key a"}, codec.texts, unasked) == {"a": ("a",)}
    parse_cache.keep()
    assert list(cache.entries) == ["key a"]


def test_what_cannot_be_read_is_made_again() -> None:
    cache = MemoryCache()
    cache.put({"key a": "["})
    assert ParseCache(cache).get_or_parse({"a": "key a"}, codec.texts, made) == {"a": ("a",)}
