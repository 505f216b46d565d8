"""The formats as the command prints them, and the published schemas of its JSON."""

import json

import jsonschema
import pytest

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


def _require_valid(run, name, out):
    status, text, _ = run("schema", name)
    assert status == 0
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(out))
    return schema


def test_real_json_of_a_review_with_a_model_is_what_the_schema_says(run, paper, edit, referee):
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    _, out, _ = run("check", "--model", "m", "--format", "json")
    schema = _require_valid(run, "check", out)
    assert set(json.loads(out)) == set(schema["properties"])
    (finding,) = json.loads(out)["findings"]
    assert set(finding) == set(schema["properties"]["findings"]["items"]["properties"])


@pytest.mark.parametrize("name", ["check", "plan", "graph"])
def test_real_json_without_a_model_is_what_the_schema_says(run, paper, edit, name):
    edit("Clear.", r"Clear by \cite[Theorem 2]{gauss} and \ref{no}.")
    _, out, _ = run(name, "--format", "json")
    schema = _require_valid(run, name, out)
    assert set(json.loads(out)) == set(schema["properties"])


def test_findings_that_are_not_shown_are_counted_beside_the_others(run, paper, edit):
    edit("Clear.", "Clear. " + r"By \ref{no}. " * 103)
    _, out, _ = run("check", "--format", "json")
    said = json.loads(out)
    _require_valid(run, "check", out)
    assert len(said["findings"]) == 100
    assert said["not_shown"] == [{"rule": "dangling-reference", "file": "main.tex", "count": 3}]
    assert "3 more findings of dangling-reference" in run("check")[1]


def test_a_plan_with_a_price_is_what_the_schema_says(run, paper, edit):
    edit("Clear.", "It is clear.")
    _, out, _ = run("plan", "--model", "m", "--format", "json")
    _require_valid(run, "plan", out)
    _, more, _ = run("plan", "--model", "m", "--why", "a", "--format", "json")
    _require_valid(run, "plan", more)
    assert json.loads(more) | {"why": None} == json.loads(out)
    assert [item["id"] for item in json.loads(more)["why"]] == ["a"]


def test_an_objection_goes_to_every_format(run, paper, edit, referee):
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    run("check", "--model", "m")
    status, out, _ = run("check", "--model", "m", "--format", "sarif")
    (result,) = json.loads(out)["runs"][0]["results"]
    assert (status, result["ruleId"], result["baselineState"]) == (1, "gap", "new")
    assert "3 of 3 readings" in result["message"]["text"]
    _, out, _ = run("check", "--model", "m", "--format", "rdjsonl")
    assert json.loads(out)["code"]["value"] == "gap"
    _, out, _ = run("check", "--model", "m", "--format", "markdown")
    assert "> Dividing by $`x`$" in out
    assert "3 of 3 readings" in out
    assert "Depends on it: Lemma 2." in out
    assert "<summary>Why</summary>\n\nTake 0." in out
    assert "<sub>Contract `" in out
