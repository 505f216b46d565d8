"""The phrases around a reference, read once: `reference_phrases.toml` says how they are written."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

PHRASES = Path(__file__).with_name("reference_phrases.toml")


def phrases_at(place: str) -> dict[str, tuple[str, ...]]:
    """The phrases of all languages at a place, by what they make of a reference."""
    return {name: _of_all(languages) for name, languages in tables()[place].items()}


def phrase_class(name: str) -> tuple[str, ...]:
    """The phrases that `<name>` stands for."""
    return _of_all(tables()["class"][name])


def _of_all(languages: Mapping[str, Mapping[str, str]]) -> tuple[str, ...]:
    return tuple(phrase for phrases in languages.values() for phrase in phrases)


@cache
def tables() -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, str]]]]:
    """By place, by what is made of a reference and by language: phrases, each with its example."""
    import tomllib  # late: the hook starts often, and reads words only where a file is new

    return tomllib.loads(PHRASES.read_text("utf-8"))
