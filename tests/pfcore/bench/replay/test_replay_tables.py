"""Every published figure that recorded answers carry is computed again, or told why it differs."""

import json
from pathlib import Path
from typing import Any

import pytest

from pfcore.bench.replay.place_figures import place_tables
from pfcore.bench.replay.proof_figures import proof_tables
from pfcore.bench.replay.recorded_answers import read_answers

LISTED = json.loads(
    (Path(__file__).resolve().parents[3] / "data" / "evidence_figures.json").read_text("utf-8")
)
NEAR = 0.01
"""How far a share may be from one that was published with two digits."""


@pytest.mark.parametrize("listed", LISTED["figures"], ids=lambda listed: listed["figure"])
def test_a_figure_is_near_the_published_one_or_somebody_says_why_not(
    listed: dict[str, Any],
) -> None:
    scale = max(1.0, listed["published"])
    assert listed["why"] or abs(listed["value"] - listed["published"]) <= NEAR * scale


@pytest.mark.parametrize("listed", LISTED["counts"], ids=lambda listed: listed["figure"])
def test_a_count_is_the_published_one_or_somebody_says_why_not(listed: dict[str, Any]) -> None:
    assert listed["why"] or listed["value"] == listed["published"]


def test_what_the_files_do_not_carry_is_listed_with_the_reason() -> None:
    assert all(item["why"] or item["by"] for item in LISTED["others"])


@pytest.mark.corpus
def test_listed_figures_are_those_that_are_computed(evidence: Path) -> None:
    pytest.importorskip("pyarrow")
    found = read_answers(evidence)
    tables = [*place_tables(found.withdrawn), *proof_tables(found)]
    computed = {
        (table.question, table.judge, table.unit, figure.name): (figure.value, figure.n)
        for table in tables
        for figure in table.figures
    }
    counted = {
        (table.question, figure.name, of): getattr(figure, of)
        for table in tables
        for figure in table.figures
        for of in ("part", "n")
    }
    for listed in LISTED["counts"]:
        assert counted[listed["question"], listed["name"], listed["of"]] == listed["value"]
    for listed in LISTED["figures"]:
        key = tuple(listed[name] for name in ("question", "judge", "unit", "name"))
        value, n = computed[key]
        assert (pytest.approx(value, abs=1e-4), n) == (listed["value"], listed["n"]), key
