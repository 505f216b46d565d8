"""Canonical digests: SHA-256 of canonical JSON, tagged with the version of that form."""

import hashlib
import json

VERSION = "pf1"


def digest(value: object) -> str:
    """SHA-256 of a JSON-like value in hexadecimal; TypeError if it has no canonical form.

    Canonical: dict keys are strings and sorted, tuples count as lists, floats are refused
    (their text differs between writers).
    """
    _check(value)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{VERSION}\n{text}".encode()).hexdigest()


def text_digest(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes in hexadecimal; lone surrogates are encoded as they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _check(value: object) -> None:
    if value is None or isinstance(value, str | bool | int):
        return
    if isinstance(value, list | tuple):
        for item in value:
            if type(item) is not str:  # most items are strings, and a call costs more than the test
                _check(item)
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"no canonical form: key {key!r} is not a string")
            _check(item)
        return
    raise TypeError(f"no canonical form: {type(value).__name__}")
