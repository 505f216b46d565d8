"""What the job that publishes is given."""

import json
import re
from dataclasses import replace
from hashlib import sha256

import pytest
from pydantic import ValidationError

from pfcore.reporters.formats.publication import (
    AGAIN,
    LONGEST,
    PRIVATE,
    ROOM,
    Conclusion,
    Publication,
    handed,
    packed,
    publication,
    unpacked,
)
from tests.pfcore.reporters.conftest import LEMMA
from tests.pfcore.reporters.papers import NEWTON, OBJECTION, QUOTE, lock

SECRET = "the secret lemma of x"
DANGLING = LEMMA % (SECRET, "secret-label", "A.", r"By \ref{secret-target}.")
SOUND = LEMMA % ("t", "a", "A.", "P.")
HEAD = "a" * 40


def _made(report, *, status=0, is_private=False, ledgers=None):
    return publication(
        report, head=HEAD, status=status, is_private=is_private, ledgers=ledgers or {}
    )


def test_it_says_what_was_found(found):
    made = _made(found(DANGLING), status=1)
    assert made.conclusion is Conclusion.BLOCKING
    assert made.title == "1 finding, 1 blocking"
    assert SECRET in made.summary
    assert (made.is_quiet, made.is_open) == (False, True)


def test_of_private_findings_there_are_numbers_only(found):
    report = found(DANGLING, quote="secret quote", reason="secret reason", name="secret.tex")
    made = _made(report, status=1, is_private=True, ledgers={"pf.lock": "secret line"})
    assert "secret" not in made.text()
    assert "1 finding, 1 blocking" in made.summary
    assert "proofs were not read" in made.summary
    assert made.is_open


def test_of_private_objections_it_says_that_no_clone_has_them(reviewed, found):
    files = {"main.tex": NEWTON}
    files["pf.lock"] = lock(
        reviewed(files).papers[0].state, {"lem:unif": (QUOTE, OBJECTION)}, frozenset()
    )
    text = _made(reviewed(files), status=1, is_private=True).summary
    assert text.endswith(f"{PRIVATE} {AGAIN}\n") and OBJECTION[:10] not in text
    assert _made(found(DANGLING), is_private=True).summary.endswith(f"{PRIVATE}\n")


def test_a_clean_structure_is_no_clean_proof(found):
    made = _made(found(SOUND))
    assert made.conclusion is Conclusion.STRUCTURE
    assert (made.is_quiet, made.is_open) == (True, False)


@pytest.mark.parametrize("status", [2, 3, 4])
def test_what_was_not_completed_is_said(found, status):
    made = _made(found(SOUND), status=status)
    assert made.conclusion is Conclusion.INCOMPLETE
    assert not made.is_quiet


def test_who_reads_it_needs_no_pf_that_knows_what_readers_said(reviewed):
    files = {"main.tex": NEWTON.replace(r"\ref{lem:nowhere}", r"\ref{lem:unif}")}
    gap = {"lem:unif": (QUOTE, OBJECTION)}
    files["pf.lock"] = lock(reviewed(files).papers[0].state, gap, frozenset({"cor:decay"}))
    report = reviewed(files)
    (item,) = report.papers[0].objections
    text = _made(report, status=1).summary
    assert f"Wrong? `% pf: ignore[{item.id}] …`" in text and OBJECTION[:20] in text
    assert re.findall("pf (?:check|dismiss|explain|plan)", text) == []


@pytest.mark.parametrize("before", [None, SOUND.replace("P.", "Q.")])
def test_without_a_reader_it_says_so_and_names_no_command(found, before):
    text = _made(found(SOUND, before)).summary
    assert "Only the structure was checked; the proofs were not read." in text
    assert "Next" not in text and "pf " not in text


def test_of_a_check_it_says_how_to_hear_more_in_a_clone(found):
    report = found(DANGLING)
    (item,) = [it for it in report.papers[0].findings if it.severity != "note"]
    assert f"Next, in a clone: <code>pf explain {item.id}</code>" in _made(report).summary


def test_where_all_that_was_found_is_answered_nobody_says_that_nothing_was(found):
    made = _made(found(DANGLING, dismissed="we know"))
    assert made.title == "No structural check found an open problem in 1 result; no proof was read"


def test_a_note_that_stands_for_many_makes_nobody_say_that_nothing_was_found(found):
    report = found(SOUND + " ".join(rf"\ref{{gone:{n}}}" for n in "abcdefgh"))
    other = "no structural check found another problem in 1 result; no proof was read"
    assert _made(report).title == f"8 possible problems (note); {other}"
    twice = replace(report, papers=report.papers * 2)
    assert _made(twice).title.startswith("16 possible problems (2 notes); no structural check")


def test_what_is_answered_makes_nobody_say_that_nothing_older_is_open(found):
    old = found(DANGLING, introduced=False)
    both = replace(old, papers=(*old.papers, *found(DANGLING, dismissed="we know").papers))
    made = _made(both)
    assert made.is_open
    assert made.title.startswith("No structural check found a new problem in 2 results")


def test_what_is_older_keeps_an_issue_open_and_no_pull_request_busy(found):
    made = _made(found(DANGLING, introduced=False))
    assert (made.is_quiet, made.is_open) == (True, True)


def test_a_long_summary_is_cut_and_says_so(found):
    long = "".join(LEMMA % ("t" * 90, f"l{n}", "A.", r"\ref{no}") for n in range(60))
    made = _made(found(long, reason="r" * 4000), status=1)
    assert len(made.summary) <= LONGEST
    assert made.summary.endswith("too long for a comment.\n")


def test_it_survives_its_way(found):
    made = _made(found(DANGLING), status=1, ledgers={"pf.lock": "{}"})
    assert Publication.model_validate_json(made.text()) == made


@pytest.mark.parametrize(
    "change",
    [
        {"head": "main"},
        {"head": HEAD + "\n"},
        {"conclusion": "fine"},
        {"summary": "x" * (LONGEST + 1)},
        {"schema": 2},
        {"number": 7},
    ],
)
def test_what_is_none_is_refused(found, change):
    text = json.dumps({**json.loads(_made(found(SOUND)).text()), **change})
    with pytest.raises(ValidationError):
        Publication.model_validate_json(text)


def test_it_is_handed_over_as_one_line_that_fits_a_variable(found):
    made = _made(found(DANGLING), status=1, ledgers={"pf.lock": "{}\n"})
    line = handed(made)
    assert line.isascii()
    assert "\n" not in line
    assert Publication.model_validate_json(unpacked(line)) == made


def test_ledgers_that_leave_no_room_are_left_out(found):
    noise = "".join(sha256(str(n).encode()).hexdigest() for n in range(6_000))
    line = handed(_made(found(DANGLING), status=1, ledgers={"pf.lock": noise}))
    assert len(line) <= ROOM
    assert Publication.model_validate_json(unpacked(line)).ledgers == {}


@pytest.mark.parametrize(
    "line", ["", "%", "aGVsbG8=", packed("x" * 5_000_000), packed("whole")[:20]]
)
def test_what_was_not_packed_here_is_refused(line):
    with pytest.raises(ValueError, match=r"not written by pf ci|base64|padding"):
        unpacked(line)
