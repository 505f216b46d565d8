"""What objections are called: by class, module and place, and still by what they were called."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from pfcore.domain.findings import finding_id
from tests.pfcore.cli.conftest import Referee

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

Run = Callable[..., tuple[int, str, str]]
Edit = Callable[[str, str], None]


def found(run: Run, *more: str) -> list[dict[str, object]]:
    _, out, _ = run("check", "--model", "m", "--format", "json", *more)
    listed: list[dict[str, object]] = json.loads(out)["findings"]
    return listed


def test_a_name_stays_where_the_words_at_the_place_change(
    paper: Path, run: Run, edit: Edit, referee: Referee
) -> None:
    edit("Clear.", "First, $y=1$. Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    (first,) = found(run)
    edit("Dividing by $x$ it", "If one divides by $x$ it")
    referee.objects_to("divides by $x$", "It may vanish.")
    (second,) = found(run)
    assert (second["id"], second["quote"]) == (first["id"], "divides by $x$")
    edit("First, $y=1$.", "First, $y=2$.")
    (third,) = found(run)
    assert third["id"] == first["id"]


def test_names_differ_by_class_module_and_place(
    paper: Path, run: Run, edit: Edit, referee: Referee
) -> None:
    edit("Clear.", "By zero it is so. By zero it is not so.")
    edit(r"By \ref{a}.", "By zero it is so.")
    referee.objects_to("By zero it is so")
    listed = found(run)
    edit("By zero it is so. By zero it is not so.", "By zero it is so. It is not so, by zero.")
    referee.objects_to("It is not so")
    listed += [item for item in found(run) if item["module"] == "a"]
    assert [item["module"] for item in listed] == ["a", "b", "a"]
    assert len({item["id"] for item in listed}) == 3


@pytest.mark.parametrize("way", ["ignore", "dismiss"])
def test_a_name_of_before_still_means_it(
    paper: Path, run: Run, edit: Edit, referee: Referee, way: str
) -> None:
    edit("Clear.", "Dividing by $x$ it is clear.")
    referee.objects_to("Dividing by $x$")
    (item,) = found(run, "--update-lock")
    line = next(line for line in (paper / "pf.lock").read_text().splitlines() if '"gap"' in line)
    (on_record,) = json.loads(line)["findings"]
    before = on_record["id"]
    assert before != item["id"]
    assert item["aliases"] == [before]
    if way == "ignore":
        edit("it is clear.", f"it is clear. % pf: ignore[{before}] x is positive")
    else:
        assert run("dismiss", before, "--reason", "x is positive")[0] == 0
    (answered,) = [one for one in found(run) if one["id"] == item["id"]]
    assert "x is positive" in str(answered["dismissed"])
    _, out, _ = run("explain", before)
    assert re.search(rf"\b{item['id']}\b", out)


def test_an_answer_of_before_covers_what_a_check_found(paper: Path, run: Run, edit: Edit) -> None:
    edit(r"\end{document}", r"See \ref{nowhere}." "\n\\end{document}")
    (item,) = _undefined(run)
    before = finding_id("dangling-reference", "nowhere", None)
    assert item["aliases"] == [before]
    line = {"schema": 1, "kind": "dismissal", "finding": before, "aliases": [], "quote": "",
            "rule": "dangling-reference", "module": "", "statement": "", "rests": [],
            "reason": "it is to come", "who": None}  # fmt: skip
    (paper / "pf.lock").write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    (answered,) = _undefined(run)
    assert answered["id"] == item["id"]
    assert "it is to come" in str(answered["dismissed"])


def _undefined(run: Run) -> list[dict[str, object]]:
    _, out, _ = run("check", "--all", "--format", "json")
    return [item for item in json.loads(out)["findings"] if item["rule"] == "dangling-reference"]
