"""Digests of what is looked at, on record: a file for each paper, a line for each thing."""

import json
import os
from hashlib import sha256
from pathlib import Path

from tests.unchanged.papers import Things

DATA = Path(__file__).resolve().parents[1] / "data" / "snapshot"

# Read before the tests' own world begins.
WRITE = os.environ.get("PF_SNAPSHOT") == "write"
TEXTS = os.environ.get("PF_SNAPSHOT_TEXTS")


def digest(text: str) -> str:
    """A short one: it is to tell texts apart, not to withstand anybody."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def differing(subject: str, things: Things) -> list[str]:
    """The names of what is not as it is on record; that is written anew if it is asked for."""
    found = {}
    for name, text in things:
        assert name not in found, f"{name} is there twice"
        found[name] = digest(text)
        if TEXTS:
            _keep(Path(TEXTS) / subject / name.replace("/", "_").replace(": ", "/"), text)
    place = DATA / f"{subject}.json"
    if WRITE:
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    known = json.loads(place.read_text("utf-8"))
    return sorted(name for name in known | found if known.get(name) != found.get(name))


def _keep(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8", errors="surrogatepass")
