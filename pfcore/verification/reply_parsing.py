"""Strict parsing of replies: choices come from the last JSON block, words from tags.

LaTeX is never put into JSON, where its backslashes would turn into control characters.
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
"""How many characters of an unknown word are shown."""
_BEHIND = 200
"""How many characters may follow the last block: enough for a closing remark, not for more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Malformed:
    """A reply without a valid answer, and why.

    `reason` is sent to the model, and therefore part of keys; `told` is a longer text for people.
    """

    reason: str
    told: str = ""

    @property
    def words(self) -> str:
        """The reason, for people."""
        return self.told or self.reason


def unknown_verdict(choice: Mapping[str, Any], words: Sequence[str]) -> Malformed:
    """A reply without a verdict, or with an unknown one."""
    told = ""
    if "verdict" in choice:
        listed = f"{', '.join(words[:-1])} or {words[-1]}"
        told = f"unknown verdict '{str(choice['verdict'])[:_SHOWN]}': expected {listed}"
    return Malformed(reason="the JSON block has no verdict", told=told)


def last_json(text: str) -> dict[str, Any] | Malformed:
    """The object in the last block of JSON, fenced or bare; earlier ones are ignored."""
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
    """The offset at which the object at the end of a text begins."""
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
    """An object with distinct keys: of two different verdicts, neither counts."""
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
        """The content of the first tag of this name inside; "" if there is none."""
        found = tagged(self.body, name)
        return found[0].body if found else ""


def tagged(text: str, name: str) -> list[Tagged]:
    """All passages between tags of a name, in order and trimmed."""
    return [
        Tagged(id=(match["id"] or "").strip(), body=match["body"].strip())
        for match in _tag(name).finditer(text)
    ]


def count_opened(text: str, name: str) -> int:
    """The number of opening tags of a name; larger than that of `tagged` if one is not closed."""
    return len(re.findall(rf"<{name}(?=[\s>])", text))


@lru_cache(maxsize=64)
def _tag(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"""<{name}(?:\s+id\s*=\s*["'](?P<id>[^"'<>]*)["'])?\s*>(?P<body>.*?)</{name}\s*>""",
        re.DOTALL,
    )
