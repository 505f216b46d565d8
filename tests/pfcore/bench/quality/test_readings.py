"""Readings on record, scored again; what the page on quality says of them is drawn from here."""

import gzip
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from pfcore.bench.quality.readings import (
    ReadingCause,
    ScoredReading,
    alarms,
    chance,
    comparisons,
    dearer,
    deletion,
    deletions,
    explained,
    first_answers,
    load,
    main,
    misses_and_alarms,
    page_pairs,
    page_table,
    page_versions,
    pairs,
    repeated,
    scored,
    share,
    tables,
    versions,
)
from pfcore.bench.replay.place_figures import kappa
from pfcore.bench.scoring.scaling import wilson
from pfcore.domain.errors import UsageError
from pfcore.verification.verify import Checked, parse_verdict

ROOT = Path(__file__).resolve().parents[4]
DATA = ROOT / "tests" / "data" / "readings"
PAGE = (ROOT / ".github/docs/quality.md").read_text(encoding="utf-8")

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


COUNTED = dict(enumerate("no one two three four five six seven eight nine ten".split()))


def days_of(text: str) -> list[str]:
    return re.findall(r"2026-\d\d-\d\d", text)


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
    listed: list[dict[str, Any]] = [
        {"essential": True, "reply": name} for name in ("open", "flag", "accept", "open")
    ]
    listed[-1]["other"] = True
    listed[1]["helped"] = True
    (found,) = deletions({"deletions": listed, "replies": REPLIES})
    assert found.helped == 1
    assert found.outcomes == {
        "asked": 1,
        "asked for something else": 1,
        "objected": 1,
        "accepted": 1,
    }
    assert share(2, 4) == "2 of 4 (15–85 %)"
    assert share(0, 0) == "0 of 0"


def test_the_same_texts_under_two_conditions_are_compared_one_by_one() -> None:
    rows = []
    for name, old, new in (("a", "accept", "flag"), ("b", "flag", "flag"), ("c", "flag", "accept"),
                           ("d", "open", "flag"), ("e", "accept", "accept")):  # fmt: skip
        for contexts, said in (("1", old), ("2", new)):
            replies = ("flag", "upheld") if said == "flag" else (said,)
            made = row(*replies, faulty=name != "e")
            told = {"contexts": contexts, "wording": "v2"}
            rows.append(made | {"id": name, "conditions": told, "tokens": [int(contexts), 1]})
    (found,) = pairs(list(scored({"rows": rows, "replies": REPLIES})))
    assert (found.before["contexts"], found.after["contexts"]) == ("1", "2")
    assert (found.gained, found.lost, found.alarms) == (2, 1, (0, 0))
    assert (found.chance, found.dearer) == (1.0, 0.5)
    assert pairs([]) == []


@pytest.mark.parametrize(
    ("gained", "lost", "found"), [(0, 0, 1.0), (4, 1, 0.375), (1, 4, 0.375), (9, 0, 2 / 512)]
)
def test_chance_is_that_of_a_fair_coin(gained: int, lost: int, found: float) -> None:
    assert chance(gained, lost) == pytest.approx(found)


