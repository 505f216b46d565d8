"""Why recorded readings missed what is wrong, or objected to what is right: each one read.

The causes stand in `causes.json` beside the readings, by the name of the file and of the item: what
a text was read under, with one word of `ReadingCause` and one sentence. They are opinions of who
read the replies afterwards, knowing the truth; no outcome depends on them.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pfcore.domain.errors import UsageError

FILE = "causes.json"


class ReadingCause(StrEnum):
    """What a miss or an alarm is due to."""

    CONTEXT = "context"
    PROMPT = "prompt"
    READER = "reader"
    TEXT = "text"
    HARMLESS = "harmless"

    @property
    def words(self) -> str:
        """What it means, in one line."""
        return _WORDS[self]


_WORDS = {
    ReadingCause.CONTEXT: "the context lacks what the verdict hangs on, asked for or not",
    ReadingCause.PROMPT: "the wording has it so: a short gap, or a usage of the field, is taken",
    ReadingCause.READER: "the text has it, and the reader overlooked it",
    ReadingCause.TEXT: "the objection meets something that is there",
    ReadingCause.HARMLESS: "what was changed or taken away makes no difference to the proof",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedItem:
    """A miss or an alarm, and why, where somebody has read it; `kind` says which of them it is."""

    name: str
    kind: str
    cause: ReadingCause | None = None
    why: str = ""


def explained(path: Path, items: Iterable[tuple[str, str]]) -> list[ExplainedItem]:
    """Misses and alarms by name and kind, each with what lies beside the file of readings on it."""
    known = causes_beside(path)
    return [
        ExplainedItem(name=name, kind=kind, cause=ReadingCause(known[name][0]), why=known[name][1])
        if name in known
        else ExplainedItem(name=name, kind=kind)
        for name, kind in items
    ]


def causes_beside(path: Path) -> Mapping[str, list[str]]:
    """The causes of one file of readings by the names of items; none where nobody wrote them."""
    place = path.parent / FILE
    if not place.is_file():
        return {}
    try:
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{place} holds no causes: {error}") from error
    causes: Mapping[str, list[str]] = found["items"].get(path.name.partition(".")[0], {})
    return causes


def cause_lines(path: Path, items: Iterable[tuple[str, str]]) -> Iterator[str]:
    """How many misses and alarms there are, and how many of each cause."""
    found = explained(path, items)
    for kind in dict.fromkeys(item.kind for item in found):
        causes = Counter(item.cause for item in found if item.kind == kind)
        parts = (f"{cause or 'nobody has read why'} {causes[cause]}" for cause in _order(causes))
        yield f"{kind}: {causes.total()}, by cause: {', '.join(parts)}"
    for cause in _order(Counter(item.cause for item in found)):
        if cause is not None:
            yield f"  {cause}: {cause.words}"


def _order(causes: Counter[ReadingCause | None]) -> list[ReadingCause | None]:
    return [cause for cause in (*ReadingCause, None) if causes[cause]]
