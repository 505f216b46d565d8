"""The page of threats: each line names what holds it, and all that is named exists."""

import re
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
PAGES = ("threats", "first-hour", "overleaf")
TEXTS = {
    name: (REPO / f".github/docs/{name}.md").read_text(encoding="utf-8")
    for name in PAGES
    if (REPO / f".github/docs/{name}.md").exists()
}
NAMED = re.compile(r"`((?:bot|pfcore|hooks|prompts|tests|\.github|\.ci)/[^`\s]+)`")
REFERENCES = [(name, found) for name, text in TEXTS.items() for found in NAMED.findall(text)]
DOORS = ("The hook", "The command line", "The gate", "The Action", "The App")


def rows(page: str, heading: str) -> list[str]:
    """The lines of the table below a heading."""
    part = TEXTS[page].partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [line for line in part.splitlines() if line.startswith("| ")][1:]


@pytest.mark.parametrize(("page", "named"), sorted(set(REFERENCES)))
def test_what_is_named_exists(page: str, named: str) -> None:
    path, _, test = named.partition("::")
    assert (REPO / path).exists(), f"{page} names {path}"
    if test:
        text = (REPO / path).read_text(encoding="utf-8")
        assert re.search(rf"^(?:async )?def {re.escape(test)}\(", text, re.MULTILINE), named


@pytest.mark.parametrize("door", DOORS)
def test_every_line_about_a_door_names_what_holds_it(door: str) -> None:
    found = rows("threats", door)
    assert len(found) >= 3
    assert [line for line in found if not NAMED.search(line)] == []


def test_a_name_of_nothing_would_be_seen() -> None:
    assert NAMED.findall("`tests/test_nothing.py::test_x` and `pf check`") == [
        "tests/test_nothing.py::test_x"
    ]


HOURS = re.findall(r"^## (.+)$", TEXTS["first-hour"], re.MULTILINE)


@pytest.mark.parametrize("heading", HOURS)
def test_what_a_person_has_to_try_is_told_with_what_is_expected_and_the_code(heading: str) -> None:
    found = rows("first-hour", heading)
    assert found
    for line in found:
        do, expected, code = [cell.strip() for cell in line.strip("| ").split(" | ")]
        assert do and expected and NAMED.search(code), line