def test_first_answers_alone_are_counted_by_what_they_say(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "readings.json"
    listed = [{"reply": name} for name in ("open", "flag", "accept", "accept", "x")]
    readings = {"readings": listed, "replies": REPLIES | {"x": "Hm."}}
    said = {"left open": 1, "flagged": 1, "accepted": 2, "no reading": 1}
    assert first_answers(readings) == said
    place.write_text(json.dumps(readings), encoding="utf-8")
    assert main([str(place)]) == 0
    assert "answers: flagged 1 of 5 (4–62 %); left open 1 of 5" in capsys.readouterr().out


def read(text: str, version: str, *replies: str, **more: Any) -> dict[str, Any]:
    return row(*replies) | {"text": text, "version": version} | more


def test_readings_of_a_text_count_together_and_by_themselves() -> None:
    rows = [
        read("1", "before", "flag", "upheld", meant=True),
        read("1", "before", "accept", meant=True),
        read("2", "before", "accept", meant=False),
        read("2", "before", "open", meant=False),
        read("3", "before", "accept"),
        read("1", "after", "accept", outcome="flagged", is_error=False),
        read("2", "after", "accept", outcome="flagged", is_error=True),
    ]
    after, before = versions(list(scored({"rows": rows, "replies": REPLIES})))
    assert (before.version, after.version) == ("before", "after")
    assert before.texts == {"flagged": 1, "unread": 1, "accepted": 1}
    assert before.each == {"flagged": 1, "accepted": 3, "unread": 1}
    assert (before.errors, before.meant) == (1, 1)
    assert (after.texts, after.errors, after.meant) == ({"flagged": 2}, 1, None)


def test_a_text_that_is_what_it_was_was_not_read_again_and_is_counted_as_shared() -> None:
    names = {"accept": ACCEPT, "other": ACCEPT, "third": ACCEPT}
    rows = [
        read("1", "after", "accept"),
        read("1", "after", "other"),
        read("1", "last", "other"),
        read("2", "after", "other"),
        read("2", "last", "third"),
    ]
    after, last = versions(list(scored({"rows": rows, "replies": names})))
    assert (after.shared, last.shared) == (0, 1)


def test_votes_and_flips_are_of_answers_that_were_given_by_themselves() -> None:
    names = {"accept": ACCEPT, "other": ACCEPT, "flag": FLAG, "again": FLAG, "upheld": UPHELD}
    rows = [
        read("1", "before", "flag", "upheld"),
        read("1", "before", "again", "upheld"),
        read("1", "before", "accept"),
        read("2", "before", "accept"),
        read("2", "before", "accept"),
        read("2", "before", "other"),
        read("1", "after", "accept"),
        read("1", "last", "flag", "upheld"),
        read("1", "last", "accept"),
    ]
    (found,) = repeated(list(scored({"rows": rows, "replies": names})))
    assert found.version == "before"
    assert (found.votes, found.pairs, found.flips) == ({2: 1, 0: 1}, 4, 2)


def test_what_second_questions_took_is_a_share_of_all_else() -> None:
    rows = [
        read("1", "after", "accept", tokens=[80, 20]),
        read("2", "after", "open", "accept", told=["tame"], tokens=[150, 30], second=[60, 20]),
    ]
    (found,) = versions(list(scored({"rows": rows, "replies": REPLIES})))
    assert (found.asking, found.asked, found.dearer) == (1, 1, 0.4)
    del rows[1]["second"]
    (found,) = versions(list(scored({"rows": rows, "replies": REPLIES})))
    assert found.dearer is None


def test_texts_in_versions_are_in_no_table_of_texts_read_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "readings.json"
    rows = [read("1", "before", "flag", "upheld", meant=True), row("accept")]
    place.write_text(json.dumps({"rows": rows, "replies": REPLIES}), encoding="utf-8")
    assert main([str(place)]) == 0
    out = capsys.readouterr().out
    assert "wording v2, before: 1 texts, 1 readings" in out
    assert "an objection means the known defect 1 of 1 (21–100 %)" in out
    assert "right: flagged 0 of 1" in out


def test_two_judges_call_an_objection_right_or_not() -> None:
    letters = ["ES", "SS", "SM", "MN", "NN"]
    listed = [{"version": "after", "letters": list(pair)} for pair in letters]
    (found,) = alarms({"alarms": listed})
    assert (found.right, found.wrong, found.objections) == (2, 2, 5)


def test_comparisons_are_counted_with_and_without_a_loss() -> None:
    faithful = '```json\n{"verdict": "faithful"}\n```'
    lost = "<difference><effect>it is gone</effect></difference>\n" + faithful.replace(
        '"faithful"', '"unfaithful"'
    )
    replies = {"f": faithful, "u": lost, "x": "Hm."}
    listed = [{"deleted": True, "reply": name} for name in "uuf"]
    listed += [{"deleted": False, "reply": name} for name in "fx"]
    found = comparisons({"comparisons": listed, "replies": replies})
    assert found == {
        False: {"faithful": 1, "no comparison": 1},
        True: {"unfaithful": 2, "faithful": 1},
    }


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


def test_what_the_page_says_of_readings_is_what_the_files_come_to(
    capsys: pytest.CaptureFixture[str],
) -> None:
    section = PAGE.partition("## What has been measured")[2].partition("\n## ")[0]
    readings = load(DATA / "contexts_and_wordings.json.gz")
    listed = [line for line in section.splitlines() if line.startswith("| pf-context")]
    listed, compared = (
        [line for line in listed if (" → " in line) is changed] for changed in (False, True)
    )
    assert listed == list(page_table(readings))
    assert all(line.count("of 72") == 5 for line in listed)
    papers = {row["id"].rpartition("-")[0]: row for row in readings["rows"]}
    hidden = sum(row["setup"] == "prose" and row["needs_setup"] for row in papers.values())
    assert f"First, {len(papers)} small papers were read once" in " ".join(section.split())
    said = " ".join(section.split())
    assert f"In {hidden} of them, the error is visible only with something that running" in said
    assert compared == list(page_pairs(readings))
    *alone, both = pairs(list(scored(readings)))
    assert all(pair.chance > 0.05 for pair in alone), "neither moves much by itself"
    assert both.chance < 0.05
    words = " ".join(section.split())
    (essential,) = [item for item in deletions(load(DATA / "deletions.json.gz")) if item.essential]
    told = essential.outcomes
    assert f"asked for it in {share(told['asked'], told.total())}" in words
    assert (
        f"for something else that the context lacked in {told['asked for something else']}" in words
    )
    assert f"In {essential.helped}, they called the missing entry only helpful" in words
    place = DATA / "deletions.json.gz"
    causes = Counter(item.cause for item in explained(place, misses_and_alarms(load(place))))
    assert f"In {causes[ReadingCause.HARMLESS]} the verdict was right without it" in words
    assert f"In {causes[ReadingCause.PROMPT]} they took the usual meaning" in words
    assert causes[ReadingCause.CONTEXT] == told["asked for something else"]
    assert main([str(DATA / "wordings.json.gz")]) == 0
    assert "a large language model through a relay" in capsys.readouterr().out.lower()


def test_what_the_page_says_of_readings_that_did_not_ask_is_what_both_files_come_to() -> None:
    said: Counter[str] = Counter()
    causes: Counter[ReadingCause | None] = Counter()
    helped = free = 0
    for name in ("deletions.json.gz", "asking.json"):
        readings = load(DATA / name)
        (essential,) = [item for item in deletions(readings) if item.essential]
        said += essential.outcomes
        helped += essential.helped
        rows = [row for row in readings["deletions"] if row["essential"]]
        free += sum(
            deletion(readings, row) == "asked"
            and "<problem>" not in readings["replies"][row["reply"]]
            for row in rows
        )
        missed = [item for item in misses_and_alarms(readings) if item[1] == "not asked for"]
        causes += Counter(item.cause for item in explained(DATA / name, missed))
    asked = said.pop("asked")
    words = " ".join(PAGE.split())
    assert (
        f"In total, {asked} of the {asked + said.total()} readings without such an entry asked for "
        f"it, {free} of them without an objection"
    ) in words
    assert (
        f"Of the other {said.total()}, {said['objected']} objected, "
        f"{said['asked for something else']} wanted something else that was also missing, and "
        f"{said['accepted']} accepted. In {helped} of these {said.total()}, readers called it "
        "only helpful."
    ) in words
    wrong = causes[ReadingCause.READER] + causes[ReadingCause.PROMPT]
    assert causes.total() == said.total()
    assert (
        f"In {causes[ReadingCause.HARMLESS]} of the {said.total()}, it made no difference; in "
        f"{causes[ReadingCause.CONTEXT]}, the context lacked something else as well, or a defect "
        f"of the entry could not be seen; {wrong} readers assumed a wrong meaning"
    ) in words


def test_what_the_page_says_of_the_wording_that_was_not_kept_is_what_its_file_comes_to() -> None:
    text = (DATA / "taken_for_granted.json").read_text(encoding="utf-8")
    lacking = [one for one in json.loads(text)["readings"] if not one["is_whole"]]
    before, after = ([one for one in lacking if one["wording"] == name] for name in ("v2", "v3"))
    named = [sum(one["named"] in ("wanted", "taken") for one in row) for row in (before, after)]
    again = [[one for one in row if len(one["characters"]) > 1] for row in (before, after)]
    more = sum(sum(one["characters"][1:]) for one in after)
    share_of_more = round(100 * more / sum(one["characters"][0] for one in after))
    firm = [one for one in again[1] if one["first"] != "open"]
    assert len(before) == len(after)
    assert all(one["first"] == one["last"] for one in firm)
    words = " ".join(PAGE.split())
    assert f"removed one entry from the contexts of {len(after)} results" in words
    assert f"readers wanted it in {named[0]} and were asked again in {len(again[0])}." in words
    said = (
        f"listed it in {named[1]} and were asked again in {len(again[1])} ({share_of_more} % more"
    )
    assert said in words
    assert (
        f"Of these {len(again[1])}, the {len(firm)} that had accepted or objected did so" in words
    )
    told = json.loads(text)["provenance"]
    sources = re.findall(r"of (\d+) sources", told)
    assert f"of {len(after)} results from {sources[0]} sources" in words
    assert f"On {days_of(told)[0]}, we tried a third wording" in words
    assert "through a relay" in text


def test_what_the_readme_says_of_readings_is_what_a_file_comes_to() -> None:
    readings = load(DATA / "contexts_and_wordings.json.gz")
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    now = {"contexts": "pf-context/2", "wording": "v2"}
    (table,) = [one for one in tables(list(scored(readings))) if one.conditions == now]
    wrong, right = (share(one["flagged"], one.total()) for one in (table.faulty, table.right))
    before, settled = (
        next(one for one in versions(list(scored(load(DATA / f"{name}.json.gz"))))
             if one.version == version)
        for name, version in (("corrections", "before"), ("settled", "as they stand"))
    )  # fmt: skip
    times = before.each.total() // before.texts.total()
    (judged,) = [one for one in alarms(load(DATA / "settled.json.gz"))
                 if one.version == "as they stand"]  # fmt: skip
    rows = [
        f"| wrong, in small papers | {wrong} |",
        f"| right, in small papers | {right} |",
        f"| before a real correction | {share(before.texts['flagged'], before.texts.total())} "
        f"| famous texts, read {times} times each |",
        f"| settled, unchanged | {share(settled.texts['flagged'], settled.texts.total())} "
        f"| famous texts; {judged.right} of {judged.objections} objections judged right |",
    ]
    assert all(row in readme for row in rows)
    assert "half of these texts were seen before" in readme
    figures = json.loads((DATA / "others.json").read_text(encoding="utf-8"))["figures"]
    assert f"report {figures['steps found'][0]} of wrong steps found" in readme
    assert "[How good is it?](" in readme


def test_what_the_page_says_of_texts_as_they_are_found_is_what_the_files_come_to() -> None:
    section = PAGE.partition("## What has been measured")[2].partition("\n## ")[0]
    words = " ".join(section.split())
    files = [load(DATA / f"{n}.json.gz") for n in ("corrections", "settled", "planted", "swaps")]
    starts = ("| corrections", "| settled", "| planted", "| swapped")
    listed = [line for line in section.splitlines() if line.startswith(starts)]
    assert listed == [line for readings in files for line in page_versions(readings)]
    judged = {table.version: table for table in alarms(files[1])}
    made_up, again = judged["made up"], judged["judged again, among those made up"]
    assert f"rejected {made_up.wrong} of {made_up.objections} invented objections" in words
    assert f"confirmed the {again.right} of {again.objections} real ones" in words
    compared = comparisons(files[2])
    kept, lost = compared[False], compared[True]
    assert f"faithful in {kept['faithful']} of {kept.total()} comparisons" in words
    assert f"unfaithful in {lost['unfaithful']} of {lost.total()} from which" in words
    right = [table for readings in files for table in versions(list(scored(readings)))
             if "the error" not in table.version and table.version != "before"
             and table.conditions["texts"] != "swapped set-ups" and table.errors]  # fmt: skip
    written, apart = right
    assert (written.version, apart.version) == ("as written, without", "taken apart, without")
    assert f"error was reported in {written.errors} of {written.texts.total()} originals" in words


def test_what_the_page_says_of_more_corrections_is_what_the_file_has() -> None:
    words = " ".join(PAGE.partition("## What has been measured")[2].partition("\n## ")[0].split())
    record = json.loads((DATA / "corrections_more.json").read_text("utf-8"))
    rows, told, unread = record["rows"], record["provenance"], len(record["unread"])
    flagged = {name: sum(bool(row["votes"][name]) for row in rows)
               for name in ("before", "after", "control")}  # fmt: skip
    hits = sum(row["outcome"] == "hit" for row in rows)
    lacking = sum(bool(row["lacking"]) for row in rows)
    known = [row["alarm_after"] for row in rows if row["alarm_after"] is not None]
    letters = [two for row in rows for listed in row["alarms"].values() for two in listed]
    assert all({*two} <= {"E", "S"} for two in letters)
    assert f"The remaining {len(rows)} corrections of `pf bench errata`" in words
    assert (
        f"objected to {flagged['before']} of {len(rows)} and left {lacking} open; according to "
        f"one judge, {hits} name the defect. After it, they objected to {flagged['after']} of "
        f"{len(rows)};"
    ) in words
    left_out = COUNTED[len(rows) - len(known)]
    assert f"without {left_out} that are known to have another error, to " in words
    assert f"another error, to {share(sum(known), len(known))}" in words
    assert (
        f"were read on {days_of(told)[0]} in the same way, three times each (another "
        f"{COUNTED[unread]} have no proof to read)"
    ) in words
    assert f"In the last version, they objected to {flagged['control']} of {len(rows)}." in words
    assert f"Two judges confirmed all {len(letters)} different objections" in words


def test_what_the_page_says_of_the_second_judge_of_more_corrections_is_what_the_file_has() -> None:
    words = " ".join(PAGE.partition("## What has been measured")[2].partition("\n## ")[0].split())
    rows = json.loads((DATA / "corrections_more.json").read_text("utf-8"))["rows"]
    names = {row["id"] for row in rows}
    second = {row["id"]: row["second"] for row in rows}
    assert all(one["decoy"] in names - {name} for name, one in second.items())
    letters = [letter for one in second.values() for letter in one["letters"]]
    assert {*letters} <= {"T", "D", "B", "N"}  # the true defect, the decoy, both, neither
    both: Counter[tuple[bool, bool]] = Counter()
    for row in rows:
        if row["outcome"]:
            said = second[row["id"]]["letters"]
            assert len(said) == len(row["votes"]["before"])
            both.update((place in row["meant"], one in "TB") for place, one in enumerate(said))
    hits = sum(any(one in "TB" for one in second[row["id"]]["letters"])
               for row in rows if row["outcome"])  # fmt: skip
    same, decoyed = both[True, True] + both[False, False], sum(one in "DB" for one in letters)
    assert f"agrees on {same} of {both.total()} objections (κ = {kappa(both):.2f})" in words
    early = sum(len(row["second"]["letters"]) for row in rows
                if row["outcome"] and row["second"]["blind"])  # fmt: skip
    assert f"Of the {both.total()}, the second judge assessed {early} before knowing" in words
    assert (
        f"also counts {hits} hits, and assigned {decoyed} of {len(letters)} to the other" in words
    )


def test_the_store_of_more_corrections_holds_replies_that_are_read_today(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "replies.sqlite"
    kept.write_bytes(gzip.decompress((DATA / "corrections_more.sqlite.gz").read_bytes()))
    with closing(sqlite3.connect(kept)) as store:
        listed = store.execute("select stage, text, input, output from replies").fetchall()
    record = json.loads((DATA / "corrections_more.json").read_text("utf-8"))
    assert Counter(stage for stage, *_ in listed) == record["questions"]
    assert sum(tokens for _, _, tokens, _ in listed) == record["tokens"]["in"]
    read = [parse_verdict(text) for stage, text, *_ in listed if stage == "verify"]
    assert all(isinstance(one, Checked) for one in read)
    said = first_answers(load(DATA / "corrections_more.sqlite.gz"))
    assert said == {"flagged": 119, "accepted": 81, "left open": 7}
    assert said["flagged"] == record["questions"]["calibrate"]
    assert main([str(kept)]) == 0
    assert "answers: flagged 119 of 207" in capsys.readouterr().out
    kept.write_bytes(kept.read_bytes()[:4096])
    assert main([str(kept)]) == 2
    assert "holds no readings" in capsys.readouterr().err


def test_what_the_page_says_of_votes_and_flips_is_what_the_file_comes_to() -> None:
    words = " ".join(PAGE.partition("## What has been measured")[2].partition("\n## ")[0].split())
    found = repeated(list(scored(load(DATA / "corrections.json.gz"))))
    assert [one.version for one in found] == ["after", "before", "last version"]
    pairs, flips = (sum(getattr(one, name) for one in found) for name in ("pairs", "flips"))
    low, high = (round(100 * end) for end in wilson(flips / pairs, pairs))
    assert f"of {pairs} pairs of readings, {flips} differ" in words
    assert f"({100 * flips / pairs:.0f} %; {low}–{high} %)" in words
    after, before, last = (one.votes[3] for one in found)
    texts = {sum(one.votes.values()) for one in found}
    assert texts == {29}
    assert f"objected to {before} of 29 texts before the correction, {after} after" in words
    assert f"and {last} in the last version" in words


def test_what_the_page_says_of_causes_is_what_stands_beside_the_files() -> None:
    words = " ".join(PAGE.partition("## What has been measured")[2].partition("\n## ")[0].split())
    places = sorted(DATA.glob("*.json.gz"))
    found = [one for place in places for one in explained(place, misses_and_alarms(load(place)))]
    missed = Counter(item.cause for item in found if item.kind == "missed")
    alarms = Counter(item.cause for item in found if item.kind == "alarm")
    assert f"examined all {len(found)} misses, alarms and open readings" in words
    assert (
        f"Of {missed.total()} misses, {missed[ReadingCause.CONTEXT]} are due to contexts, "
        f"{missed[ReadingCause.PROMPT]} to the wording, {missed[ReadingCause.READER]} to readers, "
        f"and in {missed[ReadingCause.HARMLESS]} " in words
    )
    assert f"Of {alarms.total()} alarms, {alarms[ReadingCause.TEXT]} found a real problem" in words


BOUND = (0.10, 0.15)
"""Results that are asked about again, and tokens more, at most."""


def second_row(name: str, again: int, of: int, more: float | None) -> str:
    """A row of the page's table of second questions."""
    is_kept = again / of <= BOUND[0] and (more is None or more <= BOUND[1])
    tokens = "not recorded" if more is None else f"{100 * more:.0f} %"
    return f"| {name} | {share(again, of)} | {tokens} | {'yes' if is_kept else 'no'} |"


def again_by_length(name: str) -> tuple[int, int, float]:
    """Of a file of first answers: how many are asked again, of how many, and what that sends."""
    rows = load(DATA / f"{name}.json")["readings"]
    again = [row for row in rows if row.get("wanted_told") or row.get("is_asked_again")]
    told = sum(row["characters"] + row["told_characters"] for row in again)
    return len(again), len(rows), told / sum(row["characters"] for row in rows)


def test_what_the_page_says_of_second_questions_is_what_the_files_come_to() -> None:
    section = PAGE.partition("## What has been measured")[2].partition("\n## ")[0]
    now = {"contexts": "pf-context/2", "wording": "v2"}
    small = [one for one in scored(load(DATA / "contexts_and_wordings.json.gz"))
             if one.row["conditions"] == now]  # fmt: skip
    rows = [
        second_row(
            "small papers, wrong and right", sum(one.is_second for one in small), len(small), None
        )
    ]
    wanted = {
        "after": ("corrections", "results after a correction"),
        "as they stand": ("settled", "unchanged settled proofs"),
        "as written, without": ("planted", "blueprint results"),
    }
    read_once: list[ScoredReading] = []
    for version, (name, title) in wanted.items():
        found = [one for one in scored(load(DATA / f"{name}.json.gz"))
                 if one.row["version"] == version and one.row["rollout"] == 1]  # fmt: skip
        read_once += found
        rows.append(
            second_row(title, sum(one.is_second for one in found), len(found), dearer(found))
        )
    asking = sum(one.is_second for one in read_once)
    rows.append(second_row("the last three together", asking, len(read_once), dearer(read_once)))
    for name, title in (("asking", "unprepared papers"), ("asking_eighth", "other repositories")):
        days = days_of(load(DATA / f"{name}.json")["provenance"])
        rows.append(second_row(f"{title}, {days[0]}", *again_by_length(name)))
    start = section.index("| texts | asked again |")
    listed = section[start:].partition("\n\n")[0].splitlines()
    assert listed[2:] == rows
    words = " ".join(section.split())
    kept = sum(row.endswith("| yes |") for row in rows)
    assert f"at most {100 * BOUND[0]:.0f} % of results" in words
    assert f"at most {100 * BOUND[1]:.0f} % more tokens" in words
    assert f"This aim is met in {kept} of these {len(rows)} rows" in words


def test_what_the_page_says_of_answers_by_the_stricter_rule_is_what_the_file_comes_to() -> None:
    record = json.loads((DATA / "answered_keys.json").read_text("utf-8"))
    papers, read = record["papers"], record["readings"]
    keys, before, after = (sum(one[name] for one in papers) for name in ("keys", "before", "after"))
    then, now = (sum(not one[name] for one in read) for name in ("before", "after"))
    words = " ".join(PAGE.split())
    (day,) = days_of(record["provenance"])
    assert f"Since {day}, answers contain only sentences that introduce the key." in words
    assert (
        f"Of {keys} keys that readers named in {len(papers)} papers available that day, {after} "
        f"now get an answer; before, {before} did. Of {len(read)} readings that wanted something, "
        f"{now} now get everything they want; before, {then} did."
    ) in words


CASES = {
    "empty": "no content",
    "absent": "a set-up is missing",
    "short gap": "a gap that a line closes",
    "slip": "a slip",
    "false cited": "a false cited statement",
    "real": "an error",
}


def test_the_page_has_the_texts_by_which_the_wordings_were_chosen() -> None:
    readings = load(DATA / "wordings.json.gz")
    found: dict[tuple[str, str], Counter[str]] = {}
    for one in scored(readings):
        key = one.row["case"], one.row["conditions"]["wording"]
        found.setdefault(key, Counter())[one.outcome] += 1
    rows = [
        f"| {title} | {wording} | {share(said['flagged'], said.total())} | "
        f"{said['unread']} of {said.total()} | {said['accepted']} of {said.total()} |"
        for case, title in CASES.items()
        for wording in ("v1", "v2")
        if (said := found[case, wording])
    ]
    assert len(rows) == len(found)
    texts = len({one["id"] for one in readings["rows"]})
    start = PAGE.index(f"| {texts} texts | wording |")
    assert PAGE[start:].partition("\n\n")[0].splitlines()[2:] == rows
    words = " ".join(PAGE.split())
    assert f"compared on {texts} other small texts, each read once with each wording" in words


WHOLE, CLOSING, NONE = "whole", "closing parts", "none"
RECORDS = {
    "contexts_and_wordings.json.gz": (WHOLE, "verdicts, pairs", "judges' letters"),
    "wordings.json.gz": (WHOLE, "verdicts", "–"),
    "deletions.json.gz": (WHOLE, "what was asked for", "which entry a key means"),
    "swaps.json.gz": (WHOLE, "verdicts", "judges' letters"),
    "corrections.json.gz": (WHOLE, "verdicts, votes", "judges' letters; texts are left out"),
    "settled.json.gz": (WHOLE, "verdicts", "judges' letters; texts are left out"),
    "planted.json.gz": (WHOLE, "verdicts, comparisons", "judges' letters; texts are left out"),
    "asking.json": (CLOSING, "verdicts, keys", "objections; what the paper answered"),
    "asking_eighth.json": (CLOSING, "verdicts, keys", "objections; what the paper answered"),
    "corrections_more.json": ("a store", "single answers", "votes and judges' letters"),
    "asking_wordings.json.gz": (NONE, "sums", "everything else"),
    "taken_for_granted.json": (NONE, "sums", "everything else"),
    "judged.json": (NONE, "agreement of judges", "what judges wrote"),
}
"""What there is of each record, which can be scored again or cannot."""


def test_the_page_says_of_each_record_what_can_be_scored_again() -> None:
    causes = json.loads((DATA / "causes.json").read_text("utf-8"))["items"]
    rows = []
    for name, (replies, can, cannot) in RECORDS.items():
        place = DATA / name
        if not place.exists():
            place = ROOT / "tests/data/unprepared" / name
        data = place.read_bytes()
        record = json.loads(gzip.decompress(data) if place.suffix == ".gz" else data)
        assert ("replies" in record) is (replies in (WHOLE, CLOSING)), name
        stem = name.partition(".")[0]
        is_read = "yes" if stem in causes else "no"
        rows.append(f"| `{stem}` | {replies} | {can} | {cannot} | {is_read} |")
    start = PAGE.index("| record | replies |")
    assert PAGE[start:].partition("\n\n")[0].splitlines()[2:] == rows
    others = {"causes.json", "others.json", "answered_keys.json", "corrections_more.sqlite.gz"}
    assert {place.name for place in DATA.glob("*.json*")} <= RECORDS.keys() | others
    assert causes.keys() <= {name.partition(".")[0] for name in RECORDS}


def test_the_days_on_the_page_are_those_on_which_the_files_say_that_texts_were_read() -> None:
    said = [load(place)["provenance"] for place in sorted(DATA.glob("*.json.gz"))]
    days = sorted({day for text in said for day in days_of(text)})
    assert [day[:8] for day in days] == ["2026-11-"] * 2
    words = " ".join(PAGE.split())
    assert f"through a relay ({days[0]} and {days[1][8:]})" in words
    (judged,) = days_of(json.loads((DATA / "judged.json").read_text("utf-8"))["provenance"])
    assert f"the swapped set-ups below ({judged})" in words
    assert f"objecting readings of planted errors in the same way ({judged})" in words
    (later,) = days_of(load(DATA / "asking_eighth.json")["provenance"])
    assert f"On {later}, another" in words


def test_what_the_page_says_of_judges_who_saw_two_versions_is_what_the_file_says() -> None:
    said = load(DATA / "corrections.json.gz")["provenance"]
    ((number, judge, count),) = re.findall(
        r"In (\w+) rows (\w+) calibrator saw (\w+) versions, or", said
    )
    words = " ".join(PAGE.split())
    assert (
        f"in {number} texts {judge} judge of objections saw {count} versions or readings" in words
    )


def test_figures_of_others_on_the_page_are_those_of_a_file_with_their_sources() -> None:
    section = PAGE.partition("## What has been measured")[2].partition("\n## ")[0]
    words = " ".join(section.split()).partition("For comparison")[2].partition("The limits")[0]
    found = json.loads((DATA / "others.json").read_text(encoding="utf-8"))["figures"]
    assert all(value in words and source for value, source in found.values())
