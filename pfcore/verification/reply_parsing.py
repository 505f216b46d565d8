"""What models write, read strictly: the last JSON block for choices, tags for words.

LaTeX never stands in JSON, where its backslashes would turn into control characters.

Quotes of a reply held against the text: verbatim up to white space, or not there at all.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pfcore.domain.lazy_regex import regex

_FENCED = regex(r"```(?P<kind>[^\s`]*)[^\n`]*\n(?P<body>.*?)\n?[ \t]*```", re.DOTALL)
_JSON = ("", "json", "json5", "jsonc")
_BARE = regex(r"""\{\s*["']""")
_SHOWN = 40
"""Characters of an unknown word that are shown."""
_BEHIND = 200
"""Characters behind the last block that are let pass: a closing remark, no second thought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A reply that says nothing that counts, and why.

    `reason` is what the model is told, and so a part of keys; `told` says more to people.
    """

    reason: str
    told: str = ""

    @property
    def words(self) -> str:
        """Why, for people."""
        return self.told or self.reason


def unknown_verdict(choice: Mapping[str, Any], words: Sequence[str]) -> Malformed:
    """That a reply has no verdict, or one that nobody asked for."""
    told = ""
    if "verdict" in choice:
        listed = f"{', '.join(words[:-1])} or {words[-1]}"
        told = f"unknown verdict '{str(choice['verdict'])[:_SHOWN]}': expected {listed}"
    return Malformed(reason="the JSON block has no verdict", told=told)


def last_json(text: str) -> dict[str, Any] | Malformed:
    """The object in the last block of JSON, fenced or bare; nothing before it counts."""
    blocks = [found for found in _FENCED.finditer(text) if found["kind"].lower() in _JSON]
    if blocks and len(text) - blocks[-1].end() <= _BEHIND:
        if _BARE.search(text, blocks[-1].end()):
            return Malformed(reason="there is another object behind the JSON block")
        return _object(blocks[-1]["body"])
    start = _last_object(text)
    if start is None:
        return Malformed(reason="the reply has no JSON block")
    return _object(text[start:])


def _last_object(text: str) -> int | None:
    """Where the object at the end of a text begins."""
    if not text.rstrip().endswith("}"):
        return None
    depth = 0
    for position in range(len(text) - 1, -1, -1):
        if text[position] == "}":
            depth += 1
        elif text[position] == "{":
            depth -= 1
            if depth == 0:
                return position
    return None


def _object(text: str) -> dict[str, Any] | Malformed:
    try:
        value = json.loads(text, object_pairs_hook=_pairs)
    except (ValueError, RecursionError):
        return Malformed(reason="the JSON block cannot be read")
    if not isinstance(value, dict):
        return Malformed(reason="the JSON block holds no object")
    return value


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys differ: of two verdicts, neither is one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Tagged:
    """A tagged passage with its id, if it has one."""

    id: str
    body: str

    def inner(self, name: str) -> str:
        """The words of the first tag of this name inside; "" if there is none."""
        found = tagged(self.body, name)
        return found[0].body if found else ""


def tagged(text: str, name: str) -> list[Tagged]:
    """All passages between tags of a name, in order; their words trimmed."""
    return [
        Tagged(id=(match["id"] or "").strip(), body=match["body"].strip())
        for match in _tag(name).finditer(text)
    ]


def count_opened(text: str, name: str) -> int:
    """How many tags of a name begin: more than `tagged` finds where one is not closed."""
    return len(re.findall(rf"<{name}(?=[\s>])", text))


@lru_cache(maxsize=64)
def _tag(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"""<{name}(?:\s+id\s*=\s*["'](?P<id>[^"'<>]*)["'])?\s*>(?P<body>.*?)</{name}\s*>""",
        re.DOTALL,
    )
