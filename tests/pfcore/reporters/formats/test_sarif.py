"""SARIF: structure by hand here; the published schema is asked in the acceptance suite."""

import json

import pytest

from pfcore.reporters.formats import sarif
from pfcore.reporters.formats.sarif import CLASSES, rules
from pfcore.verification import calibrate
from tests.pfcore.reporters.conftest import HOSTILE, LEMMA

DANGLING = LEMMA % ("title", "a", "A.", r"By \ref{nowhere}.")


def _run(report):
    (run,) = json.loads(sarif.check_sarif(report, "1.2"))["runs"]
    return run


def test_a_finding_is_a_result_with_its_place_and_its_rule(found):
    run = _run(found(DANGLING))
    (result,) = [item for item in run["results"] if item["ruleId"] == "dangling-reference"]
    place = result["locations"][0]
    artifact = {"uri": "main.tex", "uriBaseId": "%SRCROOT%"}
    assert place["physicalLocation"]["artifactLocation"] == artifact
    region = place["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == (9, 18)
    assert region["endColumn"] > region["startColumn"]
    assert place["logicalLocations"] == [{"fullyQualifiedName": "a"}]
    assert result["level"] == "error"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "dangling-reference"
    assert list(result["partialFingerprints"].values()) == [result["properties"]["id"]]
    assert run["tool"]["driver"]["version"] == "1.2"


def test_every_class_of_objections_and_every_check_has_a_rationale():
    assert set(CLASSES) == calibrate.CLASSES
    assert all(rule.rationale for rule in rules())
    assert len({rule.id for rule in rules()}) == len(rules())


def test_an_answered_finding_is_suppressed_with_the_answer(found):
    run = _run(found(DANGLING, dismissed="we  know"))
    assert run["results"][0]["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "we know"}
    ]


@pytest.mark.parametrize(("introduced", "state"), [(True, "new"), (False, "unchanged")])
def test_a_change_says_what_is_new(found, introduced, state):
    run = _run(found(DANGLING, introduced=introduced))
    assert {item["baselineState"] for item in run["results"]} == {state}


def test_where_the_origin_of_one_is_unknown_none_has_a_state(found):
    assert all("baselineState" not in item for item in _run(found(DANGLING))["results"])


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a b/ü.tex", "a%20b/%C3%BC.tex"),
        ("50%.tex", "50%25.tex"),
        ("c:x#y?.tex", "c%3Ax%23y%3F.tex"),
        ("bad\udcff.tex", "bad%FF.tex"),
    ],
)
def test_a_path_becomes_a_relative_uri(path, uri):
    assert sarif.uri(path) == uri


def test_latex_is_no_placeholder_and_no_link(found):
    (result, *_) = _run(found(DANGLING, message="$f_{0}$ and $x[a](b)$"))["results"]
    assert result["message"]["text"] == "$f_{ 0}$ and $x[a] (b)$"


def test_no_control_character_of_a_paper_survives(found):
    text = sarif.check_sarif(found(DANGLING, message=HOSTILE), "1")
    assert json.loads(text)["runs"][0]["results"][0]["message"]["text"].isprintable()


def test_what_was_not_read_is_said(found):
    (invocation,) = _run(found(DANGLING))["invocations"]
    first, second = (note["message"]["text"] for note in invocation["toolExecutionNotifications"])
    assert first.startswith("Not read: ") and "unresolved reference" not in first
    assert "Only the structure was checked" in second
