"""The shares of true findings that are on record are those that the page says."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping

from pfcore.checks.registry import ALL
from pfcore.domain.values import Severity
from tests.shares import FOLDER, judged, shares, table, unknown

PAGE = (FOLDER / "README.md").read_text("utf-8")


def test_the_table_of_shares_is_what_the_judgments_sum_up_to() -> None:
    begun = PAGE.index("| rule | first looks | the last | mended |")
    written = PAGE[begun:].split("\n\n")[0].splitlines()[2:]
    assert written == table()


def test_every_rule_has_a_share_or_is_named_as_one_without() -> None:
    words = " ".join(PAGE.split())
    loud, quiet = frozenset({Severity.ERROR, Severity.WARNING}), frozenset({Severity.NOTE})
    assert f"No judgment is on record for {unknown(loud)};" in words
    assert f"nor for the notes {unknown(quiet)}," in words
    listed = {item.rule for item in shares()}
    assert listed == {check.id for check in ALL}


def test_only_rules_that_there_are_have_been_judged() -> None:
    rules = {rule for item in judged() for rule in item.rules}
    assert rules <= {check.id for check in ALL}
    assert all(0 <= true <= number for item in judged() for true, number in item.rules.values())


def test_what_is_said_of_the_nineteenth_set_is_on_record() -> None:
    words = " ".join(PAGE.split())
    found = json.loads((FOLDER / "findings_nineteenth.json").read_text("utf-8"))["papers"]
    said = _verdicts(rules for paper in found for rules in paper["findings"].values())
    left = _verdicts(rules for paper in found for rules in paper.get("after", {}).values())
    listed = sum(bool(paper["findings"]) for paper in found)
    assert (
        f"{said.total()} errors and warnings in {listed} of {len(found)} documents, "
        f"{said['true']} true, {said['arguable']} arguable and {said['false']} false"
    ) in words
    assert (
        f"{said['true']} of {said.total()} (52 %), {left['true']} of {left.total()} after" in words
    )
    papers = json.loads((FOLDER / "preflight_nineteenth.json").read_text("utf-8"))["papers"]
    shown = [paper["before"]["shown"] for paper in papers if paper["before"]]
    lines = _verdicts(shown)
    assert (
        f"Of {lines.total()} lines shown, in {len(shown)} documents, {lines['true']} are true, "
        f"{lines['arguable']} arguable and {lines['false']} false"
    ) in words
    now = _verdicts(paper["after"].get("shown", {}) for paper in papers)
    assert f"{now.total()} lines are shown, {now['true']} true and {now['arguable']} arg" in words


def test_what_is_said_of_the_twentieth_set_is_on_record() -> None:
    words = " ".join(PAGE.split())
    found = json.loads((FOLDER / "findings_twentieth.json").read_text("utf-8"))["papers"]
    said = _verdicts(rules for paper in found for rules in paper["findings"].values())
    listed = sum(bool(paper["findings"]) for paper in found)
    assert (
        f"{said.total()} errors and warnings in {listed} of {len(found)} documents, "
        f"{said['true']} true, {said['arguable']} arguable and {said['false']} false"
    ) in words
    assert f"{said['true']} of {said.total()} (91 %, 95 % interval" in words
    papers = json.loads((FOLDER / "preflight_twentieth.json").read_text("utf-8"))["papers"]
    shown = [paper["before"]["shown"] for paper in papers if paper["before"]]
    lines = _verdicts(shown)
    assert (
        f"Of {lines.total()} lines shown, in {len(shown)} documents, {lines['true']} are true, "
        f"{lines['arguable']} arguable and {lines['false']} false"
    ) in words
    now = _verdicts(paper["after"].get("shown", {}) for paper in papers)
    assert f"{now.total()} lines are shown, {now['true']} true, {now['arguable']} arguable" in words
    assert sum(paper.get("results_after", 0) > paper["results"] for paper in found) == 2


def _verdicts(papers: Iterable[Mapping[str, Mapping[str, int]]]) -> Counter[str]:
    """How often each verdict was given, in all rules of some papers."""
    return sum((Counter(one) for rules in papers for one in rules.values()), Counter())
