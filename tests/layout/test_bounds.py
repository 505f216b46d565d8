"""How the product is laid out is held by upper bounds, which only fall.

Whoever gets a number down writes the smaller one into the table. A larger one stands for something
that the product could not do before, and the commit that writes it says for what.

`python -m tests.layout.counting` prints all numbers as they are, with some that have no bound here.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.layout.counting import START, of_first_runs, of_text
from tests.layout.source import Product, circles
from tests.layout.walk import Place, walk

BOUNDS = {
    "files": 443,
    "classes whose name stands twice": 0,
    "files whose name stands twice": 0,
    "functions that take a Namespace": 33,
    "files of these": 5,
    "rooms of pfcore": 17,
    "files in the fullest folder": 18,
    "files in an import circle": 0,
    "rooms in an import circle": 0,
    "parts of latex in an import circle": 0,
    "review: moves between rooms": 89,
    "review: climbs": 44,
    "pf check, second run: files entered": 119,
    "pf check, second run: code objects": 1_504,
    "pf check --all, first run: files entered": 147,
    "pf check --all, first run: code objects": 2_611,
    "pf check --all, first run: functions": 1_452,
}


@pytest.fixture(scope="module")
def product() -> Product:
    return Product()


@pytest.fixture(scope="module")
def counted(product: Product) -> dict[str, int]:
    return of_text(product)


def above(found: Mapping[str, int]) -> dict[str, int]:
    """What is more than its bound."""
    return {name: found[name] for name in BOUNDS if found.get(name, 0) > BOUNDS[name]}


def test_names_rooms_and_walks_are_within_their_bounds(counted: dict[str, int]) -> None:
    assert above(counted) == {}


@pytest.mark.acceptance
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="other Pythons inline comprehensions")
def test_what_a_command_enters_is_within_its_bounds(product: Product, tmp_path: Path) -> None:
    found = of_first_runs(product, tmp_path)
    assert above(found) == {}
    assert {name for name in BOUNDS if name.startswith("pf ")} == set(found)


def test_every_bound_is_of_something_that_is_counted(counted: dict[str, int]) -> None:
    assert {name for name in BOUNDS if not name.startswith("pf ")} <= set(counted)


def test_a_circle_is_found_with_all_that_are_in_it() -> None:
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"f"}, "f": {"e"}}
    assert circles(arrows) == [["b", "c"], ["e", "f"]]


def test_the_walk_begins_at_the_review_and_reaches_what_it_rests_on(product: Product) -> None:
    found = walk(product, START)
    assert found.places[0] == Place("pfcore.review.review", "review")
    names = {place.name for place in found.places}
    assert {"discover_papers", "build_paper_state", "make_plan", "build_document"} <= names
