"""GitHub's own description of its interface, trimmed; and values that have the form it states."""

import json
from functools import cache
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parents[2] / "data/github"
Json = dict[str, Any]
_TEXTS = {
    "uri": "https://github.example/nothing",
    "date-time": "2026-01-02T03:04:05Z",
    "uuid": "00000000-0000-0000-0000-000000000000",
}
_PLAIN = {"integer": 1, "number": 1.0, "boolean": False, "array": [], "string": "x"}


@cache
def rest() -> Json:
    """The description of the REST interface."""
    found: Json = json.loads((FIXTURES / "rest.json").read_text(encoding="utf-8"))
    return found


def shaped(schema: str, **values: Any) -> Json:
    """An answer of this schema: what is given, and something valid for all else it requires."""
    return merged(_smallest(schema), values)


def delivered(name: str, values: Json) -> Json:
    """A delivery, named as pull-request-opened: what is given, and all else that it requires."""
    schema = rest()["x-webhooks"].get(name, {}).get("schema")
    return values if schema is None else _filled_up(_filled(json.dumps(schema)), values)


def _filled_up(base: Json, values: Json) -> Json:
    """Like merged, but null gives way where the other form of a thing has none."""
    united = dict(base)
    for key, value in values.items():
        known = united.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            united[key] = _filled_up(known, value)
        elif value is not None or known is None:
            united[key] = value
    return united


def merged(base: Json, values: Json) -> Json:
    """A copy of some JSON with other values; objects are united."""
    united = dict(base)
    for key, value in values.items():
        known = united.get(key)
        is_both = isinstance(known, dict) and isinstance(value, dict)
        united[key] = merged(known, value) if is_both else value  # type: ignore[arg-type]
    return united


def resolved(schema: Json) -> Json:
    """A schema, or the one that it refers to."""
    if "$ref" not in schema:
        return schema
    found: Any = rest()
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return resolved(found)


@cache
def _filled(schema: str) -> Json:
    found: Json = _valid(json.loads(schema))
    return found


@cache
def _smallest(schema: str) -> Json:
    found: Json = _valid(rest()["components"]["schemas"][schema] | {"nullable": False})
    return found


def _united(parts: list[Json]) -> Json:
    """One schema of several that a value must all have."""
    parts = [_united(part["allOf"]) if "allOf" in part else part for part in map(resolved, parts)]
    united: Json = {key: value for part in parts for key, value in part.items()}
    united["nullable"] = all(part.get("nullable") for part in parts)
    united["required"] = [key for part in parts for key in part.get("required", ())]
    keys = dict.fromkeys(key for part in parts for key in part.get("properties", ()))
    inside = {
        key: {
            "allOf": [
                part["properties"][key] for part in parts if key in part.get("properties", ())
            ]
        }
        for key in keys
    }
    united |= {"properties": inside} if inside else {}
    enums = [part["enum"] for part in parts if "enum" in part]
    return united | ({"enum": min(enums, key=len)} if enums else {})


def _valid(schema: Json) -> Any:
    schema = resolved(schema)
    for key in ("anyOf", "oneOf"):
        if key in schema and "properties" not in schema:
            return _valid(schema[key][0])
    if "allOf" in schema:
        schema = _united(schema["allOf"])
    if schema.get("nullable"):
        return None
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("type") == "object" or "properties" in schema:
        needed = schema.get("required", ())
        return {key: _valid(schema["properties"][key]) for key in needed}
    if schema.get("format") in _TEXTS:
        return _TEXTS[schema["format"]]
    return _PLAIN.get(schema.get("type", "string"), "x")
