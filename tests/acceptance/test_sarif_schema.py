"""SARIF against the published schema, which the package @microsoft/jest-sarif has."""

import json
from pathlib import Path

import pytest
from jsonschema.validators import validator_for

from pfcore.papers.parse_cache import MemoryCache, ParseCache
from pfcore.reporters.formats import sarif
from pfcore.repository import snapshot
from pfcore.review.review import review
from tests.acceptance.npm import fetched
from tests.pfcore.reporters.papers import NEWTON, OBJECTION, QUOTE, lock

pytestmark = pytest.mark.acceptance
VERSION = "1.0.0-beta.0"


@pytest.fixture(scope="session")
def schema(tmp_path_factory):
    folder = tmp_path_factory.getbasetemp().parent / f"sarif-{VERSION}"
    place = fetched(folder, "@microsoft/jest-sarif", VERSION)
    return json.loads((place / "lib/schemas/sarif-2.1.0-rtm.5.json").read_text())


def _require_valid(schema, report):
    text = sarif.check_sarif(report, "1.0")
    validator_for(schema)(schema).validate(json.loads(text))
    return json.loads(text)["runs"][0]["results"]


def test_a_review_with_objections_is_valid(schema, reviewed):
    answer = "By \\ref{no}. % pf: ignore[dangling-reference] no"
    body = NEWTON.replace(r"By \ref{lem:nowhere}.", answer)
    files = {"a b/ü.tex": body}
    files["pf.lock"] = lock(reviewed(files).papers[0].state, {"lem:unif": (QUOTE, OBJECTION)})
    results = _require_valid(schema, reviewed(files))
    assert {item["ruleId"] for item in results} >= {"gap", "dangling-reference"}
    assert any("suppressions" in item for item in results)


def test_a_change_and_a_clean_paper_are_valid(schema, reviewed):
    changed = {"main.tex": NEWTON.replace("exactly one", "one")}
    assert all(
        "baselineState" in item
        for item in _require_valid(schema, reviewed(changed, {"main.tex": NEWTON}))
    )
    _require_valid(schema, reviewed({"main.tex": "\\documentclass{article}"}))


def test_a_real_paper_is_valid(schema, corpus):
    now = snapshot.from_folder(Path(corpus) / "hott-intro")
    assert _require_valid(schema, review(None, now, ParseCache(MemoryCache())))
