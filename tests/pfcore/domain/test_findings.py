"""Ids, places and quotes of findings."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pfcore.domain import findings
from pfcore.domain.findings import (
    capped,
    finding_id,
    is_blocking,
    located,
    number_of,
    quoted,
    unique,
    with_origin,
)
from pfcore.domain.values import Finding, Severity


def _finding(**changes) -> Finding:
    made = Finding(
        id="abcdefgh",
        rule="cycle",
        subject="a",
        severity=Severity.ERROR,
        module="a",
        message="m",
        quote="q",
        location=located("a.tex", "one\ntwo\n", 4, 7),
    )
    return replace(made, **changes)


def test_an_id_has_eight_characters_and_ignores_white_space():
    assert len(finding_id("cycle", "a b", "m")) == 8
    assert finding_id("cycle", "a  b\n", "m") == finding_id("cycle", "a b", "m")


@pytest.mark.parametrize("other", [("x", "a", "m"), ("cycle", "b", "m"), ("cycle", "a", None)])
def test_an_id_depends_on_rule_subject_and_module(other):
    assert finding_id(*other) != finding_id("cycle", "a", "m")


@given(st.text(max_size=60), st.integers(-5, 80), st.integers(-5, 80))
def test_a_place_lies_always_inside_the_file(text, start, end):
    place = located("a.tex", text, max(0, start), end)
    assert 0 <= place.start <= place.end <= len(text)
    assert 1 <= place.line <= place.end_line <= text.count("\n") + 1
    assert place.column >= 1


def test_a_long_quote_is_shortened():
    text = "word " * 100
    assert len(quoted(text, located("a.tex", text, 0, 500))) == 160


def test_the_gravest_findings_come_first_and_each_id_once():
    note = _finding(id="note0000", severity=Severity.NOTE)
    error = _finding(id="error000")
    assert unique([note, error, error]) == (error, note)


def test_a_finding_of_the_base_is_recognised_under_its_modules_old_name():
    old = _finding(id=finding_id("cycle", "a", "lemma~1"), module="lemma~1")
    new = _finding(id=finding_id("cycle", "a", "lemma~2"), module="lemma~2")
    assert with_origin([new], [old], {"lemma~2": "lemma~1"})[0].introduced is False
    assert with_origin([new], [old], {})[0].introduced is True


def test_what_the_base_quotes_elsewhere_is_not_new():
    old = _finding(id=finding_id("cycle", "a.tex", None), module=None)
    moved = _finding(id=finding_id("cycle", "b.tex", None), module=None)
    copy = _finding(id=finding_id("cycle", "c.tex", None), module=None)
    assert [item.introduced for item in with_origin([moved], [old], {})] == [False]
    assert [item.introduced for item in with_origin([moved, copy], [old], {})] == [False, True]
    assert [item.introduced for item in with_origin([old, copy], [old], {})] == [False, True]
    other = replace(moved, quote="r")
    assert [item.introduced for item in with_origin([other], [old], {})] == [True]


def test_what_is_new_in_a_file_of_the_base_did_not_move_there():
    old = _finding(id=finding_id("cycle", "b.tex", None), module=None)
    made = _finding(id=finding_id("cycle", "a.tex", None), module=None)
    paths = {old.location.path, made.location.path}
    assert [item.introduced for item in with_origin([made], [old], {}, paths)] == [True]


def test_a_new_module_under_an_old_name_has_no_old_findings():
    finding = _finding(id=finding_id("cycle", "a", "lemma~1"), module="lemma~1")
    assert with_origin([finding], [finding], {"lemma~2": "lemma~1"})[0].introduced is True


@pytest.mark.parametrize(
    ("changes", "blocks"),
    [
        ({}, True),
        ({"introduced": True}, True),
        ({"introduced": False}, False),
        ({"dismissed": "known"}, False),
        ({"severity": Severity.WARNING}, False),
        ({"votes": 1, "rollouts": 3, "quorum": 2}, False),
        ({"votes": 2, "rollouts": 3, "quorum": 2}, True),
    ],
)
def test_only_new_unanswered_grave_findings_with_their_votes_block(changes, blocks):
    assert is_blocking(_finding(**changes), Severity.ERROR, is_change=False) is blocks


def test_what_nobody_knows_to_be_new_does_not_block_a_change():
    assert not is_blocking(_finding(), Severity.ERROR, is_change=True)
    assert is_blocking(_finding(introduced=True), Severity.ERROR, is_change=True)


def test_settings_choose_severities_and_switch_checks_off():
    kept = findings.with_severity([_finding()], {"cycle": "note"}, frozenset())
    assert [item.severity for item in kept] == [Severity.NOTE]
    assert findings.with_severity([_finding()], {}, frozenset({"cycle"})) == []


def test_what_is_not_shown_is_counted_the_new_apart_from_the_older():
    new = [_finding(id=f"new{n:05}", introduced=True) for n in range(120)]
    old = [_finding(id=f"old{n:05}", introduced=False) for n in range(7)]
    kept = capped([*old, *new])
    assert [item.left for item in kept[100:]] == [20, 7] and len(kept) == 102
    assert number_of(kept) == 127 and len({item.id for item in kept}) == 102
    assert "7 more older findings of cycle in a.tex are not shown" in kept[-1].message
    assert number_of(item for item in kept if item.introduced) == 120
