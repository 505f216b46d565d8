"""Canonical digests: SHA-256 of canonical JSON, tagged with the version of that form."""

import hashlib
import json

VERSION = "pf1"


def digest(value: object) -> str:
    """The 64 hexadecimal digits of a JSON-like value; TypeError for whatever has no canonical form.

    Canonical: dict keys are strings and sorted, tuples count as lists, floats are refused
    (their text differs between writers).
    """
    _check(value)
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(f"{VERSION}\n{text}".encode()).hexdigest()


def text_digest(text: str) -> str:
    """The 64 hexadecimal digits of a text, as UTF-8 (lone surrogates kept as they are)."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _check(value: object) -> None:
    if value is None or isinstance(value, str | bool | int):
        return
    if isinstance(value, list | tuple):
        for item in value:
            if type(item) is not str:  # most are, and a call takes longer than all else here
                _check(item)
        return
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"no canonical form: key {key!r}")
            _check(item)
        return
    raise TypeError(f"no canonical form: {type(value).__name__}")
