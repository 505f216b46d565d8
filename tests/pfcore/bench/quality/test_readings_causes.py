"""Each miss and alarm of the readings on record has been read, and why it is one stands there."""

import json
from pathlib import Path

import pytest

from pfcore.bench.quality.readings import (
    CAUSES,
    ReadingCause,
    cause_lines,
    explained,
    load,
    main,
    misses_and_alarms,
)
from pfcore.domain.errors import UsageError

DATA = Path(__file__).resolve().parents[4] / "tests" / "data" / "readings"
RECORD = DATA / "corrections_more.json"
FILES = [DATA / "asking.json", RECORD, *sorted(DATA.glob("*.json.gz"))]


def items_of(place: Path) -> dict[str, str]:
    """The items of a file to be explained; of the record, whose replies are a store beside it."""
    if place != RECORD:
        return dict(misses_and_alarms(load(place)))
    rows = json.loads(place.read_text(encoding="utf-8"))["rows"]
    lost = {"elsewhere": "missed", "miss": "missed", None: "left open"}
    found = {
        f"{row['id']}, before": lost[row["outcome"]] for row in rows if row["outcome"] != "hit"
    }
    named = {"after": "after", "control": "last version"}
    return found | {
        f"{row['id']}, {name}": "alarm"
        for row in rows for version, name in named.items() if row["votes"][version]
    }  # fmt: skip


@pytest.mark.parametrize("place", FILES, ids=lambda place: place.name.partition(".")[0])
def test_every_miss_and_alarm_on_record_has_a_cause_and_nothing_else_has(place: Path) -> None:
    items = items_of(place)
    known = json.loads((DATA / CAUSES).read_text(encoding="utf-8"))["items"]
    assert known[place.name.partition(".")[0]].keys() == items.keys()
    found = explained(place, items.items())
    assert items
    assert all(item.cause and len(item.why) > 10 for item in found)


def test_causes_are_of_files_that_are_there() -> None:
    known = json.loads((DATA / CAUSES).read_text(encoding="utf-8"))["items"]
    assert {place.name.partition(".")[0] for place in FILES} == known.keys()


def test_items_are_counted_by_kind_and_cause(tmp_path: Path) -> None:
    causes = {"a": ["reader", "it was overlooked"], "b": ["text", "it is there"]}
    text = json.dumps({"items": {"some": causes}})
    (tmp_path / CAUSES).write_text(text, encoding="utf-8")
    listed = [("a", "missed"), ("c", "missed"), ("b", "alarm")]
    assert list(cause_lines(tmp_path / "some.json.gz", listed)) == [
        "missed: 2, by cause: reader 1, nobody has read why 1",
        "alarm: 1, by cause: text 1",
        f"  reader: {ReadingCause.READER.words}",
        f"  text: {ReadingCause.TEXT.words}",
    ]
    (found, *_) = explained(tmp_path / "some.json.gz", listed)
    assert (found.cause, found.why) == (ReadingCause.READER, "it was overlooked")


def test_without_a_file_of_causes_nobody_has_read_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert list(cause_lines(tmp_path / "some.json", [])) == []
    lines = list(cause_lines(tmp_path / "some.json", [("a", "alarm")]))
    assert lines == ["alarm: 1, by cause: nobody has read why 1"]
    assert main([str(DATA / "settled.json.gz")]) == 0
    assert "alarm: 8, by cause: text 8" in capsys.readouterr().out


def test_a_file_of_causes_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / CAUSES).write_text("{", encoding="utf-8")
    with pytest.raises(UsageError, match="holds no causes"):
        explained(tmp_path / "some.json", [("a", "alarm")])
