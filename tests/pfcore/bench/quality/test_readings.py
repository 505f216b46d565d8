"""Readings on record, scored again; what the README says of them is drawn from here."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pfcore.bench.quality.readings import (
    deletions,
    load,
    main,
    readme_table,
    scored,
    share,
    tables,
)
from pfcore.domain.errors import UsageError

ROOT = Path(__file__).resolve().parents[4]
DATA = ROOT / "tests" / "data" / "readings"
README = (ROOT / "README.md").read_text(encoding="utf-8")

ACCEPT = '<objections></objections>\n```json\n{"verdict": "accept"}\n```'
OPEN = '<missing><wanted>tame</wanted></missing>\n```json\n{"verdict": "open"}\n```'
FLAG = (
    "<objections><objection><quote>so it is</quote><problem>no</problem></objection></objections>"
    '\n```json\n{"verdict": "flag"}\n```'
)
UPHELD = (
    '<finding id="F1"><quote>so it is</quote><objection>No.</objection></finding>\n```json\n'
    '{"flags": [{"id": "F1", "status": "genuine", "class": "gap", "severity": "error"}]}\n```'
)
REPLIES = {"accept": ACCEPT, "open": OPEN, "flag": FLAG, "upheld": UPHELD}


def row(*replies: str, faulty: bool = False, told: tuple[str, ...] = ()) -> dict[str, Any]:
    stages = {"upheld": "calibrate"}
    return {
        "id": "a",
        "faulty": faulty,
        "statement": "Lemma. S.",
        "proof": "Proof. Clearly, so it is.",
        "conditions": {"wording": "v2"},
        "replies": [[stages.get(name, "verify"), name] for name in replies],
        "told": list(told),
    }


@pytest.mark.parametrize(
    ("made", "outcome", "is_second"),
    [
        (row("accept"), "accepted", False),
        (row("flag", "upheld"), "flagged", False),
        (row("open"), "unread", False),
        (row("open", "accept", told=("tame",)), "accepted", True),
        (row("open", "flag", "upheld", told=("tame",)), "flagged", True),
        (row("open", told=("tame",)), "unread", False),
        (row("flag"), "unread", False),
    ],
)
def test_a_reading_comes_to_what_its_replies_say(
    made: dict[str, Any], outcome: str, is_second: bool
) -> None:
    (found,) = scored({"rows": [made], "replies": REPLIES})
    assert (found.outcome, found.is_second) == (outcome, is_second)


def test_outcomes_are_counted_by_conditions() -> None:
    other = row("accept") | {"conditions": {"wording": "v1"}}
    rows = [row("flag", "upheld", faulty=True), row("accept"), row("accept", faulty=True), other]
    first, second = tables(list(scored({"rows": rows, "replies": REPLIES})))
    assert (first.conditions, first.right) == ({"wording": "v1"}, {"accepted": 1})
    assert (second.faulty, second.right) == ({"flagged": 1, "accepted": 1}, {"accepted": 1})
    assert second.questions == 4


def test_a_deleted_entry_is_asked_for_or_not() -> None:
    listed = [{"essential": True, "reply": name} for name in ("open", "flag", "accept", "open")]
    (found,) = deletions({"deletions": listed, "replies": REPLIES})
    assert found.outcomes == {"asked": 2, "objected": 1, "accepted": 1}
    assert share(2, 4) == "2 of 4 (15–85 %)"
    assert share(0, 0) == "0 of 0"


@pytest.mark.parametrize("text", ["", "[]", '{"rows": []}', '{"replies": {}}', "\x00"])
def test_a_file_of_nothing_is_named(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "readings.json"
    place.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="holds no readings"):
        load(place)
    assert main([str(place)]) == 2
    assert str(place) in capsys.readouterr().err
    packed = tmp_path / "readings.json.gz"
    packed.write_bytes(gzip.compress(json.dumps({"rows": [], "replies": {}}).encode())[:-4])
    assert main([str(packed)]) == 2


def test_what_the_readme_says_of_readings_is_what_the_files_come_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = README.partition("**How good is it?**")[2].partition("\n## ")[0]
    readings = load(DATA / "contexts_and_wordings.json.gz")
    listed = [line for line in section.splitlines() if line.startswith("| pf-context")]
    assert listed == list(readme_table(readings))
    assert all(line.count("of 72") == 5 for line in listed)
    (essential,) = [item for item in deletions(load(DATA / "deletions.json.gz")) if item.essential]
    asked = share(essential.outcomes["asked"], essential.outcomes.total())
    assert f"asked for it in {asked}" in " ".join(section.split())
    assert main([str(DATA / "wordings.json.gz")]) == 0
    assert "a large language model through a relay" in capsys.readouterr().out.lower()
