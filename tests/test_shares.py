"""The shares of true findings that are on record are those that the page says."""

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
